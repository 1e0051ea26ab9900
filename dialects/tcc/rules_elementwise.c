/* rules_elementwise.c - constants, and ops that act on each element; shapes broadcast as in NumPy. */
#include "dialects/tcc/rules.h"

/* ---- structure ---- */
bool rule_none(TccRuleInput *in, MlirType *out) {
  *out = in->ir->tables->none;
  return true;
}

/* C1: value is dense or a dense_resource of a static tensor type without encoding. */
bool rule_constant(TccRuleInput *in, MlirType *out) {
  MlirAttribute value = rule_attr(in, "value");
  MlirType type = mlirAttributeGetType(value);
  if (!mlirAttributeIsADenseElements(value) && !mlirAttributeIsADenseResourceElements(value))
    return rule_fail(in, "C1: value must be dense or a dense_resource");
  if (!tcc_type_is_static(type) || !mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)) || !tcc_type_elem(type) ||
      tcc_type_rank(type) > TCC_MAX_RANK)
    return rule_fail(in, "C1: value must have a static tensor type of a tcc element type");
  *out = type;
  return true;
}

/* C1: the declared type is static.  C2: length is the size of the type.  C3: source and offset are not negative.  C4: a triangle
 * has one diagonal. */
bool rule_weight(TccRuleInput *in, MlirType *out) {
  Shape r = rule_declared(in);
  size_t count = 1;
  for (int i = 0; i < r.rank; i++) {
    int64_t size;
    if (!r.dims[i] || !tcc_expr_is_const(r.dims[i], &size) || !tcc_mul_size(count, (size_t)size, &count) || count > SIZE_MAX / 64)
      return rule_fail(in, "C1: a weight must have a static type of a size that memory can hold");
  }
  int64_t length = rule_i64(in, "length");
  if (length < 0 || (uint64_t)length != tcc_elem_bytes(r.elem, count))
    return rule_fail(in, "C2: length is %lld, the type takes %zu bytes", (long long)length, tcc_elem_bytes(r.elem, count));
  int64_t offset = rule_i64(in, "offset");
  if (rule_i64(in, "source") < 0 || offset < 0) return rule_fail(in, "C3: source and offset must not be negative");
  if (offset > INT64_MAX - length) return rule_fail(in, "C3: no file has bytes from %lld on", (long long)offset);
  size_t triangles;
  const TccExpr *const *triangle = rule_exprs(in, "triangle", &triangles);
  if (triangles > 1 || (triangles && (r.rank < 2 || !dims_in_range(triangle[0]))))
    return rule_fail(in, "C4: triangle must be one diagonal of a matrix, or none");
  return rule_result(in, &r, out);
}

bool rule_sizes(TccRuleInput *in, MlirType *out) {
  size_t count;
  rule_exprs(in, "values", &count);
  Shape r = {true, TCC_ELEM_I64, 1, {tcc_expr_const(in->ir->exprs, (int64_t)count)}};
  return rule_result(in, &r, out);
}

/* ---- one operand: C1 says what x's elements must be ---- */
static bool unary(TccRuleInput *in, MlirType *out, bool allowed, const char *what) {
  if (!allowed) return rule_fail(in, "C1: operand 'x' must have %s elements", what);
  Shape r = rule_operand(in, 0);
  return rule_result(in, &r, out);
}

bool rule_unary_any(TccRuleInput *in, MlirType *out) {
  Shape r = rule_operand(in, 0);
  return rule_result(in, &r, out);
}

bool rule_unary_number(TccRuleInput *in, MlirType *out) {
  return unary(in, out, rule_is_number(rule_operand(in, 0).elem), "number");
}

bool rule_unary_float(TccRuleInput *in, MlirType *out) {
  return unary(in, out, tcc_elem_is_float(rule_operand(in, 0).elem), "float");
}

bool rule_unary_bits(TccRuleInput *in, MlirType *out) {
  return unary(in, out, rule_is_bits(rule_operand(in, 0).elem), "integer or bool");
}

bool rule_predicate(TccRuleInput *in, MlirType *out) {
  Shape r = rule_operand(in, 0);
  if (!tcc_elem_is_float(r.elem)) return rule_fail(in, "C1: operand 'x' must have float elements");
  r.elem = TCC_ELEM_BOOL;
  return rule_result(in, &r, out);
}

/* The declared result has x's shape; its element type is the declared one. */
static bool same_shape_as_declared(TccRuleInput *in, const Shape *x, MlirType *out) {
  Shape declared = rule_declared(in), r = *x;
  if (declared.rank != x->rank) return rule_fail(in, "C1: the result must have rank %d, not %d", x->rank, declared.rank);
  for (int i = 0; i < x->rank; i++) {
    if (!dims_agree(x->dims[i], declared.dims[i]))
      return rule_fail(in, "C1: the result's size '%s' on axis %d must be '%s'", dims_text(in, declared.dims[i]), i,
                       dims_text(in, x->dims[i]));
    r.dims[i] = dims_merge(x->dims[i], declared.dims[i]);
  }
  r.elem = declared.elem;
  return rule_result(in, &r, out);
}

bool rule_convert(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  return same_shape_as_declared(in, &x, out);
}

/* C1: as convert.  C2: equal widths. */
bool rule_bitcast(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = rule_declared(in);
  if (tcc_elem_bits(x.elem) != tcc_elem_bits(r.elem))
    return rule_fail(in, "C2: %s and %s have different widths", tcc_elem_name(x.elem), tcc_elem_name(r.elem));
  return same_shape_as_declared(in, &x, out);
}

/* ---- two operands.  C1: element types.  C2: shapes broadcast. ---- */
static bool binary(TccRuleInput *in, MlirType *out, bool (*allowed)(TccElem), const char *what, bool same, TccElem elem) {
  Shape a = rule_operand(in, 0), b = rule_operand(in, 1), r = {.present = true};
  if (!allowed(a.elem) || !allowed(b.elem)) return rule_fail(in, "C1: operands must have %s elements", what);
  if (same && a.elem != b.elem)
    return rule_fail(in, "C1: operands have element types %s and %s", tcc_elem_name(a.elem), tcc_elem_name(b.elem));
  r.elem = elem ? elem : a.elem;
  return rule_broadcast_shapes(in, "C2", &a, &b, &r) && rule_result(in, &r, out);
}

static bool any_elem(TccElem elem) { return elem != TCC_ELEM_NONE; }

bool rule_binary_number(TccRuleInput *in, MlirType *out) { return binary(in, out, rule_is_number, "number", true, TCC_ELEM_NONE); }
bool rule_binary_pow(TccRuleInput *in, MlirType *out) { return binary(in, out, rule_is_number, "number", false, TCC_ELEM_NONE); }
bool rule_binary_bits(TccRuleInput *in, MlirType *out) {
  return binary(in, out, rule_is_bits, "integer or bool", true, TCC_ELEM_NONE);
}
bool rule_binary_float(TccRuleInput *in, MlirType *out) { return binary(in, out, tcc_elem_is_float, "float", true, TCC_ELEM_NONE); }
bool rule_compare(TccRuleInput *in, MlirType *out) { return binary(in, out, any_elem, "number or bool", true, TCC_ELEM_BOOL); }

/* C1: c is bool.  C2: a and b have one element type.  C3: the shapes broadcast. */
bool rule_select(TccRuleInput *in, MlirType *out) {
  Shape c = rule_operand(in, 0), a = rule_operand(in, 1), b = rule_operand(in, 2), r = {.present = true, .elem = a.elem};
  if (c.elem != TCC_ELEM_BOOL) return rule_fail(in, "C1: operand 'c' must have bool elements");
  if (a.elem != b.elem)
    return rule_fail(in, "C2: 'a' and 'b' have element types %s and %s", tcc_elem_name(a.elem), tcc_elem_name(b.elem));
  return rule_broadcast_shapes(in, "C3", &a, &b, &r) && rule_broadcast_shapes(in, "C3", &c, &r, &r) && rule_result(in, &r, out);
}

/* C1: operands are i64.  C2: the shapes broadcast. */
bool rule_random(TccRuleInput *in, MlirType *out) {
  Shape index = rule_operand(in, 0), seed = rule_operand(in, 1), offset = rule_operand(in, 2);
  Shape r = {.present = true, .elem = TCC_ELEM_U32};
  if (index.elem != TCC_ELEM_I64 || seed.elem != TCC_ELEM_I64 || offset.elem != TCC_ELEM_I64)
    return rule_fail(in, "C1: operands must have i64 elements");
  return rule_broadcast_shapes(in, "C2", &seed, &offset, &r) && rule_broadcast_shapes(in, "C2", &index, &r, &r) &&
         rule_result(in, &r, out);
}

/* C1: number elements, one type.  C2: low and high broadcast to x. */
bool rule_clamp(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  if (!rule_is_number(x.elem)) return rule_fail(in, "C1: operand 'x' must have number elements");
  for (size_t i = 1; i <= 2; i++) {
    Shape bound = rule_operand(in, i);
    if (!bound.present) continue;
    const char *name = i == 1 ? "low" : "high";
    if (bound.elem != x.elem) return rule_fail(in, "C1: '%s' must have x's element type", name);
    if (!rule_broadcasts_to(in, "C2", name, &bound, &x)) return false;
  }
  return rule_result(in, &x, out);
}
