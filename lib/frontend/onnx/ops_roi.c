/* ops_roi.c - regions of interest of images: RoiAlign, MaxRoiPool, CropAndResize (lib/frontend/import/roi.c). */
#include "lib/frontend/import/roi.h"
#include "lib/frontend/onnx/ops.h"

/* x [N, C, H, W], rois [R, 4] as x1, y1, x2, y2, the image of each [R]: [R, C, output_height, output_width]. */
bool onnx_op_roi_align(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  TccStr mode = onnx_string(c, "mode", "avg");
  const bool is_max = tcc_str_is(mode, "max");
  if (!is_max && !tcc_str_is(mode, "avg")) return import_invalid(c, "mode '%.*s'", TCC_STR_ARG(mode));
  const ImportRoi roi = {.rows = import_size(c, onnx_int(c, "output_height", 1)),
                         .columns = import_size(c, onnx_int(c, "output_width", 1)),
                         .samples = onnx_int(c, "sampling_ratio", 0),
                         .scale = onnx_float(c, "spatial_scale", 1),
                         .half_pixel = onnx_call(c)->opset >= 16 &&
                                       tcc_str_is(onnx_string(c, "coordinate_transformation_mode", "half_pixel"), "half_pixel"),
                         .is_max = is_max};
  return import_output(c, 0, import_roi_align(c, import_input(c, 0), import_input(c, 1), import_input(c, 2), &roi));
}

/* x [N, C, H, W], rois [R, 4] as y1, x1, y2, x2 in shares of the image, the image of each [R], the size of a crop [2]: [R, C, height, width]. */
bool onnx_op_crop_and_resize(ImportCall *c) {
  if (!import_need(c, 4)) return false;
  TccStr mode = onnx_string(c, "mode", "bilinear");
  const bool nearest = tcc_str_is(mode, "nearest");
  size_t n;
  if (!nearest && !tcc_str_is(mode, "bilinear")) return import_invalid(c, "mode '%.*s'", TCC_STR_ARG(mode));
  const TccExpr *const *crop = import_sizes(c, 3, &n);
  if (!crop) return false;
  if (n != 2) return import_invalid(c, "%zu sizes of a crop", n);
  const double otherwise = onnx_float(c, "extrapolation_value", 0);
  return import_output(
      c, 0, import_crop_and_resize(c, import_input(c, 0), import_input(c, 1), import_input(c, 2), crop, nearest, otherwise));
}

/* x [N, C, H, W], rois [R, 5] as image, x1, y1, x2, y2: [R, C, pooled_shape]. A cell without a pixel is 0. */
bool onnx_op_max_roi_pool(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  const int64_t *cells;
  size_t n;
  if (!onnx_ints(c, "pooled_shape", &cells, &n) || n != 2) return import_invalid(c, "pooled_shape is not two sizes");
  const double scale = onnx_float(c, "spatial_scale", 1);
  return import_output(c, 0,
                       import_max_roi_pool(c, import_input(c, 0), import_input(c, 1), import_size(c, cells[0]),
                                           import_size(c, cells[1]), scale, NULL));
}
