/* linalg_random.c - Philox4x32-10 in arith, on words of 32 bits and products of two halves; see tcc/random.h. */
#include "lib/targets/reference/linalg_text.h"
#include "tcc/random.h"

static int word(LinalgText *t, uint32_t value) { return linalg_op(t, "arith.constant %lld : i32", (long long)(int32_t)value); }
static int xor(LinalgText *t, int a, int b) { return linalg_op(t, "arith.xori %%v%d, %%v%d : i32", a, b); }
static int half(LinalgText *t, int x, int bits) { /* of 64 bits, those from `bits` on */
  int by = linalg_op(t, "arith.constant %d : i64", bits), moved = linalg_op(t, "arith.shrui %%v%d, %%v%d : i64", x, by);
  return linalg_op(t, "arith.trunci %%v%d : i64 to i32", moved);
}

static void product(LinalgText *t, int x, uint32_t factor, int *out_low, int *out_high) {
  int wide = linalg_op(t, "arith.extui %%v%d : i32 to i64", x), by = linalg_op(t, "arith.constant %lld : i64", (long long)factor),
      both = linalg_op(t, "arith.muli %%v%d, %%v%d : i64", wide, by);
  *out_low = half(t, both, 0);
  *out_high = half(t, both, 32);
}

static void mix(LinalgText *t, int c[4], const int key[2]) {
  int low[2], high[2];
  product(t, c[0], TCC_PHILOX_M0, &low[0], &high[0]);
  product(t, c[2], TCC_PHILOX_M1, &low[1], &high[1]);
  int next[4] = {xor(t, xor(t, high[1], c[1]), key[0]), low[1], xor(t, xor(t, high[0], c[3]), key[1]), low[0]};
  memcpy(c, next, sizeof next);
}

/* c[index mod 4] */
static int pick(LinalgText *t, int index, const int c[4]) {
  int four = linalg_op(t, "arith.constant 4 : i64"), rest = linalg_op(t, "arith.remui %%v%d, %%v%d : i64", index, four), r = c[0];
  for (int i = 1; i < 4; i++) {
    int at = linalg_op(t, "arith.constant %d : i64", i), is = linalg_op(t, "arith.cmpi eq, %%v%d, %%v%d : i64", rest, at);
    r = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : i32", is, c[i], r);
  }
  return r;
}

int linalg_random(LinalgText *t, int index, int seed, int offset) {
  int two = linalg_op(t, "arith.constant 2 : i64"), block = linalg_op(t, "arith.shrui %%v%d, %%v%d : i64", index, two);
  int c[4] = {half(t, block, 0), half(t, block, 32), half(t, offset, 0), half(t, offset, 32)};
  int key[2] = {half(t, seed, 0), half(t, seed, 32)};
  static const uint32_t grow[2] = {TCC_PHILOX_W0, TCC_PHILOX_W1};
  for (int round = 0; round < TCC_PHILOX_ROUNDS; round++) {
    mix(t, c, key);
    for (int k = 0; k < 2; k++) key[k] = linalg_op(t, "arith.addi %%v%d, %%v%d : i32", key[k], word(t, grow[k]));
  }
  return pick(t, index, c);
}
