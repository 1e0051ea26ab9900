/* conv_table.h - the sizes of one layer that the loops of blocked convolutions read (conv_loops.c), behind those of the
 * microkernels and their zeros (conv_blocked.h). Strides of x (of bytes and bf16 in words, of a plain image of them in bytes) and of weights are in elements, of other tensors in bytes. */
#ifndef TCC_CODEGEN_CONV_TABLE_H
#define TCC_CODEGEN_CONV_TABLE_H
#include "lib/targets/x86/conv/conv_blocked.h"

enum { TCC_CONV_ZEROS = 8 /* words */, TCC_CONV_DRIVER = TCC_CONV_SIZES + TCC_CONV_ZEROS /* where the driver's begin */ };
enum {
  HEIGHT /* tiles of work of an image */,
  TILE_ROWS,
  OUT_H,
  BY_PANEL,
  PANELS,
  ROWS,
  DEPTH_BLOCKS,
  BLOCKS,
  PANELS_OF_GROUP,
  BLOCKS_OF_GROUP,
  W_PANEL,
  W_BLOCK,
  PANELS_OF_PHASE,
  PHASES_W,
  SHIFT_H, /* the first phase whose window lies a row further on, or as many as there are */
  SHIFT_W,
  BIAS_PANEL,
  VECTORS,
  OUT_BLOCKS,
  X_IMAGE,
  X_BLOCK,
  X_ROW,
  X_PIXEL,
  STRIDE_H,
  STRIDE_W,
  PAD_H,
  PAD_W,
  IN_H,
  KERNEL_H,
  DILATION_H,
  WHOLE,
  COLUMNS,
  WIDTH,
  SUMS_WIDTH,
  PREFETCH_ROW,
  PREFETCH_TILE,
  COPIES,   /* TCC_CONV_...: how rows of the image go into scratch */
  SHARE,    /* of a single row: tiles of pixels in a tile of work; else 0 */
  DYNAMIC,  /* TCC_CONV_FIXED ...: how a row's width is cut into tiles */
  RUNS,     /* functions of tiles take several that follow each other */
  NTENSORS, /* which loops there are; tensors that tiles are given, the result first */
  CHANNELS, /* or blocks, of which JOINED stand side by side in the copy */
  JOINED,
  COPY_WIDTH, /* pixels of a row of the copy */
  COPY_STEP_H,
  COPY_STEP_W,
  TILE_HIGH, /* rows of the result of a register tile */
  COPY_ROWS,
  COPY_BLOCK,
  COPY_ROW,
  COPY_PIXEL, /* joined blocks of bytes: vectors of 16 from a pixel of the image to the next */
  COPY_REST,  /* of joined blocks of bf16: channels of the last block, 0: the last joined block is whole */
  COPY_LEAD,  /* plain: the image that is copied, and whole vectors of padding before its rows */
  END,
  PIXELS = END + TCC_CONV_GROUPS,
  MOST_REST = PIXELS + TCC_CONV_GROUPS,
  TENSORS
};
/* TCC_CONV_FOURS, TCC_CONV_PAIRS: of a plain image of bytes, of bf16, whose pixels become words. */
enum { TCC_CONV_NO_COPY, TCC_CONV_PLAIN, TCC_CONV_JOINED, TCC_CONV_JOINED_PAIRS, TCC_CONV_FOURS, TCC_CONV_PAIRS };
/* Of a width that is known; whole tiles and a rest; tiles of two neighbouring sizes. */
enum { TCC_CONV_FIXED, TCC_CONV_RESTS, TCC_CONV_EVEN };
enum { T_IMAGE, T_PANEL, T_ROW, T_PIXEL, T_PHASE_ROW, T_PHASE_PIXEL, T_COUNT }; /* of each tensor */
/* Copies rows of a plain image from image row `first` on into scratch, with padding. */
typedef void TccConvCopy(float *to, const float *from, int64_t first, const int64_t *table);
enum { DRIVER_SIZES = TENSORS + T_COUNT * TCC_CONV_TENSORS };

/* Of convolutions that go depth first (conv_depth_first.c): how many there are, rows of the last one's result in a strip, strips of an
 * image; then of each the buffer of its result, in rows, floats of a row, floats of scratch before it, and where its own scratch begins. */
enum { TCC_CONV_STAGES = 4, STRIP_OF = 0, STRIP_STEP, STRIP_HIGH, STRIP_STAGES };
enum { STRIP_ROWS, STRIP_ROW, STRIP_BUFFER, STRIP_SCRATCH, STRIP_COUNT };
#endif
