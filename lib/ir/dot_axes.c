/* dot_axes.c - see dot_axes.h. */
#include "lib/ir/dot_axes.h"

static bool take_axes(TccIr *ir, MlirOperation dot, const char *name, int *out, int *out_count, uint32_t *taken) {
  const int64_t *axes;
  size_t n;
  if (!tcc_get_ints(ir, dot, name, &axes, &n) || n > TCC_MAX_RANK) return false;
  for (size_t i = 0; i < n; i++) out[i] = (int)axes[i], *taken |= 1u << axes[i];
  *out_count = (int)n;
  return true;
}

bool tcc_dot_axes(TccIr *ir, MlirOperation dot, TccDotAxes *out) {
  static const char *const batch[] = {"lhs_batch", "rhs_batch"}, *const contract[] = {"lhs_contract", "rhs_contract"};
  *out = (TccDotAxes){0};
  for (int i = 0; i < 2; i++) {
    uint32_t taken = 0;
    out->operand[i] = mlirOperationGetOperand(dot, i);
    if (!take_axes(ir, dot, batch[i], out->batch[i], &out->nbatch, &taken) ||
        !take_axes(ir, dot, contract[i], out->contract[i], &out->ncontract, &taken))
      return false;
    for (int axis = 0; axis < tcc_type_rank(tcc_value_type(out->operand[i])); axis++)
      if (!(taken >> axis & 1)) out->free[i][out->nfree[i]++] = axis;
  }
  return true;
}
