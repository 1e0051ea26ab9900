/* elementwise.c - elementwise ops. */
#include "test/tools/smith/ops.h"

typedef struct {
  const char *name, *attributes;
  double below, above; /* operands are brought there; 0: they need not */
  double steep, bound; /* the most of the derivative there, and of the result; bound 0: that of the operand */
} Smooth;
static const Smooth smooth[] = {
    {"tcc.exp", "", 3, 0, 21, 21},
    {"tcc.expm1", "", 3, 0, 21, 21},
    {"tcc.log", "", 0, 1, 1, 12},
    {"tcc.log1p", "", 0, 1, 1, 12},
    {"tcc.sqrt", "", 0, 1, 1, 1000},
    {"tcc.rsqrt", "", 0, 1, 1, 1},
    {"tcc.reciprocal", "", 0, 1, 1, 1},
    {"tcc.sin", "", 100, 0, 1, 1},
    {"tcc.cos", "", 100, 0, 1, 1},
    {"tcc.tan", "", 1, 0, 4, 2},
    {"tcc.asin", "", 0.7, 0, 2, 1},
    {"tcc.acos", "", 0.7, 0, 2, 4},
    {"tcc.atan", "", 0, 0, 1, 2},
    {"tcc.sinh", "", 3, 0, 11, 11},
    {"tcc.cosh", "", 3, 0, 11, 11},
    {"tcc.tanh", "", 0, 0, 1, 1},
    {"tcc.asinh", "", 0, 0, 1, 16},
    {"tcc.acosh", "", 0, 2, 1, 16},
    {"tcc.atanh", "", 0.7, 0, 2, 1},
    {"tcc.erf", "", 0, 0, 1.2, 1},
    {"tcc.neg", "", 0, 0, 1, 0},
    {"tcc.abs", "", 0, 0, 1, 0},
    {"tcc.relu", "", 0, 0, 1, 0},
    {"tcc.leaky_relu", "{alpha = 0.125}", 0, 0, 1, 0},
    {"tcc.elu", "{alpha = 1.0}", 0, 0, 1, 0},
    {"tcc.selu", "{alpha = 1.67326, gamma = 1.0507}", 0, 0, 1.8, 1e5},
    {"tcc.celu", "{alpha = 2.0}", 0, 0, 1, 1e5},
    {"tcc.sigmoid", "", 0, 0, 0.25, 1},
    {"tcc.hard_sigmoid", "{alpha = 0.2, beta = 0.5}", 0, 0, 0.2, 1},
    {"tcc.hard_swish", "", 0, 0, 1.5, 0},
    {"tcc.swish", "", 0, 0, 1.1, 0},
    {"tcc.softplus", "", 0, 0, 1, 1e5},
    {"tcc.softsign", "", 0, 0, 1, 1},
    {"tcc.mish", "", 0, 0, 1.1, 0},
    {"tcc.gelu", "", 0, 0, 1.2, 0},
    {"tcc.gelu", "{approximate = \"tanh\"}", 0, 0, 1.2, 0},
};

void smith_add_smooth(SmithGraph *g) {
  const Smooth *s = &smooth[smith_random(g, sizeof smooth / sizeof *smooth)];
  size_t v = smith_pick(g, smith_is_float, NULL);
  if (v != SIZE_MAX && s->below) v = smith_bring_below(g, v, s->below);
  if (v != SIZE_MAX && s->above) v = smith_bring_above(g, v, s->above);
  if (v == SIZE_MAX) return;
  const SmithValue *value = &g->values[v];
  const bool integral =
      value->integral && (!strcmp(s->name, "tcc.neg") || !strcmp(s->name, "tcc.abs") || !strcmp(s->name, "tcc.relu"));
  const double bound = s->bound && s->bound < 1e4 ? s->bound : value->bound + (s->bound ? 2 : 0);
  double error = s->steep * value->error;
  if (!strcmp(s->name, "tcc.softplus") && value->bound > 20)
    error += log1p(exp(-20)) / 8; /* as PyTorch has it it is x above 20 (docs/numerics.md); 8 times the error is allowed */
  smith_op(g, s->name, &v, 1, s->attributes, rule_tells, integral, bound, smith_rounded(g, v, error, 16, bound));
}

void smith_add_jumping(SmithGraph *g) {
  static const char *const names[] = {"tcc.floor", "tcc.ceil", "tcc.round", "tcc.trunc", "tcc.sign", "tcc.is_nan", "tcc.is_inf"};
  const char *name = names[smith_random(g, sizeof names / sizeof *names)];
  const size_t v = smith_pick(g, smith_is_exact, NULL);
  if (v != SIZE_MAX) smith_op(g, name, &v, 1, "", rule_tells, true, g->values[v].bound + 1, 0);
}

void smith_add_binary(SmithGraph *g) {
  static const char *const names[] = {"add", "sub", "mul", "min", "max"};
  const size_t which = smith_random(g, 5), a = smith_pick(g, smith_is_number, NULL),
               b = a == SIZE_MAX ? a : smith_partner(g, a, false);
  char name[16];
  if (b == SIZE_MAX) return;
  const SmithValue x = g->values[a], y = g->values[b];
  snprintf(name, sizeof name, "tcc.%s", names[which]);
  const double bound = which == 2 ? x.bound * y.bound : which < 2 ? x.bound + y.bound : fmax(x.bound, y.bound);
  const double error = which == 2 ? x.error * y.bound + y.error * x.bound : x.error + y.error;
  smith_op(g, name, (size_t[]){a, b}, 2, "", rule_tells, x.integral && y.integral, bound, smith_rounded(g, a, error, 1, bound));
}

void smith_add_division(SmithGraph *g) {
  static const char *const names[] = {"tcc.div", "tcc.mod", "tcc.fmod"};
  const size_t which = smith_random(g, 3), a = smith_pick(g, which ? smith_is_exact : smith_is_number, NULL);
  if (a == SIZE_MAX || (which && !g->values[a].integral)) return;
  const SmithValue x = g->values[a];
  const double most = tcc_elem_is_float(x.elem) ? 3 : 5;
  const size_t b = smith_leaf(g, x.elem, x.rank, x.dims, true, 1, most, true);
  if (b == SIZE_MAX) return;
  const bool integral = which || !tcc_elem_is_float(x.elem);
  smith_op(g, names[which], (size_t[]){a, b}, 2, "", rule_tells, integral, fmax(x.bound, most),
           integral ? 0 : smith_rounded(g, a, x.error, 2, x.bound));
}

void smith_add_bits(SmithGraph *g) {
  static const char *const names[] = {"tcc.and", "tcc.or", "tcc.xor"};
  const size_t a = smith_pick(g, smith_is_bits, NULL), b = a == SIZE_MAX ? a : smith_partner(g, a, true);
  if (b == SIZE_MAX) return;
  const double bound = 2 * fmax(g->values[a].bound, g->values[b].bound) + 1; /* of two's complement */
  if (smith_chance(g, 25)) smith_op(g, "tcc.not", &a, 1, "", rule_tells, true, g->values[a].elem == TCC_ELEM_BOOL ? 1 : bound, 0);
  else
    smith_op(g, names[smith_random(g, 3)], (size_t[]){a, b}, 2, "", rule_tells, true,
             g->values[a].elem == TCC_ELEM_BOOL ? 1 : bound, 0);
}

void smith_add_compare(SmithGraph *g) {
  static const char *const predicates[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  char attributes[40];
  const size_t a = smith_pick(g, smith_is_exact, NULL), b = a == SIZE_MAX ? a : smith_partner(g, a, true);
  if (b == SIZE_MAX || g->values[b].error) return;
  snprintf(attributes, sizeof attributes, "{predicate = \"%s\"}", predicates[smith_random(g, 6)]);
  smith_op(g, "tcc.compare", (size_t[]){a, b}, 2, attributes, rule_tells, true, 1, 0);
}

void smith_add_select(SmithGraph *g) {
  const size_t c = smith_pick(g, smith_is_bool, NULL), a = c == SIZE_MAX ? c : smith_pick(g, smith_is_number, NULL);
  const size_t b = a == SIZE_MAX ? a : smith_partner(g, a, false);
  if (b == SIZE_MAX || !smith_broadcasts(&g->values[c], &g->values[a]) || !smith_broadcasts(&g->values[c], &g->values[b])) return;
  const SmithValue x = g->values[a], y = g->values[b];
  smith_op(g, "tcc.select", (size_t[]){c, a, b}, 3, "", rule_tells, x.integral && y.integral, fmax(x.bound, y.bound),
           fmax(x.error, y.error));
}

void smith_add_clamp(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_number, NULL);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const size_t low = smith_leaf(g, x.elem, 0, NULL, true, -1, 0, false), high = smith_leaf(g, x.elem, 0, NULL, true, 1, 2, false);
  if (low != SIZE_MAX && high != SIZE_MAX)
    smith_op(g, "tcc.clamp", (size_t[]){v, low, high}, 3, "", rule_tells, x.integral, fmax(2, fmin(x.bound, 2)), x.error);
}

void smith_add_power(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_float, NULL);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const size_t base = smith_leaf(g, x.elem, x.rank, x.dims, false, 0.5, 2, true), by = smith_bring_below(g, v, 2);
  if (base == SIZE_MAX || by == SIZE_MAX) return;
  smith_op(g, "tcc.pow", (size_t[]){base, by}, 2, "", rule_tells, false, 4, smith_rounded(g, v, 3 * g->values[by].error, 32, 4));
}

void smith_add_convert(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_any, NULL);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const TccElem to = smith_any_elem(g);
  if (to == x.elem || (!tcc_elem_is_float(to) && !x.integral) || (tcc_elem_is_unsigned(to) && x.elem != TCC_ELEM_BOOL)) return;
  const double error = x.error + 2 * smith_unit(to) * x.bound;
  smith_op(g, "tcc.convert", &v, 1, "", smith_type(g, to, x.rank, x.dims), x.integral, to == TCC_ELEM_BOOL ? 1 : x.bound, error);
}
