/* scalar_random.c - Philox4x32-10 in lanes of 64 bits, of which the low halves count: a product of two words is one multiplication then,
 * and both of its halves are words that the next round takes. See tcc/random.h. */
#include "lib/codegen/emit/scalar.h"
#include "tcc/random.h"

typedef struct {
  TccEmit *e;
  const char *type; /* of `lanes` lanes of i64 */
} Words;

static TccVal constant(const Words *w, uint32_t value) { return tcc_emit_int(w->e, w->type, (int64_t)value); }
static TccVal bin(const Words *w, const char *op, TccVal a, TccVal b) { return tcc_emit_bin(w->e, op, w->type, a, b); }
static TccVal low(const Words *w, TccVal v) { return bin(w, "and", v, constant(w, UINT32_MAX)); }
static TccVal high(const Words *w, TccVal v) { return bin(w, "lshr", v, constant(w, 32)); }

/* One round on the counter c, by the key. */
static void mix(const Words *w, TccVal c[4], const TccVal key[2]) {
  TccVal a = bin(w, "mul", c[0], constant(w, TCC_PHILOX_M0)), b = bin(w, "mul", c[2], constant(w, TCC_PHILOX_M1));
  c[0] = bin(w, "xor", bin(w, "xor", high(w, b), c[1]), key[0]);
  c[1] = low(w, b);
  c[2] = bin(w, "xor", bin(w, "xor", high(w, a), c[3]), key[1]);
  c[3] = low(w, a);
}

/* c[index mod 4] */
static TccVal pick(const Words *w, TccVal index, const TccVal c[4]) {
  TccVal zero = constant(w, 0);
  TccVal odd = tcc_emit_icmp(w->e, "ne", w->type, bin(w, "and", index, constant(w, 1)), zero),
         upper = tcc_emit_icmp(w->e, "ne", w->type, bin(w, "and", index, constant(w, 2)), zero);
  return tcc_emit_select(w->e, w->type, upper, tcc_emit_select(w->e, w->type, odd, c[3], c[2]),
                         tcc_emit_select(w->e, w->type, odd, c[1], c[0]));
}

TccVal tcc_scalar_random(TccEmit *e, int lanes, TccVal index, TccVal seed, TccVal offset) {
  Words w = {e, tcc_emit_vector(e, "i64", lanes)};
  TccVal block = bin(&w, "lshr", index, constant(&w, 2)), key[2] = {low(&w, seed), high(&w, seed)},
         c[4] = {low(&w, block), high(&w, block), low(&w, offset), high(&w, offset)};
  for (int round = 0; round < TCC_PHILOX_ROUNDS; round++) {
    mix(&w, c, key);
    key[0] = low(&w, bin(&w, "add", key[0], constant(&w, TCC_PHILOX_W0)));
    key[1] = low(&w, bin(&w, "add", key[1], constant(&w, TCC_PHILOX_W1)));
  }
  return tcc_emit_cast(e, "trunc", w.type, tcc_emit_vector(e, "i32", lanes), pick(&w, index, c));
}
