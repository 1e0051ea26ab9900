/* run_data.c - tensors in and out of files for tcc-run, made-up inputs, and the comparison with expected outputs.
 *
 * Limits come from a tolerance.json in the data directory or beside it: sets[k].outputs[i].limit bounds the root mean square
 * error, k being the number at the end of the directory's name. Without one, or with --rtol or --atol, each element must be
 * within atol + rtol * |expected|. By default integers are equal, and floats differ by rtol of themselves and of the output's RMS: what
 * cancels to nearly zero is as far off as what it is made of. With --suite the defaults are those of the ONNX backend tests. */
#include "run.h"
#include "tcc/random.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- made-up inputs ---- */
static uint64_t next_random(uint64_t *state) { /* splitmix64 */
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/* Floats in [-1, 1); integers 0 or 1, which are valid indices and masks almost everywhere. */
static void fill_random(TccHostTensor *tensor, uint64_t *state) {
  for (size_t i = 0; i < tensor->count; i++) {
    uint64_t bits = next_random(state);
    if (tcc_elem_is_float(tensor->elem)) tcc_elem_store_f64(tensor->elem, tensor->data, i, (double)(bits >> 11) * 0x1p-52 - 1);
    else tcc_elem_store_i64(tensor->elem, tensor->data, i, (int64_t)(bits & 1));
  }
}

static int64_t dim_option(const RunOptions *options, const char *symbol) {
  for (size_t i = 0; i < options->compile.ndims && symbol; i++)
    if (strcmp(options->compile.dims[i].name, symbol) == 0) return options->compile.dims[i].size;
  return -1;
}

/* The size of an axis of a made-up input: the model's, or as given by --dim; -1: neither. */
static int64_t size_of(const TccPortInfo *port, int32_t axis, const RunOptions *options) {
  return port->dims[axis] >= 0 ? port->dims[axis] : dim_option(options, port->dim_symbols[axis]);
}

/* A size of --dim that no input of the artifact has: of a model the compiler has said so. A size that was compiled in is not looked for. */
static TccStatus *check_dims(const TccModel *model, const RunOptions *options) {
  for (size_t i = 0; i < options->compile.ndims; i++) {
    TccText sizes = {0};
    bool known = false;
    for (size_t k = 0; k < tcc_model_input_count(model); k++) {
      const TccPortInfo *port = tcc_model_input(model, k);
      for (int32_t axis = 0; axis < port->rank && !known; axis++) {
        const char *symbol = port->dims[axis] < 0 ? port->dim_symbols[axis] : NULL;
        known = symbol && strcmp(symbol, options->compile.dims[i].name) == 0;
        TccText quoted = {0};
        if (symbol) tcc_text_printf(&quoted, "%s'%s'", sizes.length ? ", " : "", symbol);
        if (symbol && (!sizes.length || !strstr(sizes.data, quoted.data + 2))) tcc_text_put(&sizes, quoted.data, quoted.length);
        tcc_text_destroy(&quoted);
      }
    }
    TccStatus *status = known ? NULL
                              : TCC_ERROR(TCC_INVALID, "the artifact has no size '%s'; it has %s", options->compile.dims[i].name,
                                          sizes.length ? sizes.data : "none that vary");
    tcc_text_destroy(&sizes);
    TCC_TRY(status);
  }
  return NULL;
}

/* What --dim says and what an input is. */
static TccStatus *check_size(const TccPortInfo *port, const TccHostTensor *tensor, const RunOptions *options) {
  for (int32_t axis = 0; axis < port->rank && tensor->rank == port->rank; axis++) {
    int64_t given = dim_option(options, port->dim_symbols[axis]);
    if (given >= 0 && given != tensor->dims[axis])
      return TCC_ERROR(TCC_INVALID, "--dim %s=%lld, and input '%s' has %lld there", port->dim_symbols[axis], (long long)given,
                       port->name, (long long)tensor->dims[axis]);
  }
  return NULL;
}

static TccStatus *make_random(const TccPortInfo *port, const RunOptions *options, uint64_t *state, TccHostTensor **out) {
  int64_t dims[TCC_HOST_MAX_RANK];
  for (int32_t axis = 0; axis < port->rank; axis++) dims[axis] = size_of(port, axis, options);
  TCC_TRY(tcc_host_tensor_create(tcc_dtype_elem(port->dtype), port->rank, dims, out));
  fill_random(*out, state);
  return NULL;
}

/* ---- inputs of a run ---- */
static const TccHostTensor *given_input(const RunOptions *options, const char *name) {
  for (size_t i = 0; i < options->compile.ninputs; i++)
    if (strcmp(options->compile.inputs[i].name, name) == 0) return options->compile.inputs[i].tensor;
  return NULL;
}

static TccStatus *copy_tensor(const TccHostTensor *from, TccHostTensor **out) {
  TCC_TRY(tcc_host_tensor_create(from->elem, from->rank, from->dims, out));
  memcpy((*out)->data, from->data, from->bytes);
  return NULL;
}

/* NumPy has no bfloat16: a .npy file holds its bits as uint16. */
static void adopt_type(TccHostTensor *tensor, TccDtype dtype) {
  TccElem want = tcc_dtype_elem(dtype);
  if (tensor->elem != want && tcc_elem_bits(tensor->elem) == tcc_elem_bits(want) && tcc_elem_is_unsigned(tensor->elem) &&
      !*tcc_elem_numpy(want))
    tensor->elem = want;
}

/* Data or --input for what the model does not have. */
static TccStatus *check_names(const TccModel *model, const RunOptions *options, const TccHostTensors *data) {
  size_t count = tcc_model_input_count(model);
  if (data->count > count) return TCC_ERROR(TCC_INVALID, "%s has %zu inputs, the model %zu", options->data, data->count, count);
  for (size_t i = 0; i < options->compile.ninputs; i++) {
    const char *name = options->compile.inputs[i].name;
    bool known = false;
    for (size_t k = 0; k < count; k++) known |= strcmp(name, tcc_model_input(model, k)->name) == 0;
    if (known) continue;
    TccText names = {0};
    for (size_t k = 0; k < count; k++) tcc_text_printf(&names, "%s'%s'", k ? ", " : "", tcc_model_input(model, k)->name);
    TccStatus *status =
        TCC_ERROR(TCC_INVALID, "the model has no input '%s'; it has %s", name, names.length ? names.data : "none at all");
    tcc_text_destroy(&names);
    return status;
  }
  return NULL;
}

/* The input is one of those that a model which draws random numbers has behind its own. */
static bool is_of_random(const TccPortInfo *port) {
  return strcmp(port->name, TCC_INPUT_SEED) == 0 || strcmp(port->name, TCC_INPUT_OFFSET) == 0;
}

static TccStatus *make_of_random(const TccPortInfo *port, const RunOptions *options, TccHostTensor **out) {
  TCC_TRY(tcc_host_tensor_create(TCC_ELEM_I64, 0, NULL, out));
  tcc_elem_store_i64(TCC_ELEM_I64, (*out)->data, 0, strcmp(port->name, TCC_INPUT_SEED) == 0 ? options->random_seed : 0);
  return NULL;
}

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:/+-@%"

/* A size that made-up data would need: "'batch' (axis 0 of input 'x')", and what to give for it. */
static TccStatus *check_random_size(const TccPortInfo *port, int32_t axis, TccText *sizes, TccText *dims) {
  const char *symbol = port->dim_symbols[axis];
  if (!symbol)
    return TCC_ERROR(TCC_INVALID,
                     "--random cannot make up input '%s': its axis %d is computed from other sizes: give --input=%s=FILE",
                     port->name, axis, port->name);
  TccText option = {0};
  bool plain = strspn(symbol, PLAIN) == strlen(symbol) && symbol[0] != '-';
  tcc_text_printf(&option, plain ? " --dim %s=N" : " '--dim=%s=N'", symbol); /* as a shell takes it */
  bool said = dims->length && strstr(dims->data, option.data);
  if (!said) tcc_text_put(dims, option.data, option.length);
  if (!said) tcc_text_printf(sizes, "%s'%s' (axis %d of input '%s')", sizes->length ? ", " : "", symbol, axis, port->name);
  tcc_text_destroy(&option);
  return NULL;
}

/* Where data is made up, each size needs a value. */
static TccStatus *check_random(const TccModel *model, const RunOptions *options, const TccHostTensors *data) {
  TccText sizes = {0}, dims = {0};
  TccStatus *status = NULL;
  for (size_t i = data->count; i < tcc_model_input_count(model) && !status; i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    for (int32_t axis = 0; axis < port->rank && !given_input(options, port->name) && !status; axis++)
      if (size_of(port, axis, options) < 0) status = check_random_size(port, axis, &sizes, &dims);
  }
  if (!status && sizes.length)
    status = TCC_ERROR(TCC_INVALID, "--random does not know the size%s %s: say%s",
                       strstr(strstr(dims.data, "--dim") + 1, "--dim") ? "s" : "", sizes.data, dims.data);
  tcc_text_destroy(&sizes);
  tcc_text_destroy(&dims);
  return status;
}

/* Inputs without data. */
static TccStatus *check_missing(const TccModel *model, const RunOptions *options, const TccHostTensors *data) {
  TccText names = {0};
  size_t missing = 0;
  for (size_t i = data->count; i < tcc_model_input_count(model); i++)
    if (!given_input(options, tcc_model_input(model, i)->name) && !is_of_random(tcc_model_input(model, i)))
      tcc_text_printf(&names, "%s'%s'", missing++ ? ", " : "", tcc_model_input(model, i)->name);
  TccStatus *status = NULL;
  const bool made_up = options->random && options->check; /* --data has what is expected of them */
  if (missing && options->data && data->files == 0 && !made_up)
    status = TCC_ERROR(TCC_NOT_FOUND, "%s: no input_0.pb or input_0.npy", options->data);
  else if (options->random) status = check_random(model, options, data);
  else if (missing)
    status = TCC_ERROR(TCC_INVALID, "no data for the input%s %s: give --data=DIR, --input=NAME=FILE or --random",
                       missing > 1 ? "s" : "", names.data);
  tcc_text_destroy(&names);
  return status;
}

TccStatus *run_make_inputs(const TccModel *model, bool artifact, const RunOptions *options, const TccHostTensors *data,
                           TccHostTensors *out) {
  *out = (TccHostTensors){0};
  uint64_t state = options->seed;
  TCC_TRY(check_names(model, options, data));
  if (artifact) TCC_TRY(check_dims(model, options));
  TCC_TRY(check_missing(model, options, data));
  for (size_t i = 0; i < tcc_model_input_count(model); i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    const TccHostTensor *given = given_input(options, port->name);
    if (!given && i < data->count) given = data->tensors[i];
    TccHostTensor *tensor = NULL;
    TccStatus *status = given                ? copy_tensor(given, &tensor)
                        : is_of_random(port) ? make_of_random(port, options, &tensor)
                                             : make_random(port, options, &state, &tensor);
    if (!status) adopt_type(tensor, port->dtype);
    if (!status) status = tcc_host_tensors_push(out, tensor);
    if (!status) status = check_size(port, tensor, options);
    if (status) {
      tcc_host_tensors_clear(out);
      return status;
    }
  }
  return NULL;
}

TccTensor run_tensor_of(TccHostTensor *tensor) {
  return (TccTensor){.data = tensor->data,
                     .device = {TCC_DEVICE_CPU, 0},
                     .rank = tensor->rank,
                     .dtype = tcc_elem_dtype(tensor->elem),
                     .shape = tensor->dims};
}

TccStatus *run_host_copy(const TccTensor *tensor, TccHostTensor **out) {
  TCC_TRY(tcc_host_tensor_create(tcc_dtype_elem(tensor->dtype), tensor->rank, tensor->shape, out));
  if ((*out)->bytes) memcpy((*out)->data, (char *)tensor->data + tensor->byte_offset, (*out)->bytes);
  return NULL;
}

/* ---- checking ---- */
/* *out: NULL if there is none. */
static TccStatus *load_tolerance(const char *directory, json_t **out) {
  static const char *const places[] = {"", "/.."};
  TccStatus *status = NULL;
  *out = NULL;
  for (size_t i = 0; i < 2 && !*out && !status; i++) {
    TccText path = {0};
    json_error_t error;
    tcc_text_printf(&path, "%s%s/tolerance.json", directory, places[i]);
    if (access(path.data, F_OK) == 0 && !(*out = json_load_file(path.data, 0, &error)))
      status = TCC_ERROR(TCC_INVALID, "%s, line %d: %s", path.data, error.line, error.text);
    tcc_text_destroy(&path);
  }
  return status;
}

static size_t set_number(const char *directory) {
  size_t length = strlen(directory), digits = 0;
  while (length && directory[length - 1] == '/') length--;
  while (digits < length && directory[length - 1 - digits] >= '0' && directory[length - 1 - digits] <= '9') digits++;
  return digits ? strtoul(directory + length - digits, NULL, 10) : 0;
}

TccTolerance run_tolerance(const RunOptions *options, TccElem elem) {
  TccTolerance tolerance = {.rmse_limit = -1, .rtol = options->rtol, .atol = options->atol, .hint = "--atol and --rtol set it"};
  double least, rtol = tcc_elem_tolerance(elem, &least);
  if (tolerance.rtol < 0) tolerance.rtol = options->suite ? 1e-3 : rtol;
  if (tolerance.atol < 0) {
    tolerance.atol = options->suite ? 1e-7 : least;
    tolerance.spread = tcc_elem_is_float(elem) && !options->suite ? tolerance.rtol : 0;
  }
  return tolerance;
}

static TccTolerance tolerance_of(const json_t *root, size_t set, size_t output, TccElem elem, const RunOptions *options) {
  const json_t *outputs = json_object_get(json_array_get(json_object_get(root, "sets"), set), "outputs");
  const json_t *limit = json_object_get(json_array_get(outputs, output), "limit");
  if (limit && json_is_number(limit))
    return (TccTolerance){.rmse_limit = json_number_value(limit),
                          .hint = "the limit is that of tolerance.json, unless --rtol or --atol is given"};
  return run_tolerance(options, elem);
}

TccStatus *run_check(const TccModel *model, const RunOptions *options, TccTensor *outputs, size_t count) {
  TccHostTensors expected = {0};
  TCC_TRY(tcc_host_tensors_read_folder(options->data, "output", &expected));
  TccStatus *status = NULL;
  json_t *root = NULL;
  if (options->rtol < 0 && options->atol < 0) status = load_tolerance(options->data, &root);
  if (status) goto done;
  if (expected.files == 0) status = TCC_ERROR(TCC_NOT_FOUND, "%s: no output_0.pb or output_0.npy to compare with", options->data);
  else if (expected.count != count) status = TCC_ERROR(TCC_MISMATCH, "%zu outputs, expected %zu", count, expected.count);
  for (size_t i = 0; i < count && !status; i++) {
    TccTolerance tolerance = tolerance_of(root, set_number(options->data), i, tcc_dtype_elem(outputs[i].dtype), options);
    TccHostTensor *got = NULL;
    status = run_host_copy(&outputs[i], &got);
    if (!status) status = tcc_host_tensor_compare(got, expected.tensors[i], &tolerance);
    if (status) status = tcc_status_context(status, "output %zu '%s'", i, tcc_model_output(model, i)->name);
    tcc_host_tensor_destroy(got);
  }
done:
  json_decref(root);
  tcc_host_tensors_clear(&expected);
  return status;
}

TccStatus *run_save(const char *directory, const TccTensor *outputs, size_t count) {
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) return TCC_ERROR(TCC_IO, "%s: %s", directory, strerror(errno));
  for (size_t i = 0; i < count; i++) {
    TccHostTensor *tensor;
    TCC_TRY(run_host_copy(&outputs[i], &tensor));
    TccText path = {0};
    tcc_text_printf(&path, "%s/output_%zu.npy", directory, i);
    TccStatus *status = tcc_host_tensor_write_npy(tensor, path.data);
    tcc_text_destroy(&path);
    tcc_host_tensor_destroy(tensor);
    TCC_TRY(status);
  }
  return NULL;
}
