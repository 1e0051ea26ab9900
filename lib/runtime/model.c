/* model.c - an artifact with its weights bound (weights.c): its life, and what is told about it. A model does not change after
 * it was made. */
#include "gpu.h"

/* ---- what is told about a model ---- */
static TccStatus *describe_ports(TccModel *model, const uint32_t *nodes, const TccPlanPort *ports, size_t count,
                                 TccPortInfo **out) {
  const TccPlanHeader *plan = model->plan;
  const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
  const TccPlanSymbol *symbols = tcc_plan_at(plan, plan->symbols);
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  TccPortInfo *infos;
  TCC_TRY_ARRAY(model->arena, infos, count);
  for (size_t i = 0; i < count; i++) {
    const TccNode *node = &model->graph.nodes[nodes[i]];
    int64_t *dims;
    const char **names;
    TCC_TRY_ARRAY(model->arena, dims, node->rank);
    TCC_TRY_ARRAY(model->arena, names, node->rank);
    for (uint32_t axis = 0; axis < node->rank; axis++) {
      const TccPlanExpr *expr = &exprs[indices[node->dims.first + axis]];
      dims[axis] = expr->stage < 0 ? expr->constant : -1;
      if (expr->symbol >= 0) names[axis] = tcc_plan_text(plan, symbols[expr->symbol].name);
    }
    infos[i] = (TccPortInfo){.name = tcc_plan_text(plan, ports[i].name),
                             .dtype = tcc_elem_dtype((TccElem)node->elem),
                             .rank = node->rank,
                             .dims = dims,
                             .dim_symbols = names,
                             .tied = ports[i].tied};
  }
  *out = infos;
  return NULL;
}

static TccStatus *describe(TccModel *model) {
  const TccGraph *graph = &model->graph;
  const TccPlanHeader *plan = model->plan;
  uint32_t *outputs;
  TCC_TRY_ARRAY(model->arena, outputs, graph->output_count);
  for (size_t i = 0; i < graph->output_count; i++) outputs[i] = graph->outputs[i].node;
  TCC_TRY(describe_ports(model, graph->input_nodes, tcc_plan_at(plan, plan->inputs), graph->input_count, &model->inputs));
  TCC_TRY(describe_ports(model, outputs, tcc_plan_at(plan, plan->outputs), graph->output_count, &model->outputs));
  for (size_t i = 0; i < graph->static_count; i++) model->inputs[graph->static_inputs[i]].is_static = true;
  TccModelInfo *info = &model->info;
  for (size_t s = 0; s < graph->step_count; s++) info->kernels_launched += graph->steps[s].kind == TCC_PLAN_KERNEL;
  info->kernels_unique = plan->kernels.count;
  info->kernels_initial = graph->initial_count;
  info->kernels_static = graph->frozen_count;
  info->static_bytes = graph->frozen_bytes;
  info->packed_bytes = model->block_bytes;
  info->packed_mapped = model->packed.found;
  info->artifact_bytes = model->artifact.bytes;
  info->target = tcc_plan_text(plan, plan->target);
  info->on_device = plan->images.count > 0;
  info->machine = tcc_plan_text(plan, plan->machine);
  info->region_count = plan->functions.count - 1;
  TccRegionInfo *regions;
  TCC_TRY_ARRAY(model->arena, regions, info->region_count);
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  for (size_t i = 0; i < info->region_count; i++) regions[i] = (TccRegionInfo){graph->region_calls[i + 1], functions[i + 1].ops};
  info->regions = regions;
  return NULL;
}

/* ---- life ---- */
static TccKernelFunction *find_symbol(const char *symbol, void *image) {
  void *address = tcc_image_function(image, symbol);
  TccKernelFunction *function;
  memcpy(&function, &address, sizeof function); /* ISO C has no cast from data to function pointers */
  return function;
}

static TccStatus *find_functions(TccModel *model, TccKernelFunction *(*find)(const char *, void *), void *user) {
  const TccPlanHeader *plan = model->plan;
  const TccPlanKernel *kernels = tcc_plan_at(plan, plan->kernels);
  if (plan->launches.count && !model->gpu)
    return TCC_ERROR(TCC_UNSUPPORTED, "kernels for a device (%s, %s), and this run-time has none",
                     tcc_plan_text(plan, plan->target), tcc_plan_text(plan, plan->machine));
  TCC_TRY_ARRAY(model->arena, model->functions, plan->kernels.count);
  for (size_t i = 0; i < plan->kernels.count; i++) {
    const char *symbol = tcc_plan_text(plan, kernels[i].symbol);
    if (model->gpu && !kernels[i].builtin) continue; /* in an image, or called by nobody */
    model->functions[i] = kernels[i].builtin ? tcc_builtin_find(symbol) : find(symbol, user);
    if (!model->functions[i]) return TCC_ERROR(TCC_INVALID, "kernel '%s' is missing", symbol);
  }
  return NULL;
}

TccStatus *tcc_model_create(TccArtifact artifact, TccKernelFunction *(*find)(const char *symbol, void *user), void *user,
                            const TccLoadOptions *options, TccModel **out) {
  *out = NULL;
  TccStatus *status = NULL;
  TccModel *model = calloc(1, sizeof *model);
  if (!model) {
    tcc_artifact_close(&artifact);
    return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  }
  model->references = 1;
  model->artifact = artifact;
  model->plan = artifact.plan;
  if (options) model->allocator = options->allocator;
  if (options) model->sets.most = options->static_sets;
  model->arena = tcc_arena_create();
  TCC_GOTO(tcc_graph_build(model->plan, model->arena, &model->graph));
  tcc_frozen_lay_out(&model->graph);
  model->owned = tcc_arena_array(model->arena, sizeof *model->owned, model->graph.node_count);
  if (!model->owned) TCC_GOTO(TCC_ERROR_NO_MEMORY());
  if (model->plan->isa & TCC_ISA_GPU) TCC_GOTO(tcc_gpu_open(model->plan, &model->gpu));
  TCC_GOTO(find_functions(model, find, user));
  TCC_GOTO(tcc_weights_bind(model, options));
  TCC_GOTO(describe(model));
  if (options && options->keep) tcc_packed_keep(model);
  *out = model;
done:
  if (status) tcc_model_destroy(model);
  return status;
}

static TccStatus *load(const char *path, const char *model, const void *bytes, size_t length, bool checked,
                       const TccLoadOptions *options, TccModel **out) {
  *out = NULL;
  TccLoadOptions with_folder = options ? *options : (TccLoadOptions){0};
  TccText folder = {0};
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (path && !with_folder.weights_dir) {
    if (slash) tcc_text_put(&folder, path, (size_t)(slash - path) + 1);
    else tcc_text_put(&folder, ".", 1);
    with_folder.weights_dir = folder.data;
  }
  TccArtifact artifact;
  TccStatus *status = tcc_text_status(&folder);
  if (!status) status = tcc_artifact_open(path, bytes, length, checked, &artifact);
  if (!status && model && !(artifact.model = strdup(model))) {
    tcc_artifact_close(&artifact);
    status = TCC_ERROR_NO_MEMORY();
  }
  if (!status) status = tcc_model_create(artifact, find_symbol, &artifact.image, &with_folder, out);
  tcc_text_destroy(&folder);
  return status;
}

TccStatus *tcc_model_load(const char *path, const TccLoadOptions *options, TccModel **out) {
  return load(path, NULL, NULL, 0, false, options, out);
}

TccStatus *tcc_model_load_memory(const void *bytes, size_t length, const TccLoadOptions *options, TccModel **out) {
  return load(NULL, NULL, bytes, length, false, options, out);
}

TccStatus *tcc_model_load_compiled(const char *model, const void *bytes, size_t length, bool checked, const TccLoadOptions *options,
                                   TccModel **out) {
  return load(NULL, model, bytes, length, checked, options, out);
}

void tcc_model_destroy(TccModel *model) {
  if (!model || atomic_fetch_sub(&model->references, 1) > 1) return;
  tcc_frozen_destroy(model);
  tcc_weights_release(model);
  tcc_gpu_close(model->gpu);
  tcc_artifact_close(&model->artifact);
  tcc_arena_destroy(model->arena);
  free(model);
}

size_t tcc_model_input_count(const TccModel *model) { return model->graph.input_count - model->graph.state_count; }
size_t tcc_model_output_count(const TccModel *model) { return model->graph.output_count - model->graph.state_count; }
size_t tcc_model_state_count(const TccModel *model) { return model->graph.state_count; }
const TccPortInfo *tcc_model_input(const TccModel *model, size_t i) {
  return i < tcc_model_input_count(model) ? &model->inputs[i] : NULL;
}
const TccPortInfo *tcc_model_output(const TccModel *model, size_t i) {
  return i < tcc_model_output_count(model) ? &model->outputs[i] : NULL;
}
const TccPortInfo *tcc_model_state(const TccModel *model, size_t i) {
  return i < model->graph.state_count ? &model->inputs[tcc_model_input_count(model) + i] : NULL;
}
const TccModelInfo *tcc_model_info(const TccModel *model) { return &model->info; }
