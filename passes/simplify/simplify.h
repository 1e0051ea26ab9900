/* simplify.h - the parts of tcc-simplify: the walk (simplify.c), constants (simplify_fold.c), algebra
 * (simplify_algebra.c), views (simplify_views.c), gathers that are views (simplify_gather.c), scatters
 * between transposes, into zeros and of whole slices (simplify_scatter.c), reshapes around products (simplify_product.c). */
#ifndef TCC_PASSES_SIMPLIFY_H
#define TCC_PASSES_SIMPLIFY_H
#include "lib/ir/internal.h"
#include "tcc/pass.h"

typedef struct {
  TccIr *ir;
  MlirOperation module; /* that the pass runs on */
  TccArena *arena;
  TccMap *seen;     /* of the current block: (op, attributes, types, operands) -> op */
  MlirOperation op; /* being simplified; new ops go before it */
  TccOpKind kind;
  int depth;  /* of ops made while simplifying an op */
  bool eager; /* results stay as the ops round them (tcc.numerics) */
} Simplify;

/* Each returns a value of the op's result type that may replace its only result, or a null value. */
MlirValue tcc_simplify_fold(Simplify *s);
MlirValue tcc_simplify_algebra(Simplify *s);
MlirValue tcc_simplify_view(Simplify *s);
/* The same of a gather of x; called by tcc_simplify_view. */
MlirValue tcc_simplify_gather(Simplify *s, MlirValue x);
MlirValue tcc_simplify_gather_elements(Simplify *s, MlirValue x);
MlirValue tcc_simplify_gather_nd(Simplify *s, MlirValue x);
/* The same of a reshape of x; called by tcc_simplify_view. */
MlirValue tcc_simplify_reshape_of_product(Simplify *s, MlirValue x);
/* The same of a product of a matrix and a vector. */
MlirValue tcc_simplify_product_by_vector(Simplify *s);
/* The same of a transpose `back` of a scatter_nd into a transpose (simplify_scatter.c). */
MlirValue tcc_simplify_scatter_between_transposes(Simplify *s, MlirValue scattered, const int64_t *back);
/* The same of scatter_elements, one index for each slice of the first axis. */
MlirValue tcc_simplify_scatter_of_slices(Simplify *s);

/* The same of an add or a pad of what scatters sum into zeros. */
MlirValue tcc_simplify_add_of_scatters(Simplify *s);
MlirValue tcc_simplify_pad_of_scatter(Simplify *s);
/* The same of an add of what pads put zeros around (simplify_views.c). */
MlirValue tcc_simplify_add_of_pads(Simplify *s);

/* What they build goes through the walk as well: the value that v became. */
MlirValue tcc_simplify_made(Simplify *s, MlirValue v);

static inline MlirValue simplify_operand(const Simplify *s, intptr_t i) { return mlirOperationGetOperand(s->op, i); }
static inline MlirType simplify_type(const Simplify *s) { return mlirValueGetType(mlirOperationGetResult(s->op, 0)); }
static inline bool simplify_used_once(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}
TccBuilder tcc_simplify_builder(const Simplify *s);
/* All elements of v are one constant. */
bool tcc_simplify_splat(TccIr *ir, MlirValue v, double *out);
/* A constant of type (static) with every element value. */
MlirValue tcc_simplify_make_splat(Simplify *s, MlirType type, double value);
#endif
