/* row.c - kernels around reductions: softmax, norms, sums of any axes, arg-reductions.
 *
 * A row is one index of the axes that stay; the kernel goes through rows, and for each through phases: reductions that
 * depend on no other share one loop over the row, then those that depend on these, and so on; the last loop stores the
 * results. What lies before a reduction is computed again in each phase, but for functions that cost more than a load:
 * those are kept in scratch, which a row's length fits, or in the result. A softmax of long rows goes by blocks (row_softmax.c). If the innermost axis is reduced the lanes run along it and are
 * folded at the end of a loop; if it stays, the lanes are neighbouring rows and nothing is folded. */
#include "lib/targets/x86/row/row.h"
#include "lib/targets/x86/code/scalar_avx512.h"
#include "lib/targets/x86/row/row_internal.h"
#include <inttypes.h>

enum {
  TILE = 8192,
  LONG_ENOUGH = 512 /* elements */,
  BLOCK = 1024 /* elements */,
  WRITE_PREFETCH = 4096,
  SHORT_PREFETCH = 2048 /* bytes */,
  READ_PREFETCH = 4096 /* bytes */
};

static TccStatus *emit_row(Row *row, TccVal row_mask) {
  TccEmit *t = row->k->e;
  for (row->phase = 0; row->phase < row->read.nlevels; row->phase++) {
    row->emit.mask = row_mask;
    TCC_TRY(row_emit_shared(row));
    TCC_TRY(row_reduce(row));
  }
  bool any_full = false, any_reduced = false;
  for (int i = 0; i < row->read.nresults; i++) any_full |= row->read.result[i].full, any_reduced |= !row->read.result[i].full;
  row->emit.mask = row_mask;
  TCC_TRY(row_emit_shared(row));
  if (any_full) {
    Carried none = {0};
    TCC_TRY(row_loops(row, 0, row->plan.folds ? row->read.exponential ? 4 : row->read.pull.nodes.count <= 3 * SMALL_BODY : 0, 0,
                      &none));
  }
  row->emit.mask = row_mask;
  if (any_reduced) {
    for (int d = 0; d < row->read.pull.ndims; d++)
      if (row->read.dim_reduced[d]) row->emit.iv[d] = tcc_emit_i64(t, 0);
    int lane = row->emit.lane_dim;
    if (row->plan.folds) row->emit.lane_dim = -1; /* one value in all lanes */
    TCC_TRY(row_store_results(row, false));
    row->emit.lane_dim = lane;
  }
  return NULL;
}

void row_set_unit(Row *row, TccVal unit) {
  TccEmit *t = row->k->e;
  int outermost = -1;
  for (int d = row->read.pull.ndims; d-- > 0;)
    if (!row->read.dim_reduced[d] && (row->plan.folds || d != row->plan.lane_dim)) outermost = d;
  for (int d = row->read.pull.ndims; d-- > 0;) {
    if (row->read.dim_reduced[d] || (!row->plan.folds && d == row->plan.lane_dim)) continue;
    row->emit.iv[d] = unit;
    if (d == outermost) continue;
    TccVal size = tcc_kernel_size(row->k, row->read.pull.dim[d]);
    row->emit.iv[d] = tcc_emit_rem(t, unit, size), unit = tcc_emit_div(t, unit, size);
  }
}

/* Rows [begin, end) of tiles; where rows are lanes, a unit is one block of lanes of one index of the other dims. */
static TccStatus *emit_tiles(Row *row, TccVal begin, TccVal end, const TccExpr *units, const TccExpr *pieces, int64_t per_tile) {
  TccEmit *t = row->k->e;
  TccVal per = tcc_kernel_size(row->k, tcc_expr_const(row->k->ir->exprs, per_tile)), limit = tcc_kernel_size(row->k, units);
  TccVal first = tcc_emit_mul(t, begin, per), last = tcc_emit_min(t, tcc_emit_mul(t, end, per), limit);
  if (row->plan.blocks) return row_softmax_by_blocks(row, first, last);
  TccLoop loop;
  tcc_emit_for(t, &loop, first, last, 1, 0, NULL, NULL);
  TccVal rest = loop.iv, mask = 0;
  if (!row->plan.folds) {
    TccVal blocks = tcc_kernel_size(row->k, pieces);
    TccVal at = tcc_emit_mul(t, tcc_emit_rem(t, rest, blocks), tcc_emit_i64(t, row->plan.lanes));
    rest = tcc_emit_div(t, rest, blocks);
    row->emit.iv[row->plan.lane_dim] = at;
    bool whole = tcc_expr_multiple_of(row->read.pull.dim[row->plan.lane_dim]) % row->plan.lanes == 0;
    if (!whole)
      mask =
          tcc_emit_mask(t, tcc_emit_sub(t, tcc_kernel_size(row->k, row->read.pull.dim[row->plan.lane_dim]), at), row->plan.lanes);
  }
  row_set_unit(row, rest);
  TCC_TRY(emit_row(row, mask));
  tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

/* Sums and the like without functions: their lanes may be four registers wide, so that a row of memory is walked by 256
 * bytes and four chains of additions go side by side. What all lanes share, as the row that a gather picks for each place of the
 * reduction, is computed once for all of them. */
static bool is_plain(const Row *row, unsigned bits, size_t most, int levels) {
  const TccPull *p = &row->read.pull;
  size_t body = 0;
  bool *shared = TCC_NEW_ARRAY(p->arena, bool, p->nodes.count + 1);
  if (row->read.nlevels > levels) return false;
  tcc_pull_lanes_share(p, row->plan.lane_dim, shared);
  for (int i = 0; i < row->read.nreductions; i++)
    if (row->read.reduction[i].is_arg || tcc_elem_bits(row->read.reduction[i].wide) > bits) return false;
  for (size_t n = 0; n < p->nodes.count; n++) {
    const TccPullNode *node = p->nodes.data[n];
    if (tcc_row_is_costly(&row->read, node)) return false;
    if (shared[n]) continue;
    if (node->kind != TCC_PULL_LOAD && node->kind != TCC_PULL_OP && node->kind != TCC_PULL_REDUCED) return false;
    body++;
  }
  return body <= most;
}

/* How many registers such lanes take: four, or of what comes from memory more, since each line lies in a page of its own, as long as
 * there are blocks for all threads and none has a rest. */
static int plain_registers(const Row *row, const TccMachine *machine) {
  int64_t length, blocks = 1;
  if (!tcc_expr_is_const(row->read.pull.dim[row->plan.lane_dim], &length)) return 4;
  for (int d = 0; d < row->read.pull.ndims; d++)
    if (!row->read.dim_reduced[d]) blocks *= tcc_ir_likely(row->read.pull.ir, row->read.pull.dim[d]);
  for (int registers = 16; row->plan.columns && row->read.nreductions == 1 && registers > 4; registers /= 2) {
    int64_t width = (int64_t)registers * row->plan.lanes;
    if (length % width == 0 && blocks / width >= 2 * (machine->cores ? machine->cores : 1)) return registers;
  }
  return length >= 4 * row->plan.lanes ? 4 : 1;
}

/* Where sums are wider, or more is computed of them: as many as a line of memory takes, so that each is read whole. */
static int line_registers(const Row *row) {
  int64_t length;
  const int registers = (int)(LINE_BYTES / sizeof(float)) / row->plan.lanes;
  return registers > 1 && tcc_expr_is_const(row->read.pull.dim[row->plan.lane_dim], &length) &&
                 length % (registers * row->plan.lanes) == 0
             ? registers
             : 1;
}

/* Cost of lanes along dim d: an access to a line of memory, or one for each lane. Operands are read for each level of reductions, and again for
 * results of all elements. */
static int cost_of_lanes(const Row *row, int d) {
  const TccExpr *one = tcc_expr_const(row->read.pull.ir->exprs, 1);
  int cost = 0;
  bool writes = false;
  for (int i = 0; i < row->read.nresults; i++) writes |= row->read.result[i].full;
  for (size_t n = 0; n < row->read.pull.nodes.count; n++) {
    const TccPullNode *node = row->read.pull.nodes.data[n];
    if (node->kind == TCC_PULL_LOAD && node->index.coef[d]) cost += node->index.coef[d] == one ? 1 : row->plan.lanes;
  }
  cost *= row->read.nlevels + writes;
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].full) cost += row->read.result[i].store.coef[d] == one ? 1 : row->plan.lanes;
  return cost;
}

/* The last dim, or one that stays if memory is contiguous there: channels of a plain image, normed for each pixel. */
static int choose_lane_dim(const Row *row, int last) {
  int64_t size;
  int best = last, least = cost_of_lanes(row, last);
  for (int d = 0; d < row->read.pull.ndims; d++) {
    if (row->read.dim_reduced[d] || (tcc_expr_is_const(row->read.pull.dim[d], &size) && size < row->plan.lanes)) continue;
    int cost = cost_of_lanes(row, d);
    if (cost < least) best = d, least = cost;
  }
  return best;
}

/* Whether what a vector takes to be read, lane by lane, is longer than an addition: two chains of them are as quick as four, and half as much code. */
static bool reads_apart(const Row *row, const TccMachine *machine) {
  const TccExpr *one = tcc_expr_const(row->read.pull.ir->exprs, 1);
  for (size_t n = 0; n < row->read.pull.nodes.count && row->plan.folds && tcc_x86_scalars(machine)->steps_apart; n++) {
    const TccPullNode *node = row->read.pull.nodes.data[n];
    const TccExpr *step = node->index.coef[row->plan.lane_dim];
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0 && step && step != one) return true;
  }
  return false;
}

/* Bytes that the nest reads row by row and writes, for likely sizes. */
static double bytes_of_rows(const Row *row) {
  double bytes = 0, size = 1;
  for (int d = 0; d < row->read.pull.ndims; d++) size *= (double)tcc_ir_likely(row->read.pull.ir, row->read.pull.dim[d]);
  for (size_t n = 0; n < row->read.pull.nodes.count; n++) {
    const TccPullNode *node = row->read.pull.nodes.data[n];
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0 && node->index.coef[row->plan.lane_dim] &&
        (row->plan.next_dim < 0 || node->index.coef[row->plan.next_dim]))
      bytes += size * tcc_elem_bits(node->elem) / 8;
  }
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].full) bytes += size * tcc_elem_bits(row->read.result[i].elem) / 8;
  return bytes;
}

/* The next row is prefetched by the last loop that reduces; where there is no other, by the one that stores, and only from memory. */
static void plan_prefetch(Row *row, const TccMachine *machine, TccRowWork *work) {
  row->plan.next_dim = -1;
  for (int i = 0; i < row->read.nresults; i++) work->writes |= row->read.result[i].full;
  for (int d = 0; d < row->read.pull.ndims && row->plan.folds; d++)
    if (!row->read.dim_reduced[d] && row->read.pull.dim[d] != tcc_expr_const(row->read.pull.ir->exprs, 1)) row->plan.next_dim = d;
  row->plan.streams =
      work->writes && row->plan.next_dim >= 0 && bytes_of_rows(row) > (machine->l2_bytes ? machine->l2_bytes : 1 << 20);
  row->plan.prefetch_phase = row->read.nlevels > 1 ? row->read.nlevels - 1 : row->read.nlevels;
  work->can_prefetch = row->plan.next_dim >= 0 && (row->read.nlevels > 1 || work->writes);
  int64_t bytes = tcc_ir_likely(row->read.pull.ir, row->read.pull.dim[row->plan.lane_dim]) * (int64_t)sizeof(float);
  int64_t further = bytes > 0 && bytes < READ_PREFETCH ? READ_PREFETCH / bytes : 1;
  if (further > TCC_ROW_MOST_FETCH - 1) further = TCC_ROW_MOST_FETCH - 1;
  work->heuristic.fetch = work->can_prefetch && (row->read.nlevels > 1 || row->plan.streams) ? 1 + further : 1;
}

/* Lines to be written are prefetched a page ahead, for what lies further would displace operands from the first cache; half of one where
 * rows are long, and lines of an operand that are prefetched lie in the same sets, and in a softmax, which computes longer between two. */
static int64_t plan_writing(const Row *row) {
  int64_t bytes = 0, length = tcc_ir_likely(row->read.pull.ir, row->read.pull.dim[row->plan.lane_dim]);
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].full && length * tcc_elem_bits(row->read.result[i].elem) / 8 > bytes)
      bytes = length * tcc_elem_bits(row->read.result[i].elem) / 8;
  return !row->plan.streams ? 1 : bytes > ROW_IN_L1 || row->read.weight ? SHORT_PREFETCH : WRITE_PREFETCH;
}

/* Rows of no multiple of the lanes begin beside lines: what is written, else read first, says where lines are. Every access would be two. */
static const TccPullIndex *choose_lines(const Row *row) {
  const TccExpr *one = tcc_expr_const(row->read.pull.ir->exprs, 1);
  int64_t length;
  if (!row->plan.folds || row->plan.next_dim < 0 || row->plan.innermost != row->plan.lane_dim ||
      !tcc_expr_is_const(row->read.pull.dim[row->plan.lane_dim], &length))
    return NULL;
  if (length % row->plan.lanes == 0 || length < LONG_ENOUGH) return NULL;
  for (int i = 0; i < row->read.nreductions; i++)
    if (row->read.reduction[i].is_arg) return NULL; /* their first blocks are where accumulators begin */
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].full && row->read.result[i].store.coef[row->plan.lane_dim] == one) return &row->read.result[i].store;
  for (size_t n = 0; n < row->read.pull.nodes.count; n++) {
    const TccPullNode *node = row->read.pull.nodes.data[n];
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0 && !node->index.nterms && node->index.coef[row->plan.lane_dim] == one &&
        node->index.coef[row->plan.next_dim])
      return &node->index;
  }
  return NULL;
}

/* ---- kernels that differ in sizes ---- */

static void vary(Row *row, const TccExpr *size) {
  for (int d = 0; d < row->read.pull.ndims; d++)
    if (row->read.dim_reduced[d] && row->read.pull.dim[d] == size) return;
  if (size) tcc_kernel_vary(row->k, size);
}

static void vary_index(Row *row, const TccPullIndex *index) {
  for (int d = 0; d < row->read.pull.ndims; d++)
    if (d != row->plan.lane_dim && d != row->plan.innermost) vary(row, index->coef[d]);
}

/* How many rows there are, and how far apart, is no matter of the code: kernels that differ in it alone are one. What a row has is known,
 * for its loops and the order of its sums. */
static void vary_rows(Row *row, const TccExpr *units, const TccExpr *pieces) {
  TccPull *p = &row->read.pull;
  for (int d = 0; d < p->ndims; d++)
    if (!row->read.dim_reduced[d]) vary(row, p->dim[d]);
  for (size_t n = 0; n < p->nodes.count; n++)
    if (p->nodes.data[n]->kind == TCC_PULL_LOAD) vary_index(row, &p->nodes.data[n]->index);
  for (int i = 0; i < row->read.nresults; i++) vary_index(row, &row->read.result[i].store);
  vary(row, units), vary(row, pieces), vary(row, tcc_expr_const(p->ir->exprs, row->plan.choice.rows));
}

/* No more than the next power of two: a wide access under a mask that lies across two lines is two, whatever the mask says. */
static int lanes_of_rows(const Row *row) {
  enum { LEAST = 4 };
  int64_t rows;
  int lanes = row->plan.lanes;
  if (!tcc_expr_is_const(row->read.pull.dim[row->plan.lane_dim], &rows)) return lanes;
  while (lanes > LEAST && rows <= lanes / 2) lanes /= 2;
  return lanes;
}

/* The nest, its lanes, what the heuristic chooses; elements of a row, units of work and pieces of lanes in one index of the other dims. */
static TccStatus *plan(Row *row, const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccRowWork *work,
                       const TccExpr **elements, const TccExpr **units, const TccExpr **pieces) {
  *work = (TccRowWork){.heuristic = {.sets = 4, .block = 1}};
  TCC_TRY(tcc_row_read(ir, kernel, &row->read));
  row_plan_phases(row);
  int64_t length, per_tile = 4, l1 = target->machine.l1_bytes ? target->machine.l1_bytes : 1 << 15;
  const TccExpr *one = *units = *elements = *pieces = tcc_expr_const(ir->exprs, 1);
  row->plan.lanes = target->machine.isa & TCC_ISA_AVX512 ? 16 : 8;
  row->plan.lane_dim = row->read.pull.ndims - 1;
  while (row->plan.lane_dim > 0 && row->read.pull.dim[row->plan.lane_dim] == one) row->plan.lane_dim--;
  if (row->plan.lane_dim < 0) return TCC_ERROR(TCC_UNSUPPORTED, "a reduction of a scalar");
  row->plan.lane_dim = choose_lane_dim(row, row->plan.lane_dim);
  row->plan.folds = row->read.dim_reduced[row->plan.lane_dim];
  if (!row->plan.folds && !row->read.exponential) row->plan.lanes = lanes_of_rows(row);
  if (reads_apart(row, &target->machine)) work->heuristic.sets = 2;
  row->plan.holds = row_fits_registers(row, target->machine.isa & TCC_ISA_AVX512 ? HELD : HELD / 2);
  if (!row->plan.holds) row_keep_in_result(row);
  plan_prefetch(row, &target->machine, work);
  work->heuristic.prefetch = plan_writing(row);
  row->plan.innermost = -1;
  for (int d = 0; d < row->read.pull.ndims; d++)
    if (row->read.dim_reduced[d] && (row->plan.innermost < 0 || row->read.pull.dim[d] != one)) row->plan.innermost = d;
  row->plan.line_of = choose_lines(row);
  row->plan.columns = !row->plan.folds && row->read.nlevels == 1 && bytes_of_rows(row) > (double)l1;
  if (!row->plan.folds && is_plain(row, 32, SMALL_BODY, 1)) row->plan.lanes *= plain_registers(row, &target->machine);
  else if (!row->plan.folds && bytes_of_rows(row) > (double)l1 && is_plain(row, 64, LINE_BODY, 2))
    row->plan.lanes *= line_registers(row);
  for (int d = 0; d < row->read.pull.ndims; d++) {
    if (row->read.dim_reduced[d]) *elements = tcc_expr_mul(ir->exprs, *elements, row->read.pull.dim[d]);
    else if (row->plan.folds || d != row->plan.lane_dim) *units = tcc_expr_mul(ir->exprs, *units, row->read.pull.dim[d]);
  }
  if (!row->plan.folds) {
    *pieces = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, row->read.pull.dim[row->plan.lane_dim],
                            tcc_expr_const(ir->exprs, row->plan.lanes));
    *units = tcc_expr_mul(ir->exprs, *units, *pieces);
  }
  if (tcc_expr_is_const(*elements, &length)) {
    int64_t all = row->plan.folds ? length : length * row->plan.lanes;
    per_tile = all > 0 && all < TILE ? (TILE + all - 1) / all : 1;
  }
  work->heuristic.rows = per_tile;
  work->can_cut = row_can_be_cut(row);
  work->can_prefetch |= work->can_cut;
  if (work->can_cut && tcc_ir_likely(ir, row->read.pull.dim[row->plan.lane_dim]) * (int64_t)sizeof(float) >= l1)
    work->heuristic.block = BLOCK, work->heuristic.fetch = 2;
  work->along = row->plan.folds;
  work->length = tcc_ir_likely(ir, *elements), work->count = tcc_ir_likely(ir, *units);
  work->nodes = row->read.pull.nodes.count;
  for (int i = 0; i < row->read.nreductions; i++) work->has_places |= row->read.reduction[i].is_arg;
  return NULL;
}

bool tcc_row_work(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccRowWork *out) {
  Row *row = TCC_NEW(ir->arena, Row);
  const TccExpr *elements, *units, *pieces;
  TccStatus *status = plan(row, target, ir, kernel, out, &elements, &units, &pieces);
  tcc_status_destroy(status);
  return !status && out->along;
}

TccStatus *tcc_row_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  *out = (TccKernelCode){0};
  Row *row = TCC_NEW(ir->arena, Row);
  TccRowWork work;
  const TccExpr *elements, *units, *pieces;
  TCC_TRY(plan(row, target, ir, kernel, &work, &elements, &units, &pieces));
  TCC_TRY(tcc_row_apply_schedule(kernel, &work, &row->plan.choice));
  row->plan.blocks = row->plan.choice.block > 1;
  const TccExpr *scratch = tcc_expr_const(ir->exprs, 0);
  for (int i = 0; i < row->plan.nkept; i++) {
    if (row->plan.kept[i].in || row->plan.holds) continue;
    int64_t bytes = (int64_t)tcc_elem_bits(row->plan.kept[i].node->elem) / 8 * (row->plan.folds ? 1 : row->plan.lanes);
    row->plan.kept[i].offset = scratch;
    const TccExpr *size = tcc_expr_mul(ir->exprs, elements, tcc_expr_const(ir->exprs, bytes));
    size = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, size, tcc_expr_const(ir->exprs, 64)); /* each from a cache line on */
    scratch = tcc_expr_add(ir->exprs, scratch, tcc_expr_mul(ir->exprs, size, tcc_expr_const(ir->exprs, 64)));
  }
  if (row->plan.blocks) scratch = row_block_scratch(row);
  TccEmit e;
  TccKernelEmit k;
  TccKernelEntry entry;
  tcc_kernel_init(&k, &e, ir, target, kernel);
  tcc_kernel_entry(&k, &entry);
  row->k = &k;
  row->scratch = entry.scratch;
  tcc_pull_emit_init(&row->emit, &k, &row->read.pull, row->plan.lanes);
  row->emit.lane_dim = row->plan.lane_dim;
  row->emit.dense = row->plan.folds && tcc_expr_multiple_of(row->read.pull.dim[row->plan.lane_dim]) % row->plan.lanes == 0;
  row->emit.kept = row_computed_before;
  row->emit.user = row;
  for (int d = row->plan.innermost + 1; d < row->read.pull.ndims; d++)
    row->emit.iv[d] = tcc_emit_i64(&e, 0); /* of size 1, or set for each row */
  vary_rows(row, units, pieces);
  TccStatus *status = emit_tiles(row, entry.begin, entry.end, units, pieces, row->plan.choice.rows);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_return(&e, 0, NULL);
  const TccExpr *tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, units, tcc_expr_const(ir->exprs, row->plan.choice.rows));
  const TccExpr *tile_slots = tcc_kernel_slot(&k, tiles), *scratch_slot = tcc_kernel_slot(&k, scratch);
  const TccRowChoice *c = &row->plan.choice;
  const char *schedule =
      tcc_arena_printf(ir->arena, "lanes = %d, along = %s, phases = %d, %s = %d", row->plan.lanes, row->plan.folds ? "row" : "rows",
                       row->read.nlevels + 1, row->plan.holds ? "held" : "kept", row->plan.nkept);
  if (row->plan.folds)
    schedule = tcc_arena_printf(
        ir->arena, "%s, sets = %" PRId64 ", ahead = %" PRId64 ", fetch = %" PRId64 ", block = %" PRId64 ", rows = %" PRId64,
        schedule, c->sets, c->prefetch, c->fetch, c->block, c->rows);
  tcc_kernel_tell(&k, TCC_TELL_FLOATS);
  tcc_kernel_finish(&k, "x86.row", schedule, tile_slots, scratch_slot, out);
  return NULL;
}
