/* product_few.c - products of up to eight rows: as fast as memory gives the right operand, of which each element is read once.
 *
 * A thread reads 16 bytes of the right operand at a time, several of them on their way at once, and multiplies them with all rows of the left
 * one. Where the depth lies side by side in memory, the lanes of a warp follow it for some columns, and several warps share them where
 * columns are few; else lanes follow the columns, at least a sector of 32 bytes, and what is left of them, and the warps, take steps of the
 * depth. Of bytes four of the depth are one instruction (dp4a). Sums of the lanes are folded by shuffles, those of the warps through shared memory, in an order of their own. Products are fused
 * multiply-adds of f32 whatever the numerics. A right operand that is computed, as weights of 4 bits with scales, is read as it is stored, up to eight
 * elements at a time (nvptx_operand_run); other operands that are not plain memory are pulled element by element. */
#include "lib/targets/nvptx/product.h"
#include "lib/targets/nvptx/product_dots.h"
#include "lib/targets/nvptx/tile.h"

enum {
  MOST_ROWS = 8,
  WARPS = NVPTX_FEW_WARPS,
  THREADS = WARPS * NVPTX_WARP,
  MOST_PIECE = 8,
  MOST_COLUMNS = 8,
  FEW_COLUMNS = 4 /* where lanes follow the depth */
};

typedef struct {
  NvptxKernel *n;
  const NvptxProduct *p;
  NvptxFewShape s;
  const char *sum; /* type of sums */
  int rows;
  TccVal batch, column /* of the thread, the first */, first /* column of the block */, slice, lane, ncolumns;
  TccVal read,
      nread; /* the first column that the thread reads, and all that there are: of a dual product those of one right operand, if it has no others */
} Few;

static TccVal i64(Few *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal add(Few *w, TccVal a, TccVal b) { return tcc_emit_add(&w->n->e, a, b); }
static TccVal times(Few *w, TccVal a, int64_t b) { return tcc_emit_mul(&w->n->e, a, i64(w, b)); }
static TccVal below(Few *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->n->e, "slt", "i64", a, b); }

/* ---- elements ---- */

/* Elements of one that is multiplied: of bytes that are read side by side a word has four. */
static int per_word(const Few *w) { return nvptx_product_is_bytes(w->p) && w->s.per > 1 ? NVPTX_DOT_BYTES : 1; }

static TccVal multiply_add(Few *w, TccVal x, TccVal y, TccVal sum) {
  TccEmit *t = &w->n->e;
  if (!nvptx_product_is_bytes(w->p)) return tcc_emit_fma(t, "f32", x, y, sum);
  if (per_word(w) > 1) return nvptx_dot(t, w->p->of, x, y, sum);
  return tcc_emit_bin(t, "add", "i32", sum, tcc_emit_bin(t, "mul", "i32", x, y));
}

static TccVal add_sums(Few *w, TccVal a, TccVal b) {
  return tcc_emit_bin(&w->n->e, nvptx_product_is_bytes(w->p) ? "add" : "fadd", w->sum, a, b);
}

/* 16 bytes as f32, of bytes as four words. */
static void read_piece(Few *w, int side, TccVal at, TccVal k, TccVal *out) {
  TccEmit *t = &w->n->e;
  const char *words = tcc_emit_vector(t, "i32", 4);
  TccVal v = tcc_emit_aligned_load(t, words, w->p->address(w->p->user, side, w->batch, at, k), NVPTX_PIECE);
  for (int i = 0; i < 4; i++) {
    TccVal word = tcc_emit_extract(t, words, v, i);
    if (nvptx_product_is_bytes(w->p)) {
      out[i] = word;
    } else if (w->p->elem == TCC_ELEM_F32) {
      out[i] = tcc_emit_cast(t, "bitcast", "i32", "f32", word);
    } else if (w->p->elem == TCC_ELEM_BF16) {
      TccVal high = tcc_emit_int(t, "i32", (int32_t)0xffff0000);
      out[2 * i] = tcc_emit_cast(t, "bitcast", "i32", "f32", tcc_emit_bin(t, "shl", "i32", word, tcc_emit_int(t, "i32", 16)));
      out[2 * i + 1] = tcc_emit_cast(t, "bitcast", "i32", "f32", tcc_emit_bin(t, "and", "i32", word, high));
    } else {
      const char *pair = tcc_emit_vector(t, "f16", 2);
      TccVal two = tcc_emit_cast(t, "bitcast", "i32", pair, word);
      for (int h = 0; h < 2; h++) out[2 * i + h] = tcc_emit_cast(t, "fpext", "f16", "f32", tcc_emit_extract(t, pair, two, h));
    }
  }
}

/* Whether columns are read in runs of what is computed, without the factor that their sums get (scale_sums). */
static bool reads_runs(const Few *w) { return w->s.per > 1 && !w->p->pieces[1]; }

/* Elements [begin, begin + count) of those that are read at once from (at, k) on. factor: 0, or what the products with all of them are to be multiplied with. */
static TccStatus *read_elements(Few *w, int side, TccVal at, TccVal k, int begin, int count, TccVal *out, TccVal *factor) {
  *factor = 0;
  if (side && reads_runs(w))
    return w->p->read_run(w->p->user, side, w->batch, at, k, &(NvptxRun){w->s.per, begin, count, TCC_ELEM_F32, true}, out, factor);
  if (count > 1) {
    read_piece(w, side, at, k, out);
    return NULL;
  }
  TCC_TRY(w->p->read(w->p->user, side, w->batch, at, k, out));
  *out = tcc_scalar_convert(&w->n->e, w->p->of[side], w->p->acc, 1, *out);
  return NULL;
}

/* Words of `count` bytes of a row, from k on. */
static TccStatus *read_words(Few *w, int row, TccVal k, int count, TccVal *out) {
  TccEmit *t = &w->n->e;
  if (w->s.left == NVPTX_PIECE) {
    read_piece(w, 0, i64(w, row), k, out);
    return NULL;
  }
  for (int i = 0; i < count; i += NVPTX_DOT_BYTES) {
    TccVal byte[NVPTX_DOT_BYTES];
    if (w->s.left == NVPTX_DOT_BYTES) {
      out[i / NVPTX_DOT_BYTES] = tcc_emit_aligned_load(
          t, "i32", w->p->address(w->p->user, 0, w->batch, i64(w, row), add(w, k, i64(w, i))), NVPTX_DOT_BYTES);
      continue;
    }
    for (int b = 0; b < NVPTX_DOT_BYTES; b++)
      TCC_TRY(w->p->read(w->p->user, 0, w->batch, i64(w, row), add(w, k, i64(w, i + b)), &byte[b]));
    out[i / NVPTX_DOT_BYTES] = nvptx_dot_word(t, byte);
  }
  return NULL;
}

/* Column `c` of the thread, or the last one there is: what is behind it is not written. */
static TccVal column_at(Few *w, int c) {
  int width = w->s.along ? 1 : w->s.per;
  return tcc_emit_min(&w->n->e, add(w, w->read, i64(w, c)), tcc_emit_sub(&w->n->e, w->nread, i64(w, width)));
}

/* Products of elements [begin, begin + count) of a step are added to `sums`, of columns that have a factor to `scaled`. */
static TccStatus *add_products(Few *w, TccVal k, int begin, int count, TccVal *sums, TccVal *scaled, TccVal *factor) {
  TccVal right[FEW_COLUMNS][MOST_PIECE], x[MOST_PIECE], none;
  for (int c = 0; c < w->s.each; c++) TCC_TRY(read_elements(w, 1, column_at(w, c), k, begin, count, right[c], &factor[c]));
  for (int row = 0; row < w->rows; row++) {
    if (per_word(w) > 1) TCC_TRY(read_words(w, row, k, count, x));
    for (int i = 0; i < count && per_word(w) == 1; i += w->s.left)
      TCC_TRY(read_elements(w, 0, i64(w, row), add(w, k, i64(w, begin + i)), 0, w->s.left, x + i, &none));
    for (int c = 0; c < w->s.each; c++) {
      TccVal *sum = &(factor[c] ? scaled : sums)[row * w->s.each + c];
      for (int i = 0; i < count / per_word(w); i++) *sum = multiply_add(w, x[i], right[c][i], *sum);
    }
  }
  return NULL;
}

static TccStatus *step_along(Few *w, TccVal k, TccVal *sums) {
  TccEmit *t = &w->n->e;
  TccVal factor[FEW_COLUMNS], scaled[MOST_ROWS * MOST_COLUMNS], zero = tcc_emit_zero(t, w->sum);
  int nsums = w->rows * w->s.each, most = MOST_PIECE * per_word(w), count = w->s.per < most ? w->s.per : most;
  for (int i = 0; i < nsums; i++) scaled[i] = zero;
  for (int begin = 0; begin < w->s.per; begin += count) TCC_TRY(add_products(w, k, begin, count, sums, scaled, factor));
  for (int i = 0; i < nsums; i++)
    if (factor[i % w->s.each]) sums[i] = tcc_emit_fma(t, "f32", factor[i % w->s.each], scaled[i], sums[i]);
  return NULL;
}

/* Four of the depth of the thread's columns, as words of columns. */
static TccStatus *step_turned(Few *w, TccVal k, TccVal *sums) {
  TccEmit *t = &w->n->e;
  const char *words = tcc_emit_vector(t, "i32", w->s.per / NVPTX_DOT_BYTES);
  TccVal read[NVPTX_DOT_BYTES], right[MOST_PIECE], x;
  for (int i = 0; i < NVPTX_DOT_BYTES; i++)
    read[i] =
        tcc_emit_aligned_load(t, words, w->p->address(w->p->user, 1, w->batch, column_at(w, 0), add(w, k, i64(w, i))), w->s.per);
  for (int c = 0; c < w->s.per; c += NVPTX_DOT_BYTES) {
    TccVal four[NVPTX_DOT_BYTES];
    for (int i = 0; i < NVPTX_DOT_BYTES; i++) four[i] = tcc_emit_extract(t, words, read[i], c / NVPTX_DOT_BYTES);
    nvptx_dot_turn(t, four, right + c);
  }
  for (int row = 0; row < w->rows; row++) {
    TCC_TRY(read_words(w, row, k, NVPTX_DOT_BYTES, &x));
    for (int c = 0; c < w->s.each; c++) sums[row * w->s.each + c] = multiply_add(w, x, right[c], sums[row * w->s.each + c]);
  }
  return NULL;
}

static TccStatus *step_across(Few *w, TccVal k, TccVal *sums) {
  if (w->s.deep > 1) return step_turned(w, k, sums);
  TccEmit *t = &w->n->e;
  TccVal right[MOST_PIECE], factor, x, none;
  TCC_TRY(read_elements(w, 1, column_at(w, 0), k, 0, w->s.per, right, &factor));
  for (int row = 0; row < w->rows; row++) {
    TCC_TRY(read_elements(w, 0, i64(w, row), k, 0, 1, &x, &none));
    if (factor) x = tcc_emit_bin(t, "fmul", "f32", x, factor);
    for (int c = 0; c < w->s.each; c++) sums[row * w->s.each + c] = multiply_add(w, x, right[c], sums[row * w->s.each + c]);
  }
  return NULL;
}

/* Steps from `first` on, so many at once while there are as many; gives where it ended. */
static TccStatus *emit_steps(Few *w, TccVal *first, int at_once, TccVal *sums) {
  TccEmit *t = &w->n->e;
  const char *types[MOST_ROWS * MOST_COLUMNS + 1];
  TccVal carried[MOST_ROWS * MOST_COLUMNS + 1];
  int n = w->rows * w->s.each;
  for (int i = 0; i < n; i++) carried[i] = sums[i], types[i] = w->sum;
  carried[n] = *first, types[n] = "i64";
  TccLoop steps;
  TccVal end = tcc_emit_sub(t, tcc_kernel_size(&w->n->k, w->p->depth), i64(w, (int64_t)(at_once - 1) * w->s.step));
  tcc_emit_for(t, &steps, *first, end, (int64_t)at_once * w->s.step, n + 1, carried, types);
  memcpy(carried, steps.in, (size_t)n * sizeof *carried);
  for (int i = 0; i < at_once; i++) {
    TccVal k = add(w, steps.iv, i64(w, (int64_t)i * w->s.step));
    TCC_TRY(w->s.along ? step_along(w, k, carried) : step_across(w, k, carried));
  }
  carried[n] = add(w, steps.iv, i64(w, (int64_t)at_once * w->s.step));
  tcc_emit_end_for(t, &steps, carried);
  memcpy(sums, steps.out, (size_t)n * sizeof *sums);
  *first = steps.out[n];
  return NULL;
}

/* ---- results ---- */

/* Sums times the factor of their column, which elements were read without. */
static TccStatus *scale_sums(Few *w, TccVal *sums) {
  TccEmit *t = &w->n->e;
  for (int c = 0; c < w->s.each; c++) {
    TccVal scale, at = tcc_emit_min(t, add(w, w->read, i64(w, c)), tcc_emit_sub(t, w->nread, i64(w, 1)));
    TCC_TRY(w->p->read_scale(w->p->user, w->batch, at, &scale));
    for (int row = 0; row < w->rows; row++) {
      TccVal *sum = &sums[row * w->s.each + c];
      *sum = tcc_emit_bin(t, "fmul", "f32", *sum, scale);
    }
  }
  return NULL;
}

/* The sum of the lane that differs in a bit. */
static TccVal shuffled(Few *w, TccVal sum, int bit) {
  return nvptx_product_is_bytes(w->p) ? nvptx_shuffle_word(&w->n->e, sum, bit) : nvptx_shuffle_float(w->n, sum, bit);
}

/* [slice][row][column of the block] in shared memory: by the first lanes, which have the sums of all. */
static void put_sums(Few *w, TccVal base, const TccVal *sums) {
  TccEmit *t = &w->n->e;
  TccIf first;
  TccVal row = times(w, w->slice, w->rows);
  tcc_emit_if(t, &first, below(w, w->lane, i64(w, w->s.lanes)), 0, NULL);
  TccVal at = add(w, times(w, row, w->s.columns), tcc_emit_sub(t, w->column, w->first));
  for (int i = 0; i < w->rows * w->s.each; i++) {
    TccVal to = add(w, at, i64(w, (int64_t)(i / w->s.each) * w->s.columns + i % w->s.each));
    tcc_emit_shared_store(t, w->sum, sums[i], tcc_emit_shared_gep(t, w->sum, base, to));
  }
  tcc_emit_end_if(t, &first, NULL);
}

static TccStatus *write_results(Few *w, TccVal base) {
  TccEmit *t = &w->n->e;
  TccLoop each;
  TccIf inside;
  TccVal sum[2] = {0};
  int products = w->p->dual ? 2 : 1, own = w->s.columns / products; /* of a dual one: a turn */
  tcc_emit_for(t, &each, w->n->thread, i64(w, (int64_t)w->rows * own), THREADS, 0, NULL, NULL);
  TccVal row = tcc_emit_div(t, each.iv, i64(w, own)), inner = tcc_emit_rem(t, each.iv, i64(w, own)),
         column = add(w, w->first, inner);
  tcc_emit_if(t, &inside, below(w, column, w->ncolumns), 0, NULL);
  for (int i = 0; i < products; i++)
    for (int s = 0; s < w->s.slices; s++) {
      TccVal place = products == 1 ? each.iv : add(w, times(w, row, w->s.columns), inner);
      TccVal at = add(w, place, i64(w, (int64_t)s * w->rows * w->s.columns + i * own));
      TccVal v = tcc_emit_shared_load(t, w->sum, tcc_emit_shared_gep(t, w->sum, base, at));
      sum[i] = s ? add_sums(w, sum[i], v) : v;
    }
  if (products > 1) nvptx_dual_column(w->n, w->p, column, &column);
  TCC_TRY(w->p->write(w->p->user, w->batch, row, column, sum));
  tcc_emit_end_if(t, &inside, NULL);
  tcc_emit_end_for(t, &each, NULL);
  return NULL;
}

/* ---- the kernel ---- */

static void choose_columns(Few *w) {
  TccEmit *t = &w->n->e;
  w->read = w->column, w->nread = w->ncolumns;
  if (!w->p->dual || w->p->turn % w->s.each) return;
  TccVal second = nvptx_dual_column(w->n, w->p, w->column, &w->read);
  w->nread = tcc_emit_div(t, w->ncolumns, i64(w, 2));
  w->p->choose_right(w->p->user, tcc_emit_icmp(t, "ne", "i64", second, i64(w, 0)));
}

/* Where the thread's columns begin, and its steps of the depth. */
static TccVal place(Few *w, const TccExpr *tiles) {
  TccEmit *t = &w->n->e;
  TccVal tile, warp = tcc_emit_div(t, w->n->thread, i64(w, NVPTX_WARP)), slices = i64(w, w->s.slices);
  w->lane = tcc_emit_rem(t, w->n->thread, i64(w, NVPTX_WARP));
  nvptx_divide(&w->n->k, w->n->block, tiles, &w->batch, &tile);
  w->batch = nvptx_product_choose(w->n, w->p, w->batch);
  w->first = times(w, tile, w->s.columns), w->ncolumns = tcc_kernel_size(&w->n->k, w->p->columns);
  w->slice = tcc_emit_rem(t, warp, slices);
  if (w->s.along) {
    w->column = add(w, w->first, times(w, tcc_emit_div(t, warp, slices), w->s.each));
    return times(w, add(w, times(w, w->slice, NVPTX_WARP), w->lane), w->s.per);
  }
  TccVal lanes = i64(w, w->s.lanes);
  w->column = add(w, w->first, times(w, tcc_emit_rem(t, w->lane, lanes), w->s.each));
  return times(w, add(w, times(w, warp, NVPTX_WARP / w->s.lanes), tcc_emit_div(t, w->lane, lanes)), w->s.deep);
}

bool nvptx_product_few_fits(const NvptxProduct *p) {
  int64_t rows;
  bool taken = p->elem == TCC_ELEM_F32 || p->elem == TCC_ELEM_F16 || p->elem == TCC_ELEM_BF16;
  return ((taken && p->acc == TCC_ELEM_F32) || nvptx_product_is_bytes(p)) && p->address && !p->present &&
         tcc_expr_is_const(p->rows, &rows) && rows > 0 && rows <= MOST_ROWS;
}

TccStatus *nvptx_product_few(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  TccEmit *t = &n->e;
  TccIr *ir = n->k.ir;
  int64_t rows = 0;
  tcc_expr_is_const(p->rows, &rows);
  Few w = {.n = n, .p = p, .s = p->few, .sum = tcc_scalar_type(p->acc), .rows = (int)rows};
  TccVal sums[MOST_ROWS * MOST_COLUMNS];
  int nsums = w.rows * w.s.each, at_once = w.s.reads;
  const TccExpr *tiles = nvptx_blocks(ir, p->columns, w.s.columns);
  out->shared = (uint32_t)(w.s.slices * w.rows * w.s.columns * 4), out->threads = THREADS;
  tcc_emit_shared(t, "sums", out->shared / 4, w.sum, NVPTX_SHARED_ALIGNMENT);
  TccVal base = tcc_emit_shared_address(t, "sums"), k = place(&w, tiles);
  choose_columns(&w);
  for (int i = 0; i < nsums; i++) sums[i] = tcc_emit_zero(t, w.sum);
  if (at_once > 1) TCC_TRY(emit_steps(&w, &k, at_once, sums));
  TCC_TRY(emit_steps(&w, &k, 1, sums));
  for (int bit = NVPTX_WARP / 2; bit >= w.s.lanes; bit /= 2)
    for (int i = 0; i < nsums; i++) sums[i] = add_sums(&w, sums[i], shuffled(&w, sums[i], bit));
  if (p->scaled && reads_runs(&w)) TCC_TRY(scale_sums(&w, sums));
  if (p->dual) p->choose_right(p->user, 0);
  put_sums(&w, base, sums);
  nvptx_barrier(n);
  out->blocks = tcc_expr_mul(ir->exprs, p->batch, tiles);
  out->schedule =
      tcc_arena_printf(ir->arena, "few rows, columns = %d, along = %s, bytes = %d, slices = %d", w.s.columns,
                       w.s.along ? "depth" : "columns", (int)tcc_ceil_div((int64_t)w.s.per * nvptx_few_bits(p), 8), w.s.slices);
  if (per_word(&w) > 1) out->schedule = tcc_arena_printf(ir->arena, "%s, by dp4a", out->schedule);
  return write_results(&w, base);
}
