/* ops_sample.c - grid_sampler: images read at given coordinates; affine_grid_generator, which makes such. */
#include "lib/frontend/import/sample.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

/* Modes 0, 1, 2: bilinear, nearest, bicubic; paddings 0, 1, 2: zeros, border, reflection. The numbers of ImportSampling are these. */
bool torch_op_grid_sampler(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), grid = torch_tensor(c, "grid");
  int64_t mode = torch_int(c, "interpolation_mode"), padding = torch_int(c, "padding_mode");
  bool align = torch_bool(c, "align_corners");
  if (!x.ptr || !grid.ptr || c->reason) return false;
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2) return import_invalid(c, "no such mode or padding");
  TccElem elem = tcc_value_elem(x), wide = torch_wide(elem);
  ImportSampling s = {.align_corners = align};
  s.mode = mode == 1 ? IMPORT_SAMPLE_NEAREST : mode == 2 ? IMPORT_SAMPLE_CUBIC : IMPORT_SAMPLE_LINEAR;
  s.padding = padding == 1 ? IMPORT_PAD_BORDER : padding == 2 ? IMPORT_PAD_REFLECTION : IMPORT_PAD_ZEROS;
  MlirValue y = import_grid_sample(c, torch_convert(c, x, wide), torch_convert(c, grid, wide), &s);
  return torch_output(c, 0, torch_convert(c, y, elem));
}

/* The pixels' middles along an axis of that size, in [-1, 1]: (2 i + 1 - size) / size, or with corners at both ends (2 i + 1 - size) / (size - 1);
 * one pixel is at 0. */
static MlirValue middles(ImportCall *c, TccElem elem, const TccExpr *size, bool align_corners) {
  MlirValue n = torch_convert(c, tcc_build_size(&c->b, size), elem);
  MlirValue last = torch_plus(c, n, -1),
            steps = align_corners ? tcc_build2(&c->b, TCC_OP_MAX, last, torch_constant(c, elem, 1)) : n;
  return torch_div(c, torch_sub(c, torch_times(c, import_iota(c, elem, size), 2), last), steps);
}

/* Column `column` of theta [N, k, k + 1], for every pixel: [N, 1, ..., k]. */
static MlirValue column_of(ImportCall *c, MlirValue theta, int64_t column, int rank) {
  ImportShape shape = import_shape(c, theta);
  const TccExpr *one = import_size(c, 1), *dims[TCC_MAX_RANK];
  for (int i = 1; i < rank - 1; i++) dims[i] = one;
  dims[0] = shape.dims[0], dims[rank - 1] = shape.dims[1];
  return tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, theta, 2, import_size(c, column), 1, one), rank, dims);
}

/* theta [N, k, k + 1] of the pixels of [N, C, sizes of k axes]: at [N, sizes..., :] theta [x, y, .., 1], x of the last axis. */
bool torch_op_affine_grid(ImportCall *c) {
  MlirValue theta = torch_tensor(c, "theta");
  bool align = torch_bool(c, "align_corners");
  const TccExpr *const *sizes;
  size_t n;
  if (!theta.ptr || !torch_sizes(c, "size", &sizes, &n) || c->reason) return false;
  if (n < 4 || n > 5) return import_invalid(c, "size has %zu numbers, not 4 or 5", n);
  TccElem elem = tcc_value_elem(theta), wide = torch_wide(elem);
  int rank = (int)n, axes = rank - 2;
  theta = torch_convert(c, theta, wide);
  MlirValue grid = column_of(c, theta, axes, rank);
  for (int i = 0; i < axes; i++) {
    const TccExpr *dims[TCC_MAX_RANK];
    for (int d = 0; d < rank; d++) dims[d] = d == axes - i ? sizes[n - 1 - (size_t)i] : import_size(c, 1);
    MlirValue at = tcc_build_reshape(&c->b, middles(c, wide, sizes[n - 1 - (size_t)i], align), rank, dims);
    grid = torch_add(c, grid, torch_mul(c, at, column_of(c, theta, i, rank)));
  }
  return torch_output(c, 0, torch_convert(c, grid, elem));
}
