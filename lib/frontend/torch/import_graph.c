/* import_graph.c - nodes of a graph, their outputs, and graphs in graphs. */
#include "lib/frontend/torch/expr.h"
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/import_internal.h"

/* ---- names and values ---- */
static void read_argument(TccMap *reads, const TccTorchArg *a) {
  switch (a->kind) {
  case TCC_TORCH_TENSOR:
  case TCC_TORCH_SYM_INT:
  case TCC_TORCH_SYM_FLOAT:
  case TCC_TORCH_SYM_BOOL:
  case TCC_TORCH_CUSTOM_OBJ: tcc_map_put(reads, a->text, NULL); break;
  case TCC_TORCH_TENSORS:
  case TCC_TORCH_OPTIONAL_TENSORS:
    for (size_t i = 0; i < a->list.count; i++)
      if (a->list.texts[i].data) tcc_map_put(reads, a->list.texts[i], NULL);
    break;
  case TCC_TORCH_SYM_INTS:
  case TCC_TORCH_SYM_FLOATS:
  case TCC_TORCH_SYM_BOOLS:
    for (size_t i = 0; i < a->list.count; i++)
      if (a->list.syms[i].name.length) tcc_map_put(reads, a->list.syms[i].name, NULL);
    break;
  default: break;
  }
}

/* The names that nodes of the graph and its outputs read; graphs in it see what they are given alone. */
static TccMap *find_reads(TccArena *arena, const TccTorchGraph *graph) {
  TccMap *reads = tcc_map_create(arena);
  for (size_t i = 0; i < graph->nnodes; i++)
    for (size_t k = 0; k < graph->nodes[i].ninputs; k++) read_argument(reads, &graph->nodes[i].inputs[k].arg);
  for (size_t i = 0; i < graph->noutputs; i++) read_argument(reads, &graph->outputs[i]);
  return reads;
}

TorchScope *torch_scope_create(Importer *run, const TccTorchGraph *graph, const TorchScope *parent) {
  TorchScope *scope = TCC_NEW(run->arena, TorchScope);
  import_scope_init(run, &scope->names, parent ? (ImportScope *)&parent->names : NULL);
  scope->graph = graph;
  scope->values = tcc_map_create(run->arena);
  scope->reads = find_reads(run->arena, graph);
  return scope;
}

bool torch_scope_put(Importer *run, TorchScope *scope, TccStr name, TorchValue value) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(scope->values, name, &inserted);
  if (!inserted) return false;
  TorchValue *kept = TCC_NEW(run->arena, TorchValue);
  *kept = value;
  entry->pointer = kept;
  if (value.kind == TORCH_TENSOR && !value.tensor->meta) value.tensor->meta = torch_meta(scope, name);
  return true;
}

const TccTorchMeta *torch_meta(const TorchScope *scope, TccStr name) {
  const TccTorchValue *value = tcc_torch_value(scope->graph, name);
  return value && value->kind == TCC_TORCH_VALUE_TENSOR ? &value->meta : NULL;
}

/* ---- sizes ---- */
const void *torch_named(const TccMap *names, TccStr name) {
  const TccMapEntry *entry = tcc_map_find(names, name);
  return entry ? entry->constant : NULL;
}

void torch_name(ImportCall *c, TccMap *names, TccStr name, const void *what) {
  TorchImport *import = torch_import_of(c->importer);
  const TorchNamed named = {names, name, torch_call(c)->scope->graph};
  tcc_map_put(names, name, NULL)->constant = what;
  TCC_VEC_PUSH(c->importer->arena, &import->named, named);
}

/* A graph that is imported again, as a branch once both are not computed or a loop's condition, names sizes of its own again. */
static void forget_names(TorchImport *import, const TccTorchGraph *graph) {
  size_t kept = 0;
  for (size_t i = 0; i < import->named.count; i++) {
    const TorchNamed named = import->named.data[i];
    if (named.graph == graph) tcc_map_put(named.names, named.name, NULL)->constant = NULL;
    else import->named.data[kept++] = named;
  }
  import->named.count = kept;
}

/* A size of inputs, as the caller or a walk has it, or one that came up. */
static const TccExpr *known_symbol(TccStr name, void *user) {
  TorchImport *import = user;
  if (tcc_map_find(import->run.params, name)) return import_parse_size(&import->run, name);
  const void *number, *size = torch_named(import->symbols, name);
  if (size) return size;
  number = import->run.call ? torch_named(import->numbers, name) : NULL;
  return number ? torch_size_from_data(import->run.call, (MlirValue){number}, name) : NULL;
}

const TccExpr *torch_present(Importer *run, const TccExpr *e) {
  return tcc_expr_is_const(e, NULL) ? e : tcc_expr_substitute(run->ir->exprs, e, known_symbol, torch_import_of(run));
}

/* A size as this walk has it. One that guards say is 1 is that number: whether an axis is broadcast shows in its size. */
static const TccExpr *present_size(Importer *run, const TccExpr *e) {
  const TccExpr *size = torch_present(run, e), *one = tcc_expr_const(run->ir->exprs, 1);
  return !tcc_expr_is_const(size, NULL) && tcc_expr_known_equal(size, one) ? one : size;
}

TccStatus *torch_size_of(Importer *run, const TccTorchSize *size, const TccExpr **out) {
  TccMap *sizes = torch_import_of(run)->sizes;
  const TccMapEntry *entry = size->text.length ? tcc_map_find(sizes, size->text) : NULL;
  if (entry) {
    *out = present_size(run, entry->constant);
    return NULL;
  }
  TCC_TRY(tcc_torch_size_expr(run->ir->exprs, size, out));
  if (size->text.length) tcc_map_put(sizes, size->text, NULL)->constant = *out;
  *out = present_size(run, *out);
  return NULL;
}

typedef struct {
  TorchImport *import;
  bool all;
} Known;
static void see_symbol(TccStr name, void *user) {
  Known *known = user;
  known->all = known->all && known_symbol(name, known->import);
}

const TccExpr *torch_size_if_known(ImportCall *c, const TccTorchSize *size) {
  const TccExpr *e;
  Known known = {torch_import_of(c->importer), true};
  if (!import_fail_status(c, tcc_torch_size_expr(c->ir->exprs, size, &e))) return NULL;
  tcc_expr_symbols(e, see_symbol, &known);
  return known.all ? torch_present(c->importer, e) : NULL;
}

/* ---- outputs ---- */
ImportShape torch_declared(ImportCall *c, size_t index) {
  ImportShape shape = {0};
  const TccTorchMeta *meta = torch_meta(torch_call(c)->scope, torch_call(c)->names[index]);
  if (!meta) return shape;
  if (meta->rank > TCC_MAX_RANK) return import_unsupported(c, "a tensor of rank %zu", meta->rank), shape;
  shape.elem = meta->elem ? meta->elem : torch_complex_elem(c, index);
  shape.rank = (int)meta->rank;
  for (int i = 0; i < shape.rank; i++)
    if (!import_fail_status(c, torch_size_of(c->importer, &meta->sizes[i], &shape.dims[i]))) return (ImportShape){0};
  return shape;
}

TccElem torch_result(ImportCall *c, size_t index) {
  const TccTorchMeta *meta = torch_meta(torch_call(c)->scope, torch_call(c)->names[index]);
  const TccElem part = torch_complex_elem(c, index);
  if (meta && (meta->elem || part)) return meta->elem ? meta->elem : part;
  if (meta) import_unsupported(c, "element type %s", tcc_torch_type_name(meta->type));
  else import_invalid(c, "the graph does not say what output %zu is", index);
  return TCC_ELEM_NONE;
}

/* A size that the archive names and no input has (u0): it is what the handler made. */
static void bind_symbol(ImportCall *c, const TccExpr *declared, const TccExpr *made) {
  TccStr name;
  if (declared == made || !tcc_expr_is_symbol(declared, &name) || tcc_map_find(c->importer->params, name)) return;
  torch_name(c, torch_import_of(c->importer)->symbols, name, made);
}

bool torch_name_size(ImportCall *c, const TccTorchSize *declared, const TccExpr *made) {
  const TccExpr *e;
  if (torch_size_if_known(c, declared)) return true;
  if (!import_fail_status(c, torch_size_of(c->importer, declared, &e))) return false;
  bind_symbol(c, e, made);
  return true;
}

/* The archive says of each tensor what it is: what was made must be that. *out_hides: an axis of a constant size was made of an expression that is
 * taken to be that. */
static bool check(ImportCall *c, size_t index, MlirValue value, bool *out_hides) {
  TccStr name = torch_call(c)->names[index];
  const TccTorchMeta *meta = torch_meta(torch_call(c)->scope, name);
  *out_hides = false;
  if (!meta) return true;
  if (meta->layout != TCC_TORCH_STRIDED) return import_unsupported(c, "'%.*s' is sparse", TCC_STR_ARG(name));
  if (!meta->elem && !torch_complex_elem(c, index))
    return import_unsupported(c, "element type %s", tcc_torch_type_name(meta->type));
  ImportShape made = import_shape(c, value), declared = torch_declared(c, index);
  if (!declared.elem) return false;
  if (made.elem != declared.elem || made.rank != declared.rank)
    return import_invalid(c, "'%.*s' is %s of rank %d; the graph says %s of rank %d", TCC_STR_ARG(name), tcc_elem_name(made.elem),
                          made.rank, tcc_elem_name(declared.elem), declared.rank);
  for (int i = 0; i < made.rank; i++) {
    bind_symbol(c, declared.dims[i], made.dims[i]);
    if (made.dims[i] == declared.dims[i]) continue;
    if (!import_fail_status(c, torch_size_of(c->importer, &meta->sizes[i], &declared.dims[i]))) return false;
    const char *what = tcc_arena_printf(import_arena(c), "axis %d of '%.*s' and what the graph says of it", i, TCC_STR_ARG(name));
    if (!import_require_equal(c, made.dims[i], declared.dims[i], what)) return false;
    *out_hides = *out_hides || (made.dims[i] != declared.dims[i] && tcc_expr_is_const(declared.dims[i], NULL));
  }
  return true;
}

/* Gives a tensor the constant sizes that the graph says: whether an axis is broadcast shows in its size. */
static bool take_known_sizes(ImportCall *c, size_t index, TorchTensor **t) {
  ImportShape made = import_shape(c, torch_read(c, *t)), declared = torch_declared(c, index);
  for (int i = 0; i < made.rank; i++)
    if (tcc_expr_is_const(declared.dims[i], NULL)) made.dims[i] = declared.dims[i];
  TorchTensor *view = torch_view_reshape(c, *t, made.rank, made.dims);
  if (!view || !torch_read(c, view).ptr)
    return c->reason ? false : import_invalid(c, "its sizes are not those that the graph says");
  *t = view;
  return true;
}

static TorchValue *slot(ImportCall *c, size_t index) {
  return index < torch_call(c)->noutputs ? &torch_call(c)->outputs[index] : NULL;
}

bool torch_output_view(ImportCall *c, size_t index, TorchTensor *view) {
  if (!view || !torch_read(c, view).ptr) return false;
  if (slot(c, index)) *slot(c, index) = (TorchValue){.kind = TORCH_TENSOR, .tensor = view};
  return true;
}

bool torch_becomes(ImportCall *c, const TorchTensor *self, TorchTensor *now) {
  const TccMap *values = torch_call(c)->scope->values;
  for (size_t i = 0; now && i < tcc_map_count(values); i++) {
    TorchValue *value = tcc_map_at(values, i)->pointer;
    if (value->kind == TORCH_TENSOR && value->tensor == self) value->tensor = now;
  }
  return torch_output_view(c, 0, now);
}

bool torch_output(ImportCall *c, size_t index, MlirValue value) { return torch_output_view(c, index, torch_tensor_make(c, value)); }

bool torch_output_number(ImportCall *c, size_t index, TorchNumber number) {
  if (slot(c, index)) *slot(c, index) = (TorchValue){.kind = TORCH_NUMBER, .number = number};
  return !c->reason;
}

bool torch_output_lacks(ImportCall *c, size_t index, const char *reason) {
  if (slot(c, index)) *slot(c, index) = (TorchValue){.kind = TORCH_MISSING, .reason = reason};
  return true;
}

/* ---- nodes ---- */
/* The names of outputs, those of lists one by one. */
static void name_outputs(Importer *run, TorchCall *call) {
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    TccStr *names = pass ? TCC_NEW_ARRAY(run->arena, TccStr, count + 1) : NULL;
    count = 0;
    for (size_t i = 0; i < call->node->noutputs; i++) {
      const TccTorchArg *a = &call->node->outputs[i];
      bool list = a->kind == TCC_TORCH_TENSORS || a->kind == TCC_TORCH_OPTIONAL_TENSORS;
      bool single = a->kind == TCC_TORCH_TENSOR || a->kind == TCC_TORCH_SYM_INT || a->kind == TCC_TORCH_SYM_FLOAT ||
                    a->kind == TCC_TORCH_SYM_BOOL;
      size_t n = list ? a->list.count : 1;
      for (size_t k = 0; k < n; k++, count++)
        if (names) names[count] = list ? a->list.texts[k] : single ? a->text : (TccStr){0};
    }
    call->names = names;
  }
  call->noutputs = count;
  call->outputs = TCC_NEW_ARRAY(run->arena, TorchValue, count + 1);
}

/* A result that nobody reads need not be there, nor be what the graph says of it. */
static bool bind_unread(ImportCall *c, size_t index, TorchValue *value) {
  if (value->kind == TORCH_NONE) *value = (TorchValue){.kind = TORCH_MISSING, .reason = "nobody was to read it"};
  MlirValue made = value->kind == TORCH_TENSOR ? torch_read(c, value->tensor) : (MlirValue){NULL};
  ImportShape declared = made.ptr ? torch_declared(c, index) : (ImportShape){0}, shape = import_shape(c, made);
  for (int i = 0; declared.elem && declared.rank == shape.rank && i < shape.rank; i++)
    bind_symbol(c, declared.dims[i], shape.dims[i]);
  return !c->reason;
}

static void bind_outputs(TorchCall *call, bool ok) {
  ImportCall *c = &call->call;
  for (size_t i = 0; i < call->noutputs; i++) {
    TorchValue value = call->outputs[i];
    if (!call->names[i].length) continue;
    bool read = tcc_map_find(call->scope->reads, call->names[i]);
    if (ok && !read) ok = bind_unread(c, i, &value);
    if (ok && read && value.kind == TORCH_NONE) ok = import_unsupported(c, "output %zu", i);
    bool hides = false, part;
    if (ok && read && value.kind == TORCH_TENSOR) ok = check(c, i, torch_read(c, value.tensor), &hides);
    if (ok && hides && !value.tensor->imaginary) ok = take_known_sizes(c, i, &value.tensor);
    if (ok && read && value.kind == TORCH_TENSOR && torch_complex_elem(c, i) && torch_meta(call->scope, call->names[i]))
      ok = value.tensor->imaginary ? check(c, i, torch_read(c, value.tensor->imaginary), &part)
                                   : import_unsupported(c, "complex numbers");
    if (!ok || c->reason) value = (TorchValue){.kind = TORCH_POISON};
    if (!torch_scope_put(c->importer, call->scope, call->names[i], value)) {
      c->reason = NULL;
      import_invalid(c, "defines '%.*s' again", TCC_STR_ARG(call->names[i]));
    }
  }
}

const TorchOp *torch_find_overload(Importer *run, TccStr op, const TccStr *overloads, size_t count, TccStr *out) {
  const TorchOp *found = NULL;
  for (size_t i = 0; !found && i < count; i++) {
    *out = tcc_str(tcc_arena_printf(run->arena, "%.*s.%.*s", TCC_STR_ARG(op), TCC_STR_ARG(overloads[i])));
    found = torch_find_op(*out);
  }
  return found;
}

/* Where the overload begins in "aten.add.Tensor": behind the last dot; 0: there is none. */
static size_t overload_at(TccStr name) {
  size_t at = name.length;
  while (at > 0 && name.data[at - 1] != '.') at--;
  return at;
}

/* "aten.add.out", "aten.eye.m_out" */
static bool has_out(TccStr name) {
  static const char suffix[] = "out";
  const size_t length = sizeof suffix - 1, at = overload_at(name);
  if (!at || name.length < at + length || memcmp(name.data + name.length - length, suffix, length) != 0) return false;
  return name.length == at + length || name.data[name.length - length - 1] == '_';
}

/* The functional overload of "aten.relu_.default", "aten.relu.default"; transpose_ has one of another name. NULL: it is no in-place one. */
static const TorchOp *functional_in_place(Importer *run, TccStr name, TccStr *out) {
  const size_t dot = overload_at(name);
  if (dot < 3 || name.data[dot - 2] != '_' || name.data[dot - 3] == '_' || name.data[dot - 3] == '.') return NULL;
  const TccStr overloads[] = {{name.data + dot, name.length - dot}, tcc_str("int")};
  return torch_find_overload(run, (TccStr){name.data, dot - 2}, overloads, 2, out);
}

/* Whether an overload can be called by a node's arguments but `out`: it has a parameter for each, of the type that the node's own overload has (own, if
 * it is known), and what it must be given is. */
static bool takes_arguments(const TccTorchNode *node, const TorchSchema *own, const TorchSchema *schema) {
  size_t needed = 0, given = 0;
  for (size_t i = 0; i < schema->nparameters; i++) {
    const TorchParameter *p = &schema->parameters[i];
    if (tcc_str_is(p->name, "out")) return false;
    needed += !p->otherwise.length && !p->is_optional;
  }
  for (size_t i = 0; i < node->ninputs; i++) {
    const TorchParameter *p = torch_schema_parameter(schema, node->inputs[i].name),
                         *q = torch_schema_parameter(own, node->inputs[i].name);
    if (!p && !tcc_str_is(node->inputs[i].name, "out")) return false;
    if (p && q && (p->type != q->type || p->is_list != q->is_list)) return false;
    given += p && !p->otherwise.length && !p->is_optional;
  }
  return given == needed;
}

/* That of "aten.eye.m_out", "aten.eye.m", of "aten.atan2.out", "aten.atan2.default", of "aten.add.out", "aten.add.Tensor". Another of the operator's
 * overloads where these do not take the arguments: "aten.mean.dim" for "aten.mean.out". */
static const TorchOp *functional_out(TorchCall *call, TccStr *out) {
  const TccStr name = call->call.op, suffix = tcc_str("_out");
  if (!has_out(name)) return NULL;
  const size_t dot = overload_at(name);
  const TccStr packet = {name.data, dot - 1}, rest = {name.data + dot, name.length - dot};
  const TccStr wanted[] = {rest.length > suffix.length ? (TccStr){rest.data, rest.length - suffix.length} : tcc_str("default"),
                           tcc_str("default"), tcc_str("Tensor")};
  const TorchOp *found = NULL, *op;
  TorchSchema own = {.nparameters = 0};
  size_t best = SIZE_MAX;
  torch_find_schema(name, &own);
  for (size_t row = 0; (op = torch_op_at(row)); row++) {
    const TccStr other = tcc_str(op->name);
    TorchSchema schema;
    if (other.length <= dot || memcmp(other.data, packet.data, packet.length) != 0 || other.data[packet.length] != '.') continue;
    if (!torch_find_schema(other, &schema) || !takes_arguments(call->node, &own, &schema)) continue;
    size_t rank = 0;
    while (rank < sizeof wanted / sizeof *wanted && !tcc_str_equal((TccStr){other.data + dot, other.length - dot}, wanted[rank]))
      rank++;
    if (rank < best) best = rank, found = op, *out = other;
  }
  return found;
}

/* The view that "aten.unbind_copy.int" copies, "aten.unbind.int". */
static const TorchOp *functional_copy(Importer *run, TccStr name, TccStr *out) {
  static const char suffix[] = "_copy";
  const size_t length = sizeof suffix - 1, dot = overload_at(name);
  if (dot < length + 2 || memcmp(name.data + dot - 1 - length, suffix, length) != 0) return NULL;
  const TccStr overload = {name.data + dot, name.length - dot};
  return torch_find_overload(run, (TccStr){name.data, dot - 1 - length}, &overload, 1, out);
}

/* What views give, as tensors of their own. */
static bool copy_outputs(TorchCall *call) {
  ImportCall *c = &call->call;
  for (size_t i = 0; i < call->noutputs; i++)
    if (call->outputs[i].kind == TORCH_TENSOR && !torch_output(c, i, torch_read(c, call->outputs[i].tensor))) return false;
  return true;
}

/* What a functional overload gave is written where its in-place form writes; a view of that is what it is from now on, and the tensor itself is written
 * already. */
static bool write_back(TorchCall *call, TorchTensor *to) {
  ImportCall *c = &call->call;
  if (!call->noutputs) return import_invalid(c, "has no output");
  TorchTensor *result = call->outputs[0].kind == TORCH_TENSOR ? call->outputs[0].tensor : NULL;
  if (result && (result == to || (result->of == to && result->step == TORCH_ALIAS))) return torch_output_view(c, 0, to);
  if (result && result->of == to) return torch_becomes(c, to, result);
  return result && torch_write(c, to, torch_read(c, result)) && torch_output_view(c, 0, to);
}

/* Whether the graph is given the tensor, or a part of it. */
static bool is_given(TorchCall *call, TorchTensor *t) {
  for (size_t i = 0; i < call->scope->graph->ninputs; i++) {
    const TccMapEntry *entry = tcc_map_find(call->scope->values, call->scope->graph->inputs[i].text);
    const TorchValue *value = entry ? entry->pointer : NULL;
    if (value && value->kind == TORCH_TENSOR && torch_storage_of(value->tensor) == torch_storage_of(t)) return true;
  }
  return false;
}

/* torch gives `out` the result's sizes where they differ: one without elements, made here, is the result from now on. */
static bool write_out(TorchCall *call, const TorchOp *op, TorchTensor *to) {
  ImportCall *c = &call->call;
  ImportShape made = torch_declared(c, 0), given = import_shape(c, torch_read(c, to));
  bool same = made.rank == given.rank, empty = false;
  for (int i = 0; same && i < made.rank; i++) same = tcc_expr_agree(made.dims[i], given.dims[i]);
  for (int i = 0; i < given.rank; i++) empty = empty || import_is_size(given.dims[i], 0);
  if (!same && (!empty || is_given(call, to))) return import_unsupported(c, "an 'out' of other sizes than the result's");
  if (!op->handler(c)) return false;
  if (same) return write_back(call, to);
  TorchTensor *result = call->noutputs && call->outputs[0].kind == TORCH_TENSOR ? call->outputs[0].tensor : NULL;
  return result ? torch_becomes(c, to, torch_tensor_make(c, tcc_build_convert(&c->b, torch_read(c, result), given.elem)))
                : import_invalid(c, "has no output");
}

bool torch_find_schema(TccStr op, TorchSchema *out) {
  static const char prefix[] = "aten.";
  if (!tcc_str_starts(op, prefix)) return false;
  return torch_schema_find((TccStr){op.data + sizeof prefix - 1, op.length - (sizeof prefix - 1)}, out);
}

/* An operator of higher order, as with_effects, names in its arguments what it calls. */
static bool no_overload(TorchCall *call) {
  if (tcc_str_starts(call->call.op, "torch._functorch.predispatch."))
    return import_unsupported(&call->call,
                              "a part of torch.vmap; program.run_decompositions(), before torch.export.save, takes it apart");
  for (size_t i = 0; i < call->node->ninputs; i++)
    if (call->node->inputs[i].arg.kind == TCC_TORCH_OPERATOR)
      return import_unsupported(&call->call, "of %.*s: no such overload in tcc", TCC_STR_ARG(call->node->inputs[i].arg.text));
  return import_unsupported(&call->call, "no such overload in tcc");
}

/* "aten.relu_.default", "aten.add.out" */
static bool is_written(TccStr op) {
  const size_t at = overload_at(op);
  return (at > 1 && op.data[at - 2] == '_') || has_out(op);
}

/* Of PyTorch's own operators those that write nothing, and whose results are no tensors and have no names (promote_types, result_type, is_same_size): the
 * exporter asked. */
static bool is_answered(const TorchCall *call) {
  if (!call->noutputs || !tcc_str_starts(call->call.op, "aten.") || torch_find_op(call->call.op) || is_written(call->call.op))
    return false;
  for (size_t i = 0; i < call->noutputs; i++)
    if (call->names[i].length) return false;
  return true;
}

bool torch_handle(TorchCall *call) {
  ImportCall *c = &call->call;
  TccStr plain;
  if (is_answered(call)) return true;
  if (torch_is_foreach(c->op)) return torch_foreach(call);
  if (torch_is_complex(call) && !tcc_str_is(c->op, "higher_order.invoke_subgraph")) return torch_complex(call);
  const TorchOp *op = torch_find_op(c->op);
  bool in_place = !op && (op = functional_in_place(c->importer, c->op, &plain));
  bool to_out = !op && (op = functional_out(call, &plain));
  bool copies = !op && (op = functional_copy(c->importer, c->op, &plain));
  if (!op) return no_overload(call);
  if (!torch_find_schema(c->op, &call->schema) && (in_place || to_out || copies)) torch_find_schema(plain, &call->schema);
  c->kind = op->kind;
  if (copies) return op->handler(c) && copy_outputs(call);
  if (!in_place && !to_out) return op->handler(c);
  TorchTensor *to = torch_storage(c, to_out ? "out" : "self");
  if (!to) return false;
  return to_out ? write_out(call, op, to) : op->handler(c) && write_back(call, to);
}

static void tell_place(TorchCall *call) {
  TccStr file;
  int64_t line;
  ImportCall *c = &call->call;
  if (c->reason && *c->reason && tcc_torch_node_place(c->importer->arena, call->node, &file, &line))
    c->reason = tcc_arena_printf(c->importer->arena, "%s (%.*s:%lld)", c->reason, TCC_STR_ARG(file), (long long)line);
}

static void node_import(Importer *run, TorchScope *scope, const TccTorchNode *node) {
  static const char prefix[] = "torch.ops.";
  TccStr op = node->target;
  if (tcc_str_starts(op, prefix)) op.data += sizeof prefix - 1, op.length -= sizeof prefix - 1;
  TorchCall call = {.call = {.importer = run, .scope = &scope->names, .op = op, .name = node->name}, .node = node, .scope = scope};
  name_outputs(run, &call);
  if (!call.call.name.length && call.noutputs) call.call.name = call.names[0];
  import_call_begin(&call.call, 0);
  bool ok = import_call_goes_on(&call.call) && torch_handle(&call);
  bind_outputs(&call, ok);
  tell_place(&call);
  import_call_end(&call.call, ok && !call.call.reason);
}

void torch_graph_import(Importer *run, TorchScope *scope) {
  for (size_t i = 0; i < scope->graph->nnodes; i++) node_import(run, scope, &scope->graph->nodes[i]);
}

/* ---- graphs in graphs ---- */
bool torch_subgraph(ImportCall *c, const TccTorchGraph *graph, const TorchValue *inputs, size_t ninputs, TorchValue *out,
                    size_t nout) {
  Importer *run = c->importer;
  enum { MOST_DEPTH = 64 };
  if (!import_take_nodes(c, graph->nnodes)) return false;
  TorchScope *scope = torch_scope_create(run, graph, torch_call(c)->scope);
  scope->names.depth++;
  if (scope->names.depth > MOST_DEPTH) return import_unsupported(c, "graphs nested more than %d deep", MOST_DEPTH);
  if (graph->ninputs != ninputs) return import_invalid(c, "a graph in it has %zu inputs, not %zu", graph->ninputs, ninputs);
  if (graph->noutputs != nout) return import_invalid(c, "a graph in it has %zu outputs, not %zu", graph->noutputs, nout);
  for (size_t i = 0; i < ninputs; i++) {
    const TccTorchArg *a = &graph->inputs[i];
    bool named = a->kind == TCC_TORCH_TENSOR || a->kind == TCC_TORCH_SYM_INT || a->kind == TCC_TORCH_SYM_FLOAT ||
                 a->kind == TCC_TORCH_SYM_BOOL;
    if (named && !torch_scope_put(run, scope, a->text, inputs[i]))
      return import_invalid(c, "a graph in it has two inputs '%.*s'", TCC_STR_ARG(a->text));
  }
  forget_names(torch_import_of(run), graph);
  torch_graph_import(run, scope);
  TorchCall inner = *torch_call(c); /* who asks for values there */
  inner.scope = scope;
  for (size_t i = 0; i < nout; i++) {
    const TorchValue *value = torch_value(&inner.call, &graph->outputs[i]);
    if (!value) {
      if (!c->reason) c->reason = inner.call.reason, c->is_unsupported = inner.call.is_unsupported;
      return false;
    }
    out[i] = *value;
    if (value->kind != TORCH_TENSOR || !scope->assertions.count) continue;
    out[i].tensor = torch_tensor_make(c, torch_behind_assertions(c, scope, torch_read(c, value->tensor)));
    if (out[i].tensor) out[i].tensor->imaginary = value->tensor->imaginary;
  }
  if (scope->assertions.count) return import_unsupported(c, "an assertion in a graph in it that gives no tensor");
  return !c->reason;
}
