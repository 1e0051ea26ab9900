/* loop_invariants.c - compute in front of a loop what is the same in each iteration.
 *
 *   %h = call @step(%i, %h0, %w) {tcc.trips = ["T"]}        %n = tcc.convert %w : bf16
 *   @step(%i, %h, %w):                                =>    %h = call @step(%i, %h0, %w, %n) {tcc.trips = ["T"]}
 *     %n = tcc.convert %w : bf16                            @step(%i, %h, %w, %n):
 *     ... tcc.dot_general %h, %n                              ... tcc.dot_general %h, %n
 *
 * Loop-invariant code motion, of what computes: elementwise ops, products, reductions, whose results have no more bytes than what they read, so that
 * memory does not grow much. Views and constants stay, copies move with what reads them; so do ops that check indices, which a loop of no
 * iterations must not run. What moves out of an inner loop may move out of the outer one.
 *
 * requires: decompose. ensures: nothing. keeps: results. */
#include "lib/ir/internal.h"
#include "lib/ir/loop_invariant.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

static bool computes(TccOpKind kind) { return tcc_op_has_trait(kind, 'E') || kind == TCC_OP_DOT_GENERAL || kind == TCC_OP_REDUCE; }

static int64_t bits_of(TccIr *ir, MlirValue value) {
  int64_t count;
  if (tcc_value_is_none(ir, value) || !tcc_expr_is_const(tcc_type_count(ir, tcc_value_type(value)), &count)) return 0;
  return count * (int64_t)tcc_elem_bits(tcc_value_elem(value));
}

/* What an op reads is what its views are of. */
static MlirValue behind_views(TccIr *ir, MlirValue value) {
  for (TccOpKind kind; (kind = tcc_value_kind(ir, value)) && tcc_op_has_trait(kind, 'V');)
    value = mlirOperationGetOperand(tcc_value_op(value), 0);
  return value;
}

/* What reads weights and constants alone is computed once as it is, when the model is loaded. */
static bool is_worth_it(void *user, MlirOperation op) {
  TccIr *ir = user;
  TccOpKind kind = tcc_op_kind(ir, op);
  if (!kind || !tcc_op_has_trait(kind, 'P') || !computes(kind)) return false;
  int64_t read = 0;
  bool captured = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = behind_views(ir, mlirOperationGetOperand(op, i));
    read += bits_of(ir, value);
    captured = captured || mlirValueIsABlockArgument(value);
  }
  return captured && bits_of(ir, mlirOperationGetResult(op, 0)) <= read;
}

MlirLogicalResult tcc_pass_loop_invariants(TccPassRun *run, MlirOperation module) {
  tcc_loop_hoist(tcc_loop_bodies(run->ir, module, run->scratch), module, is_worth_it, run->ir);
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}
