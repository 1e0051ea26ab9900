/* ops_sample.c - operators that read images at computed places: GridSample, AffineGrid, RoiAlign, DeformConv. */
#include "lib/frontend/import/sample.h"
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

static MlirValue plus(ImportCall *c, MlirValue x, double y) { return y == 0 ? x : tcc_build2_number(&c->b, TCC_OP_ADD, x, y); }
static MlirValue times(ImportCall *c, MlirValue x, double y) { return tcc_build2_number(&c->b, TCC_OP_MUL, x, y); }

bool onnx_op_grid_sample(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  TccStr mode = onnx_string(c, "mode", "linear"), pad = onnx_string(c, "padding_mode", "zeros");
  bool cubic = tcc_str_is(mode, "cubic") || tcc_str_is(mode, "bicubic");
  ImportSampling s = {.mode = tcc_str_is(mode, "nearest") ? IMPORT_SAMPLE_NEAREST
                              : cubic                     ? IMPORT_SAMPLE_CUBIC
                                                          : IMPORT_SAMPLE_LINEAR,
                      .padding = tcc_str_is(pad, "border")       ? IMPORT_PAD_BORDER
                                 : tcc_str_is(pad, "reflection") ? IMPORT_PAD_REFLECTION
                                                                 : IMPORT_PAD_ZEROS,
                      .align_corners = onnx_int(c, "align_corners", 0) != 0};
  return import_output(c, 0, import_grid_sample(c, import_input(c, 0), import_input(c, 1), &s));
}

/* Normalised coordinates of the centres (or, aligned, of the corners) of `size` cells in [-1, 1], along axis of rank axes. */
static MlirValue cell_positions(ImportCall *c, TccElem elem, const TccExpr *size, bool align, int axis, int rank) {
  const TccExpr *dims[IMPORT_MOST_SAMPLED];
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
  const TccExpr *const *size = import_sizes(c, 1, &n);
  if (!size) return false;
  if (n < 4 || n > 2 + IMPORT_MOST_SAMPLED || t.rank != 3) return import_invalid(c, "theta and size do not fit");
  int axes = (int)n - 2;
  bool align = onnx_int(c, "align_corners", 0) != 0;
  const TccExpr *cells[IMPORT_MOST_SAMPLED + 2], *flat[] = {import_size(c, axes + 1), import_product(c, size + 2, axes)};
  MlirValue rows[IMPORT_MOST_SAMPLED + 1];
  for (int d = 0; d < axes; d++) cells[d] = size[d + 2];
  for (int d = 0; d <= axes; d++) { /* row d is coordinate x, y, z: the axes from the back; the last is 1 */
    int axis = axes - 1 - d;
    MlirValue at = d < axes ? cell_positions(c, t.elem, cells[axis], align, axis, axes) : tcc_build_scalar(&c->b, t.elem, 1);
    rows[d] = import_unsqueeze(c, tcc_build_broadcast(&c->b, at, axes, cells), 0);
  }
  static const int64_t swap[] = {0, 2, 1};
  MlirValue homogeneous = tcc_build_reshape(&c->b, tcc_build_concat(&c->b, rows, (size_t)axes + 1, 0), 2, flat);
  MlirValue grid = tcc_build_transpose(&c->b, tcc_build2(&c->b, TCC_OP_MATMUL, theta, homogeneous), swap);
  const TccExpr *to[IMPORT_MOST_SAMPLED + 2] = {t.dims[0]};
  for (int d = 0; d < axes; d++) to[d + 1] = cells[d];
  to[axes + 1] = import_size(c, axes);
  return import_output(c, 0, tcc_build_reshape(&c->b, grid, axes + 2, to));
}

/* ---- regions of interest (He et al. 2017, Mask R-CNN) ---- */
typedef struct {
  MlirValue low, high, low_weight,
      high_weight; /* [regions, cells, samples of a cell]: pixels, and what they count; both 0 outside */
} RoiAxis;

static MlirValue column(ImportCall *c, MlirValue boxes, int64_t at) {
  return tcc_build_slice_axis(&c->b, boxes, 1, import_size(c, at), 1, import_size(c, 1));
}

/* The samples along an axis of `size` pixels, between columns `from` and from + 2 of boxes [regions, 4], which are in pixels. */
static bool roi_axis(ImportCall *c, MlirValue boxes, int64_t from, const TccExpr *size, int64_t cells, int64_t samples,
                     bool half_pixel, RoiAxis *out) {
  ImportShape s = import_shape(c, boxes);
  const TccExpr *count = import_size(c, cells * samples), *one[] = {import_size(c, 1), count},
                *to[] = {s.dims[0], import_size(c, cells), import_size(c, samples)};
  MlirValue start = column(c, boxes, from), length = tcc_build2(&c->b, TCC_OP_SUB, column(c, boxes, from + 2), start);
  if (!half_pixel) length = tcc_build2_number(&c->b, TCC_OP_MAX, length, 1);
  /* the middle of sample i of a cell lies at (i + 1/2) / samples of it */
  MlirValue share = times(c, plus(c, import_iota(c, s.elem, count), 0.5), 1.0 / (double)(cells * samples));
  MlirValue at = tcc_build2(&c->b, TCC_OP_MUL, length, tcc_build_reshape(&c->b, share, 2, one));
  at = tcc_build_reshape(&c->b, tcc_build2(&c->b, TCC_OP_ADD, start, at), 3, to);
  MlirValue n = tcc_build_convert(&c->b, tcc_build_size(&c->b, size), s.elem), last = plus(c, n, -1),
            zero = tcc_build_scalar(&c->b, s.elem, 0);
  MlirValue inside = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", at, tcc_build_scalar(&c->b, s.elem, -1)),
                                tcc_build_compare(&c->b, "le", at, n));
  /* NaN and what is far outside must be no index */
  MlirValue held =
      tcc_build2(&c->b, TCC_OP_MIN, tcc_build2(&c->b, TCC_OP_MAX, tcc_build_select(&c->b, inside, at, zero), zero), last);
  MlirValue low = tcc_build1(&c->b, TCC_OP_FLOOR, held), fraction = tcc_build2(&c->b, TCC_OP_SUB, held, low);
  out->low = tcc_build_convert(&c->b, low, TCC_ELEM_I64);
  out->high = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_MIN, plus(c, low, 1), last), TCC_ELEM_I64);
  out->low_weight = tcc_build_select(&c->b, inside, plus(c, times(c, fraction, -1), 1), zero);
  out->high_weight = tcc_build_select(&c->b, inside, fraction, zero);
  return out->low.ptr && out->high.ptr && out->low_weight.ptr && out->high_weight.ptr;
}

/* Of [regions, cells, samples] along an axis, as [regions, 1, rows, columns, samples, samples]. */
static MlirValue along(ImportCall *c, MlirValue x, bool is_rows) {
  ImportShape s = import_shape(c, x);
  const TccExpr *one = import_size(c, 1);
  const TccExpr *rows[] = {s.dims[0], one, s.dims[1], one, s.dims[2], one},
                *columns[] = {s.dims[0], one, one, s.dims[1], one, s.dims[2]};
  return tcc_build_reshape(&c->b, x, 6, is_rows ? rows : columns);
}

/* x [N, C, H, W], rois [R, 4] as x1, y1, x2, y2, the image of each [R]: [R, C, output_height, output_width]. */
bool onnx_op_roi_align(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue x = import_input(c, 0), boxes = import_input(c, 1), batch = import_input(c, 2);
  ImportShape s = import_shape(c, x), rois = import_shape(c, boxes), which = import_shape(c, batch);
  int64_t rows = onnx_int(c, "output_height", 1), columns = onnx_int(c, "output_width", 1),
          samples = onnx_int(c, "sampling_ratio", 0);
  TccStr mode = onnx_string(c, "mode", "avg");
  bool half_pixel =
      onnx_call(c)->opset >= 16 && tcc_str_is(onnx_string(c, "coordinate_transformation_mode", "half_pixel"), "half_pixel");
  bool is_max = tcc_str_is(mode, "max");
  if (s.rank != 4 || rois.rank != 2 || which.rank != 1)
    return import_invalid(c, "inputs of ranks %d, %d and %d", s.rank, rois.rank, which.rank);
  if (!import_require_equal(c, rois.dims[1], import_size(c, 4), "a box")) return false;
  if (!is_max && !tcc_str_is(mode, "avg")) return import_invalid(c, "mode '%.*s'", TCC_STR_ARG(mode));
  if (rows < 1 || columns < 1 || samples < 0 || rows > INT16_MAX || columns > INT16_MAX || samples > INT16_MAX)
    return import_invalid(c, "%lld x %lld cells of %lld samples", (long long)rows, (long long)columns, (long long)samples);
  if (samples == 0) return import_unsupported(c, "sampling_ratio 0: a number of samples that the size of each region decides");
  boxes = plus(c, times(c, boxes, onnx_float(c, "spatial_scale", 1)), half_pixel ? -0.5 : 0);
  RoiAxis axes[2];
  if (!roi_axis(c, boxes, 1, s.dims[2], rows, samples, half_pixel, &axes[0]) ||
      !roi_axis(c, boxes, 0, s.dims[3], columns, samples, half_pixel, &axes[1]))
    return false;
  const TccExpr *pixels[] = {s.dims[0], s.dims[1], import_size_mul(c, s.dims[2], s.dims[3])};
  const TccExpr *to[] = {rois.dims[0],           s.dims[1], import_size(c, rows), import_size(c, columns), import_size(c, samples),
                         import_size(c, samples)};
  const TccExpr *flat[] = {to[0], to[1], import_product(c, to + 2, 4)}, *flat_one[] = {to[0], import_size(c, 1), flat[2]};
  MlirValue image = import_gather_valid(c, tcc_build_reshape(&c->b, x, 3, pixels), import_index(c, batch), 0, TCC_VALID_UNSIGNED),
            r = {NULL};
  for (int tap = 0; tap < 4; tap++) {
    const RoiAxis *y = &axes[0], *w = &axes[1];
    MlirValue row = along(c, tap & 2 ? y->high : y->low, true), cell = along(c, tap & 1 ? w->high : w->low, false);
    MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_MUL, row, tcc_build_size(&c->b, s.dims[3])), cell);
    MlirValue weight = tcc_build2(&c->b, TCC_OP_MUL, along(c, tap & 2 ? y->high_weight : y->low_weight, true),
                                  along(c, tap & 1 ? w->high_weight : w->low_weight, false));
    MlirValue operands[] = {image, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, at, 3, flat_one), 3, flat)};
    TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 2)};
    if (!operands[0].ptr || !operands[1].ptr) return false;
    weight = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, weight, 3, flat_one), s.elem);
    MlirValue part = tcc_build2(&c->b, TCC_OP_MUL, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1), weight);
    r = !tap ? part : tcc_build2(&c->b, is_max ? TCC_OP_MAX : TCC_OP_ADD, r, part);
  }
  static const int64_t of_cell[] = {4, 5};
  r = tcc_build_reshape(&c->b, r, 6, to);
  return import_output(c, 0,
                       is_max ? tcc_build_reduce(&c->b, "max", r, of_cell, 2, false) : tcc_build_mean(&c->b, r, of_cell, 2, false));
}

/* ---- deformable convolution (Zhu et al. 2019, version 2) ---- */
typedef struct {
  int64_t strides[2], dilations[2], pads[4], groups, offset_groups;
  const TccExpr *kernel[2], *out[2];
} Deform;

static bool read_deform(ImportCall *c, const ImportShape *x, const ImportShape *w, Deform *out) {
  if (x->rank != 4 || w->rank != 4) return import_unsupported(c, "an input of rank %d and weights of rank %d", x->rank, w->rank);
  if (!onnx_int_list(c, "strides", 2, 1, out->strides) || !onnx_int_list(c, "dilations", 2, 1, out->dilations) ||
      !onnx_int_list(c, "pads", 4, 0, out->pads))
    return false;
  out->groups = onnx_int(c, "group", 1), out->offset_groups = onnx_int(c, "offset_group", 1);
  if (out->groups < 1 || out->offset_groups < 1) return import_invalid(c, "groups below 1");
  for (int d = 0; d < 2; d++) {
    if (out->strides[d] < 1 || out->dilations[d] < 1 || out->pads[d] < 0 || out->pads[d + 2] < 0)
      return import_invalid(c, "strides of %lld, dilations of %lld", (long long)out->strides[d], (long long)out->dilations[d]);
    out->kernel[d] = w->dims[d + 2];
    const TccExpr *reach =
                      import_size_mul(c, import_size(c, out->dilations[d]), import_size_sub(c, out->kernel[d], import_size(c, 1))),
                  *padded = import_size_add(c, x->dims[d + 2], import_size(c, out->pads[d] + out->pads[d + 2] - 1)),
                  *rest = import_size_sub(c, padded, reach);
    if (!import_require_at_most(c, import_size(c, 0), rest, "the kernel fits into the image")) return false;
    out->out[d] = import_size_add(c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, rest, import_size(c, out->strides[d])),
                                  import_size(c, 1));
  }
  return true;
}

/* Where tap k of place o lies along axis d without an offset, of the dims [taps, 1, places, 1] or [1, taps, 1, places]. */
static MlirValue tap_positions(ImportCall *c, const Deform *f, TccElem elem, int d) {
  const TccExpr *one = import_size(c, 1), *taps = f->kernel[d];
  const TccExpr *of_tap[] = {d ? one : taps, d ? taps : one, one, one},
                *of_place[] = {one, one, d ? one : f->out[d], d ? f->out[d] : one};
  MlirValue tap = times(c, import_iota(c, elem, taps), (double)f->dilations[d]),
            place = plus(c, times(c, import_iota(c, elem, f->out[d]), (double)f->strides[d]), (double)-f->pads[d]);
  return tcc_build2(&c->b, TCC_OP_ADD, tcc_build_reshape(&c->b, tap, 4, of_tap), tcc_build_reshape(&c->b, place, 4, of_place));
}

/* x [N, C, H, W], w [M, C / groups, kh, kw], offset [N, offset groups * kh * kw * 2, oh, ow] in pixels (y, x), bias [M], mask as offset
 * with one number a tap. Each tap is a sample of the image, so that the rest is a product. */
bool onnx_op_deform_conv(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue x = import_input(c, 0), w = import_input(c, 1), offset = import_input(c, 2), at[2];
  ImportShape s = import_shape(c, x), weight = import_shape(c, w);
  Deform f;
  if (!read_deform(c, &s, &weight, &f)) return false;
  const TccExpr *parts = import_size(c, f.offset_groups), *groups = import_size(c, f.groups), *two = import_size(c, 2),
                *taps = import_size_mul(c, f.kernel[0], f.kernel[1]), *images = import_size_mul(c, s.dims[0], parts),
                *of_part = import_divide(c, s.dims[1], parts), *of_group = import_divide(c, s.dims[1], groups),
                *made = import_divide(c, weight.dims[0], groups);
  if (!of_part || !of_group || !made) return false;
  const TccExpr *wanted[] = {s.dims[0], import_size_mul(c, parts, import_size_mul(c, taps, two)), f.out[0], f.out[1]},
                *masks[] = {s.dims[0], import_size_mul(c, parts, taps), f.out[0], f.out[1]},
                *filters[] = {NULL, of_group, NULL, NULL};
  ImportShape offsets = import_shape(c, offset);
  if (!import_require_shape(c, &offsets, 4, wanted, "offset") || !import_require_shape(c, &weight, 4, filters, "weight"))
    return false;
  const TccExpr *split[] = {images, f.kernel[0], f.kernel[1], two, f.out[0], f.out[1]},
                *whole[] = {images, split[1], split[2], f.out[0], f.out[1]}, *places = import_size_mul(c, f.out[0], f.out[1]),
                *flat[] = {images, import_size_mul(c, taps, places)}, *image[] = {images, of_part, s.dims[2], s.dims[3]};
  for (int d = 0; d < 2; d++) {
    MlirValue moved =
        tcc_build_slice_axis(&c->b, tcc_build_reshape(&c->b, offset, 6, split), 3, import_size(c, d), 1, import_size(c, 1));
    moved = tcc_build2(&c->b, TCC_OP_ADD, tcc_build_reshape(&c->b, moved, 5, whole), tap_positions(c, &f, offsets.elem, d));
    at[d] = tcc_build_reshape(&c->b, moved, 2, flat);
  }
  const ImportSampling linear = {.mode = IMPORT_SAMPLE_LINEAR, .padding = IMPORT_PAD_ZEROS};
  MlirValue columns = import_sample(c, tcc_build_reshape(&c->b, x, 4, image), at, &linear);
  if (import_has_input(c, 4)) {
    MlirValue mask = import_input(c, 4);
    ImportShape m = import_shape(c, mask);
    const TccExpr *of_channel[] = {images, import_size(c, 1), flat[1]};
    if (!import_require_shape(c, &m, 4, masks, "mask")) return false;
    columns = tcc_build2(&c->b, TCC_OP_MUL, columns, tcc_build_reshape(&c->b, mask, 3, of_channel));
  }
  const TccExpr *depth = import_size_mul(c, of_group, taps), *rows[] = {s.dims[0], groups, depth, places},
                *filter[] = {groups, made, depth}, *to[] = {s.dims[0], weight.dims[0], f.out[0], f.out[1]};
  MlirValue r =
      tcc_build2(&c->b, TCC_OP_MATMUL, tcc_build_reshape(&c->b, w, 3, filter), tcc_build_reshape(&c->b, columns, 4, rows));
  r = tcc_build_reshape(&c->b, r, 4, to);
  if (import_has_input(c, 3)) {
    const TccExpr *of_bias[] = {import_size(c, 1), weight.dims[0], import_size(c, 1), import_size(c, 1)};
    r = tcc_build2(&c->b, TCC_OP_ADD, r, tcc_build_reshape(&c->b, import_input(c, 3), 4, of_bias));
  }
  return import_output(c, 0, r);
}
