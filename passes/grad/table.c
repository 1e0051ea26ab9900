/* table.c - grads.def as data. A row of ops.def that has none there does not compile, nor one of grads.def that has none in ops.def. */
#include "passes/grad/grad.h"

/* One enumerator for each row: two rows for an op, or none, are an error here. */
enum {
#define TCC_GRAD(SYM, kind, linear, rule, text) ROW_OF_##SYM = 1,
#include "dialects/tcc/grads.def"
};
#define TCC_OP(SYM, mnemonic, level, operands, results, attributes, rule, traits, semantics)                                       \
  _Static_assert(ROW_OF_##SYM, "dialects/tcc/grads.def has no row " #SYM);
#include "dialects/tcc/ops.def"

static const GradRow rows[TCC_OP_COUNT] = {
#define TCC_GRAD(SYM, kind, linear, rule, text) [TCC_OP_##SYM] = {GRAD_##kind, linear, text, tcc_grad_##rule},
#include "dialects/tcc/grads.def"
};

/* Of ops of other dialects nothing is known: calls are treated apart, a return has no result. */
const GradRow *grad_row(TccOpKind kind) {
  static const GradRow foreign = {GRAD_NONE, "", "an op of another dialect", tcc_grad_none};
  return kind > TCC_OP_UNKNOWN && kind < TCC_OP_COUNT ? &rows[kind] : &foreign;
}

bool tcc_grad_none(GradOp *a) { return grad_fail(a, "has no rule"); }
