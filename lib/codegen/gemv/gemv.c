/* gemv.c - reads a contraction of few rows, plans its tiles, writes its entry. See gemv.h. */
#include "lib/codegen/contract/contract_pack.h"
#include "lib/codegen/gemv/gemv_internal.h"
#include "lib/codegen/gemv/gemv_schedule.h"
#include "tcc/abi.h"
#include <stddef.h>

enum { A = TCC_GEMV_A, R = TCC_GEMV_R, LEAST_DEPTH = 64, LEAST_BLOCK = 8, SUMS_BYTES = 32 << 10, SMALL_WORK = 1 << 15, CUT_BYTES = 1 << 20 /* of a tile: short ones cost more than they gain */, TILES_PER_CORE = 4, MOST_CORES = 4 };

/* ---- reading ---- */

static bool contains(const int64_t *axes, size_t n, int64_t axis) {
  for (size_t i = 0; i < n; i++)
    if (axes[i] == axis) return true;
  return false;
}

static bool is_number(const TccExpr *e, int64_t value) {
  int64_t known;
  return e && tcc_expr_is_const(e, &known) && known == value;
}

static MlirOperation find_dot(TccIr *ir, MlirOperation kernel) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == TCC_OP_DOT_GENERAL) return op;
  return (MlirOperation){NULL};
}

bool tcc_gemv_streams(const TccGemv *g, const TccPullNode *node) {
  return node->kind == TCC_PULL_LOAD && node->index.coef[g->column_dim] && node->index.coef[g->depth_dim];
}

/* The right operand as a function of its axes, the dims joined into one for the columns and one or two for the depth. */
static bool pull_weight(TccGemv *g, const int64_t *rb, size_t nb, const int64_t *rc, size_t nc) {
  MlirValue y = mlirOperationGetOperand(g->dot, 1);
  MlirType type = tcc_value_type(y);
  TccPull *p = &g->pull;
  TccPullIndex index[TCC_MAX_RANK], n_at;
  TccPullDims dims;
  int rank = tcc_type_rank(type);
  tcc_pull_dims_of(g->ir, type, &dims);
  for (;;) {
    tcc_pull_init(p, g->ir, g->kernel);
    tcc_pull_use_dims(p, &dims, rank, index);
    g->weight = tcc_pull_value(p, y, index);
    if (p->status) tcc_status_destroy(p->status);
    if (p->status) return false;
    if (g->weight) break;
    tcc_pull_dims_split(&dims, p);
  }
  n_at = g->k_at = tcc_pull_constant(p, tcc_expr_const(g->ir->exprs, 0));
  for (size_t i = 0; i < nc; i++) {
    g->k_at = tcc_pull_scale(p, &g->k_at, tcc_type_dim(g->ir, type, (int)rc[i]));
    g->k_at = tcc_pull_add(p, &g->k_at, &index[rc[i]]);
  }
  for (int i = 0; i < rank; i++) {
    if (contains(rc, nc, i) || contains(rb, nb, i)) continue;
    n_at = tcc_pull_scale(p, &n_at, tcc_type_dim(g->ir, type, i));
    n_at = tcc_pull_add(p, &n_at, &index[i]);
  }
  TccPullIndex *stores[] = {&n_at, &g->k_at};
  tcc_pull_join_dims(p, stores, 2);

  g->column_dim = g->depth_dim = g->block_dim = -1;
  for (int d = 0; d < p->ndims; d++) {
    if (n_at.coef[d]) {
      if (g->column_dim >= 0) return false;
      g->column_dim = d;
    } else if (g->k_at.coef[d]) {
      bool inner = is_number(g->k_at.coef[d], 1);
      int *slot = inner ? &g->depth_dim : &g->block_dim;
      if (*slot >= 0) return false;
      *slot = d;
    }
  }
  return g->column_dim >= 0 && g->depth_dim >= 0;
}

static bool varies_with_depth(const TccGemv *g, const TccPullNode *node) {
  if (node->kind == TCC_PULL_LOAD && (node->index.coef[g->depth_dim] || (g->block_dim >= 0 && node->index.coef[g->block_dim]))) return true;
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i] && varies_with_depth(g, node->child[i])) return true;
  return false;
}

/* sum over k of x[k] * (w[k][n] * s[n]) = s[n] * sum over k of x[k] * w[k][n] */
static void take_factor(TccGemv *g) {
  TccPullNode *w = g->weight;
  if (w->kind != TCC_PULL_OP || mlirOperationIsNull(w->op) || tcc_op_kind(g->ir, w->op) != TCC_OP_MUL || w->elem != TCC_ELEM_F32) return;
  for (int i = 0; i < 2; i++) {
    if (varies_with_depth(g, w->child[i])) continue;
    g->factor = w->child[i];
    g->weight = w->child[1 - i];
    return;
  }
}

static bool varies_in_block(const TccGemv *g, const TccPullNode *node) {
  if (node->kind == TCC_PULL_LOAD && node->index.coef[g->depth_dim]) return true;
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i] && varies_in_block(g, node->child[i])) return true;
  return false;
}

/* The same for each block by itself. */
static void take_block_factor(TccGemv *g) {
  TccPullNode *w = g->weight;
  int64_t size;
  if (g->block_dim < 0 || g->along_depth || !tcc_expr_is_const(g->pull.dim[g->depth_dim], &size) || size < LEAST_BLOCK) return;
  if (w->kind != TCC_PULL_OP || mlirOperationIsNull(w->op) || tcc_op_kind(g->ir, w->op) != TCC_OP_MUL || w->elem != TCC_ELEM_F32) return;
  for (int i = 0; i < 2; i++) {
    if (varies_in_block(g, w->child[i]) || !varies_in_block(g, w->child[1 - i])) continue;
    g->block_factor = w->child[i];
    g->weight = w->child[1 - i];
    return;
  }
}

/* What the lanes run along: every stream must be contiguous there. */
static bool choose_direction(const TccMachine *machine, TccGemv *g) {
  bool columns = true, depth = true, found = false;
  for (size_t i = 0; i < g->pull.nodes.count; i++) {
    const TccPullNode *node = g->pull.nodes.data[i];
    if (node->kind != TCC_PULL_LOAD && node->kind != TCC_PULL_OP) return false;
    if (node->kind == TCC_PULL_LOAD && node->index.nterms) return false;
    for (int d = 0; d < g->pull.ndims; d++)
      if (node->index.coef[d] && d != g->column_dim && d != g->depth_dim && d != g->block_dim) return false;
    if (!tcc_gemv_streams(g, node)) continue;
    columns &= is_number(node->index.coef[g->column_dim], 1);
    depth &= is_number(node->index.coef[g->depth_dim], 1);
    int bits = (int)tcc_elem_bits(node->elem);
    if (!found || bits < g->stream_bits) g->stream_bits = bits;
    found = true;
  }
  g->along_depth = depth && !columns;
  for (size_t i = 0; i < g->pull.nodes.count; i++) { /* halves of bytes are taken by whole vectors */
    const TccPullNode *node = g->pull.nodes.data[i];
    if (!tcc_gemv_streams(g, node) || tcc_elem_bits(node->elem) >= 8) continue;
    int64_t run = g->lanes;
    if (g->along_depth) tcc_expr_is_const(g->pull.dim[g->depth_dim], &run);
    if (g->lanes % 8 || run % g->lanes || !tcc_pull_starts_bytes(&g->pull, &node->index, g->along_depth ? g->depth_dim : g->column_dim)) return false;
  }
  int64_t inner;
  if (g->along_depth && (!tcc_expr_is_const(g->pull.dim[g->depth_dim], &inner) || inner < g->lanes || g->depth < LEAST_DEPTH)) return false;
  if (found && (columns || depth)) take_factor(g);
  if (found && columns) take_block_factor(g);
  if (found && (columns || depth)) tcc_gemv_find_bytes(machine, g);
  return found && (columns || depth);
}

static bool append(TccGemv *g, TccSpan *span, int result_axis, int64_t a, const TccExpr *size) {
  const TccViewAxis *axes[TCC_GEMV_TENSORS + TCC_EPILOGUE_LEAVES] = {0};
  if (a >= 0) axes[A] = &g->a.axis[a];
  if (result_axis >= 0) tcc_epilogue_axes(g->ir, &g->epilogue, result_axis, R, axes);
  return tcc_span_append(g->ir, span, size, axes);
}

bool tcc_gemv_read(const TccMachine *machine, TccIr *ir, MlirOperation kernel, TccGemv *g) {
  *g = (TccGemv){.ir = ir, .kernel = kernel, .dot = find_dot(ir, kernel)};
  const int64_t *packed, *lb, *rb, *lc, *rc;
  size_t n, nb, nc;
  if (mlirOperationIsNull(g->dot) || tcc_get_ints(ir, kernel, "tcc.packed", &packed, &n)) return false;
  MlirValue x = mlirOperationGetOperand(g->dot, 0), y = mlirOperationGetOperand(g->dot, 1);
  MlirType xt = tcc_value_type(x), yt = tcc_value_type(y);
  if (!tcc_micro_type_plain(machine, tcc_type_elem(xt), tcc_type_elem(yt), &g->type) || g->type.acc_elem != TCC_ELEM_F32) return false;
  if (!tcc_get_ints(ir, g->dot, "lhs_batch", &lb, &nb) || !tcc_get_ints(ir, g->dot, "rhs_batch", &rb, &nb) ||
      !tcc_get_ints(ir, g->dot, "lhs_contract", &lc, &nc) || !tcc_get_ints(ir, g->dot, "rhs_contract", &rc, &nc))
    return false;
  /* Sizes first: most kernels are turned away here, before anything is built. */
  g->rows = g->columns = g->depth = 1;
  int64_t size;
  for (int i = 0; i < tcc_type_rank(yt); i++) {
    if (!tcc_expr_is_const(tcc_type_dim(ir, yt, i), &size)) return false;
    if (contains(rc, nc, i)) g->depth *= size;
    else if (!contains(rb, nb, i)) g->columns *= size;
  }
  for (int i = 0; i < tcc_type_rank(xt); i++) {
    if (!tcc_expr_is_const(tcc_type_dim(ir, xt, i), &size)) return false;
    if (!contains(lc, nc, i)) g->rows *= size;
    if (g->rows > TCC_GEMV_ROWS) return false;
  }
  if (g->rows * g->columns * g->depth == 0) return false;
  g->lanes = g->type.lanes;
  TccStatus *status = tcc_epilogue_read(ir, kernel, mlirOperationGetResult(g->dot, 0), &g->epilogue);
  if (status) {
    tcc_status_destroy(status);
    return false;
  }
  if (!tcc_view_of(ir, x, &g->a) || !pull_weight(g, rb, nb, rc, nc) || !choose_direction(machine, g)) return false;

  int ntensors = TCC_GEMV_TENSORS + g->epilogue.nleaves, at = 0;
  TccSpan *spans[] = {&g->batch, &g->m, &g->n, &g->k};
  for (int i = 0; i < 4; i++) tcc_span_init(ir, spans[i], ntensors);
  bool ok = true; /* entries of a batch with one right operand are but more rows; choose_direction turned others away */
  for (size_t i = 0; i < nb; i++) ok = ok && append(g, &g->m, at++, lb[i], tcc_type_dim(ir, xt, (int)lb[i]));
  for (int i = 0; i < tcc_type_rank(xt); i++)
    if (!contains(lb, nb, i) && !contains(lc, nc, i)) ok = ok && append(g, &g->m, at++, i, tcc_type_dim(ir, xt, i));
  for (int i = 0; i < tcc_type_rank(yt); i++)
    if (!contains(rb, nb, i) && !contains(rc, nc, i)) ok = ok && append(g, &g->n, at++, -1, tcc_type_dim(ir, yt, i));
  for (size_t i = 0; i < nc; i++) ok = ok && append(g, &g->k, -1, lc[i], tcc_type_dim(ir, xt, (int)lc[i]));
  for (int i = 0; ok && i < 4; i++) tcc_span_finish(ir, spans[i]);
  return ok;
}

bool tcc_gemv_reads_weights(int64_t rows, TccElem weight) { return rows <= 4 || weight != TCC_ELEM_F32; }

bool tcc_gemv_accepts(const TccMachine *machine, TccIr *ir, MlirOperation kernel) {
  TccGemv *g = TCC_NEW(ir->arena, TccGemv);
  return tcc_gemv_read(machine, ir, kernel, g);
}

/* ---- plan ---- */

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

/* Steps, or blocks, of the whole depth. */
static int64_t depth_size(const TccGemv *g) {
  int64_t size = 0;
  tcc_expr_is_const(g->pull.dim[g->block_dim >= 0 ? g->block_dim : g->depth_dim], &size);
  return size;
}

/* Places in pages at which lines so many bits apart lie: lines that meet in one set of the first cache, with all that is asked
 * for ahead, come from the second (int8, 2048 x 5632, all lines in one set: 8.4 GB/s where it reads 12.3 so; in the second
 * cache 10.5 and 19). */
static int64_t places(int64_t bits) {
  int64_t apart = 4096 * 8;
  while (bits % apart) apart /= 2;
  return 4096 * 8 / apart;
}

/* Steps of each of the `unroll` parts of a tile of the depth: the most whose lines meet least; what is left over of the tile
 * goes side by side at its end. */
static int64_t part_of(const TccGemv *g) {
  int d = g->block_dim >= 0 ? g->block_dim : g->depth_dim;
  int64_t pitch = 0, most = g->share / g->unroll, best = most;
  for (size_t i = 0; i < g->pull.nodes.count; i++) {
    const TccPullNode *node = g->pull.nodes.data[i];
    if (tcc_gemv_streams(g, node) && node->index.coef[d]) tcc_expr_is_const(node->index.coef[d], &pitch);
  }
  if (most <= 8) return most;
  for (int64_t part = most; part >= most - most / 4; part--)
    if (places(part * pitch * g->stream_bits) > places(best * pitch * g->stream_bits)) best = part;
  return best;
}

/* Along the depth a tile is few columns, so that any number of threads shares them evenly; a thread takes those of its share
 * together. Along columns a tile is a range of the depth, all columns wide: that is one run of memory, where columns of each
 * thread would be pieces of lines, behind whose ends the prefetchers fetch what another thread reads (2 threads, 2048 x 5632
 * int8: pieces of 704 bytes 12.8 GB/s, of 2816 18, whole lines 22, which is all the memory gives). The sums of all tiles are
 * added by the thread that ends last: with many threads that would cost more than it gains. */
void tcc_gemv_plan(const TccMachine *machine, TccGemv *g) {
  int64_t cores = machine->cores ? machine->cores : 1, unit = 64 * 8 / g->stream_bits;
  g->unroll = 8;
  if (g->along_depth) { /* sums in registers: rows * unroll */
    while (g->unroll > 1 && g->unroll * g->rows > g->type.registers * 3 / 4) g->unroll /= 2;
    unit = g->unroll;
  }
  if (unit < g->lanes) unit = g->lanes;
  int64_t tiles = g->columns * g->depth * g->stream_bits / 8 <= SMALL_WORK ? 1 : cores * TILES_PER_CORE;
  g->depths = !g->along_depth && cores > 1 && cores <= MOST_CORES && depth_size(g) >= tiles * g->unroll ? tiles : 1;
  if (g->bytes && !tcc_gemv_bytes_fit(g, g->unroll, g->depths)) g->bytes = NULL;
  g->tile = round_up(ceil_div(g->columns, g->depths > 1 ? 1 : tiles), unit);
  g->span = round_up(SUMS_BYTES / 4 / g->rows, g->depths > 1 ? unit : g->tile);
  if (g->span > round_up(g->columns, unit)) g->span = round_up(g->columns, unit);
  tcc_gemv_finish(g);
}

void tcc_gemv_finish(TccGemv *g) {
  int64_t size = depth_size(g);
  g->share = size / g->depths; /* alike, since threads end together then; the last tile takes what is left over */
  if (g->bytes && !g->along_depth) g->share = g->share / g->unroll * g->unroll;
  const int64_t four = TCC_GEMV_LARGE + 1;
  bool cut = g->depths > 1 && g->depths % four == 0 && g->columns * g->depth / g->depths * g->stream_bits / 8 >= CUT_BYTES;
  g->small = cut ? round_up(ceil_div(g->share, TCC_GEMV_SMALL), g->unroll) : 0; /* so that the last is the smallest */
  if (g->small * (TCC_GEMV_SMALL - 1) >= g->share) g->small = 0;
  g->tiles = g->depths == 1 ? ceil_div(g->columns, g->tile) : g->small ? g->depths / four * TCC_GEMV_GROUP : g->depths;
  g->part = part_of(g);
  int64_t over = size - g->depths * g->share, last = g->share - (g->small ? (TCC_GEMV_SMALL - 1) * g->small : 0);
  const int64_t steps[] = {g->share, g->share + over, g->small, last, last + over};
  g->most_left = 0, g->ragged = false;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    int64_t parts = g->part * g->unroll, left = steps[i] >= parts ? steps[i] - parts : steps[i];
    if (left > g->most_left) g->most_left = left;
    g->ragged |= steps[i] % g->unroll != 0;
  }
  g->lda = round_up(g->depth, g->lanes) + 16;
  g->ldc = (g->depths > 1 ? round_up(g->columns, g->bytes ? 64 : g->lanes) : g->span) + g->lanes;
  g->slot = round_up(TCC_GEMV_SLOT_HEAD + g->rows * g->ldc, 16);
}

/* ---- the entry ---- */

/* f32 of a thread's own scratch. */
static int64_t sums_at(const TccGemv *g) { return round_up(g->rows * g->lda + 64 + (g->depths > 1 ? g->tiles : 1) * tcc_gemv_digits(g), 16); }
static int64_t own_scratch(const TccGemv *g) { return round_up(sums_at(g) + g->rows * g->ldc + g->lanes, 16); }

static void pack_rows(TccKernelEmit *k, const TccGemv *g, TccVal to, TccVal from, TccVal count, TccVal padded) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0), rows = tcc_emit_i64(e, g->rows);
  TccPackCall pack = {tcc_emit_gep(e, "f32", to, from), zero, zero, rows, rows, from, count, padded};
  tcc_pack_call(k, "pack_rows", &pack);
}

/* Sums of columns [from, to) -> results. */
static void finish(TccKernelEmit *k, const TccGemv *g, const TccGemvCall *call) {
  TccEmit *e = k->e;
  if (g->factor) tcc_gemv_call(k, "factor", call);
  TccEpilogueCall end = {call->sums, tcc_emit_i64(e, 0), tcc_emit_i64(e, 0), call->from, tcc_emit_i64(e, g->rows), tcc_emit_sub(e, call->to, call->from)};
  tcc_epilogue_call(k, "finish", &end);
}

/* Tiles are columns. */
static void emit_column_tiles(TccKernelEmit *k, const TccGemv *g, const TccKernelEntry *entry) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0), tile = tcc_emit_i64(e, g->tile);
  pack_rows(k, g, entry->scratch, zero, tcc_emit_i64(e, g->depth), tcc_emit_i64(e, round_up(g->depth, g->lanes)));
  TccGemvCall all = {entry->scratch, entry->scratch, zero, zero, zero, tcc_emit_i64(e, depth_size(g))};
  if (g->bytes) tcc_gemv_call(k, "digits", &all);
  TccLoop span;
  TccVal end = tcc_emit_min(e, tcc_emit_mul(e, entry->end, tile), tcc_emit_i64(e, g->columns));
  tcc_emit_for(e, &span, tcc_emit_mul(e, entry->begin, tile), end, g->span, 0, NULL, NULL);
  TccVal to = tcc_emit_min(e, tcc_emit_add(e, span.iv, tcc_emit_i64(e, g->span)), end);
  TccGemvCall call = {entry->scratch, tcc_emit_at(e, "f32", entry->scratch, sums_at(g)), span.iv, to, zero, tcc_emit_i64(e, depth_size(g))};
  if (!g->along_depth) tcc_gemv_call(k, "clear", &call);
  tcc_gemv_call(k, "columns", &call);
  finish(k, g, &call);
  tcc_emit_end_for(e, &span, NULL);
}

/* Where a tile of the depth begins, or the last one ends: the same in each group of tiles. */
static TccVal tile_start(TccEmit *e, const TccGemv *g, TccVal tile) {
  TccVal share = tcc_emit_i64(e, g->share), start = tcc_emit_mul(e, tile, share);
  if (g->small) {
    TccVal count = tcc_emit_i64(e, TCC_GEMV_GROUP), large = tcc_emit_i64(e, TCC_GEMV_LARGE), in = tcc_emit_rem(e, tile, count);
    TccVal wholes = tcc_emit_min(e, in, large), cut = tcc_emit_max(e, tcc_emit_sub(e, in, large), tcc_emit_i64(e, 0));
    wholes = tcc_emit_add(e, wholes, tcc_emit_mul(e, tcc_emit_div(e, tile, count), tcc_emit_i64(e, TCC_GEMV_LARGE + 1)));
    start = tcc_emit_add(e, tcc_emit_mul(e, wholes, share), tcc_emit_mul(e, cut, tcc_emit_i64(e, g->small)));
  }
  TccVal behind = tcc_emit_icmp(e, "eq", "i64", tile, tcc_emit_i64(e, g->tiles));
  return tcc_emit_select1(e, "i64", behind, tcc_emit_i64(e, depth_size(g)), start);
}

TccVal tcc_gemv_tile_at(TccEmit *e, const TccGemv *g, TccVal begin) {
  TccVal share = tcc_emit_i64(e, g->share), tile = tcc_emit_div(e, begin, share);
  if (!g->small) return tile;
  TccVal four = tcc_emit_i64(e, TCC_GEMV_LARGE + 1), large = tcc_emit_min(e, tcc_emit_rem(e, tile, four), tcc_emit_i64(e, TCC_GEMV_LARGE));
  TccVal group = tcc_emit_div(e, tile, four), from = tcc_emit_mul(e, tcc_emit_add(e, tcc_emit_mul(e, group, four), large), share);
  TccVal cut = tcc_emit_div(e, tcc_emit_sub(e, begin, from), tcc_emit_i64(e, g->small)); /* of a large tile none: it begins at `from` */
  return tcc_emit_add(e, tcc_emit_add(e, tcc_emit_mul(e, group, tcc_emit_i64(e, TCC_GEMV_GROUP)), large), cut);
}

/* Opens a loop over the tiles of the depth of a call: sets the ends of `out`. A large tile that is cut, but all of which the call has, is
 * taken as one. is_last: of the call. */
typedef struct { TccLoop tile; TccIf begins; TccVal is_last; } DepthLoop;

static void open_tiles(TccEmit *e, const TccGemv *g, const TccKernelEntry *entry, DepthLoop *loop, TccGemvCall *out) {
  TccVal one = tcc_emit_i64(e, 1), next;
  tcc_emit_for(e, &loop->tile, entry->begin, entry->end, 1, 0, NULL, NULL);
  next = tcc_emit_add(e, loop->tile.iv, one);
  if (g->small) {
    TccVal large = tcc_emit_i64(e, TCC_GEMV_LARGE), in = tcc_emit_rem(e, loop->tile.iv, tcc_emit_i64(e, TCC_GEMV_GROUP));
    TccVal cut = tcc_emit_add(e, tcc_emit_sub(e, loop->tile.iv, in), large), behind = tcc_emit_add(e, cut, tcc_emit_i64(e, TCC_GEMV_SMALL));
    TccVal all = tcc_emit_bin(e, "and", "i1", tcc_emit_icmp(e, "sle", "i64", entry->begin, cut), tcc_emit_icmp(e, "sge", "i64", entry->end, behind));
    TccVal is_part = tcc_emit_bin(e, "and", "i1", all, tcc_emit_icmp(e, "sge", "i64", in, large));
    next = tcc_emit_select1(e, "i64", is_part, behind, next);
    TccVal first = tcc_emit_select1(e, "i64", all, large, tcc_emit_i64(e, TCC_GEMV_GROUP)); /* later ones are done then */
    tcc_emit_if(e, &loop->begins, tcc_emit_icmp(e, "sle", "i64", in, first), 0, NULL);
  }
  out->begin = tile_start(e, g, loop->tile.iv), out->end = tile_start(e, g, next);
  loop->is_last = tcc_emit_icmp(e, "eq", "i64", next, entry->end);
}

static void close_tiles(TccEmit *e, const TccGemv *g, DepthLoop *loop) {
  if (g->small) tcc_emit_end_if(e, &loop->begins, NULL);
  tcc_emit_end_for(e, &loop->tile, NULL);
}

static TccVal head_field(TccEmit *e, TccVal scratch, size_t offset) {
  return tcc_emit_at(e, "i8", scratch, (int64_t)offset - (int64_t)sizeof(TccScratchHead));
}

static TccVal slot_at(TccEmit *e, const TccGemv *g, TccVal slots, TccVal tile) {
  return tcc_emit_gep(e, "f32", slots, tcc_emit_mul(e, tile, tcc_emit_i64(e, g->slot)));
}

/* Adds the slots of each share to its first one, then those of all shares to the first of all. A slot begins with the number of tiles in
 * it, and the next one that was used is as many slots behind it. */
static void emit_gather(TccKernelEmit *k, const TccGemv *g, TccVal slots) {
  TccEmit *e = k->e;
  static const char *const number[] = {"i64"};
  TccVal zero = tcc_emit_i64(e, 0), next = zero;
  TccLoop turn, slot;
  TccIf used, joins;
  tcc_emit_for(e, &turn, zero, tcc_emit_i64(e, 2), 1, 0, NULL, NULL);
  tcc_emit_for(e, &slot, zero, tcc_emit_i64(e, g->tiles), 1, 1, &next, number);
  tcc_emit_if(e, &used, tcc_emit_icmp(e, "eq", "i64", slot.iv, slot.in[0]), 1, number);
  TccVal from = slot_at(e, g, slots, slot.iv), first = tcc_emit_load(e, "i64", tcc_emit_at(e, "i64", from, 1));
  TccVal is_first = tcc_emit_icmp(e, "eq", "i64", first, slot.iv), again = tcc_emit_icmp(e, "ne", "i64", turn.iv, zero);
  TccVal to = tcc_emit_select1(e, "i64", again, zero, first);
  TccVal wanted = tcc_emit_icmp(e, "eq", "i1", is_first, again), other = tcc_emit_icmp(e, "ne", "i64", to, slot.iv);
  tcc_emit_if(e, &joins, tcc_emit_bin(e, "and", "i1", wanted, other), 0, NULL);
  TccGemvCall call = {tcc_emit_at(e, "f32", from, TCC_GEMV_SLOT_HEAD), tcc_emit_at(e, "f32", slot_at(e, g, slots, to), TCC_GEMV_SLOT_HEAD), zero, zero, zero, zero};
  tcc_gemv_call(k, "merge", &call);
  tcc_emit_end_if(e, &joins, NULL);
  next = tcc_emit_add(e, slot.in[0], tcc_emit_load(e, "i64", from));
  tcc_emit_else(e, &used, &next);
  tcc_emit_end_if(e, &used, &slot.in[0]);
  tcc_emit_end_for(e, &slot, &used.out[0]);
  tcc_emit_end_for(e, &turn, NULL);
}

/* Tiles are of the depth: sums go to a slot of the team's common scratch, and who ends last adds and finishes them. What a thread
 * sums of the tiles that follow its own of a share it adds to that slot itself, while it has both at hand: the order of additions
 * is the same as if others had taken them, that of the depth in each share, then that of shares. */
static void emit_depth_tiles(TccKernelEmit *k, const TccGemv *g, const TccKernelEntry *entry) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0), all = tcc_emit_i64(e, g->tiles);
  TccVal common = tcc_emit_load(e, TCC_PTR, head_field(e, entry->scratch, offsetof(TccScratchHead, common)));
  TccVal counter = tcc_emit_load(e, TCC_PTR, head_field(e, entry->scratch, offsetof(TccScratchHead, count)));
  TccVal first = tcc_emit_load(e, "i64", head_field(e, entry->scratch, offsetof(TccScratchHead, first)));
  TccVal own_first = head_field(e, entry->scratch, offsetof(TccScratchHead, own_first)), own_end = head_field(e, entry->scratch, offsetof(TccScratchHead, own_end));
  TccVal slots = tcc_emit_at(e, "f32", common, own_scratch(g)), count = tcc_emit_sub(e, entry->end, entry->begin);
  TccVal follows = tcc_emit_bin(e, "and", "i1", tcc_emit_icmp(e, "eq", "i64", tcc_emit_load(e, "i64", own_first), first),
                                tcc_emit_icmp(e, "eq", "i64", tcc_emit_load(e, "i64", own_end), entry->begin));
  follows = tcc_emit_bin(e, "and", "i1", follows, tcc_emit_icmp(e, "sgt", "i64", entry->begin, first));
  TccVal slot = slot_at(e, g, slots, tcc_emit_select1(e, "i64", follows, first, entry->begin)), sums = tcc_emit_at(e, "f32", slot, TCC_GEMV_SLOT_HEAD);
  TccVal part = tcc_emit_select1(e, TCC_PTR, follows, tcc_emit_at(e, "f32", entry->scratch, sums_at(g)), sums);
  TccVal from = tile_start(e, g, entry->begin), to = tile_start(e, g, entry->end);
  TccVal unit = tcc_emit_i64(e, g->depth / depth_size(g)), steps = tcc_emit_mul(e, tcc_emit_sub(e, to, from), unit);
  pack_rows(k, g, entry->scratch, tcc_emit_mul(e, from, unit), steps, steps);
  TccLoop span;
  DepthLoop tile;
  if (g->bytes) {
    TccGemvCall one = {entry->scratch, part, zero, zero};
    open_tiles(e, g, entry, &tile, &one);
    tcc_gemv_call(k, "digits", &one);
    close_tiles(e, g, &tile);
  }
  tcc_emit_for(e, &span, zero, tcc_emit_i64(e, g->columns), g->span, 0, NULL, NULL);
  TccGemvCall call = {entry->scratch, tcc_emit_gep(e, "f32", part, span.iv), span.iv,
                      tcc_emit_min(e, tcc_emit_add(e, span.iv, tcc_emit_i64(e, g->span)), tcc_emit_i64(e, g->columns)), from, to};
  tcc_gemv_call(k, "clear", &call);
  open_tiles(e, g, entry, &tile, &call);
  TccIf near; /* the end of a share: sums are finished soon, by one thread alone, which would wait for line after line */
  TccVal whole = tcc_emit_icmp(e, "eq", "i64", count, all);
  tcc_emit_if(e, &near, tcc_emit_bin(e, "and", "i1", tile.is_last, tcc_emit_bin(e, "or", "i1", whole, follows)), 0, NULL);
  tcc_gemv_call(k, "ahead", &call);
  tcc_emit_end_if(e, &near, NULL);
  tcc_gemv_call(k, "columns", &call);
  close_tiles(e, g, &tile);
  tcc_emit_end_for(e, &span, NULL);

  TccIf more, begins, ends, parted;
  tcc_emit_if(e, &more, follows, 0, NULL);
  TccGemvCall join = {part, sums, zero, zero, zero, zero};
  tcc_gemv_call(k, "merge", &join);
  tcc_emit_store(e, "i64", tcc_emit_sub(e, entry->end, first), slot);
  tcc_emit_store(e, "i64", entry->end, own_end);
  tcc_emit_else(e, &more, NULL);
  tcc_emit_store(e, "i64", count, slot);
  tcc_emit_store(e, "i64", first, tcc_emit_at(e, "i64", slot, 1));
  tcc_emit_if(e, &begins, tcc_emit_icmp(e, "eq", "i64", entry->begin, first), 0, NULL);
  tcc_emit_store(e, "i64", first, own_first);
  tcc_emit_store(e, "i64", entry->end, own_end);
  tcc_emit_end_if(e, &begins, NULL);
  tcc_emit_end_if(e, &more, NULL);

  TccVal before = tcc_emit_op(e, "llvm.atomicrmw add %%%d, %%%d acq_rel : !llvm.ptr, i64", counter, count);
  tcc_emit_if(e, &ends, tcc_emit_icmp(e, "eq", "i64", tcc_emit_add(e, before, count), all), 0, NULL);
  tcc_emit_store(e, "i64", zero, counter);
  tcc_emit_if(e, &parted, tcc_emit_icmp(e, "ne", "i64", count, all), 0, NULL);
  emit_gather(k, g, slots);
  tcc_emit_end_if(e, &parted, NULL);
  tcc_emit_for(e, &span, zero, tcc_emit_i64(e, g->columns), g->span, 0, NULL, NULL);
  call = (TccGemvCall){entry->scratch, tcc_emit_gep(e, "f32", tcc_emit_at(e, "f32", slots, TCC_GEMV_SLOT_HEAD), span.iv), span.iv,
                       tcc_emit_min(e, tcc_emit_add(e, span.iv, tcc_emit_i64(e, g->span)), tcc_emit_i64(e, g->columns)), zero, zero};
  finish(k, g, &call);
  tcc_emit_end_for(e, &span, NULL);
  tcc_emit_end_if(e, &ends, NULL);
}

static TccStatus *emit_all(TccKernelEmit *k, const TccGemv *g) {
  TccPackSource source = {&g->a, &g->batch, &g->m, &g->k, A};
  tcc_pack_rows_emit(k, "pack_rows", &g->type, &source, g->lda);
  TccGemv plain = *g;
  if (g->bytes) plain.unroll = 1; /* what is rare need not be fast */
  TCC_TRY(tcc_gemv_emit_columns(k, g->bytes ? "plain" : "columns", &plain));
  if (g->bytes && g->along_depth) {
    TCC_TRY(tcc_gemv_emit_depth_digits(k, "digits", g));
    tcc_gemv_emit_depth(k, "columns", "plain", g);
  } else if (g->bytes) {
    TCC_TRY(tcc_gemv_emit_tile_digits(k, "digits", g));
    tcc_gemv_emit_bytes(k, "columns", "plain", g);
  }
  if (!g->along_depth) TCC_TRY(tcc_gemv_emit_clear(k, "clear", g));
  if (g->factor) TCC_TRY(tcc_gemv_emit_factor(k, "factor", g));
  if (g->depths > 1) tcc_gemv_emit_merge(k, "merge", g);
  TccEpilogueBlock block = {&g->epilogue, &g->batch, &g->m, &g->n, R, TCC_ELEM_F32, g->ldc, g->lanes};
  TCC_TRY(tcc_epilogue_emit(k, "finish", &block));
  if (g->depths > 1) tcc_gemv_emit_ahead(k, "ahead", tcc_epilogue_fetch_emit(k, "finish_ahead", &block, TCC_GEMV_AHEAD) ? "finish_ahead" : NULL, g);
  TccKernelEntry entry;
  tcc_kernel_entry(k, &entry);
  if (g->depths > 1) emit_depth_tiles(k, g, &entry);
  else emit_column_tiles(k, g, &entry);
  tcc_emit_return(k->e, 0, NULL);
  return NULL;
}

/* The lines side by side that a tile begins with, of the operand with the most bytes. */
static void set_fetch(const TccGemv *g, TccFetch *out) {
  int outer = g->block_dim >= 0 ? g->block_dim : g->depth_dim, along = g->depths > 1 ? outer : g->column_dim;
  int line = g->along_depth ? g->column_dim : g->block_factor ? g->depth_dim : outer;
  int64_t best = 0, lines = g->along_depth || g->block_factor ? 1 : g->part ? g->part : 1, places = g->depths == 1 ? g->tile : g->share;
  for (size_t i = 0; i < g->pull.nodes.count; i++) {
    const TccPullNode *node = g->pull.nodes.data[i];
    int64_t bits = tcc_elem_bits(node->elem), offset, pitch, step;
    if (!tcc_gemv_streams(g, node) || node->argument < 0 || bits <= best || !node->index.coef[line] || !node->index.coef[along]) continue;
    if (!tcc_expr_is_const(node->index.offset, &offset) || !tcc_expr_is_const(node->index.coef[line], &pitch) ||
        !tcc_expr_is_const(node->index.coef[along], &step)) continue;
    best = bits;
    if (g->small) step = step * (TCC_GEMV_LARGE + 1) / TCC_GEMV_GROUP; /* on average: shares of threads are whole groups */
    *out = (TccFetch){(uint32_t)node->argument, (uint32_t)g->unroll, offset * bits / 8, step * places * bits / 8, pitch * lines * bits / 8};
  }
}

TccStatus *tcc_gemv_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccGemv *g = TCC_NEW(ir->arena, TccGemv);
  if (!tcc_gemv_read(&target->machine, ir, kernel, g)) return TCC_ERROR(TCC_UNSUPPORTED, "not a contraction of few rows");
  tcc_gemv_plan(&target->machine, g);
  TCC_TRY(tcc_gemv_obey(g));
  TccEmit emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, &emit, ir, &target->machine, kernel);
  TccStatus *status = emit_all(&k, g);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  const char *schedule = tcc_arena_printf(ir->arena, "x86.gemv/4 along=%s%s unroll=%d tile=%lld span=%lld depths=%lld", g->along_depth ? "depth" : "columns", g->bytes ? " in integers" : "",
                                          g->unroll, (long long)g->tile, (long long)g->span, (long long)g->depths);
  int64_t bytes = (own_scratch(g) + (g->depths > 1 ? g->tiles * g->slot : 0)) * 4;
  tcc_kernel_finish(&k, "x86.gemv", schedule, tcc_expr_const(ir->exprs, g->tiles), tcc_expr_const(ir->exprs, round_up(bytes, 64)), out);
  set_fetch(g, &out->fetch);
  return NULL;
}
