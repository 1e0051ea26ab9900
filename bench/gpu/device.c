/* device.c - see device.h. */
#include "bench/gpu/device.h"
#include <dlfcn.h>
#include <stdio.h>

void device_check(const Device *device, int error, const char *what) {
  const char *name = NULL;
  if (!error) return;
  device->cuda->cuGetErrorName(error, &name);
  fprintf(stderr, "%s: %s\n", what, name ? name : "an error without a name");
  exit(1);
}

void device_open(Device *out) {
  void *context;
  TccStatus *status = tcc_cuda_driver(&out->cuda);
  if (status) {
    fprintf(stderr, "%s\n", tcc_status_message(status));
    exit(77);
  }
  device_check(out, out->cuda->cuDevicePrimaryCtxRetain(&context, TCC_GPU_ORDINAL), "cuDevicePrimaryCtxRetain");
  device_check(out, out->cuda->cuCtxPushCurrent_v2(context), "cuCtxPushCurrent");
  device_check(out, out->cuda->cuStreamCreate(&out->stream, 1), "cuStreamCreate");
}

void device_name(const Device *device, char *out, int room) {
  device_check(device, device->cuda->cuDeviceGetName(out, room, TCC_GPU_ORDINAL), "cuDeviceGetName");
}

void *device_allocate(const Device *device, size_t bytes) {
  uint64_t memory = 0;
  device_check(device, device->cuda->cuMemAlloc_v2(&memory, bytes ? bytes : 1), "cuMemAlloc");
  return (void *)(uintptr_t)memory;
}

void device_upload(const Device *device, void *to, const void *from, size_t bytes) {
  if (bytes)
    device_check(device, device->cuda->cuMemcpyHtoDAsync_v2((uint64_t)(uintptr_t)to, from, bytes, device->stream), "cuMemcpyHtoD");
  device_wait(device);
}

void device_download(const Device *device, void *to, const void *from, size_t bytes) {
  if (bytes)
    device_check(device, device->cuda->cuMemcpyDtoHAsync_v2(to, (uint64_t)(uintptr_t)from, bytes, device->stream), "cuMemcpyDtoH");
  device_wait(device);
}

void device_wait(const Device *device) {
  device_check(device, device->cuda->cuStreamSynchronize(device->stream), "cuStreamSynchronize");
}
