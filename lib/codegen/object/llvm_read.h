/* llvm_read.h - the text that the emitters write (emit.h), to a module of LLVM without MLIR in between. */
#ifndef TCC_CODEGEN_LLVM_READ_H
#define TCC_CODEGEN_LLVM_READ_H
#include "tcc/base.h"
#include "llvm-c/Types.h"

/* Adds to module what mlirTranslateModuleToLLVMIR would make of text; constants and functions that several texts declare are one.
 * False where something in the text is not of the forms that are known here: the module is then of no use, and MLIR, which reads the
 * texts in its place, has the last word on what is an error. */
bool tcc_llvm_read(TccStr text, LLVMModuleRef module);
#endif
