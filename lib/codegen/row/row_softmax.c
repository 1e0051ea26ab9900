/* row_softmax.c - softmax of rows that the first cache does not hold: by blocks, each read from memory once.
 *
 * A row's maximum must be known before its exponentials, so that three walks over it read it again from where it came. Here a block
 * takes exponentials against the greatest value so far, while it is near; the sum so far is scaled whenever that grows (Milakov and
 * Gimelshein 2018, "Online normalizer calculation for softmax"). Each block's maximum stays in scratch, and the walk that multiplies by
 * 1 / sum corrects by e^(its maximum - that of the row). The greatest value starts at the least finite one: a block of -inf alone
 * gives zeros, a row of them 0 / 0 as it does without blocks. A NaN comes through the sum. */
#include "lib/codegen/emit/scalar_lookup.h"
#include "lib/codegen/row/row_internal.h"
#include <float.h>
#include <math.h>

static const char *const floats = "vector<16xf32>";

bool row_goes_by_blocks(const Row *row, const TccMachine *machine) {
  if (!row->weight || !row->folds || row->lanes != 16) return false;
  bool in_result = false;
  int reduced = 0;
  for (int i = 0; i < row->nkept; i++) in_result |= row->kept[i].in != NULL;
  for (int d = 0; d < row->pull.ndims; d++) reduced += row->dim_reduced[d];
  int64_t bytes = tcc_ir_likely(row->pull.ir, row->pull.dim[row->lane_dim]) * (int64_t)sizeof(float);
  return in_result && reduced == 1 && row->nkept == 1 && bytes >= (machine->l1_bytes ? machine->l1_bytes : 1 << 15);
}

const TccExpr *row_block_scratch(const Row *row) {
  TccExprPool *exprs = row->pull.ir->exprs;
  const TccExpr *blocks = tcc_expr_call(exprs, TCC_EXPR_CEILDIV, row->pull.dim[row->lane_dim], tcc_expr_const(exprs, ROW_BLOCK));
  return tcc_expr_mul(exprs, blocks, tcc_expr_const(exprs, 64));
}

/* e^(a - b) */
static TccVal power(Row *row, TccVal a, TccVal b) {
  TccEmit *t = row->k->e;
  TccVal x = tcc_emit_bin(t, "fmul", floats, tcc_emit_bin(t, "fsub", floats, a, b), tcc_emit_float(t, floats, M_LOG2E));
  return tcc_lookup_exp2(t, x, -150);
}

static const TccPullNode *node_of(const Row *row, const Reduction *r) {
  for (size_t n = 0; n < row->pull.nodes.count; n++) {
    const TccPullNode *node = row->pull.nodes.data[n];
    if (node->kind == TCC_PULL_REDUCED && mlirOperationEqual(node->op, r->op)) return node;
  }
  return NULL;
}

/* Where the maximum of the block that begins at element `from` waits. */
static TccVal place_of_maximum(Row *row, TccVal from) {
  TccEmit *t = row->k->e;
  return tcc_emit_gep(t, floats, row->scratch, tcc_emit_div(t, from, tcc_emit_i64(t, ROW_BLOCK)));
}

TccStatus *row_softmax_by_blocks(Row *row) {
  TccEmit *t = row->k->e;
  const Reduction *max = &row->reduction[0], *sum = &row->reduction[1];
  const TccPullNode *top = node_of(row, max), *total = node_of(row, sum);
  const char *types[1 + ROW_SETS];
  TccVal start[1 + ROW_SETS], next[1 + ROW_SETS], size = tcc_kernel_size(row->k, row->pull.dim[row->lane_dim]), zero = tcc_emit_i64(t, 0);
  for (int i = 0; i <= ROW_SETS; i++) types[i] = floats, start[i] = i ? tcc_emit_zero(t, floats) : tcc_emit_float(t, floats, -FLT_MAX);
  TccLoop block;
  tcc_emit_for(t, &block, zero, size, ROW_BLOCK, 1 + ROW_SETS, start, types);
  TccVal end = tcc_emit_min(t, tcc_emit_add(t, block.iv, tcc_emit_i64(t, ROW_BLOCK)), size);
  Carried most = {.n = ROW_SETS}, sums = {.n = ROW_SETS};
  for (int i = 0; i < ROW_SETS; i++) most.value[i] = block.in[0], most.type[i] = sums.type[i] = floats;
  row->phase = 0;
  TCC_TRY(row_emit_shared(row));
  TCC_TRY(row_block_loop(row, row->lane_dim, block.iv, end, ROW_SETS, 1, &most));
  next[0] = row_fold(row, max, ROW_SETS, most.value);
  tcc_emit_store(t, floats, next[0], place_of_maximum(row, block.iv));
  TccVal grown = power(row, block.in[0], next[0]);
  for (int i = 0; i < ROW_SETS; i++) sums.value[i] = tcc_emit_bin(t, "fmul", floats, block.in[1 + i], grown);
  row->emit.reduced[top->id] = next[0];
  row->phase = 1;
  TCC_TRY(row_emit_shared(row));
  TCC_TRY(row_block_loop(row, row->lane_dim, block.iv, end, ROW_SETS, 1, &sums));
  memcpy(next + 1, sums.value, sizeof *next * ROW_SETS);
  tcc_emit_end_for(t, &block, next);

  row->emit.reduced[top->id] = block.out[0];
  row->emit.reduced[total->id] = row_fold(row, sum, ROW_SETS, block.out + 1);
  row->phase = 2;
  TCC_TRY(row_emit_shared(row));
  TccVal inverse = row->inverse[total->id], last = block.out[0];
  Carried none = {0};
  tcc_emit_for(t, &block, zero, size, ROW_BLOCK, 0, NULL, NULL);
  TccVal fallen = power(row, tcc_emit_load(t, floats, place_of_maximum(row, block.iv)), last);
  row->inverse[total->id] = tcc_emit_bin(t, "fmul", floats, inverse, fallen);
  end = tcc_emit_min(t, tcc_emit_add(t, block.iv, tcc_emit_i64(t, ROW_BLOCK)), size);
  TCC_TRY(row_block_loop(row, row->lane_dim, block.iv, end, ROW_SETS, 0, &none));
  tcc_emit_end_for(t, &block, NULL);
  return NULL;
}
