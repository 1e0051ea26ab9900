/* linalg_reflect.c - Householder reflectors: how one is made, and up to TCC_LINALG_BLOCK of them applied together, as I - V T V' (Schreiber and Van Loan
 * 1989), which is three products. */
#include "linalg.h"
#include <float.h>
#include <math.h>

enum { BLOCK = TCC_LINALG_BLOCK, ROW = BLOCK + TCC_LINALG_PADDING / 2 };

/* The Euclidean norm, of numbers whose squares may not be numbers, too. */
static double norm_of(int64_t n, const double *x, int64_t step) {
  double sum = 0, most = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i * step] * x[i * step];
  if (sum > DBL_MIN / DBL_EPSILON && sum <= DBL_MAX) return sqrt(sum);
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i * step]));
  if (most == 0 || !(most <= DBL_MAX)) return sum == sum ? most : sum;
  sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i * step] / most * (x[i * step] / most);
  return most * sqrt(sum);
}

double tcc_linalg_reflector(int64_t n, double *x, int64_t step) {
  const double rest = n > 1 ? norm_of(n - 1, x + step, step) : 0;
  if (rest == 0) return 0;
  const double alpha = x[0], beta = -copysign(hypot(alpha, rest), alpha);
  for (int64_t i = 1; i < n; i++) x[i * step] /= alpha - beta;
  x[0] = beta;
  return (beta - alpha) / beta;
}

double *tcc_linalg_reflectors_begin(TccReflectors *r, double *scratch, int64_t rows) {
  r->v = scratch;
  r->t = r->v + rows * ROW;
  r->square = r->t + BLOCK * ROW;
  return r->square + BLOCK * ROW;
}

double *tcc_linalg_reflector_at(const TccReflectors *r, int64_t row) { return r->v + row * ROW; }

void tcc_linalg_reflectors_make(const TccReflectors *r, int64_t rows, int64_t count, const double *tau) {
  memset(r->square, 0, BLOCK * ROW * sizeof(double));
  memset(r->t, 0, BLOCK * ROW * sizeof(double));
  tcc_linalg_subtract(count, count, rows, tcc_matrix_transposed(r->v, ROW), tcc_matrix(r->v, ROW), r->square, ROW);
  for (int64_t j = 0; j < count; j++) {
    r->t[j * ROW + j] = tau[j];
    for (int64_t i = 0; i < j; i++) {
      double sum = 0;
      for (int64_t p = i; p < j; p++) sum += r->t[i * ROW + p] * r->square[p * ROW + j];
      r->t[i * ROW + j] = tau[j] * sum;
    }
  }
}

static TccMatrix t_of(const TccReflectors *r, bool transposed) {
  return transposed ? tcc_matrix_transposed(r->t, ROW) : tcc_matrix(r->t, ROW);
}

void tcc_linalg_reflect_left(const TccReflectors *r, int64_t rows, int64_t count, double *c, int64_t columns, int64_t row,
                             double *product, bool transposed) {
  if (columns <= 0) return;
  double *second = product + BLOCK * row;
  memset(product, 0, (size_t)(count * row) * sizeof(double));
  memset(second, 0, (size_t)(count * row) * sizeof(double));
  tcc_linalg_subtract(count, columns, rows, tcc_matrix_transposed(r->v, ROW), tcc_matrix(c, row), product, row);
  tcc_linalg_subtract(count, columns, count, t_of(r, transposed), tcc_matrix(product, row), second, row);
  tcc_linalg_subtract(rows, columns, count, tcc_matrix(r->v, ROW), tcc_matrix(second, row), c, row);
}

void tcc_linalg_reflect_right(const TccReflectors *r, int64_t columns, int64_t count, double *c, int64_t rows, int64_t row,
                              double *product, bool transposed) {
  double *second = product + rows * ROW;
  memset(product, 0, (size_t)(rows * ROW) * sizeof(double));
  memset(second, 0, (size_t)(rows * ROW) * sizeof(double));
  tcc_linalg_subtract(rows, count, columns, tcc_matrix(c, row), tcc_matrix(r->v, ROW), product, ROW);
  tcc_linalg_subtract(rows, count, count, tcc_matrix(product, ROW), t_of(r, transposed), second, ROW);
  tcc_linalg_subtract(rows, columns, count, tcc_matrix(second, ROW), tcc_matrix_transposed(r->v, ROW), c, row);
}
