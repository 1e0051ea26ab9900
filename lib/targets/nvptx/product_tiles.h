/* product_tiles.h - what products of warpgroups on sm_90a share: a ring of stages in shared memory that some warps fill and others multiply, and blocks
 * that go through many tiles of the results. How stages are filled and multiplied is the user's: product_tma.c, product_split.c. */
#ifndef TCC_NVPTX_PRODUCT_TILES_H
#define TCC_NVPTX_PRODUCT_TILES_H
#include "lib/targets/nvptx/parts.h"
#include "lib/targets/nvptx/product.h"
#include "lib/targets/nvptx/wgmma.h"

enum { NVPTX_TILES_MOST_COLUMNS = 256 };

typedef struct {
  NvptxKernel *n;
  const NvptxProduct *p;
  NvptxTmaShape shape;
  int depth_step, row_bytes; /* of a stage: of the depth; of each row and column of a tile in shared memory */
  const char *sum;           /* type of sums: f32, of bytes i32; set by nvptx_tiles_prepare */
  int fillers, more_shared;  /* warps that fill, the first ones of a block; bytes behind the barriers */
  /* Set by nvptx_tiles_prepare. */
  const TccExpr *tiles[2], *in_band, *of_batch, *units, *clusters; /* tiles[0]: of the rows of a cluster */
  TccVal memory, full, empty, more;                                /* shared memory: the ring; barriers and what is behind (i32) */
  TccVal rank, lane, warp, group;                                  /* of the block in its cluster; of those that multiply */
  TccVal size[2], depth;
  NvptxParts parts;
  /* Of the tile, or the part of it: set by nvptx_tiles_begin, the steps of whole tiles by nvptx_tiles_prepare. */
  TccVal batch, first[2], first_step, steps;
} NvptxTiles;

/* Tiles of a product whose sizes are known, 0 of others. */
int64_t nvptx_tiles_known(const NvptxProduct *p, const NvptxTmaShape *s);
/* Bytes of scratch for the parts of tiles, or NULL. */
const TccExpr *nvptx_tiles_scratch(TccIr *ir, const NvptxProduct *p, const NvptxTmaShape *s);
/* Bytes of shared memory of a block. */
int nvptx_tiles_shared(const NvptxTmaShape *s, int row_bytes, int more);
static inline int nvptx_tiles_rows(const NvptxTiles *w) { return w->shape.groups * NVPTX_GROUP_ROWS; }
/* Bytes of a side's tile in a stage; the left one comes first. */
static inline int nvptx_tiles_tile_bytes(const NvptxTiles *w, int side) {
  return (side ? w->shape.columns : nvptx_tiles_rows(w)) * w->row_bytes;
}
static inline int nvptx_tiles_stage_bytes(const NvptxTiles *w) {
  return nvptx_tiles_tile_bytes(w, 0) + nvptx_tiles_tile_bytes(w, 1);
}
/* What is above `shape`'s line in NvptxTiles is set; the rest is set here. */
void nvptx_tiles_prepare(NvptxTiles *w);
/* Barriers of the ring: one arrival fills a stage, one of each warp of the cluster that multiplies empties it. All threads come here. */
void nvptx_tiles_init(NvptxTiles *w);
/* Each tile of this block. loop->in[0]: stages so far; close with their number behind the tile. */
void nvptx_tiles_begin(NvptxTiles *w, TccLoop *loop);
/* Which stage number `count` is, and the parity of its phase. */
void nvptx_tiles_stage(NvptxTiles *w, TccVal count, TccVal *stage, TccVal *parity);
/* The barrier of a stage; first: full or empty. */
TccVal nvptx_tiles_barrier(NvptxTiles *w, TccVal first, TccVal stage);
/* `at` bytes into the ring. */
TccVal nvptx_tiles_at(NvptxTiles *w, int64_t at);
/* Writes a warpgroup's sums of the tile, as wgmma leaves them; of parts the last one writes all. */
TccStatus *nvptx_tiles_write(NvptxTiles *w, TccVal *sums) TCC_CHECKED;
#endif
