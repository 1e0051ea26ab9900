/* recompose.h - matching of written-out composites: small questions about values, shared by the matchers. */
#ifndef TCC_RECOMPOSE_H
#define TCC_RECOMPOSE_H
#include "tcc/pass.h"

/* The defining op if it is of this kind, else a null operation. */
MlirOperation recompose_op(TccIr *ir, MlirValue value, TccOpKind kind);
static inline MlirValue recompose_operand(MlirOperation op, intptr_t i) { return mlirOperationGetOperand(op, i); }
/* The value of a floating-point constant all of whose elements are equal. */
bool recompose_scalar(TccIr *ir, MlirValue value, double *out);
bool recompose_near(double a, double b); /* equal up to the rounding of a float16 constant's neighbours: 1e-6 relative */

/* A product taken apart: value = constant * factor[0] * ... ; mul, div by a constant, small integer powers, neg. */
enum { RECOMPOSE_FACTORS = 4 };
typedef struct {
  double constant;
  MlirValue factor[RECOMPOSE_FACTORS];
  size_t count;
} RecomposeProduct;
bool recompose_product(TccIr *ir, MlirValue value, RecomposeProduct *out);

/* Matchers: the composite's value, built before `root`, or a null value. */
MlirValue recompose_attention(TccBuilder *b, MlirOperation root);
/* Why a product that recompose_attention left alone is none, although it stands behind a softmax of a product; NULL if it does not. In
 * ir's arena. */
const char *recompose_no_attention(TccBuilder *b, MlirOperation root);
MlirValue recompose_grouped_heads(TccBuilder *b, MlirOperation root);
MlirValue recompose_grouped_keys(TccBuilder *b, MlirOperation root); /* of an attention_logsumexp */
MlirValue recompose_gelu(TccBuilder *b, MlirOperation root);
MlirValue recompose_swish(TccBuilder *b, MlirOperation root);
MlirValue recompose_softmax(TccBuilder *b, MlirOperation root);
MlirValue recompose_rms_norm(TccBuilder *b, MlirOperation root);
MlirValue recompose_layer_norm(TccBuilder *b, MlirOperation root);
MlirValue recompose_norm_affine(TccBuilder *b, MlirOperation root);
MlirValue recompose_rotary(TccBuilder *b, MlirOperation root);
#endif
