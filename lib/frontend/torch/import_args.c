/* import_args.c - arguments of a node by name: those that it gives, and torch's defaults for the others. */
#include "lib/frontend/torch/import_complex.h"
#include <math.h>
#include <stdlib.h>

static const MlirValue no_value = {NULL};

/* ---- what is given, and defaults ---- */
static const TorchParameter *parameter(ImportCall *c, const char *name) {
  return torch_schema_parameter(&torch_call(c)->schema, tcc_str(name));
}

const TccTorchArg *torch_argument(ImportCall *c, const char *name) {
  const TccTorchNode *node = torch_call(c)->node;
  if (name[0] == '#') {
    size_t at = strtoul(name + 1, NULL, 10);
    return at < node->ninputs ? &node->inputs[at].arg : NULL;
  }
  for (size_t i = 0; i < node->ninputs; i++)
    if (tcc_str_is(node->inputs[i].name, name)) return &node->inputs[i].arg;
  return NULL;
}

/* NULL, and a reason, if it is neither given nor has a default. */
static const TccTorchArg *argument(ImportCall *c, const char *name) {
  const TccTorchArg *given = torch_argument(c, name);
  if (given) {
    if (given->kind == TCC_TORCH_UNKNOWN) import_unsupported(c, "'%s' is %.*s", name, TCC_STR_ARG(given->text));
    return given->kind == TCC_TORCH_UNKNOWN ? NULL : given;
  }
  TccTorchArg *made = TCC_NEW(import_arena(c), TccTorchArg);
  const TorchParameter *p = parameter(c, name);
  if (p && torch_schema_default(import_arena(c), p, made)) return made;
  import_invalid(c, "argument '%s' is missing", name);
  return NULL;
}

bool torch_given(ImportCall *c, const char *name) {
  const TccTorchArg *a = torch_argument(c, name);
  const TorchParameter *p = a ? NULL : parameter(c, name);
  return a ? a->kind != TCC_TORCH_NONE : p && p->otherwise.length && !tcc_str_is(p->otherwise, "None");
}

static bool wrong(ImportCall *c, const char *name, const char *what) { return import_invalid(c, "'%s' is not %s", name, what); }

/* ---- values ---- */
static const TorchValue *named(ImportCall *c, TccStr name) {
  const TccMapEntry *entry = tcc_map_find(torch_call(c)->scope->values, name);
  const TorchValue *value = entry ? entry->constant : NULL;
  if (!value) import_invalid(c, "uses '%.*s', which is not defined before it", TCC_STR_ARG(name));
  else if (value->kind == TORCH_MISSING) import_unsupported(c, "uses '%.*s': %s", TCC_STR_ARG(name), value->reason);
  else if (value->kind == TORCH_POISON && !c->reason) c->reason = "";
  return value && value->kind != TORCH_MISSING && value->kind != TORCH_POISON ? value : NULL;
}

static TorchValue whole(ImportCall *c, int64_t value) {
  return (TorchValue){.kind = TORCH_NUMBER, .number = {.kind = TORCH_INTEGER, .size = import_size(c, value)}};
}

/* An entry of a list of ints as an argument. */
static TccTorchArg int_item(const TccTorchArg *list, size_t i) {
  if (list->kind == TCC_TORCH_INTS) return (TccTorchArg){.kind = TCC_TORCH_INT, .integer = list->list.integers[i]};
  const TccTorchSym *sym = &list->list.syms[i];
  return sym->name.length ? (TccTorchArg){.kind = TCC_TORCH_SYM_INT, .text = sym->name}
                          : (TccTorchArg){.kind = TCC_TORCH_INT, .integer = sym->integer};
}

const TorchValue *torch_value(ImportCall *c, const TccTorchArg *arg) {
  TorchValue *made = TCC_NEW(import_arena(c), TorchValue), *items;
  made->kind = TORCH_NUMBER;
  switch (arg->kind) {
  case TCC_TORCH_TENSOR:
  case TCC_TORCH_SYM_INT:
  case TCC_TORCH_SYM_FLOAT:
  case TCC_TORCH_SYM_BOOL: return named(c, arg->text);
  case TCC_TORCH_NONE: made->kind = TORCH_NONE; return made;
  case TCC_TORCH_INT: *made = whole(c, arg->integer); return made;
  case TCC_TORCH_FLOAT: made->number = (TorchNumber){.kind = TORCH_REAL, .real = arg->number}; return made;
  case TCC_TORCH_BOOL: made->number = (TorchNumber){.kind = TORCH_FLAG, .real = arg->flag}; return made;
  case TCC_TORCH_TENSORS:
  case TCC_TORCH_OPTIONAL_TENSORS:
    items = TCC_NEW_ARRAY(import_arena(c), TorchValue, arg->list.count + 1);
    for (size_t i = 0; i < arg->list.count; i++) {
      if (!arg->list.texts[i].data) continue;
      const TorchValue *item = named(c, arg->list.texts[i]);
      if (!item) return NULL;
      items[i] = *item;
    }
    *made = (TorchValue){.kind = TORCH_LIST, .items = items, .count = arg->list.count};
    return made;
  case TCC_TORCH_INTS:
  case TCC_TORCH_SYM_INTS:
    items = TCC_NEW_ARRAY(import_arena(c), TorchValue, arg->list.count + 1);
    for (size_t i = 0; i < arg->list.count; i++) {
      const TccTorchArg one = int_item(arg, i);
      const TorchValue *item = torch_value(c, &one);
      if (!item) return NULL;
      items[i] = *item;
    }
    *made = (TorchValue){.kind = TORCH_LIST, .items = items, .count = arg->list.count};
    return made;
  default: import_unsupported(c, "an argument that is neither a tensor nor a number"); return NULL;
  }
}

static const TorchValue *value_of(ImportCall *c, const char *name) {
  const TccTorchArg *a = argument(c, name);
  return a ? torch_value(c, a) : NULL;
}

/* What the node reads of a tensor: all, or the imaginary part, which is 0 of real numbers; indices and masks are what they are. */
static TorchTensor *part_of(ImportCall *c, TorchTensor *t) {
  const TorchPart part = torch_call(c)->part;
  if (part == TORCH_REAL_PART || (part == TORCH_SIZE && !t->imaginary)) return t;
  if (part == TORCH_SIZE)
    return torch_tensor_make(c, torch_complex_magnitude(c, (TorchComplex){torch_read(c, t), torch_read(c, t->imaginary)}));
  if (t->imaginary) return t->imaginary;
  MlirValue value = torch_read(c, t);
  ImportShape s = import_shape(c, value);
  if (!value.ptr || !tcc_elem_is_float(s.elem)) return t;
  return torch_tensor_make(c, tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, s.elem, 0), s.rank, s.dims));
}

TorchTensor *torch_storage(ImportCall *c, const char *name) {
  const TorchValue *value = value_of(c, name);
  if (value && value->kind != TORCH_TENSOR) wrong(c, name, "a tensor");
  return value && value->kind == TORCH_TENSOR ? part_of(c, value->tensor) : NULL;
}

MlirValue torch_tensor(ImportCall *c, const char *name) { return torch_read(c, torch_storage(c, name)); }

MlirValue torch_optional(ImportCall *c, const char *name) { return torch_given(c, name) ? torch_tensor(c, name) : no_value; }

MlirValue torch_tensor_as(ImportCall *c, const char *name, TccElem elem) {
  MlirValue value = torch_tensor(c, name);
  return value.ptr && elem ? tcc_build_convert(&c->b, value, elem) : no_value;
}

bool torch_tensors(ImportCall *c, const char *name, const MlirValue **out, size_t *out_count) {
  const TorchValue *list = value_of(c, name);
  if (!list) return false;
  if (list->kind != TORCH_LIST) return wrong(c, name, "a list of tensors");
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, list->count + 1);
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind == TORCH_NONE) continue;
    values[i] = torch_read(c, part_of(c, list->items[i].tensor));
    if (!values[i].ptr) return false;
  }
  *out = values;
  *out_count = list->count;
  return true;
}

bool torch_storages(ImportCall *c, const char *name, TorchTensor *const **out, size_t *out_count) {
  const TorchValue *list = value_of(c, name);
  if (!list) return false;
  if (list->kind != TORCH_LIST) return wrong(c, name, "a list of tensors");
  TorchTensor **tensors = TCC_NEW_ARRAY(import_arena(c), TorchTensor *, list->count + 1);
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind != TORCH_TENSOR) return wrong(c, name, "a list of tensors");
    tensors[i] = part_of(c, list->items[i].tensor);
    if (!torch_read(c, tensors[i]).ptr) return false;
  }
  *out = tensors;
  *out_count = list->count;
  return true;
}

/* ---- numbers ---- */
/* An element of a tensor of rank 0 as a number. */
static TorchNumber element(ImportCall *c, MlirValue value) {
  size_t count;
  TccElem elem = tcc_value_elem(value);
  const void *data = import_small_data(c, value, &count);
  if (tcc_elem_is_float(elem)) {
    if (data && count == 1) return (TorchNumber){.kind = TORCH_REAL, .real = tcc_elem_load_f64(elem, data, 0)};
    return (TorchNumber){.kind = TORCH_REAL,
                         .value = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, value, TCC_ELEM_F64), 0, NULL)};
  }
  if (elem == TCC_ELEM_BOOL) {
    if (data && count == 1) return (TorchNumber){.kind = TORCH_FLAG, .real = (double)tcc_elem_load_i64(elem, data, 0)};
    return (TorchNumber){.kind = TORCH_FLAG, .value = tcc_build_reshape(&c->b, value, 0, NULL)};
  }
  const TccExpr *const *known = tcc_symbolic_value(c->ir, value, &count);
  if (known && count == 1) return (TorchNumber){.kind = TORCH_INTEGER, .size = known[0]};
  return (TorchNumber){.kind = TORCH_INTEGER,
                       .value = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, value, TCC_ELEM_I64), 0, NULL)};
}

TorchNumber torch_number(ImportCall *c, const char *name) {
  const TorchValue *value = value_of(c, name);
  if (value && value->kind == TORCH_NUMBER) return value->number;
  MlirValue tensor = value && value->kind == TORCH_TENSOR ? torch_read(c, value->tensor) : no_value;
  if (tensor.ptr) return element(c, tensor);
  if (value) wrong(c, name, "a number");
  return (TorchNumber){.kind = TORCH_REAL};
}

/* 1 where e is at least 0, as rank 0. */
static MlirValue flag_value(ImportCall *c, const TorchNumber *n) {
  return tcc_build_compare(&c->b, n->equal ? "eq" : "ge", tcc_build_size(&c->b, n->holds),
                           tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
}

MlirValue torch_number_value(ImportCall *c, const TorchNumber *number, TccElem elem) {
  TorchNumber n = *number;
  int64_t integer;
  if (c->reason || !elem) return no_value;
  if (n.value.ptr) return tcc_build_convert(&c->b, n.value, elem);
  if (n.kind == TORCH_FLAG && n.holds) return tcc_build_convert(&c->b, flag_value(c, &n), elem);
  if (n.kind != TORCH_INTEGER) {
    bool whole_type = !tcc_elem_is_float(elem);
    if (elem == TCC_ELEM_BOOL) return tcc_build_scalar_i64(&c->b, elem, n.real != 0);
    return whole_type ? tcc_build_scalar_i64(&c->b, elem, (int64_t)n.real) : tcc_build_scalar(&c->b, elem, n.real);
  }
  if (!tcc_expr_is_const(n.size, &integer)) return tcc_build_convert(&c->b, tcc_build_size(&c->b, n.size), elem);
  if (elem == TCC_ELEM_BOOL) integer = integer != 0;
  return tcc_elem_is_float(elem) ? tcc_build_scalar(&c->b, elem, (double)integer) : tcc_build_scalar_i64(&c->b, elem, integer);
}

MlirValue torch_scalar(ImportCall *c, const char *name, TccElem elem) {
  TorchNumber n = torch_number(c, name);
  return torch_number_value(c, &n, elem);
}

/* A number that was computed of such that data decide, as the graph writes it: "2*u0 + 1". NULL where it does not. */
static const TccExpr *as_declared(ImportCall *c, const TccTorchArg *a) {
  const TccTorchValue *made = a && a->kind == TCC_TORCH_SYM_INT ? tcc_torch_value(torch_call(c)->scope->graph, a->text) : NULL;
  return made && made->kind == TCC_TORCH_VALUE_INT ? torch_size_if_known(c, &made->size) : NULL;
}

/* a: the argument or its item that n is. */
static bool size_of(ImportCall *c, const char *name, const TorchNumber *n, const TccTorchArg *a, const TccExpr **out) {
  if (n->kind == TORCH_FLAG && !n->value.ptr && !n->holds) *out = import_size(c, (int64_t)n->real);
  else if (n->kind == TORCH_INTEGER && n->size) *out = n->size;
  else if (n->kind == TORCH_INTEGER && n->symbol.length) *out = torch_size_from_data(c, n->value, n->symbol);
  else if (n->kind == TORCH_INTEGER) *out = as_declared(c, a);
  else return wrong(c, name, "an integer");
  return *out != NULL || (!c->reason && import_unsupported(c, "'%s' depends on data of the run", name));
}

const TccExpr *torch_size(ImportCall *c, const char *name) {
  TorchNumber n = torch_number(c, name);
  const TccExpr *size = NULL;
  return !c->reason && size_of(c, name, &n, torch_argument(c, name), &size) ? size : NULL;
}

int64_t torch_int(ImportCall *c, const char *name) {
  const TccExpr *size = torch_size(c, name);
  int64_t value = 0;
  if (size) import_fix_size(c, size, &value);
  return value;
}

double torch_float(ImportCall *c, const char *name) {
  TorchNumber n = torch_number(c, name);
  int64_t integer;
  if (n.value.ptr || n.holds) import_unsupported(c, "'%s' depends on data of the run", name);
  if (n.kind != TORCH_INTEGER) return n.real;
  return n.size && import_fix_size(c, n.size, &integer) ? (double)integer : 0;
}

bool torch_bool(ImportCall *c, const char *name) {
  TorchNumber n = torch_number(c, name);
  if (n.kind == TORCH_REAL && !c->reason) return wrong(c, name, "a bool");
  if (n.value.ptr || n.holds) return import_unsupported(c, "'%s' depends on data of the run", name);
  int64_t integer;
  return n.kind == TORCH_INTEGER ? n.size && import_fix_size(c, n.size, &integer) && integer != 0 : n.real != 0;
}

TccStr torch_string(ImportCall *c, const char *name) {
  const TccTorchArg *a = argument(c, name);
  if (a && a->kind == TCC_TORCH_STRING) return a->text;
  if (a && a->kind != TCC_TORCH_NONE) wrong(c, name, "a string");
  return tcc_str("");
}

TccElem torch_elem(ImportCall *c, const char *name, TccElem otherwise) {
  const TccTorchArg *a = argument(c, name);
  if (!a) return TCC_ELEM_NONE;
  if (a->kind == TCC_TORCH_NONE) return otherwise;
  if (a->kind != TCC_TORCH_SCALAR_TYPE) return wrong(c, name, "a dtype"), TCC_ELEM_NONE;
  TccElem elem = tcc_torch_elem(a->integer);
  if (!elem && torch_call(c)->of_parts) elem = torch_complex_part(&(TccTorchMeta){.type = a->integer});
  if (!elem) import_unsupported(c, "element type %s", tcc_torch_type_name(a->integer));
  return elem;
}

/* ---- lists ---- */
/* Items of a list of ints as arguments; a single int is a list of one, None is empty. */
static bool int_items(ImportCall *c, const char *name, const TccTorchArg **out, size_t *out_count) {
  const TccTorchArg *a = argument(c, name);
  *out_count = 0;
  *out = NULL;
  if (!a) return false;
  bool list = a->kind == TCC_TORCH_INTS || a->kind == TCC_TORCH_SYM_INTS;
  size_t count = a->kind == TCC_TORCH_NONE ? 0 : list ? a->list.count : 1;
  TccTorchArg *items = TCC_NEW_ARRAY(import_arena(c), TccTorchArg, count + 1);
  if (a->kind != TCC_TORCH_NONE && !list && a->kind != TCC_TORCH_INT && a->kind != TCC_TORCH_SYM_INT)
    return wrong(c, name, "a list of integers");
  for (size_t i = 0; i < count; i++) items[i] = list ? int_item(a, i) : *a;
  *out = items;
  *out_count = count;
  return true;
}

static bool number_of(ImportCall *c, const char *name, const TccTorchArg *item, TorchNumber *out) {
  const TorchValue *value = torch_value(c, item);
  if (!value || value->kind != TORCH_NUMBER) return value ? wrong(c, name, "a list of integers") : false;
  *out = value->number;
  return true;
}

bool torch_sizes(ImportCall *c, const char *name, const TccExpr *const **out, size_t *out_count) {
  const TccTorchArg *items;
  TorchNumber n;
  if (!int_items(c, name, &items, out_count)) return false;
  const TccExpr **sizes = TCC_NEW_ARRAY(import_arena(c), const TccExpr *, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++)
    if (!number_of(c, name, &items[i], &n) || !size_of(c, name, &n, &items[i], &sizes[i])) return false;
  *out = sizes;
  return true;
}

bool torch_numbers(ImportCall *c, const char *name, const TorchNumber **out, size_t *out_count) {
  const TccTorchArg *items;
  if (!int_items(c, name, &items, out_count)) return false;
  TorchNumber *numbers = TCC_NEW_ARRAY(import_arena(c), TorchNumber, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++)
    if (!number_of(c, name, &items[i], &numbers[i])) return false;
  *out = numbers;
  return true;
}

bool torch_ints(ImportCall *c, const char *name, const int64_t **out, size_t *out_count) {
  const TccExpr *const *sizes;
  if (!torch_sizes(c, name, &sizes, out_count)) return false;
  int64_t *values = TCC_NEW_ARRAY(import_arena(c), int64_t, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++)
    if (!import_fix_size(c, sizes[i], &values[i])) return false;
  *out = values;
  return true;
}

bool torch_ints_of(ImportCall *c, const char *name, size_t n, const int64_t *otherwise, int64_t *out) {
  const int64_t *values;
  size_t count;
  if (!torch_ints(c, name, &values, &count)) return false;
  if (!count) {
    if (!otherwise && n) return import_invalid(c, "'%s' is empty", name);
    for (size_t i = 0; i < n; i++) out[i] = otherwise[i];
    return true;
  }
  if (count != n && count != 1) return import_invalid(c, "'%s' has %zu entries, not %zu", name, count, n);
  for (size_t i = 0; i < n; i++) out[i] = values[count == 1 ? 0 : i];
  return true;
}

bool torch_floats(ImportCall *c, const char *name, const double **out, size_t *out_count) {
  const TccTorchArg *a = argument(c, name);
  *out = NULL;
  *out_count = 0;
  if (!a) return false;
  if (a->kind == TCC_TORCH_NONE) return true;
  if (a->kind == TCC_TORCH_INTS && a->list.count) {
    double *values = TCC_NEW_ARRAY(import_arena(c), double, a->list.count);
    for (size_t i = 0; i < a->list.count; i++) values[i] = (double)a->list.integers[i];
    *out = values;
  } else if (a->kind == TCC_TORCH_FLOATS) {
    *out = a->list.numbers;
  } else if (a->kind != TCC_TORCH_INTS) {
    return wrong(c, name, "a list of numbers");
  }
  *out_count = a->list.count;
  return true;
}

bool torch_bools(ImportCall *c, const char *name, const bool **out, size_t *out_count) {
  const TccTorchArg *a = argument(c, name);
  *out = NULL;
  *out_count = 0;
  if (!a) return false;
  if (a->kind == TCC_TORCH_NONE) return true;
  if (a->kind != TCC_TORCH_BOOLS) return wrong(c, name, "a list of bools");
  *out = a->list.flags;
  *out_count = a->list.count;
  return true;
}

bool torch_axis(ImportCall *c, const char *name, int rank, int64_t *out) {
  int64_t axis = torch_int(c, name);
  return !c->reason && import_axis(c, axis, rank ? rank : 1, out);
}

bool torch_axes(ImportCall *c, const char *name, int rank, int64_t *out, size_t *out_count) {
  const int64_t *given;
  size_t count;
  if (!torch_ints(c, name, &given, &count)) return false;
  if (count > TCC_MAX_RANK) return import_invalid(c, "'%s' has %zu entries", name, count);
  for (size_t i = 0; i < count; i++) {
    if (!import_axis(c, given[i], rank ? rank : 1, &out[i])) return false;
    for (size_t k = 0; k < i; k++)
      if (out[k] == out[i]) return import_invalid(c, "'%s' names axis %lld twice", name, (long long)out[i]);
  }
  for (int i = 0; !count && i < rank; i++) out[i] = i;
  *out_count = count ? (rank ? count : 0) : (size_t)rank;
  return true;
}
