/* indices.c - the indices that a kernel reads from tensors, in the order of its ops: emitters, plan and tuner number them alike. */
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"

TccValid tcc_valid(TccIr *ir, MlirOperation op) {
  TccStr valid = tcc_string(ir, op, "valid");
  return tcc_str_is(valid, "signed") ? TCC_VALID_SIGNED : tcc_str_is(valid, "unsigned") ? TCC_VALID_UNSIGNED : TCC_VALID_ANY;
}

void tcc_clamp_indices(TccIr *ir, MlirOperation module) {
  TCC_EACH_FUNCTION (func, module)
    TCC_EACH_OP (op, tcc_func_body(func))
      if (tcc_op_kind(ir, op) != TCC_OP_UNKNOWN) mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString("valid"));
}

static bool is_gather(TccOpKind kind) {
  return kind == TCC_OP_GATHER || kind == TCC_OP_GATHER_ELEMENTS || kind == TCC_OP_GATHER_ND;
}
static bool is_scatter(TccOpKind kind) { return kind == TCC_OP_SCATTER_ELEMENTS || kind == TCC_OP_SCATTER_ND; }

/* The axes of operand 0 that an index of op names: how many, *first and those behind it. 0: op reads none, or nobody knows how many. */
static int named_axes(TccIr *ir, MlirOperation op, int *first) {
  TccOpKind kind = tcc_op_kind(ir, op);
  if (!is_gather(kind) && !is_scatter(kind)) return 0;
  if (kind != TCC_OP_GATHER_ND && kind != TCC_OP_SCATTER_ND) {
    *first = (int)tcc_i64(ir, op, "axis");
    return 1;
  }
  MlirType indices = tcc_value_type(mlirOperationGetOperand(op, 1));
  int64_t depth;
  *first = kind == TCC_OP_GATHER_ND ? (int)tcc_i64(ir, op, "batch_dims") : 0;
  return tcc_expr_is_const(tcc_type_dim(ir, indices, tcc_type_rank(indices) - 1), &depth) ? (int)depth : 0;
}

size_t tcc_index_checks(TccIr *ir, MlirOperation kernel, const TccIndexCheck **out) {
  TCC_VEC(TccIndexCheck) checks = {0};
  TCC_EACH_OP (op, tcc_func_body(kernel)) {
    int first, n = named_axes(ir, op, &first);
    if (!n) continue;
    TccOpKind kind = tcc_op_kind(ir, op);
    MlirType x = tcc_value_type(mlirOperationGetOperand(op, 0)), indices = tcc_value_type(mlirOperationGetOperand(op, 1));
    for (int i = 0; i < n; i++) {
      TccIndexCheck check = {.op = op,
                             .valid = tcc_valid(ir, op),
                             .axis = first + i,
                             .size = tcc_type_dim(ir, x, first + i),
                             .count = tcc_type_count(ir, indices),
                             .message = kind == TCC_OP_GATHER ? tcc_string(ir, op, "message") : tcc_str(""),
                             .reads = is_gather(kind)};
      TCC_VEC_PUSH(ir->arena, &checks, check);
    }
  }
  *out = checks.data;
  return checks.count;
}

int tcc_index_check_of(TccIr *ir, MlirOperation op) {
  int before = 0, first;
  if (tcc_valid(ir, op) == TCC_VALID_ANY) return -1;
  for (MlirOperation o = mlirBlockGetFirstOperation(mlirOperationGetBlock(op)); !mlirOperationEqual(o, op);
       o = mlirOperationGetNextInBlock(o))
    before += named_axes(ir, o, &first);
  return before;
}
