/* attention.h - kernels around one attention op on x86: r = softmax(cap(q k^T scale) + mask) v, online. */
#ifndef TCC_CODEGEN_ATTENTION_H
#define TCC_CODEGEN_ATTENTION_H
#include "tcc/codegen.h"

/* Emitter of the x86 target (signature of TccTargetInfo.emit): kind "attention". Static head dimensions, all else dynamic. */
TccStatus *tcc_attention_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
