/* png.c - PNG by libpng: samples as they are stored, without gamma or a background. */
#include "lib/image/format.h"

static const char signature[] = "\x89PNG\r\n\x1a\n";
static bool png_begins(const uint8_t *data, size_t bytes) { return IMAGE_BEGINS(data, bytes, signature); }

#ifdef TCC_IMAGE_HAS_PNG
#include <png.h>
#include <setjmp.h>

#define FUNCTIONS(X, object)                                                                                                       \
  X(object, png_create_read_struct)                                                                                                \
  X(object, png_create_info_struct)                                                                                                \
  X(object, png_destroy_read_struct)                                                                                               \
  X(object, png_get_error_ptr)                                                                                                     \
  X(object, png_get_image_height)                                                                                                  \
  X(object, png_get_image_width)                                                                                                   \
  X(object, png_get_io_ptr)                                                                                                        \
  X(object, png_get_rowbytes)                                                                                                      \
  X(object, png_read_end)                                                                                                          \
  X(object, png_read_info)                                                                                                         \
  X(object, png_read_row)                                                                                                          \
  X(object, png_read_update_info)                                                                                                  \
  X(object, png_set_chunk_cache_max)                                                                                               \
  X(object, png_set_expand_gray_1_2_4_to_8)                                                                                        \
  X(object, png_set_gray_to_rgb)                                                                                                   \
  X(object, png_set_interlace_handling)                                                                                            \
  X(object, png_set_palette_to_rgb)                                                                                                \
  X(object, png_set_read_fn)                                                                                                       \
  X(object, png_set_strip_16)                                                                                                      \
  X(object, png_set_strip_alpha)                                                                                                   \
  X(object, png_set_user_limits)
IMAGE_LIBRARY(png, "libpng16.so.16")

enum { HEADER = 8, COLOR = 25 }; /* the first chunk, IHDR; its color type, behind width, height and depth */

static TccImageFault png_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  if (bytes <= COLOR || memcmp(data + HEADER, "\0\0\0\x0dIHDR", 8) != 0) return TCC_IMAGE_MALFORMED;
  *out_width = image_be32(data + HEADER + 8), *out_height = image_be32(data + HEADER + 12);
  return TCC_IMAGE_RIGHT;
}

typedef struct {
  const uint8_t *data;
  size_t bytes, at;
  png_structp reader;
  png_infop info;
  jmp_buf failed;
} Png;

static void on_error(png_structp reader, png_const_charp message) {
  (void)message;
  Png *p = png.png_get_error_ptr(reader);
  longjmp(p->failed, 1);
}

static void on_warning(png_structp reader, png_const_charp message) { (void)reader, (void)message; }

static void read_bytes(png_structp reader, png_bytep out, size_t count) {
  Png *p = png.png_get_io_ptr(reader);
  if (count > p->bytes - p->at) longjmp(p->failed, 1);
  memcpy(out, p->data + p->at, count);
  p->at += count;
}

/* The library's errors jump out of here; `p` holds what is to be freed then. */
static TccImageFault read_image(Png *p, int64_t height, int64_t width, uint8_t *rgb) {
  if (setjmp(p->failed)) return TCC_IMAGE_MALFORMED;
  p->reader = png.png_create_read_struct(PNG_LIBPNG_VER_STRING, p, on_error, on_warning);
  p->info = p->reader ? png.png_create_info_struct(p->reader) : NULL;
  if (!p->info) return TCC_IMAGE_LIBRARY; /* it is of another version than the header's, or there is no memory for it */
  png.png_set_user_limits(p->reader, TCC_IMAGE_MOST_SIDE, TCC_IMAGE_MOST_SIDE);
  png.png_set_chunk_cache_max(p->reader, 1); /* texts are not kept */
  png.png_set_read_fn(p->reader, p, read_bytes);
  png.png_read_info(p->reader, p->info);
  int color = p->data[COLOR];
  if (color == PNG_COLOR_TYPE_PALETTE) png.png_set_palette_to_rgb(p->reader);
  if (!(color & PNG_COLOR_MASK_COLOR)) {
    png.png_set_expand_gray_1_2_4_to_8(p->reader);
    png.png_set_gray_to_rgb(p->reader);
  }
  png.png_set_strip_16(p->reader);
  png.png_set_strip_alpha(p->reader);
  int passes = png.png_set_interlace_handling(p->reader);
  png.png_read_update_info(p->reader, p->info);
  if (png.png_get_image_height(p->reader, p->info) != height || png.png_get_image_width(p->reader, p->info) != width ||
      png.png_get_rowbytes(p->reader, p->info) != (size_t)width * 3)
    return TCC_IMAGE_MALFORMED;
  for (int pass = 0; pass < passes; pass++)
    for (int64_t y = 0; y < height; y++) png.png_read_row(p->reader, rgb + y * width * 3, NULL);
  png.png_read_end(p->reader, NULL);
  return TCC_IMAGE_RIGHT;
}

static TccImageFault png_decode(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb) {
  Png p = {.data = data, .bytes = bytes};
  TccImageFault fault = read_image(&p, height, width, rgb);
  if (p.reader) png.png_destroy_read_struct(&p.reader, &p.info, NULL);
  return fault;
}
#endif

/* Deflate makes at most 1032 bytes of one (zlib's manual), and 8 pixels may lie in each. */
const ImageFormat tcc_image_png = {.begins = png_begins,
#ifdef TCC_IMAGE_HAS_PNG
                                   .library = &library,
                                   .size = png_size,
                                   .decode = png_decode,
                                   .most_pixels = 1032 * 8
#endif
};
