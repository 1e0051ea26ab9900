/* scope.c - names, and a node from its inputs to its outputs.
 *
 * A subgraph sees the names around it (outer-scope capture); a function sees its parameters alone, and its body is put in place of the
 * call. */
#include "lib/frontend/import/importer.h"

void import_scope_init(Importer *run, ImportScope *scope, ImportScope *parent) {
  scope->parent = parent;
  scope->values = tcc_map_create(run->arena);
  scope->prefix = parent ? parent->prefix : "";
  scope->depth = parent ? parent->depth : 0;
}

bool import_scope_put(Importer *run, ImportScope *scope, TccStr name, ImportValue value) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(scope->values, name, &inserted);
  if (!inserted) return false;
  ImportValue *kept = TCC_NEW(run->arena, ImportValue);
  *kept = value;
  entry->pointer = kept;
  return true;
}

const ImportValue *import_scope_find(const ImportScope *scope, TccStr name) {
  for (; scope; scope = scope->parent) {
    const TccMapEntry *entry = tcc_map_find(scope->values, name);
    if (entry) return entry->pointer;
  }
  return NULL;
}

/* ---- nodes ---- */
bool import_call_goes_on(ImportCall *c) {
  TccLimit *limit = &c->ir->limit;
  char text[96];
  if (!limit->reached && tcc_limit_reached(limit))
    import_run_fail(c->importer, false, "'%.*s' (node \"%s%.*s\"): %s", TCC_STR_ARG(c->op), c->scope->prefix, TCC_STR_ARG(c->name),
                    tcc_limit_text(limit, text));
  if (limit->reached) c->reason = "";
  return !limit->reached;
}

void import_call_begin(ImportCall *c, size_t ninputs) {
  Importer *run = c->importer;
  TccStr name = c->name;
  if (c->scope->prefix[0]) name = tcc_str(tcc_arena_printf(run->arena, "%s%.*s", c->scope->prefix, TCC_STR_ARG(name)));
  c->ir = run->ir;
  c->b = run->b;
  c->b.location = import_location(run, name.length ? name : c->op);
  c->ninputs = ninputs;
  c->inputs = TCC_NEW_ARRAY(run->arena, ImportValue, ninputs + 1);
  c->outputs = TCC_NEW_ARRAY(run->arena, ImportValue, c->noutputs + 1);
  c->outer = run->call;
  run->call = c;
}

bool import_call_resolve(ImportCall *c, const TccStr *names) {
  bool poisoned = false;
  for (size_t i = 0; i < c->ninputs; i++) {
    if (!names[i].length) continue;
    const ImportValue *value = import_scope_find(c->scope, names[i]);
    if (!value) return import_invalid(c, "uses '%.*s', which is not defined before it", TCC_STR_ARG(names[i]));
    c->inputs[i] = *value;
    poisoned = poisoned || value->kind == IMPORT_POISON;
  }
  while (c->ninputs && c->inputs[c->ninputs - 1].kind == IMPORT_ABSENT) c->ninputs--;
  if (poisoned) c->reason = "";
  return !poisoned;
}

static void bind_outputs(ImportCall *c, bool ok) {
  for (size_t i = 0; i < c->noutputs; i++) {
    TccStr name = c->output_names[i];
    if (!name.length) continue;
    if (ok && c->outputs[i].kind == IMPORT_ABSENT && !c->outputs[i].is_meant && !c->reason) import_unsupported(c, "output %zu", i);
    ImportValue value = c->outputs[i];
    if (!ok || c->reason) value.kind = IMPORT_POISON;
    if (!import_scope_put(c->importer, c->scope, name, value)) {
      c->reason = NULL;
      import_invalid(c, "defines '%.*s' again", TCC_STR_ARG(name));
    }
  }
}

/* Results have sizes that their types can say. */
static bool has_sizes(ImportCall *c, bool ok) {
  bool too_large = tcc_expr_too_large(c->ir->exprs);
  for (size_t i = 0; ok && !too_large && i < c->noutputs; i++) {
    bool tensor = c->outputs[i].kind == IMPORT_TENSOR || c->outputs[i].kind == IMPORT_TEXT;
    if (!tensor || !c->outputs[i].tensor.ptr) continue;
    MlirType type = tcc_value_type(c->outputs[i].tensor);
    for (int axis = 0; axis < tcc_type_rank(type); axis++) too_large = too_large || !tcc_type_dim(c->ir, type, axis);
  }
  if (!too_large) return true;
  c->reason = c->importer->too_large ? "" : NULL; /* the first node says it */
  if (c->importer->too_large) return false;
  c->importer->too_large = true;
  return import_unsupported(c, "a size is an expression of too many terms");
}

void import_call_end(ImportCall *c, bool ok) {
  ok = has_sizes(c, ok) && ok;
  if (!ok && !c->reason) import_invalid(c, "cannot be imported");
  bind_outputs(c, ok);
  if (!c->importer->restart) import_problem(c);
  c->importer->call = c->outer;
}
