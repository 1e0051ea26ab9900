/* pull_emit.h - code for pulled values (lib/codegen/read/pull.h).
 *
 * Emission is `lanes` wide along one dim of the nest, the lane dim; a mask guards the tail and the inside of pads. */
#ifndef TCC_CODEGEN_PULL_EMIT_H
#define TCC_CODEGEN_PULL_EMIT_H
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/read/pull.h"

typedef enum { TCC_PULL_ANY_END, TCC_PULL_LOW_END, TCC_PULL_HIGH_END } TccPullEnd;

typedef struct {
  TccKernelEmit *k;
  const TccPull *p;
  int lanes, lane_dim;          /* lane_dim -1: one value in all lanes */
  TccVal iv[TCC_PULL_DIMS];     /* of each dim: scalar i64; of the lane dim: index of lane 0 */
  int64_t moved[TCC_PULL_DIMS]; /* added to iv: places a known distance apart differ in a displacement only */
  TccVal mask;                  /* 0: all lanes on */
  bool dense;                   /* iv of the lane dim is a multiple of the lanes, and all that they name exists */
  /* One lane: places along run_dim are emitted one behind the other in a block, from a multiple of `run` on, and this is the first of them (the
   * others have run 0): accesses say how they are aligned, by which LLVM joins those that follow each other. 0: that is not known. */
  int run, run_dim;
  int runs; /* of all places of a run, that many: iv of run_dim is a multiple of it, and `moved` counts from there. 0: that is not known */
  bool packs;      /* results of less than a byte may be stored: their bytes belong to whoever emits (pull_packed.h) */
  bool inside;     /* the block is one of tcc_pull_emit_inside */
  TccPullEnd end;  /* the end of padded rows that it touches, as a rule */
  bool guarded;    /* the mask may be all off: no address may be read but under it */
  TccVal *value;   /* by node id, 0: not emitted here */
  TccVal *single;  /* by node id: the one value that all lanes share, 0: not emitted here */
  TccVal *held;    /* of these, what stays from block to block */
  TccVal *reduced; /* by node id of REDUCED: lanes */
  bool *shared;    /* by node id: lanes along *shared_dim share it */
  int *shared_dim; /* -2: shared is not filled yet */
  bool (*kept)(void *user, const TccPullNode *node, TccVal *out); /* NULL, or gives values kept in scratch */
  void *user;
} TccPullEmit;

void tcc_pull_emit_init(TccPullEmit *e, TccKernelEmit *k, const TccPull *p, int lanes);
/* Sets iv of the listed dims, outermost first, from a position among all of their elements. */
void tcc_pull_emit_place(TccPullEmit *e, const int *dims, int ndims, TccVal position);
/* Forgets emitted values: at the head of every block that does not follow from the last one. */
void tcc_pull_emit_reset(TccPullEmit *e);
/* Emits the indices that gathers below the roots read and all lanes share, outside of guards: at the head of a loop over lanes, where
 * the other dims are set. They stay until forget. seen: zeros for each node; what is marked is not gone into. */
TccStatus *tcc_pull_emit_shared(TccPullEmit *e, const TccPullNode *const *roots, int n, unsigned char *seen) TCC_CHECKED;
void tcc_pull_emit_forget(TccPullEmit *e);
TccStatus *tcc_pull_emit_node(TccPullEmit *e, const TccPullNode *node, TccVal *out) TCC_CHECKED;
TccStatus *tcc_pull_emit_store(TccPullEmit *e, int argument, TccElem elem, const TccPullIndex *flat, TccVal value) TCC_CHECKED;
/* Where rows are padded, reflected or repeated: whole blocks whose first place along the lane dim is from *low on and before *end touch no end of
 * theirs, the other dims being where iv says. False, and nothing emitted, if the kernel has no such rows. */
bool tcc_pull_emit_inside(TccPullEmit *e, TccVal *low, TccVal *end);
/* Whether all that is read and stored, of one lane at a time, is the same for `run` places along dim from a multiple of it on, or lies side by
 * side (TccPullEmit.run), and the dim has whole ones alone. store: NULL, or where a result goes; what was reduced is taken for the same.
 * picked: also what an index moves that is the same for them, and elements of less than a byte, whose emission is told `runs`. */
bool tcc_pull_has_runs(const TccPull *p, const TccPullIndex *store, int dim, int run, bool picked);
/* Whether elements of 4 bits at this index follow each other along the lane dim from the first half of a byte on, wherever
 * the lane dim is at an even place. */
bool tcc_pull_starts_bytes(const TccPull *p, const TccPullIndex *index, int lane_dim);
/* scalar base (dims at their iv) and step along the lane dim */
void tcc_pull_emit_affine(TccPullEmit *e, const TccPullIndex *index, TccVal *base, TccVal *step);
#endif
