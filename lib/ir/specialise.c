/* specialise.c - symbolic sizes of a module become constants.
 *
 *   func.func @main(%x: tensor<?x8xf32, ["B", 8]>)     B = 3     func.func @main(%x: tensor<3x8xf32>)
 *
 * Types and attributes that are expressions are made anew; the pool of expressions reads the name as its value from then on. */
#include "lib/ir/internal.h"
#include "tcc/optable.h"

typedef struct {
  TccIr *ir;
  const TccSize *sizes;
  size_t nsizes;
} Specialise;

static const TccExpr *constant_of(TccStr name, void *user) {
  const Specialise *s = user;
  for (size_t i = 0; i < s->nsizes; i++)
    if (tcc_str_equal(s->sizes[i].name, name)) return tcc_expr_const(s->ir->exprs, s->sizes[i].value);
  return NULL;
}

static MlirType new_type(Specialise *s, MlirType type) {
  const TccTypeInfo *info = tcc_type_info(s->ir, type);
  const TccExpr *dims[TCC_MAX_RANK];
  if (!info || info->rank > TCC_MAX_RANK || info->elem == TCC_ELEM_NONE || tcc_type_is_static(type)) return type;
  for (int i = 0; i < info->rank; i++)
    dims[i] = info->dims[i] ? tcc_expr_substitute(s->ir->exprs, info->dims[i], constant_of, s) : NULL;
  MlirType made = tcc_tensor_type(s->ir, info->elem, info->rank, dims);
  return mlirTypeIsNull(made) ? type : made; /* a negative size: the rules say what is wrong */
}

static void change_function(Specialise *s, MlirOperation op) {
  MlirStringRef key = mlirStringRefCreateFromCString("function_type");
  MlirAttribute attr = mlirOperationGetAttributeByName(op, key);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAType(attr) || !mlirTypeIsAFunction(mlirTypeAttrGetValue(attr))) return;
  MlirType type = mlirTypeAttrGetValue(attr);
  intptr_t n = mlirFunctionTypeGetNumInputs(type), nresults = mlirFunctionTypeGetNumResults(type);
  MlirType *types = TCC_NEW_ARRAY(s->ir->arena, MlirType, n + nresults + 1);
  for (intptr_t i = 0; i < n; i++) types[i] = new_type(s, mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < nresults; i++) types[n + i] = new_type(s, mlirFunctionTypeGetResult(type, i));
  mlirOperationSetAttributeByName(op, key, mlirTypeAttrGet(mlirFunctionTypeGet(s->ir->context, n, types, nresults, types + n)));
}

static MlirWalkResult change_op(MlirOperation op, void *user) {
  Specialise *s = user;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    mlirValueSetType(result, new_type(s, mlirValueGetType(result)));
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        mlirBlockArgumentSetType(argument, new_type(s, mlirValueGetType(argument)));
      }
  change_function(s, op);
  return MlirWalkResultAdvance;
}

/* The pool knows the values by now: what is read is what is to be written. */
static MlirWalkResult change_attributes(MlirOperation op, void *user) {
  TccIr *ir = user;
  const TccOpKind kind = tcc_op_kind(ir, op);
  const TccOpRow *row = kind == TCC_OP_UNKNOWN ? NULL : tcc_op_row(kind);
  for (size_t i = 0; row && i < row->nattributes; i++) {
    const TccAttrRow *attribute = &row->attributes[i];
    const TccExpr *const *values;
    size_t count;
    if (attribute->kind != TCC_ATTR_EXPRS) continue;
    const char *name = tcc_arena_copy(ir->arena, attribute->name.data, attribute->name.length);
    if (!mlirAttributeIsNull(tcc_attribute(op, name)) && tcc_get_exprs(ir, op, name, &values, &count))
      tcc_set_attribute(op, name, tcc_attr_exprs(ir, values, count));
  }
  return MlirWalkResultAdvance;
}

void tcc_ir_specialise(TccIr *ir, MlirOperation module, const TccSize *sizes, size_t nsizes) {
  Specialise s = {ir, sizes, nsizes};
  mlirOperationWalk(module, change_op, &s, MlirWalkPreOrder);
  for (size_t i = 0; i < nsizes; i++) tcc_expr_fix_symbol(ir->exprs, sizes[i].name, sizes[i].value);
  mlirOperationWalk(module, change_attributes, ir, MlirWalkPreOrder);
}
