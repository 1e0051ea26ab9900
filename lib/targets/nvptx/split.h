/* split.h - products of f32 on tensor cores, as three of TF32 (Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores,
 * 2022): x = high + low, of 19 bits each; low * high + high * low + high * high. */
#ifndef TCC_NVPTX_SPLIT_H
#define TCC_NVPTX_SPLIT_H
#include "lib/targets/nvptx/tile.h"

/* A word of a fragment as the products of f32 take it. An infinite x has no part in the small products, where it would meet zeros. */
typedef struct {
  TccVal high, low, finite; /* i32: 19 bits of x; what is left of it; high, or zero if that is infinite */
} NvptxSplit;
/* x: i32, the bits of an f32. */
NvptxSplit nvptx_split(NvptxKernel *n, TccVal x);
/* sums[4] += a[4] * b[2] of f32, for 16 rows, 8 columns and 8 elements of depth. Tensor cores cut their sums, so that those of one call are
 * added to `sums` in f32. */
void nvptx_mma_split(NvptxKernel *n, const NvptxSplit *a, const NvptxSplit *b, TccVal *sums);
#endif
