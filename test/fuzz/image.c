/* Encoded images: any bytes are refused, or are an image of the size that was said, of which every pixel is set, twice to the same. */
#include "tcc/image.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { MOST = 512 };
  int64_t height, width;
  if (tcc_image_size(data, size, &height, &width)) return 0;
  if (height < 1 || width < 1 || height > TCC_IMAGE_MOST_SIDE || width > TCC_IMAGE_MOST_SIDE) abort();
  if (height > MOST || width > MOST) return 0;
  TccPixelFormat format = data[size - 1] % 3;
  size_t bytes = (size_t)(height * width) * (format == TCC_PIXEL_GRAY ? 1 : 3);
  uint8_t *one = malloc(bytes), *two = malloc(bytes);
  if (!one || !two) abort();
  memset(one, 0x55, bytes), memset(two, 0xaa, bytes);
  TccImageFault fault = tcc_image_decode(data, size, format, height, width, one);
  if (tcc_image_decode(data, size, format, height, width, two) != fault || (!fault && memcmp(one, two, bytes) != 0)) abort();
  free(one), free(two);
  return 0;
}
