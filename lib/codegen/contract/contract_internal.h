/* contract_internal.h - a contraction as its emitter sees it; convolutions are contractions with a packer of their own. */
#ifndef TCC_CODEGEN_CONTRACT_INTERNAL_H
#define TCC_CODEGEN_CONTRACT_INTERNAL_H
#include "lib/codegen/contract/contract.h"
#include "lib/codegen/contract/contract_pack.h"
#include "lib/codegen/emit/epilogue.h"

/* Tensor numbers in the spans; leaves of the epilogue follow the result. */
enum { TCC_CONTRACT_A, TCC_CONTRACT_B, TCC_CONTRACT_R, TCC_CONTRACT_TENSORS };

typedef struct {
  TccIr *ir;
  MlirOperation kernel, dot;
  TccMicroType type;
  TccView a, b;
  TccEpilogue epilogue;
  TccSpan batch, m, n, k;
  int64_t packed_nr; /* 0: b is packed in the call */
  int packed_argument;
  bool packed_batched;
  TccContractPlan plan; /* filled by tcc_contract_emit_kernel */
  int64_t together,
      block_rows; /* of an operand packed in the call: panels that are packed at once (0: one); rows that meet them then */
  int64_t ahead_stride,
      ahead_rows; /* of an operand packed in the call: bytes between its rows (0: not fetched ahead); rows for each tile */
  bool fetches;   /* there is a function "fetch" for what the epilogue reads and writes */
  bool ragged;    /* in_place: some rows may fill no register tile */
} TccContract;

/* contract_read.c: reads a kernel of kind "contract". TCC_UNSUPPORTED if this emitter does not take it. */
TccStatus *tcc_contract_read(TccIr *ir, const TccMachine *machine, MlirOperation kernel, TccContract *out) TCC_CHECKED;
/* Emits the packer of right-hand panels, with the signature of tcc_pack_panel_emit's functions. */
typedef void TccContractPanel(TccKernelEmit *k, const char *name, const TccContract *c, int64_t nr, void *user);
/* The whole kernel. panel NULL: b is a strided operand or packed. */
TccStatus *tcc_contract_emit_kernel(const TccTargetInfo *target, const char *emitter, TccContract *c, TccContractPanel panel,
                                    void *user, TccKernelCode *out) TCC_CHECKED;
/* contract_small.c: the same for a product that fits into the registers (m and n within the plan's register tile). *out_taken: whether it does. */
TccStatus *tcc_contract_small_emit(const TccTargetInfo *target, const char *emitter, TccContract *c, bool *out_taken,
                                   TccKernelCode *out) TCC_CHECKED;
#endif
