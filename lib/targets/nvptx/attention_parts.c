/* attention_parts.c - attention of few queries over many keys: blocks share the keys of one head, or group of heads.
 *
 * Flash-Decoding (Dao, Haziza, Massa, Sizov, 2023) in one launch: each block leaves for each row its results, relative to the maximum of the scores that it has
 * seen, that maximum and the sum of weights; the last one scales what all have left to the largest maximum, adds in the order of the parts and
 * divides. Keys that are dynamic are taken for many: a part without keys has a maximum of minus infinity, and counts for nothing. */
#include "lib/targets/nvptx/attention_internal.h"
#include "tcc/tunable.h"
#include <math.h>

enum {
  MANY_KEYS = 4096,
  LEAST_BLOCKS = 4, /* of keys, in a part */
  AT_ONCE = 2,      /* parts on a multiprocessor: one alone waits for memory a third of its time */
  BESIDE = 2        /* numbers of a row beside its results */
};

static TccVal add(Attention *a, TccVal x, TccVal y) { return tcc_emit_add(&a->n.e, x, y); }
static TccVal times(Attention *a, TccVal v, int64_t by) { return tcc_emit_mul(&a->n.e, v, att_i64(a, by)); }
static int64_t floats_of_block(const Attention *a) { return ATT_ROWS * (a->width + BESIDE); }

static const char *const names[] = {"parts"};
#define SCHEDULE_NAMES {"nvptx.attention", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;

static int64_t steps_of(const Attention *a) {
  int64_t keys = MANY_KEYS;
  tcc_expr_is_const(a->keys, &keys);
  return tcc_ceil_div(keys, a->key_block);
}

/* Blocks that the machine has at once. */
static int64_t places(const Attention *a, const TccMachine *machine) {
  const int64_t fit = machine->gpu.shared / a->shared;
  return machine->gpu.sms * (fit < 1 ? 1 : fit > AT_ONCE ? AT_ONCE : fit);
}

static int choose(const Attention *a, const TccMachine *machine, const TccExpr *blocks) {
  const TccExpr *steps = tcc_expr_const(a->ir->exprs, steps_of(a));
  return a->groups == 1 ? nvptx_parts_count(places(a, machine), blocks, steps, LEAST_BLOCKS) : 1;
}

static TccStatus *check_parts(const Attention *a, const TccExpr *blocks, int64_t parts) {
  int64_t known = 0;
  bool counted = tcc_expr_is_const(blocks, &known) && known <= TCC_SCRATCH_COUNTERS;
  if (parts == 1 || (a->groups == 1 && !a->by_groups && counted && parts <= NVPTX_MOST_PARTS && parts <= steps_of(a))) return NULL;
  return TCC_ERROR(
      TCC_INVALID,
      "'tcc.schedule': %lld parts: of one warp's rows alone, of a known number of blocks, %d at most, and at most %d, each "
      "with a block of %d keys",
      (long long)parts, TCC_SCRATCH_COUNTERS, NVPTX_MOST_PARTS, a->key_block);
}

TccStatus *att_plan_parts(Attention *a, const TccMachine *machine, MlirOperation kernel, const TccExpr *blocks,
                          const TccExpr **out_scratch) {
  TccSchedule schedule;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &schedule));
  int64_t parts = schedule.count ? tcc_schedule_get(&schedule, "parts") : choose(a, machine, blocks);
  TCC_TRY(check_parts(a, blocks, parts));
  a->parts.threads = a->groups * a->slices * NVPTX_WARP;
  a->parts.parts = (int)parts;
  *out_scratch = nvptx_parts_scratch(a->ir, a->parts.parts, blocks, floats_of_block(a));
  return NULL;
}

/* Results of all rows, then maxima, then sums. */
static TccVal place(Attention *a, TccVal part, TccVal at) {
  TccVal block = add(a, times(a, a->parts.group, a->parts.parts), part);
  return tcc_emit_gep(&a->n.e, "f32", a->n.scratch, add(a, times(a, block, floats_of_block(a)), at));
}

static TccVal stat_place(Attention *a, TccVal part, TccVal row, int which) {
  return place(a, part, add(a, row, att_i64(a, ATT_ROWS * (a->width + which))));
}

void att_leave(Attention *a, TccVal row, TccVal column, TccVal value) {
  tcc_emit_store(&a->n.e, "f32", value, place(a, a->parts.at, add(a, times(a, row, a->width), column)));
}

/* Four lanes have a row, in each of the warps. */
void att_leave_stats(Attention *a, const TccVal *stats) {
  TccEmit *t = &a->n.e;
  TccIf first;
  TccVal row = tcc_emit_div(t, a->lane, att_i64(a, 4)), pair = tcc_emit_rem(t, a->lane, att_i64(a, 4)), zero = att_i64(a, 0);
  tcc_emit_if(t, &first, tcc_emit_icmp(t, "eq", "i64", add(a, pair, a->slice), zero), 0, NULL);
  for (int i = 0; i < STATS; i++)
    tcc_emit_store(t, "f32", stats[i], stat_place(a, a->parts.at, add(a, row, att_i64(a, i % 2 * 8)), i / 2));
  tcc_emit_end_if(t, &first, NULL);
}

static TccVal largest_maximum(Attention *a, TccVal row) {
  TccEmit *t = &a->n.e;
  TccLoop parts;
  TccVal most = tcc_emit_float(t, "f32", -INFINITY);
  tcc_emit_for(t, &parts, att_i64(a, 0), att_i64(a, a->parts.parts), 1, 1, &most, (const char *const[]){"f32"});
  TccVal both[2] = {parts.in[0], tcc_emit_load(t, "f32", stat_place(a, parts.iv, row, 0))};
  most = tcc_emit_intrinsic(t, "maxnum", "f32", 2, both);
  tcc_emit_end_for(t, &parts, &most);
  return parts.out[0];
}

static TccVal joined(Attention *a, TccVal row, TccVal column) {
  TccEmit *t = &a->n.e;
  TccLoop parts;
  TccVal base = att_base(a, largest_maximum(a, row)), zero = tcc_emit_zero(t, "f32"), sums[2] = {zero, zero};
  tcc_emit_for(t, &parts, att_i64(a, 0), att_i64(a, a->parts.parts), 1, 2, sums, (const char *const[]){"f32", "f32"});
  TccVal most = tcc_emit_load(t, "f32", stat_place(a, parts.iv, row, 0)),
         weight = tcc_emit_load(t, "f32", stat_place(a, parts.iv, row, 1)),
         value = tcc_emit_load(t, "f32", place(a, parts.iv, add(a, times(a, row, a->width), column)));
  TccVal factor = att_exp2(a, tcc_emit_bin(t, "fsub", "f32", most, base));
  sums[0] = tcc_emit_fma(t, "f32", value, factor, parts.in[0]), sums[1] = tcc_emit_fma(t, "f32", weight, factor, parts.in[1]);
  tcc_emit_end_for(t, &parts, sums);
  TccVal all = tcc_emit_bin(t, "fdiv", "f32", parts.out[0], att_divisor(a, parts.out[1]));
  return a->zero_masked ? tcc_emit_select(t, "f32", tcc_emit_fcmp(t, "ogt", "f32", parts.out[1], zero), all, zero) : all;
}

TccStatus *att_join_parts(Attention *a) {
  TccEmit *t = &a->n.e;
  TccLoop each;
  a->parts.word = a->memory;
  nvptx_parts_begin(&a->n, &a->parts, 0, NULL);
  TccVal rows = tcc_emit_min(t, tcc_emit_sub(t, a->nrows, a->first_row), att_i64(a, ATT_ROWS));
  tcc_emit_for(t, &each, a->n.thread, times(a, rows, a->width), a->parts.threads, 0, NULL, NULL);
  TccVal row = tcc_emit_div(t, each.iv, att_i64(a, a->width)), column = tcc_emit_rem(t, each.iv, att_i64(a, a->width));
  TCC_TRY(att_write(a, add(a, a->first_row, row), column, joined(a, row, column)));
  tcc_emit_end_for(t, &each, NULL);
  nvptx_parts_end(&a->n, &a->parts);
  return NULL;
}

/* ---- schedules ---- */
typedef struct {
  const Attention *attention;
  const TccMachine *machine;
} Tuned;

/* Where something can be chosen. */
static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  Tuned *out = TCC_NEW(ir->arena, Tuned);
  Attention *a = att_read(target, ir, kernel);
  if (!a) return NULL;
  TccStatus *status = check_parts(a, a->tiles.all, 2);
  bool ok = !status;
  tcc_status_destroy(status);
  *out = (Tuned){a, &target->machine};
  return ok ? out : NULL;
}

static TccSchedule schedule_of(int64_t parts) { return (TccSchedule){.count = 1, .param = {{names[0], parts}}}; }

static void pick(const void *kernel, TccSchedule *out) {
  const Tuned *t = kernel;
  *out = schedule_of(choose(t->attention, t->machine, t->attention->tiles.all));
}

static TccStatus *check(const void *kernel, const TccSchedule *schedule) {
  const Attention *a = ((const Tuned *)kernel)->attention;
  return check_parts(a, a->tiles.all, tcc_schedule_get(schedule, "parts"));
}

/* Waves of blocks, in blocks of keys; parts are joined for about a block of keys each eight. */
static double cost(const void *kernel, const TccSchedule *schedule) {
  const Tuned *t = kernel;
  int64_t parts = tcc_schedule_get(schedule, "parts"), blocks = 1;
  tcc_expr_is_const(t->attention->tiles.all, &blocks);
  int64_t waves = tcc_ceil_div(blocks * parts, places(t->attention, t->machine));
  return (double)(waves * tcc_ceil_div(steps_of(t->attention), parts)) + (parts > 1 ? 1 + (double)parts / 8 : 0);
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  TccShortlist list = {.schedule = out, .room = room};
  for (int parts = 1; parts <= NVPTX_MOST_PARTS; parts = nvptx_parts_next(parts)) {
    TccSchedule schedule = schedule_of(parts);
    TccStatus *status = check(kernel, &schedule);
    if (!status) tcc_shortlist_offer(&list, &schedule, cost(kernel, &schedule));
    tcc_status_destroy(status);
  }
  return list.count;
}

static void shape(const void *kernel, TccText *out) {
  const Attention *a = ((const Tuned *)kernel)->attention;
  int64_t keys = 0, blocks = 1;
  tcc_expr_is_const(a->tiles.all, &blocks);
  tcc_text_printf(out, "%lld blocks, ", (long long)blocks);
  if (tcc_expr_is_const(a->keys, &keys)) tcc_text_printf(out, "%lld keys", (long long)keys);
  else tcc_text_printf(out, "? keys");
  tcc_text_printf(out, " %s", tcc_elem_name(a->elem));
}

const TccTunable nvptx_attention_tunable = {
    .kind = TCC_KERNEL_ATTENTION,
    .names = SCHEDULE_NAMES,
    .version = 1,
    .read = read,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check,
    .shape = shape,
};
