/* tuner.c - see tuner.h: which kernels are measured, in which order, and the tournament among the candidates of one.
 *
 * Every measurement is written down when it is made, and looked up before it is made: a tournament that was killed goes on
 * where it was. A candidate is measured beside the heuristic's choice, turn by turn, and the winner must beat it by more than what
 * noise does. */
#include "lib/tune/tuner.h"
#include "tcc/clock.h"
#include "tcc/plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CANDIDATES = 20, ROUNDS = 4, LAPS = 3, FINALISTS = 3, LAST_ROUND = 100 };
static const double worth = 0.985, hopeless = 1.6;
/* What a candidate gets, by round: so many runs beside the heuristic's choice, but no more than so long; LAST_ROUND's of a lap. */
static const struct {
  double runs, least_ms, most_ms;
} rounds[ROUNDS] = {{4, 1.5, 12}, {8, 3, 24}, {16, 6, 48}, {32, 12, 96}}, lap = {40, 20, 80};

typedef struct {
  MlirOperation func;
  const TccTunable *tunable;
  void *read;
  double cost;
  int64_t number;
} Kernel;

typedef struct {
  const TccTuning *tuning;
  const TccMap *sizes;
  size_t count, at;       /* kernels; the one that is measured */
  double start, deadline; /* ms; deadline 0: none */
  bool out_of_time;
} Run;

typedef struct {
  Run *run;
  int64_t id;
  const char *title;
  const TccCandidates *candidates;
  TccMeasurer *measurer;
  double *ratio;     /* of the last round, per candidate, to the heuristic's choice; negative: it failed */
  double default_ms; /* the least; negative: none yet */
} Match;

static void say(const Match *m, size_t candidate, int round, double best) {
  const Run *r = m->run;
  const TccCompileOptions *o = r->tuning->options;
  if (!o->progress) return;
  double elapsed = tcc_now_ms() - r->start, left = r->deadline ? r->deadline - tcc_now_ms()
                                                   : r->at     ? elapsed / (double)r->at * (double)(r->count - r->at)
                                                               : 0;
  char line[320], limit[32] = "", stage[32] = "final", found[64] = "";
  if (round < LAST_ROUND) snprintf(stage, sizeof stage, "round %d", round + 1);
  if (m->default_ms > 0) snprintf(found, sizeof found, "; best %.4g ms, heuristic %.4g ms", m->default_ms * best, m->default_ms);
  if (left > 0) snprintf(limit, sizeof limit, ", %.0f s left", left / 1000);
  snprintf(line, sizeof line, "tune %zu of %zu: %s: candidate %zu of %zu, %s%s%s", r->at + 1, r->count, m->title, candidate + 1,
           m->candidates->count, stage, found, limit);
  o->progress(line, o->user);
}

static void say_lost(const Match *m, size_t candidate, const char *why) {
  const TccCompileOptions *o = m->run->tuning->options;
  if (!o->progress) return;
  TccText line = {0};
  tcc_text_printf(&line, "tune %zu of %zu: %s: candidate %zu of %zu is left out: %s", m->run->at + 1, m->run->count, m->title,
                  candidate + 1, m->candidates->count, why);
  if (!line.failed) o->progress(line.data, o->user);
  tcc_text_destroy(&line);
}

/* ratio[i] of candidate i in this round: from the records, else measured and recorded. */
static TccStatus *measure(Match *m, size_t i, int round, double budget_ms) {
  TccRecords *records = m->run->tuning->records;
  const TccCandidate *candidate = &m->candidates->all[i];
  TccRecordTime time = {-1, -1, candidate->why ? candidate->why : ""};
  bool found;
  TCC_TRY(tcc_records_get(records, m->id, round, candidate->text, &time, &found));
  if (!found) {
    bool patient = m->default_ms < 0 || tcc_tune_on_device(m->run->tuning); /* a device loads a candidate first */
    double limit = 4 * budget_ms + (patient ? 20000 : 500) + (m->default_ms > 0 ? 80 * m->default_ms : 0);
    TccStatus *status =
        candidate->why ? NULL : tcc_measurer_run(m->measurer, i, 0, budget_ms, hopeless, limit, &time.ms, &time.ratio);
    if (status && tcc_status_code(status) != TCC_MISMATCH) return status;
    if (status) time.note = tcc_status_message(status);
    if (time.ratio < 0) say_lost(m, i, time.note);
    TccStatus *written = tcc_records_put(records, m->id, round, candidate->text, &time);
    tcc_status_destroy(status);
    if (written) return written;
  }
  m->ratio[i] = time.ratio;
  if (i == 0 && time.ratio > 0 && (m->default_ms < 0 || time.ms < m->default_ms)) m->default_ms = time.ms;
  return NULL;
}

static double budget_of(const Match *m, int round) {
  double runs = round < ROUNDS ? rounds[round].runs : lap.runs, least = round < ROUNDS ? rounds[round].least_ms : lap.least_ms;
  double most = round < ROUNDS ? rounds[round].most_ms : lap.most_ms, wanted = 2 * runs * m->default_ms;
  return m->default_ms < 0 || wanted > most ? most : wanted < least ? least : wanted;
}

/* Measures those that are left, in order; *out_done is false if the time was over before. */
static TccStatus *play(Match *m, const size_t *left, size_t n, int round, bool *out_done) {
  double best = 1, budget_ms = budget_of(m, round);
  *out_done = false;
  for (size_t i = 0; i < n; i++) {
    Run *r = m->run;
    if (r->deadline && tcc_now_ms() > r->deadline) r->out_of_time = true;
    if (r->out_of_time) return NULL;
    say(m, left[i], round, best);
    TCC_TRY(measure(m, left[i], round, budget_ms));
    if (m->ratio[left[i]] >= 0 && m->ratio[left[i]] < best) best = m->ratio[left[i]];
  }
  *out_done = true;
  return NULL;
}

/* Sorts by ratio and leaves out failures; keeps `most`. */
static size_t halve(const Match *m, size_t *left, size_t n, size_t most) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (m->ratio[left[i]] >= 0) left[kept++] = left[i];
  for (size_t i = 1; i < kept; i++) { /* few: insertion */
    size_t moved = left[i], k = i;
    for (; k > 0 && m->ratio[left[k - 1]] > m->ratio[moved]; k--) left[k] = left[k - 1];
    left[k] = moved;
  }
  return kept < most ? kept : most;
}

static TccStatus *tournament(Match *m) {
  TccRecords *records = m->run->tuning->records;
  const TccCandidate *all = m->candidates->all;
  size_t n = 0, left[CANDIDATES], heuristic = 0;
  double mean[CANDIDATES];
  bool done;
  TCC_TRY(play(m, &heuristic, 1, LAST_ROUND, &done));
  if (!done) return NULL;
  if (m->ratio[0] < 0) return tcc_records_finish(records, m->id, all[0].text, -1, -1); /* nothing to compare with */
  for (size_t i = 1; i < m->candidates->count; i++) left[n++] = i;
  for (int round = 0; round < ROUNDS && n > FINALISTS; round++) {
    TCC_TRY(play(m, left, n, round, &done));
    if (!done) return NULL;
    size_t half = (n + 1) / 2;
    n = halve(m, left, n, half > FINALISTS && round + 1 < ROUNDS ? half : FINALISTS);
  }
  for (size_t i = 0; i < n; i++) mean[i] = 0;
  for (int lap_number = 0; lap_number < LAPS; lap_number++) {
    TCC_TRY(play(m, left, n, LAST_ROUND + lap_number, &done));
    if (!done) return NULL;
    for (size_t i = 0; i < n; i++) mean[i] = m->ratio[left[i]] < 0 ? INFINITY : mean[i] + m->ratio[left[i]] / LAPS;
  }
  size_t winner = 0;
  double best = worth;
  for (size_t i = 0; i < n; i++)
    if (mean[i] < best) best = mean[i], winner = left[i];
  return tcc_records_finish(records, m->id, all[winner].text, winner ? m->default_ms * best : m->default_ms, m->default_ms);
}

/* ---- kernels ---- */
/* What must be measured on a device that is not here is not measured elsewhere, and nothing takes its place. */
static TccStatus *check_device(const TccTuning *t) {
  char name[TCC_MEASURE_DEVICE_NAME];
  if (!tcc_tune_on_device(t)) return NULL;
  return tcc_status_context(tcc_measure_device(t->target->machine.isa, name),
                            "mode max-autotune: no schedule of %s for %s can be measured (mode default takes those on record)",
                            t->target->of->name, t->target->machine.cpu);
}

/* Bytes that stay in no cache. */
static size_t cold_bytes(const TccTuning *t) {
  const TccMachine *m = &t->target->machine;
  uint32_t cache = tcc_tune_on_device(t) ? m->l2_bytes : m->l3_bytes;
  return cache ? (size_t)cache * 3 / 2 : 48u << 20;
}

static TccStatus *tune_kernel(Run *r, const Kernel *kernel) {
  const TccTuning *t = r->tuning;
  TccIr *ir = t->ir;
  TccSchedule schedules[CANDIDATES];
  kernel->tunable->pick(kernel->read, &schedules[0]);
  TccText shape = {0}, heuristic = {0};
  kernel->tunable->shape(kernel->read, &shape);
  tcc_schedule_text(&schedules[0], &heuristic);
  TccStr name = tcc_function_name(kernel->func);
  size_t skip = 0; /* "k3_dot_general" -> "dot_general" */
  while (skip < name.length && name.data[skip++] != '_') {}
  if (skip == name.length) skip = 0;
  unsigned threads = t->options->threads ? t->options->threads : tcc_cpu_count();
  TccRecord record = {.key = tcc_record_key(ir, t->target, kernel->tunable, kernel->func, threads),
                      .sizes = tcc_tune_sizes_text(ir, r->sizes, kernel->func),
                      .name = tcc_arena_copy(ir->arena, name.data + skip, name.length - skip),
                      .shape = tcc_arena_copy(ir->arena, shape.data, shape.length),
                      .default_schedule = tcc_arena_copy(ir->arena, heuristic.data, heuristic.length)};
  tcc_text_destroy(&shape);
  tcc_text_destroy(&heuristic);
  Match m = {.run = r, .default_ms = -1, .title = tcc_arena_printf(ir->arena, "%s %s", record.name, record.shape)};
  TccCandidates candidates = {.file = -1};
  bool finished;
  TCC_TRY(tcc_records_begin(t->records, &record, &m.id, &finished));
  if (finished) return NULL;
  size_t n = 1, found = kernel->tunable->variants(kernel->read, schedules + 1, CANDIDATES - 1);
  for (size_t i = 1; i <= found; i++)
    if (!tcc_schedule_equal(&schedules[0], &schedules[i])) schedules[n++] = schedules[i];
  TCC_TRY(tcc_candidates_make(t, r->sizes, kernel->func, schedules, n, &candidates));
  m.candidates = &candidates;
  m.ratio = TCC_NEW_ARRAY(ir->arena, double, candidates.count);
  TccStatus *status = tcc_measurer_create(candidates.kernels, candidates.count, threads, cold_bytes(t), &m.measurer);
  if (!status) status = tournament(&m);
  tcc_measurer_destroy(m.measurer);
  tcc_candidates_release(&candidates);
  return tcc_status_context(status, "tuning of kernel '%.*s'", TCC_STR_ARG(name));
}

static int by_cost(const void *a, const void *b) {
  const Kernel *x = a, *y = b;
  if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

TccStatus *tcc_tune_module(const TccTuning *t) {
  TccIr *ir = t->ir;
  TCC_VEC(Kernel) kernels = {0};
  TCC_EACH_FUNCTION (func, t->module) {
    if (!tcc_has_attribute(func, "tcc.variants")) continue;
    Kernel kernel = {.func = func, .number = (int64_t)kernels.count};
    kernel.tunable = tcc_target_tunable(t->target, ir, func, &kernel.read);
    if (!kernel.tunable) continue;
    TccSchedule heuristic;
    kernel.tunable->pick(kernel.read, &heuristic);
    kernel.cost = kernel.tunable->cost(kernel.read, &heuristic);
    TCC_VEC_PUSH(ir->arena, &kernels, kernel);
  }
  if (kernels.count) TCC_TRY(check_device(t));
  if (kernels.count) qsort(kernels.data, kernels.count, sizeof *kernels.data, by_cost);
  double start = tcc_now_ms(), seconds = t->options->tune_seconds;
  Run run = {.tuning = t,
             .sizes = tcc_tune_sizes(t),
             .count = kernels.count,
             .start = start,
             .deadline = seconds > 0 ? start + seconds * 1000 : 0};
  for (; run.at < run.count && !run.out_of_time; run.at++) TCC_TRY(tune_kernel(&run, &kernels.data[run.at]));
  if (run.out_of_time && t->options->progress)
    t->options->progress("tune: out of time; the rest goes by the heuristic, and a later run goes on here", t->options->user);
  return NULL;
}
