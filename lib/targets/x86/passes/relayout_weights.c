/* relayout_weights.c - weights that are only moved are moved by the run-time.
 *
 *   %0 = call @k7_transpose(%w)                           %0 = call @k7_transpose(%w)
 *   func @k7_transpose(%w) {tcc.kernel = "map"}    =>     func @k7_transpose(%w) {tcc.kernel = "relayout"}
 *     tcc.transpose(tcc.reshape(tcc.pad %w))                ...
 *
 * A kernel that runs once, when the model is loaded, is not worth code of its own: a network of convolutions has a shape of
 * weights for every layer, and two thirds of the kernels of MobileNetV3 were such. What its body says is read off as a table of
 * strides (lib/codegen/read/relayout.h) that one function of the run-time walks; the body stays for whoever wants to know.
 *
 * requires: pack-weights; the target x86. ensures: kernels of kind relayout have operands that depend on weights alone.
 * keeps: everything but that attribute. */
#include "lib/codegen/read/relayout.h"
#include "lib/ir/names.h"
#include "lib/targets/x86/passes/passes.h"

/* An argument of a function that is called is one if the operands of all calls are. */
static bool is_of_weights(const TccInit *init, MlirOperation func) {
  MlirBlock body = tcc_func_body(func);
  return mlirBlockGetNumArguments(body) == 1 && tcc_init_is(init, mlirBlockGetArgument(body, 0));
}

MlirLogicalResult tcc_pass_relayout_weights(TccPassRun *run, MlirOperation module) {
  const TccInit *init = tcc_init_analyse(run->ir, module, run->scratch);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    TccRelayout relayout;
    TccKernelKind kind = tcc_kernel_kind(run->ir, func);
    if (kind != TCC_KERNEL_MAP && kind != TCC_KERNEL_PACK) continue;
    if (is_of_weights(init, func) && tcc_relayout_read(run->ir, func, &relayout))
      tcc_kernel_set_kind(run->ir, func, TCC_KERNEL_RELAYOUT);
  }
  return mlirLogicalResultSuccess();
}
