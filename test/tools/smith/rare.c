/* rare.c - ops that few models have: places of several axes, triangular systems, derivatives, sizes as numbers. */
#include "test/tools/smith/ops.h"

void smith_add_gather_nd(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int batch = x.rank > 1 ? (int)smith_random(g, 2) : 0, named = 1 + (int)smith_random(g, (uint64_t)(x.rank - batch)),
            more = (int)smith_random(g, 2);
  double room = 100;
  for (int i = batch; i < batch + named; i++) room = fmin(room, (double)x.dims[i]);
  if (room < 1 || x.dims[0] < 1) return;
  for (int i = 0; i < batch; i++) dims[i] = x.dims[i];
  for (int i = 0; i < more; i++) dims[batch + i] = 1 + (int64_t)smith_random(g, 6);
  dims[batch + more] = named;
  const size_t indices = smith_leaf(g, TCC_ELEM_I64, batch + more + 1, dims, true, -room, room - 1, false);
  char attributes[60];
  snprintf(attributes, sizeof attributes, "{batch_dims = %d : i64%s}", batch, smith_chance(g, 50) ? ", valid = \"signed\"" : "");
  if (indices != SIZE_MAX)
    smith_op(g, "tcc.gather_nd", (size_t[]){v, indices}, 2, attributes, rule_tells, x.integral, x.bound, x.error);
}

void smith_add_scatter_nd(SmithGraph *g) {
  static const char *const reductions[] = {"none", "add", "min", "max"};
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least), which = smith_random(g, 4);
  int64_t dims[SMITH_MAX_RANK], count = 1 + (int64_t)smith_random(g, 6);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int named = 1 + (int)smith_random(g, (uint64_t)x.rank);
  double room = 100;
  for (int i = 0; i < named; i++) room = fmin(room, (double)x.dims[i]);
  if (room < 1) return;
  dims[0] = count;
  for (int i = named; i < x.rank; i++) dims[1 + i - named] = x.dims[i];
  const size_t indices = smith_leaf(g, TCC_ELEM_I64, 2, (int64_t[]){count, named}, true, -room, room - 1, false);
  const size_t updates = smith_any_leaf(g, x.elem, 1 + x.rank - named, dims);
  if (indices == SIZE_MAX || updates == SIZE_MAX) return;
  char attributes[60];
  snprintf(attributes, sizeof attributes, "{reduction = \"%s\"}", reductions[which]);
  const double bound = which == 1 ? x.bound + 3 * (double)count : fmax(x.bound, 3);
  smith_op(g, "tcc.scatter_nd", (size_t[]){v, indices, updates}, 3, attributes, rule_tells,
           x.integral && g->values[updates].integral, bound,
           which == 1 ? smith_rounded(g, v, x.error, (double)count, bound) : x.error);
}

/* Entries of a are at most 0.3, its diagonal, if it counts, 1 to 1.25: what one row leaves in the next grows by 1.3 at most. */
void smith_add_solve(SmithGraph *g) {
  const int least = 2;
  const size_t b = smith_pick(g, smith_has_float_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (b == SIZE_MAX) return;
  const SmithValue x = g->values[b];
  const int64_t n = x.dims[x.rank - 2];
  if (n > 8 || x.bound > 50) return;
  memcpy(dims, x.dims, sizeof dims);
  dims[x.rank - 1] = n;
  const size_t a = smith_leaf(g, x.elem, x.rank, dims, false, -0.3, 0.3, true);
  const double grown = pow(1.3, (double)n);
  if (a != SIZE_MAX)
    smith_op(g, "tcc.triangular_solve", (size_t[]){a, b}, 2, smith_chance(g, 50) ? "{unit = true}" : "{unit = true, upper = true}",
             rule_tells, false, x.bound * grown, smith_rounded(g, b, x.error * grown, 4 * (double)n, x.bound * grown));
}

void smith_add_lrn(SmithGraph *g) {
  const int least = 3;
  const size_t v = smith_bring_below(g, smith_pick(g, smith_has_float_axes, &least), 4);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  char attributes[100];
  snprintf(attributes, sizeof attributes, "{alpha = 0.1, beta = 0.75, bias = 1.0, size = %d : i64}",
           1 + 2 * (int)smith_random(g, 3));
  smith_op(g, "tcc.lrn", &v, 1, attributes, rule_tells, false, x.bound, smith_rounded(g, v, 4 * x.error, 32, x.bound));
}

void smith_add_prelu(SmithGraph *g) {
  const int least = 2;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  for (int i = 1; i < x.rank; i++) dims[i - 1] = i == 1 || smith_chance(g, 20) ? x.dims[i] : 1;
  const size_t slope = smith_leaf(g, x.elem, x.rank - 1, dims, false, -1, 1, true);
  if (slope != SIZE_MAX)
    smith_op(g, "tcc.prelu", (size_t[]){v, slope}, 2, "", rule_tells, false, x.bound, smith_rounded(g, v, x.error, 1, x.bound));
}

static bool is_byte(const SmithValue *v, const void *more) {
  (void)more;
  return v->elem == TCC_ELEM_U8 || v->elem == TCC_ELEM_I8;
}
void smith_add_bitcast(SmithGraph *g) {
  const size_t v = smith_pick(g, is_byte, NULL);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const TccElem to = x.elem == TCC_ELEM_U8 ? TCC_ELEM_I8 : TCC_ELEM_U8;
  /* Beyond 127 smith takes a byte for one that wraps: what is negative is left alone. */
  if (x.elem == TCC_ELEM_U8 && x.bound > 127) return;
  const size_t zero = smith_leaf(g, x.elem, 0, NULL, true, 0, 0, false);
  const size_t positive =
      zero == SIZE_MAX ? zero : smith_op(g, "tcc.max", (size_t[]){v, zero}, 2, "", rule_tells, true, x.bound, 0);
  if (positive != SIZE_MAX) smith_op(g, "tcc.bitcast", &positive, 1, "", smith_type(g, to, x.rank, x.dims), true, x.bound, 0);
}

/* A product of bytes, whose sums are of 32 bits. */
void smith_add_bytes(SmithGraph *g) {
  const int64_t m = 1 + (int64_t)smith_random(g, 40), k = 1 + (int64_t)smith_random(g, 70), n = 1 + (int64_t)smith_random(g, 70);
  const TccElem left = smith_chance(g, 50) ? TCC_ELEM_U8 : TCC_ELEM_I8;
  const bool rows = smith_chance(g, 50);
  const size_t a = smith_factor(g, left, 2, (int64_t[]){m, k}),
               b = smith_factor(g, TCC_ELEM_I8, 2, rows ? (int64_t[]){n, k} : (int64_t[]){k, n});
  if (a == SIZE_MAX || b == SIZE_MAX) return;
  smith_op(g, "tcc.dot_general", (size_t[]){a, b}, 2,
           rows ? "{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>}"
                : "{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}",
           rule_tells, true, (double)k * g->values[a].bound * g->values[b].bound, 0);
}

/* The size that the symbol stands for, as a number, if an input says it. */
void smith_add_sizes(SmithGraph *g) {
  if (smith_symbol_is_bound(g))
    smith_op(g, "tcc.sizes", NULL, 0, smith_chance(g, 50) ? "{values = [\"N\"]}" : "{values = [\"2*N + 1\", 3]}", rule_tells, true,
             21, 0);
}

/* x, a window of it, and what flows back through the window. */
void smith_add_filter_grad(SmithGraph *g) {
  int64_t x[4], back[4], kernel[2], strides[2], pads[4], dilations[2];
  enum { MOST_WORK = 12000000 };
  const uint64_t channels = g->large ? 64 : 9, side = g->large ? 40 : 9;
  const int64_t groups = smith_chance(g, 70) ? 1 : 2, n = 1 + (int64_t)smith_random(g, 3);
  double depth = (double)n, each = 1;
  x[0] = back[0] = n, x[1] = groups * (1 + (int64_t)smith_random(g, channels)),
  back[1] = groups * (1 + (int64_t)smith_random(g, channels));
  for (int i = 0; i < 2; i++) {
    kernel[i] = 1 + (int64_t)smith_random(g, 3), strides[i] = 1 + (int64_t)smith_random(g, 2);
    dilations[i] = smith_chance(g, 80) ? 1 : 2;
    pads[i] = (int64_t)smith_random(g, 2), pads[2 + i] = (int64_t)smith_random(g, 2);
    x[2 + i] = (kernel[i] - 1) * dilations[i] + 1 + (int64_t)smith_random(g, side);
    back[2 + i] = (x[2 + i] + pads[i] + pads[2 + i] - (kernel[i] - 1) * dilations[i] - 1) / strides[i] + 1;
    depth *= (double)back[2 + i], each *= (double)kernel[i];
  }
  if (depth * each * (double)(x[1] / groups * back[1]) > MOST_WORK) return;
  const TccElem elem = smith_any_float(g);
  const size_t image = smith_factor(g, elem, 4, x), flow = smith_factor(g, elem, 4, back);
  if (image == SIZE_MAX || flow == SIZE_MAX) return;
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "kernel", kernel, 2);
  smith_put_ints(&attributes, "strides", strides, 2);
  smith_put_ints(&attributes, "pads", pads, 4);
  smith_put_ints(&attributes, "dilations", dilations, 2);
  tcc_text_printf(&attributes, ", groups = %lld : i64}", (long long)groups);
  smith_add_product(g, "tcc.conv_filter_grad", (size_t[]){image, flow}, 2, attributes.data, depth);
  tcc_text_destroy(&attributes);
}

void smith_add_pool_grad(SmithGraph *g) {
  static const char *const kinds[] = {"max", "avg", "sum"};
  const int least = 4;
  const size_t which = smith_random(g, 3), v = smith_pick(g, which ? smith_has_float_axes : smith_has_exact_axes, &least);
  int64_t kernel[2], strides[2], pads[4], ones[] = {1, 1}, dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX || g->values[v].rank != 4 || !tcc_elem_is_float(g->values[v].elem)) return;
  const SmithValue x = g->values[v];
  double covered = 1;
  memcpy(dims, x.dims, sizeof dims);
  for (int i = 0; i < 2; i++) {
    kernel[i] = 1 + (int64_t)smith_random(g, 3), strides[i] = 1 + (int64_t)smith_random(g, 3);
    pads[i] = (int64_t)smith_random(g, (uint64_t)kernel[i]), pads[2 + i] = (int64_t)smith_random(g, (uint64_t)kernel[i]);
    const int64_t room = x.dims[2 + i] + pads[i] + pads[2 + i] - kernel[i];
    if (room < 0) return;
    dims[2 + i] = room / strides[i] + 1, covered *= (double)kernel[i];
  }
  const size_t flow = smith_factor(g, x.elem, 4, dims);
  if (flow == SIZE_MAX) return;
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "kernel", kernel, 2);
  smith_put_ints(&attributes, "strides", strides, 2);
  smith_put_ints(&attributes, "pads", pads, 4);
  smith_put_ints(&attributes, "dilations", ones, 2);
  tcc_text_printf(&attributes, ", kind = \"%s\"%s}", kinds[which],
                  which == 1 && smith_chance(g, 50) ? ", count_include_pad = true" : "");
  const SmithValue y = g->values[flow];
  smith_op(g, "tcc.pool_grad", (size_t[]){v, flow}, 2, attributes.data, rule_tells, y.integral && which != 1, y.bound * covered,
           smith_rounded(g, v, y.error * covered, covered + 2, y.bound * covered));
  tcc_text_destroy(&attributes);
}
