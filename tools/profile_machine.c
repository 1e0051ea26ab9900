/* profile_machine.c - the machine's peaks, in slices so short that one fits beside each call of a model: the clock of a shared machine moves
 * within seconds, and a share of a peak means something only if both were measured at the same clock.
 *
 * FMA: twenty independent sums hide the latency (4 cycles at two a cycle needs eight). Reading: each thread walks a part of its own in
 * pages, STREAMS of them side by side, since the hardware prefetchers follow one stream a page. */
#include "tools/profile_machine.h"
#include <immintrin.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { SUMS = 20, BURST = 5000, PEAK_US = 5000, STREAMS = 8, AHEAD = 1024, UNIT = STREAMS * 4096, SLICE = 64 << 20, SLICES = 4 };

typedef struct {
  pthread_barrier_t *barrier;
  const char *data; /* NULL: multiply and add */
  size_t bytes;
  double rate; /* operations or bytes a second */
  float sum;   /* what was computed is used */
} Work;

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

__attribute__((target("avx512f"))) static int read_avx512(const char *data, size_t bytes) {
  __m512i sum[STREAMS] = {0};
  size_t part = bytes / STREAMS;
  for (size_t i = 0; i < part; i += 128)
#pragma GCC unroll 8
    for (int s = 0; s < STREAMS; s++) {
      const char *p = data + part * (size_t)s + i;
      _mm_prefetch(p + AHEAD, _MM_HINT_T0);
      _mm_prefetch(p + AHEAD + 64, _MM_HINT_T0);
      sum[s] = _mm512_add_epi32(sum[s], _mm512_add_epi32(_mm512_loadu_si512(p), _mm512_loadu_si512(p + 64)));
    }
  for (int s = 1; s < STREAMS; s++) sum[0] = _mm512_add_epi32(sum[0], sum[s]);
  return _mm512_reduce_or_epi32(sum[0]); /* a sum of lanes would overflow */
}

__attribute__((target("avx2"))) static int read_avx2(const char *data, size_t bytes) {
  __m256i sum[STREAMS] = {0};
  size_t part = bytes / STREAMS;
  int lanes[8];
  for (size_t i = 0; i < part; i += 64)
#pragma GCC unroll 8
    for (int s = 0; s < STREAMS; s++) {
      const char *p = data + part * (size_t)s + i;
      _mm_prefetch(p + AHEAD, _MM_HINT_T0);
      sum[s] = _mm256_add_epi32(sum[s], _mm256_loadu_si256((const __m256i *)p));
      sum[s] = _mm256_add_epi32(sum[s], _mm256_loadu_si256((const __m256i *)(p + 32)));
    }
  for (int s = 1; s < STREAMS; s++) sum[0] = _mm256_add_epi32(sum[0], sum[s]);
  _mm256_storeu_si256((__m256i *)lanes, sum[0]);
  return lanes[0] | lanes[7];
}

/* All threads begin together, so that each meets the others. */
static void *work(void *argument) {
  Work *w = argument;
  const int wide = __builtin_cpu_supports("avx512f");
  double done = 0, took;
  pthread_barrier_wait(w->barrier);
  const double begin = now();
  if (w->data) {
    w->sum += (float)(wide ? read_avx512(w->data, w->bytes) : read_avx2(w->data, w->bytes));
    done = (double)w->bytes, took = now() - begin;
  } else {
    do {
      w->sum += wide ? burst_avx512() : burst_avx2();
      done += wide ? 2.0 * BURST * SUMS * 16 : 2.0 * BURST * 12 * 8;
      took = now() - begin;
    } while (took < PEAK_US * 1e-6);
  }
  w->rate = done / took;
  return NULL;
}

static double measure(const char *data, size_t bytes, int threads) {
  static volatile float used;
  pthread_t ids[PROFILE_MACHINE_THREADS];
  Work works[PROFILE_MACHINE_THREADS];
  pthread_barrier_t barrier;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || threads < 1 || threads > PROFILE_MACHINE_THREADS ||
      pthread_barrier_init(&barrier, NULL, (unsigned)threads))
    return 0;
  const size_t part = bytes / (size_t)threads / UNIT * UNIT;
  double rate = 0;
  for (int i = 0; i < threads; i++) {
    works[i] = (Work){.barrier = &barrier, .data = data ? data + part * (size_t)i : NULL, .bytes = part};
    if (i && pthread_create(&ids[i], NULL, work, &works[i]))
      return 0; /* the others wait for good: this process ends with an error */
  }
  work(&works[0]);
  for (int i = 0; i < threads; i++) {
    if (i) pthread_join(ids[i], NULL);
    rate += works[i].rate;
    used = used + works[i].sum;
  }
  pthread_barrier_destroy(&barrier);
  return rate * 1e-9;
}

double profile_machine_peak(int threads) { return measure(NULL, 0, threads); }

double profile_machine_reads(int threads) {
  static char *buffer;
  static int turn;
  if (!buffer) {
    char *memory = mmap(NULL, (size_t)SLICE * SLICES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 0;
    madvise(memory, (size_t)SLICE * SLICES, MADV_HUGEPAGE);
    memset(memory, 1, (size_t)SLICE * SLICES);
    buffer = memory;
  }
  return measure(buffer + (size_t)SLICE * (size_t)(turn++ % SLICES), SLICE, threads);
}
