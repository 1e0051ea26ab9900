/* scalar_lookup.h - functions of whole AVX-512 registers that use what AVX-512 alone has: tables in a register, vscalef. */
#ifndef TCC_CODEGEN_SCALAR_LOOKUP_H
#define TCC_CODEGEN_SCALAR_LOOKUP_H
#include "lib/codegen/emit/emit.h"

/* Whether `type` is one register of f32: emitters make vectors of 16 lanes for machines with AVX-512 alone. */
bool tcc_lookup_fits(const char *type);
/* row[segment] of each lane, of 16 values; only the low four bits of a segment (i32 lanes) count. */
TccVal tcc_lookup_16(TccEmit *e, const float *row, TccVal segment);
TccVal tcc_lookup_erf(TccEmit *e, TccVal x);
TccVal tcc_lookup_tanh(TccEmit *e, TccVal x);
/* 2^x to about 2 ULP, 0 below 2^least: -150, or -100 for what only adds to a sum of at least 1. NaN stays, 2^-inf is 0. */
TccVal tcc_lookup_exp2(TccEmit *e, TccVal x, double least);
/* p 2^floor(n) in lanes that `keep` (i1) has on, 0 in others; type: one register of f32 or f64. */
TccVal tcc_lookup_scale(TccEmit *e, const char *type, TccVal p, TccVal n, TccVal keep);
#endif
