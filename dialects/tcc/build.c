/* build.c - building tcc ops: the rule gives the result types, so a built op is a verified op.
 *
 * One set of builders for importers, passes and targets. They take null values and give null values: an error has been told where a
 * value became null, and what is built straight down from there is checked once, at its end. */
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include <assert.h>

static void insert(TccBuilder *b, MlirOperation op) {
  if (mlirOperationIsNull(b->before)) mlirBlockAppendOwnedOperation(b->block, op);
  else mlirBlockInsertOwnedOperationBefore(b->block, b->before, op);
}

static MlirOperation create(TccBuilder *b, const char *name, const MlirValue *operands, size_t noperands,
                            const MlirNamedAttribute *attrs, size_t nattrs, const MlirType *results, size_t nresults) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), b->location);
  if (noperands) mlirOperationStateAddOperands(&state, (intptr_t)noperands, operands);
  if (nattrs) mlirOperationStateAddAttributes(&state, (intptr_t)nattrs, attrs);
  if (nresults) mlirOperationStateAddResults(&state, (intptr_t)nresults, results);
  MlirOperation op = mlirOperationCreate(&state);
  insert(b, op);
  for (size_t i = 0; i < nresults; i++) /* an erased op may have had this address */
    tcc_pointer_map_set(&b->ir->tables->symbolic, mlirOperationGetResult(op, (intptr_t)i).ptr, NULL);
  return op;
}

static MlirValue build_none(TccBuilder *b) {
  return mlirOperationGetResult(create(b, "tcc.none", NULL, 0, NULL, 0, &b->ir->tables->none, 1), 0);
}

size_t tcc_named_attributes(MlirOperation op, TccNamedAttr *out, size_t room) {
  size_t n = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op) && n < room; i++) {
    MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
    out[n++] = (TccNamedAttr){mlirIdentifierStr(a.name).data, a.attribute};
  }
  return n;
}

MlirOperation tcc_build(TccBuilder *b, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                        size_t nattrs, const MlirType *result) {
  enum { MOST_ATTRIBUTES = 32 };
  const TccOpRow *row = tcc_op_row(kind);
  assert(noperands <= row->noperands && nattrs <= MOST_ATTRIBUTES);
  MlirValue values[TCC_MAX_OPERANDS];
  MlirType types[TCC_MAX_OPERANDS], results[TCC_MAX_RESULTS];
  for (size_t i = 0; i < row->noperands; i++) {
    values[i] = i < noperands ? operands[i] : (MlirValue){NULL};
    types[i] = values[i].ptr ? mlirValueGetType(values[i]) : b->ir->tables->none;
  }
  MlirNamedAttribute named[MOST_ATTRIBUTES];
  size_t nnamed = 0;
  for (size_t i = 0; i < nattrs; i++)
    if (!mlirAttributeIsNull(attrs[i].value))
      named[nnamed++] =
          mlirNamedAttributeGet(mlirIdentifierGet(b->ir->context, mlirStringRefCreateFromCString(attrs[i].name)), attrs[i].value);
  TccRuleInput input = {b->ir, kind, row->noperands, types, mlirDictionaryAttrGet(b->ir->context, (intptr_t)nnamed, named), result};
  if (!tcc_op_infer(&input, results)) {
    tcc_error_at(b->location, "'%s': %s", row->name, input.why);
    return (MlirOperation){NULL};
  }
  for (size_t i = 0; i < row->noperands; i++)
    if (!values[i].ptr) values[i] = build_none(b);
  return create(b, row->name, values, row->noperands, named, nnamed, results, row->nresults);
}

static const MlirValue null_value = {NULL};

MlirValue tcc_build_value(TccBuilder *b, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                          size_t nattrs, const MlirType *result) {
  MlirOperation op = tcc_build(b, kind, operands, noperands, attrs, nattrs, result);
  return mlirOperationIsNull(op) ? null_value : mlirOperationGetResult(op, 0);
}

/* An op that has no optional operand. */
static MlirValue build_whole(TccBuilder *b, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                             size_t nattrs) {
  for (size_t i = 0; i < noperands; i++)
    if (!operands[i].ptr) return null_value;
  return tcc_build_value(b, kind, operands, noperands, attrs, nattrs, NULL);
}

MlirValue tcc_build1(TccBuilder *b, TccOpKind kind, MlirValue x) { return build_whole(b, kind, &x, 1, NULL, 0); }

MlirValue tcc_build2(TccBuilder *b, TccOpKind kind, MlirValue x, MlirValue y) {
  MlirValue operands[] = {x, y};
  return build_whole(b, kind, operands, 2, NULL, 0);
}

MlirValue tcc_build2_number(TccBuilder *b, TccOpKind kind, MlirValue x, double y) {
  return x.ptr ? tcc_build2(b, kind, x, tcc_build_scalar(b, tcc_value_elem(x), y)) : x;
}

MlirValue tcc_build_select(TccBuilder *b, MlirValue condition, MlirValue x, MlirValue y) {
  MlirValue operands[] = {condition, x, y};
  return build_whole(b, TCC_OP_SELECT, operands, 3, NULL, 0);
}

MlirValue tcc_build_compare(TccBuilder *b, const char *predicate, MlirValue x, MlirValue y) {
  MlirValue operands[] = {x, y};
  TccNamedAttr attr = {"predicate", tcc_attr_str(b->ir, tcc_str(predicate))};
  return build_whole(b, TCC_OP_COMPARE, operands, 2, &attr, 1);
}

MlirValue tcc_build_gather(TccBuilder *b, MlirValue x, MlirValue indices, int64_t axis) {
  MlirValue operands[] = {x, indices};
  TccNamedAttr attr = {"axis", tcc_attr_i64(b->ir, axis)};
  return build_whole(b, TCC_OP_GATHER, operands, 2, &attr, 1);
}

MlirValue tcc_build_constant(TccBuilder *b, TccElem elem, int rank, const int64_t *dims, const void *data) {
  MlirType type = tcc_tensor_type_static(b->ir, elem, rank, dims);
  TccNamedAttr attr = {"value", tcc_elements_attr(b->ir, type, data)};
  return tcc_build_value(b, TCC_OP_CONSTANT, NULL, 0, &attr, 1, NULL);
}

MlirValue tcc_build_scalar(TccBuilder *b, TccElem elem, double value) {
  if (!elem) return null_value;
  unsigned char bytes[8] = {0};
  tcc_elem_store_f64(elem, bytes, 0, value);
  return tcc_build_constant(b, elem, 0, NULL, bytes);
}

MlirValue tcc_build_scalar_i64(TccBuilder *b, TccElem elem, int64_t value) {
  if (!elem) return null_value;
  unsigned char bytes[8] = {0};
  tcc_elem_store_i64(elem, bytes, 0, value);
  return tcc_build_constant(b, elem, 0, NULL, bytes);
}

MlirValue tcc_build_sizes(TccBuilder *b, const TccExpr *const *values, size_t count) {
  TccNamedAttr attr = {"values", tcc_attr_exprs(b->ir, values, count)};
  return tcc_build_value(b, TCC_OP_SIZES, NULL, 0, &attr, 1, NULL);
}

MlirValue tcc_build_size(TccBuilder *b, const TccExpr *value) {
  return tcc_build_reshape(b, tcc_build_sizes(b, &value, 1), 0, NULL);
}

MlirValue tcc_build_iota(TccBuilder *b, TccElem elem, int64_t axis, int rank, const TccExpr *const *dims) {
  MlirType type = tcc_tensor_type(b->ir, elem, rank, dims);
  TccNamedAttr attr = {"axis", tcc_attr_i64(b->ir, axis)};
  return tcc_build_value(b, TCC_OP_IOTA, NULL, 0, &attr, 1, &type);
}

static MlirValue build_typed(TccBuilder *b, TccOpKind kind, MlirValue x, const TccNamedAttr *attrs, size_t nattrs, MlirType type) {
  if (mlirTypeIsNull(type)) {
    tcc_error_at(b->location, "'%s': C0: a size of the result is negative", tcc_op_name(kind));
    return null_value;
  }
  return tcc_build_value(b, kind, &x, 1, attrs, nattrs, &type);
}

MlirValue tcc_build_convert(TccBuilder *b, MlirValue x, TccElem elem) {
  if (!x.ptr || !elem) return null_value;
  MlirType type = mlirValueGetType(x);
  if (tcc_type_elem(type) == elem) return x;
  return build_typed(b, TCC_OP_CONVERT, x, NULL, 0, tcc_type_with_elem(b->ir, type, elem));
}

static bool is_rank(TccBuilder *b, int rank) {
  if (rank <= TCC_MAX_RANK) return true;
  tcc_error_at(b->location, "a tensor of rank %d is needed, the most is %d", rank, TCC_MAX_RANK);
  return false;
}

MlirValue tcc_build_reshape(TccBuilder *b, MlirValue x, int rank, const TccExpr *const *dims) {
  if (!x.ptr) return x;
  if (!is_rank(b, rank)) return null_value;
  MlirType from = mlirValueGetType(x), to = tcc_tensor_type(b->ir, tcc_type_elem(from), rank, dims);
  return mlirTypeEqual(from, to) ? x : build_typed(b, TCC_OP_RESHAPE, x, NULL, 0, to);
}

MlirValue tcc_build_broadcast(TccBuilder *b, MlirValue x, int rank, const TccExpr *const *dims) {
  if (!x.ptr) return x;
  if (!is_rank(b, rank)) return null_value;
  MlirType from = mlirValueGetType(x), to = tcc_tensor_type(b->ir, tcc_type_elem(from), rank, dims);
  return mlirTypeEqual(from, to) ? x : build_typed(b, TCC_OP_BROADCAST, x, NULL, 0, to);
}

MlirValue tcc_build_transpose(TccBuilder *b, MlirValue x, const int64_t *perm) {
  if (!x.ptr) return x;
  int rank = tcc_type_rank(mlirValueGetType(x));
  bool identity = true;
  for (int i = 0; i < rank; i++) identity = identity && perm[i] == i;
  if (identity) return x;
  TccNamedAttr attr = {"perm", tcc_attr_ints(b->ir, perm, (size_t)rank)};
  return tcc_build_value(b, TCC_OP_TRANSPOSE, &x, 1, &attr, 1, NULL);
}

MlirValue tcc_build_slice(TccBuilder *b, MlirValue x, const TccExpr *const *starts, const int64_t *steps,
                          const TccExpr *const *sizes) {
  if (!x.ptr) return x;
  MlirType from = mlirValueGetType(x);
  size_t rank = (size_t)tcc_type_rank(from);
  TccNamedAttr attrs[] = {{"starts", tcc_attr_exprs(b->ir, starts, rank)}, {"steps", tcc_attr_ints(b->ir, steps, rank)}};
  return build_typed(b, TCC_OP_SLICE, x, attrs, 2, tcc_tensor_type(b->ir, tcc_type_elem(from), (int)rank, sizes));
}

MlirValue tcc_build_slice_axis(TccBuilder *b, MlirValue x, int64_t axis, const TccExpr *start, int64_t step, const TccExpr *size) {
  if (!x.ptr) return x;
  MlirType type = mlirValueGetType(x);
  int rank = tcc_type_rank(type);
  const TccExpr *starts[TCC_MAX_RANK], *sizes[TCC_MAX_RANK];
  int64_t steps[TCC_MAX_RANK];
  if (axis >= rank) {
    tcc_error_at(b->location, "rank %d is too small", rank);
    return null_value;
  }
  for (int i = 0; i < rank; i++) starts[i] = tcc_expr_const(b->ir->exprs, 0), steps[i] = 1, sizes[i] = tcc_type_dim(b->ir, type, i);
  starts[axis] = start;
  steps[axis] = step;
  sizes[axis] = size;
  return tcc_build_slice(b, x, starts, steps, sizes);
}

MlirValue tcc_build_pair_factors(TccBuilder *b, TccElem elem, const TccExpr *n, int64_t axis, int rank, double factor) {
  TccExprPool *pool = b->ir->exprs;
  const TccExpr *one = tcc_expr_const(pool, 1), *dims[TCC_MAX_RANK],
                *bins = tcc_expr_add(pool, tcc_expr_call(pool, TCC_EXPR_FLOORDIV, n, tcc_expr_const(pool, 2)), one);
  int64_t known;
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? bins : one;
  MlirValue k = tcc_build_iota(b, TCC_ELEM_I64, 0, 1, &bins), twice = tcc_build2_number(b, TCC_OP_MUL, k, 2),
            all = tcc_expr_is_const(n, &known) ? tcc_build_scalar_i64(b, TCC_ELEM_I64, known) : tcc_build_size(b, n);
  MlirValue alone = tcc_build2(b, TCC_OP_OR, tcc_build_compare(b, "eq", k, tcc_build_scalar_i64(b, TCC_ELEM_I64, 0)),
                               tcc_build_compare(b, "eq", twice, all));
  MlirValue factors = tcc_build_select(b, alone, tcc_build_scalar(b, elem, 1), tcc_build_scalar(b, elem, factor));
  return tcc_build_reshape(b, factors, rank, dims);
}

MlirValue tcc_build_unsqueeze(TccBuilder *b, MlirValue x, int64_t axis) {
  if (!x.ptr) return x;
  MlirType type = mlirValueGetType(x);
  int rank = tcc_type_rank(type);
  const TccExpr *dims[TCC_MAX_RANK + 1];
  for (int i = 0; i < rank; i++) dims[i < axis ? i : i + 1] = tcc_type_dim(b->ir, type, i);
  dims[axis] = tcc_expr_const(b->ir->exprs, 1);
  return tcc_build_reshape(b, x, rank + 1, dims);
}

MlirValue tcc_build_squeeze(TccBuilder *b, MlirValue x, int64_t axis) {
  if (!x.ptr) return x;
  MlirType type = mlirValueGetType(x);
  int rank = tcc_type_rank(type);
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i + 1 < rank; i++) dims[i] = tcc_type_dim(b->ir, type, i < axis ? i : i + 1);
  return tcc_build_reshape(b, x, rank - 1, dims);
}

MlirValue tcc_build_pad(TccBuilder *b, MlirValue x, MlirValue value, const TccExpr *const *low, const TccExpr *const *high,
                        const char *mode) {
  if (!x.ptr) return null_value;
  const size_t rank = (size_t)tcc_type_rank(tcc_value_type(x));
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(b->ir, low, rank)},
                          {"high", tcc_attr_exprs(b->ir, high, rank)},
                          {"mode", tcc_attr_str(b->ir, tcc_str(mode))}};
  return tcc_build_value(b, TCC_OP_PAD, (MlirValue[]){x, value}, 2, attrs, 3, NULL);
}

MlirValue tcc_build_concat(TccBuilder *b, const MlirValue *values, size_t count, int64_t axis) {
  assert(count > 0);
  for (size_t i = 0; i < count; i++)
    if (!values[i].ptr) return null_value;
  MlirValue result = values[count - 1];
  TccNamedAttr attr = {"axis", tcc_attr_i64(b->ir, axis)};
  for (size_t i = count - 1; i-- > 0 && result.ptr;) { /* right-leaning: a ++ (b ++ c) */
    MlirValue operands[] = {values[i], result};
    result = tcc_build_value(b, TCC_OP_CONCAT, operands, 2, &attr, 1, NULL);
  }
  return result;
}

MlirValue tcc_build_reduce(TccBuilder *b, const char *kind, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims) {
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(b->ir, tcc_str(kind))},
                          {"axes", tcc_attr_ints(b->ir, axes, naxes)},
                          {"keepdims", tcc_attr_bool(b->ir, keepdims)}};
  return build_whole(b, TCC_OP_REDUCE, &x, 1, attrs, 3);
}

MlirValue tcc_build_mean(TccBuilder *b, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims) {
  TccNamedAttr attrs[] = {{"axes", tcc_attr_ints(b->ir, axes, naxes)}, {"keepdims", tcc_attr_bool(b->ir, keepdims)}};
  return build_whole(b, TCC_OP_MEAN, &x, 1, attrs, 2);
}

MlirValue tcc_build_dot_general(TccBuilder *b, MlirValue x, MlirValue y, const int64_t *lhs_batch, const int64_t *rhs_batch,
                                size_t nbatch, const int64_t *lhs_contract, const int64_t *rhs_contract, size_t ncontract) {
  TccNamedAttr attrs[] = {{"lhs_batch", tcc_attr_ints(b->ir, lhs_batch, nbatch)},
                          {"rhs_batch", tcc_attr_ints(b->ir, rhs_batch, nbatch)},
                          {"lhs_contract", tcc_attr_ints(b->ir, lhs_contract, ncontract)},
                          {"rhs_contract", tcc_attr_ints(b->ir, rhs_contract, ncontract)}};
  MlirValue operands[] = {x, y};
  return build_whole(b, TCC_OP_DOT_GENERAL, operands, 2, attrs, 4);
}
