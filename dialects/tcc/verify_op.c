/* verify_op.c - checks one op against its row: what the rule infers must be what the op says. */
#include "lib/ir/internal.h"

/* A type's encoding has an entry a dimension: the size itself where it is static; a normal form or "?" where not. Types
 * without a dynamic size have none, so that equal types are equal pointers. */
static const char *encoding_fault(TccIr *ir, MlirType type) {
  if (!mlirTypeIsARankedTensor(type)) return NULL;
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  if (mlirAttributeIsNull(encoding)) return NULL;
  if (mlirShapedTypeHasStaticShape(type)) return tcc_arena_printf(ir->arena, "a static type must have no encoding");
  int rank = tcc_type_rank(type);
  if (!mlirAttributeIsAArray(encoding) || mlirArrayAttrGetNumElements(encoding) != rank)
    return tcc_arena_printf(ir->arena, "the encoding must be an array of %d entries", rank);
  for (int i = 0; i < rank; i++) {
    MlirAttribute entry = mlirArrayAttrGetElement(encoding, i);
    int64_t number;
    TccStr text;
    if (!mlirShapedTypeIsDynamicDim(type, i)) {
      if (!tcc_attr_read_i64(entry, &number) || number != mlirShapedTypeGetDimSize(type, i))
        return tcc_arena_printf(ir->arena, "entry %d of the encoding must be %lld", i,
                                (long long)mlirShapedTypeGetDimSize(type, i));
      continue;
    }
    if (!tcc_attr_read_str(entry, &text))
      return tcc_arena_printf(ir->arena, "entry %d of the encoding must be a size expression", i);
    if (tcc_str_is(text, "?")) continue;
    const TccExpr *expr;
    TccStatus *status = tcc_expr_parse(ir->exprs, text, &expr);
    if (status) {
      const char *why = tcc_arena_printf(ir->arena, "entry %d of the encoding: %s", i, tcc_status_message(status));
      tcc_status_destroy(status);
      return why;
    }
    const char *normal = tcc_expr_text(ir->exprs, expr);
    if (tcc_expr_is_const(expr, NULL))
      return tcc_arena_printf(ir->arena, "entry %d of the encoding is a constant, the size is dynamic", i);
    if (!tcc_str_is(text, normal))
      return tcc_arena_printf(ir->arena, "entry %d of the encoding, '%.*s', is not the normal form '%s'", i, TCC_STR_ARG(text),
                              normal);
  }
  return NULL;
}

const char *tcc_type_fault(TccIr *ir, MlirType type) {
  void *known = tcc_pointer_map_get(&ir->tables->sound_types, type.ptr);
  if (known) return NULL;
  const char *fault = encoding_fault(ir, type);
  if (!fault) tcc_pointer_map_set(&ir->tables->sound_types, type.ptr, ir);
  return fault;
}

const char *tcc_type_size_fault(TccIr *ir, MlirType type) {
  const TccTypeInfo *info = tcc_type_info(ir, type);
  if (!info) return NULL;
  if (info->rank > TCC_MAX_RANK) return tcc_arena_printf(ir->arena, "the rank is %d, the most is %d", info->rank, TCC_MAX_RANK);
  return tcc_sizes_fit(info->rank, info->dims) ? NULL : "the tensor has too many elements";
}

MlirAttribute tcc_op_attributes(TccIr *ir, MlirOperation op) {
  intptr_t count = mlirOperationGetNumAttributes(op);
  MlirNamedAttribute few[16], *attrs = count <= 16 ? few : TCC_NEW_ARRAY(ir->arena, MlirNamedAttribute, count);
  for (intptr_t i = 0; i < count; i++) attrs[i] = mlirOperationGetAttribute(op, i);
  return mlirDictionaryAttrGet(ir->context, count, attrs);
}

bool tcc_op_infer_types(TccIr *ir, MlirOperation op, MlirType *out_results, const char **out_why, TccBounds *bounds) {
  TccOpKind kind = tcc_op_kind(ir, op);
  size_t noperands = (size_t)mlirOperationGetNumOperands(op);
  MlirType operands[TCC_MAX_OPERANDS], declared;
  for (size_t i = 0; i < noperands && i < TCC_MAX_OPERANDS; i++)
    operands[i] = mlirValueGetType(mlirOperationGetOperand(op, (intptr_t)i));
  TccRuleInput input = {ir, kind, noperands, operands, tcc_op_attributes(ir, op), NULL};
  if (tcc_op_has_trait(kind, 'X') && mlirOperationGetNumResults(op) > 0) {
    declared = mlirValueGetType(mlirOperationGetResult(op, 0));
    input.declared = &declared;
  }
  input.bounds = bounds;
  bool ok = tcc_op_infer(&input, out_results);
  *out_why = input.why;
  return ok;
}

bool tcc_op_verify(TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  const TccOpRow *row = tcc_op_row(kind);
  MlirType inferred[TCC_MAX_RESULTS];
  const char *why;
  size_t nresults = (size_t)mlirOperationGetNumResults(op);
  if (nresults != row->nresults) {
    tcc_error(op, "'%s': C0: gives %zu results, not %zu", row->name, row->nresults, nresults);
    return false;
  }
  for (size_t i = 0; i < nresults; i++) {
    const char *fault = tcc_type_fault(ir, mlirValueGetType(mlirOperationGetResult(op, (intptr_t)i)));
    if (fault) {
      tcc_error(op, "'%s': C0: result '%.*s': %s", row->name, TCC_STR_ARG(row->results[i]), fault);
      return false;
    }
  }
  if (!tcc_op_infer_types(ir, op, inferred, &why, NULL)) {
    tcc_error(op, "'%s': %s", row->name, why);
    return false;
  }
  for (size_t i = 0; i < nresults; i++) {
    MlirType given = mlirValueGetType(mlirOperationGetResult(op, (intptr_t)i));
    if (mlirTypeEqual(given, inferred[i]) || tcc_type_refines(ir, given, inferred[i])) continue;
    TccText text = {0};
    tcc_text_printf(&text, "'%s': C0: result '%.*s' must have type ", row->name, TCC_STR_ARG(row->results[i]));
    mlirTypePrint(inferred[i], tcc_append, &text);
    tcc_text_printf(&text, ", not ");
    mlirTypePrint(given, tcc_append, &text);
    tcc_error(op, "%s", text.data);
    tcc_text_destroy(&text);
    return false;
  }
  return true;
}
