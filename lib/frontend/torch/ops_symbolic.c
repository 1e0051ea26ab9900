/* ops_symbolic.c - sizes and numbers: what Python computes beside the tensors, and what it asserts. */
#include "lib/frontend/torch/expr.h"
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

bool torch_op_nothing(ImportCall *c) {
  (void)c;
  return true;
}

/* ---- numbers ---- */
static bool real_of(const TorchNumber *n, double *out) {
  int64_t integer;
  if (n->value.ptr || n->holds) return false;
  *out = n->real;
  if (n->size && !tcc_expr_is_const(n->size, &integer)) return false;
  if (n->size) *out = (double)integer;
  return true;
}

enum { MOST_COUNTED = 1 << 20 };

static TccTorchRange range_of(ImportCall *c, TccStr symbol) {
  const TccTorchProgram *program = torch_import_of(c->importer)->archive->program;
  for (size_t i = 0; i < program->nranges; i++)
    if (tcc_str_equal(program->ranges[i].symbol, symbol)) return program->ranges[i];
  return (TccTorchRange){.least = INT64_MIN, .most = INT64_MAX};
}

/* Whether the symbol is a size so far, or the graph says that it is from 0 to 1,048,576: then arithmetic on it is arithmetic on sizes. */
static bool is_bounded(ImportCall *c, TccStr symbol) {
  const TccTorchRange range = range_of(c, symbol);
  return torch_named(torch_import_of(c->importer)->symbols, symbol) || (range.least >= 0 && range.most <= MOST_COUNTED);
}

static const TccExpr *whole_of(ImportCall *c, const TorchNumber *n) {
  if (n->kind == TORCH_INTEGER && n->symbol.length && is_bounded(c, n->symbol)) return torch_size_from_data(c, n->value, n->symbol);
  if (n->kind == TORCH_INTEGER) return n->size;
  return n->kind == TORCH_FLAG && !n->value.ptr && !n->holds ? import_size(c, (int64_t)n->real) : NULL;
}

static TorchNumber real(double value) { return (TorchNumber){.kind = TORCH_REAL, .real = value}; }
static TorchNumber whole(const TccExpr *size) { return (TorchNumber){.kind = TORCH_INTEGER, .size = size}; }
static TorchNumber flag(bool value) { return (TorchNumber){.kind = TORCH_FLAG, .real = value}; }

/* Whether e >= 0, or e = 0. */
static TorchNumber condition(const TccExpr *e, bool equal) {
  int64_t value;
  if (tcc_expr_is_const(e, &value)) return flag(equal ? value == 0 : value >= 0);
  if (!equal && tcc_expr_known_nonnegative(e)) return flag(true);
  return (TorchNumber){.kind = TORCH_FLAG, .holds = e, .equal = equal};
}

static bool of_sizes(ImportCall *c, const TccExpr *a, const TccExpr *b) {
  TccExprPool *pool = c->ir->exprs;
  const TccExpr *minus_one = import_size(c, -1);
  switch (c->kind) {
  case SYM_ADD: return torch_output_number(c, 0, whole(import_size_add(c, a, b)));
  case SYM_SUB: return torch_output_number(c, 0, whole(import_size_sub(c, a, b)));
  case SYM_MUL: return torch_output_number(c, 0, whole(import_size_mul(c, a, b)));
  case SYM_FLOORDIV:
    if (import_is_size(b, 0)) return import_invalid(c, "divides by 0");
    return torch_output_number(c, 0, whole(tcc_expr_call(pool, TCC_EXPR_FLOORDIV, a, b)));
  case SYM_MOD:
    if (import_is_size(b, 0)) return import_invalid(c, "divides by 0");
    return torch_output_number(c, 0, whole(tcc_expr_call(pool, TCC_EXPR_MOD, a, b)));
  case SYM_MAX: return torch_output_number(c, 0, whole(tcc_expr_call(pool, TCC_EXPR_MAX, a, b)));
  case SYM_MIN: return torch_output_number(c, 0, whole(tcc_expr_call(pool, TCC_EXPR_MIN, a, b)));
  case SYM_EQ: return torch_output_number(c, 0, condition(import_size_sub(c, a, b), true));
  case SYM_NE: { /* one of both differences is 1 or more */
    const TccExpr *far = tcc_expr_call(pool, TCC_EXPR_MAX, import_size_sub(c, a, b), import_size_sub(c, b, a));
    return torch_output_number(c, 0, condition(import_size_add(c, far, minus_one), false));
  }
  case SYM_GE: return torch_output_number(c, 0, condition(import_size_sub(c, a, b), false));
  case SYM_LE: return torch_output_number(c, 0, condition(import_size_sub(c, b, a), false));
  case SYM_GT: return torch_output_number(c, 0, condition(import_size_add(c, import_size_sub(c, a, b), minus_one), false));
  case SYM_LT: return torch_output_number(c, 0, condition(import_size_add(c, import_size_sub(c, b, a), minus_one), false));
  default: return import_unsupported(c, "a quotient of sizes that is no integer");
  }
}

static bool of_reals(ImportCall *c, double a, double b) {
  switch (c->kind) {
  case SYM_ADD: return torch_output_number(c, 0, real(a + b));
  case SYM_SUB: return torch_output_number(c, 0, real(a - b));
  case SYM_MUL: return torch_output_number(c, 0, real(a * b));
  case SYM_FLOORDIV: return torch_output_number(c, 0, real(floor(a / b)));
  case SYM_MOD: return torch_output_number(c, 0, real(a - floor(a / b) * b));
  case SYM_MAX: return torch_output_number(c, 0, real(a > b ? a : b));
  case SYM_MIN: return torch_output_number(c, 0, real(a < b ? a : b));
  case SYM_TRUEDIV: return torch_output_number(c, 0, real(a / b));
  case SYM_POW: return torch_output_number(c, 0, real(pow(a, b)));
  case SYM_EQ: return torch_output_number(c, 0, flag(a == b));
  case SYM_NE: return torch_output_number(c, 0, flag(a != b));
  case SYM_GE: return torch_output_number(c, 0, flag(a >= b));
  case SYM_LE: return torch_output_number(c, 0, flag(a <= b));
  case SYM_GT: return torch_output_number(c, 0, flag(a > b));
  default: return torch_output_number(c, 0, flag(a < b));
  }
}

/* x // y, rounded down as Python does. */
static MlirValue floor_quotient(ImportCall *c, MlirValue x, MlirValue y) {
  if (tcc_elem_is_float(tcc_value_elem(x))) return tcc_build1(&c->b, TCC_OP_FLOOR, torch_div(c, x, y));
  return torch_div(c, torch_sub(c, x, tcc_build2(&c->b, TCC_OP_MOD, x, y)), y);
}

/* Of numbers that are known when it runs alone. */
static bool of_data(ImportCall *c, const TorchNumber *a, const TorchNumber *b) {
  static const struct {
    int kind;
    const char *predicate; /* NULL: an op */
    TccOpKind op;
  } rows[] = {{SYM_ADD, NULL, TCC_OP_ADD}, {SYM_SUB, NULL, TCC_OP_SUB},
              {SYM_MUL, NULL, TCC_OP_MUL}, {SYM_TRUEDIV, NULL, TCC_OP_DIV},
              {SYM_MOD, NULL, TCC_OP_MOD}, {SYM_POW, NULL, TCC_OP_POW},
              {SYM_MAX, NULL, TCC_OP_MAX}, {SYM_MIN, NULL, TCC_OP_MIN},
              {SYM_EQ, "eq", 0},           {SYM_NE, "ne", 0},
              {SYM_GE, "ge", 0},           {SYM_LE, "le", 0},
              {SYM_GT, "gt", 0},           {SYM_LT, "lt", 0}};
  const bool is_real = a->kind == TORCH_REAL || b->kind == TORCH_REAL || c->kind == SYM_TRUEDIV;
  TccElem elem = is_real ? TCC_ELEM_F64 : TCC_ELEM_I64;
  MlirValue x = torch_number_value(c, a, elem), y = torch_number_value(c, b, elem);
  TorchNumber n = {.kind = is_real ? TORCH_REAL : TORCH_INTEGER};
  if (!x.ptr || !y.ptr) return false;
  if (c->kind == SYM_FLOORDIV) n.value = floor_quotient(c, x, y);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].kind != (int)c->kind) continue;
    if (rows[i].predicate) n.kind = TORCH_FLAG;
    n.value = rows[i].predicate ? tcc_build_compare(&c->b, rows[i].predicate, x, y) : tcc_build2(&c->b, rows[i].op, x, y);
  }
  return n.value.ptr ? torch_output_number(c, 0, n) : import_unsupported(c, "numbers that depend on data of the run");
}

/* Operands are named a and b, or stand without names. */
static TorchNumber operand(ImportCall *c, int index) {
  static const char *const names[] = {"a", "b"};
  char place[] = {'#', (char)('0' + index), 0};
  return torch_number(c, torch_argument(c, names[index]) ? names[index] : place);
}

bool torch_op_symbolic(ImportCall *c) {
  bool single = c->kind == SYM_NEG;
  TorchNumber a = operand(c, 0), b = single ? real(0) : operand(c, 1);
  double x, y;
  if (c->reason) return false;
  const TccExpr *i = whole_of(c, &a), *k = whole_of(c, &b);
  if (single && i) return torch_output_number(c, 0, whole(import_size_sub(c, import_size(c, 0), i)));
  if (!single && i && k && c->kind != SYM_TRUEDIV) return of_sizes(c, i, k);
  if (single && a.value.ptr) {
    a.symbol = (TccStr){0}, a.value = tcc_build1(&c->b, TCC_OP_NEG, a.value);
    return torch_output_number(c, 0, a);
  }
  if (!real_of(&a, &x) || !real_of(&b, &y)) return c->reason ? false : of_data(c, &a, &b);
  return single ? torch_output_number(c, 0, real(-x)) : of_reals(c, x, y);
}

/* The size that the graph says output 0 is, if it is an integer of which that is known. */
static const TccExpr *declared(ImportCall *c) {
  const TccTorchValue *made = tcc_torch_value(torch_call(c)->scope->graph, torch_call(c)->names[0]);
  return made && made->kind == TCC_TORCH_VALUE_INT ? torch_size_if_known(c, &made->size) : NULL;
}

/* A power, or a shift of a size by bits. */
bool torch_op_symbolic_power(ImportCall *c) {
  TorchNumber a = operand(c, 0), b = operand(c, 1);
  double x, y;
  if (c->reason) return false;
  const TccExpr *size = declared(c);
  if (size) return torch_output_number(c, 0, whole(size));
  if (c->kind == SYM_SHIFT) return import_unsupported(c, "bits of numbers that are no sizes");
  return real_of(&a, &x) && real_of(&b, &y) ? of_reals(c, x, y) : of_data(c, &a, &b);
}

bool torch_op_symbolic_real(ImportCall *c) {
  TorchNumber a = operand(c, 0);
  double x;
  if (c->reason) return false;
  if (real_of(&a, &x)) return torch_output_number(c, 0, real(x));
  MlirValue value = torch_number_value(c, &a, TCC_ELEM_F64);
  return value.ptr && torch_output_number(c, 0, (TorchNumber){.kind = TORCH_REAL, .value = value});
}

/* The integer beside a number. */
bool torch_op_symbolic_round(ImportCall *c) {
  const TccOpKind op = c->kind == SYM_FLOOR   ? TCC_OP_FLOOR
                       : c->kind == SYM_CEIL  ? TCC_OP_CEIL
                       : c->kind == SYM_TRUNC ? TCC_OP_TRUNC
                                              : TCC_OP_ROUND;
  TorchNumber a = operand(c, 0);
  if (c->reason) return false;
  if (torch_given(c, "#1")) return import_unsupported(c, "a number of digits");
  if (a.kind == TORCH_INTEGER) return torch_output_number(c, 0, a);
  const TccExpr *size = declared(c);
  if (size) return torch_output_number(c, 0, whole(size));
  MlirValue value = tcc_build1(&c->b, op, torch_number_value(c, &a, TCC_ELEM_F64));
  TorchNumber n = {.kind = TORCH_INTEGER, .value = torch_convert(c, value, TCC_ELEM_I64)};
  return n.value.ptr && torch_output_number(c, 0, n);
}

/* Conditions that sizes decide, and, or, as one: the smaller or larger of both must not be negative. */
static bool joined(ImportCall *c, const TorchNumber *a, const TorchNumber *b, TorchNumber *out) {
  if (!a->holds || !b->holds || a->equal || b->equal) return false;
  TccExprFunction fn = c->kind == SYM_AND ? TCC_EXPR_MIN : TCC_EXPR_MAX;
  *out = condition(tcc_expr_call(c->ir->exprs, fn, a->holds, b->holds), false);
  return true;
}

/* and, or, not of conditions. */
bool torch_op_symbolic_logic(ImportCall *c) {
  TorchNumber a = operand(c, 0), b = c->kind == SYM_NOT ? flag(true) : operand(c, 1), n = {.kind = TORCH_FLAG};
  if (c->reason) return false;
  if (a.kind != TORCH_FLAG || b.kind != TORCH_FLAG) return import_unsupported(c, "bits of numbers that are no conditions");
  if (c->kind == SYM_NOT && a.holds && !a.equal)
    return torch_output_number(c, 0, condition(import_size_sub(c, import_size(c, -1), a.holds), false));
  if (c->kind != SYM_NOT && joined(c, &a, &b, &n)) return torch_output_number(c, 0, n);
  MlirValue x = torch_number_value(c, &a, TCC_ELEM_BOOL), y = torch_number_value(c, &b, TCC_ELEM_BOOL);
  if (a.value.ptr || a.holds || b.value.ptr || b.holds) {
    n.value = c->kind == SYM_NOT   ? tcc_build1(&c->b, TCC_OP_NOT, x)
              : c->kind == SYM_AND ? torch_both(c, x, y)
                                   : torch_either(c, x, y);
    return n.value.ptr && torch_output_number(c, 0, n);
  }
  const bool p = a.real != 0, q = b.real != 0;
  return torch_output_number(c, 0, flag(c->kind == SYM_NOT ? !p : c->kind == SYM_AND ? p && q : p || q));
}

/* One of two numbers by a condition. */
bool torch_op_symbolic_choice(ImportCall *c) {
  TorchNumber condition = torch_number(c, "#0"), a = torch_number(c, "#1"), b = torch_number(c, "#2");
  if (c->reason) return false;
  if (!condition.value.ptr && !condition.holds) return torch_output_number(c, 0, condition.real != 0 ? a : b);
  const bool is_real = a.kind == TORCH_REAL || b.kind == TORCH_REAL;
  TccElem elem = is_real ? TCC_ELEM_F64 : TCC_ELEM_I64;
  TorchNumber n = {.kind = is_real ? TORCH_REAL : TORCH_INTEGER};
  n.value = torch_if(c, torch_number_value(c, &condition, TCC_ELEM_BOOL), torch_number_value(c, &a, elem),
                     torch_number_value(c, &b, elem));
  return n.value.ptr && torch_output_number(c, 0, n);
}

/* Of a list. */
bool torch_op_symbolic_sum(ImportCall *c) {
  const TorchNumber *items;
  size_t count;
  const TccExpr *size = import_size(c, 0);
  MlirValue value = torch_constant(c, TCC_ELEM_I64, 0);
  bool known = true;
  if (!torch_numbers(c, "#0", &items, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    const TccExpr *one = known ? whole_of(c, &items[i]) : NULL;
    known = one != NULL;
    if (known) size = import_size_add(c, size, one);
  }
  if (known) return torch_output_number(c, 0, whole(size));
  for (size_t i = 0; i < count; i++) value = torch_add(c, value, torch_number_value(c, &items[i], TCC_ELEM_I64));
  return value.ptr && torch_output_number(c, 0, (TorchNumber){.kind = TORCH_INTEGER, .value = value});
}

/* ---- of tensors ---- */
bool torch_op_sym_size(ImportCall *c) {
  ImportShape shape = import_shape(c, torch_tensor(c, "self"));
  int64_t axis;
  if (c->reason) return false;
  if (c->kind == SYM_NUMEL) return torch_output_number(c, 0, whole(import_product(c, shape.dims, shape.rank)));
  return torch_axis(c, "dim", shape.rank, &axis) && torch_output_number(c, 0, whole(shape.dims[axis]));
}

/* ---- numbers of the run as sizes ---- */
const TccExpr *torch_size_from_data(ImportCall *c, MlirValue value, TccStr symbol) {
  const int64_t most = range_of(c, symbol).most;
  TccMap *symbols = torch_import_of(c->importer)->symbols;
  const TccExpr *known = torch_named(symbols, symbol);
  if (known) return known;
  if (most < 0) {
    import_invalid(c, "a size that is at most %lld", (long long)most);
    return NULL;
  }
  const TccExpr *size = import_counted_size(c, value, import_size(c, most));
  if (size) torch_name(c, symbols, symbol, size);
  return size;
}

bool torch_op_item(ImportCall *c) {
  TorchNumber n = torch_number(c, "self");
  const TorchCall *call = torch_call(c);
  const TccTorchValue *made = call->noutputs ? tcc_torch_value(call->scope->graph, call->names[0]) : NULL;
  const TccExpr *e;
  if (c->reason) return false;
  if (n.kind == TORCH_INTEGER && made && made->kind == TCC_TORCH_VALUE_INT) {
    if (n.size && !torch_name_size(c, &made->size, n.size)) return false; /* of a constant, or of sizes */
    if (!import_fail_status(c, tcc_torch_size_expr(c->ir->exprs, &made->size, &e))) return false;
    if (n.value.ptr && tcc_expr_is_symbol(e, &n.symbol))
      torch_name(c, torch_import_of(c->importer)->numbers, n.symbol, n.value.ptr);
  }
  return torch_output_number(c, 0, n);
}

/* ---- what is asserted ---- */
/* The token of a functional assertion orders it among others; values do. */
static bool give_token(ImportCall *c) { return !c->kind || torch_output(c, 0, torch_tensor(c, "dep_token")); }

/* Of data, which the run checks. */
bool torch_assert(ImportCall *c, MlirValue holds, TccStr message) {
  int64_t known;
  if (!holds.ptr) return false;
  if (import_known_constant(c, holds, &known) && (known || !c->importer->uncertain))
    return known || import_invalid(c, "an assertion that never holds");
  TorchAssertion assertion = {*c, holds, message};
  TCC_VEC_PUSH(import_arena(c), &torch_call(c)->scope->assertions, assertion);
  return true;
}

static bool assert_value(ImportCall *c, MlirValue holds) {
  TccStr message = torch_given(c, "assert_msg") ? torch_string(c, "assert_msg") : tcc_str("");
  return torch_assert(c, holds, message.length ? message : tcc_str("an assertion does not hold"));
}

MlirValue torch_behind_assertions(ImportCall *c, TorchScope *scope, MlirValue value) {
  for (size_t i = 0; value.ptr && i < scope->assertions.count; i++) {
    TorchAssertion *assertion = &scope->assertions.data[i];
    value = import_assert(&assertion->node, value, assertion->holds, assertion->message);
    if (!value.ptr) c->reason = assertion->node.reason, c->is_unsupported = assertion->node.is_unsupported;
  }
  scope->assertions.count = 0;
  return value;
}

bool torch_op_assert_tensor(ImportCall *c) { return assert_value(c, torch_scalar(c, "self", TCC_ELEM_BOOL)) && give_token(c); }

/* with_effects(token, operator, ...): a token, then the operator's results. Of effects tcc has checks of the run alone, which what they check orders: nobody
 * reads tokens. */
bool torch_op_effects(ImportCall *c) {
  ImportShape token = torch_declared(c, 0);
  if (!token.elem) return import_invalid(c, "has no token");
  return torch_output(c, 0, torch_filled(c, torch_constant(c, token.elem, 0), token.rank, token.dims)) &&
         torch_call_operator(c, 1, 1);
}

bool torch_op_assert_scalar(ImportCall *c) {
  TorchNumber n = torch_number(c, "self");
  if (c->reason || !give_token(c)) return false;
  if (n.value.ptr) return assert_value(c, torch_number_value(c, &n, TCC_ELEM_BOOL));
  if (!n.holds) return n.real != 0 || (n.size && !import_is_size(n.size, 0)) || import_invalid(c, "an assertion that never holds");
  const TccExpr *e = n.holds;
  ImportCall asker = {.importer = c->importer, .op = tcc_str("assert"), .name = torch_string(c, "assert_msg")};
  c->importer->call = &asker;
  if (n.equal) tcc_expr_assume_zero(c->ir->exprs, e);
  else import_constrain(c->importer, e);
  c->importer->call = c;
  return !c->reason;
}

bool torch_op_constrain_range(ImportCall *c) {
  static const char *const names[] = {"min", "max"};
  const char *what = torch_argument(c, "size") ? "size" : "self";
  TorchNumber n = torch_number(c, what);
  for (int i = 0; i < 2 && n.size && !c->reason; i++) {
    if (!torch_given(c, names[i])) continue;
    const TccExpr *bound = torch_size(c, names[i]);
    int64_t value;
    if (!bound || (tcc_expr_is_const(bound, &value) && ((!i && value <= 2) || value == INT64_MAX))) continue;
    if (!import_require_at_most(c, i ? n.size : bound, i ? bound : n.size, "a range")) return false;
  }
  return !c->reason;
}
