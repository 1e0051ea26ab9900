/* launch.c - plans of kernels that a device starts: what the check refuses, and that a run-time without devices says so. */
#include "plan_builder.h"

static int failures;
static void expect_status(const char *what, TccStatus *status, TccCode code, const char *part) {
  bool ok = tcc_status_code(status) == code && (!part || strstr(tcc_status_message(status), part));
  if (!ok) fprintf(stderr, "%s: %s\n", what, status ? tcc_status_message(status) : "ok"), failures++;
  tcc_status_destroy(status);
}

/* main(x: f32[B]) -> kernel(x), in blocks of 256 threads. */
static void *make_plan(TccPlanLaunch launch, uint32_t number, TccSpace operand, TccSpace result, size_t *bytes) {
  Plan p;
  plan_open(&p);
  plan_symbol(&p, "B", 0);
  uint32_t call = plan_call(&p, "kernel", false, "B", "B");
  launch.grid[0] += plan_expr(&p, "B"), launch.grid[1] += plan_expr(&p, "1"), launch.grid[2] += plan_expr(&p, "1");
  launch.dynamic_shared += plan_expr(&p, "0");
  TCC_VEC_PUSH(p.arena, &p.launches, launch);
  p.calls.data[call].launch = number;
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "B", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B", 0);
  p.values.data[0].space = (uint8_t)operand, p.values.data[1].space = (uint8_t)result;
  plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, 0), LIST(&p, 1), (TccPlanRange){0, 0});
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 2}, .commands = {0, 1}, .arguments = 1, .results = LIST(&p, 1)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, y = {plan_text(&p, "y"), 1, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  return plan_finish(&p, bytes);
}

static void check(const char *what, TccPlanLaunch launch, uint32_t number, TccSpace operand, TccSpace result, const char *bad) {
  size_t bytes;
  void *block = make_plan(launch, number, operand, result, &bytes);
  expect_status(what, tcc_plan_check(block, bytes), bad ? TCC_INVALID : TCC_OK, bad);
  free(block);
}

static TccKernelFunction *find(const char *symbol, void *user) {
  (void)symbol, (void)user;
  return NULL;
}

int main(void) {
  const TccPlanLaunch good = {.block = {256, 1, 1}, .cluster = {1, 1, 1}};
  const TccSpace device = TCC_SPACE_DEVICE, host = TCC_SPACE_HOST;
  check("a launch", good, 1, device, device, NULL);
  check("no such launch", good, 2, device, device, "calls");
  check("an operand of the host", good, 1, host, device, "commands");
  check("a result of the host", good, 1, device, host, "commands");
  check("host values without a launch", good, 0, host, host, NULL);
  check("no such space", good, 1, device, (TccSpace)7, "values");
#define WITH(...) ((TccPlanLaunch){__VA_ARGS__})
  check("no threads", WITH(.block = {256, 0, 1}, .cluster = {1, 1, 1}), 1, device, device, "launches");
  check("most threads", WITH(.block = {32, 32, 1}, .cluster = {1, 1, 1}), 1, device, device, NULL);
  check("too many threads", WITH(.block = {32, 32, 2}, .cluster = {1, 1, 1}), 1, device, device, "launches");
  check("a product that wraps", WITH(.block = {1024, 1024, 4096}, .cluster = {1, 1, 1}), 1, device, device, "launches");
  check("no cluster", WITH(.block = {256, 1, 1}), 1, device, device, "launches");
  check("a large cluster", WITH(.block = {256, 1, 1}, .cluster = {32, 1, 1}), 1, device, device, "launches");
  check("much shared memory", WITH(.block = {256, 1, 1}, .cluster = {1, 1, 1}, .static_shared = TCC_LAUNCH_SHARED + 1), 1, device,
        device, "launches");
  check("no such grid", WITH(.block = {256, 1, 1}, .cluster = {1, 1, 1}, .grid = {1000, 0, 0}), 1, device, device, "launches");
  check("no such size", WITH(.block = {256, 1, 1}, .cluster = {1, 1, 1}, .dynamic_shared = 1000), 1, device, device, "launches");

  size_t bytes;
  void *block = make_plan(good, 1, device, device, &bytes);
  TccText text = {0};
  tcc_plan_print(block, &text);
  if (!strstr(text.data, "launch grid [B, 1, 1] block [256, 1, 1] cluster [1, 1, 1] shared 0 + 0") ||
      !strstr(text.data, "%1: f32[B] on the device"))
    fprintf(stderr, "printed: %s\n", text.data), failures++;
  tcc_text_destroy(&text);
  TccModel *model;
  expect_status("without a device", tcc_model_create((TccArtifact){.plan = block}, find, NULL, NULL, &model), TCC_UNSUPPORTED,
                "this run-time has none");
  free(block);
  return failures != 0;
}
