/* sink_reshapes.c - move reshapes behind the elementwise ops that follow a contraction.
 *
 *   %1 = tcc.dot_general ... : tensor<32x64>            %1 = tcc.dot_general ...
 *   %2 = tcc.reshape %1 : tensor<2x16x64>           =>  %r = tcc.reshape %res : tensor<32x64>     (an alias)
 *   %3 = tcc.add %2, %res : tensor<2x16x64>             %3 = tcc.add %1, %r
 *                                                       %4 = tcc.reshape %3 : tensor<2x16x64>
 *
 * Exporters flatten the batch for a matmul and restore it before the residual is added; between the two the elementwise op
 * would not have the shape of the matmul's result and could not become its epilogue. A reshape of a stored tensor is an
 * alias, so moving it costs nothing. One forward walk.
 *
 * What nobody reads any more is dropped: tcc-fuse would take it for a reader, for which a product is stored.
 *
 * requires: decompose. ensures: nothing new is computed, no reshape is unused. keeps: shapes and values. */
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

static bool has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/* The ops whose kernels take elementwise ops as epilogue, and elementwise ops that were moved here. */
static bool starts_epilogue(TccIr *ir, MlirValue value, const TccMap *moved) {
  switch (tcc_value_kind(ir, value)) {
  case TCC_OP_DOT_GENERAL:
  case TCC_OP_CONV:
  case TCC_OP_CONV_TRANSPOSE:
  case TCC_OP_ATTENTION: return true;
  default: return tcc_map_find(moved, tcc_key_pointer((const void *const *)&value.ptr)) != NULL;
  }
}

/* `value`, which broadcasts to shape `from`, as an operand that broadcasts to shape `to` in the same way; null if there is
 * no such reshape. */
static MlirValue reshaped_operand(TccBuilder *b, MlirValue value, MlirType from, MlirType to) {
  TccIr *ir = b->ir;
  MlirType type = tcc_value_type(value);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *dims[TCC_MAX_RANK];
  int rank = tcc_type_rank(type), to_rank = tcc_type_rank(to), from_rank = tcc_type_rank(from);
  if (tcc_type_same_shape(ir, type, from)) {
    if (tcc_value_kind(ir, value) == TCC_OP_RESHAPE) { /* the residual of the layer before was moved as well */
      MlirValue source = mlirOperationGetOperand(tcc_value_op(value), 0);
      if (tcc_type_same_shape(ir, tcc_value_type(source), to)) return source;
    }
    for (int axis = 0; axis < to_rank; axis++) dims[axis] = tcc_type_dim(ir, to, axis);
    return tcc_build_reshape(b, value, to_rank, dims);
  }
  for (int axis = 0; axis + 1 < rank; axis++)
    if (tcc_type_dim(ir, type, axis) != one) return (MlirValue){NULL};
  if (rank == 0) return value;
  const TccExpr *last = tcc_type_dim(ir, type, rank - 1);
  if (last != one && (!to_rank || !from_rank || last != tcc_type_dim(ir, to, to_rank - 1))) return (MlirValue){NULL};
  dims[0] = last;
  return rank == 1 ? value : tcc_build_reshape(b, value, 1, dims);
}

static bool sink(TccPassRun *run, MlirBlock block, MlirOperation op, TccMap *moved) {
  TccIr *ir = run->ir;
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind == TCC_OP_UNKNOWN || !tcc_op_has_trait(kind, 'E') || mlirOperationGetNumResults(op) != 1) return true;
  MlirType from = tcc_value_type(mlirOperationGetResult(op, 0));
  intptr_t noperands = mlirOperationGetNumOperands(op), which = -1;
  for (intptr_t i = 0; i < noperands && which < 0; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (tcc_value_kind(ir, value) != TCC_OP_RESHAPE || !has_one_use(value) || !tcc_type_same_shape(ir, tcc_value_type(value), from))
      continue;
    MlirValue source = mlirOperationGetOperand(tcc_value_op(value), 0);
    if (has_one_use(source) && starts_epilogue(ir, source, moved)) which = i;
  }
  if (which < 0) return true;
  MlirType to = tcc_value_type(mlirOperationGetOperand(tcc_value_op(mlirOperationGetOperand(op, which)), 0));
  int to_rank = tcc_type_rank(to), from_rank = tcc_type_rank(from);
  if (to_rank > 0 && from_rank > 0 && tcc_type_dim(ir, to, to_rank - 1) != tcc_type_dim(ir, from, from_rank - 1)) return true;

  TccBuilder b = {ir, block, op, mlirOperationGetLocation(op)};
  MlirValue operands[3];
  for (intptr_t i = 0; i < noperands; i++) {
    operands[i] = reshaped_operand(&b, mlirOperationGetOperand(op, i), from, to);
    if (mlirValueIsNull(operands[i])) return true; /* reshapes made so far are unused */
  }
  TccNamedAttr attributes[8];
  size_t nattributes = tcc_named_attributes(op, attributes, 8);
  MlirType declared = tcc_type_with_elem(ir, to, tcc_type_elem(from));
  MlirOperation low =
      tcc_build(&b, kind, operands, (size_t)noperands, attributes, nattributes, tcc_op_has_trait(kind, 'X') ? &declared : NULL);
  if (mlirOperationIsNull(low)) return false;
  MlirValue result = mlirOperationGetResult(low, 0);
  tcc_map_put(moved, tcc_key_pointer((const void *const *)&result.ptr), NULL);
  const TccExpr *dims[TCC_MAX_RANK];
  for (int axis = 0; axis < from_rank; axis++) dims[axis] = tcc_type_dim(ir, from, axis);
  MlirValue back = tcc_build_reshape(&b, result, from_rank, dims);
  if (mlirValueIsNull(back)) return false;
  tcc_replace_uses(mlirOperationGetResult(op, 0), back);
  tcc_erase(op);
  return true;
}

/* Unused reshapes of a block, which may read each other: the last ones first. */
static void drop_unused(TccPassRun *run, MlirBlock block) {
  TCC_VEC(MlirOperation) reshapes = {0};
  TCC_EACH_OP (op, block)
    if (tcc_op_kind(run->ir, op) == TCC_OP_RESHAPE) TCC_VEC_PUSH(run->scratch, &reshapes, op);
  for (size_t i = reshapes.count; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(reshapes.data[i], 0)))) tcc_erase(reshapes.data[i]);
}

MlirLogicalResult tcc_pass_sink_reshapes(TccPassRun *run, MlirOperation module) {
  TCC_EACH_FUNCTION (func, module) {
    TccMap *moved = tcc_map_create(run->scratch);
    MlirBlock block = tcc_func_body(func);
    MlirOperation next;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      if (!sink(run, block, op, moved)) return mlirLogicalResultFailure();
    }
    drop_unused(run, block);
  }
  return mlirLogicalResultSuccess();
}
