/* measure_child.h - what the process that asks for times and the one that takes them agree on (measure.c, gpu_measure.c). */
#ifndef TCC_MEASURE_CHILD_H
#define TCC_MEASURE_CHILD_H
#include "internal.h"
#include "tcc/measure.h"

typedef struct {
  uint64_t index, reference;
  double budget_ms, hopeless;
} TccMeasureRequest;
typedef struct {
  double ms, ratio;
  char error[240]; /* "", or why there is no time; the child ends */
} TccMeasureAnswer;

/* The milliseconds of one of `repeat` runs of a kernel behind each other. */
typedef TccStatus *TccMeasureTime(void *child, uint64_t index, size_t repeat, double *out_ms);
/* What tcc_measurer_run says, on the side of the child. */
TccStatus *tcc_measure_answer(TccMeasureTime *time, void *child, const TccMeasureRequest *request,
                              TccMeasureAnswer *out) TCC_CHECKED;

/* The file that a child for a device gets: this; `dims` int64_t, the sizes of the operands' axes; for each kernel the bytes of its artifact, which
 * stand behind each other after that. */
typedef struct {
  uint64_t kernels, dims, cold_bytes;
} TccMeasureHead;
enum { TCC_MEASURE_FILE = 3 }; /* its descriptor there; requests are standard input, answers standard output */
/* Serves requests until there are no more, or an error was answered; gives the status that the process ends with. */
int tcc_gpu_measure(int file, int in, int out);
#endif
