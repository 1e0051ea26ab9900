/* conv_table.c - see conv_table.h.
 *
 * The table stands in the kernel's sizes[], which the run-time evaluates when inputs come in other sizes: compiled code does not compute a size. Where all
 * sizes are known, too: layers whose tiles are the same are one kernel then, whatever image and channels they have. */
#include "lib/targets/x86/conv/conv_table.h"

enum { WORD_BYTES = 4 };

typedef struct {
  const TccConvBlocked *c;
  const TccExpr **d;
} Table;

static const TccExpr *number(const TccConvBlocked *c, int64_t n) { return tcc_expr_const(c->read.ir->exprs, n); }
static const TccExpr *times(const TccConvBlocked *c, const TccExpr *a, int64_t n) {
  return tcc_expr_mul(c->read.ir->exprs, a, number(c, n));
}
static const TccExpr *pieces(const TccConvBlocked *c, const TccExpr *a, int64_t n) {
  return tcc_expr_call(c->read.ir->exprs, TCC_EXPR_CEILDIV, a, number(c, n));
}

static const TccExpr *call(const TccConvBlocked *c, TccExprFunction f, const TccExpr *a, const TccExpr *b) {
  return tcc_expr_call(c->read.ir->exprs, f, a, b);
}

/* Output rows of a tile of work. As tcc_conv_plan has it of known sizes: of a small image all rows of a likely one would be one tile, and three
 * panels leave one of two threads with two of them. */
static const TccExpr *tile_rows(const TccConvBlocked *c) {
  if (!c->plan.tile_by_size) return number(c, c->plan.tile_rows);
  const TccExpr *high = c->read.out[0], *one = number(c, 1), *wide = call(c, TCC_EXPR_MAX, c->read.out[1], one);
  const TccExpr *rows = call(c, TCC_EXPR_FLOORDIV, times(c, high, c->plan.panels), number(c, TCC_CONV_MANY_TILES)),
                *least = call(c, TCC_EXPR_CEILDIV, number(c, TCC_CONV_FAR_PIXELS), wide);
  const TccExpr *walks = call(c, TCC_EXPR_CEILDIV, high, call(c, TCC_EXPR_MAX, rows, least));
  return call(c, TCC_EXPR_MAX, call(c, TCC_EXPR_CEILDIV, high, call(c, TCC_EXPR_MAX, walks, one)), one);
}

const TccExpr *tcc_conv_tiles(const TccConvBlocked *c) {
  const TccExpr *tiles = call(c, TCC_EXPR_CEILDIV, c->read.out[0], tile_rows(c));
  if (c->plan.share) tiles = pieces(c, pieces(c, c->read.out[1], c->plan.pixels), c->plan.share);
  return tcc_expr_call(c->read.ir->exprs, TCC_EXPR_MAX, tiles, number(c, 1));
}

/* A tile of a dynamic width may have its sums behind the row. */
const TccExpr *tcc_conv_sums_width(const TccConvBlocked *c) {
  return tcc_expr_add(c->read.ir->exprs, c->read.out[1], number(c, c->read.shape.dynamic ? c->plan.pixels : 0));
}

static void set(const Table *t, int which, int64_t value) { t->d[which] = number(t->c, value); }

/* Where the wider tiles of a row end: of T = ceil(width / pixels) tiles T * pixels - width are one pixel narrower, all of them at most. */
static const TccExpr *end_of_wide(const TccConvBlocked *c) {
  const TccExpr *width = c->read.out[1], *tiles = pieces(c, width, c->plan.pixels);
  const TccExpr *wide = tcc_expr_sub(c->read.ir->exprs, width, times(c, tiles, c->plan.remainder));
  return times(c, call(c, TCC_EXPR_MAX, wide, number(c, 0)), c->plan.pixels);
}

static int64_t copies(const TccConvShape *s) {
  if (!tcc_conv_copies(s)) return TCC_CONV_NO_COPY;
  if (!s->joined) return TCC_CONV_PLAIN;
  if (s->plain) return s->pairs ? TCC_CONV_PAIRS : TCC_CONV_FOURS;
  return s->pairs ? TCC_CONV_JOINED_PAIRS : TCC_CONV_JOINED;
}

static void set_walk(const Table *t) {
  const TccConvBlocked *c = t->c;
  const TccConvShape *s = &c->read.shape;
  const TccConvPlan *p = &c->plan;
  int64_t taps = s->kernel[0] * s->kernel[1], columns = (int64_t)p->vectors * s->lanes, phases = s->phases > 1 ? s->phases : 1;
  bool whole = p->depth_blocks >= c->read.blocks;
  int64_t block = s->depthwise ? taps * s->lanes * tcc_conv_weight_bytes(s) / 4
                               : taps * (s->plain && !tcc_conv_has_words(s) ? 1 : tcc_conv_joined_pixel(s)) * columns *
                                     tcc_conv_word_bytes(s) / 4;
  t->d[HEIGHT] = tcc_conv_tiles(c), t->d[OUT_H] = c->read.out[0];
  t->d[TILE_ROWS] = tile_rows(c);
  set(t, BY_PANEL, p->by_panel), set(t, PANELS, p->panels), set(t, ROWS, p->rows), set(t, WHOLE, whole);
  set(t, BLOCKS, c->read.blocks), set(t, DEPTH_BLOCKS, whole ? c->read.blocks : p->depth_blocks);
  set(t, PANELS_OF_GROUP, s->depthwise ? 1 : p->panels / s->groups), set(t, BLOCKS_OF_GROUP, s->depthwise ? 1 : c->read.blocks);
  set(t, W_BLOCK, block), set(t, W_PANEL, (s->depthwise ? 1 : c->read.blocks) * block);
  set(t, PANELS_OF_PHASE, p->panels / phases), set(t, PHASES_W, c->read.phases[1]),
      set(t, BIAS_PANEL, c->read.has_bias ? columns : 0);
  set(t, SHIFT_H, c->read.shift[0] ? c->read.shift[0] : c->read.phases[0]);
  set(t, SHIFT_W, c->read.shift[1] ? c->read.shift[1] : c->read.phases[1]);
  set(t, VECTORS, p->vectors), set(t, OUT_BLOCKS, c->read.out_blocks), set(t, COLUMNS, columns);
  set(t, STRIDE_H, tcc_conv_copy_stride(s, 0)), set(t, STRIDE_W, tcc_conv_copy_stride(s, 1)), set(t, TILE_HIGH, p->high),
      set(t, PAD_H, s->pad[0]), set(t, PAD_W, s->pad[1] - c->plan.copy_lead);
  set(t, KERNEL_H, s->kernel[0]), set(t, DILATION_H, s->dilation[0]);
  t->d[IN_H] = c->read.in[0], t->d[WIDTH] = c->read.out[1], t->d[SUMS_WIDTH] = tcc_conv_sums_width(c);
  int64_t prefetched = taps * tcc_conv_words(s) * c->plan.ahead_lines * TCC_CONV_LINE / TCC_CONV_UNROLL;
  set(t, COPIES, copies(s)), set(t, SHARE, p->share),
      set(t, DYNAMIC,
          !s->dynamic ? TCC_CONV_FIXED
          : p->even   ? TCC_CONV_EVEN
                      : TCC_CONV_RESTS),
      set(t, NTENSORS, 1 + c->read.epilogue.nleaves), set(t, RUNS, c->runs);
  set(t, PREFETCH_TILE, prefetched), t->d[PREFETCH_ROW] = times(c, pieces(c, c->read.out[1], p->pixels), prefetched);
}

static int64_t copy_rest(const TccConvShape *s) {
  int64_t rest = s->channels % s->lanes, blocks = tcc_ceil_div(s->channels, s->lanes);
  if (!s->pairs || s->plain || (rest == 0 && blocks % s->joined == 0)) return 0;
  return rest ? rest : s->lanes;
}

static void set_input(const Table *t) {
  const TccConvBlocked *c = t->c;
  const TccConvShape *s = &c->read.shape;
  t->d[X_IMAGE] = c->read.x_image, t->d[X_BLOCK] = c->read.x_block, t->d[X_ROW] = c->read.x_row, set(t, X_PIXEL, c->read.x_pixel);
  if (s->direct) t->d[X_BLOCK] = times(c, c->read.x_block, s->joined);
  if (!tcc_conv_copies(s)) return;
  int64_t words = s->joined ? tcc_conv_joined_pixel(s) : 1;
  t->d[X_BLOCK] = times(c, c->plan.copy_width, c->plan.copy_rows * words), t->d[X_ROW] = times(c, c->plan.copy_width, words);
  t->d[COPY_BLOCK] = c->read.x_block, t->d[COPY_ROW] = c->read.x_row;
  set(t, X_PIXEL, words), set(t, JOINED, s->joined);
  if (s->joined && s->bytes && !s->plain) set(t, COPY_PIXEL, c->read.x_pixel * WORD_BYTES / s->lanes);
  t->d[COPY_WIDTH] = c->plan.copy_width;
  set(t, COPY_STEP_H, tcc_conv_copy_step(s, 0)), set(t, COPY_STEP_W, tcc_conv_copy_step(s, 1));
  set(t, CHANNELS, s->joined && !s->plain ? tcc_ceil_div(s->channels, s->lanes) : s->channels),
      set(t, COPY_ROWS, c->plan.copy_rows), set(t, COPY_LEAD, c->plan.copy_lead), set(t, COPY_REST, copy_rest(s));
}

static void set_tensor(const Table *t, int i) {
  const TccConvBlocked *c = t->c;
  const TccConvStrides *at = &c->read.at[i];
  TccExprPool *pool = c->read.ir->exprs;
  int64_t bytes = tcc_elem_bits(i ? c->read.epilogue.view[i - 1].elem : c->read.epilogue.result.elem) / 8;
  const TccExpr **of = &t->d[TENSORS + T_COUNT * i];
  of[T_IMAGE] = times(c, at->image, bytes), of[T_PANEL] = times(c, at->block, bytes * c->plan.vectors);
  of[T_ROW] = times(c, at->row, bytes), of[T_PIXEL] = number(c, at->pixel * bytes);
  of[T_PHASE_ROW] = times(c, tcc_expr_divide_exactly(pool, at->row, number(c, c->read.phases[0])), bytes);
  of[T_PHASE_PIXEL] = number(c, at->pixel / c->read.phases[1] * bytes);
}

TccVal tcc_conv_table_emit(const TccConvBlocked *c, const TccConvGroup *groups, int ngroups) {
  const TccExpr *all[TCC_CONV_DRIVER + DRIVER_SIZES];
  size_t count = (size_t)(TCC_CONV_DRIVER + TENSORS + T_COUNT * (1 + c->read.epilogue.nleaves));
  for (size_t i = 0; i < count; i++) all[i] = number(c, 0);
  Table table = {c, all + TCC_CONV_DRIVER};
  set_walk(&table), set_input(&table);
  for (int g = 0; g < TCC_CONV_GROUPS; g++) { /* groups that are not there are as the last one */
    const TccConvGroup *group = &groups[g < ngroups ? g : ngroups - 1];
    set(&table, END + g, group->end), set(&table, PIXELS + g, group->pixels);
  }
  if (c->read.shape.dynamic && c->plan.even) table.d[END] = end_of_wide(c);
  set(&table, MOST_REST, c->plan.most_rest);
  for (int i = 0; i <= c->read.epilogue.nleaves; i++) set_tensor(&table, i);
  all[TCC_CONV_SIZE_X_BLOCK] = table.d[X_BLOCK], all[TCC_CONV_SIZE_X_ROW] = times(c, table.d[X_ROW], c->read.shape.dilation[0]);
  all[TCC_CONV_SIZE_WIDTH] = c->read.in[1], all[TCC_CONV_SIZE_REST] = number(c, tcc_conv_rest(&c->read.shape));
  for (int i = 0; i <= c->read.epilogue.nleaves; i++) all[TCC_CONV_SIZE_BLOCKS + i] = c->read.at[i].block;
  return tcc_kernel_size_table(c->k, all, count);
}
