/* gemv_internal.h - what gemv.c reads from a kernel and gemv_emit.c writes code for. */
#ifndef TCC_CODEGEN_GEMV_INTERNAL_H
#define TCC_CODEGEN_GEMV_INTERNAL_H
#include "lib/codegen/emit/epilogue_emit.h"
#include "lib/codegen/emit/pull_emit.h"
#include "lib/codegen/read/gemv.h"
#include "lib/targets/x86/contract/micro.h"
#include "lib/targets/x86/gemv/gemv.h"

enum { TCC_GEMV_LINES = 16 }; /* side by side, at most: of bytes in integers; otherwise half as many */
/* Of every four tiles of the depth the last is cut into this many, so that no thread waits long for another's last one. */
enum { TCC_GEMV_LARGE = 3, TCC_GEMV_SMALL = 5, TCC_GEMV_GROUP = TCC_GEMV_LARGE + TCC_GEMV_SMALL };

enum { TCC_GEMV_VERSION = 10 }; /* of the emitter: part of the key of every record */

/* How products are formed: by what the machine has, and where the operand lies contiguous. Valid once tcc_gemv_read is true. */
typedef struct {
  TccMicroType type;
  int lanes;
  bool along_depth;          /* lanes run along the depth */
  int stream_bits;           /* of the narrowest element that is read once for each product */
  const TccPullNode *weight; /* the right operand, less the factors below */
  const TccPullNode *factor; /* or NULL: of each column, taken out of the operand: multiplies its sums */
  const TccPullNode
      *block_factor;        /* or NULL: along columns, of each column and block of the depth: multiplies the sums of the block */
  const TccPullNode *bytes; /* or NULL: the stored operand, if products are taken in integers (gemv_slices.c) */
  const TccPullNode *zero_point;  /* or NULL: subtracted from those numbers, the same for all, as f32 */
  const TccPullNode *block_scale; /* or NULL: along depth, then: of each column and block, multiplies it */
} TccGemvForm;

/* What tcc_gemv_plan or a schedule has chosen. */
typedef struct {
  int unroll;
  int64_t part,
      most_left; /* along columns: steps (or blocks) in each of the `unroll` parts of a tile that has as many; at most left over */
  bool ragged;   /* there are tiles of steps that are no multiple of `unroll` */
  int64_t tile, span; /* columns: of a tile; that one call of the loops takes at most, a multiple of it */
  int64_t depths,
      share;     /* tiles along the depth that are wanted, and the steps or blocks of each but the last; 1: tiles are columns */
  int64_t small; /* steps or blocks of the tiles that each fourth is cut into, but the last of them; 0: none is */
  int64_t tiles; /* of the command */
  int64_t lda, ldc, slot; /* strides of rows, of rows of sums, of slots of sums, in f32 */
} TccGemvPlan;

/* Its emission has no state but that of the functions being written. */
typedef struct {
  TccGemvProblem read;
  TccGemvForm form;
  TccGemvPlan plan;
  bool at_most; /* a call may have fewer rows than read.rows, as its sizes say: those that it lacks are zeros, and have no result */
} TccGemv;

/* False if the kernel has more than `most_rows` rows (-1: any number, also a dynamic one) or is otherwise not for this emitter. */
bool tcc_gemv_read(const TccMachine *machine, TccIr *ir, MlirOperation kernel, int64_t most_rows, TccGemv *g);
/* Steps, or blocks, of the whole depth. */
int64_t tcc_gemv_depth_size(const TccGemv *g);
/* The heuristic for unroll, tile and span; what follows from those three. */
void tcc_gemv_plan(const TccMachine *machine, TccGemv *g);
void tcc_gemv_finish(TccGemv *g);
/* Along the depth: columns between two that are read side by side. Each runs through a share of its own of the tile, so that prefetchers follow runs
 * of memory in as many pages; neighbours that share a page are read slower (bf16, 2816 columns of 2 KB, one thread of a Zen 4: 13 GB/s, so 21).
 * A tile that lacks columns has none to spare: 1. */
int64_t tcc_gemv_columns_apart(const TccGemv *g);
/* All emit an internal function that tcc_gemv_call calls. columns: adds to sums[row][column - from] the products of the
 * depth [begin, end), or along the depth stores those of all of it, for columns [from, to); rows are padded with zeros to
 * whole vectors, sums are written in whole vectors. clear: zeros. factor: times the factor of each column. merge: adds
 * the sums of all columns at `rows` to those at `sums`. */
TccStatus *tcc_gemv_emit_columns(TccKernelEmit *k, const char *name, const TccGemv *g) TCC_CHECKED;
TccStatus *tcc_gemv_emit_clear(TccKernelEmit *k, const char *name, const TccGemv *g) TCC_CHECKED;
TccStatus *tcc_gemv_emit_factor(TccKernelEmit *k, const char *name, const TccGemv *g) TCC_CHECKED;
void tcc_gemv_emit_merge(TccKernelEmit *k, const char *name, const TccGemv *g);
/* prefetch: asks for what factor and epilogue read and write; epilogue: what does so for the epilogue, or NULL. */
enum { TCC_GEMV_PREFETCH = 128 }; /* columns of each call of that */
void tcc_gemv_emit_prefetch(TccKernelEmit *k, const char *name, const char *epilogue, const TccGemv *g);
/* Of a function that a tile calls: a kernel may have them for several numbers of rows. */
const char *tcc_gemv_name(TccKernelEmit *k, const TccGemv *g, const char *name);
typedef struct {
  TccVal rows, sums, from, to, begin, end;
} TccGemvCall;
void tcc_gemv_call(TccKernelEmit *k, const char *name, const TccGemvCall *call);
/* What a kernel is made of: its functions, then the tiles [begin, end) of its entry; the scratch that they take. Where rows are `at_most`
 * their names end in the number of rows: a kernel has some for several numbers, and for many. */
TccStatus *tcc_gemv_emit_functions(TccKernelEmit *k, const TccGemv *g) TCC_CHECKED;
void tcc_gemv_emit_tiles(TccKernelEmit *k, const TccGemv *g, const TccKernelEntry *entry);
int64_t tcc_gemv_scratch_bytes(const TccGemv *g);
void tcc_gemv_prefetch(const TccGemv *g, TccPrefetch *out);
/* Number of the tile that begins at a step or block of the depth. */
TccVal tcc_gemv_tile_at(TccEmit *e, const TccGemv *g, TccVal begin);
/* Whether there are steps for the parts of a tile in [begin, end). */
TccVal tcc_gemv_has_parts(TccEmit *e, const TccGemv *g, TccVal begin, TccVal end);
/* Opens such a function: what it gets; k's arguments and sizes are its own then. */
void tcc_gemv_open(TccKernelEmit *k, const char *name, TccGemvCall *call);

/* ---- gemv_slices.c: products in integers ---- */
enum { TCC_GEMV_SLICES_HEAD = 16 }; /* words before slices; the first is not zero if they are not to be used */
/* Sets `bytes` if the operand and the machine are such that products can be taken in integers. */
void tcc_gemv_find_bytes(const TccMachine *machine, TccGemv *g);
/* A product of two f32, one of which may be a scale. */
bool tcc_gemv_is_product(const TccGemv *g, const TccPullNode *node);
/* Sets `bytes` and `zero_point` if w is a stored number of 4 or 8 bits, less a zero point of all of them. */
bool tcc_gemv_stored_numbers(TccGemv *g, const TccPullNode *w);
/* Words of scratch for the slices of one tile of the depth, of all rows; those of all tiles lie behind the rows, where
 * tcc_gemv_slices_at finds the tile of a call. */
int64_t tcc_gemv_slices(const TccGemv *g);
TccVal tcc_gemv_slices_at(TccEmit *e, const TccGemv *g, const TccGemvCall *call);
/* Of sixteen lanes. larger: the greater of |value| and `most`, bits of f32. scale: what numbers up to `most` are multiplied
 * by, and (as bits) what their products are; gives 1 where that cannot be, to be put into the head, which close_slices joins.
 * balanced: the slices of value * scale, a byte each, lowest first. joined: the sums of three planes in f32. offset: what the
 * sums of slices are multiplied by and sums of products begin with. */
TccVal tcc_gemv_larger(TccEmit *e, TccVal most, TccVal value);
TccVal tcc_gemv_scale(TccEmit *e, TccVal most, TccVal *scale, TccVal *back);
void tcc_gemv_close_slices(TccEmit *e, TccVal head);
TccVal tcc_gemv_balanced(TccEmit *e, TccVal value, TccVal scale);
TccVal tcc_gemv_dot(TccEmit *e, TccVal sum, TccVal unsigned_bytes, TccVal signed_bytes);
TccVal tcc_gemv_joined(TccEmit *e, const TccVal *planes);
TccStatus *tcc_gemv_offset(TccKernelEmit *k, const TccGemv *g, TccVal *out) TCC_CHECKED;

/* gemv_bytes.c. slices: of the tile [begin, end) of the depth. bytes: the same as columns, which `plain` names, behind slices. */
int64_t tcc_gemv_tile_slices(const TccGemv *g);
TccStatus *tcc_gemv_emit_tile_slices(TccKernelEmit *k, const char *name, const TccGemv *g) TCC_CHECKED;
void tcc_gemv_emit_bytes(TccKernelEmit *k, const char *name, const char *plain, const char *order, const TccGemv *g);
/* order: between the order in which lines of sums are summed up and that of columns. */
void tcc_gemv_emit_order(TccKernelEmit *k, const char *name, const TccGemv *g);
/* Whether sums are in that order, in whole lines. */
static inline bool tcc_gemv_orders(const TccGemv *g) { return g->form.bytes && !g->form.along_depth; }
/* Whether tiles of so many parts of the depth, and so many lines side by side, leave parts that are long enough. */
bool tcc_gemv_bytes_fit(const TccGemv *g, int64_t unroll, int64_t depths);

/* gemv_depth.c: the same for operands whose depth is contiguous. */
void tcc_gemv_find_depth(TccGemv *g);
int64_t tcc_gemv_depth_slices(const TccGemv *g);
TccStatus *tcc_gemv_emit_depth_slices(TccKernelEmit *k, const char *name, const TccGemv *g) TCC_CHECKED;
void tcc_gemv_emit_depth(TccKernelEmit *k, const char *name, const char *plain, const TccGemv *g);
/* Along the depth: lanes of sums, of each column and in it of each row, are added up and stored, columns `apart` from each other. */
void tcc_gemv_store_sums(TccEmit *e, const TccGemv *g, int lanes, const TccVal *sum, TccVal to, int64_t apart);
/* Whether every product reads this node anew: it walks along columns and depth. */
bool tcc_gemv_streams(const TccGemv *g, const TccPullNode *node);
#endif
