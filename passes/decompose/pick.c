/* pick.c - rows of a table that is computed from narrower numbers: gathered before they are widened.
 *
 *   table = (convert(q) - zero) * scale, q ui4 [E, N, K]     gather(table, at)  =>  (convert(gather(q, at)) - gather(zero, at)) * gather(scale, at)
 *
 * So the matrices of all experts need not be made: what is read is what the index names, in the type that it is stored in. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"

enum { MOST_STEPS = 16, MOST_VISITS = 64 };

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

/* *visits: ops that may still be looked at, as several may read one. */
static bool is_narrow(TccExpand *x, MlirValue table, const TccExpr *rows, int *visits) {
  if (tcc_elem_bits(tcc_value_elem(table)) <= 8) return true;
  if (--*visits < 0 || !is_by_row(x, table, rows)) return false;
  MlirOperation op = tcc_value_op(table);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (has_rows(x, table, operand, rows) && is_narrow(x, operand, rows, visits)) return true;
  }
  return false;
}

bool tcc_ex_is_narrow(TccExpand *x, MlirValue table) {
  TccShape shape;
  int visits = MOST_VISITS;
  return tcc_type_rank(tcc_value_type(table)) > 0 && tcc_ex_shape(x, table, &shape) && is_narrow(x, table, shape.dims[0], &visits);
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

/* What was picked, each once. */
typedef struct {
  TccExpand *x;
  MlirValue index, table[MOST_VISITS], rows[MOST_VISITS];
  size_t count;
} Picks;

static MlirValue pick_rows(Picks *p, MlirValue table);

static MlirValue pick(Picks *p, MlirValue table) {
  for (size_t i = 0; i < p->count; i++)
    if (mlirValueEqual(p->table[i], table)) return p->rows[i];
  MlirValue rows = p->count < MOST_VISITS ? pick_rows(p, table) : tcc_build_gather(p->x->b, table, p->index, 0);
  if (p->count < MOST_VISITS) p->table[p->count] = table, p->rows[p->count++] = rows;
  return rows;
}

static MlirValue pick_rows(Picks *p, MlirValue table) {
  TccExpand *x = p->x;
  TccShape shape, at;
  int visits = MOST_VISITS;
  if (!tcc_ex_shape(x, table, &shape) || !tcc_ex_shape(x, p->index, &at)) return (MlirValue){NULL};
  const TccExpr *rows = shape.dims[0];
  bool is_view = tcc_value_kind(x->ir, table) == TCC_OP_TRANSPOSE;
  if (!is_by_row(x, table, rows) || !(is_view || (tcc_elem_bits(tcc_value_elem(table)) > 8 && is_narrow(x, table, rows, &visits))))
    return tcc_build_gather(x->b, table, p->index, 0);
  MlirValue operands[TCC_MAX_RANK];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(tcc_value_op(table)); i++) {
    operands[i] = mlirOperationGetOperand(tcc_value_op(table), i);
    bool picked = is_view || has_rows(x, table, operands[i], rows);
    if (picked)
      operands[i] = is_small(x, operands[i], table) ? tcc_build_gather(x->b, operands[i], p->index, 0) : pick(p, operands[i]);
    if (!operands[i].ptr) return operands[i];
  }
  shape.dims[0] = at.dims[0];
  return again(x, table, operands, &shape);
}

MlirValue tcc_ex_pick(TccExpand *x, MlirValue table, MlirValue index) {
  Picks picks = {.x = x, .index = index};
  return pick(&picks, table);
}
