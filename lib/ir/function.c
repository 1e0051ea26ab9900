/* function.c - functions, calls and returns, for the passes that outline. */
#include "lib/ir/internal.h"
#include "lib/ir/names.h"

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

MlirOperation tcc_make_call(TccIr *ir, const char *callee, MlirLocation location, size_t noperands, const MlirValue *operands,
                            size_t nresults, const MlirType *results) {
  return make(ir, "func.call", location, noperands, operands, nresults, results, callee);
}

MlirOperation tcc_make_return(TccIr *ir, MlirLocation location, size_t noperands, const MlirValue *operands) {
  return make(ir, "func.return", location, noperands, operands, 0, NULL, NULL);
}

MlirOperation tcc_make_function(TccIr *ir, const char *name, TccKernelKind kind, MlirLocation location, MlirRegion body) {
  MlirContext context = ir->context;
  MlirBlock block = mlirRegionGetFirstBlock(body);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t narguments = mlirBlockGetNumArguments(block), nresults = mlirOperationGetNumOperands(end);
  MlirType *arguments = TCC_NEW_ARRAY(ir->arena, MlirType, narguments + 1),
           *results = TCC_NEW_ARRAY(ir->arena, MlirType, nresults + 1);
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
  if (kind)
    attributes[nattributes++] = (MlirNamedAttribute){keys[TCC_KEY_KERNEL], tcc_attr_str(ir, tcc_str(tcc_kernel_kind_name(kind)))};
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString("func.func"), location);
  mlirOperationStateAddAttributes(&state, nattributes, attributes);
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  return mlirOperationCreate(&state);
}

MlirOperation tcc_function_from(MlirOperation op) {
  while (!mlirOperationIsNull(op) && (!tcc_op_is_named(op, "func.func") || mlirBlockIsNull(tcc_func_body(op))))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

TccStr tcc_function_name(MlirOperation func) {
  TccStr name = {0};
  tcc_attr_read_str(tcc_attribute(func, "sym_name"), &name);
  return name;
}

TccKernelKind tcc_kernel_kind(TccIr *ir, MlirOperation func) {
  TccStr name;
  return tcc_get_str(ir, func, "tcc.kernel", &name) ? tcc_kernel_kind_named(name) : TCC_KERNEL_NONE;
}

void tcc_kernel_set_kind(TccIr *ir, MlirOperation func, TccKernelKind kind) {
  tcc_set_attribute(func, "tcc.kernel", tcc_attr_str(ir, tcc_str(tcc_kernel_kind_name(kind))));
}

void tcc_call_set_why(TccIr *ir, MlirOperation call, const char *const *why) {
  enum { MOST = 64 };
  MlirAttribute all[MOST];
  intptr_t n = mlirOperationGetNumResults(call);
  for (intptr_t i = 0; i < n && i < MOST; i++) all[i] = tcc_attr_str(ir, tcc_str(why[i]));
  if (n <= MOST) tcc_set_attribute(call, "tcc.why", mlirArrayAttrGet(ir->context, n, all));
}

static MlirType function_type(MlirOperation func) {
  return mlirTypeAttrGetValue(mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("function_type")));
}

/* The function's type with this many inputs: those that it has, one of them replaced by `type` or put behind them. */
static void set_input(TccIr *ir, MlirOperation func, intptr_t ninputs, intptr_t at, MlirType type) {
  MlirType old = function_type(func);
  intptr_t r = mlirFunctionTypeGetNumResults(old);
  MlirType *inputs = TCC_NEW_ARRAY(ir->arena, MlirType, ninputs), *results = TCC_NEW_ARRAY(ir->arena, MlirType, r + 1);
  for (intptr_t i = 0; i < ninputs; i++) inputs[i] = i == at ? type : mlirFunctionTypeGetInput(old, i);
  for (intptr_t i = 0; i < r; i++) results[i] = mlirFunctionTypeGetResult(old, i);
  tcc_set_attribute(func, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(ir->context, ninputs, inputs, r, results)));
}

void tcc_func_set_argument_type(TccIr *ir, MlirOperation func, intptr_t argument, MlirType type) {
  mlirValueSetType(mlirBlockGetArgument(tcc_func_body(func), argument), type);
  set_input(ir, func, mlirFunctionTypeGetNumInputs(function_type(func)), argument, type);
}

MlirValue tcc_func_add_argument(TccIr *ir, MlirOperation func, MlirType type) {
  intptr_t n = mlirFunctionTypeGetNumInputs(function_type(func));
  set_input(ir, func, n + 1, n, type);
  return mlirBlockAddArgument(tcc_func_body(func), type, mlirOperationGetLocation(func));
}

void tcc_call_add_operand(TccIr *ir, MlirOperation call, MlirValue value) {
  intptr_t n = mlirOperationGetNumOperands(call);
  MlirValue *operands = TCC_NEW_ARRAY(ir->arena, MlirValue, n + 1);
  for (intptr_t i = 0; i < n; i++) operands[i] = mlirOperationGetOperand(call, i);
  operands[n] = value;
  mlirOperationSetOperands(call, n + 1, operands);
}

void tcc_each_call(MlirBlock block, void (*visit)(void *user, MlirOperation call), void *user) {
  TCC_EACH_OP (op, block) {
    if (tcc_op_is_named(op, "func.call")) visit(user, op);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
           b = mlirBlockGetNextInRegion(b))
        tcc_each_call(b, visit, user);
  }
}

void tcc_call_make_operand(TccIr *ir, TccMap *made, MlirOperation call, intptr_t argument, const char *maker, MlirType type,
                           const char *why) {
  MlirValue operand = mlirOperationGetOperand(call, argument);
  const void *key[] = {mlirOperationGetBlock(call).ptr, operand.ptr, maker};
  TccMapEntry *entry = tcc_map_put(made, (TccStr){(const char *)key, sizeof key}, NULL);
  if (!entry->constant) {
    MlirOperation op = tcc_make_call(ir, maker, mlirOperationGetLocation(call), 1, &operand, 1, &type);
    mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, op);
    if (why) tcc_call_set_why(ir, op, &why);
    entry->constant = mlirOperationGetResult(op, 0).ptr;
  }
  MlirOperation made_by = tcc_value_op((MlirValue){entry->constant}); /* calls are not met in the order of their block */
  if (mlirOperationIsBeforeInBlock(call, made_by)) mlirOperationMoveBefore(made_by, call);
  mlirOperationSetOperand(call, argument, (MlirValue){entry->constant});
}
