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

/* What contract.c and contract_small.c share. */
typedef struct {
  const TccContraction *read;
  TccMicroType type;                 /* for the machine and the operands' elements */
  TccContractPlan plan;              /* valid once tcc_contract_emit_kernel has chosen */
  const TccContractOperand *operand; /* or NULL */
  bool prefetches;                   /* emitted: there is a function "prefetch" for what the epilogue reads and writes */
} TccContract;

/* Reads a kernel of kind "contract". TCC_UNSUPPORTED if this emitter does not take it. */
TccStatus *tcc_contract_read(TccIr *ir, const TccMachine *machine, MlirOperation kernel, TccContraction *out,
                             TccMicroType *out_type) TCC_CHECKED;
/* The whole kernel. operand NULL: b is a strided operand or packed. */
TccStatus *tcc_contract_emit_kernel(const TccTargetInfo *target, const char *emitter, const TccContraction *read,
                                    const TccMicroType *type, const TccContractOperand *operand, TccKernelCode *out) TCC_CHECKED;
/* contract_small.c: the same for a product that fits into the registers (m and n within the plan's register tile). *out_taken: whether it does. */
TccStatus *tcc_contract_small_emit(const TccTargetInfo *target, const char *emitter, TccContract *c, bool *out_taken,
                                   TccKernelCode *out) TCC_CHECKED;
#endif
