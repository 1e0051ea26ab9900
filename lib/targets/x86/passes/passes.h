/* passes.h - the target's own passes. */
#ifndef TCC_X86_PASSES_H
#define TCC_X86_PASSES_H
#include "tcc/pass.h"

#define TCC_PASS(function, name, summary, options) MlirLogicalResult tcc_pass_##function(TccPassRun *run, MlirOperation module);
#include "lib/targets/x86/passes/passes.def"
#undef TCC_PASS

/* Whether a transposed convolution of images of type x has so many places that weights which a call may change are packed in each call
 * (block_layout_conv.c). */
bool tcc_pays_to_pack_phases(TccIr *ir, MlirType x);
#endif
