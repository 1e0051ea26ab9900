/* import_graph.c - graphs, their nodes and initializers, subgraphs and functions.
 *
 * Function attributes are looked up where they are used (onnx_attribute), so nothing is copied. */
#include "lib/frontend/onnx/import.h"
#include "lib/frontend/onnx/text.h"

enum { MOST_FUNCTION_DEPTH = 256 };

OnnxScope *onnx_scope_create(Importer *run, OnnxScope *parent) {
  OnnxScope *scope = TCC_NEW(run->arena, OnnxScope);
  import_scope_init(run, &scope->names, parent ? &parent->names : NULL);
  scope->opsets = parent ? parent->opsets : NULL;
  return scope;
}

static OnnxCall make_call(Importer *run, OnnxScope *scope, const TccOnnxNode *node) {
  TccStr name = node->name.length || !node->output.count ? node->name : node->output.data[0];
  return (OnnxCall){.call = {.importer = run,
                             .scope = &scope->names,
                             .op = node->op_type,
                             .domain = node->domain,
                             .name = name,
                             .noutputs = node->output.count,
                             .output_names = node->output.data},
                    .node = node};
}

static void node_import(Importer *run, OnnxScope *scope, const TccOnnxNode *node);

/* ---- functions ---- */
static const TccOnnxFunction *find_function(const OnnxImport *run, TccStr domain, TccStr name, TccStr overload) {
  if (!tcc_map_count(run->functions)) return NULL;
  TccText key = {0};
  tcc_text_printf(&key, "%.*s%c%.*s%c%.*s", TCC_STR_ARG(domain), 0, TCC_STR_ARG(name), 0, TCC_STR_ARG(overload));
  const TccMapEntry *entry = tcc_map_find(run->functions, tcc_text_str(&key));
  tcc_text_destroy(&key);
  return entry ? entry->constant : NULL;
}

/* The scope that a scope's names, or the call of its function, stand in. */
static const OnnxScope *outside(const OnnxScope *s) {
  if (s->names.parent) return onnx_scope(s->names.parent);
  return s->caller ? onnx_scope(s->caller->call.scope) : NULL;
}

static bool call_function(ImportCall *c, const TccOnnxFunction *function) {
  Importer *run = c->importer;
  const TccOnnxNode *node = onnx_call(c)->node;
  OnnxScope *around = onnx_scope(c->scope);
  for (const OnnxScope *s = around; s; s = outside(s))
    if (s->function == function) return import_invalid(c, "function '%.*s' calls itself", TCC_STR_ARG(function->name));
  if (around->names.depth >= MOST_FUNCTION_DEPTH)
    return import_unsupported(c, "functions nested more than %d deep", MOST_FUNCTION_DEPTH);
  if (!import_take_nodes(c, function->node.count)) return false;
  if (c->ninputs > function->input.count || c->noutputs > function->output.count)
    return import_invalid(c, "has more inputs or outputs than its function");
  OnnxScope *scope = onnx_scope_create(run, NULL);
  TccStr name = node->name.length ? node->name : node->op_type;
  scope->function = function;
  scope->caller = onnx_call(c);
  scope->opsets = function->opset_import.count ? &function->opset_import : around->opsets;
  scope->names.depth = around->names.depth + 1;
  scope->names.prefix = tcc_arena_printf(run->arena, "%s%.*s/", around->names.prefix, TCC_STR_ARG(name));
  for (size_t i = 0; i < function->input.count; i++) {
    ImportValue absent = {.kind = IMPORT_ABSENT};
    if (!import_scope_put(run, &scope->names, function->input.data[i], i < c->ninputs ? c->inputs[i] : absent))
      return import_invalid(c, "its function has two inputs '%.*s'", TCC_STR_ARG(function->input.data[i]));
  }
  for (size_t i = 0; i < function->node.count; i++) node_import(run, scope, &function->node.data[i]);
  for (size_t i = 0; i < c->noutputs; i++) {
    const ImportValue *value = import_scope_find(&scope->names, function->output.data[i]);
    if (!value) return import_invalid(c, "output '%.*s' of its function is not defined", TCC_STR_ARG(function->output.data[i]));
    c->outputs[i] = *value;
    if (value->kind == IMPORT_POISON) {
      c->reason = "";
      return false;
    }
  }
  return true;
}

/* ---- nodes ---- */
static bool handle(OnnxCall *node, const TccOnnxFunction *function) {
  ImportCall *c = &node->call;
  const char *why = NULL;
  const OnnxOp *op = function ? NULL : onnx_find_op(c->domain, c->op, node->opset, &why);
  if (!function && !op) return import_unsupported(c, "%s", why);
  if (!import_call_resolve(c, node->node->input.data)) return false;
  if (function) return call_function(c, function);
  c->kind = op->kind;
  bool ok;
  return onnx_text_moved(c, op, &ok) ? ok : op->handler(c);
}

static void node_import(Importer *run, OnnxScope *scope, const TccOnnxNode *node) {
  OnnxCall call = make_call(run, scope, node);
  call.opset = tcc_onnx_opset(scope->opsets, node->domain);
  if (!call.opset) call.opset = onnx_newest_of_domain(node->domain);
  const TccOnnxFunction *function = find_function(onnx_import_of(run), node->domain, node->op_type, node->overload);
  import_call_begin(&call.call, node->input.count);
  bool ok = import_call_goes_on(&call.call) && handle(&call, function);
  import_call_end(&call.call, ok);
}

static void initializer_import(Importer *run, OnnxScope *scope, const TccOnnxTensor *dense, const TccOnnxSparse *sparse) {
  ImportCall c = {.importer = run, .scope = &scope->names, .op = tcc_str("initializer"), .name = dense->name};
  ImportValue value = {.kind = IMPORT_TENSOR};
  import_call_begin(&c, 0);
  bool outermost = scope == onnx_import_of(run)->scope;
  const TccSourcePlace *other = outermost && !sparse ? import_replacement(run, dense->name) : NULL;
  ImportRole role =
      dense->dims.count ? IMPORT_PARAMETER : IMPORT_CONSTANT; /* a scalar is what an optimiser of graphs made of a constant */
  const bool text = !sparse && dense->data_type == TCC_ONNX_STRING;
  if (text) value.kind = IMPORT_TEXT;
  value.tensor = text     ? onnx_text_tensor(&c, dense)
                 : sparse ? onnx_sparse_tensor(&c, sparse)
                 : other  ? onnx_tensor_at(&c, dense, role, other)
                          : onnx_tensor(&c, dense, dense->name, role);
  if (!value.tensor.ptr) value.kind = IMPORT_POISON;
  if (!import_scope_put(run, &scope->names, dense->name, value))
    import_invalid(&c, "'%.*s' is defined twice", TCC_STR_ARG(dense->name));
  import_call_end(&c, value.tensor.ptr != NULL);
}

void onnx_graph_import(Importer *run, OnnxScope *scope, const TccOnnxGraph *graph) {
  for (size_t i = 0; i < graph->initializer.count; i++) initializer_import(run, scope, &graph->initializer.data[i], NULL);
  for (size_t i = 0; i < graph->sparse_initializer.count; i++) {
    const TccOnnxSparse *sparse = &graph->sparse_initializer.data[i];
    initializer_import(run, scope, sparse->values, sparse);
  }
  for (size_t i = 0; i < graph->node.count; i++) node_import(run, scope, &graph->node.data[i]);
}

/* ---- subgraphs ---- */
bool onnx_subgraph(ImportCall *c, const TccOnnxGraph *graph, const ImportValue *inputs, size_t ninputs, ImportValue *out,
                   size_t nout) {
  if (!import_take_nodes(c, graph->node.count)) return false;
  OnnxScope *scope = onnx_scope_create(c->importer, onnx_scope(c->scope));
  if (graph->input.count != ninputs) return import_invalid(c, "a subgraph has %zu inputs, not %zu", graph->input.count, ninputs);
  if (graph->output.count != nout) return import_invalid(c, "a subgraph has %zu outputs, not %zu", graph->output.count, nout);
  for (size_t i = 0; i < ninputs; i++)
    if (!import_scope_put(c->importer, &scope->names, graph->input.data[i].name, inputs[i]))
      return import_invalid(c, "a subgraph has two inputs '%.*s'", TCC_STR_ARG(graph->input.data[i].name));
  onnx_graph_import(c->importer, scope, graph);
  for (size_t i = 0; i < nout; i++) {
    const ImportValue *value = import_scope_find(&scope->names, graph->output.data[i].name);
    if (!value) return import_invalid(c, "output '%.*s' of a subgraph is not defined", TCC_STR_ARG(graph->output.data[i].name));
    out[i] = *value;
    if (value->kind == IMPORT_POISON) { /* a node inside has been recorded */
      if (!c->reason) c->reason = "";
      return false;
    }
  }
  return !c->reason;
}

const TccOnnxGraph *onnx_graph(ImportCall *c, const char *name) {
  const TccOnnxAttribute *attribute = onnx_attribute(c, name);
  if (attribute && attribute->g) return attribute->g;
  import_invalid(c, "graph attribute '%s' is missing", name);
  return NULL;
}
