/* attention_wgmma.h - attention by warpgroups of sm_90a: what attention_wgmma.c, which places and copies, and attention_wgmma_text.c, which multiplies,
 * share. */
#ifndef TCC_NVPTX_ATTENTION_WGMMA_H
#define TCC_NVPTX_ATTENTION_WGMMA_H
#include "lib/targets/nvptx/attention_internal.h"

enum { ATT_GROUPS = 2 /* of warps that multiply */, ATT_BLOCK_ROWS = ATT_GROUPS * NVPTX_GROUP_ROWS };
enum { ATT_GROUP_THREADS = ATT_GROUPS * NVPTX_GROUP_THREADS };

typedef struct {
  TccElem elem;
  int keys, depth, columns; /* of a block; of the first product, a multiple of 16; of the results, likewise */
} AttShape;
static inline int att_scores(const AttShape *s) { return s->keys / 2; } /* f32 of a thread */
static inline int att_words(const AttShape *s) { return s->keys / 4; }  /* i32: weights as the left operand of the second product */
static inline int att_results(const AttShape *s) { return s->columns / 2; } /* f32 */

/* A stage in shared memory: its matrix's descriptor (i64), the barriers that end a phase when it is full, or empty again (i32), the phase's parity. */
typedef struct {
  TccVal matrix, full, empty, parity;
} AttStage;
/* Of a step of a warpgroup: i64, stages, i1, numbers of named barriers (i32). */
typedef struct {
  TccVal queries;
  AttStage keys, values, before; /* values of this step, of the one before */
  TccVal tells;                  /* this lane tells that a stage is empty */
  TccVal own, other;             /* turns: where this warpgroup waits for the other one, and the other one for it */
} AttTurn;

/* Scores of the first step's keys. */
void att_put_first(NvptxKernel *n, const AttShape *s, const AttTurn *turn, TccVal *scores);
/* Scores of this step's keys, which are done when it returns, and the results of the step before, whose values are there: those are under way until
 * att_put_wait, nobody may touch `sums`. words: weights of the step before. */
void att_put_turn(NvptxKernel *n, const AttShape *s, const AttTurn *turn, const TccVal *words, TccVal *scores, TccVal *sums);
/* Until they are done, and this step's values are there. */
void att_put_wait(NvptxKernel *n, const AttShape *s, const AttTurn *turn, const TccVal *words, TccVal *sums);
/* The results of the last step, where there is any (i1), which are done when it returns; its values are there. tells: that
 * their stage is empty, for a next tile. */
void att_put_last(NvptxKernel *n, const AttShape *s, const AttTurn *turn, TccVal any, bool tells, const TccVal *words,
                  TccVal *sums);
/* Arrives at a named barrier of both warpgroups where `here` (i1), or waits there. */
void att_put_barrier(NvptxKernel *n, bool waits, int number, TccVal here);
#endif
