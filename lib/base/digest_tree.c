/* digest_tree.c - the digest of bytes as a tree of two levels, leaves of 4 KiB whose digests one behind the other make the root.
 *
 * A chain of blocks waits for itself: 0.9 GB/s. Eight leaves are eight chains, whose words are lanes of vectors where the machine has such of 512 bits with
 * rotations; a round is the same for all of them (RFC 7693 section 3). The result does not depend on that. */
#include "lib/base/blake2b.h"
#include "tcc/digest.h"
#include <stdlib.h>

enum { LEAF = TCC_DIGEST_SMALL_LEAF, LANES = 8 };

#if defined(__x86_64__)
#include <immintrin.h>
#define WITH_AVX512 __attribute__((target("avx512f")))

typedef struct {
  __m512i word[TCC_BLAKE2B_WORDS];
} State;

WITH_AVX512 static inline void mix(__m512i *a, __m512i *b, __m512i *c, __m512i *d, __m512i x, __m512i y) {
  *a = _mm512_add_epi64(_mm512_add_epi64(*a, *b), x);
  *d = _mm512_ror_epi64(_mm512_xor_si512(*d, *a), 32);
  *c = _mm512_add_epi64(*c, *d);
  *b = _mm512_ror_epi64(_mm512_xor_si512(*b, *c), 24);
  *a = _mm512_add_epi64(_mm512_add_epi64(*a, *b), y);
  *d = _mm512_ror_epi64(_mm512_xor_si512(*d, *a), 16);
  *c = _mm512_add_epi64(*c, *d);
  *b = _mm512_ror_epi64(_mm512_xor_si512(*b, *c), 63);
}

/* A block of each leaf, the leaves one behind the other; length: bytes up to the blocks' ends. */
WITH_AVX512 static void compress_lanes(State *state, const char *block, uint64_t length, bool last) {
  const __m512i leaf = _mm512_setr_epi64(0, LEAF, 2 * LEAF, 3 * LEAF, 4 * LEAF, 5 * LEAF, 6 * LEAF, 7 * LEAF);
  __m512i m[16], v[16];
  for (int i = 0; i < 16; i++) m[i] = _mm512_i64gather_epi64(leaf, block + 8 * i, 1);
  for (int i = 0; i < 8; i++) v[i] = state->word[i], v[8 + i] = _mm512_set1_epi64((long long)tcc_blake2b_initial[i]);
  v[12] = _mm512_xor_si512(v[12], _mm512_set1_epi64((long long)length));
  if (last) v[14] = _mm512_xor_si512(v[14], _mm512_set1_epi64(-1));
#pragma GCC unroll 12
  for (int round = 0; round < TCC_BLAKE2B_ROUNDS; round++) {
    const uint8_t *s = tcc_blake2b_schedule[round];
    TCC_BLAKE2B_ROUND(mix, v, m, s)
  }
  for (int i = 0; i < 8; i++) state->word[i] = _mm512_xor_si512(state->word[i], _mm512_xor_si512(v[i], v[8 + i]));
}

/* Eight whole leaves. */
WITH_AVX512 static void digest_lanes(const char *bytes, uint8_t (*out)[TCC_DIGEST_BYTES]) {
  State state;
  for (int i = 0; i < TCC_BLAKE2B_WORDS; i++) state.word[i] = _mm512_set1_epi64((long long)tcc_blake2b_initial[i]);
  state.word[0] = _mm512_xor_si512(state.word[0], _mm512_set1_epi64(TCC_BLAKE2B_PARAMETERS));
  for (size_t at = 0; at < LEAF; at += TCC_BLAKE2B_BLOCK)
    compress_lanes(&state, bytes + at, at + TCC_BLAKE2B_BLOCK, at + TCC_BLAKE2B_BLOCK == LEAF);
  uint64_t words[TCC_DIGEST_BYTES / 8][LANES];
  for (int i = 0; i < TCC_DIGEST_BYTES / 8; i++) _mm512_storeu_si512(words[i], state.word[i]);
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < TCC_DIGEST_BYTES / 8; i++) memcpy(out[lane] + (size_t)8 * i, &words[i][lane], 8);
}

static bool has_lanes(void) { return __builtin_cpu_supports("avx512f"); }
#else
static bool has_lanes(void) { return false; }
static void digest_lanes(const char *bytes, uint8_t (*out)[TCC_DIGEST_BYTES]) {
  for (size_t lane = 0; lane < LANES; lane++) tcc_digest(bytes + lane * LEAF, LEAF, out[lane]);
}
#endif

TccStatus *tcc_digest_tree(const void *bytes, size_t length, uint8_t out[TCC_DIGEST_BYTES]) {
  const size_t leaves = length / LEAF + (length % LEAF != 0);
  const char *from = bytes;
  uint8_t (*digests)[TCC_DIGEST_BYTES] = malloc(leaves * sizeof *digests + 1);
  if (!digests) return TCC_ERROR_NO_MEMORY();
  size_t leaf = 0;
  if (has_lanes())
    for (; (leaf + LANES) * LEAF <= length; leaf += LANES) digest_lanes(from + leaf * LEAF, digests + leaf);
  for (; leaf < leaves; leaf++) {
    size_t rest = length - leaf * LEAF;
    tcc_digest(from + leaf * LEAF, rest < LEAF ? rest : LEAF, digests[leaf]);
  }
  tcc_digest(digests, leaves * sizeof *digests, out);
  free(digests);
  return NULL;
}
