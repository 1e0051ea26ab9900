/* pnm.c - netpbm's bitmaps, gray maps and pixel maps: P1 to P6, plain and raw, with samples of up to 16 bits.
 *
 * A sample is value / maxval * 255, rounded to the nearest, to even where two are as near: as Pillow has it, also for more than 8 bits. */
#include "lib/image/format.h"
#include <math.h>

typedef struct {
  int kind; /* 1 to 6: bits, gray, RGB; from 4 on raw */
  int64_t height, width;
  uint32_t maxval;
  size_t at; /* where the samples are */
} Pnm;

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static bool pnm_begins(const uint8_t *data, size_t bytes) {
  return bytes >= 3 && data[0] == 'P' && data[1] >= '1' && data[1] <= '7' && (is_space(data[2]) || data[2] == '#');
}

/* White space and comments, which last until their line ends. */
static void skip_space(const uint8_t *data, size_t bytes, size_t *at) {
  for (; *at < bytes && (is_space(data[*at]) || data[*at] == '#'); ++*at)
    if (data[*at] == '#')
      while (*at + 1 < bytes && data[*at + 1] != '\n' && data[*at + 1] != '\r') ++*at;
}

/* Of at most 9 digits, with white space or nothing behind it. False: there is none. */
static bool read_number(const uint8_t *data, size_t bytes, size_t *at, uint32_t *out) {
  skip_space(data, bytes, at);
  size_t begin = *at;
  for (*out = 0; *at < bytes && data[*at] >= '0' && data[*at] <= '9'; ++*at) {
    if (*at - begin == 9) return false;
    *out = *out * 10 + (data[*at] - '0');
  }
  return *at > begin && (*at == bytes || is_space(data[*at]) || data[*at] == '#');
}

static bool is_bits(const Pnm *pnm) { return pnm->kind == 1 || pnm->kind == 4; }
static size_t channels(const Pnm *pnm) { return pnm->kind == 3 || pnm->kind == 6 ? 3 : 1; }

/* The header; that there are bytes enough is checked, too: plain samples take at least a digit each. */
static TccImageFault read_header(const uint8_t *data, size_t bytes, Pnm *pnm) {
  *pnm = (Pnm){.kind = data[1] - '0', .maxval = 1, .at = 2};
  if (pnm->kind == 7) return TCC_IMAGE_VARIANT;
  uint32_t width, height;
  if (!read_number(data, bytes, &pnm->at, &width) || !read_number(data, bytes, &pnm->at, &height)) return TCC_IMAGE_MALFORMED;
  if (!is_bits(pnm) && !read_number(data, bytes, &pnm->at, &pnm->maxval)) return TCC_IMAGE_MALFORMED;
  if (pnm->maxval < 1 || pnm->maxval > 65535 || width < 1 || height < 1) return TCC_IMAGE_MALFORMED;
  if (height > TCC_IMAGE_MOST_SIDE || width > TCC_IMAGE_MOST_SIDE) return TCC_IMAGE_SIZE;
  if (pnm->at == bytes || !is_space(data[pnm->at])) return TCC_IMAGE_MALFORMED;
  pnm->at++;
  pnm->height = height, pnm->width = width;
  size_t samples = (size_t)width * channels(pnm);
  size_t row = pnm->kind < 4 ? samples : is_bits(pnm) ? (samples + 7) / 8 : samples * (pnm->maxval > 255 ? 2 : 1);
  return row * height > bytes - pnm->at ? TCC_IMAGE_MALFORMED : TCC_IMAGE_RIGHT;
}

static TccImageFault pnm_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  Pnm pnm;
  TccImageFault fault = read_header(data, bytes, &pnm);
  *out_height = pnm.height, *out_width = pnm.width;
  return fault;
}

/* Raw samples may be above maxval. */
static uint8_t scale(uint32_t value, uint32_t maxval) {
  return maxval == 255 ? (uint8_t)value : value >= maxval ? 255 : (uint8_t)rint((double)value / maxval * 255);
}

static TccImageFault decode_plain(const uint8_t *data, size_t bytes, const Pnm *pnm, uint8_t *rgb) {
  size_t at = pnm->at, of_pixel = channels(pnm);
  for (uint8_t *end = rgb + pnm->height * pnm->width * 3; rgb < end; rgb += 3) {
    for (size_t c = 0; c < of_pixel; c++) {
      uint32_t value;
      if (is_bits(pnm)) { /* digits need no space between them; 1 is black */
        skip_space(data, bytes, &at);
        if (at == bytes || (data[at] != '0' && data[at] != '1')) return TCC_IMAGE_MALFORMED;
        value = data[at++] == '0';
      } else if (!read_number(data, bytes, &at, &value) || value > pnm->maxval) {
        return TCC_IMAGE_MALFORMED;
      }
      rgb[c] = scale(value, pnm->maxval);
    }
    if (of_pixel == 1) image_put_gray(rgb, rgb[0]);
  }
  return TCC_IMAGE_RIGHT;
}

static void decode_bits(const uint8_t *data, const Pnm *pnm, uint8_t *rgb) {
  const uint8_t *row = data + pnm->at;
  for (int64_t y = 0; y < pnm->height; y++, row += (pnm->width + 7) / 8)
    for (int64_t x = 0; x < pnm->width; x++, rgb += 3) image_put_gray(rgb, row[x / 8] >> (7 - x % 8) & 1 ? 0 : 255);
}

static void decode_raw(const uint8_t *data, const Pnm *pnm, uint8_t *rgb) {
  const uint8_t *from = data + pnm->at;
  size_t of_pixel = channels(pnm);
  bool wide = pnm->maxval > 255;
  for (uint8_t *end = rgb + pnm->height * pnm->width * 3; rgb < end; rgb += 3) {
    for (size_t c = 0; c < of_pixel; c++, from += wide ? 2 : 1) rgb[c] = scale(wide ? image_be16(from) : *from, pnm->maxval);
    if (of_pixel == 1) image_put_gray(rgb, rgb[0]);
  }
}

static TccImageFault pnm_decode(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb) {
  (void)height, (void)width;
  Pnm pnm;
  TccImageFault fault = read_header(data, bytes, &pnm);
  if (fault) return fault;
  if (pnm.kind < 4) return decode_plain(data, bytes, &pnm, rgb);
  if (is_bits(&pnm)) decode_bits(data, &pnm, rgb);
  else decode_raw(data, &pnm, rgb);
  return TCC_IMAGE_RIGHT;
}

const ImageFormat tcc_image_pnm = {.begins = pnm_begins, .size = pnm_size, .decode = pnm_decode};
