/* spread_windows.c - the adjoint of a convolution by its image, by convolutions of stride 1.
 *
 * A place y of the image got from the window at o by tap t where o * stride = y + pad - t: with stride 1 that is a convolution of g by the
 * turned kernel, its channels exchanged. With stride s the places of one remainder rho modulo s see every s-th tap: each is such a convolution
 * by a part of the kernel, and their results interleave (as sub-pixels do: Shi et al. 2016). So no product is by a zero that strides put
 * between elements, and targets need no kernel beside that of the forward pass.
 *
 *   stride 2, kernel 3, pad 1:   x[0::2] = conv(g, w[1]),   x[1::2] = conv(g, w[2, 0])
 *
 * With dilation d it got from o * stride = y + pad - t * d: a remainder sees the taps t of which t * d has that of y + pad, every s / gcd(s, d)-th, and
 * they lie d / gcd(s, d) places of g apart.
 *
 * Where sizes that this needs are symbols, the padding is wider than the kernel or strides are huge, and where a size is unknown, it is none. */
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include "tcc/window.h"

MlirValue tcc_build_window(TccBuilder *b, TccOpKind kind, MlirValue x, MlirValue weights, const TccWindow *window,
                           const int64_t *pads, const int64_t *more, const char *more_name) {
  if (!x.ptr || !weights.ptr) return (MlirValue){NULL};
  size_t n = (size_t)window->spatial;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(b->ir, window->strides, n)},
                          {"pads", tcc_attr_ints(b->ir, pads, 2 * n)},
                          {"dilations", tcc_attr_ints(b->ir, window->dilations, n)},
                          {"groups", tcc_attr_i64(b->ir, window->groups)},
                          {more_name, more ? tcc_attr_ints(b->ir, more, n) : mlirAttributeGetNull()}};
  MlirValue operands[] = {x, weights};
  return tcc_build_value(b, kind, operands, 2, attrs, 5, NULL);
}

/* The convolution for places of one remainder along one axis: taps first, first + step, ... of the kernel, so many places apart, and its padding. */
typedef struct {
  int64_t first, step, taps, apart, low, high;
} Phase;

typedef struct {
  TccBuilder *b;
  TccArena *scratch;
  const TccWindow *w;
  MlirValue g, weights; /* weights: [C, M / groups, kernel] */
  MlirType type;
  Phase *phase[TCC_MAX_RANK]; /* of each axis and remainder */
  int64_t chosen[TCC_MAX_RANK];
  bool failed; /* a diagnostic has been emitted */
} Spread;

typedef struct {
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
} Shape;

static Shape shape_of(TccIr *ir, MlirValue value) {
  MlirType type = tcc_value_type(value);
  Shape s = {.rank = tcc_type_rank(type)};
  for (int i = 0; i < s.rank; i++) s.dims[i] = tcc_type_dim(ir, type, i);
  return s;
}

static const TccExpr *number(const Spread *s, int64_t value) { return tcc_expr_const(s->b->ir->exprs, value); }

static MlirValue with_type(TccBuilder *b, MlirValue value, MlirType type) {
  if (!value.ptr || mlirTypeEqual(tcc_value_type(value), type)) return value;
  return tcc_build_value(b, TCC_OP_RESHAPE, &value, 1, NULL, 0, &type);
}

static MlirValue pad_axis(const Spread *s, MlirValue x, int axis, int64_t low, int64_t high) {
  if (!x.ptr || (!low && !high)) return x;
  const TccExpr *lows[TCC_MAX_RANK], *highs[TCC_MAX_RANK];
  int rank = tcc_type_rank(tcc_value_type(x));
  for (int i = 0; i < rank; i++) lows[i] = highs[i] = number(s, 0);
  lows[axis] = number(s, low), highs[axis] = number(s, high);
  return tcc_build_pad(s->b, x, (MlirValue){NULL}, lows, highs, "constant");
}

static MlirValue zeros_like(const Spread *s, MlirValue x) {
  Shape shape = shape_of(s->b->ir, x);
  return tcc_build_broadcast(s->b, tcc_build_scalar(s->b, tcc_value_elem(x), 0), shape.rank, shape.dims);
}

static bool has_unknown_size(TccIr *ir, MlirValue value) {
  const Shape shape = shape_of(ir, value);
  for (int i = 0; i < shape.rank; i++)
    if (!shape.dims[i]) return true;
  return false;
}

/* Each phase is a convolution, or zeros, of its own. */
static bool has_many_phases(const TccWindow *w) {
  enum { MOST = 4096 };
  int64_t phases = 1;
  for (int i = 0; i < w->spatial; i++)
    if (w->strides[i] > MOST || (phases *= w->strides[i]) > MOST) return true;
  return false;
}

/* The phases of axis i; false where the axis needs a conv_transpose. */
static bool read_phases(Spread *s, int i) {
  TccIr *ir = s->b->ir;
  int64_t stride = s->w->strides[i], pad = s->w->pads[i], dilation = s->w->dilations[i], kernel, size = 0, windows = 0;
  if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(s->weights), i + 2), &kernel)) return false;
  s->phase[i] = TCC_NEW_ARRAY(s->scratch, Phase, (size_t)stride);
  if (stride == 1) {
    int64_t reach = (kernel - 1) * dilation;
    *s->phase[i] = (Phase){0, 1, kernel, dilation, reach - pad, reach - s->w->pads[s->w->spatial + i]};
    return s->phase[i]->low >= 0 && s->phase[i]->high >= 0;
  }
  if (!tcc_expr_is_const(tcc_type_dim(ir, s->type, i + 2), &size) || pad < 0 ||
      !tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(s->g), i + 2), &windows))
    return false;
  const int64_t shared = tcc_gcd(stride, dilation), step = stride / shared, apart = dilation / shared;
  for (int64_t rho = 0; rho < stride; rho++) {
    Phase *p = &s->phase[i][rho];
    const int64_t rest = (rho + pad) % stride;
    int64_t first = 0;
    while (first < step && (first * (dilation % stride) - rest) % stride != 0) first++; /* at step: none */
    *p = (Phase){first, step, first < step && first < kernel ? tcc_ceil_div(kernel - first, step) : 0, apart, 0, 0};
    if (!p->taps) continue;
    p->low = ((first + (p->taps - 1) * step) * dilation - rho - pad) / stride;
    p->high = (size + stride - 1) / stride - windows - p->low + (p->taps - 1) * apart;
    if (p->low < 0 || p->high < 0 || (first + (p->taps - 1) * step) * dilation < rho + pad) return false;
  }
  return true;
}

/* [M, C / groups, kernel] as [C, M / groups, kernel] */
static MlirValue exchange_channels(const Spread *s, MlirValue weights) {
  Shape split = shape_of(s->b->ir, weights), to = split;
  int64_t perm[TCC_MAX_RANK] = {1, 0};
  for (int i = 2; i < TCC_MAX_RANK; i++) perm[i] = i;
  if (s->w->groups == 1) return tcc_build_transpose(s->b, weights, perm);
  const TccExpr *count = number(s, s->w->groups);
  for (int i = split.rank++; i > 1; i--) split.dims[i] = split.dims[i - 1];
  split.dims[0] = count, split.dims[1] = tcc_expr_divide_exactly(s->b->ir->exprs, to.dims[0], count);
  to.dims[0] = tcc_expr_mul(s->b->ir->exprs, to.dims[1], count), to.dims[1] = split.dims[1];
  perm[0] = 0, perm[1] = 2, perm[2] = 1;
  MlirValue apart = tcc_build_transpose(s->b, tcc_build_reshape(s->b, weights, split.rank, split.dims), perm);
  return tcc_build_reshape(s->b, apart, to.rank, to.dims);
}

/* The convolution for the chosen remainders; null without taps. */
static MlirValue convolve_phase(Spread *s) {
  int64_t pads[2 * TCC_MAX_RANK], ones[TCC_MAX_RANK], apart[TCC_MAX_RANK];
  TccWindow w = *s->w;
  MlirValue part = s->weights;
  w.strides = ones, w.dilations = apart;
  for (int i = 0; i < w.spatial; i++) ones[i] = 1;
  for (int i = 0; i < w.spatial; i++)
    if (!s->phase[i][s->chosen[i]].taps) return (MlirValue){NULL};
  for (int i = 0; i < w.spatial; i++) {
    const Phase *p = &s->phase[i][s->chosen[i]];
    pads[i] = p->low, pads[w.spatial + i] = p->high, apart[i] = p->taps > 1 ? p->apart : 1;
    const TccExpr *last = number(s, p->first + (p->taps - 1) * p->step);
    part = tcc_build_slice_axis(s->b, part, i + 2, last, p->taps > 1 ? -p->step : 1, number(s, p->taps));
  }
  MlirValue r = tcc_build_window(s->b, TCC_OP_CONV, s->g, part, &w, pads, NULL, "");
  s->failed = s->failed || !r.ptr;
  return r;
}

/* parts of one axis, null where they are 0, side by side: part rho is at places rho, rho + stride, ... of the axis. */
static MlirValue interleave(const Spread *s, int i, MlirValue *parts) {
  TccBuilder *b = s->b;
  int64_t stride = s->w->strides[i], some = 0, only = 0;
  for (int64_t rho = 0; rho < stride; rho++)
    if (parts[rho].ptr) some++, only = rho;
  if (!some) return (MlirValue){NULL};
  Shape shape = shape_of(b->ir, parts[only]);
  MlirValue r = tcc_build_unsqueeze(b, parts[only], i + 3);
  if (some == 1) {
    r = pad_axis(s, r, i + 3, only, stride - 1 - only);
  } else {
    MlirValue zeros = some == stride ? r : zeros_like(s, r);
    for (int64_t rho = 0; rho < stride; rho++) parts[rho] = parts[rho].ptr ? tcc_build_unsqueeze(b, parts[rho], i + 3) : zeros;
    r = tcc_build_concat(b, parts, (size_t)stride, i + 3);
  }
  shape.dims[i + 2] = tcc_expr_mul(b->ir->exprs, shape.dims[i + 2], number(s, stride));
  r = tcc_build_reshape(b, r, shape.rank, shape.dims);
  const TccExpr *size = tcc_type_dim(b->ir, s->type, i + 2);
  return size == shape.dims[i + 2] ? r : tcc_build_slice_axis(b, r, i + 2, number(s, 0), 1, size);
}

/* Axes from i on whole, those before at the chosen remainders. Null: 0, or a diagnostic has been emitted. */
static MlirValue spread_axes(Spread *s, int i) {
  if (i == s->w->spatial) return convolve_phase(s);
  MlirValue *parts = TCC_NEW_ARRAY(s->scratch, MlirValue, (size_t)s->w->strides[i]);
  for (s->chosen[i] = 0; s->chosen[i] < s->w->strides[i]; s->chosen[i]++) parts[s->chosen[i]] = spread_axes(s, i + 1);
  return s->w->strides[i] == 1 ? parts[0] : interleave(s, i, parts);
}

bool tcc_build_spread_windows(TccBuilder *b, TccArena *scratch, const TccWindow *window, MlirValue g, MlirValue weights,
                              MlirType type, MlirValue *out) {
  *out = (MlirValue){NULL};
  if (!g.ptr || !weights.ptr) return true;
  Spread s = {.b = b, .scratch = scratch, .w = window, .g = g, .weights = weights, .type = type};
  if (has_many_phases(window) || has_unknown_size(b->ir, g) || has_unknown_size(b->ir, weights)) return false;
  for (int i = 0; i < window->spatial; i++)
    if (!read_phases(&s, i)) return false;
  s.weights = exchange_channels(&s, weights);
  MlirValue r = s.weights.ptr ? spread_axes(&s, 0) : s.weights;
  if (!s.failed) *out = with_type(b, r, type);
  return true;
}
