/* attention.c - see attention.h. */
#include "lib/ir/attention.h"
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"

bool tcc_is_attention(TccOpKind kind) { return kind == TCC_OP_ATTENTION || kind == TCC_OP_ATTENTION_LOGSUMEXP; }

intptr_t tcc_attention_mask_at(MlirOperation op) { return mlirOperationGetNumOperands(op) - 1; }

static const TccExpr *offset_of(TccIr *ir, MlirOperation op) {
  const TccExpr *const *offset;
  size_t n;
  return tcc_get_exprs(ir, op, "offset", &offset, &n) && n ? offset[0] : tcc_expr_const(ir->exprs, 0);
}

bool tcc_attention_same_scores(TccIr *ir, MlirOperation a, MlirOperation b) {
  MlirValue mask[] = {mlirOperationGetOperand(a, tcc_attention_mask_at(a)), mlirOperationGetOperand(b, tcc_attention_mask_at(b))};
  for (intptr_t i = 0; i < 2; i++)
    if (!mlirValueEqual(mlirOperationGetOperand(a, i), mlirOperationGetOperand(b, i))) return false;
  if (!mlirValueEqual(mask[0], mask[1]) && !(tcc_value_is_none(ir, mask[0]) && tcc_value_is_none(ir, mask[1]))) return false;
  bool causal = tcc_bool(ir, a, "causal");
  return tcc_f64(ir, a, "scale") == tcc_f64(ir, b, "scale") && tcc_f64(ir, a, "softcap") == tcc_f64(ir, b, "softcap") &&
         causal == tcc_bool(ir, b, "causal") && (!causal || offset_of(ir, a) == offset_of(ir, b));
}

MlirOperation tcc_attention_beside(TccIr *ir, MlirOperation op, TccOpKind kind) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetOperand(op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation other = mlirOpOperandGetOwner(use);
    if (mlirOpOperandGetOperandNumber(use) == 0 && tcc_op_kind(ir, other) == kind &&
        mlirBlockEqual(mlirOperationGetBlock(other), mlirOperationGetBlock(op)) && tcc_attention_same_scores(ir, op, other))
      return other;
  }
  return (MlirOperation){NULL};
}
