/* again.c - values of a block that its later part computes again (recompute.c), where both parts stay in one block.
 *
 *   %y = tcc.exp %x                          %y = tcc.exp %x
 *   marker                            =>     marker
 *   %g = tcc.mul %dy, %y                     %b = tcc.barrier %x; %again = tcc.exp %b; %g = tcc.mul %dy, %again
 *
 * Without the barrier the two would be one again, as equal subexpressions or in one kernel. */
#include "passes/grad/grad.h"

typedef struct {
  Grad *grad;
  MlirBlock block;
  MlirOperation first;  /* op behind the marker, as it was */
  TccPointerMap again;  /* ops in front of the marker that are computed again */
  TccPointerMap leaves; /* what these read and what is kept */
  TccPointerMap inside; /* value in front of the marker -> what stands for it behind it */
  TccPointerMap listed; /* ops that are computed again by now */
} Again;

static void add_leaves(Again *a, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirOperation owner = tcc_value_op(operand);
    TccOpKind kind = mlirOperationIsNull(owner) ? TCC_OP_UNKNOWN : tcc_op_kind(a->grad->ir, owner);
    bool copied = kind != TCC_OP_UNKNOWN && !mlirOperationGetNumOperands(owner); /* constants, weights, iota */
    if (!copied && (mlirOperationIsNull(owner) || !tcc_pointer_map_get(&a->again, owner.ptr)))
      tcc_pointer_map_set(&a->leaves, operand.ptr, op.ptr);
  }
}

static void set_inside(Again *a, MlirValue value, MlirValue now) {
  tcc_pointer_map_set(&a->inside, value.ptr, (void *)(uintptr_t)now.ptr);
}

/* What stands for a value behind the marker, if that is no op that is yet to be computed again. */
static MlirValue stands_for(Again *a, MlirValue value, MlirOperation before) {
  void *known = tcc_pointer_map_get(&a->inside, value.ptr);
  if (known) return (MlirValue){known};
  if (!tcc_pointer_map_get(&a->leaves, value.ptr)) return value;
  TccBuilder b = {a->grad->ir, a->block, a->first, mlirOperationGetLocation(before)};
  MlirValue barrier = tcc_build1(&b, TCC_OP_BARRIER, value);
  set_inside(a, value, barrier);
  return barrier;
}

static void compute_again(Again *a, MlirOperation op, MlirOperation before) {
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(clone); i++)
    mlirOperationSetOperand(clone, i, stands_for(a, mlirOperationGetOperand(op, i), before));
  mlirBlockInsertOwnedOperationBefore(a->block, before, clone);
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++)
    set_inside(a, mlirOperationGetResult(op, j), mlirOperationGetResult(clone, j));
}

/* What is computed again is so in front of its first reader, to live no longer than it has to. */
static void read_inside(Again *a, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    GradOps ops = {0};
    grad_order_again(a->grad, &a->again, &a->listed, mlirOperationGetOperand(op, i), &ops);
    for (size_t k = 0; k < ops.count; k++) compute_again(a, ops.data[k], op);
    mlirOperationSetOperand(op, i, stands_for(a, mlirOperationGetOperand(op, i), op));
  }
}

void grad_again(Grad *g, const GradCut *cut) {
  Again a = {.grad = g, .block = cut->block, .first = mlirOperationGetNextInBlock(cut->marker)};
  a.leaves.arena = a.inside.arena = a.listed.arena = g->scratch;
  grad_recompute(g, cut, &a.again);
  for (MlirOperation op = mlirBlockGetFirstOperation(a.block); !mlirOperationEqual(op, cut->marker);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_pointer_map_get(&a.again, op.ptr)) add_leaves(&a, op);
  MlirOperation end = mlirBlockGetTerminator(a.block);
  for (MlirOperation op = a.first; !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) read_inside(&a, op);
}
