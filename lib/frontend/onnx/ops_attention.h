/* ops_attention.h - what ONNX's attention and onnxruntime's share: heads, masks, the op itself. Null values in, null values out. */
#ifndef TCC_ONNX_OPS_ATTENTION_H
#define TCC_ONNX_OPS_ATTENTION_H
#include "lib/frontend/onnx/ops.h"

/* q [B, H, S, D], k [B, G, T, D], v [B, G, T, E]; mask may be null, else bool or of q's element type, broadcast to [B, H, S, T];
 * offset: keys that stand before the first query's own. */
typedef struct {
  MlirValue q, k, v, mask;
  double scale, softcap;
  bool causal;
  const TccExpr *offset;
} OnnxAttention;

/* [B, S, heads * D] -> [B, heads, S, D]; rank 4 as it is. heads: 0 if not given. Null and a reason if they do not fit. */
MlirValue onnx_split_heads(ImportCall *c, MlirValue x, int64_t heads);
MlirValue onnx_join_heads(ImportCall *c, MlirValue x);                            /* and back */
MlirValue onnx_positions(ImportCall *c, const TccExpr *size, int axis, int rank); /* 0, 1, ... as i64 along axis, at most 4 axes */
/* Two masks in one; either may be null. Bool ones are joined by and, else both become additive ones of elem. */
MlirValue onnx_join_masks(ImportCall *c, MlirValue a, MlirValue b, TccElem elem);
/* The scale that the attribute gives, or 1 / sqrt(D), where 0 counts as given if `zero`. False and a reason where D is symbolic. */
bool onnx_attention_scale(ImportCall *c, OnnxAttention *a, bool zero);
MlirValue onnx_attention(ImportCall *c, const OnnxAttention *a); /* [B, H, S, E] */
/* The scores at a stage: 0 products times scale, 1 capped, 2 with the mask, 3 softmax. */
MlirValue onnx_attention_scores(ImportCall *c, const OnnxAttention *a, int64_t mode);
/* Puts the past in front of a->k and a->v where inputs `key` and the next one, [B, N, P, D], give it: a->offset becomes P. */
bool onnx_attention_past(ImportCall *c, size_t key, OnnxAttention *a);
MlirValue onnx_additive_mask(ImportCall *c, MlirValue keep, double value, TccElem elem); /* 0 where keep, else value: in elem */
/* One number for each row of the batch, [B, 1, 1, 1] of i64. */
MlirValue onnx_each_row(ImportCall *c, MlirValue x, const TccExpr *batch);
/* Adds attention_bias, which may be null, to a->mask. */
bool onnx_mask_bias(ImportCall *c, MlirValue bias, OnnxAttention *a);
/* Columns start to start + size of the last axis. */
MlirValue onnx_columns(ImportCall *c, MlirValue x, const TccExpr *start, const TccExpr *size);
/* x [B, N, S, D] rotated by the rows of the tables [positions, D/2] that `at`, [B or 1, S], names. */
MlirValue onnx_rotated(ImportCall *c, MlirValue x, MlirValue cos, MlirValue sin, MlirValue at, bool interleaved);
#endif
