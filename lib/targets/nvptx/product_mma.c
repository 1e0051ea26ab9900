/* product_mma.c - products on tensor cores from sm_80 on: mma.sync of fragments that ldmatrix reads from a ring of tiles in shared memory.
 *
 * As in the multistage kernels of CUTLASS (gemm/threadblock/mma_multistage.h): a block has a tile of the results, each warp a part of it in
 * registers; while the warps multiply one stage of the ring, cp.async fills the next ones. Operands that are plain memory come in pieces of
 * 16 bytes; of others each element is pulled, rounded to the operand's type and stored into the same tiles.
 *
 * f32 is made of three products of TF32 (Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores, 2022): x = high + low, of 19
 * bits each, low * high + high * low + high * high; tensor cores cut their sums, so that these are added to f32 accumulators each 8 steps
 * of the depth. An infinite x has no part in the small products, where it would meet zeros.
 *
 * Sums go through shared memory, 32 rows of a warp at a time, so that neighbouring threads write neighbouring columns, and the epilogue
 * is written twice, not once for each register. */
#include "lib/targets/nvptx/product.h"
#include "lib/targets/nvptx/tile.h"
#include <math.h>

enum { STAGES = 3, WARP_COLUMNS = 32, MOST_GROUPS = 4, COLUMN_TILES = WARP_COLUMNS / 8, PART_ROWS = 32, PART_PITCH = 40 };
enum {
  MOST_SUMS = MOST_GROUPS * COLUMN_TILES * 4,
  BESIDES = 2 /* carried: offsets of the stage that is filled, that is multiplied */
};

typedef struct {
  int side, warps[2], groups; /* results of a block along each side; warps; groups of 16 rows of a warp */
} Shape;
static const Shape large = {128, {2, 4}, 4}, small = {64, {2, 2}, 2};

typedef struct {
  NvptxKernel *n;
  const NvptxProduct *p;
  Shape shape;
  NvptxTile tile[2];
  NvptxFragments fragments[2];
  TccVal memory, lane, warp[2]; /* shared memory; place of this warp */
  TccVal batch, first[2], size[2], depth;
} Product;

static TccVal i64(Product *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }
static TccVal below(Product *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->n->e, "slt", "i64", a, b); }
static TccVal both(Product *w, TccVal a, TccVal b) { return tcc_emit_bin(&w->n->e, "and", "i1", a, b); }
static TccVal shared_at(Product *w, TccVal offset) { return tcc_emit_shared_gep(&w->n->e, "i8", w->memory, offset); }
static int threads_of(const Product *w) { return w->shape.warps[0] * w->shape.warps[1] * NVPTX_WARP; }
static int stage_size(const Product *w) { return nvptx_tile_size(&w->tile[0]) + nvptx_tile_size(&w->tile[1]); }
static int depth_step(const Product *w) { return nvptx_tile_depth(&w->tile[0]); }

/* ---- filling a stage ---- */

/* Elements of a piece of 16 bytes that are inside, in bytes. */
static TccVal bytes_inside(Product *w, int side, TccVal row, TccVal k) {
  TccEmit *t = &w->n->e;
  bool along = w->tile[side].along_depth;
  TccVal moving = along ? k : row, end = along ? w->depth : w->size[side], whole = i64(w, NVPTX_PIECE);
  TccVal left = tcc_emit_mul(t, tcc_emit_sub(t, end, moving), i64(w, w->tile[side].bytes));
  TccVal inside = tcc_emit_max(t, tcc_emit_min(t, left, whole), i64(w, 0));
  TccVal other = along ? below(w, row, w->size[side]) : below(w, k, w->depth);
  return tcc_emit_select1(t, "i64", other, inside, i64(w, 0));
}

static void fill_pieces(Product *w, int side, TccVal base, TccVal k0) {
  TccEmit *t = &w->n->e;
  const NvptxTile *tile = &w->tile[side];
  int per_piece = NVPTX_PIECE / tile->bytes, fast = (tile->along_depth ? nvptx_tile_depth(tile) : tile->rows) / per_piece;
  for (int i = 0; i < nvptx_tile_size(tile) / NVPTX_PIECE / threads_of(w); i++) {
    TccVal at = tcc_emit_add(t, w->n->thread, i64(w, (int64_t)i * threads_of(w)));
    TccVal moving = tcc_emit_mul(t, tcc_emit_rem(t, at, i64(w, fast)), i64(w, per_piece)),
           other = tcc_emit_div(t, at, i64(w, fast));
    TccVal in_row = tile->along_depth ? other : moving, in_k = tile->along_depth ? moving : other;
    TccVal row = tcc_emit_add(t, w->first[side], in_row), k = tcc_emit_add(t, k0, in_k);
    TccVal to = tcc_emit_shared_gep(t, "i8", base, nvptx_tile_offset(w->n, tile, in_row, in_k));
    nvptx_copy_async(w->n, to, w->p->address(w->p->user, side, w->batch, row, k), bytes_inside(w, side, row, k));
  }
}

static TccStatus *fill_elements(Product *w, int side, TccVal base, TccVal k0) {
  TccEmit *t = &w->n->e;
  const NvptxTile *tile = &w->tile[side];
  const char *type = tcc_scalar_type(w->p->elem);
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

static TccStatus *fill_stage(Product *w, TccVal stage, TccVal k0) {
  for (int side = 0; side < 2; side++) {
    TccVal base = shared_at(w, tcc_emit_add(&w->n->e, stage, i64(w, side ? nvptx_tile_size(&w->tile[0]) : 0)));
    if (w->p->pieces[side]) fill_pieces(w, side, base, k0);
    else TCC_TRY(fill_elements(w, side, base, k0));
  }
  nvptx_copy_commit(w->n);
  return NULL;
}

/* ---- multiplying it ---- */

/* A word of a fragment as the products of f32 take it. */
typedef struct {
  TccVal high, low, finite; /* i32: 19 bits of x; what is left of it; high, or zero if that is infinite */
} Split;

/* The nearest value of 19 bits, so that errors of `low`, which loses its last bits, have no sign of their own. What would become infinite by that
 * is cut. */
static TccVal highest_bits(Product *w, TccVal x, TccVal size) {
  TccEmit *t = &w->n->e;
  TccVal kept = tcc_emit_int(t, "i32", (int32_t)0xffffe000), half = tcc_emit_int(t, "i32", 0x1000);
  TccVal near_infinity = tcc_emit_fcmp(t, "uge", "f32", size, tcc_emit_float(t, "f32", 0x1.ffep127));
  TccVal rounded = tcc_emit_bin(t, "add", "i32", x, half);
  return tcc_emit_bin(t, "and", "i32", tcc_emit_select1(t, "i32", near_infinity, x, rounded), kept);
}

static Split split(Product *w, TccVal x) {
  TccEmit *t = &w->n->e;
  TccVal f = tcc_emit_cast(t, "bitcast", "i32", "f32", x), size = tcc_emit_intrinsic(t, "fabs", "f32", 1, &f);
  TccVal high = highest_bits(w, x, size), zero = tcc_emit_int(t, "i32", 0);
  TccVal infinite = tcc_emit_fcmp(t, "oeq", "f32", size, tcc_emit_float(t, "f32", INFINITY));
  TccVal low = tcc_emit_bin(t, "fsub", "f32", f, tcc_emit_cast(t, "bitcast", "i32", "f32", high));
  low = tcc_emit_select1(t, "i32", infinite, zero, tcc_emit_cast(t, "bitcast", "f32", "i32", low));
  return (Split){high, low, tcc_emit_select1(t, "i32", infinite, zero, high)};
}

static void multiply_split(Product *w, const Split *a, const Split *b, TccVal *sums) {
  TccEmit *t = &w->n->e;
  TccVal part[4], x[4], y[2];
  for (int i = 0; i < 4; i++) part[i] = tcc_emit_zero(t, "f32"), x[i] = a[i].low;
  y[0] = b[0].finite, y[1] = b[1].finite;
  nvptx_mma(w->n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) x[i] = a[i].finite;
  y[0] = b[0].low, y[1] = b[1].low;
  nvptx_mma(w->n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) x[i] = a[i].high;
  y[0] = b[0].high, y[1] = b[1].high;
  nvptx_mma(w->n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) sums[i] = tcc_emit_bin(t, "fadd", "f32", sums[i], part[i]);
}

/* right[c]: words of columns 8 c on. */
static void multiply_group(Product *w, const TccVal *left, const TccVal (*right)[2], const Split (*parts)[2], TccVal *sums) {
  Split a[4] = {{0}};
  for (int i = 0; i < 4 && parts; i++) a[i] = split(w, left[i]);
  for (int c = 0; c < COLUMN_TILES; c++) {
    if (parts) multiply_split(w, a, parts[c], sums + 4 * c);
    else nvptx_mma(w->n, w->p->elem, left, right[c], sums + 4 * c);
  }
}

/* sums: four for each 16 rows and 8 columns, columns first. */
static void multiply_stage(Product *w, TccVal stage, TccVal *sums) {
  bool f32 = w->p->elem == TCC_ELEM_F32;
  TccVal base[2] = {shared_at(w, stage), shared_at(w, tcc_emit_add(&w->n->e, stage, i64(w, nvptx_tile_size(&w->tile[0]))))};
  for (int step = 0; step < NVPTX_TILE_BYTES / NVPTX_FRAGMENT_BYTES; step++) {
    TccVal left[4], words[4], right[COLUMN_TILES][2];
    Split parts[COLUMN_TILES][2];
    for (int c = 0; c < COLUMN_TILES; c += 2) {
      nvptx_fragment_load(w->n, &w->fragments[1], base[1], c / 2, step, words);
      for (int i = 0; i < 4; i++) right[c + i % 2][i / 2] = words[i];
    }
    for (int i = 0; i < 2 * COLUMN_TILES && f32; i++) parts[i / 2][i % 2] = split(w, right[i / 2][i % 2]);
    for (int g = 0; g < w->shape.groups; g++) {
      nvptx_fragment_load(w->n, &w->fragments[0], base[0], g, step, left);
      multiply_group(w, left, right, f32 ? parts : NULL, sums + g * COLUMN_TILES * 4);
    }
  }
}

/* ---- results ---- */

/* Rows 32 `part` on of the warp into its part of shared memory: lane 4 g + t has rows g and g + 8, columns 2 t and 2 t + 1 of each tile. */
static void put_part(Product *w, TccVal base, int part, const TccVal *sums) {
  TccEmit *t = &w->n->e;
  const char *pair = tcc_emit_vector(t, "f32", 2);
  TccVal row = tcc_emit_div(t, w->lane, i64(w, 4)), column = tcc_emit_mul(t, tcc_emit_rem(t, w->lane, i64(w, 4)), i64(w, 2));
  TccVal own = tcc_emit_shared_gep(t, "f32", base, tcc_emit_add(t, tcc_emit_mul(t, row, i64(w, PART_PITCH)), column));
  for (int i = 0; i < PART_ROWS / 8 * COLUMN_TILES; i++) {
    int eight = i / COLUMN_TILES, c = i % COLUMN_TILES;
    const TccVal *two = sums + ((part * 2 + eight / 2) * COLUMN_TILES + c) * 4 + eight % 2 * 2;
    TccVal v = tcc_emit_insert(t, pair, two[1], tcc_emit_insert(t, pair, two[0], tcc_emit_poison(t, pair), 0), 1);
    tcc_emit_shared_store(t, pair, v, tcc_emit_shared_gep(t, "f32", own, i64(w, (int64_t)eight * 8 * PART_PITCH + c * 8)));
  }
}

static TccStatus *write_part(Product *w, TccVal base, TccVal first_row, TccVal column) {
  TccEmit *t = &w->n->e;
  TccLoop rows;
  TccIf inside;
  TccVal left = tcc_emit_min(t, tcc_emit_sub(t, w->size[0], first_row), i64(w, PART_ROWS));
  tcc_emit_if(t, &inside, below(w, column, w->size[1]), 0, NULL);
  tcc_emit_for(t, &rows, i64(w, 0), left, 1, 0, NULL, NULL);
  TccVal at = tcc_emit_add(t, tcc_emit_mul(t, rows.iv, i64(w, PART_PITCH)), w->lane);
  TccVal sum = tcc_emit_shared_load(t, "f32", tcc_emit_shared_gep(t, "f32", base, at));
  TCC_TRY(w->p->write(w->p->user, w->batch, tcc_emit_add(t, first_row, rows.iv), column, sum));
  tcc_emit_end_for(t, &rows, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static TccStatus *write_results(Product *w, const TccVal *sums) {
  TccEmit *t = &w->n->e;
  int rows = w->shape.groups * NVPTX_FRAGMENT_ROWS;
  TccVal warp = tcc_emit_div(t, w->n->thread, i64(w, NVPTX_WARP));
  TccVal base = shared_at(w, tcc_emit_mul(t, warp, i64(w, PART_ROWS * PART_PITCH * 4)));
  TccVal row = tcc_emit_add(t, w->first[0], tcc_emit_mul(t, w->warp[0], i64(w, rows))),
         column = tcc_emit_mul(t, w->warp[1], i64(w, WARP_COLUMNS));
  column = tcc_emit_add(t, tcc_emit_add(t, w->first[1], column), w->lane);
  nvptx_copy_wait(w->n, 0);
  nvptx_barrier(w->n); /* the ring has been read */
  for (int part = 0; part < rows / PART_ROWS; part++) {
    if (part) nvptx_warp_barrier(w->n);
    put_part(w, base, part, sums);
    nvptx_warp_barrier(w->n);
    TCC_TRY(write_part(w, base, tcc_emit_add(t, row, i64(w, (int64_t)part * PART_ROWS)), column));
  }
  return NULL;
}

/* ---- the kernel ---- */

/* Large tiles where enough of them are there for each multiprocessor to have one; rows or columns that are not known are taken for many. */
static Shape choose_shape(const NvptxKernel *n, const NvptxProduct *p) {
  int64_t rows = 4096, columns = 4096, batch = 1;
  tcc_expr_is_const(p->rows, &rows), tcc_expr_is_const(p->columns, &columns), tcc_expr_is_const(p->batch, &batch);
  int64_t blocks = batch * tcc_ceil_div(rows, large.side) * tcc_ceil_div(columns, large.side);
  return rows > small.side && columns > small.side && blocks >= (int64_t)n->k.machine->gpu.sms ? large : small;
}

/* Blocks go through columns first, then rows, then the batch. */
static void place(Product *w, const TccExpr *const *tiles) {
  TccEmit *t = &w->n->e;
  TccVal columns = tcc_kernel_size(&w->n->k, tiles[1]), rows = tcc_kernel_size(&w->n->k, tiles[0]), side = i64(w, w->shape.side);
  TccVal rest = tcc_emit_div(t, w->n->block, columns), warp = tcc_emit_div(t, w->n->thread, i64(w, NVPTX_WARP));
  w->first[1] = tcc_emit_mul(t, tcc_emit_rem(t, w->n->block, columns), side);
  w->first[0] = tcc_emit_mul(t, tcc_emit_rem(t, rest, rows), side);
  w->batch = tcc_emit_div(t, rest, rows);
  w->size[0] = tcc_kernel_size(&w->n->k, w->p->rows), w->size[1] = tcc_kernel_size(&w->n->k, w->p->columns);
  w->depth = tcc_kernel_size(&w->n->k, w->p->depth);
  w->lane = tcc_emit_rem(t, w->n->thread, i64(w, NVPTX_WARP));
  w->warp[0] = tcc_emit_div(t, warp, i64(w, w->shape.warps[1])), w->warp[1] = tcc_emit_rem(t, warp, i64(w, w->shape.warps[1]));
  for (int side_ = 0; side_ < 2; side_++) {
    int span = side_ ? WARP_COLUMNS : w->shape.groups * NVPTX_FRAGMENT_ROWS;
    w->fragments[side_] = nvptx_fragments(w->n, &w->tile[side_], w->lane, tcc_emit_mul(t, w->warp[side_], i64(w, span)));
  }
}

static TccVal next_stage(Product *w, TccVal stage) {
  TccEmit *t = &w->n->e;
  TccVal next = tcc_emit_add(t, stage, i64(w, stage_size(w))), end = i64(w, (int64_t)STAGES * stage_size(w));
  return tcc_emit_select1(t, "i64", tcc_emit_icmp(t, "eq", "i64", next, end), i64(w, 0), next);
}

/* The first steps, before the depth, only fill. */
static TccStatus *emit_loop(Product *w, int nsums, TccVal *sums) {
  TccEmit *t = &w->n->e;
  const char *types[MOST_SUMS + BESIDES];
  TccVal carried[MOST_SUMS + BESIDES];
  int64_t ahead = (int64_t)(STAGES - 1) * depth_step(w);
  TccLoop steps, multiplies;
  for (int i = 0; i < nsums; i++) carried[i] = tcc_emit_zero(t, "f32"), types[i] = "f32";
  carried[nsums] = i64(w, 0), carried[nsums + 1] = i64(w, stage_size(w)), types[nsums] = types[nsums + 1] = "i64";
  tcc_emit_for(t, &steps, i64(w, -ahead), w->depth, depth_step(w), nsums + BESIDES, carried, types);
  nvptx_copy_wait(w->n, STAGES - 2);
  nvptx_barrier(w->n);
  TCC_TRY(fill_stage(w, steps.in[nsums], tcc_emit_add(t, steps.iv, i64(w, ahead))));
  TccVal now = tcc_emit_select1(t, "i64", below(w, steps.iv, i64(w, 0)), i64(w, 0), i64(w, 1));
  tcc_emit_for(t, &multiplies, i64(w, 0), now, 1, nsums, steps.in, types);
  memcpy(carried, multiplies.in, (size_t)nsums * sizeof *carried);
  multiply_stage(w, steps.in[nsums + 1], carried);
  tcc_emit_end_for(t, &multiplies, carried);
  memcpy(carried, multiplies.out, (size_t)nsums * sizeof *carried);
  for (int i = 0; i < BESIDES; i++) carried[nsums + i] = next_stage(w, steps.in[nsums + i]);
  tcc_emit_end_for(t, &steps, carried);
  memcpy(sums, steps.out, (size_t)nsums * sizeof *sums);
  return NULL;
}

bool nvptx_product_mma_fits(const NvptxKernel *n, const NvptxProduct *p) {
  return tcc_isa_gpu_chip(n->k.machine->isa) >= 80 && p->acc == TCC_ELEM_F32 && !(p->elem == TCC_ELEM_F32 && p->exact);
}

TccStatus *nvptx_product_mma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  TccExprPool *exprs = n->k.ir->exprs;
  Product w = {.n = n, .p = p, .shape = choose_shape(n, p)};
  int bytes = (int)tcc_elem_bits(p->elem) / 8, nsums = w.shape.groups * COLUMN_TILES * 4;
  for (int i = 0; i < 2; i++) w.tile[i] = (NvptxTile){w.shape.side, bytes, p->along_depth[i]};
  const TccExpr *tiles[2] = {nvptx_blocks(n->k.ir, p->rows, w.shape.side), nvptx_blocks(n->k.ir, p->columns, w.shape.side)};
  TccVal sums[MOST_SUMS];
  out->shared = (uint32_t)(STAGES * stage_size(&w)), out->threads = (uint32_t)threads_of(&w);
  tcc_emit_shared(&n->e, "ring", out->shared, "i8", NVPTX_SHARED_ALIGNMENT);
  w.memory = tcc_emit_shared_address(&n->e, "ring");
  place(&w, tiles);
  TCC_TRY(emit_loop(&w, nsums, sums));
  out->blocks = tcc_expr_mul(exprs, p->batch, tcc_expr_mul(exprs, tiles[0], tiles[1]));
  out->schedule = tcc_arena_printf(n->k.ir->arena, "mma, tile = %dx%dx%d", w.shape.side, w.shape.side, depth_step(&w));
  return write_results(&w, sums);
}
