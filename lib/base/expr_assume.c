/* expr_assume.c - equations between sizes that are taken for granted.
 *
 * Each is kept as an expression that is 0. Two expressions are equal if they are the same, or if their difference is a
 * multiple of one of those: enough for the element counts of reshapes, in which the sizes in question are factors. Nothing
 * is derived from two equations together. */
#include "lib/base/expr_internal.h"

bool tcc_expr_known_equal(const TccExpr *a, const TccExpr *b) {
  if (a == b) return true;
  TccExprPool *pool = a->pool;
  if (!pool->zeros.count) return false;
  const TccExpr *difference = tcc_expr_sub(pool, a, b);
  for (size_t i = 0; i < pool->zeros.count; i++)
    if (tcc_expr_divide_exactly(pool, difference, pool->zeros.data[i])) return true;
  return false;
}

/* Never 0, whatever the symbols are. */
static bool is_nonzero(const TccExpr *e) {
  const TccExpr *one = tcc_expr_const(e->pool, 1), *zero = tcc_expr_const(e->pool, 0);
  return tcc_expr_known_nonnegative(tcc_expr_sub(e->pool, e, one)) ||
         tcc_expr_known_nonnegative(tcc_expr_sub(e->pool, tcc_expr_sub(e->pool, zero, e), one));
}

void tcc_expr_assume_zero(TccExprPool *pool, const TccExpr *e) {
  if (!tcc_expr_known_equal(e, tcc_expr_const(pool, 0))) TCC_VEC_PUSH(pool->arena, &pool->zeros, e);
}

void tcc_expr_assume(TccExprPool *pool, bool on) { pool->assuming = on; }

void tcc_expr_forget_assumptions(TccExprPool *pool) {
  pool->zeros.count = 0;
  pool->could_assume = false;
}

const TccExpr *const *tcc_expr_assumptions(const TccExprPool *pool, size_t *out_count) {
  *out_count = pool->zeros.count;
  return pool->zeros.data;
}

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
