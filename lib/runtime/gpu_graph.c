/* gpu_graph.c - the launches of a stage as one CUDA graph, so that the host starts it with one call.
 *
 * A graph has addresses in it. Inputs and outputs are read and written where they lie, so there is one for each tuple of their addresses: the last
 * TCC_GPU_GRAPHS are remembered, which is what allocators with a cache, or a caller with a few sets of tensors, make of them. A tuple that is new
 * is started kernel by kernel, which also makes all that is made on demand (scratch, places of what loops carry, attributes of
 * functions). When it comes again the driver captures the same calls, on the model's own stream, and later runs replay what it made
 * of them. So no run is slower than launches but the one that captures, and where captures are not worth it they become rare (patience).
 * Where no tuple comes again since small tensors lie elsewhere each time, these get a place of the instance and are copied (copy_small).
 *
 * Launches wait for those whose bytes they touch, so that branches overlap (gpu_order.c). Where scratch has grown meanwhile a graph is captured
 * again. Loops that are counted become their kernels in line. What the host does between launches cannot be captured: kernels of
 * kind builtin, loops that data ends, and what only reports an index; such a stage is started kernel by kernel, and so is one of a launch
 * or two, which a graph does not make cheaper. */
#include "gpu_driver.h"

enum { MOST_LAUNCHES = 1 << 16, FEWEST_LAUNCHES = 3, CAPTURE_THREAD_LOCAL = 1 };
enum { ENOUGH_REPLAYS = 32, MOST_PATIENCE = 1 << 10 }; /* of a graph to be worth its capture; runs */
enum { SMALL_BYTES = 1 << 20, LAUNCHES_A_COPY = 4 };   /* of all that is copied; that a graph must save for each copy */

/* ---- whether a stage can be one ---- */
static bool is_launch(const TccInstance *instance, size_t i) {
  const TccGraph *graph = &instance->model->graph;
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(graph->plan, graph->plan->calls) + graph->steps[i].index;
  return graph->steps[i].kind != TCC_PLAN_KERNEL || instance->commands[i].tiles <= 0 ||
         (call->launch && !instance->commands[i].function);
}

/* The list of steps is walked as it would be run, which ends at so many launches. */
static int64_t count_launches(const TccInstance *instance, size_t first, size_t last) {
  int64_t left[TCC_LOOP_DEPTH], launches = 0;
  for (size_t i = first, next; i < last; i = next) {
    const TccJump *jump = instance->commands[i].jump;
    if (++launches > MOST_LAUNCHES || !is_launch(instance, i) || (jump && jump->conditional)) return -1;
    next = jump ? tcc_jump_next(jump, i, true, left) : i + 1;
  }
  return launches < FEWEST_LAUNCHES ? -1 : launches;
}

/* ---- tuples of addresses ---- */
static size_t port_count(const TccInstance *instance) {
  return instance->model->graph.input_count + instance->model->graph.output_count;
}

/* The tuple of a remembered graph; the one behind them is that of this run. */
static const void **tuple_of(const TccInstance *instance, size_t stage, size_t i) {
  return instance->gpu_keys + (stage * (TCC_GPU_GRAPHS + 1) + i) * port_count(instance);
}

static uint32_t node_of(const TccGraph *graph, size_t port) {
  return port < graph->input_count ? graph->input_nodes[port] : graph->nodes[graph->outputs[port - graph->input_count].node].root;
}

/* Outputs of later stages have no place yet. */
static void read_tuple(const TccInstance *instance, size_t stage, const void **out) {
  const TccGraph *graph = &instance->model->graph;
  for (size_t i = 0; i < port_count(instance); i++) {
    const bool later = i >= graph->input_count && graph->outputs[i - graph->input_count].stage > stage;
    out[i] = later ? NULL : instance->pointers[node_of(graph, i)];
  }
}

static void destroy(TccGpu *gpu, TccGpuGraph *graph) {
  if (!graph->exec) return;
  tcc_gpu_settle(gpu); /* a replay may still go on */
  gpu->cuda->cuGraphExecDestroy(graph->exec);
  graph->exec = NULL;
}

void tcc_gpu_graphs_drop(TccGpu *gpu, TccGpuGraphs *graphs) {
  for (size_t i = 0; i < graphs->count; i++) destroy(gpu, &graphs->data[i]);
  *graphs = (TccGpuGraphs){0};
}

/* Where all that has moved since the last run is small, and copies of it are few beside the launches, it is copied from the next run on. */
static bool copy_small(TccInstance *instance, int64_t launches, const void **last, const void **now) {
  const TccGraph *graph = &instance->model->graph;
  size_t count = instance->copied_count, bytes = instance->copied_bytes;
  for (size_t i = 0; i < port_count(instance); i++)
    if (last[i] != now[i] && (++count > (size_t)launches / LAUNCHES_A_COPY ||
                              !tcc_add_size(bytes, instance->bytes[node_of(graph, i)], &bytes) || bytes > SMALL_BYTES))
      return false;
  for (size_t i = 0; i < port_count(instance); i++) instance->copied[i] |= last[i] != now[i];
  instance->copied_count = count, instance->copied_bytes = bytes;
  return true;
}

/* The graph of this run's tuple, which may be another one's place that was not used for longest; NULL: its tuple is not one to remember. */
static TccGpuGraph *find_graph(TccGpu *gpu, TccInstance *instance, size_t stage) {
  TccGpuGraphs *graphs = &instance->graphs[stage];
  const void **now = tuple_of(instance, stage, TCC_GPU_GRAPHS);
  const size_t bytes = port_count(instance) * sizeof *now;
  size_t oldest = 0, newest = 0;
  read_tuple(instance, stage, now);
  graphs->clock++;
  for (size_t i = 0; i < graphs->count; i++) {
    if (memcmp(tuple_of(instance, stage, i), now, bytes) == 0) {
      graphs->data[i].used = graphs->clock;
      return &graphs->data[i];
    }
    if (graphs->data[i].used < graphs->data[oldest].used) oldest = i;
    if (graphs->data[i].used > graphs->data[newest].used) newest = i;
  }
  if (graphs->count == TCC_GPU_GRAPHS && copy_small(instance, graphs->launches, tuple_of(instance, stage, newest), now)) {
    tcc_gpu_graphs_drop(gpu, graphs);
    return NULL;
  }
  TccGpuGraph *graph = &graphs->data[graphs->count < TCC_GPU_GRAPHS ? (oldest = graphs->count++) : oldest];
  if (graph->exec && graph->runs < ENOUGH_REPLAYS && graphs->patience < MOST_PATIENCE) graphs->patience = 2 * graphs->patience + 1;
  destroy(gpu, graph);
  *graph = (TccGpuGraph){.used = graphs->clock};
  memcpy(tuple_of(instance, stage, oldest), now, bytes);
  return graph;
}

/* ---- capture ---- */
static TccStatus *instantiate(TccGpu *gpu, void *captured, void **out) {
  TCC_CUDA_TRY(gpu->cuda, cuGraphInstantiateWithFlags, (out, captured, 0), "the graph of a run");
  return NULL;
}

static TccStatus *capture(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t first, size_t last, void **out) {
  void *captured = NULL, *stream = gpu->stream;
  TccGpuOrder order = {0};
  TCC_CUDA_TRY(gpu->cuda, cuStreamBeginCapture_v2, (gpu->own, CAPTURE_THREAD_LOCAL), "the graph of a run");
  gpu->stream = gpu->own, gpu->order = &order;
  TccStatus *status = tcc_gpu_run(gpu, instance, team, first, last, TCC_UNUSUAL_NONE, NULL);
  gpu->order = NULL;
  tcc_gpu_order_destroy(&order);
  int error = gpu->cuda->cuStreamEndCapture(gpu->own, &captured);
  gpu->stream = stream;
  if (!status && error) status = tcc_cuda_error(gpu->cuda, "cuStreamEndCapture", error, "the graph of a run");
  if (!status) status = instantiate(gpu, captured, out);
  if (captured) gpu->cuda->cuGraphDestroy(captured);
  return status;
}

TccStatus *tcc_gpu_run_stage(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t stage, TccUnusual unusual,
                             TccCommandTime *out_times) {
  const size_t first = instance->model->graph.stage_first[stage], last = instance->model->graph.stage_first[stage + 1];
  TccGpuGraphs *graphs = &instance->graphs[stage];
  if (instance->captures && !graphs->launches) graphs->launches = count_launches(instance, first, last);
  TccGpuGraph *graph = graphs->launches > 0 && !out_times && !unusual ? find_graph(gpu, instance, stage) : NULL;
  if (graph && graph->exec && (graph->scratch != gpu->scratch || graph->carried != instance->gpu_carried)) destroy(gpu, graph);
  if (!graph || (!graph->exec && graph->runs <= graphs->patience)) {
    TCC_TRY(tcc_gpu_run(gpu, instance, team, first, last, unusual, out_times));
    if (graph) graph->runs++;
    return NULL;
  }
  if (!graph->exec) {
    TCC_TRY(capture(gpu, instance, team, first, last, &graph->exec));
    graph->scratch = gpu->scratch, graph->carried = instance->gpu_carried, graph->runs = 0;
  }
  gpu->busy = true;
  TCC_CUDA_TRY(gpu->cuda, cuGraphLaunch, (graph->exec, gpu->stream), "the kernels of the model");
  graph->runs++;
  return NULL;
}
