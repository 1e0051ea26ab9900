/* tuner.h - measuring the candidate schedules of a module's kernels, which a compilation is given as a function. */
#ifndef TCC_TUNER_H
#define TCC_TUNER_H
#include "tcc/cache.h"
#include "tcc/compile.h"
#include "tcc/ptxas.h"
#include "tcc/target.h"
#include "tcc/tune.h"

typedef struct TccTuning {
  TccIr *ir;
  const TccTargetInfo *target;
  MlirOperation module; /* as tcc-variants left it */
  const char *rest;     /* pipeline text: the passes after tcc-select */
  TccRecords *records;
  TccCache *cache;                  /* of cubins, or NULL */
  const TccPtxas *ptxas;            /* of a device's candidates; NULL: its driver compiles them */
  const TccCompileOptions *options; /* threads, jobs, tune_seconds, inputs, dims, progress */
} TccTuning;
/* Measures every kernel that has no finished record, the most expensive first, until done or out of time. TCC_INCOMPATIBLE: kernels are a
 * device's, and this machine has not that device. */
typedef TccStatus *TccTuner(const TccTuning *tuning);
TccTuner tcc_tune_module;
/* tcc_compile and, where bytes.data is not NULL, tcc_compile_memory (compile.h) with the tuner that mode max-autotune calls. */
TccStatus *tcc_compile_with(const char *model, TccStr bytes, const TccCompileOptions *options, TccTuner *tuner,
                            TccCompileResult *out) TCC_CHECKED;
#endif
