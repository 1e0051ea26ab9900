/* map_boxes.h - copies of boxes of vectors: what joins images in blocks of channels, or takes some of their channels. */
#ifndef TCC_CODEGEN_MAP_BOXES_H
#define TCC_CODEGEN_MAP_BOXES_H
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/read/map_nests.h"

typedef struct {
  TCC_VEC(int64_t) table; /* what the routine walks */
  int64_t tiles;
} TccMapBoxes;

/* Whether all that a nest does is to copy boxes: rows of one vector of 32-bit elements, each part of which is an operand's or 0. The table is in arena. */
bool tcc_map_boxes_read(TccArena *arena, const TccMapNest *nest, int lanes, TccMapBoxes *out);
/* The routine that copies them, the same for all kernels; it is written before the kernel that calls it. */
void tcc_map_boxes_routine(TccEmit *e, TccIr *ir, int lanes);
void tcc_map_boxes_call(TccKernelEmit *k, const TccKernelEntry *entry, const TccMapBoxes *boxes);
#endif
