/* place_pieces.c - concat and split that only place tensors in memory get no code.
 *
 *   func @k7_concat(%a, %b) {tcc.kernel = "map"}        =>   func @k7_concat(%a, %b) {tcc.kernel = "join"}
 *     tcc.concat(%a, %b) along the outermost axis              ...
 *   func @k8_slice(%a) {tcc.kernel = "map"}             =>   func @k8_slice(%a) {tcc.kernel = "part"}
 *
 * What such a kernel makes is a run of bytes of its operand, or its operands one behind the other (lib/codegen/pieces.h). The
 * run-time lets the kernels before write where the join lies, and those behind read where the part lies; it copies what it
 * cannot place so. The body stays for whoever wants to know.
 *
 * requires: fuse, pack-weights, relayout-weights; the target x86. ensures: nothing else. keeps: everything but that attribute. */
#include "lib/codegen/pieces.h"
#include "tcc/pass.h"

MlirLogicalResult tcc_pass_place_pieces(TccPassRun *run, MlirOperation module) {
  if (strcmp(run->target->name, "x86") != 0) return mlirLogicalResultSuccess();
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    TccStr kind;
    TccPieces pieces;
    if (!tcc_get_str(run->ir, func, "tcc.kernel", &kind) || !tcc_str_is(kind, "map") || !tcc_pieces_read(run->ir, func, &pieces))
      continue;
    mlirOperationSetAttributeByName(func, mlirStringRefCreateFromCString("tcc.kernel"),
                                    tcc_attr_str(run->ir, tcc_str(pieces.is_part ? "part" : "join")));
  }
  return mlirLogicalResultSuccess();
}
