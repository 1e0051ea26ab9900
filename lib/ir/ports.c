/* ports.c - see ports.h. */
#include "lib/ir/ports.h"
#include "lib/ir/internal.h"

static MlirNamedAttribute named(TccIr *ir, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(ir->context, mlirStringRefCreateFromCString(name)), value);
}

static MlirAttribute port_of(TccIr *ir, MlirAttribute list, intptr_t index) {
  bool has = !mlirAttributeIsNull(list) && mlirAttributeIsAArray(list) && index < mlirArrayAttrGetNumElements(list);
  return has ? mlirArrayAttrGetElement(list, index) : mlirDictionaryAttrGet(ir->context, 0, NULL);
}

void tcc_ports_read(TccIr *ir, TccArena *arena, MlirOperation func, TccPorts *p) {
  *p = (TccPorts){.ir = ir, .arena = arena, .func = func, .block = tcc_func_body(func)};
  MlirOperation end = mlirBlockGetTerminator(p->block);
  MlirAttribute arguments = tcc_attribute(func, "arg_attrs"), results = tcc_attribute(func, "res_attrs");
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(p->block); i++) TCC_VEC_PUSH(arena, &p->arguments, port_of(ir, arguments, i));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++) {
    TCC_VEC_PUSH(arena, &p->results, port_of(ir, results, i));
    TCC_VEC_PUSH(arena, &p->returned, mlirOperationGetOperand(end, i));
  }
}

MlirAttribute tcc_ports_attribute(MlirAttribute port, const char *name) {
  return mlirDictionaryAttrGetElementByName(port, mlirStringRefCreateFromCString(name));
}

TccStr tcc_ports_name(MlirAttribute port) {
  MlirAttribute name = tcc_ports_attribute(port, "tcc.name");
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name)) return tcc_str("");
  MlirStringRef text = mlirStringAttrGetValue(name);
  return (TccStr){text.data, text.length};
}

MlirValue tcc_ports_add_argument(TccPorts *p, TccStr name, MlirType type, MlirLocation location, bool parameter) {
  MlirNamedAttribute attrs[] = {named(p->ir, "tcc.name", tcc_attr_str(p->ir, name)),
                                named(p->ir, "tcc.parameter", mlirUnitAttrGet(p->ir->context))};
  TCC_VEC_PUSH(p->arena, &p->arguments, mlirDictionaryAttrGet(p->ir->context, parameter ? 2 : 1, attrs));
  return mlirBlockAddArgument(p->block, type, location);
}

void tcc_ports_add_result(TccPorts *p, TccStr name, MlirValue value, int64_t tied) {
  MlirNamedAttribute attrs[] = {named(p->ir, "tcc.name", tcc_attr_str(p->ir, name)),
                                named(p->ir, "tcc.tied", tcc_attr_i64(p->ir, tied))};
  TCC_VEC_PUSH(p->arena, &p->results, mlirDictionaryAttrGet(p->ir->context, tied >= 0 ? 2 : 1, attrs));
  TCC_VEC_PUSH(p->arena, &p->returned, value);
}

MlirAttribute tcc_ports_with(const TccPorts *p, MlirAttribute port, const char *name, MlirAttribute value) {
  intptr_t n = mlirDictionaryAttrGetNumElements(port);
  MlirNamedAttribute *attrs = TCC_NEW_ARRAY(p->arena, MlirNamedAttribute, n + 1);
  for (intptr_t i = 0; i < n; i++) attrs[i] = mlirDictionaryAttrGetElement(port, i);
  attrs[n] = named(p->ir, name, value);
  return mlirDictionaryAttrGet(p->ir->context, n + 1, attrs);
}

void tcc_ports_write(TccPorts *p) {
  MlirContext context = p->ir->context;
  size_t n = p->arguments.count, nresults = p->results.count;
  MlirOperation end = mlirBlockGetTerminator(p->block);
  MlirLocation location = mlirOperationGetLocation(end);
  MlirType *types = TCC_NEW_ARRAY(p->arena, MlirType, n + nresults + 1);
  for (size_t i = 0; i < n; i++) types[i] = tcc_value_type(mlirBlockGetArgument(p->block, (intptr_t)i));
  for (size_t i = 0; i < nresults; i++) types[n + i] = tcc_value_type(p->returned.data[i]);
  tcc_erase(end);
  mlirBlockAppendOwnedOperation(p->block, tcc_make_return(p->ir, location, nresults, p->returned.data));
  tcc_set_attribute(p->func, "function_type",
                    mlirTypeAttrGet(mlirFunctionTypeGet(context, (intptr_t)n, types, (intptr_t)nresults, types + n)));
  tcc_set_attribute(p->func, "arg_attrs", mlirArrayAttrGet(context, (intptr_t)n, p->arguments.data));
  tcc_set_attribute(p->func, "res_attrs", mlirArrayAttrGet(context, (intptr_t)nresults, p->results.data));
}
