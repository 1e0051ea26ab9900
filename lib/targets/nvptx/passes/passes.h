/* passes.h - the target's own passes. */
#ifndef TCC_NVPTX_PASSES_H
#define TCC_NVPTX_PASSES_H
#include "tcc/pass.h"

#define TCC_PASS(function, name, summary, options) MlirLogicalResult tcc_pass_##function(TccPassRun *run, MlirOperation module);
#include "lib/targets/nvptx/passes/passes.def"
#undef TCC_PASS
#endif
