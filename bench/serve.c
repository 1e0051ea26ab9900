/* serve.c - artifacts of one model, loaded once, timed when asked; tcc's side of run.py.
 *
 *     serve DIR WEIGHTS ARTIFACT...      DIR/input_K.npy are the inputs, WEIGHTS is where the model's weight files are
 *
 * Prints {"load_ms", "peak_mb"}, then answers lines of standard input:
 *
 *     run I THREADS WARM CALLS      artifact I: WARM untimed calls, then CALLS: {"ms": the median, "p90_ms": the ninth decile, "n"}
 *     pair I J THREADS FIRST COUNT  COUNT pairs of calls of I and J: {"ratios": [I / J of each], "ms", "other_ms": medians}; FIRST 0: I is
 *                                   first in the first pair, 1: J; it alternates from there
 *     kernels I J THREADS COUNT     the same, each kernel timed: {"ms", "other_ms": the sum over kernels of the quickest of all calls so far}
 *     peak I THREADS WARM CALLS TURNS    TURNS times WARM untimed calls and CALLS timed ones, before the first and after each the
 *                                   machine's FMA peak (profile_machine.h): {"turns": [[ms, peak before, after] ...]}
 *     reads I THREADS WARM CALLS TURNS   the same with what the machine reads
 *     kinds I THREADS COUNT         COUNT calls, each kernel timed, between FMA peaks: {"calls": [[ms, peak before, after, {kind: ms}] ...]}
 *
 * A pair resolves what two measurements one after the other cannot on a machine whose clock moves: both of its calls meet the
 * same clock. Where a whole call is too long for that, each kernel's quickest call of some is a figure that noise, which only adds
 * time, spoils last. */
#include "tcc/runtime.h"
#include "tools/profile_machine.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ARTIFACTS = 4, KINDS = 32, MOST_THREADS = PROFILE_MACHINE_THREADS, INPUTS = 256, SAMPLES = 100000, SETTLE_US = 1000 };

/* With one number of threads; quickest: of each kernel by its place in the run, nanoseconds. */
typedef struct {
  TccContext *context, *profiled;
  double *quickest;
  size_t kernels;
} Runner;
typedef struct {
  TccModel *model;
  Runner runners[MOST_THREADS + 1];
} Artifact;
static Artifact artifacts[ARTIFACTS];
static TccTensor inputs[INPUTS], outputs[INPUTS];
static size_t ninputs, noutputs;
static double samples[2][SAMPLES];
static struct { /* of the call in progress: by emitter */
  const char *name;
  double nanoseconds;
} kinds[KINDS];

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
  TccTensor tensor = {.device = {TCC_DEVICE_CPU, 0},
                      .rank = port->rank,
                      .dtype = port->dtype,
                      .shape = calloc((size_t)port->rank + 1, sizeof(int64_t))};
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

static Runner *runner(int index, unsigned threads) {
  if (index < 0 || index >= ARTIFACTS || !artifacts[index].model || threads < 1 || threads > MOST_THREADS)
    fail("no such artifact", "");
  return &artifacts[index].runners[threads];
}

static void note_kernel(const TccProfileEvent *event, void *user) {
  Runner *r = user;
  if (event->command >= r->kernels) {
    r->quickest = realloc(r->quickest, (event->command + 1) * sizeof *r->quickest);
    if (!r->quickest) fail("out of memory", "");
    while (r->kernels <= event->command) r->quickest[r->kernels++] = 0;
  }
  double *quickest = &r->quickest[event->command];
  if (*quickest == 0 || event->nanoseconds < *quickest) *quickest = event->nanoseconds;
  int k = 0;
  while (k < KINDS - 1 && kinds[k].name && strcmp(kinds[k].name, event->emitter) != 0) k++;
  kinds[k].name = event->emitter, kinds[k].nanoseconds += event->nanoseconds;
}

static double run(int index, unsigned threads, bool profiled) {
  Runner *r = runner(index, threads);
  TccContext **context = profiled ? &r->profiled : &r->context;
  if (!*context)
    check(tcc_context_create(artifacts[index].model,
                             &(TccContextOptions){.threads = threads, .profile = profiled ? note_kernel : NULL, .user = r},
                             context));
  memset(outputs, 0, noutputs * sizeof *outputs);
  double begin = now_ms();
  check(tcc_context_run(*context, inputs, ninputs, outputs, noutputs));
  return now_ms() - begin;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return values[count / 2];
}

static double time_calls(int index, unsigned threads, size_t warm, size_t calls) {
  while (warm--) run(index, threads, false);
  for (size_t n = 0; n < calls; n++) samples[0][n] = run(index, threads, false);
  return median(samples[0], calls); /* leaves them sorted */
}

static void measure_pairs(int index, int other, unsigned threads, size_t first, size_t count) {
  run(index, threads, false), run(other, threads, false); /* wakes the threads of both */
  for (size_t n = 0; n < count; n++) {
    bool swapped = (n + first) % 2;
    double one = run(swapped ? other : index, threads, false), two = run(swapped ? index : other, threads, false);
    samples[0][n] = swapped ? two : one, samples[1][n] = swapped ? one : two;
  }
  printf("{\"ratios\": [");
  for (size_t n = 0; n < count; n++) printf("%s%.5f", n ? ", " : "", samples[0][n] / samples[1][n]);
  printf("], \"ms\": %.6f, \"other_ms\": %.6f}\n", median(samples[0], count), median(samples[1], count));
}

static double sum_quickest(const Runner *r) {
  double sum = 0;
  for (size_t k = 0; k < r->kernels; k++) sum += r->quickest[k];
  return sum * 1e-6;
}

static void measure_kernels(int index, int other, unsigned threads, size_t count) {
  for (size_t n = 0; n < count; n++) run(n % 2 ? other : index, threads, true), run(n % 2 ? index : other, threads, true);
  printf("{\"ms\": %.6f, \"other_ms\": %.6f}\n", sum_quickest(runner(index, threads)), sum_quickest(runner(other, threads)));
}

/* Once the team's threads sleep: they spin for a part of a millisecond. */
static double machine_now(double (*machine)(int), unsigned threads) {
  if (threads > 1) usleep(SETTLE_US);
  double rate = machine((int)threads);
  if (rate <= 0) fail("cannot measure the machine", "");
  return rate;
}

static void measure_beside(int index, unsigned threads, size_t warm, size_t calls, size_t turns, double (*machine)(int)) {
  double before = machine_now(machine, threads);
  printf("{\"turns\": [");
  for (size_t n = 0; n < turns; n++) {
    double ms = time_calls(index, threads, warm, calls), after = machine_now(machine, threads);
    printf("%s[%.6f, %.4g, %.4g]", n ? ", " : "", ms, before, after);
    before = after;
  }
  printf("]}\n");
}

static void measure_kinds(int index, unsigned threads, size_t count) {
  run(index, threads, true);
  double before = machine_now(profile_machine_peak, threads);
  printf("{\"calls\": [");
  for (size_t n = 0; n < count; n++) {
    memset(kinds, 0, sizeof kinds);
    double ms = run(index, threads, true), after = machine_now(profile_machine_peak, threads);
    printf("%s[%.6f, %.4g, %.4g, {", n ? ", " : "", ms, before, after);
    for (int k = 0; k < KINDS && kinds[k].name; k++)
      printf("%s\"%s\": %.6f", k ? ", " : "", kinds[k].name, kinds[k].nanoseconds * 1e-6);
    printf("}]");
    before = after;
  }
  printf("]}\n");
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
    size_t first, count, turns;
    if (sscanf(line, "run %d %u %zu %zu", &i, &threads, &first, &count) == 4 && count >= 1 && count <= SAMPLES) {
      double ms = time_calls(i, threads, first, count);
      printf("{\"ms\": %.6f, \"p90_ms\": %.6f, \"n\": %zu}\n", ms, samples[0][count * 9 / 10], count);
    } else if (sscanf(line, "pair %d %d %u %zu %zu", &i, &j, &threads, &first, &count) == 5 && count >= 1 && count <= SAMPLES)
      measure_pairs(i, j, threads, first, count);
    else if (sscanf(line, "kernels %d %d %u %zu", &i, &j, &threads, &count) == 4) measure_kernels(i, j, threads, count);
    else if (sscanf(line, "peak %d %u %zu %zu %zu", &i, &threads, &first, &count, &turns) == 5 && count >= 1 && count <= SAMPLES)
      measure_beside(i, threads, first, count, turns, profile_machine_peak);
    else if (sscanf(line, "reads %d %u %zu %zu %zu", &i, &threads, &first, &count, &turns) == 5 && count >= 1 && count <= SAMPLES)
      measure_beside(i, threads, first, count, turns, profile_machine_reads);
    else if (sscanf(line, "kinds %d %u %zu", &i, &threads, &count) == 3) measure_kinds(i, threads, count);
    else fail("not a command, or too many calls: ", line);
  }
  return 0;
}
