/* tiff.c - TIFF by libtiff: the first image of a file; gray, RGB, palettes and YCbCr of up to 16 bits.
 *
 * libtiff makes pixels of 8 bits of them all (TIFFRGBAImage), with some things that are not wanted here: it multiplies by alpha, which saying that
 * this was done already keeps it from; it rounds 16 bits, by a table that is replaced; it turns images in four of eight ways, which is done here; and
 * it finds the rows of a tile that the image cuts off in the wrong places where gray has 16 bits or alpha: such pixels are put here. */
#include "lib/image/format.h"
#include <stdlib.h>

static bool tiff_begins(const uint8_t *data, size_t bytes) {
  return IMAGE_BEGINS(data, bytes, "II*\0") || IMAGE_BEGINS(data, bytes, "MM\0*") || IMAGE_BEGINS(data, bytes, "II+\0") ||
         IMAGE_BEGINS(data, bytes, "MM\0+");
}

#ifdef TCC_IMAGE_HAS_TIFF
#include <tiffio.h>

#define FUNCTIONS(X, object)                                                                                                       \
  X(object, TIFFClientOpenExt)                                                                                                     \
  X(object, TIFFClose)                                                                                                             \
  X(object, TIFFGetField)                                                                                                          \
  X(object, TIFFGetFieldDefaulted)                                                                                                 \
  X(object, TIFFIsCODECConfigured)                                                                                                 \
  X(object, TIFFOpenOptionsAlloc)                                                                                                  \
  X(object, TIFFOpenOptionsFree)                                                                                                   \
  X(object, TIFFOpenOptionsSetErrorHandlerExtR)                                                                                    \
  X(object, TIFFOpenOptionsSetMaxSingleMemAlloc)                                                                                   \
  X(object, TIFFOpenOptionsSetWarningHandlerExtR)                                                                                  \
  X(object, TIFFRGBAImageBegin)                                                                                                    \
  X(object, TIFFRGBAImageEnd)                                                                                                      \
  X(object, TIFFRGBAImageGet)                                                                                                      \
  X(object, TIFFSetField)
IMAGE_LIBRARY(tiff, "libtiff.so.6")

/* ---- a file in memory ---- */
typedef struct {
  const uint8_t *data;
  uint64_t bytes, at;
} Source;

static tmsize_t read_bytes(thandle_t handle, void *out, tmsize_t count) {
  Source *s = handle;
  uint64_t left = s->at < s->bytes ? s->bytes - s->at : 0, n = count < 0 ? 0 : (uint64_t)count < left ? (uint64_t)count : left;
  memcpy(out, s->data + (n ? s->at : 0), n);
  s->at += n;
  return (tmsize_t)n;
}

static toff_t seek(thandle_t handle, toff_t to, int from) {
  Source *s = handle;
  s->at = to + (from == SEEK_CUR ? s->at : from == SEEK_END ? s->bytes : 0);
  return s->at;
}

static tmsize_t write_bytes(thandle_t handle, void *from, tmsize_t count) {
  (void)handle, (void)from, (void)count;
  return -1;
}
static int close_source(thandle_t handle) {
  (void)handle;
  return 0;
}
/* libtiff never writes where a file is mapped. */
static int map(thandle_t handle, void **out, toff_t *out_bytes) {
  Source *s = handle;
  *out = (void *)s->data, *out_bytes = s->bytes;
  return 1;
}
static void unmap(thandle_t handle, void *data, toff_t bytes) { (void)handle, (void)data, (void)bytes; }
static toff_t size_of(thandle_t handle) { return ((const Source *)handle)->bytes; }
static int on_message(TIFF *file, void *user, const char *module, const char *format, va_list arguments) {
  (void)file, (void)user, (void)module, (void)format, (void)arguments;
  return 1; /* nobody else is told */
}

/* Mapped: of what it reads into memory of its own, libtiff 4.5 refuses uncompressed tiles of less than 1024 bytes.
 * pixels: of the image, as far as they are known; a strip or a tile of more bytes than they can have is refused. */
static TIFF *open_file(Source *source, int64_t pixels) {
  TIFFOpenOptions *options = tiff.TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  const tmsize_t least = (tmsize_t)64 << 20, most = (tmsize_t)pixels * 16;
  tiff.TIFFOpenOptionsSetMaxSingleMemAlloc(options, most > least ? most : least);
  tiff.TIFFOpenOptionsSetErrorHandlerExtR(options, on_message, NULL);
  tiff.TIFFOpenOptionsSetWarningHandlerExtR(options, on_message, NULL);
  TIFF *file =
      tiff.TIFFClientOpenExt("image", "r", source, read_bytes, write_bytes, seek, close_source, size_of, map, unmap, options);
  tiff.TIFFOpenOptionsFree(options);
  return file;
}

/* ---- what is decoded ---- */
static bool is_known_compression(uint16_t compression) {
  if (!tiff.TIFFIsCODECConfigured(compression)) return false;
  switch (compression) {
  case COMPRESSION_NONE:
  case COMPRESSION_CCITTRLE:
  case COMPRESSION_CCITTFAX3:
  case COMPRESSION_CCITTFAX4:
  case COMPRESSION_LZW:
  case COMPRESSION_JPEG:
  case COMPRESSION_ADOBE_DEFLATE:
  case COMPRESSION_DEFLATE:
  case COMPRESSION_PACKBITS:
  case COMPRESSION_LZMA:
  case COMPRESSION_ZSTD:
  case COMPRESSION_WEBP: return true;
  default: return false;
  }
}

/* Samples of a pixel's color; 0: it is not decoded. */
static int color_samples(uint16_t photometric) {
  switch (photometric) {
  case PHOTOMETRIC_MINISWHITE:
  case PHOTOMETRIC_MINISBLACK:
  case PHOTOMETRIC_PALETTE: return 1;
  case PHOTOMETRIC_RGB:
  case PHOTOMETRIC_YCBCR: return 3;
  default: return 0;
  }
}

static TccImageFault check_file(TIFF *file, int64_t *out_height, int64_t *out_width) {
  uint32_t height = 0, width = 0;
  uint16_t compression = 0, photometric = 0, bits = 0, samples = 0, kind = 0, orientation = 0;
  if (!tiff.TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height) || !tiff.TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width) ||
      !tiff.TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &photometric))
    return TCC_IMAGE_MALFORMED;
  tiff.TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
  tiff.TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
  tiff.TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
  tiff.TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &kind);
  tiff.TIFFGetFieldDefaulted(file, TIFFTAG_ORIENTATION, &orientation);
  int colors = color_samples(photometric);
  if (!is_known_compression(compression) || !colors || bits > 16 || (kind != SAMPLEFORMAT_UINT && kind != SAMPLEFORMAT_VOID))
    return TCC_IMAGE_VARIANT;
  if (samples < colors) return TCC_IMAGE_MALFORMED;
  bool has_alpha = samples > colors;
  if (samples > colors + 1 || (has_alpha && (photometric == PHOTOMETRIC_PALETTE || bits < 8))) return TCC_IMAGE_VARIANT;
  bool turned = orientation >= ORIENTATION_LEFTTOP;
  *out_height = turned ? width : height, *out_width = turned ? height : width;
  /* Alpha is said to be a factor of the colors already: nothing is done about it then. */
  const uint16_t alpha = EXTRASAMPLE_ASSOCALPHA;
  if (has_alpha && !tiff.TIFFSetField(file, TIFFTAG_EXTRASAMPLES, 1, &alpha)) return TCC_IMAGE_MALFORMED;
  return TCC_IMAGE_RIGHT;
}

static TccImageFault tiff_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  Source source = {data, bytes, 0};
  TIFF *file = open_file(&source, 0);
  if (!file) return TCC_IMAGE_MALFORMED;
  TccImageFault fault = check_file(file, out_height, out_width);
  tiff.TIFFClose(file);
  return fault;
}

/* stored [rows, columns], as it lies in the file, to rgb [height, width, 3] as it is to be seen. */
static void turn(const uint32_t *stored, int64_t rows, int64_t columns, uint16_t orientation, uint8_t *rgb) {
  bool transposed = orientation >= ORIENTATION_LEFTTOP;
  bool from_right = orientation == ORIENTATION_TOPRIGHT || orientation == ORIENTATION_BOTRIGHT ||
                    orientation == ORIENTATION_RIGHTBOT || orientation == ORIENTATION_LEFTBOT;
  bool from_bottom = orientation == ORIENTATION_BOTRIGHT || orientation == ORIENTATION_BOTLEFT ||
                     orientation == ORIENTATION_RIGHTTOP || orientation == ORIENTATION_RIGHTBOT;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t c = 0; c < columns; c++, stored++) {
      int64_t y = from_bottom ? rows - 1 - r : r, x = from_right ? columns - 1 - c : c;
      uint8_t *to = rgb + 3 * (transposed ? x * rows + y : y * columns + x);
      to[0] = (uint8_t)TIFFGetR(*stored), to[1] = (uint8_t)TIFFGetG(*stored), to[2] = (uint8_t)TIFFGetB(*stored);
    }
}

/* Gray of 8 or 16 bits, with or without alpha: a tileContigRoutine, whose skews are pixels from the end of a row to the next one. */
static void put_gray(TIFFRGBAImage *image, uint32_t *to, uint32_t x, uint32_t y, uint32_t width, uint32_t height, int32_t from_skew,
                     int32_t to_skew, unsigned char *from) {
  (void)x, (void)y;
  uint8_t inverted = image->photometric == PHOTOMETRIC_MINISWHITE ? 255 : 0;
  ptrdiff_t pixel_bytes = image->samplesperpixel * image->bitspersample / 8;
  for (uint32_t row = 0; row < height; row++, to += to_skew, from += from_skew * pixel_bytes)
    for (uint32_t column = 0; column < width; column++, from += pixel_bytes) {
      uint16_t value = *from;
      if (image->bitspersample == 16) memcpy(&value, from, 2), value >>= 8;
      uint8_t gray = (uint8_t)value ^ inverted;
      *to++ = gray | (uint32_t)gray << 8 | (uint32_t)gray << 16;
    }
}

/* stored: height * width of it. */
static TccImageFault read_image(TIFF *file, int64_t height, int64_t width, uint32_t *stored, uint8_t *rgb) {
  int64_t own_height, own_width;
  TccImageFault fault = check_file(file, &own_height, &own_width);
  if (fault) return fault;
  if (own_height != height || own_width != width) return TCC_IMAGE_MALFORMED;
  TIFFRGBAImage image;
  char message[1024];
  if (!tiff.TIFFRGBAImageBegin(&image, file, 1, message)) return TCC_IMAGE_VARIANT;
  image.req_orientation = image.orientation; /* as it lies */
  if (image.Bitdepth16To8)
    for (uint32_t n = 0; n < 1 << 16; n++) image.Bitdepth16To8[n] = (uint8_t)(n >> 8);
  if (image.isContig && color_samples(image.photometric) == 1 && image.photometric != PHOTOMETRIC_PALETTE &&
      image.bitspersample >= 8)
    image.put.contig = put_gray;
  bool read = tiff.TIFFRGBAImageGet(&image, stored, image.width, image.height);
  if (read) turn(stored, image.height, image.width, image.orientation, rgb);
  tiff.TIFFRGBAImageEnd(&image);
  return read ? TCC_IMAGE_RIGHT : TCC_IMAGE_MALFORMED;
}

static TccImageFault tiff_decode(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb) {
  uint32_t *stored = calloc((size_t)(height * width), sizeof *stored);
  if (!stored) return TCC_IMAGE_MEMORY;
  Source source = {data, bytes, 0};
  TIFF *file = open_file(&source, height * width);
  TccImageFault fault = file ? read_image(file, height, width, stored, rgb) : TCC_IMAGE_MALFORMED;
  if (file) tiff.TIFFClose(file);
  free(stored);
  return fault;
}
#endif

/* A bit is a blank row in ITU-T T.6. */
const ImageFormat tcc_image_tiff = {.begins = tiff_begins,
#ifdef TCC_IMAGE_HAS_TIFF
                                    .library = &library,
                                    .size = tiff_size,
                                    .decode = tiff_decode,
                                    .most_pixels = 8 * TCC_IMAGE_MOST_SIDE
#endif
};
