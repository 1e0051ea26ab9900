/* kernel.h - what readers of all kinds of kernels ask of a body. A reader says what a kernel computes, in plain structs: no machine
 * and no text of an emitter is in them. All functions read the IR only; what they make is in ir->arena. */
#ifndef TCC_CODEGEN_READ_KERNEL_H
#define TCC_CODEGEN_READ_KERNEL_H
#include "tcc/codegen.h"
#include "tcc/op_kinds.h"

/* The first op of that kind in the kernel's body, or a null op. */
MlirOperation tcc_read_find(TccIr *ir, MlirOperation kernel, TccOpKind kind);
/* The data of a constant with one element, of whole bytes and no bool: a number of the program. NULL if value is none.
 * out_elem may be NULL. */
const void *tcc_read_number(TccIr *ir, MlirValue value, TccElem *out_elem);
#endif
