/* artifact.h - objects and the linker. */
#ifndef TCC_CODEGEN_ARTIFACT_H
#define TCC_CODEGEN_ARTIFACT_H
#include "tcc/base.h"

/* Appends a relocatable x86-64 ELF object that defines `symbol` as `bytes`, read-only, 64-byte aligned. */
void tcc_object_of_bytes(const char *symbol, TccStr bytes, TccText *out);
/* Links objects, in the order given, into a shared object. The result depends on their bytes alone.
 * calls_libc: functions that the objects lack are found in the process (the reference target calls libm and malloc). */
TccStatus *tcc_artifact_link(const TccStr *objects, size_t count, bool calls_libc, TccText *out) TCC_CHECKED;
#endif
