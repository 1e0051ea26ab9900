/* map_schedule.c - see map_schedule.h.
 *
 * A body of few instructions that depend on each other (an exponential, a conversion to bytes) leaves units idle which the
 * processor fills from the next iteration of the loop only as far as its window reaches; with several vectors in an iteration they stand
 * side by side. How many are worth their registers is not what a model of cycles can say: candidates are few and measured. */
#include "lib/targets/x86/map/map_schedule.h"
#include <inttypes.h>

static const char *const names[] = {"vectors"};
#define SCHEDULE_NAMES {"x86.map", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;

static TccStatus *check(const void *kernel, const TccSchedule *s) {
  (void)kernel;
  int64_t vectors = tcc_schedule_get(s, "vectors");
  if (vectors > TCC_MAP_MOST_VECTORS)
    return TCC_ERROR(TCC_INVALID, "vectors = %" PRId64 ": there are at most %d", vectors, TCC_MAP_MOST_VECTORS);
  return NULL;
}

TccStatus *tcc_map_apply_schedule(MlirOperation kernel, int *out_vectors) {
  TccSchedule s;
  *out_vectors = 0;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &s));
  if (!s.count) return NULL;
  TCC_TRY(tcc_status_context(check(NULL, &s), "tcc.schedule"));
  *out_vectors = (int)tcc_schedule_get(&s, "vectors");
  return NULL;
}

static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  TccMapWork *work = TCC_NEW(ir->arena, TccMapWork);
  return tcc_map_work(target, ir, kernel, work) ? work : NULL;
}

static void set(TccSchedule *s, int64_t vectors) { *s = (TccSchedule){.count = 1, .param = {{names[0], vectors}}}; }

static void pick(const void *kernel, TccSchedule *out) { set(out, ((const TccMapWork *)kernel)->vectors); }

static double cost(const void *kernel, const TccSchedule *s) {
  const TccMapWork *work = kernel;
  double away = (double)tcc_schedule_get(s, "vectors") / work->vectors;
  return (double)(work->elements < 0 ? 65536 : work->elements) * (double)work->nodes / 16 *
         (1 + 0.01 * (away < 1 ? 1 / away : away));
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  TccShortlist list = {.schedule = out, .room = room};
  for (int64_t vectors = 1; vectors <= TCC_MAP_MOST_VECTORS; vectors *= 2) {
    TccSchedule s;
    set(&s, vectors);
    tcc_shortlist_offer(&list, &s, cost(kernel, &s));
  }
  return list.count;
}

static void shape(const void *kernel, TccText *out) {
  const TccMapWork *work = kernel;
  tcc_text_printf(out, "%" PRId64 " elements, %zu nodes", work->elements, work->nodes);
}

const TccTunable tcc_map_tunable = {
    .kind = TCC_KERNEL_MAP,
    .names = SCHEDULE_NAMES,
    .version = 1,
    .read = read,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check,
    .shape = shape,
};
