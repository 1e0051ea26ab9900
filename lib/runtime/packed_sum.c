/* packed_sum.c - a sum of a block of hundreds of megabytes, made on all threads at the speed of memory.
 *
 * The block is cut into pieces, a piece into eight lanes of words of 64 bits. A lane is a chain of steps each of which is a bijection of
 * what came before and of the word, so that no change of one word is lost; changes of several are with a chance of 2^-64 in each lane. All
 * lanes of all pieces are kept and digested together with the size. */
#include "internal.h"

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

/* A kernel for the team. arguments: the block, the table of lanes; sizes: the block's bytes. */
static void sum_pieces(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  for (int64_t i = begin; i < end; i++) {
    const size_t at = (size_t)i * PIECE_BYTES, rest = (size_t)sizes[0] - at;
    sum_piece((const char *)arguments[0] + at, rest < PIECE_BYTES ? rest : PIECE_BYTES, (uint64_t *)arguments[1] + i * LANES);
  }
}

TccStatus *tcc_packed_sum(const void *block, size_t bytes, unsigned threads, uint8_t out[TCC_DIGEST_BYTES]) {
  const int64_t size = (int64_t)bytes, pieces = tcc_ceil_div(size, PIECE_BYTES);
  const size_t table_bytes = ((size_t)pieces * LANES + 1) * sizeof(uint64_t);
  uint64_t *table = malloc(table_bytes);
  if (!table) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  table[pieces * LANES] = bytes;
  void *const arguments[] = {(void *)block, table};
  TccTeam *team = NULL;
  if (bytes >= TEAM_BYTES && threads != 1) tcc_status_destroy(tcc_team_create(&(TccAllocator){0}, threads, &team));
  if (team) {
    const TccCommand command = {sum_pieces, arguments, &size, pieces, false};
    tcc_team_run(team, &command, 1, NULL);
  } else {
    sum_pieces(arguments, &size, NULL, 0, pieces); /* also where there are no threads to be had */
  }
  tcc_team_destroy(team);
  tcc_digest(table, table_bytes, out);
  free(table);
  return NULL;
}
