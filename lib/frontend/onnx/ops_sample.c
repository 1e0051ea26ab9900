/* ops_sample.c - GridSample and AffineGrid: reading an image at given coordinates.
 *
 * Interpolation is separable: each tap (2 an axis for linear, 4 for cubic, 1 for nearest) is a gather of the flat image at
 * a clamped position, times the product of its weights (Keys 1981 for cubic); what lies outside has weight 0, or is clamped or
 * mirrored, as padding_mode says. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

enum { MOST_AXES = 3, MOST_TAPS = 4 };
typedef enum { PAD_ZEROS, PAD_BORDER, PAD_REFLECTION } Padding;
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

/* The taps of one axis of size `size` at positions x. */
static bool axis_taps(ImportCall *c, MlirValue x, MlirValue size, bool is_single, TccStr mode, Padding padding, bool align,
                      Tap *out, int *out_count) {
  bool nearest = tcc_str_is(mode, "nearest"), cubic = tcc_str_is(mode, "cubic") || tcc_str_is(mode, "bicubic");
  MlirValue base = tcc_build1(&c->b, nearest ? TCC_OP_ROUND : TCC_OP_FLOOR, x), last = plus(c, size, -1);
  int first = cubic ? -1 : 0, count = nearest ? 1 : cubic ? 4 : 2;
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
    if (padding == PAD_ZEROS) {
      MlirValue inside =
          tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", at, tcc_build_scalar(&c->b, tcc_value_elem(x), 0)),
                     tcc_build_compare(&c->b, "le", at, last));
      weight = tcc_build_select(&c->b, inside, weight, tcc_build_scalar(&c->b, tcc_value_elem(x), 0));
    } else if (padding == PAD_REFLECTION && !is_single) {
      at = tcc_build1(&c->b, TCC_OP_TRUNC, align ? reflected(c, at, 0, last) : reflected(c, at, -0.5, size));
    }
    out[i].index = tcc_build_convert(&c->b, clamped(c, at, 0, last), TCC_ELEM_I64);
    out[i].weight = weight;
    if (!out[i].index.ptr || !weight.ptr) return false;
  }
  *out_count = count;
  return true;
}

bool onnx_op_grid_sample(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), grid = import_input(c, 1);
  ImportShape image = import_shape(c, x), points = import_shape(c, grid);
  int axes = image.rank - 2;
  TccStr mode = onnx_string(c, "mode", "linear"), pad = onnx_string(c, "padding_mode", "zeros");
  bool align = onnx_int(c, "align_corners", 0) != 0;
  if (axes < 1 || points.rank != image.rank || !import_is_size(points.dims[points.rank - 1], axes))
    return import_invalid(c, "input and grid do not fit");
  if (axes > MOST_AXES) return import_unsupported(c, "%d spatial axes", axes);
  Padding padding = tcc_str_is(pad, "border") ? PAD_BORDER : tcc_str_is(pad, "reflection") ? PAD_REFLECTION : PAD_ZEROS;
  const TccExpr *flat[] = {points.dims[0], import_product(c, points.dims + 1, axes)},
                *rows[] = {flat[0], import_size(c, 1), flat[1]};
  const TccExpr *pixels[] = {image.dims[0], image.dims[1], import_product(c, image.dims + 2, axes)},
                *wide[] = {image.dims[0], image.dims[1], flat[1]};
  TccElem elem = tcc_value_elem(grid);
  Tap taps[MOST_AXES][MOST_TAPS];
  int count = 0;
  for (int d = 0; d < axes; d++) { /* the grid's last axis is x, y, z: the image's axes from the back */
    MlirValue g = tcc_build_reshape(
        &c->b, tcc_build_slice_axis(&c->b, grid, axes + 1, import_size(c, axes - 1 - d), 1, import_size(c, 1)), 2, flat);
    MlirValue size = tcc_build_convert(&c->b, tcc_build_size(&c->b, image.dims[d + 2]), elem), shifted = plus(c, g, 1);
    MlirValue at = align ? tcc_build2(&c->b, TCC_OP_MUL, times(c, shifted, 0.5), plus(c, size, -1))
                         : times(c, plus(c, tcc_build2(&c->b, TCC_OP_MUL, shifted, size), -1), 0.5);
    if (!axis_taps(c, at, size, import_is_size(image.dims[d + 2], 1), mode, padding, align, taps[d], &count)) return false;
  }
  MlirValue source = tcc_build_reshape(&c->b, x, 3, pixels), sum = {NULL};
  int combinations = 1;
  for (int d = 0; d < axes; d++) combinations *= count;
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
    if (!operands[0].ptr || !operands[1].ptr) return false;
    ImportShape shape = import_shape(c, weight);
    weight = tcc_build_convert(&c->b, shape.rank ? tcc_build_reshape(&c->b, weight, 3, rows) : weight, image.elem);
    MlirValue part = tcc_build2(&c->b, TCC_OP_MUL, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1), weight);
    sum = k ? tcc_build2(&c->b, TCC_OP_ADD, sum, part) : part;
  }
  ImportShape to = {.elem = image.elem, .rank = image.rank, .dims = {image.dims[0], image.dims[1]}};
  for (int d = 0; d < axes; d++) to.dims[d + 2] = points.dims[d + 1];
  return import_output(c, 0, tcc_build_reshape(&c->b, sum, to.rank, to.dims));
}

/* Normalised coordinates of the centres (or, aligned, of the corners) of `size` cells in [-1, 1], along axis of rank axes. */
static MlirValue cell_positions(ImportCall *c, TccElem elem, const TccExpr *size, bool align, int axis, int rank) {
  const TccExpr *dims[MOST_AXES];
  MlirValue n = tcc_build_convert(&c->b, tcc_build_size(&c->b, size), elem), i = import_iota(c, elem, size);
  for (int d = 0; d < rank; d++) dims[d] = d == axis ? size : import_size(c, 1);
  MlirValue at = align ? tcc_build2(&c->b, TCC_OP_DIV, times(c, i, 2), plus(c, n, -1))
                       : tcc_build2(&c->b, TCC_OP_DIV, plus(c, times(c, i, 2), 1), n);
  return tcc_build_reshape(&c->b, plus(c, at, -1), rank, dims);
}

/* theta [N, k, k + 1] applied to (x, y, z, 1) of each cell of size [N, C, ...]. */
bool onnx_op_affine_grid(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue theta = import_input(c, 0);
  ImportShape t = import_shape(c, theta);
  size_t n;
  const TccExpr *const *size = import_values(c, 1, &n);
  if (!size) return false;
  if (n < 4 || n > 2 + MOST_AXES || t.rank != 3) return import_invalid(c, "theta and size do not fit");
  int axes = (int)n - 2;
  bool align = onnx_int(c, "align_corners", 0) != 0;
  const TccExpr *cells[MOST_AXES + 2], *flat[] = {import_size(c, axes + 1), import_product(c, size + 2, axes)};
  MlirValue rows[MOST_AXES + 1];
  for (int d = 0; d < axes; d++) cells[d] = size[d + 2];
  for (int d = 0; d <= axes; d++) { /* row d is coordinate x, y, z: the axes from the back; the last is 1 */
    int axis = axes - 1 - d;
    MlirValue at = d < axes ? cell_positions(c, t.elem, cells[axis], align, axis, axes) : tcc_build_scalar(&c->b, t.elem, 1);
    rows[d] = import_unsqueeze(c, tcc_build_broadcast(&c->b, at, axes, cells), 0);
  }
  static const int64_t swap[] = {0, 2, 1};
  MlirValue homogeneous = tcc_build_reshape(&c->b, tcc_build_concat(&c->b, rows, (size_t)axes + 1, 0), 2, flat);
  MlirValue grid = tcc_build_transpose(&c->b, tcc_build2(&c->b, TCC_OP_MATMUL, theta, homogeneous), swap);
  const TccExpr *to[MOST_AXES + 2] = {t.dims[0]};
  for (int d = 0; d < axes; d++) to[d + 1] = cells[d];
  to[axes + 1] = import_size(c, axes);
  return import_output(c, 0, tcc_build_reshape(&c->b, grid, axes + 2, to));
}
