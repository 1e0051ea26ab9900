/* importer.c - one import: walks over a graph until one holds, and the module that comes of it, or the report of what does not go.
 *
 * A graph is walked in its order. Nodes that fail are collected, and what depends on them is passed over, so that the report names
 * everything at once. When a shape turns out to depend on the data of an input that the caller gave, that input is marked and the walk
 * begins again: this happens at most once an input, and keeps the handlers free of a second way to look at values.
 *
 * A table of 128 rows sliced to [0, seq) has min(seq, 128) rows; added to something of seq rows that does not fit, though
 * the model means seq <= 128. If a walk with such minima fails, it is done again without them, and each such assumption
 * is a constraint of the module ("128 - seq" must not be negative), to be checked when sizes are bound. Likewise a size that
 * was halved and doubled again and meets the one it was made from: that the two are equal is two constraints. */
#include "lib/frontend/import/importer.h"

static MlirStringRef ref(const char *text) { return mlirStringRefCreateFromCString(text); }

static MlirNamedAttribute named(Importer *run, const char *name, MlirAttribute value) {
  return mlirNamedAttributeGet(mlirIdentifierGet(run->ir->context, ref(name)), value);
}

MlirLocation import_location(Importer *run, TccStr name) {
  if (!run->place.ptr) run->place = mlirLocationFileLineColGet(run->ir->context, ref(run->file), 0, 0);
  return name.length ? mlirLocationNameGet(run->ir->context, mlirStringRefCreate(name.data, name.length), run->place) : run->place;
}

void import_constrain(Importer *run, const TccExpr *e) {
  for (size_t i = 0; i < run->constraints.count; i++)
    if (run->constraints.data[i] == e) return;
  TCC_VEC_PUSH(run->arena, &run->constraints, e);
  TCC_VEC_PUSH(run->arena, &run->constraint_origins, tcc_expr_asker(run->ir->exprs));
}

bool import_take_nodes(ImportCall *c, size_t count) {
  Importer *run = c->importer;
  if (count > run->expanded_nodes_left) {
    run->expanded_nodes_left = 0;
    return import_unsupported(c, "functions and loops expand to far more nodes than the model has");
  }
  run->expanded_nodes_left -= count;
  return true;
}

/* ---- the module ---- */
static void append_return(Importer *run) {
  MlirOperationState state = mlirOperationStateGet(ref("func.return"), import_location(run, tcc_str("")));
  mlirOperationStateAddOperands(&state, (intptr_t)run->results.count, run->results.data);
  mlirBlockAppendOwnedOperation(run->b.block, mlirOperationCreate(&state));
}

static MlirAttribute array(Importer *run, const MlirAttribute *attrs, size_t count) {
  return mlirArrayAttrGet(run->ir->context, (intptr_t)count, attrs);
}

static MlirOperation make_main(Importer *run) {
  size_t n = run->arguments.count, nresults = run->results.count;
  MlirType *types = TCC_NEW_ARRAY(run->arena, MlirType, n + nresults + 1);
  for (size_t i = 0; i < n; i++) types[i] = mlirValueGetType(mlirBlockGetArgument(run->b.block, (intptr_t)i));
  for (size_t i = 0; i < nresults; i++) types[n + i] = mlirValueGetType(run->results.data[i]);
  MlirType type = mlirFunctionTypeGet(run->ir->context, (intptr_t)n, types, (intptr_t)nresults, types + n);
  MlirNamedAttribute attrs[] = {named(run, "sym_name", mlirStringAttrGet(run->ir->context, ref("main"))),
                                named(run, "function_type", mlirTypeAttrGet(type)),
                                named(run, "arg_attrs", array(run, run->argument_attrs.data, n)),
                                named(run, "res_attrs", array(run, run->result_attrs.data, nresults))};
  MlirOperationState state = mlirOperationStateGet(ref("func.func"), import_location(run, tcc_str("")));
  mlirOperationStateAddAttributes(&state, 4, attrs);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, run->b.block);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  return mlirOperationCreate(&state);
}

static MlirAttribute source_names(Importer *run) {
  size_t count = tcc_sources_count(run->sources);
  MlirAttribute *names = TCC_NEW_ARRAY(run->arena, MlirAttribute, count + 1);
  for (size_t i = 0; i < count; i++) names[i] = tcc_attr_str(run->ir, tcc_str(tcc_sources_name(run->sources, i)));
  return array(run, names, count);
}

static MlirAttribute texts(Importer *run, const char *const *data, size_t count) {
  MlirAttribute *attrs = TCC_NEW_ARRAY(run->arena, MlirAttribute, count + 1);
  for (size_t i = 0; i < count; i++) attrs[i] = tcc_attr_str(run->ir, tcc_str(data[i]));
  return array(run, attrs, count);
}

static void drop_gone(Importer *run) {
  size_t kept = 0;
  for (size_t i = 0; i < run->constraints.count; i++) {
    if (import_is_gone(run, run->constraints.data[i])) continue;
    run->constraints.data[kept] = run->constraints.data[i];
    run->constraint_origins.data[kept++] = run->constraint_origins.data[i];
  }
  run->constraints.count = run->constraint_origins.count = kept;
}

static MlirOperation make_module(Importer *run) {
  append_return(run);
  MlirOperation function = make_main(run);
  MlirModule module = mlirModuleCreateEmpty(import_location(run, tcc_str("")));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), function);
  for (size_t i = 0; i < run->loops.count; i++)
    if (run->loops.data[i].ptr) mlirBlockAppendOwnedOperation(mlirModuleGetBody(module), run->loops.data[i]);
  MlirOperation op = mlirModuleGetOperation(module);
  mlirOperationSetAttributeByName(op, ref("tcc.sources"), source_names(run));
  size_t zeros;
  const TccExpr *const *zero = tcc_expr_assumptions(run->ir->exprs, &zeros);
  for (size_t i = 0; i < zeros; i++) { /* tcc_ir_assume reads them back */
    if (import_is_gone(run, zero[i])) continue;
    const TccExpr *both[] = {zero[i], tcc_expr_sub(run->ir->exprs, tcc_expr_const(run->ir->exprs, 0), zero[i])};
    const char *origin = tcc_expr_assumption_origin(run->ir->exprs, i), *origins[] = {origin, origin};
    tcc_ir_add_constraints(run->ir, op, both, origins, 2);
  }
  drop_gone(run);
  tcc_ir_add_constraints(run->ir, op, run->constraints.data, run->constraint_origins.data, run->constraints.count);
  if (run->inlined.count)
    mlirOperationSetAttributeByName(op, ref("tcc.inlined"), texts(run, run->inlined.data, run->inlined.count));
  return op;
}

/* ---- walks ---- */
/* Who asks for what is assumed. */
static const char *node_at_hand(void *user) {
  const Importer *run = user;
  if (!run->call) return "";
  return tcc_arena_printf(run->ir->arena, "node '%.*s', %.*s", TCC_STR_ARG(run->call->name), TCC_STR_ARG(run->call->op));
}

/* The null operation if it failed; run->restart tells that another one may not. */
static MlirOperation walk_once(Importer *run, const ImportWalk *walk) {
  run->b = (TccBuilder){.ir = run->ir, .block = mlirBlockCreate(0, NULL, NULL), .location = import_location(run, tcc_str(""))};
  run->main = run->b.block;
  bool ok = walk->inputs(run) && import_check_names(run);
  if (ok) walk->nodes(run);
  if (ok) import_fix_ones(run);
  ok = ok && !run->problems.count && !run->restart && walk->outputs(run) && !run->reason;
  if (ok) return make_module(run);
  for (size_t i = 0; i < run->loops.count; i++)
    if (run->loops.data[i].ptr) mlirOperationDestroy(run->loops.data[i]);
  mlirBlockDestroy(run->b.block);
  tcc_symbolic_forget(run->ir);
  return (MlirOperation){NULL};
}

static void begin_again(Importer *run) {
  run->restart = false;
  run->problems.count = 0;
  run->arguments.count = run->argument_attrs.count = run->states = 0;
  run->results.count = run->result_attrs.count = 0;
  run->loops.count = 0;
  run->expanded_nodes_left = run->expanded_nodes;
  run->weight_names = tcc_map_create(run->arena);
  run->constraints.count = run->constraint_origins.count = run->inlined.count = 0;
  run->gone = tcc_map_create(run->arena);
  run->uncertain = 0;
  run->seed = run->offset = (MlirValue){NULL};
  run->drops = run->unchecked = false;
  run->reason = NULL;
  tcc_expr_forget_assumptions(run->ir->exprs);
  tcc_expr_assume(run->ir->exprs, run->assume);
  tcc_expr_set_asker(run->ir->exprs, node_at_hand, run);
}

static MlirOperation walk_until_it_holds(Importer *run, const ImportWalk *walk) {
  for (;;) {
    begin_again(run);
    MlirOperation module = walk_once(run, walk);
    if (run->ir->limit.reached) return module;
    if (run->restart) continue;
    if (!mlirOperationIsNull(module) || !(run->could_assume || tcc_expr_could_assume(run->ir->exprs)) || run->assume) return module;
    run->assume = true;
  }
}

bool import_begin(Importer *run, TccIr *ir, const char *path, const TccImportOptions *options) {
  static const TccImportOptions none;
  TccArena *arena = tcc_arena_create();
  const char *slash = strrchr(path, '/');
  *run = (Importer){.ir = ir, .arena = arena, .options = options ? options : &none, .file = slash ? slash + 1 : path};
  run->params = tcc_map_create(arena);
  run->specialised = tcc_map_create(arena);
  run->fixed = tcc_map_create(arena);
  run->sizes = tcc_map_create(arena);
  run->joined = tcc_map_create(arena);
  run->unnamed = tcc_map_create(arena);
  run->handler = mlirContextAttachDiagnosticHandler(ir->context, import_run_catch, run, NULL);
  TccStr bytes = run->options->bytes;
  return import_run_fail_status(run, bytes.data ? tcc_sources_open_memory(path, bytes, &run->sources)
                                                : tcc_sources_open(path, run->options->weights_dir, &run->sources));
}

MlirOperation import_end(Importer *run, const ImportWalk *walk, TccImportOutcome *out_outcome) {
  MlirOperation module = {NULL};
  if (walk) module = walk_until_it_holds(run, walk);
  tcc_expr_assume(run->ir->exprs, false);
  tcc_expr_set_asker(run->ir->exprs, NULL, NULL);
  mlirContextDetachDiagnosticHandler(run->ir->context, run->handler);
  bool ok = !mlirOperationIsNull(module);
  TccImportOutcome outcome = ok ? TCC_IMPORT_OK : import_run_report(run);
  if (out_outcome) *out_outcome = outcome;
  if (run->options->sources && ok) *run->options->sources = run->sources;
  else tcc_sources_close(run->sources);
  tcc_arena_destroy(run->arena);
  return module;
}
