/* window.c - adjoints of convolutions and pools as products, sums and scatters.
 *
 * The gradient of a convolution's weights is one product: what came back of all places, turned, times the image seen through its
 * windows (im2col, Chellapilla, Puri and Simard 2006; here a view, which the product's packing reads). The gradient of a sum over
 * windows is a sum over windows again, of what came back spread out by the stride. A maximum sends what came back to one place each. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccShape x, g;
  int spatial;
  const int64_t *kernel, *strides, *pads, *dilations;
} Window;

static bool read_window(TccExpand *x, Window *w) {
  size_t n;
  if (!tcc_ex_shape(x, mlirOperationGetOperand(x->op, 0), &w->x) || !tcc_ex_shape(x, mlirOperationGetOperand(x->op, 1), &w->g))
    return false;
  w->spatial = w->x.rank - 2;
  return (tcc_get_ints(x->ir, x->op, "kernel", &w->kernel, &n) && tcc_get_ints(x->ir, x->op, "strides", &w->strides, &n) &&
          tcc_get_ints(x->ir, x->op, "pads", &w->pads, &n) && tcc_get_ints(x->ir, x->op, "dilations", &w->dilations, &n)) ||
         tcc_ex_fail(x, "has no window");
}

static const TccExpr *times(TccExpand *x, const TccExpr *a, int64_t b) { return tcc_expr_mul(x->ir->exprs, a, tcc_ex_const(x, b)); }
static const TccExpr *plus(TccExpand *x, const TccExpr *a, int64_t b) { return tcc_expr_add(x->ir->exprs, a, tcc_ex_const(x, b)); }
static const TccExpr *minus(TccExpand *x, const TccExpr *a, const TccExpr *b) { return tcc_expr_sub(x->ir->exprs, a, b); }
static int64_t reach(const Window *w, int i) { return (w->kernel[i] - 1) * w->dilations[i]; }

/* Zeros, or `value`, around a; negative low and high crop. */
static MlirValue pad(TccExpand *x, MlirValue a, const TccExpr *const *low, const TccExpr *const *high, MlirValue value) {
  if (!a.ptr) return a;
  size_t rank = (size_t)tcc_type_rank(tcc_value_type(a));
  bool any = false;
  for (size_t i = 0; i < rank; i++) any = any || low[i] != tcc_ex_const(x, 0) || high[i] != tcc_ex_const(x, 0);
  if (!any) return a;
  if (!value.ptr) value = tcc_build_scalar(x->b, tcc_type_elem(tcc_value_type(a)), 0);
  return tcc_build_pad(x->b, a, value, low, high, "constant");
}

static MlirValue unfold(TccExpand *x, const Window *w, MlirValue a) {
  if (!a.ptr) return a;
  size_t n = (size_t)w->spatial;
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(x->ir, w->kernel, n)},
                          {"strides", tcc_attr_ints(x->ir, w->strides, n)},
                          {"dilations", tcc_attr_ints(x->ir, w->dilations, n)}};
  return tcc_build_value(x->b, TCC_OP_UNFOLD, &a, 1, attrs, 3, NULL);
}

/* ---- convolutions ---- */

/* a [N, C, rest] as [N, groups, C/groups, rest] */
static MlirValue grouped(TccExpand *x, MlirValue a, int64_t groups) {
  TccShape s;
  if (!tcc_ex_shape(x, a, &s)) return (MlirValue){NULL};
  for (int i = s.rank++; i > 2; i--) s.dims[i] = s.dims[i - 1];
  s.dims[2] = tcc_expr_divide_exactly(x->ir->exprs, s.dims[1], tcc_ex_const(x, groups));
  s.dims[1] = tcc_ex_const(x, groups);
  return tcc_build_reshape(x->b, a, s.rank, s.dims);
}

/* The image as the windows see it: with its padding, and without what no window reaches. */
static MlirValue image(TccExpand *x, const Window *w) {
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  low[0] = low[1] = high[0] = high[1] = tcc_ex_const(x, 0);
  for (int i = 0; i < w->spatial; i++) {
    const TccExpr *last = times(x, plus(x, w->g.dims[i + 2], -1), w->strides[i]),
                  *end = plus(x, last, reach(w, i) + 1 - w->pads[i]);
    low[i + 2] = tcc_ex_const(x, w->pads[i]);
    high[i + 2] = minus(x, end, w->x.dims[i + 2]);
  }
  return pad(x, mlirOperationGetOperand(x->op, 0), low, high, (MlirValue){NULL});
}

/* One channel a group: sums of products, u [N, C, kernel, out] and g [N, C, out]. */
static MlirValue depthwise(TccExpand *x, const Window *w, MlirValue u) {
  TccShape s = w->g;
  int64_t axes[TCC_MAX_RANK] = {0};
  for (int i = 0; i < w->spatial; i++) {
    s.dims[2 + i] = tcc_ex_const(x, 1), s.dims[2 + w->spatial + i] = w->g.dims[2 + i];
    axes[1 + i] = 2 + w->spatial + i;
  }
  s.rank += w->spatial;
  MlirValue g = tcc_build_convert(x->b, tcc_build_reshape(x->b, tcc_ex_operand(x, 1), s.rank, s.dims), x->compute);
  MlirValue product = tcc_build2(x->b, TCC_OP_MUL, tcc_build_convert(x->b, u, x->compute), g);
  return tcc_build_unsqueeze(x->b, tcc_ex_out(x, tcc_build_reduce(x->b, "sum", product, axes, (size_t)w->spatial + 1, false)), 1);
}

bool tcc_expand_conv_filter_grad(TccExpand *x, MlirValue *results) {
  Window w;
  if (!read_window(x, &w)) return false;
  int64_t groups = tcc_i64(x->ir, x->op, "groups"), lhs[TCC_MAX_RANK] = {0}, rhs[TCC_MAX_RANK] = {0}, batch = 1;
  MlirValue g = tcc_ex_operand(x, 1), u = unfold(x, &w, image(x, &w));
  const TccExpr *all = tcc_ex_const(x, groups);
  if (groups > 1 && w.x.dims[1] == all && w.g.dims[1] == all) {
    results[0] = depthwise(x, &w, u);
    return results[0].ptr != NULL;
  }
  int channels = groups > 1 ? 2 : 1; /* the axis of channels */
  for (int i = 0; i < w.spatial; i++) lhs[1 + i] = channels + 1 + i, rhs[1 + i] = channels + 1 + w.spatial + i;
  if (groups > 1) g = grouped(x, g, groups), u = grouped(x, u, groups);
  results[0] = tcc_build_dot_general(x->b, g, u, &batch, &batch, groups > 1, lhs, rhs, (size_t)w.spatial + 1);
  if (groups > 1) { /* [groups, M/groups, C/groups, kernel] */
    TccShape s;
    if (!tcc_ex_shape(x, results[0], &s)) return false;
    s.dims[1] = w.g.dims[1];
    results[0] = tcc_build_reshape(x->b, results[0], s.rank - 1, s.dims + 1);
  }
  return results[0].ptr != NULL;
}

/* ---- pools ---- */

/* Each window's g to the place of its first maximum, counted within the plane of its channel. Of 16 bits in f32: sums are rounded once. */
static MlirValue to_maxima(TccExpand *x, const Window *w) {
  size_t n = (size_t)w->spatial;
  MlirValue image = tcc_ex_in(x, 0);
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(x->ir, w->kernel, n)},
                          {"strides", tcc_attr_ints(x->ir, w->strides, n)},
                          {"pads", tcc_attr_ints(x->ir, w->pads, 2 * n)},
                          {"dilations", tcc_attr_ints(x->ir, w->dilations, n)},
                          {"ceil_mode", tcc_attr_bool(x->ir, tcc_bool(x->ir, x->op, "ceil_mode"))}};
  MlirValue index = tcc_build_value(x->b, TCC_OP_POOL_INDEX, &image, 1, attrs, 5, NULL);
  const TccExpr *planes = tcc_ex_product(x, w->x.dims, 2);
  const TccExpr *plane[] = {planes, tcc_ex_product(x, w->x.dims + 2, w->spatial)};
  const TccExpr *windows[] = {planes, tcc_ex_product(x, w->g.dims + 2, w->spatial)}, *column[] = {planes, tcc_ex_const(x, 1)};
  MlirValue first =
      tcc_build2(x->b, TCC_OP_MUL, tcc_build_iota(x->b, TCC_ELEM_I64, 0, 2, column), tcc_ex_size(x, plane[1], TCC_ELEM_I64));
  index = tcc_build2(x->b, TCC_OP_SUB, tcc_build_reshape(x->b, index, 2, windows), first);
  MlirValue zeros = tcc_build_broadcast(x->b, tcc_ex_scalar(x, 0), 2, plane);
  MlirValue operands[] = {zeros, index, tcc_build_reshape(x->b, tcc_ex_in(x, 1), 2, windows)};
  TccNamedAttr scatter[] = {{"axis", tcc_attr_i64(x->ir, 1)}, {"reduction", tcc_attr_str(x->ir, tcc_str("add"))}};
  if (!index.ptr || !zeros.ptr || !operands[2].ptr) return (MlirValue){NULL};
  MlirValue r = tcc_build_value(x->b, TCC_OP_SCATTER_ELEMENTS, operands, 3, scatter, 2, NULL);
  return tcc_ex_out(x, tcc_build_reshape(x->b, r, w->x.rank, w->x.dims));
}

static MlirValue sum_pool(TccExpand *x, const Window *w, MlirValue a, const int64_t *strides, bool ceil_mode) {
  static const int64_t no_pads[2 * TCC_MAX_RANK];
  size_t n = (size_t)w->spatial;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(x->ir, tcc_str("sum"))},        {"kernel", tcc_attr_ints(x->ir, w->kernel, n)},
                          {"strides", tcc_attr_ints(x->ir, strides, n)},        {"pads", tcc_attr_ints(x->ir, no_pads, 2 * n)},
                          {"dilations", tcc_attr_ints(x->ir, w->dilations, n)}, {"ceil_mode", tcc_attr_bool(x->ir, ceil_mode)}};
  return a.ptr ? tcc_build_value(x->b, TCC_OP_POOL, &a, 1, attrs, 6, NULL) : a;
}

/* How many places each window divides by: a sum over ones, the padding's zeros or ones, and zeros where a window hangs over that. */
static MlirValue counts(TccExpand *x, const Window *w) {
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK], *zero[TCC_MAX_RANK], *over[TCC_MAX_RANK];
  TccShape s = w->x;
  bool include = tcc_bool(x->ir, x->op, "count_include_pad");
  for (int i = 0; i < s.rank; i++) low[i] = high[i] = zero[i] = over[i] = tcc_ex_const(x, 0);
  s.dims[0] = s.dims[1] = tcc_ex_const(x, 1);
  for (int i = 0; i < w->spatial; i++) {
    int64_t begin = w->pads[i], end = w->pads[w->spatial + i];
    const TccExpr *last = times(x, plus(x, w->g.dims[i + 2], -1), w->strides[i]), *padded = plus(x, s.dims[i + 2], begin + end);
    low[i + 2] = tcc_ex_const(x, begin), high[i + 2] = tcc_ex_const(x, end);
    over[i + 2] = minus(x, plus(x, last, reach(w, i) + 1), padded);
  }
  MlirValue one = tcc_ex_scalar(x, 1), ones = tcc_build_broadcast(x->b, one, s.rank, s.dims);
  ones = pad(x, pad(x, ones, low, high, include ? one : (MlirValue){NULL}), zero, over, (MlirValue){NULL});
  return sum_pool(x, w, ones, w->strides, false);
}

/* a [N, C, O] with stride - 1 zeros behind each element of the spatial axes. */
static MlirValue spread_out(TccExpand *x, const Window *w, MlirValue a) {
  for (int i = 0; i < w->spatial; i++) {
    const TccExpr *zero[TCC_MAX_RANK + 1], *high[TCC_MAX_RANK + 1];
    TccShape s;
    if (w->strides[i] == 1) continue;
    if (!tcc_ex_shape(x, a, &s)) return (MlirValue){NULL};
    for (int k = 0; k <= s.rank; k++) zero[k] = high[k] = tcc_ex_const(x, 0);
    high[i + 3] = tcc_ex_const(x, w->strides[i] - 1);
    a = pad(x, tcc_build_unsqueeze(x->b, a, i + 3), zero, high, (MlirValue){NULL});
    s.dims[i + 2] = times(x, s.dims[i + 2], w->strides[i]);
    a = tcc_build_reshape(x->b, a, s.rank, s.dims);
  }
  return a;
}

/* The sum over the windows that cover a place is a window over what came back, seen from its other end. */
static MlirValue to_all(TccExpand *x, const Window *w) {
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  int64_t ones[TCC_MAX_RANK];
  MlirValue g = tcc_ex_in(x, 1);
  if (tcc_str_is(tcc_string(x->ir, x->op, "kind"), "avg")) g = tcc_build2(x->b, TCC_OP_DIV, g, counts(x, w));
  low[0] = low[1] = high[0] = high[1] = tcc_ex_const(x, 0);
  for (int i = 0; i < w->spatial; i++) {
    ones[i] = 1;
    low[i + 2] = tcc_ex_const(x, reach(w, i) - w->pads[i]);
    high[i + 2] = minus(x, plus(x, w->x.dims[i + 2], w->pads[i]), times(x, w->g.dims[i + 2], w->strides[i]));
  }
  return tcc_ex_out(x, sum_pool(x, w, pad(x, spread_out(x, w, g), low, high, (MlirValue){NULL}), ones, false));
}

bool tcc_expand_pool_grad(TccExpand *x, MlirValue *results) {
  Window w;
  if (!read_window(x, &w)) return false;
  results[0] = tcc_str_is(tcc_string(x->ir, x->op, "kind"), "max") ? to_maxima(x, &w) : to_all(x, &w);
  return results[0].ptr != NULL;
}
