/* reduce.c - reductions, running sums, top-k and non-zero positions. */
#include "lib/interp/internal.h"
#include "tcc/op_kinds.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef enum { SUM, PROD, MAX, MIN, AND, OR } Kind;

static Kind kind_of(TccEval *e) {
  static const char *const names[] = {"sum", "prod", "max", "min", "and", "or"};
  for (int i = 0; i < 6; i++)
    if (tcc_eval_str_is(e, "kind", names[i])) return (Kind)i;
  return SUM;
}

/* The neutral element: for max and min the end of the type's range. */
static TccCell start_value(const TccArray *r, Kind kind) {
  TccCell cell = {.i = 0};
  unsigned bits = tcc_elem_bits(r->elem);
  bool is_signed = tcc_elem_is_signed(r->elem);
  switch (kind) {
  case SUM:
  case OR:
    if (r->is_float) cell.f = 0;
    return cell;
  case PROD:
    if (r->is_float) cell.f = 1;
    else cell.i = 1;
    return cell;
  case AND: cell.i = tcc_wrap(r->elem, -1); return cell;
  case MAX:
    if (r->is_float) cell.f = -INFINITY;
    else if (is_signed) cell.i = -1 - (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
    return cell;
  default:
    if (r->is_float) cell.f = INFINITY;
    else if (r->elem == TCC_ELEM_BOOL) cell.i = 1;
    else cell.i = is_signed ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1) : tcc_wrap(r->elem, -1);
    return cell;
  }
}

static double extreme(double a, double b, bool largest) {
  if (isnan(a) || isnan(b)) return NAN;
  return largest ? (a > b ? a : b) : (a < b ? a : b);
}

static bool integer_less(TccElem elem, int64_t a, int64_t b) { return elem == TCC_ELEM_U64 ? (uint64_t)a < (uint64_t)b : a < b; }

static TccCell combine(const TccArray *r, Kind kind, TccCell a, TccCell b) {
  TccCell result = a;
  switch (kind) {
  case SUM:
    if (r->is_float) result.f = a.f + b.f;
    else result.i = tcc_wrap(r->elem, (int64_t)((uint64_t)a.i + (uint64_t)b.i));
    break;
  case PROD:
    if (r->is_float) result.f = a.f * b.f;
    else result.i = tcc_wrap(r->elem, (int64_t)((uint64_t)a.i * (uint64_t)b.i));
    break;
  case MAX:
    if (r->is_float) result.f = extreme(a.f, b.f, true);
    else if (integer_less(r->elem, a.i, b.i)) result = b;
    break;
  case MIN:
    if (r->is_float) result.f = extreme(a.f, b.f, false);
    else if (integer_less(r->elem, b.i, a.i)) result = b;
    break;
  case AND: result.i = a.i & b.i; break;
  case OR: result.i = a.i | b.i; break;
  }
  return result;
}

/* reduce, and mean: every element of x goes to the result at its index without the reduced axes. */
TccStatus *tcc_eval_reduce(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  size_t naxes;
  const int64_t *axes = tcc_eval_ints(e, "axes", &naxes);
  bool reduced[TCC_MAX_RANK] = {false};
  for (size_t i = 0; i < naxes; i++) reduced[axes[i]] = true;
  int64_t strides[TCC_MAX_RANK], stride = 1, elements = 1;
  for (int i = x->rank - 1; i >= 0; i--) {
    strides[i] = reduced[i] ? 0 : stride;
    if (reduced[i]) elements *= x->dims[i];
    else stride *= x->dims[i];
  }
  if (stride != r->count) return TCC_ERROR(TCC_INVALID, "the result has %" PRId64 " elements, not %" PRId64, r->count, stride);
  Kind kind = e->kind == TCC_OP_MEAN ? SUM : kind_of(e);
  for (int64_t i = 0; i < r->count; i++) r->at[i] = start_value(r, kind);
  int64_t index[TCC_MAX_RANK] = {0}, at = 0;
  if (x->count) {
    do {
      int64_t offset = 0;
      for (int i = 0; i < x->rank; i++) offset += index[i] * strides[i];
      r->at[offset] = combine(r, kind, r->at[offset], x->at[at++]);
    } while (tcc_next_index(x->rank, x->dims, index));
  }
  if (e->kind != TCC_OP_MEAN) return NULL;
  for (int64_t i = 0; i < r->count; i++) {
    if (r->is_float) r->at[i].f /= (double)elements;
    else r->at[i].i = elements ? r->at[i].i / elements : 0;
  }
  return NULL;
}

/* x seen as [outer, size, inner] around one axis */
typedef struct {
  int64_t outer, size, inner;
} Split;
static Split split_at(const TccArray *x, int64_t axis) {
  int a = (int)axis;
  if (x->rank == 0) return (Split){1, 1, 1};
  return (Split){tcc_product(x->dims, 0, a), x->dims[a], tcc_product(x->dims, a + 1, x->rank)};
}

/* Whether a comes before b in the wanted order; NaN is larger than every number, as NumPy sorts it. */
static bool precedes(const TccArray *x, TccCell a, TccCell b, bool largest) {
  if (!x->is_float) return largest ? integer_less(x->elem, b.i, a.i) : integer_less(x->elem, a.i, b.i);
  if (isnan(a.f) || isnan(b.f)) return largest ? isnan(a.f) && !isnan(b.f) : !isnan(a.f) && isnan(b.f);
  return largest ? a.f > b.f : a.f < b.f;
}

TccStatus *tcc_eval_arg_reduce(TccEval *e) {
  const TccArray *x = e->in[0];
  Split s = split_at(x, tcc_i64(e->ir, e->op, "axis"));
  bool largest = tcc_eval_str_is(e, "kind", "max"), last = tcc_bool(e->ir, e->op, "last");
  if (s.size == 0 && e->out[0]->count) return TCC_ERROR(TCC_INVALID, "no element to choose along an empty axis");
  for (int64_t o = 0; o < s.outer; o++) {
    for (int64_t i = 0; i < s.inner; i++) {
      const TccCell *row = x->at + o * s.size * s.inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < s.size; k++) {
        TccCell candidate = row[k * s.inner], holder = row[best * s.inner];
        bool nan_holder = x->is_float && isnan(holder.f);
        if (nan_holder && !last) break; /* the first NaN stays */
        bool nan_candidate = x->is_float && isnan(candidate.f);
        if (nan_candidate ||
            (!nan_holder && (precedes(x, candidate, holder, largest) || (last && !precedes(x, holder, candidate, largest)))))
          best = k;
      }
      e->out[0]->at[o * s.inner + i].i = best;
    }
  }
  return NULL;
}

TccStatus *tcc_eval_cumulative(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  Split s = split_at(x, tcc_i64(e->ir, e->op, "axis"));
  bool exclusive = tcc_bool(e->ir, e->op, "exclusive"), reverse = tcc_bool(e->ir, e->op, "reverse");
  Kind kind = kind_of(e);
  for (int64_t o = 0; o < s.outer; o++) {
    for (int64_t i = 0; i < s.inner; i++) {
      int64_t base = o * s.size * s.inner + i;
      TccCell running = start_value(r, kind);
      for (int64_t n = 0; n < s.size; n++) {
        int64_t at = base + (reverse ? s.size - 1 - n : n) * s.inner;
        TccCell next = combine(r, kind, running, x->at[at]);
        r->at[at] = exclusive ? running : next;
        running = next;
      }
    }
  }
  return NULL;
}

/* Merge sort of indices: stable, so that equal elements keep the lower index first. */
static void sort_indices(const TccArray *x, const TccCell *row, int64_t step, bool largest, int64_t *indices, int64_t *spare,
                         int64_t n) {
  if (n < 2) return;
  int64_t half = n / 2;
  sort_indices(x, row, step, largest, indices, spare, half);
  sort_indices(x, row, step, largest, indices + half, spare, n - half);
  memcpy(spare, indices, (size_t)n * sizeof *spare);
  for (int64_t a = 0, b = half, to = 0; to < n; to++) {
    bool take_b = a == half || (b < n && precedes(x, row[spare[b] * step], row[spare[a] * step], largest));
    indices[to] = take_b ? spare[b++] : spare[a++];
  }
}

TccStatus *tcc_eval_topk(TccEval *e) {
  const TccArray *x = e->in[0];
  Split s = split_at(x, tcc_i64(e->ir, e->op, "axis"));
  int64_t k[1];
  size_t n;
  TCC_TRY(tcc_interp_exprs(e, "k", k, 1, &n));
  if (k[0] > s.size) return TCC_ERROR(TCC_INVALID, "k = %" PRId64 " of %" PRId64 " elements", k[0], s.size);
  bool largest = tcc_bool(e->ir, e->op, "largest"), last = tcc_bool(e->ir, e->op, "last");
  if (last && k[0] < 1) return TCC_ERROR(TCC_INVALID, "the last of k = %" PRId64, k[0]);
  const int64_t first = last ? k[0] - 1 : 0, taken = k[0] - first;
  int64_t *indices = tcc_interp_scratch(e, (size_t)(2 * s.size + 1) * sizeof *indices);
  if (!indices) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t o = 0; o < s.outer; o++) {
    for (int64_t i = 0; i < s.inner; i++) {
      const TccCell *row = x->at + o * s.size * s.inner + i;
      for (int64_t j = 0; j < s.size; j++) indices[j] = j;
      sort_indices(x, row, s.inner, largest, indices, indices + s.size, s.size);
      for (int64_t j = 0; j < taken; j++) {
        e->out[0]->at[(o * taken + j) * s.inner + i] = row[indices[first + j] * s.inner];
        e->out[1]->at[(o * taken + j) * s.inner + i].i = indices[first + j];
      }
    }
  }
  return NULL;
}

/* The side of a box along an axis (0 or 1), low end first. */
static void side(const TccCell *box, bool center, int axis, double *low, double *high) {
  double a = box[axis].f, b = box[axis + 2].f;
  *low = center ? a - b / 2 : fmin(a, b);
  *high = center ? a + b / 2 : fmax(a, b);
}

static double overlap_of(const TccCell *a, const TccCell *b, bool center) {
  double common = 1, area_a = 1, area_b = 1, low[2], high[2];
  for (int axis = 0; axis < 2; axis++) {
    side(a, center, axis, &low[0], &high[0]);
    side(b, center, axis, &low[1], &high[1]);
    area_a *= high[0] - low[0];
    area_b *= high[1] - low[1];
    common *= fmax(fmin(high[0], high[1]) - fmax(low[0], low[1]), 0);
  }
  return common > 0 && area_a > 0 && area_b > 0 ? common / (area_a + area_b - common) : 0;
}

TccStatus *tcc_eval_non_max_suppression(TccEval *e) {
  const TccArray *boxes = e->in[0], *scores = e->in[1];
  TccArray *r = e->out[0];
  int64_t classes = scores->dims[1], count = scores->dims[2], most = e->in[2]->at[0].i;
  double overlap = e->in[3]->at[0].f, least = e->in[4]->at[0].f;
  bool center = tcc_bool(e->ir, e->op, "center");
  int64_t *order = tcc_interp_scratch(e, (size_t)(2 * count + 1) * sizeof *order);
  if (!order) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t line = 0; line < scores->dims[0] * classes; line++) {
    const TccCell *score = scores->at + line * count, *box = boxes->at + line / classes * count * 4;
    TccCell *taken = r->at + line * count;
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++) order[i] = i, taken[i].i = -1;
    sort_indices(scores, score, 1, true, order, order + count, count);
    for (int64_t i = 0; i < count && held < most; i++) {
      bool out = isnan(score[order[i]].f) || score[order[i]].f <= least;
      for (int64_t j = 0; j < held && !out; j++) out = overlap_of(box + 4 * order[i], box + 4 * taken[j].i, center) > overlap;
      if (!out) taken[held++].i = order[i];
    }
  }
  return NULL;
}

/* The driver leaves this op's result to it: its size is only known here. */
TccStatus *tcc_eval_nonzero(TccEval *e) {
  const TccArray *x = e->in[0];
  int64_t found = 0, index[TCC_MAX_RANK] = {0}, column = 0;
  for (int64_t i = 0; i < x->count; i++) found += x->is_float ? x->at[i].f != 0 : x->at[i].i != 0;
  TCC_TRY(tcc_interp_bind(e->interp, tcc_string(e->ir, e->op, "size"), found));
  TCC_TRY(tcc_array_make(e->out[0], TCC_ELEM_I64, 2, (int64_t[]){x->rank, found}));
  for (int64_t i = 0; i < x->count; i++) {
    if (x->is_float ? x->at[i].f != 0 : x->at[i].i != 0) {
      for (int d = 0; d < x->rank; d++) e->out[0]->at[d * found + column].i = index[d];
      column++;
    }
    tcc_next_index(x->rank, x->dims, index);
  }
  return NULL;
}
