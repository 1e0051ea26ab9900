/* attention.h - kernels around one attention op on x86: r = softmax(cap(q k^T scale) + mask) v, online. */
#ifndef TCC_CODEGEN_ATTENTION_H
#define TCC_CODEGEN_ATTENTION_H
#include "tcc/codegen.h"

/* Emitter of the x86 target (signature of TccTargetInfo.emit): kind "attention". Static head dimensions, all else dynamic. */
TccStatus *tcc_attention_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;

/* Whether the emitter takes attention `op` as far as its types tell: sizes that must agree are the same expressions, head
 * dimensions are static. An op that it does not take is to be expanded, since the reference target has no attention. */
bool tcc_attention_keeps(TccIr *ir, MlirOperation op);
/* TccTargetInfo.joins: one query for each head, few heads in a group (attention_decode.c). */
bool tcc_attention_joins(const TccMachine *machine, TccIr *ir, MlirOperation op);
#endif
