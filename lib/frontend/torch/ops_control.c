/* ops_control.c - graphs in graphs. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "tcc/op_kinds.h"

const TorchValue *torch_values_from(ImportCall *c, size_t first, size_t *out_count) {
  const TccTorchNode *node = torch_call(c)->node;
  TCC_VEC(TorchValue) values = {0};
  for (size_t i = first; i < node->ninputs; i++) {
    const TorchValue *value = torch_value(c, &node->inputs[i].arg);
    if (!value) return NULL;
    if (value->kind != TORCH_LIST) TCC_VEC_PUSH(import_arena(c), &values, *value);
    else
      for (size_t k = 0; k < value->count; k++) TCC_VEC_PUSH(import_arena(c), &values, value->items[k]);
  }
  *out_count = values.count;
  return values.data ? values.data : TCC_NEW(import_arena(c), TorchValue);
}

static const TccTorchGraph *graph_at(ImportCall *c, size_t index) {
  const TccTorchNode *node = torch_call(c)->node;
  if (index < node->ninputs && node->inputs[index].arg.kind == TCC_TORCH_GRAPH) return node->inputs[index].arg.graph.graph;
  import_invalid(c, "argument %zu is no graph", index);
  return NULL;
}

/* A graph among the first arguments, and its inputs. */
bool torch_op_invoke_subgraph(ImportCall *c) {
  TorchCall *call = torch_call(c);
  size_t at = 0, count;
  while (at < call->node->ninputs && call->node->inputs[at].arg.kind != TCC_TORCH_GRAPH) at++;
  const TccTorchGraph *graph = graph_at(c, at);
  const TorchValue *inputs = graph ? torch_values_from(c, (size_t)c->kind > at ? (size_t)c->kind : at + 1, &count) : NULL;
  return inputs && torch_region(c, graph, inputs, count, call->outputs, call->noutputs);
}

/* A part of a model that autocast is off in: its nodes. Where it is on, the graph has no conversions, which torch makes while it runs. */
bool torch_op_autocast(ImportCall *c) {
  enum { DEVICE, DTYPE, ENABLED, CACHE };
  const TccTorchNode *node = torch_call(c)->node;
  const TccTorchArg *enabled = node->ninputs > CACHE ? &node->inputs[ENABLED].arg : NULL;
  if (!enabled || enabled->kind != TCC_TORCH_BOOL) return import_invalid(c, "does not say whether it is enabled");
  if (enabled->flag)
    return import_unsupported(c, "autocast within a model: export it without, and compile with --autocast, or convert its weights");
  c->kind = 0;
  return torch_op_invoke_subgraph(c);
}

/* ---- branches and loops that the run decides ---- */
/* Operands as tensors of their own: what a body reads of them is made in the body, and what it writes stays there. */
static bool separate(ImportCall *c, const TorchValue *from, size_t count, TorchValue *to) {
  for (size_t i = 0; i < count; i++) {
    to[i] = from[i];
    if (from[i].kind != TORCH_TENSOR) continue;
    to[i].tensor = torch_tensor_make(c, torch_read(c, from[i].tensor));
    if (!to[i].tensor) return false;
    to[i].tensor->fixed = "writes to what a branch or a loop was given";
  }
  return true;
}

/* What a graph gives for the node's outputs, all tensors. */
static bool run_graph(ImportCall *c, const TccTorchGraph *graph, const TorchValue *inputs, size_t ninputs, MlirValue *out,
                      size_t nout) {
  TorchValue *own = TCC_NEW_ARRAY(import_arena(c), TorchValue, ninputs + 1),
             *made = TCC_NEW_ARRAY(import_arena(c), TorchValue, nout + 1);
  if (!separate(c, inputs, ninputs, own) || !torch_subgraph(c, graph, own, ninputs, made, nout)) return false;
  for (size_t i = 0; i < nout; i++) {
    if (made[i].kind != TORCH_TENSOR) return import_unsupported(c, "a graph in it that gives something else than tensors");
    out[i] = torch_read(c, made[i].tensor);
    if (!out[i].ptr) return false;
  }
  return true;
}

typedef struct {
  const TccTorchGraph *graphs[2];
  const TorchValue *inputs;
  size_t ninputs;
  MlirValue condition;
} Branches;

static bool read_branches(ImportCall *c, Branches *out) {
  out->condition = torch_scalar(c, "#0", TCC_ELEM_BOOL);
  for (size_t i = 0; i < 2; i++)
    if (!(out->graphs[i] = graph_at(c, i + 1))) return false;
  out->inputs = torch_values_from(c, 3, &out->ninputs);
  return out->condition.ptr && out->inputs;
}

/* A branch as a loop of at most one iteration, in place of values[] if go is true. values[i] null: zeros in that place. */
static bool call_branch(ImportCall *c, const Branches *branches, int which, MlirValue go, MlirValue *values) {
  size_t n = torch_call(c)->noutputs;
  ImportBody body;
  MlirValue *initial = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1),
            *results = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1), *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1);
  import_body_open(c, &body);
  import_body_argument(c, &body, tcc_value_type(go));
  import_uncertain(c, 1);
  bool ok = run_graph(c, branches->graphs[which], branches->inputs, branches->ninputs, results + 1, n);
  import_uncertain(c, -1);
  initial[0] = go;
  results[0] = tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 0);
  for (size_t i = 0; ok && i < n; i++) {
    import_body_argument(c, &body, tcc_value_type(results[1 + i]));
    ImportShape shape = import_shape(c, results[1 + i]);
    c->b.block = body.outer;
    initial[1 + i] =
        values[i].ptr ? values[i] : tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, shape.elem, 0), shape.rank, shape.dims);
    c->b.block = body.block;
  }
  ok = ok && import_body_close(c, &body, n + 1, initial, results, import_size(c, 1), true, out);
  if (!ok) import_body_drop(c, &body, false);
  else memcpy(values, out + 1, n * sizeof *values);
  return ok;
}

static bool call_branches(ImportCall *c) {
  Branches branches;
  size_t n = torch_call(c)->noutputs;
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1);
  if (!read_branches(c, &branches) || !call_branch(c, &branches, 0, branches.condition, values) ||
      !call_branch(c, &branches, 1, tcc_build1(&c->b, TCC_OP_NOT, branches.condition), values))
    return false;
  for (size_t i = 0; i < n; i++)
    if (!torch_output(c, i, values[i])) return false;
  return true;
}

/* Both branches, and a choice between their results. */
static bool select_branches(ImportCall *c) {
  Branches branches;
  size_t n = torch_call(c)->noutputs;
  MlirValue *values[] = {TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1), TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1)};
  if (!read_branches(c, &branches)) return false;
  bool ok = true, dropped = import_drops(c, true);
  import_uncertain(c, 1);
  for (int i = 0; ok && i < 2; i++) ok = run_graph(c, branches.graphs[i], branches.inputs, branches.ninputs, values[i], n);
  import_uncertain(c, -1);
  import_drops(c, dropped);
  for (size_t i = 0; ok && i < n; i++) {
    ok = import_same_type(c, values[0][i], values[1][i], "the branches' results") &&
         torch_output(c, i, tcc_build_select(&c->b, branches.condition, values[0][i], values[1][i]));
  }
  return ok;
}

bool torch_op_cond(ImportCall *c) {
  enum { SMALL_BRANCH = 16 /* nodes */ };
  Branches branches;
  int64_t known;
  if (!read_branches(c, &branches)) return false;
  if (import_known_constant(c, branches.condition, &known))
    return torch_subgraph(c, branches.graphs[known ? 0 : 1], branches.inputs, branches.ninputs, torch_call(c)->outputs,
                          torch_call(c)->noutputs);
  if (branches.graphs[0]->nnodes > SMALL_BRANCH || branches.graphs[1]->nnodes > SMALL_BRANCH) return call_branches(c);
  return import_speculate(c, select_branches, call_branches);
}

/* condition, body, carried values, others: while condition(carried, others): carried = body(carried, others) */
bool torch_op_while_loop(ImportCall *c) {
  const TccTorchGraph *graphs[] = {graph_at(c, 0), graph_at(c, 1)};
  size_t n = torch_call(c)->noutputs, count;
  const TorchValue *inputs = graphs[0] && graphs[1] ? torch_values_from(c, 2, &count) : NULL;
  if (!inputs) return false;
  if (count < n) return import_invalid(c, "carries %zu values and gives %zu", count, n);
  TorchValue *inside = TCC_NEW_ARRAY(import_arena(c), TorchValue, count + 1);
  MlirValue *initial = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1),
            *results = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1), *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1);
  if (!separate(c, inputs, count, inside) || !run_graph(c, graphs[0], inside, count, initial, 1)) return false;
  for (size_t i = 0; i < n; i++) {
    if (inside[i].kind != TORCH_TENSOR) return import_unsupported(c, "a carried value that is no tensor");
    initial[1 + i] = inside[i].tensor->value;
  }
  ImportBody body;
  import_body_open(c, &body);
  import_uncertain(c, 1);
  for (size_t i = 0; i <= n; i++) {
    MlirValue argument = import_body_argument(c, &body, tcc_value_type(initial[i]));
    if (i) inside[i - 1].tensor = torch_tensor_make(c, argument);
  }
  bool ok = run_graph(c, graphs[1], inside, count, results + 1, n);
  for (size_t i = 0; ok && i < n; i++) inside[i].tensor = torch_tensor_make(c, results[1 + i]);
  ok = ok && run_graph(c, graphs[0], inside, count, results, 1);
  import_uncertain(c, -1);
  ok = ok && import_body_close(c, &body, n + 1, initial, results, import_size(c, INT64_MAX), true, out);
  if (!ok) import_body_drop(c, &body, false);
  for (size_t i = 0; ok && i < n; i++) ok = torch_output(c, i, out[1 + i]);
  return ok;
}
