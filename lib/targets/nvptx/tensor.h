/* tensor.h - operands that tensor maps describe: boxes of them are copied into shared memory by a unit beside the threads, and barriers there count
 * the bytes that have come (PTX ISA 9.7.9.27, 9.7.13.15). */
#ifndef TCC_NVPTX_TENSOR_H
#define TCC_NVPTX_TENSOR_H
#include "lib/targets/nvptx/operand.h"

enum {
  NVPTX_BOX_COLUMNS = 64 /* of 16 bits: 128 bytes, the widest swizzle */,
  NVPTX_BOX_BYTES = 2 * NVPTX_BOX_COLUMNS,
  NVPTX_BARRIER_BYTES = 8
};
static inline int nvptx_box_columns(TccElem elem) { return NVPTX_BOX_BYTES * 8 / (int)tcc_elem_bits(elem); }

/* An operand as a tensor that boxes are copied of: axes of the map are the one along which neighbours lie side by side, the other one, then those
 * of the batch. */
typedef struct {
  TccTensorMap map; /* rank 0: it is none */
  int nbatch;       /* what the batch's number is made of, outermost first: */
  const TccExpr *batch[TCC_TENSOR_MAP_RANK];
  bool moves[TCC_TENSOR_MAP_RANK]; /* whether it is an axis of the map; the last one that is comes first there */
} NvptxTensor;
/* Axes of an operand: those along which neighbours lie side by side, those of rows, those of the batch. */
typedef struct {
  const int *inner, *rows, *batch;
  int ninner, nrows, nbatch;
} NvptxTensorAxes;
/* An operand whose inner axes are pieces (nvptx_operand_is_pieces); rank 0 where its rows have no one distance, its batch too many axes, or an axis
 * 2^31 places and more. */
NvptxTensor nvptx_tensor_of(TccIr *ir, const NvptxOperand *o, TccElem elem, const NvptxTensorAxes *axes);
/* The map whose boxes are `rows` rows of 128 bytes, swizzled as wgmma reads them. */
TccTensorMap nvptx_tensor_boxes(const NvptxTensor *tensor, int rows);

/* Copies the box at (inner, row) of the batch's number to address `to` and tells `barrier` (i32); cluster: of so many blocks, at the same place of each. */
void nvptx_tensor_copy(NvptxKernel *n, const NvptxTensor *tensor, TccVal map, TccVal to, TccVal barrier, TccVal inner, TccVal row,
                       TccVal batch, int cluster);

/* Copies box[1] pixels of a map of im2col (TccTensorMap) to address `to` and tells `barrier` (i32): of each the channels from `channel` on. at: the
 * first pixel and its image, outermost axis first, all i64; offsets: what is added to each pixel, likewise, without one of the image; not
 * negative. cluster: as nvptx_tensor_copy. */
void nvptx_pixels_copy(NvptxKernel *n, int rank, TccVal map, TccVal to, TccVal barrier, TccVal channel, const TccVal *at,
                       const TccVal *offsets, int cluster);

/* Barriers, by their addresses (i32). Whose phase ends when so many have arrived; once by one thread. */
void nvptx_mbarrier_init(NvptxKernel *n, TccVal at, int64_t arrivals);
/* Behind all of them, by that thread: units beside it know them. */
void nvptx_mbarriers_show(NvptxKernel *n);
/* One arrival, and so many bytes that will come. */
void nvptx_mbarrier_expect(NvptxKernel *n, TccVal at, int64_t bytes);
/* Until the phase of this parity (i32) has ended. */
void nvptx_mbarrier_wait(NvptxKernel *n, TccVal at, TccVal parity);
/* An address in shared memory as instructions of this kind take it (i32). */
TccVal nvptx_shared_number(NvptxKernel *n, TccVal address);
#endif
