/* expr.h - symbolic sizes: integer expressions over named symbols in one normal form (no MLIR).
 *
 * An expression is a sum of monomials (integer coefficient times a sorted product of atoms); an atom is a symbol or one of
 * floordiv(a,b) ceildiv(a,b) mod(a,b) min(a,b) max(a,b) whose operands are expressions. Expressions are hash-consed in a
 * pool: equal expressions of one pool are the same pointer, so == compares them. They print as "2*B*S + 1",
 * "floordiv(S + 1, 2)", and parse back. Symbols are sizes: the simplifier assumes that they are >= 0 and that size
 * arithmetic does not overflow (evaluation checks). Not thread-safe; a pool lives as long as its arena. */
#ifndef TCC_EXPR_H
#define TCC_EXPR_H
#include "tcc/base.h"

typedef struct TccExprPool TccExprPool;
typedef struct TccExpr TccExpr;

TCC_EXPORT TccExprPool *tcc_expr_pool_create(TccArena *arena);
TCC_EXPORT const TccExpr *tcc_expr_const(TccExprPool *pool, int64_t value);
TCC_EXPORT const TccExpr *tcc_expr_symbol(TccExprPool *pool, TccStr name);       /* [A-Za-z_$][A-Za-z0-9_$.]* ; others are quoted */
TCC_EXPORT const TccExpr *tcc_expr_fresh(TccExprPool *pool, const char *prefix); /* a symbol "<prefix><n>" not used so far */
TCC_EXPORT const TccExpr *tcc_expr_add(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
TCC_EXPORT const TccExpr *tcc_expr_sub(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
TCC_EXPORT const TccExpr *tcc_expr_mul(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
typedef enum { TCC_EXPR_FLOORDIV, TCC_EXPR_CEILDIV, TCC_EXPR_MOD, TCC_EXPR_MIN, TCC_EXPR_MAX } TccExprFunction;
TCC_EXPORT const TccExpr *tcc_expr_call(TccExprPool *pool, TccExprFunction f, const TccExpr *a, const TccExpr *b);
/* Exact quotient a/b if it is provable ("2*B*S"/"S" = "2*B"), else NULL. */
TCC_EXPORT const TccExpr *tcc_expr_divide_exactly(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
TCC_EXPORT bool tcc_expr_is_const(const TccExpr *e, int64_t *out_value); /* out_value may be NULL */
TCC_EXPORT bool tcc_expr_is_symbol(const TccExpr *e, TccStr *out_name);
/* Proven facts, assuming symbols >= 0 (positive: >= 1). false means "not proven". */
TCC_EXPORT bool tcc_expr_known_nonnegative(const TccExpr *e);
TCC_EXPORT bool tcc_expr_known_equal(const TccExpr *a, const TccExpr *b);
/* ---- what is taken for granted; expr_assume.c ----
 * Models write sizes that fit for the inputs they mean only: halved and doubled again, the height is the same if it is even.
 * Equations of that kind are assumed: from then on known_equal knows them, and whoever binds symbols has to check them. */
/* Assumes that e is 0. */
TCC_EXPORT void tcc_expr_assume_zero(TccExprPool *pool, const TccExpr *e);
/* While `on`, what could be equal and is not known to be is assumed to be by tcc_expr_agree. */
TCC_EXPORT void tcc_expr_assume(TccExprPool *pool, bool on);
TCC_EXPORT void tcc_expr_forget_assumptions(TccExprPool *pool);
/* The expressions that are assumed to be 0, in the order of their assumption. */
TCC_EXPORT const TccExpr *const *tcc_expr_assumptions(const TccExprPool *pool, size_t *out_count);
/* Has tcc_expr_agree said no where it could have assumed? */
TCC_EXPORT bool tcc_expr_could_assume(const TccExprPool *pool);
/* a and b are known to be equal, or are assumed to be now. */
TCC_EXPORT bool tcc_expr_agree(const TccExpr *a, const TccExpr *b);
/* Largest constant that provably divides e (>= 1; 0 for the constant 0). */
TCC_EXPORT int64_t tcc_expr_multiple_of(const TccExpr *e);
TCC_EXPORT const char *tcc_expr_text(TccExprPool *pool, const TccExpr *e); /* the normal form, NUL-terminated, in the arena */
TCC_EXPORT TccStatus *tcc_expr_parse(TccExprPool *pool, TccStr text, const TccExpr **out) TCC_CHECKED;
/* Replaces symbols: find(name, user) returns an expression of this pool, or NULL to keep the symbol. */
TCC_EXPORT const TccExpr *tcc_expr_substitute(TccExprPool *pool, const TccExpr *e, const TccExpr *(*find)(TccStr name, void *user),
                                              void *user);
/* Calls visit once for every distinct symbol of e, in order of first occurrence in the text form. */
TCC_EXPORT void tcc_expr_symbols(const TccExpr *e, void (*visit)(TccStr name, void *user), void *user);
/* Value under a binding of symbols; TCC_INVALID on overflow, division by zero or an unbound symbol. */
TCC_EXPORT TccStatus *tcc_expr_eval(const TccExpr *e, bool (*value)(TccStr name, int64_t *out, void *user), void *user,
                                    int64_t *out) TCC_CHECKED;

/* Postfix byte code for the run-time: evaluates without a pool, without allocation, symbols numbered by the caller. */
TCC_EXPORT void tcc_expr_compile(const TccExpr *e, int (*number)(TccStr name, void *user), void *user, TccText *out_code);
TCC_EXPORT bool tcc_expr_run(const unsigned char *code, size_t length, const int64_t *symbols, size_t nsymbols, int64_t *out);
#endif
