/* gpu_run.c - an instance on a device: its steps in order on one stream, loops counted on the host, faults and sizes as copies. */
#include "gpu.h"
#include "tcc/clock.h"

/* ---- what an instance has on the device ---- */
TccStatus *tcc_gpu_instance_open(TccGpu *gpu, TccInstance *instance) {
  const TccGraph *graph = &instance->model->graph;
  if (graph->checked_count) {
    size_t bytes = graph->size_count * sizeof(int64_t);
    TCC_TRY(tcc_gpu_allocate(gpu, bytes, "faults of kernels", &instance->gpu_faults));
    TCC_TRY(tcc_gpu_zero(gpu, instance->gpu_faults, bytes));
  }
  size_t bytes = 0;
  for (size_t n = 0; n < graph->node_count; n++)
    if (graph->nodes[n].place == TCC_PLACE_SIZES && graph->nodes[n].root == n)
      bytes += tcc_align(graph->nodes[n].sizes.count * sizeof(int64_t));
  return bytes ? tcc_gpu_allocate(gpu, bytes, "sizes", &instance->gpu_sizes) : NULL;
}

TccStatus *tcc_gpu_upload_sizes(TccGpu *gpu, TccInstance *instance, void *const *host) {
  const TccGraph *graph = &instance->model->graph;
  char *at = instance->gpu_sizes;
  for (size_t n = 0; at && n < graph->node_count; n++) {
    const TccNode *node = &graph->nodes[n];
    if (node->place != TCC_PLACE_SIZES || node->root != n) continue;
    size_t bytes = node->sizes.count * sizeof(int64_t);
    TCC_TRY(tcc_gpu_upload(gpu, at, host[n], bytes));
    tcc_instance_point(instance, (uint32_t)n, at);
    at += tcc_align(bytes);
  }
  return tcc_gpu_wait(gpu);
}

static TccStatus *take_found(TccGpu *gpu, TccInstance *instance, const int64_t *found) {
  const TccGraph *graph = &instance->model->graph;
  const TccPlanCall *calls = tcc_plan_at(graph->plan, graph->plan->calls);
  bool any = false;
  for (size_t i = 0; i < graph->checked_count; i++) {
    const TccStep *step = &graph->steps[graph->checked[i]];
    const size_t words = TCC_FAULT_WORDS * calls[step->index].checks.count, first = step->sizes - words;
    for (size_t k = first; k < first + words; k++)
      if (found[k]) instance->sizes[k] = found[k], any = true;
  }
  return any ? tcc_gpu_zero(gpu, instance->gpu_faults, graph->size_count * sizeof(int64_t)) : NULL;
}

TccStatus *tcc_gpu_faults(TccGpu *gpu, TccInstance *instance) {
  TCC_TRY(tcc_gpu_download(gpu, instance->gpu_found, instance->gpu_faults, instance->model->graph.size_count * sizeof(int64_t)));
  instance->gpu_asked = false; /* this is newer */
  return take_found(gpu, instance, instance->gpu_found);
}

/* The answer lies in memory that the device writes without the host, beside a mark of when it is there. */
static bool open_answer(TccGpu *gpu, TccInstance *instance, size_t bytes) {
  if (!instance->gpu_answer) instance->gpu_answer = tcc_gpu_pinned(gpu, bytes);
  if (!instance->gpu_answer || instance->gpu_answered) return instance->gpu_answer;
  TccStatus *status = tcc_gpu_mark_create(gpu, &instance->gpu_answered);
  tcc_status_destroy(status);
  return instance->gpu_answered;
}

TccStatus *tcc_gpu_faults_ask(TccGpu *gpu, TccInstance *instance) {
  const size_t bytes = instance->model->graph.size_count * sizeof(int64_t);
  if (instance->gpu_asked) return NULL;
  if (!open_answer(gpu, instance, bytes)) return tcc_gpu_faults(gpu, instance);
  TCC_TRY(tcc_gpu_fetch(gpu, instance->gpu_answer, instance->gpu_faults, bytes));
  TCC_TRY(tcc_gpu_mark(gpu, instance->gpu_answered));
  instance->gpu_asked = true;
  return NULL;
}

TccStatus *tcc_gpu_faults_asked(TccGpu *gpu, TccInstance *instance, bool wait) {
  bool there = true;
  if (!instance->gpu_asked) return NULL;
  TCC_TRY(wait ? tcc_gpu_mark_wait(gpu, instance->gpu_answered) : tcc_gpu_mark_ask(gpu, instance->gpu_answered, &there));
  if (!there) return NULL;
  instance->gpu_asked = false;
  return take_found(gpu, instance, instance->gpu_answer);
}

/* ---- loops ---- */
/* As tcc_loop_copy. */
static TccStatus *copy_carried(TccGpu *gpu, TccInstance *instance, const TccCommand *command) {
  const int64_t n = command->sizes[0], *bytes = command->sizes + 1, *waiting = bytes + n;
  size_t scratch = 0;
  for (int64_t i = 0; i < n; i++)
    if (waiting[i] >= 0 && (size_t)(waiting[i] + bytes[i]) > scratch) scratch = (size_t)(waiting[i] + bytes[i]);
  if (scratch > instance->gpu_carried_bytes) {
    TCC_TRY(tcc_gpu_wait(gpu));
    tcc_gpu_release(gpu, instance->gpu_carried);
    instance->gpu_carried = NULL, instance->gpu_carried_bytes = 0;
    TCC_TRY(tcc_gpu_allocate(gpu, scratch, "what loops carry", &instance->gpu_carried));
    instance->gpu_carried_bytes = scratch;
  }
  for (int64_t i = 0; i < n; i++)
    if (waiting[i] >= 0)
      TCC_TRY(tcc_gpu_copy(gpu, (char *)instance->gpu_carried + waiting[i], command->arguments[i], (size_t)bytes[i]));
  for (int64_t i = 0; i < n; i++) {
    const void *from = waiting[i] >= 0 ? (const char *)instance->gpu_carried + waiting[i] : command->arguments[i];
    if (from != command->arguments[n + i]) TCC_TRY(tcc_gpu_copy(gpu, command->arguments[n + i], from, (size_t)bytes[i]));
  }
  return NULL;
}

/* Where the list goes on behind LOOP or AGAIN (TccJump). */
static TccStatus *follow(TccGpu *gpu, const TccCommand *command, size_t i, int64_t *left, size_t *out_next) {
  const TccJump *jump = command->jump;
  char holds = 1;
  if (jump->conditional) TCC_TRY(tcc_gpu_download(gpu, &holds, command->arguments[jump->carried], 1));
  *out_next = tcc_jump_next(jump, i, holds, left);
  return NULL;
}

/* ---- steps ---- */
static TccStatus *run_kernel(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t i) {
  const TccModel *model = instance->model;
  const TccStep *step = &model->graph.steps[i];
  const TccCommand *command = &instance->commands[i];
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(model->plan, model->plan->calls) + step->index;
  if (command->tiles <= 0) return NULL;
  if (call->launch && command->function) { /* an axis without elements: it reports, and touches nothing */
    command->function(command->arguments, command->sizes, NULL, 0, command->tiles);
    return NULL;
  }
  const TccGpuStep s = {.model = model,
                        .step = step,
                        .arguments = command->arguments,
                        .exprs = instance->exprs,
                        .sizes = instance->sizes + step->sizes,
                        .faults = instance->gpu_faults ? (int64_t *)instance->gpu_faults + step->sizes : NULL,
                        .maps = instance->gpu_maps + step->maps,
                        .tiles = command->tiles,
                        .team = team};
  return tcc_gpu_step(gpu, &s);
}

TccStatus *tcc_gpu_run(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t first, size_t last, TccUnusual unusual,
                       TccCommandTime *out_times) {
  int64_t left[TCC_LOOP_DEPTH];
  if (!first && unusual) TCC_TRY(tcc_unusual_inputs(instance, unusual));
  if (out_times) memset(out_times, 0, (last - first) * sizeof *out_times);
  for (size_t i = first, next; i < last; i = next) {
    const TccCommand *command = &instance->commands[i];
    double start = out_times ? tcc_now_ms() : 0;
    next = i + 1;
    if (instance->model->graph.steps[i].kind == TCC_PLAN_KERNEL) TCC_TRY(run_kernel(gpu, instance, team, i));
    else if (command->function == tcc_loop_copy) TCC_TRY(copy_carried(gpu, instance, command));
    if (command->jump) TCC_TRY(follow(gpu, command, i, left, &next));
    if (unusual) TCC_TRY(tcc_unusual_results(instance, &instance->model->graph.steps[i], unusual));
    if (!out_times) continue;
    TCC_TRY(tcc_gpu_wait(gpu));
    out_times[i - first].nanoseconds += (tcc_now_ms() - start) * 1e6;
    out_times[i - first].times++;
  }
  return NULL;
}
