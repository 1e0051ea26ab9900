/* product.h - the innermost loop of products as machine code: sums[row][vector] += a[row][k] * b[k][vector], for a run of k.
 *
 * Convolutions and contractions share it. A tile of 7 x 4, 14 x 2 or 8 x 3 vectors fills most registers with sums, and what
 * is left is enough only if nothing is loaded early: LLVM's scheduler loads early and then spills sums inside of the loop
 * (a fifth of the speed of a dense convolution). So this loop says itself which register holds what: as many vectors of b as
 * fit beside a broadcast of a are loaded, the others are read from memory by their multiply-adds. The order is that of
 * oneDNN's brgemm kernels. Sum [row][vector] is vector register row * vectors + vector; those behind are free. */
#ifndef TCC_CODEGEN_PRODUCT_H
#define TCC_CODEGEN_PRODUCT_H
#include "lib/targets/x86/code/x86_code.h"

enum { TCC_PRODUCT_SUMS = 32, TCC_PRODUCT_POINTERS = 11 };

typedef struct {
  int rows, vectors, registers;
  TccX86Vector broadcast, multiply;
  bool apart;             /* `multiply` does not add: its products go through a register and vpaddd */
  bool widens;            /* b is signed bytes, which become 16 bits as they are loaded; all are held */
  int unroll;             /* steps in an iteration of the loop */
  bool once;              /* there is one iteration, whatever `bytes` says: no loop */
  int64_t a_step, b_step; /* bytes from a step to the next; b_step: at least vectors whole vectors, with `widens` halves */
  int npointers, pointer[TCC_PRODUCT_SUMS]; /* of a row: which of a */
  int64_t offset[TCC_PRODUCT_SUMS];         /* of a row behind its pointer, in bytes */
  bool folds; /* some rows by multiply-adds that repeat the element themselves: fewer instructions, more loads */
  int each,
      each_step; /* lines that each step prefetches at `prefetch`, which moves by register each_step then; no `lines` beside them */
  int lines;     /* prefetched into the second cache each iteration, from `prefetch` on */
  int64_t prefetch_rate, prefetch_stride; /* stride not 0: from prefetch + ((bytes taken so far * rate) >> 16) * stride instead */
  /* General registers. b, prefetch and a single a are moved on; taken and scratch (with prefetch_stride) are overwritten. */
  int a[TCC_PRODUCT_POINTERS], b, prefetch, taken, scratch;
  int bytes; /* of a row that are taken: a multiple of unroll * a_step; may be 0 */
} TccProduct;

/* Whether there are registers for it: the tile, a vector of b, a broadcast; and displacements are within reach. */
bool tcc_product_fits(const TccProduct *product);
void tcc_product_emit(TccX86 *x, const TccProduct *product);
/* Clears the sums. */
void tcc_product_clear(TccX86 *x, int sums);
#endif
