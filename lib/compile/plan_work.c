/* plan_work.c - what a kernel does, in numbers: of its ops, and in bytes of memory. */
#include "lib/compile/plan.h"
#include "tcc/op_kinds.h"

static const TccExpr *bytes_of(TccIr *ir, MlirValue value) {
  MlirType type = tcc_value_type(value);
  const TccExpr *count = tcc_type_rank(type) >= 0 ? tcc_type_count(ir, type) : tcc_expr_const(ir->exprs, 0);
  const int64_t bits = (int64_t)tcc_elem_bits(tcc_type_elem(type));
  if (!count) return NULL;
  if (bits % 8 == 0) return tcc_expr_mul(ir->exprs, count, tcc_expr_const(ir->exprs, bits / 8));
  return tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, tcc_expr_mul(ir->exprs, count, tcc_expr_const(ir->exprs, bits)),
                       tcc_expr_const(ir->exprs, 8));
}

/* Ops that read a part of their first operand alone. */
static bool reads_a_part(TccOpKind kind) {
  return kind == TCC_OP_GATHER || kind == TCC_OP_GATHER_ELEMENTS || kind == TCC_OP_GATHER_ND || kind == TCC_OP_SLICE ||
         kind == TCC_OP_DYNAMIC_SLICE;
}

/* Of an argument: the whole, if an op reads the whole, else what those make that read parts. */
static const TccExpr *bytes_read(TccIr *ir, MlirValue argument) {
  const TccExpr *sum = tcc_expr_const(ir->exprs, 0), *whole = bytes_of(ir, argument);
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    const TccExpr *part = mlirOpOperandGetOperandNumber(use) == 0 && reads_a_part(tcc_op_kind(ir, op))
                              ? bytes_of(ir, mlirOperationGetResult(op, 0))
                              : NULL;
    if (!part) return whole;
    sum = tcc_expr_add(ir->exprs, sum, part);
  }
  return whole ? tcc_expr_call(ir->exprs, TCC_EXPR_MIN, sum, whole) : NULL;
}

void tcc_kernel_work(TccIr *ir, MlirOperation kernel, const TccExpr **out_flops, const TccExpr **out_bytes) {
  MlirBlock body = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(body);
  const TccExpr *zero = tcc_expr_const(ir->exprs, 0), *flops = zero, *bytes = zero;
  TCC_EACH_OP (op, body) {
    const TccExpr *more = flops ? tcc_op_flops(ir, op) : NULL;
    flops = more ? tcc_expr_add(ir->exprs, flops, more) : NULL;
  }
  for (intptr_t i = 0; bytes && i < mlirBlockGetNumArguments(body); i++) {
    const TccExpr *more = bytes_read(ir, mlirBlockGetArgument(body, i));
    bytes = more ? tcc_expr_add(ir->exprs, bytes, more) : NULL;
  }
  for (intptr_t i = 0; bytes && i < mlirOperationGetNumOperands(end); i++) {
    const TccExpr *more = bytes_of(ir, mlirOperationGetOperand(end, i));
    bytes = more ? tcc_expr_add(ir->exprs, bytes, more) : NULL;
  }
  *out_flops = flops, *out_bytes = bytes;
}

TccPlanWork tcc_plan_work(TccPlanTables *tables, MlirOperation kernel) {
  const TccExpr *flops, *bytes, *zero = tcc_expr_const(tables->ir->exprs, 0);
  tcc_kernel_work(tables->ir, kernel, &flops, &bytes);
  return (TccPlanWork){tcc_plan_expr(tables, flops && tcc_expr_modest(flops) ? flops : zero),
                       tcc_plan_expr(tables, bytes && tcc_expr_modest(bytes) ? bytes : zero)};
}
