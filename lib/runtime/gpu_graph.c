/* gpu_graph.c - the launches of a stage as one CUDA graph, so that the host starts it with one call.
 *
 * The first run of an instance starts kernels one by one, which makes all that is made on demand (scratch, places of what loops
 * carry, attributes of functions). The second has the driver capture the same calls, on the model's own stream, and later ones replay what it
 * made of them. Launches wait for those whose bytes they touch, so that branches overlap (gpu_order.c). A graph has addresses in it: inputs and outputs of the instance have places of their own (TccInstance.fixed), and where
 * scratch has grown meanwhile it is captured again. Loops that are counted become their kernels in line. What the host does between
 * launches cannot be captured: kernels of kind builtin, loops that data ends, and what only reports an index; such a stage is
 * started kernel by kernel. */
#include "gpu_driver.h"

enum { MOST_LAUNCHES = 1 << 16, CAPTURE_THREAD_LOCAL = 1 };

/* ---- whether a stage can be one ---- */
static bool is_launch(const TccInstance *instance, size_t i) {
  const TccGraph *graph = &instance->model->graph;
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(graph->plan, graph->plan->calls) + graph->steps[i].index;
  return graph->steps[i].kind != TCC_PLAN_KERNEL || instance->commands[i].tiles <= 0 ||
         (call->launch && !instance->commands[i].function);
}

/* The list of steps is walked as it would be run, which ends at so many launches. */
static bool can_capture(const TccInstance *instance, size_t first, size_t last) {
  int64_t left[TCC_LOOP_DEPTH];
  size_t launches = 0;
  for (size_t i = first, next; i < last; i = next) {
    const TccJump *jump = instance->commands[i].jump;
    if (++launches > MOST_LAUNCHES || !is_launch(instance, i) || (jump && jump->conditional)) return false;
    next = jump ? tcc_jump_next(jump, i, true, left) : i + 1;
  }
  return true;
}

/* ---- capture ---- */
void tcc_gpu_graph_drop(TccGpu *gpu, TccGpuGraph *graph) {
  if (graph->exec) {
    tcc_gpu_settle(gpu); /* a replay may still go on */
    gpu->cuda->cuGraphExecDestroy(graph->exec);
  }
  *graph = (TccGpuGraph){0};
}

static TccStatus *instantiate(TccGpu *gpu, void *captured, void **out) {
  TCC_CUDA_TRY(gpu->cuda, cuGraphInstantiateWithFlags, (out, captured, 0), "the graph of a run");
  return NULL;
}

static TccStatus *capture(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t first, size_t last, void **out) {
  void *captured = NULL, *stream = gpu->stream;
  TccGpuOrder order = {0};
  TCC_CUDA_TRY(gpu->cuda, cuStreamBeginCapture_v2, (gpu->own, CAPTURE_THREAD_LOCAL), "the graph of a run");
  gpu->stream = gpu->own, gpu->order = &order;
  TccStatus *status = tcc_gpu_run(gpu, instance, team, first, last, NULL);
  gpu->order = NULL;
  tcc_gpu_order_destroy(&order);
  int error = gpu->cuda->cuStreamEndCapture(gpu->own, &captured);
  gpu->stream = stream;
  if (!status && error) status = tcc_cuda_error(gpu->cuda, "cuStreamEndCapture", error, "the graph of a run");
  if (!status) status = instantiate(gpu, captured, out);
  if (captured) gpu->cuda->cuGraphDestroy(captured);
  return status;
}

TccStatus *tcc_gpu_run_stage(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t stage, TccCommandTime *out_times) {
  const size_t first = instance->model->graph.stage_first[stage], last = instance->model->graph.stage_first[stage + 1];
  TccGpuGraph *graph = &instance->graphs[stage];
  const bool wanted = instance->fixed && !out_times && first < last && can_capture(instance, first, last);
  if (!wanted || !graph->ran) {
    graph->ran = wanted;
    return tcc_gpu_run(gpu, instance, team, first, last, out_times);
  }
  if (graph->exec && (graph->scratch != gpu->scratch || graph->carried != instance->gpu_carried)) tcc_gpu_graph_drop(gpu, graph);
  if (!graph->exec) {
    TCC_TRY(capture(gpu, instance, team, first, last, &graph->exec));
    *graph = (TccGpuGraph){graph->exec, gpu->scratch, instance->gpu_carried, true};
  }
  gpu->busy = true;
  TCC_CUDA_TRY(gpu->cuda, cuGraphLaunch, (graph->exec, gpu->stream), "the kernels of the model");
  return NULL;
}
