/* conv_winograd_table.h - the sizes of one layer that the loops of Winograd convolutions read (conv_winograd_loops.c). */
#ifndef TCC_CODEGEN_CONV_WINOGRAD_TABLE_H
#define TCC_CODEGEN_CONV_WINOGRAD_TABLE_H
#include "lib/targets/x86/conv/conv_winograd.h"

/* Behind the sizes that the steps read and a vector of zeros; of each tensor: image, panel, row of tiles, column of a tile, in bytes. */
enum {
  M,
  SIDE,
  TILES,
  LANES,
  PANELS,
  PARTS,
  PANELS_OF_PART,
  HIGH,
  WIDE,
  ROWS,
  COLUMNS,
  SEGMENTS,
  X_IMAGE,
  PAD_H,
  PAD_W,
  VECTORS,
  OUT_BLOCKS,
  POSITION,
  SUM_CHUNK,
  SUMS,
  W_POSITION,
  BIAS_PANEL,
  NTENSORS,
  TENSORS
};
enum { T_IMAGE, T_PANEL, T_ROW, T_PIXEL, T_COUNT };
enum { DRIVER_SIZES = TENSORS + T_COUNT * TCC_CONV_TENSORS };
#endif
