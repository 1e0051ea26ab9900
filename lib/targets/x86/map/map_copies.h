/* map_copies.h - copies of rows of whole vectors from and to any places: heads that are taken apart, windows, patches. */
#ifndef TCC_CODEGEN_MAP_COPIES_H
#define TCC_CODEGEN_MAP_COPIES_H
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/read/map_nests.h"

enum { TCC_MAP_COPIES_OUTER = 4 }; /* dims around a run of rows */

typedef struct {
  int64_t tiles;
  int64_t table[9 + 3 * TCC_MAP_COPIES_OUTER]; /* what the routine walks */
} TccMapCopies;

/* Whether all that a nest does is to copy rows of whole vectors of 32-bit elements, few enough not to be prefetched. */
bool tcc_map_copies_read(const TccMapNest *nest, int lanes, TccMapCopies *out);
/* The routine that copies them, the same for all kernels; it is written before the kernel that calls it. */
void tcc_map_copies_routine(TccEmit *e, TccIr *ir, int lanes);
void tcc_map_copies_call(TccKernelEmit *k, const TccKernelEntry *entry, const TccMapCopies *copies);
#endif
