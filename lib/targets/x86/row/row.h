/* row.h - the emitter of rows. */
#ifndef TCC_X86_ROW_H
#define TCC_X86_ROW_H
#include "tcc/target.h"

TccEmitterFunction tcc_row_emit;
#endif
