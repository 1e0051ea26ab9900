/* product_ring_shape.c - the squares of products by a ring of tiles (product_ring.h): how large, and how many blocks share the depth of one. */
#include "lib/targets/nvptx/parts.h"
#include "lib/targets/nvptx/product_ring.h"
#include "lib/targets/nvptx/product_schedule.h"

enum { LEAST_STEPS = 16 /* of a part: it reads eight times as much as it leaves and the last one reads */ };
enum { MANY = 4096 /* taken for rows, columns and depths that are not known */ };

const char *const nvptx_ring_names[] = {"side", "parts"};
static const TccScheduleNames ring_names = NVPTX_RING_NAMES;

static int64_t likely(const TccExpr *e, int64_t unknown) {
  tcc_expr_is_const(e, &unknown);
  return unknown > 0 ? unknown : 1;
}

bool nvptx_ring_is_large(const TccMachine *machine, const NvptxProduct *p) {
  enum { LARGE = NVPTX_RING_LARGE, SMALL = NVPTX_RING_SMALL };
  int64_t rows = likely(p->rows, MANY), columns = likely(p->columns, MANY), batch = likely(p->batch, 1);
  int64_t blocks = batch * tcc_ceil_div(rows, LARGE) * tcc_ceil_div(columns, LARGE);
  return rows > SMALL && columns > SMALL && blocks >= (int64_t)machine->gpu.sms;
}

const TccExpr *nvptx_ring_squares(TccIr *ir, const NvptxProduct *p, int side) {
  const TccExpr *across = nvptx_blocks(ir, p->columns, side);
  return tcc_expr_mul(ir->exprs, p->batch, tcc_expr_mul(ir->exprs, nvptx_blocks(ir, p->rows, side), across));
}

static const TccExpr *steps_of(TccIr *ir, const NvptxProduct *p) {
  return nvptx_blocks(ir, p->depth, NVPTX_TILE_BYTES * 8 / tcc_elem_bits(p->elem));
}

static void choose(const TccMachine *machine, TccIr *ir, NvptxProduct *p) {
  p->side = nvptx_ring_is_large(machine, p) ? NVPTX_RING_LARGE : NVPTX_RING_SMALL;
  p->parts = nvptx_parts_count(machine->gpu.sms, nvptx_ring_squares(ir, p, p->side), steps_of(ir, p), LEAST_STEPS);
}

/* Parts need counters, and each of them a step of its own. */
static TccStatus *apply(TccIr *ir, const TccSchedule *schedule, NvptxProduct *p) {
  int64_t side = tcc_schedule_get(schedule, "side"), parts = tcc_schedule_get(schedule, "parts"), squares = 0, steps = 0;
  if (side != NVPTX_RING_SMALL && side != NVPTX_RING_LARGE)
    return TCC_ERROR(TCC_INVALID, "'tcc.schedule': a side is %d or %d", NVPTX_RING_SMALL, NVPTX_RING_LARGE);
  bool known = tcc_expr_is_const(nvptx_ring_squares(ir, p, (int)side), &squares) && tcc_expr_is_const(steps_of(ir, p), &steps);
  if (parts > 1 &&
      (!known || squares > TCC_SCRATCH_COUNTERS || parts > NVPTX_MOST_PARTS || (parts - 1) * tcc_ceil_div(steps, parts) >= steps))
    return TCC_ERROR(
        TCC_INVALID,
        "'tcc.schedule': %lld parts: sizes must be known, squares be %d at most, and each of %d parts at most have steps",
        (long long)parts, TCC_SCRATCH_COUNTERS, NVPTX_MOST_PARTS);
  p->side = (int)side, p->parts = (int)parts;
  return NULL;
}

TccStatus *nvptx_ring_choose(const TccMachine *machine, TccIr *ir, MlirOperation kernel, NvptxProduct *p,
                             const TccExpr **out_scratch) {
  TccSchedule schedule;
  TCC_TRY(tcc_schedule_read(kernel, &ring_names, &schedule));
  choose(machine, ir, p);
  if (schedule.count) TCC_TRY(apply(ir, &schedule, p));
  *out_scratch = nvptx_parts_scratch(ir, p->parts, nvptx_ring_squares(ir, p, p->side), (int64_t)p->side * p->side);
  return NULL;
}

/* ---- schedules ---- */
static TccSchedule schedule_of(int side, int parts) {
  return (TccSchedule){.count = 2, .param = {{nvptx_ring_names[0], side}, {nvptx_ring_names[1], parts}}};
}

void nvptx_ring_pick(const void *kernel, TccSchedule *out) {
  const NvptxTuned *t = kernel;
  NvptxProduct p = *t->product;
  choose(t->machine, t->ir, &p);
  *out = schedule_of(p.side, p.parts);
}

TccStatus *nvptx_ring_check(const void *kernel, const TccSchedule *schedule) {
  const NvptxTuned *t = kernel;
  NvptxProduct p = *t->product;
  return apply(t->ir, schedule, &p);
}

/* Waves of blocks, in steps of a small square; what parts leave is written once and read once, by the last of them alone. */
double nvptx_ring_cost(const void *kernel, const TccSchedule *schedule) {
  enum { AT_ONCE = 2 /* blocks of a multiprocessor */ };
  const NvptxTuned *t = kernel;
  const NvptxProduct *p = t->product;
  int side = (int)tcc_schedule_get(schedule, "side");
  int64_t parts = tcc_schedule_get(schedule, "parts"), squares = likely(nvptx_ring_squares(t->ir, p, side), 0),
          steps = tcc_ceil_div(likely(steps_of(t->ir, p), MANY / 32), parts);
  if (squares == 1) squares = tcc_ceil_div(likely(p->rows, MANY), side) * tcc_ceil_div(likely(p->columns, MANY), side);
  int64_t waves = tcc_ceil_div(squares * parts, (int64_t)t->machine->gpu.sms * AT_ONCE);
  double of_square = side == NVPTX_RING_LARGE ? 3 : 1; /* it reads half as much for each result */
  return of_square * (double)waves * ((double)steps + (parts > 1 ? 2 + (double)parts / 8 : 0));
}

size_t nvptx_ring_variants(const void *kernel, TccSchedule *out, size_t room) {
  TccShortlist list = {.schedule = out, .room = room};
  for (int side = NVPTX_RING_SMALL; side <= NVPTX_RING_LARGE; side *= 2)
    for (int parts = 1; parts <= NVPTX_MOST_PARTS; parts = nvptx_parts_next(parts)) {
      TccSchedule schedule = schedule_of(side, parts);
      TccStatus *status = nvptx_ring_check(kernel, &schedule);
      if (!status) tcc_shortlist_offer(&list, &schedule, nvptx_ring_cost(kernel, &schedule));
      tcc_status_destroy(status);
    }
  return list.count;
}
