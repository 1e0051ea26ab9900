/* move.c - ops that move. */
#include "test/tools/smith/ops.h"

void smith_add_reshape(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_any, NULL);
  int64_t dims[SMITH_MAX_RANK], left = 1;
  int rank = 0;
  if (v == SIZE_MAX) return;
  for (int i = 0; i < g->values[v].rank; i++) left *= g->values[v].dims[i];
  for (int64_t divisor = 2; divisor <= left && rank < 4; divisor++)
    while (left % divisor == 0 && rank < 4 && smith_chance(g, 70)) dims[rank++] = divisor, left /= divisor;
  dims[rank++] = left;
  TccText none = {0};
  smith_add_moved(g, "tcc.reshape", v, &none, smith_type(g, g->values[v].elem, rank, dims));
}

void smith_add_transpose(SmithGraph *g) {
  const int least = 2;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  int64_t perm[SMITH_MAX_RANK];
  if (v == SIZE_MAX) return;
  const int rank = g->values[v].rank;
  for (int i = 0; i < rank; i++) perm[i] = i;
  for (int i = rank - 1; i > 0; i--) {
    const int k = (int)smith_random(g, (uint64_t)i + 1);
    const int64_t saved = perm[i];
    perm[i] = perm[k], perm[k] = saved;
  }
  TccText attributes = smith_open_attributes();
  smith_put_ints(&attributes, "perm", perm, rank);
  smith_add_moved(g, "tcc.transpose", v, &attributes, rule_tells);
}

void smith_add_broadcast(SmithGraph *g) {
  const size_t v = smith_pick(g, smith_is_any, NULL);
  int64_t dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX || g->values[v].rank >= 4) return;
  const SmithValue x = g->values[v];
  const int more = (int)smith_random(g, 2);
  for (int i = 0; i < more; i++) dims[i] = 1 + (int64_t)smith_random(g, 4);
  for (int i = 0; i < x.rank; i++) dims[more + i] = x.dims[i] == 1 ? 1 + (int64_t)smith_random(g, 5) : x.dims[i];
  TccText none = {0};
  smith_add_moved(g, "tcc.broadcast", v, &none, smith_type(g, x.elem, x.rank + more, dims));
}

void smith_add_slice(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  int64_t starts[SMITH_MAX_RANK], steps[SMITH_MAX_RANK], dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  for (int i = 0; i < x.rank; i++) {
    const bool whole = smith_chance(g, 50) || x.dims[i] < 1;
    const int64_t step = whole ? 1 : 1 + (int64_t)smith_random(g, 3), sign = !whole && smith_chance(g, 25) ? -1 : 1;
    starts[i] = whole ? 0 : (int64_t)smith_random(g, (uint64_t)x.dims[i]);
    const int64_t room = sign > 0 ? x.dims[i] - starts[i] : starts[i] + 1, most = whole ? x.dims[i] : (room + step - 1) / step;
    dims[i] = whole ? most : 1 + (int64_t)smith_random(g, (uint64_t)most);
    steps[i] = sign * step;
  }
  TccText attributes = smith_open_attributes();
  smith_put_list(&attributes, "starts", starts, x.rank);
  smith_put_ints(&attributes, "steps", steps, x.rank);
  smith_add_moved(g, "tcc.slice", v, &attributes, smith_type(g, x.elem, x.rank, dims));
}

void smith_add_pad(SmithGraph *g) {
  static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least), mode = smith_random(g, 4);
  int64_t low[SMITH_MAX_RANK], high[SMITH_MAX_RANK];
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  for (int i = 0; i < x.rank; i++) {
    const int64_t most = mode == 0 ? 3 : x.dims[i] - 1;
    low[i] = most > 0 && smith_chance(g, 60) ? (int64_t)smith_random(g, (uint64_t)(most < 3 ? most : 3) + 1) : 0;
    high[i] = most > 0 && smith_chance(g, 60) ? (int64_t)smith_random(g, (uint64_t)(most < 3 ? most : 3) + 1) : 0;
    if (mode == 0 && x.dims[i] > 3 && smith_chance(g, 20)) low[i] = -1;
  }
  TccText attributes = smith_open_attributes();
  smith_put_list(&attributes, "low", low, x.rank);
  smith_put_list(&attributes, "high", high, x.rank);
  tcc_text_printf(&attributes, ", mode = \"%s\"}", modes[mode]);
  const size_t value = mode == 0 && smith_chance(g, 50) ? smith_leaf(g, x.elem, 0, NULL, true, -2, 2, false) : SIZE_MAX;
  smith_op(g, "tcc.pad", (size_t[]){v, value}, 2, attributes.data, rule_tells, x.integral, fmax(x.bound, 2), x.error);
  tcc_text_destroy(&attributes);
}

void smith_add_concat(SmithGraph *g) {
  const int least = 1;
  const size_t a = smith_pick(g, smith_has_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (a == SIZE_MAX) return;
  const SmithValue x = g->values[a];
  const int axis = (int)smith_random(g, (uint64_t)x.rank);
  size_t b = SIZE_MAX;
  for (size_t i = 0; i < g->count && b == SIZE_MAX; i++)
    if (!g->values[i].hidden && smith_same_but(&g->values[i], &x, axis) && smith_chance(g, 40)) b = i;
  memcpy(dims, x.dims, sizeof dims);
  dims[axis] = 1 + (int64_t)smith_random(g, 4);
  if (b == SIZE_MAX) b = smith_any_leaf(g, x.elem, x.rank, dims);
  if (b == SIZE_MAX) return;
  char attributes[40];
  snprintf(attributes, sizeof attributes, "{axis = %d : i64}", axis);
  const SmithValue y = g->values[b];
  smith_op(g, "tcc.concat", (size_t[]){a, b}, 2, attributes, rule_tells, x.integral && y.integral, fmax(x.bound, y.bound),
           fmax(x.error, y.error));
}

void smith_add_gather(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int axis = (int)smith_random(g, (uint64_t)x.rank), rank = (int)smith_random(g, 3);
  const bool elements = smith_chance(g, 40);
  if (x.dims[axis] < 1 || x.rank - 1 + rank > 5) return;
  for (int i = 0; i < rank; i++) dims[i] = 1 + (int64_t)smith_random(g, 6);
  if (elements)
    for (int i = 0; i < x.rank; i++) dims[i] = i == axis ? 1 + (int64_t)smith_random(g, 6) : x.dims[i];
  /* What is outside is clamped, unless it may not be there. */
  static const char *const valid[] = {"", ", valid = \"signed\"", ", valid = \"unsigned\""};
  const size_t how = smith_random(g, 3);
  const double most = (double)x.dims[axis], outside = how == 0 && smith_chance(g, 30) ? 2 : 0;
  const size_t indices = smith_leaf(g, smith_chance(g, 70) ? TCC_ELEM_I64 : TCC_ELEM_I32, elements ? x.rank : rank, dims, true,
                                    how < 2 ? -most - outside : 0, most - 1 + outside, true);
  if (indices == SIZE_MAX) return;
  char attributes[60];
  snprintf(attributes, sizeof attributes, "{axis = %d : i64%s}", axis, valid[how]);
  smith_op(g, elements ? "tcc.gather_elements" : "tcc.gather", (size_t[]){v, indices}, 2, attributes, rule_tells, x.integral,
           x.bound, x.error);
}

void smith_add_scatter(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  int64_t dims[SMITH_MAX_RANK];
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  const int axis = (int)smith_random(g, (uint64_t)x.rank);
  if (x.dims[axis] < 1) return;
  for (int i = 0; i < x.rank; i++) dims[i] = i == axis ? 1 + (int64_t)smith_random(g, 5) : x.dims[i];
  static const char *const reductions[] = {"none", "add", "min", "max", "mul"};
  const size_t which = smith_random(g, 5);
  const double times = pow(3, (double)dims[axis]); /* all updates may be of one place */
  /* Places outside are left out, unless they may not be there. */
  static const char *const valid[] = {"", ", valid = \"signed\"", ", valid = \"unsigned\""};
  const size_t how = smith_random(g, 3);
  const double room = (double)x.dims[axis], outside = how == 0 && smith_chance(g, 30) ? 2 : 0;
  const size_t indices = smith_leaf(g, TCC_ELEM_I64, x.rank, dims, true, how < 2 ? -room - outside : 0, room - 1 + outside, true),
               updates = smith_any_leaf(g, x.elem, x.rank, dims);
  if (indices == SIZE_MAX || updates == SIZE_MAX) return;
  char attributes[80];
  snprintf(attributes, sizeof attributes, "{axis = %d : i64, reduction = \"%s\"%s}", axis, reductions[which], valid[how]);
  const double bound = which == 4 ? x.bound * times : which == 1 ? x.bound + 3 * (double)dims[axis] : fmax(x.bound, 3);
  smith_op(g, "tcc.scatter_elements", (size_t[]){v, indices, updates}, 3, attributes, rule_tells,
           x.integral && g->values[updates].integral, bound,
           which == 4   ? smith_rounded(g, v, x.error * times, (double)dims[axis], bound)
           : which == 1 ? smith_rounded(g, v, x.error, (double)dims[axis], bound)
                        : x.error);
}

void smith_add_dynamic_slice(SmithGraph *g) {
  const int least = 1;
  const size_t v = smith_pick(g, smith_has_axes, &least);
  int64_t dims[SMITH_MAX_RANK], rank;
  if (v == SIZE_MAX) return;
  const SmithValue x = g->values[v];
  rank = x.rank;
  for (int i = 0; i < x.rank; i++) dims[i] = x.dims[i] < 1 ? 0 : 1 + (int64_t)smith_random(g, (uint64_t)x.dims[i]);
  const size_t starts = smith_leaf(g, TCC_ELEM_I64, 1, &rank, true, -1, 6, false);
  if (starts == SIZE_MAX) return;
  smith_op(g, "tcc.dynamic_slice", (size_t[]){v, starts}, 2, "", smith_type(g, x.elem, x.rank, dims), x.integral, x.bound, x.error);
}

void smith_add_iota(SmithGraph *g) {
  int64_t dims[SMITH_MAX_RANK];
  const int rank = 1 + (int)smith_random(g, 3);
  char attributes[40];
  smith_any_dims(g, rank, dims);
  const int axis = (int)smith_random(g, (uint64_t)rank);
  snprintf(attributes, sizeof attributes, "{axis = %d : i64}", axis);
  smith_op(g, "tcc.iota", NULL, 0, attributes, smith_type(g, smith_chance(g, 50) ? TCC_ELEM_I64 : TCC_ELEM_F32, rank, dims), true,
           (double)dims[axis], 0);
}
