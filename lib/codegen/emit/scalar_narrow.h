/* scalar_narrow.h - values below 16 bits that no machine computes with: floats of 8 and 4 bits, integers of 4 and 2.
 *
 * They travel in i8: floats as their bits, integers with their sign or zeros above. */
#ifndef TCC_CODEGEN_SCALAR_NARROW_H
#define TCC_CODEGEN_SCALAR_NARROW_H
#include "lib/codegen/emit/emit.h"
#include "tcc/elem.h"

bool tcc_narrow_is_float(TccElem elem);
TccVal tcc_narrow_to_f32(TccEmit *e, TccElem from, int lanes, TccVal v);
/* To nearest even, f8E8M0FNU upwards; beyond the largest number as tcc_small_float_store. */
TccVal tcc_narrow_from_f32(TccEmit *e, TccElem to, bool saturate, int lanes, TccVal v);
/* The low bits of i8 lanes as an element in flight: those above are its sign or zero; of wider types v. */
TccVal tcc_narrow_wrap(TccEmit *e, TccElem elem, int lanes, TccVal v);
#endif
