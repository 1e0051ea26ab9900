/* ops_signal.c - window functions, cropping and padding about the centre, reversing parts of sequences. */
#include "lib/frontend/onnx/ops.h"

/* a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), n the size, or one less unless periodic. */
bool import_window(OnnxCall *c) {
  static const double terms[][3] = {[WINDOW_HANN] = {0.5, 0.5, 0}, [WINDOW_HAMMING] = {25.0 / 46, 21.0 / 46, 0}, [WINDOW_BLACKMAN] = {0.42, 0.5, 0.08}};
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
  if (a[2] != 0) y = onnx_binary(c, TCC_OP_ADD, y, onnx_binary_number(c, TCC_OP_MUL, onnx_unary(c, TCC_OP_COS, onnx_binary_number(c, TCC_OP_MUL, angle, 2)), a[2]));
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
    if (!tcc_expr_is_const(shape.dims[axis], &from) || !tcc_expr_is_const(wanted[i], &to)) return onnx_unsupported(c, "symbolic sizes");
    low[axis] = onnx_size(c, (to - from) / 2);
    high[axis] = onnx_size(c, to - from - (to - from) / 2);
  }
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(c->ir, low, (size_t)shape.rank)}, {"high", tcc_attr_exprs(c->ir, high, (size_t)shape.rank)},
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
  if (!onnx_axis(c, onnx_int(c, "batch_axis", 1), shape.rank, &batch) || !onnx_axis(c, onnx_int(c, "time_axis", 0), shape.rank, &time)) return false;
  for (int i = 0; i < shape.rank; i++) along_time[i] = i == time ? shape.dims[i] : onnx_size(c, 1), along_batch[i] = i == batch ? shape.dims[i] : onnx_size(c, 1);
  MlirValue t = onnx_reshape(c, onnx_iota(c, TCC_ELEM_I64, shape.dims[time]), shape.rank, along_time);
  MlirValue length = onnx_reshape(c, onnx_convert(c, onnx_input(c, 1), TCC_ELEM_I64), shape.rank, along_batch);
  MlirValue back = onnx_binary_number(c, TCC_OP_SUB, onnx_binary(c, TCC_OP_SUB, length, t), 1);
  MlirValue index = onnx_select(c, onnx_compare(c, "lt", t, length), back, t);
  MlirValue operands[] = {x, onnx_broadcast(c, index, shape.rank, shape.dims)};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, time)};
  return operands[1].ptr && onnx_output(c, 0, onnx_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1));
}
