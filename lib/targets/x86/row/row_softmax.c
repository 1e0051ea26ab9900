/* row_softmax.c - softmax of rows that the first cache does not hold: by blocks, each read from memory once.
 *
 * A row's maximum must be known before its exponentials, so that three walks over it read it again from where it came. Here a block
 * takes exponentials against the greatest value so far, while it is near; the sum so far is scaled whenever that grows (Milakov and
 * Gimelshein 2018, "Online normalizer calculation for softmax"). Each block's maximum stays in scratch, and the walk that multiplies by
 * 1 / sum corrects by e^(its maximum - that of the row). The greatest value starts at the least finite one: a block of -inf alone
 * gives zeros, a row of them 0 / 0 as it does without blocks. A NaN comes through the sum.
 *
 * Three walks go side by side, so that memory is busy while there is something to compute: the exponentials of a block, the maximum of
 * the next one, and the products of a block of the row before, which lies in the second cache. The first block of a row ends at a
 * line of the result: no store of the others takes two lines. */
#include "lib/targets/x86/row/row_internal.h"
#include <float.h>
#include <math.h>

static const char *const floats = "vector<16xf32>";

bool row_can_be_cut(const Row *row) {
  if (!row->read.weight || !row->plan.folds || row->plan.lanes != 16) return false;
  bool in_result = false;
  int reduced = 0;
  for (int i = 0; i < row->plan.nkept; i++) in_result |= row->plan.kept[i].in != NULL;
  for (int d = 0; d < row->read.pull.ndims; d++) reduced += row->read.dim_reduced[d];
  return in_result && reduced == 1 && row->plan.nkept == 1;
}

/* Blocks of a row, with the one before its first line: a maximum for each. */
static const TccExpr *row_blocks(const Row *row) {
  TccExprPool *exprs = row->read.pull.ir->exprs;
  return tcc_expr_add(
      exprs,
      tcc_expr_call(exprs, TCC_EXPR_CEILDIV, row->read.pull.dim[row->plan.lane_dim], tcc_expr_const(exprs, row->plan.choice.block)),
      tcc_expr_const(exprs, 1));
}

const TccExpr *row_block_scratch(const Row *row) {
  return tcc_expr_mul(row->read.pull.ir->exprs, row_blocks(row), tcc_expr_const(row->read.pull.ir->exprs, 2 * 64));
}

/* e^(a - b) */
static TccVal power(Row *row, TccVal a, TccVal b) {
  TccEmit *t = row->k->e;
  TccVal x = tcc_emit_bin(t, "fmul", floats, tcc_emit_bin(t, "fsub", floats, a, b), tcc_emit_float(t, floats, M_LOG2E));
  return t->functions->exp2(t, x, -150);
}

static const TccPullNode *node_of(const Row *row, const Reduction *r) {
  for (size_t n = 0; n < row->read.pull.nodes.count; n++) {
    const TccPullNode *node = row->read.pull.nodes.data[n];
    if (node->kind == TCC_PULL_REDUCED && mlirOperationEqual(node->op, r->op)) return node;
  }
  return NULL;
}

/* One of the walks: its row and phase, elements [at, end) that are left of its block, and the values that the row shares. */
typedef struct {
  int phase;
  TccVal iv[TCC_PULL_DIMS], size, head, at, end;
  TccVal *of_row, *inverse;
} Walk;

static void open_walk(Row *row, Walk *walk, int phase, TccVal unit, TccVal size) {
  size_t n = row->read.pull.nodes.count;
  TccEmit *t = row->k->e;
  *walk = (Walk){.phase = phase,
                 .of_row = TCC_NEW_ARRAY(row->read.pull.arena, TccVal, n + 1),
                 .inverse = TCC_NEW_ARRAY(row->read.pull.arena, TccVal, n + 1)};
  TccVal base, step;
  row_set_unit(row, unit);
  row->emit.iv[row->plan.lane_dim] = tcc_emit_i64(t, 0);
  tcc_pull_emit_affine(&row->emit, &row->plan.kept[0].in->store, &base, &step);
  memcpy(walk->iv, row->emit.iv, sizeof walk->iv);
  bool even = tcc_expr_multiple_of(row->read.pull.dim[row->plan.lane_dim]) % row->plan.lanes == 0;
  walk->head = even
                   ? tcc_emit_i64(t, 0)
                   : tcc_emit_bin(t, "and", "i64", tcc_emit_sub(t, tcc_emit_i64(t, 0), base), tcc_emit_i64(t, row->plan.lanes - 1));
  walk->size = size;
}

static void enter(Row *row, const Walk *walk) {
  row->phase = walk->phase, row->of_row = walk->of_row, row->inverse = walk->inverse;
  memcpy(row->emit.iv, walk->iv, sizeof walk->iv);
}

/* To block `number` of the row: the first one is its head. */
static void go_to(Row *row, Walk *walk, TccVal number) {
  TccEmit *t = row->k->e;
  TccVal block = tcc_emit_i64(t, row->plan.choice.block), end = tcc_emit_add(t, walk->head, tcc_emit_mul(t, number, block));
  walk->at = tcc_emit_min(t, tcc_emit_max(t, tcc_emit_sub(t, end, block), tcc_emit_i64(t, 0)), walk->size);
  walk->end = tcc_emit_min(t, end, walk->size);
}

/* Where the maximum of a block of row `unit` waits: two rows have places in turn. */
static TccVal place_of_maximum(Row *row, TccVal unit, TccVal number) {
  TccEmit *t = row->k->e;
  TccVal half = tcc_emit_mul(t, tcc_emit_bin(t, "and", "i64", unit, tcc_emit_i64(t, 1)), tcc_kernel_size(row->k, row_blocks(row)));
  return tcc_emit_gep(t, floats, row->scratch, tcc_emit_add(t, half, number));
}

/* What is left of a walk's block. */
static TccStatus *finish_block(Row *row, const Walk *walk, int set, Carried *c) {
  enter(row, walk);
  return row_block_loop(row, row->plan.lane_dim, walk->at, walk->end, (int)row->plan.choice.sets, set, c);
}

/* As much of the blocks of all walks as they have in common, and moves them behind it. */
static TccStatus *walk_together(Row *row, Walk *walk, Carried *most, Carried *sums) {
  TccEmit *t = row->k->e;
  int sets = (int)row->plan.choice.sets;
  int64_t step = (int64_t)row->plan.lanes * sets;
  TccVal common = tcc_emit_sub(t, walk[0].end, walk[0].at);
  for (int w = 1; w < 3; w++) common = tcc_emit_min(t, common, tcc_emit_sub(t, walk[w].end, walk[w].at));
  common = tcc_emit_mul(t, tcc_emit_div(t, common, tcc_emit_i64(t, step)), tcc_emit_i64(t, step));
  TccVal carried[2 * TCC_ROW_MOST_SETS];
  const char *types[2 * TCC_ROW_MOST_SETS];
  for (int i = 0; i < 2 * sets; i++) types[i] = floats;
  memcpy(carried, most->value, sizeof *carried * (size_t)sets);
  memcpy(carried + sets, sums->value, sizeof *carried * (size_t)sets);
  TccLoop loop;
  tcc_emit_for(t, &loop, tcc_emit_i64(t, 0), common, step, 2 * sets, carried, types);
  memcpy(carried, loop.in, sizeof *carried * 2 * (size_t)sets);
  for (int i = 0; i < sets; i++)
    for (int w = 0; w < 3; w++) {
      enter(row, &walk[w]);
      row->emit.iv[row->plan.lane_dim] =
          tcc_emit_add(t, tcc_emit_add(t, walk[w].at, loop.iv), tcc_emit_i64(t, (int64_t)i * row->plan.lanes));
      TCC_TRY(row_visit(row, w == 2 ? NULL : &carried[w * sets + i]));
    }
  tcc_emit_end_for(t, &loop, carried);
  memcpy(most->value, loop.out, sizeof *carried * (size_t)sets);
  memcpy(sums->value, loop.out + sets, sizeof *carried * (size_t)sets);
  for (int w = 0; w < 3; w++) walk[w].at = tcc_emit_add(t, walk[w].at, common);
  return NULL;
}

TccStatus *row_softmax_by_blocks(Row *row, TccVal first, TccVal last) {
  TccEmit *t = row->k->e;
  const Reduction *max = &row->read.reduction[0], *sum = &row->read.reduction[1];
  const TccPullNode *top = node_of(row, max), *total = node_of(row, sum);
  TccVal zero = tcc_emit_i64(t, 0), one = tcc_emit_i64(t, 1),
         size = tcc_kernel_size(row->k, row->read.pull.dim[row->plan.lane_dim]);
  TccVal least = tcc_emit_float(t, floats, -FLT_MAX), nothing = tcc_emit_zero(t, floats),
         blocks = tcc_kernel_size(row->k, row_blocks(row));
  int sets = (int)row->plan.choice.sets;
  const char *types[2 + TCC_ROW_MOST_SETS];
  for (int i = 0; i < 2 + sets; i++) types[i] = floats;
  TccLoop rows, block;
  /* one iteration more than rows: the last one multiplies what the one before left; from row to row: the maximum and 1 / sum */
  TccVal iterations = tcc_emit_select1(t, "i64", tcc_emit_icmp(t, "slt", "i64", first, last), tcc_emit_add(t, last, one), first);
  tcc_emit_for(t, &rows, first, iterations, 1, 2, (TccVal[]){least, nothing}, types);
  TccVal unit = rows.iv, before = tcc_emit_sub(t, unit, one);
  Walk walk[3]; /* maxima of the next block, exponentials, products */
  TccVal is_row = tcc_emit_icmp(t, "slt", "i64", unit, last), has_before = tcc_emit_icmp(t, "sgt", "i64", unit, first);
  open_walk(row, &walk[2], 2, before, tcc_emit_select1(t, "i64", has_before, size, zero));
  open_walk(row, &walk[1], 1, unit, tcc_emit_select1(t, "i64", is_row, size, zero));
  open_walk(row, &walk[0], 0, unit, walk[1].size);
  Carried most = {.n = sets}, sums = {.n = sets}, none = {0};
  for (int i = 0; i < sets; i++) most.value[i] = least, most.type[i] = sums.type[i] = floats;
  enter(row, &walk[0]);
  TCC_TRY(row_emit_shared(row));
  go_to(row, &walk[0], zero);
  enter(row, &walk[0]);
  TCC_TRY(row_block_loop(row, row->plan.lane_dim, walk[0].at, walk[0].end, 0, 1, &most));

  TccVal start[2 + TCC_ROW_MOST_SETS] = {least, row_fold(row, max, 1, most.value)},
                   next[2 + TCC_ROW_MOST_SETS]; /* the greatest value so far, with the next block, sums */
  for (int i = 0; i < sets; i++) start[2 + i] = nothing;
  tcc_emit_for(t, &block, zero, blocks, 1, 2 + sets, start, types);
  TccVal greatest = next[0] = block.in[1];
  go_to(row, &walk[0], tcc_emit_add(t, block.iv, one));
  go_to(row, &walk[1], block.iv);
  go_to(row, &walk[2], block.iv);
  tcc_emit_store(t, floats, greatest, place_of_maximum(row, unit, block.iv));
  TccVal grown = power(row, block.in[0], greatest);
  for (int i = 0; i < sets; i++) {
    most.value[i] = greatest;
    sums.value[i] = tcc_emit_bin(t, "fmul", floats, block.in[2 + i], grown);
  }
  row->emit.reduced[top->id] = greatest;
  enter(row, &walk[1]);
  TCC_TRY(row_emit_shared(row));
  TccVal fallen = power(row, tcc_emit_load(t, floats, place_of_maximum(row, before, block.iv)), rows.in[0]);
  walk[2].inverse[total->id] = tcc_emit_bin(t, "fmul", floats, rows.in[1], fallen);
  TCC_TRY(walk_together(row, walk, &most, &sums));
  TCC_TRY(finish_block(row, &walk[0], 1, &most));
  TCC_TRY(finish_block(row, &walk[1], 1, &sums));
  TCC_TRY(finish_block(row, &walk[2], 0, &none));
  next[1] = row_fold(row, max, sets, most.value);
  memcpy(next + 2, sums.value, sizeof *next * (size_t)sets);
  tcc_emit_end_for(t, &block, next);

  TccVal inverse = tcc_emit_bin(t, "fdiv", floats, tcc_emit_float(t, floats, 1), row_fold(row, sum, sets, block.out + 2));
  tcc_emit_end_for(t, &rows, (TccVal[]){block.out[0], inverse});
  return NULL;
}
