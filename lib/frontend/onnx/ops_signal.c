/* ops_signal.c - window functions, bands of a spectrum, DFT, STFT, cropping and padding about the centre, reversing parts of sequences. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), n the size, or one less unless periodic. */
bool onnx_op_window(ImportCall *c) {
  static const double terms[][3] = {
      [WINDOW_HANN] = {0.5, 0.5, 0}, [WINDOW_HAMMING] = {25.0 / 46, 21.0 / 46, 0}, [WINDOW_BLACKMAN] = {0.42, 0.5, 0.08}};
  const double *a = terms[c->kind], pi = 3.14159265358979323846;
  size_t n;
  if (!import_need(c, 1)) return false;
  const TccExpr *const *size = import_sizes(c, 0, &n);
  TccElem elem = onnx_elem(c, "output_datatype", TCC_ELEM_F32);
  if (!size || !elem) return false;
  if (n != 1) return import_invalid(c, "size must be a scalar");
  const TccExpr *last = onnx_int(c, "periodic", 1) ? size[0] : import_size_sub(c, size[0], import_size(c, 1));
  TccElem work = elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32;
  MlirValue length = tcc_build_convert(&c->b, tcc_build_size(&c->b, last), work);
  MlirValue angle =
      tcc_build2(&c->b, TCC_OP_DIV, tcc_build2_number(&c->b, TCC_OP_MUL, import_iota(c, work, size[0]), 2 * pi), length);
  MlirValue y =
      tcc_build2_number(&c->b, TCC_OP_ADD, tcc_build2_number(&c->b, TCC_OP_MUL, tcc_build1(&c->b, TCC_OP_COS, angle), -a[1]), a[0]);
  if (a[2] != 0)
    y = tcc_build2(
        &c->b, TCC_OP_ADD, y,
        tcc_build2_number(&c->b, TCC_OP_MUL, tcc_build1(&c->b, TCC_OP_COS, tcc_build2_number(&c->b, TCC_OP_MUL, angle, 2)), a[2]));
  return import_output(c, 0, tcc_build_convert(&c->b, y, elem));
}

/* ---- MelWeightMatrix: a triangle over the bins of a spectrum for each band, whose edges lie evenly in mels ---- */
static MlirValue to_mel(ImportCall *c, MlirValue hertz) { /* 2595 log10(1 + f / 700) */
  MlirValue x = tcc_build2_number(&c->b, TCC_OP_DIV, tcc_build_convert(&c->b, hertz, TCC_ELEM_F64), 700);
  x = tcc_build1(&c->b, TCC_OP_LOG, tcc_build2_number(&c->b, TCC_OP_ADD, x, 1));
  return tcc_build2_number(&c->b, TCC_OP_MUL, x, 2595 / 2.302585092994045684);
}

/* The bins of the bands' edges, whole numbers: i64 [bands + 2]. */
static MlirValue mel_edges(ImportCall *c, const TccExpr *edges, const TccExpr *length) {
  MlirValue low = to_mel(c, import_input(c, 3)), high = to_mel(c, import_input(c, 4));
  MlirValue count = tcc_build_convert(&c->b, tcc_build_size(&c->b, edges), TCC_ELEM_F64);
  MlirValue step = tcc_build2(&c->b, TCC_OP_DIV, tcc_build2(&c->b, TCC_OP_SUB, high, low), count);
  MlirValue mel = tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_MUL, import_iota(c, TCC_ELEM_F64, edges), step), low);
  MlirValue power = tcc_build1(&c->b, TCC_OP_EXP, tcc_build2_number(&c->b, TCC_OP_MUL, mel, 2.302585092994045684 / 2595));
  MlirValue hertz = tcc_build2_number(&c->b, TCC_OP_MUL, tcc_build2_number(&c->b, TCC_OP_SUB, power, 1), 700);
  MlirValue points = tcc_build_convert(&c->b, tcc_build2_number(&c->b, TCC_OP_ADD, tcc_build_size(&c->b, length), 1), TCC_ELEM_F64);
  MlirValue rate = tcc_build_convert(&c->b, import_input(c, 2), TCC_ELEM_F64);
  MlirValue bin = tcc_build2(&c->b, TCC_OP_DIV, tcc_build2(&c->b, TCC_OP_MUL, points, hertz), rate);
  return tcc_build_convert(&c->b, tcc_build1(&c->b, TCC_OP_FLOOR, bin), TCC_ELEM_I64);
}

/* num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz: [dft_length / 2 + 1, num_mel_bins]. */
bool onnx_op_mel_weights(ImportCall *c) {
  size_t n, m;
  if (!import_need(c, 5)) return false;
  const TccExpr *const *bands = import_sizes(c, 0, &n), *const *length = import_sizes(c, 1, &m);
  TccElem elem = onnx_elem(c, "output_datatype", TCC_ELEM_F32);
  if (!bands || !length || !elem) return false;
  if (n != 1 || m != 1) return import_invalid(c, "num_mel_bins and dft_length must be scalars");
  for (size_t i = 2; i < 5; i++)
    if (import_shape(c, import_input(c, i)).rank) return import_invalid(c, "input %zu must be a scalar", i);
  const TccExpr *one = import_size(c, 1), *two = import_size(c, 2);
  const TccExpr *down[] = {import_size_add(c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, length[0], two), one), one};
  MlirValue edges = mel_edges(c, import_size_add(c, bands[0], two), length[0]), edge[3];
  for (int i = 0; i < 3; i++) edge[i] = tcc_build_slice_axis(&c->b, edges, 0, import_size(c, i), 1, bands[0]);
  MlirValue bin = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, down[0]), 2, down);
  MlirValue none = tcc_build_scalar(&c->b, TCC_ELEM_F64, 0), all = tcc_build_scalar(&c->b, TCC_ELEM_F64, 1), y = none;
  for (int side = 0; side < 2; side++) { /* up to the middle edge, then down from it */
    MlirValue from = edge[side], to = edge[side + 1], outer = edge[2 * side], middle = edge[1];
    MlirValue width = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_SUB, middle, outer), TCC_ELEM_F64);
    MlirValue height =
        tcc_build2(&c->b, TCC_OP_DIV, tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_SUB, bin, outer), TCC_ELEM_F64), width);
    height = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", middle, outer), all, height);
    MlirValue inside = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", bin, from),
                                  tcc_build_compare(&c->b, side ? "lt" : "le", bin, to));
    y = tcc_build_select(&c->b, inside, height, y);
  }
  return import_output(c, 0, tcc_build_convert(&c->b, y, elem));
}

static const TccExpr *half_of_positive(ImportCall *c, const TccExpr *e) {
  const TccExpr *zero = import_size(c, 0),
                *positive = tcc_expr_known_nonnegative(e) ? e : tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, e, zero);
  return tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, positive, import_size(c, 2));
}

static const TccExpr *half_towards_zero(ImportCall *c, const TccExpr *e) {
  return import_size_sub(c, half_of_positive(c, e), half_of_positive(c, import_size_sub(c, import_size(c, 0), e)));
}

/* Half of what is too much or too little on each side, the odd one at the end: a pad whose sides may be negative. */
bool onnx_op_center_crop_pad(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  const int64_t *axes;
  size_t n, naxes;
  const TccExpr *const *wanted = import_sizes(c, 1, &n);
  if (!wanted) return false;
  bool some = onnx_ints(c, "axes", &axes, &naxes);
  if (n != (some ? naxes : (size_t)shape.rank)) return import_invalid(c, "shape has %zu entries", n);
  for (int i = 0; i < shape.rank; i++) low[i] = high[i] = import_size(c, 0);
  for (size_t i = 0; i < n; i++) {
    int64_t axis;
    if (!import_axis(c, some ? axes[i] : (int64_t)i, shape.rank, &axis)) return false;
    low[axis] = half_towards_zero(c, import_size_sub(c, wanted[i], shape.dims[axis]));
    high[axis] = import_size_sub(c, import_size_sub(c, wanted[i], shape.dims[axis]), low[axis]);
  }
  return import_output(c, 0, tcc_build_pad(&c->b, x, (MlirValue){NULL}, low, high, "constant"));
}

/* y[t] = x[length - 1 - t] for t < length of the batch row, else x[t]. A length that no row has, or a negative one, asks for what is
 * outside at t = 0. */
bool onnx_op_reverse_sequence(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t batch, time;
  const TccExpr *along_time[TCC_MAX_RANK], *along_batch[TCC_MAX_RANK];
  if (!import_axis(c, onnx_int(c, "batch_axis", 1), shape.rank, &batch) ||
      !import_axis(c, onnx_int(c, "time_axis", 0), shape.rank, &time))
    return false;
  for (int i = 0; i < shape.rank; i++)
    along_time[i] = i == time ? shape.dims[i] : import_size(c, 1), along_batch[i] = i == batch ? shape.dims[i] : import_size(c, 1);
  MlirValue t = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, shape.dims[time]), shape.rank, along_time);
  MlirValue length = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, import_input(c, 1), TCC_ELEM_I64), shape.rank, along_batch);
  MlirValue back = tcc_build2_number(&c->b, TCC_OP_SUB, tcc_build2(&c->b, TCC_OP_SUB, length, t), 1);
  MlirValue negative = tcc_build_compare(&c->b, "lt", length, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  MlirValue turned = tcc_build2(&c->b, TCC_OP_OR, tcc_build_compare(&c->b, "lt", t, length), negative);
  MlirValue operands[] = {x, tcc_build_broadcast(&c->b, tcc_build_select(&c->b, turned, back, t), shape.rank, shape.dims)};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, time)}};
  size_t n = 1;
  return import_valid(c, TCC_VALID_UNSIGNED, x, operands[1], (int)time, 1, attrs, &n) &&
         import_output(c, 0, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, attrs, n));
}

/* ---- Fourier transforms ---- */
/* What a transform is computed in: its op has f32 and f64. */
static TccElem fft_elem(TccElem elem) { return elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32; }

/* Part i of a last axis, without it; null where there is one part alone. */
static MlirValue complex_part(ImportCall *c, MlirValue x, int64_t parts, int64_t i) {
  const int last = import_shape(c, x).rank - 1;
  if (i >= parts) return (MlirValue){NULL};
  return tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, x, last, import_size(c, i), 1, import_size(c, 1)), last);
}

/* x [..., n, ..., 1 or 2]: real, or real and imaginary part. onesided: half of the spectrum of real numbers, out or (inverse) in. */
bool onnx_op_dft(ImportCall *c) {
  size_t n;
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axis = onnx_int(c, "axis", 1), parts;
  bool inverse = onnx_int(c, "inverse", 0) != 0, onesided = onnx_int(c, "onesided", 0) != 0;
  if (shape.rank >= 2 && !import_fix_size(c, shape.dims[shape.rank - 1], &parts)) return false;
  if (shape.rank < 2 || parts < 1 || parts > 2) return import_invalid(c, "the last size of the input must be 1 or 2");
  if (onnx_call(c)->opset >= 20) {
    const int64_t *given = import_has_input(c, 2) ? import_constants(c, 2, &n) : NULL;
    if (import_has_input(c, 2) && (!given || n != 1)) return false;
    axis = given ? given[0] : -2;
  }
  if (!import_axis(c, axis, shape.rank, &axis)) return false;
  if (axis == shape.rank - 1) return import_invalid(c, "the axis is that of real and imaginary part");
  const TccExpr *in = shape.dims[axis], *length = in;
  if (import_has_input(c, 1)) {
    const TccExpr *const *given = import_sizes(c, 1, &n);
    if (!given) return false;
    if (n != 1) return import_invalid(c, "dft_length must be a scalar");
    length = given[0];
  } else if (inverse && onesided) {
    length = import_size_mul(c, import_size_sub(c, in, import_size(c, 1)), import_size(c, 2));
  }
  const bool back = inverse && onesided;
  const int rank = shape.rank - 1; /* of each part */
  const TccElem elem = fft_elem(shape.elem);
  MlirValue part[2], out[2] = {{NULL}, {NULL}};
  for (int64_t i = 0; i < 2; i++) {
    part[i] = tcc_build_convert(&c->b, complex_part(c, x, parts, i), elem);
    part[i] = import_fit(c, part[i], axis, back ? import_half_spectrum(c, length) : length);
  }
  if (back) out[0] = import_irfft(c, part[0], part[1], axis, length);
  else import_fft(c, part[0], part[1], axis, inverse, onesided, out);
  const size_t nout = back ? 1 : 2;
  for (size_t i = 0; i < nout; i++) {
    if (!inverse && onesided && parts == 2) out[i] = import_fit(c, out[i], axis, import_half_spectrum(c, length));
    if (inverse) out[i] = tcc_build2(&c->b, TCC_OP_DIV, out[i], tcc_build_convert(&c->b, tcc_build_size(&c->b, length), elem));
    out[i] = import_unsqueeze(c, tcc_build_convert(&c->b, out[i], shape.elem), rank);
  }
  return out[0].ptr && import_output(c, 0, tcc_build_concat(&c->b, out, nout, rank));
}

/* x [batch, n], [batch, n, 1] or, complex, [batch, n, 2]: frames of x, one every `step` samples, times the window. */
bool onnx_op_stft(ImportCall *c) {
  size_t n;
  int64_t parts = 1;
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), window = import_has_input(c, 2) ? import_input(c, 2) : (MlirValue){NULL};
  ImportShape shape = import_shape(c, x);
  bool onesided = onnx_int(c, "onesided", 1) != 0;
  if (shape.rank == 3 && !import_fix_size(c, shape.dims[2], &parts)) return false;
  if (shape.rank != 2 && (shape.rank != 3 || parts < 1 || parts > 2))
    return import_invalid(c, "the signal must be [batch, n], [batch, n, 1] or [batch, n, 2]");
  if (onesided && parts == 2) return import_invalid(c, "half of the spectrum of complex numbers");
  const TccExpr *const *given = import_sizes(c, 1, &n), *step, *frame = shape.dims[1];
  if (!given) return false;
  if (n != 1) return import_invalid(c, "frame_step must be a scalar");
  step = given[0];
  if (!import_require_at_most(c, import_size(c, 1), step, "frame_step")) return false;
  if (window.ptr) frame = import_shape(c, window).rank == 1 ? import_shape(c, window).dims[0] : NULL;
  if (!frame) return import_invalid(c, "the window must have one axis");
  if (import_has_input(c, 3)) {
    if (!(given = import_sizes(c, 3, &n))) return false;
    if (n != 1 || (window.ptr && !tcc_expr_agree(given[0], frame)))
      return import_invalid(c, "frame_length must be one number, the size of the window");
    frame = given[0];
  }
  if (!import_require_at_most(c, frame, shape.dims[1], "a frame of the signal") ||
      !import_require_at_most(c, import_size(c, 1), frame, "a frame of the signal"))
    return false;
  const TccExpr *frames = import_size_add(
      c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, import_size_sub(c, shape.dims[1], frame), step), import_size(c, 1));
  const TccExpr *down[] = {frames, import_size(c, 1)};
  MlirValue first = tcc_build2(&c->b, TCC_OP_MUL, tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, frames), 2, down),
                               tcc_build_size(&c->b, step));
  MlirValue index = tcc_build2(&c->b, TCC_OP_ADD, first, import_iota(c, TCC_ELEM_I64, frame));
  const TccElem elem = fft_elem(shape.elem);
  MlirValue part[2], out[2] = {{NULL}, {NULL}};
  for (int64_t i = 0; i < 2; i++) {
    part[i] = shape.rank == 3 ? complex_part(c, x, parts, i) : i ? (MlirValue){NULL} : x;
    if (!part[i].ptr) continue;
    part[i] = tcc_build_gather(&c->b, part[i], index, 1);
    if (window.ptr) part[i] = tcc_build2(&c->b, TCC_OP_MUL, part[i], window);
    part[i] = tcc_build_convert(&c->b, part[i], elem);
  }
  import_fft(c, part[0], part[1], 2, false, onesided, out);
  for (int i = 0; i < 2; i++) out[i] = import_unsqueeze(c, tcc_build_convert(&c->b, out[i], shape.elem), 3);
  return out[0].ptr && import_output(c, 0, tcc_build_concat(&c->b, out, 2, 3));
}
