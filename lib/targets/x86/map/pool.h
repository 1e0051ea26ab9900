/* pool.h - kernels around one pool or pool_index on x86, any number of spatial axes. */
#ifndef TCC_CODEGEN_POOL_H
#define TCC_CODEGEN_POOL_H
#include "tcc/codegen.h"

/* Emitter of the x86 target (signature of TccTargetInfo.emit): kind "pool". */
TccStatus *tcc_pool_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
