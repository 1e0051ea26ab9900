/* linalg_vectors.h - functions over vectors of doubles, compiled for each kind of machine and chosen at run time. */
#ifndef TCC_RUNTIME_LINALG_VECTORS_H
#define TCC_RUNTIME_LINALG_VECTORS_H
#include "linalg.h"

enum { LANES = 8, WIDTH = 2 * LANES };
typedef double Lanes __attribute__((vector_size(8 * LANES)));

#define INLINE static inline __attribute__((always_inline))
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))

static inline bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
static inline bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/* Defines tcc_linalg_NAME, which is NAME_with of the machine that it runs on. */
#define FOR_MACHINES(result, name, parameters, arguments)                                                                          \
  static result name##_any parameters { return name##_with arguments; }                                                            \
  AVX2 static result name##_avx2 parameters { return name##_with arguments; }                                                      \
  AVX512 static result name##_avx512 parameters { return name##_with arguments; }                                                  \
  result tcc_linalg_##name parameters {                                                                                            \
    return has_avx512() ? name##_avx512 arguments : has_avx2() ? name##_avx2 arguments : name##_any arguments;                     \
  }

INLINE double sum_of(Lanes x) {
  double total = 0;
  for (int lane = 0; lane < LANES; lane++) total += x[lane];
  return total;
}
#endif
