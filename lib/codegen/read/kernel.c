/* kernel.c - see kernel.h. */
#include "lib/codegen/read/kernel.h"

MlirOperation tcc_read_find(TccIr *ir, MlirOperation kernel, TccOpKind kind) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == kind) return op;
  return (MlirOperation){NULL};
}

const void *tcc_read_number(TccIr *ir, MlirValue value, TccElem *out_elem) {
  size_t count;
  if (tcc_value_kind(ir, value) != TCC_OP_CONSTANT) return NULL;
  TccElem elem = tcc_type_elem(tcc_value_type(value));
  if (!tcc_elem_computes(elem) || tcc_elem_bits(elem) < 8 || elem == TCC_ELEM_BOOL) return NULL;
  if (out_elem) *out_elem = elem;
  const void *data = tcc_constant_data(ir, value, &count);
  return count == 1 ? data : NULL;
}
