/* random.h - random numbers as a function of a key and a place: Philox4x32-10.
 *
 * Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). A key and a counter of 128 bits give four words
 * of 32 bits; nothing is kept between calls, so that any part of a stream can be computed again, in any order and by any thread. tcc.random
 * is this function. Thread-safe. */
#ifndef TCC_RANDOM_H
#define TCC_RANDOM_H
#include "tcc/base.h"

/* Inputs that an imported model has behind its own where it draws random numbers: i64, without axes. The seed is the key; the offset is the
 * first of the streams that its nodes take one after the other, fewer than 2^32 of them. The same two give the same numbers; runs that
 * shall differ take another seed, or offsets 2^32 apart. */
#define TCC_INPUT_SEED "tcc.seed"
#define TCC_INPUT_OFFSET "tcc.offset"

/* Of a block of Philox: the multipliers, what the key grows by each round, rounds. */
#define TCC_PHILOX_M0 0xD2511F53u
#define TCC_PHILOX_M1 0xCD9E8D57u
#define TCC_PHILOX_W0 0x9E3779B9u
#define TCC_PHILOX_W1 0xBB67AE85u
enum { TCC_PHILOX_ROUNDS = 10 };

/* The four words of a block: seed is the key, block the low half of the counter and offset its high half. */
TCC_EXPORT void tcc_philox(uint64_t seed, uint64_t offset, uint64_t block, uint32_t out[4]);
/* Word `index` of the stream that seed and offset name: word index mod 4 of block index / 4. */
TCC_EXPORT uint32_t tcc_philox_word(uint64_t seed, uint64_t offset, uint64_t index);
#endif
