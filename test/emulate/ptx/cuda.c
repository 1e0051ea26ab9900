/* cuda.c - a look-alike of CUDA's driver over the emulator: libcuda.so.1 for machines without one.
 *
 * The functions that tcc's run-time calls, with the driver's rules that can be checked: contexts are set, handles are known, memory is the
 * device's or the host's as it must be, parameters have the kernel's size, dynamic shared memory above 48 KB is asked for first. Streams
 * run at once. Environment:
 *
 *     TCC_EMULATE_CHIP=sm_90a      the device (default sm_90a)
 *     TCC_EMULATE_SEED=1           order of warps, errors of approximate functions
 *     TCC_EMULATE_MEMORY=N         bytes of device memory
 *     TCC_EMULATE_DRIVER=12040     the driver's version
 *     TCC_EMULATE_FAIL=cuX:N:CODE  the N-th call of cuX (from 1) fails with this code, and no other
 *     TCC_EMULATE_COUNTERS=FILE    counters of each kernel are written there when the process ends
 *
 * What the emulator finds is said on standard error, and the launch fails with CUDA_ERROR_LAUNCH_FAILED, which stays. */
#include "ptx.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
typedef int CUresult;
typedef uint64_t CUdeviceptr;
typedef struct {
  unsigned grid[3], block[3], dynamic_shared;
  void *stream;
  struct {
    int id;
    char pad[4];
    unsigned value[16];
  } *attributes;
  unsigned nattributes;
} TccCudaLaunch; /* CUlaunchConfig */
/* As the run-time declares them. */
#define TCC_CUDA(name, parameters) API int name parameters;
#include "lib/runtime/cuda.def"
API CUresult tccEmulateRegions(const void *const *memory, const size_t *bytes, size_t count);

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  NO_BINARY_FOR_GPU = 209,
  INVALID_PTX = 218,
  UNSUPPORTED_PTX_VERSION = 222,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  LAUNCH_OUT_OF_RESOURCES = 701,
  LAUNCH_FAILED = 719
};
static const struct {
  int code;
  const char *name;
} errors[] = {{SUCCESS, "CUDA_SUCCESS"},
              {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
              {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
              {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
              {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
              {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
              {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
              {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
              {NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
              {INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
              {UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
              {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
              {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
              {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
              {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"}};

typedef struct {
  EmuModule *module;
} Module;
typedef struct Function {
  EmuKernel *kernel;
  int dynamic_shared; /* that was asked for */
  struct Function *next;
} Function;

static struct {
  pthread_mutex_t lock;
  EmuDevice *device;
  Function *functions;
  unsigned chip, retained;
  bool alone, initialised, broken;
  uint64_t memory;
  int driver, fail_at, fail_code, calls;
  char fail[64];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};
static __thread bool current;
static int context; /* its address is the handle */

static void write_counters(void) {
  const char *path = getenv("TCC_EMULATE_COUNTERS"), *kernel;
  FILE *file = path && state.device ? fopen(path, "w") : NULL;
  const EmuCounters *c;
  for (size_t i = 0; file && (c = emu_counters(state.device, i, &kernel)); i++)
    fprintf(
        file,
        "%s launches %llu blocks %llu instructions %llu float %llu special %llu tensor %llu divide64 %llu requests %llu sectors %llu ideal %llu shared %llu wavefronts "
        "%llu ideal %llu\n",
        kernel, (unsigned long long)c->launches, (unsigned long long)c->blocks, (unsigned long long)c->instructions,
        (unsigned long long)c->by_class[EMU_CLASS_FLOAT], (unsigned long long)c->by_class[EMU_CLASS_SPECIAL],
        (unsigned long long)c->by_class[EMU_CLASS_TENSOR], (unsigned long long)c->by_class[EMU_CLASS_DIVIDE64],
        (unsigned long long)c->requests, (unsigned long long)c->sectors, (unsigned long long)c->ideal_sectors,
        (unsigned long long)c->shared_requests, (unsigned long long)c->shared_wavefronts, (unsigned long long)c->ideal_wavefronts);
  if (file) fclose(file);
}

static void read_environment(void) {
  const char *chip = getenv("TCC_EMULATE_CHIP"), *seed = getenv("TCC_EMULATE_SEED"), *memory = getenv("TCC_EMULATE_MEMORY"),
             *driver = getenv("TCC_EMULATE_DRIVER"), *fail = getenv("TCC_EMULATE_FAIL");
  char *end;
  if (!chip || strncmp(chip, "sm_", 3) != 0) chip = "sm_90a";
  state.chip = (unsigned)strtoul(chip + 3, &end, 10);
  state.alone = *end == 'a';
  state.memory = memory ? strtoull(memory, NULL, 0) : UINT64_C(8) << 30;
  state.driver = driver ? atoi(driver) : 13000;
  if (fail && sscanf(fail, "%63[^:]:%d:%d", state.fail, &state.fail_at, &state.fail_code) != 3) state.fail[0] = 0;
  state.device = emu_device_create(seed ? strtoull(seed, NULL, 0) : 1);
  atexit(write_counters);
}

static bool told_to_fail(const char *name) {
  return state.fail[0] && strcmp(state.fail, name) == 0 && ++state.calls == state.fail_at;
}

/* Begins each call: initialised, with a context, not broken. */
#define ENTER(needs_context)                                                                                                       \
  if (told_to_fail(__func__)) return state.fail_code;                                                                              \
  if (!state.initialised) return NOT_INITIALIZED;                                                                                  \
  if (needs_context && !(current && state.retained)) return INVALID_CONTEXT;                                                       \
  if (needs_context && state.broken) return LAUNCH_FAILED

API CUresult cuInit(unsigned flags) {
  pthread_mutex_lock(&state.lock);
  if (!state.device) read_environment();
  pthread_mutex_unlock(&state.lock);
  if (told_to_fail(__func__)) return state.fail_code;
  if (flags) return INVALID_VALUE;
  state.initialised = true;
  return SUCCESS;
}
API CUresult cuDriverGetVersion(int *out) {
  if (told_to_fail(__func__)) return state.fail_code;
  *out = state.driver;
  return SUCCESS;
}
API CUresult cuGetErrorName(CUresult code, const char **out) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code) {
      *out = errors[i].name;
      return SUCCESS;
    }
  *out = NULL;
  return INVALID_VALUE;
}
API CUresult cuDeviceGetCount(int *out) {
  ENTER(false);
  *out = 1;
  return SUCCESS;
}
API CUresult cuDeviceGet(int *out, int ordinal) {
  ENTER(false);
  if (ordinal != 0) return INVALID_DEVICE;
  *out = 0;
  return SUCCESS;
}
API CUresult cuDeviceGetName(char *name, int length, int device) {
  ENTER(false);
  (void)device;
  snprintf(name, (size_t)length, "emulated sm_%u%s", state.chip, state.alone ? "a" : "");
  return SUCCESS;
}
API CUresult cuDeviceGetAttribute(int *out, int attribute, int device) {
  ENTER(false);
  (void)device;
  switch (attribute) {
  case 75: *out = (int)state.chip / 10; return SUCCESS;               /* compute capability, major */
  case 76: *out = (int)state.chip % 10; return SUCCESS;               /* minor */
  case 97: *out = state.chip >= 90 ? 232448 : 166912; return SUCCESS; /* shared memory of a block, asked for */
  case 16: *out = 132; return SUCCESS;                                /* multiprocessors */
  default: return INVALID_VALUE;
  }
}
API CUresult cuDevicePrimaryCtxRetain(void **out, int device) {
  ENTER(false);
  (void)device;
  state.retained++;
  *out = &context;
  return SUCCESS;
}
API CUresult cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER(false);
  (void)device;
  if (!state.retained) return INVALID_CONTEXT;
  state.retained--;
  return SUCCESS;
}
API CUresult cuCtxPushCurrent_v2(void *ctx) {
  ENTER(false);
  if (ctx != &context) return INVALID_CONTEXT;
  current = true;
  return SUCCESS;
}
API CUresult cuCtxPopCurrent_v2(void **out) {
  ENTER(false);
  if (!current) return INVALID_CONTEXT;
  current = false;
  if (out) *out = &context;
  return SUCCESS;
}

/* ---- memory ---- */
API CUresult cuMemGetInfo_v2(size_t *out_free, size_t *out_total) {
  ENTER(true);
  *out_total = state.memory;
  *out_free = state.memory - emu_allocated(state.device);
  return SUCCESS;
}
API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes) {
  ENTER(true);
  if (!bytes) return INVALID_VALUE;
  void *memory = bytes <= state.memory - emu_allocated(state.device) ? emu_allocate(state.device, bytes) : NULL;
  *out = (CUdeviceptr)(uintptr_t)memory;
  return memory ? SUCCESS : OUT_OF_MEMORY;
}
API CUresult cuMemFree_v2(CUdeviceptr memory) {
  if (told_to_fail(__func__)) return state.fail_code;
  if (!state.initialised) return NOT_INITIALIZED;
  if (!(current && state.retained)) return INVALID_CONTEXT;
  return emu_release(state.device, (void *)(uintptr_t)memory) ? SUCCESS : INVALID_VALUE;
}
static bool on_device(CUdeviceptr at, size_t bytes) { return emu_holds(state.device, (void *)(uintptr_t)at, bytes); }
static bool on_host(const void *at) { return at && !on_device((CUdeviceptr)(uintptr_t)at, 1); }
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, void *stream) {
  ENTER(true);
  (void)stream;
  if (!on_device(to, bytes) || (bytes && !on_host(from))) return INVALID_VALUE;
  memcpy((void *)(uintptr_t)to, from, bytes);
  return SUCCESS;
}
API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, void *stream) {
  ENTER(true);
  (void)stream;
  if (!on_device(from, bytes) || (bytes && !on_host(to))) return INVALID_VALUE;
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return SUCCESS;
}
API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
  ENTER(true);
  (void)stream;
  if (!on_device(from, bytes) || !on_device(to, bytes)) return INVALID_VALUE;
  memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
  return SUCCESS;
}
API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, void *stream) {
  ENTER(true);
  (void)stream;
  if (!on_device(to, bytes)) return INVALID_VALUE;
  memset((void *)(uintptr_t)to, value, bytes);
  return SUCCESS;
}

/* ---- code ---- */
/* A cubin that this driver takes is what test/targets/nvptx/Inputs/ptxas.sh makes: an ELF header with a mark where it is padded, and PTX. */
#define CUBIN_MARK "PTX"
enum { CUBIN_MARK_AT = 9, CUBIN_HEADER = 64 };

/* PTX of sm_90a runs there alone, of sm_90 on later chips too. */
static bool fits(unsigned chip, bool alone) { return alone ? chip == state.chip && state.alone : chip <= state.chip; }

API CUresult cuModuleLoadData(void **out, const void *image) {
  ENTER(true);
  char error[400];
  *out = NULL;
  bool cubin = memcmp(image, "\177ELF", 4) == 0;
  if (cubin && memcmp((const char *)image + CUBIN_MARK_AT, CUBIN_MARK, sizeof CUBIN_MARK - 1) != 0)
    return NO_BINARY_FOR_GPU; /* there is no machine for it here */
  EmuModule *module = emu_module_parse((const char *)image + (cubin ? CUBIN_HEADER : 0), error, sizeof error);
  if (!module && cubin) return INVALID_IMAGE;
  if (!module) {
    fprintf(stderr, "emulator: %s\n", error);
    return INVALID_PTX;
  }
  bool alone;
  unsigned chip = emu_module_chip(module, &alone);
  if (!fits(chip, alone) || (cubin && chip / 10 != state.chip / 10)) {
    emu_module_destroy(module);
    return NO_BINARY_FOR_GPU;
  }
  Module *m = calloc(1, sizeof *m);
  if (!m) return OUT_OF_MEMORY;
  m->module = module;
  *out = m;
  return SUCCESS;
}
API CUresult cuModuleUnload(void *module) {
  Module *m = module;
  if (!m) return INVALID_HANDLE;
  emu_module_destroy(m->module);
  free(m);
  return told_to_fail(__func__) ? state.fail_code : SUCCESS;
}
API CUresult cuModuleGetFunction(void **out, void *module, const char *name) {
  ENTER(true);
  EmuKernel *kernel = emu_kernel_find(((Module *)module)->module, name);
  *out = NULL;
  if (!kernel) return NOT_FOUND;
  Function *f = calloc(1, sizeof *f);
  if (!f) return OUT_OF_MEMORY;
  *f = (Function){kernel, 0, state.functions};
  state.functions = f;
  *out = f;
  return SUCCESS;
}
API CUresult cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER(true);
  if (attribute == 8) ((Function *)function)->dynamic_shared = value; /* MAX_DYNAMIC_SHARED_SIZE_BYTES */
  return attribute == 8 && value <= 227 * 1024 ? SUCCESS : INVALID_VALUE;
}

API CUresult cuLaunchKernelEx(const TccCudaLaunch *config, void *function, void **parameters, void **extra) {
  ENTER(true);
  Function *f = function;
  if (parameters || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4])
    return INVALID_VALUE; /* one buffer of parameters */
  size_t bytes = *(const size_t *)extra[3];
  if (bytes != emu_kernel_parameter_bytes(f->kernel)) {
    fprintf(stderr, "emulator: %s has %zu bytes of parameters, the launch gives %zu\n", emu_kernel_name(f->kernel),
            emu_kernel_parameter_bytes(f->kernel), bytes);
    return INVALID_VALUE;
  }
  if (config->dynamic_shared + emu_kernel_static_shared(f->kernel) > 48 * 1024 && (int)config->dynamic_shared > f->dynamic_shared)
    return INVALID_VALUE;
  EmuLaunch launch = {.kernel = f->kernel, .cluster = {1, 1, 1}, .dynamic_shared = config->dynamic_shared, .parameters = extra[1]};
  memcpy(launch.grid, config->grid, sizeof launch.grid);
  memcpy(launch.block, config->block, sizeof launch.block);
  for (unsigned i = 0; i < config->nattributes; i++) {
    if (config->attributes[i].id != 4) return INVALID_VALUE; /* CLUSTER_DIMENSION */
    memcpy(launch.cluster, config->attributes[i].value, sizeof launch.cluster);
  }
  pthread_mutex_lock(&state.lock);
  bool ok = emu_launch(state.device, &launch);
  if (!ok) fprintf(stderr, "emulator: %s", emu_report(state.device));
  if (!ok) emu_forget(state.device);
  pthread_mutex_unlock(&state.lock);
  if (!ok) state.broken = true;
  return SUCCESS; /* as by the driver: what waits for it says so */
}

API CUresult cuStreamCreate(void **out, unsigned flags) {
  ENTER(true);
  (void)flags;
  *out = malloc(1);
  return *out ? SUCCESS : OUT_OF_MEMORY;
}
API CUresult cuStreamDestroy_v2(void *stream) {
  free(stream); /* also when it is told to fail: who destroys does not try again */
  return told_to_fail(__func__) ? state.fail_code : SUCCESS;
}
API CUresult cuStreamSynchronize(void *stream) {
  ENTER(true);
  (void)stream;
  return SUCCESS;
}
/* Not of the driver: the tensors of allocations, so that an access outside of one is found (emu_regions). */
API CUresult tccEmulateRegions(const void *const *memory, const size_t *bytes, size_t count) {
  ENTER(true);
  emu_regions(state.device, memory, bytes, count);
  return SUCCESS;
}
__attribute__((destructor)) static void forget_functions(void) {
  while (state.functions) {
    Function *next = state.functions->next;
    free(state.functions);
    state.functions = next;
  }
}
