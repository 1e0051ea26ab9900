/* import.c - a .pt2 or the JSON of its graph, walked by what lib/frontend/import has: inputs, weights, nodes in their order, outputs.
 *
 * Parameters, buffers and constants are weights that stay in the archive; tied ones are one. Inputs of the user are main's arguments, numbers
 * with no axis, but for those that are sizes of tensors or constants. An argument that is written in place is an output that is tied to it; a
 * weight that is written is a state. Which weights are, the first walk finds out, if the signature does not say it: the graph is then walked
 * again. So it is where sizes of inputs turn out to be equal: an exporter gives caches of keys and values a size each. */
#include "lib/frontend/frontends.h"
#include "lib/frontend/torch/expr.h"
#include "lib/frontend/torch/import_complex.h"
#include "tcc/file.h"

static const TccTorchProgram *program_of(Importer *run) { return torch_import_of(run)->archive->program; }

/* ---- inputs ---- */
static bool name_number(Importer *run, TccStr name, TorchNumber number) {
  return torch_scope_put(run, torch_import_of(run)->scope, name, (TorchValue){.kind = TORCH_NUMBER, .number = number}) ||
         import_run_fail(run, false, "input '%.*s' is defined twice", TCC_STR_ARG(name));
}

/* An argument that is no tensor of torch's. */
static bool bind_scalar(Importer *run, TccStr name, TccElem elem, int rank, const TccExpr *size, MlirValue *out) {
  TorchImport *import = torch_import_of(run);
  ImportShape shape = {.elem = elem, .rank = rank};
  shape.dims[0] = size;
  if (!import_argument(run, &import->scope->names, name, &shape)) return false;
  *out = import_scope_find(&import->scope->names, name)->tensor;
  return true;
}

/* A size that no tensor has alone is an argument of one axis of that size, whose elements nobody reads. */
static bool is_own_size(Importer *run, const TccTorchValue *value, TccStr *out_symbol) {
  const TccExpr *e = NULL;
  TccStatus *status = tcc_torch_size_expr(run->ir->exprs, &value->size, &e);
  tcc_status_destroy(status);
  return !status && tcc_expr_is_symbol(e, out_symbol) && tcc_map_find(torch_import_of(run)->own_sizes, *out_symbol);
}

static bool bind_number(Importer *run, const TccTorchInput *input, size_t index) {
  TorchImport *import = torch_import_of(run);
  const TccStr name = input->arg.text;
  const TccTorchValue *value = tcc_torch_value(import->scope->graph, name);
  TorchNumber number = {.kind = TORCH_INTEGER};
  TccStr symbol;
  if (input->arg.kind != TCC_TORCH_SYM_INT) {
    const bool real = input->arg.kind == TCC_TORCH_SYM_FLOAT;
    number.kind = real ? TORCH_REAL : TORCH_FLAG;
    if (!bind_scalar(run, name, real ? TCC_ELEM_F64 : TCC_ELEM_BOOL, 0, NULL, &number.value)) return false;
    import->arguments[index] = (int64_t)run->arguments.count - 1;
    return name_number(run, name, number);
  }
  if (!value || value->kind != TCC_TORCH_VALUE_INT)
    return import_run_fail(run, true, "input '%.*s' is a number, and no size", TCC_STR_ARG(name));
  if (is_own_size(run, value, &symbol)) {
    MlirValue unread;
    number.size = import_parse_size(run, symbol);
    if (!bind_scalar(run, name, TCC_ELEM_BOOL, 1, number.size, &unread)) return false;
    import->arguments[index] = (int64_t)run->arguments.count - 1;
  } else if (!import_run_fail_status(run, torch_size_of(run, &value->size, &number.size))) {
    return false;
  }
  return name_number(run, name, number);
}

/* A size of an input that is a multiple of a symbol which no input has alone ("2*s0"): it is a symbol itself, of that name, and
 * s0 is what divides it. */
typedef struct {
  Importer *run;
  TccStr unknown; /* the only symbol that no input has alone */
  size_t count;
} Unknown;
static void find_unknown(TccStr name, void *user) {
  Unknown *u = user;
  if (tcc_map_find(u->run->params, name) || torch_named(torch_import_of(u->run)->symbols, name)) return;
  u->unknown = name;
  u->count++;
}

typedef struct {
  TccExprPool *pool;
  TccStr name;
  int64_t value;
} At;
static const TccExpr *value_at(TccStr name, void *user) {
  const At *at = user;
  return tcc_str_equal(name, at->name) ? tcc_expr_const(at->pool, at->value) : NULL;
}

static bool input_size(Importer *run, const TccTorchSize *size, const TccExpr **out) {
  TccExprPool *pool = run->ir->exprs;
  const TccExpr *e;
  Unknown unknown = {.run = run};
  if (!import_run_fail_status(run, tcc_torch_size_expr(pool, size, &e))) return false;
  tcc_expr_symbols(e, find_unknown, &unknown);
  if (!unknown.count) return import_run_fail_status(run, torch_size_of(run, size, out));
  At none = {pool, unknown.unknown, 0}, once = {pool, unknown.unknown, 1};
  const TccExpr *offset = torch_present(run, tcc_expr_substitute(pool, e, value_at, &none)),
                *factor = tcc_expr_sub(pool, torch_present(run, tcc_expr_substitute(pool, e, value_at, &once)), offset);
  if (unknown.count > 1 || !tcc_expr_is_const(factor, NULL))
    return import_run_fail(run, true, "no input has the sizes of '%s' alone", tcc_expr_text(pool, e));
  *out = import_parse_size(run, tcc_str(tcc_expr_text(pool, e)));
  const TccExpr *symbol = tcc_expr_call(pool, TCC_EXPR_FLOORDIV, tcc_expr_sub(pool, *out, offset), factor);
  tcc_map_put(torch_import_of(run)->symbols, unknown.unknown, NULL)->constant = symbol;
  if (torch_present(run, e) != *out) tcc_expr_assume_zero(pool, tcc_expr_sub(pool, torch_present(run, e), *out));
  return true;
}

/* What the graph reads of an argument whose last axis has the parts of complex numbers. */
static TorchTensor *complex_input(Importer *run, TccStr name, TorchTensor *pairs) {
  ImportCall c = {.importer = run, .scope = &torch_import_of(run)->scope->names, .op = tcc_str("input"), .name = name};
  import_call_begin(&c, 0);
  TorchTensor *z = torch_complex_from_pairs(&c, pairs);
  import_call_end(&c, z != NULL);
  return z;
}

static bool bind_input(Importer *run, const TccTorchInput *input, size_t index) {
  TorchImport *import = torch_import_of(run);
  TccStr name = input->arg.text;
  if (input->arg.kind == TCC_TORCH_SYM_INT || input->arg.kind == TCC_TORCH_SYM_FLOAT || input->arg.kind == TCC_TORCH_SYM_BOOL)
    return bind_number(run, input, index);
  if (input->arg.kind != TCC_TORCH_TENSOR) return true; /* a constant, which nodes have where they use it */
  const TccTorchMeta *meta = torch_meta(import->scope, name);
  if (!meta) return import_run_fail(run, false, "input '%.*s' is not described", TCC_STR_ARG(name));
  const TccElem part = torch_complex_part(meta);
  if (!meta->elem && !part)
    return import_run_fail(run, true, "input '%.*s' has element type %s", TCC_STR_ARG(name), tcc_torch_type_name(meta->type));
  ImportShape shape = {.elem = part ? part : meta->elem, .rank = (int)meta->rank + (part ? 1 : 0)};
  if (meta->rank + (part ? 1 : 0) > TCC_MAX_RANK)
    return import_run_fail(run, true, "input '%.*s' has rank %zu", TCC_STR_ARG(name), meta->rank);
  for (size_t i = 0; i < meta->rank; i++)
    if (!input_size(run, &meta->sizes[i], &shape.dims[i])) return false;
  if (part) shape.dims[meta->rank] = tcc_expr_const(run->ir->exprs, 2);
  if (!import_argument(run, &import->scope->names, name, &shape)) return false;
  TorchTensor *t = TCC_NEW(run->arena, TorchTensor);
  t->value = import_scope_find(&import->scope->names, name)->tensor;
  import->inputs[index] = t;
  import->arguments[index] = (int64_t)run->arguments.count - 1;
  if (part && !(t = complex_input(run, name, t))) return false;
  torch_scope_put(run, import->scope, name, (TorchValue){.kind = TORCH_TENSOR, .tensor = t});
  return true;
}

static bool all_known(Importer *run, const TccExpr *e) {
  Unknown unknown = {.run = run};
  tcc_expr_symbols(e, find_unknown, &unknown);
  return !unknown.count;
}

/* What guards and ranges say: equations are known from now on, all else is checked when sizes are bound. What is said of sizes that only data
 * decide (u0) waits until nodes have made these; what of a number that no size became waits for good. */
static bool bind_constraints(Importer *run) {
  TccTorchConstraints *found = &torch_import_of(run)->constraints;
  size_t late = 0;
  if (found->nunknown)
    return import_run_fail(run, true, "'%.*s' is not understood: %s", TCC_STR_ARG(found->unknown[0]), found->reasons[0]);
  for (size_t i = 0; i < found->count; i++) {
    const TccTorchConstraint *c = &found->constraints[i];
    if (!all_known(run, c->expr)) {
      found->constraints[late++] = *c;
      continue;
    }
    ImportCall asker = {.importer = run, .op = tcc_str("guard"), .name = c->text};
    run->call = &asker;
    const TccExpr *e = torch_present(run, c->expr);
    if (c->equal) tcc_expr_assume_zero(run->ir->exprs, e);
    else import_constrain(run, e);
    run->call = NULL;
  }
  found->count = late;
  return true;
}

bool torch_is_argument(const Importer *run, const TccTorchInput *input) {
  const TorchImport *import = torch_import_of((Importer *)run);
  bool weight = input->kind == TCC_TORCH_INPUT_PARAMETER || input->kind == TCC_TORCH_INPUT_BUFFER ||
                input->kind == TCC_TORCH_INPUT_CONSTANT_TENSOR;
  return input->kind == TCC_TORCH_INPUT_USER || (weight && import->archive->nweights == 0 && !run->options->weights);
}

/* What the graph reads of an argument with an axis that guards say is of size 1: a view whose size is that number. */
static bool show_ones(Importer *run, TccStr name, TorchValue *read) {
  const TccExpr *one = tcc_expr_const(run->ir->exprs, 1);
  ImportCall c = {.importer = run, .scope = &torch_import_of(run)->scope->names, .op = tcc_str("input"), .name = name};
  import_call_begin(&c, 0);
  ImportShape shape = import_shape(&c, read->tensor->value);
  bool hidden = false;
  for (int i = 0; i < shape.rank; i++) {
    if (tcc_expr_is_const(shape.dims[i], NULL) || !tcc_expr_known_equal(shape.dims[i], one)) continue;
    shape.dims[i] = one;
    hidden = true;
  }
  TorchTensor *view = hidden ? torch_view_reshape(&c, read->tensor, shape.rank, shape.dims) : read->tensor;
  if (view) read->tensor = view;
  import_call_end(&c, view != NULL);
  return view != NULL;
}

static bool bind_inputs(Importer *run) {
  TorchImport *import = torch_import_of(run);
  const TccTorchProgram *program = program_of(run);
  import->scope = torch_scope_create(run, program->graph, NULL);
  import->weights = tcc_map_create(run->arena);
  import->symbols = tcc_map_create(run->arena);
  import->numbers = tcc_map_create(run->arena);
  import->named.count = 0;
  import->regions = tcc_map_create(run->arena);
  import->inputs = TCC_NEW_ARRAY(run->arena, TorchTensor *, program->ninputs + 1);
  import->arguments = TCC_NEW_ARRAY(run->arena, int64_t, program->ninputs + 1);
  import->stored = TCC_NEW_ARRAY(run->arena, TorchTensor *, program->ninputs + 1);
  import->states = TCC_NEW_ARRAY(run->arena, MlirValue, program->ninputs + 1);
  import->next = TCC_NEW_ARRAY(run->arena, TorchTensor *, program->ninputs + 1);
  for (size_t i = 0; i < program->ninputs; i++) {
    import->arguments[i] = -1;
    if (torch_is_argument(run, &program->inputs[i]) && !bind_input(run, &program->inputs[i], i)) return false;
  }
  tcc_torch_constraints(run->arena, run->ir->exprs, program, &import->constraints);
  if (!bind_constraints(run) || !import_join_sizes(run)) return false;
  for (size_t i = 0; i < program->ninputs; i++) {
    TorchValue *read = import->inputs[i] ? tcc_map_find(import->scope->values, program->inputs[i].arg.text)->pointer : NULL;
    if (read && !read->tensor->imaginary && !show_ones(run, program->inputs[i].arg.text, read)) return false;
  }
  return true;
}

/* ---- weights ---- */
static MlirValue build_weight(ImportCall *c, const TccTorchWeight *weight, ImportRole role) {
  const TccTorchArchive *archive = torch_import_of(c->importer)->archive;
  const TccElem part = torch_complex_part(&weight->meta), elem = part ? part : weight->meta.elem;
  const size_t rank = weight->meta.rank, parts = part ? 2 : 1; /* complex numbers are a last axis of two */
  int64_t dims[TCC_MAX_RANK], strides[TCC_MAX_RANK], reach = 1;
  if (rank + parts - 1 > TCC_MAX_RANK) {
    import_unsupported(c, "a weight of rank %zu", weight->meta.rank);
    return (MlirValue){NULL};
  }
  if (!elem) {
    import_unsupported(c, "element type %s", tcc_torch_type_name(weight->meta.type));
    return (MlirValue){NULL};
  }
  for (size_t i = 0; i < weight->meta.rank; i++) {
    dims[i] = weight->meta.sizes[i].value;
    strides[i] = weight->meta.strides[i].value;
    reach = dims[i] ? reach + (dims[i] - 1) * strides[i] : 0;
    if (!reach) break;
  }
  for (size_t i = 0; i < rank; i++)
    dims[i] = weight->meta.sizes[i].value, strides[i] = (int64_t)parts * weight->meta.strides[i].value;
  if (part) dims[rank] = 2, strides[rank] = 1;
  ImportTensor form = {.elem = elem, .rank = (int)(rank + parts - 1), .dims = dims, .strides = strides, .role = role};
  if (weight->row_major) form.strides = NULL;
  size_t width = parts * tcc_elem_bytes(elem, 1), length = (weight->count ? (size_t)reach : 0) * width;
  uint64_t offset = (uint64_t)weight->meta.offset.value * width;
  TccSourcePlace place = {.file = -1, .length = length, .offset = offset};
  if (weight->storage->stored) {
    if (!import_fail_status(
            c, tcc_sources_place(c->importer->sources, 0, weight->storage->offset + (weight->count ? offset : 0), length, &place)))
      return (MlirValue){NULL};
  } else {
    if (!import_fail_status(c, tcc_torch_weight_data(archive, weight, false, c->importer->arena, &place.decoded)))
      return (MlirValue){NULL};
  }
  return import_weight(c, &form, weight->name, &place);
}

/* Weights of the same bytes and form are one; those of one storage and another form are views of what cannot be seen, and not written. */
static TorchTensor *find_weight(ImportCall *c, const TccTorchWeight *weight, ImportRole role) {
  TorchImport *import = torch_import_of(c->importer);
  TccText key = {0};
  tcc_text_printf(&key, "%p %lld %lld", (void *)weight->storage, (long long)weight->meta.type,
                  (long long)weight->meta.offset.value);
  for (size_t i = 0; i < weight->meta.rank; i++)
    tcc_text_printf(&key, " %lld:%lld", (long long)weight->meta.sizes[i].value, (long long)weight->meta.strides[i].value);
  bool inserted, shared;
  TccMapEntry *entry = tcc_map_put(import->weights, tcc_text_str(&key), &inserted);
  tcc_text_destroy(&key);
  if (!inserted) return entry->pointer;
  TorchTensor *t = torch_tensor_make(c, build_weight(c, weight, role));
  entry->pointer = t;
  const void *storage = weight->storage;
  TccMapEntry *other = tcc_map_put(import->weights, tcc_key_pointer(&storage), &shared);
  static const char why[] = "writes to a weight that shares its storage with another";
  if (!shared) {
    if (other->pointer) ((TorchTensor *)other->pointer)->fixed = why;
    if (t) t->fixed = why;
  } else {
    other->pointer = t;
  }
  return t;
}

static ImportRole role_of(const TccTorchInput *input) {
  return input->kind == TCC_TORCH_INPUT_PARAMETER ? IMPORT_PARAMETER
         : input->kind == TCC_TORCH_INPUT_BUFFER  ? IMPORT_BUFFER
                                                  : IMPORT_CONSTANT;
}

/* Replacements at one place are one weight; nothing else has their bytes. */
static TorchTensor *find_replacement(ImportCall *c, const TccTorchInput *input, const TccSourcePlace *place) {
  const TccTorchMeta *meta = &tcc_torch_value(program_of(c->importer)->graph, input->arg.text)->meta;
  const uint64_t key[] = {(uint64_t)place->file, place->offset, place->length};
  bool inserted;
  TccMapEntry *entry =
      tcc_map_put(torch_import_of(c->importer)->weights,
                  tcc_str(tcc_arena_printf(c->importer->arena, "replaced %llu %llu %llu", (unsigned long long)key[0],
                                           (unsigned long long)key[1], (unsigned long long)key[2])),
                  &inserted);
  if (!inserted) return entry->pointer;
  int64_t dims[TCC_MAX_RANK];
  for (size_t i = 0; i < meta->rank; i++) dims[i] = meta->sizes[i].value;
  ImportTensor form = {.elem = meta->elem, .rank = (int)meta->rank, .dims = dims, .role = role_of(input)};
  entry->pointer = torch_tensor_make(c, import_weight(c, &form, input->target, place));
  return entry->pointer;
}

static TorchTensor *own_weight(ImportCall *c, const TccTorchInput *input) {
  const TccTorchWeight *weight = tcc_torch_weight(torch_import_of(c->importer)->archive, input->target);
  if (weight) return find_weight(c, weight, role_of(input));
  import_unsupported(c, "neither the archive nor --weights has this weight");
  return NULL;
}

static void weight_import(Importer *run, const TccTorchInput *input, size_t index) {
  TorchImport *import = torch_import_of(run);
  if (input->arg.kind != TCC_TORCH_TENSOR) return;
  ImportCall c = {.importer = run, .scope = &import->scope->names, .op = tcc_str("weight"), .name = input->target};
  import_call_begin(&c, 0);
  const TccSourcePlace *other = import_replacement(run, input->target);
  TorchTensor *t = other ? find_replacement(&c, input, other) : own_weight(&c, input);
  if (t && import->written[index]) t = torch_state_begin(&c, input->target, index, t);
  import->inputs[index] = t;
  if (torch_complex_part(torch_meta(import->scope, input->arg.text))) t = torch_complex_from_pairs(&c, t);
  TorchValue value = t ? (TorchValue){.kind = TORCH_TENSOR, .tensor = t} : (TorchValue){.kind = TORCH_POISON};
  if (!torch_scope_put(run, import->scope, input->arg.text, value))
    import_invalid(&c, "'%.*s' is defined twice", TCC_STR_ARG(input->arg.text));
  import_call_end(&c, t != NULL);
}

static void walk_nodes(Importer *run) {
  const TccTorchProgram *program = program_of(run);
  for (size_t i = 0; i < program->ninputs; i++)
    if (!torch_is_argument(run, &program->inputs[i])) weight_import(run, &program->inputs[i], i);
  torch_graph_import(run, torch_import_of(run)->scope);
}

/* ---- outputs ---- */
static MlirNamedAttribute named(Importer *run, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(run->ir->context, mlirStringRefCreateFromCString(name)), value);
}

/* The last result is written in place of an argument. */
static void tie(Importer *run, int64_t argument) {
  MlirAttribute *attrs = &run->result_attrs.data[run->result_attrs.count - 1];
  MlirNamedAttribute both[] = {
      named(run, "tcc.name", mlirDictionaryAttrGetElementByName(*attrs, mlirStringRefCreateFromCString("tcc.name"))),
      named(run, "tcc.tied", tcc_attr_i64(run->ir, argument))};
  *attrs = mlirDictionaryAttrGet(run->ir->context, 2, both);
}

static bool put_result(ImportCall *c, TccStr name, TorchTensor *t, bool *tied) {
  TorchImport *import = torch_import_of(c->importer);
  t = torch_complex_pairs(c, t);
  MlirValue value = torch_behind_assertions(c, import->scope, torch_read(c, t));
  ImportValue result = {.kind = IMPORT_TENSOR, .tensor = value};
  if (!value.ptr || !import_result(c->importer, name, &result)) return false;
  while (t->of && t->step == TORCH_ALIAS) t = t->of;
  for (size_t i = 0; i < program_of(c->importer)->ninputs; i++)
    if (!t->of && t->version && import->inputs[i] == t && import->arguments[i] >= 0 && !tied[i]) {
      tie(c->importer, import->arguments[i]);
      tied[i] = true;
    }
  return true;
}

static bool put_output(ImportCall *c, const TccTorchOutput *output, bool *tied) {
  if (output->arg.kind == TCC_TORCH_NONE) return true;
  const TorchValue *value = torch_value(c, &output->arg);
  if (!value) return c->reason && *c->reason ? import_run_fail(c->importer, c->is_unsupported, "an output %s", c->reason) : false;
  TccStr name = output->arg.text;
  if (value->kind == TORCH_TENSOR) return put_result(c, name, value->tensor, tied);
  if (value->kind != TORCH_NUMBER || value->number.holds) return import_run_fail(c->importer, true, "an output that is no tensor");
  if (output->arg.kind != TCC_TORCH_SYM_INT) return true; /* a constant, which the caller has */
  MlirValue number = value->number.size ? tcc_build_size(&c->b, value->number.size) : value->number.value;
  return put_result(c, name, torch_tensor_make(c, number), tied);
}

/* What a functional graph gives for a buffer or an input that the model writes. */
static bool put_mutation(ImportCall *c, const TccTorchOutput *output, bool *tied) {
  Importer *run = c->importer;
  const TorchValue *value = torch_value(c, &output->arg);
  bool input = output->kind == TCC_TORCH_OUTPUT_USER_INPUT_MUTATION;
  if (!value) return c->reason && *c->reason ? import_run_fail(run, c->is_unsupported, "an output %s", c->reason) : false;
  if (value->kind != TORCH_TENSOR) return import_run_fail(run, true, "an output that is no tensor");
  if (torch_state_becomes(c, output, torch_complex_pairs(c, value->tensor))) return true;
  if (!put_result(c, output->target.length && !input ? output->target : output->arg.text, value->tensor, tied)) return false;
  for (size_t i = 0; input && i < program_of(run)->ninputs; i++)
    if (tcc_str_equal(program_of(run)->inputs[i].arg.text, output->target) && torch_import_of(run)->arguments[i] >= 0 && !tied[i]) {
      tie(run, torch_import_of(run)->arguments[i]);
      tied[i] = true;
    }
  return true;
}

/* Arguments that were written and are no output yet; for training weights, too. */
static bool put_written(ImportCall *c, bool *tied) {
  TorchImport *import = torch_import_of(c->importer);
  const TccTorchProgram *program = program_of(c->importer);
  for (size_t i = 0; i < program->ninputs; i++) {
    TorchTensor *t = import->inputs[i];
    if (!t || t->of || !t->version || tied[i] || import->stored[i]) continue;
    TccStr name = program->inputs[i].target.length ? program->inputs[i].target : program->inputs[i].arg.text;
    if (!put_result(c, name, t, tied)) return false;
  }
  return true;
}

/* With the option freeze: parameters that are arguments, and are not written, are static. */
static void mark_static(Importer *run, const bool *tied) {
  TorchImport *import = torch_import_of(run);
  const TccTorchProgram *program = program_of(run);
  for (size_t i = 0; i < program->ninputs; i++) {
    if (import->arguments[i] < 0 || tied[i] || program->inputs[i].kind == TCC_TORCH_INPUT_USER) continue;
    MlirAttribute *attrs = &run->argument_attrs.data[import->arguments[i]];
    MlirNamedAttribute both[] = {
        named(run, "tcc.name", mlirDictionaryAttrGetElementByName(*attrs, mlirStringRefCreateFromCString("tcc.name"))),
        named(run, "tcc.static", mlirUnitAttrGet(run->ir->context))};
    *attrs = mlirDictionaryAttrGet(run->ir->context, 2, both);
  }
}

static bool is_user(const TccTorchOutput *output) {
  return output->kind == TCC_TORCH_OUTPUT_USER || output->kind == TCC_TORCH_OUTPUT_LOSS;
}

static bool bind_outputs(Importer *run) {
  TorchImport *import = torch_import_of(run);
  const TccTorchProgram *program = program_of(run);
  TorchCall call = {.call = {.importer = run, .scope = &import->scope->names, .op = tcc_str("output")}, .scope = import->scope};
  bool *tied = TCC_NEW_ARRAY(run->arena, bool, program->ninputs + 1);
  static const TccTorchNode nothing;
  call.node = &nothing;
  import_call_begin(&call.call, 0);
  bool ok = true;
  for (size_t i = 0; ok && i < program->noutputs; i++)
    if (is_user(&program->outputs[i])) ok = put_output(&call.call, &program->outputs[i], tied);
  for (size_t i = 0; ok && i < program->noutputs; i++)
    if (!is_user(&program->outputs[i]) && program->outputs[i].kind != TCC_TORCH_OUTPUT_TOKEN) /* which orders effects alone */
      ok = put_mutation(&call.call, &program->outputs[i], tied);
  ok = ok && torch_states_found(run) && import_join_sizes(run) && put_written(&call.call, tied) && torch_states_end(&call.call);
  if (ok && run->options->freeze) mark_static(run, tied);
  run->call = NULL;
  ok = ok && bind_constraints(run);
  if (ok && import->scope->assertions.count)
    return import_run_fail(run, true, "an assertion in a graph whose outputs are states alone");
  if (ok && !run->results.count) return import_run_fail(run, false, "the graph has no output");
  return ok;
}

/* ---- the file ---- */
/* Sizes that are inputs, and that no axis of an input is. */
static bool declare_own_sizes(Importer *run) {
  const TccTorchProgram *program = program_of(run);
  for (size_t i = 0; i < program->ninputs; i++) {
    const TccTorchInput *input = &program->inputs[i];
    const TccTorchValue *value = input->arg.kind == TCC_TORCH_SYM_INT ? tcc_torch_value(program->graph, input->arg.text) : NULL;
    const TccExpr *e;
    TccStr name;
    if (!value || value->kind != TCC_TORCH_VALUE_INT) continue;
    if (!import_run_fail_status(run, tcc_torch_size_expr(run->ir->exprs, &value->size, &e))) return false;
    if (!tcc_expr_is_symbol(e, &name) || tcc_map_find(run->params, name)) continue;
    import_declare_size(run, name);
    tcc_map_put(torch_import_of(run)->own_sizes, name, NULL);
  }
  return true;
}

/* The sizes that an expression may refer to: those that an axis of an input is. */
static bool declare_sizes(Importer *run) {
  const TccTorchProgram *program = program_of(run);
  for (size_t i = 0; i < program->ninputs; i++) {
    const TccTorchInput *input = &program->inputs[i];
    const TccTorchValue *value = torch_is_argument(run, input) ? tcc_torch_value(program->graph, input->arg.text) : NULL;
    for (size_t k = 0; value && value->kind == TCC_TORCH_VALUE_TENSOR && k < value->meta.rank; k++) {
      const TccExpr *e;
      TccStr name;
      if (!import_run_fail_status(run, tcc_torch_size_expr(run->ir->exprs, &value->meta.sizes[k], &e))) return false;
      if (tcc_expr_is_symbol(e, &name)) import_declare_size(run, name);
    }
  }
  return declare_own_sizes(run);
}

/* Nodes of a graph and of those in it, each as often as it is called; calls: counts them. */
static size_t count_nodes(const TccTorchGraph *graph, TccMap *calls) {
  size_t all = graph->nnodes;
  for (size_t i = 0; i < graph->nnodes; i++)
    for (size_t k = 0; k < graph->nodes[i].ninputs; k++) {
      const TccTorchArg *a = &graph->nodes[i].inputs[k].arg;
      if (a->kind != TCC_TORCH_GRAPH) continue;
      const void *key = a->graph.graph;
      tcc_map_put(calls, tcc_key_pointer(&key), NULL)->integer++;
      all += count_nodes(a->graph.graph, calls);
    }
  return all;
}

static bool check_signature(Importer *run) {
  const TccTorchProgram *program = program_of(run);
  for (size_t i = 0; i < program->ninputs; i++) {
    const TccTorchInput *input = &program->inputs[i];
    if (input->kind == TCC_TORCH_INPUT_UNKNOWN)
      return import_run_fail(run, true, "an input that is %.*s", TCC_STR_ARG(input->arg.text));
    if (input->kind == TCC_TORCH_INPUT_CUSTOM_OBJ) return import_run_fail(run, true, "an input that is a custom object");
  }
  for (size_t i = 0; i < program->noutputs; i++)
    if (program->outputs[i].kind == TCC_TORCH_OUTPUT_UNKNOWN)
      return import_run_fail(run, true, "an output that is %.*s", TCC_STR_ARG(program->outputs[i].arg.text));
  return true;
}

static bool read_model(Importer *run) {
  TorchImport *import = torch_import_of(run);
  const TccFileMap *file = tcc_sources_file(run->sources, 0);
  TccStatus *status = tcc_torch_archive_read(run->arena, (TccStr){file->data, file->length}, run->file, &import->archive);
  if (!import_run_fail_status(run, status)) return false;
  import->calls = tcc_map_create(run->arena);
  run->expanded_nodes = 50000 + 66 * count_nodes(program_of(run)->graph, import->calls);
  import->sizes = tcc_map_create(run->arena);
  import->own_sizes = tcc_map_create(run->arena);
  torch_states_declared(run);
  return check_signature(run) && declare_sizes(run);
}

/* ---- weights from other files ---- */
/* Whether a state dict has it: parameters and persistent buffers. */
static bool is_state(const TccTorchInput *input) {
  return input->kind == TCC_TORCH_INPUT_PARAMETER || (input->kind == TCC_TORCH_INPUT_BUFFER && input->persistent);
}

static TccStr shared_key(Importer *run, const TccTorchWeight *weight) {
  if (!weight) return tcc_str("");
  return tcc_str(
      tcc_arena_printf(run->arena, "%p %lld %zu", (void *)weight->storage, (long long)weight->meta.offset.value, weight->count));
}

static bool replaceable(Importer *run, const TccTorchInput *input, const TccTorchMeta *meta, ImportReplaceable *out) {
  int64_t *dims = TCC_NEW_ARRAY(run->arena, int64_t, meta->rank + 1);
  const TccTorchArchive *archive = torch_import_of(run)->archive;
  for (size_t i = 0; i < meta->rank; i++) {
    if (meta->sizes[i].text.length || meta->sizes[i].value < 0)
      return import_run_fail(run, true, "weight '%.*s' has a size that is no constant", TCC_STR_ARG(input->target));
    dims[i] = meta->sizes[i].value;
  }
  if (meta->rank > TCC_MAX_RANK) return import_run_fail(run, true, "a weight of rank %zu", meta->rank);
  if (!meta->elem)
    return import_run_fail(run, true, "weight '%.*s' of type %s, in another file", TCC_STR_ARG(input->target),
                           tcc_torch_type_name(meta->type));
  *out = (ImportReplaceable){.name = input->target,
                             .shared = shared_key(run, tcc_torch_weight(archive, input->target)),
                             .elem = meta->elem,
                             .rank = meta->rank,
                             .dims = dims,
                             .optional = !is_state(input)};
  return true;
}

static bool replace_weights(Importer *run) {
  const TccTorchProgram *program = program_of(run);
  ImportReplaceable *weights = TCC_NEW_ARRAY(run->arena, ImportReplaceable, program->ninputs + 1);
  size_t count = 0;
  for (size_t i = 0; i < program->ninputs; i++) {
    const TccTorchInput *input = &program->inputs[i];
    if (torch_is_argument(run, input) || input->arg.kind != TCC_TORCH_TENSOR) continue;
    const TccTorchValue *value = tcc_torch_value(program->graph, input->arg.text);
    if (!value || value->kind != TCC_TORCH_VALUE_TENSOR)
      return import_run_fail(run, false, "weight '%.*s' is no tensor", TCC_STR_ARG(input->target));
    if (!replaceable(run, input, &value->meta, &weights[count++])) return false;
  }
  return import_replace_weights(run, weights, count);
}

MlirOperation torch_import(TccIr *ir, const char *path, const TccImportOptions *options, TccImportOutcome *out_outcome) {
  static const ImportWalk walk = {bind_inputs, walk_nodes, bind_outputs};
  TorchImport import = {0};
  bool ok = import_begin(&import.run, ir, path, options) && read_model(&import.run) &&
            (!import.run.options->weights || replace_weights(&import.run));
  return import_end(&import.run, ok ? &walk : NULL, out_outcome);
}
