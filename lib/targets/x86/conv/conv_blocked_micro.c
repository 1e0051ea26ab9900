/* conv_blocked_micro.c - microkernels of convolutions on blocked channels.
 *
 * mk(x, w, start, sums, t0, t1, column, depth, flags, prefetch, sizes, tiles, result, leaf 0, ...):
 *   x        first pixel of the tile, at row 0 of the window (which may lie above the image) and its first column
 *   w        weights of the panel at its first block of channels
 *   start    dense: where sums of the first pass start, the same for all pixels; those of a later one (flags & 1) start at 0
 *   sums     where those of earlier passes are if flags & 1; where they go if flags & 2, or without an epilogue; else that goes to result
 *   t0, t1   rows of the window that lie in the image; t1: of joined blocks, rows of the result that a tile of several has
 *   column   input column of x, for pixels that can lie beside the image
 *   depth    blocks of channels; flags & 4: the last of them is the image's last
 *   flags    16 * number of vectors of the panel that exist + the bits above
 *   sizes    what differs between layers (conv_blocked.h)
 *   tiles    that follow each other, where functions take several (TccConvBlocked.runs); else 1
 *   prefetch where this tile's share of the next block of weights begins, prefetched into the second cache meanwhile */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/conv/conv_byte_columns.h"
#include "lib/targets/x86/conv/conv_code.h"
#include "lib/targets/x86/conv/conv_table.h"
#include "lib/targets/x86/conv/conv_tile_registers.h"

enum { SUMS = 3, RESULT_ROWS = 5, FLAGS = 8, SIZES = 10, TILES /* arguments */ };

typedef struct {
  TccConvBlocked *c;
  TccVal arg[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS];
  int pixels, vectors;
} Micro;

static void open_function(Micro *m, const char *name) {
  const char *types[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64",   "i64",
                                                               "i64",   "i64",   "i64",   TCC_PTR, TCC_PTR, "i64"};
  int n = TCC_CONV_MICRO_ARGS + 1 + m->c->read.epilogue.nleaves;
  for (int i = TCC_CONV_MICRO_ARGS; i < n; i++) types[i] = TCC_PTR;
  tcc_emit_function(m->c->k->e, name, true, n, types, NULL, m->arg);
}

static TccVal size_of(const Micro *m, int64_t which) {
  TccEmit *e = m->c->k->e;
  return tcc_emit_load(e, "i64", tcc_emit_at(e, "i64", m->arg[SIZES], which));
}

/* ---- epilogue ---- */

/* Vectors j of all pixels through the epilogue into the result. */
static TccStatus *epilogue_vector(const Micro *m, const TccVal *acc, int j) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  TccElem elem = c->read.epilogue.result.elem;
  TccVal base[TCC_CONV_TENSORS];
  for (int t = 0; t <= c->read.epilogue.nleaves; t++) {
    base[t] = m->arg[TCC_CONV_MICRO_ARGS + t];
    if (j == 0 || c->read.at[t].block == tcc_expr_const(c->read.ir->exprs, 0)) continue;
    TccElem of = t ? c->read.epilogue.view[t - 1].elem : elem;
    base[t] = tcc_emit_gep(e, tcc_scalar_memory_type(of), base[t],
                           tcc_emit_mul(e, size_of(m, TCC_CONV_SIZE_BLOCKS + t), tcc_emit_i64(e, j)));
  }
  bool four = tcc_conv_epilogue_takes_four(c);
  for (int p = 0, count; p < m->pixels; p += count) {
    TccVal of[TCC_CONV_FOUR];
    count = !four ? 1 : m->pixels - p < TCC_CONV_FOUR ? m->pixels - p : TCC_CONV_FOUR;
    for (int i = 0; i < count; i++) of[i] = acc[(p + i) * m->vectors + j];
    if (four) TCC_TRY(tcc_conv_epilogue_emit_four(c, base, p, count, of));
    else TCC_TRY(tcc_conv_epilogue_emit(c, base, p, of[0]));
  }
  return NULL;
}

static TccStatus *epilogue(const Micro *m, const TccVal *acc) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  bool partial = !c->read.shape.depthwise && c->read.out_blocks % m->vectors != 0;
  TccVal flags = m->arg[8];
  for (int j = 0; j < m->vectors; j++) {
    TccIf exists;
    if (partial && j > 0)
      tcc_emit_if(e, &exists,
                  tcc_emit_icmp(e, "sgt", "i64", tcc_emit_bin(e, "lshr", "i64", flags, tcc_emit_i64(e, 4)), tcc_emit_i64(e, j)), 0,
                  NULL);
    TCC_TRY(epilogue_vector(m, acc, j));
    if (partial && j > 0) tcc_emit_end_if(e, &exists, NULL);
  }
  return NULL;
}

static TccVal flag(const Micro *m, int64_t bit) {
  TccEmit *e = m->c->k->e;
  return tcc_emit_icmp(e, "ne", "i64", tcc_emit_bin(e, "and", "i64", m->arg[8], tcc_emit_i64(e, bit)), tcc_emit_i64(e, 0));
}

/* ---- padding ---- */

bool tcc_conv_at_edge(const TccConvBlocked *c, const TccConvGroup *g, int64_t offset, int64_t reach) {
  const TccConvShape *s = &c->read.shape;
  if (s->plain) return false;
  int64_t first = g->first * s->stride[1] - s->pad[1] + offset,
          last = (g->end - g->pixels) * s->stride[1] - s->pad[1] + (c->read.shift[1] > 0) + offset + reach;
  if (!s->dynamic) return first < 0 || last >= s->in[1];
  /* A tile at the end of a row reads up to pad_end columns behind the image. */
  int64_t columns = (g->pixels - 1) * s->stride[1] + (s->kernel[1] - 1) * s->dilation[1];
  return offset < s->pad[1] || columns - offset - reach < s->pad_end[1];
}

static TccVal zeros(const Micro *m) { return tcc_emit_at(m->c->k->e, "i64", m->arg[SIZES], TCC_CONV_SIZES); }

static TccVal inside_or_zeros(const Micro *m, TccVal column, TccVal p) {
  TccEmit *e = m->c->k->e;
  TccVal inside = tcc_emit_icmp(e, "ult", "i64", column, size_of(m, TCC_CONV_SIZE_WIDTH));
  return tcc_emit_select1(e, TCC_PTR, inside, p, zeros(m));
}

/* ---- dense ---- */

/* `steps` steps of k from the pixels' pointers; w moves on. prefetch: 0, or what to prefetch from. */
static void emit_steps(const Micro *m, TccVal *acc, const TccVal *x, const int64_t *x_offset, TccVal *w, TccVal steps, int unroll,
                       int64_t x_step, TccVal prefetch) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  int n = m->pixels * m->vectors, lanes = c->read.shape.lanes;
  const char *types[TCC_CONV_SUMS + 1];
  TccVal init[TCC_CONV_SUMS + 1];
  for (int i = 0; i < n; i++) init[i] = acc[i], types[i] = c->vector;
  init[n] = *w, types[n] = TCC_PTR;
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), steps, unroll, n + 1, init, types);
  TccVal at = tcc_emit_mul(e, loop.iv, tcc_emit_i64(e, x_step)), next[TCC_CONV_SUMS + 1];
  memcpy(next, loop.in, sizeof *next * (size_t)(n + 1));
  if (prefetch) {
    TccVal line =
        tcc_emit_gep(e, "f32", prefetch, tcc_emit_mul(e, loop.iv, tcc_emit_i64(e, c->plan.ahead_lines * TCC_CONV_LINE / unroll)));
    for (int64_t l = 0; l < c->plan.ahead_lines; l++)
      tcc_emit_prefetch(e, tcc_emit_at(e, "f32", line, l * TCC_CONV_LINE), false, 2);
  }
  TccVal base[TCC_CONV_SUMS];
  for (int p = 0; p < m->pixels; p++) {
    bool shared = p > 0 && x[p] == x[0];
    base[p] = shared ? base[0] : tcc_emit_gep(e, "f32", x[p], at);
  }
  for (int u = 0; u < unroll; u++) {
    TccVal wv[16];
    for (int j = 0; j < m->vectors; j++)
      wv[j] = tcc_emit_load(e, c->vector, tcc_emit_at(e, "f32", next[n], (u * m->vectors + j) * lanes));
    for (int p = 0; p < m->pixels; p++) {
      TccVal b = tcc_emit_splat(e, c->vector, tcc_emit_load(e, "f32", tcc_emit_at(e, "f32", base[p], x_offset[p] + u * x_step)));
      for (int j = 0; j < m->vectors; j++)
        next[p * m->vectors + j] = tcc_emit_fma(e, c->vector, b, wv[j], next[p * m->vectors + j]);
    }
  }
  next[n] = tcc_emit_at(e, "f32", next[n], (int64_t)unroll * m->vectors * lanes);
  tcc_emit_end_for(e, &loop, next);
  memcpy(acc, loop.out, sizeof *acc * (size_t)n);
  *w = loop.out[n];
}

/* What sums begin with: the bias, or nothing where later blocks of channels are added. */
static void begin_sums(const Micro *m, bool whole, TccVal later, TccVal *acc) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  /* Vectors of the last panel that do not exist start as its first: there is no bias for them. */
  TccVal zero = tcc_emit_i64(e, 0), exist = tcc_emit_bin(e, "lshr", "i64", m->arg[8], tcc_emit_i64(e, 4)), begin[TCC_CONV_SUMS];
  for (int j = 0; j < m->vectors; j++) {
    begin[j] = tcc_emit_i64(e, (int64_t)j * c->read.shape.lanes);
    if (j > 0 && c->read.out_blocks % m->vectors)
      begin[j] = tcc_emit_select1(e, "i64", tcc_emit_icmp(e, "sgt", "i64", exist, tcc_emit_i64(e, j)), begin[j], zero);
  }
  for (int j = 0; j < m->vectors; j++) {
    acc[j] = tcc_emit_zero(e, c->vector);
    if (!whole)
      acc[j] =
          tcc_emit_select1(e, c->vector, later, acc[j], tcc_emit_load(e, c->vector, tcc_emit_gep(e, "f32", m->arg[2], begin[j])));
    else if (c->read.has_bias) acc[j] = tcc_emit_load(e, c->vector, tcc_emit_gep(e, "f32", m->arg[2], begin[j]));
    for (int p = 1; p < m->pixels; p++) acc[p * m->vectors + j] = acc[j];
  }
}

/* Adds what block `block` of the input channels gives to the sums: all taps of the window. */
static void add_block(const Micro *m, const TccConvGroup *g, bool whole, TccVal block, TccVal *acc) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  const TccConvShape *s = &c->read.shape;
  int n = m->pixels * m->vectors, lanes = s->lanes, columns = m->vectors * lanes;
  int64_t kh = s->kernel[0], kw = s->kernel[1], run = s->plain ? kw : lanes, taps = s->plain ? kh : kh * kw;
  int64_t rest = s->plain ? 0 : (s->channels / s->groups) % lanes;
  int unroll = s->plain ? 1 : rest % 4 ? (rest % 2 ? 1 : 2) : TCC_CONV_UNROLL;
  TccVal x = tcc_emit_gep(e, "f32", m->arg[0], tcc_emit_mul(e, block, size_of(m, TCC_CONV_SIZE_X_BLOCK)));
  TccVal w = tcc_emit_gep(e, "f32", m->arg[1], tcc_emit_mul(e, block, tcc_emit_i64(e, taps * run * columns)));
  TccVal steps = tcc_emit_i64(e, run);
  if (rest) {
    TccVal last = tcc_emit_icmp(e, "eq", "i64", block, tcc_emit_sub(e, m->arg[7], tcc_emit_i64(e, 1)));
    if (!whole) last = tcc_emit_bin(e, "and", "i1", last, flag(m, 4));
    steps = tcc_emit_select1(e, "i64", last, size_of(m, TCC_CONV_SIZE_REST), steps);
  }
  int64_t prefetch_step = run * c->plan.ahead_lines * TCC_CONV_LINE / TCC_CONV_UNROLL;
  TccVal prefetch =
      c->plan.ahead_lines ? tcc_emit_gep(e, "f32", m->arg[9], tcc_emit_mul(e, block, tcc_emit_i64(e, taps * prefetch_step))) : 0;
  const bool looped = taps > 1;
  TccVal column = m->arg[6];
  const char *types[TCC_CONV_SUMS];
  TccLoop tap;
  if (looped) {
    TccVal per_row = tcc_emit_i64(e, s->plain ? 1 : kw);
    for (int i = 0; i < n; i++) types[i] = c->vector;
    tcc_emit_for(e, &tap, tcc_emit_mul(e, m->arg[4], per_row), tcc_emit_mul(e, m->arg[5], per_row), 1, n, acc, types);
    memcpy(acc, tap.in, sizeof *acc * (size_t)n);
    TccVal row = tcc_emit_div(e, tap.iv, per_row),
           at = tcc_emit_mul(e, tcc_emit_rem(e, tap.iv, per_row), tcc_emit_i64(e, s->dilation[1]));
    x = tcc_emit_gep(e, "f32", x, tcc_emit_mul(e, row, size_of(m, TCC_CONV_SIZE_X_ROW)));
    if (!s->plain) x = tcc_emit_gep(e, "f32", x, tcc_emit_mul(e, at, tcc_emit_i64(e, c->read.x_pixel)));
    w = tcc_emit_gep(e, "f32", w, tcc_emit_mul(e, tap.iv, tcc_emit_i64(e, run * columns)));
    if (prefetch) prefetch = tcc_emit_gep(e, "f32", prefetch, tcc_emit_mul(e, tap.iv, tcc_emit_i64(e, prefetch_step)));
    column = tcc_emit_add(e, column, at);
  }
  TccVal pointer[TCC_CONV_SUMS];
  int64_t offset[TCC_CONV_SUMS];
  for (int p = 0; p < m->pixels; p++) {
    pointer[p] = x, offset[p] = p * s->stride[1] * c->read.x_pixel;
    if (!tcc_conv_at_edge(c, g, p * s->stride[1], (kw - 1) * s->dilation[1])) continue;
    pointer[p] =
        inside_or_zeros(m, tcc_emit_add(e, column, tcc_emit_i64(e, p * s->stride[1])), tcc_emit_at(e, "f32", x, offset[p]));
    offset[p] = 0;
  }
  emit_steps(m, acc, pointer, offset, &w, steps, unroll, s->plain ? s->dilation[1] : 1, prefetch);
  if (!looped) return;
  tcc_emit_end_for(e, &tap, acc);
  memcpy(acc, tap.out, sizeof *acc * (size_t)n);
}

/* Sums of some blocks of the input channels: those of the blocks before are added, and kept for the next unless these are the last. */
static TccStatus *end_part(const Micro *m, TccVal later, TccVal *acc) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  int n = m->pixels * m->vectors, lanes = c->read.shape.lanes;
  TccIf partial, added;
  TccVal both[TCC_CONV_SUMS];
  const char *types[TCC_CONV_SUMS];
  for (int i = 0; i < n; i++) types[i] = c->vector;
  tcc_emit_if(e, &added, later, n, types);
  for (int i = 0; i < n; i++)
    both[i] = tcc_emit_bin(e, "fadd", c->vector, acc[i],
                           tcc_emit_load(e, c->vector, tcc_emit_at(e, "f32", m->arg[3], (int64_t)i * lanes)));
  tcc_emit_else(e, &added, both);
  tcc_emit_end_if(e, &added, acc);
  memcpy(acc, added.out, sizeof *acc * (size_t)n);
  tcc_emit_if(e, &partial, flag(m, 2), 0, NULL);
  for (int i = 0; i < n; i++) tcc_emit_store(e, c->vector, acc[i], tcc_emit_at(e, "f32", m->arg[3], (int64_t)i * lanes));
  tcc_emit_else(e, &partial, NULL);
  TCC_TRY(epilogue(m, acc));
  tcc_emit_end_if(e, &partial, NULL);
  return NULL;
}

static TccStatus *emit_dense(TccConvBlocked *c, const char *name, const TccConvGroup *g) {
  TccEmit *e = c->k->e;
  Micro m = {.c = c, .pixels = g->pixels, .vectors = c->plan.vectors};
  int n = m.pixels * m.vectors;
  const bool whole = c->plan.depth_blocks >= c->read.blocks;
  const char *types[TCC_CONV_SUMS];
  for (int i = 0; i < n; i++) types[i] = c->vector;
  open_function(&m, name);
  TccVal zero = tcc_emit_i64(e, 0), acc[TCC_CONV_SUMS], later = whole ? 0 : flag(&m, 1);
  TccLoop block;
  begin_sums(&m, whole, later, acc);
  tcc_emit_for(e, &block, zero, m.arg[7], 1, n, acc, types);
  memcpy(acc, block.in, sizeof *acc * (size_t)n);
  add_block(&m, g, whole, block.iv, acc);
  tcc_emit_end_for(e, &block, acc);
  memcpy(acc, block.out, sizeof *acc * (size_t)n);
  TCC_TRY(whole ? epilogue(&m, acc) : end_part(&m, later, acc));
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* ---- one channel a group: lanes are channels; one load of an input column serves all outputs that see it ---- */

static TccStatus *emit_depthwise(TccConvBlocked *c, const char *name, const TccConvGroup *g) {
  TccEmit *e = c->k->e;
  const TccConvShape *s = &c->read.shape;
  Micro m = {.c = c, .pixels = g->pixels, .vectors = 1};
  int n = m.pixels, lanes = s->lanes;
  int64_t kw = s->kernel[1], stride = s->stride[1], dilation = s->dilation[1], columns = (n - 1) * stride + (kw - 1) * dilation + 1;
  const char *elem = tcc_scalar_type(s->pairs ? TCC_ELEM_BF16 : TCC_ELEM_F32);
  open_function(&m, name);
  TccVal acc[TCC_CONV_SUMS], start = c->read.has_bias ? tcc_emit_load(e, c->vector, m.arg[2]) : tcc_emit_zero(e, c->vector), wv[16];
  const char *types[TCC_CONV_SUMS];
  for (int i = 0; i < n; i++) acc[i] = start, types[i] = c->vector;
  TccLoop row;
  tcc_emit_for(e, &row, m.arg[4], m.arg[5], 1, n, acc, types);
  memcpy(acc, row.in, sizeof *acc * (size_t)n);
  TccVal x = tcc_emit_gep(e, "f32", m.arg[0], tcc_emit_mul(e, row.iv, size_of(&m, TCC_CONV_SIZE_X_ROW)));
  TccVal w = tcc_emit_gep(e, "f32", m.arg[1], tcc_emit_mul(e, row.iv, tcc_emit_i64(e, kw * lanes)));
  for (int64_t k = 0; k < kw; k++) wv[k] = tcc_emit_load(e, c->vector, tcc_emit_at(e, "f32", w, k * lanes));
  for (int64_t at = 0; at < columns; at++) {
    TccVal v = 0;
    for (int64_t k = 0; k < kw; k++) {
      int64_t from = at - k * dilation;
      if (from < 0 || from % stride != 0 || from / stride >= n) continue;
      if (!v) {
        TccVal p = tcc_emit_at(e, "f32", x, at * c->read.x_pixel);
        if (tcc_conv_at_edge(c, g, at, 0)) p = inside_or_zeros(&m, tcc_emit_add(e, m.arg[6], tcc_emit_i64(e, at)), p);
        v = tcc_emit_load(e, tcc_emit_vector(e, elem, lanes), p);
        if (s->pairs) v = tcc_scalar_convert(e, TCC_ELEM_BF16, TCC_ELEM_F32, lanes, v);
      }
      acc[from / stride] = tcc_emit_fma(e, c->vector, v, wv[k], acc[from / stride]);
    }
  }
  tcc_emit_end_for(e, &row, acc);
  memcpy(acc, row.out, sizeof *acc * (size_t)n);
  TCC_TRY(epilogue(&m, acc));
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* The same of bytes. */
static TccStatus *emit_byte_columns(TccConvBlocked *c, const char *name, const TccConvGroup *g) {
  Micro m = {.c = c, .pixels = g->pixels, .vectors = 1};
  TccVal acc[TCC_CONV_SUMS];
  open_function(&m, name);
  tcc_conv_byte_columns_sums(c, g, m.arg, acc);
  TCC_TRY(epilogue(&m, acc));
  tcc_emit_return(c->k->e, 0, NULL);
  return NULL;
}

/* ---- machine code whose sums go to memory, and the epilogue in LLVM's hands ---- */

static TccVal moved(const Micro *m, int tensor, TccVal p, TccVal elements) {
  const TccEpilogue *ep = &m->c->read.epilogue;
  return tcc_emit_gep(m->c->k->e, tcc_scalar_memory_type(tensor ? ep->view[tensor - 1].elem : ep->result.elem), p, elements);
}

/* Where the table has the bytes of a row of a tensor, 0 the result. */
static int64_t row_of_tensor(int tensor) { return TCC_CONV_DRIVER + TENSORS + T_COUNT * tensor + T_ROW; }

/* finish(sums, vectors, rows, pixels, floats of sums from a pixel to the next, of a row, sizes, result, leaf 0, ...) */
enum { FINISH_SUMS, FINISH_VECTORS, FINISH_ROWS, FINISH_PIXELS, FINISH_PIXEL, FINISH_ROW, FINISH_SIZES, FINISH_ARGS };
static const char *const finish_types[FINISH_ARGS] = {TCC_PTR, "i64", "i64", "i64", "i64", "i64", TCC_PTR};

/* One pixel, or four, from `from` on: where the tensors have them, then where their sums are, `pitch` floats apart; out: behind them. */
static TccStatus *finish_pixels(const Micro *m, const TccVal *from, bool four, TccVal pitch, TccVal *out) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  int n = 1 + c->read.epilogue.nleaves, count = four ? TCC_CONV_FOUR : 1;
  TccVal acc[TCC_CONV_FOUR], at = from[n];
  for (int p = 0; p < count; p++) acc[p] = tcc_emit_load(e, c->vector, at), at = tcc_emit_gep(e, "f32", at, pitch);
  if (four) TCC_TRY(tcc_conv_epilogue_emit_four(c, from, 0, count, acc));
  else TCC_TRY(tcc_conv_epilogue_emit(c, from, 0, acc[0]));
  for (int i = 0; i < n; i++) out[i] = moved(m, i, from[i], tcc_emit_i64(e, count * c->read.at[i].pixel));
  out[n] = at;
  return NULL;
}

/* Where the sums' loops begin: where the tensors have the tile, then where its sums are. */
static void begin_finish(const Micro *m, const TccVal *arg, TccVal *first, const char **types) {
  const int n = 1 + m->c->read.epilogue.nleaves;
  for (int i = 0; i <= n; i++) types[i] = TCC_PTR, first[i] = arg[i < n ? FINISH_ARGS + i : FINISH_SUMS];
}

static void end_row(const Micro *m, TccLoop *row, TccVal floats) {
  TccEmit *e = m->c->k->e;
  const int n = 1 + m->c->read.epilogue.nleaves;
  TccVal next[TCC_CONV_TENSORS + 1];
  for (int i = 0; i < n; i++) next[i] = tcc_emit_gep(e, "i8", row->in[i], size_of(m, row_of_tensor(i)));
  next[n] = tcc_emit_gep(e, "f32", row->in[n], floats);
  tcc_emit_end_for(e, row, next);
}

/* Vectors, rows and pixels, of bytes four at once, are loops: the epilogue is there once, of bytes once more for pixels that are left. */
static TccStatus *finish_sums(const Micro *m, const TccVal *arg) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  int n = 1 + c->read.epilogue.nleaves;
  TccVal zero = tcc_emit_i64(e, 0), next[TCC_CONV_TENSORS + 1], first[TCC_CONV_TENSORS + 1];
  const char *types[TCC_CONV_TENSORS + 1];
  begin_finish(m, arg, first, types);
  const TccExpr *none = tcc_expr_const(c->read.ir->exprs, 0);
  bool rows = c->plan.high > 1;
  bool four = tcc_conv_epilogue_takes_four(c);
  TccVal pixels = arg[FINISH_PIXELS];
  TccVal fours = four ? tcc_emit_bin(e, "and", "i64", pixels, tcc_emit_i64(e, -TCC_CONV_FOUR)) : pixels;
  TccLoop vector, row, pixel, rest;
  tcc_emit_for(e, &vector, zero, arg[FINISH_VECTORS], 1, n + 1, first, types);
  if (rows) tcc_emit_for(e, &row, zero, arg[FINISH_ROWS], 1, n + 1, vector.in, types);
  tcc_emit_for(e, &pixel, zero, fours, four ? TCC_CONV_FOUR : 1, n + 1, rows ? row.in : vector.in, types);
  TCC_TRY(finish_pixels(m, pixel.in, four, arg[FINISH_PIXEL], next));
  tcc_emit_end_for(e, &pixel, next);
  if (four) {
    tcc_emit_for(e, &rest, fours, pixels, 1, n + 1, pixel.out, types);
    TCC_TRY(finish_pixels(m, rest.in, false, arg[FINISH_PIXEL], next));
    tcc_emit_end_for(e, &rest, next);
  }
  if (rows) end_row(m, &row, arg[FINISH_ROW]);
  for (int i = 0; i < n; i++)
    next[i] = c->read.at[i].block != none ? moved(m, i, vector.in[i], size_of(m, TCC_CONV_SIZE_BLOCKS + i)) : vector.in[i];
  next[n] = tcc_emit_at(e, "f32", vector.in[n], c->read.shape.lanes);
  tcc_emit_end_for(e, &vector, next);
  return NULL;
}

/* With channels last all blocks of a pixel, one behind the other. */
static TccStatus *finish_blocks(const Micro *m, const TccVal *arg) {
  TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  int n = 1 + c->read.epilogue.nleaves;
  TccVal zero = tcc_emit_i64(e, 0), next[TCC_CONV_TENSORS + 1], first[TCC_CONV_TENSORS + 1];
  const char *types[TCC_CONV_TENSORS + 1];
  begin_finish(m, arg, first, types);
  bool rows = c->plan.high > 1;
  TccLoop row, pixel;
  if (rows) tcc_emit_for(e, &row, zero, arg[FINISH_ROWS], 1, n + 1, first, types);
  tcc_emit_for(e, &pixel, zero, arg[FINISH_PIXELS], 1, n + 1, rows ? row.in : first, types);
  for (int v = 0; v < c->plan.vectors; v += TCC_CONV_FOUR) {
    TccVal acc[TCC_CONV_FOUR];
    for (int j = 0; j < TCC_CONV_FOUR; j++)
      acc[j] = tcc_emit_load(e, c->vector, tcc_emit_at(e, "f32", pixel.in[n], (int64_t)(v + j) * c->read.shape.lanes));
    TCC_TRY(tcc_conv_epilogue_emit_blocks(c, pixel.in, v, acc));
  }
  for (int i = 0; i < n; i++) next[i] = moved(m, i, pixel.in[i], tcc_emit_i64(e, c->read.at[i].pixel));
  next[n] = tcc_emit_gep(e, "f32", pixel.in[n], arg[FINISH_PIXEL]);
  tcc_emit_end_for(e, &pixel, next);
  if (rows) end_row(m, &row, arg[FINISH_ROW]);
  return NULL;
}

/* The epilogue of all tiles of a layer, and of other layers that end alike: how large a tile is, it is told. */
static TccStatus *emit_finish(TccConvBlocked *c, const char *name) {
  TccEmit *e = c->k->e;
  const char *types[FINISH_ARGS + TCC_CONV_TENSORS];
  TccVal arg[FINISH_ARGS + TCC_CONV_TENSORS];
  int n = FINISH_ARGS + 1 + c->read.epilogue.nleaves;
  for (int i = 0; i < n; i++) types[i] = i < FINISH_ARGS ? finish_types[i] : TCC_PTR;
  tcc_emit_function(e, name, true, n, types, NULL, arg);
  Micro m = {.c = c, .arg = {[SIZES] = arg[FINISH_SIZES]}};
  for (int i = 0; i < c->read.epilogue.nleaves; i++)
    if (c->read.epilogue.view[i].rank == 0) c->number[i] = arg[FINISH_ARGS + 1 + i];
  if (tcc_conv_epilogue_takes_blocks(c)) TCC_TRY(finish_blocks(&m, arg));
  else TCC_TRY(finish_sums(&m, arg));
  memset(c->number, 0, sizeof c->number);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* Of as many tiles as follow each other. */
static TccVal tile_pixels(const Micro *m) {
  TccEmit *e = m->c->k->e;
  TccVal pixels = tcc_emit_i64(e, m->pixels);
  return m->c->runs ? tcc_emit_mul(e, m->arg[TILES], pixels) : pixels;
}

static void call_finish(const Micro *m, TccVal sums) {
  const TccConvBlocked *c = m->c;
  TccEmit *e = c->k->e;
  const int64_t columns = (int64_t)m->vectors * c->read.shape.lanes;
  const char *types[FINISH_ARGS + TCC_CONV_TENSORS];
  TccVal arg[FINISH_ARGS + TCC_CONV_TENSORS] = {[FINISH_SUMS] = sums,
                                                [FINISH_VECTORS] = tcc_emit_i64(e, m->vectors),
                                                [FINISH_ROWS] = m->arg[RESULT_ROWS],
                                                [FINISH_PIXELS] = tile_pixels(m),
                                                [FINISH_PIXEL] = tcc_emit_i64(e, columns),
                                                [FINISH_ROW] =
                                                    tcc_emit_i64(e, tcc_conv_tile_registers_pitch(c, m->pixels) * columns),
                                                [FINISH_SIZES] = m->arg[SIZES]};
  if (!c->read.shape.depthwise && c->read.out_blocks % m->vectors)
    arg[FINISH_VECTORS] = tcc_emit_bin(e, "lshr", "i64", m->arg[FLAGS], tcc_emit_i64(e, 4));
  int n = FINISH_ARGS + 1 + c->read.epilogue.nleaves;
  for (int i = 0; i < n; i++) types[i] = i < FINISH_ARGS ? finish_types[i] : TCC_PTR;
  for (int i = FINISH_ARGS; i < n; i++) arg[i] = m->arg[TCC_CONV_MICRO_ARGS + i - FINISH_ARGS];
  tcc_emit_call(e, c->finish, n, arg, types, NULL);
}

/* Only calls the two: LLVM need not take pains with it. */
static void emit_calls(TccConvBlocked *c, const char *name, const char *product, const TccConvGroup *g) {
  static const char *const types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64",   "i64",
                                      "i64",   "i64",   "i64",   TCC_PTR, TCC_PTR, "i64"};
  TccEmit *e = c->k->e;
  Micro m = {.c = c, .pixels = g->pixels, .vectors = c->read.shape.depthwise ? 1 : c->plan.vectors};
  bool whole = c->read.shape.depthwise || c->plan.depth_blocks >= c->read.blocks;
  open_function(&m, name);
  int64_t count = c->read.shape.joined ? tcc_conv_tile_registers_sums(c, g) : (int64_t)m.pixels * m.vectors * c->read.shape.lanes;
  TccVal args[TCC_CONV_MICRO_ARGS];
  memcpy(args, m.arg, sizeof args);
  if (whole) {
    TccVal floats = tcc_emit_i64(e, count);
    args[SUMS] = tcc_emit_alloca(e, "f32", c->runs ? tcc_emit_mul(e, m.arg[TILES], floats) : floats);
  }
  tcc_emit_call(e, product, TCC_CONV_MICRO_ARGS, args, types, NULL);
  TccIf more;
  if (!whole) tcc_emit_if(e, &more, tcc_emit_icmp(e, "eq", "i1", flag(&m, 2), tcc_emit_int(e, "i1", 0)), 0, NULL);
  call_finish(&m, args[SUMS]);
  if (!whole) tcc_emit_end_if(e, &more, NULL);
  tcc_emit_return(e, 0, NULL);
}

static TccStatus *emit_around(TccConvBlocked *c, const char *name, const char *product, const TccConvGroup *g) {
  TccEmit *e = c->k->e;
  if (!c->finish) {
    c->finish = tcc_arena_printf(c->read.ir->arena, "finish.%s", name);
    TCC_TRY(emit_finish(c, c->finish));
  }
  const bool before = e->optnone;
  e->optnone = true;
  emit_calls(c, name, product, g);
  e->optnone = before;
  return NULL;
}

/* Whether the sums of all tiles of a row wait on the stack for one call of their epilogue: of a few steps of k the calls of single tiles take as long. */
static bool finishes_rows(const TccConvBlocked *c) {
  enum { MOST_BYTES = 32 << 10 };
  const TccConvShape *s = &c->read.shape;
  return s->wide && !s->dynamic && s->out[1] * c->plan.vectors * s->lanes * 4 <= MOST_BYTES;
}

bool tcc_conv_row_emit(TccConvBlocked *c, const char *name, const TccConvGroup *groups, int ngroups) {
  TccConvEpilogue epilogue;
  return tcc_conv_code_epilogue_read(c, &epilogue) && tcc_conv_code_row_emit(c, name, groups, ngroups, &epilogue);
}

TccStatus *tcc_conv_micro_emit(TccConvBlocked *c, const char *name, const TccConvGroup *g) {
  TccConvEpilogue epilogue;
  const char *product = tcc_arena_printf(c->read.ir->arena, "%s_product", name);
  if (c->read.shape.joined || (c->read.shape.bytes && c->read.shape.depthwise)) c->runs = false;
  if (c->read.shape.joined) {
    tcc_conv_tile_registers_emit(c, product, g);
    return emit_around(c, name, product, g);
  }
  if (c->read.shape.bytes && c->read.shape.depthwise) return emit_byte_columns(c, name, g);
  if (tcc_conv_code_epilogue_read(c, &epilogue) && tcc_conv_code_emit(c, name, g, &epilogue)) return NULL;
  c->runs = finishes_rows(c);
  if (tcc_conv_code_emit(c, product, g, NULL)) return emit_around(c, name, product, g);
  if (tcc_conv_has_words(&c->read.shape))
    return TCC_ERROR(TCC_UNSUPPORTED, "a convolution of bytes or bf16 whose tiles reach over more than 32 bits");
  return c->read.shape.depthwise ? emit_depthwise(c, name, g) : emit_dense(c, name, g);
}
