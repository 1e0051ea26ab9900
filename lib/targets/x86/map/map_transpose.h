/* map_transpose.h - transposes: copies whose neighbours in memory lie along another dim than the result's. */
#ifndef TCC_CODEGEN_MAP_TRANSPOSE_H
#define TCC_CODEGEN_MAP_TRANSPOSE_H
#include "lib/codegen/emit/pull_emit.h"

typedef enum {
  TCC_TRANSPOSE_NONE,
  TCC_TRANSPOSE_REGISTERS,    /* both sides are long enough for blocks in registers */
  TCC_TRANSPOSE_SCRATCH,      /* any sizes: lanes x lanes elements in scratch, masked */
  TCC_TRANSPOSE_INTERLEAVE,   /* a few long rows become the short last dim: three planes of an image to pixels */
  TCC_TRANSPOSE_DEINTERLEAVE, /* the other way */
} TccTransposeKind;

typedef struct {
  TccTransposeKind kind;
  int bits;         /* of an element */
  int lanes;        /* of a vector: of a store */
  int few;          /* INTERLEAVE, DEINTERLEAVE: size of the short dim */
  int repeated;     /* INTERLEAVE: rows of the result, one behind the other, that are the same one */
  bool streams;     /* REGISTERS, of more than the second cache, or of a size that is not known: what comes next is prefetched */
  int64_t block[2]; /* elements of the last dim but one and of the last that a block takes */
  int side;         /* SCRATCH, and REGISTERS where a side may be too short: of a block in scratch; else 0 */
  bool shared;      /* REGISTERS: the cells of a block are a routine */
} TccTranspose;

/* How `root`, stored at `store` as elem, is transposed; lanes: 16 for machines with AVX-512, else 8; near: bytes of the second cache. */
TccTranspose tcc_map_transpose_choose(const TccPull *p, const TccPullNode *root, const TccPullIndex *store, TccElem elem, int lanes,
                                      int64_t near);
/* Number of blocks of the nest, and bytes of scratch. */
const TccExpr *tcc_map_transpose_blocks(const TccPull *p, const TccTranspose *transpose);
int64_t tcc_map_transpose_scratch(const TccTranspose *transpose);
/* Vector o of `few` that hold the elements of `few` vectors in turn; `few` is 2 to 4. */
TccVal tcc_map_interleaved(TccEmit *t, const char *type, const TccVal *in, int few, int o);
/* Interleaves rows i and i + n / 2 of n inside pieces of n lanes of their registers, log2 n times over: what is column k of each piece is then in register k. */
void tcc_map_transpose_unpack(TccEmit *t, const char *type, int n, TccVal *v);
/* Whether a block's cells may be a routine, which all transposes of such elements share; it is written before the kernel that calls it. */
bool tcc_map_transpose_shares(const TccTranspose *transpose);
void tcc_map_transpose_routine(TccEmit *e, TccIr *ir, const TccTranspose *transpose);
/* Block number `block`, from `root`'s argument to `argument`. */
void tcc_map_transpose_emit(TccPullEmit *e, const TccTranspose *transpose, const TccPullNode *root, int argument,
                            const TccPullIndex *store, TccVal block, TccVal scratch);
#endif
