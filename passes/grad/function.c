/* function.c - functions that differentiation makes: copies with more arguments or results. */
#include "passes/grad/grad.h"

const char *grad_name(Grad *g, TccStr base, const char *suffix) {
  const char *name = tcc_arena_printf(g->scratch, "%.*s%s", TCC_STR_ARG(base), suffix);
  for (int i = 1; !mlirOperationIsNull(tcc_module_find(g->ir, g->module, tcc_str(name))); i++)
    name = tcc_arena_printf(g->scratch, "%.*s%s%d", TCC_STR_ARG(base), suffix, i);
  return name;
}

static void append(Grad *g, MlirOperation func) { mlirBlockAppendOwnedOperation(tcc_func_body(g->module), func); }

MlirOperation grad_copy(Grad *g, MlirOperation func, const char *name) {
  MlirOperation copy = mlirOperationClone(func);
  tcc_set_attribute(copy, "sym_name", tcc_attr_str(g->ir, tcc_str(name)));
  tcc_set_attribute(copy, "sym_visibility", tcc_attr_str(g->ir, tcc_str("private")));
  append(g, copy);
  return copy;
}

MlirOperation grad_add_function(Grad *g, const char *name, MlirLocation location, MlirBlock block) {
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  MlirOperation func = tcc_make_function(g->ir, name, TCC_KERNEL_NONE, location, region);
  append(g, func);
  return func;
}

MlirOperation grad_retype(Grad *g, MlirOperation func, const char *name) {
  MlirBlock block = tcc_func_body(func);
  MlirLocation location = mlirOperationGetLocation(func);
  mlirBlockDetach(block);
  mlirOperationDestroy(func);
  return grad_add_function(g, name, location, block);
}

void grad_set_return(Grad *g, MlirBlock block, const MlirValue *values, size_t count) {
  MlirOperation old = mlirBlockGetTerminator(block);
  MlirLocation location = mlirOperationIsNull(old) ? mlirLocationUnknownGet(g->ir->context) : mlirOperationGetLocation(old);
  if (!mlirOperationIsNull(old)) mlirOperationDestroy(old);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(g->ir, location, count, values));
}

MlirOperation grad_build_call(TccBuilder *b, const char *callee, const MlirValue *operands, size_t noperands) {
  MlirOperation module = mlirBlockGetParentOperation(b->block);
  while (!tcc_op_is_named(module, "builtin.module")) module = mlirOperationGetParentOperation(module);
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(tcc_module_find(b->ir, module, tcc_str(callee))));
  intptr_t n = mlirOperationGetNumOperands(end);
  MlirType *types = TCC_NEW_ARRAY(b->ir->arena, MlirType, n + 1);
  for (intptr_t i = 0; i < n; i++) types[i] = tcc_value_type(mlirOperationGetOperand(end, i));
  MlirOperation call = tcc_make_call(b->ir, callee, b->location, noperands, operands, (size_t)n, types);
  if (mlirOperationIsNull(b->before)) mlirBlockAppendOwnedOperation(b->block, call);
  else mlirBlockInsertOwnedOperationBefore(b->block, b->before, call);
  return call;
}
