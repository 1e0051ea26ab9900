/* conv_winograd.h - 3x3 convolutions on blocked channels with fewer multiplications.
 *
 * Winograd's minimal filtering (Lavin and Gray, Fast algorithms for convolutional neural networks, CVPR 2016): m x m outputs
 * take A' ((G g G') . (B' d B)) A, where d is the (m + 2) x (m + 2) tile of inputs that they see, so that 9 m^2 multiplications
 * become (m + 2)^2. With all channels, each of the (m + 2)^2 positions of a tile is a product [tiles, channels] x [channels,
 * output channels]. Weights G g G' are made once, when the model is loaded (lib/targets/x86/passes/winograd.c, lib/runtime/winograd.c); nothing
 * else is materialised: a kernel takes a group of tiles whose transformed inputs stay in the second cache, does the products
 * panel by panel, and brings each panel's sums back through the epilogue.
 *
 * A tile is the m x m outputs and what they read. Scratch of a thread, in floats, S = (m + 2)^2, T = tiles
 * of a product's register tile, L = lanes, V = vectors of a panel:
 *   inputs [S][chunks of T tiles][blocks of channels][T][L]      sums [chunks][V][S][T][L]
 * Sums of tiles past the end are computed of whatever lies there, and never read. */
#ifndef TCC_CODEGEN_CONV_WINOGRAD_H
#define TCC_CODEGEN_CONV_WINOGRAD_H
#include "lib/targets/x86/conv/conv_blocked.h"
#include "lib/targets/x86/conv/conv_winograd_linear.h"
#include "tcc/winograd.h"

enum {
  TCC_WINOGRAD_GROUP = 1024 /* tiles */,
  TCC_WINOGRAD_GROUPS_TO_SHARE = 4 /* tiles of work, at least: threads are not equally fast */
};

typedef struct {
  int m;                 /* outputs of a tile along each side; 1: none of this */
  int tiles, vectors;    /* register tile of a product */
  int64_t panels;        /* of V vectors of output channels */
  int64_t high, wide;    /* tiles of an image */
  int64_t rows, columns; /* of tiles: a group is `rows` rows of `columns` tiles; several rows only if they are whole */
  int64_t parts;         /* tiles of work of a group, which share its panels */
  int prefetch;          /* lines of the next position's weights that a product prefetches in an iteration of its loop */
} TccWinogradPlan;

/* Whether the window can be computed so: 3x3, stride and dilation 1, one group, whole blocks of input channels. */
bool tcc_winograd_fits(const TccConvShape *shape);
/* m = 0: what costs least, m = 1 among it. vectors: 0, or what the weights are packed for. images: -1 if dynamic. */
void tcc_winograd_plan(const TccConvShape *shape, int64_t images, int m, int vectors, TccWinogradPlan *out);
/* Lines that a product prefetches in an iteration of its loop where weights are beyond the second cache, else 0. */
int tcc_winograd_prefetch(const TccConvShape *shape, const TccWinogradPlan *plan);
/* Floats of scratch; plan with its rows and columns. */
int64_t tcc_winograd_scratch(const TccConvShape *shape, const TccWinogradPlan *plan);
/* Cycles on one thread; their scale is rough. */
double tcc_winograd_cycles(const TccConvShape *shape, int64_t images, const TccWinogradPlan *plan);

/* What the functions below read of a layer's table, in elements, and what the driver reads (conv_winograd.c). */
enum {
  TCC_WINOGRAD_X_ROW,
  TCC_WINOGRAD_X_BLOCK,
  TCC_WINOGRAD_IN_H,
  TCC_WINOGRAD_IN_W,
  TCC_WINOGRAD_BLOCKS,
  TCC_WINOGRAD_CHUNK,
  TCC_WINOGRAD_POSITION /* of inputs */,
  TCC_WINOGRAD_OUT_H,
  TCC_WINOGRAD_OUT_W,
  TCC_WINOGRAD_TENSORS /* block, row of each */,
  TCC_WINOGRAD_SIZES = (TCC_WINOGRAD_TENSORS + 2 * TCC_CONV_TENSORS + 7) / 8 * 8
};
enum { TCC_WINOGRAD_INPUT_ARGS = 7, TCC_WINOGRAD_PRODUCT_ARGS = 5, TCC_WINOGRAD_OUTPUT_ARGS = 8 };

typedef struct {
  TccConvBlocked conv;
  TccWinogradPlan plan;
} TccWinograd;

/* conv_winograd_code.c, conv_winograd_output.c. Functions of the kernel:
 *   input(x of an image, inputs at a row's first tile, its place in a chunk, first image row, first image column, tiles, table)
 *   product(inputs at a position, weights, sums at the position, chunks, table)
 *   output(sums at a row's first tile, its place in a chunk, tiles, vectors, bias, first image row, first image column, table,
 *          the result's and each leaf's address there ...) */
void tcc_winograd_input_emit(TccWinograd *w, const char *name);
bool tcc_winograd_product_emit(TccWinograd *w, const char *name); /* false: the register tile does not fit */
TccStatus *tcc_winograd_output_emit(TccWinograd *w, const char *name) TCC_CHECKED;
bool tcc_winograd_output_code(TccWinograd *w, const char *name); /* the same as machine code; false: the epilogue needs LLVM */
/* conv_winograd_llvm.c: the first two in the LLVM dialect. */
void tcc_winograd_input_llvm(TccWinograd *w, const char *name);
void tcc_winograd_product_llvm(TccWinograd *w, const char *name);
/* For both in the LLVM dialect: the steps on vectors of `type`. */
void tcc_winograd_combine(TccEmit *e, const char *type, const TccWinogradSteps *steps, const TccVal *in, TccVal *out);
/* Where the next tile of a row stands: the next place of the chunk, or the first one of the next chunk, `chunk` elements behind it. */
void tcc_winograd_advance(const TccWinograd *w, TccVal chunk, TccVal *at, TccVal *place);

/* conv_winograd.c: a kernel around a conv_blocked with winograd > 1. */
TccStatus *tcc_winograd_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op,
                             TccKernelCode *out) TCC_CHECKED;
#endif
