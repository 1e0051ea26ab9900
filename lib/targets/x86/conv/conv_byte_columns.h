/* conv_byte_columns.h - sums of convolutions of bytes with one channel a group. */
#ifndef TCC_CODEGEN_CONV_BYTE_COLUMNS_H
#define TCC_CODEGEN_CONV_BYTE_COLUMNS_H
#include "lib/targets/x86/conv/conv_blocked.h"

/* In the open function of a tile, whose arguments these are (conv_blocked_micro.c); out: a vector of i32 for each pixel of the group. */
void tcc_conv_byte_columns_sums(TccConvBlocked *c, const TccConvGroup *group, const TccVal *arguments, TccVal *out);
#endif
