/* contract_internal.h - a contraction on its way to code: what was read (lib/codegen/read/contract.h), what was chosen, what is emitted.
 * Convolutions are contractions with a packer of their own. */
#ifndef TCC_X86_CONTRACT_INTERNAL_H
#define TCC_X86_CONTRACT_INTERNAL_H
#include "lib/codegen/emit/epilogue_emit.h"
#include "lib/codegen/read/contract.h"
#include "lib/targets/x86/contract/contract.h"
#include "lib/targets/x86/contract/contract_pack.h"

/* What a call with up to `rows` rows does in place of all else. functions: emits what the tiles call. */
enum { TCC_CONTRACT_FEW = 3 };
typedef struct {
  int64_t rows, tiles, scratch; /* scratch: bytes */
  TccStatus *(*functions)(TccKernelEmit *k, void *user);
  void (*emit_tiles)(TccKernelEmit *k, const TccKernelEntry *entry, void *user);
  void *user;
} TccContractFew;
/* A right operand that is no tensor. panel: emits its packer, with the signature of tcc_pack_panel_emit's functions. */
typedef struct {
  TccStatus *(*panel)(TccKernelEmit *k, const char *name, const TccMicroType *type, int64_t nr, void *user);
  void *user;
  bool dear; /* a panel takes long to make: each is made once for as many rows as there are */
  int nfew;  /* fewer rows first */
  TccContractFew few[TCC_CONTRACT_FEW];
} TccContractOperand;

/* Which register tiles store their sums into the result itself: none, those of whole rows and panels, or all, as there are no others. Later: none, and the
 * epilogue is none of theirs. */
typedef enum {
  TCC_CONTRACT_STORES_NONE,
  TCC_CONTRACT_STORES_WHOLE,
  TCC_CONTRACT_STORES_ALL,
  TCC_CONTRACT_STORES_LATER
} TccContractStores;

/* What contract.c and contract_small.c share. */
typedef struct TccContract TccContract;
struct TccContract {
  const TccContraction *read;
  TccMicroType type; /* for the machine and the operands' elements */
  TccContractSizes sizes;
  TccContractPlan plan;              /* valid once tcc_contract_emit_kernel has chosen */
  const TccContractOperand *operand; /* or NULL */
  bool direct;                       /* one or two rows of an unknown number read the right operand where it lies */
  TccContractStores stores;          /* no epilogue: plan.ldc is then the row stride of the result, */
  const TccExpr *apart;              /* or, where this is not NULL, of the scratch, and this is the result's */
  bool prefetches;                   /* emitted: there is a function "prefetch" for what the epilogue reads and writes */
  TccEpilogueBlock end;              /* the epilogue, if it has one */
  const TccContract *straight;       /* of a turned product that may have one column or two: as it was, for these; else NULL */
};

/* What a register tile's loops share while they are emitted. */
typedef struct {
  TccVal a, b, c;                        /* scratch: packed rows, packed panel, accumulators */
  TccVal row0, rows, batch, first, last; /* panels [first, last) */
  TccVal k0, kcount, kpadded, k_groups, is_last;
  TccVal k_first;               /* sums begin with it */
  TccVal how, prefetch_bytes;   /* of a register tile's product (tcc_micro_emit); what it prefetches for each k-group */
  TccVal a_source;              /* in_place: the left operand at (row0, k0) */
  TccVal a_prefetch;            /* what to prefetch where no panel follows */
  TccVal from, to;              /* together: the block of rows */
  TccVal whole_rows;            /* in_place: rows up to here are read where they lie, the rest from the scratch */
  TccVal scratch;               /* all of it */
  TccVal frame;                 /* of the epilogue, if it is framed; else 0 */
  TccVal missing, stays, fresh; /* kept_blocks, i1: the run's rows are not there; they stay for later; they are to be packed now */
} TccContractTile;

/* Whether the right operand is packed in the call, from rows that lie along the columns. */
bool tcc_contract_packs_along(const TccContraction *read);
TccContractSizes tcc_contract_sizes(const TccContraction *read);
/* Reads a kernel of kind "contract". TCC_UNSUPPORTED if this emitter does not take it. */
TccStatus *tcc_contract_read(TccIr *ir, const TccMachine *machine, MlirOperation kernel, TccContraction *out,
                             TccMicroType *out_type) TCC_CHECKED;
/* The whole kernel. operand NULL: b is a strided operand or packed. */
TccStatus *tcc_contract_emit_kernel(const TccTargetInfo *target, const char *emitter, const TccContraction *read,
                                    const TccMicroType *type, const TccContractOperand *operand, TccKernelCode *out) TCC_CHECKED;
/* contract_small.c: the same for a product that fits into the registers (m and n within the plan's register tile). *out_taken: whether it does. */
TccStatus *tcc_contract_small_emit(const TccTargetInfo *target, const char *emitter, TccContract *c, bool *out_taken,
                                   TccKernelCode *out) TCC_CHECKED;

/* contract_choose.c: sets c->plan to the register tile and its blocks, of the kernel's schedule if it has one; then everything else that is chosen, for which
 * c->operand is to be set; what the register tile of whole panels is. */
TccStatus *tcc_contract_choose_tile(TccContract *c, const TccMachine *machine) TCC_CHECKED;
void tcc_contract_choose_blocks(TccContract *c, const TccMachine *machine);
void tcc_contract_choose_micro(TccContract *c, TccMicro *out);
/* Whether the result's lines are asked for before a register tile's product; whether the tile function is not optimised, or is among functions that are. */
bool tcc_contract_prefetches_result(const TccContract *c);
void tcc_contract_choose_entry(const TccContract *c, bool *out_optnone, bool *out_near);
/* Whether packed panels are widened before rows meet them. */
bool tcc_contract_is_narrow(const TccContract *c);

/* contract_direct.c: one row against a panel of a right operand that is not packed. c->plan has been chosen. */
bool tcc_contract_takes_direct(const TccContract *c);
/* Emits internal function `name`; calls it: sums[0 to width] (+)= a[k] * b[k][column], of this k block. a: a row, contiguous, or of a tile
 * of rows that is k_major; b: its panel. */
void tcc_contract_direct_emit(TccKernelEmit *k, const char *name, const TccContract *c);
void tcc_contract_direct_call(TccKernelEmit *k, const char *name, const TccContract *c, const TccContractTile *t, TccVal a,
                              TccVal b, TccVal sums, TccVal width);

/* contract_turned.c: a product whose result is stored transposed. Whether it is to be turned; what it was where few rows are to be met so (NULL:
 * nothing), at most how many, the functions of that, and all columns of `t`, which are rows of the turned product. */
bool tcc_contract_is_turned(TccIr *ir, const TccContraction *c, const TccMicroType *type);
const TccContract *tcc_contract_straight(const TccContract *c);
int64_t tcc_contract_straight_rows(const TccContract *straight);
TccStatus *tcc_contract_straight_emit(TccKernelEmit *k, const TccContract *straight) TCC_CHECKED;
void tcc_contract_straight_call(TccKernelEmit *k, const TccContract *c, const TccContractTile *t);

/* contract.c: rows and panels of a tile at one block of k, t->k0. */
void tcc_contract_block_emit(TccKernelEmit *k, const TccContract *c, TccContractTile *t);
/* contract_depth.c: sets plan.depths where tiles are to be parts of the depth; then bytes of the common scratch for their sums, behind what a thread has; a
 * function that tiles call; the tiles of a call, of such a size of a thread's scratch: t->a, t->b and t->c are set. */
void tcc_contract_plan_depths(TccContract *c, const TccMachine *machine);
int64_t tcc_contract_depth_bytes(const TccContract *c);
void tcc_contract_merge_emit(TccKernelEmit *k, const TccContract *c);
void tcc_contract_depths_emit(TccKernelEmit *k, const TccContract *c, const TccKernelEntry *entry, TccContractTile *t,
                              int64_t scratch);

/* contract_rows.c: the left operand, read where it lies or copied. Each sets what it is named after in c->plan. */
int64_t tcc_contract_run(const TccSpan *k, int tensor); /* elements of k that lie behind each other */
void tcc_contract_fit_runs(TccContract *c);
void tcc_contract_place_rows(TccContract *c);
void tcc_contract_share_rows(TccContract *c, const TccMachine *machine);
void tcc_contract_place_columns(TccContract *c);
void tcc_contract_plan_kept(TccContract *c);
int64_t tcc_contract_left_bytes(const TccContract *c); /* of the scratch, for one block of k */
/* The rows of this k block: t->a or t->a_source, t->whole_rows, t->a_prefetch. */
void tcc_contract_left(TccKernelEmit *k, const TccContract *c, TccContractTile *t);
/* Around panels [first, last) of `panels` that a run of tiles has: whether rows that an earlier call packed are there; what is there behind it. */
void tcc_contract_keep_begin(TccKernelEmit *k, const TccContract *c, TccContractTile *t, TccVal scratch, TccVal run, TccVal first,
                             TccVal last, TccVal panels);
TccVal tcc_contract_keep_again(TccKernelEmit *k, const TccContract *c, const TccContractTile *t,
                               TccVal is_first_group); /* t->fresh */
void tcc_contract_keep_end(TccKernelEmit *k, const TccContract *c, const TccContractTile *t, TccVal scratch, TccVal run);
#endif
