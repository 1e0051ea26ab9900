/* repeat.c - layers and loops. */
#include "test/tools/smith/ops.h"

/* Equal layers with weights of their own: regions. */
void smith_add_layers(SmithGraph *g) {
  const int least = 2;
  size_t v = smith_pick(g, smith_has_float_axes, &least);
  if (v == SIZE_MAX) return;
  const TccElem elem = g->values[v].elem;
  const int64_t d = g->values[v].dims[g->values[v].rank - 1];
  const bool gated = smith_chance(g, 50), summed = smith_chance(g, 50);
  v = smith_bring_below(g, v, 2);
  for (uint64_t layers = 2 + smith_random(g, 3); layers && v != SIZE_MAX && d > 0 && d < 40; layers--) {
    const size_t before = v, w = smith_leaf(g, elem, 2, (int64_t[]){d, d}, false, -0.5, 0.5, false);
    const double scale = 0.5 * (double)d;
    if (w == SIZE_MAX) return;
    SmithValue x = g->values[v];
    v = smith_op(g, "tcc.linear", (size_t[]){v, w, SIZE_MAX}, 3, "", rule_tells, false, scale * x.bound,
                 smith_rounded(g, before, scale * x.error, 16 + 2 * sqrt((double)d), scale * x.bound));
    if (v == SIZE_MAX) return;
    x = g->values[v];
    v = smith_op(g, gated ? "tcc.sigmoid" : "tcc.tanh", &v, 1, "", rule_tells, false, 1, smith_rounded(g, before, x.error, 16, 1));
    if (v == SIZE_MAX || !summed) continue;
    const SmithValue y = g->values[v], z = g->values[before];
    v = smith_op(g, "tcc.add", (size_t[]){v, before}, 2, "", rule_tells, false, y.bound + z.bound,
                 smith_rounded(g, before, y.error + z.error, 1, y.bound + z.bound));
  }
}

/* A function that is called again with its own result: x = tanh(x * a + b), so many times. */
void smith_add_loop(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_float, NULL);
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const size_t a = smith_leaf(g, x.elem, x.rank, x.dims, false, -1, 1, false),
               b = smith_leaf(g, x.elem, 0, NULL, false, -1, 1, false);
  const bool symbolic = smith_chance(g, 40) && smith_symbol_is_bound(g);
  const int trips = symbolic ? (int)g->symbol : (int)smith_random(g, 4);
  char text[16];
  snprintf(text, sizeof text, symbolic ? "\"N\"" : "%d", trips);
  double bound = x.bound, error = x.error;
  for (int i = 0; i < trips; i++) error = smith_rounded(g, v, error, 20 + 2 * bound, bound + 1), bound = 1;
  if (a != SIZE_MAX && b != SIZE_MAX) smith_loop(g, v, a, b, text, fmax(bound, x.bound), error);
}
