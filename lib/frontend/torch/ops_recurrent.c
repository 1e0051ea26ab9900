/* ops_recurrent.c - lstm, gru and rnn: layers one on the other, each an op of the dialect, whose gates stand in ONNX's order; an lstm with projections is a
 * loop over the steps. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static const MlirValue no_value = {NULL};

typedef struct {
  const MlirValue *params;
  size_t nparams;
  int gates, directions;
  bool biases, projected;
  size_t each; /* parameters of a direction: w_ih, w_hh; b_ih, b_hh; w_hr */
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

/* The parameters of a direction of a layer. */
static const MlirValue *params_of(const Layers *l, size_t layer, int d) {
  return l->params + (layer * (size_t)l->directions + (size_t)d) * l->each;
}

/* Weight `which` of a layer, [directions, gates * hidden, inputs]. */
static MlirValue weight_of(ImportCall *c, const Layers *l, size_t layer, size_t which) {
  MlirValue rows[2];
  for (int d = 0; d < l->directions; d++) rows[d] = import_unsqueeze(c, reorder(c, l, params_of(l, layer, d)[which]), 0);
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

/* ---- with projections: h = (o * tanh(c)) w_hr^T ---- */
static MlirValue linear(ImportCall *c, MlirValue x, MlirValue weight, MlirValue bias) {
  MlirValue operands[] = {x, weight, bias};
  TccNamedAttr transposed = {"transposed", tcc_attr_bool(c->ir, true)};
  return x.ptr && weight.ptr ? import_op(c, TCC_OP_LINEAR, operands, 3, &transposed, 1) : no_value;
}

enum { STEP, HIDDEN, CELL, OUTPUT, CARRIED }; /* what the loop carries */

/* all: the inputs' part of the gates, [steps, batch, 4 * hidden], in torch's order: i, f, g, o. */
static bool projected_step(ImportCall *c, MlirValue all, const MlirValue *params, const MlirValue *now, bool backwards,
                           size_t nparams, MlirValue *next) {
  MlirValue sum = torch_add(c, tcc_build_gather(&c->b, all, now[STEP], 0), linear(c, now[HIDDEN], params[1], no_value)), gate[4];
  ImportShape s = import_shape(c, sum);
  const TccExpr *hidden = sum.ptr ? import_divide(c, s.dims[1], import_size(c, 4)) : NULL;
  if (!hidden) return false;
  for (int i = 0; i < 4; i++) {
    gate[i] = tcc_build_slice_axis(&c->b, sum, 1, import_size_mul(c, hidden, import_size(c, i)), 1, hidden);
    gate[i] = tcc_build1(&c->b, i == 2 ? TCC_OP_TANH : TCC_OP_SIGMOID, gate[i]);
  }
  next[CELL] = torch_add(c, torch_mul(c, gate[1], now[CELL]), torch_mul(c, gate[0], gate[2]));
  MlirValue wide = torch_mul(c, gate[3], tcc_build1(&c->b, TCC_OP_TANH, next[CELL]));
  next[HIDDEN] = linear(c, wide, params[nparams - 1], no_value);
  const MlirValue row[] = {now[OUTPUT], now[STEP], next[HIDDEN]};
  next[OUTPUT] = next[HIDDEN].ptr ? import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, row, 3, NULL, 0) : no_value;
  next[STEP] = torch_plus(c, now[STEP], backwards ? -1 : 1);
  return next[OUTPUT].ptr && next[CELL].ptr;
}

/* A direction of a layer: state gets what the loop carries behind it. */
static bool projected_direction(ImportCall *c, const Layers *l, size_t layer, int d, MlirValue x, const MlirValue *initial,
                                MlirValue *state) {
  const MlirValue *params = params_of(l, layer, d);
  MlirValue first[CARRIED], now[CARRIED], next[CARRIED];
  const int64_t at = (int64_t)layer * l->directions + d;
  const TccExpr *one = import_size(c, 1);
  for (int i = HIDDEN; i <= CELL; i++) {
    first[i] = tcc_build_slice_axis(&c->b, initial[i - HIDDEN], 0, import_size(c, at), 1, one);
    first[i] = first[i].ptr ? tcc_build_squeeze(&c->b, first[i], 0) : first[i];
  }
  MlirValue all = linear(c, x, params[0], l->biases ? torch_add(c, params[2], params[3]) : no_value);
  if (!first[HIDDEN].ptr || !first[CELL].ptr || !all.ptr) return false;
  ImportShape xs = import_shape(c, x), hs = import_shape(c, first[HIDDEN]);
  if (hs.rank != 2) return import_invalid(c, "a state of rank %d", hs.rank + 1);
  const TccExpr *rows[] = {xs.dims[0], hs.dims[0], hs.dims[1]};
  first[STEP] = d ? torch_plus(c, tcc_build_size(&c->b, xs.dims[0]), -1) : torch_constant(c, TCC_ELEM_I64, 0);
  first[OUTPUT] = torch_filled(c, torch_constant(c, hs.elem, 0), 3, rows);
  if (!first[STEP].ptr || !first[OUTPUT].ptr) return false;
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) now[i] = import_body_argument(c, &body, tcc_value_type(first[i]));
  const bool ok = projected_step(c, all, params, now, d == 1, l->each, next) &&
                  import_body_close(c, &body, CARRIED, first, next, xs.dims[0], false, state);
  if (!ok) import_body_drop(c, &body, false);
  return ok;
}

/* As layer_of: y [steps, batch, directions * projected]. */
static MlirValue projected_layer(ImportCall *c, const Layers *l, size_t layer, MlirValue x, const MlirValue *initial,
                                 MlirValue *states) {
  MlirValue made[CARRIED][2];
  for (int d = 0; d < l->directions; d++) {
    MlirValue state[CARRIED];
    if (!projected_direction(c, l, layer, d, x, initial, state)) return no_value;
    made[OUTPUT][d] = state[OUTPUT];
    for (int i = HIDDEN; i <= CELL; i++) made[i][d] = import_unsqueeze(c, state[i], 0);
  }
  for (int i = HIDDEN; i <= CELL; i++) states[i - HIDDEN] = tcc_build_concat(&c->b, made[i], (size_t)l->directions, 0);
  return states[0].ptr && states[1].ptr ? tcc_build_concat(&c->b, made[OUTPUT], (size_t)l->directions, 2) : no_value;
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
  const size_t cells = (size_t)count * (size_t)l.directions;
  l.each = l.biases ? 4 : 2;
  l.projected = is_lstm && l.nparams == cells * (l.each + 1);
  l.each += l.projected;
  if (ngiven != 1 + (size_t)is_lstm || l.nparams != cells * l.each)
    return import_invalid(c, "%zu weights and %zu states", l.nparams, ngiven);
  if (batch_first) x = tcc_build_transpose(&c->b, x, swap);
  for (size_t i = 0; i < (size_t)count; i++) {
    MlirValue after[2];
    x = l.projected ? projected_layer(c, &l, i, x, given, after) : layer_of(c, &l, i, x, given, after);
    if (!x.ptr) return false;
    states[0][i] = after[0];
    if (is_lstm) states[1][i] = after[1];
  }
  if (batch_first) x = tcc_build_transpose(&c->b, x, swap);
  for (size_t i = 0; i < 1 + (size_t)is_lstm; i++)
    if (!torch_output(c, 1 + i, count == 1 ? states[i][0] : tcc_build_concat(&c->b, states[i], (size_t)count, 0))) return false;
  return torch_output(c, 0, x);
}
