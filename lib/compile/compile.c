/* compile.c - a model file to an artifact, step by step.
 *
 * import -> pipeline (passes/pipelines.def) -> emit -> plan -> objects -> link. Each step is timed under its own name. All
 * diagnostics of MLIR are collected and become the message of the status: nothing is printed here. */
#include "lib/compile/artifact.h"
#include "lib/compile/compile_internal.h"
#include "lib/compile/tensors.h"
#include "tcc/clock.h"
#include "tcc/diagnostics.h"
#include "tcc/file.h"
#include "tcc/import.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/tuner.h"
#include "tcc/wire.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  TccDriver driver;
  TccStr bytes; /* of the model; data NULL: they are in its file */
  TccCompileResult *result;
  TCC_VEC(TccPhase) phases;
  TccText diagnostics;
  size_t errors;
  TccRecords *records; /* measured schedules, or NULL */
  TccTuner *tuner;     /* of mode max-autotune */
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
static TccStatus *written_to(const char *path) {
  return TCC_ERROR(TCC_IO, "%s was written to while it was compiled: compile again", path);
}

static TccStatus *import_graph(Compilation *c, const char *model, const TccSize *sizes) {
  const TccCompileOptions *options = c->driver.options;
  TccImportInput *known = TCC_NEW_ARRAY(c->result->arena, TccImportInput, options->ninputs);
  for (size_t i = 0; i < options->ninputs; i++)
    known[i] = (TccImportInput){tcc_str(options->inputs[i].name), options->inputs[i].tensor};
  TccImportOptions import = {.weights_dir = options->weights_dir,
                             .weights = options->weights,
                             .inputs = known,
                             .ninputs = options->ninputs,
                             .clamp_indices = options->indices == TCC_INDICES_CLAMP,
                             .freeze = options->freeze,
                             .sources = &c->result->sources,
                             .bytes = c->bytes};
  if (options->specialise) import.dims = sizes, import.ndims = options->ndims;
  else import.hints = sizes, import.nhints = options->ndims;
  TccImportOutcome outcome = TCC_IMPORT_OK;
  c->driver.module = tcc_import_file(c->driver.ir, model, &import, &outcome);
  if (!mlirOperationIsNull(c->driver.module)) {
    memcpy(c->result->model_digest, tcc_sources_digest(c->result->sources), TCC_DIGEST_BYTES);
    return NULL;
  }
  TccCode code = c->driver.ir->limit.reached ? TCC_NO_MEMORY : outcome == TCC_IMPORT_UNSUPPORTED ? TCC_UNSUPPORTED : TCC_INVALID;
  return failed(c, code, "the import failed");
}

static TccStatus *digest_file(const char *path, uint8_t out[TCC_DIGEST_BYTES]) {
  TccFileMap map;
  TCC_TRY(tcc_file_map(path, &map));
  TccStatus *status = tcc_wire_digest(path, (TccStr){map.data, map.length}, out);
  tcc_file_unmap(&map);
  return status;
}

/* MLIR reads the file itself: it is what was parsed if it is the same before and behind. */
static TccStatus *parse_file(Compilation *c, const char *model) {
  uint8_t digest[TCC_DIGEST_BYTES];
  TCC_TRY(digest_file(model, c->result->model_digest));
  MlirModule module = tcc_parse_foreign_module(c->driver.ir->context, (TccStr){0}, model);
  if (mlirModuleIsNull(module)) return failed(c, TCC_INVALID, "does not parse");
  c->driver.module = mlirModuleGetOperation(module);
  TCC_TRY(digest_file(model, digest));
  return memcmp(digest, c->result->model_digest, sizeof digest) == 0 ? NULL : written_to(model);
}

static TccStatus *parse_bytes(Compilation *c, const char *name) {
  TCC_TRY(tcc_wire_digest(name, c->bytes, c->result->model_digest));
  MlirModule module = tcc_parse_module(c->driver.ir->context, c->bytes, name);
  if (mlirModuleIsNull(module)) return failed(c, TCC_INVALID, "does not parse");
  c->driver.module = mlirModuleGetOperation(module);
  return NULL;
}

static TccStatus *import_mlir(Compilation *c, const char *model, const TccSize *sizes) {
  const TccCompileOptions *options = c->driver.options;
  if (options->weights)
    return TCC_ERROR(TCC_UNSUPPORTED, "%s is a module already: %s replaces weights of models that are imported", model,
                     options->weights);
  TCC_TRY(c->bytes.data ? parse_bytes(c, model) : parse_file(c, model));
  TCC_TRY(tcc_status_context(tcc_driver_check_names(c->driver.ir, c->driver.module, options), "%s", model));
  if (options->specialise) tcc_ir_specialise(c->driver.ir, c->driver.module, sizes, options->ndims);
  if (options->indices == TCC_INDICES_CLAMP) tcc_clamp_indices(c->driver.ir, c->driver.module);
  return NULL;
}

static TccStatus *import_model(Compilation *c, const char *model) {
  const TccCompileOptions *options = c->driver.options;
  if (!c->bytes.data && access(model, R_OK) != 0)
    return TCC_ERROR(errno == ENOENT ? TCC_NOT_FOUND : TCC_IO, "%s: %s", model, strerror(errno));
  TccSize *sizes = TCC_NEW_ARRAY(c->result->arena, TccSize, options->ndims);
  for (size_t i = 0; i < options->ndims; i++) sizes[i] = (TccSize){tcc_str(options->dims[i].name), options->dims[i].size};
  if (options->ndims) c->driver.ir->likely = tcc_map_create(c->driver.ir->arena);
  for (size_t i = 0; i < options->ndims; i++) tcc_map_put(c->driver.ir->likely, sizes[i].name, NULL)->integer = sizes[i].value;
  TccModelKind kind = tcc_model_kind(model);
  if (c->bytes.data && !tcc_model_in_memory(model)) return tcc_model_refuse_memory();
  if (kind == TCC_MODEL_MLIR) return import_mlir(c, model, sizes);
  return kind == TCC_MODEL_IMPORTED ? import_graph(c, model, sizes) : tcc_model_refuse(model, true);
}

/* ---- the rest ---- */
/* What the option says, else what a module in text says of itself. */
static TccStatus *set_numerics(Compilation *c) {
  const TccTarget *target = c->driver.target->of;
  TccNumerics numerics = c->driver.options->numerics;
  if (numerics == TCC_NUMERICS_FAST) numerics = tcc_numerics(c->driver.module);
  if (numerics == TCC_NUMERICS_EAGER && !target->eager)
    return TCC_ERROR(TCC_UNSUPPORTED, "numerics 'eager': target %s rounds otherwise", target->name);
  tcc_set_numerics(c->driver.ir, c->driver.module, numerics);
  return NULL;
}

static bool measures(const Compilation *c) {
  return c->driver.options->mode == TCC_MODE_MAX_AUTOTUNE && c->driver.target->of->ntunables > 0;
}

/* Records that hold no finding are none: the key of each kernel, the digest of its text, is made for nothing then. */
static TccStatus *open_records(Compilation *c) {
  char *place = tcc_records_place();
  const bool writes = measures(c);
  bool needed = true;
  if (!place) return writes ? TCC_ERROR(TCC_NOT_FOUND, "no place for tuning records: set TCC_TUNE_DB") : NULL;
  TccStatus *status = tcc_records_open(place, writes, &c->records);
  free(place);
  if (!status && c->records && !writes) status = tcc_records_has_findings(c->records, &needed);
  if (!needed) tcc_records_close(c->records), c->records = NULL;
  return status;
}

/* For tcc-select: measures what has no record yet. */
static MlirLogicalResult tune(MlirOperation module, const char *rest, void *user) {
  Compilation *c = user;
  TccTuning tuning = {.ir = c->driver.ir,
                      .target = c->driver.target,
                      .module = module,
                      .rest = rest,
                      .records = c->records,
                      .cache = c->driver.cache,
                      .ptxas = c->driver.ptxas,
                      .options = c->driver.options};
  double start = tcc_now_ms();
  c->tuned = c->tuner(&tuning);
  add_phase(c, "tune", tcc_now_ms() - start);
  return c->tuned ? mlirLogicalResultFailure() : mlirLogicalResultSuccess();
}

/* Behind what the target makes of dequantised bytes and of norms behind convolutions, and behind what finds an attention that is spelled out,
 * between whose products conversions would stand; in front of blocks of channels, which are of a type, and of what finds equal layers. */
static const char *with_autocast(TccArena *arena, const char *pipeline, const char *type) {
  const char *rest = strstr(pipeline, "target-layout,");
  return tcc_arena_printf(arena, "%.*stcc-recompose,tcc-autocast{to=%s},tcc-simplify,%s", (int)(rest - pipeline), pipeline, type,
                          rest);
}

static TccStatus *run_passes(Compilation *c) {
  const char *name = c->driver.options->no_dedup ? "whole" : "default", *text = tcc_pipeline_text(tcc_str(name));
  TccAutocast autocast = c->driver.options->autocast;
  if (!text) return TCC_ERROR(TCC_INTERNAL, "no pipeline '%s'", name);
  if (autocast) text = with_autocast(c->result->arena, text, tcc_autocast_words[autocast]);
  TCC_TRY(open_records(c));
  TccPipelineOptions options = {.target = c->driver.target,
                                .phase = pass_phase,
                                .user = c,
                                .records = c->records,
                                .threads = c->driver.options->threads,
                                .explain = c->driver.options->explain};
  if (measures(c)) options.tune = tune;
  bool ok = mlirLogicalResultIsSuccess(tcc_pipeline_run(c->driver.ir, c->driver.module, tcc_str(text), &options));
  if (c->tuned) return c->tuned;
  if (!ok) return failed(c, c->driver.ir->limit.reached ? TCC_NO_MEMORY : TCC_UNSUPPORTED, "a pass failed");
  MlirOperation unknown;
  int axis;
  if (tcc_sizes_known(c->driver.ir, c->driver.module, &unknown, &axis)) return NULL;
  tcc_error(unknown, TCC_SIZE_UNKNOWN, axis);
  return failed(c, TCC_INVALID, "a size is not known");
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
  size_t count = tcc_driver_on_device(&c->driver) ? 0 : c->driver.objects.count; /* images are in the plan */
  Sorted *sorted = TCC_NEW_ARRAY(c->result->arena, Sorted, count + 1);
  TccStr *objects = TCC_NEW_ARRAY(c->result->arena, TccStr, count + 1);
  for (size_t i = 0; i < count; i++) {
    sorted[i].bytes = tcc_text_str(&c->driver.objects.data[i]->bytes);
    tcc_digest(sorted[i].bytes.data, sorted[i].bytes.length, sorted[i].digest);
  }
  qsort(sorted, count, sizeof *sorted, by_digest);
  for (size_t i = 0; i < count; i++) objects[i] = sorted[i].bytes;
  TccStatus *status = tcc_artifact_link(objects, count, plan, c->driver.calls_libc, &c->result->artifact);
  if (!status) tcc_artifact_seal(&c->result->artifact, (TccStr){0}, tcc_machine_needs(&c->driver.target->machine));
  return status ? status : tcc_text_status(&c->result->artifact);
}

/* ---- the files that weights are in ---- */
/* A module names them; one that is not there now may be when it runs. */
static void map_sources(Compilation *c, const char *model) {
  TccCompileResult *result = c->result;
  const char *elsewhere = c->driver.options->weights_dir, *slash = strrchr(model, '/');
  const char *folder = elsewhere ? tcc_arena_printf(result->arena, "%s/", elsewhere)
                                 : tcc_arena_copy(result->arena, model, slash ? (size_t)(slash + 1 - model) : 0);
  MlirAttribute names = mlirOperationGetAttributeByName(c->driver.module, mlirStringRefCreateFromCString("tcc.sources"));
  if (mlirAttributeIsNull(names) || !mlirAttributeIsAArray(names)) return;
  result->nmaps = (size_t)mlirArrayAttrGetNumElements(names);
  result->maps = TCC_NEW_ARRAY(result->arena, TccFileMap, result->nmaps);
  result->files = TCC_NEW_ARRAY(result->arena, const char *, result->nmaps);
  for (size_t i = 0; i < result->nmaps; i++) {
    MlirStringRef name = mlirStringAttrGetValue(mlirArrayAttrGetElement(names, (intptr_t)i));
    const char *path =
        tcc_arena_printf(result->arena, "%s%.*s", name.length && name.data[0] == '/' ? "" : folder, (int)name.length, name.data);
    tcc_status_destroy(tcc_file_map(path, &result->maps[i]));
    result->files[result->nfiles++] = path;
  }
}

/* The files in the order of tcc.sources, and what was read of them. */
static TccPlanFiles plan_files(Compilation *c, const char *model) {
  TccCompileResult *result = c->result;
  TccPlanFiles files = {.digests = c->driver.options->digest_weights,
                        .attach = c->driver.options->embed_weights,
                        .threads = c->driver.options->threads ? c->driver.options->threads : tcc_cpu_count()};
  if (result->sources) {
    files.count = tcc_sources_count(result->sources);
    TccFileMap *maps = TCC_NEW_ARRAY(result->arena, TccFileMap, files.count);
    result->files = TCC_NEW_ARRAY(result->arena, const char *, files.count);
    for (size_t i = 0; i < files.count; i++) {
      maps[i] = *tcc_sources_file(result->sources, i);
      result->files[result->nfiles++] = tcc_sources_path(result->sources, i);
    }
    files.maps = maps;
    files.model = result->model_digest;
    files.reads = tcc_sources_reads(result->sources, &files.nreads);
  } else {
    map_sources(c, model);
    files.maps = result->maps;
    files.count = result->nmaps;
  }
  result->nreads = files.nreads;
  result->reads = TCC_NEW_ARRAY(result->arena, TccCompiledRead, files.nreads + 1);
  for (size_t i = 0; i < files.nreads; i++) {
    const TccSourceRead *from = &files.reads[i];
    const char *name = tcc_sources_name(result->sources, from->file);
    result->reads[i] = (TccCompiledRead){tcc_arena_copy(result->arena, name, strlen(name)), from->offset, from->length, {0}};
    memcpy(result->reads[i].digest, from->digest, TCC_DIGEST_BYTES);
  }
  return files;
}

static TccStatus *check_unchanged(const Compilation *c) {
  const char *changed = c->result->sources ? tcc_sources_changed(c->result->sources) : NULL;
  return changed ? written_to(changed) : NULL;
}

static char *keep(Compilation *c, TccStr text) { return tcc_arena_copy(c->result->arena, text.data, text.length); }

static void add_nodes(Compilation *c, const TccPlanHeader *plan, const TccPlanCommand *command, TccCompiledKernel *kernel) {
  const uint32_t *texts = (const uint32_t *)tcc_plan_at(plan, plan->indices) + command->nodes.first;
  size_t before = kernel->nnodes * sizeof *kernel->nodes;
  kernel->nnodes += command->nodes.count;
  kernel->nodes = tcc_arena_grow(c->result->arena, (void *)kernel->nodes, before, kernel->nnodes * sizeof *kernel->nodes);
  for (size_t i = 0; i < command->nodes.count; i++)
    kernel->nodes[kernel->nnodes - command->nodes.count + i] = keep(c, tcc_str(tcc_plan_text(plan, texts[i])));
}

/* Regions, how often a run calls each of them and each kernel function, and for which nodes. */
static void describe_plan(Compilation *c, const TccPlanHeader *plan, TccMap *kernels) {
  TccCompileResult *result = c->result;
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  const TccPlanCommand *commands = tcc_plan_at(plan, plan->commands);
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  uint32_t *runs = TCC_NEW_ARRAY(result->arena, uint32_t, plan->functions.count);
  tcc_plan_count_calls(plan, runs);
  result->nregions = plan->functions.count - 1;
  result->regions = TCC_NEW_ARRAY(result->arena, TccCompiledRegion, plan->functions.count);
  for (size_t i = 1; i < plan->functions.count; i++)
    result->regions[i - 1] = (TccCompiledRegion){keep(c, tcc_str(tcc_plan_text(plan, functions[i].name))),
                                                 functions[i].commands.count, functions[i].ops, runs[i]};
  for (size_t f = 0; f < plan->functions.count; f++)
    for (size_t i = functions[f].commands.first, end = i + functions[f].commands.count; i < end; i++) {
      if (commands[i].kind != TCC_PLAN_KERNEL) continue;
      TccMapEntry *entry = tcc_map_find(kernels, tcc_str(tcc_plan_text(plan, calls[commands[i].index].name)));
      if (!entry) continue;
      TccCompiledKernel *kernel = &result->kernels[entry->integer];
      kernel->calls = UINT32_MAX - kernel->calls < runs[f] ? UINT32_MAX : kernel->calls + runs[f];
      kernel->ops = calls[commands[i].index].ops;
      add_nodes(c, plan, &commands[i], kernel);
    }
}

/* The ops of a kernel function by their short names; constants left out. */
static const char *body_text(Compilation *c, MlirOperation function) {
  TccText text = {0};
  tcc_text_put(&text, "", 0);
  TCC_EACH_OP (op, tcc_func_body(function)) {
    TccOpKind kind = tcc_op_kind(c->driver.ir, op);
    if (kind == TCC_OP_UNKNOWN || kind == TCC_OP_CONSTANT || kind == TCC_OP_NONE || kind == TCC_OP_SIZES) continue;
    tcc_text_printf(&text, "%s%s", text.length ? " " : "", tcc_op_name(kind) + strlen("tcc."));
  }
  const char *kept = keep(c, tcc_text_str(&text));
  tcc_text_destroy(&text);
  return kept;
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
                               .kind = tcc_kernel_kind_name(kernel->kind),
                               .symbol = "",
                               .emitter = "builtin",
                               .schedule = "",
                               .launch = "",
                               .chosen = ""};
    out->body = body_text(c, kernel->function);
    if (driver->options->kernel_modules)
      out->module = tcc_kernel_module_text(driver->ir, driver->module, kernel->function, result->arena);
    if (kernel->builtin) continue;
    out->emitter = keep(c, tcc_str(kernel->code.emitter));
    out->symbol = keep(c, tcc_str(kernel->code.symbol));
    out->schedule = keep(c, tcc_str(kernel->code.schedule ? kernel->code.schedule : ""));
    TccText launch = {0};
    tcc_text_put(&launch, "", 0);
    tcc_kernel_launch_text(driver->ir, &driver->target->machine, &kernel->code, &launch);
    out->launch = keep(c, tcc_text_str(&launch));
    tcc_text_destroy(&launch);
    out->cached = driver->objects.data[kernel->object]->cached;
    out->by_mlir = driver->objects.data[kernel->object]->by_mlir;
    out->cold = kernel->cold && driver->objects.data[kernel->object]->effort == TCC_EFFORT_LITTLE;
    out->chosen = !*out->schedule                                       ? ""
                  : tcc_has_attribute(kernel->function, "tcc.recorded") ? "a record of tcc-tune"
                  : tcc_has_attribute(kernel->function, "tcc.schedule") ? "the model"
                                                                        : "the heuristic";
    TccStr unpacked;
    if (tcc_get_str(driver->ir, kernel->function, "tcc.unpacked", &unpacked)) out->unpacked = keep(c, unpacked);
  }
  for (size_t i = 0; i < driver->objects.count; i++)
    if (driver->objects.data[i]->cached) result->cache_hits++;
    else result->cache_misses += !driver->only_plan;
  describe_plan(c, plan, driver->by_name);
}

/* What an artifact says about how it was compiled. */
static TccStr options_text(Compilation *c) {
  const TccCompileOptions *options = c->driver.options;
  TccText text = {0};
  tcc_text_printf(&text, "tcc: %s\nmode: %s\nnumerics: %s\nautocast: %s\nindices: %s\nregions: %s\n", tcc_runtime_version(),
                  tcc_mode_words[tcc_mode_of_artifact(options->mode)], tcc_numerics_words[tcc_numerics(c->driver.module)],
                  tcc_autocast_words[options->autocast], tcc_indices_words[options->indices],
                  options->no_dedup ? "each copy by itself" : "once for all copies");
  for (size_t i = 0; i < options->ndims; i++)
    tcc_text_printf(&text, "%s%s=%lld%s", i ? " " : "dims: ", options->dims[i].name, (long long)options->dims[i].size,
                    i + 1 == options->ndims ? "\n" : "");
  TccStr kept = {keep(c, tcc_text_str(&text)), text.length};
  tcc_text_destroy(&text);
  return kept;
}

/* Reads weights, and looks whether what was read is as it was. */
static TccStatus *make_plan(Compilation *c, const char *model, TccText *plan) {
  TccDriver *driver = &c->driver;
  TccPlanFiles files = plan_files(c, model);
  TccStr *weights;
  size_t ncodes;
  const TccPlanCode *codes = tcc_driver_images(driver, c->result->arena, &ncodes);
  const TccPlanRequest request = {driver->ir, driver->module, driver->target, options_text(c), lookup_code,
                                  driver,     &files,         codes,          ncodes};
  if (mlirLogicalResultIsFailure(tcc_plan_build(&request, plan, &weights, &c->result->nweights)))
    return failed(c, TCC_UNSUPPORTED, "no plan");
  if (c->result->sources) tcc_sources_drop_pages(c->result->sources); /* a sample of each weight was read */
  TCC_TRY(tcc_status_context(tcc_plan_check(plan->data, plan->length), "the plan that was just made"));
  c->result->weights = TCC_NEW_ARRAY(c->result->arena, TccStr, c->result->nweights + 1);
  for (size_t i = 0; i < c->result->nweights; i++) c->result->weights[i] = weights[i];
  TCC_TRY(check_unchanged(c));
  if (driver->options->explain) tcc_plan_print(plan->data, &c->result->plan);
  return tcc_text_status(&c->result->plan);
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
  driver->only_plan = driver->options->explain && driver->target->of->no_artifact;
  if (driver->target->of->no_artifact && !driver->only_plan)
    TCC_GOTO(TCC_ERROR(TCC_UNSUPPORTED, "%s", driver->target->of->no_artifact));
  if (driver->options->ptxas && tcc_driver_on_device(driver) && !driver->only_plan)
    TCC_GOTO(tcc_ptxas_find(c->result->arena, driver->options->ptxas, &driver->ir->limit, &driver->ptxas));
  tcc_driver_start(driver);
  TCC_GOTO(import_model(c, model));
  TCC_GOTO(tcc_driver_tie(c->driver.ir, c->driver.module, driver->options));
  DONE("import");
  c->result->import_ms = last - start;
  TCC_GOTO(set_numerics(c));
  TCC_GOTO(run_passes(c));
  last = tcc_now_ms();
  TCC_GOTO(tcc_driver_emit(driver));
  DONE("emit");
  if (tcc_expr_too_large(driver->ir->exprs)) TCC_GOTO(TCC_ERROR(TCC_UNSUPPORTED, "a size is an expression of too many terms"));
  const bool images = tcc_driver_on_device(driver); /* a plan has them inside; else it waits for no object */
  if (!images) {
    TCC_GOTO(make_plan(c, model, &plan));
    DONE("plan");
  }
  TCC_GOTO(tcc_driver_objects(driver));
  DONE("objects");
  if (images) {
    TCC_GOTO(make_plan(c, model, &plan));
    DONE("plan");
  }
  if (!driver->only_plan) TCC_GOTO(link_artifact(c, tcc_text_str(&plan)));
  DONE("link");
#undef DONE
  describe(c, (const TccPlanHeader *)plan.data);
  if (driver->options->explain) {
    tcc_tensors_list(driver->ir, driver->module, c->result->arena, &c->result->tensors, &c->result->ntensors);
    tcc_remarks_list(driver->module, c->result->arena, &c->result->remarks, &c->result->nremarks);
    tcc_ports_list((const TccPlanHeader *)plan.data, c->result);
  }
  c->result->compile_ms = last - start - c->result->import_ms;
done:
  tcc_driver_stop(driver);
  tcc_text_destroy(&plan);
  return status;
}

TccStatus *tcc_compile_with(const char *model, TccStr bytes, const TccCompileOptions *options, TccTuner *tuner,
                            TccCompileResult *out) {
  static const TccCompileOptions defaults;
  *out = (TccCompileResult){.arena = tcc_arena_create()};
  double start = tcc_now_ms();
  tcc_driver_heap();
  Compilation c = {.bytes = bytes, .result = out, .tuner = tuner};
  c.driver.ir = tcc_ir_create();
  c.driver.options = options ? options : &defaults;
  size_t most;
  if (!tcc_mul_size(c.driver.options->compile_megabytes, 1 << 20, &most)) most = SIZE_MAX;
  tcc_limit_start(&c.driver.ir->limit, c.driver.options->compile_seconds, most);
  c.driver.cache = tcc_cache_open(!c.driver.options->no_cache);
  c.driver.by_name = tcc_map_create(out->arena);
  c.driver.by_symbol = tcc_map_create(out->arena);
  c.driver.routines = tcc_map_create(out->arena);
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(c.driver.ir->context, collect, &c, NULL);
  add_phase(&c, "start", tcc_now_ms() - start);
  TccStatus *status = compile(&c, model);
  out->phases = c.phases.data;
  out->nphases = c.phases.count;
  for (size_t i = 0; i < c.driver.objects.count; i++) {
    tcc_text_destroy(&c.driver.objects.data[i]->bytes);
    tcc_text_destroy(&c.driver.objects.data[i]->cubin);
    tcc_status_destroy(c.driver.objects.data[i]->status); /* where the compilation failed before it was looked at */
  }
  if (!mlirOperationIsNull(c.driver.module)) mlirOperationDestroy(c.driver.module);
  mlirContextDetachDiagnosticHandler(c.driver.ir->context, handler);
  tcc_ir_destroy(c.driver.ir);
  tcc_cache_close(c.driver.cache);
  tcc_records_close(c.records);
  tcc_text_destroy(&c.diagnostics);
  return bytes.data ? tcc_status_context(status, "%s", model) : status;
}

void tcc_compile_result_destroy(TccCompileResult *result) {
  tcc_text_destroy(&result->artifact);
  tcc_text_destroy(&result->plan);
  tcc_sources_close(result->sources);
  for (size_t i = 0; i < result->nmaps; i++) tcc_file_unmap(&result->maps[i]);
  tcc_arena_destroy(result->arena);
  *result = (TccCompileResult){0};
}
