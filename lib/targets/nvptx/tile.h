/* tile.h - tiles of a product's operands in shared memory, and the tensor cores that read them.
 *
 * A tile holds `rows` rows of one operand by NVPTX_TILE_BYTES of the depth, in the order that the operand has in memory: rows of 64 bytes
 * (along_depth), or for each k all rows: of elements of two bytes as atoms, which have 64 rows of all k. Pieces of 16 bytes are swizzled: exchanged within a row of the tile by an exclusive or with
 * bits of the row's number, so that the eight pieces that ldmatrix reads at once, and those that a copy writes, lie in different banks. The swizzles of elements of two bytes are those that wgmma knows as
 * 64 bytes (along_depth) and 128 bytes, that of bytes along the depth is the first of them.
 *
 * No instruction transposes bytes. Where neighbours in memory are rows, ldmatrix turns pairs of them, of k that are chosen so that a lane has four of the depth of two neighbours:
 * a fragment then has each other row, and sums know it (NvptxTurned). */
#ifndef TCC_NVPTX_TILE_H
#define TCC_NVPTX_TILE_H
#include "lib/targets/nvptx/nvptx.h"

enum { NVPTX_TILE_BYTES = 64, NVPTX_PIECE = 16, NVPTX_FRAGMENT_ROWS = 16, NVPTX_FRAGMENT_BYTES = 32, NVPTX_ATOM_BYTES = 128 };
enum { NVPTX_TILE_ALIGNMENT = 1024 };

typedef struct {
  int rows, bytes; /* 64 or 128; of an element: 1, 2 or 4 */
  bool along_depth;
} NvptxTile;
static inline int nvptx_tile_size(const NvptxTile *t) { return t->rows * NVPTX_TILE_BYTES; }
static inline int nvptx_tile_depth(const NvptxTile *t) { return NVPTX_TILE_BYTES / t->bytes; }
/* Where element (row, k) lies, in bytes from the tile's begin. */
TccVal nvptx_tile_offset(NvptxKernel *n, const NvptxTile *tile, TccVal row, TccVal k);

/* What a lane of a warp reads of a tile: rows from `first`, a multiple of 32, on. */
typedef struct {
  const NvptxTile *tile;
  TccVal offset; /* of this lane */
} NvptxFragments;
NvptxFragments nvptx_fragments(NvptxKernel *n, const NvptxTile *tile, TccVal lane, TccVal first);
/* Rows 16 `group` on and bytes 32 `step` on of the depth: out[0] and out[1] are the first and the last eight rows of the first 16 bytes, out[2]
 * and out[3] of the others; i32, as mma.sync takes them. Of bytes whose neighbours are rows: the even and the odd ones of these 16. base: the tile's address in shared memory. */
void nvptx_fragment_load(NvptxKernel *n, const NvptxFragments *f, TccVal base, int group, int step, TccVal *out);

/* sums[4] += a[4] * b[2] on the tensor cores, for 16 rows, 8 columns and 32 bytes of depth. elem: f16, bf16, or f32, of which the highest 19
 * bits count (TF32). */
void nvptx_mma(NvptxKernel *n, TccElem elem, const TccVal *a, const TccVal *b, TccVal *sums);
/* The same of bytes, i8 or u8 each, in i32. */
void nvptx_mma_bytes(NvptxKernel *n, TccElem left, TccElem right, const TccVal *a, const TccVal *b, TccVal *sums);

/* Sums of mma as a warp has them, four for each 16 rows and 8 columns, columns first: lane 4 g + t has row g, columns 2 t and 2 t + 1, then the
 * same of row g + 8. The first `rows` of them and `columns`, up to NVPTX_SUMS_COLUMNS, into shared memory at `base`, rows of NVPTX_SUMS_PITCH
 * floats. sums: of all `span` columns. */
enum { NVPTX_SUMS_COLUMNS = 32, NVPTX_SUMS_PITCH = 40, NVPTX_SUMS_MOST_PITCH = 48 };
void nvptx_sums_put(NvptxKernel *n, TccVal lane, TccVal base, int rows, int columns, int span, const TccVal *sums);
/* Of bytes whose left or right operand's tile has rows, or columns, as neighbours: of 16 of these a lane's sums are of even ones first. */
typedef struct {
  bool rows, columns;
} NvptxTurned;
/* Words of a row for such sums, so that lanes write to banks of their own. */
static inline int nvptx_turned_pitch(NvptxTurned turned) {
  return turned.rows == turned.columns ? NVPTX_SUMS_PITCH : turned.rows ? NVPTX_SUMS_PITCH - 4 : NVPTX_SUMS_MOST_PITCH;
}
/* As nvptx_sums_put, of sums of that type; turned columns are a multiple of 16, rows of nvptx_turned_pitch words. */
void nvptx_turned_put(NvptxKernel *n, const char *sum, NvptxTurned turned, TccVal lane, TccVal base, int rows, int columns,
                      int span, const TccVal *sums);

/* A copy of 16 bytes from global to shared memory that goes on while the thread does; of the source `bytes` (i64, up to 16) are read, what is
 * left gets zeros. Copies form groups; wait: until all but the last `pending` groups of this thread are done. */
void nvptx_copy_async(NvptxKernel *n, TccVal to, TccVal from, TccVal bytes);
void nvptx_copy_commit(NvptxKernel *n);
void nvptx_copy_wait(NvptxKernel *n, int pending);
/* What this thread wrote to shared memory, and copies that it waited for, are seen by products that read it by the async proxy. */
void nvptx_fence_async(NvptxKernel *n);
/* The threads of the warp see what the others of it wrote. */
void nvptx_warp_barrier(NvptxKernel *n);
#endif
