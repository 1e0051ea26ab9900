/* ops_contrib_attention.c - onnxruntime's attention operators: Attention, QAttention, MultiHeadAttention, those of packed sequences, GroupQueryAttention,
 * SparseAttention, RotaryEmbedding.
 *
 * Each becomes one tcc.attention on [batch, heads, sequence, size]; biases, rotations, caches and masks are ops in front of it. Meanings
 * are those of onnxruntime's ContribOperators.md and, where that is silent, of its CPU kernels. Padding is masked by adding
 * mask_filter_value, so that a row without keys is a softmax of what it would be; what a query must not see is -inf.
 *
 * GroupQueryAttention's cache may be a buffer longer than what it holds. Its own size decides nothing: new keys are scattered to
 * where each row's old ones end, and the rows after total_sequence_length are left out. Where batch 1 and the cache's size say that
 * they end with it, they are joined. */
#include "lib/frontend/onnx/ops_attention.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue plus(ImportCall *c, MlirValue x, MlirValue y) { return y.ptr ? tcc_build2(&c->b, TCC_OP_ADD, x, y) : x; }

/* 0 where keep, else value: in elem. */
static MlirValue additive(ImportCall *c, MlirValue keep, double value, TccElem elem) {
  return tcc_build_select(&c->b, keep, tcc_build_scalar(&c->b, elem, 0), tcc_build_scalar(&c->b, elem, value));
}

/* One number for each row of the batch, [B, 1, 1, 1] of i64. */
static MlirValue each_row(ImportCall *c, MlirValue x, const TccExpr *batch) {
  const TccExpr *dims[] = {batch, import_size(c, 1), import_size(c, 1), import_size(c, 1)};
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, x, TCC_ELEM_I64), 4, dims);
}

/* Adds to a->mask what padding says: lengths [B], also with sums of them behind [3 B + 2], ends and starts [2 B], or 0 for padding in
 * [B, T] or [B, S, T]. */
static bool mask_padding(ImportCall *c, MlirValue mask, OnnxAttention *a) {
  ImportShape q = import_shape(c, a->q), k = import_shape(c, a->k), shape = import_shape(c, mask);
  if (!mask.ptr || q.rank != 4 || k.rank != 4) return !c->reason;
  MlirValue keep = none();
  if (shape.rank == 1) {
    bool starts = tcc_expr_known_equal(shape.dims[0], import_size_mul(c, import_size(c, 2), q.dims[0]));
    bool sums = tcc_expr_known_equal(shape.dims[0],
                                     import_size_add(c, import_size_mul(c, import_size(c, 3), q.dims[0]), import_size(c, 2)));
    if (!starts && !sums && !tcc_expr_known_equal(shape.dims[0], q.dims[0]))
      return import_unsupported(c, "a mask of %s numbers for a batch of %s", tcc_expr_text(c->ir->exprs, shape.dims[0]),
                                tcc_expr_text(c->ir->exprs, q.dims[0]));
    MlirValue at = onnx_positions(c, k.dims[2], 3, 4),
              ends = starts || sums ? tcc_build_slice_axis(&c->b, mask, 0, import_size(c, 0), 1, q.dims[0]) : mask;
    keep = tcc_build_compare(&c->b, "lt", at, each_row(c, ends, q.dims[0]));
    if (starts)
      keep = tcc_build2(&c->b, TCC_OP_AND, keep,
                        tcc_build_compare(&c->b, "ge", at,
                                          each_row(c, tcc_build_slice_axis(&c->b, mask, 0, q.dims[0], 1, q.dims[0]), q.dims[0])));
  } else if (shape.rank == 2 || shape.rank == 3) {
    for (int i = shape.rank; i < 4; i++) mask = import_unsqueeze(c, mask, 1);
    keep = tcc_build_compare(&c->b, "gt", mask, tcc_build_scalar_i64(&c->b, shape.elem, 0));
  } else {
    return import_unsupported(c, "a mask of rank %d", shape.rank);
  }
  a->mask = onnx_join_masks(c, a->mask, additive(c, keep, onnx_float(c, "mask_filter_value", -10000), q.elem), q.elem);
  return a->mask.ptr != NULL;
}

static bool mask_bias(ImportCall *c, MlirValue bias, OnnxAttention *a) { /* attention_bias, added to the scores */
  TccElem elem = tcc_value_elem(a->q);
  if (bias.ptr) a->mask = onnx_join_masks(c, a->mask, tcc_build_convert(&c->b, bias, elem), elem);
  return !bias.ptr || a->mask.ptr;
}

/* Columns start to start + size of the last axis. */
static MlirValue columns(ImportCall *c, MlirValue x, const TccExpr *start, const TccExpr *size) {
  return tcc_build_slice_axis(&c->b, x, import_shape(c, x).rank - 1, start, 1, size);
}

static MlirValue product(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_MATMUL, a, b); }

/* What Attention and QAttention share: the projections of q, k and v side by side [B, S, H] and the inputs' places. */
typedef struct {
  size_t mask, past, bias; /* bias: of the scores; SIZE_MAX: there is none */
} AttentionInputs;

/* Widths of q, k and v in projections of `total` columns. */
static bool read_widths(ImportCall *c, const TccExpr *total, const TccExpr **out) {
  const int64_t *given;
  size_t count;
  if (onnx_ints(c, "qkv_hidden_sizes", &given, &count) && count) {
    if (count != 3) return import_invalid(c, "qkv_hidden_sizes must be three");
    for (int i = 0; i < 3; i++) out[i] = import_size(c, given[i]);
    return true;
  }
  out[0] = out[1] = out[2] = import_divide(c, total, import_size(c, 3));
  return out[0] != NULL;
}

static bool projected_attention(ImportCall *c, MlirValue all, const TccExpr *total, AttentionInputs at) {
  const int64_t heads = onnx_int(c, "num_heads", 0);
  const TccExpr *widths[3], *start = import_size(c, 0);
  MlirValue parts[3];
  if (!read_widths(c, total, widths)) return false;
  for (int i = 0; i < 3; i++) {
    parts[i] = onnx_split_heads(c, columns(c, all, start, widths[i]), heads);
    start = import_size_add(c, start, widths[i]);
  }
  OnnxAttention a = {
      .q = parts[0], .k = parts[1], .v = parts[2], .causal = onnx_int(c, "unidirectional", 0) != 0, .offset = import_size(c, 0)};
  if (import_has_input(c, at.past)) {
    MlirValue past = import_input(c, at.past);
    ImportShape shape = import_shape(c, past);
    if (shape.rank != 5) return import_invalid(c, "past must have rank 5");
    MlirValue keys[] = {tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, past, 0, import_size(c, 0), 1, import_size(c, 1)), 0),
                        a.k};
    MlirValue values[] = {
        tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, past, 0, import_size(c, 1), 1, import_size(c, 1)), 0), a.v};
    a.k = tcc_build_concat(&c->b, keys, 2, 2);
    a.v = tcc_build_concat(&c->b, values, 2, 2);
    a.offset = shape.dims[3];
  }
  if (!onnx_attention_scale(c, &a, false) || !mask_padding(c, import_input(c, at.mask), &a) ||
      !mask_bias(c, import_input(c, at.bias), &a))
    return false;
  if (import_has_output(c, 1)) {
    MlirValue both[] = {import_unsqueeze(c, a.k, 0), import_unsqueeze(c, a.v, 0)};
    if (!import_output(c, 1, tcc_build_concat(&c->b, both, 2, 0))) return false;
  }
  return import_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}

static bool check_attention(ImportCall *c) {
  if (import_shape(c, import_input(c, 0)).rank != 3 || import_shape(c, import_input(c, 1)).rank != 2)
    return import_invalid(c, "input must have rank 3 and weights rank 2");
  if (onnx_int(c, "do_rotary", 0)) return import_unsupported(c, "do_rotary");
  return !onnx_int(c, "past_present_share_buffer", 0) || import_unsupported(c, "a past that shares its buffer with the present");
}

/* input, weights of q, k and v side by side, bias, mask_index, past [2, B, N, P, D], attention_bias, past_sequence_length. */
bool onnx_op_contrib_attention(ImportCall *c) {
  if (!import_need(c, 2) || !check_attention(c)) return false;
  if (import_has_input(c, 6)) return import_unsupported(c, "a past that shares its buffer with the present");
  MlirValue all = plus(c, product(c, import_input(c, 0), import_input(c, 1)), import_input(c, 2));
  return projected_attention(c, all, import_shape(c, import_input(c, 1)).dims[1],
                             (AttentionInputs){.mask = 3, .past = 4, .bias = 5});
}

/* input, weights, bias, their scales, mask_index, their zero points, past: input and weights are quantised. */
bool onnx_op_contrib_qattention(ImportCall *c) {
  if (!import_need(c, 5) || !check_attention(c)) return false;
  MlirValue x = onnx_dequantize(c, import_input(c, 0), import_input(c, 3), import_input(c, 6)),
            w = onnx_dequantize(c, import_input(c, 1), import_input(c, 4), import_input(c, 7));
  return projected_attention(c, plus(c, product(c, x, w), import_input(c, 2)), import_shape(c, import_input(c, 1)).dims[1],
                             (AttentionInputs){.mask = 5, .past = 8, .bias = SIZE_MAX});
}

/* Part `index` of `count` in [B, S, N, count, D], as [B, N, S, D]. */
static MlirValue packed_part(ImportCall *c, MlirValue x, int64_t index, int64_t count) {
  static const int64_t perm[] = {0, 2, 1, 3};
  if (!import_is_size(import_shape(c, x).dims[3], count)) {
    import_invalid(c, "axis 3 must have size %lld", (long long)count);
    return none();
  }
  return tcc_build_transpose(
      &c->b, tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, x, 3, import_size(c, index), 1, import_size(c, 1)), 3), perm);
}

/* x [B, S, H] with part `at` of the bias; steps at on. */
static MlirValue projected(ImportCall *c, MlirValue x, MlirValue bias, const TccExpr **at, int64_t heads) {
  ImportShape shape = import_shape(c, x);
  if (shape.rank == 3 && bias.ptr) x = plus(c, x, tcc_build_slice_axis(&c->b, bias, 0, *at, 1, shape.dims[2]));
  if (shape.rank == 3) *at = import_size_add(c, *at, shape.dims[2]);
  return onnx_split_heads(c, x, heads);
}

/* query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value, past_sequence_length, cache_indirection. */
bool onnx_op_multi_head_attention(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  if (import_has_input(c, 8)) return import_unsupported(c, "a past that shares its buffer with the present");
  if (import_has_input(c, 9)) return import_unsupported(c, "cache_indirection");
  int64_t heads = onnx_int(c, "num_heads", 0);
  MlirValue q = import_input(c, 0), k = import_input(c, 1), v = import_input(c, 2), bias = import_input(c, 3);
  int ranks[] = {import_shape(c, q).rank, k.ptr ? import_shape(c, k).rank : 0};
  OnnxAttention a = {.causal = onnx_int(c, "unidirectional", 0) != 0, .offset = import_size(c, 0)};
  const TccExpr *at = import_size(c, 0);
  if (bias.ptr && (ranks[0] == 5 || ranks[1] == 5)) return import_unsupported(c, "a bias for packed inputs");
  if (ranks[0] == 5) {
    if (k.ptr || v.ptr) return import_invalid(c, "a packed query with a key or value");
    a.q = packed_part(c, q, 0, 3), a.k = packed_part(c, q, 1, 3), a.v = packed_part(c, q, 2, 3);
  } else {
    a.q = projected(c, q, bias, &at, heads);
    if (!k.ptr || (!v.ptr && ranks[1] != 5)) return import_invalid(c, "key or value is missing");
    if (ranks[1] == 5) {
      a.k = packed_part(c, k, 0, 2), a.v = packed_part(c, k, 1, 2);
    } else {
      a.k = projected(c, k, bias, &at, heads);
      a.v = projected(c, v, bias, &at, heads);
    }
  }
  if (!onnx_attention_past(c, 6, &a)) return false;
  if (!onnx_attention_scale(c, &a, false) || !mask_padding(c, import_input(c, 4), &a) || !mask_bias(c, import_input(c, 5), &a))
    return false;
  if (import_has_output(c, 1) && !import_output(c, 1, a.k)) return false;
  if (import_has_output(c, 2) && !import_output(c, 2, a.v)) return false;
  if (import_has_output(c, 3) && !import_output(c, 3, onnx_attention_scores(c, &a, 3))) return false;
  return import_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}

/* ---- packed sequences ---- */
/* Tokens of sequences one behind the other, and their places in a batch of sequences, each of which has its tokens in front. */
typedef struct {
  const TccExpr *batch, *steps, *tokens;
  MlirValue place, row, has; /* [tokens]: of the batch * steps places; [batch, steps]: the token there, and whether there is one */
} Packing;

/* Inputs token_offset [B, S], whose first entries are the places of tokens, and the sums of lengths [B + 1]. */
static bool read_packing(ImportCall *c, size_t offsets, size_t sums, const TccExpr *tokens, Packing *out) {
  ImportShape shape = import_shape(c, import_input(c, offsets)), ends = import_shape(c, import_input(c, sums));
  const TccExpr *zero = import_size(c, 0), *one = import_size(c, 1);
  if (shape.rank != 2) return import_invalid(c, "token_offset of rank %d", shape.rank);
  *out = (Packing){.batch = shape.dims[0], .steps = shape.dims[1], .tokens = tokens};
  const TccExpr *places = import_product(c, shape.dims, 2), *like[] = {import_size_add(c, out->batch, one)};
  if (!import_require_shape(c, &ends, 1, like, "cumulative_sequence_length") ||
      !import_require_at_most(c, tokens, places, "token_offset"))
    return false;
  out->place = tcc_build_slice_axis(&c->b, tcc_build_reshape(&c->b, import_index(c, import_input(c, offsets)), 1, &places), 0, zero,
                                    1, tokens);
  MlirValue all = tcc_build_convert(&c->b, import_input(c, sums), TCC_ELEM_I64),
            begin = tcc_build_slice_axis(&c->b, all, 0, zero, 1, out->batch),
            end = tcc_build_slice_axis(&c->b, all, 0, one, 1, out->batch);
  MlirValue row = tcc_build2(&c->b, TCC_OP_ADD, import_unsqueeze(c, begin, 1), onnx_positions(c, out->steps, 1, 2));
  out->has = tcc_build_compare(&c->b, "lt", row, import_unsqueeze(c, end, 1));
  out->row = tcc_build_select(&c->b, out->has, row, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  return out->place.ptr && out->row.ptr;
}

/* x [tokens, H] as heads [B, N, S, H / N], 0 where there is no token: what stands in another sequence does not get there, not even as NaN times 0. */
static MlirValue unpacked(ImportCall *c, const Packing *p, MlirValue x, int64_t heads) {
  MlirValue rows = import_gather_valid(c, x, p->row, 0, TCC_VALID_UNSIGNED);
  if (!rows.ptr) return rows;
  return onnx_split_heads(
      c, tcc_build_select(&c->b, import_unsqueeze(c, p->has, 2), rows, tcc_build_scalar(&c->b, tcc_value_elem(rows), 0)), heads);
}

/* parts: q, k and v, [tokens, widths]. bias: of the scores. */
static bool packed_attention(ImportCall *c, const Packing *p, const MlirValue *parts, MlirValue bias) {
  const int64_t heads = onnx_int(c, "num_heads", 0);
  OnnxAttention a = {.offset = import_size(c, 0)};
  MlirValue *heads_of[] = {&a.q, &a.k, &a.v};
  for (int i = 0; i < 3; i++)
    if (!(*heads_of[i] = unpacked(c, p, parts[i], heads)).ptr) return false;
  a.mask = import_unsqueeze(c, import_unsqueeze(c, p->has, 1), 1);
  if (!onnx_attention_scale(c, &a, false) || !mask_bias(c, bias, &a)) return false;
  MlirValue y = onnx_join_heads(c, onnx_attention(c, &a));
  if (!y.ptr) return false;
  const TccExpr *flat[] = {import_size_mul(c, p->batch, p->steps), import_shape(c, y).dims[2]};
  return import_output(c, 0, import_gather_valid(c, tcc_build_reshape(&c->b, y, 2, flat), p->place, 0, TCC_VALID_UNSIGNED));
}

/* input [tokens, H], weights of q, k and v side by side, bias, token_offset, cumulative_sequence_length, attention_bias. */
bool onnx_op_packed_attention(ImportCall *c) {
  enum { OFFSETS = 3, SUMS, SCORES };
  const TccExpr *widths[3], *start = import_size(c, 0);
  Packing p;
  MlirValue parts[3];
  if (!import_need(c, SUMS + 1)) return false;
  ImportShape x = import_shape(c, import_input(c, 0)), w = import_shape(c, import_input(c, 1));
  if (x.rank != 2 || w.rank != 2) return import_invalid(c, "input and weights must have rank 2");
  if (!read_packing(c, OFFSETS, SUMS, x.dims[0], &p) || !read_widths(c, w.dims[1], widths)) return false;
  MlirValue all = plus(c, product(c, import_input(c, 0), import_input(c, 1)), import_input(c, 2));
  for (int i = 0; i < 3; i++) {
    parts[i] = columns(c, all, start, widths[i]);
    start = import_size_add(c, start, widths[i]);
  }
  return packed_attention(c, &p, parts, import_input(c, SCORES));
}

/* query [tokens, H], key, value, or all of them as [tokens, heads, 3, D], bias, token_offset, cumulative_sequence_length, attention_bias. */
bool onnx_op_packed_multi_head_attention(ImportCall *c) {
  enum { PROJECTION_BIAS = 3, OFFSETS, SUMS, SCORES };
  const TccExpr *start = import_size(c, 0);
  Packing p;
  if (!import_has_input(c, 0) || !import_has_input(c, OFFSETS) || !import_has_input(c, SUMS))
    return import_invalid(c, "query, token_offset or cumulative_sequence_length is missing");
  MlirValue q = import_input(c, 0), bias = import_input(c, PROJECTION_BIAS), parts[] = {q, import_input(c, 1), import_input(c, 2)};
  ImportShape shape = import_shape(c, q);
  const bool joined = !parts[1].ptr && !parts[2].ptr;
  if (!joined && (!parts[1].ptr || !parts[2].ptr)) return import_invalid(c, "a key without a value, or the other way round");
  const TccExpr *four[] = {NULL, import_size(c, onnx_int(c, "num_heads", 0)), import_size(c, 3), NULL};
  if (joined && !import_require_shape(c, &shape, 4, four, "query")) return false;
  if (!read_packing(c, OFFSETS, SUMS, shape.dims[0], &p)) return false;
  for (int i = 0; i < 3; i++) {
    const TccExpr *flat[] = {shape.dims[0], joined ? import_size_mul(c, shape.dims[1], shape.dims[3]) : NULL};
    if (joined)
      parts[i] = tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, q, 2, import_size(c, i), 1, import_size(c, 1)), 2, flat);
    ImportShape part = import_shape(c, parts[i]);
    const TccExpr *like[] = {p.tokens, NULL};
    if (!import_require_shape(c, &part, 2, like, "query, key and value")) return false;
    if (bias.ptr) parts[i] = plus(c, parts[i], tcc_build_slice_axis(&c->b, bias, 0, start, 1, part.dims[1]));
    start = import_size_add(c, start, part.dims[1]);
  }
  return packed_attention(c, &p, parts, import_input(c, SCORES));
}

/* One key and value behind the first `length` ones of buffers that inputs `past` and the next one are; out_total: how many keys there are then. */
static bool put_into_buffer(ImportCall *c, size_t past, size_t length, OnnxAttention *a, const TccExpr **out_total) {
  MlirValue *fresh[] = {&a->k, &a->v};
  size_t n;
  if (!import_has_input(c, past) || !import_has_input(c, past + 1) || !import_has_input(c, length))
    return import_invalid(c, "past_present_share_buffer without a past key, value or past_sequence_length");
  const TccExpr *const *old = import_sizes(c, length, &n);
  if (!old) return false;
  if (n != 1) return import_invalid(c, "past_sequence_length has %zu elements", n);
  *out_total = import_size_add(c, old[0], import_size(c, 1));
  for (int i = 0; i < 2; i++) {
    ImportShape buffer = import_shape(c, import_input(c, past + (size_t)i)), part = import_shape(c, *fresh[i]);
    const TccExpr *like[] = {part.dims[0], part.dims[1], NULL, part.dims[3]};
    if (part.rank != 4 || !import_require_shape(c, &buffer, 4, like, "the past") ||
        !import_require_at_most(c, *out_total, buffer.dims[2], "past_sequence_length"))
      return part.rank == 4 ? false : !c->reason;
    MlirValue operands[] = {import_input(c, past + (size_t)i),
                            tcc_build_broadcast(&c->b, tcc_build_size(&c->b, old[0]), 4, part.dims), *fresh[i]};
    TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 2)};
    *fresh[i] = operands[1].ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &axis, 1) : none();
  }
  return a->k.ptr && a->v.ptr;
}

/* query, key, value, mask_index, attention_bias, past_key, past_value, past_sequence_length, beam_width, cache_indirection, bias: one query. Keys and
 * values of four axes are those of a cross-attention, to which nothing is added. */
bool onnx_op_decoder_masked_attention(ImportCall *c) {
  enum { Q, K, V, KEEP, SUMMANDS, PAST, PAST_LENGTH = 7, BEAMS, INDIRECTION, PROJECTION_BIAS };
  if (!import_need(c, 1)) return false;
  if (import_has_input(c, INDIRECTION)) return import_unsupported(c, "cache_indirection");
  const int64_t heads = onnx_int(c, "num_heads", 0);
  MlirValue q = import_input(c, Q), k = import_input(c, K), v = import_input(c, V), bias = import_input(c, PROJECTION_BIAS);
  ImportShape shape = import_shape(c, q);
  if (shape.rank != 3) return import_invalid(c, "query of rank %d", shape.rank);
  const TccExpr *one[] = {NULL, import_size(c, 1), NULL}, *at = import_size(c, 0);
  if (!import_require_shape(c, &shape, 3, one, "query")) return false;
  if (!k.ptr != !v.ptr) return import_invalid(c, "a key without a value, or the other way round");
  if (!k.ptr) { /* side by side */
    const TccExpr *width = import_divide(c, shape.dims[2], import_size(c, 3));
    if (!width) return false;
    k = columns(c, q, width, width), v = columns(c, q, import_size_add(c, width, width), width), q = columns(c, q, at, width);
  }
  OnnxAttention a = {.offset = at};
  a.q = projected(c, q, bias, &at, heads);
  a.k = projected(c, k, bias, &at, heads);
  a.v = projected(c, v, bias, &at, heads);
  const bool shares = onnx_int(c, "past_present_share_buffer", 0) != 0, crosses = import_shape(c, k).rank == 4;
  const TccExpr *total = NULL;
  if (shares && !crosses && !put_into_buffer(c, PAST, PAST_LENGTH, &a, &total)) return false;
  if (!shares && !crosses && !onnx_attention_past(c, PAST, &a)) return false;
  if (import_has_output(c, 1) && !import_output(c, 1, a.k)) return false;
  if (import_has_output(c, 2) && !import_output(c, 2, a.v)) return false;
  if (total) {
    a.k = tcc_build_slice_axis(&c->b, a.k, 2, import_size(c, 0), 1, total);
    a.v = tcc_build_slice_axis(&c->b, a.v, 2, import_size(c, 0), 1, total);
  }
  if (!onnx_attention_scale(c, &a, false) || !mask_padding(c, import_input(c, KEEP), &a) ||
      !mask_bias(c, import_input(c, SUMMANDS), &a))
    return false;
  if (import_has_output(c, 3) && !import_output(c, 3, onnx_attention_scores(c, &a, 2))) return false;
  return import_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}

/* x [B, N, S, D] rotated by cosines and sines [B or 1, S, D/2]. */
static MlirValue rotated_by(ImportCall *c, MlirValue x, MlirValue cos, MlirValue sin, bool interleaved) {
  int64_t half;
  ImportShape shape = import_shape(c, cos);
  if (!x.ptr || !cos.ptr || !sin.ptr) return none();
  if (shape.rank != 3 || !tcc_expr_is_const(shape.dims[2], &half)) {
    import_unsupported(c, "a cache of cosines that is no matrix of known width");
    return none();
  }
  TccElem elem = tcc_value_elem(x);
  MlirValue operands[] = {x, tcc_build_convert(&c->b, import_unsqueeze(c, cos, 1), elem),
                          tcc_build_convert(&c->b, import_unsqueeze(c, sin, 1), elem)};
  TccNamedAttr attrs[] = {{"interleaved", tcc_attr_bool(c->ir, interleaved)}, {"rotary_dim", tcc_attr_i64(c->ir, 2 * half)}};
  return operands[1].ptr && operands[2].ptr ? import_op(c, TCC_OP_ROTARY_EMBEDDING, operands, 3, attrs, 2) : none();
}

/* The rows of the caches [positions, D/2] that `at`, [B or 1, S], names. */
static MlirValue rotated(ImportCall *c, MlirValue x, MlirValue cos, MlirValue sin, MlirValue at, bool interleaved) {
  return rotated_by(c, x, import_gather_valid(c, cos, at, 0, TCC_VALID_UNSIGNED),
                    import_gather_valid(c, sin, at, 0, TCC_VALID_UNSIGNED), interleaved);
}

/* Which of three streams of positions an angle comes from: by sections, or in turn as far as the second and third go. */
static int64_t stream_of(const int64_t *sections, bool in_turn, int64_t angle) {
  if (!in_turn) return angle < sections[0] ? 0 : angle < sections[0] + sections[1] ? 1 : 2;
  return angle % 3 && angle < 3 * sections[angle % 3] ? angle % 3 : 0;
}

/* Rows of a cache that three streams of positions [3, B, S] name, each angle from its own: [B, S, D/2]. */
static MlirValue streams_joined(ImportCall *c, MlirValue cache, MlirValue positions, const uint8_t *of, int64_t half) {
  MlirValue joined = none(), streams = tcc_build_constant(&c->b, TCC_ELEM_U8, 1, &half, of);
  for (int64_t i = 0; i < 3; i++) {
    MlirValue at = tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, positions, 0, import_size(c, i), 1, import_size(c, 1)), 0);
    MlirValue rows = import_gather_valid(c, cache, at, 0, TCC_VALID_UNSIGNED);
    MlirValue own = tcc_build_compare(&c->b, "eq", streams, tcc_build_scalar(&c->b, TCC_ELEM_U8, (double)i));
    joined = i && joined.ptr && rows.ptr ? tcc_build_select(&c->b, own, rows, joined) : rows;
    if (!joined.ptr) return joined;
  }
  return joined;
}

/* input, positions of time, height and width [3, B, S], cos_cache, sin_cache. */
bool onnx_op_contrib_mrotary(ImportCall *c) {
  if (!import_need(c, 4)) return false;
  if (onnx_int(c, "is_packed_batching", 0)) return import_unsupported(c, "is_packed_batching");
  if (onnx_float(c, "scale", 1) != 1) return import_unsupported(c, "a scale");
  MlirValue x = import_input(c, 0), at = import_index(c, import_input(c, 1));
  ImportShape shape = import_shape(c, x), positions = import_shape(c, at), cache = import_shape(c, import_input(c, 2));
  const int64_t *sections, layout = onnx_int(c, "mrope_layout", 0);
  size_t count;
  if (!onnx_ints(c, "mrope_section", &sections, &count) || count != 3) return import_invalid(c, "mrope_section must be three");
  int64_t half = 0;
  for (int i = 0; i < 3; i++) {
    if (sections[i] < 0 || sections[i] > UINT16_MAX) return import_invalid(c, "mrope_section of %lld", (long long)sections[i]);
    half += sections[i];
  }
  const TccExpr *width[] = {NULL, import_size(c, half)}, *three[] = {import_size(c, 3), NULL, NULL};
  if (layout != 0 && layout != 1) return import_invalid(c, "mrope_layout is %lld", (long long)layout);
  if (half < 1 || !import_require_shape(c, &cache, 2, width, "cos_cache, whose columns are mrope_section's sum"))
    return half ? false : import_invalid(c, "mrope_section is empty");
  if (!import_require_shape(c, &positions, 3, three, "position_ids")) return false;
  uint8_t *of = TCC_NEW_ARRAY(import_arena(c), uint8_t, (size_t)half);
  for (int64_t i = 0; i < half; i++) of[i] = (uint8_t)stream_of(sections, layout == 1, i);
  int64_t heads = onnx_int(c, "num_heads", 0);
  if (shape.rank == 3 && !heads) {
    const TccExpr *all = import_divide(c, shape.dims[2], import_size(c, 2 * half));
    if (!all || !import_fix_size(c, all, &heads)) return false;
  }
  x = onnx_split_heads(c, x, heads);
  MlirValue y = rotated_by(c, x, streams_joined(c, import_input(c, 2), at, of, half),
                           streams_joined(c, import_input(c, 3), at, of, half), onnx_int(c, "interleaved", 0) != 0);
  return import_output(c, 0, shape.rank == 3 ? onnx_join_heads(c, y) : y);
}

/* input, position_ids [B, S] or the first one [1], cos_cache, sin_cache. */
bool onnx_op_contrib_rotary(ImportCall *c) {
  if (!import_need(c, 4)) return false;
  if (onnx_int(c, "is_packed_batching", 0)) return import_unsupported(c, "is_packed_batching");
  if (onnx_float(c, "scale", 1) != 1) return import_unsupported(c, "a scale");
  MlirValue x = import_input(c, 0), at = import_index(c, import_input(c, 1)), cos = import_input(c, 2);
  ImportShape shape = import_shape(c, x);
  int64_t heads = onnx_int(c, "num_heads", 0), width, half;
  if (shape.rank == 3 && !heads) {
    if (onnx_int(c, "rotary_embedding_dim", 0) || import_shape(c, cos).rank != 2 || !tcc_expr_is_const(shape.dims[2], &width) ||
        !tcc_expr_is_const(import_shape(c, cos).dims[1], &half) || half < 1 || width % (2 * half))
      return import_invalid(c, "the number of heads is not told");
    heads = width / (2 * half);
  }
  x = onnx_split_heads(c, x, heads);
  if (!x.ptr) return false;
  if (import_shape(c, at).rank < 2) {
    const TccExpr *one = import_size(c, 1);
    at = tcc_build2(&c->b, TCC_OP_ADD, onnx_positions(c, import_shape(c, x).dims[2], 1, 2),
                    tcc_build_reshape(&c->b, tcc_build_convert(&c->b, at, TCC_ELEM_I64), 1, &one));
  }
  MlirValue y = rotated(c, x, cos, import_input(c, 3), at, onnx_int(c, "interleaved", 0) != 0);
  return import_output(c, 0, shape.rank == 3 ? onnx_join_heads(c, y) : y);
}

/* ---- GroupQueryAttention ---- */
enum {
  QUERY,
  KEY,
  VALUE,
  PAST_KEY,
  PAST_VALUE,
  LENGTHS,
  TOTAL,
  COS,
  SIN,
  POSITIONS,
  BIAS,
  SINK,
  KEY_SCALE,
  VALUE_SCALE,
  QUERY_NORM,
  KEY_NORM
};

typedef struct {
  const TccExpr *batch, *steps, *total; /* sizes: rows, new keys of each, all keys of the longest */
  bool single;                          /* batch 1: its old keys are total - steps, no data */
  MlirValue old;                        /* [B, 1, 1, 1] of i64: how many keys of each row were there before */
} Cache;

/* The cache after this step, [B, G, max(P, total), D]: fresh, [B, G, S, D], stands behind each row's old keys. */
static MlirValue updated(ImportCall *c, const Cache *cache, MlirValue past, MlirValue fresh) {
  ImportShape shape = import_shape(c, past), part = import_shape(c, fresh);
  if (!fresh.ptr) return fresh;
  if (!past.ptr) { /* the first step of all */
    for (int i = 0; i < 4; i++) shape.dims[i] = i == 2 ? import_size(c, 0) : part.dims[i];
    shape.rank = 4;
  }
  if (shape.rank != 4) {
    import_invalid(c, "a cache of rank %d", shape.rank);
    return none();
  }
  const TccExpr *like[] = {part.dims[0], part.dims[1], NULL, part.dims[3]};
  if (past.ptr && !import_require_shape(c, &shape, 4, like, "the cache")) return none();
  if (!past.ptr && tcc_expr_known_equal(cache->total, cache->steps)) return fresh;
  if (past.ptr && cache->single && tcc_expr_known_equal(cache->total, import_size_add(c, shape.dims[2], cache->steps))) {
    MlirValue both[] = {past, fresh};
    return tcc_build_concat(&c->b, both, 2, 2);
  }
  const TccExpr *all = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, shape.dims[2], cache->total);
  if (all != shape.dims[2]) { /* room for what comes */
    const TccExpr *dims[] = {part.dims[0], part.dims[1], import_size_sub(c, all, shape.dims[2]), part.dims[3]};
    MlirValue both[] = {past, tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, part.elem, 0), 4, dims)};
    past = past.ptr ? tcc_build_concat(&c->b, both, 2, 2) : both[1];
  }
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, onnx_positions(c, cache->steps, 2, 4), cache->old);
  MlirValue operands[] = {past, tcc_build_broadcast(&c->b, at, 4, part.dims), fresh};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 2)}};
  size_t n = 1;
  if (!import_valid(c, TCC_VALID_UNSIGNED, past, operands[1], 2, 1, attrs, &n)) return none();
  return import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, n);
}

static MlirValue normalised(ImportCall *c, MlirValue x, MlirValue weight) { /* of each head */
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 3)}, {"eps", tcc_attr_f64(c->ir, onnx_float(c, "qk_norm_epsilon", 1e-6))}};
  MlirValue operands[] = {x, weight};
  return x.ptr && weight.ptr ? import_op(c, TCC_OP_RMS_NORM, operands, 2, attrs, 2) : x;
}

/* A logit of its own for each head in the softmax: a key and a value of zeros behind the others, whose mask is that logit. */
static bool add_sink(ImportCall *c, OnnxAttention *a, MlirValue sink) {
  ImportShape q = import_shape(c, a->q), k = import_shape(c, a->k), v = import_shape(c, a->v);
  const TccExpr *one = import_size(c, 1);
  const TccExpr *heads[] = {one, q.dims[1], one, one}, *full[] = {q.dims[0], q.dims[1], q.dims[2], k.dims[2]},
                *last[] = {q.dims[0], q.dims[1], q.dims[2], one};
  MlirValue mask = a->mask.ptr && tcc_value_elem(a->mask) == TCC_ELEM_BOOL ? additive(c, a->mask, -INFINITY, q.elem) : a->mask;
  if (!mask.ptr) mask = tcc_build_scalar(&c->b, q.elem, 0);
  sink = sink.ptr ? tcc_build_reshape(&c->b, tcc_build_convert(&c->b, sink, q.elem), 4, heads) : tcc_build_scalar(&c->b, q.elem, 0);
  MlirValue masks[] = {tcc_build_broadcast(&c->b, mask, 4, full), tcc_build_broadcast(&c->b, sink, 4, last)};
  k.dims[2] = v.dims[2] = one;
  MlirValue keys[] = {a->k, tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, k.elem, 0), 4, k.dims)},
            values[] = {a->v, tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, v.elem, 0), 4, v.dims)};
  a->mask = tcc_build_concat(&c->b, masks, 2, 3);
  a->k = tcc_build_concat(&c->b, keys, 2, 2);
  a->v = tcc_build_concat(&c->b, values, 2, 2);
  return a->mask.ptr && a->k.ptr && a->v.ptr;
}

static bool is_quantised(ImportCall *c, const char *name) { return !tcc_str_is(onnx_string(c, name, "NONE"), "NONE"); }

/* q, k and v apart, as heads. */
static bool split_group(ImportCall *c, int64_t heads, int64_t groups, OnnxAttention *a) {
  MlirValue q = import_input(c, QUERY), k = import_input(c, KEY), v = import_input(c, VALUE);
  ImportShape shape = import_shape(c, q);
  if (shape.rank != 3 || heads < 1 || groups < 1 || heads % groups)
    return import_invalid(c, "query must have rank 3, and num_heads be a multiple of kv_num_heads");
  if (!k.ptr != !v.ptr) return import_invalid(c, "a key without a value, or the other way round");
  if (!k.ptr) {
    const TccExpr *depth = import_divide(c, shape.dims[2], import_size(c, heads + 2 * groups));
    if (!depth) return false;
    const TccExpr *wide = import_size_mul(c, depth, import_size(c, heads)),
                  *narrow = import_size_mul(c, depth, import_size(c, groups));
    k = columns(c, q, wide, narrow);
    v = columns(c, q, import_size_add(c, wide, narrow), narrow);
    q = columns(c, q, import_size(c, 0), wide);
  }
  a->q = onnx_split_heads(c, q, heads);
  a->k = onnx_split_heads(c, k, groups);
  a->v = onnx_split_heads(c, v, groups);
  return a->q.ptr && a->k.ptr && a->v.ptr;
}

/* What each query may see, [B or 1, 1, S, T]: keys up to its own, the last `window` of them if that is positive. */
static MlirValue visible(ImportCall *c, const Cache *cache, int64_t window) {
  MlirValue own = tcc_build2(&c->b, TCC_OP_ADD, onnx_positions(c, cache->steps, 2, 4), cache->old),
            keys = onnx_positions(c, cache->total, 3, 4);
  MlirValue keep = tcc_build_compare(&c->b, "le", keys, own);
  return window > 0
             ? tcc_build2(&c->b, TCC_OP_AND, keep,
                          tcc_build_compare(&c->b, "gt", keys,
                                            tcc_build2(&c->b, TCC_OP_SUB, own, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, window))))
             : keep;
}

/* What is asked for that there is not, and what does not fit together. */
static bool check_group_query(ImportCall *c) {
  static const struct {
    size_t input;
    const char *name;
  } unknown[] = {{KEY_SCALE, "k_scale"}, {VALUE_SCALE, "v_scale"}};
  for (size_t i = 0; i < 2; i++)
    if (import_has_input(c, unknown[i].input)) return import_unsupported(c, "%s", unknown[i].name);
  if (is_quantised(c, "k_quant_type") || is_quantised(c, "v_quant_type")) return import_unsupported(c, "a quantised cache");
  if (onnx_int(c, "sliding_window_cache", 0)) return import_unsupported(c, "sliding_window_cache");
  if (!import_has_input(c, LENGTHS) || !import_has_input(c, TOTAL))
    return import_invalid(c, "seqlens_k or total_sequence_length is missing");
  if (import_has_input(c, PAST_KEY) != import_has_input(c, PAST_VALUE))
    return import_invalid(c, "a past key without a past value, or the other way round");
  if (import_has_input(c, QUERY_NORM) != import_has_input(c, KEY_NORM))
    return import_invalid(c, "q_norm_weight without k_norm_weight, or the other way round");
  if (onnx_int(c, "do_rotary", 0) && (!import_has_input(c, COS) || !import_has_input(c, SIN)))
    return import_invalid(c, "do_rotary without cos_cache and sin_cache");
  return true;
}

/* How many keys were there before, of each row of the batch: its length less the new ones. */
static MlirValue count_old(ImportCall *c, const Cache *cache, MlirValue lengths, const TccExpr *fresh) {
  if (cache->single) return tcc_build_size(&c->b, import_size_sub(c, cache->total, cache->steps));
  /* a first prompt may be shorter than others of its batch: then none were there */
  lengths = tcc_build2(&c->b, TCC_OP_SUB, each_row(c, lengths, cache->batch), tcc_build_size(&c->b, fresh));
  return tcc_build2(&c->b, TCC_OP_MAX, lengths, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
}

/* Places of the new keys, which are those of the queries: [B or 1, S]. */
static MlirValue own_places(ImportCall *c, const Cache *cache) {
  const TccExpr *rows[] = {cache->single ? import_size(c, 1) : cache->batch, cache->steps};
  return tcc_build_reshape(&c->b, tcc_build2(&c->b, TCC_OP_ADD, onnx_positions(c, cache->steps, 3, 4), cache->old), 2, rows);
}

/* Queries and keys by the tables that inputs `cos` and the next one are, which have a row for each position. at: [B or 1, S]; null: their places. */
static bool rotate_group(ImportCall *c, const Cache *cache, size_t cos, MlirValue at, OnnxAttention *a) {
  for (size_t i = cos; i <= cos + 1; i++) {
    ImportShape table = import_shape(c, import_input(c, i));
    if (table.rank != 2 || !import_require_at_most(c, cache->total, table.dims[0], "positions of cos_cache and sin_cache"))
      return import_invalid(c, "cos_cache and sin_cache must be matrices with a row for each position");
  }
  if (!at.ptr) at = own_places(c, cache);
  bool interleaved = onnx_int(c, "rotary_interleaved", 0) != 0;
  a->q = rotated(c, a->q, import_input(c, cos), import_input(c, cos + 1), at, interleaved);
  a->k = rotated(c, a->k, import_input(c, cos), import_input(c, cos + 1), at, interleaved);
  return true;
}

/* The optional fourth output: scores before (1) or behind (2) the softmax. */
static bool output_scores(ImportCall *c, const Cache *cache, OnnxAttention *a, bool sink) {
  int64_t shown = onnx_int(c, "qk_output", 0);
  if (shown < 1 || shown > 2) return import_invalid(c, "qk_output is %lld", (long long)shown);
  MlirValue scores = onnx_attention_scores(c, a, shown == 1 ? 2 : 3);
  if (sink) scores = columns(c, scores, import_size(c, 0), cache->total);
  if (shown == 1 && onnx_int(c, "causal", 1)) /* not -inf */
    scores = tcc_build_select(&c->b, visible(c, cache, onnx_int(c, "local_window_size", -1)), scores,
                              tcc_build_scalar(&c->b, import_shape(c, a->q).elem, 0));
  return import_output(c, 3, scores);
}

bool onnx_op_group_query_attention(ImportCall *c) {
  if (!check_group_query(c)) return false;
  int64_t window = onnx_int(c, "local_window_size", -1);
  bool causal = onnx_int(c, "causal", 1) != 0;
  OnnxAttention a = {.softcap = onnx_float(c, "softcap", 0)};
  if (!split_group(c, onnx_int(c, "num_heads", 0), onnx_int(c, "kv_num_heads", 0), &a)) return false;
  size_t ntotal;
  const TccExpr *const *total = import_values(c, TOTAL, &ntotal);
  if (!total) return false;
  if (ntotal != 1) return import_invalid(c, "total_sequence_length is no scalar");
  ImportShape q = import_shape(c, a.q);
  Cache cache = {.batch = q.dims[0], .steps = q.dims[2], .total = total[0], .single = import_is_size(q.dims[0], 1)};
  if (!import_assume_at_most(c, cache.steps, cache.total))
    return import_unsupported(c, "total_sequence_length '%s' with %s new ones", tcc_expr_text(c->ir->exprs, cache.total),
                              tcc_expr_text(c->ir->exprs, cache.steps));
  a.offset = import_size_sub(c, cache.total, cache.steps);
  /* seqlens_k is one less than their number */
  cache.old = count_old(c, &cache, import_input(c, LENGTHS), import_size_sub(c, cache.steps, import_size(c, 1)));
  a.q = normalised(c, a.q, import_input(c, QUERY_NORM));
  a.k = normalised(c, a.k, import_input(c, KEY_NORM));
  MlirValue at = import_has_input(c, POSITIONS) ? import_index(c, import_input(c, POSITIONS)) : none();
  if (onnx_int(c, "do_rotary", 0) && !rotate_group(c, &cache, COS, at, &a)) return false;
  a.k = updated(c, &cache, import_input(c, PAST_KEY), a.k);
  a.v = updated(c, &cache, import_input(c, PAST_VALUE), a.v);
  if (!a.k.ptr || !a.v.ptr) return false;
  if (import_has_output(c, 1) && !import_output(c, 1, a.k)) return false;
  if (import_has_output(c, 2) && !import_output(c, 2, a.v)) return false;
  if (!tcc_expr_known_equal(import_shape(c, a.k).dims[2], cache.total)) {
    a.k = tcc_build_slice_axis(&c->b, a.k, 2, import_size(c, 0), 1, cache.total);
    a.v = tcc_build_slice_axis(&c->b, a.v, 2, import_size(c, 0), 1, cache.total);
  }
  bool sink = import_has_input(c, SINK) || onnx_int(c, "smooth_softmax", 0) > 0;
  a.causal = causal && cache.single && window <= 0 && !sink;
  if (causal && !a.causal) a.mask = visible(c, &cache, window);
  else if (!causal && !cache.single)
    a.mask =
        tcc_build_compare(&c->b, "le", onnx_positions(c, cache.total, 3, 4), each_row(c, import_input(c, LENGTHS), cache.batch));
  if (!onnx_attention_scale(c, &a, false) || !mask_bias(c, import_input(c, BIAS), &a)) return false;
  if (sink && !add_sink(c, &a, import_input(c, SINK))) return false;
  if (import_has_output(c, 3) && !output_scores(c, &cache, &a, sink)) return false;
  return import_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}

/* ---- SparseAttention ---- */
enum { BLOCK_ROWS = 5, BLOCK_COLUMNS, SPARSE_TOTAL, SPARSE_LENGTHS, SPARSE_COS, SPARSE_SIN };

typedef struct {
  int64_t layouts, blocks, size; /* heads have the layouts in turn; blocks of keys, and of queries; keys of a block */
} Blocks;

/* Row r of a layout [blocks, blocks] has the columns [rows[r], rows[r + 1]), as in a compressed sparse matrix; those behind the last row are padding. Gives
 * [layouts, blocks, blocks] of u8: 1 where queries of block r see the keys of a block. */
static MlirValue block_layouts(ImportCall *c, const Blocks *of, MlirValue rows, MlirValue columns) {
  const TccExpr *places = import_size(c, of->blocks * of->blocks), *one = import_size(c, 1),
                *entries = import_shape(c, columns).dims[1], *layouts = import_size(c, of->layouts),
                *blocks = import_size(c, of->blocks);
  const TccExpr *flat[] = {layouts, import_size_add(c, places, one)}, *each[] = {layouts, entries},
                *square[] = {layouts, blocks, blocks};
  const int64_t along = 2;
  MlirValue ends =
      import_unsqueeze(c, tcc_build_slice_axis(&c->b, tcc_build_convert(&c->b, rows, TCC_ELEM_I64), 1, one, 1, blocks), 1);
  MlirValue before = tcc_build_compare(&c->b, "le", ends, onnx_positions(c, entries, 1, 3));
  MlirValue row = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, before, TCC_ELEM_I64), &along, 1, false),
            column = tcc_build_convert(&c->b, columns, TCC_ELEM_I64), count = tcc_build_size(&c->b, blocks);
  MlirValue outside =
      tcc_build2(&c->b, TCC_OP_OR, tcc_build_compare(&c->b, "lt", column, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0)),
                 tcc_build_compare(&c->b, "ge", column, count));
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_MUL, row, count), column);
  at = tcc_build_select(&c->b, outside, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, -1), at); /* which the run reports */
  at = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", row, count), tcc_build_size(&c->b, places), at);
  MlirValue operands[] = {tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, TCC_ELEM_U8, 0), 2, flat), at,
                          tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, TCC_ELEM_U8, 1), 2, each)};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 1)}};
  size_t n = 1;
  if (!at.ptr || !import_valid(c, TCC_VALID_UNSIGNED, operands[0], at, 1, 1, attrs, &n)) return none();
  MlirValue all = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, n);
  return tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, all, 1, import_size(c, 0), 1, places), 3, square);
}

/* What the queries of each head may see of the keys by their blocks, [B or 1, heads or 1, S, T]. */
static MlirValue seen_blocks(ImportCall *c, const Blocks *of, const Cache *cache, MlirValue layouts, int64_t heads) {
  MlirValue size = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, of->size);
  MlirValue query = tcc_build2(&c->b, TCC_OP_DIV, own_places(c, cache), size),
            key = tcc_build2(&c->b, TCC_OP_DIV, import_iota(c, TCC_ELEM_I64, cache->total), size);
  MlirValue seen = import_gather_valid(c, layouts, query, 1, TCC_VALID_UNSIGNED); /* [layouts, B or 1, S, blocks] */
  seen = tcc_build_transpose(&c->b, tcc_build_gather(&c->b, seen, key, 3), (int64_t[]){1, 0, 2, 3});
  seen = tcc_build_compare(&c->b, "ne", seen, tcc_build_scalar(&c->b, TCC_ELEM_U8, 0));
  if (!seen.ptr || of->layouts == 1 || of->layouts == heads) return seen;
  ImportShape shape = import_shape(c, seen);
  const TccExpr *times = import_size(c, heads / of->layouts), *one = import_size(c, 1);
  const TccExpr *once[] = {shape.dims[0], one, shape.dims[1], shape.dims[2], shape.dims[3]},
                *turns[] = {shape.dims[0], times, shape.dims[1], shape.dims[2], shape.dims[3]},
                *flat[] = {shape.dims[0], import_size(c, heads), shape.dims[2], shape.dims[3]};
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, seen, 5, once), 5, turns), 4, flat);
}

static bool read_blocks(ImportCall *c, const Cache *cache, int64_t heads, Blocks *out) {
  ImportShape rows = import_shape(c, import_input(c, BLOCK_ROWS)), columns = import_shape(c, import_input(c, BLOCK_COLUMNS));
  if (rows.rank != 2 || columns.rank != 2) return import_invalid(c, "block_row_indices and block_col_indices must have rank 2");
  if (!import_fix_size(c, rows.dims[0], &out->layouts) || !import_fix_size(c, rows.dims[1], &out->blocks)) return false;
  if (out->layouts < 1 || out->blocks < 2 || out->blocks > UINT16_MAX || heads % out->layouts)
    return import_invalid(c, "block_row_indices must be [layouts, blocks + 1], and num_heads a multiple of layouts");
  const TccExpr *like[] = {rows.dims[0], NULL};
  out->blocks--;
  out->size = onnx_int(c, "sparse_block_size", 0);
  if (out->size < 1 || out->size > UINT16_MAX) return import_invalid(c, "sparse_block_size is %lld", (long long)out->size);
  return import_require_shape(c, &columns, 2, like, "block_col_indices") &&
         import_require_at_most(c, cache->total, import_size(c, out->blocks * out->size), "keys of all blocks");
}

static bool check_sparse(ImportCall *c) {
  for (size_t i = PAST_KEY; i <= SPARSE_LENGTHS; i++)
    if (!import_has_input(c, i)) return import_invalid(c, "input %zu is missing", i);
  return !onnx_int(c, "do_rotary", 0) || (import_has_input(c, SPARSE_COS) && import_has_input(c, SPARSE_SIN)) ||
         import_invalid(c, "do_rotary without cos_cache and sin_cache");
}

/* query, key, value, past key and value, block_row_indices, block_col_indices, total_sequence_length, key_total_sequence_lengths, cos_cache, sin_cache: a
 * causal attention, and a mask of blocks in which each row of blocks lists some. The caches have room for what comes. */
bool onnx_op_sparse_attention(ImportCall *c) {
  if (!check_sparse(c)) return false;
  OnnxAttention a = {.offset = import_size(c, 0)};
  const int64_t heads = onnx_int(c, "num_heads", 0);
  if (!split_group(c, heads, onnx_int(c, "kv_num_heads", 0), &a)) return false;
  size_t ntotal;
  const TccExpr *const *total = import_values(c, SPARSE_TOTAL, &ntotal);
  if (!total) return false;
  if (ntotal != 1) return import_invalid(c, "total_sequence_length is no scalar");
  ImportShape q = import_shape(c, a.q), past = import_shape(c, import_input(c, PAST_KEY));
  Cache cache = {.batch = q.dims[0], .steps = q.dims[2], .total = total[0], .single = import_is_size(q.dims[0], 1)};
  Blocks blocks;
  if (past.rank != 4) return import_invalid(c, "a cache of rank %d", past.rank);
  if (!import_require_at_most(c, cache.steps, cache.total, "total_sequence_length") ||
      !import_require_at_most(c, cache.total, past.dims[2], "total_sequence_length") || !read_blocks(c, &cache, heads, &blocks))
    return false;
  cache.old = count_old(c, &cache, import_input(c, SPARSE_LENGTHS), cache.steps);
  if (onnx_int(c, "do_rotary", 0) && !rotate_group(c, &cache, SPARSE_COS, none(), &a)) return false;
  a.k = updated(c, &cache, import_input(c, PAST_KEY), a.k);
  a.v = updated(c, &cache, import_input(c, PAST_VALUE), a.v);
  if (!a.k.ptr || !a.v.ptr || !import_output(c, 1, a.k) || !import_output(c, 2, a.v)) return false;
  a.k = tcc_build_slice_axis(&c->b, a.k, 2, import_size(c, 0), 1, cache.total);
  a.v = tcc_build_slice_axis(&c->b, a.v, 2, import_size(c, 0), 1, cache.total);
  MlirValue layouts = block_layouts(c, &blocks, import_input(c, BLOCK_ROWS), import_input(c, BLOCK_COLUMNS));
  MlirValue seen = layouts.ptr ? seen_blocks(c, &blocks, &cache, layouts, heads) : none();
  if (!seen.ptr) return false;
  a.mask = onnx_join_masks(c, visible(c, &cache, -1), seen, q.elem);
  return onnx_attention_scale(c, &a, false) && import_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}
