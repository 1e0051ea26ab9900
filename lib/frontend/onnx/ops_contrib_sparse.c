/* ops_contrib_sparse.c - onnxruntime's SparseAttention: attention of groups of heads, each of which sees the keys of some blocks alone. */
#include "lib/frontend/onnx/grouped_attention.h"
#include "tcc/op_kinds.h"

static MlirValue none(void) { return (MlirValue){NULL}; }

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
static MlirValue seen_blocks(ImportCall *c, const Blocks *of, const OnnxCache *cache, MlirValue layouts, int64_t heads) {
  MlirValue size = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, of->size);
  MlirValue query = tcc_build2(&c->b, TCC_OP_DIV, onnx_cache_places(c, cache), size),
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

static bool read_blocks(ImportCall *c, const OnnxCache *cache, int64_t heads, Blocks *out) {
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
  for (size_t i = ONNX_GROUPED_PAST_KEY; i <= SPARSE_LENGTHS; i++)
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
  if (!onnx_grouped_split(c, heads, onnx_int(c, "kv_num_heads", 0), &a)) return false;
  size_t ntotal;
  const TccExpr *const *total = import_values(c, SPARSE_TOTAL, &ntotal);
  if (!total) return false;
  if (ntotal != 1) return import_invalid(c, "total_sequence_length is no scalar");
  ImportShape q = import_shape(c, a.q), past = import_shape(c, import_input(c, ONNX_GROUPED_PAST_KEY));
  OnnxCache cache = {.batch = q.dims[0], .steps = q.dims[2], .total = total[0], .single = import_is_size(q.dims[0], 1)};
  Blocks blocks;
  if (past.rank != 4) return import_invalid(c, "a cache of rank %d", past.rank);
  if (!import_require_at_most(c, cache.steps, cache.total, "total_sequence_length") ||
      !import_require_at_most(c, cache.total, past.dims[2], "total_sequence_length") || !read_blocks(c, &cache, heads, &blocks))
    return false;
  cache.old = onnx_cache_count(c, &cache, import_input(c, SPARSE_LENGTHS), cache.steps);
  if (onnx_int(c, "do_rotary", 0) && !onnx_grouped_rotate(c, &cache, SPARSE_COS, none(), &a)) return false;
  a.k = onnx_cache_update(c, &cache, import_input(c, ONNX_GROUPED_PAST_KEY), a.k);
  a.v = onnx_cache_update(c, &cache, import_input(c, ONNX_GROUPED_PAST_VALUE), a.v);
  if (!a.k.ptr || !a.v.ptr || !import_output(c, 1, a.k) || !import_output(c, 2, a.v)) return false;
  a.k = tcc_build_slice_axis(&c->b, a.k, 2, import_size(c, 0), 1, cache.total);
  a.v = tcc_build_slice_axis(&c->b, a.v, 2, import_size(c, 0), 1, cache.total);
  MlirValue layouts = block_layouts(c, &blocks, import_input(c, BLOCK_ROWS), import_input(c, BLOCK_COLUMNS));
  MlirValue seen = layouts.ptr ? seen_blocks(c, &blocks, &cache, layouts, heads) : none();
  if (!seen.ptr) return false;
  a.mask = onnx_join_masks(c, onnx_cache_visible(c, &cache, -1), seen, q.elem);
  return onnx_attention_scale(c, &a, false) && import_output(c, 0, onnx_join_heads(c, onnx_attention(c, &a)));
}
