/* timing.h - what the programs beside this file share: a clock, memory, and ends with a reason. */
#ifndef TCC_BENCH_KERNELS_TIMING_H
#define TCC_BENCH_KERNELS_TIMING_H
#include "tcc/runtime.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Nanoseconds. */
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
  exit(1);
}

static inline void check(TccStatus *status) {
  if (status) fail(tcc_status_message(status));
}

/* At a page, all touched, with room for a vector behind the last byte. */
static inline void *memory(size_t bytes) {
  size_t whole = (bytes + 8191) / 4096 * 4096;
  void *p = aligned_alloc(4096, whole);
  if (!p) fail("out of memory");
  memset(p, 0, whole);
  return p;
}
#endif
