/* product_tiles.c - see product_tiles.h.
 *
 * Each stage of the ring has two barriers: "full", which ends a phase when both tiles are there, and "empty", which ends one when each warp that
 * multiplies has told that it is done with the stage. Both sides count stages from the kernel's begin on; a stage's number modulo the ring says
 * which it is, the quotient's last bit the parity of its phase. While a warpgroup writes its results, the ring fills for the next tile.
 * Tiles come in bands: `band` of them down, then the next columns, so that blocks that run at once share rows and columns in the second cache. */
#include "lib/targets/nvptx/product_tiles.h"
#include "lib/targets/nvptx/tile.h"

enum { PART_ROWS = 16, PART_COLUMNS = NVPTX_SUMS_COLUMNS };
enum {
  STAGING = PART_ROWS * NVPTX_SUMS_PITCH * 4 /* bytes of a warp */,
  WORD_BYTES = 16 /* of parts */,
  SHARERS = 3 /* their barrier */
};

static TccVal i64(NvptxTiles *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal add(NvptxTiles *w, TccVal a, TccVal b) { return tcc_emit_add(&w->n->e, a, b); }
static TccVal times(NvptxTiles *w, TccVal a, int64_t b) { return tcc_emit_mul(&w->n->e, a, i64(w, b)); }
static TccVal below(NvptxTiles *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->n->e, "slt", "i64", a, b); }
static TccVal narrow(NvptxTiles *w, TccVal v) { return tcc_emit_cast(&w->n->e, "trunc", "i64", "i32", v); }

static TccVal i32(NvptxTiles *w, int64_t v) { return tcc_emit_int(&w->n->e, "i32", v); }
static void say(NvptxTiles *w, const char *text) { tcc_emit_inline_asm(&w->n->e, text, "~{memory}", NULL, 0, NULL, NULL); }
static int warps(const NvptxTiles *w) { return w->shape.groups * NVPTX_GROUP_WARPS; }

TccVal nvptx_tiles_at(NvptxTiles *w, int64_t at) { return tcc_emit_shared_gep(&w->n->e, "i8", w->memory, i64(w, at)); }

int nvptx_tiles_shared(const NvptxTmaShape *s, int row_bytes, int more) {
  int stage = (NVPTX_GROUP_ROWS * s->groups + s->columns) * row_bytes + 2 * NVPTX_BARRIER_BYTES;
  return s->stages * stage + s->groups * NVPTX_GROUP_WARPS * STAGING + more + (s->parts > 1 ? WORD_BYTES : 0);
}

int64_t nvptx_tiles_known(const NvptxProduct *p, const NvptxTmaShape *s) {
  int64_t batch, rows, columns;
  if (!tcc_expr_is_const(p->batch, &batch) || !tcc_expr_is_const(p->rows, &rows) || !tcc_expr_is_const(p->columns, &columns))
    return 0;
  return batch * tcc_ceil_div(rows, (int64_t)NVPTX_GROUP_ROWS * s->groups) * tcc_ceil_div(columns, s->columns);
}

const TccExpr *nvptx_tiles_scratch(TccIr *ir, const NvptxProduct *p, const NvptxTmaShape *s) {
  const TccExpr *tiles = tcc_expr_const(ir->exprs, nvptx_tiles_known(p, s));
  return nvptx_parts_scratch(ir, s->parts, tiles, (int64_t)NVPTX_GROUP_ROWS * s->groups * s->columns);
}

/* ---- barriers ---- */

TccVal nvptx_tiles_barrier(NvptxTiles *w, TccVal first, TccVal stage) {
  TccEmit *t = &w->n->e;
  return tcc_emit_bin(t, "add", "i32", first, narrow(w, times(w, stage, NVPTX_BARRIER_BYTES)));
}

void nvptx_tiles_init(NvptxTiles *w) {
  TccEmit *t = &w->n->e;
  TccIf one;
  tcc_emit_if(t, &one, tcc_emit_icmp(t, "eq", "i64", w->n->thread, i64(w, 0)), 0, NULL);
  for (int i = 0; i < w->shape.stages; i++) {
    nvptx_mbarrier_init(w->n, nvptx_tiles_barrier(w, w->full, i64(w, i)), 1);
    nvptx_mbarrier_init(w->n, nvptx_tiles_barrier(w, w->empty, i64(w, i)), (int64_t)warps(w) * w->shape.cluster);
  }
  nvptx_mbarriers_show(w->n);
  tcc_emit_end_if(t, &one, NULL);
  if (w->shape.cluster > 1) say(w, "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;");
  else nvptx_barrier(w->n);
}

/* ---- tiles ---- */

/* The steps of a part: as many in each, less in the last one. */
static void place_part(NvptxTiles *w, TccVal unit) {
  TccEmit *t = &w->n->e;
  int64_t depth = 0;
  w->first_step = i64(w, 0);
  nvptx_parts_place(w->n, &w->parts, unit);
  if (w->parts.parts == 1) return;
  tcc_expr_is_const(w->p->depth, &depth);
  int64_t steps = tcc_ceil_div(depth, w->depth_step), each = tcc_ceil_div(steps, w->parts.parts);
  w->first_step = tcc_emit_min(t, times(w, w->parts.at, each), i64(w, steps));
  w->steps = tcc_emit_min(t, tcc_emit_sub(t, i64(w, steps), w->first_step), i64(w, each));
}

/* Of the unit'th cluster of tiles, or of parts of them, the one of this block. */
static void place(NvptxTiles *w, TccVal unit) {
  TccEmit *t = &w->n->e;
  TccVal local, band, inside, row, column, band_rows = i64(w, w->shape.band);
  place_part(w, unit);
  nvptx_divide(&w->n->k, w->parts.group, w->of_batch, &w->batch, &local);
  w->batch = nvptx_product_choose(w->n, w->p, w->batch);
  nvptx_divide(&w->n->k, local, w->in_band, &band, &inside);
  TccVal first = times(w, band, w->shape.band), left = tcc_emit_sub(t, tcc_kernel_size(&w->n->k, w->tiles[0]), first);
  nvptx_divide_small(w->n, inside, tcc_emit_min(t, band_rows, left), &column, &row);
  row = add(w, times(w, add(w, first, row), w->shape.cluster), w->rank);
  w->first[0] = times(w, row, nvptx_tiles_rows(w)), w->first[1] = times(w, column, w->shape.columns);
}

void nvptx_tiles_begin(NvptxTiles *w, TccLoop *loop) {
  TccEmit *t = &w->n->e;
  TccVal zero = i64(w, 0), cluster = tcc_emit_div(t, w->n->block, i64(w, w->shape.cluster));
  tcc_emit_for_by(t, loop, cluster, tcc_kernel_size(&w->n->k, w->units), tcc_kernel_size(&w->n->k, w->clusters), 1, &zero,
                  (const char *const[]){"i64"});
  place(w, loop->iv);
}

void nvptx_tiles_stage(NvptxTiles *w, TccVal count, TccVal *stage, TccVal *parity) {
  TccEmit *t = &w->n->e;
  TccVal n = i64(w, w->shape.stages);
  *stage = tcc_emit_rem(t, count, n);
  *parity = tcc_emit_rem(t, tcc_emit_div(t, count, n), i64(w, 2));
}

/* ---- results ---- */

/* Whose sums a tile has; of two the first has the first half of its columns. */
static int products_of(const NvptxTiles *w) { return w->p->dual ? 2 : 1; }

/* The row that four lanes with 16 bytes each have of eight: rows that are two apart lie in banks of their own, neighbours do not (NVPTX_SUMS_PITCH). */
static TccVal row_of(NvptxTiles *w, TccVal fours, bool apart) {
  TccEmit *t = &w->n->e;
  TccVal two = i64(w, 2);
  if (!apart) return fours;
  TccVal low = add(w, times(w, tcc_emit_rem(t, fours, two), 2), tcc_emit_rem(t, tcc_emit_div(t, fours, two), two));
  return add(w, times(w, tcc_emit_div(t, fours, i64(w, 4)), 4), low);
}

/* 16 rows of 32 columns that lie in shared memory, of a dual product 16 of either right operand: a thread has `wide` columns side by side. size: all columns of
 * the result. */
static TccStatus *write_part(NvptxTiles *w, TccVal base, TccVal row, TccVal column, TccVal size, int wide) {
  TccEmit *t = &w->n->e;
  int products = products_of(w), across = PART_COLUMNS / products / wide, down = NVPTX_WARP / across;
  TccLoop rows;
  TccIf inside;
  TccVal own_row = row_of(w, tcc_emit_div(t, w->lane, i64(w, across)), products * wide == 2 * NVPTX_PRODUCT_RUN),
         own = times(w, tcc_emit_rem(t, w->lane, i64(w, across)), wide);
  TccVal left = tcc_emit_min(t, tcc_emit_sub(t, w->size[0], row), i64(w, PART_ROWS));
  column = add(w, column, own);
  tcc_emit_if(t, &inside, below(w, column, size), 0, NULL);
  tcc_emit_for(t, &rows, own_row, left, down, 0, NULL, NULL);
  TccVal at = tcc_emit_shared_gep(t, w->sum, base, add(w, times(w, rows.iv, NVPTX_SUMS_PITCH), own)), sum[2 * NVPTX_PRODUCT_RUN];
  const char *type = tcc_emit_vector(t, w->sum, wide);
  TccVal to = add(w, row, rows.iv);
  for (int p = 0; p < products; p++) {
    TccVal all = tcc_emit_shared_load(t, type, tcc_emit_shared_gep(t, w->sum, at, i64(w, (int64_t)p * PART_COLUMNS / 2)));
    for (int i = 0; i < wide; i++) sum[p * wide + i] = tcc_emit_extract(t, type, all, i);
  }
  if (wide > 1) TCC_TRY(w->p->write_run(w->p->user, w->batch, to, column, sum));
  else TCC_TRY(w->p->write(w->p->user, w->batch, to, column, sum));
  tcc_emit_end_for(t, &rows, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static TccStatus *write_sums(NvptxTiles *w, const TccVal *sums) {
  TccEmit *t = &w->n->e;
  int wide = w->p->runs ? NVPTX_PRODUCT_RUN : 1, products = products_of(w), columns = PART_COLUMNS / products;
  TccVal base = tcc_emit_shared_gep(t, "i8", nvptx_tiles_at(w, (int64_t)w->shape.stages * nvptx_tiles_stage_bytes(w)),
                                    times(w, w->warp, STAGING));
  TccVal row = add(w, w->first[0], times(w, w->warp, PART_ROWS)), first = w->first[1], size = w->size[1];
  if (products > 1) first = tcc_emit_div(t, first, i64(w, 2)), size = tcc_emit_div(t, size, i64(w, 2));
  for (int part = 0; part < w->shape.columns / PART_COLUMNS; part++) {
    nvptx_warp_barrier(w->n);
    for (int p = 0; p < products; p++)
      nvptx_turned_put(w->n, w->sum, (NvptxTurned){0}, w->lane, tcc_emit_shared_gep(t, w->sum, base, i64(w, (int64_t)p * columns)),
                       PART_ROWS, columns, w->shape.columns, sums + (p * w->shape.columns / 2 + part * columns) / 8 * 4);
    nvptx_warp_barrier(w->n);
    TCC_TRY(write_part(w, base, row, add(w, first, i64(w, part * columns)), size, wide));
  }
  return NULL;
}

TccStatus *nvptx_tiles_write(NvptxTiles *w, TccVal *sums) {
  int nsums = w->shape.columns / 2;
  if (w->parts.parts == 1) return write_sums(w, sums);
  w->parts.thread = tcc_emit_sub(&w->n->e, w->n->thread, i64(w, (int64_t)w->fillers * NVPTX_WARP));
  nvptx_parts_begin(w->n, &w->parts, nsums, sums);
  nvptx_parts_add(w->n, &w->parts, nsums, sums);
  TCC_TRY(write_sums(w, sums));
  nvptx_parts_end(w->n, &w->parts);
  return NULL;
}

/* ---- the kernel ---- */

void nvptx_tiles_prepare(NvptxTiles *w) {
  TccEmit *t = &w->n->e;
  TccExprPool *exprs = w->n->k.ir->exprs;
  const NvptxTmaShape *s = &w->shape;
  w->sum = tcc_scalar_type(w->p->acc);
  w->tiles[0] = nvptx_blocks(w->n->k.ir, w->p->rows, (int64_t)nvptx_tiles_rows(w) * s->cluster);
  w->tiles[1] = nvptx_blocks(w->n->k.ir, w->p->columns, s->columns);
  w->in_band = tcc_expr_mul(exprs, w->tiles[1], tcc_expr_const(exprs, s->band));
  w->of_batch = tcc_expr_mul(exprs, w->tiles[0], w->tiles[1]);
  w->units = tcc_expr_mul(exprs, tcc_expr_mul(exprs, w->p->batch, w->of_batch), tcc_expr_const(exprs, s->parts));
  w->clusters = tcc_expr_call(exprs, TCC_EXPR_MIN, w->units, tcc_expr_const(exprs, w->n->k.machine->gpu.sms / s->cluster));
  int shared = nvptx_tiles_shared(s, w->row_bytes, w->more_shared);
  w->memory = nvptx_dynamic_shared(w->n, "ring", (uint32_t)shared, NVPTX_TILE_ALIGNMENT);
  w->parts = (NvptxParts){
      .parts = s->parts, .integers = nvptx_product_is_bytes(w->p), .threads = s->groups * NVPTX_GROUP_THREADS, .barrier = SHARERS};
  if (s->parts > 1) w->parts.word = nvptx_tiles_at(w, shared - WORD_BYTES);
  w->full = nvptx_shared_number(w->n, nvptx_tiles_at(w, (int64_t)s->stages * nvptx_tiles_stage_bytes(w) + warps(w) * STAGING));
  w->empty = tcc_emit_bin(t, "add", "i32", w->full, i32(w, s->stages * NVPTX_BARRIER_BYTES));
  if (w->more_shared) w->more = tcc_emit_bin(t, "add", "i32", w->empty, i32(w, s->stages * NVPTX_BARRIER_BYTES));
  w->rank = tcc_emit_rem(t, w->n->block, i64(w, s->cluster));
  w->lane = tcc_emit_rem(t, w->n->thread, i64(w, NVPTX_WARP));
  w->warp = tcc_emit_sub(t, tcc_emit_div(t, w->n->thread, i64(w, NVPTX_WARP)), i64(w, w->fillers));
  w->group = tcc_emit_div(t, w->warp, i64(w, NVPTX_GROUP_WARPS));
  w->size[0] = tcc_kernel_size(&w->n->k, w->p->rows), w->size[1] = tcc_kernel_size(&w->n->k, w->p->columns);
  w->depth = tcc_kernel_size(&w->n->k, w->p->depth);
  w->steps = tcc_emit_div(t, add(w, w->depth, i64(w, w->depth_step - 1)), i64(w, w->depth_step));
  w->n->cluster = (uint32_t)s->cluster;
}
