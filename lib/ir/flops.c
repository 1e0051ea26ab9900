/* flops.c - how many operations on numbers an op is, for profiles and for choices between ways to compute.
 *
 * Counted is what the formula of ops.def asks for, not what a kernel does: a convolution by Winograd's algorithm counts as one without. */
#include "lib/ir/attention.h"
#include "lib/ir/dot_axes.h"
#include "tcc/op_kinds.h"
#include "tcc/optable.h"

static const TccExpr *times(TccIr *ir, const TccExpr *a, const TccExpr *b) {
  return a && b && tcc_expr_modest_product(a, b) ? tcc_expr_mul(ir->exprs, a, b) : NULL;
}

static const TccExpr *plus(TccIr *ir, const TccExpr *a, const TccExpr *b) { return a && b ? tcc_expr_add(ir->exprs, a, b) : NULL; }

static const TccExpr *count(TccIr *ir, MlirValue value) { return tcc_type_count(ir, tcc_value_type(value)); }

/* axis may be negative: from the end. 1 where there is no such axis. */
static const TccExpr *dim(TccIr *ir, MlirValue value, int axis) {
  MlirType type = tcc_value_type(value);
  int rank = tcc_type_rank(type), at = axis < 0 ? axis + rank : axis;
  return at >= 0 && at < rank ? tcc_type_dim(ir, type, at) : tcc_expr_const(ir->exprs, 1);
}

/* The elements behind one of the first axis. */
static const TccExpr *window(TccIr *ir, MlirValue weight) {
  const TccExpr *n = tcc_expr_const(ir->exprs, 1);
  for (int axis = 1; axis < tcc_type_rank(tcc_value_type(weight)); axis++) n = times(ir, n, dim(ir, weight, axis));
  return n;
}

static const TccExpr *depth_of_dot(TccIr *ir, MlirOperation op) {
  TccDotAxes axes;
  const TccExpr *depth = tcc_expr_const(ir->exprs, 1);
  if (!tcc_dot_axes(ir, op, &axes)) return NULL;
  for (int i = 0; i < axes.ncontract; i++) depth = times(ir, depth, dim(ir, axes.operand[0], axes.contract[0][i]));
  return depth;
}

/* The multiplications of a convolution on blocks of channels. */
static const TccExpr *blocked(TccIr *ir, MlirOperation op) {
  MlirValue w = mlirOperationGetOperand(op, 1), r = mlirOperationGetResult(op, 0);
  int64_t groups = tcc_i64(ir, op, "groups"), taps = 1;
  const int at = tcc_type_rank(tcc_value_type(w)) == 4 ? 1 : 2; /* of the window in w */
  const TccExpr *n =
      tcc_expr_const(ir->exprs, tcc_i64(ir, op, "out_channels") * (tcc_i64(ir, op, "channels") / (groups ? groups : 1)));
  if (tcc_i64(ir, op, "winograd") > 1) taps = 9;
  else n = times(ir, times(ir, n, dim(ir, w, at)), dim(ir, w, at + 1));
  n = times(ir, n, tcc_expr_const(ir->exprs, taps));
  for (int axis = 0; axis < 4; axis++)
    if (axis != 1) n = times(ir, n, dim(ir, r, axis));
  return n;
}

/* 5 n log2 n for each line of n complex numbers, or half of that, of real ones; the logarithm of a size that is not known is taken for 10. */
static const TccExpr *transform(TccIr *ir, MlirOperation op) {
  const bool to_real = tcc_op_kind(ir, op) == TCC_OP_IRFFT;
  MlirValue x = mlirOperationGetOperand(op, 0), all = to_real ? mlirOperationGetResult(op, 0) : x;
  const bool real = to_real || tcc_value_is_none(ir, mlirOperationGetOperand(op, 1));
  int64_t n, steps = 0;
  if (!tcc_expr_is_const(dim(ir, all, (int)tcc_i64(ir, op, "axis")), &n)) n = 1 << 10;
  while (steps < 62 && INT64_C(1) << steps < n) steps++;
  const TccExpr *flops = times(ir, count(ir, all), tcc_expr_const(ir->exprs, 5 * steps));
  return real ? tcc_expr_call(ir->exprs, TCC_EXPR_FLOORDIV, flops, tcc_expr_const(ir->exprs, 2)) : flops;
}

static const TccExpr *multiplications(TccIr *ir, TccOpKind kind, MlirOperation op) {
  MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1), r = mlirOperationGetResult(op, 0);
  switch (kind) {
  case TCC_OP_DOT_GENERAL: return times(ir, count(ir, r), depth_of_dot(ir, op));
  case TCC_OP_CONV: return times(ir, count(ir, r), window(ir, b));
  case TCC_OP_CONV_BLOCKED: return blocked(ir, op);
  case TCC_OP_CONV_TRANSPOSE: return times(ir, count(ir, a), window(ir, b));
  case TCC_OP_CONV_FILTER_GRAD: return times(ir, count(ir, b), window(ir, r));
  case TCC_OP_ATTENTION_LOGSUMEXP:
    if (!mlirOperationIsNull(tcc_attention_beside(ir, op, TCC_OP_ATTENTION)))
      return tcc_expr_const(ir->exprs, 0); /* which has them */
    return times(ir, count(ir, a), dim(ir, b, 2));
  case TCC_OP_ATTENTION: return plus(ir, times(ir, count(ir, a), dim(ir, b, 2)), times(ir, count(ir, r), dim(ir, b, 2)));
  default: return times(ir, count(ir, r), dim(ir, a, -1));
  }
}

const TccExpr *tcc_op_flops(TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind == TCC_OP_UNKNOWN || !mlirOperationGetNumOperands(op) || !mlirOperationGetNumResults(op))
    return tcc_expr_const(ir->exprs, 0);
  if (tcc_op_has_trait(kind, 'N') || kind == TCC_OP_CONV_BLOCKED)
    return times(ir, tcc_expr_const(ir->exprs, 2), multiplications(ir, kind, op));
  if (tcc_op_has_trait(kind, 'E')) return count(ir, mlirOperationGetResult(op, 0));
  const TccExpr *taps = tcc_expr_const(ir->exprs, 1);
  const int64_t *kernel;
  size_t n;
  switch (kind) {
  case TCC_OP_REDUCE:
  case TCC_OP_ARG_REDUCE:
  case TCC_OP_CUMULATIVE: return count(ir, mlirOperationGetOperand(op, 0));
  case TCC_OP_TRIANGULAR_SOLVE: /* half of a square's multiply-adds */
    return times(ir, count(ir, mlirOperationGetResult(op, 0)), dim(ir, mlirOperationGetOperand(op, 0), -1));
  case TCC_OP_FFT:
  case TCC_OP_IRFFT: return transform(ir, op);
  case TCC_OP_POOL:
    if (!tcc_get_ints(ir, op, "kernel", &kernel, &n)) return NULL;
    for (size_t i = 0; i < n; i++) taps = times(ir, taps, tcc_expr_const(ir->exprs, kernel[i]));
    return times(ir, count(ir, mlirOperationGetResult(op, 0)), taps);
  default: return tcc_expr_const(ir->exprs, 0);
  }
}
