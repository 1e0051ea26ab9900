/* attention.h - kernels around one attention op, r = softmax(cap(q k^T scale) + mask) v, around one that gives the logarithms of its sums, or
 * both of the same scores: heads, queries, keys and the two depths as spans of axes. */
#ifndef TCC_CODEGEN_READ_ATTENTION_H
#define TCC_CODEGEN_READ_ATTENTION_H
#include "lib/codegen/read/view.h"

/* Tensor numbers in the spans. Keys and values that the kernel joins are results of it, each of two parts. */
enum {
  TCC_ATTENTION_Q,
  TCC_ATTENTION_K,
  TCC_ATTENTION_V,
  TCC_ATTENTION_R,
  TCC_ATTENTION_MASK,
  TCC_ATTENTION_L, /* logarithms of the sums */
  TCC_ATTENTION_K_PARTS,
  TCC_ATTENTION_V_PARTS = TCC_ATTENTION_K_PARTS + 2,
  TCC_ATTENTION_TENSORS = TCC_ATTENTION_V_PARTS + 2
};
typedef enum {
  TCC_ATTENTION_MASK_NONE,
  TCC_ATTENTION_MASK_KEYS /* the same for all queries */,
  TCC_ATTENTION_MASK_BLOCK
} TccAttentionMask;

typedef struct {
  TccIr *ir;
  MlirOperation op;              /* whose q, k, mask and attributes these are */
  bool gives_result, gives_sums; /* R and L, of which there is one at least; without R there is no V, and e is 0 */
  TccView view[TCC_ATTENTION_TENSORS];
  TccSpan heads, kv_heads;             /* [B, H] of q, r, mask; [B, G] of k, v */
  TccSpan queries, keys, depth, width; /* S, T, D, E */
  int64_t d, e;                        /* sizes of depth and width */
  bool joins;                          /* keys and values are written, from two parts each */
  TccSpan part_keys[2];                /* of the parts, along T */
  const TccExpr *nheads, *ngroups;
  int64_t repeat; /* H / G */
  double scale, softcap;
  bool causal, zero_masked;
  bool stacked; /* one query for each head: heads of a group stand in for queries */
  const TccExpr *offset;
  TccAttentionMask mask;
} TccAttention;

/* Whether sizes and types are those that an emitter can take: equal batches, whole groups of heads, depths that are known numbers up to
 * most_depth, a mask that broadcasts. */
bool tcc_attention_takes(TccIr *ir, MlirOperation op, int64_t most_depth); /* either op */
/* TCC_UNSUPPORTED if an operand is no strided view, a head's dimensions or the heads of a group are no known numbers. */
TccStatus *tcc_attention_read(TccIr *ir, MlirOperation kernel, TccAttention *out) TCC_CHECKED;
#endif
