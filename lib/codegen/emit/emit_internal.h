/* emit_internal.h - what the files of the writer share. */
#ifndef TCC_CODEGEN_EMIT_INTERNAL_H
#define TCC_CODEGEN_EMIT_INTERNAL_H
#include "lib/codegen/emit/emit.h"

int emit_elem_bytes(const char *elem);
/* "(%1, %2 : i64, f32)"; nothing where n is 0. */
void emit_values(TccEmit *e, int n, const TccVal *v, const char *const *types);
#endif
