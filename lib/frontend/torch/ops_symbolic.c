/* ops_symbolic.c - sizes and numbers: what Python computes beside the tensors, and what it asserts. */
#include "lib/frontend/torch/expr.h"
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
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

static const TccExpr *whole_of(ImportCall *c, const TorchNumber *n) {
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
  case SYM_EQ: return torch_output_number(c, 0, flag(a == b));
  case SYM_GE: return torch_output_number(c, 0, flag(a >= b));
  case SYM_LE: return torch_output_number(c, 0, flag(a <= b));
  case SYM_GT: return torch_output_number(c, 0, flag(a > b));
  default: return torch_output_number(c, 0, flag(a < b));
  }
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
  if (!real_of(&a, &x) || !real_of(&b, &y)) return import_unsupported(c, "numbers that depend on data of the run");
  return single ? torch_output_number(c, 0, real(-x)) : of_reals(c, x, y);
}

/* ---- of tensors ---- */
bool torch_op_sym_size(ImportCall *c) {
  ImportShape shape = import_shape(c, torch_tensor(c, "self"));
  int64_t axis;
  if (c->reason) return false;
  if (c->kind == SYM_NUMEL) return torch_output_number(c, 0, whole(import_product(c, shape.dims, shape.rank)));
  return torch_axis(c, "dim", shape.rank, &axis) && torch_output_number(c, 0, whole(shape.dims[axis]));
}

bool torch_op_item(ImportCall *c) {
  TorchNumber n = torch_number(c, "self");
  return !c->reason && torch_output_number(c, 0, n);
}

/* ---- what is asserted ---- */
bool torch_op_assert_scalar(ImportCall *c) {
  TorchNumber n = torch_number(c, "self");
  if (c->reason) return false;
  if (n.value.ptr) return true; /* of data: nothing in the graph depends on whether it holds */
  if (!n.holds) return n.real != 0 || (n.size && !import_is_size(n.size, 0)) || import_invalid(c, "an assertion that never holds");
  const TccExpr *e = n.holds;
  if (n.equal) tcc_expr_assume_zero(c->ir->exprs, e);
  else import_constrain(c->importer, e);
  return true;
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
