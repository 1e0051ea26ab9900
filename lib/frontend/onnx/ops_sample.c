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

/* x [N, C, H, W], w [M, C / groups, kh, kw], offset [N, offset groups * kh * kw * 2, oh, ow], bias [M], mask [N, offset groups * kh * kw, oh, ow]. */
bool onnx_op_deform_conv(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  ImportDeform f;
  if (!onnx_int_list(c, "strides", 2, 1, f.strides) || !onnx_int_list(c, "dilations", 2, 1, f.dilations) ||
      !onnx_int_list(c, "pads", 4, 0, f.pads))
    return false;
  f.groups = onnx_int(c, "group", 1), f.offset_groups = onnx_int(c, "offset_group", 1);
  MlirValue none = {NULL}, bias = import_has_input(c, 3) ? import_input(c, 3) : none,
            mask = import_has_input(c, 4) ? import_input(c, 4) : none;
  return import_output(c, 0, import_deform_conv(c, import_input(c, 0), import_input(c, 1), import_input(c, 2), bias, mask, &f));
}
