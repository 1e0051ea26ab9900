/* driver.h - the steps of one compilation; driver.c runs them in order. */
#ifndef TCC_CODEGEN_DRIVER_H
#define TCC_CODEGEN_DRIVER_H
#include "lib/codegen/plan.h"
#include "tcc/cache.h"
#include "tcc/compile.h"

/* One kernel function of the module, and the object that it got; equal code has one, small kernels share one. */
typedef struct {
  MlirOperation function;
  TccStr name, kind;
  bool builtin;
  TccKernelCode code;
  size_t object; /* index into objects */
} TccDriverKernel;
typedef struct TccDriverObject TccDriverObject;
struct TccDriverObject {
  const char *symbol;    /* of its first kernel */
  TCC_VEC(TccStr) texts; /* of each kernel that is first to have its code, without the parts of earlier ones */
  size_t work;           /* bytes of their functions */
  TccText bytes;         /* the object; heap */
  bool cached, by_mlir;  /* found in the cache; of texts that only MLIR could read */
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
  bool calls_libc; /* some kernel is the reference target's */
  TccMap *by_name, *by_symbol;
  TCC_VEC(TccDriverKernel) kernels;
  TccMap *parts; /* symbols of functions that some object defines */
  TCC_VEC(TccDriverObject *) objects;
  TccDriverObject *open; /* the last of them, which takes further kernels; or NULL */
  TccDriverPool *pool;
} TccDriver;

/* A kernel's text with the parts (emit.h) that others define as declarations; `parts` has their names and gets the rest. */
TccStr tcc_parts_declare(TccArena *arena, TccMap *parts, TccStr text);
/* Asks for huge pages where the heap of this thread will grow: a compilation writes some 12 MB of it first, page by page. */
void tcc_driver_heap(void);
/* Starts the threads that make objects; they get ready while the model is still being read. */
void tcc_driver_start(TccDriver *driver);
/* Ends them; after an error objects may be unmade. Must be called if tcc_driver_start was. */
void tcc_driver_stop(TccDriver *driver);
/* Emits every kernel function: text, sizes, tiles. Names all that fail. Objects are made as texts come. */
TccStatus *tcc_driver_emit(TccDriver *driver) TCC_CHECKED;
/* Makes the objects that nobody has begun, waits for the others. */
TccStatus *tcc_driver_objects(TccDriver *driver) TCC_CHECKED;
#endif
