/* ops_resize.c - upsample_*: tcc.resize with torch's coordinates; their gradients as products with constant matrices. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

/* Scales of the spatial axes as torch uses them: those that were given, else 0. */
static bool read_scales(ImportCall *c, int spatial, double *out) {
  static const char *const names[][3] = {{"scales"}, {"scales_h", "scales_w"}, {"scales_d", "scales_h", "scales_w"}};
  const double *given;
  size_t n;
  for (int i = 0; i < spatial; i++) out[i] = 0;
  if (torch_argument(c, "scale_factors")) {
    if (!torch_given(c, "scale_factors")) return true;
    if (!torch_floats(c, "scale_factors", &given, &n) || n != (size_t)spatial)
      return import_invalid(c, "scale_factors must have %d entries", spatial);
    memcpy(out, given, n * sizeof *out);
    return true;
  }
  for (int i = 0; i < spatial; i++)
    if (torch_given(c, names[spatial - 1][i])) out[i] = torch_float(c, names[spatial - 1][i]);
  return true;
}

/* Elements of the input from one of the output to the next. scale: what was given, else 0. */
static bool read_step(ImportCall *c, int64_t in, int64_t out, double scale, bool align, double *step) {
  enum { MOST = 1 << 30 };
  *step = align ? (out > 1 ? (double)(in - 1) / (double)(out - 1) : 0) : scale > 0 ? 1 / scale : (double)in / (double)out;
  return *step <= MOST || import_unsupported(c, "a scale of %g", scale);
}

/* ---- bytes: torch's weights are integers of 16 bits, and it rounds to a byte behind each axis ---- */
static double lanczos_weight(double x) { /* three lobes of sinc, by the middle one of another */
  x = fabs(x);
  return x >= 3 ? 0 : x == 0 ? 1 : 3 * sin(M_PI * x) * sin(M_PI * x / 3) / (M_PI * M_PI * x * x);
}

static double cubic_weight(double x, double a) { /* Keys */
  x = fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* in * out entries: how much of output o comes from input i, in units of 2^-*out_bits. */
static const double *byte_matrix(ImportCall *c, int64_t in, int64_t out, double scale, bool align, int *out_bits) {
  enum { MOST_BITS = 22, WEIGHT_BITS = 15 };
  const bool cubic = c->kind == RESIZE_CUBIC || c->kind == RESIZE_CUBIC_AA, smooth = c->kind >= RESIZE_LINEAR_AA,
             lanczos = c->kind == RESIZE_LANCZOS_AA;
  double *matrix = torch_axis_matrix(c, in, out), most = 0, step;
  if (!matrix || !read_step(c, in, out, scale, align, &step)) return NULL;
  const double wide = smooth && step > 1 ? step : 1,
               support = (lanczos ? 3
                          : cubic ? 2
                                  : 1) *
                         wide,
               corner = align && !smooth ? 0.5 : 0;
  for (int64_t o = 0; o < out; o++) {
    const double centre = step * ((double)o + 0.5 - corner);
    int64_t first = (int64_t)floor(centre - support + 0.5 + corner), last = (int64_t)floor(centre + support + 0.5 + corner);
    double sum = 0;
    if (smooth && first < 0) first = 0;
    if (smooth && last > in) last = in;
    for (int pass = 0; pass < 2;
         pass++) /* the sum, then the weights; without antialiasing the outermost pixels stand for those beyond */
      for (int64_t i = first; i < last; i++) {
        const double far = ((double)i - centre + 0.5 - corner) / wide;
        const double w = lanczos         ? lanczos_weight(far)
                         : cubic         ? cubic_weight(far, smooth ? -0.5 : -0.75)
                         : fabs(far) < 1 ? 1 - fabs(far)
                                         : 0;
        if (!pass) sum += w;
        else if (sum != 0) matrix[(i < 0 ? 0 : i >= in ? in - 1 : i) * out + o] += w / sum;
      }
  }
  for (int64_t i = 0; i < in * out; i++) most = fmax(most, matrix[i]);
  int bits = 0;
  while (bits < MOST_BITS && (int)(0.5 + most * (1 << (bits + 1))) < 1 << WEIGHT_BITS) bits++;
  for (int64_t i = 0; i < in * out; i++) matrix[i] = trunc(matrix[i] * (1 << bits) + (matrix[i] < 0 ? -0.5 : 0.5));
  *out_bits = bits;
  return matrix;
}

/* x of bytes [N, C, sizes]; axes from the last to the first. given: scales, 0 where none was given. */
static MlirValue upsample_bytes(ImportCall *c, MlirValue x, const ImportShape *from, const ImportShape *to, const double *given,
                                bool align) {
  MlirValue y = torch_convert(c, x, TCC_ELEM_I32);
  for (int a = from->rank - 1; a >= 2; a--) {
    int64_t in, out;
    int bits;
    if (!torch_fixed(c, from->dims[a], &in) || !torch_fixed(c, to->dims[a], &out)) return (MlirValue){NULL};
    if (in < 1 || out < 1) return import_unsupported(c, "a size of 0"), (MlirValue){NULL};
    const double *matrix = byte_matrix(c, in, out, given[a - 2], align, &bits);
    if (!matrix) return (MlirValue){NULL};
    y = torch_plus(c, torch_axis_product(c, y, a, matrix, in, out), bits ? 1 << (bits - 1) : 0);
    y = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, y, torch_constant(c, TCC_ELEM_I32, bits));
    y = tcc_build2_number(&c->b, TCC_OP_MIN, tcc_build2_number(&c->b, TCC_OP_MAX, y, 0), 255);
  }
  return torch_convert(c, y, TCC_ELEM_U8);
}

/* resize_matrix with antialiasing: triangles, cubics or windowed sines as wide as the step where that is more than 1, each row's sum being 1. Aligned corners are a step alone. */
static const double *smooth_matrix(ImportCall *c, int64_t in, int64_t out, double scale, bool align) {
  double *matrix = torch_axis_matrix(c, out, in), step;
  if (!matrix || !read_step(c, in, out, scale, align, &step)) return NULL;
  const bool cubic = c->kind == RESIZE_CUBIC_AA, lanczos = c->kind == RESIZE_LANCZOS_AA;
  const double width = step > 1 ? step : 1, support = (lanczos ? 3 : cubic ? 2 : 1) * width;
  for (int64_t o = 0; o < out; o++) {
    const double centre = step * ((double)o + 0.5);
    double *row = matrix + o * in, sum = 0;
    int64_t first = (int64_t)(centre - support + 0.5), last = (int64_t)(centre + support + 0.5);
    if (first < 0) first = 0;
    if (last > in) last = in;
    for (int64_t i = first; i < last; i++) {
      const double far = fabs((double)i - centre + 0.5) / width;
      row[i] = lanczos ? lanczos_weight(far) : cubic ? cubic_weight(far, -0.5) : far < 1 ? 1 - far : 0;
      sum += row[i];
    }
    for (int64_t i = first; i < last && sum != 0; i++) row[i] /= sum;
  }
  return matrix;
}

/* What tcc.resize has no mode for. */
static MlirValue upsample_by_matrices(ImportCall *c, MlirValue x, const ImportShape *from, const ImportShape *to,
                                      const double *given, bool align) {
  MlirValue y = torch_convert(c, x, torch_wide(from->elem));
  for (int a = from->rank - 1; a >= 2; a--) {
    int64_t in, out;
    if (!torch_fixed(c, from->dims[a], &in) || !torch_fixed(c, to->dims[a], &out)) return (MlirValue){NULL};
    if (in < 1 || out < 1) return import_unsupported(c, "a size of 0"), (MlirValue){NULL};
    const double *rows = smooth_matrix(c, in, out, given[a - 2], align);
    double *matrix = rows ? torch_axis_matrix(c, in, out) : NULL;
    if (!matrix) return (MlirValue){NULL};
    for (int64_t i = 0; i < in * out; i++) matrix[i % in * out + i / in] = rows[i];
    y = torch_axis_product(c, y, a, matrix, in, out);
  }
  return y;
}

bool torch_op_upsample(ImportCall *c) {
  static const char *const modes[] = {"nearest", "nearest", "linear", "cubic", "linear", "cubic"};
  double scales[TCC_MAX_RANK], given[3];
  const TccExpr *const *wanted;
  size_t n;
  bool align = false, any = false, antialias = c->kind >= RESIZE_LINEAR_AA;
  const char *input = torch_argument(c, "input") ? "input" : "self";
  MlirValue x = torch_tensor(c, input);
  ImportShape from = import_shape(c, x), to = from;
  int spatial = from.rank - 2;
  if (!x.ptr) return false;
  if (spatial < 1 || spatial > 3) return import_unsupported(c, "an input of rank %d", from.rank);
  const bool bytes = c->kind >= RESIZE_LINEAR && from.elem == TCC_ELEM_U8 && spatial == 2;
  if (c->kind >= RESIZE_LINEAR && !bytes && !tcc_elem_is_float(from.elem))
    return import_unsupported(c, "%s in %d axes", tcc_elem_name(from.elem), spatial);
  if (!read_scales(c, spatial, given)) return false;
  if (torch_given(c, "output_size")) {
    if (!torch_sizes(c, "output_size", &wanted, &n)) return false;
    if (n != (size_t)spatial) return import_invalid(c, "output_size has %zu entries", n);
    for (int i = 0; i < spatial; i++) to.dims[i + 2] = wanted[i];
  } else {
    ImportShape declared = torch_declared(c, 0);
    if (declared.rank != from.rank) return import_unsupported(c, "a result of unknown size");
    to = declared, to.elem = from.elem;
  }
  if (c->kind >= RESIZE_LINEAR) align = torch_bool(c, "align_corners");
  if (bytes) return torch_output(c, 0, upsample_bytes(c, x, &from, &to, given, align));
  if (c->kind == RESIZE_LANCZOS_AA)
    return torch_output(c, 0, torch_convert(c, upsample_by_matrices(c, x, &from, &to, given, align), from.elem));
  for (int i = 0; i < from.rank; i++) scales[i] = 1;
  for (int i = 0; i < spatial; i++) {
    int64_t in, out;
    scales[i + 2] = given[i];
    any |= given[i] > 0;
    if (given[i] > 0) continue;
    if (tcc_expr_is_const(from.dims[i + 2], &in) && tcc_expr_is_const(to.dims[i + 2], &out) && in > 0)
      scales[i + 2] = (double)out / (double)in;
    else scales[i + 2] = 0;
  }
  for (int i = 0; any && i < spatial; i++)
    if (!(scales[i + 2] > 0)) return import_unsupported(c, "scales for some symbolic axes");
  if (antialias && align) { /* torch aligns no corners then: it takes half pixels, at the scale that aligned corners have */
    for (int i = 0; i < spatial; i++) {
      int64_t in, out;
      if (!torch_fixed(c, from.dims[i + 2], &in) || !torch_fixed(c, to.dims[i + 2], &out)) return false;
      if (in < 2 || out < 2) return import_unsupported(c, "aligned corners of an axis of size 1, with antialiasing");
      scales[i + 2] = (double)(out - 1) / (double)(in - 1);
    }
    align = false, any = true;
  }
  int64_t count = any && !align ? from.rank : 0, none = 0;
  TccNamedAttr attrs[] = {
      {"mode", tcc_attr_str(c->ir, tcc_str(modes[c->kind]))},
      {"coordinates", tcc_attr_str(c->ir, tcc_str(c->kind == RESIZE_NEAREST ? "asymmetric"
                                                  : align                   ? "align_corners"
                                                                            : "half_pixel"))},
      {"nearest", tcc_attr_str(c->ir, tcc_str(c->kind == RESIZE_NEAREST_EXACT ? "round_prefer_ceil" : "floor"))},
      {"scales", mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(c->ir, TCC_ELEM_F64, 1, &count), count, scales)},
      {"roi", mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(c->ir, TCC_ELEM_F64, 1, &none), 0, NULL)},
      {"cubic_coeff", tcc_attr_f64(c->ir, antialias ? -0.5 : -0.75)},
      {"antialias", tcc_attr_bool(c->ir, antialias)},
      {"exclude_outside", tcc_attr_bool(c->ir, antialias)}};
  if (c->kind >= RESIZE_LINEAR) x = torch_convert(c, x, to.elem = torch_wide(from.elem)); /* rounded once, behind the last axis */
  MlirValue y = x.ptr ? import_op_typed(c, TCC_OP_RESIZE, &x, 1, attrs, sizeof attrs / sizeof *attrs, &to) : x;
  return torch_output(c, 0, torch_convert(c, y, from.elem));
}

/* ---- gradients ---- */
/* out * in entries: how much of output o came from input i. */
static const double *resize_matrix(ImportCall *c, int64_t in, int64_t out, double scale, bool align) {
  if (c->kind >= RESIZE_LINEAR_AA) return smooth_matrix(c, in, out, scale, align);
  double *matrix = torch_axis_matrix(c, out, in), step;
  if (!matrix || !read_step(c, in, out, scale, align, &step)) return NULL;
  for (int64_t o = 0; o < out; o++) {
    double at = align ? step * (double)o : step * ((double)o + 0.5) - 0.5;
    double *row = matrix + o * in;
    int64_t low;
    if (c->kind == RESIZE_NEAREST || c->kind == RESIZE_NEAREST_EXACT) { /* torch computes these in f32 */
      float f = (float)step;
      low = (int64_t)floorf(c->kind == RESIZE_NEAREST ? (float)o * f : ((float)o + 0.5f) * f);
      row[low < in ? low : in - 1] = 1;
      continue;
    }
    if (c->kind == RESIZE_LINEAR && at < 0) at = 0;
    low = (int64_t)floor(at);
    for (int64_t k = c->kind == RESIZE_LINEAR ? 0 : -1; k <= (c->kind == RESIZE_LINEAR ? 1 : 2); k++) {
      int64_t i = low + k < 0 ? 0 : low + k >= in ? in - 1 : low + k;
      double distance = at - (double)(low + k);
      row[i] += c->kind == RESIZE_LINEAR ? 1 - fabs(distance) : cubic_weight(distance, -0.75);
    }
  }
  return matrix;
}

bool torch_op_upsample_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output");
  ImportShape gs = import_shape(c, grad);
  const TccExpr *const *wanted;
  size_t n;
  double scales[3];
  int spatial = gs.rank - 2;
  if (!grad.ptr || !torch_sizes(c, "input_size", &wanted, &n)) return false;
  if (n != (size_t)gs.rank || spatial < 1 || spatial > 3) return import_invalid(c, "input_size has %zu entries", n);
  if (!read_scales(c, spatial, scales)) return false;
  bool align = c->kind >= RESIZE_LINEAR && torch_bool(c, "align_corners");
  MlirValue y = torch_convert(c, grad, torch_wide(gs.elem));
  for (int i = 0; i < spatial; i++) {
    int64_t in, out;
    if (!torch_fixed(c, wanted[i + 2], &in) || !torch_fixed(c, gs.dims[i + 2], &out)) return false;
    if (in < 1 || out < 1) return import_unsupported(c, "a size of 0");
    y = torch_axis_product(c, y, i + 2, resize_matrix(c, in, out, scales[i], align), out, in);
  }
  return torch_output(c, 0, torch_convert(c, y, gs.elem));
}
