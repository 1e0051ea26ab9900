/* map_tiles.h - map kernels whose operands lie turned in memory, through tiles of shared memory. */
#ifndef TCC_NVPTX_MAP_TILES_H
#define TCC_NVPTX_MAP_TILES_H
#include "lib/codegen/read/map_nests.h"
#include "lib/targets/nvptx/nvptx.h"

enum { NVPTX_MAP_TILE_THREADS = 256, NVPTX_MAP_TILE_MOST = 1024 /* elements */ };

typedef struct {
  int turned;  /* the dim that operands follow in memory where it is not the last one, which the result follows */
  int side[2]; /* of a tile: along that dim, along the last one */
  int pitch; /* in shared memory element (i, j) of it is number pitch * j + i, from which as many elements as fill the banks are followed by a */
  bool gaps; /* word that is left out, or not */
} NvptxMapTile;
/* Whether tiles pay, and which: those that touch the fewest sectors, without conflicts of banks where there is such a pitch (map_tiles_shape.c). */
bool nvptx_map_is_turned(const TccMapNest *nest, NvptxMapTile *out);
/* Elements of so many bytes that fill the banks, and those of a word. */
static inline int nvptx_map_tile_row(int bytes) { return bytes < 4 ? 128 / bytes : 32; }
static inline int nvptx_map_tile_gap(int bytes) { return bytes < 4 ? 4 / bytes : 1; }
/* The body of the kernel for such tiles; what its launch needs: blocks, bytes of shared memory. */
TccStatus *nvptx_map_tile(NvptxKernel *n, const TccMapNest *nest, const NvptxMapTile *tile, const TccExpr **out_blocks,
                          uint32_t *out_shared);
#endif
