/* verify.c - tcc-verify: checks what IRDL cannot say.
 *
 * Every tcc op is checked against its row of ops.def (arity, attributes, rule, encodings), attributes tcc.* of others against attrs.def,
 * every block argument's type for a well-formed encoding and, where no op reads it, its size, every loop for what it carries, every function for at most one block, every call for a
 * callee with a body. All
 * faults are reported, one diagnostic each, before the pass fails.
 *
 * requires: a module that MLIR's own verifier accepts. ensures: what the rules promise. keeps: everything. */
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "tcc/pass.h"

typedef struct {
  TccIr *ir;
  MlirOperation module;
  bool failed;
} Walk;

/* Whether an op of the table reads a value, whose rule looks at its sizes. */
static bool is_read(const Walk *walk, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (tcc_op_kind(walk->ir, mlirOpOperandGetOwner(use)) != TCC_OP_UNKNOWN) return true;
  return false;
}

static void check_arguments(Walk *walk, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        const char *fault = tcc_type_fault(walk->ir, mlirValueGetType(argument));
        if (!fault && !is_read(walk, argument)) fault = tcc_type_size_fault(walk->ir, mlirValueGetType(argument));
        if (!fault) continue;
        tcc_error(op, "argument %ld: %s", (long)i, fault);
        walk->failed = true;
      }
}

/* A loop: the values it begins with have the types of those it gives; a condition is a bool. */
static void check_loop(Walk *walk, MlirOperation call, const TccLoopCall *loop) {
  bool fits = loop->carried <= mlirOperationGetNumOperands(call) && (!loop->conditional || loop->carried);
  for (intptr_t i = 0; fits && i < loop->carried; i++)
    fits = mlirTypeEqual(tcc_value_type(mlirOperationGetOperand(call, i)), tcc_value_type(mlirOperationGetResult(call, i)));
  if (fits && loop->conditional) {
    MlirType type = tcc_value_type(mlirOperationGetResult(call, 0));
    fits = tcc_type_rank(type) == 0 && tcc_type_elem(type) == TCC_ELEM_BOOL;
  }
  if (fits) return;
  tcc_error(call, "a loop's first operands must have the types of its results, and with tcc.while the first that of a bool scalar");
  walk->failed = true;
}

/* A function is one block: loops and branches are calls and ops with regions. */
static void check_function(Walk *walk, MlirOperation func) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  if (mlirBlockIsNull(body) || mlirBlockIsNull(mlirBlockGetNextInRegion(body))) return;
  TccStr name = tcc_function_name(func);
  tcc_error(func, "function '%.*s' has more than one block", TCC_STR_ARG(name));
  walk->failed = true;
}

/* What another file defines is never linked in; a declaration alone stands for a derivative. */
static void check_callee(Walk *walk, MlirOperation call) {
  TccStr name = tcc_callee_name(call);
  MlirOperation callee = tcc_module_find(walk->ir, walk->module, name);
  if (mlirOperationIsNull(callee) || !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(callee, 0)))) return;
  if (!mlirAttributeIsNull(tcc_attribute(call, "tcc.gradient"))) return;
  tcc_error(call, "function '%.*s' has no body", TCC_STR_ARG(name));
  walk->failed = true;
}

static MlirWalkResult check(MlirOperation op, void *user) {
  Walk *walk = user;
  if (tcc_op_is_named(op, "func.func")) check_function(walk, op);
  if (tcc_op_is_named(op, "func.call")) check_callee(walk, op);
  if (tcc_op_kind(walk->ir, op)) walk->failed = !tcc_op_verify(walk->ir, op) || walk->failed;
  else check_arguments(walk, op);
  if (!tcc_op_kind(walk->ir, op)) walk->failed = !tcc_attributes_verify(walk->ir, op) || walk->failed;
  TccLoopCall loop;
  if (!tcc_op_kind(walk->ir, op) && tcc_call_loop(walk->ir, op, &loop)) check_loop(walk, op, &loop);
  return MlirWalkResultAdvance;
}

MlirLogicalResult tcc_pass_verify(TccPassRun *run, MlirOperation module) {
  Walk walk = {run->ir, module, false};
  mlirOperationWalk(module, check, &walk, MlirWalkPreOrder);
  return walk.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
