/* cases.h - images of 9 x 13 pixels of every format, and what they show. */
#ifndef TCC_TEST_UNIT_IMAGE_CASES_H
#define TCC_TEST_UNIT_IMAGE_CASES_H
#include "images.h"
#include "tcc/image.h"
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 9, WIDTH = 13, PIXELS = HEIGHT * WIDTH };

typedef enum {
  COLORS,
  GRAYS,
  BITS,
  PALETTE,
  OWN,
  NONE
} Shown; /* OWN: as libjpeg and libwebp have them; NONE: a variant that is not decoded */

typedef struct {
  const char *name;
  const uint8_t *data;
  size_t bytes;
  Shown shown;
  const uint8_t *pixels;
} Case;

#define CASE(name, shown) {#name, name, sizeof name, shown, NULL}
#define OWN_CASE(name) {#name, name, sizeof name, OWN, name##_pixels}
static const Case file_cases[] = {
    CASE(png_rgb, COLORS),
    CASE(png_rgba_16, COLORS),
    CASE(png_gray_16_gamma, GRAYS),
    CASE(png_bits_interlaced, BITS),
    CASE(png_palette_alpha, PALETTE),
    CASE(png_rgb_interlaced, COLORS),
    OWN_CASE(jpeg_420),
    OWN_CASE(jpeg_progressive),
    OWN_CASE(jpeg_gray),
    CASE(jpeg_cmyk, NONE),
    OWN_CASE(webp_lossy),
    CASE(webp_lossless_alpha, COLORS),
    CASE(webp_animation, NONE),
    CASE(tiff_lzw, COLORS),
    CASE(tiff_rgba_turned, COLORS),
    CASE(tiff_gray_16_tiles, GRAYS),
    CASE(tiff_planes_16, COLORS),
    CASE(tiff_group4, BITS),
    CASE(tiff_cmyk, NONE),
    CASE(jp2_rgb, COLORS),
    CASE(jp2_gray_16, GRAYS),
    CASE(j2k_rgba_tiles, COLORS),
};
enum { FILE_CASES = sizeof file_cases / sizeof *file_cases };

static inline uint8_t gray_at(int y, int x) { return (uint8_t)(x * 19 + y * 11); }
static inline uint8_t bit_at(int y, int x) { return x * y % 3 == 0; }
static inline uint8_t index_at(int y, int x) { return (uint8_t)((x + y) % 16); }

static inline void palette_at(int index, uint8_t *rgb) {
  rgb[0] = (uint8_t)(index * 16), rgb[1] = (uint8_t)(255 - index * 3), rgb[2] = (uint8_t)(index % 4 * 80);
}

static inline void color_at(int y, int x, uint8_t *rgb) {
  rgb[0] = (uint8_t)(x * 20), rgb[1] = (uint8_t)(y * 28), rgb[2] = (uint8_t)(x * y * 7 + x);
}

static inline void show(Shown shown, const uint8_t *own, uint8_t *rgb) {
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++, rgb += 3) switch (shown) {
      case COLORS: color_at(y, x, rgb); break;
      case GRAYS: memset(rgb, gray_at(y, x), 3); break;
      case BITS: memset(rgb, bit_at(y, x) ? 255 : 0, 3); break;
      case PALETTE: palette_at(index_at(y, x), rgb); break;
      case OWN: memcpy(rgb, own + (y * WIDTH + x) * 3, 3); break;
      case NONE: break;
      }
}

/* A copy that ends where its memory ends: a sanitizer sees what reads past it. */
static inline uint8_t *copy_of(const uint8_t *data, size_t bytes) {
  uint8_t *copy = malloc(bytes ? bytes : 1);
  if (!copy) abort();
  return memcpy(copy, data, bytes);
}
#endif
