/* other.c - norms of channels, tables, resizing, recurrent networks, places. */
#include "mlir-c/BuiltinTypes.h"
#include "test/tools/smith/ops.h"

void smith_add_channel_norm(SmithGraph *g) {
  const int least = 3;
  const size_t v = smith_pick(g, smith_has_float_axes, &least), which = smith_random(g, 3);
  if (v == SIZE_MAX || g->values[v].bound > 50) return;
  const SmithValue x = g->values[v];
  int64_t channels = x.dims[1], groups = 1;
  double count = 1;
  for (int i = 1; i < x.rank; i++) count *= (double)x.dims[i];
  if (count < 1) return;
  for (int64_t d = 2; d <= channels; d++)
    if (channels % d == 0 && smith_chance(g, 40)) groups = d;
  const size_t scale = smith_leaf(g, x.elem, 1, &channels, false, 0.5, 1.5, false),
               bias = smith_leaf(g, x.elem, 1, &channels, false, -1, 1, false);
  const size_t mean = smith_leaf(g, x.elem, 1, &channels, false, -1, 1, false),
               var = smith_leaf(g, x.elem, 1, &channels, false, 0.5, 2, false);
  if (scale == SIZE_MAX || bias == SIZE_MAX || mean == SIZE_MAX || var == SIZE_MAX) return;
  char attributes[60];
  if (which == 0) {
    const double bound = 3 * (x.bound + 1) + 1;
    smith_op(g, "tcc.batch_norm", (size_t[]){v, scale, bias, mean, var}, 5, "{eps = 0.25}", rule_tells, false, bound,
             smith_rounded(g, v, 3 * x.error, 16, bound));
    return;
  }
  const double bound = 1.5 * sqrt(count) + 1;
  snprintf(attributes, sizeof attributes, which == 1 ? "{groups = %lld : i64, eps = 0.25}" : "{eps = 0.25}", (long long)groups);
  smith_op(g, which == 1 ? "tcc.group_norm" : "tcc.instance_norm", (size_t[]){v, scale, bias}, 3, attributes, rule_tells, false,
           bound, smith_rounded(g, v, 12 * x.error, 64 + x.bound * x.bound, bound));
}

void smith_add_rotary(SmithGraph *g) {
  const int64_t b = 1 + (int64_t)smith_random(g, 2), h = 1 + (int64_t)smith_random(g, 3), s = 1 + (int64_t)smith_random(g, 9),
                d = 2 * (1 + (int64_t)smith_random(g, 9));
  const TccElem elem = smith_any_float(g);
  const size_t x = smith_factor(g, elem, 4, (int64_t[]){b, h, s, d}),
               c = smith_leaf(g, elem, 2, (int64_t[]){s, d / 2}, false, -1, 1, false),
               n = smith_leaf(g, elem, 2, (int64_t[]){s, d / 2}, false, -1, 1, false);
  if (x == SIZE_MAX || c == SIZE_MAX || n == SIZE_MAX) return;
  const double bound = 2 * g->values[x].bound;
  smith_op(g, "tcc.rotary_embedding", (size_t[]){x, c, n}, 3, smith_chance(g, 50) ? "{interleaved = true}" : "", rule_tells, false,
           bound, smith_rounded(g, x, 2 * g->values[x].error, 4, bound));
}

void smith_add_embedding(SmithGraph *g) {
  const int64_t rows = 1 + (int64_t)smith_random(g, 30), width = 1 + (int64_t)smith_random(g, 40);
  int64_t dims[2];
  smith_any_dims(g, 2, dims);
  const size_t table = smith_factor(g, smith_any_float(g), 2, (int64_t[]){rows, width});
  const size_t indices = smith_leaf(g, TCC_ELEM_I64, 1 + (int)smith_random(g, 2), dims, true, 0, (double)rows - 1, true);
  if (table == SIZE_MAX || indices == SIZE_MAX) return;
  const SmithValue x = g->values[table];
  smith_op(g, "tcc.embedding", (size_t[]){table, indices}, 2, "", rule_tells, x.integral, x.bound, x.error);
}

void smith_add_unfold(SmithGraph *g) {
  const int least = 3;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  int64_t kernel[3], strides[3], dilations[3];
  if (v == SIZE_MAX || g->values[v].rank > 4) return;
  const int spatial = g->values[v].rank - 2;
  for (int i = 0; i < spatial; i++)
    kernel[i] = 1 + (int64_t)smith_random(g, 3), strides[i] = 1 + (int64_t)smith_random(g, 2),
    dilations[i] = 1 + (int64_t)smith_random(g, 2);
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "kernel", kernel, spatial);
  smith_put_ints(&attributes, "strides", strides, spatial);
  smith_put_ints(&attributes, "dilations", dilations, spatial);
  smith_add_moved(g, "tcc.unfold", v, &attributes, rule_tells);
}

void smith_add_shift(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_bits, NULL);
  if (v == SIZE_MAX || g->values[v].elem == TCC_ELEM_BOOL) return;
  const SmithValue x = g->values[v];
  const size_t by = smith_leaf(g, x.elem, 0, NULL, true, 0, 3, false);
  if (by == SIZE_MAX) return;
  const bool left = smith_chance(g, 50);
  smith_op(g, left ? "tcc.shift_left" : "tcc.shift_right", (size_t[]){v, by}, 2, "", rule_tells, true,
           left ? 8 * x.bound : x.bound + 1, 0);
}

void smith_add_angle(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_float, NULL);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const size_t b = smith_leaf(g, x.elem, x.rank, x.dims, false, 0.5, 2, true);
  if (b == SIZE_MAX) return;
  smith_op(g, "tcc.atan2", (size_t[]){v, b}, 2, "", rule_tells, false, 2, smith_rounded(g, v, 2 * x.error, 16, 2));
}

void smith_add_resize(SmithGraph *g) {
  static const char *const modes[] = {"nearest", "linear", "cubic"};
  static const char *const coordinates[] = {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"};
  const int least = 3;
  const size_t v = smith_pick(g, smith_has_float_axes, &least), mode = smith_random(g, 3);
  int64_t dims[SMITH_MAX_RANK];
  char attributes[400], scales[160] = "";
  if (v == SIZE_MAX || g->values[v].rank > 4) return;
  const SmithValue x = g->values[v];
  /* Sizes that are no multiples, but for nearest, where rounding decides between two elements. */
  const bool sized = mode && smith_chance(g, 40) && x.dims[2] > 0 && x.dims[x.rank - 1] > 0;
  const bool known = mlirShapedTypeHasStaticShape(x.type), filtered = mode && known && smith_chance(g, 20);
  for (int i = 0; i < x.rank; i++) {
    const int64_t factor = i < 2 ? 1 : 1 + (int64_t)smith_random(g, 3);
    dims[i] = sized && i >= 2 ? 1 + (int64_t)smith_random(g, 2 * (uint64_t)x.dims[i]) : x.dims[i] * factor;
    snprintf(scales + strlen(scales), sizeof scales - strlen(scales), "%s%lld.0", i ? ", " : "", (long long)factor);
  }
  snprintf(
      attributes, sizeof attributes,
      "{mode = \"%s\", coordinates = \"%s\", scales = dense<%s%s%s> : tensor<%dxf64>, roi = dense<0.0> : tensor<%dxf64>%s%s%s}",
      modes[mode], coordinates[smith_random(g, 4)], sized ? "" : "[", sized ? "" : scales, sized ? "" : "]", sized ? 0 : x.rank,
      2 * x.rank, filtered ? ", antialias = true" : "", mode == 2 && known && smith_chance(g, 30) ? ", exclude_outside = true" : "",
      mode == 0 && smith_chance(g, 50) ? smith_chance(g, 50) ? ", nearest = \"floor\"" : ", nearest = \"ceil\"" : "");
  const double bound = mode == 2 ? 3 * x.bound : x.bound, error = mode == 2 ? 3 * x.error : x.error;
  smith_op(g, "tcc.resize", &v, 1, attributes, smith_type(g, x.elem, x.rank, dims), mode == 0 && x.integral, bound,
           smith_rounded(g, v, error, mode ? 32 : 0, bound));
}

void smith_add_recurrent(SmithGraph *g) {
  static const struct {
    const char *name;
    int64_t gates;
    int results;
  } kinds[] = {{"tcc.lstm", 4, 3}, {"tcc.gru", 3, 2}, {"tcc.rnn", 1, 2}};
  const size_t which = smith_random(g, 3);
  const int64_t s = 1 + (int64_t)smith_random(g, 6), b = 1 + (int64_t)smith_random(g, 4), in = 1 + (int64_t)smith_random(g, 9),
                h = 1 + (int64_t)smith_random(g, 17), gates = kinds[which].gates * h, both = smith_chance(g, 40) ? 2 : 1;
  const size_t x = smith_leaf(g, TCC_ELEM_F32, 3, (int64_t[]){s, b, in}, false, -1, 1, false);
  const size_t w = smith_leaf(g, TCC_ELEM_F32, 3, (int64_t[]){both, gates, in}, false, -0.5, 0.5, false);
  const size_t r = smith_leaf(g, TCC_ELEM_F32, 3, (int64_t[]){both, gates, h}, false, -0.3, 0.3, false);
  const size_t bias =
      smith_chance(g, 60) ? smith_leaf(g, TCC_ELEM_F32, 2, (int64_t[]){both, 2 * gates}, false, -0.5, 0.5, false) : SIZE_MAX;
  const size_t lengths = smith_chance(g, 30) ? smith_leaf(g, TCC_ELEM_I32, 1, &b, true, 1, (double)s, false) : SIZE_MAX;
  const int64_t state[] = {both, b, h};
  const size_t h0 = smith_chance(g, 40) ? smith_leaf(g, TCC_ELEM_F32, 3, state, false, -1, 1, false) : SIZE_MAX;
  const size_t c0 = smith_chance(g, 40) ? smith_leaf(g, TCC_ELEM_F32, 3, state, false, -1, 1, false) : SIZE_MAX;
  const size_t p =
      smith_chance(g, 30) ? smith_leaf(g, TCC_ELEM_F32, 2, (int64_t[]){both, 3 * h}, false, -0.3, 0.3, false) : SIZE_MAX;
  char attributes[240];
  if (x == SIZE_MAX || w == SIZE_MAX || r == SIZE_MAX) return;
  static const char *const activations[] = {"Sigmoid,Tanh,Tanh", "Sigmoid,Tanh", "Tanh"};
  snprintf(attributes, sizeof attributes, "{hidden = %lld : i64, direction = \"%s\", activations = \"%s%s%s\"%s%s}", (long long)h,
           both == 2             ? "bidirectional"
           : smith_chance(g, 30) ? "reverse"
                                 : "forward",
           activations[which], both == 2 ? "," : "", both == 2 ? activations[which] : "",
           which == 1 && smith_chance(g, 50) ? ", linear_before_reset = true" : "", smith_chance(g, 20) ? ", clip = 0.75" : "");
  const double error = 1e-5 * (double)s; /* gates are flat: states forget errors */
  if (which == 0)
    smith_op(g, kinds[which].name, (size_t[]){x, w, r, bias, lengths, h0, c0, p}, 8, attributes, rule_tells, false, 8, error);
  else smith_op(g, kinds[which].name, (size_t[]){x, w, r, bias, lengths, h0}, 6, attributes, rule_tells, false, 2, error);
}

void smith_add_update(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  if (v == SIZE_MAX || g->values[v].dims[0] < 1) return;
  const SmithValue x = g->values[v];
  const size_t index = smith_leaf(g, TCC_ELEM_I64, 0, NULL, true, -(double)x.dims[0], (double)x.dims[0] - 1, false);
  const size_t row = smith_any_leaf(g, x.elem, x.rank - 1, x.dims + 1);
  if (index == SIZE_MAX || row == SIZE_MAX) return;
  smith_op(g, "tcc.dynamic_update_slice", (size_t[]){v, index, row}, 3, "", rule_tells, x.integral && g->values[row].integral,
           fmax(x.bound, 3), x.error);
}

void smith_add_pool_index(SmithGraph *g) {
  const int least = 3;
  const size_t v = smith_pick(g, smith_has_exact_axes, &least);
  int64_t ones[3], kernel[3], pads[6] = {0};
  if (v == SIZE_MAX || g->values[v].rank > 5 || !tcc_elem_is_float(g->values[v].elem)) return;
  const int spatial = g->values[v].rank - 2;
  for (int i = 0; i < spatial; i++) ones[i] = 1, kernel[i] = 1 + (int64_t)smith_random(g, 3);
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "kernel", kernel, spatial);
  smith_put_ints(&attributes, "strides", kernel, spatial);
  smith_put_ints(&attributes, "pads", pads, 2 * spatial);
  smith_put_ints(&attributes, "dilations", ones, spatial);
  tcc_text_printf(&attributes, "}");
  smith_op(g, "tcc.pool_index", &v, 1, attributes.data, rule_tells, true, 20000, 0);
  tcc_text_destroy(&attributes);
}
