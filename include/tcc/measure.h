/* measure.h - times kernels one by one, in a child process that may crash or hang without harm. No MLIR.
 *
 * The child runs a kernel on a team of threads as a model would: operands that come warm from the kernel before lie in one
 * buffer; those that are read once a run (weights) are rotated through copies that together exceed the last cache.
 *
 * Of a kernel for a device the child is a program of its own, tcc-measure, which lies beside the run-time's library: a process that has used CUDA
 * leaves its forks without it. All buffers are rotated there, floats are normal numbers, and a time is the device's own: events around a
 * CUDA graph of the runs. */
#ifndef TCC_MEASURE_H
#define TCC_MEASURE_H
#include "tcc/abi.h"
#include "tcc/base.h"
#include "tcc/elem.h"

typedef struct {
  size_t bytes;
  TccElem elem;
  bool cold;
} TccMeasureBuffer;
typedef struct {
  TccKernelFunction *function;
  const TccMeasureBuffer *buffers; /* operands, then results; floats get values in [-1, 1), everything else zeros */
  size_t nbuffers;
  const int64_t *sizes;
  int64_t tiles;
  size_t scratch_bytes;
  /* Of a device, in place of all that: a model whose main is one call of the kernel, with its operands, and the sizes of all axes of these, one after
   * the other, the same for all kernels of a measurer. */
  TccStr artifact;
  const int64_t *dims;
  size_t ndims;
} TccMeasureKernel;

/* The device that kernels are measured on, number 0, as records know it: "NVIDIA H100 80GB HBM3, sm_90, 132 multiprocessors". Cut to fit. isa: of the
 * code (abi.h). TCC_INCOMPATIBLE: there is no driver or no device, or the driver is too old, or the device is another chip than the code is for;
 * the message is one line. Thread-safe. */
enum { TCC_MEASURE_DEVICE_NAME = 160 };
TCC_EXPORT TccStatus *tcc_measure_device(uint64_t isa, char out_name[TCC_MEASURE_DEVICE_NAME]) TCC_CHECKED;

typedef struct TccMeasurer TccMeasurer;
/* kernels is borrowed; all are functions, or all are of a device. cold_bytes: what the copies of cold buffers shall exceed. The child starts with the
 * first run. */
TCC_EXPORT TccStatus *tcc_measurer_create(const TccMeasureKernel *kernels, size_t count, unsigned threads, size_t cold_bytes,
                                          TccMeasurer **out) TCC_CHECKED;
TCC_EXPORT void tcc_measurer_destroy(TccMeasurer *measurer);
/* Times kernel `index` beside kernel `reference`, turn by turn for about `budget_ms` and at least twice, after a run of each
 * to warm up: other work on the machine comes in bursts, and slows both. *out_ratio is the median of the quotients, *out_ms
 * the lower quartile of the kernel's times. If its first run takes more than `hopeless` times what the reference takes (0:
 * no matter), there is no second. A kernel is its own reference: then the ratio is 1.
 * TCC_MISMATCH: the kernel crashed or took more than limit_ms in all, or the device's driver said what the message says; the next run has a new
 * child. */
TCC_EXPORT TccStatus *tcc_measurer_run(TccMeasurer *measurer, size_t index, size_t reference, double budget_ms, double hopeless,
                                       double limit_ms, double *out_ms, double *out_ratio) TCC_CHECKED;
#endif
