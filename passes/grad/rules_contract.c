/* rules_contract.c - the adjoint of dot_general. */
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
