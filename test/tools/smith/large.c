/* large.c - layers in the sizes that models have, with which a module begins: products, convolutions, chains of them (chain.c), attention,
 * images and rows.
 *
 * Sizes are spread evenly over their logarithms, often multiples of what vectors hold, and kept within so many multiply-adds that the
 * interpreter takes less than a second. Any op that follows may read what is here. */
#include "test/tools/smith/ops.h"

enum { WORK = 12000000, ELEMENTS = 150000, MOST_BATCH = 12 };

/* From least to most; often a multiple of 8, or what the symbol stands for. */
static int64_t some_size(SmithGraph *g, int64_t least, int64_t most) {
  if (smith_chance(g, 15) && g->symbol >= least && g->symbol <= most) return g->symbol;
  const double at = (double)smith_random(g, 1 << 20) * 0x1p-20;
  const int64_t size = (int64_t)((double)least * pow((double)most / (double)least, at) + 0.5);
  return size >= 16 && smith_chance(g, 40) ? size / 8 * 8 : size;
}

static TccElem some_float(SmithGraph *g) { return smith_chance(g, 75) ? TCC_ELEM_F32 : smith_any_float(g); }

/* Numbers that products of many of them stay small with; integers leave sums exact. */
static size_t factor(SmithGraph *g, TccElem elem, int rank, const int64_t *dims, bool integral) {
  return smith_leaf(g, elem, rank, dims, integral, integral ? -2 : -1, integral ? 2 : 1, true);
}

/* ---- what layers end with ---- */

static size_t activated(SmithGraph *g, size_t v) {
  static const char *const names[] = {"tcc.relu", "tcc.gelu", "tcc.swish", "tcc.tanh", "tcc.hard_swish"};
  const size_t which = smith_random(g, 5);
  const SmithValue x = g->values[v];
  const double bound = which == 3 ? 1 : x.bound;
  return smith_op(g, names[which], &v, 1, "", rule_tells, which == 0 && x.integral, bound,
                  smith_rounded(g, v, 1.5 * x.error, which ? 16 : 0, bound));
}

/* A bias of the axis, an activation, a residual, the result turned: each or none. */
static void finish(SmithGraph *g, size_t v, int axis) {
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  int64_t dims[SMITH_MAX_RANK];
  for (int i = 0; i < x.rank; i++) dims[i] = i == axis ? x.dims[i] : 1;
  if (smith_chance(g, 40)) {
    const size_t bias = smith_leaf(g, x.elem, x.rank - axis, dims + axis, true, -2, 2, false);
    const size_t sum = bias == SIZE_MAX ? bias
                                        : smith_op(g, "tcc.add", (size_t[]){v, bias}, 2, "", rule_tells, x.integral, x.bound + 2,
                                                   smith_rounded(g, v, x.error, 1, x.bound + 2));
    if (sum != SIZE_MAX) v = sum;
  }
  if (smith_chance(g, 40)) {
    const size_t active = activated(g, v);
    if (active != SIZE_MAX) v = active;
  }
  if (smith_chance(g, 25)) {
    const SmithValue y = g->values[v];
    const size_t other = smith_leaf(g, y.elem, y.rank, y.dims, true, -3, 3, true);
    const size_t sum = other == SIZE_MAX ? other
                                         : smith_op(g, "tcc.add", (size_t[]){v, other}, 2, "", rule_tells, y.integral, y.bound + 3,
                                                    smith_rounded(g, v, y.error, 1, y.bound + 3));
    if (sum != SIZE_MAX) v = sum;
  }
  if (x.rank > 1 && smith_chance(g, 20)) {
    TccText attributes = smith_open_attributes();
    int64_t order[SMITH_MAX_RANK];
    for (int i = 0; i < x.rank; i++) order[i] = i;
    const int a = (int)smith_random(g, (uint64_t)x.rank), b = (int)smith_random(g, (uint64_t)x.rank);
    order[a] = b, order[b] = a;
    smith_put_ints(&attributes, "perm", order, x.rank);
    smith_add_moved(g, "tcc.transpose", v, &attributes, rule_tells);
  }
}

/* ---- products ---- */

typedef struct {
  int64_t batch, m, n, k;
} Sizes;

static bool fits(const Sizes *s) {
  const double all = (double)s->batch * (double)s->m * (double)s->n * (double)s->k;
  return all <= WORK && s->batch * s->m * s->k <= ELEMENTS && s->batch * s->n * s->k <= ELEMENTS &&
         s->batch * s->m * s->n <= ELEMENTS;
}

/* Deep, wide, tall, even, or few rows. */
static bool some_product(SmithGraph *g, Sizes *out) {
  static const struct {
    int64_t m, n, k, least_m, least_n, least_k;
  } kinds[] = {{150, 150, 9000, 8, 8, 1500},
               {20, 5000, 300, 1, 500, 8},
               {3000, 64, 300, 200, 1, 4},
               {300, 300, 300, 20, 20, 20},
               {4, 3000, 2000, 1, 32, 32}};
  for (int tries = 0; tries < 20; tries++) {
    const size_t i = smith_random(g, sizeof kinds / sizeof *kinds);
    const int64_t batch = g->symbol <= MOST_BATCH && smith_chance(g, 50) ? g->symbol : some_size(g, 1, MOST_BATCH);
    *out = (Sizes){smith_chance(g, 40) ? 1 : batch, some_size(g, kinds[i].least_m, kinds[i].m),
                   some_size(g, kinds[i].least_n, kinds[i].n), some_size(g, kinds[i].least_k, kinds[i].k)};
    if (fits(out)) return true;
  }
  return false;
}

/* The three axes of an operand in any order: where batch, free and contracted are. */
static void any_order(SmithGraph *g, int64_t *at) {
  for (int i = 0; i < 3; i++) at[i] = i;
  for (int i = 2; i > 0; i--) {
    const int k = smith_chance(g, 50) ? i : (int)smith_random(g, (uint64_t)i + 1);
    const int64_t kept = at[i];
    at[i] = at[k], at[k] = kept;
  }
}

static void add_dot(SmithGraph *g) {
  Sizes s;
  int64_t at[2][3], dims[2][3];
  if (!some_product(g, &s)) return;
  const TccElem elem = some_float(g);
  const bool integral = smith_chance(g, 60), batched = s.batch > 1 || smith_chance(g, 10);
  size_t operand[2];
  for (int i = 0; i < 2; i++) {
    any_order(g, at[i]);
    if (!batched) at[i][0] = 2, at[i][1] = smith_chance(g, 50), at[i][2] = 1 - at[i][1];
    dims[i][at[i][0]] = s.batch, dims[i][at[i][1]] = i ? s.n : s.m, dims[i][at[i][2]] = s.k;
    operand[i] = factor(g, elem, 2 + batched, dims[i], integral);
    if (operand[i] == SIZE_MAX) return;
  }
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "lhs_batch", &at[0][0], batched);
  smith_put_ints(&attributes, "rhs_batch", &at[1][0], batched);
  smith_put_ints(&attributes, "lhs_contract", &at[0][2], 1);
  smith_put_ints(&attributes, "rhs_contract", &at[1][2], 1);
  tcc_text_printf(&attributes, "}");
  const size_t before = g->count;
  smith_add_product(g, "tcc.dot_general", operand, 2, attributes.data, (double)s.k);
  tcc_text_destroy(&attributes);
  if (g->count > before) finish(g, g->count - 1, g->values[g->count - 1].rank - 1);
}

/* A layer, whose weights may be of bytes or half a byte with a scale for each row, or each block of one. */
static void add_linear(SmithGraph *g) {
  Sizes s;
  if (!some_product(g, &s)) return;
  const int64_t dims[] = {s.batch, s.m, s.k}, block = 32;
  const int rank = 2 + (s.batch > 1);
  const bool narrow = smith_chance(g, 50), blocks = narrow && s.k > 2 * block && smith_chance(g, 60);
  if (blocks) s.k = s.k / block * block;
  const int64_t x_dims[] = {dims[0], dims[1], s.k}, w_dims[] = {s.n, s.k / block, block}, whole[] = {s.n, s.k};
  const TccElem elem = narrow ? TCC_ELEM_F32 : some_float(g);
  const bool integral = smith_chance(g, 60);
  const size_t x = factor(g, elem, rank, x_dims + 3 - rank, integral);
  size_t w;
  if (!narrow) w = factor(g, elem, 2, whole, integral);
  else {
    static const TccElem types[] = {TCC_ELEM_I8, TCC_ELEM_I8, TCC_ELEM_U4, TCC_ELEM_I4, TCC_ELEM_BF16};
    const TccElem type = types[smith_random(g, 5)];
    w = smith_leaf(g, type, blocks ? 3 : 2, blocks ? w_dims : whole, true, -2, 2, false);
    if (w != SIZE_MAX)
      w = smith_op(g, "tcc.convert", &w, 1, "", smith_type(g, TCC_ELEM_F32, g->values[w].rank, g->values[w].dims), true, 2, 0);
    const size_t scale = smith_leaf(g, TCC_ELEM_F32, blocks ? 3 : 2,
                                    blocks ? (int64_t[]){s.n, s.k / block, 1} : (int64_t[]){s.n, 1}, true, 1, 2, false);
    if (w != SIZE_MAX && scale != SIZE_MAX && smith_chance(g, 80))
      w = smith_op(g, "tcc.mul", (size_t[]){w, scale}, 2, "", rule_tells, true, 4, 0);
    TccText none = {0};
    if (w != SIZE_MAX && blocks) w = smith_add_moved(g, "tcc.reshape", w, &none, smith_type(g, TCC_ELEM_F32, 2, whole));
  }
  const size_t bias = smith_chance(g, 50) ? smith_leaf(g, elem, 1, &s.n, true, -2, 2, false) : SIZE_MAX, before = g->count;
  if (x == SIZE_MAX || w == SIZE_MAX) return;
  smith_add_product(g, "tcc.linear", (size_t[]){x, w, bias}, 3, "", (double)s.k);
  if (g->count > before) finish(g, g->count - 1, g->values[g->count - 1].rank - 1);
}

/* ---- images ---- */

static void add_conv(SmithGraph *g) {
  static const int64_t kernels[] = {1, 1, 3, 3, 3, 5, 7, 2};
  const int spatial = smith_chance(g, 80) ? 2 : 1 + 2 * (int)smith_random(g, 2);
  int64_t dims[5], w[5], strides[3], pads[6], dilations[3];
  double depth, work;
  const bool depthwise = smith_chance(g, 20);
  int64_t groups = depthwise || smith_chance(g, 75) ? 1 : 1 + (int64_t)smith_random(g, 8), out;
  for (int tries = 0;; tries++) {
    const int64_t each = smith_chance(g, 20) ? 1 + (int64_t)smith_random(g, 4) : some_size(g, 8, 200);
    out = groups * (depthwise ? each : some_size(g, groups > 1 ? 1 : 8, groups > 1 ? 40 : 200));
    if (depthwise) groups = each, out = each * (smith_chance(g, 90) ? 1 : 2);
    dims[0] = smith_chance(g, 60) ? 1 : some_size(g, 1, 4), dims[1] = depthwise ? each : groups * each;
    w[0] = out, w[1] = depthwise ? 1 : each, depth = (double)w[1], work = (double)dims[0] * (double)out;
    const int64_t kernel = kernels[smith_random(g, 8)];
    for (int i = 0; i < spatial; i++) {
      w[2 + i] = smith_chance(g, 85) ? kernel : kernels[smith_random(g, 8)];
      strides[i] = smith_chance(g, 70) ? 1 : 1 + (int64_t)smith_random(g, 3);
      dilations[i] = smith_chance(g, 90) ? 1 : 2;
      pads[i] = pads[spatial + i] = smith_chance(g, 70) ? w[2 + i] / 2 : 0;
      if (smith_chance(g, 10)) pads[i] = (int64_t)smith_random(g, 4);
      dims[2 + i] = (w[2 + i] - 1) * dilations[i] + some_size(g, smith_chance(g, 20) ? 1 : 6,
                                                              spatial == 1   ? 3000
                                                              : spatial == 2 ? 80
                                                                             : 12);
      depth *= (double)w[2 + i], work *= (double)dims[2 + i] / (double)strides[i];
    }
    double elements = (double)dims[0] * (double)dims[1];
    for (int i = 0; i < spatial; i++) elements *= (double)dims[2 + i];
    if (work * depth <= WORK && elements <= ELEMENTS && work <= ELEMENTS && depth * (double)out <= ELEMENTS) break;
    if (tries > 30) return;
    if (depthwise) groups = 1;
  }
  const TccElem elem = some_float(g);
  const bool integral = smith_chance(g, 40);
  const size_t x = factor(g, elem, 2 + spatial, dims, integral), weight = factor(g, elem, 2 + spatial, w, integral);
  const size_t bias = smith_chance(g, 50) ? smith_leaf(g, elem, 1, &out, true, -2, 2, false) : SIZE_MAX, before = g->count;
  if (x == SIZE_MAX || weight == SIZE_MAX) return;
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "strides", strides, spatial);
  smith_put_ints(&attributes, "pads", pads, 2 * spatial);
  smith_put_ints(&attributes, "dilations", dilations, spatial);
  tcc_text_printf(&attributes, ", groups = %lld : i64}", (long long)groups);
  const SmithValue a = g->values[x], b = g->values[weight];
  const double bound = depth * a.bound * b.bound + 2;
  smith_op(g, "tcc.conv", (size_t[]){x, weight, bias}, 3, attributes.data, rule_tells, false, bound,
           smith_rounded(g, x, 0, 64 + 8 * sqrt(depth), bound)); /* Winograd's sums are larger, and not exact */
  tcc_text_destroy(&attributes);
  if (g->count > before) finish(g, g->count - 1, 1);
}

/* ---- attention ---- */

static void add_attention(SmithGraph *g) {
  static const int64_t widths[] = {8, 16, 32, 40, 64, 64, 80, 96, 128, 33};
  const int64_t b = smith_chance(g, 70) ? 1 : 2, kv = 1 + (int64_t)smith_random(g, 4), h = kv * (1 + (int64_t)smith_random(g, 3));
  int64_t s, t, d;
  for (int tries = 0;; tries++) {
    s = smith_chance(g, 20) ? 1 + (int64_t)smith_random(g, 3) : some_size(g, 1, 300),
    t = smith_chance(g, 60) ? s : some_size(g, s, 800);
    d = widths[smith_random(g, 10)];
    if (b * h * s * t * d <= WORK && b * h * t * d <= ELEMENTS) break;
    if (tries > 30) return;
  }
  const TccElem elem = some_float(g);
  const size_t q = factor(g, elem, 4, (int64_t[]){b, h, s, d}, false), k = factor(g, elem, 4, (int64_t[]){b, kv, t, d}, false),
               v = factor(g, elem, 4, (int64_t[]){b, kv, t, d}, false);
  const bool causal = smith_chance(g, 50), bits = smith_chance(g, 20);
  const int64_t rows = smith_chance(g, 30) ? 1 : s;
  size_t mask = SIZE_MAX;
  if (bits) mask = smith_leaf(g, TCC_ELEM_BOOL, 4, (int64_t[]){b, 1, rows, t}, true, 0, 1, false);
  else if (smith_chance(g, 30)) mask = smith_leaf(g, elem, 2, (int64_t[]){rows, t}, false, -2, 2, false);
  if (q == SIZE_MAX || k == SIZE_MAX || v == SIZE_MAX) return;
  char attributes[160], offset[40] = "";
  if (causal && smith_chance(g, 60)) snprintf(offset, sizeof offset, ", offset = [%d]", (int)(t - s));
  snprintf(attributes, sizeof attributes, "{scale = 0.125%s%s%s%s}", causal ? ", causal = true" : "", offset,
           bits ? ", zero_masked = true" : "", smith_chance(g, 10) ? ", softcap = 3.0" : "");
  const double scores = 0.125 * (double)d + 2, wrong = 8 * smith_unit(elem) * scores;
  smith_op(g, "tcc.attention", (size_t[]){q, k, v, mask}, 4, attributes, rule_tells, false, 1,
           smith_rounded(g, q, 2 * wrong, 32 + sqrt((double)t), 1));
}

/* ---- rows, columns and images that other ops read ---- */

static void add_rows(SmithGraph *g) {
  int64_t dims[4];
  const int rank = 1 + (int)smith_random(g, 4);
  for (int tries = 0;; tries++) {
    int64_t count = 1;
    for (int i = 0; i < rank; i++) dims[i] = some_size(g, 1, rank == 1 ? ELEMENTS : rank == 2 ? 8000 : 400), count *= dims[i];
    if (count <= ELEMENTS && count > 2000) break;
    if (tries > 50) return;
  }
  const TccElem elem = smith_chance(g, 70) ? some_float(g) : smith_any_elem(g);
  if (smith_any_leaf(g, elem, rank, dims) == SIZE_MAX) return;
  static void (*const readers[])(SmithGraph *g) = {smith_add_softmax, smith_add_norm,      smith_add_reduce,  smith_add_cumulative,
                                                   smith_add_topk,    smith_add_transpose, smith_add_gather,  smith_add_arg_reduce,
                                                   smith_add_pool,    smith_add_resize,    smith_add_scatter, smith_add_concat};
  for (int i = 0; i < 2; i++) readers[smith_random(g, sizeof readers / sizeof *readers)](g);
}

void smith_grow_large(SmithGraph *g) {
  static void (*const kinds[])(SmithGraph *g) = {add_dot,
                                                 add_dot,
                                                 add_linear,
                                                 add_linear,
                                                 add_conv,
                                                 add_conv,
                                                 add_conv,
                                                 add_attention,
                                                 add_rows,
                                                 smith_add_chain,
                                                 smith_add_filter_grad,
                                                 smith_add_quantised,
                                                 smith_add_quantised_product};
  kinds[smith_random(g, sizeof kinds / sizeof *kinds)](g);
}
