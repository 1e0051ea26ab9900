/* inputs.c - arguments and results of main: sizes of inputs as symbols, data and sizes that the caller gave.
 *
 * A size is a constant, a symbol that the model names, an expression of such symbols, or a symbol that is made for it. The caller may give
 * sizes (dims) and data of inputs; an input whose values decide a shape is specialised: its data is a constant from then on. */
#include "lib/frontend/import/importer.h"
#include <stdlib.h>

static MlirStringRef ref(const char *text) { return mlirStringRefCreateFromCString(text); }

/* ---- sizes of inputs ---- */
static const TccExpr *override_symbol(TccStr name, void *user) {
  Importer *run = user;
  tcc_map_put(run->sizes, name, NULL);
  for (size_t i = 0; i < run->options->ndims; i++)
    if (tcc_str_equal(run->options->dims[i].name, name)) return tcc_expr_const(run->ir->exprs, run->options->dims[i].value);
  const TccMapEntry *fixed = tcc_map_find(run->fixed, name), *joined = tcc_map_find(run->joined, name);
  if (fixed || !joined) return fixed ? tcc_expr_const(run->ir->exprs, fixed->integer) : NULL;
  TccStr first = tcc_map_at(run->sizes, (size_t)joined->integer)->key;
  const TccExpr *value = override_symbol(first, run);
  return value ? value : tcc_expr_symbol(run->ir->exprs, first);
}

/* The place in run->sizes of the size that stands for e now; negative if e is no size of an input. */
static int64_t size_at(const Importer *run, const TccExpr *e) {
  TccStr name;
  const TccMapEntry *entry = tcc_expr_is_symbol(e, &name) ? tcc_map_find(run->sizes, name) : NULL, *joined;
  while (entry && (joined = tcc_map_find(run->joined, entry->key))) entry = tcc_map_at(run->sizes, (size_t)joined->integer);
  return entry ? entry - tcc_map_at(run->sizes, 0) : -1;
}

bool import_join_sizes(Importer *run) {
  size_t count;
  const TccExpr *const *zeros = tcc_expr_assumptions(run->ir->exprs, &count), *left, *right;
  for (size_t i = 0; i < count; i++) {
    tcc_expr_sides(run->ir->exprs, zeros[i], &left, &right);
    int64_t a = size_at(run, left), b = size_at(run, right);
    if (a < 0 || b < 0 || a == b) continue;
    tcc_map_put(run->joined, tcc_map_at(run->sizes, (size_t)(a > b ? a : b))->key, NULL)->integer = a < b ? a : b;
    run->restart = true;
  }
  return !run->restart;
}

typedef struct {
  const TccMap *params;
  bool all_known;
} Lookup;
static void note_unknown(TccStr name, void *user) {
  Lookup *lookup = user;
  if (!tcc_map_find(lookup->params, name)) lookup->all_known = false;
}

/* A symbol for a size without a name, the same in each walk: what one walk fixes must mean something in the next. */
static const TccExpr *unnamed_size(Importer *run, TccStr input, size_t axis) {
  bool inserted;
  const char *key = tcc_arena_printf(run->arena, "%.*s %zu", TCC_STR_ARG(input), axis);
  TccMapEntry *entry = tcc_map_put(run->unnamed, tcc_str(key), &inserted);
  if (inserted) entry->constant = tcc_expr_fresh(run->ir->exprs, "d");
  TccStr name;
  const TccExpr *value = tcc_expr_is_symbol(entry->constant, &name) ? override_symbol(name, run) : NULL;
  return value ? value : entry->constant;
}

static bool is_plain_name(TccStr name) {
  bool plain = name.length > 0;
  for (size_t n = 0; plain && n < name.length; n++) {
    char ch = name.data[n];
    plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || (n && ch >= '0' && ch <= '9');
  }
  return plain;
}

void import_declare_size(Importer *run, TccStr name) {
  if (is_plain_name(name)) tcc_map_put(run->params, name, NULL);
}

const TccExpr *import_parse_size(Importer *run, TccStr text) {
  const TccExpr *expr = tcc_expr_symbol(run->ir->exprs, text), *parsed = NULL;
  if (!tcc_map_find(run->params, text)) {
    TccStatus *status = tcc_expr_parse(run->ir->exprs, text, &parsed);
    tcc_status_destroy(status);
    if (!status) {
      Lookup lookup = {run->params, true};
      tcc_expr_symbols(parsed, note_unknown, &lookup);
      if (lookup.all_known) expr = parsed;
    }
  }
  return tcc_expr_substitute(run->ir->exprs, expr, override_symbol, run);
}

const TccHostTensor *import_given_data(const Importer *run, TccStr name) {
  for (size_t i = 0; i < run->options->ninputs; i++) {
    TccStr given = run->options->inputs[i].name;
    size_t number = given.length && given.data[0] == '#' ? strtoul(given.data + 1, NULL, 10) : i;
    if ((!given.length || given.data[0] == '#') && number < run->arguments.count) given = run->arguments.data[number];
    if (tcc_str_equal(given, name)) return run->options->inputs[i].tensor;
  }
  return NULL;
}

/* ---- arguments ---- */
static bool argument_type(Importer *run, TccStr name, const ImportShape *shape, MlirType *out) {
  const TccHostTensor *data = import_given_data(run, name);
  bool constant = tcc_map_find(run->specialised, name) != NULL;
  if (constant || (shape->rank < 0 && data)) {
    if (data->elem != shape->elem)
      return import_run_fail(run, false, "the data of input '%.*s' has element type %s, expected %s", TCC_STR_ARG(name),
                             tcc_elem_name(data->elem), tcc_elem_name(shape->elem));
    *out = tcc_tensor_type_static(run->ir, data->elem, data->rank, data->dims);
    return true;
  }
  if (shape->rank < 0) return import_run_fail(run, true, "input '%.*s' has no rank", TCC_STR_ARG(name));
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < shape->rank; i++) dims[i] = shape->dims[i] ? shape->dims[i] : unnamed_size(run, name, (size_t)i);
  *out = tcc_tensor_type(run->ir, shape->elem, shape->rank, dims);
  return !mlirTypeIsNull(*out) || import_run_fail(run, false, "input '%.*s' has a negative size", TCC_STR_ARG(name));
}

static MlirNamedAttribute named(Importer *run, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(run->ir->context, ref(name)), value);
}

static MlirAttribute argument_attrs(Importer *run, TccStr name, MlirAttribute data) {
  MlirNamedAttribute attrs[2];
  attrs[0] = named(run, "tcc.name", tcc_attr_str(run->ir, name));
  if (!mlirAttributeIsNull(data)) attrs[1] = named(run, "tcc.specialised", data);
  return mlirDictionaryAttrGet(run->ir->context, mlirAttributeIsNull(data) ? 1 : 2, attrs);
}

bool import_argument_value(Importer *run, TccStr name, const ImportShape *shape, ImportValue *out) {
  MlirType type;
  TCC_VEC_PUSH(run->arena, &run->arguments, name);
  if (!argument_type(run, name, shape, &type)) return false;
  run->b.location = import_location(run, name);
  MlirAttribute data = mlirAttributeGetNull();
  ImportValue value = {.kind = IMPORT_TENSOR, .tensor = mlirBlockAddArgument(run->b.block, type, run->b.location)};
  if (tcc_map_find(run->specialised, name)) {
    const TccHostTensor *host = import_given_data(run, name);
    value.tensor = tcc_build_constant(&run->b, host->elem, host->rank, host->dims, host->data);
    if (!value.tensor.ptr) return false;
    data = mlirOperationGetAttributeByName(tcc_value_op(value.tensor), ref("value"));
  }
  MlirAttribute attrs = argument_attrs(run, name, data);
  TCC_VEC_PUSH(run->arena, &run->argument_attrs, attrs);
  *out = value;
  return true;
}

bool import_bind_argument(Importer *run, ImportScope *scope, TccStr name, ImportValue value) {
  return import_scope_put(run, scope, name, value) ||
         import_run_fail(run, false, "input '%.*s' is defined twice", TCC_STR_ARG(name));
}

bool import_argument(Importer *run, ImportScope *scope, TccStr name, const ImportShape *shape) {
  ImportValue value;
  return import_argument_value(run, name, shape, &value) && import_bind_argument(run, scope, name, value);
}

/* ---- lists ---- */
bool import_list_length(Importer *run, TccStr name, size_t number, size_t *out) {
  const TccSize *told[] = {run->options->dims, run->options->hints};
  const size_t counts[] = {run->options->ndims, run->options->nhints};
  const char *place = tcc_arena_printf(run->arena, "#%zu", number);
  tcc_map_put(run->sizes, name, NULL);
  tcc_map_put(run->sizes, tcc_str(place), NULL);
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < counts[k]; i++) {
      if (!tcc_str_equal(told[k][i].name, name) && !tcc_str_is(told[k][i].name, place)) continue;
      if (told[k][i].value < 0 || told[k][i].value > IMPORT_MOST_ITEMS)
        return import_run_fail(run, true, "input '%.*s' has %lld tensors: at most %d", TCC_STR_ARG(name),
                               (long long)told[k][i].value, IMPORT_MOST_ITEMS);
      *out = (size_t)told[k][i].value;
      return true;
    }
  return import_run_fail(run, true,
                         "input '%.*s' is a list of tensors, whose length is compiled in: give its data, or --dim %.*s=N",
                         TCC_STR_ARG(name), TCC_STR_ARG(name));
}

bool import_hidden_argument(Importer *run, const char *name, TccElem elem, MlirValue *out) {
  for (size_t i = 0; i < run->arguments.count; i++)
    if (tcc_str_is(run->arguments.data[i], name))
      return import_run_fail(run, false, "'%s' is a name of tcc's own for an input", name);
  MlirAttribute attrs = argument_attrs(run, tcc_str(name), mlirAttributeGetNull());
  TCC_VEC_PUSH(run->arena, &run->arguments, tcc_str(name));
  TCC_VEC_PUSH(run->arena, &run->argument_attrs, attrs);
  size_t place = run->arguments.count - 1 - run->states; /* states stay the last */
  for (size_t i = run->arguments.count - 1; i > place; i--) {
    run->arguments.data[i] = run->arguments.data[i - 1];
    run->argument_attrs.data[i] = run->argument_attrs.data[i - 1];
  }
  run->arguments.data[place] = tcc_str(name);
  run->argument_attrs.data[place] = attrs;
  *out = mlirBlockInsertArgument(run->main, (intptr_t)place, tcc_tensor_type(run->ir, elem, 0, NULL),
                                 import_location(run, tcc_str(name)));
  return true;
}

/* ---- states ---- */
/* What a state is, with or without `what` = value. */
static MlirAttribute state_attrs(Importer *run, TccStr name, bool is_state, const char *what, MlirAttribute value) {
  MlirNamedAttribute attrs[3] = {named(run, "tcc.name", tcc_attr_str(run->ir, name))};
  intptr_t count = 1;
  if (is_state) attrs[count++] = named(run, "tcc.state", mlirUnitAttrGet(run->ir->context));
  if (what) attrs[count++] = named(run, what, value);
  return mlirDictionaryAttrGet(run->ir->context, count, attrs);
}

MlirValue import_state(Importer *run, TccStr name, MlirValue initial) {
  MlirAttribute attrs = state_attrs(run, name, true, NULL, mlirAttributeGetNull());
  TCC_VEC_PUSH(run->arena, &run->arguments, name);
  TCC_VEC_PUSH(run->arena, &run->argument_attrs, attrs);
  run->states++;
  return mlirBlockAddArgument(run->main, mlirValueGetType(initial), import_location(run, name));
}

static MlirAttribute number_of(Importer *run, MlirValue state) {
  return tcc_attr_i64(run->ir, mlirBlockArgumentGetArgNumber(state));
}

void import_state_next(Importer *run, TccStr name, MlirValue state, MlirValue next) {
  MlirAttribute attrs = state_attrs(run, name, true, "tcc.tied", number_of(run, state));
  TCC_VEC_PUSH(run->arena, &run->results, next);
  TCC_VEC_PUSH(run->arena, &run->result_attrs, attrs);
}

void import_state_initial(Importer *run, TccStr name, MlirValue state, MlirValue initial) {
  MlirAttribute attrs = state_attrs(run, name, false, "tcc.initial", number_of(run, state));
  TCC_VEC_PUSH(run->arena, &run->results, initial);
  TCC_VEC_PUSH(run->arena, &run->result_attrs, attrs);
}

static bool check_name(Importer *run, const char *what, TccStr name, const TccMap *names) {
  if (tcc_map_find(names, name)) return true;
  const char *list = "";
  for (size_t i = 0; i < tcc_map_count(names); i++)
    list = tcc_arena_printf(run->arena, "%s%s'%.*s'", list, i ? ", " : "", TCC_STR_ARG(tcc_map_at(names, i)->key));
  return import_run_fail(run, false, "the model has no %s '%.*s'; it has %s", what, TCC_STR_ARG(name),
                         *list ? list : "none at all");
}

/* What the caller names must be inputs, and sizes of inputs, also of those that became constants. */
bool import_check_names(Importer *run) {
  TccMap *inputs = tcc_map_create(run->arena);
  static const char *const hidden[] = {TCC_INPUT_SEED, TCC_INPUT_OFFSET}; /* of a graph with random numbers, after all others */
  for (size_t i = 0; i < run->arguments.count; i++) tcc_map_put(inputs, run->arguments.data[i], NULL);
  for (size_t i = 0; i < run->options->ninputs; i++) {
    TccStr name = run->options->inputs[i].name;
    bool own = tcc_str_is(name, hidden[0]) || tcc_str_is(name, hidden[1]);
    if (name.length && name.data[0] != '#' && !own && !check_name(run, "input", name, inputs)) return false;
  }
  for (size_t i = 0; i < run->options->ndims; i++)
    if (!check_name(run, "size", run->options->dims[i].name, run->sizes)) return false;
  for (size_t i = 0; i < run->options->nhints; i++)
    if (!check_name(run, "size", run->options->hints[i].name, run->sizes)) return false;
  return true;
}

/* ---- results ---- */
bool import_result(Importer *run, TccStr name, const ImportValue *value) {
  if (!value) return import_run_fail(run, false, "output '%.*s' is not defined", TCC_STR_ARG(name));
  if (value->kind == IMPORT_POISON) return false; /* some node has the reason */
  if (value->kind == IMPORT_ABSENT) return true;
  for (size_t i = 0; value->kind == IMPORT_SEQUENCE && i < value->count; i++)
    if (!import_result(run, tcc_str(tcc_arena_printf(run->arena, "%.*s[%zu]", TCC_STR_ARG(name), i)), &value->items[i]))
      return false;
  if (value->kind == IMPORT_SEQUENCE) return true;
  if (value->kind == IMPORT_MAP) return import_run_fail(run, true, "output '%.*s' is a map", TCC_STR_ARG(name));
  if (value->kind == IMPORT_ROWS || value->kind == IMPORT_PARTS)
    return import_run_fail(run, true, "output '%.*s' is a list whose length a loop decides", TCC_STR_ARG(name));
  TCC_VEC_PUSH(run->arena, &run->results, value->tensor);
  MlirAttribute attrs = argument_attrs(run, name, mlirAttributeGetNull());
  TCC_VEC_PUSH(run->arena, &run->result_attrs, attrs);
  return true;
}
