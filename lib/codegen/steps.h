/* steps.h - the innermost loop of products: sums[row][vector] += a[row][k] * b[k][vector], for a run of k, as assembly.
 *
 * Convolutions and contractions share it. A tile of 7 x 4, 14 x 2 or 8 x 3 vectors fills most registers with sums, and what
 * is left is enough only if nothing is loaded early: LLVM's scheduler loads early and then spills sums inside of the loop
 * (a fifth of the speed of a dense convolution). So this loop says itself which register holds what: sums are tied operands,
 * as many vectors of b as fit beside a broadcast of a are loaded, the others are read from memory by their multiply-adds.
 * It takes a tenth of the time that LLVM needs for the same loop. The order is that of oneDNN's brgemm kernels. */
#ifndef TCC_CODEGEN_STEPS_H
#define TCC_CODEGEN_STEPS_H
#include "lib/codegen/emit.h"

enum { TCC_STEPS_SUMS = 32, TCC_STEPS_POINTERS = 6 };

typedef struct {
  int rows, vectors, registers;
  const char *vector;                      /* type of a sum: "vector<16xf32>" */
  const char *broadcast, *multiply;        /* "vbroadcastss" of what one step takes of a row, "vfmadd231ps" */
  int unroll;                              /* steps in a turn of the loop */
  int64_t a_step, b_step;                  /* bytes from a step to the next; b_step: at least vectors whole vectors */
  int npointers, pointer[TCC_STEPS_SUMS];  /* of a row: which of a */
  int64_t offset[TCC_STEPS_SUMS];          /* of a row behind its pointer, in bytes */
  TccVal a[TCC_STEPS_SUMS];
  TccVal bytes;                            /* of a row that are taken: a multiple of unroll * a_step; may be 0 */
  int lines;                               /* fetched into the second cache each turn, from `ahead` on */
  int64_t ahead_rate, ahead_stride;        /* stride not 0: from ahead + ((bytes taken so far * rate) >> 16) * stride instead */
} TccSteps;

/* Whether there are registers for it: at most TCC_STEPS_POINTERS + 1 pointers, the tile, a vector of b and a broadcast. */
bool tcc_steps_fit(const TccSteps *steps);
/* sums [rows][vectors] and b are replaced by their values behind the loop; ahead: 0, or what to fetch meanwhile. */
void tcc_steps_emit(TccEmit *e, const TccSteps *steps, TccVal *sums, TccVal *b, TccVal ahead);
#endif
