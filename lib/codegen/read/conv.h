/* conv.h - kernels around one conv or conv_transpose, any number of spatial axes, groups, dilations.
 *
 * A convolution is a contraction: rows are output channels, columns output positions, k runs over (channel, kernel position), one batch
 * entry is an image and a group. The left operand is the weights; the right one, the columns of the image, is nobody's tensor. */
#ifndef TCC_CODEGEN_READ_CONV_H
#define TCC_CODEGEN_READ_CONV_H
#include "lib/codegen/read/contract.h"

typedef struct {
  int rank; /* spatial axes */
  bool transposed;
  int64_t groups, in_channels, out_channels; /* channels of one group */
  int64_t kernel[TCC_MAX_RANK], stride[TCC_MAX_RANK], pad[TCC_MAX_RANK], pad_end[TCC_MAX_RANK], dilation[TCC_MAX_RANK];
  const TccExpr *in[TCC_MAX_RANK], *out[TCC_MAX_RANK];
  TccView x;
  const TccExpr *image_stride, *channel_stride, *step[TCC_MAX_RANK]; /* of x, in elements */
} TccConv;

/* Reads the kernel's conv or conv_transpose, its window into *v and all else into *c (a: the weights; has_b is false).
 * TCC_UNSUPPORTED if weights are dynamic or views do not line up. */
TccStatus *tcc_conv_read(TccIr *ir, MlirOperation kernel, TccConv *v, TccContraction *c) TCC_CHECKED;
/* A 1x1 window with stride 1 and no padding does not see rows: all of the image becomes one axis, where it is dense. */
void tcc_conv_flatten(TccIr *ir, TccConv *v);
#endif
