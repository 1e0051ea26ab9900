/* decode_image.c - encoded images (include/tcc/image.h) as operations of a model.
 *
 * image_size    arguments x and [rows, columns, fault]; sizes: bytes of x; one tile.
 * decode_image  arguments x and those of pixels and fault that are wanted; sizes: bytes of x, rows, columns, pixel format, positions of pixels
 *               and of the fault among the arguments (0: not wanted); one tile. */
#include "internal.h"
#include "tcc/image.h"

void tcc_image_size_kernel(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  int64_t *r = arguments[1];
  r[2] = tcc_image_size(arguments[0], (size_t)sizes[0], &r[0], &r[1]);
  if (r[2]) r[0] = r[1] = 1;
}

void tcc_decode_image_kernel(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  const int64_t rows = sizes[1], columns = sizes[2], channels = sizes[3] == TCC_PIXEL_GRAY ? 1 : 3;
  uint8_t *pixels = sizes[4] ? arguments[sizes[4]] : NULL;
  const TccImageFault fault =
      pixels ? tcc_image_decode(arguments[0], (size_t)sizes[0], (TccPixelFormat)sizes[3], rows, columns, pixels) : TCC_IMAGE_RIGHT;
  if (fault) memset(pixels, 0, (size_t)(rows * columns * channels));
  if (sizes[5]) *(int64_t *)arguments[sizes[5]] = fault;
}
