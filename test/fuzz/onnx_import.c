/* ONNX models, imported: any bytes give a module that verifies, or a diagnostic. */
#include "tcc/import.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *errors) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) ++*(size_t *)errors;
  return mlirLogicalResultSuccess();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { RUNS_PER_CONTEXT = 200 };
  static TccIr *ir;
  static unsigned runs;
  static size_t errors;
  static char path[64];
  if (runs++ % RUNS_PER_CONTEXT == 0) { /* a context keeps every type and attribute that it has seen */
    if (ir) tcc_ir_destroy(ir);
    ir = tcc_ir_create();
    mlirContextAttachDiagnosticHandler(ir->context, swallow, &errors, NULL);
    snprintf(path, sizeof path, "%s/onnx-import-%ld.onnx", getenv("TMPDIR") ? getenv("TMPDIR") : ".", (long)getpid());
  }
  FILE *file = fopen(path, "wb");
  if (!file) return 0;
  fwrite(data, 1, size, file);
  fclose(file);
  errors = 0;
  TccImportOutcome outcome;
  MlirOperation module = tcc_import_file(ir, path, NULL, &outcome);
  if (mlirOperationIsNull(module)) {
    if (errors == 0 || outcome == TCC_IMPORT_OK) abort(); /* a failure says why */
  } else {
    if (errors || outcome != TCC_IMPORT_OK || !mlirOperationVerify(module)) abort();
    mlirOperationDestroy(module);
  }
  unlink(path);
  return 0;
}
