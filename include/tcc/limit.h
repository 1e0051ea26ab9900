/* limit.h - how long a compilation may take, and how much memory. No MLIR.
 *
 * Who does work that a model can ask much of looks from time to time, between two nodes, ops or kernels. Nothing is interrupted: a
 * single step may exceed a limit, and what follows it does not happen. */
#ifndef TCC_LIMIT_H
#define TCC_LIMIT_H
#include "tcc/base.h"

typedef struct {
  double seconds, end; /* the time; in milliseconds of tcc_now_ms. 0: no limit */
  size_t bytes, most;  /* the memory, and what the process may have with it. 0: no limit */
  unsigned looks;
  double next;    /* when memory is looked at again */
  size_t refused; /* bytes that the system would not give; 0: none */
  bool reached;   /* it stays so */
} TccLimit;

/* From now on, of this process. seconds 0: any time. bytes 0: three quarters of the machine's memory; SIZE_MAX: any. */
TCC_EXPORT void tcc_limit_start(TccLimit *limit, double seconds, size_t bytes);
/* Whether a limit is reached; time is looked at each time, memory at the first and then once in 10 ms. For one
 * thread: others have copies. */
TCC_EXPORT bool tcc_limit_reached(TccLimit *limit);
/* Whether `bytes` more may be had at once, for what an input can ask for in a few bytes: where not, a limit is reached. */
TCC_EXPORT bool tcc_limit_fits(TccLimit *limit, size_t bytes);
/* Which one, for a message; in out, which it returns. */
TCC_EXPORT const char *tcc_limit_text(const TccLimit *limit, char out[96]);
#endif
