/* artifact.h - the linker. */
#ifndef TCC_CODEGEN_ARTIFACT_H
#define TCC_CODEGEN_ARTIFACT_H
#include "tcc/base.h"

/* Appends a shared object made of relocatable x86-64 ELF objects, in the order given, and of the plan, which it exports as
 * TCC_PLAN_SYMBOL. The result depends on the bytes of its inputs alone.
 * calls_libc: functions that the objects lack are found in the process (the reference target calls libm and malloc);
 * without it a missing function is an error. */
TccStatus *tcc_artifact_link(const TccStr *objects, size_t count, TccStr plan, bool calls_libc, TccText *out) TCC_CHECKED;
#endif
