/* concat_slice.h - kernels that only put tensors one behind the other in memory, or take a slice of one.
 *
 * Concat and split along the outermost axis that is not 1 move nothing that could not have been written, or read, where it
 * lies. The run-time decides that when it sees all lifetimes (lib/runtime/concat_in_place.c) and copies what it cannot place. */
#ifndef TCC_CODEGEN_CONCAT_SLICE_H
#define TCC_CODEGEN_CONCAT_SLICE_H
#include "tcc/codegen.h"

enum { TCC_CONCAT_MOST = 64 };
typedef struct {
  bool is_slice; /* the result is `bytes` of operand 0 from offset[0] on; else all of operand[i] lies at offset[i] of it */
  size_t count;
  uint32_t operand[TCC_CONCAT_MOST];
  const TccExpr *offset[TCC_CONCAT_MOST];
  const TccExpr *bytes; /* of the result */
} TccConcatSlice;

/* Whether the kernel has one result that is such a concatenation or slice, of elements of whole bytes. Reads the IR only. */
bool tcc_concat_slice_read(TccIr *ir, MlirOperation kernel, TccConcatSlice *out);
#endif
