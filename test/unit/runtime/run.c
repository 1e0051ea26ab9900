/* A plan written by hand through the whole run-time: a region called twice, work on weights done once, a reshape, sizes that
 * depend on data, strided and caller-given tensors, wrong sizes, several threads, and no allocation for sizes seen before. */
#include "sample_plan.h"
#include <pthread.h>
#include <stdio.h>

static int failures;
static _Atomic size_t allocations;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

static void expect_status(TccStatus *status, TccCode code, const char *message) {
  bool ok = tcc_status_code(status) == code && (!message || strstr(tcc_status_message(status), message));
  if (!ok)
    printf("failed: got %s (%s), want %s (%s)\n", tcc_code_name(tcc_status_code(status)), tcc_status_message(status),
           tcc_code_name(code), message ? message : "");
  failures += !ok;
  tcc_status_destroy(status);
}

static void *count_allocation(size_t bytes, size_t alignment, void *user) {
  (void)user;
  allocations++;
  return aligned_alloc(alignment, bytes);
}
static void release(void *memory, size_t bytes, void *user) { (void)bytes, (void)user, free(memory); }

static void test_run(TccModel *model, unsigned threads) {
  TccContext *context;
  TccContextOptions options = {.threads = threads};
  expect_status(tcc_context_create(model, &options, &context), TCC_OK, NULL);
  float x[3 * 4] = {1, 0, 0, 2, 0, 3, 0, 0, 0, 0, 0, 4};
  int64_t shape[2] = {3, 4};
  TccTensor input = tensor(x, 2, shape, NULL), outputs[3] = {0};
  expect_status(tcc_context_run(context, &input, 1, outputs, 3), TCC_OK, NULL);
  expect(is_result(outputs[0].data, x, 3), "result");
  expect(outputs[0].shape[0] == 3 && outputs[1].rank == 1 && outputs[1].shape[0] == 12, "shapes");
  expect(outputs[1].data != outputs[0].data && is_result(outputs[1].data, x, 3), "a second output of the same bytes is a copy");
  static const int64_t where[2][4] = {{0, 0, 1, 2}, {0, 3, 1, 3}};
  expect(outputs[2].shape[0] == 2 && outputs[2].shape[1] == 4 && memcmp(outputs[2].data, where, sizeof where) == 0, "nonzero");

  size_t before = allocations;
  x[0] = 0; /* another count: the later stage is planned again, in memory that is there */
  memset(outputs, 0, sizeof outputs);
  expect_status(tcc_context_run(context, &input, 1, outputs, 3), TCC_OK, NULL);
  expect(outputs[2].shape[1] == 3 && ((int64_t *)outputs[2].data)[0] == 0 && ((int64_t *)outputs[2].data)[3] == 3, "nonzero again");
  for (int i = 0; i < 5; i++) {
    memset(outputs, 0, sizeof outputs);
    expect_status(tcc_context_run(context, &input, 1, outputs, 3), TCC_OK, NULL);
  }
  expect(allocations == before, "no allocation for sizes seen before");

  float own[12], wide[2][8] = {{0, -1, 1, -1, 2, -1, 3, -1}, {4, -1, 5, -1, 6, -1, 7, -1}}, dense[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  memset(outputs, 0, sizeof outputs);
  outputs[0] = tensor(own, 2, shape, NULL);
  expect_status(tcc_context_run(context, &input, 1, outputs, 3), TCC_OK, NULL);
  expect(outputs[0].data == own && is_result(own, x, 3) && is_result(outputs[1].data, x, 3), "memory of the caller");

  int64_t strided_shape[2] = {2, 4}, strides[2] = {8, 2}, turned_strides[2] = {1, 2};
  float turned[8];
  TccTensor strided = tensor(wide, 2, strided_shape, strides);
  memset(outputs, 0, sizeof outputs);
  outputs[0] = tensor(turned, 2, strided_shape, turned_strides);
  expect_status(tcc_context_run(context, &strided, 1, outputs, 3), TCC_OK, NULL);
  expect(is_result(outputs[1].data, dense, 2), "strided input");
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) expect(turned[i + 2 * j] == dense[4 * i + j] + 8 * (float)(j + 1), "strided output");

  int64_t empty_shape[2] = {0, 4};
  TccTensor empty = tensor(NULL, 2, empty_shape, NULL);
  memset(outputs, 0, sizeof outputs);
  expect_status(tcc_context_run(context, &empty, 1, outputs, 3), TCC_OK, NULL);
  expect(outputs[0].shape[0] == 0 && outputs[2].shape[1] == 0, "no rows");

  int64_t wrong_shape[2] = {3, 5};
  TccTensor wrong = tensor(x, 2, wrong_shape, NULL);
  memset(outputs, 0, sizeof outputs);
  expect_status(tcc_context_run(context, &wrong, 1, outputs, 3), TCC_INVALID, "input 0 'x', axis 1: size 5, expected 4");
  static float large[101 * 4];
  int64_t large_shape[2] = {101, 4};
  wrong = tensor(large, 2, large_shape, NULL);
  expect_status(tcc_context_run(context, &wrong, 1, outputs, 3), TCC_INVALID,
                "sizes do not agree: 'B' (101) must be at most 100 (node 'y', Add)");
  wrong = tensor(x, 1, wrong_shape, NULL);
  expect_status(tcc_context_run(context, &wrong, 1, outputs, 3), TCC_INVALID, "rank 1, expected 2");
  wrong = tensor(x, 2, shape, NULL);
  wrong.dtype.bits = 64;
  expect_status(tcc_context_run(context, &wrong, 1, outputs, 3), TCC_INVALID, "element type");
  expect_status(tcc_context_run(context, &input, 1, outputs, 2), TCC_INVALID, "1 inputs and 2 outputs");
  outputs[0] = tensor(own, 2, strided_shape, NULL);
  expect_status(tcc_context_run(context, &input, 1, outputs, 3), TCC_INVALID, "output 0 'y', axis 0");
  tcc_context_destroy(context);
}

/* main(x: f32[1, 4], c: f32[1, 4]) -> x + c, and that result + x if `longer`; the result is written in place of c. over: the kernel may
 * write where it reads c. */
static void test_tied(bool longer, bool over) {
  Plan p;
  plan_open(&p);
  uint32_t add = plan_call(&p, "add_row", false, "1, 4", "1");
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "1, 4", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "1, 4", 1);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "1, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "1, 4", 0);
  TccPlanRange none = {0, 0};
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 0, 1), LIST(&p, 2), over ? LIST(&p, 1, 0) : none);
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 2, 0), LIST(&p, 3), none);
  TccPlanFunction entry = {.name = plan_text(&p, "main"),
                           .values = {0, 4},
                           .commands = {0, longer ? 2 : 1},
                           .arguments = 2,
                           .results = LIST(&p, longer ? 3 : 2)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, c = {plan_text(&p, "c"), 1, -1}, r = {plan_text(&p, "r"), longer ? 3 : 2, 1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.inputs, c);
  TCC_VEC_PUSH(p.arena, &p.outputs, r);
  size_t bytes;
  void *block = plan_finish(&p, &bytes);
  expect_status(tcc_plan_check(block, bytes), TCC_OK, NULL);
  TccModel *model;
  TccContext *context;
  expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, NULL, &model), TCC_OK, NULL);
  expect(model->graph.outputs[0].tied_direct == (longer || over),
         "a tied result is copied only where its kernel reads the argument elsewhere");
  expect_status(tcc_context_create(model, NULL, &context), TCC_OK, NULL);
  float data[4] = {1, 2, 3, 4}, cache[4] = {10, 20, 30, 40}, own[4];
  int64_t shape[2] = {1, 4};
  TccTensor inputs[2] = {tensor(data, 2, shape, NULL), tensor(cache, 2, shape, NULL)}, output = {0};
  for (int step = 1; step <= 3; step++) {
    output = (TccTensor){0};
    expect_status(tcc_context_run(context, inputs, 2, &output, 1), TCC_OK, NULL);
    expect(output.data == cache, "a tied result is its argument");
    for (int i = 0; i < 4; i++) expect(cache[i] == (float)((i + 1) * (10 + step * (longer ? 2 : 1))), "a tied result adds up");
  }
  size_t arena, live;
  tcc_context_arena(context, &arena, &live);
  expect(live == (longer || !over ? 64 : 0), "a tied result that lies in its argument has no memory of its own");
  float spread[8] = {10, -1, 20, -1, 30, -1, 40, -1}; /* with gaps, where no kernel writes */
  int64_t strides[2] = {8, 2};
  TccTensor gaps[2] = {inputs[0], tensor(spread, 2, shape, strides)};
  for (int step = 1; step <= 2; step++) {
    output = (TccTensor){0};
    expect_status(tcc_context_run(context, gaps, 2, &output, 1), TCC_OK, NULL);
    for (int i = 0; i < 8; i++)
      expect(spread[i] == (i % 2 ? -1.0F : (float)((i / 2 + 1) * (10 + step * (longer ? 2 : 1)))),
             "a tied result with gaps adds up");
  }
  output = tensor(own, 2, shape, NULL); /* memory of the caller comes first: the argument stays */
  float before = cache[1];
  expect_status(tcc_context_run(context, inputs, 2, &output, 1), TCC_OK, NULL);
  expect(cache[1] == before && own[1] == before + (longer ? 4 : 2), "a tied result with memory of its own");
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  free(block);
}

/* One model, a context in each of several threads, all at once. */
static void *run_in_thread(void *user) {
  TccContext *context;
  TccContextOptions options = {.threads = 2};
  TccStatus *status = tcc_context_create(user, &options, &context);
  static float x[99 * 4];
  for (int64_t rows = 1; !status && rows < 100; rows += 7) {
    int64_t shape[2] = {rows, 4};
    TccTensor input = tensor(x, 2, shape, NULL), outputs[3] = {0};
    status = tcc_context_run(context, &input, 1, outputs, 3);
    if (!status && !is_result(outputs[0].data, x, rows)) status = TCC_ERROR(TCC_MISMATCH, "wrong result in a thread");
  }
  tcc_context_destroy(context);
  return status;
}

static void test_shared(TccModel *model) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) expect(pthread_create(&threads[i], NULL, run_in_thread, model) == 0, "thread");
  for (int i = 0; i < 3; i++) {
    void *status = NULL;
    pthread_join(threads[i], &status);
    expect_status(status, TCC_OK, NULL);
  }
}

static void test_damage(const void *block, size_t bytes) {
  char *copy = aligned_alloc(64, tcc_align(bytes));
  if (!copy) abort();
  for (size_t i = 8; i < bytes; i++) { /* any answer but a crash; what passes the check must not break the expansion */
    memcpy(copy, block, bytes);
    copy[i] ^= 0x55;
    TccStatus *status = tcc_plan_check(copy, bytes);
    if (!status) {
      TccArena *arena = tcc_arena_create();
      TccGraph graph;
      TccText text = {0};
      status = tcc_graph_build((const TccPlanHeader *)copy, arena, &graph);
      tcc_plan_print(copy, &text);
      tcc_text_destroy(&text);
      tcc_arena_destroy(arena);
    }
    tcc_status_destroy(status);
  }
  for (size_t cut = 0; cut < bytes; cut += 7) expect_status(tcc_plan_check(block, cut), TCC_INVALID, NULL);
  free(copy);
}

int main(void) {
  size_t bytes;
  void *block = make_plan(&bytes);
  expect_status(tcc_plan_check(block, bytes), TCC_OK, NULL);
  TccModel *model;
  TccLoadOptions options = {.allocator = {count_allocation, release, NULL}, .threads = 1};
  expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, &options, &model), TCC_OK, NULL);
  if (failures) return 1;
  expect(doublings == 1, "work on weights");
  const TccModelInfo *info = tcc_model_info(model);
  expect(info->kernels_launched == 5 && info->kernels_initial == 1 && info->kernels_unique == 3, "kernels");
  expect(info->region_count == 1 && info->regions[0].calls == 2 && info->regions[0].ops == 2, "regions");
  expect(tcc_model_input(model, 0)->dims[0] == -1 && strcmp(tcc_model_input(model, 0)->dim_symbols[0], "B") == 0 &&
             !tcc_model_input(model, 1),
         "port");
  test_run(model, 1);
  test_run(model, 4);
  expect(doublings == 1, "work on weights is done once");
  test_shared(model);
  tcc_model_destroy(model);
  test_tied(false, false);
  test_tied(false, true);
  test_tied(true, false);
  test_tied(true, true);
  test_damage(block, bytes);
  free(block);
  return failures != 0;
}
