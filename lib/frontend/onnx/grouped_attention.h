/* grouped_attention.h - attention of groups of heads over caches of keys and values: what GroupQueryAttention and SparseAttention share.
 *
 * A cache may be a buffer longer than what it holds. Its own size decides nothing: new keys are scattered to
 * where each row's old ones end, and the rows after total_sequence_length are left out. Where batch 1 and the cache's size say that
 * they end with it, they are joined. */
#ifndef TCC_ONNX_GROUPED_ATTENTION_H
#define TCC_ONNX_GROUPED_ATTENTION_H
#include "lib/frontend/onnx/ops_attention.h"

typedef struct {
  const TccExpr *batch, *steps, *total; /* sizes: rows, new keys of each, all keys of the longest */
  bool single;                          /* batch 1: its old keys are total - steps, no data */
  MlirValue old;                        /* [B, 1, 1, 1] of i64: how many keys of each row there were before */
} OnnxCache;
enum { ONNX_GROUPED_PAST_KEY = 3, ONNX_GROUPED_PAST_VALUE };

/* The first three inputs, or the first one as all of them side by side, as heads in a->q, a->k and a->v. */
bool onnx_grouped_split(ImportCall *c, int64_t heads, int64_t groups, OnnxAttention *a);
/* How many keys there were before of each row of the batch: its length less the new ones. */
MlirValue onnx_cache_count(ImportCall *c, const OnnxCache *cache, MlirValue lengths, const TccExpr *fresh);
/* Places of the new keys, which are those of the queries: [B or 1, S]. */
MlirValue onnx_cache_places(ImportCall *c, const OnnxCache *cache);
/* The cache after this step, [B, G, max(P, total), D]: fresh, [B, G, S, D], stands behind each row's old keys. past: null where there was none. */
MlirValue onnx_cache_update(ImportCall *c, const OnnxCache *cache, MlirValue past, MlirValue fresh);
/* What each query may see, [B or 1, 1, S, T]: keys up to its own, the last `window` of them if that is positive. */
MlirValue onnx_cache_visible(ImportCall *c, const OnnxCache *cache, int64_t window);
/* Queries and keys by the tables that inputs `cos` and the next one are, which have a row for each position. at: [B or 1, S]; null: their places. */
bool onnx_grouped_rotate(ImportCall *c, const OnnxCache *cache, size_t cos, MlirValue at, OnnxAttention *a);
#endif
