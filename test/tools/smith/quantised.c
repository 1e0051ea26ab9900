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

void smith_add_quantised(SmithGraph *g) {
  size_t q = smith_chance(g, 60) ? smith_pick(g, is_image_of_bytes, NULL) : SIZE_MAX;
  if (q == SIZE_MAX) {
    const int64_t channels = smith_chance(g, 20) ? 1 + (int64_t)smith_random(g, 4) : 1 + (int64_t)smith_random(g, 90);
    const int64_t dims[] = {1 + (int64_t)smith_random(g, 2), channels, 3 + (int64_t)smith_random(g, 9),
                            3 + (int64_t)smith_random(g, 36)};
    q = smith_leaf(g, TCC_ELEM_U8, 4, dims, true, 0, 15, false);
  }
  if (q == SIZE_MAX) return;
  const SmithValue image = g->values[q];
  const int64_t kh = 1 + (int64_t)smith_random(g, 3), kw = 1 + (int64_t)smith_random(g, 3), out = 8 + (int64_t)smith_random(g, 90);
  const int64_t window[] = {out, image.dims[1], kh, kw}, scales[] = {out, 1, 1, 1};
  const size_t w = smith_leaf(g, TCC_ELEM_I8, 4, window, true, -3, 3, false),
               s = smith_leaf(g, TCC_ELEM_F32, 4, scales, true, 1, 2, false),
               bias = smith_chance(g, 60) ? smith_leaf(g, TCC_ELEM_F32, 1, &out, true, -9, 9, false) : SIZE_MAX;
  const double zero = smith_chance(g, 60) ? 0 : (double)smith_random(g, 8);
  if (w == SIZE_MAX || s == SIZE_MAX) return;
  size_t x = dequantised(g, q, zero, scale_of(g));
  size_t wide = smith_op(g, "tcc.convert", &w, 1, "", smith_type(g, TCC_ELEM_F32, 4, window), true, 3, 0);
  if (wide != SIZE_MAX) wide = smith_op(g, "tcc.mul", (size_t[]){wide, s}, 2, "", rule_tells, true, 6, 0);
  if (x == SIZE_MAX || wide == SIZE_MAX) return;
  const double bound = g->values[x].bound * 6 * (double)(image.dims[1] * kh * kw) + 9;
  if (bound >= 0x1p24) return; /* sums are exact in f32 below */
  char attributes[200];
  const long long stride = 1 + (long long)smith_random(g, 2), pad = (long long)smith_random(g, 2);
  snprintf(
      attributes, sizeof attributes,
      "{strides = array<i64: %lld, %lld>, pads = array<i64: %lld, %lld, %lld, %lld>, dilations = array<i64: 1, 1>, groups = 1 : i64}",
      stride, stride, pad, pad, pad, pad);
  x = smith_op(g, "tcc.conv", (size_t[]){x, wide, bias}, 3, attributes, rule_tells, true, bound, 0);
  if (x != SIZE_MAX && smith_chance(g, 40)) x = smith_op(g, "tcc.relu", &x, 1, "", rule_tells, true, bound, 0);
  if (x != SIZE_MAX && smith_chance(g, 40)) x = with_residual(g, x);
  if (x != SIZE_MAX && smith_chance(g, 80)) quantise(g, x, (double)(1 << (2 + smith_random(g, 9))), smith_chance(g, 50) ? 0 : 121);
}

/* Rows of bytes, signed or not, times a matrix of bytes whose columns have scales of their own. */
void smith_add_quantised_product(SmithGraph *g) {
  const TccElem elem = smith_chance(g, 60) ? TCC_ELEM_U8 : TCC_ELEM_I8;
  const int64_t k = 1 + (int64_t)smith_random(g, 90), n = 1 + (int64_t)smith_random(g, 90);
  const int64_t dims[] = {1 + (int64_t)smith_random(g, 3), smith_chance(g, 30) ? g->symbol : 1 + (int64_t)smith_random(g, 20), k};
  const int rank = 2 + (int)smith_random(g, 2);
  const bool each = smith_chance(g, 60), linear = smith_chance(g, 50);
  const size_t q = smith_leaf(g, elem, rank, dims + 3 - rank, true, elem == TCC_ELEM_U8 ? 0 : -15, 15, true),
               w = smith_leaf(g, TCC_ELEM_I8, 2, linear ? (int64_t[]){n, k} : (int64_t[]){k, n}, true, -3, 3, false),
               s = each ? smith_leaf(g, TCC_ELEM_F32, linear ? 2 : 1, linear ? (int64_t[]){n, 1} : &n, true, 1, 2, false)
                        : number(g, 2),
               bias = smith_chance(g, 60) ? smith_leaf(g, TCC_ELEM_F32, 1, &n, true, -9, 9, false) : SIZE_MAX;
  if (q == SIZE_MAX || w == SIZE_MAX || s == SIZE_MAX) return;
  size_t x = dequantised(g, q, smith_chance(g, 60) ? 0 : (double)smith_random(g, 8), scale_of(g));
  size_t wide = smith_op(g, "tcc.convert", &w, 1, "", smith_type(g, TCC_ELEM_F32, 2, g->values[w].dims), true, 3, 0);
  if (wide != SIZE_MAX) wide = smith_op(g, "tcc.mul", (size_t[]){wide, s}, 2, "", rule_tells, true, 6, 0);
  if (x == SIZE_MAX || wide == SIZE_MAX) return;
  double bound = g->values[x].bound * 6 * (double)k;
  x = linear ? smith_op(g, "tcc.linear", (size_t[]){x, wide, bias}, 3, "", rule_tells, true, bound += 9, 0)
             : smith_op(g, "tcc.matmul", (size_t[]){x, wide}, 2, "", rule_tells, true, bound, 0);
  if (x != SIZE_MAX && !linear && bias != SIZE_MAX)
    x = smith_op(g, "tcc.add", (size_t[]){x, bias}, 2, "", rule_tells, true, bound += 9, 0);
  if (x != SIZE_MAX && smith_chance(g, 30)) x = smith_op(g, "tcc.relu", &x, 1, "", rule_tells, true, bound, 0);
  if (x != SIZE_MAX && smith_chance(g, 80)) quantise(g, x, (double)(1 << (2 + smith_random(g, 6))), smith_chance(g, 50) ? 0 : 121);
}
