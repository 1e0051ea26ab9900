/* types.c - tensor types and their symbolic sizes.
 *
 * A static tensor has no encoding. A tensor with a dynamic size carries one entry a dimension: an i64 for a static
 * size, the normal form of an expression for a dynamic one, "?" where it is unknown. Both directions are remembered by
 * pointer (types are uniqued by the context), so that reading a size costs one probe and no parsing. */
#include "lib/ir/internal.h"
#include <assert.h>

TccElem tcc_type_elem(MlirType type) {
  if (!type.ptr) return TCC_ELEM_NONE;
  if (mlirTypeIsAShaped(type)) type = mlirShapedTypeGetElementType(type);
  if (mlirTypeIsAF32(type)) return TCC_ELEM_F32;
  if (mlirTypeIsAInteger(type)) {
    unsigned width = mlirIntegerTypeGetWidth(type);
    if (mlirIntegerTypeIsSigned(type)) return TCC_ELEM_NONE;
    bool is_unsigned = mlirIntegerTypeIsUnsigned(type);
    switch (width) {
    case 1: return is_unsigned ? TCC_ELEM_NONE : TCC_ELEM_BOOL;
    case 2: return is_unsigned ? TCC_ELEM_U2 : TCC_ELEM_I2;
    case 4: return is_unsigned ? TCC_ELEM_U4 : TCC_ELEM_I4;
    case 8: return is_unsigned ? TCC_ELEM_U8 : TCC_ELEM_I8;
    case 16: return is_unsigned ? TCC_ELEM_U16 : TCC_ELEM_I16;
    case 32: return is_unsigned ? TCC_ELEM_U32 : TCC_ELEM_I32;
    case 64: return is_unsigned ? TCC_ELEM_U64 : TCC_ELEM_I64;
    default: return TCC_ELEM_NONE;
    }
  }
  if (mlirTypeIsAF16(type)) return TCC_ELEM_F16;
  if (mlirTypeIsABF16(type)) return TCC_ELEM_BF16;
  if (mlirTypeIsAF64(type)) return TCC_ELEM_F64;
  if (mlirTypeIsAFloat8E4M3FN(type)) return TCC_ELEM_F8E4M3FN;
  if (mlirTypeIsAFloat8E4M3FNUZ(type)) return TCC_ELEM_F8E4M3FNUZ;
  if (mlirTypeIsAFloat8E5M2(type)) return TCC_ELEM_F8E5M2;
  if (mlirTypeIsAFloat8E5M2FNUZ(type)) return TCC_ELEM_F8E5M2FNUZ;
  if (mlirTypeIsAFloat8E8M0FNU(type)) return TCC_ELEM_F8E8M0FNU;
  if (mlirTypeIsAFloat4E2M1FN(type)) return TCC_ELEM_F4E2M1FN;
  return TCC_ELEM_NONE;
}

static MlirType elem_type(TccIr *ir, TccElem elem) {
  assert(elem > TCC_ELEM_NONE && elem < TCC_ELEM_COUNT);
  return ir->tables->elems[elem];
}

/* The size that an entry of the encoding stands for; NULL if it says nothing that can be read. */
static const TccExpr *parse_entry(TccIr *ir, MlirAttribute entry) {
  const TccExpr *expr = NULL;
  TccStr text;
  if (!tcc_attr_read_str(entry, &text) || tcc_str_is(text, "?")) return NULL;
  TccStatus *status = tcc_expr_parse(ir->exprs, text, &expr);
  tcc_status_destroy(status);
  return status ? NULL : expr;
}

const TccTypeInfo *tcc_type_info(TccIr *ir, MlirType type) {
  if (!type.ptr) return NULL;
  TccTypeInfo *info = tcc_pointer_map_get(&ir->tables->types, type.ptr);
  if (info) return info;
  if (!mlirTypeIsARankedTensor(type)) return NULL;
  info = TCC_NEW(ir->arena, TccTypeInfo);
  info->elem = tcc_type_elem(type);
  info->rank = (int)mlirShapedTypeGetRank(type);
  const TccExpr **dims = TCC_NEW_ARRAY(ir->arena, const TccExpr *, info->rank);
  MlirAttribute encoding = mlirRankedTensorTypeGetEncoding(type);
  bool entries =
      !mlirAttributeIsNull(encoding) && mlirAttributeIsAArray(encoding) && mlirArrayAttrGetNumElements(encoding) == info->rank;
  for (int i = 0; i < info->rank; i++) {
    if (!mlirShapedTypeIsDynamicDim(type, i)) dims[i] = tcc_expr_const(ir->exprs, mlirShapedTypeGetDimSize(type, i));
    else if (entries) dims[i] = parse_entry(ir, mlirArrayAttrGetElement(encoding, i));
  }
  info->dims = dims;
  tcc_pointer_map_set(&ir->tables->types, type.ptr, info);
  return info;
}

int tcc_type_rank(MlirType type) { return type.ptr && mlirTypeIsARankedTensor(type) ? (int)mlirShapedTypeGetRank(type) : -1; }

const TccExpr *tcc_type_dim(TccIr *ir, MlirType type, int axis) {
  const TccTypeInfo *info = tcc_type_info(ir, type);
  assert(info && axis >= 0 && axis < info->rank);
  return info->dims[axis];
}

bool tcc_type_is_static(MlirType type) { return type.ptr && mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type); }

/* ---- unknown sizes ---- */
typedef struct {
  TccIr *ir;
  MlirOperation op;
  int axis; /* -1: all are known so far */
} UnknownSize;

static void look_at(UnknownSize *unknown, MlirOperation op, MlirValue value) {
  MlirType type = tcc_value_type(value);
  for (int axis = 0; unknown->axis < 0 && axis < tcc_type_rank(type); axis++)
    if (!tcc_type_dim(unknown->ir, type, axis)) unknown->op = op, unknown->axis = axis;
}

static MlirWalkResult look_at_op(MlirOperation op, void *user) {
  UnknownSize *unknown = user;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) look_at(unknown, op, mlirOperationGetResult(op, i));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) look_at(unknown, op, mlirBlockGetArgument(block, i));
  return unknown->axis < 0 ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool tcc_sizes_known(TccIr *ir, MlirOperation root, MlirOperation *out_op, int *out_axis) {
  UnknownSize unknown = {.ir = ir, .axis = -1};
  mlirOperationWalk(root, look_at_op, &unknown, MlirWalkPreOrder);
  *out_op = unknown.op;
  *out_axis = unknown.axis;
  return unknown.axis < 0;
}

static MlirType make_tensor_type(TccIr *ir, TccElem elem, int rank, const TccExpr *const *dims) {
  int64_t shape[TCC_MAX_RANK];
  MlirAttribute entries[TCC_MAX_RANK];
  bool is_static = true;
  for (int i = 0; i < rank; i++) {
    if (dims[i] && tcc_expr_is_const(dims[i], &shape[i])) {
      if (shape[i] < 0) return (MlirType){NULL};
      entries[i] = tcc_attr_i64(ir, shape[i]);
      continue;
    }
    is_static = false;
    shape[i] = mlirShapedTypeGetDynamicSize();
    entries[i] = tcc_attr_str(ir, tcc_str(dims[i] ? tcc_expr_text(ir->exprs, dims[i]) : "?"));
  }
  MlirAttribute encoding = is_static ? mlirAttributeGetNull() : mlirArrayAttrGet(ir->context, rank, entries);
  return mlirRankedTensorTypeGet(rank, shape, elem_type(ir, elem), encoding);
}

MlirType tcc_tensor_type(TccIr *ir, TccElem elem, int rank, const TccExpr *const *dims) {
  assert(rank >= 0 && rank <= TCC_MAX_RANK);
  const void *key[TCC_MAX_RANK + 1] = {(const void *)(uintptr_t)elem};
  for (int i = 0; i < rank; i++) key[i + 1] = dims[i];
  TccStr bytes = {(const char *)key, sizeof *key * (size_t)(rank + 1)};
  TccMapEntry *entry = tcc_map_find(ir->tables->tensor_types, bytes);
  if (entry) return (MlirType){entry->constant};
  MlirType type = make_tensor_type(ir, elem, rank, dims);
  tcc_map_put(ir->tables->tensor_types, bytes, NULL)->constant = type.ptr;
  return type;
}

MlirType tcc_tensor_type_static(TccIr *ir, TccElem elem, int rank, const int64_t *dims) {
  return mlirRankedTensorTypeGet(rank, dims, elem_type(ir, elem), mlirAttributeGetNull());
}

MlirType tcc_type_with_elem(TccIr *ir, MlirType type, TccElem elem) {
  const TccTypeInfo *info = tcc_type_info(ir, type);
  assert(info);
  return tcc_tensor_type(ir, elem, info->rank, info->dims);
}

const TccExpr *tcc_type_count(TccIr *ir, MlirType type) {
  const TccTypeInfo *known = tcc_type_info(ir, type);
  assert(known);
  if (known->count) return known->count;
  TccTypeInfo *info = tcc_pointer_map_get(&ir->tables->types, type.ptr);
  const TccExpr *count = tcc_expr_const(ir->exprs, 1);
  for (int i = 0; i < info->rank; i++) {
    if (!info->dims[i]) return NULL;
    count = tcc_expr_mul(ir->exprs, count, info->dims[i]);
  }
  info->count = count;
  return count;
}

bool tcc_type_refines(TccIr *ir, MlirType a, MlirType b) {
  const TccTypeInfo *x = tcc_type_info(ir, a), *y = tcc_type_info(ir, b);
  if (!x || !y || x->elem != y->elem || x->rank != y->rank) return false;
  for (int i = 0; i < x->rank; i++)
    if (x->dims[i] && y->dims[i] && !tcc_expr_known_equal(x->dims[i], y->dims[i])) return false;
  return true;
}

bool tcc_type_same_shape(TccIr *ir, MlirType a, MlirType b) {
  int rank = tcc_type_rank(a);
  if (rank < 0 || rank != tcc_type_rank(b)) return false;
  for (int axis = 0; axis < rank; axis++)
    if (tcc_type_dim(ir, a, axis) != tcc_type_dim(ir, b, axis)) return false;
  return true;
}

static bool likely_value(TccStr name, int64_t *out, void *user) {
  const TccIr *ir = user;
  const TccMapEntry *entry = ir->likely ? tcc_map_find(ir->likely, name) : NULL;
  *out = entry ? entry->integer : TCC_LIKELY_SIZE;
  return true;
}

int64_t tcc_ir_likely(TccIr *ir, const TccExpr *e) {
  int64_t value = 1;
  if (!e) return TCC_LIKELY_SIZE;
  TccStatus *wrong = tcc_expr_eval(e, likely_value, ir, &value);
  tcc_status_destroy(wrong);
  return wrong || value < 1 ? 1 : value;
}
