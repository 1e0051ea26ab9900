/* peak.c - what the machine can do in f32: fused multiply-adds on registers, no memory, for a while on N threads.
 *
 *     peak THREADS SECONDS      prints GFLOP/s (a fused multiply-add is two operations)
 *
 * Twenty independent sums hide the latency of an FMA (4 cycles at two a cycle needs eight); the loop's sums reach the
 * output, so nothing can be left out. The widest vectors that the CPU has are used. */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SUMS = 20, BURST = 20000, MAX_THREADS = 1024 };

typedef struct { double seconds, operations, elapsed; float sum; } Work;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((target("avx512f"))) static float burst_avx512(void) {
  __m512 sums[SUMS], x = _mm512_set1_ps(1e-3f), y = _mm512_set1_ps(0.5f);
  for (int k = 0; k < SUMS; k++) sums[k] = _mm512_set1_ps((float)k);
  for (int i = 0; i < BURST; i++) {
#pragma GCC unroll 20
    for (int k = 0; k < SUMS; k++) sums[k] = _mm512_fmadd_ps(sums[k], y, x);
  }
  for (int k = 1; k < SUMS; k++) sums[0] = _mm512_add_ps(sums[0], sums[k]);
  return _mm512_reduce_add_ps(sums[0]);
}

__attribute__((target("avx2,fma"))) static float burst_avx2(void) {
  enum { FEWER = 12 }; /* of 16 registers */
  __m256 sums[FEWER], x = _mm256_set1_ps(1e-3f), y = _mm256_set1_ps(0.5f);
  float lanes[8];
  for (int k = 0; k < FEWER; k++) sums[k] = _mm256_set1_ps((float)k);
  for (int i = 0; i < BURST; i++) {
#pragma GCC unroll 12
    for (int k = 0; k < FEWER; k++) sums[k] = _mm256_fmadd_ps(sums[k], y, x);
  }
  for (int k = 1; k < FEWER; k++) sums[0] = _mm256_add_ps(sums[0], sums[k]);
  _mm256_storeu_ps(lanes, sums[0]);
  return lanes[0] + lanes[7];
}

static void *work(void *argument) {
  Work *w = argument;
  int wide = __builtin_cpu_supports("avx512f");
  double start = now();
  do {
    w->sum += wide ? burst_avx512() : burst_avx2();
    w->operations += wide ? 2.0 * BURST * SUMS * 16 : 2.0 * BURST * 12 * 8;
    w->elapsed = now() - start;
  } while (w->elapsed < w->seconds);
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1;
  double seconds = argc > 2 ? atof(argv[2]) : 0.3, rate = 0;
  if (threads < 1 || threads > MAX_THREADS) return 2;
  static pthread_t ids[MAX_THREADS];
  static Work works[MAX_THREADS];
  for (int i = 0; i < threads; i++) {
    works[i].seconds = seconds;
    if (pthread_create(&ids[i], NULL, work, &works[i])) return 1;
  }
  float sum = 0;
  for (int i = 0; i < threads; i++) {
    pthread_join(ids[i], NULL);
    rate += works[i].operations / works[i].elapsed;
    sum += works[i].sum;
  }
  printf("%.1f\n", rate * 1e-9);
  return sum == 0; /* never: what was computed is used */
}
