/* gpu_tensor_map.c - tensor maps by which kernels copy boxes of buffers (TMA), of the plan's descriptions. The numbers are cuda.h's. */
#include "gpu_driver.h"

static int type_of(TccElem elem) {
  switch (elem) {
  case TCC_ELEM_F16: return 6;
  case TCC_ELEM_F32: return 7;
  case TCC_ELEM_BF16: return 9;
  default: return tcc_elem_bits(elem) == 8 ? 0 : -1;
  }
}

TccStatus *tcc_gpu_tensor_map(const TccGpu *gpu, const TccPlanTensorMap *map, const int64_t *exprs, void *base, const char *what,
                              void *out) {
  enum { NOT_INTERLEAVED = 0, PROMOTED_TO_256_BYTES = 3, FILLED_WITH_ZEROS = 0 };
  _Alignas(TCC_TENSOR_MAP_ALIGNMENT) char made[TCC_TENSOR_MAP_BYTES];
  uint64_t sizes[TCC_TENSOR_MAP_RANK], strides[TCC_TENSOR_MAP_RANK];
  uint32_t steps[TCC_TENSOR_MAP_RANK];
  int type = type_of((TccElem)map->elem), swizzle = map->swizzle == 128 ? 3 : map->swizzle == 64 ? 2 : map->swizzle == 32;
  int64_t bytes = (int64_t)tcc_elem_bits((TccElem)map->elem) / 8;
  if (type < 0) return TCC_ERROR(TCC_UNSUPPORTED, "kernel '%s': a tensor map of %s", what, tcc_elem_name((TccElem)map->elem));
  for (uint32_t i = 0; i < map->rank; i++) {
    sizes[i] = (uint64_t)(exprs[map->size[i]] > 1 ? exprs[map->size[i]] : 1); /* of what is empty the kernel copies nothing */
    if (i) strides[i - 1] = (uint64_t)(exprs[map->stride[i]] * bytes);
    steps[i] = 1;
  }
  TCC_CUDA_TRY(gpu->cuda, cuTensorMapEncodeTiled,
               (made, type, map->rank, (char *)base + exprs[map->offset] * bytes, sizes, strides, map->box, steps, NOT_INTERLEAVED,
                swizzle, PROMOTED_TO_256_BYTES, FILLED_WITH_ZEROS),
               what);
  memcpy(out, made, sizeof made);
  return NULL;
}
