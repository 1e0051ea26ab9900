/* einsum.c - sums of products by an equation, for all front ends.
 *
 * A label is a letter, or 128 + k for the k-th axis of an ellipsis, counted from its end so that shorter ones broadcast. An axis of size 1 whose label
 * has another size elsewhere broadcasts, too: the operand is taken without it.
 * Operands are contracted from left to right; a label is summed as soon as nobody needs it. */
#include "lib/frontend/import/import.h"
#include "tcc/op_kinds.h"

enum { ELLIPSIS = 128, MOST_OPERANDS = 32 };
typedef struct {
  int count;
  unsigned char label[TCC_MAX_RANK];
} Labels;
typedef struct {
  MlirValue value;
  Labels labels;
} Term;

static int position(const Labels *labels, unsigned char label) {
  for (int i = 0; i < labels->count; i++)
    if (labels->label[i] == label) return i;
  return -1;
}

static void drop(Labels *labels, int at) {
  for (int i = at; i + 1 < labels->count; i++) labels->label[i] = labels->label[i + 1];
  labels->count--;
}

/* Reads one comma-free part of the equation; rank: of the operand, -1 for the output with `dots` ellipsis axes. */
static bool read_labels(ImportCall *c, TccStr text, int rank, int dots, Labels *out) {
  int letters = 0;
  *out = (Labels){0};
  for (size_t i = 0; i < text.length; i++) {
    char l = text.data[i];
    letters += (l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z');
  }
  if (rank >= 0) dots = rank - letters;
  bool ellipsis = false;
  for (size_t i = 0; i < text.length; i++) {
    char l = text.data[i];
    if (l == ' ') continue;
    if (l == '.') {
      if (ellipsis || i + 2 >= text.length || text.data[i + 1] != '.' || text.data[i + 2] != '.' || dots < 0)
        return import_invalid(c, "bad ellipsis in the equation");
      ellipsis = true;
      for (int k = dots; k-- > 0 && out->count < TCC_MAX_RANK;) out->label[out->count++] = (unsigned char)(ELLIPSIS + k);
      i += 2;
    } else {
      if (!((l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z')) || out->count == TCC_MAX_RANK)
        return import_invalid(c, "bad label '%c' in the equation", l);
      out->label[out->count++] = (unsigned char)l;
    }
  }
  if (rank >= 0 && out->count != rank)
    return import_invalid(c, "the equation gives %d labels to an operand of rank %d", out->count, rank);
  return true;
}

/* Repeated labels of one operand: its diagonal, by a masked sum over the second axis. */
static bool take_diagonals(ImportCall *c, Term *t) {
  for (int i = 0; i < t->labels.count; i++)
    for (int k = i + 1; k < t->labels.count; k++) {
      if (t->labels.label[i] != t->labels.label[k]) continue;
      ImportShape shape = import_shape(c, t->value);
      if (!import_require_equal(c, shape.dims[i], shape.dims[k], "sizes of a repeated label")) return false;
      MlirValue rows = import_iota(c, TCC_ELEM_I64, shape.dims[i]), columns = import_iota(c, TCC_ELEM_I64, shape.dims[k]);
      const TccExpr *at_row[TCC_MAX_RANK], *at_column[TCC_MAX_RANK];
      for (int d = 0; d < shape.rank; d++) {
        at_row[d] = d == i ? shape.dims[i] : import_size(c, 1);
        at_column[d] = d == k ? shape.dims[k] : import_size(c, 1);
      }
      MlirValue mask = tcc_build_compare(&c->b, "eq", tcc_build_reshape(&c->b, rows, shape.rank, at_row),
                                         tcc_build_reshape(&c->b, columns, shape.rank, at_column));
      int64_t axis = k;
      t->value = tcc_build_reduce(&c->b, "sum", tcc_build_select(&c->b, mask, t->value, tcc_build_scalar(&c->b, shape.elem, 0)),
                                  &axis, 1, false);
      drop(&t->labels, k--);
    }
  return t->value.ptr != NULL;
}

/* Whether an operand has the label with another size than 1. */
static bool is_larger(ImportCall *c, const Term *terms, size_t count, unsigned char label) {
  for (size_t i = 0; i < count; i++) {
    const int at = position(&terms[i].labels, label);
    if (at >= 0 && !import_is_size(import_shape(c, terms[i].value).dims[at], 1)) return true;
  }
  return false;
}

/* A term without its axes that broadcast. */
static void drop_ones(ImportCall *c, Term *t, const Term *terms, size_t count) {
  const ImportShape shape = import_shape(c, t->value);
  const TccExpr *dims[TCC_MAX_RANK];
  Labels kept = {0};
  for (int i = 0; i < t->labels.count; i++) {
    const unsigned char label = t->labels.label[i];
    if (import_is_size(shape.dims[i], 1) && is_larger(c, terms, count, label)) continue;
    dims[kept.count] = shape.dims[i];
    kept.label[kept.count++] = label;
  }
  if (kept.count == t->labels.count) return;
  t->value = tcc_build_reshape(&c->b, t->value, kept.count, dims);
  t->labels = kept;
}

static bool needed(const Term *rest, size_t nrest, const Labels *output, unsigned char label) {
  for (size_t i = 0; i < nrest; i++)
    if (position(&rest[i].labels, label) >= 0) return true;
  return position(output, label) >= 0;
}

/* Sums the axes of t that neither `other` nor anybody later has. */
static void sum_private(ImportCall *c, Term *t, const Labels *other, const Term *rest, size_t nrest, const Labels *output) {
  int64_t axes[TCC_MAX_RANK];
  size_t naxes = 0;
  Labels kept = {0};
  for (int i = 0; i < t->labels.count; i++) {
    unsigned char l = t->labels.label[i];
    if (position(other, l) >= 0 || needed(rest, nrest, output, l)) kept.label[kept.count++] = l;
    else axes[naxes++] = i;
  }
  if (naxes) t->value = tcc_build_reduce(&c->b, "sum", t->value, axes, naxes, false);
  t->labels = kept;
}

static Term contract(ImportCall *c, Term a, Term b, const Term *rest, size_t nrest, const Labels *output) {
  sum_private(c, &a, &b.labels, rest, nrest, output);
  sum_private(c, &b, &a.labels, rest, nrest, output);
  int64_t batch[2][TCC_MAX_RANK], summed[2][TCC_MAX_RANK];
  size_t nbatch = 0, nsummed = 0;
  Term r = {.value = {NULL}};
  for (int i = 0; i < a.labels.count; i++) {
    int k = position(&b.labels, a.labels.label[i]);
    if (k < 0) continue;
    if (needed(rest, nrest, output, a.labels.label[i]))
      batch[0][nbatch] = i, batch[1][nbatch++] = k, r.labels.label[r.labels.count++] = a.labels.label[i];
    else summed[0][nsummed] = i, summed[1][nsummed++] = k;
  }
  for (int i = 0; i < a.labels.count; i++)
    if (position(&b.labels, a.labels.label[i]) < 0 && r.labels.count < TCC_MAX_RANK)
      r.labels.label[r.labels.count++] = a.labels.label[i];
  for (int i = 0; i < b.labels.count; i++)
    if (position(&a.labels, b.labels.label[i]) < 0 && r.labels.count < TCC_MAX_RANK)
      r.labels.label[r.labels.count++] = b.labels.label[i];
  TccNamedAttr attrs[] = {{"lhs_batch", tcc_attr_ints(c->ir, batch[0], nbatch)},
                          {"rhs_batch", tcc_attr_ints(c->ir, batch[1], nbatch)},
                          {"lhs_contract", tcc_attr_ints(c->ir, summed[0], nsummed)},
                          {"rhs_contract", tcc_attr_ints(c->ir, summed[1], nsummed)}};
  MlirValue operands[] = {a.value, b.value};
  if (a.value.ptr && b.value.ptr) r.value = import_op(c, TCC_OP_DOT_GENERAL, operands, 2, attrs, 4);
  return r;
}

/* Without "->": the labels that occur once, in order of the alphabet, behind the ellipsis. */
static void implicit_output(const Term *terms, size_t count, int dots, Labels *out) {
  *out = (Labels){0};
  for (int k = dots; k-- > 0 && out->count < TCC_MAX_RANK;) out->label[out->count++] = (unsigned char)(ELLIPSIS + k);
  for (int l = 'A'; l <= 'z'; l++) {
    int uses = 0;
    for (size_t i = 0; i < count; i++)
      for (int k = 0; k < terms[i].labels.count; k++) uses += terms[i].labels.label[k] == l;
    if (uses == 1 && out->count < TCC_MAX_RANK) out->label[out->count++] = (unsigned char)l;
  }
}

/* The labels of all operands, and of the output where the equation names it. */
static bool read_equation(ImportCall *c, TccStr equation, Term *terms, size_t count, Labels *output) {
  size_t at = 0;
  int dots = 0;
  for (size_t i = 0; i < count; i++) {
    size_t start = at;
    while (at < equation.length && equation.data[at] != ',' && equation.data[at] != '-') at++;
    bool last = i + 1 == count;
    if (!last && (at >= equation.length || equation.data[at] != ','))
      return import_invalid(c, "the equation has fewer operands than the node");
    if (!read_labels(c, (TccStr){equation.data + start, at - start}, import_shape(c, terms[i].value).rank, 0, &terms[i].labels))
      return false;
    int own = 0;
    for (int k = 0; k < terms[i].labels.count; k++) own += terms[i].labels.label[k] >= ELLIPSIS;
    if (own > dots) dots = own;
    if (!last) at++;
  }
  if (at < equation.length && equation.data[at] == ',') return import_invalid(c, "the equation has more operands than the node");
  const bool named = at + 1 < equation.length && equation.data[at] == '-';
  if (!named) implicit_output(terms, count, dots, output);
  return !named || read_labels(c, (TccStr){equation.data + at + 2, equation.length - at - 2}, -1, dots, output);
}

MlirValue import_einsum(ImportCall *c, TccStr equation, const MlirValue *operands, size_t count) {
  static const MlirValue none = {NULL};
  static const Labels nobody;
  Term terms[MOST_OPERANDS];
  Labels output;
  if (!count || count > MOST_OPERANDS) return import_unsupported(c, "%zu operands", count), none;
  for (size_t i = 0; i < count; i++) terms[i].value = operands[i];
  if (!read_equation(c, equation, terms, count, &output)) return none;
  for (size_t i = 0; i < count; i++)
    if (!take_diagonals(c, &terms[i])) return none;
  for (size_t i = 0; i < count; i++) drop_ones(c, &terms[i], terms, count);
  Term acc = terms[0];
  for (size_t i = 1; i < count; i++) acc = contract(c, acc, terms[i], terms + i + 1, count - i - 1, &output);
  if (acc.value.ptr) sum_private(c, &acc, &nobody, NULL, 0, &output);
  int64_t perm[TCC_MAX_RANK];
  for (int i = 0; i < output.count; i++) {
    int from = position(&acc.labels, output.label[i]);
    if (from < 0) return import_invalid(c, "output label '%c' is in no operand", output.label[i]), none;
    perm[i] = from;
  }
  if (output.count != acc.labels.count) return import_invalid(c, "an output label is repeated"), none;
  return tcc_build_transpose(&c->b, acc.value, perm);
}
