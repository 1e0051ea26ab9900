/* ops_resize.c - Resize and Upsample: sizes and scales are worked out here, the interpolation is tcc.resize. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/resize.h"
#include "tcc/op_kinds.h"
#include <math.h>

typedef struct {
  int rank;                   /* of the input */
  int64_t axes[TCC_MAX_RANK]; /* that scales, sizes and roi speak of */
  int naxes;
} Axes;

static bool read_axes(ImportCall *c, int rank, Axes *out) {
  const int64_t *given;
  size_t n;
  out->rank = rank;
  out->naxes = rank;
  for (int i = 0; i < rank; i++) out->axes[i] = i;
  if (!onnx_ints(c, "axes", &given, &n)) return true;
  if (n > (size_t)rank) return import_invalid(c, "axes has %zu entries", n);
  out->naxes = (int)n;
  for (size_t i = 0; i < n; i++)
    if (!import_axis(c, given[i], rank, &out->axes[i])) return false;
  return true;
}

/* floor(size * scale) in f32, as onnxruntime has it: ten times 2.3, which is less than that in binary, are 23. */
static int64_t scaled(int64_t size, double scale) {
  float product = (float)size * (float)scale;
  return (int64_t)floorf(product);
}

/* The fraction of the least denominator that f32 cannot tell from scale (continued fractions). False: none of at most 4096. */
static bool simplest_fraction(double scale, int64_t *out_numerator, int64_t *out_denominator) {
  enum { MOST_DENOMINATOR = 4096, MOST_STEPS = 24 };
  int64_t p = 1, q = 0, p_before = 0, q_before = 1;
  double rest = scale;
  for (int i = 0; i < MOST_STEPS && rest < INT32_MAX; i++) {
    int64_t digit = (int64_t)floor(rest), p_next = digit * p + p_before, q_next = digit * q + q_before;
    if (q_next > MOST_DENOMINATOR || p_next > INT32_MAX) return false;
    p_before = p, q_before = q, p = p_next, q = q_next;
    if (p > 0 && (float)((double)p / (double)q) == (float)scale) {
      *out_numerator = p, *out_denominator = q;
      return true;
    }
    rest = 1 / (rest - floor(rest));
  }
  return false;
}

/* The same of a symbolic size: floordiv(p * size, q), and a constraint that the size is no larger than those for which that is so. */
static const TccExpr *scaled_symbol(ImportCall *c, const TccExpr *size, double scale) {
  enum { LEAST_RANGE = 1 << 10, MOST_RANGE = 1 << 20 };
  int64_t p, q, most = 0;
  if (!simplest_fraction(scale, &p, &q)) return NULL;
  while (most < MOST_RANGE && scaled(most + 1, scale) == (most + 1) * p / q) most++;
  if (most < LEAST_RANGE || !import_require_at_most(c, size, import_size(c, most), "a size and the largest that can be scaled so"))
    return NULL;
  return tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, import_size_mul(c, size, import_size(c, p)), import_size(c, q));
}

/* NULL: a symbolic size, and no expression is known. */
static const TccExpr *scaled_size(ImportCall *c, const TccExpr *size, double scale) {
  int64_t value;
  if (!(scale > 0) || scale > INT32_MAX) return NULL;
  if (tcc_expr_is_const(size, &value)) return value <= INT32_MAX ? import_size(c, scaled(value, scale)) : NULL;
  if (scale == floor(scale)) return import_size_mul(c, size, import_size(c, (int64_t)scale));
  double inverse = 1 / scale;
  if (inverse == floor(inverse)) return tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, size, import_size(c, (int64_t)inverse));
  return scaled_symbol(c, size, scale);
}

/* keep_aspect_ratio_policy: one scale for all axes, the least (not_larger) or greatest of what the sizes ask for. */
static bool keep_aspect(ImportCall *c, const Axes *axes, bool larger, const ImportShape *from, ImportShape *to, double *scales) {
  double scale = 0;
  int64_t in, out;
  for (int i = 0; i < axes->naxes; i++) {
    int64_t axis = axes->axes[i];
    if (!import_fix_size(c, from->dims[axis], &in) || !import_fix_size(c, to->dims[axis], &out)) return false;
    if (in < 1) return import_invalid(c, "axis %lld has no element", (long long)axis);
    double ratio = (double)out / (double)in;
    if (i == 0 || (larger ? ratio > scale : ratio < scale)) scale = ratio;
  }
  for (int i = 0; i < axes->naxes; i++) {
    tcc_expr_is_const(from->dims[axes->axes[i]], &in);
    to->dims[axes->axes[i]] = import_size(c, (int64_t)floor(scale * (double)in + 0.5));
    scales[axes->axes[i]] = scale;
  }
  return true;
}

static MlirAttribute doubles(ImportCall *c, const double *values, int64_t count) {
  return mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(c->ir, TCC_ELEM_F64, 1, &count), count, values);
}

/* Filters that leave out what is outside, or are stretched, have weights of their own for each element: of sizes that are numbers. */
static bool fix_sizes(ImportCall *c, const ImportShape *from, const ImportShape *to, const double *scales, const double *roi) {
  int64_t size;
  for (int i = 0; i < from->rank; i++) {
    bool whole = !roi || (roi[i] == 0 && roi[from->rank + i] == 1);
    if (from->dims[i] == to->dims[i] && whole && (!scales || scales[i] == 1)) continue;
    if (!import_fix_size(c, from->dims[i], &size) || !import_fix_size(c, to->dims[i], &size)) return false;
  }
  return true;
}

/* nearest_mode, cubic coefficients ... as in ONNX; defaults are those of the opset. */
static bool build(ImportCall *c, MlirValue x, const ImportShape *to, const double *scales, const double *roi, TccStr mode,
                  TccStr coordinates, TccStr nearest) {
  if (tcc_str_is(mode, "bilinear") || tcc_str_is(mode, "trilinear")) mode = tcc_str("linear");
  TccNamedAttr attrs[] = {{"mode", tcc_attr_str(c->ir, mode)},
                          {"coordinates", tcc_attr_str(c->ir, coordinates)},
                          {"nearest", tcc_attr_str(c->ir, nearest)},
                          {"scales", doubles(c, scales, scales ? to->rank : 0)},
                          {"roi", doubles(c, roi, roi ? 2 * to->rank : 0)},
                          {"cubic_coeff", tcc_attr_f64(c->ir, onnx_float(c, "cubic_coeff_a", -0.75))},
                          {"exclude_outside", tcc_attr_bool(c->ir, onnx_int(c, "exclude_outside", 0) != 0)},
                          {"extrapolation", tcc_attr_f64(c->ir, onnx_float(c, "extrapolation_value", 0))},
                          {"antialias", tcc_attr_bool(c->ir, onnx_int(c, "antialias", 0) != 0)}};
  return import_output(c, 0, import_op_typed(c, TCC_OP_RESIZE, &x, 1, attrs, sizeof attrs / sizeof *attrs, to));
}

/* An empty tensor stands for an absent input. */
static bool has_entries(ImportCall *c, size_t input) {
  if (!import_has_input(c, input)) return false;
  ImportShape shape = import_shape(c, import_input(c, input));
  return !import_is_size(import_product(c, shape.dims, shape.rank), 0);
}

static bool apply_scales(ImportCall *c, const Axes *axes, const double *given, const ImportShape *from, ImportShape *to,
                         double *scales) {
  for (int i = 0; i < axes->naxes; i++) {
    int64_t axis = axes->axes[i];
    scales[axis] = given[i];
    to->dims[axis] = scaled_size(c, from->dims[axis], given[i]);
    if (!to->dims[axis])
      return import_unsupported(c, "size '%s' scaled by %g", tcc_expr_text(c->ir->exprs, from->dims[axis]), given[i]);
  }
  return true;
}

/* Whether sizes by the scales of an input are counted: these are data, or there is no expression for what they make of a symbolic size. */
static bool counts_sizes(ImportCall *c, const Axes *axes, size_t input) {
  size_t n;
  const double *known = import_known_reals(c, import_input(c, input), &n);
  const ImportShape from = import_shape(c, import_input(c, 0));
  if (!import_may_count(c)) return false;
  if (!known) return true;
  for (int i = 0; n == (size_t)axes->naxes && i < axes->naxes; i++)
    if (known[i] > 0 && known[i] <= INT32_MAX && !scaled_size(c, from.dims[axes->axes[i]], known[i])) return true;
  return false;
}

/* The sizes are counted, the interpolation is worked out by ops_resize_data.c. */
static bool resize_by_data(ImportCall *c, const Axes *axes, size_t input, TccStr coordinates, TccStr nearest) {
  MlirValue x = import_input(c, 0);
  OnnxScale scales[TCC_MAX_RANK];
  if (import_specialise_given(c, input)) return false;
  if (!onnx_read_scales(c, "scales", input, (size_t)axes->naxes, scales)) return false;
  for (int i = 0; i < axes->naxes; i++) {
    const TccExpr *size = import_shape(c, x).dims[axes->axes[i]];
    if (scales[i].is_known && scales[i].known == 1) continue;
    OnnxResizeAxis axis = {.axis = axes->axes[i],
                           .scale = scales[i].value,
                           .size = scales[i].is_known ? scaled_size(c, size, scales[i].known) : NULL,
                           .mode = onnx_string(c, "mode", "nearest"),
                           .coordinates = coordinates,
                           .nearest = nearest,
                           .cubic = onnx_float(c, "cubic_coeff_a", -0.75)};
    x = onnx_resize_axis(c, x, &axis);
    if (!x.ptr) return false;
  }
  return import_output(c, 0, x);
}

/* The region of tf_crop_and_resize is data. Axes of which all is taken, in as many elements, stay. */
static bool resize_region(ImportCall *c, const Axes *axes, const ImportShape *to, const double *scales, TccStr nearest) {
  const size_t n = (size_t)axes->naxes;
  MlirValue x = import_input(c, 0), y = x;
  OnnxScale region[2 * TCC_MAX_RANK];
  OnnxResizeAxis resized[TCC_MAX_RANK];
  size_t count = 0;
  if (!onnx_read_scales(c, "roi", 1, 2 * n, region)) return false;
  for (size_t i = 0; i < n && y.ptr; i++) {
    const int64_t axis = axes->axes[i];
    const TccExpr *from = import_shape(c, x).dims[axis];
    const OnnxScale *begin = &region[i], *end = &region[n + i];
    if (from == to->dims[axis] && begin->is_known && end->is_known && begin->known == 0 && end->known == 1) continue;
    MlirValue sizes[] = {tcc_build_size(&c->b, to->dims[axis]), tcc_build_size(&c->b, from)};
    for (int k = 0; k < 2; k++) sizes[k] = tcc_build_convert(&c->b, sizes[k], TCC_ELEM_F64);
    resized[count] = (OnnxResizeAxis){.axis = axis,
                                      .scale = scales ? tcc_build_scalar(&c->b, TCC_ELEM_F64, scales[axis])
                                                      : tcc_build2(&c->b, TCC_OP_DIV, sizes[0], sizes[1]),
                                      .begin = begin->value,
                                      .end = end->value,
                                      .size = to->dims[axis],
                                      .mode = onnx_string(c, "mode", "nearest"),
                                      .coordinates = tcc_str("tf_crop_and_resize"),
                                      .nearest = nearest,
                                      .cubic = onnx_float(c, "cubic_coeff_a", -0.75)};
    y = onnx_resize_axis(c, y, &resized[count++]);
  }
  for (size_t i = 0; i < count; i++) y = onnx_resize_outside(c, x, y, &resized[i], onnx_float(c, "extrapolation_value", 0));
  return import_output(c, 0, y);
}

/* Whether the region is data, and the elements may be gathered. */
static bool region_is_data(ImportCall *c) {
  size_t n;
  const bool gathers = tcc_elem_is_float(import_shape(c, import_input(c, 0)).elem) && !onnx_int(c, "antialias", 0) &&
                       !onnx_int(c, "exclude_outside", 0);
  return gathers && has_entries(c, 1) && !import_known_reals(c, import_input(c, 1), &n);
}

bool onnx_op_resize(ImportCall *c) {
  size_t n, scales_input = onnx_call(c)->opset < 11 ? 1 : 2;
  Axes axes;
  double scales[TCC_MAX_RANK], region[2 * TCC_MAX_RANK];
  bool has_scales = true, has_roi = false;
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape from = import_shape(c, x), to = from;
  if (!read_axes(c, from.rank, &axes)) return false;
  for (int i = 0; i < from.rank; i++) scales[i] = 1, region[i] = 0, region[from.rank + i] = 1;
  TccStr coordinates = onnx_string(c, "coordinate_transformation_mode", onnx_call(c)->opset < 11 ? "asymmetric" : "half_pixel");
  const bool crops = tcc_str_is(coordinates, "tf_crop_and_resize"),
             weighs = crops || onnx_int(c, "antialias", 0) || onnx_int(c, "exclude_outside", 0);
  const bool by_data = crops && region_is_data(c);
  if (has_entries(c, scales_input) && !weighs && counts_sizes(c, &axes, scales_input)) {
    return resize_by_data(c, &axes, scales_input, coordinates,
                          onnx_string(c, "nearest_mode", onnx_call(c)->opset < 11 ? "floor" : "round_prefer_floor"));
  }
  if (has_entries(c, scales_input)) {
    const double *given = import_reals(c, scales_input, &n);
    if (!given) return false;
    if (n != (size_t)axes.naxes) return import_invalid(c, "scales has %zu entries", n);
    if (!apply_scales(c, &axes, given, &from, &to, scales)) return false;
  } else if (onnx_call(c)->opset >= 11 && has_entries(c, 3)) {
    TccStr policy = onnx_string(c, "keep_aspect_ratio_policy", "stretch");
    has_scales = !tcc_str_is(policy, "stretch");
    const TccExpr *const *given = has_scales || (weighs && !by_data) ? import_values(c, 3, &n) : import_sizes(c, 3, &n);
    if (!given) return false;
    if (n != (size_t)axes.naxes) return import_invalid(c, "sizes has %zu entries", n);
    for (size_t i = 0; i < n; i++) to.dims[axes.axes[i]] = given[i];
    if (has_scales && !keep_aspect(c, &axes, tcc_str_is(policy, "not_smaller"), &from, &to, scales)) return false;
  } else {
    return import_invalid(c, "neither scales nor sizes are given");
  }
  if (by_data)
    return resize_region(c, &axes, &to, has_scales ? scales : NULL,
                         onnx_string(c, "nearest_mode", onnx_call(c)->opset < 11 ? "floor" : "round_prefer_floor"));
  if (crops) {
    const double *given = import_reals(c, 1, &n);
    if (!given) return false;
    if (n != 2 * (size_t)axes.naxes) return import_invalid(c, "roi has %zu entries", n);
    for (int i = 0; i < axes.naxes; i++) region[axes.axes[i]] = given[i], region[from.rank + axes.axes[i]] = given[axes.naxes + i];
    has_roi = true;
  }
  if (weighs && !fix_sizes(c, &from, &to, has_scales ? scales : NULL, has_roi ? region : NULL)) return false;
  TccStr nearest = onnx_string(c, "nearest_mode", onnx_call(c)->opset < 11 ? "floor" : "round_prefer_floor");
  return build(c, x, &to, has_scales ? scales : NULL, has_roi ? region : NULL, onnx_string(c, "mode", "nearest"), coordinates,
               nearest);
}

/* Resize with asymmetric coordinates, rounded down. */
bool onnx_op_upsample(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape from = import_shape(c, x), to = from;
  double scales[TCC_MAX_RANK], read[TCC_MAX_RANK];
  const double *given = read;
  size_t n;
  Axes axes;
  if (!read_axes(c, from.rank, &axes)) return false;
  if (onnx_call(c)->opset >= 9) {
    if (counts_sizes(c, &axes, 1)) return resize_by_data(c, &axes, 1, tcc_str("asymmetric"), tcc_str("floor"));
    given = import_reals(c, 1, &n);
    if (!given) return false;
  } else {
    const float *floats = NULL;
    n = 0;
    if (!onnx_floats(c, "scales", &floats, &n)) return import_invalid(c, "scales is missing");
    for (size_t i = 0; i < n && i < TCC_MAX_RANK; i++) read[i] = floats[i];
  }
  if (n != (size_t)from.rank) return import_invalid(c, "scales has %zu entries", n);
  return apply_scales(c, &axes, given, &from, &to, scales) &&
         build(c, x, &to, scales, NULL, onnx_string(c, "mode", "nearest"), tcc_str("asymmetric"), tcc_str("floor"));
}

/* An image of onnxruntime's blocks of channels by whole factors; the nearest element is one rounded down. */
bool onnx_op_nchwc_upsample(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape from = import_shape(c, import_input(c, 0)), to = from;
  double scales[TCC_MAX_RANK], given[TCC_MAX_RANK];
  int64_t factors[TCC_MAX_RANK];
  Axes axes;
  if (!read_axes(c, from.rank, &axes) || !onnx_int_list(c, "scales", from.rank, 1, factors)) return false;
  for (int i = 0; i < from.rank; i++) given[i] = (double)factors[i];
  return apply_scales(c, &axes, given, &from, &to, scales) &&
         build(c, import_input(c, 0), &to, scales, NULL, onnx_string(c, "mode", "nearest"),
               onnx_string(c, "coordinate_transformation_mode", "asymmetric"), tcc_str("floor"));
}
