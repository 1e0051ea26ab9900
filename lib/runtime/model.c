/* model.c - an artifact with its weights bound.
 *
 * Weights are used where their file is mapped; one that is not aligned to its element is copied. Then the initial steps of
 * the graph, those that depend on weights and constants alone (packing, transposing, folding), run once on all threads, in
 * order, and what no later step reads is given back: buffers, and the pages of weights that have been packed. A model does not change after that. */
#include "internal.h"
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t static_bytes(const TccModel *model, const TccNode *node) {
  const TccPlanExpr *exprs = tcc_plan_at(model->plan, model->plan->exprs);
  const uint32_t *indices = tcc_plan_at(model->plan, model->plan->indices);
  size_t count = 1;
  for (uint32_t i = 0; i < node->rank; i++) {
    int64_t size = exprs[indices[node->dims.first + i]].constant;
    if (size < 0 || !tcc_mul_size(count, (size_t)size, &count) || count > SIZE_MAX / 16) return SIZE_MAX;
  }
  return tcc_elem_bytes((TccElem)node->elem, count);
}

static TccStatus *own(TccModel *model, uint32_t node, size_t bytes) {
  void *memory = bytes == SIZE_MAX ? NULL : tcc_allocate(&model->allocator, bytes);
  if (!memory) return TCC_ERROR(TCC_NO_MEMORY, "out of memory for weights");
  model->owned[node].data = memory;
  model->owned[node].bytes = bytes;
  model->graph.nodes[node].data = memory;
  return NULL;
}

static void disown(TccModel *model, size_t node) {
  tcc_release(&model->allocator, model->owned[node].data, model->owned[node].bytes);
  model->owned[node].data = NULL;
}

/* ---- sources ---- */
/* Maps a weight file when the first weight in it is bound: a file that holds none need not be there. */
static TccStatus *map_source(TccModel *model, uint32_t index, const char *directory) {
  const TccPlanSource *source = (const TccPlanSource *)tcc_plan_at(model->plan, model->plan->sources) + index;
  if (source->embedded || model->sources[index].data) return NULL;
  const char *name = tcc_plan_text(model->plan, source->name);
  if (!directory) return TCC_ERROR(TCC_NOT_FOUND, "weights are in the file '%s', and no directory to find it in was given", name);
  const char *path = name[0] == '/' ? name : tcc_arena_printf(model->arena, "%s/%s", directory, name);
  return tcc_status_context(tcc_file_map(path, &model->sources[index]), "weight file");
}

static TccStatus *bind_weight(TccModel *model, uint32_t n, const char *directory) {
  TccNode *node = &model->graph.nodes[n];
  const TccPlanHeader *plan = model->plan;
  const TccPlanWeight *weight = (const TccPlanWeight *)tcc_plan_at(plan, plan->weights) + node->index;
  const TccPlanSource *source = (const TccPlanSource *)tcc_plan_at(plan, plan->sources) + weight->source;
  TCC_TRY(map_source(model, weight->source, directory));
  const char *base = source->embedded ? tcc_plan_at(plan, plan->data) : model->sources[weight->source].data;
  size_t available = source->embedded ? plan->data.count : model->sources[weight->source].length;
  size_t bytes = static_bytes(model, node);
  const char *name = tcc_plan_text(plan, weight->name), *file = tcc_plan_text(plan, source->name);
  if (weight->offset > available || weight->length > available - weight->offset)
    return TCC_ERROR(TCC_INVALID, "weight '%s' is bytes %llu to %llu of '%s', which has %zu", name, (unsigned long long)weight->offset,
                     (unsigned long long)(weight->offset + weight->length), file, available);
  if (bytes != weight->length)
    return TCC_ERROR(TCC_INVALID, "weight '%s' has %llu bytes, its type %zu", name, (unsigned long long)weight->length, bytes);
  size_t alignment = tcc_elem_bytes((TccElem)node->elem, 1);
  const char *data = base + weight->offset;
  if (bytes == 0 || (uintptr_t)data % (alignment ? alignment : 1) != 0) {
    TCC_TRY(own(model, n, bytes));
    if (bytes) memcpy(node->data, data, bytes);
  } else {
    node->data = (void *)data; /* kernels only read their operands */
  }
  return NULL;
}

/* What initial steps make and later ones read is one block of memory. */
static TccStatus *bind_nodes(TccModel *model, const char *directory) {
  size_t kept = 0;
  TCC_VEC(uint32_t) in_block = {0};
  const TccPlanHeader *plan = model->plan;
  const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  for (uint32_t n = 0; n < model->graph.node_count; n++) {
    TccNode *node = &model->graph.nodes[n];
    if (node->root != n || node->place != TCC_PLACE_STATIC) continue;
    if (node->kind == TCC_PLAN_WEIGHT) {
      TCC_TRY(bind_weight(model, n, directory));
    } else if (node->kind == TCC_PLAN_CONSTANT) {
      const TccPlanConstant *constant = (const TccPlanConstant *)tcc_plan_at(plan, plan->constants) + node->index;
      if (static_bytes(model, node) != constant->length) return TCC_ERROR(TCC_INVALID, "plan: a constant's size is not its type's");
      node->data = (char *)tcc_plan_at(plan, plan->data) + constant->offset;
    } else if (node->kind == TCC_PLAN_SIZES) {
      TCC_TRY(own(model, n, node->sizes.count * sizeof(int64_t)));
      for (uint32_t i = 0; i < node->sizes.count; i++) ((int64_t *)node->data)[i] = exprs[indices[node->sizes.first + i]].constant;
    } else if (node->last == TCC_NEVER && !node->is_output) {
      TCC_TRY(own(model, n, static_bytes(model, node)));
    } else {
      size_t bytes = static_bytes(model, node);
      node->data = (void *)kept; /* an offset until the block is there */
      if (bytes > SIZE_MAX / 2 - kept - TCC_CACHE_LINE) return TCC_ERROR(TCC_NO_MEMORY, "out of memory for weights");
      kept += tcc_align(bytes);
      TCC_VEC_PUSH(model->arena, &in_block, n);
    }
  }
  model->block = kept ? tcc_allocate(&model->allocator, kept) : NULL;
  if (kept && !model->block) return TCC_ERROR(TCC_NO_MEMORY, "out of memory for weights");
  model->block_bytes = kept;
  for (size_t i = 0; i < in_block.count; i++) {
    TccNode *node = &model->graph.nodes[in_block.data[i]];
    node->data = (char *)model->block + (size_t)node->data;
  }
  return NULL;
}

/* ---- the initial steps ---- */
enum { TOUCH_BYTES = 2 << 20 };

/* A kernel for the team: the pages of its operand [begin, end) * TOUCH_BYTES, sizes[0] bytes in all. The kernel zeroes a page
 * when it is first written; packing would do that too, but threads that share a huge page would both clear it. */
static void touch_pages(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  for (int64_t at = begin * TOUCH_BYTES; at < end * TOUCH_BYTES && at < sizes[0]; at += 4096) ((volatile char *)arguments[0])[at] = 0;
}

/* A model may have been given with its plan in memory that is no file's. */
static bool is_in_file(const TccModel *model, const TccNode *node) {
  const TccPlanWeight *weight = (const TccPlanWeight *)tcc_plan_at(model->plan, model->plan->weights) + node->index;
  return !((const TccPlanSource *)tcc_plan_at(model->plan, model->plan->sources))[weight->source].embedded;
}

/* Lets go of the pages of weights that a step was the last of the initial ones to read, so that a weight and its packed copy
 * are not both in memory. They are clean pages of a file: a later step that reads some (rows of an embedding) gets them again. */
static void drop_pages(TccModel *model, const TccStep *step, const uint32_t *last_initial, uint32_t s) {
  const TccGraph *graph = &model->graph;
  for (uint32_t i = 0; i < step->operands; i++) {
    uint32_t root = graph->nodes[graph->slots[step->slots + i]].root;
    const TccNode *node = &graph->nodes[root];
    if (node->kind != TCC_PLAN_WEIGHT || model->owned[root].data || last_initial[root] != s || !is_in_file(model, node)) continue;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)node->data + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)node->data + static_bytes(model, node)) & ~(page - 1);
    if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED); /* advice: no error matters */
  }
}

static TccStatus *run_initial(TccModel *model, unsigned threads) {
  TccGraph *graph = &model->graph;
  const TccPlanHeader *plan = model->plan;
  if (graph->initial_count == 0) return NULL;
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  TccArena *scratch = tcc_arena_create();
  TccCommand *commands = TCC_NEW_ARRAY(scratch, TccCommand, graph->initial_count);
  void **arguments = TCC_NEW_ARRAY(scratch, void *, graph->slot_count);
  int64_t *sizes = TCC_NEW_ARRAY(scratch, int64_t, graph->size_count);
  uint32_t *last_initial = TCC_NEW_ARRAY(scratch, uint32_t, graph->node_count); /* per root: the last of these steps that reads it */
  size_t scratch_bytes = 0;
  for (size_t s = 0; s < graph->initial_count; s++) {
    const TccStep *step = &graph->initial[s];
    const TccPlanCall *call = &calls[step->index];
    for (uint32_t i = 0; i < step->operands + step->results; i++) {
      uint32_t root = graph->nodes[graph->slots[step->slots + i]].root;
      arguments[step->slots + i] = graph->nodes[root].data;
      if (i < step->operands) last_initial[root] = (uint32_t)s;
    }
    for (uint32_t i = 0; i < call->sizes.count; i++) sizes[step->sizes + i] = exprs[indices[call->sizes.first + i]].constant;
    size_t need = (size_t)exprs[call->scratch].constant;
    scratch_bytes = need > scratch_bytes ? need : scratch_bytes;
    commands[s] = (TccCommand){model->functions[call->kernel], arguments + step->slots, sizes + step->sizes, exprs[call->tiles].constant, false};
  }
  TccTeam *team = NULL;
  TccStatus *status = tcc_team_create(&model->allocator, threads, &team);
  if (!status && !tcc_team_reserve(team, scratch_bytes)) status = TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  const int64_t block_bytes = (int64_t)model->block_bytes;
  const TccCommand touch = {touch_pages, &model->block, &block_bytes, (block_bytes + TOUCH_BYTES - 1) / TOUCH_BYTES, false};
  if (!status && model->block) tcc_team_run(team, &touch, 1, NULL, NULL);
  for (size_t s = 0; !status && s < graph->initial_count; s++) {
    tcc_team_run(team, &commands[s], 1, NULL, NULL);
    drop_pages(model, &graph->initial[s], last_initial, (uint32_t)s);
  }
  tcc_team_destroy(team);
  tcc_arena_destroy(scratch);
  return status;
}

/* Gives back what only initial steps read. */
static void release_unread(TccModel *model) {
  const TccGraph *graph = &model->graph;
  for (size_t n = 0; n < graph->node_count; n++)
    if (model->owned[n].data && graph->nodes[n].last == TCC_NEVER && !graph->nodes[n].is_output) disown(model, n);
}

/* ---- what is told about a model ---- */
static TccPortInfo *describe_ports(TccModel *model, const uint32_t *nodes, TccPlanTable table) {
  const TccPlanHeader *plan = model->plan;
  const TccPlanPort *ports = tcc_plan_at(plan, table);
  const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
  const TccPlanSymbol *symbols = tcc_plan_at(plan, plan->symbols);
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  TccPortInfo *infos = TCC_NEW_ARRAY(model->arena, TccPortInfo, table.count);
  for (size_t i = 0; i < table.count; i++) {
    const TccNode *node = &model->graph.nodes[nodes[i]];
    int64_t *dims = TCC_NEW_ARRAY(model->arena, int64_t, node->rank);
    const char **names = TCC_NEW_ARRAY(model->arena, const char *, node->rank);
    for (uint32_t axis = 0; axis < node->rank; axis++) {
      const TccPlanExpr *expr = &exprs[indices[node->dims.first + axis]];
      dims[axis] = expr->stage < 0 ? expr->constant : -1;
      if (expr->symbol >= 0) names[axis] = tcc_plan_text(plan, symbols[expr->symbol].name);
    }
    infos[i] = (TccPortInfo){tcc_plan_text(plan, ports[i].name), tcc_elem_dtype((TccElem)node->elem), node->rank, dims, names, ports[i].tied};
  }
  return infos;
}

static void describe(TccModel *model) {
  const TccGraph *graph = &model->graph;
  const TccPlanHeader *plan = model->plan;
  uint32_t *outputs = TCC_NEW_ARRAY(model->arena, uint32_t, graph->output_count);
  for (size_t i = 0; i < graph->output_count; i++) outputs[i] = graph->outputs[i].node;
  model->inputs = describe_ports(model, graph->input_nodes, plan->inputs);
  model->outputs = describe_ports(model, outputs, plan->outputs);
  TccModelInfo *info = &model->info;
  for (size_t s = 0; s < graph->step_count; s++) info->kernels_launched += graph->steps[s].kind == TCC_PLAN_KERNEL;
  info->kernels_unique = plan->kernels.count;
  info->kernels_initial = graph->initial_count;
  info->artifact_bytes = model->artifact.bytes;
  info->region_count = plan->functions.count - 1;
  TccRegionInfo *regions = TCC_NEW_ARRAY(model->arena, TccRegionInfo, info->region_count);
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  for (size_t i = 0; i < info->region_count; i++) regions[i] = (TccRegionInfo){graph->region_calls[i + 1], functions[i + 1].ops};
  info->regions = regions;
}

/* ---- life ---- */
static TccKernelFunction *find_symbol(const char *symbol, void *handle) {
  void *address = dlsym(handle, symbol);
  TccKernelFunction *function;
  memcpy(&function, &address, sizeof function); /* ISO C has no cast from data to function pointers */
  return function;
}

static TccStatus *find_functions(TccModel *model, TccKernelFunction *(*find)(const char *, void *), void *user) {
  const TccPlanHeader *plan = model->plan;
  const TccPlanKernel *kernels = tcc_plan_at(plan, plan->kernels);
  model->functions = TCC_NEW_ARRAY(model->arena, TccKernelFunction *, plan->kernels.count);
  for (size_t i = 0; i < plan->kernels.count; i++) {
    const char *symbol = tcc_plan_text(plan, kernels[i].symbol);
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
  model->arena = tcc_arena_create();
  TCC_GOTO(tcc_graph_build(model->plan, model->arena, &model->graph));
  model->owned = tcc_arena_alloc(model->arena, model->graph.node_count * sizeof *model->owned);
  TCC_GOTO(find_functions(model, find, user));
  model->sources = TCC_NEW_ARRAY(model->arena, TccFileMap, model->plan->sources.count);
  TCC_GOTO(bind_nodes(model, options ? options->weights_dir : NULL));
  TCC_GOTO(run_initial(model, options ? options->threads : 0));
  release_unread(model);
  describe(model);
  *out = model;
done:
  if (status) tcc_model_destroy(model);
  return status;
}

static TccStatus *load(const char *path, const void *bytes, size_t length, const TccLoadOptions *options, TccModel **out) {
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
  TccStatus *status = tcc_artifact_open(path, bytes, length, &artifact);
  if (!status) status = tcc_model_create(artifact, find_symbol, artifact.handle, &with_folder, out);
  tcc_text_destroy(&folder);
  return status;
}

TccStatus *tcc_model_load(const char *path, const TccLoadOptions *options, TccModel **out) {
  return load(path, NULL, 0, options, out);
}

TccStatus *tcc_model_load_memory(const void *bytes, size_t length, const TccLoadOptions *options, TccModel **out) {
  return load(NULL, bytes, length, options, out);
}

void tcc_model_destroy(TccModel *model) {
  if (!model || atomic_fetch_sub(&model->references, 1) > 1) return;
  if (model->owned)
    for (size_t n = 0; n < model->graph.node_count; n++) disown(model, n);
  tcc_release(&model->allocator, model->block, model->block_bytes);
  if (model->sources)
    for (size_t i = 0; i < model->plan->sources.count; i++) tcc_file_unmap(&model->sources[i]);
  tcc_artifact_close(&model->artifact);
  tcc_arena_destroy(model->arena);
  free(model);
}

size_t tcc_model_input_count(const TccModel *model) { return model->graph.input_count; }
size_t tcc_model_output_count(const TccModel *model) { return model->graph.output_count; }
const TccPortInfo *tcc_model_input(const TccModel *model, size_t i) { return i < model->graph.input_count ? &model->inputs[i] : NULL; }
const TccPortInfo *tcc_model_output(const TccModel *model, size_t i) { return i < model->graph.output_count ? &model->outputs[i] : NULL; }
const TccModelInfo *tcc_model_info(const TccModel *model) { return &model->info; }
