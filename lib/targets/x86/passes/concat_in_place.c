/* concat_in_place.c - concat and split that only place tensors in memory get no code.
 *
 *   func @k7_concat(%a, %b) {tcc.kernel = "map"}        =>   func @k7_concat(%a, %b) {tcc.kernel = "concat"}
 *     tcc.concat(%a, %b) along the outermost axis              ...
 *   func @k8_slice(%a) {tcc.kernel = "map"}             =>   func @k8_slice(%a) {tcc.kernel = "slice"}
 *
 * What such a kernel makes is a run of bytes of its operand, or its operands one behind the other (lib/codegen/read/concat_slice.h). The
 * run-time lets the kernels before write where the concatenation lies, and those behind read where the part lies; it copies what it
 * cannot place so. The body stays for whoever wants to know.
 *
 * requires: fuse, pack-weights, relayout-weights; the target x86. ensures: nothing else. keeps: everything but that attribute. */
#include "lib/codegen/read/concat_slice.h"
#include "lib/targets/x86/passes/passes.h"

MlirLogicalResult tcc_pass_concat_in_place(TccPassRun *run, MlirOperation module) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    TccConcatSlice places;
    if (tcc_kernel_kind(run->ir, func) == TCC_KERNEL_MAP && tcc_concat_slice_read(run->ir, func, &places))
      tcc_kernel_set_kind(run->ir, func, places.is_slice ? TCC_KERNEL_SLICE : TCC_KERNEL_CONCAT);
  }
  return mlirLogicalResultSuccess();
}
