/* sample.c - reading an image at given coordinates: GridSample, grid_sampler, DeformConv.
 *
 * Interpolation is separable: each tap (2 an axis for linear, 4 for cubic, 1 for nearest) is a gather of the flat image at
 * a clamped position, times the product of its weights (Keys 1981 for cubic); what lies outside has weight 0, or is clamped or
 * mirrored, as the padding says. All channels of a pixel are read together where they are many. */
#include "lib/frontend/import/sample.h"
#include "tcc/op_kinds.h"

enum { MOST_TAPS = 4 };
typedef struct {
  MlirValue index, weight;
} Tap; /* [N, points]: a position, and its weight */

static MlirValue plus(ImportCall *c, MlirValue x, double y) { return y == 0 ? x : tcc_build2_number(&c->b, TCC_OP_ADD, x, y); }
static MlirValue times(ImportCall *c, MlirValue x, double y) { return tcc_build2_number(&c->b, TCC_OP_MUL, x, y); }

static MlirValue clamped(ImportCall *c, MlirValue x, double low, MlirValue high) {
  MlirValue operands[] = {x, tcc_build_scalar(&c->b, tcc_value_elem(x), low), high};
  return x.ptr && high.ptr ? import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : (MlirValue){NULL};
}

/* x mirrored into [low, low + span], by a triangle wave. */
static MlirValue reflected(ImportCall *c, MlirValue x, double low, MlirValue span) {
  MlirValue period = times(c, span, 2), phase = tcc_build2(&c->b, TCC_OP_MOD, plus(c, x, -low), period);
  MlirValue back = tcc_build2(&c->b, TCC_OP_SUB, period, phase);
  return plus(c, tcc_build_select(&c->b, tcc_build_compare(&c->b, "le", phase, span), phase, back), low);
}

static int tap_count(const ImportSampling *s) {
  return s->mode == IMPORT_SAMPLE_NEAREST ? 1 : s->mode == IMPORT_SAMPLE_CUBIC ? 4 : 2;
}

/* The taps of one axis of size `size` at positions x. */
static bool axis_taps(ImportCall *c, MlirValue x, MlirValue size, TccElem index, bool is_single, const ImportSampling *s,
                      Tap *out) {
  bool nearest = s->mode == IMPORT_SAMPLE_NEAREST, cubic = s->mode == IMPORT_SAMPLE_CUBIC;
  MlirValue base = tcc_build1(&c->b, nearest ? TCC_OP_ROUND : TCC_OP_FLOOR, x), last = plus(c, size, -1);
  int first = cubic ? -1 : 0, count = tap_count(s);
  MlirValue fraction = tcc_build2(&c->b, TCC_OP_SUB, x, base);
  const double a = -0.75;
  for (int i = 0; i < count; i++) {
    MlirValue at = plus(c, base, first + i), weight;
    if (nearest) {
      weight = tcc_build_scalar(&c->b, tcc_value_elem(x), 1);
    } else {
      MlirValue d = tcc_build1(&c->b, TCC_OP_ABS, plus(c, fraction, -(first + i)));
      MlirValue d2 = tcc_build2(&c->b, TCC_OP_MUL, d, d), d3 = tcc_build2(&c->b, TCC_OP_MUL, d2, d);
      if (!cubic) weight = plus(c, times(c, d, -1), 1);
      else if (i == 1 || i == 2) weight = plus(c, tcc_build2(&c->b, TCC_OP_ADD, times(c, d3, a + 2), times(c, d2, -(a + 3))), 1);
      else
        weight = plus(
            c,
            tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_ADD, times(c, d3, a), times(c, d2, -5 * a)), times(c, d, 8 * a)),
            -4 * a);
    }
    if (s->padding == IMPORT_PAD_ZEROS) {
      MlirValue inside =
          tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", at, tcc_build_scalar(&c->b, tcc_value_elem(x), 0)),
                     tcc_build_compare(&c->b, "le", at, last));
      weight = tcc_build_select(&c->b, inside, weight, tcc_build_scalar(&c->b, tcc_value_elem(x), 0));
    } else if (s->padding == IMPORT_PAD_REFLECTION && !is_single) {
      at = tcc_build1(&c->b, TCC_OP_TRUNC, s->align_corners ? reflected(c, at, 0, last) : reflected(c, at, -0.5, size));
    }
    out[i].index = tcc_build_convert(&c->b, clamped(c, at, 0, last), index);
    out[i].weight = weight;
    if (!out[i].index.ptr || !weight.ptr) return false;
  }
  return true;
}

/* Positions in pixels of coordinate d of the grid, [N, points]. */
static MlirValue positions(ImportCall *c, MlirValue grid, int d, MlirValue size, bool align, const TccExpr *const *flat) {
  int axes = import_shape(c, grid).rank - 2;
  const TccExpr *from = import_size(c, axes - 1 - d), *one = import_size(c, 1);
  MlirValue g = tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, grid, axes + 1, from, 1, one), 2, flat),
            shifted = plus(c, g, 1);
  return align ? tcc_build2(&c->b, TCC_OP_MUL, times(c, shifted, 0.5), plus(c, size, -1))
               : times(c, plus(c, tcc_build2(&c->b, TCC_OP_MUL, shifted, size), -1), 0.5);
}

/* The taps of all axes. */
typedef struct {
  TccElem index; /* of positions */
  int axes, count, combinations;
  Tap tap[IMPORT_MOST_SAMPLED][MOST_TAPS];
} Taps;

static MlirValue size_as(ImportCall *c, const Taps *t, const TccExpr *size) {
  return tcc_build_convert(&c->b, tcc_build_size(&c->b, size), t->index);
}

/* One pixel around each point: its place in the flat image, and its weight. */
static Tap combined(ImportCall *c, const ImportShape *image, const Taps *t, int k) {
  Tap all = {{NULL}, {NULL}};
  for (int d = 0; d < t->axes; d++, k /= t->count) {
    const Tap *tap = &t->tap[d][k % t->count];
    MlirValue row = d ? tcc_build2(&c->b, TCC_OP_MUL, all.index, size_as(c, t, image->dims[d + 2])) : all.index;
    all.index = d ? tcc_build2(&c->b, TCC_OP_ADD, row, tap->index) : tap->index;
    all.weight = d ? tcc_build2(&c->b, TCC_OP_MUL, all.weight, tap->weight) : tap->weight;
  }
  return all;
}

/* Of few channels: elements of each, a sum of as many gathers as there are taps. */
static MlirValue sum_of_elements(ImportCall *c, MlirValue x, const ImportShape *image, const Taps *t, const TccExpr *points) {
  const TccExpr *rows[] = {image->dims[0], import_size(c, 1), points}, *wide[] = {image->dims[0], image->dims[1], points};
  const TccExpr *pixels[] = {image->dims[0], image->dims[1], import_product(c, image->dims + 2, t->axes)};
  MlirValue source = tcc_build_reshape(&c->b, x, 3, pixels), sum = {NULL};
  for (int k = 0; k < t->combinations; k++) {
    const Tap tap = combined(c, image, t, k);
    MlirValue operands[] = {source, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, tap.index, 3, rows), 3, wide)};
    TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 2)};
    if (!operands[0].ptr || !operands[1].ptr) return (MlirValue){NULL};
    MlirValue weight = import_shape(c, tap.weight).rank ? tcc_build_reshape(&c->b, tap.weight, 3, rows) : tap.weight;
    weight = tcc_build_convert(&c->b, weight, image->elem);
    MlirValue part = tcc_build2(&c->b, TCC_OP_MUL, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1), weight);
    sum = k ? tcc_build2(&c->b, TCC_OP_ADD, sum, part) : part;
  }
  return sum;
}

/* What each tap of axis d has, [N, points], as [N, points, taps of each axis], 1 of the other axes; a number for all stays one. */
static MlirValue taps_of_axis(ImportCall *c, const Taps *t, int d, bool weights, const TccExpr *const *points) {
  MlirValue values[MOST_TAPS];
  const TccExpr *dims[2 + IMPORT_MOST_SAMPLED] = {points[0], points[1]};
  for (int i = 0; i < t->axes; i++) dims[2 + i] = import_size(c, i == d ? t->count : 1);
  for (int k = 0; k < t->count; k++) {
    values[k] = weights ? t->tap[d][k].weight : t->tap[d][k].index;
    if (!import_shape(c, values[k]).rank) return values[k];
    values[k] = import_unsqueeze(c, values[k], 2);
    if (!values[k].ptr) return values[k];
  }
  return tcc_build_reshape(&c->b, tcc_build_concat(&c->b, values, (size_t)t->count, 2), 2 + t->axes, dims);
}

/* Of many channels: pixels, whose channels lie side by side, weighted and summed along an axis of taps for each of the image's. */
static MlirValue sum_of_pixels(ImportCall *c, MlirValue x, const ImportShape *image, const Taps *t, const TccExpr *points) {
  static const int64_t of_taps[] = {2, 3, 4}, channels_first[] = {0, 2, 1};
  const TccExpr *all = import_product(c, image->dims + 2, t->axes), *of_points[] = {image->dims[0], points};
  const TccExpr *rows[] = {import_size_mul(c, image->dims[0], all), image->dims[1]}, *images[2 + IMPORT_MOST_SAMPLED];
  int64_t channels_last[2 + IMPORT_MOST_SAMPLED] = {0};
  MlirValue index = {NULL}, weight = {NULL};
  for (int d = 0; d < t->axes; d++) {
    MlirValue at = taps_of_axis(c, t, d, false, of_points), factor = taps_of_axis(c, t, d, true, of_points);
    MlirValue row = d ? tcc_build2(&c->b, TCC_OP_MUL, index, size_as(c, t, image->dims[d + 2])) : index;
    index = d ? tcc_build2(&c->b, TCC_OP_ADD, row, at) : at;
    weight = d ? tcc_build2(&c->b, TCC_OP_MUL, weight, factor) : factor;
    channels_last[d + 1] = d + 2;
    images[1 + d] = images[2 + d] = import_size(c, 1);
  }
  channels_last[t->axes + 1] = 1;
  images[0] = image->dims[0];
  MlirValue pixels = tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, x, channels_last), 2, rows);
  MlirValue first = tcc_build2(&c->b, TCC_OP_MUL, import_iota(c, t->index, image->dims[0]), size_as(c, t, all));
  index = tcc_build2(&c->b, TCC_OP_ADD, index, tcc_build_reshape(&c->b, first, 2 + t->axes, images));
  MlirValue picked = import_gather_valid(c, pixels, index, 0, TCC_VALID_UNSIGNED); /* all are inside */
  if (!picked.ptr || !weight.ptr) return (MlirValue){NULL};
  weight = tcc_build_convert(&c->b, weight, image->elem);
  if (import_shape(c, weight).rank) weight = import_unsqueeze(c, weight, 2 + t->axes);
  MlirValue product = tcc_build2(&c->b, TCC_OP_MUL, picked, weight);
  return tcc_build_transpose(&c->b, tcc_build_reduce(&c->b, "sum", product, of_taps, (size_t)t->axes, false), channels_first);
}

/* From how many channels on pixels are read together: one tap has little to do for a pixel, and of several images each pixel's is found by a division. */
static int64_t fewest_channels(const ImportShape *image, const Taps *t) {
  enum { LINEAR_TAPS = 4 };
  if (t->combinations == 1) return 8;
  return import_is_size(image->dims[0], 1) || t->combinations > LINEAR_TAPS ? 3 : 4;
}

MlirValue import_sample(ImportCall *c, MlirValue x, const MlirValue *at, const ImportSampling *s) {
  const MlirValue nothing = {NULL};
  ImportShape image = import_shape(c, x);
  Taps t = {.axes = image.rank - 2, .count = tap_count(s), .combinations = 1};
  int64_t channels, pixels;
  if (!x.ptr) return nothing;
  /* Vectors of 64 bits are half as long, and without AVX-512 made of floats one by one. */
  const TccExpr *all = import_size_mul(c, image.dims[0], import_product(c, image.dims + 2, t.axes));
  t.index = tcc_expr_is_const(all, &pixels) && pixels <= INT32_MAX ? TCC_ELEM_I32 : TCC_ELEM_I64;
  for (int d = 0; d < t.axes; d++) {
    if (!at[d].ptr) return nothing;
    MlirValue size = tcc_build_convert(&c->b, tcc_build_size(&c->b, image.dims[d + 2]), tcc_value_elem(at[d]));
    if (!axis_taps(c, at[d], size, t.index, import_is_size(image.dims[d + 2], 1), s, t.tap[d])) return nothing;
    t.combinations *= t.count;
  }
  const TccExpr *points = import_shape(c, at[0]).dims[1];
  const bool many =
      tcc_expr_is_const(image.dims[1], &channels) && channels >= fewest_channels(&image, &t) && tcc_elem_is_float(image.elem);
  return many ? sum_of_pixels(c, x, &image, &t, points) : sum_of_elements(c, x, &image, &t, points);
}

MlirValue import_grid_sample(ImportCall *c, MlirValue x, MlirValue grid, const ImportSampling *s) {
  const MlirValue nothing = {NULL};
  ImportShape image = import_shape(c, x), points = import_shape(c, grid);
  int axes = image.rank - 2;
  if (!x.ptr || !grid.ptr) return nothing;
  if (axes < 1 || points.rank != image.rank) {
    import_invalid(c, "input and grid do not fit");
    return nothing;
  }
  if (!import_require_equal(c, points.dims[points.rank - 1], import_size(c, axes), "a point of the grid")) return nothing;
  if (axes > IMPORT_MOST_SAMPLED) {
    import_unsupported(c, "%d spatial axes", axes);
    return nothing;
  }
  const TccExpr *flat[] = {points.dims[0], import_product(c, points.dims + 1, axes)};
  MlirValue at[IMPORT_MOST_SAMPLED];
  for (int d = 0; d < axes; d++) { /* the grid's last axis is x, y, z: the image's axes from the back */
    MlirValue size = tcc_build_convert(&c->b, tcc_build_size(&c->b, image.dims[d + 2]), points.elem);
    at[d] = positions(c, grid, d, size, s->align_corners, flat);
  }
  ImportShape to = {.elem = image.elem, .rank = image.rank, .dims = {image.dims[0], image.dims[1]}};
  for (int d = 0; d < axes; d++) to.dims[d + 2] = points.dims[d + 1];
  return tcc_build_reshape(&c->b, import_sample(c, x, at, s), to.rank, to.dims);
}
