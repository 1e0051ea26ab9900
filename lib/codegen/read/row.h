/* row.h - kernels around reductions, as nodes over a nest (pull.h), reductions by level, and results.
 *
 * All reductions of a kernel go over the same axes of one domain: a row is one index of the axes that stay. The level of a reduction is the
 * number of reductions below it: those of one level share a loop over the row. */
#ifndef TCC_CODEGEN_READ_ROW_H
#define TCC_CODEGEN_READ_ROW_H
#include "lib/codegen/read/pull.h"

enum { TCC_ROW_REDUCTIONS = 16, TCC_ROW_RESULTS = 16 };

typedef struct {
  MlirOperation op;
  bool is_arg, last, max;
  TccStr kind;
  TccElem elem, wide; /* of the operand; of the accumulator */
  TccElem counter;    /* is_arg: of places along the axis */
  TccPullNode *operand;
  TccPullIndex place; /* is_arg: along the axis */
  int level;
} TccRowReduction;

typedef struct {
  TccPullNode *root;
  TccPullIndex store; /* flat index of the result */
  TccElem elem;
  int argument; /* of the kernel's buffers */
  bool full;    /* of the domain's shape; else of the reduced one */
} TccRowResult;

typedef struct {
  TccPull pull;
  bool dim_reduced[TCC_PULL_DIMS]; /* of the pull's dims; the others stay */
  int nreductions, nresults, nlevels;
  TccRowReduction reduction[TCC_ROW_REDUCTIONS];
  TccRowResult result[TCC_ROW_RESULTS];
  bool eager;                /* each op is computed as it is spelled (tcc.numerics) */
  int *level;                /* by node id: reductions below it */
  const TccPullNode *weight; /* softmax: e^(x - max), which every result divides by its sum; or NULL */
  /* That, or e^(x - max) whose sum every result is made of, as that of a log_softmax; or NULL. The exponent is never above 0, and a NaN comes through the
   * sum, so that the maximum may lose it. */
  const TccPullNode *exponential;
} TccRow;

/* TCC_UNSUPPORTED if reductions go over different axes, or a result is neither a row nor a reduction. */
TccStatus *tcc_row_read(TccIr *ir, MlirOperation kernel, TccRow *out) TCC_CHECKED;
/* The dims that are reduced, or those that stay, outermost first, and the number of their elements. Gives how many they are. */
int tcc_row_dims(const TccRow *row, bool reduced, int *out_dims, const TccExpr **out_count);
bool tcc_row_is_costly(const TccRow *row, const TccPullNode *node); /* costs more than storing and loading its value */
/* e^(x - max) / sum in f32 or f64: softmax. One summand is 1, so the inverse of the sum neither overflows nor loses digits,
 * and a multiplication replaces a division of each element. */
bool tcc_row_divides_exponential(const TccRow *row, const TccPullNode *node);
#endif
