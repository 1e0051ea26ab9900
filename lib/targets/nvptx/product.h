/* product.h - sums of products as tiles of a block: what a contraction and a convolution share. */
#ifndef TCC_NVPTX_PRODUCT_H
#define TCC_NVPTX_PRODUCT_H
#include "lib/targets/nvptx/nvptx.h"

/* r[batch, row, column] = sum over k of left[batch, row, k] * right[batch, column, k], all in elements of `acc`. */
typedef struct {
  const TccExpr *batch, *rows, *columns, *depth;
  TccElem acc;
  bool along_depth[2]; /* neighbours along k lie side by side in the left operand's memory, in the right one's */
  /* An element of the left operand (side 0, at: row) or of the right one (side 1, at: column), as `acc`. All indices are inside. */
  TccStatus *(*read)(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out);
  TccStatus *(*write)(void *user, TccVal batch, TccVal row, TccVal column, TccVal sum);
  void *user;
} NvptxProduct;
enum { NVPTX_PRODUCT_THREADS = 256 };
/* Writes the body of a kernel of so many threads a block. */
TccStatus *nvptx_product_emit(NvptxKernel *n, const NvptxProduct *p, const TccExpr **out_blocks, uint32_t *out_shared) TCC_CHECKED;
#endif
