/* Shared objects for the run-time's loader: any bytes are refused or give symbols that lie inside. */
#include "lib/runtime/internal.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
  TccImage image;
  TccStatus *status = tcc_image_open(fd, data, size, &image);
  close(fd);
  if (!status) {
    size_t bytes = 0;
    const char *plan = tcc_image_data(&image, TCC_PLAN_SYMBOL, &bytes), *function = tcc_image_function(&image, "k");
    if (plan && (plan < image.base || bytes > image.bytes || (size_t)(plan - image.base) > image.bytes - bytes)) abort();
    if (function && (function < image.base || function >= image.base + image.bytes)) abort();
  }
  tcc_image_close(&image);
  tcc_status_destroy(status);
  return 0;
}
