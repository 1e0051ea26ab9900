/* ops_quantize.c - ONNX operators on quantised numbers, written out: r = (q - zero point) * scale. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

MlirValue onnx_spread(ImportCall *c, MlirValue v, const ImportShape *x, int64_t axis, int64_t block) {
  ImportShape shape = import_shape(c, v);
  if (!v.ptr || shape.rank == 0) return v;
  if (block > 0 &&
      shape.rank == x->rank) { /* [.., n, ..] -> [.., n, 1, ..] -> [.., n, block, ..] -> [.., n * block, ..], cut to x */
    const TccExpr *one[TCC_MAX_RANK], *wide[TCC_MAX_RANK];
    int rank = 0;
    if (shape.rank == TCC_MAX_RANK) return (MlirValue){NULL};
    for (int i = 0; i < shape.rank; i++) {
      one[rank] = wide[rank] = shape.dims[i], rank++;
      if (i == axis) one[rank] = import_size(c, 1), wide[rank++] = import_size(c, block);
    }
    MlirValue made = tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, v, rank, one), rank, wide);
    shape.dims[axis] = import_size_mul(c, shape.dims[axis], import_size(c, block));
    made = tcc_build_reshape(&c->b, made, shape.rank, shape.dims);
    return shape.dims[axis] == x->dims[axis] ? made : tcc_build_slice_axis(&c->b, made, axis, import_size(c, 0), 1, x->dims[axis]);
  }
  if (shape.rank == 1 && import_is_size(shape.dims[0], 1)) return tcc_build_reshape(&c->b, v, 0, NULL);
  if (shape.rank != 1 || axis >= x->rank) {
    import_unsupported(c, "a scale of rank %d", shape.rank);
    return (MlirValue){NULL};
  }
  for (int64_t i = axis + 1; i < x->rank; i++) shape.dims[shape.rank++] = import_size(c, 1);
  return tcc_build_reshape(&c->b, v, shape.rank, shape.dims);
}

/* For a scalar scale the axis does not matter and may be out of range. */
static bool read_axis(ImportCall *c, const ImportShape *x, int64_t *out) {
  int64_t axis = onnx_int(c, "axis", 1);
  *out = axis < 0 ? axis + x->rank : axis;
  ImportShape scale = import_shape(c, import_input(c, 1));
  for (size_t i = 1; *out >= x->rank && i <= 2; i++) { /* it and the zero point have one element */
    int64_t count;
    ImportShape shape = import_shape(c, import_input(c, i));
    if (shape.rank == 1 && !import_fix_size(c, shape.dims[0], &count)) return false;
  }
  if (import_is_size(import_product(c, scale.dims, scale.rank), 1)) return true;
  return import_axis(c, axis, x->rank, out);
}

static double lowest(TccElem elem) { return tcc_elem_is_signed(elem) ? -(double)((int64_t)1 << (tcc_elem_bits(elem) - 1)) : 0; }
static double highest(TccElem elem) {
  return (double)(((int64_t)1 << (tcc_elem_bits(elem) - (tcc_elem_is_signed(elem) ? 1 : 0))) - 1);
}

static MlirValue clamped(ImportCall *c, MlirValue x, double low, double high) {
  TccElem elem = tcc_value_elem(x);
  MlirValue operands[] = {x, tcc_build_scalar(&c->b, elem, low), tcc_build_scalar(&c->b, elem, high)};
  return x.ptr ? import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : x;
}

MlirValue onnx_quantize(ImportCall *c, MlirValue x, MlirValue scale, MlirValue zero, TccElem elem, int64_t saturate) {
  return onnx_round_to(c, tcc_build2(&c->b, TCC_OP_DIV, x, scale), zero, elem, saturate);
}

MlirValue onnx_round_to(ImportCall *c, MlirValue y, MlirValue zero, TccElem elem, int64_t saturate) {
  ImportShape shape = import_shape(c, y);
  shape.elem = elem;
  if (!y.ptr) return y;
  if (tcc_elem_is_float(elem)) {
    TccNamedAttr attr = {"saturate", tcc_attr_bool(c->ir, saturate != 0)};
    return import_op_typed(c, TCC_OP_CONVERT, &y, 1, &attr, 1, &shape);
  }
  y = tcc_build_convert(&c->b, tcc_build1(&c->b, TCC_OP_ROUND, y), TCC_ELEM_F32);
  if (zero.ptr) y = tcc_build2(&c->b, TCC_OP_ADD, y, tcc_build_convert(&c->b, zero, TCC_ELEM_F32));
  return tcc_build_convert(&c->b, clamped(c, y, lowest(elem), highest(elem)), elem);
}

bool onnx_op_quantize_linear(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), zero = import_input(c, 2);
  ImportShape shape = import_shape(c, x);
  int64_t axis, block = onnx_int(c, "block_size", 0), type = onnx_int(c, "output_dtype", 0);
  if (!read_axis(c, &shape, &axis)) return false;
  TccElem elem = zero.ptr ? tcc_value_elem(zero) : type ? tcc_elem_from_onnx((int)type) : TCC_ELEM_U8;
  if (!elem) return import_unsupported(c, "output type %lld", (long long)type);
  TccElem precision = (TccElem)(onnx_int(c, "precision", 0) ? tcc_elem_from_onnx((int)onnx_int(c, "precision", 0))
                                                            : tcc_value_elem(import_input(c, 1)));
  if (!tcc_elem_is_float(precision)) return import_unsupported(c, "this precision");
  MlirValue scale = tcc_build_convert(&c->b, onnx_spread(c, import_input(c, 1), &shape, axis, block), precision);
  if (zero.ptr && !(zero = onnx_spread(c, zero, &shape, axis, block)).ptr) return false;
  return import_output(c, 0,
                       onnx_quantize(c, tcc_build_convert(&c->b, x, precision), scale, zero, elem, onnx_int(c, "saturate", 1)));
}

MlirValue onnx_dequantize(ImportCall *c, MlirValue q, MlirValue scale, MlirValue zero) {
  TccElem elem = tcc_value_elem(scale);
  TccElem wide = elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32;
  MlirValue x;
  if (tcc_value_elem(q) == TCC_ELEM_I32 && zero.ptr)
    x = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_SUB, q, zero), wide); /* not exact in f32 */
  else
    x = tcc_build_convert(&c->b, q, wide),
    x = zero.ptr ? tcc_build2(&c->b, TCC_OP_SUB, x, tcc_build_convert(&c->b, zero, wide)) : x;
  return tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_MUL, x, tcc_build_convert(&c->b, scale, wide)), elem);
}

bool onnx_op_dequantize_linear(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue q = import_input(c, 0), zero = import_input(c, 2);
  ImportShape shape = import_shape(c, q);
  int64_t axis, block = onnx_int(c, "block_size", 0), type = onnx_int(c, "output_dtype", 0);
  if (!read_axis(c, &shape, &axis)) return false;
  if (zero.ptr && !(zero = onnx_spread(c, zero, &shape, axis, block)).ptr) return false;
  MlirValue x = onnx_dequantize(c, q, onnx_spread(c, import_input(c, 1), &shape, axis, block), zero);
  TccElem elem = type ? tcc_elem_from_onnx((int)type) : tcc_value_elem(x);
  return elem ? import_output(c, 0, tcc_build_convert(&c->b, x, elem)) : import_unsupported(c, "output type %lld", (long long)type);
}

/* scale = (max(x, 0) - min(x, 0)) / 255, or 1 where all of x is 0, as in onnxruntime (the standard divides by 0 there);
 * zero = clamp(round(-min / scale), 0, 255) */
bool onnx_op_dynamic_quantize(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axes[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) axes[i] = i;
  MlirValue nothing = tcc_build_scalar(&c->b, shape.elem, 0);
  MlirValue high = tcc_build2(&c->b, TCC_OP_MAX, tcc_build_reduce(&c->b, "max", x, axes, (size_t)shape.rank, false), nothing);
  MlirValue low = tcc_build2(&c->b, TCC_OP_MIN, tcc_build_reduce(&c->b, "min", x, axes, (size_t)shape.rank, false), nothing);
  MlirValue range = tcc_build2(&c->b, TCC_OP_SUB, high, low), scale = tcc_build2_number(&c->b, TCC_OP_DIV, range, 255);
  scale = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", range, nothing), tcc_build_scalar(&c->b, shape.elem, 1), scale);
  MlirValue exact = tcc_build2(&c->b, TCC_OP_DIV, tcc_build1(&c->b, TCC_OP_NEG, low), scale);
  MlirValue zero = tcc_build_convert(&c->b, clamped(c, tcc_build1(&c->b, TCC_OP_ROUND, exact), 0, 255), TCC_ELEM_U8);
  return import_output(c, 0, onnx_quantize(c, x, scale, zero, TCC_ELEM_U8, 1)) && import_output(c, 1, scale) &&
         import_output(c, 2, zero);
}

/* x and its zero point 128 higher (to unsigned bytes) or lower (to signed ones). */
static void shift_bytes(ImportCall *c, MlirValue *x, MlirValue *zero, double by, TccElem to) {
  *x = tcc_build_convert(&c->b, tcc_build2_number(&c->b, TCC_OP_ADD, tcc_build_convert(&c->b, *x, TCC_ELEM_I32), by), to);
  *zero = zero->ptr ? tcc_build2_number(&c->b, TCC_OP_ADD, tcc_build_convert(&c->b, *zero, TCC_ELEM_I32), by)
                    : tcc_build_scalar(&c->b, TCC_ELEM_I32, by);
}

static bool is_stored(ImportCall *c, MlirValue x) {
  while (tcc_value_kind(c->ir, x) == TCC_OP_TRANSPOSE) x = mlirOperationGetOperand(tcc_value_op(x), 0);
  const TccOpKind kind = tcc_value_kind(c->ir, x);
  return kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT;
}

/* (a - p)(b - q) summed over k = ab - p * sum_k b - sum_k a * q + p * q * K; p of a row or all, q of a column or all. */
MlirValue onnx_matmul_integer(ImportCall *c, MlirValue a, MlirValue b, MlirValue p, MlirValue q) {
  ImportShape x = import_shape(c, a), y = import_shape(c, b);
  if (x.rank < 2 || y.rank < 2) { /* vectors: directly */
    MlirValue wide_a = tcc_build_convert(&c->b, a, TCC_ELEM_I32), wide_b = tcc_build_convert(&c->b, b, TCC_ELEM_I32);
    if (p.ptr) wide_a = tcc_build2(&c->b, TCC_OP_SUB, wide_a, tcc_build_convert(&c->b, p, TCC_ELEM_I32));
    if (q.ptr) wide_b = tcc_build2(&c->b, TCC_OP_SUB, wide_b, tcc_build_convert(&c->b, q, TCC_ELEM_I32));
    return tcc_build2(&c->b, TCC_OP_MATMUL, wide_a, wide_b);
  }
  int64_t k_of_a = x.rank - 1, k_of_b = y.rank - 2;
  /* Unsigned times signed bytes is what machines have an instruction for (vpdpbusd): a weight is worth shifting to it. */
  if (is_stored(c, b)) {
    if (tcc_value_elem(b) == TCC_ELEM_U8) shift_bytes(c, &b, &q, -128, TCC_ELEM_I8);
    if (tcc_value_elem(a) == TCC_ELEM_I8) shift_bytes(c, &a, &p, 128, TCC_ELEM_U8);
  }
  MlirValue r = tcc_build2(&c->b, TCC_OP_MATMUL, a, b);
  p = p.ptr ? tcc_build_convert(&c->b, p, TCC_ELEM_I32) : p;
  q = q.ptr ? tcc_build_convert(&c->b, q, TCC_ELEM_I32) : q;
  ImportShape rows = import_shape(c, p);
  if (rows.rank == 1 && !import_is_size(rows.dims[0], 1)) p = import_unsqueeze(c, p, 1);
  if (p.ptr)
    r = tcc_build2(&c->b, TCC_OP_SUB, r,
                   tcc_build2(&c->b, TCC_OP_MUL, p,
                              tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, b, TCC_ELEM_I32), &k_of_b, 1, true)));
  if (q.ptr)
    r = tcc_build2(&c->b, TCC_OP_SUB, r,
                   tcc_build2(&c->b, TCC_OP_MUL, q,
                              tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, a, TCC_ELEM_I32), &k_of_a, 1, true)));
  if (p.ptr && q.ptr)
    r = tcc_build2(&c->b, TCC_OP_ADD, r,
                   tcc_build2(&c->b, TCC_OP_MUL, tcc_build2(&c->b, TCC_OP_MUL, p, q),
                              tcc_build_convert(&c->b, tcc_build_size(&c->b, x.dims[k_of_a]), TCC_ELEM_I32)));
  return r;
}

bool onnx_op_matmul_integer(ImportCall *c) {
  return import_need(c, 2) &&
         import_output(c, 0,
                       onnx_matmul_integer(c, import_input(c, 0), import_input(c, 1), import_input(c, 2), import_input(c, 3)));
}

/* Of i16, sums in i32. */
bool onnx_op_matmul_integer16(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  for (size_t i = 0; i < 2; i++) {
    const TccElem elem = tcc_value_elem(import_input(c, i));
    if (elem == TCC_ELEM_U16) return import_unsupported(c, "unsigned numbers"); /* whether the result is, too, nothing says */
    if (elem != TCC_ELEM_I16) return import_invalid(c, "a matrix of %s", tcc_elem_name(elem));
  }
  return import_output(c, 0,
                       tcc_build2(&c->b, TCC_OP_MATMUL, tcc_build_convert(&c->b, import_input(c, 0), TCC_ELEM_I32),
                                  tcc_build_convert(&c->b, import_input(c, 1), TCC_ELEM_I32)));
}

/* Both operands dequantised, multiplied in f32, quantised again: inputs x, scale, zero, w, scale, zero, then y's. */
bool onnx_op_qlinear_matmul(ImportCall *c) {
  if (!import_need(c, 8)) return false;
  ImportShape x = import_shape(c, import_input(c, 0)), w = import_shape(c, import_input(c, 3));
  if (x.rank < 2 || w.rank < 2) return import_unsupported(c, "vectors");
  MlirValue sums = onnx_matmul_integer(c, import_input(c, 0), import_input(c, 3), import_input(c, 2), import_input(c, 5));
  MlirValue row = onnx_spread(c, import_input(c, 1), &x, x.rank - 2, 0),
            column = onnx_spread(c, import_input(c, 4), &w, w.rank - 1, 0);
  ImportShape y = import_shape(c, sums);
  MlirValue scale =
      tcc_build2(&c->b, TCC_OP_MUL, tcc_build_convert(&c->b, row, TCC_ELEM_F32), tcc_build_convert(&c->b, column, TCC_ELEM_F32));
  MlirValue out_scale = tcc_build_convert(&c->b, onnx_spread(c, import_input(c, 6), &y, y.rank - 2, 0), TCC_ELEM_F32),
            zero = onnx_spread(c, import_input(c, 7), &y, y.rank - 2, 0);
  scale = tcc_build2(&c->b, TCC_OP_DIV, scale, out_scale); /* one factor, as in onnxruntime: ties fall alike */
  MlirValue steps = tcc_build2(&c->b, TCC_OP_MUL, tcc_build_convert(&c->b, sums, TCC_ELEM_F32), scale);
  return zero.ptr && import_output(c, 0, onnx_round_to(c, steps, zero, tcc_value_elem(zero), 1));
}
