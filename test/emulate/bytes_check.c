/* bytes_check.c - products of bytes as the emulator has them (mma.sync, wgmma, dp4a, of any signs, with .satfinite and without), beside loops in C over
 * random numbers, the largest ones and sums close to the ends of 32 bits among them. */
#include "test/emulate/ptx/ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 64, MOST_COLUMNS = 16, MOST_DEPTH = 32, TEXT = 1 << 14 };

typedef struct {
  int rows, columns, depth;
  bool is_signed[2], saturates;
} Form;

static uint32_t random_state = 1;
static uint32_t draw(void) { return random_state = random_state * 1664525u + 1013904223u; }

static uint8_t draw_byte(void) {
  static const uint8_t ends[] = {0, 127, 128, 255};
  uint32_t v = draw() >> 8;
  return v % 4 ? (uint8_t)(v >> 8) : ends[v >> 8 & 3];
}

static int32_t draw_sum(void) {
  uint32_t v = draw() >> 8;
  return v % 3 == 0 ? INT32_MAX - (int32_t)(v % 4096) : v % 3 == 1 ? INT32_MIN + (int32_t)(v % 4096) : (int32_t)draw();
}

static int64_t number(uint8_t byte, bool is_signed) { return is_signed ? (int8_t)byte : byte; }

/* out[row][column] = c + sum over k of a[row][k] * b[column][k]. */
static void expected(const Form *f, const uint8_t *a, const uint8_t *b, const int32_t *c, int32_t *out) {
  for (int r = 0; r < f->rows; r++)
    for (int n = 0; n < f->columns; n++) {
      int64_t sum = c[r * f->columns + n];
      for (int k = 0; k < f->depth; k++)
        sum += number(a[r * f->depth + k], f->is_signed[0]) * number(b[n * f->depth + k], f->is_signed[1]);
      if (f->saturates) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      out[r * f->columns + n] = (int32_t)(uint32_t)(uint64_t)sum;
    }
}

static const char *const types[] = {"u8", "s8"};
static const char head[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out) {\n"
                           ".reg .pred %p<4>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<16>;\n"
                           ".shared .align 1024 .b8 tile_a[2048];\n.shared .align 1024 .b8 tile_b[512];\n"
                           "ld.param.b64 %rd1, [a];\nld.param.b64 %rd2, [b];\nld.param.b64 %rd3, [c];\nld.param.b64 %rd4, [out];\n"
                           "mov.u32 %r1, %tid.x;\nand.b32 %r9, %r1, 31;\nshr.u32 %r2, %r9, 2;\nand.b32 %r3, %r9, 3;\n";

/* Lane 4 g + t has row g, bytes 4 t on, of either operand; a row of C and D is as long as one of 32 bytes. */
static void put_mma(char *text, const Form *f) {
  int half = f->depth == 32, at = 0;
  at += snprintf(
      text + at, TEXT - (size_t)at,
      "%smul.lo.u32 %%r4, %%r2, %d;\nshl.b32 %%r5, %%r3, 2;\nadd.u32 %%r4, %%r4, %%r5;\ncvt.u64.u32 %%rd5, %%r4;\n"
      "add.s64 %%rd6, %%rd1, %%rd5;\nadd.s64 %%rd7, %%rd2, %%rd5;\nld.global.b32 %%r10, [%%rd6];\nld.global.b32 %%r11, [%%rd6+%d];\n"
      "ld.global.b32 %%r14, [%%rd7];\n",
      head, f->depth, 8 * f->depth);
  if (half)
    at += snprintf(text + at, TEXT - (size_t)at,
                   "ld.global.b32 %%r12, [%%rd6+16];\nld.global.b32 %%r13, [%%rd6+%d];\nld.global.b32 %%r15, [%%rd7+16];\n",
                   8 * f->depth + 16);
  snprintf(
      text + at, TEXT - (size_t)at,
      "shl.b32 %%r6, %%r2, 5;\nshl.b32 %%r7, %%r3, 3;\nadd.u32 %%r6, %%r6, %%r7;\ncvt.u64.u32 %%rd8, %%r6;\nadd.s64 %%rd9, %%rd3, %%rd8;\n"
      "ld.global.v2.b32 {%%r16, %%r17}, [%%rd9];\nld.global.v2.b32 {%%r18, %%r19}, [%%rd9+256];\n"
      "mma.sync.aligned.m16n8k%d.row.col%s.s32.%s.%s.s32 {%%r20, %%r21, %%r22, %%r23}, {%s}, {%s}, {%%r16, %%r17, %%r18, %%r19};\n"
      "add.s64 %%rd9, %%rd4, %%rd8;\nst.global.v2.b32 [%%rd9], {%%r20, %%r21};\nst.global.v2.b32 [%%rd9+256], {%%r22, %%r23};\nret;\n}\n",
      f->depth, f->saturates ? ".satfinite" : "", types[f->is_signed[0]], types[f->is_signed[1]],
      half ? "%r10, %r11, %r12, %r13" : "%r10, %r11", half ? "%r14, %r15" : "%r14");
}

/* One lane a column; a row of A for all. */
static void put_dot(char *text, const Form *f) {
  snprintf(
      text, TEXT,
      "%sshl.b32 %%r4, %%r1, 2;\ncvt.u64.u32 %%rd5, %%r4;\nadd.s64 %%rd6, %%rd2, %%rd5;\nadd.s64 %%rd7, %%rd3, %%rd5;\nadd.s64 %%rd8, %%rd4, %%rd5;\n"
      "ld.global.b32 %%r10, [%%rd1];\nld.global.b32 %%r11, [%%rd6];\nld.global.b32 %%r12, [%%rd7];\n"
      "dp4a.%s.%s %%r13, %%r10, %%r11, %%r12;\nst.global.b32 [%%rd8], %%r13;\nret;\n}\n",
      head, f->is_signed[0] ? "s32" : "u32", f->is_signed[1] ? "s32" : "u32");
}

/* Tiles without a swizzle: 8 rows of 16 bytes side by side, halves of the depth behind each other; a thread moves 16 bytes. */
static void put_wgmma(char *text, const Form *f) {
  snprintf(
      text, TEXT,
      "%sand.b32 %%r4, %%r1, 63;\nshr.u32 %%r5, %%r1, 6;\nshl.b32 %%r4, %%r4, 5;\nshl.b32 %%r5, %%r5, 4;\nadd.u32 %%r4, %%r4, %%r5;\n"
      "cvt.u64.u32 %%rd5, %%r4;\nadd.s64 %%rd5, %%rd1, %%rd5;\nld.global.v4.b32 {%%r10, %%r11, %%r12, %%r13}, [%%rd5];\n"
      "mov.u32 %%r6, tile_a;\nshl.b32 %%r7, %%r1, 4;\nadd.u32 %%r8, %%r6, %%r7;\nst.shared.v4.b32 [%%r8], {%%r10, %%r11, %%r12, %%r13};\n"
      "mov.u32 %%r30, tile_b;\nsetp.ge.u32 %%p1, %%r1, 32;\n@%%p1 bra $there;\nand.b32 %%r4, %%r1, 15;\nshr.u32 %%r5, %%r1, 4;\nshl.b32 %%r4, %%r4, 5;\n"
      "shl.b32 %%r5, %%r5, 4;\nadd.u32 %%r4, %%r4, %%r5;\ncvt.u64.u32 %%rd5, %%r4;\nadd.s64 %%rd5, %%rd2, %%rd5;\n"
      "ld.global.v4.b32 {%%r10, %%r11, %%r12, %%r13}, [%%rd5];\nadd.u32 %%r8, %%r30, %%r7;\nst.shared.v4.b32 [%%r8], {%%r10, %%r11, %%r12, %%r13};\n$there:\n"
      "shr.u32 %%r31, %%r1, 5;\nshl.b32 %%r31, %%r31, 10;\nshl.b32 %%r4, %%r2, 6;\nshl.b32 %%r5, %%r3, 3;\nadd.u32 %%r4, %%r4, %%r5;\nadd.u32 %%r4, %%r4, %%r31;\n"
      "cvt.u64.u32 %%rd8, %%r4;\nadd.s64 %%rd9, %%rd3, %%rd8;\nld.global.v2.b32 {%%r10, %%r11}, [%%rd9];\nld.global.v2.b32 {%%r12, %%r13}, [%%rd9+512];\n"
      "ld.global.v2.b32 {%%r14, %%r15}, [%%rd9+32];\nld.global.v2.b32 {%%r16, %%r17}, [%%rd9+544];\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\nshr.u32 %%r6, %%r6, 4;\ncvt.u64.u32 %%rd10, %%r6;\nor.b64 %%rd10, %%rd10, 34363932672;\n"
      "shr.u32 %%r30, %%r30, 4;\ncvt.u64.u32 %%rd11, %%r30;\nor.b64 %%rd11, %%rd11, 34360786944;\nsetp.eq.u32 %%p2, %%r1, %%r1;\nwgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n16k32%s.s32.%s.%s {%%r10, %%r11, %%r12, %%r13, %%r14, %%r15, %%r16, %%r17}, %%rd10, %%rd11, %%p2;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nadd.s64 %%rd9, %%rd4, %%rd8;\nst.global.v2.b32 [%%rd9], {%%r10, %%r11};\n"
      "st.global.v2.b32 [%%rd9+512], {%%r12, %%r13};\nst.global.v2.b32 [%%rd9+32], {%%r14, %%r15};\nst.global.v2.b32 [%%rd9+544], {%%r16, %%r17};\nret;\n}\n",
      head, f->saturates ? ".satfinite" : "", types[f->is_signed[0]], types[f->is_signed[1]]);
}

static void *copy(EmuDevice *device, const void *bytes, size_t count) {
  void *memory = emu_allocate(device, count);
  if (!memory) exit(2);
  return memcpy(memory, bytes, count);
}

/* The number of results that differ. */
static int run(const Form *f, const char *text, uint32_t threads) {
  char error[400];
  uint8_t a[MOST_ROWS * MOST_DEPTH], b[2 * MOST_COLUMNS * MOST_DEPTH];
  int32_t c[MOST_ROWS * MOST_COLUMNS], want[MOST_ROWS * MOST_COLUMNS];
  EmuModule *module = emu_module_parse(text, error, sizeof error);
  if (!module) {
    printf("%s\n", error);
    return 1;
  }
  size_t count = (size_t)f->rows * (size_t)f->columns;
  EmuDevice *device = emu_device_create(1);
  for (size_t i = 0; i < sizeof a; i++) a[i] = draw_byte();
  for (size_t i = 0; i < sizeof b; i++) b[i] = draw_byte();
  for (size_t i = 0; i < count; i++) c[i] = draw_sum();
  void *memory[] = {copy(device, a, sizeof a), copy(device, b, sizeof b), copy(device, c, sizeof c), copy(device, c, sizeof c)};
  EmuLaunch launch = {.kernel = emu_kernel_find(module, "k"), .grid = {1, 1, 1}, .block = {threads, 1, 1}, .cluster = {1, 1, 1}};
  launch.parameters = memory;
  int wrong = !emu_launch(device, &launch);
  printf("%s", emu_report(device));
  expected(f, a, b, c, want);
  for (size_t i = 0; i < count; i++) wrong += ((const int32_t *)memory[3])[i] != want[i];
  emu_device_destroy(device);
  emu_module_destroy(module);
  return wrong;
}

int main(void) {
  enum { TIMES = 20 };
  static const struct {
    const char *name;
    void (*put)(char *text, const Form *f);
    int rows, columns, depth;
    uint32_t threads;
    bool saturates;
  } all[] = {{"mma.m16n8k32", put_mma, 16, 8, 32, 32, true},
             {"mma.m16n8k16", put_mma, 16, 8, 16, 32, true},
             {"wgmma.m64n16k32", put_wgmma, 64, 16, 32, 128, true},
             {"dp4a", put_dot, 1, 32, 4, 32, false}};
  static char text[TEXT];
  int failed = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int form = 0; form < (all[i].saturates ? 8 : 4); form++) {
      Form f = {all[i].rows, all[i].columns, all[i].depth, {form & 1, form >> 1 & 1}, form >> 2};
      int wrong = 0;
      all[i].put(text, &f);
      for (int t = 0; t < TIMES && !wrong; t++) wrong = run(&f, text, all[i].threads);
      printf("%s.%s.%s%s: %s\n", all[i].name, types[f.is_signed[0]], types[f.is_signed[1]], f.saturates ? ".satfinite" : "",
             wrong ? "differs" : "agrees");
      failed += wrong != 0;
    }
  return failed != 0;
}
