/* gemv_panels.h - contractions of any number of rows whose right operand is made from narrower numbers: 16 bits, bytes, halves of
 * bytes, with zero points and scales of columns or blocks.
 *
 * The operand stays in memory as it is stored. A panel of it, some steps of the depth by the columns of a register tile, is converted
 * into the scratch and meets all rows there; it lies in the second cache then. So what is stored is read once for up to ROWS rows. A
 * number of rows that is dynamic may be small: such a call is a product of few rows (gemv.h), whose loops the same kernel holds. */
#ifndef TCC_X86_GEMV_PANELS_H
#define TCC_X86_GEMV_PANELS_H
#include "tcc/codegen.h"

/* Whether the kernel is for this emitter: its right operand is of 16 bits or fewer before it is converted, and contiguous along columns
 * or depth. Neither this nor the emission asks whether it is a weight. */
bool tcc_gemv_panels_accepts(const TccMachine *machine, TccIr *ir, MlirOperation kernel);
TccStatus *tcc_gemv_panels_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
