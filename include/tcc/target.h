/* target.h - what a target gives to the passes, to code generation and to the steps of a compilation.
 *
 * A target is one const TccTarget (lib/targets/NAME/NAME.c) and a row of lib/targets/targets.def. Nothing outside of
 * lib/targets knows a target by its name: what differs among targets is a field here. All functions are pure and thread-safe
 * as far as their TccIr is. */
#ifndef TCC_TARGET_H
#define TCC_TARGET_H
#include "tcc/codegen.h"
#include "tcc/pass.h"
#include "tcc/tunable.h"

/* Emits one kernel of its kind. TCC_UNSUPPORTED with the reason if the emitter does not take it. All output is in ir->arena. Reads the
 * IR only. */
typedef TccStatus *TccEmitterFunction(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out);
typedef struct {
  TccKernelKind kind; /* TCC_KERNEL_NONE: any */
  TccEmitterFunction *emit;
} TccEmitter;

/* What a target is fast at that has products of bytes (tcc-lower-qdq). */
typedef struct {
  bool
      any_sign; /* bytes of any two signs, of convolutions images of any; else the left operand and images are unsigned, the right one signed */
  bool float_sums; /* convolutions of i32 whose sums become floats are faster in f32 */
  bool rescales;   /* epilogues of products in i32 bring bytes that they read to their scale */
  /* Whether a product of fewer than four rows is faster in bytes; stored: its right operand is bytes of the model. */
  bool (*few_rows)(const TccMachine *machine, bool stored);
  /* Whether this convolution of dequantised numbers is faster as one of bytes by signed ones. */
  bool (*takes_conv)(const TccMachine *machine, TccIr *ir, MlirOperation conv);
} TccByteProducts;

struct TccTarget {
  const char *name;
  const char *machines; /* what may stand behind "name,": "MACHINE", for help texts; NULL: nothing */
  /* The machine of that name; an empty name is the target's default machine. TCC_INVALID: unknown, the message lists the known;
   * TCC_UNSUPPORTED: the target makes no code for it. */
  TccStatus *(*machine)(TccStr name, TccMachine *out);
  /* Pipeline texts, for the elements "target-lower" (what becomes other ops of the graph), "target-layout" (behind it and in front of what finds
   * equal regions) and "target-kernels" (after fusion) of passes/pipelines.def; passes of the target's own stand in them, and in no other target's.
   * NULL: no passes. */
  const char *lower, *layout, *kernels;
  const TccPassInfo *passes;
  size_t npasses;
  /* Whether decompose leaves this composite whole for the target. NULL: none. */
  bool (*keeps)(const TccMachine *machine, TccIr *ir, MlirOperation op);
  /* Whether the kernel of this attention may join the keys and values that it reads, each of two operands one behind the other along
   * the keys, and write them, too. NULL: none may. */
  bool (*joins)(const TccMachine *machine, TccIr *ir, MlirOperation attention);
  /* Whether the emitter of this contraction, whose right operand elementwise ops make from fewer bytes, reads that as it lies, as fast as if it had been
   * made before (tcc-fuse-weight-dequant). NULL: none does. */
  bool (*reads_narrow)(const TccTargetInfo *target, TccIr *ir, MlirOperation contraction);
  const TccByteProducts *bytes; /* NULL: products of dequantised bytes stay in floats */
  /* Elementwise functions that the machine does better than the common bodies (lib/codegen/emit/scalar.h); may be NULL, and give NULL. */
  const struct TccScalarFunctions *(*scalars)(const TccMachine *machine);
  const TccEmitter *emitters; /* the first of a kernel's kind is asked */
  size_t nemitters;
  const TccTunable *const *tunables; /* of emitters with schedules */
  size_t ntunables;
  const TccTarget *fallback; /* what emits a kernel that this target's emitters do not take; NULL: nothing does */
  TccSpace space;            /* of the buffers that its kernels read and write */
  bool eager;                /* its emitters round as tcc.numerics = "eager" asks (docs/numerics.md) */
  bool row_sums; /* a vector times a matrix of its own is faster as a sum of products in a kernel of rows than as a product */
  /* Its row kernels read what has one element for each row where they write the row's results, behind all else: one may lie where the other does. */
  bool rows_in_place;
  /* Simple operations that the machine does in the time that a further kernel costs: fusion computes as many again to save one. */
  double launch_operations;
  /* Whether the machine's convolutions of this kind (of x, transposed, of the weights' gradient) are no faster in this type of 16 bits than in f32:
   * tcc-autocast leaves them in f32. NULL: they are. */
  bool (*wide_convolution)(const TccMachine *machine, TccElem narrow, TccOpKind kind);
  bool calls_libc;         /* its kernels do: an artifact that has some is bound to libc and libm */
  const char *no_artifact; /* why there is no artifact of this target, as a sentence for a user; NULL: there is */
};

/* "NAME" or "NAME,MACHINE"; NULL is the first target of the table, for this machine. *out is in the arena. */
TCC_EXPORT TccStatus *tcc_target_parse(TccArena *arena, const char *text, const TccTargetInfo **out) TCC_CHECKED;
TCC_EXPORT const TccTarget *const *tcc_target_table(size_t *out_count);
/* Adds a target of a program that links the compiler to the table; it must live as long as the program. TCC_INVALID: its name is taken, or
 * there is no more room. Not thread-safe: to be called before anything else of tcc. */
TCC_EXPORT TccStatus *tcc_target_register(const TccTarget *target) TCC_CHECKED;
/* Passes for all targets and then each target's own, by number from 0; NULL behind the last. *out_owner (may be NULL): the target whose
 * own it is, else NULL. */
TCC_EXPORT const TccPassInfo *tcc_target_pass_at(size_t index, const TccTarget **out_owner);
/* The same by name; NULL: there is none. */
TCC_EXPORT const TccPassInfo *tcc_target_pass(TccStr name, const TccTarget **out_owner);

TCC_EXPORT bool tcc_target_keeps(const TccTargetInfo *target, TccIr *ir, MlirOperation op);
TCC_EXPORT bool tcc_target_joins(const TccTargetInfo *target, TccIr *ir, MlirOperation attention);
/* Emits one kernel by the emitter of its kind. TCC_UNSUPPORTED with the reason if none takes it; TCC_INVALID where a size
 * is not known. */
TCC_EXPORT TccStatus *tcc_target_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
/* Whether kernels of that kind are code of the target's: all that are no C functions of the run-time, and those of which it has an emitter. */
TCC_EXPORT bool tcc_target_emits(const TccTargetInfo *target, TccKernelKind kind);
/* The tunable that takes the kernel, and what it read; NULL if none does. */
TCC_EXPORT const TccTunable *tcc_target_tunable(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, void **out_read);
#endif
