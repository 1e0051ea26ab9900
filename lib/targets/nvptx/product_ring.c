/* product_ring.c - see product_ring.h. As in the multistage kernels of CUTLASS (gemm/threadblock/mma_multistage.h).
 *
 * Operands that are plain memory come in pieces of 16 bytes. Of operands that are computed, as weights of 4 bits with scales, a thread computes as many elements
 * side by side as are 16 bytes of the operand's type and stores them into the same tiles; of others each element is pulled alone. Sums go through
 * shared memory, up to 32 rows and 32 columns of a warp at a time, so that neighbouring threads write neighbouring columns, and the epilogue is
 * written once for each of these parts, not once for each register. */
#include "lib/targets/nvptx/product_ring.h"
#include "lib/targets/nvptx/parts.h"

enum { STAGES = 3, PART_COLUMNS = NVPTX_SUMS_COLUMNS, MOST_PART_ROWS = 32 };
enum { BESIDES = 2 /* carried: offsets of the stage that is filled, that is multiplied */ };

typedef struct {
  NvptxKernel *n;
  const NvptxProduct *p;
  NvptxRing *ring;
  const NvptxTile *tile;
  const char *sum;                                       /* type */
  TccVal memory, batch, first[2], size[2], begin, depth; /* from where, to where along the depth */
  NvptxParts parts;
} Product;

static TccVal i64(Product *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal below(Product *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->n->e, "slt", "i64", a, b); }
static TccVal both(Product *w, TccVal a, TccVal b) { return tcc_emit_bin(&w->n->e, "and", "i1", a, b); }
static TccVal shared_at(Product *w, TccVal offset) { return tcc_emit_shared_gep(&w->n->e, "i8", w->memory, offset); }
static int threads_of(const Product *w) { return w->ring->warps[0] * w->ring->warps[1] * NVPTX_WARP; }
static int stage_size(const Product *w) { return nvptx_tile_size(&w->tile[0]) + nvptx_tile_size(&w->tile[1]); }
static int part_rows(const Product *w) { return w->ring->span[0] < MOST_PART_ROWS ? w->ring->span[0] : MOST_PART_ROWS; }
static int depth_step(const Product *w) { return nvptx_tile_depth(&w->tile[0]); }

/* ---- filling a stage ---- */

/* Whether all of a tile is inside where its begin along the depth is. */
static bool is_whole(const Product *w, int side) {
  const TccExpr *rows = side ? w->p->columns : w->p->rows;
  return !w->p->present && tcc_expr_multiple_of(rows) % w->ring->side == 0 &&
         tcc_expr_multiple_of(w->p->depth) % depth_step(w) == 0;
}

/* Elements of a piece of 16 bytes that are inside, in bytes. */
static TccVal bytes_inside(Product *w, int side, TccVal row, TccVal k) {
  TccEmit *t = &w->n->e;
  bool along = w->tile[side].along_depth;
  TccVal moving = along ? k : row, end = along ? w->depth : w->size[side], whole = i64(w, NVPTX_PIECE);
  TccVal left = tcc_emit_mul(t, tcc_emit_sub(t, end, moving), i64(w, w->tile[side].bytes));
  TccVal inside = tcc_emit_max(t, tcc_emit_min(t, left, whole), i64(w, 0));
  TccVal other = along ? below(w, row, w->size[side]) : below(w, k, w->depth);
  TccVal present = w->p->present ? w->p->present(w->p->user, side, w->batch, row, k) : 0;
  if (present) other = both(w, other, present);
  return tcc_emit_select1(t, "i64", other, inside, i64(w, 0));
}

static void fill_pieces(Product *w, int side, TccVal base, TccVal k0) {
  TccEmit *t = &w->n->e;
  const NvptxTile *tile = &w->tile[side];
  int per_piece = NVPTX_PIECE / tile->bytes, fast = (tile->along_depth ? nvptx_tile_depth(tile) : tile->rows) / per_piece;
  bool whole = is_whole(w, side);
  TccVal all = tcc_emit_select1(t, "i64", below(w, k0, w->depth), i64(w, NVPTX_PIECE), i64(w, 0));
  for (int i = 0; i < nvptx_tile_size(tile) / NVPTX_PIECE / threads_of(w); i++) {
    TccVal at = tcc_emit_add(t, w->n->thread, i64(w, (int64_t)i * threads_of(w)));
    TccVal moving = tcc_emit_mul(t, tcc_emit_rem(t, at, i64(w, fast)), i64(w, per_piece)),
           other = tcc_emit_div(t, at, i64(w, fast));
    TccVal in_row = tile->along_depth ? other : moving, in_k = tile->along_depth ? moving : other;
    TccVal row = tcc_emit_add(t, w->first[side], in_row), k = tcc_emit_add(t, k0, in_k);
    TccVal to = tcc_emit_shared_gep(t, "i8", base, nvptx_tile_offset(w->n, tile, in_row, in_k));
    TccVal bytes = whole ? all : bytes_inside(w, side, row, k);
    nvptx_copy_async(w->n, to, w->p->address(w->p->user, side, w->batch, row, k), bytes);
  }
}

static TccStatus *fill_elements(Product *w, int side, TccVal base, TccVal k0) {
  TccEmit *t = &w->n->e;
  const NvptxTile *tile = &w->tile[side];
  const char *type = tcc_scalar_type(w->p->of[side]);
  int fast = tile->along_depth ? nvptx_tile_depth(tile) : tile->rows;
  for (int i = 0; i < nvptx_tile_size(tile) / tile->bytes / threads_of(w); i++) {
    TccVal at = tcc_emit_add(t, w->n->thread, i64(w, (int64_t)i * threads_of(w)));
    TccVal moving = tcc_emit_rem(t, at, i64(w, fast)), other = tcc_emit_div(t, at, i64(w, fast));
    TccVal in_row = tile->along_depth ? other : moving, in_k = tile->along_depth ? moving : other;
    TccVal row = tcc_emit_add(t, w->first[side], in_row), k = tcc_emit_add(t, k0, in_k), zero = tcc_emit_zero(t, type), v;
    TccIf branch;
    tcc_emit_if(t, &branch, both(w, below(w, row, w->size[side]), below(w, k, w->depth)), 1, &type);
    TCC_TRY(w->p->read(w->p->user, side, w->batch, row, k, &v));
    tcc_emit_else(t, &branch, &v);
    tcc_emit_end_if(t, &branch, &zero);
    tcc_emit_shared_store(t, type, branch.out[0], tcc_emit_shared_gep(t, "i8", base, nvptx_tile_offset(w->n, tile, in_row, in_k)));
  }
  return NULL;
}

/* Elements of a piece of 16 bytes, where the operand is computed in such; 0: it is not. */
static int run_of(const Product *w, int side) {
  int piece = NVPTX_PIECE / w->tile[side].bytes;
  return w->p->run[side] >= piece ? piece : 0;
}

static TccStatus *fill_runs(Product *w, int side, TccVal base, TccVal k0) {
  TccEmit *t = &w->n->e;
  const NvptxTile *tile = &w->tile[side];
  int run = run_of(w, side), fast = (tile->along_depth ? nvptx_tile_depth(tile) : tile->rows) / run;
  const char *elem = tcc_scalar_memory_type(w->p->of[side]), *type = tcc_emit_vector(t, elem, run);
  for (int i = 0; i < nvptx_tile_size(tile) / NVPTX_PIECE / threads_of(w); i++) {
    TccVal at = tcc_emit_add(t, w->n->thread, i64(w, (int64_t)i * threads_of(w)));
    TccVal moving = tcc_emit_mul(t, tcc_emit_rem(t, at, i64(w, fast)), i64(w, run)), other = tcc_emit_div(t, at, i64(w, fast));
    TccVal in_row = tile->along_depth ? other : moving, in_k = tile->along_depth ? moving : other;
    TccVal row = tcc_emit_add(t, w->first[side], in_row), k = tcc_emit_add(t, k0, in_k), v[NVPTX_PIECE];
    TccVal all = tcc_emit_zero(t, type), zero = all;
    TccIf branch;
    tcc_emit_if(t, &branch, both(w, below(w, row, w->size[side]), below(w, k, w->depth)), 1, &type);
    TCC_TRY(w->p->read_run(w->p->user, side, w->batch, row, k, &(NvptxRun){run, 0, run, w->p->of[side]}, v, NULL));
    for (int e = 0; e < run; e++) all = tcc_emit_insert(t, type, tcc_scalar_to_memory(t, w->p->of[side], 1, v[e]), all, e);
    tcc_emit_else(t, &branch, &all);
    tcc_emit_end_if(t, &branch, &zero);
    TccVal to = tcc_emit_shared_gep(t, "i8", base, nvptx_tile_offset(w->n, tile, in_row, in_k));
    tcc_emit_shared_store(t, type, branch.out[0], to);
  }
  return NULL;
}

static TccStatus *fill_stage(Product *w, TccVal stage, TccVal k0) {
  for (int side = 0; side < 2; side++) {
    TccVal base = shared_at(w, tcc_emit_add(&w->n->e, stage, i64(w, side ? nvptx_tile_size(&w->tile[0]) : 0)));
    if (w->p->pieces[side]) fill_pieces(w, side, base, k0);
    else TCC_TRY(run_of(w, side) ? fill_runs(w, side, base, k0) : fill_elements(w, side, base, k0));
  }
  nvptx_copy_commit(w->n);
  return NULL;
}

/* ---- results ---- */

static NvptxTurned turned(const Product *w) {
  bool bytes = nvptx_product_is_bytes(w->p);
  return (NvptxTurned){bytes && !w->tile[0].along_depth, bytes && !w->tile[1].along_depth};
}

static int part_pitch(const Product *w) { return nvptx_turned_pitch(turned(w)); }

/* A part of a dual product: 16 columns of either right operand, for 16 columns of the result, which half of a warp has. Its halves are two rows apart, of
 * turned columns one, so that they read banks of their own (nvptx_turned_pitch). */
static TccStatus *write_dual_part(Product *w, TccVal base, TccVal first_row, TccVal first_column) {
  TccEmit *t = &w->n->e;
  TccLoop rows;
  TccIf inside, is_row;
  const int apart = part_pitch(w) == NVPTX_SUMS_MOST_PITCH ? 1 : 2;
  TccVal left = tcc_emit_min(t, tcc_emit_sub(t, w->size[0], first_row), i64(w, part_rows(w))), turn = i64(w, w->p->turn), sum[2];
  TccVal half = tcc_emit_div(t, w->ring->lane, turn), own = tcc_emit_rem(t, w->ring->lane, turn), column;
  nvptx_dual_column(w->n, w->p, tcc_emit_add(t, first_column, own), &column);
  tcc_emit_if(t, &inside, below(w, first_column, w->size[1]), 0, NULL);
  tcc_emit_for(t, &rows, tcc_emit_mul(t, half, i64(w, apart)), left, 4, 0, NULL, NULL);
  for (int next = 0; next < 2; next++) {
    TccVal row = tcc_emit_add(t, rows.iv, i64(w, next * (3 - apart)));
    if (next) tcc_emit_if(t, &is_row, below(w, row, left), 0, NULL);
    TccVal at = tcc_emit_shared_gep(t, w->sum, base, tcc_emit_add(t, tcc_emit_mul(t, row, i64(w, part_pitch(w))), own));
    for (int i = 0; i < 2; i++)
      sum[i] = tcc_emit_shared_load(t, w->sum, tcc_emit_shared_gep(t, w->sum, at, i64(w, (int64_t)i * w->p->turn)));
    TCC_TRY(w->p->write(w->p->user, w->batch, tcc_emit_add(t, first_row, row), column, sum));
    if (next) tcc_emit_end_if(t, &is_row, NULL);
  }
  tcc_emit_end_for(t, &rows, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static TccStatus *write_part(Product *w, TccVal base, TccVal first_row, TccVal first_column) {
  TccEmit *t = &w->n->e;
  TccLoop rows;
  TccIf inside;
  if (w->p->dual) return write_dual_part(w, base, first_row, first_column);
  TccVal column = tcc_emit_add(t, first_column, w->ring->lane);
  TccVal left = tcc_emit_min(t, tcc_emit_sub(t, w->size[0], first_row), i64(w, part_rows(w)));
  tcc_emit_if(t, &inside, below(w, column, w->size[1]), 0, NULL);
  tcc_emit_for(t, &rows, i64(w, 0), left, 1, 0, NULL, NULL);
  TccVal at = tcc_emit_add(t, tcc_emit_mul(t, rows.iv, i64(w, part_pitch(w))), w->ring->lane);
  TccVal sum = tcc_emit_shared_load(t, w->sum, tcc_emit_shared_gep(t, w->sum, base, at));
  TCC_TRY(w->p->write(w->p->user, w->batch, tcc_emit_add(t, first_row, rows.iv), column, &sum));
  tcc_emit_end_for(t, &rows, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static TccStatus *write_results(Product *w, const TccVal *sums) {
  TccEmit *t = &w->n->e;
  const int *span = w->ring->span, across = span[1] / PART_COLUMNS, parts = span[0] / part_rows(w) * across;
  TccVal warp = tcc_emit_div(t, w->n->thread, i64(w, NVPTX_WARP));
  TccVal base = shared_at(w, tcc_emit_mul(t, warp, i64(w, (int64_t)part_rows(w) * part_pitch(w) * 4)));
  TccVal row = tcc_emit_add(t, w->first[0], tcc_emit_mul(t, w->ring->warp[0], i64(w, span[0]))),
         column = tcc_emit_mul(t, w->ring->warp[1], i64(w, span[1]));
  column = tcc_emit_add(t, w->first[1], column);
  for (int part = 0; part < parts; part++) {
    int down = part / across * part_rows(w), right = part % across * PART_COLUMNS;
    if (part) nvptx_warp_barrier(w->n);
    const TccVal *first = sums + down / 16 * (span[1] / 8 * 4) + right / 8 * 4;
    nvptx_turned_put(w->n, w->sum, turned(w), w->ring->lane, base, part_rows(w), PART_COLUMNS, span[1], first);
    nvptx_warp_barrier(w->n);
    TCC_TRY(write_part(w, base, tcc_emit_add(t, row, i64(w, down)), tcc_emit_add(t, column, i64(w, right))));
  }
  return NULL;
}

/* ---- the kernel ---- */

static TccStatus *finish(Product *w, int nsums, TccVal *sums) {
  nvptx_copy_wait(w->n, 0);
  nvptx_barrier(w->n); /* the ring has been read */
  if (w->parts.parts == 1) return write_results(w, sums);
  w->parts.word = w->memory;
  nvptx_parts_begin(w->n, &w->parts, nsums, sums);
  nvptx_parts_add(w->n, &w->parts, nsums, sums);
  nvptx_barrier(w->n); /* the word has been read */
  TCC_TRY(write_results(w, sums));
  nvptx_parts_end(w->n, &w->parts);
  return NULL;
}

/* The part of the depth that the block adds up: whole steps. */
static void place_depth(Product *w) {
  TccEmit *t = &w->n->e;
  int64_t depth = 0;
  w->begin = i64(w, 0), w->depth = tcc_kernel_size(&w->n->k, w->p->depth);
  if (w->parts.parts == 1) return;
  tcc_expr_is_const(w->p->depth, &depth);
  TccVal each = i64(w, tcc_ceil_div(tcc_ceil_div(depth, depth_step(w)), w->parts.parts) * depth_step(w));
  w->begin = tcc_emit_mul(t, w->parts.at, each);
  w->depth = tcc_emit_min(t, w->depth, tcc_emit_add(t, w->begin, each));
}

/* Blocks go through parts first, then columns, then rows, then the batch. */
static void place(Product *w, const TccExpr *const *tiles) {
  TccEmit *t = &w->n->e;
  TccVal tile[2], side = i64(w, w->ring->side), warp = tcc_emit_div(t, w->n->thread, i64(w, NVPTX_WARP));
  nvptx_parts_place(w->n, &w->parts, w->n->block);
  nvptx_divide(&w->n->k, w->parts.group, tiles[1], &w->batch, &tile[1]);
  nvptx_divide(&w->n->k, w->batch, tiles[0], &w->batch, &tile[0]);
  w->batch = nvptx_product_choose(w->n, w->p, w->batch);
  for (int i = 0; i < 2; i++) w->first[i] = tcc_emit_mul(t, tile[i], side);
  w->size[0] = tcc_kernel_size(&w->n->k, w->p->rows), w->size[1] = tcc_kernel_size(&w->n->k, w->p->columns);
  place_depth(w);
  w->ring->lane = tcc_emit_rem(t, w->n->thread, i64(w, NVPTX_WARP));
  w->ring->warp[0] = tcc_emit_div(t, warp, i64(w, w->ring->warps[1])),
  w->ring->warp[1] = tcc_emit_rem(t, warp, i64(w, w->ring->warps[1]));
}

static TccVal next_stage(Product *w, TccVal stage) {
  TccEmit *t = &w->n->e;
  TccVal next = tcc_emit_add(t, stage, i64(w, stage_size(w))), end = i64(w, (int64_t)STAGES * stage_size(w));
  return tcc_emit_select1(t, "i64", tcc_emit_icmp(t, "eq", "i64", next, end), i64(w, 0), next);
}

/* The first steps, before the depth, only fill. */
static TccStatus *emit_loop(Product *w, int nsums, TccVal *sums) {
  TccEmit *t = &w->n->e;
  const char *types[NVPTX_RING_SUMS + BESIDES];
  TccVal carried[NVPTX_RING_SUMS + BESIDES];
  int64_t ahead = (int64_t)(STAGES - 1) * depth_step(w);
  TccLoop steps, multiplies;
  for (int i = 0; i < nsums; i++) carried[i] = tcc_emit_zero(t, w->sum), types[i] = w->sum;
  carried[nsums] = i64(w, 0), carried[nsums + 1] = i64(w, stage_size(w)), types[nsums] = types[nsums + 1] = "i64";
  tcc_emit_for(t, &steps, tcc_emit_sub(t, w->begin, i64(w, ahead)), w->depth, depth_step(w), nsums + BESIDES, carried, types);
  nvptx_copy_wait(w->n, STAGES - 2);
  if (w->ring->async) nvptx_fence_async(w->n);
  nvptx_barrier(w->n);
  TCC_TRY(fill_stage(w, steps.in[nsums], tcc_emit_add(t, steps.iv, i64(w, ahead))));
  TccVal now = tcc_emit_select1(t, "i64", below(w, steps.iv, w->begin), i64(w, 0), i64(w, 1));
  tcc_emit_for(t, &multiplies, i64(w, 0), now, 1, nsums, steps.in, types);
  memcpy(carried, multiplies.in, (size_t)nsums * sizeof *carried);
  TccVal right = tcc_emit_add(t, steps.in[nsums + 1], i64(w, nvptx_tile_size(&w->tile[0])));
  w->ring->multiply(w->ring, (TccVal[]){shared_at(w, steps.in[nsums + 1]), shared_at(w, right)}, carried);
  tcc_emit_end_for(t, &multiplies, carried);
  memcpy(carried, multiplies.out, (size_t)nsums * sizeof *carried);
  for (int i = 0; i < BESIDES; i++) carried[nsums + i] = next_stage(w, steps.in[nsums + i]);
  tcc_emit_end_for(t, &steps, carried);
  memcpy(sums, steps.out, (size_t)nsums * sizeof *sums);
  return NULL;
}

TccStatus *nvptx_ring_emit(NvptxRing *ring, NvptxProductLaunch *out) {
  NvptxKernel *n = ring->n;
  TccIr *ir = n->k.ir;
  Product w = {.n = n, .p = ring->p, .ring = ring, .tile = ring->tile, .sum = tcc_scalar_type(ring->p->acc)};
  const TccExpr *tiles[2] = {nvptx_blocks(ir, w.p->rows, ring->side), nvptx_blocks(ir, w.p->columns, ring->side)};
  int nsums = ring->span[0] * ring->span[1] / NVPTX_WARP;
  TccVal sums[NVPTX_RING_SUMS];
  for (int i = 0; i < 2; i++) ring->tile[i] = (NvptxTile){ring->side, (int)tcc_elem_bits(w.p->elem) / 8, w.p->along_depth[i]};
  out->shared = (uint32_t)(STAGES * stage_size(&w)), out->threads = (uint32_t)threads_of(&w);
  tcc_emit_shared(&n->e, "ring", out->shared, "i8", NVPTX_TILE_ALIGNMENT);
  w.memory = tcc_emit_shared_address(&n->e, "ring");
  w.parts =
      (NvptxParts){.parts = w.p->parts, .integers = nvptx_product_is_bytes(w.p), .threads = threads_of(&w), .thread = n->thread};
  place(&w, tiles);
  ring->begin(ring);
  TCC_TRY(emit_loop(&w, nsums, sums));
  out->blocks = tcc_expr_mul(ir->exprs, nvptx_ring_squares(ir, w.p, ring->side), tcc_expr_const(ir->exprs, w.p->parts));
  out->schedule = tcc_arena_printf(ir->arena, "%s, tile = %dx%dx%d%s", ring->name, ring->side, ring->side, depth_step(&w),
                                   w.p->parts > 1 ? tcc_arena_printf(ir->arena, ", parts = %d", w.p->parts) : "");
  return finish(&w, nsums, sums);
}
