/* simplify_product.c - a reshape behind a product goes before it, where another one stands that it cancels or becomes one with.
 *
 *   %1 = tcc.reshape %x : tensor<2x16x64> -> tensor<32x64>
 *   %2 = tcc.linear %1, %w, %b : tensor<32x128>                  =>   %2 = tcc.linear %x, %w, %b : tensor<2x16x128>
 *   %3 = tcc.reshape %2 : tensor<32x128> -> tensor<2x16x128>
 *
 * PyTorch joins the leading axes for its products of matrices and splits them again behind each. Whatever follows a product reads it in
 * the shape that it has itself, so that it can become its epilogue.
 *
 * A matrix times a vector is the vector times the matrix, which is a product of one row to targets: its right operand is read where it lies. Vectors times
 * vectors, of each batch, are sums of elementwise products. A product of a depth of 1 is elementwise. */
#include "lib/ir/dot_axes.h"
#include "passes/simplify/simplify.h"
#include "tcc/op_kinds.h"

enum { MOST_OPS = 8 /* between the product and the reshape */, MOST_OPERANDS = 3, MOST_ATTRIBUTES = 8 };

static const MlirValue none = {NULL};

typedef struct {
  Simplify *s;
  MlirType from, to; /* of the reshape, which keeps the last axis */
} Move;

static bool same_shape(const Move *m, MlirValue v, MlirType type) { return tcc_type_same_shape(m->s->ir, tcc_value_type(v), type); }

static const TccExpr *last_dim(TccIr *ir, MlirType type) { return tcc_type_dim(ir, type, tcc_type_rank(type) - 1); }

/* All axes of the product's left operand but the last one are the result's, whose last axis is the right operand's. */
static bool is_product_of_rows(TccIr *ir, MlirOperation op) {
  TccDotAxes axes;
  switch (tcc_op_kind(ir, op)) {
  case TCC_OP_LINEAR: {
    MlirValue bias = mlirOperationGetOperand(op, 2);
    return tcc_value_kind(ir, bias) == TCC_OP_NONE || tcc_type_rank(tcc_value_type(bias)) <= 1;
  }
  case TCC_OP_MATMUL: return tcc_type_rank(tcc_value_type(mlirOperationGetOperand(op, 1))) == 2;
  case TCC_OP_DOT_GENERAL:
    return tcc_dot_axes(ir, op, &axes) && !axes.nbatch && axes.ncontract == 1 && axes.contract[0][0] == axes.nfree[0] &&
           axes.nfree[1] == 1;
  default: return false;
  }
}

/* An operand of an elementwise op that means the same beside other leading axes. */
static bool is_of_last_axis(const Move *m, MlirValue v) {
  if (tcc_value_kind(m->s->ir, v) == TCC_OP_NONE) return true;
  MlirType type = tcc_value_type(v);
  int rank = tcc_type_rank(type);
  return rank == 0 || (rank == 1 && tcc_type_rank(m->to) > 0);
}

/* Whether v, which nobody else reads, is a product of what was reshaped, or elementwise ops of such products. */
static bool can_move(const Move *m, MlirValue v, int *ops) {
  TccIr *ir = m->s->ir;
  MlirOperation op = tcc_value_op(v);
  TccOpKind kind = tcc_value_kind(ir, v);
  if (mlirOperationIsNull(op) || !simplify_used_once(v) || !same_shape(m, v, m->from)) return false;
  if (is_product_of_rows(ir, op)) return tcc_value_kind(ir, mlirOperationGetOperand(op, 0)) == TCC_OP_RESHAPE;
  intptr_t noperands = mlirOperationGetNumOperands(op);
  bool elementwise = kind != TCC_OP_UNKNOWN && tcc_op_has_trait(kind, 'E') && mlirOperationGetNumResults(op) == 1;
  if (!elementwise || ++*ops > MOST_OPS || noperands > MOST_OPERANDS || mlirOperationGetNumAttributes(op) > MOST_ATTRIBUTES)
    return false;
  bool any = false;
  for (intptr_t i = 0; i < noperands; i++) {
    MlirValue x = mlirOperationGetOperand(op, i);
    if (is_of_last_axis(m, x)) continue;
    if (tcc_value_kind(ir, x) == TCC_OP_RESHAPE && same_shape(m, x, m->from) &&
        same_shape(m, mlirOperationGetOperand(tcc_value_op(x), 0), m->to))
      continue;
    if (!can_move(m, x, ops)) return false;
    any = true;
  }
  return any;
}

/* x with the leading axes of `to` in place of its own. */
static MlirValue reshaped(const Move *m, TccBuilder *b, MlirValue x) {
  TccIr *ir = m->s->ir;
  const TccExpr *dims[TCC_MAX_RANK];
  int rank = tcc_type_rank(m->to);
  for (int i = 0; i < rank - 1; i++) dims[i] = tcc_type_dim(ir, m->to, i);
  dims[rank - 1] = last_dim(ir, tcc_value_type(x));
  return tcc_simplify_made(m->s, tcc_build_reshape(b, x, rank, dims));
}

static MlirValue move(const Move *m, MlirValue v) {
  TccIr *ir = m->s->ir;
  MlirOperation op = tcc_value_op(v);
  TccOpKind kind = tcc_op_kind(ir, op);
  TccBuilder b = tcc_simplify_builder(m->s);
  b.location = mlirOperationGetLocation(op);
  bool is_product = is_product_of_rows(ir, op);
  intptr_t noperands = mlirOperationGetNumOperands(op);
  MlirValue operands[MOST_OPERANDS];
  TccNamedAttr attributes[MOST_ATTRIBUTES];
  size_t nattributes = 0;
  int64_t last = tcc_type_rank(m->to) - 1;
  for (intptr_t i = 0; i < noperands; i++) {
    MlirValue x = operands[i] = mlirOperationGetOperand(op, i);
    if (is_product ? i > 0 : is_of_last_axis(m, x)) continue;
    operands[i] = is_product || tcc_value_kind(ir, x) == TCC_OP_RESHAPE ? reshaped(m, &b, x) : move(m, x);
    if (mlirValueIsNull(operands[i])) return none;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
    const char *name = mlirIdentifierStr(a.name).data;
    bool is_axis = kind == TCC_OP_DOT_GENERAL && strcmp(name, "lhs_contract") == 0;
    attributes[nattributes++] = (TccNamedAttr){name, is_axis ? tcc_attr_ints(ir, &last, 1) : a.attribute};
  }
  MlirType declared = tcc_type_with_elem(ir, m->to, tcc_type_elem(tcc_value_type(v)));
  MlirOperation moved =
      tcc_build(&b, kind, operands, (size_t)noperands, attributes, nattributes, tcc_op_has_trait(kind, 'X') ? &declared : NULL);
  return mlirOperationIsNull(moved) ? none : tcc_simplify_made(m->s, mlirOperationGetResult(moved, 0));
}

/* What all axes but the last hold. A reshape of nothing may have any. */
static const TccExpr *rows_of(TccIr *ir, MlirType type) {
  const TccExpr *rows = tcc_expr_const(ir->exprs, 1);
  for (int i = 0; i < tcc_type_rank(type) - 1 && rows; i++) {
    const TccExpr *dim = tcc_type_dim(ir, type, i);
    rows = dim ? tcc_expr_mul(ir->exprs, rows, dim) : NULL;
  }
  return rows;
}

MlirValue tcc_simplify_reshape_of_product(Simplify *s, MlirValue x) {
  TccIr *ir = s->ir;
  Move m = {s, tcc_value_type(x), simplify_type(s)};
  int rank = tcc_type_rank(m.to), ops = 0;
  if (rank < 2 || tcc_type_rank(m.from) < 2 || !last_dim(ir, m.to) || last_dim(ir, m.from) != last_dim(ir, m.to)) return none;
  const TccExpr *rows = rows_of(ir, m.to);
  if (!rows || rows != rows_of(ir, m.from)) return none;
  return can_move(&m, x, &ops) ? move(&m, x) : none;
}

/* ---- vectors ---- */
static bool all_one(TccIr *ir, const TccDotAxes *axes, int side) {
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  for (int i = 0; i < axes->nfree[side]; i++)
    if (tcc_type_dim(ir, tcc_value_type(axes->operand[side]), axes->free[side][i]) != one) return false;
  return true;
}

/* Of each axis that is not free which batch it is, or, from nbatch on, which contraction; how many there are. */
static int numbers_of(const TccDotAxes *axes, int side, int *number) {
  int n = 0;
  for (int axis = 0; axis < tcc_type_rank(tcc_value_type(axes->operand[side])); axis++)
    for (int i = 0; i < axes->nbatch + axes->ncontract; i++)
      if ((i < axes->nbatch ? axes->batch[side][i] : axes->contract[side][i - axes->nbatch]) == axis) number[n++] = i;
  return n;
}

/* The right operand, its free axes being of one element, in the place of the left one's axes; those that it has not are of one element. */
static MlirValue beside_left(Simplify *s, TccBuilder *b, const TccDotAxes *axes) {
  const MlirType type = tcc_value_type(axes->operand[0]);
  const TccExpr *dims[TCC_MAX_RANK];
  for (int axis = 0, next = 0; axis < tcc_type_rank(type); axis++) {
    const bool is_free = next < axes->nfree[0] && axes->free[0][next] == axis;
    dims[axis] = is_free ? tcc_expr_const(s->ir->exprs, 1) : tcc_type_dim(s->ir, type, axis);
    next += is_free;
  }
  return tcc_simplify_made(s, tcc_build_reshape(b, axes->operand[1], tcc_type_rank(type), dims));
}

static MlirValue in_shape_of_result(Simplify *s, TccBuilder *b, MlirValue made) {
  const TccExpr *dims[TCC_MAX_RANK];
  const int rank = tcc_type_rank(simplify_type(s));
  for (int i = 0; i < rank; i++) dims[i] = tcc_type_dim(s->ir, simplify_type(s), i);
  if (mlirValueIsNull(made) || tcc_type_same_shape(s->ir, tcc_value_type(made), simplify_type(s))) return made;
  return tcc_simplify_made(s, tcc_build_reshape(b, made, rank, dims));
}

/* Whether rows of the left operand lie side by side: batches, then its own axes, then what is summed. */
static bool has_rows(const TccDotAxes *axes) {
  const int own = axes->nbatch + axes->nfree[0];
  for (int i = 0; i < axes->nbatch; i++)
    if (axes->batch[0][i] >= axes->nbatch) return false;
  for (int i = 0; i < axes->ncontract; i++)
    if (axes->contract[0][i] < own) return false;
  return true;
}

/* Vectors times vectors, side by side in both operands, and rows of a batch times its vector: sums of products, which are reductions of rows to
 * targets. As tiles of products they had one element each, or one column. */
static MlirValue sums_of_products(Simplify *s, const TccDotAxes *axes) {
  TccBuilder b = tcc_simplify_builder(s);
  int number[2][TCC_MAX_RANK], batch = 0, rank = numbers_of(axes, 0, number[0]);
  int64_t summed[TCC_MAX_RANK];
  const TccElem elem = tcc_value_elem(axes->operand[0]);
  if (s->eager || !axes->ncontract || (elem != TCC_ELEM_F32 && elem != TCC_ELEM_F64)) return none;
  if (tcc_type_elem(simplify_type(s)) != elem || !(all_one(s->ir, axes, 0) || (axes->nbatch && has_rows(axes)))) return none;
  numbers_of(axes, 1, number[1]);
  for (int i = 0; i < rank; i++)
    if (number[0][i] != number[1][i] || (number[0][i] < axes->nbatch && number[0][i] != batch++)) return none;
  for (int i = 0; i < axes->ncontract; i++) summed[i] = axes->contract[0][i];
  MlirValue y = beside_left(s, &b, axes);
  if (mlirValueIsNull(y)) return none;
  MlirValue made = tcc_simplify_made(s, tcc_build2(&b, TCC_OP_MUL, axes->operand[0], y));
  if (mlirValueIsNull(made)) return none;
  made = tcc_simplify_made(s, tcc_build_reduce(&b, "sum", made, summed, (size_t)axes->ncontract, false));
  return in_shape_of_result(s, &b, made);
}

/* Whether the operand's axes are batches in their order, then its own; all others are of one element. */
static bool is_column(TccIr *ir, const TccDotAxes *axes, int side) {
  const MlirType type = tcc_value_type(axes->operand[side]);
  for (int i = 0; i < axes->ncontract; i++)
    if (tcc_type_dim(ir, type, axes->contract[side][i]) != tcc_expr_const(ir->exprs, 1)) return false;
  for (int i = 0; i < axes->nbatch; i++) {
    if (i && axes->batch[side][i] < axes->batch[side][i - 1]) return false;
    if (axes->nfree[side] && axes->batch[side][i] > axes->free[side][0]) return false;
  }
  return true;
}

/* A product of a depth of 1 is an elementwise one of a column and a row: nothing is packed, and what reads it may compute it. */
static MlirValue column_by_row(Simplify *s, const TccDotAxes *axes) {
  TccBuilder b = tcc_simplify_builder(s);
  const TccElem elem = tcc_value_elem(axes->operand[0]);
  const TccExpr *dims[2][TCC_MAX_RANK];
  const int rank = axes->nbatch + axes->nfree[0] + axes->nfree[1];
  MlirValue x[2];
  if (s->eager || !axes->ncontract || (elem != TCC_ELEM_F32 && elem != TCC_ELEM_F64) || tcc_type_elem(simplify_type(s)) != elem)
    return none;
  for (int side = 0; side < 2; side++) {
    const MlirType type = tcc_value_type(axes->operand[side]);
    const int own = axes->nbatch + (side ? axes->nfree[0] : 0);
    if (!is_column(s->ir, axes, side)) return none;
    for (int i = 0; i < rank; i++) dims[side][i] = tcc_expr_const(s->ir->exprs, 1);
    for (int i = 0; i < axes->nbatch; i++) dims[side][i] = tcc_type_dim(s->ir, type, axes->batch[side][i]);
    for (int i = 0; i < axes->nfree[side]; i++) dims[side][own + i] = tcc_type_dim(s->ir, type, axes->free[side][i]);
  }
  for (int side = 0; side < 2; side++) {
    x[side] = tcc_simplify_made(s, tcc_build_reshape(&b, axes->operand[side], rank, dims[side]));
    if (mlirValueIsNull(x[side])) return none;
  }
  return tcc_simplify_made(s, tcc_build2(&b, TCC_OP_MUL, x[0], x[1]));
}

/* So long a vector that what a target has for tiny products does not serve it better. */
static bool is_long(TccIr *ir, const TccDotAxes *axes) {
  enum { LONG = 16 };
  int64_t length, all = 1;
  for (int i = 0; i < axes->ncontract && all < LONG; i++)
    all *= tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(axes->operand[0]), axes->contract[0][i]), &length) && length < LONG
               ? length
               : LONG;
  return all >= LONG;
}

MlirValue tcc_simplify_product_by_vector(Simplify *s) {
  TccIr *ir = s->ir;
  TccDotAxes axes;
  MlirValue a = simplify_operand(s, 0), b = simplify_operand(s, 1);
  const TccElem elem = tcc_value_elem(a);
  if (!tcc_dot_axes(ir, s->op, &axes) || !tcc_elem_is_float(elem) || tcc_value_elem(b) != elem) return none;
  MlirValue outer = column_by_row(s, &axes);
  if (!mlirValueIsNull(outer)) return outer;
  const bool vector = all_one(ir, &axes, 1), both = vector && all_one(ir, &axes, 0);
  MlirValue summed = both || (vector && is_long(ir, &axes)) ? sums_of_products(s, &axes) : none;
  if (!mlirValueIsNull(summed)) return summed;
  const bool turns = !axes.nfree[1] || (axes.nbatch && vector && !both && is_long(ir, &axes));
  if (!axes.nfree[0] || !turns) return none;
  TccNamedAttr attributes[MOST_ATTRIBUTES];
  const size_t n = tcc_named_attributes(s->op, attributes, MOST_ATTRIBUTES);
  for (size_t i = 0; i < n; i++) {
    static const char *const names[] = {"lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract"};
    for (int k = 0; k < 4; k++)
      if (!strcmp(attributes[i].name, names[k])) {
        attributes[i].name = names[k ^ 1];
        break;
      }
  }
  TccBuilder builder = tcc_simplify_builder(s);
  MlirValue operands[] = {b, a}, made = tcc_build_value(&builder, TCC_OP_DOT_GENERAL, operands, 2, attributes, n, NULL);
  return mlirValueIsNull(made) ? none : in_shape_of_result(s, &builder, tcc_simplify_made(s, made));
}
