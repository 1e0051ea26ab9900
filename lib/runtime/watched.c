/* watched.c - runs in which somebody looks at each kernel: for numbers of a kind (unusual.c), or a caller's own function.
 *
 * Commands run one at a time, for what a kernel has made may lie in the memory of a later one's results. */
#include "internal.h"

static TccTensor tensor_of(const TccStepPlace *place, uint32_t slot, int64_t *shape) {
  const TccGraph *graph = &place->model->graph;
  const TccNode *node = &graph->nodes[graph->slots[slot]];
  const uint32_t *indices = tcc_plan_at(graph->plan, graph->plan->indices);
  if (node->kind == TCC_PLAN_NONE) return (TccTensor){.rank = -1};
  for (uint32_t axis = 0; axis < node->rank; axis++) shape[axis] = place->exprs[indices[node->dims.first + axis]];
  return (TccTensor){.data = place->arguments[slot],
                     .device = {TCC_DEVICE_CPU, 0},
                     .rank = node->rank,
                     .dtype = tcc_elem_dtype((TccElem)node->elem),
                     .shape = shape};
}

/* The names and values of the symbols that are known in the step's stage; the number of them. */
static size_t known_sizes(const TccStepPlace *place, const char **names, int64_t *values) {
  const TccPlanHeader *plan = place->model->plan;
  const TccPlanSymbol *symbols = tcc_plan_at(plan, plan->symbols);
  size_t count = 0;
  for (size_t i = 0; place->symbols && i < plan->symbols.count; i++) {
    if (symbols[i].stage > place->step->stage) continue;
    names[count] = tcc_plan_text(plan, symbols[i].name);
    values[count++] = place->symbols[i];
  }
  return count;
}

TccStatus *tcc_inspect_step(const TccStepPlace *place, bool done, TccInspect *inspect, void *user) {
  const TccPlanHeader *plan = place->model->plan;
  const TccStep *step = place->step;
  if (step->kind != TCC_PLAN_KERNEL) return NULL;
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(plan, plan->calls) + step->index;
  const TccPlanKernel *kernel = (const TccPlanKernel *)tcc_plan_at(plan, plan->kernels) + call->kernel;
  const size_t count = (size_t)step->operands + step->results;
  TccArena *arena = tcc_arena_create();
  TccTensor *tensors = tcc_arena_array(arena, sizeof *tensors, count + 1);
  int64_t *shapes = tcc_arena_array(arena, sizeof *shapes, count * TCC_PLAN_MAX_RANK + 1);
  const char **names = tcc_arena_array(arena, sizeof *names, plan->symbols.count + 1);
  int64_t *sizes = tcc_arena_array(arena, sizeof *sizes, plan->symbols.count + 1);
  TccStatus *status = !tensors || !shapes || !names || !sizes ? TCC_ERROR_NO_MEMORY() : NULL;
  for (uint32_t i = 0; !status && i < count; i++)
    tensors[i] = tensor_of(place, step->slots + i, shapes + (size_t)i * TCC_PLAN_MAX_RANK);
  if (!status) {
    const TccKernelRun run = {.kernel = tcc_plan_text(plan, call->name),
                              .kind = tcc_plan_text(plan, call->kind),
                              .emitter = tcc_plan_text(plan, kernel->emitter),
                              .node = tcc_plan_text(plan, step->node),
                              .done = done,
                              .initial = place->initial,
                              .operands = tensors,
                              .operand_count = step->operands,
                              .results = tensors + step->operands,
                              .result_count = step->results,
                              .size_names = names,
                              .sizes = sizes,
                              .size_count = known_sizes(place, names, sizes)};
    status = inspect(&run, user);
  }
  tcc_arena_destroy(arena);
  return status;
}

TccStatus *tcc_watched_run(TccInstance *instance, TccTeam *team, size_t first, size_t last, const TccContextOptions *options) {
  const TccGraph *graph = &instance->model->graph;
  int64_t left[TCC_LOOP_DEPTH];
  if (!first && options->unusual) TCC_TRY(tcc_unusual_inputs(instance, options->unusual));
  for (size_t i = first; i < last;) {
    const TccStepPlace place = {instance->model, &graph->steps[i], instance->arguments, instance->exprs, instance->symbols, false};
    const TccJump *jump = instance->commands[i].jump;
    TccCommand command = instance->commands[i];
    command.jump = NULL;
    if (options->inspect) TCC_TRY(tcc_inspect_step(&place, false, options->inspect, options->user));
    tcc_team_run(team, &command, 1, NULL);
    if (options->unusual) TCC_TRY(tcc_unusual_results(instance, place.step, options->unusual));
    if (options->inspect) TCC_TRY(tcc_inspect_step(&place, true, options->inspect, options->user));
    i = jump ? tcc_jump_next(jump, i, !jump->conditional || *(const char *)command.arguments[jump->carried] != 0, left) : i + 1;
  }
  return NULL;
}
