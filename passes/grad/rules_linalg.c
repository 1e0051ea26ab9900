/* rules_linalg.c - the adjoints of triangular_solve and of factorisations.
 *
 * Of a factorisation a function of d = L^-1 (da) R^-1 is what changes: its triangles, or what lies off its diagonal (Giles 2008; Walter and Lehmann
 * 2010). A factorisation that reads one triangle of a gets a cotangent that lies in that. */
#include "passes/grad/grad.h"

/* x with the last two axes in each other's place. */
static MlirValue turned(GradOp *a, MlirValue x) {
  int64_t perm[TCC_MAX_RANK];
  int rank = grad_shape(a->ir, x).rank;
  for (int i = 0; i < rank; i++) perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return tcc_build_transpose(a->b, x, perm);
}

/* Of x's last two axes, as bool: row `predicate` column. */
static MlirValue places(GradOp *a, MlirValue x, const char *predicate) {
  GradShape s = grad_shape(a->ir, x);
  const TccExpr *const *dims = s.dims + s.rank - 2;
  MlirValue row = tcc_build_iota(a->b, TCC_ELEM_I64, 0, 2, dims), column = tcc_build_iota(a->b, TCC_ELEM_I64, 1, 2, dims);
  return tcc_build_compare(a->b, predicate, row, column);
}

/* x [..., n, n], 0 outside of the places. */
static MlirValue part(GradOp *a, MlirValue x, const char *predicate) {
  return tcc_build_select(a->b, places(a, x, predicate), x, tcc_build_scalar(a->b, tcc_value_elem(x), 0));
}

static MlirValue solve(GradOp *a, MlirValue triangle, MlirValue x, bool upper, bool unit) {
  MlirValue operands[] = {triangle, x};
  TccNamedAttr attrs[] = {{"upper", tcc_attr_bool(a->ir, upper)}, {"unit", tcc_attr_bool(a->ir, unit)}};
  return x.ptr && triangle.ptr ? tcc_build_value(a->b, TCC_OP_TRIANGULAR_SOLVE, operands, 2, attrs, 2, NULL) : x;
}

/* x y, or x y' */
static MlirValue product(GradOp *a, MlirValue x, MlirValue y, bool transposed) {
  int64_t batch[TCC_MAX_RANK], last = grad_shape(a->ir, x).rank - 1, of_y = last - !transposed;
  for (int64_t i = 0; i < last - 1; i++) batch[i] = i;
  return tcc_build_dot_general(a->b, x, y, batch, batch, (size_t)last - 1, &last, &of_y, 1);
}

/* With T r = b: b's cotangent is h, T^T h = g, and T's is -h r^T. */
bool tcc_grad_triangular_solve(GradOp *a) {
  const bool upper = tcc_bool(a->ir, a->op, "upper"), unit = tcc_bool(a->ir, a->op, "unit");
  MlirValue h = solve(a, turned(a, grad_operand(a, 0)), a->g[0], !upper, unit);
  if (a->wanted[1]) grad_give(a, 1, h);
  if (!a->wanted[0]) return true;
  MlirValue whole = tcc_build1(a->b, TCC_OP_NEG, product(a, h, grad_result(a), true));
  grad_give(a, 0, part(a, whole, upper ? (unit ? "lt" : "le") : (unit ? "gt" : "ge")));
  return true;
}

static MlirValue axis_part(GradOp *a, MlirValue x, int from_end, const TccExpr *start, const TccExpr *end) {
  GradShape s = grad_shape(a->ir, x);
  return tcc_build_slice_axis(a->b, x, s.rank - from_end, start, 1, tcc_expr_sub(a->ir->exprs, end, start));
}

/* Rows of x as they were before the permutation: row i becomes row places[i]. */
static MlirValue put_back(GradOp *a, MlirValue x) {
  GradShape s = grad_shape(a->ir, x), rows = s;
  TccNamedAttr size = {"size", tcc_attr_exprs(a->ir, &s.dims[s.rank - 2], 1)};
  MlirValue pivots = mlirOperationGetResult(a->op, 1);
  MlirValue at = tcc_build_value(a->b, TCC_OP_PIVOTS_TO_PERMUTATION, &pivots, 1, &size, 1, NULL);
  rows.dims[s.rank - 1] = grad_const(a, 1);
  if (!at.ptr || !x.ptr) return x;
  at = tcc_build_broadcast(a->b, tcc_build_reshape(a->b, at, s.rank, rows.dims), s.rank, s.dims);
  MlirValue operands[] = {grad_zeros(a->b, tcc_value_type(x)), at, x};
  TccNamedAttr axis = {"axis", tcc_attr_i64(a->ir, s.rank - 2)};
  return tcc_build_value(a->b, TCC_OP_SCATTER_ELEMENTS, operands, 3, &axis, 1, NULL);
}

/* The square part: with L and U in lu and their cotangents h in the triangles of g and, of U beside, more: L^-T h U^-T. */
static MlirValue square_cotangent(GradOp *a, MlirValue lu, MlirValue lower, MlirValue upper) {
  MlirValue l = turned(a, lu); /* whose upper triangle, with ones on the diagonal, is L' */
  MlirValue one = tcc_build_convert(a->b, places(a, lu, "eq"), tcc_value_elem(lu));
  MlirValue left = product(a, tcc_build2(a->b, TCC_OP_ADD, part(a, l, "lt"), one), lower, false),
            right = product(a, upper, part(a, lu, "le"), true);
  MlirValue h = tcc_build2(a->b, TCC_OP_ADD, part(a, left, "gt"), part(a, right, "le"));
  return turned(a, solve(a, lu, turned(a, solve(a, l, h, true, true)), true, false));
}

bool tcc_grad_lu(GradOp *a) {
  MlirValue lu = grad_result(a), g = a->g[0];
  GradShape s = grad_shape(a->ir, lu);
  const TccExpr *m = s.dims[s.rank - 2], *n = s.dims[s.rank - 1], *zero = grad_const(a, 0);
  int64_t rows, columns;
  const bool square = tcc_expr_agree(m, n);
  if (!square && !(tcc_expr_is_const(m, &rows) && tcc_expr_is_const(n, &columns)))
    return grad_fail(a, "of matrices of which is not known whether they are square");
  if (square) {
    grad_give(a, 0, put_back(a, square_cotangent(a, lu, part(a, g, "gt"), part(a, g, "le"))));
    return true;
  }
  const bool tall = rows > columns;
  const int along = tall ? 2 : 1; /* the axis that has more, from the end */
  const TccExpr *k = tall ? n : m, *all = tall ? m : n;
  MlirValue first = axis_part(a, lu, along, zero, k), rest = axis_part(a, lu, along, k, all);
  MlirValue of_first = axis_part(a, g, along, zero, k), of_rest = axis_part(a, g, along, k, all), lower = part(a, of_first, "gt"),
            upper = part(a, of_first, "le");
  if (tall) { /* L2 = A2 U^-1 */
    of_rest = turned(a, solve(a, first, turned(a, of_rest), true, false));
    upper = tcc_build2(a->b, TCC_OP_SUB, upper, part(a, product(a, turned(a, rest), of_rest, false), "le"));
  } else { /* U2 = L^-1 A2 */
    of_rest = solve(a, turned(a, first), of_rest, true, true);
    lower = tcc_build2(a->b, TCC_OP_SUB, lower, part(a, product(a, of_rest, rest, true), "gt"));
  }
  MlirValue both[] = {square_cotangent(a, first, lower, upper), of_rest};
  grad_give(a, 0, put_back(a, both[0].ptr && both[1].ptr ? tcc_build_concat(a->b, both, 2, s.rank - along) : both[0]));
  return true;
}

/* The lower triangle of x with half of its diagonal. */
static MlirValue half(GradOp *a, MlirValue x) {
  MlirValue diagonal = part(a, x, "eq");
  return tcc_build2(a->b, TCC_OP_SUB, part(a, x, "ge"), tcc_build2_number(a->b, TCC_OP_MUL, diagonal, 0.5));
}

/* Of the cotangent of a symmetric matrix that of the lower triangle, which stands for both. */
static MlirValue in_lower(GradOp *a, MlirValue x) { return half(a, tcc_build2(a->b, TCC_OP_ADD, x, turned(a, x))); }

bool tcc_grad_cholesky(GradOp *a) {
  MlirValue r = grad_result(a), r_turned = turned(a, r);
  MlirValue h = half(a, product(a, r_turned, part(a, a->g[0], "ge"), false));
  MlirValue left = solve(a, r_turned, h, true, false);
  grad_give(a, 0, in_lower(a, turned(a, solve(a, r_turned, turned(a, left), true, false))));
  return true;
}

bool tcc_grad_eigh(GradOp *a) {
  MlirValue values = grad_result(a), vectors = mlirOperationGetResult(a->op, 1), middle = {NULL};
  GradShape s = grad_shape(a->ir, vectors);
  const TccElem elem = tcc_value_elem(vectors);
  if (a->g[1].ptr) {
    MlirValue diagonal = places(a, vectors, "eq"), one = tcc_build_scalar(a->b, elem, 1), zero = tcc_build_scalar(a->b, elem, 0);
    MlirValue apart =
        tcc_build2(a->b, TCC_OP_SUB, tcc_build_unsqueeze(a->b, values, s.rank - 2), tcc_build_unsqueeze(a->b, values, s.rank - 1));
    apart = tcc_build_select(a->b, diagonal, one, apart);
    MlirValue turns = product(a, turned(a, vectors), a->g[1], false);
    middle = tcc_build_select(a->b, diagonal, zero, tcc_build2(a->b, TCC_OP_DIV, turns, apart));
  }
  if (a->g[0].ptr) {
    MlirValue g = tcc_build_broadcast(a->b, tcc_build_unsqueeze(a->b, a->g[0], s.rank - 1), s.rank, s.dims);
    g = part(a, g, "eq");
    middle = middle.ptr ? tcc_build2(a->b, TCC_OP_ADD, middle, g) : g;
  }
  grad_give(a, 0, in_lower(a, product(a, product(a, vectors, middle, false), vectors, true)));
  return true;
}

/* ---- Fourier transforms ---- */
/* v with what stands for two conjugates times a factor. */
static MlirValue pairs_times(GradOp *a, MlirValue v, int64_t axis, const TccExpr *n, double factor) {
  const int rank = grad_shape(a->ir, v).rank;
  return tcc_build2(a->b, TCC_OP_MUL, v, tcc_build_pair_factors(a->b, tcc_value_elem(v), n, axis, rank, factor));
}

static MlirOperation transform(GradOp *a, MlirValue re, MlirValue im, bool inverse, bool half) {
  MlirValue operands[] = {re, im};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(a->ir, tcc_i64(a->ir, a->op, "axis"))},
                          {"inverse", tcc_attr_bool(a->ir, inverse)},
                          {"half", tcc_attr_bool(a->ir, half)}};
  const MlirOperation none = {NULL};
  if (!im.ptr) operands[1] = tcc_build_value(a->b, TCC_OP_NONE, NULL, 0, NULL, 0, NULL);
  return operands[0].ptr && operands[1].ptr ? tcc_build(a->b, TCC_OP_FFT, operands, 2, attrs, 3, NULL) : none;
}

/* (x + i y) e^(i t) is turned back by e^(-i t): fft the other way. Of half of the frequencies what is real of that, as irfft makes it of conjugates. */
bool tcc_grad_fft(GradOp *a) {
  const bool inverse = tcc_bool(a->ir, a->op, "inverse");
  const int64_t axis = tcc_i64(a->ir, a->op, "axis");
  const MlirType type = tcc_value_type(mlirOperationGetOperand(a->op, 0));
  const TccExpr *n = tcc_type_dim(a->ir, type, (int)axis);
  MlirValue re = a->g[0], im = a->g[1];
  if (!re.ptr && !im.ptr) return true;
  if (!re.ptr) re = grad_zeros(a->b, tcc_value_type(im));
  if (!tcc_bool(a->ir, a->op, "half")) {
    const MlirOperation back = transform(a, re, im, !inverse, false);
    for (int i = 0; i < 2; i++)
      if (a->wanted[i]) grad_give(a, i, mlirOperationIsNull(back) ? (MlirValue){NULL} : mlirOperationGetResult(back, i));
    return true;
  }
  if (im.ptr && inverse) im = tcc_build1(a->b, TCC_OP_NEG, im);
  MlirValue operands[] = {pairs_times(a, re, axis, n, 0.5),
                          im.ptr ? pairs_times(a, im, axis, n, 0.5) : tcc_build_value(a->b, TCC_OP_NONE, NULL, 0, NULL, 0, NULL)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(a->ir, axis)}, {"size", tcc_attr_exprs(a->ir, &n, 1)}};
  grad_give(a, 0,
            operands[0].ptr && operands[1].ptr ? tcc_build_value(a->b, TCC_OP_IRFFT, operands, 2, attrs, 2, NULL) : operands[0]);
  return true;
}

bool tcc_grad_irfft(GradOp *a) {
  const int64_t axis = tcc_i64(a->ir, a->op, "axis");
  const TccExpr *n = tcc_type_dim(a->ir, tcc_value_type(mlirOperationGetResult(a->op, 0)), (int)axis);
  const MlirOperation back = transform(a, a->g[0], (MlirValue){NULL}, false, true);
  for (int i = 0; i < 2; i++)
    if (a->wanted[i])
      grad_give(a, i, mlirOperationIsNull(back) ? (MlirValue){NULL} : pairs_times(a, mlirOperationGetResult(back, i), axis, n, 2));
  return true;
}
