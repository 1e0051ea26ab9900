/* dequantize.h - numbers stored in 4 or 8 bits as they are computed with: (convert(q) - zero) * scale, which is what DequantizeLinear
 * means. The zero point may be absent, and so may the scale where integers are meant.
 *
 * Values of the IR and nodes of a pull (lib/codegen/read/pull.h) are both read so: a reader walks an expression through
 * TccOperandGraph, whose nodes are handles. */
#ifndef TCC_IR_DEQUANTIZE_H
#define TCC_IR_DEQUANTIZE_H
#include "tcc/ir.h"

typedef struct {
  const void *of;                                      /* handed to the functions */
  TccOpKind (*kind)(const void *of, const void *node); /* the elementwise op that makes it; another, or UNKNOWN: it is a leaf */
  TccElem (*elem)(const void *of, const void *node);
  const void *(*operand)(const void *of, const void *node, int i);
} TccOperandGraph;

/* q of convert(q) in the element type of the node, q having 4 or 8 bits; NULL: the node is something else. */
const void *tcc_stored_number(const TccOperandGraph *graph, const void *node);
/* The same of convert(q) - zero or convert(q), where *out_zero is NULL. What the zero point is, is not asked. */
const void *tcc_stored_difference(const TccOperandGraph *graph, const void *node, const void **out_zero);
/* Whether a constant can be the zero point of stored numbers. */
bool tcc_is_zero_point(double value);

typedef struct {
  MlirValue q, zero, scale; /* zero and scale: null where there is none */
} TccDequantized;

/* Both are of the shape of q, which zero and scale broadcast to. False: v is something else, and *out is undefined.
 * The difference of any element type, without a scale; and the dequantised numbers, in f32. */
bool tcc_read_difference(TccIr *ir, MlirValue v, TccDequantized *out);
bool tcc_read_dequantized(TccIr *ir, MlirValue v, TccDequantized *out);
#endif
