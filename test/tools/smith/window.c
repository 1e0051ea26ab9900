/* window.c - products, convolutions, pools, attention. */
#include "mlir-c/BuiltinTypes.h"
#include "test/tools/smith/ops.h"

void smith_add_dot(SmithGraph *g) {
  const int least = 2;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX || g->values[v].bound > 100) return;
  const SmithValue x = g->values[v];
  const int batch = (int)smith_random(g, (uint64_t)x.rank - 1), at = batch + (int)smith_random(g, (uint64_t)(x.rank - batch));
  const int64_t depth = x.dims[at];
  const bool first = smith_chance(g, 50);
  if (batch + 2 > 5) return;
  memcpy(dims, x.dims, (size_t)batch * sizeof *dims);
  dims[batch + !first] = depth;
  dims[batch + first] = 1 + (int64_t)smith_random(g, 40);
  const size_t b = smith_factor(g, x.elem, batch + 2, dims);
  if (b == SIZE_MAX) return;
  int64_t axes[SMITH_MAX_RANK], left = at, right = batch + !first;
  for (int i = 0; i < batch; i++) axes[i] = i;
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "lhs_batch", axes, batch);
  smith_put_ints(&attributes, "rhs_batch", axes, batch);
  smith_put_ints(&attributes, "lhs_contract", &left, 1);
  smith_put_ints(&attributes, "rhs_contract", &right, 1);
  tcc_text_printf(&attributes, "}");
  smith_add_product(g, "tcc.dot_general", (size_t[]){v, b}, 2, attributes.data, fmax((double)depth, 1));
  tcc_text_destroy(&attributes);
}

/* Over two axes of both, in any order; sums of 16 bits may stay in 32. */
void smith_add_contract(SmithGraph *g) {
  const int least = 3;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  int64_t dims[3], lhs[2], rhs[2];
  if (v == SIZE_MAX || g->values[v].bound > 100) return;
  const SmithValue x = g->values[v];
  const bool turned = smith_chance(g, 50), wide = smith_chance(g, 50) && (x.elem == TCC_ELEM_F16 || x.elem == TCC_ELEM_BF16);
  const int free = (int)smith_random(g, 3);
  for (int i = 0; i < 2; i++)
    lhs[i] = x.rank - 1 - (turned ? 1 - i : i), rhs[i] = (free + 1 + i) % 3, dims[rhs[i]] = x.dims[lhs[i]];
  dims[free] = 1 + (int64_t)smith_random(g, 20);
  const size_t b = smith_factor(g, x.elem, 3, dims);
  if (b == SIZE_MAX) return;
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "lhs_batch", lhs, 0);
  smith_put_ints(&attributes, "rhs_batch", rhs, 0);
  smith_put_ints(&attributes, "lhs_contract", lhs, 2);
  smith_put_ints(&attributes, "rhs_contract", rhs, 2);
  tcc_text_printf(&attributes, "%s}", wide ? ", wide = true" : "");
  smith_add_product(g, "tcc.dot_general", (size_t[]){v, b}, 2, attributes.data, fmax((double)(dims[rhs[0]] * dims[rhs[1]]), 1));
  tcc_text_destroy(&attributes);
}

void smith_add_linear(SmithGraph *g) {
  const int least = 2;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  if (v == SIZE_MAX || g->values[v].bound > 100) return;
  const SmithValue x = g->values[v];
  const int64_t depth = x.dims[x.rank - 1], out = 1 + (int64_t)smith_random(g, 40);
  const bool transposed = smith_chance(g, 50);
  const size_t w = smith_factor(g, x.elem, 2, transposed ? (int64_t[]){out, depth} : (int64_t[]){depth, out});
  const size_t bias = smith_chance(g, 60) ? smith_leaf(g, x.elem, 1, &out, true, -2, 2, false) : SIZE_MAX;
  if (w != SIZE_MAX)
    smith_add_product(g, "tcc.linear", (size_t[]){v, w, bias}, 3, transposed ? "" : "{transposed = false}", fmax((double)depth, 1));
}

/* The attributes of a window that convolutions and pools have, left open for more. */
static TccText open_window(int spatial, const int64_t *strides, const int64_t *pads, const int64_t *dilations) {
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "strides", strides, spatial);
  smith_put_ints(&attributes, "pads", pads, 2 * spatial);
  smith_put_ints(&attributes, "dilations", dilations, spatial);
  return attributes;
}

void smith_add_conv(SmithGraph *g) {
  int64_t dims[5], w[5], out, strides[3], pads[6], dilations[3];
  const int spatial = smith_chance(g, 70) ? 2 : 1 + 2 * (int)smith_random(g, 2);
  const int64_t groups = smith_chance(g, 60) ? 1 : 1 + (int64_t)smith_random(g, 4), each = 1 + (int64_t)smith_random(g, 9);
  double depth = (double)each;
  dims[0] = 1 + (int64_t)smith_random(g, 2), dims[1] = groups * each;
  out = groups * (1 + (int64_t)smith_random(g, smith_chance(g, 30) ? 20 : 5));
  w[0] = out, w[1] = each;
  for (int i = 0; i < spatial; i++) {
    const int64_t kernel = 1 + (int64_t)smith_random(g, 4);
    strides[i] = 1 + (int64_t)smith_random(g, 2);
    dilations[i] = smith_chance(g, 80) ? 1 : 2;
    pads[i] = (int64_t)smith_random(g, 3), pads[spatial + i] = (int64_t)smith_random(g, 3);
    dims[2 + i] = (kernel - 1) * dilations[i] + 1 + (int64_t)smith_random(g, spatial == 3 ? 4 : 9);
    w[2 + i] = kernel, depth *= (double)kernel;
  }
  const TccElem elem = smith_any_float(g);
  const size_t x = smith_factor(g, elem, 2 + spatial, dims), weight = smith_factor(g, elem, 2 + spatial, w);
  const size_t bias = smith_chance(g, 50) ? smith_leaf(g, elem, 1, &out, true, -2, 2, false) : SIZE_MAX;
  if (x == SIZE_MAX || weight == SIZE_MAX) return;
  TccText attributes = open_window(spatial, strides, pads, dilations);
  tcc_text_printf(&attributes, ", groups = %lld : i64}", (long long)groups);
  smith_add_product(g, "tcc.conv", (size_t[]){x, weight, bias}, 3, attributes.data, 4 * depth); /* 4: Winograd's sums */
  tcc_text_destroy(&attributes);
}

void smith_add_pool(SmithGraph *g) {
  static const char *const kinds[] = {"max", "avg", "sum"};
  const size_t which = smith_random(g, 3);
  int64_t kernel[3], strides[3], pads[6], dilations[3];
  int least = 3;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  double window = 1;
  if (v == SIZE_MAX || g->values[v].rank > 5) return;
  const SmithValue x = g->values[v];
  const int spatial = x.rank - 2;
  for (int i = 0; i < spatial; i++) {
    kernel[i] = 1 + (int64_t)smith_random(g, 3), strides[i] = 1 + (int64_t)smith_random(g, 3);
    dilations[i] = smith_chance(g, 85) ? 1 : 2;
    pads[i] = (int64_t)smith_random(g, (uint64_t)kernel[i]), pads[spatial + i] = (int64_t)smith_random(g, (uint64_t)kernel[i]);
    window *= (double)kernel[i];
  }
  TccText attributes = open_window(spatial, strides, pads, dilations);
  smith_put_ints(&attributes, "kernel", kernel, spatial);
  tcc_text_printf(&attributes, ", kind = \"%s\"%s%s}", kinds[which],
                  which == 1 && smith_chance(g, 50) ? ", count_include_pad = true" : "",
                  smith_chance(g, 25) ? ", ceil_mode = true" : "");
  const double bound = which == 2 ? x.bound * window : x.bound, error = which == 2 ? x.error * window : x.error;
  smith_op(g, "tcc.pool", &v, 1, attributes.data, rule_tells, x.integral && which != 1, bound,
           which ? smith_rounded(g, v, error, window, bound) : error);
  tcc_text_destroy(&attributes);
}

void smith_add_attention(SmithGraph *g) {
  const int64_t b = 1 + (int64_t)smith_random(g, 2), kv = 1 + (int64_t)smith_random(g, 2),
                h = kv * (1 + (int64_t)smith_random(g, 2));
  const int64_t s = 1 + (int64_t)smith_random(g, 20), t = s + (int64_t)smith_random(g, 12), d = 1 + (int64_t)smith_random(g, 20),
                e = smith_chance(g, 70) ? d : 1 + (int64_t)smith_random(g, 9);
  const TccElem elem = smith_any_float(g);
  const size_t q = smith_factor(g, elem, 4, (int64_t[]){b, h, s, d}), k = smith_factor(g, elem, 4, (int64_t[]){b, kv, t, d}),
               v = smith_factor(g, elem, 4, (int64_t[]){b, kv, t, e});
  const bool bits = smith_chance(g, 30), causal = smith_chance(g, 50);
  const int64_t rows = smith_chance(g, 30) ? 1 : s;
  size_t mask = SIZE_MAX;
  if (bits) mask = smith_leaf(g, TCC_ELEM_BOOL, 4, (int64_t[]){b, 1, rows, t}, true, 0, 1, false);
  else if (smith_chance(g, 40)) mask = smith_leaf(g, elem, 2, (int64_t[]){rows, t}, false, -2, 2, false);
  if (q == SIZE_MAX || k == SIZE_MAX || v == SIZE_MAX) return;
  char attributes[160], offset[40] = "";
  if (causal && smith_chance(g, 50)) snprintf(offset, sizeof offset, ", offset = [%d]", (int)(t - s));
  snprintf(attributes, sizeof attributes, "{scale = 0.125%s%s%s%s}", causal ? ", causal = true" : "", offset,
           bits ? ", zero_masked = true" : "", smith_chance(g, 20) ? ", softcap = 3.0" : "");
  const SmithValue x = g->values[q], y = g->values[k], z = g->values[v];
  const double scores = 0.125 * (double)d * x.bound * y.bound + 2;
  const double wrong = 0.125 * (double)d * (x.error * y.bound + y.error * x.bound) + 8 * smith_unit(elem) * scores;
  const bool sums = smith_chance(g, 40) && !bits; /* of a row that sees nothing they are infinite */
  smith_op(g, "tcc.attention", (size_t[]){q, k, v, mask}, 4, attributes, rule_tells, false, z.bound,
           smith_rounded(g, q, z.error + 2 * wrong * z.bound, 32 + sqrt((double)t), z.bound));
  const double most = scores + log((double)t);
  if (sums)
    smith_op(g, "tcc.attention_logsumexp", (size_t[]){q, k, mask}, 3, attributes, rule_tells, false, most,
             smith_rounded(g, q, wrong, 32 + sqrt((double)t), most));
}

/* Of one cache what it has and what is new behind it; it is an output as well. */
static size_t grown_cache(SmithGraph *g, size_t past, size_t new) {
  const SmithValue x = g->values[past], y = g->values[new];
  const size_t all = smith_op(g, "tcc.concat", (size_t[]){past, new}, 2, "{axis = 2 : i64}", rule_tells, x.integral && y.integral,
                              fmax(x.bound, y.bound), fmax(x.error, y.error));
  return all;
}

/* A step of a decoder: keys and values behind those of the past, as many as the symbol says. */
void smith_add_cache(SmithGraph *g) {
  const int64_t b = 1 + (int64_t)smith_random(g, 2), kv = 1 + (int64_t)smith_random(g, 2),
                h = kv * (1 + (int64_t)smith_random(g, 3)), s = smith_chance(g, 50) ? 1 : 1 + (int64_t)smith_random(g, 9),
                d = 1 + (int64_t)smith_random(g, 20);
  const TccElem elem = smith_any_float(g);
  const int64_t old[] = {b, kv, g->symbol, d}, new[] = {b, kv, s, d};
  const size_t q = smith_factor(g, elem, 4, (int64_t[]){b, h, s, d}), k = smith_factor(g, elem, 4, new),
               v = smith_factor(g, elem, 4, new), past_k = smith_leaf(g, elem, 4, old, false, -2, 2, true),
               past_v = smith_leaf(g, elem, 4, old, false, -2, 2, true);
  if (q == SIZE_MAX || k == SIZE_MAX || v == SIZE_MAX || past_k == SIZE_MAX || past_v == SIZE_MAX) return;
  const size_t keys = grown_cache(g, past_k, k), values = grown_cache(g, past_v, v);
  if (keys == SIZE_MAX || values == SIZE_MAX) return;
  char attributes[160];
  if (smith_symbol_is_bound(g) && !mlirShapedTypeHasStaticShape(g->values[keys].type))
    snprintf(attributes, sizeof attributes, "{scale = 0.125, causal = true, offset = [\"N\"]}");
  else snprintf(attributes, sizeof attributes, "{scale = 0.125, causal = true, offset = [%d]}", (int)g->symbol);
  const SmithValue x = g->values[q], y = g->values[keys], z = g->values[values];
  const double scores = 0.125 * (double)d * x.bound * y.bound + 2;
  const double wrong = 0.125 * (double)d * (x.error * y.bound + y.error * x.bound) + 8 * smith_unit(elem) * scores;
  smith_op(g, "tcc.attention", (size_t[]){q, keys, values, SIZE_MAX}, 4, attributes, rule_tells, false, z.bound,
           smith_rounded(g, q, z.error + 2 * wrong * z.bound, 32 + sqrt((double)(g->symbol + s)), z.bound));
  g->values[keys].used = g->values[values].used = false; /* both are outputs */
}

void smith_add_conv_transpose(SmithGraph *g) {
  int64_t dims[4], w[4], out, strides[2], pads[4], dilations[2], more[2];
  const int spatial = 1 + (int)smith_random(g, 2);
  const int64_t groups = smith_chance(g, 70) ? 1 : 2, each = 1 + (int64_t)smith_random(g, 6);
  double depth = (double)each;
  dims[0] = 1 + (int64_t)smith_random(g, 2), dims[1] = w[0] = groups * each;
  w[1] = 1 + (int64_t)smith_random(g, 6), out = w[1] * groups;
  for (int i = 0; i < spatial; i++) {
    w[2 + i] = 1 + (int64_t)smith_random(g, 4), dims[2 + i] = 1 + (int64_t)smith_random(g, 8);
    strides[i] = 1 + (int64_t)smith_random(g, 3), dilations[i] = smith_chance(g, 80) ? 1 : 2;
    pads[i] = (int64_t)smith_random(g, (uint64_t)w[2 + i]), pads[spatial + i] = (int64_t)smith_random(g, (uint64_t)w[2 + i]);
    more[i] = strides[i] > 1 && smith_chance(g, 30) ? 1 : 0;
    /* No empty result: it becomes a convolution whose window does not fit. */
    if ((dims[2 + i] - 1) * strides[i] + (w[2 + i] - 1) * dilations[i] + 1 + more[i] <= pads[i] + pads[spatial + i]) return;
    depth *= (double)w[2 + i];
  }
  const TccElem elem = smith_any_float(g);
  const size_t x = smith_factor(g, elem, 2 + spatial, dims), weight = smith_factor(g, elem, 2 + spatial, w);
  const size_t bias = smith_chance(g, 50) ? smith_leaf(g, elem, 1, &out, true, -2, 2, false) : SIZE_MAX;
  if (x == SIZE_MAX || weight == SIZE_MAX) return;
  TccText attributes = open_window(spatial, strides, pads, dilations);
  smith_put_ints(&attributes, "output_padding", more, spatial);
  tcc_text_printf(&attributes, ", groups = %lld : i64}", (long long)groups);
  smith_add_product(g, "tcc.conv_transpose", (size_t[]){x, weight, bias}, 3, attributes.data, depth);
  tcc_text_destroy(&attributes);
}

void smith_add_matmul(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX || g->values[v].bound > 100) return;
  const SmithValue x = g->values[v];
  const int rank = x.rank < 2 || smith_chance(g, 40) ? 1 + (int)smith_random(g, 2) : x.rank;
  for (int i = 0; i < rank; i++) dims[i] = i < x.rank && smith_chance(g, 80) ? x.dims[i] : 1;
  dims[rank > 1 ? rank - 2 : 0] = x.dims[x.rank - 1];
  if (rank > 1) dims[rank - 1] = 1 + (int64_t)smith_random(g, 33);
  const size_t b = smith_factor(g, x.elem, rank, dims);
  if (b != SIZE_MAX) smith_add_product(g, "tcc.matmul", (size_t[]){v, b}, 2, "", fmax((double)x.dims[x.rank - 1], 1));
}
