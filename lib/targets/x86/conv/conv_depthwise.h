/* conv_depthwise.h - convolutions in which each group has one input channel and a small window. */
#ifndef TCC_CODEGEN_CONV_DEPTHWISE_H
#define TCC_CODEGEN_CONV_DEPTHWISE_H
#include "lib/targets/x86/conv/conv.h"

bool tcc_conv_is_depthwise(const TccConv *conv);
/* c: spans and epilogue as tcc_conv_read has them. */
TccStatus *tcc_conv_depthwise_emit(const TccTargetInfo *target, const TccContraction *c, const TccMicroType *type,
                                   const TccConv *conv, TccKernelCode *out) TCC_CHECKED;
#endif
