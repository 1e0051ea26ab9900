/* simplify_scatter.c - scatters between transposes, sums into zeros, and scatters of whole slices.
 *
 *   x [B, H, T, D] -> transpose [T, B, H, D] -> scatter_nd of rows i [n, 1] -> transpose [B, H, T, D]
 *
 * is how exporters write `x.index_copy(2, i, u)`, a row of a cache: the whole cache moves twice. It is
 *
 *   scatter_elements(x, i broadcast along all other axes, u) {axis = 2}
 *
 * Later updates of a row win in both: i counts up along the axis.
 *
 * The derivative of a gather is a sum into zeros, which meets others in a sum: of the same rows, of other parts of them, or of a loop.
 *
 *   acc + pad(scatter_nd(0, i, u) {reduction = "add"}) + pad(scatter_nd(0, i, v)) -> scatter_nd(acc, i, pad(u) + pad(v))
 *
 * Nothing is as large as acc any more but acc itself, into which the rows are added where it lies.
 *
 * An index for each slice of the first axis, as index_add has, is one of scatter_nd; repeated for each element of its slice it would be read from memory as often as there are
 * elements.
 *
 *   scatter_elements(x, broadcast(i [n, 1]), u) {axis = 0} -> scatter_nd(x, i, u) */
#include "passes/simplify/simplify.h"
#include "tcc/op_kinds.h"

static const MlirValue none = {NULL};

/* The scatter op as one of a kind, with other operands. */
static MlirValue scatter_as(Simplify *s, TccOpKind kind, MlirOperation op, MlirValue x, MlirValue indices, MlirValue updates) {
  static const char *const names[] = {"reduction", "valid", "axis"};
  const size_t n = kind == TCC_OP_SCATTER_ND ? 2 : 3;
  TccBuilder b = tcc_simplify_builder(s);
  TccNamedAttr attrs[3];
  MlirValue operands[] = {x, indices, updates};
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    MlirAttribute attr = tcc_attribute(op, names[i]);
    if (!mlirAttributeIsNull(attr)) attrs[count++] = (TccNamedAttr){names[i], attr};
  }
  return tcc_simplify_made(s, tcc_build_value(&b, kind, operands, 3, attrs, count, NULL));
}

static MlirValue scatter(Simplify *s, MlirOperation op, MlirValue x, MlirValue indices, MlirValue updates) {
  return scatter_as(s, tcc_op_kind(s->ir, op), op, x, indices, updates);
}

/* ---- whole slices ---- */
MlirValue tcc_simplify_scatter_of_slices(Simplify *s) {
  TccIr *ir = s->ir;
  MlirValue x = simplify_operand(s, 0), repeated = simplify_operand(s, 1), updates = simplify_operand(s, 2);
  const TccTypeInfo *to = tcc_type_info(ir, simplify_type(s)), *from = tcc_type_info(ir, mlirValueGetType(updates));
  if (tcc_value_kind(ir, repeated) != TCC_OP_BROADCAST || tcc_i64(ir, s->op, "axis")) return none;
  MlirValue indices = mlirOperationGetOperand(tcc_value_op(repeated), 0);
  const TccTypeInfo *index = tcc_type_info(ir, mlirValueGetType(indices));
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *column[] = {from->dims[0], one};
  if (index->rank != to->rank || index->dims[0] != from->dims[0]) return none;
  for (int i = 1; i < to->rank; i++)
    if (index->dims[i] != one || from->dims[i] != to->dims[i]) return none;
  TccBuilder b = tcc_simplify_builder(s);
  return scatter_as(s, TCC_OP_SCATTER_ND, s->op, x, tcc_simplify_made(s, tcc_build_reshape(&b, indices, 2, column)), updates);
}

/* ---- sums into zeros ---- */
/* Whether v, which nothing else reads, is a scatter that adds updates to zeros. */
static bool is_sum_into_zeros(const Simplify *s, MlirValue v) {
  const TccOpKind kind = tcc_value_kind(s->ir, v);
  double fill;
  if ((kind != TCC_OP_SCATTER_ND && kind != TCC_OP_SCATTER_ELEMENTS) || !simplify_used_once(v)) return false;
  MlirOperation op = tcc_value_op(v);
  return tcc_str_is(tcc_string(s->ir, op, "reduction"), "add") &&
         tcc_simplify_splat(s->ir, mlirOperationGetOperand(op, 0), &fill) && fill == 0;
}

static MlirValue updates_of(MlirValue scattered) { return mlirOperationGetOperand(tcc_value_op(scattered), 2); }

/* Whether both write the same places. */
static bool same_places(const Simplify *s, MlirValue a, MlirValue b) {
  MlirOperation x = tcc_value_op(a), y = tcc_value_op(b);
  return tcc_op_kind(s->ir, x) == tcc_op_kind(s->ir, y) &&
         mlirAttributeEqual(tcc_op_attributes(s->ir, x), tcc_op_attributes(s->ir, y)) &&
         mlirValueEqual(mlirOperationGetOperand(x, 1), mlirOperationGetOperand(y, 1)) &&
         mlirTypeEqual(mlirValueGetType(updates_of(a)), mlirValueGetType(updates_of(b)));
}

MlirValue tcc_simplify_add_of_scatters(Simplify *s) {
  MlirValue a = simplify_operand(s, 0), b = simplify_operand(s, 1);
  MlirType type = simplify_type(s);
  if (s->eager || !mlirTypeEqual(mlirValueGetType(a), type) || !mlirTypeEqual(mlirValueGetType(b), type)) return none;
  const bool left = is_sum_into_zeros(s, a), right = is_sum_into_zeros(s, b);
  if (!left && !right) return none;
  MlirValue into = right ? b : a;
  MlirOperation op = tcc_value_op(into);
  MlirValue indices = mlirOperationGetOperand(op, 1);
  if (!left || !right || !same_places(s, a, b)) return scatter(s, op, right ? a : b, indices, updates_of(into));
  TccBuilder builder = tcc_simplify_builder(s);
  MlirValue sum = tcc_simplify_made(s, tcc_build2(&builder, TCC_OP_ADD, updates_of(a), updates_of(b)));
  return scatter(s, op, mlirOperationGetOperand(op, 0), indices, sum);
}

MlirValue tcc_simplify_pad_of_scatter(Simplify *s) {
  TccIr *ir = s->ir;
  MlirValue x = simplify_operand(s, 0), value = simplify_operand(s, 1);
  const TccExpr *const *low, *const *high, *zero = tcc_expr_const(ir->exprs, 0);
  const TccExpr *row_low[TCC_MAX_RANK], *row_high[TCC_MAX_RANK];
  double fill;
  size_t rank;
  int64_t named;
  if (tcc_value_kind(ir, x) != TCC_OP_SCATTER_ND || !is_sum_into_zeros(s, x) ||
      !tcc_str_is(tcc_string(ir, s->op, "mode"), "constant"))
    return none;
  if (!tcc_value_is_none(ir, value) && (!tcc_simplify_splat(ir, value, &fill) || fill != 0)) return none;
  MlirOperation op = tcc_value_op(x);
  MlirType tuples = mlirValueGetType(mlirOperationGetOperand(op, 1));
  const int places = tcc_type_rank(tuples) - 1; /* axes of the updates in front of those of a row */
  if (places < 0 || !tcc_expr_is_const(tcc_type_dim(ir, tuples, places), &named)) return none;
  if (!tcc_get_exprs(ir, s->op, "low", &low, &rank) || !tcc_get_exprs(ir, s->op, "high", &high, &rank)) return none;
  const size_t row = rank - (size_t)named, all = (size_t)places + row;
  if (all > TCC_MAX_RANK || !tcc_type_is_static(simplify_type(s))) return none;
  for (size_t i = 0; i < (size_t)named; i++)
    if (low[i] != zero || high[i] != zero) return none;
  for (size_t i = 0; i < all; i++) {
    row_low[i] = i < (size_t)places ? zero : low[i - (size_t)places + (size_t)named];
    row_high[i] = i < (size_t)places ? zero : high[i - (size_t)places + (size_t)named];
  }
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue rows = tcc_simplify_made(s, tcc_build_pad(&b, updates_of(x), value, row_low, row_high, "constant"));
  return scatter(s, op, tcc_simplify_make_splat(s, simplify_type(s), 0), mlirOperationGetOperand(op, 1), rows);
}

/* ---- between transposes ---- */
MlirValue tcc_simplify_scatter_between_transposes(Simplify *s, MlirValue scattered, const int64_t *back) {
  TccIr *ir = s->ir;
  if (tcc_value_kind(ir, scattered) != TCC_OP_SCATTER_ND || !simplify_used_once(scattered)) return none;
  MlirOperation op = tcc_value_op(scattered);
  MlirValue moved = mlirOperationGetOperand(op, 0), indices = mlirOperationGetOperand(op, 1),
            updates = mlirOperationGetOperand(op, 2);
  const TccTypeInfo *tuples = tcc_type_info(ir, mlirValueGetType(indices)), *type = tcc_type_info(ir, simplify_type(s)),
                    *from = tcc_type_info(ir, mlirValueGetType(updates));
  const int64_t *there;
  size_t rank;
  if (tcc_value_kind(ir, moved) != TCC_OP_TRANSPOSE || tuples->rank != 2 || tuples->dims[1] != tcc_expr_const(ir->exprs, 1))
    return none;
  if (!tcc_get_ints(ir, tcc_value_op(moved), "perm", &there, &rank) || from->rank != type->rank) return none;
  for (size_t i = 0; i < rank; i++)
    if (there[back[i]] != (int64_t)i) return none;
  const int64_t axis = there[0];
  const TccExpr *line[TCC_MAX_RANK], *all[TCC_MAX_RANK], *n = tuples->dims[0];
  for (int i = 0; i < type->rank; i++) {
    line[i] = i == axis ? n : tcc_expr_const(ir->exprs, 1), all[i] = from->dims[back[i]];
    if (!line[i] || !all[i]) return none;
  }
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue rows = tcc_simplify_made(s, tcc_build_reshape(&b, indices, type->rank, line)), operands[3];
  operands[0] = mlirOperationGetOperand(tcc_value_op(moved), 0);
  operands[1] = tcc_simplify_made(s, tcc_build_broadcast(&b, rows, type->rank, all));
  operands[2] = tcc_simplify_made(s, tcc_build_transpose(&b, updates, back));
  TccNamedAttr attrs[] = {
      {"axis", tcc_attr_i64(ir, axis)}, {"reduction", tcc_attribute(op, "reduction")}, {"valid", tcc_attribute(op, "valid")}};
  size_t count = 1;
  for (size_t i = 1; i < 3; i++)
    if (!mlirAttributeIsNull(attrs[i].value)) attrs[count++] = attrs[i];
  return tcc_simplify_made(s, tcc_build_value(&b, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, count, NULL));
}
