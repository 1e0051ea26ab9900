/* A model in memory becomes the artifact that its file would; what is wrong with it is told under its name. */
#include "tcc/compile.h"
#include "tcc/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char text[] = "module {\n  func.func @main(%x: tensor<?x8xf32, [\"B\", 8]> {tcc.name = \"x\"})"
                           " -> (tensor<?x8xf32, [\"B\", 8]> {tcc.name = \"y\"}) {\n"
                           "    %0 = \"tcc.relu\"(%x) : (tensor<?x8xf32, [\"B\", 8]>) -> tensor<?x8xf32, [\"B\", 8]>\n"
                           "    return %0 : tensor<?x8xf32, [\"B\", 8]>\n  }\n}\n";
static int failures;

/* The status of compiling these bytes has this code, and its message these words. */
static void refuse(const char *name, TccStr bytes, TccCode code, const char *words) {
  TccCompileOptions options = {.no_cache = true, .threads = 1};
  TccCompileResult result;
  TccStatus *status = tcc_compile_memory(name, bytes, &options, &result);
  if (tcc_status_code(status) != code || !strstr(tcc_status_message(status), words) || !strstr(tcc_status_message(status), name))
    printf("failed: %s: %s\n", name, status ? tcc_status_message(status) : "taken"), failures++;
  tcc_status_destroy(status);
  tcc_compile_result_destroy(&result);
}

static void compare(void) {
  TccCompileOptions options = {.no_cache = true, .threads = 1};
  TccCompileResult from_file, from_memory;
  char folder[] = "/tmp/tcc-memory-XXXXXX", path[64];
  if (!mkdtemp(folder)) exit(1);
  snprintf(path, sizeof path, "%s/model.mlir", folder);
  TccStatus *status = tcc_file_write(path, text, strlen(text));
  if (!status) status = tcc_compile(path, &options, &from_file);
  if (status) exit(1);
  status = tcc_compile_memory("model.mlir", tcc_str(text), &options, &from_memory);
  if (status || !from_memory.artifact.length ||
      !tcc_str_equal(tcc_text_str(&from_file.artifact), tcc_text_str(&from_memory.artifact)) ||
      memcmp(from_file.model_digest, from_memory.model_digest, TCC_DIGEST_BYTES) != 0)
    printf("failed: the artifact of memory is another: %s\n", status ? tcc_status_message(status) : ""), failures++;
  tcc_status_destroy(status);
  tcc_compile_result_destroy(&from_file);
  tcc_compile_result_destroy(&from_memory);
  unlink(path);
  rmdir(folder);
}

int main(void) {
  compare();
  refuse("broken.mlir", tcc_str("module {"), TCC_INVALID, "expected");
  refuse("empty.mlir", (TccStr){0}, TCC_UNSUPPORTED, "main");
  refuse("model.onnx", tcc_str(text), TCC_UNSUPPORTED, "in memory");
  return failures != 0;
}
