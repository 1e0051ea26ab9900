/* rules_reduce.c - ops along axes: reductions, scans, softmax, norms. */
#include "dialects/tcc/rules.h"
#include "tcc/op_kinds.h"

/* The shape without the marked axes, or with size 1 there. */
static Shape reduced(TccRuleInput *in, const Shape *x, const bool *mask, bool keepdims) {
  Shape r = {.present = true, .elem = x->elem};
  for (int i = 0; i < x->rank; i++) {
    if (!mask[i]) r.dims[r.rank++] = x->dims[i];
    else if (keepdims) r.dims[r.rank++] = tcc_expr_const(in->ir->exprs, 1);
  }
  return r;
}

static bool reduce_axes(TccRuleInput *in, const Shape *x, MlirType *out) {
  size_t count;
  const int64_t *axes = rule_ints(in, "axes", &count);
  bool mask[TCC_MAX_RANK] = {false};
  if (!rule_axes(in, "C2", "axes", axes, count, x->rank, mask)) return false;
  Shape r = reduced(in, x, mask, rule_bool(in, "keepdims"));
  return rule_result(in, &r, out);
}

/* C1: and, or take integers or bool, the others numbers.  C2: axes. */
bool rule_reduce(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  TccStr kind = rule_str(in, "kind");
  bool bits = tcc_str_is(kind, "and") || tcc_str_is(kind, "or");
  if (bits ? !rule_is_bits(x.elem) : !rule_is_number(x.elem))
    return rule_fail(in, "C1: '%.*s' does not take %s elements", TCC_STR_ARG(kind), tcc_elem_name(x.elem));
  return reduce_axes(in, &x, out);
}

/* C1: float elements.  C2: axes. */
bool rule_reduce_mean(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  if (!rule_is_number(x.elem)) return rule_fail(in, "C1: operand 'x' must have number elements");
  return reduce_axes(in, &x, out);
}

/* C1: number elements.  C2: axis.  C3: there is an element to choose, or nothing to choose for. */
bool rule_arg_reduce(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  int64_t axis = rule_i64(in, "axis");
  bool mask[TCC_MAX_RANK] = {false};
  if (!rule_is_number(x.elem)) return rule_fail(in, "C1: operand 'x' must have number elements");
  if (!rule_axis(in, "C2", axis, x.rank)) return false;
  mask[axis] = true;
  Shape r = reduced(in, &x, mask, rule_bool(in, "keepdims"));
  r.elem = TCC_ELEM_I64;
  if (!dims_indexable(in, x.dims[axis], r.dims, r.rank)) return rule_fail(in, "C3: axis %lld of x has no element", (long long)axis);
  return rule_result(in, &r, out);
}

/* C1: number elements.  C2: axis. */
bool rule_cumulative(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  if (!rule_is_number(x.elem)) return rule_fail(in, "C1: operand 'x' must have number elements");
  return rule_axis(in, "C2", rule_i64(in, "axis"), x.rank) && rule_result(in, &x, out);
}

/* C1: float elements.  C2: axis. */
bool rule_unary_axis(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  if (!tcc_elem_is_float(x.elem)) return rule_fail(in, "C1: operand 'x' must have float elements");
  return rule_axis(in, "C2", rule_i64(in, "axis"), x.rank) && rule_result(in, &x, out);
}

/* The affine operands of a norm are floats: x's type, or a wider one that statistics are kept in. */
static bool affine_elems(TccRuleInput *in, const Shape *x, size_t first) {
  if (!tcc_elem_is_float(x->elem)) return rule_fail(in, "C1: operand 'x' must have float elements");
  for (size_t i = first; i < in->noperands; i++) {
    Shape operand = rule_operand(in, i);
    if (operand.present && !tcc_elem_is_float(operand.elem))
      return rule_fail(in, "C1: operand '%.*s' must have float elements", TCC_STR_ARG(tcc_op_row(in->kind)->operands[i].name));
  }
  return true;
}

/* C1: float elements.  C2: axis.  C3: scale and bias broadcast to x's axes [axis, rank). */
bool rule_norm(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), inner = {.present = true, .elem = x.elem};
  int64_t axis = rule_i64(in, "axis");
  if (!affine_elems(in, &x, 1) || !rule_axis(in, "C2", axis, x.rank)) return false;
  for (int i = (int)axis; i < x.rank; i++) inner.dims[inner.rank++] = x.dims[i];
  for (size_t i = 1; i < in->noperands; i++) {
    Shape operand = rule_operand(in, i);
    if (operand.present && !rule_broadcasts_to(in, "C3", i == 1 ? "scale" : "bias", &operand, &inner)) return false;
  }
  return rule_result(in, &x, out);
}

/* Operands from 1 on are vectors over x's channels (axis 1). */
static bool channel_operands(TccRuleInput *in, const Shape *x, MlirType *out) {
  if (!affine_elems(in, x, 1)) return false;
  if (x->rank < 2) return rule_fail(in, "C2: operand 'x' must have rank 2 at least");
  for (size_t i = 1; i < in->noperands; i++) {
    Shape operand = rule_operand(in, i);
    if (operand.present && (operand.rank != 1 || !dims_agree(operand.dims[0], x->dims[1])))
      return rule_fail(in, "C3: operand '%.*s' must be a vector of x's channels, '%s'",
                       TCC_STR_ARG(tcc_op_row(in->kind)->operands[i].name), dims_text(in, x->dims[1]));
  }
  return rule_result(in, x, out);
}

/* C1: float elements.  C2: rank.  C3: scale and bias per channel.  C4: groups divide the channels. */
bool rule_channel_norm(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  if (!channel_operands(in, &x, out)) return false;
  if (in->kind != TCC_OP_GROUP_NORM) return true;
  int64_t groups = rule_i64(in, "groups");
  if (!dims_multiple(in, x.dims[1], groups))
    return rule_fail(in, "C4: %lld groups do not divide '%s' channels", (long long)groups, dims_text(in, x.dims[1]));
  return true;
}

/* C1: float elements.  C2: rank.  C3: the other operands per channel. */
bool rule_batch_norm(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  return channel_operands(in, &x, out);
}

/* C1: float elements.  C2: x has channels (axis 1).  C3: size is positive. */
bool rule_lrn(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  if (!tcc_elem_is_float(x.elem)) return rule_fail(in, "C1: operand 'x' must have float elements");
  if (x.rank < 2) return rule_fail(in, "C2: operand 'x' must have rank 2 at least");
  if (rule_i64(in, "size") < 1) return rule_fail(in, "C3: size must be positive");
  return rule_result(in, &x, out);
}
