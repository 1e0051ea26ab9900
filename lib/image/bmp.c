/* bmp.c - Windows bitmaps, and those of OS/2 with a header of 12 bytes: pixels of 1 to 32 bits, indices of a palette or samples by masks, and indices
 * with run lengths (BI_RLE8, BI_RLE4).
 *
 * Samples of fewer than 8 bits are scaled to 255, rounded down. Rows are multiples of 4 bytes, from the bottom up unless the height is negative. */
#include "lib/image/format.h"
#include <stdlib.h>

enum { FILE_HEADER = 14, CORE_HEADER = 12, OS2_HEADER = 64, MASKS = 54 };
enum { PLAIN = 0, RLE8 = 1, RLE4 = 2, BITFIELDS = 3, ALPHA_BITFIELDS = 6 };

typedef struct {
  int64_t height, width;
  bool top_down;
  uint32_t bits, compression;
  uint32_t masks[3];
  size_t palette, entry, colors; /* where the palette is, of how many bytes each colour, how many */
  size_t pixels;                 /* where they are */
} Bmp;

static bool bmp_begins(const uint8_t *data, size_t bytes) { return IMAGE_BEGINS(data, bytes, "BM"); }

static size_t row_bytes(const Bmp *bmp) { return ((size_t)bmp->width * bmp->bits + 7) / 8; }
static size_t stride(const Bmp *bmp) { return (row_bytes(bmp) + 3) / 4 * 4; }

/* Red, green and blue of 16, 24 and 32 bits. Masks that are all 0 stand for none. */
static TccImageFault read_masks(const uint8_t *data, size_t bytes, Bmp *bmp) {
  static const uint32_t five[3] = {0x7c00, 0x3e0, 0x1f}, eight[3] = {0xff0000, 0xff00, 0xff};
  memcpy(bmp->masks, bmp->bits == 16 ? five : eight, sizeof bmp->masks);
  if (bmp->compression == PLAIN) return TCC_IMAGE_RIGHT;
  if (bytes < MASKS + 12) return TCC_IMAGE_MALFORMED;
  uint32_t masks[3], all = 0;
  for (int c = 0; c < 3; c++) {
    masks[c] = image_le32(data + MASKS + 4 * c);
    uint32_t ones = masks[c] ? masks[c] >> __builtin_ctz(masks[c]) : 0;
    if (ones & (ones + 1)) return TCC_IMAGE_VARIANT;
    all |= masks[c];
  }
  if (all) memcpy(bmp->masks, masks, sizeof masks);
  return TCC_IMAGE_RIGHT;
}

/* Height, width, bits and compression, by the header of either kind. */
static TccImageFault read_fields(const uint8_t *data, size_t bytes, Bmp *bmp) {
  if (bytes < FILE_HEADER + CORE_HEADER) return TCC_IMAGE_MALFORMED;
  const uint8_t *header = data + FILE_HEADER;
  uint32_t length = image_le32(header);
  if (length > bytes - FILE_HEADER) return TCC_IMAGE_MALFORMED;
  switch (length) {
  case CORE_HEADER:
    bmp->width = image_le16(header + 4), bmp->height = image_le16(header + 6);
    bmp->bits = image_le16(header + 10), bmp->entry = 3;
    break;
  case 40:
  case 52:
  case 56:
  case OS2_HEADER:
  case 108:
  case 124:
    bmp->width = (int32_t)image_le32(header + 4), bmp->height = (int32_t)image_le32(header + 8);
    bmp->bits = image_le16(header + 14), bmp->compression = image_le32(header + 16);
    bmp->colors = image_le32(header + 32), bmp->entry = 4;
    break;
  default: return TCC_IMAGE_VARIANT;
  }
  bmp->top_down = bmp->height < 0;
  if (bmp->top_down) bmp->height = -bmp->height;
  if (length == OS2_HEADER && bmp->compression > RLE4) return TCC_IMAGE_VARIANT; /* numbers with another meaning */
  bmp->palette = FILE_HEADER + length;
  return TCC_IMAGE_RIGHT;
}

static bool is_known(const Bmp *bmp) {
  switch (bmp->bits) {
  case 1:
  case 2: return bmp->compression == PLAIN;
  case 4: return bmp->compression == PLAIN || bmp->compression == RLE4;
  case 8: return bmp->compression == PLAIN || bmp->compression == RLE8;
  case 16:
  case 24:
  case 32: return bmp->compression == PLAIN || bmp->compression == BITFIELDS || bmp->compression == ALPHA_BITFIELDS;
  default: return false;
  }
}

/* All but the pixels; that the pixels are there is checked, too, where no run lengths say how many bytes they take. */
static TccImageFault read_header(const uint8_t *data, size_t bytes, Bmp *bmp) {
  *bmp = (Bmp){0};
  TccImageFault fault = read_fields(data, bytes, bmp);
  if (fault) return fault;
  if (!is_known(bmp)) return TCC_IMAGE_VARIANT;
  size_t after = bmp->palette;
  if (bmp->bits <= 8) {
    if (!bmp->colors) bmp->colors = (size_t)1 << bmp->bits;
    after += bmp->colors * bmp->entry;
    if (bmp->colors > (size_t)1 << bmp->bits) bmp->colors = (size_t)1 << bmp->bits;
    if (bmp->palette + bmp->colors * bmp->entry > bytes) return TCC_IMAGE_MALFORMED;
  } else if ((fault = read_masks(data, bytes, bmp)) != TCC_IMAGE_RIGHT) {
    return fault;
  }
  /* Some writers leave the place out, or do not count the palette. */
  bmp->pixels = image_le32(data + 10);
  if (bmp->pixels == 0 || (bmp->bits <= 8 && bmp->pixels == bmp->palette)) bmp->pixels = after;
  if (bmp->pixels < bmp->palette || bmp->pixels > bytes) return TCC_IMAGE_MALFORMED;
  if (bmp->height < 1 || bmp->width < 1) return TCC_IMAGE_MALFORMED;
  if (bmp->height > TCC_IMAGE_MOST_SIDE || bmp->width > TCC_IMAGE_MOST_SIDE) return TCC_IMAGE_SIZE;
  if (bmp->compression == RLE8 || bmp->compression == RLE4) return TCC_IMAGE_RIGHT;
  size_t needed = stride(bmp) * (size_t)(bmp->height - 1) + row_bytes(bmp);
  return needed > bytes - bmp->pixels ? TCC_IMAGE_MALFORMED : TCC_IMAGE_RIGHT;
}

static TccImageFault bmp_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  Bmp bmp;
  TccImageFault fault = read_header(data, bytes, &bmp);
  *out_height = bmp.height, *out_width = bmp.width;
  return fault;
}

static uint8_t *row_of(const Bmp *bmp, uint8_t *rgb, int64_t y) {
  return rgb + (bmp->top_down ? y : bmp->height - 1 - y) * bmp->width * 3;
}

/* colors [256, 3]; those that the palette lacks are black. */
static void read_palette(const uint8_t *data, const Bmp *bmp, uint8_t *colors) {
  memset(colors, 0, 256 * 3);
  for (size_t i = 0; i < bmp->colors; i++)
    for (size_t c = 0; c < 3; c++) colors[i * 3 + c] = data[bmp->palette + i * bmp->entry + 2 - c];
}

static void decode_indices(const uint8_t *data, const Bmp *bmp, const uint8_t *colors, uint8_t *rgb) {
  uint32_t per_byte = 8 / bmp->bits, most = (1u << bmp->bits) - 1;
  for (int64_t y = 0; y < bmp->height; y++) {
    const uint8_t *from = data + bmp->pixels + (size_t)y * stride(bmp);
    uint8_t *to = row_of(bmp, rgb, y);
    for (uint32_t x = 0; x < bmp->width; x++)
      memcpy(to + x * 3, colors + 3 * (from[x / per_byte] >> (8 - bmp->bits * (x % per_byte + 1)) & most), 3);
  }
}

static uint8_t sample(uint32_t pixel, uint32_t mask) {
  if (!mask) return 0;
  uint32_t bits = (uint32_t)__builtin_popcount(mask), value = (pixel & mask) >> __builtin_ctz(mask);
  return (uint8_t)(bits >= 8 ? value >> (bits - 8) : value * 255 / ((1u << bits) - 1));
}

static void decode_samples(const uint8_t *data, const Bmp *bmp, uint8_t *rgb) {
  uint32_t pixel_bytes = bmp->bits / 8;
  for (int64_t y = 0; y < bmp->height; y++) {
    const uint8_t *from = data + bmp->pixels + (size_t)y * stride(bmp);
    uint8_t *to = row_of(bmp, rgb, y);
    for (int64_t x = 0; x < bmp->width; x++, from += pixel_bytes, to += 3) {
      uint32_t pixel = 0;
      for (uint32_t i = 0; i < pixel_bytes; i++) pixel |= (uint32_t)from[i] << 8 * i;
      for (int c = 0; c < 3; c++) to[c] = sample(pixel, bmp->masks[c]);
    }
  }
}

/* ---- run lengths ---- */
typedef struct {
  const Bmp *bmp;
  const uint8_t *colors;
  uint8_t *rgb;
  int64_t x, y;
} Cursor;

/* What runs over the row's end is left out. */
static void put_index(Cursor *at, uint32_t index) {
  if (at->x < at->bmp->width && at->y < at->bmp->height)
    memcpy(row_of(at->bmp, at->rgb, at->y) + at->x * 3, at->colors + index * 3, 3);
  at->x++;
}

/* The index at a place of a run: bytes are two pixels each with four bits, the upper ones first. */
static uint32_t index_at(const Bmp *bmp, const uint8_t *run, size_t place) {
  return bmp->compression == RLE8 ? run[place] : place % 2 ? run[place / 2] & 15u : run[place / 2] >> 4;
}

/* 0 and a byte: the end of a row, of the image, a step, or pixels that are no run, whose bytes are an even number. False: the data are malformed. */
static bool escape(Cursor *at, const uint8_t *data, size_t bytes, size_t *place, bool *out_ends) {
  uint32_t code = data[*place + 1];
  *place += 2;
  if (code == 0) {
    at->x = 0, at->y++;
  } else if (code == 1) {
    *out_ends = true;
    return at->y >= at->bmp->height - 1;
  } else if (code == 2) {
    if (bytes - *place < 2) return false;
    at->x += data[*place], at->y += data[*place + 1];
    *place += 2;
  } else {
    size_t length = at->bmp->compression == RLE8 ? code : (code + 1) / 2;
    if (bytes - *place < length) return false;
    for (uint32_t i = 0; i < code; i++) put_index(at, index_at(at->bmp, data + *place, i));
    length += length % 2;
    *place += length < bytes - *place ? length : bytes - *place;
  }
  return true;
}

/* Pixels that steps leave out have index 0. */
static TccImageFault decode_runs(const uint8_t *data, size_t bytes, const Bmp *bmp, const uint8_t *colors, uint8_t *rgb) {
  for (int64_t i = 0; i < bmp->height * bmp->width; i++) memcpy(rgb + i * 3, colors, 3);
  Cursor at = {bmp, colors, rgb, 0, 0};
  size_t place = bmp->pixels;
  for (bool ends = false; !ends && at.y < bmp->height;) {
    if (bytes - place < 2) return TCC_IMAGE_MALFORMED;
    if (data[place] == 0) {
      if (!escape(&at, data, bytes, &place, &ends)) return TCC_IMAGE_MALFORMED;
      continue;
    }
    for (uint32_t i = 0; i < data[place]; i++)
      put_index(&at, index_at(bmp, data + place + 1, bmp->compression == RLE8 ? 0 : i % 2));
    place += 2;
  }
  return TCC_IMAGE_RIGHT;
}

static TccImageFault bmp_decode(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb) {
  (void)height, (void)width;
  Bmp bmp;
  TccImageFault fault = read_header(data, bytes, &bmp);
  if (fault) return fault;
  if (bmp.bits > 8) {
    decode_samples(data, &bmp, rgb);
    return TCC_IMAGE_RIGHT;
  }
  uint8_t colors[256 * 3];
  read_palette(data, &bmp, colors);
  if (bmp.compression != PLAIN) return decode_runs(data, bytes, &bmp, colors, rgb);
  decode_indices(data, &bmp, colors, rgb);
  return TCC_IMAGE_RIGHT;
}

/* A step of 4 bytes skips up to 255 rows. */
const ImageFormat tcc_image_bmp = {.begins = bmp_begins, .size = bmp_size, .decode = bmp_decode, .most_pixels = 1 << 16};
