/* prefetch_rows.h - asking for rows of memory: a loop that LLVM took a millisecond for, in each product. */
#ifndef TCC_CODEGEN_PREFETCH_ROWS_H
#define TCC_CODEGEN_PREFETCH_ROWS_H
#include "lib/codegen/emit/emit.h"

/* Emits the shared routine name(from, rows, apart, lines): asks for `lines` lines, one at least, from `from` on in each of `rows` rows, which are `apart` bytes
 * apart. write: they will be written. */
void tcc_prefetch_rows_emit(TccEmit *e, const char *name, bool write);
#endif
