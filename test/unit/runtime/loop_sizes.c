/* A loop whose body counts a size: each iteration runs with its own, in memory that is kept; plans in which such a size is used where it is not
 * known are refused before anything runs. */
#include "plan_builder.h"
#include <stdio.h>

static int failures;
static void expect(bool ok, const char *what) {
  if (ok) return;
  failures++;
  printf("failed: %s\n", what);
}

/* mask[i] = x[i] > sum */
static void mask(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  const float *sum = arguments[0], *x = arguments[1];
  float *r = arguments[2];
  for (int64_t i = 0; i < sizes[0]; i++) r[i] = x[i] > *sum;
}

static void ones(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  for (int64_t i = 0; i < sizes[0]; i++) ((float *)arguments[0])[i] = 1;
}

/* sum + all of x + 1 */
static void total(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  const float *x = arguments[1];
  float sum = *(const float *)arguments[0] + 1;
  for (int64_t i = 0; i < sizes[0]; i++) sum += x[i];
  *(float *)arguments[2] = sum;
}

static TccKernelFunction *find(const char *symbol, void *user) {
  (void)user;
  return strcmp(symbol, "mask") == 0 ? mask : strcmp(symbol, "ones") == 0 ? ones : total;
}

typedef enum { GOOD, REGION, TWICE, OUTSIDE, EARLY, TRIPS, RESULT } Kind;
static const struct {
  const char *name, *error; /* NULL: there is none */
} kinds[] = {[GOOD] = {"good", NULL},
             [REGION] = {"region", NULL},
             [TWICE] = {"twice", "counted out of order"},
             [OUTSIDE] = {"outside", "uses a size that is not known there"},
             [EARLY] = {"early", "uses a size that is not known there"},
             [TRIPS] = {"trips", "runs as often as a size says that is not known there"},
             [RESULT] = {"result", "uses a size that is not known there"}};

static void add_function(Plan *p, const char *name, uint32_t values, uint32_t commands, uint32_t arguments, TccPlanRange results) {
  TccPlanFunction function = {.name = plan_text(p, name),
                              .values = {values, (uint32_t)p->values.count - values},
                              .commands = {commands, (uint32_t)p->commands.count - commands},
                              .arguments = arguments,
                              .results = results};
  TCC_VEC_PUSH(p->arena, &p->functions, function);
}

static void add_loop(Plan *p, Kind kind, TccPlanRange operands, TccPlanRange results, uint32_t trips) {
  plan_command(p, kind == REGION ? TCC_PLAN_REGION : TCC_PLAN_LOOP, 1, operands, results, (TccPlanRange){0, 0});
  p->commands.data[p->commands.count - 1].trips = trips;
}

/* main(s: f32[1], x: f32[T]) = s after T times body(s, x) = total(s, ones(as many as x has above s)) */
static TccStatus *make_model(Kind kind, TccModel **out, void **out_block) {
  const TccPlanRange none = {0, 0};
  Plan p;
  plan_open(&p);
  plan_symbol(&p, "T", 0);
  const uint32_t n = plan_symbol(&p, "n", kind == REGION ? 1 : 2);
  const uint32_t masks = plan_call(&p, "mask", false, "T", "1"), makes = plan_call(&p, "ones", false, "n", "1"),
                 adds = plan_call(&p, "total", false, "n", "1");
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "1", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "T", 1);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, kind == RESULT ? "n" : "1", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, kind == OUTSIDE || kind == REGION ? "n" : "1", 0);
  add_loop(&p, kind, LIST(&p, 0, 1), LIST(&p, 2), plan_expr(&p, kind == TRIPS ? "n" : "T"));
  if (kind == TWICE) add_loop(&p, kind, LIST(&p, 2, 1), LIST(&p, 3), plan_expr(&p, "T"));
  if (kind == OUTSIDE || kind == REGION) plan_command(&p, TCC_PLAN_KERNEL, makes, none, LIST(&p, 3), none);
  add_function(&p, "main", 0, 0, 2, LIST(&p, 2));
  const uint32_t values = (uint32_t)p.values.count, commands = (uint32_t)p.commands.count;
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "1", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "T", 1);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "T", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "n", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "1", 0);
  plan_command(&p, TCC_PLAN_KERNEL, masks, LIST(&p, 0, 1), LIST(&p, 2), none);
  if (kind == EARLY) plan_command(&p, TCC_PLAN_KERNEL, makes, none, LIST(&p, 3), none);
  plan_command(&p, TCC_PLAN_COUNT, n, LIST(&p, 2), none, none);
  if (kind != EARLY) plan_command(&p, TCC_PLAN_KERNEL, makes, none, LIST(&p, 3), none);
  plan_command(&p, TCC_PLAN_KERNEL, adds, LIST(&p, 0, 3), LIST(&p, 4), none);
  add_function(&p, "body", values, commands, 2, LIST(&p, 4));
  TccPlanPort s = {plan_text(&p, "s"), 0, -1}, x = {plan_text(&p, "x"), 1, -1}, y = {plan_text(&p, "y"), 2, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, s);
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  size_t bytes;
  *out = NULL;
  *out_block = plan_finish(&p, &bytes);
  TCC_TRY(tcc_plan_check(*out_block, bytes));
  const TccLoadOptions options = {.threads = 1};
  return tcc_model_create((TccArtifact){.plan = *out_block}, find, NULL, &options, out);
}

/* What main gives for x = 0, 1, ... */
static float run(TccContext *context, int64_t length) {
  float values[64], sum = 0;
  int64_t one = 1;
  for (int64_t i = 0; i < length; i++) values[i] = (float)i;
  const TccTensor inputs[] = {
      {.data = &sum, .device = {TCC_DEVICE_CPU, 0}, .rank = 1, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = &one},
      {.data = values, .device = {TCC_DEVICE_CPU, 0}, .rank = 1, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = &length}};
  TccTensor out = {0};
  TccStatus *status = tcc_context_run(context, inputs, 2, &out, 1);
  if (status) printf("failed: %s\n", tcc_status_message(status)), exit(1);
  return *(float *)out.data;
}

static float wanted(int64_t length, bool loops) {
  int64_t sum = 0;
  for (int64_t trip = 0; trip < (loops ? length : 1); trip++) sum += 1 + (length - 1 > sum ? length - 1 - sum : 0);
  return (float)sum;
}

static void test(Kind kind) {
  TccModel *model;
  void *block;
  TccStatus *status = make_model(kind, &model, &block);
  expect(kinds[kind].error ? status && strstr(tcc_status_message(status), kinds[kind].error) != NULL : !status, kinds[kind].name);
  tcc_status_destroy(status);
  TccContext *context = NULL;
  if (model) tcc_status_destroy(tcc_context_create(model, &(TccContextOptions){.threads = 1}, &context));
  size_t bytes = 0;
  for (int round = 0; context && round < 3; round++) {
    for (int64_t length = kind == REGION; length < 8; length++)
      expect(run(context, length) == wanted(length, kind != REGION), "the sum");
    expect(!round || tcc_context_bytes(context) == bytes, "sizes that were there before need no memory");
    bytes = tcc_context_bytes(context);
  }
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  free(block);
}

int main(void) {
  for (Kind kind = GOOD; kind <= RESULT; kind++) test(kind);
  return failures != 0;
}
