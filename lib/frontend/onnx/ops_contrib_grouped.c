/* ops_contrib_grouped.c - onnxruntime's GroupQueryAttention. Meanings are those of its schema and, where that is silent, of its CPU kernel.
 *
 * A cache is floats, or bytes with a scale: then what is new is rounded like what is old before queries meet it. It holds all keys
 * (grouped_attention.h), or the last ones: a windowed cache of C rows, of which queries see the last W. Its first rows are the keys that it holds, in
 * their order; when it is full, C - W + 1 of them go at once, so that how many it holds is a function of how many there were alone. New keys are put behind
 * them in a buffer of C + S rows, which queries meet; the rows that are held from then on are gathered from it. */
#include "lib/frontend/onnx/grouped_attention.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum {
  PAST_KEY = ONNX_GROUPED_PAST_KEY,
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
  KEY_NORM,
  FRESH
};

typedef struct {
  OnnxCache cache;
  int64_t window;          /* keys that a query sees, its own the last one; not positive: all before */
  const TccExpr *capacity; /* rows of a windowed cache; NULL: it holds all */
  MlirValue fresh;         /* new keys of each row that count, [B, 1, 1, 1] */
  OnnxCache held;          /* windowed: its keys and those behind it, by their rows */
  int bits;                /* of a number of the cache; 0: a float */
} Grouped;

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue integer(ImportCall *c, int64_t v) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, v); }
static MlirValue binary(ImportCall *c, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(&c->b, kind, x, y); }

/* ---- caches of bytes ---- */

static bool is_quantised(ImportCall *c, const char *name) { return !tcc_str_is(onnx_string(c, name, "NONE"), "NONE"); }

/* One number, or one for each head and channel, [1, G, 1, D]. */
static bool check_scale(ImportCall *c, size_t input, const char *kind, int64_t groups) {
  const TccExpr *one = import_size(c, 1);
  ImportShape scale = import_shape(c, import_input(c, input));
  const TccExpr *heads[] = {one, import_size(c, groups), one, NULL},
                *all = tcc_type_count(c->ir, tcc_value_type(import_input(c, input)));
  if (tcc_str_is(onnx_string(c, kind, "NONE"), "PER_TENSOR")) return import_require_equal(c, all, one, "the scale of a tensor");
  if (!tcc_str_is(onnx_string(c, kind, "NONE"), "PER_CHANNEL"))
    return import_invalid(c, "%s is '%.*s'", kind, TCC_STR_ARG(onnx_string(c, kind, "NONE")));
  return import_require_shape(c, &scale, 4, heads, "the scale of channels");
}

static bool check_quantised(ImportCall *c, Grouped *g, int64_t groups) {
  bool key = is_quantised(c, "k_quant_type"), value = is_quantised(c, "v_quant_type");
  if (!key && !value) return true;
  g->bits = (int)onnx_int(c, "kv_cache_bit_width", 8);
  if (!key || !value) return import_unsupported(c, "a cache of which keys or values alone are quantised");
  if (g->bits != 8 && g->bits != 4) return import_invalid(c, "kv_cache_bit_width is %d", g->bits);
  TccElem want = g->bits == 8 ? TCC_ELEM_I8 : TCC_ELEM_U8;
  for (size_t i = 0; i < 2; i++) {
    if (!import_has_input(c, PAST_KEY + i) || !import_has_input(c, KEY_SCALE + i))
      return import_invalid(c, "a quantised cache without a past or without a scale");
    TccElem elem = import_shape(c, import_input(c, PAST_KEY + i)).elem;
    if (elem != want) return import_unsupported(c, "a cache of %d bits in %s", g->bits, tcc_elem_name(elem));
    if (!check_scale(c, KEY_SCALE + i, i ? "v_quant_type" : "k_quant_type", groups)) return false;
  }
  return true;
}

static MlirValue scale_of(ImportCall *c, size_t input) {
  MlirValue scale = tcc_build_convert(&c->b, import_input(c, input), TCC_ELEM_F32);
  return import_shape(c, scale).rank == 4 ? scale : tcc_build_reshape(&c->b, scale, 0, NULL);
}

/* Of two numbers in a byte the even channel is in the low half, 8 more than it is. */
static MlirValue quantised(ImportCall *c, const Grouped *g, MlirValue x, size_t scale) {
  const double most = g->bits == 8 ? 127 : 7;
  MlirValue v = binary(c, TCC_OP_DIV, tcc_build_convert(&c->b, x, TCC_ELEM_F32), scale_of(c, scale));
  v = binary(c, TCC_OP_MAX, tcc_build1(&c->b, TCC_OP_ROUND, v), tcc_build_scalar(&c->b, TCC_ELEM_F32, -most - 1));
  v = binary(c, TCC_OP_MIN, v, tcc_build_scalar(&c->b, TCC_ELEM_F32, most));
  if (g->bits == 8) return tcc_build_convert(&c->b, v, TCC_ELEM_I8);
  v = binary(c, TCC_OP_ADD, v, tcc_build_scalar(&c->b, TCC_ELEM_F32, 8));
  const TccExpr *half = import_divide(c, import_shape(c, x).dims[3], import_size(c, 2));
  if (!v.ptr || !half) return none();
  MlirValue low = tcc_build_slice_axis(&c->b, v, 3, import_size(c, 0), 2, half),
            high = tcc_build_slice_axis(&c->b, v, 3, import_size(c, 1), 2, half);
  v = binary(c, TCC_OP_ADD, low, binary(c, TCC_OP_MUL, high, tcc_build_scalar(&c->b, TCC_ELEM_F32, 16)));
  return tcc_build_convert(&c->b, v, TCC_ELEM_U8);
}

static MlirValue dequantised(ImportCall *c, const Grouped *g, MlirValue q, size_t scale, TccElem elem) {
  MlirValue v = q;
  if (g->bits == 4) {
    ImportShape shape = import_shape(c, q);
    MlirValue sixteen = tcc_build_scalar_i64(&c->b, TCC_ELEM_U8, 16), high = binary(c, TCC_OP_DIV, q, sixteen);
    MlirValue halves[] = {import_unsqueeze(c, binary(c, TCC_OP_SUB, q, binary(c, TCC_OP_MUL, high, sixteen)), 4),
                          import_unsqueeze(c, high, 4)};
    shape.dims[3] = import_size_mul(c, shape.dims[3], import_size(c, 2));
    v = tcc_build_reshape(&c->b, tcc_build_concat(&c->b, halves, 2, 4), 4, shape.dims);
  }
  v = tcc_build_convert(&c->b, v, TCC_ELEM_F32);
  if (g->bits == 4) v = binary(c, TCC_OP_SUB, v, tcc_build_scalar(&c->b, TCC_ELEM_F32, 8));
  return tcc_build_convert(&c->b, binary(c, TCC_OP_MUL, v, scale_of(c, scale)), elem);
}

/* ---- windowed caches ---- */

/* How many of `count` keys, [B, 1, 1, 1], a windowed cache holds. */
static MlirValue held_of(ImportCall *c, const Grouped *g, MlirValue count) {
  MlirValue over = binary(c, TCC_OP_SUB, count, tcc_build_size(&c->b, g->capacity));
  MlirValue less_one = tcc_build_size(&c->b, import_size_sub(c, g->capacity, import_size(c, g->window))),
            at_once = binary(c, TCC_OP_ADD, less_one, integer(c, 1)), zero = integer(c, 0);
  MlirValue times = binary(c, TCC_OP_DIV, binary(c, TCC_OP_ADD, binary(c, TCC_OP_MAX, over, zero), less_one), at_once);
  return binary(c, TCC_OP_SUB, count, binary(c, TCC_OP_MUL, times, at_once));
}

static bool read_window(ImportCall *c, Grouped *g) {
  ImportShape past = import_shape(c, import_input(c, PAST_KEY));
  if (!onnx_int(c, "sliding_window_cache", 0)) return true;
  if (g->window <= 0 || past.rank != 4)
    return import_invalid(c, "sliding_window_cache without a local_window_size or a cache of rank 4");
  if (import_has_output(c, 3)) return import_unsupported(c, "qk_output of a windowed cache");
  g->capacity = past.dims[2];
  if (!import_require_at_most(c, import_size(c, g->window), g->capacity, "rows of a windowed cache")) return false;
  g->held = g->cache;
  g->held.single = false, g->held.old = held_of(c, g, g->cache.old);
  g->held.total = import_size_add(c, g->capacity, g->cache.steps);
  return g->held.old.ptr != NULL;
}

/* Rows of the buffer from `shift`, [B, 1, 1, 1], on, as many as the cache has; what is behind the buffer repeats its last one. */
static MlirValue kept_rows(ImportCall *c, const Grouped *g, MlirValue buffer, MlirValue shift) {
  ImportShape shape = import_shape(c, buffer);
  MlirValue last = tcc_build_size(&c->b, import_size_sub(c, g->held.total, import_size(c, 1)));
  MlirValue at = binary(c, TCC_OP_MIN, binary(c, TCC_OP_ADD, onnx_positions(c, g->capacity, 2, 4), shift), last);
  shape.dims[2] = g->capacity;
  MlirValue operands[] = {buffer, tcc_build_broadcast(&c->b, at, 4, shape.dims)};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 2)}};
  size_t n = 1;
  if (!buffer.ptr || !operands[1].ptr || !import_valid(c, TCC_VALID_UNSIGNED, buffer, operands[1], 2, 1, attrs, &n)) return none();
  return import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, attrs, n);
}

/* The columns of a bias, [B or 1, H or 1, S, total], that are the keys in the buffer: row i of it is the key at `old - held + i`. */
static MlirValue bias_of_rows(ImportCall *c, const Grouped *g, MlirValue bias) {
  ImportShape shape = import_shape(c, bias);
  if (!bias.ptr || !g->capacity) return bias;
  if (shape.rank != 4) {
    import_invalid(c, "attention_bias of rank %d", shape.rank);
    return none();
  }
  const TccExpr *whole[] = {g->cache.batch, shape.dims[1], shape.dims[2], shape.dims[3]},
                *rows[] = {g->cache.batch, shape.dims[1], shape.dims[2], g->held.total};
  MlirValue first = binary(c, TCC_OP_SUB, g->cache.old, g->held.old),
            last = tcc_build_size(&c->b, import_size_sub(c, shape.dims[3], import_size(c, 1)));
  MlirValue at = binary(c, TCC_OP_MIN, binary(c, TCC_OP_ADD, onnx_positions(c, g->held.total, 3, 4), first), last);
  MlirValue operands[] = {tcc_build_broadcast(&c->b, bias, 4, whole), tcc_build_broadcast(&c->b, at, 4, rows)};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 3)}};
  size_t n = 1;
  if (!operands[0].ptr || !operands[1].ptr || !import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 3, 1, attrs, &n))
    return none();
  return import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, attrs, n);
}

/* ---- the cache's step ---- */

/* Keys or values: output number `output` becomes the cache behind this step, *x what queries meet. */
static bool append(ImportCall *c, const Grouped *g, size_t past, size_t scale, size_t output, MlirValue *x) {
  TccElem elem = import_shape(c, *x).elem;
  MlirValue fresh = x->ptr && g->bits ? quantised(c, g, *x, scale) : *x;
  MlirValue all = onnx_cache_update(c, g->capacity ? &g->held : &g->cache, import_input(c, past), fresh), present = all;
  if (g->capacity) {
    MlirValue count = binary(c, TCC_OP_ADD, g->cache.old, g->fresh), held = binary(c, TCC_OP_ADD, g->held.old, g->fresh);
    present = kept_rows(c, g, all, binary(c, TCC_OP_SUB, held, held_of(c, g, count)));
  }
  if (!all.ptr || (import_has_output(c, output) && !import_output(c, output, present))) return false;
  if (!g->capacity && !tcc_expr_known_equal(import_shape(c, all).dims[2], g->cache.total))
    all = tcc_build_slice_axis(&c->b, all, 2, import_size(c, 0), 1, g->cache.total);
  *x = g->bits && all.ptr ? dequantised(c, g, all, scale, elem) : all;
  return x->ptr != NULL;
}

static MlirValue normalised(ImportCall *c, MlirValue x, MlirValue weight, const char *epsilon) { /* of each head */
  double eps = onnx_float(c, epsilon, onnx_float(c, "qk_norm_epsilon", 1e-6F));
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 3)}, {"eps", tcc_attr_f64(c->ir, eps)}};
  MlirValue operands[] = {x, weight};
  return x.ptr && weight.ptr ? import_op(c, TCC_OP_RMS_NORM, operands, 2, attrs, 2) : x;
}

/* A logit of its own for each head in the softmax: a key and a value of zeros behind the others, whose mask is that logit. */
static bool add_sink(ImportCall *c, OnnxAttention *a, MlirValue sink) {
  ImportShape q = import_shape(c, a->q), k = import_shape(c, a->k), v = import_shape(c, a->v);
  const TccExpr *one = import_size(c, 1);
  const TccExpr *heads[] = {one, q.dims[1], one, one}, *full[] = {q.dims[0], q.dims[1], q.dims[2], k.dims[2]},
                *last[] = {q.dims[0], q.dims[1], q.dims[2], one};
  MlirValue mask =
      a->mask.ptr && tcc_value_elem(a->mask) == TCC_ELEM_BOOL ? onnx_additive_mask(c, a->mask, -INFINITY, q.elem) : a->mask;
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

/* The optional fourth output: scores before (1) or behind (2) the softmax. */
static bool output_scores(ImportCall *c, const OnnxCache *cache, OnnxAttention *a, bool sink) {
  int64_t shown = onnx_int(c, "qk_output", 0);
  if (shown < 1 || shown > 2) return import_invalid(c, "qk_output is %lld", (long long)shown);
  MlirValue scores = onnx_attention_scores(c, a, shown == 1 ? 2 : 3);
  if (sink) scores = onnx_columns(c, scores, import_size(c, 0), cache->total);
  if (shown == 1 && onnx_int(c, "causal", 1)) /* not -inf */
    scores = tcc_build_select(&c->b, onnx_cache_visible(c, cache, onnx_int(c, "local_window_size", -1)), scores,
                              tcc_build_scalar(&c->b, import_shape(c, a->q).elem, 0));
  return import_output(c, 3, scores);
}

/* What is asked for that there is not, and what does not fit together. */
static bool check_group_query(ImportCall *c) {
  if (!import_has_input(c, LENGTHS) || !import_has_input(c, TOTAL))
    return import_invalid(c, "seqlens_k or total_sequence_length is missing");
  if (import_has_input(c, PAST_KEY) != import_has_input(c, PAST_VALUE))
    return import_invalid(c, "a past key without a past value, or the other way round");
  if (import_has_input(c, QUERY_NORM) != import_has_input(c, KEY_NORM))
    return import_invalid(c, "q_norm_weight without k_norm_weight, or the other way round");
  if (onnx_int(c, "do_rotary", 0) && (!import_has_input(c, COS) || !import_has_input(c, SIN)))
    return import_invalid(c, "do_rotary without cos_cache and sin_cache");
  bool later = import_has_input(c, FRESH) || onnx_int(c, "sliding_window_cache", 0);
  if (later && (!import_has_input(c, PAST_KEY) || !onnx_int(c, "causal", 1)))
    return import_invalid(c, "query_seqlens or sliding_window_cache without a past, or with causal = 0");
  return true;
}

/* How many keys there were before, and how many of the new ones count. */
static bool read_counts(ImportCall *c, Grouped *g) {
  OnnxCache *cache = &g->cache;
  size_t ntotal;
  const TccExpr *const *total = import_values(c, TOTAL, &ntotal);
  if (!total) return false;
  if (ntotal != 1) return import_invalid(c, "total_sequence_length is no scalar");
  bool counted = import_has_input(c, FRESH);
  cache->total = total[0], cache->single = import_is_size(cache->batch, 1) && !counted && !onnx_int(c, "sliding_window_cache", 0);
  if (!import_assume_at_most(c, cache->steps, cache->total))
    return import_unsupported(c, "total_sequence_length '%s' with %s new ones", tcc_expr_text(c->ir->exprs, cache->total),
                              tcc_expr_text(c->ir->exprs, cache->steps));
  /* seqlens_k is one less than their number */
  MlirValue lengths = import_input(c, LENGTHS);
  if (counted) {
    g->fresh = onnx_each_row(c, import_input(c, FRESH), cache->batch);
    cache->old = binary(c, TCC_OP_SUB, binary(c, TCC_OP_ADD, onnx_each_row(c, lengths, cache->batch), integer(c, 1)), g->fresh);
    return cache->old.ptr != NULL;
  }
  cache->old = onnx_cache_count(c, cache, lengths, import_size_sub(c, cache->steps, import_size(c, 1)));
  g->fresh = binary(c, TCC_OP_MIN, tcc_build_size(&c->b, cache->steps),
                    binary(c, TCC_OP_ADD, onnx_each_row(c, lengths, cache->batch), integer(c, 1)));
  return cache->old.ptr && g->fresh.ptr;
}

/* Which keys queries see. */
static bool mask_keys(ImportCall *c, const Grouped *g, bool sink, OnnxAttention *a) {
  bool causal = onnx_int(c, "causal", 1) != 0;
  const OnnxCache *cache = g->capacity ? &g->held : &g->cache;
  a->causal = causal && cache->single && g->window <= 0 && !sink;
  if (causal && !a->causal) a->mask = onnx_cache_visible(c, cache, g->window);
  else if (!causal && !cache->single)
    a->mask = tcc_build_compare(&c->b, "le", onnx_positions(c, cache->total, 3, 4),
                                onnx_each_row(c, import_input(c, LENGTHS), cache->batch));
  MlirValue bias = bias_of_rows(c, g, import_input(c, BIAS));
  return (bias.ptr || !import_has_input(c, BIAS)) && onnx_attention_scale(c, a, false) && onnx_mask_bias(c, bias, a);
}

bool onnx_op_group_query_attention(ImportCall *c) {
  const int64_t groups = onnx_int(c, "kv_num_heads", 0);
  OnnxAttention a = {.softcap = onnx_float(c, "softcap", 0)};
  Grouped g = {.window = onnx_int(c, "local_window_size", -1)};
  if (!check_group_query(c) || !check_quantised(c, &g, groups) || !onnx_grouped_split(c, onnx_int(c, "num_heads", 0), groups, &a))
    return false;
  ImportShape q = import_shape(c, a.q);
  g.cache.batch = q.dims[0], g.cache.steps = q.dims[2];
  if (!read_counts(c, &g) || !read_window(c, &g)) return false;
  a.offset = import_size_sub(c, g.cache.total, g.cache.steps);
  a.q = normalised(c, a.q, import_input(c, QUERY_NORM), "q_norm_epsilon");
  a.k = normalised(c, a.k, import_input(c, KEY_NORM), "k_norm_epsilon");
  MlirValue at = import_has_input(c, POSITIONS) ? import_index(c, import_input(c, POSITIONS)) : none();
  if (onnx_int(c, "do_rotary", 0) && !onnx_grouped_rotate(c, &g.cache, COS, at, &a)) return false;
  if (!append(c, &g, PAST_KEY, KEY_SCALE, 1, &a.k) || !append(c, &g, PAST_VALUE, VALUE_SCALE, 2, &a.v)) return false;
  bool sink = import_has_input(c, SINK) || onnx_int(c, "smooth_softmax", 0) > 0;
  if (!mask_keys(c, &g, sink, &a) || (sink && !add_sink(c, &a, import_input(c, SINK)))) return false;
  if (import_has_output(c, 3) && !output_scores(c, &g.cache, &a, sink)) return false;
  return import_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}
