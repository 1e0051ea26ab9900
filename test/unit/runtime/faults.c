/* Indices outside of an axis, reported by kernels of a plan written by hand: the status of the run that read them, of those after it, of
 * a load whose weights alone decide, of several threads, of an axis without elements. */
#include "plan_builder.h"
#include <stdio.h>

static int failures;

static void expect_status(TccStatus *status, TccCode code, const char *message) {
  bool ok = tcc_status_code(status) == code && (!message || strcmp(tcc_status_message(status), message) == 0);
  if (!ok)
    printf("failed: got %s (%s), want %s (%s)\n", tcc_code_name(tcc_status_code(status)), tcc_status_message(status),
           tcc_code_name(code), message ? message : "");
  failures += !ok;
  tcc_status_destroy(status);
}

/* r[i] = x[i'[i]] as compiled code has it: what is outside is reported, and element 0 is read. sizes: of x; a tile is an index. */
static void pick(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  for (int64_t t = begin; t < end; t++) {
    int64_t raw = ((const int64_t *)arguments[1])[t], index = raw < 0 ? raw + sizes[0] : raw;
    if ((uint64_t)index >= (uint64_t)sizes[0]) {
      int64_t *words = (int64_t *)(uintptr_t)sizes;
      words[tcc_fault_word(0, TCC_FAULT_INDEX)] = raw;
      words[tcc_fault_word(0, TCC_FAULT_SEEN)] = 1;
      index = 0;
    }
    ((float *)arguments[2])[t] = ((const float *)arguments[0])[index];
  }
}

static TccKernelFunction *find(const char *symbol, void *user) {
  (void)user;
  return strcmp(symbol, "pick") == 0 ? pick : NULL;
}

/* main(x: f32[N], i: i64[K]) -> x[i]; constant: of x[i] with both constants, added by nobody. */
static void *make_plan(const int64_t *constant, size_t *bytes) {
  static const float table[3] = {1, 2, 3};
  Plan p;
  plan_open(&p);
  plan_symbol(&p, "N", 0);
  plan_symbol(&p, "K", 0);
  TccPlanRange none = {0, 0};
  uint32_t call = plan_call(&p, "pick", false, "N", "K");
  plan_check(&p, "node \"rows\"", TCC_PLAN_INDEX_SIGNED, "N", "K", true);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "N", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_I64, "K", 1);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "K", 0);
  plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, 0, 1), LIST(&p, 2), none);
  if (constant) {
    call = plan_call(&p, "pick", false, "3", "2");
    plan_check(&p, "node \"table\"", TCC_PLAN_INDEX_UNSIGNED, "3", "2", true);
    plan_value(&p, TCC_PLAN_CONSTANT, TCC_ELEM_F32, "3", plan_constant(&p, table, sizeof table));
    plan_value(&p, TCC_PLAN_CONSTANT, TCC_ELEM_I64, "2", plan_constant(&p, constant, 2 * sizeof *constant));
    plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "2", 0);
    plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, 3, 4), LIST(&p, 5), none);
  }
  TccPlanFunction entry = {.name = plan_text(&p, "main"),
                           .values = {0, constant ? 6 : 3},
                           .commands = {0, constant ? 2 : 1},
                           .arguments = 2,
                           .results = LIST(&p, 2)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, i = {plan_text(&p, "i"), 1, -1}, r = {plan_text(&p, "r"), 2, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.inputs, i);
  TCC_VEC_PUSH(p.arena, &p.outputs, r);
  return plan_finish(&p, bytes);
}

static TccStatus *run(TccContext *context, int64_t n, int64_t k, int64_t *indices, float *out_first) {
  static float x[8] = {10, 11, 12, 13, 14, 15, 16, 17};
  TccTensor inputs[2] = {{.data = x, .device = {TCC_DEVICE_CPU, 0}, .rank = 1, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = &n},
                         {.data = indices, .device = {TCC_DEVICE_CPU, 0}, .rank = 1, .dtype = {TCC_DTYPE_INT, 64, 1}, .shape = &k}},
            output = {0};
  TccStatus *status = tcc_context_run(context, inputs, 2, &output, 1);
  if (!status && k) *out_first = ((float *)output.data)[0];
  return status;
}

static void test_runs(unsigned threads) {
  size_t bytes;
  void *block = make_plan(NULL, &bytes);
  TccModel *model;
  TccContext *context;
  TccContextOptions options = {.threads = threads};
  expect_status(tcc_plan_check(block, bytes), TCC_OK, NULL);
  expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, NULL, &model), TCC_OK, NULL);
  expect_status(tcc_context_create(model, &options, &context), TCC_OK, NULL);
  static int64_t indices[5000];
  float first = 0;
  indices[0] = -8;
  for (int turn = 0; turn < 3; turn++) { /* a fault is told once, wherever it is */
    expect_status(run(context, 8, 5000, indices, &first), TCC_OK, NULL);
    failures += first != 10;
    indices[turn * 2499] = turn ? -9 : 8;
    expect_status(run(context, 8, 5000, indices, &first), TCC_INVALID,
                  turn ? "node \"rows\": index -9 is outside [-8, 8), axis 0"
                       : "node \"rows\": index 8 is outside [-8, 8), axis 0");
    indices[turn * 2499] = 0;
  }
  expect_status(run(context, 8, 5000, indices, &first), TCC_OK, NULL);
  expect_status(run(context, 0, 5000, indices, &first), TCC_INVALID, "node \"rows\": an index into axis 0, which has no elements");
  expect_status(run(context, 0, 0, indices, &first), TCC_OK, NULL);
  expect_status(run(context, 0, 5000, indices, &first), TCC_INVALID, "node \"rows\": an index into axis 0, which has no elements");
  expect_status(run(context, 8, 5000, indices, &first), TCC_OK, NULL);
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  free(block);
}

static void test_load(void) {
  const int64_t indices[2][2] = {{0, 2}, {0, 3}};
  for (int wrong = 0; wrong < 2; wrong++) {
    size_t bytes;
    void *block = make_plan(indices[wrong], &bytes);
    TccModel *model = NULL;
    expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, NULL, &model), wrong ? TCC_INVALID : TCC_OK,
                  wrong ? "node \"table\": index 3 is outside [0, 3), axis 0" : NULL);
    if (!wrong) tcc_model_destroy(model);
    free(block);
  }
}

int main(void) {
  test_runs(1);
  test_runs(3);
  test_load();
  printf(failures ? "%d failures\n" : "ok\n", failures);
  return failures != 0;
}
