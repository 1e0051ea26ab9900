/* function.c - functions, calls and returns, for the passes that outline. */
#include "lib/ir/internal.h"

static MlirOperation make(TccIr *ir, const char *name, MlirLocation location, size_t noperands, const MlirValue *operands,
                          size_t nresults, const MlirType *results, const char *callee) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), location);
  mlirOperationStateAddOperands(&state, (intptr_t)noperands, operands);
  mlirOperationStateAddResults(&state, (intptr_t)nresults, results);
  if (callee) {
    MlirAttribute symbol = mlirFlatSymbolRefAttrGet(ir->context, mlirStringRefCreateFromCString(callee));
    MlirNamedAttribute attribute = {ir->tables->keys[TCC_KEY_CALLEE], symbol};
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  return mlirOperationCreate(&state);
}

MlirOperation tcc_make_call(TccIr *ir, const char *callee, MlirLocation location, size_t noperands, const MlirValue *operands, size_t nresults,
                            const MlirType *results) {
  return make(ir, "func.call", location, noperands, operands, nresults, results, callee);
}

MlirOperation tcc_make_return(TccIr *ir, MlirLocation location, size_t noperands, const MlirValue *operands) {
  return make(ir, "func.return", location, noperands, operands, 0, NULL, NULL);
}

MlirOperation tcc_make_function(TccIr *ir, const char *name, const char *kernel, MlirLocation location, MlirRegion body) {
  MlirContext context = ir->context;
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t narguments = mlirBlockGetNumArguments(block), nresults = mlirOperationGetNumOperands(end);
  MlirType *arguments = TCC_NEW_ARRAY(ir->arena, MlirType, narguments + 1), *results = TCC_NEW_ARRAY(ir->arena, MlirType, nresults + 1);
  for (intptr_t i = 0; i < narguments; i++) arguments[i] = tcc_value_type(mlirBlockGetArgument(block, i));
  for (intptr_t i = 0; i < nresults; i++) results[i] = tcc_value_type(mlirOperationGetOperand(end, i));
  MlirType type = mlirFunctionTypeGet(context, narguments, arguments, nresults, results);
  const MlirIdentifier *keys = ir->tables->keys;
  MlirNamedAttribute attributes[4] = {
      {keys[TCC_KEY_FUNCTION_TYPE], mlirTypeAttrGet(type)},
      {keys[TCC_KEY_SYM_NAME], mlirStringAttrGet(context, mlirStringRefCreateFromCString(name))},
      {keys[TCC_KEY_SYM_VISIBILITY], ir->tables->private_visibility},
  };
  intptr_t nattributes = 3;
  if (kernel)
    attributes[nattributes++] = (MlirNamedAttribute){keys[TCC_KEY_KERNEL], mlirStringAttrGet(context, mlirStringRefCreateFromCString(kernel))};
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString("func.func"), location);
  mlirOperationStateAddAttributes(&state, nattributes, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  return mlirOperationCreate(&state);
}

void tcc_call_set_why(TccIr *ir, MlirOperation call, const char *const *why) {
  enum { MOST = 64 };
  MlirAttribute all[MOST];
  intptr_t n = mlirOperationGetNumResults(call);
  for (intptr_t i = 0; i < n && i < MOST; i++) all[i] = tcc_attr_str(ir, tcc_str(why[i]));
  if (n <= MOST) mlirOperationSetAttributeByName(call, mlirStringRefCreateFromCString("tcc.why"), mlirArrayAttrGet(ir->context, n, all));
}
