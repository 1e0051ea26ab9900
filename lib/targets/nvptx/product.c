/* product.c - products of scalars: the tiled product of the CUDA C++ programming guide: 64 x 64 results per block of 256 threads, 4 x 4 per thread.
 *
 * Batch, rows, columns and depth are each one linear number, taken apart again where an element is read, so any views and sizes of the
 * operands work; edges are guarded element by element. Steps of 16 along the depth go through two tiles in shared memory, whose rows are
 * one element longer than a tile is wide: threads that follow the memory of an operand along the depth then write to different banks. */
#include "lib/targets/nvptx/product.h"
#include "lib/targets/nvptx/product_ring.h"
#include "lib/targets/nvptx/product_tiles.h"

enum { TILE = 64, DEPTH = 16, PER_THREAD = 4, THREADS = 256, SIDE = 16, PITCH = TILE + 1 };

typedef struct {
  NvptxKernel *n;
  const NvptxProduct *p;
  const char *type;
  TccVal tile[2]; /* shared memory */
  TccVal batch, first[2], size[2], depth;
} Tiles;

static TccVal i64(Tiles *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal below(Tiles *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->n->e, "slt", "i64", a, b); }
static TccVal both(Tiles *w, TccVal a, TccVal b) { return tcc_emit_bin(&w->n->e, "and", "i1", a, b); }

static TccVal shared_at(Tiles *w, int side, TccVal index) { return tcc_emit_shared_gep(&w->n->e, w->type, w->tile[side], index); }

/* Fills one operand's tile: element (k, row) of this step, zero outside. Threads follow the operand's memory. */
static TccStatus *fill_tile(Tiles *w, int side, TccVal k0) {
  TccEmit *t = &w->n->e;
  for (int i = 0; i < TILE * DEPTH / THREADS; i++) {
    TccVal at = tcc_emit_add(t, w->n->thread, i64(w, i * THREADS)), width = i64(w, w->p->along_depth[side] ? DEPTH : TILE);
    TccVal fast = tcc_emit_rem(t, at, width), slow = tcc_emit_div(t, at, width);
    TccVal in_k = w->p->along_depth[side] ? fast : slow, in_row = w->p->along_depth[side] ? slow : fast;
    TccVal row = tcc_emit_add(t, w->first[side], in_row), k = tcc_emit_add(t, k0, in_k), zero = tcc_emit_zero(t, w->type), v;
    TccIf branch;
    tcc_emit_if(t, &branch, both(w, below(w, row, w->size[side]), below(w, k, w->depth)), 1, &w->type);
    TCC_TRY(w->p->read(w->p->user, side, w->batch, row, k, &v));
    v = tcc_scalar_convert(t, w->p->of[side], w->p->acc, 1, v);
    tcc_emit_else(t, &branch, &v);
    tcc_emit_end_if(t, &branch, &zero);
    tcc_emit_shared_store(t, w->type, branch.out[0],
                          shared_at(w, side, tcc_emit_add(t, tcc_emit_mul(t, in_k, i64(w, PITCH)), in_row)));
  }
  return NULL;
}

/* ty, tx: place of the thread in the square of threads. */
static void multiply(Tiles *w, TccVal ty, TccVal tx, TccVal *acc) {
  TccEmit *t = &w->n->e;
  bool f = tcc_elem_is_float(w->p->acc);
  for (int k = 0; k < DEPTH; k++) {
    TccVal a[PER_THREAD], b[PER_THREAD];
    for (int i = 0; i < PER_THREAD; i++) {
      TccVal place = i64(w, k * PITCH + i * SIDE);
      a[i] = tcc_emit_shared_load(t, w->type, shared_at(w, 0, tcc_emit_add(t, ty, place)));
      b[i] = tcc_emit_shared_load(t, w->type, shared_at(w, 1, tcc_emit_add(t, tx, place)));
    }
    for (int i = 0; i < PER_THREAD * PER_THREAD; i++) {
      TccVal x = a[i / PER_THREAD], y = b[i % PER_THREAD];
      acc[i] = f ? tcc_emit_fma(t, w->type, x, y, acc[i])
                 : tcc_emit_bin(t, "add", w->type, acc[i], tcc_emit_bin(t, "mul", w->type, x, y));
    }
  }
}

static TccStatus *write_results(Tiles *w, TccVal ty, TccVal tx, const TccVal *sums) {
  TccEmit *t = &w->n->e;
  for (int i = 0; i < PER_THREAD * PER_THREAD; i += w->p->dual ? 2 : 1) { /* a turn is SIDE columns */
    TccVal row = tcc_emit_add(t, w->first[0], tcc_emit_add(t, ty, i64(w, i / PER_THREAD * SIDE)));
    TccVal column = tcc_emit_add(t, w->first[1], tcc_emit_add(t, tx, i64(w, i % PER_THREAD * SIDE))),
           of[2] = {sums[i], w->p->dual ? sums[i + 1] : 0};
    TccIf inside;
    tcc_emit_if(t, &inside, both(w, below(w, row, w->size[0]), below(w, column, w->size[1])), 0, NULL);
    if (w->p->dual) nvptx_dual_column(w->n, w->p, column, &column);
    TCC_TRY(w->p->write(w->p->user, w->batch, row, column, of));
    tcc_emit_end_if(t, &inside, NULL);
  }
  return NULL;
}

TccVal nvptx_product_choose(NvptxKernel *n, const NvptxProduct *p, TccVal batch) {
  TccVal member, entry = batch;
  if (p->members > 1) {
    nvptx_divide(&n->k, batch, p->in_member, &member, &entry);
    p->choose_member(p->user, member);
  }
  if (p->choose_entry) p->choose_entry(p->user, entry);
  return entry;
}

TccVal nvptx_dual_column(NvptxKernel *n, const NvptxProduct *p, TccVal at, TccVal *out) {
  TccEmit *t = &n->e;
  TccVal turn = tcc_emit_i64(t, p->turn), two = tcc_emit_i64(t, 2), turns = tcc_emit_div(t, at, turn);
  *out = tcc_emit_add(t, tcc_emit_mul(t, tcc_emit_div(t, turns, two), turn), tcc_emit_rem(t, at, turn));
  return tcc_emit_rem(t, turns, two);
}

/* Blocks go through columns first, then rows, then the batch. */
static void place_block(Tiles *w, const TccExpr *const *tiles) {
  TccEmit *t = &w->n->e;
  TccVal tile[2], side = i64(w, TILE);
  nvptx_divide(&w->n->k, w->n->block, tiles[1], &w->batch, &tile[1]);
  nvptx_divide(&w->n->k, w->batch, tiles[0], &w->batch, &tile[0]);
  w->batch = nvptx_product_choose(w->n, w->p, w->batch);
  for (int i = 0; i < 2; i++) w->first[i] = tcc_emit_mul(t, tile[i], side);
  w->size[0] = tcc_kernel_size(&w->n->k, w->p->rows), w->size[1] = tcc_kernel_size(&w->n->k, w->p->columns);
  w->depth = tcc_kernel_size(&w->n->k, w->p->depth);
}

static TccStatus *emit_scalars(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  TccEmit *t = &n->e;
  TccExprPool *exprs = n->k.ir->exprs;
  Tiles w = {.n = n, .p = p, .type = tcc_scalar_type(p->acc)};
  const TccExpr *tiles[2] = {nvptx_blocks(n->k.ir, p->rows, TILE), nvptx_blocks(n->k.ir, p->columns, TILE)};
  for (int i = 0; i < 2; i++) {
    tcc_emit_shared(t, i ? "columns" : "rows", PITCH * DEPTH, w.type, NVPTX_SHARED_ALIGNMENT);
    w.tile[i] = tcc_emit_shared_address(t, i ? "columns" : "rows");
  }
  place_block(&w, tiles);
  TccVal ty = tcc_emit_div(t, n->thread, i64(&w, SIDE)), tx = tcc_emit_rem(t, n->thread, i64(&w, SIDE));
  TccVal acc[PER_THREAD * PER_THREAD];
  const char *types[PER_THREAD * PER_THREAD];
  for (int i = 0; i < PER_THREAD * PER_THREAD; i++) acc[i] = tcc_emit_zero(t, w.type), types[i] = w.type;
  TccLoop steps;
  tcc_emit_for(t, &steps, i64(&w, 0), w.depth, DEPTH, PER_THREAD * PER_THREAD, acc, types);
  for (int side = 0; side < 2; side++) TCC_TRY(fill_tile(&w, side, steps.iv));
  nvptx_barrier(n);
  memcpy(acc, steps.in, sizeof acc);
  multiply(&w, ty, tx, acc);
  nvptx_barrier(n);
  tcc_emit_end_for(t, &steps, acc);
  out->blocks = tcc_expr_mul(exprs, p->batch, tcc_expr_mul(exprs, tiles[0], tiles[1]));
  out->threads = THREADS, out->shared = 2 * PITCH * DEPTH * tcc_elem_bits(p->acc) / 8;
  out->schedule = "scalars, tile = 64x64x16";
  return write_results(&w, ty, tx, steps.out);
}

static bool is_byte(TccElem elem) { return elem == TCC_ELEM_I8 || elem == TCC_ELEM_U8; }

void nvptx_product_elem(NvptxProduct *p, MlirOperation kernel, TccElem left, TccElem right) {
  bool half = left == right && (left == TCC_ELEM_F16 || left == TCC_ELEM_BF16) && p->acc == TCC_ELEM_F32;
  bool bytes = is_byte(left) && is_byte(right) && p->acc == TCC_ELEM_I32;
  p->elem = half ? left : bytes ? TCC_ELEM_I8 : p->acc;
  p->of[0] = bytes ? left : p->elem, p->of[1] = bytes ? right : p->elem;
  p->exact = tcc_numerics(kernel) != TCC_NUMERICS_FAST || left != TCC_ELEM_F32 || right != TCC_ELEM_F32;
}

NvptxProductWay nvptx_product_way(const TccMachine *machine, const NvptxProduct *p) {
  if (p->split) return NVPTX_PRODUCT_SPLIT;
  if (nvptx_product_few_fits(p)) return NVPTX_PRODUCT_FEW;
  if (nvptx_product_wgmma_fits(machine, p)) return NVPTX_PRODUCT_WGMMA;
  if (nvptx_product_mma_fits(machine, p)) return NVPTX_PRODUCT_MMA;
  return nvptx_product_fma_fits(machine, p) ? NVPTX_PRODUCT_FMA : NVPTX_PRODUCT_SCALARS;
}

TccStatus *nvptx_product_parts(const TccMachine *machine, TccIr *ir, MlirOperation kernel, NvptxProduct *p, bool maps,
                               const TccExpr **out_scratch) {
  NvptxProductWay way = nvptx_product_way(machine, p);
  *out_scratch = NULL;
  p->parts = 1;
  if (!maps) p->turn = NVPTX_DUAL_TURN;
  if (maps) {
    *out_scratch = nvptx_tiles_scratch(ir, p, &p->shape);
    return NULL;
  }
  if (way == NVPTX_PRODUCT_WGMMA || way == NVPTX_PRODUCT_MMA) return nvptx_ring_choose(machine, ir, kernel, p, out_scratch);
  if (way == NVPTX_PRODUCT_FEW) return nvptx_few_choose(machine, kernel, p);
  if (way == NVPTX_PRODUCT_SPLIT || !tcc_has_attribute(kernel, "tcc.schedule")) return NULL;
  return TCC_ERROR(TCC_INVALID, "'tcc.schedule' of a product that has nothing to choose");
}

TccStatus *nvptx_product_emit(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  typedef TccStatus *Emit(NvptxKernel *, const NvptxProduct *, NvptxProductLaunch *);
  static Emit *const ways[] = {nvptx_product_tma, nvptx_product_split, nvptx_product_few, nvptx_product_wgmma,
                               nvptx_product_mma, nvptx_product_fma,   emit_scalars};
  NvptxProductWay way = n->nmaps ? NVPTX_PRODUCT_TMA : nvptx_product_way(n->k.machine, p);
  TCC_TRY(ways[way](n, p, out));
  out->schedule = tcc_arena_printf(n->k.ir->arena, "%s%s", out->schedule, nvptx_product_why(n, p, way));
  return NULL;
}
