/* row_domain.c - see row_domain.h. */
#include "lib/ir/row_domain.h"
#include "tcc/op_kinds.h"

MlirType tcc_row_domain(TccIr *ir, MlirOperation kernel) {
  TCC_EACH_OP (op, tcc_func_body(kernel)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    if (kind == TCC_OP_REDUCE || kind == TCC_OP_ARG_REDUCE) return tcc_value_type(mlirOperationGetOperand(op, 0));
  }
  return (MlirType){NULL};
}
