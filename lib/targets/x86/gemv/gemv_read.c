/* gemv_read.c - how the products of a contraction of few rows are formed: along columns or the depth, in f32 or in integers. */
#include "lib/targets/x86/gemv/gemv_internal.h"
#include "tcc/op_kinds.h"

enum { LEAST_DEPTH = 64, LEAST_BLOCK = 8 };

static bool is_number(const TccExpr *e, int64_t value) {
  int64_t known;
  return e && tcc_expr_is_const(e, &known) && known == value;
}

bool tcc_gemv_streams(const TccGemv *g, const TccPullNode *node) {
  return node->kind == TCC_PULL_LOAD && node->index.coef[g->read.column_dim] && node->index.coef[g->read.depth_dim];
}

static bool varies_with_depth(const TccGemv *g, const TccPullNode *node) {
  if (node->kind == TCC_PULL_LOAD &&
      (node->index.coef[g->read.depth_dim] || (g->read.block_dim >= 0 && node->index.coef[g->read.block_dim])))
    return true;
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i] && varies_with_depth(g, node->child[i])) return true;
  return false;
}

bool tcc_gemv_is_product(const TccGemv *g, const TccPullNode *node) {
  return node->kind == TCC_PULL_OP && node->elem == TCC_ELEM_F32 && !mlirOperationIsNull(node->op) &&
         tcc_op_kind(g->read.product.ir, node->op) == TCC_OP_MUL;
}

/* sum over k of x[k] * (w[k][n] * s[n]) = s[n] * sum over k of x[k] * w[k][n] */
static void take_factor(TccGemv *g) {
  const TccPullNode *w = g->form.weight;
  if (!tcc_gemv_is_product(g, w)) return;
  for (int i = 0; i < 2; i++) {
    if (varies_with_depth(g, w->child[i])) continue;
    g->form.factor = w->child[i];
    g->form.weight = w->child[1 - i];
    return;
  }
}

static bool varies_in_block(const TccGemv *g, const TccPullNode *node) {
  if (node->kind == TCC_PULL_LOAD && node->index.coef[g->read.depth_dim]) return true;
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i] && varies_in_block(g, node->child[i])) return true;
  return false;
}

/* The same for each block by itself. */
static void take_block_factor(TccGemv *g) {
  const TccPullNode *w = g->form.weight;
  int64_t size;
  if (g->read.block_dim < 0 || g->form.along_depth || !tcc_expr_is_const(g->read.pull.dim[g->read.depth_dim], &size) ||
      size < LEAST_BLOCK || !tcc_gemv_is_product(g, w))
    return;
  for (int i = 0; i < 2; i++) {
    if (varies_in_block(g, w->child[i]) || !varies_in_block(g, w->child[1 - i])) continue;
    g->form.block_factor = w->child[i];
    g->form.weight = w->child[1 - i];
    return;
  }
}

/* What the lanes run along: every stream must be contiguous there. */
static bool choose_direction(const TccMachine *machine, TccGemv *g) {
  bool columns = true, depth = true, found = false;
  for (size_t i = 0; i < g->read.pull.nodes.count; i++) {
    const TccPullNode *node = g->read.pull.nodes.data[i];
    if (node->kind != TCC_PULL_LOAD && node->kind != TCC_PULL_OP) return false;
    if (node->kind == TCC_PULL_LOAD && node->index.nterms) return false;
    for (int d = 0; d < g->read.pull.ndims; d++)
      if (node->index.coef[d] && d != g->read.column_dim && d != g->read.depth_dim && d != g->read.block_dim) return false;
    if (!tcc_gemv_streams(g, node)) continue;
    columns &= is_number(node->index.coef[g->read.column_dim], 1);
    depth &= is_number(node->index.coef[g->read.depth_dim], 1);
    int bits = (int)tcc_elem_bits(node->elem);
    if (!found || bits < g->form.stream_bits) g->form.stream_bits = bits;
    found = true;
  }
  g->form.along_depth = depth && !columns;
  for (size_t i = 0; i < g->read.pull.nodes.count; i++) { /* halves of bytes are taken by whole vectors */
    const TccPullNode *node = g->read.pull.nodes.data[i];
    if (!tcc_gemv_streams(g, node) || tcc_elem_bits(node->elem) >= 8) continue;
    int64_t run = g->form.lanes;
    if (g->form.along_depth) tcc_expr_is_const(g->read.pull.dim[g->read.depth_dim], &run);
    if (g->form.lanes % 8 || run % g->form.lanes ||
        !tcc_pull_starts_bytes(&g->read.pull, &node->index, g->form.along_depth ? g->read.depth_dim : g->read.column_dim))
      return false;
  }
  int64_t inner;
  if (g->form.along_depth &&
      (!tcc_expr_is_const(g->read.pull.dim[g->read.depth_dim], &inner) || inner < g->form.lanes || g->read.depth < LEAST_DEPTH))
    return false;
  if (found && (columns || depth)) take_factor(g);
  if (found && columns) take_block_factor(g);
  if (found && (columns || depth)) tcc_gemv_find_bytes(machine, g);
  return found && (columns || depth);
}

bool tcc_gemv_read(const TccMachine *machine, TccIr *ir, MlirOperation kernel, int64_t most_rows, TccGemv *g) {
  *g = (TccGemv){0};
  TccContraction *product = &g->read.product;
  TccStatus *status = tcc_contraction_find(ir, kernel, product);
  tcc_status_destroy(status);
  if (status || product->packed_nr) return false;
  TccElem a = tcc_type_elem(tcc_value_type(product->axes.operand[0])), b = tcc_type_elem(tcc_value_type(product->axes.operand[1]));
  if (!tcc_micro_type_plain(machine, a, b, &g->form.type) || g->form.type.acc_elem != TCC_ELEM_F32) return false;
  g->form.lanes = g->form.type.lanes;
  if (!tcc_gemv_problem_read(most_rows, &g->read)) return false;
  g->form.weight = tcc_pull_before_rounding(ir, g->read.weight);
  return choose_direction(machine, g);
}

bool tcc_gemv_reads_weights(int64_t rows, TccElem weight) { return rows <= 1 || weight != TCC_ELEM_F32; }

bool tcc_gemv_accepts(const TccMachine *machine, TccIr *ir, MlirOperation kernel) {
  TccGemv *g = TCC_NEW(ir->arena, TccGemv);
  return tcc_gemv_read(machine, ir, kernel, TCC_GEMV_ROWS, g);
}
