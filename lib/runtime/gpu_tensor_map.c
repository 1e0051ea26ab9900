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
                              TccGpuTensorMap *kept) {
  enum { NOT_INTERLEAVED = 0, PROMOTED_TO_256_BYTES = 3, FILLED_WITH_ZEROS = 0 };
  _Alignas(TCC_TENSOR_MAP_ALIGNMENT) char made[TCC_TENSOR_MAP_BYTES];
  uint32_t steps[TCC_TENSOR_MAP_RANK];
  int type = type_of((TccElem)map->elem), swizzle = map->swizzle == 128 ? 3 : map->swizzle == 64 ? 2 : map->swizzle == 32;
  int64_t bytes = (int64_t)tcc_elem_bits((TccElem)map->elem) / 8;
  TccGpuTensorMap now = {.base = (char *)base + exprs[map->offset] * bytes};
  if (type < 0) return TCC_ERROR(TCC_UNSUPPORTED, "kernel '%s': a tensor map of %s", what, tcc_elem_name((TccElem)map->elem));
  for (uint32_t i = 0; i < map->rank; i++) {
    if (exprs[map->size[i]] > INT32_MAX) /* what coordinates of a copy reach */
      return TCC_ERROR(TCC_UNSUPPORTED, "kernel '%s': an axis of %lld places, tensor maps reach %d", what,
                       (long long)exprs[map->size[i]], INT32_MAX);
    now.sizes[i] = (uint64_t)(exprs[map->size[i]] > 1 ? exprs[map->size[i]] : 1); /* of what is empty the kernel copies nothing */
    if (i) now.strides[i - 1] = (uint64_t)(exprs[map->stride[i]] * bytes);
    steps[i] = map->im2col && i && i + 1 < map->rank ? map->step[i - 1] : 1;
  }
  if (now.base == kept->base && memcmp(now.sizes, kept->sizes, sizeof now.sizes) == 0 &&
      memcmp(now.strides, kept->strides, sizeof now.strides) == 0)
    return NULL;
  if (map->im2col)
    TCC_CUDA_TRY(gpu->cuda, cuTensorMapEncodeIm2col,
                 (made, type, map->rank, now.base, now.sizes, now.strides, map->lower, map->upper, map->box[0], map->box[1], steps,
                  NOT_INTERLEAVED, swizzle, PROMOTED_TO_256_BYTES, FILLED_WITH_ZEROS),
                 what);
  else
    TCC_CUDA_TRY(gpu->cuda, cuTensorMapEncodeTiled,
                 (made, type, map->rank, now.base, now.sizes, now.strides, map->box, steps, NOT_INTERLEAVED, swizzle,
                  PROMOTED_TO_256_BYTES, FILLED_WITH_ZEROS),
                 what);
  memcpy(now.made, made, sizeof made);
  *kept = now;
  return NULL;
}
