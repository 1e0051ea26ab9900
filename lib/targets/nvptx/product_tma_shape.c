/* product_tma_shape.c - which products have their operands copied by tensor maps, and how large their tiles are (product_tma.h). */
#include "lib/targets/nvptx/product_schedule.h"
#include "lib/targets/nvptx/product_tma.h"

enum { UNKNOWN = 4096, TILES_AT_ONCE = 16, MOST_STAGES = 6, LEAST_STEPS = 4 /* of a part */ };

const char *const nvptx_tma_names[] = {"groups", "columns", "stages", "cluster", "band", "parts"};
static const TccScheduleNames tma_names = NVPTX_TMA_NAMES;

static int64_t likely(const TccExpr *e) {
  int64_t v = UNKNOWN;
  tcc_expr_is_const(e, &v);
  return v > 0 ? v : 1;
}

/* Boxes of columns that lie side by side are 64 wide, and either operand of a dual product has its own. */
static int least_columns(const NvptxProduct *p) {
  return p->dual && !p->along_depth[1] ? 2 * NVPTX_BOX_COLUMNS : NVPTX_BOX_COLUMNS;
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
 * take as long as tensor cores multiply (2048 pairs a cycle, of bytes twice as many). Parts are written, counted and read again by the last block. */
static int64_t cycles(const NvptxProduct *p, const NvptxTmaShape *s, int64_t steps) {
  enum { BYTES = 32, MULTIPLIED = 2048, JOIN = 1500 };
  int64_t rows = (int64_t)NVPTX_GROUP_ROWS * s->groups, present = likely(p->rows) < rows ? likely(p->rows) : rows;
  int64_t copied = (present + s->columns) * NVPTX_TMA_ROW_BYTES / BYTES,
          multiplied = rows * s->columns * (NVPTX_TMA_ROW_BYTES / 2) / MULTIPLIED;
  int64_t each = tcc_ceil_div(steps, s->parts) * (copied > multiplied ? copied : multiplied);
  return each + (s->parts > 1 ? JOIN + s->parts * rows * s->columns * 4 / BYTES : 0);
}

/* Where tiles leave half of the multiprocessors idle: smaller ones, and several blocks for the depth of one. */
static void spread(const TccMachine *machine, const NvptxProduct *p, NvptxTmaShape *s) {
  int64_t depth, tiles = nvptx_tiles_known(p, s), sms = machine->gpu.sms;
  if (!tiles || 2 * tiles > sms || !tcc_expr_is_const(p->depth, &depth)) return;
  int64_t steps = tcc_ceil_div(depth, nvptx_tma_depth(p)), least = cycles(p, s, steps);
  NvptxTmaShape c = *s;
  for (c.groups = 1; c.groups <= 2; c.groups++)
    for (c.columns = least_columns(p); c.columns <= 128; c.columns *= 2) {
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
  for (s.stages = MOST_STAGES; s.stages > 1 && nvptx_tiles_shared(&s, NVPTX_TMA_ROW_BYTES, 0) > (int)machine->gpu.block_shared;)
    s.stages--;
  return s.stages;
}

static NvptxTmaShape choose(const TccMachine *machine, const NvptxProduct *p) {
  int groups = likely(p->rows) <= NVPTX_GROUP_ROWS ? 1 : 2, columns = NVPTX_TILES_MOST_COLUMNS;
  for (int narrower = columns / 2; narrower >= least_columns(p); narrower /= 2)
    if (cost(machine, p, groups, narrower) < cost(machine, p, groups, columns)) columns = narrower;
  NvptxTmaShape s = {.groups = groups, .columns = columns, .cluster = cluster_of(p, groups, columns), .parts = 1};
  spread(machine, p, &s);
  s.stages = stages_of(machine, s);
  s.band = s.columns == 256 ? TILES_AT_ONCE / s.cluster : TILES_AT_ONCE / 2 / s.cluster;
  return s;
}

static TccStatus *apply(const TccMachine *machine, const NvptxProduct *p, const TccSchedule *schedule, NvptxTmaShape *out) {
  int64_t v[sizeof nvptx_tma_names / sizeof *nvptx_tma_names], depth;
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
  if (out->columns < least_columns(p))
    return TCC_ERROR(TCC_INVALID,
                     "'tcc.schedule': %d columns, of which the right operands of two products have half each; %d at least",
                     out->columns, least_columns(p));
  int64_t tiles = nvptx_tiles_known(p, out);
  if (out->parts > 1 && (!tiles || tiles > TCC_SCRATCH_COUNTERS || out->cluster > 1 || out->parts > NVPTX_MOST_PARTS ||
                         !tcc_expr_is_const(p->depth, &depth) || out->parts > tcc_ceil_div(depth, nvptx_tma_depth(p))))
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

bool nvptx_product_tma_fits(const TccMachine *machine, const NvptxProduct *p) {
  bool tensors = p->tensor[0].map.rank && p->tensor[1].map.rank;
  return nvptx_product_wgmma_fits(machine, p) && tensors && !nvptx_product_few_fits(p);
}

TccStatus *nvptx_product_tma_maps(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p, TccTensorMap *out,
                                  int *out_count) {
  TccSchedule schedule;
  *out_count = 0;
  if (nvptx_product_split_fits(machine, p)) return nvptx_product_split_choose(machine, kernel, p);
  if (!nvptx_product_tma_fits(machine, p)) return NULL;
  TCC_TRY(tcc_schedule_read(kernel, &tma_names, &schedule));
  p->shape = choose(machine, p);
  if (schedule.count) TCC_TRY(apply(machine, p, &schedule, &p->shape));
  p->turn = p->shape.columns / 2;
  for (int side = 0; side < 2; side++) {
    TccTensorMap *map = &p->tensor[side].map;
    int rows = !side ? NVPTX_GROUP_ROWS * p->shape.groups : p->dual ? p->turn : p->shape.columns / p->shape.cluster;
    out[side] = *map = nvptx_tensor_boxes(&p->tensor[side], p->along_depth[side] ? rows : nvptx_tma_depth(p));
  }
  *out_count = 2;
  return NULL;
}

/* ---- schedules ---- */
static TccSchedule schedule_of(const NvptxTmaShape *s) {
  const int64_t v[] = {s->groups, s->columns, s->stages, s->cluster, s->band, s->parts};
  TccSchedule out = {.count = tma_names.count};
  for (size_t i = 0; i < out.count; i++) out.param[i] = (TccScheduleParam){nvptx_tma_names[i], v[i]};
  return out;
}

void nvptx_tma_pick(const void *kernel, TccSchedule *out) {
  const NvptxTuned *t = kernel;
  NvptxTmaShape s = choose(t->machine, t->product);
  *out = schedule_of(&s);
}

TccStatus *nvptx_tma_check(const void *kernel, const TccSchedule *schedule) {
  const NvptxTuned *t = kernel;
  NvptxTmaShape s;
  return apply(t->machine, t->product, schedule, &s);
}

/* Cycles: of one block where each has a part of a tile to itself, else waves of tiles. */
static double taken_by(const NvptxTuned *t, const NvptxTmaShape *s) {
  const NvptxProduct *p = t->product;
  int64_t tiles = nvptx_tiles_known(p, s), steps = tcc_ceil_div(likely(p->depth), nvptx_tma_depth(p));
  if (tiles && tiles * s->parts <= t->machine->gpu.sms) return (double)cycles(p, s, steps);
  return (double)cost(t->machine, p, s->groups, s->columns) / 100 * (double)steps *
         4; /* of 128 rows a step takes four times its columns */
}

/* Waves of tiles; what the heuristic would choose beside groups and columns first, and deeper rings before others. */
double nvptx_tma_cost(const void *kernel, const TccSchedule *schedule) {
  const NvptxTuned *t = kernel;
  NvptxTmaShape s = {.groups = (int)tcc_schedule_get(schedule, "groups"), .columns = (int)tcc_schedule_get(schedule, "columns")};
  s.parts = (int)tcc_schedule_get(schedule, "parts");
  double taken = taken_by(t, &s);
  s.cluster = (int)tcc_schedule_get(schedule, "cluster");
  double band = (double)tcc_schedule_get(schedule, "band") * s.cluster * (s.columns == 256 ? 1 : 2) / TILES_AT_ONCE;
  taken *= 1 + 0.02 * (double)(stages_of(t->machine, s) - tcc_schedule_get(schedule, "stages"));
  if (s.cluster != cluster_of(t->product, s.groups, s.columns)) taken *= 1.01;
  return taken * (1 + 0.005 * (band < 1 ? 1 / band : band));
}

/* Where a tile for each multiprocessor leaves some without. */
static void offer_parts(const NvptxTuned *t, TccShortlist *list) {
  NvptxTmaShape s = {.cluster = 1, .band = 4};
  int64_t steps = tcc_ceil_div(likely(t->product->depth), nvptx_tma_depth(t->product));
  for (s.groups = 1; s.groups <= 2; s.groups++)
    for (s.columns = 64; s.columns <= NVPTX_TILES_MOST_COLUMNS; s.columns *= 2)
      for (s.parts = 2; s.parts <= NVPTX_MOST_PARTS; s.parts = nvptx_parts_next(s.parts)) {
        s.stages = stages_of(t->machine, s);
        TccSchedule schedule = schedule_of(&s);
        TccStatus *status = nvptx_tma_check(t, &schedule);
        if (!status && nvptx_tiles_known(t->product, &s) * s.parts <= t->machine->gpu.sms && s.parts * 2 <= steps)
          tcc_shortlist_offer(list, &schedule, nvptx_tma_cost(t, &schedule));
        tcc_status_destroy(status);
      }
}

size_t nvptx_tma_variants(const void *kernel, TccSchedule *out, size_t room) {
  enum { OF_A_TILE = 6 };
  const NvptxTuned *t = kernel;
  TccSchedule all[TCC_SHORTLIST_MOST];
  TccShortlist list = {.schedule = all, .room = TCC_SHORTLIST_MOST};
  NvptxTmaShape s;
  for (s.groups = 1; s.groups <= 2; s.groups++)
    for (s.columns = 64; s.columns <= NVPTX_TILES_MOST_COLUMNS; s.columns *= 2)
      for (s.cluster = 1; s.cluster <= 2; s.cluster++) {
        if (s.columns / s.cluster < 64 || (s.cluster > 1 && likely(t->product->rows) <= NVPTX_GROUP_ROWS * s.groups)) continue;
        const int64_t down = tcc_ceil_div(likely(t->product->rows), NVPTX_GROUP_ROWS * s.groups * s.cluster);
        const int most = stages_of(t->machine, s);
        for (s.stages = most; s.stages >= 2 && s.stages >= most - 2; s.stages--)
          for (s.parts = 1, s.band = 4; s.band <= TILES_AT_ONCE && (s.band == 4 || s.band / 2 < down); s.band *= 2) {
            TccSchedule schedule = schedule_of(&s);
            tcc_shortlist_offer(&list, &schedule, nvptx_tma_cost(kernel, &schedule));
          }
      }
  offer_parts(t, &list);
  return tcc_shortlist_spread(&list, 2, OF_A_TILE, out, room);
}

void nvptx_product_text(const void *kernel, TccText *out) {
  const NvptxProduct *p = ((const NvptxTuned *)kernel)->product;
  const TccExpr *const sizes[] = {p->batch, p->rows, p->columns, p->depth};
  for (int i = 0; i < 4; i++) {
    int64_t v;
    bool known = tcc_expr_is_const(sizes[i], &v);
    if (!i && known && v == 1) continue;
    if (known) tcc_text_printf(out, "%lld%s", (long long)v, i == 3 ? " " : "x");
    else tcc_text_printf(out, "?%s", i == 3 ? " " : "x");
  }
  tcc_text_printf(out, "%s", tcc_elem_name(p->elem));
}
