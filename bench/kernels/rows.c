/* rows.c - kernels that move memory (rows, maps, transposes, gathers) beside memcpy of as many bytes, in one process.
 *
 *     rows ROUNDS THREADS NAME=ARTIFACT...      prints one JSON object
 *
 * An artifact has the same kernel several times, as many as it has outputs, so that the cost of a call of the run-time is
 * shared; all work on the same buffers: what lies in which cache follows from their size. A round times each engine once,
 * in turning order, each as often as fits in about two milliseconds after one run that fetches its operands; figures are
 * nanoseconds of one kernel. memcpy copies half of the bytes of a kernel's operands and results, so that it touches as many,
 * its share of them on each of THREADS threads. Beside them stand the size of the last cache and what a copy larger than it takes for a
 * byte, where second caches do not hold all: by these rows.py tells what is bound by memory. */
#include "bench/kernels/timing.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PORTS = 256, THREADS = 16, BEYOND_CACHES = 4 << 20 /* bytes: more than second caches hold */ };

typedef struct {
  char name[64];
  TccContext *context; /* NULL: memcpy */
  TccTensor in[PORTS], out[PORTS];
  size_t inputs, outputs, repeat;
} Engine;

static struct {
  int threads;
  size_t bytes, turns; /* of the copy of a thread */
  char *from[THREADS], *to[THREADS];
  atomic_long round, done;
  pthread_mutex_t lock;
  pthread_cond_t begins;
} copy = {.lock = PTHREAD_MUTEX_INITIALIZER, .begins = PTHREAD_COND_INITIALIZER};

/* ---- memcpy on threads that spin ---- */

static void copy_share(int thread) {
  for (size_t i = 0; i < copy.turns; i++) {
    memcpy(copy.to[thread], copy.from[thread], copy.bytes);
    __asm__ volatile("" ::: "memory");
  }
}

/* Copiers sleep while others are measured: one that looks now and then takes a CPU from them. */
static void wait_for_round(long seen) {
  pthread_mutex_lock(&copy.lock);
  while (atomic_load(&copy.round) == seen) pthread_cond_wait(&copy.begins, &copy.lock);
  pthread_mutex_unlock(&copy.lock);
}

static void *copier(void *thread) {
  for (long seen = 0;; seen++) {
    for (long spins = 0; atomic_load(&copy.round) == seen; spins++)
      if (spins > 100000) wait_for_round(seen);
    copy_share((int)(intptr_t)thread);
    atomic_fetch_add(&copy.done, 1);
  }
  return NULL;
}

static void run_copy(size_t turns) {
  copy.turns = turns;
  atomic_store(&copy.done, 0);
  pthread_mutex_lock(&copy.lock);
  atomic_fetch_add(&copy.round, 1);
  pthread_cond_broadcast(&copy.begins);
  pthread_mutex_unlock(&copy.lock);
  copy_share(0);
  while (atomic_load(&copy.done) < copy.threads - 1) continue;
}

static void open_copy(Engine *engine, size_t bytes, int threads) {
  snprintf(engine->name, sizeof engine->name, "memcpy");
  engine->outputs = 1;
  copy.threads = threads, copy.bytes = bytes / 2 / (size_t)threads + 1;
  for (int t = 0; t < threads; t++) {
    copy.from[t] = memory(copy.bytes), copy.to[t] = memory(copy.bytes);
    pthread_t id;
    if (t && pthread_create(&id, NULL, copier, (void *)(intptr_t)t)) fail("no thread");
  }
}

/* Bytes of the last cache; 32 MB where the system does not say. */
static size_t last_cache(void) {
  long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? (size_t)bytes : 32 << 20;
}

/* What memcpy of twice the last cache takes, in nanoseconds a byte touched: the best of five. */
static double copy_from_memory(int threads) {
  size_t share = 2 * last_cache() / (size_t)threads, bytes = copy.bytes;
  char *from[THREADS], *to[THREADS];
  memcpy(from, copy.from, sizeof from), memcpy(to, copy.to, sizeof to);
  for (int t = 0; t < threads; t++) copy.from[t] = memory(share), copy.to[t] = memory(share);
  copy.bytes = share;
  double best = INFINITY;
  for (int i = 0; i < 5; i++) {
    double start = now();
    run_copy(1);
    best = fmin(best, now() - start);
  }
  for (int t = 0; t < threads; t++) free(copy.from[t]), free(copy.to[t]);
  memcpy(copy.from, from, sizeof from), memcpy(copy.to, to, sizeof to);
  copy.bytes = bytes;
  return best / (double)(2 * share * (size_t)threads);
}

/* ---- artifacts ---- */

static size_t bytes_of(const TccPortInfo *port) {
  size_t n = (port->dtype.bits + 7u) / 8;
  for (int d = 0; d < port->rank; d++) n *= (size_t)port->dims[d];
  return n;
}

/* Floats in [-1, 1), 8-bit integers of any value, others from 0 to 999. */
static void fill(void *data, const TccPortInfo *port) {
  size_t n = bytes_of(port) * 8 / port->dtype.bits;
  unsigned seed = 1;
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525 + 1013904223;
    float value = (float)(int)seed * 0x1p-31f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (port->dtype.bits == 8) ((uint8_t *)data)[i] = (uint8_t)(seed >> 24);
    else if (port->dtype.code == TCC_DTYPE_BFLOAT) ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
    else if (port->dtype.bits == 16) ((uint16_t *)data)[i] = (uint16_t)(0x3800 | (seed >> 16 & 0x83ff)); /* f16: 0.5 to 1 */
    else if (port->dtype.code == TCC_DTYPE_FLOAT) ((float *)data)[i] = value;
    else if (port->dtype.bits == 32) ((int32_t *)data)[i] = (int32_t)(seed >> 8) % 1000;
    else ((int64_t *)data)[i] = (int64_t)(seed >> 8) % 1000;
  }
}

static TccTensor tensor(void *data, const TccPortInfo *port) {
  return (TccTensor){
      .data = data, .device = {TCC_DEVICE_CPU, 0}, .rank = port->rank, .dtype = port->dtype, .shape = (int64_t *)port->dims};
}

/* Copy i of the kernel has inputs i * n to i * n + n - 1; every copy gets the same memory. */
static size_t open_tcc(Engine *engine, char *spec, int threads) {
  char *path = strchr(spec, '=');
  if (!path) fail("an artifact is NAME=FILE");
  snprintf(engine->name, sizeof engine->name, "%.*s", (int)(path - spec), spec);
  TccModel *model;
  check(tcc_model_load(path + 1, NULL, &model));
  check(tcc_context_create(model, &(TccContextOptions){.threads = (unsigned)threads}, &engine->context));
  engine->inputs = tcc_model_input_count(model), engine->outputs = tcc_model_output_count(model);
  if (engine->inputs > PORTS || engine->outputs > PORTS || engine->inputs % engine->outputs) fail("another model");
  size_t each = engine->inputs / engine->outputs, bytes = bytes_of(tcc_model_output(model, 0));
  static void *operand[PORTS], *result;
  if (!result) result = memory(bytes);
  for (size_t i = 0; i < engine->inputs; i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    if (i < each) bytes += bytes_of(port);
    if (i < each && !operand[i]) fill(operand[i] = memory(bytes_of(port)), port);
    engine->in[i] = tensor(operand[i % each], port);
  }
  for (size_t i = 0; i < engine->outputs; i++) engine->out[i] = tensor(result, tcc_model_output(model, i));
  return bytes;
}

static void run(Engine *e, size_t times) {
  if (!e->context) run_copy(times);
  else
    for (size_t i = 0; i < times; i++) check(tcc_context_run(e->context, e->in, e->inputs, e->out, e->outputs));
}

static void wake(void *engine) { run(engine, 1); }

static double turn(void *engine) {
  Engine *e = engine;
  double start = now();
  run(e, e->repeat);
  return (now() - start) / (double)(e->repeat * e->outputs);
}

int main(int argc, char **argv) {
  if (argc < 4) fail("usage: rows ROUNDS THREADS NAME=ARTIFACT...");
  int rounds = atoi(argv[1]), threads = atoi(argv[2]), engines = 0;
  if (rounds < 1 || threads < 1 || threads > THREADS || argc - 3 > MOST_ENGINES - 1)
    fail("rounds, threads or artifacts out of range");
  Engine *engine = memory(MOST_ENGINES * sizeof *engine);
  size_t bytes = 0;
  for (int i = 3; i < argc; i++) bytes = open_tcc(&engine[engines++], argv[i], threads);
  open_copy(&engine[engines++], bytes, threads);
  Timed timed[MOST_ENGINES];
  for (int i = 0; i < engines; i++) {
    Engine *e = &engine[i];
    timed[i] = (Timed){e->name, e, wake, turn};
    run(e, 2);
    double start = now();
    run(e, 3);
    e->repeat = (size_t)(2e6 / ((now() - start) / 3 + 1)) + 1;
  }
  char head[128];
  snprintf(head, sizeof head, "\"bytes\": %zu, \"last_cache\": %zu, \"memory\": %.4g, ", bytes, last_cache(),
           bytes > BEYOND_CACHES ? copy_from_memory(threads) : 0);
  time_in_turn(head, timed, engines, rounds, threads);
  return 0;
}
