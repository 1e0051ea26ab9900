/* gpu_driver.c - CUDA's driver by dlopen, so that libtccrt runs where there is none. */
#include "gpu_driver.h"
#include <dlfcn.h>
#include <stdio.h>

static TccCuda driver;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ISO C has no cast from data to function pointers. */
static bool find(void *library, const char *name, void *out) {
  void *address = dlsym(library, name);
  memcpy(out, &address, sizeof address);
  return address != NULL;
}

static TccStatus *load(TccCuda *out) {
  const char *path = getenv("TCC_CUDA_LIBRARY");
  *out = (TccCuda){.library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL)};
  if (!out->library) return TCC_ERROR(TCC_INCOMPATIBLE, "this machine has no NVIDIA driver: %s", dlerror());
#define TCC_CUDA(name, parameters)                                                                                                 \
  if (!find(out->library, #name, &out->name))                                                                                      \
    return TCC_ERROR(TCC_INCOMPATIBLE, "the NVIDIA driver has no function " #name ": it is too old");
#include "cuda.def"
  find(out->library, "tccEmulateRegions", &out->tccEmulateRegions);
  int version = 0, count = 0, error = out->cuInit(0);
  if (error == CUDA_NO_DEVICE) return TCC_ERROR(TCC_INCOMPATIBLE, "this machine has no NVIDIA device");
  if (error) return tcc_cuda_error(out, "cuInit", error, "the driver");
  TCC_CUDA_TRY(out, cuDriverGetVersion, (&version), "the driver");
  if (version < CUDA_OLDEST_DRIVER)
    return TCC_ERROR(TCC_INCOMPATIBLE, "the NVIDIA driver is of CUDA %d.%d, %d.%d is the oldest that will do", version / 1000,
                     version % 1000 / 10, CUDA_OLDEST_DRIVER / 1000, CUDA_OLDEST_DRIVER % 1000 / 10);
  TCC_CUDA_TRY(out, cuDeviceGetCount, (&count), "the driver");
  return count > 0 ? NULL : TCC_ERROR(TCC_INCOMPATIBLE, "this machine has no NVIDIA device");
}

TccStatus *tcc_cuda_driver(const TccCuda **out) {
  *out = NULL;
  pthread_mutex_lock(&lock);
  TccStatus *status = NULL;
  TccCuda cuda;
  if (!driver.library) {
    status = load(&cuda);
    if (!status) driver = cuda; /* a library that was refused stays loaded, too: what cuInit made is reached from it alone */
  }
  pthread_mutex_unlock(&lock);
  if (!status) *out = &driver;
  return status;
}

TccStatus *tcc_cuda_error(const TccCuda *cuda, const char *function, int error, const char *what) {
  const char *name = NULL, *suffix = strchr(function, '_');
  char number[32];
  snprintf(number, sizeof number, "error %d", error);
  if (cuda->cuGetErrorName(error, &name) != 0 || !name) name = number;
  return TCC_ERROR(error == CUDA_OUT_OF_MEMORY ? TCC_NO_MEMORY : TCC_IO, "%.*s: %s, for %s",
                   (int)(suffix ? suffix - function : (ptrdiff_t)strlen(function)), function, name, what);
}
