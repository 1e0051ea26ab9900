/* tcc-replace.c - test tool: a service whose artifact is replaced while it is loaded.
 *
 *   tcc-replace LIVE VERSION...    each is a folder with m.so and m.onnx
 *
 * Renames the files of each version in turn to LIVE, loads LIVE/m.so without letting go of those before, and runs it. Prints the second
 * element of the output for the first unit vector, and whether packed weights were made or mapped; they are kept. Without a VERSION what
 * lies in LIVE is loaded once. */
#include "tcc/runtime.h"
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 256 };

static void check(TccStatus *status) {
  if (!status) return;
  fprintf(stderr, "%s\n", tcc_status_message(status));
  exit(1);
}

static TccModel *run(const char *live) {
  char path[4096];
  snprintf(path, sizeof path, "%s/m.so", live);
  TccModel *model;
  TccContext *context;
  check(tcc_model_load(path, &(TccLoadOptions){.cache = true}, &model));
  check(tcc_context_create(model, NULL, &context));
  float data[SIZE] = {1};
  int64_t shape[] = {1, SIZE};
  TccTensor x = {.data = data, .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape},
            y = {0};
  check(tcc_context_run(context, &x, 1, &y, 1));
  printf("%g %s\n", (double)((const float *)y.data)[1], tcc_model_info(model)->packed_mapped ? "mapped" : "made");
  tcc_model_keep(model);
  tcc_context_destroy(context);
  return model;
}

int main(int argc, char **argv) {
  enum { MOST = 8 };
  TccModel *models[MOST]; /* all stay loaded until the end */
  int count = 0;
  if (argc < 2 || argc > 2 + MOST) return 2;
  for (int i = 2; i < argc; i++) {
    char command[8192];
    snprintf(command, sizeof command,
             "cp -p '%s/m.so' '%s/n.so' && mv '%s/n.so' '%s/m.so' && cp -p '%s/m.onnx' '%s/n.onnx' && mv '%s/n.onnx' '%s/m.onnx'",
             argv[i], argv[1], argv[1], argv[1], argv[i], argv[1], argv[1], argv[1]);
    if (system(command) != 0) return 1;
    models[count++] = run(argv[1]);
  }
  if (argc == 2) models[count++] = run(argv[1]);
  while (count) tcc_model_destroy(models[--count]);
}
