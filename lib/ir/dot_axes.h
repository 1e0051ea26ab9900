/* dot_axes.h - which axes of a dot_general's operands are batch, contracted and free. */
#ifndef TCC_IR_DOT_AXES_H
#define TCC_IR_DOT_AXES_H
#include "tcc/ir.h"

/* The axes of a dot_general: [0] of its left operand, [1] of its right one. Those of the result are batch, free of the left, free of the
 * right operand. */
typedef struct {
  MlirValue operand[2];
  int nbatch, ncontract, nfree[2];
  int batch[2][TCC_MAX_RANK], contract[2][TCC_MAX_RANK]; /* those that belong together have one number */
  int free[2][TCC_MAX_RANK];                             /* neither of both, in order */
} TccDotAxes;
/* False if op has no such attributes. */
bool tcc_dot_axes(TccIr *ir, MlirOperation dot, TccDotAxes *out);
#endif
