/* contract.h - kernels around one dot_general on x86: matrix products of any batch, row, column and contracted axes.
 *
 * The axes of the product fall into batch, rows (m), columns (n) and contracted (k) spans. A tile of the kernel is `mb` rows
 * by one panel of columns of one batch entry, small enough for any number of threads to share them evenly; the tiles of a
 * call that have their rows in common are one block, walked `nb` columns at a time. k is cut into blocks of `kc`. For each
 * block the rows are copied once, unless they can be read where they lie, and stay for the block's other tiles where a thread takes them in
 * several calls (contract_rows.c); then each panel of the right operand (packed by
 * the weight pass, or here) meets each group of rows in the register tile (micro.h), which prefetches the panel after it
 * meanwhile; after the last block the epilogue takes the accumulators away. Blocking after Goto and van de Geijn (2008) with
 * the choice of sizes of the BLIS analytical model (Low et al. 2016), panels in the second cache as measured.
 *
 * Where few sums stand against a great depth, so that threads would pack the same rows or panels, tiles are parts of the depth (contract_depth.c).
 *
 * One or two rows of an unknown number are not worth a panel packed in the call and read the right operand where it lies (contract_direct.c).
 *
 * Tried and left out, both within noise: prefetching the result's lines for writing while a register tile computes (they are
 * near already, in a model's arena too); walking wide results group by group of columns with all rows inside, so that cold
 * panels are read once (the prefetch hides the second reading). */
#ifndef TCC_CODEGEN_CONTRACT_H
#define TCC_CODEGEN_CONTRACT_H
#include "lib/codegen/emit/view_emit.h"
#include "lib/targets/x86/contract/micro.h"

enum { TCC_CONTRACT_VERSION = 20 }; /* of the emitter: part of the key of every record */

typedef struct {
  int rows, vectors;  /* register tile */
  int tail_vectors;   /* of the last panel where it needs fewer; 0: it is like the others */
  bool any_tail;      /* the number of columns is not known: bodies of fewer vectors, too, for the last panel */
  int single;         /* 1: also a body of one row, for the last rows of a dynamic number (tcc_contract_single_rows) */
  int64_t kc, mb, nb; /* multiples of the k-group step, of rows, of the panel width */
  int64_t prefetch;   /* lines of the next panel that each iteration of a row tile (tcc_micro_unroll) prefetches */
  int64_t
      prefetch_all; /* of a dynamic number of rows: lines of a whole panel an iteration, which a single row tile would have to prefetch; else 0 */
  bool in_place;    /* the left operand is read where it lies; lda is then its row stride */
  bool one_block;   /* k is a single block */
  int64_t lda, ldc; /* row strides of packed rows and of accumulators in the scratch, in elements */
  /* Chosen last, by tcc_contract_emit_kernel: */
  bool ragged; /* in_place: some rows may fill no register tile */
  int64_t depths,
      share; /* tiles that are parts of the depth, with all rows and columns (contract_depth.c), and what of k each is; 0: none */
  int64_t kept_blocks;          /* of k, whose packed rows stay in the scratch for the tiles of a later call; 0: they do not */
  bool k_major;                 /* rows lie side by side in memory and are packed by register tiles, as a panel's columns are */
  int64_t together, block_rows; /* of an operand packed in the call: panels packed at once (0: one); rows that meet them then */
  int64_t prefetch_stride,
      prefetch_each; /* likewise: bytes between its rows, 0: not prefetched so; between what two tiles prefetch */
  bool prefetch_run; /* likewise: it lies in one run of memory, and is prefetched as packed weights are */
} TccContractPlan;

/* What is known of a product when its kernel is compiled; -1: a size is not. */
typedef struct {
  int64_t batch, m, n, k;
  int64_t packed_nr; /* width of the panels of a packed right operand; 0: it is packed in the call, */
  bool along;        /* from rows that lie along the columns (tcc_contract_packs_along) */
} TccContractSizes;

void tcc_contract_plan(const TccMachine *machine, const TccMicroType *type, const TccContractSizes *sizes, TccContractPlan *out);
/* Its two later steps: kc, mb, nb for a register tile that is given; everything else from those five. */
void tcc_contract_blocks(const TccMachine *machine, const TccMicroType *type, const TccContractSizes *sizes, TccContractPlan *plan);
void tcc_contract_finish(const TccMicroType *type, const TccContractSizes *sizes, TccContractPlan *plan);
/* So many last rows, or fewer, go one by one: what a whole register tile takes longer for. */
int64_t tcc_contract_single_rows(const TccContractPlan *plan);
/* Cycles of one k-group in a register tile of h rows and v vectors. */
double tcc_contract_k_group_cycles(const TccMicroType *type, int64_t h, int v);
/* What a block of k is a multiple of: whole k-groups, and whole vectors, so that a vector at a multiple of its lanes within
 * the block is at one of the operand too (tcc_span_vectorizes). */
int64_t tcc_contract_depth_unit(const TccMicroType *type);
/* Lines of the next panel that each iteration prefetches: level 0 where many row tiles meet a panel; of a dynamic number of rows also 1, where it is
 * three or more for which level 0 is too few, and 2, one or two. */
int64_t tcc_contract_prefetch(const TccContractPlan *plan, int level);
const char *tcc_contract_schedule(TccArena *arena, const TccContractPlan *plan);

/* Whether packed operands of this type keep their 16 bits a float: half the memory and half of what is read; each panel is
 * widened before rows meet it. */
bool tcc_packs_narrow(const TccMicroType *type);
/* The layout of a packed right operand [batch, k, n]: [batch, panels, k_groups, nr * k_group] of elem. */
typedef struct {
  int64_t nr, k_group, k_groups, panels;
  TccElem elem;
} TccPackedLayout;
/* sizes: m, n and k count. vectors: of the register tile that will read it; 0: the heuristic's. */
void tcc_packed_layout(const TccMachine *machine, const TccMicroType *type, const TccContractSizes *sizes, int64_t vectors,
                       TccPackedLayout *out);
/* Whether `value` is made from kernel argument *argument by views alone, each with one use: it can be packed. */
bool tcc_packable_argument(TccIr *ir, MlirValue value, intptr_t *argument);

/* Emitters of the x86 target (signature of TccTargetInfo.emit): kinds "contract" and "pack". */
TccStatus *tcc_contract_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
TccStatus *tcc_pack_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
