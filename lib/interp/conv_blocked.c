/* conv_blocked.c - convolution on channels in blocks of lanes, by its definition.
 *
 * Element c of a channel axis of blocks stands in block c / lanes, lane c % lanes. Weights are panels of columns (output
 * channels), those of a phase behind those of the phase before; one channel a group has weights of its own rank. */
#include "internal.h"
#include "tcc/winograd.h"

typedef struct {
  const TccArray *x, *w;
  int64_t lanes, channels, groups, depth; /* depth: channels of a group */
  int64_t phases[2], shift[2];
  const int64_t *strides, *pads, *dilations;
  bool depthwise, plain;
} Blocked;

/* A product of the sum for output channel m of image n: channel c of m's group, at (ih, iw) of x and (kh, kw) of the kernel of a phase. */
typedef struct {
  int64_t n, m, phase, c, ih, iw, kh, kw;
} Product;

static int64_t place_in_x(const Blocked *b, const Product *p) {
  const int64_t *xd = b->x->dims, *wd = b->w->dims;
  int64_t channel = b->depthwise ? p->m : p->m / (wd[0] * wd[5] / b->groups) * b->depth + p->c;
  if (b->plain) return ((p->n * xd[1] + channel) * xd[2] + p->ih) * xd[3] + p->iw;
  return (((p->n * xd[1] + channel / b->lanes) * xd[2] + p->ih) * xd[3] + p->iw) * b->lanes + channel % b->lanes;
}

/* Of bytes and bf16, channels of weights stand in words: [panels, blocks, KH, KW, J * L/W, V * L, W], W = 4 or 2. */
static int64_t place_in_w(const Blocked *b, const Product *p) {
  const int64_t *wd = b->w->dims;
  if (b->depthwise) return ((p->m / b->lanes * wd[1] + p->kh) * wd[2] + p->kw) * b->lanes + p->m % b->lanes;
  int64_t word = b->w->rank == 7 ? wd[6] : 1, joined = wd[4] * word, lane = p->c % joined;
  int64_t panel = p->phase * (wd[0] / (b->phases[0] * b->phases[1])) + p->m / wd[5];
  int64_t row = (((panel * wd[1] + p->c / joined) * wd[2] + p->kh) * wd[3] + p->kw) * wd[4] + lane / word;
  return (row * wd[5] + p->m % wd[5]) * word + lane % word;
}

/* One result of a tile of m x m: A' (sum of channels of w . (B' d B)) A at (row, column). */
static double winograd_at(const Blocked *b, int64_t m, int64_t n, int64_t made, int64_t oh, int64_t ow) {
  const int64_t *xd = b->x->dims, *wd = b->w->dims, side = m + 2, top = oh / m * m - b->pads[0], left = ow / m * m - b->pads[1];
  const TccWinogradMatrices *of = tcc_winograd_matrices((int)m);
  double sum = 0;
  for (int64_t c = 0; c < b->depth; c++) {
    double d[6][6] = {{0}};
    for (int64_t i = 0; i < side; i++)
      for (int64_t j = 0; j < side; j++) {
        int64_t ih = top + i, iw = left + j;
        if (ih >= 0 && ih < xd[2] && iw >= 0 && iw < xd[3])
          d[i][j] = b->x->at[(((n * xd[1] + c / b->lanes) * xd[2] + ih) * xd[3] + iw) * b->lanes + c % b->lanes].f;
      }
    for (int64_t i = 0; i < side; i++)
      for (int64_t j = 0; j < side; j++) {
        double v = 0, w = b->w->at[((((made / wd[5] * side + i) * side + j) * wd[3] + c / wd[4]) * wd[4] + c % wd[4]) * wd[5] +
                                   made % wd[5]]
                              .f;
        for (int64_t p = 0; p < side; p++)
          for (int64_t q = 0; q < side; q++) v += of->input[i][p] * of->input[j][q] * d[p][q];
        sum += of->output[oh % m][i] * of->output[ow % m][j] * w * v;
      }
  }
  return sum;
}

static TccStatus *by_winograd(TccEval *e, const Blocked *b) {
  TccArray *r = e->out[0];
  int64_t o[5] = {0}, at = 0, all = tcc_i64(e->ir, e->op, "out_channels"), m = tcc_i64(e->ir, e->op, "winograd");
  if (r->count == 0) return NULL;
  do {
    int64_t made = o[1] * b->lanes + o[4];
    double sum = made < all ? winograd_at(b, m, o[0], made, o[2], o[3]) : 0;
    r->at[at++].f = tcc_round_to(r->elem, sum + (e->in[2] ? e->in[2]->at[made].f : 0));
  } while (tcc_next_index(5, r->dims, o));
  return NULL;
}

TccStatus *tcc_eval_conv_blocked(TccEval *e) {
  TccArray *r = e->out[0];
  size_t n;
  Blocked b = {.x = e->in[0],
               .w = e->in[1],
               .lanes = tcc_i64(e->ir, e->op, "lanes"),
               .channels = tcc_i64(e->ir, e->op, "channels"),
               .groups = tcc_i64(e->ir, e->op, "groups")};
  b.strides = tcc_eval_ints(e, "strides", &n), b.pads = tcc_eval_ints(e, "pads", &n),
  b.dilations = tcc_eval_ints(e, "dilations", &n);
  b.depthwise = b.w->rank == 4, b.plain = b.x->rank == 4;
  b.depth = b.channels / b.groups;
  b.phases[0] = tcc_i64(e->ir, e->op, "phases_h"), b.phases[1] = tcc_i64(e->ir, e->op, "phases_w");
  b.shift[0] = tcc_i64(e->ir, e->op, "shift_h"), b.shift[1] = tcc_i64(e->ir, e->op, "shift_w");
  bool bytes = !r->is_float;
  if (bytes && b.w->rank != 7 && !b.depthwise) return TCC_ERROR(TCC_UNSUPPORTED, "conv_blocked of integers that are no bytes");
  if (tcc_i64(e->ir, e->op, "winograd") > 1) return by_winograd(e, &b);
  const int64_t *kernel = b.w->dims + (b.depthwise ? 1 : 2);
  int64_t o[5] = {0}, at = 0, made = tcc_i64(e->ir, e->op, "out_channels");
  if (r->count == 0) return NULL;
  do {
    int64_t m = o[1] * b.lanes + o[4], oh = o[2] / b.phases[0], ow = o[3] / b.phases[1],
            phase = o[2] % b.phases[0] * b.phases[1] + o[3] % b.phases[1],
            top = oh * b.strides[0] - b.pads[0] + (b.shift[0] && o[2] % b.phases[0] >= b.shift[0]),
            left = ow * b.strides[1] - b.pads[1] + (b.shift[1] && o[3] % b.phases[1] >= b.shift[1]);
    double sum = e->in[2] && !bytes ? e->in[2]->at[m].f : 0;
    int64_t whole = e->in[2] && bytes ? e->in[2]->at[m].i : 0;
    for (int64_t c = 0; c < b.depth && m < made; c++)
      for (int64_t kh = 0; kh < kernel[0]; kh++)
        for (int64_t kw = 0; kw < kernel[1]; kw++) {
          int64_t ih = top + kh * b.dilations[0], iw = left + kw * b.dilations[1];
          if (ih < 0 || ih >= b.x->dims[2] || iw < 0 || iw >= b.x->dims[3]) continue;
          const Product p = {o[0], m, phase, c, ih, iw, kh, kw};
          int64_t xi = place_in_x(&b, &p), wi = place_in_w(&b, &p);
          if (bytes) whole += b.x->at[xi].i * b.w->at[wi].i;
          else sum += b.x->at[xi].f * b.w->at[wi].f;
        }
    if (bytes) r->at[at++].i = whole; /* phases of bytes are not made */
    else r->at[at++].f = tcc_round_to(r->elem, sum);
  } while (tcc_next_index(5, r->dims, o));
  return NULL;
}
