/* machine.h - which x86 machine code is made for. */
#ifndef TCC_X86_MACHINE_H
#define TCC_X86_MACHINE_H
#include "tcc/codegen.h"

/* This machine: LLVM's host CPU and features, cache sizes by cpuid. */
void tcc_x86_machine_host(TccMachine *out);
/* A named one: "avx2", "avx512", or an LLVM CPU name such as "haswell", "skylake-avx512", "znver4", "x86-64-v3". */
TccStatus *tcc_x86_machine_named(TccStr name, TccMachine *out) TCC_CHECKED;
#endif
