/* ops_contrib.c - operators of onnxruntime's own domain that optimised models use, written out in those of ONNX.
 *
 * Meanings are those of onnxruntime's ContribOperators.md; operators on quantised numbers are in ops_contrib_quantized.c. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <stdio.h>
#include <string.h>

static MlirValue plus(ImportCall *c, MlirValue x, MlirValue bias) { return bias.ptr ? tcc_build2(&c->b, TCC_OP_ADD, x, bias) : x; }

static MlirValue product(ImportCall *c, MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  return a.ptr && b.ptr ? import_op(c, TCC_OP_MATMUL, operands, 2, NULL, 0) : (MlirValue){NULL};
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

/* alpha A B of matrices; A is sparse in its file, and dense here. Products of integers have no alpha. */
bool onnx_op_sparse_matmul(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  ImportShape a = import_shape(c, import_input(c, 0)), b = import_shape(c, import_input(c, 1));
  if (a.rank != 2 || b.rank != 2) return import_unsupported(c, "tensors of rank %d and %d", a.rank, b.rank);
  if (!tcc_elem_is_float(a.elem) && onnx_float(c, "alpha", 1) != 1) return import_unsupported(c, "alpha with integers");
  return onnx_op_fused_matmul(c);
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

/* Rows of a table, or gamma or beta: input `at`. kind: quantised, with scales behind the mask and zero points behind these, in the inputs' order. */
enum { IDS, SEGMENTS, WORDS, PLACES, KINDS, GAMMA, BETA, MASK, POSITIONS, SCALES = MASK + 1, ZEROS = SCALES + BETA - WORDS + 1 };
static MlirValue embedded(ImportCall *c, MlirValue rows, size_t at) {
  return c->kind ? onnx_dequantize(c, rows, import_input(c, SCALES + at - WORDS), import_input(c, ZEROS + at - WORDS)) : rows;
}

static MlirValue embed(ImportCall *c, size_t table, MlirValue ids) {
  return embedded(c, import_gather_valid(c, import_input(c, table), import_index(c, ids), 0, TCC_VALID_UNSIGNED), table);
}

/* ids [B, S], segment ids, tables of words, positions and segments, gamma, beta, mask [B, S], position ids: the norm of the rows' sum; how
 * many of a row's places the mask keeps; the sum. kind: the tables, gamma and beta are quantised, and no position ids are given. */
bool onnx_op_embed_norm(ImportCall *c) {
  const bool has_positions = !c->kind && import_has_input(c, POSITIONS);
  if (!import_need(c, 1) || !import_has_input(c, WORDS) || !import_has_input(c, PLACES) || !import_has_input(c, GAMMA) ||
      !import_has_input(c, BETA))
    return import_invalid(c, "lacks a table, gamma or beta");
  if (import_has_input(c, SEGMENTS) != import_has_input(c, KINDS))
    return import_invalid(c, "segment ids without their table, or the other way round");
  for (size_t at = WORDS; c->kind && at <= BETA; at++)
    if (import_has_input(c, at) && !import_has_input(c, SCALES + at - WORDS))
      return import_invalid(c, "input %zu lacks a scale", at);
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
  if (has_positions) { /* of one row, or of each */
    ImportShape at = import_shape(c, import_input(c, POSITIONS));
    const TccExpr *dims[] = {at.rank == 2 && import_is_size(at.dims[0], 1) ? NULL : ids.dims[0], ids.dims[1]};
    if (!import_require_shape(c, &at, 2, dims, "position_ids")) return false;
  }
  MlirValue places =
      has_positions
          ? embed(c, PLACES, import_input(c, POSITIONS))
          : embedded(c, tcc_build_slice_axis(&c->b, import_input(c, PLACES), 0, import_size(c, 0), 1, ids.dims[1]), PLACES);
  MlirValue sum = plus(c, embed(c, WORDS, import_input(c, IDS)), places);
  if (import_has_input(c, SEGMENTS)) sum = plus(c, sum, embed(c, KINDS, import_input(c, SEGMENTS)));
  if (import_has_output(c, 1)) {
    const int64_t last = 1;
    MlirValue mask = import_has_input(c, MASK)
                         ? tcc_build_convert(&c->b, import_input(c, MASK), TCC_ELEM_I32)
                         : tcc_build_broadcast(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, 0), 2, ids.dims);
    if (!import_output(c, 1, tcc_build_reduce(&c->b, "sum", mask, &last, 1, false))) return false;
  }
  if (import_has_output(c, 2) && !import_output(c, 2, sum)) return false;
  return import_output(c, 0,
                       normalised(c, sum, embedded(c, import_input(c, GAMMA), GAMMA), embedded(c, import_input(c, BETA), BETA),
                                  onnx_float(c, "epsilon", 1e-12), true));
}

/* ---- a product and its activation ---- */
MlirValue onnx_value_of(ImportCall *c, OnnxHandler *handler, int kind, MlirValue x, size_t ninputs) {
  if (!x.ptr || !c->noutputs) return (MlirValue){NULL};
  const ImportValue first = c->inputs[0];
  const size_t given = c->ninputs;
  const int own_kind = c->kind;
  c->inputs[0] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = x};
  c->ninputs = ninputs < given ? ninputs : given;
  c->kind = kind;
  const bool is_made = handler(c);
  c->inputs[0] = first, c->ninputs = given, c->kind = own_kind;
  return is_made ? c->outputs[0].tensor : (MlirValue){NULL};
}

typedef struct {
  const char *name;
  TccOpKind kind;
  const char *parameters[2];
} Activation;

static const Activation *activation_named(TccStr name) {
  static const Activation all[] = {{"Relu", TCC_OP_RELU, {NULL}},
                                   {"Tanh", TCC_OP_TANH, {NULL}},
                                   {"Sigmoid", TCC_OP_SIGMOID, {NULL}},
                                   {"LeakyRelu", TCC_OP_LEAKY_RELU, {"alpha"}},
                                   {"HardSigmoid", TCC_OP_HARD_SIGMOID, {"alpha", "beta"}},
                                   {"Elu", TCC_OP_ELU, {"alpha"}},
                                   {"Selu", TCC_OP_SELU, {"alpha", "gamma"}},
                                   {"Softplus", TCC_OP_SOFTPLUS, {NULL}},
                                   {"Softsign", TCC_OP_SOFTSIGN, {NULL}},
                                   {"ThresholdedRelu", TCC_OP_SELECT, {"alpha"}},
                                   {"Clip", TCC_OP_CLAMP, {"low", "high"}},
                                   {"HardSwish", TCC_OP_HARD_SWISH, {NULL}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (tcc_str_is(name, all[i].name)) return &all[i];
  return NULL;
}

static MlirValue activated(ImportCall *c, MlirValue x, const Activation *a, const double *parameters) {
  TccNamedAttr attrs[2];
  size_t n = 0;
  if (!x.ptr) return x;
  const TccElem elem = tcc_value_elem(x);
  if (a->kind == TCC_OP_CLAMP) {
    MlirValue operands[] = {x, tcc_build_scalar(&c->b, elem, parameters[0]), tcc_build_scalar(&c->b, elem, parameters[1])};
    return import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0);
  }
  if (a->kind == TCC_OP_SELECT)
    return tcc_build_select(&c->b, tcc_build_compare(&c->b, "gt", x, tcc_build_scalar(&c->b, elem, parameters[0])), x,
                            tcc_build_scalar(&c->b, elem, 0));
  for (; n < 2 && a->parameters[n]; n++) attrs[n] = (TccNamedAttr){a->parameters[n], tcc_attr_f64(c->ir, parameters[n])};
  return import_op(c, a->kind, &x, 1, attrs, n);
}

/* Conv, then what is added to it, then an activation, whose parameters are a list. */
bool onnx_op_fused_conv(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  const TccStr name = onnx_string(c, "activation", "");
  const Activation *a = activation_named(name);
  const float *given = NULL;
  double parameters[2];
  size_t n = 0;
  onnx_floats(c, "activation_params", &given, &n);
  if (name.length && !a) return import_unsupported(c, "activation '%.*s'", TCC_STR_ARG(name));
  if (a && n && !a->parameters[0]) return import_unsupported(c, "'%.*s' with parameters", TCC_STR_ARG(name));
  for (size_t i = 0; a && i < 2 && a->parameters[i]; i++) {
    if (i >= n) return import_invalid(c, "'%.*s' lacks a parameter", TCC_STR_ARG(name));
    parameters[i] = (double)given[i];
  }
  MlirValue added = import_input(c, 3), y = onnx_value_of(c, onnx_op_conv, 0, import_input(c, 0), 3);
  if (y.ptr) y = plus(c, y, added);
  return import_output(c, 0, a ? activated(c, y, a, parameters) : y);
}

/* Gemm, then an activation, whose parameters are attributes; those that are not given are as in ONNX's operator of that name. */
bool onnx_op_fused_gemm(ImportCall *c) {
  static const struct {
    TccOpKind kind;
    double values[2];
  } defaults[] = {{TCC_OP_LEAKY_RELU, {0.01}},
                  {TCC_OP_HARD_SIGMOID, {0.2, 0.5}},
                  {TCC_OP_ELU, {1}},
                  {TCC_OP_SELECT, {1}},
                  {TCC_OP_SELU, {1.67326319217681884765625, 1.05070102214813232421875}}};
  if (!import_need(c, 2)) return false;
  const TccStr name = onnx_string(c, "activation", "");
  const Activation *a = activation_named(name);
  double parameters[2] = {0};
  if (!a || a->kind == TCC_OP_CLAMP || a->kind == TCC_OP_HARD_SWISH)
    return import_unsupported(c, "activation '%.*s'", TCC_STR_ARG(name));
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
    if (defaults[i].kind == a->kind) memcpy(parameters, defaults[i].values, sizeof parameters);
  for (size_t i = 0; i < 2 && a->parameters[i]; i++) {
    char attribute[40];
    snprintf(attribute, sizeof attribute, "activation_%s", a->parameters[i]);
    parameters[i] = onnx_float(c, attribute, parameters[i]);
  }
  return import_output(c, 0, activated(c, onnx_value_of(c, onnx_op_gemm, 0, import_input(c, 0), c->ninputs), a, parameters));
}
