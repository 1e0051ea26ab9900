/* ops_older.c - operators of ONNX's first versions that are gone from it, as they are in files of that time and run in onnxruntime, and those of its own
 * domain that became ONNX's. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/scores.h"
#include "tcc/op_kinds.h"

static MlirValue scaled(ImportCall *c, MlirValue x, double by) { return by == 1 ? x : tcc_build2_number(&c->b, TCC_OP_MUL, x, by); }

/* alpha * tanh(beta * x), or softplus in its place. */
bool onnx_op_scaled_unary(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue y = tcc_build1(&c->b, (TccOpKind)c->kind, scaled(c, import_input(c, 0), onnx_float(c, "beta", 1)));
  return import_output(c, 0, scaled(c, y, onnx_float(c, "alpha", 1)));
}

/* x times `scale`, plus a number of each channel. */
bool onnx_op_image_scaler(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape s = import_shape(c, x);
  size_t n;
  const double *bias = onnx_real_list(c, "bias", &n);
  const int64_t count = (int64_t)n;
  if (s.rank < 2) return import_invalid(c, "the input has no channels");
  if (!bias || !import_require_equal(c, import_size(c, count), s.dims[1], "bias"))
    return bias ? false : import_invalid(c, "bias is missing");
  x = scaled(c, x, onnx_float(c, "scale", 1));
  MlirValue b = onnx_real_constant(c, s.elem, 1, &count, bias);
  for (int d = 2; d < s.rank; d++) b = import_unsqueeze(c, b, d - 1);
  return import_output(c, 0, tcc_build2(&c->b, TCC_OP_ADD, x, b));
}

/* alpha * x + beta; Scale has the factor alone. */
bool onnx_op_affine(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  const bool is_scale = c->kind == TCC_OP_MUL;
  const double beta = is_scale ? 0 : onnx_float(c, "beta", 0);
  MlirValue y = scaled(c, import_input(c, 0), onnx_float(c, is_scale ? "scale" : "alpha", 1));
  return import_output(c, 0, beta == 0 ? y : tcc_build2_number(&c->b, TCC_OP_ADD, y, beta));
}

/* The image [N, C, H, W] without its border (left, top, right, bottom), or what `scale` (height, width) leaves behind left and top. */
bool onnx_op_crop(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape s = import_shape(c, x);
  const int64_t *border, *scale;
  size_t n, nscale = 0;
  if (s.rank != 4) return import_invalid(c, "the input must have rank 4");
  if (!onnx_ints(c, "border", &border, &n) || n != 4) return import_invalid(c, "border is not four numbers");
  if (onnx_ints(c, "scale", &scale, &nscale) && nscale != 2) return import_invalid(c, "scale is not two numbers");
  for (size_t i = 0; i < 4 + nscale; i++) {
    const int64_t value = i < 4 ? border[i] : scale[i - 4];
    if (value < 0 || value > INT32_MAX) return import_invalid(c, "a border or size of %lld", (long long)value);
  }
  for (int d = 0; d < 2; d++) {
    const int64_t from = border[1 - d], behind = border[3 - d];
    const TccExpr *cut = import_size(c, nscale ? from + scale[d] : from + behind), *size = s.dims[2 + d];
    if (!import_require_at_most(c, cut, size, "the border, and the image")) return false;
    x = tcc_build_slice_axis(&c->b, x, 2 + d, import_size(c, from), 1,
                             nscale ? import_size(c, scale[d]) : import_size_sub(c, size, cut));
  }
  return import_output(c, 0, x);
}

/* As ONNX's operator of opset 13. */
bool onnx_op_pad_contrib(ImportCall *c) {
  onnx_call(c)->opset = 13;
  return onnx_op_pad(c);
}

bool onnx_op_expand_dims(ImportCall *c) {
  int64_t axis;
  size_t n;
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0);
  const int64_t *at = import_constants(c, 1, &n);
  if (!at) return false;
  if (n != 1) return import_invalid(c, "%zu axes", n);
  return import_axis(c, at[0], import_shape(c, x).rank + 1, &axis) && import_output(c, 0, import_unsqueeze(c, x, axis));
}

/* Distances of the rows of a [M, F] and b [K, F]: [M, K]. */
bool onnx_op_cdist(ImportCall *c) {
  static const char *const names[] = {"sqeuclidean", "euclidean"};
  if (!import_need(c, 2)) return false;
  MlirValue a = import_input(c, 0), b = import_input(c, 1);
  ImportShape s = import_shape(c, a), t = import_shape(c, b);
  TccStr metric = onnx_string(c, "metric", names[0]);
  const bool is_root = tcc_str_is(metric, names[1]);
  if (!is_root && !tcc_str_is(metric, names[0])) return import_unsupported(c, "metric '%.*s'", TCC_STR_ARG(metric));
  if (s.rank != 2 || t.rank != 2) return import_invalid(c, "inputs of ranks %d and %d", s.rank, t.rank);
  if (!import_require_equal(c, s.dims[1], t.dims[1], "features")) return false;
  MlirValue y = onnx_squared_distances(c, a, b);
  return import_output(c, 0, is_root ? tcc_build1(&c->b, TCC_OP_SQRT, y) : y);
}
