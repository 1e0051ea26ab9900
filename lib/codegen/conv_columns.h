/* conv_columns.h - the multiply-adds of a tile of one vector of output channels over a plain image, as assembly. */
#ifndef TCC_CODEGEN_CONV_COLUMNS_H
#define TCC_CODEGEN_CONV_COLUMNS_H
#include "lib/codegen/emit.h"

typedef struct {
  int pixels, registers;
  const char *vector;          /* type of a sum */
  int64_t rows, columns;       /* of the window */
  int64_t stride, dilation;    /* along a row */
  TccVal channels;             /* at least one */
  TccVal row_bytes;            /* from a row of the window to the next, in x */
  TccVal rest_bytes;           /* from behind the last row of the window to the first one of the next channel */
} TccConvColumns;

bool tcc_conv_columns_fit(int pixels, int64_t columns, int registers);
/* sums[pixel] += x[column] * w[position], w: [channels][rows][columns][a vector]. */
void tcc_conv_columns_emit(TccEmit *e, const TccConvColumns *columns, TccVal *sums, TccVal x, TccVal w);
#endif
