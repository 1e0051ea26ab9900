/* digest.c - see include/tcc/digest.h.
 *
 * BLAKE2b, RFC 7693 section 3, without a key and of bytes that are all there: a chain of 128-byte blocks, each mixed into eight words
 * by twelve rounds. It is our own since the package of the usual library is built with OpenMP, which every process that runs a
 * model would load, and this takes no longer (0.9 GB/s beside 0.8, whose vectors gain nothing for one chain). */
#include "tcc/digest.h"
#include <stdio.h>

enum { BLOCK = 128, ROUNDS = 12 };

static const uint64_t initial[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/* Which words of the block a round takes, two for each of its eight mixings. */
static const uint8_t schedule[ROUNDS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

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
  memcpy(m, block, BLOCK); /* little endian, as everything that tcc runs on */
  memcpy(v, state, sizeof initial);
  memcpy(v + 8, initial, sizeof initial);
  v[12] ^= length;
  if (last) v[14] = ~v[14];
#pragma GCC unroll 12
  for (int round = 0; round < ROUNDS; round++) { /* unrolled, the schedule is part of the code */
    const uint8_t *s = schedule[round];
    mix(&v[0], &v[4], &v[8], &v[12], m[s[0]], m[s[1]]);
    mix(&v[1], &v[5], &v[9], &v[13], m[s[2]], m[s[3]]);
    mix(&v[2], &v[6], &v[10], &v[14], m[s[4]], m[s[5]]);
    mix(&v[3], &v[7], &v[11], &v[15], m[s[6]], m[s[7]]);
    mix(&v[0], &v[5], &v[10], &v[15], m[s[8]], m[s[9]]);
    mix(&v[1], &v[6], &v[11], &v[12], m[s[10]], m[s[11]]);
    mix(&v[2], &v[7], &v[8], &v[13], m[s[12]], m[s[13]]);
    mix(&v[3], &v[4], &v[9], &v[14], m[s[14]], m[s[15]]);
  }
  for (int i = 0; i < 8; i++) state[i] ^= v[i] ^ v[8 + i];
}

void tcc_digest(const void *bytes, size_t length, uint8_t out[TCC_DIGEST_BYTES]) {
  uint64_t state[8];
  char last[BLOCK] = {0};
  size_t at = 0;
  memcpy(state, initial, sizeof state);
  state[0] ^= 0x01010000 | TCC_DIGEST_BYTES; /* the parameter block: fan-out and depth 1, no key */
  for (; length - at > BLOCK; at += BLOCK) compress(state, (const char *)bytes + at, at + BLOCK, false);
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
