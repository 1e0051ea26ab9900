/* What initial steps make lies in the order in which a run reads it, whatever order it is made in: what a kernel prefetches behind its weights are the next
 * one's. */
#include "sample_plan.h"
#include <stdio.h>

/* main(x: f32[B, 4]) -> x + 4 w + 2 w, where 4 w is 2 (2 w) */
static void *make_order_plan(void) {
  Plan p;
  size_t bytes;
  plan_open(&p);
  plan_symbol(&p, "B", 0);
  const float w[4] = {1, 2, 3, 4};
  uint32_t constant = plan_constant(&p, w, sizeof w);
  uint32_t add = plan_call(&p, "add_row", false, "B, 4", "B"), twice = plan_call(&p, "double_all", false, "4", "1");
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_CONSTANT, TCC_ELEM_F32, "4", constant);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  TccPlanRange none = {0, 0};
  plan_command(&p, TCC_PLAN_KERNEL, twice, LIST(&p, 1), LIST(&p, 2), none);
  plan_command(&p, TCC_PLAN_KERNEL, twice, LIST(&p, 2), LIST(&p, 3), none);
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 0, 3), LIST(&p, 4), none);
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 4, 2), LIST(&p, 5), none);
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 6}, .commands = {0, 4}, .arguments = 1, .results = LIST(&p, 5)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1, TCC_PORT_PLAIN}, y = {plan_text(&p, "y"), 5, -1, TCC_PORT_PLAIN};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  return plan_finish(&p, &bytes);
}

/* The second operand of a step. */
static const float *added(const TccModel *model, size_t step) {
  const TccGraph *graph = &model->graph;
  return graph->nodes[graph->nodes[graph->slots[graph->steps[step].slots + 1]].root].data;
}

int main(void) {
  TccModel *model;
  TccLoadOptions options = {.threads = 1};
  void *block = make_order_plan();
  TccStatus *status = tcc_model_create((TccArtifact){.plan = block}, find, NULL, &options, &model);
  if (status) {
    printf("failed: %s\n", tcc_status_message(status));
    return 1;
  }
  const float *first = added(model, 0), *second = added(model, 1);
  bool ok = model->graph.step_count == 2 && first[3] == 16 && second[3] == 8 && first < second &&
            (const char *)second - (const char *)first == (ptrdiff_t)tcc_align(4 * sizeof(float));
  if (!ok) printf("failed: %p %p\n", (const void *)first, (const void *)second);
  tcc_model_destroy(model);
  free(block);
  return !ok;
}
