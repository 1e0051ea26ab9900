/* pass.h - passes, pipelines and their registry.
 *
 * File = pass = function: passes/<name>.c defines tcc_pass_<name>(), its row stands in passes/passes.def, its test is
 * test/passes/<name>.mlir. A pass works on the whole module, deterministically, and either succeeds or has emitted
 * diagnostics. */
#ifndef TCC_PASS_H
#define TCC_PASS_H
#include "tcc/ir.h"

typedef struct TccTargetInfo TccTargetInfo; /* codegen.h */

typedef struct {
  TccIr *ir;
  const TccTargetInfo *target;  /* never NULL: which composites stay whole, what it can emit */
  const char *const *options;   /* "name", "value" pairs of --tcc-PASS="name=value ..." */
  size_t noptions;
  TccArena *scratch;            /* for this run of the pass only */
} TccPassRun;

typedef MlirLogicalResult (*TccPassFunction)(TccPassRun *run, MlirOperation module);

#define TCC_PASS(function, name, summary, options) MlirLogicalResult tcc_pass_##function(TccPassRun *run, MlirOperation module);
#include "passes/passes.def"
#undef TCC_PASS

TCC_EXPORT bool tcc_pass_option(const TccPassRun *run, const char *name, TccStr *out);
/* Runs a pipeline text "tcc-verify,tcc-simplify{fold=0},canonicalize,..." on module; names not in passes.def go upstream. */
typedef struct {
  const TccTargetInfo *target;
  bool verify_each, timing, print_after_all;
  const char *print_after;
  void (*phase)(const char *name, double milliseconds, void *user); /* may be NULL */
  void *user;
} TccPipelineOptions;
TCC_EXPORT MlirLogicalResult tcc_pipeline_run(TccIr *ir, MlirOperation module, TccStr text, const TccPipelineOptions *options);
TCC_EXPORT const char *tcc_pipeline_text(TccStr name); /* of a named pipeline, or NULL */
#endif
