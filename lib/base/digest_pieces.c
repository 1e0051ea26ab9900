/* digest_pieces.c - digests of large data: samples of it, and trees of digests that several threads make.
 *
 * A tree has two levels: leaves of 1 MiB, and their digests one behind the other, of which the digest is taken. It is no mode of BLAKE2's
 * own (BLAKE2bp has four lanes, which one thread serves as fast as four): leaves are independent, so any number of threads shares
 * them, and the result does not depend on how many there are. */
#include "tcc/digest.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

uint64_t tcc_digest_sample(const void *bytes, size_t length) {
  enum { PLACES = 4, PLACE_BYTES = 64 };
  uint8_t digest[TCC_DIGEST_BYTES], looked[PLACES * PLACE_BYTES];
  uint64_t sample;
  if (length <= sizeof looked) {
    tcc_digest(bytes, length, digest);
  } else {
    for (size_t i = 0; i < PLACES; i++)
      memcpy(looked + i * PLACE_BYTES, (const char *)bytes + (length - PLACE_BYTES) / (PLACES - 1) * i, PLACE_BYTES);
    tcc_digest(looked, sizeof looked, digest);
  }
  memcpy(&sample, digest, sizeof sample);
  return sample;
}

typedef struct {
  TccStr bytes;
  uint8_t *digest;
} Leaf;
typedef struct {
  const Leaf *leaves;
  size_t count;
  atomic_size_t next;
} Leaves;

static void *digest_leaves(void *user) {
  Leaves *all = user;
  for (size_t i = atomic_fetch_add(&all->next, 1); i < all->count; i = atomic_fetch_add(&all->next, 1))
    tcc_digest(all->leaves[i].bytes.data, all->leaves[i].bytes.length, all->leaves[i].digest);
  return NULL;
}

/* A piece without bytes has no leaf. */
static size_t leaf_count(TccStr piece) { return piece.length / TCC_DIGEST_LEAF + (piece.length % TCC_DIGEST_LEAF != 0); }

TccStatus *tcc_digest_pieces(const TccStr *pieces, size_t count, unsigned threads, uint8_t (*out)[TCC_DIGEST_BYTES]) {
  enum { MOST_THREADS = 64 };
  TccArena *arena = tcc_arena_create();
  Leaves all = {0};
  for (size_t i = 0; i < count; i++) all.count += leaf_count(pieces[i]);
  Leaf *leaves = TCC_NEW_ARRAY(arena, Leaf, all.count + 1);
  uint8_t *digests = tcc_arena_alloc(arena, all.count * TCC_DIGEST_BYTES + 1);
  if (!leaves || !digests) {
    tcc_arena_destroy(arena);
    return TCC_ERROR_NO_MEMORY();
  }
  for (size_t i = 0, n = 0; i < count; i++)
    for (size_t at = 0; at < pieces[i].length; at += TCC_DIGEST_LEAF, n++) {
      size_t rest = pieces[i].length - at;
      leaves[n] = (Leaf){{pieces[i].data + at, rest < TCC_DIGEST_LEAF ? rest : TCC_DIGEST_LEAF}, digests + n * TCC_DIGEST_BYTES};
    }
  all.leaves = leaves;
  pthread_t others[MOST_THREADS];
  size_t started = 0, most = threads > MOST_THREADS ? MOST_THREADS : threads;
  while (started + 1 < most && started + 1 < all.count && pthread_create(&others[started], NULL, digest_leaves, &all) == 0)
    started++;
  digest_leaves(&all); /* whatever threads the system gives, this one does the rest */
  for (size_t i = 0; i < started; i++) pthread_join(others[i], NULL);
  for (size_t i = 0, n = 0; i < count; n += leaf_count(pieces[i++]))
    tcc_digest(digests + n * TCC_DIGEST_BYTES, leaf_count(pieces[i]) * TCC_DIGEST_BYTES, out[i]);
  tcc_arena_destroy(arena);
  return NULL;
}
