/* images.c - objects of a device to images of the plan: the text of each with the NUL behind it, and which kernels it defines. */
#include "lib/compile/compile_internal.h"

static void add_symbols(const TccDriver *driver, size_t object, const char **symbols, size_t *count) {
  for (size_t i = 0; i < driver->kernels.count; i++) {
    const TccDriverKernel *kernel = &driver->kernels.data[i];
    bool seen = kernel->builtin || kernel->object != object;
    for (size_t k = 0; k < *count && !seen; k++) seen = strcmp(symbols[k], kernel->code.symbol) == 0;
    if (!seen) symbols[(*count)++] = kernel->code.symbol;
  }
}

TccPlanCode *tcc_driver_images(const TccDriver *driver, TccArena *arena, size_t *out_count) {
  size_t count = *out_count = tcc_driver_on_device(driver) && !driver->only_plan ? driver->objects.count : 0;
  TccPlanCode *codes = TCC_NEW_ARRAY(arena, TccPlanCode, count + 1);
  for (size_t i = 0; i < count; i++) {
    const TccText *text = &driver->objects.data[i]->bytes;
    const char **symbols = TCC_NEW_ARRAY(arena, const char *, driver->kernels.count);
    size_t length = text->length && !text->data[text->length - 1] ? text->length - 1 : text->length; /* LLVM may put one there */
    codes[i] =
        (TccPlanCode){.kind = TCC_IMAGE_PTX, .bytes = {tcc_arena_copy(arena, text->data, length), length + 1}, .symbols = symbols};
    add_symbols(driver, i, symbols, &codes[i].nsymbols);
  }
  return codes;
}
