/* callers.h - the functions of a module with the calls of each. */
#ifndef TCC_IR_CALLERS_H
#define TCC_IR_CALLERS_H
#include "tcc/ir.h"

typedef struct {
  MlirOperation func;
  TCC_VEC(MlirOperation) calls; /* in their order; func.call alone */
  bool loop;                    /* one of them is a loop (tcc_call_loop) */
  bool blocks;                  /* they stand in several blocks */
} TccCallers;

/* One for each function with a body, in their order, in arena; they hold until functions or calls are made or erased. */
TccCallers *tcc_callers(TccIr *ir, TccArena *arena, MlirOperation module, size_t *out_count);
#endif
