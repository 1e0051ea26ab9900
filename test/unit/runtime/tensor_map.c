/* tensor_map.c - a tensor map that is kept is made again where its buffer or its sizes are others, and stays where the driver refuses the new one;
 * coordinates of 32 bits reach all of a map. */
#include "lib/runtime/gpu_driver.h"
#include <stdio.h>

static int made, fails, failures;
static void *last_base;

static int encode(void *out, int type, unsigned rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                  const unsigned *box, const unsigned *steps, int interleave, int swizzle, int promotion, int fill) {
  (void)type, (void)rank, (void)sizes, (void)strides, (void)box, (void)steps, (void)interleave, (void)swizzle, (void)promotion;
  (void)fill;
  made++, last_base = base;
  if (fails) return 719;
  memset(out, made, TCC_TENSOR_MAP_BYTES);
  return 0;
}

/* What a map of im2col is made of reaches the driver. */
static int encode_pixels(void *out, int type, unsigned rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                         const int *lower, const int *upper, unsigned channels, unsigned pixels, const unsigned *steps,
                         int interleave, int swizzle, int promotion, int fill) {
  (void)type, (void)sizes, (void)strides, (void)interleave, (void)promotion, (void)fill;
  made++, last_base = base;
  memset(out, made, TCC_TENSOR_MAP_BYTES);
  bool right = rank == 4 && lower[0] == -1 && lower[1] == -2 && upper[0] == -3 && upper[1] == 4 && channels == 64 && pixels == 8 &&
               steps[0] == 1 && steps[1] == 2 && steps[2] == 3 && steps[3] == 1 && swizzle == 3;
  if (!right) fprintf(stderr, "other pixels\n"), failures++;
  return 0;
}

static int name_of(int error, const char **out) {
  (void)error;
  *out = "CUDA_ERROR_LAUNCH_FAILED";
  return 0;
}

/* count: calls of the driver so far; first: what the map begins with. */
static void expect(const char *what, TccStatus *status, TccCode code, const TccGpuTensorMap *kept, int count, int first) {
  bool ok = tcc_status_code(status) == code && made == count && kept->made[0] == first;
  if (!ok)
    fprintf(stderr, "%s: %s, %d made, %d\n", what, status ? tcc_status_message(status) : "ok", made, kept->made[0]), failures++;
  tcc_status_destroy(status);
}

int main(void) {
  const TccCuda driver = {.cuTensorMapEncodeTiled = encode, .cuTensorMapEncodeIm2col = encode_pixels, .cuGetErrorName = name_of};
  const TccGpu gpu = {.cuda = &driver};
  const TccPlanTensorMap map = {
      .elem = TCC_ELEM_F16, .rank = 2, .swizzle = 128, .offset = 0, .size = {1, 2}, .stride = {3, 4}, .box = {64, 8}};
  int64_t exprs[] = {0, 64, 32, 1, 64};
  static _Alignas(16) char buffers[2][64];
  TccGpuTensorMap kept = {0};
  expect("first", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[0], "k", &kept), TCC_OK, &kept, 1, 1);
  expect("the same", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[0], "k", &kept), TCC_OK, &kept, 1, 1);
  expect("moved", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[1], "k", &kept), TCC_OK, &kept, 2, 2);
  if (last_base != buffers[1]) fprintf(stderr, "made of another buffer\n"), failures++;
  exprs[2] = 16;
  expect("other sizes", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[1], "k", &kept), TCC_OK, &kept, 3, 3);
  exprs[4] = 128;
  expect("other strides", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[1], "k", &kept), TCC_OK, &kept, 4, 4);
  exprs[0] = 8;
  expect("another offset", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[1], "k", &kept), TCC_OK, &kept, 5, 5);
  exprs[2] = INT64_C(1) << 31;
  expect("2^31 rows", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[1], "k", &kept), TCC_UNSUPPORTED, &kept, 5, 5);
  exprs[2] = 16;
  fails = 1;
  expect("refused", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[0], "k", &kept), TCC_IO, &kept, 6, 5);
  fails = 0;
  expect("after that", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[0], "k", &kept), TCC_OK, &kept, 7, 7);
  expect("kept", tcc_gpu_tensor_map(&gpu, &map, exprs, buffers[0], "k", &kept), TCC_OK, &kept, 7, 7);
  const TccPlanTensorMap pixels = {.elem = TCC_ELEM_F16,
                                   .rank = 4,
                                   .swizzle = 128,
                                   .size = {1, 2, 2, 2},
                                   .stride = {3, 4, 4, 4},
                                   .box = {64, 8},
                                   .im2col = 1,
                                   .lower = {-1, -2},
                                   .upper = {-3, 4},
                                   .step = {2, 3}};
  kept = (TccGpuTensorMap){0};
  expect("pixels", tcc_gpu_tensor_map(&gpu, &pixels, exprs, buffers[0], "k", &kept), TCC_OK, &kept, 8, 8);
  expect("the same pixels", tcc_gpu_tensor_map(&gpu, &pixels, exprs, buffers[0], "k", &kept), TCC_OK, &kept, 8, 8);
  return failures > 0;
}
