/* relayout.c - the builtin that moves the elements of a weight to where kernels want them.
 *
 * The table that it walks is described in abi.h. The source is read along `run`, the result written along its last dim, in blocks
 * that fit the first cache; 32-bit elements go by squares of 4 x 4 in registers. Blocks that no bound cuts need no test. */
#include "internal.h"
#include "quad.h"
#include "tcc/abi.h"

enum { DIMS = 16, BOUNDS = 16, LINE = 16 /* 32-bit elements of a cache line */ };

typedef struct {
  int ndims, nbounds, run;
  int64_t bytes, offset, rows, columns, blocks;
  int64_t size[DIMS], step[DIMS], place[DIMS]; /* place: step in the result */
  const int64_t *bound[BOUNDS];                /* offset, low, high, steps */
} Table;

/* A block: `rows` along the run (row_step in the result, 1 in the source) by `columns` (1 in the result, step in the source). */
typedef struct {
  int64_t rows, columns, row_step, row_place, step;
} Block;

static void read_table(const int64_t *sizes, Table *t) {
  t->bytes = sizes[TCC_RELAYOUT_BYTES], t->offset = sizes[TCC_RELAYOUT_OFFSET];
  t->ndims = (int)sizes[TCC_RELAYOUT_NDIMS], t->nbounds = (int)sizes[TCC_RELAYOUT_NBOUNDS], t->run = (int)sizes[TCC_RELAYOUT_RUN];
  t->rows = sizes[TCC_RELAYOUT_ROWS], t->columns = sizes[TCC_RELAYOUT_COLUMNS], t->blocks = sizes[TCC_RELAYOUT_BLOCKS];
  sizes += TCC_RELAYOUT_HEAD;
  for (int d = 0; d < t->ndims; d++) t->size[d] = *sizes++, t->step[d] = *sizes++;
  int64_t place = 1;
  for (int d = t->ndims; d-- > 0; place *= t->size[d]) t->place[d] = place;
  for (int i = 0; i < t->nbounds; i++, sizes += 3 + t->ndims) t->bound[i] = sizes;
}

#define COPY_STRIDED(type)                                                                                                         \
  for (int64_t r = 0; r < b->rows; r++)                                                                                            \
    for (int64_t c = 0; c < b->columns; c++)                                                                                       \
  ((type *)to)[r * b->row_place + c] = ((const type *)from)[r * b->row_step + c * b->step]

/* 32-bit elements, row_step 1. A line of the source is used up before the next one of its set comes: columns are often a
 * multiple of 1 KiB apart, and a block of them would not stay in the first cache. */
static void transpose_words(const float *from, float *to, const Block *b) {
  int64_t s = b->step, p = b->row_place, columns = b->columns & ~(int64_t)3;
  for (int64_t r = 0; r < b->rows; r += LINE) {
    int64_t rows = b->rows - r < LINE ? b->rows - r : LINE, quads = rows & ~(int64_t)3;
    for (int64_t c = 0; c < columns; c += 4) {
      const float *x = from + r + c * s;
      float *y = to + r * p + c;
      for (int64_t i = 0; i < quads; i += 4)
        tcc_quad_transpose((const float *const[]){x + i, x + i + s, x + i + 2 * s, x + i + 3 * s}, y + i * p, p);
      for (int64_t i = quads; i < rows; i++)
        for (int64_t k = 0; k < 4; k++) y[i * p + k] = x[i + k * s];
    }
    for (int64_t c = columns; c < b->columns; c++)
      for (int64_t i = 0; i < rows; i++) to[(r + i) * p + c] = from[r + i + c * s];
  }
}

static void copy_block(const Table *t, const char *from, char *to, const Block *b) {
  if (b->step == 1) {
    for (int64_t r = 0; r < b->rows; r++)
      memcpy(to + r * b->row_place * t->bytes, from + r * b->row_step * t->bytes, (size_t)(b->columns * t->bytes));
    return;
  }
  switch (t->bytes) {
  case 1: COPY_STRIDED(uint8_t); break;
  case 2: COPY_STRIDED(uint16_t); break;
  case 4:
    if (b->row_step == 1) transpose_words((const float *)(const void *)from, (float *)(void *)to, b);
    else COPY_STRIDED(uint32_t);
    break;
  default: COPY_STRIDED(uint64_t); break;
  }
}

static void clear_block(const Table *t, char *to, const Block *b) {
  for (int64_t r = 0; r < b->rows; r++) memset(to + r * b->row_place * t->bytes, 0, (size_t)(b->columns * t->bytes));
}

/* A block that bounds cut: element by element. value[i]: of bound i at the block's first element. */
static void copy_inside(const Table *t, const char *from, char *to, const Block *b, const int64_t *value) {
  int last = t->ndims - 1;
  for (int64_t r = 0; r < b->rows; r++)
    for (int64_t c = 0; c < b->columns; c++) {
      bool inside = true;
      for (int i = 0; i < t->nbounds && inside; i++) {
        const int64_t *bound = t->bound[i];
        int64_t at = value[i] + c * bound[3 + last] + (t->run < 0 ? 0 : r * bound[3 + t->run]);
        inside = bound[1] <= at && at < bound[2];
      }
      char *p = to + (r * b->row_place + c) * t->bytes;
      if (inside) memcpy(p, from + (r * b->row_step + c * b->step) * t->bytes, (size_t)t->bytes);
      else memset(p, 0, (size_t)t->bytes);
    }
}

static void move_block(const Table *t, const char *from, char *to, const Block *b, const int64_t *index) {
  int64_t value[BOUNDS];
  bool whole = true;
  int last = t->ndims - 1;
  for (int i = 0; i < t->nbounds; i++) {
    const int64_t *bound = t->bound[i], *step = bound + 3;
    value[i] = bound[0];
    for (int d = 0; d < t->ndims; d++) value[i] += index[d] * step[d];
    int64_t along = (b->columns - 1) * step[last], across = t->run < 0 ? 0 : (b->rows - 1) * step[t->run];
    int64_t low = value[i] + (along < 0 ? along : 0) + (across < 0 ? across : 0),
            high = value[i] + (along > 0 ? along : 0) + (across > 0 ? across : 0);
    if (high < bound[1] || low >= bound[2]) {
      clear_block(t, to, b);
      return;
    }
    whole = whole && bound[1] <= low && high < bound[2];
  }
  if (whole) copy_block(t, from, to, b);
  else copy_inside(t, from, to, b, value);
}

/* The loops over blocks, the fastest first. */
typedef struct {
  int dim;
  int64_t count, width;
} Loop;

/* Where rows are copied whole, strips are the slowest: a strip of the source is read from end to end for the panels that it is
 * cut into. Panels first would fetch three lines out of each page, and each page as often as there are panels. */
static int order_loops(const Table *t, Loop *loops) {
  int last = t->ndims - 1, n = 0;
  const Loop strips = {t->run, t->run < 0 ? 1 : (t->size[t->run] + t->rows - 1) / t->rows, t->rows};
  const bool whole_rows = t->step[last] == 1;
  loops[n++] = (Loop){last, (t->size[last] + t->columns - 1) / t->columns, t->columns};
  if (t->run >= 0 && !whole_rows) loops[n++] = strips;
  for (int d = last; d-- > 0;)
    if (d != t->run) loops[n++] = (Loop){d, t->size[d], 1};
  if (t->run >= 0 && whole_rows) loops[n++] = strips;
  return n;
}

void tcc_relayout(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  Table t;
  Loop loops[DIMS];
  int64_t at[DIMS], index[DIMS], all = 1;
  read_table(sizes, &t);
  const int last = t.ndims - 1, nloops = order_loops(&t, loops);
  for (int i = 0; i < nloops; i++) {
    at[i] = begin * t.blocks / all % loops[i].count;
    index[loops[i].dim] = at[i] * loops[i].width;
    all *= loops[i].count;
  }
  int64_t to_block = end * t.blocks < all ? end * t.blocks : all;
  for (int64_t block = begin * t.blocks; block < to_block; block++) {
    int64_t source = t.offset, place = 0;
    for (int d = 0; d < t.ndims; d++) source += index[d] * t.step[d], place += index[d] * t.place[d];
    Block b = {1, t.size[last] - index[last], 0, 0, t.step[last]};
    if (b.columns > t.columns) b.columns = t.columns;
    if (t.run >= 0) {
      int64_t left = t.size[t.run] - index[t.run];
      b.rows = left < t.rows ? left : t.rows;
      b.row_step = t.step[t.run], b.row_place = t.place[t.run];
    }
    move_block(&t, (const char *)arguments[0] + source * t.bytes, (char *)arguments[1] + place * t.bytes, &b, index);
    for (int i = 0; i < nloops; i++) {
      if (++at[i] == loops[i].count) at[i] = 0;
      index[loops[i].dim] = at[i] * loops[i].width;
      if (at[i]) break;
    }
  }
}
