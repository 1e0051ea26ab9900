/* triangular.h - a triangular system for some columns of the right side, as code: for vectors or for one lane. */
#ifndef TCC_CODEGEN_TRIANGULAR_H
#define TCC_CODEGEN_TRIANGULAR_H
#include "lib/codegen/emit/emit.h"
#include "tcc/ir.h"

enum { TCC_TRIANGULAR_ROWS = 4, TCC_TRIANGULAR_VECTORS = 4 /* most */ };

typedef struct {
  TccVal a, b, to;                     /* addresses: of the matrix, of the columns' first row in the right side and in the result */
  TccVal rows, width;                  /* of the matrix; elements from row to row of b and of the result */
  const char *elem, *type;             /* f32 or f64; the vector of `lanes` of them, or it alone */
  int lanes, vectors;                  /* columns: vectors of lanes side by side */
  TccVal mask[TCC_TRIANGULAR_VECTORS]; /* of each vector; 0: all lanes */
  bool upper, unit;
} TccTriangular;

/* The kernel's op triangular_solve, whose result it returns; its operands are arguments or constants. */
TccStatus *tcc_triangular_op(TccIr *ir, MlirOperation kernel, MlirOperation *out) TCC_CHECKED;
void tcc_emit_triangular(TccEmit *e, const TccTriangular *t);
#endif
