/* pack_transpose.h - columns of a right operand that lie along k, transposed into rows of a panel: the loop of a packer, as machine code.
 *
 * As many columns as a vector has places, 16 or 8, and as many k-groups of 32 bits are transposed in registers. LLVM takes long for the 64
 * shuffles of 16 in one block; a transposition through memory is compiled quickly and runs 1.4 times as long. */
#ifndef TCC_CODEGEN_PACK_TRANSPOSE_H
#define TCC_CODEGEN_PACK_TRANSPOSE_H
#include "lib/codegen/emit/emit.h"

bool tcc_pack_transpose_fits(int64_t row); /* bytes from a row of the panel to the next: whether displacements fit */
/* Emits name(to, columns, at, next, blocks): `blocks` blocks, at least one, of `lanes` columns, 16 or 8 (AVX2), and as many k-groups. The
 * columns' addresses are at `columns`; they are read from byte `at` of each on and become rows at `to`. What stands `next` bytes behind
 * each address is prefetched meanwhile; it may be behind the tensor. */
void tcc_pack_transpose_emit(TccEmit *e, const char *name, int lanes, int64_t row);
void tcc_pack_transpose_call(TccEmit *e, const char *name, TccVal to, TccVal columns, TccVal at, TccVal next, TccVal blocks);
#endif
