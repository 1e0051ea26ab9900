/* What is cut off or changed in one byte gives a fault or an image, and nothing else: under the address sanitizer this is where a reader shows that it
 * leaves the data. Headers that ask for more than their data can have are refused before anything is allocated. */
#include "cases.h"
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static int failures;

static TccImageFault decode(const uint8_t *data, size_t bytes) {
  enum { MOST = 1 << 20 };
  int64_t height, width;
  TccImageFault fault = tcc_image_size(data, bytes, &height, &width);
  if (fault || height * width > MOST) return fault;
  uint8_t *out = malloc((size_t)(height * width * 3));
  if (!out) abort();
  fault = tcc_image_decode(data, bytes, TCC_PIXEL_RGB, height, width, out);
  free(out);
  return fault;
}

/* Of an image that is cut off, a part may be all that was wanted: what follows the pixels. */
static void prefixes(const Case *c) {
  for (size_t bytes = 0; bytes < c->bytes; bytes++) {
    uint8_t *copy = copy_of(c->data, bytes);
    TccImageFault fault = decode(copy, bytes);
    if (!fault && bytes < c->bytes / 2) printf("%s: decoded %zu of %zu bytes\n", c->name, bytes, c->bytes), failures++;
    free(copy);
  }
}

static void flips(const Case *c) {
  uint8_t *copy = copy_of(c->data, c->bytes);
  for (size_t i = 0; i < c->bytes; i++) {
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    for (size_t m = 0; m < sizeof masks; m++) {
      copy[i] ^= masks[m];
      decode(copy, c->bytes);
      copy[i] ^= masks[m];
    }
  }
  free(copy);
}

static void refuses(const char *what, const uint8_t *data, size_t bytes, TccImageFault want) {
  int64_t height, width;
  uint8_t *copy = copy_of(data, bytes);
  TccImageFault fault = tcc_image_size(copy, bytes, &height, &width);
  if (fault != want) printf("%s: fault %d, %d x %d; want %d\n", what, fault, (int)height, (int)width, want), failures++;
  free(copy);
}

/* The same bytes with some in the middle replaced. */
static void refuses_with(const char *what, const uint8_t *data, size_t bytes, size_t at, const char *text, size_t length,
                         TccImageFault want) {
  uint8_t *copy = copy_of(data, bytes);
  memcpy(copy + at, text, length);
  refuses(what, copy, bytes, want);
  free(copy);
}
#define REFUSES_WITH(what, data, at, text, want) refuses_with(what, data, sizeof data, at, text, sizeof text - 1, want)

static size_t find(const uint8_t *data, size_t bytes, const char *text, size_t length) {
  for (size_t i = 0; i + length <= bytes; i++)
    if (!memcmp(data + i, text, length)) return i;
  abort();
}

static void too_large(void) {
  REFUSES_WITH("a PNG of 65535 x 65535", png_rgb, 16, "\0\0\xff\xff\0\0\xff\xff", TCC_IMAGE_MALFORMED);
  REFUSES_WITH("a PNG of 65536 columns", png_rgb, 16, "\0\1\0\0", TCC_IMAGE_SIZE);
  REFUSES_WITH("a PNG without columns", png_rgb, 16, "\0\0\0\0", TCC_IMAGE_MALFORMED);
  size_t frame = find(jpeg_420, sizeof jpeg_420, "\xff\xc0", 2);
  REFUSES_WITH("a JPEG of 65535 x 65535", jpeg_420, frame + 5, "\xff\xff\xff\xff", TCC_IMAGE_MALFORMED);
  REFUSES_WITH("a JPEG of 12 bits", jpeg_420, frame + 4, "\x0c", TCC_IMAGE_VARIANT);
  REFUSES_WITH("a JPEG without loss", jpeg_420, frame + 1, "\xc3", TCC_IMAGE_VARIANT);
  REFUSES_WITH("a JPEG whose height follows", jpeg_420, frame + 5, "\0\0", TCC_IMAGE_VARIANT);
  size_t width = find(tiff_lzw, sizeof tiff_lzw, "\0\x01\x03\0\x01\0\0\0\x0d", 9); /* a SHORT */
  REFUSES_WITH("a TIFF of 65536 columns", tiff_lzw, width + 2, "\x04\0\x01\0\0\0\0\0\x01\0", TCC_IMAGE_SIZE);
  REFUSES_WITH("a TIFF of 65535 x 65535", tiff_lzw, width + 8, "\xff\xff\0\0\x01\x01\x03\0\x01\0\0\0\xff\xff", TCC_IMAGE_MALFORMED);
}

/* The fields of SIZ follow its marker and length: Rsiz, Xsiz, Ysiz, XOsiz, YOsiz, XTsiz, YTsiz, XTOsiz, YTOsiz, Csiz. */
static void too_large_jpeg2000(void) {
  size_t siz = find(jp2_rgb, sizeof jp2_rgb, "\xff\x51", 2) + 6;
  REFUSES_WITH("a JPEG 2000 of 65535 x 65535", jp2_rgb, siz, "\0\0\xff\xff\0\0\xff\xff", TCC_IMAGE_MALFORMED);
  REFUSES_WITH("a JPEG 2000 of 65536 columns", jp2_rgb, siz, "\0\1\0\0", TCC_IMAGE_SIZE);
  REFUSES_WITH("a JPEG 2000 of tiles of a pixel", jp2_rgb, siz + 16, "\0\0\0\1\0\0\0\1", TCC_IMAGE_MALFORMED);
  REFUSES_WITH("a JPEG 2000 of 16384 components", jp2_rgb, siz + 32, "\x40\0", TCC_IMAGE_MALFORMED);
  /* 1000 x 1000 pixels, and precincts of several sizes. COD: progression, layers, transform, levels, ... */
  uint8_t file[1024];
  size_t bytes = sizeof j2k_rgba_tiles, cod = find(j2k_rgba_tiles, bytes, "\xff\x52", 2);
  memcpy(file, j2k_rgba_tiles, bytes);
  memcpy(file + 8, "\0\0\3\xe8\0\0\3\xe8\0\0\0\0\0\0\0\0\0\0\3\xe8\0\0\3\xe8", 24);
  refuses("a JPEG 2000 of large precincts", file, bytes, TCC_IMAGE_RIGHT);
  file[cod + 6] = 0xff;
  refuses("a JPEG 2000 of 65281 layers", file, bytes, TCC_IMAGE_MALFORMED);
  file[cod + 6] = 0;
  uint32_t levels = file[cod + 9];
  memmove(file + cod + 14 + levels + 1, file + cod + 14, bytes - cod - 14);
  memset(file + cod + 14, 0, levels + 1);
  file[cod + 3] += (uint8_t)(levels + 1), file[cod + 4] |= 1;
  refuses("a JPEG 2000 of precincts of a pixel", file, bytes + levels + 1, TCC_IMAGE_VARIANT);
  for (uint32_t level = 0; level <= levels; level++) file[cod + 14 + level] = level ? 0x44 : 0x33;
  refuses("a JPEG 2000 of precincts of 16 pixels", file, bytes + levels + 1, TCC_IMAGE_RIGHT);
  file[cod + 14 + levels] = 0x4f;
  refuses("a JPEG 2000 of precincts of 32768 x 16 pixels", file, bytes + levels + 1, TCC_IMAGE_RIGHT);
  file[cod + 14 + levels] = 0x3f;
  refuses("a JPEG 2000 of precincts of 32768 x 8 pixels", file, bytes + levels + 1, TCC_IMAGE_VARIANT);
}

int main(void) {
  static const uint8_t bmp[] =
      "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\5\0\0\0\2\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\0\0\0\0\0\xff\xff\xff\0\xa8\0\0\0\x50\0\0";
  static const uint8_t runs[] =
      "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\5\0\0\0\2\0\0\0\1\0\x8\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0"
      "\0\0\0\0\0\xff\xff\xff\0\5\1\0\0\0\2\1\0\0\3\1\0\1\0\0\1";
  static const uint8_t plain[] = "P3\n2 1#\n9\n1 2 3 4 5 6", raw[] = "P6\n2 1\n999\n123456123456";
  const Case own[] = {{"bmp", bmp, sizeof bmp, NONE, NULL},
                      {"runs", runs, sizeof runs - 1, NONE, NULL},
                      {"plain", plain, sizeof plain - 1, NONE, NULL},
                      {"raw", raw, sizeof raw - 1, NONE, NULL}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (decode(own[i].data, own[i].bytes)) printf("%s is not decoded\n", own[i].name), failures++;
    prefixes(&own[i]), flips(&own[i]);
  }
  for (int i = 0; i < FILE_CASES; i++) prefixes(&file_cases[i]), flips(&file_cases[i]);
  too_large();
  too_large_jpeg2000();
  return failures != 0;
}
