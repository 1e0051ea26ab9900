/* conv_depth_first.h - depth-first fusion: several conv_blocked, each of which reads the one before, by strips of rows with line buffers. */
#ifndef TCC_CODEGEN_CONV_DEPTH_FIRST_H
#define TCC_CODEGEN_CONV_DEPTH_FIRST_H
#include "tcc/codegen.h"

/* Whether it can be emitted so, and takes less time than its convolutions one by one. */
bool tcc_conv_depth_first_wanted(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel);
/* Emitter of the x86 target (signature of TccTargetInfo.emit) for a kernel of more than one conv_blocked. */
TccStatus *tcc_conv_depth_first_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
