/* machine.h - which x86 machine code is made for. */
#ifndef TCC_X86_MACHINE_H
#define TCC_X86_MACHINE_H
#include "tcc/codegen.h"

/* text: a machine by name, "avx2", "avx512", or an LLVM CPU name such as "haswell", "skylake-avx512", "znver4", "x86-64-v3"; without one
 * this machine, with LLVM's host CPU and features, of which those count that the loader counts, and cache sizes by cpuid. Behind it, or
 * alone, sizes: "skylake-avx512,l1=48K,l2=2M,l3=32M,cores=4"; K, M and G are powers of 1024. "tiles=llvm" among
 * them: tiles are no machine code of our own. "isa=avx2": what is emitted for AVX-512's vectors is lowered to AVX2, so that machines
 * without AVX-512 can test it; its bf16, VNNI and AMX are left out, and tiles are LLVM's. TCC_INVALID: neither. */
TccStatus *tcc_x86_machine(TccStr text, TccMachine *out) TCC_CHECKED;
#endif
