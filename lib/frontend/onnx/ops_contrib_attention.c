/* ops_contrib_attention.c - onnxruntime's attention operators: Attention, QAttention, MultiHeadAttention, those of packed sequences, RotaryEmbedding. Those of
 * groups of heads are in ops_contrib_grouped.c.
 *
 * Each becomes one tcc.attention on [batch, heads, sequence, size]; biases, rotations, caches and masks are ops in front of it. Meanings
 * are those of onnxruntime's ContribOperators.md and, where that is silent, of its CPU kernels. Padding is masked by adding
 * mask_filter_value, so that a row without keys is a softmax of what it would be; what a query must not see is -inf.
 */
#include "lib/frontend/onnx/ops_attention.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue plus(ImportCall *c, MlirValue x, MlirValue y) { return y.ptr ? tcc_build2(&c->b, TCC_OP_ADD, x, y) : x; }

MlirValue onnx_additive_mask(ImportCall *c, MlirValue keep, double value, TccElem elem) {
  return tcc_build_select(&c->b, keep, tcc_build_scalar(&c->b, elem, 0), tcc_build_scalar(&c->b, elem, value));
}

MlirValue onnx_each_row(ImportCall *c, MlirValue x, const TccExpr *batch) {
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
    keep = tcc_build_compare(&c->b, "lt", at, onnx_each_row(c, ends, q.dims[0]));
    if (starts)
      keep =
          tcc_build2(&c->b, TCC_OP_AND, keep,
                     tcc_build_compare(&c->b, "ge", at,
                                       onnx_each_row(c, tcc_build_slice_axis(&c->b, mask, 0, q.dims[0], 1, q.dims[0]), q.dims[0])));
  } else if (shape.rank == 2 || shape.rank == 3) {
    for (int i = shape.rank; i < 4; i++) mask = import_unsqueeze(c, mask, 1);
    keep = tcc_build_compare(&c->b, "gt", mask, tcc_build_scalar_i64(&c->b, shape.elem, 0));
  } else {
    return import_unsupported(c, "a mask of rank %d", shape.rank);
  }
  a->mask = onnx_join_masks(c, a->mask, onnx_additive_mask(c, keep, onnx_float(c, "mask_filter_value", -10000), q.elem), q.elem);
  return a->mask.ptr != NULL;
}

bool onnx_mask_bias(ImportCall *c, MlirValue bias, OnnxAttention *a) {
  TccElem elem = tcc_value_elem(a->q);
  if (bias.ptr) a->mask = onnx_join_masks(c, a->mask, tcc_build_convert(&c->b, bias, elem), elem);
  return !bias.ptr || a->mask.ptr;
}

MlirValue onnx_columns(ImportCall *c, MlirValue x, const TccExpr *start, const TccExpr *size) {
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
    parts[i] = onnx_split_heads(c, onnx_columns(c, all, start, widths[i]), heads);
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
      !onnx_mask_bias(c, import_input(c, at.bias), &a))
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
  if (!onnx_attention_scale(c, &a, false) || !mask_padding(c, import_input(c, 4), &a) || !onnx_mask_bias(c, import_input(c, 5), &a))
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
  if (!onnx_attention_scale(c, &a, false) || !onnx_mask_bias(c, bias, &a)) return false;
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
    parts[i] = onnx_columns(c, all, start, widths[i]);
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

/* Whether the past is a cache that a search makes longer (search_models.c): as long as it is, without room for another token. */
static bool past_grows(ImportCall *c, size_t past) {
  ImportShape shape = import_shape(c, import_input(c, past));
  return c->importer->growing && shape.rank == 4 && tcc_expr_known_equal(shape.dims[2], c->importer->growing);
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
    k = onnx_columns(c, q, width, width), v = onnx_columns(c, q, import_size_add(c, width, width), width),
    q = onnx_columns(c, q, at, width);
  }
  OnnxAttention a = {.offset = at};
  a.q = projected(c, q, bias, &at, heads);
  a.k = projected(c, k, bias, &at, heads);
  a.v = projected(c, v, bias, &at, heads);
  const bool shares = onnx_int(c, "past_present_share_buffer", 0) != 0 && !past_grows(c, PAST),
             crosses = import_shape(c, k).rank == 4;
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
      !onnx_mask_bias(c, import_input(c, SUMMANDS), &a))
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

MlirValue onnx_rotated(ImportCall *c, MlirValue x, MlirValue cos, MlirValue sin, MlirValue at, bool interleaved) {
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
  MlirValue y = onnx_rotated(c, x, cos, import_input(c, 3), at, onnx_int(c, "interleaved", 0) != 0);
  return import_output(c, 0, shape.rank == 3 ? onnx_join_heads(c, y) : y);
}
