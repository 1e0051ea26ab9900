/* ops_sample_backward.c - gradients of grid_sampler in the image and in the grid.
 *
 * Along each axis a point has taps: positions, their weights, and these weights' derivatives by the coordinate. The image gets each gradient
 * times the product of weights at the taps' places; the grid the sum over channels of gradient times value times that product, with the
 * derivative in place of one axis's weight. */
#include "lib/frontend/import/sample.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

enum { MOST_TAPS = 4 };
typedef struct {
  MlirValue index, weight, slope; /* [N, points]: i64; slope: of the weight, by the normalised coordinate */
} Tap;

/* One axis: coordinates in pixels, what they change by with the normalised one, the axis's size; all in the grid's type. */
typedef struct {
  MlirValue at, scale, size;
} Axis;

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue last_of(ImportCall *c, const Axis *a) { return torch_plus(c, a->size, -1); }

static MlirValue clamped(ImportCall *c, MlirValue x, MlirValue high) {
  return tcc_build2(&c->b, TCC_OP_MIN, tcc_build2_number(&c->b, TCC_OP_MAX, x, 0), high);
}

/* x mirrored into the image; *slope: 1 or -1, 0 in an image of one pixel. */
static MlirValue mirrored(ImportCall *c, const ImportSampling *s, const Axis *a, MlirValue x, MlirValue *slope) {
  const double low = s->align_corners ? 0 : -0.5;
  MlirValue span = s->align_corners ? last_of(c, a) : a->size, none = torch_is(c, "eq", span, 0);
  MlirValue from = torch_plus(c, x, -low), size = one_op(c, TCC_OP_ABS, from);
  MlirValue turns = one_op(c, TCC_OP_FLOOR, torch_div(c, size, span)), rest = tcc_build2(&c->b, TCC_OP_FMOD, size, span);
  MlirValue odd = torch_is(c, "ne", tcc_build2_number(&c->b, TCC_OP_MOD, turns, 2), 0), back = torch_is(c, "lt", from, 0);
  MlirValue one = torch_constant(c, tcc_value_elem(x), 1), minus = torch_constant(c, tcc_value_elem(x), -1);
  *slope = torch_if(c, tcc_build2(&c->b, TCC_OP_XOR, odd, back), minus, one);
  *slope = torch_if_number(c, one_op(c, TCC_OP_NOT, none), *slope, 0);
  MlirValue y = torch_plus(c, torch_if(c, odd, torch_sub(c, span, rest), rest), low);
  return torch_if_number(c, one_op(c, TCC_OP_NOT, none), y, 0);
}

/* The coordinate as the padding has it. At the border and beyond it does not move. */
static void pad_axis(ImportCall *c, const ImportSampling *s, Axis *a) {
  MlirValue slope;
  if (s->padding == IMPORT_PAD_ZEROS) return;
  if (s->padding == IMPORT_PAD_REFLECTION) {
    a->at = mirrored(c, s, a, a->at, &slope);
    a->scale = torch_mul(c, a->scale, slope);
  }
  MlirValue inside = torch_both(c, torch_is(c, "gt", a->at, 0), tcc_build_compare(&c->b, "lt", a->at, last_of(c, a)));
  a->scale = torch_if_number(c, inside, a->scale, 0);
  a->at = clamped(c, a->at, last_of(c, a));
}

/* Keys's weights at distance x, by their polynomials' coefficients from x^3 down, and their derivatives (sign: of the distance's own). */
static void cubic_tap(ImportCall *c, MlirValue x, bool far, double sign, Tap *out) {
  const double a = -0.75, near_terms[] = {1, 0, -(a + 3), a + 2}, far_terms[] = {-4 * a, 8 * a, -5 * a, a};
  const double *terms = far ? far_terms : near_terms;
  const double slopes[] = {sign * terms[1], sign * 2 * terms[2], sign * 3 * terms[3]};
  MlirValue square = torch_mul(c, x, x);
  out->weight = torch_add(c, torch_mul(c, square, torch_plus(c, torch_times(c, x, terms[3]), terms[2])),
                          torch_plus(c, torch_times(c, x, terms[1]), terms[0]));
  out->slope = torch_add(c, torch_times(c, square, slopes[2]), torch_plus(c, torch_times(c, x, slopes[1]), slopes[0]));
}

/* Their number. */
static int axis_taps(ImportCall *c, const ImportSampling *s, Axis a, Tap *out) {
  const TccElem elem = tcc_value_elem(a.at);
  const bool cubic = s->mode == IMPORT_SAMPLE_CUBIC, nearest = s->mode == IMPORT_SAMPLE_NEAREST;
  const int count = cubic ? 4 : nearest ? 1 : 2, first = cubic ? -1 : 0;
  if (!cubic) pad_axis(c, s, &a);
  MlirValue base = one_op(c, nearest ? TCC_OP_ROUND : TCC_OP_FLOOR, a.at), t = torch_sub(c, a.at, base);
  for (int i = 0; i < count; i++) {
    MlirValue place = torch_plus(c, base, first + i), unused;
    if (nearest) out[i].weight = torch_constant(c, elem, 1), out[i].slope = torch_constant(c, elem, 0);
    else if (!cubic) out[i].weight = i ? t : torch_from(c, 1, t), out[i].slope = torch_constant(c, elem, i ? 1 : -1);
    else cubic_tap(c, i < 2 ? torch_plus(c, t, 1 - i) : torch_from(c, i - 1, t), i == 0 || i == 3, i < 2 ? 1 : -1, &out[i]);
    out[i].slope = torch_mul(c, out[i].slope, a.scale);
    if (cubic && s->padding == IMPORT_PAD_REFLECTION)
      place = one_op(c, TCC_OP_TRUNC, clamped(c, mirrored(c, s, &a, place, &unused), last_of(c, &a)));
    if (!cubic || s->padding == IMPORT_PAD_ZEROS) {
      MlirValue inside = torch_both(c, torch_is(c, "ge", place, 0), tcc_build_compare(&c->b, "le", place, last_of(c, &a)));
      out[i].weight = torch_if_number(c, inside, out[i].weight, 0), out[i].slope = torch_if_number(c, inside, out[i].slope, 0);
    }
    out[i].index = torch_convert(c, clamped(c, place, last_of(c, &a)), TCC_ELEM_I64);
  }
  return count;
}

/* The axis d of the image, of the grid's numbers, which are x, y, z. */
static Axis read_axis(ImportCall *c, MlirValue grid, const TccExpr *size, int d, const ImportSampling *s) {
  ImportShape shape = import_shape(c, grid);
  const int axes = shape.rank - 2;
  const TccExpr *flat[] = {shape.dims[0], import_product(c, shape.dims + 1, axes)};
  MlirValue g = tcc_build_slice_axis(&c->b, grid, axes + 1, import_size(c, axes - 1 - d), 1, import_size(c, 1));
  MlirValue shifted = torch_plus(c, tcc_build_reshape(&c->b, g, 2, flat), 1);
  Axis a = {.size = torch_convert(c, tcc_build_size(&c->b, size), shape.elem)};
  a.scale = torch_times(c, s->align_corners ? last_of(c, &a) : a.size, 0.5);
  a.at = torch_mul(c, shifted, a.scale);
  if (!s->align_corners) a.at = torch_plus(c, a.at, -0.5);
  return a;
}

/* One product of taps. */
typedef struct {
  MlirValue index, weight, slope[IMPORT_MOST_SAMPLED]; /* [N, points] */
} Place;

static Place place_of(ImportCall *c, Tap taps[][MOST_TAPS], int axes, int count, int number, const TccExpr *const *sizes) {
  Place p = {{NULL}};
  for (int d = 0, rest = number; d < axes; d++, rest /= count) {
    const Tap *tap = &taps[d][rest % count];
    p.index = d ? torch_add(c, torch_mul(c, p.index, tcc_build_size(&c->b, sizes[d])), tap->index) : tap->index;
    for (int k = 0; k < d; k++) p.slope[k] = torch_mul(c, p.slope[k], tap->weight);
    p.slope[d] = d ? torch_mul(c, p.weight, tap->slope) : tap->slope;
    p.weight = d ? torch_mul(c, p.weight, tap->weight) : tap->weight;
  }
  return p;
}

/* [N, points] beside channels, as wide as `to`. */
static MlirValue beside(ImportCall *c, MlirValue x, const ImportShape *to) {
  return tcc_build_broadcast(&c->b, import_unsqueeze(c, x, 1), to->rank, to->dims);
}

static bool read_sampling(ImportCall *c, ImportSampling *s) {
  int64_t mode = torch_int(c, "interpolation_mode"), padding = torch_int(c, "padding_mode");
  *s = (ImportSampling){.align_corners = torch_bool(c, "align_corners")};
  if (c->reason) return false;
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2) return import_invalid(c, "no such mode or padding");
  s->mode = mode == 1 ? IMPORT_SAMPLE_NEAREST : mode == 2 ? IMPORT_SAMPLE_CUBIC : IMPORT_SAMPLE_LINEAR;
  s->padding = padding == 1 ? IMPORT_PAD_BORDER : padding == 2 ? IMPORT_PAD_REFLECTION : IMPORT_PAD_ZEROS;
  return true;
}

bool torch_op_grid_sampler_backward(ImportCall *c) {
  const TccElem elem = import_shape(c, torch_tensor(c, "input")).elem, wide = torch_wide(elem);
  MlirValue x = torch_tensor_as(c, "input", wide), grid = torch_tensor_as(c, "grid", wide),
            grad = torch_tensor_as(c, "grad_output", wide);
  ImportShape xs = import_shape(c, x), gs = import_shape(c, grid);
  const int axes = xs.rank - 2;
  const int64_t channels = 1;
  const bool *mask;
  size_t nmask;
  ImportSampling s;
  if (!elem || !x.ptr || !grid.ptr || !grad.ptr || !read_sampling(c, &s) || !torch_bools(c, "output_mask", &mask, &nmask))
    return false;
  if (axes < 2 || axes > IMPORT_MOST_SAMPLED || gs.rank != xs.rank || nmask != 2 || !import_is_size(gs.dims[gs.rank - 1], axes))
    return import_invalid(c, "input and grid do not fit");
  Tap taps[IMPORT_MOST_SAMPLED][MOST_TAPS];
  int count = 1, places = 1;
  for (int d = 0; d < axes; d++) {
    count = axis_taps(c, &s, read_axis(c, grid, xs.dims[d + 2], d, &s), taps[d]);
    places *= count;
  }
  const TccExpr *points = import_product(c, gs.dims + 1, axes);
  ImportShape image = {.elem = wide, .rank = 3, .dims = {xs.dims[0], xs.dims[1], import_product(c, xs.dims + 2, axes)}},
              wanted = image;
  wanted.dims[2] = points;
  MlirValue flat = tcc_build_reshape(&c->b, x, 3, image.dims), g = tcc_build_reshape(&c->b, grad, 3, wanted.dims);
  MlirValue dx = torch_filled(c, torch_constant(c, wide, 0), 3, image.dims), dgrid[IMPORT_MOST_SAMPLED];
  for (int k = 0; k < places; k++) {
    Place p = place_of(c, taps, axes, count, k, xs.dims + 2);
    MlirValue index = beside(c, p.index, &wanted);
    TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 2)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
    MlirValue read[] = {flat, index},
              write[] = {
                  dx, index,
                  torch_mul(c, g,
                            beside(c, tcc_build_broadcast(&c->b, p.weight, 2, (const TccExpr *[]){xs.dims[0], points}), &wanted))};
    if (!index.ptr || !flat.ptr || !write[2].ptr) return false;
    if (mask[0]) dx = import_op(c, TCC_OP_SCATTER_ELEMENTS, write, 3, attrs, 2);
    MlirValue value = torch_mul(c, g, import_op(c, TCC_OP_GATHER_ELEMENTS, read, 2, attrs, 1));
    value = torch_sum(c, value, &channels, 1, false);
    for (int d = 0; d < axes; d++) {
      MlirValue part = torch_mul(c, value, p.slope[d]);
      dgrid[d] = k ? torch_add(c, dgrid[d], part) : part;
    }
  }
  if (mask[0] && !torch_output(c, 0, torch_convert(c, tcc_build_reshape(&c->b, dx, xs.rank, xs.dims), elem))) return false;
  if (!mask[1]) return true;
  MlirValue columns[IMPORT_MOST_SAMPLED];
  for (int d = 0; d < axes; d++) columns[axes - 1 - d] = import_unsqueeze(c, dgrid[d], 2);
  MlirValue y = tcc_build_concat(&c->b, columns, (size_t)axes, 2);
  return torch_output(c, 1, torch_convert(c, tcc_build_reshape(&c->b, y, gs.rank, gs.dims), elem));
}
