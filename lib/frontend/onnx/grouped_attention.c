/* grouped_attention.c - see grouped_attention.h. */
#include "lib/frontend/onnx/grouped_attention.h"
#include "tcc/op_kinds.h"

static MlirValue none(void) { return (MlirValue){NULL}; }

bool onnx_grouped_split(ImportCall *c, int64_t heads, int64_t groups, OnnxAttention *a) {
  MlirValue q = import_input(c, 0), k = import_input(c, 1), v = import_input(c, 2);
  ImportShape shape = import_shape(c, q);
  if (shape.rank != 3 || heads < 1 || groups < 1 || heads % groups)
    return import_invalid(c, "query must have rank 3, and num_heads be a multiple of kv_num_heads");
  if (!k.ptr != !v.ptr) return import_invalid(c, "a key without a value, or the other way round");
  if (!k.ptr) {
    const TccExpr *depth = import_divide(c, shape.dims[2], import_size(c, heads + 2 * groups));
    if (!depth) return false;
    const TccExpr *wide = import_size_mul(c, depth, import_size(c, heads)),
                  *narrow = import_size_mul(c, depth, import_size(c, groups));
    k = onnx_columns(c, q, wide, narrow);
    v = onnx_columns(c, q, import_size_add(c, wide, narrow), narrow);
    q = onnx_columns(c, q, import_size(c, 0), wide);
  }
  a->q = onnx_split_heads(c, q, heads);
  a->k = onnx_split_heads(c, k, groups);
  a->v = onnx_split_heads(c, v, groups);
  return a->q.ptr && a->k.ptr && a->v.ptr;
}

MlirValue onnx_cache_count(ImportCall *c, const OnnxCache *cache, MlirValue lengths, const TccExpr *fresh) {
  if (cache->single) return tcc_build_size(&c->b, import_size_sub(c, cache->total, cache->steps));
  /* a first prompt may be shorter than others of its batch: then none were there */
  lengths = tcc_build2(&c->b, TCC_OP_SUB, onnx_each_row(c, lengths, cache->batch), tcc_build_size(&c->b, fresh));
  return tcc_build2(&c->b, TCC_OP_MAX, lengths, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
}

MlirValue onnx_cache_places(ImportCall *c, const OnnxCache *cache) {
  const TccExpr *rows[] = {cache->single ? import_size(c, 1) : cache->batch, cache->steps};
  return tcc_build_reshape(&c->b, tcc_build2(&c->b, TCC_OP_ADD, onnx_positions(c, cache->steps, 3, 4), cache->old), 2, rows);
}

MlirValue onnx_cache_update(ImportCall *c, const OnnxCache *cache, MlirValue past, MlirValue fresh) {
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

MlirValue onnx_cache_visible(ImportCall *c, const OnnxCache *cache, int64_t window) {
  MlirValue own = tcc_build2(&c->b, TCC_OP_ADD, onnx_positions(c, cache->steps, 2, 4), cache->old),
            keys = onnx_positions(c, cache->total, 3, 4);
  MlirValue keep = tcc_build_compare(&c->b, "le", keys, own);
  return window > 0
             ? tcc_build2(&c->b, TCC_OP_AND, keep,
                          tcc_build_compare(&c->b, "gt", keys,
                                            tcc_build2(&c->b, TCC_OP_SUB, own, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, window))))
             : keep;
}

bool onnx_grouped_rotate(ImportCall *c, const OnnxCache *cache, size_t cos, MlirValue at, OnnxAttention *a) {
  for (size_t i = cos; i <= cos + 1; i++) {
    ImportShape table = import_shape(c, import_input(c, i));
    if (table.rank != 2 || !import_require_at_most(c, cache->total, table.dims[0], "positions of cos_cache and sin_cache"))
      return import_invalid(c, "cos_cache and sin_cache must be matrices with a row for each position");
  }
  if (!at.ptr) at = onnx_cache_places(c, cache);
  bool interleaved = onnx_int(c, "rotary_interleaved", 0) != 0;
  a->q = onnx_rotated(c, a->q, import_input(c, cos), import_input(c, cos + 1), at, interleaved);
  a->k = onnx_rotated(c, a->k, import_input(c, cos), import_input(c, cos + 1), at, interleaved);
  return true;
}
