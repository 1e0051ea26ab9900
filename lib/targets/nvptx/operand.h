/* operand.h - operands of an anchor, and its result with the epilogue, element by element: whatever views stand around them, an element is
 * asked for by its index along each axis of the operation. */
#ifndef TCC_NVPTX_OPERAND_H
#define TCC_NVPTX_OPERAND_H
#include "lib/codegen/read/epilogue.h"
#include "lib/targets/nvptx/nvptx.h"

enum {
  NVPTX_MOST_RUN = 8,          /* elements that are read or written at once */
  NVPTX_MOST_COMPUTED_RUN = 32 /* of an operand that is computed of narrower ones */
};
/* Elements of one access, `run` at most: those of 16 bytes, one of less than a byte. */
int nvptx_run_within(TccElem elem, int run);

typedef struct {
  MlirType type;
  TccPull pull;
  TccPullDims dims;
  TccPullNode *root;
  TccPullEmit emit;
  /* Of an operand that is computed in f32 (tcc_pull_before_rounding) a factor that is the same along the whole depth, as the scale of a column, and the rest;
   * NULL: there is none. nvptx_operand_find_scale. */
  const TccPullNode *scale, *rest;
  bool picked;     /* nvptx_operand_set_picked */
  TccVal distance; /* where picked: elements before the matrix that was picked last */
} NvptxOperand;
TccStatus *nvptx_operand_read(TccIr *ir, MlirOperation kernel, MlirValue value, NvptxOperand *out) TCC_CHECKED;
void nvptx_operand_begin(NvptxOperand *o, NvptxKernel *n);
/* The axis along which neighbours lie side by side in memory, of an operand that is computed those of all that is read for it; the last one where that is not
 * known. */
int nvptx_operand_inner_axis(TccIr *ir, const NvptxOperand *o);
/* Of an operand that is computed: how many neighbours along these axes, one number among them, from a multiple of as many on, read what lies side by side or
 * is the same for them; a power of two, 1: one. */
int nvptx_operand_run(const NvptxOperand *o, const int *axes, int n);
/* Bits that memory has of an element of an operand, where it is computed of the largest tensor that it is computed of. */
int nvptx_operand_stored_bits(const NvptxOperand *o);
/* Whether the operand is an argument of which an index picks matrices, one for each entry of these axes: gathered experts. Then it counts as memory below,
 * behind nvptx_operand_pick, with which that index is read once. */
void nvptx_operand_set_picked(NvptxOperand *o, const int *axes, int n);
/* Reads the index of a picked one where the dims of these axes are set (nvptx_operand_place). */
TccStatus *nvptx_operand_pick(NvptxOperand *o) TCC_CHECKED;
/* Whether the operand is an argument of type `elem` whose elements along these axes, one number among them, follow each other in memory, the first
 * of them at a multiple of `multiple` elements. */
bool nvptx_operand_follows(const NvptxOperand *o, TccElem elem, const int *axes, int n, int64_t multiple);
/* The same, each 16 bytes of them at a multiple of 16. */
bool nvptx_operand_is_pieces(const NvptxOperand *o, TccElem elem, const int *axes, int n);
/* Whether these axes, one number among them, have one distance between neighbours in the memory of an argument, and it, in elements. Not
 * of one element alone. */
bool nvptx_operand_has_stride(const NvptxOperand *o, const int *axes, int n, const TccExpr **out);
/* The number of the element in memory where the dims are set, of an operand that is plain or picked. */
TccVal nvptx_operand_element(NvptxOperand *o);
/* Sets the dims from an index along each axis. */
void nvptx_operand_place(NvptxOperand *o, const TccVal *index);
/* The element at an index along each axis, as `to`. */
TccStatus *nvptx_operand_at(NvptxOperand *o, const TccVal *index, TccElem to, TccVal *out) TCC_CHECKED;
/* axes: the depth. */
void nvptx_operand_find_scale(NvptxOperand *o, const int *axes, int n);
/* That factor at an index, in f32. */
TccStatus *nvptx_operand_scale_at(NvptxOperand *o, const TccVal *index, TccVal *out) TCC_CHECKED;
/* Elements [begin, begin + count) of a run of `length`, as `to`: in f32 as they were before they were rounded (tcc_pull_before_rounding), without what is in
 * NvptxOperand.scale if `unscaled`. */
typedef struct {
  int length, begin, count;
  TccElem to;
  bool unscaled;
} NvptxRun;
/* Of a run, as nvptx_operand_run says, along `axis` from an index on. factor: NULL; or takes what all of them are to be multiplied with in f32, as the scale of a
 * block, 0: there is nothing. */
TccStatus *nvptx_operand_run_at(NvptxOperand *o, const TccVal *index, int axis, const NvptxRun *run, TccVal *out,
                                TccVal *factor) TCC_CHECKED;
/* The element there where `inside` (i1; 0: always), else zero. */
TccStatus *nvptx_operand_inside(NvptxOperand *o, TccVal inside, const TccVal *index, TccElem to, TccVal *out) TCC_CHECKED;

typedef struct {
  MlirType type; /* of the anchor's result */
  TccEpilogue epilogue;
  TccPulledEpilogue pulled;
  TccPullEmit emit;
} NvptxResult;
/* Of the kernel's only result; of that number. */
TccStatus *nvptx_result_read(TccIr *ir, MlirOperation kernel, MlirOperation anchor, NvptxResult *out) TCC_CHECKED;
TccStatus *nvptx_result_read_number(TccIr *ir, MlirOperation kernel, MlirOperation anchor, int result,
                                    NvptxResult *out) TCC_CHECKED;
/* Of a dual product (lib/codegen/read/members.h), by its two dot_generals. */
TccStatus *nvptx_result_read_dual(TccIr *ir, MlirOperation kernel, MlirOperation first, MlirOperation second,
                                  NvptxResult *out) TCC_CHECKED;
void nvptx_result_begin(NvptxResult *r, NvptxKernel *n);
/* Axes [at, at + n) of the anchor's result, from a position among them. */
void nvptx_result_set_axes(NvptxResult *r, int at, int n, TccVal position);
/* Whether neighbours along this axis of the anchor's result lie side by side in memory. */
bool nvptx_result_is_inner(const NvptxResult *r, int axis);
/* Whether `run` places along these axes, from a multiple of it on, are such places of the last of the dims that they are made of. */
bool nvptx_result_has_runs(const NvptxResult *r, int at, int n, int run);
/* The anchor's values at so many places from this one on, of type `from`, through the epilogue into memory, in as few accesses as memory allows; of a dual
 * product those of the first anchor, then those of the second.
 * count: 1, or as nvptx_result_has_runs says of the axes [at, at + n) that were set last. */
TccStatus *nvptx_result_store_run(NvptxResult *r, TccElem from, int at, int n, const TccVal *values, int count) TCC_CHECKED;
/* The anchor's value there, of type `from`, through the epilogue into memory. */
TccStatus *nvptx_result_store(NvptxResult *r, TccElem from, TccVal value) TCC_CHECKED;
#endif
