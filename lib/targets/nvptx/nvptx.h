/* nvptx.h - kernels for NVIDIA GPUs: one llvm.func {nvvm.kernel} in a gpu.module each.
 *
 * The kernel ABI of a GPU (abi.h) as two parameters by value: the table of buffer pointers, and of faults if there are checks, and the table
 * of sizes; the grid is one block per tile along x. What scalar ops mean and how values are pulled through
 * views is shared with x86 (lib/codegen/emit/pull_emit.h, scalar.h): here a lane is a thread. */
#ifndef TCC_NVPTX_H
#define TCC_NVPTX_H
#include "lib/codegen/emit/pull_emit.h"

enum { NVPTX_MAX_SIZES = 64, NVPTX_WARP = 32 };

/* The frame of a kernel being written. */
typedef struct {
  TccKernelEmit k;
  TccEmit e;
  TccVal thread, block; /* i64 */
} NvptxKernel;
void nvptx_open(NvptxKernel *n, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel);
/* blocks of so many threads along x, each with `shared` bytes of globals in shared memory. TCC_UNSUPPORTED: the chip has not as much. */
TccStatus *nvptx_close(NvptxKernel *n, const char *emitter, const char *schedule, const TccExpr *blocks, uint32_t threads,
                       uint32_t shared, TccKernelCode *out) TCC_CHECKED;
void nvptx_abandon(NvptxKernel *n);
/* Takes index v of an axis apart into the dims that make it up. */
void nvptx_set_axis(TccPullEmit *e, const TccPullDims *dims, int axis, TccVal v);
/* Row-major position v taken apart into the listed axes; out[i] is the index along axes[i]. */
void nvptx_take_apart(TccKernelEmit *k, const TccExpr *const *sizes, int n, TccVal v, TccVal *out);

TccStatus *nvptx_map(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
TccStatus *nvptx_row(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
TccStatus *nvptx_contract(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
