/* product_tma.c - products of 16-bit floats on sm_90a as the fastest libraries have them: a warp copies boxes of both operands by tensor maps into
 * a ring of stages, warpgroups multiply them from there (wgmma), and a block goes through many tiles of the results.
 *
 * Each stage has two barriers: "full", which ends a phase when the bytes of both tiles have come, and "empty", which ends one when each warp that
 * multiplies has told that it is done with the stage. Both sides count stages from the kernel's begin on; a stage's number modulo the ring says
 * which it is, the quotient's last bit the parity of its phase. While a warpgroup writes its results, the ring fills for the next tile.
 * The blocks of a cluster have tiles below each other and the same columns: each copies a part of the right operand, to all of them.
 * Tiles come in bands: `band` of them down, then the next columns, so that blocks that run at once share rows and columns in the second cache.
 * As the warp-specialised persistent kernels of CUTLASS (gemm/kernel/sm90_gemm_tma_warpspecialized_cooperative.hpp). */
#include "lib/targets/nvptx/product_tma.h"
#include "lib/targets/nvptx/tile.h"

enum { PART_ROWS = 16, PART_COLUMNS = NVPTX_SUMS_COLUMNS };
enum { STAGING = PART_ROWS * NVPTX_SUMS_PITCH * 4 /* bytes of a warp */ };

typedef struct {
  NvptxKernel *n;
  const NvptxProduct *p;
  NvptxTmaShape shape;
  const TccExpr *tiles[2], *in_band, *of_batch, *pairs, *clusters; /* tiles[0]: of the rows of a cluster */
  TccVal memory, full, empty;                                      /* shared memory: the ring; barriers (i32) */
  TccVal rank, lane, warp, group;                                  /* of the block in its cluster; of those that multiply */
  TccVal size[2], depth, steps;
  TccVal batch, first[2]; /* of the tile */
} Tma;

static TccVal i64(Tma *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal i32(Tma *w, int64_t v) { return tcc_emit_int(&w->n->e, "i32", v); }
static TccVal add(Tma *w, TccVal a, TccVal b) { return tcc_emit_add(&w->n->e, a, b); }
static TccVal times(Tma *w, TccVal a, int64_t b) { return tcc_emit_mul(&w->n->e, a, i64(w, b)); }
static TccVal below(Tma *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->n->e, "slt", "i64", a, b); }
static TccVal narrow(Tma *w, TccVal v) { return tcc_emit_cast(&w->n->e, "trunc", "i64", "i32", v); }
static int tile_bytes(const Tma *w, int side) { return nvptx_tma_tile_bytes(&w->shape, side); }
static int stage_bytes(const Tma *w) { return tile_bytes(w, 0) + tile_bytes(w, 1); }
static int warps(const Tma *w) { return w->shape.groups * NVPTX_GROUP_WARPS; }
static int block_rows(const Tma *w) { return w->shape.groups * NVPTX_GROUP_ROWS; }
static void say(Tma *w, const char *text) { tcc_emit_inline_asm(&w->n->e, text, "~{memory}", NULL, 0, NULL, NULL); }
static TccVal shared_at(Tma *w, int64_t at) { return tcc_emit_shared_gep(&w->n->e, "i8", w->memory, i64(w, at)); }
static TccVal address(Tma *w, TccVal p) { return nvptx_shared_number(w->n, p); }

int nvptx_tma_shared(const NvptxTmaShape *s) {
  return s->stages * (nvptx_tma_tile_bytes(s, 0) + nvptx_tma_tile_bytes(s, 1) + 2 * NVPTX_BARRIER_BYTES) +
         s->groups * NVPTX_GROUP_WARPS * STAGING;
}

/* ---- barriers ---- */

static TccVal barrier_of(Tma *w, TccVal first, TccVal stage) {
  TccEmit *t = &w->n->e;
  return tcc_emit_bin(t, "add", "i32", first, narrow(w, times(w, stage, NVPTX_BARRIER_BYTES)));
}

static void init_barriers(Tma *w) {
  TccEmit *t = &w->n->e;
  TccIf one;
  tcc_emit_if(t, &one, tcc_emit_icmp(t, "eq", "i64", w->n->thread, i64(w, 0)), 0, NULL);
  for (int i = 0; i < w->shape.stages; i++) {
    nvptx_mbarrier_init(w->n, barrier_of(w, w->full, i64(w, i)), 1);
    nvptx_mbarrier_init(w->n, barrier_of(w, w->empty, i64(w, i)), (int64_t)warps(w) * w->shape.cluster);
  }
  nvptx_mbarriers_show(w->n);
  tcc_emit_end_if(t, &one, NULL);
  if (w->shape.cluster > 1) say(w, "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;");
  else nvptx_barrier(w->n);
}

/* ---- tiles ---- */

/* Of the pair'th cluster of tiles the one of this block. */
static void place(Tma *w, TccVal pair) {
  TccEmit *t = &w->n->e;
  TccVal local, band, inside, row, column, band_rows = i64(w, w->shape.band);
  nvptx_divide(&w->n->k, pair, w->of_batch, &w->batch, &local);
  nvptx_divide(&w->n->k, local, w->in_band, &band, &inside);
  TccVal first = times(w, band, w->shape.band), left = tcc_emit_sub(t, tcc_kernel_size(&w->n->k, w->tiles[0]), first);
  nvptx_divide_small(w->n, inside, tcc_emit_min(t, band_rows, left), &column, &row);
  row = add(w, times(w, add(w, first, row), w->shape.cluster), w->rank);
  w->first[0] = times(w, row, block_rows(w)), w->first[1] = times(w, column, w->shape.columns);
}

/* Each cluster of tiles that is this block's. counted: stages so far. */
static void begin_tiles(Tma *w, TccLoop *loop) {
  TccEmit *t = &w->n->e;
  TccVal zero = i64(w, 0), cluster = tcc_emit_div(t, w->n->block, i64(w, w->shape.cluster));
  tcc_emit_for_by(t, loop, cluster, tcc_kernel_size(&w->n->k, w->pairs), tcc_kernel_size(&w->n->k, w->clusters), 1, &zero,
                  (const char *const[]){"i64"});
  place(w, loop->iv);
}

/* ---- copies ---- */

static void copy_box(Tma *w, int side, TccVal to, TccVal barrier, TccVal at, TccVal k, int blocks) {
  const NvptxProduct *p = w->p;
  TccVal map = w->n->map[side], batch = w->batch;
  bool along = p->along_depth[side];
  if (p->pixels[side]) {
    p->copy_pixels(p->user, map, to, barrier, at, k, blocks);
    return;
  }
  if (p->place_depth) p->place_depth(p->user, k, &k, &batch);
  nvptx_tensor_copy(w->n, &p->tensor[side], map, to, barrier, along ? k : at, along ? at : k, batch, blocks);
}

/* What this block copies of a side's tile: all of the left one, its part of the right one. */
static void copy_side(Tma *w, int side, TccVal stage, TccVal barrier, TccVal k) {
  TccEmit *t = &w->n->e;
  int blocks = side ? w->shape.cluster : 1;
  int rows = side ? w->shape.columns / w->shape.cluster : block_rows(w),
      box = (int)w->p->tensor[side].map.box[w->p->along_depth[side]];
  TccVal skipped = side ? times(w, w->rank, rows) : i64(w, 0), begin = times(w, stage, stage_bytes(w));
  begin = add(w, begin, add(w, i64(w, side ? tile_bytes(w, 0) : 0), times(w, skipped, NVPTX_TMA_DEPTH * 2)));
  for (int row = 0; row < rows; row += box) {
    TccVal to = address(w, tcc_emit_shared_gep(t, "i8", w->memory, add(w, begin, i64(w, (int64_t)row * NVPTX_TMA_DEPTH * 2))));
    TccVal at = add(w, w->first[side], add(w, skipped, i64(w, row)));
    copy_box(w, side, to, barrier, at, k, blocks);
  }
}

/* Which stage number `count` is, and the parity of its phase. */
static void stage_of(Tma *w, TccVal count, TccVal *stage, TccVal *parity) {
  TccEmit *t = &w->n->e;
  TccVal n = i64(w, w->shape.stages);
  *stage = tcc_emit_rem(t, count, n);
  *parity = tcc_emit_rem(t, tcc_emit_div(t, count, n), i64(w, 2));
}

static void fill_stage(Tma *w, TccVal count, TccVal k) {
  TccEmit *t = &w->n->e;
  TccVal stage, parity;
  stage_of(w, count, &stage, &parity);
  nvptx_mbarrier_wait(w->n, barrier_of(w, w->empty, stage), narrow(w, tcc_emit_sub(t, i64(w, 1), parity)));
  TccVal full = barrier_of(w, w->full, stage);
  nvptx_mbarrier_expect(w->n, full, stage_bytes(w));
  for (int side = 0; side < 2; side++) copy_side(w, side, stage, full, k);
}

/* One thread copies for all. */
static void produce(Tma *w) {
  TccEmit *t = &w->n->e;
  TccIf one;
  TccLoop tiles, steps;
  tcc_emit_if(t, &one, tcc_emit_icmp(t, "eq", "i64", w->n->thread, i64(w, 0)), 0, NULL);
  begin_tiles(w, &tiles);
  tcc_emit_for(t, &steps, i64(w, 0), w->steps, 1, 0, NULL, NULL);
  fill_stage(w, add(w, tiles.in[0], steps.iv), times(w, steps.iv, NVPTX_TMA_DEPTH));
  tcc_emit_end_for(t, &steps, NULL);
  TccVal counted = add(w, tiles.in[0], w->steps);
  tcc_emit_end_for(t, &tiles, &counted);
  tcc_emit_end_if(t, &one, NULL);
}

/* ---- products ---- */

static TccVal descriptor(Tma *w, int side) {
  TccEmit *t = &w->n->e;
  NvptxMatrix m = nvptx_matrix(w->p->along_depth[side], NVPTX_TMA_DEPTH);
  TccVal at = tcc_emit_cast(t, "zext", "i32", "i64", address(w, shared_at(w, side ? tile_bytes(w, 0) : 0)));
  if (!side) at = add(w, at, times(w, w->group, m.rows));
  return nvptx_matrix_at(w->n, &m, at);
}

static void multiply(Tma *w, TccVal counted, TccVal *sums) {
  TccEmit *t = &w->n->e;
  TccVal stage, parity;
  const char *text, *constraints, *type;
  nvptx_tma_text(w->n->k.ir->arena, &w->shape, w->p, &text, &constraints, &type);
  stage_of(w, counted, &stage, &parity);
  TccVal empty = w->empty, tells = below(w, w->lane, i64(w, w->shape.cluster));
  if (w->shape.cluster > 1) { /* lane i tells block i of the cluster */
    TccVal of[2] = {w->empty, narrow(w, tcc_emit_min(t, w->lane, i64(w, w->shape.cluster - 1)))};
    empty =
        tcc_emit_inline_asm(t, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", "i32", 2, of, (const char *const[]){"i32", "i32"});
  }
  TccVal args[] = {
      narrow(w, stage), narrow(w, parity), narrow(w, w->steps), descriptor(w, 0), descriptor(w, 1), w->full, empty, tells};
  TccVal all = tcc_emit_inline_asm(t, text, constraints, type, 8, args,
                                   (const char *const[]){"i32", "i32", "i32", "i64", "i64", "i32", "i32", "i1"});
  for (int i = 0; i < w->shape.columns / 2; i++) sums[i] = tcc_emit_extract_value(t, type, all, i, "f32");
}

/* ---- results ---- */

/* 16 rows of 32 columns that lie in shared memory: a thread has `wide` columns side by side. */
static TccStatus *write_part(Tma *w, TccVal base, TccVal row, TccVal column, int wide) {
  TccEmit *t = &w->n->e;
  int across = PART_COLUMNS / wide, down = NVPTX_WARP / across;
  TccLoop rows;
  TccIf inside;
  TccVal own_row = tcc_emit_div(t, w->lane, i64(w, across)), own = times(w, tcc_emit_rem(t, w->lane, i64(w, across)), wide);
  TccVal left = tcc_emit_min(t, tcc_emit_sub(t, w->size[0], row), i64(w, PART_ROWS));
  column = add(w, column, own);
  tcc_emit_if(t, &inside, below(w, column, w->size[1]), 0, NULL);
  tcc_emit_for(t, &rows, own_row, left, down, 0, NULL, NULL);
  TccVal at = tcc_emit_shared_gep(t, "f32", base, add(w, times(w, rows.iv, NVPTX_SUMS_PITCH), own)), sum[NVPTX_PRODUCT_RUN];
  const char *type = tcc_emit_vector(t, "f32", wide);
  TccVal all = tcc_emit_shared_load(t, type, at), to = add(w, row, rows.iv);
  for (int i = 0; i < wide; i++) sum[i] = tcc_emit_extract(t, type, all, i);
  if (wide > 1) TCC_TRY(w->p->write_run(w->p->user, w->batch, to, column, sum));
  else TCC_TRY(w->p->write(w->p->user, w->batch, to, column, sum[0]));
  tcc_emit_end_for(t, &rows, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static TccStatus *write_results(Tma *w, const TccVal *sums) {
  TccEmit *t = &w->n->e;
  int wide = w->p->runs ? NVPTX_PRODUCT_RUN : 1;
  TccVal base = tcc_emit_shared_gep(t, "i8", shared_at(w, (int64_t)w->shape.stages * stage_bytes(w)), times(w, w->warp, STAGING));
  TccVal row = add(w, w->first[0], times(w, w->warp, PART_ROWS));
  for (int part = 0; part < w->shape.columns / PART_COLUMNS; part++) {
    nvptx_warp_barrier(w->n);
    nvptx_sums_put(w->n, w->lane, base, PART_ROWS, PART_COLUMNS, w->shape.columns, sums + part * PART_COLUMNS / 8 * 4);
    nvptx_warp_barrier(w->n);
    TCC_TRY(write_part(w, base, row, add(w, w->first[1], i64(w, part * PART_COLUMNS)), wide));
  }
  return NULL;
}

static TccStatus *consume(Tma *w) {
  TccEmit *t = &w->n->e;
  TccLoop tiles;
  TccVal sums[NVPTX_TMA_MOST_COLUMNS / 2];
  begin_tiles(w, &tiles);
  multiply(w, tiles.in[0], sums);
  TCC_TRY(write_results(w, sums));
  TccVal counted = add(w, tiles.in[0], w->steps);
  tcc_emit_end_for(t, &tiles, &counted);
  return NULL;
}

/* ---- the kernel ---- */

static void prepare(Tma *w) {
  TccEmit *t = &w->n->e;
  TccExprPool *exprs = w->n->k.ir->exprs;
  const NvptxTmaShape *s = &w->shape;
  w->tiles[0] = nvptx_blocks(w->n->k.ir, w->p->rows, (int64_t)block_rows(w) * s->cluster);
  w->tiles[1] = nvptx_blocks(w->n->k.ir, w->p->columns, s->columns);
  w->in_band = tcc_expr_mul(exprs, w->tiles[1], tcc_expr_const(exprs, s->band));
  w->of_batch = tcc_expr_mul(exprs, w->tiles[0], w->tiles[1]);
  w->pairs = tcc_expr_mul(exprs, w->p->batch, w->of_batch);
  w->clusters = tcc_expr_call(exprs, TCC_EXPR_MIN, w->pairs, tcc_expr_const(exprs, w->n->k.machine->gpu.sms / s->cluster));
  w->memory = nvptx_dynamic_shared(w->n, "ring", (uint32_t)nvptx_tma_shared(s), NVPTX_TILE_ALIGNMENT);
  w->full = address(w, shared_at(w, (int64_t)s->stages * stage_bytes(w) + warps(w) * STAGING));
  w->empty = tcc_emit_bin(t, "add", "i32", w->full, i32(w, s->stages * NVPTX_BARRIER_BYTES));
  w->rank = tcc_emit_rem(t, w->n->block, i64(w, s->cluster));
  w->lane = tcc_emit_rem(t, w->n->thread, i64(w, NVPTX_WARP));
  w->warp = tcc_emit_sub(t, tcc_emit_div(t, w->n->thread, i64(w, NVPTX_WARP)), i64(w, NVPTX_GROUP_WARPS));
  w->group = tcc_emit_div(t, w->warp, i64(w, NVPTX_GROUP_WARPS));
  w->size[0] = tcc_kernel_size(&w->n->k, w->p->rows), w->size[1] = tcc_kernel_size(&w->n->k, w->p->columns);
  w->depth = tcc_kernel_size(&w->n->k, w->p->depth);
  w->steps = tcc_emit_div(t, add(w, w->depth, i64(w, NVPTX_TMA_DEPTH - 1)), i64(w, NVPTX_TMA_DEPTH));
  w->n->cluster = (uint32_t)s->cluster;
}

TccStatus *nvptx_product_tma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  TccEmit *t = &n->e;
  TccExprPool *exprs = n->k.ir->exprs;
  Tma w = {.n = n, .p = p, .shape = p->shape};
  const NvptxTmaShape *s = &w.shape;
  TccIf producer;
  prepare(&w);
  init_barriers(&w);
  tcc_emit_if(t, &producer, below(&w, n->thread, i64(&w, NVPTX_GROUP_THREADS)), 0, NULL);
  if (s->groups > 1) nvptx_set_registers(n, false);
  produce(&w);
  tcc_emit_else(t, &producer, NULL);
  if (s->groups > 1) nvptx_set_registers(n, true);
  TCC_TRY(consume(&w));
  tcc_emit_end_if(t, &producer, NULL);
  /* No block ends while another one of its cluster may write to its shared memory or tell its barriers. */
  if (s->cluster > 1) say(&w, "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;");
  out->blocks = tcc_expr_mul(exprs, w.clusters, tcc_expr_const(exprs, s->cluster));
  out->threads = (uint32_t)((s->groups + 1) * NVPTX_GROUP_THREADS);
  out->schedule = tcc_arena_printf(n->k.ir->arena, "wgmma by tensor maps, tile = %dx%dx%d, stages = %d, cluster = %d, band = %d",
                                   block_rows(&w), s->columns, NVPTX_TMA_DEPTH, s->stages, s->cluster, s->band);
  return NULL;
}
