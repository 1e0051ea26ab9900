/* conv_columns.h - the multiply-adds of a tile of one vector of output channels over a plain image, as machine code. */
#ifndef TCC_CODEGEN_CONV_COLUMNS_H
#define TCC_CODEGEN_CONV_COLUMNS_H
#include "lib/targets/x86/code/x86_code.h"

typedef struct {
  int pixels, registers;
  int64_t rows, columns;    /* of the window */
  int64_t stride, dilation; /* along a row */
  /* General registers. x, w and channels are overwritten. */
  int x, w;
  int channels;   /* at least one */
  int row_bytes;  /* from a row of the window to the next, in x */
  int rest_bytes; /* from behind the last row of the window to the first one of the next channel */
} TccConvColumns;

bool tcc_conv_columns_fit(int pixels, int64_t columns, int registers);
/* Sum of a pixel, in the vector register of its number, += x[column] * w[position]; w: [channels][rows][columns][a vector]. */
void tcc_conv_columns_emit(TccX86 *x, const TccConvColumns *columns);
#endif
