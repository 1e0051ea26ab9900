/* sizes.c - shapes and sizes as expressions, and what a handler takes for granted or asks of them. */
#include "lib/frontend/import/importer.h"

ImportShape import_shape(ImportCall *c, MlirValue value) {
  ImportShape shape = {0};
  if (!value.ptr) return shape;
  MlirType type = mlirValueGetType(value);
  shape.elem = tcc_type_elem(type);
  shape.rank = tcc_type_rank(type);
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = tcc_type_dim(c->ir, type, i);
  const TccExpr *one = import_size(c, 1);
  for (int i = shape.rank; i < TCC_MAX_RANK; i++) shape.dims[i] = one;
  return shape;
}

const TccExpr *import_size(ImportCall *c, int64_t value) { return tcc_expr_const(c->ir->exprs, value); }
const TccExpr *import_size_add(ImportCall *c, const TccExpr *a, const TccExpr *b) { return tcc_expr_add(c->ir->exprs, a, b); }
const TccExpr *import_size_sub(ImportCall *c, const TccExpr *a, const TccExpr *b) { return tcc_expr_sub(c->ir->exprs, a, b); }
const TccExpr *import_size_mul(ImportCall *c, const TccExpr *a, const TccExpr *b) { return tcc_expr_mul(c->ir->exprs, a, b); }

const TccExpr *import_product(ImportCall *c, const TccExpr *const *dims, int count) {
  const TccExpr *product = import_size(c, 1);
  for (int i = 0; i < count; i++) product = import_size_mul(c, product, dims[i]);
  return product;
}

bool import_is_size(const TccExpr *e, int64_t value) {
  int64_t size;
  return tcc_expr_is_const(e, &size) && size == value;
}

bool import_axis(ImportCall *c, int64_t axis, int rank, int64_t *out) {
  *out = axis < 0 ? axis + rank : axis;
  return (*out >= 0 && *out < rank) || import_invalid(c, "axis %lld does not fit rank %d", (long long)axis, rank);
}

bool import_broadcast_shape(ImportCall *c, const ImportShape *a, const ImportShape *b, ImportShape *out) {
  ImportShape r = {.elem = a->elem, .rank = a->rank > b->rank ? a->rank : b->rank};
  for (int i = 0; i < r.rank; i++) {
    int in_a = i - (r.rank - a->rank), in_b = i - (r.rank - b->rank);
    const TccExpr *x = in_a < 0 ? import_size(c, 1) : a->dims[in_a], *y = in_b < 0 ? import_size(c, 1) : b->dims[in_b];
    r.dims[i] = import_is_size(x, 1) ? y : x;
    if (!import_is_size(x, 1) && !import_is_size(y, 1) && !tcc_expr_agree(x, y)) {
      const char *one = tcc_expr_text(c->ir->exprs, x), *other = tcc_expr_text(c->ir->exprs, y);
      if (tcc_expr_is_const(x, NULL) && tcc_expr_is_const(y, NULL))
        return import_invalid(c, "sizes %s and %s do not broadcast", one, other);
      return import_unsupported(c, "it is not known how sizes '%s' and '%s' broadcast; fix one with --dim", one, other);
    }
  }
  *out = r;
  return true;
}

/* ---- assumptions and constraints ---- */
const TccExpr *import_divide(ImportCall *c, const TccExpr *a, const TccExpr *b) {
  const TccExpr *exact = tcc_expr_divide_known(c->ir->exprs, a, b);
  if (exact) return exact;
  const TccExpr *quotient = tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, a, b);
  if (tcc_expr_agree(a, import_size_mul(c, quotient, b))) return quotient;
  const char *one = tcc_expr_text(c->ir->exprs, a), *other = tcc_expr_text(c->ir->exprs, b);
  import_invalid(c, "'%s' is not a multiple of '%s'", one, other);
  return NULL;
}

bool import_could_assume(const ImportCall *c) {
  const Importer *run = c->importer;
  return !run->assume && (run->could_assume || tcc_expr_could_assume(run->ir->exprs));
}

/* Whether e >= 0 is known, of itself or since a constraint says no less. */
static bool is_nonnegative(const ImportCall *c, const TccExpr *e) {
  const TccBounds *constraints = &c->importer->constraints;
  bool known = tcc_expr_known_nonnegative(e);
  for (size_t i = 0; !known && i < constraints->count; i++)
    known = tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, e, constraints->data[i]));
  return known;
}

bool import_never_at_most(ImportCall *c, const TccExpr *a, const TccExpr *b) {
  return is_nonnegative(c, import_size_sub(c, import_size_sub(c, a, b), import_size(c, 1)));
}

bool import_assume_at_most(ImportCall *c, const TccExpr *a, const TccExpr *b) {
  Importer *run = c->importer;
  const TccExpr *rest = tcc_expr_sub(c->ir->exprs, b, a);
  if (tcc_expr_known_at_most(a, b) || is_nonnegative(c, rest)) return true;
  if (import_never_at_most(c, a, b)) return false;
  if (!run->assume) {
    run->could_assume = true;
    return false;
  }
  import_constrain(run, rest);
  return true;
}

bool import_require_at_most(ImportCall *c, const TccExpr *a, const TccExpr *b, const char *what) {
  if (!tcc_expr_known_at_most(a, b) && tcc_expr_never_at_most(a, b))
    return import_invalid(c, "%s: '%s' must be at most '%s'", what, tcc_expr_text(c->ir->exprs, a), tcc_expr_text(c->ir->exprs, b));
  if (!tcc_expr_known_at_most(a, b)) import_constrain(c->importer, tcc_expr_sub(c->ir->exprs, b, a));
  return true;
}

bool import_require_equal(ImportCall *c, const TccExpr *a, const TccExpr *b, const char *what) {
  return tcc_expr_agree(a, b) ||
         import_invalid(c, "%s: '%s' must equal '%s'", what, tcc_expr_text(c->ir->exprs, a), tcc_expr_text(c->ir->exprs, b));
}

bool import_require_shape(ImportCall *c, const ImportShape *shape, int rank, const TccExpr *const *dims, const char *what) {
  if (shape->rank != rank) return import_invalid(c, "%s must have rank %d, not %d", what, rank, shape->rank);
  for (int i = 0; i < rank; i++)
    if (dims[i] && !import_require_equal(c, shape->dims[i], dims[i], what)) return false;
  return true;
}
