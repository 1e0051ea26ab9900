/* conv.h - kernels around one conv or conv_transpose on x86, any number of spatial axes, groups, dilations.
 *
 * A convolution is a contraction: rows are output channels, columns output positions, k runs over (channel, kernel position),
 * one batch entry is an image and a group. Weights are row-major in k already; the panel of positions is gathered from the
 * image into scratch, a block at a time (conv_patches.c), which is never more than a cache's worth of the im2col matrix
 * (Chellapilla et al. 2006; the blocked form as in GEMM-based convolutions of oneDNN). */
#ifndef TCC_CODEGEN_CONV_H
#define TCC_CODEGEN_CONV_H
#include "lib/codegen/read/conv.h"
#include "lib/targets/x86/contract/contract_internal.h"

/* The panel of a TccContractOperand; user is a TccConv. */
TccStatus *tcc_conv_patches_emit(TccKernelEmit *k, const char *name, const TccMicroType *type, int64_t nr, void *user) TCC_CHECKED;

/* One vector of a run along the innermost axis: elements at first, first + stride, ... (transposed: (first + lane) / stride)
 * of the input row at `row`; zero outside [0, limit) and where lanes_on (0 for one lane) is off. *out_at: i32 coordinates;
 * *out_mask: the lanes that were read. */
TccVal tcc_window_load(TccKernelEmit *k, const TccConv *v, int lanes, TccVal row, TccVal first, TccVal limit, TccVal lanes_on,
                       TccVal *out_at, TccVal *out_mask);
bool tcc_window_contiguous(const TccConv *v); /* a run of positions is a run of memory */

/* Emitter of the x86 target (signature of TccTargetInfo.emit): kind "conv". */
TccStatus *tcc_conv_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
