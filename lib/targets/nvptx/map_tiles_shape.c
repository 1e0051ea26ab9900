/* map_tiles_shape.c - which maps go through tiles of shared memory (map_tiles.h), and the sides of these.
 *
 * Of some sides the sectors of 32 bytes are counted that the requests of a warp touch in one tile, beside those that their bytes fill, and taken are
 * the fewest. A dim of few elements is in a tile as a whole: what lies behind it in memory then follows without a gap, so that [64, 3, 3] and
 * [50000, 3] are turned as well as squares. In shared memory the pitch, and whether words are left out, are those with the fewest conflicts. Sizes that are not known count as large, and as no multiples of anything. */
#include "lib/targets/nvptx/map_tiles.h"

enum { UNKNOWN = 4097, LEAST = 128 /* elements of a tile */, COUNTED = 8 * NVPTX_WARP, SECTOR = 32, MOST_TILE_NODES = 64 };
enum { MOST_WHOLE = 256, LEAST_SIDE = 16 /* rows of a part of a sector are slow to come */ };

static bool is_one(const TccPull *p, const TccExpr *e) { return e == tcc_expr_const(p->ir->exprs, 1); }

/* What stands for a size or a distance that is not known: an odd multiple of what it is a multiple of. */
static int64_t likely(const TccExpr *e) {
  int64_t v = 0;
  if (!e || tcc_expr_is_const(e, &v)) return v;
  return tcc_expr_multiple_of(e) * UNKNOWN;
}

/* ---- counting ---- */

/* How lanes go through a tile: side[0] along the dim of stride[0], the fast one, then along the other. */
typedef struct {
  int64_t stride[2], begin; /* in elements; where the tile begins */
  int side[2], bytes;
} Walk;

/* Of a tile's first elements. */
static int counted(const int *side) { return side[0] * side[1] < COUNTED ? side[0] * side[1] : COUNTED; }

/* Sectors that warps touch, one request after the other. */
static int64_t count_sectors(const Walk *w) {
  const int count = counted(w->side);
  int64_t all = 0, before = -1, line = w->begin, at = line;
  for (int i = 0, fast = 0; i < count; i++, at += w->stride[0]) {
    if (fast++ == w->side[0]) fast = 1, at = line += w->stride[1];
    int64_t sector = at * w->bytes / SECTOR;
    all += sector != before || i % NVPTX_WARP == 0, before = sector;
  }
  return all;
}

/* The cost of an access beside that of one without a gap. */
static double excess(Walk w, int64_t step_fast, int64_t step_slow) {
  double ideal = (double)counted(w.side) * w.bytes / SECTOR, all = 0;
  enum { TILES = 4 };
  for (int i = 0; i < TILES; i++) { /* neighbours begin elsewhere in a sector */
    w.begin = i % 2 * step_fast + i / 2 * step_slow;
    all += (double)count_sectors(&w);
  }
  return all / TILES / ideal;
}

typedef struct {
  const TccPull *p;
  const TccMapResult *result;
  int turned;
  int64_t size[2]; /* of the turned dim, of the last one */
} Dims;

/* Sectors beside the fewest of an index that lanes follow along the turned dim (fast = 0) or along the last one. */
static double cost_of(const Dims *d, const TccPullIndex *index, TccElem elem, int fast, const int *side) {
  const int dims[2] = {d->turned, d->p->ndims - 1};
  Walk w = {.bytes = (int)tcc_elem_bytes(elem, 1)};
  for (int i = 0; i < 2; i++) {
    int of = i ? !fast : fast;
    w.stride[i] = likely(index->coef[dims[of]]), w.side[i] = side[of];
  }
  return excess(w, w.stride[0] * w.side[0], w.stride[1] * w.side[1]);
}

/* Bytes of sectors, by the bytes that are needed, of reads along the turned dim and of the store along the last one; fast 1: of both along that. */
static double cost(const Dims *d, int fast, const int *side) {
  double all = cost_of(d, &d->result->store, d->result->elem, 1, side) * (double)tcc_elem_bytes(d->result->elem, 1);
  double bytes = (double)tcc_elem_bytes(d->result->elem, 1);
  for (size_t i = 0; i < d->p->nodes.count; i++) {
    const TccPullNode *node = d->p->nodes.data[i];
    if (node->kind != TCC_PULL_LOAD || !node->index.coef[d->turned]) continue;
    all += cost_of(d, &node->index, node->elem, fast, side) * (double)tcc_elem_bytes(node->elem, 1);
    bytes += (double)tcc_elem_bytes(node->elem, 1);
  }
  return all / bytes;
}

/* Threads without an element, in a tile or behind the ends. */
static double idle(const Dims *d, const int *side) {
  int elements = side[0] * side[1];
  int64_t threads = tcc_ceil_div(elements, NVPTX_MAP_TILE_THREADS) * NVPTX_MAP_TILE_THREADS;
  double used = (double)elements / (double)threads;
  for (int i = 0; i < 2; i++) used *= (double)d->size[i] / (double)(tcc_ceil_div(d->size[i], side[i]) * side[i]);
  return 1 / used - 1;
}

/* ---- shared memory ---- */

/* Turns that the banks take for the elements of the first warps, lanes following one of the dims. */
static int count_turns(const NvptxMapTile *tile, int bytes, int fast) {
  enum { BANKS = 32, WORD = 4, MOST_WORDS = 16 * NVPTX_MAP_TILE_MOST };
  const int elements = counted(tile->side), words = bytes > WORD ? bytes / WORD : 1, lanes = NVPTX_WARP / words;
  int turns = 0;
  for (int first = 0; first < elements; first += lanes) {
    uint64_t seen[MOST_WORDS / 64] = {0};
    int in_bank[BANKS] = {0}, most = 0;
    for (int i = first; i < first + lanes && i < elements; i++) {
      int at[2] = {0};
      at[fast] = i % tile->side[fast], at[!fast] = i / tile->side[fast];
      int number = tile->pitch * at[1] + at[0];
      if (tile->gaps) number += number / nvptx_map_tile_row(bytes) * nvptx_map_tile_gap(bytes);
      int word = number * bytes / WORD;
      if (seen[word / 64] >> word % 64 & 1) continue;
      seen[word / 64] |= UINT64_C(1) << word % 64;
      if (++in_bank[word % BANKS] > most) most = in_bank[word % BANKS];
    }
    turns += most;
  }
  return turns;
}

static void choose_pitch(NvptxMapTile *tile, int bytes) {
  enum { MORE = 32, MOST_ROOM = 4 * NVPTX_MAP_TILE_MOST };
  NvptxMapTile best = *tile;
  const int least =
      (int)tcc_ceil_div((int64_t)counted(tile->side) * (bytes > 4 ? bytes : 4), 4 * NVPTX_WARP); /* one for each request */
  int fewest = INT32_MAX;
  for (int i = 0; i < 2 * MORE; i++) {
    tile->pitch = tile->side[0] + i / 2, tile->gaps = i % 2;
    if (tile->pitch * tile->side[1] > MOST_ROOM) break;
    int turns = count_turns(tile, bytes, 0) + count_turns(tile, bytes, 1);
    if (turns < fewest) fewest = turns, best = *tile;
    if (fewest <= 2 * least) break;
  }
  *tile = best;
}

/* ---- choosing ---- */

/* Whether a load is turned: its fastest dim is d, and it walks the last one, too. */
static bool is_turned(const TccPull *p, const TccPullNode *load, int d) {
  return is_one(p, load->index.coef[d]) && load->index.coef[p->ndims - 1];
}

/* Whether lanes along d read all loads well: next to each other, or the same element. */
static bool suits(const TccPull *p, int d) {
  bool turned = false;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    if (node->kind != TCC_PULL_LOAD) continue;
    if (node->index.nterms || tcc_elem_bits(node->elem) < 8) return false;
    turned |= is_turned(p, node, d);
    if (node->index.coef[d] && !is_one(p, node->index.coef[d])) return false;
  }
  return turned;
}

static int sides(int64_t size, int *out) {
  int n = 0;
  if (size <= MOST_WHOLE) out[n++] = (int)size;
  for (int side = LEAST_SIDE; side <= MOST_WHOLE && side < size; side *= 2) out[n++] = side;
  return n;
}

/* The best sides for a dim; squares where nothing is better. False: one thread for each element, without a tile, is as good. */
static bool choose(const Dims *d, NvptxMapTile *out, double *out_cost) {
  static const double worth = 0.1, of_idle = 0.1, of_block = 0.02, little = 0.01;
  enum { MOST_SIDES = 8, SQUARE = 32 };
  int of[2][MOST_SIDES], n[2], row[2] = {1, NVPTX_MAP_TILE_MOST};
  for (int i = 0; i < 2; i++) n[i] = sides(d->size[i], of[i]);
  double best = 1e9;
  for (int i = 0; i < n[0] * n[1]; i++) {
    int side[2] = {of[0][i / n[1]], of[1][i % n[1]]};
    if (side[0] * side[1] > NVPTX_MAP_TILE_MOST || side[0] * side[1] < LEAST) continue;
    double all = cost(d, 0, side) + of_idle * idle(d, side) + of_block * NVPTX_MAP_TILE_MOST / (side[0] * side[1]);
    if (side[0] == SQUARE && side[1] == SQUARE) all -= little;
    if (all < best) best = all, *out = (NvptxMapTile){.turned = d->turned, .side = {side[0], side[1]}};
  }
  *out_cost = best;
  if (d->size[1] < NVPTX_WARP) row[0] = NVPTX_MAP_TILE_MOST / (int)d->size[1], row[1] = (int)d->size[1];
  return best + worth < cost(d, 1, row);
}

bool nvptx_map_is_turned(const TccMapNest *nest, NvptxMapTile *out) {
  const TccPull *p = &nest->pull;
  const int last = p->ndims - 1;
  double best = 1e9;
  if (nest->count != 1 || last < 1 || p->nodes.count > MOST_TILE_NODES || tcc_elem_bits(nest->results[0].elem) < 8) return false;
  if (nest->results[0].store.nterms || !is_one(p, nest->results[0].store.coef[last])) return false;
  for (int turned = last; turned-- > 0;) {
    NvptxMapTile tile;
    double all;
    if (!suits(p, turned)) continue;
    Dims d = {p, &nest->results[0], turned, {likely(p->dim[turned]), likely(p->dim[last])}};
    if (d.size[0] > 1 && d.size[1] > 1 && choose(&d, &tile, &all) && all < best) best = all, *out = tile;
  }
  if (best < 1e9) choose_pitch(out, (int)tcc_elem_bytes(nest->results[0].elem, 1));
  return best < 1e9;
}
