/* runner.c - artifacts on the machine's device, for bench/gpu/run.sh: a line of JSON for each.
 *
 *     gpu-runner device                           what the device is
 *     gpu-runner check NAME ARTIFACT DATA         runs it on DATA/input_N, compares with DATA/output_N by DATA/limits, plain and as a graph
 *     gpu-runner time NAME ARTIFACT [SAMPLES [plain|graph]]   times with random inputs on the device, plain and as a graph, or one of them
 *
 * DATA/limits has a line for each output: `rmse X`, or `rtol X`, which is of the output's size too. Times: samples of as many runs as
 * take 2 ms, between two events on one stream; inputs and outputs change in turn, so that together they are larger than any cache. */
#include "bench/gpu/device.h"
#include "tcc/clock.h"
#include "tcc/elem.h"
#include "tcc/tensor.h"
#include <math.h>
#include <stdio.h>

enum { MOST = 64, SETS = TCC_GPU_GRAPHS, ROTATED_BYTES = 256 << 20, POOL = 1 << 20 };
enum { WARM_UP = 3 }; /* of each set: launches, what is captured, its first replay */
static Device device;
static TccModel *model;
static size_t ninputs, noutputs;
static int64_t shapes[2 * MOST][TCC_PLAN_MAX_RANK];

static void need(TccStatus *status, const char *name) {
  if (!status) return;
  fprintf(stderr, "%s: %s\n", name, tcc_status_message(status));
  exit(tcc_status_code(status) == TCC_INCOMPATIBLE ? 77 : 1);
}

static void load(const char *name, const char *path) {
  need(tcc_model_load(path, NULL, &model), name);
  ninputs = tcc_model_input_count(model), noutputs = tcc_model_output_count(model);
  if (ninputs > MOST || noutputs > MOST) need(TCC_ERROR(TCC_UNSUPPORTED, "more than %d inputs or outputs", MOST), name);
}

static size_t size_of(const TccTensor *t) {
  size_t bytes;
  return tcc_elem_dense_bytes(tcc_dtype_elem(t->dtype), t->shape, (size_t)t->rank, NULL, &bytes) ? bytes : 0;
}

/* ---- check ---- */
static TccStatus *read_data(const char *data, const char *kind, size_t i, TccHostTensor **out) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s_%zu.npy", data, kind, i);
  FILE *file = fopen(path, "r");
  if (!file) snprintf(path, sizeof path, "%s/%s_%zu.pb", data, kind, i);
  if (file) fclose(file);
  return tcc_host_tensor_read(path, out);
}

static TccTolerance next_limit(FILE *limits) {
  char kind[8] = "";
  double limit = 0;
  if (!limits || fscanf(limits, "%7s %lf", kind, &limit) != 2) limit = 1e-4;
  if (strcmp(kind, "rmse") == 0) return (TccTolerance){.rmse_limit = limit};
  return (TccTolerance){.rmse_limit = -1, .rtol = limit, .spread = limit};
}

static TccStatus *compare(const char *data, const TccTensor *outputs) {
  char path[4096];
  TccStatus *status = NULL;
  snprintf(path, sizeof path, "%s/limits", data);
  FILE *limits = fopen(path, "r");
  for (size_t i = 0; i < noutputs && !status; i++) {
    TccHostTensor *got = NULL, *want = NULL;
    TccTolerance tolerance = next_limit(limits);
    status = read_data(data, "output", i, &want);
    if (!status) status = tcc_host_tensor_create(tcc_dtype_elem(outputs[i].dtype), outputs[i].rank, outputs[i].shape, &got);
    if (!status) memcpy(got->data, (char *)outputs[i].data + outputs[i].byte_offset, got->bytes);
    if (!status) status = tcc_host_tensor_compare(got, want, &tolerance);
    if (status) status = tcc_status_context(status, "output %zu", i);
    tcc_host_tensor_destroy(got);
    tcc_host_tensor_destroy(want);
  }
  if (limits) fclose(limits);
  return status;
}

static void check_mode(const char *name, const char *data, bool graphs) {
  TccContext *context;
  TccTensor inputs[MOST], outputs[MOST];
  TccHostTensor *tensors[MOST];
  need(tcc_context_create(model, &(TccContextOptions){.graphs = graphs}, &context), name);
  for (size_t i = 0; i < ninputs; i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    need(read_data(data, "input", i, &tensors[i]), name);
    for (int axis = 0; axis < tensors[i]->rank; axis++) shapes[i][axis] = tensors[i]->dims[axis];
    inputs[i] = (TccTensor){.data = device_allocate(&device, tensors[i]->bytes),
                            .device = {TCC_DEVICE_CUDA, TCC_GPU_ORDINAL},
                            .rank = tensors[i]->rank,
                            .dtype = port->dtype,
                            .shape = shapes[i]};
  }
  for (int k = 0; k < (graphs ? 3 : 1); k++) {
    memset(outputs, 0, sizeof outputs);
    for (size_t i = 0; i < ninputs; i++) device_upload(&device, inputs[i].data, tensors[i]->data, tensors[i]->bytes);
    need(tcc_context_run(context, inputs, ninputs, outputs, noutputs), name);
    need(compare(data, outputs), name);
  }
  tcc_context_destroy(context);
  for (size_t i = 0; i < ninputs; i++) {
    tcc_host_tensor_destroy(tensors[i]);
    device.cuda->cuMemFree_v2((uint64_t)(uintptr_t)inputs[i].data);
  }
  printf("{\"case\": \"%s\", \"mode\": \"%s\", \"agrees\": true}\n", name, graphs ? "graph" : "plain");
}

/* ---- times ---- */
typedef struct {
  TccTensor inputs[MOST], outputs[MOST];
} Set;

static double normal(unsigned *seed) {
  double u[2];
  for (int i = 0; i < 2; i++) u[i] = ((double)((*seed = *seed * 1664525 + 1013904223) >> 8) + 1) / (1 << 24);
  return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

/* POOL numbers of that format: normal ones, bytes of the whole range; other integers are 0 and 1, which are indices of anything. */
static const char *pool_of(TccElem elem) {
  static char pool[8 * POOL];
  static TccElem made = TCC_ELEM_COUNT;
  unsigned seed = 1;
  for (size_t i = 0; i < POOL && made != elem; i++) {
    const double value = normal(&seed);
    if (tcc_elem_is_float(elem)) tcc_elem_store_f64(elem, pool, i, value);
    else if (elem == TCC_ELEM_I8 || elem == TCC_ELEM_U8)
      tcc_elem_store_i64(elem, pool, i, (int64_t)(seed >> 24) - (elem == TCC_ELEM_I8) * 128);
    else tcc_elem_store_i64(elem, pool, i, value > 0);
  }
  made = elem;
  return pool;
}

/* The pool again and again, each time from another place on. */
static void fill(char *to, TccElem elem, size_t bytes, unsigned shift) {
  const char *pool = pool_of(elem);
  const size_t whole = tcc_elem_bytes(elem, POOL);
  for (size_t done = 0, piece; done < bytes; done += piece, shift += 99991) {
    const size_t from = shift % (POOL / 8) * tcc_elem_bytes(elem, 8);
    piece = whole - from < bytes - done ? whole - from : bytes - done;
    memcpy(to + done, pool + from, piece);
  }
}

static size_t make_inputs(Set *set, unsigned number, const char *name) {
  size_t all = 0;
  for (size_t i = 0; i < ninputs; i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    TccTensor *t = &set->inputs[i];
    for (int axis = 0; axis < port->rank; axis++) shapes[i][axis] = port->dims[axis] >= 0 ? port->dims[axis] : 128;
    *t = (TccTensor){.device = {TCC_DEVICE_CUDA, TCC_GPU_ORDINAL}, .rank = port->rank, .dtype = port->dtype, .shape = shapes[i]};
    size_t bytes = size_of(t);
    char *host = malloc(bytes + 1);
    if (!host) need(TCC_ERROR_NO_MEMORY(), name);
    fill(host, tcc_dtype_elem(t->dtype), bytes, number * 4099);
    t->data = device_allocate(&device, bytes);
    device_upload(&device, t->data, host, bytes);
    free(host);
    all += bytes;
  }
  return all;
}

/* Bytes of inputs and outputs. Outputs whose sizes data decides are left to the context. */
static size_t make_set(TccContext *context, Set *set, unsigned number, const char *name) {
  memset(set, 0, sizeof *set);
  size_t all = make_inputs(set, number, name);
  need(tcc_context_shapes(context, set->inputs, ninputs, set->outputs, noutputs), name);
  for (size_t i = 0; i < noutputs; i++) {
    TccTensor *t = &set->outputs[i];
    bool known = true;
    for (int axis = 0; axis < t->rank; axis++) known &= (shapes[MOST + i][axis] = t->shape[axis]) >= 0;
    t->shape = shapes[MOST + i];
    if (!known) continue;
    t->device = (TccDevice){TCC_DEVICE_CUDA, TCC_GPU_ORDINAL};
    t->data = device_allocate(&device, size_of(t));
    all += size_of(t);
  }
  return all;
}

static void run(TccContext *context, Set *set, const char *name) {
  TccTensor outputs[MOST];
  memcpy(outputs, set->outputs, sizeof outputs);
  need(tcc_context_run_with(context, set->inputs, ninputs, outputs, noutputs, &(TccRunOptions){.stream = device.stream}), name);
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Microseconds of a run by events; out_host: until the last call of a sample has returned. */
static double sample(TccContext *context, Set *sets, size_t nsets, size_t runs, size_t *turn, const char *name, double *out_host) {
  void *from, *to;
  float ms = 0;
  device_check(&device, device.cuda->cuEventCreate(&from, 0), "cuEventCreate");
  device_check(&device, device.cuda->cuEventCreate(&to, 0), "cuEventCreate");
  device_check(&device, device.cuda->cuEventRecord(from, device.stream), "cuEventRecord");
  double start = tcc_now_ms();
  for (size_t i = 0; i < runs; i++) run(context, &sets[(*turn)++ % nsets], name);
  *out_host = (tcc_now_ms() - start) * 1e3 / (double)runs;
  device_check(&device, device.cuda->cuEventRecord(to, device.stream), "cuEventRecord");
  device_check(&device, device.cuda->cuEventSynchronize(to), "cuEventSynchronize");
  device_check(&device, device.cuda->cuEventElapsedTime(&ms, from, to), "cuEventElapsedTime");
  device.cuda->cuEventDestroy_v2(from);
  device.cuda->cuEventDestroy_v2(to);
  return (double)ms * 1e3 / (double)runs;
}

static void time_mode(const char *name, Set *sets, size_t nsets, int samples, bool graphs) {
  TccContext *context;
  double host[256], times[256], once;
  size_t turn = 0, runs = 1, available = 0, all = 0;
  if (samples > 256) samples = 256;
  need(tcc_context_create(model, &(TccContextOptions){.graphs = graphs}, &context), name);
  for (size_t i = 0; i < WARM_UP * nsets; i++) run(context, &sets[turn++ % nsets], name);
  device_wait(&device);
  once = sample(context, sets, nsets, 1, &turn, name, &host[0]);
  if (once < 2000) runs = once < 2 ? 1000 : (size_t)(2000 / once);
  if (samples < 5) runs = 1; /* a dry run */
  for (int i = 0; i < samples; i++) times[i] = sample(context, sets, nsets, runs, &turn, name, &host[i]);
  qsort(times, (size_t)samples, sizeof *times, by_value);
  qsort(host, (size_t)samples, sizeof *host, by_value);
  device_check(&device, device.cuda->cuMemGetInfo_v2(&available, &all), "cuMemGetInfo");
  printf(
      "{\"case\": \"%s\", \"mode\": \"%s\", \"median_us\": %.3f, \"p10_us\": %.3f, \"p90_us\": %.3f, \"host_us\": %.3f, \"samples\": %d, "
      "\"runs\": %zu, \"sets\": %zu, \"kernels\": %zu, \"context_mb\": %.1f}\n",
      name, graphs ? "graph" : "plain", times[samples / 2], times[samples / 10], times[samples * 9 / 10], host[samples / 2],
      samples, runs, nsets, tcc_model_info(model)->kernels_launched, (double)tcc_context_bytes(context) / 1e6);
  fflush(stdout);
  tcc_context_destroy(context);
}

static void time_model(const char *name, int samples, const char *mode) {
  static Set sets[SETS];
  TccContext *context;
  size_t nsets = 1;
  need(tcc_context_create(model, NULL, &context), name);
  size_t bytes = make_set(context, &sets[0], 0, name);
  while (nsets < SETS && nsets * bytes < ROTATED_BYTES && samples >= 5)
    make_set(context, &sets[nsets], (unsigned)nsets, name), nsets++;
  tcc_context_destroy(context);
  if (strcmp(mode, "graph") != 0) time_mode(name, sets, nsets, samples, false);
  if (strcmp(mode, "plain") != 0) time_mode(name, sets, nsets, samples, true);
}

static void print_device(void) {
  char name[128];
  int driver = 0, major = 0, minor = 0, units = 0;
  size_t available = 0, all = 0;
  device_name(&device, name, sizeof name);
  device.cuda->cuDriverGetVersion(&driver);
  device.cuda->cuDeviceGetAttribute(&major, CUDA_ATTRIBUTE_MAJOR, TCC_GPU_ORDINAL);
  device.cuda->cuDeviceGetAttribute(&minor, CUDA_ATTRIBUTE_MINOR, TCC_GPU_ORDINAL);
  device.cuda->cuDeviceGetAttribute(&units, 16 /* multiprocessors */, TCC_GPU_ORDINAL);
  device.cuda->cuMemGetInfo_v2(&available, &all);
  printf(
      "{\"device\": \"%s\", \"chip\": \"sm_%d%d\", \"driver\": %d, \"multiprocessors\": %d, \"memory_mb\": %.0f, \"free_mb\": %.0f}\n",
      name, major, minor, driver, units, (double)all / 1e6, (double)available / 1e6);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) return puts(tcc_runtime_version()) < 0;
  device_open(&device);
  if (argc == 2 && strcmp(argv[1], "device") == 0) {
    print_device();
    return 0;
  }
  if (argc < 4) return 2;
  load(argv[2], argv[3]);
  if (strcmp(argv[1], "check") == 0 && argc == 5) {
    check_mode(argv[2], argv[4], false);
    check_mode(argv[2], argv[4], true);
  } else if (strcmp(argv[1], "time") == 0) {
    time_model(argv[2], argc > 4 ? atoi(argv[4]) : 15, argc > 5 ? argv[5] : "");
  } else {
    return 2;
  }
  tcc_model_destroy(model);
  return 0;
}
