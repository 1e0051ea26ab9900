/* gemv_schedule.c - see gemv_schedule.h.
 *
 * All candidates read the same bytes, so no model of bytes and cycles tells them apart: how many lines side by side the
 * prefetchers follow best is what is measured. The order is the distance from the heuristic. */
#include "lib/targets/x86/gemv/gemv_schedule.h"
#include "lib/targets/x86/contract/contract_schedule.h"
#include <inttypes.h>
#include <math.h>

static const char *const names[] = {"unroll", "tile", "span", "depths"};
#define SCHEDULE_NAMES {"x86.gemv", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;
enum { MOST_LINES = 8, MOST_SUMS = 1 << 18 };

/* What tiles are multiples of. */
static int64_t unit_of(const TccGemv *g, int64_t unroll) {
  int64_t unit = g->form.along_depth ? unroll : 512 / g->form.stream_bits;
  return unit < g->form.lanes ? g->form.lanes : unit;
}

static TccStatus *check(const TccGemv *g, const TccSchedule *s) {
  int64_t unroll = tcc_schedule_get(s, "unroll"), tile = tcc_schedule_get(s, "tile"), span = tcc_schedule_get(s, "span");
  int64_t depths = tcc_schedule_get(s, "depths"), unit = unit_of(g, unroll);
  if (g->form.bytes && !tcc_gemv_bytes_fit(g, unroll, depths))
    return TCC_ERROR(TCC_INVALID,
                     "unroll = %" PRId64 ", depths = %" PRId64 ": not four lines or more, or parts of the depth that are too short",
                     unroll, depths);
  if (unroll > (g->form.bytes && !g->form.along_depth ? TCC_GEMV_LINES : MOST_LINES) ||
      (g->form.along_depth && unroll * g->read.rows > g->form.type.registers * 3 / 4))
    return TCC_ERROR(TCC_INVALID, "unroll = %" PRId64 ": too many for %" PRId64 " rows", unroll, g->read.rows);
  if (tile % unit || tile > MOST_SUMS)
    return TCC_ERROR(TCC_INVALID, "tile = %" PRId64 ": not a multiple of %" PRId64 " up to %d", tile, unit, MOST_SUMS);
  if (depths > 1 && (g->form.along_depth || tile < g->read.columns || g->read.depth < depths))
    return TCC_ERROR(TCC_INVALID, "depths = %" PRId64 ": only of tiles as wide as the result, along columns", depths);
  bool all = span == tcc_round_up(g->read.columns, unit); /* one span has all columns */
  if ((span % (depths > 1 ? unit : tile) && !all) || span * g->read.rows > MOST_SUMS)
    return TCC_ERROR(TCC_INVALID, "span = %" PRId64 ": not a multiple of the tile up to %" PRId64, span, MOST_SUMS / g->read.rows);
  return NULL;
}

TccStatus *tcc_gemv_apply_schedule(TccGemv *g) {
  TccSchedule s;
  TCC_TRY(tcc_schedule_read(g->read.product.kernel, &schedule_names, &s));
  if (!s.count) return NULL;
  TCC_TRY(tcc_status_context(check(g, &s), "tcc.schedule"));
  g->plan.unroll = (int)tcc_schedule_get(&s, "unroll"), g->plan.tile = tcc_schedule_get(&s, "tile"),
  g->plan.span = tcc_schedule_get(&s, "span");
  g->plan.depths = tcc_schedule_get(&s, "depths");
  tcc_gemv_finish(g);
  return NULL;
}

static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  TccGemv *g = TCC_NEW(ir->arena, TccGemv);
  if (!tcc_gemv_read(&target->machine, ir, kernel, TCC_GEMV_ROWS, g)) return NULL;
  TccElem weight = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(g->read.product.dot, 1)));
  if (!tcc_gemv_reads_weights(g->read.rows, weight) && tcc_contract_can_pack(ir, kernel, g->read.product.dot)) return NULL;
  tcc_gemv_plan(&target->machine, g);
  return g;
}

static void set(TccSchedule *s, int64_t unroll, int64_t tile, int64_t span, int64_t depths) {
  const int64_t values[] = {unroll, tile, span, depths};
  *s = (TccSchedule){.count = schedule_names.count};
  for (size_t i = 0; i < s->count; i++) s->param[i] = (TccScheduleParam){names[i], values[i]};
}

static void pick(const void *kernel, TccSchedule *out) {
  const TccGemv *g = kernel;
  set(out, g->plan.unroll, g->plan.tile, g->plan.span, g->plan.depths);
}

static TccStatus *check_candidate(const void *kernel, const TccSchedule *s) { return check(kernel, s); }

static double bytes(const TccGemv *g) { return (double)g->read.columns * (double)g->read.depth * g->form.stream_bits / 8; }

static double cost(const void *kernel, const TccSchedule *s) {
  const TccGemv *g = kernel;
  double far = fabs(log2((double)tcc_schedule_get(s, "unroll") / g->plan.unroll)) +
               fabs(log2((double)tcc_schedule_get(s, "tile") / (double)g->plan.tile)) +
               fabs(log2((double)tcc_schedule_get(s, "span") / (double)g->plan.span)) +
               fabs(log2((double)tcc_schedule_get(s, "depths") / (double)g->plan.depths));
  return bytes(g) / 5 * (1 + 0.01 * far); /* five bytes a cycle */
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  const TccGemv *g = kernel;
  TccShortlist list = {.schedule = out, .room = room};
  for (int64_t unroll = 1; unroll <= (g->form.bytes && !g->form.along_depth ? TCC_GEMV_LINES : MOST_LINES);
       unroll += unroll < 4 ? unroll : 2)
    for (int tiles = -1; tiles <= 2; tiles++)
      for (int spans = -2; spans <= 2; spans++) {
        bool deep = g->plan.depths > 1; /* then its tiles are what varies */
        int64_t unit = unit_of(g, unroll), tile = tcc_round_up(deep        ? g->read.columns
                                                               : tiles < 0 ? g->plan.tile / 2
                                                                           : g->plan.tile << tiles,
                                                               unit);
        int64_t span = tcc_round_up(spans < 0 ? g->plan.span >> -spans : g->plan.span << spans, deep ? unit : tile);
        int64_t depths = !deep ? 1 : tiles < 0 ? g->plan.depths / 2 : g->plan.depths << tiles;
        TccSchedule s;
        if (span > tcc_round_up(g->read.columns, deep ? unit : tile)) continue;
        set(&s, unroll, tile, span, depths);
        TccStatus *wrong = check(g, &s);
        tcc_status_destroy(wrong);
        if (!wrong) tcc_shortlist_offer(&list, &s, cost(g, &s));
      }
  return list.count;
}

static void shape(const void *kernel, TccText *out) {
  const TccGemv *g = kernel;
  tcc_text_printf(out, "%" PRId64 "x%" PRId64 "x%" PRId64 " %s", g->read.rows, g->read.depth, g->read.columns,
                  tcc_elem_name(tcc_type_elem(tcc_value_type(mlirOperationGetOperand(g->read.product.dot, 1)))));
}

const TccTunable tcc_gemv_tunable = {
    .kind = TCC_KERNEL_CONTRACT,
    .names = SCHEDULE_NAMES,
    .version = TCC_GEMV_VERSION,
    .read = read,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check_candidate,
    .shape = shape,
};
