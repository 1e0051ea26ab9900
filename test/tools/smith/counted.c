/* counted.c - what data decide: places of what is not zero, boxes that suppress others, groups of rows; numbers that are drawn; what is no number. */
#include "test/tools/smith/ops.h"

void smith_add_barrier(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_any, NULL);
  TccText none = {0};
  if (v != SIZE_MAX) smith_add_moved(g, "tcc.barrier", v, &none, rule_tells);
}

/* 1/0, -1/0 or 0/0 of integers, and which of them. */
void smith_add_predicate(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_exact, NULL);
  if (v == SIZE_MAX || !tcc_elem_is_float(g->values[v].elem) || !g->values[v].integral) return;
  const size_t zero = smith_leaf(g, g->values[v].elem, 0, NULL, true, 0, 0, false);
  if (zero == SIZE_MAX) return;
  const size_t x = smith_op_with(g, "tcc.div", (size_t[]){v, zero}, 2, "", rule_tells, &(SmithFact){.bound = 1, .hidden = true});
  static const struct {
    const char *name, *attributes;
  } kinds[] = {{"tcc.is_nan", ""}, {"tcc.is_inf", ""}, {"tcc.is_inf", "{negative = false}"}, {"tcc.is_inf", "{positive = false}"}};
  const size_t kind = smith_random(g, 4);
  if (x != SIZE_MAX) smith_op(g, kinds[kind].name, &x, 1, kinds[kind].attributes, rule_tells, true, 1, 0);
}

/* Dropout, as it is imported: 24 bits of a drawn word as a number in [0, 1), and x, larger, where that is not below a probability. */
void smith_add_dropout(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_float_axes, &least);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  int64_t count = 1;
  for (int i = 0; i < x.rank; i++) count *= x.dims[i];
  const SmithFact hidden = {.integral = true, .hidden = true, .bound = 1};
  TccText none = {0};
  const size_t iota =
      smith_op(g, "tcc.iota", NULL, 0, "{axis = 0 : i64}", smith_type(g, TCC_ELEM_I64, 1, &count), true, (double)count, 0);
  const size_t index =
      iota == SIZE_MAX ? iota : smith_add_moved(g, "tcc.reshape", iota, &none, smith_type(g, TCC_ELEM_I64, x.rank, x.dims));
  const size_t seed = smith_leaf(g, TCC_ELEM_I64, 0, NULL, true, 0, 1 << 20, false),
               offset = smith_leaf(g, TCC_ELEM_I64, 0, NULL, true, 0, 9, false),
               bits = smith_leaf(g, TCC_ELEM_U32, 0, NULL, true, 8, 8, false),
               unit = smith_leaf(g, TCC_ELEM_F32, 0, NULL, false, 0x1p-24, 0x1p-24, false),
               chance = smith_leaf(g, TCC_ELEM_F32, 0, NULL, false, 0.2, 0.6, false);
  if (index == SIZE_MAX || seed == SIZE_MAX || offset == SIZE_MAX || bits == SIZE_MAX || unit == SIZE_MAX || chance == SIZE_MAX)
    return;
  size_t word = smith_op_with(g, "tcc.random", (size_t[]){index, seed, offset}, 3, "", rule_tells, &hidden);
  if (word != SIZE_MAX) word = smith_op_with(g, "tcc.shift_right", (size_t[]){word, bits}, 2, "", rule_tells, &hidden);
  if (word != SIZE_MAX) word = smith_op_with(g, "tcc.convert", &word, 1, "", smith_type(g, TCC_ELEM_F32, x.rank, x.dims), &hidden);
  if (word != SIZE_MAX) word = smith_op(g, "tcc.mul", (size_t[]){word, unit}, 2, "", rule_tells, false, 1, 0);
  if (word != SIZE_MAX)
    word = smith_op(g, "tcc.compare", (size_t[]){word, chance}, 2, "{predicate = \"ge\"}", rule_tells, true, 1, 0);
  const size_t two = smith_leaf(g, x.elem, 0, NULL, true, 2, 2, false), zero = smith_leaf(g, x.elem, 0, NULL, true, 0, 0, false);
  if (word == SIZE_MAX || two == SIZE_MAX || zero == SIZE_MAX) return;
  const size_t larger = smith_op(g, "tcc.mul", (size_t[]){v, two}, 2, "", rule_tells, x.integral, 2 * x.bound, 2 * x.error);
  if (larger != SIZE_MAX)
    smith_op(g, "tcc.select", (size_t[]){word, larger, zero}, 3, "", rule_tells, x.integral, 2 * x.bound, 2 * x.error);
}

/* Groups of rows, some of them empty: ends is what a few numbers sum up to. */
void smith_add_ragged_dot(SmithGraph *g) {
  const int64_t groups = 1 + (int64_t)smith_random(g, 5), each = 1 + (int64_t)smith_random(g, 6), t = groups * each,
                k = 1 + (int64_t)smith_random(g, 33), n = 1 + (int64_t)smith_random(g, 33);
  const bool depth = smith_chance(g, 40);
  const TccElem elem = smith_any_float(g);
  const size_t counts = smith_leaf(g, smith_chance(g, 50) ? TCC_ELEM_I64 : TCC_ELEM_I32, 1, &groups, true, 0, (double)each, false);
  const size_t a = smith_factor(g, elem, 2, depth ? (int64_t[]){k, t} : (int64_t[]){t, k}),
               b = depth ? smith_factor(g, elem, 2, (int64_t[]){t, n}) : smith_factor(g, elem, 3, (int64_t[]){groups, k, n});
  if (counts == SIZE_MAX || a == SIZE_MAX || b == SIZE_MAX) return;
  const size_t ends = smith_op(g, "tcc.cumulative", &counts, 1, "{kind = \"sum\", axis = 0 : i64}", rule_tells, true, (double)t, 0);
  if (ends == SIZE_MAX) return;
  const SmithValue x = g->values[a], y = g->values[b];
  const double sum = (double)(depth ? t : k), bound = sum * x.bound * y.bound + 1;
  smith_op(g, "tcc.ragged_dot", (size_t[]){a, b, ends}, 3, depth ? "{ragged = \"depth\"}" : "", rule_tells,
           x.integral && y.integral, bound,
           smith_rounded(g, a, sum * (x.error * y.bound + y.error * x.bound), 16 + 2 * sqrt(sum), bound));
}

/* Boxes of small integers: no two areas have a quotient near the limit. */
void smith_add_suppression(SmithGraph *g) {
  const int64_t b = 1 + (int64_t)smith_random(g, 2), c = 1 + (int64_t)smith_random(g, 3), n = 1 + (int64_t)smith_random(g, 20);
  const bool center = smith_chance(g, 40);
  const size_t boxes = smith_leaf(g, TCC_ELEM_F32, 3, (int64_t[]){b, n, 4}, true, center ? 1 : 0, 8, false),
               scores = smith_leaf(g, TCC_ELEM_F32, 3, (int64_t[]){b, c, n}, smith_chance(g, 30), -2, 2, false),
               most = smith_leaf(g, TCC_ELEM_I64, 0, NULL, true, 0, (double)n, false),
               overlap = smith_leaf(g, TCC_ELEM_F32, 0, NULL, false, 0.437, 0.437, false),
               least = smith_leaf(g, TCC_ELEM_F32, 0, NULL, false, -1, 1, false);
  if (boxes == SIZE_MAX || scores == SIZE_MAX || most == SIZE_MAX || overlap == SIZE_MAX || least == SIZE_MAX) return;
  smith_op(g, "tcc.non_max_suppression", (size_t[]){boxes, scores, most, overlap, least}, 5, center ? "{center = true}" : "",
           rule_tells, true, (double)n, 0);
}

/* Places of what is not zero, and often what another tensor has there. */
void smith_add_nonzero(SmithGraph *g) {
  static const TccElem elems[] = {TCC_ELEM_F32, TCC_ELEM_I64, TCC_ELEM_BOOL, TCC_ELEM_F16, TCC_ELEM_U8};
  const int rank = 1 + (int)smith_random(g, 3);
  int64_t dims[SMITH_MAX_RANK];
  char attributes[40];
  smith_any_dims(g, rank, dims);
  const size_t x = smith_leaf(g, elems[smith_random(g, 5)], rank, dims, true, smith_chance(g, 50) ? -1 : 0, 1, true);
  const int number = x == SIZE_MAX ? -1 : smith_count(g, x);
  if (number < 0) return;
  snprintf(attributes, sizeof attributes, "{size = \"Z%d\"}", number);
  const size_t places = smith_op(g, "tcc.nonzero", &x, 1, attributes, rule_tells, true, 4000, 0);
  if (places == SIZE_MAX || smith_chance(g, 30)) return;
  const size_t rows = smith_op(g, "tcc.transpose", &places, 1, "{perm = array<i64: 1, 0>}", rule_tells, true, 4000, 0),
               from = smith_any_leaf(g, smith_any_float(g), rank, dims);
  if (rows == SIZE_MAX || from == SIZE_MAX) return;
  const SmithValue y = g->values[from];
  smith_op(g, "tcc.gather_nd", (size_t[]){from, rows}, 2, "", rule_tells, y.integral, y.bound, y.error);
}
