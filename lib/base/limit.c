/* limit.c - see limit.h. Memory is what the process has in RAM, by /proc/self/statm: LLVM's and MLIR's is counted too. */
#include "tcc/limit.h"
#include "tcc/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LOOKS = 16, PAUSE_MS = 10 };

/* 0 where the system does not say it. */
static size_t resident_bytes(void) {
  char text[128];
  unsigned long all, resident = 0;
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file) return 0;
  if (!fgets(text, sizeof text, file) || sscanf(text, "%lu %lu", &all, &resident) != 2) resident = 0;
  fclose(file);
  return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

void tcc_limit_start(TccLimit *limit, double seconds, size_t bytes) {
  *limit = (TccLimit){.seconds = seconds, .end = seconds > 0 ? tcc_now_ms() + seconds * 1e3 : 0};
  if (bytes == SIZE_MAX) return;
  limit->bytes = bytes ? bytes : (size_t)sysconf(_SC_PHYS_PAGES) / 4 * 3 * (size_t)sysconf(_SC_PAGESIZE);
  if (!tcc_add_size(resident_bytes(), limit->bytes, &limit->most)) limit->most = SIZE_MAX;
}

bool tcc_limit_reached(TccLimit *limit) {
  if (limit->reached) return true;
  bool looks = limit->most && limit->looks++ % LOOKS == 0;
  if (!looks && limit->end <= 0) return false;
  double now = tcc_now_ms();
  limit->reached = limit->end > 0 && now >= limit->end;
  if (limit->reached || !looks || now < limit->next) return limit->reached;
  limit->next = now + PAUSE_MS;
  return limit->reached = resident_bytes() > limit->most;
}

bool tcc_limit_fits(TccLimit *limit, size_t bytes) {
  size_t with;
  bool fits = !limit->most || (tcc_add_size(resident_bytes(), bytes, &with) && with <= limit->most);
  void *all = fits ? malloc(bytes ? bytes : 1) : NULL; /* the system has a limit, too; memory that nobody touches costs nothing */
  if (fits && !all) limit->refused = bytes;
  limit->reached |= !all;
  free(all);
  return !limit->reached;
}

const char *tcc_limit_text(const TccLimit *limit, char out[96]) {
  if (limit->end > 0 && tcc_now_ms() >= limit->end)
    snprintf(out, 96, "compiling takes longer than %g s (--compile-time)", limit->seconds);
  else if (limit->refused) snprintf(out, 96, "the system has no %zu MB of memory for it", limit->refused >> 20);
  else snprintf(out, 96, "compiling takes more memory than %zu MB (--compile-memory)", limit->bytes >> 20);
  return out;
}
