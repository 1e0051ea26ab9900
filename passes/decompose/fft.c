/* fft.c - expansions of fft and irfft: products with matrices of cosines and sines.
 *
 * Of a size a b the transform is one over a, factors, and one over b (Gentleman and Sande 1966): with i = b i1 + i2 and k = k1 + a k2
 *
 *   X[k] = sum over i2 of e(i2 k2 / b) e(i2 k1 / (a b)) sum over i1 of e(i1 k1 / a) x[i],   e(t) = exp(sign 2 pi i t)
 *
 * so that no matrix is larger than a prime factor or LARGEST, which keeps rounding near that of a fast transform. Of a size that is a symbol it is one
 * product. Matrices are computed, when the model is loaded where no symbol is in them: j k modulo n is a whole number, its angle in f64. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { LARGEST = 32, COMPLETED = 512 };

typedef struct {
  MlirValue re, im; /* im null: 0 */
} Complex;

static MlirValue add(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_ADD, a, b); }
static MlirValue sub(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_SUB, a, b); }
static MlirValue mul(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_MUL, a, b); }

/* cos, or sin, of sign 2 pi j k / n, [rows, columns]. */
static MlirValue waves(TccExpand *x, TccOpKind function, double sign, const TccExpr *rows, const TccExpr *columns,
                       const TccExpr *n) {
  TccBuilder *b = x->b;
  const TccExpr *down[] = {rows, tcc_ex_const(x, 1)};
  MlirValue j = tcc_build_reshape(b, tcc_build_iota(b, TCC_ELEM_I64, 0, 1, &rows), 2, down),
            k = tcc_build_iota(b, TCC_ELEM_I64, 0, 1, &columns);
  MlirValue turns = tcc_build2(b, TCC_OP_MOD, tcc_build2(b, TCC_OP_MUL, j, k), tcc_ex_size(x, n, TCC_ELEM_I64));
  MlirValue angle = tcc_build2(
      b, TCC_OP_DIV, tcc_build2_number(b, TCC_OP_MUL, tcc_build_convert(b, turns, TCC_ELEM_F64), sign * 2 * 3.14159265358979323846),
      tcc_ex_size(x, n, TCC_ELEM_F64));
  return tcc_build_convert(b, tcc_build1(b, function, angle), x->elem);
}

/* Sums of x along axis times the columns of a matrix, which stand there. */
static MlirValue along(TccExpand *x, MlirValue v, int64_t axis, MlirValue matrix) {
  const int64_t first = 0;
  int64_t perm[TCC_MAX_RANK];
  if (!v.ptr || !matrix.ptr) return v.ptr ? matrix : v;
  const int rank = tcc_type_rank(tcc_value_type(v));
  MlirValue r = tcc_build_dot_general(x->b, v, matrix, NULL, NULL, 0, &axis, &first, 1); /* the axis is the last one */
  for (int i = 0; i < rank; i++) perm[i] = i < axis ? i : i == axis ? rank - 1 : i - 1;
  return tcc_build_transpose(x->b, r, perm);
}

/* The first `columns` of the n results. */
static Complex by_matrix(TccExpand *x, Complex v, int64_t axis, const TccExpr *n, const TccExpr *columns, double sign) {
  MlirValue cosines = waves(x, TCC_OP_COS, sign, n, columns, n), sines = waves(x, TCC_OP_SIN, sign, n, columns, n);
  Complex r = {along(x, v.re, axis, cosines), along(x, v.re, axis, sines)};
  if (!v.im.ptr) return r;
  return (Complex){sub(x, r.re, along(x, v.im, axis, sines)), add(x, r.im, along(x, v.im, axis, cosines))};
}

/* The greatest factor of n up to its root; 1: n is prime. */
static int64_t factor_of(int64_t n) {
  int64_t a = (int64_t)sqrt((double)n);
  while (a > 1 && n % a) a--;
  return a;
}

/* An axis of a b elements as two. */
static MlirValue split_axis(TccExpand *x, MlirValue v, int64_t axis, int64_t a, int64_t b) {
  TccShape s;
  const TccExpr *dims[TCC_MAX_RANK + 1];
  if (!v.ptr || !tcc_ex_shape(x, v, &s)) return (MlirValue){NULL};
  for (int i = 0; i < s.rank; i++) dims[i < axis ? i : i + 1] = s.dims[i];
  dims[axis] = tcc_ex_const(x, a), dims[axis + 1] = tcc_ex_const(x, b);
  return tcc_build_reshape(x->b, v, s.rank + 1, dims);
}

/* [.., a, b, ..] as [.., b a, ..] */
static MlirValue join_turned(TccExpand *x, MlirValue v, int64_t axis) {
  TccShape s;
  const TccExpr *dims[TCC_MAX_RANK];
  int64_t perm[TCC_MAX_RANK];
  if (!v.ptr || !tcc_ex_shape(x, v, &s)) return (MlirValue){NULL};
  for (int i = 0; i < s.rank; i++) perm[i] = i == axis ? axis + 1 : i == axis + 1 ? axis : i;
  for (int i = 0; i < s.rank; i++)
    dims[i <= axis ? i : i - 1] = i == axis + 1 ? tcc_expr_mul(x->ir->exprs, s.dims[axis], s.dims[i]) : s.dims[i];
  return tcc_build_reshape(x->b, tcc_build_transpose(x->b, v, perm), s.rank - 1, dims);
}

/* v [.., a, b, ..] times e(j k / (a b)). */
static Complex twiddled(TccExpand *x, Complex v, int64_t axis, int64_t a, int64_t b, double sign) {
  const TccExpr *dims[TCC_MAX_RANK], *rows = tcc_ex_const(x, a), *columns = tcc_ex_const(x, b);
  if (!v.re.ptr || !v.im.ptr) return (Complex){{NULL}, {NULL}};
  const int rank = tcc_type_rank(tcc_value_type(v.re));
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? rows : i == axis + 1 ? columns : tcc_ex_const(x, 1);
  MlirValue c = tcc_build_reshape(x->b, waves(x, TCC_OP_COS, sign, rows, columns, tcc_ex_const(x, a * b)), rank, dims),
            s = tcc_build_reshape(x->b, waves(x, TCC_OP_SIN, sign, rows, columns, tcc_ex_const(x, a * b)), rank, dims);
  return (Complex){sub(x, mul(x, v.re, c), mul(x, v.im, s)), add(x, mul(x, v.re, s), mul(x, v.im, c))};
}

/* Results from `columns` on are there or not. */
static Complex transform(TccExpand *x, Complex v, int64_t axis, const TccExpr *size, const TccExpr *columns, double sign) {
  int64_t n = 1;
  const bool known = tcc_expr_is_const(size, &n);
  const int64_t a = known && n > LARGEST ? factor_of(n) : 1, b = n / a;
  if (!v.re.ptr) return v;
  if (a == 1 || tcc_type_rank(tcc_value_type(v.re)) == TCC_MAX_RANK) return by_matrix(x, v, axis, size, columns, sign);
  const TccExpr *first = tcc_ex_const(x, a), *second = tcc_ex_const(x, b);
  const bool real = !v.im.ptr;
  v.re = split_axis(x, v.re, axis, a, b);
  if (!real) v.im = split_axis(x, v.im, axis, a, b);
  if (!v.re.ptr || (!real && !v.im.ptr)) return (Complex){{NULL}, {NULL}};
  v = twiddled(x, transform(x, v, axis, first, first, sign), axis, a, b, sign);
  if (!v.re.ptr || !v.im.ptr) return (Complex){{NULL}, {NULL}};
  v = transform(x, v, axis + 1, second, second, sign);
  return (Complex){join_turned(x, v.re, axis), join_turned(x, v.im, axis)};
}

static MlirValue first_of(TccExpand *x, MlirValue v, int64_t axis, const TccExpr *size) {
  return v.ptr ? tcc_build_slice_axis(x->b, v, (int)axis, tcc_ex_const(x, 0), 1, size) : v;
}

bool tcc_expand_fft(TccExpand *x, MlirValue *results) {
  const int64_t axis = tcc_i64(x->ir, x->op, "axis");
  const double sign = tcc_bool(x->ir, x->op, "inverse") ? 1 : -1;
  TccShape from, to;
  if (!tcc_ex_shape(x, tcc_ex_operand(x, 0), &from) || !tcc_ex_shape(x, mlirOperationGetResult(x->op, 0), &to)) return false;
  const Complex r = transform(x, (Complex){tcc_ex_operand(x, 0), tcc_ex_operand(x, 1)}, axis, from.dims[axis], to.dims[axis], sign);
  results[0] = first_of(x, r.re, axis, to.dims[axis]), results[1] = first_of(x, r.im, axis, to.dims[axis]);
  return results[0].ptr && results[1].ptr;
}

/* All n frequencies of n / 2 + 1 of them: those behind are conjugates. What the imaginary parts of the first and the last give is
 * imaginary. */
static Complex completed(TccExpand *x, Complex v, int64_t axis, int64_t n) {
  const int64_t more = n - (n / 2 + 1);
  const TccExpr *size = tcc_ex_const(x, more);
  MlirValue re[] = {v.re, tcc_build_slice_axis(x->b, v.re, (int)axis, size, -1, size)};
  v.re = tcc_build_concat(x->b, re, 2, axis);
  if (!v.im.ptr) return v;
  MlirValue im[] = {v.im, tcc_build1(x->b, TCC_OP_NEG, tcc_build_slice_axis(x->b, v.im, (int)axis, size, -1, size))};
  v.im = tcc_build_concat(x->b, im, 2, axis);
  return v;
}

/* A long line is completed, so that no matrix has all of it. */
bool tcc_expand_irfft(TccExpand *x, MlirValue *results) {
  const int64_t axis = tcc_i64(x->ir, x->op, "axis");
  int64_t n = 0;
  TccShape from, to;
  Complex v = {tcc_ex_operand(x, 0), tcc_ex_operand(x, 1)};
  if (!tcc_ex_shape(x, v.re, &from) || !tcc_ex_shape(x, mlirOperationGetResult(x->op, 0), &to)) return false;
  const TccExpr *size = to.dims[axis], *bins = from.dims[axis];
  if (tcc_expr_is_const(size, &n) && n > COMPLETED) {
    results[0] = transform(x, completed(x, v, axis, n), axis, size, size, 1).re;
    return results[0].ptr != NULL;
  }
  MlirValue share = tcc_build_pair_factors(x->b, x->elem, size, axis, from.rank, 2); /* others count for their conjugates, too */
  results[0] = along(x, mul(x, v.re, share), axis, waves(x, TCC_OP_COS, 1, bins, size, size));
  if (v.im.ptr) results[0] = sub(x, results[0], along(x, mul(x, v.im, share), axis, waves(x, TCC_OP_SIN, 1, bins, size, size)));
  return results[0].ptr != NULL;
}
