/* reverse.c - reverse mode on a block: cotangents from the last op to the first.
 *
 * A value's cotangent is the sum over its readers, which all stand behind it: when the walk reaches the op that makes the value it is
 * complete. Sums lean to the right, the newest term first, so that they end in the kernels of the terms. Only what is active is computed. */
#include "passes/grad/grad.h"

typedef struct {
  Grad *grad;
  TccBuilder b;
  const GradActivity *activity;
  TccPointerMap cotangents;
} Reverse;

static MlirValue cotangent_of(const Reverse *r, MlirValue value) {
  return (MlirValue){tcc_pointer_map_get(&r->cotangents, value.ptr)};
}

/* Whether ops that are done as late as can be share the value: terms of its sum are added up as they are made (late.c). */
static bool is_shared_late(const Reverse *r, MlirValue value) {
  const TccPointerMap *late = r->grad->late;
  MlirOperation owner = tcc_value_op(value);
  if (!late || (!mlirOperationIsNull(owner) && tcc_pointer_map_get(late, owner.ptr))) return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tcc_pointer_map_get(late, mlirOpOperandGetOwner(use).ptr)) return true;
  return false;
}

static void add_cotangent(Reverse *r, MlirValue value, MlirValue term) {
  if (!term.ptr || !grad_is_active(r->activity, value)) return;
  MlirValue old = cotangent_of(r, value);
  if (old.ptr && is_shared_late(r, value)) old = tcc_build1(&r->b, TCC_OP_BARRIER, old);
  term = grad_as_type(&r->b, term, tcc_value_type(value));
  if (old.ptr) term = tcc_build2(&r->b, TCC_OP_ADD, term, old);
  if (!term.ptr) r->grad->failed = true;
  else tcc_pointer_map_set(&r->cotangents, value.ptr, (void *)(uintptr_t)term.ptr);
}

/* ---- one op ---- */
static bool formulas(GradOp *a, const GradRow *row) {
  for (int i = 0; i < mlirOperationGetNumOperands(a->op); i++) {
    bool failed = false;
    if (!a->wanted[i]) continue;
    MlirValue value = grad_formula(a, row->text, i, a->g[0], &failed);
    if (failed) return false;
    if (!value.ptr) continue;
    MlirValue operand = grad_operand(a, i);
    value = grad_spread(a->b, value, tcc_value_type(grad_result(a))); /* made of smaller operands alone */
    grad_give(a, i, grad_narrow(a, grad_sum_to(a->b, value, tcc_value_type(operand)), i));
  }
  return !a->failed;
}

bool grad_cotangents(GradOp *a) {
  const GradRow *row = grad_row(a->kind);
  switch (row->kind) {
  case GRAD_FORMULA: return formulas(a, row);
  case GRAD_LINEAR:
  case GRAD_RULE: return row->rule(a) && !a->failed;
  case GRAD_EXPAND: return grad_fail(a, "should have been expanded");
  case GRAD_ZERO: return true;
  case GRAD_NONE: return grad_fail(a, "has no derivative: %s", row->text);
  }
  return false;
}

static bool reverse_call(Reverse *r, MlirOperation op) {
  intptr_t nin = mlirOperationGetNumOperands(op), nout = mlirOperationGetNumResults(op);
  TccArena *arena = r->grad->scratch;
  bool *wanted = TCC_NEW_ARRAY(arena, bool, nin + 1), any = false;
  MlirValue *operands = TCC_NEW_ARRAY(arena, MlirValue, nin + 1), *cotangents = TCC_NEW_ARRAY(arena, MlirValue, nout + 1),
            *out = TCC_NEW_ARRAY(arena, MlirValue, nin + 1);
  for (intptr_t i = 0; i < nin; i++) {
    operands[i] = mlirOperationGetOperand(op, i);
    wanted[i] = grad_is_active(r->activity, operands[i]);
    any = any || wanted[i];
  }
  for (intptr_t j = 0; j < nout; j++) cotangents[j] = cotangent_of(r, mlirOperationGetResult(op, j));
  if (!any) return true;
  if (!grad_call(r->grad, &r->b, op, wanted, cotangents, out)) return false;
  for (intptr_t i = 0; i < nin; i++) add_cotangent(r, operands[i], out[i]);
  return true;
}

static bool reverse_op(Reverse *r, MlirOperation op) {
  intptr_t nin = mlirOperationGetNumOperands(op), nout = mlirOperationGetNumResults(op);
  bool reached = false, any = false;
  for (intptr_t j = 0; j < nout; j++) reached = reached || cotangent_of(r, mlirOperationGetResult(op, j)).ptr;
  if (!reached) return true;
  r->b.location = mlirOperationGetLocation(op);
  if (tcc_op_is_named(op, "func.call")) return reverse_call(r, op);
  GradOp a = {.grad = r->grad, .ir = r->grad->ir, .b = &r->b, .scratch = r->grad->scratch, .op = op};
  a.kind = tcc_op_kind(r->grad->ir, op);
  if (a.kind == TCC_OP_UNKNOWN) return true;
  for (intptr_t j = 0; j < nout; j++) a.g[j] = cotangent_of(r, mlirOperationGetResult(op, j));
  for (intptr_t i = 0; i < nin; i++) any |= a.wanted[i] = grad_is_active(r->activity, mlirOperationGetOperand(op, i));
  if (!any) return true;
  if (!grad_cotangents(&a)) return false;
  for (intptr_t i = 0; i < nin; i++) add_cotangent(r, mlirOperationGetOperand(op, i), a.given[i]);
  return true;
}

bool grad_reverse(Grad *g, MlirBlock block, MlirOperation first, MlirOperation until, MlirOperation before,
                  const GradActivity *activity, const MlirValue *wrt, size_t nwrt, const MlirValue *of, const MlirValue *seeds,
                  size_t nof, MlirValue *out) {
  Reverse r = {.grad = g, .b = {g->ir, block, before, mlirOperationGetLocation(before)}, .activity = activity};
  r.cotangents.arena = g->scratch;
  TCC_VEC(MlirOperation) ops = {0};
  for (MlirOperation op = mlirOperationIsNull(first) ? mlirBlockGetFirstOperation(block) : first; !mlirOperationEqual(op, until);
       op = mlirOperationGetNextInBlock(op))
    TCC_VEC_PUSH(g->scratch, &ops, op);
  for (size_t i = 0; i < nof; i++) add_cotangent(&r, of[i], seeds[i]);
  for (size_t k = ops.count; k-- > 0;)
    if (!reverse_op(&r, ops.data[k])) g->failed = true; /* on: the others report, too */
  for (size_t i = 0; i < nwrt; i++) out[i] = cotangent_of(&r, wrt[i]);
  return !g->failed;
}
