/* pool.c - pooling windows over any number of spatial axes. */
#include "lib/interp/internal.h"
#include <math.h>

typedef struct {
  int spatial;
  const int64_t *kernel, *strides, *pads, *dilations;
} Window;

static void window_read(TccEval *e, Window *w) {
  size_t n;
  w->spatial = e->in[0]->rank - 2;
  w->kernel = tcc_eval_ints(e, "kernel", &n);
  w->strides = tcc_eval_ints(e, "strides", &n);
  w->pads = tcc_eval_ints(e, "pads", &n);
  w->dilations = tcc_eval_ints(e, "dilations", &n);
}

/* What a window at o covers, in order: the flat index of each inside element, and how many positions lie inside the
 * padded image (with ceil_mode a window may hang over even that). */
typedef struct {
  int64_t flat, padded;
  bool inside;
} Position;

static Position position(const Window *w, const int64_t *dims, const int64_t *o, const int64_t *k) {
  Position p = {0, 1, true};
  for (int i = 0; i < w->spatial; i++) {
    int64_t at = o[i] * w->strides[i] + k[i] * w->dilations[i] - w->pads[i];
    if (at < -w->pads[i] || at >= dims[i] + w->pads[w->spatial + i]) p.padded = 0;
    if (at < 0 || at >= dims[i]) p.inside = false;
    else p.flat = p.flat * dims[i] + at;
  }
  return p;
}

TccStatus *tcc_eval_pool(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  if (x->rank < 2) return TCC_ERROR(TCC_INVALID, "rank %d", x->rank);
  Window w;
  window_read(e, &w);
  bool max = tcc_eval_str_is(e, "kind", "max"), average = tcc_eval_str_is(e, "kind", "avg");
  bool include_pad = tcc_bool(e->ir, e->op, "count_include_pad");
  const int64_t *dims = x->dims + 2;
  int64_t plane = tcc_product(x->dims, 2, x->rank), index[TCC_MAX_RANK] = {0}, at = 0;
  if (r->count == 0) return NULL;
  do {
    const TccCell *from = x->at + (index[0] * x->dims[1] + index[1]) * plane;
    int64_t k[TCC_MAX_RANK] = {0}, covered = 0, best = -1;
    double sum = 0;
    int64_t integer_sum = 0;
    do {
      Position p = position(&w, dims, index + 2, k);
      covered += include_pad ? p.padded : p.inside;
      if (!p.inside) continue;
      if (!max) {
        if (x->is_float) sum += from[p.flat].f;
        else integer_sum += from[p.flat].i;
      } else if (best < 0 ||
                 (x->is_float ? from[p.flat].f > from[best].f || isnan(from[p.flat].f) : from[p.flat].i > from[best].i)) {
        if (best < 0 || !x->is_float || !isnan(from[best].f)) best = p.flat;
      }
    } while (tcc_next_index(w.spatial, w.kernel, k));
    TccCell *to = &r->at[at++];
    if (max && best >= 0) *to = from[best];
    else if (max && x->is_float) to->f = -INFINITY;
    else if (x->is_float) to->f = average ? sum / (double)covered : sum;
    else to->i = tcc_wrap(r->elem, average && covered ? integer_sum / covered : integer_sum);
  } while (tcc_next_index(r->rank, r->dims, index));
  return NULL;
}

/* The g of a window goes to its first maximum, or to all it covers, each a share of an average. */
static void spread(TccEval *e, const Window *w, const TccArray *x, const TccCell *from, const int64_t *o, double g, TccCell *to) {
  bool max = tcc_eval_str_is(e, "kind", "max"), include_pad = tcc_bool(e->ir, e->op, "count_include_pad");
  int64_t k[TCC_MAX_RANK] = {0}, covered = 0, best = -1;
  do {
    Position p = position(w, x->dims + 2, o, k);
    covered += include_pad ? p.padded : p.inside;
    if (p.inside && (best < 0 || from[p.flat].f > from[best].f)) best = p.flat;
  } while (tcc_next_index(w->spatial, w->kernel, k));
  if (max && best >= 0) to[best].f += g;
  if (max) return;
  double share = tcc_eval_str_is(e, "kind", "avg") ? g / (double)covered : g;
  memset(k, 0, sizeof k);
  do {
    Position p = position(w, x->dims + 2, o, k);
    if (p.inside) to[p.flat].f += share;
  } while (tcc_next_index(w->spatial, w->kernel, k));
}

TccStatus *tcc_eval_pool_grad(TccEval *e) {
  const TccArray *x = e->in[0], *g = e->in[1];
  if (x->rank < 3 || g->rank != x->rank || !x->is_float) return TCC_ERROR(TCC_INVALID, "rank %d", x->rank);
  Window w;
  window_read(e, &w);
  int64_t plane = tcc_product(x->dims, 2, x->rank), index[TCC_MAX_RANK] = {0}, at = 0;
  if (g->count == 0) return NULL;
  do {
    int64_t base = (index[0] * x->dims[1] + index[1]) * plane;
    spread(e, &w, x, x->at + base, index + 2, g->at[at++].f, e->out[0]->at + base);
  } while (tcc_next_index(g->rank, g->dims, index));
  return NULL;
}

TccStatus *tcc_eval_pool_index(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  if (x->rank < 2) return TCC_ERROR(TCC_INVALID, "rank %d", x->rank);
  Window w;
  window_read(e, &w);
  bool column_major = tcc_bool(e->ir, e->op, "column_major");
  const int64_t *dims = x->dims + 2;
  int64_t plane = tcc_product(x->dims, 2, x->rank), index[TCC_MAX_RANK] = {0}, at = 0;
  if (r->count == 0) return NULL;
  do {
    int64_t base = (index[0] * x->dims[1] + index[1]) * plane, k[TCC_MAX_RANK] = {0}, best = -1;
    do {
      Position p = position(&w, dims, index + 2, k);
      if (!p.inside) continue;
      const TccCell *from = x->at + base;
      if (best < 0 || (x->is_float ? from[p.flat].f > from[best].f : from[p.flat].i > from[best].i)) best = p.flat;
    } while (tcc_next_index(w.spatial, w.kernel, k));
    if (best < 0) best = 0;
    if (column_major) { /* the first spatial axis runs fastest */
      int64_t rest = best, flat = 0, position_of[TCC_MAX_RANK];
      for (int i = w.spatial - 1; i >= 0; i--) {
        position_of[i] = rest % dims[i];
        rest /= dims[i];
      }
      for (int i = w.spatial - 1; i >= 0; i--) flat = flat * dims[i] + position_of[i];
      best = flat;
    }
    r->at[at++].i = base + best;
  } while (tcc_next_index(r->rank, r->dims, index));
  return NULL;
}
