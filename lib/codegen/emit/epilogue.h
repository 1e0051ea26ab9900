/* epilogue.h - the elementwise ops after an anchor (contraction, convolution, pooling), applied to a block of its results
 * while the block is in the first cache.
 *
 * The block is rows x columns of accumulators; batch, rows and columns are spans over the axes of the anchor's result, so
 * the block may land in memory in any order that reshapes and transposes after the anchor ask for. Leaves are operands of
 * the elementwise ops that the anchor did not make: bias, residual, scale; they broadcast as the ops do. */
#ifndef TCC_CODEGEN_EPILOGUE_H
#define TCC_CODEGEN_EPILOGUE_H
#include "lib/codegen/emit/view.h"

enum { TCC_EPILOGUE_LEAVES = 12 };

typedef struct {
  MlirOperation kernel;
  MlirValue anchor; /* the anchor's result */
  MlirValue root;   /* the last elementwise value: its shape is the anchor's up to leading ones */
  TccView result;   /* of root in the kernel's result buffer */
  int nleaves;
  MlirValue leaf[TCC_EPILOGUE_LEAVES];
  TccView view[TCC_EPILOGUE_LEAVES];
  int bias; /* leaf that the anchor itself adds along axis bias_axis, -1: none */
  int bias_axis;
} TccEpilogue;

/* Reads what stands between the anchor's result and the kernel's only result. */
TccStatus *tcc_epilogue_read(TccIr *ir, MlirOperation kernel, MlirValue anchor, TccEpilogue *out) TCC_CHECKED;
/* The same up to `root`, an elementwise value (or the anchor's result) that another anchor reads from `result`. */
TccStatus *tcc_epilogue_read_to(TccIr *ir, MlirOperation kernel, MlirValue anchor, MlirValue root, const TccView *result,
                                TccEpilogue *out) TCC_CHECKED;
/* Adds the anchor's own bias: a vector along one axis of its result; null or tcc.none: nothing. */
TccStatus *tcc_epilogue_add_bias(TccIr *ir, TccEpilogue *epilogue, MlirValue bias, int axis) TCC_CHECKED;
/* Tensors of a span: `first` for the result buffer, first + 1 + i for leaf i. Fills axes[first ...] for axis `axis` of the
 * anchor's result, as tcc_span_append takes them. */
void tcc_epilogue_axes(TccIr *ir, const TccEpilogue *epilogue, int axis, int first, const TccViewAxis **axes);

/* Emits internal function name(block, arguments, sizes, batch, row0, column0, rows, columns): reads block[row][column] of
 * elements `acc` with row stride `stride` (rows are whole vectors), writes the result. */
typedef struct {
  const TccEpilogue *epilogue;
  const TccSpan *batch, *rows, *columns;
  int first; /* tensor number of the result in the spans */
  TccElem acc;
  int64_t stride;
  int lanes;
} TccEpilogueBlock;
TccStatus *tcc_epilogue_emit(TccKernelEmit *k, const char *name, const TccEpilogueBlock *block) TCC_CHECKED;
/* The same in the open function for sums[rows][vectors of lanes] in registers: one batch entry, whose rows and columns are all there are
 * (known numbers; b->stride counts for nothing). Only where takes_registers says so. */
bool tcc_epilogue_takes_registers(TccKernelEmit *k, const TccEpilogueBlock *block);
TccStatus *tcc_epilogue_emit_registers(TccKernelEmit *k, const TccEpilogueBlock *block, TccVal batch, int64_t rows, int64_t columns,
                                       const TccVal *sums) TCC_CHECKED;
typedef struct {
  TccVal block, batch, row, column, rows, columns;
} TccEpilogueCall;
void tcc_epilogue_call(TccKernelEmit *k, const char *name, const TccEpilogueCall *call);
/* Emits a function of the same signature that only brings `columns` columns of the result and of the leaves into the first
 * cache: their rows lie too far apart for hardware to look ahead, and the product before the epilogue gives them time.
 * (128x512x1408: 3 % without leaves, 8 % with a gate.) False, and nothing emitted, if no tensor's rows are runs of memory. */
bool tcc_epilogue_fetch_emit(TccKernelEmit *k, const char *name, const TccEpilogueBlock *block, int64_t columns);
#endif
