/* conv_byte_columns.c - sums of convolutions of bytes with one channel a group. See conv_byte_columns.h.
 *
 *   for each row of the window that lies in the image
 *     for each four columns of the window
 *       weights of four columns, four bytes a channel
 *       for each pixel of the result: sums += pixels of four columns, four bytes a channel, times weights
 *
 * Four neighbouring pixels of a block are one vector of 64 bytes, which a shuffle of bytes turns to four bytes a channel, as vpdpbusd takes them:
 * two instructions for up to four columns of a window, where floats take a multiply-add for each and read four times as many bytes. Columns behind the
 * window meet weights of 0. Those beside the image are left out by a mask, so that nothing beside a tensor is read. */
#include "lib/targets/x86/conv/conv_byte_columns.h"

enum { ARG_X, ARG_W, ARG_START, ARG_T0 = 4, ARG_T1, ARG_COLUMN, ARG_SIZES = 10 };
enum { LANES = 16, FOUR = 4, WORD_BYTES = 4, PIXEL_WORDS = LANES / WORD_BYTES };

typedef struct {
  TccConvBlocked *c;
  TccEmit *e;
  const TccConvGroup *g;
  const TccVal *arg;
  const char *words, *bytes;
} Tile;

static TccVal size_of(const Tile *t, int64_t which) { return tcc_emit_load_once(t->e, "i64", t->arg[ARG_SIZES], which); }

/* The bytes of four pixels, or of four columns of weights, as four bytes a channel. */
static TccVal weave(const Tile *t, TccVal words) {
  int index[FOUR * LANES];
  for (int i = 0; i < FOUR * LANES; i++) index[i] = i % FOUR * LANES + i / FOUR;
  TccVal v = tcc_emit_cast(t->e, "bitcast", t->words, t->bytes, words);
  return tcc_emit_shuffle(t->e, t->bytes, v, v, index);
}

/* Weights of columns `first` and up to three more of a row of the window, those behind it 0. */
static TccVal weights_of(const Tile *t, TccVal row, int64_t first) {
  int64_t left = t->c->read.shape.kernel[1] - first;
  TccVal some = left < FOUR ? tcc_emit_mask(t->e, tcc_emit_i64(t->e, left * PIXEL_WORDS), LANES) : 0;
  return weave(t, tcc_emit_masked_load(t->e, t->words, tcc_emit_at(t->e, "i8", row, first * LANES), some));
}

/* Lanes of pixels that lie in the image, of four whose first is `column` of it. */
static TccVal inside(const Tile *t, int64_t column) {
  TccEmit *e = t->e;
  TccVal first = tcc_emit_add(e, t->arg[ARG_COLUMN], tcc_emit_i64(e, column));
  TccVal at = tcc_emit_splat(e, t->words, tcc_emit_cast(e, "trunc", "i64", "i32", first)),
         end = tcc_emit_splat(e, t->words, tcc_emit_cast(e, "trunc", "i64", "i32", size_of(t, TCC_CONV_SIZE_WIDTH))),
         pixel = tcc_emit_bin(e, "lshr", t->words, tcc_emit_iota(e, "i32", LANES), tcc_emit_int(e, t->words, 2));
  return tcc_emit_icmp(e, "ult", t->words, tcc_emit_bin(e, "add", t->words, at, pixel), end);
}

/* One pixel, zeros if it lies beside the image. */
static TccVal pixel_of(const Tile *t, TccVal row, int64_t column) {
  TccEmit *e = t->e;
  const char *type = tcc_emit_vector(e, "i32", PIXEL_WORDS);
  TccVal p = tcc_emit_at(e, "i8", row, column * t->c->read.x_pixel * WORD_BYTES);
  if (tcc_conv_at_edge(t->c, t->g, column, 0)) {
    TccVal at = tcc_emit_add(e, t->arg[ARG_COLUMN], tcc_emit_i64(e, column));
    TccVal is_inside = tcc_emit_icmp(e, "ult", "i64", at, size_of(t, TCC_CONV_SIZE_WIDTH));
    p = tcc_emit_select1(e, TCC_PTR, is_inside, p, tcc_emit_at(e, "i64", t->arg[ARG_SIZES], TCC_CONV_SIZES));
  }
  return tcc_emit_load(e, type, p);
}

/* What columns `first` and up to three more of the window see of a row of the image for pixel `p` of the tile. */
static TccVal pixels_of(const Tile *t, TccVal row, int p, int64_t first) {
  TccEmit *e = t->e;
  const TccConvShape *s = &t->c->read.shape;
  int64_t column = p * s->stride[1] + first * s->dilation[1], left = s->kernel[1] - first;
  if (s->dilation[1] == 1 && t->c->read.x_pixel == PIXEL_WORDS) {
    TccVal some = tcc_conv_at_edge(t->c, t->g, column, FOUR - 1) ? inside(t, column) : 0;
    return weave(t, tcc_emit_masked_load(e, t->words, tcc_emit_at(e, "i8", row, column * LANES), some));
  }
  TccVal v = tcc_emit_zero(e, t->words);
  for (int64_t i = 0; i < FOUR && i < left; i++)
    v = tcc_emit_insert_vector(e, tcc_emit_vector(e, "i32", PIXEL_WORDS), pixel_of(t, row, column + i * s->dilation[1]), t->words,
                               v, (int)i * PIXEL_WORDS);
  return weave(t, v);
}

void tcc_conv_byte_columns_sums(TccConvBlocked *c, const TccConvGroup *g, const TccVal *arguments, TccVal *out) {
  TccEmit *e = c->k->e;
  Tile t = {c, e, g, arguments, tcc_emit_vector(e, "i32", LANES), tcc_emit_vector(e, "i8", FOUR * LANES)};
  const char *const products[] = {t.words, t.bytes, t.bytes};
  const char *sums[TCC_CONV_SUMS];
  TccVal acc[TCC_CONV_SUMS], start = c->read.has_bias ? tcc_emit_load(e, t.words, arguments[ARG_START]) : tcc_emit_zero(e, t.words);
  int64_t kw = c->read.shape.kernel[1];
  for (int p = 0; p < g->pixels; p++) acc[p] = start, sums[p] = t.words;
  TccLoop row;
  tcc_emit_for(e, &row, arguments[ARG_T0], arguments[ARG_T1], 1, g->pixels, acc, sums);
  memcpy(acc, row.in, sizeof *acc * (size_t)g->pixels);
  TccVal x = tcc_emit_gep(e, "i32", arguments[ARG_X], tcc_emit_mul(e, row.iv, size_of(&t, TCC_CONV_SIZE_X_ROW))),
         w = tcc_emit_gep(e, "i8", arguments[ARG_W], tcc_emit_mul(e, row.iv, tcc_emit_i64(e, kw * LANES)));
  for (int64_t first = 0; first < kw; first += FOUR) {
    TccVal weights = weights_of(&t, w, first);
    for (int p = 0; p < g->pixels; p++) {
      TccVal operands[] = {acc[p], pixels_of(&t, x, p, first), weights};
      acc[p] = tcc_emit_call_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", t.words, 3, operands, products);
    }
  }
  tcc_emit_end_for(e, &row, acc);
  memcpy(out, row.out, sizeof *out * (size_t)g->pixels);
}
