/* ops_contrib.c - operators of onnxruntime's own domain that optimised and quantised models use, written out in those of ONNX.
 *
 * Meanings are those of onnxruntime's ContribOperators.md. What it computes with activations rounded to bytes at run time (DynamicQuantize...)
 * is computed here with the weights as they are stored and activations as they come: results differ from its by its own rounding. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* (q - zero) * scale of weights whose last axis but one is summed over; scale and zero: one, or one of each column. */
static MlirValue dequantized(ImportCall *c, MlirValue q, MlirValue scale, MlirValue zero) {
  MlirValue x = tcc_build_convert(&c->b, q, TCC_ELEM_F32);
  if (zero.ptr) x = tcc_build2(&c->b, TCC_OP_SUB, x, tcc_build_convert(&c->b, zero, TCC_ELEM_F32));
  return tcc_build2(&c->b, TCC_OP_MUL, x, scale);
}

static MlirValue plus(ImportCall *c, MlirValue x, MlirValue bias) { return bias.ptr ? tcc_build2(&c->b, TCC_OP_ADD, x, bias) : x; }

static MlirValue product(ImportCall *c, MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  return a.ptr && b.ptr ? import_op(c, TCC_OP_MATMUL, operands, 2, NULL, 0) : (MlirValue){NULL};
}

/* A, B, scale of B, zero point of B, bias. */
bool onnx_op_dynamic_quantize_matmul(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  return import_output(
      c, 0,
      plus(c, product(c, import_input(c, 0), dequantized(c, import_input(c, 1), import_input(c, 2), import_input(c, 3))),
           import_input(c, 4)));
}

/* A, B, scales of both, zero points of both, bias. */
bool onnx_op_matmul_integer_to_float(ImportCall *c) {
  if (!import_need(c, 4)) return false;
  MlirValue a = dequantized(c, import_input(c, 0), import_input(c, 2), import_input(c, 4)),
            b = dequantized(c, import_input(c, 1), import_input(c, 3), import_input(c, 5));
  return import_output(c, 0, plus(c, product(c, a, b), import_input(c, 6)));
}

static MlirValue transposed(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  int64_t perm[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) perm[i] = i < shape.rank - 2 ? i : 2 * shape.rank - 3 - i;
  return shape.rank < 2 ? x : tcc_build_transpose(&c->b, x, perm);
}

/* alpha A B, each transposed if asked. */
bool onnx_op_fused_matmul(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  if (onnx_int(c, "transBatchA", 0) || onnx_int(c, "transBatchB", 0)) return import_unsupported(c, "a batch axis behind the rows");
  MlirValue a = import_input(c, 0), b = import_input(c, 1);
  MlirValue r = product(c, onnx_int(c, "transA", 0) ? transposed(c, a) : a, onnx_int(c, "transB", 0) ? transposed(c, b) : b);
  double alpha = onnx_float(c, "alpha", 1);
  return import_output(c, 0, alpha == 1 ? r : tcc_build2_number(&c->b, TCC_OP_MUL, r, alpha));
}

/* gelu of x + bias; kind: by tanh. */
bool onnx_op_contrib_gelu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = plus(c, import_input(c, 0), import_input(c, 1));
  TccNamedAttr attr = {"approximate", tcc_attr_str(c->ir, tcc_str(c->kind ? "tanh" : "none"))};
  return x.ptr && import_output(c, 0, import_op(c, TCC_OP_GELU, &x, 1, &attr, 1));
}

/* x sigmoid(alpha x) */
bool onnx_op_quick_gelu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  return import_output(
      c, 0,
      tcc_build2(&c->b, TCC_OP_MUL, x,
                 tcc_build1(&c->b, TCC_OP_SIGMOID, tcc_build2_number(&c->b, TCC_OP_MUL, x, onnx_float(c, "alpha", 1.702)))));
}

static MlirValue normalised(ImportCall *c, MlirValue x, MlirValue scale, MlirValue bias, double eps, bool centred) {
  MlirValue operands[] = {x, scale, bias};
  int rank = import_shape(c, x).rank;
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, rank - 1)}, {"eps", tcc_attr_f64(c->ir, eps)}};
  return x.ptr && scale.ptr ? import_op(c, centred ? TCC_OP_LAYER_NORM : TCC_OP_RMS_NORM, operands, centred ? 3 : 2, attrs, 2)
                            : (MlirValue){NULL};
}

/* Input, skip, gamma, [beta,] bias: the norm of their sum, which is the last output. kind: without a mean (and beta). */
bool onnx_op_skip_norm(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  bool rms = c->kind != 0;
  MlirValue sum = plus(c, tcc_build2(&c->b, TCC_OP_ADD, import_input(c, 0), import_input(c, 1)), import_input(c, rms ? 3 : 4));
  double eps = onnx_float(c, "epsilon", rms ? 1e-5 : 1e-12);
  if (import_has_output(c, 1) || import_has_output(c, 2)) {
    int64_t last = import_shape(c, sum).rank - 1;
    MlirValue wide = tcc_build_convert(&c->b, sum, TCC_ELEM_F32), mean = tcc_build_mean(&c->b, wide, &last, 1, true),
              centred = rms ? wide : tcc_build2(&c->b, TCC_OP_SUB, wide, mean);
    MlirValue square = tcc_build_mean(&c->b, tcc_build2(&c->b, TCC_OP_MUL, centred, centred), &last, 1, true);
    if (!import_output(c, 1, mean) ||
        !import_output(c, 2, tcc_build1(&c->b, TCC_OP_RSQRT, tcc_build2_number(&c->b, TCC_OP_ADD, square, eps))))
      return false;
  }
  if (import_has_output(c, 3) && !import_output(c, 3, sum)) return false;
  return import_output(c, 0, normalised(c, sum, import_input(c, 2), rms ? (MlirValue){NULL} : import_input(c, 3), eps, !rms));
}

/* An input, if it is there, has the shape of the ids. */
static bool embed_fits(ImportCall *c, const ImportShape *ids, size_t input, const char *what) {
  ImportShape shape = import_shape(c, import_input(c, input));
  return !import_has_input(c, input) || import_require_shape(c, &shape, 2, ids->dims, what);
}

/* ids [B, S], segment ids, tables of words, positions and segments, gamma, beta, mask [B, S], position ids: the norm of the rows' sum; how
 * many of a row's places the mask keeps; the sum. */
bool onnx_op_embed_norm(ImportCall *c) {
  enum { IDS, SEGMENTS, WORDS, PLACES, KINDS, GAMMA, BETA, MASK, POSITIONS };
  if (!import_need(c, 1) || !import_has_input(c, WORDS) || !import_has_input(c, PLACES) || !import_has_input(c, GAMMA) ||
      !import_has_input(c, BETA))
    return import_invalid(c, "lacks a table, gamma or beta");
  if (import_has_input(c, SEGMENTS) != import_has_input(c, KINDS))
    return import_invalid(c, "segment ids without their table, or the other way round");
  ImportShape ids = import_shape(c, import_input(c, IDS));
  if (ids.rank != 2) return import_invalid(c, "input_ids of rank %d", ids.rank);
  if (!embed_fits(c, &ids, SEGMENTS, "segment_ids") || !embed_fits(c, &ids, MASK, "mask")) return false;
  const TccExpr *table[] = {
      NULL, import_shape(c, import_input(c, WORDS)).rank == 2 ? import_shape(c, import_input(c, WORDS)).dims[1] : NULL};
  static const size_t tables[] = {WORDS, PLACES, KINDS};
  for (size_t i = 0; i < 3; i++) {
    ImportShape shape = import_shape(c, import_input(c, tables[i]));
    if (import_has_input(c, tables[i]) && !import_require_shape(c, &shape, 2, table, "a table")) return false;
  }
  if (import_has_input(c, POSITIONS)) { /* of one row, or of each */
    ImportShape at = import_shape(c, import_input(c, POSITIONS));
    const TccExpr *dims[] = {at.rank == 2 && import_is_size(at.dims[0], 1) ? NULL : ids.dims[0], ids.dims[1]};
    if (!import_require_shape(c, &at, 2, dims, "position_ids")) return false;
  }
  MlirValue places =
      import_has_input(c, POSITIONS)
          ? import_gather_valid(c, import_input(c, PLACES), import_index(c, import_input(c, POSITIONS)), 0, TCC_VALID_UNSIGNED)
          : tcc_build_slice_axis(&c->b, import_input(c, PLACES), 0, import_size(c, 0), 1, ids.dims[1]);
  MlirValue sum =
      plus(c, import_gather_valid(c, import_input(c, WORDS), import_index(c, import_input(c, IDS)), 0, TCC_VALID_UNSIGNED), places);
  if (import_has_input(c, SEGMENTS))
    sum = plus(c, sum,
               import_gather_valid(c, import_input(c, KINDS), import_index(c, import_input(c, SEGMENTS)), 0, TCC_VALID_UNSIGNED));
  if (import_has_output(c, 1)) {
    const int64_t last = 1;
    MlirValue mask = import_has_input(c, MASK)
                         ? tcc_build_convert(&c->b, import_input(c, MASK), TCC_ELEM_I32)
                         : tcc_build_broadcast(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, 0), 2, ids.dims);
    if (!import_output(c, 1, tcc_build_reduce(&c->b, "sum", mask, &last, 1, false))) return false;
  }
  if (import_has_output(c, 2) && !import_output(c, 2, sum)) return false;
  return import_output(c, 0,
                       normalised(c, sum, import_input(c, GAMMA), import_input(c, BETA), onnx_float(c, "epsilon", 1e-12), true));
}

/* Integers a, b with scales and zero points, each dequantised, and the result quantised as C says. kind: the tcc op. */
bool onnx_op_qlinear_binary(ImportCall *c) {
  if (!import_need(c, 8)) return false;
  MlirValue a = dequantized(c, import_input(c, 0), import_input(c, 1), import_input(c, 2)),
            b = dequantized(c, import_input(c, 3), import_input(c, 4), import_input(c, 5));
  return import_output(c, 0,
                       onnx_quantize(c, tcc_build2(&c->b, (TccOpKind)c->kind, a, b), import_input(c, 6), import_input(c, 7),
                                     tcc_value_elem(import_input(c, 0)), 1));
}

/* x, its scale and zero point, those of the result. kind: the tcc op. */
bool onnx_op_qlinear_unary(ImportCall *c) {
  if (!import_need(c, 4)) return false;
  MlirValue x = dequantized(c, import_input(c, 0), import_input(c, 1), import_input(c, 2));
  TccNamedAttr alpha = {"alpha", tcc_attr_f64(c->ir, onnx_float(c, "alpha", 0.01))};
  x = x.ptr ? import_op(c, (TccOpKind)c->kind, &x, 1, &alpha, c->kind == TCC_OP_LEAKY_RELU) : x;
  return import_output(c, 0, onnx_quantize(c, x, import_input(c, 3), import_input(c, 4), tcc_value_elem(import_input(c, 0)), 1));
}

/* Scale and zero point of the result, then of each part: the part itself, scale, zero point. */
bool onnx_op_qlinear_concat(ImportCall *c) {
  if (!import_need(c, 5) || (c->ninputs - 2) % 3) return import_invalid(c, "has %zu inputs", c->ninputs);
  size_t n = (c->ninputs - 2) / 3;
  MlirValue *parts = TCC_NEW_ARRAY(import_arena(c), MlirValue, n);
  TccElem elem = tcc_value_elem(import_input(c, 2));
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", 0), import_shape(c, import_input(c, 2)).rank, &axis)) return false;
  for (size_t i = 0; i < n; i++)
    parts[i] = onnx_quantize(c, dequantized(c, import_input(c, 2 + 3 * i), import_input(c, 3 + 3 * i), import_input(c, 4 + 3 * i)),
                             import_input(c, 0), import_input(c, 1), elem, 1);
  return import_output(c, 0, tcc_build_concat(&c->b, parts, n, axis));
}

/* x, its scale and zero point, those of the result: the mean over the spatial axes. */
bool onnx_op_qlinear_average(ImportCall *c) {
  if (!import_need(c, 4)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0));
  if (shape.rank < 3) return import_unsupported(c, "an input of rank %d", shape.rank);
  int64_t axes[TCC_MAX_RANK], first = onnx_int(c, "channels_last", 0) ? 1 : 2;
  for (int i = 0; i < shape.rank - 2; i++) axes[i] = first + i;
  MlirValue mean = tcc_build_mean(&c->b, dequantized(c, import_input(c, 0), import_input(c, 1), import_input(c, 2)), axes,
                                  (size_t)shape.rank - 2, true);
  return import_output(c, 0, onnx_quantize(c, mean, import_input(c, 3), import_input(c, 4), shape.elem, 1));
}

/* Conv, then what is added to it, then an activation. */
bool onnx_op_fused_conv(ImportCall *c) {
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
  MlirValue added = import_input(c, 3);
  size_t inputs = c->ninputs, n = 0, k = 0;
  if (c->ninputs > 3) c->ninputs = 3;
  bool ok = onnx_op_conv(c);
  c->ninputs = inputs;
  if (!ok) return false;
  MlirValue y = plus(c, c->outputs[0].tensor, added);
  TccStr name = onnx_string(c, "activation", "");
  const float *given = NULL;
  onnx_floats(c, "activation_params", &given, &n);
  if (!name.length || !y.ptr) return import_output(c, 0, y);
  while (k < sizeof functions / sizeof *functions && !tcc_str_is(name, functions[k].name)) k++;
  if (k == sizeof functions / sizeof *functions) return import_unsupported(c, "activation '%.*s'", TCC_STR_ARG(name));
  if (functions[k].kind == TCC_OP_CLAMP) {
    if (n != 2) return import_invalid(c, "Clip needs two parameters");
    MlirValue operands[] = {y, tcc_build_scalar(&c->b, tcc_value_elem(y), (double)given[0]),
                            tcc_build_scalar(&c->b, tcc_value_elem(y), (double)given[1])};
    return import_output(c, 0, import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0));
  }
  TccNamedAttr attrs[2];
  size_t nattrs = 0;
  for (; nattrs < 2 && functions[k].parameter[nattrs]; nattrs++) {
    if (nattrs >= n) return import_invalid(c, "'%.*s' lacks a parameter", TCC_STR_ARG(name));
    attrs[nattrs] = (TccNamedAttr){functions[k].parameter[nattrs], tcc_attr_f64(c->ir, (double)given[nattrs])};
  }
  return import_output(c, 0, import_op(c, functions[k].kind, &y, 1, attrs, nattrs));
}
