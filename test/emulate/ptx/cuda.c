/* cuda.c - a look-alike of CUDA's driver over the emulator: libcuda.so.1 for machines without one.
 *
 * The functions that tcc's run-time calls, with the driver's rules that can be checked: contexts are set, handles are known, memory is the
 * device's or the host's as it must be, parameters are as many as the kernel's, dynamic shared memory above 48 KB is asked for first. What a
 * stream is given is done when somebody waits for it (cuda_stream.c). Environment:
 *
 *     TCC_EMULATE_CHIP=sm_90a      the device (default sm_90a)
 *     TCC_EMULATE_SEED=1           order of warps and of a graph's nodes, errors of approximate functions
 *     TCC_EMULATE_MEMORY=N         bytes of device memory
 *     TCC_EMULATE_DRIVER=12040     the driver's version
 *     TCC_EMULATE_FAIL=cuX:N:CODE  the N-th call of cuX (from 1) fails with this code, and no other
 *     TCC_EMULATE_TRAP=TEXT        kernels of PTX that has this text in it trap
 *     TCC_EMULATE_HANG=TEXT        likewise they do not end
 *     TCC_EMULATE_COUNTERS=FILE    counters of each kernel are written there when the process ends
 *     TCC_EMULATE_CALLS=FILE       how often each function was called, likewise
 *     TCC_EMULATE_GRAPHS=FILE      a line for each graph, when it is made
 *
 * What the emulator finds is said on standard error, and the launch fails with CUDA_ERROR_LAUNCH_FAILED, which stays. */
#include "cuda.h"
#include "tensor_map.h"
#include <unistd.h>

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
              {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
              {ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE"},
              {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
              {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}};

Driver state = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};
__thread unsigned current;
static int context; /* its address is the handle */

/* ---- calls ---- */
static struct {
  const char *name;
  unsigned long count;
} calls[] = {
#define TCC_CUDA(name, parameters) {#name, 0},
#include "lib/runtime/cuda.def"
};
enum { FUNCTIONS = sizeof calls / sizeof *calls };

static unsigned long *calls_of(const char *name) {
  for (size_t i = 0; i < FUNCTIONS; i++)
    if (strcmp(calls[i].name, name) == 0) return &calls[i].count;
  return NULL;
}

bool told_to_fail(const char *name) {
  unsigned long *count = calls_of(name);
  if (count) __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
  return state.fail[0] && strcmp(state.fail, name) == 0 && ++state.calls == state.fail_at;
}

/* Not of the driver: how often a function was called; NULL: any of them. */
API unsigned long tccEmulateCalls(const char *name) {
  unsigned long all = 0;
  for (size_t i = 0; i < FUNCTIONS; i++)
    if (!name || strcmp(calls[i].name, name) == 0) all += calls[i].count;
  return all;
}

static void write_calls(void) {
  const char *path = getenv("TCC_EMULATE_CALLS");
  FILE *file = path ? fopen(path, "w") : NULL;
  for (size_t i = 0; file && i < FUNCTIONS; i++) fprintf(file, "%s %lu\n", calls[i].name, calls[i].count);
  if (file) fclose(file);
}

/* ---- the device ---- */
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
  state.seed = seed ? strtoull(seed, NULL, 0) : 1;
  state.device = emu_device_create(state.seed);
  state.process = getpid();
  atexit(write_counters);
  atexit(write_calls);
}

API CUresult cuInit(unsigned flags) {
  pthread_mutex_lock(&state.lock);
  if (!state.device) read_environment();
  pthread_mutex_unlock(&state.lock);
  if (told_to_fail(__func__)) return state.fail_code;
  if (flags) return INVALID_VALUE;
  if (state.process != getpid()) return NOT_INITIALIZED; /* as the driver says to the fork of a process that has used it */
  state.initialised = true;
  return SUCCESS;
}
API CUresult cuDriverGetVersion(int *out) {
  if (told_to_fail(__func__)) return state.fail_code;
  *out = state.driver;
  return SUCCESS;
}
API CUresult cuGetErrorName(CUresult code, const char **out) {
  told_to_fail(__func__);
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
  current++;
  return SUCCESS;
}
API CUresult cuCtxPopCurrent_v2(void **out) {
  ENTER(false);
  if (!current) return INVALID_CONTEXT;
  current--;
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
  if (is_capturing()) return CAPTURE_UNSUPPORTED;
  if (!bytes) return INVALID_VALUE;
  pthread_mutex_lock(&state.lock);
  void *memory = bytes <= state.memory - emu_allocated(state.device) ? emu_allocate(state.device, bytes) : NULL;
  pthread_mutex_unlock(&state.lock);
  *out = (CUdeviceptr)(uintptr_t)memory;
  return memory ? SUCCESS : OUT_OF_MEMORY;
}
API CUresult cuMemFree_v2(CUdeviceptr memory) {
  if (told_to_fail(__func__)) return state.fail_code;
  if (!state.initialised) return NOT_INITIALIZED;
  if (!(current && state.retained)) return INVALID_CONTEXT;
  if (is_capturing()) return CAPTURE_UNSUPPORTED;
  pthread_mutex_lock(&state.lock);
  drain_all();
  bool known = emu_release(state.device, (void *)(uintptr_t)memory);
  pthread_mutex_unlock(&state.lock);
  return known ? SUCCESS : INVALID_VALUE;
}
API CUresult cuMemAllocHost_v2(void **out, size_t bytes) {
  ENTER(true);
  if (is_capturing()) return CAPTURE_UNSUPPORTED;
  Pinned *pinned = calloc(1, sizeof *pinned);
  *out = malloc(bytes);
  if (!pinned || !*out) return free(pinned), free(*out), OUT_OF_MEMORY;
  pthread_mutex_lock(&state.lock);
  *pinned = (Pinned){*out, bytes, state.pinned};
  state.pinned = pinned;
  pthread_mutex_unlock(&state.lock);
  return SUCCESS;
}
API CUresult cuMemFreeHost(void *memory) {
  bool fails = told_to_fail(__func__);
  pthread_mutex_lock(&state.lock);
  drain_all();
  Pinned **at = &state.pinned, *found;
  while (*at && (*at)->base != memory) at = &(*at)->next;
  found = *at;
  if (found) *at = found->next, free(found->base), free(found);
  pthread_mutex_unlock(&state.lock);
  return fails ? state.fail_code : found ? SUCCESS : INVALID_VALUE;
}
bool is_pinned(const void *at) {
  for (const Pinned *p = state.pinned; p; p = p->next)
    if ((const char *)at >= p->base && (const char *)at < p->base + p->bytes) return true;
  return false;
}
bool on_device(CUdeviceptr at, size_t bytes) { return emu_holds(state.device, (void *)(uintptr_t)at, bytes); }
bool on_host(const void *at) { return at && !on_device((CUdeviceptr)(uintptr_t)at, 1); }

/* As the driver's: of an address that it does not know all is 0, or -1 for a number. */
API CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **out, CUdeviceptr at) {
  enum { MEMORY_TYPE = 2, MANAGED = 8, ORDINAL = 9, ON_HOST = 1, ON_DEVICE = 2 };
  ENTER(true);
  const bool device = on_device(at, 1);
  for (unsigned i = 0; i < count; i++) {
    int value = 0;
    switch (attributes[i]) {
    case MEMORY_TYPE: value = device ? ON_DEVICE : is_pinned((void *)(uintptr_t)at) ? ON_HOST : 0; break;
    case ORDINAL: value = device ? 0 : -2; break;
    case MANAGED: break;
    default: return INVALID_VALUE;
    }
    memcpy(out[i], &value, attributes[i] == MANAGED ? 1 : sizeof value);
  }
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
  const char *trap = getenv("TCC_EMULATE_TRAP"), *hang = getenv("TCC_EMULATE_HANG");
  m->module = module;
  m->traps = trap && strstr((const char *)image + (cubin ? CUBIN_HEADER : 0), trap);
  m->hangs = hang && strstr((const char *)image + (cubin ? CUBIN_HEADER : 0), hang);
  *out = m;
  return SUCCESS;
}
API CUresult cuModuleUnload(void *module) {
  Module *m = module;
  if (!m) return INVALID_HANDLE;
  drain_all();
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
  *f = (Function){kernel, ((Module *)module)->traps, ((Module *)module)->hangs, 0, state.functions};
  state.functions = f;
  *out = f;
  return SUCCESS;
}
API CUresult cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER(true);
  if (attribute == 8) ((Function *)function)->dynamic_shared = value; /* MAX_DYNAMIC_SHARED_SIZE_BYTES */
  return attribute == 8 && value <= 227 * 1024 ? SUCCESS : INVALID_VALUE;
}

/* ---- tensor maps: of the host alone ---- */
API CUresult cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                                    const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
                                    int fill) {
  if (told_to_fail(__func__)) return state.fail_code;
  return tensor_map_tiled(map, type, rank, base, sizes, strides, box, steps, interleave, swizzle, promotion, fill);
}
API CUresult cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                                     const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps,
                                     int interleave, int swizzle, int promotion, int fill) {
  if (told_to_fail(__func__)) return state.fail_code;
  return tensor_map_im2col(map, type, rank, base, sizes, strides, lower, upper, channels, pixels, steps, interleave, swizzle,
                           promotion, fill);
}

__attribute__((destructor)) static void forget_functions(void) {
  while (state.functions) {
    Function *next = state.functions->next;
    free(state.functions);
    state.functions = next;
  }
}
