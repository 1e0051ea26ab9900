/* conv_depthwise.h - convolutions in which each group has one input channel and a small window. */
#ifndef TCC_CODEGEN_CONV_DEPTHWISE_H
#define TCC_CODEGEN_CONV_DEPTHWISE_H
#include "lib/codegen/conv/conv.h"

bool tcc_conv_is_depthwise(const TccConv *conv);
/* c: spans and epilogue as read by conv.c. */
TccStatus *tcc_conv_depthwise_emit(const TccTargetInfo *target, TccContract *c, const TccConv *conv,
                                   TccKernelCode *out) TCC_CHECKED;
#endif
