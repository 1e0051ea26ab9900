/* tcc-run.c - runs a model or an artifact on data, checks the results, measures.
 *
 * Links the run-time alone; the compiler library is loaded when the compile cache has no artifact for the model. */
#include "run.h"
#include "tcc/clock.h"
#include "tcc/file.h"
#include "tcc/plan.h"
#include "tools/common.h"
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  OPT_DATA = TCC_OPT_SHARED,
  OPT_THEN,
  OPT_INPUT,
  OPT_RANDOM,
  OPT_DIM,
  OPT_TIE,
  OPT_CHECK,
  OPT_RTOL,
  OPT_ATOL,
  OPT_SAVE,
  OPT_NO_PACKED,
  OPT_EXPLAIN_CACHE,
  OPT_BENCH,
  OPT_PROFILE,
  OPT_TRACE,
  OPT_REPORT,
  OPT_SUITE,
  OPT_VERIFY,
  OPT_SEED,
  OPT_EMULATE,
  OPT_COMPARE,
};
static const TccOption table[] = {
    TCC_COMPILE_OPTIONS,
    TCC_FREEZE_OPTION,
    [OPT_DATA] = {"--data", "DIR", "a directory with input_K.pb or .npy, and output_K.pb or .npy to compare with"},
    [OPT_THEN] =
        {"--then", "DIR",
         "with --data: a further run, on the inputs there, that finds the model's states as the\none before left them; --check and --save look at "
         "the last one"},
    [OPT_INPUT] = {"--input", "NAME=FILE", "one input by name"},
    [OPT_RANDOM] = {"--random", "[=SEED]", "made-up inputs: floats in [-1, 1), integers 0 or 1"},
    [OPT_DIM] = {"--dim", "NAME=N", "a symbolic size: of made-up inputs, and where the model can only be compiled for a constant"},
    [OPT_TIE] =
        {"--tie", "OUTPUT=INPUT",
         "the output is written in place of that input, as a cache that each run adds to; * in both stands\nfor the same text: "
         "--tie='present_*=past_*'"},
    [OPT_CHECK] =
        {"--check", NULL,
         "exit 1 and say where, if outputs differ from those of --data; a tolerance.json\nin DIR or beside it is used if present"},
    [OPT_RTOL] =
        {"--rtol", "R",
         "relative tolerance of --check, default 1e-3, of f16 2e-3, of bf16 0.016, of integers 0;\nno tolerance.json then"},
    [OPT_ATOL] = {"--atol", "A",
                  "absolute tolerance of --check, default R times the RMS of the expected output;\nno tolerance.json then"},
    [OPT_SAVE] = {"--save", "DIR", "write outputs as output_K.npy (bfloat16 as uint16 bit patterns)"},
    [OPT_NO_PACKED] = {"--no-packed-cache", NULL, "neither read nor write packed weights in the cache folder"},
    [OPT_EXPLAIN_CACHE] = {"--explain-cache", NULL, "say what the compile cache did and which part of the key changed"},
    [OPT_BENCH] = {"--bench", "[=SECONDS]", "warm up, then run; print the median, p10, p90 of one run in milliseconds"},
    [OPT_PROFILE] =
        {"--profile", "[=time]",
         "print the time of each kernel, the median of some runs after a first one, in the order of the run or (time)\nthe longest "
         "first; their shares, operations and bytes a second and what part of the machine's that is;\nsums by kernel and kind, and the memory between them"},
    [OPT_TRACE] =
        {"--trace", "FILE",
         "run some times and write what each thread did when, for Perfetto or chrome://tracing (JSON): kernels\nwith their nodes "
         "and tiles, and waits"},
    [OPT_REPORT] = {"--report", "FILE", "write times, sizes, kernels, regions and cache use as JSON"},
    [OPT_VERIFY] =
        {"--verify-weights", "HOW",
         "how an artifact knows the weights that it was compiled with: samples (default);\nlayout: other weights may be in "
         "their places; full: all bytes"},
    [OPT_SEED] = {"--seed", "N", "of a model that draws random numbers, default 0: the same numbers for the same N"},
    [OPT_EMULATE] = {"--emulate", NULL,
                     "kernels of nvptx run in an emulator, which checks each access; of a build tree, not installed"},
    [OPT_COMPARE] =
        {"--compare", "WAY",
         "run once, comparing each kernel's results with what another WAY makes of the same operands:\ninterp: the interpreter, in f64; "
         "reference: that target; eager: numerics eager. Exit 1 and say which\nkernel is the first beyond --rtol and --atol, and of which node; "
         "--save=DIR keeps it with its operands"},
    [OPT_SUITE] =
        {"--suite", "DIR",
         "every ONNX backend-test case under DIR: a line each, then 'N passed, N failed, N skipped'; tolerances are ONNX's own,\n"
         "--rtol=1e-3 and --atol=1e-7, unless they are given"},
};
static const TccCommand command = {
    .name = "tcc-run",
    .usage = "MODEL|ARTIFACT [options]",
    .summary = "Runs a model or an artifact of tcc-compile.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .takes_models = true,
};

/* ---- options ---- */
static TccVerify parse_verify(const TccArg *arg) {
  static const char *const words[] = {[TCC_VERIFY_SAMPLES] = "samples", [TCC_VERIFY_LAYOUT] = "layout", [TCC_VERIFY_FULL] = "full"};
  return (TccVerify)tcc_arg_word(&command, arg, words, sizeof words / sizeof *words);
}

static RunCompareWay parse_compare(const TccArg *arg) {
  static const char *const words[] = {"interp", "reference", "eager"};
  return (RunCompareWay)(RUN_COMPARE_INTERP + tcc_arg_word(&command, arg, words, sizeof words / sizeof *words));
}

static void add_then(RunOptions *o, const char *directory) {
  o->then = tcc_check_memory(&command, realloc(o->then, (o->nthen + 1) * sizeof *o->then));
  o->then[o->nthen++] = directory;
}

/* An option that --suite does not go with; NULL: none was given. */
static const char *alone(const RunOptions *o) {
  return o->data                                        ? "--data"
         : o->compile.ninputs                           ? "--input"
         : o->compile.ndims                             ? "--dim"
         : o->compile.nties                             ? "--tie"
         : o->random                                    ? "--random"
         : o->save                                      ? "--save"
         : o->bench                                     ? "--bench"
         : o->profile                                   ? "--profile"
         : o->trace                                     ? "--trace"
         : o->report                                    ? "--report"
         : o->compare                                   ? "--compare"
         : o->compile.weights_dir || o->compile.weights ? "--weights"
         : o->explain_cache                             ? "--explain-cache"
                                                        : NULL;
}

/* Options that do not go together, or lack another. */
static void check_options(const RunOptions *o) {
  if (o->suite && o->model) tcc_usage_error(&command, "--suite takes no model");
  if (!o->suite && !o->model) tcc_usage_error(&command, "a model or an artifact is needed; see tcc-run --help");
  if (o->nthen && !o->data) tcc_usage_error(&command, "--then needs --data");
  if (o->nthen && (o->bench || o->profile)) tcc_usage_error(&command, "--then does not go with --bench and --profile");
  if (o->compare && (o->bench || o->profile || o->nthen || o->compile.freeze || o->report))
    tcc_usage_error(&command, "--compare does not go with --bench, --profile, --report, --then and --freeze");
  if (o->trace && (o->bench || o->profile || o->compare))
    tcc_usage_error(&command, "--trace does not go with --bench, --profile and --compare");
  tcc_check_output(&command, "--report", o->report, o->model, "the model");
  tcc_check_output(&command, "--trace", o->trace, o->model, "the model");
  const bool device = o->compile.target && strncmp(o->compile.target, "nvptx", strlen("nvptx")) == 0;
  if (o->emulate && !device && !tcc_is_artifact(o->model ? o->model : ""))
    tcc_usage_error(&command, "--emulate is for kernels of a GPU: --target=nvptx");
  if (o->check && !o->data && !o->suite) tcc_usage_error(&command, "--check needs --data");
  if ((o->rtol >= 0 || o->atol >= 0) && !o->check && !o->suite && !o->compare)
    tcc_usage_error(&command, "--rtol and --atol go with --check and --compare");
  if (o->suite && alone(o)) tcc_usage_error(&command, "--suite takes no %s: each case has its own model and data", alone(o));
}

static bool is_for_models(int option) { return option == OPT_TIE || tcc_option_is_for_models(option); }

static _Noreturn void refuse_compiled(const char *artifact) {
  const char *names[sizeof table / sizeof *table];
  size_t count = 0;
  TccText list = {0};
  for (int i = 0; i < (int)(sizeof table / sizeof *table); i++)
    if (is_for_models(i)) names[count++] = table[i].name;
  tcc_text_put_words(&list, names, count, "and");
  tcc_usage_error(&command, "%s is compiled: %s are for models", artifact, list.data);
}

static void parse(int argc, char **argv, RunOptions *o) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  *o = (RunOptions){.rtol = -1, .atol = -1, .bench_seconds = 2, .compile.progress = tcc_progress};
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    /* reduce-overhead is a way to run: it makes the same artifact */
    if (arg.option != TCC_OPT_MODE || strcmp(arg.value, "reduce-overhead") != 0) o->for_models |= is_for_models(arg.option);
    if (tcc_compile_option(&command, &arg, &o->compile)) continue;
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (o->model) tcc_usage_error(&command, "one model at a time: '%s' and '%s'", o->model, arg.value);
      o->model = arg.value;
      break;
    case OPT_DATA: o->data = arg.value; break;
    case OPT_THEN: add_then(o, arg.value); break;
    case OPT_INPUT: tcc_add_input(&command, &arg, &o->compile); break;
    case OPT_RANDOM:
      o->random = true;
      if (arg.value) o->seed = (uint64_t)tcc_arg_integer(&command, &arg);
      break;
    case OPT_DIM: tcc_add_dim(&command, &arg, &o->compile); break;
    case OPT_TIE: tcc_add_tie(&command, &arg, &o->compile); break;
    case OPT_CHECK: o->check = true; break;
    case OPT_RTOL: o->rtol = tcc_arg_number(&command, &arg); break;
    case OPT_ATOL: o->atol = tcc_arg_number(&command, &arg); break;
    case OPT_SAVE: o->save = arg.value; break;
    case OPT_NO_PACKED: o->no_packed = true; break;
    case OPT_EXPLAIN_CACHE: o->explain_cache = true; break;
    case OPT_BENCH:
      o->bench = true;
      if (arg.value) o->bench_seconds = tcc_arg_number(&command, &arg);
      break;
    case OPT_PROFILE:
      o->profile = true;
      o->profile_by_time = profile_parse(&command, &arg);
      break;
    case OPT_TRACE: o->trace = arg.value; break;
    case OPT_REPORT: o->report = arg.value; break;
    case OPT_VERIFY: o->verify = parse_verify(&arg); break;
    case OPT_SEED: o->random_seed = tcc_arg_integer(&command, &arg); break;
    case OPT_EMULATE: o->emulate = true; break;
    case OPT_COMPARE: o->compare = parse_compare(&arg); break;
    case OPT_SUITE: o->suite = arg.value; break;
    }
  }
  check_options(o);
}

/* ---- one session: model, context, inputs ---- */
typedef struct {
  TccModel *model;
  TccContext *context;
  TccHostTensors data, inputs;
  TccTensor *input_tensors, *outputs;
  TccOpenReport open;
  TccText explain;
  double first_run_ms, keep_ms;
  Profile profile;
  RunTrace trace;
  RunCompare *compare;
  bool kept; /* packed weights are in the cache */
} Session;

static void close_session(Session *s) {
  tcc_host_tensors_clear(&s->data);
  tcc_host_tensors_clear(&s->inputs);
  free(s->input_tensors);
  free(s->outputs);
  tcc_context_destroy(s->context);
  tcc_model_destroy(s->model);
  tcc_text_destroy(&s->explain);
  tcc_open_report_destroy(&s->open);
  profile_destroy(&s->profile);
  run_trace_destroy(&s->trace);
  run_compare_destroy(s->compare);
}

typedef char Number[24];
typedef struct {
  TccCompileInput *inputs;
  TccCompileDim *dims;
  Number *numbers; /* names of these */
} Known;

static void free_known(Known *known) {
  free(known->inputs);
  free(known->dims);
  free(known->numbers);
}

/* What is known of inputs before compiling: files given by name, then the data directory's by position; a list's length is a size. */
static TccStatus *compile_inputs(const TccHostTensors *data, TccCompileOptions *compile, Known *known) {
  size_t ninputs = compile->ninputs, ndims = compile->ndims;
  known->inputs = calloc(data->count + ninputs + 1, sizeof *known->inputs);
  known->dims = calloc(data->files + ndims + 1, sizeof *known->dims);
  known->numbers = calloc(data->count + data->files + 1, sizeof *known->numbers);
  if (!known->inputs || !known->dims || !known->numbers) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  char (*number)[sizeof(Number)] = known->numbers;
  for (size_t i = 0; i < ninputs; i++) known->inputs[i] = compile->inputs[i];
  for (size_t i = 0; i < ndims; i++) known->dims[i] = compile->dims[i];
  for (size_t i = 0; i < data->count; i++) { /* a name in the file need not be the model's */
    snprintf(*number, sizeof *number, "#%zu", i);
    known->inputs[ninputs++] = (TccCompileInput){*number++, data->tensors[i]};
  }
  for (size_t i = 0; i < data->files; i++) {
    if (data->lengths[i] < 0) continue;
    snprintf(*number, sizeof *number, "#%zu", i);
    known->dims[ndims++] = (TccCompileDim){*number++, data->lengths[i]};
  }
  compile->inputs = known->inputs;
  compile->ninputs = ninputs;
  compile->dims = known->dims;
  compile->ndims = ndims;
  return NULL;
}

static TccStatus *run_once(Session *s) {
  size_t noutputs = tcc_model_output_count(s->model);
  memset(s->outputs, 0, noutputs * sizeof *s->outputs);
  const double begin = tcc_now_ms();
  TCC_TRY(tcc_context_run(s->context, s->input_tensors, s->inputs.count, s->outputs, noutputs));
  run_trace_run(&s->trace, begin, tcc_now_ms());
  return NULL;
}

static TccStatus *take_inputs(Session *s, const RunOptions *options) {
  TCC_TRY(run_make_inputs(s->model, s->open.artifact, options, &s->data, &s->inputs));
  for (size_t i = 0; i < s->inputs.count; i++) s->input_tensors[i] = run_tensor_of(s->inputs.tensors[i]);
  return NULL;
}

/* Runs again on the data of --then, one directory after the other; *options then has the last one as its data. */
static TccStatus *run_then(Session *s, RunOptions *options) {
  for (size_t i = 0; i < options->nthen; i++) {
    options->data = options->then[i];
    tcc_host_tensors_clear(&s->data);
    tcc_host_tensors_clear(&s->inputs);
    s->data = s->inputs = (TccHostTensors){0};
    TCC_TRY(tcc_host_tensors_read_folder(options->data, "input", &s->data));
    TCC_TRY(take_inputs(s, options));
    TCC_TRY(tcc_status_context(run_once(s), "%s", options->data));
  }
  return NULL;
}

static TccStatus *open_session(const RunOptions *options, Session *s) {
  Known known = {0};
  TccCompileOptions compile = options->compile;
  TccLoadOptions load = {.threads = options->compile.threads,
                         .weights_dir = options->compile.weights_dir,
                         .verify = options->verify,
                         .cache = !options->compile.no_cache && !options->no_packed};
  TccContextOptions context = {.threads = options->compile.threads,
                               .profile = options->profile ? profile_take : NULL,
                               .user = &s->profile,
                               .trace = options->trace ? run_trace_take : NULL,
                               .trace_user = &s->trace,
                               .graphs = options->compile.mode == TCC_MODE_REDUCE_OVERHEAD};
  TccStatus *status = NULL, *unread = NULL;
  if (options->data) unread = tcc_host_tensors_read_folder(options->data, "input", &s->data);
  TCC_GOTO(compile_inputs(&s->data, &compile, &known));
  /* A model that is not supported is said to be so, whatever its data is. */
  status = options->compare
               ? run_compare_open(options, &compile, &load, &s->model, &s->compare)
               : tcc_model_open(options->model, &compile, &load, &s->model, &s->open, options->explain_cache ? &s->explain : NULL);
  tcc_progress(NULL, NULL);
  tcc_text_put(&s->explain, "", 0); /* ends where the text has failed */
  if (options->explain_cache && s->explain.length) fprintf(stderr, "%s", s->explain.data);
  if (status) goto done;
  if (s->open.artifact && options->for_models) refuse_compiled(options->model);
  const TccModelInfo *info = tcc_model_info(s->model);
  if (options->emulate && s->open.artifact && info->kernels_unique && !info->on_device)
    tcc_usage_error(&command, "%s is compiled for a CPU: --emulate is for kernels of a GPU", options->model);
  if (options->explain_cache)
    fprintf(stderr, "packed weights: %zu bytes %s\n", tcc_model_info(s->model)->packed_bytes,
            tcc_model_info(s->model)->packed_mapped ? "mapped" : "made");
  status = unread;
  unread = NULL;
  if (status) goto done;
  s->input_tensors = calloc(tcc_model_input_count(s->model) + 1, sizeof *s->input_tensors);
  s->outputs = calloc(tcc_model_output_count(s->model) + 1, sizeof *s->outputs);
  if (!s->input_tensors || !s->outputs) TCC_GOTO(TCC_ERROR(TCC_NO_MEMORY, "out of memory"));
  TCC_GOTO(take_inputs(s, options));
  if (s->compare) run_compare_watch(s->compare, &context);
  TCC_GOTO(tcc_context_create(s->model, &context, &s->context));
  double start = tcc_now_ms();
  TCC_GOTO(run_once(s));
  s->first_run_ms = tcc_now_ms() - start;
done:
  tcc_status_destroy(unread);
  free_known(&known);
  return status;
}

TccStatus *run_case(const RunOptions *options) {
  Session session = {0};
  TccStatus *status = open_session(options, &session);
  if (!status) status = run_check(session.model, options, session.outputs, tcc_model_output_count(session.model));
  close_session(&session);
  return status;
}

/* ---- measuring ---- */
/* A run that finds the states as the first one did. */
static TccStatus *run_first(Session *s) {
  TCC_TRY(tcc_context_state_reset(s->context, NULL));
  return run_once(s);
}

typedef struct {
  double median, p10, p90;
  size_t n;
} Timing;

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Warms up for a tenth of the time, at least three runs; measures at least five, and no more than fit into the time. */
static TccStatus *measure(Session *s, double seconds, Timing *out) {
  enum { LIMIT = 1000000 };
  double *times = malloc(LIMIT * sizeof *times), start = tcc_now_ms();
  if (!times) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  TccStatus *status = NULL;
  for (size_t i = 0; !status && (i < 3 || tcc_now_ms() - start < seconds * 100); i++) status = run_first(s);
  start = tcc_now_ms();
  for (out->n = 0; !status && out->n < LIMIT && (out->n < 5 || tcc_now_ms() - start < seconds * 1000);) {
    status = tcc_context_state_reset(s->context, NULL); /* each begins as the first */
    double begin = tcc_now_ms();
    if (!status) status = run_once(s);
    times[out->n++] = tcc_now_ms() - begin;
  }
  qsort(times, out->n, sizeof *times, by_value);
  out->median = times[out->n / 2];
  out->p10 = times[out->n / 10];
  out->p90 = times[out->n * 9 / 10];
  free(times);
  return status;
}

/* ---- the report ---- */
static TccStatus *write_report(const char *path, const Session *s, const Timing *timing) {
  const TccModelInfo *info = tcc_model_info(s->model);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  size_t arena, live;
  tcc_context_arena(s->context, &arena, &live);
  json_t *regions = json_array(), *phases = json_array();
  for (size_t i = 0; i < info->region_count; i++)
    json_array_append_new(
        regions, json_pack("{s:I,s:I}", "calls", (json_int_t)info->regions[i].calls, "ops", (json_int_t)info->regions[i].ops));
  for (size_t i = 0; i < s->open.nphases; i++)
    json_array_append_new(phases, json_pack("{s:s,s:f}", "name", s->open.phases[i].name, "ms", s->open.phases[i].ms));
  json_t *root = json_pack(
      "{s:f,s:f,s:f,s:f,s:{s:f,s:f,s:f,s:I},s:f,s:{s:I,s:I},s:I,s:{s:I,s:I},s:o,s:{s:I,s:I},s:o,s:{s:I,s:b,s:b,s:f},s:s,s:s}",
      "import_ms", s->open.import_ms, "compile_ms", s->open.compile_ms, "load_ms", s->open.load_ms, "first_run_ms", s->first_run_ms,
      "run_ms", "median", timing->median, "p10", timing->p10, "p90", timing->p90, "n", (json_int_t)timing->n, "peak_rss_mb",
      (double)usage.ru_maxrss / 1024, "arena", "bytes", (json_int_t)arena, "live", (json_int_t)live, "artifact_bytes",
      (json_int_t)info->artifact_bytes, "kernels", "launched", (json_int_t)info->kernels_launched, "unique",
      (json_int_t)info->kernels_unique, "regions", regions, "cache", "hits", (json_int_t)s->open.cache_hits, "misses",
      (json_int_t)s->open.cache_misses, "phases", phases, "packed", "bytes", (json_int_t)info->packed_bytes, "mapped",
      info->packed_mapped, "kept", s->kept, "keep_ms", s->keep_ms, "target", info->target, "machine", info->machine);
  profile_add_json(&s->profile, root);
  return profile_write_json(root, path);
}

/* Beside the least that any plan for this order of kernels could do with. */
static void print_memory(const Session *s) {
  size_t arena, live;
  tcc_context_arena(s->context, &arena, &live);
  if (live)
    printf("%zu bytes for intermediate results, of which %zu are alive at once: %.2f\n", arena, live, (double)arena / (double)live);
}

static void print_shapes(const Session *s) {
  for (size_t i = 0; i < tcc_model_output_count(s->model); i++) {
    printf("output %zu '%s': %s[", i, tcc_model_output(s->model, i)->name, tcc_elem_name(tcc_dtype_elem(s->outputs[i].dtype)));
    for (int32_t axis = 0; axis < s->outputs[i].rank; axis++)
      printf("%s%lld", axis ? "x" : "", (long long)s->outputs[i].shape[axis]);
    printf("]\n");
  }
}

/* A compilation takes some 20 MB of each thread's heap, small piece by small piece, and gives them back as often: heaps that grow by
 * a few pages and shrink again spent a tenth of a cold start in the kernel. What is large still is a mapping of its own. */
static void keep_heaps(void) {
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_MMAP_THRESHOLD, 2 << 20);
}

/* The look-alike of CUDA's driver in the build tree, as a chip of the target's name. What the environment says goes first. */
static void use_emulator(const char *target) {
  char path[PATH_MAX], library[PATH_MAX + 40];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  for (int i = 0; i < 2 && strrchr(path, '/'); i++) *strrchr(path, '/') = 0;
  snprintf(library, sizeof library, "%s/test/emulate/libcuda.so.1", path);
  if (!getenv("TCC_CUDA_LIBRARY") && access(library, R_OK) != 0) tcc_usage_error(&command, "--emulate: there is no %s", library);
  setenv("TCC_CUDA_LIBRARY", library, 0);
  const char *chip = target ? strstr(target, ",sm_") : NULL;
  if (chip) setenv("TCC_EMULATE_CHIP", chip + 1, 0);
}

int main(int argc, char **argv) {
  RunOptions options;
  keep_heaps();
  parse(argc, argv, &options);
  if (options.emulate) use_emulator(options.compile.target);
  if (options.suite) return run_suite(&options);
  Session session = {0};
  Timing timing = {0};
  TccStatus *status = NULL;
  if (options.report) TCC_GOTO(tcc_file_check_name(options.report)); /* said before the work, not behind it */
  if (options.trace) TCC_GOTO(tcc_file_check_name(options.trace));
  TCC_GOTO(open_session(&options, &session));
  TCC_GOTO(run_then(&session, &options));
  size_t count = tcc_model_output_count(session.model);
  timing = (Timing){session.first_run_ms, session.first_run_ms, session.first_run_ms, 1};
  if (!options.check && !options.save && !options.bench && !options.profile && !options.compare) print_shapes(&session);
  if (options.compare) TCC_GOTO(run_compare_print(session.compare));
  if (options.save && !options.compare) TCC_GOTO(run_save(options.save, session.outputs, count));
  if (options.check) {
    TCC_GOTO(run_check(session.model, &options, session.outputs, count));
    printf("ok: %zu %s\n", count, count == 1 ? "output matches" : "outputs match");
  }
  if (options.bench) {
    TCC_GOTO(measure(&session, options.bench_seconds, &timing));
    printf("median %.4f ms, p10 %.4f ms, p90 %.4f ms (%zu runs)\n", timing.median, timing.p10, timing.p90, timing.n);
  }
  if (options.trace) {
    for (int i = 0; i < RUN_TRACE_RUNS; i++) TCC_GOTO(run_first(&session));
    TCC_GOTO(run_trace_write(&session.trace, options.trace));
  }
  if (options.profile) {
    double began = tcc_now_ms();
    for (int i = 0; i < PROFILE_RUNS && (i == 0 || tcc_now_ms() - began < 1000); i++) TCC_GOTO(run_first(&session));
    if (!tcc_model_info(session.model)->on_device) profile_measure_machine(&session.profile, options.compile.threads);
    TCC_GOTO(profile_print(&session.profile, options.profile_by_time));
    print_memory(&session);
  }
  fflush(stdout);
  double start = tcc_now_ms();
  session.kept = tcc_model_keep(session.model);
  session.keep_ms = tcc_now_ms() - start;
  if (options.report) TCC_GOTO(write_report(options.report, &session, &timing));
done:
  close_session(&session);
  free(options.then);
  tcc_compile_options_free(&options.compile);
  return tcc_exit_status(&command, status);
}
