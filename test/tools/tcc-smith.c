/* tcc-smith.c - test tool: random valid modules over the op table, compiled in several ways and compared with the interpreter.
 *
 * Each seed is a process of its own under a time limit, so that one that crashes or hangs is one line of the report. All are children of
 * one that has compiled something before: what MLIR and LLVM set up once need not be set up again. Most of a seed's time goes into code
 * generation, and most ways give the same code: a seed has a compile cache of its own. What the code generator optimises is seldom at
 * fault: three quarters of the seeds do without. What fails is kept as a model with data: tcc-run
 * DIR/model.mlir --data=DIR --check, with the options that the line has; tcc-reduce makes it smaller. */
#include "tcc/compile.h"
#include "tcc/file.h"
#include "tcc/interp.h"
#include "test/tools/smith/graph.h"
#include "tools/common.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPTION_FIRST, OPTION_COUNT, OPTION_OPS, OPTION_KEEP, OPTION_PRINT, OPTION_ALL, OPTION_DEVICE, OPTION_SECONDS };
static const TccOption options[] = {
    {"--first", "SEED", "the first seed; 1"},
    {"--count", "N", "how many seeds; 100"},
    {"--ops", "N", "ops of a module, about; 12"},
    {"--keep", "DIR", "a folder for what fails"},
    {"--print", NULL, "print the module of the first seed, and stop"},
    {"--all", NULL, "each seed in every way; otherwise as it is and in one more"},
    {"--device", NULL,
     "for NVIDIA GPUs instead, of two generations in turn, or of both with --all; TCC_CUDA_LIBRARY may be an emulator's"},
    {"--seconds", "N", "that a seed may take; 300"},
};
static const TccCommand command = {"tcc-smith", "[OPTIONS]", "Compares compiled random modules with the interpreter.", options,
                                   sizeof options / sizeof *options};

typedef struct {
  int64_t first, count, ops, seconds;
  const char *keep;
  bool print, all, device;
  TccIr *ir;
  char cache[64]; /* the folder of the seed's compile cache */
} Job;

/* The ways in which a module is compiled and run; options as tcc-run has them. */
typedef struct {
  const char *name, *target;
  unsigned threads;
  bool no_dedup;
  TccNumerics numerics;
  bool wide_only; /* the target has no values of 4 or 2 bits and no floats of 8 */
} Way;
static const Way ways[] = {
    {"--threads=1", NULL, 1, false, TCC_NUMERICS_FAST},
    {"--target=x86,x86-64-v3 --threads=3", "x86,x86-64-v3", 3, false, TCC_NUMERICS_FAST},
    {"--no-dedup --threads=2", NULL, 2, true, TCC_NUMERICS_FAST},
    {"--numerics=direct --threads=8", NULL, 8, false, TCC_NUMERICS_DIRECT},
    {"--target=x86,l1=16K,l2=128K,cores=3 --threads=3", "x86,l1=16K,l2=128K,cores=3", 3, false, TCC_NUMERICS_FAST},
    {"--target=reference", "reference", 1, false, TCC_NUMERICS_FAST, true},
};
static const Way devices[] = {
    {"--target=nvptx,sm_90a", "nvptx,sm_90a", 1, false, TCC_NUMERICS_FAST},
    {"--target=nvptx,sm_80", "nvptx,sm_80", 1, false, TCC_NUMERICS_FAST},
    {"--target=nvptx,sm_90a --numerics=direct", "nvptx,sm_90a", 1, false, TCC_NUMERICS_DIRECT},
};
enum { WAYS = sizeof ways / sizeof *ways, DEVICES = sizeof devices / sizeof *devices };

static TccTensor tensor_of(TccHostTensor *t) {
  return (TccTensor){
      .data = t->data, .device = {TCC_DEVICE_CPU, 0}, .rank = t->rank, .dtype = tcc_elem_dtype(t->elem), .shape = t->dims};
}

/* ---- what a module should give ---- */
static TccStatus *interpret(const SmithGraph *g, TccHostTensor ***out, size_t *out_count) {
  return tcc_module_interpret(tcc_text_str((TccText *)&g->module), 0, (const TccHostTensor *const *)g->inputs, g->ninputs, out,
                              out_count);
}

static TccStatus *compare(const SmithGraph *g, const TccTensor *outputs, TccHostTensor *const *expected) {
  for (size_t i = 0; i < g->noutputs; i++) {
    const SmithValue *value = &g->values[g->outputs[i]];
    const TccTolerance tolerance = {.rmse_limit = -1, .atol = 8 * value->error};
    TccHostTensor *got = NULL;
    TCC_TRY(tcc_host_tensor_create(tcc_dtype_elem(outputs[i].dtype), outputs[i].rank, outputs[i].shape, &got));
    if (got->bytes) memcpy(got->data, (char *)outputs[i].data + outputs[i].byte_offset, got->bytes);
    TccStatus *status = tcc_host_tensor_compare(got, expected[i], &tolerance);
    tcc_host_tensor_destroy(got);
    if (status) return tcc_status_context(status, "output %zu (%%%zu)", i, g->outputs[i]);
  }
  return NULL;
}

static TccStatus *run_way(const SmithGraph *g, const Way *way, TccEffort effort, TccHostTensor *const *expected) {
  const TccCompileOptions compile = {
      .target = way->target, .threads = 1, .no_dedup = way->no_dedup, .numerics = way->numerics, .effort = effort};
  const TccContextOptions context_options = {.threads = way->threads};
  TccCompileResult result;
  TccModel *model = NULL;
  TccContext *context = NULL;
  TccTensor inputs[SMITH_MAX_VALUES], outputs[SMITH_MAX_VALUES] = {0};
  for (size_t i = 0; i < g->ninputs; i++) inputs[i] = tensor_of(g->inputs[i]);
  TccStatus *status = tcc_compile_memory("model.mlir", tcc_text_str((TccText *)&g->module), &compile, &result);
  if (!status) status = tcc_model_load_memory(result.artifact.data, result.artifact.length, NULL, &model);
  if (!status) status = tcc_context_create(model, &context_options, &context);
  for (int turn = 0; turn < 2 && !status; turn++) { /* the second finds memory as the first left it */
    status = tcc_context_run(context, inputs, g->ninputs, outputs, g->noutputs);
    if (!status) status = compare(g, outputs, expected);
    memset(outputs, 0, sizeof outputs);
  }
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  tcc_compile_result_destroy(&result);
  return status;
}

/* ---- one seed ---- */
static TccStatus *keep_tensor(const char *folder, const char *stem, size_t i, const TccHostTensor *tensor) {
  TccText path = {0};
  tcc_text_printf(&path, "%s/%s_%zu.npy", folder, stem, i);
  TccStatus *status = tcc_host_tensor_write_npy(tensor, path.data);
  tcc_text_destroy(&path);
  return status;
}

/* KEEP/SEED: the module, its inputs, and what the interpreter makes of them if it does. */
static TccStatus *keep_model(const Job *job, int64_t seed, SmithGraph *g, TccHostTensor *const *expected, size_t nexpected) {
  char folder[4096], path[4200];
  snprintf(folder, sizeof folder, "%s/%lld", job->keep, (long long)seed);
  snprintf(path, sizeof path, "%s/model.mlir", folder);
  if ((mkdir(job->keep, 0777) != 0 && errno != EEXIST) || (mkdir(folder, 0777) != 0 && errno != EEXIST))
    return TCC_ERROR(TCC_IO, "%s: %s", folder, strerror(errno));
  TCC_TRY(tcc_file_write(path, g->module.data, g->module.length));
  for (size_t i = 0; i < g->ninputs; i++) TCC_TRY(keep_tensor(folder, "input", i, g->inputs[i]));
  for (size_t i = 0; i < nexpected; i++) TCC_TRY(keep_tensor(folder, "output", i, expected[i]));
  return NULL;
}

static void report(int64_t seed, const char *how, TccStatus *status) {
  printf("seed %lld, %s: %s\n", (long long)seed, how, tcc_status_message(status));
  tcc_status_destroy(status);
}

/* As it is, and in one more way; of devices in one. */
static bool is_chosen(const Job *job, int64_t seed, size_t way) {
  return job->device ? way == (size_t)seed % DEVICES : !way || way == 1 + (size_t)seed % (WAYS - 1);
}

enum { RIGHT, WRONG, UNSUPPORTED /* by a device: of others another target takes what one does not */ };

/* What is not right has been said. */
static int try_seed(const Job *job, int64_t seed) {
  SmithGraph g;
  TccHostTensor **expected = NULL;
  size_t nexpected = 0;
  bool failed = false, unsupported = false;
  const TccEffort effort = job->all || (uint64_t)seed / WAYS % 4 == 0 ? TCC_EFFORT_FULL : TCC_EFFORT_LITTLE;
  char how[160];
  TccStatus *status = smith_make(job->ir, (uint64_t)seed, (size_t)job->ops, &g);
  if (job->keep && !status) status = keep_model(job, seed, &g, NULL, 0); /* there if the process dies */
  if (!status) status = interpret(&g, &expected, &nexpected);
  if (status) report(seed, "interpreter", status), failed = true;
  for (size_t w = 0; w < (job->device ? DEVICES : WAYS) && !failed; w++) {
    const Way *way = job->device ? &devices[w] : &ways[w];
    if (!job->all && !is_chosen(job, seed, w)) continue;
    if (g.narrow && way->wide_only) continue;
    if ((status = run_way(&g, way, effort, expected))) {
      unsupported = job->device && tcc_status_code(status) == TCC_UNSUPPORTED;
      snprintf(how, sizeof how, "%s --effort=%s", way->name, tcc_effort_words[effort]);
      report(seed, how, status), failed = true;
      if (job->keep && (status = keep_model(job, seed, &g, expected, nexpected))) report(seed, "not kept", status);
    }
  }
  for (size_t i = 0; i < nexpected; i++) tcc_host_tensor_destroy(expected[i]);
  free(expected);
  smith_destroy(&g);
  fflush(stdout);
  return unsupported ? UNSUPPORTED : failed ? WRONG : RIGHT;
}

static void forget(const Job *job, int64_t seed) {
  char text[4200];
  if (!job->keep) return;
  for (const char *const *stem = (const char *const[]){"input", "output", NULL}; *stem; stem++)
    for (int i = 0; i < SMITH_MAX_VALUES; i++) {
      snprintf(text, sizeof text, "%s/%lld/%s_%d.npy", job->keep, (long long)seed, *stem, i);
      if (unlink(text) != 0) break;
    }
  snprintf(text, sizeof text, "%s/%lld/model.mlir", job->keep, (long long)seed);
  unlink(text);
  snprintf(text, sizeof text, "%s/%lld", job->keep, (long long)seed);
  rmdir(text);
}

/* Removes all files in a folder, and in those in it. */
static void clear(const char *folder) {
  char path[4200];
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (unlink(path) != 0) clear(path), rmdir(path);
  }
  if (dir) closedir(dir);
}

static int run_seed(const Job *job, int64_t seed) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm((unsigned)job->seconds);
    _exit(try_seed(job, seed));
  }
  int how = 0;
  if (child < 0 || waitpid(child, &how, 0) != child) {
    printf("seed %lld: no process: %s\n", (long long)seed, strerror(errno));
    return WRONG;
  }
  if (WIFSIGNALED(how))
    printf("seed %lld: %s\n", (long long)seed, WTERMSIG(how) == SIGALRM ? "out of time" : strsignal(WTERMSIG(how)));
  const int end = WIFEXITED(how) ? WEXITSTATUS(how) : WRONG;
  if (end != WRONG) forget(job, seed);
  clear(job->cache);
  return end;
}

static int print_module(const Job *job) {
  SmithGraph g;
  TccStatus *status = smith_make(job->ir, (uint64_t)job->first, (size_t)job->ops, &g);
  if (!status) fwrite(g.module.data, 1, g.module.length, stdout);
  smith_destroy(&g);
  tcc_ir_destroy(job->ir);
  return tcc_exit_status(&command, status);
}

/* A cache that seeds share the folder of, and what children find set up: a module of twelve ops, as x86 and reference compile it. */
static void warm_up(Job *job) {
  SmithGraph g;
  TccHostTensor **expected = NULL;
  size_t nexpected = 0;
  const char *tmp = getenv("TMPDIR"), *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : tmp && strlen(tmp) < 40 ? tmp : "/tmp";
  snprintf(job->cache, sizeof job->cache, "%s/tcc-smith-XXXXXX", folder);
  if (!mkdtemp(job->cache)) tcc_usage_error(&command, "%s: %s", job->cache, strerror(errno));
  setenv("TCC_CACHE_DIR", job->cache, 1);
  TccStatus *status = smith_make(job->ir, 1, 12, &g);
  if (!status) status = interpret(&g, &expected, &nexpected);
  if (!status) status = run_way(&g, &ways[WAYS - 1], TCC_EFFORT_LITTLE, expected);
  if (!status) status = run_way(&g, &ways[0], TCC_EFFORT_FULL, expected);
  if (!status) status = run_way(&g, &ways[0], TCC_EFFORT_LITTLE, expected);
  tcc_status_destroy(status); /* seeds will say it */
  for (size_t i = 0; i < nexpected; i++) tcc_host_tensor_destroy(expected[i]);
  free(expected);
  smith_destroy(&g);
  clear(job->cache);
}

int main(int argc, char **argv) {
  Job job = {.first = 1, .count = 100, .ops = 12, .seconds = 300};
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    switch (arg.option) {
    case OPTION_FIRST: job.first = tcc_arg_integer(&command, &arg); break;
    case OPTION_COUNT: job.count = tcc_arg_integer(&command, &arg); break;
    case OPTION_OPS: job.ops = tcc_arg_integer(&command, &arg); break;
    case OPTION_KEEP: job.keep = arg.value; break;
    case OPTION_PRINT: job.print = true; break;
    case OPTION_ALL: job.all = true; break;
    case OPTION_DEVICE: job.device = true; break;
    case OPTION_SECONDS: job.seconds = tcc_arg_integer(&command, &arg); break;
    default: tcc_usage_error(&command, "no file is taken");
    }
  }
  enum { MOST_OPS = 1000 };
  if (job.count < 0 || job.first > INT64_MAX - job.count) tcc_usage_error(&command, "--count needs a number that is not negative");
  if (job.ops < 1 || job.ops > MOST_OPS) tcc_usage_error(&command, "--ops needs a number from 1 to %d", MOST_OPS);
  job.ir = tcc_ir_create();
  if (job.print) return print_module(&job);
  warm_up(&job);
  int64_t ends[UNSUPPORTED + 1] = {0};
  for (int64_t seed = job.first; seed < job.first + job.count; seed++) ends[run_seed(&job, seed)]++;
  rmdir(job.cache);
  tcc_ir_destroy(job.ir);
  printf("%lld passed, %lld failed, %lld skipped\n", (long long)ends[RIGHT], (long long)ends[WRONG], (long long)ends[UNSUPPORTED]);
  return ends[WRONG] ? TCC_EXIT_FAILED : TCC_EXIT_OK;
}
