/* ops_norm.c - ONNX normalisations: batch, instance, layer, group, RMS, Lp, mean-variance, LRN; softmax. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <float.h>

static TccNamedAttr epsilon(ImportCall *c, double otherwise) {
  return (TccNamedAttr){"eps", tcc_attr_f64(c->ir, onnx_float(c, "epsilon", otherwise))};
}

static MlirValue channel_vector(ImportCall *c, MlirValue v, int rank) { /* [C] -> [C, 1, ...], to broadcast behind the batch */
  ImportShape shape = import_shape(c, v);
  while (shape.rank < rank - 1 && shape.rank >= 1) shape.dims[shape.rank++] = import_size(c, 1);
  return tcc_build_reshape(&c->b, v, shape.rank, shape.dims);
}

/* running * momentum + current * (1 - momentum) */
static MlirValue blend(ImportCall *c, MlirValue running, MlirValue current, double momentum) {
  current = tcc_build_convert(&c->b, current, tcc_value_elem(running));
  return tcc_build2(&c->b, TCC_OP_ADD, tcc_build2_number(&c->b, TCC_OP_MUL, running, momentum),
                    tcc_build2_number(&c->b, TCC_OP_MUL, current, 1 - momentum));
}

/* Training leaves channels that it switches off with weights and scales that are subnormal, and a vector with one such number takes a
 * hundred times as long to multiply. Their scales go into the weights of the convolution that makes x, where the product is zero as
 * a rule; other channels are as they were. operands: of the norm. */
static bool silence(ImportCall *c, MlirValue operands[5]) {
  MlirOperation conv = tcc_value_op(operands[0]);
  if (tcc_value_kind(c->ir, operands[0]) != TCC_OP_CONV || !import_has_subnormals(c, operands[1])) return true;
  MlirValue w = mlirOperationGetOperand(conv, 1), bias = mlirOperationGetOperand(conv, 2), scale = operands[1];
  TccOpKind kind = tcc_value_kind(c->ir, w);
  if ((kind != TCC_OP_WEIGHT && kind != TCC_OP_CONSTANT) || tcc_value_elem(w) != TCC_ELEM_F32) return true;
  MlirValue one = tcc_build_scalar(&c->b, TCC_ELEM_F32, 1),
            off = tcc_build_compare(&c->b, "lt", tcc_build1(&c->b, TCC_OP_ABS, scale),
                                    tcc_build_scalar(&c->b, TCC_ELEM_F32, (double)FLT_MIN));
  MlirValue factor = tcc_build_select(&c->b, off, scale, one);
  w = tcc_build2(&c->b, TCC_OP_MUL, w, channel_vector(c, factor, import_shape(c, w).rank + 1));
  if (!tcc_value_is_none(c->ir, bias)) bias = tcc_build2(&c->b, TCC_OP_MUL, bias, factor);
  operands[1] = tcc_build_select(&c->b, off, one, scale);
  operands[3] = tcc_build2(&c->b, TCC_OP_MUL, operands[3], factor);
  if (!w.ptr || !bias.ptr || !operands[1].ptr || !operands[3].ptr) return false;
  MlirOperation made = mlirOperationClone(conv);
  mlirOperationSetOperand(made, 1, w);
  mlirOperationSetOperand(made, 2, bias);
  mlirBlockAppendOwnedOperation(c->b.block, made);
  operands[0] = mlirOperationGetResult(made, 0);
  return true;
}

/* Inference with the given statistics; in training mode with those of the batch, which are blended into the running ones. */
bool onnx_op_batch_norm(ImportCall *c) {
  if (!import_need(c, 5)) return false;
  MlirValue operands[5];
  for (size_t i = 0; i < 5; i++) operands[i] = import_input(c, i);
  import_mark_buffer(c, operands[3]), import_mark_buffer(c, operands[4]);
  ImportShape shape = import_shape(c, operands[0]);
  if (shape.rank < 2) return import_unsupported(c, "an input of rank %d", shape.rank);
  if (onnx_call(c)->opset < 9 && !onnx_int(c, "spatial", 1)) return import_unsupported(c, "spatial = 0");
  bool training = onnx_call(c)->opset < 7 ? !onnx_int(c, "is_test", 0) && import_has_output(c, 1)
                                          : onnx_call(c)->opset >= 14 && onnx_int(c, "training_mode", 0);
  if (training) {
    int64_t axes[TCC_MAX_RANK];
    size_t n = 0;
    for (int i = 0; i < shape.rank; i++)
      if (i != 1) axes[n++] = i;
    MlirValue mean = tcc_build_mean(&c->b, operands[0], axes, n, false);
    MlirValue centred = tcc_build2(&c->b, TCC_OP_SUB, operands[0], channel_vector(c, mean, shape.rank));
    MlirValue var = tcc_build_mean(&c->b, tcc_build2(&c->b, TCC_OP_MUL, centred, centred), axes, n, false);
    double momentum = onnx_float(c, "momentum", 0.9);
    if (import_has_output(c, 1) && !import_output(c, 1, blend(c, operands[3], mean, momentum))) return false;
    if (import_has_output(c, 2) && !import_output(c, 2, blend(c, operands[4], var, momentum))) return false;
    operands[3] = mean, operands[4] = var;
  } else if (import_has_output(c, 1)) {
    return import_unsupported(c, "running statistics as outputs in inference mode");
  } else if (!silence(c, operands)) {
    return false;
  }
  TccNamedAttr eps = epsilon(c, 1e-5);
  return operands[3].ptr && operands[4].ptr && import_output(c, 0, import_op(c, TCC_OP_BATCH_NORM, operands, 5, &eps, 1));
}

bool onnx_op_instance_norm(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue operands[] = {import_input(c, 0), import_input(c, 1), import_input(c, 2)};
  TccNamedAttr eps = epsilon(c, 1e-5);
  return import_output(c, 0, import_op(c, TCC_OP_INSTANCE_NORM, operands, 3, &eps, 1));
}

/* Scale and bias are a channel's; in opset 18 they were a group's. */
bool onnx_op_group_norm(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue operands[] = {import_input(c, 0), import_input(c, 1), import_input(c, 2)};
  ImportShape shape = import_shape(c, operands[0]);
  int64_t groups = onnx_int(c, "num_groups", 0), channels;
  if (groups < 1) return import_invalid(c, "num_groups must be positive");
  if (shape.rank < 2) return import_invalid(c, "the input must have rank 2 or more");
  if (!import_fix_size(c, shape.dims[1], &channels)) return false;
  for (int i = 1; i < 3 && onnx_call(c)->opset < 21; i++) {
    const TccExpr *one[] = {import_size(c, groups), import_size(c, 1)}, *each[] = {one[0], import_size(c, channels / groups)};
    operands[i] = tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, operands[i], 2, one), 2, each), 1,
                                    &shape.dims[1]);
    if (!operands[i].ptr) return false;
  }
  TccNamedAttr attrs[] = {{"groups", tcc_attr_i64(c->ir, groups)}, epsilon(c, 1e-5)};
  return import_output(c, 0, import_op(c, TCC_OP_GROUP_NORM, operands, 3, attrs, 2));
}

/* Whether v broadcasts to x's axes [axis, rank) once leading ones are dropped; *v is then of at most that rank. */
static bool is_inner(ImportCall *c, MlirValue *v, int inner) {
  ImportShape shape = import_shape(c, *v);
  int extra = shape.rank - inner;
  if (extra <= 0) return true;
  for (int i = 0; i < extra; i++)
    if (!import_is_size(shape.dims[i], 1)) return false;
  *v = tcc_build_reshape(&c->b, *v, inner, shape.dims + extra);
  return true;
}

static size_t axes_from(int64_t axis, int rank, int64_t *out) {
  size_t n = 0;
  for (int64_t i = axis; i < rank; i++) out[n++] = i;
  return n;
}

/* Y, and where asked for the mean and 1 / sqrt(var + eps) that it used. */
bool onnx_op_layer_norm(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), operands[] = {x, import_input(c, 1), import_input(c, 2)};
  ImportShape shape = import_shape(c, x);
  int64_t axis, axes[TCC_MAX_RANK];
  if (!import_axis(c, onnx_int(c, "axis", -1), shape.rank, &axis)) return false;
  bool is_rms = c->kind == TCC_OP_RMS_NORM;
  MlirValue outer[2] = {{NULL}, {NULL}}; /* scale and bias that vary over outer axes too */
  for (size_t i = 1; i < 3; i++)
    if (operands[i].ptr && !is_inner(c, &operands[i], shape.rank - (int)axis)) outer[i - 1] = operands[i], operands[i].ptr = NULL;
  if (outer[0].ptr && operands[2].ptr) outer[1] = operands[2], operands[2].ptr = NULL;
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, axis)}, epsilon(c, 1e-5)};
  MlirValue y = import_op(c, (TccOpKind)c->kind, operands, is_rms ? 2 : 3, attrs, 2);
  if (outer[0].ptr) y = tcc_build2(&c->b, TCC_OP_MUL, y, tcc_build_convert(&c->b, outer[0], shape.elem));
  if (outer[1].ptr) y = tcc_build2(&c->b, TCC_OP_ADD, y, tcc_build_convert(&c->b, outer[1], shape.elem));
  if (!is_rms && (import_has_output(c, 1) || import_has_output(c, 2))) {
    size_t n = axes_from(axis, shape.rank, axes);
    TccElem stash = onnx_elem(c, "stash_type", TCC_ELEM_F32);
    if (!stash) return false;
    MlirValue wide = tcc_build_convert(&c->b, x, stash), mean = tcc_build_mean(&c->b, wide, axes, n, true),
              centred = tcc_build2(&c->b, TCC_OP_SUB, wide, mean);
    MlirValue var = tcc_build_mean(&c->b, tcc_build2(&c->b, TCC_OP_MUL, centred, centred), axes, n, true);
    MlirValue inverse = tcc_build1(&c->b, TCC_OP_RSQRT, tcc_build2_number(&c->b, TCC_OP_ADD, var, onnx_float(c, "epsilon", 1e-5)));
    if (import_has_output(c, 1) && !import_output(c, 1, mean)) return false;
    if (import_has_output(c, 2) && !import_output(c, 2, inverse)) return false;
  }
  return import_output(c, 0, y);
}

/* x / norm along axis; 0 where the norm is 0. */
bool onnx_op_lp_normalization(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axis, p = onnx_int(c, "p", 2);
  if (!import_axis(c, onnx_int(c, "axis", -1), shape.rank, &axis)) return false;
  if (p != 1 && p != 2) return import_invalid(c, "p must be 1 or 2");
  TccElem inner = tcc_elem_bits(shape.elem) < 32 ? TCC_ELEM_F32 : shape.elem; /* a sum of squares may be no f16 */
  x = tcc_build_convert(&c->b, x, inner);
  MlirValue norm = tcc_build_reduce(&c->b, "sum", p == 1 ? tcc_build1(&c->b, TCC_OP_ABS, x) : tcc_build2(&c->b, TCC_OP_MUL, x, x),
                                    &axis, 1, true);
  if (p == 2) norm = tcc_build1(&c->b, TCC_OP_SQRT, norm);
  MlirValue zero = tcc_build_scalar(&c->b, inner, 0);
  MlirValue y = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", norm, zero), zero, tcc_build2(&c->b, TCC_OP_DIV, x, norm));
  return import_output(c, 0, tcc_build_convert(&c->b, y, shape.elem));
}

bool onnx_op_mean_variance(ImportCall *c) {
  static const int64_t usual[] = {0, 2, 3};
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  const int64_t *given = usual;
  size_t n = 3;
  int64_t axes[TCC_MAX_RANK];
  int rank = import_shape(c, x).rank;
  onnx_ints(c, "axes", &given, &n);
  if (n > TCC_MAX_RANK) return import_invalid(c, "axes has %zu entries", n);
  for (size_t i = 0; i < n; i++)
    if (!import_axis(c, given[i], rank, &axes[i])) return false;
  MlirValue centred = tcc_build2(&c->b, TCC_OP_SUB, x, tcc_build_mean(&c->b, x, axes, n, true));
  MlirValue deviation =
      tcc_build1(&c->b, TCC_OP_SQRT, tcc_build_mean(&c->b, tcc_build2(&c->b, TCC_OP_MUL, centred, centred), axes, n, true));
  return import_output(c, 0, tcc_build2(&c->b, TCC_OP_DIV, centred, tcc_build2_number(&c->b, TCC_OP_ADD, deviation, 1e-9)));
}

bool onnx_op_lrn(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  TccNamedAttr attrs[] = {{"alpha", tcc_attr_f64(c->ir, onnx_float(c, "alpha", 0.0001))},
                          {"beta", tcc_attr_f64(c->ir, onnx_float(c, "beta", 0.75))},
                          {"bias", tcc_attr_f64(c->ir, onnx_float(c, "bias", 1.0))},
                          {"size", tcc_attr_i64(c->ir, onnx_int(c, "size", 1))}};
  return import_output(c, 0, import_op(c, TCC_OP_LRN, &x, 1, attrs, 4));
}

/* Before opset 13, axis splits the shape in two and the op acts on the whole second part. */
static MlirValue flattened(ImportCall *c, MlirValue x, int64_t axis) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *dims[] = {import_product(c, shape.dims, (int)axis), import_product(c, shape.dims + axis, shape.rank - (int)axis)};
  return tcc_build_reshape(&c->b, x, 2, dims);
}

/* One where the first maximum along axis is, else 0. */
static MlirValue hardmax(ImportCall *c, MlirValue x, int64_t axis) {
  ImportShape shape = import_shape(c, x);
  TccNamedAttr attrs[] = {
      {"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, axis)}, {"keepdims", tcc_attr_bool(c->ir, true)}};
  MlirValue best = x.ptr ? import_op(c, TCC_OP_ARG_REDUCE, &x, 1, attrs, 3) : x;
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = i == axis ? shape.dims[i] : import_size(c, 1);
  MlirValue index = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, shape.dims[axis]), shape.rank, dims);
  return tcc_build_convert(&c->b, tcc_build_compare(&c->b, "eq", best, index), shape.elem);
}

bool onnx_op_softmax(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", onnx_call(c)->opset < 13 ? 1 : -1), shape.rank, &axis)) return false;
  bool flatten = onnx_call(c)->opset < 13 && axis != shape.rank - 1;
  if (flatten) x = flattened(c, x, axis), axis = 1;
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  MlirValue y = !x.ptr ? x : c->kind == TCC_OP_ARG_REDUCE ? hardmax(c, x, axis) : import_op(c, (TccOpKind)c->kind, &x, 1, &attr, 1);
  return import_output(c, 0, flatten ? tcc_build_reshape(&c->b, y, shape.rank, shape.dims) : y);
}
