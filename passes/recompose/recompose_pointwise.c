/* recompose_pointwise.c - gelu (erf, and tanh written with a power or with products), swish, rotary embedding. */
#include "passes/recompose/recompose.h"
#include "tcc/op_kinds.h"
#include <math.h>

/* value = x + c, c constant, in either order. */
static bool is_sum_with(TccIr *ir, MlirValue value, double c, MlirValue *out_x) {
  MlirOperation add = recompose_op(ir, value, TCC_OP_ADD);
  if (mlirOperationIsNull(add)) return false;
  for (int i = 0; i < 2; i++) {
    double constant;
    if (!recompose_scalar(ir, recompose_operand(add, i), &constant) || !recompose_near(constant, c)) continue;
    *out_x = recompose_operand(add, 1 - i);
    return true;
  }
  return false;
}

static bool is_erf_of(TccIr *ir, MlirValue value, MlirValue x) {
  MlirOperation erf_op = recompose_op(ir, value, TCC_OP_ERF);
  RecomposeProduct u;
  return !mlirOperationIsNull(erf_op) && recompose_product(ir, recompose_operand(erf_op, 0), &u) && u.count == 1 &&
         mlirValueEqual(u.factor[0], x) && recompose_near(u.constant, M_SQRT1_2);
}

/* tanh(sqrt(2/pi) * (x + 0.044715 x^3)) */
static bool is_tanh_of(TccIr *ir, MlirValue value, MlirValue x) {
  MlirOperation tanh_op = recompose_op(ir, value, TCC_OP_TANH);
  RecomposeProduct u, cube;
  if (mlirOperationIsNull(tanh_op) || !recompose_product(ir, recompose_operand(tanh_op, 0), &u) || u.count != 1) return false;
  MlirOperation add = recompose_op(ir, u.factor[0], TCC_OP_ADD);
  if (mlirOperationIsNull(add) || !recompose_near(u.constant, 0.7978845608028654)) return false;
  for (int i = 0; i < 2; i++) {
    if (!mlirValueEqual(recompose_operand(add, i), x) || !recompose_product(ir, recompose_operand(add, 1 - i), &cube)) continue;
    if (cube.count != 3 || !recompose_near(cube.constant, 0.044715)) continue;
    if (mlirValueEqual(cube.factor[0], x) && mlirValueEqual(cube.factor[1], x) && mlirValueEqual(cube.factor[2], x)) return true;
  }
  return false;
}

/* 0.5 * x * (1 + erf(...)) or 0.5 * x * (1 + tanh(...)), in any order of the factors. */
MlirValue recompose_gelu(TccBuilder *b, MlirOperation root) {
  TccIr *ir = b->ir;
  RecomposeProduct p;
  if (!recompose_product(ir, mlirOperationGetResult(root, 0), &p) || p.count != 2 || !recompose_near(p.constant, 0.5))
    return (MlirValue){NULL};
  for (int i = 0; i < 2; i++) {
    MlirValue x = p.factor[i], inner;
    if (!is_sum_with(ir, p.factor[1 - i], 1.0, &inner)) continue;
    bool by_tanh = is_tanh_of(ir, inner, x);
    if (!by_tanh && !is_erf_of(ir, inner, x)) continue;
    TccNamedAttr approximate = {"approximate", tcc_attr_str(ir, tcc_str(by_tanh ? "tanh" : "none"))};
    return mlirOperationGetResult(tcc_build(b, TCC_OP_GELU, &x, 1, &approximate, 1, NULL), 0);
  }
  return (MlirValue){NULL};
}

/* x * sigmoid(alpha * x) */
MlirValue recompose_swish(TccBuilder *b, MlirOperation root) {
  TccIr *ir = b->ir;
  for (int i = 0; i < 2; i++) {
    MlirValue x = recompose_operand(root, i);
    MlirOperation sigmoid = recompose_op(ir, recompose_operand(root, 1 - i), TCC_OP_SIGMOID);
    RecomposeProduct u;
    if (mlirOperationIsNull(sigmoid) || !recompose_product(ir, recompose_operand(sigmoid, 0), &u)) continue;
    if (u.count != 1 || !mlirValueEqual(u.factor[0], x)) {
      if (!mlirValueEqual(recompose_operand(sigmoid, 0), x)) continue;
      u.constant = 1;
    }
    TccNamedAttr alpha = {"alpha", tcc_attr_f64(ir, u.constant)};
    return mlirOperationGetResult(tcc_build(b, TCC_OP_SWISH, &x, 1, &alpha, 1, NULL), 0);
  }
  return (MlirValue){NULL};
}

/* The start of a slice of x along its last axis with step 1 that leaves all other axes whole; -1 if value is not that. */
static int64_t last_axis_slice(TccIr *ir, MlirValue value, MlirValue *out_x) {
  MlirOperation slice = recompose_op(ir, value, TCC_OP_SLICE);
  if (mlirOperationIsNull(slice)) return -1;
  MlirValue x = recompose_operand(slice, 0);
  const TccExpr *const *starts;
  const int64_t *steps;
  size_t n, nsteps;
  if (!tcc_get_exprs(ir, slice, "starts", &starts, &n) || !tcc_get_ints(ir, slice, "steps", &steps, &nsteps) || !n) return -1;
  for (size_t axis = 0; axis + 1 < n; axis++)
    if (starts[axis] != tcc_expr_const(ir->exprs, 0) || steps[axis] != 1 ||
        tcc_type_dim(ir, tcc_value_type(x), (int)axis) != tcc_type_dim(ir, tcc_value_type(value), (int)axis))
      return -1;
  int64_t start;
  if (steps[n - 1] != 1 || !tcc_expr_is_const(starts[n - 1], &start)) return -1;
  *out_x = x;
  return start;
}

/* concat(-x[..., h:], x[..., :h]) with h half of the last axis. */
static bool is_half_rotation(TccIr *ir, MlirValue value, MlirValue x) {
  MlirOperation concat = recompose_op(ir, value, TCC_OP_CONCAT);
  int rank = tcc_type_rank(tcc_value_type(x));
  int64_t size;
  if (mlirOperationIsNull(concat) || tcc_i64(ir, concat, "axis") != rank - 1) return false;
  if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(x), rank - 1), &size) || size % 2) return false;
  MlirOperation neg = recompose_op(ir, recompose_operand(concat, 0), TCC_OP_NEG);
  MlirValue from_high, from_low;
  return !mlirOperationIsNull(neg) && last_axis_slice(ir, recompose_operand(neg, 0), &from_high) == size / 2 &&
         last_axis_slice(ir, recompose_operand(concat, 1), &from_low) == 0 && mlirValueEqual(from_high, x) &&
         mlirValueEqual(from_low, x) &&
         tcc_type_dim(ir, tcc_value_type(recompose_operand(concat, 1)), rank - 1) == tcc_expr_const(ir->exprs, size / 2);
}

/* The first half of a table whose halves are equal by construction: concat(t, t), seen through elementwise ops, reshapes
 * and unit axes. Null if that cannot be shown. */
static MlirValue half_table(TccBuilder *b, MlirValue table, int depth) {
  TccIr *ir = b->ir;
  MlirOperation op = tcc_value_op(table);
  if (mlirOperationIsNull(op) || depth > 8) return (MlirValue){NULL};
  TccOpKind kind = tcc_op_kind(ir, op);
  MlirType type = tcc_value_type(table);
  int rank = tcc_type_rank(type);
  if (kind == TCC_OP_CONCAT && tcc_i64(ir, op, "axis") == rank - 1 &&
      mlirValueEqual(recompose_operand(op, 0), recompose_operand(op, 1)))
    return recompose_operand(op, 0);
  TccBuilder here = *b;
  here.before = op;
  if (kind == TCC_OP_SIN || kind == TCC_OP_COS) {
    MlirValue half = half_table(b, recompose_operand(op, 0), depth + 1);
    return mlirValueIsNull(half) ? half : tcc_build1(&here, kind, half);
  }
  double constant;
  if (kind == TCC_OP_MUL && recompose_scalar(ir, recompose_operand(op, 1), &constant)) {
    MlirValue half = half_table(b, recompose_operand(op, 0), depth + 1);
    return mlirValueIsNull(half) ? half : tcc_build2(&here, kind, half, recompose_operand(op, 1));
  }
  if (kind == TCC_OP_RESHAPE) { /* unsqueezed, the last axis kept */
    MlirType from = tcc_value_type(recompose_operand(op, 0));
    int from_rank = tcc_type_rank(from);
    if (!from_rank || !rank || tcc_type_dim(ir, from, from_rank - 1) != tcc_type_dim(ir, type, rank - 1)) return (MlirValue){NULL};
    MlirValue half = half_table(b, recompose_operand(op, 0), depth + 1);
    if (mlirValueIsNull(half)) return half;
    const TccExpr *dims[TCC_MAX_RANK];
    for (int axis = 0; axis + 1 < rank; axis++) dims[axis] = tcc_type_dim(ir, type, axis);
    MlirType half_type = tcc_value_type(half);
    dims[rank - 1] = tcc_type_dim(ir, half_type, tcc_type_rank(half_type) - 1);
    return tcc_build_reshape(&here, half, rank, dims);
  }
  return (MlirValue){NULL};
}

/* Whether a table broadcasts to [B, 1, S, D] of x (tcc.rotary_embedding, C4), which is not so where x is [B, S, H, D]. */
static bool is_of_positions(TccIr *ir, MlirValue table, MlirValue x) {
  MlirType type = tcc_value_type(table);
  int rank = tcc_type_rank(type);
  if (rank > 4) return false;
  for (int axis = 0; axis + 1 < rank; axis++) {
    int of_x = 4 - rank + axis;
    const TccExpr *size = tcc_type_dim(ir, type, axis), *one = tcc_expr_const(ir->exprs, 1);
    if (size != one && (of_x == 1 || size != tcc_type_dim(ir, tcc_value_type(x), of_x))) return false;
  }
  return true;
}

/* x * cos + rotate_half(x) * sin, the tables being concat(t, t). */
MlirValue recompose_rotary(TccBuilder *b, MlirOperation root) {
  TccIr *ir = b->ir;
  for (int i = 0; i < 2; i++) {
    MlirOperation straight = recompose_op(ir, recompose_operand(root, i), TCC_OP_MUL);
    MlirOperation rotated = recompose_op(ir, recompose_operand(root, 1 - i), TCC_OP_MUL);
    if (mlirOperationIsNull(straight) || mlirOperationIsNull(rotated)) continue;
    for (int k = 0; k < 4; k++) {
      MlirValue x = recompose_operand(straight, k & 1), cos_table = recompose_operand(straight, 1 - (k & 1));
      MlirValue turned = recompose_operand(rotated, k >> 1), sin_table = recompose_operand(rotated, 1 - (k >> 1));
      if (tcc_type_rank(tcc_value_type(x)) != 4 || !is_half_rotation(ir, turned, x)) continue;
      if (!is_of_positions(ir, cos_table, x) || !is_of_positions(ir, sin_table, x)) continue;
      MlirValue operands[3] = {x, half_table(b, cos_table, 0), half_table(b, sin_table, 0)};
      if (mlirValueIsNull(operands[1]) || mlirValueIsNull(operands[2])) continue;
      MlirOperation rotary = tcc_build(b, TCC_OP_ROTARY_EMBEDDING, operands, 3, NULL, 0, NULL);
      return mlirOperationIsNull(rotary) ? (MlirValue){NULL} : mlirOperationGetResult(rotary, 0);
    }
  }
  return (MlirValue){NULL};
}
