/* jpeg.c - JPEG by libturbojpeg, with its accurate inverse transform and smooth upsampling: the results of libjpeg's defaults.
 *
 * What the library only warns of, as data that end too early, is malformed here. */
#include "lib/image/format.h"

static bool jpeg_begins(const uint8_t *data, size_t bytes) { return IMAGE_BEGINS(data, bytes, "\xff\xd8\xff"); }

#ifdef TCC_IMAGE_HAS_JPEG
#include <turbojpeg.h>

#define FUNCTIONS(X, object)                                                                                                       \
  X(object, tjInitDecompress)                                                                                                      \
  X(object, tjDecompress2)                                                                                                         \
  X(object, tjDestroy)
IMAGE_LIBRARY(jpeg, "libturbojpeg.so.0")

/* The frame's header (ITU-T T.81, B.2.2) behind any other segments. Coding processes that are read: baseline, extended and progressive, by Huffman or
 * arithmetic codes, of 8 bits. */
static TccImageFault jpeg_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  for (size_t at = 2; bytes - at >= 4;) {
    if (data[at] != 0xff) return TCC_IMAGE_MALFORMED;
    uint8_t marker = data[at + 1];
    if (marker == 0xff) { /* fills */
      at++;
      continue;
    }
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda))
      return TCC_IMAGE_MALFORMED; /* none with a segment that may stand here */
    size_t length = image_be16(data + at + 2);
    if (length < 2 || length > bytes - at - 2) return TCC_IMAGE_MALFORMED;
    if (marker > 0xcf || marker == 0xc4 || marker == 0xc8 || marker == 0xcc) {
      at += 2 + length;
      continue;
    }
    if (length < 8) return TCC_IMAGE_MALFORMED;
    const uint8_t *frame = data + at + 4;
    bool known = marker <= 0xc2 || marker == 0xc9 || marker == 0xca;
    if (!known || frame[0] != 8 || (frame[5] != 1 && frame[5] != 3)) return TCC_IMAGE_VARIANT;
    *out_height = image_be16(frame + 1), *out_width = image_be16(frame + 3);
    return *out_height ? TCC_IMAGE_RIGHT : TCC_IMAGE_VARIANT; /* a height that a marker behind the first scan says */
  }
  return TCC_IMAGE_MALFORMED;
}

static TccImageFault jpeg_decode(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb) {
  tjhandle handle = jpeg.tjInitDecompress();
  if (!handle) return TCC_IMAGE_MEMORY;
  const int flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
  int error = jpeg.tjDecompress2(handle, data, (unsigned long)bytes, rgb, (int)width, (int)width * 3, (int)height, TJPF_RGB, flags);
  jpeg.tjDestroy(handle);
  return error ? TCC_IMAGE_MALFORMED : TCC_IMAGE_RIGHT;
}
#endif

/* Arithmetic codes need a fraction of a bit for a block like its neighbours; Huffman codes a bit. */
const ImageFormat tcc_image_jpeg = {.begins = jpeg_begins,
#ifdef TCC_IMAGE_HAS_JPEG
                                    .library = &library,
                                    .size = jpeg_size,
                                    .decode = jpeg_decode,
                                    .most_pixels = 1 << 16
#endif
};
