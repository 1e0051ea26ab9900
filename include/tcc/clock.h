/* clock.h - time that has passed. No MLIR. */
#ifndef TCC_CLOCK_H
#define TCC_CLOCK_H
#include <time.h>

/* Milliseconds since some moment of the past, the same for all threads; never goes back. */
static inline double tcc_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
#endif
