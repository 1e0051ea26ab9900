/* attention_internal.h - what the files of the attention emitter share. */
#ifndef TCC_CODEGEN_ATTENTION_INTERNAL_H
#define TCC_CODEGEN_ATTENTION_INTERNAL_H
#include "lib/codegen/contract/micro.h"
#include "lib/codegen/emit/view.h"

/* Tensor numbers in the spans. Keys and values that the kernel joins are results of it, each of two parts. */
enum { ATT_Q, ATT_K, ATT_V, ATT_R, ATT_MASK, ATT_K_PARTS, ATT_V_PARTS = ATT_K_PARTS + 2, ATT_TENSORS = ATT_V_PARTS + 2 };
typedef enum { MASK_NONE, MASK_KEYS /* the same for all queries */, MASK_BLOCK } MaskForm;

typedef struct {
  TccIr *ir;
  MlirOperation op;
  TccMicroType type;
  TccView view[ATT_TENSORS];
  TccSpan heads, kv_heads;             /* [B, H] of q, r, mask; [B, G] of k, v */
  TccSpan queries, keys, depth, width; /* S, T, D, E */
  bool joins;                          /* keys and values are written, from two parts each */
  TccSpan part_keys[2];                /* of the parts, along T */
  const TccExpr *nheads, *ngroups;
  int64_t repeat; /* H / G */
  double scale, softcap;
  bool causal, zero_masked;
  bool stacked; /* one query for each head: heads of a group stand in for queries */
  const TccExpr *offset;
  MaskForm mask;
  /* schedule */
  int rows, vectors, panels; /* register tile; panels of queries in a tile */
  int64_t nr, block;         /* queries in a panel; keys in a block */
  int64_t d, e, e_padded, lda;
  bool one_block;        /* all keys: nothing is summed up or rescaled */
  int fetches;           /* lines that a step of the second product fetches; 0: none */
  int64_t ahead_columns; /* entries of the table of what is fetched */
} Attention;

enum { ATTENTION_VERSION = 5 }; /* of the emitter: part of the key of every record */
enum { MOST_PANELS = 16, MOST_DEPTH = 4096 /* of a head */, MOST_QUERIES = 8 /* of attention_decode.c */ };
/* Reads a kernel of kind "attention", all but the schedule (attention_plan). */
TccStatus *attention_read(TccIr *ir, const TccMachine *machine, MlirOperation kernel, Attention *a) TCC_CHECKED;

/* The functions on one panel; names are fixed: "weigh", "spread_mask", "finish". */
typedef struct {
  TccVal s, max, sum, o, mask, kcount, q0, t0, head;
} WeighCall;
TccStatus *attention_weigh_emit(TccKernelEmit *k, const Attention *a);
void attention_weigh_call(TccKernelEmit *k, const WeighCall *call);
typedef struct {
  TccVal dst, square, head, q0, count, t0, kcount;
} SpreadCall;
void attention_spread_emit(TccKernelEmit *k, const Attention *a);
void attention_spread_call(TccKernelEmit *k, const SpreadCall *call);
typedef struct {
  TccVal o, sum, scratch, head, q0, count;
} FinishCall;
void attention_finish_emit(TccKernelEmit *k, const Attention *a);
void attention_finish_call(TccKernelEmit *k, const FinishCall *call);

/* attention_product.c: function `name`(a, b, c, k[, fetched, step]): c[rows][nr] = or += a[rows][k] b[k][nr]. a: rows `lda` and steps of k
 * `k_stride` elements apart. fetches: lines that each step fetches at `fetched`, which moves by `step` bytes; 0: no such parameters. */
void attention_product_emit(TccEmit *e, const char *name, const Attention *a, int64_t lda, int64_t k_stride, bool accumulate,
                            int fetches);

/* attention_ahead.c: sets fetches and ahead_columns; "ahead" fills the table for the tile and block that come next. */
typedef struct {
  TccVal table, head, kv_head, q0, t0, kcount;
} AheadCall;
void attention_ahead_plan(Attention *a);
void attention_ahead_emit(TccKernelEmit *k, const Attention *a);
void attention_ahead_call(TccKernelEmit *k, const AheadCall *call);

/* A mask element as a summand of the score: bool is 0 or -inf. */
TccVal attention_summand(TccEmit *e, TccElem from, TccElem acc, int lanes, TccVal v);
TccStatus *attention_cap(TccEmit *e, const char *type, double cap, TccVal *x) TCC_CHECKED;
TccStatus *attention_power_of_two(TccEmit *e, const char *type, TccVal x, TccVal *out) TCC_CHECKED; /* 2^x for x <= 0 */

/* One query, or one for each head of a group, and rows that lie in one piece: attention_decode.c emits the whole kernel. */
static inline int64_t attention_padded_queries(int64_t queries) { /* that share a vector of scores */
  int64_t padded = 1;
  while (padded < queries) padded *= 2;
  return padded;
}
bool attention_decodes(const Attention *a);
TccStatus *attention_decode_emit(TccKernelEmit *k, const Attention *a, const TccExpr **out_tiles,
                                 const TccExpr **out_scratch) TCC_CHECKED;
#endif
