/* block_layout_lines.h - convolutions of f32 whose weights stay, as block_layout_lines.c and block_layout_taps.c read them. */
#ifndef TCC_X86_BLOCK_LAYOUT_LINES_H
#define TCC_X86_BLOCK_LAYOUT_LINES_H
#include "lib/targets/x86/passes/block_layout/block_layout.h"

typedef struct {
  TccIr *ir;
  const TccInit *init;
  int64_t lanes;
  bool direct;
} TccLines;

typedef struct {
  MlirOperation op;
  MlirValue x, w, bias;
  int rank;
  int64_t groups, channels, out_channels, kernel[2], strides[2], dilations[2], pads[4]; /* of rank 3: second ones */
  const TccExpr *in[2], *out[2];
} TccLinesConv;

/* Puts value, perhaps of a type that is written otherwise, in the place of the convolution. */
bool tcc_lines_replace(TccBuilder *b, const TccLinesConv *c, MlirValue value);

/* ---- block_layout_taps.c ---- */
bool tcc_lines_goes_by_taps(const TccLines *l, const TccLinesConv *c);
bool tcc_lines_by_taps(TccLines *l, const TccLinesConv *c);
#endif
