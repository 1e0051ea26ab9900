/* device.h - what the programs of bench/gpu need of a device beside the run-time: memory, a stream, times. Every call that fails ends the
 * program with its name. */
#ifndef BENCH_GPU_DEVICE_H
#define BENCH_GPU_DEVICE_H
#include "lib/runtime/gpu_driver.h"

typedef struct {
  const TccCuda *cuda;
  void *stream;
} Device;

/* Ends with status 77 where there is none. */
void device_open(Device *out);
void device_name(const Device *device, char *out, int room);
void *device_allocate(const Device *device, size_t bytes);
void device_upload(const Device *device, void *to, const void *from, size_t bytes);
void device_download(const Device *device, void *to, const void *from, size_t bytes); /* waits */
void device_wait(const Device *device);
void device_check(const Device *device, int error, const char *what); /* a CUresult */
#endif
