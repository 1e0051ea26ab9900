/* hello.c - the least that a program does with a compiled model: load it, look at its inputs, run it, read the results.
 *
 *     hello MODEL.so [SYMBOL=N ...]       hello model.so batch=2
 *
 * Inputs are all ones. A size that the model leaves open is 1 unless it is given by its name. Every function that can fail gives a
 * TccStatus: NULL is success, anything else has a code, says what was wrong and belongs to who got it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcc/runtime.h>

enum { MAX_RANK = 8, SHOWN = 4 };

/* A tensor and what it points to. */
typedef struct {
  TccTensor tensor;
  int64_t shape[MAX_RANK];
} Input;

/* The text of the size if the argument is SYMBOL=..., else NULL. */
static const char *size_text(const char *argument, const char *symbol) {
  const size_t length = symbol ? strlen(symbol) : 0;
  return length && strncmp(argument, symbol, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

/* The size that the command line gives a symbol, else 1; -1 for what is no number. */
static int64_t size_of(const char *symbol, char **sizes) {
  for (; *sizes; sizes++) {
    const char *text = size_text(*sizes, symbol);
    char *end;
    if (!text) continue;
    const int64_t size = strtoll(text, &end, 10);
    return *text && !*end ? size : -1;
  }
  return 1;
}

/* A size that no input has would be passed over. */
static TccStatus *check_sizes(const TccModel *model, char **sizes) {
  for (; *sizes; sizes++) {
    int known = 0;
    for (size_t i = 0; i < tcc_model_input_count(model); i++) {
      const TccPortInfo *port = tcc_model_input(model, i);
      for (int32_t axis = 0; axis < port->rank; axis++) known |= size_text(*sizes, port->dim_symbols[axis]) != NULL;
    }
    if (!known) return TCC_ERROR(TCC_NOT_FOUND, "'%s': no input has such a size", *sizes);
  }
  return NULL;
}

static size_t bytes_of(TccDtype type, int64_t count) { return ((size_t)count * type.bits * type.lanes + 7) / 8; }

static void fill_with_ones(TccTensor *tensor, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (tensor->dtype.code == TCC_DTYPE_FLOAT && tensor->dtype.bits == 32) ((float *)tensor->data)[i] = 1;
    else if (tensor->dtype.code == TCC_DTYPE_FLOAT && tensor->dtype.bits == 64) ((double *)tensor->data)[i] = 1;
    else if (tensor->dtype.code == TCC_DTYPE_INT && tensor->dtype.bits == 64) ((int64_t *)tensor->data)[i] = 1;
    else if (tensor->dtype.code == TCC_DTYPE_INT && tensor->dtype.bits == 32) ((int32_t *)tensor->data)[i] = 1;
    else if (tensor->dtype.code == TCC_DTYPE_BOOL) ((uint8_t *)tensor->data)[i] = 1;
  } /* other types stay zero, as calloc left them */
}

static TccStatus *make_input(const TccPortInfo *port, char **sizes, Input *out) {
  int64_t count = 1;
  if (port->rank > MAX_RANK) return TCC_ERROR(TCC_UNSUPPORTED, "input '%s' has %d axes", port->name, port->rank);
  out->tensor = (TccTensor){.device = {TCC_DEVICE_CPU, 0}, .rank = port->rank, .dtype = port->dtype, .shape = out->shape};
  for (int32_t axis = 0; axis < port->rank; axis++) {
    out->shape[axis] = port->dims[axis] >= 0 ? port->dims[axis] : size_of(port->dim_symbols[axis], sizes);
    if (out->shape[axis] < 0 || __builtin_mul_overflow(count, out->shape[axis], &count) || count > INT64_MAX / 128)
      return TCC_ERROR(TCC_INVALID, "input '%s' cannot be of this size", port->name);
  }
  out->tensor.data = calloc(bytes_of(port->dtype, count) + 1, 1);
  if (!out->tensor.data) return TCC_ERROR(TCC_NO_MEMORY, "no memory for input '%s'", port->name);
  fill_with_ones(&out->tensor, count);
  return NULL;
}

static void print_output(const TccPortInfo *port, const TccTensor *tensor) {
  int64_t count = 1;
  printf("%s: [", port->name);
  for (int32_t axis = 0; axis < tensor->rank; axis++) {
    printf("%s%" PRId64, axis ? " x " : "", tensor->shape[axis]);
    count *= tensor->shape[axis];
  }
  printf("]");
  for (int64_t i = 0; i < count && i < SHOWN; i++) {
    if (tensor->dtype.code == TCC_DTYPE_FLOAT && tensor->dtype.bits == 32) printf(" %g", (double)((float *)tensor->data)[i]);
    else if (tensor->dtype.code == TCC_DTYPE_INT && tensor->dtype.bits == 64) printf(" %" PRId64, ((int64_t *)tensor->data)[i]);
  }
  printf("%s\n", count > SHOWN ? " ..." : "");
}

static TccStatus *run(const char *path, char **sizes) {
  TccStatus *status = NULL;
  TccModel *model = NULL;     /* shared by threads */
  TccContext *context = NULL; /* for one thread at a time: worker threads and memory */
  Input *inputs = NULL;
  TccTensor *given = NULL, *results = NULL;
  TCC_GOTO(tcc_model_load(path, NULL, &model));
  TCC_GOTO(check_sizes(model, sizes));
  TCC_GOTO(tcc_context_create(model, NULL, &context)); /* NULL: as many threads as there are CPUs */
  size_t ninputs = tcc_model_input_count(model), noutputs = tcc_model_output_count(model);
  inputs = calloc(ninputs + 1, sizeof *inputs);
  given = calloc(ninputs + 1, sizeof *given);
  results = calloc(noutputs + 1, sizeof *results); /* data NULL: results are put into the context's memory */
  if (!inputs || !given || !results) TCC_GOTO(TCC_ERROR(TCC_NO_MEMORY, "out of memory"));
  for (size_t i = 0; i < ninputs; i++) {
    TCC_GOTO(make_input(tcc_model_input(model, i), sizes, &inputs[i]));
    given[i] = inputs[i].tensor;
  }
  TCC_GOTO(tcc_context_run(context, given, ninputs, results, noutputs));
  for (size_t i = 0; i < noutputs; i++) print_output(tcc_model_output(model, i), &results[i]);
done:
  for (size_t i = 0; inputs && model && i < tcc_model_input_count(model); i++) free(inputs[i].tensor.data);
  free(inputs);
  free(given);
  free(results);
  tcc_context_destroy(context); /* NULL is fine, as with free */
  tcc_model_destroy(model);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: hello MODEL.so [SYMBOL=N ...]\n");
    return 2;
  }
  TccStatus *status = run(argv[1], argv + 2);
  if (!status) return 0;
  fprintf(stderr, "hello: %s\n", tcc_status_message(status));
  if (tcc_status_code(status) == TCC_INCOMPATIBLE) fprintf(stderr, "hello: compile the model again, on or for this machine\n");
  tcc_status_destroy(status);
  return 1;
}
