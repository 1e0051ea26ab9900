/* scale.h - the factor of a scaled loss (tcc-loss-scale), which its gradients are divided by. */
#ifndef TCC_OPTIMIZER_SCALE_H
#define TCC_OPTIMIZER_SCALE_H
#include "tcc/ir.h"
#include "tcc/op_kinds.h"

#define TCC_SCALE_EXPONENT "scale:exponent" /* the state's name */
enum { TCC_SCALE_FIRST = 16 };              /* the factor is 2^(16 + exponent) */

/* The factor to the power of 1 or -1, f64. */
static inline MlirValue tcc_build_loss_scale(TccBuilder *b, MlirValue exponent, int sign) {
  MlirValue e = tcc_build2_number(b, TCC_OP_ADD, tcc_build_convert(b, exponent, TCC_ELEM_F64), TCC_SCALE_FIRST);
  if (sign < 0) e = tcc_build1(b, TCC_OP_NEG, e);
  return tcc_build2(b, TCC_OP_POW, tcc_build_scalar(b, TCC_ELEM_F64, 2), e);
}
#endif
