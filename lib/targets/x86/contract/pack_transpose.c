/* pack_transpose.c - see pack_transpose.h. */
#include "lib/targets/x86/contract/pack_transpose.h"
#include "lib/targets/x86/code/x86_code.h"

enum {
  N = 16, /* columns in zmm registers */
  HALF = 8,
  CELL = 4, /* k-groups in 16 bytes */
  TO = TCC_RDI,
  COLUMNS = TCC_RSI,
  AT = TCC_RDX,
  NEXT = TCC_RCX,
  BLOCKS = TCC_R8,
  COLUMN = TCC_RAX
};

bool tcc_pack_transpose_fits(int64_t row) { return row > 0 && row <= INT32_MAX / N; }

static void load_pointer(TccX86 *x, int column) {
  tcc_x86_op_at(x, TCC_X86_MOV, COLUMN, tcc_x86_at(COLUMNS, column * (int64_t)sizeof(void *)));
}

/* Sixteen columns. Pairs, fours, then quarters of vectors are exchanged. Vectors are in registers 0 to 15 before and after. */
static void transpose16(TccX86 *x) {
  for (int i = 0; i < N; i += 2) {
    tcc_x86_vector(x, TCC_X86_UNPACK_LOW_PS, N + i, i, i + 1);
    tcc_x86_vector(x, TCC_X86_UNPACK_HIGH_PS, N + i + 1, i, i + 1);
  }
  for (int i = 0; i < N; i += 4)
    for (int half = 0; half < 2; half++) {
      int a = N + i + half, b = a + 2;
      tcc_x86_vector(x, TCC_X86_UNPACK_LOW_PD, i + 2 * half, a, b);
      tcc_x86_vector(x, TCC_X86_UNPACK_HIGH_PD, i + 2 * half + 1, a, b);
    }
  for (int i = 0; i < N; i++) { /* now i holds row i % 4 of each quarter, of columns i / 4 * 4 to i / 4 * 4 + 3 */
    int low = i / 8 * 8 + i % 4;
    tcc_x86_quarters(x, N + i, low, low + 4, i % 8 < 4 ? 0x88 : 0xdd);
  }
  for (int i = 0; i < N; i++) tcc_x86_quarters(x, i, N + i % 8, N + 8 + i % 8, i < 8 ? 0x88 : 0xdd);
}

static void emit_block16(TccX86 *x, int64_t row) {
  for (int i = 0; i < N; i++) {
    load_pointer(x, i);
    tcc_x86_prefetch(x, tcc_x86_at_index(COLUMN, NEXT, 0));
    tcc_x86_vector_at(x, TCC_X86_LOAD, i, 0, tcc_x86_at_index(COLUMN, AT, 0));
  }
  transpose16(x);
  for (int i = 0; i < N; i++) tcc_x86_vector_at(x, TCC_X86_STORE, i, 0, tcc_x86_at(TO, i * row));
}

/* Eight columns, by cells of four k-groups: registers v to v + 3 hold columns i and i + 4, which an insertion from memory puts there without a
 * shuffle, and rows of the panel in the end. Registers 8 to 11 hold pairs meanwhile. */
static void transpose_cell(TccX86 *x, int v) {
  for (int i = 0; i < CELL; i += 2) {
    tcc_x86_vector(x, TCC_X86_UNPACK_LOW_PS, HALF + i, v + i, v + i + 1);
    tcc_x86_vector(x, TCC_X86_UNPACK_HIGH_PS, HALF + i + 1, v + i, v + i + 1);
  }
  for (int half = 0; half < 2; half++) {
    tcc_x86_vector(x, TCC_X86_UNPACK_LOW_PD, v + 2 * half, HALF + half, HALF + half + 2);
    tcc_x86_vector(x, TCC_X86_UNPACK_HIGH_PD, v + 2 * half + 1, HALF + half, HALF + half + 2);
  }
}

static void emit_block8(TccX86 *x, int64_t row) {
  for (int i = 0; i < HALF; i++) {
    load_pointer(x, i);
    tcc_x86_prefetch(x, tcc_x86_at_index(COLUMN, NEXT, 0));
    for (int v = i % CELL, cell = 0; cell < 2; cell++, v += CELL) {
      TccX86At from = tcc_x86_at_index(COLUMN, AT, cell * 16);
      if (i < CELL) tcc_x86_vector_at(x, TCC_X86_BROADCAST128, v, 0, from);
      else tcc_x86_insert_high(x, v, v, from);
    }
  }
  for (int v = 0; v < HALF; v += CELL) transpose_cell(x, v);
  for (int i = 0; i < HALF; i++) tcc_x86_vector_at(x, TCC_X86_STORE, i, 0, tcc_x86_at(TO, i * row));
}

void tcc_pack_transpose_emit(TccEmit *e, const char *name, int lanes, int64_t row) {
  TccX86 x = {.arena = e->arena, .vector = lanes * 4};
  size_t loop = tcc_x86_here(&x, true);
  if (lanes == N) emit_block16(&x, row);
  else emit_block8(&x, row);
  tcc_x86_number(&x, TCC_X86_ADD_NUMBER, AT, x.vector);
  tcc_x86_number(&x, TCC_X86_ADD_NUMBER, NEXT, x.vector);
  tcc_x86_number(&x, TCC_X86_ADD_NUMBER, TO, lanes * row);
  tcc_x86_number(&x, TCC_X86_SUB_NUMBER, BLOCKS, 1);
  tcc_x86_jump_back(&x, TCC_X86_NOT_EQUAL, loop);
  tcc_x86_return(&x);
  tcc_emit_code(e, name, tcc_text_str(&x.bytes));
  tcc_text_destroy(&x.bytes);
}

void tcc_pack_transpose_call(TccEmit *e, const char *name, TccVal to, TccVal columns, TccVal at, TccVal next, TccVal blocks) {
  TccVal args[] = {to, columns, at, next, blocks};
  tcc_emit_call(e, name, 5, args, (const char *const[]){TCC_PTR, TCC_PTR, "i64", "i64", "i64"}, NULL);
}
