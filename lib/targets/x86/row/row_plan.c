/* row_plan.c - which values of a row kernel are worth keeping from phase to phase, and where. */
#include "lib/targets/x86/row/row_internal.h"

static void mark(const TccPullNode *node, unsigned char *seen) {
  if (seen[node->id]) return;
  seen[node->id] = 1;
  for (int c = 0; c < node->nchildren; c++)
    if (node->child[c]) mark(node->child[c], seen);
}

/* A load of a tensor's only element: a count, an epsilon. One that a gather asks for has an index of its own for each element; so has one of which a
 * slice takes an axis of another size than 1: none of it, or as many elements as a symbol says. */
static bool is_single(const Row *row, const TccPullNode *node) {
  if (node->index.nterms) return false;
  for (int d = 0; d < row->read.pull.ndims; d++)
    if (node->index.coef[d]) return false;
  if (node->argument < 0) return node->count == 1;
  MlirType type = mlirValueGetType(mlirBlockGetArgument(tcc_func_body(row->read.pull.kernel), node->argument));
  for (int d = 0; d < tcc_type_rank(type); d++)
    if (mlirShapedTypeIsDynamicDim(type, d) || mlirShapedTypeGetDimSize(type, d) != 1) return false;
  return true;
}

/* What all elements of a row have in common: made of reductions, numbers and single elements alone. Children come first. */
static void find_shared(Row *row) {
  TccPull *p = &row->read.pull;
  row->plan.shared = TCC_NEW_ARRAY(p->arena, bool, p->nodes.count + 1);
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    const TccExpr *at;
    bool *shared = &row->plan.shared[i];
    *shared = node->kind == TCC_PULL_REDUCED || (node->kind == TCC_PULL_LOAD && is_single(row, node)) ||
              (node->kind == TCC_PULL_INDEX && tcc_pull_is_constant(p, &node->index, &at)) ||
              (node->kind == TCC_PULL_OP && node->nchildren > 0);
    for (int c = 0; c < node->nchildren && node->kind == TCC_PULL_OP; c++)
      *shared &= node->child[c] && row->plan.shared[node->child[c]->id];
  }
}

/* Phase i < nlevels holds the reductions of level i; phase nlevels stores the results. */
void row_plan_phases(Row *row) {
  TccPull *p = &row->read.pull;
  size_t n = p->nodes.count;
  find_shared(row);
  row->of_row = TCC_NEW_ARRAY(p->arena, TccVal, n + 1);
  row->inverse = TCC_NEW_ARRAY(p->arena, TccVal, n + 1);
  unsigned char *first = TCC_NEW_ARRAY(p->arena, unsigned char, n + 1), *seen = TCC_NEW_ARRAY(p->arena, unsigned char, n + 1);
  for (int phase = 0; phase <= row->read.nlevels; phase++) {
    memset(seen, 0, n);
    for (int i = 0; i < row->read.nreductions; i++)
      if (phase == row->read.reduction[i].level) mark(row->read.reduction[i].operand, seen);
    for (int i = 0; i < row->read.nresults; i++)
      if (phase == row->read.nlevels && row->read.result[i].full) mark(row->read.result[i].root, seen);
    for (size_t v = 0; v < n; v++) {
      if (!seen[v]) continue;
      row->plan.body[phase]++;
      if (!first[v]) {
        first[v] = (unsigned char)(phase + 1);
        continue;
      }
      TccPullNode *node = p->nodes.data[v];
      bool known = false;
      for (int i = 0; i < row->plan.nkept; i++) known |= row->plan.kept[i].node == node;
      if (!known && !row->plan.shared[v] && tcc_row_is_costly(&row->read, node) && row->plan.nkept < MAX_KEPT)
        row->plan.kept[row->plan.nkept++] = (Kept){node, first[v] - 1, NULL, NULL};
    }
  }
}

void row_keep_in_result(Row *row) {
  if (!row->read.weight || !row->plan.folds) return;
  const TccExpr *one = tcc_expr_const(row->read.pull.ir->exprs, 1);
  for (int i = 0; i < row->plan.nkept; i++)
    for (int r = 0; r < row->read.nresults && !row->plan.kept[i].in && row->plan.kept[i].node == row->read.weight; r++)
      if (row->read.result[r].elem == TCC_ELEM_F32 && row->read.result[r].store.coef[row->plan.lane_dim] == one)
        row->plan.kept[i].in = &row->read.result[r];
}

bool row_fits_registers(const Row *row, int registers) {
  int reduced = 0;
  int64_t length;
  for (int d = 0; d < row->read.pull.ndims; d++) reduced += row->read.dim_reduced[d];
  return row->read.weight && row->plan.folds && row->plan.nkept == 1 && row->plan.kept[0].node == row->read.weight &&
         reduced == 1 && tcc_expr_is_const(row->read.pull.dim[row->plan.lane_dim], &length) && length > 0 &&
         length <= (int64_t)registers * row->plan.lanes;
}
