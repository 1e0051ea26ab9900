/* gemv_read.c - a contraction of few rows as its emitter sees it. The right operand is pulled (pull.h), so that it may be computed from
 * what lies in memory: narrow floats, bytes with scales, halves of bytes. */
#include "lib/codegen/gemv/gemv_internal.h"

enum { A = TCC_GEMV_A, R = TCC_GEMV_R, LEAST_DEPTH = 64, LEAST_BLOCK = 8 };

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
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
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
  if (node->kind == TCC_PULL_LOAD && (node->index.coef[g->depth_dim] || (g->block_dim >= 0 && node->index.coef[g->block_dim])))
    return true;
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i] && varies_with_depth(g, node->child[i])) return true;
  return false;
}

/* sum over k of x[k] * (w[k][n] * s[n]) = s[n] * sum over k of x[k] * w[k][n] */
static void take_factor(TccGemv *g) {
  TccPullNode *w = g->weight;
  if (w->kind != TCC_PULL_OP || mlirOperationIsNull(w->op) || tcc_op_kind(g->ir, w->op) != TCC_OP_MUL || w->elem != TCC_ELEM_F32)
    return;
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
  if (w->kind != TCC_PULL_OP || mlirOperationIsNull(w->op) || tcc_op_kind(g->ir, w->op) != TCC_OP_MUL || w->elem != TCC_ELEM_F32)
    return;
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
    if (g->lanes % 8 || run % g->lanes ||
        !tcc_pull_starts_bytes(&g->pull, &node->index, g->along_depth ? g->depth_dim : g->column_dim))
      return false;
  }
  int64_t inner;
  if (g->along_depth && (!tcc_expr_is_const(g->pull.dim[g->depth_dim], &inner) || inner < g->lanes || g->depth < LEAST_DEPTH))
    return false;
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
  if (!tcc_micro_type_plain(machine, tcc_type_elem(xt), tcc_type_elem(yt), &g->type) || g->type.acc_elem != TCC_ELEM_F32)
    return false;
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
