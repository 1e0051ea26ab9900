/* run.h - what the files of tcc-run share. */
#ifndef TCC_TOOLS_RUN_H
#define TCC_TOOLS_RUN_H
#include "tcc/compile.h"
#include "tcc/runtime.h"
#include "tcc/tensor.h"
#include "tools/profile.h"

/* What --compare compares kernels with. */
typedef enum { RUN_COMPARE_NONE, RUN_COMPARE_INTERP, RUN_COMPARE_REFERENCE, RUN_COMPARE_EAGER } RunCompareWay;
typedef struct {
  const char *model, *data, *save, *report, *suite, *trace;
  const char **then; /* directories of the runs behind the first */
  size_t nthen;
  TccCompileOptions compile; /* its inputs and dims: of --input and --dim */
  bool random, check, bench, explain_cache, no_packed, profile, emulate;
  bool profile_by_time; /* the longest first */
  bool for_models;      /* an option that means nothing for an artifact was given */
  uint64_t seed;        /* of made-up inputs */
  int64_t random_seed;  /* of models that draw random numbers */
  double bench_seconds;
  double rtol, atol; /* -1: not given; with either of them no tolerance.json */
  TccVerify verify;  /* of the weights that an artifact reads */
  RunCompareWay compare;
} RunOptions;

/* The inputs of one run: from files by name, from the data directory, made up; one tensor for each of the model's inputs. All that
 * is missing is said at once. */
TccStatus *run_make_inputs(const TccModel *model, bool artifact, const RunOptions *options, const TccHostTensors *data,
                           TccHostTensors *out) TCC_CHECKED;
/* A host tensor as the run-time's descriptor; borrowed. */
TccTensor run_tensor_of(TccHostTensor *tensor);
TccStatus *run_host_copy(const TccTensor *tensor, TccHostTensor **out) TCC_CHECKED;
/* Compares outputs with output_K of options->data; TCC_MISMATCH says where. */
TccStatus *run_check(const TccModel *model, const RunOptions *options, TccTensor *outputs, size_t count) TCC_CHECKED;
/* What --check and --compare allow where no tolerance.json does. */
TccTolerance run_tolerance(const RunOptions *options, TccElem elem);
TccStatus *run_save(const char *directory, const TccTensor *outputs, size_t count) TCC_CHECKED;

/* What threads did in the first runs (run_trace.c). Events point into the model. */
enum { RUN_TRACE_RUNS = 5 /* beside the first */, RUN_TRACE_MOST = 64 };
typedef struct {
  TccTraceEvent *events;
  size_t count, room, runs;
  unsigned threads;
  uint64_t lost;
  double begins[RUN_TRACE_MOST], ends[RUN_TRACE_MOST]; /* of runs, nanoseconds */
  bool failed;                                         /* out of memory */
} RunTrace;
void run_trace_take(const TccTraceEvent *event, void *trace);
void run_trace_run(RunTrace *trace, double begin_ms, double end_ms); /* of tcc_now_ms */
TccStatus *run_trace_write(const RunTrace *trace, const char *path) TCC_CHECKED;
void run_trace_destroy(RunTrace *trace);

/* Kernel by kernel beside another way (run_compare.c). run_compare_open compiles and loads the model; kernels of weights alone run then, and
 * are compared. The context gets the others by run_compare_watch. TCC_MISMATCH names the first kernel that differs; with options->save
 * its module, operands and the expected results are there. */
typedef struct RunCompare RunCompare;
TccStatus *run_compare_open(const RunOptions *options, const TccCompileOptions *compile, const TccLoadOptions *load, TccModel **out,
                            RunCompare **out_compare) TCC_CHECKED;
void run_compare_watch(RunCompare *compare, TccContextOptions *options);
TccStatus *run_compare_print(const RunCompare *compare) TCC_CHECKED;
void run_compare_destroy(RunCompare *compare); /* NULL does nothing */

/* Opens the model with options->data, runs it once and checks it. The whole of one case. */
TccStatus *run_case(const RunOptions *options) TCC_CHECKED;
/* All cases under options->suite; the exit status. */
int run_suite(const RunOptions *options);
#endif
