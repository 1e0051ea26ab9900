/* map_nests.h - what a map kernel writes: its results by their shapes. */
#ifndef TCC_CODEGEN_MAP_NESTS_H
#define TCC_CODEGEN_MAP_NESTS_H
#include "lib/codegen/read/pull.h"

typedef struct {
  TccPullNode *root;
  TccPullIndex store; /* flat index */
  TccElem elem;
  int argument; /* of the kernel: results follow its operands */
} TccMapResult;

/* Results of one shape. One of them may lie where another one's operand does (memory-plan), so what all of them have at an index is computed
 * before any of it is stored. */
typedef struct {
  TccPull pull;
  TccMapResult *results;
  size_t count;
} TccMapNest;

/* The nests of a kernel, in the order of their first results, dims joined. In ir->arena. */
TccStatus *tcc_map_nests_read(TccIr *ir, MlirOperation kernel, TccMapNest **out, size_t *out_count) TCC_CHECKED;
/* The same of its first results, so many of them. */
TccStatus *tcc_map_nests_read_first(TccIr *ir, MlirOperation kernel, intptr_t results, TccMapNest **out,
                                    size_t *out_count) TCC_CHECKED;
#endif
