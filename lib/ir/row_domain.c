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

uint32_t tcc_reduced_axes(TccIr *ir, MlirOperation reduction) {
  const int64_t *axes;
  size_t n = 0;
  uint32_t reduced = 0;
  if (tcc_op_kind(ir, reduction) == TCC_OP_ARG_REDUCE) return 1u << tcc_i64(ir, reduction, "axis");
  tcc_get_ints(ir, reduction, "axes", &axes, &n);
  for (size_t i = 0; i < n; i++) reduced |= 1u << axes[i];
  return reduced;
}

uint32_t tcc_single_axes(TccIr *ir, MlirType domain) {
  uint32_t axes = 0;
  for (int a = 0; a < tcc_type_rank(domain); a++)
    if (tcc_type_dim(ir, domain, a) == tcc_expr_const(ir->exprs, 1)) axes |= 1u << a;
  return axes;
}
