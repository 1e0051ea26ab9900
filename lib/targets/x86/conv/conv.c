/* conv.c - a convolution kernel goes to the emitter of its form. See conv.h. */
#include "lib/targets/x86/conv/conv.h"
#include "lib/targets/x86/conv/conv_blocked.h"
#include "lib/targets/x86/conv/conv_depth_first.h"
#include "lib/targets/x86/conv/conv_depthwise.h"
#include "lib/targets/x86/conv/conv_winograd.h"
#include "tcc/op_kinds.h"

TccStatus *tcc_conv_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccMicroType type;
  MlirOperation blocked = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    if (kind == TCC_OP_CONV_BLOCKED && !mlirOperationIsNull(blocked)) return tcc_conv_depth_first_emit(target, ir, kernel, out);
    if (kind == TCC_OP_CONV_BLOCKED) blocked = op;
  }
  if (!mlirOperationIsNull(blocked))
    return tcc_i64(ir, blocked, "winograd") > 1 ? tcc_winograd_emit(target, ir, kernel, blocked, out)
                                                : tcc_conv_blocked_emit(target, ir, kernel, blocked, out);
  TccContraction *c = TCC_NEW(ir->arena, TccContraction);
  TccConv *v = TCC_NEW(ir->arena, TccConv);
  TCC_TRY(tcc_conv_read(ir, kernel, v, c));
  if (!tcc_micro_type_plain(&target->machine, v->x.elem, c->a.elem, &type)) /* patches come one element at a time */
    return TCC_ERROR(TCC_UNSUPPORTED, "convolution of %s and %s", tcc_elem_name(v->x.elem), tcc_elem_name(c->a.elem));
  if (tcc_conv_is_depthwise(v)) return tcc_conv_depthwise_emit(target, c, &type, v, out);
  tcc_conv_flatten(ir, v);
  const TccContractOperand patches = {.panel = tcc_conv_patches_emit, .user = v};
  return tcc_contract_emit_kernel(target, "x86.conv", c, &type, &patches, out);
}
