/* Records of tuning that hold no finding: where the heuristic's choice was best, or nothing is finished, no kernel need be looked for. */
#undef NDEBUG
#include "tcc/tune.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void add(TccRecords *records, const char *digest, const char *best) {
  TccRecord record = {
      .key = {digest, "x86", "machine", "x86.map/1", 1}, .sizes = "", .name = "k", .shape = "4", .default_schedule = "vectors = 1"};
  int64_t id;
  bool finished;
  assert(!tcc_records_begin(records, &record, &id, &finished) && !finished);
  if (best) assert(!tcc_records_finish(records, id, best, 1, 1));
}

static bool has_findings(TccRecords *records) {
  bool has;
  assert(!tcc_records_has_findings(records, &has));
  return has;
}

int main(void) {
  char folder[] = "/tmp/tcc-records-XXXXXX", path[64], log[80];
  TccRecords *records;
  assert(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/tune.db", folder);
  assert(!tcc_records_open(path, true, &records) && records);
  assert(!has_findings(records));
  add(records, "a", NULL);
  assert(!has_findings(records));
  add(records, "b", "vectors = 1");
  assert(!has_findings(records));
  add(records, "c", "vectors = 2");
  assert(has_findings(records));
  tcc_records_close(records);
  for (const char *const *end = (const char *const[]){"", "-wal", "-shm", "-stamp", NULL}; *end; end++) {
    snprintf(log, sizeof log, "%s%s", path, *end);
    unlink(log);
  }
  assert(rmdir(folder) == 0);
  return 0;
}
