/* run_profile.c - the time of each kernel of a run: the median of several, since one is disturbed by what else the machine does.
 * The first run is left out if there are others: it meets cold memory. */
#include "run.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct RunProfileRow {
  TccProfileEvent event;
  size_t runs;
  double first, times[RUN_PROFILE_RUNS]; /* times: of later runs, the oldest is overwritten */
} Row;

void run_profile_take(const TccProfileEvent *event, void *profile) {
  RunProfile *p = profile;
  if (p->at > 0 && event->command <= p->rows[p->at - 1].event.command) p->at = 0; /* commands go up: another run begins */
  if (p->at == p->count) {
    if (p->count == p->room) {
      size_t room = p->room ? 2 * p->room : 64;
      Row *rows = realloc(p->rows, room * sizeof *rows);
      p->failed = p->failed || !rows;
      if (!rows) return;
      p->rows = rows, p->room = room;
    }
    p->rows[p->count++] = (Row){.event = *event, .first = event->nanoseconds};
  } else {
    Row *row = &p->rows[p->at];
    row->event = *event;
    row->times[row->runs++ % RUN_PROFILE_RUNS] = event->nanoseconds;
  }
  p->at++;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(const Row *row) {
  double times[RUN_PROFILE_RUNS];
  size_t n = row->runs < RUN_PROFILE_RUNS ? row->runs : RUN_PROFILE_RUNS;
  memcpy(times, row->times, n * sizeof *times);
  qsort(times, n, sizeof *times, by_value);
  return n ? times[n / 2] : row->first;
}

json_t *run_profile_json(const RunProfile *p) {
  json_t *list = json_array();
  for (size_t i = 0; i < p->count; i++) {
    const TccProfileEvent *event = &p->rows[i].event;
    json_array_append_new(list,
                          json_pack("{s:s,s:s,s:s,s:s,s:I,s:f}", "kernel", event->kernel, "node", event->node, "kind", event->kind,
                                    "emitter", event->emitter, "tiles", (json_int_t)event->tiles, "ms", median(&p->rows[i]) / 1e6));
  }
  return list;
}

TccStatus *run_profile_print(const RunProfile *p) {
  double sum = 0;
  if (p->failed) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < p->count; i++) {
    const Row *row = &p->rows[i];
    double time = median(row);
    sum += time;
    printf("%10.2f us  %8lld tiles  %-10s %-18s %s  %s\n", time / 1e3, (long long)row->event.tiles, row->event.kind,
           row->event.emitter, row->event.kernel, row->event.node);
  }
  printf("%10.2f us  together\n", sum / 1e3);
  return NULL;
}

void run_profile_destroy(RunProfile *p) {
  free(p->rows);
  *p = (RunProfile){0};
}
