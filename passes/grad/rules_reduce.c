/* rules_reduce.c - derivatives of reductions, means and scans. */
#include "passes/grad/grad.h"

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }
static MlirValue op2(GradOp *a, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(a->b, kind, x, y); }

static MlirValue number(GradOp *a, MlirValue like, double value) { return tcc_build_scalar(a->b, tcc_value_elem(like), value); }

/* value, which has the shape of the result, repeated along the reduced axes. */
static MlirValue repeated(GradOp *a, MlirValue value) {
  const int64_t *axes = NULL;
  size_t n = 0;
  tcc_get_ints(a->ir, a->op, "axes", &axes, &n);
  return grad_spread(a->b, grad_keep(a->b, value, type_of(a, 0), axes, n), type_of(a, 0));
}

bool tcc_grad_mean(GradOp *a) {
  const int64_t *axes;
  size_t n;
  const TccExpr *count = grad_const(a, 1);
  if (!tcc_get_ints(a->ir, a->op, "axes", &axes, &n)) return grad_fail(a, "has no axes");
  for (size_t i = 0; i < n; i++) count = tcc_expr_mul(a->ir->exprs, count, tcc_type_dim(a->ir, type_of(a, 0), (int)axes[i]));
  TccElem elem = tcc_value_elem(a->g[0]), compute = grad_compute(elem);
  MlirValue g = tcc_build_convert(a->b, a->g[0], compute);
  g = op2(a, TCC_OP_DIV, g, grad_size_as(a->b, count, compute));
  grad_give(a, 0, repeated(a, tcc_build_convert(a->b, g, elem)));
  return true;
}

/* ---- reduce ---- */
static MlirValue extreme(GradOp *a) {
  const int64_t *axes;
  size_t n;
  if (!tcc_get_ints(a->ir, a->op, "axes", &axes, &n)) return (MlirValue){NULL};
  MlirValue x = grad_operand(a, 0), is = tcc_build_compare(a->b, "eq", x, repeated(a, grad_result(a)));
  MlirValue mask = tcc_build_convert(a->b, is, tcc_value_elem(x)), count = tcc_build_reduce(a->b, "sum", mask, axes, n, false);
  MlirValue share = op2(a, TCC_OP_DIV, grad_as_type(a->b, a->g[0], tcc_value_type(count)), count);
  return op2(a, TCC_OP_MUL, repeated(a, share), mask);
}

static MlirValue scan(GradOp *a, MlirValue x, const char *kind, int axis, bool exclusive, bool reverse) {
  if (!x.ptr) return x;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(a->ir, tcc_str(kind))},
                          {"axis", tcc_attr_i64(a->ir, axis)},
                          {"exclusive", tcc_attr_bool(a->ir, exclusive)},
                          {"reverse", tcc_attr_bool(a->ir, reverse)}};
  return tcc_build_value(a->b, TCC_OP_CUMULATIVE, &x, 1, attrs, 4, NULL);
}

/* The product of the others: of those in front and of those behind, with the reduced axes as one, the last. No division, so zeros
 * need no care. */
static MlirValue product(GradOp *a) {
  const int64_t *axes;
  size_t n;
  MlirValue x = grad_operand(a, 0);
  GradShape s = grad_shape(a->ir, x), rows = {0}, turned = s;
  bool reduced[TCC_MAX_RANK] = {false};
  int64_t perm[TCC_MAX_RANK], inverse[TCC_MAX_RANK];
  int at = 0;
  if (!tcc_get_ints(a->ir, a->op, "axes", &axes, &n)) return (MlirValue){NULL};
  for (size_t i = 0; i < n; i++) reduced[axes[i]] = true;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < s.rank; i++)
      if (reduced[i] == pass) perm[at++] = i;
  const TccExpr *count = grad_const(a, 1);
  for (int i = 0; i < s.rank; i++) {
    inverse[perm[i]] = i;
    turned.dims[i] = s.dims[perm[i]];
    if (!reduced[perm[i]]) rows.dims[rows.rank++] = s.dims[perm[i]];
    else count = tcc_expr_mul(a->ir->exprs, count, s.dims[perm[i]]);
  }
  rows.dims[rows.rank] = count;
  MlirValue flat = tcc_build_reshape(a->b, tcc_build_transpose(a->b, x, perm), rows.rank + 1, rows.dims);
  MlirValue rest = op2(a, TCC_OP_MUL, scan(a, flat, "prod", rows.rank, true, false), scan(a, flat, "prod", rows.rank, true, true));
  rest = tcc_build_transpose(a->b, tcc_build_reshape(a->b, rest, turned.rank, turned.dims), inverse);
  return op2(a, TCC_OP_MUL, repeated(a, a->g[0]), rest);
}

bool tcc_grad_reduce(GradOp *a) {
  TccStr kind = tcc_string(a->ir, a->op, "kind");
  if (tcc_str_is(kind, "sum")) grad_give(a, 0, repeated(a, a->g[0]));
  else if (tcc_str_is(kind, "prod")) grad_give(a, 0, product(a));
  else grad_give(a, 0, extreme(a));
  return true;
}

/* ---- cumulative ---- */
/* The sum over i >= k (reverse: <=) of g[i] times the product of x strictly between k and i, that with i: of a matrix of products
 * [..., k, i], each row of which is a scan of x with 1 up to k. No division, so zeros need no care; it takes the square of the axis. */
static MlirValue scan_product(GradOp *a, MlirValue x, MlirValue g, int axis, bool reverse) {
  GradShape s = grad_shape(a->ir, x), line = {0}, rows = s;
  if (s.rank == TCC_MAX_RANK) {
    grad_fail(a, "of rank %d has no derivative", TCC_MAX_RANK);
    return (MlirValue){NULL};
  }
  rows.rank = s.rank + 1;
  for (int i = axis; i < s.rank; i++) rows.dims[i + 1] = s.dims[i];
  line = rows;
  for (int i = 0; i < rows.rank; i++)
    if (i != axis && i != axis + 1) line.dims[i] = grad_const(a, 1);
  MlirValue k = tcc_build_iota(a->b, TCC_ELEM_I64, axis, line.rank, line.dims),
            i = tcc_build_iota(a->b, TCC_ELEM_I64, axis + 1, line.rank, line.dims);
  MlirValue beyond = tcc_build_compare(a->b, reverse ? "lt" : "gt", i, k),
            from = tcc_build_compare(a->b, reverse ? "le" : "ge", i, k);
  MlirValue factors = tcc_build_broadcast(a->b, tcc_build_unsqueeze(a->b, x, axis), rows.rank, rows.dims);
  MlirValue products = scan(a, tcc_build_select(a->b, beyond, factors, number(a, x, 1)), "prod", axis + 1, false, reverse);
  MlirValue terms = op2(a, TCC_OP_MUL, products, tcc_build_unsqueeze(a->b, g, axis));
  int64_t summed = axis + 1;
  MlirValue sum = tcc_build_reduce(a->b, "sum", tcc_build_select(a->b, from, terms, number(a, x, 0)), &summed, 1, false);
  return op2(a, TCC_OP_MUL, sum, scan(a, x, "prod", axis, true, reverse));
}

/* Each result's cotangent goes to the last element that was the extreme up to it. */
static MlirValue scan_extreme(GradOp *a, MlirValue x, MlirValue g, const char *kind, int axis, bool reverse) {
  GradShape s = grad_shape(a->ir, x);
  MlirValue r = scan(a, x, kind, axis, false, reverse), place = tcc_build_iota(a->b, TCC_ELEM_I64, axis, s.rank, s.dims);
  MlirValue never = reverse ? grad_size_as(a->b, s.dims[axis], TCC_ELEM_I64) : tcc_build_scalar_i64(a->b, TCC_ELEM_I64, -1);
  MlirValue last = scan(a, tcc_build_select(a->b, tcc_build_compare(a->b, "eq", x, r), place, never), reverse ? "min" : "max", axis,
                        false, reverse);
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(a->ir, axis)},
                          {"reduction", tcc_attr_str(a->ir, tcc_str("add"))},
                          {"valid", tcc_attr_str(a->ir, tcc_str("unsigned"))}};
  MlirValue operands[] = {grad_zeros(a->b, tcc_value_type(x)), last, g};
  if (!last.ptr || !g.ptr) return (MlirValue){NULL};
  return tcc_build_value(a->b, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 3, NULL);
}

bool tcc_grad_cumulative(GradOp *a) {
  int axis = (int)tcc_i64(a->ir, a->op, "axis");
  bool exclusive = tcc_bool(a->ir, a->op, "exclusive"), reverse = tcc_bool(a->ir, a->op, "reverse");
  TccStr kind = tcc_string(a->ir, a->op, "kind");
  MlirValue g = a->g[0], x = grad_operand(a, 0);
  if (tcc_str_is(kind, "sum")) {
    grad_give(a, 0, scan(a, g, "sum", axis, exclusive, !reverse));
    return true;
  }
  if (exclusive) { /* the inclusive one, moved by a place: so is its cotangent */
    const TccExpr *by = grad_const(a, reverse ? 1 : -1), *back = grad_const(a, reverse ? -1 : 1);
    g = grad_pad_axis(a->b, g, axis, by, back);
  }
  if (tcc_str_is(kind, "prod")) grad_give(a, 0, scan_product(a, x, g, axis, reverse));
  else grad_give(a, 0, scan_extreme(a, x, g, tcc_str_is(kind, "max") ? "max" : "min", axis, reverse));
  return true;
}
