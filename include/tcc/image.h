/* image.h - pixels of encoded images (lib/image): BMP, JPEG, JPEG 2000, PNG, PNM, TIFF and WebP.
 *
 * The format is recognised by how the data begins. BMP and PNM are read here, the others by the library of each format (libturbojpeg, libopenjp2,
 * libpng16, libtiff, libwebp), which is loaded when the first image of the format is seen. Thread-safe; nothing is written outside of `out`. */
#ifndef TCC_IMAGE_H
#define TCC_IMAGE_H
#include "tcc/base.h"

/* What can be wrong with an image: its number, which artifacts hold, and what an error says. */
#define TCC_IMAGE_FAULTS(X)                                                                                                        \
  X(FORMAT, 1, "the data are no image: neither BMP, JPEG, JPEG 2000, PNG, PNM, TIFF nor WebP")                                     \
  X(LIBRARY, 2, "the library of the image's format is missing: libturbojpeg, libopenjp2, libpng16, libtiff or libwebp")            \
  X(MALFORMED, 3, "the image is malformed or truncated")                                                                           \
  X(VARIANT, 4, "the image is in a variant of its format that is not decoded")                                                     \
  X(SIZE, 5, "the image has more than 65535 rows or columns")                                                                      \
  X(MEMORY, 6, "there is no memory to decode the image")

typedef enum {
  TCC_IMAGE_RIGHT = 0,
#define X(SYM, number, text) TCC_IMAGE_##SYM = number,
  TCC_IMAGE_FAULTS(X)
#undef X
} TccImageFault;

enum { TCC_IMAGE_MOST_SIDE = 65535 };

typedef enum { TCC_PIXEL_RGB, TCC_PIXEL_BGR, TCC_PIXEL_GRAY } TccPixelFormat; /* artifacts hold these numbers */

/* "rgb", "bgr" or "gray", as tcc.decode_image has it. */
static inline TccPixelFormat tcc_pixel_format(TccStr name) {
  return tcc_str_is(name, "gray") ? TCC_PIXEL_GRAY : tcc_str_is(name, "bgr") ? TCC_PIXEL_BGR : TCC_PIXEL_RGB;
}

/* Rows and columns, by the header; TCC_IMAGE_MALFORMED where the data are far too few for them. */
TCC_EXPORT TccImageFault tcc_image_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width);
/* `out` [height, width, channels], of height and width as tcc_image_size gives them (TCC_IMAGE_MALFORMED if they differ), of 3 channels or, of gray, 1.
 * An alpha channel is left out; samples of more than 8 bits are cut to their upper 8, those of PNM and of fewer bits scaled. Gray is luma of ITU-R BT.601:
 * (19595 R + 38470 G + 7471 B + 32768) >> 16. After a fault out's elements are undefined. */
TCC_EXPORT TccImageFault tcc_image_decode(const uint8_t *data, size_t bytes, TccPixelFormat format, int64_t height, int64_t width,
                                          uint8_t *out);
#endif
