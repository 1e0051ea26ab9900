/* ops_training.c - ai.onnx.preview.training: optimisers, of which one node updates any number of tensors, and derivatives.
 *
 * Of optimisers inputs are the rate R, the number T of updates done, then tensors X, gradients G and states, all of a kind together; outputs are new X and
 * states in that order. Arithmetic is that of the tensors' type, the rate's of R's. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

typedef struct {
  ImportCall *c;
  MlirValue rate, done; /* done: T in the rate's type */
  size_t count;         /* tensors */
} Training;

static MlirValue plus(Training *t, MlirValue a, MlirValue b) { return tcc_build2(&t->c->b, TCC_OP_ADD, a, b); }
static MlirValue minus(Training *t, MlirValue a, MlirValue b) { return tcc_build2(&t->c->b, TCC_OP_SUB, a, b); }
static MlirValue times(Training *t, MlirValue a, MlirValue b) { return tcc_build2(&t->c->b, TCC_OP_MUL, a, b); }
static MlirValue over(Training *t, MlirValue a, MlirValue b) { return tcc_build2(&t->c->b, TCC_OP_DIV, a, b); }
static MlirValue scaled(Training *t, MlirValue a, double by) { return tcc_build2_number(&t->c->b, TCC_OP_MUL, a, by); }
static MlirValue root(Training *t, MlirValue a) { return tcc_build1(&t->c->b, TCC_OP_SQRT, a); }
static MlirValue raised(Training *t, MlirValue a, double by) { return tcc_build2_number(&t->c->b, TCC_OP_ADD, a, by); }
static MlirValue as(Training *t, MlirValue scalar, MlirValue like) {
  return tcc_build_convert(&t->c->b, scalar, tcc_value_elem(like));
}

/* kinds: of inputs behind R and T. */
static bool begin(ImportCall *c, size_t kinds, Training *t) {
  size_t n = c->ninputs;
  if (!import_need(c, n)) return false;
  if (n < 2 + kinds || (n - 2) % kinds) return import_invalid(c, "%zu inputs are not R, T and %zu of each tensor", n, kinds);
  *t = (Training){c, import_input(c, 0), {NULL}, (n - 2) / kinds};
  if (!tcc_elem_is_float(tcc_value_elem(t->rate))) return import_invalid(c, "R is no float");
  t->done = tcc_build_convert(&c->b, import_input(c, 1), tcc_value_elem(t->rate));
  return t->done.ptr != NULL;
}

static MlirValue input(Training *t, size_t kind, size_t i) { return import_input(t->c, 2 + kind * t->count + i); }
static bool output(Training *t, size_t kind, size_t i, MlirValue value) {
  return value.ptr && import_output(t->c, kind * t->count + i, value);
}

/* G, and the derivative of norm_coefficient / 2 times the sum of X's squares. */
static MlirValue gradient(Training *t, size_t i) {
  return plus(t, scaled(t, input(t, 0, i), onnx_float(t->c, "norm_coefficient", 0)), input(t, 1, i));
}

/* 1 - beta^T */
static MlirValue correction(Training *t, double beta) {
  MlirValue base = tcc_build_scalar(&t->c->b, tcc_value_elem(t->rate), beta);
  return raised(t, scaled(t, tcc_build2(&t->c->b, TCC_OP_POW, base, t->done), -1), 1);
}

/* One value before the first update, another one behind it. */
static MlirValue by_done(Training *t, MlirValue first, MlirValue later) {
  MlirValue zero = tcc_build_scalar(&t->c->b, tcc_value_elem(t->done), 0);
  return tcc_build_select(&t->c->b, tcc_build_compare(&t->c->b, "gt", t->done, zero), later, first);
}

bool onnx_op_adagrad(ImportCall *c) {
  Training t;
  if (!begin(c, 3, &t)) return false;
  MlirValue rate = over(&t, t.rate, raised(&t, scaled(&t, t.done, onnx_float(c, "decay_factor", 0)), 1));
  for (size_t i = 0; i < t.count; i++) {
    MlirValue x = input(&t, 0, i), g = gradient(&t, i), h = plus(&t, input(&t, 2, i), times(&t, g, g));
    MlirValue size = raised(&t, root(&t, h), onnx_float(c, "epsilon", 0));
    if (!output(&t, 0, i, minus(&t, x, over(&t, times(&t, as(&t, rate, x), g), size))) || !output(&t, 1, i, h)) return false;
  }
  return true;
}

bool onnx_op_adam(ImportCall *c) {
  Training t;
  if (!begin(c, 4, &t)) return false;
  double alpha = onnx_float(c, "alpha", 0.9), beta = onnx_float(c, "beta", 0.999);
  MlirValue corrected = over(&t, times(&t, t.rate, root(&t, correction(&t, beta))), correction(&t, alpha));
  MlirValue rate = by_done(&t, t.rate, corrected);
  for (size_t i = 0; i < t.count; i++) {
    MlirValue x = input(&t, 0, i), g = gradient(&t, i);
    MlirValue v = plus(&t, scaled(&t, input(&t, 2, i), alpha), scaled(&t, g, 1 - alpha));
    MlirValue h = plus(&t, scaled(&t, input(&t, 3, i), beta), scaled(&t, times(&t, g, g), 1 - beta));
    MlirValue size = raised(&t, root(&t, h), onnx_float(c, "epsilon", 0));
    x = minus(&t, x, over(&t, times(&t, as(&t, rate, x), v), size));
    x = scaled(&t, x, 1 - onnx_float(c, "norm_coefficient_post", 0));
    if (!output(&t, 0, i, x) || !output(&t, 1, i, v) || !output(&t, 2, i, h)) return false;
  }
  return true;
}

bool onnx_op_momentum(ImportCall *c) {
  Training t;
  TccStr mode = onnx_string(c, "mode", "");
  bool nesterov = tcc_str_is(mode, "nesterov");
  if (!nesterov && !tcc_str_is(mode, "standard"))
    return import_invalid(c, "mode is '%.*s', neither standard nor nesterov", TCC_STR_ARG(mode));
  if (!begin(c, 3, &t)) return false;
  double alpha = onnx_float(c, "alpha", 0);
  TccElem elem = tcc_value_elem(t.rate);
  MlirValue part = by_done(&t, tcc_build_scalar(&c->b, elem, 1), tcc_build_scalar(&c->b, elem, onnx_float(c, "beta", 0)));
  for (size_t i = 0; i < t.count; i++) {
    MlirValue x = input(&t, 0, i), g = gradient(&t, i);
    MlirValue v = plus(&t, scaled(&t, input(&t, 2, i), alpha), times(&t, as(&t, part, x), g));
    MlirValue by = nesterov ? plus(&t, g, scaled(&t, v, alpha)) : v;
    if (!output(&t, 0, i, minus(&t, x, times(&t, as(&t, t.rate, x), by))) || !output(&t, 1, i, v)) return false;
  }
  return true;
}

/* ---- Gradient ---- */
/* The tensor that an attribute names; null and a reason if there is none, or none of floats. */
static MlirValue tensor_named(ImportCall *c, const char *what, TccStr name) {
  const ImportValue *value = import_scope_find(c->scope, name);
  if (value && value->kind == IMPORT_TENSOR && tcc_elem_is_float(tcc_value_elem(value->tensor))) return value->tensor;
  import_invalid(c, "%s names '%.*s', which is no tensor of floats that is defined before it", what, TCC_STR_ARG(name));
  return (MlirValue){NULL};
}

/* Whether `value` is computed from `from`; *seen: what has been looked at. */
static bool depends_on(MlirValue value, MlirValue from, TccMap *seen) {
  bool inserted;
  if (mlirValueEqual(value, from)) return true;
  if (mlirValueIsABlockArgument(value)) return false;
  MlirOperation op = tcc_value_op(value);
  const void *key = op.ptr;
  tcc_map_put(seen, tcc_key_pointer(&key), &inserted);
  for (intptr_t i = 0; inserted && i < mlirOperationGetNumOperands(op); i++)
    if (depends_on(mlirOperationGetOperand(op, i), from, seen)) return true;
  return false;
}

/* Appends what an attribute names to values, which the next inputs of the node must be. */
static bool read_named(ImportCall *c, const char *attribute, MlirValue *values, size_t *count) {
  const TccStr *names;
  size_t n = 0;
  if (!onnx_has_attribute(c, attribute)) return true;
  if (!onnx_strings(c, attribute, &names, &n) || *count + n > c->ninputs)
    return import_invalid(c, "%s has another number of entries than there are inputs", attribute);
  for (size_t i = 0; i < n; i++, (*count)++) {
    MlirValue value = tensor_named(c, attribute, names[i]), input = import_input(c, *count);
    if (!value.ptr || !input.ptr) return false;
    if (!mlirValueEqual(value, input))
      return import_unsupported(c, "input %zu is not '%.*s', which %s names", *count, TCC_STR_ARG(names[i]), attribute);
    values[*count] = value;
  }
  return true;
}

/* dy/dx for each x of xs, at the values that the graph has; zs are constants beside them. None of xs and zs may depend on another: each is an
 * input of what is differentiated. */
bool onnx_op_gradient(ImportCall *c) {
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, c->ninputs + 1),
            *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, c->ninputs + 1);
  size_t nxs = 0, count = 0;
  if (!read_named(c, "xs", values, &nxs)) return false;
  count = nxs;
  if (!nxs || !read_named(c, "zs", values, &count) || count != c->ninputs || c->noutputs > nxs)
    return import_invalid(c, "xs and zs must name its inputs, and an output for each of xs at most");
  MlirValue y = tensor_named(c, "y", onnx_string(c, "y", ""));
  if (!y.ptr) return false;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++)
      if (i != k && depends_on(values[i], values[k], tcc_map_create(import_arena(c))))
        return import_unsupported(c, "input %zu depends on input %zu", i, k);
  if (!import_gradient(c, y, values, nxs, out)) return false;
  for (size_t i = 0; i < c->noutputs; i++)
    if (!import_output(c, i, out[i])) return false;
  return true;
}
