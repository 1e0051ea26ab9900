/* ops_contrib_attention.c - onnxruntime's attention operators: Attention, MultiHeadAttention, GroupQueryAttention, RotaryEmbedding.
 *
 * Each becomes one tcc.attention on [batch, heads, sequence, size]; biases, rotations, caches and masks are ops in front of it. Meanings
 * are those of onnxruntime's ContribOperators.md and, where that is silent, of its CPU kernels. Padding is masked by adding
 * mask_filter_value, so that a row without keys is a softmax of what it would be; what a query must not see is -inf.
 *
 * GroupQueryAttention's cache may be a buffer longer than what it holds. Its own size decides nothing: new keys are scattered to
 * where each row's old ones end, and the rows after total_sequence_length are left out. Where batch 1 and the cache's size say that
 * they end with it, they are joined. */
#include "lib/frontend/onnx/ops_attention.h"
#include <math.h>

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue plus(OnnxCall *c, MlirValue x, MlirValue y) { return y.ptr ? onnx_binary(c, TCC_OP_ADD, x, y) : x; }

/* 0 where keep, else value: in elem. */
static MlirValue additive(OnnxCall *c, MlirValue keep, double value, TccElem elem) {
  return onnx_select(c, keep, onnx_scalar(c, elem, 0), onnx_scalar(c, elem, value));
}

/* One number for each row of the batch, [B, 1, 1, 1] of i64. */
static MlirValue each_row(OnnxCall *c, MlirValue x, const TccExpr *batch) {
  const TccExpr *dims[] = {batch, onnx_size(c, 1), onnx_size(c, 1), onnx_size(c, 1)};
  return onnx_reshape(c, onnx_convert(c, x, TCC_ELEM_I64), 4, dims);
}

/* Adds to a->mask what padding says: lengths [B], also with sums of them behind [3 B + 2], ends and starts [2 B], or 0 for padding in
 * [B, T] or [B, S, T]. */
static bool mask_padding(OnnxCall *c, MlirValue mask, OnnxAttention *a) {
  OnnxShape q = onnx_shape(c, a->q), k = onnx_shape(c, a->k), shape = onnx_shape(c, mask);
  if (!mask.ptr || q.rank != 4 || k.rank != 4) return !c->reason;
  MlirValue keep = none();
  if (shape.rank == 1) {
    bool starts = tcc_expr_known_equal(shape.dims[0], onnx_size_mul(c, onnx_size(c, 2), q.dims[0]));
    bool sums =
        tcc_expr_known_equal(shape.dims[0], onnx_size_add(c, onnx_size_mul(c, onnx_size(c, 3), q.dims[0]), onnx_size(c, 2)));
    if (!starts && !sums && !tcc_expr_known_equal(shape.dims[0], q.dims[0]))
      return onnx_unsupported(c, "a mask of %s numbers for a batch of %s", tcc_expr_text(c->ir->exprs, shape.dims[0]),
                              tcc_expr_text(c->ir->exprs, q.dims[0]));
    MlirValue at = onnx_positions(c, k.dims[2], 3, 4),
              ends = starts || sums ? onnx_slice(c, mask, 0, onnx_size(c, 0), q.dims[0]) : mask;
    keep = onnx_compare(c, "lt", at, each_row(c, ends, q.dims[0]));
    if (starts)
      keep = onnx_binary(c, TCC_OP_AND, keep,
                         onnx_compare(c, "ge", at, each_row(c, onnx_slice(c, mask, 0, q.dims[0], q.dims[0]), q.dims[0])));
  } else if (shape.rank == 2 || shape.rank == 3) {
    for (int i = shape.rank; i < 4; i++) mask = onnx_unsqueeze(c, mask, 1);
    keep = onnx_compare(c, "gt", mask, onnx_scalar_i64(c, shape.elem, 0));
  } else {
    return onnx_unsupported(c, "a mask of rank %d", shape.rank);
  }
  a->mask = onnx_join_masks(c, a->mask, additive(c, keep, onnx_float(c, "mask_filter_value", -10000), q.elem), q.elem);
  return a->mask.ptr != NULL;
}

static bool mask_bias(OnnxCall *c, MlirValue bias, OnnxAttention *a) { /* attention_bias, added to the scores */
  TccElem elem = onnx_value_elem(a->q);
  if (bias.ptr) a->mask = onnx_join_masks(c, a->mask, onnx_convert(c, bias, elem), elem);
  return !bias.ptr || a->mask.ptr;
}

/* Columns start to start + size of the last axis. */
static MlirValue columns(OnnxCall *c, MlirValue x, const TccExpr *start, const TccExpr *size) {
  return onnx_slice(c, x, onnx_shape(c, x).rank - 1, start, size);
}

static MlirValue product(OnnxCall *c, MlirValue a, MlirValue b) { return onnx_binary(c, TCC_OP_MATMUL, a, b); }

/* input, weights of q, k and v side by side, bias, mask_index, past [2, B, N, P, D], attention_bias, past_sequence_length. */
bool import_contrib_attention(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  if (onnx_int(c, "do_rotary", 0)) return onnx_unsupported(c, "do_rotary");
  if (onnx_int(c, "past_present_share_buffer", 0) || onnx_has_input(c, 6))
    return onnx_unsupported(c, "a past that shares its buffer with the present");
  int64_t heads = onnx_int(c, "num_heads", 0), zero = 0;
  OnnxShape x = onnx_shape(c, onnx_input(c, 0)), w = onnx_shape(c, onnx_input(c, 1));
  if (x.rank != 3 || w.rank != 2) return onnx_invalid(c, "input must have rank 3 and weights rank 2");
  const int64_t *given;
  size_t ngiven;
  const TccExpr *widths[3];
  if (onnx_ints(c, "qkv_hidden_sizes", &given, &ngiven) && ngiven) {
    if (ngiven != 3) return onnx_invalid(c, "qkv_hidden_sizes must be three");
    for (int i = 0; i < 3; i++) widths[i] = onnx_size(c, given[i]);
  } else {
    widths[0] = onnx_divide(c, w.dims[1], onnx_size(c, 3));
    if (!widths[0]) return false;
    widths[1] = widths[2] = widths[0];
  }
  MlirValue all = plus(c, product(c, onnx_input(c, 0), onnx_input(c, 1)), onnx_input(c, 2)), parts[3];
  const TccExpr *at = onnx_size(c, 0);
  for (int i = 0; i < 3; i++) {
    parts[i] = onnx_split_heads(c, columns(c, all, at, widths[i]), heads);
    at = onnx_size_add(c, at, widths[i]);
  }
  OnnxAttention a = {
      .q = parts[0], .k = parts[1], .v = parts[2], .causal = onnx_int(c, "unidirectional", 0) != 0, .offset = onnx_size(c, 0)};
  if (onnx_has_input(c, 4)) {
    MlirValue past = onnx_input(c, 4);
    OnnxShape shape = onnx_shape(c, past);
    if (shape.rank != 5) return onnx_invalid(c, "past must have rank 5");
    MlirValue keys[] = {onnx_squeeze(c, onnx_slice(c, past, 0, onnx_size(c, 0), onnx_size(c, 1)), zero), a.k};
    MlirValue values[] = {onnx_squeeze(c, onnx_slice(c, past, 0, onnx_size(c, 1), onnx_size(c, 1)), zero), a.v};
    a.k = onnx_concat(c, keys, 2, 2);
    a.v = onnx_concat(c, values, 2, 2);
    a.offset = shape.dims[3];
  }
  if (!onnx_attention_scale(c, &a, false) || !mask_padding(c, onnx_input(c, 3), &a) || !mask_bias(c, onnx_input(c, 5), &a))
    return false;
  if (onnx_has_output(c, 1)) {
    MlirValue both[] = {onnx_unsqueeze(c, a.k, 0), onnx_unsqueeze(c, a.v, 0)};
    if (!onnx_output(c, 1, onnx_concat(c, both, 2, 0))) return false;
  }
  return onnx_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}

/* Part `index` of `count` in [B, S, N, count, D], as [B, N, S, D]. */
static MlirValue packed_part(OnnxCall *c, MlirValue x, int64_t index, int64_t count) {
  static const int64_t perm[] = {0, 2, 1, 3};
  if (!onnx_is_size(onnx_shape(c, x).dims[3], count)) {
    onnx_invalid(c, "axis 3 must have size %lld", (long long)count);
    return none();
  }
  return onnx_transpose(c, onnx_squeeze(c, onnx_slice(c, x, 3, onnx_size(c, index), onnx_size(c, 1)), 3), perm);
}

/* x [B, S, H] with part `at` of the bias; steps at on. */
static MlirValue projected(OnnxCall *c, MlirValue x, MlirValue bias, const TccExpr **at, int64_t heads) {
  OnnxShape shape = onnx_shape(c, x);
  if (shape.rank == 3 && bias.ptr) x = plus(c, x, onnx_slice(c, bias, 0, *at, shape.dims[2]));
  if (shape.rank == 3) *at = onnx_size_add(c, *at, shape.dims[2]);
  return onnx_split_heads(c, x, heads);
}

/* query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value, past_sequence_length, cache_indirection. */
bool import_multi_head_attention(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  if (onnx_has_input(c, 8)) return onnx_unsupported(c, "a past that shares its buffer with the present");
  if (onnx_has_input(c, 9)) return onnx_unsupported(c, "cache_indirection");
  int64_t heads = onnx_int(c, "num_heads", 0);
  MlirValue q = onnx_input(c, 0), k = onnx_input(c, 1), v = onnx_input(c, 2), bias = onnx_input(c, 3);
  int ranks[] = {onnx_shape(c, q).rank, k.ptr ? onnx_shape(c, k).rank : 0};
  OnnxAttention a = {.causal = onnx_int(c, "unidirectional", 0) != 0, .offset = onnx_size(c, 0)};
  const TccExpr *at = onnx_size(c, 0);
  if (bias.ptr && (ranks[0] == 5 || ranks[1] == 5)) return onnx_unsupported(c, "a bias for packed inputs");
  if (ranks[0] == 5) {
    if (k.ptr || v.ptr) return onnx_invalid(c, "a packed query with a key or value");
    a.q = packed_part(c, q, 0, 3), a.k = packed_part(c, q, 1, 3), a.v = packed_part(c, q, 2, 3);
  } else {
    a.q = projected(c, q, bias, &at, heads);
    if (!k.ptr || (!v.ptr && ranks[1] != 5)) return onnx_invalid(c, "key or value is missing");
    if (ranks[1] == 5) {
      a.k = packed_part(c, k, 0, 2), a.v = packed_part(c, k, 1, 2);
    } else {
      a.k = projected(c, k, bias, &at, heads);
      a.v = projected(c, v, bias, &at, heads);
    }
  }
  if (!onnx_attention_past(c, 6, &a)) return false;
  if (!onnx_attention_scale(c, &a, false) || !mask_padding(c, onnx_input(c, 4), &a) || !mask_bias(c, onnx_input(c, 5), &a))
    return false;
  if (onnx_has_output(c, 1) && !onnx_output(c, 1, a.k)) return false;
  if (onnx_has_output(c, 2) && !onnx_output(c, 2, a.v)) return false;
  if (onnx_has_output(c, 3) && !onnx_output(c, 3, onnx_attention_scores(c, &a, 3))) return false;
  return onnx_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}

/* x [B, N, S, D] turned by the rows of the caches [positions, D/2] that `at`, [B or 1, S], names. */
static MlirValue rotated(OnnxCall *c, MlirValue x, MlirValue cos, MlirValue sin, MlirValue at, bool interleaved) {
  int64_t half;
  if (onnx_shape(c, cos).rank != 2 || !tcc_expr_is_const(onnx_shape(c, cos).dims[1], &half)) {
    onnx_unsupported(c, "a cache of cosines that is no matrix of known width");
    return none();
  }
  TccElem elem = onnx_value_elem(x);
  MlirValue operands[] = {x, onnx_convert(c, onnx_unsqueeze(c, onnx_gather(c, cos, at, 0), 1), elem),
                          onnx_convert(c, onnx_unsqueeze(c, onnx_gather(c, sin, at, 0), 1), elem)};
  TccNamedAttr attrs[] = {{"interleaved", tcc_attr_bool(c->ir, interleaved)}, {"rotary_dim", tcc_attr_i64(c->ir, 2 * half)}};
  return x.ptr && operands[1].ptr && operands[2].ptr ? onnx_op(c, TCC_OP_ROTARY_EMBEDDING, operands, 3, attrs, 2) : none();
}

/* input, position_ids [B, S] or the first one [1], cos_cache, sin_cache. */
bool import_contrib_rotary(OnnxCall *c) {
  if (!onnx_need(c, 4)) return false;
  if (onnx_int(c, "is_packed_batching", 0)) return onnx_unsupported(c, "is_packed_batching");
  if (onnx_float(c, "scale", 1) != 1) return onnx_unsupported(c, "a scale");
  MlirValue x = onnx_input(c, 0), at = onnx_index(c, onnx_input(c, 1)), cos = onnx_input(c, 2);
  OnnxShape shape = onnx_shape(c, x);
  int64_t heads = onnx_int(c, "num_heads", 0), width, half;
  if (shape.rank == 3 && !heads) {
    if (onnx_int(c, "rotary_embedding_dim", 0) || onnx_shape(c, cos).rank != 2 || !tcc_expr_is_const(shape.dims[2], &width) ||
        !tcc_expr_is_const(onnx_shape(c, cos).dims[1], &half) || half < 1 || width % (2 * half))
      return onnx_invalid(c, "the number of heads is not told");
    heads = width / (2 * half);
  }
  x = onnx_split_heads(c, x, heads);
  if (!x.ptr) return false;
  if (onnx_shape(c, at).rank < 2) {
    const TccExpr *one = onnx_size(c, 1);
    at = onnx_binary(c, TCC_OP_ADD, onnx_positions(c, onnx_shape(c, x).dims[2], 1, 2),
                     onnx_reshape(c, onnx_convert(c, at, TCC_ELEM_I64), 1, &one));
  }
  MlirValue y = rotated(c, x, cos, onnx_input(c, 3), at, onnx_int(c, "interleaved", 0) != 0);
  return onnx_output(c, 0, shape.rank == 3 ? onnx_join_heads(c, y) : y);
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
static MlirValue updated(OnnxCall *c, const Cache *cache, MlirValue past, MlirValue fresh) {
  OnnxShape shape = onnx_shape(c, past), part = onnx_shape(c, fresh);
  if (!fresh.ptr) return fresh;
  if (!past.ptr) { /* the first step of all */
    for (int i = 0; i < 4; i++) shape.dims[i] = i == 2 ? onnx_size(c, 0) : part.dims[i];
    shape.rank = 4;
  }
  if (shape.rank != 4) {
    onnx_invalid(c, "a cache of rank %d", shape.rank);
    return none();
  }
  if (!past.ptr && tcc_expr_known_equal(cache->total, cache->steps)) return fresh;
  if (past.ptr && cache->single && tcc_expr_known_equal(cache->total, onnx_size_add(c, shape.dims[2], cache->steps))) {
    MlirValue both[] = {past, fresh};
    return onnx_concat(c, both, 2, 2);
  }
  const TccExpr *all = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, shape.dims[2], cache->total);
  if (all != shape.dims[2]) { /* room for what comes */
    const TccExpr *dims[] = {part.dims[0], part.dims[1], onnx_size_sub(c, all, shape.dims[2]), part.dims[3]};
    MlirValue both[] = {past, onnx_broadcast(c, onnx_scalar(c, part.elem, 0), 4, dims)};
    past = past.ptr ? onnx_concat(c, both, 2, 2) : both[1];
  }
  MlirValue at = onnx_binary(c, TCC_OP_ADD, onnx_positions(c, cache->steps, 2, 4), cache->old);
  MlirValue operands[] = {past, onnx_broadcast(c, at, 4, part.dims), fresh};
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, 2)};
  return past.ptr && operands[1].ptr ? onnx_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &attr, 1) : none();
}

static MlirValue normalised(OnnxCall *c, MlirValue x, MlirValue weight) { /* of each head */
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 3)}, {"eps", tcc_attr_f64(c->ir, onnx_float(c, "qk_norm_epsilon", 1e-6))}};
  MlirValue operands[] = {x, weight};
  return x.ptr && weight.ptr ? onnx_op(c, TCC_OP_RMS_NORM, operands, 2, attrs, 2) : x;
}

/* A logit of its own for each head in the softmax: a key and a value of zeros behind the others, whose mask is that logit. */
static bool add_sink(OnnxCall *c, OnnxAttention *a, MlirValue sink) {
  OnnxShape q = onnx_shape(c, a->q), k = onnx_shape(c, a->k), v = onnx_shape(c, a->v);
  const TccExpr *one = onnx_size(c, 1);
  const TccExpr *heads[] = {one, q.dims[1], one, one}, *full[] = {q.dims[0], q.dims[1], q.dims[2], k.dims[2]},
                *last[] = {q.dims[0], q.dims[1], q.dims[2], one};
  MlirValue mask = a->mask.ptr && onnx_value_elem(a->mask) == TCC_ELEM_BOOL ? additive(c, a->mask, -INFINITY, q.elem) : a->mask;
  if (!mask.ptr) mask = onnx_scalar(c, q.elem, 0);
  sink = sink.ptr ? onnx_reshape(c, onnx_convert(c, sink, q.elem), 4, heads) : onnx_scalar(c, q.elem, 0);
  MlirValue masks[] = {onnx_broadcast(c, mask, 4, full), onnx_broadcast(c, sink, 4, last)};
  k.dims[2] = v.dims[2] = one;
  MlirValue keys[] = {a->k, onnx_broadcast(c, onnx_scalar(c, k.elem, 0), 4, k.dims)},
            values[] = {a->v, onnx_broadcast(c, onnx_scalar(c, v.elem, 0), 4, v.dims)};
  a->mask = onnx_concat(c, masks, 2, 3);
  a->k = onnx_concat(c, keys, 2, 2);
  a->v = onnx_concat(c, values, 2, 2);
  return a->mask.ptr && a->k.ptr && a->v.ptr;
}

static bool is_quantised(OnnxCall *c, const char *name) { return !tcc_str_is(onnx_string(c, name, "NONE"), "NONE"); }

/* q, k and v apart, as heads. */
static bool split_group(OnnxCall *c, int64_t heads, int64_t groups, OnnxAttention *a) {
  MlirValue q = onnx_input(c, QUERY), k = onnx_input(c, KEY), v = onnx_input(c, VALUE);
  OnnxShape shape = onnx_shape(c, q);
  if (shape.rank != 3 || heads < 1 || groups < 1 || heads % groups)
    return onnx_invalid(c, "query must have rank 3, and num_heads be a multiple of kv_num_heads");
  if (!k.ptr != !v.ptr) return onnx_invalid(c, "a key without a value, or the other way round");
  if (!k.ptr) {
    const TccExpr *depth = onnx_divide(c, shape.dims[2], onnx_size(c, heads + 2 * groups));
    if (!depth) return false;
    const TccExpr *wide = onnx_size_mul(c, depth, onnx_size(c, heads)), *narrow = onnx_size_mul(c, depth, onnx_size(c, groups));
    k = columns(c, q, wide, narrow);
    v = columns(c, q, onnx_size_add(c, wide, narrow), narrow);
    q = columns(c, q, onnx_size(c, 0), wide);
  }
  a->q = onnx_split_heads(c, q, heads);
  a->k = onnx_split_heads(c, k, groups);
  a->v = onnx_split_heads(c, v, groups);
  return a->q.ptr && a->k.ptr && a->v.ptr;
}

/* What each query may see, [B or 1, 1, S, T]: keys up to its own, the last `window` of them if that is positive. */
static MlirValue visible(OnnxCall *c, const Cache *cache, int64_t window) {
  MlirValue own = onnx_binary(c, TCC_OP_ADD, onnx_positions(c, cache->steps, 2, 4), cache->old),
            keys = onnx_positions(c, cache->total, 3, 4);
  MlirValue keep = onnx_compare(c, "le", keys, own);
  return window > 0
             ? onnx_binary(c, TCC_OP_AND, keep,
                           onnx_compare(c, "gt", keys, onnx_binary(c, TCC_OP_SUB, own, onnx_scalar_i64(c, TCC_ELEM_I64, window))))
             : keep;
}

/* What is asked for that there is not, and what does not fit together. */
static bool check_group_query(OnnxCall *c) {
  static const struct {
    size_t input;
    const char *name;
  } unknown[] = {{KEY_SCALE, "k_scale"}, {VALUE_SCALE, "v_scale"}};
  for (size_t i = 0; i < 2; i++)
    if (onnx_has_input(c, unknown[i].input)) return onnx_unsupported(c, "%s", unknown[i].name);
  if (is_quantised(c, "k_quant_type") || is_quantised(c, "v_quant_type")) return onnx_unsupported(c, "a quantised cache");
  if (onnx_int(c, "sliding_window_cache", 0)) return onnx_unsupported(c, "sliding_window_cache");
  if (!onnx_has_input(c, LENGTHS) || !onnx_has_input(c, TOTAL))
    return onnx_invalid(c, "seqlens_k or total_sequence_length is missing");
  if (onnx_has_input(c, PAST_KEY) != onnx_has_input(c, PAST_VALUE))
    return onnx_invalid(c, "a past key without a past value, or the other way round");
  if (onnx_has_input(c, QUERY_NORM) != onnx_has_input(c, KEY_NORM))
    return onnx_invalid(c, "q_norm_weight without k_norm_weight, or the other way round");
  if (onnx_int(c, "do_rotary", 0) && (!onnx_has_input(c, COS) || !onnx_has_input(c, SIN)))
    return onnx_invalid(c, "do_rotary without cos_cache and sin_cache");
  return true;
}

/* How many keys were there before, of each row of the batch. */
static MlirValue count_old(OnnxCall *c, const Cache *cache) {
  if (cache->single) return onnx_size_scalar(c, onnx_size_sub(c, cache->total, cache->steps));
  /* a first prompt may be shorter than others of its batch: then none were there */
  MlirValue lengths = each_row(c, onnx_input(c, LENGTHS), cache->batch),
            fresh = onnx_size_scalar(c, onnx_size_sub(c, cache->steps, onnx_size(c, 1)));
  return onnx_binary(c, TCC_OP_MAX, onnx_binary(c, TCC_OP_SUB, lengths, fresh), onnx_scalar_i64(c, TCC_ELEM_I64, 0));
}

static void rotate_group(OnnxCall *c, const Cache *cache, OnnxAttention *a) {
  const TccExpr *rows[] = {cache->single ? onnx_size(c, 1) : cache->batch, cache->steps};
  MlirValue at = onnx_has_input(c, POSITIONS)
                     ? onnx_index(c, onnx_input(c, POSITIONS))
                     : onnx_reshape(c, onnx_binary(c, TCC_OP_ADD, onnx_positions(c, cache->steps, 3, 4), cache->old), 2, rows);
  bool interleaved = onnx_int(c, "rotary_interleaved", 0) != 0;
  a->q = rotated(c, a->q, onnx_input(c, COS), onnx_input(c, SIN), at, interleaved);
  a->k = rotated(c, a->k, onnx_input(c, COS), onnx_input(c, SIN), at, interleaved);
}

/* The optional fourth output: scores before (1) or behind (2) the softmax. */
static bool output_scores(OnnxCall *c, const Cache *cache, OnnxAttention *a, bool sink) {
  int64_t shown = onnx_int(c, "qk_output", 0);
  if (shown < 1 || shown > 2) return onnx_invalid(c, "qk_output is %lld", (long long)shown);
  MlirValue scores = onnx_attention_scores(c, a, shown == 1 ? 2 : 3);
  if (sink) scores = columns(c, scores, onnx_size(c, 0), cache->total);
  if (shown == 1 && onnx_int(c, "causal", 1)) /* not -inf */
    scores = onnx_select(c, visible(c, cache, onnx_int(c, "local_window_size", -1)), scores,
                         onnx_scalar(c, onnx_shape(c, a->q).elem, 0));
  return onnx_output(c, 3, scores);
}

bool import_group_query_attention(OnnxCall *c) {
  if (!check_group_query(c)) return false;
  int64_t window = onnx_int(c, "local_window_size", -1);
  bool causal = onnx_int(c, "causal", 1) != 0;
  OnnxAttention a = {.softcap = onnx_float(c, "softcap", 0)};
  if (!split_group(c, onnx_int(c, "num_heads", 0), onnx_int(c, "kv_num_heads", 0), &a)) return false;
  size_t ntotal;
  const TccExpr *const *total = onnx_values(c, TOTAL, &ntotal);
  if (!total) return false;
  if (ntotal != 1) return onnx_invalid(c, "total_sequence_length is no scalar");
  OnnxShape q = onnx_shape(c, a.q);
  Cache cache = {.batch = q.dims[0], .steps = q.dims[2], .total = total[0], .single = onnx_is_size(q.dims[0], 1)};
  if (!onnx_assume_at_most(c, cache.steps, cache.total))
    return onnx_unsupported(c, "total_sequence_length '%s' with %s new ones", tcc_expr_text(c->ir->exprs, cache.total),
                            tcc_expr_text(c->ir->exprs, cache.steps));
  a.offset = onnx_size_sub(c, cache.total, cache.steps);
  cache.old = count_old(c, &cache);
  a.q = normalised(c, a.q, onnx_input(c, QUERY_NORM));
  a.k = normalised(c, a.k, onnx_input(c, KEY_NORM));
  if (onnx_int(c, "do_rotary", 0)) rotate_group(c, &cache, &a);
  a.k = updated(c, &cache, onnx_input(c, PAST_KEY), a.k);
  a.v = updated(c, &cache, onnx_input(c, PAST_VALUE), a.v);
  if (!a.k.ptr || !a.v.ptr) return false;
  if (onnx_has_output(c, 1) && !onnx_output(c, 1, a.k)) return false;
  if (onnx_has_output(c, 2) && !onnx_output(c, 2, a.v)) return false;
  if (!tcc_expr_known_equal(onnx_shape(c, a.k).dims[2], cache.total)) {
    a.k = onnx_slice(c, a.k, 2, onnx_size(c, 0), cache.total);
    a.v = onnx_slice(c, a.v, 2, onnx_size(c, 0), cache.total);
  }
  bool sink = onnx_has_input(c, SINK) || onnx_int(c, "smooth_softmax", 0) > 0;
  a.causal = causal && cache.single && window <= 0 && !sink;
  if (causal && !a.causal) a.mask = visible(c, &cache, window);
  else if (!causal && !cache.single)
    a.mask = onnx_compare(c, "le", onnx_positions(c, cache.total, 3, 4), each_row(c, onnx_input(c, LENGTHS), cache.batch));
  if (!onnx_attention_scale(c, &a, false) || !mask_bias(c, onnx_input(c, BIAS), &a)) return false;
  if (sink && !add_sink(c, &a, onnx_input(c, SINK))) return false;
  if (onnx_has_output(c, 3) && !output_scores(c, &cache, &a, sink)) return false;
  return onnx_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}
