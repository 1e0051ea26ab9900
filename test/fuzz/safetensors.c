/* Bytes of a safetensors file: the header, and the first and last byte of every tensor that it takes. */
#include "tcc/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TccArena *arena;
  if (!arena) arena = tcc_arena_create();
  tcc_arena_reset(arena);
  TccSafetensor *tensors;
  size_t count;
  volatile unsigned sum = 0; /* so that a tensor that leaves the input is seen */
  TccStatus *status = tcc_safetensors_read(arena, (TccStr){(const char *)data, size}, "fuzz", 0, &tensors, &count);
  for (size_t i = 0; i < count; i++)
    if (tensors[i].bytes) sum += data[tensors[i].offset] + data[tensors[i].offset + tensors[i].bytes - 1];
  tcc_status_destroy(status);
  return 0;
}
