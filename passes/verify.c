/* verify.c - tcc-verify: checks what IRDL cannot say.
 *
 * Every tcc op is checked against its row of ops.def (arity, attributes, rule, encodings), every block argument's type
 * for a well-formed encoding. All faults are reported, one diagnostic each, before the pass fails.
 *
 * requires: a module that MLIR's own verifier accepts. ensures: what the rules promise. keeps: everything. */
#include "lib/ir/internal.h"
#include "tcc/pass.h"

typedef struct {
  TccIr *ir;
  bool failed;
} Walk;

static void check_arguments(Walk *walk, MlirOperation op) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
        const char *fault = tcc_type_fault(walk->ir, mlirValueGetType(mlirBlockGetArgument(block, i)));
        if (!fault) continue;
        tcc_error(op, "argument %ld: %s", (long)i, fault);
        walk->failed = true;
      }
}

static MlirWalkResult check(MlirOperation op, void *user) {
  Walk *walk = user;
  if (tcc_op_kind(walk->ir, op))
    walk->failed = !tcc_op_verify(walk->ir, op) || walk->failed;
  else
    check_arguments(walk, op);
  return MlirWalkResultAdvance;
}

MlirLogicalResult tcc_pass_verify(TccPassRun *run, MlirOperation module) {
  Walk walk = {run->ir, false};
  mlirOperationWalk(module, check, &walk, MlirWalkPreOrder);
  return walk.failed ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}
