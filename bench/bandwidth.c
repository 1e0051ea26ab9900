/* bandwidth.c - how fast the machine reads memory: N threads sum a buffer far larger than the caches, over and over.
 *
 *     bandwidth THREADS [PASSES] [MEGABYTES] [read|small|copy]      prints GB/s
 *
 * copy: memcpy from one half of the buffer to the other; bytes read and bytes written both count.
 *
 * Each thread walks a part of its own in pages, `STREAMS` of them side by side: the hardware prefetchers follow one stream
 * a page. The buffer is on huge pages unless `small` asks for those that a mapped file has. The best pass counts: what a
 * pass lost to other tenants of the machine is no property of its memory. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { STREAMS = 8, AHEAD = 1024, UNIT = STREAMS * 4096, MAX_THREADS = 1024 };

typedef struct { char *data; size_t bytes; int passes, sum, copy; double best; pthread_barrier_t *barrier; } Work;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
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
  return _mm512_reduce_add_epi32(sum[0]);
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
  return lanes[0] + lanes[7];
}

/* All threads start a pass together, so that each meets the others' traffic. */
static void *work(void *argument) {
  Work *w = argument;
  int wide = __builtin_cpu_supports("avx512f");
  for (int pass = 0; pass < w->passes; pass++) {
    pthread_barrier_wait(w->barrier);
    double begin = now();
    if (w->copy) memcpy(w->data + w->bytes / 2, w->data, w->bytes / 2);
    else w->sum += wide ? read_avx512(w->data, w->bytes) : read_avx2(w->data, w->bytes);
    pthread_barrier_wait(w->barrier);
    double took = now() - begin;
    if (w->best == 0 || took < w->best) w->best = took;
  }
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 1, passes = argc > 2 ? atoi(argv[2]) : 10;
  size_t megabytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 512;
  int small = argc > 4 && !strcmp(argv[4], "small"), copy = argc > 4 && !strcmp(argv[4], "copy");
  if (threads < 1 || threads > MAX_THREADS || passes < 1 || megabytes < 1 || megabytes > 1 << 20) return 2;
  size_t part = (megabytes << 20) / (size_t)threads / UNIT * UNIT, bytes = part * (size_t)threads + UNIT;
  char *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED || part == 0) return 1;
  madvise(data, bytes, small ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
  memset(data, 1, bytes);
  static pthread_t ids[MAX_THREADS];
  static Work works[MAX_THREADS];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) {
    works[i] = (Work){.data = data + part * (size_t)i, .bytes = part, .passes = passes, .copy = copy, .barrier = &barrier};
    if (pthread_create(&ids[i], NULL, work, &works[i])) return 1;
  }
  int sum = 0;
  for (int i = 0; i < threads; i++) {
    pthread_join(ids[i], NULL);
    sum += works[i].sum;
  }
  printf("%.2f\n", (double)part * threads / works[0].best * 1e-9);
  return !copy && sum == 0; /* never: what was read is used */
}
