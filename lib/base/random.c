/* random.c - Philox4x32-10; see tcc/random.h. */
#include "tcc/random.h"

void tcc_philox(uint64_t seed, uint64_t offset, uint64_t block, uint32_t out[4]) {
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)offset, (uint32_t)(offset >> 32)};
  for (int round = 0; round < TCC_PHILOX_ROUNDS; round++) {
    uint64_t a = (uint64_t)TCC_PHILOX_M0 * c[0], b = (uint64_t)TCC_PHILOX_M1 * c[2];
    c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key[0];
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key[1];
    c[3] = (uint32_t)a;
    key[0] += TCC_PHILOX_W0;
    key[1] += TCC_PHILOX_W1;
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

uint32_t tcc_philox_word(uint64_t seed, uint64_t offset, uint64_t index) {
  uint32_t words[4];
  tcc_philox(seed, offset, index / 4, words);
  return words[index % 4];
}
