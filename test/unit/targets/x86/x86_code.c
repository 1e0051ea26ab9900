/* The encoder against LLVM's disassembler: each form with registers of every group of eight, each kind of address with displacements
 * around what one byte holds, and jumps. */
#include "lib/targets/x86/code/x86_code.h"
#include "llvm-c/Disassembler.h"
#include "llvm-c/Target.h"
#include <stdio.h>
#include <string.h>

static const char *const general[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const names[TCC_X86_VECTOR_OPS] = {[TCC_X86_LOAD] = "vmovups",
                                                      [TCC_X86_STORE] = "vmovups",
                                                      [TCC_X86_BROADCAST32] = "vbroadcastss",
                                                      [TCC_X86_BROADCAST64] = "vbroadcastsd",
                                                      [TCC_X86_BROADCAST128] = "vbroadcastf128",
                                                      [TCC_X86_WIDEN_I8] = "vpmovsxbw",
                                                      [TCC_X86_FMADD_PS] = "vfmadd231ps",
                                                      [TCC_X86_FMADD_PD] = "vfmadd231pd",
                                                      [TCC_X86_DPBF16] = "vdpbf16ps",
                                                      [TCC_X86_DPBUSD] = "vpdpbusd",
                                                      [TCC_X86_DPWSSD] = "vpdpwssd",
                                                      [TCC_X86_MADD_I16] = "vpmaddwd",
                                                      [TCC_X86_ADD_PS] = "vaddps",
                                                      [TCC_X86_ADD_PD] = "vaddpd",
                                                      [TCC_X86_ADD_I32] = "vpaddd",
                                                      [TCC_X86_SUB_PS] = "vsubps",
                                                      [TCC_X86_MUL_PS] = "vmulps",
                                                      [TCC_X86_DIV_PS] = "vdivps",
                                                      [TCC_X86_MIN_PS] = "vminps",
                                                      [TCC_X86_MAX_PS] = "vmaxps",
                                                      [TCC_X86_UNPACK_LOW_PS] = "vunpcklps",
                                                      [TCC_X86_UNPACK_HIGH_PS] = "vunpckhps",
                                                      [TCC_X86_UNPACK_LOW_PD] = "vunpcklpd",
                                                      [TCC_X86_UNPACK_HIGH_PD] = "vunpckhpd",
                                                      [TCC_X86_MOVE] = "vmovaps"};
static LLVMDisasmContextRef disassembler;
static TccArena *arena;
static int failures, checked;

static void check(TccX86 *x, const char *want) {
  char text[200];
  size_t length = LLVMDisasmInstruction(disassembler, (uint8_t *)x->bytes.data, x->bytes.length, 0, text, sizeof text);
  checked++;
  for (char *c = text; *c; c++) *c = *c == '\t' ? ' ' : *c;
  if (length != x->bytes.length || strcmp(text + 1, want) != 0) {
    if (failures++ < 20)
      printf("failed: '%s' is '%s', %zu of %zu bytes\n", want, length ? text + 1 : "no instruction", length, x->bytes.length);
  }
  tcc_text_destroy(&x->bytes);
  x->bytes = (TccText){0};
}

static TccX86 encoder(int vector) { return (TccX86){.vector = vector, .arena = arena}; }

static void address_text(char *out, size_t size, TccX86At at, const char *after) {
  char offset[24] = "", index[8] = "";
  if (at.offset) snprintf(offset, sizeof offset, "%lld", (long long)at.offset);
  if (at.indexed) snprintf(index, sizeof index, ",%%%s", general[at.index]);
  snprintf(out, size, "%s(%%%s%s)%s", offset, general[at.base], index, after);
}

static bool has_source(TccX86Vector op) { return op > TCC_X86_WIDEN_I8 && op != TCC_X86_MOVE; }

static void vectors(int bytes) {
  static const int registers[] = {0, 5, 8, 15, 16, 23, 24, 31};
  static const int64_t offsets[] = {0, 4, -4, 32, 64, -64, 508, 512, 4064, 8128, 8192, -8192, 1 << 20, -(1 << 20)};
  int n = bytes == 64 ? 8 : 4;
  char letter = bytes == 64 ? 'z' : 'y', want[200], place[80];
  TccX86 x = encoder(bytes);
  for (int op = 0; op < TCC_X86_VECTOR_OPS; op++) {
    const char *name = op == TCC_X86_XOR ? (bytes == 64 ? "vpxord" : "vpxor") : names[op];
    if (bytes == 32 && (op == TCC_X86_DPBF16 || op == TCC_X86_DPBUSD || op == TCC_X86_DPWSSD)) continue;
    if (bytes == 64 && op == TCC_X86_BROADCAST128) continue;
    for (int i = 0; i < n * n * n; i++) {
      int to = registers[i / n / n], a = registers[i / n % n], b = registers[i % n];
      bool memory_alone = op == TCC_X86_LOAD || op == TCC_X86_STORE || (op >= TCC_X86_BROADCAST32 && op <= TCC_X86_WIDEN_I8);
      if (!memory_alone && (has_source(op) || a == 0)) {
        tcc_x86_vector(&x, op, to, has_source(op) ? a : 0, b);
        if (has_source(op)) snprintf(want, sizeof want, "%s %%%cmm%d, %%%cmm%d, %%%cmm%d", name, letter, b, letter, a, letter, to);
        else snprintf(want, sizeof want, "%s %%%cmm%d, %%%cmm%d", name, letter, b, letter, to);
        check(&x, want);
      }
      if (!has_source(op) && a != 0) continue;
      TccX86At at = i % 3 ? tcc_x86_at(i % 16, offsets[i % 14])
                          : tcc_x86_at_index(i % 16, i % 16 == TCC_RSP ? TCC_R12 : (i + 5) % 16, offsets[i % 14]);
      if (at.indexed && at.index == TCC_RSP) continue;
      at.repeated = bytes == 64 && has_source(op) && strstr(name, "ps") && op != TCC_X86_DPBF16 && i % 2;
      tcc_x86_vector_at(&x, op, to, has_source(op) ? a : 0, at);
      address_text(place, sizeof place, at, at.repeated ? "{1to16}" : "");
      if (op == TCC_X86_STORE) snprintf(want, sizeof want, "%s %%%cmm%d, %s", name, letter, to, place);
      else if (has_source(op)) snprintf(want, sizeof want, "%s %s, %%%cmm%d, %%%cmm%d", name, place, letter, a, letter, to);
      else snprintf(want, sizeof want, "%s %s, %%%cmm%d", name, place, letter, to);
      check(&x, want);
    }
  }
}

static void quarters(void) {
  char want[200];
  TccX86 x = encoder(64);
  for (int i = 0; i < 32 * 32; i++) {
    int to = i / 32, a = i % 32, b = (i * 7 + 3) % 32;
    tcc_x86_quarters(&x, to, a, b, i % 256);
    snprintf(want, sizeof want, "vshuff32x4 $%d, %%zmm%d, %%zmm%d, %%zmm%d", i % 256, b, a, to);
    check(&x, want);
  }
}

static void high_halves(void) {
  char want[200], place[80];
  TccX86 x = encoder(32);
  for (int i = 0; i < 16 * 16; i++) {
    int to = i / 16, a = i % 16;
    if (a == TCC_RSP) continue;
    TccX86At at = tcc_x86_at_index((i * 7 + 3) % 16, a, 16 * (i % 5));
    tcc_x86_insert_high(&x, to, a, at);
    address_text(place, sizeof place, at, "");
    snprintf(want, sizeof want, "vinsertf128 $1, %s, %%ymm%d, %%ymm%d", place, a, to);
    check(&x, want);
  }
}

static void integers(void) {
  static const struct {
    TccX86Op op;
    const char *name;
  } ops[] = {{TCC_X86_MOV, "movq"},      {TCC_X86_LEA, "leaq"},       {TCC_X86_ADD, "addq"},   {TCC_X86_SUB, "subq"},
             {TCC_X86_AND, "andq"},      {TCC_X86_CMP, "cmpq"},       {TCC_X86_IMUL, "imulq"}, {TCC_X86_CMOV_AE, "cmovaeq"},
             {TCC_X86_CMOV_E, "cmoveq"}, {TCC_X86_CMOV_LE, "cmovleq"}};
  static const struct {
    TccX86Number op;
    const char *name;
  } numbered[] = {
      {TCC_X86_ADD_NUMBER, "addq"}, {TCC_X86_AND_NUMBER, "andq"}, {TCC_X86_SUB_NUMBER, "subq"}, {TCC_X86_CMP_NUMBER, "cmpq"}};
  static const int64_t numbers[] = {0, 1, -1, 127, 128, -128, -129, 1 << 20};
  char want[200], place[80];
  TccX86 x = encoder(64);
  for (int i = 0; i < 256; i++) {
    int to = i / 16, from = i % 16;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
      if (ops[k].op != TCC_X86_LEA) {
        tcc_x86_op(&x, ops[k].op, to, from);
        snprintf(want, sizeof want, "%s %%%s, %%%s", ops[k].name, general[from], general[to]);
        check(&x, want);
      }
      TccX86At at = tcc_x86_at(from, numbers[i % 8]);
      tcc_x86_op_at(&x, ops[k].op, to, at);
      address_text(place, sizeof place, at, "");
      snprintf(want, sizeof want, "%s %s, %%%s", ops[k].name, place, general[to]);
      check(&x, want);
    }
    tcc_x86_op_at(&x, TCC_X86_MOV_OUT, to, tcc_x86_at(from, 8));
    snprintf(want, sizeof want, "movq %%%s, 8(%%%s)", general[to], general[from]);
    check(&x, want);
    tcc_x86_op_at(&x, TCC_X86_ADD_OUT, to, tcc_x86_at(from, 8));
    snprintf(want, sizeof want, "addq %%%s, 8(%%%s)", general[to], general[from]);
    check(&x, want);
    int64_t number = numbers[i % 8];
    for (size_t k = 0; k < sizeof numbered / sizeof *numbered; k++) {
      tcc_x86_number(&x, numbered[k].op, to, number);
      snprintf(want, sizeof want, "%s $%lld, %%%s", numbered[k].name, (long long)number, general[to]);
      check(&x, want);
    }
    tcc_x86_multiply(&x, to, from, number);
    snprintf(want, sizeof want, "imulq $%lld, %%%s, %%%s", (long long)number, general[from], general[to]);
    check(&x, want);
    if (from == TCC_RSP) continue;
    tcc_x86_prefetch(&x, tcc_x86_at_index(to, from, number));
    address_text(place, sizeof place, tcc_x86_at_index(to, from, number), "");
    snprintf(want, sizeof want, "prefetcht1 %s", place);
    check(&x, want);
    for (int write = 0; write < 2; write++) {
      tcc_x86_prefetch_near(&x, tcc_x86_at_index(to, from, number), write);
      snprintf(want, sizeof want, "%s %s", write ? "prefetchw" : "prefetcht0", place);
      check(&x, want);
    }
  }
  for (int reg = 0; reg < 16; reg++) {
    tcc_x86_set(&x, reg, 1000);
    snprintf(want, sizeof want, "movq $1000, %%%s", general[reg]);
    check(&x, want);
    tcc_x86_shift_right(&x, reg, 4);
    snprintf(want, sizeof want, "shrq $4, %%%s", general[reg]);
    check(&x, want);
    tcc_x86_push(&x, reg);
    snprintf(want, sizeof want, "pushq %%%s", general[reg]);
    check(&x, want);
    tcc_x86_pop(&x, reg);
    snprintf(want, sizeof want, "popq %%%s", general[reg]);
    check(&x, want);
  }
}

/* A jump over a loop of `length` bytes and back to it, at places that need a short one and a long one. */
static void jumps(int adds) {
  TccX86 x = encoder(64);
  char text[100];
  size_t over = tcc_x86_jump(&x, TCC_X86_EQUAL), turn = tcc_x86_here(&x, true);
  for (int i = 0; i < adds; i++) tcc_x86_number(&x, TCC_X86_ADD_NUMBER, TCC_RAX, 1);
  size_t back = x.bytes.length;
  tcc_x86_jump_back(&x, TCC_X86_NOT_EQUAL, turn);
  tcc_x86_land(&x, over);
  int32_t distance;
  memcpy(&distance, x.bytes.data + over - 4, sizeof distance);
  bool ok = turn % 16 == 0 && over + (size_t)distance == x.bytes.length;
  size_t length = LLVMDisasmInstruction(disassembler, (uint8_t *)x.bytes.data + back, x.bytes.length - back, 0, text, sizeof text);
  int64_t to = (int64_t)back + (int64_t)length;
  long long printed = 0;
  ok = ok && length == x.bytes.length - back && sscanf(text, " jne %lld", &printed) == 1 && to + printed == (int64_t)turn;
  for (size_t at = over; at < turn && ok; at += length) {
    length = LLVMDisasmInstruction(disassembler, (uint8_t *)x.bytes.data + at, turn - at, 0, text, sizeof text);
    ok = length > 0 && strstr(text, "nop");
  }
  if (!ok) printf("failed: jumps around %d additions\n", adds), failures++;
  tcc_text_destroy(&x.bytes);
}

static void jump_always(void) {
  TccX86 x = encoder(64);
  char text[100];
  size_t over = tcc_x86_jump(&x, TCC_X86_ALWAYS);
  for (int i = 0; i < 50; i++) tcc_x86_number(&x, TCC_X86_ADD_NUMBER, TCC_RAX, 1);
  tcc_x86_land(&x, over);
  long long printed = 0;
  size_t length = LLVMDisasmInstruction(disassembler, (uint8_t *)x.bytes.data, x.bytes.length, 0, text, sizeof text);
  if (length != over || sscanf(text, " jmp %lld", &printed) != 1 || over + (size_t)printed != x.bytes.length)
    printf("failed: a jump that is always taken: %s\n", text), failures++;
  tcc_text_destroy(&x.bytes);
}

static void constants(void) {
  TccX86 x = encoder(64);
  tcc_x86_vector_at(&x, TCC_X86_MUL_PS, 1, 2, tcc_x86_constant(&x, 2.5f));
  tcc_x86_vector_at(&x, TCC_X86_BROADCAST32, 3, 0, tcc_x86_constant(&x, -1));
  tcc_x86_vector_at(&x, TCC_X86_MUL_PS, 1, 2, tcc_x86_constant(&x, 2.5f));
  tcc_x86_return(&x);
  tcc_x86_finish(&x);
  static const float want[] = {2.5f, -1, 2.5f};
  size_t at = 0;
  char text[100];
  for (int i = 0; i < 3; i++) {
    at += LLVMDisasmInstruction(disassembler, (uint8_t *)x.bytes.data + at, x.bytes.length - at, 0, text, sizeof text);
    int32_t distance;
    float value = 0;
    memcpy(&distance, x.bytes.data + at - 4, sizeof distance);
    if (at + (size_t)distance + 4 <= x.bytes.length) memcpy(&value, x.bytes.data + at + (size_t)distance, sizeof value);
    if (value != want[i] || !strstr(text, "(%rip)")) printf("failed: constant %d\n", i), failures++;
  }
  if (x.nconstants != 2) printf("failed: equal constants\n"), failures++;
  tcc_text_destroy(&x.bytes);
}

int main(void) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  disassembler = LLVMCreateDisasmCPU("x86_64-unknown-linux-gnu", "sapphirerapids", NULL, 0, NULL, NULL);
  if (!disassembler) return printf("no disassembler\n"), 77;
  arena = tcc_arena_create();
  vectors(32), vectors(64);
  quarters();
  high_halves();
  integers();
  for (int adds = 1; adds < 60; adds += 7) jumps(adds);
  jump_always();
  constants();
  tcc_arena_destroy(arena);
  LLVMDisasmDispose(disassembler);
  printf("%d instructions, %d failures\n", checked, failures);
  return failures ? 1 : 0;
}
