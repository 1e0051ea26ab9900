/* pick.c - rows of a table that is computed from narrower numbers: gathered before they are widened.
 *
 *   table = (convert(q) - zero) * scale, q ui4 [E, N, K]     gather(table, at)  =>  (convert(gather(q, at)) - gather(zero, at)) * gather(scale, at)
 *
 * So the matrices of all experts need not be made: what is read is what the index names, in the type that it is stored in. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"

enum { MOST_STEPS = 16 };

static bool is_rows(TccExpand *x, MlirValue v, const TccExpr *rows) {
  MlirType type = tcc_value_type(v);
  return tcc_type_rank(type) > 0 && tcc_expr_known_equal(tcc_type_dim(x->ir, type, 0), rows);
}

/* Elementwise, or a view that leaves axis 0 alone: a row of the table comes from that row of what it is made from. */
static bool is_by_row(TccExpand *x, MlirValue table, const TccExpr *rows) {
  MlirOperation op = tcc_value_op(table);
  TccOpKind kind = tcc_value_kind(x->ir, table);
  const int64_t *perm;
  size_t n;
  if (kind == TCC_OP_TRANSPOSE) return tcc_get_ints(x->ir, op, "perm", &perm, &n) && perm[0] == 0;
  if (kind == TCC_OP_RESHAPE) return is_rows(x, mlirOperationGetOperand(op, 0), rows);
  return kind != TCC_OP_UNKNOWN && tcc_op_has_trait(kind, 'E') && mlirOperationGetNumResults(op) == 1;
}

/* An operand that has the table's rows; another one is the same for all of them. */
static bool has_rows(TccExpand *x, MlirValue table, MlirValue operand, const TccExpr *rows) {
  bool is_view = tcc_value_kind(x->ir, table) == TCC_OP_RESHAPE;
  return tcc_value_kind(x->ir, operand) != TCC_OP_NONE && is_rows(x, operand, rows) &&
         (is_view || tcc_type_rank(tcc_value_type(operand)) == tcc_type_rank(tcc_value_type(table)));
}

static bool is_narrow(TccExpand *x, MlirValue table, const TccExpr *rows, int steps) {
  if (tcc_elem_bits(tcc_value_elem(table)) <= 8) return true;
  if (steps == MOST_STEPS || !is_by_row(x, table, rows)) return false;
  MlirOperation op = tcc_value_op(table);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (has_rows(x, table, operand, rows) && is_narrow(x, operand, rows, steps + 1)) return true;
  }
  return false;
}

bool tcc_ex_is_narrow(TccExpand *x, MlirValue table) {
  TccShape shape;
  return tcc_type_rank(tcc_value_type(table)) > 0 && tcc_ex_shape(x, table, &shape) && is_narrow(x, table, shape.dims[0], 0);
}

/* The op that makes the table, of other operands, with so many rows. */
static MlirValue again(TccExpand *x, MlirValue table, const MlirValue *operands, const TccShape *shape) {
  MlirOperation op = tcc_value_op(table);
  TccOpKind kind = tcc_value_kind(x->ir, table);
  TccNamedAttr attrs[MOST_STEPS];
  size_t n = 0;
  const int64_t *perm;
  if (kind == TCC_OP_RESHAPE) return tcc_build_reshape(x->b, operands[0], shape->rank, shape->dims);
  if (kind == TCC_OP_TRANSPOSE && tcc_get_ints(x->ir, op, "perm", &perm, &n)) return tcc_build_transpose(x->b, operands[0], perm);
  n = tcc_named_attributes(op, attrs, MOST_STEPS);
  MlirType type = tcc_tensor_type(x->ir, tcc_value_elem(table), shape->rank, shape->dims);
  return tcc_build_value(x->b, kind, operands, (size_t)mlirOperationGetNumOperands(op), attrs, n,
                         tcc_op_has_trait(kind, 'X') ? &type : NULL);
}

/* Scales and zero points of blocks: few beside what they are of, so that they may be made for all rows. */
static bool is_small(TccExpand *x, MlirValue operand, MlirValue table) {
  enum { FEW = 8 };
  const TccExpr *part = tcc_type_count(x->ir, tcc_value_type(operand)), *all = tcc_type_count(x->ir, tcc_value_type(table));
  int64_t few, many;
  return part && all && tcc_expr_is_const(part, &few) && tcc_expr_is_const(all, &many) && few <= many / FEW;
}

MlirValue tcc_ex_pick(TccExpand *x, MlirValue table, MlirValue index) {
  TccShape shape, at;
  if (!tcc_ex_shape(x, table, &shape) || !tcc_ex_shape(x, index, &at)) return (MlirValue){NULL};
  const TccExpr *rows = shape.dims[0];
  bool is_view = tcc_value_kind(x->ir, table) == TCC_OP_TRANSPOSE;
  if (!is_by_row(x, table, rows) || !(is_view || (tcc_elem_bits(tcc_value_elem(table)) > 8 && is_narrow(x, table, rows, 0))))
    return tcc_build_gather(x->b, table, index, 0);
  MlirValue operands[TCC_MAX_RANK];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(tcc_value_op(table)); i++) {
    operands[i] = mlirOperationGetOperand(tcc_value_op(table), i);
    bool picked = is_view || has_rows(x, table, operands[i], rows);
    if (picked)
      operands[i] =
          is_small(x, operands[i], table) ? tcc_build_gather(x->b, operands[i], index, 0) : tcc_ex_pick(x, operands[i], index);
    if (!operands[i].ptr) return operands[i];
  }
  shape.dims[0] = at.dims[0];
  return again(x, table, operands, &shape);
}
