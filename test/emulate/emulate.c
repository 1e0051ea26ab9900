/* emulate.c - AMX and AVX512-BF16 in software, for machines without them: LD_PRELOAD=emulate.so tcc-run --target=x86,sapphirerapids ...
 *
 * An instruction that the CPU does not know raises SIGILL; the handler decodes it, does its work on the interrupted
 * registers, and goes on behind it. Tile registers live here, one set a thread; vector registers lie in the signal frame, in
 * the standard XSAVE format (Intel SDM volume 1, 13.4). The run-time, which asks the CPU, is told that it has them.
 * On a CPU with AMX the kernel is not asked for permission, so that tiles are illegal there, too; ldtilecfg and tilerelease are not, and
 * what they have set is read from the frame. A CPU with AVX512-BF16 runs its instructions itself.
 * EMULATE_ISA=avx2,avx512, a list of names: the run-time is told that the CPU has these features and no other.
 * Semantics after the SDM: subnormal floats count as zero, a pair of products is summed before it meets the accumulator.
 * Taken: ldtilecfg, tilerelease, tilezero, tileloadd, tilestored, tdp*; vdpbf16ps and vcvtneps2bf16 of zmm without a mask. Anything
 * else is fatal, as it would be without this library. */
#include "tcc/plan.h"
#include <cpuid.h>
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { TILES = 8, ROWS = 16, ROW_BYTES = 64, FXSAVE_BYTES = 512 };
static __thread struct {
  uint8_t data[TILES][ROWS][ROW_BYTES];
  uint16_t row_bytes[TILES];
  uint8_t rows[TILES];
} tile;
/* offsets of ymm's, zmm's upper parts, of zmm16-31 and of the tiles' configuration in the frame; the last 0: the CPU has no tiles */
static uint32_t upper_halves, upper_quarters, high_registers, tile_configuration;

/* ---- what the process asks about its machine ---- */
static uint64_t named_features(const char *list) {
  static const struct {
    const char *name;
    uint64_t bits;
  } features[] = {{"avx2", TCC_ISA_AVX2 | TCC_ISA_FMA | TCC_ISA_F16C}, {"avx512", TCC_ISA_AVX512}, {"vnni", TCC_ISA_AVX512_VNNI}};
  uint64_t isa = 0;
  while (*list) {
    size_t length = strcspn(list, ",");
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
      if (strlen(features[i].name) == length && !memcmp(list, features[i].name, length)) isa |= features[i].bits;
    list += length + (list[length] == ',');
  }
  return isa;
}

uint64_t tcc_cpu_isa(void) {
  const char *alone = getenv("EMULATE_ISA");
  if (alone) return named_features(alone);
  uint64_t (*of_machine)(void) = (uint64_t (*)(void))dlsym(RTLD_NEXT, "tcc_cpu_isa");
  return (of_machine ? of_machine() : 0) | TCC_ISA_AMX | TCC_ISA_AVX512_BF16;
}

TCC_EXPORT long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  enum { REQUEST_PERMISSION = 0x1023 };
  if (number == SYS_arch_prctl && a[0] == REQUEST_PERMISSION) return 0; /* the kernel is not asked: tiles stay illegal */
  long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* ---- decoding ---- */
typedef struct {
  const uint8_t *at;       /* the next byte */
  int prefix, map, opcode; /* pp: 0 none, 1 66, 2 F3, 3 F2 */
  int reg, rm, third;      /* register numbers */
  bool memory, broadcast, masked;
  uint64_t base, stride; /* of a memory operand: its address, and the index register scaled */
} Instruction;

static uint64_t general(const ucontext_t *u, int number) {
  static const int order[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                              REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return (uint64_t)u->uc_mcontext.gregs[order[number]];
}

/* ModRM, SIB and displacement; extensions: bits R, X, B of the prefix as 8s; unit: of a one-byte displacement. */
static void decode_operand(const ucontext_t *u, Instruction *in, int r, int x, int b, int64_t unit) {
  int modrm = *in->at++, mod = modrm >> 6, rm = modrm & 7;
  in->reg = r + (modrm >> 3 & 7);
  in->rm = b + rm;
  in->memory = mod != 3;
  if (!in->memory) return;
  bool relative = mod == 0 && rm == 5;
  if (rm == 4) {
    int sib = *in->at++, index = x + (sib >> 3 & 7);
    in->stride = index == 4 ? 0 : general(u, index) << (sib >> 6);
    bool no_base = mod == 0 && (sib & 7) == 5;
    in->base = no_base ? 0 : general(u, b + (sib & 7));
    if (no_base) mod = 2;
  } else if (!relative) {
    in->base = general(u, b + rm);
  }
  if (mod == 1) {
    in->base += (uint64_t)((int8_t)*in->at * unit);
    in->at += 1;
  } else if (mod == 2 || relative) {
    int32_t displacement;
    memcpy(&displacement, in->at, sizeof displacement);
    in->at += 4;
    in->base += (uint64_t)(int64_t)displacement;
    if (relative) in->base += (uint64_t)(uintptr_t)in->at;
  }
}

static bool decode(const ucontext_t *u, Instruction *in) {
  *in = (Instruction){.at = (const uint8_t *)u->uc_mcontext.gregs[REG_RIP]};
  int first = *in->at++, p0 = *in->at++, p1 = *in->at++;
  int r = p0 & 0x80 ? 0 : 8, x = p0 & 0x40 ? 0 : 8, b = p0 & 0x20 ? 0 : 8;
  in->third = ~(p1 >> 3) & 15;
  in->prefix = p1 & 3;
  if (first == 0xc4) {
    in->map = p0 & 31;
    in->opcode = *in->at++;
    decode_operand(u, in, r, x, b, 1);
    return true;
  }
  if (first != 0x62) return false;
  int p2 = *in->at++;
  in->map = p0 & 7;
  in->opcode = *in->at++;
  in->broadcast = p2 & 0x10;
  in->masked = p2 & 7 || (p2 >> 5 & 3) != 2; /* a mask, or another width than 512 bits */
  in->third += p2 & 8 ? 0 : 16;
  decode_operand(u, in, r, x, b, in->broadcast ? 4 : 64);
  in->reg += p0 & 0x10 ? 0 : 16;
  if (!in->memory) in->rm += p0 & 0x40 ? 0 : 16;
  if (in->memory) in->base += in->stride;
  return true;
}

/* ---- vector registers of the interrupted code ---- */
static void part(ucontext_t *u, int component, uint32_t offset, size_t bytes, bool write, uint8_t *value) {
  uint8_t *area = (uint8_t *)u->uc_mcontext.fpregs;
  uint64_t *present = (uint64_t *)(area + FXSAVE_BYTES), bit = UINT64_C(1) << component;
  if (!write && !(*present & bit)) memset(value, 0, bytes);
  else if (!write) memcpy(value, area + offset, bytes);
  else memcpy(area + offset, value, bytes);
}

static void zmm(ucontext_t *u, int number, bool write, uint8_t value[64]) {
  enum { SSE = 1, AVX = 2, UPPER = 6, HIGH = 7, XMM = 160 };
  uint8_t *area = (uint8_t *)u->uc_mcontext.fpregs;
  uint64_t *present = (uint64_t *)(area + FXSAVE_BYTES);
  if (write && number < 16) { /* a part that was in its initial state is all zero before it is written */
    const struct {
      int component;
      uint32_t offset;
      size_t bytes;
    } parts[] = {{AVX, upper_halves, 256}, {UPPER, upper_quarters, 512}};
    for (int i = 0; i < 2; i++)
      if (!(*present & UINT64_C(1) << parts[i].component)) memset(area + parts[i].offset, 0, parts[i].bytes);
    *present |= 1 << SSE | 1 << AVX | 1 << UPPER;
  } else if (write) {
    if (!(*present & 1 << HIGH)) memset(area + high_registers, 0, 1024);
    *present |= 1 << HIGH;
  }
  if (number >= 16) {
    part(u, HIGH, high_registers + 64 * (uint32_t)(number - 16), 64, write, value);
    return;
  }
  part(u, SSE, XMM + 16 * (uint32_t)number, 16, write, value);
  part(u, AVX, upper_halves + 16 * (uint32_t)number, 16, write, value + 16);
  part(u, UPPER, upper_quarters + 32 * (uint32_t)number, 32, write, value + 32);
}

/* ---- arithmetic ---- */
static float flushed(float x) { return fpclassify(x) == FP_SUBNORMAL ? 0 : x; }

static float from_bf16(const uint8_t *p) {
  uint32_t bits = (uint32_t)p[1] << 24 | (uint32_t)p[0] << 16;
  float x;
  memcpy(&x, &bits, sizeof x);
  return flushed(x);
}

static float pair_sum(const uint8_t *a, const uint8_t *b) {
  return flushed(from_bf16(a) * from_bf16(b) + from_bf16(a + 2) * from_bf16(b + 2));
}

static void add_float(uint8_t *sum, float x) {
  float s;
  memcpy(&s, sum, sizeof s);
  s = flushed(flushed(s) + x);
  memcpy(sum, &s, sizeof s);
}

static int32_t byte_of(const uint8_t *p, bool is_signed) { return is_signed ? (int8_t)*p : *p; }

static void tile_product(const Instruction *in, bool floats) {
  bool signed_a = in->prefix >= 2, signed_b = in->prefix == 1 || in->prefix == 3; /* uu: none, us: 66, su: F3, ss: F2 */
  int rows = tile.rows[in->reg], columns = tile.row_bytes[in->reg] / 4, words = tile.row_bytes[in->rm] / 4;
  for (int m = 0; m < rows; m++)
    for (int n = 0; n < columns; n++) {
      uint8_t *sum = &tile.data[in->reg][m][4 * n];
      float even = 0, odd = 0;
      uint32_t whole;
      memcpy(&whole, sum, sizeof whole);
      for (int k = 0; k < words; k++) {
        const uint8_t *a = &tile.data[in->rm][m][4 * k], *b = &tile.data[in->third][k][4 * n];
        if (floats) {
          even = flushed(fmaf(from_bf16(a), from_bf16(b), even));
          odd = flushed(fmaf(from_bf16(a + 2), from_bf16(b + 2), odd));
        } else {
          for (int i = 0; i < 4; i++) whole += (uint32_t)(byte_of(a + i, signed_a) * byte_of(b + i, signed_b));
        }
      }
      if (floats) add_float(sum, flushed(even + odd));
      else memcpy(sum, &whole, sizeof whole);
    }
}

/* The register or memory operand of sixteen words, one of which may stand for all. */
static void words_of(ucontext_t *u, const Instruction *in, uint8_t words[64]) {
  if (!in->memory) zmm(u, in->rm, false, words);
  else if (!in->broadcast) memcpy(words, (const void *)(uintptr_t)in->base, 64);
  else
    for (int i = 0; i < 16; i++) memcpy(words + 4 * i, (const void *)(uintptr_t)in->base, 4);
}

static void dot_of_pairs(ucontext_t *u, const Instruction *in) {
  uint8_t sum[64], a[64], b[64];
  zmm(u, in->reg, false, sum);
  zmm(u, in->third, false, a);
  words_of(u, in, b);
  for (int i = 0; i < 16; i++) add_float(sum + 4 * i, pair_sum(a + 4 * i, b + 4 * i));
  zmm(u, in->reg, true, sum);
}

/* The upper half of a float, to nearest even; NaN is quiet. */
static uint16_t to_bf16(const uint8_t *p) {
  float x;
  uint32_t bits;
  memcpy(&x, p, sizeof x), memcpy(&bits, p, sizeof bits);
  if (x != x) return (uint16_t)(bits >> 16 | 0x40);
  if (fpclassify(x) == FP_SUBNORMAL) return (uint16_t)(bits >> 16 & 0x8000);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void halves_of_floats(ucontext_t *u, const Instruction *in) {
  uint8_t from[64], to[64] = {0};
  words_of(u, in, from);
  for (int i = 0; i < 16; i++) {
    uint16_t half = to_bf16(from + 4 * i);
    memcpy(to + 2 * i, &half, sizeof half);
  }
  zmm(u, in->reg, true, to);
}

static bool use_configuration(const uint8_t *c) {
  if (c[0] != 1) return false;
  memcpy(tile.row_bytes, c + 16, sizeof tile.row_bytes);
  memcpy(tile.rows, c + 48, sizeof tile.rows);
  return true;
}

static bool configure(const Instruction *in) {
  memset(&tile, 0, sizeof tile);
  return !in->memory || use_configuration((const uint8_t *)(uintptr_t)(in->base + in->stride)); /* no operand: tilerelease */
}

/* What the CPU's own ldtilecfg has set. */
static void read_configuration(const ucontext_t *u) {
  enum { TILE_CONFIGURATION = 17 };
  const uint8_t *area = (const uint8_t *)u->uc_mcontext.fpregs;
  uint64_t present;
  memcpy(&present, area + FXSAVE_BYTES, sizeof present);
  if (tile_configuration && (present >> TILE_CONFIGURATION & 1)) use_configuration(area + tile_configuration);
}

static bool run(ucontext_t *u, Instruction *in) {
  enum { MAP_0F38 = 2, F3 = 2, F2 = 3 };
  if (in->map != MAP_0F38) return false;
  read_configuration(u);
  switch (in->opcode) {
  case 0x49:
    if (in->prefix == 0) return configure(in);
    if (in->prefix != F2) return false;
    memset(tile.data[in->reg], 0, sizeof tile.data[in->reg]);
    return true;
  case 0x4b:
    for (int i = 0; i < tile.rows[in->reg]; i++) {
      void *row = (void *)(uintptr_t)(in->base + (uint64_t)i * in->stride);
      if (in->prefix == F3) memcpy(row, tile.data[in->reg][i], tile.row_bytes[in->reg]);
      else memcpy(tile.data[in->reg][i], row, tile.row_bytes[in->reg]);
    }
    return tile.rows[in->reg] != 0; /* not configured */
  case 0x52:
    if (in->prefix != F3 || in->masked) return false;
    dot_of_pairs(u, in);
    return true;
  case 0x72:
    if (in->prefix != F3 || in->masked) return false;
    halves_of_floats(u, in);
    return true;
  case 0x5c: tile_product(in, true); return in->prefix == F3;
  case 0x5e: tile_product(in, false); return true;
  default: return false;
  }
}

static void on_illegal(int signal_number, siginfo_t *info, void *context) {
  (void)info;
  ucontext_t *u = context;
  Instruction in;
  if (decode(u, &in) && run(u, &in)) {
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)in.at;
    return;
  }
  signal(signal_number, SIG_DFL); /* meets the same instruction again */
}

__attribute__((constructor)) static void install(void) {
  uint32_t a, c, d;
  const struct {
    uint32_t leaf, *offset;
  } components[] = {{2, &upper_halves}, {6, &upper_quarters}, {7, &high_registers}, {17, &tile_configuration}};
  for (int i = 0; i < 4; i++) __get_cpuid_count(13, components[i].leaf, &a, components[i].offset, &c, &d);
  struct sigaction action = {.sa_sigaction = on_illegal, .sa_flags = SA_SIGINFO | SA_NODEFER};
  sigaction(SIGILL, &action, NULL);
}
