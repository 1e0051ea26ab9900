/* x86_code.c - see x86_code.h. */
#include "lib/targets/x86/code/x86_code.h"
#include <assert.h>
#include <string.h>

static void put(TccX86 *x, unsigned byte) {
  char c = (char)byte;
  tcc_text_put(&x->bytes, &c, 1);
}

static void put32(TccX86 *x, int64_t value) {
  for (int i = 0; i < 4; i++) put(x, (unsigned)(value >> 8 * i) & 0xff);
}

static bool fits8(int64_t v) { return v >= -128 && v <= 127; }

/* ---- operands ---- */

TccX86At tcc_x86_at(int base, int64_t offset) { return (TccX86At){.base = base, .offset = offset}; }
TccX86At tcc_x86_at_index(int base, int index, int64_t offset) {
  return (TccX86At){.base = base, .index = index, .indexed = true, .offset = offset};
}

TccX86At tcc_x86_constant(TccX86 *x, float value) {
  int i = 0;
  while (i < x->nconstants && memcmp(&x->constant[i], &value, sizeof value) != 0) i++;
  assert(i < TCC_X86_CONSTANTS);
  if (i == x->nconstants) x->constant[x->nconstants++] = value;
  return (TccX86At){.constant = true, .offset = i, .repeated = x->vector == 64};
}

static void put_modrm(TccX86 *x, int mode, int field, int low) { put(x, (unsigned)(mode << 6 | (field & 7) << 3 | (low & 7))); }

/* ModRM, SIB and displacement. unit: what a displacement of one byte counts (EVEX: disp8*N, SDM section 2.7.5). */
static void put_memory(TccX86 *x, int field, TccX86At at, int unit) {
  if (at.constant) {
    put_modrm(x, 0, field, 5);
    TCC_VEC_PUSH(x->arena, &x->uses, x->bytes.length);
    put32(x, at.offset);
    return;
  }
  bool small = at.offset % unit == 0 && fits8(at.offset / unit), none = at.offset == 0 && (at.base & 7) != TCC_RBP;
  int mode = none ? 0 : small ? 1 : 2;
  if (at.indexed || (at.base & 7) == TCC_RSP) {
    put_modrm(x, mode, field, 4);
    put_modrm(x, at.scale, at.indexed ? at.index : 4, at.base);
  } else {
    put_modrm(x, mode, field, at.base);
  }
  if (mode == 1) put(x, (unsigned)(at.offset / unit) & 0xff);
  else if (mode == 2) put32(x, at.offset);
}

/* ---- vectors ---- */

enum { QUARTERS = TCC_X86_VECTOR_OPS, INSERT_HIGH, FORMS };

/* map: of opcodes, 1 is 0F, 2 is 0F 38, 3 is 0F 3A; prefix: 1 is 66, 2 is F3; wide: W where EVEX needs it; bytes: an element's, 0: VEX too has whole vectors only */
static const struct {
  uint8_t opcode, map, prefix, wide, element;
} forms[FORMS] = {[TCC_X86_LOAD] = {0x10, 1, 0, 0, 0},
                  [TCC_X86_STORE] = {0x11, 1, 0, 0, 0},
                  [TCC_X86_BROADCAST32] = {0x18, 2, 1, 0, 4},
                  [TCC_X86_BROADCAST64] = {0x19, 2, 1, 1, 8},
                  [TCC_X86_BROADCAST128] = {0x1a, 2, 1, 0, 16},
                  [TCC_X86_WIDEN_I8] = {0x20, 2, 1, 0, 32},
                  [TCC_X86_FMADD_PS] = {0xb8, 2, 1, 0, 0},
                  [TCC_X86_FMADD_PD] = {0xb8, 2, 1, 1, 0},
                  [TCC_X86_DPBF16] = {0x52, 2, 2, 0, 0},
                  [TCC_X86_DPBUSD] = {0x50, 2, 1, 0, 0},
                  [TCC_X86_DPWSSD] = {0x52, 2, 1, 0, 0},
                  [TCC_X86_MADD_I16] = {0xf5, 1, 1, 0, 0},
                  [TCC_X86_ADD_PS] = {0x58, 1, 0, 0, 0},
                  [TCC_X86_ADD_PD] = {0x58, 1, 1, 1, 0},
                  [TCC_X86_ADD_I32] = {0xfe, 1, 1, 0, 0},
                  [TCC_X86_SUB_PS] = {0x5c, 1, 0, 0, 0},
                  [TCC_X86_MUL_PS] = {0x59, 1, 0, 0, 0},
                  [TCC_X86_DIV_PS] = {0x5e, 1, 0, 0, 0},
                  [TCC_X86_MIN_PS] = {0x5d, 1, 0, 0, 0},
                  [TCC_X86_MAX_PS] = {0x5f, 1, 0, 0, 0},
                  [TCC_X86_XOR] = {0xef, 1, 1, 0, 0},
                  [TCC_X86_MOVE] = {0x28, 1, 0, 0, 0},
                  [TCC_X86_UNPACK_LOW_PS] = {0x14, 1, 0, 0, 0},
                  [TCC_X86_UNPACK_HIGH_PS] = {0x15, 1, 0, 0, 0},
                  [TCC_X86_UNPACK_LOW_PD] = {0x14, 1, 1, 1, 0},
                  [TCC_X86_UNPACK_HIGH_PD] = {0x15, 1, 1, 1, 0},
                  [QUARTERS] = {0x23, 3, 1, 0, 0},
                  [INSERT_HIGH] = {0x18, 3, 1, 0, 16}};

/* low, high: the register or base, and the index or bit 4 of the register, behind ModRM. VEX: W is not set, but for multiply-adds of doubles. */
static void put_prefix(TccX86 *x, TccX86Vector op, int to, int a, int low, int high, bool repeated) {
  int map = forms[op].map, prefix = forms[op].prefix;
  unsigned r = (unsigned)~to >> 3 & 1, b = (unsigned)~low >> 3 & 1;
  if (x->vector == 32) {
    unsigned w = op == TCC_X86_FMADD_PD, last = w << 7 | ((unsigned)~a & 15) << 3 | 1 << 2 | (unsigned)prefix,
             index = (unsigned)~high >> 3 & 1;
    if (map == 1 && b && index) {
      put(x, 0xc5), put(x, r << 7 | last);
    } else {
      put(x, 0xc4), put(x, r << 7 | index << 6 | b << 5 | (unsigned)map), put(x, last);
    }
    return;
  }
  put(x, 0x62);
  put(x, r << 7 | ((unsigned)~high >> 3 & 1) << 6 | b << 5 | ((unsigned)~to >> 4 & 1) << 4 | (unsigned)map);
  put(x, (unsigned)forms[op].wide << 7 | ((unsigned)~a & 15) << 3 | 1 << 2 | (unsigned)prefix);
  put(x, 2 << 5 | (unsigned)repeated << 4 | ((unsigned)~a >> 4 & 1) << 3);
}

void tcc_x86_vector(TccX86 *x, TccX86Vector op, int to, int a, int b) {
  put_prefix(x, op, to, a, b, x->vector == 64 ? b >> 1 : 0, false); /* bit 4 of b stands where an index has bit 3 */
  put(x, forms[op].opcode);
  put_modrm(x, 3, to, b);
}

void tcc_x86_quarters(TccX86 *x, int to, int a, int b, int choice) {
  assert(x->vector == 64);
  tcc_x86_vector(x, (TccX86Vector)QUARTERS, to, a, b);
  put(x, (unsigned)choice);
}

void tcc_x86_vector_at(TccX86 *x, TccX86Vector op, int to, int a, TccX86At b) {
  int element = forms[op].element;
  put_prefix(x, op, to, a, b.base, b.indexed ? b.index : 0, b.repeated && !element);
  put(x, forms[op].opcode);
  put_memory(x, to, b, x->vector == 32 ? 1 : element ? element : b.repeated ? 4 : x->vector);
}

void tcc_x86_insert_high(TccX86 *x, int to, int a, TccX86At high) {
  assert(x->vector == 32);
  tcc_x86_vector_at(x, (TccX86Vector)INSERT_HIGH, to, a, high);
  put(x, 1);
}

/* ---- general registers ---- */

static void put_op(TccX86 *x, int opcode, int field, int low, int index) {
  put(x, 0x48u | (unsigned)(field >> 3) << 2 | (unsigned)(index >> 3) << 1 | (unsigned)(low >> 3));
  if (opcode > 0xff) put(x, (unsigned)opcode >> 8);
  put(x, (unsigned)opcode & 0xff);
}

void tcc_x86_op(TccX86 *x, TccX86Op op, int to, int from) {
  put_op(x, (int)op, to, from, 0);
  put_modrm(x, 3, to, from);
}

void tcc_x86_op_at(TccX86 *x, TccX86Op op, int to, TccX86At from) {
  put_op(x, (int)op, to, from.base, from.indexed ? from.index : 0);
  put_memory(x, to, from, 1);
}

static void put_number(TccX86 *x, int64_t number, bool small) {
  if (small) put(x, (unsigned)number & 0xff);
  else put32(x, number);
}

void tcc_x86_number(TccX86 *x, TccX86Number op, int to, int64_t number) {
  put_op(x, fits8(number) ? 0x83 : 0x81, 0, to, 0);
  put_modrm(x, 3, (int)op, to);
  put_number(x, number, fits8(number));
}

void tcc_x86_set(TccX86 *x, int to, int64_t number) {
  put_op(x, 0xc7, 0, to, 0);
  put_modrm(x, 3, 0, to);
  put32(x, number);
}

void tcc_x86_multiply(TccX86 *x, int to, int from, int64_t number) {
  put_op(x, fits8(number) ? 0x6b : 0x69, to, from, 0);
  put_modrm(x, 3, to, from);
  put_number(x, number, fits8(number));
}

void tcc_x86_shift_right(TccX86 *x, int to, int bits) {
  put_op(x, 0xc1, 0, to, 0);
  put_modrm(x, 3, 5, to);
  put(x, (unsigned)bits);
}

void tcc_x86_push(TccX86 *x, int reg) {
  if (reg > 7) put(x, 0x41);
  put(x, 0x50u + (unsigned)(reg & 7));
}

void tcc_x86_pop(TccX86 *x, int reg) {
  if (reg > 7) put(x, 0x41);
  put(x, 0x58u + (unsigned)(reg & 7));
}

static void put_prefetch(TccX86 *x, unsigned opcode, int field, TccX86At at) {
  int index = at.indexed ? at.index : 0;
  if (at.base > 7 || index > 7) put(x, 0x40u | (unsigned)(index >> 3) << 1 | (unsigned)(at.base >> 3));
  put(x, 0x0f), put(x, opcode);
  put_memory(x, field, at, 1);
}

void tcc_x86_prefetch(TccX86 *x, TccX86At at) { put_prefetch(x, 0x18, 2, at); }

void tcc_x86_prefetch_near(TccX86 *x, TccX86At at, bool write) { put_prefetch(x, write ? 0x0d : 0x18, 1, at); }

void tcc_x86_return(TccX86 *x) { tcc_text_put(&x->bytes, "\xc5\xf8\x77\xc3", 4); }

/* ---- places ---- */

size_t tcc_x86_here(TccX86 *x, bool align) {
  static const char *const nops[] = {"",
                                     "\x90",
                                     "\x66\x90",
                                     "\x0f\x1f\x00",
                                     "\x0f\x1f\x40\x00",
                                     "\x0f\x1f\x44\x00\x00",
                                     "\x66\x0f\x1f\x44\x00\x00",
                                     "\x0f\x1f\x80\x00\x00\x00\x00",
                                     "\x0f\x1f\x84\x00\x00\x00\x00\x00"}; /* SDM, NOP: recommended forms */
  while (align && x->bytes.length % 16) {
    size_t n = 16 - x->bytes.length % 16;
    n = n > 8 ? 8 : n;
    tcc_text_put(&x->bytes, nops[n], n);
  }
  return x->bytes.length;
}

void tcc_x86_jump_back(TccX86 *x, TccX86Condition condition, size_t to) {
  int64_t distance = (int64_t)to - (int64_t)x->bytes.length;
  if (fits8(distance - 2)) {
    put(x, 0x70u + (unsigned)condition), put(x, (unsigned)(distance - 2) & 0xff);
    return;
  }
  put(x, 0x0f), put(x, 0x80u + (unsigned)condition);
  put32(x, distance - 6);
}

size_t tcc_x86_jump(TccX86 *x, TccX86Condition condition) {
  if (condition == TCC_X86_ALWAYS) put(x, 0xe9);
  else put(x, 0x0f), put(x, 0x80u + (unsigned)condition);
  put32(x, 0);
  return x->bytes.length;
}

static void patch(TccX86 *x, size_t end, int64_t value) {
  for (size_t i = 0; i < 4; i++) x->bytes.data[end - 4 + i] = (char)(value >> 8 * i & 0xff);
}

void tcc_x86_land(TccX86 *x, size_t jump) { patch(x, jump, (int64_t)(x->bytes.length - jump)); }

void tcc_x86_finish(TccX86 *x) {
  if (!x->nconstants) return;
  do put(x, 0xcc); /* int3: code ends */
  while (x->bytes.length % 4);
  size_t first = x->bytes.length;
  tcc_text_put(&x->bytes, (const char *)x->constant, sizeof *x->constant * (size_t)x->nconstants);
  for (size_t i = 0; i < x->uses.count; i++) {
    size_t at = x->uses.data[i];
    int64_t which = (unsigned char)x->bytes.data[at];
    patch(x, at + 4, (int64_t)first + 4 * which - (int64_t)(at + 4));
  }
}
