/* product_tma_shape.c - which products have their operands copied by tensor maps, and how large their tiles are (product_tma.h). */
#include "lib/targets/nvptx/product_tma.h"
#include "tcc/schedule.h"

enum { UNKNOWN = 4096, TILES_AT_ONCE = 16, LEAST_STEPS = 4 /* of a part */ };

static const char *const names[] = {"groups", "columns", "stages", "cluster", "band", "parts"};
static const TccScheduleNames tma_names = {"nvptx.contract", sizeof names / sizeof *names, names};

static int64_t likely(const TccExpr *e) {
  int64_t v = UNKNOWN;
  tcc_expr_is_const(e, &v);
  return v > 0 ? v : 1;
}

/* What waves of tiles cost, in columns of a warpgroup times 100. Narrow tiles read more of shared memory for each product. */
static int64_t cost(const TccMachine *machine, const NvptxProduct *p, int groups, int columns) {
  int64_t rows = tcc_ceil_div(likely(p->rows), NVPTX_GROUP_ROWS * groups), tiles = rows * tcc_ceil_div(likely(p->columns), columns);
  int64_t waves = tcc_ceil_div(tiles * (tcc_expr_is_const(p->batch, NULL) ? likely(p->batch) : 1), machine->gpu.sms);
  return waves * columns * (columns == 256 ? 100 : columns == 128 ? 110 : 140);
}

/* Two blocks share columns where that wastes little of the rows. */
static int cluster_of(const NvptxProduct *p, int groups, int columns) {
  int64_t rows = 0;
  if (!tcc_expr_is_const(p->rows, &rows) || groups < 2 || columns < 128) return 1;
  int64_t tiles = tcc_ceil_div(rows, NVPTX_GROUP_ROWS * groups);
  return tiles >= 2 && (tiles % 2 == 0 || tiles >= 9) ? 2 : 1;
}

/* Cycles of a block that has one tile, or a part of it, to itself: steps come from the second cache, 32 bytes a cycle when all multiprocessors ask, or
 * take as long as tensor cores multiply (1024 numbers a cycle). Parts are written, counted and read again by the last block. */
static int64_t cycles(const NvptxProduct *p, const NvptxTmaShape *s, int64_t steps) {
  enum { BYTES = 32, MULTIPLIED = 2048, JOIN = 1500 };
  int64_t rows = (int64_t)NVPTX_GROUP_ROWS * s->groups, present = likely(p->rows) < rows ? likely(p->rows) : rows;
  int64_t copied = (present + s->columns) * NVPTX_TMA_ROW_BYTES / BYTES,
          multiplied = rows * s->columns * NVPTX_TMA_DEPTH / MULTIPLIED;
  int64_t each = tcc_ceil_div(steps, s->parts) * (copied > multiplied ? copied : multiplied);
  return each + (s->parts > 1 ? JOIN + s->parts * rows * s->columns * 4 / BYTES : 0);
}

/* Where tiles leave half of the multiprocessors idle: smaller ones, and several blocks for the depth of one. */
static void spread(const TccMachine *machine, const NvptxProduct *p, NvptxTmaShape *s) {
  int64_t depth, tiles = nvptx_tiles_known(p, s), sms = machine->gpu.sms;
  if (!tiles || 2 * tiles > sms || !tcc_expr_is_const(p->depth, &depth)) return;
  int64_t steps = tcc_ceil_div(depth, NVPTX_TMA_DEPTH), least = cycles(p, s, steps);
  NvptxTmaShape c = *s;
  for (c.groups = 1; c.groups <= 2; c.groups++)
    for (c.columns = 64; c.columns <= 128; c.columns *= 2) {
      tiles = nvptx_tiles_known(p, &c);
      for (c.parts = 1; tiles * c.parts <= sms && c.parts <= NVPTX_MOST_PARTS; c.parts++) {
        if (c.parts > 1 && c.parts * LEAST_STEPS > steps) break;
        int64_t taken = cycles(p, &c, steps);
        if (taken >= least) continue;
        least = taken, *s = c;
        s->cluster = 1;
      }
    }
}

static int stages_of(const TccMachine *machine, NvptxTmaShape s) {
  enum { MOST = 6 };
  for (s.stages = MOST; s.stages > 1 && nvptx_tiles_shared(&s, NVPTX_TMA_ROW_BYTES, 0) > (int)machine->gpu.block_shared;)
    s.stages--;
  return s.stages;
}

static NvptxTmaShape choose(const TccMachine *machine, const NvptxProduct *p) {
  int groups = likely(p->rows) <= NVPTX_GROUP_ROWS ? 1 : 2, columns = NVPTX_TILES_MOST_COLUMNS;
  for (int narrower = columns / 2; narrower >= 64; narrower /= 2)
    if (cost(machine, p, groups, narrower) < cost(machine, p, groups, columns)) columns = narrower;
  NvptxTmaShape s = {.groups = groups, .columns = columns, .cluster = cluster_of(p, groups, columns), .parts = 1};
  spread(machine, p, &s);
  s.stages = stages_of(machine, s);
  s.band = s.columns == 256 ? TILES_AT_ONCE / s.cluster : TILES_AT_ONCE / 2 / s.cluster;
  return s;
}

static TccStatus *apply(const TccMachine *machine, const NvptxProduct *p, const TccSchedule *schedule, NvptxTmaShape *out) {
  int64_t v[sizeof names / sizeof *names], depth;
  for (size_t i = 0; i < tma_names.count; i++) {
    v[i] = schedule->param[i].value;
    if (v[i] > NVPTX_TILES_MOST_COLUMNS)
      return TCC_ERROR(TCC_INVALID, "'tcc.schedule': %s = %lld", tma_names.name[i], (long long)v[i]);
  }
  *out = (NvptxTmaShape){(int)v[0], (int)v[1], (int)v[2], (int)v[3], (int)v[4], (int)v[5]};
  bool widths = out->columns == 64 || out->columns == 128 || out->columns == 256;
  if (out->groups > 2 || !widths || out->stages < 2 || out->cluster > 2 || out->columns / out->cluster < 64)
    return TCC_ERROR(TCC_INVALID,
                     "'tcc.schedule': groups and cluster are 1 or 2, columns 64, 128 or 256 and 64 for each of a cluster, "
                     "stages 2 or more");
  int64_t tiles = nvptx_tiles_known(p, out);
  if (out->parts > 1 && (!tiles || tiles > TCC_SCRATCH_COUNTERS || out->cluster > 1 || out->parts > NVPTX_MOST_PARTS ||
                         !tcc_expr_is_const(p->depth, &depth) || out->parts > tcc_ceil_div(depth, NVPTX_TMA_DEPTH)))
    return TCC_ERROR(
        TCC_INVALID,
        "'tcc.schedule': parts are at most %d and at most steps of the depth, of at most %d tiles, without a cluster, of a "
        "product whose sizes are known",
        NVPTX_MOST_PARTS, TCC_SCRATCH_COUNTERS);
  if (nvptx_tiles_shared(out, NVPTX_TMA_ROW_BYTES, 0) > (int)machine->gpu.block_shared)
    return TCC_ERROR(TCC_INVALID, "'tcc.schedule': %d bytes of shared memory, %s has %u for a block",
                     nvptx_tiles_shared(out, NVPTX_TMA_ROW_BYTES, 0), machine->cpu, machine->gpu.block_shared);
  return NULL;
}

static bool fits(const TccMachine *machine, const NvptxProduct *p) {
  bool half = p->elem == TCC_ELEM_F16 || p->elem == TCC_ELEM_BF16, tensors = p->tensor[0].map.rank && p->tensor[1].map.rank;
  return tcc_isa_gpu_chip(machine->isa) == 90 && tcc_isa_gpu_alone(machine->isa) && p->acc == TCC_ELEM_F32 && half && tensors &&
         !nvptx_product_few_fits(p);
}

TccStatus *nvptx_product_tma_maps(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p, TccTensorMap *out,
                                  int *out_count) {
  TccSchedule schedule;
  *out_count = 0;
  if (nvptx_product_split_fits(machine, p)) return nvptx_product_split_choose(machine, kernel, p);
  TCC_TRY(tcc_schedule_read(kernel, &tma_names, &schedule));
  if (!fits(machine, p))
    return schedule.count ? TCC_ERROR(TCC_INVALID, "'tcc.schedule' of a product whose operands no tensor maps copy") : NULL;
  p->shape = choose(machine, p);
  if (schedule.count) TCC_TRY(apply(machine, p, &schedule, &p->shape));
  for (int side = 0; side < 2; side++) {
    TccTensorMap *map = &p->tensor[side].map;
    int rows = side ? p->shape.columns / p->shape.cluster : NVPTX_GROUP_ROWS * p->shape.groups;
    out[side] = *map = nvptx_tensor_boxes(&p->tensor[side], p->along_depth[side] ? rows : NVPTX_TMA_DEPTH);
  }
  *out_count = 2;
  return NULL;
}
