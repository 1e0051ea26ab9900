/* attention_internal.h - what the files of the attention emitter share: attention.c places blocks and moves tiles, attention_step.c does what
 * a warp does with one block of keys. */
#ifndef TCC_NVPTX_ATTENTION_INTERNAL_H
#define TCC_NVPTX_ATTENTION_INTERNAL_H
#include "lib/targets/nvptx/operand.h"
#include "lib/targets/nvptx/parts.h"
#include "lib/targets/nvptx/split.h"
#include "lib/targets/nvptx/tensor.h"
#include "lib/targets/nvptx/wgmma.h"

enum { NVPTX_ATTENTION_DEPTH = 256 /* of a head, at most */ };
enum { ATT_Q, ATT_K, ATT_V, ATT_MASK, ATT_OPERANDS };
enum { ATT_ROWS = NVPTX_FRAGMENT_ROWS /* of a warp */, ATT_MOST_SLICES = 4 };
/* Of a warp, where its results go through: 16 rows of some columns; maxima and sums of these rows. */
enum { ATT_PART_BYTES = ATT_ROWS * NVPTX_SUMS_PITCH * 4, ATT_STAT_BYTES = ATT_ROWS * 2 * 4 };
enum { STATS = 4 /* of a thread: maxima of its two rows, then their sums */, MOST_SUMS = NVPTX_ATTENTION_DEPTH / 8 * 4 };

/* A tile in shared memory as the operand lies in memory: rows of `columns` elements, `pitch` bytes apart. That is an odd number of pieces of 16
 * bytes, so that the eight rows that ldmatrix reads at once lie in different banks. */
typedef struct {
  int rows, columns, pitch;
} Panel;

/* How a mask comes to the threads (attention_mask.c). */
typedef struct {
  bool is_staged;  /* through shared memory */
  bool is_copied;  /* as it lies in memory */
  bool is_aligned; /* rows of a panel begin with their first key */
  bool is_row;     /* one for all rows of a head and all heads */
  TccElem elem;
  int bytes;
  TccVal at[2]; /* of the thread's two rows, where its first key lies: offset in shared memory */
} AttMask;

/* Tiles of `groups` times 16 rows (attention_tiles.c). */
typedef struct {
  const TccExpr *rows, *heads;  /* rows of a head, or of a group of heads that are stacked; heads, or groups */
  const TccExpr *of_head, *all; /* tiles of one of these; in all */
  const TccExpr *blocks;        /* of the grid */
  const TccExpr *section;       /* heads that go through their tiles together, if persistent */
  bool persistent;              /* a block has one tile after the other */
} AttTiles;

typedef struct {
  TccIr *ir;
  MlirOperation op;
  NvptxOperand operand[ATT_OPERANDS];
  bool pieces[ATT_OPERANDS]; /* 16 bytes of a row at a time by cp.async */
  NvptxResult result;
  NvptxKernel n;
  TccElem elem;
  int bytes; /* of an element */
  const TccExpr *batch, *heads, *queries, *keys, *offset;
  int64_t depth, width, repeat; /* repeat: heads that share keys */
  double scale, softcap;
  bool causal, zero_masked, has_mask;
  bool stacked; /* the rows of a block are those of all heads of a group: head in group, query */

  /* The plan. A block has 16 `groups` rows; `slices` warps share 16 of them, each takes its part of a block of keys. */
  int groups, slices, key_block, stages;
  Panel panel[3];       /* of q, k, v */
  bool keeps_fragments; /* of q, in registers */
  NvptxParts parts;     /* of the keys: of blocks whose rows are those of one warp */
  bool by_groups;       /* of warps: attention_wgmma.c, which has tensors and maps of q, k, v */
  NvptxTensor tensor[3];
  TccTensorMap maps[3];
  AttTiles tiles;
  AttMask mask;
  uint32_t shared; /* bytes of a block */
  int staging;     /* offset in shared memory of what results go through: ATT_PART_BYTES of each warp, then ATT_STAT_BYTES */

  /* Of the block, the thread. */
  TccVal memory; /* shared */
  TccVal place[2] /* batch, head or group */, first_row, lane, group, slice, nrows, nkeys, first_key,
      end_key /* that the block reads */;
  TccVal head[2], query[2], last_key[2]; /* of the thread's two rows; last_key: that they see */
  TccVal fragments[NVPTX_ATTENTION_DEPTH / 16][4];
} Attention;

static inline TccVal att_i64(Attention *a, int64_t v) { return tcc_emit_i64(&a->n.e, v); }
static inline int att_sums(const Attention *a) { return a->panel[ATT_V].columns / 8 * 4; }
/* The first warp that has rows: behind those that copy. */
static inline int att_first_warp(const Attention *a) { return a->by_groups ? NVPTX_GROUP_WARPS : 0; }
static inline int att_keys(const Attention *a) { return a->key_block / a->slices; } /* of a warp */
static inline TccVal att_shared_at(Attention *a, TccVal offset) { return tcc_emit_shared_gep(&a->n.e, "i8", a->memory, offset); }
/* Address of row `row`, byte `byte` of a panel at offset `panel` of shared memory. */
TccVal att_panel_at(Attention *a, const Panel *panel, TccVal base, TccVal row, TccVal byte);

/* Head and query of a row of the block's heads. */
void att_place_row(Attention *a, TccVal row, TccVal *head, TccVal *query);
/* attention_tiles.c */
/* For a plan whose groups are set. */
void att_plan_tiles(Attention *a, const TccMachine *machine);
/* Sets what is the same for all tiles of a block: lane, group, slice, nrows, nkeys. */
void att_place_warp(Attention *a);
/* Sets what is the tile's: place, first_row, head, query, last_key. */
void att_place_tile(Attention *a, TccVal tile);
/* How many tiles this block has, if it is persistent; the number of the round'th. */
TccVal att_rounds(Attention *a);
TccVal att_tile_of_round(Attention *a, TccVal round);

/* attention_mask.c */
/* For operands that are read. */
void att_mask_plan(Attention *a);
/* Bytes of a panel for so many rows, for a key_block that is set; 0: the mask is not staged. A multiple of 16. */
int att_mask_panel(const Attention *a, int rows);
typedef struct {
  TccVal panel, first_row, first_key, end_key; /* offset in shared memory; of the tile's rows; keys that are there end */
  int rows, threads;
  TccVal thread; /* among those that copy */
} AttMaskFill;
/* Begins to copy into a panel: asynchronously, for nvptx_copy_wait, or by stores. Nothing if the mask is not staged. */
TccStatus *att_mask_fill(Attention *a, const AttMaskFill *fill) TCC_CHECKED;
/* The panel that att_mask_two reads from here on: the thread's first row in it, its first key in the panel. */
void att_mask_show(Attention *a, TccVal panel, TccVal row, TccVal column);
/* The mask of keys `at`, which is even, and at + 1 behind the thread's first key, number `key`: i1, or f32. row: of the thread's two; bounded: keys may
 * be behind the last. */
TccStatus *att_mask_two(Attention *a, int row, TccVal key, int at, bool bounded, TccVal *out) TCC_CHECKED;

/* attention_results.c */
/* Writes the thread's results, which are those of 16 rows of a warp, or leaves them for the block that joins the parts. stats: as in att_step. */
TccStatus *att_write_results(Attention *a, TccVal *sums, TccVal *stats) TCC_CHECKED;
/* A result of the kernel; row: of the block's heads. */
TccStatus *att_write(Attention *a, TccVal row, TccVal column, TccVal value) TCC_CHECKED;

/* attention.c */
/* Where those keys end that all rows of the block see, in whole blocks, and those that some row does; of its part, if blocks share them. */
void att_find_ends(Attention *a, TccVal *whole, TccVal *end);
/* Before the first key. */
void att_start(Attention *a, TccVal *sums, TccVal *stats);

/* attention_wgmma.c */
/* Whether it does this one; sets the tensors. */
bool att_groups_fit(Attention *a, const TccMachine *machine);
/* Sets groups, key_block, staging and maps, for panels whose columns are set; the bytes of shared memory. */
int att_groups_plan(Attention *a);
/* Writes the body, for warps that are placed. */
TccStatus *att_groups_emit(Attention *a) TCC_CHECKED;

/* attention_parts.c */
/* How many blocks share the keys of a block's rows, by the kernel's schedule if it has one: {parts}; blocks: those if none does; out_scratch: the bytes,
 * or NULL. TCC_INVALID: what is wrong with the schedule. */
TccStatus *att_plan_parts(Attention *a, const TccMachine *machine, MlirOperation kernel, const TccExpr *blocks,
                          const TccExpr **out_scratch) TCC_CHECKED;
/* attention.c: the kernel with all of its plan but parts, of which it has tiles.all blocks without; NULL: this target does not emit it. */
Attention *att_read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel);
/* attention_results.c: what a row's results are divided by. Where there are no keys at all they are 0; where there are, but none is visible, 0 / 0. */
TccVal att_divisor(Attention *a, TccVal sum);
/* Leaves the maxima and sums of weights of the thread's two rows, of all the block's warps. */
void att_leave_stats(Attention *a, const TccVal *stats);
/* Leaves a result that is not yet divided by the sum of weights; row: of the block. */
void att_leave(Attention *a, TccVal row, TccVal column, TccVal value);
/* When all is left: the last block puts together and writes. */
TccStatus *att_join_parts(Attention *a) TCC_CHECKED;

/* attention_step.c */
/* Reads the fragments of q, where they stay in registers. base: offset of its panel. */
void att_load_queries(Attention *a, TccVal base);
/* The warp's keys from `first_key` of the tensor on. bases: offsets of the panels of q, k, v, of a mask. masked: keys may be behind the last that a row sees.
 * sums: of results; stats: STATS. */
TccStatus *att_step(Attention *a, const TccVal *bases, TccVal first_key, bool masked, TccVal *sums, TccVal *stats) TCC_CHECKED;
/* The same but for both products, x: scores, `tiles` times 8 keys from first_key on, in the place of sums of mma; out: weights, and what sums so far
 * have to be multiplied by. */
TccStatus *att_weights(Attention *a, TccVal first_key, int tiles, bool masked, TccVal *x, TccVal *stats,
                       TccVal *factor) TCC_CHECKED;
void att_rescale(Attention *a, const TccVal *factor, TccVal *sums);
/* Two numbers as a word of 16 bits each. */
TccVal att_two_halves(Attention *a, TccVal low, TccVal high);
/* 2^x. */
TccVal att_exp2(Attention *a, TccVal x);
/* What exponents are relative to: the maximum, or 0 where nothing is seen. */
TccVal att_base(Attention *a, TccVal max);
#endif
