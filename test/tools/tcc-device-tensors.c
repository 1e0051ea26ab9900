/* tcc-device-tensors.c - runs an artifact with tensors of the host and of the device in all places, and compares: what it prints is the test.
 *
 *     tcc-device-tensors ARTIFACT WEIGHTS [SIZE [sets|late]]
 *
 * Sizes that vary are SIZE (default 3); sets: what runs with several sets of tensors cost, alone; late: runs that do not wait for what their
 * checks of indices say. Numbers are small, whole ones below 8 for integers. Memory of the device comes from the driver that the run-time has,
 * $TCC_CUDA_LIBRARY. */
#include "lib/runtime/gpu_driver.h"
#include "lib/runtime/gpu_ports.h"
#include "tcc/elem.h"
#include <dlfcn.h>
#include <stdio.h>

enum { MOST = 32, GAP = 64 };
static TccCuda cuda;
static unsigned long (*count_calls)(const char *name), (*count_bytes)(void);
static TccModel *model;
static size_t ninputs, noutputs, failures;
static int64_t shapes[MOST][TCC_PLAN_MAX_RANK];
static TccTensor inputs[MOST];
static size_t bytes[MOST];
static unsigned seed;

/* ---- the driver ---- */
static bool open_driver(void) {
  void *context;
  cuda.library = dlopen(getenv("TCC_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  if (!cuda.library) return false;
#define TCC_CUDA(name, parameters)                                                                                                 \
  {                                                                                                                                \
    void *address = dlsym(cuda.library, #name);                                                                                    \
    memcpy(&cuda.name, &address, sizeof address);                                                                                  \
  }
#include "lib/runtime/cuda.def"
  void *address = dlsym(cuda.library, "tccEmulateCalls");
  memcpy(&count_calls, &address, sizeof address);
  address = dlsym(cuda.library, "tccEmulateCopied");
  memcpy(&count_bytes, &address, sizeof address);
  return cuda.cuInit(0) == 0 && cuda.cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuda.cuCtxPushCurrent_v2(context) == 0;
}

static void *on_device(size_t size) {
  uint64_t memory = 0;
  if (cuda.cuMemAlloc_v2(&memory, size ? size : 1) != 0) abort();
  return (void *)(uintptr_t)memory;
}
static void free_device(void *memory) { cuda.cuMemFree_v2((uint64_t)(uintptr_t)memory); }
static void copy_in(void *to, const void *from, size_t size) {
  if (size && cuda.cuMemcpyHtoDAsync_v2((uint64_t)(uintptr_t)to, from, size, NULL) != 0) abort();
  if (cuda.cuStreamSynchronize(NULL) != 0) abort();
}
static void copy_out(void *to, const void *from, size_t size) {
  if (size && cuda.cuMemcpyDtoHAsync_v2(to, (uint64_t)(uintptr_t)from, size, NULL) != 0) abort();
  if (cuda.cuStreamSynchronize(NULL) != 0) abort();
}

/* ---- data ---- */
static void fill(const TccTensor *t, size_t size) {
  TccElem elem = tcc_dtype_elem(t->dtype);
  for (size_t i = 0; i < size / tcc_elem_bytes(elem, 1); i++) {
    unsigned number = (seed = seed * 1664525 + 1013904223) >> 16;
    if (tcc_elem_is_float(elem)) tcc_elem_store_f64(elem, t->data, i, (double)(number % 2000) / 1000 - 1);
    else tcc_elem_store_i64(elem, t->data, i, number % 2);
  }
}

static void make_inputs(int64_t size) {
  ninputs = tcc_model_input_count(model), noutputs = tcc_model_output_count(model);
  if (ninputs > MOST || noutputs > MOST) abort();
  for (size_t i = 0; i < ninputs; i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    for (int axis = 0; axis < port->rank; axis++) shapes[i][axis] = port->dims[axis] >= 0 ? port->dims[axis] : size;
    inputs[i] = (TccTensor){.device = {TCC_DEVICE_CPU, 0}, .rank = port->rank, .dtype = port->dtype, .shape = shapes[i]};
    if (!tcc_elem_dense_bytes(tcc_dtype_elem(port->dtype), shapes[i], (size_t)port->rank, NULL, &bytes[i])) abort();
    inputs[i].data = malloc(bytes[i] + 1);
    fill(&inputs[i], bytes[i]);
  }
}

/* ---- runs ---- */
typedef struct {
  size_t count[MOST];
  void *data[MOST];
} Results;

static size_t size_of(const TccTensor *t) {
  size_t size;
  return tcc_elem_dense_bytes(tcc_dtype_elem(t->dtype), t->shape, (size_t)t->rank, NULL, &size) ? size : 0;
}

static bool failed(const char *what, TccStatus *status) {
  if (!status) return false;
  printf("%s: %s\n", what, tcc_status_message(status));
  tcc_status_destroy(status);
  failures++;
  return true;
}

static void expect(const char *what, const TccTensor *outputs, const Results *want) {
  bool same = true;
  for (size_t i = 0; i < noutputs; i++) {
    size_t size = size_of(&outputs[i]);
    char *copy = malloc(size + 1), *data = (char *)outputs[i].data + outputs[i].byte_offset;
    if (tcc_tensor_on_device(&outputs[i])) copy_out(copy, data, size);
    else memcpy(copy, data, size);
    same &= size == want->count[i] && memcmp(copy, want->data[i], size) == 0;
    free(copy);
  }
  printf("%s: %s\n", what, same ? "as on the host" : "DIFFERENT");
  failures += !same;
}

static Results run_host(TccContext *context) {
  TccTensor outputs[MOST] = {{0}};
  Results r = {{0}};
  if (failed("host", tcc_context_run(context, inputs, ninputs, outputs, noutputs))) exit(1);
  for (size_t i = 0; i < noutputs; i++) {
    r.count[i] = size_of(&outputs[i]);
    r.data[i] = malloc(r.count[i] + 1);
    memcpy(r.data[i], outputs[i].data, r.count[i]);
  }
  return r;
}
static void free_results(Results *r) {
  for (size_t i = 0; i < noutputs; i++) free(r->data[i]);
}

/* The inputs on the device, so many bytes behind an aligned address. */
static void to_device(TccTensor *out, size_t shift) {
  for (size_t i = 0; i < ninputs; i++) {
    out[i] = inputs[i];
    out[i].data = on_device(bytes[i] + shift);
    out[i].byte_offset = shift;
    out[i].device = (TccDevice){TCC_DEVICE_CUDA, 0};
    copy_in((char *)out[i].data + shift, inputs[i].data, bytes[i]);
  }
}
static void free_all(TccTensor *tensors, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (tcc_tensor_on_device(&tensors[i])) free_device(tensors[i].data);
}

/* Memory of the device for outputs like these. */
static void like_outputs(TccContext *context, TccTensor *out) {
  static int64_t sizes[MOST][TCC_PLAN_MAX_RANK];
  if (failed("shapes", tcc_context_shapes(context, inputs, ninputs, out, noutputs))) exit(1);
  for (size_t i = 0; i < noutputs; i++) {
    memcpy(sizes[i], out[i].shape, (size_t)out[i].rank * sizeof(int64_t));
    out[i].shape = sizes[i];
    out[i].data = on_device(size_of(&out[i]));
    out[i].device = (TccDevice){TCC_DEVICE_CUDA, 0};
  }
}

static void run_places(TccContext *context, const Results *want) {
  TccTensor there[MOST], outputs[MOST] = {{0}};
  TccRunOptions options = {0};
  to_device(there, 0);
  if (!failed("device to host", tcc_context_run(context, there, ninputs, outputs, noutputs)))
    expect("device to host", outputs, want);
  memset(outputs, 0, sizeof outputs);
  for (size_t i = 0; i < noutputs; i++) outputs[i].device.type = TCC_DEVICE_CUDA;
  if (!failed("device to the context's", tcc_context_run(context, there, ninputs, outputs, noutputs)))
    expect("device to the context's", outputs, want);
  like_outputs(context, outputs);
  if (!failed("host to device", tcc_context_run(context, inputs, ninputs, outputs, noutputs)))
    expect("host to device", outputs, want);
  if (cuda.cuStreamCreate(&options.stream, 1) != 0) abort();
  unsigned long waits = count_calls("cuStreamSynchronize");
  for (int i = 0; i < 3; i++)
    failed("device to device", tcc_context_run_with(context, there, ninputs, outputs, noutputs, &options));
  printf("waits of 3 runs on a stream: %lu\n", count_calls("cuStreamSynchronize") - waits);
  cuda.cuStreamSynchronize(options.stream);
  expect("device to device", outputs, want);
  options.stream = (void *)1;
  if (!failed("legacy stream", tcc_context_run_with(context, there, ninputs, outputs, noutputs, &options)))
    expect("legacy stream", outputs, want);
  free_all(outputs, noutputs);
  free_all(there, ninputs);
  to_device(there, 4);
  memset(outputs, 0, sizeof outputs);
  if (!failed("4 bytes off", tcc_context_run(context, there, ninputs, outputs, noutputs))) expect("4 bytes off", outputs, want);
  free_all(there, ninputs);
}

/* Every second element along the last axis, of inputs and outputs. */
static void run_strided(TccContext *context, const Results *want) {
  static int64_t strides[2][MOST][TCC_PLAN_MAX_RANK];
  TccTensor there[MOST], outputs[MOST] = {{0}}, tensors[2 * MOST];
  like_outputs(context, outputs);
  free_all(outputs, noutputs);
  for (size_t i = 0; i < ninputs + noutputs; i++) {
    TccTensor *t = i < ninputs ? &there[i] : &outputs[i - ninputs];
    int64_t *s = strides[i >= ninputs][i < ninputs ? i : i - ninputs], step = 2;
    if (i < ninputs) *t = inputs[i];
    for (int axis = t->rank - 1; axis >= 0; axis--) s[axis] = step, step *= t->shape[axis];
    t->strides = t->rank ? s : NULL;
    size_t width = tcc_elem_bytes(tcc_dtype_elem(t->dtype), 1), size = 2 * size_of(t);
    char *host = calloc(1, size + 1);
    for (size_t k = 0; i < ninputs && k < size / 2 / width; k++)
      memcpy(host + 2 * k * width, (char *)inputs[i].data + k * width, width);
    t->data = on_device(size);
    t->device = (TccDevice){TCC_DEVICE_CUDA, 0};
    memset(host + size, 0, 1);
    copy_in(t->data, host, size);
    tensors[i] = *t;
    free(host);
  }
  unsigned long copies = count_calls("cuMemcpyHtoDAsync_v2") + count_calls("cuMemcpyDtoHAsync_v2");
  TccStatus *status = tcc_context_run(context, there, ninputs, outputs, noutputs);
  copies = count_calls("cuMemcpyHtoDAsync_v2") + count_calls("cuMemcpyDtoHAsync_v2") - copies;
  if (!failed("strided", status)) {
    bool same = true;
    for (size_t i = 0; i < noutputs; i++) {
      size_t width = tcc_elem_bytes(tcc_dtype_elem(outputs[i].dtype), 1), size = 2 * want->count[i];
      char *host = malloc(size + 1);
      copy_out(host, outputs[i].data, size);
      for (size_t k = 0; k < want->count[i]; k++)
        same &=
            host[k / width * 2 * width + k % width] == ((char *)want->data[i])[k] && !host[(k / width * 2 + 1) * width + k % width];
      free(host);
    }
    printf("strided: %s%s\n", same ? "as on the host" : "DIFFERENT", copies ? ", with copies by it" : "");
    failures += !same;
  }
  free_all(tensors, ninputs + noutputs);
}

/* ---- two contexts, whose runs are queued on streams of their own before anybody waits ---- */
static void run_two(TccContext *context, const Results *want) {
  TccContext *other;
  TccRunOptions options[2] = {{0}, {0}};
  TccTensor there[MOST], outputs[2][MOST];
  if (failed("context", tcc_context_create(model, NULL, &other))) return;
  to_device(there, 0);
  for (int k = 0; k < 2; k++) {
    if (cuda.cuStreamCreate(&options[k].stream, 1) != 0) abort();
    memset(outputs[k], 0, sizeof outputs[k]);
    for (size_t i = 0; i < noutputs; i++) outputs[k][i].device.type = TCC_DEVICE_CUDA;
    failed("two streams", tcc_context_run_with(k ? other : context, there, ninputs, outputs[k], noutputs, &options[k]));
  }
  for (int k = 1; k >= 0; k--) { /* the later one first */
    cuda.cuStreamSynchronize(options[k].stream);
    expect(k ? "the second stream" : "the first stream", outputs[k], want);
  }
  for (int k = 0; k < 2; k++) cuda.cuStreamDestroy_v2(options[k].stream);
  tcc_context_destroy(other);
  free_all(there, ninputs);
}

/* ---- graphs ---- */
enum { SETS = 12 };
typedef struct {
  TccTensor in[MOST], out[MOST];
} Set;

static void make_set(TccContext *plain, Set *set) {
  to_device(set->in, 0);
  like_outputs(plain, set->out);
}
static void free_set(Set *set) {
  free_all(set->in, ninputs);
  free_all(set->out, noutputs);
}

/* Outputs that are tied to inputs go there. */
static bool run_set(TccContext *context, Set *set, void *stream) {
  TccTensor out[MOST];
  memcpy(out, set->out, sizeof out);
  for (size_t i = 0; i < noutputs; i++)
    if (tcc_model_output(model, i)->tied >= 0) out[i] = (TccTensor){0};
  return failed("graph", tcc_context_run_with(context, set->in, ninputs, out, noutputs, &(TccRunOptions){.stream = stream}));
}

/* With new numbers; whether the results are the host's. */
static bool try_set(TccContext *plain, TccContext *context, Set *set, void *stream) {
  for (size_t i = 0; i < ninputs; i++) {
    fill(&inputs[i], bytes[i]);
    copy_in(set->in[i].data, inputs[i].data, bytes[i]);
  }
  Results want = run_host(plain);
  bool same = !run_set(context, set, stream) && cuda.cuStreamSynchronize(stream) == 0;
  for (size_t i = 0; i < noutputs; i++) {
    char *copy = malloc(want.count[i] + 1);
    const int32_t tied = tcc_model_output(model, i)->tied;
    copy_out(copy, (tied >= 0 ? &set->in[tied] : &set->out[i])->data, want.count[i]);
    same &= memcmp(copy, want.data[i], want.count[i]) == 0;
    free(copy);
  }
  free_results(&want);
  return same;
}

/* Sets of tensors in turn, so often; always: of other memory each time. Says what a run costs then, as a mean of so many as there are sets. */
static void run_sets(TccContext *plain, const char *what, bool graphs, size_t nsets, size_t rounds, bool always) {
  static const char *const names[] = {"cuLaunchKernelEx", "cuGraphLaunch", "cuMemcpyDtoDAsync_v2"};
  TccContext *context;
  Set sets[SETS];
  void *stream;
  unsigned long counts[3], all, moved, captured = count_calls("cuGraphInstantiateWithFlags");
  bool same = true;
  if (failed("context", tcc_context_create(model, &(TccContextOptions){.graphs = graphs}, &context))) return;
  if (cuda.cuStreamCreate(&stream, 1) != 0) abort();
  for (size_t i = 0; i < nsets; i++) make_set(plain, &sets[i]);
  for (size_t i = 0; i < nsets * rounds; i++) {
    same &= try_set(plain, context, &sets[i % nsets], stream);
    if (always) free_set(&sets[i % nsets]), make_set(plain, &sets[i % nsets]);
  }
  run_set(context, &sets[nsets - 1], stream);
  for (size_t i = 0; always && i < nsets; i++) free_set(&sets[i]), make_set(plain, &sets[i]);
  all = count_calls(NULL), moved = count_bytes();
  for (int k = 0; k < 3; k++) counts[k] = count_calls(names[k]);
  for (size_t i = 0; i < nsets; i++) run_set(context, &sets[i], stream);
  all = count_calls(NULL) - all, moved = count_bytes() - moved;
  for (int k = 0; k < 3; k++) counts[k] = count_calls(names[k]) - counts[k], all -= counts[k];
  cuda.cuStreamSynchronize(stream);
  printf("%s: %s, %lu launches, %lu graphs, %lu copies of %lu bytes, %lu other calls, %lu captures, %.1f MB of the context\n", what,
         same ? "as on the host" : "DIFFERENT", counts[0] / nsets, counts[1] / nsets, counts[2] / nsets, moved / nsets, all / nsets,
         count_calls("cuGraphInstantiateWithFlags") - captured, (double)tcc_context_bytes(context) / 1e6);
  failures += !same;
  for (size_t i = 0; i < nsets; i++) free_set(&sets[i]);
  tcc_context_destroy(context);
  cuda.cuStreamDestroy_v2(stream);
}

/* More sets than are remembered, in no order: captures become rare. */
static void run_random(TccContext *plain) {
  enum { RUNS = 200 };
  TccContext *context;
  Set sets[SETS];
  unsigned long captured[2];
  unsigned random = 1;
  if (failed("context", tcc_context_create(model, &(TccContextOptions){.graphs = true}, &context))) return;
  for (size_t i = 0; i < SETS; i++) make_set(plain, &sets[i]);
  for (int half = 0; half < 2; half++) {
    captured[half] = count_calls("cuGraphInstantiateWithFlags");
    for (int i = 0; i < RUNS; i++) run_set(context, &sets[((random = random * 1664525 + 1013904223) >> 16) % SETS], NULL);
    captured[half] = count_calls("cuGraphInstantiateWithFlags") - captured[half];
  }
  printf("twelve sets at random: %lu captures in %d runs, %lu in the next\n", captured[0], RUNS, captured[1]);
  for (size_t i = 0; i < SETS; i++) free_set(&sets[i]);
  tcc_context_destroy(context);
}

static void run_graphs(TccContext *plain, bool many) {
  if (!many) {
    run_sets(plain, "two sets", true, 2, 3, false);
    return;
  }
  run_sets(plain, "without graphs", false, 1, 1, false);
  run_sets(plain, "one set", true, 1, 2, false);
  run_sets(plain, "two sets", true, 2, 3, false);
  run_sets(plain, "eight sets", true, 8, 3, false);
  run_sets(plain, "nine sets", true, 9, 3, false);
  run_sets(plain, "new sets", true, 1, 12, true);
  run_random(plain);
}

/* ---- indices that are looked at later ---- */
static void run_late(TccContext *context, const char *what, const TccTensor *in, void *stream, bool late, bool settle) {
  TccTensor out[MOST] = {{0}};
  for (size_t i = 0; i < noutputs; i++) out[i].device.type = TCC_DEVICE_CUDA;
  const unsigned long waits = count_calls("cuStreamSynchronize");
  TccStatus *status =
      tcc_context_run_with(context, in, ninputs, out, noutputs, &(TccRunOptions){.stream = stream, .late_checks = late});
  printf("%s: %s, %lu waits\n", what, status ? tcc_status_message(status) : "no error", count_calls("cuStreamSynchronize") - waits);
  tcc_status_destroy(status);
  if (settle && cuda.cuStreamSynchronize(stream) != 0) abort();
}

static void run_all_late(void) {
  TccContext *context;
  TccTensor good[MOST], bad[MOST];
  void *stream;
  if (cuda.cuStreamCreate(&stream, 1) != 0 || failed("context", tcc_context_create(model, NULL, &context))) abort();
  to_device(good, 0);
  for (size_t i = 0; i < ninputs; i++)
    if (tcc_dtype_elem(inputs[i].dtype) == TCC_ELEM_I64) ((int64_t *)inputs[i].data)[1] = 1000;
  to_device(bad, 0);
  run_late(context, "an index outside, and a wait", bad, stream, false, true);
  run_late(context, "an index outside", bad, stream, true, true);
  run_late(context, "behind it", good, stream, true, true);
  run_late(context, "and then", good, stream, true, false);
  run_late(context, "while that is under way", bad, stream, true, true);
  run_late(context, "its answer is older", good, stream, true, true);
  run_late(context, "so this one tells", good, stream, true, true);
  run_late(context, "outside again", bad, stream, true, false);
  run_late(context, "a run that waits", good, stream, false, true);
  run_late(context, "the last one", bad, stream, true, false);
  fflush(stdout);
  tcc_context_destroy(context);
  free_all(good, ninputs);
  free_all(bad, ninputs);
  cuda.cuStreamDestroy_v2(stream);
}

/* ---- errors ---- */
static void expect_error(TccContext *context, const char *what, const TccTensor *in, const TccTensor *out) {
  TccTensor outputs[MOST] = {{0}};
  if (out) memcpy(outputs, out, sizeof outputs);
  TccStatus *status = tcc_context_run(context, in, ninputs, outputs, noutputs);
  printf("%s: %s\n", what, status ? tcc_status_message(status) : "no error");
  tcc_status_destroy(status);
}

static void run_errors(TccContext *context) {
  TccTensor there[MOST], outputs[MOST] = {{0}};
  to_device(there, 0);
  void *kept = there[0].data;
  there[0].data = inputs[0].data;
  expect_error(context, "a host pointer", there, NULL);
  there[0].data = kept, there[0].device.id = 1;
  expect_error(context, "another device", there, NULL);
  there[0].device = (TccDevice){7, 0};
  expect_error(context, "no CUDA", there, NULL);
  there[0].device = (TccDevice){TCC_DEVICE_CUDA, 0};
  like_outputs(context, outputs);
  kept = outputs[0].data;
  outputs[0].data = malloc(size_of(&outputs[0]) + 1);
  expect_error(context, "an output of the host", there, outputs);
  free(outputs[0].data);
  outputs[0].data = kept;
  free_all(outputs, noutputs);
  free_all(there, ninputs);
}

int main(int argc, char **argv) {
  TccContext *context = NULL;
  if (argc < 3) return 2;
  if (!open_driver()) return 77;
  if (failed("load", tcc_model_load(argv[1], &(TccLoadOptions){.weights_dir = argv[2]}, &model))) return 1;
  make_inputs(argc > 3 ? atoll(argv[3]) : 3);
  if (failed("context", tcc_context_create(model, NULL, &context))) return 1;
  if (argc > 4 && strcmp(argv[4], "sets") == 0) {
    run_graphs(context, true);
  } else if (argc > 4 && strcmp(argv[4], "late") == 0) {
    run_all_late();
  } else {
    Results want = run_host(context);
    run_places(context, &want);
    run_strided(context, &want);
    run_two(context, &want);
    run_errors(context);
    run_graphs(context, false);
    free_results(&want);
  }
  for (size_t i = 0; i < ninputs; i++) free(inputs[i].data);
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  return failures != 0;
}
