/* jpeg2000.c - JPEG 2000 by libopenjp2: codestreams, in JP2 files or alone, of 1 to 4 components of one size; two or four have an alpha channel.
 *
 * The library allocates what a header asks for before it reads data: for every tile, and for every precinct of a tile; it looks for precincts in steps
 * of the smallest. So markers are read here first (ITU-T T.800, annex A): more tiles than the data can have, at 14 bytes each, or layers, at a
 * byte, and precincts of less than 16 x 16 pixels, which nobody writes, are refused. */
#include "lib/image/format.h"

static bool is_file(const uint8_t *data, size_t bytes) { return IMAGE_BEGINS(data, bytes, "\0\0\0\x0cjP  \r\n\x87\n"); }
static bool jpeg2000_begins(const uint8_t *data, size_t bytes) {
  return is_file(data, bytes) || IMAGE_BEGINS(data, bytes, "\xff\x4f\xff\x51");
}

#ifdef TCC_IMAGE_HAS_JPEG2000
#include <openjpeg.h>

#define FUNCTIONS(X, object)                                                                                                       \
  X(object, opj_create_decompress)                                                                                                 \
  X(object, opj_decode)                                                                                                            \
  X(object, opj_destroy_codec)                                                                                                     \
  X(object, opj_end_decompress)                                                                                                    \
  X(object, opj_image_destroy)                                                                                                     \
  X(object, opj_read_header)                                                                                                       \
  X(object, opj_set_default_decoder_parameters)                                                                                    \
  X(object, opj_setup_decoder)                                                                                                     \
  X(object, opj_stream_default_create)                                                                                             \
  X(object, opj_stream_destroy)                                                                                                    \
  X(object, opj_stream_set_read_function)                                                                                          \
  X(object, opj_stream_set_seek_function)                                                                                          \
  X(object, opj_stream_set_skip_function)                                                                                          \
  X(object, opj_stream_set_user_data)                                                                                              \
  X(object, opj_stream_set_user_data_length)
IMAGE_LIBRARY(opj, "libopenjp2.so.7")

/* ---- markers ---- */
enum { SIZ = 0xff51, COD = 0xff52, COC = 0xff53, SOT = 0xff90, SOD = 0xff93, EOC = 0xffd9 };
enum { MOST_COMPONENTS = 4, MOST_BITS = 16, TILE_BYTES = 14, LEAST_PRECINCT = 4 /* 16 pixels */ };

typedef struct {
  const uint8_t *data;
  size_t bytes;
  int64_t height, width;
  uint32_t components;
  uint64_t tiles;
  uint64_t layers;                /* of a tile that does not say another number */
  uint64_t own_tiles, own_layers; /* tiles that do, their layers in all */
} Codestream;

/* The first codestream of a file. Boxes lie in a row, those of the header's box, too, once that has been entered. */
static TccImageFault find_codestream(const uint8_t *data, size_t bytes, Codestream *out) {
  *out = (Codestream){.data = data, .bytes = bytes};
  if (!is_file(data, bytes)) return TCC_IMAGE_RIGHT;
  for (size_t at = 0; bytes - at >= 8;) {
    const uint8_t *box = data + at;
    size_t length = image_be32(box), header = 8, left = bytes - at;
    if (length == 1) {
      if (left < 16 || image_be32(box + 8) != 0) return TCC_IMAGE_MALFORMED;
      length = image_be32(box + 12), header = 16;
    } else if (length == 0) {
      length = left;
    }
    if (length < header || length > left) return TCC_IMAGE_MALFORMED;
    if (!memcmp(box + 4, "jp2c", 4)) {
      out->data = box + header, out->bytes = length - header;
      return TCC_IMAGE_RIGHT;
    }
    /* A palette: its number of entries, and of components that it makes of one. */
    if (!memcmp(box + 4, "pclr", 4) && (length < header + 3 || box[header + 2] > MOST_COMPONENTS)) return TCC_IMAGE_VARIANT;
    at += memcmp(box + 4, "jp2h", 4) ? length : header;
  }
  return TCC_IMAGE_MALFORMED;
}

/* The segment of SIZ, which is the first one. */
static TccImageFault read_size(Codestream *s) {
  if (s->bytes < 42 || image_be32(s->data) != 0xff4fff51) return TCC_IMAGE_MALFORMED;
  const uint8_t *siz = s->data + 4;
  uint32_t length = image_be16(siz), right = image_be32(siz + 4), bottom = image_be32(siz + 8);
  uint32_t left = image_be32(siz + 12), top = image_be32(siz + 16), tile_width = image_be32(siz + 20);
  uint32_t tile_height = image_be32(siz + 24), tile_left = image_be32(siz + 28), tile_top = image_be32(siz + 32);
  s->components = image_be16(siz + 36);
  if (left >= right || top >= bottom || !tile_width || !tile_height || tile_left > left || tile_top > top)
    return TCC_IMAGE_MALFORMED;
  if (!s->components || length != 38 + 3 * s->components || length > s->bytes - 4) return TCC_IMAGE_MALFORMED;
  if (s->components > MOST_COMPONENTS) return TCC_IMAGE_VARIANT;
  for (uint32_t c = 0; c < s->components; c++) {
    const uint8_t *component = siz + 38 + 3 * c;
    if ((component[0] & 0x7f) >= MOST_BITS || component[1] != 1 || component[2] != 1) return TCC_IMAGE_VARIANT;
  }
  s->height = (int64_t)bottom - top, s->width = (int64_t)right - left;
  if (s->height > TCC_IMAGE_MOST_SIDE || s->width > TCC_IMAGE_MOST_SIDE) return TCC_IMAGE_SIZE;
  uint64_t across = ((uint64_t)right - tile_left + tile_width - 1) / tile_width;
  uint64_t down = ((uint64_t)bottom - tile_top + tile_height - 1) / tile_height;
  s->tiles = across > s->bytes || down > s->bytes ? UINT64_MAX : across * down;
  return s->tiles > s->bytes / TILE_BYTES ? TCC_IMAGE_MALFORMED : TCC_IMAGE_RIGHT;
}

/* style: of COD or COC, from the number of levels on. Precincts have 2^15 x 2^15 samples of a level unless it says their sizes, as exponents, from the
 * smallest level on. */
static TccImageFault check_style(const uint8_t *style, size_t length, bool says_sizes) {
  if (length < 5 || style[0] > 32) return TCC_IMAGE_MALFORMED;
  uint32_t levels = style[0];
  if (!says_sizes) return TCC_IMAGE_RIGHT;
  if (length < 5 + levels + 1) return TCC_IMAGE_MALFORMED;
  for (uint32_t level = 0; level <= levels; level++) {
    uint32_t exponents = style[5 + level], scale = levels - level; /* a sample is 2^scale pixels wide */
    if ((exponents & 15) + scale < LEAST_PRECINCT || (exponents >> 4) + scale < LEAST_PRECINCT) return TCC_IMAGE_VARIANT;
  }
  return TCC_IMAGE_RIGHT;
}

/* The segment of a marker, of the main header or of a part of a tile. */
static TccImageFault check_segment(Codestream *s, bool of_tile, uint32_t marker, const uint8_t *segment, size_t length) {
  if (marker == COD) {
    if (length < 5) return TCC_IMAGE_MALFORMED;
    uint32_t layers = image_be16(segment + 2);
    if (of_tile) s->own_tiles++, s->own_layers += layers;
    else s->layers = layers;
    return check_style(segment + 5, length - 5, segment[0] & 1);
  }
  if (marker == COC) return length >= 2 ? check_style(segment + 2, length - 2, segment[1] & 1) : TCC_IMAGE_MALFORMED;
  return TCC_IMAGE_RIGHT;
}

/* A packet, of which every layer of a tile's component has one at least, takes a byte. */
static TccImageFault check_packets(const Codestream *s) {
  uint64_t layers = s->own_layers + (s->own_tiles < s->tiles ? (s->tiles - s->own_tiles) * s->layers : 0);
  return layers * s->components > s->bytes ? TCC_IMAGE_MALFORMED : TCC_IMAGE_RIGHT;
}

/* The headers' markers, from SIZ to the end. A part of a tile may last until there. */
static TccImageFault check_markers(Codestream *s) {
  size_t part_end = 0; /* of the part of a tile whose header this is; 0: it is the main header */
  for (size_t at = 2; s->bytes - at >= 2;) {
    const uint8_t *p = s->data + at;
    uint32_t marker = image_be16(p);
    if (marker == EOC) return part_end ? check_packets(s) : TCC_IMAGE_MALFORMED;
    if (marker == SOD) {
      if (part_end < at + 2 || part_end > s->bytes) return TCC_IMAGE_MALFORMED;
      at = part_end;
      continue;
    }
    size_t left = s->bytes - at - 2, length = left < 2 ? 0 : image_be16(p + 2);
    if (marker < 0xff00 || length < 2 || length > left) return TCC_IMAGE_MALFORMED;
    TccImageFault fault = check_segment(s, part_end > 0, marker, p + 4, length - 2);
    if (fault) return fault;
    if (marker == SOT) {
      if (length != 10) return TCC_IMAGE_MALFORMED;
      uint32_t part_bytes = image_be32(p + 6);
      part_end = part_bytes ? at + part_bytes : s->bytes;
    }
    at += 2 + length;
  }
  return part_end == s->bytes ? check_packets(s) : TCC_IMAGE_MALFORMED; /* the last part may last until the end */
}

static TccImageFault jpeg2000_size(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width) {
  Codestream s;
  TccImageFault fault = find_codestream(data, bytes, &s);
  if (!fault) fault = read_size(&s);
  if (fault) return fault;
  *out_height = s.height, *out_width = s.width;
  return check_markers(&s);
}

/* ---- a stream in memory ---- */
typedef struct {
  const uint8_t *data;
  size_t bytes, at;
} Source;

static OPJ_SIZE_T read_bytes(void *out, OPJ_SIZE_T count, void *user) {
  Source *s = user;
  size_t left = s->bytes - s->at, n = count < left ? count : left;
  memcpy(out, s->data + s->at, n);
  s->at += n;
  return n ? n : (OPJ_SIZE_T)-1; /* the end */
}

static OPJ_OFF_T skip(OPJ_OFF_T count, void *user) {
  Source *s = user;
  if (count < 0 || (uint64_t)count > s->bytes - s->at) return -1;
  s->at += (size_t)count;
  return count;
}

static OPJ_BOOL seek(OPJ_OFF_T to, void *user) {
  Source *s = user;
  if (to < 0 || (uint64_t)to > s->bytes) return OPJ_FALSE;
  s->at = (size_t)to;
  return OPJ_TRUE;
}

/* ---- pixels ---- */
static uint8_t sample(const opj_image_comp_t *component, size_t place) {
  int64_t most = ((int64_t)1 << component->prec) - 1;
  int64_t value = component->data[place] + (component->sgnd ? (most + 1) / 2 : 0);
  value = value < 0 ? 0 : value > most ? most : value;
  return (uint8_t)(component->prec > 8 ? value >> (component->prec - 8) : (value * 255 + most / 2) / most);
}

/* A palette may have made several components of one. */
static TccImageFault to_rgb(const opj_image_t *image, int64_t height, int64_t width, uint8_t *rgb) {
  if (image->numcomps < 1 || image->numcomps > MOST_COMPONENTS) return TCC_IMAGE_VARIANT;
  if (image->color_space != OPJ_CLRSPC_SRGB && image->color_space != OPJ_CLRSPC_GRAY &&
      image->color_space != OPJ_CLRSPC_UNSPECIFIED && image->color_space != OPJ_CLRSPC_UNKNOWN)
    return TCC_IMAGE_VARIANT;
  for (uint32_t c = 0; c < image->numcomps; c++) {
    const opj_image_comp_t *component = &image->comps[c];
    if (component->w != width || component->h != height || !component->data) return TCC_IMAGE_MALFORMED;
    if (component->prec < 1 || component->prec > MOST_BITS) return TCC_IMAGE_VARIANT;
  }
  size_t pixels = (size_t)(height * width);
  if (image->numcomps < 3)
    for (size_t i = 0; i < pixels; i++) image_put_gray(rgb + i * 3, sample(&image->comps[0], i));
  else
    for (size_t i = 0; i < pixels * 3; i++) rgb[i] = sample(&image->comps[i % 3], i / 3);
  return TCC_IMAGE_RIGHT;
}

static TccImageFault decode_stream(opj_codec_t *codec, opj_stream_t *stream, int64_t height, int64_t width, uint8_t *rgb) {
  opj_dparameters_t parameters;
  opj.opj_set_default_decoder_parameters(&parameters);
  opj_image_t *image = NULL;
  bool read = opj.opj_setup_decoder(codec, &parameters) && opj.opj_read_header(stream, codec, &image) &&
              opj.opj_decode(codec, stream, image) && opj.opj_end_decompress(codec, stream);
  TccImageFault fault = read ? to_rgb(image, height, width, rgb) : TCC_IMAGE_MALFORMED;
  if (image) opj.opj_image_destroy(image);
  return fault;
}

static TccImageFault jpeg2000_decode(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb) {
  Source source = {data, bytes, 0};
  opj_codec_t *codec = opj.opj_create_decompress(is_file(data, bytes) ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
  opj_stream_t *stream = codec ? opj.opj_stream_default_create(OPJ_TRUE) : NULL;
  TccImageFault fault = TCC_IMAGE_MEMORY;
  if (stream) {
    opj.opj_stream_set_user_data(stream, &source, NULL);
    opj.opj_stream_set_user_data_length(stream, bytes);
    opj.opj_stream_set_read_function(stream, read_bytes);
    opj.opj_stream_set_skip_function(stream, skip);
    opj.opj_stream_set_seek_function(stream, seek);
    fault = decode_stream(codec, stream, height, width, rgb);
    opj.opj_stream_destroy(stream);
  }
  if (codec) opj.opj_destroy_codec(codec);
  return fault;
}
#endif

/* A packet without anything new takes a byte; there is one for a precinct. */
const ImageFormat tcc_image_jpeg2000 = {.begins = jpeg2000_begins,
#ifdef TCC_IMAGE_HAS_JPEG2000
                                        .library = &library,
                                        .size = jpeg2000_size,
                                        .decode = jpeg2000_decode,
                                        .most_pixels = 1 << 16
#endif
};
