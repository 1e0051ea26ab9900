/* gpu.c - a device: its chip, the code that fits it, its memory, launches. */
#include "gpu_driver.h"
#include <limits.h>
#include <stdio.h>

struct TccGpu {
  const TccCuda *cuda;
  const TccPlanHeader *plan;
  void *context, *stream, **modules, **functions; /* per image; per kernel of the plan */
  uint64_t isa;
  void *scratch;
  size_t scratch_bytes;
};

/* ---- chips ---- */
static TccStatus *isa_of(const TccCuda *cuda, int device, uint64_t *out) {
  int major = 0, minor = 0;
  TCC_CUDA_TRY(cuda, cuDeviceGetAttribute, (&major, CUDA_ATTRIBUTE_MAJOR, device), "the device");
  TCC_CUDA_TRY(cuda, cuDeviceGetAttribute, (&minor, CUDA_ATTRIBUTE_MINOR, device), "the device");
  *out = tcc_isa_of_gpu((unsigned)(major * 10 + minor), 1);
  return NULL;
}

TccStatus *tcc_gpu_isa(uint64_t *out) {
  const TccCuda *cuda;
  int device = 0;
  *out = 0;
  TCC_TRY(tcc_cuda_driver(&cuda));
  TCC_CUDA_TRY(cuda, cuDeviceGet, (&device, 0), "the device");
  return isa_of(cuda, device, out);
}

bool tcc_gpu_fits(uint64_t code, uint64_t device) {
  unsigned wanted = tcc_isa_gpu_chip(code), is = tcc_isa_gpu_chip(device);
  return tcc_isa_gpu_alone(code) ? wanted == is : wanted <= is;
}

/* "sm_90a" -> ISA bits; 0: it is no chip. */
static uint64_t isa_of_name(const char *chip) {
  char *end;
  unsigned long number = strncmp(chip, "sm_", 3) == 0 ? strtoul(chip + 3, &end, 10) : 0;
  return number && number < 0xffff ? tcc_isa_of_gpu((unsigned)number, *end != 0) : 0;
}

/* How well an image fits; 0: not at all. A cubin runs on its generation, from its chip on. */
static unsigned image_rank(const TccPlanHeader *plan, const TccPlanImage *image, uint64_t device) {
  uint64_t isa = isa_of_name(tcc_plan_text(plan, image->chip));
  if (!isa || !tcc_gpu_fits(isa, device)) return 0;
  bool cubin = image->kind == TCC_IMAGE_CUBIN;
  if (cubin && tcc_isa_gpu_chip(isa) / 10 != tcc_isa_gpu_chip(device) / 10) return 0;
  return 4 * tcc_isa_gpu_chip(isa) + 2 * cubin + (unsigned)tcc_isa_gpu_alone(isa);
}

/* ---- images ---- */
static TccStatus *no_image(const TccGpu *gpu) {
  TccText chips = {0};
  const TccPlanImage *images = tcc_plan_at(gpu->plan, gpu->plan->images);
  for (size_t i = 0; i < gpu->plan->images.count; i++) {
    bool seen = false;
    for (size_t k = 0; k < i; k++) seen |= images[k].chip == images[i].chip;
    if (!seen) tcc_text_printf(&chips, "%s%s", i ? ", " : "", tcc_plan_text(gpu->plan, images[i].chip));
  }
  tcc_text_put(&chips, "", 0);
  TccStatus *status = tcc_text_status(&chips);
  if (!status)
    status = TCC_ERROR(TCC_INCOMPATIBLE, "the device is an sm_%u, the artifact has code for %s", tcc_isa_gpu_chip(gpu->isa),
                       chips.length ? chips.data : "none");
  tcc_text_destroy(&chips);
  return status;
}

/* *out_refused: the driver cannot take this code, which says nothing of other code for the same kernels. */
static TccStatus *load_image(TccGpu *gpu, size_t index, bool *out_refused) {
  const TccPlanHeader *plan = gpu->plan;
  const TccPlanImage *image = (const TccPlanImage *)tcc_plan_at(plan, plan->images) + index;
  const uint32_t *kernels = (const uint32_t *)tcc_plan_at(plan, plan->indices) + image->kernels.first;
  const TccPlanKernel *records = tcc_plan_at(plan, plan->kernels);
  const char *data = (const char *)tcc_plan_at(plan, plan->data) + image->offset, *chip = tcc_plan_text(plan, image->chip);
  if (!image->kernels.count) return NULL;
  int error = gpu->cuda->cuModuleLoadData(&gpu->modules[index], data);
  if (error) {
    char what[80];
    snprintf(what, sizeof what, "%s for %s of the artifact", image->kind == TCC_IMAGE_PTX ? "PTX" : "a cubin", chip);
    *out_refused = error == CUDA_INVALID_IMAGE || error == CUDA_NO_BINARY_FOR_GPU || error == CUDA_UNSUPPORTED_PTX_VERSION;
    return tcc_cuda_error(gpu->cuda, "cuModuleLoadData", error, what);
  }
  for (uint32_t i = 0; i < image->kernels.count; i++) {
    const char *symbol = tcc_plan_text(plan, records[kernels[i]].symbol);
    TCC_CUDA_TRY(gpu->cuda, cuModuleGetFunction, (&gpu->functions[kernels[i]], gpu->modules[index], symbol), symbol);
  }
  return NULL;
}

/* The images of a rank; after an error those that were loaded are gone again. */
static TccStatus *load_rank(TccGpu *gpu, unsigned rank, bool *out_refused) {
  const TccPlanHeader *plan = gpu->plan;
  const TccPlanImage *images = tcc_plan_at(plan, plan->images);
  TccStatus *status = NULL;
  for (size_t i = 0; i < plan->images.count && !status; i++)
    if (image_rank(plan, &images[i], gpu->isa) == rank) status = load_image(gpu, i, out_refused);
  for (size_t i = 0; status && i < plan->images.count; i++)
    if (gpu->modules[i]) gpu->cuda->cuModuleUnload(gpu->modules[i]), gpu->modules[i] = NULL;
  return status;
}

/* The rank of the images that fit best, of those below a rank; 0: there are none. */
static unsigned best_rank(const TccGpu *gpu, unsigned below) {
  const TccPlanImage *images = tcc_plan_at(gpu->plan, gpu->plan->images);
  unsigned best = 0;
  for (size_t i = 0; i < gpu->plan->images.count; i++) {
    unsigned rank = image_rank(gpu->plan, &images[i], gpu->isa);
    if (rank < below && rank > best) best = rank;
  }
  return best;
}

/* Of each kernel the image that fits best. Cubins that the driver refuses, being older than the assembler or the file being damaged, are said on standard
 * error: PTX of the same kernels does as well and takes the driver's compiler. */
static TccStatus *load_images(TccGpu *gpu) {
  const TccPlanHeader *plan = gpu->plan;
  gpu->modules = calloc(plan->images.count + 1, sizeof *gpu->modules);
  gpu->functions = calloc(plan->kernels.count + 1, sizeof *gpu->functions);
  if (!gpu->modules || !gpu->functions) return TCC_ERROR_NO_MEMORY();
  unsigned rank = best_rank(gpu, UINT_MAX);
  if (!rank) return no_image(gpu);
  for (unsigned next; rank; rank = next) {
    bool refused = false;
    TccStatus *status = load_rank(gpu, rank, &refused);
    if (!status) break;
    next = best_rank(gpu, rank);
    if (!refused || !next) return status;
    fprintf(stderr, "tcc: %s: other code of the artifact is taken\n", tcc_status_message(status));
    tcc_status_destroy(status);
  }
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  for (size_t i = 0; i < plan->calls.count; i++)
    if (calls[i].launch && !gpu->functions[calls[i].kernel])
      return TCC_ERROR(TCC_INVALID, "kernel '%s' is in no image for the device", tcc_plan_text(plan, calls[i].name));
  return NULL;
}

/* ---- life ---- */
static TccStatus *open_device(TccGpu *gpu) {
  int device = 0;
  TCC_TRY(tcc_cuda_driver(&gpu->cuda));
  TCC_CUDA_TRY(gpu->cuda, cuDeviceGet, (&device, 0), "the device");
  TCC_TRY(isa_of(gpu->cuda, device, &gpu->isa));
  TCC_CUDA_TRY(gpu->cuda, cuDevicePrimaryCtxRetain, (&gpu->context, device), "the device");
  TCC_TRY(tcc_gpu_enter(gpu));
  int error = gpu->cuda->cuStreamCreate(&gpu->stream, 1 /* apart from the default stream */);
  TccStatus *status = error ? tcc_cuda_error(gpu->cuda, "cuStreamCreate", error, "the device") : load_images(gpu);
  tcc_gpu_leave(gpu);
  return status;
}

TccStatus *tcc_gpu_open(const TccPlanHeader *plan, TccGpu **out) {
  TccGpu *gpu = *out = calloc(1, sizeof *gpu);
  if (!gpu) return TCC_ERROR_NO_MEMORY();
  gpu->plan = plan;
  TccStatus *status = open_device(gpu);
  if (!status) return NULL;
  tcc_gpu_close(gpu);
  *out = NULL;
  return status;
}

void tcc_gpu_close(TccGpu *gpu) {
  if (!gpu) return;
  if (gpu->context && gpu->cuda->cuCtxPushCurrent_v2(gpu->context) == 0) { /* what fails now has nobody to tell */
    tcc_gpu_release(gpu, gpu->scratch);
    for (size_t i = 0; gpu->modules && i < gpu->plan->images.count; i++)
      if (gpu->modules[i]) gpu->cuda->cuModuleUnload(gpu->modules[i]);
    if (gpu->stream) gpu->cuda->cuStreamDestroy_v2(gpu->stream);
    tcc_gpu_leave(gpu);
  }
  if (gpu->context) gpu->cuda->cuDevicePrimaryCtxRelease_v2(0);
  free(gpu->modules);
  free(gpu->functions);
  free(gpu);
}

TccStatus *tcc_gpu_enter(TccGpu *gpu) {
  TCC_CUDA_TRY(gpu->cuda, cuCtxPushCurrent_v2, (gpu->context), "the device");
  return NULL;
}

void tcc_gpu_leave(TccGpu *gpu) {
  void *context;
  gpu->cuda->cuCtxPopCurrent_v2(&context);
}

/* ---- memory ---- */
static uint64_t address(const void *p) { return (uint64_t)(uintptr_t)p; }

TccStatus *tcc_gpu_allocate(TccGpu *gpu, size_t bytes, const char *what, void **out) {
  uint64_t memory = 0;
  size_t available = 0, all = 0;
  int error = gpu->cuda->cuMemAlloc_v2(&memory, bytes ? bytes : 1);
  *out = (void *)(uintptr_t)memory;
  if (!error) return NULL;
  *out = NULL;
  TccStatus *status = tcc_cuda_error(gpu->cuda, "cuMemAlloc", error, what);
  if (error != CUDA_OUT_OF_MEMORY || gpu->cuda->cuMemGetInfo_v2(&available, &all) != 0) return status;
  tcc_status_destroy(status);
  return TCC_ERROR(TCC_NO_MEMORY, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY, for %s: %.1f MB are needed, %.1f MB are free", what,
                   (double)bytes / 1e6, (double)available / 1e6);
}

void tcc_gpu_release(TccGpu *gpu, void *memory) {
  if (memory) gpu->cuda->cuMemFree_v2(address(memory));
}

TccStatus *tcc_gpu_upload(TccGpu *gpu, void *to, const void *from, size_t bytes) {
  if (bytes) TCC_CUDA_TRY(gpu->cuda, cuMemcpyHtoDAsync_v2, (address(to), from, bytes, gpu->stream), "a copy to the device");
  return NULL;
}

TccStatus *tcc_gpu_download(TccGpu *gpu, void *to, const void *from, size_t bytes) {
  if (bytes) TCC_CUDA_TRY(gpu->cuda, cuMemcpyDtoHAsync_v2, (to, address(from), bytes, gpu->stream), "a copy from the device");
  return tcc_gpu_wait(gpu);
}

TccStatus *tcc_gpu_copy(TccGpu *gpu, void *to, const void *from, size_t bytes) {
  if (bytes)
    TCC_CUDA_TRY(gpu->cuda, cuMemcpyDtoDAsync_v2, (address(to), address(from), bytes, gpu->stream), "a copy on the device");
  return NULL;
}

TccStatus *tcc_gpu_zero(TccGpu *gpu, void *to, size_t bytes) {
  if (bytes) TCC_CUDA_TRY(gpu->cuda, cuMemsetD8Async, (address(to), 0, bytes, gpu->stream), "memory of the device");
  return NULL;
}

TccStatus *tcc_gpu_wait(TccGpu *gpu) {
  TCC_CUDA_TRY(gpu->cuda, cuStreamSynchronize, (gpu->stream), "the kernels of the model");
  return NULL;
}

/* ---- launches ---- */
enum { WORDS = TCC_LAUNCH_PARAMETERS / 8 };

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

/* A driver that checks accesses is told what this launch may touch. */
static TccStatus *tell_regions(TccGpu *gpu, const TccGpuStep *s, const TccPlanCall *call, size_t scratch) {
  const void *memory[WORDS];
  size_t bytes[WORDS], count = 0;
  if (!gpu->cuda->tccEmulateRegions) return NULL;
  for (uint32_t i = 0; i < s->step->operands + s->step->results; i++) {
    TCC_TRY(value_bytes(s, node_of(s, i), &bytes[count]));
    memory[count] = s->arguments[i];
    count += bytes[count] > 0;
  }
  if (call->checks.count) {
    bytes[count] = call->checks.count * TCC_FAULT_WORDS * sizeof(int64_t);
    memory[count] = (const char *)s->faults - bytes[count];
    count++;
  }
  if (scratch) memory[count] = gpu->scratch, bytes[count++] = scratch;
  TCC_CUDA_TRY(gpu->cuda, tccEmulateRegions, (memory, bytes, count), "the emulator");
  return NULL;
}

static TccStatus *put_parameters(TccGpu *gpu, const TccGpuStep *s, const TccPlanCall *call, int64_t *words, size_t *out_count) {
  const TccPlanHeader *plan = s->model->plan;
  const TccPlanExpr *scratch = (const TccPlanExpr *)tcc_plan_at(plan, plan->exprs) + call->scratch;
  size_t n = 0, values = s->step->operands + s->step->results;
  bool has_scratch = scratch->stage >= 0 || scratch->constant != 0;
  if (values + call->sizes.count + 2 > WORDS)
    return TCC_ERROR(TCC_UNSUPPORTED, "kernel '%s' has more than %d bytes of parameters", tcc_plan_text(plan, call->name),
                     TCC_LAUNCH_PARAMETERS);
  for (uint32_t i = 0; i < values; i++) words[n++] = (int64_t)address(s->arguments[i]);
  if (call->checks.count) words[n++] = (int64_t)address(s->faults);
  size_t bytes = has_scratch ? (size_t)s->exprs[call->scratch] : 0;
  if (bytes > gpu->scratch_bytes) {
    TCC_TRY(tcc_gpu_wait(gpu));
    tcc_gpu_release(gpu, gpu->scratch);
    gpu->scratch = NULL, gpu->scratch_bytes = 0;
    TCC_TRY(tcc_gpu_allocate(gpu, bytes, "scratch of kernels", &gpu->scratch));
    gpu->scratch_bytes = bytes;
  }
  if (has_scratch) words[n++] = (int64_t)address(gpu->scratch);
  for (uint32_t i = 0; i < call->sizes.count; i++) words[n++] = s->sizes[i];
  *out_count = n;
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
  int64_t words[WORDS], dynamic = s->exprs[launch->dynamic_shared];
  size_t count = 0;
  TccCudaAttribute cluster = {.id = CUDA_LAUNCH_CLUSTER, .value = {launch->cluster[0], launch->cluster[1], launch->cluster[2]}};
  TccCudaLaunch config = {.stream = gpu->stream, .attributes = &cluster};
  TCC_TRY(set_grid(s, call, launch, &config));
  if (!config.grid[0] || !config.grid[1] || !config.grid[2]) return NULL; /* nothing to do */
  if (dynamic < 0 || dynamic > TCC_LAUNCH_SHARED)
    return TCC_ERROR(TCC_INTERNAL, "kernel '%s' asks for %lld bytes of shared memory", name, (long long)dynamic);
  config.dynamic_shared = (unsigned)dynamic;
  config.nattributes = launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1;
  TCC_TRY(put_parameters(gpu, s, call, words, &count));
  if (dynamic + launch->static_shared > 48 << 10)
    TCC_CUDA_TRY(gpu->cuda, cuFuncSetAttribute, (gpu->functions[call->kernel], CUDA_FUNCTION_DYNAMIC_SHARED, (int)dynamic), name);
  size_t bytes = count * sizeof *words;
  void *extra[] = {(void *)1 /* CU_LAUNCH_PARAM_BUFFER_POINTER */, words, (void *)2 /* and its size */, &bytes, NULL};
  TCC_CUDA_TRY(gpu->cuda, cuLaunchKernelEx, (&config, gpu->functions[call->kernel], NULL, extra), name);
  return NULL;
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
