/* PTX as the emulator reads it: a module, or an error with a line, and nothing of it is left. */
#include "test/emulate/ptx/ptx.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = size < 1 << 16 ? malloc(size + 1) : NULL, error[400] = "";
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  EmuModule *module = emu_module_parse(text, error, sizeof error);
  if (!module != !!error[0]) abort();
  if (module) {
    bool alone;
    unsigned chip = emu_module_chip(module, &alone);
    EmuKernel *kernel = emu_kernel_find(module, "k");
    if (kernel && (strcmp(emu_kernel_name(kernel), "k") != 0 || emu_kernel_parameter_bytes(kernel) > size * 4096)) abort();
    (void)chip;
    (void)emu_kernel_find(module, "");
  }
  emu_module_destroy(module);
  free(text);
  return 0;
}
