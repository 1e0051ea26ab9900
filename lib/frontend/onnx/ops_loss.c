/* ops_loss.c - losses of classification: -w[t] * x[n, t, ...], over the log-softmax or over given log-probabilities. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* x [N, C, ...] log-probabilities, target [N, ...], weight [C] or null. */
static bool likelihood_loss(ImportCall *c, MlirValue x, MlirValue target, MlirValue weight) {
  ImportShape shape = import_shape(c, x), labels = import_shape(c, target);
  if (shape.rank < 2 || labels.rank != shape.rank - 1)
    return import_invalid(c, "input and target have ranks %d and %d", shape.rank, labels.rank);
  const TccExpr *rest[TCC_MAX_RANK];
  for (int i = 0; i < labels.rank; i++) rest[i] = shape.dims[i < 1 ? 0 : i + 1];
  ImportShape shares = import_shape(c, weight);
  if (!import_require_shape(c, &labels, labels.rank, rest, "target") ||
      (weight.ptr && !import_require_shape(c, &shares, 1, &shape.dims[1], "weight")))
    return false;
  MlirValue index = import_index(c, target), ignored = {NULL}, zero = tcc_build_scalar(&c->b, shape.elem, 0);
  if (onnx_has_attribute(c, "ignore_index")) {
    ignored =
        tcc_build_compare(&c->b, "eq", index, tcc_build_scalar_i64(&c->b, tcc_value_elem(index), onnx_int(c, "ignore_index", 0)));
    index = tcc_build_select(&c->b, ignored, tcc_build_scalar_i64(&c->b, tcc_value_elem(index), 0), index);
  }
  MlirValue operands[] = {x, import_unsqueeze(c, index, 1)};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 1)}};
  size_t nattrs = 1;
  if (!import_valid(c, TCC_VALID_UNSIGNED, x, operands[1], 1, 1, attrs, &nattrs)) return false;
  MlirValue picked = tcc_build_squeeze(&c->b, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, attrs, nattrs), 1);
  MlirValue loss = tcc_build1(&c->b, TCC_OP_NEG, picked);
  MlirValue share = weight.ptr ? import_gather_valid(c, weight, index, 0, TCC_VALID_UNSIGNED) : (MlirValue){NULL};
  if (ignored.ptr) {
    if (!share.ptr) share = tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, shape.elem, 1), labels.rank, labels.dims);
    share = tcc_build_select(&c->b, ignored, zero, share);
    loss = tcc_build_select(&c->b, ignored, zero, loss);
  }
  if (share.ptr) loss = tcc_build2(&c->b, TCC_OP_MUL, loss, share);
  TccStr reduction = onnx_string(c, "reduction", "mean");
  int64_t axes[TCC_MAX_RANK];
  for (int i = 0; i < labels.rank; i++) axes[i] = i;
  size_t n = (size_t)labels.rank;
  if (tcc_str_is(reduction, "none")) return import_output(c, 0, loss);
  if (tcc_str_is(reduction, "sum")) return import_output(c, 0, tcc_build_reduce(&c->b, "sum", loss, axes, n, false));
  if (!tcc_str_is(reduction, "mean")) return import_invalid(c, "reduction is '%.*s'", TCC_STR_ARG(reduction));
  if (!share.ptr) return import_output(c, 0, tcc_build_mean(&c->b, loss, axes, n, false));
  MlirValue total = tcc_build_reduce(&c->b, "sum", loss, axes, n, false);
  return import_output(c, 0, tcc_build2(&c->b, TCC_OP_DIV, total, tcc_build_reduce(&c->b, "sum", share, axes, n, false)));
}

bool onnx_op_likelihood_loss(ImportCall *c) {
  return import_need(c, 2) && likelihood_loss(c, import_input(c, 0), import_input(c, 1), import_input(c, 2));
}

bool onnx_op_cross_entropy_loss(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0);
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  MlirValue log_probability = import_op(c, TCC_OP_LOG_SOFTMAX, &x, 1, &axis, 1);
  if (import_has_output(c, 1) && !import_output(c, 1, log_probability)) return false;
  return log_probability.ptr && likelihood_loss(c, log_probability, import_input(c, 1), import_input(c, 2));
}
