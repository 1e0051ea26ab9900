/* webp.c - WebP by libwebp. Animations are not decoded. */
#include "lib/image/format.h"

static bool webp_begins(const uint8_t *data, size_t bytes) {
  return IMAGE_BEGINS(data, bytes, "RIFF") && bytes >= 12 && !memcmp(data + 8, "WEBP", 4);
}

#ifdef TCC_IMAGE_HAS_WEBP
#include <webp/decode.h>

#define FUNCTIONS(X, object)                                                                                                       \
  X(object, WebPGetFeaturesInternal)                                                                                               \
  X(object, WebPDecodeRGBInto)
IMAGE_LIBRARY(webp, "libwebp.so.7")

static TccImageFault webp_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  WebPBitstreamFeatures features = {0};
  if (webp.WebPGetFeaturesInternal(data, bytes, &features, WEBP_DECODER_ABI_VERSION) != VP8_STATUS_OK) return TCC_IMAGE_MALFORMED;
  if (features.has_animation) return TCC_IMAGE_VARIANT;
  *out_height = features.height, *out_width = features.width;
  return TCC_IMAGE_RIGHT;
}

static TccImageFault webp_decode(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb) {
  bool decoded = webp.WebPDecodeRGBInto(data, bytes, rgb, (size_t)(height * width * 3), (int)width * 3) != NULL;
  return decoded ? TCC_IMAGE_RIGHT : TCC_IMAGE_MALFORMED;
}
#endif

/* Without loss a plain area needs no bits at all; a side has 16383 pixels at most. */
const ImageFormat tcc_image_webp = {.begins = webp_begins,
#ifdef TCC_IMAGE_HAS_WEBP
                                    .library = &library,
                                    .size = webp_size,
                                    .decode = webp_decode
#endif
};
