/* linalg_cholesky.c - the builtin cholesky: a = l l', of the lower triangle of a. Recursive, as lu (linalg_lu.c): the upper left quarter is factored, the lower
 * left one becomes what it is times l'^-1, and the lower right one loses the product of that with itself. */
#include "linalg.h"
#include <math.h>

enum { BLOCK = 8, TRIANGLE = 48 };

static int64_t half_of(int64_t n) { return (n / 2 + BLOCK - 1) / BLOCK * BLOCK; }

/* x [m, n] becomes x l'^-1, l [n, n] being a lower triangle. */
static void solve(const double *l, int64_t n, double *x, int64_t m, int64_t row) {
  if (n <= BLOCK) {
    for (int64_t i = 0; i < m; i++) {
      double *of = x + i * row;
      for (int64_t j = 0; j < n; j++) {
        for (int64_t p = 0; p < j; p++) of[j] -= of[p] * l[j * row + p];
        of[j] /= l[j * row + j];
      }
    }
    return;
  }
  const int64_t half = half_of(n);
  solve(l, half, x, m, row);
  tcc_linalg_subtract(m, n - half, half, tcc_matrix(x, row), tcc_matrix_transposed(l + half * row, row), x + half, row);
  solve(l + half * row + half, n - half, x + half, m, row);
}

/* The lower triangle of a [n, n] loses x x', x being [n, depth]. */
static void subtract_square(double *a, int64_t n, const double *x, int64_t depth, int64_t row) {
  if (n <= TRIANGLE) {
    tcc_linalg_subtract(n, n, depth, tcc_matrix(x, row), tcc_matrix_transposed(x, row), a, row);
    return;
  }
  const int64_t half = half_of(n);
  subtract_square(a, half, x, depth, row);
  tcc_linalg_subtract(n - half, half, depth, tcc_matrix(x + half * row, row), tcc_matrix_transposed(x, row), a + half * row, row);
  subtract_square(a + half * row + half, n - half, x + half * row, depth, row);
}

/* The order of the first leading minor that is not positive; 0: none. */
static int64_t factor(double *a, int64_t n, int64_t row) {
  if (n > BLOCK) {
    const int64_t half = half_of(n);
    double *low = a + half * row;
    int64_t info = factor(a, half, row);
    if (info) return info;
    solve(a, half, low, n - half, row);
    subtract_square(low + half, n - half, low, half, row);
    info = factor(low + half, n - half, row);
    return info ? info + half : 0;
  }
  for (int64_t j = 0; j < n; j++) {
    double *of = a + j * row, rest = of[j];
    for (int64_t p = 0; p < j; p++) rest -= of[p] * of[p];
    if (!(rest > 0)) return j + 1;
    of[j] = sqrt(rest);
    for (int64_t i = j + 1; i < n; i++) {
      double *below = a + i * row;
      for (int64_t p = 0; p < j; p++) below[j] -= below[p] * of[p];
      below[j] /= of[j];
    }
  }
  return 0;
}

void tcc_cholesky(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t n = sizes[TCC_LINALG_ROWS], row = tcc_linalg_row(n), *out = sizes + TCC_LINALG_RESULT;
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  double *w = scratch;
  for (int64_t tile = begin; tile < end; tile++) {
    tcc_linalg_read(elem, arguments[sizes[TCC_LINALG_OPERAND]], tile, n, n, w, row);
    const int64_t info = factor(w, n, row);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = i + 1; j < n; j++) w[i * row + j] = 0;
    if (out[0]) tcc_linalg_write(elem, arguments[out[0]], tile, n, n, w, row);
    if (out[1]) ((int32_t *)arguments[out[1]])[tile] = (int32_t)info;
  }
}
