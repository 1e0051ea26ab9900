/* quad.h - squares of four rows by four columns of floats, transposed in registers. */
#ifndef TCC_RUNTIME_QUAD_H
#define TCC_RUNTIME_QUAD_H
#include <stdint.h>
#include <string.h>

typedef float TccQuad __attribute__((vector_size(16)));

static inline TccQuad tcc_quad_load(const float *p) {
  TccQuad v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* Rows x[0] ... x[3] become columns of rows to, to + p, to + 2p, to + 3p. */
static inline void tcc_quad_transpose(const float *const x[4], float *to, int64_t p) {
  TccQuad a0 = tcc_quad_load(x[0]), a1 = tcc_quad_load(x[1]), a2 = tcc_quad_load(x[2]), a3 = tcc_quad_load(x[3]);
  TccQuad l01 = __builtin_shufflevector(a0, a1, 0, 4, 1, 5), h01 = __builtin_shufflevector(a0, a1, 2, 6, 3, 7);
  TccQuad l23 = __builtin_shufflevector(a2, a3, 0, 4, 1, 5), h23 = __builtin_shufflevector(a2, a3, 2, 6, 3, 7);
  TccQuad out[4] = {__builtin_shufflevector(l01, l23, 0, 1, 4, 5), __builtin_shufflevector(l01, l23, 2, 3, 6, 7),
                    __builtin_shufflevector(h01, h23, 0, 1, 4, 5), __builtin_shufflevector(h01, h23, 2, 3, 6, 7)};
  for (int i = 0; i < 4; i++) memcpy(to + i * p, &out[i], sizeof out[i]);
}
#endif
