/* expr_facts.c - what is proven of size expressions whose symbols are at least 0.
 *
 * A proof is a search of bounded effort. The answer to most questions is no, and an example shows that at once: atoms keep their values at a
 * few points, and a sum that is negative at one of them is not at least 0 everywhere. */
#include "lib/base/expr_internal.h"
#include <limits.h>

/* ---- examples ---- */
/* A symbol at a point: all are 0, or 1, or small, or large, or some are 0 or small where others are large. */
static int64_t symbol_at(TccStr name, int point) {
  const uint64_t hash = tcc_hash(name.data, name.length, (uint64_t)point);
  const int64_t small = (int64_t)(hash >> 8 & 15), large = 4096 + (int64_t)(hash >> 8 & 4095);
  const int64_t values[TCC_EXPR_POINTS] = {0, 1, small, large, hash & 1 ? large : 0, hash & 1 ? large : small};
  return values[point];
}

/* The value of a sum at a point; false: it has none that can be computed. */
static bool value_at(const TccExpr *e, int point, int64_t *out) {
  *out = 0;
  for (size_t i = 0; i < e->nterms; i++) {
    int64_t product = e->terms[i].coefficient;
    for (size_t k = 0; k < e->terms[i].natoms; k++) {
      const Atom *atom = e->terms[i].atoms[k];
      if (!(atom->known >> point & 1) || __builtin_mul_overflow(product, atom->values[point], &product)) return false;
    }
    if (__builtin_add_overflow(*out, product, out)) return false;
  }
  return true;
}

void tcc_expr_value_atom(Atom *atom) {
  for (int point = 0; point < TCC_EXPR_POINTS; point++) {
    int64_t a, b, *value = &atom->values[point];
    bool known = true;
    if (atom->is_symbol) *value = symbol_at(atom->name, point);
    else known = value_at(atom->a, point, &a) && value_at(atom->b, point, &b) && tcc_expr_apply(atom->function, a, b, value);
    atom->known |= (uint8_t)(known << point);
  }
}

static bool is_refuted(const TccExpr *e) {
  int64_t value;
  for (int point = 0; point < TCC_EXPR_POINTS; point++)
    if (value_at(e, point, &value) && value < 0) return true;
  return false;
}

/* ---- proofs ---- */
static bool nonnegative(const TccExpr *e, int depth, int *budget);

static bool atom_nonnegative(const Atom *atom, int depth, int *budget) {
  if (atom->is_symbol) return true;
  bool a = nonnegative(atom->a, depth, budget), b = nonnegative(atom->b, depth, budget);
  switch (atom->function) {
  case TCC_EXPR_FLOORDIV:
  case TCC_EXPR_CEILDIV:
  case TCC_EXPR_MIN: return a && b;
  case TCC_EXPR_MOD: return b;
  default: return a || b;
  }
}

/* e without its term i, plus coefficient times other: what e becomes when the term's only atom is replaced. */
static const TccExpr *replace_term(const TccExpr *e, size_t i, const TccExpr *other) {
  TccExprPool *pool = e->pool;
  const TccExpr *without = tcc_expr_sub(pool, e, tcc_expr_intern(pool, &e->terms[i], 1));
  return tcc_expr_combine(pool, without, other, e->terms[i].coefficient);
}

/* A sum is non-negative if all its terms are; else a linear min, max or division in it is bounded by its operands. */
static bool nonnegative(const TccExpr *e, int depth, int *budget) {
  if (depth <= 0 || --*budget < 0 || is_refuted(e)) return false;
  size_t bad = 0;
  for (size_t i = 0; i < e->nterms; i++) {
    bool good = e->terms[i].coefficient > 0;
    for (size_t k = 0; good && k < e->terms[i].natoms; k++) good = atom_nonnegative(e->terms[i].atoms[k], depth - 1, budget);
    bad += !good;
  }
  if (bad == 0) return true;
  for (size_t i = 0; i < e->nterms; i++) {
    const Term *term = &e->terms[i];
    if (term->natoms != 1 || term->atoms[0]->is_symbol) continue;
    const Atom *atom = term->atoms[0];
    bool up = term->coefficient > 0;
    int64_t divisor;
    if (atom->function == TCC_EXPR_MIN || atom->function == TCC_EXPR_MAX) {
      bool a = nonnegative(replace_term(e, i, atom->a), depth - 1, budget);
      bool either = up == (atom->function == TCC_EXPR_MAX);
      if (a == either) {
        if (a) return true;
        continue;
      }
      if (nonnegative(replace_term(e, i, atom->b), depth - 1, budget)) return true;
    } else if (atom->function == TCC_EXPR_FLOORDIV && tcc_expr_is_const(atom->b, &divisor) && divisor > 0 && divisor < INT32_MAX) {
      /* (a - divisor + 1) / divisor <= floordiv(a, divisor) <= a / divisor */
      TccExprPool *pool = e->pool;
      const TccExpr *bound = up ? tcc_expr_sub(pool, atom->a, tcc_expr_const(pool, divisor - 1)) : atom->a;
      const TccExpr *without = tcc_expr_sub(pool, e, tcc_expr_intern(pool, term, 1));
      if (nonnegative(
              tcc_expr_combine(pool, tcc_expr_combine(pool, tcc_expr_const(pool, 0), without, divisor), bound, term->coefficient),
              depth - 1, budget))
        return true;
    }
  }
  return false;
}

bool tcc_expr_known_nonnegative(const TccExpr *e) {
  int budget = 256; /* of sums looked at */
  return nonnegative(e, 6, &budget);
}

bool tcc_expr_known_at_most(const TccExpr *a, const TccExpr *b) {
  return tcc_expr_known_equal(a, b) || tcc_expr_known_nonnegative(tcc_expr_sub(a->pool, b, a));
}

bool tcc_expr_never_at_most(const TccExpr *a, const TccExpr *b) {
  TccExprPool *pool = a->pool;
  return tcc_expr_known_nonnegative(tcc_expr_sub(pool, tcc_expr_sub(pool, a, b), tcc_expr_const(pool, 1)));
}
