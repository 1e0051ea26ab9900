/* ops_elementwise.c - ONNX operators that act on each element: arithmetic, comparisons, activations, casts. */
#include "lib/frontend/onnx/ops.h"

/* Before opset 7, operand b joins at `axis` of a (default: at its end) where broadcast = 1. */
static MlirValue legacy_broadcast(OnnxCall *c, MlirValue a, MlirValue b) {
  int64_t axis;
  if (c->opset >= 7 || !onnx_int(c, "broadcast", 0) || !onnx_has_attribute(c, "axis")) return b;
  OnnxShape to = onnx_shape(c, a), from = onnx_shape(c, b);
  if (!onnx_axis(c, onnx_int(c, "axis", 0), to.rank, &axis)) return (MlirValue){NULL};
  while (from.rank < to.rank - axis) from.dims[from.rank++] = onnx_size(c, 1);
  return onnx_reshape(c, b, from.rank, from.dims);
}

bool import_unary(OnnxCall *c) {
  return onnx_need(c, 1) && onnx_output(c, 0, onnx_unary(c, (TccOpKind)c->op->kind, onnx_input(c, 0)));
}

bool import_binary(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue a = onnx_input(c, 0), b = legacy_broadcast(c, a, onnx_input(c, 1));
  return onnx_output(c, 0, onnx_binary(c, (TccOpKind)c->op->kind, a, b));
}

/* a op b op c ...; Mean divides by their number. */
bool import_variadic(OnnxCall *c) {
  if (!onnx_need(c, c->ninputs ? c->ninputs : 1)) return false;
  MlirValue sum = onnx_input(c, 0);
  for (size_t i = 1; i < c->ninputs; i++) sum = onnx_binary(c, (TccOpKind)c->op->kind, sum, onnx_input(c, i));
  if (tcc_str_is(c->node->op_type, "Mean")) sum = onnx_binary_number(c, TCC_OP_DIV, sum, (double)c->ninputs);
  return onnx_output(c, 0, sum);
}

bool import_mod(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  return onnx_output(c, 0, onnx_binary(c, onnx_int(c, "fmod", 0) ? TCC_OP_FMOD : TCC_OP_MOD, onnx_input(c, 0), onnx_input(c, 1)));
}

bool import_bit_shift(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  bool left = tcc_str_is(onnx_string(c, "direction", ""), "LEFT");
  if (!left && !tcc_str_is(onnx_string(c, "direction", ""), "RIGHT")) return onnx_invalid(c, "direction must be LEFT or RIGHT");
  return onnx_output(c, 0, onnx_binary(c, left ? TCC_OP_SHIFT_LEFT : TCC_OP_SHIFT_RIGHT, onnx_input(c, 0), onnx_input(c, 1)));
}

bool import_compare(OnnxCall *c) {
  static const char *const predicates[] = {"eq", "gt", "ge", "lt", "le"};
  if (!onnx_need(c, 2)) return false;
  MlirValue a = onnx_input(c, 0), b = legacy_broadcast(c, a, onnx_input(c, 1));
  return onnx_output(c, 0, onnx_compare(c, predicates[c->op->kind], a, b));
}

bool import_where(OnnxCall *c) {
  return onnx_need(c, 3) && onnx_output(c, 0, onnx_select(c, onnx_input(c, 0), onnx_input(c, 1), onnx_input(c, 2)));
}

bool import_is_inf(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  TccNamedAttr attrs[] = {{"negative", tcc_attr_bool(c->ir, onnx_int(c, "detect_negative", 1) != 0)},
                          {"positive", tcc_attr_bool(c->ir, onnx_int(c, "detect_positive", 1) != 0)}};
  MlirValue x = onnx_input(c, 0);
  return onnx_output(c, 0, onnx_op(c, TCC_OP_IS_INF, &x, 1, attrs, 2));
}

/* Before opset 11 the bounds are attributes. */
bool import_clip(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue operands[3] = {onnx_input(c, 0)};
  TccElem elem = onnx_value_elem(operands[0]);
  static const char *const names[] = {"min", "max"};
  for (size_t i = 0; i < 2; i++) {
    if (c->opset < 11) {
      if (onnx_has_attribute(c, names[i])) operands[i + 1] = onnx_scalar(c, elem, onnx_float(c, names[i], 0));
    } else if (onnx_has_input(c, i + 1)) {
      operands[i + 1] = onnx_reshape(c, onnx_input(c, i + 1), 0, NULL);
    }
  }
  return onnx_output(c, 0, operands[1].ptr || operands[2].ptr ? onnx_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : operands[0]);
}

/* ---- casts ---- */
static bool cast(OnnxCall *c, TccElem elem) {
  OnnxShape to = onnx_shape(c, onnx_input(c, 0));
  MlirValue x = onnx_input(c, 0);
  if (!elem) return false;
  if (elem == to.elem) return onnx_output(c, 0, x);
  to.elem = elem;
  TccNamedAttr saturate = {"saturate", tcc_attr_bool(c->ir, onnx_int(c, "saturate", 1) != 0)};
  return onnx_output(c, 0, onnx_op_typed(c, TCC_OP_CONVERT, &x, 1, &saturate, onnx_has_attribute(c, "saturate"), &to));
}

bool import_cast(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  if (!tcc_str_is(onnx_string(c, "round_mode", "up"), "up")) return onnx_unsupported(c, "round_mode other than up");
  return cast(c, onnx_elem(c, "to", TCC_ELEM_NONE));
}

bool import_cast_like(OnnxCall *c) { return onnx_need(c, 2) && cast(c, onnx_value_elem(onnx_input(c, 1))); }

bool import_bit_cast(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape to = onnx_shape(c, onnx_input(c, 0));
  to.elem = onnx_elem(c, "to", TCC_ELEM_NONE);
  MlirValue x = onnx_input(c, 0);
  return to.elem && onnx_output(c, 0, onnx_op_typed(c, TCC_OP_BITCAST, &x, 1, NULL, 0, &to));
}

/* ---- activations with parameters ---- */
static bool with_floats(OnnxCall *c, const TccNamedAttr *attrs, size_t nattrs) {
  MlirValue x = onnx_input(c, 0);
  return onnx_output(c, 0, onnx_op(c, (TccOpKind)c->op->kind, &x, 1, attrs, nattrs));
}

static MlirAttribute real(OnnxCall *c, const char *name, double otherwise) {
  return tcc_attr_f64(c->ir, onnx_float(c, name, otherwise));
}

/* LeakyRelu, Elu, Celu, Swish: one parameter alpha. */
bool import_alpha(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  TccNamedAttr attr = {"alpha", real(c, "alpha", c->op->kind == TCC_OP_LEAKY_RELU ? 0.01 : 1.0)};
  return with_floats(c, &attr, 1);
}

bool import_selu(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  TccNamedAttr attrs[] = {{"alpha", real(c, "alpha", 1.67326319217681884765625)},
                          {"gamma", real(c, "gamma", 1.05070102214813232421875)}};
  return with_floats(c, attrs, 2);
}

bool import_hard_sigmoid(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  TccNamedAttr attrs[] = {{"alpha", real(c, "alpha", 0.2)}, {"beta", real(c, "beta", 0.5)}};
  return with_floats(c, attrs, 2);
}

bool import_gelu(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  TccNamedAttr attr = {"approximate", tcc_attr_str(c->ir, onnx_string(c, "approximate", "none"))};
  return with_floats(c, &attr, 1);
}

/* The slope broadcasts to x's trailing axes; before opset 7 a vector is a slope a channel. */
bool import_prelu(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0), slope = onnx_input(c, 1);
  OnnxShape shape = onnx_shape(c, x), s = onnx_shape(c, slope);
  if (c->opset < 7 && s.rank == 1 && shape.rank > 2) {
    for (int i = 2; i < shape.rank; i++) s.dims[s.rank++] = onnx_size(c, 1);
    slope = onnx_reshape(c, slope, s.rank, s.dims);
  }
  if (tcc_elem_is_float(shape.elem)) return onnx_output(c, 0, onnx_binary(c, TCC_OP_PRELU, x, slope));
  MlirValue zero = onnx_scalar(c, shape.elem, 0);
  return onnx_output(c, 0, onnx_select(c, onnx_compare(c, "lt", x, zero), onnx_binary(c, TCC_OP_MUL, x, slope), x));
}

bool import_thresholded_relu(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  TccElem elem = onnx_value_elem(x);
  MlirValue above = onnx_compare(c, "gt", x, onnx_scalar(c, elem, onnx_float(c, "alpha", 1.0)));
  return onnx_output(c, 0, onnx_select(c, above, x, onnx_scalar(c, elem, 0)));
}

/* x < -lambd ? x + bias : x > lambd ? x - bias : 0 */
bool import_shrink(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  TccElem elem = onnx_value_elem(x);
  double bias = onnx_float(c, "bias", 0), lambda = onnx_float(c, "lambd", 0.5);
  MlirValue wide = tcc_elem_is_float(elem) ? x : onnx_convert(c, x, TCC_ELEM_F32);
  TccElem in = onnx_value_elem(wide);
  MlirValue above = onnx_select(c, onnx_compare(c, "gt", wide, onnx_scalar(c, in, lambda)),
                                onnx_binary_number(c, TCC_OP_SUB, wide, bias), onnx_scalar(c, in, 0));
  MlirValue all = onnx_select(c, onnx_compare(c, "lt", wide, onnx_scalar(c, in, -lambda)),
                              onnx_binary_number(c, TCC_OP_ADD, wide, bias), above);
  return onnx_output(c, 0, onnx_convert(c, all, elem));
}

bool import_identity(OnnxCall *c) {
  if (c->ninputs == 0) return onnx_unsupported(c, "an empty optional");
  if (c->ninputs != 1) return onnx_invalid(c, "needs one input");
  c->outputs[0] = c->inputs[0];
  return true;
}

/* Inference: the input, and a mask of ones. */
bool import_dropout(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  int64_t training = c->opset < 7 ? !onnx_int(c, "is_test", 0) : 0;
  if (onnx_has_input(c, 2) && !onnx_known_constant(c, onnx_input(c, 2), &training))
    return onnx_unsupported(c, "training_mode is not a constant");
  if (training && onnx_has_input(c, 1)) { /* with ratio 0 nothing is dropped */
    size_t count;
    const double *ratio = onnx_reals(c, 1, &count);
    training = !ratio || count != 1 || ratio[0] != 0;
  }
  if (training) return onnx_unsupported(c, "training mode, whose result is random");
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  if (onnx_has_output(c, 1)) {
    TccElem elem = c->opset < 10 ? shape.elem : TCC_ELEM_BOOL;
    if (!onnx_output(c, 1, onnx_broadcast(c, onnx_scalar(c, elem, 1), shape.rank, shape.dims))) return false;
  }
  return onnx_output(c, 0, x);
}
