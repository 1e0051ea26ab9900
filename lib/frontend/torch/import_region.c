/* import_region.c - a graph that is called often, as a function.
 *
 *   %1 = invoke_subgraph(layer, %0, weights 0) ; %2 = invoke_subgraph(layer, %1, weights 1) ; ...
 *   =>   %1 = call @subgraph0(%0, weights 0) ; %2 = call @subgraph0(%1, weights 1) ; ...   (what tcc-dedup-regions would have to find)
 *
 * A function serves the calls of one graph whose inputs have the same types and sizes, and the same values where those are compiled in:
 * integers that are constants. It is tried at the first such call; what stands against it (it writes to an input, draws random numbers,
 * wants to know an input's values, ...) is kept, and this call and later ones are the nodes in line. The module's attribute tcc.inlined
 * lists them with the reason. Not tried: small graphs, those with convolutions, whose layout is one for all of a network, and what stands in
 * the body of a branch, of a loop or of another function.
 *
 * A result that is an input, or a view of one, is made of the input again at each call; views of one tensor are one result. */
#include "lib/frontend/torch/import_internal.h"
#include "tcc/op_kinds.h"

enum { LEAST_NODES = 8 };

/* What the graph's output is at a call. */
typedef struct {
  enum { RESULT, INPUT, KNOWN } kind;
  size_t index;           /* of the call's result, or of the input */
  TorchTensor *view, *of; /* the output is to the tensor at hand as view is to `of` */
  TorchValue known;
} Output;

typedef struct {
  const char *name, *reason; /* of the function; why there is none */
  size_t nresults;
  MlirType *types; /* of results */
  Output *outputs; /* of the graph */
} Region;

static bool is_compiled_in(ImportCall *c, MlirValue value) {
  TccOpKind kind = tcc_value_kind(c->ir, value);
  return kind == TCC_OP_SIZES || kind == TCC_OP_NONE || (kind == TCC_OP_CONSTANT && !tcc_elem_is_float(tcc_value_elem(value)));
}

static MlirAttribute content(ImportCall *c, MlirValue value) {
  const char *name = tcc_value_kind(c->ir, value) == TCC_OP_SIZES ? "values" : "value";
  return mlirOperationGetAttributeByName(tcc_value_op(value), mlirStringRefCreateFromCString(name));
}

/* ---- the calls that share a function ---- */
static bool key_of(ImportCall *c, const TccTorchGraph *graph, const TorchValue *inputs, size_t count, TccText *out) {
  tcc_text_printf(out, "%p", (const void *)graph);
  for (size_t i = 0; i < count; i++) {
    const TorchValue *v = &inputs[i];
    if (v->kind == TORCH_TENSOR) {
      MlirValue value = torch_read(c, v->tensor);
      if (!value.ptr) return false;
      tcc_text_printf(out, " %p", tcc_value_type(value).ptr);
      if (is_compiled_in(c, value)) tcc_text_printf(out, "=%p", content(c, value).ptr);
      if (v->tensor->imaginary) tcc_text_printf(out, " i%p", tcc_value_type(torch_read(c, v->tensor->imaginary)).ptr);
    } else if (v->kind == TORCH_NUMBER && !v->number.value.ptr && !v->number.holds) {
      tcc_text_printf(out, " %d %p %a", (int)v->number.kind, (const void *)v->number.size, v->number.real);
    } else {
      return false;
    }
  }
  return true;
}

static bool is_worth_it(ImportCall *c, const TccTorchGraph *graph) {
  const void *key = graph;
  const TccMapEntry *calls = tcc_map_find(torch_import_of(c->importer)->calls, tcc_key_pointer(&key));
  return calls && calls->integer > 1 && graph->nnodes >= LEAST_NODES;
}

/* Why no call of the graph can be one of a function where the node stands; NULL: it may be. */
static const char *against(ImportCall *c, const TccTorchGraph *graph) {
  if (c->b.block.ptr != c->importer->main.ptr || c->importer->uncertain)
    return "it stands in the body of a function, loop or branch";
  for (size_t i = 0; i < graph->nnodes; i++)
    if (memmem(graph->nodes[i].target.data, graph->nodes[i].target.length, "conv", 4))
      return "it has convolutions, whose layout is one for the whole model";
  return NULL;
}

/* ---- the function ---- */
/* Inputs inside of the body: arguments, or what is compiled in. */
static bool enter_inputs(ImportCall *c, ImportBody *body, const TorchValue *inputs, size_t count, TorchValue *own) {
  for (size_t i = 0; i < count; i++) {
    own[i] = inputs[i];
    if (inputs[i].kind != TORCH_TENSOR) continue;
    MlirValue outside = inputs[i].tensor->value, inside;
    if (is_compiled_in(c, outside)) {
      MlirOperation copy = mlirOperationClone(tcc_value_op(outside));
      mlirBlockAppendOwnedOperation(body->block, copy);
      inside = mlirOperationGetResult(copy, 0);
    } else {
      inside = import_body_argument(c, body, tcc_value_type(outside));
    }
    own[i].tensor = torch_tensor_make(c, inside);
    if (!own[i].tensor) return false;
    own[i].tensor->fixed = "it writes to what it is given";
    if (!inputs[i].tensor->imaginary) continue;
    inside = import_body_argument(c, body, tcc_value_type(inputs[i].tensor->imaginary->value));
    own[i].tensor->imaginary = torch_tensor_make(c, inside);
    own[i].tensor->imaginary->fixed = own[i].tensor->fixed;
  }
  return true;
}

/* The number of the input that a storage is; count: none. */
static size_t input_of(const TorchTensor *storage, const TorchValue *own, size_t count) {
  size_t i = 0;
  while (i < count && !(own[i].kind == TORCH_TENSOR && own[i].tensor == storage)) i++;
  return i;
}

/* How output i is had of the inputs or the call's results; a storage that several outputs are views of is one result. */
static bool place_output(ImportCall *c, Region *region, const TorchValue *made, size_t nout, size_t i, const TorchValue *own,
                         size_t ninputs, MlirValue *results, TorchTensor **storages) {
  Output *out = &region->outputs[i];
  *out = (Output){.kind = KNOWN, .known = made[i]};
  if (made[i].kind == TORCH_NUMBER && made[i].number.value.ptr) return import_unsupported(c, "it gives a number that it computes");
  if (made[i].kind == TORCH_LIST) return import_unsupported(c, "it gives a list");
  if (made[i].kind == TORCH_TENSOR && made[i].tensor->imaginary) return import_unsupported(c, "it gives complex numbers");
  if (made[i].kind != TORCH_TENSOR) return true;
  for (const TorchTensor *t = made[i].tensor; t->of; t = t->of)
    if (t->also) return import_unsupported(c, "it gives the parts of complex numbers");
  TorchTensor *storage = torch_storage_of(made[i].tensor);
  *out = (Output){.kind = INPUT, .index = input_of(storage, own, ninputs), .view = made[i].tensor, .of = storage};
  if (out->index < ninputs) return true;
  size_t views = 0;
  for (size_t k = 0; k < nout; k++) views += made[k].kind == TORCH_TENSOR && torch_storage_of(made[k].tensor) == storage;
  out->kind = RESULT;
  if (views == 1) out->of = out->view;
  for (out->index = 0; out->index < region->nresults && storages[out->index] != out->of;) out->index++;
  if (out->index < region->nresults) return true;
  storages[region->nresults] = out->of;
  results[region->nresults] = torch_read(c, out->of);
  if (!results[region->nresults].ptr) return false;
  region->types[region->nresults] = tcc_value_type(results[region->nresults]);
  region->nresults++;
  return true;
}

static bool build(ImportCall *c, Region *region, ImportBody *body, const TccTorchGraph *graph, const TorchValue *inputs, size_t n,
                  size_t nout) {
  TccArena *arena = import_arena(c);
  TorchValue *own = TCC_NEW_ARRAY(arena, TorchValue, n + 1), *made = TCC_NEW_ARRAY(arena, TorchValue, nout + 1);
  MlirValue *results = TCC_NEW_ARRAY(arena, MlirValue, nout + 1);
  TorchTensor **storages = TCC_NEW_ARRAY(arena, TorchTensor *, nout + 1);
  region->types = TCC_NEW_ARRAY(arena, MlirType, nout + 1);
  region->outputs = TCC_NEW_ARRAY(arena, Output, nout + 1);
  if (!enter_inputs(c, body, inputs, n, own) || !torch_subgraph(c, graph, own, n, made, nout)) return false;
  if (c->importer->problems.count > body->problems) return false;
  for (size_t i = 0; i < nout; i++)
    if (!place_output(c, region, made, nout, i, own, n, results, storages)) return false;
  region->name = tcc_arena_printf(c->ir->arena, "subgraph%zu", import_loops(c));
  return import_body_function(c, body, region->name, region->nresults, results);
}

/* What was wrong in the body: the node's own reason, or the first that was recorded in it. */
static const char *reason_of(ImportCall *c, const ImportBody *body) {
  const Importer *run = c->importer;
  const char *why = c->reason && *c->reason ? c->reason : NULL;
  if (!why && run->problems.count > body->problems) {
    const ImportProblem *problem = &run->problems.data[body->problems];
    why = tcc_arena_printf(import_arena(c), "node '%s', %s: %s", problem->node, problem->op, problem->reason);
  }
  return why ? why : "it cannot be imported as a function";
}

/* Tries the function. False: the walk begins again. */
static bool make_region(ImportCall *c, Region *region, const TccTorchGraph *graph, const TorchValue *inputs, size_t n,
                        size_t nout) {
  ImportBody body;
  Importer *run = c->importer;
  size_t left = run->expanded_nodes_left;
  import_body_open(c, &body);
  if (build(c, region, &body, graph, inputs, n, nout)) return true;
  region->name = NULL;
  region->reason = reason_of(c, &body);
  import_body_drop(c, &body, !run->restart);
  run->expanded_nodes_left = left;
  return !run->restart;
}

/* ---- calls ---- */
static bool give(ImportCall *c, const Output *output, const TorchValue *inputs, TorchTensor *const *results, TorchValue *out) {
  *out = output->known;
  if (output->kind == KNOWN) return true;
  TorchTensor *t = output->kind == INPUT ? inputs[output->index].tensor : results[output->index];
  *out = (TorchValue){.kind = TORCH_TENSOR, .tensor = torch_view_again(c, output->view, output->of, t)};
  return out->tensor != NULL;
}

static bool call_region(ImportCall *c, const Region *region, const TorchValue *inputs, size_t n, TorchValue *out, size_t nout) {
  TCC_VEC(MlirValue) operands = {0};
  TorchTensor **results = TCC_NEW_ARRAY(import_arena(c), TorchTensor *, region->nresults + 1);
  for (size_t i = 0; i < n; i++) {
    if (inputs[i].kind != TORCH_TENSOR) continue;
    if (!is_compiled_in(c, inputs[i].tensor->value)) TCC_VEC_PUSH(import_arena(c), &operands, inputs[i].tensor->value);
    if (inputs[i].tensor->imaginary) TCC_VEC_PUSH(import_arena(c), &operands, inputs[i].tensor->imaginary->value);
  }
  MlirOperation call =
      tcc_make_call(c->ir, region->name, c->b.location, operands.count, operands.data, region->nresults, region->types);
  mlirBlockAppendOwnedOperation(c->b.block, call);
  for (size_t i = 0; i < region->nresults; i++) results[i] = torch_tensor_make(c, mlirOperationGetResult(call, (intptr_t)i));
  for (size_t i = 0; i < nout; i++)
    if (!give(c, &region->outputs[i], inputs, results, &out[i])) return false;
  return true;
}

static bool in_line(ImportCall *c, const char *why, const TccTorchGraph *graph, const TorchValue *inputs, size_t n, TorchValue *out,
                    size_t nout) {
  if (why) {
    const char *text = tcc_arena_printf(import_arena(c), "node '%.*s': %s", TCC_STR_ARG(c->name), why);
    TCC_VEC_PUSH(import_arena(c), &c->importer->inlined, text);
  }
  return torch_subgraph(c, graph, inputs, n, out, nout);
}

bool torch_region(ImportCall *c, const TccTorchGraph *graph, const TorchValue *inputs, size_t n, TorchValue *out, size_t nout) {
  if (!is_worth_it(c, graph)) return in_line(c, NULL, graph, inputs, n, out, nout);
  const char *why = against(c, graph);
  TccText key = {0};
  if (!why && !key_of(c, graph, inputs, n, &key)) why = "it is given something else than tensors and sizes";
  if (why) {
    tcc_text_destroy(&key);
    return !c->reason && in_line(c, why, graph, inputs, n, out, nout);
  }
  bool is_new;
  TccMapEntry *entry = tcc_map_put(torch_import_of(c->importer)->regions, tcc_text_str(&key), &is_new);
  tcc_text_destroy(&key);
  Region *region = is_new ? TCC_NEW(import_arena(c), Region) : entry->pointer;
  entry->pointer = region;
  if (is_new ? !make_region(c, region, graph, inputs, n, nout) : region->name && !import_take_nodes(c, graph->nnodes)) return false;
  if (!region->name) return in_line(c, region->reason, graph, inputs, n, out, nout);
  return call_region(c, region, inputs, n, out, nout);
}
