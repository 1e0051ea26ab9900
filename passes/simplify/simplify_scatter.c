/* simplify_scatter.c - scatters between transposes.
 *
 *   x [B, H, T, D] -> transpose [T, B, H, D] -> scatter_nd of rows i [n, 1] -> transpose [B, H, T, D]
 *
 * is how exporters write `x.index_copy(2, i, u)`, a row of a cache: the whole cache moves twice. It is
 *
 *   scatter_elements(x, i broadcast along all other axes, u) {axis = 2}
 *
 * Later updates of a row win in both: i counts up along the axis. */
#include "passes/simplify/simplify.h"
#include "tcc/op_kinds.h"

static bool used_once(MlirValue v) {
  MlirOpOperand first = mlirValueGetFirstUse(v);
  return !mlirOpOperandIsNull(first) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(first));
}

MlirValue tcc_simplify_scatter_between_transposes(Simplify *s, MlirValue scattered, const int64_t *back) {
  static const MlirValue none = {NULL};
  TccIr *ir = s->ir;
  if (tcc_value_kind(ir, scattered) != TCC_OP_SCATTER_ND || !used_once(scattered)) return none;
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
