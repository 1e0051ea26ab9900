/* image.c - an image of any format: the table of formats, and what becomes of their pixels.
 *
 * A format decodes into RGB. Before that it says its size, which is checked against the number of bytes: whoever allocates what tcc_image_size asks for
 * allocates in proportion to the data, but for plain images in WebP, where 30 bytes can be 16383 x 16383 pixels. */
#include "lib/image/format.h"
#include <stdlib.h>

static const ImageFormat *const formats[] = {&tcc_image_bmp, &tcc_image_jpeg, &tcc_image_jpeg2000, &tcc_image_png,
                                             &tcc_image_pnm, &tcc_image_tiff, &tcc_image_webp};

static TccImageFault measure(const uint8_t *data, size_t bytes, const ImageFormat **out, int64_t *out_height, int64_t *out_width) {
  const ImageFormat *format = NULL;
  for (size_t i = 0; i < sizeof formats / sizeof *formats && !format; i++)
    if (formats[i]->begins(data, bytes)) format = formats[i];
  if (!format) return TCC_IMAGE_FORMAT;
  if (!format->size || (format->library && !tcc_image_library_load(format->library))) return TCC_IMAGE_LIBRARY;
  int64_t height = 0, width = 0;
  TccImageFault fault = format->size(data, bytes, &height, &width);
  if (fault) return fault;
  if (height < 1 || width < 1) return TCC_IMAGE_MALFORMED;
  if (height > TCC_IMAGE_MOST_SIDE || width > TCC_IMAGE_MOST_SIDE) return TCC_IMAGE_SIZE;
  if (format->most_pixels && (size_t)(height * width / format->most_pixels) > bytes) return TCC_IMAGE_MALFORMED;
  *out = format, *out_height = height, *out_width = width;
  return TCC_IMAGE_RIGHT;
}

TccImageFault tcc_image_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  const ImageFormat *format;
  *out_height = *out_width = 0;
  return measure(data, bytes, &format, out_height, out_width);
}

static uint8_t luma(const uint8_t *rgb) {
  return (uint8_t)((19595 * (uint32_t)rgb[0] + 38470 * (uint32_t)rgb[1] + 7471 * (uint32_t)rgb[2] + 32768) >> 16);
}

static TccImageFault decode_gray(const ImageFormat *format, const uint8_t *data, size_t bytes, int64_t height, int64_t width,
                                 uint8_t *out) {
  size_t pixels = (size_t)(height * width);
  uint8_t *rgb = malloc(pixels * 3);
  if (!rgb) return TCC_IMAGE_MEMORY;
  TccImageFault fault = format->decode(data, bytes, height, width, rgb);
  for (size_t i = 0; !fault && i < pixels; i++) out[i] = luma(rgb + i * 3);
  free(rgb);
  return fault;
}

TccImageFault tcc_image_decode(const uint8_t *data, size_t bytes, TccPixelFormat pixels, int64_t height, int64_t width,
                               uint8_t *out) {
  const ImageFormat *format;
  int64_t own_height, own_width;
  TccImageFault fault = measure(data, bytes, &format, &own_height, &own_width);
  if (fault) return fault;
  if (own_height != height || own_width != width) return TCC_IMAGE_MALFORMED;
  if (pixels == TCC_PIXEL_GRAY) return decode_gray(format, data, bytes, height, width, out);
  fault = format->decode(data, bytes, height, width, out);
  if (!fault && pixels == TCC_PIXEL_BGR)
    for (uint8_t *p = out, *end = out + height * width * 3; p < end; p += 3) {
      uint8_t red = p[0];
      p[0] = p[2], p[2] = red;
    }
  return fault;
}
