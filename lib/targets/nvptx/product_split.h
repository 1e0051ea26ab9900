/* product_split.h - products of f32 on sm_90a as six of bf16 (product_split.c): how a block is made up. */
#ifndef TCC_NVPTX_PRODUCT_SPLIT_H
#define TCC_NVPTX_PRODUCT_SPLIT_H
#include "lib/targets/nvptx/product.h"
#include "lib/targets/nvptx/tile.h"

enum {
  NVPTX_SPLIT_PARTS = 3,
  NVPTX_SPLIT_DEPTH = NVPTX_TILE_BYTES / 2, /* of a stage */
  NVPTX_SPLIT_ROW_BYTES = NVPTX_SPLIT_PARTS * NVPTX_TILE_BYTES,
  NVPTX_SPLIT_MOST_COLUMNS = 128 /* sums of a stage beside those of the tile */
};
/* Bytes of shared memory behind the barriers: a word for each stage. */
static inline int nvptx_split_words(const NvptxTmaShape *s) { return s->stages * 4; }
#endif
