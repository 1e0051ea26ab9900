/* contract_internal.h - a kernel of products as contract.c writes it and contract_kinds.c reads it. */
#ifndef TCC_NVPTX_CONTRACT_INTERNAL_H
#define TCC_NVPTX_CONTRACT_INTERNAL_H
#include "lib/codegen/read/contract.h"
#include "lib/codegen/read/members.h"
#include "lib/targets/nvptx/operand.h"
#include "lib/targets/nvptx/product_schedule.h"

/* Members that are alike, by the first of them. */
typedef struct {
  int first;
  TccContraction read;
  NvptxOperand right;
  NvptxTensor tensor; /* of the right operand */
  const TccExpr *columns;
  NvptxResult result;
  TccVal *chosen; /* the buffers of the block's member, where it is of this kind: TccKernelEmit.chosen */
} NvptxKind;

typedef struct {
  TccIr *ir;
  MlirOperation kernel;
  NvptxOperand left;
  int nkinds;
  NvptxKind *kind[TCC_MOST_MEMBERS];
  NvptxProduct product;
  NvptxKernel n;
  TccMembers members;
  MlirOperation second_dot; /* of a dual product: tcc_dual_read */
  int *second;
  bool right_is_chosen;
  /* Where members are of several widths, each has as many panels of product.columns as it is wide; before[m]: panels in front of member m's. */
  bool panels;
  int64_t before[TCC_MOST_MEMBERS];
  bool even;                       /* elements of the right operand lie at the same distance from its begin in all kinds */
  TccVal shift, kind_of, right_at; /* i64: columns before the block's panel, 0: none; its kind; the address of its right operand */
  TccVal right[TCC_MOST_MEMBERS];  /* tensor maps */
  TccStatus *status;               /* of choose_entry */
} NvptxContract;

/* contract.c: reads the product around kind->read.dot, and result number kind->first; c->left is set where the kind is the first one. */
TccStatus *nvptx_kind_read(NvptxContract *c, NvptxKind *kind, NvptxProduct *out) TCC_CHECKED;
/* contract_kinds.c: the kinds behind the first one, and the members of all: sets what of c->product, which is the first kind's, is about them. */
TccStatus *nvptx_kinds_read(NvptxContract *c) TCC_CHECKED;
/* Whether kernels of one product each may be kinds of one. */
bool nvptx_kinds_are_beside(const NvptxContract *a, const NvptxContract *b);
/* The tensor maps of members behind that of the first. */
void nvptx_kinds_maps(const NvptxContract *c, TccTensorMap *maps, int *nmaps);
/* Where kinds are several: the address of an element of the block's right operand, whose indices in each kind `place` sets. */
TccVal nvptx_kinds_address(NvptxContract *c, void (*place)(NvptxContract *c, NvptxKind *kind, TccVal batch, TccVal at, TccVal k),
                           TccVal batch, TccVal at, TccVal k);
#endif
