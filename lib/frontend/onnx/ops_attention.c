/* ops_attention.c - Attention, FlexAttention and RotaryEmbedding of opset 23 and later, on [batch, heads, sequence, size].
 *
 * Attention is kept whole: the cache is joined in front of k and v, masks become one operand. Only qk_matmul_output, which
 * shows what is inside, is written out beside it. */
#include "lib/frontend/onnx/ops_attention.h"
#include "tcc/op_kinds.h"
#include <math.h>

MlirValue onnx_split_heads(ImportCall *c, MlirValue x, int64_t heads) {
  static const int64_t perm[] = {0, 2, 1, 3};
  ImportShape shape = import_shape(c, x);
  if (shape.rank == 4) return x;
  if (shape.rank != 3 || heads < 1) {
    import_invalid(c, "rank %d with %lld heads", shape.rank, (long long)heads);
    return (MlirValue){NULL};
  }
  const TccExpr *depth = import_divide(c, shape.dims[2], import_size(c, heads));
  if (!depth) return (MlirValue){NULL};
  const TccExpr *dims[] = {shape.dims[0], shape.dims[1], import_size(c, heads), depth};
  return tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, x, 4, dims), perm);
}

MlirValue onnx_join_heads(ImportCall *c, MlirValue x) {
  static const int64_t perm[] = {0, 2, 1, 3};
  ImportShape shape = import_shape(c, x);
  if (!x.ptr) return x;
  const TccExpr *dims[] = {shape.dims[0], shape.dims[2], import_size_mul(c, shape.dims[1], shape.dims[3])};
  return tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, x, perm), 3, dims);
}

MlirValue onnx_positions(ImportCall *c, const TccExpr *size, int axis, int rank) {
  const TccExpr *dims[4];
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? size : import_size(c, 1);
  return tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, size), rank, dims);
}

MlirValue onnx_join_masks(ImportCall *c, MlirValue a, MlirValue b, TccElem elem) {
  if (!a.ptr || !b.ptr) return a.ptr ? a : b;
  if (tcc_value_elem(a) == TCC_ELEM_BOOL && tcc_value_elem(b) == TCC_ELEM_BOOL) return tcc_build2(&c->b, TCC_OP_AND, a, b);
  MlirValue infinity = tcc_build_scalar(&c->b, elem, -INFINITY), zero = tcc_build_scalar(&c->b, elem, 0);
  if (tcc_value_elem(a) == TCC_ELEM_BOOL) a = tcc_build_select(&c->b, a, zero, infinity);
  if (tcc_value_elem(b) == TCC_ELEM_BOOL) b = tcc_build_select(&c->b, b, zero, infinity);
  return tcc_build2(&c->b, TCC_OP_ADD, a, b);
}

/* A mask shorter than the keys: what it leaves out is masked. */
static MlirValue padded_mask(ImportCall *c, MlirValue mask, const TccExpr *keys) {
  ImportShape shape = import_shape(c, mask);
  if (!mask.ptr || shape.rank < 1 || tcc_expr_known_equal(shape.dims[shape.rank - 1], keys) ||
      import_is_size(shape.dims[shape.rank - 1], 1))
    return mask;
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) low[i] = high[i] = import_size(c, 0);
  high[shape.rank - 1] = import_size_sub(c, keys, shape.dims[shape.rank - 1]);
  MlirValue off = tcc_build_scalar(&c->b, shape.elem, shape.elem == TCC_ELEM_BOOL ? 0 : -INFINITY);
  return tcc_build_pad(&c->b, mask, off, low, high, "constant");
}

bool onnx_attention_scale(ImportCall *c, OnnxAttention *a, bool zero) {
  ImportShape q = import_shape(c, a->q);
  int64_t depth;
  if (q.rank != 4) return false;
  if (!import_fix_size(c, q.dims[3], &depth)) return false;
  if (depth < 1) return import_invalid(c, "heads without elements");
  a->scale = onnx_float(c, "scale", 0);
  if (!onnx_has_attribute(c, "scale") || (!zero && a->scale == 0)) a->scale = 1 / sqrt((double)depth);
  return true;
}

MlirValue onnx_attention(ImportCall *c, const OnnxAttention *a) {
  TccNamedAttr attrs[] = {{"scale", tcc_attr_f64(c->ir, a->scale)},
                          {"causal", tcc_attr_bool(c->ir, a->causal)},
                          {"softcap", tcc_attr_f64(c->ir, a->softcap > 0 ? a->softcap : 0)}, /* a negative one is none */
                          {"offset", tcc_attr_exprs(c->ir, &a->offset, 1)}};
  MlirValue operands[] = {a->q, a->k, a->v, a->mask};
  return a->q.ptr && a->k.ptr && a->v.ptr ? import_op(c, TCC_OP_ATTENTION, operands, 4, attrs, a->causal ? 4 : 3)
                                          : (MlirValue){NULL};
}

/* Keys or values [B, N, T, D] with each head repeated for the query heads that share it: [B, heads, T, D]. */
static MlirValue repeat_heads(ImportCall *c, MlirValue x, const TccExpr *query_heads) {
  ImportShape shape = import_shape(c, x);
  int64_t heads, groups;
  if (!import_fix_size(c, query_heads, &heads) || !import_fix_size(c, shape.dims[1], &groups)) return (MlirValue){NULL};
  if (groups < 1 || heads % groups) {
    import_invalid(c, "heads of q and k do not fit");
    return (MlirValue){NULL};
  }
  if (heads == groups) return x;
  const TccExpr *one[] = {shape.dims[0], shape.dims[1], import_size(c, 1), shape.dims[2], shape.dims[3]},
                *each[] = {shape.dims[0], shape.dims[1], import_size(c, heads / groups), shape.dims[2], shape.dims[3]};
  const TccExpr *flat[] = {shape.dims[0], query_heads, shape.dims[2], shape.dims[3]};
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, x, 5, one), 5, each), 4, flat);
}

MlirValue onnx_attention_scores(ImportCall *c, const OnnxAttention *a, int64_t mode) {
  static const int64_t swap[] = {0, 1, 3, 2};
  ImportShape q = import_shape(c, a->q), k = import_shape(c, a->k);
  MlirValue keys = repeat_heads(c, a->k, q.dims[1]);
  MlirValue x = tcc_build2_number(&c->b, TCC_OP_MUL, tcc_build2(&c->b, TCC_OP_MATMUL, a->q, tcc_build_transpose(&c->b, keys, swap)),
                                  a->scale);
  if (mode >= 1 && a->softcap > 0)
    x = tcc_build2_number(&c->b, TCC_OP_MUL, tcc_build1(&c->b, TCC_OP_TANH, tcc_build2_number(&c->b, TCC_OP_DIV, x, a->softcap)),
                          a->softcap);
  if (mode >= 2) {
    MlirValue mask = a->mask;
    if (a->causal) {
      MlirValue last = tcc_build2(&c->b, TCC_OP_ADD, onnx_positions(c, q.dims[2], 0, 2), tcc_build_size(&c->b, a->offset));
      mask = onnx_join_masks(c, mask, tcc_build_compare(&c->b, "le", onnx_positions(c, k.dims[2], 1, 2), last), q.elem);
    }
    if (mask.ptr && tcc_value_elem(mask) == TCC_ELEM_BOOL)
      x = tcc_build_select(&c->b, mask, x, tcc_build_scalar(&c->b, q.elem, -INFINITY));
    else if (mask.ptr) x = tcc_build2(&c->b, TCC_OP_ADD, x, mask);
  }
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 3)};
  return mode == 3 && x.ptr ? import_op(c, TCC_OP_SOFTMAX, &x, 1, &axis, 1) : x;
}

bool onnx_attention_past(ImportCall *c, size_t key, OnnxAttention *a) {
  if (import_has_input(c, key) != import_has_input(c, key + 1))
    return import_invalid(c, "a past key without a past value, or the other way round");
  if (!import_has_input(c, key)) return true;
  MlirValue keys[] = {import_input(c, key), a->k}, values[] = {import_input(c, key + 1), a->v};
  ImportShape past = import_shape(c, keys[0]);
  if (past.rank != 4) return import_invalid(c, "past_key must have rank 4");
  a->k = tcc_build_concat(&c->b, keys, 2, 2);
  a->v = tcc_build_concat(&c->b, values, 2, 2);
  a->offset = past.dims[2];
  return true;
}

bool onnx_op_attention(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  bool joined = import_shape(c, import_input(c, 0)).rank == 3;
  OnnxAttention a = {.mask = import_input(c, 3),
                     .softcap = onnx_float(c, "softcap", 0),
                     .causal = onnx_int(c, "is_causal", 0) != 0,
                     .offset = import_size(c, 0)};
  a.q = onnx_split_heads(c, import_input(c, 0), onnx_int(c, "q_num_heads", 0));
  a.k = onnx_split_heads(c, import_input(c, 1), onnx_int(c, "kv_num_heads", 0));
  a.v = onnx_split_heads(c, import_input(c, 2), onnx_int(c, "kv_num_heads", 0));
  if (!a.q.ptr || !a.k.ptr || !a.v.ptr) return false;
  if (!onnx_attention_past(c, 4, &a)) return false;
  ImportShape q = import_shape(c, a.q), k = import_shape(c, a.k);
  if (k.rank != 4 || !onnx_attention_scale(c, &a, true)) return false;
  if (a.mask.ptr && tcc_value_elem(a.mask) != TCC_ELEM_BOOL) a.mask = tcc_build_convert(&c->b, a.mask, q.elem);
  if (a.mask.ptr && !(a.mask = padded_mask(c, a.mask, k.dims[2])).ptr) return false;
  if (import_has_input(c, 6)) { /* keys that are padding, a row of the batch */
    const TccExpr *dims[] = {q.dims[0], import_size(c, 1), import_size(c, 1), import_size(c, 1)};
    MlirValue lengths = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, import_input(c, 6), TCC_ELEM_I64), 4, dims);
    a.mask = onnx_join_masks(c, a.mask, tcc_build_compare(&c->b, "lt", onnx_positions(c, k.dims[2], 3, 4), lengths), q.elem);
    if (!a.mask.ptr) return false;
  }
  MlirValue y = onnx_attention(c, &a);
  if (import_has_output(c, 1) && !import_output(c, 1, a.k)) return false;
  if (import_has_output(c, 2) && !import_output(c, 2, a.v)) return false;
  if (import_has_output(c, 3) && !import_output(c, 3, onnx_attention_scores(c, &a, onnx_int(c, "qk_matmul_output_mode", 0))))
    return false;
  return import_output(c, 0, joined ? onnx_join_heads(c, y) : y);
}

/* ---- FlexAttention ---- */
/* x as the node's subgraph `name` changes it, which keeps its type; x itself where the node has none. */
static MlirValue modified(ImportCall *c, const char *name, MlirValue x) {
  ImportValue in = {.kind = IMPORT_TENSOR, .tensor = x}, out = {.kind = IMPORT_ABSENT};
  if (!x.ptr || !onnx_has_attribute(c, name)) return x;
  const TccOnnxGraph *graph = onnx_graph(c, name);
  if (!graph || !onnx_subgraph(c, graph, &in, 1, &out, 1)) return (MlirValue){NULL};
  if (out.kind != IMPORT_TENSOR) import_invalid(c, "%s gives no tensor", name);
  else if (import_same_type(c, x, out.tensor, "what a subgraph takes and gives")) return out.tensor;
  return (MlirValue){NULL};
}

/* Without subgraphs it is an attention. Otherwise softmax(score_mod(q k^T * scale)) goes through prob_mod, all in softmax_precision. */
bool onnx_op_flex_attention(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  OnnxAttention a = {.q = import_input(c, 0), .k = import_input(c, 1), .v = import_input(c, 2), .offset = import_size(c, 0)};
  ImportShape q = import_shape(c, a.q), k = import_shape(c, a.k), v = import_shape(c, a.v);
  if (q.rank != 4 || k.rank != 4 || v.rank != 4) return import_invalid(c, "Q, K and V must have rank 4");
  const TccExpr *keys[] = {q.dims[0], NULL, NULL, q.dims[3]}, *values[] = {q.dims[0], k.dims[1], k.dims[2], NULL};
  if (!import_require_shape(c, &k, 4, keys, "K") || !import_require_shape(c, &v, 4, values, "V")) return false;
  TccElem usual = tcc_elem_accumulator(q.elem), precision = onnx_elem(c, "softmax_precision", usual);
  if (!precision || !onnx_attention_scale(c, &a, true)) return false;
  if (!tcc_elem_is_float(precision)) return import_invalid(c, "softmax_precision is no float type");
  if (precision == usual && !onnx_has_attribute(c, "score_mod") && !onnx_has_attribute(c, "prob_mod"))
    return import_output(c, 0, onnx_attention(c, &a));
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 3)};
  MlirValue x = modified(c, "score_mod", tcc_build_convert(&c->b, onnx_attention_scores(c, &a, 0), precision));
  x = modified(c, "prob_mod", x.ptr ? import_op(c, TCC_OP_SOFTMAX, &x, 1, &axis, 1) : x);
  if (!x.ptr) return false;
  MlirValue mixed = tcc_build2(&c->b, TCC_OP_MATMUL, x, tcc_build_convert(&c->b, repeat_heads(c, a.v, q.dims[1]), precision));
  return import_output(c, 0, tcc_build_convert(&c->b, mixed, q.elem));
}

/* cos and sin: tables [positions, D/2] with position_ids [B, S], else [B, S, D/2]. */
bool onnx_op_rotary(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  bool joined = import_shape(c, import_input(c, 0)).rank == 3;
  MlirValue operands[] = {onnx_split_heads(c, import_input(c, 0), onnx_int(c, "num_heads", 0)), import_input(c, 1),
                          import_input(c, 2)};
  for (int i = 1; i < 3; i++) {
    if (import_has_input(c, 3))
      operands[i] = import_gather_valid(c, operands[i], import_index(c, import_input(c, 3)), 0, TCC_VALID_SIGNED);
    if (import_shape(c, operands[i]).rank != 3) return import_invalid(c, "the caches do not fit position_ids");
    operands[i] = import_unsqueeze(c, operands[i], 1);
  }
  TccNamedAttr attrs[] = {{"interleaved", tcc_attr_bool(c->ir, onnx_int(c, "interleaved", 0) != 0)},
                          {"rotary_dim", tcc_attr_i64(c->ir, onnx_int(c, "rotary_embedding_dim", 0))}};
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return false;
  MlirValue y = import_op(c, TCC_OP_ROTARY_EMBEDDING, operands, 3, attrs, 2);
  return import_output(c, 0, joined ? onnx_join_heads(c, y) : y);
}
