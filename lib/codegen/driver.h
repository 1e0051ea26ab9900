/* driver.h - the steps of one compilation; driver.c runs them in order. */
#ifndef TCC_CODEGEN_DRIVER_H
#define TCC_CODEGEN_DRIVER_H
#include "lib/codegen/plan.h"
#include "tcc/cache.h"
#include "tcc/compile.h"

/* One kernel function of the module, and the object that it got; equal code has one object. */
typedef struct {
  MlirOperation function;
  TccStr name, kind;
  bool builtin;
  TccKernelCode code;
  size_t object;             /* index into objects */
} TccDriverKernel;
typedef struct {
  const char *symbol;
  TccStr text;
  TccText bytes;             /* the object; heap */
  bool cached;
  TccStatus *status;
} TccDriverObject;

typedef struct {
  TccIr *ir;
  MlirOperation module;
  const TccCompileOptions *options;
  const TccTargetInfo *target;
  TccCache *cache;
  bool calls_libc;           /* some kernel is the reference target's */
  TccMap *by_name, *by_symbol;
  TCC_VEC(TccDriverKernel) kernels;
  TCC_VEC(TccDriverObject) objects;
} TccDriver;

/* Emits every kernel function: text, sizes, tiles. Names all that fail. */
TccStatus *tcc_driver_emit(TccDriver *driver) TCC_CHECKED;
/* Text -> objects, on several threads, by way of the cache. */
TccStatus *tcc_driver_objects(TccDriver *driver) TCC_CHECKED;
#endif
