/* import.c - an ONNX model becomes a module: arguments, the graph, results, and the report of what is not supported.
 *
 * The graph is walked once, in file order (ONNX asks for a topological one). Nodes that fail are collected, and what
 * depends on them is passed over, so that the report names everything at once. When a shape turns out to depend on the
 * data of an input that the caller gave, that input is marked and the walk begins again: this happens at most once an
 * input, and keeps the handlers free of a second way to look at values.
 *
 * A table of 128 rows sliced to [0, seq) has min(seq, 128) rows; added to something of seq rows that does not fit, though
 * the model means seq <= 128. If a walk with such minima fails, it is done again without them, and each such assumption
 * is a constraint of the module ("128 - seq" must not be negative), to be checked when sizes are bound. Likewise a size that
 * was halved and doubled again and meets the one it was made from: that the two are equal is two constraints. */
#include "lib/frontend/onnx/import_run.h"
#include <stdlib.h>

static MlirStringRef ref(const char *text) { return mlirStringRefCreateFromCString(text); }
static MlirStringRef str_ref(TccStr text) { return mlirStringRefCreate(text.data, text.length); }

static MlirNamedAttribute named(OnnxImport *run, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(run->ir->context, ref(name)), value);
}

MlirLocation onnx_location(OnnxImport *run, TccStr name) {
  if (!run->place.ptr) run->place = mlirLocationFileLineColGet(run->ir->context, ref(run->file), 0, 0);
  return name.length ? mlirLocationNameGet(run->ir->context, str_ref(name), run->place) : run->place;
}

/* ---- sizes of inputs ---- */
static const TccExpr *override_symbol(TccStr name, void *user) {
  OnnxImport *run = user;
  for (size_t i = 0; i < run->options->ndims; i++)
    if (tcc_str_equal(run->options->dims[i].name, name)) return tcc_expr_const(run->ir->exprs, run->options->dims[i].value);
  const TccMapEntry *fixed = tcc_map_find(run->fixed, name);
  return fixed ? tcc_expr_const(run->ir->exprs, fixed->integer) : NULL;
}

typedef struct {
  const TccMap *params;
  bool all_known;
} Lookup;
static void note_unknown(TccStr name, void *user) {
  Lookup *lookup = user;
  if (!tcc_map_find(lookup->params, name)) lookup->all_known = false;
}

/* A symbol for a size without a name, the same in each walk: what one walk fixes must mean something in the next. */
static const TccExpr *unnamed_size(OnnxImport *run, TccStr input, size_t axis) {
  bool inserted;
  const char *key = tcc_arena_printf(run->arena, "%.*s %zu", TCC_STR_ARG(input), axis);
  TccMapEntry *entry = tcc_map_put(run->unnamed, tcc_str(key), &inserted);
  if (inserted) entry->constant = tcc_expr_fresh(run->ir->exprs, "d");
  TccStr name;
  const TccExpr *value = tcc_expr_is_symbol(entry->constant, &name) ? override_symbol(name, run) : NULL;
  return value ? value : entry->constant;
}

/* "batch" is a symbol, "past + 1" an expression if its symbols are sizes of their own; anything else is a symbol with an
 * odd name. */
static const TccExpr *param_size(OnnxImport *run, TccStr text) {
  const TccExpr *expr = tcc_expr_symbol(run->ir->exprs, text), *parsed = NULL;
  if (!tcc_map_find(run->params, text)) {
    TccStatus *status = tcc_expr_parse(run->ir->exprs, text, &parsed);
    tcc_status_destroy(status);
    if (!status) {
      Lookup lookup = {run->params, true};
      tcc_expr_symbols(parsed, note_unknown, &lookup);
      if (lookup.all_known) expr = parsed;
    }
  }
  return tcc_expr_substitute(run->ir->exprs, expr, override_symbol, run);
}

/* The dim_params that are plain names: what an expression may refer to. */
static void collect_params(OnnxImport *run) {
  const TccOnnxGraph *graph = run->model->graph;
  for (size_t i = 0; i < graph->input.count; i++) {
    const TccOnnxType *type = graph->input.data[i].type;
    if (!type || !type->tensor_type || !type->tensor_type->shape) continue;
    for (size_t k = 0; k < type->tensor_type->shape->dim.count; k++) {
      const TccOnnxDim *dim = &type->tensor_type->shape->dim.data[k];
      bool plain = dim->kind == TCC_ONNX_DIM_PARAM;
      for (size_t n = 0; plain && n < dim->dim_param.length; n++) {
        char ch = dim->dim_param.data[n];
        plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_' || (n && ch >= '0' && ch <= '9');
      }
      if (plain) tcc_map_put(run->params, dim->dim_param, NULL);
    }
  }
}

const TccHostTensor *onnx_given_data(const OnnxImport *run, TccStr name) {
  for (size_t i = 0; i < run->options->ninputs; i++) {
    TccStr given = run->options->inputs[i].name;
    size_t number = given.length && given.data[0] == '#' ? strtoul(given.data + 1, NULL, 10) : i;
    if ((!given.length || given.data[0] == '#') && number < run->arguments.count) given = run->arguments.data[number];
    if (tcc_str_equal(given, name)) return run->options->inputs[i].tensor;
  }
  return NULL;
}

static bool input_type(OnnxImport *run, const TccOnnxValueInfo *info, MlirType *out) {
  const TccOnnxTensorType *type = info->type ? info->type->tensor_type : NULL;
  const TccHostTensor *data = onnx_given_data(run, info->name);
  if (!type) return onnx_run_fail(run, true, "input '%.*s' is not a tensor", TCC_STR_ARG(info->name));
  if (!type->elem)
    return onnx_run_fail(run, true, "input '%.*s' has element type %lld", TCC_STR_ARG(info->name), (long long)type->elem_type);
  bool baked = tcc_map_find(run->specialised, info->name) != NULL;
  if (baked || (!type->shape && data)) {
    if (data->elem != type->elem)
      return onnx_run_fail(run, false, "the data of input '%.*s' has another element type", TCC_STR_ARG(info->name));
    *out = tcc_tensor_type_static(run->ir, data->elem, data->rank, data->dims);
    return true;
  }
  if (!type->shape) return onnx_run_fail(run, true, "input '%.*s' has no rank", TCC_STR_ARG(info->name));
  const TccExpr *dims[TCC_MAX_RANK];
  if (type->shape->dim.count > TCC_MAX_RANK)
    return onnx_run_fail(run, true, "input '%.*s' has rank %zu", TCC_STR_ARG(info->name), type->shape->dim.count);
  for (size_t i = 0; i < type->shape->dim.count; i++) {
    const TccOnnxDim *dim = &type->shape->dim.data[i];
    dims[i] = dim->kind == TCC_ONNX_DIM_VALUE   ? tcc_expr_const(run->ir->exprs, dim->dim_value)
              : dim->kind == TCC_ONNX_DIM_PARAM ? param_size(run, dim->dim_param)
                                                : unnamed_size(run, info->name, i);
  }
  *out = tcc_tensor_type(run->ir, type->elem, (int)type->shape->dim.count, dims);
  return !mlirTypeIsNull(*out) || onnx_run_fail(run, false, "input '%.*s' has a negative size", TCC_STR_ARG(info->name));
}

/* ---- main ---- */
typedef TCC_VEC(MlirAttribute) Attributes;

static MlirAttribute argument_attrs(OnnxImport *run, TccStr name, MlirAttribute data) {
  MlirNamedAttribute attrs[2];
  attrs[0] = named(run, "tcc.name", tcc_attr_str(run->ir, name));
  if (!mlirAttributeIsNull(data)) attrs[1] = named(run, "tcc.specialised", data);
  return mlirDictionaryAttrGet(run->ir->context, mlirAttributeIsNull(data) ? 1 : 2, attrs);
}

/* Binds the inputs without a default as arguments of the block. */
static bool bind_inputs(OnnxImport *run, OnnxScope *scope, Attributes *out) {
  const TccOnnxGraph *graph = run->model->graph;
  TccMap *defaults = tcc_map_create(run->arena);
  for (size_t i = 0; i < graph->initializer.count; i++) tcc_map_put(defaults, graph->initializer.data[i].name, NULL);
  for (size_t i = 0; i < graph->sparse_initializer.count; i++)
    tcc_map_put(defaults, graph->sparse_initializer.data[i].values->name, NULL);
  for (size_t i = 0; i < graph->input.count; i++) {
    const TccOnnxValueInfo *info = &graph->input.data[i];
    MlirType type;
    if (tcc_map_find(defaults, info->name)) continue;
    TCC_VEC_PUSH(run->arena, &run->arguments, info->name);
    if (!input_type(run, info, &type)) return false;
    run->b.location = onnx_location(run, info->name);
    MlirAttribute data = mlirAttributeGetNull();
    OnnxValue value = {.kind = ONNX_TENSOR, .tensor = mlirBlockAddArgument(run->b.block, type, run->b.location)};
    if (tcc_map_find(run->specialised, info->name)) {
      const TccHostTensor *host = onnx_given_data(run, info->name);
      value.tensor = tcc_build_constant(&run->b, host->elem, host->rank, host->dims, host->data);
      if (!value.tensor.ptr) return false;
      data = mlirOperationGetAttributeByName(tcc_value_op(value.tensor), ref("value"));
    }
    MlirAttribute attrs = argument_attrs(run, info->name, data);
    TCC_VEC_PUSH(run->arena, out, attrs);
    if (!onnx_scope_put(run, scope, info->name, value))
      return onnx_run_fail(run, false, "input '%.*s' is defined twice", TCC_STR_ARG(info->name));
  }
  return true;
}

typedef struct {
  TccStr name;
  bool found;
} Sought;
static void find_name(TccStr name, void *user) {
  Sought *sought = user;
  sought->found |= tcc_str_equal(name, sought->name);
}

/* A size that the caller tells must be one of an input's, or have been until it became a constant. */
static bool check_told(OnnxImport *run) {
  for (size_t i = 0; i < run->options->ntold; i++) {
    Sought sought = {run->options->told[i].name, tcc_map_find(run->fixed, run->options->told[i].name) != NULL};
    for (intptr_t a = 0; a < mlirBlockGetNumArguments(run->main) && !sought.found; a++) {
      MlirType type = mlirValueGetType(mlirBlockGetArgument(run->main, a));
      for (int axis = 0; axis < tcc_type_rank(type); axis++)
        tcc_expr_symbols(tcc_type_dim(run->ir, type, axis), find_name, &sought);
    }
    if (!sought.found) return onnx_run_fail(run, false, "no input has a size '%.*s'", TCC_STR_ARG(sought.name));
  }
  return true;
}

static bool bind_outputs(OnnxImport *run, OnnxScope *scope, MlirValue *values, Attributes *out) {
  const TccOnnxGraph *graph = run->model->graph;
  if (!graph->output.count) return onnx_run_fail(run, false, "the graph has no output");
  for (size_t i = 0; i < graph->output.count; i++) {
    TccStr name = graph->output.data[i].name;
    const OnnxValue *value = onnx_scope_find(scope, name);
    if (!value) return onnx_run_fail(run, false, "output '%.*s' is not defined", TCC_STR_ARG(name));
    if (value->kind == ONNX_POISON) return false; /* some node has the reason */
    if (value->kind != ONNX_TENSOR) return onnx_run_fail(run, true, "output '%.*s' is not a tensor", TCC_STR_ARG(name));
    values[i] = value->tensor;
    MlirAttribute attrs = argument_attrs(run, name, mlirAttributeGetNull());
    TCC_VEC_PUSH(run->arena, out, attrs);
  }
  return true;
}

static void append_return(OnnxImport *run, const MlirValue *values, size_t count) {
  MlirOperationState state = mlirOperationStateGet(ref("func.return"), onnx_location(run, tcc_str("")));
  mlirOperationStateAddOperands(&state, (intptr_t)count, values);
  mlirBlockAppendOwnedOperation(run->b.block, mlirOperationCreate(&state));
}

static MlirOperation make_function(OnnxImport *run, const MlirValue *results, size_t nresults, const Attributes *arguments,
                                   const Attributes *outputs) {
  MlirContext context = run->ir->context;
  size_t n = arguments->count;
  MlirType *types = TCC_NEW_ARRAY(run->arena, MlirType, n + nresults + 1);
  for (size_t i = 0; i < n; i++) types[i] = mlirValueGetType(mlirBlockGetArgument(run->b.block, (intptr_t)i));
  for (size_t i = 0; i < nresults; i++) types[n + i] = mlirValueGetType(results[i]);
  MlirType type = mlirFunctionTypeGet(context, (intptr_t)n, types, (intptr_t)nresults, types + n);
  MlirNamedAttribute attrs[] = {named(run, "sym_name", mlirStringAttrGet(context, ref("main"))),
                                named(run, "function_type", mlirTypeAttrGet(type)),
                                named(run, "arg_attrs", mlirArrayAttrGet(context, (intptr_t)n, arguments->data)),
                                named(run, "res_attrs", mlirArrayAttrGet(context, (intptr_t)outputs->count, outputs->data))};
  MlirOperationState state = mlirOperationStateGet(ref("func.func"), onnx_location(run, tcc_str("")));
  mlirOperationStateAddAttributes(&state, 4, attrs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, run->b.block);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

/* Paths of the files relative to the model's directory. */
static MlirAttribute source_names(OnnxImport *run, const char *path) {
  const char *slash = strrchr(path, '/');
  size_t directory = slash ? (size_t)(slash + 1 - path) : 0, count = tcc_onnx_files_count(run->files);
  MlirAttribute *names = TCC_NEW_ARRAY(run->arena, MlirAttribute, count + 1);
  for (size_t i = 0; i < count; i++) {
    const char *file = tcc_onnx_files_path(run->files, i);
    if (!strncmp(file, path, directory)) file += directory;
    names[i] = tcc_attr_str(run->ir, tcc_str(file));
  }
  return mlirArrayAttrGet(run->ir->context, (intptr_t)count, names);
}

/* One walk. The null operation if it failed; run->restart tells that another one may not. */
static MlirOperation walk(OnnxImport *run, const char *path) {
  const TccOnnxGraph *graph = run->model->graph;
  OnnxScope *scope = onnx_scope_create(run, NULL);
  Attributes arguments = {0}, outputs = {0};
  MlirValue *results = TCC_NEW_ARRAY(run->arena, MlirValue, graph->output.count + 1);
  scope->opsets = &run->model->opset_import;
  run->b = (TccBuilder){.ir = run->ir, .block = mlirBlockCreate(0, NULL, NULL), .location = onnx_location(run, tcc_str(""))};
  run->main = run->b.block;
  bool ok = bind_inputs(run, scope, &arguments) && check_told(run);
  if (ok) onnx_graph_import(run, scope, graph);
  ok = ok && !run->problems.count && !run->restart && bind_outputs(run, scope, results, &outputs) && !run->reason;
  if (!ok) {
    for (size_t i = 0; i < run->loops.count; i++) mlirOperationDestroy(run->loops.data[i]);
    mlirBlockDestroy(run->b.block);
    tcc_symbolic_forget(run->ir);
    return (MlirOperation){NULL};
  }
  append_return(run, results, graph->output.count);
  MlirOperation function = make_function(run, results, graph->output.count, &arguments, &outputs);
  MlirModule module = mlirModuleCreateEmpty(onnx_location(run, tcc_str("")));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), function);
  for (size_t i = 0; i < run->loops.count; i++) mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), run->loops.data[i]);
  MlirOperation op = mlirModuleGetOperation(module);
  mlirOperationSetAttributeByName(op, ref("tcc.sources"), source_names(run, path));
  size_t zeros;
  const TccExpr *const *zero = tcc_expr_assumptions(run->ir->exprs, &zeros);
  for (size_t i = 0; i < zeros; i++) { /* tcc_ir_assume reads them back */
    TCC_VEC_PUSH(run->arena, &run->constraints, zero[i]);
    TCC_VEC_PUSH(run->arena, &run->constraints, tcc_expr_sub(run->ir->exprs, tcc_expr_const(run->ir->exprs, 0), zero[i]));
  }
  if (run->constraints.count)
    mlirOperationSetAttributeByName(op, ref("tcc.constraints"),
                                    tcc_attr_exprs(run->ir, run->constraints.data, run->constraints.count));
  return op;
}

static bool check_model(OnnxImport *run) {
  enum { NEWEST_OPSET = 27 };
  int64_t opset = tcc_onnx_opset(&run->model->opset_import, tcc_str(""));
  size_t nodes = run->model->graph->node.count;
  if (opset > NEWEST_OPSET)
    return onnx_run_fail(run, true, "opset %lld; %d is the newest that is known", (long long)opset, NEWEST_OPSET);
  for (size_t i = 0; i < run->model->functions.count; i++) {
    const TccOnnxFunction *f = &run->model->functions.data[i];
    TccText key = {0};
    bool inserted;
    tcc_text_printf(&key, "%.*s%c%.*s%c%.*s", TCC_STR_ARG(f->domain), 0, TCC_STR_ARG(f->name), 0, TCC_STR_ARG(f->overload));
    tcc_map_put(run->functions, tcc_text_str(&key), &inserted)->constant = f;
    tcc_text_destroy(&key);
    if (!inserted) return onnx_run_fail(run, false, "function '%.*s' is defined twice", TCC_STR_ARG(f->name));
    nodes += f->node.count;
  }
  /* Functions that call others twice double at each level: kilobytes could ask for any number of nodes. */
  run->function_nodes = 10000 + 64 * nodes;
  collect_params(run);
  return true;
}

MlirOperation tcc_onnx_import(TccIr *ir, const char *path, const TccOnnxImportOptions *options, TccImportOutcome *out_outcome) {
  static const TccOnnxImportOptions none;
  TccArena *arena = tcc_arena_create();
  const char *slash = strrchr(path, '/');
  OnnxImport run = {.ir = ir, .arena = arena, .options = options ? options : &none, .file = slash ? slash + 1 : path};
  TccOnnxModel *model = NULL;
  MlirOperation module = {NULL};
  run.functions = tcc_map_create(arena);
  run.params = tcc_map_create(arena);
  run.specialised = tcc_map_create(arena);
  run.fixed = tcc_map_create(arena);
  run.unnamed = tcc_map_create(arena);
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(ir->context, onnx_run_catch, &run, NULL);
  bool ok = onnx_run_fail_status(&run, tcc_onnx_files_open(path, &run.files));
  if (ok) {
    const TccFileMap *file = tcc_onnx_files_file(run.files, 0);
    ok = onnx_run_fail_status(&run, tcc_onnx_read(arena, file->data, file->length, &model));
  }
  run.model = model;
  ok = ok && check_model(&run);
  while (ok) {
    run.restart = false;
    run.problems.count = 0;
    run.arguments.count = 0;
    run.loops.count = 0;
    run.function_nodes_left = run.function_nodes;
    run.weight_names = tcc_map_create(arena);
    run.constraints.count = 0;
    run.reason = NULL;
    tcc_expr_forget_assumptions(ir->exprs);
    tcc_expr_assume(ir->exprs, run.assume);
    module = walk(&run, path);
    if (run.restart) continue;
    if (!mlirOperationIsNull(module) || !(run.could_assume || tcc_expr_could_assume(ir->exprs)) || run.assume) break;
    run.assume = true;
  }
  tcc_expr_assume(ir->exprs, false);
  mlirContextDetachDiagnosticHandler(ir->context, handler);
  TccImportOutcome outcome = mlirOperationIsNull(module) ? onnx_run_report(&run) : TCC_IMPORT_OK;
  if (out_outcome) *out_outcome = outcome;
  tcc_onnx_files_close(run.files);
  tcc_arena_destroy(arena);
  return module;
}
