/* images.c - objects of a device to images of the plan: the text of each with the NUL behind it, its cubin if there is one, and which kernels
 * they define. */
#include "lib/compile/compile_internal.h"

static void add_symbols(const TccDriver *driver, size_t object, const char **symbols, size_t *count) {
  for (size_t i = 0; i < driver->kernels.count; i++) {
    const TccDriverKernel *kernel = &driver->kernels.data[i];
    bool seen = kernel->builtin || kernel->object != object;
    for (size_t k = 0; k < *count && !seen; k++) seen = strcmp(symbols[k], kernel->code.symbol) == 0;
    if (!seen) symbols[(*count)++] = kernel->code.symbol;
  }
}

TccStr tcc_driver_ptx(const TccText *text) {
  size_t end = text->length && !text->data[text->length - 1]; /* LLVM may put one there */
  return (TccStr){text->data, text->length - end};
}

TccPlanCode *tcc_driver_images(const TccDriver *driver, TccArena *arena, size_t *out_count) {
  size_t objects = tcc_driver_on_device(driver) && !driver->only_plan ? driver->objects.count : 0, count = 0;
  TccPlanCode *codes = TCC_NEW_ARRAY(arena, TccPlanCode, 2 * objects + 1);
  for (size_t i = 0; i < objects; i++) {
    const TccDriverObject *object = driver->objects.data[i];
    TccStr ptx = tcc_driver_ptx(&object->bytes);
    const char **symbols = TCC_NEW_ARRAY(arena, const char *, driver->kernels.count);
    TccPlanCode code = {TCC_IMAGE_PTX, {tcc_arena_copy(arena, ptx.data, ptx.length), ptx.length + 1}, symbols, 0};
    add_symbols(driver, i, symbols, &code.nsymbols);
    codes[count++] = code;
    if (!object->cubin.length) continue;
    code.kind = TCC_IMAGE_CUBIN;
    code.bytes = tcc_text_str(&object->cubin);
    codes[count++] = code;
  }
  *out_count = count;
  return codes;
}
