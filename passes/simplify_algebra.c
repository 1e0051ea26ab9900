/* simplify_algebra.c - identities of elementwise ops.
 *
 * x + 0, x * 1 and the like give x where the type stays. Floats keep NaN and infinities: x * 0 is folded for integers only;
 * x + 0.0 gives x although -0.0 + 0.0 is +0.0, a difference that no consumer but a division by it sees. */
#include "passes/simplify.h"

static const MlirValue none = {NULL};

MlirValue tcc_simplify_as_result(Simplify *s, MlirValue v) {
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

static MlirValue binary(Simplify *s) {
  MlirValue a = simplify_operand(s, 0), b = simplify_operand(s, 1);
  bool is_float = tcc_elem_is_float(tcc_type_elem(simplify_type(s)));
  switch (s->kind) {
  case TCC_OP_ADD:
    if (is_splat(s, b, 0) && same_type(s, a)) return a;
    return is_splat(s, a, 0) && same_type(s, b) ? b : none;
  case TCC_OP_SUB: return is_splat(s, b, 0) && same_type(s, a) ? a : none;
  case TCC_OP_MUL:
    if (is_splat(s, b, 1) && same_type(s, a)) return a;
    if (is_splat(s, a, 1) && same_type(s, b)) return b;
    if (!is_float && is_splat(s, b, 0)) return tcc_simplify_as_result(s, b);
    return !is_float && is_splat(s, a, 0) ? tcc_simplify_as_result(s, a) : none;
  case TCC_OP_DIV: return is_splat(s, b, 1) && same_type(s, a) ? a : none;
  case TCC_OP_POW: return is_splat(s, b, 1) && same_type(s, a) ? a : none;
  case TCC_OP_MIN: case TCC_OP_MAX: return mlirValueEqual(a, b) ? a : none;
  case TCC_OP_AND: case TCC_OP_OR: {
    if (mlirValueEqual(a, b)) return a;
    if (tcc_type_elem(simplify_type(s)) != TCC_ELEM_BOOL) return none;
    double neutral = s->kind == TCC_OP_AND; /* true and x = x; false or x = x; the other value decides */
    for (int k = 0; k < 2; k++) {
      MlirValue constant = k ? a : b, other = k ? b : a;
      if (is_splat(s, constant, neutral) && same_type(s, other)) return other;
      if (is_splat(s, constant, !neutral)) return tcc_simplify_as_result(s, constant);
    }
    return none;
  }
  default: return none;
  }
}

static MlirValue select(Simplify *s) {
  MlirValue a = simplify_operand(s, 1), b = simplify_operand(s, 2);
  double condition;
  if (mlirValueEqual(a, b)) return tcc_simplify_as_result(s, a);
  if (!tcc_simplify_splat(s->ir, simplify_operand(s, 0), &condition)) return none;
  return tcc_simplify_as_result(s, condition != 0 ? a : b);
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
  case TCC_OP_NEG: case TCC_OP_NOT: return kind == s->kind ? mlirOperationGetOperand(inner, 0) : none;
  case TCC_OP_ABS: case TCC_OP_RELU: case TCC_OP_FLOOR: case TCC_OP_CEIL: case TCC_OP_ROUND: case TCC_OP_TRUNC: case TCC_OP_SIGN:
    return kind == s->kind ? x : none;
  case TCC_OP_CONVERT:
    if (same_type(s, x)) return x;
    if (kind == TCC_OP_CONVERT) {
      MlirValue source = mlirOperationGetOperand(inner, 0);
      if (same_type(s, source) && is_exact(tcc_type_elem(mlirValueGetType(source)), tcc_type_elem(mlirValueGetType(x)))) return source;
    }
    return none;
  case TCC_OP_BITCAST: return same_type(s, x) ? x : none;
  default: return none;
  }
}

static MlirValue clamp(Simplify *s) {
  bool open = tcc_value_is_none(s->ir, simplify_operand(s, 1)) && tcc_value_is_none(s->ir, simplify_operand(s, 2));
  return open ? simplify_operand(s, 0) : none;
}

/* An elementwise op broadcasts by itself: op(broadcast(x), y) -> op(x, y), if the shape still comes out. The op is changed
 * in place. */
static void drop_broadcasts(Simplify *s) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(s->op); i++) {
    MlirValue operand = simplify_operand(s, i);
    if (tcc_value_kind(s->ir, operand) != TCC_OP_BROADCAST) continue;
    mlirOperationSetOperand(s->op, i, mlirOperationGetOperand(tcc_value_op(operand), 0));
    MlirType result;
    const char *why;
    if (!tcc_op_infer_types(s->ir, s->op, &result, &why) || !mlirTypeEqual(result, simplify_type(s)))
      mlirOperationSetOperand(s->op, i, operand);
  }
}

MlirValue tcc_simplify_algebra(Simplify *s) {
  if (!tcc_op_has_trait(s->kind, 'E')) return none;
  if (mlirOperationGetNumOperands(s->op) > 1) drop_broadcasts(s);
  if (s->kind == TCC_OP_SELECT) return select(s);
  if (s->kind == TCC_OP_CLAMP) return clamp(s);
  return mlirOperationGetNumOperands(s->op) == 1 ? unary(s) : binary(s);
}
