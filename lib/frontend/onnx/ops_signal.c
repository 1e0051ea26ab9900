/* ops_signal.c - window functions, DFT, STFT, cropping and padding about the centre, reversing parts of sequences. */
#include "lib/frontend/onnx/ops.h"

/* a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), n the size, or one less unless periodic. */
bool import_window(OnnxCall *c) {
  static const double terms[][3] = {
      [WINDOW_HANN] = {0.5, 0.5, 0}, [WINDOW_HAMMING] = {25.0 / 46, 21.0 / 46, 0}, [WINDOW_BLACKMAN] = {0.42, 0.5, 0.08}};
  const double *a = terms[c->op->kind], pi = 3.14159265358979323846;
  size_t n;
  if (!onnx_need(c, 1)) return false;
  const TccExpr *const *size = onnx_values(c, 0, &n);
  TccElem elem = onnx_elem(c, "output_datatype", TCC_ELEM_F32);
  if (!size || !elem) return false;
  if (n != 1) return onnx_invalid(c, "size must be a scalar");
  const TccExpr *last = onnx_int(c, "periodic", 1) ? size[0] : onnx_size_sub(c, size[0], onnx_size(c, 1));
  TccElem work = elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32;
  MlirValue length = onnx_convert(c, onnx_size_scalar(c, last), work);
  MlirValue angle = onnx_binary(c, TCC_OP_DIV, onnx_binary_number(c, TCC_OP_MUL, onnx_iota(c, work, size[0]), 2 * pi), length);
  MlirValue y = onnx_binary_number(c, TCC_OP_ADD, onnx_binary_number(c, TCC_OP_MUL, onnx_unary(c, TCC_OP_COS, angle), -a[1]), a[0]);
  if (a[2] != 0)
    y = onnx_binary(
        c, TCC_OP_ADD, y,
        onnx_binary_number(c, TCC_OP_MUL, onnx_unary(c, TCC_OP_COS, onnx_binary_number(c, TCC_OP_MUL, angle, 2)), a[2]));
  return onnx_output(c, 0, onnx_convert(c, y, elem));
}

/* Half of what is too much or too little on each side, the odd one at the end: a pad whose sides may be negative. */
bool import_center_crop_pad(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  const int64_t *axes;
  size_t n, naxes;
  const TccExpr *const *wanted = onnx_values(c, 1, &n);
  if (!wanted) return false;
  bool some = onnx_ints(c, "axes", &axes, &naxes);
  if (n != (some ? naxes : (size_t)shape.rank)) return onnx_invalid(c, "shape has %zu entries", n);
  for (int i = 0; i < shape.rank; i++) low[i] = high[i] = onnx_size(c, 0);
  for (size_t i = 0; i < n; i++) {
    int64_t axis, from, to;
    if (!onnx_axis(c, some ? axes[i] : (int64_t)i, shape.rank, &axis)) return false;
    if (!tcc_expr_is_const(shape.dims[axis], &from) || !tcc_expr_is_const(wanted[i], &to))
      return onnx_unsupported(c, "symbolic sizes");
    low[axis] = onnx_size(c, (to - from) / 2);
    high[axis] = onnx_size(c, to - from - (to - from) / 2);
  }
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(c->ir, low, (size_t)shape.rank)},
                          {"high", tcc_attr_exprs(c->ir, high, (size_t)shape.rank)},
                          {"mode", tcc_attr_str(c->ir, tcc_str("constant"))}};
  return onnx_output(c, 0, onnx_op(c, TCC_OP_PAD, &x, 1, attrs, 3));
}

/* y[t] = x[length - 1 - t] for t < length of the batch row, else x[t]. */
bool import_reverse_sequence(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  int64_t batch, time;
  const TccExpr *along_time[TCC_MAX_RANK], *along_batch[TCC_MAX_RANK];
  if (!onnx_axis(c, onnx_int(c, "batch_axis", 1), shape.rank, &batch) ||
      !onnx_axis(c, onnx_int(c, "time_axis", 0), shape.rank, &time))
    return false;
  for (int i = 0; i < shape.rank; i++)
    along_time[i] = i == time ? shape.dims[i] : onnx_size(c, 1), along_batch[i] = i == batch ? shape.dims[i] : onnx_size(c, 1);
  MlirValue t = onnx_reshape(c, onnx_iota(c, TCC_ELEM_I64, shape.dims[time]), shape.rank, along_time);
  MlirValue length = onnx_reshape(c, onnx_convert(c, onnx_input(c, 1), TCC_ELEM_I64), shape.rank, along_batch);
  MlirValue back = onnx_binary_number(c, TCC_OP_SUB, onnx_binary(c, TCC_OP_SUB, length, t), 1);
  MlirValue index = onnx_select(c, onnx_compare(c, "lt", t, length), back, t);
  MlirValue operands[] = {x, onnx_broadcast(c, index, shape.rank, shape.dims)};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, time)};
  return operands[1].ptr && onnx_output(c, 0, onnx_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1));
}

/* ---- DFT: products with the matrix of cos and sin of 2 pi i k / N; i k is reduced modulo N
 * before it becomes a float, and the angle is an f64: pi in f32 is 9e-8 off ---- */
static MlirValue dft_matrix(OnnxCall *c, TccElem elem, TccOpKind function, const TccExpr *rows, const TccExpr *columns,
                            const TccExpr *length) {
  const TccExpr *down[] = {rows, onnx_size(c, 1)};
  MlirValue i = onnx_reshape(c, onnx_iota(c, TCC_ELEM_I64, rows), 2, down), k = onnx_iota(c, TCC_ELEM_I64, columns),
            n = onnx_size_scalar(c, length);
  MlirValue turns = onnx_convert(c, onnx_binary(c, TCC_OP_MOD, onnx_binary(c, TCC_OP_MUL, i, k), n), TCC_ELEM_F64);
  MlirValue angle = onnx_binary(c, TCC_OP_DIV, onnx_binary_number(c, TCC_OP_MUL, turns, 2 * 3.14159265358979323846),
                                onnx_convert(c, n, TCC_ELEM_F64));
  return onnx_convert(c, onnx_unary(c, function, angle), elem);
}

/* The last axis of x cut or padded by zeros to `size`. */
static MlirValue fit_last(OnnxCall *c, MlirValue x, const TccExpr *size) {
  OnnxShape shape = onnx_shape(c, x);
  if (!x.ptr || shape.dims[shape.rank - 1] == size) return x;
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) low[i] = high[i] = onnx_size(c, 0);
  high[shape.rank - 1] = onnx_size_sub(c, size, shape.dims[shape.rank - 1]);
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(c->ir, low, (size_t)shape.rank)},
                          {"high", tcc_attr_exprs(c->ir, high, (size_t)shape.rank)},
                          {"mode", tcc_attr_str(c->ir, tcc_str("constant"))}};
  return onnx_op(c, TCC_OP_PAD, &x, 1, attrs, 3);
}

/* Twice what the other half of the spectrum would add, but once at frequencies 0 and N/2. */
static MlirValue half_spectrum_weights(OnnxCall *c, TccElem elem, const TccExpr *bins, const TccExpr *length) {
  MlirValue k = onnx_iota(c, TCC_ELEM_I64, bins), twice = onnx_binary_number(c, TCC_OP_MUL, k, 2);
  MlirValue lone = onnx_binary(c, TCC_OP_OR, onnx_compare(c, "eq", k, onnx_scalar_i64(c, TCC_ELEM_I64, 0)),
                               onnx_compare(c, "eq", twice, onnx_size_scalar(c, length)));
  return onnx_select(c, lone, onnx_scalar(c, elem, 1), onnx_scalar(c, elem, 2));
}

/* x [..., n, ..., 1 or 2]: real, or real and imaginary part. onesided: half of the spectrum of real numbers, out or (inverse) in. */
bool import_dft(OnnxCall *c) {
  size_t n;
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  int64_t axis = onnx_int(c, "axis", 1), parts, perm[TCC_MAX_RANK], back[TCC_MAX_RANK];
  bool inverse = onnx_int(c, "inverse", 0) != 0, onesided = onnx_int(c, "onesided", 0) != 0;
  if (shape.rank < 2 || !tcc_expr_is_const(shape.dims[shape.rank - 1], &parts) || parts < 1 || parts > 2)
    return onnx_invalid(c, "the last size of the input must be 1 or 2");
  if (c->opset >= 20) {
    const int64_t *given = onnx_has_input(c, 2) ? onnx_constants(c, 2, &n) : NULL;
    if (onnx_has_input(c, 2) && (!given || n != 1)) return false;
    axis = given ? given[0] : -2;
  }
  if (!onnx_axis(c, axis, shape.rank, &axis)) return false;
  if (axis == shape.rank - 1) return onnx_invalid(c, "the axis is that of real and imaginary part");
  const TccExpr *in = shape.dims[axis], *length = in;
  if (onnx_has_input(c, 1)) {
    const TccExpr *const *given = onnx_values(c, 1, &n);
    if (!given) return false;
    if (n != 1) return onnx_invalid(c, "dft_length must be a scalar");
    length = given[0];
  } else if (inverse && onesided) {
    length = onnx_size_mul(c, onnx_size_sub(c, in, onnx_size(c, 1)), onnx_size(c, 2));
  }
  const TccExpr *half = onnx_size_add(c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, length, onnx_size(c, 2)), onnx_size(c, 1));
  const TccExpr *rows = inverse && onesided ? half : length, *columns = !inverse && onesided ? half : length;
  int rank = shape.rank - 1; /* of each part */
  for (int i = 0, at = 0; i < rank; i++)
    if (i != axis) perm[at++] = i;
  perm[rank - 1] = axis;
  for (int i = 0; i < rank; i++) back[perm[i]] = i;
  MlirValue part[2] = {{NULL}, {NULL}}, out[2] = {{NULL}, {NULL}};
  MlirValue cosines = dft_matrix(c, shape.elem, TCC_OP_COS, rows, columns, length),
            sines = dft_matrix(c, shape.elem, TCC_OP_SIN, rows, columns, length);
  for (int64_t i = 0; i < parts; i++) {
    MlirValue one = onnx_squeeze(c, onnx_slice(c, x, rank, onnx_size(c, i), onnx_size(c, 1)), rank);
    part[i] = fit_last(c, onnx_transpose(c, one, perm), rows);
    if (inverse && onesided) part[i] = onnx_binary(c, TCC_OP_MUL, part[i], half_spectrum_weights(c, shape.elem, half, length));
    if (!part[i].ptr) return false;
  }
  out[0] = onnx_binary(c, TCC_OP_MATMUL, part[0], cosines);
  out[1] = onnx_binary(c, TCC_OP_MATMUL, part[0], sines);
  if (!inverse) out[1] = onnx_unary(c, TCC_OP_NEG, out[1]);
  if (parts == 2) { /* times i: the sines turn real into imaginary and back */
    out[0] = onnx_binary(c, inverse ? TCC_OP_SUB : TCC_OP_ADD, out[0], onnx_binary(c, TCC_OP_MATMUL, part[1], sines));
    out[1] = onnx_binary(c, TCC_OP_ADD, out[1], onnx_binary(c, TCC_OP_MATMUL, part[1], cosines));
  }
  size_t nout = inverse && onesided ? 1 : 2;
  for (size_t i = 0; i < nout; i++) {
    if (inverse) out[i] = onnx_binary(c, TCC_OP_DIV, out[i], onnx_convert(c, onnx_size_scalar(c, length), shape.elem));
    out[i] = onnx_unsqueeze(c, onnx_transpose(c, out[i], back), rank);
  }
  return onnx_output(c, 0, onnx_concat(c, out, nout, rank));
}

/* The matrix of a short-time transform, [parts * frame, 2 * bins]: row l * parts + p is part p of sample l times the window, column
 * 2 k + q part q of frequency k; e^(-2 pi i l k / N) (re + i im) = re cos + im sin + i (im cos - re sin). */
static MlirValue stft_matrix(OnnxCall *c, TccElem elem, const TccExpr *frame, const TccExpr *bins, int64_t parts,
                             MlirValue window) {
  MlirValue cosines = dft_matrix(c, elem, TCC_OP_COS, frame, bins, frame),
            sines = dft_matrix(c, elem, TCC_OP_SIN, frame, bins, frame);
  const TccExpr *down[] = {frame, onnx_size(c, 1)},
                *shape[] = {onnx_size_mul(c, frame, onnx_size(c, parts)), onnx_size_mul(c, bins, onnx_size(c, 2))};
  if (window.ptr) {
    window = onnx_reshape(c, window, 2, down);
    cosines = onnx_binary(c, TCC_OP_MUL, cosines, window), sines = onnx_binary(c, TCC_OP_MUL, sines, window);
  }
  MlirValue real[] = {onnx_unsqueeze(c, cosines, 2), onnx_unsqueeze(c, onnx_unary(c, TCC_OP_NEG, sines), 2)};
  MlirValue imaginary[] = {onnx_unsqueeze(c, sines, 2), onnx_unsqueeze(c, cosines, 2)};
  MlirValue part[] = {onnx_unsqueeze(c, onnx_concat(c, real, 2, 2), 1), onnx_unsqueeze(c, onnx_concat(c, imaginary, 2, 2), 1)};
  return onnx_reshape(c, onnx_concat(c, part, (size_t)parts, 1), 2, shape);
}

/* x [batch, n], [batch, n, 1] or, complex, [batch, n, 2]: frames of x, one every `step` samples, times that matrix. */
bool import_stft(OnnxCall *c) {
  size_t n;
  int64_t parts = 1;
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0), window = onnx_has_input(c, 2) ? onnx_input(c, 2) : (MlirValue){NULL};
  OnnxShape shape = onnx_shape(c, x);
  bool onesided = onnx_int(c, "onesided", 1) != 0;
  if (shape.rank != 2 && (shape.rank != 3 || !tcc_expr_is_const(shape.dims[2], &parts) || parts < 1 || parts > 2))
    return onnx_invalid(c, "the signal must be [batch, n], [batch, n, 1] or [batch, n, 2]");
  if (onesided && parts == 2) return onnx_invalid(c, "half of the spectrum of complex numbers");
  const TccExpr *const *given = onnx_values(c, 1, &n), *step, *frame = shape.dims[1];
  if (!given) return false;
  if (n != 1) return onnx_invalid(c, "frame_step must be a scalar");
  int64_t known, least = 1;
  step = given[0];
  if (tcc_expr_is_const(step, &known) && known < 1) return onnx_invalid(c, "frame_step must be positive");
  if (window.ptr) frame = onnx_shape(c, window).rank == 1 ? onnx_shape(c, window).dims[0] : NULL;
  if (!frame) return onnx_invalid(c, "the window must have one axis");
  if (onnx_has_input(c, 3)) {
    if (!(given = onnx_values(c, 3, &n))) return false;
    if (n != 1 || (window.ptr && !tcc_expr_agree(given[0], frame)))
      return onnx_invalid(c, "frame_length must be one number, the size of the window");
    frame = given[0];
  }
  if ((tcc_expr_is_const(onnx_size_sub(c, shape.dims[1], frame), &known) && known < 0) ||
      (tcc_expr_is_const(frame, &least) && least < 1))
    return onnx_invalid(c, "no frame fits into the signal");
  if (!onnx_assume_at_most(c, frame, shape.dims[1])) return false;
  const TccExpr *frames = onnx_size_add(
      c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, onnx_size_sub(c, shape.dims[1], frame), step), onnx_size(c, 1));
  const TccExpr *bins =
      onesided ? onnx_size_add(c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, frame, onnx_size(c, 2)), onnx_size(c, 1)) : frame;
  const TccExpr *down[] = {frames, onnx_size(c, 1)};
  MlirValue first =
      onnx_binary(c, TCC_OP_MUL, onnx_reshape(c, onnx_iota(c, TCC_ELEM_I64, frames), 2, down), onnx_size_scalar(c, step));
  MlirValue index = onnx_binary(c, TCC_OP_ADD, first, onnx_iota(c, TCC_ELEM_I64, frame));
  const TccExpr *flat[] = {shape.dims[0], frames, onnx_size_mul(c, frame, onnx_size(c, parts))},
                *made[] = {shape.dims[0], frames, bins, onnx_size(c, 2)};
  MlirValue rows = onnx_reshape(c, onnx_gather(c, x, index, 1), 3, flat);
  MlirValue y = onnx_binary(c, TCC_OP_MATMUL, rows, stft_matrix(c, shape.elem, frame, bins, parts, window));
  return onnx_output(c, 0, onnx_reshape(c, y, 4, made));
}
