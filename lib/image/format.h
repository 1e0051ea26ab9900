/* format.h - what each format of images has: how its data begin, its size, its pixels, and the library that reads them. */
#ifndef TCC_LIB_IMAGE_FORMAT_H
#define TCC_LIB_IMAGE_FORMAT_H
#include "tcc/base.h"
#include "tcc/image.h"

/* ---- libraries (library.c) ---- */
typedef struct {
  const char *name;
  void *pointer; /* to the pointer to the function, which has the type that the library's header gives it */
} ImageFunction;

typedef struct {
  const char *file; /* with the version of its interface */
  const ImageFunction *functions;
  size_t count;
  bool loaded;
} ImageLibrary;

/* The library of a format: its file, and as members of `object` the functions of FUNCTIONS(X, object), which a format defines in front of this. */
#define IMAGE_POINTER(object, name) __typeof__(&name) name;
#define IMAGE_FUNCTION(object, name) {#name, &object.name},
#define IMAGE_LIBRARY(object, file)                                                                                                \
  static struct {                                                                                                                  \
    FUNCTIONS(IMAGE_POINTER, object)                                                                                               \
  } object;                                                                                                                        \
  static const ImageFunction functions[] = {FUNCTIONS(IMAGE_FUNCTION, object)};                                                    \
  static ImageLibrary library = {file, functions, sizeof functions / sizeof *functions, false};

/* Whether the functions can be called. Thread-safe; a library that was loaded stays. */
bool tcc_image_library_load(ImageLibrary *library);

/* ---- formats ---- */
typedef struct {
  bool (*begins)(const uint8_t *data, size_t bytes);
  ImageLibrary *library; /* loaded before `size` and `decode` are called; NULL: none is needed */
  /* Any height and width, which the caller checks. NULL: the build had no header of the library. */
  TccImageFault (*size)(const uint8_t *data, size_t bytes, int64_t *out_height, int64_t *out_width);
  /* rgb [height, width, 3], of the size that `size` gave. */
  TccImageFault (*decode)(const uint8_t *data, size_t bytes, int64_t height, int64_t width, uint8_t *rgb);
  int64_t
      most_pixels; /* that a byte of data can stand for: what says to have more is truncated. 0: any number, or `size` looks itself */
} ImageFormat;

extern const ImageFormat tcc_image_bmp, tcc_image_jpeg, tcc_image_jpeg2000, tcc_image_png, tcc_image_pnm, tcc_image_tiff,
    tcc_image_webp;

/* ---- bytes ---- */
#define IMAGE_BEGINS(data, bytes, text) ((bytes) >= sizeof(text) - 1 && !memcmp((data), (text), sizeof(text) - 1))

static inline uint32_t image_le16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t image_le32(const uint8_t *p) { return image_le16(p) | image_le16(p + 2) << 16; }
static inline uint32_t image_be16(const uint8_t *p) { return (uint32_t)p[0] << 8 | (uint32_t)p[1]; }
static inline uint32_t image_be32(const uint8_t *p) { return image_be16(p) << 16 | image_be16(p + 2); }
static inline void image_put_gray(uint8_t *rgb, uint8_t gray) { rgb[0] = rgb[1] = rgb[2] = gray; }
#endif
