/* reference.h - the reference target's entries for TccTargetInfo; also the fallback for kernels without an emitter. */
#ifndef TCC_REFERENCE_H
#define TCC_REFERENCE_H
#include "tcc/codegen.h"

TccStatus *tcc_reference_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
bool tcc_reference_keeps(const TccTargetInfo *target, TccIr *ir, MlirOperation op);
#endif
