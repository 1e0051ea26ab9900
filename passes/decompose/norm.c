/* norm.c - expansions of means, softmax and normalisations: shifted by the maximum, variances in two passes, statistics
 * in f32 at least. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"

bool tcc_expand_mean(TccExpand *x, MlirValue *results) {
  const int64_t *axes;
  size_t naxes;
  if (!tcc_get_ints(x->ir, x->op, "axes", &axes, &naxes)) return tcc_ex_fail(x, "has no axes");
  results[0] = tcc_ex_out(x, tcc_ex_mean(x, tcc_ex_in(x, 0), axes, naxes, tcc_bool(x->ir, x->op, "keepdims")));
  return results[0].ptr != NULL;
}

bool tcc_expand_softmax(TccExpand *x, MlirValue *results) {
  int64_t axis = tcc_i64(x->ir, x->op, "axis");
  MlirValue v = tcc_ex_in(x, 0), r;
  if (x->kind == TCC_OP_SOFTMAX) {
    r = tcc_ex_softmax(x, v, axis);
  } else {
    MlirValue shifted = tcc_build2(x->b, TCC_OP_SUB, v, tcc_build_reduce(x->b, "max", v, &axis, 1, true));
    MlirValue sum = tcc_build_reduce(x->b, "sum", tcc_build1(x->b, TCC_OP_EXP, shifted), &axis, 1, true);
    r = tcc_build2(x->b, TCC_OP_SUB, shifted, tcc_build1(x->b, TCC_OP_LOG, sum));
  }
  results[0] = tcc_ex_out(x, r);
  return results[0].ptr != NULL;
}

/* (v - mean) / sqrt(var + eps) over axes; without centring, v / sqrt(mean(v^2) + eps) */
static MlirValue normalise(TccExpand *x, MlirValue v, const int64_t *axes, size_t naxes, double eps, bool centre) {
  MlirValue d = centre ? tcc_build2(x->b, TCC_OP_SUB, v, tcc_ex_mean(x, v, axes, naxes, true)) : v;
  MlirValue square = tcc_ex_mean(x, tcc_build2(x->b, TCC_OP_MUL, d, d), axes, naxes, true);
  return tcc_build2(x->b, TCC_OP_MUL, d, tcc_build1(x->b, TCC_OP_RSQRT, tcc_ex_plus(x, square, eps)));
}

static size_t axes_from(int first, int rank, int64_t *out) {
  size_t n = 0;
  for (int i = first; i < rank; i++) out[n++] = i;
  return n;
}

/* An f64 scale or bias makes the whole op compute in f64. */
static void widen(TccExpand *x, int first, int last) {
  for (int i = first; i <= last; i++) {
    MlirValue operand = tcc_ex_operand(x, i);
    if (operand.ptr && tcc_type_elem(tcc_value_type(operand)) == TCC_ELEM_F64) x->compute = TCC_ELEM_F64;
  }
}

static bool affine(TccExpand *x, MlirValue r, MlirValue scale, MlirValue bias, MlirValue *results) {
  if (scale.ptr) r = tcc_build2(x->b, TCC_OP_MUL, r, scale);
  if (bias.ptr) r = tcc_build2(x->b, TCC_OP_ADD, r, bias);
  results[0] = tcc_ex_out(x, r);
  return results[0].ptr != NULL;
}

bool tcc_expand_norm(TccExpand *x, MlirValue *results) {
  bool layer = x->kind == TCC_OP_LAYER_NORM;
  widen(x, 1, layer ? 2 : 1);
  int64_t axes[TCC_MAX_RANK];
  MlirValue v = tcc_ex_in(x, 0), none = {NULL};
  size_t naxes = axes_from((int)tcc_i64(x->ir, x->op, "axis"), tcc_type_rank(tcc_value_type(v)), axes);
  MlirValue r = normalise(x, v, axes, naxes, tcc_f64(x->ir, x->op, "eps"), layer);
  return affine(x, r, tcc_ex_in(x, 1), layer ? tcc_ex_in(x, 2) : none, results);
}

/* [N, C, ...] -> [N, G, C/G, ...], normalised over the axes from 2 on, and scaled there, so that one kernel does all. With a
 * group per channel and spatial axes there is nothing to reshape. */
bool tcc_expand_group_norm(TccExpand *x, MlirValue *results) {
  widen(x, 1, 2);
  MlirValue v = tcc_ex_in(x, 0), weight[] = {tcc_ex_in(x, 1), tcc_ex_in(x, 2)};
  TccShape shape, grouped;
  if (!tcc_ex_shape(x, v, &shape)) return false;
  bool instance = x->kind == TCC_OP_INSTANCE_NORM;
  double eps = tcc_f64(x->ir, x->op, "eps");
  int64_t axes[TCC_MAX_RANK];
  if (instance && shape.rank > 2) {
    for (int i = 0; i < 2; i++)
      if (weight[i].ptr) weight[i] = tcc_ex_column(x, weight[i], shape.rank - 2);
    return affine(x, normalise(x, v, axes, axes_from(2, shape.rank, axes), eps, true), weight[0], weight[1], results);
  }
  const TccExpr *groups = instance ? shape.dims[1] : tcc_ex_const(x, tcc_i64(x->ir, x->op, "groups"));
  const TccExpr *inside = tcc_expr_divide_known(x->ir->exprs, shape.dims[1], groups);
  if (!inside || shape.rank == TCC_MAX_RANK) return tcc_ex_fail(x, "channels do not divide into groups");
  grouped = (TccShape){shape.rank + 1, {shape.dims[0], groups, inside}};
  for (int i = 2; i < shape.rank; i++) grouped.dims[i + 1] = shape.dims[i];
  v = tcc_build_reshape(x->b, v, grouped.rank, grouped.dims);
  MlirValue r = normalise(x, v, axes, axes_from(2, grouped.rank, axes), eps, true);
  const TccExpr *column[TCC_MAX_RANK] = {groups, inside};
  for (int i = 2; i < shape.rank; i++) column[i] = tcc_ex_const(x, 1);
  for (int i = 0; i < 2; i++)
    if (weight[i].ptr) r = tcc_build2(x->b, i ? TCC_OP_ADD : TCC_OP_MUL, r, tcc_build_reshape(x->b, weight[i], shape.rank, column));
  results[0] = tcc_ex_out(x, tcc_build_reshape(x->b, r, shape.rank, shape.dims));
  return results[0].ptr != NULL;
}

/* r = v * f + (bias - mean * f) with f = scale / sqrt(var + eps): f and the sum depend on weights alone */
TccChannelNorm tcc_ex_channel_norm(TccExpand *x) {
  MlirValue scale = tcc_ex_in(x, 1), bias = tcc_ex_in(x, 2), mean = tcc_ex_in(x, 3), var = tcc_ex_in(x, 4);
  MlirValue root = tcc_build1(x->b, TCC_OP_RSQRT, tcc_ex_plus(x, var, tcc_f64(x->ir, x->op, "eps")));
  MlirValue factor = tcc_build2(x->b, TCC_OP_MUL, scale, root);
  return (TccChannelNorm){factor, tcc_build2(x->b, TCC_OP_SUB, bias, tcc_build2(x->b, TCC_OP_MUL, mean, factor))};
}

bool tcc_expand_batch_norm(TccExpand *x, MlirValue *results) {
  widen(x, 1, 4);
  MlirValue v = tcc_ex_in(x, 0);
  int spatial = tcc_type_rank(tcc_value_type(v)) - 2;
  TccChannelNorm norm = tcc_ex_channel_norm(x);
  return norm.factor.ptr && norm.shift.ptr &&
         affine(x, v, tcc_ex_column(x, norm.factor, spatial), tcc_ex_column(x, norm.shift, spatial), results);
}

/* The sum over a window of channels is a sum pool of the squares, seen as images [C, inner] with a kernel [size, 1]. */
bool tcc_expand_lrn(TccExpand *x, MlirValue *results) {
  MlirValue v = tcc_ex_in(x, 0);
  TccShape shape;
  if (!tcc_ex_shape(x, v, &shape)) return false;
  if (shape.rank < 2) return tcc_ex_fail(x, "needs a channel axis");
  int64_t size = tcc_i64(x->ir, x->op, "size"), before = (size - 1) / 2;
  for (int i = 0; i < shape.rank; i++) {
    int64_t n;
    if (!tcc_expr_is_const(shape.dims[i], &n) || n) continue;
    results[0] = tcc_ex_operand(x, 0); /* no window fits, and there is nothing to compute */
    return true;
  }
  const TccExpr *planes[4] = {shape.dims[0], tcc_ex_const(x, 1), shape.dims[1], tcc_ex_product(x, shape.dims + 2, shape.rank - 2)};
  MlirValue squares = tcc_build_reshape(x->b, tcc_build2(x->b, TCC_OP_MUL, v, v), 4, planes);
  if (!squares.ptr) return false;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(x->ir, tcc_str("sum"))},
                          {"kernel", tcc_attr_ints(x->ir, (int64_t[]){size, 1}, 2)},
                          {"strides", tcc_attr_ints(x->ir, (int64_t[]){1, 1}, 2)},
                          {"pads", tcc_attr_ints(x->ir, (int64_t[]){before, 0, size - 1 - before, 0}, 4)},
                          {"dilations", tcc_attr_ints(x->ir, (int64_t[]){1, 1}, 2)}};
  MlirOperation pool = tcc_build(x->b, TCC_OP_POOL, &squares, 1, attrs, 5, NULL);
  if (mlirOperationIsNull(pool)) return false;
  MlirValue sum = tcc_build_reshape(x->b, mlirOperationGetResult(pool, 0), shape.rank, shape.dims);
  MlirValue base =
      tcc_ex_plus(x, tcc_ex_times(x, sum, tcc_f64(x->ir, x->op, "alpha") / (double)size), tcc_f64(x->ir, x->op, "bias"));
  MlirValue power = tcc_build2(x->b, TCC_OP_POW, base, tcc_ex_scalar(x, tcc_f64(x->ir, x->op, "beta")));
  results[0] = tcc_ex_out(x, tcc_build2(x->b, TCC_OP_DIV, v, power));
  return results[0].ptr != NULL;
}
