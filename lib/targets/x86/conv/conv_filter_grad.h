/* conv_filter_grad.h - kernels of one conv_filter_grad with groups: the gradient of a depthwise or grouped convolution's weights. */
#ifndef TCC_X86_CONV_FILTER_GRAD_H
#define TCC_X86_CONV_FILTER_GRAD_H
#include "tcc/target.h"

/* Whether the emitter takes the op, as far as its types and attributes tell; else it is a product (passes/decompose/window.c). */
bool tcc_filter_grad_keeps(const TccMachine *machine, TccIr *ir, MlirOperation op);
TccEmitterFunction tcc_filter_grad_emit;
#endif
