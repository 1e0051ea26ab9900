/* pieces.h - kernels that only put tensors one behind the other in memory, or take one piece out of one.
 *
 * Concat and split along the outermost axis that is not 1 move nothing that could not have been written, or read, where it
 * lies. The run-time decides that when it sees all lifetimes (lib/runtime/pieces.c) and copies what it cannot place. */
#ifndef TCC_CODEGEN_PIECES_H
#define TCC_CODEGEN_PIECES_H
#include "tcc/codegen.h"

enum { TCC_PIECES_MOST = 64 };
typedef struct {
  bool is_part; /* the result is `bytes` of operand 0 from offset[0] on; else all of operand[i] lies at offset[i] of it */
  size_t count;
  uint32_t operand[TCC_PIECES_MOST];
  const TccExpr *offset[TCC_PIECES_MOST];
  const TccExpr *bytes; /* of the result */
} TccPieces;

/* Whether the kernel has one result that is such a join or part, of elements of whole bytes. Reads the IR only. */
bool tcc_pieces_read(TccIr *ir, MlirOperation kernel, TccPieces *out);
#endif
