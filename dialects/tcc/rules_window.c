/* rules_window.c - convolutions and pools: N, C, then spatial axes; and resize. */
#include "dialects/tcc/rules.h"

enum { MOST_SPATIAL = TCC_MAX_RANK - 2 };
typedef struct {
  int spatial;
  const int64_t *strides, *pads, *dilations; /* pads: begins, then ends */
} Window;

static bool positive(TccRuleInput *in, const char *name, const int64_t *values, int count) {
  for (int i = 0; i < count; i++)
    if (values[i] < 1 || values[i] > INT32_MAX) return rule_fail(in, "C3: %s must be positive", name);
  return true;
}

/* C3: strides, dilations and pads have one entry (two for pads) a spatial axis; strides and dilations are positive. */
static bool read_window(TccRuleInput *in, int rank, Window *out) {
  size_t nstrides, npads, ndilations;
  out->spatial = rank - 2;
  out->strides = rule_ints(in, "strides", &nstrides);
  out->pads = rule_ints(in, "pads", &npads);
  out->dilations = rule_ints(in, "dilations", &ndilations);
  size_t spatial = (size_t)out->spatial;
  if (nstrides != spatial || ndilations != spatial || npads != 2 * spatial)
    return rule_fail(in, "C3: strides, dilations and pads must have %zu, %zu and %zu entries", spatial, spatial, 2 * spatial);
  for (size_t i = 0; i < npads; i++)
    if (out->pads[i] < -INT32_MAX || out->pads[i] > INT32_MAX) return rule_fail(in, "C3: a pad is out of range");
  return positive(in, "strides", out->strides, out->spatial) && positive(in, "dilations", out->dilations, out->spatial);
}

static const TccExpr *constant(TccRuleInput *in, int64_t value) { return tcc_expr_const(in->ir->exprs, value); }

/* floor((size + pads - (kernel - 1) * dilation - 1) / stride) + 1; ceil_mode rounds up, but the last window must start
 * inside the image or its front padding. NULL: unknown. Fails if no window fits. */
static bool windows(TccRuleInput *in, const Window *w, int axis, const TccExpr *size, const TccExpr *kernel, bool ceil_mode,
                    const TccExpr **out) {
  *out = NULL;
  if (!size || !kernel) return true;
  TccExprPool *pool = in->ir->exprs;
  int64_t begin = w->pads[axis], pads = begin + w->pads[axis + w->spatial], stride = w->strides[axis];
  const TccExpr *reach;
  if (!dims_scaled(in, tcc_expr_sub(pool, kernel, constant(in, 1)), w->dilations[axis], &reach))
    return rule_fail(in, "C4: the dilated window of spatial axis %d is too large", axis);
  const TccExpr *room = tcc_expr_sub(pool, tcc_expr_add(pool, size, constant(in, pads - 1)), reach);
  /* rounded up, a part of a window is enough, if it has an element of the image */
  const TccExpr *part = ceil_mode ? tcc_expr_call(pool, TCC_EXPR_MAX, room, tcc_expr_sub(pool, size, constant(in, 1))) : room;
  if (!dims_at_least(in, room, ceil_mode ? 1 - stride : 0) || !dims_at_least(in, part, 0))
    return rule_fail(in, "C4: the window is larger than the padded size of spatial axis %d", axis);
  int64_t fixed_room, fixed_size;
  if (tcc_expr_is_const(room, &fixed_room) && tcc_expr_is_const(size, &fixed_size)) {
    int64_t count = fixed_room / stride + 1;
    if (ceil_mode && fixed_room > 0 && fixed_room % stride != 0 && count * stride < fixed_size + begin) count++;
    *out = constant(in, count);
    return true;
  }
  if (stride == 1) *out = tcc_expr_add(pool, room, constant(in, 1));
  else if (!ceil_mode)
    *out = tcc_expr_add(pool, tcc_expr_call(pool, TCC_EXPR_FLOORDIV, room, constant(in, stride)), constant(in, 1));
  else { /* min of the rounded-up count and the number of window starts before the end of image and front padding */
    const TccExpr *up = tcc_expr_add(pool, tcc_expr_call(pool, TCC_EXPR_CEILDIV, room, constant(in, stride)), constant(in, 1));
    const TccExpr *starts =
        tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_expr_add(pool, size, constant(in, begin)), constant(in, stride));
    *out = tcc_expr_call(pool, TCC_EXPR_MIN, up, starts);
  }
  return true;
}

/* The sums of bytes by signed ones, as weights are, are of 32 bits, and so is a bias then. */
static bool conv_elems(TccRuleInput *in, const Shape *x, const Shape *w, const Shape *bias, TccElem *out) {
  bool bytes = (x->elem == TCC_ELEM_U8 || x->elem == TCC_ELEM_I8) && w->elem == TCC_ELEM_I8;
  *out = bytes ? TCC_ELEM_I32 : x->elem;
  if (!rule_is_number(x->elem) || (x->elem != w->elem && !bytes) || (bias->present && bias->elem != *out))
    return rule_fail(in, "C1: x, w and bias must have one number type, or x ui8 or i8, w i8 and bias i32");
  return true;
}

/* C1: x and w (and bias) have one number type, or are bytes.  C2: ranks are equal and at least 3.  C5: channels and groups fit. */
static bool conv_operands(TccRuleInput *in, Shape *x, Shape *w, Shape *bias, TccElem *out_elem) {
  *x = rule_operand(in, 0), *w = rule_operand(in, 1), *bias = rule_operand(in, 2);
  if (!conv_elems(in, x, w, bias, out_elem)) return false;
  if (x->rank < 3 || x->rank != w->rank)
    return rule_fail(in, "C2: x and w must have one rank, 3 at least, not %d and %d", x->rank, w->rank);
  if (rule_i64(in, "groups") < 1) return rule_fail(in, "C5: groups must be positive");
  return true;
}

static bool check_bias(TccRuleInput *in, const Shape *bias, const TccExpr *channels) {
  if (!bias->present || (bias->rank == 1 && dims_agree(bias->dims[0], channels))) return true;
  return rule_fail(in, "C5: bias must be a vector of '%s'", dims_text(in, channels));
}

/* Channels of all groups, of which w has those of one on axis 1. NULL: unknown. */
static bool grouped_channels(TccRuleInput *in, const Shape *w, const TccExpr **out) {
  int64_t groups = rule_i64(in, "groups");
  *out = NULL;
  return !w->dims[1] || dims_scaled(in, w->dims[1], groups, out) ||
         rule_fail(in, "C5: %lld groups of '%s' channels are too many", (long long)groups, dims_text(in, w->dims[1]));
}

/* C1-C5 as above.  C4: the window fits. */
bool rule_conv(TccRuleInput *in, MlirType *out) {
  Shape x, w, bias;
  TccElem elem;
  Window window;
  if (!conv_operands(in, &x, &w, &bias, &elem) || !read_window(in, x.rank, &window)) return false;
  int64_t groups = rule_i64(in, "groups");
  const TccExpr *channels;
  if (!grouped_channels(in, &w, &channels)) return false;
  if (!dims_agree(channels, x.dims[1]))
    return rule_fail(in, "C5: x has '%s' channels, w and groups ask for '%s'", dims_text(in, x.dims[1]), dims_text(in, channels));
  if (!dims_multiple(in, w.dims[0], groups))
    return rule_fail(in, "C5: %lld groups do not divide '%s' channels", (long long)groups, dims_text(in, w.dims[0]));
  if (!check_bias(in, &bias, w.dims[0])) return false;
  Shape r = {true, elem, x.rank, {x.dims[0], w.dims[0]}};
  for (int i = 0; i < window.spatial; i++)
    if (!windows(in, &window, i, x.dims[i + 2], w.dims[i + 2], false, &r.dims[i + 2])) return false;
  return rule_result(in, &r, out);
}

static bool window_kernel(TccRuleInput *in, int spatial, const int64_t **out) {
  size_t n;
  *out = rule_ints(in, "kernel", &n);
  if (n != (size_t)spatial) return rule_fail(in, "C3: kernel must have %d entries", spatial);
  return positive(in, "kernel", *out, spatial);
}

/* C1: x and g have one number type.  C2: ranks are equal and at least 3.  C3: the window.  C4: the window fits.  C5: images,
 * channels and groups fit.  C6: g has the size of the convolution's result. */
bool rule_conv_filter_grad(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), g = rule_operand(in, 1);
  Window window;
  const int64_t *kernel, groups = rule_i64(in, "groups");
  if (!rule_is_number(x.elem) || x.elem != g.elem) return rule_fail(in, "C1: x and g must have one number type");
  if (x.rank < 3 || x.rank != g.rank)
    return rule_fail(in, "C2: x and g must have one rank, 3 at least, not %d and %d", x.rank, g.rank);
  if (!read_window(in, x.rank, &window) || !window_kernel(in, window.spatial, &kernel)) return false;
  if (groups < 1 || !dims_multiple(in, x.dims[1], groups) || !dims_multiple(in, g.dims[1], groups))
    return rule_fail(in, "C5: %lld groups do not divide '%s' and '%s' channels", (long long)groups, dims_text(in, x.dims[1]),
                     dims_text(in, g.dims[1]));
  if (!dims_agree(x.dims[0], g.dims[0]))
    return rule_fail(in, "C5: x has '%s' images, g '%s'", dims_text(in, x.dims[0]), dims_text(in, g.dims[0]));
  const TccExpr *channels = x.dims[1] ? tcc_expr_divide_exactly(in->ir->exprs, x.dims[1], constant(in, groups)) : NULL;
  Shape r = {true, x.elem, x.rank, {g.dims[1], channels}};
  for (int i = 0; i < window.spatial; i++) {
    const TccExpr *size;
    if (!windows(in, &window, i, x.dims[i + 2], constant(in, kernel[i]), false, &size)) return false;
    if (!dims_agree(size, g.dims[i + 2]))
      return rule_fail(in, "C6: spatial axis %d of g has size '%s', the windows are '%s'", i, dims_text(in, g.dims[i + 2]),
                       dims_text(in, size));
    r.dims[i + 2] = constant(in, kernel[i]);
  }
  return rule_result(in, &r, out);
}

/* C2: x has rank 3 at least.  C3: kernel, strides and dilations have a positive entry a spatial axis.  C4: the window fits. */
bool rule_unfold(TccRuleInput *in, MlirType *out) {
  static const int64_t no_pads[2 * MOST_SPATIAL];
  Shape x = rule_operand(in, 0);
  Window window = {.spatial = x.rank - 2, .pads = no_pads};
  const int64_t *kernel;
  size_t nstrides, ndilations;
  if (x.rank < 3) return rule_fail(in, "C2: operand 'x' must have rank 3 at least");
  window.strides = rule_ints(in, "strides", &nstrides), window.dilations = rule_ints(in, "dilations", &ndilations);
  if (nstrides != (size_t)window.spatial || ndilations != nstrides)
    return rule_fail(in, "C3: strides and dilations must have %d entries", window.spatial);
  if (!positive(in, "strides", window.strides, window.spatial) || !positive(in, "dilations", window.dilations, window.spatial) ||
      !window_kernel(in, window.spatial, &kernel))
    return false;
  Shape r = {true, x.elem, x.rank + window.spatial, {x.dims[0], x.dims[1]}};
  if (r.rank > TCC_MAX_RANK) return rule_fail(in, "C2: rank %d of the result is above %d", r.rank, TCC_MAX_RANK);
  for (int i = 0; i < window.spatial; i++) {
    r.dims[i + 2] = constant(in, kernel[i]);
    if (!windows(in, &window, i, x.dims[i + 2], r.dims[i + 2], false, &r.dims[i + 2 + window.spatial])) return false;
  }
  return rule_result(in, &r, out);
}

/* As conv_elems, or bytes that x holds in 16 bits. Of bf16 the bias is f32, as the sums are, and so are weights of one channel a group. */
static bool conv_blocked_elems(TccRuleInput *in, const Shape *x, const Shape *w, const Shape *bias, TccElem *out) {
  enum { ONE_CHANNEL_RANK = 4 };
  if (x->elem == TCC_ELEM_I16 && w->elem == TCC_ELEM_I8) {
    *out = TCC_ELEM_I32;
    if (w->rank == ONE_CHANNEL_RANK || (bias->present && bias->elem != TCC_ELEM_I32))
      return rule_fail(in, "C1: x of i16 meets w of i8 of several channels a group, and a bias of i32");
    return true;
  }
  if (x->elem != TCC_ELEM_BF16) return conv_elems(in, x, w, bias, out);
  *out = TCC_ELEM_BF16;
  if (w->elem != (w->rank == ONE_CHANNEL_RANK ? TCC_ELEM_F32 : TCC_ELEM_BF16) || (bias->present && bias->elem != TCC_ELEM_F32))
    return rule_fail(in, "C1: x of bf16 meets w of bf16, f32 for one channel a group, and a bias of f32");
  return true;
}

/* Weights whose channels stand in words of 32 bits, as those of as many channels that do not. joined: blocks of x that follow each other in one of w. */
static bool words_as_lanes(TccRuleInput *in, const Shape *x, Shape *w, int64_t *joined) {
  enum { PLAIN_CHANNELS = 4 /* of a plain x */ };
  bool plain = x->rank == 4;
  int64_t lanes = rule_i64(in, "lanes"), channels = rule_i64(in, "channels"), groups = rule_i64(in, "groups"),
          word = w->elem == TCC_ELEM_BF16 || x->elem == TCC_ELEM_I16 ? 2 : 4, words = 0;
  bool fits = rule_i64(in, "winograd") == 1 && rule_i64(in, "phases_h") * rule_i64(in, "phases_w") == 1 &&
              (w->elem == TCC_ELEM_BF16 || w->elem != x->elem) && lanes % word == 0 && dims_is(w->dims[6], word) && w->dims[4] &&
              tcc_expr_is_const(w->dims[4], &words) && words >= 1;
  int64_t block = lanes / word;
  if (x->elem == TCC_ELEM_I16) fits = fits && !plain && words == block;
  if (plain) fits = fits && words == (channels + word - 1) / word && channels <= PLAIN_CHANNELS && groups == 1;
  else fits = fits && words % block == 0 && (words == block || groups == 1);
  if (!fits)
    return rule_fail(
        in,
        "C5: w has channels in words of four bytes or two bf16, in blocks, several of which are joined in one group alone, or of a plain x of up to four channels; x of i16 is in blocks and meets words of two bytes");
  *joined = plain ? channels : words / block;
  w->dims[4] = constant(in, plain ? 1 : lanes);
  return true;
}

/* C1: one float type, or bytes; of bf16 a bias of f32.  C2: x is plain or blocked.  C3: the window.  C5: channels, panels and bias fit. */
bool rule_conv_blocked(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), w = rule_operand(in, 1), bias = rule_operand(in, 2);
  int64_t lanes = rule_i64(in, "lanes"), channels = rule_i64(in, "channels"), made = rule_i64(in, "out_channels"),
          groups = rule_i64(in, "groups");
  int64_t phases[] = {rule_i64(in, "phases_h"), rule_i64(in, "phases_w")},
          shift[] = {rule_i64(in, "shift_h"), rule_i64(in, "shift_w")};
  TccElem elem;
  if (!conv_blocked_elems(in, &x, &w, &bias, &elem)) return false;
  if ((x.rank != 4 && x.rank != 5) || (w.rank != 6 && w.rank != 4 && w.rank != 7))
    return rule_fail(in, "C2: x must have rank 4 or 5, w rank 6, 4 or 7");
  const int64_t counts[] = {lanes, channels, made, groups};
  for (int i = 0; i < 4; i++)
    if (counts[i] < 1 || counts[i] > INT32_MAX) return rule_fail(in, "C2: lanes, channels and groups must be positive");
  if (phases[0] < 1 || phases[1] < 1 || phases[0] > INT16_MAX || phases[1] > INT16_MAX)
    return rule_fail(in, "C2: phases must be positive");
  for (int i = 0; i < 2; i++)
    if (shift[i] < 0 || shift[i] >= phases[i] || (shift[i] && x.rank != 5))
      return rule_fail(in, "C2: shifts must be less than the phases, of blocked x alone");
  Window window;
  if (!read_window(in, 4, &window)) return false;
  bool depthwise = w.rank == 4, plain = x.rank == 4;
  int64_t m = rule_i64(in, "winograd"), joined = 1; /* blocks of x that follow each other in one of w */
  if (w.rank == 7) {
    if (!words_as_lanes(in, &x, &w, &joined)) return false;
  } else if (!depthwise && (elem != x.elem || elem == TCC_ELEM_BF16)) {
    return rule_fail(in, "C2: weights of bytes and of bf16 have rank 7 but for one channel a group");
  }
  if (m > 1) {
    const int64_t *steps[] = {window.strides, window.dilations};
    for (int i = 0; i < 4; i++)
      if (steps[i / 2][i % 2] != 1) return rule_fail(in, "C6: winograd takes strides and dilations of 1");
    if ((m != 2 && m != 4) || depthwise || plain || groups != 1 || phases[0] * phases[1] != 1 || channels % lanes)
      return rule_fail(in, "C6: winograd is 1, 2 or 4, with one group and phase and whole blocks of channels");
    if (!dims_is(w.dims[1], m + 2) || !dims_is(w.dims[2], m + 2))
      return rule_fail(in, "C5: w does not fit winograd = %lld", (long long)m);
    w.dims[1] = w.dims[3], w.dims[2] = w.dims[3] = constant(in, 3); /* as the weights that it was made of */
  } else if (m != 1) {
    return rule_fail(in, "C6: winograd is 1, 2 or 4");
  }
  int64_t blocks = (channels + lanes - 1) / lanes, result = (made + lanes - 1) / lanes, columns, panels;
  if (plain ? !dims_is(x.dims[1], channels) : !dims_is(x.dims[1], blocks) || !dims_is(x.dims[4], lanes))
    return rule_fail(in, "C5: x must have %lld channels", (long long)channels);
  if (bias.present && (bias.rank != 1 || !dims_is(bias.dims[0], result * lanes)))
    return rule_fail(in, "C5: bias must have %lld values", (long long)(result * lanes));
  bool fits;
  if (depthwise) {
    fits = !plain && phases[0] * phases[1] == 1 && made == channels && groups == channels && dims_is(w.dims[0], blocks) &&
           dims_is(w.dims[3], lanes);
  } else {
    int64_t depth = ((plain ? channels : blocks) + joined - 1) / joined;
    fits = depth % groups == 0 && (groups == 1 || (!plain && channels % lanes == 0)) && dims_is(w.dims[1], depth / groups) &&
           dims_is(w.dims[4], plain ? 1 : lanes) && w.dims[0] && tcc_expr_is_const(w.dims[0], &panels) && w.dims[5] &&
           tcc_expr_is_const(w.dims[5], &columns) && columns % lanes == 0 && panels % groups == 0 &&
           panels % (phases[0] * phases[1]) == 0 && (groups == 1 || phases[0] * phases[1] == 1);
    panels = fits ? panels / (phases[0] * phases[1]) : 0;
    fits = fits && panels * columns >= result * lanes && (panels - 1) * columns < result * lanes;
  }
  if (!fits) return rule_fail(in, "C5: w does not fit the channels");
  Shape r = {true, elem, 5, {x.dims[0], constant(in, result)}};
  for (int i = 0; i < 2; i++)
    if (!windows(in, &window, i, x.dims[i + 2], w.dims[i + (depthwise ? 1 : 2)], false, &r.dims[i + 2])) return false;
    else if (r.dims[i + 2] && !dims_scaled(in, r.dims[i + 2], phases[i], &r.dims[i + 2]))
      return rule_fail(in, "C4: the image of spatial axis %d is too large", i);
  r.dims[4] = constant(in, lanes);
  return rule_result(in, &r, out);
}

/* C1-C5 as above.  C6: output_padding has an entry a spatial axis and is smaller than stride or dilation. */
bool rule_conv_transpose(TccRuleInput *in, MlirType *out) {
  Shape x, w, bias;
  TccElem elem;
  Window window;
  if (!conv_operands(in, &x, &w, &bias, &elem) || !read_window(in, x.rank, &window)) return false;
  if (elem != x.elem) return rule_fail(in, "C1: x, w and bias must have one number type");
  TccExprPool *pool = in->ir->exprs;
  int64_t groups = rule_i64(in, "groups");
  if (!dims_agree(w.dims[0], x.dims[1]))
    return rule_fail(in, "C5: x has '%s' channels, w '%s'", dims_text(in, x.dims[1]), dims_text(in, w.dims[0]));
  if (!dims_multiple(in, x.dims[1], groups))
    return rule_fail(in, "C5: %lld groups do not divide '%s' channels", (long long)groups, dims_text(in, x.dims[1]));
  const TccExpr *channels;
  if (!grouped_channels(in, &w, &channels) || !check_bias(in, &bias, channels)) return false;
  size_t count;
  const int64_t *extra = rule_ints(in, "output_padding", &count);
  if (count != (size_t)window.spatial) return rule_fail(in, "C6: output_padding must have %d entries", window.spatial);
  Shape r = {true, x.elem, x.rank, {x.dims[0], channels}};
  for (int i = 0; i < window.spatial; i++) {
    if (extra[i] < 0 || extra[i] > INT32_MAX) return rule_fail(in, "C6: output_padding must not be negative");
    const TccExpr *size = x.dims[i + 2], *kernel = w.dims[i + 2];
    if (!size || !kernel) continue;
    const TccExpr *one = constant(in, 1), *spread, *reach;
    if (!dims_scaled(in, tcc_expr_sub(pool, size, one), window.strides[i], &spread) ||
        !dims_scaled(in, tcc_expr_sub(pool, kernel, one), window.dilations[i], &reach))
      return rule_fail(in, "C4: the image or the dilated window of spatial axis %d is too large", i);
    int64_t offset = 1 + extra[i] - window.pads[i] - window.pads[i + window.spatial];
    r.dims[i + 2] = tcc_expr_add(pool, tcc_expr_add(pool, spread, reach), constant(in, offset));
  }
  return rule_result(in, &r, out);
}

/* C1: number elements.  C2: rank.  C3: attributes have an entry a spatial axis.  C4: the window fits. */
static bool pooled(TccRuleInput *in, Shape *r) {
  Shape x = rule_operand(in, 0);
  Window window;
  const int64_t *kernel;
  *r = x;
  if (!rule_is_number(x.elem)) return rule_fail(in, "C1: operand 'x' must have number elements");
  if (x.rank < 3) return rule_fail(in, "C2: operand 'x' must have rank 3 at least");
  if (!read_window(in, x.rank, &window)) return false;
  if (!window_kernel(in, window.spatial, &kernel)) return false;
  for (int i = 0; i < window.spatial; i++)
    if (!windows(in, &window, i, x.dims[i + 2], constant(in, kernel[i]), rule_bool(in, "ceil_mode"), &r->dims[i + 2])) return false;
  return true;
}

static bool pool(TccRuleInput *in, TccElem elem, MlirType *out) {
  Shape r;
  if (!pooled(in, &r)) return false;
  if (elem) r.elem = elem;
  return rule_result(in, &r, out);
}

/* C1-C4 as of pool, x of a float type.  C5: g has x's type and the size of the pool's result.  C6: max: each window has an
 * element of the image. */
bool rule_pool_grad(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), g = rule_operand(in, 1), r;
  size_t n;
  if (!pooled(in, &r)) return false;
  if (!tcc_elem_is_float(x.elem)) return rule_fail(in, "C1: operand 'x' must have float elements");
  if (g.elem != x.elem || g.rank != x.rank) return rule_fail(in, "C5: g must have x's element type and rank");
  for (int i = 0; i < x.rank; i++)
    if (!dims_agree(g.dims[i], r.dims[i]))
      return rule_fail(in, "C5: axis %d of g has size '%s', the windows are '%s'", i, dims_text(in, g.dims[i]),
                       dims_text(in, r.dims[i]));
  const int64_t *pads = rule_ints(in, "pads", &n), *kernel = rule_ints(in, "kernel", &n),
                *dilations = rule_ints(in, "dilations", &n);
  for (size_t i = 0; i < 2 * n; i++)
    if (tcc_str_is(rule_str(in, "kind"), "max") && pads[i] > (kernel[i % n] - 1) * dilations[i % n])
      return rule_fail(in, "C6: a window of spatial axis %zu lies in the padding alone", i % n);
  return rule_result(in, &x, out);
}

bool rule_pool(TccRuleInput *in, MlirType *out) { return pool(in, TCC_ELEM_NONE, out); }
bool rule_pool_index(TccRuleInput *in, MlirType *out) { return pool(in, TCC_ELEM_I64, out); }

/* Floats that can be read here and now; their number. */
static bool float_elements(MlirAttribute attr, int64_t *out_count) {
  MlirType elem = mlirShapedTypeGetElementType(mlirAttributeGetType(attr));
  *out_count = mlirElementsAttrGetNumElements(attr);
  return mlirAttributeIsADenseElements(attr) && (mlirTypeIsAF32(elem) || mlirTypeIsAF64(elem));
}

/* C1: number elements, kept by the result.  C2: the result has x's rank.  C3: scales has an entry an axis or none, roi
 * two or none, of f32 or f64.  C4: no result is made of an axis without elements. */
bool rule_resize(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = rule_declared(in);
  if (!rule_is_number(x.elem) || r.elem != x.elem) return rule_fail(in, "C1: x and the result must have one number type");
  if (r.rank != x.rank) return rule_fail(in, "C2: the result must have x's rank, %d", x.rank);
  int64_t scales, roi;
  if (!float_elements(rule_attr(in, "scales"), &scales) || !float_elements(rule_attr(in, "roi"), &roi))
    return rule_fail(in, "C3: scales and roi must be dense elements of type f32 or f64");
  if ((scales && scales != x.rank) || (roi && roi != 2 * x.rank))
    return rule_fail(in, "C3: scales must have %d entries or none, roi %d or none", x.rank, 2 * x.rank);
  for (int i = 0; i < x.rank; i++)
    if (!dims_indexable(in, x.dims[i], &r.dims[i], 1))
      return rule_fail(in, "C4: axis %d of x has no element, the result %s", i, dims_text(in, r.dims[i]));
  return rule_result(in, &r, out);
}
