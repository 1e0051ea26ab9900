/* rules_linalg.c - factorisations of matrices, which are the last two axes. */
#include "dialects/tcc/rules.h"
#include "tcc/fft.h"

/* C1: f32 or f64.  C2: two axes at least. */
static bool matrices(TccRuleInput *in, const Shape *a) {
  if (a->elem != TCC_ELEM_F32 && a->elem != TCC_ELEM_F64)
    return rule_fail(in, "C1: a must be f32 or f64, not %s", tcc_elem_name(a->elem));
  return a->rank >= 2 || rule_fail(in, "C2: a must have rank 2 or more, not %d", a->rank);
}

/* C3: as many rows as columns. */
static bool square(TccRuleInput *in, Shape *a) {
  if (!matrices(in, a)) return false;
  const TccExpr *rows = a->dims[a->rank - 2], *columns = a->dims[a->rank - 1];
  if (!dims_agree(rows, columns)) return rule_fail(in, "C3: a is '%s' x '%s'", dims_text(in, rows), dims_text(in, columns));
  a->dims[a->rank - 2] = a->dims[a->rank - 1] = dims_merge(rows, columns);
  return true;
}

static const TccExpr *least(TccRuleInput *in, const TccExpr *a, const TccExpr *b) {
  return !a || !b ? NULL : tcc_expr_agree(a, b) ? dims_merge(a, b) : tcc_expr_call(in->ir->exprs, TCC_EXPR_MIN, a, b);
}

/* One element for each matrix, or `size` of them. */
static bool for_each(TccRuleInput *in, const Shape *a, TccElem elem, const TccExpr *size, bool has_size, MlirType *out) {
  Shape r = *a;
  r.elem = elem, r.rank = a->rank - 2;
  if (has_size) r.dims[r.rank++] = size;
  return rule_result(in, &r, out);
}

static bool for_each_step(TccRuleInput *in, const Shape *a, TccElem elem, MlirType *out) {
  return for_each(in, a, elem, least(in, a->dims[a->rank - 2], a->dims[a->rank - 1]), true, out);
}

bool rule_lu(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0);
  return matrices(in, &a) && rule_result(in, &a, &out[0]) && for_each_step(in, &a, TCC_ELEM_I32, &out[1]) &&
         for_each(in, &a, TCC_ELEM_I32, NULL, false, &out[2]);
}

bool rule_cholesky(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0);
  return square(in, &a) && rule_result(in, &a, &out[0]) && for_each(in, &a, TCC_ELEM_I32, NULL, false, &out[1]);
}

bool rule_geqrf(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0);
  return matrices(in, &a) && rule_result(in, &a, &out[0]) && for_each_step(in, &a, a.elem, &out[1]);
}

/* C3: no more columns than rows.  C4: tau has a's type and an axis less, and its batch.  C5: no more reflectors than columns. */
bool rule_householder_product(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0), tau = rule_operand(in, 1);
  if (!matrices(in, &a)) return false;
  const TccExpr *rows = a.dims[a.rank - 2], *columns = a.dims[a.rank - 1];
  if (!dims_at_most(in, columns, rows)) return rule_fail(in, "C3: a is '%s' x '%s'", dims_text(in, rows), dims_text(in, columns));
  bool fits = tau.elem == a.elem && tau.rank == a.rank - 1;
  for (int i = 0; fits && i < a.rank - 2; i++) fits = dims_agree(a.dims[i], tau.dims[i]);
  if (!fits) return rule_fail(in, "C4: tau must have a's type and batch, and a number for each reflector");
  if (!dims_at_most(in, tau.dims[tau.rank - 1], columns))
    return rule_fail(in, "C5: '%s' reflectors of '%s' columns", dims_text(in, tau.dims[tau.rank - 1]), dims_text(in, columns));
  return rule_result(in, &a, out);
}

bool rule_eigh(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0);
  return square(in, &a) && for_each_step(in, &a, a.elem, &out[0]) && rule_result(in, &a, &out[1]);
}

bool rule_svd(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0), u = a, vh = a;
  if (!matrices(in, &a)) return false;
  const bool full = rule_bool(in, "full");
  const TccExpr *rows = a.dims[a.rank - 2], *columns = a.dims[a.rank - 1], *k = least(in, rows, columns);
  u.dims[a.rank - 1] = full ? rows : k, vh.dims[a.rank - 2] = full ? columns : k;
  return rule_result(in, &u, &out[0]) && for_each_step(in, &a, a.elem, &out[1]) && rule_result(in, &vh, &out[2]);
}

/* C1: i32, one axis at least.  C2: size has one entry, no smaller than the number of pivots. */
bool rule_pivots_to_permutation(TccRuleInput *in, MlirType *out) {
  Shape pivots = rule_operand(in, 0), r = pivots;
  size_t count;
  const TccExpr *const *size = rule_exprs(in, "size", &count);
  if (pivots.elem != TCC_ELEM_I32 || pivots.rank < 1) return rule_fail(in, "C1: pivots must be i32 and have an axis");
  if (count != 1 || !dims_at_most(in, pivots.dims[pivots.rank - 1], size[0]))
    return rule_fail(in, "C2: size must have one entry, no smaller than '%s'", dims_text(in, pivots.dims[pivots.rank - 1]));
  r.elem = TCC_ELEM_I64, r.dims[r.rank - 1] = size[0];
  return rule_result(in, &r, out);
}

/* Element types, axis and shapes of parts, of which y may be absent; r is x's. */
static bool complex_parts(TccRuleInput *in, int64_t axis, Shape *r) {
  Shape x = rule_operand(in, 0), y = rule_operand(in, 1);
  *r = x;
  if ((x.elem != TCC_ELEM_F32 && x.elem != TCC_ELEM_F64) || (y.present && y.elem != x.elem))
    return rule_fail(in, "C1: x and y must both be f32 or f64");
  if (!rule_axis(in, "C2", axis, x.rank)) return false;
  if (y.present && y.rank != x.rank) return rule_fail(in, "C3: x and y must have one shape");
  for (int i = 0; i < x.rank && y.present; i++) {
    if (!dims_agree(x.dims[i], y.dims[i]))
      return rule_fail(in, "C3: sizes '%s' and '%s' of x and y differ", dims_text(in, x.dims[i]), dims_text(in, y.dims[i]));
    r->dims[i] = dims_merge(x.dims[i], y.dims[i]);
  }
  return true;
}

static const TccExpr *half_of(TccRuleInput *in, const TccExpr *n) {
  TccExprPool *pool = in->ir->exprs;
  return n ? tcc_expr_add(pool, tcc_expr_call(pool, TCC_EXPR_FLOORDIV, n, tcc_expr_const(pool, 2)), tcc_expr_const(pool, 1)) : n;
}

static bool is_length(TccRuleInput *in, const TccExpr *n) {
  return dims_at_least(in, n, 1) && dims_at_most(in, n, tcc_expr_const(in->ir->exprs, TCC_FFT_MOST));
}

/* C1: f32 or f64, the same.  C2: axis.  C3: one shape.  C4: 1 to TCC_FFT_MOST elements.  C5: half without y. */
bool rule_fft(TccRuleInput *in, MlirType *out) {
  const int64_t axis = rule_i64(in, "axis");
  Shape r;
  if (!complex_parts(in, axis, &r)) return false;
  if (!is_length(in, r.dims[axis]))
    return rule_fail(in, "C4: a line must have 1 to %d elements, not '%s'", TCC_FFT_MOST, dims_text(in, r.dims[axis]));
  if (rule_bool(in, "half")) {
    if (rule_operand(in, 1).present) return rule_fail(in, "C5: half is of real numbers, without y");
    r.dims[axis] = half_of(in, r.dims[axis]);
  }
  return rule_result(in, &r, &out[0]) && rule_result(in, &r, &out[1]);
}

/* C1: f32 or f64, the same.  C2: axis.  C3: one shape.  C4: size is one number, as of fft.  C5: x has half of it. */
bool rule_irfft(TccRuleInput *in, MlirType *out) {
  const int64_t axis = rule_i64(in, "axis");
  size_t count;
  const TccExpr *const *size = rule_exprs(in, "size", &count);
  Shape r;
  if (!complex_parts(in, axis, &r)) return false;
  if (count != 1 || !is_length(in, size[0])) return rule_fail(in, "C4: size must have one entry, 1 to %d", TCC_FFT_MOST);
  const TccExpr *half = half_of(in, size[0]);
  if (!dims_agree(r.dims[axis], half))
    return rule_fail(in, "C5: x has size '%s' on axis %lld, not '%s'", dims_text(in, r.dims[axis]), (long long)axis,
                     dims_text(in, half));
  r.dims[axis] = size[0];
  return rule_result(in, &r, out);
}
