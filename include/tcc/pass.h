/* pass.h - passes, pipelines and their registry.
 *
 * File = pass = function: passes/<name>.c, or passes/<name>/<name>.c where a pass has several files, defines
 * tcc_pass_<name>(); its row stands in passes/passes.def, its test is test/passes/<name>.mlir. A pass works on the whole
 * module, deterministically, and either succeeds or has emitted diagnostics. */
#ifndef TCC_PASS_H
#define TCC_PASS_H
#include "tcc/ir.h"

typedef struct TccTargetInfo TccTargetInfo; /* target.h */
typedef struct TccRecords TccRecords;       /* tune.h */

/* Measures schedules of the module's kernels that have none on record yet. rest: the pipeline text of the steps that are left. A
 * failure ends the pipeline; whoever gave the hook knows the reason. */
typedef MlirLogicalResult TccTuneHook(MlirOperation module, const char *rest, void *user);

typedef struct {
  TccIr *ir;
  const TccTargetInfo *target; /* never NULL: which composites stay whole, what it can emit */
  const char *const *options;  /* "name", "value" pairs of --tcc-PASS="name=value ..." */
  size_t noptions;
  TccArena *scratch;   /* for this run of the pass only */
  TccRecords *records; /* measured schedules, or NULL; for this number of threads, 0: one for each CPU */
  unsigned threads;
  bool explain;      /* write down why (docs/kernels.md), for tcc-explain */
  TccTuneHook *tune; /* called by tcc-select before it looks for records; NULL: measures nothing */
  void *user;
  const char *rest; /* with tune: the steps behind this one */
} TccPassRun;

typedef MlirLogicalResult (*TccPassFunction)(TccPassRun *run, MlirOperation module);

#define TCC_PASS(function, name, summary, options) MlirLogicalResult tcc_pass_##function(TccPassRun *run, MlirOperation module);
#include "passes/passes.def"
#undef TCC_PASS

/* The option's value: as given, else the default of its row in passes.def. False if it has neither. */
TCC_EXPORT bool tcc_pass_option(const TccPassRun *run, const char *name, TccStr *out);
/* The value of an option whose default in passes.def is a number: not negative, of at most nine digits; another text does not parse as a
 * pipeline. */
TCC_EXPORT int tcc_pass_number(const TccPassRun *run, const char *name);

typedef struct {
  const char *name; /* "tcc-fuse" */
  const char *summary;
  const char *options; /* "name=default: meaning; ..."; a default that is a number: the option takes numbers */
  TccPassFunction run;
} TccPassInfo;
typedef struct {
  const char *name, *summary, *text;
} TccPipelineInfo;

TCC_EXPORT const TccPassInfo *tcc_pass_table(size_t *out_count);
TCC_EXPORT const TccPassInfo *tcc_pass_find(TccStr name); /* of that table: tcc_target_pass knows those of targets; or NULL */
TCC_EXPORT const TccPipelineInfo *tcc_pipeline_table(size_t *out_count);
TCC_EXPORT const char *tcc_pipeline_text(TccStr name); /* of a named pipeline, or NULL */

typedef struct {
  const TccTargetInfo *target;
  bool verify_each, timing, print_after_all; /* timing and IR go to stderr */
  const char *print_after;                   /* a pass; NULL: none */
  TccRecords *records;                       /* as in TccPassRun */
  unsigned threads;
  bool explain;                                                     /* as in TccPassRun */
  void (*phase)(const char *name, double milliseconds, void *user); /* after each step; may be NULL */
  /* Before each step, with the text of what is left to run, that step first; after the last one with NULL. May be NULL. */
  void (*before)(const char *left, MlirOperation module, void *user);
  TccTuneHook *tune; /* as in TccPassRun */
  void *user;
} TccPipelineOptions;
/* Runs a pipeline text "tcc-verify,tcc-simplify{fold=0},canonicalize,..." on module: our passes in place, runs of others by
 * an upstream pass manager (nesting like func.func(...) is theirs), named pipelines expanded. "builtin.module(...)" around
 * all is accepted. The text is parsed as a whole before anything runs. Emits a diagnostic where it fails; the module is
 * then in the state that the failing step left. Thread-safe for different contexts. */
TCC_EXPORT MlirLogicalResult tcc_pipeline_run(TccIr *ir, MlirOperation module, TccStr text, const TccPipelineOptions *options);
#endif
