/* decompose.c - tcc-decompose: composites become primitive ops.
 *
 *   before: %r = tcc.softmax %x {axis = 1}
 *   after:  %m = tcc.reduce max %x; %d = tcc.sub %x, %m; %e = tcc.exp %d; %s = tcc.reduce sum %e; %r = tcc.div %e, %s
 *
 * One expansion per op, by family, in the files beside this one; ops.def says which. The row's semantics in ops.def is what an expansion must give;
 * what it may choose is the numerically safe spelling (maximum taken out, variance in two passes, narrow floats in
 * f32).
 *
 * Norms of batches go first, by only=batch_norm: into the weights of the convolution in front (fold_norm.c), or what is left of one, a
 * product and a sum with numbers of each channel, stays in that convolution's blocks (tcc-block-layout) and joins its kernel.
 *
 * requires: verified types. ensures: no composite (only: of that name) is left but those that the target keeps. keeps: all other ops,
 * symbols, locations (an expansion takes its composite's). */
#include "passes/decompose/expand.h"
#include "passes/decompose/fold_norm.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/target.h"

static TccExpandFunction *const expansions[TCC_OP_COUNT] = {
#define TCC_OP(SYM, mnemonic, level, operands, results, attributes, rule, traits, semantics)
#define TCC_COMPOSITE(SYM, mnemonic, operands, results, attributes, rule, expansion, traits, semantics)                            \
  [TCC_OP_##SYM] = tcc_expand_##expansion,
#include "dialects/tcc/ops.def"
};

typedef struct {
  TccPassRun *run;
  TccStr only; /* the name of the one composite that is meant, or empty */
  TCC_VEC(MlirOperation) found;
} Collect;

static MlirWalkResult collect(MlirOperation op, void *user) {
  Collect *c = user;
  TccOpKind kind = tcc_op_kind(c->run->ir, op);
  if (kind == TCC_OP_UNKNOWN || !expansions[kind]) return MlirWalkResultAdvance;
  if (c->only.length && !tcc_str_is(c->only, tcc_op_name(kind) + sizeof "tcc." - 1)) return MlirWalkResultAdvance;
  if (!tcc_target_keeps(c->run->target, c->run->ir, op)) TCC_VEC_PUSH(c->run->scratch, &c->found, op);
  return MlirWalkResultAdvance;
}

static bool is_unused(MlirValue value) { return mlirOpOperandIsNull(mlirValueGetFirstUse(value)); }

/* The result under the composite's own type: equal sizes may be spelled differently, or be known only now. */
static MlirValue with_type(TccBuilder *b, MlirValue value, MlirType type) {
  if (mlirTypeEqual(tcc_value_type(value), type)) return value;
  MlirOperation reshape = tcc_build(b, TCC_OP_RESHAPE, &value, 1, NULL, 0, &type);
  return mlirOperationIsNull(reshape) ? (MlirValue){NULL} : mlirOperationGetResult(reshape, 0);
}

bool tcc_expand_op(TccPassRun *run, MlirOperation op, bool eager) {
  TccOpKind kind = tcc_op_kind(run->ir, op);
  TccBuilder builder = {run->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  TccExpand x = {.ir = run->ir, .b = &builder, .scratch = run->scratch, .op = op, .kind = kind, .eager = eager};
  x.row_sums = run->target && run->target->of->row_sums && !eager;
  x.elem = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, 0)));
  x.compute = tcc_elem_is_float(x.elem) && tcc_elem_bits(x.elem) < 32 ? TCC_ELEM_F32 : x.elem;
  MlirValue results[4] = {{NULL}};
  if (!expansions[kind](&x, results)) return false;
  intptr_t nresults = mlirOperationGetNumResults(op), noperands = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < nresults; i++) {
    MlirValue old = mlirOperationGetResult(op, i);
    if (is_unused(old)) continue;
    MlirValue value = with_type(&builder, results[i], tcc_value_type(old));
    if (!value.ptr) return false;
    tcc_replace_uses(old, value);
  }
  MlirValue operands[8];
  for (intptr_t i = 0; i < noperands; i++) operands[i] = mlirOperationGetOperand(op, i);
  tcc_erase(op);
  for (intptr_t i = 0; i < noperands; i++) /* its absent operands go with it */
    if (tcc_value_is_none(run->ir, operands[i]) && is_unused(operands[i])) {
      tcc_erase(tcc_value_op(operands[i]));
      for (intptr_t k = i + 1; k < noperands; k++)
        if (mlirValueEqual(operands[k], operands[i])) operands[k] = operands[0];
    }
  return true;
}

MlirLogicalResult tcc_pass_decompose(TccPassRun *run, MlirOperation module) {
  Collect c = {.run = run};
  tcc_pass_option(run, "only", &c.only);
  mlirOperationWalk(module, collect, &c, MlirWalkPreOrder);
  bool ok = true, eager = tcc_numerics(module) == TCC_NUMERICS_EAGER;
  TccInit *init = NULL;
  for (size_t i = 0; i < c.found.count; i++) { /* report all that fail */
    if (mlirLogicalResultIsFailure(tcc_limit_check(run->ir, c.found.data[i]))) return mlirLogicalResultFailure();
    bool norm = !eager && tcc_op_kind(run->ir, c.found.data[i]) == TCC_OP_BATCH_NORM;
    if (norm && !init) init = tcc_init_analyse(run->ir, module, run->scratch);
    if (norm && tcc_fold_batch_norm(run, init, c.found.data[i])) continue;
    ok = tcc_expand_op(run, c.found.data[i], eager) && ok;
  }
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}
