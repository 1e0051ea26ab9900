/* rules.h - what the rule files share.
 *
 * A rule computes the result types of one family of ops from operand types and attributes, and fails with a labelled
 * constraint: `return rule_fail(in, "C1: operand 'x' must ...")`. The labels go to the negative tests (@add_c1).
 * When a rule runs, arity, presence of operands, attributes and encodings have been checked (C0), so operands are
 * tensors of a known element type and rank <= TCC_MAX_RANK, or NoneType where the row says optional. */
#ifndef TCC_RULES_H
#define TCC_RULES_H
#include "lib/ir/internal.h"

typedef bool RuleFunction(TccRuleInput *in, MlirType *out);
#define TCC_OP(SYM, mnemonic, level, operands, results, attributes, rule, traits, semantics) RuleFunction rule_##rule;
#include "dialects/tcc/ops.def"

/* An operand, or a result that is being made. dims[i] NULL: unknown size. */
typedef struct {
  bool present;
  TccElem elem;
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
} Shape;

bool rule_fail(TccRuleInput *in, const char *format, ...) TCC_PRINTF(2, 3);
Shape rule_operand(TccRuleInput *in, size_t index);
Shape rule_declared(TccRuleInput *in);                                 /* of a trait X op */
bool rule_result(TccRuleInput *in, const Shape *shape, MlirType *out); /* fails on negative sizes and on rank */

/* Attributes, with the table's defaults. They are there and have the right type. */
int64_t rule_i64(TccRuleInput *in, const char *name);
double rule_f64(TccRuleInput *in, const char *name);
bool rule_bool(TccRuleInput *in, const char *name);
TccStr rule_str(TccRuleInput *in, const char *name);
const int64_t *rule_ints(TccRuleInput *in, const char *name, size_t *out_count);
const TccExpr *const *rule_exprs(TccRuleInput *in, const char *name, size_t *out_count);
MlirAttribute rule_attr(TccRuleInput *in, const char *name);

/* Sizes. Unknown ones agree with everything. */
bool dims_agree(const TccExpr *a, const TccExpr *b);
const TccExpr *dims_merge(const TccExpr *a, const TccExpr *b); /* of two that agree: the known one */
bool dims_is(const TccExpr *dim, int64_t value);               /* is this constant */
/* a <= b; e is a multiple of n. False: never. Where it depends on what the sizes will be it is a bound (TccRuleInput.bounds), and true:
 * whoever binds the sizes checks it. What a rule compares goes through these and dims_agree, so that nothing is left unchecked. */
bool dims_at_most(TccRuleInput *in, const TccExpr *a, const TccExpr *b);
bool dims_at_least(TccRuleInput *in, const TccExpr *a, int64_t least);
bool dims_multiple(TccRuleInput *in, const TccExpr *e, int64_t n);
bool dims_divides(TccRuleInput *in, const TccExpr *n, const TccExpr *e); /* e is a multiple of n, which is positive */
/* Numbers that sizes are computed with are in a range in which nothing wraps around: e is; out = e * by, false where that is not. */
bool dims_in_range(const TccExpr *e);
bool dims_scaled(TccRuleInput *in, const TccExpr *e, int64_t by, const TccExpr **out);
/* An axis of `size` that a tensor of these dims indexes has an element, or the tensor none. */
bool dims_indexable(TccRuleInput *in, const TccExpr *size, const TccExpr *const *dims, int count);
const TccExpr *dims_product(TccRuleInput *in, const TccExpr *const *dims, int count); /* NULL: unknown */
const char *dims_text(TccRuleInput *in, const TccExpr *dim);
/* a and b broadcast as in NumPy into out (dims and rank only); names what does not fit with the given label. */
bool rule_broadcast_shapes(TccRuleInput *in, const char *label, const Shape *a, const Shape *b, Shape *out);
/* x broadcasts to target without changing it. */
bool rule_broadcasts_to(TccRuleInput *in, const char *label, const char *what, const Shape *x, const Shape *target);
bool rule_axis(TccRuleInput *in, const char *label, int64_t axis, int rank); /* 0 <= axis < rank */
/* Distinct axes in range; marks them in out_mask. */
bool rule_axes(TccRuleInput *in, const char *label, const char *name, const int64_t *axes, size_t count, int rank, bool *out_mask);
bool rule_is_number(TccElem elem); /* integer or float */
bool rule_is_bits(TccElem elem);   /* integer or bool */
#endif
