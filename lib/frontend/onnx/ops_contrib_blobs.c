/* ops_contrib_blobs.c - weights in blocks of bytes that have their scales beside their numbers: MatMulFpQ4, GatherPacked.
 *
 * A block is cut into its fields by slices; two or four bytes of one become a float by shifts and a bitcast. MatMulFpQ4's blocks are those of
 * onnxruntime's MlasQ4GemmPackB: along each column of the weight. GatherPacked's are those of GGML's types, by their numbers there, of rows of
 * an embedding table; those that look numbers up in large tables (IQ2, IQ3) are refused. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue bits(ImportCall *c, TccElem elem, int64_t value) { return tcc_build_scalar_i64(&c->b, elem, value); }

/* Bytes [first, first + count) of blocks [..., bytes]. */
static MlirValue field(ImportCall *c, MlirValue blocks, int64_t first, int64_t count) {
  int last = import_shape(c, blocks).rank - 1;
  return tcc_build_slice_axis(&c->b, blocks, last, import_size(c, first), 1, import_size(c, count));
}

/* Their last axis of n * width bytes, little endian, as [..., n] of an unsigned type of `width` bytes. */
static MlirValue words(ImportCall *c, MlirValue bytes, int width, TccElem elem) {
  ImportShape shape = import_shape(c, bytes);
  const TccExpr *n = shape.rank ? import_divide(c, shape.dims[shape.rank - 1], import_size(c, width)) : NULL;
  MlirValue out = none();
  for (int i = 0; i < width && n; i++) {
    MlirValue part = tcc_build_slice_axis(&c->b, bytes, shape.rank - 1, import_size(c, i), width, n);
    part = tcc_build2(&c->b, TCC_OP_SHIFT_LEFT, tcc_build_convert(&c->b, part, elem), bits(c, elem, 8 * i));
    out = i ? tcc_build2(&c->b, TCC_OP_OR, out, part) : part;
  }
  return out;
}

static MlirValue as(ImportCall *c, MlirValue x, TccElem elem) {
  ImportShape shape = import_shape(c, x);
  shape.elem = elem;
  return x.ptr ? import_op_typed(c, TCC_OP_BITCAST, &x, 1, NULL, 0, &shape) : x;
}

/* Floats of 2 or 4 bytes, as f32. */
static MlirValue halves(ImportCall *c, MlirValue bytes) {
  return tcc_build_convert(&c->b, as(c, words(c, bytes, 2, TCC_ELEM_U16), TCC_ELEM_F16), TCC_ELEM_F32);
}
static MlirValue floats(ImportCall *c, MlirValue bytes) { return as(c, words(c, bytes, 4, TCC_ELEM_U32), TCC_ELEM_F32); }

/* `count` bits of bytes from bit `first` on. */
static MlirValue some_bits(ImportCall *c, MlirValue x, int first, int count) {
  MlirValue moved = first ? tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, x, bits(c, TCC_ELEM_U8, first)) : x;
  return tcc_build2(&c->b, TCC_OP_AND, moved, bits(c, TCC_ELEM_U8, (1 << count) - 1));
}

static MlirValue above(ImportCall *c, MlirValue x, int by) {
  return tcc_build2(&c->b, TCC_OP_SHIFT_LEFT, x, bits(c, TCC_ELEM_U8, by));
}
static MlirValue either(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_OR, a, b); }
static MlirValue real(ImportCall *c, MlirValue x) { return tcc_build_convert(&c->b, x, TCC_ELEM_F32); }
static MlirValue times(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_MUL, a, b); }
static MlirValue less(ImportCall *c, MlirValue x, double by) { return tcc_build2_number(&c->b, TCC_OP_SUB, x, by); }

/* [..., n] as [..., a, b]; b 0: [..., a]. The axes in front are x's. */
static MlirValue cut(ImportCall *c, MlirValue x, int keep, int64_t a, int64_t b) {
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || shape.rank < keep || keep > TCC_MAX_RANK - 2) return none();
  shape.dims[keep] = import_size(c, a);
  shape.dims[keep + 1] = import_size(c, b);
  return tcc_build_reshape(&c->b, x, keep + 1 + (b != 0), shape.dims);
}

static MlirValue joined(ImportCall *c, MlirValue a, MlirValue b, int axis) {
  MlirValue parts[] = {a, b};
  return a.ptr && b.ptr ? tcc_build_concat(&c->b, parts, 2, axis) : none();
}

/* Bytes [..., n] whose low halves stand for n numbers and whose high halves for the n behind them: u8 [..., 2 n]. */
static MlirValue nibbles(ImportCall *c, MlirValue bytes) {
  return joined(c, some_bits(c, bytes, 0, 4), some_bits(c, bytes, 4, 4), import_shape(c, bytes).rank - 1);
}

/* ---- MatMulFpQ4 ---- */
/* A [..., K], blocks of 32 or 64 numbers of each of N columns, [K, N]. Type 1 has zero points. */
bool onnx_op_matmul_fp_q4(ImportCall *c) {
  const int64_t kind = onnx_int(c, "blk_quant_type", 1), block = kind == 2 ? 64 : 32, head = kind == 1 ? 5 : 4;
  size_t n;
  if (!import_need(c, 3)) return false;
  if (kind < 0 || kind > 2) return import_invalid(c, "blk_quant_type is %lld", (long long)kind);
  const int64_t *sizes = import_constants(c, 2, &n);
  if (!sizes) return false;
  if (n != 2 || sizes[0] < 1 || sizes[1] < 1 || sizes[0] > INT32_MAX || sizes[1] > INT32_MAX)
    return import_invalid(c, "B_shape is no shape of a matrix");
  ImportShape b = import_shape(c, import_input(c, 1)), a = import_shape(c, import_input(c, 0));
  const int64_t blocks = (sizes[0] + block - 1) / block, bytes = head + block / 2;
  if (b.elem != TCC_ELEM_U8 || a.elem != TCC_ELEM_F32 || a.rank < 1)
    return import_invalid(c, "A of %s and rank %d, B of %s", tcc_elem_name(a.elem), a.rank, tcc_elem_name(b.elem));
  if (!import_require_equal(c, import_product(c, b.dims, b.rank), import_size(c, sizes[1] * blocks * bytes), "bytes of B") ||
      !import_require_equal(c, a.dims[a.rank - 1], import_size(c, sizes[0]), "the depth of A"))
    return false;
  const TccExpr *dims[] = {import_size(c, sizes[1]), import_size(c, blocks), import_size(c, bytes)};
  const TccExpr *weight[] = {dims[0], import_size(c, blocks * block)};
  MlirValue x = tcc_build_reshape(&c->b, import_input(c, 1), 3, dims), scale = floats(c, field(c, x, 0, 4));
  MlirValue q = real(c, nibbles(c, cut(c, field(c, x, head, block / 2), 2, block / 32, 16)));
  MlirValue zero = kind == 1 ? real(c, import_unsqueeze(c, field(c, x, 4, 1), 3)) : tcc_build_scalar(&c->b, TCC_ELEM_F32, 8);
  MlirValue w = times(c, tcc_build2(&c->b, TCC_OP_SUB, q, zero), import_unsqueeze(c, scale, 3));
  w = tcc_build_reshape(&c->b, w, 2, weight);
  MlirValue operands[] = {import_input(c, 0), tcc_build_slice_axis(&c->b, w, 1, import_size(c, 0), 1, import_size(c, sizes[0]))};
  return operands[1].ptr && import_output(c, 0, import_op(c, TCC_OP_LINEAR, operands, 2, NULL, 0));
}

/* ---- GatherPacked ---- */
/* Each decodes blocks u8 [rows, blocks, bytes] as f32 [rows, blocks, ...], in order. */
static MlirValue of_floats(ImportCall *c, MlirValue x) { return floats(c, x); }
static MlirValue of_halves(ImportCall *c, MlirValue x) { return halves(c, x); }
static MlirValue of_bfloats(ImportCall *c, MlirValue x) { return real(c, as(c, words(c, x, 2, TCC_ELEM_U16), TCC_ELEM_BF16)); }

static MlirValue q4_0(ImportCall *c, MlirValue x) {
  return times(c, halves(c, field(c, x, 0, 2)), less(c, real(c, nibbles(c, field(c, x, 2, 16))), 8));
}

static MlirValue q8_0(ImportCall *c, MlirValue x) {
  return times(c, halves(c, field(c, x, 0, 2)), real(c, as(c, field(c, x, 2, 32), TCC_ELEM_I8)));
}

/* Bits of bytes [..., n] one after the other: u8 [..., 8 n]. */
static MlirValue each_bit(ImportCall *c, MlirValue bytes, int64_t n) {
  static const uint8_t places[] = {0, 1, 2, 3, 4, 5, 6, 7};
  int last = import_shape(c, bytes).rank;
  const int64_t eight = 8;
  MlirValue by = tcc_build_constant(&c->b, TCC_ELEM_U8, 1, &eight, places);
  MlirValue all = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, import_unsqueeze(c, bytes, last), by);
  return cut(c, tcc_build2(&c->b, TCC_OP_AND, all, bits(c, TCC_ELEM_U8, 1)), last - 1, 8 * n, 0);
}

static MlirValue q5_0(ImportCall *c, MlirValue x) {
  MlirValue high = above(c, each_bit(c, field(c, x, 2, 4), 4), 4), low = nibbles(c, field(c, x, 6, 16));
  return times(c, halves(c, field(c, x, 0, 2)), less(c, real(c, either(c, low, high)), 16));
}

/* Numbers of IQ4_NL and IQ4_XS for their 16 codes. */
static MlirValue looked_up(ImportCall *c, MlirValue codes) {
  static const float values[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  const int64_t n = 16;
  MlirValue table = tcc_build_constant(&c->b, TCC_ELEM_F32, 1, &n, values);
  return tcc_build_gather(&c->b, table, tcc_build_convert(&c->b, codes, TCC_ELEM_I32), 0);
}

static MlirValue iq4_nl(ImportCall *c, MlirValue x) {
  return times(c, halves(c, field(c, x, 0, 2)), looked_up(c, nibbles(c, field(c, x, 2, 16))));
}

/* d; bits 4 and 5 of 8 scales, two bits each; their low halves; codes. */
static MlirValue iq4_xs(ImportCall *c, MlirValue x) {
  static const uint8_t places[] = {0, 2, 4, 6};
  const int64_t four = 4;
  MlirValue by = tcc_build_constant(&c->b, TCC_ELEM_U8, 1, &four, places), high = import_unsqueeze(c, field(c, x, 2, 2), 3);
  high = cut(c, some_bits(c, tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, high, by), 0, 2), 2, 8, 0);
  MlirValue bytes = import_unsqueeze(c, field(c, x, 4, 4), 3);
  MlirValue low = cut(c, joined(c, some_bits(c, bytes, 0, 4), some_bits(c, bytes, 4, 4), 3), 2, 8, 0);
  MlirValue scale = less(c, real(c, either(c, low, above(c, high, 4))), 32);
  scale = times(c, halves(c, field(c, x, 0, 2)), scale);
  return times(c, import_unsqueeze(c, scale, 3), looked_up(c, nibbles(c, cut(c, field(c, x, 8, 128), 2, 8, 16))));
}

/* d, dmin; 8 scales and 8 minima of 6 bits in 12 bytes; a bit of each number; its low half. */
static MlirValue q5_k(ImportCall *c, MlirValue x) {
  MlirValue packed = field(c, x, 4, 12), a = field(c, packed, 0, 4), b = field(c, packed, 4, 4), rest = field(c, packed, 8, 4);
  MlirValue scales = joined(c, some_bits(c, a, 0, 6), either(c, some_bits(c, rest, 0, 4), above(c, some_bits(c, a, 6, 2), 4)), 2);
  MlirValue minima = joined(c, some_bits(c, b, 0, 6), either(c, some_bits(c, rest, 4, 4), above(c, some_bits(c, b, 6, 2), 4)), 2);
  scales = times(c, halves(c, field(c, x, 0, 2)), real(c, scales));
  minima = times(c, halves(c, field(c, x, 2, 2)), real(c, minima));
  MlirValue high = import_unsqueeze(c, field(c, x, 16, 32), 2); /* bit j of byte l: of number l of 32 in part j */
  static const uint8_t places[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int64_t column[] = {8, 1};
  high = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, high, tcc_build_constant(&c->b, TCC_ELEM_U8, 2, column, places));
  high = above(c, some_bits(c, high, 0, 1), 4);
  MlirValue low = cut(c, nibbles(c, cut(c, field(c, x, 48, 128), 2, 4, 32)), 2, 8, 32);
  MlirValue q = times(c, import_unsqueeze(c, scales, 3), real(c, either(c, low, high)));
  return tcc_build2(&c->b, TCC_OP_SUB, q, import_unsqueeze(c, minima, 3));
}

/* Low halves, two more bits, 16 scales, d: two parts of 128 numbers, of which each byte has those 32 and 64 places on. */
static MlirValue q6_k(ImportCall *c, MlirValue x) {
  static const uint8_t places[] = {0, 2, 4, 6};
  const int64_t column[] = {4, 1};
  MlirValue low = cut(c, nibbles(c, cut(c, field(c, x, 0, 128), 2, 2, 64)), 3, 4, 32);
  MlirValue high = import_unsqueeze(c, cut(c, field(c, x, 128, 64), 2, 2, 32), 3);
  high = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, high, tcc_build_constant(&c->b, TCC_ELEM_U8, 2, column, places));
  MlirValue q = less(c, real(c, either(c, low, above(c, some_bits(c, high, 0, 2), 4))), 32);
  MlirValue scale = real(c, as(c, field(c, x, 192, 16), TCC_ELEM_I8));
  scale = times(c, halves(c, field(c, x, 208, 2)), scale);
  return times(c, import_unsqueeze(c, scale, 3), cut(c, q, 2, 16, 16));
}

typedef struct {
  int64_t type, numbers, bytes; /* of a block */
  MlirValue (*decode)(ImportCall *c, MlirValue blocks);
} BlobType;

static const BlobType blob_types[] = {
    {0, 1, 4, of_floats}, {1, 1, 2, of_halves}, {30, 1, 2, of_bfloats}, {2, 32, 18, q4_0},    {6, 32, 22, q5_0},
    {8, 32, 34, q8_0},    {20, 32, 18, iq4_nl}, {13, 256, 176, q5_k},   {14, 256, 210, q6_k}, {23, 256, 136, iq4_xs},
};

/* Rows of data u8 [rows, bytes] by indices, decoded; an index outside is row 0. */
bool onnx_op_gather_packed(ImportCall *c) {
  const int64_t type = onnx_int(c, "packed_type", -1), k = onnx_int(c, "K", 0);
  const BlobType *t = NULL;
  if (!import_need(c, 2)) return false;
  for (size_t i = 0; i < sizeof blob_types / sizeof *blob_types; i++)
    if (blob_types[i].type == type) t = &blob_types[i];
  if (!t) return import_unsupported(c, "packed_type %lld", (long long)type);
  if (k < 1 || k % t->numbers || k > INT32_MAX) return import_invalid(c, "K is %lld", (long long)k);
  MlirValue data = import_input(c, 0), at = import_index(c, import_input(c, 1));
  ImportShape shape = import_shape(c, data), indices = import_shape(c, at);
  TccElem elem = onnx_elem(c, "output_dtype", TCC_ELEM_BF16);
  if (c->reason) return false;
  const TccExpr *rows[] = {NULL, import_size(c, k / t->numbers * t->bytes)};
  if (shape.elem != TCC_ELEM_U8 || !tcc_elem_is_float(elem) || tcc_elem_bits(elem) < 16 || tcc_elem_bits(elem) > 32)
    return import_invalid(c, "data of %s, output_dtype %s", tcc_elem_name(shape.elem), tcc_elem_name(elem));
  if (!import_require_shape(c, &shape, 2, rows, "data")) return false;
  if (indices.rank == TCC_MAX_RANK) return import_unsupported(c, "a result of rank %d", indices.rank + 1);
  const TccExpr *count = import_product(c, indices.dims, indices.rank);
  const TccExpr *dims[] = {count, import_size(c, k / t->numbers), import_size(c, t->bytes)};
  MlirValue zero = bits(c, indices.elem, 0), size = tcc_build_convert(&c->b, tcc_build_size(&c->b, shape.dims[0]), indices.elem);
  at = tcc_build_reshape(&c->b, at, 1, &count);
  MlirValue inside =
      tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", at, zero), tcc_build_compare(&c->b, "lt", at, size));
  MlirValue found = tcc_build_gather(&c->b, data, tcc_build_select(&c->b, inside, at, zero), 0);
  MlirValue y = t->decode(c, tcc_build_reshape(&c->b, found, 3, dims));
  indices.dims[indices.rank++] = import_size(c, k);
  return y.ptr && import_output(c, 0, tcc_build_convert(&c->b, tcc_build_reshape(&c->b, y, indices.rank, indices.dims), elem));
}
