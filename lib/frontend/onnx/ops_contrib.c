/* ops_contrib.c - operators of onnxruntime's own domain that optimised and quantised models use, written out in those of ONNX.
 *
 * Meanings are those of onnxruntime's ContribOperators.md. What it computes with activations rounded to bytes at run time (DynamicQuantize...)
 * is computed here with the weights as they are stored and activations as they come: results differ from its by its own rounding. */
#include "lib/frontend/onnx/ops.h"

/* (q - zero) * scale of weights whose last axis but one is summed over; scale and zero: one, or one of each column. */
static MlirValue dequantized(OnnxCall *c, MlirValue q, MlirValue scale, MlirValue zero) {
  MlirValue x = onnx_convert(c, q, TCC_ELEM_F32);
  if (zero.ptr) x = onnx_binary(c, TCC_OP_SUB, x, onnx_convert(c, zero, TCC_ELEM_F32));
  return onnx_binary(c, TCC_OP_MUL, x, scale);
}

static MlirValue plus(OnnxCall *c, MlirValue x, MlirValue bias) { return bias.ptr ? onnx_binary(c, TCC_OP_ADD, x, bias) : x; }

static MlirValue product(OnnxCall *c, MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  return a.ptr && b.ptr ? onnx_op(c, TCC_OP_MATMUL, operands, 2, NULL, 0) : (MlirValue){NULL};
}

/* A, B, scale of B, zero point of B, bias. */
bool import_dynamic_quantize_matmul(OnnxCall *c) {
  if (!onnx_need(c, 3)) return false;
  return onnx_output(c, 0,
                     plus(c, product(c, onnx_input(c, 0), dequantized(c, onnx_input(c, 1), onnx_input(c, 2), onnx_input(c, 3))),
                          onnx_input(c, 4)));
}

/* A, B, scales of both, zero points of both, bias. */
bool import_matmul_integer_to_float(OnnxCall *c) {
  if (!onnx_need(c, 4)) return false;
  MlirValue a = dequantized(c, onnx_input(c, 0), onnx_input(c, 2), onnx_input(c, 4)),
            b = dequantized(c, onnx_input(c, 1), onnx_input(c, 3), onnx_input(c, 5));
  return onnx_output(c, 0, plus(c, product(c, a, b), onnx_input(c, 6)));
}

static MlirValue turned(OnnxCall *c, MlirValue x) {
  OnnxShape shape = onnx_shape(c, x);
  int64_t perm[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) perm[i] = i < shape.rank - 2 ? i : 2 * shape.rank - 3 - i;
  return shape.rank < 2 ? x : onnx_transpose(c, x, perm);
}

/* alpha A B, each transposed if asked. */
bool import_fused_matmul(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  if (onnx_int(c, "transBatchA", 0) || onnx_int(c, "transBatchB", 0)) return onnx_unsupported(c, "a batch axis behind the rows");
  MlirValue a = onnx_input(c, 0), b = onnx_input(c, 1);
  MlirValue r = product(c, onnx_int(c, "transA", 0) ? turned(c, a) : a, onnx_int(c, "transB", 0) ? turned(c, b) : b);
  double alpha = onnx_float(c, "alpha", 1);
  return onnx_output(c, 0, alpha == 1 ? r : onnx_binary_number(c, TCC_OP_MUL, r, alpha));
}

/* gelu of x + bias; kind: by tanh. */
bool import_contrib_gelu(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = plus(c, onnx_input(c, 0), onnx_input(c, 1));
  TccNamedAttr attr = {"approximate", tcc_attr_str(c->ir, tcc_str(c->op->kind ? "tanh" : "none"))};
  return x.ptr && onnx_output(c, 0, onnx_op(c, TCC_OP_GELU, &x, 1, &attr, 1));
}

/* x sigmoid(alpha x) */
bool import_quick_gelu(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  return onnx_output(
      c, 0,
      onnx_binary(c, TCC_OP_MUL, x,
                  onnx_unary(c, TCC_OP_SIGMOID, onnx_binary_number(c, TCC_OP_MUL, x, onnx_float(c, "alpha", 1.702)))));
}

static MlirValue normalised(OnnxCall *c, MlirValue x, MlirValue scale, MlirValue bias, double eps, bool centred) {
  MlirValue operands[] = {x, scale, bias};
  int rank = onnx_shape(c, x).rank;
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, rank - 1)}, {"eps", tcc_attr_f64(c->ir, eps)}};
  return x.ptr && scale.ptr ? onnx_op(c, centred ? TCC_OP_LAYER_NORM : TCC_OP_RMS_NORM, operands, centred ? 3 : 2, attrs, 2)
                            : (MlirValue){NULL};
}

/* Input, skip, gamma, [beta,] bias: the norm of their sum, which is the last output. kind: without a mean (and beta). */
bool import_skip_norm(OnnxCall *c) {
  if (!onnx_need(c, 3)) return false;
  bool rms = c->op->kind != 0;
  MlirValue sum = plus(c, onnx_binary(c, TCC_OP_ADD, onnx_input(c, 0), onnx_input(c, 1)), onnx_input(c, rms ? 3 : 4));
  double eps = onnx_float(c, "epsilon", rms ? 1e-5 : 1e-12);
  if (onnx_has_output(c, 1) || onnx_has_output(c, 2)) {
    int64_t last = onnx_shape(c, sum).rank - 1;
    MlirValue wide = onnx_convert(c, sum, TCC_ELEM_F32), mean = onnx_mean(c, wide, &last, 1, true),
              centred = rms ? wide : onnx_binary(c, TCC_OP_SUB, wide, mean);
    MlirValue square = onnx_mean(c, onnx_binary(c, TCC_OP_MUL, centred, centred), &last, 1, true);
    if (!onnx_output(c, 1, mean) || !onnx_output(c, 2, onnx_unary(c, TCC_OP_RSQRT, onnx_binary_number(c, TCC_OP_ADD, square, eps))))
      return false;
  }
  if (onnx_has_output(c, 3) && !onnx_output(c, 3, sum)) return false;
  return onnx_output(c, 0, normalised(c, sum, onnx_input(c, 2), rms ? (MlirValue){NULL} : onnx_input(c, 3), eps, !rms));
}

/* ids [B, S], segment ids, tables of words, positions and segments, gamma, beta, mask [B, S], position ids: the norm of the rows' sum; how
 * many of a row's places the mask keeps; the sum. */
bool import_embed_norm(OnnxCall *c) {
  enum { IDS, SEGMENTS, WORDS, PLACES, KINDS, GAMMA, BETA, MASK, POSITIONS };
  if (!onnx_need(c, 1) || !onnx_has_input(c, WORDS) || !onnx_has_input(c, PLACES) || !onnx_has_input(c, GAMMA) ||
      !onnx_has_input(c, BETA))
    return onnx_invalid(c, "lacks a table, gamma or beta");
  if (onnx_has_input(c, SEGMENTS) != onnx_has_input(c, KINDS))
    return onnx_invalid(c, "segment ids without their table, or the other way round");
  OnnxShape ids = onnx_shape(c, onnx_input(c, IDS));
  if (ids.rank != 2) return onnx_invalid(c, "input_ids of rank %d", ids.rank);
  MlirValue places = onnx_has_input(c, POSITIONS)
                         ? onnx_gather(c, onnx_input(c, PLACES), onnx_index(c, onnx_input(c, POSITIONS)), 0)
                         : onnx_slice(c, onnx_input(c, PLACES), 0, onnx_size(c, 0), ids.dims[1]);
  MlirValue sum = plus(c, onnx_gather(c, onnx_input(c, WORDS), onnx_index(c, onnx_input(c, IDS)), 0), places);
  if (onnx_has_input(c, SEGMENTS))
    sum = plus(c, sum, onnx_gather(c, onnx_input(c, KINDS), onnx_index(c, onnx_input(c, SEGMENTS)), 0));
  if (onnx_has_output(c, 1)) {
    const int64_t last = 1;
    MlirValue mask = onnx_has_input(c, MASK) ? onnx_convert(c, onnx_input(c, MASK), TCC_ELEM_I32)
                                             : onnx_broadcast(c, onnx_scalar_i64(c, TCC_ELEM_I32, 0), 2, ids.dims);
    if (!onnx_output(c, 1, onnx_reduce(c, "sum", mask, &last, 1, false))) return false;
  }
  if (onnx_has_output(c, 2) && !onnx_output(c, 2, sum)) return false;
  return onnx_output(c, 0, normalised(c, sum, onnx_input(c, GAMMA), onnx_input(c, BETA), onnx_float(c, "epsilon", 1e-12), true));
}

/* Integers a, b with scales and zero points, each dequantised, and the result quantised as C says. kind: the tcc op. */
bool import_qlinear_binary(OnnxCall *c) {
  if (!onnx_need(c, 8)) return false;
  MlirValue a = dequantized(c, onnx_input(c, 0), onnx_input(c, 1), onnx_input(c, 2)),
            b = dequantized(c, onnx_input(c, 3), onnx_input(c, 4), onnx_input(c, 5));
  return onnx_output(c, 0,
                     onnx_quantize(c, onnx_binary(c, (TccOpKind)c->op->kind, a, b), onnx_input(c, 6), onnx_input(c, 7),
                                   onnx_value_elem(onnx_input(c, 0)), 1));
}

/* x, its scale and zero point, those of the result. kind: the tcc op. */
bool import_qlinear_unary(OnnxCall *c) {
  if (!onnx_need(c, 4)) return false;
  MlirValue x = dequantized(c, onnx_input(c, 0), onnx_input(c, 1), onnx_input(c, 2));
  TccNamedAttr alpha = {"alpha", tcc_attr_f64(c->ir, onnx_float(c, "alpha", 0.01))};
  x = x.ptr ? onnx_op(c, (TccOpKind)c->op->kind, &x, 1, &alpha, c->op->kind == TCC_OP_LEAKY_RELU) : x;
  return onnx_output(c, 0, onnx_quantize(c, x, onnx_input(c, 3), onnx_input(c, 4), onnx_value_elem(onnx_input(c, 0)), 1));
}

/* Scale and zero point of the result, then of each part: the part itself, scale, zero point. */
bool import_qlinear_concat(OnnxCall *c) {
  if (!onnx_need(c, 5) || (c->ninputs - 2) % 3) return onnx_invalid(c, "has %zu inputs", c->ninputs);
  size_t n = (c->ninputs - 2) / 3;
  MlirValue *parts = TCC_NEW_ARRAY(onnx_arena(c), MlirValue, n);
  TccElem elem = onnx_value_elem(onnx_input(c, 2));
  int64_t axis;
  if (!onnx_axis(c, onnx_int(c, "axis", 0), onnx_shape(c, onnx_input(c, 2)).rank, &axis)) return false;
  for (size_t i = 0; i < n; i++)
    parts[i] = onnx_quantize(c, dequantized(c, onnx_input(c, 2 + 3 * i), onnx_input(c, 3 + 3 * i), onnx_input(c, 4 + 3 * i)),
                             onnx_input(c, 0), onnx_input(c, 1), elem, 1);
  return onnx_output(c, 0, onnx_concat(c, parts, n, axis));
}

/* x, its scale and zero point, those of the result: the mean over the spatial axes. */
bool import_qlinear_average(OnnxCall *c) {
  if (!onnx_need(c, 4)) return false;
  OnnxShape shape = onnx_shape(c, onnx_input(c, 0));
  if (shape.rank < 3) return onnx_unsupported(c, "an input of rank %d", shape.rank);
  int64_t axes[TCC_MAX_RANK], first = onnx_int(c, "channels_last", 0) ? 1 : 2;
  for (int i = 0; i < shape.rank - 2; i++) axes[i] = first + i;
  MlirValue mean =
      onnx_mean(c, dequantized(c, onnx_input(c, 0), onnx_input(c, 1), onnx_input(c, 2)), axes, (size_t)shape.rank - 2, true);
  return onnx_output(c, 0, onnx_quantize(c, mean, onnx_input(c, 3), onnx_input(c, 4), shape.elem, 1));
}

/* Conv, then what is added to it, then an activation. */
bool import_fused_conv(OnnxCall *c) {
  static const struct {
    const char *name;
    TccOpKind kind;
    const char *parameter[2];
  } functions[] = {{"Relu", TCC_OP_RELU, {NULL}},
                   {"Tanh", TCC_OP_TANH, {NULL}},
                   {"Sigmoid", TCC_OP_SIGMOID, {NULL}},
                   {"LeakyRelu", TCC_OP_LEAKY_RELU, {"alpha"}},
                   {"HardSigmoid", TCC_OP_HARD_SIGMOID, {"alpha", "beta"}},
                   {"Clip", TCC_OP_CLAMP, {NULL}}};
  MlirValue added = onnx_input(c, 3);
  size_t inputs = c->ninputs, n = 0, k = 0;
  if (c->ninputs > 3) c->ninputs = 3;
  bool ok = import_conv(c);
  c->ninputs = inputs;
  if (!ok) return false;
  MlirValue y = plus(c, c->outputs[0].tensor, added);
  TccStr name = onnx_string(c, "activation", "");
  const float *given = NULL;
  onnx_floats(c, "activation_params", &given, &n);
  if (!name.length || !y.ptr) return onnx_output(c, 0, y);
  while (k < sizeof functions / sizeof *functions && !tcc_str_is(name, functions[k].name)) k++;
  if (k == sizeof functions / sizeof *functions) return onnx_unsupported(c, "activation '%.*s'", TCC_STR_ARG(name));
  if (functions[k].kind == TCC_OP_CLAMP) {
    if (n != 2) return onnx_invalid(c, "Clip needs two parameters");
    MlirValue operands[] = {y, onnx_scalar(c, onnx_value_elem(y), (double)given[0]),
                            onnx_scalar(c, onnx_value_elem(y), (double)given[1])};
    return onnx_output(c, 0, onnx_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0));
  }
  TccNamedAttr attrs[2];
  size_t nattrs = 0;
  for (; nattrs < 2 && functions[k].parameter[nattrs]; nattrs++) {
    if (nattrs >= n) return onnx_invalid(c, "'%.*s' lacks a parameter", TCC_STR_ARG(name));
    attrs[nattrs] = (TccNamedAttr){functions[k].parameter[nattrs], tcc_attr_f64(c->ir, (double)given[nattrs])};
  }
  return onnx_output(c, 0, onnx_op(c, functions[k].kind, &y, 1, attrs, nattrs));
}
