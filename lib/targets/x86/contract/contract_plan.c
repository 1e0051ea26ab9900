/* contract_plan.c - sizes of tiles and blocks of a contraction. See contract.h for the sources of the heuristic.
 *
 * The register tile minimises cycles for the whole product: for rows h, vectors v, one step of k costs the larger of its
 * multiply-adds (two a cycle), its loads (two a cycle) and the latency of four cycles that few accumulators leave open. */
#include "lib/targets/x86/contract/contract.h"

static double larger(double a, double b) { return a > b ? a : b; }

/* Widths of a register tile and how many rows each may have where it was slower with more: their loads come from many lines.
 * Nine by three pay where they share the rows better than eights (197 rows: 1.04 to 1.05 times as fast, ViT's products). */
static const struct {
  int vectors, rows;
} shapes[] = {{3, 8}, {3, 9}, {4, 32}, {2, 12}, {5, 32}, {1, 14}, {6, 32}};

/* Rows that fit beside v vectors of columns: accumulators, one row of b, one broadcast. */
static int most_rows(const TccMicroType *t, int v, int most) {
  int h = (t->registers - 1 - v) / v;
  return h > most ? most : h;
}

double tcc_contract_k_group_cycles(const TccMicroType *t, int64_t h, int v) {
  if (t->engine == TCC_MICRO_TILES) { /* for as many k-groups as a tile holds: 16 cycles a product, 8 a load */
    double down = (double)tcc_ceil_div(h, TCC_TILE_ROWS);
    return larger(16 * down * v, 8 * (down + v)) / TCC_TILE_K_GROUPS;
  }
  /* A wide panel comes from the second cache a line a vector: with many rows 6 x 4 is 3 to 6 % slower than 8 x 3 (197x768x768). */
  double stream = h >= 6 && v > 3 ? 0.45 * (v - 3) : 0;
  return larger(larger((double)(h * v) / 2, (double)(h + v) / 2 * 1.02), 4) + 0.35 + stream;
}

/* Few rows: one tile of them and a wide panel, which streams from memory. So does what is packed in the call from rows along the columns: a wide panel
 * takes two lines of each of them (bf16, two threads of an Emerald Rapids, ms, 32 x 2 and 16 x 4: 256x50257x768 39.6, 27.5; 256x3072x768 1.07, 0.93;
 * 1576x3072x768 6.54, 5.06; as weights' gradients 768x256x3072 0.81, 0.63, 3072x1576x768 4.94, 5.14). */
static void choose_tile_registers(const TccContractSizes *s, TccContractPlan *p) {
  bool few = s->packed_nr ? s->packed_nr > 2 * TCC_TILE_ROWS
                          : (s->along && (s->n < 0 || s->n > 3 * TCC_TILE_ROWS)) || (s->m >= 0 && s->m <= TCC_TILE_ROWS);
  p->rows = few ? TCC_TILE_ROWS : 2 * TCC_TILE_ROWS;
  p->vectors = few ? 4 : 2;
  if (s->packed_nr) p->vectors = (int)(s->packed_nr / TCC_TILE_ROWS);
}

/* Cycles in which a panel of v vectors comes from the second cache, for one step of k: each of several tiles of rows reads it from there, unless half of
 * the first cache holds it. (A Zen 3, one thread, us of 2 x 4, 2 x 5 and 6 x 2 vectors: 128x512x128 204, 231, 174; 128x256x128 95, 114, 86; of 16 KB a panel
 * 128x128x128 41.5, 48.7, 43.1.) */
static double stream_cycles(const TccMachine *machine, const TccMicroType *t, int64_t k, int v) {
  int64_t l1 = machine->l1_bytes ? machine->l1_bytes : 32 << 10;
  return k >= 0 && 2 * k * v * t->lanes * t->packed_bytes <= l1 ? 0 : 1.25 * v + 0.35;
}

/* Rows a page apart meet in one set of the first cache: more of them than it has ways must be copied first (1024x1024x1024 in the
 * call, 8 x 3 where they lie: 1.02 to 1.10 times as fast as 12 x 2 from a copy, runs on a busy machine; 8 x 2: 0.95). */
static void choose_tile(const TccMachine *machine, const TccMicroType *t, const TccContractSizes *s, TccContractPlan *p) {
  enum { WAYS = 8, PAGE = 4096, MANY = 64 };
  int64_t rows = s->m < 0 ? 1 << 16 : s->m < 1 ? 1 : s->m, columns = s->n < 0 ? 1 << 16 : s->n < 1 ? 1 : s->n;
  bool crowded = rows >= MANY && s->k > 0 && s->k * t->packed_bytes % PAGE == 0;
  double best = 0;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) { /* of equal cost the first wins */
    int v = shapes[i].vectors;
    if (s->packed_nr && v * t->lanes != s->packed_nr) continue;
    int limit = most_rows(t, v, shapes[i].rows);
    if (crowded && !s->packed_nr && (limit > WAYS || v > 3)) continue;
    if (crowded && limit > WAYS) limit = WAYS;
    if (limit < 1) continue;
    int64_t tiles = tcc_ceil_div(rows, limit), h = tcc_ceil_div(rows, tiles);
    double cycles = tcc_contract_k_group_cycles(t, h, v);
    if (tiles > 1) cycles = larger(cycles, stream_cycles(machine, t, s->k, v));
    double cost = (double)tiles * (double)tcc_ceil_div(columns, (int64_t)v * t->lanes) * cycles;
    if (rows == 1)
      cost = (double)tcc_ceil_div(columns, (int64_t)v * t->lanes) * larger(v, 2.0); /* bound by memory, not by latency */
    if (p->rows && cost >= best * 0.99) continue;
    best = cost;
    p->rows = (int)h;
    p->vectors = v;
  }
}

int64_t tcc_contract_depth_unit(const TccMicroType *t) {
  int64_t k_groups = tcc_micro_unit(t);
  return t->lanes > k_groups ? t->lanes : k_groups;
}

/* Rows that a panel packed in the call meets on one core and on all of them: its packing, again for each tile of rows, counts as some rows (128 x 512 x 512 of a
 * weight [n, k], eleven panels, one thread: two tiles of rows take 1.04 times as long as one). */
static int64_t shared_cost(int64_t rows, int64_t mb, int64_t panels, int64_t cores) {
  enum { PACKING = 8 };
  int64_t tiles = tcc_ceil_div(rows, mb) * panels, each = (mb < rows ? mb : rows) + PACKING;
  return (tiles + tcc_round_up(tiles, cores)) * each;
}

/* Rows that a panel packed in the call meets in tile registers, at least: packing it takes longer than such a product, so that all of k and as
 * many rows as the second cache holds come before what the first one holds (768x1576x3072, operands as a weight's gradient has them: 1.5 times as
 * fast as by the blocks of packed weights). */
enum { LEAST_PACKED_ROWS = 128 };

/* Rows and columns of a block for tile registers, whose products outrun the second cache. Measured on a Granite Rapids, one thread, us with
 * kc = 384, 96 rows and 1,024 columns and as it is now: 128x768x3072 665, 450; 128x3072x768 572, 429; 512x768x3072 2526, 1810; 1024x1024x1024
 * 2101, 1736; 197x768x3072 1094, 795. */
static int64_t tile_rows(int64_t m, int64_t most) {
  most = most < 2 * TCC_TILE_ROWS ? 2 * TCC_TILE_ROWS : most;
  return m > most && m <= 2 * most ? tcc_round_up(m, 2 * TCC_TILE_ROWS) : most;
}
/* Whether so many tiles, or one less for some of the cores, make a difference to the time of all. */
static bool shares_evenly(int64_t tiles, int64_t cores) {
  return (double)(tcc_round_up(tiles, cores) - tiles) <= 0.05 * (double)tiles;
}

/* Whether m rows are one block where `tall` ones would leave a rest of up to a third: the rest reads all packed weights again, and fetches as
 * much less of the next panel. The second cache holds the rows and two panels with room to spare for sums and for what else runs on the core
 * (Emerald Rapids, 128 rows, weights from memory, one thread: 2 MB for 688 KB, GPT-2 1.05 and BERT 1.03 times as fast; 917 KB, two threads 0.96).
 * Several cores share few large tiles badly (two threads, 15 tiles each: 0.97). */
static bool rests_in_block(int64_t l2, int64_t m, int64_t tall, int64_t nr, int64_t depth_bytes, int64_t panels, int64_t cores) {
  return panels >= 32 * (cores - 1) && shares_evenly(panels, cores) && m > tall && 3 * m <= 4 * tall &&
         (m + 2 * nr) * depth_bytes <= l2 * 2 / 5;
}
static int64_t columns_beside(int64_t l2, int64_t column_bytes) { return l2 / 8 / column_bytes; }

void tcc_contract_blocks(const TccMachine *machine, const TccMicroType *t, const TccContractSizes *s, TccContractPlan *p) {
  const int64_t m = s->m, n = s->n, k = s->k, packed_nr = s->packed_nr;
  int64_t nr = (int64_t)p->vectors * t->lanes, unit = tcc_contract_depth_unit(t);
  int64_t l2 = machine->l2_bytes ? machine->l2_bytes : 1 << 20;

  /* The panel of a block and the one that is prefetched meanwhile leave the second cache room for the rows. All of k at once
   * spares the sums' way to memory; where it is cut anyway, half as much is better. */
  int64_t most = (l2 / 5) / (nr * t->packed_bytes), rest = packed_nr && (m < 0 || m > 256) ? most * 3 / 4 : most;
  bool of_tiles = t->engine == TCC_MICRO_TILES;
  if (of_tiles) { /* a load from the second cache takes as long as a product: what a register tile reads must be in the first */
    int64_t l1 = machine->l1_bytes ? machine->l1_bytes : 32 << 10;
    most = rest = m >= 0 && m <= TCC_TILE_ROWS ? 4096 : l1 * 2 / 3 / ((p->rows + nr) * t->packed_bytes);
    int64_t met = p->rows < 2 * TCC_TILE_ROWS ? 2 * LEAST_PACKED_ROWS : LEAST_PACKED_ROWS;
    if (!packed_nr && l2 / 2 / (met * t->packed_bytes) > most) most = rest = l2 / 2 / (met * t->packed_bytes);
  } else if (m >= 0 && m <= 4) most = rest = 4096;
  else if (k < 0 || k > rest) most /= 2;
  else most = rest;
  most = most < 64 ? 64 : most / unit * unit;
  p->kc = k < 0 ? most : tcc_round_up(tcc_ceil_div(k < 1 ? 1 : k, tcc_ceil_div(k < 1 ? 1 : k, most)), unit);

  /* What is packed in the call should meet many rows: they may come from the third cache each time, unless their sums do too
   * (512x3072x768 packed in the call: 1.05 of the better library with 512 rows, 0.83 with 136; 2048x1024x1024: 1.06 times as fast with
   * 1024 rows as with 512), and even then where 256 rows would pack it twice or more (512x768x3072: 1.05). */
  bool whole = !packed_nr && k > 0 && (k <= p->kc || m >= 256) && !of_tiles;
  int64_t tall = of_tiles && packed_nr ? tile_rows(m, l2 / 32 / (p->kc * t->packed_bytes))
                 : of_tiles            ? 512
                 : packed_nr           ? 96
                 : whole               ? 1024
                                       : 256;
  int64_t beside =
      of_tiles && !packed_nr && p->rows < 2 * TCC_TILE_ROWS ? nr : 2 * nr; /* columns: a panel that is packed is not prefetched */
  const int64_t columns = n < 1 ? 1 : n, cores = machine->cores ? machine->cores : 1,
                panels = tcc_ceil_div(columns, nr) * (s->batch < 1 ? 1 : s->batch);
  if (packed_nr && !of_tiles && n >= 0 && rests_in_block(l2, m, tall, nr, p->kc * t->packed_bytes, panels, cores))
    tall = tcc_round_up(m, p->rows);
  int64_t mb = whole ? tall / p->rows * p->rows : ((l2 * 7 / 10) / t->packed_bytes - beside * p->kc) / p->kc / p->rows * p->rows;
  if (mb > tall) mb = tall / p->rows * p->rows;
  if (mb < p->rows) mb = p->rows;
  if (m >= 0 && mb > tcc_round_up(m < 1 ? 1 : m, p->rows)) mb = tcc_round_up(m < 1 ? 1 : m, p->rows);
  int64_t rows = m < 0 ? mb : m, depth = k < 0 ? p->kc : k;
  p->nb = tcc_round_up(of_tiles && p->kc < depth ? columns_beside(l2, mb * t->acc_bytes) : 1024, nr);
  if (n >= 0 && p->nb > tcc_round_up(columns, nr)) p->nb = tcc_round_up(columns, nr);

  /* Enough tiles for the cores to share evenly, while a tile still has work for some tens of microseconds. */
  while (mb > 2 * p->rows && mb * nr * depth > 1 << 19) {
    int64_t tiles = tcc_ceil_div(rows, mb) * panels, half = tcc_round_up(mb / 2, p->rows);
    if (n < 0 || shares_evenly(tiles, cores)) break;
    if (!packed_nr && shared_cost(rows, half, panels, cores) >= shared_cost(rows, mb, panels, cores)) break;
    mb = half;
  }
  p->mb = mb;
}

/* Vectors of the last panel, if those that it spares are worth another body to compile: of few panels, or a 64th of all vectors (22 panels for 1024
 * columns spare 3 %, 30 for 1408 2 %). */
static int worthwhile_tail(const TccContractPlan *p, int64_t lanes, int64_t n) {
  enum { FEW = 20, PART = 64 };
  int64_t nr = p->vectors * lanes, panels = tcc_ceil_div(n, nr), tail = tcc_ceil_div(n % nr, lanes), spared = p->vectors - tail;
  return spared && (n <= FEW * nr || spared * PART >= panels * p->vectors) ? (int)tail : 0;
}

void tcc_contract_finish(const TccMicroType *t, const TccContractSizes *s, TccContractPlan *p) {
  const int64_t m = s->m, n = s->n, k = s->k;
  int64_t nr = (int64_t)p->vectors * t->lanes;
  TccMicroType row;
  p->single = m < 0 && p->rows > 2 && tcc_micro_row_type(t, &row);
  p->one_block = k >= 0 && k <= p->kc;
  int64_t rows = m < 0 || m > p->mb ? p->mb : m, met = tcc_ceil_div(rows < 1 ? 1 : rows, p->rows);
  int64_t lines = nr * t->k_group * t->packed_bytes * tcc_micro_unroll(t) / 64;
  p->prefetch = tcc_ceil_div(lines, met);
  p->prefetch_all = p->single && s->packed_nr && t->engine != TCC_MICRO_TILES ? lines : 0;
  p->tail_vectors = 0, p->any_tail = n < 0 && p->rows > 1;
  if (n > nr && n % nr != 0 && p->rows > 1) p->tail_vectors = worthwhile_tail(p, t->lanes, n);
  /* One line more than the block: rows a power of two apart would meet in a few sets of the cache. */
  p->lda = p->kc + 64 / t->packed_bytes;
  p->ldc = p->one_block ? nr : p->nb + t->lanes;
}

void tcc_contract_plan(const TccMachine *machine, const TccMicroType *t, const TccContractSizes *s, TccContractPlan *p) {
  memset(p, 0, sizeof *p);
  if (t->engine == TCC_MICRO_TILES) choose_tile_registers(s, p);
  else choose_tile(machine, t, s, p);
  tcc_contract_blocks(machine, t, s, p);
  tcc_contract_finish(t, s, p);
}

int64_t tcc_contract_single_rows(const TccContractPlan *p) { return !p->single ? 0 : p->rows < 8 ? 1 : 2; }

int64_t tcc_contract_prefetch(const TccContractPlan *p, int level) {
  return level == 0 ? p->prefetch : level == 1 ? tcc_ceil_div(p->prefetch_all, 3) : p->prefetch_all;
}

/* What a plan has of a number that may be absent. */
static const char *chosen(TccArena *arena, const char *name, int64_t value) {
  return value ? tcc_arena_printf(arena, " %s=%lld", name, (long long)value) : "";
}

const char *tcc_contract_schedule(TccArena *arena, const TccContractPlan *p) {
  const char *few = "";
  if (p->prefetch_all)
    few = tcc_arena_printf(arena, "-%lld-%lld", (long long)tcc_contract_prefetch(p, 1), (long long)tcc_contract_prefetch(p, 2));
  return tcc_arena_printf(
      arena, "x86.contract/%d rows=%d vectors=%d tail=%d single=%d kc=%lld mb=%lld nb=%lld ahead=%lld%s in_place=%d%s%s%s",
      TCC_CONTRACT_VERSION, p->rows, p->vectors, p->tail_vectors, p->single, (long long)p->kc, (long long)p->mb, (long long)p->nb,
      (long long)p->prefetch, few, p->in_place, chosen(arena, "k_major", p->k_major), chosen(arena, "depths", p->depths),
      chosen(arena, "together", p->together));
}
