/* conv_plan.c - see conv_plan.h.
 *
 * One step of k costs the larger of its multiply-adds (two a cycle), its loads (two a cycle), the latency of four cycles
 * that few accumulators leave open, and what its weights take from the second cache. Beside the sums, product.c holds as
 * many vectors of weights as there is room for; each pixel reads the others from memory. A second body for tiles of another
 * width costs 3 %, one for a last panel of fewer vectors 6 %. Weights beyond half of the second cache are walked a
 * panel at a time, in blocks of input channels that stay there while all rows of the image meet them; smaller ones stay, and
 * blocks of rows of the image go by. With sixteen registers a tile meets its weights after half as many multiply-adds, so that those
 * of one pass are to lie in the first cache: the depth is divided, and the sums of a panel wait (512 -> 128 channels at 28x28:
 * 0.49 of the AVX2 peak undivided, 0.81 divided; 1024 -> 256 at 14x14 0.34 and 0.74).
 *
 * No chain of sums of floats over blocks of channels is longer than CHAIN, or a block: its error grows with its length, that of passes, whose sums are added, with the root of it. (Seven
 * convolutions of 1,536 products in a row, as wav2vec 2.0 begins: 4.1 times the error of eager torch in one chain each, 2.4 in three.) Weights of a pass stay in a nearer
 * cache, too: with the tiles of is_far ResNet-50 took 0.94 to 0.99 of the time (an Emerald Rapids).
 *
 * Bytes and bf16 in tile registers (conv_tile_registers.c): a product takes as long as the left tile has rows, 16 at most, whatever its depth is, so blocks of
 * channels are joined to 64 bytes in a copy of the image's rows. Two by two tiles load as many as they multiply.
 *
 * A row of dynamic width is cut into whole tiles and a rest, which smaller tiles cover, or one that begins further left and
 * computes some pixels again: results are written, never added to. Or into tiles of two neighbouring sizes, where that takes less. */
#include "lib/targets/x86/contract/micro.h"
#include "lib/targets/x86/conv/conv_blocked.h"

enum {
  FEW_ROWS = 8 /* too few to share out evenly */,
  CALL_CYCLES = 20,
  MANY_SHARES = 12 /* tiles of work that a row alone is to give */,
  LEAST_SHARE = 28 /* pixels in one */,
  DYNAMIC_SHARE = 16 /* those in one of a row of dynamic width, which may be far from its likely one */,
  REMAINDER_SUMS = 8 /* hide the latency of multiply-adds */,
  L3_WEIGHTS = 32 << 10 /* bytes that a layer finds in the third cache, since others had the second one meanwhile */,
  FEW_WALKS = 4,
  SHARED_ISSUE =
      16 /* instructions of a small tile that cost a cycle: some of the time another thread has a part of the front end */,
  L1_WEIGHTS = 20 << 10 /* bytes of weights that stay in the first cache while small tiles meet them, */,
  FEW_TILES = 4 /* of them at least */,
  CHAIN = 640 /* products */,
  LEAST_TILE_CYCLES = 10 /* of a product of tile registers, whose rows take one each and two more together */
};

static const double LINE_CYCLES = 2, FAR_LINE_CYCLES = 2.5, /* of weights */
    FAR_LINE_WAIT = 0.5;                                    /* beside multiply-adds that take longer than the lines (is_far) */

static double larger(double a, double b) { return a > b ? a : b; }

/* Who takes a tile reads the panel's weights: a tile of one row would wait for them. */
static int64_t rows_of_tile(const TccConvShape *s, int64_t panels) {
  int64_t rows = s->out[0] * panels / TCC_CONV_MANY_TILES, least = tcc_ceil_div(TCC_CONV_FAR_PIXELS, s->out[1] < 1 ? 1 : s->out[1]);
  if (rows < least) rows = least;
  if (rows >= s->out[0]) return s->out[0];
  return tcc_ceil_div(s->out[0], tcc_ceil_div(s->out[0], rows));
}

void tcc_conv_machine(const TccMachine *machine, TccConvShape *s) {
  s->lanes = tcc_vector_bits(machine) / 32;
  s->registers = machine->isa & TCC_ISA_AVX512 ? 32 : 16;
  s->l2_bytes = machine->l2_bytes ? machine->l2_bytes : 1 << 20;
  s->memory_rate = machine->memory_rate;
}

bool tcc_conv_takes_bytes(const TccMachine *machine) { return !machine->llvm_tiles; }

bool tcc_conv_widens_bytes(const TccMachine *machine) {
  return tcc_vector_bits(machine) != 512 || !(machine->isa & TCC_ISA_AVX512_VNNI);
}

bool tcc_conv_takes_pairs(const TccMachine *machine) {
  return tcc_vector_bits(machine) == 512 && (machine->isa & TCC_ISA_AVX512_BF16) && !machine->llvm_tiles;
}

int64_t tcc_conv_word(const TccConvShape *s) { return s->depthwise ? 1 : s->bytes && !s->wide ? 4 : s->bytes || s->pairs ? 2 : 1; }
bool tcc_conv_has_words(const TccConvShape *s) { return tcc_conv_word(s) > 1; }
int64_t tcc_conv_elem_bytes(const TccConvShape *s) { return s->wide || s->pairs ? 2 : s->bytes ? 1 : 4; }
int64_t tcc_conv_word_bytes(const TccConvShape *s) { return s->wide ? 2 : 4; }

int64_t tcc_conv_weight_bytes(const TccConvShape *s) { return s->bytes ? 1 : 4; }

/* A single block of bytes takes as long as vpdpbusd does; one of bf16, which has twice the bytes, does not. */
int tcc_conv_joined(const TccMachine *machine, const TccConvShape *s) {
  int64_t word = tcc_conv_word(s), blocks = tcc_ceil_div(s->channels, s->lanes), most = TCC_TILE_K_GROUPS * word / s->lanes;
  if (word == 1 || s->wide || !(machine->isa & TCC_ISA_AMX) || s->groups != 1 || (s->in[0] == 1 && s->out[0] == 1)) return 0;
  if (s->plain)
    return s->channels <= 4 && s->kernel[1] * tcc_ceil_div(s->channels, word) <= TCC_TILE_K_GROUPS && s->dilation[1] == 1;
  if (s->bytes && blocks < 2) return 0;
  return (int)(blocks < most ? blocks : most);
}

int64_t tcc_conv_joined_pixel(const TccConvShape *s) {
  return s->plain ? tcc_ceil_div(s->channels, tcc_conv_word(s)) : tcc_conv_words(s);
}
int64_t tcc_conv_joined_columns(const TccConvShape *s) { return s->plain ? 1 : s->kernel[1]; }

int64_t tcc_conv_words(const TccConvShape *s) {
  if (s->plain && tcc_conv_has_words(s)) return s->kernel[1] * tcc_conv_joined_pixel(s);
  return s->lanes / tcc_conv_word(s) * (s->joined ? s->joined : 1);
}

int64_t tcc_conv_depth(const TccConvShape *s) {
  if (s->plain) return tcc_conv_has_words(s) ? 1 : s->channels / s->groups;
  return tcc_ceil_div(tcc_ceil_div(s->channels / s->groups, s->lanes), s->joined ? s->joined : 1);
}

static bool takes_pixels(const TccConvShape *s) {
  return s->joined && !s->plain && s->kernel[0] * s->kernel[1] == 1 && !(s->pad[0] | s->pad[1] | s->pad_end[0] | s->pad_end[1]);
}

int64_t tcc_conv_copy_step(const TccConvShape *s, int axis) { return takes_pixels(s) ? s->stride[axis] : 1; }
int64_t tcc_conv_copy_stride(const TccConvShape *s, int axis) { return takes_pixels(s) ? 1 : s->stride[axis]; }

int64_t tcc_conv_joined_pitch(const TccConvShape *s) {
  if (takes_pixels(s)) return s->out[1];
  int64_t need = (s->out[1] - 1) * s->stride[1] + (s->kernel[1] - 1) * s->dilation[1] + 1, have = s->pad[1] + s->in[1];
  return need > have ? need : have;
}

bool tcc_conv_copies(const TccConvShape *s) { return (s->plain && !s->in_place) || (s->joined && !s->direct); }

/* A tile register has as many rows as the kernel's configuration says, so that tiles of fewer pixels would read what is behind the image. */
int64_t tcc_conv_direct_pixels(int64_t pixels) {
  enum { LEAST = 24 /* a pair of tiles of fewer rows takes longer than copies do */ };
  for (int64_t p = 2 * TCC_TILE_ROWS; p >= LEAST; p -= 2)
    if (pixels % p == 0) return p;
  return 0;
}

int64_t tcc_conv_rest(const TccConvShape *s) {
  return s->plain || s->bytes || s->joined ? 0 : s->channels / s->groups % s->lanes / tcc_conv_word(s);
}

bool tcc_conv_tile_fits(const TccConvShape *s, int64_t pixels, int64_t vectors) {
  if (s->joined) return pixels <= 2 * TCC_TILE_ROWS && vectors <= TCC_TILE_SUMS;
  if (s->depthwise) return vectors == 1 && pixels <= (s->registers == 32 ? 14 : 7);
  int64_t room = s->registers - pixels * vectors;
  if (s->wide) return room >= vectors + 2; /* all weights, a broadcast, a product */
  return room >= (s->registers == 32 ? 2 : vectors < 4 ? vectors + 1 : 4);
}

/* Weights of a panel that come from the second cache for each tile. 14 x 2 took less than 7 x 4, which asks for twice as many lines: 3 -> 768 channels
 * 16x16 1.37 to 1.19 ms, 1024 -> 256 1x1 at 14x14 0.58 to 0.53, 256 -> 256 3x3 at 28x28 4.39 to 4.01 (an Emerald Rapids). */
static bool is_far(const TccConvShape *s, int vectors) {
  return s->kernel[0] * s->kernel[1] * (s->channels / s->groups) * vectors * s->lanes * (s->wide ? 1 : 4) > L1_WEIGHTS;
}

/* A line of weights. Cores with sixteen registers, whose loads are half a line, take longer for one from the second cache: a tile that asks for three in
 * the time of its multiply-adds, as 2 x 6 does, waits (3 -> 768 channels 16x16 at 224x224, 3 x 4 in its place: 3.29 to 2.95 ms; 48 -> 80 3x3 at 32x32, 6 x 2
 * for 2 x 5: 0.755 to 0.720; of weights that the first cache holds, 40 -> 240 1x1, 4 x 3 took 1.03 times as long. A Zen 3). */
static double line_cycles(const TccConvShape *s, int vectors) {
  return s->registers == 32 || !is_far(s, vectors) ? LINE_CYCLES : FAR_LINE_CYCLES;
}

/* vpmaddwd and vpaddd for each sum, and a widening load for each vector of weights: three such instructions a cycle of 256 bits, two of 512; no more than two
 * products. */
static double wide_step_cycles(const TccConvShape *s, int vectors, double used) {
  double instructions = used * vectors * 2 + vectors, lines = line_cycles(s, vectors) * vectors * s->lanes / (2.0 * TCC_CONV_LINE);
  double cycles = larger(larger(instructions / (s->registers == 32 ? 2 : 3), (used + vectors) / 2), lines);
  return s->registers == 32 ? cycles : cycles + (instructions + used) / SHARED_ISSUE;
}

double tcc_conv_step_cycles(const TccConvShape *s, int pixels, int vectors, double used) {
  if (s->joined) {
    int down = (pixels + TCC_TILE_ROWS - 1) / TCC_TILE_ROWS, high = (pixels + down - 1) / down;
    return down * vectors * larger(LEAST_TILE_CYCLES, high + 2) / (double)tcc_conv_words(s);
  }
  if (s->wide) return wide_step_cycles(s, vectors, used);
  int room = s->registers - pixels * vectors, held = vectors < room ? vectors : room - 1;
  double loads = held + used * (1 + vectors - held);
  double cycles = larger(larger(used * vectors / 2, 1.02 * loads / 2),
                         larger(4, line_cycles(s, vectors) * vectors * s->lanes / (double)TCC_CONV_LINE));
  if (s->registers == 32) return is_far(s, vectors) ? cycles + FAR_LINE_WAIT * vectors : cycles;
  return cycles + (held + used * (1 + vectors)) / SHARED_ISSUE;
}

double tcc_conv_panels(const TccConvShape *s, int pixels, int vectors, double used) {
  int64_t blocks = tcc_ceil_div(s->out_channels, s->lanes), rest = blocks % vectors;
  double last =
      rest ? (tcc_conv_step_cycles(s, pixels, (int)rest, used) + 1) / (tcc_conv_step_cycles(s, pixels, vectors, used) + 1) : 0;
  return (double)(blocks / vectors) + last;
}

/* Each pixel reads the vectors of weights that find no register, while the first of these reads may still wait for the second cache: 4 x 7 took
 * 1.2 to 1.5 times as long as 7 x 4 (512 -> 2048 channels 1x1 at 7x7, 256 -> 256 3x3 at 14x14, a 1-D convolution of 80 -> 384; a Granite Rapids). */
static double tile_cycles(const TccConvShape *s, int pixels, int vectors) {
  int again = s->joined || s->wide ? 0 : vectors - (s->registers - pixels * vectors); /* all but one of them */
  if (!s->depthwise) return tcc_conv_step_cycles(s, pixels, vectors, pixels) + 1 + (again > 0 && s->registers == 32 ? again : 0);
  double taps = (double)(s->kernel[0] * s->kernel[1]),
         loads = (double)s->kernel[0] * ((pixels - 1) * (double)s->stride[1] + (double)s->kernel[1]);
  return larger(larger(pixels * taps / 2, loads / 2), 4 * taps) + CALL_CYCLES;
}

/* What `rest` pixels cost in remainder tiles and single pixels: as conv_loops.c cuts them. */
static double rest_cycles(const TccConvShape *s, const TccConvPlan *p, int rest) {
  double cycles = 0;
  while (rest > 0) {
    bool one = p->remainder < 2 || rest < 2;
    cycles += tile_cycles(s, one ? 1 : p->remainder, p->vectors), rest -= one ? 1 : p->remainder;
  }
  return cycles;
}

static double row_cycles(const TccConvShape *s, const TccConvPlan *p, int width) {
  const double whole = tile_cycles(s, p->pixels, p->vectors);
  const int tiles = (int)tcc_ceil_div(width, p->pixels), rest = width % p->pixels;
  if (p->even && width >= p->remainder) {
    const int narrow = tiles * p->pixels - width < tiles ? tiles * p->pixels - width : tiles;
    return (tiles - narrow) * whole + narrow * tile_cycles(s, p->remainder, p->vectors);
  }
  if (p->even) return width * tile_cycles(s, 1, p->vectors);
  return (width / p->pixels) * whole + (rest > p->most_rest && width >= p->pixels ? whole : rest_cycles(s, p, rest));
}

/* Cycles of a pixel, on average for widths that layers have. Where a network keeps an image's size, its windows are dilated in place of a stride: such
 * images are as many times as wide. */
static double pixel_cycles(const TccConvShape *s, const TccConvPlan *p) {
  enum { MOST_DILATION = 8 };
  static const int widths[] = {7, 10, 13, 14, 16, 20, 26, 28, 32, 40, 56, 80};
  const int dilation = s->kernel[1] == 1 ? 1 : s->dilation[1] < MOST_DILATION ? (int)s->dilation[1] : MOST_DILATION;
  double cycles = 0;
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    cycles += row_cycles(s, p, widths[i] * dilation) / (widths[i] * dilation);
  return cycles;
}

/* Of all rows that are narrower than a tile. */
static double narrow_cycles(const TccConvShape *s, const TccConvPlan *p) {
  double cycles = 0;
  for (int width = 1; width < p->pixels; width++) cycles += row_cycles(s, p, width);
  return cycles;
}

/* Rows are cut into whole tiles and a rest, or into tiles of two neighbouring sizes, as those of a known width are: with tiles of a few pixels nearly all
 * widths are such a sum, where a rest costs as much as a tile (512 -> 2048 channels 1x1 at 7x7, 4 + 3 pixels for 4 + 4; a Zen 3). */
void tcc_conv_plan_rest(const TccConvShape *s, TccConvPlan *p) {
  p->even = false;
  p->remainder = s->joined ? LEAST_TILE_CYCLES - 2 : (REMAINDER_SUMS + p->vectors - 1) / p->vectors;
  if (p->remainder > p->pixels / 2) p->remainder = p->pixels / 2;
  if (p->remainder < 1) p->remainder = 1;
  double whole = tile_cycles(s, p->pixels, p->vectors);
  p->most_rest = p->pixels;
  while (p->most_rest > 0 && rest_cycles(s, p, p->most_rest) > whole) p->most_rest--;
  TccConvPlan even = *p;
  even.even = true, even.remainder = p->pixels - 1, even.most_rest = 0;
  const bool narrow = narrow_cycles(s, &even) <= 1.05 * narrow_cycles(s, p); /* which are single pixels then, but one */
  if (!s->joined && even.remainder > 1 && narrow && pixel_cycles(s, &even) < pixel_cycles(s, p)) *p = even;
}

/* The tile that is best on average for widths that layers have: the same for all layers of a model, which then share bodies. */
static void choose_dynamic_tile(const TccConvShape *s, int vectors, TccConvPlan *p) {
  int64_t blocks = tcc_ceil_div(s->out_channels, s->lanes), group = blocks / s->groups;
  TccConvPlan best = {0};
  double least = 0;
  for (int v = 1; v <= (s->depthwise ? 1 : 8); v++) {
    if (vectors ? v != vectors : (v > blocks || (s->groups > 1 && !s->depthwise && group % v != 0))) continue;
    for (int t = 1; t <= 14; t++) {
      if (!tcc_conv_tile_fits(s, t, v)) break;
      TccConvPlan made = {.pixels = t, .vectors = v};
      tcc_conv_plan_rest(s, &made);
      double cost = pixel_cycles(s, &made) * (s->depthwise ? 1 : tcc_conv_panels(s, t, v, t) / (double)blocks);
      if (best.pixels && cost > least * 1.0001) continue;
      least = cost, best = made;
    }
  }
  p->pixels = best.pixels, p->vectors = best.vectors;
  p->even = best.even, p->remainder = best.remainder, p->most_rest = best.most_rest;
}

static void choose_tile(const TccConvShape *s, int vectors, TccConvPlan *p) {
  int64_t blocks = tcc_ceil_div(s->out_channels, s->lanes), width = s->out[1] < 1 ? 1 : s->out[1], group = blocks / s->groups;
  double best = 0;
  for (int v = 1; v <= 8; v++) {
    if (vectors ? v != vectors : (v > blocks || (s->groups > 1 && group % v != 0))) continue;
    for (int t = 1; t <= 14; t++) {
      if (!tcc_conv_tile_fits(s, t, v)) break;
      double h = (double)width / (double)tcc_ceil_div(width, t), steps = tcc_conv_step_cycles(s, t, v, h);
      double cost =
          (steps + 1) * tcc_conv_panels(s, t, v, h) / (h * (double)blocks) * (width % t ? 1.03 : 1) * (blocks % v ? 1.06 : 1);
      if (p->pixels && cost > best * 1.0001) continue;
      best = cost, p->pixels = t, p->vectors = v;
    }
  }
  if (p->pixels > width) p->pixels = (int)width;
}

int64_t tcc_conv_most_depth(const TccConvShape *s) {
  int64_t products = s->kernel[0] * s->kernel[1] * s->lanes;
  return tcc_conv_has_words(s) || s->depthwise || s->plain ? INT64_MAX : products > CHAIN ? 1 : CHAIN / products;
}

static void limit_depth(TccConvPlan *p, int64_t most) {
  if (most < p->depth_blocks) p->depth_blocks = tcc_ceil_div(p->depth_blocks, tcc_ceil_div(p->depth_blocks, most));
}

/* At most as many blocks of input channels in one pass as have `bytes` of weights. */
static void divide_depth(const TccConvShape *s, int64_t bytes, TccConvPlan *p) {
  int64_t block = s->kernel[0] * s->kernel[1] * tcc_conv_words(s) * p->vectors * s->lanes * tcc_conv_word_bytes(s),
          most = bytes / block < 1 ? 1 : bytes / block;
  limit_depth(p, most);
}

void tcc_conv_plan_share(const TccConvShape *s, TccConvPlan *p) {
  int64_t units = p->by_panel ? p->panels : 1, tiles = tcc_ceil_div(s->out[1] < 1 ? 1 : s->out[1], p->pixels);
  p->share = 0;
  if (!s->line || units >= MANY_SHARES || tcc_conv_copies(s)) return;
  int64_t share = s->dynamic ? DYNAMIC_SHARE : tcc_ceil_div(tiles, tcc_ceil_div(MANY_SHARES, units));
  if (share * p->pixels < LEAST_SHARE) share = tcc_ceil_div(LEAST_SHARE, p->pixels);
  if (s->dynamic || 2 * share <= tiles) p->share = share;
}

/* Cycles of a depth of one row of tile registers for `high` rows of the result. Weights come from the second cache once for two tiles of pixels. */
static double joined_cycles(const TccConvShape *s, int vectors, int64_t high, bool apart) {
  enum { LOAD_CYCLES = 32 /* of a tile of weights */ };
  int64_t positions = (high - 1) * (apart ? s->out[1] : tcc_conv_joined_pitch(s)) + s->out[1],
          tiles = apart ? high : tcc_ceil_div(positions, TCC_TILE_ROWS), rows = tcc_ceil_div(positions, tiles);
  double products = (double)tiles * vectors * larger(LEAST_TILE_CYCLES, (double)rows + 2),
         loads = (double)tcc_ceil_div(tiles, 2) * vectors * LOAD_CYCLES;
  return larger(products, loads);
}

/* Several rows of a narrow image are one tile: those between the rows are computed, too, and left out. Where a stride lets none be between them, or where
 * it takes less, each row is a tile. */
static int64_t joined_high(const TccConvShape *s, int vectors, bool *out_apart) {
  enum { MOST_TILES = 4 };
  static const double GAIN = 0.95; /* tiles of whole rows of a copy are also fewer passes */
  int64_t best = 1, tile_rows = TCC_TILE_ROWS;
  *out_apart = false;
  if (s->dynamic || s->direct || s->out[1] < 1 || s->out[1] > 2 * tile_rows) return 1;
  double least = (double)s->out[0] * joined_cycles(s, vectors, 1, false);
  if (tcc_conv_copy_stride(s, 0) == 1 && tcc_conv_copy_stride(s, 1) == 1)
    for (int64_t high = 2; high <= s->out[0] && (high - 1) * tcc_conv_joined_pitch(s) + s->out[1] <= MOST_TILES * tile_rows;
         high++) {
      double cycles = (double)tcc_ceil_div(s->out[0], high) * joined_cycles(s, vectors, high, false);
      if (cycles < least) best = high, least = cycles;
    }
  for (int64_t high = 2; high <= MOST_TILES && high <= s->out[0] && s->out[1] <= tile_rows && !s->plain; high++) {
    double cycles = (double)tcc_ceil_div(s->out[0], high) * joined_cycles(s, vectors, high, true);
    if (cycles < least * (*out_apart ? 1 : GAIN)) best = high, least = cycles, *out_apart = true;
  }
  return best;
}

/* Weights of less than half of the second cache stay there while rows go by; larger ones are walked a panel at a time, for as many rows as fit beside it. */
static void plan_tiles(const TccConvShape *s, int vectors, TccConvPlan *p) {
  int64_t blocks = tcc_ceil_div(s->out_channels, s->lanes), width = s->out[1] < 1 ? 1 : s->out[1],
          height = s->out[0] < 1 ? 1 : s->out[0];
  p->vectors = vectors;
  for (int v = TCC_TILE_SUMS; v > 0 && !vectors; v--)
    if (v <= blocks && (!p->vectors || tcc_ceil_div(blocks, v) * v < tcc_ceil_div(blocks, p->vectors) * p->vectors)) p->vectors = v;
  int64_t most = 2 * TCC_TILE_ROWS;
  p->pixels = (int)(s->dynamic ? most : tcc_ceil_div(width, tcc_ceil_div(width, most)));
  if (s->dynamic) tcc_conv_plan_rest(s, p);
  p->high = joined_high(s, p->vectors, &p->apart);
  p->panels = tcc_ceil_div(blocks, p->vectors), p->depth_blocks = tcc_conv_depth(s);
  int64_t words = tcc_conv_words(s), row_bytes = s->in[1] * p->depth_blocks * tcc_conv_joined_pixel(s) * 4 * s->stride[0],
          weights = p->panels * p->vectors * s->lanes * p->depth_blocks * words * 4 * s->kernel[0] * tcc_conv_joined_columns(s);
  int64_t fit = s->l2_bytes / 6 / (row_bytes ? row_bytes : 1), walks = tcc_ceil_div(height, fit ? fit : 1);
  p->rows = tcc_ceil_div(tcc_ceil_div(height, walks), p->high) * p->high;
  if (p->rows > height) p->rows = height;
  p->by_panel = !s->plain && (weights > s->l2_bytes / 2 || height < FEW_ROWS); /* the copy of a plain image serves all panels */
  p->prefetch = !s->plain && weights > L3_WEIGHTS && (p->by_panel || walks <= FEW_WALKS);
  p->tile_rows = p->by_panel ? rows_of_tile(s, p->panels) : p->high, p->tile_by_size = p->by_panel && s->dynamic;
  if (!s->direct) return;
  p->pixels = (int)tcc_conv_direct_pixels(width), p->by_panel = weights > s->l2_bytes / 2; /* all of a pixel's lines at once */
  tcc_conv_plan_share(s, p);
}

void tcc_conv_plan(const TccConvShape *s, int vectors, TccConvPlan *p) {
  memset(p, 0, sizeof *p);
  p->high = 1;
  if (s->joined) {
    plan_tiles(s, vectors, p);
    return;
  }
  int64_t blocks = tcc_ceil_div(s->out_channels, s->lanes), depth = s->plain ? s->channels : tcc_conv_depth(s);
  int64_t row_bytes = s->in[1] * s->channels * tcc_conv_elem_bytes(s) * s->stride[0], l2 = s->l2_bytes;
  if (s->depthwise) {
    p->vectors = 1;
    int most = s->registers == 32 ? 14 : 7;
    p->pixels = most;
    for (int t = most; t > 3; t--)
      if (s->out[1] % t == 0) {
        p->pixels = t;
        break;
      }
    if (p->pixels > s->out[1]) p->pixels = (int)s->out[1];
    if (s->dynamic) choose_dynamic_tile(s, 1, p);
    p->panels = blocks, p->by_panel = true, p->depth_blocks = 1;
    p->rows = s->out[0];
  } else {
    if (s->dynamic) choose_dynamic_tile(s, vectors, p);
    else choose_tile(s, vectors, p);
    p->panels = tcc_ceil_div(blocks, p->vectors) * (s->phases > 1 ? s->phases : 1);
    p->depth_blocks = depth;
    int64_t taps = s->kernel[0] * s->kernel[1],
            weights = p->panels * p->vectors * s->lanes * (s->channels / s->groups) * taps * (s->wide ? 1 : tcc_conv_elem_bytes(s));
    if (!s->plain && (weights > l2 / 2 || s->out[0] < FEW_ROWS)) {
      p->by_panel = true, p->prefetch = weights > L3_WEIGHTS;
      divide_depth(s, l2 / 5, p);
      p->rows = s->out[0];
      p->tile_rows = rows_of_tile(s, p->panels), p->tile_by_size = s->dynamic;
    } else {
      int64_t most = l2 / 6 / (row_bytes ? row_bytes : 1);
      if (s->plain && most > 8) most = 8;
      int64_t walks = tcc_ceil_div(s->out[0], most < 1 ? 1 : most);
      p->rows = walks ? tcc_ceil_div(s->out[0], walks) : 1;
      p->prefetch = !s->plain && walks <= FEW_WALKS && weights > L3_WEIGHTS; /* the first walk finds them far away */
    }
  }
  if (p->rows < 1) p->rows = 1;
  if (p->tile_rows < 1) p->tile_rows = 1;
  bool small = s->registers < 32 && !s->depthwise && !s->plain;
  if (small && p->rows * tcc_ceil_div(s->out[1], p->pixels) >= FEW_TILES) divide_depth(s, L1_WEIGHTS, p);
  limit_depth(p, tcc_conv_most_depth(s));
  tcc_conv_plan_share(s, p);
}
