/* epilogue.h - the elementwise ops after an anchor (contraction, convolution, pooling), applied to a block of its results
 * while the block is in the first cache.
 *
 * The block is rows x columns of accumulators; batch, rows and columns are spans over the axes of the anchor's result, so
 * the block may land in memory in any order that reshapes and transposes after the anchor ask for. Leaves are operands of
 * the elementwise ops that the anchor did not make: bias, residual, scale; they broadcast as the ops do. */
#ifndef TCC_CODEGEN_EPILOGUE_H
#define TCC_CODEGEN_EPILOGUE_H
#include "lib/codegen/read/pull.h"
#include "lib/codegen/read/view.h"

enum { TCC_EPILOGUE_LEAVES = 12, TCC_EPILOGUE_OPS = 64 };

typedef struct {
  MlirOperation kernel;
  MlirValue anchor; /* the anchor's result */
  MlirValue second; /* another anchor's, of the same type, which tcc_epilogue_pull meets at the same places; null: there is none */
  MlirValue root;   /* the last elementwise value: its shape is the anchor's up to leading ones */
  TccView result;   /* of root in the kernel's result buffer */
  int nleaves;
  MlirValue leaf[TCC_EPILOGUE_LEAVES];
  TccView view[TCC_EPILOGUE_LEAVES];
  int bias; /* leaf that the anchor itself adds along axis bias_axis, -1: none */
  int bias_axis;
} TccEpilogue;

/* Reads what stands between the anchor's result and a result of the kernel: root and result, without leaves. */
TccStatus *tcc_epilogue_find(TccIr *ir, MlirOperation kernel, MlirValue anchor, int result, TccEpilogue *out) TCC_CHECKED;
/* The same for the kernel's only result, with leaves, which must be strided views. */
TccStatus *tcc_epilogue_read(TccIr *ir, MlirOperation kernel, MlirValue anchor, TccEpilogue *out) TCC_CHECKED;
/* The same up to `root`, an elementwise value (or the anchor's result) that another anchor reads from `result`. */
TccStatus *tcc_epilogue_read_to(TccIr *ir, MlirOperation kernel, MlirValue anchor, MlirValue root, const TccView *result,
                                TccEpilogue *out) TCC_CHECKED;
/* Adds the anchor's own bias: a vector along one axis of its result; null or tcc.none: nothing. */
TccStatus *tcc_epilogue_add_bias(TccIr *ir, TccEpilogue *epilogue, MlirValue bias, int axis) TCC_CHECKED;
/* Tensors of a span: `first` for the result buffer, first + 1 + i for leaf i. Fills axes[first ...] for axis `axis` of the
 * anchor's result, as tcc_span_append takes them. */
void tcc_epilogue_axes(TccIr *ir, const TccEpilogue *epilogue, int axis, int first, const TccViewAxis **axes);

/* The same as values that are pulled, for emitters that make elements one by one: leaves may be anything that pulls. Dims of the pull
 * make up steps, as the result's view has them; those of axis a of the anchor's result are first_step[a] to first_step[a + 1]. */
typedef struct {
  TccPull pull;
  TccPullNode *root; /* the anchor's result is a REDUCED node in it */
  TccPullIndex store;
  TccPullDims dims; /* dims.axis: the step that a dim is of */
  int first_step[TCC_MAX_RANK + 1];
  const TccExpr *step[TCC_PULL_DIMS]; /* sizes */
} TccPulledEpilogue;
/* Of a found one, whose `second` may have been set. */
TccStatus *tcc_epilogue_pull(TccIr *ir, const TccEpilogue *epilogue, TccPulledEpilogue *out) TCC_CHECKED;
#endif
