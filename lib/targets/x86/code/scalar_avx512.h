/* scalar_avx512.h - functions of whole AVX-512 registers that use what AVX-512 alone has: tables in a register, vscalef. */
#ifndef TCC_X86_SCALAR_AVX512_H
#define TCC_X86_SCALAR_AVX512_H
#include "lib/codegen/emit/scalar.h"

/* Without AVX-512 none but how to store under masks: emitters make vectors of 16 lanes for machines with it alone. */
const TccScalarFunctions *tcc_x86_scalars(const TccMachine *machine);
/* The same for kernels of products of bf16, which take subnormal numbers for zero: so does the instruction that rounds to it. */
const TccScalarFunctions *tcc_x86_flushing_scalars(const TccMachine *machine);
#endif
