/* ops_sample.c - operators that read images at computed places: GridSample, AffineGrid, DeformConv. */
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
