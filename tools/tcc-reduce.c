/* tcc-reduce.c - makes a model smaller that a command fails on: delta debugging over the operations of main.
 *
 * A candidate keeps some operations. What they read of others becomes an argument, with the value that the interpreter finds on the way
 * from --data; what nobody reads is returned. It is taken if the command ends with it as it does with the whole model. (Zeller and
 * Hildebrandt, "Simplifying and isolating failure-inducing input", 2002: ddmin.) */
#include "mlir-c/BuiltinTypes.h"
#include "tcc/diagnostics.h"
#include "tcc/import.h"
#include "tcc/interp.h"
#include "tcc/op_kinds.h"
#include "tools/common.h"
#include "tools/common_ir.h"
#include "tools/reduce.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPT_OUTPUT, OPT_DATA, OPT_MATCH, OPT_SECONDS };
static const TccOption table[] = {
    [OPT_OUTPUT] = {"-o", "DIR", "where model.mlir goes, and with --data its inputs and what the interpreter makes of them"},
    [OPT_DATA] = {"--data", "DIR", "input_K.pb or .npy of the model; without, COMMAND makes inputs up (--random)"},
    [OPT_MATCH] = {"--match", "TEXT",
                   "what COMMAND's output has where it fails as it should; default: its exit status decides alone"},
    [OPT_SECONDS] = {"--seconds", "N", "that COMMAND may take before it counts as hanging; default 60"},
};
static const TccCommand command = {
    .name = "tcc-reduce",
    .usage = "MODEL -o DIR [options] -- COMMAND...",
    .summary = "Makes a model smaller on which COMMAND fails; in COMMAND, {} is the model and {data} the folder with its data.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .takes_models = true,
    .epilogue = "tcc-reduce wrong.onnx -o small --data=set -- tcc-run {} --data={data} --check\n",
};

typedef struct {
  const char *model, *output, *data;
  ReduceCommand command;
} Options;

typedef struct {
  const Options *options;
  TccIr *ir;
  MlirOperation module;
  MlirOperation *ops; /* of main, but for its return and tcc.none */
  size_t nops;
  TccHostTensor **inputs; /* of main */
  size_t ninputs;
  TccHostTensor **values; /* of all results of ops in order; NULL without data */
  size_t nvalues, tries;
  ReduceOutcome wanted;
} Reduction;

static void parse(int argc, char **argv, Options *o, const char **words) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  *o = (Options){.command = {.words = words, .seconds = 60}};
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (!o->model) o->model = arg.value;
      else if (args.only_files) words[o->command.count++] = arg.value;
      else tcc_usage_error(&command, "one model at a time: '%s' and '%s'; the command stands behind --", o->model, arg.value);
      break;
    case OPT_OUTPUT: o->output = arg.value; break;
    case OPT_DATA: o->data = arg.value; break;
    case OPT_MATCH: o->command.match = arg.value; break;
    case OPT_SECONDS:
      o->command.seconds = tcc_arg_number(&command, &arg);
      if (!(o->command.seconds > 0)) tcc_usage_error(&command, "--seconds is a number above zero");
      break;
    }
  }
  if (!o->model) tcc_usage_error(&command, "a model is needed; see tcc-reduce --help");
  if (!o->output) tcc_usage_error(&command, "-o DIR is needed");
  char first[PATH_MAX];
  snprintf(first, sizeof first, "%s/model.mlir", o->output);
  if (tcc_same_file(first, o->model)) tcc_usage_error(&command, "-o %s: its model.mlir is the model itself", o->output);
  if (!o->command.count) tcc_usage_error(&command, "a command is needed, behind --");
}

/* ---- the model ---- */
static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *text) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) tcc_diagnostic_text(diagnostic, text);
  return mlirLogicalResultSuccess();
}

/* Weights stay in the files of the model, wherever a candidate is. */
static TccStatus *name_sources(Reduction *r) {
  char path[PATH_MAX];
  MlirAttribute names = tcc_attribute(r->module, "tcc.sources");
  if (mlirAttributeIsNull(names) || !mlirAttributeIsAArray(names)) return NULL;
  const intptr_t count = mlirArrayAttrGetNumElements(names);
  MlirAttribute *absolute = TCC_NEW_ARRAY(r->ir->arena, MlirAttribute, count + 1);
  const char *slash = strrchr(r->options->model, '/');
  for (intptr_t i = 0; i < count; i++) {
    const MlirStringRef name = mlirStringAttrGetValue(mlirArrayAttrGetElement(names, i));
    const bool is_absolute = name.length && name.data[0] == '/';
    const int length = slash && !is_absolute ? (int)(slash + 1 - r->options->model) : 0;
    const char *file = tcc_arena_printf(r->ir->arena, "%.*s%.*s", length, r->options->model, (int)name.length, name.data);
    if (!realpath(file, path)) return TCC_ERROR(TCC_NOT_FOUND, "%s: %s", file, strerror(errno));
    absolute[i] = tcc_attr_str(r->ir, tcc_str(path));
  }
  tcc_set_attribute(r->module, "tcc.sources", mlirArrayAttrGet(r->ir->context, count, absolute));
  return NULL;
}

static TccStatus *read_model(Reduction *r) {
  TccText diagnostics = {0};
  TccStatus *status = NULL;
  TccImportOutcome outcome;
  const TccModelKind kind = tcc_model_kind(r->options->model);
  const MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(r->ir->context, collect, &diagnostics, NULL);
  if (kind == TCC_MODEL_IMPORTED) {
    r->module = tcc_import_file(r->ir, r->options->model, &(TccImportOptions){0}, &outcome);
  } else if (kind == TCC_MODEL_MLIR) {
    TccText text = {0};
    status = tcc_read_input(r->options->model, &text);
    if (!status)
      r->module = mlirModuleGetOperation(mlirModuleCreateParse(r->ir->context, mlirStringRefCreate(text.data, text.length)));
    tcc_text_destroy(&text);
  } else {
    status = tcc_model_refuse(r->options->model, true);
  }
  mlirContextDetachDiagnosticHandler(r->ir->context, handler);
  if (!status && mlirOperationIsNull(r->module))
    status = TCC_ERROR(TCC_INVALID, "%s", diagnostics.length ? diagnostics.data : "no model");
  tcc_text_destroy(&diagnostics);
  return status ? status : name_sources(r);
}

static MlirBlock main_of(Reduction *r, MlirOperation module) {
  const MlirOperation main = tcc_module_find(r->ir, module, tcc_str("main"));
  return mlirOperationIsNull(main) ? (MlirBlock){NULL} : tcc_func_body(main);
}

static bool is_reducible(Reduction *r, MlirOperation op) {
  return !mlirOperationEqual(op, mlirBlockGetTerminator(mlirOperationGetBlock(op))) && tcc_op_kind(r->ir, op) != TCC_OP_NONE;
}

static TccStatus *list_ops(Reduction *r) {
  const MlirBlock body = main_of(r, r->module);
  if (mlirBlockIsNull(body)) return TCC_ERROR(TCC_INVALID, "%s: it has no function main", r->options->model);
  size_t count = 0;
  TCC_EACH_OP (op, body) count++;
  r->ops = TCC_NEW_ARRAY(r->ir->arena, MlirOperation, count);
  TCC_EACH_OP (op, body)
    if (is_reducible(r, op)) r->ops[r->nops++] = op;
  return NULL;
}

/* ---- values ---- */
static void set_results(Reduction *r, MlirOperation module, const MlirValue *values, size_t count) {
  const MlirBlock body = main_of(r, module);
  const MlirOperation main = mlirBlockGetParentOperation(body), end = mlirBlockGetTerminator(body);
  const intptr_t n = mlirBlockGetNumArguments(body);
  MlirType *inputs = TCC_NEW_ARRAY(r->ir->arena, MlirType, n + 1), *results = TCC_NEW_ARRAY(r->ir->arena, MlirType, count + 1);
  for (intptr_t i = 0; i < n; i++) inputs[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
  for (size_t i = 0; i < count; i++) results[i] = mlirValueGetType(values[i]);
  mlirBlockAppendOwnedOperation(body, tcc_make_return(r->ir, mlirOperationGetLocation(end), count, values));
  mlirOperationDestroy(end);
  mlirOperationRemoveAttributeByName(main, mlirStringRefCreateFromCString("res_attrs"));
  mlirOperationRemoveAttributeByName(main, mlirStringRefCreateFromCString("arg_attrs"));
  tcc_set_attribute(main, "function_type",
                    mlirTypeAttrGet(mlirFunctionTypeGet(r->ir->context, n, inputs, (intptr_t)count, results)));
}

static TccStatus *read_data(Reduction *r) {
  const char *directory = r->options->data;
  const size_t count = (size_t)mlirBlockGetNumArguments(main_of(r, r->module));
  r->inputs = TCC_NEW_ARRAY(r->ir->arena, TccHostTensor *, count + 1);
  for (; r->ninputs < count; r->ninputs++) {
    const char *file = tcc_arena_printf(r->ir->arena, "%s/input_%zu.pb", directory, r->ninputs);
    if (access(file, R_OK) != 0) file = tcc_arena_printf(r->ir->arena, "%s/input_%zu.npy", directory, r->ninputs);
    TCC_TRY(tcc_host_tensor_read(file, &r->inputs[r->ninputs]));
    const TccElem elem = tcc_type_elem(mlirValueGetType(mlirBlockGetArgument(main_of(r, r->module), (intptr_t)r->ninputs)));
    if (elem == TCC_ELEM_BF16 && r->inputs[r->ninputs]->elem == TCC_ELEM_U16) r->inputs[r->ninputs]->elem = elem; /* of a .npy */
  }
  return NULL;
}

/* What each operation makes of the data. */
static TccStatus *read_values(Reduction *r) {
  TCC_TRY(read_data(r));
  MlirOperation module = mlirOperationClone(r->module);
  size_t count = 0;
  TCC_EACH_OP (op, main_of(r, module)) count += (size_t)mlirOperationGetNumResults(op);
  MlirValue *values = TCC_NEW_ARRAY(r->ir->arena, MlirValue, count + 1);
  count = 0;
  TCC_EACH_OP (op, main_of(r, module))
    if (is_reducible(r, op))
      for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) values[count++] = mlirOperationGetResult(op, i);
  set_results(r, module, values, count);
  TccStatus *status = tcc_interpret(r->ir, module, tcc_str("main"), "", (const TccHostTensor *const *)r->inputs, r->ninputs,
                                    &r->values, &r->nvalues);
  mlirOperationDestroy(module);
  return status;
}

/* ---- candidates ---- */
typedef struct {
  TccText text;
  const TccHostTensor **inputs, **outputs;
  size_t ninputs, noutputs;
} Candidate;

static bool is_read(MlirValue value) { return !mlirOpOperandIsNull(mlirValueGetFirstUse(value)); }

/* Arguments that nobody reads go; each of the others has its data. */
static void drop_arguments(const Reduction *r, MlirBlock body, const TccHostTensor **data, Candidate *out) {
  for (intptr_t i = mlirBlockGetNumArguments(body); i-- > 0;)
    if (!is_read(mlirBlockGetArgument(body, i))) {
      mlirBlockEraseArgument(body, (unsigned)i);
      data[i] = NULL;
    } else {
      out->ninputs++;
    }
  size_t at = 0;
  out->inputs = TCC_NEW_ARRAY(r->ir->arena, const TccHostTensor *, out->ninputs + 1);
  for (size_t i = 0; r->values && at < out->ninputs; i++)
    if (data[i]) out->inputs[at++] = data[i];
}

/* A module of the operations whose number is in kept. */
static void make_candidate(Reduction *r, const bool *kept, Candidate *out) {
  *out = (Candidate){0};
  MlirOperation module = mlirOperationClone(r->module);
  const MlirBlock body = main_of(r, module);
  MlirOperation *ops = TCC_NEW_ARRAY(r->ir->arena, MlirOperation, r->nops + 1);
  size_t count = 0, value = 0, narguments = (size_t)mlirBlockGetNumArguments(body), room = narguments + 1;
  TCC_EACH_OP (op, body)
    if (is_reducible(r, op)) ops[count++] = op, room += (size_t)mlirOperationGetNumResults(op);
  const TccHostTensor **data = TCC_NEW_ARRAY(r->ir->arena, const TccHostTensor *, room);
  MlirValue *results = TCC_NEW_ARRAY(r->ir->arena, MlirValue, room);
  out->outputs = TCC_NEW_ARRAY(r->ir->arena, const TccHostTensor *, room);
  for (size_t i = 0; i < narguments && r->values; i++) data[i] = r->inputs[i];
  mlirOperationDestroy(mlirBlockGetTerminator(body));
  for (size_t i = 0; i < count; i++)
    for (intptr_t k = 0; k < mlirOperationGetNumResults(ops[i]); k++, value++) {
      const MlirValue result = mlirOperationGetResult(ops[i], k);
      if (kept[i]) continue;
      if (r->values) data[narguments] = r->values[value];
      narguments++;
      mlirValueReplaceAllUsesOfWith(result, mlirBlockAddArgument(body, mlirValueGetType(result), mlirOperationGetLocation(ops[i])));
    }
  for (size_t i = count; i-- > 0;)
    if (!kept[i]) mlirOperationDestroy(ops[i]);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tcc_op_kind(r->ir, op) == TCC_OP_NONE && !is_read(mlirOperationGetResult(op, 0))) mlirOperationDestroy(op);
  }
  value = 0;
  for (size_t i = 0; i < count; i++)
    for (intptr_t k = 0, n = mlirOperationGetNumResults(r->ops[i]); k < n; k++, value++) {
      if (!kept[i] || is_read(mlirOperationGetResult(ops[i], k))) continue;
      if (r->values) out->outputs[out->noutputs] = r->values[value];
      results[out->noutputs++] = mlirOperationGetResult(ops[i], k);
    }
  drop_arguments(r, body, data, out);
  mlirBlockAppendOwnedOperation(body,
                                tcc_make_return(r->ir, mlirOperationGetLocation(module), 0, NULL)); /* set_results replaces it */
  set_results(r, module, results, out->noutputs);
  mlirOperationPrint(module, tcc_append, &out->text);
  mlirOperationDestroy(module);
}

static TccStatus *write_candidate(const Reduction *r, const Candidate *candidate, const char *folder) {
  if (mkdir(folder, 0777) != 0 && errno != EEXIST) return TCC_ERROR(TCC_IO, "%s: %s", folder, strerror(errno));
  TCC_TRY(reduce_clear(folder));
  TCC_TRY(tcc_write_output(tcc_arena_printf(r->ir->arena, "%s/model.mlir", folder),
                           (TccStr){candidate->text.data, candidate->text.length}));
  for (size_t i = 0; r->values && i < candidate->ninputs; i++)
    TCC_TRY(tcc_host_tensor_write_npy(candidate->inputs[i], tcc_arena_printf(r->ir->arena, "%s/input_%zu.npy", folder, i)));
  for (size_t i = 0; r->values && i < candidate->noutputs; i++)
    TCC_TRY(tcc_host_tensor_write_npy(candidate->outputs[i], tcc_arena_printf(r->ir->arena, "%s/output_%zu.npy", folder, i)));
  return NULL;
}

/* Writes the candidate to -o and runs the command there. */
static TccStatus *try_candidate(Reduction *r, const bool *kept, ReduceOutcome *out) {
  Candidate candidate;
  make_candidate(r, kept, &candidate);
  TccStatus *status = tcc_text_status(&candidate.text);
  if (!status) status = write_candidate(r, &candidate, r->options->output);
  if (!status)
    status = reduce_run(&r->options->command, tcc_arena_printf(r->ir->arena, "%s/model.mlir", r->options->output),
                        r->options->output, out);
  tcc_text_destroy(&candidate.text);
  r->tries++;
  return status;
}

static bool same(const ReduceOutcome *a, const ReduceOutcome *b) { return a->status == b->status && a->matches && b->matches; }

/* ddmin, but for its subsets: whether the operations without a part fail alike, for smaller and smaller parts. */
static TccStatus *minimise(Reduction *r, bool *kept, size_t *out_count) {
  bool *trial = TCC_NEW_ARRAY(r->ir->arena, bool, r->nops + 1);
  size_t count = r->nops;
  for (size_t part = (count + 1) / 2; part > 0 && count > 1;) {
    bool smaller = false;
    for (size_t from = 0; from < r->nops && count > 1;) { /* of the operations from `from` on, `part` that are kept */
      size_t dropped = 0, to = from;
      memcpy(trial, kept, r->nops);
      for (; to < r->nops && dropped < part; to++) dropped += kept[to], trial[to] = false;
      ReduceOutcome outcome = {0};
      if (dropped && dropped < count) TCC_TRY(try_candidate(r, trial, &outcome));
      if (dropped && dropped < count && same(&outcome, &r->wanted)) {
        memcpy(kept, trial, r->nops);
        count -= dropped, smaller = true;
        char line[80];
        snprintf(line, sizeof line, "%zu of %zu operations, %zu tries", count, r->nops, r->tries);
        tcc_progress(line, NULL);
      }
      from = to;
    }
    if (part > 1) part /= 2;
    else if (!smaller) part = 0; /* each of those that are left is needed */
  }
  tcc_progress(NULL, NULL);
  *out_count = count;
  return NULL;
}

static TccStatus *reduce(Reduction *r) {
  TCC_TRY(read_model(r));
  TCC_TRY(list_ops(r));
  if (r->options->data) TCC_TRY(read_values(r));
  bool *kept = TCC_NEW_ARRAY(r->ir->arena, bool, r->nops + 1);
  memset(kept, true, r->nops);
  TCC_TRY(try_candidate(r, kept, &r->wanted));
  if (r->options->command.match ? !r->wanted.matches : r->wanted.status == 0)
    return TCC_ERROR(TCC_INVALID, "the command does not fail on the whole model%s%s: nothing to look for",
                     r->options->command.match ? ", its output lacks " : "",
                     r->options->command.match ? r->options->command.match : "");
  size_t count;
  TCC_TRY(minimise(r, kept, &count));
  ReduceOutcome last;
  TCC_TRY(try_candidate(r, kept, &last)); /* the folder has another one's */
  if (!same(&last, &r->wanted))
    return TCC_ERROR(TCC_MISMATCH, "the command does not fail each time: what is in %s may be right", r->options->output);
  printf("%zu of %zu operations are left in %s/model.mlir, after %zu tries\n", count, r->nops, r->options->output, r->tries);
  return NULL;
}

int main(int argc, char **argv) {
  Options options;
  const char **words = tcc_check_memory(&command, calloc((size_t)argc + 1, sizeof *words));
  parse(argc, argv, &options, words);
  Reduction r = {.options = &options, .ir = tcc_ir_create()};
  TccStatus *status = reduce(&r);
  for (size_t i = 0; i < r.ninputs; i++) tcc_host_tensor_destroy(r.inputs[i]);
  for (size_t i = 0; i < r.nvalues; i++) tcc_host_tensor_destroy(r.values[i]);
  free(r.values);
  if (!mlirOperationIsNull(r.module)) mlirOperationDestroy(r.module);
  tcc_ir_destroy(r.ir);
  free(words);
  return tcc_exit_status(&command, status);
}
