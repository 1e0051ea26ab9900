/* conv_winograd_loops.c - the loops around the three steps of a Winograd convolution, as machine code of this build (loops.h).
 *
 * They do not divide but to place a group. */
#include "lib/targets/x86/code/loops.h"
#include "lib/targets/x86/conv/conv_winograd_table.h"
#include <stdarg.h>

#define MORE(p) p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12]
typedef void Input(const float *, float *, int64_t, int64_t, int64_t, int64_t, const int64_t *);
typedef void Product(const float *, const float *, float *, int64_t, const int64_t *);
typedef void Output2(const float *, int64_t, int64_t, int64_t, const float *, int64_t, int64_t, const int64_t *, char *, char *);
typedef void Output13(const float *, int64_t, int64_t, int64_t, const float *, int64_t, int64_t, const int64_t *, char *, char *,
                      char *, char *, char *, char *, char *, char *, char *, char *, char *, char *, char *);
_Static_assert(TCC_CONV_TENSORS == 13, "as many as Output13 takes");

typedef struct {
  const int64_t *table, *at; /* all sizes, and the loops' */
  const float *x, *w, *bias;
  float *scratch;
  Input *input;
  Product *product;
  const char *output;
  int ntensors;
  char *tensor[TCC_CONV_TENSORS];
} Loops;

/* A group: rows of tiles of all images [first, last), `count` tiles of each from `left` on. */
typedef struct {
  int64_t first, last, left, count;
} Group;
/* One of its rows: its image, its number there, and where its first tile stands in scratch. */
typedef struct {
  int64_t image, row, chunk, place;
} Row;

TCC_LOOPS_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

TCC_LOOPS_INLINE Row row_at(const Loops *l, const Group *g, int64_t at) {
  uint64_t number = (uint64_t)((at - g->first) * g->count), high = (uint64_t)l->at[HIGH], tiles = (uint64_t)l->at[TILES];
  return (Row){(int64_t)((uint64_t)at / high), (int64_t)((uint64_t)at % high), (int64_t)(number / tiles),
               (int64_t)(number % tiles)};
}

TCC_LOOPS_INLINE void transform_inputs(const Loops *l, const Group *g) {
  const int64_t *d = l->at;
  for (int64_t at = g->first; at < g->last; at++) {
    Row r = row_at(l, g, at);
    float *to = l->scratch + r.chunk * l->table[TCC_WINOGRAD_CHUNK] + r.place * d[LANES];
    l->input(l->x + r.image * d[X_IMAGE], to, r.place, r.row * d[M] - d[PAD_H], g->left * d[M] - d[PAD_W], g->count, l->table);
  }
}

/* Outputs of fewer tensors than they are given do not look at the others. */
TCC_LOOPS_INLINE void epilogue_panel(const Loops *l, const Group *g, int64_t panel, const float *sums) {
  const int64_t *d = l->at;
  int64_t exist = smaller(d[OUT_BLOCKS] - panel * d[VECTORS], d[VECTORS]);
  const float *bias = l->bias + panel * d[BIAS_PANEL];
  for (int64_t at = g->first; at < g->last; at++) {
    Row r = row_at(l, g, at);
    const float *from = sums + r.chunk * d[SUM_CHUNK] + r.place * d[LANES];
    char *to[TCC_CONV_TENSORS];
    for (int i = 0; i < TCC_CONV_TENSORS; i++) {
      const int64_t *of = d + TENSORS + T_COUNT * i;
      to[i] = i < l->ntensors
                  ? l->tensor[i] + r.image * of[T_IMAGE] + panel * of[T_PANEL] + r.row * of[T_ROW] + g->left * of[T_PIXEL]
                  : NULL;
    }
    if (l->ntensors <= 2)
      ((Output2 *)(uintptr_t)l->output)(from, r.place, g->count, exist, bias, r.row * d[M], g->left * d[M], l->table, to[0], to[1]);
    else
      ((Output13 *)(uintptr_t)l->output)(from, r.place, g->count, exist, bias, r.row * d[M], g->left * d[M], l->table, to[0], to[1],
                                         MORE(to));
  }
}

TCC_LOOPS_INLINE void run(const Loops *l, int64_t begin, int64_t end, int64_t images) {
  const int64_t *d = l->at;
  for (int64_t work = begin; work < end; work++) {
    int64_t group = work / d[PARTS], part = work % d[PARTS], first = part * d[PANELS_OF_PART];
    Group g = {.first = group / d[SEGMENTS] * d[ROWS], .left = group % d[SEGMENTS] * d[COLUMNS]};
    g.last = smaller(g.first + d[ROWS], images * d[HIGH]), g.count = smaller(d[WIDE] - g.left, d[COLUMNS]);
    if (part == 0 || work == begin) transform_inputs(l, &g);
    float *sums = l->scratch + d[SUMS];
    int64_t chunks = ((g.last - g.first) * g.count + d[TILES] - 1) / d[TILES];
    for (int64_t panel = first; panel < smaller(first + d[PANELS_OF_PART], d[PANELS]); panel++) {
      for (int64_t position = 0; position < d[SIDE]; position++)
        l->product(l->scratch + position * l->table[TCC_WINOGRAD_POSITION], l->w + (panel * d[SIDE] + position) * d[W_POSITION],
                   sums + position * d[POSITION], chunks, l->table);
      epilogue_panel(l, &g, panel, sums);
    }
  }
}

TCC_LOOPS_CODE("tcc_winograd_loops")
static void winograd_loops(int64_t begin, int64_t end, int64_t images, const float *x, const float *w, const float *bias,
                           float *scratch, const int64_t *table, Input *input, Product *product, const char *output, ...) {
  const int64_t *d = table + TCC_WINOGRAD_SIZES + 8;
  Loops l = {table, d, x, w, bias, scratch, input, product, output, (int)d[NTENSORS], {0}};
  va_list tensors;
  va_start(tensors, output);
  for (int i = 0; i < l.ntensors; i++) l.tensor[i] = va_arg(tensors, char *);
  va_end(tensors);
  run(&l, begin, end, images);
}

TCC_LOOPS_BYTES(tcc_winograd_loops, winograd_loops)
