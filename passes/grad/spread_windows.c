/* spread_windows.c - the adjoint of a convolution by its image, by convolutions of stride 1.
 *
 * A place y of the image got from the window at o by tap t where o * stride = y + pad - t: with stride 1 that is a convolution of g by the
 * turned kernel, its channels exchanged. With stride s the places of one remainder rho modulo s see every s-th tap: each is such a convolution
 * by a part of the kernel, and their results interleave (as sub-pixels do: Shi et al. 2016). So no product is by a zero that strides put
 * between elements, and targets need no kernel beside that of the forward pass.
 *
 *   stride 2, kernel 3, pad 1:   x[0::2] = conv(g, w[1]),   x[1::2] = conv(g, w[2, 0])
 *
 * Where sizes that this needs are symbols, dilations meet strides or the padding is wider than the kernel, it is a conv_transpose. */
#include "passes/grad/window.h"

MlirValue grad_build_window(GradOp *a, TccOpKind kind, MlirValue x, MlirValue weights, const GradWindow *window,
                            const int64_t *pads, const int64_t *more, const char *more_name) {
  if (!x.ptr || !weights.ptr) return (MlirValue){NULL};
  size_t n = (size_t)window->spatial;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(a->ir, window->strides, n)},
                          {"pads", tcc_attr_ints(a->ir, pads, 2 * n)},
                          {"dilations", tcc_attr_ints(a->ir, window->dilations, n)},
                          {"groups", tcc_attr_i64(a->ir, window->groups)},
                          {more_name, more ? tcc_attr_ints(a->ir, more, n) : mlirAttributeGetNull()}};
  MlirValue operands[] = {x, weights};
  return tcc_build_value(a->b, kind, operands, 2, attrs, 5, NULL);
}

/* ---- conv_transpose ---- */

/* By how much the axis that conv_transpose would make is too short; as it was where the sizes are not constants. */
static void missing(const GradWindow *w, int i, const TccExpr *windows, const TccExpr *kernel, const TccExpr *want, int64_t *out) {
  int64_t n, k, size;
  if (!tcc_expr_is_const(windows, &n) || !tcc_expr_is_const(kernel, &k) || !tcc_expr_is_const(want, &size)) return;
  *out = size - ((n - 1) * w->strides[i] - w->pads[i] - w->pads[w->spatial + i] + (k - 1) * w->dilations[i] + 1);
}

/* Where sizes are symbols it makes stride - 1 places more than no output padding gives, and what is too much is cut off. */
static MlirValue transposed(GradOp *a, const GradWindow *w, MlirValue g, MlirValue weights, MlirType type) {
  int64_t pads[2 * TCC_MAX_RANK], extra[TCC_MAX_RANK] = {0};
  for (int i = 0; i < 2 * w->spatial; i++) pads[i] = w->pads[i];
  for (int i = 0; i < w->spatial; i++) {
    int64_t more = w->strides[i] - 1;
    missing(w, i, tcc_type_dim(a->ir, tcc_value_type(g), i + 2), tcc_type_dim(a->ir, tcc_value_type(weights), i + 2),
            tcc_type_dim(a->ir, type, i + 2), &more);
    if (more > 0) extra[i] = more;
    else pads[w->spatial + i] -= more;
  }
  MlirValue r = grad_build_window(a, TCC_OP_CONV_TRANSPOSE, g, weights, w, pads, extra, "output_padding");
  for (int i = 0; i < w->spatial && r.ptr; i++) {
    const TccExpr *have = tcc_type_dim(a->ir, tcc_value_type(r), i + 2), *want = tcc_type_dim(a->ir, type, i + 2);
    r = grad_pad_axis(a->b, r, i + 2, grad_const(a, 0), tcc_expr_sub(a->ir->exprs, want, have));
  }
  return grad_as_type(a->b, r, type);
}

/* ---- convolutions ---- */

/* The convolution for places of one remainder along one axis: taps first, first + stride, ... of the kernel, and its padding. */
typedef struct {
  int64_t first, taps, low, high;
} Phase;

typedef struct {
  GradOp *a;
  const GradWindow *w;
  MlirValue g, weights; /* weights: [C, M / groups, kernel] */
  MlirType type;
  Phase *phase[TCC_MAX_RANK]; /* of each axis and remainder */
  int64_t chosen[TCC_MAX_RANK];
  bool failed; /* a diagnostic has been emitted */
} Spread;

/* The phases of axis i; false where the axis needs a conv_transpose. */
static bool read_phases(Spread *s, int i) {
  TccIr *ir = s->a->ir;
  int64_t stride = s->w->strides[i], pad = s->w->pads[i], dilation = s->w->dilations[i], kernel, size = 0, windows = 0;
  if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(s->weights), i + 2), &kernel)) return false;
  s->phase[i] = TCC_NEW_ARRAY(s->a->scratch, Phase, (size_t)stride);
  if (stride == 1) {
    int64_t reach = (kernel - 1) * dilation;
    *s->phase[i] = (Phase){0, kernel, reach - pad, reach - s->w->pads[s->w->spatial + i]};
    return s->phase[i]->low >= 0 && s->phase[i]->high >= 0;
  }
  if (dilation != 1 || !tcc_expr_is_const(tcc_type_dim(ir, s->type, i + 2), &size) || pad < 0 ||
      !tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(s->g), i + 2), &windows))
    return false;
  for (int64_t rho = 0; rho < stride; rho++) {
    Phase *p = &s->phase[i][rho];
    p->first = (rho + pad) % stride;
    p->taps = p->first < kernel ? (kernel - p->first + stride - 1) / stride : 0;
    p->low = p->taps - 1 - (rho + pad) / stride;
    p->high = (size + stride - 1) / stride - windows - p->low + p->taps - 1;
    if (p->taps && (p->low < 0 || p->high < 0)) return false;
  }
  return true;
}

/* [M, C / groups, kernel] as [C, M / groups, kernel] */
static MlirValue exchange_channels(GradOp *a, MlirValue weights, int64_t groups) {
  GradShape s = grad_shape(a->ir, weights), to = s;
  int64_t perm[TCC_MAX_RANK] = {1, 0};
  for (int i = 2; i < TCC_MAX_RANK; i++) perm[i] = i;
  if (groups == 1) return tcc_build_transpose(a->b, weights, perm);
  const TccExpr *count = grad_const(a, groups);
  for (int i = s.rank++; i > 1; i--) s.dims[i] = s.dims[i - 1];
  s.dims[0] = count, s.dims[1] = tcc_expr_divide_exactly(a->ir->exprs, to.dims[0], count);
  to.dims[0] = tcc_expr_mul(a->ir->exprs, to.dims[1], count), to.dims[1] = s.dims[1];
  perm[0] = 0, perm[1] = 2, perm[2] = 1;
  return tcc_build_reshape(a->b, tcc_build_transpose(a->b, tcc_build_reshape(a->b, weights, s.rank, s.dims), perm), to.rank,
                           to.dims);
}

/* The convolution for the chosen remainders; null without taps. */
static MlirValue convolve_phase(Spread *s) {
  int64_t pads[2 * TCC_MAX_RANK], ones[TCC_MAX_RANK];
  GradWindow w = *s->w;
  MlirValue part = s->weights;
  w.strides = ones;
  for (int i = 0; i < w.spatial; i++) ones[i] = 1;
  for (int i = 0; i < w.spatial; i++)
    if (!s->phase[i][s->chosen[i]].taps) return (MlirValue){NULL};
  for (int i = 0; i < w.spatial; i++) {
    const Phase *p = &s->phase[i][s->chosen[i]];
    int64_t stride = s->w->strides[i];
    pads[i] = p->low, pads[w.spatial + i] = p->high;
    const TccExpr *last = grad_const(s->a, p->first + (p->taps - 1) * stride);
    part = tcc_build_slice_axis(s->a->b, part, i + 2, last, p->taps > 1 ? -stride : 1, grad_const(s->a, p->taps));
  }
  MlirValue r = grad_build_window(s->a, TCC_OP_CONV, s->g, part, &w, pads, NULL, "");
  s->failed = s->failed || !r.ptr;
  return r;
}

/* parts of one axis, null where they are 0, side by side: part rho is at places rho, rho + stride, ... of the axis. */
static MlirValue interleave(const Spread *s, int i, MlirValue *parts) {
  TccBuilder *b = s->a->b;
  int64_t stride = s->w->strides[i], some = 0, only = 0;
  for (int64_t rho = 0; rho < stride; rho++)
    if (parts[rho].ptr) some++, only = rho;
  if (!some) return (MlirValue){NULL};
  GradShape shape = grad_shape(s->a->ir, parts[only]);
  MlirValue r = tcc_build_unsqueeze(b, parts[only], i + 3);
  if (some == 1) {
    r = grad_pad_axis(b, r, i + 3, grad_const(s->a, only), grad_const(s->a, stride - 1 - only));
  } else {
    MlirValue zeros = some == stride ? r : grad_zeros(b, tcc_value_type(r));
    for (int64_t rho = 0; rho < stride; rho++) parts[rho] = parts[rho].ptr ? tcc_build_unsqueeze(b, parts[rho], i + 3) : zeros;
    r = tcc_build_concat(b, parts, (size_t)stride, i + 3);
  }
  shape.dims[i + 2] = tcc_expr_mul(s->a->ir->exprs, shape.dims[i + 2], grad_const(s->a, stride));
  r = tcc_build_reshape(b, r, shape.rank, shape.dims);
  const TccExpr *size = tcc_type_dim(s->a->ir, s->type, i + 2);
  return size == shape.dims[i + 2] ? r : tcc_build_slice_axis(b, r, i + 2, grad_const(s->a, 0), 1, size);
}

/* Axes from i on whole, those before at the chosen remainders. Null: 0, or a diagnostic has been emitted. */
static MlirValue spread_axes(Spread *s, int i) {
  if (i == s->w->spatial) return convolve_phase(s);
  MlirValue *parts = TCC_NEW_ARRAY(s->a->scratch, MlirValue, (size_t)s->w->strides[i]);
  for (s->chosen[i] = 0; s->chosen[i] < s->w->strides[i]; s->chosen[i]++) parts[s->chosen[i]] = spread_axes(s, i + 1);
  return s->w->strides[i] == 1 ? parts[0] : interleave(s, i, parts);
}

MlirValue grad_spread_windows(GradOp *a, const GradWindow *w, MlirValue g, MlirValue weights, MlirType type) {
  if (!g.ptr || !weights.ptr) return (MlirValue){NULL};
  Spread s = {.a = a, .w = w, .g = g, .weights = weights, .type = type};
  for (int i = 0; i < w->spatial; i++)
    if (!read_phases(&s, i)) return transposed(a, w, g, weights, type);
  s.weights = exchange_channels(a, weights, w->groups);
  MlirValue r = s.weights.ptr ? spread_axes(&s, 0) : s.weights;
  return s.failed ? (MlirValue){NULL} : grad_as_type(a->b, r, type);
}
