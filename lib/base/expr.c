/* expr.c - the normal form of size expressions.
 *
 * An expression is a sorted sum of monomials, a monomial a coefficient and a sorted product of atoms (the distributed
 * normal form of multivariate polynomials: Geddes, Czapor, Labahn, "Algorithms for Computer Algebra", ch. 3). Monomials
 * are ordered by degree, then by the text of their atoms, the constant last; so the order, and with it the text, does
 * not depend on who was made first. Expressions and atoms are hash-consed: equality is pointer equality.
 * Rounding divisions by a constant are reduced: multiples of the divisor leave them, common factors are cancelled,
 * ceildiv(a, c) is floordiv(a + c - 1, c), nested ones are joined. */
#include "lib/base/expr_internal.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- pool and hash-consing ---- */
TccExprPool *tcc_expr_pool_create(TccArena *arena) {
  TccExprPool *pool = TCC_NEW(arena, TccExprPool);
  pool->arena = arena;
  pool->atoms = tcc_map_create(arena);
  pool->exprs = tcc_map_create(arena);
  return pool;
}

enum { MOST_TERMS = 4096, MOST_PRODUCTS = 1 << 16, MOST_TEXT = 1 << 16 };

bool tcc_expr_too_large(const TccExprPool *pool) { return pool->too_large; }

static const TccExpr *give_up(TccExprPool *pool) {
  pool->too_large = true;
  return tcc_expr_const(pool, 0);
}

const TccExpr *tcc_expr_intern(TccExprPool *pool, const Term *terms, size_t count) {
  if (count > MOST_TERMS) return give_up(pool);
  uintptr_t few[64], *key = few;
  size_t words = 0, most = count;
  for (size_t i = 0; i < count; i++) most += 1 + terms[i].natoms;
  if (most > 64) key = TCC_NEW_ARRAY(pool->arena, uintptr_t, most);
  for (size_t i = 0; i < count; i++) {
    key[words++] = (uintptr_t)terms[i].coefficient;
    key[words++] = terms[i].natoms;
    for (size_t k = 0; k < terms[i].natoms; k++) key[words++] = (uintptr_t)terms[i].atoms[k];
  }
  bool inserted;
  TccMapEntry *entry = tcc_map_put(pool->exprs, (TccStr){(const char *)key, words * sizeof *key}, &inserted);
  if (!inserted) return entry->pointer;
  TccExpr *expr = TCC_NEW(pool->arena, TccExpr);
  expr->pool = pool;
  expr->nterms = count;
  Term *copy = TCC_NEW_ARRAY(pool->arena, Term, count);
  if (count) memcpy(copy, terms, count * sizeof *terms);
  expr->terms = copy;
  entry->pointer = expr;
  return expr;
}

const TccExpr *tcc_expr_const(TccExprPool *pool, int64_t value) {
  Term term = {value, 0, NULL};
  return tcc_expr_intern(pool, &term, value != 0);
}

static bool plain_name(TccStr name) {
  for (size_t i = 0; i < name.length; i++) {
    char c = name.data[i];
    bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$';
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '.'))) return false;
  }
  return name.length > 0;
}

static const TccExpr *atom_expr(TccExprPool *pool, const Atom *atom) {
  const Atom **atoms = TCC_NEW(pool->arena, const Atom *);
  *atoms = atom;
  Term term = {1, 1, atoms};
  return tcc_expr_intern(pool, &term, 1);
}

static const char *const function_names[] = {"floordiv", "ceildiv", "mod", "min", "max"};

/* The entry of the symbol, with what stands for it or NULL, and its text. */
static TccMapEntry *symbol_entry(TccExprPool *pool, TccStr name, TccText *text) {
  if (plain_name(name)) {
    tcc_text_put(text, name.data, name.length);
  } else { /* 'in quotes', with \ before ' and \ */
    tcc_text_put(text, "'", 1);
    for (size_t i = 0; i < name.length; i++) {
      if (name.data[i] == '\'' || name.data[i] == '\\') tcc_text_put(text, "\\", 1);
      tcc_text_put(text, &name.data[i], 1);
    }
    tcc_text_put(text, "'", 1);
  }
  if (text->failed) tcc_arena_fail(pool->arena, name.length);
  return tcc_map_put(pool->atoms, tcc_text_str(text), NULL);
}

const TccExpr *tcc_expr_symbol(TccExprPool *pool, TccStr name) {
  TccText text = {0};
  TccMapEntry *entry = symbol_entry(pool, name, &text);
  if (!entry->constant) {
    Atom *atom = TCC_NEW(pool->arena, Atom);
    atom->is_symbol = true;
    atom->name = (TccStr){tcc_arena_copy(pool->arena, name.data, name.length), name.length};
    atom->text = tcc_arena_copy(pool->arena, text.data, text.length);
    tcc_expr_value_atom(atom);
    entry->constant = atom_expr(pool, atom);
  }
  tcc_text_destroy(&text);
  return entry->constant;
}

void tcc_expr_fix_symbol(TccExprPool *pool, TccStr name, int64_t value) {
  TccText text = {0};
  symbol_entry(pool, name, &text)->constant = tcc_expr_const(pool, value);
  tcc_text_destroy(&text);
}

const TccExpr *tcc_expr_fresh(TccExprPool *pool, const char *prefix) {
  for (;;) {
    const char *name = tcc_arena_printf(pool->arena, "%s%zu", prefix, pool->fresh++);
    if (!tcc_map_find(pool->atoms, tcc_str(name))) return tcc_expr_symbol(pool, tcc_str(name));
  }
}

static const TccExpr *call_atom(TccExprPool *pool, TccExprFunction f, const TccExpr *a, const TccExpr *b) {
  const char *x = tcc_expr_text(pool, a), *y = tcc_expr_text(pool, b);
  if (strlen(x) + strlen(y) > MOST_TEXT) return give_up(pool);
  const char *text = tcc_arena_printf(pool->arena, "%s(%s, %s)", function_names[f], x, y);
  bool inserted;
  TccMapEntry *entry = tcc_map_put(pool->atoms, tcc_str(text), &inserted);
  if (inserted) {
    Atom *atom = TCC_NEW(pool->arena, Atom);
    *atom = (Atom){.function = f, .a = a, .b = b, .text = text};
    tcc_expr_value_atom(atom);
    entry->constant = atom_expr(pool, atom);
  }
  return entry->constant;
}

/* ---- polynomials ---- */
/* The order of terms in a sum. */
static int compare_terms(const Term *a, const Term *b) {
  if (a->natoms != b->natoms) return a->natoms > b->natoms ? -1 : 1;
  for (size_t i = 0; i < a->natoms; i++)
    if (a->atoms[i] != b->atoms[i]) return strcmp(a->atoms[i]->text, b->atoms[i]->text);
  return 0;
}

static int64_t wrap_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t wrap_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

/* A merge. */
const TccExpr *tcc_expr_combine(TccExprPool *pool, const TccExpr *a, const TccExpr *b, int64_t scale) {
  Term few[32], *terms = a->nterms + b->nterms <= 32 ? few : TCC_NEW_ARRAY(pool->arena, Term, a->nterms + b->nterms);
  size_t count = 0, i = 0, k = 0;
  while (i < a->nterms || k < b->nterms) {
    int order = i == a->nterms ? 1 : k == b->nterms ? -1 : compare_terms(&a->terms[i], &b->terms[k]);
    Term term = order <= 0 ? a->terms[i] : b->terms[k];
    if (order > 0) term.coefficient = wrap_mul(term.coefficient, scale);
    if (order == 0) term.coefficient = wrap_add(term.coefficient, wrap_mul(b->terms[k].coefficient, scale));
    i += order <= 0, k += order >= 0;
    if (term.coefficient) terms[count++] = term;
  }
  return tcc_expr_intern(pool, terms, count);
}

const TccExpr *tcc_expr_add(TccExprPool *pool, const TccExpr *a, const TccExpr *b) { return tcc_expr_combine(pool, a, b, 1); }
const TccExpr *tcc_expr_sub(TccExprPool *pool, const TccExpr *a, const TccExpr *b) { return tcc_expr_combine(pool, a, b, -1); }

static const TccExpr *scale(TccExprPool *pool, const TccExpr *a, int64_t by) {
  return tcc_expr_combine(pool, tcc_expr_const(pool, 0), a, by);
}

static Term multiply_terms(TccExprPool *pool, const Term *a, const Term *b) {
  Term product = {wrap_mul(a->coefficient, b->coefficient), a->natoms + b->natoms, NULL};
  const Atom **atoms = TCC_NEW_ARRAY(pool->arena, const Atom *, product.natoms ? product.natoms : 1);
  for (size_t i = 0, k = 0, n = 0; n < product.natoms; n++) {
    bool left = k == b->natoms || (i < a->natoms && strcmp(a->atoms[i]->text, b->atoms[k]->text) <= 0);
    atoms[n] = left ? a->atoms[i++] : b->atoms[k++];
  }
  product.atoms = atoms;
  return product;
}

static int order_terms(const void *a, const void *b) { return compare_terms(a, b); }

const TccExpr *tcc_expr_mul(TccExprPool *pool, const TccExpr *a, const TccExpr *b) {
  int64_t factor;
  if (tcc_expr_is_const(a, &factor)) return scale(pool, b, factor);
  if (tcc_expr_is_const(b, &factor)) return scale(pool, a, factor);
  size_t products = a->nterms * b->nterms, count = 0;
  if (products > MOST_PRODUCTS) return give_up(pool);
  Term *terms = TCC_NEW_ARRAY(pool->arena, Term, products);
  for (size_t i = 0; i < products; i++) terms[i] = multiply_terms(pool, &a->terms[i / b->nterms], &b->terms[i % b->nterms]);
  qsort(terms, products, sizeof *terms, order_terms);
  for (size_t i = 0; i < products; i++) { /* equal products are neighbours now */
    if (count && compare_terms(&terms[count - 1], &terms[i]) == 0)
      terms[count - 1].coefficient = wrap_add(terms[count - 1].coefficient, terms[i].coefficient);
    else terms[count++] = terms[i];
    if (!terms[count - 1].coefficient && (i + 1 == products || compare_terms(&terms[count - 1], &terms[i + 1]) != 0)) count--;
  }
  return tcc_expr_intern(pool, terms, count);
}

/* a / b as a monomial, if b divides a. */
static bool divide_terms(TccExprPool *pool, const Term *a, const Term *b, Term *out) {
  if (b->natoms > a->natoms || (b->coefficient == -1 && a->coefficient == INT64_MIN) || a->coefficient % b->coefficient != 0)
    return false;
  const Atom **atoms = TCC_NEW_ARRAY(pool->arena, const Atom *, a->natoms + 1);
  size_t count = 0, k = 0;
  for (size_t i = 0; i < a->natoms; i++) {
    if (k < b->natoms && a->atoms[i] == b->atoms[k]) k++;
    else atoms[count++] = a->atoms[i];
  }
  *out = (Term){a->coefficient / b->coefficient, count, atoms};
  return k == b->natoms;
}

const TccExpr *tcc_expr_divide_exactly(TccExprPool *pool, const TccExpr *a, const TccExpr *b) {
  enum { MOST_STEPS = 64 };
  const TccExpr *quotient = tcc_expr_const(pool, 0);
  if (!a || !b || b->nterms == 0) return NULL;
  if (a == b) return tcc_expr_const(pool, 1);
  for (int step = 0; a->nterms; step++) { /* long division by the leading term */
    Term term;
    if (step == MOST_STEPS || !divide_terms(pool, &a->terms[0], &b->terms[0], &term)) return NULL;
    const TccExpr *part = tcc_expr_intern(pool, &term, 1);
    quotient = tcc_expr_add(pool, quotient, part);
    a = tcc_expr_sub(pool, a, tcc_expr_mul(pool, part, b));
  }
  return quotient;
}

/* ---- rounding division by a constant ---- */
static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static int64_t floor_mod(int64_t a, int64_t b) { return a - floor_div(a, b) * b; }

/* a = divisor * *out_quotient + rest, coefficients of rest in [0, divisor). */
static const TccExpr *split(TccExprPool *pool, const TccExpr *a, int64_t divisor, const TccExpr **out_quotient) {
  Term *terms = TCC_NEW_ARRAY(pool->arena, Term, a->nterms + 1);
  size_t count = 0;
  for (size_t i = 0; i < a->nterms; i++) {
    terms[count] = a->terms[i];
    terms[count].coefficient = floor_div(terms[count].coefficient, divisor);
    count += terms[count].coefficient != 0;
  }
  *out_quotient = tcc_expr_intern(pool, terms, count);
  return tcc_expr_combine(pool, a, *out_quotient, wrap_mul(-1, divisor));
}

static const Atom *only_call(const TccExpr *e, TccExprFunction f) {
  if (e->nterms != 1 || e->terms[0].coefficient != 1 || e->terms[0].natoms != 1) return NULL;
  const Atom *atom = e->terms[0].atoms[0];
  return !atom->is_symbol && atom->function == f ? atom : NULL;
}

static const TccExpr *floordiv_constant(TccExprPool *pool, const TccExpr *a, int64_t divisor) {
  const TccExpr *quotient, *rest = split(pool, a, divisor, &quotient);
  int64_t value, inner, factor = divisor;
  if (tcc_expr_is_const(rest, &value)) return quotient; /* 0 <= value < divisor */
  for (size_t i = 0; i < rest->nterms; i++)
    if (rest->terms[i].natoms) factor = tcc_gcd(factor, rest->terms[i].coefficient);
  if (factor > 1) {
    const TccExpr *dropped;
    split(pool, rest, factor, &dropped); /* floor((g r + k) / (g d)) = floor(r / d) for 0 <= k < g */
    rest = dropped;
    divisor /= factor;
  }
  const Atom *nested = only_call(rest, TCC_EXPR_FLOORDIV);
  if (nested && tcc_expr_is_const(nested->b, &inner) && inner > 0 && inner < INT32_MAX && divisor < INT32_MAX)
    return tcc_expr_add(pool, quotient, tcc_expr_call(pool, TCC_EXPR_FLOORDIV, nested->a, tcc_expr_const(pool, inner * divisor)));
  const TccExpr *part = divisor == 1 ? rest : call_atom(pool, TCC_EXPR_FLOORDIV, rest, tcc_expr_const(pool, divisor));
  return tcc_expr_add(pool, quotient, part);
}

static const TccExpr *divide(TccExprPool *pool, TccExprFunction f, const TccExpr *a, const TccExpr *b) {
  int64_t divisor, value;
  bool fixed = tcc_expr_is_const(b, &divisor);
  if (fixed && divisor == 0) return call_atom(pool, f, a, b); /* evaluation reports it */
  if (fixed && tcc_expr_is_const(a, &value) && !(value == INT64_MIN && divisor == -1)) {
    if (f == TCC_EXPR_MOD) return tcc_expr_const(pool, floor_mod(value, divisor));
    return tcc_expr_const(pool, floor_div(value, divisor) + (f == TCC_EXPR_CEILDIV && value % divisor != 0));
  }
  const TccExpr *exact = tcc_expr_divide_exactly(pool, a, b);
  if (exact) return f == TCC_EXPR_MOD ? tcc_expr_const(pool, 0) : exact;
  if (!fixed || divisor < 0) return call_atom(pool, f, a, b);
  if (f == TCC_EXPR_CEILDIV) return floordiv_constant(pool, tcc_expr_add(pool, a, tcc_expr_const(pool, divisor - 1)), divisor);
  if (f == TCC_EXPR_FLOORDIV) return floordiv_constant(pool, a, divisor);
  const TccExpr *quotient, *rest = split(pool, a, divisor, &quotient);
  return tcc_expr_is_const(rest, NULL) ? rest : call_atom(pool, TCC_EXPR_MOD, rest, b);
}

const TccExpr *tcc_expr_call(TccExprPool *pool, TccExprFunction f, const TccExpr *a, const TccExpr *b) {
  if (f != TCC_EXPR_MIN && f != TCC_EXPR_MAX) return divide(pool, f, a, b);
  if (a == b) return a;
  if (tcc_expr_known_nonnegative(tcc_expr_sub(pool, a, b))) return f == TCC_EXPR_MAX ? a : b;
  if (tcc_expr_known_nonnegative(tcc_expr_sub(pool, b, a))) return f == TCC_EXPR_MAX ? b : a;
  bool swap = strcmp(tcc_expr_text(pool, a), tcc_expr_text(pool, b)) > 0;
  if (tcc_expr_is_const(a, NULL) || (swap && !tcc_expr_is_const(b, NULL))) { /* a constant comes last */
    const TccExpr *first = a;
    a = b, b = first;
  }
  return call_atom(pool, f, a, b);
}

/* ---- facts ---- */
bool tcc_expr_is_const(const TccExpr *e, int64_t *out_value) {
  if (!e || e->nterms > 1 || (e->nterms == 1 && e->terms[0].natoms)) return false;
  if (out_value) *out_value = e->nterms ? e->terms[0].coefficient : 0;
  return true;
}

bool tcc_expr_is_symbol(const TccExpr *e, TccStr *out_name) {
  if (e->nterms != 1 || e->terms[0].coefficient != 1 || e->terms[0].natoms != 1 || !e->terms[0].atoms[0]->is_symbol) return false;
  if (out_name) *out_name = e->terms[0].atoms[0]->name;
  return true;
}

void tcc_expr_sides(TccExprPool *pool, const TccExpr *e, const TccExpr **out_less, const TccExpr **out_more) {
  int64_t factor = tcc_expr_multiple_of(e);
  Term *less = TCC_NEW_ARRAY(pool->arena, Term, e->nterms + 1), *more = TCC_NEW_ARRAY(pool->arena, Term, e->nterms + 1);
  size_t nless = 0, nmore = 0;
  for (size_t i = 0; i < e->nterms; i++) {
    const bool positive = e->terms[i].coefficient > 0;
    Term *term = positive ? &more[nmore++] : &less[nless++];
    *term = e->terms[i];
    term->coefficient = term->coefficient / factor * (positive ? 1 : -1);
  }
  *out_less = tcc_expr_intern(pool, less, nless);
  *out_more = tcc_expr_intern(pool, more, nmore);
}

int64_t tcc_expr_multiple_of(const TccExpr *e) {
  int64_t result = 0;
  for (size_t i = 0; i < e->nterms; i++) result = tcc_gcd(result, e->terms[i].coefficient);
  return result;
}

int64_t tcc_expr_magnitude(const TccExpr *e) {
  int64_t sum = 0;
  for (size_t i = 0; i < e->nterms; i++) {
    int64_t coefficient = e->terms[i].coefficient;
    if (coefficient == INT64_MIN || __builtin_add_overflow(sum, coefficient < 0 ? -coefficient : coefficient, &sum))
      return INT64_MAX;
  }
  return sum;
}

/* ---- text ---- */
const char *tcc_expr_text(TccExprPool *pool, const TccExpr *e) {
  if (e->text) return e->text;
  TccText text = {0};
  if (!e->nterms) tcc_text_printf(&text, "0");
  for (size_t i = 0; i < e->nterms; i++) {
    const Term *term = &e->terms[i];
    bool negative = term->coefficient < 0;
    uint64_t magnitude = negative ? -(uint64_t)term->coefficient : (uint64_t)term->coefficient;
    tcc_text_printf(&text, "%s", i ? (negative ? " - " : " + ") : negative ? "-" : "");
    if (magnitude != 1 || !term->natoms) tcc_text_printf(&text, "%llu%s", (unsigned long long)magnitude, term->natoms ? "*" : "");
    for (size_t k = 0; k < term->natoms; k++) tcc_text_printf(&text, "%s%s", k ? "*" : "", term->atoms[k]->text);
  }
  if (text.failed) tcc_arena_fail(pool->arena, text.length);
  ((TccExpr *)(uintptr_t)e)->text = tcc_arena_copy(pool->arena, text.data, text.length); /* a memo, not a change */
  tcc_text_destroy(&text);
  return e->text;
}
