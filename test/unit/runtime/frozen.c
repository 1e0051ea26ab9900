/* What depends on static inputs is made once for each set of them: a set is known by address, strides and version; several are remembered,
 * contexts share them, and what is forgotten is made again. */
#include "counting_allocator.h"
#include "sample_plan.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

static void expect_ok(TccStatus *status) {
  if (status) printf("failed: %s\n", tcc_status_message(status));
  failures += status != NULL;
  tcc_status_destroy(status);
}

/* main(x: f32[B, 4], w: f32[4] static, v: f32[4] static) -> x + 4 w + v, where 4 w is 2 (2 w) */
static void *make_static_plan(uint32_t kind) {
  Plan p;
  size_t bytes;
  plan_open(&p);
  plan_symbol(&p, "B", 0);
  uint32_t add = plan_call(&p, "add_row", false, "B, 4", "B"), twice = plan_call(&p, "double_all", false, "4", "1");
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "4", 1);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "4", 2);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  TccPlanRange none = {0, 0};
  plan_command(&p, TCC_PLAN_KERNEL, twice, LIST(&p, 1), LIST(&p, 3), none);
  plan_command(&p, TCC_PLAN_KERNEL, twice, LIST(&p, 3), LIST(&p, 4), none);
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 0, 4), LIST(&p, 5), none);
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 5, 2), LIST(&p, 6), none);
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 7}, .commands = {0, 4}, .arguments = 3, .results = LIST(&p, 6)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1, TCC_PORT_PLAIN}, w = {plan_text(&p, "w"), 1, -1, kind},
              v = {plan_text(&p, "v"), 2, -1, kind}, y = {plan_text(&p, "y"), 6, -1, TCC_PORT_PLAIN};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.inputs, w);
  TCC_VEC_PUSH(p.arena, &p.inputs, v);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  void *block = plan_finish(&p, &bytes);
  expect_ok(tcc_plan_check(block, bytes));
  return block;
}

static TccModel *load(void *block, size_t sets) {
  TccModel *model;
  TccLoadOptions options = {.allocator = {take, release, NULL}, .threads = 1, .static_sets = sets};
  expect_ok(tcc_model_create((TccArtifact){.plan = block}, find, NULL, &options, &model));
  return model;
}

static TccContext *open_context(TccModel *model) {
  TccContext *context;
  expect_ok(tcc_context_create(model, &(TccContextOptions){.threads = 1}, &context));
  return context;
}

/* Runs with these static inputs; the result must be that of `seen`, which w held when they were looked at. */
static TccStatus *run(TccContext *context, int64_t rows, float *w, int64_t stride, uint64_t version, const float *seen) {
  float x[8], v[4] = {100, 200, 300, 400};
  int64_t shape[2] = {rows, 4}, four = 4;
  for (int i = 0; i < 8; i++) x[i] = (float)i;
  TccTensor inputs[3] = {tensor(x, 2, shape, NULL), tensor(w, 1, &four, &stride), tensor(v, 1, &four, NULL)}, output = {0};
  const uint64_t versions[3] = {77, version, 88};
  TCC_TRY(tcc_context_run_with(context, inputs, 3, &output, 1, &(TccRunOptions){versions}));
  for (int i = 0; i < 4 * rows; i++)
    if (((float *)output.data)[i] != x[i] + 4 * seen[i % 4] + v[i % 4]) return TCC_ERROR(TCC_MISMATCH, "a wrong result");
  return NULL;
}

static void test_sets(void *block) {
  TccModel *model = load(block, 0);
  TccContext *context = open_context(model), *other = open_context(model);
  float w[7] = {1, 2, 3, 4, 5, 6, 7}, u[4] = {10, 20, 30, 40}, old[4] = {1, 2, 3, 4}, apart[4] = {1, 3, 5, 7};
  const TccModelInfo *info = tcc_model_info(model);
  expect(tcc_model_input(model, 1)->is_static, "w is static");
  expect(!tcc_model_input(model, 0)->is_static && !tcc_model_input(model, 2)->is_static, "x is not, v is read where it lies");
  expect(info->kernels_static == 2 && info->kernels_launched == 2 && info->static_bytes == 64, "kernels");
  doublings = 0;
  expect(tcc_context_static_set(context) == 0, "no set yet");
  for (int i = 0; i < 3; i++) expect_ok(run(context, 1 + i % 2, w, 1, 5, old));
  expect(doublings == 2 && tcc_context_static_set(context) == 1, "made once, for all sizes");
  expect_ok(run(other, 2, w, 1, 5, old));
  expect(doublings == 2, "contexts share a set");
  expect_ok(run(context, 1, u, 1, 5, u));
  expect_ok(run(context, 2, w, 2, 5, apart));
  expect(doublings == 6, "another address and other strides are other sets");
  expect_ok(run(context, 1, w, 1, 5, old));
  expect_ok(run(context, 1, u, 1, 5, u));
  expect(doublings == 6, "sets are remembered");
  u[0] = 11;
  expect_ok(run(context, 1, u, 1, 6, u));
  expect(doublings == 8 && tcc_context_static_set(context) == 4, "another version is made again");
  expect_ok(run(other, 1, u, 1, 6, u));
  expect(doublings == 8, "the newest version is everybody's");
  float was[4] = {11, 20, 30, 40};
  u[1] = 21; /* behind the back: the set is what it was */
  expect_ok(run(context, 1, u, 1, 6, was));
  tcc_model_forget(model, u);
  expect_ok(run(context, 1, u, 1, 6, u));
  expect_ok(run(other, 1, u, 1, 6, u));
  expect(doublings == 10, "what is forgotten is made again, once");
  tcc_model_forget(model, NULL);
  expect_ok(run(context, 1, w, 1, 5, old));
  expect(doublings == 12, "all are forgotten");
  tcc_context_destroy(context);
  tcc_context_destroy(other);
  tcc_model_destroy(model);
  expect(held == 0, "all memory is given back");
}

static void test_room(void *block) {
  TccModel *model = load(block, 2);
  TccContext *context = open_context(model);
  float w[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  doublings = 0;
  for (int i = 0; i < 3; i++) expect_ok(run(context, 1, w[i], 1, 0, w[i]));
  size_t most = held;
  expect_ok(run(context, 1, w[1], 1, 0, w[1]));
  expect(doublings == 6, "the last two are remembered");
  expect_ok(run(context, 1, w[0], 1, 0, w[0]));
  expect(doublings == 8 && held == most, "the oldest one was not");
  for (uint64_t version = 1; version < 20; version++) expect_ok(run(context, 1, w[0], 1, version, w[0]));
  expect(held <= most, "old versions are given back");
  for (size_t n = 0; n < 2; n++) { /* no memory for the block; for what lies between the two kernels */
    left = n;
    TccStatus *status = run(context, 1, w[2], 1, 200 + n, w[2]);
    left = SIZE_MAX;
    expect(tcc_status_code(status) == TCC_NO_MEMORY, "no memory");
    tcc_status_destroy(status);
    expect_ok(run(context, 1, w[2], 1, 200 + n, w[2]));
  }
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  expect(held == 0, "all memory is given back");
}

static void *run_in_thread(void *model) {
  TccContext *context;
  static float w[5][4] = {{1}, {2}, {3}, {4}, {5}};
  TccStatus *status = tcc_context_create(model, &(TccContextOptions){.threads = 1}, &context);
  for (uint64_t i = 0; !status && i < 2000; i++) status = run(context, 1 + (int64_t)(i % 2), w[i % 5], 1, i / 100 % 3, w[i % 5]);
  tcc_context_destroy(context);
  return status;
}

static void test_threads(void *block) {
  TccModel *model;
  expect_ok(tcc_model_create((TccArtifact){.plan = block}, find, NULL, &(TccLoadOptions){.static_sets = 3, .threads = 1}, &model));
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) expect(pthread_create(&threads[i], NULL, run_in_thread, model) == 0, "thread");
  for (int i = 0; i < 4; i++) {
    void *status;
    pthread_join(threads[i], &status);
    expect_ok(status);
  }
  tcc_model_destroy(model);
}

/* The child finds the lock as a thread of its parent held it. */
static void test_fork(void *block) {
  TccModel *model = load(block, 0);
  TccContext *context = open_context(model);
  float w[4] = {1, 2, 3, 4};
  expect_ok(run(context, 1, w, 1, 0, w));
  atomic_store(&model->sets.lock, tcc_forks() + 1);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    TccStatus *status = run(context, 1, w, 1, 1, w);
    _exit(status != NULL);
  }
  int result = 1;
  expect(waitpid(child, &result, 0) == child && result == 0, "a child takes the lock over");
  atomic_store(&model->sets.lock, 0);
  tcc_context_destroy(context);
  tcc_model_destroy(model);
}

int main(void) {
  void *block = make_static_plan(TCC_PORT_STATIC), *plain = make_static_plan(TCC_PORT_PLAIN);
  test_sets(block);
  test_room(block);
  test_threads(block);
  test_fork(block);
  TccModel *model = load(plain, 0);
  expect(tcc_model_info(model)->kernels_static == 0 && tcc_model_info(model)->kernels_launched == 4,
         "without static inputs: each run");
  tcc_model_destroy(model);
  free(block);
  free(plain);
  return failures != 0;
}
