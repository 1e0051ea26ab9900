/* map.c - kernels of elementwise ops, views, gathers, pads and concatenations: one loop nest per result.
 *
 * The nest runs over the result's axes, joined where all addresses allow it (a plain elementwise kernel is one flat loop),
 * split where a reshape inside needs it. The last dim is the lane dim: stores are contiguous. A tile is a number of rows
 * (all dims but the last), or a piece of the last dim where that alone is large; about TILE elements, so that two threads
 * balance and a tile's operands stay in the first cache. A transpose (a copy whose neighbours in memory run along the last
 * dim but one) goes by blocks: map_transpose.c. Rows of a few vectors (channels in blocks) have a loop of their own over the dim
 * before the last: taking a row's number apart costs more than a row. */
#include "lib/targets/x86/map/map.h"
#include "lib/targets/x86/map/map_schedule.h"
#include "lib/targets/x86/map/map_transpose.h"

enum {
  TILE = 8192,
  SMALL_BODY = 48,
  BRIEF_BODY = 6,
  BRIEF_VECTORS = 4,
  WIDE = 1024,
  SHORT_ROW = 4 /* vectors */,
  PREFETCH = 4096 /* bytes */
};

typedef struct {
  TccPull pull;
  TccPullNode *root;
  TccPullIndex store; /* flat index of the result */
  TccElem elem;
  int argument;          /* of the result */
  const TccExpr *rows;   /* product of all dims but the last */
  int64_t rows_per_tile; /* or a piece of a row per tile: */
  const TccExpr *pieces; /* pieces of a row */
  const TccExpr *tiles;
  TccTranspose transpose; /* a transpose: rows counts its blocks */
  int lanes, vectors;     /* of a block; blocks side by side in an iteration of the loop */
  bool streams;           /* what it reads and writes is prefetched */
} Nest;

/* A copy of narrow elements fills its registers too. */
static int choose_lanes(const Nest *nest, int lanes) {
  const TccPullNode *root = nest->root;
  unsigned bits = tcc_elem_bits(nest->elem);
  return root->kind == TCC_PULL_LOAD && root->argument >= 0 && !root->index.nterms && root->elem == nest->elem && bits >= 8 &&
                 bits < 32
             ? lanes * 32 / (int)bits
             : lanes;
}

static int64_t second_cache(const TccMachine *machine) { return machine->l2_bytes ? machine->l2_bytes : 1 << 20; }

/* A scalar is a row of one element. */
static void need_dim(TccPull *p) {
  if (p->ndims == 0) p->dim[p->ndims++] = tcc_expr_const(p->ir->exprs, 1);
}

static void choose_tiles(TccKernelEmit *k, Nest *nest, int lanes) {
  TccIr *ir = k->ir;
  TccPull *p = &nest->pull;
  need_dim(p);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *inner = p->dim[p->ndims - 1];
  nest->rows = one, nest->pieces = one;
  for (int d = 0; d + 1 < p->ndims; d++) nest->rows = tcc_expr_mul(ir->exprs, nest->rows, p->dim[d]);
  int64_t width;
  bool fixed = tcc_expr_is_const(inner, &width);
  nest->transpose = tcc_map_transpose_choose(p, nest->root, &nest->store, nest->elem, lanes, second_cache(k->machine));
  if (nest->transpose.kind != TCC_TRANSPOSE_NONE) {
    int64_t height;
    bool small = fixed && tcc_expr_is_const(p->dim[p->ndims - 2], &height) && width * height > 0 && width * height < TILE;
    nest->rows = tcc_map_transpose_blocks(p, &nest->transpose);
    nest->rows_per_tile = small ? TILE / (width * height) : 1;
  } else if (nest->rows == one || (fixed && width > 2 * TILE)) { /* pieces of rows */
    nest->rows_per_tile = 1;
    nest->pieces = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, inner, tcc_expr_const(ir->exprs, TILE));
  } else {
    nest->rows_per_tile = fixed ? (width > 0 ? (TILE + width - 1) / width : 1) : 16;
  }
  const TccExpr *groups = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, nest->rows, tcc_expr_const(ir->exprs, nest->rows_per_tile));
  nest->tiles = tcc_kernel_slot(k, tcc_expr_mul(ir->exprs, groups, nest->pieces));
}

static bool is_small(const Nest *nest) { return nest->pull.nodes.count <= SMALL_BODY; }

/* More than one vector only where it was seen to gain in loops of a size that matters (docs/notes/2026-11-tuning.md). */
static int choose_vectors(const Nest *nest) {
  int64_t width;
  bool fixed = tcc_expr_is_const(nest->pull.dim[nest->pull.ndims - 1], &width);
  return is_small(nest) && nest->pull.nodes.count <= BRIEF_BODY && (!fixed || width >= WIDE) ? BRIEF_VECTORS : 1;
}

/* ---- memory ahead ---- */

static bool is_row_major(const TccPull *p, const TccPullIndex *index) {
  int last = p->ndims - 1;
  return !index->nterms && index->coef[last] == tcc_expr_const(p->ir->exprs, 1) &&
         (last == 0 || index->coef[last - 1] == p->dim[last]);
}

/* Whether what is read and written side by side is more than the second cache holds, for likely sizes. */
static bool streams(const Nest *nest, const TccMachine *machine) {
  const TccPull *p = &nest->pull;
  double size = 1, bits = tcc_elem_bits(nest->elem);
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
  for (size_t n = 0; n < nest->pull.nodes.count; n++) {
    const TccPullNode *node = nest->pull.nodes.data[n];
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0 && is_row_major(&nest->pull, &node->index))
      prefetch_lines(e, node->argument, node->elem, &node->index, number, false);
  }
  if (is_row_major(&nest->pull, &nest->store)) prefetch_lines(e, nest->argument, nest->elem, &nest->store, number, true);
}

/* ---- loops ---- */

/* One block of lanes at e->iv of the last dim. */
static TccStatus *emit_block(TccPullEmit *e, const Nest *nest) {
  TccVal value;
  tcc_pull_emit_reset(e);
  TCC_TRY(tcc_pull_emit_node(e, nest->root, &value));
  return tcc_pull_emit_store(e, nest->argument, nest->elem, &nest->store, value);
}

/* From `from` on whole groups of so many blocks; returns where they end. */
static TccStatus *emit_groups(TccPullEmit *e, const Nest *nest, TccVal from, TccVal to, int blocks, TccVal *out_end) {
  TccEmit *t = e->k->e;
  int last = nest->pull.ndims - 1;
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
    TCC_TRY(emit_block(e, nest));
  }
  if (!single) tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

/* [from, to) of the last dim: whole blocks, then a masked one; a large body is emitted once, always masked. */
static TccStatus *emit_lanes(TccPullEmit *e, const Nest *nest, TccVal from, TccVal to) {
  TccEmit *t = e->k->e;
  int last = nest->pull.ndims - 1;
  TccLoop loop;
  TccVal whole = to;
  bool small = is_small(nest);
  const TccPullNode *root = nest->root;
  TCC_TRY(tcc_pull_emit_shared(e, &root, 1, TCC_NEW_ARRAY(nest->pull.arena, unsigned char, nest->pull.nodes.count + 1)));
  if (small) {
    if (nest->vectors > 1) TCC_TRY(emit_groups(e, nest, from, to, nest->vectors, &from));
    TCC_TRY(emit_groups(e, nest, from, to, 1, &whole));
    int64_t first, end;
    if (tcc_emit_known(t, whole, &first) && tcc_emit_known(t, to, &end) && first == end) return NULL; /* no rest */
  }
  tcc_emit_for(t, &loop, small ? whole : from, to, e->lanes, 0, NULL, NULL); /* at most once where small */
  e->iv[last] = loop.iv;
  e->mask = tcc_emit_mask(t, tcc_emit_sub(t, to, loop.iv), e->lanes);
  TCC_TRY(emit_block(e, nest));
  tcc_emit_end_for(t, &loop, NULL);
  e->mask = 0;
  return NULL;
}

/* The indices of the first `dims` dims from the number of a row of them. */
static void emit_row_indices(TccPullEmit *e, const Nest *nest, int dims, TccVal row) {
  TccEmit *t = e->k->e;
  for (int d = dims; d-- > 0;) {
    TccVal size = tcc_kernel_size(e->k, nest->pull.dim[d]);
    e->iv[d] = d ? tcc_emit_rem(t, row, size) : row;
    row = d ? tcc_emit_div(t, row, size) : row;
  }
}

static bool has_short_rows(const Nest *nest) {
  int64_t width;
  int ndims = nest->pull.ndims;
  return ndims > 2 && tcc_expr_is_const(nest->pull.dim[ndims - 1], &width) && width <= SHORT_ROW * nest->lanes;
}

/* Rows [from, to), by the dim before the last. */
static TccStatus *emit_short_rows(TccPullEmit *e, const Nest *nest, TccVal from, TccVal to, TccVal width) {
  TccEmit *t = e->k->e;
  int middle = nest->pull.ndims - 2;
  TccVal zero = tcc_emit_i64(t, 0), one = tcc_emit_i64(t, 1), size = tcc_kernel_size(e->k, nest->pull.dim[middle]),
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

static TccStatus *emit_nest(TccKernelEmit *k, Nest *nest, TccVal scratch, TccVal begin, TccVal end) {
  TccEmit *t = k->e;
  TccPullEmit e;
  tcc_pull_emit_init(&e, k, &nest->pull, nest->lanes);
  e.lane_dim = nest->pull.ndims - 1;
  TccVal width = tcc_kernel_size(k, nest->pull.dim[e.lane_dim]), pieces = tcc_kernel_size(k, nest->pieces);
  TccLoop tile;
  if (nest->pieces != tcc_expr_const(k->ir->exprs, 1)) {
    tcc_emit_for(t, &tile, begin, end, 1, 0, NULL, NULL);
    TccVal row = tcc_emit_div(t, tile.iv, pieces), piece = tcc_emit_rem(t, tile.iv, pieces);
    if (nest->rows == tcc_expr_const(k->ir->exprs, 1)) row = tcc_emit_i64(t, 0), piece = tile.iv;
    emit_row_indices(&e, nest, e.lane_dim, row);
    TccVal from = tcc_emit_mul(t, piece, tcc_emit_i64(t, TILE)),
           to = tcc_emit_min(t, tcc_emit_add(t, from, tcc_emit_i64(t, TILE)), width);
    TCC_TRY(emit_lanes(&e, nest, from, to));
    tcc_emit_end_for(t, &tile, NULL);
    return NULL;
  }
  TccVal per = tcc_emit_i64(t, nest->rows_per_tile), rows = tcc_kernel_size(k, nest->rows);
  TccVal first = tcc_emit_mul(t, begin, per), behind = tcc_emit_min(t, tcc_emit_mul(t, end, per), rows);
  if (nest->transpose.kind == TCC_TRANSPOSE_NONE && has_short_rows(nest)) return emit_short_rows(&e, nest, first, behind, width);
  tcc_emit_for(t, &tile, first, behind, 1, 0, NULL, NULL);
  if (nest->transpose.kind != TCC_TRANSPOSE_NONE) {
    tcc_map_transpose_emit(&e, &nest->transpose, nest->root, nest->argument, &nest->store, tile.iv, scratch);
  } else {
    emit_row_indices(&e, nest, e.lane_dim, tile.iv);
    TCC_TRY(emit_lanes(&e, nest, tcc_emit_i64(t, 0), width));
  }
  tcc_emit_end_for(t, &tile, NULL);
  return NULL;
}

bool tcc_map_work(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccMapWork *out) {
  MlirOperation ret = mlirBlockGetTerminator(tcc_func_body(kernel));
  int lanes = target->machine.isa & TCC_ISA_AVX512 ? 16 : 8;
  *out = (TccMapWork){0};
  for (intptr_t r = 0; r < mlirOperationGetNumOperands(ret); r++) {
    MlirValue result = mlirOperationGetOperand(ret, r);
    Nest nest = {.elem = tcc_type_elem(tcc_value_type(result))};
    nest.root = tcc_pull_result(&nest.pull, ir, kernel, result, &nest.store);
    tcc_status_destroy(nest.pull.status);
    if (!nest.root) return false;
    TccPullIndex *store = &nest.store;
    tcc_pull_join_dims(&nest.pull, &store, 1);
    need_dim(&nest.pull);
    TccTranspose transpose =
        tcc_map_transpose_choose(&nest.pull, nest.root, &nest.store, nest.elem, lanes, second_cache(&target->machine));
    if (transpose.kind != TCC_TRANSPOSE_NONE || !is_small(&nest) || nest.pull.nodes.count <= out->nodes) continue;
    int64_t size, elements = 1;
    for (int d = 0; d < nest.pull.ndims; d++)
      elements = elements < 0 || !tcc_expr_is_const(nest.pull.dim[d], &size) ? -1 : elements * size;
    *out = (TccMapWork){elements, nest.pull.nodes.count, choose_vectors(&nest)};
  }
  return out->nodes > 0;
}

TccStatus *tcc_map_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  *out = (TccKernelCode){0};
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation ret = mlirBlockGetTerminator(block);
  intptr_t nresults = mlirOperationGetNumOperands(ret);
  int arguments = (int)mlirBlockGetNumArguments(block), lanes = target->machine.isa & TCC_ISA_AVX512 ? 16 : 8;
  Nest *nests = TCC_NEW_ARRAY(ir->arena, Nest, nresults + 1);
  for (intptr_t r = 0; r < nresults; r++) {
    MlirValue result = mlirOperationGetOperand(ret, r);
    nests[r].elem = tcc_type_elem(tcc_value_type(result));
    nests[r].argument = arguments + (int)r;
    nests[r].root = tcc_pull_result(&nests[r].pull, ir, kernel, result, &nests[r].store);
    if (!nests[r].root) return nests[r].pull.status;
    TccPullIndex *store = &nests[r].store;
    tcc_pull_join_dims(&nests[r].pull, &store, 1);
  }
  TccEmit e;
  TccKernelEmit k;
  TccKernelEntry entry;
  tcc_kernel_init(&k, &e, ir, target, kernel);
  tcc_kernel_entry(&k, &entry);
  TccStatus *status = NULL;
  const TccExpr *tiles = tcc_expr_const(ir->exprs, 0);
  TccVal first = tcc_emit_i64(&e, 0);
  int64_t room = 0;
  int vectors;
  status = tcc_map_apply_schedule(kernel, &vectors);
  for (intptr_t r = 0; r < nresults && !status; r++) { /* tiles of one result after those of another */
    choose_tiles(&k, &nests[r], lanes);
    nests[r].lanes = choose_lanes(&nests[r], lanes);
    nests[r].streams = streams(&nests[r], &target->machine);
    nests[r].vectors = vectors ? vectors : choose_vectors(&nests[r]);
    int64_t bytes = tcc_map_transpose_scratch(&nests[r].transpose);
    if (room < bytes) room = bytes;
    tiles = tcc_expr_add(ir->exprs, tiles, nests[r].tiles);
    if (nresults == 1) {
      status = emit_nest(&k, &nests[r], entry.scratch, entry.begin, entry.end);
      break;
    }
    TccVal groups = tcc_emit_ceil_div(&e, tcc_kernel_size(&k, nests[r].rows), nests[r].rows_per_tile);
    TccVal count = tcc_emit_mul(&e, groups, tcc_kernel_size(&k, nests[r].pieces)), zero = tcc_emit_i64(&e, 0);
    TccVal begin = tcc_emit_max(&e, tcc_emit_sub(&e, entry.begin, first), zero),
           end = tcc_emit_min(&e, tcc_emit_sub(&e, entry.end, first), count);
    status = emit_nest(&k, &nests[r], entry.scratch, begin, end);
    first = tcc_emit_add(&e, first, count);
  }
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_return(&e, 0, NULL);
  tcc_kernel_finish(&k, "x86.map", tcc_arena_printf(ir->arena, "lanes = %d, vectors = %d", lanes, nresults ? nests[0].vectors : 1),
                    tiles, tcc_expr_const(ir->exprs, room), out);
  return NULL;
}
