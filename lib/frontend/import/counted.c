/* counted.c - sizes that the graph computes: a size that data decide is a number of elements that are not zero (tcc.nonzero), here of places
 * before the value, or before each of its digits where it may be large. There is one place more than what is allowed needs, so that what is too
 * large breaks a constraint. Before a negative value are all places, more than before any other: it breaks one that says so. Digits make one size again, that of a tensor as long as they say: products of
 * sizes that are sums would have too many terms. */
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"

enum { DIGIT = 1 << 12, MOST_ENTRIES = 64 };
static const int64_t MOST_SIZE = (int64_t)DIGIT * DIGIT * DIGIT - 1;

/* How many of most + 1 places lie before `value`; `negative`: all of them. */
static const TccExpr *places_before(ImportCall *c, MlirValue value, MlirValue negative, const TccExpr *most) {
  MlirValue places = import_iota(c, TCC_ELEM_I64, import_size_add(c, most, import_size(c, 1)));
  MlirValue before = tcc_build2(&c->b, TCC_OP_OR, tcc_build_compare(&c->b, "lt", places, value), negative);
  MlirValue counted = import_nonzero(c, before);
  return counted.ptr ? import_shape(c, counted).dims[1] : NULL;
}

/* Whether places up to `most` are counted at once: few of them, or as many as there are elements of some tensor. */
static bool counts_at_once(const TccExpr *most) {
  int64_t number;
  return most && (!tcc_expr_is_const(most, &number) || number < DIGIT);
}

static const TccExpr *one_symbol(ImportCall *c, const TccExpr *size) {
  MlirValue all = tcc_build_broadcast(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1), 1, &size),
            counted = import_nonzero(c, all);
  return counted.ptr ? import_shape(c, counted).dims[1] : NULL;
}

/* A constraint that only a negative value breaks: its message says so, beside the node. */
static bool refuse_negative(ImportCall *c, const TccExpr *size, const TccExpr *largest) {
  ImportCall asker = *c;
  asker.op = tcc_str(tcc_arena_printf(c->importer->arena, "%.*s, whose size is negative", TCC_STR_ARG(c->op)));
  c->importer->call = &asker;
  const bool ok = import_require_at_most(&asker, size, largest, "a size that data decide is negative");
  c->importer->call = c;
  return ok;
}

const TccExpr *import_counted_size(ImportCall *c, MlirValue value, const TccExpr *most) {
  int64_t top = 1, bound = MOST_SIZE;
  if (!value.ptr) return NULL;
  MlirValue negative = tcc_build_compare(&c->b, "lt", value, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  const TccExpr *size = import_size(c, 0), *largest; /* that is counted of a value that is too large */
  if (counts_at_once(most)) {
    largest = import_size_add(c, most, import_size(c, 1));
    size = places_before(c, tcc_build2(&c->b, TCC_OP_MIN, value, tcc_build_size(&c->b, largest)), negative, largest);
  } else {
    if (!most || (tcc_expr_is_const(most, &bound) && bound > MOST_SIZE)) bound = MOST_SIZE, most = import_size(c, bound);
    while (bound / top >= DIGIT) top *= DIGIT;
    largest = import_size(c, DIGIT * top + top - 1);
    for (int64_t unit = top; unit && size; unit /= DIGIT) {
      MlirValue digit = unit == 1 ? value : tcc_build2_number(&c->b, TCC_OP_DIV, value, (double)unit);
      if (unit != top) digit = tcc_build2_number(&c->b, TCC_OP_MOD, digit, DIGIT);
      const TccExpr *n = places_before(c, digit, negative, import_size(c, DIGIT - 1));
      size = n ? import_size_add(c, size, import_size_mul(c, n, import_size(c, unit))) : NULL;
    }
  }
  if (!size || !refuse_negative(c, size, largest)) return NULL;
  if (!import_require_at_most(c, size, most, "a size that data decide and its bound")) return NULL;
  return counts_at_once(most) ? size : one_symbol(c, size);
}

/* ---- operands that say sizes ---- */
bool import_may_count(const ImportCall *c) {
  c->importer->refusals += c->importer->drops; /* a size of what is dropped may be anything */
  return !c->importer->drops;
}

static MlirValue scalar_of(ImportCall *c, MlirValue vector, int64_t i, bool is_scalar) {
  if (!is_scalar) vector = tcc_build_slice_axis(&c->b, vector, 0, import_size(c, i), 1, import_size(c, 1));
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, vector, TCC_ELEM_I64), 0, NULL);
}

/* Appends the entries of value, of `count` entries: of what is joined part by part, so that those that are known stay so. */
static bool add_entries(ImportCall *c, MlirValue value, int64_t count, ImportEntry *out) {
  size_t known;
  const TccExpr *const *sizes = tcc_symbolic_value(c->ir, value, &known);
  if (sizes) {
    for (size_t i = 0; i < known; i++) out[i] = (ImportEntry){.size = sizes[i]};
    return true;
  }
  if (tcc_value_kind(c->ir, value) == TCC_OP_CONCAT) {
    MlirOperation op = tcc_value_op(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      MlirValue part = mlirOperationGetOperand(op, i);
      int64_t length;
      if (!tcc_expr_is_const(import_shape(c, part).dims[0], &length) || !add_entries(c, part, length, out)) return false;
      out += length;
    }
    return true;
  }
  const bool is_scalar = import_shape(c, value).rank == 0;
  for (int64_t i = 0; i < count; i++) {
    out[i] = (ImportEntry){.value = scalar_of(c, value, i, is_scalar)};
    if (!out[i].value.ptr) return false;
  }
  return true;
}

const ImportEntry *import_entries(ImportCall *c, size_t input, size_t *out_count) {
  Importer *run = c->importer;
  MlirValue value = import_input(c, input);
  ImportShape shape = import_shape(c, value);
  int64_t count = 1;
  *out_count = 0;
  const bool may_count = value.ptr && import_may_count(c) && shape.rank <= 1 && !tcc_elem_is_float(shape.elem) &&
                         (shape.rank == 0 || (tcc_expr_is_const(shape.dims[0], &count) && count <= MOST_ENTRIES));
  if (value.ptr && !tcc_symbolic_value(c->ir, value, out_count)) {
    if (import_specialise_given(c, input)) return NULL;
    if (may_count) {
      ImportEntry *out = TCC_NEW_ARRAY(run->arena, ImportEntry, (size_t)count + 1);
      *out_count = (size_t)count;
      return add_entries(c, value, count, out) ? out : NULL;
    }
  }
  const TccExpr *const *sizes = import_values(c, input, out_count);
  if (!sizes) return NULL;
  ImportEntry *out = TCC_NEW_ARRAY(run->arena, ImportEntry, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++) out[i].size = sizes[i];
  return out;
}

MlirValue import_entry_value(ImportCall *c, const ImportEntry *entry) {
  return entry->size ? tcc_build_size(&c->b, entry->size) : entry->value;
}

const TccExpr *const *import_sizes(ImportCall *c, size_t input, size_t *out_count) {
  const ImportEntry *entries = import_entries(c, input, out_count);
  if (!entries) return NULL;
  const TccExpr **out = TCC_NEW_ARRAY(c->importer->arena, const TccExpr *, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++) {
    out[i] = entries[i].size ? entries[i].size : import_counted_size(c, entries[i].value, NULL);
    if (!out[i]) return NULL;
  }
  return out;
}
