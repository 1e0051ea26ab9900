/* States: memory of a context, which runs read and write; what they begin as; two that are handed on; ports that do not stand as they must.
 * Tensors that a caller keeps where a model runs. */
#include "counting_allocator.h"
#include "sample_plan.h"
#include <stdio.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

/* The status must have this code and text; NULL: there must be none. */
static void expect_status(TccStatus *status, const char *text) {
  const char *message = status ? tcc_status_message(status) : NULL;
  bool ok = text ? message && strstr(message, text) : !message;
  if (!ok) printf("failed: '%s', expected '%s'\n", message ? message : "", text ? text : "");
  failures += !ok;
  tcc_status_destroy(status);
}

static const float first[4] = {1, 2, 3, 4};

/* main(x: f32[1, 4], s, t: states) -> s as it was; s becomes x + s, t becomes s. s begins as 2 c, t as c. */
static void *make_state_plan(bool over, size_t *bytes) {
  Plan p;
  plan_open(&p);
  uint32_t add = plan_call(&p, "add_row", false, "1, 4", "1"), twice = plan_call(&p, "double_all", false, "4", "1");
  for (uint32_t i = 0; i < 3; i++) plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "1, 4", i);
  plan_value(&p, TCC_PLAN_CONSTANT, TCC_ELEM_F32, "1, 4", plan_constant(&p, first, sizeof first));
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "1, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "1, 4", 0);
  TccPlanRange none = {0, 0};
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 0, 1), LIST(&p, 4), over ? LIST(&p, 1, 0) : none);
  plan_command(&p, TCC_PLAN_KERNEL, twice, LIST(&p, 3), LIST(&p, 5), none);
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 6}, .commands = {0, 2}, .arguments = 3, .results = LIST(&p, 1, 4, 1, 5, 3)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort inputs[] = {{plan_text(&p, "x"), 0, -1, TCC_PORT_PLAIN},
                          {plan_text(&p, "s"), 1, -1, TCC_PORT_STATE},
                          {plan_text(&p, "t"), 2, -1, TCC_PORT_STATE}};
  TccPlanPort outputs[] = {{plan_text(&p, "y"), 1, -1, TCC_PORT_PLAIN},
                           {plan_text(&p, "s"), 4, 1, TCC_PORT_STATE},
                           {plan_text(&p, "t"), 1, 2, TCC_PORT_STATE},
                           {plan_text(&p, "s"), 5, 1, TCC_PORT_INITIAL},
                           {plan_text(&p, "t"), 3, 2, TCC_PORT_INITIAL}};
  for (int i = 0; i < 3; i++) TCC_VEC_PUSH(p.arena, &p.inputs, inputs[i]);
  for (int i = 0; i < 5; i++) TCC_VEC_PUSH(p.arena, &p.outputs, outputs[i]);
  void *block = plan_finish(&p, bytes);
  expect_status(tcc_plan_check(block, *bytes), NULL);
  return block;
}

static bool holds(const TccContext *context, const char *name, const float *values, float factor, float add) {
  TccTensor state;
  TccStatus *status = tcc_context_state_get(context, name, &state);
  bool ok = !status && state.rank == 2 && state.shape[1] == 4;
  for (int i = 0; ok && i < 4; i++) ok = ((const float *)state.data)[i] == factor * values[i] + add;
  tcc_status_destroy(status);
  return ok;
}

/* One run on ones; y must be factor * first + add. */
static void step(TccContext *context, float factor, float add) {
  float ones[4] = {1, 1, 1, 1};
  int64_t shape[2] = {1, 4};
  TccTensor x = tensor(ones, 2, shape, NULL), y = {0};
  expect_status(tcc_context_run(context, &x, 1, &y, 1), NULL);
  for (int i = 0; y.data && i < 4; i++)
    expect(((float *)y.data)[i] == factor * first[i] + add, "a result reads the state before the run");
}

static void test_runs(TccContext *context, TccContext *other) {
  TccTensor before, after;
  expect_status(tcc_context_state_get(context, "s", &before), NULL);
  for (int n = 0; n < 4; n++) {
    expect(holds(context, "s", first, 2, (float)n), "s is written from run to run");
    step(context, 2, (float)n);
    expect(holds(context, "t", first, 2, (float)n), "t is what s was");
  }
  expect_status(tcc_context_state_get(context, "s", &after), NULL);
  expect(before.data == after.data, "a state stays where it is");
  expect(holds(other, "s", first, 2, 0) && holds(other, "t", first, 1, 0), "each context has its own");
}

static void test_access(TccContext *context) {
  float own[8] = {9, 0, 8, 0, 7, 0, 6, 0}, seen[4] = {9, 8, 7, 6};
  int64_t shape[2] = {1, 4}, strides[2] = {8, 2}, narrow[2] = {1, 3};
  TccTensor value = tensor(own, 2, shape, strides);
  expect_status(tcc_context_state_set(context, "s", &value), NULL);
  expect(holds(context, "s", seen, 1, 0), "a value of any strides");
  expect_status(tcc_context_state_reset(context, "s"), NULL);
  expect(holds(context, "s", first, 2, 0) && !holds(context, "t", first, 1, 0), "one state as at first");
  expect_status(tcc_context_state_reset(context, NULL), NULL);
  expect(holds(context, "t", first, 1, 0), "all states as at first");
  value.shape = narrow;
  expect_status(tcc_context_state_set(context, "t", &value), "state 1 't', axis 1: size 3, expected 4");
  value.shape = shape, value.dtype.code = TCC_DTYPE_INT;
  expect_status(tcc_context_state_set(context, "t", &value), "state 1 't' has element type i32, expected f32");
  expect_status(tcc_context_state_get(context, "u", &value), "the model has no state 'u'; it has 's', 't'");
  expect_status(tcc_context_state_reset(context, "u"), "the model has no state 'u'");
}

static void test_tensors(TccModel *model) {
  float own[8] = {9, 0, 8, 0, 7, 0, 6, 0}, back[4] = {0};
  int64_t shape[2] = {1, 4}, strides[2] = {8, 2}, narrow[2] = {1, 3}, wrong[2] = {1, -4};
  TccTensor from = tensor(own, 2, shape, strides), kept = tensor(NULL, 2, shape, NULL), to = tensor(back, 2, shape, NULL),
            other = tensor(back, 2, narrow, NULL), none = tensor(NULL, 2, wrong, NULL);
  const size_t before = held;
  expect_status(tcc_model_tensor_create(model, &kept), NULL);
  expect(kept.data && kept.device.type == TCC_DEVICE_CPU && held > before, "memory of the model's allocator");
  expect_status(tcc_model_tensor_copy(model, &from, &kept), NULL);
  expect_status(tcc_model_tensor_copy(model, &kept, &to), NULL);
  expect(back[0] == 9 && back[1] == 8 && back[2] == 7 && back[3] == 6, "copied there and back");
  expect_status(tcc_model_tensor_copy(model, &kept, &other), "tensors of other types or sizes are not copied");
  TccTensor bare = to, empty = to, nibbles = from, packed = to;
  bare.shape = NULL, empty.data = NULL;
  expect_status(tcc_model_tensor_copy(model, &bare, &kept), "a tensor of rank 2 has no shape");
  expect_status(tcc_model_tensor_copy(model, &kept, &bare), "a tensor of rank 2 has no shape");
  expect_status(tcc_model_tensor_copy(model, &kept, &empty), "a tensor without data is not copied");
  expect_status(tcc_model_tensor_create(model, &bare), "a tensor of rank 2 has no shape");
  nibbles.dtype = packed.dtype = (TccDtype){TCC_DTYPE_INT, 4, 1};
  expect_status(tcc_model_tensor_copy(model, &nibbles, &packed), "elements of 4 bits must be dense");
  to.strides = strides;
  expect_status(tcc_model_tensor_copy(model, &from, &to), "a tensor with gaps is not copied");
  from.strides = NULL, from.device.type = TCC_DEVICE_CUDA;
  expect_status(tcc_model_tensor_copy(model, &from, &kept), "between the host and the device of its model");
  expect_status(tcc_model_tensor_create(model, &none), "axis 1: size -4 is negative");
  none.shape = shape, none.dtype.bits = 7;
  expect_status(tcc_model_tensor_create(model, &none), "is none of a model");
  tcc_model_tensor_destroy(model, &none);
  tcc_model_tensor_destroy(model, &kept);
  expect(!kept.data && held == before, "its memory is given back");
  left = 0;
  expect_status(tcc_model_tensor_create(model, &kept), "no memory for the 16 bytes of a tensor");
  left = SIZE_MAX;
}

static void test_model(bool over) {
  size_t bytes;
  void *block = make_state_plan(over, &bytes);
  TccModel *model;
  TccContext *context = NULL, *other = NULL;
  TccLoadOptions options = {.allocator = {take, release, NULL}, .threads = 1};
  expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, &options, &model), NULL);
  expect(tcc_model_input_count(model) == 1 && tcc_model_output_count(model) == 1, "states are no inputs and no outputs");
  expect(!tcc_model_input(model, 1) && !tcc_model_output(model, 1), "nor are they found among them");
  expect(tcc_model_state_count(model) == 2 && !strcmp(tcc_model_state(model, 1)->name, "t") && !tcc_model_state(model, 2),
         "states");
  const size_t before = held;
  for (size_t allowed = 0; !context && allowed < 100; allowed++) {
    left = allowed;
    tcc_status_destroy(tcc_context_create(model, &(TccContextOptions){.threads = 1}, &context));
    expect(context || held == before, "a context that is not made holds nothing");
  }
  left = SIZE_MAX;
  expect_status(tcc_context_create(model, &(TccContextOptions){.threads = 1}, &other), NULL);
  if (context && other) test_runs(context, other), test_access(context);
  test_tensors(model);
  tcc_context_destroy(context);
  tcc_context_destroy(other);
  tcc_model_destroy(model);
  expect(held == 0, "all memory is given back");
  free(block);
}

/* Ports in another order, or tied to another input. */
static void test_order(void) {
  size_t bytes;
  TccPlanHeader *block = make_state_plan(true, &bytes);
  TccPlanPort *inputs = (TccPlanPort *)((char *)block + block->inputs.offset),
              *outputs = (TccPlanPort *)((char *)block + block->outputs.offset);
  inputs[1].kind = TCC_PORT_PLAIN;
  expect_status(tcc_plan_check(block, bytes), "plan: the table 'states' is damaged");
  inputs[1].kind = TCC_PORT_STATE;
  outputs[3].tied = 2;
  expect_status(tcc_plan_check(block, bytes), "plan: the table 'states' is damaged");
  outputs[3].tied = 1, outputs[0].tied = 1;
  expect_status(tcc_plan_check(block, bytes), "plan: the table 'states' is damaged");
  outputs[0].tied = -1, outputs[3].value = 4;
  TccModel *model;
  ((uint32_t *)((char *)block +
                block->indices.offset))[((TccPlanFunction *)((char *)block + block->functions.offset))->results.first + 3] = 4;
  expect_status(tcc_model_create((TccArtifact){.plan = block}, find, NULL, NULL, &model), "plan: state 0 has no fixed size");
  free(block);
}

int main(void) {
  test_model(false);
  test_model(true);
  test_order();
  return failures != 0;
}
