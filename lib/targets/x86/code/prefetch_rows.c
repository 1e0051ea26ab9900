/* prefetch_rows.c - see prefetch_rows.h. */
#include "lib/targets/x86/code/prefetch_rows.h"
#include "lib/targets/x86/code/x86_code.h"

enum { FROM = TCC_RDI, ROWS = TCC_RSI, APART = TCC_RDX, LINES = TCC_RCX, AT = TCC_RAX, LEFT = TCC_R8, LINE = 64 };

void tcc_prefetch_rows_emit(TccEmit *e, const char *name, bool write) {
  TccX86 x = {.arena = e->arena, .vector = 32};
  tcc_x86_number(&x, TCC_X86_CMP_NUMBER, ROWS, 0);
  size_t none = tcc_x86_jump(&x, TCC_X86_LESS_EQUAL), row = tcc_x86_here(&x, false);
  tcc_x86_op(&x, TCC_X86_MOV, AT, FROM);
  tcc_x86_op(&x, TCC_X86_MOV, LEFT, LINES);
  size_t line = tcc_x86_here(&x, false);
  tcc_x86_prefetch_near(&x, tcc_x86_at(AT, 0), write);
  tcc_x86_number(&x, TCC_X86_ADD_NUMBER, AT, LINE);
  tcc_x86_number(&x, TCC_X86_SUB_NUMBER, LEFT, 1);
  tcc_x86_jump_back(&x, TCC_X86_NOT_EQUAL, line);
  tcc_x86_op(&x, TCC_X86_ADD, FROM, APART);
  tcc_x86_number(&x, TCC_X86_SUB_NUMBER, ROWS, 1);
  tcc_x86_jump_back(&x, TCC_X86_NOT_EQUAL, row);
  tcc_x86_land(&x, none);
  tcc_x86_return(&x);
  tcc_emit_code(e, name, tcc_text_str(&x.bytes));
  tcc_text_destroy(&x.bytes);
}
