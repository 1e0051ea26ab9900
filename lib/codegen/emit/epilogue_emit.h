/* epilogue_emit.h - code for epilogues (lib/codegen/read/epilogue.h). */
#ifndef TCC_CODEGEN_EPILOGUE_EMIT_H
#define TCC_CODEGEN_EPILOGUE_EMIT_H
#include "lib/codegen/emit/view_emit.h"
#include "lib/codegen/read/epilogue.h"

/* Emits internal function name(block, arguments, sizes, batch, row0, column0, rows, columns): reads block[row][column] of
 * elements `acc` with row stride `stride` (rows are whole vectors), writes the result.
 *
 * framed: in place of the arguments it gets a frame of its caller's, in which stand for the result and each leaf where the batch entry begins, then how many bytes
 * lie between two rows, of the result, the leaves and the block. So products that end alike have one epilogue, whatever their sizes. */
typedef struct {
  const TccEpilogue *epilogue;
  const TccSpan *batch, *rows, *columns;
  int first; /* tensor number of the result in the spans */
  TccElem acc;
  int64_t stride;
  int lanes;
  bool whole; /* each call has a multiple of `lanes` columns: no vector needs a mask */
  bool framed;
} TccEpilogueBlock;
/* Whether it can be framed: rows are one axis, and nothing is looked up. */
bool tcc_epilogue_takes_frame(const TccEpilogueBlock *block);
/* A frame of the open function; its batch entry, before the first call. */
TccVal tcc_epilogue_frame(TccKernelEmit *k, const TccEpilogueBlock *block);
void tcc_epilogue_frame_batch(TccKernelEmit *k, const TccEpilogueBlock *block, TccVal frame, TccVal batch);
TccStatus *tcc_epilogue_emit(TccKernelEmit *k, const char *name, const TccEpilogueBlock *block) TCC_CHECKED;
/* The same in the open function for sums[rows][vectors of lanes] in registers: one batch entry, whose rows and columns are all there are
 * (known numbers; b->stride counts for nothing). Only where takes_registers says so. */
bool tcc_epilogue_takes_registers(TccKernelEmit *k, const TccEpilogueBlock *block);
TccStatus *tcc_epilogue_emit_registers(TccKernelEmit *k, const TccEpilogueBlock *block, TccVal batch, int64_t rows, int64_t columns,
                                       const TccVal *sums) TCC_CHECKED;
typedef struct {
  TccVal block, batch, row, column, rows, columns;
  TccVal frame; /* of one that is framed */
} TccEpilogueCall;
void tcc_epilogue_call(TccKernelEmit *k, const char *name, const TccEpilogueCall *call);
/* Emits a function of the same signature that only brings `columns` columns of the result and of the leaves into the first
 * cache: their rows lie too far apart for hardware to look ahead, and the product before the epilogue gives them time.
 * (128x512x1408: 3 % without leaves, 8 % with a gate.) result: its lines, too. ask: names of routines (from, rows, bytes between rows, lines of each)
 * for what will be read and written, which rows, of one axis then, are left to; NULL: loops of LLVM's. False, and nothing emitted, if no tensor's rows are runs of
 * memory. */
bool tcc_epilogue_prefetch_emit(TccKernelEmit *k, const char *name, const TccEpilogueBlock *block, int64_t columns, bool result,
                                const char *const *ask);
#endif
