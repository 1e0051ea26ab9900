/* conv_tile_registers.h - tiles of convolutions of bytes and of bf16 whose sums are in AMX tile registers.
 *
 * The image's rows were copied: each pixel has the joined blocks of its channels one behind the other (conv_loops.c), 64 bytes of a tile's
 * row. Weights stand as tiles want them: [panels, blocks, KH, KW, words, V * L, 4 or 2]. The emitter owns all eight registers and names them
 * itself: four of sums, two of pixels, two of weights in turns. A kernel configures them before its first tile. */
#ifndef TCC_CODEGEN_CONV_TILE_REGISTERS_H
#define TCC_CODEGEN_CONV_TILE_REGISTERS_H
#include "lib/targets/x86/conv/conv_blocked.h"

/* Rows of sums from a row of so many pixels of the result to the next one. */
int64_t tcc_conv_tile_registers_pitch(const TccConvBlocked *c, int pixels);
/* Rows of tiles of pixels for tiles of all groups. */
int tcc_conv_tile_registers_rows(const TccConvBlocked *c, const TccConvGroup *groups, int ngroups);
void tcc_conv_tile_registers_begin(TccEmit *e, const TccConvShape *shape, int rows);
/* Numbers of 32 bits that the function writes to its sums. */
int64_t tcc_conv_tile_registers_sums(const TccConvBlocked *c, const TccConvGroup *group);
/* Function `name`, whose arguments are those of a tile (conv_blocked_micro.c) without the result and leaves: sums go to the place of sums. */
void tcc_conv_tile_registers_emit(TccConvBlocked *c, const char *name, const TccConvGroup *group);
#endif
