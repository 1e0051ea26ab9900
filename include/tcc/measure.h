/* measure.h - times kernels one by one, in a child process that may crash or hang without harm. No MLIR.
 *
 * The child runs a kernel on a team of threads as a model would: operands that come warm from the kernel before lie in one
 * buffer; those that are read once a run (weights) are rotated through copies that together exceed the last cache. */
#ifndef TCC_MEASURE_H
#define TCC_MEASURE_H
#include "tcc/abi.h"
#include "tcc/base.h"
#include "tcc/elem.h"

typedef struct { size_t bytes; TccElem elem; bool cold; } TccMeasureBuffer;
typedef struct {
  TccKernelFunction *function;
  const TccMeasureBuffer *buffers; /* operands, then results; floats get values in [-1, 1), everything else zeros */
  size_t nbuffers;
  const int64_t *sizes;
  int64_t tiles;
  size_t scratch_bytes;
} TccMeasureKernel;

typedef struct TccMeasurer TccMeasurer;
/* kernels is borrowed. cold_bytes: what the copies of cold buffers shall exceed. The child starts with the first run. */
TCC_EXPORT TccStatus *tcc_measurer_create(const TccMeasureKernel *kernels, size_t count, unsigned threads, size_t cold_bytes,
                                          TccMeasurer **out) TCC_CHECKED;
TCC_EXPORT void tcc_measurer_destroy(TccMeasurer *measurer);
/* Runs kernel `index` once to warm up and then for about `budget_ms`, at least three times; *out_ms is the lower quartile.
 * TCC_MISMATCH: the kernel crashed or took more than limit_ms in all; the next run has a new child. */
TCC_EXPORT TccStatus *tcc_measurer_run(TccMeasurer *measurer, size_t index, double budget_ms, double limit_ms, double *out_ms) TCC_CHECKED;
#endif
