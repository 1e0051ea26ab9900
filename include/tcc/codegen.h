/* codegen.h - machines, and what code generation makes of one fused kernel.
 *
 * A kernel is a func.func with the attribute tcc.kernel = KIND whose body is tcc primitive ops (or one composite that the
 * target keeps whole) on tensors; docs/kernels.md states the form of each kind. Emitters turn it into a list of ops of the LLVM
 * dialect, which crosses threads without an MLIR context. Its text is what a reader wants to see, names a kernel by its digest
 * and is the key of the kernel cache. */
#ifndef TCC_CODEGEN_H
#define TCC_CODEGEN_H
#include "tcc/abi.h"
#include "tcc/ir.h"

/* What a GPU has. */
typedef struct {
  uint32_t sms;                  /* multiprocessors */
  uint32_t threads, registers;   /* of a multiprocessor: threads that it holds, registers of 32 bits */
  uint32_t shared, block_shared; /* bytes of shared memory: of a multiprocessor, of a block at most */
} TccGpu;

/* The machine that code is made for: an input of the build, recorded in the artifact. */
typedef struct {
  char triple[64];
  char cpu[64];        /* LLVM name */
  char features[2048]; /* LLVM feature string */
  uint64_t isa;        /* TCC_ISA_* bits (abi.h), what emitters ask for */
  uint64_t lowered; /* those that what is emitted for isa is lowered to, for tests; 0: none, the machine has isa's instructions */
  uint32_t l1_bytes, l2_bytes, l3_bytes, cores;
  uint32_t memory_rate; /* bytes a cycle that one core reads from memory beside its multiply-adds; 0: not measured */
  char sizes[96];       /* those that the target's text gave, as it wrote them, "" if none; and what is said of tiles */
  bool llvm_tiles;      /* register tiles are written in the LLVM dialect, not as machine code: the same results, later */
  TccGpu gpu;           /* zeros: it is none */
} TccMachine;
/* TCC_ISA_* bits that a machine must have to run what is made for m. */
static inline uint64_t tcc_machine_needs(const TccMachine *m) { return m->lowered ? m->lowered : m->isa; }

/* A module in the LLVM dialect: a list of ops, as emitters write it (lib/codegen/emit/llvm_list.h), or the text of others, which MLIR
 * reads. Any thread may read it; it is in the arena of who made it. */
typedef struct TccLlvmModule TccLlvmModule;
typedef struct {
  const TccLlvmModule *module; /* NULL: text */
  TccStr text;
  TccStr
      routine; /* of text: its last function, if others may have it, too; "llvm.func hidden @ROUTINE(...) ... {" is its first line */
} TccLlvm;
/* Appends the text of a module in the LLVM dialect. */
TCC_EXPORT void tcc_llvm_text(const TccLlvm *llvm, TccText *out);
/* Appends what tells modules apart: the text, but of shared routines (emit.h), whose symbols are made of their content, the symbols alone. */
TCC_EXPORT void tcc_llvm_identity(const TccLlvm *llvm, TccText *out);
/* What the code generator has to do: the text of functions, in bytes. Constants and machine code are next to nothing; vectors of 64-bit
 * elements, which no register may hold, count twice. */
TCC_EXPORT size_t tcc_llvm_work(const TccLlvm *llvm);
/* The text of a kernel for a GPU, as it stands in a gpu.module: a gpu.func, and the globals that it uses. */
TCC_EXPORT void tcc_llvm_gpu_text(const TccLlvm *llvm, TccText *out);
/* The same with the functions and the machine code that many kernels have, shared routines (emit.h), as declarations where `routines` has their names;
 * it gets those of the others. */
TCC_EXPORT TccLlvm tcc_llvm_declare_routines(TccArena *arena, TccMap *routines, const TccLlvm *llvm);
/* A module as two, by what effort is made of a function: LITTLE has those without optimisation, FULL all else; each declares what it needs of the
 * other. One that has nothing of its own has neither module nor text. */
TCC_EXPORT void tcc_llvm_part(TccArena *arena, const TccLlvm *llvm, TccLlvm out[TCC_EFFORT_COUNT]);

/* A tensor map of CUDA: a parameter of 128 bytes by which a kernel copies boxes of a buffer to shared memory, asynchronously (TMA). Axes come
 * innermost first; stride[0] is not looked at, it is 1. Expressions are over "$i" as TccKernelCode.tiles, sizes and strides in elements. */
typedef struct {
  int buffer, rank; /* operands of the kernel, then results; 1 to TCC_TENSOR_MAP_RANK */
  TccElem elem;
  const TccExpr *offset, *size[TCC_TENSOR_MAP_RANK], *stride[TCC_TENSOR_MAP_RANK];
  uint32_t box[TCC_TENSOR_MAP_RANK];
  uint32_t swizzle; /* bytes: 0, 32, 64 or 128 */
  bool im2col;      /* boxes are box[0] places of axis 0 by box[1] pixels, see TccPlanTensorMap; rank 3 at least */
  int32_t lower[TCC_TENSOR_MAP_RANK - 2], upper[TCC_TENSOR_MAP_RANK - 2];
  uint32_t step[TCC_TENSOR_MAP_RANK - 2];
} TccTensorMap;

/* How a kernel of a GPU is started. */
typedef struct {
  const TccExpr *grid[3];        /* blocks, over "$i" as TccKernelCode.tiles; grid[0] NULL: threads of a CPU call tiles */
  uint32_t block[3], cluster[3]; /* threads of a block; blocks of a cluster */
  uint32_t static_shared;        /* bytes of a block that the code has of its own */
  const TccExpr *dynamic_shared; /* that it is given, over "$i" */
  const TccTensorMap *maps;      /* its parameters behind the addresses */
  size_t nmaps;
} TccKernelLaunch;

/* What the plan needs to start a kernel. */
typedef struct {
  const char *symbol;          /* unique by content: "k_<digest prefix>_<ops>" */
  TccLlvm llvm;                /* a module that defines `symbol` with the kernel ABI (abi.h) */
  const TccExpr *const *sizes; /* values of the sizes[] argument, over the module's symbols */
  size_t nsizes;
  const TccExpr *tiles;         /* number of tiles, over the symbols "$0", "$1", ... = sizes[i] */
  const TccExpr *scratch_bytes; /* per thread, over "$i"; 64-byte aligned */
  TccKernelLaunch launch;       /* of a GPU's kernel; tiles are then the blocks */
  TccPrefetch prefetch;         /* operand: an argument of the kernel function */
  const char *emitter;          /* "TARGET.KIND": for reports */
  const char *schedule;         /* printed attribute, or "" */
  unsigned tells;               /* of a kernel that can be told its numbers (tcc_kernel_told), 1 + what of tcc_emit_tell; else 0 */
  size_t told_size;             /* and how much of it stays as it is: only those of one size can come to be the same */
} TccKernelCode;

/* A target (target.h), and the machine that is compiled for. */
typedef struct TccTarget TccTarget;
typedef struct TccTargetInfo {
  const TccTarget *of;
  TccMachine machine;
} TccTargetInfo;

/* e, which is over "$0", "$1", ..., over the module's symbols. */
TCC_EXPORT const TccExpr *tcc_kernel_code_expr(TccIr *ir, const TccKernelCode *code, const TccExpr *e);
/* The same code, a little longer, with its numbers in sizes[]: kernels that differ in them alone have one symbol there. code->tells is not 0. */
TCC_EXPORT void tcc_kernel_told(TccIr *ir, const TccKernelCode *code, TccKernelCode *out);
/* Appends the code's launch, "grid [12, 1, 1] block [256, 1, 1] cluster [1, 1, 1] shared 8192 + 0", and what of the machine's
 * multiprocessors it can fill; nothing if it has none. */
TCC_EXPORT void tcc_kernel_launch_text(TccIr *ir, const TccMachine *machine, const TccKernelCode *code, TccText *out);
/* TCC_UNSUPPORTED: a block has more threads or shared memory than the machine gives it. */
TCC_EXPORT TccStatus *tcc_kernel_launch_check(const TccMachine *machine, const TccKernelLaunch *launch) TCC_CHECKED;

/* Gets the code generator of this thread ready, so that the first call of tcc_codegen_object is as quick as the others. */
TCC_EXPORT void tcc_codegen_prepare(const TccMachine *machine);
/* A module in the LLVM dialect -> relocatable object or assembly for the machine. Thread-safe. */
TCC_EXPORT TccStatus *tcc_codegen_object(const TccMachine *machine, const TccLlvm *llvm, bool assembly, TccText *out) TCC_CHECKED;
/* The same for several in one object (count > 0): each defines symbols that no other does, but for internal ones. Those that are text
 * take longer, for MLIR reads them. Of little effort (TccCompileOptions): products that may be contracted with a sum are not, so that
 * results differ by that rounding. */
TCC_EXPORT TccStatus *tcc_codegen_objects(const TccMachine *machine, const TccLlvm *llvm, size_t count, TccEffort effort,
                                          bool assembly, TccText *out) TCC_CHECKED;
/* -> LLVM IR as text, before it has a machine: what mlir-translate makes of the text, too. */
TCC_EXPORT TccStatus *tcc_codegen_ir(const TccLlvm *llvm, TccText *out) TCC_CHECKED;

/* Weight-only analysis: true if value depends on weights and constants alone at every call site (the init plan). */
typedef struct TccInit TccInit;
TCC_EXPORT TccInit *tcc_init_analyse(TccIr *ir, MlirOperation module, TccArena *arena);
TCC_EXPORT bool tcc_init_is(const TccInit *init, MlirValue value);
#endif
