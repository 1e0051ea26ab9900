/* product_few_shape.c - how threads share a product of few rows (product_few.c), by heuristic or by schedule. */
#include "lib/targets/nvptx/product_schedule.h"
#include "lib/targets/nvptx/tile.h"

enum { WARPS = NVPTX_FEW_WARPS, MOST_EACH = 4, AT_ONCE = 8, MANY = 4096, SECTOR = 32 /* bytes */, WIDE_LANES = 8 };

const char *const nvptx_few_names[] = {"columns", "slices", "reads"};
static const TccScheduleNames few_names = NVPTX_FEW_NAMES;

static int64_t likely(const TccExpr *e) {
  int64_t v = MANY;
  tcc_expr_is_const(e, &v);
  return v > 0 ? v : 1;
}

static int rows_of(const NvptxProduct *p) { return (int)likely(p->rows); }

static int64_t blocks_of(const NvptxProduct *p, const NvptxFewShape *s) {
  return likely(p->batch) * tcc_ceil_div(likely(p->columns), s->columns);
}

/* Elements of a right operand that is computed; where more than eight, along the depth, they give each lane of a warp some, and of all rows no more than 32 are
 * held at once. */
static int computed_run(const NvptxProduct *p, bool along) {
  enum { HELD = 32 };
  int run = p->run[1] > 1 ? p->run[1] : 1;
  while (run > NVPTX_MOST_RUN && (!along || run * rows_of(p) > HELD || likely(p->depth) < (int64_t)run * NVPTX_WARP)) run /= 2;
  return run;
}

/* Along the depth 16 of either operand; else four of the depth by as many columns as have 8 bytes, which are turned in registers. One by one where memory has no such. */
static NvptxFewShape common_of_bytes(const NvptxProduct *p, NvptxFewShape s, bool pieces) {
  enum { ACROSS = 8, DEEP = 4 };
  bool left = p->pieces[0] && p->along_depth[0];
  s.per = 1;
  if (pieces && s.along) s.per = NVPTX_PIECE, s.left = left ? NVPTX_PIECE : 1;
  else if (pieces && tcc_expr_multiple_of(p->depth) % DEEP == 0) s.per = ACROSS, s.deep = DEEP, s.left = left ? DEEP : 1;
  return s;
}

/* What memory decides: who follows what, and how much is read at once. */
static NvptxFewShape common(const NvptxProduct *p) {
  int piece = NVPTX_PIECE * 8 / (int)tcc_elem_bits(p->elem);
  NvptxFewShape s = {.along = p->along_depth[1], .left = 1, .deep = 1};
  bool pieces = p->pieces[1] && tcc_expr_multiple_of(s.along ? p->depth : p->columns) % piece == 0;
  if (nvptx_product_is_bytes(p)) return common_of_bytes(p, s, pieces);
  s.per = pieces ? piece : computed_run(p, s.along);
  if (s.along && s.per >= piece && p->pieces[0] && p->along_depth[0]) s.left = piece;
  return s;
}

int nvptx_few_bits(const NvptxProduct *p) { return p->pieces[1] ? (int)tcc_elem_bits(p->elem) : p->stored_bits; }

/* Whether a block reads whole sectors where columns lie side by side. */
static bool sectors(const NvptxProduct *p, const NvptxFewShape *s) {
  return s->columns / (p->dual ? 2 : 1) * nvptx_few_bits(p) / 8 >= SECTOR;
}

/* The rest of what columns of a block and slices say; false: they do not go together. */
static bool finish(const NvptxProduct *p, NvptxFewShape *s) {
  int turn = s->columns / 2; /* of either right operand of a dual product */
  if (p->dual && (turn < (s->along ? 1 : s->per) || NVPTX_DUAL_COLUMNS % turn)) return false;
  if (s->along) {
    s->lanes = 1, s->each = s->columns * s->slices / WARPS, s->step = s->slices * NVPTX_WARP * s->per;
    return s->slices <= WARPS && (s->slices & (s->slices - 1)) == 0 && s->each * WARPS == s->columns * s->slices &&
           (s->each == 1 || s->each == 2 || s->each == MOST_EACH);
  }
  s->each = s->per, s->lanes = s->columns / s->per;
  if (s->slices != WARPS || s->lanes < 1 || s->lanes > NVPTX_WARP || s->lanes & (s->lanes - 1) || s->lanes * s->per != s->columns)
    return false;
  s->step = WARPS * NVPTX_WARP / s->lanes * s->deep;
  return sectors(p, s);
}

/* Registers that sums and what is on its way take of a thread. */
static int registers_of(const NvptxProduct *p, const NvptxFewShape *s) {
  int held = s->reads * (s->along ? s->each : 1) * (s->per > 1 ? NVPTX_PIECE / 4 : 1);
  int per = s->per < NVPTX_MOST_RUN ? s->per : NVPTX_MOST_RUN;
  return rows_of(p) * s->each + held + 2 * per * (s->along ? s->each : 1);
}

/* Columns of a thread where lanes follow the depth, at most: a right operand that is computed has sums of the block of a factor beside those of all. */
static int most_each(const NvptxProduct *p) { return p->run[1] > 1 && rows_of(p) > MOST_EACH ? MOST_EACH / 2 : MOST_EACH; }

/* The same, at least: what is read of the left operand for them is no more than what is read of the right one, whose elements may
 * be narrower. */
static int least_each(const NvptxProduct *p) {
  int wide = (int)tcc_elem_bits(p->elem) / nvptx_few_bits(p);
  return wide < 1 ? 1 : wide > most_each(p) ? most_each(p) : wide;
}

static NvptxFewShape choose(const TccMachine *machine, const NvptxProduct *p) {
  NvptxFewShape s = common(p);
  s.slices = s.along ? 1 : WARPS;
  int reads = rows_of(p) > 2 ? AT_ONCE / 2 : AT_ONCE; /* registers hold sums of all rows */
  if (s.along) {
    int each = most_each(p), least = least_each(p);
    for (; each > least; each /= 2) {
      s.columns = each * WARPS;
      if (blocks_of(p, &s) >= machine->gpu.sms) break;
    }
    for (;; s.slices *= 2) {
      s.columns = each * WARPS / s.slices;
      if (s.slices == WARPS || (p->dual && s.columns == 2) || blocks_of(p, &s) >= machine->gpu.sms) break;
    }
    int steps = reads / each * NVPTX_MOST_RUN / (s.per < NVPTX_MOST_RUN ? NVPTX_MOST_RUN : s.per);
    s.reads = steps < 1 ? 1 : steps;
  } else {
    for (int lanes = s.per > 1 ? WIDE_LANES : NVPTX_WARP;; lanes /= 2) {
      s.columns = s.per * lanes;
      NvptxFewShape half = s;
      half.columns /= 2;
      if (!sectors(p, &half) || blocks_of(p, &s) >= machine->gpu.sms) break;
    }
    s.reads = reads;
  }
  finish(p, &s);
  return s;
}

static TccStatus *apply(const NvptxProduct *p, const TccSchedule *schedule, NvptxFewShape *out) {
  enum { MOST_COLUMNS = 256, MOST_REGISTERS = 160 };
  int64_t columns = tcc_schedule_get(schedule, "columns"), slices = tcc_schedule_get(schedule, "slices"),
          reads = tcc_schedule_get(schedule, "reads");
  *out = common(p);
  bool fits = columns <= MOST_COLUMNS && slices <= WARPS && reads <= AT_ONCE;
  if (fits) out->columns = (int)columns, out->slices = (int)slices, out->reads = (int)reads;
  if (!fits || !finish(p, out))
    return TCC_ERROR(
        TCC_INVALID,
        "'tcc.schedule': of few rows reads are 8 at most, columns times slices 8, 16 or 32 where the depth lies side by "
        "side, else slices are 8 and columns %d times 1, 2, 4, 8, 16 or 32, 32 bytes at least",
        out->per);
  if (registers_of(p, out) > MOST_REGISTERS)
    return TCC_ERROR(TCC_INVALID, "'tcc.schedule': %d registers of a thread for sums and reads, %d are left", registers_of(p, out),
                     MOST_REGISTERS);
  return NULL;
}

TccStatus *nvptx_few_choose(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p) {
  TccSchedule schedule;
  TCC_TRY(tcc_schedule_read(kernel, &few_names, &schedule));
  p->few = choose(machine, p);
  if (schedule.count) TCC_TRY(apply(p, &schedule, &p->few));
  p->turn = p->few.columns / 2;
  return NULL;
}

/* ---- schedules ---- */
static TccSchedule schedule_of(const NvptxFewShape *s) {
  return (TccSchedule){
      .count = 3, .param = {{nvptx_few_names[0], s->columns}, {nvptx_few_names[1], s->slices}, {nvptx_few_names[2], s->reads}}};
}

void nvptx_few_pick(const void *kernel, TccSchedule *out) {
  const NvptxTuned *t = kernel;
  NvptxFewShape s = choose(t->machine, t->product);
  *out = schedule_of(&s);
}

TccStatus *nvptx_few_check(const void *kernel, const TccSchedule *schedule) {
  NvptxFewShape s;
  return apply(((const NvptxTuned *)kernel)->product, schedule, &s);
}

/* Bytes of the right operand by what the machine has at once; blocks that share its multiprocessors unevenly, few reads on their way, and what slices
 * leave in shared memory make it longer. */
double nvptx_few_cost(const void *kernel, const TccSchedule *schedule) {
  const NvptxTuned *t = kernel;
  const NvptxProduct *p = t->product;
  NvptxFewShape s = common(p);
  s.columns = (int)tcc_schedule_get(schedule, "columns"), s.slices = (int)tcc_schedule_get(schedule, "slices");
  s.reads = (int)tcc_schedule_get(schedule, "reads");
  finish(p, &s);
  int resident = (int)(t->machine->gpu.registers / (NVPTX_FEW_WARPS * NVPTX_WARP) / (registers_of(p, &s) + NVPTX_WARP));
  int64_t at_once = (int64_t)t->machine->gpu.sms * (resident < 1 ? 1 : resident > 8 ? 8 : resident), blocks = blocks_of(p, &s);
  double waves = (double)(tcc_ceil_div(blocks, at_once) * at_once) / (double)blocks, flight = s.reads * (s.along ? s.each : 1);
  double bytes = (double)likely(p->columns) * (double)likely(p->depth) * nvptx_few_bits(p) / 8;
  return bytes * (1 + 0.1 * (waves - 1)) * (1 + 0.5 / flight) * (1 + 0.01 * s.slices);
}

size_t nvptx_few_variants(const void *kernel, TccSchedule *out, size_t room) {
  const NvptxTuned *t = kernel;
  TccShortlist list = {.schedule = out, .room = room};
  NvptxFewShape s = common(t->product);
  for (s.columns = 1; s.columns <= NVPTX_WARP * s.per || s.columns <= MOST_EACH * WARPS; s.columns *= 2)
    for (s.slices = 1; s.slices <= WARPS; s.slices *= 2)
      for (s.reads = 1; s.reads <= AT_ONCE; s.reads *= 2) {
        TccSchedule schedule = schedule_of(&s);
        TccStatus *status = nvptx_few_check(kernel, &schedule);
        if (!status) tcc_shortlist_offer(&list, &schedule, nvptx_few_cost(kernel, &schedule));
        tcc_status_destroy(status);
      }
  return list.count;
}
