/* simplify_algebra.c - identities of elementwise ops.
 *
 * x + 0, x * 1 and the like give x where the type stays. Floats keep NaN and infinities: x * 0 is folded for integers
 * only; x + 0.0 gives x although -0.0 + 0.0 is +0.0, a difference that no consumer but a division by it sees: with tcc.numerics =
 * "eager" only x + -0.0 and x - 0.0 do, which are x to the bit. */
#include "passes/simplify/simplify.h"
#include "tcc/op_kinds.h"
#include <math.h>

static const MlirValue none = {NULL};

/* v, if it has the result's type; else v broadcast to it. */
static MlirValue as_result(Simplify *s, MlirValue v) {
  MlirType type = simplify_type(s);
  if (mlirTypeEqual(mlirValueGetType(v), type)) return v;
  if (tcc_type_elem(mlirValueGetType(v)) != tcc_type_elem(type)) return none;
  TccBuilder b = tcc_simplify_builder(s);
  const TccTypeInfo *info = tcc_type_info(s->ir, type);
  return tcc_simplify_made(s, tcc_build_broadcast(&b, v, info->rank, info->dims));
}

static bool same_type(const Simplify *s, MlirValue v) { return mlirTypeEqual(mlirValueGetType(v), simplify_type(s)); }

static bool is_splat(const Simplify *s, MlirValue v, double value) {
  double splat;
  return tcc_simplify_splat(s->ir, v, &splat) && splat == value;
}

/* x + v or x - v is x. */
static bool adds_nothing(const Simplify *s, MlirValue v, bool subtracted) {
  double splat;
  if (!tcc_simplify_splat(s->ir, v, &splat) || splat != 0) return false;
  return !s->eager || !tcc_elem_is_float(tcc_type_elem(simplify_type(s))) || (signbit(splat) != 0) != subtracted;
}

static MlirValue binary(Simplify *s) {
  MlirValue a = simplify_operand(s, 0), b = simplify_operand(s, 1);
  bool is_float = tcc_elem_is_float(tcc_type_elem(simplify_type(s)));
  switch (s->kind) {
  case TCC_OP_ADD:
    if (adds_nothing(s, b, false) && same_type(s, a)) return a;
    return adds_nothing(s, a, false) && same_type(s, b) ? b : none;
  case TCC_OP_SUB: return adds_nothing(s, b, true) && same_type(s, a) ? a : none;
  case TCC_OP_MUL:
    if (is_splat(s, b, 1) && same_type(s, a)) return a;
    if (is_splat(s, a, 1) && same_type(s, b)) return b;
    if (!is_float && is_splat(s, b, 0)) return as_result(s, b);
    return !is_float && is_splat(s, a, 0) ? as_result(s, a) : none;
  case TCC_OP_DIV: return is_splat(s, b, 1) && same_type(s, a) ? a : none;
  case TCC_OP_POW: return is_splat(s, b, 1) && same_type(s, a) ? a : none;
  case TCC_OP_MIN:
  case TCC_OP_MAX: return mlirValueEqual(a, b) ? a : none;
  case TCC_OP_AND:
  case TCC_OP_OR: {
    if (mlirValueEqual(a, b)) return a;
    if (tcc_type_elem(simplify_type(s)) != TCC_ELEM_BOOL) return none;
    double neutral = s->kind == TCC_OP_AND; /* true and x = x; false or x = x; the other value decides */
    for (int k = 0; k < 2; k++) {
      MlirValue constant = k ? a : b, other = k ? b : a;
      if (is_splat(s, constant, neutral)) return as_result(s, other);
      if (is_splat(s, constant, !neutral)) return as_result(s, constant);
    }
    return none;
  }
  default: return none;
  }
}

static bool is_one_element(MlirValue v) {
  MlirType type = tcc_value_type(v);
  return tcc_type_rank(type) == 0 && tcc_type_is_static(type);
}

/* select(broadcast(c), x, y) of numbers x and y -> broadcast(select(c, x, y)): a mask of keys stays as small as it is. */
static MlirValue select_below_broadcast(Simplify *s) {
  MlirValue c = simplify_operand(s, 0), x = simplify_operand(s, 1), y = simplify_operand(s, 2);
  if (tcc_value_kind(s->ir, c) != TCC_OP_BROADCAST || !is_one_element(x) || !is_one_element(y)) return none;
  TccBuilder b = tcc_simplify_builder(s);
  return as_result(s, tcc_simplify_made(s, tcc_build_select(&b, mlirOperationGetOperand(tcc_value_op(c), 0), x, y)));
}

static MlirValue select(Simplify *s) {
  MlirValue a = simplify_operand(s, 1), b = simplify_operand(s, 2);
  double condition;
  if (mlirValueEqual(a, b)) return as_result(s, a);
  if (!tcc_simplify_splat(s->ir, simplify_operand(s, 0), &condition)) return select_below_broadcast(s);
  return as_result(s, condition != 0 ? a : b);
}

/* Every value of `from` is exact in `to`. */
static bool is_exact(TccElem from, TccElem to) {
  if (from == TCC_ELEM_BOOL) return tcc_elem_is_float(to) || tcc_elem_is_integer(to);
  if (tcc_elem_is_float(from) != tcc_elem_is_float(to)) return false;
  if (tcc_elem_is_float(from)) return tcc_elem_bits(to) > tcc_elem_bits(from) && tcc_elem_bits(to) >= 32;
  if (tcc_elem_is_signed(from) && !tcc_elem_is_signed(to)) return false;
  return tcc_elem_bits(to) > tcc_elem_bits(from) || (from == to);
}

static MlirValue unary(Simplify *s) {
  MlirValue x = simplify_operand(s, 0);
  MlirOperation inner = tcc_value_op(x);
  TccOpKind kind = tcc_value_kind(s->ir, x);
  switch (s->kind) {
  case TCC_OP_NEG:
  case TCC_OP_NOT: return kind == s->kind ? mlirOperationGetOperand(inner, 0) : none;
  case TCC_OP_ABS:
  case TCC_OP_RELU:
  case TCC_OP_FLOOR:
  case TCC_OP_CEIL:
  case TCC_OP_ROUND:
  case TCC_OP_TRUNC:
  case TCC_OP_SIGN: return kind == s->kind ? x : none;
  case TCC_OP_CONVERT:
    if (same_type(s, x)) return x;
    if (kind == TCC_OP_CONVERT) {
      MlirValue source = mlirOperationGetOperand(inner, 0);
      if (same_type(s, source) && is_exact(tcc_type_elem(mlirValueGetType(source)), tcc_type_elem(mlirValueGetType(x))))
        return source;
    }
    return none;
  case TCC_OP_BITCAST: return same_type(s, x) ? x : none;
  default: return none;
  }
}

/* ---- compare: decided by the range of its operands ----
 *
 * A mask of one decoded token compares positions 0 ... past with `past`: always true, and the mask is no mask. */
typedef struct {
  const TccExpr *low, *high;
} Range;

static bool range_of(Simplify *s, MlirValue v, int depth, Range *out) {
  size_t count;
  MlirOperation op = tcc_value_op(v);
  TccExprPool *pool = s->ir->exprs;
  Range a, b;
  if (mlirOperationIsNull(op) || depth == 0) return false;
  const TccExpr *const *known = tcc_symbolic_value(s->ir, v, &count);
  if (known && count == 1) return *out = (Range){known[0], known[0]}, true;
  TccOpKind kind = tcc_op_kind(s->ir, op);
  switch (kind) {
  case TCC_OP_IOTA: {
    const TccExpr *extent = tcc_type_dim(s->ir, mlirValueGetType(v), (int)tcc_i64(s->ir, op, "axis"));
    if (!extent) return false;
    *out = (Range){tcc_expr_const(pool, 0), tcc_expr_sub(pool, extent, tcc_expr_const(pool, 1))};
    return true;
  }
  case TCC_OP_CONVERT:
    if (tcc_type_elem(mlirValueGetType(v)) != TCC_ELEM_I64 ||
        !tcc_elem_is_integer(tcc_type_elem(mlirValueGetType(mlirOperationGetOperand(op, 0)))))
      return false;
    return range_of(s, mlirOperationGetOperand(op, 0), depth - 1, out);
  case TCC_OP_RESHAPE:
  case TCC_OP_BROADCAST:
  case TCC_OP_TRANSPOSE:
  case TCC_OP_SLICE: return range_of(s, mlirOperationGetOperand(op, 0), depth - 1, out);
  case TCC_OP_ADD:
  case TCC_OP_SUB:
    if (tcc_type_elem(mlirValueGetType(v)) != TCC_ELEM_I64) return false; /* narrow types may wrap */
    if (!range_of(s, mlirOperationGetOperand(op, 0), depth - 1, &a) || !range_of(s, mlirOperationGetOperand(op, 1), depth - 1, &b))
      return false;
    *out = kind == TCC_OP_ADD ? (Range){tcc_expr_add(pool, a.low, b.low), tcc_expr_add(pool, a.high, b.high)}
                              : (Range){tcc_expr_sub(pool, a.low, b.high), tcc_expr_sub(pool, a.high, b.low)};
    return true;
  default: return false;
  }
}

static bool at_most(Simplify *s, const TccExpr *a, const TccExpr *b, int64_t gap) { /* a + gap <= b, proven */
  TccExprPool *pool = s->ir->exprs;
  return tcc_expr_known_nonnegative(tcc_expr_sub(pool, tcc_expr_sub(pool, b, a), tcc_expr_const(pool, gap)));
}

static MlirValue compare(Simplify *s) {
  enum { MOST_DEPTH = 8 };
  Range a, b;
  TccElem elem = tcc_type_elem(mlirValueGetType(simplify_operand(s, 0)));
  if (!tcc_elem_is_signed(elem) || !range_of(s, simplify_operand(s, 0), MOST_DEPTH, &a) ||
      !range_of(s, simplify_operand(s, 1), MOST_DEPTH, &b))
    return none;
  TccStr p = tcc_string(s->ir, s->op, "predicate");
  bool swap = tcc_str_is(p, "gt") || tcc_str_is(p, "ge"), truth;
  if (swap) {
    Range first = a;
    a = b, b = first;
  }
  if (tcc_str_is(p, "eq") || tcc_str_is(p, "ne")) {
    if (!at_most(s, a.high, b.low, 1) && !at_most(s, b.high, a.low, 1)) return none;
    truth = tcc_str_is(p, "ne");
  } else {
    int64_t gap = tcc_str_is(p, "lt") || tcc_str_is(p, "gt"); /* now a < b or a <= b */
    if (at_most(s, a.high, b.low, gap)) truth = true;
    else if (at_most(s, b.high, a.low, 1 - gap)) truth = false;
    else return none;
  }
  if (tcc_type_is_static(simplify_type(s))) return tcc_simplify_make_splat(s, simplify_type(s), truth);
  const TccTypeInfo *type = tcc_type_info(s->ir, simplify_type(s));
  for (int i = 0; i < type->rank; i++)
    if (!type->dims[i]) return none;
  return as_result(s, tcc_simplify_make_splat(s, tcc_tensor_type_static(s->ir, TCC_ELEM_BOOL, 0, NULL), truth));
}

static MlirValue clamp(Simplify *s) {
  bool open = tcc_value_is_none(s->ir, simplify_operand(s, 1)) && tcc_value_is_none(s->ir, simplify_operand(s, 2));
  return open ? simplify_operand(s, 0) : none;
}

/* An elementwise op broadcasts by itself: op(broadcast(x), y) -> op(x, y), if the shape still comes out. The op is
 * changed in place. */
static void drop_broadcasts(Simplify *s) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(s->op); i++) {
    MlirValue operand = simplify_operand(s, i);
    if (tcc_value_kind(s->ir, operand) != TCC_OP_BROADCAST) continue;
    mlirOperationSetOperand(s->op, i, mlirOperationGetOperand(tcc_value_op(operand), 0));
    MlirType result;
    const char *why;
    if (!tcc_op_infer_types(s->ir, s->op, &result, &why, NULL) || !mlirTypeEqual(result, simplify_type(s)))
      mlirOperationSetOperand(s->op, i, operand);
  }
}

MlirValue tcc_simplify_algebra(Simplify *s) {
  if (s->kind == TCC_OP_DOT_GENERAL) return tcc_simplify_product_by_vector(s);
  if (!tcc_op_has_trait(s->kind, 'E')) return none;
  if (mlirOperationGetNumOperands(s->op) > 1) drop_broadcasts(s);
  if (s->kind == TCC_OP_SELECT) return select(s);
  if (s->kind == TCC_OP_CLAMP) return clamp(s);
  if (s->kind == TCC_OP_COMPARE) return compare(s);
  if (mlirOperationGetNumOperands(s->op) == 1) return unary(s);
  MlirValue simpler = binary(s);
  if (simpler.ptr || s->kind != TCC_OP_ADD) return simpler;
  simpler = tcc_simplify_add_of_pads(s);
  return simpler.ptr ? simpler : tcc_simplify_add_of_scatters(s);
}
