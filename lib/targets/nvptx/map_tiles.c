/* map_tiles.c - results whose operands lie turned in memory: a transpose, with what else is computed of it.
 *
 * A block has a tile. Lanes follow the operands' fastest dim where values are computed, and the result's where they are stored; between the two the
 * tile lies in shared memory. Threads behind an end
 * compute the last element there, so that reads stand in straight code and are under way together, and store nothing. */
#include "lib/targets/nvptx/map_tiles.h"
#include "lib/targets/nvptx/operand.h"

enum { THREADS = NVPTX_MAP_TILE_THREADS, STEPS = NVPTX_MAP_TILE_MOST / THREADS };

typedef struct {
  NvptxKernel *n;
  const TccMapNest *nest;
  TccPullEmit e;
  const NvptxMapTile *of;
  int dims[2], elements, steps; /* the turned dim, the last one */
  TccVal first[2], base;        /* first: of the tile, along these dims */
} Tile;

static TccVal i64(Tile *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal add(Tile *w, TccVal a, TccVal b) { return tcc_emit_add(&w->n->e, a, b); }
static const TccExpr *size_of(const Tile *w, int which) { return w->nest->pull.dim[w->dims[which]]; }
static TccVal end_of(Tile *w, int which) { return tcc_kernel_size(&w->n->k, size_of(w, which)); }
static bool is_whole(const Tile *w, int which) { return tcc_expr_multiple_of(size_of(w, which)) % w->of->side[which] == 0; }

static void place_block(Tile *w, const TccExpr **out_blocks) {
  const TccPull *p = &w->nest->pull;
  const TccExpr *sizes[TCC_PULL_DIMS], *blocks = tcc_expr_const(p->ir->exprs, 1);
  int n = 0, of[TCC_PULL_DIMS];
  TccVal at[TCC_PULL_DIMS];
  for (int d = 0; d < w->dims[1]; d++)
    if (d != w->dims[0]) of[n] = d, sizes[n++] = p->dim[d];
  for (int i = 0; i < 2; i++) of[n] = w->dims[i], sizes[n++] = nvptx_blocks(p->ir, size_of(w, i), w->of->side[i]);
  for (int i = 0; i < n; i++) blocks = tcc_expr_mul(p->ir->exprs, blocks, sizes[i]);
  nvptx_take_apart(&w->n->k, sizes, n, w->n->block, at);
  for (int i = 0; i < n - 2; i++) w->e.iv[of[i]] = at[i];
  for (int i = 0; i < 2; i++) w->first[i] = tcc_emit_mul(&w->n->e, at[n - 2 + i], i64(w, w->of->side[i]));
  *out_blocks = blocks;
}

/* ---- elements ---- */

/* Where a step's element is in the tile, in the order of the dim that lanes follow; i1: there is one; 0: each step has. */
static TccVal element_of(Tile *w, int step, int fast, TccVal *out_at) {
  TccEmit *t = &w->n->e;
  TccVal number = add(w, w->n->thread, i64(w, (int64_t)step * THREADS)), count = i64(w, w->elements), has = 0;
  if (w->elements < (step + 1) * THREADS) {
    has = tcc_emit_icmp(t, "slt", "i64", number, count);
    number = tcc_emit_min(t, number, i64(w, w->elements - 1));
  }
  out_at[fast] = tcc_emit_rem(t, number, i64(w, w->of->side[fast]));
  out_at[!fast] = tcc_emit_div(t, number, i64(w, w->of->side[fast]));
  return has;
}

static void place_element(Tile *w, const TccVal *at) {
  for (int i = 0; i < 2; i++) w->e.iv[w->dims[i]] = add(w, w->first[i], at[i]);
  tcc_pull_emit_reset(&w->e);
}

/* Its address in shared memory. */
static TccVal place_of(Tile *w, const char *type, const TccVal *at) {
  TccEmit *t = &w->n->e;
  const int bytes = (int)tcc_elem_bytes(w->nest->results[0].elem, 1), row = nvptx_map_tile_row(bytes);
  TccVal number = add(w, tcc_emit_mul(t, at[1], i64(w, w->of->pitch)), at[0]);
  if (w->of->gaps)
    number = add(w, number, tcc_emit_mul(t, tcc_emit_div(t, number, i64(w, row)), i64(w, nvptx_map_tile_gap(bytes))));
  return tcc_emit_shared_gep(t, type, w->base, number);
}

static TccStatus *fill(Tile *w, const char *type) {
  TccEmit *t = &w->n->e;
  const TccMapResult *r = &w->nest->results[0];
  TccVal values[STEPS], at[STEPS][2], has[STEPS];
  for (int step = 0; step < w->steps; step++) {
    has[step] = element_of(w, step, 0, at[step]);
    place_element(w, at[step]);
    for (int i = 0; i < 2; i++) {
      TccVal *iv = &w->e.iv[w->dims[i]];
      if (!is_whole(w, i)) *iv = tcc_emit_min(t, *iv, tcc_emit_sub(t, end_of(w, i), i64(w, 1)));
    }
    TCC_TRY(tcc_pull_emit_node(&w->e, r->root, &values[step]));
  }
  for (int step = 0; step < w->steps; step++) {
    TccIf inside;
    if (has[step]) tcc_emit_if(t, &inside, has[step], 0, NULL);
    tcc_emit_shared_store(t, type, tcc_scalar_to_memory(t, r->elem, 1, values[step]), place_of(w, type, at[step]));
    if (has[step]) tcc_emit_end_if(t, &inside, NULL);
  }
  return NULL;
}

/* i1: the element is in the tensor, too. */
static TccVal exists(Tile *w, TccVal has, const TccVal *at) {
  TccEmit *t = &w->n->e;
  for (int i = 0; i < 2; i++) {
    if (is_whole(w, i)) continue;
    TccVal ok = tcc_emit_icmp(t, "slt", "i64", add(w, w->first[i], at[i]), end_of(w, i));
    has = has ? tcc_emit_bin(t, "and", "i1", has, ok) : ok;
  }
  return has;
}

static TccStatus *store(Tile *w, const char *type) {
  TccEmit *t = &w->n->e;
  const TccMapResult *r = &w->nest->results[0];
  for (int step = 0; step < w->steps; step++) {
    TccIf inside;
    TccVal at[2], has = element_of(w, step, 1, at);
    has = exists(w, has, at);
    if (has) tcc_emit_if(t, &inside, has, 0, NULL);
    place_element(w, at);
    TccVal v = tcc_scalar_from_memory(t, r->elem, 1, tcc_emit_shared_load(t, type, place_of(w, type, at)));
    TCC_TRY(tcc_pull_emit_store(&w->e, r->argument, r->elem, &r->store, v));
    if (has) tcc_emit_end_if(t, &inside, NULL);
  }
  return NULL;
}

TccStatus *nvptx_map_tile(NvptxKernel *n, const TccMapNest *nest, const NvptxMapTile *tile, const TccExpr **out_blocks,
                          uint32_t *out_shared) {
  TccEmit *t = &n->e;
  TccElem elem = nest->results[0].elem;
  Tile w = {.n = n, .nest = nest, .of = tile, .dims = {tile->turned, nest->pull.ndims - 1}};
  const char *type = tcc_scalar_memory_type(elem);
  const int bytes = (int)tcc_elem_bytes(elem, 1), last = tile->pitch * (tile->side[1] - 1) + tile->side[0] - 1;
  const int room = last + 1 + last / nvptx_map_tile_row(bytes) * nvptx_map_tile_gap(bytes);
  w.elements = tile->side[0] * tile->side[1], w.steps = (int)tcc_ceil_div(w.elements, THREADS);
  tcc_pull_emit_init(&w.e, &n->k, &nest->pull, 1);
  w.e.run_dim = w.dims[1];
  place_block(&w, out_blocks);
  tcc_emit_shared(t, "tile", (size_t)room, type, NVPTX_SHARED_ALIGNMENT);
  w.base = tcc_emit_shared_address(t, "tile");
  *out_shared = (uint32_t)(room * bytes);
  TCC_TRY(fill(&w, type));
  nvptx_barrier(n);
  return store(&w, type);
}
