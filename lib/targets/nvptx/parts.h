/* parts.h - sums that several blocks share: each block has a part of what is added, the last one of them that comes to the end adds the sums of all.
 *
 * Sums wait in the launch's scratch, and a counter of arrivals for each group of blocks stands in front of it (tcc/abi.h). The order in which they
 * are added is that of the parts, whoever comes last: the same bits in each run. No block waits for another. */
#ifndef TCC_NVPTX_PARTS_H
#define TCC_NVPTX_PARTS_H
#include "lib/targets/nvptx/nvptx.h"

typedef struct {
  int parts;        /* 1: nobody shares, nothing below is used */
  bool integers;    /* sums are of i32, else f32 */
  int threads;      /* of a block, that have sums */
  int barrier;      /* a named one of these threads; 0: they are all of the block */
  TccVal thread;    /* of these (i64) */
  TccVal at, group; /* i64: which part the block has, and of what */
  TccVal word;      /* i32 in shared memory that nobody else uses between begin and end */
  TccIf last;
} NvptxParts;
enum { NVPTX_MOST_PARTS = 32 };
/* The number of parts to try behind this one: 1, 2, 3, 4, 6, 8, 12, ... */
static inline int nvptx_parts_next(int parts) { return parts % 3 ? parts + (parts + 1) / 2 : parts / 3 * 4; }
/* How many blocks shall share what `groups` blocks do in `steps` each, if each gets `least` steps or more: as many as fill the `places` for blocks
 * that the machine has at once. 1 where a number is not known. */
int nvptx_parts_count(int64_t places, const TccExpr *groups, const TccExpr *steps, int64_t least);
/* Bytes of scratch for `sums` words of each thread: known, since `groups` is. */
const TccExpr *nvptx_parts_scratch(TccIr *ir, int parts, const TccExpr *groups, int64_t sums_of_block);
/* The block's part and group of block `block`; parts of a group are neighbours. */
void nvptx_parts_place(NvptxKernel *n, NvptxParts *p, TccVal block);
/* Leaves the thread's sums and opens what the last block of a group alone does; all `threads` come here. */
void nvptx_parts_begin(NvptxKernel *n, NvptxParts *p, int nsums, const TccVal *sums);
/* sums: those of all parts. */
void nvptx_parts_add(NvptxKernel *n, const NvptxParts *p, int nsums, TccVal *sums);
void nvptx_parts_end(NvptxKernel *n, NvptxParts *p);
#endif
