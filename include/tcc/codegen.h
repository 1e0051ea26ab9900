/* codegen.h - targets, and what a target gives for one fused kernel.
 *
 * A kernel is a func.func with the attribute tcc.kernel = KIND whose body is tcc primitive ops (or one composite that the
 * target keeps whole) on tensors; docs/kernels.md states the form of each kind. Emitters turn it into LLVM-dialect text;
 * text, because it crosses threads without an MLIR context, is the content that the kernel cache hashes, and is what a
 * reader wants to see. */
#ifndef TCC_CODEGEN_H
#define TCC_CODEGEN_H
#include "tcc/abi.h"
#include "tcc/ir.h"

/* The machine that code is made for: an input of the build, recorded in the artifact. */
typedef struct {
  char triple[64];
  char cpu[64];        /* LLVM name */
  char features[2048]; /* LLVM feature string */
  uint64_t isa;        /* TCC_ISA_* bits (abi.h), what emitters ask for */
  uint32_t l1_bytes, l2_bytes, l3_bytes, cores;
} TccMachine;

/* What the plan needs to start a kernel. */
typedef struct {
  const char *symbol;          /* unique by content: "k_<digest prefix>_<ops>" */
  TccStr text;                 /* module in the LLVM dialect that defines `symbol` with the kernel ABI (abi.h) */
  const TccExpr *const *sizes; /* values of the sizes[] argument, over the module's symbols */
  size_t nsizes;
  const TccExpr *tiles;         /* number of tiles, over the symbols "$0", "$1", ... = sizes[i] */
  const TccExpr *scratch_bytes; /* per thread, over "$i"; 64-byte aligned */
  TccFetch fetch;               /* operand: an argument of the kernel function */
  const char *emitter;          /* "x86.contract", "reference", ...: for reports */
  const char *schedule;         /* printed attribute, or "" */
} TccKernelCode;

typedef struct TccTargetInfo TccTargetInfo;
struct TccTargetInfo {
  const char *name; /* "x86", "nvptx", "reference" */
  TccMachine machine;
  /* Whether decompose leaves this composite whole for the target. */
  bool (*keeps)(const TccTargetInfo *target, TccIr *ir, MlirOperation op);
  /* Whether the kernel of this attention may join the keys and values that it reads, each of two operands one behind the other along the
   * keys, and write them, too. NULL: none may. */
  bool (*joins)(const TccTargetInfo *target, TccIr *ir, MlirOperation attention);
  /* Emits one kernel. TCC_UNSUPPORTED with the reason if no emitter takes it (the driver may fall back to the reference
   * lowering and reports it). All output is in ir->arena. Reads the IR only. */
  TccStatus *(*emit)(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out);
};

/* "x86", "x86,avx2", "nvptx,sm_90a", "reference"; NULL is x86 for this machine. */
TCC_EXPORT TccStatus *tcc_target_parse(TccArena *arena, const char *text, const TccTargetInfo **out) TCC_CHECKED;
/* Whether kernels of this kind (tcc.kernel) have no code of their own: functions of the run-time do what they say. */
TCC_EXPORT bool tcc_kind_is_builtin(TccStr kind);
/* Gets the code generator of this thread ready, so that the first call of tcc_codegen_object is as quick as the others. */
TCC_EXPORT void tcc_codegen_prepare(const TccMachine *machine);
/* LLVM-dialect text -> relocatable object or assembly for the machine. Thread-safe: each call uses a thread-local context. */
TCC_EXPORT TccStatus *tcc_codegen_object(const TccMachine *machine, TccStr text, bool assembly, TccText *out) TCC_CHECKED;
/* The same for several texts in one object (count > 0): each defines symbols that no other does, but for internal ones.
 * *out_by_mlir: a text was not of the forms that emitters write (llvm_read.h), so MLIR read them all, which takes longer. */
TCC_EXPORT TccStatus *tcc_codegen_objects(const TccMachine *machine, const TccStr *texts, size_t count, bool assembly, TccText *out,
                                          bool *out_by_mlir) TCC_CHECKED;

/* Weight-only analysis: true if value depends on weights and constants alone at every call site (the init plan). */
typedef struct TccInit TccInit;
TCC_EXPORT TccInit *tcc_init_analyse(TccIr *ir, MlirOperation module, TccArena *arena);
TCC_EXPORT bool tcc_init_is(const TccInit *init, MlirValue value);
#endif
