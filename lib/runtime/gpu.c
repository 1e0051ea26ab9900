/* gpu.c - a device: its context and streams, its memory.
 *
 * All work of a model goes to one stream at a time: its own, or one that the caller of a run gives. A run on another stream than the last
 * waits, on the device, for what that one still does, since they share scratch and the memory of intermediate results. */
#include "gpu_driver.h"
#include "gpu_ports.h"

enum { KNOWN = 1 << 14 }; /* addresses: a power of two, of which half may be taken */

/* ---- life ---- */
static TccStatus *open_context(TccGpu *gpu) {
  int error = gpu->cuda->cuStreamCreate(&gpu->own, 1 /* apart from the default stream */);
  if (error) return tcc_cuda_error(gpu->cuda, "cuStreamCreate", error, "the device");
  gpu->stream = gpu->own;
  TCC_TRY(tcc_gpu_mark_create(gpu, &gpu->event));
  return tcc_gpu_load_images(gpu);
}

static TccStatus *open_device(TccGpu *gpu) {
  int device = 0;
  TCC_TRY(tcc_cuda_driver(&gpu->cuda));
  TCC_CUDA_TRY(gpu->cuda, cuDeviceGet, (&device, TCC_GPU_ORDINAL), "the device");
  TCC_TRY(tcc_gpu_isa_of(gpu->cuda, device, &gpu->isa));
  TCC_CUDA_TRY(gpu->cuda, cuDevicePrimaryCtxRetain, (&gpu->context, device), "the device");
  TCC_TRY(tcc_gpu_enter(gpu));
  TccStatus *status = open_context(gpu);
  tcc_gpu_leave(gpu);
  return status;
}

TccStatus *tcc_gpu_open(const TccPlanHeader *plan, TccGpu **out) {
  TccGpu *gpu = *out = calloc(1, sizeof *gpu);
  if (!gpu) return TCC_ERROR_NO_MEMORY();
  gpu->plan = plan;
  gpu->known = calloc(KNOWN, sizeof *gpu->known);
  pthread_mutex_init(&gpu->lock, NULL);
  TccStatus *status = gpu->known ? open_device(gpu) : TCC_ERROR_NO_MEMORY();
  if (!status) return NULL;
  tcc_gpu_close(gpu);
  *out = NULL;
  return status;
}

void tcc_gpu_close(TccGpu *gpu) {
  if (!gpu) return;
  if (gpu->context && gpu->cuda->cuCtxPushCurrent_v2(gpu->context) == 0) { /* what fails now has nobody to tell */
    void *context;
    tcc_gpu_settle(gpu);
    tcc_gpu_release(gpu, gpu->scratch);
    for (size_t i = 0; gpu->modules && i < gpu->plan->images.count; i++)
      if (gpu->modules[i]) gpu->cuda->cuModuleUnload(gpu->modules[i]);
    if (gpu->strided_module) gpu->cuda->cuModuleUnload(gpu->strided_module);
    tcc_gpu_mark_destroy(gpu, gpu->event);
    if (gpu->own) gpu->cuda->cuStreamDestroy_v2(gpu->own);
    gpu->cuda->cuCtxPopCurrent_v2(&context);
  }
  if (gpu->context) gpu->cuda->cuDevicePrimaryCtxRelease_v2(TCC_GPU_ORDINAL);
  pthread_mutex_destroy(&gpu->lock);
  free(gpu->modules);
  free(gpu->functions);
  free(gpu->shared);
  free(gpu->known);
  free(gpu);
}

TccStatus *tcc_gpu_enter(TccGpu *gpu) {
  pthread_mutex_lock(&gpu->lock);
  int error = gpu->cuda->cuCtxPushCurrent_v2(gpu->context);
  if (!error) return NULL;
  pthread_mutex_unlock(&gpu->lock);
  return tcc_cuda_error(gpu->cuda, "cuCtxPushCurrent_v2", error, "the device");
}

void tcc_gpu_leave(TccGpu *gpu) {
  void *context;
  gpu->cuda->cuCtxPopCurrent_v2(&context);
  pthread_mutex_unlock(&gpu->lock);
}

/* ---- streams ---- */
static TccStatus *begin(TccGpu *gpu, void *stream) {
  gpu->stream = stream ? stream : gpu->own;
  if (gpu->pending) TCC_CUDA_TRY(gpu->cuda, cuStreamWaitEvent, (gpu->stream, gpu->event, 0), "the stream of a run");
  return NULL;
}

static TccStatus *finish(TccGpu *gpu) {
  if (gpu->stream == gpu->own) {
    if (gpu->busy || gpu->pending) TCC_TRY(tcc_gpu_wait(gpu)); /* a caller's stream that this one waits for, too */
    gpu->pending = false;
    return NULL;
  }
  gpu->pending = true;
  TCC_CUDA_TRY(gpu->cuda, cuEventRecord, (gpu->event, gpu->stream), "the stream of a run");
  return NULL;
}

static TccStatus *end(TccGpu *gpu) {
  TccStatus *status = finish(gpu);
  gpu->stream = gpu->own;
  gpu->busy = false;
  return status;
}

TccStatus *tcc_gpu_enter_run(TccGpu *gpu, void *stream) {
  TCC_TRY(tcc_gpu_enter(gpu));
  TccStatus *status = begin(gpu, stream);
  return status ? tcc_gpu_leave_run(gpu, status) : NULL;
}

TccStatus *tcc_gpu_leave_run(TccGpu *gpu, TccStatus *status) {
  TccStatus *ended = end(gpu);
  tcc_gpu_leave(gpu);
  if (!status) return ended;
  tcc_status_destroy(ended);
  return status;
}

int tcc_gpu_ordinal(const TccGpu *gpu) {
  (void)gpu;
  return TCC_GPU_ORDINAL;
}

void tcc_gpu_settle(TccGpu *gpu) {
  if (gpu->pending) gpu->cuda->cuEventSynchronize(gpu->event);
  gpu->pending = false;
}

/* ---- memory ---- */
static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

TccStatus *tcc_gpu_allocate(TccGpu *gpu, size_t bytes, const char *what, void **out) {
  uint64_t memory = 0;
  size_t available = 0, all = 0;
  int error = gpu->cuda->cuMemAlloc_v2(&memory, bytes ? bytes : 1);
  *out = (void *)(uintptr_t)memory;
  if (!error) return NULL;
  *out = NULL;
  TccStatus *status = tcc_cuda_error(gpu->cuda, "cuMemAlloc", error, what);
  if (error != CUDA_OUT_OF_MEMORY || gpu->cuda->cuMemGetInfo_v2(&available, &all) != 0) return status;
  tcc_status_destroy(status);
  return TCC_ERROR(TCC_NO_MEMORY, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY, for %s: %.1f MB are needed, %.1f MB are free", what,
                   (double)bytes / 1e6, (double)available / 1e6);
}

void tcc_gpu_release(TccGpu *gpu, void *memory) {
  if (memory) gpu->cuda->cuMemFree_v2(address(memory));
}

TccStatus *tcc_gpu_upload(TccGpu *gpu, void *to, const void *from, size_t bytes) {
  if (!bytes) return NULL;
  gpu->busy = true;
  TCC_CUDA_TRY(gpu->cuda, cuMemcpyHtoDAsync_v2, (address(to), from, bytes, gpu->stream), "a copy to the device");
  return NULL;
}

TccStatus *tcc_gpu_fetch(TccGpu *gpu, void *to, const void *from, size_t bytes) {
  gpu->busy |= bytes > 0;
  if (bytes) TCC_CUDA_TRY(gpu->cuda, cuMemcpyDtoHAsync_v2, (to, address(from), bytes, gpu->stream), "a copy from the device");
  return NULL;
}

TccStatus *tcc_gpu_download(TccGpu *gpu, void *to, const void *from, size_t bytes) {
  TCC_TRY(tcc_gpu_fetch(gpu, to, from, bytes));
  return tcc_gpu_wait(gpu);
}

TccStatus *tcc_gpu_copy(TccGpu *gpu, void *to, const void *from, size_t bytes) {
  if (!bytes) return NULL;
  gpu->busy = true;
  TCC_TRY(tcc_gpu_touch(gpu, from, bytes, false));
  TCC_TRY(tcc_gpu_touch(gpu, to, bytes, true));
  TCC_TRY(tcc_gpu_order_begin(gpu));
  TCC_CUDA_TRY(gpu->cuda, cuMemcpyDtoDAsync_v2, (address(to), address(from), bytes, gpu->stream), "a copy on the device");
  return tcc_gpu_order_end(gpu);
}

TccStatus *tcc_gpu_zero(TccGpu *gpu, void *to, size_t bytes) {
  if (!bytes) return NULL;
  gpu->busy = true;
  TCC_CUDA_TRY(gpu->cuda, cuMemsetD8Async, (address(to), 0, bytes, gpu->stream), "memory of the device");
  return NULL;
}

TccStatus *tcc_gpu_wait(TccGpu *gpu) {
  TCC_CUDA_TRY(gpu->cuda, cuStreamSynchronize, (gpu->stream), "the kernels of the model");
  gpu->busy = false;
  return NULL;
}

void *tcc_gpu_pinned(TccGpu *gpu, size_t bytes) {
  void *memory = NULL;
  return gpu->cuda->cuMemAllocHost_v2(&memory, bytes) == 0 ? memory : NULL;
}

void tcc_gpu_unpin(TccGpu *gpu, void *memory) {
  if (memory) gpu->cuda->cuMemFreeHost(memory);
}

TccStatus *tcc_gpu_mark_create(TccGpu *gpu, void **out) {
  TCC_CUDA_TRY(gpu->cuda, cuEventCreate, (out, 2 /* without a time */), "the device");
  return NULL;
}

void tcc_gpu_mark_destroy(TccGpu *gpu, void *mark) {
  if (mark) gpu->cuda->cuEventDestroy_v2(mark);
}

TccStatus *tcc_gpu_mark(TccGpu *gpu, void *mark) {
  TCC_CUDA_TRY(gpu->cuda, cuEventRecord, (mark, gpu->stream), "a copy to the device");
  return NULL;
}

TccStatus *tcc_gpu_mark_ask(TccGpu *gpu, void *mark, bool *out_there) {
  const int error = gpu->cuda->cuEventQuery(mark);
  *out_there = error == 0;
  return error == 0 || error == CUDA_NOT_READY ? NULL
                                               : tcc_cuda_error(gpu->cuda, "cuEventQuery", error, "the kernels of the model");
}

TccStatus *tcc_gpu_mark_wait(TccGpu *gpu, void *mark) {
  TCC_CUDA_TRY(gpu->cuda, cuEventSynchronize, (mark), "a copy to the device");
  return NULL;
}

/* ---- whose memory an address is ---- */
/* The driver is asked of an address once: device memory and the host's never have the same. */
static size_t place_of(const TccGpu *gpu, const void *data) {
  size_t at = (size_t)((address(data) * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
  while (gpu->known[at] && gpu->known[at] != data) at = (at + 1) % KNOWN;
  return at;
}

static void remember(TccGpu *gpu, const void *data) {
  if (gpu->known_count == KNOWN / 2) memset(gpu->known, 0, KNOWN * sizeof *gpu->known), gpu->known_count = 0;
  gpu->known[place_of(gpu, data)] = data;
  gpu->known_count++;
}

bool tcc_gpu_owns(TccGpu *gpu, const void *data) {
  enum { MEMORY_TYPE = 2, MANAGED = 8, ORDINAL = 9, ON_DEVICE = 2 };
  int attributes[] = {MEMORY_TYPE, MANAGED, ORDINAL}, ordinal = -1;
  unsigned type = 0, managed = 0;
  void *values[] = {&type, &managed, &ordinal};
  if (gpu->known[place_of(gpu, data)]) return true;
  if (gpu->cuda->cuPointerGetAttributes(3, attributes, values, address(data)) != 0) return false;
  if (!managed && (type != ON_DEVICE || ordinal != TCC_GPU_ORDINAL)) return false;
  remember(gpu, data);
  return true;
}
