/* contract.h - kernels around one contraction: dot_general, or a convolution as the product that it is (conv.h).
 *
 * A contraction has batch entries, rows (m), columns (n) and a depth (k); each is a span over the axes of the operation that it is made
 * of, so that an emitter walks it by one number whatever the order of axes in memory. */
#ifndef TCC_CODEGEN_READ_CONTRACT_H
#define TCC_CODEGEN_READ_CONTRACT_H
#include "lib/codegen/read/epilogue.h"
#include "lib/ir/dot_axes.h"

/* The number of elements along some axes of a type. */
const TccExpr *tcc_axes_count(TccIr *ir, MlirType type, const int *axes, int naxes);

/* Tensor numbers in the spans; leaves of the epilogue follow the result. */
enum { TCC_CONTRACT_A, TCC_CONTRACT_B, TCC_CONTRACT_R, TCC_CONTRACT_TENSORS };

typedef struct {
  TccIr *ir;
  MlirOperation kernel, dot; /* dot: dot_general, or the convolution */
  TccDotAxes axes;           /* of a dot_general */
  TccView a, b;
  TccLookup lookup; /* of the batch axis of b, of a turned product that of a; it then is the only one */
  bool turned;      /* by tcc_contraction_turn, an odd number of times */
  bool has_b; /* the right operand is a view; else it is packed, pulled or a convolution's image, and no tensor of the spans */
  TccEpilogue epilogue;
  TccSpan batch, m, n, k;
  int64_t packed_nr; /* width of the panels of a right operand that is an argument packed beforehand (tcc.packed); 0: it is not */
  int packed_argument;
  bool packed_batched; /* panels of each batch entry; else one right operand for all */
} TccContraction;

/* The dot_general of a kernel, its axes, and what tcc.packed says. Views and spans are empty. */
TccStatus *tcc_contraction_find(TccIr *ir, MlirOperation kernel, TccContraction *out) TCC_CHECKED;
/* The rest of a found one: a, b if it is not packed, epilogue and spans. Batch entries of one right operand are but more rows.
 * TCC_UNSUPPORTED if an operand is no strided view, or views do not line up. */
TccStatus *tcc_contraction_read(TccContraction *c) TCC_CHECKED;
/* The product the other way round, of a complete *c whose right operand is a view: B^T A^T in place of (A B)^T. */
void tcc_contraction_turn(TccContraction *c);
/* The spans alone, of an otherwise complete *c. shared: one right operand for all of the batch. */
TccStatus *tcc_contraction_spans(TccContraction *c, bool shared) TCC_CHECKED;
#endif
