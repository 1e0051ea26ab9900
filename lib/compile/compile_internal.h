/* compile_internal.h - the steps of one compilation; compile.c runs them in order. */
#ifndef TCC_CODEGEN_DRIVER_H
#define TCC_CODEGEN_DRIVER_H
#include "lib/compile/plan.h"
#include "lib/ir/internal.h"
#include "tcc/cache.h"
#include "tcc/compile.h"
#include "tcc/ptxas.h"

/* One kernel function of the module, and the object that it got; equal code has one, small kernels share one. */
typedef struct {
  MlirOperation function;
  TccStr name;
  TccKernelKind kind;
  bool builtin;
  bool cold; /* what it does is nothing beside what the model does (cold.c) */
  TccKernelCode code;
  size_t object; /* index into objects */
} TccDriverKernel;
typedef struct TccDriverObject TccDriverObject;
struct TccDriverObject {
  const char *symbol;    /* of its first kernel */
  TCC_VEC(TccLlvm) llvm; /* of each kernel that is first to have its code, without the routines of earlier ones */
  size_t index;          /* in the driver's objects */
  size_t work;           /* bytes of their functions */
  TccEffort effort;
  TccText bytes;        /* the object; heap */
  TccText cubin;        /* of one for a device, where there is an assembler; heap */
  bool cached, by_mlir; /* found in the cache; some kernel is text, which MLIR reads */
  TccStatus *status;
  TccDriverObject *next; /* in the list of those that nobody has begun */
};

typedef struct TccDriverPool TccDriverPool;

typedef struct {
  TccIr *ir;
  MlirOperation module;
  const TccCompileOptions *options;
  const TccTargetInfo *target;
  TccCache *cache;
  const TccPtxas *ptxas; /* or NULL */
  bool only_plan;        /* the target has no artifact: no objects are made */
  bool calls_libc;       /* some kernel is the reference target's */
  TccMap *by_name, *by_symbol;
  TCC_VEC(TccDriverKernel) kernels;
  TccMap *routines; /* symbols of functions that some object defines */
  TCC_VEC(TccDriverObject *) objects;
  TccDriverObject *open[TCC_EFFORT_COUNT]; /* the last ones, which take further kernels; or NULL */
  TccDriverPool *pool;
} TccDriver;

/* Kernels run on a device: objects are PTX, which the plan holds. */
static inline bool tcc_driver_on_device(const TccDriver *driver) { return driver->target->of->space == TCC_SPACE_DEVICE; }
/* PTX as the code generator leaves it, without what ends it. */
TccStr tcc_driver_ptx(const TccText *text);
/* Appends the cubin of PTX for a chip: from the cache (NULL: there is none), else by ptxas. Thread-safe. */
TccStatus *tcc_driver_cubin(const TccCache *cache, const TccPtxas *ptxas, const char *chip, TccStr ptx, const TccLimit *limit,
                            TccText *out) TCC_CHECKED;
/* The objects of a device as images of the plan, in arena. */
TccPlanCode *tcc_driver_images(const TccDriver *driver, TccArena *arena, size_t *out_count);

/* Asks for huge pages where the heap of this thread will grow: a compilation writes some 12 MB of it first, page by page. */
void tcc_driver_heap(void);
/* TCC_INVALID if a caller's input or size has a name that main has not; the message lists those that it has. */
TccStatus *tcc_driver_check_names(TccIr *ir, MlirOperation module, const TccCompileOptions *options) TCC_CHECKED;
/* Ties outputs to inputs as the options say. TCC_INVALID, with all that is wrong: names that main has not, other types, an input twice. */
TccStatus *tcc_driver_tie(TccIr *ir, MlirOperation module, const TccCompileOptions *options) TCC_CHECKED;
/* A kernel function as a module whose main it is, in text; in arena. */
const char *tcc_kernel_module_text(TccIr *ir, MlirOperation module, MlirOperation function, TccArena *arena);
/* Starts the threads that make objects; they get ready while the model is still being read. */
void tcc_driver_start(TccDriver *driver);
/* Ends them; after an error objects may be unmade. Must be called if tcc_driver_start was. */
void tcc_driver_stop(TccDriver *driver);
/* The kernel functions that a run spends next to no time in, mapped to themselves: of a model with few kernels those of weights alone, which get tcc.cold. */
TccPointerMap tcc_driver_cold(TccIr *ir, MlirOperation module);
/* Emits every kernel function: text, sizes, tiles. Names all that fail. Objects are made as texts come. */
TccStatus *tcc_driver_emit(TccDriver *driver) TCC_CHECKED;
/* Makes the objects that nobody has begun, waits for the others. */
TccStatus *tcc_driver_objects(TccDriver *driver) TCC_CHECKED;
#endif
