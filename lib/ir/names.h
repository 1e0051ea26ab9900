/* names.h - ops of the func dialect are told apart by their names; tcc's own have kinds (tcc_op_kind). */
#ifndef TCC_IR_NAMES_H
#define TCC_IR_NAMES_H
#include "mlir-c/BuiltinAttributes.h"
#include "tcc/ir.h"

/* Whether op is called that: "func.call". */
static inline bool tcc_op_is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), mlirStringRefCreateFromCString(name));
}

/* The function that a func.call calls; borrowed from the context. */
static inline TccStr tcc_callee_name(MlirOperation call) {
  MlirStringRef name =
      mlirFlatSymbolRefAttrGetValue(mlirOperationGetAttributeByName(call, mlirStringRefCreateFromCString("callee")));
  return (TccStr){name.data, name.length};
}

/* Each func.call of a block and of the blocks in its ops, in their order; `visit` may change the call's operands, not move it. */
void tcc_each_call(MlirBlock block, void (*visit)(void *user, MlirOperation call), void *user);
#endif
