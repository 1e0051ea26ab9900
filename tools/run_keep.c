/* run_keep.c - packed weights go to the cache when the results are out, and nobody waits for that.
 *
 * Writing takes about a millisecond a megabyte, for BERT as long as compiling it and running it once. A child that fork() makes
 * has the block as it is, shares its pages, and may take its time: it gives way to whatever else runs (nice 19), has let go of
 * the files that it inherited, so that whoever reads the output sees its end, and has a session of its own. An entry is whole
 * or not there (packed.c): a child that is killed leaves a temporary file, which a later one removes. The other threads are not in
 * the child: it does nothing but write and leave, without the work of exit(). */
#include "run.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LEAST_BYTES = 4 << 20 /* smaller ones are written in the time that a child takes */ };

/* The standard files are /dev/null, all others closed. */
static void let_go_of_files(void) {
  int null = open("/dev/null", O_RDWR);
  for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++) dup2(null, fd);
  close_range(STDERR_FILENO + 1, ~0U, 0);
}

bool run_keep(const TccModel *model, bool wait) {
  const TccModelInfo *info = tcc_model_info(model);
  if (wait || info->packed_mapped || info->packed_bytes < LEAST_BYTES) return tcc_model_keep(model);
  if (fork() != 0) return false; /* where there is no room for a child the next start packs again */
  let_go_of_files();
  setsid();
  setpriority(PRIO_PROCESS, 0, 19); /* only a wish */
  tcc_model_keep(model);
  _exit(0);
}
