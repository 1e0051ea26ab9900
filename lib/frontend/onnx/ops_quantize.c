/* ops_quantize.c - ONNX operators on quantised numbers, written out: r = (q - zero point) * scale. */
#include "lib/frontend/onnx/ops.h"

/* A scale or zero point for x's shape: a scalar; a vector along axis; or blocks of `block` elements along axis. */
static MlirValue spread(OnnxCall *c, MlirValue v, const OnnxShape *x, int64_t axis, int64_t block) {
  OnnxShape shape = onnx_shape(c, v);
  if (!v.ptr || shape.rank == 0) return v;
  if (block > 0 &&
      shape.rank == x->rank) { /* [.., n, ..] -> [.., n, 1, ..] -> [.., n, block, ..] -> [.., n * block, ..], cut to x */
    const TccExpr *one[TCC_MAX_RANK], *wide[TCC_MAX_RANK];
    int rank = 0;
    if (shape.rank == TCC_MAX_RANK) return (MlirValue){NULL};
    for (int i = 0; i < shape.rank; i++) {
      one[rank] = wide[rank] = shape.dims[i], rank++;
      if (i == axis) one[rank] = onnx_size(c, 1), wide[rank++] = onnx_size(c, block);
    }
    MlirValue made = onnx_broadcast(c, onnx_reshape(c, v, rank, one), rank, wide);
    shape.dims[axis] = onnx_size_mul(c, shape.dims[axis], onnx_size(c, block));
    made = onnx_reshape(c, made, shape.rank, shape.dims);
    return shape.dims[axis] == x->dims[axis] ? made : onnx_slice(c, made, axis, onnx_size(c, 0), x->dims[axis]);
  }
  if (shape.rank == 1 && onnx_is_size(shape.dims[0], 1)) return onnx_reshape(c, v, 0, NULL);
  if (shape.rank != 1 || axis >= x->rank) {
    onnx_unsupported(c, "a scale of rank %d", shape.rank);
    return (MlirValue){NULL};
  }
  for (int64_t i = axis + 1; i < x->rank; i++) shape.dims[shape.rank++] = onnx_size(c, 1);
  return onnx_reshape(c, v, shape.rank, shape.dims);
}

/* For a scalar scale the axis does not matter and may be out of range. */
static bool read_axis(OnnxCall *c, const OnnxShape *x, int64_t *out) {
  int64_t axis = onnx_int(c, "axis", 1);
  *out = axis < 0 ? axis + x->rank : axis;
  OnnxShape scale = onnx_shape(c, onnx_input(c, 1));
  if (onnx_is_size(onnx_product(c, scale.dims, scale.rank), 1)) return true;
  return onnx_axis(c, axis, x->rank, out);
}

static double lowest(TccElem elem) { return tcc_elem_is_signed(elem) ? -(double)((int64_t)1 << (tcc_elem_bits(elem) - 1)) : 0; }
static double highest(TccElem elem) {
  return (double)(((int64_t)1 << (tcc_elem_bits(elem) - (tcc_elem_is_signed(elem) ? 1 : 0))) - 1);
}

static MlirValue clamped(OnnxCall *c, MlirValue x, double low, double high) {
  TccElem elem = onnx_value_elem(x);
  MlirValue operands[] = {x, onnx_scalar(c, elem, low), onnx_scalar(c, elem, high)};
  return x.ptr ? onnx_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : x;
}

MlirValue onnx_quantize(OnnxCall *c, MlirValue x, MlirValue scale, MlirValue zero, TccElem elem, int64_t saturate) {
  return onnx_round_to(c, onnx_binary(c, TCC_OP_DIV, x, scale), zero, elem, saturate);
}

MlirValue onnx_round_to(OnnxCall *c, MlirValue y, MlirValue zero, TccElem elem, int64_t saturate) {
  OnnxShape shape = onnx_shape(c, y);
  shape.elem = elem;
  if (!y.ptr) return y;
  if (tcc_elem_is_float(elem)) {
    TccNamedAttr attr = {"saturate", tcc_attr_bool(c->ir, saturate != 0)};
    return onnx_op_typed(c, TCC_OP_CONVERT, &y, 1, &attr, 1, &shape);
  }
  y = onnx_convert(c, onnx_unary(c, TCC_OP_ROUND, y), TCC_ELEM_F32);
  if (zero.ptr) y = onnx_binary(c, TCC_OP_ADD, y, onnx_convert(c, zero, TCC_ELEM_F32));
  return onnx_convert(c, clamped(c, y, lowest(elem), highest(elem)), elem);
}

bool import_quantize_linear(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0), zero = onnx_input(c, 2);
  OnnxShape shape = onnx_shape(c, x);
  int64_t axis, block = onnx_int(c, "block_size", 0), type = onnx_int(c, "output_dtype", 0);
  if (!read_axis(c, &shape, &axis)) return false;
  TccElem elem = zero.ptr ? onnx_value_elem(zero) : type ? tcc_elem_from_onnx((int)type) : TCC_ELEM_U8;
  if (!elem) return onnx_unsupported(c, "output type %lld", (long long)type);
  TccElem precision = (TccElem)(onnx_int(c, "precision", 0) ? tcc_elem_from_onnx((int)onnx_int(c, "precision", 0))
                                                            : onnx_value_elem(onnx_input(c, 1)));
  if (!tcc_elem_is_float(precision)) return onnx_unsupported(c, "this precision");
  MlirValue scale = onnx_convert(c, spread(c, onnx_input(c, 1), &shape, axis, block), precision);
  if (zero.ptr && !(zero = spread(c, zero, &shape, axis, block)).ptr) return false;
  return onnx_output(c, 0, onnx_quantize(c, onnx_convert(c, x, precision), scale, zero, elem, onnx_int(c, "saturate", 1)));
}

static MlirValue dequantize(OnnxCall *c, MlirValue q, MlirValue scale, MlirValue zero) {
  TccElem elem = onnx_value_elem(scale);
  TccElem wide = elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32;
  MlirValue x;
  if (onnx_value_elem(q) == TCC_ELEM_I32 && zero.ptr)
    x = onnx_convert(c, onnx_binary(c, TCC_OP_SUB, q, zero), wide); /* not exact in f32 */
  else x = onnx_convert(c, q, wide), x = zero.ptr ? onnx_binary(c, TCC_OP_SUB, x, onnx_convert(c, zero, wide)) : x;
  return onnx_convert(c, onnx_binary(c, TCC_OP_MUL, x, onnx_convert(c, scale, wide)), elem);
}

bool import_dequantize_linear(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue q = onnx_input(c, 0), zero = onnx_input(c, 2);
  OnnxShape shape = onnx_shape(c, q);
  int64_t axis, block = onnx_int(c, "block_size", 0), type = onnx_int(c, "output_dtype", 0);
  if (!read_axis(c, &shape, &axis)) return false;
  if (zero.ptr && !(zero = spread(c, zero, &shape, axis, block)).ptr) return false;
  MlirValue x = dequantize(c, q, spread(c, onnx_input(c, 1), &shape, axis, block), zero);
  TccElem elem = type ? tcc_elem_from_onnx((int)type) : onnx_value_elem(x);
  return elem ? onnx_output(c, 0, onnx_convert(c, x, elem)) : onnx_unsupported(c, "output type %lld", (long long)type);
}

/* scale = (max(x, 0) - min(x, 0)) / 255, or 1 where all of x is 0, as in onnxruntime (the standard divides by 0 there);
 * zero = clamp(round(-min / scale), 0, 255) */
bool import_dynamic_quantize(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  int64_t axes[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) axes[i] = i;
  MlirValue nothing = onnx_scalar(c, shape.elem, 0);
  MlirValue high = onnx_binary(c, TCC_OP_MAX, onnx_reduce(c, "max", x, axes, (size_t)shape.rank, false), nothing);
  MlirValue low = onnx_binary(c, TCC_OP_MIN, onnx_reduce(c, "min", x, axes, (size_t)shape.rank, false), nothing);
  MlirValue range = onnx_binary(c, TCC_OP_SUB, high, low), scale = onnx_binary_number(c, TCC_OP_DIV, range, 255);
  scale = onnx_select(c, onnx_compare(c, "eq", range, nothing), onnx_scalar(c, shape.elem, 1), scale);
  MlirValue exact = onnx_binary(c, TCC_OP_DIV, onnx_unary(c, TCC_OP_NEG, low), scale);
  MlirValue zero = onnx_convert(c, clamped(c, onnx_unary(c, TCC_OP_ROUND, exact), 0, 255), TCC_ELEM_U8);
  return onnx_output(c, 0, onnx_quantize(c, x, scale, zero, TCC_ELEM_U8, 1)) && onnx_output(c, 1, scale) && onnx_output(c, 2, zero);
}

/* x and its zero point 128 higher (to unsigned bytes) or lower (to signed ones). */
static void shift_bytes(OnnxCall *c, MlirValue *x, MlirValue *zero, double by, TccElem to) {
  *x = onnx_convert(c, onnx_binary_number(c, TCC_OP_ADD, onnx_convert(c, *x, TCC_ELEM_I32), by), to);
  *zero =
      zero->ptr ? onnx_binary_number(c, TCC_OP_ADD, onnx_convert(c, *zero, TCC_ELEM_I32), by) : onnx_scalar(c, TCC_ELEM_I32, by);
}

/* (a - p)(b - q) summed over k = ab - p * sum_k b - sum_k a * q + p * q * K; p of a row or all, q of a column or all. */
static MlirValue matmul_integer(OnnxCall *c, MlirValue a, MlirValue b, MlirValue p, MlirValue q) {
  OnnxShape x = onnx_shape(c, a), y = onnx_shape(c, b);
  if (x.rank < 2 || y.rank < 2) { /* vectors: directly */
    MlirValue wide_a = onnx_convert(c, a, TCC_ELEM_I32), wide_b = onnx_convert(c, b, TCC_ELEM_I32);
    if (p.ptr) wide_a = onnx_binary(c, TCC_OP_SUB, wide_a, onnx_convert(c, p, TCC_ELEM_I32));
    if (q.ptr) wide_b = onnx_binary(c, TCC_OP_SUB, wide_b, onnx_convert(c, q, TCC_ELEM_I32));
    return onnx_binary(c, TCC_OP_MATMUL, wide_a, wide_b);
  }
  int64_t k_of_a = x.rank - 1, k_of_b = y.rank - 2;
  /* Unsigned times signed bytes is what machines have an instruction for (vpdpbusd): a weight is worth shifting to it. */
  TccOpKind kind = tcc_value_kind(c->ir, b);
  if (kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT) {
    if (onnx_value_elem(b) == TCC_ELEM_U8) shift_bytes(c, &b, &q, -128, TCC_ELEM_I8);
    if (onnx_value_elem(a) == TCC_ELEM_I8) shift_bytes(c, &a, &p, 128, TCC_ELEM_U8);
  }
  MlirValue r = onnx_binary(c, TCC_OP_MATMUL, a, b);
  p = p.ptr ? onnx_convert(c, p, TCC_ELEM_I32) : p;
  q = q.ptr ? onnx_convert(c, q, TCC_ELEM_I32) : q;
  OnnxShape rows = onnx_shape(c, p);
  if (rows.rank == 1 && !onnx_is_size(rows.dims[0], 1)) p = onnx_unsqueeze(c, p, 1);
  if (p.ptr)
    r = onnx_binary(c, TCC_OP_SUB, r,
                    onnx_binary(c, TCC_OP_MUL, p, onnx_reduce(c, "sum", onnx_convert(c, b, TCC_ELEM_I32), &k_of_b, 1, true)));
  if (q.ptr)
    r = onnx_binary(c, TCC_OP_SUB, r,
                    onnx_binary(c, TCC_OP_MUL, q, onnx_reduce(c, "sum", onnx_convert(c, a, TCC_ELEM_I32), &k_of_a, 1, true)));
  if (p.ptr && q.ptr)
    r = onnx_binary(c, TCC_OP_ADD, r,
                    onnx_binary(c, TCC_OP_MUL, onnx_binary(c, TCC_OP_MUL, p, q),
                                onnx_convert(c, onnx_size_scalar(c, x.dims[k_of_a]), TCC_ELEM_I32)));
  return r;
}

bool import_matmul_integer(OnnxCall *c) {
  return onnx_need(c, 2) &&
         onnx_output(c, 0, matmul_integer(c, onnx_input(c, 0), onnx_input(c, 1), onnx_input(c, 2), onnx_input(c, 3)));
}

/* Both operands dequantised, multiplied in f32, quantised again: inputs x, scale, zero, w, scale, zero, then y's. */
bool import_qlinear_matmul(OnnxCall *c) {
  if (!onnx_need(c, 8)) return false;
  OnnxShape x = onnx_shape(c, onnx_input(c, 0)), w = onnx_shape(c, onnx_input(c, 3));
  if (x.rank < 2 || w.rank < 2) return onnx_unsupported(c, "vectors");
  MlirValue sums = matmul_integer(c, onnx_input(c, 0), onnx_input(c, 3), onnx_input(c, 2), onnx_input(c, 5));
  MlirValue row = spread(c, onnx_input(c, 1), &x, x.rank - 2, 0), column = spread(c, onnx_input(c, 4), &w, w.rank - 1, 0);
  OnnxShape y = onnx_shape(c, sums);
  MlirValue scale = onnx_binary(c, TCC_OP_MUL, onnx_convert(c, row, TCC_ELEM_F32), onnx_convert(c, column, TCC_ELEM_F32));
  MlirValue out_scale = onnx_convert(c, spread(c, onnx_input(c, 6), &y, y.rank - 2, 0), TCC_ELEM_F32),
            zero = spread(c, onnx_input(c, 7), &y, y.rank - 2, 0);
  scale = onnx_binary(c, TCC_OP_DIV, scale, out_scale); /* one factor, as in onnxruntime: ties fall alike */
  MlirValue steps = onnx_binary(c, TCC_OP_MUL, onnx_convert(c, sums, TCC_ELEM_F32), scale);
  return zero.ptr && onnx_output(c, 0, onnx_round_to(c, steps, zero, onnx_value_elem(zero), 1));
}

/* ---- com.microsoft.MatMulNBits: w [N, blocks, block * bits / 8] of packed unsigned numbers, a scale and a zero point a block ---- */
/* Bytes as 4-bit numbers, low bits first: the same memory under another type. */
static MlirValue as_nibbles(OnnxCall *c, MlirValue bytes, int rank, const TccExpr *const *dims) {
  MlirOperation op = tcc_value_op(bytes);
  MlirType type = tcc_tensor_type(c->ir, TCC_ELEM_U4, rank, dims);
  if (tcc_value_kind(c->ir, bytes) == TCC_OP_WEIGHT) {
    static const char *const names[] = {"name", "source", "offset", "length"};
    TccNamedAttr attrs[4];
    for (int i = 0; i < 4; i++)
      attrs[i] = (TccNamedAttr){names[i], mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(names[i]))};
    MlirOperation made = tcc_build(&c->b, TCC_OP_WEIGHT, NULL, 0, attrs, 4, &type);
    return mlirOperationIsNull(made) ? (MlirValue){NULL} : mlirOperationGetResult(made, 0);
  }
  size_t count;
  const void *data = tcc_constant_data(c->ir, bytes, &count);
  int64_t sizes[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++)
    if (!tcc_expr_is_const(dims[i], &sizes[i])) data = NULL;
  if (!data) {
    onnx_unsupported(c, "packed numbers that are not a weight");
    return (MlirValue){NULL};
  }
  return tcc_build_constant(&c->b, TCC_ELEM_U4, rank, sizes, data);
}

bool import_matmul_nbits(OnnxCall *c) {
  if (!onnx_need(c, 3)) return false;
  int64_t k = onnx_int(c, "K", 0), n = onnx_int(c, "N", 0), block = onnx_int(c, "block_size", 0), bits = onnx_int(c, "bits", 4);
  if (bits != 4) return onnx_unsupported(c, "%lld bits", (long long)bits);
  if (k < 1 || n < 1 || block < 2 || block % 2) return onnx_invalid(c, "K, N and block_size do not fit");
  if (onnx_has_input(c, 4)) return onnx_unsupported(c, "group indices");
  int64_t blocks = (k + block - 1) / block;
  const TccExpr *dims[] = {onnx_size(c, n), onnx_size(c, blocks), onnx_size(c, block)};
  const TccExpr *each[] = {dims[0], dims[1], onnx_size(c, 1)}, *flat[] = {dims[0], onnx_size(c, blocks * block)};
  OnnxShape packed = onnx_shape(c, onnx_input(c, 1));
  int64_t bytes;
  if (packed.elem != TCC_ELEM_U8 || !tcc_expr_is_const(onnx_product(c, packed.dims, packed.rank), &bytes) ||
      bytes != n * blocks * block / 2)
    return onnx_invalid(c, "B must be u8 of shape [N, blocks, block_size / 2]");
  MlirValue scale = onnx_reshape(c, onnx_input(c, 2), 3, each);
  TccElem elem = onnx_value_elem(onnx_input(c, 0));
  MlirValue w = onnx_convert(c, as_nibbles(c, onnx_input(c, 1), 3, dims), onnx_value_elem(scale)), zero;
  if (!onnx_has_input(c, 3)) {
    zero = onnx_scalar(c, onnx_value_elem(scale), 8);
  } else if (onnx_value_elem(onnx_input(c, 3)) == TCC_ELEM_U8) { /* a row of zero points is padded to whole bytes */
    const TccExpr *points[] = {dims[0], onnx_size(c, (blocks + 1) / 2 * 2)};
    zero = onnx_slice(c, as_nibbles(c, onnx_input(c, 3), 2, points), 1, onnx_size(c, 0), dims[1]);
    zero = onnx_convert(c, onnx_reshape(c, zero, 3, each), onnx_value_elem(scale));
  } else {
    zero = onnx_convert(c, onnx_reshape(c, onnx_input(c, 3), 3, each), onnx_value_elem(scale));
  }
  w = onnx_reshape(c, onnx_binary(c, TCC_OP_MUL, onnx_binary(c, TCC_OP_SUB, w, zero), scale), 2, flat);
  if (blocks * block != k) w = onnx_slice(c, w, 1, onnx_size(c, 0), onnx_size(c, k));
  MlirValue operands[] = {onnx_input(c, 0), onnx_convert(c, w, elem), onnx_input(c, 5)};
  return operands[1].ptr && onnx_output(c, 0, onnx_op(c, TCC_OP_LINEAR, operands, 3, NULL, 0));
}
