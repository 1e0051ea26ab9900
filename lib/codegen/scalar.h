/* scalar.h - the ops of one lane: elementwise tcc ops as LLVM-dialect arithmetic on scalars or vectors.
 *
 * Values are computed in the element's own type, bool as i1 (a byte in memory: callers of loads and stores convert). */
#ifndef TCC_CODEGEN_SCALAR_H
#define TCC_CODEGEN_SCALAR_H
#include "lib/codegen/emit.h"
#include "tcc/codegen.h"

/* "f32", "i8" (signed or not), "i1" for bool; NULL for types that take part in no arithmetic (f8, 4-bit). */
const char *tcc_scalar_type(TccElem elem);
/* The result of elementwise op on `lanes` lanes (1: scalars); operands that are tcc.none are 0. */
TccStatus *tcc_scalar_op(TccEmit *e, TccIr *ir, const TccMachine *machine, MlirOperation op, int lanes, const TccVal *operands,
                         TccVal *out) TCC_CHECKED;
/* v from one element type to another, as tcc.convert does. */
TccVal tcc_scalar_convert(TccEmit *e, TccElem from, TccElem to, int lanes, TccVal v);
#endif
