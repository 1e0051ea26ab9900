/* values.c - the values of inputs at compile time, and what becomes a constant so that they are known: data and sizes that the caller
 * gave. */
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"

typedef struct {
  ImportCall *c;
  TccMap *seen;
  bool reached, all_given;
  TccText names, options; /* "'a', 'b'"; " --input a=FILE --input b=FILE" */
} Search;

/* The name of the input whose argument value is. */
static bool is_input(const Importer *run, MlirValue value) {
  return mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), run->main);
}

static TccStr argument_name(Importer *run, MlirValue value) { return run->arguments.data[mlirBlockArgumentGetArgNumber(value)]; }

/* Visits what value is computed from, and collects the inputs among it. A size (tcc.sizes) depends on none. */
static void search(Search *s, MlirValue value) {
  const void *key = value.ptr;
  bool inserted;
  tcc_map_put(s->seen, tcc_key_pointer(&key), &inserted);
  if (!inserted) return;
  Importer *run = s->c->importer;
  if (mlirValueIsABlockArgument(value) && !is_input(run, value)) { /* what a loop carries */
    s->all_given = false;
    return;
  }
  if (mlirValueIsABlockArgument(value)) {
    TccStr name = argument_name(run, value);
    tcc_text_printf(&s->names, "%s'%.*s'", s->reached ? ", " : "", TCC_STR_ARG(name));
    tcc_text_printf(&s->options, " --input %.*s=FILE", TCC_STR_ARG(name));
    s->reached = true;
    if (!import_given_data(run, name)) s->all_given = false;
    return;
  }
  MlirOperation op = tcc_value_op(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) search(s, mlirOperationGetOperand(op, i));
}

static void specialise(Search *s) {
  Importer *run = s->c->importer;
  for (size_t i = 0; i < tcc_map_count(s->seen); i++) {
    MlirValue value;
    memcpy(&value.ptr, tcc_map_at(s->seen, i)->key.data, sizeof value.ptr);
    if (is_input(run, value)) tcc_map_put(run->specialised, argument_name(run, value), NULL);
  }
  run->restart = true;
}

bool import_specialise_given(ImportCall *c, size_t input) {
  Search s = {.c = c, .seen = tcc_map_create(c->importer->arena), .all_given = true};
  search(&s, import_input(c, input));
  tcc_text_destroy(&s.names);
  tcc_text_destroy(&s.options);
  if (!s.reached || !s.all_given) return false;
  specialise(&s);
  if (!c->reason) c->reason = "";
  return true;
}

/* Why a value is not known: it depends on inputs, which are specialised if the caller gave their data. */
static void explain_unknown(ImportCall *c, size_t input) {
  Search s = {.c = c, .seen = tcc_map_create(c->importer->arena), .all_given = true};
  search(&s, import_input(c, input));
  const char *inside =
      import_may_count(c) ? "" : " (in a branch that runs in any case, what decides a shape must not depend on data)";
  if (s.reached && s.all_given) {
    specialise(&s);
    if (!c->reason) c->reason = "";
  } else if (s.reached) {
    import_unsupported(c, "needs the value of input %s at compile time; give%s%s", s.names.data, s.options.data, inside);
  } else {
    import_unsupported(c, "the value of operand %zu decides a shape and cannot be worked out at compile time%s", input, inside);
  }
  tcc_text_destroy(&s.names);
  tcc_text_destroy(&s.options);
}

const TccExpr *const *import_values(ImportCall *c, size_t input, size_t *out_count) {
  *out_count = 0;
  if (!import_input(c, input).ptr) {
    import_invalid(c, "input %zu is missing", input);
    return NULL;
  }
  const TccExpr *const *values = tcc_symbolic_value(c->ir, import_input(c, input), out_count);
  if (!values) explain_unknown(c, input);
  return values;
}

const int64_t *import_constants(ImportCall *c, size_t input, size_t *out_count) {
  const TccExpr *const *values = import_values(c, input, out_count);
  if (!values) return NULL;
  int64_t *out = TCC_NEW_ARRAY(c->importer->arena, int64_t, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++)
    if (!tcc_expr_is_const(values[i], &out[i])) {
      import_unsupported(c, "operand %zu is '%s', which must be a constant", input, tcc_expr_text(c->ir->exprs, values[i]));
      return NULL;
    }
  return out;
}

/* Floats that are constants, or simple arithmetic on constants; NULL if value is neither. */
static const double *fold_reals(ImportCall *c, MlirValue value, size_t *out_count, int depth) {
  enum { MOST_DEPTH = 32, MOST_ENTRIES = 4096 };
  TccElem elem = tcc_value_elem(value);
  size_t count;
  const void *data = import_small_data(c, value, &count);
  MlirOperation op = tcc_value_op(value);
  double *out;
  if (data && count <= MOST_ENTRIES) {
    out = TCC_NEW_ARRAY(c->importer->arena, double, count + 1);
    for (size_t i = 0; i < count; i++) out[i] = tcc_elem_load_f64(elem, data, i);
    *out_count = count;
    return out;
  }
  if (mlirOperationIsNull(op) || depth > MOST_DEPTH) return NULL;
  TccOpKind kind = tcc_op_kind(c->ir, op);
  const TccExpr *const *known = tcc_symbolic_value(c->ir, value, out_count);
  if (known) {
    out = TCC_NEW_ARRAY(c->importer->arena, double, *out_count + 1);
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
      if (import_shape(c, value).rank != 1) return NULL;
      out = TCC_NEW_ARRAY(c->importer->arena, double, na + nb + 1);
      memcpy(out, a, na * sizeof *a);
      memcpy(out + na, b, nb * sizeof *b);
      *out_count = na + nb;
      return out;
    }
    if (na != nb && na != 1 && nb != 1) return NULL;
    *out_count = na > nb ? na : nb;
    out = TCC_NEW_ARRAY(c->importer->arena, double, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) {
      double x = a[na == 1 ? 0 : i], y = b[nb == 1 ? 0 : i];
      out[i] = kind == TCC_OP_ADD ? x + y : kind == TCC_OP_SUB ? x - y : kind == TCC_OP_MUL ? x * y : x / y;
    }
    return out;
  default: return NULL;
  }
}

const double *import_known_reals(ImportCall *c, MlirValue value, size_t *out_count) {
  return value.ptr ? fold_reals(c, value, out_count, 0) : NULL;
}

const double *import_reals(ImportCall *c, size_t input, size_t *out_count) {
  *out_count = 0;
  if (!import_input(c, input).ptr) {
    import_invalid(c, "input %zu is missing", input);
    return NULL;
  }
  const double *values = fold_reals(c, import_input(c, input), out_count, 0);
  if (!values) explain_unknown(c, input);
  return values;
}

bool import_known_constant(ImportCall *c, MlirValue value, int64_t *out) {
  size_t count;
  const TccExpr *const *known = value.ptr ? tcc_symbolic_value(c->ir, value, &count) : NULL;
  return known && count == 1 && tcc_expr_is_const(known[0], out);
}

/* The size that a symbol has in the data of an input or that the caller told, else -1. */
static int64_t given_size(Importer *run, TccStr symbol) {
  for (size_t i = 0; i < run->arguments.count; i++) {
    const TccHostTensor *data = import_given_data(run, run->arguments.data[i]);
    MlirType type = mlirValueGetType(mlirBlockGetArgument(run->main, (intptr_t)i));
    for (int axis = 0; data && data->rank == tcc_type_rank(type) && axis < data->rank; axis++) {
      TccStr name;
      const TccExpr *size = tcc_type_dim(run->ir, type, axis);
      if (size && tcc_expr_is_symbol(size, &name) && tcc_str_equal(name, symbol)) return data->dims[axis];
    }
  }
  for (size_t i = 0; i < run->options->nhints; i++)
    if (tcc_str_equal(run->options->hints[i].name, symbol)) return run->options->hints[i].value;
  return -1;
}

typedef struct {
  Importer *run;
  char *wanted; /* " --dim NAME=..." for each symbol without a size */
} Unknowns;
static void find_unknown(TccStr name, void *user) {
  Unknowns *unknowns = user;
  if (given_size(unknowns->run, name) < 0)
    unknowns->wanted = tcc_arena_printf(unknowns->run->arena, "%s --dim %.*s=...", unknowns->wanted, TCC_STR_ARG(name));
}

const char *import_wanted_dims(ImportCall *c, const TccExpr *size) {
  Unknowns unknowns = {c->importer, ""};
  tcc_expr_symbols(size, find_unknown, &unknowns);
  return unknowns.wanted;
}

static void fix_symbol(TccStr name, void *user) {
  Importer *run = user;
  tcc_map_put(run->fixed, name, NULL)->integer = given_size(run, name);
}

bool import_size_is_given(ImportCall *c, const TccExpr *size) {
  return !tcc_expr_is_const(size, NULL) && !*import_wanted_dims(c, size);
}

bool import_fix_size(ImportCall *c, const TccExpr *size, int64_t *out) {
  if (tcc_expr_is_const(size, out)) return true;
  const char *wanted = import_wanted_dims(c, size);
  if (*wanted) return import_unsupported(c, "size '%s' must be a constant: give%s", tcc_expr_text(c->ir->exprs, size), wanted);
  tcc_expr_symbols(size, fix_symbol, c->importer);
  c->importer->restart = true;
  if (!c->reason) c->reason = "";
  return false;
}

static bool read_given(TccStr name, int64_t *out, void *user) {
  *out = given_size(user, name);
  return *out >= 0;
}

/* What e is of the sizes that are given; -1: not all are. */
static int64_t given_value(Importer *run, const TccExpr *e) {
  int64_t value;
  TccStatus *status = tcc_expr_eval(e, read_given, run, &value);
  if (!status) return value;
  tcc_status_destroy(status);
  return -1;
}

void import_fix_ones(Importer *run) {
  size_t count;
  const TccExpr *const *zeros = tcc_expr_assumptions(run->ir->exprs, &count), *side[2];
  for (size_t i = 0; i < count; i++) {
    tcc_expr_sides(run->ir->exprs, zeros[i], &side[0], &side[1]);
    int64_t left = given_value(run, side[0]), right = given_value(run, side[1]);
    bool broadcasts = (left == 1 && right > 1) || (right == 1 && left > 1);
    if (!broadcasts) continue;
    const TccExpr *one = side[left == 1 ? 0 : 1];
    if (tcc_expr_is_const(one, NULL)) continue; /* the other is not one, and may not be: the run says so */
    tcc_expr_symbols(one, fix_symbol, run);
    run->restart = true;
  }
}
