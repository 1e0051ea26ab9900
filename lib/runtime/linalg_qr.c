/* linalg_qr.c - the builtins geqrf and householder_product, LAPACK's: a matrix as reflectors and a triangle, and the product of reflectors.
 *
 * BLOCK reflectors are I - V T V' together (Schreiber and Van Loan 1989), so that all columns outside of a block are three products. */
#include "linalg.h"
#include <float.h>
#include <math.h>

enum { BLOCK = TCC_LINALG_BLOCK, BLOCK_ROW = BLOCK + TCC_LINALG_PADDING / 2 };

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

typedef struct {
  int64_t m, n, row;  /* of the matrix in scratch */
  double *w;          /* [m, n] */
  double *v;          /* [m, BLOCK]: reflectors of a block with their ones and zeros */
  double *t;          /* [BLOCK, BLOCK]: T */
  double *square;     /* [BLOCK, BLOCK]: -V' V */
  double *product[2]; /* [BLOCK, n] */
} Qr;

static Qr begin_qr(double *scratch, int64_t m, int64_t n) {
  Qr q = {.m = m, .n = n, .row = tcc_linalg_row(n), .w = scratch};
  q.v = q.w + m * q.row;
  q.t = q.v + m * BLOCK_ROW;
  q.square = q.t + BLOCK * BLOCK_ROW;
  q.product[0] = q.square + BLOCK * BLOCK_ROW;
  q.product[1] = q.product[0] + BLOCK * q.row;
  return q;
}

/* T of `count` reflectors of `rows` elements in q->v, whose factors are tau. */
static void make_t(Qr *q, int64_t rows, int64_t count, const double *tau) {
  memset(q->square, 0, BLOCK * BLOCK_ROW * sizeof(double));
  memset(q->t, 0, BLOCK * BLOCK_ROW * sizeof(double));
  tcc_linalg_subtract(count, count, rows, tcc_matrix_transposed(q->v, BLOCK_ROW), tcc_matrix(q->v, BLOCK_ROW), q->square,
                      BLOCK_ROW);
  for (int64_t j = 0; j < count; j++) {
    q->t[j * BLOCK_ROW + j] = tau[j];
    for (int64_t i = 0; i < j; i++) {
      double sum = 0;
      for (int64_t p = i; p < j; p++) sum += q->t[i * BLOCK_ROW + p] * q->square[p * BLOCK_ROW + j];
      q->t[i * BLOCK_ROW + j] = tau[j] * sum;
    }
  }
}

/* c [rows, columns] becomes (I - V T V') c, or, transposed, (I - V T' V') c. */
static void apply(Qr *q, int64_t rows, int64_t count, double *c, int64_t columns, bool transposed) {
  if (columns <= 0) return;
  for (int i = 0; i < 2; i++) memset(q->product[i], 0, (size_t)(count * q->row) * sizeof(double));
  const TccMatrix v = tcc_matrix(q->v, BLOCK_ROW),
                  t = transposed ? tcc_matrix_transposed(q->t, BLOCK_ROW) : tcc_matrix(q->t, BLOCK_ROW);
  tcc_linalg_subtract(count, columns, rows, tcc_matrix_transposed(q->v, BLOCK_ROW), tcc_matrix(c, q->row), q->product[0], q->row);
  tcc_linalg_subtract(count, columns, count, t, tcc_matrix(q->product[0], q->row), q->product[1], q->row);
  tcc_linalg_subtract(rows, columns, count, v, tcc_matrix(q->product[1], q->row), c, q->row);
}

/* Reflectors of columns [first, first + count), applied to those of the block. */
static void factor_block(Qr *q, int64_t first, int64_t count, double *tau) {
  const int64_t end = first + count;
  double sum[BLOCK];
  for (int64_t j = first; j < end; j++) {
    double *top = q->w + j * q->row;
    const double factor = tau[j] = tcc_linalg_reflector(q->m - j, top + j, q->row);
    if (factor == 0) continue;
    for (int64_t c = j + 1; c < end; c++) sum[c - first] = top[c];
    for (int64_t i = j + 1; i < q->m; i++) {
      const double *of = q->w + i * q->row;
      for (int64_t c = j + 1; c < end; c++) sum[c - first] += of[j] * of[c];
    }
    for (int64_t c = j + 1; c < end; c++) top[c] -= factor * sum[c - first];
    for (int64_t i = j + 1; i < q->m; i++) {
      double *of = q->w + i * q->row;
      const double v = factor * of[j];
      for (int64_t c = j + 1; c < end; c++) of[c] -= v * sum[c - first];
    }
  }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void tcc_geqrf(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t m = sizes[TCC_LINALG_ROWS], n = sizes[TCC_LINALG_COLUMNS], steps = least(m, n), *out = sizes + TCC_LINALG_RESULT;
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  Qr q = begin_qr(scratch, m, n);
  double *tau = q.product[1] + BLOCK * q.row;
  for (int64_t tile = begin; tile < end; tile++) {
    tcc_linalg_read(elem, arguments[sizes[TCC_LINALG_OPERAND]], tile, m, n, q.w, q.row);
    for (int64_t first = 0; first < steps; first += BLOCK) {
      const int64_t count = least(BLOCK, steps - first), rows = m - first;
      factor_block(&q, first, count, tau);
      if (first + count >= n) break;
      for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < count; j++) q.v[i * BLOCK_ROW + j] = i > j ? q.w[(first + i) * q.row + first + j] : i == j;
      make_t(&q, rows, count, tau + first);
      apply(&q, rows, count, q.w + first * q.row + first + count, n - first - count, true);
    }
    if (out[0]) tcc_linalg_write(elem, arguments[out[0]], tile, m, n, q.w, q.row);
    if (out[1]) tcc_linalg_write(elem, arguments[out[1]], tile, 1, steps, tau, 0);
  }
}

void tcc_householder_product(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t m = sizes[TCC_LINALG_ROWS], n = sizes[TCC_LINALG_COLUMNS], steps = sizes[TCC_LINALG_OPTION];
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  const void *a = arguments[sizes[TCC_LINALG_OPERAND]], *factors = arguments[sizes[TCC_LINALG_OPERAND_2]];
  Qr q = begin_qr(scratch, m, n);
  double tau[BLOCK];
  for (int64_t tile = begin; tile < end; tile++) {
    memset(q.w, 0, (size_t)(m * q.row) * sizeof(double));
    for (int64_t i = 0; i < n; i++) q.w[i * q.row + i] = 1;
    for (int64_t first = (steps - 1) / BLOCK * BLOCK; steps && first >= 0; first -= BLOCK) {
      const int64_t count = least(BLOCK, steps - first), rows = m - first;
      for (int64_t j = 0; j < count; j++) tau[j] = tcc_linalg_get(elem, factors, tile * steps + first + j);
      for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < count; j++)
          q.v[i * BLOCK_ROW + j] = i > j ? tcc_linalg_get(elem, a, (tile * m + first + i) * n + first + j) : i == j;
      make_t(&q, rows, count, tau);
      apply(&q, rows, count, q.w + first * q.row + first, n - first, false);
    }
    tcc_linalg_write(elem, arguments[sizes[TCC_LINALG_RESULT]], tile, m, n, q.w, q.row);
  }
}
