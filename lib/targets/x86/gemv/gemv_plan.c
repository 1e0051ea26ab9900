/* gemv_plan.c - how a contraction of few rows is cut into tiles, by heuristic; gemv_schedule.c has the other ways. */
#include "lib/targets/x86/contract/partial_sums.h"
#include "lib/targets/x86/gemv/gemv_internal.h"

enum {
  SUMS_BYTES = 32 << 10,
  SMALL_WORK = 1 << 15,
  CUT_BYTES = 1 << 20 /* of a tile: short ones cost more than they gain */,
  TILES_PER_CORE = 4,
  MOST_CORES = 4,
  MOST_NIBBLE_ROWS = 2, /* in integers, along the depth */
  MOST_BYTE_ROWS = 1
};

int64_t tcc_gemv_depth_size(const TccGemv *g) {
  int64_t size = 0;
  tcc_expr_is_const(g->read.pull.dim[g->read.block_dim >= 0 ? g->read.block_dim : g->read.depth_dim], &size);
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
  int d = g->read.block_dim >= 0 ? g->read.block_dim : g->read.depth_dim;
  int64_t pitch = 0, most = g->plan.share / g->plan.unroll, best = most;
  for (size_t i = 0; i < g->read.pull.nodes.count; i++) {
    const TccPullNode *node = g->read.pull.nodes.data[i];
    if (tcc_gemv_streams(g, node) && node->index.coef[d]) tcc_expr_is_const(node->index.coef[d], &pitch);
  }
  if (most <= 8) return most;
  for (int64_t part = most; part >= most - most / 4; part--)
    if (places(part * pitch * g->form.stream_bits) > places(best * pitch * g->form.stream_bits)) best = part;
  return best;
}

/* Along the depth each row adds three dot products to a line in integers, and a multiply-add to each vector of it in f32, where all rows
 * share what it takes to make numbers of digits (4 bits, six products of 2048 x 5632 and back, one thread of a Zen 5: two rows 4.7 and 5.8 ms,
 * four 8.3 and 6.9, eight 15 and 11.7; bytes, two of them: two rows 1.7 and 1.2, four 2.8 and 1.8, eight 5.3 and 4.2). */
static void choose_form(TccGemv *g) {
  if (!g->form.bytes || !g->form.along_depth) return;
  if (g->read.rows > (tcc_elem_bits(g->form.bytes->elem) < 8 ? MOST_NIBBLE_ROWS : MOST_BYTE_ROWS)) g->form.bytes = NULL;
}

/* Along the depth a tile is few columns, so that any number of threads shares them evenly; a thread takes those of its share
 * together. Along columns a tile is a range of the depth, all columns wide: that is one run of memory, where columns of each
 * thread would be pieces of lines, behind whose ends the prefetchers prefetch what another thread reads (2 threads, 2048 x 5632
 * int8: pieces of 704 bytes 12.8 GB/s, of 2816 18, whole lines 22, which is all the memory gives). The sums of all tiles are
 * added by the thread that ends last: with many threads that would cost more than it gains. */
void tcc_gemv_plan(const TccMachine *machine, TccGemv *g) {
  int64_t cores = machine->cores ? machine->cores : 1, unit = 64 * 8 / g->form.stream_bits;
  g->plan.unroll = 8;
  choose_form(g);
  if (g->form.along_depth) { /* sums in registers: rows * unroll */
    while (g->plan.unroll > 1 && g->plan.unroll * g->read.rows > g->form.type.registers * 3 / 4) g->plan.unroll /= 2;
    unit = g->plan.unroll;
  }
  if (unit < g->form.lanes) unit = g->form.lanes;
  int64_t tiles = g->read.columns * g->read.depth * g->form.stream_bits / 8 <= SMALL_WORK ? 1 : cores * TILES_PER_CORE;
  g->plan.depths =
      !g->form.along_depth && cores > 1 && cores <= MOST_CORES && tcc_gemv_depth_size(g) >= tiles * g->plan.unroll ? tiles : 1;
  if (g->form.bytes && !tcc_gemv_bytes_fit(g, g->plan.unroll, g->plan.depths)) g->form.bytes = NULL;
  g->plan.tile = tcc_round_up(tcc_ceil_div(g->read.columns, g->plan.depths > 1 ? 1 : tiles), unit);
  g->plan.span = tcc_round_up(SUMS_BYTES / 4 / g->read.rows, g->plan.depths > 1 ? unit : g->plan.tile);
  if (g->plan.span > tcc_round_up(g->read.columns, unit)) g->plan.span = tcc_round_up(g->read.columns, unit);
  tcc_gemv_finish(g);
}

void tcc_gemv_finish(TccGemv *g) {
  int64_t size = tcc_gemv_depth_size(g);
  g->plan.share = size / g->plan.depths; /* alike, since threads end together then; the last tile takes what is left over */
  if (g->form.bytes && !g->form.along_depth) g->plan.share = g->plan.share / g->plan.unroll * g->plan.unroll;
  const int64_t four = TCC_GEMV_LARGE + 1;
  bool cut = g->plan.depths > 1 && g->plan.depths % four == 0 &&
             g->read.columns * g->read.depth / g->plan.depths * g->form.stream_bits / 8 >= CUT_BYTES;
  g->plan.small =
      cut ? tcc_round_up(tcc_ceil_div(g->plan.share, TCC_GEMV_SMALL), g->plan.unroll) : 0; /* so that the last is the smallest */
  if (g->plan.small * (TCC_GEMV_SMALL - 1) >= g->plan.share) g->plan.small = 0;
  g->plan.tiles = g->plan.depths == 1 ? tcc_ceil_div(g->read.columns, g->plan.tile)
                  : g->plan.small     ? g->plan.depths / four * TCC_GEMV_GROUP
                                      : g->plan.depths;
  g->plan.part = part_of(g);
  int64_t over = size - g->plan.depths * g->plan.share,
          last = g->plan.share - (g->plan.small ? (TCC_GEMV_SMALL - 1) * g->plan.small : 0);
  const int64_t steps[] = {g->plan.share, g->plan.share + over, g->plan.small, last, last + over};
  g->plan.most_left = 0, g->plan.ragged = false;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    int64_t parts = g->plan.part * g->plan.unroll, left = steps[i] >= parts ? steps[i] - parts : steps[i];
    if (left > g->plan.most_left) g->plan.most_left = left;
    g->plan.ragged |= steps[i] % g->plan.unroll != 0;
  }
  g->plan.lda = tcc_round_up(g->read.depth, g->form.lanes) + 16;
  g->plan.ldc =
      (g->plan.depths > 1 ? tcc_round_up(g->read.columns, g->form.bytes ? 64 : g->form.lanes) : g->plan.span) + g->form.lanes;
  g->plan.slot = tcc_round_up(TCC_PARTIAL_HEAD + g->read.rows * g->plan.ldc, 16);
}

int64_t tcc_gemv_columns_apart(const TccGemv *g) {
  return g->plan.tile % g->plan.unroll || g->read.columns % g->plan.tile ? 1 : g->plan.tile / g->plan.unroll;
}
