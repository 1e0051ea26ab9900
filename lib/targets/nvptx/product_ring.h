/* product_ring.h - what products on tensor cores share: a ring of tiles in shared memory, and how results go from registers to memory.
 *
 * A block has a square of the results, each warp a part of it in registers; while the warps multiply one stage of the ring, cp.async fills
 * the next ones. Which instruction multiplies is the user's: product_mma.c, product_wgmma.c. */
#ifndef TCC_NVPTX_PRODUCT_RING_H
#define TCC_NVPTX_PRODUCT_RING_H
#include "lib/targets/nvptx/product.h"
#include "lib/targets/nvptx/tile.h"

enum { NVPTX_RING_SMALL = 64, NVPTX_RING_LARGE = 128, NVPTX_RING_SUMS = 64 /* of a thread, at most */ };

typedef struct NvptxRing NvptxRing;
struct NvptxRing {
  NvptxKernel *n;
  const NvptxProduct *p;
  const char *name; /* in the schedule */
  int side;         /* rows, and columns, of a block's results: NVPTX_RING_SMALL or _LARGE */
  int warps[2];     /* of a block, along rows and columns */
  int span[2];      /* rows and columns of a warp's results: multiples of 16 and 32 */
  bool async;       /* what multiplies reads shared memory by the async proxy */
  /* Set before begin is called, which is once: the operands' tiles, the thread's lane, its warp's place along rows and columns. */
  NvptxTile tile[2];
  TccVal lane, warp[2];
  void (*begin)(NvptxRing *ring);
  /* Adds a stage's products. base: addresses of its tiles in shared memory. sums: of the warp's part, four for each 16 rows and 8 columns,
   * columns first; lane 4 g + t has row g, columns 2 t and 2 t + 1, then the same of row g + 8. Of turned bytes: as nvptx_turned_put has them. */
  void (*multiply)(NvptxRing *ring, const TccVal *base, TccVal *sums);
  void *user;
};
/* Writes the body of the kernel. */
TccStatus *nvptx_ring_emit(NvptxRing *ring, NvptxProductLaunch *out) TCC_CHECKED;
/* Whether there are enough large squares for each multiprocessor to have one; rows or columns that are not known are taken for many. */
bool nvptx_ring_is_large(const TccMachine *machine, const NvptxProduct *p);
/* Squares of the results of all batches. */
const TccExpr *nvptx_ring_squares(TccIr *ir, const NvptxProduct *p, int side);
/* Sets the side of a square and how many blocks share one, by the kernel's schedule if it has one: {side, parts}; scratch: the bytes for that, or
 * NULL. TCC_INVALID: what is wrong with the schedule. */
TccStatus *nvptx_ring_choose(const TccMachine *machine, TccIr *ir, MlirOperation kernel, NvptxProduct *p,
                             const TccExpr **out_scratch) TCC_CHECKED;
#endif
