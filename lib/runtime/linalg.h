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
void tcc_linalg_add_scaled(int64_t n, double factor, const double *x, double *y);                    /* y += factor x */
void tcc_linalg_add_two(int64_t n, double f, const double *x, double g, const double *y, double *z); /* z += f x + g y */
void tcc_linalg_rotate(int64_t n, double cosine, double sine, double *x, double *y); /* x = c x + s y, y = c y - s x */
void tcc_linalg_add_rows(int64_t m, int64_t n, const double *a, int64_t row, const double *x,
                         double *y); /* y [n] += a' x, a [m, n] */
void tcc_linalg_dot_rows(int64_t m, int64_t n, const double *a, int64_t row, const double *x,
                         double *y); /* y [m] = a x, a [m, n] */
/* y [n] = a x, a [n, n] being symmetric: its upper triangle is read. */
void tcc_linalg_symmetric(int64_t n, const double *a, int64_t row, const double *x, double *y);
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

/* A power of two by which numbers of at most this size are multiplied, so that their squares are numbers; 1 for most. */
double tcc_linalg_scale(double most);

/* What an iteration neglects, of what is beside it: where results are rounded to f32, 2^-16 of that. */
static inline double tcc_linalg_negligible(TccElem elem) { return elem == TCC_ELEM_F64 ? 0x1p-52 : 0x1p-40; }

/* ---- linalg_rotate.c ---- */
enum { TCC_LINALG_SWEEPS = 4 };

/* Sweeps of rotations that are still to be done. Rows are `step` apart, whole vectors, of which `columns` elements count. */
typedef struct {
  double *z; /* [rows, columns] */
  int64_t rows, columns, step;
  double *rotations;   /* [rows + TCC_LINALG_SWEEPS, TCC_LINALG_SWEEPS, 2]: that of pair p in sweep i is at [p + i + 1, i] */
  int64_t first, last; /* the pairs of which there are rotations */
  int64_t count;
} TccSweeps;

/* Places s, which has no sweep yet, in scratch; what is behind is returned. */
double *tcc_linalg_sweeps_begin(TccSweeps *s, double *scratch, double *z, int64_t rows, int64_t columns, int64_t step);
/* Row x = z[pair] becomes c x + s y, y = z[pair + 1] becomes c y - s x. Pairs of a sweep ascend. */
static inline void tcc_linalg_sweep_rotate(TccSweeps *s, int64_t pair, double cosine, double sine) {
  double *at = s->rotations + 2 * ((pair + s->count + 1) * TCC_LINALG_SWEEPS + s->count);
  at[0] = cosine, at[1] = sine;
  if (pair < s->first) s->first = pair;
  if (pair > s->last) s->last = pair;
}
void tcc_linalg_sweep_end(TccSweeps *s);  /* what follows is another sweep */
void tcc_linalg_sweeps_end(TccSweeps *s); /* does all that were kept */

/* ---- linalg_reflect.c ---- */
/* The reflector I - tau v v' with v[0] = 1 that makes x [n], whose elements are `step` apart, a multiple of the first axis: x[0] becomes that
 * multiple, the others become v's; tau is returned. LAPACK's dlarfg: the multiple has the other sign than x[0], and tau is 0 where x is one
 * already. */
double tcc_linalg_reflector(int64_t n, double *x, int64_t step);

/* At most TCC_LINALG_BLOCK reflectors, H0 H1 ... = I - V T V'. */
typedef struct {
  double *v;          /* [rows, BLOCK]: a reflector a column, with ones and zeros */
  double *t, *square; /* [BLOCK, BLOCK]: T; -V' V */
} TccReflectors;

/* Places r, of at most `rows` elements each, in scratch; what is behind is returned. */
double *tcc_linalg_reflectors_begin(TccReflectors *r, double *scratch, int64_t rows);
double *tcc_linalg_reflector_at(const TccReflectors *r, int64_t row); /* row `row` of V, to be filled */
/* T of `count` reflectors of `rows` elements, whose factors are tau. */
void tcc_linalg_reflectors_make(const TccReflectors *r, int64_t rows, int64_t count, const double *tau);
/* c [rows, columns] becomes (I - V T V') c, or, transposed, (I - V T' V') c. product: two times [BLOCK, columns] of scratch, rows as c's. */
void tcc_linalg_reflect_left(const TccReflectors *r, int64_t rows, int64_t count, double *c, int64_t columns, int64_t row,
                             double *product, bool transposed);
/* c [rows, columns] becomes c (I - V T V'), or, transposed, c (I - V T' V'). product: two times [rows, BLOCK] of scratch, rows as V's. */
void tcc_linalg_reflect_right(const TccReflectors *r, int64_t columns, int64_t count, double *c, int64_t rows, int64_t row,
                              double *product, bool transposed);
#endif
