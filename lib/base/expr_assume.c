/* expr_assume.c - equations between sizes that are taken for granted.
 *
 * Each is kept as an expression that is 0. One that says what a symbol is, "a - 2*b", is solved for it as well: the symbol is replaced
 * in what is compared, so that a = c follows from a = b and b = c. Two expressions are equal if they are then the same, or if their
 * difference is a multiple of one of the others: enough for the element counts of reshapes, in which the sizes in question are factors. */
#include "lib/base/expr_internal.h"

static const TccExpr *solution(TccStr name, void *user) {
  const TccMapEntry *entry = tcc_map_find(((TccExprPool *)user)->solved, name);
  return entry ? entry->constant : NULL;
}

/* e without the symbols that an equation gives. Each solution is free of the symbols solved before it, so this ends. */
static const TccExpr *reduced(TccExprPool *pool, const TccExpr *e) {
  for (const TccExpr *before = NULL; e != before && pool->solved;) {
    before = e;
    e = tcc_expr_substitute(pool, e, solution, pool);
  }
  return e;
}

typedef struct {
  TccExprPool *pool;
  TccStr name;
} Forget;
static const TccExpr *zero_for(TccStr name, void *user) {
  Forget *forget = user;
  return tcc_str_equal(name, forget->name) ? tcc_expr_const(forget->pool, 0) : NULL;
}

/* Solves e = 0 for a symbol that stands in it once, by itself. */
static void solve(TccExprPool *pool, const TccExpr *e) {
  for (size_t i = 0; i < e->nterms; i++) {
    const Term *term = &e->terms[i];
    if (term->natoms != 1 || !term->atoms[0]->is_symbol || (term->coefficient != 1 && term->coefficient != -1)) continue;
    Forget forget = {pool, term->atoms[0]->name};
    const TccExpr *symbol = tcc_expr_symbol(pool, forget.name), *zero = tcc_expr_const(pool, 0);
    const TccExpr *rest = term->coefficient == 1 ? tcc_expr_sub(pool, e, symbol) : tcc_expr_add(pool, e, symbol);
    if (tcc_expr_substitute(pool, rest, zero_for, &forget) != rest) continue;
    if (!pool->solved) pool->solved = tcc_map_create(pool->arena);
    tcc_map_put(pool->solved, forget.name, NULL)->constant = term->coefficient == 1 ? tcc_expr_sub(pool, zero, rest) : rest;
    return;
  }
}

bool tcc_expr_known_equal(const TccExpr *a, const TccExpr *b) {
  if (a == b) return true;
  TccExprPool *pool = a->pool;
  if (!pool->zeros.count) return false;
  const TccExpr *difference = reduced(pool, tcc_expr_sub(pool, a, b));
  if (!difference->nterms) return true;
  for (size_t i = 0; i < pool->zeros.count; i++) {
    const TccExpr *zero = reduced(pool, pool->zeros.data[i]);
    if (zero->nterms && tcc_expr_divide_exactly(pool, difference, zero)) return true;
  }
  return false;
}

const TccExpr *tcc_expr_divide_known(TccExprPool *pool, const TccExpr *a, const TccExpr *b) {
  const TccExpr *exact = tcc_expr_divide_exactly(pool, a, b);
  int64_t divisor;
  if (exact || !a || !b || (tcc_expr_is_const(b, &divisor) && divisor == 0)) return exact;
  const TccExpr *quotient = tcc_expr_call(pool, TCC_EXPR_FLOORDIV, a, b);
  return tcc_expr_known_equal(a, tcc_expr_mul(pool, quotient, b)) ? quotient : NULL;
}

/* Never 0, whatever the symbols are. */
static bool is_nonzero(const TccExpr *e) {
  const TccExpr *one = tcc_expr_const(e->pool, 1), *zero = tcc_expr_const(e->pool, 0);
  return tcc_expr_known_nonnegative(tcc_expr_sub(e->pool, e, one)) ||
         tcc_expr_known_nonnegative(tcc_expr_sub(e->pool, tcc_expr_sub(e->pool, zero, e), one));
}

void tcc_expr_set_asker(TccExprPool *pool, const char *(*asker)(void *user), void *user) {
  pool->asker = asker;
  pool->asker_user = user;
}

const char *tcc_expr_asker(const TccExprPool *pool) { return pool->asker ? pool->asker(pool->asker_user) : ""; }

/* The remainder that e is, or NULL. */
static const Atom *remainder_of(const TccExpr *e) {
  const bool alone = e->nterms == 1 && e->terms[0].natoms == 1 && !e->terms[0].atoms[0]->is_symbol;
  return alone && e->terms[0].atoms[0]->function == TCC_EXPR_MOD ? e->terms[0].atoms[0] : NULL;
}

void tcc_expr_assume_zero(TccExprPool *pool, const TccExpr *e) {
  if (tcc_expr_known_equal(e, tcc_expr_const(pool, 0))) return;
  solve(pool, reduced(pool, e));
  TCC_VEC_PUSH(pool->arena, &pool->zeros, e);
  TCC_VEC_PUSH(pool->arena, &pool->origins, tcc_expr_asker(pool));
  const Atom *rest = remainder_of(e); /* of a by b: then a is b times the quotient, which counts of elements have as a factor */
  if (!rest) return;
  const TccExpr *quotient = tcc_expr_call(pool, TCC_EXPR_FLOORDIV, rest->a, rest->b);
  tcc_expr_assume_zero(pool, tcc_expr_sub(pool, rest->a, tcc_expr_mul(pool, rest->b, quotient)));
}

void tcc_expr_assume(TccExprPool *pool, bool on) { pool->assuming = on; }

void tcc_expr_forget_assumptions(TccExprPool *pool) {
  pool->zeros.count = pool->origins.count = 0;
  pool->solved = NULL;
  pool->could_assume = false;
}

const TccExpr *const *tcc_expr_assumptions(const TccExprPool *pool, size_t *out_count) {
  *out_count = pool->zeros.count;
  return pool->zeros.data;
}

const char *tcc_expr_assumption_origin(const TccExprPool *pool, size_t index) { return pool->origins.data[index]; }

bool tcc_expr_could_assume(const TccExprPool *pool) { return pool->could_assume; }

bool tcc_expr_agree(const TccExpr *a, const TccExpr *b) {
  if (tcc_expr_known_equal(a, b)) return true;
  TccExprPool *pool = a->pool;
  const TccExpr *difference = tcc_expr_sub(pool, a, b);
  if (is_nonzero(difference)) return false;
  if (pool->assuming) tcc_expr_assume_zero(pool, difference);
  else pool->could_assume = true;
  return pool->assuming;
}
