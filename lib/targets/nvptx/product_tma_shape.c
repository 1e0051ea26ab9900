/* product_tma_shape.c - which products have their operands copied by tensor maps, and how large their tiles are (product_tma.h). */
#include "lib/targets/nvptx/product_tma.h"
#include "tcc/schedule.h"

enum { UNKNOWN = 4096, TILES_AT_ONCE = 16 };

static const char *const names[] = {"groups", "columns", "stages", "cluster", "band"};
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
  NvptxTmaShape s = {.groups = groups, .columns = columns, .cluster = cluster_of(p, groups, columns)};
  s.stages = stages_of(machine, s);
  s.band = columns == 256 ? TILES_AT_ONCE / s.cluster : TILES_AT_ONCE / 2 / s.cluster;
  return s;
}

static TccStatus *apply(const TccMachine *machine, const TccSchedule *schedule, NvptxTmaShape *out) {
  int64_t v[5];
  for (size_t i = 0; i < tma_names.count; i++) {
    v[i] = schedule->param[i].value;
    if (v[i] > NVPTX_TILES_MOST_COLUMNS)
      return TCC_ERROR(TCC_INVALID, "'tcc.schedule': %s = %lld", tma_names.name[i], (long long)v[i]);
  }
  *out = (NvptxTmaShape){(int)v[0], (int)v[1], (int)v[2], (int)v[3], (int)v[4]};
  bool widths = out->columns == 64 || out->columns == 128 || out->columns == 256;
  if (out->groups > 2 || !widths || out->stages < 2 || out->cluster > 2 || out->columns / out->cluster < 64)
    return TCC_ERROR(TCC_INVALID,
                     "'tcc.schedule': groups and cluster are 1 or 2, columns 64, 128 or 256 and 64 for each of a cluster, "
                     "stages 2 or more");
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
  if (schedule.count) TCC_TRY(apply(machine, &schedule, &p->shape));
  for (int side = 0; side < 2; side++) {
    TccTensorMap *map = &p->tensor[side].map;
    int rows = side ? p->shape.columns / p->shape.cluster : NVPTX_GROUP_ROWS * p->shape.groups;
    out[side] = *map = nvptx_tensor_boxes(&p->tensor[side], p->along_depth[side] ? rows : NVPTX_TMA_DEPTH);
  }
  *out_count = 2;
  return NULL;
}
