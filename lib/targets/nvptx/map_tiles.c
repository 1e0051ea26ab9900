/* map_tiles.c - results whose operands lie turned in memory: a transpose, with what else is computed of it.
 *
 * A block has a tile of SIDE x SIDE elements. Lanes follow the operands' fastest dim where values are computed, and the result's where they are
 * stored; between the two the tile lies in shared memory, a row of it one word apart from a multiple of the banks. Threads behind an end
 * compute the last element there, so that reads stand in straight code and are under way together, and store nothing. */
#include "lib/targets/nvptx/map_tiles.h"
#include "lib/targets/nvptx/operand.h"

enum { SIDE = 32, ROWS = 8, STEPS = SIDE / ROWS, LEAST = 16, WORD = 4, MOST_TILE_NODES = 64 };

static bool is_one(const TccPull *p, const TccExpr *e) { return e == tcc_expr_const(p->ir->exprs, 1); }

static bool is_long(const TccExpr *size) {
  int64_t known;
  return !tcc_expr_is_const(size, &known) || known >= LEAST;
}

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

int nvptx_map_turned(const TccMapNest *nest) {
  const TccPull *p = &nest->pull;
  const int last = p->ndims - 1;
  if (nest->count != 1 || last < 1 || p->nodes.count > MOST_TILE_NODES || tcc_elem_bits(nest->results[0].elem) < 8) return -1;
  if (nest->results[0].store.nterms || !is_one(p, nest->results[0].store.coef[last]) || !is_long(p->dim[last])) return -1;
  for (int d = last; d-- > 0;)
    if (is_long(p->dim[d]) && suits(p, d)) return d;
  return -1;
}

typedef struct {
  NvptxKernel *n;
  const TccMapNest *nest;
  TccPullEmit e;
  int turned, pitch;                /* pitch: elements of a row of the tile */
  TccVal first[2], lane, row, base; /* first: of the tile, along the turned dim and the last */
} Tile;

static TccVal i64(Tile *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal add(Tile *w, TccVal a, TccVal b) { return tcc_emit_add(&w->n->e, a, b); }

static void place_block(Tile *w, const TccExpr **out_blocks) {
  const TccPull *p = &w->nest->pull;
  TccExprPool *exprs = p->ir->exprs;
  const TccExpr *sizes[TCC_PULL_DIMS], *blocks = tcc_expr_const(exprs, 1);
  const int last = p->ndims - 1, dims[2] = {w->turned, last};
  int n = 0, of[TCC_PULL_DIMS];
  TccVal at[TCC_PULL_DIMS];
  for (int d = 0; d < last; d++)
    if (d != w->turned) of[n] = d, sizes[n++] = p->dim[d];
  for (int i = 0; i < 2; i++) of[n] = dims[i], sizes[n++] = nvptx_blocks(p->ir, p->dim[dims[i]], SIDE);
  for (int i = 0; i < n; i++) blocks = tcc_expr_mul(exprs, blocks, sizes[i]);
  nvptx_take_apart(&w->n->k, sizes, n, w->n->block, at);
  for (int i = 0; i < n - 2; i++) w->e.iv[of[i]] = at[i];
  for (int i = 0; i < 2; i++) w->first[i] = tcc_emit_mul(&w->n->e, at[n - 2 + i], i64(w, SIDE));
  *out_blocks = blocks;
}

/* Element `line` of the tile along one dim and the lane's along the other. */
static void place_element(Tile *w, int along_line, TccVal line, int along_lane) {
  const int dims[2] = {w->turned, w->nest->pull.ndims - 1};
  w->e.iv[dims[along_line]] = add(w, w->first[along_line], line);
  w->e.iv[dims[along_lane]] = add(w, w->first[along_lane], w->lane);
  tcc_pull_emit_reset(&w->e);
}

static TccVal size_of(Tile *w, int which) {
  const TccPull *p = &w->nest->pull;
  return tcc_kernel_size(&w->n->k, p->dim[which ? p->ndims - 1 : w->turned]);
}

static TccVal line_of(Tile *w, int step) { return add(w, w->row, i64(w, (int64_t)step * ROWS)); }

/* [last][turned] in shared memory. */
static TccStatus *fill(Tile *w, const char *type) {
  TccEmit *t = &w->n->e;
  const TccMapResult *r = &w->nest->results[0];
  TccVal values[STEPS];
  for (int step = 0; step < STEPS; step++) {
    const int dims[2] = {w->turned, w->nest->pull.ndims - 1};
    place_element(w, 1, line_of(w, step), 0);
    for (int i = 0; i < 2; i++) w->e.iv[dims[i]] = tcc_emit_min(t, w->e.iv[dims[i]], tcc_emit_sub(t, size_of(w, i), i64(w, 1)));
    TCC_TRY(tcc_pull_emit_node(&w->e, r->root, &values[step]));
  }
  for (int step = 0; step < STEPS; step++) {
    TccVal at = add(w, tcc_emit_mul(t, line_of(w, step), i64(w, w->pitch)), w->lane);
    tcc_emit_shared_store(t, type, tcc_scalar_to_memory(t, r->elem, 1, values[step]), tcc_emit_shared_gep(t, type, w->base, at));
  }
  return NULL;
}

static TccStatus *store(Tile *w, const char *type) {
  TccEmit *t = &w->n->e;
  const TccMapResult *r = &w->nest->results[0];
  TccVal is_column = tcc_emit_icmp(t, "slt", "i64", add(w, w->first[1], w->lane), size_of(w, 1));
  for (int step = 0; step < STEPS; step++) {
    TccIf inside;
    TccVal is_line = tcc_emit_icmp(t, "slt", "i64", add(w, w->first[0], line_of(w, step)), size_of(w, 0));
    tcc_emit_if(t, &inside, tcc_emit_bin(t, "and", "i1", is_column, is_line), 0, NULL);
    place_element(w, 0, line_of(w, step), 1);
    TccVal at = add(w, tcc_emit_mul(t, w->lane, i64(w, w->pitch)), line_of(w, step));
    TccVal v = tcc_scalar_from_memory(t, r->elem, 1, tcc_emit_shared_load(t, type, tcc_emit_shared_gep(t, type, w->base, at)));
    TCC_TRY(tcc_pull_emit_store(&w->e, r->argument, r->elem, &r->store, v));
    tcc_emit_end_if(t, &inside, NULL);
  }
  return NULL;
}

TccStatus *nvptx_map_tile(NvptxKernel *n, const TccMapNest *nest, int turned, const TccExpr **out_blocks, uint32_t *out_threads,
                          uint32_t *out_shared) {
  TccEmit *t = &n->e;
  const int bytes = (int)tcc_elem_bytes(nest->results[0].elem, 1);
  Tile w = {.n = n, .nest = nest, .turned = turned, .pitch = SIDE + (bytes < WORD ? WORD / bytes : 1)};
  const char *type = tcc_scalar_memory_type(nest->results[0].elem);
  tcc_pull_emit_init(&w.e, &n->k, &nest->pull, 1);
  w.e.run_dim = nest->pull.ndims - 1;
  w.lane = tcc_emit_rem(t, n->thread, i64(&w, SIDE)), w.row = tcc_emit_div(t, n->thread, i64(&w, SIDE));
  place_block(&w, out_blocks);
  tcc_emit_shared(t, "tile", (size_t)(SIDE * w.pitch), type, NVPTX_SHARED_ALIGNMENT);
  w.base = tcc_emit_shared_address(t, "tile");
  *out_threads = SIDE * ROWS, *out_shared = (uint32_t)(SIDE * w.pitch * bytes);
  TCC_TRY(fill(&w, type));
  nvptx_barrier(n);
  return store(&w, type);
}
