/* simplify_fold.c - ops on constants become constants.
 *
 * Integers go through their symbolic values (symbolic.c): known entries make a tcc.constant, or for vectors of sizes
 * one tcc.sizes instead of the arithmetic that led to it. Floats are computed in double and rounded once to the element
 * type, which for f32 and smaller is the correctly rounded result of + - * / sqrt (Figueroa, "When is double rounding
 * innocuous?", 1995). With tcc.numerics = "eager" other functions are left to the kernels, which round them as they do for values that
 * are no constants. Only results of up to 64 elements, and splats of any size, are folded: more would bloat the IR.
 */
#include "passes/simplify/simplify.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { MOST_FOLDED = 64 };
#define MOST_EXACT 0x1p53 /* whole numbers below it are exact in double */

bool tcc_simplify_splat(TccIr *ir, MlirValue v, double *out) {
  enum { MOST_VIEWS = 4 };
  for (int i = 0; i < MOST_VIEWS; i++) { /* a splat of dynamic shape is a broadcast constant */
    TccOpKind kind = tcc_value_kind(ir, v);
    if (kind != TCC_OP_BROADCAST && kind != TCC_OP_RESHAPE && kind != TCC_OP_TRANSPOSE) break;
    v = mlirOperationGetOperand(tcc_value_op(v), 0);
  }
  if (tcc_value_kind(ir, v) != TCC_OP_CONSTANT) return false;
  MlirAttribute attr = mlirOperationGetAttributeByName(tcc_value_op(v), mlirStringRefCreateFromCString("value"));
  if (!mlirAttributeIsADenseElements(attr) || !mlirElementsAttrGetNumElements(attr) || !mlirDenseElementsAttrIsSplat(attr))
    return false;
  TccElem elem = tcc_type_elem(mlirValueGetType(v));
  if (elem == TCC_ELEM_BOOL) *out = mlirDenseElementsAttrGetBoolSplatValue(attr) != 0;
  else if (tcc_elem_bits(elem) < 8) return false; /* kept a byte each: rare, and not worth a second reader */
  else *out = tcc_elem_load_f64(elem, mlirDenseElementsAttrGetRawData(attr), 0);
  return true;
}

static MlirValue build_constant(Simplify *s, MlirAttribute value) {
  TccBuilder b = tcc_simplify_builder(s);
  TccNamedAttr attr = {"value", value};
  MlirOperation op = tcc_build(&b, TCC_OP_CONSTANT, NULL, 0, &attr, 1, NULL);
  return tcc_simplify_made(s, mlirOperationGetResult(op, 0));
}

MlirValue tcc_simplify_make_splat(Simplify *s, MlirType type, double value) {
  TccElem elem = tcc_type_elem(type);
  unsigned char bytes[8] = {0};
  tcc_elem_store_f64(elem, bytes, 0, value);
  MlirAttribute one = tcc_elements_attr(s->ir, tcc_tensor_type_static(s->ir, elem, 0, NULL), bytes);
  return build_constant(s, mlirDenseElementsAttrSplatGet(type, mlirDenseElementsAttrGetSplatValue(one)));
}

/* Number of elements, or -1: dynamic or more than the limit. */
static int64_t small_count(MlirType type) {
  if (!tcc_type_is_static(type)) return -1;
  int64_t count = 1;
  for (int i = 0; i < tcc_type_rank(type); i++) {
    int64_t size = mlirShapedTypeGetDimSize(type, i);
    if (size == 0) return 0;
    if (count > MOST_FOLDED / size) return -1;
    count *= size;
  }
  return count;
}

/* ---- integers ---- */
static MlirValue fold_integers(Simplify *s) {
  MlirType type = simplify_type(s);
  TccElem elem = tcc_type_elem(type);
  if (s->kind == TCC_OP_CONSTANT || s->kind == TCC_OP_WEIGHT || elem == TCC_ELEM_NONE || tcc_elem_is_float(elem) ||
      small_count(type) < 0)
    return (MlirValue){NULL};
  size_t count;
  const TccExpr *const *entries = tcc_symbolic_value(s->ir, mlirOperationGetResult(s->op, 0), &count);
  if (!entries) return (MlirValue){NULL};
  unsigned char data[MOST_FOLDED * 8] = {0};
  bool constant = true;
  for (size_t i = 0; i < count && constant; i++) {
    int64_t value;
    constant = tcc_expr_is_const(entries[i], &value);
    if (constant) tcc_elem_store_i64(elem, data, i, value);
  }
  if (constant) return build_constant(s, tcc_elements_attr(s->ir, type, data));
  bool view = s->kind == TCC_OP_RESHAPE && tcc_value_kind(s->ir, simplify_operand(s, 0)) == TCC_OP_SIZES;
  if (elem != TCC_ELEM_I64 || tcc_type_rank(type) > 1 || s->kind == TCC_OP_SIZES || view) return (MlirValue){NULL};
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue sizes = tcc_simplify_made(s, tcc_build_sizes(&b, entries, count));
  return tcc_type_rank(type) == 1 ? sizes : tcc_simplify_made(s, tcc_build_reshape(&b, sizes, 0, NULL));
}

/* ---- floats, element by element ---- */
static bool fold_unary(TccOpKind kind, double x, double *out) {
  switch (kind) {
  case TCC_OP_NEG: *out = -x; return true;
  case TCC_OP_ABS: *out = fabs(x); return true;
  case TCC_OP_FLOOR: *out = floor(x); return true;
  case TCC_OP_CEIL: *out = ceil(x); return true;
  case TCC_OP_ROUND: *out = nearbyint(x); return true;
  case TCC_OP_TRUNC: *out = trunc(x); return true;
  case TCC_OP_SQRT: *out = sqrt(x); return true;
  case TCC_OP_RSQRT: *out = 1 / sqrt(x); return true;
  case TCC_OP_RECIPROCAL: *out = 1 / x; return true;
  case TCC_OP_EXP: *out = exp(x); return true;
  case TCC_OP_LOG: *out = log(x); return true;
  case TCC_OP_SIN: *out = sin(x); return true;
  case TCC_OP_COS: *out = cos(x); return true;
  case TCC_OP_TANH: *out = tanh(x); return true;
  case TCC_OP_ERF: *out = erf(x); return true;
  case TCC_OP_RELU: *out = x > 0 || isnan(x) ? x : 0; return true;
  case TCC_OP_IS_NAN: *out = isnan(x) != 0; return true;
  default: return false;
  }
}

static bool fold_binary(Simplify *s, double a, double b, double *out) {
  switch (s->kind) {
  case TCC_OP_ADD: *out = a + b; return true;
  case TCC_OP_SUB: *out = a - b; return true;
  case TCC_OP_MUL: *out = a * b; return true;
  case TCC_OP_DIV: *out = a / b; return true;
  case TCC_OP_POW: *out = pow(a, b); return true;
  case TCC_OP_MIN: *out = isnan(a) || isnan(b) ? NAN : a < b ? a : b; return true;
  case TCC_OP_MAX: *out = isnan(a) || isnan(b) ? NAN : a > b ? a : b; return true;
  case TCC_OP_COMPARE: {
    TccStr p = tcc_string(s->ir, s->op, "predicate");
    *out = tcc_str_is(p, "eq")   ? a == b
           : tcc_str_is(p, "ne") ? a != b
           : tcc_str_is(p, "lt") ? a < b
           : tcc_str_is(p, "le") ? a <= b
           : tcc_str_is(p, "gt") ? a > b
                                 : a >= b;
    return true;
  }
  default: return false;
  }
}

/* Position in operand of type `from` that broadcasts to position of the result of type `to`. Static types. */
static size_t broadcast_position(MlirType to, MlirType from, size_t position) {
  int64_t index[TCC_MAX_RANK];
  int rank = tcc_type_rank(to), source_rank = tcc_type_rank(from);
  for (int i = rank - 1; i >= 0; i--) {
    int64_t size = mlirShapedTypeGetDimSize(to, i);
    index[i] = (int64_t)position % size, position /= (size_t)size;
  }
  size_t source = 0;
  for (int i = 0; i < source_rank; i++) {
    int64_t size = mlirShapedTypeGetDimSize(from, i);
    source = source * (size_t)size + (size_t)(size == 1 ? 0 : index[i + rank - source_rank]);
  }
  return source;
}

/* Whether the result in double, rounded to the op's type, is what IEEE 754 says. */
static bool is_rounded_once(TccOpKind kind) {
  switch (kind) {
  case TCC_OP_RSQRT: /* a root and a division, which round twice */
  case TCC_OP_EXP:
  case TCC_OP_LOG:
  case TCC_OP_SIN:
  case TCC_OP_COS:
  case TCC_OP_TANH:
  case TCC_OP_ERF:
  case TCC_OP_POW: return false;
  default: return true;
  }
}

static MlirValue fold_floats(Simplify *s) {
  MlirType type = simplify_type(s), types[3];
  intptr_t noperands = mlirOperationGetNumOperands(s->op);
  int64_t count = small_count(type);
  if (!tcc_op_has_trait(s->kind, 'E') || count < 0 || noperands < 1 || noperands > 2) return (MlirValue){NULL};
  if (s->eager && !is_rounded_once(s->kind)) return (MlirValue){NULL};
  const void *data[2];
  for (intptr_t i = 0; i < noperands; i++) {
    size_t elements;
    data[i] = tcc_constant_data(s->ir, simplify_operand(s, i), &elements);
    types[i] = mlirValueGetType(simplify_operand(s, i));
    TccElem from = tcc_type_elem(types[i]);
    bool exact = tcc_elem_is_float(from) || (s->kind == TCC_OP_CONVERT && tcc_elem_bits(from) >= 8);
    if (!data[i] || !exact) return (MlirValue){NULL};
  }
  TccElem elem = tcc_type_elem(type);
  if (s->kind == TCC_OP_CONVERT && !tcc_elem_is_float(elem)) return (MlirValue){NULL}; /* out of range is the target's */
  if (s->kind == TCC_OP_CONVERT && !tcc_bool(s->ir, s->op, "saturate")) return (MlirValue){NULL};
  unsigned char bytes[MOST_FOLDED * 8] = {0};
  const TccElem from = tcc_type_elem(types[0]);
  const bool whole = !tcc_elem_is_float(from) && tcc_elem_bits(from) == 64;
  if (whole && count != 1)
    return (MlirValue){NULL}; /* a size that becomes a factor, which needs no rounding: targets do that by steps */
  for (int64_t i = 0; i < count; i++) {
    double a = tcc_elem_load_f64(tcc_type_elem(types[0]), data[0], broadcast_position(type, types[0], (size_t)i)), value = a;
    if (noperands == 1) {
      if (s->kind != TCC_OP_CONVERT && !fold_unary(s->kind, a, &value)) return (MlirValue){NULL};
    } else {
      double b = tcc_elem_load_f64(tcc_type_elem(types[1]), data[1], broadcast_position(type, types[1], (size_t)i));
      if (!fold_binary(s, a, b, &value)) return (MlirValue){NULL};
    }
    tcc_elem_store_f64(elem, bytes, (size_t)i, value);
    if (whole && (fabs(a) >= MOST_EXACT || tcc_elem_load_f64(elem, bytes, (size_t)i) != a)) return (MlirValue){NULL};
  }
  return build_constant(s, tcc_elements_attr(s->ir, type, bytes));
}

/* A splat of bytes or halves as floats: zero points of channels. */
static MlirValue fold_splat(Simplify *s) {
  if (s->kind != TCC_OP_CONVERT) return (MlirValue){NULL};
  MlirType type = simplify_type(s);
  MlirValue x = simplify_operand(s, 0);
  double value;
  if (!tcc_elem_is_float(tcc_type_elem(type)) || !tcc_type_is_static(type) || tcc_value_kind(s->ir, x) != TCC_OP_CONSTANT ||
      tcc_elem_is_float(tcc_type_elem(mlirValueGetType(x))) || tcc_elem_bits(tcc_type_elem(mlirValueGetType(x))) > 16 ||
      !tcc_simplify_splat(s->ir, x, &value))
    return (MlirValue){NULL};
  return tcc_simplify_make_splat(s, type, value);
}

/* Views of a splat are splats; a reshaped constant is a constant. */
static MlirValue fold_view(Simplify *s) {
  MlirType type = simplify_type(s);
  bool moves = s->kind == TCC_OP_TRANSPOSE || s->kind == TCC_OP_BROADCAST || s->kind == TCC_OP_SLICE || s->kind == TCC_OP_RESHAPE;
  if (!moves || !tcc_type_is_static(type)) return (MlirValue){NULL};
  MlirValue x = simplify_operand(s, 0);
  if (tcc_value_kind(s->ir, x) != TCC_OP_CONSTANT) return (MlirValue){NULL};
  MlirAttribute attr = mlirOperationGetAttributeByName(tcc_value_op(x), mlirStringRefCreateFromCString("value"));
  if (!mlirAttributeIsADenseElements(attr)) return (MlirValue){NULL};
  if (s->kind == TCC_OP_RESHAPE && tcc_type_is_static(mlirValueGetType(x)))
    return build_constant(s, mlirDenseElementsAttrReshapeGet(attr, type));
  if (!mlirElementsAttrGetNumElements(attr) || !mlirDenseElementsAttrIsSplat(attr)) return (MlirValue){NULL};
  return build_constant(s, mlirDenseElementsAttrSplatGet(type, mlirDenseElementsAttrGetSplatValue(attr)));
}

MlirValue tcc_simplify_fold(Simplify *s) {
  MlirValue v = fold_view(s);
  if (!v.ptr) v = fold_integers(s);
  if (!v.ptr) v = fold_floats(s);
  if (!v.ptr) v = fold_splat(s);
  return v;
}
