/* module.c - a model as the module of a training step: parameters as arguments, differentiated, with the optimiser behind. */
#include "lib/ir/ports.h"
#include "lib/train/trainer.h"
#include "tcc/diagnostics.h"
#include "tcc/import.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/random.h"
#include "tcc/target.h"
#include <string.h>

typedef struct {
  TccTrainer *t;
  TccIr *ir;
  MlirOperation module;
  TccText diagnostics;
  const TccTargetInfo *target;
} Making;

static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *user) {
  Making *m = user;
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) tcc_diagnostic_text(diagnostic, &m->diagnostics);
  return mlirLogicalResultSuccess();
}

static TccStatus *failed(Making *m, TccCode code, const char *what) {
  while (m->diagnostics.length && m->diagnostics.data[m->diagnostics.length - 1] == '\n')
    m->diagnostics.data[--m->diagnostics.length] = 0;
  return TCC_ERROR(code, "%s", m->diagnostics.length ? m->diagnostics.data : what);
}

/* Into m->module; the files that it has are the caller's. */
static TccStatus *import_model(Making *m, bool no_dropout, TccSources **sources) {
  const TccCompileOptions *options = &m->t->options.compile;
  TccSize *sizes = TCC_NEW_ARRAY(m->t->arena, TccSize, options->ndims + 1);
  for (size_t i = 0; i < options->ndims; i++) sizes[i] = (TccSize){tcc_str(options->dims[i].name), options->dims[i].size};
  TccImportOptions import = {.dims = sizes,
                             .ndims = options->ndims,
                             .sources = sources,
                             .weights_dir = options->weights_dir,
                             .weights = options->weights,
                             .parameters = true,
                             .no_dropout = no_dropout};
  TccImportOutcome outcome = TCC_IMPORT_OK;
  m->module = tcc_import_file(m->ir, m->t->path, &import, &outcome);
  if (!mlirOperationIsNull(m->module)) return NULL;
  return failed(m, outcome == TCC_IMPORT_UNSUPPORTED ? TCC_UNSUPPORTED : TCC_INVALID, "the import failed");
}

static TccStatus *run_passes(Making *m, const char *text) {
  TccPipelineOptions options = {.target = m->target, .explain = m->t->explain};
  bool ok = mlirLogicalResultIsSuccess(tcc_pipeline_run(m->ir, m->module, tcc_str(text), &options));
  return ok ? NULL : failed(m, TCC_INVALID, "a pass failed");
}

/* Where the weights of the model lie, before they become arguments. */
static void note_weights(Making *m) {
  TccTrainer *t = m->t;
  t->weights.count = 0, t->by_name = tcc_map_create(t->arena);
  TCC_EACH_FUNCTION (func, m->module)
    TCC_EACH_OP (op, tcc_func_body(func)) {
      if (tcc_op_kind(m->ir, op) != TCC_OP_WEIGHT) continue;
      TccStr name = tcc_string(m->ir, op, "name");
      TrainWeight weight = {{tcc_arena_copy(t->arena, name.data, name.length), name.length},
                            tcc_i64(m->ir, op, "source"),
                            (uint64_t)tcc_i64(m->ir, op, "offset"),
                            (uint64_t)tcc_i64(m->ir, op, "length")};
      bool inserted;
      TccMapEntry *entry = tcc_map_put(t->by_name, weight.name, &inserted);
      if (inserted) entry->integer = (int64_t)t->weights.count;
      TCC_VEC_PUSH(t->arena, &t->weights, weight);
    }
}

/* As bytecode, with the locations, which are the names of nodes in messages: a text takes several times as long to write and to read. */
static void write_module(MlirOperation module, TccText *out) { mlirOperationWriteBytecode(module, tcc_append, out); }

static void read_main(Making *m, MlirOperation module, TccPorts *out) {
  tcc_ports_read(m->ir, m->t->arena, tcc_module_find(m->ir, module, tcc_str("main")), out);
}

/* What evaluates: nothing is written in place, so no result is tied. */
static void write_forward(Making *m) {
  MlirOperation copy = mlirOperationClone(m->module);
  TccPorts ports;
  size_t kept = 0;
  read_main(m, copy, &ports);
  for (size_t i = 0; i < ports.results.count; i++) {
    if (!mlirAttributeIsNull(tcc_ports_attribute(ports.results.data[i], "tcc.tied"))) continue;
    ports.results.data[kept] = ports.results.data[i], ports.returned.data[kept++] = ports.returned.data[i];
  }
  ports.results.count = ports.returned.count = kept;
  tcc_ports_write(&ports);
  write_module(copy, &m->t->forward);
  mlirOperationDestroy(copy);
}

static bool is_float_scalar(MlirValue value) {
  return tcc_elem_is_float(tcc_value_elem(value)) && tcc_type_rank(tcc_value_type(value)) == 0;
}

/* The output of this name, or without one the only float scalar; -1: there is none. */
static int64_t find_output(const TccPorts *ports, const char *name) {
  int64_t found = -1;
  for (size_t i = 0; i < ports->results.count; i++) {
    MlirAttribute port = ports->results.data[i];
    bool is_it = name ? tcc_str_is(tcc_ports_name(port), name)
                      : is_float_scalar(ports->returned.data[i]) && mlirAttributeIsNull(tcc_ports_attribute(port, "tcc.tied"));
    if (is_it && found >= 0) return -1;
    if (is_it) found = (int64_t)i;
  }
  return found;
}

/* What --loss says is an output, or a loss behind one, which is built here. Without it tcc-grad looks for the only float scalar. */
static TccStatus *choose_loss(Making *m) {
  TccTrainer *t = m->t;
  TccPorts ports;
  read_main(m, m->module, &ports);
  int64_t output = find_output(&ports, t->options.loss);
  if (output >= 0) {
    TccStr name = tcc_ports_name(ports.results.data[output]);
    t->loss_name = tcc_arena_copy(t->arena, name.data, name.length);
    return NULL;
  }
  t->loss_name = "loss";
  return t->options.loss ? run_passes(m, tcc_arena_printf(t->arena, "tcc-loss{kind=%s}", t->options.loss)) : NULL;
}

/* The names of parameters with commas between; the number of them. */
static size_t parameter_names(Making *m, TccText *out) {
  TccPorts ports;
  size_t count = 0;
  read_main(m, m->module, &ports);
  for (size_t i = 0; i < ports.arguments.count; i++) {
    if (mlirAttributeIsNull(tcc_ports_attribute(ports.arguments.data[i], "tcc.parameter"))) continue;
    TccStr name = tcc_ports_name(ports.arguments.data[i]);
    tcc_text_printf(out, "%s%.*s", count++ ? "," : "", TCC_STR_ARG(name));
  }
  return count;
}

/* In f16 small gradients are 0 and large ones infinite: the loss is scaled, as PyTorch's GradScaler does it. */
static const char *derivatives(Making *m, const char *names) {
  enum { SCALE_INTERVAL = 2000 };
  const TccTrainOptions *o = &m->t->options;
  const char *loss = m->t->loss_name, *optimizer = o->optimizer ? o->optimizer : "";
  bool scaled = o->compile.autocast == TCC_AUTOCAST_F16;
  return tcc_arena_printf(
      m->t->arena,
      "%s%s%stcc-recompose,tcc-loop-invariants,%s%stcc-grad{of=%s wrt=%s recompute=%ld},tcc-simplify,tcc-optimizer{%s loss=%s scale-interval=%d functions=%d}",
      scaled ? "tcc-loss-scale{of=" : "", scaled ? loss : "", scaled ? "}," : "", o->compile.no_dedup ? "" : "tcc-dedup-regions,",
      m->t->row_blocks ? "tcc-row-blocks," : "",
      scaled    ? "loss:scaled"
      : o->loss ? loss
                : "",
      names, m->t->recompute, optimizer, loss, scaled ? SCALE_INTERVAL : 0, !o->compile.no_dedup);
}

/* The model with its loss, whose weights are arguments where they are trained. */
static TccStatus *take_parameters(Making *m) {
  const TccTrainOptions *o = &m->t->options;
  TccText text = {0};
  tcc_text_printf(&text, "tcc-gradient,tcc-parameters{train=%s freeze=%s}", o->train ? o->train : "*", o->freeze ? o->freeze : "");
  TccAutocast autocast = o->compile.autocast;
  if (autocast) tcc_text_printf(&text, ",tcc-recompose,tcc-autocast{to=%s}", tcc_autocast_words[autocast]);
  TccStatus *status = run_passes(m, text.data);
  tcc_text_destroy(&text);
  return status;
}

static TccStatus *differentiate(Making *m) {
  TccText names = {0};
  TccStatus *status = NULL;
  if (!parameter_names(m, &names)) status = TCC_ERROR(TCC_INVALID, "%s: no weight is trained", m->t->path);
  if (!status) status = run_passes(m, derivatives(m, names.data));
  if (!status && m->t->explain) train_note_saved(m->t, m->ir, m->module);
  tcc_text_destroy(&names);
  return status;
}

bool train_is_random(const char *name) { return !strcmp(name, TCC_INPUT_SEED) || !strcmp(name, TCC_INPUT_OFFSET); }

/* The arguments of @main, before parameters are among them: those of random numbers are nobody's to give. True: there are such. */
static bool note_inputs(Making *m) {
  TccTrainer *t = m->t;
  TccPorts ports;
  read_main(m, m->module, &ports);
  t->ninputs = t->narguments = ports.arguments.count;
  for (size_t i = 0; i < ports.arguments.count; i++) {
    TccStr name = tcc_ports_name(ports.arguments.data[i]);
    t->ninputs -= train_is_random(tcc_arena_copy(t->arena, name.data, name.length));
  }
  return t->ninputs < t->narguments;
}

static TccStatus *open_model(Making *m, bool no_dropout, TccSources **sources) {
  TCC_TRY(import_model(m, no_dropout, sources));
  TCC_TRY(run_passes(m, "import"));
  return choose_loss(m);
}

/* What evaluates a model that draws is imported again, without dropout. */
static TccStatus *write_without_dropout(Making *m) {
  MlirOperation step = m->module;
  TccSources *sources = NULL;
  m->module = (MlirOperation){NULL};
  TccStatus *status = open_model(m, true, &sources);
  if (!status) status = take_parameters(m);
  if (!status) write_forward(m);
  if (!mlirOperationIsNull(m->module)) mlirOperationDestroy(m->module);
  tcc_sources_close(sources);
  m->module = step;
  return status;
}

TccStatus *train_modules(TccTrainer *t, TccText *out_step) {
  Making m = {.t = t, .ir = tcc_ir_create()};
  tcc_sources_close(t->sources), t->sources = NULL;
  tcc_text_destroy(&t->forward), t->forward = (TccText){0};
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(m.ir->context, collect, &m, NULL);
  TccStatus *status = tcc_target_parse(m.ir->arena, t->options.compile.target, &m.target);
  bool draws = false;
  if (!status) status = open_model(&m, false, &t->sources);
  if (!status) note_weights(&m), draws = note_inputs(&m);
  if (!status) status = take_parameters(&m);
  if (!status && !draws) write_forward(&m);
  if (!status && draws) status = write_without_dropout(&m);
  if (!status) status = differentiate(&m);
  if (!status) write_module(m.module, out_step);
  mlirContextDetachDiagnosticHandler(m.ir->context, handler);
  if (!mlirOperationIsNull(m.module)) mlirOperationDestroy(m.module);
  tcc_text_destroy(&m.diagnostics);
  tcc_ir_destroy(m.ir);
  return status;
}

TccStatus *train_compile(TccTrainer *t, const TccText *text, bool is_step, TccModel **out_model, TccContext **out_context) {
  TccCompileOptions options = t->options.compile;
  TccCompileResult result;
  options.autocast = TCC_AUTOCAST_NONE; /* done, before the derivatives */
  options.ndims = 0;                    /* they are in the module, and so is where weights lie */
  options.weights = NULL;
  const char *own = tcc_path_directory(t->arena, t->path), *folder = options.weights_dir ? options.weights_dir : *own ? own : ".";
  options.weights_dir = folder;
  TccLoadOptions load = {.weights_dir = folder, .threads = options.threads};
  TccContextOptions context = {.threads = options.threads,
                               .profile = is_step ? t->options.profile : NULL,
                               .user = t->options.profile_user,
                               .graphs = options.mode == TCC_MODE_REDUCE_OVERHEAD};
  TccStatus *status = tcc_compile_memory("training.mlirbc", tcc_text_str(text), &options, &result);
  if (!status) status = tcc_model_load_memory(result.artifact.data, result.artifact.length, &load, out_model);
  if (!status) status = tcc_context_create(*out_model, &context, out_context);
  tcc_compile_result_destroy(&result);
  return status;
}
