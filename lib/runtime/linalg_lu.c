/* linalg_lu.c - the builtins lu, with partial pivoting, and pivots_to_permutation.
 *
 * Recursive (Toledo 1997): the left half of the columns is factored, its row exchanges are done in the right half, whose upper part becomes
 * L^-1 of itself, and the lower part loses the product, before it is factored in its turn. So all but the last BLOCK columns is products. The parts
 * begin at whole vectors. */
#include "linalg.h"
#include <math.h>

enum { BLOCK = 8 };

typedef struct {
  double *w;       /* [m, n] */
  int64_t m, row;  /* elements from row to row */
  int32_t *pivots; /* of each step, from 1 on; NULL: not wanted */
  int64_t info;    /* the first step whose pivot is 0, from 1 on; 0: none */
} Lu;

static void exchange(double *x, double *y, int64_t n) {
  for (int64_t j = 0; j < n; j++) {
    const double held = x[j];
    x[j] = y[j], y[j] = held;
  }
}

/* The row of the largest element of column j from row j on. */
static int64_t largest(const Lu *lu, int64_t j) {
  int64_t best = j;
  double most = fabs(lu->w[j * lu->row + j]);
  for (int64_t i = j + 1; i < lu->m; i++) {
    const double size = fabs(lu->w[i * lu->row + j]);
    if (size > most) most = size, best = i;
  }
  return best;
}

/* Columns [first, end), BLOCK at most; `columns` is where the rows that are exchanged end. */
static void factor_block(Lu *lu, int64_t first, int64_t end, int64_t columns) {
  for (int64_t j = first; j < end && j < lu->m; j++) {
    const int64_t pivot = largest(lu, j);
    double *top = lu->w + j * lu->row;
    if (lu->pivots) lu->pivots[j] = (int32_t)(pivot + 1);
    if (pivot != j) exchange(top, lu->w + pivot * lu->row, columns);
    if (top[j] == 0) { /* so is all below */
      if (!lu->info) lu->info = j + 1;
      continue;
    }
    for (int64_t i = j + 1; i < lu->m; i++) {
      double *below = lu->w + i * lu->row;
      const double factor = below[j] /= top[j];
      for (int64_t c = j + 1; c < end; c++) below[c] -= factor * top[c];
    }
  }
}

/* b [n, columns] becomes L^-1 b, l [n, n] being a lower triangle with ones on the diagonal. */
static void solve(const double *l, int64_t n, double *b, int64_t columns, int64_t row) {
  if (n <= BLOCK) {
    for (int64_t i = 1; i < n; i++)
      for (int64_t p = 0; p < i; p++) tcc_linalg_add_scaled(columns, -l[i * row + p], b + p * row, b + i * row);
    return;
  }
  const int64_t half = (n / 2 + BLOCK - 1) / BLOCK * BLOCK;
  solve(l, half, b, columns, row);
  tcc_linalg_subtract(n - half, columns, half, tcc_matrix(l + half * row, row), tcc_matrix(b, row), b + half * row, row);
  solve(l + half * row + half, n - half, b + half * row, columns, row);
}

static void factor(Lu *lu, int64_t first, int64_t end, int64_t columns) {
  if (end - first <= BLOCK) {
    factor_block(lu, first, end, columns);
    return;
  }
  const int64_t middle = first + ((end - first) / 2 + BLOCK - 1) / BLOCK * BLOCK, row = lu->row;
  factor(lu, first, middle, columns);
  const int64_t done = middle < lu->m ? middle : lu->m;
  double *top = lu->w + first * row;
  if (first < lu->m) solve(top + first, done - first, top + middle, end - middle, row);
  if (middle >= lu->m) return;
  double *low = lu->w + middle * row;
  tcc_linalg_subtract(lu->m - middle, end - middle, middle - first, tcc_matrix(low + first, row), tcc_matrix(top + middle, row),
                      low + middle, row);
  factor(lu, middle, end, columns);
}

void tcc_lu(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t m = sizes[TCC_LINALG_ROWS], n = sizes[TCC_LINALG_COLUMNS], row = tcc_linalg_row(n), steps = m < n ? m : n;
  const int64_t *out = sizes + TCC_LINALG_RESULT;
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  for (int64_t tile = begin; tile < end; tile++) {
    Lu lu = {.w = scratch, .m = m, .row = row, .pivots = out[1] ? (int32_t *)arguments[out[1]] + tile * steps : NULL};
    tcc_linalg_read(elem, arguments[sizes[TCC_LINALG_OPERAND]], tile, m, n, lu.w, row);
    factor(&lu, 0, n, n);
    if (out[0]) tcc_linalg_write(elem, arguments[out[0]], tile, m, n, lu.w, row);
    if (out[2]) ((int32_t *)arguments[out[2]])[tile] = (int32_t)lu.info;
  }
}

/* rows: of the permutation; columns: of the pivots. What a pivot that is no row exchanges is left as it is. */
void tcc_pivots_to_permutation(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  const int64_t rows = sizes[TCC_LINALG_ROWS], steps = sizes[TCC_LINALG_COLUMNS];
  const int32_t *pivots = arguments[sizes[TCC_LINALG_OPERAND]];
  int64_t *out = arguments[sizes[TCC_LINALG_RESULT]];
  for (int64_t tile = begin; tile < end; tile++) {
    int64_t *to = out + tile * rows;
    for (int64_t i = 0; i < rows; i++) to[i] = i;
    for (int64_t i = 0; i < steps && i < rows; i++) {
      const int64_t other = (int64_t)pivots[tile * steps + i] - 1, held = to[i];
      if (other < 0 || other >= rows) continue;
      to[i] = to[other], to[other] = held;
    }
  }
}
