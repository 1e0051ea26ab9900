/* wgmma.h - products of warpgroups of sm_90a: how matrices in shared memory are described, and the text of one instruction (PTX ISA 9.7.15).
 *
 * Matrices are as tensor.h's boxes lie: rows of 128 bytes, pieces of 16 bytes exchanged by the three low bits of the row's number. */
#ifndef TCC_NVPTX_WGMMA_H
#define TCC_NVPTX_WGMMA_H
#include "lib/targets/nvptx/tile.h"

enum { NVPTX_GROUP_ROWS = 64 /* of a warpgroup */, NVPTX_GROUP_WARPS = 4, NVPTX_GROUP_THREADS = NVPTX_GROUP_WARPS * NVPTX_WARP };
/* Of a thread of the warps that copy, and of those that multiply: setmaxnreg, for blocks of three warpgroups. */
enum { NVPTX_COPY_REGISTERS = 40, NVPTX_MULTIPLY_REGISTERS = 232 };

/* A descriptor without its address; what 32 bytes of the depth add to a descriptor, within one box, and 64 rows to an address. */
typedef struct {
  uint64_t fixed;
  int step, rows;
} NvptxMatrix;
/* along_depth: rows of 128 bytes of the depth, one under the other. Else `depth` rows of 64 of what the matrix has across, and so on across. */
NvptxMatrix nvptx_matrix(bool along_depth, int depth);
/* Of a tile of a ring (tile.h), of elements of two bytes. */
NvptxMatrix nvptx_tile_matrix(const NvptxTile *tile);
/* The descriptor of one at an address of shared memory (i64). */
TccVal nvptx_matrix_at(NvptxKernel *n, const NvptxMatrix *m, TccVal address);

/* Appends "wgmma.mma_async... {$first, ...}, OPERANDS; ": `columns` / 2 sums of f32, of bytes (i8 or u8 each) of i32, then whatever the instruction has. */
void nvptx_wgmma_put(TccText *text, const TccElem *of, int columns, int first, const char *operands);
/* ", 1, 1, 0, 1": what stands behind the predicate: signs, and what is transposed; of bytes, which lie along the depth, nothing. */
const char *nvptx_wgmma_flags(TccElem elem, const bool *along_depth);
/* "!llvm.struct<(f32, ...)>" of sums of that type. */
const char *nvptx_sums_type(TccArena *arena, const char *sum, int n);
/* A copy that stays in the arena; the text is destroyed. */
const char *nvptx_text_keep(TccArena *arena, TccText *text);
/* Threads of the warpgroup have so many registers from here on, more or fewer. */
void nvptx_set_registers(NvptxKernel *n, bool more, int registers);
#endif
