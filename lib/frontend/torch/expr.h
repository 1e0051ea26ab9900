/* expr.h - sizes and conditions as PyTorch writes them, into size expressions of tcc/expr.h. No MLIR.
 *
 * torch writes sympy's expressions in two ways, `2*s0 + 1` and `Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(1))`,
 * and guards as Python over the program's arguments, `(L['x'].size()[0] % 2) == 0`. All are one grammar: Python's expressions. Quotients are
 * kept exact (`Rational(1, 2)`) and rounded down where a size is what they are, since a size is an integer. Symbols are taken to be >= 0.
 * What is not understood is an error that names it, TCC_UNSUPPORTED; texts are bounded as those of tcc_expr_parse. */
#ifndef TCC_FRONTEND_TORCH_EXPR_H
#define TCC_FRONTEND_TORCH_EXPR_H
#include "tcc/expr.h"
#include "tcc/torch_graph.h"

TccStatus *tcc_torch_expr(TccExprPool *pool, TccStr text, const TccExpr **out) TCC_CHECKED;
/* The expression of a size: its text's, or the literal. */
TccStatus *tcc_torch_size_expr(TccExprPool *pool, const TccTorchSize *size, const TccExpr **out) TCC_CHECKED;

typedef struct {
  const TccExpr *expr; /* must be >= 0, */
  bool equal;          /* or 0 */
  TccStr text;         /* who says so: a guard as it is written, or "range of s0"; outlives the program or is in the arena */
} TccTorchConstraint;

/* A condition without a text: comparisons, and, or, not; a sum of them is one expression (`a or b`: the larger of both is >= 0).
 * program: its arguments are what L['x'] is; NULL: there are none. */
TccStatus *tcc_torch_condition(TccExprPool *pool, const TccTorchProgram *program, TccStr text, TccTorchConstraint *out) TCC_CHECKED;

typedef struct {
  TccTorchConstraint *constraints; /* of guards and ranges; those that always hold are left out */
  TccStr *unknown;                 /* guards and ranges that are not understood, */
  const char **reasons;            /* and why */
  size_t count, nunknown;
} TccTorchConstraints;

/* What the program takes for granted of its sizes. A lower bound of 2 or less is none: torch's exporter writes it for every dynamic size
 * and does not hold to it (torch/export/_unlift.py, _get_input_guards_for_graph). */
void tcc_torch_constraints(TccArena *arena, TccExprPool *pool, const TccTorchProgram *program, TccTorchConstraints *out);
#endif
