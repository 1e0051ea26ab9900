/* resize.c - expansion of resize: axis by axis, a gather per tap and a weighted sum.
 *
 * Of a static axis the indices and weights are constants; of a symbolic one they are computed from an iota, in f64,
 * because an index must not be off by one. A stretched filter (antialias) has as many taps as the scale is small: these are
 * summed as an axis of their own, or, where they are a good part of the axis, the weights are a matrix and the axis is contracted.
 * Coordinates and weights: ONNX Resize-19. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"
#include <math.h>

typedef struct {
  TccExpand *x;
  bool linear, cubic; /* neither: nearest */
  TccStr coordinates, rounding;
  double coefficient;
  bool exclude_outside, antialias, crop;
  bool innermost; /* the last axis is resized, too */
  int nrepeated;
  int64_t times[TCC_MAX_RANK]; /* elements of an axis are repeated so often, 0: they are not */
  /* the axis at work */
  int axis;
  const TccExpr *in, *out;
  bool has_scale;
  double scale, begin, end;
} Resize;

enum {
  MOST_TAPS = 4,
  MATRIX_GAINS = 6, /* a product does so many multiply-adds in the time of one of a sum of rows */
  MOST_REPEATED = 4,
  MOST_DOUBLED = 3 /* axes of one view */
};

/* ---- static axes ---- */
static double coordinate(const Resize *z, double i, double in, double out) {
  double scale = z->has_scale ? z->scale : out / in, length = scale * in;
  if (tcc_str_is(z->coordinates, "align_corners")) return length == 1 ? 0 : i * (in - 1) / (length - 1);
  if (tcc_str_is(z->coordinates, "asymmetric")) return i / scale;
  if (tcc_str_is(z->coordinates, "tf_half_pixel_for_nn")) return (i + 0.5) / scale;
  if (z->crop) {
    if (length == 1) return (z->begin + z->end) * (in - 1) / 2;
    return z->begin * (in - 1) + i * (z->end - z->begin) * (in - 1) / (length - 1);
  }
  if (tcc_str_is(z->coordinates, "pytorch_half_pixel") && out == 1) return 0;
  double half = (i + 0.5) / scale - 0.5;
  return tcc_str_is(z->coordinates, "half_pixel_symmetric") ? half + in / 2 * (1 - out / length) : half;
}

static double kernel(const Resize *z, double distance) {
  double d = fabs(distance), a = z->coefficient;
  if (z->linear) return d < 1 ? 1 - d : 0;
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

static int64_t clamp_index(int64_t i, int64_t size) { return i < 0 ? 0 : i >= size ? size - 1 : i; }

static int64_t nearest_index(const Resize *z, double c) {
  if (tcc_str_is(z->rounding, "floor")) return (int64_t)floor(c);
  if (tcc_str_is(z->rounding, "ceil")) return (int64_t)ceil(c);
  return (int64_t)(tcc_str_is(z->rounding, "round_prefer_floor") ? ceil(c - 0.5) : floor(c + 0.5));
}

static MlirValue gather_constant(Resize *z, MlirValue v, const int64_t *indices, int64_t n) {
  return tcc_build_gather(z->x->b, v, tcc_build_constant(z->x->b, TCC_ELEM_I64, 1, &n, indices), z->axis);
}

/* A constant vector along the axis, broadcasting over the rest. */
static MlirValue along_axis(Resize *z, TccElem elem, const void *data, int64_t n, int rank) {
  int64_t dims[TCC_MAX_RANK];
  for (int i = 0; i < rank - z->axis; i++) dims[i] = i ? 1 : n;
  return tcc_build_constant(z->x->b, elem, rank - z->axis, dims, data);
}

/* Each element of an axis `times` times, where that is more than once: two views of all axes together. */
static MlirValue repeated(Resize *z, MlirValue v, const TccShape *out) {
  const TccExpr *dims[2 * TCC_MAX_RANK];
  TccShape in;
  int rank = 0, doubled[TCC_MAX_RANK], n = 0;
  if (!tcc_ex_shape(z->x, v, &in)) return (MlirValue){NULL};
  for (int i = 0; i < in.rank; i++) {
    dims[rank++] = in.dims[i];
    if (z->times[i] > 1) doubled[n++] = rank, dims[rank++] = tcc_ex_const(z->x, 1);
  }
  if (!n) return v;
  v = tcc_build_reshape(z->x->b, v, rank, dims);
  for (int i = 0, d = 0; i < in.rank; i++)
    if (z->times[i] > 1) dims[doubled[d++]] = tcc_ex_const(z->x, z->times[i]);
  if (v.ptr) v = tcc_build_broadcast(z->x->b, v, rank, dims);
  return v.ptr ? tcc_build_reshape(z->x->b, v, out->rank, out->dims) : v;
}

/* Whether output i reads input i / times, in an image whose rows are stretched that way: there a table of indices costs a gather for
 * each vector, and views none. Where the innermost axis stays, whole rows are read by one index. */
static bool repeats(const Resize *z, const int64_t *first, int64_t in, int64_t out) {
  if (!z->innermost || z->nrepeated == MOST_DOUBLED || in < 1 || out % in || out / in < 2 || out / in > MOST_REPEATED) return false;
  for (int64_t i = 0; i < out; i++)
    if (first[i] != i / (out / in)) return false;
  return true;
}

/* Weights of all outputs, n taps each, summed with the gathered taps; tap k of output i reads first[i] + k, clamped. */
static MlirValue weighted_taps(Resize *z, MlirValue v, int rank, int64_t in, int64_t out, int64_t taps, const int64_t *first,
                               const double *weights) {
  TccExpand *x = z->x;
  int64_t *indices = TCC_NEW_ARRAY(x->scratch, int64_t, out);
  double *column = TCC_NEW_ARRAY(x->scratch, double, out);
  unsigned char *bytes = TCC_NEW_ARRAY(x->scratch, unsigned char, tcc_elem_bytes(x->compute, (size_t)out));
  MlirValue sum = {NULL};
  for (int64_t k = 0; k < taps; k++) {
    for (int64_t i = 0; i < out; i++) {
      indices[i] = clamp_index(first[i] + k, in);
      column[i] = weights[i * taps + k];
      tcc_elem_store_f64(x->compute, bytes, (size_t)i, column[i]);
    }
    MlirValue term = tcc_build2(x->b, TCC_OP_MUL, gather_constant(z, v, indices, out), along_axis(z, x->compute, bytes, out, rank));
    sum = k ? tcc_build2(x->b, TCC_OP_ADD, sum, term) : term;
  }
  return sum;
}

/* Whether few elements lie side by side behind the axis: rows of it cannot be read as vectors. */
static bool has_short_rows(const Resize *z, const TccShape *shape) {
  enum { SHORT = 64 };
  int64_t all = 1, size;
  for (int i = z->axis + 1; i < shape->rank; i++) {
    if (!tcc_expr_is_const(shape->dims[i], &size) || size >= SHORT) return false;
    all *= size;
  }
  return all < SHORT;
}

/* The same as one sum along an axis of taps: [..., out, taps, ...]. Where rows are short the axis moves to the front meanwhile. */
static MlirValue summed_taps(Resize *z, MlirValue v, int64_t in, int64_t out, int64_t taps, const int64_t *first,
                             const double *weights) {
  TccExpand *x = z->x;
  TccShape shape;
  if (!tcc_ex_shape(x, v, &shape)) return (MlirValue){NULL};
  const bool moves = z->axis && has_short_rows(z, &shape);
  const int64_t axis = moves ? 0 : z->axis, of_taps = axis + 1, dims[] = {out, taps};
  int64_t perm[TCC_MAX_RANK], back[TCC_MAX_RANK], column[TCC_MAX_RANK] = {out, taps};
  int64_t *indices = TCC_NEW_ARRAY(x->scratch, int64_t, out *taps);
  unsigned char *bytes = TCC_NEW_ARRAY(x->scratch, unsigned char, tcc_elem_bytes(x->compute, (size_t)(out * taps)));
  for (int i = 0; i < shape.rank; i++) {
    perm[i] = i == 0 ? z->axis : i <= z->axis ? i - 1 : i;
    back[perm[i]] = i;
  }
  for (int i = 2; i <= shape.rank; i++) column[i] = 1;
  for (int64_t i = 0; i < out * taps; i++) {
    indices[i] = clamp_index(first[i / taps] + i % taps, in);
    tcc_elem_store_f64(x->compute, bytes, (size_t)i, weights[i]);
  }
  if (moves) v = tcc_build_transpose(x->b, v, perm);
  v = tcc_build_gather(x->b, v, tcc_build_constant(x->b, TCC_ELEM_I64, 2, dims, indices), axis);
  v = tcc_build2(x->b, TCC_OP_MUL, v, tcc_build_constant(x->b, x->compute, shape.rank + 1 - (int)axis, column, bytes));
  v = tcc_build_reduce(x->b, "sum", v, &of_taps, 1, false);
  return moves ? tcc_build_transpose(x->b, v, back) : v;
}

/* The same with a dense matrix [out, in]. */
static MlirValue weight_matrix(Resize *z, MlirValue v, int rank, int64_t in, int64_t out, int64_t taps, const int64_t *first,
                               const double *weights) {
  TccExpand *x = z->x;
  double *row = TCC_NEW_ARRAY(x->scratch, double, in);
  unsigned char *bytes = TCC_NEW_ARRAY(x->scratch, unsigned char, tcc_elem_bytes(x->compute, (size_t)(in * out)));
  for (int64_t i = 0; i < out; i++) {
    memset(row, 0, (size_t)in * sizeof *row);
    for (int64_t k = 0; k < taps; k++) row[clamp_index(first[i] + k, in)] += weights[i * taps + k];
    for (int64_t k = 0; k < in; k++) tcc_elem_store_f64(x->compute, bytes, (size_t)(i * in + k), row[k]);
  }
  MlirValue matrix = tcc_build_constant(x->b, x->compute, 2, (int64_t[]){out, in}, bytes);
  MlirValue product = tcc_ex_dot(x, v, matrix, 0, z->axis, 1); /* the axis is now the last */
  int64_t perm[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) perm[i] = i < z->axis ? i : i == z->axis ? rank - 1 : i - 1;
  return tcc_build_transpose(x->b, product, perm);
}

/* Tables of an axis grow with its size, which an input of a few bytes may ask for. False after a diagnostic. */
static bool has_room(Resize *z, int64_t in, int64_t out, int64_t taps) {
  enum { BYTES_OF_TAP = 48 /* index and weight, here, in the constant and in the plan */, BYTES_OF_PAIR = 24, BYTES_OF_PLACE = 32 };
  size_t each, all;
  bool sane = taps <= MOST_TAPS ? tcc_mul_size((size_t)taps, BYTES_OF_TAP, &each) : tcc_mul_size((size_t)in, BYTES_OF_PAIR, &each);
  sane = sane && tcc_add_size(each, BYTES_OF_PLACE, &each) && tcc_mul_size(each, (size_t)out, &all);
  return mlirLogicalResultIsSuccess(tcc_limit_check_bytes(z->x->ir, z->x->op, sane ? all : SIZE_MAX));
}

/* Sets *outside to a bool vector of the axis where the result is the extrapolation value, if there are any such. */
static MlirValue static_axis(Resize *z, MlirValue v, int rank, int64_t in, int64_t out, MlirValue *outside) {
  TccExpand *x = z->x;
  double scale = z->has_scale ? z->scale : (double)out / (double)in, stretch = z->antialias && scale < 1 ? scale : 1;
  int64_t begin = (int64_t)floor((z->cubic ? -2 : -1) / stretch) + 1, taps = 2 - 2 * begin;
  if (!has_room(z, in, out, taps)) return (MlirValue){NULL};
  int64_t *first = TCC_NEW_ARRAY(x->scratch, int64_t, out);
  double *weights = TCC_NEW_ARRAY(x->scratch, double, (size_t)(out * taps));
  unsigned char *beyond = TCC_NEW_ARRAY(x->scratch, unsigned char, out);
  bool any_beyond = false;
  for (int64_t i = 0; i < out; i++) {
    double c = coordinate(z, (double)i, (double)in, (double)out), sum = 0;
    beyond[i] = z->crop && (c < 0 || c > (double)(in - 1));
    any_beyond = any_beyond || beyond[i];
    if (!z->linear && !z->cubic) {
      first[i] = clamp_index(nearest_index(z, c), in);
      continue;
    }
    first[i] = (int64_t)floor(c) + begin;
    for (int64_t k = 0; k < taps; k++) {
      int64_t at = first[i] + k;
      double weight = z->exclude_outside && (at < 0 || at >= in) ? 0 : kernel(z, (c - (double)at) * stretch);
      weights[i * taps + k] = weight;
      sum += weight;
    }
    for (int64_t k = 0; (z->antialias || z->exclude_outside) && k < taps; k++) weights[i * taps + k] /= sum;
  }
  if (any_beyond) *outside = along_axis(z, TCC_ELEM_BOOL, beyond, out, rank);
  if (!z->linear && !z->cubic) {
    if (!repeats(z, first, in, out)) return gather_constant(z, v, first, out);
    z->times[z->axis] = out / in, z->nrepeated++;
    return v;
  }
  if (taps <= MOST_TAPS) return weighted_taps(z, v, rank, in, out, taps, first, weights);
  if (taps <= in / MATRIX_GAINS && rank < TCC_MAX_RANK) return summed_taps(z, v, in, out, taps, first, weights);
  return weight_matrix(z, v, rank, in, out, taps, first, weights);
}

/* ---- symbolic axes: the same in ops, in f64 ---- */
static MlirValue f64(Resize *z, double value) { return tcc_build_scalar(z->x->b, TCC_ELEM_F64, value); }
static MlirValue op2(Resize *z, TccOpKind kind, MlirValue a, MlirValue b) { return tcc_build2(z->x->b, kind, a, b); }

static MlirValue symbolic_coordinate(Resize *z, MlirValue i, MlirValue in, MlirValue out) {
  MlirValue one = f64(z, 1), half = f64(z, 0.5);
  MlirValue scale = z->has_scale ? f64(z, z->scale) : op2(z, TCC_OP_DIV, out, in);
  MlirValue length = z->has_scale ? op2(z, TCC_OP_MUL, scale, in) : out;
  if (tcc_str_is(z->coordinates, "asymmetric")) return op2(z, TCC_OP_DIV, i, scale);
  bool counts = tcc_str_is(z->coordinates, "pytorch_half_pixel"); /* elements, where align_corners takes the exact length */
  MlirValue single = tcc_build_compare(z->x->b, "eq", counts ? out : length, one);
  if (tcc_str_is(z->coordinates, "align_corners")) {
    MlirValue spread = op2(z, TCC_OP_DIV, op2(z, TCC_OP_MUL, i, op2(z, TCC_OP_SUB, in, one)), op2(z, TCC_OP_SUB, length, one));
    return tcc_build_select(z->x->b, single, f64(z, 0), spread);
  }
  MlirValue centre = op2(z, TCC_OP_DIV, op2(z, TCC_OP_ADD, i, half), scale);
  if (tcc_str_is(z->coordinates, "tf_half_pixel_for_nn")) return centre;
  MlirValue c = op2(z, TCC_OP_SUB, centre, half);
  if (counts) return tcc_build_select(z->x->b, single, f64(z, 0), c);
  if (tcc_str_is(z->coordinates, "half_pixel_symmetric"))
    return op2(z, TCC_OP_ADD, c,
               op2(z, TCC_OP_MUL, op2(z, TCC_OP_MUL, in, half), op2(z, TCC_OP_SUB, one, op2(z, TCC_OP_DIV, out, length))));
  return c;
}

/* Gathers at index (f64, whole numbers), clamped to the axis. */
static MlirValue gather_clamped(Resize *z, MlirValue v, MlirValue index, MlirValue in) {
  MlirValue last = op2(z, TCC_OP_SUB, in, f64(z, 1));
  index = op2(z, TCC_OP_MAX, op2(z, TCC_OP_MIN, index, last), f64(z, 0));
  return tcc_build_gather(z->x->b, v, tcc_build_convert(z->x->b, index, TCC_ELEM_I64), z->axis);
}

/* Keys' cubic at a distance in [0, 1] or [1, 2] */
static MlirValue cubic_weight(Resize *z, MlirValue d, bool near) {
  double a = z->coefficient;
  double p[4] = {near ? a + 2 : a, near ? -(a + 3) : -5 * a, near ? 0 : 8 * a, near ? 1 : -4 * a};
  MlirValue r = f64(z, p[0]);
  for (int i = 1; i < 4; i++) r = op2(z, TCC_OP_ADD, op2(z, TCC_OP_MUL, r, d), f64(z, p[i]));
  return r;
}

/* How often the elements of an axis are repeated, whatever its size; 0: not so. Coordinates of a whole scale are the same again an
 * element later, so that a few tell all, unless the size stands in them. */
static int64_t symbolic_repeats(const Resize *z) {
  enum { FEW_IN = 4 };
  int64_t times = z->has_scale ? (int64_t)z->scale : 0, first[FEW_IN * MOST_REPEATED];
  TccExprPool *exprs = z->x->ir->exprs;
  if (z->crop || times < 2 || times > MOST_REPEATED || (double)times != z->scale || tcc_str_is(z->coordinates, "align_corners") ||
      z->out != tcc_expr_mul(exprs, z->in, tcc_expr_const(exprs, times)))
    return 0;
  for (int64_t i = 0; i < FEW_IN * times; i++)
    first[i] = clamp_index(nearest_index(z, coordinate(z, (double)i, FEW_IN, (double)(FEW_IN * times))), FEW_IN);
  return repeats(z, first, FEW_IN, FEW_IN * times) ? times : 0;
}

static MlirValue symbolic_axis(Resize *z, MlirValue v, int rank) {
  TccExpand *x = z->x;
  if (!z->linear && !z->cubic && (z->times[z->axis] = symbolic_repeats(z)) > 0) {
    z->nrepeated++;
    return v;
  }
  if (z->antialias || z->exclude_outside || z->crop) {
    tcc_ex_fail(x, "with antialias, exclude_outside or tf_crop_and_resize is expanded for static sizes only, not '%s' to '%s'",
                tcc_expr_text(x->ir->exprs, z->in), tcc_expr_text(x->ir->exprs, z->out));
    return (MlirValue){NULL};
  }
  MlirValue in = tcc_ex_size(x, z->in, TCC_ELEM_F64), out = tcc_ex_size(x, z->out, TCC_ELEM_F64);
  MlirValue c = symbolic_coordinate(z, tcc_build_iota(x->b, TCC_ELEM_F64, 0, 1, &z->out), in, out);
  if (!z->linear && !z->cubic) {
    MlirValue index;
    if (tcc_str_is(z->rounding, "floor")) index = tcc_build1(x->b, TCC_OP_FLOOR, c);
    else if (tcc_str_is(z->rounding, "ceil")) index = tcc_build1(x->b, TCC_OP_CEIL, c);
    else if (tcc_str_is(z->rounding, "round_prefer_floor"))
      index = tcc_build1(x->b, TCC_OP_CEIL, op2(z, TCC_OP_SUB, c, f64(z, 0.5)));
    else index = tcc_build1(x->b, TCC_OP_FLOOR, op2(z, TCC_OP_ADD, c, f64(z, 0.5)));
    return gather_clamped(z, v, index, in);
  }
  MlirValue low = tcc_build1(x->b, TCC_OP_FLOOR, c), ratio = op2(z, TCC_OP_SUB, c, low),
            rest = op2(z, TCC_OP_SUB, f64(z, 1), ratio), sum = {NULL};
  for (int k = z->cubic ? -1 : 0; k <= (z->cubic ? 2 : 1); k++) {
    MlirValue weight;
    if (z->linear) weight = k ? ratio : rest;
    else if (k <= 0) weight = cubic_weight(z, k ? op2(z, TCC_OP_ADD, ratio, f64(z, 1)) : ratio, k == 0);
    else weight = cubic_weight(z, k == 1 ? rest : op2(z, TCC_OP_ADD, rest, f64(z, 1)), k == 1);
    weight = tcc_ex_column(x, tcc_build_convert(x->b, weight, x->compute), rank - 1 - z->axis);
    MlirValue at = k ? op2(z, TCC_OP_ADD, low, f64(z, k)) : low;
    MlirValue term = op2(z, TCC_OP_MUL, gather_clamped(z, v, at, in), weight);
    sum = sum.ptr ? op2(z, TCC_OP_ADD, sum, term) : term;
  }
  return sum;
}

/* ---- the op ---- */
static int64_t read_elements(TccExpand *x, const char *name, double *out) {
  MlirAttribute attr = tcc_attribute(x->op, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseElements(attr)) return 0;
  int64_t n = mlirElementsAttrGetNumElements(attr);
  if (n == 0 || n > 2 * TCC_MAX_RANK) return 0;
  bool wide = mlirTypeIsAF64(mlirShapedTypeGetElementType(mlirAttributeGetType(attr))), splat = mlirDenseElementsAttrIsSplat(attr);
  for (int64_t i = 0; i < n; i++) {
    if (splat)
      out[i] = wide ? mlirDenseElementsAttrGetDoubleSplatValue(attr) : (double)mlirDenseElementsAttrGetFloatSplatValue(attr);
    else out[i] = wide ? mlirDenseElementsAttrGetDoubleValue(attr, i) : (double)mlirDenseElementsAttrGetFloatValue(attr, i);
  }
  return n;
}

/* Floats as whole numbers that x->elem holds. The greatest of a wide type are no f32: the next one below is taken. */
static MlirValue saturated(TccExpand *x, MlirValue v) {
  int bits = (int)tcc_elem_bits(x->elem) - tcc_elem_is_signed(x->elem);
  double most = ldexp(1, bits) - (bits > 24 ? ldexp(1, bits - 24) : 1), least = tcc_elem_is_signed(x->elem) ? -ldexp(1, bits) : 0;
  v = tcc_build1(x->b, TCC_OP_ROUND, v);
  v = tcc_build2(x->b, TCC_OP_MIN, v, tcc_build_scalar(x->b, x->compute, most));
  return tcc_build2(x->b, TCC_OP_MAX, v, tcc_build_scalar(x->b, x->compute, least));
}

bool tcc_expand_resize(TccExpand *x, MlirValue *results) {
  Resize z = {.x = x, .end = 1};
  TccStr mode = tcc_string(x->ir, x->op, "mode");
  z.linear = tcc_str_is(mode, "linear"), z.cubic = tcc_str_is(mode, "cubic");
  z.coordinates = tcc_string(x->ir, x->op, "coordinates"), z.rounding = tcc_string(x->ir, x->op, "nearest");
  z.crop = tcc_str_is(z.coordinates, "tf_crop_and_resize");
  z.coefficient = tcc_f64(x->ir, x->op, "cubic_coeff");
  z.exclude_outside = tcc_bool(x->ir, x->op, "exclude_outside"), z.antialias = tcc_bool(x->ir, x->op, "antialias");
  double scales[2 * TCC_MAX_RANK], roi[2 * TCC_MAX_RANK];
  int64_t nscales = read_elements(x, "scales", scales), nroi = read_elements(x, "roi", roi);
  MlirValue v = tcc_ex_operand(x, 0), any = {NULL};
  bool integer = !tcc_elem_is_float(x->elem);
  if (integer && (z.linear || z.cubic)) x->compute = TCC_ELEM_F32;
  if (z.linear || z.cubic) v = tcc_build_convert(x->b, v, x->compute);
  TccShape in, out;
  if (!tcc_ex_shape(x, v, &in) || !tcc_ex_shape(x, mlirOperationGetResult(x->op, 0), &out)) return false;
  z.innermost = in.rank && in.rank + MOST_DOUBLED <= TCC_MAX_RANK && in.dims[in.rank - 1] != out.dims[in.rank - 1];
  for (int i = 0; i < in.rank; i++) {
    z.axis = i, z.in = in.dims[i], z.out = out.dims[i];
    z.has_scale = nscales > 0, z.scale = nscales ? scales[i] : 1;
    if (nroi) z.begin = roi[i], z.end = roi[in.rank + i];
    int64_t size_in, size_out;
    MlirValue outside = {NULL};
    if (z.in == z.out && z.scale == 1 && !(z.crop && (z.begin != 0 || z.end != 1))) continue;
    if (z.has_scale && !(z.scale > 0)) return tcc_ex_fail(x, "scale of axis %d is not positive", i);
    bool fixed = tcc_expr_is_const(z.in, &size_in) && tcc_expr_is_const(z.out, &size_out);
    if (fixed && size_in == 0 && size_out == 0) continue;
    if (fixed && size_in == 0) return tcc_ex_fail(x, "axis %d is empty", i);
    v = fixed ? static_axis(&z, v, in.rank, size_in, size_out, &outside) : symbolic_axis(&z, v, in.rank);
    if (outside.ptr) any = any.ptr ? tcc_build2(x->b, TCC_OP_OR, any, outside) : outside;
    if (!v.ptr) return false;
  }
  v = repeated(&z, v, &out);
  if (!v.ptr) return false;
  if (any.ptr) {
    TccElem elem = tcc_type_elem(tcc_value_type(v));
    v = tcc_build_select(x->b, any, tcc_build_scalar(x->b, elem, tcc_f64(x->ir, x->op, "extrapolation")), v);
  }
  results[0] = tcc_ex_out(x, integer && (z.cubic || z.antialias) ? saturated(x, v) : v);
  return results[0].ptr != NULL;
}
