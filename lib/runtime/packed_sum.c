/* packed_sum.c - a sum of a block of hundreds of megabytes, made on all threads at the speed of memory; and of one that is written.
 *
 * The block is cut into pieces, a piece into eight lanes of words of 64 bits. A lane is a chain of steps each of which is a bijection of
 * what came before and of the word, so that no change of one word is lost; changes of several are with a chance of 2^-64 in each lane. All
 * lanes of all pieces are kept and digested together with the size. */
#include "internal.h"
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20, LANES = 8, TEAM_BYTES = 4 << 20 /* fewer are summed in the time that threads take to start */ };

static inline uint64_t step(uint64_t lane, const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  lane = (lane ^ word) * 0x9FB21C651E98DF25u;
  return lane ^ lane >> 32;
}

static void sum_piece(const char *data, size_t bytes, uint64_t lanes[LANES]) {
  enum { STRIDE = LANES * 8 };
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8; /* in registers: eight multiplications are under way at once */
  char last[STRIDE] = {0};
  for (size_t at = 0; at < bytes; at += STRIDE) {
    const char *p = data + at;
    if (bytes - at < STRIDE) p = memcpy(last, p, bytes - at);
    a = step(a, p), b = step(b, p + 8), c = step(c, p + 16), d = step(d, p + 24);
    e = step(e, p + 32), f = step(f, p + 40), g = step(g, p + 48), h = step(h, p + 56);
  }
  const uint64_t all[LANES] = {a, b, c, d, e, f, g, h};
  memcpy(lanes, all, sizeof all);
}

static bool write_piece(int fd, const char *data, size_t bytes, size_t at) {
  while (bytes > 0) {
    ssize_t n = pwrite(fd, data, bytes, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n, bytes -= (size_t)n, at += (size_t)n;
  }
  return true;
}

/* A kernel for the team. arguments: the block, the table of lanes, a flag for a write that failed; sizes: the block's bytes, the file
 * (-1: none), where the block begins in it. */
static void sum_pieces(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  atomic_bool *failed = arguments[2];
  for (int64_t i = begin; i < end; i++) {
    const size_t at = (size_t)i * PIECE_BYTES, rest = (size_t)sizes[0] - at, bytes = rest < PIECE_BYTES ? rest : PIECE_BYTES;
    const char *data = (const char *)arguments[0] + at;
    sum_piece(data, bytes, (uint64_t *)arguments[1] + i * LANES);
    if (sizes[1] >= 0 && !atomic_load(failed) && !write_piece((int)sizes[1], data, bytes, (size_t)sizes[2] + at))
      atomic_store(failed, true);
  }
}

TccStatus *tcc_packed_write(const void *block, size_t bytes, unsigned threads, int fd, size_t offset,
                            uint8_t out[TCC_DIGEST_BYTES]) {
  const int64_t sizes[] = {(int64_t)bytes, fd, (int64_t)offset}, pieces = tcc_ceil_div(sizes[0], PIECE_BYTES);
  const size_t table_bytes = ((size_t)pieces * LANES + 1) * sizeof(uint64_t);
  uint64_t *table = malloc(table_bytes);
  if (!table) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  table[pieces * LANES] = bytes;
  atomic_bool failed = false;
  void *const arguments[] = {(void *)block, table, &failed};
  TccTeam *team = NULL;
  if (bytes >= TEAM_BYTES && threads != 1) tcc_status_destroy(tcc_team_create(&(TccAllocator){0}, threads, &team));
  if (team) {
    const TccCommand command = {sum_pieces, arguments, sizes, pieces, false};
    tcc_team_run(team, &command, 1, NULL);
  } else {
    sum_pieces(arguments, sizes, NULL, 0, pieces); /* also where there are no threads to be had */
  }
  tcc_team_destroy(team);
  tcc_digest(table, table_bytes, out);
  free(table);
  return atomic_load(&failed) ? TCC_ERROR(TCC_IO, "the packed weights could not be written") : NULL;
}

TccStatus *tcc_packed_sum(const void *block, size_t bytes, unsigned threads, uint8_t out[TCC_DIGEST_BYTES]) {
  return tcc_packed_write(block, bytes, threads, -1, 0, out);
}
