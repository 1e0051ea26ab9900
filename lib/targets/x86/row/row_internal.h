/* row_internal.h - what the parts of the row emitter share: row.c (nest and tiles), row_plan.c (phases, values to keep),
 * row_values.c (what is computed once for a row, kept in scratch, stored), row_reduce.c (loops and accumulators), row_softmax.c (rows by blocks). */
#ifndef TCC_CODEGEN_ROW_INTERNAL_H
#define TCC_CODEGEN_ROW_INTERNAL_H
#include "lib/codegen/emit/pull_emit.h"
#include "lib/codegen/emit/pull_nibbles.h"
#include "lib/codegen/read/row.h"
#include "lib/targets/x86/row/row_schedule.h"

enum {
  MAX_KEPT = 4,
  MAX_CARRIED = 48,
  SMALL_BODY = 14,
  LINE_BODY = 32,
  LINE_BYTES = 64,
  ROW_IN_L1 = 8192 /* bytes */,
  DOWN_PREFETCH = 8 /* places */,
  DOWN_PREFETCH_BYTES = 2048,
  PICKED_PREFETCH = 2048 /* bytes */,
  SHORT_ROW = 16 /* registers */,
  HELD = 8 /* registers that hold a row */,
  NARROW_LANES = 8 /* of f32 on a machine with sixteen registers */,
  PART = 16 /* rounds of a loop whose sums are added to others */
};

typedef TccRowReduction Reduction;
typedef TccRowResult Result;

/* in: a result whose elements hold the values until it is stored itself; NULL: scratch, from byte `offset` on. */
typedef struct {
  TccPullNode *node;
  int phase;
  const TccExpr *offset;
  const Result *in;
} Kept;

/* What is chosen, before anything is emitted. */
typedef struct {
  int lanes, lane_dim;
  bool folds;                  /* the lane dim is reduced */
  int innermost;               /* of the reduced dims */
  int next_dim;                /* along which the next row lies; -1: there is none */
  TccRowChoice choice;         /* by the heuristic, or as the kernel's schedule has it */
  int prefetch_phase;          /* whose loop fetches short ones */
  const TccPullIndex *line_of; /* whose lines rows, which begin beside them, are walked by; NULL: from their first element on */
  bool columns;                /* lanes are rows, and places further down are prefetched */
  bool blocks;                 /* a softmax of long rows */
  bool holds;                  /* a softmax of rows so short that registers keep their exponentials: its phases have no loops */
  bool streams;                /* operands and results do not fit the second cache */
  bool *shared;                /* by node id: made of what all elements of a row have in common */
  int nkept;
  Kept kept[MAX_KEPT];
  int body[TCC_ROW_REDUCTIONS + 1]; /* nodes that a block of each phase asks for */
} RowPlan;

/* And what is being emitted. */
typedef struct {
  TccRow read;
  RowPlan plan;
  TccKernelEmit *k;
  TccPullEmit emit;
  TccVal scratch;
  int phase;                   /* being emitted */
  int block;                   /* plan.holds: that is emitted */
  TccVal held[MAX_KEPT][HELD]; /* plan.holds: of each kept value, by block */
  TccVal *of_row;              /* by node id: values that the whole row shares, emitted before the loop; 0: none */
  TccVal *inverse;             /* by node id: 1 / value of a divisor of exponentials, which the row shares; 0: none */
} Row;

typedef struct {
  int n;
  TccVal value[MAX_CARRIED];
  const char *type[MAX_CARRIED];
  bool sum[MAX_CARRIED]; /* of floats: its rounding depends on the order */
} Carried;

/* What each phase asks for, and values to keep. */
void row_plan_phases(Row *row);
/* Softmax along lanes: e^(x - max) waits in the result, where it will be scaled. Lines of the result are owned while there is something
 * to compute, and no scratch takes room beside it. Nothing reads operands after the loop that stores there. */
void row_keep_in_result(Row *row);
/* Whether a row's exponentials fit `registers`. */
bool row_fits_registers(const Row *row, int registers);

/* The hook of TccPullEmit.kept: values of the row, and kept ones in the phases after the one that computed them. */
bool row_computed_before(void *user, const TccPullNode *node, TccVal *out);
/* Emits the ops on reductions of earlier phases and constants, 1 / sqrt(var + eps) say: no pass takes a square root out of
 * the loop over the row later. */
TccStatus *row_emit_shared(Row *row) TCC_CHECKED;
TccStatus *row_keep_values(Row *row) TCC_CHECKED;              /* to scratch, those of this phase */
TccStatus *row_store_results(Row *row, bool full) TCC_CHECKED; /* those of the domain's shape, or of the reduced one */

void row_set_unit(Row *row, TccVal unit);      /* the dims that stay, of a row by its number */
TccStatus *row_prefetch(Row *row) TCC_CHECKED; /* in the loop of one phase: this block of a row to come */
/* The loops over the reduced dims from `dim` on, with `unroll` sets of accumulators of `set` values; in the last phase what
 * is of the domain's shape is stored. */
TccStatus *row_loops(Row *row, int dim, int unroll, int set, Carried *c) TCC_CHECKED;
/* The innermost block, at the dims' iv: accumulates this phase, or stores in the last one, where acc is not read. */
TccStatus *row_visit(Row *row, TccVal *acc) TCC_CHECKED;
/* [from, to) of one reduced dim, as row_loops does all of the last one. */
TccStatus *row_block_loop(Row *row, int dim, TccVal from, TccVal to, int unroll, int set, Carried *c) TCC_CHECKED;
TccVal row_fold(Row *row, const Reduction *r, int sets,
                const TccVal *values);       /* of the accumulators, where lanes are folded: in all lanes */
TccStatus *row_reduce(Row *row) TCC_CHECKED; /* the reductions of this phase, and their values */

bool row_can_be_cut(const Row *row);                                               /* into blocks */
const TccExpr *row_block_scratch(const Row *row);                                  /* bytes */
TccStatus *row_softmax_by_blocks(Row *row, TccVal first, TccVal last) TCC_CHECKED; /* rows [first, last) */
#endif
