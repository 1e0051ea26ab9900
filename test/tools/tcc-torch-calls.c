/* tcc-torch-calls.c - test tool: runs recorded calls of ATen overloads (test/frontend/torch/record.py) and compares with torch's results.
 *
 *   tcc-torch-calls [--verbose] [--only TEXT] [--target TARGET] [--every N] FILE
 *
 * Each call is imported as a graph of one node and run by the interpreter, or compiled for a target and run; all of them in one process,
 * or the first, the N-th after it and so on. It passes if each of its results is
 * within assert_close's tolerance of torch's, or of what torch gives in f64; eigenvectors and singular vectors but for their signs. A line for each overload that has a call that does not pass,
 * then one with the totals. The exit status is 1 if there is any. */
#include "tcc/compile.h"
#include "tcc/diagnostics.h"
#include "tcc/import.h"
#include "tcc/interp.h"
#include "tcc/torch_graph.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static TccText reason; /* why the call at hand does not pass */

static MlirLogicalResult keep(MlirDiagnostic diagnostic, void *user) {
  (void)user;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) tcc_diagnostic_text(diagnostic, &reason);
  return mlirLogicalResultSuccess();
}

static bool refuse(TccStatus *status) {
  if (!status) return true;
  tcc_text_printf(&reason, "%s\n", tcc_status_message(status));
  tcc_status_destroy(status);
  return false;
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* [type, [sizes], "00ff..."]; hex: other bytes, of elem. */
static TccHostTensor *read_tensor(json_t *record, TccElem elem, const char *hex) {
  TccHostTensor *t = NULL;
  int64_t dims[TCC_HOST_MAX_RANK];
  json_t *sizes = json_array_get(record, 1);
  int rank = (int)json_array_size(sizes);
  for (int i = 0; i < rank; i++) dims[i] = json_integer_value(json_array_get(sizes, (size_t)i));
  if (!refuse(tcc_host_tensor_create(elem, rank, dims, &t))) return NULL;
  for (size_t i = 0; i < t->bytes; i++)
    ((unsigned char *)t->data)[i] = (unsigned char)(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  return t;
}

static TccElem type_of(json_t *record) { return tcc_torch_elem(json_integer_value(json_array_get(record, 0))); }

static TccTolerance tolerance_of(TccElem elem) {
  TccTolerance t = {.rmse_limit = -1};
  switch (elem) {
  case TCC_ELEM_F16: t.rtol = 1e-3, t.atol = 1e-5; break;
  case TCC_ELEM_BF16: t.rtol = 1.6e-2, t.atol = 1e-5; break;
  case TCC_ELEM_F32: t.rtol = 1.3e-6, t.atol = 1e-5; break;
  case TCC_ELEM_F64: t.rtol = 1e-7, t.atol = 1e-7; break;
  default: break;
  }
  return t;
}

/* A number beyond the type is infinite in it. */
static void end_at_type(TccElem elem, double *x) {
  uint64_t bits = 0;
  tcc_elem_store_f64(elem, &bits, 0, *x);
  const double y = tcc_elem_load_f64(elem, &bits, 0);
  if (isinf(y)) *x = y;
}

/* Vectors that a matrix decides but for their sign: columns, or rows, of the last two axes. */
typedef enum { NO_VECTORS, COLUMNS, ROWS } Vectors;

static Vectors vectors_of(const char *overload, size_t output) {
  if (!strcmp(overload, "aten._linalg_eigh.default")) return output == 1 ? COLUMNS : NO_VECTORS;
  if (!strcmp(overload, "aten._linalg_svd.default")) return output == 0 ? COLUMNS : output == 2 ? ROWS : NO_VECTORS;
  return NO_VECTORS;
}

/* Where element k of vector i of a matrix of t lies. */
static size_t place(const TccHostTensor *t, Vectors vectors, size_t matrix, size_t i, size_t k) {
  const size_t rows = (size_t)t->dims[t->rank - 2], columns = (size_t)t->dims[t->rank - 1];
  return (matrix * rows + (vectors == COLUMNS ? k : i)) * columns + (vectors == COLUMNS ? i : k);
}

static double product_of(const TccHostTensor *x, const TccHostTensor *y, Vectors vectors, size_t matrix, size_t i, size_t j,
                         size_t length) {
  double sum = 0;
  for (size_t k = 0; k < length; k++)
    sum += tcc_elem_load_f64(x->elem, x->data, place(x, vectors, matrix, i, k)) *
           tcc_elem_load_f64(y->elem, y->data, place(y, vectors, matrix, j, k));
  return sum;
}

/* Whether vector i of got is of size 1 and orthogonal to those before it. */
static bool is_orthonormal(const TccHostTensor *got, Vectors vectors, size_t matrix, size_t i, size_t length) {
  bool is = true;
  for (size_t j = 0; j <= i; j++) is = is && fabs(product_of(got, got, vectors, matrix, i, j, length) - (i == j)) < 1e-5;
  return is;
}

/* Gives each of want's vectors the sign that it has in got, and, behind the first `decided`, of which the matrix says no more than that they are orthonormal, got's
 * itself if it is. Both are of one shape. */
static void turn(TccHostTensor *want, const TccHostTensor *got, Vectors vectors, size_t decided) {
  if (vectors == NO_VECTORS || want->rank < 2 || want->count != got->count || !want->count) return;
  const size_t rows = (size_t)want->dims[want->rank - 2], columns = (size_t)want->dims[want->rank - 1],
               n = vectors == COLUMNS ? columns : rows, length = vectors == COLUMNS ? rows : columns;
  for (size_t m = 0; m < want->count / (rows * columns); m++)
    for (size_t i = 0; i < n; i++) {
      const bool given = i >= decided && is_orthonormal(got, vectors, m, i, length);
      const double sign = product_of(want, got, vectors, m, i, i, length) < 0 ? -1 : 1;
      for (size_t k = 0; k < length; k++) {
        const size_t at = place(want, vectors, m, i, k);
        const double own = sign * tcc_elem_load_f64(want->elem, want->data, at);
        tcc_elem_store_f64(want->elem, want->data, at, given ? tcc_elem_load_f64(got->elem, got->data, at) : own);
      }
    }
}

static bool same(const TccHostTensor *got, json_t *record, Vectors vectors, size_t decided) {
  TccElem elem = type_of(record);
  TccTolerance tolerance = tolerance_of(elem);
  TccHostTensor *want = read_tensor(record, elem, json_string_value(json_array_get(record, 2)));
  turn(want, got, vectors, decided);
  TccStatus *status = tcc_host_tensor_compare(got, want, &tolerance);
  tcc_host_tensor_destroy(want);
  const char *exact = json_string_value(json_array_get(record, 3));
  if (!status || !exact) return refuse(status);
  tcc_status_destroy(status);
  want = read_tensor(record, TCC_ELEM_F64, exact);
  TccHostTensor *wide = read_tensor(record, TCC_ELEM_F64, exact);
  for (size_t i = 0; i < got->count; i++) ((double *)wide->data)[i] = tcc_elem_load_f64(elem, got->data, i);
  for (size_t i = 0; i < want->count; i++) end_at_type(elem, (double *)want->data + i);
  turn(want, wide, vectors, decided);
  status = tcc_host_tensor_compare(wide, want, &tolerance);
  tcc_host_tensor_destroy(want);
  tcc_host_tensor_destroy(wide);
  return refuse(status);
}

typedef enum { PASSED, UNSUPPORTED, FAILED } Outcome;

/* What a call takes and gives. */
typedef struct {
  TccHostTensor *inputs[64], **outputs;
  size_t ninputs, noutputs;
} Data;

static void data_destroy(Data *data) {
  for (size_t i = 0; i < data->ninputs; i++) tcc_host_tensor_destroy(data->inputs[i]);
  for (size_t i = 0; i < data->noutputs; i++) tcc_host_tensor_destroy(data->outputs[i]);
  free(data->outputs);
}

static bool read_inputs(json_t *call, Data *data) {
  json_t *inputs = json_object_get(call, "inputs");
  if (json_array_size(inputs) > sizeof data->inputs / sizeof *data->inputs) return false;
  for (size_t i = 0; i < json_array_size(inputs); i++) {
    json_t *record = json_array_get(inputs, i);
    data->inputs[data->ninputs++] = read_tensor(record, type_of(record), json_string_value(json_array_get(record, 2)));
  }
  return true;
}

/* Of singular vectors, whose signs are free in pairs alone: u diag(s) vh is what was decomposed. */
static bool pairs_agree(const Data *data) {
  const TccHostTensor *a = data->inputs[0], *u = data->outputs[0], *s = data->outputs[1], *vh = data->outputs[2];
  const size_t k = (size_t)s->dims[s->rank - 1], m = (size_t)a->dims[a->rank - 2], n = (size_t)a->dims[a->rank - 1];
  double worst = 0;
  for (size_t i = 0; u->rank >= 2 && i < a->count; i++) {
    double sum = -tcc_elem_load_f64(a->elem, a->data, i);
    for (size_t p = 0; p < k; p++)
      sum += tcc_elem_load_f64(u->elem, u->data, place(u, ROWS, i / (m * n), i / n % m, p)) *
             tcc_elem_load_f64(s->elem, s->data, i / (m * n) * k + p) *
             tcc_elem_load_f64(vh->elem, vh->data, place(vh, ROWS, i / (m * n), p, i % n));
    worst = fmax(worst, fabs(sum));
  }
  if (worst <= 1e-4) return true;
  tcc_text_printf(&reason, "u diag(s) vh is %g off\n", worst);
  return false;
}

static bool agree(json_t *call, const Data *data) {
  json_t *wanted = json_object_get(call, "outputs");
  const char *overload = json_string_value(json_object_get(call, "call"));
  const bool pairs = vectors_of(overload, 2) == ROWS;
  bool ok = data->noutputs >= json_array_size(wanted); /* behind them: inputs that were written */
  const size_t decided = pairs && ok ? (size_t)data->outputs[1]->dims[data->outputs[1]->rank - 1] : SIZE_MAX;
  for (size_t i = 0; i < json_array_size(wanted) && ok; i++)
    ok = same(data->outputs[i], json_array_get(wanted, i), vectors_of(overload, i), decided);
  return ok && (!pairs || pairs_agree(data));
}

/* ---- compiled ---- */
static TccTensor tensor_of(const TccHostTensor *t) {
  return (TccTensor){.data = t->data,
                     .device = {TCC_DEVICE_CPU, 0},
                     .rank = t->rank,
                     .dtype = tcc_elem_dtype(t->elem),
                     .shape = (int64_t *)t->dims};
}

static TccStatus *take_results(const TccTensor *results, size_t count, Data *data) {
  data->outputs = calloc(count + 1, sizeof *data->outputs);
  for (; data->noutputs < count; data->noutputs++) {
    const TccTensor *r = &results[data->noutputs];
    TccHostTensor **out = &data->outputs[data->noutputs];
    TCC_TRY(tcc_host_tensor_create(tcc_dtype_elem(r->dtype), r->rank, r->shape, out));
    if ((*out)->bytes) memcpy((*out)->data, (char *)r->data + r->byte_offset, (*out)->bytes);
  }
  return NULL;
}

static TccStatus *run_artifact(const TccCompileResult *compiled, Data *data) {
  TccModel *model = NULL;
  TccContext *context = NULL;
  TccTensor inputs[64], *results = NULL;
  TccLoadOptions load = {.threads = 1};
  TccContextOptions options = {.threads = 1};
  TccStatus *status = NULL;
  for (size_t i = 0; i < data->ninputs; i++) inputs[i] = tensor_of(data->inputs[i]);
  TCC_GOTO(tcc_model_load_memory(compiled->artifact.data, compiled->artifact.length, &load, &model));
  TCC_GOTO(tcc_context_create(model, &options, &context));
  size_t count = tcc_model_output_count(model);
  results = calloc(count + 1, sizeof *results);
  TCC_GOTO(tcc_context_run(context, inputs, data->ninputs, results, count));
  TCC_GOTO(take_results(results, count, data));
done:
  free(results);
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  return status;
}

static Outcome run_compiled(json_t *call, const char *file, const char *target) {
  TccCompileOptions options = {.target = target, .no_cache = true, .threads = 1};
  TccCompileResult compiled;
  Data data = {0};
  Outcome result = FAILED;
  if (json_dump_file(json_object_get(call, "graph"), file, JSON_COMPACT) != 0) return FAILED;
  TccStatus *status = tcc_compile(file, &options, &compiled);
  if (status && tcc_status_code(status) == TCC_UNSUPPORTED) result = UNSUPPORTED;
  if (refuse(status) && read_inputs(call, &data) && refuse(run_artifact(&compiled, &data)) && agree(call, &data)) result = PASSED;
  data_destroy(&data);
  tcc_compile_result_destroy(&compiled);
  return result;
}

/* ---- interpreted ---- */
static Outcome run(json_t *call, const char *file) {
  TccIr *ir = tcc_ir_create();
  Data data = {0};
  TccImportOutcome outcome = TCC_IMPORT_INVALID;
  Outcome result = FAILED;
  mlirContextAttachDiagnosticHandler(ir->context, keep, NULL, NULL);
  MlirOperation module = {NULL};
  if (json_dump_file(json_object_get(call, "graph"), file, JSON_COMPACT) != 0) goto done;
  module = tcc_import_file(ir, file, NULL, &outcome);
  if (mlirOperationIsNull(module)) {
    result = outcome == TCC_IMPORT_UNSUPPORTED ? UNSUPPORTED : FAILED;
    goto done;
  }
  if (!read_inputs(call, &data) ||
      !refuse(tcc_interpret(ir, module, tcc_str("main"), NULL, (const TccHostTensor *const *)data.inputs, data.ninputs,
                            &data.outputs, &data.noutputs)))
    goto done;
  if (agree(call, &data)) result = PASSED;
done:
  data_destroy(&data);
  if (!mlirOperationIsNull(module)) mlirOperationDestroy(module);
  tcc_ir_destroy(ir);
  return result;
}

/* How many calls of an overload had which outcome, and the first reason. */
typedef struct {
  char name[128], why[400];
  size_t count[3];
} Overload;

static void tell(const Overload *o) {
  if (o->count[UNSUPPORTED] + o->count[FAILED] == 0) return;
  printf("%s: %zu passed, %zu unsupported, %zu failed: %s\n", o->name, o->count[PASSED], o->count[UNSUPPORTED], o->count[FAILED],
         o->why);
}

int main(int argc, char **argv) {
  const char *only = NULL, *path = NULL, *target = NULL;
  unsigned long every = 1, number = 0;
  bool verbose = false;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--verbose")) verbose = true;
    else if (!strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
    else if (!strcmp(argv[i], "--target") && i + 1 < argc) target = argv[++i];
    else if (!strcmp(argv[i], "--every") && i + 1 < argc) every = strtoul(argv[++i], NULL, 10);
    else path = argv[i];
  }
  FILE *in = path ? fopen(path, "r") : NULL;
  char file[] = "/tmp/tcc-torch-calls-XXXXXX.json", *line = NULL;
  int temporary = in ? mkstemps(file, 5) : -1;
  size_t capacity = 0, total[3] = {0}, overloads = 0, whole = 0;
  if (temporary < 0) {
    fprintf(stderr, "tcc-torch-calls: cannot read '%s'\n", path ? path : "");
    return 2;
  }
  Overload at = {0};
  while (getline(&line, &capacity, in) > 0) {
    json_t *call = json_loads(line, 0, NULL);
    const char *name = json_string_value(json_object_get(call, "call"));
    if (name && (!only || strstr(name, only)) && number++ % (every ? every : 1) == 0) {
      if (strcmp(name, at.name) != 0) {
        tell(&at);
        whole += at.name[0] && at.count[UNSUPPORTED] + at.count[FAILED] == 0;
        at = (Overload){0};
        snprintf(at.name, sizeof at.name, "%s", name);
        overloads++;
      }
      tcc_text_clear(&reason);
      Outcome outcome = target ? run_compiled(call, file, target) : run(call, file);
      at.count[outcome]++, total[outcome]++;
      if (outcome != PASSED && !at.why[0])
        snprintf(at.why, sizeof at.why, "%.*s", (int)strcspn(reason.data ? reason.data : "", "\n"), reason.data ? reason.data : "");
      if (verbose && outcome != PASSED)
        printf("%s\n%s%s\n", line, outcome == FAILED ? "FAILED " : "", reason.data ? reason.data : "");
    }
    json_decref(call);
  }
  tell(&at);
  whole += at.name[0] && at.count[UNSUPPORTED] + at.count[FAILED] == 0;
  printf("%zu of %zu overloads pass whole; calls: %zu passed, %zu unsupported, %zu failed\n", whole, overloads, total[PASSED],
         total[UNSUPPORTED], total[FAILED]);
  free(line);
  fclose(in);
  close(temporary);
  unlink(file);
  tcc_text_destroy(&reason);
  return total[UNSUPPORTED] + total[FAILED] != 0;
}
