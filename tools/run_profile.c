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

static double time_of_all(const RunProfile *p) {
  double sum = 0;
  for (size_t i = 0; i < p->count; i++) sum += median(&p->rows[i]);
  return sum > 0 ? sum : 1; /* for shares */
}

/* What the kernels of a kind and emitter take together. */
typedef struct {
  const char *kind, *emitter;
  size_t kernels;
  double time;
} Kind;

static int by_time_of_kind(const void *a, const void *b) {
  const Kind *x = a, *y = b;
  return (x->time < y->time) - (x->time > y->time);
}

static int by_time(const void *a, const void *b) {
  const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
  double left = median(x), right = median(y);
  if (left != right) return left < right ? 1 : -1;
  return x < y ? -1 : x > y; /* in the order of the run */
}

/* The longest first; the caller's to free. NULL: no memory. */
static Kind *kinds_of(const RunProfile *p, size_t *out_count) {
  Kind *kinds = calloc(p->count + 1, sizeof *kinds);
  *out_count = 0;
  for (size_t i = 0; kinds && i < p->count; i++) {
    const TccProfileEvent *event = &p->rows[i].event;
    size_t k = 0;
    while (k < *out_count && (strcmp(kinds[k].kind, event->kind) != 0 || strcmp(kinds[k].emitter, event->emitter) != 0)) k++;
    if (k == *out_count) kinds[(*out_count)++] = (Kind){.kind = event->kind, .emitter = event->emitter};
    kinds[k].kernels++;
    kinds[k].time += median(&p->rows[i]);
  }
  if (kinds) qsort(kinds, *out_count, sizeof *kinds, by_time_of_kind);
  return kinds;
}

json_t *run_profile_kinds_json(const RunProfile *p) {
  size_t count;
  double all = time_of_all(p);
  json_t *list = json_array();
  Kind *kinds = kinds_of(p, &count);
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_pack("{s:s,s:s,s:I,s:f,s:f}", "kind", kinds[i].kind, "emitter", kinds[i].emitter, "kernels",
                                          (json_int_t)kinds[i].kernels, "ms", kinds[i].time / 1e6, "share", kinds[i].time / all));
  free(kinds);
  return list;
}

json_t *run_profile_json(const RunProfile *p) {
  json_t *list = json_array();
  double all = time_of_all(p);
  for (size_t i = 0; i < p->count; i++) {
    const TccProfileEvent *event = &p->rows[i].event;
    json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:I,s:f,s:f}", "kernel", event->kernel, "node", event->node, "kind",
                                          event->kind, "emitter", event->emitter, "tiles", (json_int_t)event->tiles, "ms",
                                          median(&p->rows[i]) / 1e6, "share", median(&p->rows[i]) / all));
  }
  return list;
}

static void print_row(const Row *row, double all) {
  double time = median(row);
  printf("%10.2f us  %5.1f %%  %8lld tiles  %-10s %-18s %s  %s\n", time / 1e3, 100 * time / all, (long long)row->event.tiles,
         row->event.kind, row->event.emitter, row->event.kernel, row->event.node);
}

TccStatus *run_profile_print(const RunProfile *p, bool longest_first) {
  size_t nkinds;
  if (p->failed) return TCC_ERROR_NO_MEMORY();
  const double all = time_of_all(p);
  const Row **rows = calloc(p->count + 1, sizeof *rows);
  Kind *kinds = kinds_of(p, &nkinds);
  TccStatus *status = rows && kinds ? NULL : TCC_ERROR_NO_MEMORY();
  for (size_t i = 0; !status && i < p->count; i++) rows[i] = &p->rows[i];
  if (!status && longest_first) qsort(rows, p->count, sizeof *rows, by_time);
  for (size_t i = 0; !status && i < p->count; i++) print_row(rows[i], all);
  if (!status) printf("%10.2f us  together\n", (p->count ? all : 0) / 1e3);
  for (size_t i = 0; !status && i < nkinds; i++)
    printf("%10.2f us  %5.1f %%  %8zu kernels  %s by %s\n", kinds[i].time / 1e3, 100 * kinds[i].time / all, kinds[i].kernels,
           kinds[i].kind, kinds[i].emitter);
  free(rows);
  free(kinds);
  return status;
}

void run_profile_destroy(RunProfile *p) {
  free(p->rows);
  *p = (RunProfile){0};
}
