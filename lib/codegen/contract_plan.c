/* contract_plan.c - sizes of tiles and blocks of a contraction. See contract.h for the sources of the rule.
 *
 * The register tile minimises cycles for the whole product: for rows h, vectors v, one step of k costs the larger of its
 * multiply-adds (two a cycle), its loads (two a cycle) and the latency of four cycles that few accumulators leave open. */
#include "lib/codegen/contract.h"

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
static double larger(double a, double b) { return a > b ? a : b; }

/* Rows that fit beside v vectors of columns: accumulators, one row of b, one broadcast. */
static int most_rows(const TccMicroType *t, int v) {
  static const int measured[] = {0, 14, 12, 8}; /* more rows were slower: their loads come from many lines */
  int h = (t->registers - 1 - v) / v;
  return v <= 3 && h > measured[v] ? measured[v] : h;
}

static double tile_cycles(int64_t h, int v) {
  return larger(larger((double)(h * v) / 2, (double)(h + v) / 2 * 1.02), 4) + 0.35;
}

static void choose_tile(const TccMicroType *t, int64_t m, int64_t n, int64_t packed_nr, TccContractPlan *p) {
  int64_t rows = m < 0 ? 1 << 16 : m < 1 ? 1 : m, columns = n < 0 ? 1 << 16 : n < 1 ? 1 : n;
  double best = 0;
  static const int widths[] = {3, 4, 2, 5, 1, 6}; /* of equal cost the first wins */
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    int v = widths[i];
    if (packed_nr && v * t->lanes != packed_nr) continue;
    int limit = most_rows(t, v);
    if (limit < 1) continue;
    int64_t tiles = ceil_div(rows, limit), h = ceil_div(rows, tiles);
    double cost = (double)tiles * (double)ceil_div(columns, (int64_t)v * t->lanes) * tile_cycles(h, v);
    if (h == 1) cost = (double)ceil_div(columns, (int64_t)v * t->lanes) * larger(v, 2.0); /* bound by memory, not by latency */
    if (p->rows && cost >= best * 0.99) continue;
    best = cost;
    p->rows = (int)h;
    p->vectors = v;
  }
}

void tcc_contract_plan(const TccMachine *machine, const TccMicroType *t, int64_t m, int64_t n, int64_t k, int64_t batch, int64_t packed_nr,
                       TccContractPlan *p) {
  memset(p, 0, sizeof *p);
  choose_tile(t, m, n, packed_nr, p);
  p->single = m < 0 && p->rows > 2;
  int64_t nr = (int64_t)p->vectors * t->lanes, unit = TCC_MICRO_STEP * t->group;
  int64_t l2 = machine->l2_bytes ? machine->l2_bytes : 1 << 20;

  /* A panel of kc steps stays in the second cache with the rows that it meets. */
  int64_t most = (l2 / 14) / (nr * t->packed_bytes);
  if (m >= 0 && m <= 4) most = 4096;
  most = most < 64 ? 64 : most / unit * unit;
  p->one_block = k >= 0 && k <= most;
  p->kc = k < 0 ? most : round_up(ceil_div(k < 1 ? 1 : k, ceil_div(k < 1 ? 1 : k, most)), unit);

  int64_t tall = packed_nr ? 128 : 256; /* what is packed in the call should meet many rows */
  int64_t mb = (l2 * 2 / 5) / (p->kc * t->packed_bytes) / p->rows * p->rows;
  if (mb > tall) mb = tall / p->rows * p->rows;
  if (mb < p->rows) mb = p->rows;
  if (m >= 0 && mb > round_up(m < 1 ? 1 : m, p->rows)) mb = round_up(m < 1 ? 1 : m, p->rows);
  int64_t nb = nr * (nr >= 480 ? 1 : 480 / nr), columns = n < 1 ? 1 : n;
  if (n >= 0) nb = round_up(ceil_div(columns, ceil_div(columns, nb)), nr);

  /* Enough tiles for the cores to share evenly, while a tile still has work for some tens of microseconds. */
  int64_t cores = machine->cores ? machine->cores : 1, rows = m < 0 ? mb : m, depth = k < 0 ? p->kc : k;
  if (batch < 1) batch = 1;
  if (n < 0) columns = nb;
  while (ceil_div(rows, mb) * ceil_div(columns, nb) * batch < (packed_nr ? 4 : 2) * cores && mb * nb * depth > 1 << 21) {
    if (nb > 2 * nr) nb = round_up(nb / 2, nr);
    else if (mb > 4 * p->rows) mb = round_up(mb / 2, p->rows);
    else if (nb > nr) nb = nr;
    else break;
  }
  p->mb = mb;
  p->nb = nb;
  /* One line more than the block: rows a power of two apart would meet in a few sets of the cache. */
  p->lda = p->kc + 64 / t->packed_bytes;
  p->ldc = p->one_block ? nr : nb + t->lanes;
}

const char *tcc_contract_schedule(TccArena *arena, const TccContractPlan *p) {
  return tcc_arena_printf(arena, "x86.contract/1 rows=%d vectors=%d single=%d kc=%lld mb=%lld nb=%lld", p->rows, p->vectors, p->single,
                          (long long)p->kc, (long long)p->mb, (long long)p->nb);
}
