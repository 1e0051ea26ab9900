/* gpu_launch.c - a step on a device: the launch of its kernel, or a C function on copies. */
#include "gpu_driver.h"
#include <limits.h>

static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

enum { WORDS = TCC_LAUNCH_PARAMETERS / 8, COUNTERS = TCC_SCRATCH_COUNTERS * (int)sizeof(uint32_t) };
_Static_assert(COUNTERS % TCC_DEVICE_ALIGNMENT == 0, "scratch behind them is aligned");

/* What a launch gives its kernel. Each parameter has a pointer of its own, since where ptxas places them is the machine code's matter. */
typedef struct {
  int64_t words[WORDS];
  void *each[WORDS + 1]; /* then NULL */
  size_t used, count;
} Parameters;

static void *put(Parameters *p, size_t bytes) {
  void *place = p->each[p->count++] = p->words + p->used;
  p->used += bytes / sizeof *p->words;
  return place;
}

static void put_word(Parameters *p, int64_t word) { *(int64_t *)put(p, sizeof word) = word; }

/* Bytes of a value for these sizes. */
static TccStatus *value_bytes(const TccGpuStep *s, const TccNode *node, size_t *out) {
  const TccPlanHeader *plan = s->model->plan;
  const uint32_t *dims = (const uint32_t *)tcc_plan_at(plan, plan->indices) + node->dims.first;
  int64_t sizes[TCC_PLAN_MAX_RANK];
  *out = 0;
  if (node->place == TCC_PLACE_NONE) return NULL;
  for (uint32_t i = 0; i < node->rank; i++) sizes[i] = s->exprs[dims[i]];
  return tcc_elem_dense_bytes((TccElem)node->elem, sizes, node->rank, NULL, out)
             ? NULL
             : TCC_ERROR(TCC_NO_MEMORY, "a tensor is too large for the address space");
}

static const TccNode *node_of(const TccGpuStep *s, uint32_t i) {
  const TccGraph *graph = &s->model->graph;
  return &graph->nodes[graph->slots[s->step->slots + i]];
}

/* A graph that is captured, and a driver that checks accesses, are told what this launch may touch. */
static TccStatus *tell_regions(TccGpu *gpu, const TccGpuStep *s, const TccPlanCall *call, size_t scratch) {
  const void *memory[WORDS];
  size_t bytes[WORDS], count = 0;
  if (!gpu->cuda->tccEmulateRegions && !gpu->order) return NULL;
  for (uint32_t i = 0; i < s->step->operands + s->step->results; i++) {
    TCC_TRY(value_bytes(s, node_of(s, i), &bytes[count]));
    memory[count] = s->arguments[i];
    if (node_of(s, i)->place != TCC_PLACE_STATIC) TCC_TRY(tcc_gpu_touch(gpu, memory[count], bytes[count], i >= s->step->operands));
    count += bytes[count] > 0;
  }
  if (call->checks.count) {
    bytes[count] = call->checks.count * TCC_FAULT_WORDS * sizeof(int64_t);
    memory[count] = (const char *)s->faults - bytes[count];
    TCC_TRY(tcc_gpu_touch(gpu, memory[count], bytes[count], true));
    count++;
  }
  if (scratch) {
    memory[count] = gpu->scratch, bytes[count] = COUNTERS + scratch;
    TCC_TRY(tcc_gpu_touch(gpu, memory[count], bytes[count], true));
    count++;
  }
  if (gpu->cuda->tccEmulateRegions) TCC_CUDA_TRY(gpu->cuda, tccEmulateRegions, (memory, bytes, count), "the emulator");
  return NULL;
}

/* An instance keeps its maps, a graph has them from its capture. */
static TccStatus *put_tensor_maps(const TccGpu *gpu, const TccGpuStep *s, const TccPlanCall *call, Parameters *p) {
  const TccPlanHeader *plan = s->model->plan;
  const TccPlanLaunch *launch = (const TccPlanLaunch *)tcc_plan_at(plan, plan->launches) + call->launch - 1;
  const TccPlanTensorMap *maps = (const TccPlanTensorMap *)tcc_plan_at(plan, plan->tensor_maps) + launch->maps.first;
  for (uint32_t i = 0; i < launch->maps.count; i++) {
    if (maps[i].value >= s->step->operands + s->step->results)
      return TCC_ERROR(TCC_INTERNAL, "kernel '%s': a tensor map of no operand", tcc_plan_text(plan, call->name));
    TccGpuTensorMap alone = {0}, *kept = s->maps ? &s->maps[i] : &alone;
    TCC_TRY(tcc_gpu_tensor_map(gpu, &maps[i], s->exprs, s->arguments[maps[i].value], tcc_plan_text(plan, call->name), kept));
    memcpy(put(p, sizeof kept->made), kept->made, sizeof kept->made);
  }
  return NULL;
}

static size_t most_words(const TccGpuStep *s, const TccPlanCall *call) {
  const TccPlanLaunch *launch = (const TccPlanLaunch *)tcc_plan_at(s->model->plan, s->model->plan->launches) + call->launch - 1;
  return s->step->operands + s->step->results + call->sizes.count + 2 + (size_t)launch->maps.count * TCC_TENSOR_MAP_BYTES / 8;
}

/* Launches that have scratch follow each other, so one place serves them all, and counters that each leaves 0 are set once. */
static TccStatus *grow_scratch(TccGpu *gpu, size_t bytes) {
  size_t all;
  if (!tcc_add_size(bytes, COUNTERS, &all)) return TCC_ERROR(TCC_NO_MEMORY, "out of memory for scratch of kernels");
  TCC_TRY(tcc_gpu_wait(gpu));
  tcc_gpu_release(gpu, gpu->scratch);
  gpu->scratch = NULL, gpu->scratch_bytes = 0;
  TCC_TRY(tcc_gpu_allocate(gpu, all, "scratch of kernels", &gpu->scratch));
  TCC_CUDA_TRY(gpu->cuda, cuMemsetD8Async, (address(gpu->scratch), 0, COUNTERS, gpu->stream), "counters of kernels");
  gpu->scratch_bytes = bytes;
  return NULL;
}

static TccStatus *put_parameters(TccGpu *gpu, const TccGpuStep *s, const TccPlanCall *call, Parameters *out) {
  const TccPlanHeader *plan = s->model->plan;
  const TccPlanExpr *scratch = (const TccPlanExpr *)tcc_plan_at(plan, plan->exprs) + call->scratch;
  size_t values = s->step->operands + s->step->results;
  out->used = out->count = 0;
  bool has_scratch = scratch->stage >= 0 || scratch->constant != 0;
  if (most_words(s, call) > WORDS)
    return TCC_ERROR(TCC_UNSUPPORTED, "kernel '%s' has more than %d bytes of parameters", tcc_plan_text(plan, call->name),
                     TCC_LAUNCH_PARAMETERS);
  for (uint32_t i = 0; i < values; i++) put_word(out, (int64_t)address(s->arguments[i]));
  if (call->checks.count) put_word(out, (int64_t)address(s->faults));
  size_t bytes = has_scratch ? (size_t)s->exprs[call->scratch] : 0;
  if (bytes > gpu->scratch_bytes) TCC_TRY(grow_scratch(gpu, bytes));
  if (has_scratch) put_word(out, (int64_t)address(gpu->scratch) + COUNTERS);
  TCC_TRY(put_tensor_maps(gpu, s, call, out));
  for (uint32_t i = 0; i < call->sizes.count; i++) put_word(out, s->sizes[i]);
  out->each[out->count] = NULL;
  return tell_regions(gpu, s, call, bytes);
}

/* A grid has 2^31 - 1 blocks along x, 65535 along the others. */
static TccStatus *set_grid(const TccGpuStep *s, const TccPlanCall *call, const TccPlanLaunch *launch, TccCudaLaunch *config) {
  static const int64_t most[] = {INT32_MAX, 65535, 65535};
  for (int i = 0; i < 3; i++) {
    int64_t blocks = s->exprs[launch->grid[i]];
    if (blocks < 0 || blocks > most[i])
      return TCC_ERROR(TCC_UNSUPPORTED, "kernel '%s' needs %lld blocks, a grid has at most %lld",
                       tcc_plan_text(s->model->plan, call->name), (long long)blocks, (long long)most[i]);
    config->grid[i] = (unsigned)blocks;
    config->block[i] = launch->block[i];
  }
  return NULL;
}

static TccStatus *launch_kernel(TccGpu *gpu, const TccGpuStep *s, const TccPlanCall *call) {
  const TccPlanHeader *plan = s->model->plan;
  const TccPlanLaunch *launch = (const TccPlanLaunch *)tcc_plan_at(plan, plan->launches) + call->launch - 1;
  const char *name = tcc_plan_text(plan, call->name);
  Parameters parameters;
  int64_t dynamic = s->exprs[launch->dynamic_shared];
  TccCudaAttribute cluster = {.id = CUDA_LAUNCH_CLUSTER, .value = {launch->cluster[0], launch->cluster[1], launch->cluster[2]}};
  TccCudaLaunch config = {.stream = gpu->stream, .attributes = &cluster};
  TCC_TRY(set_grid(s, call, launch, &config));
  if (!config.grid[0] || !config.grid[1] || !config.grid[2]) return NULL; /* nothing to do */
  if (dynamic < 0 || dynamic > TCC_LAUNCH_SHARED)
    return TCC_ERROR(TCC_INTERNAL, "kernel '%s' asks for %lld bytes of shared memory", name, (long long)dynamic);
  config.dynamic_shared = (unsigned)dynamic;
  config.nattributes = launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1;
  TCC_TRY(put_parameters(gpu, s, call, &parameters));
  if (dynamic + launch->static_shared > 48 << 10 && dynamic > gpu->shared[call->kernel]) { /* once: it stays */
    TCC_CUDA_TRY(gpu->cuda, cuFuncSetAttribute, (gpu->functions[call->kernel], CUDA_FUNCTION_DYNAMIC_SHARED, (int)dynamic), name);
    gpu->shared[call->kernel] = dynamic;
  }
  gpu->busy = true;
  TCC_TRY(tcc_gpu_order_begin(gpu));
  TCC_CUDA_TRY(gpu->cuda, cuLaunchKernelEx, (&config, gpu->functions[call->kernel], parameters.each, NULL), name);
  return tcc_gpu_order_end(gpu);
}

/* A C function of the run-time, on copies of what it reads; its results go back. */
static TccStatus *run_builtin(TccGpu *gpu, const TccGpuStep *s, const TccPlanCall *call) {
  uint32_t n = s->step->operands + s->step->results;
  void **copies = calloc(n + 1, sizeof *copies);
  size_t *bytes = calloc(n + 1, sizeof *bytes);
  TccStatus *status = copies && bytes ? NULL : TCC_ERROR_NO_MEMORY();
  for (uint32_t i = 0; !status && i < n; i++) {
    status = value_bytes(s, node_of(s, i), &bytes[i]);
    if (!status && !(copies[i] = tcc_allocate(&s->model->allocator, bytes[i]))) status = TCC_ERROR_NO_MEMORY();
    if (!status && i < s->step->operands) status = tcc_gpu_download(gpu, copies[i], s->arguments[i], bytes[i]);
  }
  if (!status) status = tcc_team_prepare(s->team, (size_t)s->exprs[call->scratch]);
  if (!status) {
    const TccCommand command = {s->model->functions[call->kernel], copies, s->sizes, s->tiles, false};
    tcc_team_run(s->team, &command, 1, NULL);
  }
  for (uint32_t i = s->step->operands; !status && i < n; i++) status = tcc_gpu_upload(gpu, s->arguments[i], copies[i], bytes[i]);
  if (!status) status = tcc_gpu_wait(gpu); /* the copies go */
  for (uint32_t i = 0; copies && i < n; i++) tcc_release(&s->model->allocator, copies[i], bytes[i]);
  free(copies);
  free(bytes);
  return status;
}

TccStatus *tcc_gpu_step(TccGpu *gpu, const TccGpuStep *s) {
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(s->model->plan, s->model->plan->calls) + s->step->index;
  return call->launch ? launch_kernel(gpu, s, call) : run_builtin(gpu, s, call);
}
