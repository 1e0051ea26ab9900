/* upstream.h - what MLIR's own passes and translations are needed for, as functions of text: kernels of the reference target.
 *
 * They take all of MLIR's dialects, and with them code generators that tcc never asks for: 120 MB of code and 220,000 relocations, which
 * the dynamic loader goes through at each start. libtcccompiler.so, whose MLIR is a shared library, has them inside
 * (upstream.c). libtcccompiler-static.so has not: a library of the same two functions is loaded when a kernel asks (lib/upstream_loaded).
 * Nothing of MLIR or LLVM crosses, so each side has its own. Functions are thread-safe. */
#ifndef TCC_LIB_UPSTREAM_UPSTREAM_H
#define TCC_LIB_UPSTREAM_UPSTREAM_H
#include "tcc/base.h"

/* Runs a pipeline of MLIR's passes over a module, and appends the text of what it becomes. text: ends with a NUL behind its length. */
TCC_EXPORT TccStatus *tcc_upstream_lower(TccStr text, const char *pipeline, TccText *out) TCC_CHECKED;
/* Appends the LLVM bitcode of a module in the LLVM dialect, or of the gpu.module that is its first op. text: as above. */
TCC_EXPORT TccStatus *tcc_upstream_bitcode(TccStr text, TccText *out) TCC_CHECKED;
#endif
