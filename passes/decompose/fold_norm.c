/* fold_norm.c - a norm of batches behind a convolution goes into its weights.
 *
 *   %c = tcc.conv %x, %w, %b                          %f = scale * rsqrt(var + eps); %g = bias - mean * %f
 *   %r = tcc.batch_norm %c, scale, bias, mean, var    =>    %r = tcc.conv %x, %w * %f, %b * %f + %g
 *
 * Exporters to ONNX do the same before they write a model. All factors are weights, so they are multiplied once, before the first run; of
 * weights that may change from call to call they would be in each, which costs more than a product behind the convolution. Each weight
 * rounds once more, which types narrower than f32 would show. */
#include "passes/decompose/fold_norm.h"
#include "passes/decompose/expand.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"

/* Read where it lies, and the same in each run. */
static bool is_stored(TccIr *ir, const TccInit *init, MlirValue v) {
  TccOpKind kind = tcc_value_kind(ir, v);
  bool stored = mlirValueIsABlockArgument(v) || kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT || kind == TCC_OP_NONE;
  return stored && tcc_init_is(init, v);
}

static bool has_one_use(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/* The convolution whose weights can take the norm `op`, or a null operation. */
static MlirOperation foldable(TccIr *ir, const TccInit *init, MlirOperation op) {
  const MlirOperation null = {NULL};
  MlirValue x = mlirOperationGetOperand(op, 0);
  const TccElem elem = tcc_type_elem(tcc_value_type(x));
  if (tcc_value_kind(ir, x) != TCC_OP_CONV || !has_one_use(x) || tcc_elem_bits(elem) < 32) return null;
  if (!mlirTypeEqual(tcc_value_type(x), tcc_value_type(mlirOperationGetResult(op, 0)))) return null;
  MlirOperation conv = tcc_value_op(x);
  for (int i = 1; i < 3; i++)
    if (!is_stored(ir, init, mlirOperationGetOperand(conv, i))) return null;
  for (int i = 1; i < 5; i++) {
    MlirValue factor = mlirOperationGetOperand(op, i);
    if (!is_stored(ir, init, factor) || tcc_type_elem(tcc_value_type(factor)) != elem) return null;
  }
  return conv;
}

bool tcc_fold_batch_norm(TccPassRun *run, const TccInit *init, MlirOperation op) {
  TccIr *ir = run->ir;
  MlirOperation conv = foldable(ir, init, op);
  if (mlirOperationIsNull(conv)) return false;
  TccBuilder b = {ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue w = mlirOperationGetOperand(conv, 1), result = mlirOperationGetResult(conv, 0);
  TccExpand x = {.ir = ir, .b = &b, .scratch = run->scratch, .op = op, .kind = TCC_OP_BATCH_NORM};
  x.elem = x.compute = tcc_type_elem(tcc_value_type(w));
  TccChannelNorm norm = tcc_ex_channel_norm(&x);
  MlirValue scaled = tcc_build2(&b, TCC_OP_MUL, w, tcc_ex_column(&x, norm.factor, tcc_type_rank(tcc_value_type(w)) - 1));
  MlirValue bias = mlirOperationGetOperand(conv, 2);
  if (!tcc_value_is_none(ir, bias))
    norm.shift = tcc_build2(&b, TCC_OP_ADD, tcc_build2(&b, TCC_OP_MUL, bias, norm.factor), norm.shift);
  if (!scaled.ptr || !norm.shift.ptr) return false;
  mlirOperationMoveBefore(conv, op); /* behind its weights; nobody else reads it */
  mlirOperationSetOperand(conv, 1, scaled);
  mlirOperationSetOperand(conv, 2, norm.shift);
  MlirLocation nodes[] = {mlirOperationGetLocation(conv), mlirOperationGetLocation(op)};
  mlirOperationSetLocation(conv, tcc_location_fuse(ir, nodes, 2));
  tcc_replace_uses(mlirOperationGetResult(op, 0), result);
  tcc_erase(op);
  return true;
}
