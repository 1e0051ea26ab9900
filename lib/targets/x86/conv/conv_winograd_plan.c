/* conv_winograd_plan.c - whether a convolution is computed by Winograd's filtering, and how it is cut. See conv_winograd.h.
 *
 * Cycles are counted: multiply-adds of the products in whole register tiles, vectors of tiles' inputs and sums that are
 * transformed, and bytes from beyond the second cache: all weights once, again for each group where they do not stay, and what
 * does not stay of a group's tiles for each panel. Fewer multiplications take more weights, which a batch of one reads from far
 * away for a few tiles: so the last layers of a network stay direct. Rates are from a Cascade Lake (docs/notes/2026-11-convolutions.md), but for
 * memory's where the machine's is known: there multiply-adds hide half of what is read, or the other way round. */
#include "lib/targets/x86/conv/conv_winograd.h"

/* Bytes of a layer's transformed weights, at most, by the heuristic alone: 4 x 4 makes four times the layer's own. With those of 512 channels
 * ResNet-50 in batches of 8 takes 270 MB, more than onnxruntime, with 2 x 2 there 215; 5 % of its speed (busy machine, two pairs). */
static const double most_weights = 32 << 20;
enum {
  SHARES = 5 /* of the second cache for a group, tried */
};

static double larger(double a, double b) { return a > b ? a : b; }
static double both(const TccConvShape *s, double computed, double read) {
  return s->memory_rate ? larger(computed, read) + (computed < read ? computed : read) / 2 : computed + read;
}
static int64_t blocks_of(int64_t channels, const TccConvShape *s) { return tcc_ceil_div(channels, s->lanes); }

bool tcc_winograd_fits(const TccConvShape *s) {
  for (int i = 0; i < 2; i++)
    if (s->kernel[i] != 3 || s->stride[i] != 1 || s->dilation[i] != 1 || s->out[i] < 1) return false;
  return !s->plain && !s->depthwise && !s->bytes && !s->pairs && s->groups == 1 && s->phases <= 1 && s->channels % s->lanes == 0;
}

static double square_bytes(const TccWinogradPlan *p) { return 4.0 * (p->m + 2) * (p->m + 2); }
static double weights_of(const TccConvShape *s, const TccWinogradPlan *p) {
  return square_bytes(p) * (double)(s->channels * p->panels * p->vectors * s->lanes);
}
static double group_bytes(const TccConvShape *s, const TccWinogradPlan *p, double tiles) {
  return square_bytes(p) * tiles * (double)(s->channels + p->vectors * s->lanes);
}

static double product_cycles(const TccConvShape *s, int64_t tiles, const TccWinogradPlan *p) {
  const double weights = (double)(p->vectors * s->lanes) / 8; /* 32 bytes a cycle from the second cache */
  double sums = p->tiles * p->vectors, step = larger(larger(sums / 2, (p->tiles + p->vectors) / 2.0), larger(4, weights));
  return (double)(tcc_ceil_div(tiles, p->tiles) * p->panels) * ((step + 0.3) * (double)s->channels + 20 + 2 * sums);
}

double tcc_winograd_cycles(const TccConvShape *s, int64_t images, const TccWinogradPlan *p) {
  int64_t all = images < 1 ? 1 : images, in = blocks_of(s->channels, s), out = blocks_of(s->out_channels, s);
  double memory = s->memory_rate ? (double)s->memory_rate : 5, third = 20, l2 = (double)s->l2_bytes; /* bytes a cycle */
  if (p->m == 1) {
    TccConvPlan direct;
    tcc_conv_plan(s, p->vectors, &direct);
    double tiles = (double)(all * s->out[0] * tcc_ceil_div(s->out[1], direct.pixels)),
           used = (double)s->out[1] / (double)tcc_ceil_div(s->out[1], direct.pixels);
    double edges = 2.0 / 3 * (1 / (double)s->out[0]); /* rows of the window outside of the image are left out */
    double weights = 36.0 * (double)(s->channels * out * s->lanes);
    return both(s,
                tiles * (double)direct.panels *
                    (tcc_conv_step_cycles(s, direct.pixels, direct.vectors, used) * 9 * (double)s->channels * (1 - edges) + 60),
                weights / (weights > l2 / 2 ? 2 * memory : third));
  }
  int64_t segments = tcc_ceil_div(p->wide, p->columns);
  double groups = (double)(tcc_ceil_div(all * p->high, p->rows) * segments), weights = weights_of(s, p);
  double tiles = (double)(all * p->high * p->wide),
         excess = larger(0, group_bytes(s, p, (double)(p->rows * p->columns)) - 0.6 * l2);
  double cycles = square_bytes(p) / 4 * product_cycles(s, p->rows * p->columns, p) * groups;
  cycles += tiles * (p->m == 2 ? 45 : 150) * (double)(in + out) + groups * excess * (double)p->panels / third;
  return both(s, cycles, weights / (weights > l2 / 2 ? memory : third)) +
         (groups - 1) * weights / (weights > l2 / 4 ? third : 3 * third);
}

/* The groups whose tiles take `bytes` at most. */
static void cut(const TccConvShape *s, int64_t all_rows, double bytes, TccWinogradPlan *p) {
  int64_t most = (int64_t)(bytes / group_bytes(s, p, 1));
  if (most < p->tiles) most = p->tiles;
  if (most > TCC_WINOGRAD_GROUP) most = TCC_WINOGRAD_GROUP;
  p->rows = 1, p->columns = p->wide;
  if (most < p->wide) p->columns = tcc_ceil_div(p->wide, tcc_ceil_div(p->wide, most));
  else p->rows = most / p->wide < all_rows ? most / p->wide : all_rows;
  p->rows = tcc_ceil_div(all_rows, tcc_ceil_div(all_rows, p->rows));
  int64_t groups = tcc_ceil_div(all_rows, p->rows) * tcc_ceil_div(p->wide, p->columns);
  p->parts = groups < TCC_WINOGRAD_GROUPS_TO_SHARE ? tcc_ceil_div(TCC_WINOGRAD_GROUPS_TO_SHARE, groups) : 1;
  if (p->parts > p->panels) p->parts = p->panels;
}

int tcc_winograd_prefetch(const TccConvShape *s, const TccWinogradPlan *p) {
  int64_t chunks = tcc_ceil_div(p->rows * p->columns, p->tiles), lines = tcc_ceil_div(TCC_CONV_UNROLL * p->vectors, chunks);
  if (weights_of(s, p) <= (double)s->l2_bytes / 2) return 0;
  return lines > 2 ? 4 : 2; /* few kinds: each is code of its own */
}

/* Register tiles: few of them, so that layers share their code; the last ones for sixteen registers. */
static void plan_of(const TccConvShape *s, int64_t images, int m, int vectors, TccWinogradPlan *out) {
  static const struct {
    int tiles, vectors;
  } tile[] = {{14, 2}, {7, 4}, {8, 2}, {8, 3}, {4, 4}, {14, 1}, {6, 2}, {4, 3}, {12, 1}, {3, 4}};
  int64_t blocks = blocks_of(s->out_channels, s), all = images < 1 ? 1 : images;
  double least = 0, costs;
  *out = (TccWinogradPlan){.m = 1};
  for (size_t i = 0; i < sizeof tile / sizeof *tile; i++) {
    int room = s->registers - tile[i].tiles * tile[i].vectors;
    if ((vectors && tile[i].vectors != vectors) || (!vectors && tile[i].vectors > blocks) ||
        room < (s->registers == 32     ? 2
                : tile[i].vectors == 4 ? 4
                                       : 3))
      continue;
    TccWinogradPlan p = {.m = m,
                         .tiles = tile[i].tiles,
                         .vectors = tile[i].vectors,
                         .panels = tcc_ceil_div(blocks, tile[i].vectors),
                         .high = tcc_ceil_div(s->out[0], m),
                         .wide = tcc_ceil_div(s->out[1], m)};
    for (int share = 1; share <= SHARES; share++) {
      cut(s, all * p.high, (double)s->l2_bytes * share / SHARES, &p);
      costs = tcc_winograd_cycles(s, images, &p);
      if (out->m > 1 && costs >= least * 0.999) continue;
      *out = p, least = costs;
    }
  }
  if (out->m > 1) out->prefetch = tcc_winograd_prefetch(s, out);
}

void tcc_winograd_plan(const TccConvShape *s, int64_t images, int m, int vectors, TccWinogradPlan *out) {
  *out = (TccWinogradPlan){.m = 1};
  if (m) {
    plan_of(s, images, m, vectors, out);
    return;
  }
  if (!tcc_winograd_fits(s)) return;
  double least = tcc_winograd_cycles(s, images, out);
  for (int side = 2; side <= TCC_WINOGRAD_MOST; side += 2) {
    TccWinogradPlan p;
    plan_of(s, images, side, vectors, &p);
    double costs = p.m > 1 ? tcc_winograd_cycles(s, images, &p) : least;
    if (costs < 0.95 * least && weights_of(s, &p) <= (s->dynamic ? 2 * (double)s->l2_bytes : most_weights)) *out = p, least = costs;
  }
}

int64_t tcc_winograd_scratch(const TccConvShape *s, const TccWinogradPlan *p) {
  int64_t chunks = tcc_ceil_div(p->rows * p->columns, p->tiles),
          chunk_size = (int64_t)(p->m + 2) * (p->m + 2) * p->tiles * s->lanes;
  return chunks * chunk_size * (blocks_of(s->channels, s) + p->vectors);
}
