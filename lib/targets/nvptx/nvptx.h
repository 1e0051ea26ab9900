/* nvptx.h - kernels for NVIDIA GPUs: one llvm.func {nvvm.kernel} in a gpu.module each.
 *
 * A kernel's parameters are words of 64 bits: addresses of operands, then of results; where the kernel checks indices the address behind
 * its words for faults (TCC_FAULT_WORDS); where it has scratch its address; its tensor maps; then TccKernelCode.sizes. The grid is along x alone. What scalar ops mean and how values are
 * pulled through views is shared with x86 (lib/codegen/emit/pull_emit.h, scalar.h): here a lane is a thread. Whatever the order in which
 * blocks and warps run, a kernel gives the same bits: no sum is made of atomic additions. */
#ifndef TCC_NVPTX_H
#define TCC_NVPTX_H
#include "lib/codegen/emit/pull_emit.h"

enum { NVPTX_MAX_SIZES = 64, NVPTX_WARP = 32, NVPTX_SHARED_ALIGNMENT = 16, NVPTX_MAX_MAPS = 5 };

/* The frame of a kernel being written. */
typedef struct {
  TccKernelEmit k;
  TccEmit e;
  TccVal thread, block;             /* i64 */
  int before_sizes;                 /* parameters */
  uint32_t dynamic_shared, cluster; /* bytes; blocks along x, 1 at first */
  const TccTensorMap *maps;         /* whose expressions are over the module's symbols */
  int nmaps;
  TccVal map[NVPTX_MAX_MAPS];   /* their addresses */
  const TccExpr *scratch_bytes; /* NULL: none */
  TccVal scratch;
} NvptxKernel;
void nvptx_open(NvptxKernel *n, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel);
/* The same for a kernel with tensor maps, which lie in the arena, and so many bytes of scratch (NULL: none). */
void nvptx_open_with(NvptxKernel *n, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel, const TccTensorMap *maps,
                     int nmaps, const TccExpr *scratch_bytes);
/* blocks of so many threads along x, each with `shared` bytes of globals in shared memory. TCC_UNSUPPORTED: the chip has not as much. */
TccStatus *nvptx_close(NvptxKernel *n, const char *emitter, const char *schedule, const TccExpr *blocks, uint32_t threads,
                       uint32_t shared, TccKernelCode *out) TCC_CHECKED;
void nvptx_abandon(NvptxKernel *n);
/* Shared memory of so many bytes that the launch gives, which may be more than the 48 KB of globals; once for a kernel. Its address, a multiple
 * of `alignment`. */
TccVal nvptx_dynamic_shared(NvptxKernel *n, const char *name, uint32_t bytes, uint32_t alignment);
/* f32 of the thread of the warp whose lane differs in `bit`. */
TccVal nvptx_shuffle_float(NvptxKernel *n, TccVal v, int bit);
TccVal nvptx_shuffle_word(TccEmit *t, TccVal word, int bit); /* i32 */
/* A value of any type, whose words (i32) `word` takes from another lane. */
TccVal nvptx_shuffle_words(TccEmit *t, TccElem elem, TccVal v, TccVal (*word)(TccEmit *t, TccVal word, TccVal from), TccVal from);
/* All threads of the block come here before any goes on; what they wrote to memory is seen. */
void nvptx_barrier(NvptxKernel *n);
/* Number of the thread in the grid, if blocks have so many. */
TccVal nvptx_global_thread(NvptxKernel *n, uint32_t threads);
/* Blocks of `threads` that hold so many threads in all. */
const TccExpr *nvptx_blocks(TccIr *ir, const TccExpr *threads_in_all, int64_t threads);
/* Takes index v of an axis apart into the dims that make it up. */
void nvptx_set_axis(TccPullEmit *e, const TccPullDims *dims, int axis, TccVal v);
/* v / size and v % size of v in [0, 2^62), without a division by what is known at run-time only: v times 2^62 / size, rounded up, which is at
 * most 1 too large; nothing of use where size is 0. */
void nvptx_divide(TccKernelEmit *k, TccVal v, const TccExpr *size, TccVal *quotient, TccVal *rest);
/* Quotient and rest of what has 32 bits, by a division: for what is done once a tile. */
void nvptx_divide_small(NvptxKernel *n, TccVal v, TccVal by, TccVal *quotient, TccVal *rest);
/* Row-major position v taken apart into the listed axes; out[i] is the index along axes[i]. v is one of theirs, or less than 2^32. */
void nvptx_take_apart(TccKernelEmit *k, const TccExpr *const *sizes, int n, TccVal v, TccVal *out);

typedef TccStatus *NvptxEmitter(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out);
NvptxEmitter nvptx_map, nvptx_row, nvptx_contract, nvptx_conv, nvptx_pool, nvptx_scatter, nvptx_scan, nvptx_solve, nvptx_builtin,
    nvptx_attention;
extern const struct TccTunable nvptx_attention_tunable; /* attention_parts.c */
struct TccScalarFunctions;
const struct TccScalarFunctions *nvptx_scalars(const TccMachine *machine); /* scalar.c */
/* Whether nvptx_attention takes this op, as far as types tell. */
bool nvptx_keeps(const TccMachine *machine, TccIr *ir, MlirOperation op);
/* TccTarget.reads_narrow (contract.c). */
bool nvptx_contract_reads_narrow(const TccTargetInfo *target, TccIr *ir, MlirOperation contraction);
#endif
