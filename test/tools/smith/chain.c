/* chain.c - networks of convolutions as models have them: what x86 keeps in blocks of channels from end to end. */
#include "test/tools/smith/ops.h"

enum { PADDED = 1, HALVED = 2 };
enum { MOST_WORK = 30000000 /* multiply-adds, of the interpreter's too */ };

/* A convolution without growth: weights are so small that results stay near the size of what they come from. */
static size_t conv(SmithGraph *g, size_t v, int64_t out, int64_t kernel, int64_t groups, int how) {
  const SmithValue x = g->values[v];
  const int64_t each = x.dims[1] / groups, stride = how & HALVED ? 2 : 1, pad = how & PADDED ? kernel / 2 : 0;
  const double depth = (double)(each * kernel * kernel), most = 2 / depth;
  if (depth * (double)(x.dims[0] * out * x.dims[2] * x.dims[3]) > MOST_WORK) return SIZE_MAX;
  const size_t w = smith_leaf(g, x.elem, 4, (int64_t[]){out, each, kernel, kernel}, false, -most, most, false),
               bias = smith_chance(g, 50) ? smith_leaf(g, x.elem, 1, &out, false, -1, 1, false) : SIZE_MAX;
  char attributes[200];
  if (w == SIZE_MAX) return SIZE_MAX;
  snprintf(attributes, sizeof attributes,
           "{strides = array<i64: %d, %d>, pads = array<i64: %d, %d, %d, %d>, dilations = array<i64: 1, 1>, groups = %d : i64}",
           (int)stride, (int)stride, (int)pad, (int)pad, (int)pad, (int)pad, (int)groups);
  const double bound = 2 * x.bound + 1;
  return smith_op(g, "tcc.conv", (size_t[]){v, w, bias}, 3, attributes, rule_tells, false, bound,
                  smith_rounded(g, v, 2 * x.error, 64 + 8 * sqrt(depth), bound)); /* Winograd's sums are larger */
}

static size_t normalised(SmithGraph *g, size_t v) {
  const SmithValue x = g->values[v];
  const int64_t c = x.dims[1];
  size_t operands[] = {v, smith_leaf(g, x.elem, 1, &c, false, 0.5, 1, false), smith_leaf(g, x.elem, 1, &c, false, -1, 1, false),
                       smith_leaf(g, x.elem, 1, &c, false, -1, 1, false), smith_leaf(g, x.elem, 1, &c, false, 1, 2, false)};
  for (int i = 1; i < 5; i++)
    if (operands[i] == SIZE_MAX) return SIZE_MAX;
  const double bound = x.bound + 2;
  return smith_op(g, "tcc.batch_norm", operands, 5, "{eps = 0.25}", rule_tells, false, bound,
                  smith_rounded(g, v, x.error, 16, bound));
}

static size_t activated(SmithGraph *g, size_t v) {
  static const char *const names[] = {"tcc.relu", "tcc.hard_swish", "tcc.swish", "tcc.sigmoid", "tcc.gelu"};
  const size_t which = smith_random(g, 5);
  const SmithValue x = g->values[v];
  const double bound = which == 3 ? 1 : x.bound;
  return smith_op(g, names[which], &v, 1, "", rule_tells, false, bound, smith_rounded(g, v, 1.5 * x.error, which ? 16 : 0, bound));
}

static size_t pooled(SmithGraph *g, size_t v) {
  const SmithValue x = g->values[v];
  const bool max = smith_chance(g, 50);
  return smith_op(g, "tcc.pool", &v, 1,
                  max ? "{kind = \"max\", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, "
                        "dilations = array<i64: 1, 1>}"
                      : "{kind = \"avg\", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, "
                        "dilations = array<i64: 1, 1>, ceil_mode = true}",
                  rule_tells, false, x.bound, smith_rounded(g, v, x.error, max ? 0 : 8, x.bound));
}

/* Of each channel the mean, through a small network, times the channel. */
static size_t excited(SmithGraph *g, size_t v) {
  const SmithValue x = g->values[v];
  size_t m = smith_op(g, "tcc.mean", &v, 1, "{axes = array<i64: 2, 3>, keepdims = true}", rule_tells, false, x.bound,
                      smith_rounded(g, v, x.error, 32, x.bound));
  if (m != SIZE_MAX) m = conv(g, m, x.dims[1], 1, 1, 0);
  if (m == SIZE_MAX) return SIZE_MAX;
  const double in = g->values[m].error;
  m = smith_op(g, "tcc.sigmoid", &m, 1, "", rule_tells, false, 1, smith_rounded(g, v, in, 16, 1));
  if (m == SIZE_MAX) return SIZE_MAX;
  return smith_op(g, "tcc.mul", (size_t[]){v, m}, 2, "", rule_tells, false, x.bound,
                  smith_rounded(g, v, x.error + g->values[m].error * x.bound, 1, x.bound));
}

/* Two values of one shape: a sum; of one that differs in channels alone, or a chance: joined along them. */
static size_t merged(SmithGraph *g, size_t a, size_t b) {
  const SmithValue x = g->values[a], y = g->values[b];
  if (smith_same_but(&x, &y, -1) && smith_chance(g, 60))
    return smith_op(g, "tcc.add", (size_t[]){a, b}, 2, "", rule_tells, false, x.bound + y.bound,
                    smith_rounded(g, a, x.error + y.error, 1, x.bound + y.bound));
  if (!smith_same_but(&x, &y, 1) || x.dims[1] + y.dims[1] > (g->large ? 200 : 80)) return a;
  return smith_op(g, "tcc.concat", (size_t[]){a, b}, 2, "{axis = 1 : i64}", rule_tells, false, fmax(x.bound, y.bound),
                  fmax(x.error, y.error));
}

static size_t step(SmithGraph *g, size_t v) {
  static const int64_t channels[2][7] = {{8, 16, 24, 32, 17, 3, 48}, {16, 32, 64, 96, 128, 24, 50}};
  const SmithValue x = g->values[v];
  switch (smith_random(g, 9)) {
  case 0: return x.dims[2] > 2 && x.dims[3] > 2 ? pooled(g, v) : v;
  case 1: return excited(g, v);
  case 2: return conv(g, v, x.dims[1], 3, x.dims[1], smith_chance(g, 30) ? PADDED | HALVED : PADDED);
  case 3: return x.dims[1] % 4 == 0 ? conv(g, v, x.dims[1], 3, x.dims[1] / 4, PADDED) : v;
  case 4: return normalised(g, v);
  default:
    return conv(g, v, smith_chance(g, 40) ? x.dims[1] : channels[g->large][smith_random(g, 7)], smith_chance(g, 50) ? 1 : 3, 1,
                smith_chance(g, 20) ? PADDED | HALVED : PADDED);
  }
}

void smith_add_chain(SmithGraph *g) {
  enum { MOST_IMAGES = 10, MOST_ROWS = 40 };
  const uint64_t more = g->large ? 26 : 12;
  const int64_t dims[] = {smith_chance(g, 30) && g->symbol <= MOST_IMAGES ? g->symbol : 1,
                          smith_chance(g, 40) ? 3
                          : g->large          ? 32
                                              : 16,
                          smith_chance(g, 30) && g->symbol <= MOST_ROWS ? g->symbol : 4 + (int64_t)smith_random(g, more),
                          4 + (int64_t)smith_random(g, more)};
  size_t v = smith_leaf(g, smith_chance(g, 80) ? TCC_ELEM_F32 : TCC_ELEM_BF16, 4, dims, false, -2, 2, true), kept = v;
  for (uint64_t left = 3 + smith_random(g, 5); left && v != SIZE_MAX; left--) {
    const size_t before = v;
    v = step(g, v);
    if (v != SIZE_MAX && smith_chance(g, 40)) v = activated(g, v);
    if (v != SIZE_MAX && v != kept && smith_chance(g, 30)) v = merged(g, v, kept);
    if (smith_chance(g, 40)) kept = before;
  }
}
