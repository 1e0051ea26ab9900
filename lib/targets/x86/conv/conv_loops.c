/* conv_loops.c - the loops around a convolution's tiles: machine code of this build, which goes into artifacts as it is.
 *
 * What differs between layers stands in a table of numbers and in pointers to microkernels, so that one function serves all of them
 * and LLVM need not compile it for each model: that took 10 ms, three times in MobileNetV3. The function has a section of its own
 * (loops.h), calls nothing but what it is given and reads no constant from elsewhere: it runs wherever it is copied to. Strides of
 * the result and of leaves are in bytes: their types are not known here. Divisions stand outside of the loop over tiles. */
#include "lib/targets/x86/code/loops.h"
#include "lib/targets/x86/conv/conv_table.h"
#include <stdarg.h>

typedef struct {
  const int64_t *at;    /* the driver's sizes */
  const int64_t *table; /* all of them, for tiles */
  int64_t images;
  const float *x, *w, *bias;
  float *scratch;
  char *const *micro;
  int64_t copies; /* TCC_CONV_... */
  int64_t cut;    /* TCC_CONV_FIXED ... */
  int ntensors;
  char *tensor[TCC_CONV_TENSORS];
} Loops;

typedef struct {
  int64_t image, first_row, last_row, panel, first_panel, depth_from;
  int64_t from, to; /* columns */
} Work;

/* What the tiles of one row share. */
typedef struct {
  const float *x, *w, *start;
  float *sums;
  int64_t t0, t1, depth, flags, prefetch, all, shift; /* shift: of the window's columns */
  const float *later; /* plain: rows of the image that the next copy reads, a share of each channel's a tile; or NULL */
  char *result[TCC_CONV_TENSORS];
} Row;

#define TENSORS_2(p) p[0], p[1]
#define TENSORS_13(p) p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12]
typedef void Tile2(const float *, const float *, const float *, float *, int64_t, int64_t, int64_t, int64_t, int64_t, const float *,
                   const int64_t *, int64_t, char *, char *);
typedef void Tile13(const float *, const float *, const float *, float *, int64_t, int64_t, int64_t, int64_t, int64_t,
                    const float *, const int64_t *, int64_t, char *, char *, char *, char *, char *, char *, char *, char *, char *,
                    char *, char *, char *, char *);
_Static_assert(TCC_CONV_TENSORS == 13, "as many as Tile13 takes");

/* a / b and a % b by branches that a layer always takes alike where it can: most divisors are 1 or larger than all that is
 * divided, and a division takes as long as eighty multiply-adds. */
TCC_LOOPS_INLINE int64_t quotient(int64_t a, int64_t b, int64_t *rest) {
  int64_t q = (uint64_t)a < (uint64_t)b ? 0 : b == 1 ? a : (int64_t)((uint64_t)a / (uint64_t)b);
  *rest = a - q * b;
  return q;
}

TCC_LOOPS_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
TCC_LOOPS_INLINE int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Rows of the window that lie in the image, where its first row is image row `top`. */
TCC_LOOPS_INLINE void rows_inside(const Loops *l, int64_t top, int64_t *t0, int64_t *t1) {
  int64_t step = l->at[DILATION_H], rest;
  *t0 = quotient(larger(-top, 0) + step - 1, step, &rest);
  *t1 = smaller(quotient(larger(l->at[IN_H] - top, 0) + step - 1, step, &rest), l->at[KERNEL_H]);
}

/* A tile's share of what it takes as many pixels to read later. */
TCC_LOOPS_INLINE void prefetch_image(const int64_t *d, const float *rows, int64_t at, int64_t pixels) {
  for (int64_t channel = 0; channel < d[CHANNELS]; channel++)
    for (int64_t row = 0; row < d[STRIDE_H]; row++) {
      const char *from = (const char *)(rows + channel * d[COPY_BLOCK] + row * d[COPY_ROW] + at * d[STRIDE_W]);
      for (int64_t i = 0; i < pixels * d[STRIDE_W] * (int64_t)sizeof(float); i += TCC_CONV_LINE * (int64_t)sizeof(float))
        __builtin_prefetch(from + i, 0, 2);
    }
}

/* So many tiles from output column `at` on; their sums wait from column `kept_at` on. *prefetch moves on. Tiles of fewer tensors than they are
 * given do not look at the others. */
TCC_LOOPS_INLINE void run_tiles(const Loops *l, const Row *r, const char *micro, int64_t at, int64_t kept_at, int64_t tiles,
                                int64_t *prefetch) {
  const int64_t *d = l->at;
  int64_t column = at * d[STRIDE_W] - d[PAD_W] + r->shift;
  const float *next = r->w + (*prefetch < r->all ? *prefetch + r->all : 0); /* tiles take turns with the next block of weights */
  float *kept = r->sums + kept_at * d[COLUMNS];
  char *to[TCC_CONV_TENSORS];
  to[0] = r->result[0] + at * d[TENSORS + T_PIXEL],
  to[1] = l->ntensors > 1 ? r->result[1] + at * d[TENSORS + T_COUNT + T_PIXEL] : NULL;
  if (l->ntensors <= 2) {
    ((Tile2 *)(uintptr_t)micro)(r->x + column * d[X_PIXEL], r->w, r->start, kept, r->t0, r->t1, column, r->depth, r->flags, next,
                                l->table, tiles, TENSORS_2(to));
  } else {
    for (int i = 2; i < TCC_CONV_TENSORS; i++)
      to[i] = i < l->ntensors ? r->result[i] + at * d[TENSORS + T_COUNT * i + T_PIXEL] : NULL;
    ((Tile13 *)(uintptr_t)micro)(r->x + column * d[X_PIXEL], r->w, r->start, kept, r->t0, r->t1, column, r->depth, r->flags, next,
                                 l->table, tiles, TENSORS_13(to));
  }
  *prefetch += r->prefetch * tiles;
}

/* A static row is one tile, or has two groups of tiles whose sizes differ by one. So has a dynamic one, whose last tile ends with the row and may compute some pixels again, or
 * single pixels if it is narrower than a tile; or it has whole tiles, then, where what is left is too much for smaller ones, one that ends with the row; parts, the last of which
 * does the same; single pixels in rows that are narrower than that. */
TCC_LOOPS_INLINE void run_row(const Loops *l, const Row *r, int64_t prefetch, int64_t from, int64_t to) {
  const int64_t *d = l->at;
  int64_t width = d[WIDTH];
  for (int64_t at = from, size; at < to; at += size) {
    int64_t left = width - at;
    int g = at >= d[END];
    if (l->cut == TCC_CONV_EVEN && width < d[PIXELS + 1]) g = 2;
    if (l->cut == TCC_CONV_RESTS)
      g = (left >= d[PIXELS] || left > d[MOST_REST]) && width >= d[PIXELS] ? 0 : left > 1 && width >= d[PIXELS + 1] ? 1 : 2;
    size = d[PIXELS + g];
    int64_t end = smaller(g == 0 && l->cut != TCC_CONV_RESTS ? smaller(d[END], to) : to, width), tiles = 1, rest;
    if (d[RUNS] && end - at >= 2 * size) tiles = quotient(end - at, size, &rest);
    if (r->later) prefetch_image(d, r->later, at, tiles * size);
    run_tiles(l, r, l->micro[g], smaller(at, width - size), at, tiles, &prefetch);
    size *= tiles;
  }
}

/* The tiles of some rows, one panel and some blocks of depth. */
TCC_LOOPS_INLINE void run_rows(const Loops *l, const Work *t) {
  const int64_t *d = l->at;
  int64_t panel, phase_pixel, rest;
  int64_t group = quotient(t->panel, d[PANELS_OF_GROUP], &rest), phase = quotient(t->panel, d[PANELS_OF_PHASE], &panel),
          phase_row = quotient(phase, d[PHASES_W], &phase_pixel), shift = phase_row >= d[SHIFT_H];
  Row r = {.w = l->w + t->panel * d[W_PANEL] + t->depth_from * d[W_BLOCK],
           .start = l->bias + panel * d[BIAS_PANEL],
           .t1 = d[KERNEL_H],
           .shift = phase_pixel >= d[SHIFT_W]};
  int64_t depth = smaller(d[BLOCKS] - t->depth_from, d[DEPTH_BLOCKS]);
  r.flags = 16 * smaller(d[OUT_BLOCKS] - panel * d[VECTORS], d[VECTORS]) + (t->depth_from == 0 ? 0 : 1) +
            (t->depth_from + depth == d[BLOCKS] ? 4 : 2);
  r.prefetch = depth * d[PREFETCH_TILE], r.all = depth * d[W_BLOCK];
  const float *x =
      (l->copies ? l->scratch : l->x + t->image * d[X_IMAGE]) + (group * d[BLOCKS_OF_GROUP] + t->depth_from) * d[X_BLOCK];
  int64_t offset[TCC_CONV_TENSORS];
  for (int i = 0; i < l->ntensors; i++) {
    const int64_t *of = d + TENSORS + T_COUNT * i;
    offset[i] = t->image * of[T_IMAGE] + panel * of[T_PANEL] + phase_row * of[T_PHASE_ROW] + phase_pixel * of[T_PHASE_PIXEL];
  }
  int64_t high = d[TILE_HIGH], tiles = 0; /* tiles: rows of them */
  for (int64_t row = t->first_row; row < t->last_row; row += high, tiles++) {
    int64_t row_in_work = row - t->first_row, top = row * d[STRIDE_H] - d[PAD_H] + shift;
    r.depth = depth;
    if (l->copies) {
      if (l->copies != TCC_CONV_PLAIN) r.t1 = smaller(t->last_row - row, high);
      r.later = l->copies == TCC_CONV_PLAIN && row + d[ROWS] < d[OUT_H] && t->panel == t->first_panel
                    ? l->x + t->image * d[X_IMAGE] + (row + d[ROWS]) * d[STRIDE_H] * d[COPY_ROW]
                    : NULL;
    } else {
      rows_inside(l, top, &r.t0, &r.t1);
      if (r.t0 >= r.t1) r.depth = 0; /* in the padding alone: tiles of windows of one row do not look at t0 and t1 */
    }
    r.x = x + (l->copies ? row_in_work * d[STRIDE_H] : top) * d[X_ROW];
    r.sums = l->scratch + row_in_work * d[SUMS_WIDTH] * d[COLUMNS];
    for (int i = 0; i < l->ntensors; i++) r.result[i] = l->tensor[i] + offset[i] + row * d[TENSORS + T_COUNT * i + T_ROW];
    run_row(l, &r, tiles * depth * d[PREFETCH_ROW], t->from, t->to);
  }
}

/* The column where tile `tile` of a row begins, or the row ends. */
TCC_LOOPS_INLINE int64_t column_of(const Loops *l, int64_t tile) {
  const int64_t *d = l->at;
  int64_t rest, wide = l->cut == TCC_CONV_RESTS ? tile : quotient(d[END], d[PIXELS], &rest);
  return smaller(tile <= wide ? tile * d[PIXELS] : d[END] + (tile - wide) * d[PIXELS + 1], d[WIDTH]);
}

/* ---- the copy of an image of words whose blocks of channels are joined ---- */

/* Sixteen bytes: a pixel's channels of a block, half of them of bf16. */
typedef char Lanes __attribute__((vector_size(16), aligned(1), may_alias));
enum { MOST_JOINED = 4, MOST_PAIRED = 2, FLOATS = sizeof(Lanes) / sizeof(float) };

/* Pixels `step` apart of whole joined blocks of bytes, of bf16; source, and the blocks' distance, in sixteen bytes. */
TCC_LOOPS_INLINE Lanes *copy_four_blocks(Lanes *at, const Lanes *source, int64_t block, int64_t step, int64_t width) {
  for (int64_t p = 0; p < width; p++, source += step, at += MOST_JOINED) {
    Lanes a = source[0], b = source[block], c = source[2 * block], e = source[3 * block];
    at[0] = a, at[1] = b, at[2] = c, at[3] = e;
  }
  return at;
}

TCC_LOOPS_INLINE Lanes *copy_two_blocks(Lanes *at, const Lanes *source, int64_t block, int64_t step, int64_t width) {
  for (int64_t p = 0; p < width; p++, source += 2 * step, at += 2 * MOST_PAIRED) {
    Lanes a = source[0], b = source[1], c = source[block], e = source[block + 1];
    at[0] = a, at[1] = b, at[2] = c, at[3] = e;
  }
  return at;
}

/* The last blocks of bf16: zeros behind the image's channels, for what is there may be no number, times a weight of 0. rest: channels of the last block, 0: all. */
TCC_LOOPS_INLINE Lanes *copy_last_blocks(Lanes *at, const Lanes *source, int64_t block, int64_t step, int64_t width, int64_t blocks,
                                         int64_t joined, int64_t rest) {
  Lanes mask[2];
  for (int i = 0; i < 32; i++) ((char *)mask)[i] = !rest || i < 2 * rest ? -1 : 0;
  for (int64_t p = 0; p < width; p++, source += 2 * step, at += 2 * joined) {
    if (blocks == MOST_PAIRED) at[0] = source[0], at[1] = source[1];
    const Lanes *last = source + (blocks - 1) * block;
    at[2 * blocks - 2] = last[0] & mask[0], at[2 * blocks - 1] = last[1] & mask[1];
    if (blocks < joined) at[2] = at[3] = (Lanes){0};
  }
  return at;
}

/* One row of one joined block; source: of its first block, or NULL above and below the image; rest: channels of its last block, 0 of others. */
TCC_LOOPS_INLINE void copy_joined_row(const Loops *l, Lanes *to, const Lanes *source, int64_t blocks, int64_t rest) {
  const int64_t *d = l->at;
  int64_t pairs = l->copies == TCC_CONV_JOINED_PAIRS, joined = d[JOINED], pixel = joined << pairs, lead = d[COPY_LEAD],
          block = d[COPY_BLOCK] / FLOATS, all = d[X_ROW] / FLOATS, step = d[COPY_STEP_W], none,
          by = pairs ? step : step * d[COPY_PIXEL];
  int64_t width = source ? smaller(quotient(l->table[TCC_CONV_SIZE_WIDTH] + step - 1, step, &none), d[COPY_WIDTH] - lead) : 0;
  Lanes *at = to + (source ? lead : 0) * pixel;
  for (Lanes *zero = to; zero < at; zero++) *zero = (Lanes){0};
  if (blocks == MOST_JOINED) {
    at = copy_four_blocks(at, source, block, by, width);
  } else if (pairs && blocks == MOST_PAIRED && !rest) {
    at = copy_two_blocks(at, source, block, step, width);
  } else if (pairs) {
    at = copy_last_blocks(at, source, block, step, width, blocks, joined, rest);
  } else {
    for (int64_t p = 0; p < width; p++, source += by, at += joined)
      for (int64_t k = 0; k < blocks; k++) at[k] = source[k * block];
  }
  for (; at < to + all; at++) *at = (Lanes){0};
}

/* What rows first_row, first_row + 1, ... < last_row of the result read. Of bytes, lanes of blocks that the image has not are whatever was there: weights
 * are 0 there. */
TCC_LOOPS_INLINE void copy_joined(const Loops *l, const Work *t) {
  const int64_t *d = l->at;
  const float *image = l->x + t->image * d[X_IMAGE];
  int64_t first = t->first_row * d[STRIDE_H] * d[COPY_STEP_H] - d[PAD_H],
          rows = (t->last_row - t->first_row - 1) * d[STRIDE_H] + (d[KERNEL_H] - 1) * d[DILATION_H] + 1;
  for (int64_t b = 0; b < d[BLOCKS]; b++)
    for (int64_t row = 0; row < rows; row++) {
      int64_t at = first + row * d[COPY_STEP_H];
      bool inside = (uint64_t)at < (uint64_t)d[IN_H];
      const float *from = image + b * d[JOINED] * d[COPY_BLOCK] + at * d[COPY_ROW];
      copy_joined_row(l, (Lanes *)(l->scratch + b * d[X_BLOCK] + row * d[X_ROW]), inside ? (const Lanes *)from : NULL,
                      smaller(d[CHANNELS] - b * d[JOINED], d[JOINED]), b + 1 == d[BLOCKS] ? d[COPY_REST] : 0);
    }
}

/* Elements of a and b in turn: of their lower halves, of their upper ones. */
#define LOW_BYTES(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_PAIRS(a, b) __builtin_shufflevector((Pairs)(a), (Pairs)(b), 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_PAIRS(a, b) __builtin_shufflevector((Pairs)(a), (Pairs)(b), 4, 12, 5, 13, 6, 14, 7, 15)

/* Sixteen pixels of up to four channels, side by side. */
TCC_LOOPS_INLINE void copy_sixteen(int *to, const char *const *from, int64_t at) {
  typedef short Pairs __attribute__((vector_size(16), aligned(1), may_alias));
  Lanes c[4];
  for (int i = 0; i < 4; i++) c[i] = from[i] ? *(const Lanes *)(from[i] + at) : (Lanes){0};
  Lanes low[] = {LOW_BYTES(c[0], c[1]), LOW_BYTES(c[2], c[3])}, high[] = {HIGH_BYTES(c[0], c[1]), HIGH_BYTES(c[2], c[3])};
  Pairs *pixels = (Pairs *)to;
  pixels[0] = LOW_PAIRS(low[0], low[1]), pixels[1] = HIGH_PAIRS(low[0], low[1]);
  pixels[2] = LOW_PAIRS(high[0], high[1]), pixels[3] = HIGH_PAIRS(high[0], high[1]);
}

/* The same of a plain image, whose pixels become words. */
TCC_LOOPS_INLINE void copy_fours(const Loops *l, const Work *t) {
  const int64_t *d = l->at;
  const char *image = (const char *)l->x + t->image * d[X_IMAGE];
  int64_t width = smaller(l->table[TCC_CONV_SIZE_WIDTH], d[COPY_WIDTH] - d[COPY_LEAD]),
          first = t->first_row * d[STRIDE_H] - d[PAD_H],
          rows = (t->last_row - t->first_row - 1) * d[STRIDE_H] + (d[KERNEL_H] - 1) * d[DILATION_H] + 1;
  for (int64_t row = 0; row < rows; row++) {
    int *at = (int *)(l->scratch + row * d[X_ROW]), *end = at + d[COPY_WIDTH];
    const char *from[4] = {0};
    bool inside = (uint64_t)(first + row) < (uint64_t)d[IN_H];
    for (int64_t c = 0; c < d[CHANNELS]; c++) from[c] = image + c * d[COPY_BLOCK] + (first + row) * d[COPY_ROW];
    for (int64_t i = 0; i < (inside ? d[COPY_LEAD] : 0); i++) *at++ = 0;
    int64_t p = 0;
    for (; inside && p + 16 <= width; p += 16, at += 16) copy_sixteen(at, from, p);
    for (; inside && p < width; p++, at++) {
      unsigned word = 0;
      for (int c = 0; c < 4; c++) word |= (unsigned)(from[c] ? (unsigned char)from[c][p] : 0) << 8 * c;
      *at = (int)word;
    }
    while (at < end) *at++ = 0;
  }
}

/* Channels of one pixel of bf16 in one or two words. */
TCC_LOOPS_INLINE void copy_pixel(unsigned *to, const unsigned short *const *from, int64_t at, int64_t words) {
  for (int64_t i = 0; i < words; i++)
    to[i] = (unsigned)from[2 * i][at] | (from[2 * i + 1] ? (unsigned)from[2 * i + 1][at] << 16 : 0);
}

/* Eight pixels of three or four channels of bf16, side by side. */
TCC_LOOPS_INLINE void copy_eight(unsigned *to, const unsigned short *const *from, int64_t at) {
  typedef short Eight __attribute__((vector_size(16), aligned(1), may_alias));
  typedef int Words __attribute__((vector_size(16), aligned(1), may_alias));
  Eight c[4];
  for (int i = 0; i < 4; i++) c[i] = from[i] ? *(const Eight *)(from[i] + at) : (Eight){0};
  for (int half = 0; half < 2; half++) {
    Words a = half ? (Words)__builtin_shufflevector(c[0], c[1], 4, 12, 5, 13, 6, 14, 7, 15)
                   : (Words)__builtin_shufflevector(c[0], c[1], 0, 8, 1, 9, 2, 10, 3, 11),
          b = half ? (Words)__builtin_shufflevector(c[2], c[3], 4, 12, 5, 13, 6, 14, 7, 15)
                   : (Words)__builtin_shufflevector(c[2], c[3], 0, 8, 1, 9, 2, 10, 3, 11);
    Words *pixels = (Words *)to + 2 * half;
    pixels[0] = __builtin_shufflevector(a, b, 0, 4, 1, 5), pixels[1] = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  }
}

/* The same of bf16: a pixel is one word, or two where there are more than two channels. */
TCC_LOOPS_INLINE void copy_pairs(const Loops *l, const Work *t) {
  const int64_t *d = l->at;
  const char *image = (const char *)l->x + t->image * d[X_IMAGE];
  int64_t words = d[X_PIXEL], width = smaller(l->table[TCC_CONV_SIZE_WIDTH], d[COPY_WIDTH] - d[COPY_LEAD]),
          first = t->first_row * d[STRIDE_H] - d[PAD_H],
          rows = (t->last_row - t->first_row - 1) * d[STRIDE_H] + (d[KERNEL_H] - 1) * d[DILATION_H] + 1;
  for (int64_t row = 0; row < rows; row++) {
    unsigned *at = (unsigned *)(l->scratch + row * d[X_ROW]), *end = at + d[COPY_WIDTH] * words;
    const unsigned short *from[4] = {0};
    bool inside = (uint64_t)(first + row) < (uint64_t)d[IN_H];
    for (int64_t c = 0; c < d[CHANNELS]; c++)
      from[c] = (const unsigned short *)(image + c * d[COPY_BLOCK] + (first + row) * d[COPY_ROW]);
    for (int64_t i = 0; i < (inside ? d[COPY_LEAD] * words : 0); i++) *at++ = 0;
    int64_t p = 0;
    for (; inside && words == 2 && p + 8 <= width; p += 8, at += 16) copy_eight(at, from, p);
    for (; inside && p < width; p++, at += words) copy_pixel(at, from, p, words);
    while (at < end) *at++ = 0;
  }
}

TCC_LOOPS_INLINE void run(const Loops *l, int64_t begin, int64_t end, TccConvCopy *copy) {
  const int64_t *d = l->at;
  int64_t height = d[HEIGHT];
  Work copied = {.image = -1};
  for (int64_t work = begin / height, last = (end + height - 1) / height; work < last; work++) {
    int64_t of_image = work, of_panel = d[BY_PANEL] ? quotient(work, l->images, &of_image) : 0, start = work * height;
    Work t = {.image = of_image, .first_panel = of_panel, .to = d[WIDTH]};
    int64_t last_panel = d[BY_PANEL] ? of_panel + 1 : d[PANELS];
    int64_t first = larger(begin - start, 0) * d[TILE_ROWS], stop = smaller(smaller(end - start, height) * d[TILE_ROWS], d[OUT_H]);
    if (d[SHARE]) {
      t.from = column_of(l, larger(begin - start, 0) * d[SHARE]), t.to = column_of(l, smaller(end - start, height) * d[SHARE]);
      first = 0, stop = 1;
    }
    for (int64_t rows = first; rows < stop; rows += d[ROWS]) {
      t.first_row = rows, t.last_row = smaller(rows + d[ROWS], stop);
      if (l->copies == TCC_CONV_PLAIN) copy(l->scratch, l->x + t.image * d[X_IMAGE], rows * d[STRIDE_H] - d[PAD_H], l->table);
      bool again = copied.image == t.image && copied.first_row == rows && copied.last_row == t.last_row; /* for another panel */
      bool joins = l->copies == TCC_CONV_JOINED || l->copies == TCC_CONV_JOINED_PAIRS;
      if (joins && !again) copy_joined(l, &t), copied = t;
      if (l->copies == TCC_CONV_FOURS && !again) copy_fours(l, &t), copied = t;
      if (l->copies == TCC_CONV_PAIRS && !again) copy_pairs(l, &t), copied = t;
      for (t.panel = t.first_panel; t.panel < last_panel; t.panel++)
        for (t.depth_from = 0; t.depth_from < d[BLOCKS]; t.depth_from += d[DEPTH_BLOCKS]) run_rows(l, &t);
    }
  }
}

TCC_LOOPS_CODE("tcc_conv_loops")
static void conv_loops(int64_t begin, int64_t end, int64_t images, const float *x, const float *w, const float *bias,
                       float *scratch, const int64_t *table, char *tile0, char *tile1, char *tile2, TccConvCopy *copy, ...) {
  char *const micro[TCC_CONV_GROUPS] = {tile0, tile1, tile2};
  const int64_t *d = table + TCC_CONV_DRIVER;
  Loops l = {d, table, images, x, w, bias, scratch, micro, d[COPIES], d[DYNAMIC], (int)d[NTENSORS], {0}};
  va_list tensors;
  va_start(tensors, copy);
  for (int i = 0; i < l.ntensors; i++) l.tensor[i] = va_arg(tensors, char *);
  va_end(tensors);
  run(&l, begin, end, copy);
}

TCC_LOOPS_BYTES(tcc_conv_loops, conv_loops)

/* ---- several convolutions, depth first: see conv_depth_first.c ---- */

typedef struct {
  Loops l;
  TccConvCopy *copy;
  char *micro[TCC_CONV_GROUPS];
  int64_t first, last; /* rows of its result that this strip computes */
  float *buffer;       /* of a result that the next stage reads: rows first_kept, first_kept + 1, ... < kept are there */
  int64_t first_kept, kept;
} Stage;

/* The rows of stage i's operand that its rows need have a place in the buffer; the stage before computes those that are not there. */
TCC_LOOPS_INLINE void ask_before(const Stage *s, Stage *before, const int64_t *strip, bool fresh) {
  const int64_t *d = s->l.at;
  int64_t from = larger(s->first * d[STRIDE_H] - d[PAD_H], 0),
          to = larger(smaller((s->last - 1) * d[STRIDE_H] - d[PAD_H] + (d[KERNEL_H] - 1) * d[DILATION_H] + 1, d[IN_H]), from);
  if (fresh || from >= before->kept) {
    before->first_kept = before->kept = from;
  } else if (to - before->first_kept > strip[STRIP_ROWS]) {
    char *target = (char *)before->buffer;
    const char *source = (const char *)(before->buffer + (from - before->first_kept) * strip[STRIP_ROW]);
    uint64_t bytes = (uint64_t)((before->kept - from) * strip[STRIP_ROW]) * sizeof(float);
    __asm__ volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(bytes) : : "memory");
    before->first_kept = from;
  }
  before->first = before->kept, before->last = before->kept = larger(to, before->kept);
}

TCC_LOOPS_INLINE void run_strip(Stage *stage, int64_t count, int64_t image, const int64_t *strips, bool fresh) {
  for (int64_t i = count - 1; i > 0; i--)
    ask_before(&stage[i], &stage[i - 1], strips + STRIP_STAGES + STRIP_COUNT * (i - 1), fresh);
  for (int64_t i = 0; i < count; i++) {
    Stage *s = &stage[i];
    const int64_t *strip = strips + STRIP_STAGES + STRIP_COUNT * i;
    if (i > 0) s->l.x = stage[i - 1].buffer - stage[i - 1].first_kept * strip[STRIP_ROW - STRIP_COUNT];
    if (i + 1 < count) s->l.tensor[0] = (char *)(s->buffer - s->first_kept * strip[STRIP_ROW]);
    int64_t above = image * s->l.at[OUT_H];
    if (s->first < s->last) run(&s->l, above + s->first, above + s->last, s->copy);
  }
}

TCC_LOOPS_CODE("tcc_conv_depth_first")
static void conv_depth_first(int64_t begin, int64_t end, int64_t images, float *scratch, const int64_t *strips, ...) {
  Stage stage[TCC_CONV_STAGES];
  int64_t count = strips[STRIP_OF], step = strips[STRIP_STEP], high = strips[STRIP_HIGH];
  va_list all;
  va_start(all, strips);
  for (int64_t i = 0; i < count; i++) {
    Stage *s = &stage[i];
    const int64_t *strip = strips + STRIP_STAGES + STRIP_COUNT * i;
    s->l.images = images;
    s->l.x = va_arg(all, const float *), s->l.w = va_arg(all, const float *), s->l.bias = va_arg(all, const float *);
    s->l.table = va_arg(all, const int64_t *), s->l.at = s->l.table + TCC_CONV_DRIVER;
    for (int g = 0; g < TCC_CONV_GROUPS; g++) s->micro[g] = va_arg(all, char *);
    s->l.micro = s->micro, s->copy = va_arg(all, TccConvCopy *);
    s->l.copies = s->l.at[COPIES], s->l.cut = TCC_CONV_FIXED, s->l.ntensors = (int)s->l.at[NTENSORS];
    for (int t = 0; t < s->l.ntensors; t++) s->l.tensor[t] = va_arg(all, char *);
    s->buffer = scratch + strip[STRIP_BUFFER], s->l.scratch = scratch + strip[STRIP_SCRATCH];
    s->first_kept = s->kept = 0;
  }
  va_end(all);
  for (int64_t at = begin; at < end; at++) {
    int64_t strip, image = quotient(at, high, &strip);
    Stage *last = &stage[count - 1];
    last->first = strip * step, last->last = smaller(last->first + step, last->l.at[OUT_H]);
    run_strip(stage, count, image, strips, at == begin || strip == 0);
  }
}

TCC_LOOPS_BYTES(tcc_conv_depth_first, conv_depth_first)
