/* TccLoadOptions.keep: a thread of the process keeps packed weights, beside runs, other calls of tcc_model_keep and forks, and is waited
 * for. Without it nothing runs in the background and nothing is left. */
#include "plan_builder.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 64, ROWS = 1 << 14 /* a block of 4 MiB */, CHILD_SECONDS = 60 };

static int failures;
static _Atomic int started;
static _Atomic bool no_threads;
static void *block;

/* In place of the C library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  void *address = dlsym(RTLD_NEXT, "pthread_create");
  memcpy(&real, &address, sizeof real);
  if (no_threads) return EAGAIN;
  started++;
  return real(thread, attributes, start, argument);
}

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

/* r[i, j] = x[i, j] + 1; a tile is a row */
static void add_one(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  for (int64_t i = begin * sizes[0]; i < end * sizes[0]; i++) ((float *)arguments[1])[i] = ((const float *)arguments[0])[i] + 1;
}

/* r[i, j] = x[i, j] + w[i, j] */
static void add(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  for (int64_t i = begin * sizes[0]; i < end * sizes[0]; i++)
    ((float *)arguments[2])[i] = ((const float *)arguments[0])[i] + ((const float *)arguments[1])[i];
}

static TccKernelFunction *find(const char *symbol, void *user) {
  (void)user;
  return strcmp(symbol, "add") == 0 ? add : add_one;
}

/* main(x: f32[A, WIDTH]) -> x + (0 + 1), of which the second sum depends on a constant alone */
static void make_plan(void) {
  Plan p;
  plan_open(&p);
  plan_symbol(&p, "A", 0);
  float *zeros = calloc(ROWS * WIDTH, sizeof *zeros);
  uint32_t constant = plan_constant(&p, zeros, ROWS * WIDTH * sizeof *zeros);
  free(zeros);
  char rows[32], dims[32];
  snprintf(rows, sizeof rows, "%d", ROWS);
  snprintf(dims, sizeof dims, "%d, 64", ROWS);
  uint32_t one = plan_call(&p, "add_one", false, "64", rows), sum = plan_call(&p, "add", false, "64", "A");
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "A, 64", 0);
  plan_value(&p, TCC_PLAN_CONSTANT, TCC_ELEM_F32, dims, constant);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, dims, 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "A, 64", 0);
  plan_command(&p, TCC_PLAN_KERNEL, one, LIST(&p, 1), LIST(&p, 2), (TccPlanRange){0, 0});
  plan_command(&p, TCC_PLAN_KERNEL, sum, LIST(&p, 0, 2), LIST(&p, 3), (TccPlanRange){0, 0});
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 4}, .commands = {0, 2}, .arguments = 1, .results = LIST(&p, 3)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, y = {plan_text(&p, "y"), 3, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  size_t bytes;
  block = plan_finish(&p, &bytes);
  TccStatus *status = tcc_plan_check(block, bytes);
  if (status) abort();
}

/* number: of the artifact, so that each test has an entry of its own. */
static TccModel *load(uint8_t number, bool keep) {
  TccModel *model = NULL;
  TccLoadOptions options = {.threads = 1, .cache = true, .keep = keep};
  TccArtifact artifact = {.plan = block};
  artifact.digest[0] = number;
  TccStatus *status = tcc_model_create(artifact, find, NULL, &options, &model);
  if (status) abort();
  return model;
}

static bool is_kept(uint8_t number) {
  TccModel *model = load(number, false);
  bool mapped = tcc_model_info(model)->packed_mapped;
  tcc_model_destroy(model);
  return mapped;
}

static bool runs(TccModel *model) {
  float x[WIDTH] = {0};
  int64_t shape[2] = {1, WIDTH};
  TccTensor input = {.data = x, .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape},
            out = {0};
  TccContext *context;
  TccStatus *status = tcc_context_create(model, &(TccContextOptions){.threads = 1}, &context);
  if (!status) status = tcc_context_run(context, &input, 1, &out, 1);
  bool ok = !status;
  for (int i = 0; ok && i < WIDTH; i++) ok = ((float *)out.data)[i] == 1;
  tcc_status_destroy(status);
  tcc_context_destroy(context);
  return ok;
}

static void *keep_too(void *model) { return tcc_model_keep(model) && runs(model) ? NULL : model; }

/* A model that is destroyed at once; one that runs, and is kept by others as well. */
static void test_keep(void) {
  pthread_t threads[2];
  tcc_model_destroy(load(1, true));
  expect(is_kept(1), "kept though the model was destroyed at once");
  started = 0;
  TccModel *found = load(1, true);
  expect(tcc_model_info(found)->packed_mapped && tcc_model_keep(found) && started == 0, "nothing to do where there is an entry");
  tcc_model_destroy(found);
  TccModel *model = load(2, true);
  for (int i = 0; i < 2; i++) expect(pthread_create(&threads[i], NULL, keep_too, model) == 0, "thread");
  expect(runs(model) && tcc_model_keep(model), "kept by its thread and others");
  for (int i = 0; i < 2; i++) {
    void *failed;
    expect(pthread_join(threads[i], &failed) == 0 && !failed, "the others");
  }
  tcc_model_destroy(model);
  expect(is_kept(2), "one entry of three that keep");
}

static void test_without(void) {
  started = 0;
  tcc_model_destroy(load(3, false));
  expect(started == 0 && !is_kept(3), "without the option there is no thread and no entry");
  no_threads = true;
  TccModel *model = load(4, true);
  no_threads = false;
  expect(runs(model), "without a thread it loads");
  tcc_model_destroy(model);
  expect(!is_kept(4), "and keeps nothing");
}

/* The child runs the model, asks for it to be kept, which is its parent's to do, and destroys it. */
static void test_fork(uint8_t number, bool keep) {
  TccModel *model = load(number, keep);
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(CHILD_SECONDS);
    bool ok = runs(model);
    (void)tcc_model_keep(model);
    tcc_model_destroy(model);
    _exit(!ok);
  }
  int result = -1;
  expect(pid > 0 && waitpid(pid, &result, 0) == pid && WIFEXITED(result) && WEXITSTATUS(result) == 0, "a child");
  expect(tcc_model_keep(model), "the parent keeps what a child destroyed its copy of");
  tcc_model_destroy(model);
  expect(is_kept(number), "kept beside a fork");
}

int main(void) {
  char folder[] = "keep.XXXXXX", command[64];
  if (!mkdtemp(folder) || setenv("TCC_CACHE_DIR", folder, 1) != 0) return 1;
  make_plan();
  test_keep();
  test_without();
  test_fork(5, false);
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  test_fork(6, true); /* their allocators' locks stay taken in a child that is forked while another thread allocates */
#endif
  free(block);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) != 0 || failures != 0;
}
