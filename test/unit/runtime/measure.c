/* The measurer: a kernel has its time, one that crashes or hangs costs itself alone, weights rotate. */
#include "tcc/measure.h"
#include <stdio.h>
#include <stdlib.h>

static int failures;

static void expect(bool ok, const char *what, TccStatus *status) {
  if (!ok) printf("failed: %s (%s)\n", what, status ? tcc_status_message(status) : "ok");
  failures += !ok;
  tcc_status_destroy(status);
}

static void add(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const float *x = arguments[0], *w = arguments[1];
  float *y = arguments[2], *s = scratch;
  for (int64_t t = begin; t < end; t++)
    for (int64_t i = 0; i < sizes[0]; i++) s[0] = x[t * sizes[0] + i], y[t * sizes[0] + i] = s[0] + w[t * sizes[0] + i];
}

static void crash(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)arguments, (void)sizes, (void)scratch, (void)begin, (void)end;
  abort();
}

static void hang(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)arguments, (void)scratch, (void)begin, (void)end;
  for (volatile const int64_t *size = sizes; *size;) {}
}

/* Crashes if a weight comes back within eight runs: each run counts in the weight that it gets. */
static void rotate(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)sizes, (void)scratch, (void)end;
  static int runs;
  static void *seen[8];
  if (begin) return;
  for (int i = 0; i < 8; i++)
    if (seen[i] == arguments[1]) abort();
  seen[runs++ % 8] = arguments[1];
}

static void slow(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  for (int i = 0; i < 100; i++) add(arguments, sizes, scratch, begin, end);
}

int main(void) {
  enum { N = 1024, TILES = 4 };
  static const int64_t sizes[] = {N};
  const TccMeasureBuffer buffers[] = {
      {N * TILES * 4, TCC_ELEM_F32, false}, {N * TILES * 4, TCC_ELEM_F32, true}, {N * TILES * 4, TCC_ELEM_F32, false}};
  TccKernelFunction *const functions[] = {add, crash, hang, rotate, slow};
  TccMeasureKernel kernels[5];
  for (int i = 0; i < 5; i++) kernels[i] = (TccMeasureKernel){functions[i], buffers, 3, sizes, TILES, 64};
  TccMeasurer *measurer;
  expect(true, "create", tcc_measurer_create(kernels, 5, 2, N * TILES * 4 * 9, &measurer));
  double ms, ratio;
  TccStatus *status = tcc_measurer_run(measurer, 0, 0, 1, 0, 60000, &ms, &ratio);
  expect(!status && ms > 0 && ratio == 1, "a kernel has a time", status);
  status = tcc_measurer_run(measurer, 1, 1, 1, 0, 60000, &ms, &ratio);
  expect(status && tcc_status_code(status) == TCC_MISMATCH && strstr(tcc_status_message(status), "crashed: signal 6"),
         "a crash is told", status);
  status = tcc_measurer_run(measurer, 2, 2, 1, 0, 50, &ms, &ratio);
  expect(status && tcc_status_code(status) == TCC_MISMATCH && strstr(tcc_status_message(status), "took more than 50 ms"),
         "a hang is ended", status);
  status = tcc_measurer_run(measurer, 3, 3, 1, 0, 60000, &ms, &ratio);
  expect(!status && ms > 0, "weights rotate", status);
  status = tcc_measurer_run(measurer, 0, 0, 1, 0, 60000, &ms, &ratio);
  expect(!status && ms > 0, "others go on", status);
  status = tcc_measurer_run(measurer, 4, 0, 5, 0, 60000, &ms, &ratio);
  expect(!status && ratio > 1, "a slow kernel beside a fast one", status);
  tcc_measurer_destroy(measurer);
  return failures != 0;
}
