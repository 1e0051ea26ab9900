/* ops_contrib_quantized.c - onnxruntime's operators on quantised numbers: what its quantiser writes as operators instead of pairs of
 * QuantizeLinear and DequantizeLinear, and what its optimiser makes of both.
 *
 * Meanings are those of onnxruntime's ContribOperators.md and, where that is silent, of its CPU kernels. What it computes with activations
 * rounded to bytes at run time (DynamicQuantize...) is computed here with the weights as they are stored and activations as they come: results
 * differ from its by its own rounding. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

static MlirValue plus(ImportCall *c, MlirValue x, MlirValue bias) { return bias.ptr ? tcc_build2(&c->b, TCC_OP_ADD, x, bias) : x; }

/* Input `at`, dequantised by the two behind it. */
static MlirValue dequantized_input(ImportCall *c, size_t at) {
  return onnx_dequantize(c, import_input(c, at), import_input(c, at + 1), import_input(c, at + 2));
}

/* x as output 0, quantised to elem by the scale and the zero point that are inputs `at` and the next one. */
static bool quantized_output(ImportCall *c, MlirValue x, size_t at, TccElem elem) {
  return import_output(c, 0, onnx_quantize(c, x, import_input(c, at), import_input(c, at + 1), elem, 1));
}

/* ---- products ---- */
/* A, B, scale of B, zero point of B, bias. */
bool onnx_op_dynamic_quantize_matmul(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue y = tcc_build2(&c->b, TCC_OP_MATMUL, import_input(c, 0),
                           onnx_dequantize(c, import_input(c, 1), import_input(c, 2), import_input(c, 3)));
  return import_output(c, 0, plus(c, y, import_input(c, 4)));
}

/* A, B, scales of both, zero points of both, bias. */
bool onnx_op_matmul_integer_to_float(ImportCall *c) {
  if (!import_need(c, 4)) return false;
  MlirValue a = onnx_dequantize(c, import_input(c, 0), import_input(c, 2), import_input(c, 4)),
            b = onnx_dequantize(c, import_input(c, 1), import_input(c, 3), import_input(c, 5));
  return import_output(c, 0, plus(c, tcc_build2(&c->b, TCC_OP_MATMUL, a, b), import_input(c, 6)));
}

/* alpha * (A B) + C, where C is i32, in steps of alpha times both scales; without a scale of Y the result is of floats. */
bool onnx_op_qlinear_gemm(ImportCall *c) {
  enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, BIAS, Y_SCALE, Y_ZERO };
  static const int64_t swap[] = {1, 0};
  if (!import_need(c, 6)) return false;
  MlirValue a = import_input(c, A), b = import_input(c, B);
  if (import_shape(c, a).rank != 2 || import_shape(c, b).rank != 2) return import_invalid(c, "A and B must have rank 2");
  if (onnx_int(c, "transA", 0)) a = tcc_build_transpose(&c->b, a, swap);
  if (onnx_int(c, "transB", 0)) b = tcc_build_transpose(&c->b, b, swap);
  MlirValue sums = plus(c, onnx_matmul_integer(c, a, b, import_input(c, A_ZERO), import_input(c, B_ZERO)), import_input(c, BIAS));
  MlirValue scale = tcc_build2(&c->b, TCC_OP_MUL, import_input(c, A_SCALE), import_input(c, B_SCALE));
  const double alpha = onnx_float(c, "alpha", 1);
  if (alpha != 1) scale = tcc_build2_number(&c->b, TCC_OP_MUL, scale, alpha);
  const bool is_quantized = import_has_input(c, Y_SCALE);
  if (is_quantized) scale = tcc_build2(&c->b, TCC_OP_DIV, scale, import_input(c, Y_SCALE)); /* one factor, as in onnxruntime */
  MlirValue steps = tcc_build2(&c->b, TCC_OP_MUL, tcc_build_convert(&c->b, sums, TCC_ELEM_F32), scale),
            zero = import_input(c, Y_ZERO);
  if (!is_quantized) return import_output(c, 0, steps);
  return import_output(c, 0, onnx_round_to(c, steps, zero, zero.ptr ? tcc_value_elem(zero) : tcc_value_elem(a), 1));
}

/* ---- elementwise ---- */
/* a, b and the result, each with a scale and a zero point. kind: the tcc op. */
bool onnx_op_qlinear_binary(ImportCall *c) {
  if (!import_need(c, 8)) return false;
  return quantized_output(c, tcc_build2(&c->b, (TccOpKind)c->kind, dequantized_input(c, 0), dequantized_input(c, 3)), 6,
                          tcc_value_elem(import_input(c, 0)));
}

/* A condition; where it holds x, else y; the result: each with a scale and a zero point. */
bool onnx_op_qlinear_where(ImportCall *c) {
  if (!import_need(c, 9)) return false;
  return quantized_output(c, tcc_build_select(&c->b, import_input(c, 0), dequantized_input(c, 1), dequantized_input(c, 4)), 7,
                          tcc_value_elem(import_input(c, 1)));
}

/* Scale and zero point of the result, then of each part: the part itself, scale, zero point. */
bool onnx_op_qlinear_concat(ImportCall *c) {
  if (!import_need(c, 5) || (c->ninputs - 2) % 3) return import_invalid(c, "has %zu inputs", c->ninputs);
  const size_t n = (c->ninputs - 2) / 3;
  MlirValue *parts = TCC_NEW_ARRAY(import_arena(c), MlirValue, n);
  const TccElem elem = tcc_value_elem(import_input(c, 2));
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", 0), import_shape(c, import_input(c, 2)).rank, &axis)) return false;
  for (size_t i = 0; i < n; i++)
    parts[i] = onnx_quantize(c, dequantized_input(c, 2 + 3 * i), import_input(c, 0), import_input(c, 1), elem, 1);
  return import_output(c, 0, tcc_build_concat(&c->b, parts, n, axis));
}

/* ---- as the operator on floats ---- */
/* x, whose channels are its last axis, with them in front of the places, or back again. */
static MlirValue move_channels(ImportCall *c, MlirValue x, bool to_front) {
  const int rank = import_shape(c, x).rank;
  int64_t perm[TCC_MAX_RANK] = {0};
  for (int i = 1; i < rank; i++) perm[i] = to_front ? (i == 1 ? rank - 1 : i - 1) : i == rank - 1 ? 1 : i + 1;
  return rank < 3 ? x : tcc_build_transpose(&c->b, x, perm);
}

/* x, its scale and zero point, those of the result: what an operator of ONNX makes of x dequantised. kind: one of QLINEAR_. */
bool onnx_op_qlinear_unary(ImportCall *c) {
  static const struct {
    OnnxHandler *handler;
    int kind;
  } as[] = {[QLINEAR_AVERAGE_POOL] = {onnx_op_average_pool, 0},
            [QLINEAR_GLOBAL_AVERAGE] = {onnx_op_global_pool, GLOBAL_AVERAGE},
            [QLINEAR_LEAKY_RELU] = {onnx_op_alpha, TCC_OP_LEAKY_RELU},
            [QLINEAR_SIGMOID] = {onnx_op_unary, TCC_OP_SIGMOID},
            [QLINEAR_SOFTMAX] = {onnx_op_softmax, TCC_OP_SOFTMAX}};
  if (!import_need(c, 4)) return false;
  const TccElem elem = tcc_value_elem(import_input(c, 0));
  const bool channels_last = onnx_int(c, "channels_last", 0) != 0;
  const int64_t opset = onnx_call(c)->opset;
  if (c->kind == QLINEAR_SOFTMAX) onnx_call(c)->opset = onnx_int(c, "opset", 13); /* whose Softmax it is */
  MlirValue x = dequantized_input(c, 0);
  MlirValue y = onnx_value_of(c, as[c->kind].handler, as[c->kind].kind, channels_last ? move_channels(c, x, true) : x, 1);
  onnx_call(c)->opset = opset;
  return quantized_output(c, channels_last ? move_channels(c, y, false) : y, 3, elem);
}

/* An operator of ONNX on an image whose channels are the last axis, if the attribute says so or (kind) always. */
static bool with_channels_last(ImportCall *c, OnnxHandler *handler, size_t ninputs, bool always) {
  if (!always && !onnx_int(c, "channels_last", 0)) return handler(c);
  MlirValue y = onnx_value_of(c, handler, 0, move_channels(c, import_input(c, 0), true), ninputs);
  return import_output(c, 0, move_channels(c, y, false));
}
bool onnx_op_contrib_qlinear_conv(ImportCall *c) {
  return import_need(c, 8) && with_channels_last(c, onnx_op_qlinear_conv, c->ninputs, false);
}
bool onnx_op_nhwc_max_pool(ImportCall *c) { return import_need(c, 1) && with_channels_last(c, onnx_op_max_pool, 1, true); }
