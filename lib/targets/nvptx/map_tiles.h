/* map_tiles.h - map kernels whose operands lie turned in memory, through tiles of shared memory. */
#ifndef TCC_NVPTX_MAP_TILES_H
#define TCC_NVPTX_MAP_TILES_H
#include "lib/codegen/read/map_nests.h"
#include "lib/targets/nvptx/nvptx.h"

/* The dim that operands follow in memory where it is not the last one, which the result follows; -1: there is none, or tiles do not pay. */
int nvptx_map_turned(const TccMapNest *nest);
/* The body of the kernel for that dim; what its launch needs: blocks, threads of a block, bytes of shared memory. */
TccStatus *nvptx_map_tile(NvptxKernel *n, const TccMapNest *nest, int turned, const TccExpr **out_blocks, uint32_t *out_threads,
                          uint32_t *out_shared);
#endif
