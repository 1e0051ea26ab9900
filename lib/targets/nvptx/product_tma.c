/* product_tma.c - products of 16-bit floats and of bytes on sm_90a as the fastest libraries have them: a warp copies boxes of both operands by tensor maps into
 * a ring of stages, warpgroups multiply them from there (wgmma), and a block goes through many tiles of the results.
 *
 * A stage is full when the bytes of both tiles have come (product_tiles.h).
 * The blocks of a cluster have tiles below each other and the same columns: each copies a part of the right operand, to all of them.
 * As the warp-specialised persistent kernels of CUTLASS (gemm/kernel/sm90_gemm_tma_warpspecialized_cooperative.hpp). */
#include "lib/targets/nvptx/product_tma.h"

static TccVal i64(NvptxTiles *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal add(NvptxTiles *w, TccVal a, TccVal b) { return tcc_emit_add(&w->n->e, a, b); }
static TccVal times(NvptxTiles *w, TccVal a, int64_t b) { return tcc_emit_mul(&w->n->e, a, i64(w, b)); }
static TccVal below(NvptxTiles *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->n->e, "slt", "i64", a, b); }
static TccVal narrow(NvptxTiles *w, TccVal v) { return tcc_emit_cast(&w->n->e, "trunc", "i64", "i32", v); }
static void say(NvptxTiles *w, const char *text) { tcc_emit_inline_asm(&w->n->e, text, "~{memory}", NULL, 0, NULL, NULL); }
static TccVal address(NvptxTiles *w, TccVal p) { return nvptx_shared_number(w->n, p); }

/* ---- copies ---- */

static void copy_box(NvptxTiles *w, int side, TccVal map, TccVal to, TccVal barrier, TccVal at, TccVal k, int blocks) {
  const NvptxProduct *p = w->p;
  TccVal batch = w->batch;
  bool along = p->along_depth[side];
  if (p->pixels[side]) {
    p->copy_pixels(p->user, map, to, barrier, at, k, blocks);
    return;
  }
  if (p->place_depth) p->place_depth(p->user, k, &k, &batch);
  nvptx_tensor_copy(w->n, &p->tensor[side], map, to, barrier, along ? k : at, along ? at : k, batch, blocks);
}

/* Of a dual product the first column of the box that begins at `row` of what this block copies, and whose it is: half of the tile is the first right
 * operand's, as is half of the blocks of a cluster. */
static TccVal dual_column(NvptxTiles *w, int row, TccVal *map) {
  TccEmit *t = &w->n->e;
  if (w->shape.cluster == 1) *map = w->n->map[1 + row / w->p->turn];
  else *map = tcc_emit_select1(t, TCC_PTR, tcc_emit_icmp(t, "eq", "i64", w->rank, i64(w, 0)), w->n->map[1], w->n->map[2]);
  return add(w, tcc_emit_div(t, w->first[1], i64(w, 2)), i64(w, row % w->p->turn));
}

/* What this block copies of a side's tile: all of the left one, its part of the right one. */
static void copy_side(NvptxTiles *w, int side, TccVal stage, TccVal barrier, TccVal k) {
  TccEmit *t = &w->n->e;
  int blocks = side ? w->shape.cluster : 1;
  int rows = side ? w->shape.columns / w->shape.cluster : nvptx_tiles_rows(w),
      box = (int)w->p->tensor[side].map.box[w->p->along_depth[side]];
  TccVal skipped = side ? times(w, w->rank, rows) : i64(w, 0), begin = times(w, stage, nvptx_tiles_stage_bytes(w));
  begin = add(w, begin, add(w, i64(w, side ? nvptx_tiles_tile_bytes(w, 0) : 0), times(w, skipped, NVPTX_TMA_ROW_BYTES)));
  for (int row = 0; row < rows; row += box) {
    TccVal to = address(w, tcc_emit_shared_gep(t, "i8", w->memory, add(w, begin, i64(w, (int64_t)row * NVPTX_TMA_ROW_BYTES))));
    TccVal at = add(w, w->first[side], add(w, skipped, i64(w, row))), map = w->n->map[side];
    if (side && w->p->dual) at = dual_column(w, row, &map);
    if (side && w->p->right_column) at = w->p->right_column(w->p->user, at);
    copy_box(w, side, map, to, barrier, at, k, blocks);
  }
}

static void fill_stage(NvptxTiles *w, TccVal count, TccVal k) {
  TccEmit *t = &w->n->e;
  TccVal stage, parity;
  nvptx_tiles_stage(w, count, &stage, &parity);
  nvptx_mbarrier_wait(w->n, nvptx_tiles_barrier(w, w->empty, stage), narrow(w, tcc_emit_sub(t, i64(w, 1), parity)));
  TccVal full = nvptx_tiles_barrier(w, w->full, stage);
  nvptx_mbarrier_expect(w->n, full, nvptx_tiles_stage_bytes(w));
  for (int side = 0; side < 2; side++) copy_side(w, side, stage, full, k);
}

/* One thread copies for all. */
static void produce(NvptxTiles *w) {
  TccEmit *t = &w->n->e;
  TccIf one;
  TccLoop tiles, steps;
  tcc_emit_if(t, &one, tcc_emit_icmp(t, "eq", "i64", w->n->thread, i64(w, 0)), 0, NULL);
  nvptx_tiles_begin(w, &tiles);
  tcc_emit_for(t, &steps, i64(w, 0), w->steps, 1, 0, NULL, NULL);
  fill_stage(w, add(w, tiles.in[0], steps.iv), times(w, add(w, w->first_step, steps.iv), w->depth_step));
  tcc_emit_end_for(t, &steps, NULL);
  TccVal counted = add(w, tiles.in[0], w->steps);
  tcc_emit_end_for(t, &tiles, &counted);
  tcc_emit_end_if(t, &one, NULL);
}

/* ---- products ---- */

static TccVal descriptor(NvptxTiles *w, int side) {
  TccEmit *t = &w->n->e;
  NvptxMatrix m = nvptx_matrix(w->p->along_depth[side], w->depth_step);
  TccVal at = tcc_emit_cast(t, "zext", "i32", "i64", address(w, nvptx_tiles_at(w, side ? nvptx_tiles_tile_bytes(w, 0) : 0)));
  if (!side) at = add(w, at, times(w, w->group, m.rows));
  return nvptx_matrix_at(w->n, &m, at);
}

static void multiply(NvptxTiles *w, TccVal counted, TccVal *sums) {
  TccEmit *t = &w->n->e;
  TccVal stage, parity;
  const char *text, *constraints, *type;
  nvptx_tma_text(w->n->k.ir->arena, &w->shape, w->p, &text, &constraints, &type);
  nvptx_tiles_stage(w, counted, &stage, &parity);
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
  for (int i = 0; i < w->shape.columns / 2; i++) sums[i] = tcc_emit_extract_value(t, type, all, i, w->sum);
}

static TccStatus *consume(NvptxTiles *w) {
  TccEmit *t = &w->n->e;
  TccLoop tiles;
  TccVal sums[NVPTX_TILES_MOST_COLUMNS / 2];
  nvptx_tiles_begin(w, &tiles);
  multiply(w, tiles.in[0], sums);
  TCC_TRY(nvptx_tiles_write(w, sums));
  TccVal counted = add(w, tiles.in[0], w->steps);
  tcc_emit_end_for(t, &tiles, &counted);
  return NULL;
}

/* ---- the kernel ---- */

TccStatus *nvptx_product_tma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  TccEmit *t = &n->e;
  TccExprPool *exprs = n->k.ir->exprs;
  NvptxTiles w = {.n = n, .p = p, .shape = p->shape, .depth_step = nvptx_tma_depth(p), .row_bytes = NVPTX_TMA_ROW_BYTES};
  w.fillers = NVPTX_GROUP_WARPS;
  const NvptxTmaShape *s = &w.shape;
  TccIf producer;
  nvptx_tiles_prepare(&w);
  nvptx_tiles_init(&w);
  tcc_emit_if(t, &producer, below(&w, n->thread, i64(&w, NVPTX_GROUP_THREADS)), 0, NULL);
  if (s->groups > 1) nvptx_set_registers(n, false, NVPTX_COPY_REGISTERS);
  produce(&w);
  tcc_emit_else(t, &producer, NULL);
  if (s->groups > 1) nvptx_set_registers(n, true, NVPTX_MULTIPLY_REGISTERS);
  TCC_TRY(consume(&w));
  tcc_emit_end_if(t, &producer, NULL);
  /* No block ends while another one of its cluster may write to its shared memory or tell its barriers. */
  if (s->cluster > 1) say(&w, "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;");
  out->blocks = tcc_expr_mul(exprs, w.clusters, tcc_expr_const(exprs, s->cluster));
  out->threads = (uint32_t)((s->groups + 1) * NVPTX_GROUP_THREADS);
  out->schedule =
      tcc_arena_printf(n->k.ir->arena, "wgmma by tensor maps, tile = %dx%dx%d, stages = %d, cluster = %d, band = %d, parts = %d",
                       nvptx_tiles_rows(&w), s->columns, w.depth_step, s->stages, s->cluster, s->band, s->parts);
  return NULL;
}
