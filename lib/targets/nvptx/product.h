/* product.h - sums of products as tiles of a block: what a contraction and a convolution share. */
#ifndef TCC_NVPTX_PRODUCT_H
#define TCC_NVPTX_PRODUCT_H
#include "lib/targets/nvptx/nvptx.h"

/* r[batch, row, column] = sum over k of left[batch, row, k] * right[batch, column, k], summed in `acc`. */
typedef struct {
  const TccExpr *batch, *rows, *columns, *depth;
  TccElem acc, elem;   /* elem: of the operands: acc, or f16 or bf16 where acc is f32 */
  bool exact;          /* f32 products are those of f32, not three of TF32 */
  bool along_depth[2]; /* neighbours along k lie side by side in the left operand's memory, in the right one's */
  /* An element of the left operand (side 0, at: row) or of the right one (side 1, at: column), as `elem`. All indices are inside. */
  TccStatus *(*read)(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out);
  /* Where pieces[side]: the address of that element, from where on memory has it and those that follow along k (along_depth) or rows, in
   * `elem`; a multiple of 16 bytes where the one that moves is a multiple of as many elements. Indices may be outside. NULL: no operand is
   * ever. */
  TccVal (*address)(void *user, int side, TccVal batch, TccVal at, TccVal k);
  bool pieces[2];
  TccStatus *(*write)(void *user, TccVal batch, TccVal row, TccVal column, TccVal sum);
  void *user;
} NvptxProduct;
typedef struct {
  const TccExpr *blocks;
  uint32_t threads, shared; /* of a block */
  const char *schedule;
} NvptxProductLaunch;
/* Says in which elements a product of these two has its operands on the machine, and whether it needs `exact`: sets elem and exact of a product
 * whose acc is set. */
void nvptx_product_elem(NvptxProduct *p, MlirOperation kernel, TccElem left, TccElem right);
/* Writes the body of the kernel: for few rows as memory gives the right operand; on tensor cores where the machine has them and they do products of `elem`, else on those for all. */
TccStatus *nvptx_product_emit(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
/* product_few.c, product_mma.c, product_wgmma.c: whether it does, and it. */
bool nvptx_product_few_fits(const NvptxProduct *p);
TccStatus *nvptx_product_few(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
bool nvptx_product_wgmma_fits(const NvptxKernel *n, const NvptxProduct *p);
TccStatus *nvptx_product_wgmma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
bool nvptx_product_mma_fits(const NvptxKernel *n, const NvptxProduct *p);
TccStatus *nvptx_product_mma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
#endif
