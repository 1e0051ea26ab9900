/* map_turn.h - transposes: copies whose neighbours in memory lie along another dim than the result's. */
#ifndef TCC_CODEGEN_MAP_TURN_H
#define TCC_CODEGEN_MAP_TURN_H
#include "lib/codegen/emit/pull.h"

typedef enum {
  TCC_TURN_NONE,
  TCC_TURN_CELLS,   /* both sides are long enough for blocks in registers */
  TCC_TURN_SQUARES, /* any sizes: squares in scratch, masked */
  TCC_TURN_JOIN,    /* a few long rows become the short last dim: three planes of an image to pixels */
  TCC_TURN_PART,    /* the other way */
} TccTurnKind;

typedef struct {
  TccTurnKind kind;
  int bits;         /* of an element */
  int lanes;        /* of a vector: of a store; side of a square */
  int few;          /* JOIN, PART: size of the short dim */
  bool streams;     /* CELLS of more than the second cache: what comes next is fetched */
  int64_t block[2]; /* elements of the last dim but one and of the last that a block takes */
} TccTurn;

/* How `root`, stored at `store` as elem, is turned; lanes: 16 for machines with AVX-512, else 8; near: bytes of the second cache. */
TccTurn tcc_turn_choose(const TccPull *p, const TccPullNode *root, const TccPullIndex *store, TccElem elem, int lanes,
                        int64_t near);
/* Number of blocks of the nest, and bytes of scratch. */
const TccExpr *tcc_turn_blocks(const TccPull *p, const TccTurn *turn);
int64_t tcc_turn_scratch(const TccTurn *turn);
/* Block number `block`, from `root`'s argument to `argument`. */
void tcc_turn_emit(TccPullEmit *e, const TccTurn *turn, const TccPullNode *root, int argument, const TccPullIndex *store,
                   TccVal block, TccVal scratch);
#endif
