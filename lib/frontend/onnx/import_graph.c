/* import_graph.c - names, nodes, subgraphs and functions.
 *
 * A subgraph sees the names around it (outer-scope capture); a function sees its parameters alone, and its body is put in
 * place of the call. Function attributes are looked up where they are used (onnx_attribute), so nothing is copied. */
#include "lib/frontend/onnx/import_run.h"

enum { MOST_FUNCTION_DEPTH = 256 };

OnnxScope *onnx_scope_create(OnnxImport *run, OnnxScope *parent) {
  OnnxScope *scope = TCC_NEW(run->arena, OnnxScope);
  scope->parent = parent;
  scope->values = tcc_map_create(run->arena);
  scope->opsets = parent ? parent->opsets : NULL;
  scope->prefix = parent ? parent->prefix : "";
  scope->depth = parent ? parent->depth : 0;
  return scope;
}

bool onnx_scope_put(OnnxImport *run, OnnxScope *scope, TccStr name, OnnxValue value) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(scope->values, name, &inserted);
  if (!inserted) return false;
  OnnxValue *kept = TCC_NEW(run->arena, OnnxValue);
  *kept = value;
  entry->pointer = kept;
  return true;
}

const OnnxValue *onnx_scope_find(const OnnxScope *scope, TccStr name) {
  for (; scope; scope = scope->parent) {
    const TccMapEntry *entry = tcc_map_find(scope->values, name);
    if (entry) return entry->pointer;
  }
  return NULL;
}

static OnnxCall make_call(OnnxImport *run, OnnxScope *scope, const TccOnnxNode *node) {
  OnnxCall c = {.import = run, .ir = run->ir, .node = node, .scope = scope, .b = run->b};
  TccStr name = node->name.length || !node->output.count ? node->name : node->output.data[0];
  if (scope->prefix[0]) name = tcc_str(tcc_arena_printf(run->arena, "%s%.*s", scope->prefix, TCC_STR_ARG(name)));
  c.b.location = onnx_location(run, name.length ? name : node->op_type);
  c.ninputs = node->input.count;
  c.noutputs = node->output.count;
  c.inputs = TCC_NEW_ARRAY(run->arena, OnnxValue, c.ninputs + 1);
  c.outputs = TCC_NEW_ARRAY(run->arena, OnnxValue, c.noutputs + 1);
  return c;
}

/* ---- nodes ---- */
static bool resolve_inputs(OnnxCall *c) {
  bool poisoned = false;
  for (size_t i = 0; i < c->ninputs; i++) {
    TccStr name = c->node->input.data[i];
    if (!name.length) continue;
    const OnnxValue *value = onnx_scope_find(c->scope, name);
    if (!value) return onnx_invalid(c, "uses '%.*s', which is not defined before it", TCC_STR_ARG(name));
    c->inputs[i] = *value;
    poisoned = poisoned || value->kind == ONNX_POISON;
  }
  while (c->ninputs && c->inputs[c->ninputs - 1].kind == ONNX_ABSENT) c->ninputs--;
  if (poisoned) c->reason = "";
  return !poisoned;
}

static void bind_outputs(OnnxCall *c, bool ok) {
  for (size_t i = 0; i < c->noutputs; i++) {
    TccStr name = c->node->output.data[i];
    if (!name.length) continue;
    if (ok && c->outputs[i].kind == ONNX_ABSENT && !c->reason) onnx_unsupported(c, "output %zu", i);
    OnnxValue value = c->outputs[i];
    if (!ok || c->reason) value.kind = ONNX_POISON;
    if (!onnx_scope_put(c->import, c->scope, name, value)) {
      c->reason = NULL;
      onnx_invalid(c, "defines '%.*s' again", TCC_STR_ARG(name));
    }
  }
}

void onnx_node_import(OnnxImport *run, OnnxScope *scope, const TccOnnxNode *node) {
  OnnxCall c = make_call(run, scope, node), *outer = run->call;
  const char *why = NULL;
  run->call = &c;
  c.opset = tcc_onnx_opset(scope->opsets, node->domain);
  const TccOnnxFunction *function = onnx_function_find(run, node->domain, node->op_type, node->overload);
  bool ok = true;
  if (!function && !(c.op = onnx_op_find(node->domain, node->op_type, c.opset, &why))) ok = onnx_unsupported(&c, "%s", why);
  ok = ok && resolve_inputs(&c);
  if (ok) ok = function ? onnx_function_call(&c, function) : c.op->handler(&c);
  if (!ok && !c.reason) onnx_invalid(&c, "cannot be imported");
  bind_outputs(&c, ok);
  if (!run->restart) onnx_problem(run, &c);
  run->call = outer;
}

void onnx_graph_import(OnnxImport *run, OnnxScope *scope, const TccOnnxGraph *graph) {
  TccOnnxNode holder = {.op_type = tcc_str("initializer")};
  for (size_t i = 0; i < graph->initializer.count + graph->sparse_initializer.count; i++) {
    bool sparse = i >= graph->initializer.count;
    const TccOnnxSparse *rare = sparse ? &graph->sparse_initializer.data[i - graph->initializer.count] : NULL;
    const TccOnnxTensor *dense = sparse ? rare->values : &graph->initializer.data[i];
    holder.name = dense->name;
    OnnxCall c = make_call(run, scope, &holder), *outer = run->call;
    run->call = &c;
    OnnxValue value = {.kind = ONNX_TENSOR};
    value.tensor = sparse ? onnx_sparse_tensor(&c, rare) : onnx_tensor(&c, dense, dense->name);
    if (!value.tensor.ptr) value.kind = ONNX_POISON;
    if (!onnx_scope_put(run, scope, dense->name, value)) onnx_invalid(&c, "'%.*s' is defined twice", TCC_STR_ARG(dense->name));
    onnx_problem(run, &c);
    run->call = outer;
  }
  for (size_t i = 0; i < graph->node.count; i++) onnx_node_import(run, scope, &graph->node.data[i]);
}

/* ---- subgraphs ---- */
bool onnx_subgraph(OnnxCall *c, const TccOnnxGraph *graph, const OnnxValue *inputs, size_t ninputs, OnnxValue *out, size_t nout) {
  OnnxScope *scope = onnx_scope_create(c->import, c->scope);
  if (graph->input.count != ninputs) return onnx_invalid(c, "a subgraph has %zu inputs, not %zu", graph->input.count, ninputs);
  if (graph->output.count != nout) return onnx_invalid(c, "a subgraph has %zu outputs, not %zu", graph->output.count, nout);
  for (size_t i = 0; i < ninputs; i++)
    if (!onnx_scope_put(c->import, scope, graph->input.data[i].name, inputs[i]))
      return onnx_invalid(c, "a subgraph has two inputs '%.*s'", TCC_STR_ARG(graph->input.data[i].name));
  onnx_graph_import(c->import, scope, graph);
  for (size_t i = 0; i < nout; i++) {
    const OnnxValue *value = onnx_scope_find(scope, graph->output.data[i].name);
    if (!value) return onnx_invalid(c, "output '%.*s' of a subgraph is not defined", TCC_STR_ARG(graph->output.data[i].name));
    out[i] = *value;
    if (value->kind == ONNX_POISON) { /* a node inside has been recorded */
      if (!c->reason) c->reason = "";
      return false;
    }
  }
  return !c->reason;
}

const TccOnnxGraph *onnx_graph(OnnxCall *c, const char *name) {
  const TccOnnxAttribute *attribute = onnx_attribute(c, name);
  if (attribute && attribute->g) return attribute->g;
  onnx_invalid(c, "graph attribute '%s' is missing", name);
  return NULL;
}

/* ---- functions ---- */
const TccOnnxFunction *onnx_function_find(OnnxImport *run, TccStr domain, TccStr name, TccStr overload) {
  if (!tcc_map_count(run->functions)) return NULL;
  TccText key = {0};
  tcc_text_printf(&key, "%.*s%c%.*s%c%.*s", TCC_STR_ARG(domain), 0, TCC_STR_ARG(name), 0, TCC_STR_ARG(overload));
  const TccMapEntry *entry = tcc_map_find(run->functions, tcc_text_str(&key));
  tcc_text_destroy(&key);
  return entry ? entry->constant : NULL;
}

bool onnx_function_call(OnnxCall *c, const TccOnnxFunction *function) {
  OnnxImport *run = c->import;
  for (const OnnxScope *s = c->scope; s; s = s->parent ? s->parent : s->caller ? s->caller->scope : NULL)
    if (s->function == function) return onnx_invalid(c, "function '%.*s' calls itself", TCC_STR_ARG(function->name));
  if (c->scope->depth >= MOST_FUNCTION_DEPTH) return onnx_unsupported(c, "functions nested more than %d deep", MOST_FUNCTION_DEPTH);
  if (function->node.count > run->function_nodes_left)
    return onnx_unsupported(c, "functions expand to far more nodes than the model has");
  run->function_nodes_left -= function->node.count;
  if (c->ninputs > function->input.count || c->noutputs > function->output.count)
    return onnx_invalid(c, "has more inputs or outputs than its function");
  OnnxScope *scope = onnx_scope_create(run, NULL);
  TccStr name = c->node->name.length ? c->node->name : c->node->op_type;
  scope->function = function;
  scope->caller = c;
  scope->opsets = function->opset_import.count ? &function->opset_import : c->scope->opsets;
  scope->depth = c->scope->depth + 1;
  scope->prefix = tcc_arena_printf(run->arena, "%s%.*s/", c->scope->prefix, TCC_STR_ARG(name));
  for (size_t i = 0; i < function->input.count; i++) {
    OnnxValue absent = {.kind = ONNX_ABSENT};
    if (!onnx_scope_put(run, scope, function->input.data[i], i < c->ninputs ? c->inputs[i] : absent))
      return onnx_invalid(c, "its function has two inputs '%.*s'", TCC_STR_ARG(function->input.data[i]));
  }
  for (size_t i = 0; i < function->node.count; i++) onnx_node_import(run, scope, &function->node.data[i]);
  for (size_t i = 0; i < c->noutputs; i++) {
    const OnnxValue *value = onnx_scope_find(scope, function->output.data[i]);
    if (!value) return onnx_invalid(c, "output '%.*s' of its function is not defined", TCC_STR_ARG(function->output.data[i]));
    c->outputs[i] = *value;
    if (value->kind == ONNX_POISON) {
      c->reason = "";
      return false;
    }
  }
  return true;
}
