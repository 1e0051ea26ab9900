/* import_call.c - what a handler asks of its node: inputs, attributes, sizes, and the values of inputs at compile time. */
#include "lib/frontend/onnx/import_run.h"

TccArena *onnx_arena(OnnxCall *c) { return c->import->arena; }
bool onnx_restarts(const OnnxCall *c) { return c->import->restart; }

/* ---- failing ---- */
static bool fail(OnnxCall *c, bool is_unsupported, const char *format, va_list args) {
  if (c->reason) return false; /* the first reason counts */
  TccText text = {0};
  tcc_text_vprintf(&text, format, args);
  c->reason = tcc_arena_copy(c->import->arena, text.data, text.length);
  c->is_unsupported = is_unsupported;
  tcc_text_destroy(&text);
  return false;
}

bool onnx_unsupported(OnnxCall *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(c, true, format, args);
  va_end(args);
  return false;
}

bool onnx_invalid(OnnxCall *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(c, false, format, args);
  va_end(args);
  return false;
}

/* ---- inputs and outputs ---- */
bool onnx_has_input(const OnnxCall *c, size_t index) { return index < c->ninputs && c->inputs[index].kind != ONNX_ABSENT; }
bool onnx_has_output(const OnnxCall *c, size_t index) { return index < c->noutputs && c->node->output.data[index].length > 0; }

MlirValue onnx_input(OnnxCall *c, size_t index) {
  if (!onnx_has_input(c, index)) return (MlirValue){NULL};
  if (c->inputs[index].kind == ONNX_TENSOR) return c->inputs[index].tensor;
  onnx_unsupported(c, "input %zu is a sequence", index);
  return (MlirValue){NULL};
}

bool onnx_need(OnnxCall *c, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!onnx_has_input(c, i)) return onnx_invalid(c, "input %zu is missing", i);
    if (!onnx_input(c, i).ptr) return false;
  }
  for (size_t i = count; i < c->ninputs; i++)
    if (onnx_has_input(c, i) && !onnx_input(c, i).ptr) return false;
  return c->noutputs > 0 || onnx_invalid(c, "has no output");
}

bool onnx_output(OnnxCall *c, size_t index, MlirValue value) {
  if (!value.ptr) return false;
  if (index < c->noutputs) c->outputs[index] = (OnnxValue){.kind = ONNX_TENSOR, .tensor = value};
  return true;
}

/* ---- attributes ---- */
static const TccOnnxAttribute *find(const TccOnnxAttributes *attributes, TccStr name) {
  for (size_t i = 0; i < attributes->count; i++)
    if (tcc_str_equal(attributes->data[i].name, name)) return &attributes->data[i];
  return NULL;
}

/* A reference stands for the attribute of the call of the function around it, or for the function's default. */
static const TccOnnxAttribute *resolve(const OnnxScope *scope, const TccOnnxAttribute *a) {
  while (a && a->ref_attr_name.length) {
    while (scope && !scope->function) scope = scope->parent;
    if (!scope) return NULL;
    const TccOnnxAttribute *given = find(&scope->caller->node->attribute, a->ref_attr_name);
    if (!given) return find(&scope->function->attribute_proto, a->ref_attr_name);
    scope = scope->caller->scope;
    a = given;
  }
  return a;
}

const TccOnnxAttribute *onnx_attribute(OnnxCall *c, const char *name) {
  return resolve(c->scope, find(&c->node->attribute, tcc_str(name)));
}

bool onnx_has_attribute(OnnxCall *c, const char *name) { return onnx_attribute(c, name) != NULL; }

static const TccOnnxAttribute *typed(OnnxCall *c, const char *name, TccOnnxAttributeType type) {
  const TccOnnxAttribute *a = onnx_attribute(c, name);
  if (!a || a->type == (int64_t)type) return a;
  onnx_invalid(c, "attribute '%s' has the wrong type", name);
  return NULL;
}

int64_t onnx_int(OnnxCall *c, const char *name, int64_t otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_INT);
  return a ? a->i : otherwise;
}

double onnx_float(OnnxCall *c, const char *name, double otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_FLOAT);
  return a ? (double)a->f : otherwise;
}

TccStr onnx_string(OnnxCall *c, const char *name, const char *otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_STR);
  return a ? a->s : tcc_str(otherwise);
}

bool onnx_ints(OnnxCall *c, const char *name, const int64_t **out, size_t *out_count) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_INTS);
  if (!a) return false;
  *out = a->ints.data ? a->ints.data : TCC_NEW(c->import->arena, int64_t);
  *out_count = a->ints.count;
  return true;
}

bool onnx_floats(OnnxCall *c, const char *name, const float **out, size_t *out_count) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_FLOATS);
  if (!a) return false;
  *out = a->floats.data ? a->floats.data : TCC_NEW(c->import->arena, float);
  *out_count = a->floats.count;
  return true;
}

bool onnx_strings(OnnxCall *c, const char *name, const TccStr **out, size_t *out_count) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_STRINGS);
  if (!a) return false;
  *out = a->strings.data;
  *out_count = a->strings.count;
  return true;
}

TccElem onnx_elem(OnnxCall *c, const char *name, TccElem otherwise) {
  const TccOnnxAttribute *a = typed(c, name, TCC_ONNX_INT);
  TccElem elem = a ? tcc_elem_from_onnx((int)a->i) : otherwise;
  if (a && !elem) onnx_unsupported(c, "%s: element type %lld", name, (long long)a->i);
  else if (!elem) onnx_invalid(c, "attribute '%s' is missing", name);
  return elem;
}

/* ---- shapes and sizes ---- */
TccElem onnx_value_elem(MlirValue value) { return value.ptr ? tcc_type_elem(mlirValueGetType(value)) : TCC_ELEM_NONE; }

OnnxShape onnx_shape(OnnxCall *c, MlirValue value) {
  OnnxShape shape = {0};
  if (!value.ptr) return shape;
  MlirType type = mlirValueGetType(value);
  shape.elem = tcc_type_elem(type);
  shape.rank = tcc_type_rank(type);
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = tcc_type_dim(c->ir, type, i);
  return shape;
}

const TccExpr *onnx_size(OnnxCall *c, int64_t value) { return tcc_expr_const(c->ir->exprs, value); }
const TccExpr *onnx_size_add(OnnxCall *c, const TccExpr *a, const TccExpr *b) { return tcc_expr_add(c->ir->exprs, a, b); }
const TccExpr *onnx_size_sub(OnnxCall *c, const TccExpr *a, const TccExpr *b) { return tcc_expr_sub(c->ir->exprs, a, b); }
const TccExpr *onnx_size_mul(OnnxCall *c, const TccExpr *a, const TccExpr *b) { return tcc_expr_mul(c->ir->exprs, a, b); }

const TccExpr *onnx_product(OnnxCall *c, const TccExpr *const *dims, int count) {
  const TccExpr *product = onnx_size(c, 1);
  for (int i = 0; i < count; i++) product = onnx_size_mul(c, product, dims[i]);
  return product;
}

bool onnx_is_size(const TccExpr *e, int64_t value) {
  int64_t size;
  return tcc_expr_is_const(e, &size) && size == value;
}

bool onnx_axis(OnnxCall *c, int64_t axis, int rank, int64_t *out) {
  *out = axis < 0 ? axis + rank : axis;
  return (*out >= 0 && *out < rank) || onnx_invalid(c, "axis %lld does not fit rank %d", (long long)axis, rank);
}

bool onnx_broadcast_shape(OnnxCall *c, const OnnxShape *a, const OnnxShape *b, OnnxShape *out) {
  OnnxShape r = {.elem = a->elem, .rank = a->rank > b->rank ? a->rank : b->rank};
  for (int i = 0; i < r.rank; i++) {
    int in_a = i - (r.rank - a->rank), in_b = i - (r.rank - b->rank);
    const TccExpr *x = in_a < 0 ? onnx_size(c, 1) : a->dims[in_a], *y = in_b < 0 ? onnx_size(c, 1) : b->dims[in_b];
    r.dims[i] = onnx_is_size(x, 1) ? y : x;
    if (!onnx_is_size(x, 1) && !onnx_is_size(y, 1) && !tcc_expr_agree(x, y)) {
      const char *one = tcc_expr_text(c->ir->exprs, x), *other = tcc_expr_text(c->ir->exprs, y);
      if (tcc_expr_is_const(x, NULL) && tcc_expr_is_const(y, NULL))
        return onnx_invalid(c, "sizes %s and %s do not broadcast", one, other);
      return onnx_unsupported(c, "it is not known how sizes '%s' and '%s' broadcast; fix one with --dim", one, other);
    }
  }
  *out = r;
  return true;
}

/* ---- values at compile time ---- */
typedef struct {
  OnnxCall *c;
  TccMap *seen;
  bool reached, all_given;
  TccText names;
} Search;

/* The name of the input whose argument value is. */
static bool is_input(const OnnxImport *run, MlirValue value) {
  return mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), run->main);
}

static TccStr argument_name(OnnxImport *run, MlirValue value) { return run->arguments.data[mlirBlockArgumentGetArgNumber(value)]; }

/* Visits what value is computed from, and collects the inputs among it. A size (tcc.sizes) depends on none. */
static void search(Search *s, MlirValue value) {
  const void *key = value.ptr;
  bool inserted;
  tcc_map_put(s->seen, tcc_key_pointer(&key), &inserted);
  if (!inserted) return;
  OnnxImport *run = s->c->import;
  if (mlirValueIsABlockArgument(value) && !is_input(run, value)) { /* what a loop carries */
    s->all_given = false;
    return;
  }
  if (mlirValueIsABlockArgument(value)) {
    TccStr name = argument_name(run, value);
    tcc_text_printf(&s->names, "%s'%.*s'", s->reached ? ", " : "", TCC_STR_ARG(name));
    s->reached = true;
    if (!onnx_given_data(run, name)) s->all_given = false;
    return;
  }
  MlirOperation op = tcc_value_op(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) search(s, mlirOperationGetOperand(op, i));
}

static void specialise(Search *s) {
  OnnxImport *run = s->c->import;
  for (size_t i = 0; i < tcc_map_count(s->seen); i++) {
    MlirValue value;
    memcpy(&value.ptr, tcc_map_at(s->seen, i)->key.data, sizeof value.ptr);
    if (is_input(run, value)) tcc_map_put(run->specialised, argument_name(run, value), NULL);
  }
  run->restart = true;
}

bool onnx_specialise_given(OnnxCall *c, size_t input) {
  Search s = {.c = c, .seen = tcc_map_create(c->import->arena), .all_given = true};
  search(&s, onnx_input(c, input));
  tcc_text_destroy(&s.names);
  if (!s.reached || !s.all_given) return false;
  specialise(&s);
  if (!c->reason) c->reason = "";
  return true;
}

/* Why a value is not known: it depends on inputs, which are specialised if the caller gave their data. */
static void explain_unknown(OnnxCall *c, size_t input) {
  Search s = {.c = c, .seen = tcc_map_create(c->import->arena), .all_given = true};
  search(&s, onnx_input(c, input));
  if (s.reached && s.all_given) {
    specialise(&s);
    if (!c->reason) c->reason = "";
  } else if (s.reached) {
    onnx_unsupported(c, "needs the value of input %s at compile time", s.names.data);
  } else {
    onnx_unsupported(c, "the value of operand %zu decides a shape and cannot be worked out at compile time", input);
  }
  tcc_text_destroy(&s.names);
}

const TccExpr *const *onnx_values(OnnxCall *c, size_t input, size_t *out_count) {
  *out_count = 0;
  if (!onnx_input(c, input).ptr) {
    onnx_invalid(c, "input %zu is missing", input);
    return NULL;
  }
  const TccExpr *const *values = tcc_symbolic_value(c->ir, onnx_input(c, input), out_count);
  if (!values) explain_unknown(c, input);
  return values;
}

const int64_t *onnx_constants(OnnxCall *c, size_t input, size_t *out_count) {
  const TccExpr *const *values = onnx_values(c, input, out_count);
  if (!values) return NULL;
  int64_t *out = TCC_NEW_ARRAY(c->import->arena, int64_t, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++)
    if (!tcc_expr_is_const(values[i], &out[i])) {
      onnx_unsupported(c, "operand %zu is '%s', which must be a constant", input, tcc_expr_text(c->ir->exprs, values[i]));
      return NULL;
    }
  return out;
}

/* Floats that are constants, or simple arithmetic on constants; NULL if value is neither. */
static const double *fold_reals(OnnxCall *c, MlirValue value, size_t *out_count, int depth) {
  enum { MOST_DEPTH = 32, MOST_ENTRIES = 4096 };
  TccElem elem = onnx_value_elem(value);
  size_t count;
  const void *data = tcc_constant_data(c->ir, value, &count);
  MlirOperation op = tcc_value_op(value);
  double *out;
  if (data && count <= MOST_ENTRIES) {
    out = TCC_NEW_ARRAY(c->import->arena, double, count + 1);
    for (size_t i = 0; i < count; i++) out[i] = tcc_elem_load_f64(elem, data, i);
    *out_count = count;
    return out;
  }
  if (mlirOperationIsNull(op) || depth > MOST_DEPTH) return NULL;
  TccOpKind kind = tcc_op_kind(c->ir, op);
  const TccExpr *const *known = tcc_symbolic_value(c->ir, value, out_count);
  if (known) {
    out = TCC_NEW_ARRAY(c->import->arena, double, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) {
      int64_t number;
      if (!tcc_expr_is_const(known[i], &number)) return NULL;
      out[i] = (double)number;
    }
    return out;
  }
  size_t na, nb;
  const double *a, *b;
  switch (kind) {
  case TCC_OP_CONVERT:
  case TCC_OP_RESHAPE: return fold_reals(c, mlirOperationGetOperand(op, 0), out_count, depth + 1);
  case TCC_OP_CONCAT:
  case TCC_OP_ADD:
  case TCC_OP_SUB:
  case TCC_OP_MUL:
  case TCC_OP_DIV:
    a = fold_reals(c, mlirOperationGetOperand(op, 0), &na, depth + 1);
    b = a ? fold_reals(c, mlirOperationGetOperand(op, 1), &nb, depth + 1) : NULL;
    if (!b) return NULL;
    if (kind == TCC_OP_CONCAT) { /* of vectors: the only case that scales and bounds need */
      if (onnx_shape(c, value).rank != 1) return NULL;
      out = TCC_NEW_ARRAY(c->import->arena, double, na + nb + 1);
      memcpy(out, a, na * sizeof *a);
      memcpy(out + na, b, nb * sizeof *b);
      *out_count = na + nb;
      return out;
    }
    if (na != nb && na != 1 && nb != 1) return NULL;
    *out_count = na > nb ? na : nb;
    out = TCC_NEW_ARRAY(c->import->arena, double, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) {
      double x = a[na == 1 ? 0 : i], y = b[nb == 1 ? 0 : i];
      out[i] = kind == TCC_OP_ADD ? x + y : kind == TCC_OP_SUB ? x - y : kind == TCC_OP_MUL ? x * y : x / y;
    }
    return out;
  default: return NULL;
  }
}

const double *onnx_reals(OnnxCall *c, size_t input, size_t *out_count) {
  *out_count = 0;
  if (!onnx_input(c, input).ptr) {
    onnx_invalid(c, "input %zu is missing", input);
    return NULL;
  }
  const double *values = fold_reals(c, onnx_input(c, input), out_count, 0);
  if (!values) explain_unknown(c, input);
  return values;
}

bool onnx_known_constant(OnnxCall *c, MlirValue value, int64_t *out) {
  size_t count;
  const TccExpr *const *known = value.ptr ? tcc_symbolic_value(c->ir, value, &count) : NULL;
  return known && count == 1 && tcc_expr_is_const(known[0], out);
}

/* The size that a symbol has in the data of an input or that the caller told, else -1. */
static int64_t given_size(OnnxImport *run, TccStr symbol) {
  for (size_t i = 0; i < run->arguments.count; i++) {
    const TccHostTensor *data = onnx_given_data(run, run->arguments.data[i]);
    MlirType type = mlirValueGetType(mlirBlockGetArgument(run->main, (intptr_t)i));
    for (int axis = 0; data && data->rank == tcc_type_rank(type) && axis < data->rank; axis++) {
      TccStr name;
      const TccExpr *size = tcc_type_dim(run->ir, type, axis);
      if (size && tcc_expr_is_symbol(size, &name) && tcc_str_equal(name, symbol)) return data->dims[axis];
    }
  }
  for (size_t i = 0; i < run->options->ntold; i++)
    if (tcc_str_equal(run->options->told[i].name, symbol)) return run->options->told[i].value;
  return -1;
}

typedef struct {
  OnnxImport *run;
  char *wanted; /* " --dim NAME=..." for each symbol without a size */
} Unknowns;
static void find_unknown(TccStr name, void *user) {
  Unknowns *unknowns = user;
  if (given_size(unknowns->run, name) < 0)
    unknowns->wanted = tcc_arena_printf(unknowns->run->arena, "%s --dim %.*s=...", unknowns->wanted, TCC_STR_ARG(name));
}

const char *onnx_wanted_dims(OnnxCall *c, const TccExpr *size) {
  Unknowns unknowns = {c->import, ""};
  tcc_expr_symbols(size, find_unknown, &unknowns);
  return unknowns.wanted;
}

static void fix_symbol(TccStr name, void *user) {
  OnnxImport *run = user;
  tcc_map_put(run->fixed, name, NULL)->integer = given_size(run, name);
}

bool onnx_size_is_given(OnnxCall *c, const TccExpr *size) { return !tcc_expr_is_const(size, NULL) && !*onnx_wanted_dims(c, size); }

bool onnx_fix_size(OnnxCall *c, const TccExpr *size, int64_t *out) {
  if (tcc_expr_is_const(size, out)) return true;
  const char *wanted = onnx_wanted_dims(c, size);
  if (*wanted) return onnx_unsupported(c, "size '%s' must be a constant: give%s", tcc_expr_text(c->ir->exprs, size), wanted);
  tcc_expr_symbols(size, fix_symbol, c->import);
  c->import->restart = true;
  if (!c->reason) c->reason = "";
  return false;
}

const TccExpr *onnx_divide(OnnxCall *c, const TccExpr *a, const TccExpr *b) {
  const TccExpr *exact = tcc_expr_divide_exactly(c->ir->exprs, a, b);
  if (exact) return exact;
  const TccExpr *quotient = tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, a, b);
  if (tcc_expr_agree(a, onnx_size_mul(c, quotient, b))) return quotient;
  const char *one = tcc_expr_text(c->ir->exprs, a), *other = tcc_expr_text(c->ir->exprs, b);
  onnx_invalid(c, "'%s' is not a multiple of '%s'", one, other);
  return NULL;
}

bool onnx_assume_at_most(OnnxCall *c, const TccExpr *a, const TccExpr *b) {
  OnnxImport *run = c->import;
  const TccExpr *rest = tcc_expr_sub(c->ir->exprs, b, a);
  if (tcc_expr_known_nonnegative(rest)) return true;
  if (!run->assume) {
    run->could_assume = true;
    return false;
  }
  for (size_t i = 0; i < run->constraints.count; i++)
    if (run->constraints.data[i] == rest) return true;
  TCC_VEC_PUSH(run->arena, &run->constraints, rest);
  return true;
}
