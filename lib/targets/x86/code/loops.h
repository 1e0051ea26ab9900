/* loops.h - functions that are compiled with tcc and whose machine code is copied into artifacts.
 *
 * Such a function has a section of its own, in which everything that it calls is inlined: nothing in it may need a relocation
 * (calls of other functions, tables, strings), and it may not count on any instruction that some x86-64 machine lacks. How it is
 * compiled is written in CMakeLists.txt; test/targets/x86/codegen/loops.mlir looks at its code for calls that leave it. */
#ifndef TCC_CODEGEN_LOOPS_H
#define TCC_CODEGEN_LOOPS_H
#include "tcc/base.h"

#define TCC_LOOPS_INLINE __attribute__((always_inline)) static inline
#define TCC_LOOPS_CODE(name) __attribute__((noinline, used, section(name)))
/* Defines TccStr NAME(void): the machine code of `function`, which stands alone in the section NAME. The linker gives its end. */
#define TCC_LOOPS_BYTES(name, function)                                                                                            \
  extern const char __stop_##name[] __attribute__((visibility("hidden")));                                                         \
  TccStr name##_code(void) {                                                                                                       \
    const char *begin = (const char *)(uintptr_t)function;                                                                         \
    return (TccStr){begin, (size_t)(__stop_##name - begin)};                                                                       \
  }

TccStr tcc_conv_loops_code(void);       /* conv_loops.c */
TccStr tcc_conv_depth_first_code(void); /* the same file */
TccStr tcc_winograd_loops_code(void);   /* conv_winograd_loops.c */
#endif
