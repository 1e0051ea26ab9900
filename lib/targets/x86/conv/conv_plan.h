/* conv_plan.h - sizes of tiles and blocks of a convolution on blocked channels.
 *
 * The pass that blocks the channels and the emitter ask the same heuristic: the pass for the width of a panel of weights, the
 * emitter for all the rest. The register tile is `pixels` neighbours of one output row x `vectors` blocks of output
 * channels; of equal cost the wider wins. Sizes that are known at run time only stand here as they are likely to be
 * (tcc_ir_likely): a plan is right for all sizes, and good for those. */
#ifndef TCC_CODEGEN_CONV_PLAN_H
#define TCC_CODEGEN_CONV_PLAN_H
#include "tcc/codegen.h"

typedef struct {
  int lanes, registers;
  int64_t l2_bytes, memory_rate; /* of TccMachine */
  bool plain, depthwise;         /* x is [N, C, H, W]; one channel a group */
  bool bytes; /* x of ui8 and w of i8: a step of k has four channels, of one channel a group four columns, the sums are i32 */
  bool wide;  /* of bytes: x holds them in 16 bits, and a step of k has two channels */
  bool
      pairs; /* x and w of bf16: a step of k has two channels, the sums are f32; of one channel a group x alone, and a step has one */
  int joined; /* of words in tile registers: blocks of channels that follow each other in a row of a tile, of plain images 1; else 0 */
  bool dynamic;  /* in and out are likely sizes */
  bool line;     /* the result is known to have one row */
  bool in_place; /* plain, without padding: needs no copy */
  bool direct; /* joined, windows of one pixel of an image with channels last, which is one row then: tiles read it where it lies */
  int64_t channels, out_channels, groups; /* of all groups */
  int64_t phases;                         /* interleaved results of the window, each with all channels; 0 as 1 */
  int winograd;                           /* results of a tile along each side; 1 (or 0): direct */
  int64_t kernel[2], stride[2], pad[2], pad_end[2], dilation[2], in[2], out[2];
} TccConvShape;

enum {
  TCC_CONV_MANY_TILES = 32 /* threads that are not equally fast share them well */,
  TCC_CONV_FAR_PIXELS = 28 /* take longer than a line of weights from the third cache */
};

typedef struct {
  int pixels, vectors;
  bool even;                /* dynamic: tiles of a row are of two neighbouring sizes, the remainder tile being one pixel narrower */
  int remainder, most_rest; /* dynamic: pixels of the remainder tile; more pixels than this at the end of a row take a whole tile */
  int64_t high;             /* joined: output rows of a register tile, whole ones where they are several; else 1 */
  bool apart;     /* joined: each of several rows is a tile of its own, of as many pixels; else they follow each other in tiles */
  int64_t panels; /* of all phases */
  int64_t depth_blocks; /* blocks of input channels that one pass over a tile takes */
  int64_t rows;         /* output rows that are walked at once, at most */
  bool prefetch;        /* weights are beyond the second cache: prefetch the next block of them while one is in use */
  int64_t tile_rows;    /* output rows of a tile of work */
  bool tile_by_size;    /* these are of a likely size: the call has its own, by the same rule (tcc_conv_tiles) */
  bool by_panel;        /* a tile of work has one panel, else all of them */
  int64_t share;        /* of a single row: tiles of pixels in a tile of work; 0: all */
  /* Of a kernel, once its tensors are read: */
  int64_t ahead_lines;          /* of the next block of weights to prefetch every TCC_CONV_UNROLL steps; or 0 */
  int64_t prefetch_distance;    /* or those this many bytes behind the ones in use: a single tile reads them all; else 0 */
  int64_t copy_rows, copy_lead; /* plain: rows of the padded copy of one channel; padding before a row, in whole vectors */
  const TccExpr *copy_width;
} TccConvPlan;

void tcc_conv_machine(const TccMachine *machine, TccConvShape *shape); /* lanes, registers, cache */
/* conv_lowered.c: TccByteProducts.takes_conv. */
bool tcc_conv_is_lowered(const TccMachine *machine, TccIr *ir, MlirOperation conv);
/* Whether the machine's tiles take bytes, pairs of bf16. */
bool tcc_conv_takes_bytes(const TccMachine *machine);
/* Whether images of bytes are to be held in 16 bits: there is no vpdpbusd. */
bool tcc_conv_widens_bytes(const TccMachine *machine);
bool tcc_conv_takes_pairs(const TccMachine *machine);
/* Channels of x that stand in one word of 32 bits: 4 of bytes, 2 of bf16 and of bytes in 16 bits, else and of one channel a group 1. Whether that is more than one. */
int64_t tcc_conv_word(const TccConvShape *shape);
bool tcc_conv_has_words(const TccConvShape *shape);
/* Bytes of an element of x; of a word's weights. */
int64_t tcc_conv_elem_bytes(const TccConvShape *shape);
int64_t tcc_conv_word_bytes(const TccConvShape *shape);
/* Of one channel a group: bytes of a weight. */
int64_t tcc_conv_weight_bytes(const TccConvShape *shape);
/* Blocks of channels that a convolution of words is to join, whose other sizes are known; 0: it is not for tile registers. */
int tcc_conv_joined(const TccMachine *machine, const TccConvShape *shape);
/* Words of 32 bits that one pixel has of a block of channels, or of those that are joined; those are the steps of k there. Of plain images of words, whose
 * pixels are one or two words in the copy, those of a row of the window. Not of other plain images. */
int64_t tcc_conv_words(const TccConvShape *shape);
/* Of joined blocks: words of a pixel of the copy, and columns of the window that are taken one by one. */
int64_t tcc_conv_joined_pixel(const TccConvShape *shape);
int64_t tcc_conv_joined_columns(const TccConvShape *shape);
/* Steps of k in the last block of channels if it is not whole, else 0. Channels of bytes and of a copy behind the last one meet weights of 0. */
int64_t tcc_conv_rest(const TccConvShape *shape);
/* Blocks of input channels of a group, joined ones as one; of plain images their channels, of words one. */
int64_t tcc_conv_depth(const TccConvShape *shape);
int64_t tcc_conv_most_depth(const TccConvShape *shape); /* of those, in a pass whose sums are one chain */
/* Whether rows of the image are copied into scratch first. */
bool tcc_conv_copies(const TccConvShape *shape);
/* Pixels of a pair of tiles that an image of so many pixels consists of; 0: there is no such number. */
int64_t tcc_conv_direct_pixels(int64_t pixels);
/* Pixels of the image from one pixel of the copy to the next: windows of one pixel take what they read alone. Then windows are so far apart there. */
int64_t tcc_conv_copy_step(const TccConvShape *shape, int axis);
int64_t tcc_conv_copy_stride(const TccConvShape *shape, int axis);
/* Pixels of a row of the copy of joined blocks, whose width is known. */
int64_t tcc_conv_joined_pitch(const TccConvShape *shape);
/* vectors: 0, or what the weights were packed for. */
void tcc_conv_plan(const TccConvShape *shape, int vectors, TccConvPlan *out);
/* even, remainder and most_rest, for the plan's pixels and vectors. */
void tcc_conv_plan_rest(const TccConvShape *shape, TccConvPlan *plan);
/* share, for the plan's pixels and panels. */
void tcc_conv_plan_share(const TccConvShape *shape, TccConvPlan *plan);
/* Whether sums, and beside them what products and epilogues need, find registers. */
bool tcc_conv_tile_fits(const TccConvShape *shape, int64_t pixels, int64_t vectors);
/* Cycles of one step of k of a register tile; used: pixels that are computed, on average. */
double tcc_conv_step_cycles(const TccConvShape *shape, int pixels, int vectors, double used);
/* Panels of one phase, the last one as its share of a whole one's cycles. */
double tcc_conv_panels(const TccConvShape *shape, int pixels, int vectors, double used);
#endif
