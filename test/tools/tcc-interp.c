/* tcc-interp.c - test tool: runs a model in the interpreter, before or after a pipeline, and compares.
 *
 * A model is a .mlir text or an .onnx file; its weight files lie beside it. --suite walks the ONNX backend tests; every
 * case runs in a child process under a time limit, so that one that crashes or hangs is one line of the report. */
#include "mlir-c/Support.h"
#include "tcc/diagnostics.h"
#include "tcc/import.h"
#include "tcc/interp.h"
#include "tcc/pass.h"
#include "tcc/random.h"
#include "tcc/target.h"
#include "test/tools/interp/gradcheck.h"
#include "tools/common.h"
#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_INPUTS = 256 };
enum {
  OPTION_DATA,
  OPTION_PIPELINE,
  OPTION_CHECK,
  OPTION_SUITE,
  OPTION_INPUT,
  OPTION_FUNCTION,
  OPTION_KEEP,
  OPTION_PRINT,
  OPTION_SAVE,
  OPTION_GRADCHECK,
  OPTION_DIGITS,
  OPTION_PARAMETERS,
  OPTION_TARGET,
  OPTION_EVERY
};
static const TccOption options[] = {
    {"--data", "DIR", "input_K.pb or .npy to run on, output_K to compare with"},
    {"--pipeline", "TEXT", "passes to run first; tcc-verify,tcc-gradient"},
    {"--check", NULL, "exit 1 if outputs differ: by tolerance.json in DIR or beside it, else rtol 1e-3, atol 1e-7"},
    {"--suite", "DIR", "every ONNX backend-test case below DIR, one line each"},
    {"--input", "TEXT", "the next input, as 2x3xf32=1,2,3,4,5,6; a number alone is that of all elements"},
    {"--function", "NAME", "function to run; the first public one"},
    {"--keep", "NAME,...", "composites that decompose leaves whole"},
    {"--print", NULL, "print the module that is run"},
    {"--save", "DIR", "write outputs as output_K.npy"},
    {"--gradcheck", "[=OP]",
     "check derivatives against differences: of each op, of this one, or of the loss of MODEL by its float weights"},
    {"--digits", "N", "significant digits of printed floats; 6"},
    {"--parameters", NULL, "small float tensors of a model file are weights, too, as for training"},
    {"--target", "TARGET", "with --gradcheck[=OP]: gradients in f32 as this target compiles them, beside the interpreter's"},
    {"--every", "N", "with --target: one case of so many"},
};
static const TccCommand command = {"tcc-interp", "[OPTIONS] MODEL", "Runs a model in the interpreter.", options,
                                   sizeof options / sizeof *options};

typedef struct {
  const char *model, *data, *pipeline, *suite, *function, *keep, *save;
  bool check, print, gradcheck, parameters;
  int digits;
  TccHostTensor *inputs[MAX_INPUTS];
  size_t ninputs;
} Job;

/* ---- the target of pipelines: keeps the composites of --keep ---- */
static const char *kept = "";

static bool keeps(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  (void)machine;
  const char *name = tcc_op_name(tcc_op_kind(ir, op)) + 4; /* past "tcc." */
  size_t n = strlen(name);
  for (const char *at = kept; (at = strstr(at, name)); at += n)
    if ((at == kept || at[-1] == ',') && (at[n] == ',' || !at[n])) return true;
  return false;
}

static const TccTarget interp = {.name = "interp", .layout = "tcc-decompose{only=batch_norm}", .kernels = "", .keeps = keeps};
static const TccTargetInfo target = {.of = &interp};

/* ---- loading ---- */
/* The first error's text, for the one line of a suite. */
static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *user) {
  TccText *text = user;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) tcc_diagnostic_text(diagnostic, text);
  return mlirLogicalResultSuccess();
}

static TccStatus *diagnosed(TccText *text, TccCode code) {
  while (text->length && text->data[text->length - 1] == '\n') text->data[--text->length] = 0;
  return TCC_ERROR(code, "%s", text->length ? text->data : "no diagnostic was given");
}

/* The module at path; the inputs' data may decide shapes of an ONNX model. */
static TccStatus *load(TccIr *ir, const char *path, TccHostTensor *const *inputs, size_t ninputs, const TccHostTensors *data,
                       bool parameters, TccText *diagnostics, MlirOperation *out) {
  if (tcc_model_kind(path) == TCC_MODEL_IMPORTED) {
    TccImportInput given[MAX_INPUTS]; /* without names: by position */
    for (size_t i = 0; i < ninputs; i++) given[i] = (TccImportInput){.tensor = inputs[i]};
    TccSize lengths[MAX_INPUTS]; /* of lists */
    char names[MAX_INPUTS][24];
    size_t lists = 0;
    for (size_t i = 0; i < data->files && lists < MAX_INPUTS; i++) {
      if (data->lengths[i] < 0) continue;
      snprintf(names[lists], sizeof names[lists], "#%zu", i);
      lengths[lists] = (TccSize){tcc_str(names[lists]), data->lengths[i]};
      lists++;
    }
    TccImportOptions how = {.inputs = given, .ninputs = ninputs, .hints = lengths, .nhints = lists, .parameters = parameters};
    TccImportOutcome outcome;
    *out = tcc_import_file(ir, path, &how, &outcome);
    return mlirOperationIsNull(*out) ? diagnosed(diagnostics, outcome == TCC_IMPORT_UNSUPPORTED ? TCC_UNSUPPORTED : TCC_INVALID)
                                     : NULL;
  }
  *out = mlirModuleGetOperation(mlirModuleCreateParseFromFile(ir->context, mlirStringRefCreateFromCString(path)));
  return mlirOperationIsNull(*out) ? diagnosed(diagnostics, TCC_INVALID) : NULL;
}

/* As many as the tensor has elements, or one for all of them. */
static TccStatus *parse_numbers(const char *text, TccHostTensor *out) {
  size_t given = 0;
  for (const char *at = text; *at; given++) {
    char *end;
    double value = strtod(at, &end);
    if (end == at || (*end && *end != ',') || (*end && !end[1])) return TCC_ERROR(TCC_INVALID, "no number in '%s'", at);
    if (given < out->count) tcc_elem_store_f64(out->elem, out->data, given, value);
    at = *end ? end + 1 : end;
  }
  for (size_t i = 1; given == 1 && i < out->count; i++)
    tcc_elem_store_f64(out->elem, out->data, i, tcc_elem_load_f64(out->elem, out->data, 0));
  return given == out->count || given == 1
             ? NULL
             : TCC_ERROR(TCC_INVALID, "an input of %zu elements is given %zu numbers", out->count, given);
}

/* "2x3xf32=1,2,..." */
static TccStatus *parse_input(const char *text, TccHostTensor **out) {
  int64_t dims[TCC_HOST_MAX_RANK];
  int rank = 0;
  char *end;
  *out = NULL;
  while (*text >= '0' && *text <= '9' && rank < TCC_HOST_MAX_RANK) {
    dims[rank++] = strtoll(text, &end, 10);
    if (*end != 'x') return TCC_ERROR(TCC_INVALID, "an input is written 2x3xf32=1,2,3,4,5,6");
    text = end + 1;
  }
  const char *equals = strchr(text, '=');
  TccElem elem = TCC_ELEM_NONE;
  for (int i = 1; equals && i < TCC_ELEM_COUNT; i++)
    if (tcc_str_is((TccStr){text, (size_t)(equals - text)}, tcc_elem_name((TccElem)i))) elem = (TccElem)i;
  if (elem == TCC_ELEM_NONE) return TCC_ERROR(TCC_INVALID, "no element type in '%s'", text);
  TCC_TRY(tcc_host_tensor_create(elem, rank, dims, out));
  text = equals + 1;
  TccStatus *status = parse_numbers(text, *out);
  if (status) tcc_host_tensor_destroy(*out), *out = NULL;
  return status;
}

/* ---- data sets ---- */
/* The rule for output k of data set `dir`: "limit" in tolerance.json, there or one folder up. */
static TccTolerance tolerance_of(const char *dir, size_t k) {
  TccTolerance rule = {.rmse_limit = -1, .rtol = 1e-3, .atol = 1e-7};
  char path[4096];
  size_t set = 0;
  for (int up = 0; up < 2; up++) {
    snprintf(path, sizeof path, up ? "%s/../tolerance.json" : "%s/tolerance.json", dir);
    json_t *root = json_load_file(path, 0, NULL);
    const char *number = strrchr(dir, '_');
    if (number) set = (size_t)strtoul(number + 1, NULL, 10);
    json_t *output = json_array_get(json_object_get(json_array_get(json_object_get(root, "sets"), set), "outputs"), k);
    json_t *limit = json_object_get(output, "limit");
    if (json_is_number(limit)) rule.rmse_limit = json_number_value(limit);
    json_decref(root);
    if (root) break;
  }
  return rule;
}

static TccStatus *check_outputs(const char *dir, TccHostTensor *const *outputs, size_t n) {
  TccHostTensors want = {0};
  TCC_TRY(tcc_host_tensors_read_folder(dir, "output", &want));
  TccStatus *status = NULL;
  if (want.count != n) status = TCC_ERROR(TCC_NOT_FOUND, "%s has %zu outputs, the model %zu", dir, want.count, n);
  for (size_t k = 0; k < n && !status; k++) {
    TccTolerance rule = tolerance_of(dir, k);
    status = tcc_status_context(tcc_host_tensor_compare(outputs[k], want.tensors[k], &rule), "output %zu", k);
  }
  tcc_host_tensors_clear(&want);
  return status;
}

static void print_tensor(size_t k, const TccHostTensor *t, int digits) {
  printf("output %zu: ", k);
  for (int i = 0; i < t->rank; i++) printf("%" PRId64 "x", t->dims[i]);
  printf("%s =", tcc_elem_name(t->elem));
  for (size_t i = 0; i < t->count && i < 64; i++) {
    double value = tcc_elem_load_f64(t->elem, t->data, i);
    if (isnan(value)) printf(" nan"); /* its sign says nothing */
    else if (tcc_elem_is_float(t->elem)) printf(" %.*g", digits, value);
    else if (t->elem == TCC_ELEM_U64) printf(" %" PRIu64, (uint64_t)tcc_elem_load_i64(t->elem, t->data, i));
    else printf(" %" PRId64, tcc_elem_load_i64(t->elem, t->data, i));
  }
  printf(t->count > 64 ? " ...\n" : "\n");
}

static void print_text(MlirStringRef text, void *user) {
  (void)user;
  fwrite(text.data, 1, text.length, stdout);
}

/* The name that the importer gave argument k of a function; "" if none. */
static TccStr argument_name(MlirOperation func, size_t k) {
  MlirAttribute all = mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("arg_attrs"));
  if (mlirAttributeIsNull(all) || (intptr_t)k >= mlirArrayAttrGetNumElements(all)) return tcc_str("");
  MlirAttribute name =
      mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, (intptr_t)k), mlirStringRefCreateFromCString("tcc.name"));
  if (mlirAttributeIsNull(name)) return tcc_str("");
  MlirStringRef text = mlirStringAttrGetValue(name);
  return (TccStr){text.data, text.length};
}

/* Zeros for the seed and the offset of a model that draws random numbers, behind the inputs that there are. */
static TccStatus *add_seed(MlirOperation module, TccHostTensor **inputs, size_t *ninputs) {
  MlirOperation main = tcc_function_from(mlirBlockGetFirstOperation(tcc_func_body(module)));
  for (int k = 0; k < 2 && !mlirOperationIsNull(main) && *ninputs < MAX_INPUTS; k++) {
    TccStr name = argument_name(main, *ninputs);
    if (!tcc_str_is(name, TCC_INPUT_SEED) && !tcc_str_is(name, TCC_INPUT_OFFSET)) break;
    TCC_TRY(tcc_host_tensor_create(TCC_ELEM_I64, 0, NULL, &inputs[*ninputs]));
    tcc_elem_store_i64(TCC_ELEM_I64, inputs[(*ninputs)++]->data, 0, 0);
  }
  return NULL;
}

static TccStatus *save_outputs(const char *dir, TccHostTensor *const *outputs, size_t n) {
  char path[4096];
  for (size_t k = 0; k < n; k++) {
    snprintf(path, sizeof path, "%s/output_%zu.npy", dir, k);
    TCC_TRY(tcc_host_tensor_write_npy(outputs[k], path));
  }
  return NULL;
}

/* Loads, runs the pipeline and the model on the inputs of one set. */
static TccStatus *run(const Job *job, const char *data, bool print_outputs) {
  TccIr *ir = tcc_ir_create();
  TccText diagnostics = {0};
  MlirOperation op = {NULL};
  TccHostTensor *inputs[MAX_INPUTS] = {NULL}, **outputs = NULL;
  size_t ninputs = job->ninputs, noutputs = 0;
  TccStatus *status = NULL;
  TccHostTensors files = {0};
  memcpy(inputs, job->inputs, sizeof inputs);
  mlirContextAttachDiagnosticHandler(ir->context, collect, &diagnostics, NULL);
  char *dir = strdup(job->model), *slash = strrchr(dir, '/');
  if (slash) *slash = 0;
  if (data) TCC_GOTO(tcc_host_tensors_read_folder(data, "input", &files));
  while (ninputs < files.count && ninputs < MAX_INPUTS) { /* the first ones may be those of --input */
    inputs[ninputs] = files.tensors[ninputs];
    files.tensors[ninputs++] = NULL;
  }
  TCC_GOTO(load(ir, job->model, inputs, ninputs, &files, job->parameters, &diagnostics, &op));
  TCC_GOTO(add_seed(op, inputs, &ninputs));
  TccPipelineOptions pipeline = {.target = &target, .verify_each = true};
  if (mlirLogicalResultIsFailure(tcc_pipeline_run(ir, op, tcc_str(job->pipeline), &pipeline))) {
    status = diagnosed(&diagnostics, TCC_INTERNAL);
    goto done;
  }
  if (job->print) mlirOperationPrint(op, print_text, NULL);
  if (job->gradcheck) { /* numbers in formulas are rounded to the types of the model */
    status = gradcheck_module(ir, op, slash ? dir : ".", inputs, ninputs, 1e-6);
    if (!status) printf("the derivatives agree\n");
    goto done;
  }
  TCC_GOTO(tcc_interpret(ir, op, tcc_str(job->function), slash ? dir : ".", (const TccHostTensor *const *)inputs, ninputs, &outputs,
                         &noutputs));
  for (size_t k = 0; print_outputs && k < noutputs; k++) print_tensor(k, outputs[k], job->digits);
  if (job->save) TCC_GOTO(save_outputs(job->save, outputs, noutputs));
  if (job->check && data) status = check_outputs(data, outputs, noutputs);
done:
  for (size_t k = 0; k < noutputs; k++) tcc_host_tensor_destroy(outputs[k]);
  for (size_t k = job->ninputs; k < ninputs; k++) tcc_host_tensor_destroy(inputs[k]);
  free(outputs);
  free(dir);
  tcc_host_tensors_clear(&files);
  if (!mlirOperationIsNull(op)) mlirOperationDestroy(op);
  tcc_ir_destroy(ir);
  tcc_text_destroy(&diagnostics);
  return status;
}

/* ---- suite ---- */
typedef struct {
  size_t passed, failed, skipped;
} Count;

/* All data sets of one case, in this process. */
static TccStatus *run_case(Job job, const char *dir) {
  char data[4096];
  for (int k = 0;; k++) {
    snprintf(data, sizeof data, "%s/test_data_set_%d", dir, k);
    if (access(data, R_OK)) return k ? NULL : TCC_ERROR(TCC_NOT_FOUND, "no test_data_set_0");
    TCC_TRY(run(&job, data, false));
  }
}

static void suite_case(const Job *suite, const char *dir, const char *name, Count *count) {
  int ends[2];
  char line[2048] = "", path[4096];
  snprintf(path, sizeof path, "%s/model.onnx", dir);
  if (pipe(ends)) return;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Job job = *suite;
    job.model = path;
    job.check = true;
    TccStatus *status = run_case(job, dir);
    if (status) {
      dprintf(ends[1], "%.1900s", tcc_status_message(status));
      _exit(tcc_status_code(status) == TCC_UNSUPPORTED ? 2 : 1);
    }
    _exit(0);
  }
  close(ends[1]);
  size_t used = 0;
  ssize_t n;
  while (used + 1 < sizeof line && (n = read(ends[0], line + used, sizeof line - 1 - used)) > 0) used += (size_t)n;
  line[used] = 0;
  close(ends[0]);
  int state = 0;
  waitpid(child, &state, 0);
  for (char *c = line; *c; c++)
    if (*c == '\n') *c = ' ';
  if (WIFSIGNALED(state)) {
    printf("FAIL %s: signal %d (%s)\n", name, WTERMSIG(state), strsignal(WTERMSIG(state)));
    count->failed++;
  } else if (WEXITSTATUS(state) == 0) {
    printf("PASS %s\n", name);
    count->passed++;
  } else if (WEXITSTATUS(state) == 2) {
    printf("UNSUPPORTED %s: %s\n", name, line);
    count->skipped++;
  } else {
    printf("FAIL %s: %s\n", name, line);
    count->failed++;
  }
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static void suite_walk(const Job *job, const char *dir, const char *name, Count *count) {
  char path[4096];
  snprintf(path, sizeof path, "%s/model.onnx", dir);
  if (!access(path, R_OK)) {
    suite_case(job, dir, name, count);
    return;
  }
  struct dirent **entries;
  int n = scandir(dir, &entries, NULL, by_name);
  for (int i = 0; i < n; i++) {
    if (entries[i]->d_name[0] != '.' && entries[i]->d_type == DT_DIR) {
      snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
      suite_walk(job, path, entries[i]->d_name, count);
    }
    free(entries[i]);
  }
  if (n >= 0) free(entries);
}

int main(int argc, char **argv) {
  const char *gradcheck_op = NULL, *twin_target = NULL;
  int64_t every = 1;
  Job job = {.function = "", .pipeline = "tcc-verify,tcc-gradient", .digits = 6};
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  for (TccArg arg; (arg = tcc_args_next(&args)).option != TCC_ARG_END;) {
    switch (arg.option) {
    case OPTION_DATA: job.data = arg.value; break;
    case OPTION_PIPELINE: job.pipeline = arg.value; break;
    case OPTION_CHECK: job.check = true; break;
    case OPTION_SUITE: job.suite = arg.value; break;
    case OPTION_FUNCTION: job.function = arg.value; break;
    case OPTION_KEEP: kept = arg.value; break;
    case OPTION_PRINT: job.print = true; break;
    case OPTION_SAVE: job.save = arg.value; break;
    case OPTION_GRADCHECK: job.gradcheck = true, gradcheck_op = arg.value; break;
    case OPTION_TARGET: twin_target = arg.value; break;
    case OPTION_EVERY:
      if ((every = tcc_arg_integer(&command, &arg)) < 1) tcc_usage_error(&command, "--every must be 1 at least");
      break;
    case OPTION_PARAMETERS: job.parameters = true; break;
    case OPTION_DIGITS: job.digits = (int)tcc_arg_integer(&command, &arg); break;
    case OPTION_INPUT: {
      if (job.ninputs == MAX_INPUTS) tcc_usage_error(&command, "more than %d inputs", MAX_INPUTS);
      TccStatus *status = parse_input(arg.value, &job.inputs[job.ninputs]);
      if (status) return tcc_exit_status(&command, status);
      job.ninputs++;
      break;
    }
    case TCC_ARG_FILE: job.model = arg.value; break;
    default: break;
    }
  }
  if (job.suite) {
    Count count = {0};
    suite_walk(&job, job.suite, job.suite, &count);
    printf("%zu passed, %zu failed, %zu skipped\n", count.passed, count.failed, count.skipped);
    return count.failed ? TCC_EXIT_FAILED : TCC_EXIT_OK;
  }
  if (twin_target && (!job.gradcheck || job.model)) tcc_usage_error(&command, "--target goes with --gradcheck of ops");
  if (twin_target) return gradcheck_twins(gradcheck_op, twin_target, (size_t)every) ? TCC_EXIT_OK : TCC_EXIT_FAILED;
  if (job.gradcheck && !job.model) return gradcheck_ops(gradcheck_op) ? TCC_EXIT_OK : TCC_EXIT_FAILED;
  if (!job.model) tcc_usage_error(&command, "no model is given");
  int code = tcc_exit_status(&command, run(&job, job.data, !job.check));
  for (size_t k = 0; k < job.ninputs; k++) tcc_host_tensor_destroy(job.inputs[k]);
  return code;
}
