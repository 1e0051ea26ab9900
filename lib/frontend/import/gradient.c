/* gradient.c - derivatives that a graph asks for. The rules are those of passes, which importers do not see: a call of a function without a body
 * says what is wanted (passes/gradient.c). */
#include "lib/frontend/import/importer.h"

static MlirNamedAttribute named(ImportCall *c, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(c->ir->context, mlirStringRefCreateFromCString(name)), value);
}

static MlirOperation declare(ImportCall *c, const char *name, size_t nin, const MlirType *in, size_t nout, const MlirType *out) {
  MlirNamedAttribute attrs[] = {
      named(c, "sym_name", tcc_attr_str(c->ir, tcc_str(name))), named(c, "sym_visibility", tcc_attr_str(c->ir, tcc_str("private"))),
      named(c, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(c->ir->context, (intptr_t)nin, in, (intptr_t)nout, out)))};
  MlirOperationState state = mlirOperationStateGet(mlirStringRefCreateFromCString("func.func"), c->b.location);
  MlirRegion body = mlirRegionCreate();
  mlirOperationStateAddAttributes(&state, 3, attrs);
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  return mlirOperationCreate(&state);
}

bool import_gradient(ImportCall *c, MlirValue y, const MlirValue *xs, size_t count, MlirValue *out) {
  Importer *run = c->importer;
  MlirValue *operands = TCC_NEW_ARRAY(run->arena, MlirValue, count + 1);
  MlirType *types = TCC_NEW_ARRAY(run->arena, MlirType, count + 1);
  if (!mlirBlockEqual(c->b.block, run->main)) return import_unsupported(c, "a derivative in the body of a loop");
  operands[0] = y;
  types[0] = tcc_value_type(y);
  for (size_t i = 0; i < count; i++) operands[i + 1] = xs[i], types[i + 1] = tcc_value_type(xs[i]);
  const char *name = tcc_arena_printf(c->ir->arena, "gradient_%zu", run->loops.count);
  MlirOperation function = declare(c, name, count + 1, types, count, types + 1);
  TCC_VEC_PUSH(run->arena, &run->loops, function);
  MlirOperation call = tcc_make_call(c->ir, name, c->b.location, count + 1, operands, count, types + 1);
  mlirOperationSetAttributeByName(call, mlirStringRefCreateFromCString("tcc.gradient"), mlirUnitAttrGet(c->ir->context));
  mlirBlockAppendOwnedOperation(c->b.block, call);
  for (size_t i = 0; i < count; i++) out[i] = mlirOperationGetResult(call, (intptr_t)i);
  return true;
}
