/* map.c - kernels of elementwise ops, views, gathers, pads and concatenations: one loop nest for all results of a shape.
 *
 * The nest runs over the results' axes, joined where all addresses allow it (a plain elementwise kernel is one flat loop),
 * split where a reshape inside needs it. The last dim is the lane dim: stores are contiguous. A tile is a number of rows
 * (all dims but the last), or a piece of the last dim where that alone is large; about TILE elements, so that two threads
 * balance and a tile's operands stay in the first cache. A transpose (a copy whose neighbours in memory run along the last
 * dim but one) goes by blocks, where it is the only result: map_transpose.c; operands that lie so are turned in registers where something is computed of them:
 * map_turned.c. Rows of a few vectors (channels in blocks), and those of dims of unknown size,
 * have a loop of their own over the dim before the last: taking a row's number apart costs more than a row. A last dim of 2 to 4 whose elements are made in different ways
 * (a stack of two, a concat of parts of one) is no lane dim: a vector along the dim before is made of each, and they are interleaved. */
#include "lib/targets/x86/map/map.h"
#include "lib/codegen/emit/pull_packed.h"
#include "lib/codegen/read/map_nests.h"
#include "lib/targets/x86/map/map_boxes.h"
#include "lib/targets/x86/map/map_copies.h"
#include "lib/targets/x86/map/map_schedule.h"
#include "lib/targets/x86/map/map_transpose.h"
#include "lib/targets/x86/map/map_turned.h"

enum {
  TILE = 8192,
  SMALL_BODY = 48,
  BRIEF_BODY = 6,
  BRIEF_VECTORS = 4,
  WIDE = 1024,
  FEW = 4,
  FEW_BODY = 128 /* nodes, of all elements of the last dim */,
  SHORT_ROW = 4 /* vectors */,
  INSIDE_VECTORS = 4 /* of a padded row */,
  REPEATED = 4096 /* bytes of a piece of a row that is repeated */,
  PREFETCH = 4096 /* bytes */
};
static const int64_t all_rows = INT64_C(1) << 48; /* of a tensor whose rows share bytes: one tile */

typedef struct {
  TccMapNest of;
  const TccExpr *rows; /* product of all dims before lane_dim */
  const TccExpr *rows_per_tile;
  const TccExpr *groups; /* of so many rows; or a piece of a row per tile: */
  const TccExpr *pieces; /* pieces of a row */
  const TccExpr *tiles;
  TccTranspose transpose; /* a transpose: rows counts its blocks */
  TccTurned turned;       /* operands that are turned in registers: rows counts its tiles */
  int lane_dim;           /* the last dim; the one before it, if */
  int few;                /* that is so short that its elements are interleaved; 1: it is not */
  int lanes, vectors;     /* of a block; blocks side by side in an iteration of the loop */
  int wide;               /* lanes of the blocks in front, of elements of which a register holds more; 0: there are none */
  int64_t piece;          /* elements of a piece of a row */
  bool repeats;           /* rows along the dim before lane_dim are the same one: rows has no part of them, a tile has them all */
  bool padded;            /* rows may have ends, and are long enough that what lies between counts */
  bool streams;           /* what it reads and writes is prefetched */
  bool even;              /* see is_even */
  bool whole;             /* rows, and pieces of them, are whole blocks */
} Nest;

/* Whether it goes by blocks of the last two dims. */
static bool is_turned(const Nest *nest) { return nest->transpose.kind != TCC_TRANSPOSE_NONE || nest->turned.rows; }

static int64_t second_cache(const TccMachine *machine) { return machine->l2_bytes ? machine->l2_bytes : 1 << 20; }

/* Results of less than a byte, whose bytes rows share: one thread writes them in order, an element at a time. */
static bool shares_bytes(const Nest *nest) {
  for (size_t i = 0; i < nest->of.count; i++) {
    const TccMapResult *r = &nest->of.results[i];
    if (tcc_elem_bits(r->elem) < 8 && !tcc_pull_packs_blocks(&nest->of.pull, &r->store, r->elem)) return true;
  }
  return false;
}

/* Whether a result is put together from tensors, side by side in its rows, and numbers, all of its type: a concatenation, a pad. */
static bool joins(const TccPull *p, const TccMapResult *r, int lane_dim) {
  if (r->root->kind != TCC_PULL_GUARD) return false;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    const TccExpr *step = node->index.coef[lane_dim];
    if (node->elem != r->elem || node->index.nterms || (node->kind != TCC_PULL_GUARD && node->kind != TCC_PULL_LOAD)) return false;
    if (node->kind == TCC_PULL_LOAD && step && step != tcc_expr_const(p->ir->exprs, 1)) return false;
  }
  return true;
}

/* A copy of narrow elements fills its registers too. So does what joins some in rows of a register or more, where bytes are read under a mask. */
static int choose_lanes(const Nest *nest, int lanes, const TccMachine *machine) {
  if (shares_bytes(nest)) return 1;
  const TccMapResult *r = &nest->of.results[0];
  const TccPullNode *root = r->root;
  const unsigned bits = tcc_elem_bits(r->elem);
  if (nest->of.count > 1 || bits < 8 || bits >= 32) return lanes;
  const int all = lanes * 32 / (int)bits;
  int64_t width;
  if (root->kind == TCC_PULL_LOAD && root->argument >= 0 && !root->index.nterms && root->elem == r->elem) return all;
  bool reaches = tcc_expr_is_const(nest->of.pull.dim[nest->lane_dim], &width) && width >= all;
  return reaches && machine->isa & TCC_ISA_AVX512 && nest->few == 1 && joins(&nest->of.pull, r, nest->lane_dim) ? all : lanes;
}

/* Lanes that fill a register where all that is read, computed and written has less than 32 bits: 8 bytes at a time ask for four times the instructions.
 * Floats of 16 bits are computed in 32. What is left of a row goes in blocks of `lanes`, since nothing reads bytes under a mask. */
static int choose_wide(const Nest *nest) {
  const TccPull *p = &nest->of.pull;
  unsigned most = 0;
  bool computes = false; /* a copy has as many lanes as it can as it is */
  if (nest->few > 1 || nest->lanes == 1 || is_turned(nest) || p->nodes.count > SMALL_BODY) return 0;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    bool load = node->kind == TCC_PULL_LOAD;
    if ((!load && node->kind != TCC_PULL_OP) || node->index.nterms || tcc_elem_is_float(node->elem)) return 0;
    const TccExpr *step = node->index.coef[nest->lane_dim];
    if (load && step && step != tcc_expr_const(p->ir->exprs, 1)) return 0;
    if (tcc_elem_bits(node->elem) < 8) return 0;
    if (most < tcc_elem_bits(node->elem)) most = tcc_elem_bits(node->elem);
    computes = computes || !load;
  }
  int64_t width;
  int wide = computes && most < 32 ? nest->lanes * 32 / (int)most : 0;
  bool reaches = !tcc_expr_is_const(p->dim[nest->lane_dim], &width) || width >= wide;
  return reaches ? wide : 0;
}

/* Whether it finds elements by what it reads or computes, on a machine that reads them one by one in any case: as code for single elements a cold kernel
 * takes LLVM a third of the time. */
static bool picks_elements(const Nest *nest, const TccEmit *e) {
  if (!e->functions || !e->functions->steps_apart || nest->few > 1) return false;
  for (size_t i = 0; i < nest->of.pull.nodes.count; i++) {
    const TccPullNode *node = nest->of.pull.nodes.data[i];
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0 && node->index.nterms) return true;
  }
  return false;
}

static TccTranspose choose_transpose(Nest *nest, int lanes, const TccMachine *machine) {
  TccMapResult *r = &nest->of.results[0];
  if (nest->of.count > 1) return (TccTranspose){.kind = TCC_TRANSPOSE_NONE};
  return tcc_map_transpose_choose(&nest->of.pull, r->root, &r->store, r->elem, lanes, second_cache(machine));
}

/* How many elements the last dim has, if they are interleaved from vectors along the dim before it; else 1. */
static int choose_few(const Nest *nest, int lanes) {
  const TccPull *p = &nest->of.pull;
  const int last = p->ndims - 1;
  int64_t few, height;
  if (last < 1 || !tcc_expr_is_const(p->dim[last], &few) || few < 2 || few > FEW || nest->transpose.kind != TCC_TRANSPOSE_NONE)
    return 1;
  if (tcc_expr_is_const(p->dim[last - 1], &height) && height < lanes / 2) return 1;
  if ((int64_t)p->nodes.count * few > FEW_BODY) return 1;
  for (size_t i = 0; i < nest->of.count; i++) {
    const TccMapResult *r = &nest->of.results[i];
    if (tcc_elem_bits(r->elem) < 8 || r->store.nterms || r->store.coef[last] != tcc_expr_const(p->ir->exprs, 1) ||
        r->store.coef[last - 1] != p->dim[last])
      return 1;
  }
  return (int)few;
}

static void choose_lane_dim(Nest *nest, int lanes) {
  nest->few = choose_few(nest, lanes);
  nest->lane_dim = nest->of.pull.ndims - (nest->few > 1 ? 2 : 1);
  if (nest->few == 1 && nest->transpose.kind == TCC_TRANSPOSE_NONE) nest->turned = tcc_map_turned_choose(&nest->of, lanes, TILE);
}

/* A scalar is a row of one element. */
static void need_dim(TccPull *p) {
  if (p->ndims == 0) p->dim[p->ndims++] = tcc_expr_const(p->ir->exprs, 1);
}

/* Rows of a tile, whose width the call knows: few wide rows are shared between threads as many short ones are. */
static const TccExpr *rows_of_tile(TccExprPool *pool, const TccExpr *width, int64_t tile) {
  const TccExpr *one = tcc_expr_const(pool, 1), *some = tcc_expr_call(pool, TCC_EXPR_MAX, width, one);
  return tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_expr_const(pool, tile), some);
}

/* Whether rows that follow each other are the same one, long ones: each piece is stored to all of them while what it is made of is in the first
 * cache. One row after the other, 4 MB of 8 rows of 128 KB, each 4 times, took 64 us where they take 46 so. */
static bool repeats_rows(const Nest *nest) {
  const TccPull *p = &nest->of.pull;
  const int before = nest->lane_dim - 1;
  int64_t size;
  if (nest->few > 1 || before < 0 || (tcc_expr_is_const(p->dim[before], &size) && size < 2)) return false;
  if (tcc_ir_likely(p->ir, p->dim[nest->lane_dim]) <= 2 * TILE) return false;
  for (size_t i = 0; i < nest->of.count; i++)
    if (tcc_pull_moves(nest->of.results[i].root, before)) return false;
  return true;
}

static int64_t piece_repeated(const Nest *nest) { return REPEATED * 8 / tcc_elem_bits(nest->of.results[0].elem); }

static void choose_tiles(TccKernelEmit *k, Nest *nest, int lanes) {
  TccIr *ir = k->ir;
  int64_t rows_per_tile = 1;
  TccPull *p = &nest->of.pull;
  need_dim(p);
  nest->transpose = choose_transpose(nest, lanes, k->machine);
  choose_lane_dim(nest, lanes);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *inner = p->dim[nest->lane_dim];
  nest->rows = one, nest->pieces = one;
  for (int d = 0; d < nest->lane_dim; d++) nest->rows = tcc_expr_mul(ir->exprs, nest->rows, p->dim[d]);
  int64_t width, tile = TILE / nest->few;
  nest->piece = tile;
  bool fixed = tcc_expr_is_const(inner, &width);
  if (shares_bytes(nest)) {
    rows_per_tile = all_rows;
  } else if (is_turned(nest)) {
    int64_t height;
    bool small = fixed && tcc_expr_is_const(p->dim[p->ndims - 2], &height) && width * height > 0 && width * height < TILE;
    nest->rows = nest->turned.rows ? tcc_map_turned_tiles(p, &nest->turned) : tcc_map_transpose_blocks(p, &nest->transpose);
    rows_per_tile = small ? TILE / (width * height) : 1;
  } else if (repeats_rows(nest)) {
    nest->repeats = true, nest->piece = piece_repeated(nest), nest->rows = one;
    for (int d = 0; d < nest->lane_dim - 1; d++) nest->rows = tcc_expr_mul(ir->exprs, nest->rows, p->dim[d]);
    nest->pieces = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, inner, tcc_expr_const(ir->exprs, nest->piece));
  } else if (nest->rows == one || (fixed && width > 2 * tile)) { /* pieces of rows */
    nest->pieces = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, inner, tcc_expr_const(ir->exprs, tile));
  } else {
    nest->rows_per_tile = rows_of_tile(ir->exprs, inner, tile);
  }
  if (!nest->rows_per_tile) nest->rows_per_tile = tcc_expr_const(ir->exprs, rows_per_tile);
  nest->groups = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, nest->rows, nest->rows_per_tile);
  nest->tiles = tcc_kernel_slot(k, tcc_expr_mul(ir->exprs, nest->groups, nest->pieces));
}

static bool is_small(const Nest *nest) { return nest->of.pull.nodes.count <= SMALL_BODY; }

/* More than one vector only where it was seen to gain in loops of a size that matters (docs/notes/2026-11-tuning.md). */
static int choose_vectors(const Nest *nest) {
  int64_t width;
  bool fixed = tcc_expr_is_const(nest->of.pull.dim[nest->lane_dim], &width);
  return is_small(nest) && nest->few == 1 && nest->of.pull.nodes.count <= BRIEF_BODY && (!fixed || width >= WIDE) ? BRIEF_VECTORS
                                                                                                                  : 1;
}

/* ---- kernels that differ in sizes ---- */

static bool has_few_vectors(const Nest *nest) {
  int64_t width;
  return tcc_expr_is_const(nest->of.pull.dim[nest->lane_dim], &width) && width <= SHORT_ROW * nest->lanes;
}

static bool has_short_rows(const Nest *nest) { return nest->lane_dim > 1 && has_few_vectors(nest); }

static bool has_whole_blocks(const Nest *nest) {
  int64_t width;
  return tcc_expr_is_const(nest->of.pull.dim[nest->lane_dim], &width) && width % nest->lanes == 0 && nest->piece % nest->lanes == 0;
}

static bool is_even_index(const TccPull *p, const TccPullIndex *index, int lane_dim) {
  const TccExpr *step = index->coef[lane_dim];
  return !index->nterms && (!step || step == tcc_expr_const(p->ir->exprs, 1));
}

/* Whether all that is read or written lies side by side in a row, or is one element for all of it, and code for any sizes is as fast as code for
 * these: there is one row, or pieces of rows, whose ends are computed in any case, or rows of a few vectors, which are straight code. (Rows of 8
 * vectors took 1.7 times as long where their length was not known, of 96 1.2 times.) A network has the same elementwise kernel for many sizes, an
 * optimiser for all of its parameters. */
static bool is_even(const Nest *nest) {
  const TccPull *p = &nest->of.pull;
  if (is_turned(nest) || nest->few > 1 || nest->lanes == 1) return false;
  if (nest->lane_dim > 0 && nest->pieces == tcc_expr_const(p->ir->exprs, 1) && !has_short_rows(nest)) return false;
  for (size_t i = 0; i < nest->of.count; i++)
    if (tcc_elem_bits(nest->of.results[i].elem) < 8 || !is_even_index(p, &nest->of.results[i].store, nest->lane_dim)) return false;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    if (node->kind == TCC_PULL_OP) continue;
    if (node->kind != TCC_PULL_LOAD && node->kind != TCC_PULL_INDEX) return false;
    if (tcc_elem_bits(node->elem) < 8 || !is_even_index(p, &node->index, nest->lane_dim)) return false;
  }
  return true;
}

/* Sizes that stay in the code: what a loop over blocks of a transpose is made for, rows of a few vectors, whose loop ends at a known place. Another dim may
 * have the same size: it stays, too. */
typedef TCC_VEC(const TccExpr *) Fixed;

static void fix(TccArena *arena, Fixed *fixed, const TccExpr *size) {
  if (size) TCC_VEC_PUSH(arena, fixed, size);
}

static void vary(TccKernelEmit *k, const Fixed *fixed, const TccExpr *size) {
  for (size_t i = 0; i < fixed->count; i++)
    if (fixed->data[i] == size) return;
  if (size) tcc_kernel_vary(k, size);
}

/* All indices of a nest. */
typedef TCC_VEC(const TccPullIndex *) Indices;

static Indices indices_of(const Nest *nest) {
  const TccPull *p = &nest->of.pull;
  Indices all = {0};
  for (size_t i = 0; i < nest->of.count; i++) TCC_VEC_PUSH(p->arena, &all, &nest->of.results[i].store);
  for (size_t i = 0; i < p->nodes.count; i++)
    if (p->nodes.data[i]->kind != TCC_PULL_OP) TCC_VEC_PUSH(p->arena, &all, &p->nodes.data[i]->index);
  return all;
}

/* The sizes of an even nest; of a transpose those around its blocks. */
static void vary_sizes(TccKernelEmit *k, const Nest *nest) {
  const TccPull *p = &nest->of.pull;
  bool turns = is_turned(nest);
  if (!turns && !nest->even) return;
  int outer = turns ? p->ndims - 2 : nest->lane_dim;
  Indices indices = indices_of(nest);
  Fixed fixed = {0};
  for (int d = outer; (turns || has_few_vectors(nest)) && d < p->ndims; d++) {
    fix(p->arena, &fixed, p->dim[d]);
    for (size_t i = 0; i < indices.count; i++) fix(p->arena, &fixed, indices.data[i]->coef[d]);
  }
  if (!turns) vary(k, &fixed, p->dim[nest->lane_dim]);
  for (int d = 0; d < outer; d++) {
    vary(k, &fixed, p->dim[d]);
    for (size_t i = 0; i < indices.count; i++) vary(k, &fixed, indices.data[i]->coef[d]);
  }
  vary(k, &fixed, nest->rows), vary(k, &fixed, nest->pieces), vary(k, &fixed, nest->rows_per_tile), vary(k, &fixed, nest->groups);
}

/* ---- memory ahead ---- */

static bool is_row_major(const TccPull *p, const TccPullIndex *index) {
  int last = p->ndims - 1;
  return !index->nterms && index->coef[last] == tcc_expr_const(p->ir->exprs, 1) &&
         (last == 0 || index->coef[last - 1] == p->dim[last]);
}

/* Whether what is read and written side by side is more than the second cache holds, for likely sizes. */
static bool streams(const Nest *nest, const TccMachine *machine) {
  const TccPull *p = &nest->of.pull;
  double size = 1, bits = 0;
  if (nest->few > 1) return false;
  for (size_t r = 0; r < nest->of.count; r++) bits += tcc_elem_bits(nest->of.results[r].elem);
  for (int d = 0; d < p->ndims; d++) size *= (double)tcc_ir_likely(p->ir, p->dim[d]);
  for (size_t n = 0; n < p->nodes.count; n++) {
    const TccPullNode *node = p->nodes.data[n];
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0 && is_row_major(p, &node->index)) bits += tcc_elem_bits(node->elem);
  }
  return size * bits / 8 > (double)second_cache(machine);
}

/* The lines that a block a page ahead begins, where block `number` of a group stands at e->iv. */
static void prefetch_lines(TccPullEmit *e, int argument, TccElem elem, const TccPullIndex *index, int number, bool write) {
  TccEmit *t = e->k->e;
  TccVal base, step, p = tcc_emit_load_once(t, TCC_PTR, e->k->arguments, argument);
  int bytes = e->lanes * (int)tcc_elem_bits(elem) / 8;
  tcc_pull_emit_affine(e, index, &base, &step);
  for (int at = (64 - number * bytes % 64) % 64; at < bytes; at += 64)
    tcc_emit_prefetch(t, tcc_emit_at(t, "i8", tcc_emit_gep(t, tcc_scalar_memory_type(elem), p, base), PREFETCH + at), write, 3);
}

/* The processor's own fetching ends at each page and does not own what will be written; this goes on across pages. */
static void prefetch_block(TccPullEmit *e, const Nest *nest, int number) {
  if (!nest->streams) return;
  for (size_t n = 0; n < nest->of.pull.nodes.count; n++) {
    const TccPullNode *node = nest->of.pull.nodes.data[n];
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0 && is_row_major(&nest->of.pull, &node->index))
      prefetch_lines(e, node->argument, node->elem, &node->index, number, false);
  }
  for (size_t i = 0; i < nest->of.count; i++) {
    const TccMapResult *r = &nest->of.results[i];
    if (is_row_major(&nest->of.pull, &r->store)) prefetch_lines(e, r->argument, r->elem, &r->store, number, true);
  }
}

/* ---- loops ---- */

/* A block of lanes along the dim before the last, all elements of the last. rest: 0, or how many places of a vector there are. */
static TccStatus *emit_interleaved(TccPullEmit *e, const Nest *nest, TccVal rest) {
  TccEmit *t = e->k->e;
  const int last = nest->lane_dim + 1, few = nest->few;
  TccVal *values = TCC_NEW_ARRAY(nest->of.pull.arena, TccVal, nest->of.count * FEW), base, step;
  for (int j = 0; j < few; j++) {
    e->iv[last] = tcc_emit_i64(t, j);
    tcc_pull_emit_reset(e);
    for (size_t i = 0; i < nest->of.count; i++)
      TCC_TRY(tcc_pull_emit_node(e, nest->of.results[i].root, &values[i * FEW + (size_t)j]));
  }
  TccVal places = rest ? tcc_emit_mul(t, rest, tcc_emit_i64(t, few)) : 0;
  e->iv[last] = tcc_emit_i64(t, 0);
  for (size_t i = 0; i < nest->of.count; i++) {
    const TccMapResult *r = &nest->of.results[i];
    const char *memory = tcc_scalar_memory_type(r->elem), *type = tcc_emit_vector(t, memory, e->lanes);
    TccVal *in = &values[i * FEW];
    for (int j = 0; j < few; j++) in[j] = tcc_scalar_to_memory(t, r->elem, e->lanes, in[j]);
    tcc_pull_emit_affine(e, &r->store, &base, &step);
    TccVal to = tcc_emit_gep(t, memory, tcc_kernel_argument(e->k, r->argument), base);
    for (int o = 0; o < few; o++) {
      TccVal mask = places ? tcc_emit_mask(t, tcc_emit_sub(t, places, tcc_emit_i64(t, (int64_t)o * e->lanes)), e->lanes) : 0;
      tcc_emit_masked_store(t, type, tcc_map_interleaved(t, type, in, few, o), tcc_emit_at(t, memory, to, o * e->lanes), mask);
    }
  }
  return NULL;
}

/* One block of lanes at e->iv of the lane dim; rest: as of emit_interleaved. All is read before any is stored: a result may lie where an
 * operand does. */
static TccStatus *emit_block(TccPullEmit *e, const Nest *nest, TccVal rest) {
  if (nest->few > 1) return emit_interleaved(e, nest, rest);
  TccVal *values = TCC_NEW_ARRAY(nest->of.pull.arena, TccVal, nest->of.count);
  tcc_pull_emit_reset(e);
  for (size_t i = 0; i < nest->of.count; i++) TCC_TRY(tcc_pull_emit_node(e, nest->of.results[i].root, &values[i]));
  for (size_t i = 0; i < nest->of.count; i++) {
    const TccMapResult *r = &nest->of.results[i];
    TCC_TRY(tcc_pull_emit_store(e, r->argument, r->elem, &r->store, values[i]));
  }
  return NULL;
}

/* From `from` on whole groups of so many blocks; returns where they end. */
static TccStatus *emit_groups(TccPullEmit *e, const Nest *nest, TccVal from, TccVal to, int blocks, TccVal *out_end) {
  TccEmit *t = e->k->e;
  int last = nest->lane_dim;
  TccVal size = tcc_emit_i64(t, (int64_t)blocks * e->lanes);
  TccLoop loop;
  *out_end = tcc_emit_add(t, from, tcc_emit_mul(t, tcc_emit_div(t, tcc_emit_sub(t, to, from), size), size));
  int64_t first, end;
  bool known = tcc_emit_known(t, from, &first) && tcc_emit_known(t, *out_end, &end),
       single = known && end - first == (int64_t)blocks * e->lanes;
  if (known && first == end) return NULL; /* none */
  if (!single) tcc_emit_for(t, &loop, from, *out_end, blocks * e->lanes, 0, NULL, NULL);
  TccVal start = single ? from : loop.iv;
  e->mask = 0;
  for (int b = 0; b < blocks; b++) {
    e->iv[last] = b ? tcc_emit_add(t, start, tcc_emit_i64(t, (int64_t)b * e->lanes)) : start;
    prefetch_block(e, nest, b);
    TCC_TRY(emit_block(e, nest, 0));
  }
  if (!single) tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

/* Whole blocks of [from, to) where rows are padded: those that touch no end of a row side by side, without a question, then those before them
 * and those behind. Of 35 instructions a block hardly two blocks were under way at once, so that each line was waited for. */
static TccStatus *emit_padded_row(TccPullEmit *e, const Nest *nest, TccVal from, TccVal to, TccVal low, TccVal end,
                                  TccVal *out_end) {
  TccEmit *t = e->k->e;
  TccVal zero = tcc_emit_i64(t, 0), lanes = tcc_emit_i64(t, e->lanes), ends[2];
  *out_end = tcc_emit_add(t, from, tcc_emit_mul(t, tcc_emit_div(t, tcc_emit_sub(t, to, from), lanes), lanes));
  for (int i = 0; i < 2; i++) {
    TccVal places = tcc_emit_max(t, zero, tcc_emit_sub(t, i ? end : low, from));
    ends[i] = tcc_emit_min(t, *out_end, tcc_emit_add(t, from, tcc_emit_round_up(t, places, e->lanes)));
  }
  ends[1] = tcc_emit_max(t, ends[0], ends[1]);
  e->inside = true;
  TccVal single;
  TCC_TRY(emit_groups(e, nest, ends[0], ends[1], INSIDE_VECTORS, &single));
  TCC_TRY(emit_groups(e, nest, single, ends[1], 1, &single));
  e->inside = false;
  e->end = TCC_PULL_LOW_END;
  int64_t first, places;
  if (tcc_emit_known(t, from, &first) && tcc_emit_known(t, low, &places) &&
      places <= first + e->lanes) { /* one at most, at a known place */
    TccIf some;
    tcc_emit_if(t, &some, tcc_emit_icmp(t, "slt", "i64", from, ends[0]), 0, NULL);
    e->iv[nest->lane_dim] = from;
    TCC_TRY(emit_block(e, nest, 0));
    tcc_emit_end_if(t, &some, NULL);
  } else {
    TCC_TRY(emit_groups(e, nest, from, ends[0], 1, &single));
  }
  e->end = TCC_PULL_HIGH_END; /* so does what is left of the row */
  return emit_groups(e, nest, ends[1], *out_end, 1, &single);
}

/* [from, to) of the lane dim: whole blocks, then a masked one; a large body is emitted once, always masked unless all its blocks are whole. */
static TccStatus *emit_lanes(TccPullEmit *e, const Nest *nest, TccVal from, TccVal to) {
  TccEmit *t = e->k->e;
  int last = nest->lane_dim;
  TccLoop loop;
  TccVal whole = to;
  bool small = is_small(nest), known = false; /* where the rest begins and ends */
  const TccPullNode **roots = TCC_NEW_ARRAY(nest->of.pull.arena, const TccPullNode *, nest->of.count);
  for (size_t i = 0; i < nest->of.count; i++) roots[i] = nest->of.results[i].root;
  if (nest->few == 1) /* else what all lanes share differs along the last dim */
    TCC_TRY(tcc_pull_emit_shared(e, roots, (int)nest->of.count,
                                 TCC_NEW_ARRAY(nest->of.pull.arena, unsigned char, nest->of.pull.nodes.count + 1)));
  TccVal low, inside_end;
  if (small && nest->padded && tcc_pull_emit_inside(e, &low, &inside_end)) {
    TCC_TRY(emit_padded_row(e, nest, from, to, low, inside_end, &whole));
    int64_t first, end;
    known = tcc_emit_known(t, whole, &first) && tcc_emit_known(t, to, &end);
    if (known && first == end) { /* no rest */
      e->end = TCC_PULL_ANY_END;
      return NULL;
    }
  } else if (small || e->lanes == 1) {
    if (nest->wide) {
      e->lanes = nest->wide;
      TCC_TRY(emit_groups(e, nest, from, to, 1, &from));
      e->lanes = nest->lanes;
    }
    if (nest->vectors > 1) TCC_TRY(emit_groups(e, nest, from, to, nest->vectors, &from));
    TCC_TRY(emit_groups(e, nest, from, to, 1, &whole));
    if (e->lanes == 1 || nest->whole) return NULL;
    int64_t first, end;
    known = tcc_emit_known(t, whole, &first) && tcc_emit_known(t, to, &end);
    if (known && first == end) return NULL; /* no rest */
  } else {
    int64_t first, end;
    if (tcc_emit_known(t, from, &first) && tcc_emit_known(t, to, &end)) {
      if ((end - first) % e->lanes == 0) return emit_groups(e, nest, from, to, 1, &whole);
      known = end - first < e->lanes, whole = from;
    }
  }
  if (!known) tcc_emit_for(t, &loop, small ? whole : from, to, e->lanes, 0, NULL, NULL); /* at most once where small */
  e->iv[last] = known ? whole : loop.iv;
  TccVal rest = tcc_emit_sub(t, to, e->iv[last]);
  e->mask = tcc_emit_mask(t, rest, e->lanes);
  TCC_TRY(emit_block(e, nest, rest));
  if (!known) tcc_emit_end_for(t, &loop, NULL);
  e->mask = 0, e->end = TCC_PULL_ANY_END;
  return NULL;
}

/* The indices of the first `dims` dims from the number of a row of them. */
static void emit_row_indices(TccPullEmit *e, const Nest *nest, int dims, TccVal row) {
  TccEmit *t = e->k->e;
  for (int d = dims; d-- > 1;) {
    TccVal size = tcc_kernel_size(e->k, nest->of.pull.dim[d]);
    e->iv[d] = tcc_emit_rem(t, row, size), row = tcc_emit_div(t, row, size);
  }
  if (dims > 0) e->iv[0] = row;
}

/* Whether taking a row's number apart needs divisions: by sizes that are known they are multiplications. */
static bool divides_by_sizes(const Nest *nest) {
  bool fixed = true;
  for (int d = 1; d < nest->lane_dim; d++) fixed = fixed && tcc_expr_is_const(nest->of.pull.dim[d], NULL);
  return !fixed;
}

/* Rows that are no pieces, of more than a few vectors or a size that is not known. */
static bool has_long_rows(const Nest *nest) {
  int64_t width, pieces;
  bool fixed = tcc_expr_is_const(nest->of.pull.dim[nest->lane_dim], &width);
  return nest->few == 1 && nest->lanes > 1 && !is_turned(nest) && tcc_expr_is_const(nest->pieces, &pieces) && pieces == 1 &&
         (!fixed || width > SHORT_ROW * nest->lanes);
}

/* Rows [from, to), by the dim before the last. */
static TccStatus *emit_rows_of_dim(TccPullEmit *e, const Nest *nest, TccVal from, TccVal to, TccVal width) {
  TccEmit *t = e->k->e;
  int middle = nest->lane_dim - 1;
  TccVal zero = tcc_emit_i64(t, 0), one = tcc_emit_i64(t, 1), size = tcc_kernel_size(e->k, nest->of.pull.dim[middle]),
         count = tcc_emit_max(t, size, one);
  TccLoop outer, row;
  tcc_emit_for(t, &outer, tcc_emit_div(t, from, count), tcc_emit_div(t, tcc_emit_add(t, to, tcc_emit_sub(t, count, one)), count), 1,
               0, NULL, NULL);
  emit_row_indices(e, nest, middle, outer.iv);
  TccVal before = tcc_emit_mul(t, outer.iv, count);
  tcc_emit_for(t, &row, tcc_emit_max(t, tcc_emit_sub(t, from, before), zero), tcc_emit_min(t, tcc_emit_sub(t, to, before), size), 1,
               0, NULL, NULL);
  e->iv[middle] = row.iv;
  TCC_TRY(emit_lanes(e, nest, zero, width));
  tcc_emit_end_for(t, &row, NULL);
  tcc_emit_end_for(t, &outer, NULL);
  return NULL;
}

/* A tile whose operands are turned: its whole cells, then the rows behind them one by one. */
static TccStatus *emit_turned(TccPullEmit *e, const Nest *nest, TccVal tile, TccVal width) {
  TccEmit *t = e->k->e;
  TccVal from, to, whole;
  int64_t known;
  TccLoop row;
  tcc_map_turned_place(e, &nest->turned, tile, &from, &to);
  TCC_TRY(tcc_map_turned_emit(e, &nest->turned, &nest->of, from, to, &whole));
  if (tcc_expr_is_const(nest->of.pull.dim[nest->lane_dim - 1], &known) && known % nest->turned.rows == 0) return NULL;
  tcc_emit_for(t, &row, whole, to, 1, 0, NULL, NULL);
  e->iv[nest->lane_dim - 1] = row.iv;
  TCC_TRY(emit_lanes(e, nest, tcc_emit_i64(t, 0), width));
  tcc_emit_end_for(t, &row, NULL);
  return NULL;
}

/* A piece of a row, or of all rows that are the same. */
static TccStatus *emit_piece(TccPullEmit *e, const Nest *nest, TccVal tile, TccVal width) {
  TccEmit *t = e->k->e;
  const int before = nest->lane_dim - 1;
  TccVal row = tcc_emit_i64(t, 0), piece = tile, size = tcc_emit_i64(t, nest->piece);
  TccLoop same;
  if (nest->rows != tcc_expr_const(e->k->ir->exprs, 1)) {
    TccVal pieces = tcc_kernel_size(e->k, nest->pieces);
    row = tcc_emit_div(t, tile, pieces), piece = tcc_emit_rem(t, tile, pieces);
  }
  emit_row_indices(e, nest, nest->repeats ? before : nest->lane_dim, row);
  TccVal from = tcc_emit_mul(t, piece, size), to = tcc_emit_min(t, tcc_emit_add(t, from, size), width);
  if (!nest->repeats) return emit_lanes(e, nest, from, to);
  tcc_emit_for(t, &same, tcc_emit_i64(t, 0), tcc_kernel_size(e->k, nest->of.pull.dim[before]), 1, 0, NULL, NULL);
  e->iv[before] = same.iv;
  TCC_TRY(emit_lanes(e, nest, from, to));
  tcc_emit_end_for(t, &same, NULL);
  return NULL;
}

static TccStatus *emit_nest(TccKernelEmit *k, Nest *nest, TccVal scratch, TccVal begin, TccVal end) {
  TccEmit *t = k->e;
  TccPullEmit e;
  tcc_pull_emit_init(&e, k, &nest->of.pull, nest->lanes);
  e.lane_dim = nest->lane_dim;
  e.packs = true;
  TccVal width = tcc_kernel_size(k, nest->of.pull.dim[e.lane_dim]);
  TccLoop tile;
  if (nest->repeats || nest->pieces != tcc_expr_const(k->ir->exprs, 1)) {
    tcc_emit_for(t, &tile, begin, end, 1, 0, NULL, NULL);
    TCC_TRY(emit_piece(&e, nest, tile.iv, width));
    tcc_emit_end_for(t, &tile, NULL);
    return NULL;
  }
  TccVal per = tcc_kernel_size(k, nest->rows_per_tile), rows = tcc_kernel_size(k, nest->rows);
  TccVal first = tcc_emit_mul(t, begin, per), behind = tcc_emit_min(t, tcc_emit_mul(t, end, per), rows);
  if (!is_turned(nest) && (has_short_rows(nest) || divides_by_sizes(nest))) return emit_rows_of_dim(&e, nest, first, behind, width);
  tcc_emit_for(t, &tile, first, behind, 1, 0, NULL, NULL);
  if (nest->transpose.kind != TCC_TRANSPOSE_NONE) {
    const TccMapResult *r = &nest->of.results[0];
    tcc_map_transpose_emit(&e, &nest->transpose, r->root, r->argument, &r->store, tile.iv, scratch);
  } else if (nest->turned.rows) {
    TCC_TRY(emit_turned(&e, nest, tile.iv, width));
  } else {
    emit_row_indices(&e, nest, e.lane_dim, tile.iv);
    TCC_TRY(emit_lanes(&e, nest, tcc_emit_i64(t, 0), width));
  }
  tcc_emit_end_for(t, &tile, NULL);
  return NULL;
}

bool tcc_map_work(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccMapWork *out) {
  int lanes = target->machine.isa & TCC_ISA_AVX512 ? 16 : 8;
  TccMapNest *read;
  size_t count;
  TccStatus *status = tcc_map_nests_read(ir, kernel, &read, &count);
  *out = (TccMapWork){0};
  for (size_t n = 0; n < count && !status; n++) {
    Nest nest = {.of = read[n]};
    TccPull *p = &nest.of.pull;
    need_dim(p);
    if (tcc_map_boxes_read(ir->arena, &read[n], lanes, &(TccMapBoxes){0}) ||
        tcc_map_copies_read(&read[n], lanes, &(TccMapCopies){0}))
      continue;
    nest.transpose = choose_transpose(&nest, lanes, &target->machine);
    choose_lane_dim(&nest, lanes);
    if (is_turned(&nest) || nest.few > 1 || !is_small(&nest) || p->nodes.count <= out->nodes) continue;
    int64_t size, elements = 1;
    for (int d = 0; d < p->ndims; d++) elements = elements < 0 || !tcc_expr_is_const(p->dim[d], &size) ? -1 : elements * size;
    *out = (TccMapWork){elements, p->nodes.count, choose_vectors(&nest)};
  }
  bool failed = status != NULL;
  tcc_status_destroy(status);
  return !failed && out->nodes > 0;
}

/* Of a kernel that is a transpose: the routine that it calls, beside which it does next to nothing. False: it has none. */
static bool prepare_transpose(TccEmit *e, TccIr *ir, const TccTargetInfo *target, const TccMapNest *read, int lanes) {
  Nest nest = {.of = *read};
  need_dim(&nest.of.pull);
  const TccTranspose transpose = choose_transpose(&nest, lanes, &target->machine);
  if (!tcc_map_transpose_shares(&transpose)) return false;
  tcc_map_transpose_routine(e, ir, &transpose);
  return e->optnone = true;
}

/* A kernel that calls one routine, which copies: what is written before it and behind it. */
static void begin_copies(TccKernelEmit *k, TccKernelEntry *entry) {
  k->e->optnone = true;
  tcc_kernel_entry(k, entry);
}

static void end_copies(TccKernelEmit *k, const char *schedule, int64_t tiles, TccKernelCode *out) {
  TccExprPool *pool = k->ir->exprs;
  tcc_emit_return(k->e, 0, NULL);
  tcc_kernel_finish(k, "x86.map", schedule, tcc_expr_const(pool, tiles), tcc_expr_const(pool, 0), out);
}

/* Whether a nest does nothing but copy boxes, or rows: then the whole kernel. */
static bool emit_copies(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, const TccMapNest *nest, int lanes,
                        TccKernelCode *out) {
  TccEmit e;
  TccKernelEmit k;
  TccKernelEntry entry;
  TccMapBoxes boxes;
  TccMapCopies copies;
  if (tcc_map_boxes_read(ir->arena, nest, lanes, &boxes)) {
    tcc_kernel_init(&k, &e, ir, target, kernel);
    tcc_map_boxes_routine(&e, ir, lanes);
    begin_copies(&k, &entry);
    tcc_map_boxes_call(&k, &entry, &boxes);
    end_copies(&k, "boxes", boxes.tiles, out);
    return true;
  }
  if (!tcc_map_copies_read(nest, lanes, &copies)) return false;
  tcc_kernel_init(&k, &e, ir, target, kernel);
  tcc_map_copies_routine(&e, ir, lanes);
  begin_copies(&k, &entry);
  tcc_map_copies_call(&k, &entry, &copies);
  end_copies(&k, "rows", copies.tiles, out);
  return true;
}

TccStatus *tcc_map_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  *out = (TccKernelCode){0};
  int lanes = target->machine.isa & TCC_ISA_AVX512 ? 16 : 8, vectors;
  TccMapNest *read;
  size_t count;
  TCC_TRY(tcc_map_nests_read(ir, kernel, &read, &count));
  TCC_TRY(tcc_map_apply_schedule(kernel, &vectors));
  if (count == 1 && emit_copies(target, ir, kernel, &read[0], lanes, out)) return NULL;
  Nest *nests = TCC_NEW_ARRAY(ir->arena, Nest, count + 1);
  TccEmit e;
  TccKernelEmit k;
  TccKernelEntry entry;
  tcc_kernel_init(&k, &e, ir, target, kernel);
  const bool cold = tcc_has_attribute(kernel, "tcc.cold");
  const bool shared = count == 1 && prepare_transpose(&e, ir, target, &read[0], lanes);
  tcc_kernel_entry(&k, &entry);
  TccStatus *status = NULL;
  const TccExpr *tiles = tcc_expr_const(ir->exprs, 0);
  TccVal first = tcc_emit_i64(&e, 0);
  int64_t room = 0;
  for (size_t n = 0; n < count && !status; n++) { /* tiles of one nest after those of another */
    Nest *nest = &nests[n];
    nest->of = read[n];
    choose_tiles(&k, nest, lanes);
    nest->transpose.shared = shared;
    nest->lanes = nest->turned.rows ? lanes : cold && picks_elements(nest, &e) ? 1 : choose_lanes(nest, lanes, &target->machine);
    nest->streams = streams(nest, &target->machine);
    nest->padded = has_long_rows(nest);
    nest->wide = choose_wide(nest);
    nest->vectors = vectors ? vectors : cold || nest->wide ? 1 : choose_vectors(nest);
    nest->even = is_even(nest), nest->whole = has_whole_blocks(nest);
    vary_sizes(&k, nest);
    int64_t bytes = tcc_map_transpose_scratch(&nest->transpose);
    if (room < bytes) room = bytes;
    tiles = tcc_expr_add(ir->exprs, tiles, nest->tiles);
    if (count == 1) {
      status = emit_nest(&k, nest, entry.scratch, entry.begin, entry.end);
      break;
    }
    TccVal ntiles = tcc_emit_mul(&e, tcc_kernel_size(&k, nest->groups), tcc_kernel_size(&k, nest->pieces)),
           zero = tcc_emit_i64(&e, 0);
    TccVal begin = tcc_emit_max(&e, tcc_emit_sub(&e, entry.begin, first), zero),
           end = tcc_emit_min(&e, tcc_emit_sub(&e, entry.end, first), ntiles);
    status = emit_nest(&k, nest, entry.scratch, begin, end);
    first = tcc_emit_add(&e, first, ntiles);
  }
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_return(&e, 0, NULL);
  tcc_kernel_tell(&k, 0);
  tcc_kernel_finish(&k, "x86.map", tcc_arena_printf(ir->arena, "lanes = %d, vectors = %d", lanes, count ? nests[0].vectors : 1),
                    tiles, tcc_expr_const(ir->exprs, room), out);
  return NULL;
}
