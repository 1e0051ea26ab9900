/* reduce.h - the command that tcc-reduce tries candidates with. */
#ifndef TCC_TOOLS_REDUCE_H
#define TCC_TOOLS_REDUCE_H
#include "tcc/base.h"

typedef struct {
  const char *const *words; /* {} and {data} in them are replaced */
  size_t count;
  const char *match; /* what its output must have; NULL: nothing */
  double seconds;    /* after which it is killed */
} ReduceCommand;
typedef struct {
  int status;   /* exit status; 128 and the number of the signal that it died of; REDUCE_HANGS */
  bool matches; /* its output has what it must have */
} ReduceOutcome;
enum { REDUCE_HANGS = 1000 };

/* Runs the command; its output goes nowhere else. TCC_IO: it cannot be started. */
TccStatus *reduce_run(const ReduceCommand *command, const char *model, const char *data, ReduceOutcome *out) TCC_CHECKED;
/* Removes input_K.npy and output_K.npy of the folder. */
TccStatus *reduce_clear(const char *folder) TCC_CHECKED;
#endif
