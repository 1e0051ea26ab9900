/* ops_quantize_blocks.c - onnxruntime's operators on weights of 2, 3, 4 and 8 bits with a scale, and maybe a zero point, for each block of
 * elements: MatMulNBits and GatherBlockQuantized.
 *
 * Numbers are packed low bits first. A weight of 4 bits is the same memory under another type; those of 2 bits, and what is gathered, are
 * taken out of their bytes by shifts: no type has 2 bits, and nothing can be stored in 4. Eight numbers of 3 bits lie in three bytes. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* Bytes as 4-bit numbers: the same memory under another type. */
static MlirValue as_nibbles(ImportCall *c, MlirValue bytes, int rank, const TccExpr *const *dims) {
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
    import_unsupported(c, "packed numbers that are not a weight");
    return (MlirValue){NULL};
  }
  return tcc_build_constant(&c->b, TCC_ELEM_U4, rank, sizes, data);
}

/* Numbers of 2 or 4 bits out of their bytes: [.., n] -> [.., n, 8 / bits] -> dims. */
static MlirValue shifted_out(ImportCall *c, MlirValue bytes, int64_t bits, int rank, const TccExpr *const *dims) {
  uint8_t shifts[4];
  const int64_t count = 8 / bits;
  ImportShape shape = import_shape(c, bytes);
  if (shape.rank == TCC_MAX_RANK) {
    import_unsupported(c, "packed numbers of rank %d", shape.rank);
    return (MlirValue){NULL};
  }
  for (int64_t i = 0; i < count; i++) shifts[i] = (uint8_t)(i * bits);
  shape.dims[shape.rank++] = import_size(c, 1);
  MlirValue each = tcc_build_reshape(&c->b, bytes, shape.rank, shape.dims);
  each = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, each, tcc_build_constant(&c->b, TCC_ELEM_U8, 1, &count, shifts));
  each = tcc_build2(&c->b, TCC_OP_AND, each, tcc_build_scalar(&c->b, TCC_ELEM_U8, (double)((1 << bits) - 1)));
  return tcc_build_reshape(&c->b, each, rank, dims);
}

/* Numbers of 3 bits, eight in a word of three bytes: [.., n, 3] -> [.., n, 8] -> dims. */
static MlirValue as_triples(ImportCall *c, MlirValue bytes, int rank, const TccExpr *const *dims) {
  static const uint32_t shifts[] = {0, 3, 6, 9, 12, 15, 18, 21};
  const int64_t numbers = sizeof shifts / sizeof *shifts;
  ImportShape shape = import_shape(c, bytes);
  if (shape.rank < 1 || shape.rank == TCC_MAX_RANK) {
    import_unsupported(c, "packed numbers of rank %d", shape.rank);
    return (MlirValue){NULL};
  }
  const TccExpr *three = import_size(c, 3), *words = import_divide(c, shape.dims[shape.rank - 1], three);
  if (!words) return (MlirValue){NULL};
  shape.dims[shape.rank - 1] = words;
  shape.dims[shape.rank++] = three;
  MlirValue parts = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, bytes, shape.rank, shape.dims), TCC_ELEM_U32), word = {NULL};
  for (int i = 0; i < 3; i++) {
    MlirValue part = tcc_build_slice_axis(&c->b, parts, shape.rank - 1, import_size(c, i), 1, import_size(c, 1));
    part = tcc_build2(&c->b, TCC_OP_SHIFT_LEFT, part, tcc_build_scalar(&c->b, TCC_ELEM_U32, 8 * i));
    word = i ? tcc_build2(&c->b, TCC_OP_OR, word, part) : part;
  }
  word = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, word, tcc_build_constant(&c->b, TCC_ELEM_U32, 1, &numbers, shifts));
  word = tcc_build2(&c->b, TCC_OP_AND, word, tcc_build_scalar(&c->b, TCC_ELEM_U32, 7));
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, word, TCC_ELEM_U8), rank, dims);
}

/* Numbers that fill whole bytes together, fewest: one byte, or three of 3 bits. */
static int64_t numbers_together(int64_t bits) { return bits == 3 ? 8 : 8 / bits; }

/* Packed numbers of so many bits as a tensor of these sizes, the last of which fills whole bytes. */
static MlirValue unpacked(ImportCall *c, MlirValue bytes, int64_t bits, int rank, const TccExpr *const *dims) {
  if (bits == 4) return as_nibbles(c, bytes, rank, dims);
  if (bits == 3) return as_triples(c, bytes, rank, dims);
  if (bits == 2) return shifted_out(c, bytes, bits, rank, dims);
  return tcc_build_reshape(&c->b, bytes, rank, dims);
}

static bool read_bits(ImportCall *c, int64_t *out) {
  *out = onnx_int(c, "bits", 4);
  return *out == 2 || *out == 4 || *out == 8 || import_unsupported(c, "%lld bits", (long long)*out);
}

/* Zero points [n, blocks] of the numbers [n, blocks * bits / 8] or of floats. */
static MlirValue zero_points(ImportCall *c, MlirValue packed, int64_t bits, const TccExpr *n, int64_t blocks, TccElem elem) {
  const int64_t together = numbers_together(bits), groups = (blocks + together - 1) / together;
  const TccExpr *sizes[] = {n, import_size(c, groups * together)}, *each[] = {n, import_size(c, blocks), import_size(c, 1)};
  if (packed.ptr && tcc_value_elem(packed) == TCC_ELEM_U8) { /* a row of zero points is padded to whole bytes */
    const TccExpr *bytes[] = {n, import_size(c, (blocks * bits + 7) / 8)};
    if (bits < 4) packed = tcc_build_reshape(&c->b, packed, 2, bytes);
    if (bits == 3) packed = import_fit_last(c, packed, import_size(c, 3 * groups));
    packed = packed.ptr ? unpacked(c, packed, bits, 2, sizes) : packed;
    if (packed.ptr && blocks % together) packed = tcc_build_slice_axis(&c->b, packed, 1, import_size(c, 0), 1, each[1]);
  }
  return packed.ptr ? tcc_build_convert(&c->b, tcc_build_reshape(&c->b, packed, 3, each), elem) : packed;
}

MlirValue onnx_block_weight(ImportCall *c, const OnnxBlockWeight *w, TccElem elem) {
  const int64_t run = w->block ? w->block : w->depth, blocks = run > 0 ? w->depth / run : 0;
  if (w->block < 0 || run < 1 || w->depth % run || run * w->bits % 8) {
    import_invalid(c, "block_size %lld for rows of %lld", (long long)w->block, (long long)w->depth);
    return (MlirValue){NULL};
  }
  const TccExpr *one = import_size(c, 1),
                *dims[] = {import_size(c, w->matrices), import_size(c, w->rows), import_size(c, blocks), import_size(c, run)};
  const TccExpr *each[] = {dims[0], dims[1], dims[2], one},
                *stored[] = {dims[0], dims[1], dims[2], import_size(c, run * w->bits / 8)},
                *flat[] = {dims[0], dims[1], import_size(c, w->depth)};
  ImportShape packed = import_shape(c, w->packed), scale = import_shape(c, w->scale);
  if (packed.elem != TCC_ELEM_U8 || !tcc_elem_is_float(scale.elem)) {
    import_invalid(c, "packed numbers of %s with scales of %s", tcc_elem_name(packed.elem), tcc_elem_name(scale.elem));
    return (MlirValue){NULL};
  }
  if (!import_require_shape(c, &scale, w->block ? 3 : 2, each, "scales")) return (MlirValue){NULL};
  MlirValue q = w->bits < 4 ? tcc_build_reshape(&c->b, w->packed, 4, stored) : w->packed, zero = w->zero;
  q = q.ptr ? tcc_build_convert(&c->b, unpacked(c, q, w->bits, 4, dims), elem) : q;
  if (zero.ptr) { /* of a row's blocks, or of a matrix's rows, in whole bytes */
    const int64_t of = w->block ? blocks : w->rows;
    const TccExpr *lines = w->block ? import_size_mul(c, dims[0], dims[1]) : dims[0], *row = import_size(c, (of * w->bits + 7) / 8),
                  *bytes[] = {dims[0], w->block ? dims[1] : row, row};
    ImportShape given = import_shape(c, zero);
    if (given.elem != TCC_ELEM_U8 || !import_require_shape(c, &given, w->block ? 3 : 2, bytes, "zero points"))
      return (MlirValue){NULL};
    zero = zero_points(c, zero, w->bits, lines, of, elem);
    if (zero.ptr) zero = tcc_build_reshape(&c->b, zero, 4, each);
    if (!zero.ptr) return zero;
  } else {
    zero = tcc_build_scalar(&c->b, elem, (double)(1 << (w->bits - 1)));
  }
  MlirValue factor = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, w->scale, 4, each), elem);
  return tcc_build_reshape(&c->b, tcc_build2(&c->b, TCC_OP_MUL, tcc_build2(&c->b, TCC_OP_SUB, q, zero), factor), 3, flat);
}

/* w [N, blocks, block * bits / 8], a scale and maybe a zero point a block: y = x * ((w - zero) * scale)^T. */
bool onnx_op_matmul_nbits(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  int64_t k = onnx_int(c, "K", 0), n = onnx_int(c, "N", 0), block = onnx_int(c, "block_size", 0), bits, bytes;
  if (!read_bits(c, &bits)) return false;
  if (k < 1 || n < 1 || block < 2 || block * bits % 8) return import_invalid(c, "K, N and block_size do not fit");
  if (import_has_input(c, 4)) return import_unsupported(c, "group indices");
  int64_t blocks = (k + block - 1) / block;
  const TccExpr *dims[] = {import_size(c, n), import_size(c, blocks), import_size(c, block)};
  const TccExpr *each[] = {dims[0], dims[1], import_size(c, 1)}, *flat[] = {dims[0], import_size(c, blocks * block)};
  const TccExpr *stored[] = {dims[0], dims[1], import_size(c, block * bits / 8)};
  ImportShape packed = import_shape(c, import_input(c, 1));
  if (packed.elem != TCC_ELEM_U8 || !tcc_expr_is_const(import_product(c, packed.dims, packed.rank), &bytes) ||
      bytes != n * blocks * block * bits / 8)
    return import_invalid(c, "B must be u8 of shape [N, blocks, block_size * bits / 8]");
  MlirValue scale = tcc_build_reshape(&c->b, import_input(c, 2), 3, each), q = import_input(c, 1);
  TccElem elem = tcc_value_elem(import_input(c, 0)), narrow = tcc_value_elem(scale);
  if (bits == 2) q = tcc_build_reshape(&c->b, q, 3, stored);
  MlirValue w = tcc_build_convert(&c->b, unpacked(c, q, bits, 3, dims), narrow);
  MlirValue zero = import_has_input(c, 3) ? zero_points(c, import_input(c, 3), bits, dims[0], blocks, narrow)
                                          : tcc_build_scalar(&c->b, narrow, (double)(1 << (bits - 1)));
  w = tcc_build_reshape(&c->b, tcc_build2(&c->b, TCC_OP_MUL, tcc_build2(&c->b, TCC_OP_SUB, w, zero), scale), 2, flat);
  if (blocks * block != k) w = tcc_build_slice_axis(&c->b, w, 1, import_size(c, 0), 1, import_size(c, k));
  MlirValue operands[] = {import_input(c, 0), tcc_build_convert(&c->b, w, elem), import_input(c, 5)};
  return operands[1].ptr && import_output(c, 0, import_op(c, TCC_OP_LINEAR, operands, 3, NULL, 0));
}

/* ---- numbers of bitsandbytes ---- */

static const float fp4[] = {0,    0.005208333333f,  0.66666667f,  1,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
                            -0.f, -0.005208333333f, -0.66666667f, -1, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
static const float nf4[] = {-1,
                            -0.6961928009986877f,
                            -0.5250730514526367f,
                            -0.39491748809814453f,
                            -0.28444138169288635f,
                            -0.18477343022823334f,
                            -0.09105003625154495f,
                            0,
                            0.07958029955625534f,
                            0.16093020141124725f,
                            0.24611230194568634f,
                            0.33791524171829224f,
                            0.44070982933044434f,
                            0.5626170039176941f,
                            0.7229568362236023f,
                            1};

/* values[q] for q in [first, first + count): a tree of comparisons, which emitters look up at once (pull_nibbles.c). */
static MlirValue looked_up(ImportCall *c, MlirValue q, const float *values, int first, int count) {
  if (count == 1) return tcc_build_scalar(&c->b, TCC_ELEM_F32, (double)values[first]);
  const int half = count / 2;
  MlirValue below = tcc_build_compare(&c->b, "lt", q, tcc_build_scalar(&c->b, TCC_ELEM_F32, first + half));
  return tcc_build_select(&c->b, below, looked_up(c, q, values, first, half), looked_up(c, q, values, first + half, half));
}

/* [.., K] with each two neighbours in the other order. */
static MlirValue swapped_pairs(ImportCall *c, MlirValue x, int64_t k) {
  ImportShape shape = import_shape(c, x), pairs = shape;
  if (!x.ptr) return x;
  pairs.dims[shape.rank - 1] = import_size(c, k / 2);
  pairs.dims[pairs.rank++] = import_size(c, 2);
  x = tcc_build_reshape(&c->b, x, pairs.rank, pairs.dims);
  x = tcc_build_slice_axis(&c->b, x, shape.rank, import_size(c, 1), -1, import_size(c, 2));
  return tcc_build_reshape(&c->b, x, shape.rank, shape.dims);
}

/* B [N * K / 2]: 4 bits a number, the first of two in the high half of its byte, in blocks of the flat [N, K] with one absmax each. Low halves come first
 * in a tensor of 4 bits, so that its rows are B's with their neighbours exchanged; so are x's, or the result's. */
bool onnx_op_matmul_bnb4(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  const int64_t k = onnx_int(c, "K", 0), n = onnx_int(c, "N", 0), block = onnx_int(c, "block_size", 0),
                kind = onnx_int(c, "quant_type", -1);
  const bool transposed = onnx_int(c, "transB", 1) != 0;
  if (k < 1 || n < 1 || k > INT32_MAX || n > INT32_MAX) return import_invalid(c, "K and N must be positive");
  if (block < 16 || (block & (block - 1))) return import_invalid(c, "block_size is %lld", (long long)block);
  if (kind != 0 && kind != 1) return import_invalid(c, "quant_type is %lld", (long long)kind);
  if (k % block)
    return import_unsupported(c, "rows of %lld numbers in blocks of %lld, which go across them", (long long)k, (long long)block);
  ImportShape x = import_shape(c, import_input(c, 0)), packed = import_shape(c, import_input(c, 1)),
              absmax = import_shape(c, import_input(c, 2));
  const TccExpr *bytes[] = {import_size(c, n * k / 2)}, *blocks[] = {import_size(c, n * (k / block))},
                *dims[] = {import_size(c, n), import_size(c, k / block), import_size(c, block)},
                *each[] = {dims[0], dims[1], import_size(c, 1)}, *flat[] = {dims[0], import_size(c, k)};
  if (packed.elem != TCC_ELEM_U8) return import_invalid(c, "B of %s", tcc_elem_name(packed.elem));
  if (packed.rank == 2) packed = (ImportShape){packed.elem, 1, {import_product(c, packed.dims, 2)}};
  if (!import_require_shape(c, &packed, 1, bytes, "B") || !import_require_shape(c, &absmax, 1, blocks, "absmax")) return false;
  if (x.rank < 1 || !tcc_elem_is_float(x.elem)) return import_invalid(c, "A of rank %d", x.rank);
  MlirValue q = as_nibbles(c, import_input(c, 1), 3, dims);
  MlirValue w = q.ptr ? looked_up(c, tcc_build_convert(&c->b, q, TCC_ELEM_F32), kind ? nf4 : fp4, 0, 16) : q;
  MlirValue factor = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, import_input(c, 2), 3, each), TCC_ELEM_F32);
  w = tcc_build_reshape(&c->b, tcc_build2(&c->b, TCC_OP_MUL, w, factor), 2, flat);
  w = tcc_build_convert(&c->b, w, x.elem);
  MlirValue operands[] = {transposed ? swapped_pairs(c, import_input(c, 0), k) : import_input(c, 0), w, {NULL}};
  TccNamedAttr attr = {"transposed", tcc_attr_bool(c->ir, transposed)};
  if (!operands[0].ptr || !w.ptr) return false;
  MlirValue y = import_op(c, TCC_OP_LINEAR, operands, 3, &attr, 1);
  return import_output(c, 0, transposed ? y : swapped_pairs(c, y, k));
}

/* ---- rows of tables ---- */

/* Rows of a table of packed bytes: what is gathered is taken apart, up to `last` numbers of its last axis (NULL: all). */
static MlirValue gathered(ImportCall *c, MlirValue table, MlirValue index, int64_t axis, int64_t bits, const TccExpr *last) {
  MlirValue rows = import_gather_valid(c, table, index, axis, TCC_VALID_SIGNED);
  if (!rows.ptr || bits == 8) return rows;
  ImportShape shape = import_shape(c, rows);
  const TccExpr **end = &shape.dims[shape.rank - 1];
  *end = import_size_mul(c, *end, import_size(c, 8 / bits));
  rows = shifted_out(c, rows, bits, shape.rank, shape.dims);
  return !rows.ptr || !last || *end == last ? rows : tcc_build_slice_axis(&c->b, rows, shape.rank - 1, import_size(c, 0), 1, last);
}

/* Rows of a table of such numbers: what is gathered is dequantised. Bytes hold numbers packed along their last axis. */
bool onnx_op_gather_block_quantized(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue data = import_input(c, 0), scale = import_input(c, 2), zero = import_input(c, 3);
  ImportShape table = import_shape(c, data), indices = import_shape(c, import_input(c, 1)), scales = import_shape(c, scale);
  int64_t block = onnx_int(c, "block_size", 128), bits, axis, along;
  if (!import_axis(c, onnx_int(c, "gather_axis", 0), table.rank, &axis) ||
      !import_axis(c, onnx_int(c, "quantize_axis", 1), table.rank, &along) || !read_bits(c, &bits))
    return false;
  bool is_packed = table.elem == TCC_ELEM_U8;
  if (!is_packed && table.elem != TCC_ELEM_U4 && table.elem != TCC_ELEM_I4)
    return import_unsupported(c, "a table of %s", tcc_elem_name(table.elem));
  if (axis == along || block < 1)
    return import_invalid(c, "gather_axis must not be quantize_axis, and block_size must be positive");
  if (is_packed && axis != 0) return import_invalid(c, "gather_axis of bytes must be 0");
  if (scales.rank != table.rank) return import_invalid(c, "scales must have the rank of data");
  MlirValue index = import_index(c, import_input(c, 1));
  if (!index.ptr) return false;
  TccElem elem = tcc_value_elem(scale);
  if (zero.ptr && !is_packed) zero = tcc_build_convert(&c->b, zero, elem);
  int64_t packed = is_packed ? bits : 8;
  if (zero.ptr && !(zero = gathered(c, zero, index, axis, packed, scales.dims[scales.rank - 1])).ptr) return false;
  data = gathered(c, data, index, axis, packed, NULL);
  scale = import_gather_valid(c, scale, index, axis, TCC_VALID_SIGNED);
  if (!data.ptr || !scale.ptr) return false;
  if (along > axis) along += indices.rank - 1;
  ImportShape rows = import_shape(c, data);
  if (zero.ptr) zero = onnx_spread(c, tcc_build_convert(&c->b, zero, elem), &rows, along, block);
  else if (is_packed) zero = tcc_build_scalar(&c->b, elem, (double)(1 << (bits - 1)));
  MlirValue values = tcc_build_convert(&c->b, data, elem);
  if (zero.ptr) values = tcc_build2(&c->b, TCC_OP_SUB, values, zero);
  scale = onnx_spread(c, scale, &rows, along, block);
  return scale.ptr && import_output(c, 0, tcc_build2(&c->b, TCC_OP_MUL, values, scale));
}
