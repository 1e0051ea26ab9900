/* symbolic.c - the values of small integer tensors as size expressions.
 *
 * Shape arithmetic of a model (Shape, Gather, Concat, Mul ... -> Reshape) is folded here, over the normal form of
 * expr.h, before anything else looks at the graph. A value is a row-major array of entries; an entry that is not known
 * is NULL, so that a slice of a half-known vector can still be known. Evaluation goes from a value down its operands,
 * remembers every answer (also "not known") by value, and stops at 4096 elements and at a depth that the stack can
 * hold. Memory of an erased op may be reused: building an op forgets its address, and an answer is valid only for the
 * op, type and operands that it was computed from. */
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { MOST_ENTRIES = 4096, MOST_DEPTH = 512 };

typedef struct {
  size_t count;
  const TccExpr **entries; /* NULL: nothing is known */
  bool complete;           /* no entry is NULL */
  const void *op_name, *type;
  uint64_t operands; /* hash of their addresses */
} Known;

typedef struct {
  TccIr *ir;
  TccExprPool *pool;
  TccOpKind kind;
  MlirOperation op;
  const TccTypeInfo *type;
  size_t count; /* of the result */
  const Known *operand[3];
  const TccTypeInfo *operand_type[3];
  bool is_float;
} Eval;

static const Known *lookup(TccIr *ir, MlirValue value, int depth);

static bool constant(const TccExpr *e, int64_t *out) { return e && tcc_expr_is_const(e, out); }
static const TccExpr *number(const Eval *eval, int64_t value) { return tcc_expr_const(eval->pool, value); }

static bool static_count(const TccTypeInfo *type, size_t *out) {
  size_t count = 1;
  for (int i = 0; i < type->rank; i++) {
    int64_t size;
    if (!constant(type->dims[i], &size) || !tcc_mul_size(count, (size_t)size, &count) || count > MOST_ENTRIES) return false;
  }
  *out = count;
  return true;
}

static int64_t dim(const TccTypeInfo *type, int axis) {
  int64_t size = 0;
  constant(type->dims[axis], &size);
  return size;
}

/* Splits a row-major position of type into an index, and back. */
static void unflatten(const TccTypeInfo *type, size_t position, int64_t *out_index) {
  for (int i = type->rank - 1; i >= 0; i--) {
    int64_t size = dim(type, i);
    out_index[i] = (int64_t)position % size;
    position /= (size_t)size;
  }
}

static size_t flatten(const TccTypeInfo *type, const int64_t *index) {
  size_t position = 0;
  for (int i = 0; i < type->rank; i++) position = position * (size_t)dim(type, i) + (size_t)index[i];
  return position;
}

/* The entry of operand k that broadcasts to position of the result. */
static const TccExpr *broadcast_entry(const Eval *eval, int k, size_t position) {
  const Known *known = eval->operand[k];
  if (!known || !known->entries) return NULL;
  if (known->count == 1) return known->entries[0];
  if (known->count == eval->count && eval->operand_type[k]->rank == eval->type->rank) return known->entries[position];
  int64_t index[TCC_MAX_RANK], source[TCC_MAX_RANK];
  unflatten(eval->type, position, index);
  int shift = eval->type->rank - eval->operand_type[k]->rank;
  for (int i = 0; i < eval->operand_type[k]->rank; i++) source[i] = dim(eval->operand_type[k], i) == 1 ? 0 : index[i + shift];
  return known->entries[flatten(eval->operand_type[k], source)];
}

/* ---- scalars ---- */
static const TccExpr *divide(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  int64_t x, y;
  if (eval->is_float) return constant(b, &y) && y == 0 ? NULL : tcc_expr_divide_exactly(eval->pool, a, b);
  if (constant(b, &y)) {
    if (y == 0) return number(eval, 0);
    if (constant(a, &x)) return x == INT64_MIN && y == -1 ? NULL : number(eval, x / y);
  }
  if (!tcc_expr_known_nonnegative(a) || !tcc_expr_known_nonnegative(b)) return tcc_expr_divide_exactly(eval->pool, a, b);
  return tcc_expr_call(eval->pool, TCC_EXPR_FLOORDIV, a, b);
}

static const TccExpr *modulo(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  int64_t x, y;
  if (constant(b, &y) && y == 0) return eval->is_float ? NULL : number(eval, 0);
  if (constant(a, &x) && constant(b, &y)) {
    if (y == -1) return number(eval, 0);
    int64_t rest = x % y;
    if (eval->kind == TCC_OP_MOD && rest != 0 && (rest < 0) != (y < 0)) rest += y;
    return number(eval, rest);
  }
  if (!tcc_expr_known_nonnegative(b) || (eval->kind == TCC_OP_FMOD && !tcc_expr_known_nonnegative(a))) return NULL;
  return tcc_expr_call(eval->pool, TCC_EXPR_MOD, a, b);
}

static const TccExpr *power(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  int64_t n;
  if (!constant(b, &n) || n < 0 || n > 8) return NULL;
  const TccExpr *result = number(eval, 1);
  for (int64_t i = 0; i < n; i++) result = tcc_expr_mul(eval->pool, result, a);
  return result;
}

/* ---- truth: an entry is 1 or 0, or an expression that is one of them whatever the symbols ---- */
static const TccExpr *negation(const Eval *eval, const TccExpr *a) { return tcc_expr_sub(eval->pool, number(eval, 1), a); }
static const TccExpr *both(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  return a && b && tcc_expr_modest_product(a, b) ? tcc_expr_mul(eval->pool, a, b) : NULL;
}

static const TccExpr *truth_table(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  const TccExpr *product = both(eval, a, b);
  if (eval->kind == TCC_OP_AND || !product) return product;
  const TccExpr *sum = tcc_expr_add(eval->pool, a, b);
  if (eval->kind == TCC_OP_XOR) product = tcc_expr_add(eval->pool, product, product);
  return tcc_expr_sub(eval->pool, sum, product);
}

static const TccExpr *bits(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  int64_t x, y;
  bool left = constant(a, &x), right = constant(b, &y);
  if (eval->type->elem == TCC_ELEM_BOOL && (eval->kind == TCC_OP_AND || eval->kind == TCC_OP_OR)) {
    bool decisive = eval->kind == TCC_OP_OR; /* one such operand decides */
    if ((left && (x != 0) == decisive) || (right && (y != 0) == decisive)) return number(eval, decisive);
  }
  if (!left || !right) return eval->type->elem == TCC_ELEM_BOOL ? truth_table(eval, a, b) : NULL;
  return number(eval, eval->kind == TCC_OP_AND ? (x & y) : eval->kind == TCC_OP_OR ? (x | y) : (x ^ y));
}

/* 1, 0, or -1 for "not decided". */
static int at_least(const Eval *eval, const TccExpr *a, const TccExpr *b) { /* a >= b */
  if (tcc_expr_known_nonnegative(tcc_expr_sub(eval->pool, a, b))) return 1;
  if (tcc_expr_known_nonnegative(tcc_expr_sub(eval->pool, tcc_expr_sub(eval->pool, b, a), number(eval, 1)))) return 0;
  return -1;
}

static int equal(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  if (tcc_expr_known_equal(a, b)) return 1;
  int64_t difference;
  if (constant(tcc_expr_sub(eval->pool, a, b), &difference)) return difference == 0;
  if (at_least(eval, a, b) == 0 || at_least(eval, b, a) == 0) return 0;
  return -1;
}

/* The same where the symbols decide: 1 or 0. */
static const TccExpr *at_least_or_not(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  const TccExpr *above = tcc_expr_add(eval->pool, tcc_expr_sub(eval->pool, a, b), number(eval, 1));
  return tcc_expr_call(eval->pool, TCC_EXPR_MIN, tcc_expr_call(eval->pool, TCC_EXPR_MAX, above, number(eval, 0)), number(eval, 1));
}

static const TccExpr *equal_or_not(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  const TccExpr *distance = tcc_expr_call(eval->pool, TCC_EXPR_MAX, tcc_expr_sub(eval->pool, a, b), tcc_expr_sub(eval->pool, b, a));
  return tcc_expr_call(eval->pool, TCC_EXPR_MAX, negation(eval, distance), number(eval, 0));
}

static const TccExpr *compare(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  TccStr predicate = tcc_string(eval->ir, eval->op, "predicate");
  bool negated = tcc_str_is(predicate, "ne") || tcc_str_is(predicate, "lt") || tcc_str_is(predicate, "gt");
  bool equality = tcc_str_is(predicate, "eq") || tcc_str_is(predicate, "ne");
  if (!equality && (tcc_str_is(predicate, "le") || tcc_str_is(predicate, "gt"))) {
    const TccExpr *swapped = a;
    a = b, b = swapped;
  }
  int truth = equality ? equal(eval, a, b) : at_least(eval, a, b);
  if (truth >= 0) return number(eval, negated ? !truth : truth);
  const TccExpr *open = equality ? equal_or_not(eval, a, b) : at_least_or_not(eval, a, b);
  return negated ? negation(eval, open) : open;
}

static const TccExpr *convert(const Eval *eval, const TccExpr *x) {
  int64_t value;
  if (eval->type->elem == TCC_ELEM_BOOL) {
    int zero = equal(eval, x, number(eval, 0));
    return zero < 0 ? negation(eval, equal_or_not(eval, x, number(eval, 0))) : number(eval, !zero);
  }
  unsigned width = tcc_elem_bits(eval->type->elem);
  if (tcc_elem_is_float(eval->type->elem)) {
    int64_t exact = eval->type->elem == TCC_ELEM_F64 ? (int64_t)1 << 53 : (int64_t)1 << 24;
    return !constant(x, &value) || (value <= exact && value >= -exact) ? x : NULL;
  }
  if (width == 64 && tcc_elem_is_signed(eval->type->elem)) return x;
  if (!constant(x, &value)) return width >= 32 ? x : NULL; /* a size is taken to fit 32 bits, as its tensor would not */
  int64_t low = tcc_elem_is_signed(eval->type->elem) ? -((int64_t)1 << (width - 1)) : 0;
  int64_t high = width >= 63 ? INT64_MAX : ((int64_t)1 << (width - (tcc_elem_is_signed(eval->type->elem) ? 1 : 0))) - 1;
  return value >= low && value <= high ? x : NULL;
}

static const TccExpr *unary(const Eval *eval, const TccExpr *x) {
  int64_t value;
  switch (eval->kind) {
  case TCC_OP_NEG: return tcc_expr_sub(eval->pool, number(eval, 0), x);
  case TCC_OP_ABS:
    return tcc_expr_known_nonnegative(x) ? x : constant(x, &value) && value != INT64_MIN ? number(eval, -value) : NULL;
  case TCC_OP_SIGN: return constant(x, &value) ? number(eval, (value > 0) - (value < 0)) : NULL;
  case TCC_OP_NOT:
    if (eval->type->elem == TCC_ELEM_BOOL) return negation(eval, x);
    return constant(x, &value) ? number(eval, ~value) : NULL;
  case TCC_OP_CONVERT: return convert(eval, x);
  case TCC_OP_RELU: return tcc_expr_call(eval->pool, TCC_EXPR_MAX, x, number(eval, 0));
  default: return x; /* floor, ceil, round, trunc of an integer */
  }
}

static const TccExpr *binary(const Eval *eval, const TccExpr *a, const TccExpr *b) {
  switch (eval->kind) {
  case TCC_OP_ADD: return tcc_expr_add(eval->pool, a, b);
  case TCC_OP_SUB: return tcc_expr_sub(eval->pool, a, b);
  case TCC_OP_MUL: return tcc_expr_mul(eval->pool, a, b);
  case TCC_OP_DIV: return divide(eval, a, b);
  case TCC_OP_MOD:
  case TCC_OP_FMOD: return modulo(eval, a, b);
  case TCC_OP_POW: return power(eval, a, b);
  case TCC_OP_MIN: return tcc_expr_call(eval->pool, TCC_EXPR_MIN, a, b);
  case TCC_OP_MAX: return tcc_expr_call(eval->pool, TCC_EXPR_MAX, a, b);
  case TCC_OP_COMPARE: return compare(eval, a, b);
  default: return NULL;
  }
}

static const TccExpr *clamp(const Eval *eval, size_t i, const TccExpr *x) {
  for (int k = 1; k <= 2; k++) {
    if (tcc_value_is_none(eval->ir, mlirOperationGetOperand(eval->op, k))) continue;
    const TccExpr *bound = broadcast_entry(eval, k, i);
    if (!bound) return NULL;
    x = tcc_expr_call(eval->pool, k == 1 ? TCC_EXPR_MAX : TCC_EXPR_MIN, x, bound);
  }
  return x;
}

/* ---- floor(a / b) of floats: the quotient itself is no integer, its rounding is ---- */
static const TccExpr *rounded_quotient(const Eval *eval, size_t i) {
  MlirValue x = mlirOperationGetOperand(eval->op, 0);
  if ((eval->kind != TCC_OP_FLOOR && eval->kind != TCC_OP_CEIL) || tcc_value_kind(eval->ir, x) != TCC_OP_DIV) return NULL;
  MlirOperation quotient = tcc_value_op(x);
  Eval inner = *eval;
  for (int k = 0; k < 2; k++) {
    MlirValue operand = mlirOperationGetOperand(quotient, k);
    inner.operand[k] = tcc_pointer_map_get(&eval->ir->tables->symbolic, operand.ptr);
    inner.operand_type[k] = tcc_type_info(eval->ir, mlirValueGetType(operand));
  }
  const TccExpr *a = broadcast_entry(&inner, 0, i), *b = broadcast_entry(&inner, 1, i);
  int64_t divisor;
  if (a && b && constant(b, &divisor) && divisor < 0) {
    const TccExpr *none = tcc_expr_const(eval->pool, 0);
    a = tcc_expr_sub(eval->pool, none, a), b = tcc_expr_sub(eval->pool, none, b);
  }
  if (!a || !b || !tcc_expr_known_nonnegative(b) || (constant(b, &divisor) && divisor == 0)) return NULL;
  return tcc_expr_call(eval->pool, eval->kind == TCC_OP_FLOOR ? TCC_EXPR_FLOORDIV : TCC_EXPR_CEILDIV, a, b);
}

/* ---- ops that move entries ---- */
static const TccExpr *moved(const Eval *eval, size_t i) {
  const Known *x = eval->operand[0];
  int64_t index[TCC_MAX_RANK], source[TCC_MAX_RANK], value;
  unflatten(eval->type, i, index);
  const int64_t *ints;
  size_t count;
  switch (eval->kind) {
  case TCC_OP_RESHAPE: return x->entries[i];
  case TCC_OP_BROADCAST: return broadcast_entry(eval, 0, i);
  case TCC_OP_IOTA: return number(eval, index[tcc_i64(eval->ir, eval->op, "axis")]);
  case TCC_OP_TRANSPOSE:
    tcc_get_ints(eval->ir, eval->op, "perm", &ints, &count);
    for (int k = 0; k < eval->type->rank; k++) source[ints[k]] = index[k];
    return x->entries[flatten(eval->operand_type[0], source)];
  case TCC_OP_SLICE: {
    const TccExpr *const *starts;
    tcc_get_exprs(eval->ir, eval->op, "starts", &starts, &count);
    tcc_get_ints(eval->ir, eval->op, "steps", &ints, &count);
    for (int k = 0; k < eval->type->rank; k++) {
      if (!constant(starts[k], &value)) return NULL;
      source[k] = value + index[k] * ints[k];
      if (source[k] < 0 || source[k] >= dim(eval->operand_type[0], k)) return NULL;
    }
    return x->entries[flatten(eval->operand_type[0], source)];
  }
  case TCC_OP_GATHER: {
    const TccTypeInfo *from = eval->operand_type[0], *by = eval->operand_type[1];
    int axis = (int)tcc_i64(eval->ir, eval->op, "axis");
    if (!eval->operand[1]->entries || !constant(eval->operand[1]->entries[flatten(by, index + axis)], &value)) return NULL;
    if (value < 0) value += dim(from, axis);
    if (value < 0 || value >= dim(from, axis)) return NULL;
    for (int k = 0; k < from->rank; k++) source[k] = k < axis ? index[k] : k == axis ? value : index[k - 1 + by->rank];
    return x->entries[flatten(from, source)];
  }
  case TCC_OP_CONCAT: {
    int axis = (int)tcc_i64(eval->ir, eval->op, "axis");
    int64_t first = dim(eval->operand_type[0], axis);
    int k = index[axis] < first ? 0 : 1;
    if (k) index[axis] -= first;
    return eval->operand[k]->entries ? eval->operand[k]->entries[flatten(eval->operand_type[k], index)] : NULL;
  }
  default: return NULL;
  }
}

/* ---- reductions ---- */
static void reduce(const Eval *eval, const TccExpr **out) {
  const TccTypeInfo *from = eval->operand_type[0];
  TccStr kind = tcc_string(eval->ir, eval->op, "kind");
  bool sum = tcc_str_is(kind, "sum"), prod = tcc_str_is(kind, "prod"), max = tcc_str_is(kind, "max"), min = tcc_str_is(kind, "min");
  const int64_t *axes;
  size_t naxes;
  tcc_get_ints(eval->ir, eval->op, "axes", &axes, &naxes);
  if (!(sum || prod || max || min)) return;
  bool mask[TCC_MAX_RANK] = {false}, keepdims = tcc_bool(eval->ir, eval->op, "keepdims");
  for (size_t i = 0; i < naxes; i++) mask[axes[i]] = true;
  bool *started = TCC_NEW_ARRAY(eval->ir->arena, bool, eval->count + 1);
  if (sum || prod)
    for (size_t i = 0; i < eval->count; i++) out[i] = number(eval, prod), started[i] = true;
  for (size_t i = 0; i < eval->operand[0]->count; i++) {
    int64_t index[TCC_MAX_RANK], target[TCC_MAX_RANK];
    unflatten(from, i, index);
    int rank = 0;
    for (int k = 0; k < from->rank; k++)
      if (!mask[k]) target[rank++] = index[k];
      else if (keepdims) target[rank++] = 0;
    size_t to = flatten(eval->type, target);
    const TccExpr *entry = eval->operand[0]->entries[i];
    if (!started[to]) out[to] = entry, started[to] = true;
    else if (!entry || !out[to]) out[to] = NULL;
    else if (sum) out[to] = tcc_expr_add(eval->pool, out[to], entry);
    else if (prod) out[to] = tcc_expr_mul(eval->pool, out[to], entry);
    else out[to] = tcc_expr_call(eval->pool, max ? TCC_EXPR_MAX : TCC_EXPR_MIN, out[to], entry);
  }
}

static void constant_entries(const Eval *eval, const TccExpr **out) {
  size_t count;
  const void *data = tcc_constant_data(eval->ir, mlirOperationGetResult(eval->op, 0), &count);
  for (size_t i = 0; data && i < count; i++) {
    if (!eval->is_float) {
      out[i] = number(eval, tcc_elem_load_i64(eval->type->elem, data, i));
      continue;
    }
    double value = tcc_elem_load_f64(eval->type->elem, data, i);
    if (fabs(value) <= 9007199254740992.0 && value == floor(value)) out[i] = number(eval, (int64_t)value);
  }
}

/* Whether kind is followed, and how many of its operands must be evaluated. */
static int followed_operands(TccOpKind kind) {
  switch (kind) {
  case TCC_OP_CONSTANT:
  case TCC_OP_SIZES:
  case TCC_OP_IOTA: return 0;
  case TCC_OP_NEG:
  case TCC_OP_ABS:
  case TCC_OP_SIGN:
  case TCC_OP_NOT:
  case TCC_OP_FLOOR:
  case TCC_OP_CEIL:
  case TCC_OP_ROUND:
  case TCC_OP_TRUNC:
  case TCC_OP_CONVERT:
  case TCC_OP_RELU:
  case TCC_OP_RESHAPE:
  case TCC_OP_BROADCAST:
  case TCC_OP_TRANSPOSE:
  case TCC_OP_SLICE:
  case TCC_OP_REDUCE: return 1;
  case TCC_OP_ADD:
  case TCC_OP_SUB:
  case TCC_OP_MUL:
  case TCC_OP_DIV:
  case TCC_OP_MOD:
  case TCC_OP_FMOD:
  case TCC_OP_POW:
  case TCC_OP_MIN:
  case TCC_OP_MAX:
  case TCC_OP_AND:
  case TCC_OP_OR:
  case TCC_OP_XOR:
  case TCC_OP_COMPARE:
  case TCC_OP_GATHER:
  case TCC_OP_CONCAT: return 2;
  case TCC_OP_SELECT:
  case TCC_OP_CLAMP: return 3;
  default: return -1;
  }
}

/* Entries are exact integers, tensors wrap: a constant that its element type does not hold is not known. */
static const TccExpr *in_range(const Eval *eval, const TccExpr *e) {
  int64_t value;
  TccElem elem = eval->type->elem;
  if (!constant(e, &value) || elem == TCC_ELEM_BOOL || tcc_elem_is_float(elem)) return e;
  if (tcc_elem_is_unsigned(elem) && value < 0) return NULL;
  unsigned bits = tcc_elem_bits(elem) - (tcc_elem_is_signed(elem) ? 1 : 0);
  int64_t limit = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
  return value > limit || value < -limit - 1 ? NULL : e;
}

/* Where symbols decide, no + condition * (yes - no). */
static const TccExpr *chosen(const Eval *eval, const TccExpr *condition, const TccExpr *yes, const TccExpr *no) {
  int64_t truth;
  if (constant(condition, &truth)) return truth ? yes : no;
  if (!yes || !no) return NULL;
  if (tcc_expr_known_equal(yes, no)) return yes;
  const TccExpr *more = both(eval, condition, tcc_expr_sub(eval->pool, yes, no));
  return more ? tcc_expr_add(eval->pool, no, more) : NULL;
}

static const TccExpr *elementwise(const Eval *eval, int noperands, size_t i) {
  const TccExpr *a = broadcast_entry(eval, 0, i), *b = noperands > 1 ? broadcast_entry(eval, 1, i) : NULL;
  if (eval->kind == TCC_OP_AND || eval->kind == TCC_OP_OR || eval->kind == TCC_OP_XOR) return bits(eval, a, b);
  if (eval->kind == TCC_OP_SELECT) return chosen(eval, a, b, broadcast_entry(eval, 2, i));
  if (noperands == 1 && !a) return rounded_quotient(eval, i);
  if (!a) return NULL;
  if (eval->kind == TCC_OP_CLAMP) return clamp(eval, i, a);
  return noperands == 1 ? unary(eval, a) : b ? binary(eval, a, b) : NULL;
}

static bool is_elementwise(TccOpKind kind) { return tcc_op_has_trait(kind, 'E'); }

/* Fills known->entries if the op says something about its value. */
static void evaluate(TccIr *ir, MlirOperation op, Known *known, int depth) {
  Eval eval = {.ir = ir, .pool = ir->exprs, .kind = tcc_op_kind(ir, op), .op = op};
  int noperands = followed_operands(eval.kind);
  if (noperands < 0) return;
  eval.type = tcc_type_info(ir, mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (!eval.type || !static_count(eval.type, &eval.count)) return;
  eval.is_float = tcc_elem_is_float(eval.type->elem);
  bool any = noperands == 0;
  for (int i = 0; i < noperands; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    eval.operand[i] = lookup(ir, operand, depth + 1);
    eval.operand_type[i] = tcc_type_info(ir, mlirValueGetType(operand));
    any = any || (eval.operand[i] && eval.operand[i]->entries);
  }
  bool quotient = eval.kind == TCC_OP_FLOOR || eval.kind == TCC_OP_CEIL;
  if (!any && !quotient) return;
  bool moves = !is_elementwise(eval.kind);
  if (moves && noperands >= 1 && eval.kind != TCC_OP_CONCAT && !eval.operand[0]->entries) return;
  const TccExpr **entries = TCC_NEW_ARRAY(ir->arena, const TccExpr *, eval.count ? eval.count : 1);
  if (eval.kind == TCC_OP_CONSTANT) {
    constant_entries(&eval, entries);
  } else if (eval.kind == TCC_OP_SIZES) {
    const TccExpr *const *values;
    size_t count;
    if (tcc_get_exprs(ir, op, "values", &values, &count) && count) memcpy(entries, values, count * sizeof *values);
  } else if (eval.kind == TCC_OP_REDUCE) {
    reduce(&eval, entries);
  } else {
    for (size_t i = 0; i < eval.count; i++) entries[i] = moves ? moved(&eval, i) : elementwise(&eval, noperands, i);
  }
  for (size_t i = 0; i < eval.count; i++) entries[i] = in_range(&eval, entries[i]);
  known->complete = true;
  bool useful = eval.count == 0;
  for (size_t i = 0; i < eval.count; i++) {
    if (entries[i]) useful = true;
    else known->complete = false;
  }
  if (!useful) return;
  known->count = eval.count;
  known->entries = entries;
}

static uint64_t operands_hash(MlirOperation op) {
  uint64_t hash = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    const void *address = mlirOperationGetOperand(op, i).ptr;
    hash = tcc_hash(&address, sizeof address, hash);
  }
  return hash;
}

static const Known unknown_value;

static const Known *lookup(TccIr *ir, MlirValue value, int depth) {
  MlirOperation op = tcc_value_op(value);
  if (mlirOperationIsNull(op) || depth > MOST_DEPTH) return &unknown_value;
  Known *known = tcc_pointer_map_get(&ir->tables->symbolic, value.ptr);
  const void *name = mlirOperationGetName(op).ptr, *type = mlirValueGetType(value).ptr;
  uint64_t operands = operands_hash(op);
  if (known && known->op_name == name && known->type == type && known->operands == operands) return known;
  known = TCC_NEW(ir->arena, Known);
  *known = (Known){.op_name = name, .type = type, .operands = operands};
  if (mlirOpResultGetResultNumber(value) == 0) evaluate(ir, op, known, depth);
  tcc_pointer_map_set(&ir->tables->symbolic, value.ptr, known);
  return known;
}

const TccExpr *const *tcc_symbolic_value(TccIr *ir, MlirValue value, size_t *out_count) {
  const Known *known = lookup(ir, value, 0);
  *out_count = 0;
  if (!known->entries || !known->complete) return NULL;
  *out_count = known->count;
  return (const TccExpr *const *)known->entries;
}

void tcc_symbolic_forget(TccIr *ir) { ir->tables->symbolic = (TccPointerMap){.arena = ir->arena}; }
