/* partial_sums.h - tiles of a command that are parts of one sum, along the depth of a product.
 *
 * What a call sums goes to a slot of the team's common scratch (TccScratchHead), and who ends last adds them all and finishes the result. What
 * a thread sums of the tiles that follow its own of a share it adds to that slot itself, while it has both at hand: the order of additions is
 * the same as if others had taken them, that of the depth in each share, then that of shares. So the same number of threads gives the same bits. */
#ifndef TCC_X86_PARTIAL_SUMS_H
#define TCC_X86_PARTIAL_SUMS_H
#include "lib/codegen/emit/view_emit.h"

enum {
  TCC_PARTIAL_HEAD = 16
}; /* words of 32 bits before the sums of a slot: the number of tiles in it, and the first of their share */

typedef struct {
  int64_t tiles, slot; /* of the command; words of 32 bits of a slot, with its head */
  void (*merge)(TccKernelEmit *k, TccVal from, TccVal to, void *user); /* emits: the sums at `from` are added to those at `to` */
  void *user;
} TccPartialSums;

typedef struct {
  const TccPartialSums *sums;
  TccVal begin, end;                     /* tiles of the call */
  TccVal slots, counter, first;          /* first: of the share */
  TccVal own_first, own_end, count, all; /* count: tiles of the call; all: of the command */
  TccVal follows, slot, total,
      part; /* follows, i1: on what the thread did before, whose sums are at `total`; part: for those of the call */
} TccPartialCall;

/* own: for the sums of a call that follows on another; slots: `tiles` of them, as many words behind the common scratch's begin. */
void tcc_partial_begin(TccKernelEmit *k, const TccPartialSums *sums, const TccKernelEntry *entry, TccVal own, int64_t slots,
                       TccPartialCall *call);
/* The sums are at call->part. Opens `ends`, what the last call of the command does: all sums are at *out_all then. The caller closes it. */
void tcc_partial_end(TccKernelEmit *k, TccPartialCall *call, TccIf *ends, TccVal *out_all);
#endif
