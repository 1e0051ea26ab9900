/* Concatenations and slices through the run-time: across regions, in later stages, of inputs and constants, with kernels that write in place, and plans
 * whose concatenations or slices are none. */
#include "plan_builder.h"
#include <stdio.h>

static int failures;
static size_t events;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

static void expect_status(TccStatus *status, TccCode code, const char *message) {
  bool ok = tcc_status_code(status) == code && (!message || strstr(tcc_status_message(status), message));
  if (!ok) printf("failed: got %s (%s)\n", tcc_code_name(tcc_status_code(status)), tcc_status_message(status));
  failures += !ok;
  tcc_status_destroy(status);
}

/* r[i] = a[i] + b[i]; sizes: elements */
static void add(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  for (int64_t i = 0; i < sizes[0]; i++)
    ((float *)arguments[2])[i] = ((const float *)arguments[0])[i] + ((const float *)arguments[1])[i];
}

static TccKernelFunction *find(const char *symbol, void *user) { return (void)user, strcmp(symbol, "add") == 0 ? add : NULL; }
static void count_event(const TccProfileEvent *event, void *user) { (void)user, events += strcmp(event->kind, "count") != 0; }
static TccTensor tensor(void *data, int32_t rank, int64_t *shape) {
  return (TccTensor){.data = data, .device = {TCC_DEVICE_CPU, 0}, .rank = rank, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape};
}

enum { X, C, A, B2, BOTH, HEAD, PC, SUM, WHERE, DOWN, LATE };

/* main(x: f32[S, 4]), c = {0, 0, 0, 0, 1, 2, 3, 4}:
 *   a = layer(x, x) (2 x); b = layer(a, a) (4 x); both = concat(a, b)               nothing is copied
 *   head = slice(both, 4 elements from b on); pc = slice(c, 4 elements from S on)   read where they lie
 *   sum = head + pc; count N of x; where = nonzero(x)
 *   down = concat(a, a); late = down + both                                         a is of the stage before: copied, twice */
static void *make_plan(size_t *bytes, const char *places, const char *operand) {
  Plan p;
  plan_open(&p);
  plan_symbol(&p, "S", 0);
  uint32_t n = plan_symbol(&p, "N", 1);
  const float c[8] = {0, 0, 0, 0, 1, 2, 3, 4};
  uint32_t constant = plan_constant(&p, c, sizeof c);
  uint32_t rows = plan_call(&p, "add", false, "4*S", "1"), four = plan_call(&p, "add", false, "4", "1"),
           late_add = plan_call(&p, "add", false, "8*S", "1");
  uint32_t concat = plan_call(&p, "concat", true, tcc_arena_printf(p.arena, "32*S, 2, %s, 0, 0, 16*S, %s", places, operand), "1");
  uint32_t twice = plan_call(&p, "concat", true, "32*S, 1, 2, 0, 0, 16*S, 0", "1");
  uint32_t head = plan_call(&p, "slice", true, "16, 16*S", "1"), of_constant = plan_call(&p, "slice", true, "16, 4*S", "1");
  uint32_t nonzero = plan_call(&p, "nonzero", true, tcc_arena_printf(p.arena, "%d, 2, N, S, 4", TCC_ELEM_F32), "1");
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "S, 4", 0);
  plan_value(&p, TCC_PLAN_CONSTANT, TCC_ELEM_F32, "8", constant);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "S, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "S, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "2*S, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_I64, "2, N", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "2*S, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "2*S, 4", 0);
  TccPlanRange none = {0, 0};
  plan_command(&p, TCC_PLAN_REGION, 1, LIST(&p, X, X), LIST(&p, A), none);
  plan_command(&p, TCC_PLAN_REGION, 1, LIST(&p, A, A), LIST(&p, B2), none);
  plan_command(&p, TCC_PLAN_KERNEL, concat, LIST(&p, A, B2), LIST(&p, BOTH), none);
  plan_command(&p, TCC_PLAN_KERNEL, head, LIST(&p, BOTH), LIST(&p, HEAD), none);
  plan_command(&p, TCC_PLAN_KERNEL, of_constant, LIST(&p, C), LIST(&p, PC), none);
  plan_command(&p, TCC_PLAN_KERNEL, four, LIST(&p, HEAD, PC), LIST(&p, SUM), LIST(&p, 0, 0));
  plan_command(&p, TCC_PLAN_COUNT, n, LIST(&p, X), none, none);
  plan_command(&p, TCC_PLAN_KERNEL, nonzero, LIST(&p, X), LIST(&p, WHERE), none);
  plan_command(&p, TCC_PLAN_KERNEL, twice, LIST(&p, A), LIST(&p, DOWN), none);
  plan_command(&p, TCC_PLAN_KERNEL, late_add, LIST(&p, DOWN, BOTH), LIST(&p, LATE), LIST(&p, 0, 0));
  TccPlanFunction entry = {.name = plan_text(&p, "main"),
                           .values = {0, LATE + 1},
                           .commands = {0, 10},
                           .arguments = 1,
                           .results = LIST(&p, SUM, WHERE, LATE)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "S, 4", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "S, 4", 1);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "S, 4", 0);
  plan_command(&p, TCC_PLAN_KERNEL, rows, LIST(&p, 0, 1), LIST(&p, 2), none);
  TccPlanFunction layer = {.name = plan_text(&p, "layer"),
                           .values = {LATE + 1, 3},
                           .commands = {10, 1},
                           .arguments = 2,
                           .results = LIST(&p, 2),
                           .ops = 1};
  TCC_VEC_PUSH(p.arena, &p.functions, layer);
  TccPlanPort x = {plan_text(&p, "x"), X, -1}, sum = {plan_text(&p, "sum"), SUM, -1}, where = {plan_text(&p, "where"), WHERE, -1},
              late = {plan_text(&p, "late"), LATE, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, sum);
  TCC_VEC_PUSH(p.arena, &p.outputs, where);
  TCC_VEC_PUSH(p.arena, &p.outputs, late);
  return plan_finish(&p, bytes);
}

static void check(TccContext *context, int64_t rows, float first) {
  float x[3 * 4];
  int64_t shape[2] = {rows, 4};
  for (int i = 0; i < 12; i++) x[i] = i ? (float)i : first;
  TccTensor input = tensor(x, 2, shape), outputs[3] = {0};
  expect_status(tcc_context_run(context, &input, 1, outputs, 3), TCC_OK, NULL);
  const float *sum = outputs[0].data, *late = outputs[2].data;
  for (int i = 0; i < 4; i++)
    expect(sum[i] == 4 * x[i] + (i + rows < 4 ? 0 : (float)(i + rows - 3)), "parts of a concatenation and of a constant");
  for (int64_t i = 0; i < 4 * rows; i++)
    expect(late[i] == 2 * x[i] + 2 * x[i] && late[4 * rows + i] == 2 * x[i] + 4 * x[i],
           "a concatenation of an earlier stage, and one that is alive in the next");
}

static void test_model(void) {
  size_t bytes;
  void *block = make_plan(&bytes, "2", "1");
  expect_status(tcc_plan_check(block, bytes), TCC_OK, NULL);
  TccModel *model;
  TccContext *context;
  TccContextOptions options = {.profile = count_event};
  expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, NULL, &model), TCC_OK, NULL);
  expect_status(tcc_context_create(model, &options, &context), TCC_OK, NULL);
  check(context, 2, 1);
  expect(
      events == 6,
      "the concatenation of two results and both slices are gone"); /* add, add, add, nonzero, concatenation of an earlier stage, add */
  check(context, 2, 0);
  check(context, 3, 5);
  check(context, 2, 2);
  float large[5 * 4] = {0};
  int64_t shape[2] = {5, 4};
  TccTensor input = tensor(large, 2, shape), outputs[3] = {0};
  expect_status(tcc_context_run(context, &input, 1, outputs, 3), TCC_INVALID, "an operand of 16 bytes at 20 of a tensor of 32");
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  free(block);
}

static void test_damaged(const char *places, const char *operand, const char *message) {
  size_t bytes;
  void *block = make_plan(&bytes, places, operand);
  TccModel *model = NULL;
  expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, NULL, &model), TCC_INVALID, message);
  free(block);
}

int main(void) {
  test_model();
  test_damaged("3", "1", "has not the sizes of a concat");
  test_damaged("2", "2", "a concatenation of an operand that it has not");
  test_damaged("2", "S", "a concatenation of an operand that it has not");
  return failures > 0;
}
