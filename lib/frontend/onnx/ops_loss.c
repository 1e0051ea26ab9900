/* ops_loss.c - losses of classification: -w[t] * x[n, t, ...], over the log-softmax or over given log-probabilities. */
#include "lib/frontend/onnx/ops.h"

/* x [N, C, ...] log-probabilities, target [N, ...], weight [C] or null. */
static bool likelihood_loss(OnnxCall *c, MlirValue x, MlirValue target, MlirValue weight) {
  OnnxShape shape = onnx_shape(c, x), labels = onnx_shape(c, target);
  if (shape.rank < 2 || labels.rank != shape.rank - 1)
    return onnx_invalid(c, "input and target have ranks %d and %d", shape.rank, labels.rank);
  MlirValue index = onnx_index(c, target), ignored = {NULL}, zero = onnx_scalar(c, shape.elem, 0);
  if (onnx_has_attribute(c, "ignore_index")) {
    ignored = onnx_compare(c, "eq", index, onnx_scalar_i64(c, onnx_value_elem(index), onnx_int(c, "ignore_index", 0)));
    index = onnx_select(c, ignored, onnx_scalar_i64(c, onnx_value_elem(index), 0), index);
  }
  MlirValue operands[] = {x, onnx_unsqueeze(c, index, 1)};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  if (!x.ptr || !operands[1].ptr) return false;
  MlirValue picked = onnx_squeeze(c, onnx_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1), 1);
  MlirValue loss = onnx_unary(c, TCC_OP_NEG, picked);
  MlirValue share = weight.ptr ? onnx_gather(c, weight, index, 0) : (MlirValue){NULL};
  if (ignored.ptr) {
    if (!share.ptr) share = onnx_broadcast(c, onnx_scalar(c, shape.elem, 1), labels.rank, labels.dims);
    share = onnx_select(c, ignored, zero, share);
    loss = onnx_select(c, ignored, zero, loss);
  }
  if (share.ptr) loss = onnx_binary(c, TCC_OP_MUL, loss, share);
  TccStr reduction = onnx_string(c, "reduction", "mean");
  int64_t axes[TCC_MAX_RANK];
  for (int i = 0; i < labels.rank; i++) axes[i] = i;
  size_t n = (size_t)labels.rank;
  if (tcc_str_is(reduction, "none")) return onnx_output(c, 0, loss);
  if (tcc_str_is(reduction, "sum")) return onnx_output(c, 0, onnx_reduce(c, "sum", loss, axes, n, false));
  if (!tcc_str_is(reduction, "mean")) return onnx_invalid(c, "reduction is '%.*s'", TCC_STR_ARG(reduction));
  if (!share.ptr) return onnx_output(c, 0, onnx_mean(c, loss, axes, n, false));
  MlirValue total = onnx_reduce(c, "sum", loss, axes, n, false);
  return onnx_output(c, 0, onnx_binary(c, TCC_OP_DIV, total, onnx_reduce(c, "sum", share, axes, n, false)));
}

bool import_likelihood_loss(OnnxCall *c) {
  return onnx_need(c, 2) && likelihood_loss(c, onnx_input(c, 0), onnx_input(c, 1), onnx_input(c, 2));
}

bool import_cross_entropy_loss(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0);
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  MlirValue log_probability = onnx_op(c, TCC_OP_LOG_SOFTMAX, &x, 1, &axis, 1);
  if (onnx_has_output(c, 1) && !onnx_output(c, 1, log_probability)) return false;
  return log_probability.ptr && likelihood_loss(c, log_probability, onnx_input(c, 1), onnx_input(c, 2));
}
