/* reduce.c - reductions, softmax, norms along the last axes. */
#include "test/tools/smith/ops.h"

void smith_add_reduce(SmithGraph *g) {
  static const char *const kinds[] = {"sum", "max", "min", "mean"};
  const int least = 1;
  const size_t which = smith_random(g, 4), v = smith_pick(g, which == 3 ? smith_has_float_axes : smith_has_axes, &least);
  int64_t axes[SMITH_MAX_RANK];
  double count = 1;
  int n = 0;
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  for (int i = 0; i < x.rank; i++)
    if (smith_chance(g, 50) || (n == 0 && i == x.rank - 1)) axes[n++] = i, count *= (double)x.dims[i];
  if (count == 0 && which) return;
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "axes", axes, n);
  if (which < 3) tcc_text_printf(&attributes, ", kind = \"%s\"", kinds[which]);
  tcc_text_printf(&attributes, "%s}", smith_chance(g, 50) ? ", keepdims = true" : "");
  const double bound = which ? x.bound : x.bound * fmax(count, 1), error = which ? x.error : x.error * count;
  const double units = which == 1 || which == 2 ? 0 : 4 + sqrt(count);
  smith_op(g, which == 3 ? "tcc.mean" : "tcc.reduce", &v, 1, attributes.data, rule_tells, x.integral && which < 3, bound,
           smith_rounded(g, v, error, units, bound));
  tcc_text_destroy(&attributes);
}

static bool is_bool_with_axes(const SmithValue *v, const void *more) {
  (void)more;
  return v->elem == TCC_ELEM_BOOL && v->rank > 0;
}
void smith_add_reduce_bits(SmithGraph *g) {
  const size_t v = smith_pick(g, is_bool_with_axes, NULL);
  if (v == SIZE_MAX) return;
  char attributes[100];
  snprintf(attributes, sizeof attributes, "{kind = \"%s\", axes = array<i64: %d>%s}", smith_chance(g, 50) ? "and" : "or",
           (int)smith_random(g, (uint64_t)g->values[v].rank), smith_chance(g, 50) ? ", keepdims = true" : "");
  smith_op(g, "tcc.reduce", &v, 1, attributes, rule_tells, true, 1, 0);
}

/* Of a few numbers: the bound is that power of theirs. */
void smith_add_product_of_all(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int axis = (int)smith_random(g, (uint64_t)x.rank);
  const double n = (double)x.dims[axis], most = fmax(x.bound, 1), bound = pow(most, n);
  char attributes[100];
  if (bound > 1e4) return;
  const bool running = smith_chance(g, 40);
  snprintf(attributes, sizeof attributes,
           running ? "{kind = \"prod\", axis = %d : i64}" : "{kind = \"prod\", axes = array<i64: %d>}", axis);
  smith_op(g, running ? "tcc.cumulative" : "tcc.reduce", &v, 1, attributes, rule_tells, x.integral, bound,
           smith_rounded(g, v, n * x.error * bound, n, bound));
}

void smith_add_arg_reduce(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_exact_axes, &least);
  if (v == SIZE_MAX) return;
  const int axis = (int)smith_random(g, (uint64_t)g->values[v].rank);
  if (g->values[v].dims[axis] < 1) return;
  char attributes[90];
  snprintf(attributes, sizeof attributes, "{kind = \"%s\", axis = %d : i64%s%s}", smith_chance(g, 50) ? "max" : "min", axis,
           smith_chance(g, 30) ? ", keepdims = true" : "", smith_chance(g, 30) ? ", last = true" : "");
  smith_op(g, "tcc.arg_reduce", &v, 1, attributes, rule_tells, true, (double)g->values[v].dims[axis], 0);
}

void smith_add_cumulative(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int axis = (int)smith_random(g, (uint64_t)x.rank);
  const bool sum = smith_chance(g, 60), least_of = !sum && smith_chance(g, 50);
  const double n = sum ? fmax((double)x.dims[axis], 1) : 1;
  char attributes[120];
  snprintf(attributes, sizeof attributes, "{kind = \"%s\", axis = %d : i64%s%s}",
           sum        ? "sum"
           : least_of ? "min"
                      : "max",
           axis, sum && smith_chance(g, 30) ? ", exclusive = true" : "", smith_chance(g, 30) ? ", reverse = true" : "");
  smith_op(g, "tcc.cumulative", &v, 1, attributes, rule_tells, x.integral, x.bound * n,
           sum ? smith_rounded(g, v, x.error * n, n, x.bound * n) : x.error);
}

void smith_add_topk(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_exact_axes, &least);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int axis = (int)smith_random(g, (uint64_t)x.rank);
  if (x.dims[axis] < 1) return;
  char attributes[90];
  const int most = 1 + (int)smith_random(g, (uint64_t)x.dims[axis]);
  const bool least_first = smith_chance(g, 30), last = smith_chance(g, 30);
  snprintf(attributes, sizeof attributes, "{k = [%d], axis = %d : i64%s%s}", most, axis, least_first ? ", largest = false" : "",
           last ? ", last = true" : "");
  smith_op(g, "tcc.topk", &v, 1, attributes, rule_tells, x.integral, fmax(x.bound, (double)x.dims[axis]), 0);
}

/* A transform, often of complex numbers, of half of the frequencies, or back from them. */
void smith_add_fft(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  if (v == SIZE_MAX || (g->values[v].elem != TCC_ELEM_F32 && g->values[v].elem != TCC_ELEM_F64)) return;
  const SmithValue x = g->values[v];
  const int axis = (int)smith_random(g, (uint64_t)x.rank), odd = (int)smith_random(g, 2);
  const int64_t given = x.dims[axis];
  if (given < 1 || x.bound > 1e6) return;
  const bool back = smith_chance(g, 25) && (given > 1 || odd);
  size_t y = smith_chance(g, 50) ? smith_factor(g, x.elem, x.rank, x.dims) : SIZE_MAX;
  const bool half = !back && y == SIZE_MAX && smith_chance(g, 50);
  const double n = back ? 2.0 * (double)given : (double)given, most = x.bound + (y == SIZE_MAX ? 0 : g->values[y].bound),
               error = x.error + (y == SIZE_MAX ? 0 : g->values[y].error), bound = n * most;
  const SmithFact fact = {.bound = bound, .error = smith_rounded(g, v, n * error, 16 + 4 * log2(n + 1), bound)},
                  facts[] = {fact, fact};
  char attributes[90];
  if (back) snprintf(attributes, sizeof attributes, "{axis = %d : i64, size = [%d]}", axis, 2 * (int)(given - 1) + odd);
  else
    snprintf(attributes, sizeof attributes, "{axis = %d : i64%s%s}", axis, half ? ", half = true" : "",
             smith_chance(g, 40) ? ", inverse = true" : "");
  smith_op_with(g, back ? "tcc.irfft" : "tcc.fft", (size_t[]){v, y}, 2, attributes, rule_tells, facts);
}

void smith_add_softmax(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  const bool log = smith_chance(g, 30);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int axis = (int)smith_random(g, (uint64_t)x.rank);
  if (x.dims[axis] < 1) return;
  char attributes[40];
  snprintf(attributes, sizeof attributes, "{axis = %d : i64}", axis);
  const double bound = log ? 2 * x.bound + log2((double)x.dims[axis] + 1) : 1;
  smith_op(g, log ? "tcc.log_softmax" : "tcc.softmax", &v, 1, attributes, rule_tells, false, bound,
           smith_rounded(g, v, 2 * x.error, 32 + x.bound, bound));
}

void smith_add_norm(SmithGraph *g) {
  const int least = 2;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  const bool rms = smith_chance(g, 40);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int axis = 1 + (int)smith_random(g, (uint64_t)x.rank - 1);
  double count = 1;
  for (int i = axis; i < x.rank; i++) count *= (double)x.dims[i];
  if (count < 1 || x.bound > 50) return;
  const size_t scale = smith_chance(g, 60) ? smith_leaf(g, x.elem, x.rank - axis, x.dims + axis, false, 0.5, 1.5, true) : SIZE_MAX;
  const size_t bias =
      !rms && smith_chance(g, 50) ? smith_leaf(g, x.elem, x.rank - axis, x.dims + axis, false, -1, 1, true) : SIZE_MAX;
  char attributes[60];
  snprintf(attributes, sizeof attributes, "{axis = %d : i64, eps = 0.25}", axis);
  const double bound = 1.5 * sqrt(count) + 1; /* derivative: at most 1 / sqrt(eps), mean and variance take part */
  smith_op(g, rms ? "tcc.rms_norm" : "tcc.layer_norm", (size_t[]){v, scale, bias}, rms ? 2 : 3, attributes, rule_tells, false,
           bound, smith_rounded(g, v, 12 * x.error, 64 + x.bound * x.bound, bound));
}
