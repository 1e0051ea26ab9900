/* conv_schedule.c - see conv_schedule.h.
 *
 *   pixels, vectors   register tile: neighbours of an output row x blocks of output channels; weights are packed for `vectors`
 *   depth             blocks of input channels in one pass over a tile
 *   rows              output rows that are walked together
 *   tile, panels      output rows and panels of weights in a tile of work, the latter 1 or all
 *   fetch             blocks of weights that are brought into the second cache: 1, the one in use, or 2, the next one too
 *   winograd          results of a tile of Winograd's filtering along each side (conv_winograd.h), 1: it is direct. With it pixels
 *                     are tiles of a register tile, rows and tile the rows and columns of tiles in a group, panels those of a tile
 *                     of work; depth is all
 *
 * Candidates are the heuristic's walks, and those halved, doubled and undivided, for every width of a panel with the tiles that cut
 * a row into equal pieces. The cost is that of conv_plan.c, and what the walk reads from the second and the third cache. */
#include "lib/targets/x86/conv/conv_schedule.h"
#include "lib/targets/x86/conv/conv_blocked.h"
#include "tcc/op_kinds.h"
#include <inttypes.h>

static const char *const names[] = {"pixels", "vectors", "depth", "rows", "tile", "panels", "fetch", "winograd"};
#define SCHEDULE_NAMES {"x86.conv", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;
enum {
  MOST_VECTORS = 8,
  MOST_WINOGRAD_VECTORS = 4,
  MOST_PIXELS = 14,
  MOST_JOINED_PIXELS = 32,
  OF_ONE_TILE = 4,
  TILES_OF_A_WIDTH = 3,
  SPLITS = 4
};

typedef struct {
  TccConvShape shape;
  int packed;     /* vectors of a panel as the weights stand */
  bool repacks;   /* they are weights at every call: tcc-pack-weights can change that */
  bool winograd;  /* and they can be transformed for Winograd's filtering */
  int64_t images; /* -1: dynamic */
  double threads;
} Read;

static double larger(double a, double b) { return a > b ? a : b; }

static int64_t blocks_of(const TccConvShape *s) { return tcc_ceil_div(s->out_channels, s->lanes); }
static int64_t depth_of(const TccConvShape *s) { return s->depthwise ? 1 : tcc_conv_depth(s); }
static int64_t panels_of(const TccConvShape *s, int64_t vectors) {
  return (s->depthwise ? blocks_of(s) : tcc_ceil_div(blocks_of(s), vectors)) * (s->phases > 1 ? s->phases : 1);
}

/* ---- applying a schedule ---- */
static bool tile_fits(const TccConvShape *s, int64_t pixels, int64_t vectors) {
  if (s->joined) return tcc_conv_tile_fits(s, pixels, vectors);
  return pixels <= MOST_PIXELS && vectors <= MOST_VECTORS && pixels * vectors <= TCC_CONV_SUMS &&
         tcc_conv_tile_fits(s, pixels, vectors);
}

static TccStatus *check_winograd(const TccConvShape *s, const TccSchedule *c) {
  int64_t m = tcc_schedule_get(c, "winograd"), tiles = tcc_schedule_get(c, "pixels"), vectors = tcc_schedule_get(c, "vectors"),
          panels = tcc_schedule_get(c, "panels");
  int64_t rows = tcc_schedule_get(c, "rows"), columns = tcc_schedule_get(c, "tile"), wide = tcc_ceil_div(s->out[1], m);
  if ((m != 2 && m != 4) || !tcc_winograd_fits(s))
    return TCC_ERROR(TCC_INVALID, "winograd = %" PRId64 ": 2 or 4, for windows of 3x3 and stride 1 on whole blocks of channels", m);
  if (tiles < 2 || vectors > MOST_WINOGRAD_VECTORS || !tile_fits(s, tiles, vectors))
    return TCC_ERROR(TCC_INVALID, "pixels = %" PRId64 ", vectors = %" PRId64 ": the tile does not fit into %d registers", tiles,
                     vectors, s->registers);
  if (tcc_schedule_get(c, "depth") != depth_of(s) || tcc_schedule_get(c, "fetch") > 2)
    return TCC_ERROR(TCC_INVALID, "with winograd depth is all %" PRId64 ", fetch is 1 or 2", depth_of(s));
  if (panels > panels_of(s, vectors) || columns > wide || (columns < wide && rows > 1) || rows * columns > TCC_WINOGRAD_GROUP)
    return TCC_ERROR(TCC_INVALID,
                     "panels = %" PRId64 ", rows = %" PRId64 ", tile = %" PRId64 ": a group has whole rows of %" PRId64
                     " tiles or a part of one, %d tiles at most",
                     panels, rows, columns, wide, TCC_WINOGRAD_GROUP);
  return NULL;
}

static TccStatus *check(const TccConvShape *s, const TccSchedule *c, int packed) {
  if (tcc_schedule_get(c, "winograd") != 1) return check_winograd(s, c);
  int64_t pixels = tcc_schedule_get(c, "pixels"), vectors = tcc_schedule_get(c, "vectors"), depth = tcc_schedule_get(c, "depth");
  int64_t rows = tcc_schedule_get(c, "rows"), panels = tcc_schedule_get(c, "panels"), prefetch = tcc_schedule_get(c, "fetch"),
          all = panels_of(s, vectors);
  int64_t tile = tcc_schedule_get(c, "tile"), height = s->out[0] < 1 ? 1 : s->out[0];
  if (!tile_fits(s, pixels, vectors))
    return TCC_ERROR(TCC_INVALID, "pixels = %" PRId64 ", vectors = %" PRId64 ": the tile does not fit into %d registers", pixels,
                     vectors, s->registers);
  if (s->groups > 1 && !s->depthwise && blocks_of(s) / s->groups % vectors)
    return TCC_ERROR(TCC_INVALID, "vectors = %" PRId64 ": a panel must not belong to two groups", vectors);
  if (packed && packed != vectors)
    return TCC_ERROR(TCC_INVALID, "vectors = %" PRId64 ": the weights are packed for %d", vectors, packed);
  if (depth > depth_of(s))
    return TCC_ERROR(TCC_INVALID, "depth = %" PRId64 ": there are %" PRId64 " blocks of input channels", depth, depth_of(s));
  if (!s->dynamic && (rows > height || tile > height))
    return TCC_ERROR(TCC_INVALID, "rows = %" PRId64 ", tile = %" PRId64 ": the result has %" PRId64 " rows", rows, tile, height);
  if ((panels != 1 && panels != all) || prefetch > 2)
    return TCC_ERROR(TCC_INVALID, "panels is 1 or all %" PRId64 ", fetch is 1 or 2", all);
  if (depth < depth_of(s) && (s->plain || s->joined))
    return TCC_ERROR(TCC_INVALID, "depth = %" PRId64 ": a part of the depth does not go with a copy of the image", depth);
  if (s->plain && panels != all)
    return TCC_ERROR(TCC_INVALID, "panels = %" PRId64 ": the copy of a plain image serves all", panels);
  if (s->depthwise && panels != 1) return TCC_ERROR(TCC_INVALID, "panels = %" PRId64 ": there is one to a channel's block", panels);
  return NULL;
}

static void apply(const TccConvShape *s, const TccSchedule *c, TccConvPlan *p) {
  tcc_conv_plan(s, (int)tcc_schedule_get(c, "vectors"), p);
  p->pixels = (int)tcc_schedule_get(c, "pixels"), p->depth_blocks = tcc_schedule_get(c, "depth"),
  p->rows = tcc_schedule_get(c, "rows"), p->tile_rows = tcc_schedule_get(c, "tile"), p->tile_by_size = false;
  p->by_panel = s->depthwise || (tcc_schedule_get(c, "panels") == 1 && !s->plain);
  p->prefetch = tcc_schedule_get(c, "fetch") == 2;
  if (p->pixels != s->out[1]) p->high = 1, p->apart = false; /* several rows of a tile are whole */
  if (s->dynamic) tcc_conv_plan_rest(s, p);
  tcc_conv_plan_share(s, p);
}

TccStatus *tcc_conv_apply_schedule(MlirOperation kernel, const TccConvShape *shape, int vectors, TccConvPlan *plan) {
  TccSchedule s;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &s));
  if (!s.count || shape->winograd > 1) return NULL;
  if (tcc_schedule_get(&s, "winograd") > 1)
    return TCC_ERROR(TCC_INVALID, "tcc.schedule: winograd = %" PRId64 ": the weights are not transformed",
                     tcc_schedule_get(&s, "winograd"));
  TCC_TRY(tcc_status_context(check(shape, &s, vectors), "tcc.schedule"));
  apply(shape, &s, plan);
  return NULL;
}

static void winograd_of(const TccConvShape *s, const TccSchedule *c, TccWinogradPlan *p) {
  int64_t m = tcc_schedule_get(c, "winograd"), vectors = tcc_schedule_get(c, "vectors"), panels = panels_of(s, vectors);
  *p = (TccWinogradPlan){.m = (int)m,
                         .tiles = (int)tcc_schedule_get(c, "pixels"),
                         .vectors = (int)vectors,
                         .panels = panels,
                         .high = tcc_ceil_div(s->out[0], m),
                         .wide = tcc_ceil_div(s->out[1], m),
                         .rows = tcc_schedule_get(c, "rows"),
                         .columns = tcc_schedule_get(c, "tile"),
                         .parts = tcc_ceil_div(panels, tcc_schedule_get(c, "panels"))};
  if (tcc_schedule_get(c, "fetch") == 2) p->prefetch = tcc_winograd_prefetch(s, p);
}

static int64_t images_of(const TccConvBlocked *c) {
  int64_t images = -1;
  tcc_expr_is_const(c->read.images, &images);
  return images;
}

TccStatus *tcc_winograd_apply_schedule(MlirOperation kernel, const TccConvBlocked *c, TccWinogradPlan *plan) {
  TccSchedule s;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &s));
  if (!s.count) {
    tcc_winograd_plan(&c->read.shape, images_of(c), c->read.shape.winograd, c->plan.vectors, plan);
    return plan->m == c->read.shape.winograd
               ? NULL
               : TCC_ERROR(TCC_UNSUPPORTED, "winograd = %d with panels of %d vectors", c->read.shape.winograd, c->plan.vectors);
  }
  int64_t m = tcc_schedule_get(&s, "winograd"), vectors = tcc_schedule_get(&s, "vectors");
  if (m != c->read.shape.winograd)
    return TCC_ERROR(TCC_INVALID, "tcc.schedule: winograd = %" PRId64 ": the weights are transformed for %d", m,
                     c->read.shape.winograd);
  if (vectors != c->plan.vectors)
    return TCC_ERROR(TCC_INVALID, "tcc.schedule: vectors = %" PRId64 ": the weights are packed for %d", vectors, c->plan.vectors);
  TCC_TRY(tcc_status_context(check(&c->read.shape, &s, 0), "tcc.schedule"));
  winograd_of(&c->read.shape, &s, plan);
  return NULL;
}

bool tcc_winograd_wanted(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op, TccWinogradPlan *plan) {
  TccConvBlocked on_stack = {.read = {.ir = ir, .op = op, .unscheduled = true}}, *c = &on_stack; /* as conv_blocked.c has it */
  TccSchedule s = {0};
  TccStatus *status = tcc_conv_blocked_read(c, &target->machine, kernel);
  if (!status && c->read.shape.winograd <= 1) status = tcc_schedule_read(kernel, &schedule_names, &s);
  if (!status && s.count) status = check(&c->read.shape, &s, 0);
  bool known = !status && c->read.shape.winograd <= 1 &&
               tcc_winograd_fits(&c->read.shape); /* what is wrong is said when the kernel is emitted */
  tcc_status_destroy(status);
  if (!known) return false;
  if (!s.count) tcc_winograd_plan(&c->read.shape, images_of(c), 0, 0, plan);
  else if (tcc_schedule_get(&s, "winograd") > 1) winograd_of(&c->read.shape, &s, plan);
  else return false;
  return plan->m > 1;
}

int tcc_conv_scheduled_vectors(MlirOperation kernel) { return (int)tcc_schedule_vectors(kernel, &schedule_names, MOST_VECTORS); }

/* ---- reading ---- */
static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  TccConvBlocked *c = TCC_NEW(ir->arena, TccConvBlocked);
  c->read.ir = ir;
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == TCC_OP_CONV_BLOCKED) c->read.op = op;
  if (mlirOperationIsNull(c->read.op)) return NULL;
  TccStatus *status = tcc_conv_blocked_read(c, &target->machine, kernel);
  tcc_status_destroy(status);
  if (status) return NULL;
  Read *r = TCC_NEW(ir->arena, Read);
  *r = (Read){.shape = c->read.shape,
              .packed = c->plan.vectors,
              .images = -1,
              .threads = target->machine.cores ? target->machine.cores : 1};
  tcc_expr_is_const(c->read.images, &r->images);
  MlirValue w = mlirOperationGetOperand(c->read.op, 1);
  r->repacks = !c->read.shape.depthwise && !tcc_conv_has_words(&c->read.shape) && mlirValueIsABlockArgument(w) &&
               tcc_kernel_is_stable(ir, kernel, mlirBlockArgumentGetArgNumber(w));
  r->winograd = r->repacks && tcc_winograd_fits(&c->read.shape);
  return r;
}

static void schedule_of(const TccConvShape *s, const TccConvPlan *p, TccSchedule *out) {
  const int64_t values[] = {
      p->pixels,           p->vectors, s->depthwise ? 1 : p->depth_blocks, p->rows, p->tile_rows, p->by_panel ? 1 : p->panels,
      p->prefetch ? 2 : 1, 1};
  *out = (TccSchedule){.count = schedule_names.count};
  for (size_t i = 0; i < out->count; i++) out->param[i] = (TccScheduleParam){names[i], values[i]};
}

static void schedule_of_winograd(const TccConvShape *s, const TccWinogradPlan *p, TccSchedule *out) {
  const int64_t values[] = {
      p->tiles, p->vectors, depth_of(s), p->rows, p->columns, tcc_ceil_div(p->panels, p->parts), p->prefetch ? 2 : 1, p->m};
  *out = (TccSchedule){.count = schedule_names.count};
  for (size_t i = 0; i < out->count; i++) out->param[i] = (TccScheduleParam){names[i], values[i]};
}

static void pick(const void *kernel, TccSchedule *out) {
  const Read *r = kernel;
  TccConvPlan plan;
  TccWinogradPlan winograd = {.m = 1};
  if (r->winograd) tcc_winograd_plan(&r->shape, r->images, 0, 0, &winograd);
  if (winograd.m > 1) {
    schedule_of_winograd(&r->shape, &winograd, out);
    return;
  }
  tcc_conv_plan(&r->shape, r->packed, &plan);
  schedule_of(&r->shape, &plan, out);
}

static TccStatus *check_candidate(const void *kernel, const TccSchedule *s) {
  const Read *r = kernel;
  if (tcc_schedule_get(s, "winograd") > 1 && !r->winograd)
    return TCC_ERROR(TCC_INVALID,
                     "winograd = %" PRId64
                     ": a window or operands that it does not take, or weights that are not weights at every call",
                     tcc_schedule_get(s, "winograd"));
  return check(&r->shape, s, r->repacks ? 0 : r->packed);
}

static void shape(const void *kernel, TccText *out) {
  const Read *r = kernel;
  const TccConvShape *s = &r->shape;
  tcc_text_printf(out, "%" PRId64 "->%" PRId64 " %" PRId64 "x%" PRId64, s->channels, s->out_channels, s->out[0], s->out[1]);
  if (s->dynamic) tcc_text_printf(out, " or so");
  tcc_text_printf(out, " by %" PRId64 "x%" PRId64, s->kernel[0], s->kernel[1]);
  if (s->stride[0] != 1 || s->stride[1] != 1) tcc_text_printf(out, "/%" PRId64, s->stride[0]);
  if (s->groups > 1) tcc_text_printf(out, ", %" PRId64 " groups", s->groups);
  if (s->phases > 1) tcc_text_printf(out, ", %" PRId64 " phases", s->phases);
  if (s->bytes) tcc_text_printf(out, ", bytes");
  if (s->pairs) tcc_text_printf(out, ", bf16");
}

/* ---- cost: cycles ---- */
static double cost(const void *kernel, const TccSchedule *c) {
  const Read *r = kernel;
  const TccConvShape *s = &r->shape;
  if (tcc_schedule_get(c, "winograd") > 1) {
    TccWinogradPlan winograd;
    winograd_of(s, c, &winograd);
    double groups = (double)(r->images < 1 ? 1 : r->images) * (double)winograd.high / (double)winograd.rows *
                    (double)tcc_ceil_div(winograd.wide, winograd.columns);
    double shares = larger(1, groups * (double)winograd.parts / r->threads);
    return tcc_winograd_cycles(s, r->images, &winograd) * (double)(int64_t)(shares + 0.999) / shares;
  }
  TccConvPlan p;
  apply(s, c, &p);
  double images = r->images < 1 ? 1 : (double)r->images, rows = (double)s->out[0], width = (double)(s->out[1] < 1 ? 1 : s->out[1]);
  double taps = (double)(s->kernel[0] * s->kernel[1]), tiles = (double)tcc_ceil_div((int64_t)width, p.pixels),
         passes = (double)tcc_ceil_div(depth_of(s), p.depth_blocks);
  double steps = s->depthwise ? taps : taps * (double)(s->plain ? 1 : tcc_conv_words(s)) * (double)depth_of(s),
         line = s->lanes * 4.0;
  double cycles = s->depthwise ? (width / tiles / 2 + 1) * taps / (double)s->kernel[1] * larger(1, (double)s->kernel[1] / 2) + 20
                               : tcc_conv_step_cycles(s, p.pixels, p.vectors, width / tiles) * steps;
  double calls = passes * (30 + 3.0 * p.pixels * p.vectors) + (passes - 1) * 2.0 * p.pixels * p.vectors;
  double panels = s->depthwise ? (double)p.panels
                               : tcc_conv_panels(s, p.pixels, p.vectors, width / tiles) * (double)(s->phases > 1 ? s->phases : 1);
  double work = images * rows * tiles * (cycles + calls) * panels;
  double panel = steps * p.vectors * line, weights = panel * (double)p.panels,
         image = (double)(s->in[0] * s->in[1]) * (double)s->channels * (double)tcc_conv_elem_bytes(s);
  double l2 = (double)s->l2_bytes, walks = p.by_panel ? r->threads : images * (double)tcc_ceil_div(s->out[0], p.rows),
         far = weights > l2 / 2 || p.by_panel ? 8 : 24;
  double read = weights * walks / far;
  if (p.by_panel)
    read += image * images * (double)p.panels * passes / 24 +
            (panel / passes > l2 / 2 ? panel * rows * images * (double)p.panels / 8 : 0);
  double units = images * (double)tcc_ceil_div(s->out[0], p.tile_rows) * (p.by_panel ? (double)p.panels : 1),
         shares = larger(1, units / r->threads);
  return (work + read * (p.prefetch ? 0.5 : 1)) * (double)(int64_t)(shares + 0.999) / shares;
}

/* ---- candidates ---- */
static void offer_walks(const Read *r, int pixels, int vectors, TccShortlist *list) {
  const TccConvShape *s = &r->shape;
  TccConvPlan heuristic;
  tcc_conv_plan(s, vectors, &heuristic);
  int64_t all = depth_of(s), height = s->out[0] < 1 ? 1 : s->out[0];
  const int64_t depths[] = {s->depthwise ? 1 : heuristic.depth_blocks, all, heuristic.depth_blocks * 2,
                            tcc_ceil_div(heuristic.depth_blocks, 2), tcc_ceil_div(all, 4)};
  const int64_t heights[] = {heuristic.rows, height, heuristic.rows * 2, tcc_ceil_div(heuristic.rows, 2),
                             tcc_ceil_div(heuristic.rows, 4)};
  for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
    for (size_t h = 0; h < sizeof heights / sizeof *heights && depths[d] <= tcc_conv_most_depth(s); h++)
      for (int split = 0; split < SPLITS; split++)
        for (int prefetch = 0; prefetch < 2; prefetch++) {
          TccConvPlan p = heuristic;
          p.pixels = pixels, p.depth_blocks = depths[d], p.rows = heights[h], p.by_panel = split > 0, p.prefetch = prefetch;
          p.tile_rows = split == 0 ? 1 : split == 1 ? heuristic.tile_rows : split == 2 ? height : 1;
          TccSchedule schedule;
          if (p.by_panel && (p.rows != height || p.panels == 1))
            continue; /* one panel's rows are all walked; with one panel it is the same */
          schedule_of(s, &p, &schedule);
          TccStatus *wrong = check(s, &schedule, r->repacks ? 0 : r->packed);
          tcc_status_destroy(wrong);
          if (!wrong) tcc_shortlist_offer(list, &schedule, cost(r, &schedule));
        }
}

static void offer_winograd(const Read *r, TccShortlist *list) {
  const TccConvShape *s = &r->shape;
  for (int m = 2; m <= TCC_WINOGRAD_MOST; m += 2)
    for (int v = 1; v <= MOST_WINOGRAD_VECTORS && v <= blocks_of(s); v++) {
      TccWinogradPlan heuristic;
      tcc_winograd_plan(s, r->images, m, v, &heuristic);
      if (heuristic.m != m) continue;
      const int64_t heights[] = {heuristic.rows, tcc_ceil_div(heuristic.rows, 2), heuristic.rows * 2},
                    parts[] = {heuristic.parts, 1, heuristic.panels};
      for (size_t h = 0; h < sizeof heights / sizeof *heights; h++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
          TccWinogradPlan p = heuristic;
          TccSchedule schedule;
          p.rows = heights[h], p.parts = parts[k];
          schedule_of_winograd(s, &p, &schedule);
          TccStatus *wrong = check(s, &schedule, 0);
          tcc_status_destroy(wrong);
          if (!wrong) tcc_shortlist_offer(list, &schedule, cost(r, &schedule));
        }
    }
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  const Read *r = kernel;
  const TccConvShape *s = &r->shape;
  TccSchedule kept[TCC_SHORTLIST_MOST];
  TccShortlist best = {.schedule = kept, .room = TCC_SHORTLIST_MOST};
  int64_t width = s->out[1] < 1 ? 1 : s->out[1];
  for (int v = 1; v <= MOST_VECTORS && v <= blocks_of(s); v++) {
    if (s->depthwise ? v > 1 : !r->repacks && v != r->packed) continue;
    int widest = s->joined ? MOST_JOINED_PIXELS : MOST_PIXELS;
    while (widest > 1 && (!tile_fits(s, widest, v) || widest > width)) widest--;
    for (int64_t pieces = tcc_ceil_div(width, widest), i = 0, before = 0; i < TILES_OF_A_WIDTH; i++) {
      int64_t pixels = tcc_ceil_div(width, pieces + i);
      if (pixels != before && tile_fits(s, pixels, v)) offer_walks(r, (int)pixels, v, &best);
      before = pixels;
    }
  }
  if (r->winograd) offer_winograd(r, &best);
  return tcc_shortlist_spread(&best, 2, OF_ONE_TILE, out, room);
}

const TccTunable tcc_conv_tunable = {
    .kind = TCC_KERNEL_CONV,
    .names = SCHEDULE_NAMES,
    .version = 4,
    .read = read,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check_candidate,
    .shape = shape,
};
