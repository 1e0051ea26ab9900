/* conv_blocked.h - kernels around one conv_blocked: f32, channels in blocks of one vector; or bytes in the same blocks, whose strides and
 * weights are counted in words of four, and whose sums are i32.
 *
 * The driver (conv_blocked.c) walks tiles of work, panels, rows and tiles of pixels; a microkernel (conv_blocked_micro.c)
 * computes one tile of pixels, [pixels][vectors] accumulators, and applies the epilogue to them in registers. Where all of it is
 * machine code and the width is known, it does so for all tiles of a row. Padding takes
 * no branch and no copy: rows of the window outside the image are left out of the loop, a pixel that can lie outside in a
 * row reads through a zero-padded pointer. */
#ifndef TCC_CODEGEN_CONV_BLOCKED_H
#define TCC_CODEGEN_CONV_BLOCKED_H
#include "lib/codegen/emit/epilogue_emit.h"
#include "lib/targets/x86/conv/conv_plan.h"

enum { TCC_CONV_TENSORS = TCC_EPILOGUE_LEAVES + 1 };

typedef struct {
  const TccExpr *image, *block, *row;
  int64_t pixel, lane;
} TccConvStrides; /* in elements */

/* Tiles of `pixels` at first, first + pixels, ... < end; of a dynamic width: such a tile lies anywhere in the row. */
typedef struct {
  int pixels;
  int64_t first, end;
} TccConvGroup;

/* What is given, and what tcc_conv_blocked_read has read. */
typedef struct {
  TccIr *ir;
  MlirOperation op;
  bool unscheduled; /* given: the kernel's schedule is for other weights than these */
  /* given: a stage of several that go depth first (conv_depth_first.c) reads the stage before, ends with a value that the next one reads;
   * or null */
  bool stage, reads_stage;
  MlirValue end;
  TccConvShape shape;
  TccView x, w, bias;
  bool has_bias;
  int64_t phases[2];                        /* at: strides between neighbours of one phase */
  int64_t shift[2];                         /* windows of phases from this one on lie a pixel further on; 0: none */
  int64_t blocks, out_blocks;               /* of input channels of a group (plain: channels), of output channels */
  const TccExpr *in[2], *out[2];            /* shape's, as they are; out: of one phase */
  const TccExpr *x_image, *x_block, *x_row; /* strides of x */
  int64_t x_pixel;
  TccEpilogue epilogue;
  TccConvStrides at[TCC_CONV_TENSORS]; /* of the result, then of leaves */
  const TccExpr *images;
} TccConvBlockedProblem;

typedef struct {
  TccConvBlockedProblem read;
  TccConvPlan plan; /* chosen by tcc_conv_blocked_read, too */
  /* Being emitted: */
  TccKernelEmit *k;
  const char *vector;                 /* the type of one */
  bool runs;                          /* functions of tiles take as many that follow each other as they are told, else one */
  const char *finish;                 /* function with the epilogue of tiles whose sums are in memory; NULL: there is none yet */
  TccVal number[TCC_EPILOGUE_LEAVES]; /* in that function: addresses of leaves that are one number, which is loaded once; else 0 */
} TccConvBlocked;

/* What differs between layers of equal tiles is read from a table, so that they share a microkernel: in elements, the strides of x
 * from a block of channels to the next and from a row of the window to the next; the width of the image; the steps of k in the last
 * block of channels; from TCC_CONV_SIZE_BLOCKS on the strides from a block of channels to the next of the result and of each leaf.
 * Behind it a vector of zeros. */
enum {
  TCC_CONV_SIZE_X_BLOCK,
  TCC_CONV_SIZE_X_ROW,
  TCC_CONV_SIZE_WIDTH,
  TCC_CONV_SIZE_REST,
  TCC_CONV_SIZE_BLOCKS,
  TCC_CONV_SIZES = (TCC_CONV_SIZE_BLOCKS + TCC_CONV_TENSORS + 7) / 8 * 8
};

/* mk(x, w, start, sums, t0, t1, column, depth, flags, prefetch, sizes, tiles, result, leaves ...): see conv_blocked_micro.c. */
TccStatus *tcc_conv_micro_emit(TccConvBlocked *c, const char *name, const TccConvGroup *group) TCC_CHECKED;
/* The same function for whole rows, in machine code; false where LLVM must have a hand in it. Groups: at most TCC_CONV_ROW_GROUPS. */
bool tcc_conv_row_emit(TccConvBlocked *c, const char *name, const TccConvGroup *groups, int ngroups);
/* conv_epilogue.c: acc, a vector of results at `pixel` behind base, which has the address of the result and of each leaf at a first one,
 * goes through the epilogue into the result. */
TccStatus *tcc_conv_epilogue_emit(TccConvBlocked *c, const TccVal *base, int64_t pixel, TccVal acc) TCC_CHECKED;
/* The same of up to four neighbouring pixels from `pixel` on, whose bytes are one vector; whether the result is such bytes. */
enum { TCC_CONV_FOUR = 4 };
bool tcc_conv_epilogue_takes_four(const TccConvBlocked *c);
TccStatus *tcc_conv_epilogue_emit_four(TccConvBlocked *c, const TccVal *base, int64_t pixel, int count,
                                       const TccVal *acc) TCC_CHECKED;
/* The same of blocks first, first + 1, ... of one pixel of a result with channels last, where panels are whole. */
bool tcc_conv_epilogue_takes_blocks(const TccConvBlocked *c);
TccStatus *tcc_conv_epilogue_emit_blocks(TccConvBlocked *c, const TccVal *base, int first, const TccVal *acc) TCC_CHECKED;
/* Whether input column `offset` behind a tile's first can lie outside of the image for some tile of the group, at offsets up to `reach` on. */
bool tcc_conv_at_edge(const TccConvBlocked *c, const TccConvGroup *group, int64_t offset, int64_t reach);
/* conv_driver.c: the loops around tiles (conv_loops.c), and for a plain image the padded copy of it; conv_table.c: the sizes of this layer,
 * for the driver and the microkernels; the call. Functions "tile0" ... of all groups come before. */
void tcc_conv_driver_emit(TccConvBlocked *c);
TccVal tcc_conv_table_emit(const TccConvBlocked *c, const TccConvGroup *groups, int ngroups);
void tcc_conv_driver_call(TccConvBlocked *c, const TccKernelEntry *entry, TccVal table, int ngroups);
const TccExpr *tcc_conv_tiles(const TccConvBlocked *c);      /* of work, of an image and a panel */
const TccExpr *tcc_conv_sums_width(const TccConvBlocked *c); /* pixels of a row of sums that wait in scratch */
enum {
  TCC_CONV_GROUPS = 3,
  TCC_CONV_MICRO_ARGS = 12,
  TCC_CONV_UNROLL = 4,
  TCC_CONV_SUMS = 32,
  TCC_CONV_LINE = 16 /* floats */,
  TCC_CONV_ROW_GROUPS = 4,
  TCC_CONV_PREFETCH_BYTES = 2048 /* bytes: what comes while a line from the third cache is on its way */
};

/* All that is known of a kernel around c->op before it is emitted; c->ir, c->op and c->unscheduled are set, the rest is zero. */
TccStatus *tcc_conv_blocked_read(TccConvBlocked *c, const TccMachine *machine, MlirOperation kernel) TCC_CHECKED;
/* The functions of all tiles, of these names; groups: room for TCC_CONV_GROUPS, as the driver sees them. */
TccStatus *tcc_conv_tiles_emit(TccConvBlocked *c, const char *const *names, TccConvGroup *groups, int *ngroups) TCC_CHECKED;
void tcc_conv_copy_emit(TccConvBlocked *c);                     /* function "copy" of a plain image */
TccVal tcc_conv_bias_emit(TccConvBlocked *c);                   /* its address, or that of zeros */
const TccExpr *tcc_conv_scratch_bytes(const TccConvBlocked *c); /* of a thread, over "$slot" symbols */
extern const char *const tcc_conv_tile_names[TCC_CONV_GROUPS];
TccStatus *tcc_conv_blocked_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op,
                                 TccKernelCode *out) TCC_CHECKED;
#endif
