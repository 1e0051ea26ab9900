/* linalg_qr.c - the builtins geqrf and householder_product, LAPACK's: a matrix as reflectors and a triangle, and the product of reflectors. Columns
 * outside of a block of reflectors meet them together (linalg_reflect.c). */
#include "linalg.h"

enum { BLOCK = TCC_LINALG_BLOCK };

typedef struct {
  int64_t m, n, row; /* of the matrix in scratch */
  double *w;         /* [m, n] */
  TccReflectors block;
  double *product; /* 2 x [BLOCK, n] */
} Qr;

static Qr begin_qr(double *scratch, int64_t m, int64_t n) {
  Qr q = {.m = m, .n = n, .row = tcc_linalg_row(n), .w = scratch};
  q.product = tcc_linalg_reflectors_begin(&q.block, q.w + m * q.row, m);
  return q;
}

/* Reflectors of columns [first, first + count), applied to those of the block. Where V will be is room for one. */
static void factor_block(Qr *q, int64_t first, int64_t count, double *tau) {
  double sum[BLOCK], *v = q->block.v;
  for (int64_t j = first; j < first + count; j++) {
    const int64_t rows = q->m - j, columns = first + count - j - 1;
    double *top = q->w + j * q->row + j;
    const double factor = tau[j] = tcc_linalg_reflector(rows, top, q->row);
    if (factor == 0 || !columns) continue;
    v[0] = 1;
    for (int64_t i = 1; i < rows; i++) v[i] = top[i * q->row];
    memset(sum, 0, sizeof sum);
    tcc_linalg_add_rows(rows, columns, top + 1, q->row, v, sum);
    for (int64_t i = 0; i < columns; i++) sum[i] *= factor;
    tcc_linalg_subtract(rows, columns, 1, tcc_matrix(v, 1), tcc_matrix(sum, BLOCK), top + 1, q->row);
  }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

void tcc_geqrf(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t m = sizes[TCC_LINALG_ROWS], n = sizes[TCC_LINALG_COLUMNS], steps = least(m, n), *out = sizes + TCC_LINALG_RESULT;
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  Qr q = begin_qr(scratch, m, n);
  double *tau = q.product + 2 * BLOCK * q.row;
  for (int64_t tile = begin; tile < end; tile++) {
    tcc_linalg_read(elem, arguments[sizes[TCC_LINALG_OPERAND]], tile, m, n, q.w, q.row);
    for (int64_t first = 0; first < steps; first += BLOCK) {
      const int64_t count = least(BLOCK, steps - first), rows = m - first;
      factor_block(&q, first, count, tau);
      if (first + count >= n) break;
      for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < count; j++)
          tcc_linalg_reflector_at(&q.block, i)[j] = i > j ? q.w[(first + i) * q.row + first + j] : i == j;
      tcc_linalg_reflectors_make(&q.block, rows, count, tau + first);
      tcc_linalg_reflect_left(&q.block, rows, count, q.w + first * q.row + first + count, n - first - count, q.row, q.product,
                              true);
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
          tcc_linalg_reflector_at(&q.block, i)[j] =
              i > j ? tcc_linalg_get(elem, a, (tile * m + first + i) * n + first + j) : i == j;
      tcc_linalg_reflectors_make(&q.block, rows, count, tau);
      tcc_linalg_reflect_left(&q.block, rows, count, q.w + first * q.row + first, n - first, q.row, q.product, false);
    }
    tcc_linalg_write(elem, arguments[sizes[TCC_LINALG_RESULT]], tile, m, n, q.w, q.row);
  }
}
