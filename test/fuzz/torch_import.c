/* Graphs and archives of torch.export, imported: any bytes give a module that verifies, or a diagnostic. */
#include "tcc/import.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static MlirLogicalResult swallow(MlirDiagnostic diagnostic, void *errors) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) ++*(size_t *)errors;
  return mlirLogicalResultSuccess();
}

static MlirOperation import(TccIr *ir, const uint8_t *data, size_t size, TccImportOutcome *outcome) {
  bool graph = size && data[0] == '{'; /* a graph needs no file */
  const TccImportOptions options = {.bytes = {graph ? (const char *)data : NULL, graph ? size : 0}};
  static char path[64];
  if (graph) return tcc_import_file(ir, "fuzz.json", &options, outcome);
  if (!*path) snprintf(path, sizeof path, "%s/torch-import-%ld.pt2", getenv("TMPDIR") ? getenv("TMPDIR") : ".", (long)getpid());
  FILE *file = fopen(path, "wb");
  if (!file) exit(1);
  fwrite(data, 1, size, file);
  fclose(file);
  MlirOperation module = tcc_import_file(ir, path, &options, outcome);
  unlink(path);
  return module;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { RUNS_PER_CONTEXT = 200 };
  static TccIr *ir;
  static unsigned runs;
  static size_t errors;
  if (runs++ % RUNS_PER_CONTEXT == 0) { /* a context keeps every type and attribute that it has seen */
    if (ir) tcc_ir_destroy(ir);
    ir = tcc_ir_create();
    mlirContextAttachDiagnosticHandler(ir->context, swallow, &errors, NULL);
  }
  errors = 0;
  TccImportOutcome outcome;
  MlirOperation module = import(ir, data, size, &outcome);
  if (mlirOperationIsNull(module)) {
    if (errors == 0 || outcome == TCC_IMPORT_OK) abort(); /* a failure says why */
  } else {
    if (errors || outcome != TCC_IMPORT_OK || !mlirOperationVerify(module)) abort();
    mlirOperationDestroy(module);
  }
  return 0;
}
