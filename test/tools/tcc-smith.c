/* tcc-smith.c - test tool: random valid modules over the op table, each compiled in a way and compared with the interpreter.
 *
 * Two thirds of a seed's time is code generation by LLVM, and the code of most ways is the same: a seed is compiled once, in a way that its
 * number says, so that each module is a new one. One of 64 is the reference target's, too, which costs as much as three, and one of 32
 * is compiled with full effort: what the code generator optimises is seldom at fault.
 *
 * Seeds run one after the other in a child of a process that has compiled something before: what MLIR and LLVM set up once need not be
 * set up again. Each has its time limit; one that crashes or hangs is one line of the report, and the next ones get another child. What
 * fails is kept as a model with data: tcc-run DIR/model.mlir --data=DIR --check, with the options that the line has; tcc-reduce makes it
 * smaller. */
#include "tcc/clock.h"
#include "tcc/compile.h"
#include "tcc/file.h"
#include "tcc/interp.h"
#include "test/tools/smith/graph.h"
#include "test/tools/smith/times.h"
#include "tools/common.h"
#include "llvm-c/Support.h"
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  OPTION_FIRST,
  OPTION_COUNT,
  OPTION_OPS,
  OPTION_KEEP,
  OPTION_PRINT,
  OPTION_COVERAGE,
  OPTION_ALL,
  OPTION_DEVICE,
  OPTION_LARGE,
  OPTION_SECONDS,
  OPTION_TIMES
};
static const TccOption options[] = {
    {"--first", "SEED", "the first seed; 1"},
    {"--count", "N", "how many seeds; 100"},
    {"--ops", "N", "ops of a module, about; 12"},
    {"--keep", "DIR", "a folder for what fails"},
    {"--print", NULL, "print the module of the first seed, and stop"},
    {"--coverage", NULL, "say how often the modules have each op of the table, or why they do not, and stop"},
    {"--all", NULL, "each seed in every way, with full effort; otherwise in one that its number says"},
    {"--device", NULL,
     "for NVIDIA GPUs instead, of two generations in turn, or of both with --all; TCC_CUDA_LIBRARY may be an emulator's"},
    {"--large", NULL, "modules that begin with ops of the sizes that models have"},
    {"--seconds", "N", "that a seed may take; 300"},
    {"--times", NULL, "where the time went, on standard error"},
};
static const TccCommand command = {"tcc-smith", "[OPTIONS]", "Compares compiled random modules with the interpreter.", options,
                                   sizeof options / sizeof *options};

typedef struct {
  int64_t first, count, ops, seconds;
  const char *keep;
  bool print, coverage, all, device, large, times;
  TccIr *ir;
  char cache[64]; /* the folder of the seed's compile cache */
} Job;

/* The ways in which a module is compiled and run; options as tcc-run has them. Kernels for AVX-512 are tried on any machine, lowered. */
typedef struct {
  const char *name, *target;
  unsigned threads;
  bool no_dedup;
  TccNumerics numerics;
  bool wide_only; /* the target has no values of 4 or 2 bits and no floats of 8 */
} Way;
enum { HOST, OLDER, NO_DEDUP, DIRECT, SMALL, EAGER, WIDE, REFERENCE, WAYS };
static const Way ways[WAYS] = {
    [HOST] = {"--threads=1", NULL, 1, false, TCC_NUMERICS_FAST},
    [OLDER] = {"--target=x86,x86-64-v3 --threads=3", "x86,x86-64-v3", 3, false, TCC_NUMERICS_FAST},
    [NO_DEDUP] = {"--no-dedup --threads=2", NULL, 2, true, TCC_NUMERICS_FAST},
    [DIRECT] = {"--numerics=direct --threads=8", NULL, 8, false, TCC_NUMERICS_DIRECT},
    [SMALL] = {"--target=x86,l1=16K,l2=128K,cores=3 --threads=3", "x86,l1=16K,l2=128K,cores=3", 3, false, TCC_NUMERICS_FAST},
    [EAGER] = {"--numerics=eager --threads=2", NULL, 2, false, TCC_NUMERICS_EAGER},
    [WIDE] = {"--target=x86,avx512,cores=4,isa=avx2 --threads=2", "x86,avx512,cores=4,isa=avx2", 2, false, TCC_NUMERICS_FAST},
    [REFERENCE] = {"--target=reference", "reference", 1, false, TCC_NUMERICS_FAST, true},
};
static const Way devices[] = {
    {"--target=nvptx,sm_90a", "nvptx,sm_90a", 1, false, TCC_NUMERICS_FAST},
    {"--target=nvptx,sm_80", "nvptx,sm_80", 1, false, TCC_NUMERICS_FAST},
    {"--target=nvptx,sm_90a --numerics=direct", "nvptx,sm_90a", 1, false, TCC_NUMERICS_DIRECT},
};
enum { DEVICES = sizeof devices / sizeof *devices, BATCH = 8 /* seeds of a child, and seeds of one way in a row */ };

/* How a seed is compiled, of its number. */
static bool is_chosen(bool device, int64_t seed, size_t way) {
  static const size_t turns[] = {HOST, OLDER, NO_DEDUP, DIRECT, SMALL, EAGER, WIDE, SMALL};
  const uint64_t turn = (uint64_t)seed / BATCH;
  if (device) return way == turn % DEVICES;
  return way == turns[turn % (sizeof turns / sizeof *turns)] || (way == REFERENCE && (uint64_t)seed % 64 == 7);
}
static TccEffort effort_of(int64_t seed) { return (uint64_t)seed / 64 % 32 == 31 ? TCC_EFFORT_FULL : TCC_EFFORT_LITTLE; }

static TccTensor tensor_of(TccHostTensor *t) {
  return (TccTensor){
      .data = t->data, .device = {TCC_DEVICE_CPU, 0}, .rank = t->rank, .dtype = tcc_elem_dtype(t->elem), .shape = t->dims};
}

/* ---- what a module should give ---- */
static TccStatus *interpret(const SmithGraph *g, TccHostTensor ***out, size_t *out_count) {
  MlirModule module = mlirModuleCreateParse(g->ir->context, mlirStringRefCreate(g->module.data, g->module.length));
  if (mlirModuleIsNull(module)) return TCC_ERROR(TCC_INTERNAL, "the module does not parse"); /* MLIR has said where */
  TccStatus *status = tcc_interpret(g->ir, mlirModuleGetOperation(module), tcc_str("main"), NULL,
                                    (const TccHostTensor *const *)g->inputs, g->ninputs, out, out_count);
  mlirModuleDestroy(module);
  return status;
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

static double lap(const char *name, double since) {
  const double now = tcc_now_ms();
  smith_times_add(name, now - since);
  return now;
}

/* Memory full of NaN: what a kernel reads before it is written shows, also where it is multiplied with zero. */
static void *allocate_nan(size_t bytes, size_t alignment, void *user) {
  (void)user;
  void *memory = aligned_alloc(alignment, bytes);
  return memory ? memset(memory, 0xff, bytes) : NULL;
}
static void release_nan(void *memory, size_t bytes, void *user) {
  (void)bytes, (void)user;
  free(memory);
}

static TccStatus *run_way(const SmithGraph *g, const Way *way, TccEffort effort, bool no_cache, TccHostTensor *const *expected) {
  const TccCompileOptions compile = {.target = way->target,
                                     .threads = 1,
                                     .no_dedup = way->no_dedup,
                                     .numerics = way->numerics,
                                     .effort = effort,
                                     .no_cache = no_cache};
  const TccLoadOptions load_options = {.allocator = {.allocate = allocate_nan, .release = release_nan}};
  const TccContextOptions context_options = {.threads = way->threads};
  TccCompileResult result;
  TccModel *model = NULL;
  TccContext *context = NULL;
  TccTensor inputs[SMITH_MAX_VALUES], outputs[SMITH_MAX_VALUES] = {0};
  for (size_t i = 0; i < g->ninputs; i++) inputs[i] = tensor_of(g->inputs[i]);
  double start = tcc_now_ms();
  TccStatus *status = tcc_compile_memory("model.mlir", tcc_text_str((TccText *)&g->module), &compile, &result);
  for (size_t i = 0; i < result.nphases; i++) smith_times_add(result.phases[i].name, result.phases[i].ms);
  lap(way->name, start), start = lap("compile", start);
  if (!status) status = tcc_model_load_memory(result.artifact.data, result.artifact.length, &load_options, &model);
  if (!status) status = tcc_context_create(model, &context_options, &context);
  start = lap("load", start);
  for (int turn = 0; turn < 2 && !status; turn++) { /* the second finds memory as the first left it */
    status = tcc_context_run(context, inputs, g->ninputs, outputs, g->noutputs);
    if (!status) status = compare(g, outputs, expected);
    memset(outputs, 0, sizeof outputs);
  }
  start = lap("run", start);
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  tcc_compile_result_destroy(&result);
  lap("unload", start);
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

enum { RIGHT, WRONG, UNSUPPORTED /* by a device: of others another target takes what one does not */ };

/* In a way, or, where x86 would leave a kernel to a target that is not eager, as it is. What is not right has been said. */
static int try_way(const Job *job, int64_t seed, SmithGraph *g, const Way *way, TccHostTensor *const *expected, size_t nexpected) {
  const TccEffort effort = job->all ? TCC_EFFORT_FULL : effort_of(seed);
  char how[160];
  TccStatus *status = run_way(g, way, effort, !job->all, expected);
  if (status && tcc_status_code(status) == TCC_UNSUPPORTED && way == &ways[EAGER]) {
    tcc_status_destroy(status);
    way = &ways[HOST], status = run_way(g, way, effort, !job->all, expected);
  }
  if (!status) return RIGHT;
  const int end = job->device && tcc_status_code(status) == TCC_UNSUPPORTED ? UNSUPPORTED : WRONG;
  snprintf(how, sizeof how, "%s --effort=%s", way->name, tcc_effort_words[effort]);
  report(seed, how, status);
  if (job->keep && (status = keep_model(job, seed, g, expected, nexpected))) report(seed, "not kept", status);
  return end;
}

static int try_seed(const Job *job, int64_t seed) {
  SmithGraph g;
  TccHostTensor **expected = NULL;
  size_t nexpected = 0;
  int end = RIGHT;
  double start = tcc_now_ms();
  TccStatus *status = smith_make(job->ir, (uint64_t)seed, (size_t)job->ops, job->large, &g);
  start = lap("make", start);
  if (job->keep && !status) status = keep_model(job, seed, &g, NULL, 0); /* there if the process dies */
  if (!status) status = interpret(&g, &expected, &nexpected);
  lap("interpret", start);
  if (status) report(seed, "interpreter", status), end = WRONG;
  for (size_t w = 0; w < (job->device ? DEVICES : WAYS) && end == RIGHT; w++) {
    const Way *way = job->device ? &devices[w] : &ways[w];
    if (!job->all && !is_chosen(job->device, seed, w)) continue;
    if (!g.narrow || !way->wide_only) end = try_way(job, seed, &g, way, expected, nexpected);
  }
  for (size_t i = 0; i < nexpected; i++) tcc_host_tensor_destroy(expected[i]);
  free(expected);
  smith_destroy(&g);
  fflush(stdout);
  return end;
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

/* What a child says to its parent. */
typedef struct {
  int64_t seed, ends[UNSUPPORTED + 1];
} Progress;

static void end_seed(const Job *job, int end, Progress *progress) {
  if (end != WRONG) forget(job, progress->seed);
  if (job->all) clear(job->cache);
  progress->ends[end]++, progress->seed++;
}

/* For the rest of the process: a third of what is left of code generation. */
static void stop_combining(void) {
  static const char *const words[] = {"tcc-smith", "-combiner-disabled"};
  LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

/* Up to this seed, in a child; where it dies on the way it does so at progress->seed. */
static void run_seeds(const Job *job, int64_t end, Progress *progress) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0 && !job->all && !job->device && effort_of(progress->seed) == TCC_EFFORT_LITTLE) stop_combining();
  for (; child == 0 && progress->seed < end;) {
    alarm((unsigned)job->seconds);
    end_seed(job, try_seed(job, progress->seed), progress);
  }
  if (child == 0) _exit(0);
  int how = 0;
  if (child > 0 && waitpid(child, &how, 0) == child && progress->seed == end) return;
  if (child < 0) printf("seed %lld: no process: %s\n", (long long)progress->seed, strerror(errno));
  else
    printf("seed %lld: %s\n", (long long)progress->seed,
           !WIFSIGNALED(how)          ? "the process has ended"
           : WTERMSIG(how) == SIGALRM ? "out of time"
                                      : strsignal(WTERMSIG(how)));
  end_seed(job, WRONG, progress);
}

static int print_module(const Job *job) {
  SmithGraph g;
  TccStatus *status = smith_make(job->ir, (uint64_t)job->first, (size_t)job->ops, job->large, &g);
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
  TccStatus *status = smith_make(job->ir, 1, 12, false, &g);
  if (!status) status = interpret(&g, &expected, &nexpected);
  if (!status) status = run_way(&g, &ways[REFERENCE], TCC_EFFORT_LITTLE, true, expected);
  if (!status) status = run_way(&g, &ways[HOST], TCC_EFFORT_FULL, true, expected);
  if (!status) status = run_way(&g, &ways[HOST], TCC_EFFORT_LITTLE, true, expected);
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
    case OPTION_COVERAGE: job.coverage = true; break;
    case OPTION_ALL: job.all = true; break;
    case OPTION_DEVICE: job.device = true; break;
    case OPTION_LARGE: job.large = true; break;
    case OPTION_TIMES: job.times = true; break;
    case OPTION_SECONDS: job.seconds = tcc_arg_integer(&command, &arg); break;
    default: tcc_usage_error(&command, "no file is taken");
    }
  }
  enum { MOST_OPS = 1000 };
  if (job.count < 0 || job.first > INT64_MAX - job.count) tcc_usage_error(&command, "--count needs a number that is not negative");
  if (job.ops < 1 || job.ops > MOST_OPS) tcc_usage_error(&command, "--ops needs a number from 1 to %d", MOST_OPS);
  /* What one seed gives back the next one takes: the kernel need not clear it again. */
  enum { KEPT = 1 << 30 };
  mallopt(M_TRIM_THRESHOLD, KEPT);
  mallopt(M_MMAP_THRESHOLD, KEPT);
  job.ir = tcc_ir_create();
  if (job.print) return print_module(&job);
  if (job.coverage) {
    const bool right = smith_coverage(job.ir, (uint64_t)job.first, (uint64_t)job.count, (size_t)job.ops, job.large);
    tcc_ir_destroy(job.ir);
    return right ? TCC_EXIT_OK : TCC_EXIT_FAILED;
  }
  warm_up(&job);
  if (job.times) smith_times_start();
  const double start = tcc_now_ms();
  Progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (progress == MAP_FAILED) tcc_usage_error(&command, "no memory to share: %s", strerror(errno));
  progress->seed = job.first;
  for (const int64_t last = job.first + job.count; progress->seed < last;) {
    const int64_t next = progress->seed - progress->seed % BATCH + BATCH;
    run_seeds(&job, next < last ? next : last, progress);
  }
  const int64_t *ends = progress->ends;
  lap("all", start);
  smith_times_print((double)job.count);
  rmdir(job.cache);
  tcc_ir_destroy(job.ir);
  printf("%lld passed, %lld failed, %lld skipped\n", (long long)ends[RIGHT], (long long)ends[WRONG], (long long)ends[UNSUPPORTED]);
  return ends[WRONG] ? TCC_EXIT_FAILED : TCC_EXIT_OK;
}
