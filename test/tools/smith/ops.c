/* ops.c - what the files of ops share: operands that suit, attributes as text; and the choice of the next op. */
#include "test/tools/smith/ops.h"

/* Of a float op's result: what comes in, and `units` roundings. */
double smith_rounded(const SmithGraph *g, size_t of, double in, double units, double bound) {
  return in + units * 2 * smith_unit(g->values[of].elem) * fmax(bound, 1e-6);
}

/* ---- what operands may be ---- */
bool smith_is_number(const SmithValue *v, const void *more) {
  (void)more;
  return v->elem != TCC_ELEM_BOOL;
}
bool smith_is_float(const SmithValue *v, const void *more) {
  (void)more;
  return tcc_elem_is_float(v->elem);
}
bool smith_is_any(const SmithValue *v, const void *more) {
  (void)v, (void)more;
  return true;
}
bool smith_is_exact(const SmithValue *v, const void *more) {
  (void)more;
  return v->error == 0 && v->elem != TCC_ELEM_BOOL;
}
bool smith_is_bits(const SmithValue *v, const void *more) {
  (void)more;
  return v->elem == TCC_ELEM_BOOL || tcc_elem_is_integer(v->elem);
}
bool smith_is_bool(const SmithValue *v, const void *more) {
  (void)more;
  return v->elem == TCC_ELEM_BOOL;
}
bool smith_has_axes(const SmithValue *v, const void *more) { return v->rank >= *(const int *)more && v->elem != TCC_ELEM_BOOL; }
bool smith_has_float_axes(const SmithValue *v, const void *more) {
  return tcc_elem_is_float(v->elem) && v->rank >= *(const int *)more;
}
bool smith_has_exact_axes(const SmithValue *v, const void *more) {
  return smith_is_exact(v, NULL) && v->rank >= *(const int *)more;
}

bool smith_broadcasts(const SmithValue *a, const SmithValue *b) {
  for (int i = 1; i <= a->rank && i <= b->rank; i++) {
    const int64_t x = a->dims[a->rank - i], y = b->dims[b->rank - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}
/* Of the same type of element, and NumPy would broadcast the two. */
static bool goes_with(const SmithValue *v, const void *more) {
  const SmithValue *a = more;
  return v->elem == a->elem && smith_broadcasts(v, a);
}
static bool goes_with_exactly(const SmithValue *v, const void *more) { return v->error == 0 && goes_with(v, more); }

TccElem smith_any_float(SmithGraph *g) {
  static const TccElem elems[] = {TCC_ELEM_F32, TCC_ELEM_F32, TCC_ELEM_F32,  TCC_ELEM_F32,
                                  TCC_ELEM_F32, TCC_ELEM_F16, TCC_ELEM_BF16, TCC_ELEM_F64};
  return elems[smith_random(g, sizeof elems / sizeof *elems)];
}
TccElem smith_any_elem(SmithGraph *g) {
  static const TccElem elems[] = {TCC_ELEM_I64, TCC_ELEM_I32, TCC_ELEM_BOOL, TCC_ELEM_U8, TCC_ELEM_I8,
                                  TCC_ELEM_I16, TCC_ELEM_U16, TCC_ELEM_U32,  TCC_ELEM_U64};
  static const TccElem narrow[] = {TCC_ELEM_F8E4M3FN, TCC_ELEM_F8E5M2, TCC_ELEM_F4E2M1FN, TCC_ELEM_I4,
                                   TCC_ELEM_U4,       TCC_ELEM_I2,     TCC_ELEM_U2};
  if (smith_chance(g, 8)) return narrow[smith_random(g, sizeof narrow / sizeof *narrow)];
  return smith_chance(g, 75) ? smith_any_float(g) : elems[smith_random(g, sizeof elems / sizeof *elems)];
}

void smith_any_dims(SmithGraph *g, int rank, int64_t *dims) {
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
  int64_t count = 1;
  for (int i = 0; i < rank; i++) {
    dims[i] = smith_chance(g, 1) ? 0 : smith_chance(g, 25) ? g->symbol : sizes[smith_random(g, sizeof sizes / sizeof *sizes)];
    if (count * dims[i] > 4000) dims[i] = 1 + (int64_t)smith_random(g, 3);
    count *= dims[i];
  }
}

size_t smith_any_leaf(SmithGraph *g, TccElem elem, int rank, const int64_t *dims) {
  const bool integral = smith_chance(g, 50);
  return integral ? smith_leaf(g, elem, rank, dims, true, -3, 3, true) : smith_leaf(g, elem, rank, dims, false, -2, 2, true);
}

static size_t new_leaf(SmithGraph *g) {
  int64_t dims[SMITH_MAX_RANK];
  const int rank = (int)smith_random(g, 5);
  smith_any_dims(g, rank, dims);
  return smith_any_leaf(g, smith_any_elem(g), rank, dims);
}

/* One that broadcasts with v: there, or made. */
size_t smith_partner(SmithGraph *g, size_t v, bool exact) {
  const SmithValue *value = &g->values[v];
  const size_t found = smith_chance(g, 60) ? smith_pick(g, exact ? goes_with_exactly : goes_with, value) : SIZE_MAX;
  int64_t dims[SMITH_MAX_RANK];
  if (found != SIZE_MAX) return found;
  const int skipped = value->rank ? (int)smith_random(g, (uint64_t)value->rank + 1) * smith_chance(g, 40) : 0;
  for (int i = skipped; i < value->rank; i++) dims[i - skipped] = smith_chance(g, 20) ? 1 : value->dims[i];
  return smith_any_leaf(g, value->elem, value->rank - skipped, dims);
}

/* v times a number, so that its bound is at most limit. */
size_t smith_bring_below(SmithGraph *g, size_t v, double limit) {
  if (v == SIZE_MAX || g->values[v].bound <= limit) return v;
  const double factor = limit / g->values[v].bound;
  const size_t scale = smith_leaf(g, g->values[v].elem, 0, NULL, false, factor, factor, false);
  if (scale == SIZE_MAX) return SIZE_MAX;
  return smith_op(g, "tcc.mul", (size_t[]){v, scale}, 2, "", rule_tells, false, limit,
                  smith_rounded(g, v, g->values[v].error * factor, 2, limit));
}

/* |v| + least. */
size_t smith_bring_above(SmithGraph *g, size_t v, double least) {
  const SmithValue *value = &g->values[v];
  const size_t magnitude = smith_op(g, "tcc.abs", &v, 1, "", rule_tells, value->integral, value->bound, value->error);
  const size_t number = smith_leaf(g, g->values[v].elem, 0, NULL, true, least, least, false);
  if (magnitude == SIZE_MAX || number == SIZE_MAX) return SIZE_MAX;
  const double bound = g->values[v].bound + least;
  return smith_op(g, "tcc.add", (size_t[]){magnitude, number}, 2, "", rule_tells, g->values[v].integral, bound,
                  smith_rounded(g, v, g->values[v].error, 1, bound));
}

/* ---- attributes ---- */
void smith_put_ints(TccText *text, const char *name, const int64_t *values, int count) {
  tcc_text_printf(text, "%s%s = array<i64", text->length > 1 ? ", " : "", name);
  for (int i = 0; i < count; i++) tcc_text_printf(text, "%s%lld", i ? ", " : ": ", (long long)values[i]);
  tcc_text_printf(text, ">");
}
void smith_put_list(TccText *text, const char *name, const int64_t *values, int count) {
  tcc_text_printf(text, "%s%s = [", text->length > 1 ? ", " : "", name);
  for (int i = 0; i < count; i++) tcc_text_printf(text, "%s%lld", i ? ", " : "", (long long)values[i]);
  tcc_text_printf(text, "]");
}
TccText smith_open_attributes(void) {
  TccText text = {0};
  tcc_text_printf(&text, "{");
  return text;
}
/* An op that only moves: the result is what the operand is. Destroys the text. */
size_t smith_add_moved(SmithGraph *g, const char *name, size_t v, TccText *attributes, MlirType declared) {
  const SmithValue x = g->values[v];
  if (attributes->length) tcc_text_printf(attributes, "}");
  const size_t made = smith_op(g, name, &v, 1, attributes->length ? attributes->data : "", declared, x.integral, x.bound, x.error);
  tcc_text_destroy(attributes);
  return made;
}

/* ---- factors ---- */
bool smith_same_but(const SmithValue *v, const SmithValue *x, int axis) {
  if (v->elem != x->elem || v->rank != x->rank) return false;
  for (int i = 0; i < x->rank; i++)
    if (i != axis && v->dims[i] != x->dims[i]) return false;
  return true;
}

/* A factor of a product: of this shape, there or made, not larger than 3. */
static bool is_factor(const SmithValue *v, const void *more) {
  const SmithValue *like = more;
  return v->bound <= 4 && smith_same_but(v, like, -1);
}
size_t smith_factor(SmithGraph *g, TccElem elem, int rank, const int64_t *dims) {
  SmithValue like = {.elem = elem, .rank = rank};
  memcpy(like.dims, dims, (size_t)rank * sizeof *dims);
  const size_t found = smith_chance(g, 50) ? smith_pick(g, is_factor, &like) : SIZE_MAX;
  return found == SIZE_MAX ? smith_any_leaf(g, elem, rank, dims) : found;
}

void smith_add_product(SmithGraph *g, const char *name, const size_t *operands, size_t n, const char *attributes, double depth) {
  const SmithValue a = g->values[operands[0]], b = g->values[operands[1]];
  const double bound = depth * a.bound * b.bound + 3, error = depth * (a.error * b.bound + b.error * a.bound);
  const bool integral = a.integral && b.integral && (n < 3 || operands[2] == SIZE_MAX || g->values[operands[2]].integral);
  smith_op(g, name, operands, n, attributes, rule_tells, integral, bound,
           smith_rounded(g, operands[0], error, 16 + 2 * sqrt(depth), bound));
}

void smith_grow(SmithGraph *g) {
  static const struct {
    void (*add)(SmithGraph *g);
    unsigned weight;
  } table[] = {
#define SMITH_OP(name, weight) {smith_add_##name, weight},
#include "test/tools/smith/ops.def"
  };
  unsigned sum = 0;
  if (g->count < 2 || smith_chance(g, 4)) {
    new_leaf(g);
    return;
  }
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) sum += table[i].weight;
  size_t at = 0;
  for (uint64_t left = smith_random(g, sum); left >= table[at].weight; at++) left -= table[at].weight;
  table[at].add(g);
}
