/* Pipeline texts: parsed, never run, since no pipeline has the pass behind which the IR is to be printed. Names of upstream passes are left
 * to MLIR's own parser. */
#include "tcc/pass.h"
#include "tcc/target.h"
#include <stdlib.h>

static MlirLogicalResult ignore(MlirDiagnostic diagnostic, void *user) {
  (void)diagnostic, (void)user;
  return mlirLogicalResultSuccess();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TccIr *ir;
  static TccPipelineOptions options = {.print_after = "no pass"};
  static MlirOperation module;
  if (!ir) {
    ir = tcc_ir_create();
    mlirContextAttachDiagnosticHandler(ir->context, ignore, NULL, NULL);
    module = mlirModuleGetOperation(mlirModuleCreateEmpty(mlirLocationUnknownGet(ir->context)));
    TccStatus *status = tcc_target_parse(ir->arena, NULL, &options.target);
    if (status) abort();
  }
  if (size < 4096 && mlirLogicalResultIsSuccess(tcc_pipeline_run(ir, module, (TccStr){(const char *)data, size}, &options)))
    abort();
  return 0;
}
