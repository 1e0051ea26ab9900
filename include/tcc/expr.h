/* expr.h - symbolic sizes: integer expressions over named symbols in one normal form (no MLIR).
 *
 * An expression is a sum of monomials (integer coefficient times a sorted product of atoms); an atom is a symbol or one of
 * floordiv(a,b) ceildiv(a,b) mod(a,b) min(a,b) max(a,b) whose operands are expressions. Expressions are hash-consed in a
 * pool: equal expressions of one pool are the same pointer, so == compares them. They print as "2*B*S + 1",
 * "floordiv(S + 1, 2)", and parse back. Symbols are sizes: the simplifier assumes that they are >= 0 and that size
 * arithmetic does not overflow (evaluation checks). Not thread-safe; a pool lives as long as its arena, which has a handler. */
#ifndef TCC_EXPR_H
#define TCC_EXPR_H
#include "tcc/base.h"

typedef struct TccExprPool TccExprPool;
typedef struct TccExpr TccExpr;

TCC_EXPORT TccExprPool *tcc_expr_pool_create(TccArena *arena);
TCC_EXPORT const TccExpr *tcc_expr_const(TccExprPool *pool, int64_t value);
TCC_EXPORT const TccExpr *tcc_expr_symbol(TccExprPool *pool, TccStr name); /* [A-Za-z_$][A-Za-z0-9_$.]* ; others are quoted */
/* From now on tcc_expr_symbol and tcc_expr_parse give the constant for this name. Expressions that are there already keep the symbol. */
TCC_EXPORT void tcc_expr_fix_symbol(TccExprPool *pool, TccStr name, int64_t value);
TCC_EXPORT const TccExpr *tcc_expr_fresh(TccExprPool *pool, const char *prefix); /* a symbol "<prefix><n>" not used so far */
TCC_EXPORT const TccExpr *tcc_expr_add(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
TCC_EXPORT const TccExpr *tcc_expr_sub(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
TCC_EXPORT const TccExpr *tcc_expr_mul(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
typedef enum { TCC_EXPR_FLOORDIV, TCC_EXPR_CEILDIV, TCC_EXPR_MOD, TCC_EXPR_MIN, TCC_EXPR_MAX } TccExprFunction;
TCC_EXPORT const TccExpr *tcc_expr_call(TccExprPool *pool, TccExprFunction f, const TccExpr *a, const TccExpr *b);
/* Exact quotient a/b if it is provable ("2*B*S"/"S" = "2*B"), else NULL: of an unknown size (NULL) too. */
TCC_EXPORT const TccExpr *tcc_expr_divide_exactly(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
/* Whether some expression of the pool had more terms, or a longer text, than one may have: its value is wrong then, and so may be
 * those of others. A sum of sums doubles its terms with each product: who makes expressions of a model's sizes asks this afterwards. */
TCC_EXPORT bool tcc_expr_too_large(const TccExprPool *pool);
/* The bound that readers of texts keep, after each step and before each product: nested products can be exponentially longer in normal
 * form than in a text. Far above what sizes of a model need, far below tcc_expr_too_large. */
TCC_EXPORT bool tcc_expr_modest(const TccExpr *e);
TCC_EXPORT bool tcc_expr_modest_product(const TccExpr *a, const TccExpr *b);
TCC_EXPORT bool tcc_expr_is_const(const TccExpr *e,
                                  int64_t *out_value); /* NULL, a size that is not known, is none; out_value may be NULL */
TCC_EXPORT bool tcc_expr_is_symbol(const TccExpr *e, TccStr *out_name);
/* Proven facts, assuming symbols >= 0 (positive: >= 1). false means "not proven". */
TCC_EXPORT bool tcc_expr_known_nonnegative(const TccExpr *e);
TCC_EXPORT bool tcc_expr_known_equal(const TccExpr *a, const TccExpr *b);
/* a / b where b divides a provably or by what is assumed, else NULL: of an unknown size (NULL) too. */
TCC_EXPORT const TccExpr *tcc_expr_divide_known(TccExprPool *pool, const TccExpr *a, const TccExpr *b);
/* ---- what is taken for granted; expr_assume.c ----
 * Models write sizes that fit for the inputs they mean only: halved and doubled again, the height is the same if it is even.
 * Equations of that kind are assumed: from then on known_equal knows them, and whoever binds symbols has to check them. */
/* Who asks for what is assumed from now on, in words ("node 'x', Add"); called only when something is. NULL: nobody. */
TCC_EXPORT void tcc_expr_set_asker(TccExprPool *pool, const char *(*asker)(void *user), void *user);
TCC_EXPORT const char *tcc_expr_asker(const TccExprPool *pool); /* its answer; "" for nobody */
/* Assumes that e is 0. */
TCC_EXPORT void tcc_expr_assume_zero(TccExprPool *pool, const TccExpr *e);
/* While `on`, what could be equal and is not known to be is assumed to be by tcc_expr_agree. */
TCC_EXPORT void tcc_expr_assume(TccExprPool *pool, bool on);
TCC_EXPORT void tcc_expr_forget_assumptions(TccExprPool *pool);
/* The expressions that are assumed to be 0, in the order of their assumption. */
TCC_EXPORT const TccExpr *const *tcc_expr_assumptions(const TccExprPool *pool, size_t *out_count);
TCC_EXPORT const char *tcc_expr_assumption_origin(const TccExprPool *pool, size_t index); /* who asked for it */
/* Has tcc_expr_agree said no where it could have assumed? */
TCC_EXPORT bool tcc_expr_could_assume(const TccExprPool *pool);
/* a and b are known to be equal, or are assumed to be now. */
TCC_EXPORT bool tcc_expr_agree(const TccExpr *a, const TccExpr *b);
/* a <= b: known, or known never to be. */
TCC_EXPORT bool tcc_expr_known_at_most(const TccExpr *a, const TccExpr *b);
TCC_EXPORT bool tcc_expr_never_at_most(const TccExpr *a, const TccExpr *b);
/* The two sides of e >= 0 (e = 0): *out_less <= *out_more (equal), without a term that both have and without a common factor. */
TCC_EXPORT void tcc_expr_sides(TccExprPool *pool, const TccExpr *e, const TccExpr **out_less, const TccExpr **out_more);
/* Largest constant that provably divides e (>= 1; 0 for the constant 0). */
TCC_EXPORT int64_t tcc_expr_multiple_of(const TccExpr *e);
/* Sum of the magnitudes of its coefficients, INT64_MAX if it is larger. That of a sum or product is at most the sum or product of the operands',
 * so who keeps those in range knows that no coefficient wraps around. */
TCC_EXPORT int64_t tcc_expr_magnitude(const TccExpr *e);
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

/* ---- what must hold of two sizes; sizes.c ---- */
typedef enum { TCC_SIZES_AT_MOST, TCC_SIZES_EQUAL, TCC_SIZES_MULTIPLE } TccSizeRelation; /* left <= right, =, a multiple of */
TCC_EXPORT bool tcc_sizes_hold(TccSizeRelation relation, int64_t left, int64_t right);
/* The error of two that do not: "sizes do not agree: 'c' (5) must equal 'a' (3) (node 'y', Add)". Texts are normal forms. */
TCC_EXPORT TccStatus *tcc_sizes_error(TccSizeRelation relation, const char *left_text, int64_t left, const char *right_text,
                                      int64_t right, const char *origin) TCC_CHECKED;

/* Postfix byte code for the run-time: evaluates without a pool, without allocation, symbols numbered by the caller. */
TCC_EXPORT void tcc_expr_compile(const TccExpr *e, int (*number)(TccStr name, void *user), void *user, TccText *out_code);
TCC_EXPORT bool tcc_expr_run(const unsigned char *code, size_t length, const int64_t *symbols, size_t nsymbols, int64_t *out);
/* Appends the expression that code stands for, as tcc_expr_text has it; name(index) gives a symbol's. False and nothing if it is none. */
TCC_EXPORT bool tcc_expr_code_text(const unsigned char *code, size_t length, const char *(*name)(int32_t index, void *user),
                                   void *user, TccText *out);
#endif
