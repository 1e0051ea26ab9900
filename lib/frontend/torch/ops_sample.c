/* ops_sample.c - grid_sampler: images read at given coordinates. */
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
