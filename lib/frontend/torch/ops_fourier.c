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

/* MOST: elements of a transform; its factors between two halves are constants of as many numbers. */
enum { LARGEST = 32, MOST_PRIME = 2048, MOST = 1 << 24 };

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

/* ---- over several axes ---- */
typedef struct {
  int64_t axis[TCC_MAX_RANK], size[TCC_MAX_RANK];
  size_t count;
  double scale; /* what results are multiplied by */
} Axes;

/* No matrix that `transform` makes of n elements of an axis has more than MOST_PRIME rows. */
static bool has_small_factors(int64_t n, int rank) {
  const int64_t a = n > LARGEST && rank < TCC_MAX_RANK ? factor_of(n) : 1;
  return a == 1 ? n <= MOST_PRIME : has_small_factors(a, rank + 1) && has_small_factors(n / a, rank + 1);
}

/* rank: of what is transformed. */
static bool fits(ImportCall *c, const Axes *axes, int rank) {
  for (size_t i = 0; i < axes->count; i++) {
    const int64_t n = axes->size[i];
    if (n < 1) return import_invalid(c, "a transform of %lld elements", (long long)n);
    if (n > MOST) return import_unsupported(c, "a transform of %lld elements, more than %d", (long long)n, MOST);
    if (!has_small_factors(n, rank))
      return import_unsupported(c, "a transform of %lld elements, with a factor of more than %d", (long long)n, MOST_PRIME);
  }
  return true;
}

static TorchComplex scaled(ImportCall *c, TorchComplex x, double scale) {
  if (scale == 1) return x;
  return (TorchComplex){torch_times(c, x.real, scale), x.imaginary.ptr ? torch_times(c, x.imaginary, scale) : x.imaginary};
}

static TorchComplex conjugate(ImportCall *c, TorchComplex x) {
  return (TorchComplex){x.real, x.imaginary.ptr ? torch_neg(c, x.imaginary) : x.imaginary};
}

static TorchComplex whole(ImportCall *c, TorchComplex x, const Axes *axes, double sign) {
  for (size_t i = 0; i < axes->count; i++) x = transform(c, x, axes->axis[i], axes->size[i], sign);
  return scaled(c, x, axes->scale);
}

/* Of a real tensor: the first half of the last of these axes. */
static TorchComplex first_half(ImportCall *c, TorchComplex x, const Axes *axes) {
  const size_t last = axes->count - 1;
  const int64_t axis = axes->axis[last], n = axes->size[last];
  const TccExpr *half = import_size(c, n / 2 + 1), *zero = import_size(c, 0);
  x = transform(c, x, axis, n, -1);
  x.real = tcc_build_slice_axis(&c->b, x.real, axis, zero, 1, half);
  x.imaginary = tcc_build_slice_axis(&c->b, x.imaginary, axis, zero, 1, half);
  for (size_t i = 0; i < last; i++) x = transform(c, x, axes->axis[i], axes->size[i], -1);
  return scaled(c, x, axes->scale);
}

/* The part along `axis` that is the conjugate of the other one, behind it: n elements of n / 2 + 1. */
static TorchComplex completed(ImportCall *c, TorchComplex x, int64_t axis, int64_t n) {
  const int64_t more = n - (n / 2 + 1);
  const TccExpr *from = import_size(c, more), *size = import_size(c, more);
  torch_complex_fill(c, &x);
  MlirValue real[] = {x.real, tcc_build_slice_axis(&c->b, x.real, axis, from, -1, size)},
            imaginary[] = {x.imaginary, torch_neg(c, tcc_build_slice_axis(&c->b, x.imaginary, axis, from, -1, size))};
  if (!more || !real[1].ptr || !imaginary[1].ptr) return x;
  return (TorchComplex){tcc_build_concat(&c->b, real, 2, axis), tcc_build_concat(&c->b, imaginary, 2, axis)};
}

/* Back from one half of the last axis: the other one is its conjugate, so that it counts twice but for its ends. A long one is completed, so that no
 * matrix has all of it. */
static MlirValue from_half(ImportCall *c, TorchComplex x, const Axes *axes) {
  enum { LONG = 512 };
  const size_t last = axes->count - 1;
  const int64_t axis = axes->axis[last], n = axes->size[last], rows = n / 2 + 1;
  for (size_t i = 0; i < last; i++) x = transform(c, x, axes->axis[i], axes->size[i], 1);
  if (n > LONG) {
    x = completed(c, x, axis, n);
    return scaled(c, transform(c, x, axis, n, 1), axes->scale).real;
  }
  double *cosine = waves(c, rows, n, n, axes->scale, false), *sine = waves(c, rows, n, n, -axes->scale, true);
  for (int64_t k = 1; k < rows; k++)
    for (int64_t j = 0; j < n && 2 * k != n; j++) cosine[k * n + j] *= 2, sine[k * n + j] *= 2;
  MlirValue r = torch_axis_product(c, x.real, axis, cosine, rows, n);
  return x.imaginary.ptr ? torch_add(c, r, torch_axis_product(c, x.imaginary, axis, sine, rows, n)) : r;
}

/* ---- overloads that torch.compile calls ---- */
/* The axes of `dim` and what results are multiplied by. last: the size of the last one where the operand has half of it; 0: its own. */
static bool read_axes(ImportCall *c, MlirValue x, int64_t last, Axes *out) {
  ImportShape s = import_shape(c, x);
  const int64_t *dims, normalization = torch_int(c, "normalization");
  double all = 1;
  if (c->reason || !torch_ints(c, "dim", &dims, &out->count) || out->count > TCC_MAX_RANK) return false;
  for (size_t i = 0; i < out->count; i++) {
    if (!import_axis(c, dims[i], s.rank, &out->axis[i]) || !torch_fixed(c, s.dims[out->axis[i]], &out->size[i])) return false;
    if (last && i + 1 == out->count) out->size[i] = last;
    all *= (double)out->size[i];
  }
  out->scale = normalization == 1 ? 1 / sqrt(all) : normalization == 2 ? 1 / all : 1;
  return fits(c, out, s.rank);
}

bool torch_fourier_complex(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  if (!torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) || !read_axes(c, x.real, 0, &axes)) return false;
  return torch_complex_output(c, 0, whole(c, x, &axes, torch_bool(c, "forward") ? -1 : 1));
}

/* Of a real tensor; onesided: the first half of the last of these axes. */
bool torch_fourier_real(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  if (!torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) || !read_axes(c, x.real, 0, &axes) || !axes.count)
    return false;
  return torch_complex_output(c, 0, torch_bool(c, "onesided") ? first_half(c, x, &axes) : whole(c, x, &axes, -1));
}

bool torch_fourier_to_real(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  TccElem elem = torch_result(c, 0);
  const int64_t n = torch_int(c, "last_dim_size");
  if (!elem || c->reason || !torch_complex_operand(c, "self", elem, &x) || !read_axes(c, x.real, n, &axes) || !axes.count)
    return false;
  if (!x.imaginary.ptr) return import_invalid(c, "a real tensor");
  return torch_output(c, 0, from_half(c, x, &axes));
}

/* ---- torch.fft, as archives hold it ---- */
/* x with `size` elements along an axis: cut, or with zeros behind. */
static MlirValue fit(ImportCall *c, MlirValue x, int64_t axis, int64_t size) {
  ImportShape s = import_shape(c, x);
  int64_t have;
  if (!x.ptr || !torch_fixed(c, s.dims[axis], &have) || have == size) return x;
  if (have > size) return tcc_build_slice_axis(&c->b, x, axis, import_size(c, 0), 1, import_size(c, size));
  s.dims[axis] = import_size(c, size - have);
  MlirValue parts[] = {x, torch_filled(c, torch_constant(c, s.elem, 0), s.rank, s.dims)};
  return tcc_build_concat(&c->b, parts, 2, axis);
}

/* Axes and sizes of fft_fft (n, dim), fft_fft2 and fft_fftn (s, dim), with x made as large. half: the last one's operand has n / 2 + 1 elements. */
static bool read_named(ImportCall *c, bool half, TorchComplex *x, Axes *out) {
  const char *const sizes = torch_has_parameter(c, "n") ? "n" : "s";
  const int rank = import_shape(c, x->real).rank;
  const int64_t *given = NULL, *dims = NULL;
  size_t ngiven = 0, ndims = 0;
  if (torch_given(c, sizes) && !torch_ints(c, sizes, &given, &ngiven)) return false;
  if (torch_given(c, "dim") && !torch_ints(c, "dim", &dims, &ndims)) return false;
  out->count = dims ? ndims : given ? ngiven : (size_t)rank;
  if (!out->count || out->count > (size_t)rank || (given && ngiven != out->count))
    return import_invalid(c, "axes of rank %d", rank);
  for (size_t i = 0; i < out->count; i++) {
    int64_t own;
    const bool halved = half && i + 1 == out->count;
    if (!import_axis(c, dims ? dims[i] : (int64_t)i - (int64_t)out->count, rank, &out->axis[i])) return false;
    if (!torch_fixed(c, import_shape(c, x->real).dims[out->axis[i]], &own)) return false;
    out->size[i] = given && given[i] != -1 ? given[i] : halved ? 2 * (own - 1) : own;
    if (out->size[i] < 1) return import_invalid(c, "a transform of %lld elements", (long long)out->size[i]);
    const int64_t size = halved ? out->size[i] / 2 + 1 : out->size[i];
    x->real = fit(c, x->real, out->axis[i], size);
    if (x->imaginary.ptr) x->imaginary = fit(c, x->imaginary, out->axis[i], size);
  }
  return fits(c, out, rank);
}

/* norm: which way divides by the number of elements, or both by its root. */
static bool read_norm(ImportCall *c, bool forward, Axes *axes) {
  TccStr norm = torch_given(c, "norm") ? torch_string(c, "norm") : tcc_str("backward");
  double all = 1;
  for (size_t i = 0; i < axes->count; i++) all *= (double)axes->size[i];
  axes->scale = tcc_str_is(norm, "ortho") ? 1 / sqrt(all) : tcc_str_is(norm, forward ? "forward" : "backward") ? 1 / all : 1;
  return !c->reason;
}

static bool has(ImportCall *c, const char *name) { /* "aten.fft_rfft", of any number of axes */
  return tcc_str_starts(c->op, tcc_arena_printf(import_arena(c), "aten.fft_%s", name));
}

bool torch_fourier_named(ImportCall *c) {
  const bool to_real = has(c, "irfft") || has(c, "hfft"), halves = has(c, "rfft") || has(c, "ihfft");
  const bool hermitian = has(c, "hfft") || has(c, "ihfft"); /* conjugates, whose ways are the other way round */
  const bool forward = has(c, "fft") || has(c, "rfft") || has(c, "hfft");
  TccElem elem = to_real ? torch_result(c, 0) : torch_complex_elem(c, 0);
  TorchComplex x;
  Axes axes;
  if (!elem || !torch_complex_operand(c, "self", elem, &x) || !read_named(c, to_real, &x, &axes) || !read_norm(c, forward, &axes))
    return false;
  if (to_real) return torch_output(c, 0, from_half(c, hermitian ? conjugate(c, x) : x, &axes));
  if (!halves) return torch_complex_output(c, 0, whole(c, x, &axes, forward ? -1 : 1));
  x = first_half(c, x, &axes);
  return torch_complex_output(c, 0, hermitian ? conjugate(c, x) : x);
}

/* ---- short times: frames of a signal ---- */
typedef struct {
  int64_t n, hop, length; /* of a frame, between two, of the signal */
  int64_t frames;
  MlirValue window; /* [n] */
  double scale;
  bool batched, onesided;
} Frames;

/* The window with zeros around it; ones where there is none. */
static MlirValue window_of(ImportCall *c, TccElem elem, int64_t n, int64_t length) {
  const TccExpr *size = import_size(c, length);
  MlirValue w =
      torch_given(c, "window") ? torch_tensor_as(c, "window", elem) : torch_filled(c, torch_constant(c, elem, 1), 1, &size);
  const TccExpr *low = import_size(c, (n - length) / 2), *high = import_size(c, n - length - (n - length) / 2);
  return w.ptr && n != length ? tcc_build_pad(&c->b, w, (MlirValue){NULL}, &low, &high, "constant") : w;
}

static bool read_frames(ImportCall *c, TccElem elem, Frames *out) {
  *out = (Frames){.n = torch_int(c, "n_fft")};
  out->hop = torch_given(c, "hop_length") ? torch_int(c, "hop_length") : out->n / 4;
  const int64_t length = torch_given(c, "win_length") ? torch_int(c, "win_length") : out->n;
  const bool normalized = torch_bool(c, "normalized");
  if (c->reason) return false;
  if (out->n < 1 || out->hop < 1 || length < 1 || length > out->n)
    return import_invalid(c, "frames of %lld elements", (long long)out->n);
  out->window = window_of(c, elem, out->n, length);
  out->scale = normalized ? 1 / sqrt((double)out->n) : 1;
  return out->window.ptr != NULL;
}

/* The places of the elements of all frames, [frames, n]. */
static MlirValue places(ImportCall *c, const Frames *f) {
  const TccExpr *column[] = {import_size(c, f->frames), import_size(c, 1)}, *row[] = {column[1], import_size(c, f->n)};
  MlirValue first = torch_times(c, import_iota(c, TCC_ELEM_I64, column[0]), (double)f->hop);
  return torch_add(c, tcc_build_reshape(&c->b, first, 2, column),
                   tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, row[1]), 2, row));
}

/* [.., L] -> [.., frequencies, frames]; without return_complex the last axis is a pair of parts. */
bool torch_fourier_short(ImportCall *c) {
  TorchComplex x;
  Frames f;
  TccElem elem = torch_complex_elem(c, 0);
  if (!elem) elem = torch_result(c, 0);
  if (torch_has_parameter(c, "center") && torch_bool(c, "center")) return import_unsupported(c, "a signal that is padded here");
  if (!elem || !torch_complex_operand(c, "self", elem, &x) || !read_frames(c, elem, &f)) return false;
  const int rank = import_shape(c, x.real).rank;
  if (rank < 1 || rank > 2 || !torch_fixed(c, import_shape(c, x.real).dims[rank - 1], &f.length))
    return import_invalid(c, "a signal of rank %d", rank);
  if (f.length < f.n) return import_invalid(c, "a signal of %lld elements", (long long)f.length);
  f.frames = 1 + (f.length - f.n) / f.hop;
  const bool half = torch_given(c, "onesided") ? torch_bool(c, "onesided") : !x.imaginary.ptr;
  MlirValue at = places(c, &f);
  x.real = torch_mul(c, tcc_build_gather(&c->b, x.real, at, rank - 1), f.window);
  if (x.imaginary.ptr) x.imaginary = torch_mul(c, tcc_build_gather(&c->b, x.imaginary, at, rank - 1), f.window);
  Axes axes = {.axis = {rank}, .size = {f.n}, .count = 1, .scale = f.scale};
  if (c->reason || !x.real.ptr || !fits(c, &axes, rank + 1)) return false;
  x = half ? first_half(c, x, &axes) : whole(c, x, &axes, -1);
  x = (TorchComplex){torch_move_axis(c, x.real, rank, rank - 1), torch_move_axis(c, x.imaginary, rank, rank - 1)};
  if (torch_complex_elem(c, 0)) return torch_complex_output(c, 0, x);
  MlirValue parts[] = {import_unsqueeze(c, x.real, rank + 1), import_unsqueeze(c, x.imaginary, rank + 1)};
  return parts[0].ptr && parts[1].ptr && torch_output(c, 0, tcc_build_concat(&c->b, parts, 2, rank + 1));
}

/* Frames [.., frames, n] summed where they lie in a signal of `length`. */
static MlirValue overlapped(ImportCall *c, const Frames *f, MlirValue frames) {
  ImportShape s = import_shape(c, frames);
  const TccExpr *flat[TCC_MAX_RANK], *line[TCC_MAX_RANK], *to[TCC_MAX_RANK];
  const int rank = s.rank - 1;
  if (!frames.ptr) return frames;
  for (int i = 0; i < rank; i++) line[i] = import_size(c, 1), to[i] = flat[i] = s.dims[i];
  line[rank - 1] = flat[rank - 1] = import_size(c, f->frames * f->n), to[rank - 1] = import_size(c, f->length);
  MlirValue index = tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, places(c, f), rank, line), rank, flat);
  MlirValue operands[] = {torch_filled(c, torch_constant(c, s.elem, 0), rank, to), index,
                          tcc_build_reshape(&c->b, frames, rank, flat)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, rank - 1)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  return operands[0].ptr && index.ptr && operands[2].ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2) : index;
}

/* [.., frequencies, frames] -> [.., frames, n / 2 + 1], of all frequencies or of half of them. */
static MlirValue frequencies_last(ImportCall *c, MlirValue x, int64_t n, bool half) {
  const int rank = x.ptr ? import_shape(c, x).rank : 0;
  if (!x.ptr) return x;
  if (!half) x = tcc_build_slice_axis(&c->b, x, rank - 2, import_size(c, 0), 1, import_size(c, n / 2 + 1));
  return torch_move_axis(c, x, rank - 1, rank - 2);
}

/* [.., frequencies, frames] -> [.., L]: frames times the window, summed where they lie, over the sum of the windows' squares. Of all frequencies, too, the first
 * half alone is read, as torch does. */
bool torch_fourier_short_back(ImportCall *c) {
  TorchComplex x;
  Frames f;
  TccElem elem = torch_result(c, 0);
  int64_t rows, wanted = -1;
  if (!elem || !torch_complex_operand(c, "self", elem, &x) || !read_frames(c, elem, &f)) return false;
  const int rank = import_shape(c, x.real).rank;
  if (torch_bool(c, "return_complex")) return import_unsupported(c, "a signal of complex numbers");
  if (rank < 2 || rank > 3 || !torch_fixed(c, import_shape(c, x.real).dims[rank - 2], &rows) ||
      !torch_fixed(c, import_shape(c, x.real).dims[rank - 1], &f.frames))
    return c->reason ? false : import_invalid(c, "a tensor of rank %d", rank);
  if (f.hop > f.n) return import_invalid(c, "frames of %lld elements every %lld", (long long)f.n, (long long)f.hop);
  if (f.frames < 1 || f.frames > INT32_MAX / f.n) return import_unsupported(c, "%lld frames", (long long)f.frames);
  const bool half = torch_given(c, "onesided") ? torch_bool(c, "onesided") : rows != f.n, center = torch_bool(c, "center");
  if (torch_given(c, "length")) wanted = torch_int(c, "length");
  if (c->reason) return false;
  if (rows != (half ? f.n / 2 + 1 : f.n))
    return import_invalid(c, "%lld frequencies for frames of %lld", (long long)rows, (long long)f.n);
  x = (TorchComplex){frequencies_last(c, x.real, f.n, half), frequencies_last(c, x.imaginary, f.n, half)};
  Axes axes = {.axis = {rank - 1}, .size = {f.n}, .count = 1, .scale = f.scale == 1 ? 1 / (double)f.n : f.scale};
  if (!fits(c, &axes, rank)) return false;
  MlirValue y = from_half(c, x, &axes);
  f.length = f.n + f.hop * (f.frames - 1);
  const TccExpr *frame[] = {import_size(c, f.frames), import_size(c, f.n)};
  MlirValue weight = torch_filled(c, torch_mul(c, f.window, f.window), 2, frame);
  y = torch_div(c, overlapped(c, &f, torch_mul(c, y, f.window)), overlapped(c, &f, weight));
  const int64_t start = center ? f.n / 2 : 0, all = f.length - start - (center && wanted < 0 ? f.n / 2 : 0),
                size = wanted < 0 || wanted > all ? all : wanted;
  if (size < 1) return import_invalid(c, "nothing is left of the signal");
  y = tcc_build_slice_axis(&c->b, y, rank - 2, import_size(c, start), 1, import_size(c, size));
  return torch_output(c, 0, wanted > size ? fit(c, y, rank - 2, wanted) : y);
}
