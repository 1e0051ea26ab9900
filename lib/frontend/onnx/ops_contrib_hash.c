/* ops_contrib_hash.c - onnxruntime's MurmurHash3: 32 bits of each element, MurmurHash3_x86_32 (Appleby, public domain).
 *
 * Words of four bytes are mixed into the hash one after the other, then it is finished with the number of bytes. A number has one word or two. The words
 * of a string are as many as the widest one has, in a loop; zeros follow a string's end (text.h), so that a word which it has a part of, or nothing, is
 * mixed in without the last step, and one of zeros changes nothing. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue word(ImportCall *c, uint32_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_U32, value); }
static MlirValue times(ImportCall *c, MlirValue x, uint32_t by) { return tcc_build2(&c->b, TCC_OP_MUL, x, word(c, by)); }
static MlirValue mixed(ImportCall *c, MlirValue x, MlirValue y) { return tcc_build2(&c->b, TCC_OP_XOR, x, y); }

static MlirValue rotated(ImportCall *c, MlirValue x, uint32_t by) {
  return tcc_build2(&c->b, TCC_OP_OR, tcc_build2(&c->b, TCC_OP_SHIFT_LEFT, x, word(c, by)),
                    tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, x, word(c, 32 - by)));
}

/* x xor its upper bits. */
static MlirValue folded(ImportCall *c, MlirValue x, uint32_t by) {
  return mixed(c, x, tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, x, word(c, by)));
}

static MlirValue scrambled(ImportCall *c, MlirValue k) { return times(c, rotated(c, times(c, k, 0xcc9e2d51), 15), 0x1b873593); }

/* The hash once a whole word is mixed in. */
static MlirValue stepped(ImportCall *c, MlirValue h, MlirValue k) {
  h = times(c, rotated(c, mixed(c, h, scrambled(c, k)), 13), 5);
  return tcc_build2(&c->b, TCC_OP_ADD, h, word(c, 0xe6546b64));
}

static MlirValue finished(ImportCall *c, MlirValue h, MlirValue length) {
  h = times(c, folded(c, mixed(c, h, length), 16), 0x85ebca6b);
  return folded(c, times(c, folded(c, h, 13), 0xc2b2ae35), 16);
}

/* Of numbers of four bytes or eight. */
static MlirValue hash_of_numbers(ImportCall *c, MlirValue x, MlirValue seed) {
  const TccElem elem = tcc_value_elem(x);
  const size_t bytes = tcc_elem_bits(elem) / 8;
  ImportShape shape = import_shape(c, x), as = shape;
  if ((bytes != 4 && bytes != 8) || elem == TCC_ELEM_BOOL) {
    import_invalid(c, "elements of %s", tcc_elem_name(elem));
    return none();
  }
  as.elem = bytes == 8 ? TCC_ELEM_U64 : TCC_ELEM_U32;
  if (elem != as.elem) x = import_op_typed(c, TCC_OP_BITCAST, &x, 1, NULL, 0, &as);
  if (bytes == 4) return finished(c, stepped(c, seed, x), word(c, 4));
  MlirValue low = tcc_build2(&c->b, TCC_OP_AND, x, tcc_build_scalar_i64(&c->b, TCC_ELEM_U64, UINT32_MAX)),
            high = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, x, tcc_build_scalar_i64(&c->b, TCC_ELEM_U64, 32));
  MlirValue h = stepped(c, seed, tcc_build_convert(&c->b, low, TCC_ELEM_U32));
  return finished(c, stepped(c, h, tcc_build_convert(&c->b, high, TCC_ELEM_U32)), word(c, 8));
}

/* Bytes [..., W] as words [..., ceil(W / 4)], low bytes first. */
static MlirValue words_of(ImportCall *c, MlirValue bytes) {
  enum { BYTES = 4 };
  static const uint32_t shifts[BYTES] = {0, 8, 16, 24};
  const int64_t four = BYTES;
  ImportShape s = import_shape(c, bytes);
  const int64_t last = s.rank;
  const TccExpr *count = tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, s.dims[s.rank - 1], import_size(c, BYTES));
  MlirValue padded = import_fit_last(c, bytes, import_size_mul(c, count, import_size(c, BYTES)));
  s.dims[s.rank - 1] = count;
  s.dims[s.rank] = import_size(c, BYTES);
  MlirValue parts = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, padded, s.rank + 1, s.dims), TCC_ELEM_U32);
  parts = tcc_build2(&c->b, TCC_OP_SHIFT_LEFT, parts, tcc_build_constant(&c->b, TCC_ELEM_U32, 1, &four, shifts));
  return tcc_build_reduce(&c->b, "sum", parts, &last, 1, false);
}

static MlirValue hash_of_strings(ImportCall *c, MlirValue bytes, MlirValue seed) {
  enum { STEP, HASH, CARRIED };
  ImportShape s = import_shape(c, bytes);
  if (s.rank == TCC_MAX_RANK) {
    import_unsupported(c, "strings of rank %d", s.rank - 1);
    return none();
  }
  const int rank = s.rank - 1;
  MlirValue words = words_of(c, bytes), length = tcc_build_squeeze(&c->b, onnx_text_length(c, bytes), rank);
  MlirValue whole = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, length, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 2));
  MlirValue initial[CARRIED] = {tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), tcc_build_broadcast(&c->b, seed, rank, s.dims)};
  MlirValue argument[CARRIED], results[CARRIED], out[CARRIED];
  if (!words.ptr || !whole.ptr || !initial[HASH].ptr) return none();
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) argument[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  MlirValue k = tcc_build_gather(&c->b, words, argument[STEP], rank);
  results[HASH] = tcc_build_select(&c->b, tcc_build_compare(&c->b, "lt", argument[STEP], whole), stepped(c, argument[HASH], k),
                                   mixed(c, argument[HASH], scrambled(c, k)));
  results[STEP] = tcc_build2(&c->b, TCC_OP_ADD, argument[STEP], tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1));
  if (!results[HASH].ptr ||
      !import_body_close(c, &body, CARRIED, initial, results, import_shape(c, words).dims[rank], false, out)) {
    import_body_drop(c, &body, false);
    return none();
  }
  return finished(c, out[HASH], tcc_build_convert(&c->b, length, TCC_ELEM_U32));
}

/* Numbers or strings: ui32, or i32 where `positive` is 0. */
bool onnx_op_murmur_hash(ImportCall *c) {
  const bool is_text = onnx_is_text(c, 0);
  if (!is_text && !import_need(c, 1)) return false;
  MlirValue x = is_text ? onnx_text(c, 0) : import_input(c, 0), seed = word(c, (uint32_t)onnx_int(c, "seed", 0));
  MlirValue h = is_text ? hash_of_strings(c, x, seed) : hash_of_numbers(c, x, seed);
  ImportShape s = import_shape(c, h);
  s.elem = TCC_ELEM_I32;
  if (h.ptr && !onnx_int(c, "positive", 1)) h = import_op_typed(c, TCC_OP_BITCAST, &h, 1, NULL, 0, &s);
  return import_output(c, 0, h);
}
