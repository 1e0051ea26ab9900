/* kernel_emit.h - what the emission of one kernel shares: its text, its table of sizes, the arguments of the open function.
 *
 * A kernel's text holds one entry with the kernel ABI (tcc/abi.h) and internal helpers, which take the entry's `arguments`
 * and `sizes` along and read from them what they need. Sizes are expressions over the module's symbols: a constant becomes a
 * constant of the code (but see tcc_kernel_vary), anything else a slot of sizes[], so that compiled code never computes a size. */
#ifndef TCC_CODEGEN_KERNEL_EMIT_H
#define TCC_CODEGEN_KERNEL_EMIT_H
#include "lib/codegen/emit/emit.h"
#include "tcc/target.h"

typedef struct TccKernelEmit {
  TccIr *ir;
  TccEmit *e;
  const TccMachine *machine;
  MlirOperation kernel;
  TCC_VEC(const TccExpr *) sizes, varied; /* slots; constants that are slots all the same (tcc_kernel_vary) */
  TccVal arguments, size_pointer;         /* of the open function: void *const *, const int64_t * */
  /* Where buffers and sizes are parameters of the kernel, and no tables: the first of each; 0: tables. */
  TccVal first_argument, first_size;
  const TccVal *
      chosen; /* where parameters: for each buffer the address that stands for it from now on, 0: its own. NULL: all have their own */
  int most_sizes; /* as many parameters as there are for them */
  TccVal faults;  /* if it reports: before this address lie the words for faults (TCC_FAULT_WORDS) */
  bool reports;
  unsigned tells; /* as TccKernelCode.tells */
  /* tcc_kernel_divide where the machine divides by other means; NULL: by instructions */
  void (*divide)(struct TccKernelEmit *k, TccVal v, const TccExpr *size, TccVal *quotient, TccVal *rest);
} TccKernelEmit;

/* e: uninitialised; owned by k until finish or abandon. */
void tcc_kernel_init(TccKernelEmit *k, TccEmit *e, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel);
TccVal tcc_kernel_size(TccKernelEmit *k, const TccExpr *e); /* constant or sizes[slot] */
/* A size that is known is a slot of sizes[] from now on, as one that is not: kernels that differ in it alone have one text, which is compiled
 * once. For sizes that code is as fast without: ends of long loops, strides of outer ones. 0 and 1 stay what they are. */
void tcc_kernel_vary(TccKernelEmit *k, const TccExpr *size);
TccVal tcc_kernel_slot_value(TccKernelEmit *k, const TccExpr *e); /* sizes[slot], of a constant too */
/* The entry may be had with its numbers in slots as well (tcc_kernel_told); what: see tcc_emit_tell. */
void tcc_kernel_tell(TccKernelEmit *k, unsigned what);
TccVal tcc_kernel_argument(TccKernelEmit *k, int index);            /* address of a buffer: operands, then results */
const TccExpr *tcc_kernel_slot(TccKernelEmit *k, const TccExpr *e); /* constant, or the symbol "$slot" (for tiles) */

/* v / size and v % size of v in [0, 2^62), i64; nothing of use where size is 0. NULL: not wanted. */
void tcc_kernel_divide(TccKernelEmit *k, TccVal v, const TccExpr *size, TccVal *quotient, TccVal *rest);

/* The address of `count` sizes that follow each other, in the open function. */
TccVal tcc_kernel_size_table(TccKernelEmit *k, const TccExpr *const *sizes, size_t count);

typedef struct {
  TccVal scratch, begin, end;
} TccKernelEntry;
/* Opens the entry; helpers are emitted before or after, never inside. */
void tcc_kernel_entry(TccKernelEmit *k, TccKernelEntry *out);
/* Reports for a check of the kernel (tcc_index_checks) that `index`, i64, is outside. Needs k->reports. */
void tcc_kernel_fault(TccKernelEmit *k, int check, TccVal index);
/* Names the entry by the digest of its text and hands everything over. tiles and scratch: over "$slot" symbols. */
void tcc_kernel_finish(TccKernelEmit *k, const char *emitter, const char *schedule, const TccExpr *tiles,
                       const TccExpr *scratch_bytes, TccKernelCode *out);
void tcc_kernel_abandon(TccKernelEmit *k);
#endif
