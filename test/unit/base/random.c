/* Philox4x32-10: the known answers of Salmon et al.'s Random123 (kat_vectors), and words in the order of a stream. */
#include "tcc/random.h"
#include <stdio.h>

static int failures;

static void expect_block(uint64_t seed, uint64_t offset, uint64_t block, const uint32_t want[4]) {
  uint32_t got[4];
  tcc_philox(seed, offset, block, got);
  for (uint64_t i = 0; i < 4; i++) {
    bool whole = block < UINT64_MAX / 4; /* an index has 64 bits */
    if (got[i] == want[i] && (!whole || tcc_philox_word(seed, offset, block * 4 + i) == want[i])) continue;
    printf("word %d of block %llx is %08x, want %08x\n", (int)i, (unsigned long long)block, got[i], want[i]);
    failures++;
  }
}

int main(void) {
  expect_block(0, 0, 0, (uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect_block(UINT64_MAX, UINT64_MAX, UINT64_MAX, (uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect_block(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88,
               (uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  return failures != 0;
}
