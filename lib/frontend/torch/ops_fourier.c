/* ops_fourier.c - discrete Fourier transforms, as products with matrices of cosines and sines.
 *
 * Of a size a b the transform is one over a, factors, and one over b (Gentleman and Sande 1966): with i = b i1 + i2 and k = k1 + a k2
 *
 *   X[k] = sum over i2 of e(i2 k2 / b) e(i2 k1 / (a b)) sum over i1 of e(i1 k1 / a) x[i],   e(t) = exp(sign 2 pi i t)
 *
 * so that no matrix is larger than a prime factor or LARGEST, which keeps rounding near that of a fast transform. */
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

enum { LARGEST = 32, MOST_PRIME = 2048 };

/* cos and sign sin of 2 pi (j k mod n) / n, [rows, columns]. */
static double wave(int64_t j, int64_t k, int64_t n, bool sine) {
  static const double pi = 3.141592653589793;
  const double angle = 2 * pi * (double)(j * k % n) / (double)n;
  return sine ? sin(angle) : cos(angle);
}

static double *waves(ImportCall *c, int64_t rows, int64_t columns, int64_t n, double factor, bool sine) {
  double *m = TCC_NEW_ARRAY(import_arena(c), double, (size_t)(rows * columns));
  for (int64_t j = 0; j < rows; j++)
    for (int64_t k = 0; k < columns; k++) m[j * columns + k] = factor * wave(j, k, n, sine);
  return m;
}

/* The first `columns` of the n results along axis, by one product for each pair of parts. */
static TorchComplex by_matrix(ImportCall *c, TorchComplex x, int64_t axis, int64_t n, int64_t columns, double sign) {
  const double *cosine = waves(c, n, columns, n, 1, false), *sine = waves(c, n, columns, n, sign, true);
  TorchComplex r = {torch_axis_product(c, x.real, axis, cosine, n, columns), torch_axis_product(c, x.real, axis, sine, n, columns)};
  if (!x.imaginary.ptr) return r;
  return (TorchComplex){torch_sub(c, r.real, torch_axis_product(c, x.imaginary, axis, sine, n, columns)),
                        torch_add(c, r.imaginary, torch_axis_product(c, x.imaginary, axis, cosine, n, columns))};
}

/* The greatest factor of n up to its root; 1: n is prime. */
static int64_t factor_of(int64_t n) {
  int64_t a = (int64_t)sqrt((double)n);
  while (a > 1 && n % a) a--;
  return a;
}

/* ---- an axis of size a b as two ---- */
static MlirValue split_axis(ImportCall *c, MlirValue x, int64_t axis, int64_t a, int64_t b) {
  ImportShape s = import_shape(c, x);
  const TccExpr *dims[TCC_MAX_RANK + 1];
  for (int i = 0; i < s.rank; i++) dims[i < axis ? i : i + 1] = s.dims[i];
  dims[axis] = import_size(c, a), dims[axis + 1] = import_size(c, b);
  return x.ptr ? tcc_build_reshape(&c->b, x, s.rank + 1, dims) : x;
}

/* [.., a, b, ..] as [.., b a, ..] */
static MlirValue join_turned(ImportCall *c, MlirValue x, int64_t axis) {
  ImportShape s = import_shape(c, x);
  const TccExpr *dims[TCC_MAX_RANK + 1];
  int64_t perm[TCC_MAX_RANK];
  for (int i = 0; i < s.rank; i++) perm[i] = i == axis ? axis + 1 : i == axis + 1 ? axis : i;
  for (int i = 0; i < s.rank; i++)
    dims[i <= axis ? i : i - 1] = i == axis + 1 ? import_size_mul(c, s.dims[axis], s.dims[i]) : s.dims[i];
  return x.ptr ? tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, x, perm), s.rank - 1, dims) : x;
}

/* e(k1 i2 / n) [a, b], for axes `axis` and the next one of a tensor of that rank. */
static MlirValue twiddle(ImportCall *c, TccElem elem, int64_t axis, int rank, int64_t a, int64_t b, double factor, bool sine) {
  const int64_t sizes[] = {a, b};
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) dims[i] = import_size(c, i == axis ? a : i == axis + 1 ? b : 1);
  MlirAttribute values = mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(c->ir, TCC_ELEM_F64, 2, sizes), a * b,
                                                        waves(c, a, b, a * b, factor, sine));
  TccNamedAttr attr = {"value", values};
  return tcc_build_reshape(&c->b, torch_convert(c, import_op(c, TCC_OP_CONSTANT, NULL, 0, &attr, 1), elem), rank, dims);
}

static TorchComplex transform(ImportCall *c, TorchComplex x, int64_t axis, int64_t n, double sign) {
  const int64_t a = n > LARGEST ? factor_of(n) : 1, b = n / a;
  const int rank = import_shape(c, x.real).rank;
  if (a == 1 || rank == TCC_MAX_RANK) return by_matrix(c, x, axis, n, n, sign);
  TccElem elem = tcc_value_elem(x.real);
  x.real = split_axis(c, x.real, axis, a, b);
  if (x.imaginary.ptr) x.imaginary = split_axis(c, x.imaginary, axis, a, b);
  x = transform(c, x, axis, a, sign);
  x = torch_complex_product(
      c, x, (TorchComplex){twiddle(c, elem, axis, rank + 1, a, b, 1, false), twiddle(c, elem, axis, rank + 1, a, b, sign, true)});
  x = transform(c, x, axis + 1, b, sign);
  return (TorchComplex){join_turned(c, x.real, axis), join_turned(c, x.imaginary, axis)};
}

/* ---- overloads ---- */
typedef struct {
  int64_t axis[TCC_MAX_RANK], size[TCC_MAX_RANK];
  size_t count;
  double scale;
} Axes;

/* The axes of `dim` and what results are multiplied by. last: the size of the last one where the operand has half of it; 0: its own. */
static bool read_axes(ImportCall *c, MlirValue x, int64_t last, Axes *out) {
  ImportShape s = import_shape(c, x);
  const int64_t *dims, normalization = torch_int(c, "normalization");
  double all = 1;
  if (c->reason || !torch_ints(c, "dim", &dims, &out->count) || out->count > TCC_MAX_RANK) return false;
  for (size_t i = 0; i < out->count; i++) {
    if (!import_axis(c, dims[i], s.rank, &out->axis[i]) || !torch_fixed(c, s.dims[out->axis[i]], &out->size[i])) return false;
    if (last && i + 1 == out->count) out->size[i] = last;
    int64_t rest = out->size[i];
    while (rest > LARGEST && factor_of(rest) > 1) rest /= factor_of(rest);
    if (rest > MOST_PRIME) return import_unsupported(c, "a transform of %lld elements, a prime", (long long)rest);
    all *= (double)out->size[i];
  }
  out->scale = normalization == 1 ? 1 / sqrt(all) : normalization == 2 ? 1 / all : 1;
  return true;
}

static TorchComplex scaled(ImportCall *c, TorchComplex x, double scale) {
  return scale == 1 ? x : (TorchComplex){torch_times(c, x.real, scale), torch_times(c, x.imaginary, scale)};
}

bool torch_fourier_complex(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  if (!torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) || !read_axes(c, x.real, 0, &axes)) return false;
  const double sign = torch_bool(c, "forward") ? -1 : 1;
  for (size_t i = 0; i < axes.count; i++) x = transform(c, x, axes.axis[i], axes.size[i], sign);
  return torch_complex_output(c, 0, scaled(c, x, axes.scale));
}

/* Of a real tensor; onesided: the first half of the last of these axes. */
bool torch_fourier_real(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  if (!torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) || !read_axes(c, x.real, 0, &axes) || !axes.count)
    return false;
  const size_t last = axes.count - 1;
  const int64_t axis = axes.axis[last], n = axes.size[last];
  x = transform(c, x, axis, n, -1);
  if (torch_bool(c, "onesided")) {
    const TccExpr *half = import_size(c, n / 2 + 1), *zero = import_size(c, 0);
    x.real = tcc_build_slice_axis(&c->b, x.real, axis, zero, 1, half);
    x.imaginary = tcc_build_slice_axis(&c->b, x.imaginary, axis, zero, 1, half);
  }
  for (size_t i = 0; i < last; i++) x = transform(c, x, axes.axis[i], axes.size[i], -1);
  return torch_complex_output(c, 0, scaled(c, x, axes.scale));
}

/* Back from one half of the last axis: the other one is its conjugate, so that it counts twice but for its ends. */
bool torch_fourier_to_real(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  TccElem elem = torch_result(c, 0);
  const int64_t n = torch_int(c, "last_dim_size");
  if (!elem || c->reason || !torch_complex_operand(c, "self", elem, &x) || !read_axes(c, x.real, n, &axes) || !axes.count)
    return false;
  if (!x.imaginary.ptr) return import_invalid(c, "a real tensor");
  const size_t last = axes.count - 1;
  for (size_t i = 0; i < last; i++) x = transform(c, x, axes.axis[i], axes.size[i], 1);
  const int64_t rows = n / 2 + 1;
  double *cosine = waves(c, rows, n, n, axes.scale, false), *sine = waves(c, rows, n, n, -axes.scale, true);
  for (int64_t k = 1; k < rows; k++)
    for (int64_t j = 0; j < n && 2 * k != n; j++) cosine[k * n + j] *= 2, sine[k * n + j] *= 2;
  MlirValue r = torch_add(c, torch_axis_product(c, x.real, axes.axis[last], cosine, rows, n),
                          torch_axis_product(c, x.imaginary, axes.axis[last], sine, rows, n));
  return torch_output(c, 0, r);
}
