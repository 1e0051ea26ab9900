/* map.c - elementwise ops, views, gathers, pads: for the results of each shape a thread has one element, or those of 16 bytes that lie side by
 * side where all that is read for them does, too. Of results of less than a byte it has whole bytes. Transposes go through tiles (map_tiles.h); several
 * tensors alike are members of one launch (map_members.h). */
#include "lib/codegen/read/map_nests.h"
#include "lib/targets/nvptx/map_members.h"
#include "lib/targets/nvptx/map_tiles.h"
#include "lib/targets/nvptx/operand.h"

enum { THREADS = 256, MOST_NODES = 256 /* that there is code for, of a run */ };
enum { PLACES = 4 /* of a thread where results have less than a byte: 2 bits at least */, MOST_PACKED = 8 };

typedef struct {
  NvptxKernel *n;
  TccMapNest *of;
  int run;                 /* elements of a thread */
  const TccExpr *elements; /* of a result */
} Nest;

/* Elements of a thread, along the last dim: 16 bytes of the widest that lie side by side, so that no access skips what a neighbour has. */
static int run_of(const Nest *nest) {
  const TccPull *p = &nest->of->pull;
  int run = NVPTX_MOST_RUN;
  for (size_t i = 0; i < nest->of->count; i++) run = nvptx_run_within(nest->of->results[i].elem, run);
  for (size_t i = 0; i < p->nodes.count && p->ndims; i++) {
    const TccPullNode *node = p->nodes.data[i];
    if (node->kind == TCC_PULL_LOAD && node->index.coef[p->ndims - 1]) run = nvptx_run_within(node->elem, run);
  }
  while (run > 1 && ((size_t)run * p->nodes.count > MOST_NODES || !p->ndims)) run /= 2;
  for (size_t i = 0; i < nest->of->count; i++)
    while (run > 1 && !tcc_pull_has_runs(p, &nest->of->results[i].store, p->ndims - 1, run, false)) run /= 2;
  return run > 1 ? run : 1;
}

/* All is read before any is stored: a result may lie where an operand does. */
static TccStatus *emit_run(Nest *nest, TccPullEmit *e) {
  TccEmit *t = &nest->n->e;
  int last = nest->of->pull.ndims - 1;
  TccVal first = 0, *values = TCC_NEW_ARRAY(nest->of->pull.arena, TccVal, nest->of->count * NVPTX_MOST_RUN);
  if (nest->run > 1) first = e->iv[last] = tcc_emit_mul(t, e->iv[last], tcc_emit_i64(t, nest->run));
  e->run_dim = last;
  for (int i = 0; i < nest->run; i++) {
    if (i) e->iv[last] = tcc_emit_add(t, first, tcc_emit_i64(t, i)), tcc_pull_emit_reset(e);
    e->run = i || nest->run == 1 ? 0 : nest->run;
    for (size_t r = 0; r < nest->of->count; r++)
      TCC_TRY(tcc_pull_emit_node(e, nest->of->results[r].root, &values[r * NVPTX_MOST_RUN + (size_t)i]));
  }
  for (size_t r = 0; r < nest->of->count; r++)
    for (int i = 0; i < nest->run; i++) {
      const TccMapResult *result = &nest->of->results[r];
      if (nest->run > 1) e->iv[last] = tcc_emit_add(t, first, tcc_emit_i64(t, i));
      e->run = i || nest->run == 1 ? 0 : nest->run;
      TCC_TRY(tcc_pull_emit_store(e, result->argument, result->elem, &result->store, values[r * NVPTX_MOST_RUN + (size_t)i]));
    }
  return NULL;
}

/* ---- results of less than a byte ---- */

static bool is_packed(const TccMapResult *r) { return tcc_elem_bits(r->elem) < 8; }

static bool has_packed(const TccMapNest *nest) {
  for (size_t i = 0; i < nest->count; i++)
    if (is_packed(&nest->results[i])) return true;
  return false;
}

/* Whether its places in memory follow each other as those of the nest do. */
static bool is_in_order(const TccPull *p, const TccPullIndex *store) {
  TccExprPool *exprs = p->ir->exprs;
  const TccExpr *one = tcc_expr_const(exprs, 1), *next = one;
  if (store->nterms || store->offset != tcc_expr_const(exprs, 0)) return false;
  for (int d = p->ndims; d-- > 0; next = tcc_expr_mul(exprs, next, p->dim[d]))
    if (p->dim[d] != one && store->coef[d] != next) return false;
  return true;
}

/* Place number `position` of the nest, if there is one: packed results to `out`, the others into memory. */
static TccStatus *emit_place(Nest *nest, TccPullEmit *e, TccVal position, TccVal *out) {
  TccEmit *t = &nest->n->e;
  const TccMapNest *of = nest->of;
  TccIf inside;
  TccVal values[MOST_PACKED], made[MOST_PACKED], zeros[MOST_PACKED];
  const char *types[MOST_PACKED];
  int npacked = 0;
  for (size_t r = 0; r < of->count; r++)
    if (is_packed(&of->results[r])) zeros[npacked] = tcc_emit_zero(t, "i8"), types[npacked++] = "i8";
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", position, tcc_kernel_size(&nest->n->k, nest->elements)), npacked, types);
  nvptx_take_apart(&nest->n->k, of->pull.dim, of->pull.ndims, position, e->iv);
  tcc_pull_emit_reset(e);
  npacked = 0;
  for (size_t r = 0; r < of->count; r++) {
    TCC_TRY(tcc_pull_emit_node(e, of->results[r].root, &values[r]));
    if (is_packed(&of->results[r])) made[npacked++] = values[r];
  }
  for (size_t r = 0; r < of->count; r++)
    if (!is_packed(&of->results[r]))
      TCC_TRY(tcc_pull_emit_store(e, of->results[r].argument, of->results[r].elem, &of->results[r].store, values[r]));
  tcc_emit_else(t, &inside, made);
  tcc_emit_end_if(t, &inside, zeros);
  memcpy(out, inside.out, (size_t)npacked * sizeof *out);
  return NULL;
}

/* The bytes of a thread's places, the first in the low bits. */
static void store_bytes(Nest *nest, const TccMapResult *r, TccVal thread, const TccVal *values) {
  TccEmit *t = &nest->n->e;
  const int bits = (int)tcc_elem_bits(r->elem), each = 8 / bits;
  for (int first = 0; first < PLACES; first += each) {
    TccVal position = tcc_emit_add(t, tcc_emit_mul(t, thread, tcc_emit_i64(t, PLACES)), tcc_emit_i64(t, first)), byte = 0;
    for (int i = 0; i < each; i++) {
      TccVal own = tcc_emit_bin(t, "and", "i8", values[first + i], tcc_emit_int(t, "i8", (1 << bits) - 1));
      own = tcc_emit_bin(t, "shl", "i8", own, tcc_emit_int(t, "i8", i * bits));
      byte = i ? tcc_emit_bin(t, "or", "i8", byte, own) : own;
    }
    TccIf inside;
    tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", position, tcc_kernel_size(&nest->n->k, nest->elements)), 0, NULL);
    TccVal at = tcc_emit_div(t, position, tcc_emit_i64(t, each));
    tcc_emit_store(t, "i8", byte, tcc_emit_gep(t, "i8", tcc_kernel_argument(&nest->n->k, r->argument), at));
    tcc_emit_end_if(t, &inside, NULL);
  }
}

static TccStatus *emit_packed(Nest *nest, TccPullEmit *e, TccVal thread) {
  TccEmit *t = &nest->n->e;
  const TccMapNest *of = nest->of;
  TccVal values[PLACES][MOST_PACKED], own[PLACES];
  if (of->count > MOST_PACKED)
    return TCC_ERROR(TCC_UNSUPPORTED, "more than %d results of which some have less than a byte", MOST_PACKED);
  for (size_t r = 0; r < of->count; r++)
    if (is_packed(&of->results[r]) && !is_in_order(&of->pull, &of->results[r].store))
      return TCC_ERROR(TCC_UNSUPPORTED, "a result of element type %s out of the order of its elements",
                       tcc_elem_name(of->results[r].elem));
  for (int i = 0; i < PLACES; i++) {
    TccVal position = tcc_emit_add(t, tcc_emit_mul(t, thread, tcc_emit_i64(t, PLACES)), tcc_emit_i64(t, i));
    TCC_TRY(emit_place(nest, e, position, values[i]));
  }
  for (size_t r = 0, number = 0; r < of->count; r++) {
    if (!is_packed(&of->results[r])) continue;
    for (int i = 0; i < PLACES; i++) own[i] = values[i][number];
    store_bytes(nest, &of->results[r], thread, own);
    number++;
  }
  return NULL;
}

/* threads: that there are for it. */
static TccStatus *emit_nest(Nest *nest, TccVal thread, TccVal threads) {
  TccEmit *t = &nest->n->e;
  TccExprPool *exprs = nest->n->k.ir->exprs;
  const TccExpr *sizes[TCC_PULL_DIMS];
  TccPullEmit e;
  TccIf inside;
  tcc_pull_emit_init(&e, &nest->n->k, &nest->of->pull, 1);
  for (int d = 0; d < nest->of->pull.ndims; d++) sizes[d] = nest->of->pull.dim[d];
  if (nest->run > 1) {
    int last = nest->of->pull.ndims - 1;
    sizes[last] = tcc_expr_call(exprs, TCC_EXPR_FLOORDIV, sizes[last], tcc_expr_const(exprs, nest->run));
  }
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, threads), 0, NULL);
  TccStatus *status;
  if (has_packed(nest->of)) {
    status = emit_packed(nest, &e, thread);
  } else {
    nvptx_take_apart(&nest->n->k, sizes, nest->of->pull.ndims, thread, e.iv);
    status = emit_run(nest, &e);
  }
  tcc_emit_end_if(t, &inside, NULL);
  return status;
}

static TccStatus *emit_tile(NvptxKernel *n, const TccMapNest *nest, const NvptxMapTile *tile, TccKernelCode *out) {
  const TccExpr *blocks;
  uint32_t shared;
  TccStatus *status = nvptx_map_tile(n, nest, tile, &blocks, &shared);
  const char *schedule = tcc_arena_printf(n->k.ir->arena, "tiles of %dx%d", tile->side[0], tile->side[1]);
  if (!status) return nvptx_close(n, "nvptx.map", schedule, blocks, NVPTX_MAP_TILE_THREADS, shared, out);
  nvptx_abandon(n);
  return status;
}

/* ---- members ---- */

/* Where each member's blocks are, of so many elements a thread. TCC_UNSUPPORTED: a member has a size that is not known. */
static TccStatus *place_members(TccIr *ir, MlirOperation kernel, const TccMembers *members, int *run, NvptxMemberSize *size,
                                int64_t *out_blocks) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  for (int m = 0; m < members->count; m++) {
    MlirType type = tcc_value_type(mlirOperationGetOperand(end, (intptr_t)m * members->each));
    if (!tcc_expr_is_const(tcc_type_count(ir, type), &size[m].threads))
      return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d members, of which number %d has a size that is not known", members->count,
                       m);
    while (size[m].threads % *run) *run /= 2;
  }
  *out_blocks = 0;
  for (int m = 0; m < members->count; m++) {
    size[m].threads /= *run, size[m].first_block = *out_blocks;
    *out_blocks += tcc_ceil_div(size[m].threads, THREADS);
  }
  return NULL;
}

static TccStatus *emit_members(NvptxKernel *n, MlirOperation kernel, TccMapNest *of, const TccMembers *members, int *out_run,
                               int64_t *out_blocks) {
  TccIr *ir = n->k.ir;
  NvptxMemberSize *size = TCC_NEW_ARRAY(ir->arena, NvptxMemberSize, members->count);
  Nest nest = {.n = n, .of = of};
  TccVal thread, threads;
  nest.run = run_of(&nest);
  TCC_TRY(place_members(ir, kernel, members, &nest.run, size, out_blocks));
  *out_run = nest.run;
  TCC_TRY(nvptx_map_choose_member(n, members, size, THREADS, &thread, &threads));
  return emit_nest(&nest, thread, threads);
}

/* Whether members are rows of any length, or all of one element: code for one element has no index. */
static bool are_rows(TccIr *ir, MlirOperation kernel, const TccMembers *members) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  bool single = tcc_type_count(ir, tcc_value_type(mlirOperationGetOperand(end, 0))) == one, ok = true;
  for (int m = 1; m < members->count && single; m++)
    ok = ok && tcc_type_count(ir, tcc_value_type(mlirOperationGetOperand(end, (intptr_t)m * members->each))) == one;
  return ok;
}

/* A kernel of several members, each a row of elements. */
static TccStatus *map_members(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccMembers members;
  TccMapNest *nests;
  size_t count;
  NvptxKernel n;
  int run = 1;
  int64_t blocks = 0;
  TCC_TRY(tcc_members_read_marked(ir, kernel, &members));
  TCC_TRY(tcc_map_nests_read_first(ir, kernel, members.each, &nests, &count));
  if (count != 1 || nests[0].pull.ndims > 1 || has_packed(&nests[0]) || !are_rows(ir, kernel, &members))
    return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d members that are no rows of elements, one behind the other", members.count);
  nvptx_open(&n, ir, target, kernel);
  TccStatus *status = emit_members(&n, kernel, &nests[0], &members, &run, &blocks);
  if (status) {
    nvptx_abandon(&n);
    return status;
  }
  const char *schedule = tcc_arena_printf(ir->arena, "members = %d, elements of a thread = %d", members.count, run);
  return nvptx_close(&n, "nvptx.map", schedule, tcc_expr_const(ir->exprs, blocks), THREADS, 0, out);
}

TccStatus *nvptx_map(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  if (tcc_members_marked(ir, kernel)) return map_members(target, ir, kernel, out);
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  TccMapNest *nests;
  size_t count;
  TCC_TRY(tcc_map_nests_read(ir, kernel, &nests, &count));
  NvptxKernel n;
  nvptx_open(&n, ir, target, kernel);
  NvptxMapTile tile;
  if (count == 1 && nvptx_map_is_turned(&nests[0], &tile)) return emit_tile(&n, &nests[0], &tile, out);
  TccVal thread = nvptx_global_thread(&n, THREADS);
  const TccExpr *most = tcc_expr_const(ir->exprs, 1);
  TccStatus *status = NULL;
  int widest = 1;
  for (size_t i = 0; i < count && !status; i++) {
    Nest nest = {.n = &n, .of = &nests[i]};
    nest.run = run_of(&nest);
    MlirValue result = mlirOperationGetOperand(end, nests[i].results[0].argument - mlirBlockGetNumArguments(block));
    nest.elements = tcc_type_count(ir, tcc_value_type(result));
    int places = has_packed(nest.of) ? PLACES : nest.run;
    const TccExpr *threads = places > 1 ? nvptx_blocks(ir, nest.elements, places) : nest.elements;
    most = most == tcc_expr_const(ir->exprs, 1) ? threads : tcc_expr_call(ir->exprs, TCC_EXPR_MAX, most, threads);
    if (places > widest) widest = places;
    status = emit_nest(&nest, thread, tcc_kernel_size(&n.k, threads));
  }
  if (status) {
    nvptx_abandon(&n);
    return status;
  }
  const char *schedule = widest > 1 ? tcc_arena_printf(ir->arena, "elements of a thread = %d", widest) : "";
  return nvptx_close(&n, "nvptx.map", schedule, nvptx_blocks(ir, most, THREADS), THREADS, 0, out);
}
