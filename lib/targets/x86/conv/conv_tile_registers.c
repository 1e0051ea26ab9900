/* conv_tile_registers.c - sums of convolutions of bytes and of bf16 in AMX tile registers. See conv_tile_registers.h.
 *
 *   for each two vectors of the panel (or all of it, where the pixels are one tile)
 *     for each joined block of channels, row and column of the window
 *       tiles of pixels times tiles of weights
 *     sums to memory
 *
 * A tile of pixels has as many rows as the kernel's configuration says; those that no pixel has give sums that the next tile of pixels
 * overwrites, or that nobody reads. */
#include "lib/targets/x86/conv/conv_tile_registers.h"
#include "lib/targets/x86/contract/micro.h"

enum { TILES = 8, ROW_BYTES = 64, SUM_TILES = 4, FIRST_PIXELS = SUM_TILES, FIRST_WEIGHTS = FIRST_PIXELS + 2 };
enum { ARG_X, ARG_W, ARG_START, ARG_SUMS, ARG_DEPTH = 7, ARG_PREFETCH = 9, ARG_SIZES };

int64_t tcc_conv_tile_registers_pitch(const TccConvBlocked *c, int pixels) {
  return c->plan.apart ? pixels : tcc_conv_joined_pitch(&c->read.shape);
}

/* Sums of a tile of the group: pixels, or of several rows those between the rows as well. */
static int positions_of(const TccConvBlocked *c, const TccConvGroup *g) {
  return (int)((c->plan.high - 1) * tcc_conv_tile_registers_pitch(c, g->pixels)) + g->pixels;
}

static int tiles_of(const TccConvBlocked *c, const TccConvGroup *g) {
  return c->plan.apart ? (int)c->plan.high : (positions_of(c, g) + TCC_TILE_ROWS - 1) / TCC_TILE_ROWS;
}
static int down_of(int tiles) { return tiles < 2 ? 1 : 2; }
static int high_of(const TccConvBlocked *c, const TccConvGroup *g) { return tcc_ceil_div(positions_of(c, g), tiles_of(c, g)); }

int tcc_conv_tile_registers_rows(const TccConvBlocked *c, const TccConvGroup *groups, int ngroups) {
  int rows = 1;
  for (int g = 0; g < ngroups; g++) {
    int high = high_of(c, &groups[g]);
    rows = high > rows ? high : rows;
  }
  return rows;
}

int64_t tcc_conv_tile_registers_sums(const TccConvBlocked *c, const TccConvGroup *g) {
  int64_t rows = (int64_t)(tiles_of(c, g) - 1) * high_of(c, g) + TCC_TILE_ROWS;
  return rows * c->plan.vectors * c->read.shape.lanes;
}

void tcc_conv_tile_registers_begin(TccEmit *e, const TccConvShape *s, int rows) {
  int64_t words = tcc_conv_words(s);
  unsigned char configuration[64] = {1}; /* palette 1: eight tiles; then bytes of a row as u16 from 16 on, rows from 48 on */
  for (int i = 0; i < TILES; i++) {
    bool pixels = i >= FIRST_PIXELS && i < FIRST_WEIGHTS;
    configuration[16 + 2 * i] = (unsigned char)(pixels ? words * 4 : ROW_BYTES);
    configuration[48 + i] = (unsigned char)(i < FIRST_WEIGHTS ? rows : words);
  }
  tcc_micro_tiles_configure(e, configuration);
}

/* ---- the loops of one tile of pixels ---- */

typedef struct {
  TccConvBlocked *c;
  TccEmit *e;
  TccVal arg[TCC_CONV_MICRO_ARGS];
  int down, high, above;  /* tiles of pixels, pixels of each; pixels of the tiles before them */
  int first, across;      /* vectors first, first + 1, ... of the panel */
  int64_t columns, pixel; /* bytes of a row of weights and of sums, of a pixel */
  int64_t next;           /* bytes from the pixels of a tile to those of the next one */
  int pass, passes;       /* of all loops over the depth, each of which asks for its share of the next weights */
} Tile;

static TccVal bytes(const Tile *t, TccVal p, TccVal by) { return tcc_emit_gep(t->e, "i8", p, by); }
static TccVal size_of(const Tile *t, int64_t which) {
  TccVal words = tcc_emit_load(t->e, "i64", tcc_emit_at(t->e, "i64", t->arg[ARG_SIZES], which));
  return tcc_emit_mul(t->e, words, tcc_emit_i64(t->e, 4));
}

/* All products of one tap, whose pixels and weights begin there. */
static void emit_products(const Tile *t, TccVal x, TccVal w) {
  TccEmit *e = t->e;
  void (*multiply)(TccEmit *, int, int, int) =
      t->c->read.shape.pairs ? tcc_micro_tile_multiply_pairs : tcc_micro_tile_multiply_bytes;
  int64_t step = tcc_conv_copy_stride(&t->c->read.shape, 1) * t->pixel;
  for (int i = 0; i < t->down; i++) tcc_micro_tile_load(e, FIRST_PIXELS + i, tcc_emit_at(e, "i8", x, i * t->next), step);
  for (int j = 0; j < t->across; j++) {
    int b = FIRST_WEIGHTS + j % (TILES - FIRST_WEIGHTS);
    tcc_micro_tile_load(e, b, tcc_emit_at(e, "i8", w, (t->first + j) * ROW_BYTES), t->columns);
    for (int i = 0; i < t->down; i++) multiply(e, i * t->across + j, FIRST_PIXELS + i, b);
  }
}

/* Each pass asks for its share: all lines of a tap in the first one would keep it waiting for the third cache and leave that idle in the others. */
static void prefetch(const Tile *t, TccVal p) {
  int64_t lines = tcc_conv_words(&t->c->read.shape) / TCC_CONV_UNROLL * t->c->plan.ahead_lines;
  for (int64_t l = lines * t->pass / t->passes; l < lines * (t->pass + 1) / t->passes; l++)
    tcc_emit_prefetch(t->e, tcc_emit_at(t->e, "i8", p, l * ROW_BYTES), false, 2);
}

/* One loop of the nest: the pointers move on by these bytes. */
typedef struct {
  TccLoop loop;
  TccVal step[3];
} Walk;

static void begin_walk(const Tile *t, Walk *w, TccVal count, const TccVal *from) {
  tcc_emit_for(t->e, &w->loop, tcc_emit_i64(t->e, 0), count, 1, 3, from, (const char *const[]){TCC_PTR, TCC_PTR, TCC_PTR});
}

static void end_walk(const Tile *t, Walk *w) {
  TccVal next[3];
  for (int i = 0; i < 3; i++) next[i] = bytes(t, w->loop.in[i], w->step[i]);
  tcc_emit_end_for(t->e, &w->loop, next);
}

static void emit_sums(const Tile *t) {
  TccEmit *e = t->e;
  const TccConvShape *s = &t->c->read.shape;
  for (int i = 0; i < t->down; i++)
    for (int j = 0; j < t->across; j++) {
      TccVal bias = tcc_emit_at(e, "i8", t->arg[ARG_START], (t->first + j) * ROW_BYTES);
      if (t->c->read.has_bias) tcc_micro_tile_load(e, i * t->across + j, bias, 0); /* each row is the bias */
      else tcc_micro_tile_clear(e, i * t->across + j);
    }
  int64_t tap = tcc_conv_words(s) * t->columns, ahead = tcc_conv_words(s) / TCC_CONV_UNROLL * t->c->plan.ahead_lines * ROW_BYTES,
          kh = s->kernel[0], kw = tcc_conv_joined_columns(s);
  Walk block = {.step = {size_of(t, TCC_CONV_SIZE_X_BLOCK), tcc_emit_i64(e, kh * kw * tap), tcc_emit_i64(e, kh * kw * ahead)}},
       row = {.step = {size_of(t, TCC_CONV_SIZE_X_ROW), tcc_emit_i64(e, kw * tap), tcc_emit_i64(e, kw * ahead)}},
       column = {.step = {tcc_emit_i64(e, s->dilation[1] * t->pixel), tcc_emit_i64(e, tap), tcc_emit_i64(e, ahead)}};
  TccVal x = tcc_emit_at(e, "i8", t->arg[ARG_X], t->above / t->high * t->next);
  begin_walk(t, &block, t->arg[ARG_DEPTH], (const TccVal[]){x, t->arg[ARG_W], t->arg[ARG_PREFETCH]});
  begin_walk(t, &row, tcc_emit_i64(e, kh), block.loop.in);
  begin_walk(t, &column, tcc_emit_i64(e, kw), row.loop.in);
  prefetch(t, column.loop.in[2]);
  emit_products(t, column.loop.in[0], column.loop.in[1]);
  end_walk(t, &column), end_walk(t, &row), end_walk(t, &block);
  for (int i = 0; i < t->down; i++)
    for (int j = 0; j < t->across; j++)
      tcc_micro_tile_store(
          e, i * t->across + j,
          tcc_emit_at(e, "i8", t->arg[ARG_SUMS], (t->above + i * t->high) * t->columns + (t->first + j) * ROW_BYTES), t->columns);
}

void tcc_conv_tile_registers_emit(TccConvBlocked *c, const char *name, const TccConvGroup *g) {
  static const char *const types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64",   "i64",
                                      "i64",   "i64",   "i64",   TCC_PTR, TCC_PTR, "i64"};
  TccEmit *e = c->k->e;
  int tiles = tiles_of(c, g);
  Tile t = {.c = c, .e = e, .high = high_of(c, g)};
  t.columns = (int64_t)c->plan.vectors * ROW_BYTES,
  t.pixel = (c->read.shape.direct ? c->read.x_pixel : tcc_conv_joined_pixel(&c->read.shape)) * 4;
  t.next = t.high * tcc_conv_copy_stride(&c->read.shape, 1) * t.pixel;
  int64_t width;
  if (c->plan.apart && tcc_expr_is_const(c->plan.copy_width, &width))
    t.next = tcc_conv_copy_stride(&c->read.shape, 0) * width * t.pixel;
  tcc_emit_function(e, name, true, TCC_CONV_MICRO_ARGS, types, NULL, t.arg);
  for (int tile = 0; tile < tiles; tile += down_of(tiles - tile))
    t.passes += tcc_ceil_div(c->plan.vectors, SUM_TILES / down_of(tiles - tile));
  for (int tile = 0; tile < tiles; tile += t.down) {
    t.down = down_of(tiles - tile), t.above = tile * t.high;
    int most = SUM_TILES / t.down;
    for (t.first = 0; t.first < c->plan.vectors; t.first += t.across, t.pass++) {
      t.across = c->plan.vectors - t.first < most ? c->plan.vectors - t.first : most;
      emit_sums(&t);
    }
  }
  tcc_emit_return(e, 0, NULL);
}
