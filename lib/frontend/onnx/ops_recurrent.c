/* ops_recurrent.c - LSTM, GRU and RNN: kept whole; names of activations are put in the form of tcc.lstm. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <strings.h>

bool onnx_activations(ImportCall *c, size_t directions, size_t first, size_t last, TccText *out) {
  static const struct {
    const char *onnx, *name;
    int parameters;
    double alpha, beta;
  } functions[] = {{"Sigmoid", "sigmoid", 0, 0, 0},
                   {"Tanh", "tanh", 0, 0, 0},
                   {"Relu", "relu", 0, 0, 0},
                   {"Softsign", "softsign", 0, 0, 0},
                   {"Softplus", "softplus", 0, 0, 0},
                   {"Affine", "affine", 2, 1.0, 0.0},
                   {"LeakyRelu", "leaky_relu", 1, 0.01, 0},
                   {"ThresholdedRelu", "thresholded_relu", 1, 1.0, 0},
                   {"ScaledTanh", "scaled_tanh", 2, 1.0, 1.0},
                   {"HardSigmoid", "hard_sigmoid", 2, 0.2, 0.5},
                   {"Elu", "elu", 1, 1.0, 0}};
  static const TccStr lstm[] = {{"Sigmoid", 7}, {"Tanh", 4}, {"Tanh", 4}}, gru[] = {{"Sigmoid", 7}, {"Tanh", 4}},
                      rnn[] = {{"Tanh", 4}};
  const TccStr *usual = c->kind == TCC_OP_LSTM ? lstm : c->kind == TCC_OP_GRU ? gru : rnn, *given = NULL;
  size_t each = c->kind == TCC_OP_LSTM ? 3 : c->kind == TCC_OP_GRU ? 2 : 1, n = 0, nalpha = 0, nbeta = 0, alpha = 0, beta = 0;
  const float *alphas = NULL, *betas = NULL;
  if (onnx_strings(c, "activations", &given, &n) && n != each * directions)
    return import_invalid(c, "activations has %zu entries, not %zu", n, each * directions);
  onnx_floats(c, "activation_alpha", &alphas, &nalpha);
  onnx_floats(c, "activation_beta", &betas, &nbeta);
  for (size_t i = 0; i < each * directions; i++) {
    TccStr name = given ? given[i] : usual[i % each];
    size_t k = 0, count = sizeof functions / sizeof *functions;
    while (k < count && !(name.length == strlen(functions[k].onnx) && !strncasecmp(name.data, functions[k].onnx, name.length))) k++;
    if (k == count) return import_unsupported(c, "activation '%.*s'", TCC_STR_ARG(name));
    const double one = alpha < nalpha ? (double)alphas[alpha] : functions[k].alpha,
                 two = beta < nbeta ? (double)betas[beta] : functions[k].beta;
    alpha += functions[k].parameters >= 1, beta += functions[k].parameters == 2;
    if (i / each < first || i / each >= last) continue;
    tcc_text_printf(out, "%s%s", out->length ? "," : "", functions[k].name);
    if (functions[k].parameters >= 1) tcc_text_printf(out, "(%.9g", one);
    if (functions[k].parameters == 2) tcc_text_printf(out, ",%.9g", two);
    if (functions[k].parameters) tcc_text_printf(out, ")");
  }
  return true;
}

static bool build(ImportCall *c, const MlirValue *operands) {
  bool is_lstm = c->kind == TCC_OP_LSTM, is_gru = c->kind == TCC_OP_GRU;
  size_t noperands = is_lstm ? 8 : 6, n = 0;
  TccNamedAttr attrs[8];
  TccText activations = {0};
  ImportShape r = import_shape(c, operands[2]);
  int64_t hidden = 0;
  if (r.rank == 3) tcc_expr_is_const(r.dims[2], &hidden);
  hidden = onnx_int(c, "hidden_size", hidden);
  TccStr direction = onnx_string(c, "direction", "forward");
  const size_t directions = tcc_str_is(direction, "bidirectional") ? 2 : 1;
  if (!onnx_activations(c, directions, 0, directions, &activations)) {
    tcc_text_destroy(&activations);
    return false;
  }
  attrs[n++] = (TccNamedAttr){"hidden", tcc_attr_i64(c->ir, hidden)};
  attrs[n++] = (TccNamedAttr){"direction", tcc_attr_str(c->ir, direction)};
  attrs[n++] = (TccNamedAttr){"layout", tcc_attr_i64(c->ir, onnx_int(c, "layout", 0))};
  attrs[n++] = (TccNamedAttr){"clip", tcc_attr_f64(c->ir, onnx_float(c, "clip", 0))};
  attrs[n++] = (TccNamedAttr){"activations", tcc_attr_str(c->ir, tcc_text_str(&activations))};
  if (is_lstm) attrs[n++] = (TccNamedAttr){"input_forget", tcc_attr_bool(c->ir, onnx_int(c, "input_forget", 0) != 0)};
  if (is_gru) attrs[n++] = (TccNamedAttr){"linear_before_reset", tcc_attr_bool(c->ir, onnx_int(c, "linear_before_reset", 0) != 0)};
  tcc_text_destroy(&activations);
  MlirValue y = import_op(c, (TccOpKind)c->kind, operands, noperands, attrs, n);
  if (!y.ptr) return false;
  for (size_t i = 0; i < (is_lstm ? 3 : 2); i++) import_output(c, i, mlirOperationGetResult(tcc_value_op(y), (intptr_t)i));
  return true;
}

bool onnx_op_recurrent(ImportCall *c) {
  MlirValue operands[8];
  if (!import_need(c, 3)) return false;
  for (size_t i = 0; i < 8; i++) operands[i] = import_input(c, i);
  return build(c, operands);
}

/* Weights [directions, inputs, gates] as bytes, with a scale and a zero point of each direction, or of each of its gates; as f32 and
 * [directions, gates, inputs]. */
static MlirValue weights_of(ImportCall *c, MlirValue q, MlirValue scale, MlirValue zero) {
  MlirValue side[2] = {scale, zero}, x = tcc_build_convert(&c->b, q, TCC_ELEM_F32);
  if (import_shape(c, q).rank != 3 || !scale.ptr) {
    import_invalid(c, "quantised weights need rank 3 and a scale");
    return (MlirValue){NULL};
  }
  for (int i = 0; i < 2; i++) {
    if (!side[i].ptr) continue;
    ImportShape shape = import_shape(c, side[i]);
    const TccExpr *dims[] = {shape.rank ? shape.dims[0] : import_size(c, 1), import_size(c, 1),
                             shape.rank == 2 ? shape.dims[1] : import_size(c, 1)};
    side[i] = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, side[i], 3, dims), TCC_ELEM_F32);
  }
  if (side[1].ptr) x = tcc_build2(&c->b, TCC_OP_SUB, x, side[1]);
  return tcc_build_transpose(&c->b, tcc_build2(&c->b, TCC_OP_MUL, x, side[0]), (int64_t[]){0, 2, 1});
}

/* X, W, R, B, lengths, initial h and c, peepholes; scale and zero point of W, then of R. X and h stay as they are, where onnxruntime rounds
 * them to bytes in front of each product. */
bool onnx_op_dynamic_quantize_lstm(ImportCall *c) {
  MlirValue operands[8];
  if (!import_need(c, 3)) return false;
  for (size_t i = 0; i < 8; i++) operands[i] = import_input(c, i);
  operands[1] = weights_of(c, operands[1], import_input(c, 8), import_input(c, 9));
  operands[2] = weights_of(c, operands[2], import_input(c, 10), import_input(c, 11));
  return operands[1].ptr && operands[2].ptr && build(c, operands);
}
