/* product_dots.h - sums of products of four bytes as one instruction (dp4a, PTX ISA 9.7.1.23), on all chips. */
#ifndef TCC_NVPTX_PRODUCT_DOTS_H
#define TCC_NVPTX_PRODUCT_DOTS_H
#include "lib/codegen/emit/scalar.h"

enum { NVPTX_DOT_BYTES = 4 };
/* sum + the products of the bytes of two words (i32), which are i8 or u8 each. */
TccVal nvptx_dot(TccEmit *t, const TccElem *of, TccVal left, TccVal right, TccVal sum);
/* The word of four bytes (i8), the first one lowest. */
TccVal nvptx_dot_word(TccEmit *t, const TccVal *bytes);
/* Words of rows of four columns as words of columns. */
void nvptx_dot_turn(TccEmit *t, const TccVal *rows, TccVal *columns);
#endif
