/* product_tma.h - products of 16-bit floats and of bytes on sm_90a whose operands are copied by tensor maps: how a block is made up (product_tma.c). */
#ifndef TCC_NVPTX_PRODUCT_TMA_H
#define TCC_NVPTX_PRODUCT_TMA_H
#include "lib/targets/nvptx/product_tiles.h"

enum { NVPTX_TMA_ROW_BYTES = NVPTX_BOX_BYTES /* of a stage: a box */ };
static inline int nvptx_tma_depth(const NvptxProduct *p) { return nvptx_box_columns(p->elem); } /* of a stage */

/* The text of assembler by which a warpgroup adds all steps of a tile to its sums (product_tma_text.c): results are the sums; operands are the
 * first stage and its parity, the number of steps (i32), descriptors of both tiles of stage 0 (i64), the addresses in shared memory of the
 * barriers "full", and of those "empty" to which this lane tells (i32), and whether it tells (i1). */
void nvptx_tma_text(TccArena *arena, const NvptxTmaShape *shape, const NvptxProduct *p, const char **out_text,
                    const char **out_constraints, const char **out_type);
#endif
