/* buffers.h - whose buffer a value is, once kernels are made: a reshape and the kernel of a slice are aliases of their operand. */
#ifndef TCC_IR_BUFFERS_H
#define TCC_IR_BUFFERS_H
#include "tcc/op_kinds.h"

typedef struct {
  MlirOperation function;
  TccKernelKind kind; /* TCC_KERNEL_NONE: a region */
} TccCallee;

typedef struct {
  TccIr *ir;
  TccMap *callees; /* symbol of a function -> TccCallee */
} TccBuffers;

/* Reads the module's functions. In arena. */
void tcc_buffers_read(TccIr *ir, TccArena *arena, MlirOperation module, TccBuffers *out);
/* NULL: op is no func.call of a function of the module. */
TccCallee *tcc_buffers_callee(const TccBuffers *buffers, MlirOperation op);
bool tcc_buffers_is_call_of(const TccBuffers *buffers, MlirOperation op, TccKernelKind kind);
bool tcc_buffers_is_alias(const TccBuffers *buffers, MlirOperation op); /* of its first operand */
/* The value whose buffer this one is. */
MlirValue tcc_buffer_of(const TccBuffers *buffers, MlirValue value);
#endif
