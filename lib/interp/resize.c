/* resize.c - interpolation, one axis after another (the weights are separable).
 *
 * Definitions: ONNX Resize-19 and its reference implementation. For each output position of an axis: the coordinate in
 * the input, the neighbours around it, their weights. Neighbours outside are clamped to the edge, or left out and the
 * rest renormalised (exclude_outside). With antialias the filter is stretched by the scale when shrinking. Where the
 * input coordinate of tf_crop_and_resize lies outside on any axis, the result is the extrapolation value. */
#include "lib/interp/internal.h"
#include <inttypes.h>
#include <math.h>

typedef enum {
  HALF_PIXEL,
  HALF_PIXEL_SYMMETRIC,
  PYTORCH_HALF_PIXEL,
  ALIGN_CORNERS,
  ASYMMETRIC,
  TF_NEAREST,
  TF_CROP,
  COORDINATES
} Coordinates;
typedef enum { NEAREST, LINEAR, CUBIC } Mode;

typedef struct {
  Mode mode;
  Coordinates coordinates;
  char rounding; /* of nearest: 'f' floor, 'c' ceil, '<' prefer floor, '>' prefer ceil */
  double cubic, extrapolation;
  bool exclude_outside, antialias;
  double scale, roi_begin, roi_end; /* of the axis at work */
  int64_t in, out;
} Resize;

static double input_coordinate(const Resize *z, int64_t i) {
  double x = (double)i, in = (double)z->in, length = z->scale * in;
  switch (z->coordinates) {
  case ALIGN_CORNERS: return length == 1 ? 0 : x * (in - 1) / (length - 1);
  case ASYMMETRIC: return x / z->scale;
  case TF_NEAREST: return (x + 0.5) / z->scale;
  case PYTORCH_HALF_PIXEL: return z->out == 1 ? 0 : (x + 0.5) / z->scale - 0.5;
  case HALF_PIXEL_SYMMETRIC: return in / 2 * (1 - (double)z->out / length) + (x + 0.5) / z->scale - 0.5;
  case TF_CROP:
    if (length == 1) return (z->roi_begin + z->roi_end) * (in - 1) / 2;
    return z->roi_begin * (in - 1) + x * (z->roi_end - z->roi_begin) * (in - 1) / (length - 1);
  default: return (x + 0.5) / z->scale - 0.5;
  }
}

static double cubic(double x, double a) {
  x = fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static double nearest_of(char rounding, double x) {
  double low = floor(x), ratio = x - low;
  switch (rounding) {
  case 'f': return low;
  case 'c': return ceil(x);
  case '<': return ratio <= 0.5 ? low : low + 1;
  default: return ratio < 0.5 ? low : low + 1;
  }
}

/* Weights of input positions first, first + 1, ... for output position i; returns how many, or -1 where the value is
 * the extrapolation value. */
static int64_t weights_at(const Resize *z, int64_t i, int64_t *first, double *weights) {
  double x = input_coordinate(z, i);
  if (z->coordinates == TF_CROP && (x < 0 || x > (double)(z->in - 1))) return -1;
  if (z->mode == NEAREST) {
    *first = (int64_t)nearest_of(z->rounding, x);
    weights[0] = 1;
    return 1;
  }
  double stretch = z->antialias && z->scale < 1 ? z->scale : 1;
  int64_t low = (int64_t)floor(x), support = z->mode == LINEAR ? 1 : 2;
  int64_t begin = (int64_t)floor((double)-support / stretch) + 1, n = 2 - 2 * begin;
  double ratio = x - (double)low, sum = 0;
  for (int64_t k = 0; k < n; k++) {
    double distance = ((double)(begin + k) - ratio) * stretch;
    weights[k] = z->mode == LINEAR ? fmax(0, 1 - fabs(distance)) : cubic(distance, z->cubic);
    int64_t at = low + begin + k;
    if (z->exclude_outside && (at < 0 || at >= z->in)) weights[k] = 0;
    sum += weights[k];
  }
  if (z->antialias || z->exclude_outside)
    for (int64_t k = 0; k < n; k++) weights[k] /= sum;
  *first = low + begin;
  return n;
}

/* from seen as [outer, z->in, inner] -> to [outer, z->out, inner] */
static TccStatus *resize_axis(TccEval *e, const Resize *z, int64_t outer, int64_t inner, const double *from, double *to,
                              bool *extrapolated) {
  double stretch = z->antialias && z->scale < 1 ? z->scale : 1;
  double *weights = tcc_interp_scratch(e, (size_t)(8 + 4 * ceil(2 / stretch)) * sizeof *weights);
  if (!weights) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t i = 0; i < z->out; i++) {
    int64_t first = 0, n = weights_at(z, i, &first, weights);
    extrapolated[i] = n < 0;
    for (int64_t o = 0; n > 0 && o < outer; o++) {
      for (int64_t j = 0; j < inner; j++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++) {
          int64_t at = first + k < 0 ? 0 : first + k >= z->in ? z->in - 1 : first + k;
          if (weights[k] != 0) sum += weights[k] * from[(o * z->in + at) * inner + j];
        }
        to[(o * z->out + i) * inner + j] = sum;
      }
    }
  }
  return NULL;
}

/* Floats of an elements attribute; NULL if it is absent or empty. */
static const double *elements(TccEval *e, const char *name, int64_t *out_count) {
  MlirAttribute attribute = tcc_attribute(e->op, name);
  *out_count = 0;
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsADenseElements(attribute)) return NULL;
  int64_t n = mlirElementsAttrGetNumElements(attribute);
  MlirType type = mlirShapedTypeGetElementType(mlirAttributeGetType(attribute));
  bool is_f64 = mlirTypeIsAF64(type);
  if (n == 0 || (!is_f64 && !mlirTypeIsAF32(type))) return NULL;
  double *values = tcc_interp_scratch(e, (size_t)n * sizeof *values);
  if (!values) return NULL;
  bool splat = mlirDenseElementsAttrIsSplat(attribute);
  for (int64_t i = 0; i < n; i++) {
    if (splat)
      values[i] =
          is_f64 ? mlirDenseElementsAttrGetDoubleSplatValue(attribute) : (double)mlirDenseElementsAttrGetFloatSplatValue(attribute);
    else
      values[i] =
          is_f64 ? mlirDenseElementsAttrGetDoubleValue(attribute, i) : (double)mlirDenseElementsAttrGetFloatValue(attribute, i);
  }
  *out_count = n;
  return values;
}

static Resize resize_read(TccEval *e) {
  static const char *const names[COORDINATES] = {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                                 "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
  Resize z = {.roi_end = 1};
  z.mode = tcc_eval_str_is(e, "mode", "nearest") ? NEAREST : tcc_eval_str_is(e, "mode", "linear") ? LINEAR : CUBIC;
  while (z.coordinates < COORDINATES && !tcc_eval_str_is(e, "coordinates", names[z.coordinates])) z.coordinates++;
  z.rounding = tcc_eval_str_is(e, "nearest", "floor")                ? 'f'
               : tcc_eval_str_is(e, "nearest", "ceil")               ? 'c'
               : tcc_eval_str_is(e, "nearest", "round_prefer_floor") ? '<'
                                                                     : '>';
  z.cubic = tcc_f64(e->ir, e->op, "cubic_coeff");
  z.extrapolation = tcc_f64(e->ir, e->op, "extrapolation");
  z.exclude_outside = tcc_bool(e->ir, e->op, "exclude_outside");
  z.antialias = tcc_bool(e->ir, e->op, "antialias");
  return z;
}

/* The nearest number that an integer type has, ties to even. */
static int64_t saturated(TccElem elem, double value) {
  int bits = (int)tcc_elem_bits(elem) - tcc_elem_is_signed(elem);
  double bound = ldexp(1, bits), least = tcc_elem_is_signed(elem) ? -bound : 0;
  value = rint(value);
  if (value < bound) return (int64_t)fmax(value, least);
  return bits == 64 ? -1 : (int64_t)(((uint64_t)1 << bits) - 1);
}

/* scales: one per axis, or none: then the ratio of the sizes. roi: begins of all axes, then ends, or none. */
TccStatus *tcc_eval_resize(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  Resize z = resize_read(e);
  int64_t nscales, nroi, dims[TCC_MAX_RANK], largest = 1;
  const double *scales = elements(e, "scales", &nscales), *roi = elements(e, "roi", &nroi);
  if (x->count == 0 || r->count == 0) return NULL;
  if ((nscales && nscales != x->rank) || (nroi && nroi != 2 * x->rank))
    return TCC_ERROR(TCC_INVALID, "scales or roi of another rank");
  for (int i = 0; i < x->rank; i++) largest *= x->dims[i] > r->dims[i] ? x->dims[i] : r->dims[i];
  memcpy(dims, x->dims, sizeof dims);
  double *from = tcc_interp_scratch(e, (size_t)largest * sizeof *from), *to = tcc_interp_scratch(e, (size_t)largest * sizeof *to);
  bool *extrapolated[TCC_MAX_RANK] = {NULL};
  if (!from || !to) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  bool is_float = r->is_float;
  for (int64_t i = 0; i < x->count; i++) from[i] = tcc_cell_double(x, i);
  for (int i = 0; i < x->rank; i++) {
    z.in = x->dims[i], z.out = r->dims[i];
    z.scale = scales ? scales[i] : (double)z.out / (double)z.in;
    if (roi) z.roi_begin = roi[i], z.roi_end = roi[x->rank + i];
    if (z.in == z.out && z.scale == 1 && z.coordinates != TF_CROP) continue;
    if (!(z.scale > 0)) return TCC_ERROR(TCC_INVALID, "scale of axis %d is not positive", i);
    extrapolated[i] = tcc_interp_scratch(e, (size_t)z.out * sizeof(bool));
    if (!extrapolated[i]) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
    TCC_TRY(resize_axis(e, &z, tcc_product(dims, 0, i), tcc_product(dims, i + 1, x->rank), from, to, extrapolated[i]));
    dims[i] = z.out;
    double *swap = from;
    from = to, to = swap;
  }
  int64_t index[TCC_MAX_RANK] = {0}, at = 0;
  do {
    double value = from[at];
    for (int i = 0; i < r->rank; i++)
      if (extrapolated[i] && extrapolated[i][index[i]]) value = z.extrapolation;
    if (is_float) r->at[at++].f = value;
    else r->at[at++].i = z.mode == CUBIC || z.antialias ? saturated(r->elem, value) : tcc_wrap(r->elem, (int64_t)value);
  } while (tcc_next_index(r->rank, r->dims, index));
  return NULL;
}
