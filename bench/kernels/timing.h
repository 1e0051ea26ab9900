/* timing.h - what the programs beside this file share: a clock, the peak beside it, memory, turns, and ends with a reason. */
#ifndef TCC_BENCH_KERNELS_TIMING_H
#define TCC_BENCH_KERNELS_TIMING_H
#include "tcc/runtime.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* With --avx2 the machine is measured as if it had no AVX-512 (run.py). */
static inline bool avx2_alone(void) { return getenv("TCC_BENCH_AVX2") != NULL; }

#define FMA(v, a, b, i) "vfmadd231ps %%" #v #a ", %%" #v #b ", %%" #v #i "\n\t"
#define FMAS(v, a, b)                                                                                                              \
  FMA(v, a, b, 0)                                                                                                                  \
  FMA(v, a, b, 1)                                                                                                                  \
  FMA(v, a, b, 2) FMA(v, a, b, 3) FMA(v, a, b, 4) FMA(v, a, b, 5) FMA(v, a, b, 6) FMA(v, a, b, 7) FMA(v, a, b, 8) FMA(v, a, b, 9)
#define SUMS "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9"

__attribute__((target("avx2,fma"))) static inline void multiply_add_avx2(long turns) {
  __asm__ volatile("1:\n\t" FMAS(ymm, 14, 15) FMAS(ymm, 14, 15) "dec %0\n\tjnz 1b\n\tvzeroupper"
                   : "+r"(turns)
                   :
                   : "cc", SUMS, "xmm14", "xmm15");
}

__attribute__((target("avx512f"))) static inline void multiply_add_avx512(long turns) {
  __asm__ volatile("1:\n\t" FMAS(zmm, 30, 31) FMAS(zmm, 30, 31) "dec %0\n\tjnz 1b\n\tvzeroupper"
                   : "+r"(turns)
                   :
                   : "cc", SUMS, "xmm30", "xmm31");
}

/* Fused multiply-adds on registers: what nothing can exceed now, with what else runs on the machine. */
static inline double peak(void) {
  enum { TURNS = 20000 };
  bool narrow = avx2_alone();
  double start = now();
  (narrow ? multiply_add_avx2 : multiply_add_avx512)(TURNS);
  return TURNS * 20.0 * (narrow ? 16 : 32) / (now() - start);
}

/* WAKING: a thread that is woken runs on its waker's CPU at first, and each waits while the other one spins, until the system moves it
 * some milliseconds later: 60 us a kernel that takes 20. */
enum { MOST_ENGINES = 16, WAKING = 30000000 /* ns */ };

/* An engine of a program: `turn` runs it for one figure, nanoseconds of one kernel; `wake`, before it and untimed, calls its threads and
 * fetches what lies in caches. */
typedef struct Timed {
  const char *name;
  void *engine;
  void (*wake)(void *engine);
  double (*turn)(void *engine);
} Timed;

/* Rounds in which each engine has one turn; who is first turns by one. Prints {"threads", "peak": the best of the rounds, HEAD..., "ns":
 * {name: [figure of each round]}}; head: further members, each with a comma behind it. */
static inline void time_in_turn(const char *head, const Timed *timed, int engines, int rounds, int threads) {
  double *figures = memory((size_t)engines * (size_t)rounds * sizeof(double)), best = 0;
  for (int round = 0; round < rounds; round++) {
    double now_peak = peak();
    best = now_peak > best ? now_peak : best;
    for (int i = 0; i < engines; i++) {
      int at = (i + round) % engines;
      if (threads > 1) usleep(20000); /* the last one's threads stop spinning */
      double woken = now();
      do timed[at].wake(timed[at].engine);
      while (threads > 1 && now() - woken < WAKING);
      figures[at * rounds + round] = timed[at].turn(timed[at].engine);
    }
  }
  printf("{\"threads\": %d, \"peak\": %.4g, %s\"ns\": {", threads, best, head);
  for (int i = 0; i < engines; i++) {
    printf("\"%s\": [", timed[i].name);
    for (int round = 0; round < rounds; round++) printf("%s%.6g", round ? ", " : "", figures[i * rounds + round]);
    printf("]%s", i + 1 < engines ? ", " : "");
  }
  printf("}}\n");
}

/* The first bytes of a file. */
static inline float *read_weights(const char *path, size_t bytes) {
  int file = open(path, O_RDONLY);
  float *weights = memory(bytes);
  for (size_t at = 0; at < bytes;) {
    ssize_t got = file < 0 ? -1 : read(file, (char *)weights + at, bytes - at);
    if (got <= 0) fail("cannot read the weights");
    at += (size_t)got;
  }
  return weights;
}
#endif
