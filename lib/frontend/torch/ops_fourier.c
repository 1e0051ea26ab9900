/* ops_fourier.c - discrete Fourier transforms over several axes, their norms, and those of the frames of a signal. */
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/ops_build.h"
#include "tcc/fft.h"
#include <math.h>

/* ---- over several axes ---- */
typedef enum { BY_ONE, BY_ROOT, BY_ALL } Divisor;
typedef struct {
  int64_t axis[TCC_MAX_RANK];
  const TccExpr *size[TCC_MAX_RANK];
  size_t count;
  Divisor divisor; /* of results: 1, the root of the number of elements that a transform is over, or that number */
} Axes;

static TorchComplex transform(ImportCall *c, TorchComplex x, int64_t axis, bool inverse, bool half) {
  MlirValue out[2] = {{NULL}, {NULL}};
  import_fft(c, x.real, x.imaginary, axis, inverse, half, out);
  return (TorchComplex){out[0], out[1]};
}

/* x over what the axes say. */
static MlirValue divided(ImportCall *c, MlirValue x, const Axes *axes) {
  const TccExpr *all = import_product(c, axes->size, (int)axes->count);
  int64_t known;
  if (!x.ptr || axes->divisor == BY_ONE) return x;
  if (tcc_expr_is_const(all, &known))
    return torch_times(c, x, 1 / (axes->divisor == BY_ROOT ? sqrt((double)known) : (double)known));
  MlirValue size = torch_convert(c, tcc_build_size(&c->b, all), tcc_value_elem(x));
  return torch_div(c, x, axes->divisor == BY_ROOT ? tcc_build1(&c->b, TCC_OP_SQRT, size) : size);
}

static TorchComplex scaled(ImportCall *c, TorchComplex x, const Axes *axes) {
  return (TorchComplex){divided(c, x.real, axes), divided(c, x.imaginary, axes)};
}

static TorchComplex conjugate(ImportCall *c, TorchComplex x) {
  return (TorchComplex){x.real, x.imaginary.ptr ? torch_neg(c, x.imaginary) : x.imaginary};
}

static TorchComplex whole(ImportCall *c, TorchComplex x, const Axes *axes, bool inverse) {
  for (size_t i = 0; i < axes->count; i++) x = transform(c, x, axes->axis[i], inverse, false);
  return scaled(c, x, axes);
}

/* Of a real tensor: the first half of the last of these axes. */
static TorchComplex first_half(ImportCall *c, TorchComplex x, const Axes *axes) {
  const size_t last = axes->count - 1;
  x = transform(c, x, axes->axis[last], false, true);
  for (size_t i = 0; i < last; i++) x = transform(c, x, axes->axis[i], false, false);
  return scaled(c, x, axes);
}

/* Back from one half of the last axis: the other one is its conjugate. */
static MlirValue from_half(ImportCall *c, TorchComplex x, const Axes *axes) {
  const size_t last = axes->count - 1;
  for (size_t i = 0; i < last; i++) x = transform(c, x, axes->axis[i], true, false);
  return divided(c, import_irfft(c, x.real, x.imaginary, axes->axis[last], axes->size[last]), axes);
}

static bool is_length(ImportCall *c, const TccExpr *n) {
  int64_t known;
  if (!tcc_expr_is_const(n, &known)) return true;
  if (known < 1) return import_invalid(c, "a transform of %lld elements", (long long)known);
  return known <= TCC_FFT_MOST ||
         import_unsupported(c, "a transform of %lld elements, more than %d", (long long)known, TCC_FFT_MOST);
}

/* ---- overloads that torch.compile calls ---- */
/* The axes of `dim` and what results are divided by. last: the size of the last one where the operand has half of it; NULL: its own. */
static bool read_axes(ImportCall *c, MlirValue x, const TccExpr *last, Axes *out) {
  ImportShape s = import_shape(c, x);
  const int64_t *dims, normalization = torch_int(c, "normalization");
  if (c->reason || !torch_ints(c, "dim", &dims, &out->count) || out->count > TCC_MAX_RANK) return false;
  for (size_t i = 0; i < out->count; i++) {
    if (!import_axis(c, dims[i], s.rank, &out->axis[i])) return false;
    out->size[i] = last && i + 1 == out->count ? last : s.dims[out->axis[i]];
    if (!is_length(c, out->size[i])) return false;
  }
  out->divisor = normalization == 1 ? BY_ROOT : normalization == 2 ? BY_ALL : BY_ONE;
  return true;
}

bool torch_fourier_complex(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  if (!torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) || !read_axes(c, x.real, NULL, &axes)) return false;
  return torch_complex_output(c, 0, whole(c, x, &axes, !torch_bool(c, "forward")));
}

/* Of a real tensor; onesided: the first half of the last of these axes. */
bool torch_fourier_real(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  if (!torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) || !read_axes(c, x.real, NULL, &axes) || !axes.count)
    return false;
  return torch_complex_output(c, 0, torch_bool(c, "onesided") ? first_half(c, x, &axes) : whole(c, x, &axes, false));
}

bool torch_fourier_to_real(ImportCall *c) {
  TorchComplex x;
  Axes axes;
  TccElem elem = torch_result(c, 0);
  const TccExpr *n = torch_size(c, "last_dim_size");
  if (!elem || c->reason || !torch_complex_operand(c, "self", elem, &x) || !read_axes(c, x.real, n, &axes) || !axes.count)
    return false;
  if (!x.imaginary.ptr) return import_invalid(c, "a real tensor");
  return torch_output(c, 0, from_half(c, x, &axes));
}

/* ---- torch.fft, as archives hold it ---- */
/* Axes and sizes of fft_fft (n, dim), fft_fft2 and fft_fftn (s, dim), with x made as large. half: the last one's operand has n / 2 + 1 elements. */
static bool read_named(ImportCall *c, bool half, TorchComplex *x, Axes *out) {
  const char *const sizes = torch_has_parameter(c, "n") ? "n" : "s";
  const int rank = import_shape(c, x->real).rank;
  const TccExpr *const *given = NULL, *minus = import_size(c, -1);
  const int64_t *dims = NULL;
  size_t ngiven = 0, ndims = 0;
  if (torch_given(c, sizes) && !torch_sizes(c, sizes, &given, &ngiven)) return false;
  if (torch_given(c, "dim") && !torch_ints(c, "dim", &dims, &ndims)) return false;
  out->count = dims ? ndims : given ? ngiven : (size_t)rank;
  if (!out->count || out->count > (size_t)rank || (given && ngiven != out->count))
    return import_invalid(c, "axes of rank %d", rank);
  for (size_t i = 0; i < out->count; i++) {
    const bool halved = half && i + 1 == out->count;
    if (!import_axis(c, dims ? dims[i] : (int64_t)i - (int64_t)out->count, rank, &out->axis[i])) return false;
    const TccExpr *own = import_shape(c, x->real).dims[out->axis[i]];
    if (halved) own = import_size_mul(c, import_size(c, 2), import_size_sub(c, own, import_size(c, 1)));
    const TccExpr *n = out->size[i] = given && given[i] != minus ? given[i] : own;
    if (!is_length(c, n)) return false;
    x->real = import_fit(c, x->real, out->axis[i], halved ? import_half_spectrum(c, n) : n);
    if (x->imaginary.ptr) x->imaginary = import_fit(c, x->imaginary, out->axis[i], halved ? import_half_spectrum(c, n) : n);
  }
  return x->real.ptr != NULL;
}

/* norm: which way divides by the number of elements, or both by its root. */
static bool read_norm(ImportCall *c, bool forward, Axes *axes) {
  TccStr norm = torch_given(c, "norm") ? torch_string(c, "norm") : tcc_str("backward");
  axes->divisor = tcc_str_is(norm, "ortho") ? BY_ROOT : tcc_str_is(norm, forward ? "forward" : "backward") ? BY_ALL : BY_ONE;
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
  if (!halves) return torch_complex_output(c, 0, whole(c, x, &axes, !forward));
  x = first_half(c, x, &axes);
  return torch_complex_output(c, 0, hermitian ? conjugate(c, x) : x);
}

/* ---- short times: frames of a signal ---- */
typedef struct {
  int64_t n, hop;                 /* of a frame, between two */
  const TccExpr *length, *frames; /* of the signal */
  MlirValue window;               /* [n] */
  bool normalized;                /* by the root of n */
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
  out->normalized = torch_bool(c, "normalized");
  if (c->reason) return false;
  if (out->n < 1 || out->hop < 1 || length < 1 || length > out->n)
    return import_invalid(c, "frames of %lld elements", (long long)out->n);
  out->window = window_of(c, elem, out->n, length);
  return out->window.ptr != NULL;
}

/* The places of the elements of all frames, [frames, n]. */
static MlirValue places(ImportCall *c, const Frames *f) {
  const TccExpr *column[] = {f->frames, import_size(c, 1)}, *row[] = {column[1], import_size(c, f->n)};
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
  int64_t length;
  if (rank < 1 || rank > 2) return import_invalid(c, "a signal of rank %d", rank);
  f.length = import_shape(c, x.real).dims[rank - 1];
  if (tcc_expr_is_const(f.length, &length) && length < f.n)
    return import_invalid(c, "a signal of %lld elements", (long long)length);
  const TccExpr *steps =
      tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, import_size_sub(c, f.length, import_size(c, f.n)), import_size(c, f.hop));
  f.frames = import_size_add(c, steps, import_size(c, 1));
  const bool half = torch_given(c, "onesided") ? torch_bool(c, "onesided") : !x.imaginary.ptr;
  MlirValue at = places(c, &f);
  x.real = torch_mul(c, tcc_build_gather(&c->b, x.real, at, rank - 1), f.window);
  if (x.imaginary.ptr) x.imaginary = torch_mul(c, tcc_build_gather(&c->b, x.imaginary, at, rank - 1), f.window);
  const Axes axes = {.axis = {rank}, .size = {import_size(c, f.n)}, .count = 1, .divisor = f.normalized ? BY_ROOT : BY_ONE};
  if (c->reason || !x.real.ptr) return false;
  x = half ? first_half(c, x, &axes) : whole(c, x, &axes, false);
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
  line[rank - 1] = flat[rank - 1] = import_size_mul(c, f->frames, import_size(c, f->n)), to[rank - 1] = f->length;
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
  int64_t rows, known;
  const TccExpr *wanted = NULL;
  if (!elem || !torch_complex_operand(c, "self", elem, &x) || !read_frames(c, elem, &f)) return false;
  const int rank = import_shape(c, x.real).rank;
  if (torch_bool(c, "return_complex")) return import_unsupported(c, "a signal of complex numbers");
  if (rank < 2 || rank > 3) return import_invalid(c, "a tensor of rank %d", rank);
  if (!torch_fixed(c, import_shape(c, x.real).dims[rank - 2], &rows)) return false;
  f.frames = import_shape(c, x.real).dims[rank - 1];
  if (f.hop > f.n) return import_invalid(c, "frames of %lld elements every %lld", (long long)f.n, (long long)f.hop);
  if (tcc_expr_is_const(f.frames, &known) && (known < 1 || known > INT32_MAX / f.n))
    return import_unsupported(c, "%lld frames", (long long)known);
  const bool half = torch_given(c, "onesided") ? torch_bool(c, "onesided") : rows != f.n, center = torch_bool(c, "center");
  if (torch_given(c, "length")) wanted = torch_size(c, "length");
  if (c->reason) return false;
  if (rows != (half ? f.n / 2 + 1 : f.n))
    return import_invalid(c, "%lld frequencies for frames of %lld", (long long)rows, (long long)f.n);
  x = (TorchComplex){frequencies_last(c, x.real, f.n, half), frequencies_last(c, x.imaginary, f.n, half)};
  const Axes axes = {.axis = {rank - 1}, .size = {import_size(c, f.n)}, .count = 1, .divisor = f.normalized ? BY_ROOT : BY_ALL};
  MlirValue y = from_half(c, x, &axes);
  const TccExpr *hops = import_size_mul(c, import_size(c, f.hop), import_size_sub(c, f.frames, import_size(c, 1))),
                *frame[] = {f.frames, import_size(c, f.n)}, *start = import_size(c, center ? f.n / 2 : 0);
  f.length = import_size_add(c, hops, frame[1]);
  MlirValue weight = torch_filled(c, torch_mul(c, f.window, f.window), 2, frame);
  y = torch_div(c, overlapped(c, &f, torch_mul(c, y, f.window)), overlapped(c, &f, weight));
  const TccExpr *all = import_size_sub(c, f.length, start), *size = wanted ? wanted : center ? import_size_sub(c, all, start) : all;
  if (wanted && tcc_expr_known_at_most(all, wanted)) size = all;
  if (tcc_expr_is_const(size, &known) && known < 1) return import_invalid(c, "nothing is left of the signal");
  if (!y.ptr) return false;
  y = tcc_build_slice_axis(&c->b, y, rank - 2, start, 1, all);
  return torch_output(c, 0, import_fit(c, y, rank - 2, wanted ? wanted : size));
}
