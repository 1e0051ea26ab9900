/* sample.c - reading an image at given coordinates: GridSample, grid_sampler, DeformConv.
 *
 * Interpolation is separable: each tap (2 an axis for linear, 4 for cubic, 1 for nearest) is a gather of the flat image at
 * a clamped position, times the product of its weights (Keys 1981 for cubic); what lies outside has weight 0, or is clamped or
 * mirrored, as the padding says. */
#include "lib/frontend/import/sample.h"
#include "tcc/op_kinds.h"

enum { MOST_TAPS = 4 };
typedef struct {
  MlirValue index, weight;
} Tap; /* [N, points]: i64 position, and its weight */

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
static bool axis_taps(ImportCall *c, MlirValue x, MlirValue size, bool is_single, const ImportSampling *s, Tap *out) {
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
    out[i].index = tcc_build_convert(&c->b, clamped(c, at, 0, last), TCC_ELEM_I64);
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

MlirValue import_sample(ImportCall *c, MlirValue x, const MlirValue *at, const ImportSampling *s) {
  const MlirValue nothing = {NULL};
  ImportShape image = import_shape(c, x);
  int axes = image.rank - 2, count = tap_count(s), combinations = 1;
  if (!x.ptr) return nothing;
  Tap taps[IMPORT_MOST_SAMPLED][MOST_TAPS];
  for (int d = 0; d < axes; d++) {
    if (!at[d].ptr) return nothing;
    MlirValue size = tcc_build_convert(&c->b, tcc_build_size(&c->b, image.dims[d + 2]), tcc_value_elem(at[d]));
    if (!axis_taps(c, at[d], size, import_is_size(image.dims[d + 2], 1), s, taps[d])) return nothing;
    combinations *= count;
  }
  const TccExpr *points = import_shape(c, at[0]).dims[1], *rows[] = {image.dims[0], import_size(c, 1), points};
  const TccExpr *pixels[] = {image.dims[0], image.dims[1], import_product(c, image.dims + 2, axes)},
                *wide[] = {image.dims[0], image.dims[1], points};
  MlirValue source = tcc_build_reshape(&c->b, x, 3, pixels), sum = {NULL};
  for (int k = 0; k < combinations; k++) {
    MlirValue index = {NULL}, weight = {NULL};
    for (int d = 0, rest = k; d < axes; d++, rest /= count) {
      const Tap *tap = &taps[d][rest % count];
      index = d ? tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_MUL, index, tcc_build_size(&c->b, image.dims[d + 2])),
                             tap->index)
                : tap->index;
      weight = d ? tcc_build2(&c->b, TCC_OP_MUL, weight, tap->weight) : tap->weight;
    }
    MlirValue operands[] = {source, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, index, 3, rows), 3, wide)};
    TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 2)};
    if (!operands[0].ptr || !operands[1].ptr) return nothing;
    ImportShape shape = import_shape(c, weight);
    weight = tcc_build_convert(&c->b, shape.rank ? tcc_build_reshape(&c->b, weight, 3, rows) : weight, image.elem);
    MlirValue part = tcc_build2(&c->b, TCC_OP_MUL, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1), weight);
    sum = k ? tcc_build2(&c->b, TCC_OP_ADD, sum, part) : part;
  }
  return sum;
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
