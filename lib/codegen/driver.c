/* driver.c - a model file to an artifact, step by step.
 *
 * import -> pipeline (passes/pipelines.def) -> emit -> objects -> plan -> link. Each step is timed under its own name. All
 * diagnostics of MLIR are collected and become the message of the status: nothing is printed here. */
#include "driver.h"
#include "lib/codegen/object/artifact.h"
#include "lib/codegen/tensors.h"
#include "lib/tune/tuner.h"
#include "tcc/clock.h"
#include "tcc/diagnostics.h"
#include "tcc/import.h"
#include "tcc/pass.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  TccDriver driver;
  TccCompileResult *result;
  TCC_VEC(TccPhase) phases;
  TccText diagnostics;
  size_t errors;
  TccRecords *records; /* measured schedules, or NULL */
  TccStatus *tuned;    /* what went wrong while measuring */
} Compilation;

static void add_phase(Compilation *c, const char *name, double ms) {
  TccPhase phase = {tcc_arena_copy(c->result->arena, name, strlen(name)), ms};
  TCC_VEC_PUSH(c->result->arena, &c->phases, phase);
}

static void pass_phase(const char *name, double ms, void *user) { add_phase(user, name, ms); }

static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *user) {
  Compilation *c = user;
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError) return mlirLogicalResultSuccess();
  if (c->errors++ && c->diagnostics.length && c->diagnostics.data[c->diagnostics.length - 1] != '\n')
    tcc_text_put(&c->diagnostics, "\n", 1);
  tcc_diagnostic_text(diagnostic, &c->diagnostics);
  return mlirLogicalResultSuccess();
}

/* The collected diagnostics as a status. */
static TccStatus *failed(Compilation *c, TccCode code, const char *otherwise) {
  while (c->diagnostics.length && c->diagnostics.data[c->diagnostics.length - 1] == '\n')
    c->diagnostics.data[--c->diagnostics.length] = 0;
  return TCC_ERROR(code, "%s", c->diagnostics.length ? c->diagnostics.data : otherwise);
}

/* ---- import ---- */
static bool ends_with(const char *path, const char *ending) {
  size_t n = strlen(path), m = strlen(ending);
  return n >= m && strcmp(path + n - m, ending) == 0;
}

static TccStatus *import_onnx(Compilation *c, const char *model) {
  const TccCompileOptions *options = c->driver.options;
  TccImportInput *known = TCC_NEW_ARRAY(c->result->arena, TccImportInput, options->ninputs);
  for (size_t i = 0; i < options->ninputs; i++)
    known[i] = (TccImportInput){tcc_str(options->inputs[i].name), options->inputs[i].tensor};
  TccImportDim *told = TCC_NEW_ARRAY(c->result->arena, TccImportDim, options->ndims);
  for (size_t i = 0; i < options->ndims; i++) told[i] = (TccImportDim){tcc_str(options->dims[i].name), options->dims[i].size};
  if (options->ndims) c->driver.ir->likely = tcc_map_create(c->driver.ir->arena);
  for (size_t i = 0; i < options->ndims; i++) tcc_map_put(c->driver.ir->likely, told[i].name, NULL)->integer = told[i].value;
  TccOnnxImportOptions import = {.inputs = known, .ninputs = options->ninputs, .told = told, .ntold = options->ndims};
  TccImportOutcome outcome = TCC_IMPORT_OK;
  c->driver.module = tcc_onnx_import(c->driver.ir, model, &import, &outcome);
  if (!mlirOperationIsNull(c->driver.module)) return NULL;
  return failed(c, outcome == TCC_IMPORT_UNSUPPORTED ? TCC_UNSUPPORTED : TCC_INVALID, "the import failed");
}

static TccStatus *import_mlir(Compilation *c, const char *model) {
  MlirModule module = mlirModuleCreateParseFromFile(c->driver.ir->context, mlirStringRefCreateFromCString(model));
  if (mlirModuleIsNull(module)) return failed(c, TCC_INVALID, "does not parse");
  c->driver.module = mlirModuleGetOperation(module);
  return NULL;
}

static TccStatus *import_model(Compilation *c, const char *model) {
  if (access(model, R_OK) != 0) return TCC_ERROR(errno == ENOENT ? TCC_NOT_FOUND : TCC_IO, "%s: %s", model, strerror(errno));
  if (ends_with(model, ".onnx")) return import_onnx(c, model);
  if (ends_with(model, ".mlir") || ends_with(model, ".mlirbc")) return import_mlir(c, model);
  return TCC_ERROR(TCC_UNSUPPORTED, "%s: not a model that tcc reads: .onnx, .mlir or .mlirbc", model);
}

/* ---- the rest ---- */
static bool is_narrow_float(MlirType type) {
  TccElem elem = tcc_type_rank(type) >= 0 ? tcc_type_elem(type) : TCC_ELEM_NONE;
  return elem != TCC_ELEM_NONE && tcc_elem_is_float(elem) && tcc_elem_bits(elem) < 32;
}

/* Eager execution rounds after each op; kernels do not, which shows where a float is narrower than the f32 they compute in. */
static TccStatus *check_numerics(Compilation *c) {
  const char *numerics = c->driver.options->numerics;
  if (!numerics || strcmp(numerics, "eager") != 0) return NULL;
  MlirBlock functions = mlirModuleGetBody(mlirModuleFromOperation(c->driver.module));
  for (MlirOperation func = mlirBlockGetFirstOperation(functions); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    if (mlirOperationGetNumRegions(func) == 0 || mlirRegionIsNull(mlirOperationGetRegion(func, 0))) continue;
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
    for (MlirOperation op = mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(body);
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        if (is_narrow_float(mlirValueGetType(mlirOperationGetResult(op, i))))
          return TCC_ERROR(TCC_UNSUPPORTED,
                           "--numerics=eager: kernels keep f32 between the ops of a model with floats of 16 bits or less");
  }
  return NULL;
}

static bool measures(const Compilation *c) {
  const char *mode = c->driver.options->mode;
  return mode && strcmp(mode, "max-autotune") == 0 && strcmp(c->driver.target->name, "x86") == 0;
}

static TccStatus *open_records(Compilation *c) {
  char *place = tcc_records_place();
  TccStatus *status = NULL;
  if (place) status = tcc_records_open(place, measures(c), &c->records);
  else if (measures(c)) status = TCC_ERROR(TCC_NOT_FOUND, "no place for tuning records: set TCC_TUNE_DB");
  free(place);
  return status;
}

/* Before tcc-select: measures what has no record yet. */
static void tune(const char *left, MlirOperation module, void *user) {
  static const char name[] = "tcc-select,";
  Compilation *c = user;
  if (!left || strncmp(left, name, sizeof name - 1) != 0) return;
  TccTuning tuning = {.ir = c->driver.ir,
                      .target = c->driver.target,
                      .module = module,
                      .rest = left + sizeof name - 1,
                      .records = c->records,
                      .options = c->driver.options};
  double start = tcc_now_ms();
  c->tuned = tcc_tune_module(&tuning);
  add_phase(c, "tune", tcc_now_ms() - start);
}

static TccStatus *run_passes(Compilation *c) {
  const char *name = c->driver.options->no_dedup ? "whole" : "default", *numerics = c->driver.options->numerics;
  const char *text = tcc_pipeline_text(tcc_str(name));
  if (!text) return TCC_ERROR(TCC_INTERNAL, "no pipeline '%s'", name);
  TCC_TRY(open_records(c));
  TccPipelineOptions options = {.target = c->driver.target,
                                .phase = pass_phase,
                                .user = c,
                                .records = c->records,
                                .threads = c->driver.options->threads,
                                .direct = numerics && strcmp(numerics, "fast") != 0,
                                .explain = c->driver.options->explain};
  if (measures(c)) options.before = tune;
  bool ok = mlirLogicalResultIsSuccess(tcc_pipeline_run(c->driver.ir, c->driver.module, tcc_str(text), &options));
  if (c->tuned) return c->tuned;
  return ok ? NULL : failed(c, TCC_UNSUPPORTED, "a pass failed");
}

static const TccKernelCode *lookup_code(TccStr function, void *user) {
  TccDriver *driver = user;
  TccMapEntry *entry = tcc_map_find(driver->by_name, function);
  TccDriverKernel *kernel = entry ? &driver->kernels.data[entry->integer] : NULL;
  return kernel && !kernel->builtin ? &kernel->code : NULL;
}

static int by_digest(const void *a, const void *b) { return memcmp(a, b, TCC_DIGEST_BYTES); }

/* Objects in the order of their digests, so that the artifact does not depend on the order of compilation. */
static TccStatus *link_artifact(Compilation *c, TccStr plan) {
  typedef struct {
    uint8_t digest[TCC_DIGEST_BYTES];
    TccStr bytes;
  } Sorted;
  size_t count = c->driver.objects.count;
  Sorted *sorted = TCC_NEW_ARRAY(c->result->arena, Sorted, count + 1);
  TccStr *objects = TCC_NEW_ARRAY(c->result->arena, TccStr, count + 1);
  for (size_t i = 0; i < count; i++) {
    sorted[i].bytes = tcc_text_str(&c->driver.objects.data[i]->bytes);
    tcc_digest(sorted[i].bytes.data, sorted[i].bytes.length, sorted[i].digest);
  }
  qsort(sorted, count, sizeof *sorted, by_digest);
  for (size_t i = 0; i < count; i++) objects[i] = sorted[i].bytes;
  TccStatus *status = tcc_artifact_link(objects, count, plan, c->driver.calls_libc, &c->result->artifact);
  if (!status) tcc_artifact_seal(&c->result->artifact, (TccStr){0}, c->driver.target->machine.isa);
  return status;
}

static char *keep(Compilation *c, TccStr text) { return tcc_arena_copy(c->result->arena, text.data, text.length); }

/* Regions, and how often each kernel function stands in the plan. */
static void describe_plan(Compilation *c, const TccPlanHeader *plan, TccMap *kernels) {
  TccCompileResult *result = c->result;
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  const TccPlanCommand *commands = tcc_plan_at(plan, plan->commands);
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  result->nregions = plan->functions.count - 1;
  result->regions = TCC_NEW_ARRAY(result->arena, TccCompiledRegion, plan->functions.count);
  for (size_t i = 1; i < plan->functions.count; i++)
    result->regions[i - 1] = (TccCompiledRegion){keep(c, tcc_str(tcc_plan_text(plan, functions[i].name))),
                                                 functions[i].commands.count, functions[i].ops, 0};
  for (size_t i = 0; i < plan->commands.count; i++) {
    if (commands[i].kind == TCC_PLAN_REGION) result->regions[commands[i].index - 1].calls++;
    if (commands[i].kind != TCC_PLAN_KERNEL) continue;
    TccMapEntry *entry = tcc_map_find(kernels, tcc_str(tcc_plan_text(plan, calls[commands[i].index].name)));
    if (!entry) continue;
    result->kernels[entry->integer].calls++;
    result->kernels[entry->integer].ops = calls[commands[i].index].ops;
  }
}

/* The ops of a kernel function by their short names; constants left out. */
static const char *body_text(Compilation *c, MlirOperation function) {
  TccText text = {0};
  tcc_text_put(&text, "", 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(function)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(c->driver.ir, op);
    if (kind == TCC_OP_UNKNOWN || kind == TCC_OP_CONSTANT || kind == TCC_OP_NONE || kind == TCC_OP_SIZES) continue;
    tcc_text_printf(&text, "%s%s", text.length ? " " : "", tcc_op_name(kind) + strlen("tcc."));
  }
  const char *kept = keep(c, tcc_text_str(&text));
  tcc_text_destroy(&text);
  return kept;
}

static bool has(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name)));
}

static void describe(Compilation *c, const TccPlanHeader *plan) {
  TccDriver *driver = &c->driver;
  TccCompileResult *result = c->result;
  result->kernels = TCC_NEW_ARRAY(result->arena, TccCompiledKernel, driver->kernels.count);
  result->nkernels = driver->kernels.count;
  for (size_t i = 0; i < driver->kernels.count; i++) {
    const TccDriverKernel *kernel = &driver->kernels.data[i];
    TccCompiledKernel *out = &result->kernels[i];
    *out = (TccCompiledKernel){.function = keep(c, kernel->name),
                               .kind = keep(c, kernel->kind),
                               .symbol = "",
                               .emitter = "builtin",
                               .schedule = "",
                               .chosen = ""};
    out->body = body_text(c, kernel->function);
    if (kernel->builtin) continue;
    out->emitter = keep(c, tcc_str(kernel->code.emitter));
    out->symbol = keep(c, tcc_str(kernel->code.symbol));
    out->schedule = keep(c, tcc_str(kernel->code.schedule ? kernel->code.schedule : ""));
    out->cached = driver->objects.data[kernel->object]->cached;
    out->by_mlir = driver->objects.data[kernel->object]->by_mlir;
    out->chosen = !*out->schedule                         ? ""
                  : has(kernel->function, "tcc.recorded") ? "a record of tcc-tune"
                  : has(kernel->function, "tcc.schedule") ? "the model"
                                                          : "the rule";
    TccStr unpacked;
    if (tcc_get_str(driver->ir, kernel->function, "tcc.unpacked", &unpacked)) out->unpacked = keep(c, unpacked);
  }
  for (size_t i = 0; i < driver->objects.count; i++)
    if (driver->objects.data[i]->cached) result->cache_hits++;
    else result->cache_misses++;
  describe_plan(c, plan, driver->by_name);
}

static TccStatus *compile(Compilation *c, const char *model) {
  TccDriver *driver = &c->driver;
  TccText plan = {0};
  TccStatus *status = NULL;
  double start = tcc_now_ms(), last = start;
#define DONE(name)                                                                                                                 \
  do {                                                                                                                             \
    double at = tcc_now_ms();                                                                                                      \
    add_phase(c, name, at - last);                                                                                                 \
    last = at;                                                                                                                     \
  } while (0)
  TCC_GOTO(tcc_target_parse(c->result->arena, driver->options->target, &driver->target));
  if (!strncmp(driver->target->machine.triple, "nvptx", 5)) {
    status = TCC_ERROR(TCC_UNSUPPORTED, "no artifacts for nvptx: `tcc-translate --to-ptx MODEL` prints its kernels");
    goto done;
  }
  tcc_driver_start(driver);
  TCC_GOTO(import_model(c, model));
  TCC_GOTO(check_numerics(c));
  DONE("import");
  c->result->import_ms = last - start;
  TCC_GOTO(run_passes(c));
  last = tcc_now_ms();
  TCC_GOTO(tcc_driver_emit(driver));
  DONE("emit");
  TCC_GOTO(tcc_driver_objects(driver));
  DONE("objects");
  if (mlirLogicalResultIsFailure(tcc_plan_build(driver->ir, driver->module, driver->target, lookup_code, driver, &plan)))
    TCC_GOTO(failed(c, TCC_UNSUPPORTED, "no plan"));
  TCC_GOTO(tcc_status_context(tcc_plan_check(plan.data, plan.length), "the plan that was just made"));
  if (driver->options->explain) tcc_plan_print(plan.data, &c->result->plan);
  DONE("plan");
  TCC_GOTO(link_artifact(c, tcc_text_str(&plan)));
  DONE("link");
#undef DONE
  describe(c, (const TccPlanHeader *)plan.data);
  if (driver->options->explain) {
    tcc_tensors_list(driver->ir, driver->module, c->result->arena, &c->result->tensors, &c->result->ntensors);
    tcc_ports_list(driver->ir, driver->module, (const TccPlanHeader *)plan.data, c->result);
  }
  c->result->compile_ms = last - start - c->result->import_ms;
done:
  tcc_driver_stop(driver);
  tcc_text_destroy(&plan);
  return status;
}

TccStatus *tcc_compile(const char *model, const TccCompileOptions *options, TccCompileResult *out) {
  static const TccCompileOptions defaults;
  *out = (TccCompileResult){.arena = tcc_arena_create()};
  double start = tcc_now_ms();
  tcc_driver_heap();
  Compilation c = {.result = out};
  c.driver.ir = tcc_ir_create();
  c.driver.options = options ? options : &defaults;
  c.driver.cache = tcc_cache_open(!c.driver.options->no_cache);
  c.driver.by_name = tcc_map_create(out->arena);
  c.driver.by_symbol = tcc_map_create(out->arena);
  c.driver.parts = tcc_map_create(out->arena);
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(c.driver.ir->context, collect, &c, NULL);
  add_phase(&c, "start", tcc_now_ms() - start);
  TccStatus *status = compile(&c, model);
  out->phases = c.phases.data;
  out->nphases = c.phases.count;
  for (size_t i = 0; i < c.driver.objects.count; i++) {
    tcc_text_destroy(&c.driver.objects.data[i]->bytes);
    tcc_status_destroy(c.driver.objects.data[i]->status); /* where the compilation failed before it was looked at */
  }
  if (!mlirOperationIsNull(c.driver.module)) mlirOperationDestroy(c.driver.module);
  mlirContextDetachDiagnosticHandler(c.driver.ir->context, handler);
  tcc_ir_destroy(c.driver.ir);
  tcc_cache_close(c.driver.cache);
  tcc_records_close(c.records);
  tcc_text_destroy(&c.diagnostics);
  return status;
}

void tcc_compile_result_destroy(TccCompileResult *result) {
  tcc_text_destroy(&result->artifact);
  tcc_text_destroy(&result->plan);
  tcc_arena_destroy(result->arena);
  *result = (TccCompileResult){0};
}
