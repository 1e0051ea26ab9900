/* llvm_build.h - the sink that makes LLVM IR of a list of ops (../emit/llvm_list.h), without text or MLIR in between. */
#ifndef TCC_CODEGEN_LLVM_BUILD_H
#define TCC_CODEGEN_LLVM_BUILD_H
#include "lib/codegen/emit/llvm_list.h"
#include "llvm-c/Types.h"

/* Adds to `out` what mlirTranslateModuleToLLVMIR would make of the module's text. Constants and functions that are seen from outside
 * are one in all modules that are built into `out`; only one may define them. */
void tcc_llvm_build(const TccLlvmModule *module, LLVMModuleRef out);
#endif
