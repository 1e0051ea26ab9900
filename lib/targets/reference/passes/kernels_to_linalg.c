/* kernels_to_linalg.c - lower kernel functions to linalg on tensors.
 *
 *   func @k0(%x: tensor<?xf32, ["S"]>) {tcc.kernel = "map"} { %0 = tcc.exp %x ; return %0 }   =>
 *   func @k0(%x: tensor<?xf32, ["S"]>) {tcc.kernel = "map"} {
 *     %s = tcc.sizes {values = ["S"]} ; %c = tensor.cast %x ; %0 = linalg.generic ... math.exp ... ; return (tensor.cast %0) }
 *
 * The function keeps its type, so callers need not change; sizes come from one tcc.sizes at its head. From here upstream's
 * linalg-to-loops path can take a kernel; the reference target does (lib/targets/reference). Kernels of the kinds builtin,
 * pack and relayout are left as they are: the run-time or another target owns them.
 *
 * requires: fuse, composites decomposed. ensures: kernel bodies hold linalg, tensor, scf, arith and math ops. */
#include "lib/targets/reference/linalg_text.h"
#include "lib/targets/reference/passes/passes.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/Math.h"
#include "mlir-c/Dialect/SCF.h"
#include "mlir-c/Dialect/Tensor.h"

static void put_mlir_type(TccText *text, MlirType type) { mlirTypePrint(type, tcc_append, text); }

static TccStatus *write_kernel(TccIr *ir, MlirOperation kernel, TccText *text) {
  LinalgText t;
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  TCC_TRY(linalg_text_begin(&t, ir, text, kernel));
  linalg_put(&t, "func.func private @%.*s(", TCC_STR_ARG(tcc_string(ir, kernel, "sym_name")));
  intptr_t n = mlirBlockGetNumArguments(block), nresults = mlirOperationGetNumOperands(end);
  for (intptr_t i = 0; i < n; i++) {
    linalg_put(&t, "%s%%a%d: ", i ? ", " : "", (int)i);
    put_mlir_type(text, tcc_value_type(mlirBlockGetArgument(block, i)));
  }
  for (intptr_t i = 0; i < n; i++)
    if (linalg_packed(tcc_value_type(mlirBlockGetArgument(block, i))))
      return TCC_ERROR(TCC_UNSUPPORTED, "kernels-to-linalg: an argument has elements narrower than a byte");
  linalg_put(&t, ") -> (");
  for (intptr_t i = 0; i < nresults; i++) {
    if (i) linalg_put(&t, ", ");
    put_mlir_type(text, tcc_value_type(mlirOperationGetOperand(end, i)));
  }
  linalg_put(&t, ") attributes {tcc.kernel = \"%.*s\"} {\n", TCC_STR_ARG(tcc_string(ir, kernel, "tcc.kernel")));
  if (t.slots.count) {
    MlirAttribute values = tcc_attr_exprs(ir, t.slots.data, t.slots.count);
    linalg_put(&t, "  %%sizes = \"tcc.sizes\"() {values = ");
    mlirAttributePrint(values, tcc_append, text);
    linalg_put(&t, "} : () -> tensor<%zuxi64>\n", t.slots.count);
    linalg_text_sizes(&t, "%sizes");
  }
  for (intptr_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    int number = linalg_text_fresh(&t);
    linalg_put(&t, "  %%v%d = builtin.unrealized_conversion_cast %%a%d : ", number, (int)i);
    put_mlir_type(text, tcc_value_type(argument));
    linalg_put(&t, " to ");
    linalg_put_type(&t, tcc_value_type(argument));
    linalg_put(&t, "\n");
    linalg_text_bind(&t, argument, number);
  }
  TCC_TRY(linalg_text_body(&t, kernel));
  for (intptr_t i = 0; i < nresults; i++) {
    MlirValue value = mlirOperationGetOperand(end, i);
    linalg_put(&t, "  %%r%d = builtin.unrealized_conversion_cast %%v%d : ", (int)i, linalg_text_number(&t, value));
    linalg_put_type(&t, tcc_value_type(value));
    linalg_put(&t, " to ");
    put_mlir_type(text, tcc_value_type(value));
    linalg_put(&t, "\n");
  }
  linalg_put(&t, "  return%s", nresults ? " " : "");
  for (intptr_t i = 0; i < nresults; i++) linalg_put(&t, "%s%%r%d", i ? ", " : "", (int)i);
  for (intptr_t i = 0; i < nresults; i++) {
    linalg_put(&t, i ? ", " : " : ");
    put_mlir_type(text, tcc_value_type(mlirOperationGetOperand(end, i)));
  }
  linalg_put(&t, "\n}\n");
  return NULL;
}

MlirLogicalResult tcc_pass_kernels_to_linalg(TccPassRun *run, MlirOperation module) {
  MlirContext context = run->ir->context;
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__arith__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__linalg__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__math__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__scf__(), context);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__tensor__(), context);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TccText text = {0};
  MlirOperation next;
  MlirLogicalResult result = mlirLogicalResultSuccess();
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func); func = next) {
    next = mlirOperationGetNextInBlock(func);
    TccKernelKind kind = tcc_kernel_kind(run->ir, func);
    if (!kind || tcc_kernel_is_builtin(kind) || kind == TCC_KERNEL_PACK) continue;
    tcc_text_clear(&text);
    TccStatus *status = write_kernel(run->ir, func, &text);
    if (status) {
      result = tcc_status_emit(status, mlirOperationGetLocation(func));
      continue; /* report every kernel that has no linalg form */
    }
    MlirOperation lowered = mlirOperationCreateParse(context, mlirStringRefCreate(text.data, text.length),
                                                     mlirStringRefCreateFromCString("kernels-to-linalg"));
    if (mlirOperationIsNull(lowered)) { /* the parser has said why */
      result = mlirLogicalResultFailure();
      continue;
    }
    MlirOperation inner = lowered; /* the parser wraps a lone operation in a module */
    if (mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(lowered)), mlirStringRefCreateFromCString("builtin.module"))) {
      inner = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(lowered, 0)));
      mlirOperationRemoveFromParent(inner);
      mlirOperationDestroy(lowered);
    }
    mlirBlockInsertOwnedOperationBefore(body, func, inner);
    mlirOperationDestroy(func);
  }
  tcc_text_destroy(&text);
  return result;
}
