/* facts.c - gpu-facts FILE: the launches of a file of PTX (test/emulate/launches.h) on the machine's device. What it prints is compared with what
 * the emulator makes of the same file: that is how the emulator's reading of the PTX ISA is checked. */
#include "bench/gpu/device.h"
#include "tcc/file.h"
#include "test/emulate/launches.h"
#include <dlfcn.h>
#include <stdio.h>

typedef struct {
  Device device;
  void *module;
} Facts;

static void *allocate(void *user, const void *bytes, size_t count) {
  const Facts *f = user;
  void *memory = device_allocate(&f->device, count);
  device_upload(&f->device, memory, bytes, count);
  return memory;
}

static bool read_memory(void *user, void *to, const void *from, size_t count) {
  device_download(&((Facts *)user)->device, to, from, count);
  return true;
}

static bool launch(void *user, const char *kernel, const uint32_t grid[3], const uint32_t block[3], const uint32_t cluster[3],
                   uint32_t shared, void *const *parameters) {
  const Facts *f = user;
  const TccCuda *cuda = f->device.cuda;
  TccCudaAttribute attribute = {.id = CUDA_LAUNCH_CLUSTER, .value = {cluster[0], cluster[1], cluster[2]}};
  TccCudaLaunch config = {.grid = {grid[0], grid[1], grid[2]},
                          .block = {block[0], block[1], block[2]},
                          .dynamic_shared = shared,
                          .stream = f->device.stream,
                          .attributes = &attribute,
                          .nattributes = cluster[0] * cluster[1] * cluster[2] > 1};
  void *function;
  device_check(&f->device, cuda->cuModuleGetFunction(&function, f->module, kernel), kernel);
  if (shared > 48 << 10)
    device_check(&f->device, cuda->cuFuncSetAttribute(function, CUDA_FUNCTION_DYNAMIC_SHARED, (int)shared), kernel);
  device_check(&f->device, cuda->cuLaunchKernelEx(&config, function, (void **)(uintptr_t)parameters, NULL), kernel);
  device_wait(&f->device);
  return true;
}

int main(int argc, char **argv) {
  Facts f = {{0}, NULL};
  TccFileMap map;
  if (argc != 2) return 2;
  device_open(&f.device);
  TccStatus *status = tcc_file_map(argv[1], &map);
  if (status) {
    fprintf(stderr, "%s\n", tcc_status_message(status));
    return 1;
  }
  char *text = calloc(map.length + 1, 1);
  if (!text) return 1;
  memcpy(text, map.data, map.length);
  device_check(&f.device, f.device.cuda->cuModuleLoadData(&f.module, text), "cuModuleLoadData");
  LaunchDevice device = {&f, allocate, read_memory, launch, NULL, NULL};
  void *tiled = dlsym(f.device.cuda->library, "cuTensorMapEncodeTiled"),
       *im2col = dlsym(f.device.cuda->library, "cuTensorMapEncodeIm2col");
  memcpy(&device.tiled, &tiled, sizeof tiled);
  memcpy(&device.im2col, &im2col, sizeof im2col);
  return launches_run(&device, text) > 0 ? 0 : 1;
}
