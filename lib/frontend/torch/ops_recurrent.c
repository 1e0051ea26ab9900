/* ops_recurrent.c - lstm, gru and rnn: layers one on the other, each an op of the dialect, whose gates stand in ONNX's order. */
#include "lib/frontend/torch/ops.h"
#include "tcc/op_kinds.h"

static const MlirValue no_value = {NULL};

typedef struct {
  const MlirValue *params;
  size_t nparams;
  int gates, directions;
  bool biases;
} Layers;

/* Gates of a weight or bias from torch's order (ifgo, rzn) to ONNX's (iofc, zrh). */
static MlirValue reorder(ImportCall *c, const Layers *l, MlirValue w) {
  static const int lstm[] = {0, 3, 1, 2}, gru[] = {1, 0, 2};
  MlirValue gates[4];
  if (l->gates == 1 || !w.ptr) return w;
  const TccExpr *hidden = import_divide(c, import_shape(c, w).dims[0], import_size(c, l->gates));
  if (!hidden) return no_value;
  for (int i = 0; i < l->gates; i++) {
    const TccExpr *start = import_size_mul(c, hidden, import_size(c, l->gates == 4 ? lstm[i] : gru[i]));
    gates[i] = tcc_build_slice_axis(&c->b, w, 0, start, 1, hidden);
  }
  return tcc_build_concat(&c->b, gates, (size_t)l->gates, 0);
}

/* Weight `which` of a layer, [directions, gates * hidden, inputs]; of a layer are w_ih, w_hh, and b_ih, b_hh. */
static MlirValue weight_of(ImportCall *c, const Layers *l, size_t layer, size_t which) {
  size_t each = l->biases ? 4 : 2;
  MlirValue rows[2];
  for (int d = 0; d < l->directions; d++)
    rows[d] = import_unsqueeze(c, reorder(c, l, l->params[(layer * (size_t)l->directions + (size_t)d) * each + which]), 0);
  return l->directions == 1 ? rows[0] : tcc_build_concat(&c->b, rows, 2, 0);
}

static MlirValue bias_of(ImportCall *c, const Layers *l, size_t layer) {
  MlirValue both[] = {weight_of(c, l, layer, 2), weight_of(c, l, layer, 3)};
  return tcc_build_concat(&c->b, both, 2, 1);
}

/* [layers * directions, batch, hidden]: those of one layer. */
static MlirValue state_of(ImportCall *c, const Layers *l, MlirValue all, size_t layer) {
  return tcc_build_slice_axis(&c->b, all, 0, import_size(c, (int64_t)layer * l->directions), 1, import_size(c, l->directions));
}

/* One layer: y [steps, batch, directions * hidden]; states gets h, and c of an lstm. */
static MlirValue layer_of(ImportCall *c, const Layers *l, size_t layer, MlirValue x, const MlirValue *initial, MlirValue *states) {
  static const int64_t perm[] = {0, 2, 1, 3};
  const char *functions = c->kind == TCC_OP_LSTM ? "sigmoid,tanh,tanh" : c->kind == TCC_OP_GRU ? "sigmoid,tanh" : "tanh";
  if (tcc_str_is(c->op, "aten.rnn_relu.input")) functions = "relu";
  bool is_lstm = c->kind == TCC_OP_LSTM;
  TccText activations = {0};
  tcc_text_printf(&activations, "%s%s%s", functions, l->directions == 2 ? "," : "", l->directions == 2 ? functions : "");
  MlirValue operands[8] = {x, weight_of(c, l, layer, 0), weight_of(c, l, layer, 1), l->biases ? bias_of(c, l, layer) : no_value};
  operands[5] = state_of(c, l, initial[0], layer);
  if (is_lstm) operands[6] = state_of(c, l, initial[1], layer);
  int64_t hidden = 0;
  ImportShape r = import_shape(c, operands[2]);
  bool ok = operands[1].ptr && r.rank == 3 && import_fix_size(c, r.dims[2], &hidden);
  TccNamedAttr attrs[] = {{"hidden", tcc_attr_i64(c->ir, hidden)},
                          {"direction", tcc_attr_str(c->ir, tcc_str(l->directions == 2 ? "bidirectional" : "forward"))},
                          {"activations", tcc_attr_str(c->ir, tcc_text_str(&activations))},
                          {"linear_before_reset", tcc_attr_bool(c->ir, true)}};
  tcc_text_destroy(&activations);
  MlirValue y = ok ? import_op(c, (TccOpKind)c->kind, operands, is_lstm ? 8 : 6, attrs, c->kind == TCC_OP_GRU ? 4 : 3) : no_value;
  if (!y.ptr) return y;
  for (int i = 0; i < 1 + is_lstm; i++) states[i] = mlirOperationGetResult(tcc_value_op(y), 1 + i);
  ImportShape shape = import_shape(c, y);
  const TccExpr *dims[] = {shape.dims[0], shape.dims[2], import_size_mul(c, shape.dims[1], shape.dims[3])};
  return tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, y, perm), 3, dims);
}

/* input, hx (of an lstm a list), params, has_biases, num_layers, dropout, train, bidirectional, batch_first */
bool torch_op_recurrent(ImportCall *c) {
  enum { MOST_LAYERS = 64 };
  static const int64_t swap[] = {1, 0, 2};
  bool is_lstm = c->kind == TCC_OP_LSTM, batch_first = torch_bool(c, "batch_first");
  Layers l = {.gates = is_lstm ? 4 : c->kind == TCC_OP_GRU ? 3 : 1, .directions = torch_bool(c, "bidirectional") ? 2 : 1};
  MlirValue x = torch_tensor(c, "input"), initial[2] = {{NULL}}, states[2][MOST_LAYERS];
  const MlirValue *given = initial;
  int64_t count = torch_int(c, "num_layers");
  size_t ngiven = 1;
  l.biases = torch_bool(c, "has_biases");
  if (!torch_tensors(c, "params", &l.params, &l.nparams) || (is_lstm && !torch_tensors(c, "hx", &given, &ngiven))) return false;
  if (!is_lstm) initial[0] = torch_tensor(c, "hx");
  if (torch_bool(c, "train") && torch_float(c, "dropout") != 0) return import_unsupported(c, "dropout, whose result is random");
  if (c->reason || !x.ptr || !given[0].ptr) return false;
  if (import_shape(c, x).rank != 3) return import_unsupported(c, "an input without a batch");
  if (count < 1 || count > MOST_LAYERS) return import_unsupported(c, "%lld layers", (long long)count);
  if (ngiven != 1 + (size_t)is_lstm || l.nparams != (size_t)count * (size_t)l.directions * (l.biases ? 4 : 2))
    return import_unsupported(c, "%zu weights and %zu states: projections are not known", l.nparams, ngiven);
  if (batch_first) x = tcc_build_transpose(&c->b, x, swap);
  for (size_t i = 0; i < (size_t)count; i++) {
    MlirValue after[2];
    x = layer_of(c, &l, i, x, given, after);
    if (!x.ptr) return false;
    states[0][i] = after[0];
    if (is_lstm) states[1][i] = after[1];
  }
  if (batch_first) x = tcc_build_transpose(&c->b, x, swap);
  for (size_t i = 0; i < 1 + (size_t)is_lstm; i++)
    if (!torch_output(c, 1 + i, count == 1 ? states[i][0] : tcc_build_concat(&c->b, states[i], (size_t)count, 0))) return false;
  return torch_output(c, 0, x);
}
