/* serve.c - artifacts of one model, loaded once, timed when asked; tcc's side of run.py.
 *
 *     serve DIR WEIGHTS ARTIFACT...      DIR/input_K.npy are the inputs, WEIGHTS is where the model's weight files are
 *
 * Prints {"load_ms", "peak_mb"}, then answers lines of standard input:
 *
 *     run I THREADS WARM CALLS      artifact I: WARM untimed calls, then CALLS: {"ms": the median, "n"}
 *     pair I J THREADS FIRST COUNT  COUNT pairs of calls of I and J: {"ratios": [I / J of each], "ms", "other_ms": medians}; FIRST 0: I is
 *                                   first in the first pair, 1: J; it alternates from there
 *
 * A pair resolves what two measurements one after the other cannot on a machine whose clock moves: both of its calls meet the
 * same clock. */
#include "tcc/runtime.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ARTIFACTS = 4, MOST_THREADS = 64, INPUTS = 256, SAMPLES = 100000 };

typedef struct { TccModel *model; TccContext *contexts[MOST_THREADS + 1]; } Artifact;
static Artifact artifacts[ARTIFACTS];
static TccTensor inputs[INPUTS], outputs[INPUTS];
static size_t ninputs, noutputs;
static double samples[2][SAMPLES];

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static _Noreturn void fail(const char *what, const char *more) {
  fprintf(stderr, "serve: %s%s\n", what, more);
  exit(1);
}

static void check(TccStatus *status) {
  if (status) fail(tcc_status_message(status), "");
}

/* A file of numpy's with C order; the type is the model's. */
static TccTensor read_npy(const char *path, const TccPortInfo *port) {
  FILE *file = fopen(path, "rb");
  unsigned char head[10];
  if (!file || fread(head, 1, sizeof head, file) != sizeof head || memcmp(head, "\x93NUMPY\1", 7)) fail("no .npy file: ", path);
  size_t length = head[8] | (size_t)head[9] << 8, count = 1;
  char *text = calloc(1, length + 1);
  if (!text || fread(text, 1, length, file) != length || strstr(text, "'fortran_order': True")) fail("not as expected: ", path);
  const char *at = strstr(text, "'shape': (");
  TccTensor tensor = {.device = {TCC_DEVICE_CPU, 0}, .rank = port->rank, .dtype = port->dtype, .shape = calloc((size_t)port->rank + 1, sizeof(int64_t))};
  if (!at || !tensor.shape) fail("not as expected: ", path);
  at += strlen("'shape': (");
  for (int32_t axis = 0; axis < port->rank; axis++) {
    char *end;
    tensor.shape[axis] = strtoll(at, &end, 10);
    if (end == at) fail("another rank than the model's: ", path);
    count *= (size_t)tensor.shape[axis];
    at = end + (*end == ',');
  }
  size_t bytes = count * port->dtype.bits / 8;
  tensor.data = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (!tensor.data || fread(tensor.data, 1, bytes, file) != bytes) fail("too short: ", path);
  free(text);
  fclose(file);
  return tensor;
}

static double run(int index, unsigned threads) {
  if (index < 0 || index >= ARTIFACTS || !artifacts[index].model || threads < 1 || threads > MOST_THREADS) fail("no such artifact", "");
  TccContext **context = &artifacts[index].contexts[threads];
  if (!*context) check(tcc_context_create(artifacts[index].model, &(TccContextOptions){.threads = threads}, context));
  memset(outputs, 0, noutputs * sizeof *outputs);
  double begin = now_ms();
  check(tcc_context_run(*context, inputs, ninputs, outputs, noutputs));
  return now_ms() - begin;
}

static int by_value(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return values[count / 2];
}

static void measure(int index, unsigned threads, size_t warm, size_t calls) {
  while (warm--) run(index, threads);
  for (size_t n = 0; n < calls; n++) samples[0][n] = run(index, threads);
  printf("{\"ms\": %.6f, \"n\": %zu}\n", median(samples[0], calls), calls);
}

static void measure_pairs(int index, int other, unsigned threads, size_t first, size_t count) {
  run(index, threads), run(other, threads); /* wakes the threads of both */
  for (size_t n = 0; n < count; n++) {
    bool swapped = (n + first) % 2;
    double one = run(swapped ? other : index, threads), two = run(swapped ? index : other, threads);
    samples[0][n] = swapped ? two : one, samples[1][n] = swapped ? one : two;
  }
  printf("{\"ratios\": [");
  for (size_t n = 0; n < count; n++) printf("%s%.5f", n ? ", " : "", samples[0][n] / samples[1][n]);
  printf("], \"ms\": %.6f, \"other_ms\": %.6f}\n", median(samples[0], count), median(samples[1], count));
}

static double peak_mb(void) {
  char line[128];
  double kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1) break;
  if (file) fclose(file);
  return kilobytes / 1024;
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 3 + ARTIFACTS) fail("serve DIR WEIGHTS ARTIFACT...", "");
  double begin = now_ms();
  for (int i = 3; i < argc; i++) check(tcc_model_load(argv[i], &(TccLoadOptions){.weights_dir = argv[2]}, &artifacts[i - 3].model));
  ninputs = tcc_model_input_count(artifacts[0].model), noutputs = tcc_model_output_count(artifacts[0].model);
  if (ninputs > INPUTS || noutputs > INPUTS) fail("too many inputs or outputs", "");
  for (size_t k = 0; k < ninputs; k++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/input_%zu.npy", argv[1], k);
    inputs[k] = read_npy(path, tcc_model_input(artifacts[0].model, k));
  }
  printf("{\"load_ms\": %.3f, \"peak_mb\": %.1f}\n", now_ms() - begin, peak_mb());
  char line[256];
  while (fflush(stdout) == 0 && fgets(line, sizeof line, stdin)) {
    int i, j;
    unsigned threads;
    size_t first, count;
    bool alone = sscanf(line, "run %d %u %zu %zu", &i, &threads, &first, &count) == 4;
    if (!alone && sscanf(line, "pair %d %d %u %zu %zu", &i, &j, &threads, &first, &count) != 5) fail("not a command: ", line);
    if (count < 1 || count > SAMPLES) fail("too many calls: ", line);
    if (alone) measure(i, threads, first, count);
    else measure_pairs(i, j, threads, first, count);
  }
  return 0;
}
