/* attention.c - see attention.h. */
#include "lib/codegen/read/attention.h"
#include "lib/codegen/read/kernel.h"
#include "lib/ir/attention.h"

static const TccViewAxis *mask_axis(const TccAttention *a, int axis) {
  const TccView *v = &a->view[TCC_ATTENTION_MASK];
  int at = axis - (4 - v->rank);
  int64_t one;
  if (!a->mask || at < 0) return NULL;
  bool single = v->axis[at].n == 1 && tcc_expr_is_const(v->axis[at].size[0], &one) && one == 1;
  return single ? NULL : &v->axis[at];
}

/* Where a value reaches a result of the kernel, or -1. */
static intptr_t result_of(TccAttention *a, MlirOperation kernel, MlirValue value, TccView *view) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
    if (tcc_view_of_result(a->ir, kernel, i, value, view)) return i;
  return -1;
}

/* Keys or values that a concatenation joins: results of the kernel, and the views of their parts. */
static bool read_joined(TccAttention *a, MlirOperation kernel, MlirOperation concat, int tensor, int parts) {
  for (int i = 0; i < 2; i++)
    if (!tcc_view_of(a->ir, mlirOperationGetOperand(concat, i), &a->view[parts + i])) return false;
  return tcc_i64(a->ir, concat, "axis") == 2 && result_of(a, kernel, mlirOperationGetResult(concat, 0), &a->view[tensor]) >= 0;
}

static TccStatus *read_views(TccAttention *a, MlirOperation kernel, MlirOperation sums) {
  static const char *const names[] = {"q", "k", "v"};
  TccIr *ir = a->ir;
  for (int i = 0; i < (a->gives_result ? 3 : 2); i++) {
    MlirValue value = mlirOperationGetOperand(a->op, i);
    if (a->gives_result && i != TCC_ATTENTION_Q && (i == TCC_ATTENTION_K || a->joins) &&
        tcc_value_kind(ir, value) == TCC_OP_CONCAT) {
      if (!read_joined(a, kernel, mlirOpResultGetOwner(value), i,
                       i == TCC_ATTENTION_K ? TCC_ATTENTION_K_PARTS : TCC_ATTENTION_V_PARTS))
        return TCC_ERROR(TCC_UNSUPPORTED, "operand %s of attention is joined from what is no view, or not written", names[i]);
      a->joins = true;
    } else if (a->joins) {
      return TCC_ERROR(TCC_UNSUPPORTED, "attention that joins its keys and not its values");
    } else if (!tcc_view_of(ir, value, &a->view[i])) {
      return TCC_ERROR(TCC_UNSUPPORTED, "operand %s of attention is not a strided view", names[i]);
    }
  }
  MlirValue mask = mlirOperationGetOperand(a->op, tcc_attention_mask_at(a->op));
  if (!tcc_value_is_none(ir, mask)) {
    if (!tcc_view_of(ir, mask, &a->view[TCC_ATTENTION_MASK]))
      return TCC_ERROR(TCC_UNSUPPORTED, "the mask of attention is not a strided view");
    TccElem elem = a->view[TCC_ATTENTION_MASK].elem;
    if (elem != TCC_ELEM_BOOL && !(tcc_elem_is_float(elem) && tcc_elem_computes(elem)))
      return TCC_ERROR(TCC_UNSUPPORTED, "a mask of %s", tcc_elem_name(elem));
    a->mask = TCC_ATTENTION_MASK_BLOCK;
    const TccViewAxis *axis = mask_axis(a, 2);
    bool shared = true;
    for (int s = 0; axis && s < axis->n; s++) {
      int64_t stride;
      shared = shared && tcc_expr_is_const(axis->stride[s], &stride) && stride == 0;
    }
    if (shared) a->mask = TCC_ATTENTION_MASK_KEYS;
  }
  const MlirOperation made[] = {a->op, sums};
  if (mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel))) !=
      a->gives_result + a->gives_sums + (a->joins ? 2 : 0))
    return TCC_ERROR(TCC_UNSUPPORTED, "the kernel of an attention has other results");
  for (int i = a->gives_result ? 0 : 1; i < 1 + a->gives_sums; i++)
    if (result_of(a, kernel, mlirOperationGetResult(made[i], 0), &a->view[i ? TCC_ATTENTION_L : TCC_ATTENTION_R]) < 0)
      return TCC_ERROR(TCC_UNSUPPORTED, "the result of attention does not reach the kernel's result by views alone");
  return NULL;
}

static bool is_present(const TccAttention *a, int tensor) {
  return (tensor != TCC_ATTENTION_V && tensor != TCC_ATTENTION_R) || a->gives_result;
}

/* The axis that operand `from` has in common with tensors t0 and t1, and the mask at axis mask_at (-1: not). Logarithms have those of queries. */
static bool append(TccAttention *a, TccSpan *span, int from, int axis, int t0, int t1, int mask_at) {
  const TccViewAxis *axes[TCC_ATTENTION_TENSORS] = {0};
  const int both[] = {t0, t1};
  if (a->gives_sums && (span == &a->heads || span == &a->queries)) axes[TCC_ATTENTION_L] = &a->view[TCC_ATTENTION_L].axis[axis];
  for (int i = 0; i < 2; i++) {
    if (!is_present(a, both[i])) continue;
    axes[both[i]] = &a->view[both[i]].axis[axis];
    if (!a->joins || span == &a->keys || (both[i] != TCC_ATTENTION_K && both[i] != TCC_ATTENTION_V)) continue;
    for (int parts = both[i] == TCC_ATTENTION_K ? TCC_ATTENTION_K_PARTS : TCC_ATTENTION_V_PARTS, p = 0; p < 2; p++)
      axes[parts + p] = &a->view[parts + p].axis[axis];
  }
  if (mask_at >= 0) axes[TCC_ATTENTION_MASK] = mask_axis(a, mask_at);
  const TccExpr *size = tcc_type_dim(a->ir, tcc_value_type(mlirOperationGetOperand(a->op, from)), axis);
  return tcc_span_append(a->ir, span, size, axes);
}

/* Where keys and values of part p lie. */
static bool append_part(TccAttention *a, int p) {
  const TccViewAxis *axes[TCC_ATTENTION_TENSORS] = {[TCC_ATTENTION_K_PARTS] = NULL};
  MlirOperation concat = mlirOpResultGetOwner(mlirOperationGetOperand(a->op, TCC_ATTENTION_K));
  axes[TCC_ATTENTION_K_PARTS + p] = &a->view[TCC_ATTENTION_K_PARTS + p].axis[2];
  axes[TCC_ATTENTION_V_PARTS + p] = &a->view[TCC_ATTENTION_V_PARTS + p].axis[2];
  const TccExpr *size = tcc_type_dim(a->ir, tcc_value_type(mlirOperationGetOperand(concat, p)), 2);
  return tcc_span_append(a->ir, &a->part_keys[p], size, axes);
}

/* One query for each head, several heads for each key: the heads of a group become the queries of one tile, so that they
 * share its keys and fill its lanes. */
static bool append_stacked(TccAttention *a) {
  TccIr *ir = a->ir;
  const TccViewAxis *outer[TCC_ATTENTION_TENSORS] = {0}, *inner[TCC_ATTENTION_TENSORS] = {0};
  TccViewAxis parts[TCC_ATTENTION_TENSORS][2];
  const TccExpr *repeat = tcc_expr_const(ir->exprs, a->repeat);
  static const int of_queries[] = {TCC_ATTENTION_Q, TCC_ATTENTION_R, TCC_ATTENTION_L};
  for (int i = 0; i < 3; i++) {
    const int t = of_queries[i];
    if (t == TCC_ATTENTION_L ? !a->gives_sums : !is_present(a, t)) continue;
    const TccViewAxis *axis = &a->view[t].axis[1];
    parts[t][0] = (TccViewAxis){.n = 1, .size = {a->ngroups}, .stride = {tcc_expr_mul(ir->exprs, axis->stride[0], repeat)}};
    parts[t][1] = (TccViewAxis){.n = 1, .size = {repeat}, .stride = {axis->stride[0]}};
    outer[t] = &parts[t][0], inner[t] = &parts[t][1];
  }
  return append(a, &a->heads, 0, 0, TCC_ATTENTION_Q, TCC_ATTENTION_R, 0) && tcc_span_append(ir, &a->heads, a->ngroups, outer) &&
         tcc_span_append(ir, &a->queries, repeat, inner);
}

static bool can_stack(const TccAttention *a) {
  int64_t queries = 0;
  tcc_expr_is_const(tcc_type_dim(a->ir, tcc_value_type(mlirOperationGetOperand(a->op, 0)), 2), &queries);
  return queries == 1 && a->repeat > 1 && a->view[TCC_ATTENTION_Q].axis[1].n == 1 &&
         (!a->gives_result || a->view[TCC_ATTENTION_R].axis[1].n == 1) &&
         (!a->gives_sums || a->view[TCC_ATTENTION_L].axis[1].n == 1) && !mask_axis(a, 1) && !mask_axis(a, 2);
}

static TccStatus *read_spans(TccAttention *a) {
  TccIr *ir = a->ir;
  TccSpan *all[] = {&a->heads, &a->kv_heads, &a->queries, &a->keys, &a->depth, &a->width, &a->part_keys[0], &a->part_keys[1]};
  const size_t spans = sizeof all / sizeof *all - (a->joins ? 0 : 2);
  for (size_t i = 0; i < spans; i++) tcc_span_init(ir, all[i], TCC_ATTENTION_TENSORS);
  a->stacked = can_stack(a);
  bool ok = a->stacked ? append_stacked(a)
                       : append(a, &a->heads, 0, 0, TCC_ATTENTION_Q, TCC_ATTENTION_R, 0) &&
                             append(a, &a->heads, 0, 1, TCC_ATTENTION_Q, TCC_ATTENTION_R, 1) &&
                             append(a, &a->queries, 0, 2, TCC_ATTENTION_Q, TCC_ATTENTION_R, 2);
  ok = ok && append(a, &a->kv_heads, 1, 0, TCC_ATTENTION_K, TCC_ATTENTION_V, -1) &&
       append(a, &a->kv_heads, 1, 1, TCC_ATTENTION_K, TCC_ATTENTION_V, -1) &&
       append(a, &a->keys, 1, 2, TCC_ATTENTION_K, TCC_ATTENTION_V, 3) &&
       append(a, &a->depth, 0, 3, TCC_ATTENTION_Q, TCC_ATTENTION_K, -1) &&
       (!a->gives_result || append(a, &a->width, 2, 3, TCC_ATTENTION_V, TCC_ATTENTION_R, -1)) &&
       (!a->joins || (append_part(a, 0) && append_part(a, 1)));
  if (!ok) return TCC_ERROR(TCC_UNSUPPORTED, "views of attention's operands do not line up");
  for (size_t i = 0; i < spans; i++) tcc_span_finish(ir, all[i]);
  if (!a->gives_result) a->width.count = tcc_expr_const(ir->exprs, 0);
  return NULL;
}

TccStatus *tcc_attention_read(TccIr *ir, MlirOperation kernel, TccAttention *a) {
  *a = (TccAttention){.ir = ir, .op = tcc_read_find(ir, kernel, TCC_OP_ATTENTION)};
  MlirOperation sums = tcc_read_find(ir, kernel, TCC_OP_ATTENTION_LOGSUMEXP);
  a->gives_result = !mlirOperationIsNull(a->op), a->gives_sums = !mlirOperationIsNull(sums);
  if (!a->gives_result) a->op = sums;
  if (mlirOperationIsNull(a->op)) return TCC_ERROR(TCC_UNSUPPORTED, "no attention in an attention kernel");
  if (a->gives_result && a->gives_sums && !tcc_attention_same_scores(ir, a->op, sums))
    return TCC_ERROR(TCC_UNSUPPORTED, "an attention and sums of other scores");
  TCC_TRY(read_views(a, kernel, sums));
  MlirType q = tcc_value_type(mlirOperationGetOperand(a->op, 0)), kt = tcc_value_type(mlirOperationGetOperand(a->op, 1));
  a->nheads = tcc_type_dim(ir, q, 1);
  a->ngroups = tcc_type_dim(ir, kt, 1);
  const TccExpr *repeat =
      a->nheads == a->ngroups ? tcc_expr_const(ir->exprs, 1) : tcc_expr_divide_exactly(ir->exprs, a->nheads, a->ngroups);
  if (!repeat || !tcc_expr_is_const(repeat, &a->repeat))
    return TCC_ERROR(TCC_UNSUPPORTED, "attention with an unknown number of heads in a group");
  TCC_TRY(read_spans(a));
  if (!tcc_expr_is_const(a->depth.count, &a->d) || !tcc_expr_is_const(a->width.count, &a->e))
    return TCC_ERROR(TCC_UNSUPPORTED, "attention with a dynamic head dimension");
  a->scale = tcc_f64(ir, a->op, "scale");
  a->softcap = tcc_f64(ir, a->op, "softcap");
  a->causal = tcc_bool(ir, a->op, "causal");
  a->zero_masked = a->gives_result && tcc_bool(ir, a->op, "zero_masked");
  const TccExpr *const *offset;
  size_t n;
  a->offset = tcc_expr_const(ir->exprs, 0);
  if (tcc_get_exprs(ir, a->op, "offset", &offset, &n) && n) a->offset = offset[0];
  return NULL;
}

/* ---- as far as types tell ---- */

/* A mask of rank 4 at most has `size` on this axis of the scores, or broadcasts there. */
static bool mask_fits(TccIr *ir, MlirValue mask, int axis, const TccExpr *size) {
  MlirType type = tcc_value_type(mask);
  int at = axis - (4 - tcc_type_rank(type));
  if (at < 0) return true;
  const TccExpr *dim = tcc_type_dim(ir, type, at);
  return dim == size || dim == tcc_expr_const(ir->exprs, 1);
}

bool tcc_attention_takes(TccIr *ir, MlirOperation op, int64_t most_depth) {
  const bool values = tcc_op_kind(ir, op) == TCC_OP_ATTENTION;
  const TccExpr *dims[3][4];
  for (int i = 0; i < (values ? 3 : 2); i++)
    for (int axis = 0; axis < 4; axis++)
      if (!(dims[i][axis] = tcc_type_dim(ir, tcc_value_type(mlirOperationGetOperand(op, i)), axis))) return false;
  const TccExpr *const *q = dims[0], *const *k = dims[1], *const *v = dims[values ? 2 : 1];
  int64_t depth, width, repeat = 1;
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3]) return false;
  if (!tcc_expr_is_const(q[3], &depth) || !tcc_expr_is_const(v[3], &width) || depth > most_depth || width > most_depth)
    return false;
  const TccExpr *ratio = q[1] == k[1] ? NULL : tcc_expr_divide_exactly(ir->exprs, q[1], k[1]);
  if (q[1] != k[1] && (!ratio || !tcc_expr_is_const(ratio, &repeat))) return false;
  MlirValue mask = mlirOperationGetOperand(op, tcc_attention_mask_at(op));
  if (tcc_value_is_none(ir, mask)) return true;
  const TccExpr *scores[4] = {q[0], q[1], q[2], k[2]};
  for (int axis = 0; axis < 4; axis++)
    if (!mask_fits(ir, mask, axis, scores[axis])) return false;
  return true;
}
