/* gpu_driver.h - CUDA's driver as a table of functions, found when it is first asked for, and a device as the files gpu*.c see it. */
#ifndef TCC_GPU_DRIVER_H
#define TCC_GPU_DRIVER_H
#include "gpu.h"

enum {
  CUDA_OUT_OF_MEMORY = 2,
  CUDA_NOT_READY = 600,
  CUDA_NO_DEVICE = 100,
  CUDA_INVALID_IMAGE = 200,
  CUDA_NO_BINARY_FOR_GPU = 209,
  CUDA_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ATTRIBUTE_MAJOR = 75,
  CUDA_ATTRIBUTE_MINOR = 76,
  CUDA_FUNCTION_DYNAMIC_SHARED = 8,
  CUDA_LAUNCH_CLUSTER = 4,
  CUDA_OLDEST_DRIVER = 12000 /* 12.0: cuLaunchKernelEx */
};
typedef struct {
  int id;
  char pad[4];
  unsigned value[16];
} TccCudaAttribute; /* CUlaunchAttribute */
typedef struct {
  unsigned grid[3], block[3], dynamic_shared;
  void *stream;
  TccCudaAttribute *attributes;
  unsigned nattributes;
} TccCudaLaunch; /* CUlaunchConfig */

typedef struct {
  void *library;
#define TCC_CUDA(name, parameters) int(*name) parameters;
#include "cuda.def"
  /* Of a driver that checks accesses: told the buffers of each launch. NULL: this one does not. */
  int (*tccEmulateRegions)(const void *const *memory, const size_t *bytes, size_t count);
} TccCuda;

/* Bytes that an operation of a captured graph touches; node: of the driver's. */
typedef struct {
  const char *begin, *end;
  bool writes;
  void *node;
} TccGpuAccess;
typedef struct {
  TccGpuAccess *data;
  size_t count, room;
} TccGpuAccesses;
typedef struct {
  TccGpuAccesses past, next; /* next: of the operation that comes now */
} TccGpuOrder;               /* gpu_order.c; all zero at first */

enum { TCC_GPU_ORDINAL = 0 }; /* the device that models run on */
struct TccGpu {
  const TccCuda *cuda;
  const TccPlanHeader *plan;
  pthread_mutex_t lock;
  void *context, **modules, **functions; /* per image; per kernel of the plan */
  void *own, *stream;                    /* the model's stream; the one that work goes to */
  int64_t *shared;                       /* per kernel: the most bytes of shared memory that its function was asked to have */
  void *event;                           /* the end of the last run on a caller's stream */
  const void **known;                    /* addresses of the device's memory that the driver was asked of, by hash */
  size_t known_count;
  bool busy, pending; /* nobody has waited for the stream since; for the event */
  uint64_t isa;
  void *scratch;
  size_t scratch_bytes;
  void *strided_module, *strided; /* gpu_strided.c: its code, its kernel; NULL until they are needed */
  TccGpuOrder *order;             /* of what is captured; NULL: nothing is */
};
/* While a graph is captured, else nothing is done: the next operation touches these bytes; it begins; it was given to the stream. */
TccStatus *tcc_gpu_touch(TccGpu *gpu, const void *memory, size_t bytes, bool writes) TCC_CHECKED;
TccStatus *tcc_gpu_order_begin(TccGpu *gpu) TCC_CHECKED;
TccStatus *tcc_gpu_order_end(TccGpu *gpu) TCC_CHECKED;
void tcc_gpu_order_destroy(TccGpuOrder *order);

TccStatus *tcc_gpu_isa_of(const TccCuda *cuda, int device, uint64_t *out) TCC_CHECKED;
/* Of each kernel of the plan the code that fits the device best. */
TccStatus *tcc_gpu_load_images(TccGpu *gpu) TCC_CHECKED;

/* A tensor map of the buffer at `base`, by the sizes of an instance: `kept`, which is made again if it is another one's. */
TccStatus *tcc_gpu_tensor_map(const TccGpu *gpu, const TccPlanTensorMap *map, const int64_t *exprs, void *base, const char *what,
                              TccGpuTensorMap *kept) TCC_CHECKED;

/* The driver of this machine, initialised; it stays loaded. TCC_CUDA_LIBRARY names another one than libcuda.so.1. Thread-safe. */
TccStatus *tcc_cuda_driver(const TccCuda **out) TCC_CHECKED;
/* "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY, for weights" */
TccStatus *tcc_cuda_error(const TccCuda *cuda, const char *function, int error, const char *what) TCC_CHECKED;
/* Calls a function of the driver; what it was for, in messages. */
#define TCC_CUDA_TRY(cuda, function, arguments, what)                                                                              \
  do {                                                                                                                             \
    int cuda_error = (cuda)->function arguments;                                                                                   \
    if (cuda_error) return tcc_cuda_error(cuda, #function, cuda_error, what);                                                      \
  } while (0)
#endif
