/* product_dots.c - see product_dots.h. */
#include "lib/targets/nvptx/product_dots.h"

static const char *const words[] = {"i32", "i32", "i32"};

TccVal nvptx_dot(TccEmit *t, const TccElem *of, TccVal left, TccVal right, TccVal sum) {
  static const char *const names[2][2] = {{"llvm.nvvm.idp4a.s.s", "llvm.nvvm.idp4a.s.u"},
                                          {"llvm.nvvm.idp4a.u.s", "llvm.nvvm.idp4a.u.u"}};
  const char *name = names[of[0] == TCC_ELEM_U8][of[1] == TCC_ELEM_U8];
  return tcc_emit_call_intrinsic(t, name, "i32", 3, (TccVal[]){left, right, sum}, words);
}

TccVal nvptx_dot_word(TccEmit *t, const TccVal *bytes) {
  TccVal word = 0;
  for (int i = 0; i < NVPTX_DOT_BYTES; i++) {
    TccVal byte = tcc_emit_cast(t, "zext", "i8", "i32", bytes[i]);
    if (i) byte = tcc_emit_bin(t, "shl", "i32", byte, tcc_emit_int(t, "i32", 8 * i));
    word = i ? tcc_emit_bin(t, "or", "i32", word, byte) : byte;
  }
  return word;
}

static TccVal permute(TccEmit *t, TccVal a, TccVal b, int which) {
  return tcc_emit_call_intrinsic(t, "llvm.nvvm.prmt", "i32", 3, (TccVal[]){a, b, tcc_emit_int(t, "i32", which)}, words);
}

void nvptx_dot_turn(TccEmit *t, const TccVal *rows, TccVal *columns) {
  for (int half = 0; half < 2; half++) { /* pairs of columns */
    int which = half ? 0x7362 : 0x5140;
    TccVal first = permute(t, rows[0], rows[1], which), second = permute(t, rows[2], rows[3], which);
    columns[2 * half] = permute(t, first, second, 0x5410), columns[2 * half + 1] = permute(t, first, second, 0x7632);
  }
}
