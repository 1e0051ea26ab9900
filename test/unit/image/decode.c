/* Images of every format show what was drawn, in RGB, BGR and gray; so do those that are written here, BMP and PNM. */
#include "cases.h"
#include "lib/image/format.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static int failures;

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n"), failures++;
}

/* Whether it shows want [HEIGHT, WIDTH, 3]. */
static bool decodes(const char *name, const uint8_t *data, size_t bytes, const uint8_t *want) {
  int64_t height, width;
  uint8_t rgb[PIXELS * 3], bgr[PIXELS * 3], gray[PIXELS];
  uint8_t *copy = copy_of(data, bytes);
  TccImageFault fault = tcc_image_size(copy, bytes, &height, &width);
  bool ok = !fault && height == HEIGHT && width == WIDTH;
  if (ok) fault = tcc_image_decode(copy, bytes, TCC_PIXEL_RGB, height, width, rgb);
  if (ok && !fault) fault = tcc_image_decode(copy, bytes, TCC_PIXEL_BGR, height, width, bgr);
  if (ok && !fault) fault = tcc_image_decode(copy, bytes, TCC_PIXEL_GRAY, height, width, gray);
  if (ok && !fault && tcc_image_decode(copy, bytes, TCC_PIXEL_GRAY, height, width + 1, gray) != TCC_IMAGE_MALFORMED) ok = false;
  free(copy);
  if (!ok || fault) return printf("%s: fault %d, %d x %d\n", name, fault, (int)height, (int)width), false;
  for (int i = 0; i < PIXELS; i++) {
    const uint8_t *w = want + i * 3, *p = rgb + i * 3, *q = bgr + i * 3;
    uint32_t luma = (19595u * w[0] + 38470u * w[1] + 7471u * w[2] + 32768) >> 16;
    if (p[0] != w[0] || p[1] != w[1] || p[2] != w[2] || q[0] != w[2] || q[1] != w[1] || q[2] != w[0] || gray[i] != luma)
      return printf("%s: at %d, %d: %d %d %d, gray %d; want %d %d %d\n", name, i / WIDTH, i % WIDTH, p[0], p[1], p[2], gray[i],
                    w[0], w[1], w[2]),
             false;
  }
  return true;
}

static void shows(const char *name, const uint8_t *data, size_t bytes, Shown shown, const uint8_t *own) {
  uint8_t want[PIXELS * 3];
  show(shown, own, want);
  if (!decodes(name, data, bytes, want)) failures++;
}

static void refuses(const char *name, const uint8_t *data, size_t bytes, TccImageFault want) {
  int64_t height, width;
  uint8_t out[PIXELS * 3], *copy = copy_of(data, bytes);
  TccImageFault fault = tcc_image_size(copy, bytes, &height, &width);
  if (!fault) fault = tcc_image_decode(copy, bytes, TCC_PIXEL_RGB, height, width, out);
  if (fault != want) fail("%s: fault %d, want %d", name, fault, want);
  free(copy);
}

static void files_show(void) {
  for (int i = 0; i < FILE_CASES; i++) {
    const Case *c = &file_cases[i];
    if (c->shown == NONE) refuses(c->name, c->data, c->bytes, TCC_IMAGE_VARIANT);
    else shows(c->name, c->data, c->bytes, c->shown, c->pixels);
  }
}

/* Threads that see the first images at the same time. */
static void *decode_all(void *out) {
  uint8_t want[PIXELS * 3];
  for (int i = 0; i < FILE_CASES; i++)
    if (file_cases[i].shown != NONE) {
      show(file_cases[i].shown, file_cases[i].pixels, want);
      if (!decodes(file_cases[i].name, file_cases[i].data, file_cases[i].bytes, want)) *(bool *)out = true;
    }
  return NULL;
}

static void threads_agree(void) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  bool failed[THREADS] = {false};
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, decode_all, &failed[i])) abort();
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    if (failed[i]) fail("thread %d failed", i);
  }
}

/* ---- files that are written here ---- */
typedef struct {
  uint8_t data[16384];
  size_t bytes;
} File;

static void put(File *f, uint32_t value, int bytes) { /* little-endian */
  for (; bytes > 0; bytes--, value >>= 8) f->data[f->bytes++] = (uint8_t)value;
}
static void put_text(File *f, const char *text) {
  size_t length = strlen(text);
  memcpy(f->data + f->bytes, text, length), f->bytes += length;
}
static void put_number(File *f, int value, const char *behind) {
  char text[32];
  snprintf(text, sizeof text, "%d%s", value, behind);
  put_text(f, text);
}

typedef struct {
  uint32_t header, bits, compression, masks[3];
  int height; /* negative: from the top */
} Kind;

/* Up to the pixels, with a palette of what `shown` needs. */
static void begin_bmp(File *f, const Kind *kind, Shown shown) {
  *f = (File){0};
  uint32_t entry = kind->header == 12 ? 3 : 4, colors = kind->bits > 8 ? 0 : 1u << kind->bits;
  uint32_t masks = kind->compression == 3 && kind->header == 40 ? 12 : 0;
  put_text(f, "BM"), put(f, 0, 8), put(f, 14 + kind->header + masks + colors * entry, 4), put(f, kind->header, 4);
  if (kind->header == 12) {
    put(f, WIDTH, 2), put(f, (uint32_t)kind->height, 2), put(f, 1, 2), put(f, kind->bits, 2);
  } else {
    put(f, WIDTH, 4), put(f, (uint32_t)kind->height, 4), put(f, 1, 2), put(f, kind->bits, 2), put(f, kind->compression, 4);
    put(f, 0, 20);
    if (kind->compression == 3)
      for (int c = 0; c < 3; c++) put(f, kind->masks[c], 4);
    while (f->bytes < 14 + kind->header) put(f, 0, 1);
  }
  for (uint32_t i = 0; i < colors; i++) {
    uint8_t rgb[3] = {0};
    if (shown == PALETTE) palette_at((int)i & 15, rgb);
    else if (shown == GRAYS) memset(rgb, (int)i, 3);
    else memset(rgb, i ? 255 : 0, 3);
    put(f, rgb[2], 1), put(f, rgb[1], 1), put(f, rgb[0], 1), put(f, 0xaa, (int)entry - 3);
  }
}

/* The row of the image that is in place y of the file. */
static int row_at(const Kind *kind, int y) { return kind->height < 0 ? y : HEIGHT - 1 - y; }

static uint32_t index_of(Shown shown, int y, int x) {
  return shown == BITS ? bit_at(y, x) : shown == GRAYS ? gray_at(y, x) : index_at(y, x);
}

static void bmp_of_indices(uint32_t header, uint32_t bits, int height, Shown shown) {
  static File f;
  char name[64];
  Kind kind = {.header = header, .bits = bits, .height = height};
  begin_bmp(&f, &kind, shown);
  for (int y = 0; y < HEIGHT; y++) {
    uint8_t row[16] = {0};
    for (uint32_t x = 0; x < WIDTH; x++)
      row[x * bits / 8] |= (uint8_t)(index_of(shown, row_at(&kind, y), (int)x) << (8 - bits - x * bits % 8));
    for (uint32_t i = 0; i < (WIDTH * bits + 31) / 32 * 4; i++) put(&f, row[i], 1);
  }
  snprintf(name, sizeof name, "BMP with a header of %u, %u bits, height %d", header, bits, height);
  shows(name, f.data, f.bytes, shown, NULL);
  memset(f.data + 10, 0, 4); /* the place of the pixels may be left out */
  shows(name, f.data, f.bytes, shown, NULL);
  refuses(name, f.data, f.bytes - 4, TCC_IMAGE_MALFORMED);
}

static void bmp_of_samples(Kind kind) {
  static File f;
  char name[64];
  uint8_t want[PIXELS * 3], *to = want;
  static const uint32_t plain[2][3] = {{0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}};
  const uint32_t *masks = kind.compression == 3 ? kind.masks : plain[kind.bits > 16];
  begin_bmp(&f, &kind, COLORS);
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      uint8_t rgb[3];
      uint32_t pixel = kind.bits == 32 ? ~(masks[0] | masks[1] | masks[2]) : 0; /* what no mask has is left out */
      color_at(row_at(&kind, y), x, rgb);
      for (int c = 0; c < 3; c++) {
        uint32_t bits = (uint32_t)__builtin_popcount(masks[c]),
                 value = bits < 8 ? (uint32_t)rgb[c] >> (8 - bits) : (uint32_t)rgb[c] << (bits - 8);
        pixel |= value << __builtin_ctz(masks[c]);
      }
      put(&f, pixel, (int)kind.bits / 8);
    }
    put(&f, 0, (int)(4 - WIDTH * kind.bits / 8 % 4) % 4);
  }
  for (int i = 0; i < PIXELS; i++)
    for (int c = 0; c < 3; c++) {
      uint8_t rgb[3];
      uint32_t bits = (uint32_t)__builtin_popcount(masks[c]);
      color_at(i / WIDTH, i % WIDTH, rgb);
      *to++ = bits < 8 ? (uint8_t)((rgb[c] >> (8 - bits)) * 255u / ((1u << bits) - 1)) : rgb[c];
    }
  snprintf(name, sizeof name, "BMP of %u bits, masks %x, header of %u", kind.bits, masks[0], kind.header);
  if (!decodes(name, f.data, f.bytes, want)) failures++;
}

/* Runs, pixels that are no run, steps over what has index 0, and an end. */
static void bmp_of_runs(uint32_t bits) {
  static File f;
  uint8_t want[PIXELS * 3], zero[3], one[3], nine[3];
  bool whole = bits == 8;
  Kind kind = {.header = 40, .bits = bits, .compression = whole ? 1 : 2, .height = HEIGHT};
  begin_bmp(&f, &kind, PALETTE);
  size_t begin = f.bytes;
  palette_at(0, zero), palette_at(1, one), palette_at(9, nine);
  for (int i = 0; i < PIXELS; i++) memcpy(want + i * 3, zero, 3);
  for (int x = 0; x < WIDTH; x++) memcpy(want + ((HEIGHT - 1) * WIDTH + x) * 3, whole || x % 2 == 0 ? nine : one, 3);
  put(&f, WIDTH, 1), put(&f, whole ? 9 : 0x91, 1), put(&f, 0, 2); /* a row */
  put(&f, 0, 1), put(&f, 2, 1), put(&f, 4, 1), put(&f, 1, 1);     /* 4 to the right, 1 up */
  put(&f, 0, 1), put(&f, 5, 1);                                   /* five pixels */
  for (int i = 0; i < 5; i++) memcpy(want + ((HEIGHT - 3) * WIDTH + 4 + i) * 3, i % 2 ? one : nine, 3);
  if (whole) put(&f, 0x01090109, 4), put(&f, 9, 2);
  else put(&f, 0x9191, 2), put(&f, 0x90, 2);
  put(&f, 200, 1), put(&f, whole ? 1 : 0x11, 1); /* more than the row has */
  for (int x = 9; x < WIDTH; x++) memcpy(want + ((HEIGHT - 3) * WIDTH + x) * 3, one, 3);
  put(&f, 0, 1), put(&f, 2, 1), put(&f, 0, 1), put(&f, HEIGHT - 3, 1), put(&f, 0, 1), put(&f, 1, 1); /* to the last row, the end */
  if (!decodes("BMP of runs", f.data, f.bytes, want)) failures++;
  for (size_t bytes = begin; bytes < f.bytes; bytes++) refuses("runs that are cut off", f.data, bytes, TCC_IMAGE_MALFORMED);
  f.data[f.bytes - 3]--; /* a row too few */
  refuses("runs that end too early", f.data, f.bytes, TCC_IMAGE_MALFORMED);
}

static void bitmaps(void) {
  for (int down = 0; down < 2; down++)
    for (int header = 0; header < 3; header++) {
      const uint32_t headers[] = {40, 12, 124};
      int height = down ? -HEIGHT : HEIGHT;
      if (headers[header] == 12 && down) continue;
      bmp_of_indices(headers[header], 1, height, BITS);
      bmp_of_indices(headers[header], 4, height, PALETTE);
      bmp_of_indices(headers[header], 8, height, GRAYS);
      for (uint32_t bits = 16; bits <= 32; bits += 8)
        bmp_of_samples((Kind){.header = headers[header], .bits = bits, .height = height});
    }
  bmp_of_samples((Kind){40, 16, 3, {0xf800, 0x7e0, 0x1f}, HEIGHT});
  bmp_of_samples((Kind){108, 32, 3, {0xff, 0xff00, 0xff0000}, HEIGHT});
  bmp_of_samples((Kind){56, 32, 3, {0xff000000, 0xff00, 0xff}, -HEIGHT});
  bmp_of_samples((Kind){40, 32, 3, {0x3ff00000, 0xffc00, 0x3ff}, HEIGHT});
  bmp_of_runs(8);
  bmp_of_runs(4);
}

static void maps_of_bits(void) {
  static File plain, raw;
  plain = raw = (File){0};
  put_text(&plain, "P1 # one\n13 9\n"), put_text(&raw, "P4\n13 9\n");
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) put_text(&plain, bit_at(y, x) ? "0" : x == 5 ? "# 0\n1 " : "1");
    for (int byte = 0; byte < 2; byte++) {
      uint32_t bits = 0;
      for (int x = byte * 8; x < byte * 8 + 8; x++) bits = bits << 1 | (x < WIDTH && !bit_at(y, x));
      put(&raw, bits, 1);
    }
  }
  shows("P1", plain.data, plain.bytes, BITS, NULL);
  shows("P4", raw.data, raw.bytes, BITS, NULL);
  refuses("P1, cut off", plain.data, plain.bytes - 1, TCC_IMAGE_MALFORMED);
  refuses("P4, cut off", raw.data, raw.bytes - 1, TCC_IMAGE_MALFORMED);
}

/* Samples that stand for rounding by maxval: Pillow's pixels of such files, which rounds halves to even. */
static void maps_of_samples(void) {
  static const struct {
    int maxval, value, want;
  } rounded[] = {{255, 77, 77}, {1, 1, 255}, {2, 1, 128},       {10, 1, 26},         {10, 3, 76},
                 {10, 10, 255}, {100, 1, 3}, {4095, 2048, 128}, {65535, 65535, 255}, {65535, 129, 1}};
  for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
    for (int kind = 2; kind <= 6; kind++) {
      if (kind == 4) continue;
      static File f;
      uint8_t want[PIXELS * 3];
      char name[64];
      f = (File){0};
      put_text(&f, "P"), put_number(&f, kind, "\n# a comment\n"), put_number(&f, WIDTH, " "), put_number(&f, HEIGHT, "\n");
      put_number(&f, rounded[i].maxval, "\n");
      for (int n = 0; n < PIXELS * (kind % 3 ? 1 : 3); n++) {
        int value = n % 2 ? rounded[i].value : 0;
        if (kind < 4) put_number(&f, value, n % 7 ? " " : "#c\n");
        else if (rounded[i].maxval > 255) put(&f, (uint32_t)(value >> 8 | (value & 255) << 8), 2);
        else put(&f, (uint32_t)value, 1);
      }
      for (int n = 0; n < PIXELS * 3; n++) want[n] = (uint8_t)((kind % 3 ? n / 3 : n) % 2 ? rounded[i].want : 0);
      snprintf(name, sizeof name, "P%d, maxval %d", kind, rounded[i].maxval);
      if (!decodes(name, f.data, f.bytes, want)) failures++;
    }
}

static void refused(void) {
#define REFUSES(text, fault) refuses(text, (const uint8_t *)(text), sizeof(text) - 1, fault)
  REFUSES("", TCC_IMAGE_FORMAT);
  REFUSES("GIF89a", TCC_IMAGE_FORMAT);
  REFUSES("P8\n1 1\n255\n0", TCC_IMAGE_FORMAT);
  REFUSES("P7\nWIDTH 1\n", TCC_IMAGE_VARIANT);
  REFUSES("P2\n1 1\n255\n256\n", TCC_IMAGE_MALFORMED);
  REFUSES("P2\n1 1\n0\n0\n", TCC_IMAGE_MALFORMED);
  REFUSES("P2\n1 1\n65536\n0\n", TCC_IMAGE_MALFORMED);
  REFUSES("P5\n1 -1\n255\n00", TCC_IMAGE_MALFORMED);
  REFUSES("P5\n65536 1\n255\n0", TCC_IMAGE_SIZE);
  REFUSES("P5\n1 65536\n255\n0", TCC_IMAGE_SIZE);
  REFUSES("P5\n0 1\n255\n0", TCC_IMAGE_MALFORMED);
  uint8_t changed[1024]; /* a component of a JPEG 2000 that has half the rows; ISO/IEC 15444-1, A.5.1 */
  memcpy(changed, j2k_rgba_tiles, sizeof j2k_rgba_tiles);
  changed[42 + 2] = 2;
  refuses("a smaller component", changed, sizeof j2k_rgba_tiles, TCC_IMAGE_VARIANT);
}

static void libraries(void) {
  void (*pointer)(void) = NULL;
  const ImageFunction known = {"cos", &pointer}, unknown = {"tcc_no_such_function", &pointer};
  ImageLibrary none = {"libtcc-none.so.0", &known, 1, false}, other = {"libm.so.6", &unknown, 1, false},
               right = {"libm.so.6", &known, 1, false};
  if (tcc_image_library_load(&none)) fail("a library that is not there was loaded");
  if (tcc_image_library_load(&other)) fail("a library that lacks a function was loaded");
  if (!tcc_image_library_load(&right) || !pointer) fail("libm was not loaded");
}

int main(void) {
  threads_agree();
  files_show();
  bitmaps();
  maps_of_bits();
  maps_of_samples();
  refused();
  libraries();
  return failures != 0;
}
