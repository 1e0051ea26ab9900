/* gpu_measure.c - times kernels on a device, in a process of their own: the child of measure.c, and which device it is.
 *
 * A candidate is an artifact whose one step is loaded and launched as a model's. Its buffers are those of the first one, the same for all, copies of
 * which are gone through from launch to launch, so that none is found in the cache. The runs of a sample are captured as a CUDA graph and stand
 * between two events: what the host takes for a launch is not in a time. The first error of the driver ends the process, since a context in
 * which a kernel has failed is of no use. */
#include "gpu_driver.h"
#include "measure_child.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { ATTRIBUTE_PROCESSORS = 16, CAPTURE_THREAD_LOCAL = 1, MOST_COPIES = 64, PATTERN = 1 << 20 };

TccStatus *tcc_measure_device(uint64_t isa, char out_name[TCC_MEASURE_DEVICE_NAME]) {
  const TccCuda *cuda;
  int device = 0, processors = 0;
  uint64_t is;
  char name[96] = "";
  TCC_TRY(tcc_cuda_driver(&cuda));
  TCC_CUDA_TRY(cuda, cuDeviceGet, (&device, TCC_GPU_ORDINAL), "the device");
  TCC_TRY(tcc_gpu_isa_of(cuda, device, &is));
  TCC_CUDA_TRY(cuda, cuDeviceGetName, (name, sizeof name, device), "the device");
  TCC_CUDA_TRY(cuda, cuDeviceGetAttribute, (&processors, ATTRIBUTE_PROCESSORS, device), "the device");
  if (tcc_isa_gpu_chip(isa) != tcc_isa_gpu_chip(is))
    return TCC_ERROR(TCC_INCOMPATIBLE, "the device is an sm_%u, the code is for sm_%u", tcc_isa_gpu_chip(is),
                     tcc_isa_gpu_chip(isa));
  snprintf(out_name, TCC_MEASURE_DEVICE_NAME, "%s, sm_%u, %d multiprocessors", name, tcc_isa_gpu_chip(is), processors);
  return NULL;
}

/* ---- what is loaded ---- */
typedef struct {
  char *memory;
  size_t bytes; /* of a copy; 0: it is absent */
} Pool;
typedef struct {
  uint64_t index;
  TccModel *model; /* NULL: none */
  TccInstance *instance;
  bool ran;
} Candidate;
typedef struct {
  const TccMeasureHead *head;
  const int64_t *dims;
  const uint64_t *lengths;
  const char *artifacts;
  Candidate loaded[2]; /* the reference, which stays, and another one */
  Pool *pools;         /* per argument of the step */
  size_t npools, copies, turn;
  void *from, *to; /* events */
} Child;

static void unload(Candidate *c) {
  tcc_instance_destroy(c->instance);
  tcc_model_destroy(c->model);
  *c = (Candidate){0};
}

static const TccStep *step_of(const Candidate *c) { return &c->model->graph.steps[0]; }

/* The instance is the first that is made of its model, so nobody else uses the device's lock meanwhile. */
static TccStatus *open_instance(const Child *child, Candidate *c) {
  TCC_TRY(tcc_gpu_enter(c->model->gpu));
  TccStatus *status = tcc_instance_create(c->model, child->dims, false, &c->instance);
  tcc_gpu_leave(c->model->gpu);
  if (status) return status;
  const TccCommand *command = &c->instance->commands[0];
  return command->tiles > 0 && !command->function ? NULL : TCC_ERROR(TCC_UNSUPPORTED, "the kernel has nothing to do");
}

static TccStatus *load(Child *child, uint64_t index, Candidate *out) {
  size_t at = 0;
  for (uint64_t i = 0; i < index; i++) at += child->lengths[i];
  *out = (Candidate){.index = index};
  TCC_TRY(tcc_model_load_memory(child->artifacts + at, child->lengths[index], NULL, &out->model));
  if (!out->model->gpu || tcc_graph_key_length(&out->model->graph) != child->head->dims)
    return TCC_ERROR(TCC_INVALID, "no candidate of a kernel for a device");
  if (out->model->graph.step_count != 1) return TCC_ERROR(TCC_UNSUPPORTED, "the kernel runs once, when a model is loaded");
  return open_instance(child, out);
}

/* ---- buffers ---- */
static uint16_t bits_of_half(float x) {
  _Float16 half = (_Float16)x;
  uint16_t bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}

static uint16_t bits_of_bfloat(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A megabyte of normal numbers, of zeros where they are no floats (Box and Muller, 1958). */
static void fill_pattern(TccElem elem, char *out) {
  uint64_t state = 0x9e3779b97f4a7c15u;
  size_t bytes = tcc_elem_bits(elem) / 8;
  memset(out, 0, PATTERN);
  if (elem != TCC_ELEM_F64 && elem != TCC_ELEM_F32 && elem != TCC_ELEM_F16 && elem != TCC_ELEM_BF16) return;
  for (size_t i = 0; i < PATTERN / bytes; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double u = ((double)(state >> 40) + 1) / 0x1p24, v = (double)(state >> 16 & 0xffffff) / 0x1p24;
    double x = sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
    float f = (float)x;
    uint16_t half = elem == TCC_ELEM_F16 ? bits_of_half(f) : bits_of_bfloat(f);
    memcpy(out + i * bytes, elem == TCC_ELEM_F64 ? (void *)&x : elem == TCC_ELEM_F32 ? (void *)&f : (void *)&half, bytes);
  }
}

/* The pattern again and again: what is there already is copied behind itself. */
static TccStatus *fill(TccGpu *gpu, TccElem elem, char *memory, size_t bytes) {
  size_t done = bytes < PATTERN ? bytes : PATTERN;
  char *pattern = malloc(PATTERN);
  if (!pattern) return TCC_ERROR_NO_MEMORY();
  fill_pattern(elem, pattern);
  TccStatus *status = tcc_gpu_upload(gpu, memory, pattern, done);
  for (size_t some; done < bytes && !status; done += some) {
    some = bytes - done < done ? bytes - done : done;
    status = tcc_gpu_copy(gpu, memory + done, memory, some);
  }
  if (!status) status = tcc_gpu_wait(gpu);
  free(pattern);
  return status;
}

static size_t aligned(size_t bytes) { return (bytes + TCC_DEVICE_ALIGNMENT - 1) / TCC_DEVICE_ALIGNMENT * TCC_DEVICE_ALIGNMENT; }

static const TccNode *node_of(const Candidate *c, size_t i) {
  return &c->model->graph.nodes[c->model->graph.slots[step_of(c)->slots + i]];
}

static TccStatus *size_of(const Candidate *c, const TccNode *node, size_t *out) {
  int64_t sizes[TCC_PLAN_MAX_RANK];
  *out = 0;
  if (node->place == TCC_PLACE_NONE) return NULL;
  for (uint32_t i = 0; i < node->rank; i++) sizes[i] = tcc_instance_dim(c->instance, node, i);
  return tcc_elem_dense_bytes((TccElem)node->elem, sizes, node->rank, NULL, out)
             ? NULL
             : TCC_ERROR(TCC_NO_MEMORY, "a tensor is too large for the address space");
}

static TccStatus *make_pools(Child *child, const Candidate *c) {
  size_t all = 0;
  child->npools = step_of(c)->operands + step_of(c)->results;
  child->pools = calloc(child->npools + 1, sizeof *child->pools);
  if (!child->pools) return TCC_ERROR_NO_MEMORY();
  for (size_t i = 0; i < child->npools; i++) {
    TCC_TRY(size_of(c, node_of(c, i), &child->pools[i].bytes));
    child->pools[i].bytes = aligned(child->pools[i].bytes);
    if (!tcc_add_size(all, child->pools[i].bytes, &all)) return TCC_ERROR(TCC_NO_MEMORY, "tensors are too large");
  }
  child->copies = all ? child->head->cold_bytes / all + 1 : 1;
  if (child->copies > MOST_COPIES) child->copies = MOST_COPIES;
  for (size_t i = 0; i < child->npools; i++) {
    Pool *p = &child->pools[i];
    if (!p->bytes) continue;
    TCC_TRY(tcc_gpu_allocate(c->model->gpu, p->bytes * child->copies, "tensors of the kernel", (void **)&p->memory));
    TCC_TRY(fill(c->model->gpu, (TccElem)node_of(c, i)->elem, p->memory, p->bytes * child->copies));
  }
  const TccCuda *cuda = c->model->gpu->cuda;
  TCC_CUDA_TRY(cuda, cuEventCreate, (&child->from, 0), "times of kernels");
  TCC_CUDA_TRY(cuda, cuEventCreate, (&child->to, 0), "times of kernels");
  return NULL;
}

static TccStatus *find(Child *child, uint64_t index, bool is_reference, Candidate **out) {
  *out = &child->loaded[0];
  for (int i = 0; i < 2; i++)
    if (child->loaded[i].model && child->loaded[i].index == index) return *out = &child->loaded[i], NULL;
  *out = &child->loaded[!is_reference];
  unload(*out);
  TCC_TRY(load(child, index, *out));
  if (child->pools) return NULL;
  TCC_TRY(tcc_gpu_enter((*out)->model->gpu));
  TccStatus *status = make_pools(child, *out);
  tcc_gpu_leave((*out)->model->gpu);
  return status;
}

/* ---- times ---- */
static TccStatus *launch(Child *child, Candidate *c) {
  const TccModel *model = c->model;
  const TccStep *step = step_of(c);
  void *arguments[TCC_LAUNCH_PARAMETERS / 8];
  if (child->npools > sizeof arguments / sizeof *arguments) return TCC_ERROR(TCC_UNSUPPORTED, "too many operands");
  for (size_t i = 0; i < child->npools; i++) {
    const Pool *p = &child->pools[i];
    arguments[i] = p->bytes ? p->memory + child->turn % child->copies * p->bytes : NULL;
  }
  child->turn++;
  const TccGpuStep s = {.model = model,
                        .step = step,
                        .arguments = arguments,
                        .exprs = c->instance->exprs,
                        .sizes = c->instance->sizes + step->sizes,
                        .faults = c->instance->gpu_faults ? (int64_t *)c->instance->gpu_faults + step->sizes : NULL,
                        .tiles = c->instance->commands[0].tiles};
  return tcc_gpu_step(model->gpu, &s);
}

static TccStatus *capture(Child *child, Candidate *c, size_t repeat, void **out_exec) {
  TccGpu *gpu = c->model->gpu;
  void *graph = NULL;
  TccStatus *status = NULL;
  TCC_CUDA_TRY(gpu->cuda, cuStreamBeginCapture_v2, (gpu->stream, CAPTURE_THREAD_LOCAL), "times of kernels");
  for (size_t i = 0; i < repeat && !status; i++) status = launch(child, c);
  int error = gpu->cuda->cuStreamEndCapture(gpu->stream, &graph);
  if (!status && error) status = tcc_cuda_error(gpu->cuda, "cuStreamEndCapture", error, "times of kernels");
  if (!status && (error = gpu->cuda->cuGraphInstantiateWithFlags(out_exec, graph, 0)))
    status = tcc_cuda_error(gpu->cuda, "cuGraphInstantiateWithFlags", error, "times of kernels");
  if (graph) gpu->cuda->cuGraphDestroy(graph);
  return status;
}

static TccStatus *time_graph(const Child *child, TccGpu *gpu, void *exec, double *out_ms) {
  float ms = 0;
  TCC_CUDA_TRY(gpu->cuda, cuEventRecord, (child->from, gpu->stream), "times of kernels");
  TCC_CUDA_TRY(gpu->cuda, cuGraphLaunch, (exec, gpu->stream), "the kernel");
  TCC_CUDA_TRY(gpu->cuda, cuEventRecord, (child->to, gpu->stream), "times of kernels");
  TCC_CUDA_TRY(gpu->cuda, cuEventSynchronize, (child->to), "the kernel");
  TCC_CUDA_TRY(gpu->cuda, cuEventElapsedTime, (&ms, child->from, child->to), "times of kernels");
  *out_ms = ms;
  return NULL;
}

static TccStatus *sample(Child *child, Candidate *c, size_t repeat, double *out_ms) {
  TccGpu *gpu = c->model->gpu;
  void *exec = NULL;
  if (!c->ran) { /* what is made on demand, scratch, is made now: nothing can be while a graph is captured */
    TCC_TRY(launch(child, c));
    TCC_TRY(tcc_gpu_wait(gpu));
    c->ran = true;
  }
  TCC_TRY(capture(child, c, repeat, &exec));
  TccStatus *status = time_graph(child, gpu, exec, out_ms);
  gpu->cuda->cuGraphExecDestroy(exec);
  *out_ms /= (double)repeat;
  return status;
}

static TccStatus *time_kernel(void *user, uint64_t index, size_t repeat, double *out_ms) {
  Child *child = user;
  Candidate *c;
  TCC_TRY(find(child, index, !child->loaded[0].model, &c));
  TCC_TRY(tcc_gpu_enter(c->model->gpu));
  TccStatus *status = sample(child, c, repeat, out_ms);
  tcc_gpu_leave(c->model->gpu);
  return status;
}

/* ---- the process ---- */
static bool open_file(int file, TccFileMap *map, Child *out) {
  TccStatus *status = tcc_file_map_descriptor(file, "candidates", map);
  bool ok = !status && map->length >= sizeof *out->head;
  tcc_status_destroy(status);
  if (!ok) return false;
  out->head = map->data;
  out->dims = (const int64_t *)(out->head + 1);
  out->lengths = (const uint64_t *)(out->dims + out->head->dims);
  out->artifacts = (const char *)(out->lengths + out->head->kernels);
  return true;
}

int tcc_gpu_measure(int file, int in, int out) {
  enum { DONE, BROKEN = 3 };
  Child child = {0};
  TccFileMap map;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!open_file(file, &map, &child)) return BROKEN;
  for (TccMeasureRequest request; read(in, &request, sizeof request) == sizeof request;) {
    TccMeasureAnswer answer = {.ms = -1, .ratio = -1};
    TccStatus *status = tcc_measure_answer(time_kernel, &child, &request, &answer);
    if (status) snprintf(answer.error, sizeof answer.error, "%s", tcc_status_message(status));
    bool broken = status;
    tcc_status_destroy(status);
    if (write(out, &answer, sizeof answer) != sizeof answer || broken) return broken ? BROKEN : DONE;
  }
  return DONE;
}
