/* rules.c - dispatch from an op to its rule, and the checks (C0) that come before every rule. */
#include "dialects/tcc/rules.h"
#include "tcc/op_kinds.h"
#include <assert.h>
#include <stdlib.h>

static RuleFunction *const rules[TCC_OP_COUNT] = {
#define TCC_OP(SYM, mnemonic, level, operands, results, attributes, rule, traits, semantics) [TCC_OP_##SYM] = rule_##rule,
#include "dialects/tcc/ops.def"
};

bool rule_fail(TccRuleInput *in, const char *format, ...) {
  TccText text = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&text, format, args);
  va_end(args);
  in->why = tcc_arena_copy(in->ir->arena, text.data, text.length);
  tcc_text_destroy(&text);
  return false;
}

/* ---- C0: form ---- */
/* Index and byte arithmetic downstream is in 64 bits and not checked everywhere: sizes stay far below that, and coefficients of
 * symbolic ones, whose products are sizes, too. */
static const int64_t most_size = (int64_t)1 << 48, most_elements = (int64_t)1 << 56;

bool tcc_sizes_fit(int rank, const TccExpr *const *dims) {
  int64_t elements = 1;
  for (int i = 0; i < rank; i++) {
    int64_t size = dims[i] ? tcc_expr_magnitude(dims[i]) : 1;
    if (size > most_size || (size && elements > most_elements / size)) return false;
    elements *= size ? size : 1;
  }
  return true;
}

static bool check_sizes(TccRuleInput *in, const char *what, TccStr name, int rank, const TccExpr *const *dims) {
  int64_t size;
  for (int i = 0; i < rank; i++)
    if (dims[i] && tcc_expr_is_const(dims[i], &size) && size < 0)
      return rule_fail(in, "C0: the %s's size %lld on axis %d is negative", what, (long long)size, i);
  return tcc_sizes_fit(rank, dims) || rule_fail(in, "C0: %s '%.*s' has too many elements", what, TCC_STR_ARG(name));
}

static bool check_tensor(TccRuleInput *in, const char *what, TccStr name, MlirType type) {
  if (!mlirTypeIsARankedTensor(type)) return rule_fail(in, "C0: %s '%.*s' must be a ranked tensor", what, TCC_STR_ARG(name));
  const TccTypeInfo *info = tcc_type_info(in->ir, type);
  if (!info->elem) return rule_fail(in, "C0: %s '%.*s' has an element type that tcc does not have", what, TCC_STR_ARG(name));
  if (info->rank > TCC_MAX_RANK)
    return rule_fail(in, "C0: %s '%.*s' has rank %d, the most is %d", what, TCC_STR_ARG(name), info->rank, TCC_MAX_RANK);
  return check_sizes(in, what, name, info->rank, info->dims);
}

static bool choice_has(TccStr choices, TccStr text) {
  while (choices.length) {
    size_t length = 0;
    while (length < choices.length && choices.data[length] != '|') length++;
    if (tcc_str_equal((TccStr){choices.data, length}, text)) return true;
    if (length == choices.length) return false;
    choices.data += length + 1, choices.length -= length + 1;
  }
  return false;
}

static bool attribute_has_type(TccRuleInput *in, const TccAttrRow *row, MlirAttribute attr) {
  int64_t number;
  double real;
  bool flag;
  TccStr text;
  size_t count;
  const int64_t *ints;
  const TccExpr *const *exprs;
  switch (row->kind) {
  case TCC_ATTR_I64: return tcc_attr_read_i64(attr, &number);
  case TCC_ATTR_F64: return tcc_attr_read_f64(attr, &real);
  case TCC_ATTR_BOOL: return tcc_attr_read_bool(attr, &flag);
  case TCC_ATTR_STR: return tcc_attr_read_str(attr, &text);
  case TCC_ATTR_INTS: return tcc_attr_read_ints(in->ir, attr, &ints, &count);
  case TCC_ATTR_EXPRS: return tcc_attr_read_exprs(in->ir, attr, &exprs, &count);
  case TCC_ATTR_ELEMENTS: return mlirAttributeIsAElements(attr);
  case TCC_ATTR_CHOICE: return tcc_attr_read_str(attr, &text) && choice_has(row->type, text);
  }
  return false;
}

/* Attributes of the row have their type; others are refused, unless they belong to another dialect. */
static bool check_attributes(TccRuleInput *in) {
  const TccOpRow *row = tcc_op_row(in->kind);
  intptr_t count = mlirDictionaryAttrGetNumElements(in->attributes);
  size_t seen = 0;
  for (intptr_t i = 0; i < count; i++) {
    MlirNamedAttribute named = mlirDictionaryAttrGetElement(in->attributes, i);
    TccStr name = tcc_from_ref(mlirIdentifierStr(named.name));
    const TccAttrRow *attribute = tcc_op_attribute(in->kind, name);
    if (!attribute) {
      if (memchr(name.data, '.', name.length) && !tcc_str_starts(name, "tcc.")) continue;
      return rule_fail(in, "C0: unknown attribute '%.*s'", TCC_STR_ARG(name));
    }
    if (!attribute_has_type(in, attribute, named.attribute))
      return rule_fail(in, "C0: attribute '%.*s' must be %.*s", TCC_STR_ARG(name), TCC_STR_ARG(attribute->type));
    seen++;
  }
  if (seen == row->nattributes) return true;
  for (size_t i = 0; i < row->nattributes; i++)
    if (!row->attributes[i].has_default &&
        mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(in->attributes, tcc_ref(row->attributes[i].name))))
      return rule_fail(in, "C0: attribute '%.*s' is missing", TCC_STR_ARG(row->attributes[i].name));
  return true;
}

bool tcc_op_infer(TccRuleInput *in, MlirType *out_results) {
  const TccOpRow *row = tcc_op_row(in->kind);
  in->why = NULL;
  if (in->noperands != row->noperands) return rule_fail(in, "C0: takes %zu operands, not %zu", row->noperands, in->noperands);
  for (size_t i = 0; i < row->noperands; i++) {
    if (mlirTypeEqual(in->operand[i], in->ir->tables->none)) {
      if (row->operands[i].optional) continue;
      return rule_fail(in, "C0: operand '%.*s' must not be absent", TCC_STR_ARG(row->operands[i].name));
    }
    if (!check_tensor(in, "operand", row->operands[i].name, in->operand[i])) return false;
  }
  if (strchr(row->traits, 'X')) {
    if (!in->declared) return rule_fail(in, "C0: needs a result type");
    if (!check_tensor(in, "result", row->results[0], *in->declared)) return false;
  }
  return check_attributes(in) && rules[in->kind](in, out_results);
}

/* ---- helpers of the rules ---- */
static Shape shape_of(TccIr *ir, MlirType type) {
  Shape shape = {0};
  const TccTypeInfo *info = tcc_type_info(ir, type);
  if (!info) return shape;
  shape.present = true;
  shape.elem = info->elem;
  shape.rank = info->rank;
  for (int i = 0; i < info->rank; i++) shape.dims[i] = info->dims[i];
  return shape;
}

Shape rule_operand(TccRuleInput *in, size_t index) { return shape_of(in->ir, in->operand[index]); }
Shape rule_declared(TccRuleInput *in) { return shape_of(in->ir, *in->declared); }

bool rule_result(TccRuleInput *in, const Shape *shape, MlirType *out) {
  if (shape->rank > TCC_MAX_RANK) return rule_fail(in, "C0: the result's rank is %d, the most is %d", shape->rank, TCC_MAX_RANK);
  if (!check_sizes(in, "result", tcc_op_row(in->kind)->results[0], shape->rank, shape->dims)) return false;
  for (int i = 0; in->bounds && i < shape->rank; i++) dims_at_most(in, tcc_expr_const(in->ir->exprs, 0), shape->dims[i]);
  *out = tcc_tensor_type(in->ir, shape->elem, shape->rank, shape->dims);
  return true;
}

MlirAttribute rule_attr(TccRuleInput *in, const char *name) {
  return mlirDictionaryAttrGetElementByName(in->attributes, mlirStringRefCreateFromCString(name));
}

static TccStr default_text(TccRuleInput *in, const char *name) {
  const TccAttrRow *row = tcc_op_attribute(in->kind, tcc_str(name));
  assert(row && row->has_default);
  return row->default_text;
}

int64_t rule_i64(TccRuleInput *in, const char *name) {
  int64_t value;
  return tcc_attr_read_i64(rule_attr(in, name), &value) ? value : strtoll(default_text(in, name).data, NULL, 10);
}

double rule_f64(TccRuleInput *in, const char *name) {
  double value;
  return tcc_attr_read_f64(rule_attr(in, name), &value) ? value : strtod(default_text(in, name).data, NULL);
}

bool rule_bool(TccRuleInput *in, const char *name) {
  bool value;
  return tcc_attr_read_bool(rule_attr(in, name), &value) ? value : tcc_str_is(default_text(in, name), "true");
}

TccStr rule_str(TccRuleInput *in, const char *name) {
  TccStr value;
  return tcc_attr_read_str(rule_attr(in, name), &value) ? value : default_text(in, name);
}

const int64_t *rule_ints(TccRuleInput *in, const char *name, size_t *out_count) {
  const int64_t *values = NULL;
  *out_count = 0;
  tcc_attr_read_ints(in->ir, rule_attr(in, name), &values, out_count);
  return values;
}

const TccExpr *const *rule_exprs(TccRuleInput *in, const char *name, size_t *out_count) {
  const TccExpr *const *values = NULL;
  *out_count = 0;
  tcc_attr_read_exprs(in->ir, rule_attr(in, name), &values, out_count);
  return values;
}

bool dims_agree(const TccExpr *a, const TccExpr *b) { return !a || !b || tcc_expr_agree(a, b); }

const TccExpr *dims_merge(const TccExpr *a, const TccExpr *b) {
  if (!a || !b || a == b) return a ? a : b;
  bool plain = tcc_expr_is_const(a, NULL) || (tcc_expr_is_symbol(a, NULL) && !tcc_expr_is_const(b, NULL));
  return !plain && (tcc_expr_is_const(b, NULL) || tcc_expr_is_symbol(b, NULL)) ? b : a; /* assumed to be equal: the simpler one */
}

bool dims_is(const TccExpr *dim, int64_t value) {
  int64_t size;
  return dim && tcc_expr_is_const(dim, &size) && size == value;
}

bool dims_at_most(TccRuleInput *in, const TccExpr *a, const TccExpr *b) {
  if (!a || !b || tcc_expr_known_at_most(a, b)) return true;
  if (tcc_expr_never_at_most(a, b)) return false;
  if (in->bounds) TCC_VEC_PUSH(in->ir->arena, in->bounds, tcc_expr_sub(in->ir->exprs, b, a));
  return true;
}

bool dims_at_least(TccRuleInput *in, const TccExpr *a, int64_t least) {
  return dims_at_most(in, tcc_expr_const(in->ir->exprs, least), a);
}

bool dims_in_range(const TccExpr *e) { return tcc_expr_magnitude(e) <= most_size; }

bool dims_scaled(TccRuleInput *in, const TccExpr *e, int64_t by, const TccExpr **out) {
  int64_t product;
  if (__builtin_mul_overflow(tcc_expr_magnitude(e), by, &product) || product > most_size || product < -most_size) return false;
  *out = tcc_expr_mul(in->ir->exprs, e, tcc_expr_const(in->ir->exprs, by));
  return true;
}

bool dims_multiple(TccRuleInput *in, const TccExpr *e, int64_t n) {
  TccExprPool *pool = in->ir->exprs;
  if (!e || n == 1) return true;
  if (n < 1) return false;
  const TccExpr *divisor = tcc_expr_const(pool, n);
  return dims_at_most(in, e, tcc_expr_mul(pool, divisor, tcc_expr_call(pool, TCC_EXPR_FLOORDIV, e, divisor)));
}

bool dims_divides(TccRuleInput *in, const TccExpr *n, const TccExpr *e) {
  int64_t divisor;
  if (!n || !e) return true;
  if (tcc_expr_is_const(n, &divisor)) return dims_multiple(in, e, divisor);
  TccExprPool *pool = in->ir->exprs;
  if (!dims_at_least(in, n, 1)) return false;
  if (tcc_expr_divide_exactly(pool, e, n)) return true;
  return dims_at_most(in, e, tcc_expr_mul(pool, n, tcc_expr_call(pool, TCC_EXPR_FLOORDIV, e, n)));
}

bool dims_indexable(TccRuleInput *in, const TccExpr *size, const TccExpr *const *dims, int count) {
  const TccExpr *one = tcc_expr_const(in->ir->exprs, 1);
  if (!size || tcc_expr_known_at_most(one, size)) return true;
  const TccExpr *indices = dims_product(in, dims, count);
  if (!indices || tcc_expr_divide_exactly(in->ir->exprs, indices, size))
    return true; /* of size elements times others: none if size is 0 */
  return dims_at_most(in, tcc_expr_call(in->ir->exprs, TCC_EXPR_MIN, indices, one), size);
}

static bool dims_broadcast(const TccExpr *a, const TccExpr *b, const TccExpr **out) {
  if (a && dims_is(a, 1)) return *out = b, true;
  if (b && dims_is(b, 1)) return *out = a, true;
  if (a && b) return *out = dims_merge(a, b), dims_agree(a, b);
  const TccExpr *known = dims_merge(a, b); /* an unknown size against a constant must be 1 or that constant */
  *out = known && tcc_expr_is_const(known, NULL) ? known : NULL;
  return true;
}

const TccExpr *dims_product(TccRuleInput *in, const TccExpr *const *dims, int count) {
  const TccExpr *product = tcc_expr_const(in->ir->exprs, 1);
  for (int i = 0; i < count; i++) {
    if (!dims[i]) return NULL;
    product = tcc_expr_mul(in->ir->exprs, product, dims[i]);
  }
  return product;
}

const char *dims_text(TccRuleInput *in, const TccExpr *dim) { return dim ? tcc_expr_text(in->ir->exprs, dim) : "?"; }

bool rule_broadcast_shapes(TccRuleInput *in, const char *label, const Shape *a, const Shape *b, Shape *out) {
  Shape result = *out;
  result.rank = a->rank > b->rank ? a->rank : b->rank;
  for (int i = 0; i < result.rank; i++) {
    int in_a = i - (result.rank - a->rank), in_b = i - (result.rank - b->rank);
    if (in_a < 0) result.dims[i] = b->dims[in_b];
    else if (in_b < 0) result.dims[i] = a->dims[in_a];
    else if (!dims_broadcast(a->dims[in_a], b->dims[in_b], &result.dims[i]))
      return rule_fail(in, "%s: sizes '%s' and '%s' of result axis %d do not broadcast", label, dims_text(in, a->dims[in_a]),
                       dims_text(in, b->dims[in_b]), i);
  }
  *out = result;
  return true;
}

bool rule_broadcasts_to(TccRuleInput *in, const char *label, const char *what, const Shape *x, const Shape *target) {
  if (x->rank > target->rank) return rule_fail(in, "%s: '%s' has rank %d, more than %d", label, what, x->rank, target->rank);
  for (int i = 0; i < x->rank; i++) {
    const TccExpr *size = target->dims[i + target->rank - x->rank];
    if (!dims_is(x->dims[i], 1) && !dims_agree(x->dims[i], size))
      return rule_fail(in, "%s: size '%s' of '%s' on axis %d does not broadcast to '%s'", label, dims_text(in, x->dims[i]), what, i,
                       dims_text(in, size));
  }
  return true;
}

bool rule_axis(TccRuleInput *in, const char *label, int64_t axis, int rank) {
  if (axis >= 0 && axis < rank) return true;
  return rule_fail(in, "%s: axis %lld is not in [0, %d)", label, (long long)axis, rank);
}

bool rule_axes(TccRuleInput *in, const char *label, const char *name, const int64_t *axes, size_t count, int rank, bool *out_mask) {
  for (size_t i = 0; i < count; i++) {
    if (axes[i] < 0 || axes[i] >= rank)
      return rule_fail(in, "%s: axis %lld in '%s' is not in [0, %d)", label, (long long)axes[i], name, rank);
    if (out_mask[axes[i]]) return rule_fail(in, "%s: axis %lld is twice in '%s'", label, (long long)axes[i], name);
    out_mask[axes[i]] = true;
  }
  return true;
}

bool rule_is_number(TccElem elem) { return tcc_elem_is_float(elem) || tcc_elem_is_integer(elem); }
bool rule_is_bits(TccElem elem) { return elem == TCC_ELEM_BOOL || tcc_elem_is_integer(elem); }
