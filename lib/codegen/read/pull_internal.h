/* pull_internal.h - what pull.c and pull_views.c share. */
#ifndef TCC_CODEGEN_PULL_INTERNAL_H
#define TCC_CODEGEN_PULL_INTERNAL_H
#include "lib/codegen/read/pull.h"

static inline const TccExpr *number(TccPull *p, int64_t v) { return tcc_expr_const(p->ir->exprs, v); }
static inline const TccExpr *plus(TccPull *p, const TccExpr *a, const TccExpr *b) { return tcc_expr_add(p->ir->exprs, a, b); }
static inline const TccExpr *times(TccPull *p, const TccExpr *a, const TccExpr *b) { return tcc_expr_mul(p->ir->exprs, a, b); }

void *pull_fail(TccPull *p, const char *format, ...) TCC_PRINTF(2, 3); /* NULL; the first failure stays in p->status */
TccPullNode *pull_new_node(TccPull *p, TccPullKind kind, TccElem elem);
/* An index as a value: its dims cannot be joined any more. */
TccPullNode *pull_index_node(TccPull *p, const TccPullIndex *index);
TccPullIndex pull_computed(TccPull *p, TccPullNode *node); /* a value as an index */
/* The place that `asked` is along an axis of one element: 0. What checks an index for it stays as a term, times 0, so that it still reports. */
TccPullIndex pull_only_place(TccPull *p, const TccPullIndex *asked);

/* The operand's index of a reshape: axes are matched in groups of equal products. checks: of axes of one element that `from` does not have.
 * False: p->split asks for another nest. */
bool pull_reshape_index(TccPull *p, MlirType from, MlirType to, const TccPullIndex *index, TccPullIndex *out, TccPullIndex *checks);
/* Each: the element of op's result at `index`. NULL: p->status or p->split. */
TccPullNode *pull_gather(TccPull *p, MlirOperation op, TccOpKind kind, const TccPullIndex *index);
TccPullNode *pull_dynamic_slice(TccPull *p, MlirOperation op, const TccPullIndex *index);
TccPullNode *pull_pad(TccPull *p, MlirOperation op, const TccPullIndex *index);
TccPullNode *pull_concat(TccPull *p, MlirOperation op, const TccPullIndex *index);
TccPullNode *pull_count(TccPull *p, MlirOperation op, TccOpKind kind, const TccPullIndex *index); /* iota, sizes */
#endif
