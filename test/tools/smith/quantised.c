/* quantised.c - bytes as numbers with a scale and a zero point, and convolutions of them, as exporters spell them.
 *
 * Scales are 1, 2 and 4, and numbers small, so that all sums are exact in f32 and what is rounded is the same in any arithmetic. */
#include "test/tools/smith/ops.h"

static size_t number(SmithGraph *g, double value) { return smith_leaf(g, TCC_ELEM_F32, 0, NULL, true, value, value, false); }

static bool is_image_of_bytes(const SmithValue *v, const void *more) {
  (void)more;
  return v->elem == TCC_ELEM_U8 && v->integral && v->rank == 4 && v->dims[2] > 2 && v->dims[3] > 2 && v->dims[1] < 200 &&
         v->bound <= 255;
}

/* (convert(q) - zero) * scale */
static size_t dequantised(SmithGraph *g, size_t q, double zero, double scale) {
  double bound = g->values[q].bound;
  size_t x =
      smith_op(g, "tcc.convert", &q, 1, "", smith_type(g, TCC_ELEM_F32, g->values[q].rank, g->values[q].dims), true, bound, 0);
  if (x != SIZE_MAX && zero != 0)
    x = smith_op(g, "tcc.sub", (size_t[]){x, number(g, zero)}, 2, "", rule_tells, true, bound += zero, 0);
  return x == SIZE_MAX ? x : smith_op(g, "tcc.mul", (size_t[]){x, number(g, scale)}, 2, "", rule_tells, true, bound * scale, 0);
}

/* convert(clamp(round(x / scale) + zero, 0, 255)) */
static void quantise(SmithGraph *g, size_t x, double scale, double zero) {
  const double bound = g->values[x].bound / scale;
  x = smith_op(g, "tcc.div", (size_t[]){x, number(g, scale)}, 2, "", rule_tells, false, bound, 0);
  if (x != SIZE_MAX) x = smith_op(g, "tcc.round", &x, 1, "", rule_tells, true, bound + 1, 0);
  if (x != SIZE_MAX && zero != 0)
    x = smith_op(g, "tcc.add", (size_t[]){x, number(g, zero)}, 2, "", rule_tells, true, bound + 1 + zero, 0);
  if (x != SIZE_MAX) x = smith_op(g, "tcc.clamp", (size_t[]){x, number(g, 0), number(g, 255)}, 3, "", rule_tells, true, 255, 0);
  if (x == SIZE_MAX) return;
  smith_op(g, "tcc.convert", &x, 1, "", smith_type(g, TCC_ELEM_U8, g->values[x].rank, g->values[x].dims), true, 255, 0);
}

static double scale_of(SmithGraph *g) { return (double)(1 << smith_random(g, 3)); }

/* Another image of bytes of the shape of x, dequantised, is added. */
static size_t with_residual(SmithGraph *g, size_t x) {
  const SmithValue v = g->values[x];
  const size_t q = smith_leaf(g, TCC_ELEM_U8, 4, v.dims, true, 0, 255, false);
  const size_t r = q == SIZE_MAX ? q : dequantised(g, q, smith_chance(g, 50) ? 0 : 121, scale_of(g));
  if (r == SIZE_MAX) return x;
  return smith_op(g, "tcc.add", (size_t[]){x, r}, 2, "", rule_tells, true, v.bound + g->values[r].bound, 0);
}

/* How large a convolution is: of a few channels, or as models have them. */
typedef struct {
  int64_t image[4], window[4], groups;
  double depth;
} Sizes;

static Sizes some_sizes(SmithGraph *g) {
  enum { MOST_WORK = 8000000 };
  Sizes s;
  const uint64_t most = g->large ? 256 : 90, rows = g->large ? 40 : 9, columns = g->large ? 60 : 36;
  do {
    const int64_t channels = 1 + (int64_t)smith_random(g, smith_chance(g, 20) ? 4 : most), kernel = 1 + (int64_t)smith_random(g, 3);
    const bool depthwise = g->large && smith_chance(g, 10);
    s = (Sizes){
        {1 + (int64_t)smith_random(g, 2), channels, 3 + (int64_t)smith_random(g, rows), 3 + (int64_t)smith_random(g, columns)},
        {depthwise ? channels : 8 + (int64_t)smith_random(g, most), depthwise ? 1 : channels, kernel,
         smith_chance(g, 60) ? kernel : 1 + (int64_t)smith_random(g, 3)},
        depthwise ? channels : 1,
        0};
    s.depth = (double)(s.window[1] * s.window[2] * s.window[3]);
  } while (s.depth * (double)(s.image[0] * s.window[0] * s.image[2] * s.image[3]) > MOST_WORK);
  return s;
}

/* What weights may be so that sums of products with x are exact in f32. */
static double most_weight(SmithGraph *g, const SmithValue *x, double depth) {
  const double most = floor(0x1p23 / (2 * x->bound * depth));
  return fmin(smith_chance(g, 70) ? 3 : 127, most);
}

void smith_add_quantised(SmithGraph *g) {
  size_t q = smith_chance(g, 60) ? smith_pick(g, is_image_of_bytes, NULL) : SIZE_MAX;
  Sizes sizes = some_sizes(g);
  if (q != SIZE_MAX) {
    const SmithValue *there = &g->values[q];
    sizes.depth = (double)(there->dims[1] * sizes.window[2] * sizes.window[3]);
    sizes.window[0] = 8 + (int64_t)smith_random(g, 90), sizes.window[1] = there->dims[1], sizes.groups = 1;
  } else q = smith_leaf(g, TCC_ELEM_U8, 4, sizes.image, true, 0, smith_chance(g, 70) ? 15 : 255, false);
  if (q == SIZE_MAX) return;
  const double zero = smith_chance(g, 60) ? 0 : (double)smith_random(g, 8);
  size_t x = dequantised(g, q, zero, scale_of(g));
  if (x == SIZE_MAX) return;
  const int64_t out = sizes.window[0], scales[] = {out, 1, 1, 1};
  const double most = most_weight(g, &g->values[x], sizes.depth);
  if (most < 1) return;
  /* of weights that are not stored no convolution of bytes is made */
  const size_t w = smith_stored(g, TCC_ELEM_I8, 4, sizes.window, true, most == 127 ? -128 : -most, most),
               s = smith_leaf(g, TCC_ELEM_F32, 4, scales, true, 1, 2, false),
               bias = smith_chance(g, 60) ? smith_leaf(g, TCC_ELEM_F32, 1, &out, true, -9, 9, false) : SIZE_MAX;
  if (w == SIZE_MAX || s == SIZE_MAX) return;
  size_t wide = smith_op(g, "tcc.convert", &w, 1, "", smith_type(g, TCC_ELEM_F32, 4, sizes.window), true, most + 1, 0);
  if (wide != SIZE_MAX) wide = smith_op(g, "tcc.mul", (size_t[]){wide, s}, 2, "", rule_tells, true, 2 * most + 2, 0);
  if (wide == SIZE_MAX) return;
  const double bound = g->values[x].bound * (2 * most + 2) * sizes.depth + 9;
  if (bound >= 0x1p24) return; /* sums are exact in f32 below */
  char attributes[200];
  const long long stride = 1 + (long long)smith_random(g, 2), pad = (long long)smith_random(g, 2);
  snprintf(
      attributes, sizeof attributes,
      "{strides = array<i64: %lld, %lld>, pads = array<i64: %lld, %lld, %lld, %lld>, dilations = array<i64: 1, 1>, groups = %lld : i64}",
      stride, stride, pad, pad, pad, pad, (long long)sizes.groups);
  x = smith_op(g, "tcc.conv", (size_t[]){x, wide, bias}, 3, attributes, rule_tells, true, bound, 0);
  if (x != SIZE_MAX && smith_chance(g, 40)) x = smith_op(g, "tcc.relu", &x, 1, "", rule_tells, true, bound, 0);
  if (x != SIZE_MAX && smith_chance(g, 40)) x = with_residual(g, x);
  if (x != SIZE_MAX && smith_chance(g, 80)) quantise(g, x, (double)(1 << (2 + smith_random(g, 9))), smith_chance(g, 50) ? 0 : 121);
}

/* Rows of bytes, signed or not, times a matrix of bytes whose columns have scales of their own. */
void smith_add_quantised_product(SmithGraph *g) {
  const TccElem elem = smith_chance(g, 60) ? TCC_ELEM_U8 : TCC_ELEM_I8;
  const int64_t k = 1 + (int64_t)smith_random(g, g->large ? 1500 : 90), n = 1 + (int64_t)smith_random(g, g->large ? 600 : 90);
  const int64_t rows = 1 + (int64_t)smith_random(g, g->large && smith_chance(g, 60) ? 200 : 20);
  const int64_t dims[] = {1 + (int64_t)smith_random(g, 3), smith_chance(g, 30) ? g->symbol : rows, k};
  const int rank = 2 + (int)smith_random(g, 2);
  const bool each = smith_chance(g, 60), linear = smith_chance(g, 50), wide_range = smith_chance(g, 30);
  const double least = elem == TCC_ELEM_U8 ? 0 : wide_range ? -128 : -15;
  const size_t q = smith_leaf(g, elem, rank, dims + 3 - rank, true, least,
                              !wide_range           ? 15
                              : elem == TCC_ELEM_U8 ? 255
                                                    : 127,
                              true);
  if (q == SIZE_MAX) return;
  size_t x = dequantised(g, q, smith_chance(g, 60) ? 0 : (double)smith_random(g, 8), scale_of(g));
  if (x == SIZE_MAX) return;
  const double most = most_weight(g, &g->values[x], (double)k);
  if (most < 1) return;
  const size_t w = smith_leaf(g, TCC_ELEM_I8, 2, linear ? (int64_t[]){n, k} : (int64_t[]){k, n}, true, most == 127 ? -128 : -most,
                              most, false),
               s = each ? smith_leaf(g, TCC_ELEM_F32, linear ? 2 : 1, linear ? (int64_t[]){n, 1} : &n, true, 1, 2, false)
                        : number(g, 2),
               bias = smith_chance(g, 60) ? smith_leaf(g, TCC_ELEM_F32, 1, &n, true, -9, 9, false) : SIZE_MAX;
  if (w == SIZE_MAX || s == SIZE_MAX) return;
  size_t wide = smith_op(g, "tcc.convert", &w, 1, "", smith_type(g, TCC_ELEM_F32, 2, g->values[w].dims), true, most + 1, 0);
  if (wide != SIZE_MAX) wide = smith_op(g, "tcc.mul", (size_t[]){wide, s}, 2, "", rule_tells, true, 2 * most + 2, 0);
  if (wide == SIZE_MAX) return;
  double bound = g->values[x].bound * (2 * most + 2) * (double)k;
  if (bound + 9 >= 0x1p24) return; /* sums are exact in f32 below */
  x = linear ? smith_op(g, "tcc.linear", (size_t[]){x, wide, bias}, 3, "", rule_tells, true, bound += 9, 0)
             : smith_op(g, "tcc.matmul", (size_t[]){x, wide}, 2, "", rule_tells, true, bound, 0);
  if (x != SIZE_MAX && !linear && bias != SIZE_MAX)
    x = smith_op(g, "tcc.add", (size_t[]){x, bias}, 2, "", rule_tells, true, bound += 9, 0);
  if (x != SIZE_MAX && smith_chance(g, 30)) x = smith_op(g, "tcc.relu", &x, 1, "", rule_tells, true, bound, 0);
  if (x != SIZE_MAX && smith_chance(g, 80)) quantise(g, x, (double)(1 << (2 + smith_random(g, 6))), smith_chance(g, 50) ? 0 : 121);
}
