/* rules_contract.c - the adjoints of dot_general and of triangular_solve. */
#include "passes/grad/grad.h"

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }

/* ---- dot_general ---- */
typedef struct {
  const int64_t *batch[2], *contract[2]; /* of a, of b */
  size_t nbatch, ncontract;
} Axes;

static bool contains(const int64_t *axes, size_t n, int axis) {
  for (size_t i = 0; i < n; i++)
    if (axes[i] == axis) return true;
  return false;
}

/* The free axes of one side, in order. */
static size_t free_axes(const Axes *x, int side, int rank, int64_t *out) {
  size_t n = 0;
  for (int i = 0; i < rank; i++)
    if (!contains(x->batch[side], x->nbatch, i) && !contains(x->contract[side], x->ncontract, i)) out[n++] = i;
  return n;
}

/* The cotangent of one side: g contracted with the other along its free axes. The order of the two operands is the one that gives the
 * axes as they lie, if one does. */
static MlirValue side_cotangent(GradOp *a, const Axes *x, int side) {
  MlirValue other = grad_operand(a, 1 - side), g = tcc_build_convert(a->b, a->g[0], tcc_value_elem(other)); /* of a wide one */
  int rank = tcc_type_rank(type_of(a, side)), other_rank = tcc_type_rank(type_of(a, 1 - side));
  int64_t own[TCC_MAX_RANK], theirs[TCC_MAX_RANK], batch[TCC_MAX_RANK], of_g[TCC_MAX_RANK], made[2][TCC_MAX_RANK],
      perm[TCC_MAX_RANK], contracted[TCC_MAX_RANK];
  size_t nown = free_axes(x, side, rank, own), ntheirs = free_axes(x, 1 - side, other_rank, theirs), ncontracted = 0;
  for (size_t i = 0; i < x->nbatch; i++) batch[i] = (int64_t)i;
  for (size_t i = 0; i < ntheirs; i++) of_g[i] = (int64_t)(x->nbatch + i + (side == 0 ? nown : 0));
  for (int i = 0; i < other_rank; i++) /* the other's contracted axes in its order, as the axes of this side */
    for (size_t k = 0; k < x->ncontract; k++)
      if (x->contract[1 - side][k] == i) contracted[ncontracted++] = x->contract[side][k];
  bool g_first = true;
  for (int order = 0; order < 2; order++) { /* made[order][i]: the axis of this side that axis i of the result is */
    size_t n = 0;
    for (size_t i = 0; i < x->nbatch; i++) made[order][n++] = x->batch[side][i];
    for (size_t i = 0; order == 0 && i < nown; i++) made[order][n++] = own[i];
    for (size_t i = 0; i < ncontracted; i++) made[order][n++] = contracted[i];
    for (size_t i = 0; order == 1 && i < nown; i++) made[order][n++] = own[i];
    bool straight = true;
    for (int i = 0; i < rank; i++) straight = straight && made[order][i] == i;
    if (order == 1 && straight) g_first = false;
  }
  for (int i = 0; i < rank; i++) perm[made[g_first ? 0 : 1][i]] = i;
  MlirValue r = g_first ? tcc_build_dot_general(a->b, g, other, batch, x->batch[1 - side], x->nbatch, of_g, theirs, ntheirs)
                        : tcc_build_dot_general(a->b, other, g, x->batch[1 - side], batch, x->nbatch, theirs, of_g, ntheirs);
  return grad_as_type(a->b, tcc_build_transpose(a->b, r, perm), type_of(a, side));
}

bool tcc_grad_dot_general(GradOp *a) {
  static const char *const names[] = {"lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract"};
  Axes x;
  for (int side = 0; side < 2; side++)
    if (!tcc_get_ints(a->ir, a->op, names[side], &x.batch[side], &x.nbatch) ||
        !tcc_get_ints(a->ir, a->op, names[2 + side], &x.contract[side], &x.ncontract))
      return grad_fail(a, "has no axes");
  for (int side = 0; side < 2; side++)
    if (a->wanted[side]) grad_give(a, side, side_cotangent(a, &x, side));
  return true;
}

/* x with the last two axes in each other's place. */
static MlirValue turned(GradOp *a, MlirValue x) {
  int64_t perm[TCC_MAX_RANK];
  int rank = grad_shape(a->ir, x).rank;
  for (int i = 0; i < rank; i++) perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return tcc_build_transpose(a->b, x, perm);
}

/* x [..., n, n], 0 outside of the triangle that the op reads. */
static MlirValue in_triangle(GradOp *a, MlirValue x, bool upper, bool unit) {
  GradShape s = grad_shape(a->ir, x);
  const TccExpr *const *dims = s.dims + s.rank - 2;
  MlirValue row = tcc_build_iota(a->b, TCC_ELEM_I64, 0, 2, dims), column = tcc_build_iota(a->b, TCC_ELEM_I64, 1, 2, dims);
  MlirValue inside = tcc_build_compare(a->b, upper ? (unit ? "lt" : "le") : (unit ? "gt" : "ge"), row, column);
  return tcc_build_select(a->b, inside, x, tcc_build_scalar(a->b, tcc_value_elem(x), 0));
}

/* With T r = b: b's cotangent is h, T^T h = g, and T's is -h r^T. */
bool tcc_grad_triangular_solve(GradOp *a) {
  const bool upper = tcc_bool(a->ir, a->op, "upper"), unit = tcc_bool(a->ir, a->op, "unit");
  MlirValue operands[] = {turned(a, grad_operand(a, 0)), a->g[0]};
  TccNamedAttr attrs[] = {{"upper", tcc_attr_bool(a->ir, !upper)}, {"unit", tcc_attr_bool(a->ir, unit)}};
  MlirValue h = tcc_build_value(a->b, TCC_OP_TRIANGULAR_SOLVE, operands, 2, attrs, 2, NULL);
  if (a->wanted[1]) grad_give(a, 1, h);
  if (!a->wanted[0]) return true;
  int64_t batch[TCC_MAX_RANK], last = grad_shape(a->ir, h).rank - 1;
  for (int64_t i = 0; i < last - 1; i++) batch[i] = i;
  MlirValue product = tcc_build_dot_general(a->b, h, grad_result(a), batch, batch, (size_t)last - 1, &last, &last, 1);
  grad_give(a, 0, in_triangle(a, tcc_build1(a->b, TCC_OP_NEG, product), upper, unit));
  return true;
}
