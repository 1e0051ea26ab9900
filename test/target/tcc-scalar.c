/* tcc-scalar MODEL ARTIFACT: compiles for the target of scalar.c, which no library of tcc knows, and says which target made each kernel. */
#include "scalar.h"
#include "tcc/compile.h"
#include "tcc/file.h"
#include <stdio.h>

static int failed(TccStatus *status) {
  fprintf(stderr, "tcc-scalar: %s\n", tcc_status_message(status));
  tcc_status_destroy(status);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: tcc-scalar MODEL ARTIFACT\n");
    return 2;
  }
  TccStatus *status = tcc_target_register(&tcc_target_scalar);
  if (status) return failed(status);
  TccStatus *again = tcc_target_register(&tcc_target_scalar);
  printf("again: %s\n", tcc_status_message(again));
  tcc_status_destroy(again);
  TccCompileResult result;
  status = tcc_compile(argv[1], &(TccCompileOptions){.target = "scalar", .no_cache = true}, &result);
  for (size_t i = 0; i < result.nkernels; i++)
    printf("%s (%s) by %s\n", result.kernels[i].function, result.kernels[i].kind, result.kernels[i].emitter);
  if (!status) status = tcc_file_write(argv[2], result.artifact.data, result.artifact.length);
  tcc_compile_result_destroy(&result);
  return status ? failed(status) : 0;
}
