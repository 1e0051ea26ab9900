/* recompose_rows.c - softmax, rms_norm and layer_norm along the trailing axes. */
#include "passes/recompose/recompose.h"
#include "tcc/op_kinds.h"
#include <math.h>

/* Reduction of `kind` ("mean" is the composite) of x that keeps its axes; they must be the trailing ones: the first of
 * them in *out_axis. */
static bool is_trailing_reduction(TccIr *ir, MlirValue value, const char *kind, MlirValue *out_x, int64_t *out_axis) {
  bool mean = !strcmp(kind, "mean");
  MlirOperation op = recompose_op(ir, value, mean ? TCC_OP_MEAN : TCC_OP_REDUCE);
  if (mlirOperationIsNull(op) || !tcc_bool(ir, op, "keepdims")) return false;
  if (!mean && !tcc_str_is(tcc_string(ir, op, "kind"), kind)) return false;
  const int64_t *axes;
  size_t n;
  int rank = tcc_type_rank(tcc_value_type(recompose_operand(op, 0)));
  if (!tcc_get_ints(ir, op, "axes", &axes, &n) || !n) return false;
  uint32_t set = 0;
  for (size_t i = 0; i < n; i++) set |= 1u << axes[i];
  if (set != ((1u << rank) - 1) - ((1u << (rank - (int)n)) - 1)) return false;
  *out_x = recompose_operand(op, 0);
  *out_axis = rank - (int64_t)n;
  return true;
}

/* exp(x - max) / sum(exp(x - max)) along one axis */
MlirValue recompose_softmax(TccBuilder *b, MlirOperation root) {
  TccIr *ir = b->ir;
  MlirValue e = recompose_operand(root, 0);
  MlirOperation exp_op = recompose_op(ir, e, TCC_OP_EXP), sum = recompose_op(ir, recompose_operand(root, 1), TCC_OP_REDUCE);
  if (mlirOperationIsNull(exp_op) || mlirOperationIsNull(sum) || !mlirValueEqual(recompose_operand(sum, 0), e))
    return (MlirValue){NULL};
  MlirOperation sub = recompose_op(ir, recompose_operand(exp_op, 0), TCC_OP_SUB);
  if (mlirOperationIsNull(sub)) return (MlirValue){NULL};
  MlirOperation max = recompose_op(ir, recompose_operand(sub, 1), TCC_OP_REDUCE);
  if (mlirOperationIsNull(max) || !mlirValueEqual(recompose_operand(max, 0), recompose_operand(sub, 0))) return (MlirValue){NULL};
  const int64_t *sum_axes, *max_axes;
  size_t nsum, nmax;
  if (!tcc_str_is(tcc_string(ir, sum, "kind"), "sum") || !tcc_str_is(tcc_string(ir, max, "kind"), "max")) return (MlirValue){NULL};
  if (!tcc_bool(ir, sum, "keepdims") || !tcc_bool(ir, max, "keepdims")) return (MlirValue){NULL};
  if (!tcc_get_ints(ir, sum, "axes", &sum_axes, &nsum) || !tcc_get_ints(ir, max, "axes", &max_axes, &nmax))
    return (MlirValue){NULL};
  if (nsum != 1 || nmax != 1 || sum_axes[0] != max_axes[0]) return (MlirValue){NULL};
  MlirValue x = recompose_operand(sub, 0);
  TccNamedAttr axis = {"axis", tcc_attr_i64(ir, sum_axes[0])};
  return mlirOperationGetResult(tcc_build(b, TCC_OP_SOFTMAX, &x, 1, &axis, 1, NULL), 0);
}

/* The operand u such that root multiplies `out_other` with 1 / sqrt(u). */
static bool is_times_rsqrt(TccIr *ir, MlirOperation root, int which, MlirValue *out_other, MlirValue *out_u) {
  MlirValue r = recompose_operand(root, which);
  *out_other = recompose_operand(root, 1 - which);
  if (tcc_op_kind(ir, root) == TCC_OP_DIV) {
    MlirOperation root_op = recompose_op(ir, r, TCC_OP_SQRT);
    if (which != 1 || mlirOperationIsNull(root_op)) return false;
    *out_u = recompose_operand(root_op, 0);
    return true;
  }
  MlirOperation rsqrt = recompose_op(ir, r, TCC_OP_RSQRT), inverse = recompose_op(ir, r, TCC_OP_RECIPROCAL);
  double constant;
  if (mlirOperationIsNull(inverse)) { /* 1 / sqrt(u) as a division */
    MlirOperation div = recompose_op(ir, r, TCC_OP_DIV);
    if (!mlirOperationIsNull(div) && recompose_scalar(ir, recompose_operand(div, 0), &constant) && constant == 1) {
      MlirOperation root_op = recompose_op(ir, recompose_operand(div, 1), TCC_OP_SQRT);
      if (mlirOperationIsNull(root_op)) return false;
      *out_u = recompose_operand(root_op, 0);
      return true;
    }
  } else {
    MlirOperation root_op = recompose_op(ir, recompose_operand(inverse, 0), TCC_OP_SQRT);
    if (mlirOperationIsNull(root_op)) return false;
    *out_u = recompose_operand(root_op, 0);
    return true;
  }
  if (mlirOperationIsNull(rsqrt)) return false;
  *out_u = recompose_operand(rsqrt, 0);
  return true;
}

/* u = mean(x * x) + eps over the trailing axes. */
static bool is_mean_square(TccIr *ir, MlirValue u, MlirValue x, int64_t *out_axis, double *out_eps) {
  MlirOperation add = recompose_op(ir, u, TCC_OP_ADD);
  if (mlirOperationIsNull(add)) return false;
  for (int i = 0; i < 2; i++) {
    MlirValue square;
    RecomposeProduct p;
    if (!recompose_scalar(ir, recompose_operand(add, 1 - i), out_eps)) continue;
    if (!is_trailing_reduction(ir, recompose_operand(add, i), "mean", &square, out_axis)) continue;
    if (recompose_product(ir, square, &p) && p.count == 2 && p.constant == 1 && mlirValueEqual(p.factor[0], x) &&
        mlirValueEqual(p.factor[1], x))
      return true;
  }
  return false;
}

static MlirValue build_norm(TccBuilder *b, TccOpKind kind, MlirValue x, MlirValue scale, MlirValue bias, int64_t axis, double eps) {
  MlirValue operands[3] = {x, scale, bias};
  TccNamedAttr attributes[] = {{"axis", tcc_attr_i64(b->ir, axis)}, {"eps", tcc_attr_f64(b->ir, eps)}};
  return tcc_build_value(b, kind, operands, kind == TCC_OP_RMS_NORM ? 2 : 3, attributes, 2, NULL);
}

/* x / sqrt(mean(x^2) + eps) */
MlirValue recompose_rms_norm(TccBuilder *b, MlirOperation root) {
  for (int which = 0; which < 2; which++) {
    MlirValue x, u;
    int64_t axis;
    double eps;
    if (!is_times_rsqrt(b->ir, root, which, &x, &u) || !is_mean_square(b->ir, u, x, &axis, &eps)) continue;
    MlirOperation centred = recompose_op(b->ir, x, TCC_OP_SUB);
    MlirValue source;
    int64_t mean_axis;
    if (!mlirOperationIsNull(centred) && is_trailing_reduction(b->ir, recompose_operand(centred, 1), "mean", &source, &mean_axis) &&
        mlirValueEqual(source, recompose_operand(centred, 0)) && mean_axis == axis)
      continue; /* a layer_norm */
    return build_norm(b, TCC_OP_RMS_NORM, x, (MlirValue){NULL}, (MlirValue){NULL}, axis, eps);
  }
  return (MlirValue){NULL};
}

/* (x - mean(x)) / sqrt(mean((x - mean(x))^2) + eps) */
MlirValue recompose_layer_norm(TccBuilder *b, MlirOperation root) {
  for (int which = 0; which < 2; which++) {
    MlirValue d, u, source;
    int64_t axis, mean_axis;
    double eps;
    if (!is_times_rsqrt(b->ir, root, which, &d, &u) || !is_mean_square(b->ir, u, d, &axis, &eps)) continue;
    MlirOperation centred = recompose_op(b->ir, d, TCC_OP_SUB);
    if (mlirOperationIsNull(centred) || !is_trailing_reduction(b->ir, recompose_operand(centred, 1), "mean", &source, &mean_axis))
      continue;
    if (!mlirValueEqual(source, recompose_operand(centred, 0)) || mean_axis != axis) continue;
    return build_norm(b, TCC_OP_LAYER_NORM, source, (MlirValue){NULL}, (MlirValue){NULL}, axis, eps);
  }
  return (MlirValue){NULL};
}

/* norm(x) * scale, and that + bias: the affine part moves into the norm if it has the shape of the normalised axes. */
MlirValue recompose_norm_affine(TccBuilder *b, MlirOperation root) {
  TccIr *ir = b->ir;
  bool add = tcc_op_kind(ir, root) == TCC_OP_ADD;
  for (int i = 0; i < 2; i++) {
    MlirValue value = recompose_operand(root, i), affine = recompose_operand(root, 1 - i);
    TccOpKind kind = tcc_value_kind(ir, value);
    if ((kind != TCC_OP_RMS_NORM && kind != TCC_OP_LAYER_NORM) || (add && kind == TCC_OP_RMS_NORM)) continue;
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(value)) ||
        !mlirOpOperandIsNull(mlirOpOperandGetNextUse(mlirValueGetFirstUse(value))))
      continue;
    MlirOperation norm = tcc_value_op(value);
    int64_t axis = tcc_i64(ir, norm, "axis");
    MlirType type = tcc_value_type(value), affine_type = tcc_value_type(affine);
    int rank = tcc_type_rank(type), affine_rank = tcc_type_rank(affine_type);
    bool fits = affine_rank == rank - axis && tcc_type_elem(type) == tcc_type_elem(affine_type);
    for (int a = 0; a < affine_rank && fits; a++) fits = tcc_type_dim(ir, affine_type, a) == tcc_type_dim(ir, type, (int)axis + a);
    bool has_scale = !tcc_value_is_none(ir, recompose_operand(norm, 1));
    bool has_bias = kind == TCC_OP_LAYER_NORM && !tcc_value_is_none(ir, recompose_operand(norm, 2));
    if (!fits || has_bias || (!add && has_scale)) continue;
    MlirValue none = {NULL}, scale = has_scale ? recompose_operand(norm, 1) : none;
    return build_norm(b, kind, recompose_operand(norm, 0), add ? scale : affine, add ? affine : none, axis,
                      tcc_f64(ir, norm, "eps"));
  }
  return (MlirValue){NULL};
}
