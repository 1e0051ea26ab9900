/* ops_vision.c - torchvision's own operators: regions of interest, deformable convolution, boxes that do not overlap. Gradients are those that
 * tcc-gradient derives from the formulas. */
#include "lib/frontend/import/roi.h"
#include "lib/frontend/import/sample.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

/* Columns 1 to 4 of rois [R, 5]; *image: column 0, [R] of i64. */
static MlirValue boxes_of(ImportCall *c, MlirValue rois, MlirValue *image) {
  ImportShape s = import_shape(c, rois);
  *image = (MlirValue){NULL};
  if (s.rank != 2 || !import_is_size(s.dims[1], 5)) {
    import_invalid(c, "rois are no matrix of 5 columns");
    return *image;
  }
  MlirValue first = tcc_build_slice_axis(&c->b, rois, 1, import_size(c, 0), 1, import_size(c, 1));
  *image = tcc_build_reshape(&c->b, torch_convert(c, first, TCC_ELEM_I64), 1, s.dims);
  return tcc_build_slice_axis(&c->b, rois, 1, import_size(c, 1), 1, import_size(c, 4));
}

/* Which channel of the image each element of a position-sensitive result is of: output 1. */
static bool output_channels(ImportCall *c) {
  ImportShape to = torch_declared(c, 1);
  if (!to.elem) return false;
  if (to.rank != 4) return import_invalid(c, "a result of rank %d", to.rank);
  const TccExpr *of_one[] = {import_size(c, 1), to.dims[1], to.dims[2], to.dims[3]};
  MlirValue channel = tcc_build_reshape(&c->b, import_iota(c, to.elem, import_product(c, to.dims + 1, 3)), 4, of_one);
  return torch_output(c, 1, torch_filled(c, channel, 4, to.dims));
}

/* to: the operator's result, or with `backward` the result's gradient. */
static bool roi_mean(ImportCall *c, MlirValue x, MlirValue rois, const ImportShape *to, bool backward, MlirValue *out) {
  const bool samples = c->kind != ROI_PS_POOL;
  ImportRoi roi = {.rows = torch_size(c, "pooled_height"),
                   .columns = torch_size(c, "pooled_width"),
                   .samples = samples ? torch_int(c, "sampling_ratio") : 0,
                   .scale = torch_float(c, "spatial_scale"),
                   .half_pixel = c->kind == ROI_ALIGN ? torch_bool(c, "aligned") : true,
                   .but_last = !backward,
                   .own = c->kind == ROI_ALIGN || to->rank != 4 ? NULL : to->dims[1]};
  if (roi.samples < 0) roi.samples = 0;
  if (c->reason) return false;
  if (to->rank != 4) return import_invalid(c, "regions of rank %d", to->rank);
  if (!samples) return (*out = import_ps_roi_pool(c, x, rois, &roi)).ptr != NULL;
  MlirValue image, boxes = boxes_of(c, rois, &image);
  return boxes.ptr && (*out = import_roi_align(c, x, boxes, image, &roi)).ptr;
}

bool torch_op_roi_mean(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), rois = torch_tensor(c, "rois"), y;
  ImportShape to = torch_declared(c, 0);
  if (!x.ptr || !rois.ptr || !to.elem) return false;
  const TccElem elem = tcc_value_elem(x), wide = torch_wide(elem);
  return roi_mean(c, torch_convert(c, x, wide), torch_convert(c, rois, wide), &to, false, &y) &&
         torch_output(c, 0, torch_convert(c, y, elem)) && (c->kind == ROI_ALIGN || output_channels(c));
}

/* An image of zeros. */
static MlirValue no_image(ImportCall *c, TccElem elem, const TccExpr *dims[4]) {
  static const char *const names[] = {"batch_size", "channels", "height", "width"};
  for (int i = 0; i < 4; i++) dims[i] = torch_size(c, names[i]);
  return c->reason ? (MlirValue){NULL} : torch_filled(c, torch_constant(c, elem, 0), 4, dims);
}

/* The result is linear in the image, so that any image will do. */
bool torch_op_roi_mean_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad"), rois = torch_tensor(c, "rois"), y, dx;
  const TccExpr *dims[4];
  if (!grad.ptr || !rois.ptr) return false;
  ImportShape to = import_shape(c, grad);
  const TccElem elem = to.elem, wide = torch_wide(elem);
  MlirValue x = no_image(c, wide, dims);
  if (!x.ptr || !roi_mean(c, x, torch_convert(c, rois, wide), &to, true, &y)) return false;
  y = torch_mul(c, y, torch_convert(c, grad, wide));
  return y.ptr && import_gradient(c, y, &x, 1, &dx) && torch_output(c, 0, torch_convert(c, dx, elem));
}

bool torch_op_roi_pool(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), rois = torch_tensor(c, "rois"), place;
  const TccExpr *rows = torch_size(c, "pooled_height"), *columns = torch_size(c, "pooled_width");
  const double scale = torch_float(c, "spatial_scale");
  if (!x.ptr || !rois.ptr || c->reason) return false;
  const TccElem elem = tcc_value_elem(x), wide = torch_wide(elem);
  MlirValue y = import_max_roi_pool(c, torch_convert(c, x, wide), torch_convert(c, rois, wide), rows, columns, scale, &place);
  return torch_output(c, 0, torch_convert(c, y, elem)) && torch_output(c, 1, torch_convert(c, place, TCC_ELEM_I32));
}

/* Each element's share goes to where the largest pixel was. */
bool torch_op_roi_pool_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad"), rois = torch_tensor(c, "rois"), place = torch_tensor(c, "argmax"), image;
  const TccExpr *dims[4];
  if (!grad.ptr || !rois.ptr || !place.ptr) return false;
  ImportShape gs = import_shape(c, grad);
  const TccElem wide = torch_wide(gs.elem);
  MlirValue x = no_image(c, wide, dims);
  if (!x.ptr || !boxes_of(c, torch_convert(c, rois, wide), &image).ptr) return false;
  if (gs.rank != 4) return import_invalid(c, "a gradient of rank %d", gs.rank);
  const TccExpr *one = import_size(c, 1), *plane = import_size_mul(c, dims[2], dims[3]);
  const TccExpr *all = import_product(c, dims, 4), *given = import_product(c, gs.dims, 4);
  const TccExpr *of_region[] = {gs.dims[0], one, one, one}, *of_channel[] = {one, gs.dims[1], one, one};
  place = torch_convert(c, place, TCC_ELEM_I64);
  MlirValue some = torch_is(c, "ge", place, 0), channel = import_iota(c, TCC_ELEM_I64, dims[1]);
  MlirValue at = torch_add(c, torch_mul(c, tcc_build_reshape(&c->b, image, 4, of_region), tcc_build_size(&c->b, dims[1])),
                           tcc_build_reshape(&c->b, channel, 4, of_channel));
  at = torch_add(c, torch_mul(c, at, tcc_build_size(&c->b, plane)), torch_if_number(c, some, place, 0));
  grad = torch_if_number(c, some, torch_convert(c, grad, wide), 0);
  MlirValue operands[] = {tcc_build_reshape(&c->b, x, 1, &all), tcc_build_reshape(&c->b, at, 1, &given),
                          tcc_build_reshape(&c->b, grad, 1, &given)};
  TccNamedAttr attrs[4] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  size_t nattrs = 2;
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return false;
  if (!import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 0, 1, attrs, &nattrs)) return false;
  MlirValue dx = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, nattrs);
  return torch_output(c, 0, torch_convert(c, tcc_build_reshape(&c->b, dx, 4, dims), gs.elem));
}

/* ---- deformable convolution ---- */
static bool read_deform(ImportCall *c, ImportDeform *out) {
  const int64_t pads[] = {torch_int(c, "pad_h"), torch_int(c, "pad_w")};
  *out = (ImportDeform){.strides = {torch_int(c, "stride_h"), torch_int(c, "stride_w")},
                        .dilations = {torch_int(c, "dilation_h"), torch_int(c, "dilation_w")},
                        .pads = {pads[0], pads[1], pads[0], pads[1]},
                        .groups = torch_int(c, "groups"),
                        .offset_groups = torch_int(c, "offset_groups")};
  return !c->reason;
}

enum { DEFORM_X, DEFORM_WEIGHT, DEFORM_OFFSET, DEFORM_BIAS, DEFORM_MASK, DEFORM_TENSORS };
static const char *const deform_names[] = {"input", "weight", "offset", "bias", "mask"};

bool torch_op_deform_conv2d(ImportCall *c) {
  const bool has_mask = torch_bool(c, "use_mask");
  const TccElem elem = import_shape(c, torch_tensor(c, "input")).elem, wide = torch_wide(elem);
  ImportDeform f;
  MlirValue t[DEFORM_TENSORS] = {{NULL}};
  if (!elem || !read_deform(c, &f)) return false;
  for (int i = 0; i < DEFORM_TENSORS - !has_mask; i++)
    if (!(t[i] = torch_tensor_as(c, deform_names[i], wide)).ptr) return false;
  return torch_output(c, 0, torch_convert(c, import_deform_conv(c, t[0], t[1], t[2], t[3], t[4], &f), elem));
}

/* Gradients of the input, the weights, offsets, mask and bias. */
bool torch_op_deform_conv2d_backward(ImportCall *c) {
  static const int outputs[] = {DEFORM_X, DEFORM_WEIGHT, DEFORM_OFFSET, DEFORM_MASK, DEFORM_BIAS};
  const bool has_mask = torch_bool(c, "use_mask");
  MlirValue grad = torch_tensor(c, "grad"), t[DEFORM_TENSORS] = {{NULL}}, d[DEFORM_TENSORS] = {{NULL}};
  const size_t n = DEFORM_TENSORS - !has_mask;
  ImportDeform f;
  if (!grad.ptr || !read_deform(c, &f)) return false;
  const TccElem elem = tcc_value_elem(grad), wide = torch_wide(elem);
  for (size_t i = 0; i < n; i++) { /* as values of their own: one may be computed from another */
    MlirValue x = torch_tensor_as(c, deform_names[i], wide);
    if (!x.ptr || !(t[i] = tcc_build1(&c->b, TCC_OP_BARRIER, x)).ptr) return false;
  }
  MlirValue y = torch_mul(c, import_deform_conv(c, t[0], t[1], t[2], t[3], t[4], &f), torch_convert(c, grad, wide));
  if (!y.ptr || !import_gradient(c, y, t, n, d)) return false;
  if (!has_mask) { /* what stands in its place */
    ImportShape mask = torch_declared(c, 3);
    d[DEFORM_MASK] = torch_filled(c, torch_constant(c, wide, 0), mask.rank, mask.dims);
  }
  for (size_t i = 0; i < DEFORM_TENSORS; i++)
    if (!torch_output(c, i, torch_convert(c, d[outputs[i]], elem))) return false;
  return true;
}

/* ---- boxes ---- */
/* The largest f32 that is not above x: what is above x is above it. */
static float rounded_down(double x) {
  const float near = (float)x;
  return (double)near > x ? nextafterf(near, -INFINITY) : near;
}

/* Numbers of boxes [N, 4] in the order of their scores [N], without those that overlap one before by more than a share of both. */
bool torch_op_nms(ImportCall *c) {
  MlirValue boxes = torch_tensor(c, "dets"), scores = torch_tensor(c, "scores");
  const double limit = torch_float(c, "iou_threshold");
  if (!boxes.ptr || !scores.ptr || c->reason) return false;
  ImportShape s = import_shape(c, boxes), order = import_shape(c, scores);
  if (s.rank != 2 || order.rank != 1) return import_invalid(c, "boxes and scores of ranks %d and %d", s.rank, order.rank);
  if (s.elem != TCC_ELEM_F32 || order.elem != TCC_ELEM_F32)
    return import_unsupported(c, "boxes or scores of another type than f32, in which what overlaps by just the limit is decided");
  if (!(limit >= 0)) return import_unsupported(c, "a limit of %g", limit);
  const TccExpr *one = import_size(c, 1), *of_boxes[] = {one, s.dims[0], s.dims[1]}, *of_scores[] = {one, one, order.dims[0]};
  MlirValue operands[] = {tcc_build_reshape(&c->b, boxes, 3, of_boxes), tcc_build_reshape(&c->b, scores, 3, of_scores),
                          tcc_build_size(&c->b, s.dims[0]), tcc_build_scalar(&c->b, TCC_ELEM_F32, rounded_down(limit)),
                          tcc_build_scalar(&c->b, TCC_ELEM_F32, NAN)};
  for (int i = 0; i < 5; i++)
    if (!operands[i].ptr) return false;
  MlirValue taken = import_op(c, TCC_OP_NON_MAX_SUPPRESSION, operands, 5, NULL, 0);
  taken = tcc_build_reshape(&c->b, taken, 1, order.dims);
  MlirValue where = taken.ptr ? import_nonzero(c, torch_is(c, "ge", taken, 0)) : taken;
  if (!where.ptr) return false;
  where = tcc_build_reshape(&c->b, where, 1, &import_shape(c, where).dims[1]);
  return torch_output(c, 0, tcc_build_gather(&c->b, taken, where, 0));
}
