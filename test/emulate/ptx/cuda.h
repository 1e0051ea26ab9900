/* cuda.h - the look-alike of CUDA's driver as its files see it: cuda.c has devices, memory and code, cuda_stream.c what is done in order. */
#ifndef EMU_CUDA_H
#define EMU_CUDA_H
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
API unsigned long tccEmulateCalls(const char *name), tccEmulateCopied(void);

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
  NOT_READY = 600,
  ILLEGAL_STATE = 401,
  NOT_FOUND = 500,
  LAUNCH_OUT_OF_RESOURCES = 701,
  LAUNCH_FAILED = 719,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901
};

typedef struct {
  EmuModule *module;
  bool traps, hangs;
} Module;
typedef struct Function {
  EmuKernel *kernel;
  bool traps, hangs;
  int dynamic_shared; /* that was asked for */
  struct Function *next;
} Function;
typedef struct Pinned {
  char *base;
  size_t bytes;
  struct Pinned *next;
} Pinned;

typedef struct {
  pthread_mutex_t lock;
  EmuDevice *device;
  Function *functions;
  Pinned *pinned;
  int process; /* that began with cuInit: its forks cannot */
  unsigned chip, retained;
  bool alone, initialised, broken;
  uint64_t memory, seed;
  int driver, fail_at, fail_code, calls;
  char fail[64];
} Driver;
extern Driver state;
extern __thread unsigned current; /* contexts on the thread's stack: all are the same one */

/* Counts a call; whether TCC_EMULATE_FAIL names it. */
bool told_to_fail(const char *name);
/* Whether this thread captures: what the driver refuses then ends the capture. */
bool is_capturing(void);
/* All that is queued on any stream is done: what gives memory or code back waits for it. */
void drain_all(void);
bool is_pinned(const void *at);
bool on_device(CUdeviceptr at, size_t bytes);
bool on_host(const void *at);

/* Begins each call: initialised, with a context, not broken. */
#define ENTER(needs_context)                                                                                                       \
  if (told_to_fail(__func__)) return state.fail_code;                                                                              \
  if (!state.initialised) return NOT_INITIALIZED;                                                                                  \
  if (needs_context && !(current && state.retained)) return INVALID_CONTEXT;                                                       \
  if (needs_context && state.broken) return LAUNCH_FAILED
#endif
