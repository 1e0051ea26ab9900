/* ops_linalg.h - matrices as the last two axes, and what factorisations give: shared by ops_linalg.c, ops_linalg_vectors.c and ops_matrix.c. */
#ifndef TCC_TORCH_OPS_LINALG_H
#define TCC_TORCH_OPS_LINALG_H
#include "lib/frontend/torch/ops_build.h"

/* ---- ops_matrix.c ---- */
MlirValue torch_turned(ImportCall *c, MlirValue x); /* with its last two axes in each other's place */
MlirValue torch_batched(ImportCall *c, MlirValue x,
                        ImportShape to); /* matrices with the batch of a shape in front of their own axes */

/* ---- ops_linalg.c ---- */
/* An argument of f32 or f64 and at least two axes, by whichever of the names the overload has; null and a reason. */
MlirValue torch_matrices(ImportCall *c, const char *name);
/* Result i of the op that made `first`. */
static inline MlirValue torch_nth(MlirValue first, intptr_t i) {
  return first.ptr ? mlirOperationGetResult(tcc_value_op(first), i) : first;
}
MlirValue torch_product(ImportCall *c, MlirValue a, MlirValue b); /* a b, batches broadcast */
/* Elements of x's last two axes whose row `predicate` column, others 0. */
MlirValue torch_triangle(ImportCall *c, MlirValue x, const char *predicate);
MlirValue torch_identity(ImportCall *c, TccElem elem, ImportShape like, const TccExpr *rows,
                         const TccExpr *columns); /* behind like's batch */
/* Rows, or columns, [0, size) of matrices; more than they have: zeros. */
MlirValue torch_resized(ImportCall *c, MlirValue x, int from_end, const TccExpr *size);
const TccExpr *torch_least(ImportCall *c, const TccExpr *a, const TccExpr *b);
/* Output `index` as zeros of the shape that the graph declares: of what torch leaves empty. */
bool torch_empty(ImportCall *c, size_t index);
/* The solution x of a x = b, by LU. */
MlirValue torch_solved(ImportCall *c, MlirValue a, MlirValue b);
/* ---- ops_linalg_vectors.c ---- */
/* The singular values of the matrices of two axes, reduced by sum, max or min. */
MlirValue torch_singular_norm(ImportCall *c, MlirValue x, const int64_t *axes, const char *kind, bool keepdims);
#endif
