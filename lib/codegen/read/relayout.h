/* relayout.h - kernels that only move elements, as the table of strides that lib/runtime/relayout.c walks.
 *
 * What a model does with a weight before its kernels read it (transposing, padding with zeros, cutting into panels) runs once,
 * at the speed of memory whoever does it: code made for each shape would cost far more time than the work itself. */
#ifndef TCC_CODEGEN_RELAYOUT_H
#define TCC_CODEGEN_RELAYOUT_H
#include "tcc/codegen.h"

enum {
  TCC_RELAYOUT_DIMS = 12,
  TCC_RELAYOUT_BOUNDS = 8,
  TCC_RELAYOUT_SIZES = TCC_RELAYOUT_HEAD + TCC_RELAYOUT_DIMS * 2 + TCC_RELAYOUT_BOUNDS * (3 + TCC_RELAYOUT_DIMS)
};

/* The arguments `sizes` of the builtin "relayout" (abi.h) and the number of its tiles. */
typedef struct {
  int64_t sizes[TCC_RELAYOUT_SIZES];
  size_t nsizes;
  int64_t tiles;
} TccRelayout;

/* Whether the kernel is a chain of views and paddings with zeros of its only argument, all sizes known, elements whole bytes
 * that stay as they are. Reads the IR only; scratch is in ir->arena. */
bool tcc_relayout_read(TccIr *ir, MlirOperation kernel, TccRelayout *out);
/* Whether it turns the weights of a convolution, [outputs, inputs, KH, KW] in whatever shape, into panels [P, B, KH, KW, L, V * L] of
 * all inputs, output channels that the weights lack being zeros. */
bool tcc_relayout_makes_panels(TccIr *ir, MlirOperation kernel, int64_t *outputs);
#endif
