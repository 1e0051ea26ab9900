/* kinds.h - kinds of kernels and functions of the run-time: an enumerator for each row of kinds.def. No MLIR. */
#ifndef TCC_KINDS_H
#define TCC_KINDS_H
#include "tcc/base.h"

typedef enum {
  TCC_KERNEL_NONE, /* no kernel */
#define TCC_KERNEL(SYM, name, code, reads, readers) TCC_KERNEL_##SYM,
#include "tcc/kinds.def"
  TCC_KERNEL_COUNT
} TccKernelKind;
typedef enum {
#define TCC_BUILTIN(SYM, name, function) TCC_BUILTIN_##SYM,
#include "tcc/kinds.def"
  TCC_BUILTIN_COUNT
} TccBuiltin;

TCC_EXPORT TccKernelKind tcc_kernel_kind_named(TccStr name); /* TCC_KERNEL_NONE: there is none of that name */
TCC_EXPORT const char *tcc_kernel_kind_name(TccKernelKind kind);
/* The facts of kinds.def. They are false of TCC_KERNEL_NONE. */
TCC_EXPORT bool tcc_kernel_is_builtin(TccKernelKind kind);
TCC_EXPORT bool tcc_kernel_reads_whole(TccKernelKind kind);
TCC_EXPORT bool tcc_kernel_takes_readers(TccKernelKind kind);

TCC_EXPORT TccBuiltin tcc_builtin_named(const char *name); /* TCC_BUILTIN_COUNT: there is none of that name */
TCC_EXPORT const char *tcc_builtin_name(TccBuiltin builtin);
#endif
