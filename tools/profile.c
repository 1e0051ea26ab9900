/* profile.c - the time of each kernel of a run: the median of several, since one is disturbed by what else the machine does.
 * The first run is left out if there are others: it meets cold memory. */
#include "tools/profile.h"
#include "tcc/plan.h"
#include "tools/json_text.h"
#include "tools/profile_machine.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct ProfileRow {
  TccProfileEvent event;
  size_t runs;
  double first, times[PROFILE_RUNS]; /* times: of later runs, the oldest is overwritten */
} Row;

void profile_take(const TccProfileEvent *event, void *profile) {
  Profile *p = profile;
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
    row->times[row->runs++ % PROFILE_RUNS] = event->nanoseconds;
  }
  p->at++;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(const Row *row) {
  double times[PROFILE_RUNS];
  size_t n = row->runs < PROFILE_RUNS ? row->runs : PROFILE_RUNS;
  memcpy(times, row->times, n * sizeof *times);
  qsort(times, n, sizeof *times, by_value);
  return n ? times[n / 2] : row->first;
}

/* ---- sums ---- */
/* Kernels that have something in common: a kernel function that is called several times, or a kind. */
typedef struct {
  const char *name, *kind, *emitter; /* kind and emitter NULL: of several */
  size_t calls;
  double nanoseconds, flops, bytes;
} Sum;

typedef struct {
  Sum *sums;
  size_t count;
  Sum all;
} Sums;

static void add(Sum *sum, const Row *row) {
  sum->calls++;
  sum->nanoseconds += median(row);
  sum->flops += (double)row->event.flops;
  sum->bytes += (double)row->event.bytes;
}

static int longest_first(const void *a, const void *b) {
  const Sum *x = a, *y = b;
  return x->nanoseconds != y->nanoseconds ? (x->nanoseconds < y->nanoseconds) - (x->nanoseconds > y->nanoseconds)
                                          : strcmp(x->name, y->name);
}

/* The longest first; to be freed. False: no memory. */
static bool sum_up(const Profile *p, bool kinds, Sums *out) {
  *out = (Sums){.sums = calloc(p->count + 1, sizeof(Sum)), .all = {.name = "together"}};
  if (!out->sums) return false;
  for (size_t i = 0; i < p->count; i++) {
    const TccProfileEvent *event = &p->rows[i].event;
    const char *name = kinds ? event->kind : event->kernel;
    size_t k = 0;
    while (k < out->count && strcmp(out->sums[k].name, name) != 0) k++;
    if (k == out->count) out->sums[out->count++] = (Sum){name, kinds ? NULL : event->kind, kinds ? NULL : event->emitter};
    add(&out->sums[k], &p->rows[i]);
    add(&out->all, &p->rows[i]);
  }
  qsort(out->sums, out->count, sizeof *out->sums, longest_first);
  return true;
}

/* ---- as text and JSON ---- */
/* A number a second, in billions. */
static double rate(double amount, double nanoseconds) { return nanoseconds > 0 ? amount / nanoseconds : 0; }

static double part(double amount, double whole) { return whole > 0 ? 100 * amount / whole : 0; }

static void put_numbers(const Profile *p, double nanoseconds, double all, double flops, double bytes) {
  const double operations = rate(flops, nanoseconds), transfer = rate(bytes, nanoseconds);
  printf("%10.2f us %5.1f %% %8.1f GFLOP/s %7.1f GB/s", nanoseconds / 1e3, part(nanoseconds, all), operations, transfer);
  if (p->peak > 0) printf("  peak %3.0f %% %3.0f %%", part(operations, p->peak), part(transfer, p->reads));
}

static void put_sums(const Profile *p, const char *title, const Sums *sums) {
  printf("%s\n", title);
  for (size_t i = 0; i < sums->count; i++) {
    const Sum *sum = &sums->sums[i];
    put_numbers(p, sum->nanoseconds, sums->all.nanoseconds, sum->flops, sum->bytes);
    printf("  %5zu %-6s %s", sum->calls, sum->calls == 1 ? "call" : "calls", sum->name);
    if (sum->kind) printf(" (%s)", sum->emitter);
    printf("\n");
  }
}

static json_t *numbers(const Profile *p, double nanoseconds, double all, double flops, double bytes) {
  json_t *root = json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "ms", nanoseconds / 1e6, "share", part(nanoseconds, all) / 100, "flops",
                           flops, "bytes", bytes, "gflops", rate(flops, nanoseconds), "gbytes", rate(bytes, nanoseconds));
  if (root && p->peak > 0)
    json_object_update_new(root, json_pack("{s:f,s:f}", "of_peak", rate(flops, nanoseconds) / p->peak, "of_reads",
                                           rate(bytes, nanoseconds) / p->reads));
  return root;
}

static json_t *kernels_json(const Profile *p) {
  Sums sums;
  json_t *list = json_array();
  if (!sum_up(p, false, &sums)) return list;
  for (size_t i = 0; i < p->count; i++) {
    const TccProfileEvent *event = &p->rows[i].event;
    json_t *row = numbers(p, median(&p->rows[i]), sums.all.nanoseconds, (double)event->flops, (double)event->bytes);
    json_object_update_new(row, json_pack("{s:s,s:o,s:s,s:s,s:I,s:I}", "kernel", event->kernel, "node", tcc_json_text(event->node),
                                          "kind", event->kind, "emitter", event->emitter, "tiles", (json_int_t)event->tiles,
                                          "times", (json_int_t)event->times));
    json_array_append_new(list, row);
  }
  free(sums.sums);
  return list;
}

void profile_measure_machine(Profile *p, unsigned threads) {
  enum { TURNS = 20 }; /* other programs disturb some */
  if (!threads) threads = tcc_cpu_count();
  for (int i = 0; i < TURNS; i++) {
    const double peak = profile_machine_peak((int)threads), reads = profile_machine_reads((int)threads);
    if (peak > p->peak) p->peak = peak;
    if (reads > p->reads) p->reads = reads;
  }
  if (p->reads <= 0) p->peak = 0;
}

static json_t *kinds_json(const Profile *p) {
  Sums sums;
  json_t *list = json_array();
  if (!sum_up(p, true, &sums)) return list;
  for (size_t i = 0; i < sums.count; i++) {
    const Sum *sum = &sums.sums[i];
    json_t *row = numbers(p, sum->nanoseconds, sums.all.nanoseconds, sum->flops, sum->bytes);
    json_object_update_new(row, json_pack("{s:s,s:I}", "kind", sum->name, "kernels", (json_int_t)sum->calls));
    json_array_append_new(list, row);
  }
  free(sums.sums);
  return list;
}

void profile_add_json(const Profile *p, json_t *report) {
  if (!p->count) return;
  json_object_set_new(report, "profile", kernels_json(p));
  json_object_set_new(report, "profile_kinds", kinds_json(p));
}

TccStatus *profile_write_json(json_t *report, const char *path) {
  errno = 0;
  FILE *file = report ? fopen(path, "w") : NULL;
  bool failed = !file || json_dumpf(report, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0 || fputc('\n', file) == EOF;
  if (file) failed |= fclose(file) != 0;
  json_decref(report);
  return failed ? TCC_ERROR(TCC_IO, "%s: cannot be written: %s", path, strerror(errno)) : NULL;
}

static int by_time(const void *a, const void *b) {
  const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;
  double left = median(x), right = median(y);
  if (left != right) return left < right ? 1 : -1;
  return x < y ? -1 : x > y; /* in the order of the run */
}

TccStatus *profile_print(const Profile *p, bool longest) {
  Sums kernels = {0}, kinds = {0};
  const Row **rows = calloc(p->count + 1, sizeof *rows);
  if (p->failed || !rows || !sum_up(p, false, &kernels) || !sum_up(p, true, &kinds)) {
    free(rows);
    free(kernels.sums);
    return TCC_ERROR_NO_MEMORY();
  }
  for (size_t i = 0; i < p->count; i++) rows[i] = &p->rows[i];
  if (longest) qsort(rows, p->count, sizeof *rows, by_time);
  for (size_t i = 0; i < p->count; i++) {
    const Row *row = rows[i];
    put_numbers(p, median(row), kernels.all.nanoseconds, (double)row->event.flops, (double)row->event.bytes);
    printf("  %6lld tiles  ", (long long)row->event.tiles);
    if (row->event.times != 1) printf("x%lld  ", (long long)row->event.times);
    printf("%-10s %-18s %s  %s\n", row->event.kind, row->event.emitter, row->event.kernel, row->event.node);
  }
  put_sums(p, "kernels:", &kernels);
  put_sums(p, "kinds:", &kinds);
  put_numbers(p, kernels.all.nanoseconds, kernels.all.nanoseconds, kernels.all.flops, kernels.all.bytes);
  printf("  together\n");
  if (p->peak > 0)
    printf("peak: %.1f GFLOP/s of f32 fused multiply-adds, %.1f GB/s read from memory, by as many threads\n", p->peak, p->reads);
  free(rows);
  free(kernels.sums);
  free(kinds.sums);
  return NULL;
}

void profile_destroy(Profile *p) {
  free(p->rows);
  *p = (Profile){0};
}

bool profile_parse(const TccCommand *command, const TccArg *arg) {
  if (arg->value && strcmp(arg->value, "time") != 0)
    tcc_usage_error(command, "--profile=%s: it takes time, or nothing", arg->value);
  return arg->value != NULL;
}
