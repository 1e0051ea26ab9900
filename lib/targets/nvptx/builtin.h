/* builtin.h - what kernels of kind "builtin" share (builtin.c, non_max_suppression.c). */
#ifndef TCC_NVPTX_BUILTIN_H
#define TCC_NVPTX_BUILTIN_H
#include "lib/targets/nvptx/nvptx.h"

enum { NVPTX_BUILTIN_THREADS = 256 };

typedef struct {
  TccIr *ir;
  MlirOperation kernel, op;
  NvptxKernel n;
  TccElem elem;
  MlirType type; /* of operand 0 */
} NvptxBuiltin;

/* The buffer that operand `index` of the op is; -1: it is no argument. */
int nvptx_builtin_operand(const NvptxBuiltin *b, intptr_t index);
/* The buffer that result `index` goes to; -1: it is not wanted. */
int nvptx_builtin_result(const NvptxBuiltin *b, intptr_t index);
TccVal nvptx_builtin_load(NvptxBuiltin *b, TccElem elem, int buffer, TccVal at);
void nvptx_builtin_store(NvptxBuiltin *b, TccElem elem, int buffer, TccVal at, TccVal v);

/* Bytes of scratch of a kernel of non_max_suppression, and its body; the blocks of NVPTX_BUILTIN_THREADS and their bytes of shared memory. */
const TccExpr *nvptx_non_max_suppression_scratch(TccIr *ir, MlirOperation op);
TccStatus *nvptx_non_max_suppression(NvptxBuiltin *b, const TccExpr **out_blocks, uint32_t *out_shared) TCC_CHECKED;
#endif
