/* attention_takes.c - which attentions the emitter takes, as far as their types tell. */
#include "lib/targets/x86/attention/attention.h"
#include "lib/targets/x86/attention/attention_internal.h"

/* A mask of rank 4 at most has `size` on this axis of the scores, or broadcasts there. */
static bool mask_fits(TccIr *ir, MlirValue mask, int axis, const TccExpr *size) {
  MlirType type = tcc_value_type(mask);
  int at = axis - (4 - tcc_type_rank(type));
  if (at < 0) return true;
  const TccExpr *dim = tcc_type_dim(ir, type, at);
  return dim == size || dim == tcc_expr_const(ir->exprs, 1);
}

bool tcc_attention_takes(TccIr *ir, MlirOperation op) {
  const TccExpr *dims[3][4];
  for (int i = 0; i < 3; i++)
    for (int axis = 0; axis < 4; axis++) dims[i][axis] = tcc_type_dim(ir, tcc_value_type(mlirOperationGetOperand(op, i)), axis);
  const TccExpr *const *q = dims[0], *const *k = dims[1], *const *v = dims[2];
  int64_t depth, width, repeat = 1;
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3]) return false;
  if (!tcc_expr_is_const(q[3], &depth) || !tcc_expr_is_const(v[3], &width) || depth > MOST_DEPTH || width > MOST_DEPTH)
    return false;
  const TccExpr *ratio = q[1] == k[1] ? NULL : tcc_expr_divide_exactly(ir->exprs, q[1], k[1]);
  if (q[1] != k[1] && (!ratio || !tcc_expr_is_const(ratio, &repeat))) return false;
  MlirValue mask = mlirOperationGetOperand(op, 3);
  if (tcc_value_is_none(ir, mask)) return true;
  const TccExpr *scores[4] = {q[0], q[1], q[2], k[2]};
  for (int axis = 0; axis < 4; axis++)
    if (!mask_fits(ir, mask, axis, scores[axis])) return false;
  return true;
}

bool tcc_attention_joins(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  MlirType q = tcc_value_type(mlirOperationGetOperand(op, 0)), k = tcc_value_type(mlirOperationGetOperand(op, 1));
  MlirValue mask = mlirOperationGetOperand(op, 3);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *heads = tcc_type_dim(ir, q, 1), *groups = tcc_type_dim(ir, k, 1);
  const TccExpr *ratio = heads == groups ? one : tcc_expr_divide_exactly(ir->exprs, heads, groups);
  TccMicroType type;
  int64_t repeat;
  if (!tcc_attention_takes(ir, op) || tcc_type_dim(ir, q, 2) != one || !ratio || !tcc_expr_is_const(ratio, &repeat)) return false;
  if (!tcc_micro_type_plain(machine, tcc_type_elem(q), tcc_type_elem(q), &type)) return false;
  if (repeat == 1) return true;
  /* A group's queries are taken together where they have one mask. */
  bool shared = tcc_value_is_none(ir, mask) || tcc_type_rank(tcc_value_type(mask)) < 3 ||
                tcc_type_dim(ir, tcc_value_type(mask), tcc_type_rank(tcc_value_type(mask)) - 3) == one;
  return shared && attention_padded_queries(repeat) <= type.lanes && repeat <= MOST_QUERIES;
}
