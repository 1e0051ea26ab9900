/* gemv_plan.c - how a contraction of few rows is cut into tiles, by rule; gemv_schedule.c has the other ways. */
#include "lib/codegen/gemv/gemv_internal.h"

enum {
  SUMS_BYTES = 32 << 10,
  SMALL_WORK = 1 << 15,
  CUT_BYTES = 1 << 20 /* of a tile: short ones cost more than they gain */,
  TILES_PER_CORE = 4,
  MOST_CORES = 4
};

int64_t tcc_gemv_depth_size(const TccGemv *g) {
  int64_t size = 0;
  tcc_expr_is_const(g->pull.dim[g->block_dim >= 0 ? g->block_dim : g->depth_dim], &size);
  return size;
}

/* Places in pages at which lines so many bits apart lie: lines that meet in one set of the first cache, with all that is asked
 * for ahead, come from the second (int8, 2048 x 5632, all lines in one set: 8.4 GB/s where it reads 12.3 so; in the second
 * cache 10.5 and 19). */
static int64_t places(int64_t bits) {
  int64_t apart = 4096 * 8;
  while (bits % apart) apart /= 2;
  return 4096 * 8 / apart;
}

/* Steps of each of the `unroll` parts of a tile of the depth: the most whose lines meet least; what is left over of the tile
 * goes side by side at its end. */
static int64_t part_of(const TccGemv *g) {
  int d = g->block_dim >= 0 ? g->block_dim : g->depth_dim;
  int64_t pitch = 0, most = g->share / g->unroll, best = most;
  for (size_t i = 0; i < g->pull.nodes.count; i++) {
    const TccPullNode *node = g->pull.nodes.data[i];
    if (tcc_gemv_streams(g, node) && node->index.coef[d]) tcc_expr_is_const(node->index.coef[d], &pitch);
  }
  if (most <= 8) return most;
  for (int64_t part = most; part >= most - most / 4; part--)
    if (places(part * pitch * g->stream_bits) > places(best * pitch * g->stream_bits)) best = part;
  return best;
}

/* Along the depth a tile is few columns, so that any number of threads shares them evenly; a thread takes those of its share
 * together. Along columns a tile is a range of the depth, all columns wide: that is one run of memory, where columns of each
 * thread would be pieces of lines, behind whose ends the prefetchers fetch what another thread reads (2 threads, 2048 x 5632
 * int8: pieces of 704 bytes 12.8 GB/s, of 2816 18, whole lines 22, which is all the memory gives). The sums of all tiles are
 * added by the thread that ends last: with many threads that would cost more than it gains. */
void tcc_gemv_plan(const TccMachine *machine, TccGemv *g) {
  int64_t cores = machine->cores ? machine->cores : 1, unit = 64 * 8 / g->stream_bits;
  g->unroll = 8;
  if (g->along_depth) { /* sums in registers: rows * unroll */
    while (g->unroll > 1 && g->unroll * g->rows > g->type.registers * 3 / 4) g->unroll /= 2;
    unit = g->unroll;
  }
  if (unit < g->lanes) unit = g->lanes;
  int64_t tiles = g->columns * g->depth * g->stream_bits / 8 <= SMALL_WORK ? 1 : cores * TILES_PER_CORE;
  g->depths = !g->along_depth && cores > 1 && cores <= MOST_CORES && tcc_gemv_depth_size(g) >= tiles * g->unroll ? tiles : 1;
  if (g->bytes && !tcc_gemv_bytes_fit(g, g->unroll, g->depths)) g->bytes = NULL;
  g->tile = tcc_round_up(tcc_ceil_div(g->columns, g->depths > 1 ? 1 : tiles), unit);
  g->span = tcc_round_up(SUMS_BYTES / 4 / g->rows, g->depths > 1 ? unit : g->tile);
  if (g->span > tcc_round_up(g->columns, unit)) g->span = tcc_round_up(g->columns, unit);
  tcc_gemv_finish(g);
}

void tcc_gemv_finish(TccGemv *g) {
  int64_t size = tcc_gemv_depth_size(g);
  g->share = size / g->depths; /* alike, since threads end together then; the last tile takes what is left over */
  if (g->bytes && !g->along_depth) g->share = g->share / g->unroll * g->unroll;
  const int64_t four = TCC_GEMV_LARGE + 1;
  bool cut = g->depths > 1 && g->depths % four == 0 && g->columns * g->depth / g->depths * g->stream_bits / 8 >= CUT_BYTES;
  g->small = cut ? tcc_round_up(tcc_ceil_div(g->share, TCC_GEMV_SMALL), g->unroll) : 0; /* so that the last is the smallest */
  if (g->small * (TCC_GEMV_SMALL - 1) >= g->share) g->small = 0;
  g->tiles = g->depths == 1 ? tcc_ceil_div(g->columns, g->tile) : g->small ? g->depths / four * TCC_GEMV_GROUP : g->depths;
  g->part = part_of(g);
  int64_t over = size - g->depths * g->share, last = g->share - (g->small ? (TCC_GEMV_SMALL - 1) * g->small : 0);
  const int64_t steps[] = {g->share, g->share + over, g->small, last, last + over};
  g->most_left = 0, g->ragged = false;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    int64_t parts = g->part * g->unroll, left = steps[i] >= parts ? steps[i] - parts : steps[i];
    if (left > g->most_left) g->most_left = left;
    g->ragged |= steps[i] % g->unroll != 0;
  }
  g->lda = tcc_round_up(g->depth, g->lanes) + 16;
  g->ldc = (g->depths > 1 ? tcc_round_up(g->columns, g->bytes ? 64 : g->lanes) : g->span) + g->lanes;
  g->slot = tcc_round_up(TCC_GEMV_SLOT_HEAD + g->rows * g->ldc, 16);
}
