/* late.c - ops of the forward that depend on a barrier stand in front of the first reader that the backward needs (passes/row_blocks.c).
 *
 *   %z0 = f %b; %z1 = f %b                              %z1 = f %b; %y1 = h %z1; %g1 = ... %z1
 *   %y0 = h %z0; %y1 = h %z1; %loss = ... %y0, %y1      %z0 = f %b; %y0 = h %z0; %g0 = ... %z0
 *   marker                                         =>   %loss = ... %y0, %y1
 *   %g1 = ... %z1; %g0 = ... %z0                        return %loss
 *   return %loss
 *
 * What a block's gradient alone needs is then alive for this block alone. What no gradient reads, such as the loss, stands right behind what it
 * reads. From the last op to the first, so readers stand where they will. */
#include "passes/grad/grad.h"

static bool reads(const TccPointerMap *ops, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation owner = tcc_value_op(mlirOperationGetOperand(op, i));
    if (!mlirOperationIsNull(owner) && tcc_pointer_map_get(ops, owner.ptr)) return true;
  }
  return false;
}

void grad_find_late(Grad *g, MlirBlock block, MlirOperation marker, GradLate *out) {
  *out = (GradLate){.set.arena = g->scratch, .end = mlirBlockGetTerminator(block)};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, marker);
       op = mlirOperationGetNextInBlock(op)) {
    if (tcc_op_kind(g->ir, op) != TCC_OP_BARRIER && !reads(&out->set, op)) continue;
    tcc_pointer_map_set(&out->set, op.ptr, op.ptr);
    TCC_VEC_PUSH(g->scratch, &out->ops, op);
  }
}

/* The first reader that the backward needs; null: it needs none of them. */
static MlirOperation first_reader(const GradLate *late, const TccPointerMap *idle, MlirOperation op) {
  MlirOperation first = {NULL};
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, r)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation reader = mlirOpOperandGetOwner(use);
      if (tcc_pointer_map_get(idle, reader.ptr) || mlirOperationEqual(reader, late->end)) continue;
      if (mlirOperationIsNull(first) || mlirOperationIsBeforeInBlock(reader, first)) first = reader;
    }
  return first;
}

static void move_behind_operands(MlirOperation op) {
  MlirOperation last = {NULL};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation owner = tcc_value_op(mlirOperationGetOperand(op, i));
    if (!mlirOperationIsNull(owner) && (mlirOperationIsNull(last) || mlirOperationIsBeforeInBlock(last, owner))) last = owner;
  }
  if (!mlirOperationIsNull(last)) mlirOperationMoveAfter(op, last);
}

void grad_move_late(Grad *g, const GradLate *late) {
  TccPointerMap idle = {.arena = g->scratch};
  for (size_t k = late->ops.count; k-- > 0;) {
    MlirOperation op = late->ops.data[k], first = first_reader(late, &idle, op);
    if (mlirOperationIsNull(first)) tcc_pointer_map_set(&idle, op.ptr, op.ptr);
    else mlirOperationMoveBefore(op, first);
  }
  for (size_t k = 0; k < late->ops.count; k++)
    if (tcc_pointer_map_get(&idle, late->ops.data[k].ptr)) move_behind_operands(late->ops.data[k]);
}
