/* attention_internal.h - what the files of the attention emitter share. */
#ifndef TCC_CODEGEN_ATTENTION_INTERNAL_H
#define TCC_CODEGEN_ATTENTION_INTERNAL_H
#include "lib/codegen/emit/view_emit.h"
#include "lib/codegen/read/attention.h"
#include "lib/targets/x86/contract/micro.h"

enum {
  ATT_Q = TCC_ATTENTION_Q,
  ATT_K = TCC_ATTENTION_K,
  ATT_V = TCC_ATTENTION_V,
  ATT_R = TCC_ATTENTION_R,
  ATT_MASK = TCC_ATTENTION_MASK,
  ATT_L = TCC_ATTENTION_L,
  ATT_K_PARTS = TCC_ATTENTION_K_PARTS,
  ATT_V_PARTS = TCC_ATTENTION_V_PARTS
};

/* The schedule, and what follows from it. */
typedef struct {
  TccMicroType type;
  int rows, vectors, panels; /* register tile; panels of queries in a tile */
  int64_t nr, block;         /* queries in a panel; keys in a block */
  int64_t e_padded, lda;
  bool tiles;               /* bf16 by AMX: attention_tiles.c */
  TccMicroType tile;        /* then: of both products; */
  int64_t d_padded, ldv;    /* numbers of a key; of a column of values, from one to the next */
  bool one_block;           /* all keys: nothing is summed up or rescaled */
  int prefetches;           /* lines that a step of the second product prefetches; 0: none */
  int64_t prefetch_columns; /* entries of the table of what is prefetched */
} AttentionPlan;

/* Its emission has no state but that of the functions being written. */
typedef struct {
  TccAttention read;
  AttentionPlan plan; /* valid after attention_plan */
} Attention;

enum { ATTENTION_VERSION = 7 }; /* of the emitter: part of the key of every record */
enum { MOST_PANELS = 16, MOST_DEPTH = 4096 /* of a head */, MOST_QUERIES = 8 /* of attention_decode.c */ };

/* Rows of a tensor that a function is told of where they are one axis (is_even), so that its code does not depend on the tensor's layout: where row `first` of a
 * head begins, how many bytes rows lie apart. rows NULL: where the head begins. */
typedef struct {
  TccVal first, apart;
} AttentionRows;
bool attention_is_even(const TccSpan *rows);
AttentionRows attention_rows(TccKernelEmit *k, const Attention *a, int tensor, const TccSpan *heads, TccVal head,
                             const TccSpan *rows, TccVal first);

/* The functions on one panel; names are fixed: "weigh", "spread_mask", "epilogue", "log_sums". */
typedef struct {
  TccVal s, max, sum, o, mask, kcount, q0, t0, head;
} WeighCall;
TccStatus *attention_weigh_emit(TccKernelEmit *k, const Attention *a);
void attention_weigh_call(TccKernelEmit *k, const Attention *a, const WeighCall *call);
typedef struct {
  TccVal dst, square, head, q0, count, t0, kcount;
} SpreadCall;
void attention_spread_emit(TccKernelEmit *k, const Attention *a);
void attention_spread_call(TccKernelEmit *k, const Attention *a, const SpreadCall *call);
typedef struct {
  TccVal o, sum, scratch, head, q0, count;
} AttentionEpilogueCall;
void attention_epilogue_emit(TccKernelEmit *k, const Attention *a);
void attention_epilogue_call(TccKernelEmit *k, const Attention *a, const AttentionEpilogueCall *call);

/* Logarithms of the sums of all weights e^score, as L has them. */
typedef struct {
  TccVal max, sum, scratch, head, q0, count;
} LogSumsCall;
TccStatus *attention_log_sums_emit(TccKernelEmit *k, const Attention *a) TCC_CHECKED;
void attention_log_sums_call(TccKernelEmit *k, const LogSumsCall *call);

/* attention_product.c: function `name`(a, b, c, k[, prefetched, step]): c[rows][nr] = or += a[rows][k] b[k][nr]. a: rows `lda` and steps of k
 * `k_stride` elements apart. prefetches: lines that each step prefetches at `prefetched`, which moves by `step` bytes; 0: no such parameters. */
void attention_product_emit(TccEmit *e, const char *name, const Attention *a, int64_t lda, int64_t k_stride, bool accumulate,
                            int prefetches);

/* attention_tiles.c: the same in AMX tile registers. keys: rows of lda numbers, values: columns of ldv; queries and weights: packed panels. */
enum { ATTENTION_TILE_ROWS = 2 * TCC_TILE_ROWS, ATTENTION_TILE_KEYS = 2 * TCC_TILE_K_GROUPS };
bool attention_tiles_fit(TccIr *ir, const TccMachine *machine, MlirOperation kernel, const Attention *a);
void attention_tiles_emit(TccKernelEmit *k,
                          const Attention *a); /* all functions but those of the softmax; "pack_queries" among them */
typedef struct {
  TccVal keys, values, head, t0, count;
} TilesCopy;
void attention_tiles_copy(TccKernelEmit *k, const Attention *a, const TilesCopy *copy);
void attention_tiles_scores(TccEmit *e, const Attention *a, TccVal keys, TccVal queries, TccVal s, TccVal count);
void attention_tiles_result(TccEmit *e, const Attention *a, TccVal values, TccVal weights, TccVal s, TccVal o, TccVal count);

/* attention_prefetch.c: sets prefetches and prefetch_columns; "prefetch" fills the table for the tile and block that come next. */
typedef struct {
  TccVal table, head, kv_head, q0, t0, kcount;
} PrefetchCall;
void attention_prefetch_plan(Attention *a);
void attention_prefetch_emit(TccKernelEmit *k, const Attention *a);
void attention_prefetch_call(TccKernelEmit *k, const PrefetchCall *call);

/* A mask element as a summand of the score: bool is 0 or -inf. */
TccVal attention_summand(TccEmit *e, TccElem from, TccElem acc, int lanes, TccVal v);
TccStatus *attention_cap(TccEmit *e, const char *type, double cap, TccVal *x) TCC_CHECKED;
/* What a row's results are divided by. Where there are no keys at all they are 0; where there are, but none is visible, 0 / 0. */
TccVal attention_divisor(TccKernelEmit *k, const Attention *a, const char *type, TccVal sum);
TccStatus *attention_power_of_two(TccEmit *e, const char *type, TccVal x, TccVal *out) TCC_CHECKED; /* 2^x for x <= 0 */
/* L of `count` queries, those of one vector at most, from q0 on: base + ln(sum). to: where the head's begin. */
TccStatus *attention_store_log_sums(TccKernelEmit *k, const Attention *a, TccVal to, TccVal base, TccVal sum, TccVal q0,
                                    TccVal count, TccVal scratch) TCC_CHECKED;

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
