/* product.c - see product.h. */
#include "lib/targets/x86/contract/product.h"

enum { LINE = 64, MOST_BROADCASTS = 3, RATE_BITS = 16 };

bool tcc_product_fits(const TccProduct *p) {
  if (p->npointers > TCC_PRODUCT_POINTERS || p->rows * p->vectors > TCC_PRODUCT_SUMS ||
      p->rows * p->vectors + (p->widens ? p->vectors : 1) + 1 + p->apart > p->registers)
    return false;
  int64_t reach = p->unroll * (p->a_step + p->b_step) + p->lines * LINE;
  for (int r = 0; r < p->rows; r++)
    if (p->offset[r] < INT32_MIN / 2 || p->offset[r] > INT32_MAX / 2) return false;
  return p->prefetch_rate < INT32_MAX && p->prefetch_stride < INT32_MAX && p->a_step >= 0 && reach < INT32_MAX / 2;
}

void tcc_product_clear(TccX86 *x, int sums) {
  for (int i = 0; i < sums; i++) tcc_x86_vector(x, TCC_X86_XOR, i, i, i);
}

/* One counter for all that moves with the left operand, from -bytes to 0: its elements, and the lines ahead where they move 1, 2, 4 or 8 times as
 * fast. An addition and a jump, which are one operation, then end an iteration where four additions and a comparison did. */
static bool counts_to_zero(const TccProduct *p) {
  return !p->once && p->npointers == 1 && !p->folds && !p->each && !p->prefetch_stride;
}

/* log2 of how many times as fast lines move as elements do; -1: they have a counter of their own. */
static int lines_scale(const TccProduct *p) {
  for (int scale = 0; scale <= 3 && counts_to_zero(p) && p->lines; scale++)
    if (p->lines * LINE == p->unroll * p->a_step << scale) return scale;
  return -1;
}

static void prefetch(TccX86 *x, const TccProduct *p, int line) {
  int scale = lines_scale(p);
  TccX86At at = tcc_x86_at_index(p->prefetch, p->taken, line * LINE);
  at.scale = scale;
  if (scale >= 0) tcc_x86_prefetch(x, at);
  else
    tcc_x86_prefetch(x, p->prefetch_stride ? tcc_x86_at_index(p->prefetch, p->scratch, line * LINE)
                                           : tcc_x86_at(p->prefetch, line * LINE));
}

/* Rows whose element each multiply-add repeats for itself: as many as leave a load for every second instruction. The bytes of
 * dpbusd are signed on one side; indexed operands and those of VEX gain nothing. */
static int folded_rows(const TccX86 *x, const TccProduct *p) {
  bool can = p->folds && x->vector == 64 && p->npointers == 1 && p->multiply == TCC_X86_FMADD_PS;
  if (!can || p->rows * p->vectors + p->vectors >= p->registers) return 0;
  int n = 0;
  for (; n < p->rows; n++) {
    int apart = p->rows - n - 1, loads = p->vectors * (n + 2) + apart, all = p->vectors * (1 + p->rows) + apart;
    if (2 * loads > all) break;
  }
  return n;
}

/* Vectors of b that are loaded; the others are read by each multiply-add. VEX has no repeated operands, so that these save instructions,
 * as long as there is no more than a load for each multiply-add but for one in twelve. */
static int held_vectors(const TccX86 *x, const TccProduct *p) {
  if (p->widens) return p->vectors;
  int room = p->registers - p->rows * p->vectors - p->apart, held = p->vectors < room ? p->vectors : room - 1;
  bool can = x->vector == 32 && held == p->vectors && p->rows > 1;
  while (can && held > 1 && 12 * (p->rows + held - 1 + p->rows * (p->vectors - held + 1)) <= 11 * p->rows * p->vectors) held--;
  return held;
}

/* The products of a row with vectors that are held, whose last one takes the broadcast's place. The additions of the last two stand behind both products: those
 * of a pair of vectors then go to other ports (5 x 2 sums in the first cache of a Zen 3: 75 to 79 billion multiply-adds a second). */
static void widened_row(TccX86 *x, const TccProduct *p, int row, int one) {
  const int weights = p->rows * p->vectors, sum = row * p->vectors, last = p->vectors - 1, product = p->registers - 1;
  for (int j = 0; j < last; j++) {
    tcc_x86_vector(x, p->multiply, product, one, weights + j);
    if (j < last - 1) tcc_x86_vector(x, TCC_X86_ADD_I32, sum + j, sum + j, product);
  }
  tcc_x86_vector(x, p->multiply, one, one, weights + last);
  if (last) tcc_x86_vector(x, TCC_X86_ADD_I32, sum + last - 1, sum + last - 1, product);
  tcc_x86_vector(x, TCC_X86_ADD_I32, sum + last, sum + last, one);
}

/* Fetches are spread over the iteration: they wait for the same ports as loads. */
static void step(TccX86 *x, const TccProduct *p, int u, int *line) {
  int sums = p->rows * p->vectors, room = p->registers - sums - p->apart, held = held_vectors(x, p), product = p->registers - 1;
  int broadcasts = room - held < MOST_BROADCASTS ? room - held : MOST_BROADCASTS, folded = folded_rows(x, p);
  for (int i = 0; i < p->each; i++) prefetch(x, p, i);
  if (p->each) tcc_x86_op(x, TCC_X86_ADD, p->prefetch, p->each_step);
  const int64_t wide = p->widens ? x->vector / 2 : x->vector;
  for (int j = 0; j < held; j++)
    tcc_x86_vector_at(x, p->widens ? TCC_X86_WIDEN_I8 : TCC_X86_LOAD, sums + j, 0, tcc_x86_at(p->b, u * p->b_step + j * wide));
  for (int r = 0; r < p->rows; r++) {
    int one = sums + held + r % broadcasts, done = u * p->rows + r + 1, all = p->unroll * p->rows, a = p->a[p->pointer[r]];
    int64_t offset = p->offset[r] + u * p->a_step;
    bool moves = p->once || (p->npointers == 1 && !counts_to_zero(p));
    TccX86At at = moves ? tcc_x86_at(a, offset) : tcc_x86_at_index(a, p->taken, offset);
    bool folds = (r + 1) * folded / p->rows > r * folded / p->rows; /* evenly among the others */
    if (!folds) tcc_x86_vector_at(x, p->broadcast, one, 0, at);
    at.repeated = true;
    if (p->widens) widened_row(x, p, r, one);
    for (int j = 0; j < p->vectors && !p->widens; j++) {
      int sum = r * p->vectors + j, to = p->apart ? product : sum;
      if (folds) tcc_x86_vector_at(x, p->multiply, to, sums + j, at);
      else if (j < held) tcc_x86_vector(x, p->multiply, to, one, sums + j);
      else tcc_x86_vector_at(x, p->multiply, to, one, tcc_x86_at(p->b, u * p->b_step + j * x->vector));
      if (p->apart) tcc_x86_vector(x, TCC_X86_ADD_I32, sum, sum, product);
    }
    while (*line * all < done * p->lines) prefetch(x, p, (*line)++);
  }
}

static void emit_to_zero(TccX86 *x, const TccProduct *p) {
  int line = 0, scale = lines_scale(p);
  tcc_x86_op(x, TCC_X86_ADD, p->a[0], p->bytes);
  for (int i = 0; scale >= 0 && i < 1 << scale; i++) tcc_x86_op(x, TCC_X86_ADD, p->prefetch, p->bytes);
  tcc_x86_set(x, p->taken, 0);
  tcc_x86_op(x, TCC_X86_SUB, p->taken, p->bytes);
  size_t none = tcc_x86_jump(x, TCC_X86_EQUAL), loop = tcc_x86_here(x, true);
  for (int u = 0; u < p->unroll; u++) step(x, p, u, &line);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, p->b, p->unroll * p->b_step);
  if (p->lines && scale < 0) tcc_x86_number(x, TCC_X86_ADD_NUMBER, p->prefetch, p->lines * LINE);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, p->taken, p->unroll * p->a_step);
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, loop);
  tcc_x86_land(x, none);
}

void tcc_product_emit(TccX86 *x, const TccProduct *p) {
  if (counts_to_zero(p)) {
    emit_to_zero(x, p);
    return;
  }
  int line = 0;
  size_t none = 0, loop = 0;
  if (!p->once || p->prefetch_stride) tcc_x86_set(x, p->taken, 0);
  if (!p->once) {
    tcc_x86_op(x, TCC_X86_CMP, p->taken, p->bytes);
    none = tcc_x86_jump(x, TCC_X86_ABOVE_EQUAL), loop = tcc_x86_here(x, true);
  }
  if (p->prefetch_stride && p->lines) {
    tcc_x86_multiply(x, p->scratch, p->taken, p->prefetch_rate);
    tcc_x86_shift_right(x, p->scratch, RATE_BITS);
    tcc_x86_multiply(x, p->scratch, p->scratch, p->prefetch_stride);
  }
  for (int u = 0; u < p->unroll; u++) step(x, p, u, &line);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, p->b, p->unroll * p->b_step);
  if (p->npointers == 1) tcc_x86_number(x, TCC_X86_ADD_NUMBER, p->a[0], p->unroll * p->a_step);
  if (p->lines && !p->prefetch_stride) tcc_x86_number(x, TCC_X86_ADD_NUMBER, p->prefetch, p->lines * LINE);
  if (p->once) return;
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, p->taken, p->unroll * p->a_step);
  tcc_x86_op(x, TCC_X86_CMP, p->taken, p->bytes);
  tcc_x86_jump_back(x, TCC_X86_BELOW, loop);
  tcc_x86_land(x, none);
}
