/* emit_internal.h - what the files of the writer share. */
#ifndef TCC_CODEGEN_EMIT_INTERNAL_H
#define TCC_CODEGEN_EMIT_INTERNAL_H
#include "lib/codegen/emit/emit.h"

int emit_elem_bytes(const char *elem);
/* An op of the open function; the pointer is valid until the next one. emit_value: with a value, whose number it has. */
TccLlvmInst *emit_inst(TccEmit *e, TccLlvmOp op, const char *type, TccVal a, TccVal b, TccVal c);
TccLlvmInst *emit_value(TccEmit *e, TccLlvmOp op, const char *type, TccVal a, TccVal b, TccVal c);
/* The op of a form that is called `word` ("add", "slt", "intr.fma"): there is one. */
TccLlvmOp emit_op_of(TccLlvmForm form, const char *word);
/* Copies in the arena; NULL for none. */
const int32_t *emit_copy_list(TccEmit *e, int n, const int32_t *list);
const char *const *emit_copy_types(TccEmit *e, int n, const char *const *types);
const char *emit_word(TccEmit *e, TccStr word); /* interned */
/* The numbers of a finished function become words of a table, whose address is its value `table`: see emit_told.c; what: as of tcc_emit_tell. */
void emit_tell(TccArena *arena, TccLlvmItem *function, TccVal table, unsigned what, TccWords *words);
/* How many ops of it stay what they are: all but constants and what is loaded once. */
size_t emit_told_size(const TccLlvmItem *function);
/* mask has so many lanes on, the first ones: count is an i64 from 0 to its lanes. */
void emit_note_mask(TccEmit *e, TccVal mask, TccVal count);
#endif
