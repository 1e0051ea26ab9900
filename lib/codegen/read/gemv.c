/* gemv.c - see gemv.h. */
#include "lib/codegen/read/gemv.h"

static bool contains(const int *axes, int n, int axis) {
  for (int i = 0; i < n; i++)
    if (axes[i] == axis) return true;
  return false;
}

/* The right operand as a function of its axes, the dims joined into one for the columns and one or two for the depth. */
static bool pull_weight(TccGemvProblem *g) {
  TccIr *ir = g->product.ir;
  const TccDotAxes *axes = &g->product.axes;
  MlirType type = tcc_value_type(axes->operand[1]);
  TccPull *p = &g->pull;
  TccPullIndex index[TCC_MAX_RANK], n_at;
  TccPullDims dims;
  tcc_pull_dims_of(ir, type, &dims);
  g->weight = tcc_pull_over(p, ir, g->product.kernel, (MlirOperation){NULL}, axes->operand[1], &dims, index);
  tcc_status_destroy(p->status);
  if (!g->weight) return false;
  n_at = g->k_at = tcc_pull_constant(p, tcc_expr_const(ir->exprs, 0));
  for (int i = 0; i < axes->ncontract; i++) {
    g->k_at = tcc_pull_scale(p, &g->k_at, tcc_type_dim(ir, type, axes->contract[1][i]));
    g->k_at = tcc_pull_add(p, &g->k_at, &index[axes->contract[1][i]]);
  }
  for (int i = 0; i < axes->nfree[1]; i++) {
    n_at = tcc_pull_scale(p, &n_at, tcc_type_dim(ir, type, axes->free[1][i]));
    n_at = tcc_pull_add(p, &n_at, &index[axes->free[1][i]]);
  }
  TccPullIndex *stores[] = {&n_at, &g->k_at};
  tcc_pull_join_dims(p, stores, 2);

  g->column_dim = g->depth_dim = g->block_dim = -1;
  for (int d = 0; d < p->ndims; d++) {
    int64_t step;
    if (n_at.coef[d]) {
      if (g->column_dim >= 0) return false;
      g->column_dim = d;
    } else if (g->k_at.coef[d]) {
      bool inner = tcc_expr_is_const(g->k_at.coef[d], &step) && step == 1;
      int *slot = inner ? &g->depth_dim : &g->block_dim;
      if (*slot >= 0) return false;
      *slot = d;
    } else { /* along the batch */
      for (size_t i = 0; i < p->nodes.count; i++)
        if (p->nodes.data[i]->index.coef[d]) return false;
    }
  }
  return g->column_dim >= 0 && g->depth_dim >= 0;
}

bool tcc_gemv_problem_read(int64_t most_rows, TccGemvProblem *g) {
  TccContraction *c = &g->product;
  const TccDotAxes *axes = &c->axes;
  TccIr *ir = c->ir;
  MlirType xt = tcc_value_type(axes->operand[0]), yt = tcc_value_type(axes->operand[1]);
  /* Sizes first: most kernels are turned away here, before anything is built. */
  int64_t size;
  g->rows = g->columns = g->depth = 1;
  for (int i = 0; i < tcc_type_rank(yt); i++) {
    if (!tcc_expr_is_const(tcc_type_dim(ir, yt, i), &size)) return false;
    if (contains(axes->contract[1], axes->ncontract, i)) g->depth *= size;
    else if (!contains(axes->batch[1], axes->nbatch, i)) g->columns *= size;
  }
  for (int i = 0; i < tcc_type_rank(xt); i++) {
    if (contains(axes->contract[0], axes->ncontract, i)) continue;
    if (!tcc_expr_is_const(tcc_type_dim(ir, xt, i), &size)) g->rows = -1;
    else if (g->rows >= 0) g->rows *= size;
    if (most_rows >= 0 && (g->rows < 0 || g->rows > most_rows)) return false;
  }
  if (g->rows * g->columns * g->depth == 0) return false;
  TccStatus *status = tcc_epilogue_read(ir, c->kernel, mlirOperationGetResult(c->dot, 0), &c->epilogue);
  if (!status && tcc_view_of(ir, axes->operand[0], &c->a) && pull_weight(g)) {
    status = tcc_contraction_spans(c, true);
    if (!status) return true;
  }
  tcc_status_destroy(status);
  return false;
}
