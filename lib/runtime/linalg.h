/* linalg.h - what the builtins that factor matrices share (linalg_*.c). A tile of such a builtin is one matrix. All of them compute in doubles, in
 * the scratch of the thread: of f32 what is rounded is the result alone, and one code serves both types. Sizes and scratch: abi.h. */
#ifndef TCC_RUNTIME_LINALG_H
#define TCC_RUNTIME_LINALG_H
#include "internal.h"
#include "tcc/abi.h"

/* Element [i, j] is at[i * row + j * column]. */
typedef struct {
  const double *at;
  int64_t row, column;
} TccMatrix;

static inline TccMatrix tcc_matrix(const double *at, int64_t row) { return (TccMatrix){at, row, 1}; }
static inline TccMatrix tcc_matrix_transposed(const double *at, int64_t row) { return (TccMatrix){at, 1, row}; }

/* Elements from row to row of a matrix in scratch: whole vectors, an odd number of lines, so that the rows of a column lie in different sets of a
 * cache. At most columns + TCC_LINALG_PADDING. */
static inline int64_t tcc_linalg_row(int64_t columns) { return 8 * ((columns + 7) / 8 | 1); }

/* ---- linalg_product.c ---- */
/* c [m, n] -= a [m, k] b [k, n]; c's rows are `row` apart. */
void tcc_linalg_subtract(int64_t m, int64_t n, int64_t k, TccMatrix a, TccMatrix b, double *c, int64_t row);
double tcc_linalg_dot(int64_t n, const double *x, const double *y);
double tcc_linalg_update_dot(int64_t n, double f, const double *x, double g, const double *y, double *z,
                             const double *v);                                       /* z -= f x + g y; z . v */
void tcc_linalg_add_scaled(int64_t n, double factor, const double *x, double *y);    /* y += factor x */
void tcc_linalg_rotate(int64_t n, double cosine, double sine, double *x, double *y); /* x = c x + s y, y = c y - s x */
/* The same of rows z and z + step, then z + step and z + 2 step, ..., count times; rows are whole vectors, of which n elements count. */
void tcc_linalg_rotate_rows(int64_t n, int64_t count, const double *cosine, const double *sine, double *z, int64_t step);
/* Matrix `matrix` of a dense tensor of f32 or f64 as rows of doubles, what is behind a row being zeros; and back, the first `columns` of each row. */
void tcc_linalg_read(TccElem elem, const void *from, int64_t matrix, int64_t rows, int64_t columns, double *to, int64_t row);
void tcc_linalg_write(TccElem elem, void *to, int64_t matrix, int64_t rows, int64_t columns, const double *from, int64_t row);
/* n elements from `at` on, `step` apart. */
void tcc_linalg_put_row(TccElem elem, void *to, int64_t at, int64_t step, int64_t n, const double *from);
static inline double tcc_linalg_get(TccElem elem, const void *from, int64_t at) {
  return elem == TCC_ELEM_F64 ? ((const double *)from)[at] : (double)((const float *)from)[at];
}
static inline void tcc_linalg_put(TccElem elem, void *to, int64_t at, double value) {
  if (elem == TCC_ELEM_F64) ((double *)to)[at] = value;
  else ((float *)to)[at] = (float)value;
}
/* The sign of an eigenvector or a singular vector, which the matrix does not decide: whether the first of its elements that is no smaller than 0.61
 * times the largest (a ratio that no two simple numbers have) is negative. */
bool tcc_linalg_is_turned(int64_t n, const double *x);
void tcc_linalg_negate(int64_t n, double *x);

/* ---- linalg_qr.c ---- */
/* The reflector I - tau v v' with v[0] = 1 that makes x [n], whose elements are `step` apart, a multiple of the first axis: x[0] becomes that
 * multiple, the others become v's; tau is returned. LAPACK's dlarfg: the multiple has the other sign than x[0], and tau is 0 where x is one
 * already. */
double tcc_linalg_reflector(int64_t n, double *x, int64_t step);
#endif
