/* emitters.h - the x86 emitters, one per kind of kernel. */
#ifndef TCC_CODEGEN_EMITTERS_H
#define TCC_CODEGEN_EMITTERS_H
#include "tcc/codegen.h"

typedef TccStatus *TccEmitterFunction(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out);
typedef struct {
  const char *kind;
  TccEmitterFunction *emit;
} TccX86Emitter;
extern const TccX86Emitter tcc_x86_emitters[];
extern const size_t tcc_x86_emitter_count;

TccEmitterFunction tcc_map_emit, tcc_row_emit, tcc_scatter_emit, tcc_scan_emit;
#endif
