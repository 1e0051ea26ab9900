/* expr_internal.h - the representation of size expressions, shared by expr*.c. */
#ifndef TCC_EXPR_INTERNAL_H
#define TCC_EXPR_INTERNAL_H
#include "tcc/expr.h"

enum { TCC_EXPR_POINTS = 6 }; /* at which atoms keep their values */

typedef struct {
  bool is_symbol;
  TccStr name;              /* of a symbol */
  TccExprFunction function; /* of a call */
  const TccExpr *a, *b;
  const char *text; /* orders atoms */
  int64_t values[TCC_EXPR_POINTS];
  uint8_t known; /* bits of the points at which there is a value */
} Atom;

typedef struct {
  int64_t coefficient; /* never 0 */
  size_t natoms;
  const Atom *const *atoms; /* sorted by text, repeated for powers */
} Term;

struct TccExpr {
  TccExprPool *pool;
  size_t nterms;     /* 0: the constant 0 */
  const Term *terms; /* by falling degree, then by text */
  const char *text;  /* made when first asked for */
};

struct TccExprPool {
  TccArena *arena;
  TccMap *atoms; /* text -> the expression that is this atom */
  TccMap *exprs; /* terms -> TccExpr */
  size_t fresh;
  TCC_VEC(const TccExpr *) zeros; /* assumed to be 0 */
  TccMap *solved;                 /* symbol -> what it is by one of them; NULL: none is */
  TCC_VEC(const char *) origins;  /* of each of them: who asked */
  const char *(*asker)(void *user);
  void *asker_user;
  bool assuming, could_assume; /* expr_assume.c */
  bool too_large;
};

/* The sum of terms that are sorted, with distinct products and coefficients other than 0. */
const TccExpr *tcc_expr_intern(TccExprPool *pool, const Term *terms, size_t count);
const TccExpr *tcc_expr_combine(TccExprPool *pool, const TccExpr *a, const TccExpr *b, int64_t scale); /* a + scale * b */
bool tcc_expr_apply(TccExprFunction f, int64_t a, int64_t b, int64_t *out); /* false on overflow or division by zero */
void tcc_expr_value_atom(Atom *atom);                                       /* fills in values and known of a new one */
#endif
