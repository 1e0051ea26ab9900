/* rules_view.c - ops that move elements by position: views, pad, iota, concat. */
#include "dialects/tcc/rules.h"

static bool same_elem(TccRuleInput *in, TccElem x, TccElem r) {
  return x == r || rule_fail(in, "C1: the result's element type %s must be x's, %s", tcc_elem_name(r), tcc_elem_name(x));
}

/* C1: element type.  C2: the counts are equal. One unknown size of the result is worked out from the count. */
bool rule_reshape(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = rule_declared(in);
  if (!same_elem(in, x.elem, r.elem)) return false;
  const TccExpr *from = dims_product(in, x.dims, x.rank), *to = dims_product(in, r.dims, r.rank);
  if (!dims_agree(from, to))
    return rule_fail(in, "C2: x has '%s' elements, the result '%s'", dims_text(in, from), dims_text(in, to));
  int unknown = -1, unknowns = 0;
  for (int i = 0; i < r.rank; i++)
    if (!r.dims[i]) unknown = i, unknowns++;
  if (unknowns == 1 && from) {
    const TccExpr *rest = dims_product(in, r.dims, unknown), *after = dims_product(in, r.dims + unknown + 1, r.rank - unknown - 1);
    const TccExpr *known = tcc_expr_mul(in->ir->exprs, rest, after);
    if (!dims_is(known, 0)) r.dims[unknown] = tcc_expr_divide_exactly(in->ir->exprs, from, known);
  }
  return rule_result(in, &r, out);
}

/* C1: perm is a permutation of x's axes. */
bool rule_transpose(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = x;
  size_t count;
  const int64_t *perm = rule_ints(in, "perm", &count);
  bool seen[TCC_MAX_RANK] = {false};
  if (count != (size_t)x.rank) return rule_fail(in, "C1: perm has %zu entries, x has rank %d", count, x.rank);
  if (!rule_axes(in, "C1", "perm", perm, count, x.rank, seen)) return false;
  for (int i = 0; i < x.rank; i++) r.dims[i] = x.dims[perm[i]];
  return rule_result(in, &r, out);
}

/* C1: element type.  C2: x broadcasts to the result. */
bool rule_broadcast(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = rule_declared(in);
  if (!same_elem(in, x.elem, r.elem) || !rule_broadcasts_to(in, "C2", "x", &x, &r)) return false;
  return rule_result(in, &r, out);
}

/* e, which need not be >= 0 if size is 0. */
static const TccExpr *unless_none(TccExprPool *pool, const TccExpr *e, const TccExpr *size) {
  if (tcc_expr_known_at_most(tcc_expr_const(pool, 1), size)) return e;
  return tcc_expr_call(pool, TCC_EXPR_MAX, e, tcc_expr_sub(pool, tcc_expr_const(pool, 0), size));
}

/* start >= 0, and unless size is 0: start and start + (size - 1) * step are in [0, dim). */
static bool slice_fits(TccRuleInput *in, const TccExpr *start, int64_t step, const TccExpr *size, const TccExpr *dim) {
  TccExprPool *pool = in->ir->exprs;
  const TccExpr *one = tcc_expr_const(pool, 1);
  const TccExpr *way;
  if (!dims_in_range(start) || !dims_at_least(in, start, 0)) return false;
  if (!size || dims_is(size, 0)) return true;
  if (!dims_scaled(in, tcc_expr_sub(pool, size, one), step, &way)) return false;
  const TccExpr *last = tcc_expr_add(pool, start, way);
  if (step < 0 && !dims_at_least(in, unless_none(pool, last, size), 0)) return false;
  if (!dim) return true;
  const TccExpr *rest = tcc_expr_sub(pool, tcc_expr_sub(pool, dim, one), step < 0 ? start : last);
  return dims_at_least(in, unless_none(pool, rest, size), 0);
}

/* C1: element type.  C2: rank, and one start and step per axis.  C3: steps are not 0.  C4: the slice is inside x. */
bool rule_slice(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = rule_declared(in);
  size_t nstarts, nsteps;
  const TccExpr *const *starts = rule_exprs(in, "starts", &nstarts);
  const int64_t *steps = rule_ints(in, "steps", &nsteps);
  if (!same_elem(in, x.elem, r.elem)) return false;
  if (r.rank != x.rank || nstarts != (size_t)x.rank || nsteps != (size_t)x.rank)
    return rule_fail(in, "C2: result, starts and steps must have x's rank %d", x.rank);
  for (int i = 0; i < x.rank; i++) {
    if (steps[i] == 0) return rule_fail(in, "C3: the step of axis %d is 0", i);
    if (!slice_fits(in, starts[i], steps[i], r.dims[i], x.dims[i]))
      return rule_fail(in, "C4: the slice of axis %d leaves x, which has size '%s' there", i, dims_text(in, x.dims[i]));
  }
  return rule_result(in, &r, out);
}

/* C1: element type.  C2: starts is i64[rank].  C3: the result has x's rank and is not larger. */
bool rule_dynamic_slice(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), starts = rule_operand(in, 1), r = rule_declared(in);
  if (!same_elem(in, x.elem, r.elem)) return false;
  if (starts.elem != TCC_ELEM_I64 || starts.rank != 1 || !dims_agree(starts.dims[0], tcc_expr_const(in->ir->exprs, x.rank)))
    return rule_fail(in, "C2: 'starts' must be i64 with x's rank, %d, entries", x.rank);
  if (r.rank != x.rank) return rule_fail(in, "C3: the result must have x's rank, %d", x.rank);
  for (int i = 0; i < x.rank; i++) {
    if (!dims_at_most(in, r.dims[i], x.dims[i]))
      return rule_fail(in, "C3: the result's size %s on axis %d is larger than x's, %s", dims_text(in, r.dims[i]), i,
                       dims_text(in, x.dims[i]));
  }
  return rule_result(in, &r, out);
}

/* What is put beside an axis of `size` is read from it: reflect once at most, edge and wrap where there is an element. */
static bool pad_fits(TccRuleInput *in, TccStr mode, const TccExpr *size, const TccExpr *by) {
  TccExprPool *pool = in->ir->exprs;
  const TccExpr *one = tcc_expr_const(pool, 1);
  if (tcc_str_is(mode, "constant") || tcc_expr_known_at_most(by, tcc_expr_const(pool, 0))) return true;
  if (tcc_str_is(mode, "reflect")) return dims_at_most(in, tcc_expr_add(pool, by, one), size);
  return dims_at_most(in, tcc_expr_call(pool, TCC_EXPR_MIN, by, one), size);
}

/* Sums of numbers in this range are sizes; others would wrap around to some. */
static bool pad_in_range(const TccExpr *by) { return tcc_expr_magnitude(by) <= (int64_t)1 << 40; }

/* C1: value is one element of x's type.  C2: one low and high per axis.  C3: reflect stays within one period; edge
 * and wrap have an element to repeat.  C4: pads are in range. */
bool rule_pad(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), value = rule_operand(in, 1), r = x;
  if (value.present && (value.elem != x.elem || !(value.rank == 0 || (value.rank == 1 && dims_is(value.dims[0], 1)))))
    return rule_fail(in, "C1: 'value' must be a single element of type %s", tcc_elem_name(x.elem));
  size_t nlow, nhigh;
  const TccExpr *const *low = rule_exprs(in, "low", &nlow), *const *high = rule_exprs(in, "high", &nhigh);
  if (nlow != (size_t)x.rank || nhigh != (size_t)x.rank)
    return rule_fail(in, "C2: low and high must have x's rank, %d, entries", x.rank);
  TccStr mode = rule_str(in, "mode");
  for (int i = 0; i < x.rank; i++) {
    if (!pad_in_range(low[i]) || !pad_in_range(high[i]))
      return rule_fail(in, "C4: padding by %s and %s is out of range", dims_text(in, low[i]), dims_text(in, high[i]));
    if (!x.dims[i]) continue;
    if (!pad_fits(in, mode, x.dims[i], low[i]) || !pad_fits(in, mode, x.dims[i], high[i]))
      return rule_fail(in, "C3: axis %d of size %s is too small for %.*s padding by %s and %s", i, dims_text(in, x.dims[i]),
                       TCC_STR_ARG(mode), dims_text(in, low[i]), dims_text(in, high[i]));
    r.dims[i] = tcc_expr_add(in->ir->exprs, tcc_expr_add(in->ir->exprs, low[i], x.dims[i]), high[i]);
  }
  return rule_result(in, &r, out);
}

/* C1: number elements.  C2: axis. */
bool rule_iota(TccRuleInput *in, MlirType *out) {
  Shape r = rule_declared(in);
  if (!rule_is_number(r.elem)) return rule_fail(in, "C1: the result must have number elements");
  return rule_axis(in, "C2", rule_i64(in, "axis"), r.rank) && rule_result(in, &r, out);
}

/* C1: element type and rank.  C2: axis.  C3: the other sizes are equal. */
bool rule_concat(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0), b = rule_operand(in, 1), r = a;
  int64_t axis = rule_i64(in, "axis");
  if (a.elem != b.elem || a.rank != b.rank) return rule_fail(in, "C1: 'a' and 'b' must have one element type and rank");
  if (!rule_axis(in, "C2", axis, a.rank)) return false;
  for (int i = 0; i < a.rank; i++) {
    if (i == axis) {
      r.dims[i] = a.dims[i] && b.dims[i] ? tcc_expr_add(in->ir->exprs, a.dims[i], b.dims[i]) : NULL;
    } else {
      if (!dims_agree(a.dims[i], b.dims[i]))
        return rule_fail(in, "C3: sizes '%s' and '%s' on axis %d differ", dims_text(in, a.dims[i]), dims_text(in, b.dims[i]), i);
      r.dims[i] = dims_merge(a.dims[i], b.dims[i]);
    }
  }
  return rule_result(in, &r, out);
}
