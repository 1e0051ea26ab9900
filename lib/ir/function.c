/* function.c - functions, calls and returns, for the passes that outline. */
#include "tcc/ir.h"

static MlirOperation make(MlirContext context, const char *name, MlirLocation location, size_t noperands, const MlirValue *operands,
                          size_t nresults, const MlirType *results, const char *callee) {
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString(name), location);
  mlirOperationStateAddOperands(&state, (intptr_t)noperands, operands);
  mlirOperationStateAddResults(&state, (intptr_t)nresults, results);
  if (callee) {
    MlirNamedAttribute attribute = mlirNamedAttributeGet(mlirIdentifierGet(context, mlirStringRefCreateFromCString("callee")),
                                                         mlirFlatSymbolRefAttrGet(context, mlirStringRefCreateFromCString(callee)));
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  return mlirOperationCreate(&state);
}

MlirOperation tcc_make_call(TccIr *ir, const char *callee, MlirLocation location, size_t noperands, const MlirValue *operands, size_t nresults,
                            const MlirType *results) {
  return make(ir->context, "func.call", location, noperands, operands, nresults, results, callee);
}

MlirOperation tcc_make_return(TccIr *ir, MlirLocation location, size_t noperands, const MlirValue *operands) {
  return make(ir->context, "func.return", location, noperands, operands, 0, NULL, NULL);
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
  const struct { const char *key; MlirAttribute value; } pairs[] = {
      {"sym_name", mlirStringAttrGet(context, mlirStringRefCreateFromCString(name))},
      {"function_type", mlirTypeAttrGet(type)},
      {"sym_visibility", mlirStringAttrGet(context, mlirStringRefCreateFromCString("private"))},
      {"tcc.kernel", mlirStringAttrGet(context, mlirStringRefCreateFromCString(kernel ? kernel : ""))},
  };
  intptr_t nattributes = kernel ? 4 : 3;
  MlirNamedAttribute attributes[4];
  for (intptr_t i = 0; i < nattributes; i++)
    attributes[i] = mlirNamedAttributeGet(mlirIdentifierGet(context, mlirStringRefCreateFromCString(pairs[i].key)), pairs[i].value);
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString("func.func"), location);
  mlirOperationStateAddAttributes(&state, nattributes, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  return mlirOperationCreate(&state);
}
