/* Pipeline texts: parsed, never run. Names of upstream passes are left to MLIR's own parser. */
#include "tcc/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TccIr *ir;
  if (!ir) ir = tcc_ir_create();
  if (size < 4096) tcc_pipeline_accepts(ir, (TccStr){(const char *)data, size});
  return 0;
}
