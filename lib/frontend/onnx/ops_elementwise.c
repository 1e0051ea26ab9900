/* ops_elementwise.c - ONNX operators that act on each element: arithmetic, comparisons, activations, casts. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

/* Before opset 7, operand b joins at `axis` of a (default: at its end) where broadcast = 1. */
static MlirValue legacy_broadcast(ImportCall *c, MlirValue a, MlirValue b) {
  int64_t axis;
  if (onnx_call(c)->opset >= 7 || !onnx_int(c, "broadcast", 0) || !onnx_has_attribute(c, "axis")) return b;
  ImportShape to = import_shape(c, a), from = import_shape(c, b);
  if (!import_axis(c, onnx_int(c, "axis", 0), to.rank, &axis)) return (MlirValue){NULL};
  while (from.rank < to.rank - axis) from.dims[from.rank++] = import_size(c, 1);
  return tcc_build_reshape(&c->b, b, from.rank, from.dims);
}

bool onnx_op_unary(ImportCall *c) {
  return import_need(c, 1) && import_output(c, 0, tcc_build1(&c->b, (TccOpKind)c->kind, import_input(c, 0)));
}

bool onnx_op_binary(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue a = import_input(c, 0), b = legacy_broadcast(c, a, import_input(c, 1));
  return import_output(c, 0, tcc_build2(&c->b, (TccOpKind)c->kind, a, b));
}

/* a op b op c ...; Mean divides by their number. */
bool onnx_op_variadic(ImportCall *c) {
  if (!import_need(c, c->ninputs ? c->ninputs : 1)) return false;
  MlirValue sum = import_input(c, 0);
  for (size_t i = 1; i < c->ninputs; i++) sum = tcc_build2(&c->b, (TccOpKind)c->kind, sum, import_input(c, i));
  if (tcc_str_is(onnx_call(c)->node->op_type, "Mean")) sum = tcc_build2_number(&c->b, TCC_OP_DIV, sum, (double)c->ninputs);
  return import_output(c, 0, sum);
}

bool onnx_op_mod(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  return import_output(
      c, 0, tcc_build2(&c->b, onnx_int(c, "fmod", 0) ? TCC_OP_FMOD : TCC_OP_MOD, import_input(c, 0), import_input(c, 1)));
}

bool onnx_op_bit_shift(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  bool left = tcc_str_is(onnx_string(c, "direction", ""), "LEFT");
  if (!left && !tcc_str_is(onnx_string(c, "direction", ""), "RIGHT")) return import_invalid(c, "direction must be LEFT or RIGHT");
  return import_output(c, 0,
                       tcc_build2(&c->b, left ? TCC_OP_SHIFT_LEFT : TCC_OP_SHIFT_RIGHT, import_input(c, 0), import_input(c, 1)));
}

bool onnx_op_compare(ImportCall *c) {
  static const char *const predicates[] = {"eq", "gt", "ge", "lt", "le"};
  if (c->kind == COMPARE_EQ && onnx_is_text(c, 0)) return import_output(c, 0, onnx_text_equal(c, onnx_text(c, 0), onnx_text(c, 1)));
  if (!import_need(c, 2)) return false;
  MlirValue a = import_input(c, 0), b = legacy_broadcast(c, a, import_input(c, 1));
  return import_output(c, 0, tcc_build_compare(&c->b, predicates[c->kind], a, b));
}

bool onnx_op_where(ImportCall *c) {
  return import_need(c, 3) &&
         import_output(c, 0, tcc_build_select(&c->b, import_input(c, 0), import_input(c, 1), import_input(c, 2)));
}

bool onnx_op_is_inf(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  TccNamedAttr attrs[] = {{"negative", tcc_attr_bool(c->ir, onnx_int(c, "detect_negative", 1) != 0)},
                          {"positive", tcc_attr_bool(c->ir, onnx_int(c, "detect_positive", 1) != 0)}};
  MlirValue x = import_input(c, 0);
  return import_output(c, 0, import_op(c, TCC_OP_IS_INF, &x, 1, attrs, 2));
}

/* Before opset 11 the bounds are attributes. */
bool onnx_op_clip(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue operands[3] = {import_input(c, 0)};
  TccElem elem = tcc_value_elem(operands[0]);
  static const char *const names[] = {"min", "max"};
  for (size_t i = 0; i < 2; i++) {
    if (onnx_call(c)->opset < 11) {
      if (onnx_has_attribute(c, names[i])) operands[i + 1] = tcc_build_scalar(&c->b, elem, onnx_float(c, names[i], 0));
    } else if (import_has_input(c, i + 1)) {
      operands[i + 1] = tcc_build_reshape(&c->b, import_input(c, i + 1), 0, NULL);
    }
  }
  return import_output(c, 0, operands[1].ptr || operands[2].ptr ? import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : operands[0]);
}

/* ---- casts ---- */
static bool cast(ImportCall *c, TccElem elem) {
  ImportShape to = import_shape(c, import_input(c, 0));
  MlirValue x = import_input(c, 0);
  if (!elem) return false;
  if (elem == to.elem) return import_output(c, 0, x);
  to.elem = elem;
  TccNamedAttr saturate = {"saturate", tcc_attr_bool(c->ir, onnx_int(c, "saturate", 1) != 0)};
  return import_output(c, 0, import_op_typed(c, TCC_OP_CONVERT, &x, 1, &saturate, onnx_has_attribute(c, "saturate"), &to));
}

bool onnx_op_cast(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  if (!tcc_str_is(onnx_string(c, "round_mode", "up"), "up")) return import_unsupported(c, "round_mode other than up");
  return cast(c, onnx_elem(c, "to", TCC_ELEM_NONE));
}

bool onnx_op_cast_like(ImportCall *c) { return import_need(c, 2) && cast(c, tcc_value_elem(import_input(c, 1))); }

bool onnx_op_bit_cast(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape to = import_shape(c, import_input(c, 0));
  to.elem = onnx_elem(c, "to", TCC_ELEM_NONE);
  MlirValue x = import_input(c, 0);
  return to.elem && import_output(c, 0, import_op_typed(c, TCC_OP_BITCAST, &x, 1, NULL, 0, &to));
}

/* ---- activations with parameters ---- */
static bool with_floats(ImportCall *c, const TccNamedAttr *attrs, size_t nattrs) {
  MlirValue x = import_input(c, 0);
  return import_output(c, 0, import_op(c, (TccOpKind)c->kind, &x, 1, attrs, nattrs));
}

static MlirAttribute real(ImportCall *c, const char *name, double otherwise) {
  return tcc_attr_f64(c->ir, onnx_float(c, name, otherwise));
}

/* LeakyRelu, Elu, Celu, Swish: one parameter alpha. */
bool onnx_op_alpha(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  TccNamedAttr attr = {"alpha", real(c, "alpha", c->kind == TCC_OP_LEAKY_RELU ? 0.01 : 1.0)};
  return with_floats(c, &attr, 1);
}

bool onnx_op_selu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  TccNamedAttr attrs[] = {{"alpha", real(c, "alpha", 1.67326319217681884765625)},
                          {"gamma", real(c, "gamma", 1.05070102214813232421875)}};
  return with_floats(c, attrs, 2);
}

bool onnx_op_hard_sigmoid(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  TccNamedAttr attrs[] = {{"alpha", real(c, "alpha", 0.2)}, {"beta", real(c, "beta", 0.5)}};
  return with_floats(c, attrs, 2);
}

bool onnx_op_gelu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  TccNamedAttr attr = {"approximate", tcc_attr_str(c->ir, onnx_string(c, "approximate", "none"))};
  return with_floats(c, &attr, 1);
}

/* The slope broadcasts to x's trailing axes; before opset 7 a vector is a slope a channel. */
bool onnx_op_prelu(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), slope = import_input(c, 1);
  ImportShape shape = import_shape(c, x), s = import_shape(c, slope);
  if (onnx_call(c)->opset < 7 && s.rank == 1 && shape.rank > 2) {
    for (int i = 2; i < shape.rank; i++) s.dims[s.rank++] = import_size(c, 1);
    slope = tcc_build_reshape(&c->b, slope, s.rank, s.dims);
  }
  if (tcc_elem_is_float(shape.elem)) return import_output(c, 0, tcc_build2(&c->b, TCC_OP_PRELU, x, slope));
  MlirValue zero = tcc_build_scalar(&c->b, shape.elem, 0);
  return import_output(
      c, 0, tcc_build_select(&c->b, tcc_build_compare(&c->b, "lt", x, zero), tcc_build2(&c->b, TCC_OP_MUL, x, slope), x));
}

bool onnx_op_thresholded_relu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  TccElem elem = tcc_value_elem(x);
  MlirValue above = tcc_build_compare(&c->b, "gt", x, tcc_build_scalar(&c->b, elem, onnx_float(c, "alpha", 1.0)));
  return import_output(c, 0, tcc_build_select(&c->b, above, x, tcc_build_scalar(&c->b, elem, 0)));
}

/* x < -lambd ? x + bias : x > lambd ? x - bias : 0 */
bool onnx_op_shrink(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  TccElem elem = tcc_value_elem(x);
  double bias = onnx_float(c, "bias", 0), lambda = onnx_float(c, "lambd", 0.5);
  MlirValue wide = tcc_elem_is_float(elem) ? x : tcc_build_convert(&c->b, x, TCC_ELEM_F32);
  TccElem in = tcc_value_elem(wide);
  MlirValue above = tcc_build_select(&c->b, tcc_build_compare(&c->b, "gt", wide, tcc_build_scalar(&c->b, in, lambda)),
                                     tcc_build2_number(&c->b, TCC_OP_SUB, wide, bias), tcc_build_scalar(&c->b, in, 0));
  MlirValue all = tcc_build_select(&c->b, tcc_build_compare(&c->b, "lt", wide, tcc_build_scalar(&c->b, in, -lambda)),
                                   tcc_build2_number(&c->b, TCC_OP_ADD, wide, bias), above);
  return import_output(c, 0, tcc_build_convert(&c->b, all, elem));
}

bool onnx_op_identity(ImportCall *c) {
  if (c->ninputs == 0 && c->noutputs == 1) return import_absent_output(c, 0);
  if (c->ninputs != 1) return import_invalid(c, "needs one input");
  c->outputs[0] = c->inputs[0];
  return true;
}
