/* digest.c - see include/tcc/digest.h.
 *
 * BLAKE2b, RFC 7693 section 3, without a key and of bytes that are all there: a chain of 128-byte blocks, each mixed into eight words
 * by twelve rounds. It is our own since the package of the usual library is built with OpenMP, which every process that runs a
 * model would load, and this takes no longer (0.9 GB/s beside 0.8, whose vectors gain nothing for one chain). */
#include "lib/base/blake2b.h"
#include <stdio.h>

static inline uint64_t rotate(uint64_t x, int right) { return x >> right | x << (64 - right); }

static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t x, uint64_t y) {
  *a += *b + x;
  *d = rotate(*d ^ *a, 32);
  *c += *d;
  *b = rotate(*b ^ *c, 24);
  *a += *b + y;
  *d = rotate(*d ^ *a, 16);
  *c += *d;
  *b = rotate(*b ^ *c, 63);
}

/* One block; length: bytes up to its end, without padding. */
static void compress(uint64_t state[8], const char *block, uint64_t length, bool last) {
  uint64_t m[16], v[16];
  memcpy(m, block, TCC_BLAKE2B_BLOCK); /* little endian, as everything that tcc runs on */
  memcpy(v, state, sizeof tcc_blake2b_initial);
  memcpy(v + 8, tcc_blake2b_initial, sizeof tcc_blake2b_initial);
  v[12] ^= length;
  if (last) v[14] = ~v[14];
#pragma GCC unroll 12
  for (int round = 0; round < TCC_BLAKE2B_ROUNDS; round++) { /* unrolled, the schedule is part of the code */
    const uint8_t *s = tcc_blake2b_schedule[round];
    TCC_BLAKE2B_ROUND(mix, v, m, s)
  }
  for (int i = 0; i < 8; i++) state[i] ^= v[i] ^ v[8 + i];
}

void tcc_digest(const void *bytes, size_t length, uint8_t out[TCC_DIGEST_BYTES]) {
  uint64_t state[8];
  char last[TCC_BLAKE2B_BLOCK] = {0};
  size_t at = 0;
  memcpy(state, tcc_blake2b_initial, sizeof state);
  state[0] ^= TCC_BLAKE2B_PARAMETERS;
  for (; length - at > TCC_BLAKE2B_BLOCK; at += TCC_BLAKE2B_BLOCK)
    compress(state, (const char *)bytes + at, at + TCC_BLAKE2B_BLOCK, false);
  if (length) memcpy(last, (const char *)bytes + at, length - at); /* not at all: bytes may be NULL */
  compress(state, last, length, true);
  memcpy(out, state, TCC_DIGEST_BYTES);
}

void tcc_digest_text(const uint8_t digest[TCC_DIGEST_BYTES], char out[2 * TCC_DIGEST_BYTES + 1]) {
  for (size_t i = 0; i < TCC_DIGEST_BYTES; i++) snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

void tcc_digest_hex(const void *bytes, size_t length, char out[2 * TCC_DIGEST_BYTES + 1]) {
  uint8_t digest[TCC_DIGEST_BYTES];
  tcc_digest(bytes, length, digest);
  tcc_digest_text(digest, out);
}
