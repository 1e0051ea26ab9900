/* weights.c - binding the weights of a model, and the work that depends on them alone.
 *
 * Weights are used where their file is mapped; one that is not aligned to its element is copied. Then the initial steps of
 * the graph, those that depend on weights and constants alone (packing, transposing, folding), run once on all threads, in
 * order, and what no later step reads is given back: buffers, and the pages of weights that have been packed. What they make
 * for later steps is one block of memory, laid out by the plan alone; where an earlier process kept that block on disk
 * (packed.c) it is mapped, no initial step runs, and what only they read is not even looked at. */
#include "gpu.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* SIZE_MAX: a size is negative, or too large for the address space. */
size_t tcc_static_bytes(const TccModel *model, const TccNode *node) {
  const TccPlanExpr *exprs = tcc_plan_at(model->plan, model->plan->exprs);
  const uint32_t *indices = tcc_plan_at(model->plan, model->plan->indices);
  int64_t dims[TCC_PLAN_MAX_RANK];
  size_t bytes;
  for (uint32_t i = 0; i < node->rank; i++) dims[i] = exprs[indices[node->dims.first + i]].constant;
  return tcc_elem_dense_bytes((TccElem)node->elem, dims, node->rank, NULL, &bytes) ? bytes : SIZE_MAX;
}

const char *tcc_step_name(const TccModel *model, const TccStep *step) {
  const TccPlanCall *calls = tcc_plan_at(model->plan, model->plan->calls);
  return step->kind == TCC_PLAN_KERNEL ? tcc_plan_text(model->plan, calls[step->index].name) : "a loop";
}

/* Says who makes the largest of what is made of weights. */
static TccStatus *no_room(const TccModel *model) {
  const TccGraph *graph = &model->graph;
  const char *maker = NULL;
  size_t most = 0;
  for (size_t s = 0; s < graph->initial_count; s++)
    for (uint32_t r = 0; r < graph->initial[s].results; r++) {
      const TccNode *node = &graph->nodes[graph->slots[graph->initial[s].slots + graph->initial[s].operands + r]];
      size_t bytes = tcc_static_bytes(model, node);
      if (bytes > most) most = bytes, maker = tcc_step_name(model, &graph->initial[s]);
    }
  if (!maker) return TCC_ERROR(TCC_NO_MEMORY, "out of memory for weights");
  return TCC_ERROR(TCC_NO_MEMORY,
                   "out of memory for what is made of weights and constants, the largest of which has %zu MB, of '%s'", most >> 20,
                   maker);
}

static TccStatus *own(TccModel *model, uint32_t node, size_t bytes) {
  void *memory = bytes == SIZE_MAX ? NULL : tcc_allocate(&model->allocator, bytes);
  if (!memory) return no_room(model);
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
const char *tcc_source_path(TccArena *arena, const TccModel *model, uint32_t index, const char *directory) {
  const TccPlanHeader *plan = model->plan;
  const TccPlanSource *source = (const TccPlanSource *)tcc_plan_at(plan, plan->sources) + index;
  const char *name = tcc_plan_text(plan, source->name), *own = model->artifact.model, *slash = own ? strrchr(own, '/') : NULL;
  if (name[0] == '/') return name;
  if (own && strcmp(name, slash ? slash + 1 : own) == 0) return own;
  if (!directory) return NULL;
  const size_t length = strlen(directory);
  return tcc_arena_printf(arena, "%s%s%s", directory, length && directory[length - 1] == '/' ? "" : "/", name);
}

/* Maps a weight file when the first weight in it is bound: a file that holds none need not be there. */
TccStatus *tcc_source_map(TccModel *model, uint32_t index, const char *directory) {
  const TccPlanSource *source = (const TccPlanSource *)tcc_plan_at(model->plan, model->plan->sources) + index;
  if (source->kind != TCC_SOURCE_FILE || model->sources[index].data) return NULL;
  const char *name = tcc_plan_text(model->plan, source->name), *path = tcc_source_path(model->arena, model, index, directory);
  if (!path && directory) return TCC_ERROR_NO_MEMORY();
  if (!path)
    return TCC_ERROR(TCC_NOT_FOUND,
                     "weights are in the file '%s', and no directory to find it in was given (TccLoadOptions.weights_dir)", name);
  return tcc_status_context(
      tcc_file_map(path, &model->sources[index]),
      "a file with weights, which stay outside of the artifact (tcc-run --weights=DIR, TccLoadOptions.weights_dir)");
}

/* A file may have any byte for true; kernels take 1. */
static bool has_other_bools(const char *data, size_t bytes) {
  unsigned char bits = 0;
  for (size_t i = 0; i < bytes; i++) bits |= (unsigned char)data[i];
  return bits > 1;
}

static TccStatus *bind_weight(TccModel *model, uint32_t n, const char *directory) {
  TccNode *node = &model->graph.nodes[n];
  const TccPlanHeader *plan = model->plan;
  const TccPlanWeight *weight = (const TccPlanWeight *)tcc_plan_at(plan, plan->weights) + node->index;
  const TccPlanSource *source = (const TccPlanSource *)tcc_plan_at(plan, plan->sources) + weight->source;
  TCC_TRY(tcc_source_map(model, weight->source, directory));
  const TccFileMap in_data = {tcc_plan_at(plan, plan->data), plan->data.count}, from = source->kind == TCC_SOURCE_DATA ? in_data
                                                                                       : source->kind == TCC_SOURCE_ATTACHED
                                                                                           ? model->artifact.weights
                                                                                           : model->sources[weight->source];
  const size_t available = from.length;
  size_t bytes = tcc_static_bytes(model, node);
  const char *name = tcc_plan_text(plan, weight->name), *file = tcc_plan_text(plan, source->name);
  if (weight->offset > available || weight->length > available - weight->offset)
    return TCC_ERROR(TCC_INVALID, "weight '%s' is bytes %llu to %llu of '%s', which has %zu", name,
                     (unsigned long long)weight->offset, (unsigned long long)(weight->offset + weight->length), file, available);
  if (bytes != weight->length)
    return TCC_ERROR(TCC_INVALID, "weight '%s' has %llu bytes, its type %zu", name, (unsigned long long)weight->length, bytes);
  size_t alignment = tcc_elem_bytes((TccElem)node->elem, 1);
  const char *data = (const char *)from.data + weight->offset;
  const bool dirty = node->elem == TCC_ELEM_BOOL && has_other_bools(data, bytes);
  if (bytes == 0 || dirty || (uintptr_t)data % (alignment ? alignment : 1) != 0) {
    TCC_TRY(own(model, n, bytes));
    if (bytes) memcpy(node->data, data, bytes);
    for (size_t i = 0; dirty && i < bytes; i++) ((char *)node->data)[i] = data[i] != 0;
  } else {
    node->data = (void *)data; /* kernels only read their operands */
  }
  return NULL;
}

/* Only initial steps read or make it. */
static bool is_passing(const TccNode *node) { return node->last == TCC_NEVER && !node->is_output; }

static bool is_static_root(const TccModel *model, uint32_t n) {
  return model->graph.nodes[n].root == n && model->graph.nodes[n].place == TCC_PLACE_STATIC;
}

static bool is_in_block(const TccNode *node) { return node->kind == TCC_PLAN_RESULT && !is_passing(node); }

typedef struct {
  TccModel *model;
  bool *placed; /* per node */
  size_t end;
} BlockLayout;

static TccStatus *place_in_block(BlockLayout *layout, uint32_t n) {
  TccNode *node = &layout->model->graph.nodes[n];
  if (!is_static_root(layout->model, n) || !is_in_block(node) || layout->placed[n]) return NULL;
  size_t bytes = tcc_static_bytes(layout->model, node);
  if (bytes > SIZE_MAX / 2 - layout->end - TCC_CACHE_LINE) return no_room(layout->model);
  node->data = (void *)layout->end;
  layout->end += tcc_align(bytes);
  layout->placed[n] = true;
  return NULL;
}

/* Gives each result of initial steps that later ones read its offset in the block, in the order in which they read it: what prefetches behind the weights of
 * one step finds those of the next. */
static TccStatus *lay_out_block(TccModel *model) {
  const TccGraph *graph = &model->graph;
  BlockLayout layout = {.model = model, .placed = calloc(graph->node_count ? graph->node_count : 1, sizeof(bool))};
  if (!layout.placed) return no_room(model);
  TccStatus *status = NULL;
  for (size_t s = 0; s < graph->step_count && !status; s++)
    for (uint32_t i = 0; i < graph->steps[s].operands && !status; i++)
      status = place_in_block(&layout, graph->nodes[graph->slots[graph->steps[s].slots + i]].root);
  for (uint32_t n = 0; n < graph->node_count && !status; n++) status = place_in_block(&layout, n);
  model->block_bytes = layout.end;
  free(layout.placed);
  return status;
}

TccStatus *tcc_weights_bind_node(TccModel *model, uint32_t n, const char *directory) {
  TccNode *node = &model->graph.nodes[n];
  const TccPlanHeader *plan = model->plan;
  if (node->kind == TCC_PLAN_WEIGHT) return bind_weight(model, n, directory);
  if (node->kind == TCC_PLAN_CONSTANT) {
    const TccPlanConstant *constant = (const TccPlanConstant *)tcc_plan_at(plan, plan->constants) + node->index;
    if (tcc_static_bytes(model, node) != constant->length)
      return TCC_ERROR(TCC_INVALID, "plan: a constant's size is not its type's");
    node->data = (char *)tcc_plan_at(plan, plan->data) + constant->offset;
    return NULL;
  }
  if (node->kind == TCC_PLAN_SIZES) {
    const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
    const uint32_t *indices = tcc_plan_at(plan, plan->indices);
    TCC_TRY(own(model, n, node->sizes.count * sizeof(int64_t)));
    for (uint32_t i = 0; i < node->sizes.count; i++) ((int64_t *)node->data)[i] = exprs[indices[node->sizes.first + i]].constant;
    return NULL;
  }
  return own(model, n, tcc_static_bytes(model, node));
}

static TccStatus *bind_nodes(TccModel *model, const char *directory) {
  const bool packed = model->packed.found;
  model->block = !model->block_bytes      ? NULL
                 : model->packed.map.data ? (void *)model->packed.block
                                          : tcc_allocate(&model->allocator, model->block_bytes);
  if (model->block_bytes && !model->block) return no_room(model);
  for (uint32_t n = 0; n < model->graph.node_count; n++) {
    TccNode *node = &model->graph.nodes[n];
    if (!is_static_root(model, n)) continue;
    if (is_in_block(node)) node->data = (char *)model->block + (size_t)node->data;
    else if (!packed || !is_passing(node)) TCC_TRY(tcc_weights_bind_node(model, n, directory));
  }
  return NULL;
}

/* ---- the initial steps ---- */
enum {
  TOUCH_BYTES = 2 << 20,
  AHEAD_BYTES = 4 << 20, /* of the block for each thread are touched at once: still in a cache when they are filled */
  PART_BYTES = 32 << 20, /* of a weight are read before its pages are given back */
};

/* A kernel for the team: the pages of its operand [begin, end) * TOUCH_BYTES, sizes[0] bytes in all. The kernel zeroes a page
 * when it is first written; packing would do that too, but threads that share a huge page would both clear it, and those of a file
 * come one by one. */
static void touch_pages(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), base = (uintptr_t)arguments[0];
  const int64_t last = end * TOUCH_BYTES < sizes[0] ? end * TOUCH_BYTES : sizes[0];
  const uintptr_t from = (base + (uintptr_t)begin * TOUCH_BYTES) & ~(page - 1), to = base + (uintptr_t)last;
  if (madvise((void *)from, to - from, MADV_POPULATE_WRITE) == 0) return; /* since Linux 5.14 */
  for (int64_t at = begin * TOUCH_BYTES; at < last; at += 4096) ((volatile char *)arguments[0])[at] = 0;
}

/* Others are in memory that is no file's: what is given back there is lost. */
static bool is_in_file(const TccModel *model, const TccNode *node) {
  const TccPlanWeight *weight = (const TccPlanWeight *)tcc_plan_at(model->plan, model->plan->weights) + node->index;
  const TccPlanSource *source = (const TccPlanSource *)tcc_plan_at(model->plan, model->plan->sources) + weight->source;
  return source->kind == TCC_SOURCE_FILE || (source->kind == TCC_SOURCE_ATTACHED && !model->artifact.copied);
}

/* Lets go of the pages of weights that a step is the last of the initial ones to read, so that a weight and its packed copy
 * are not both in memory; returns their bytes (count_only: does nothing else). They are clean pages of a file: a later step
 * that reads some (rows of an embedding) gets them again. */
static size_t drop_pages(TccModel *model, const TccStep *step, const uint32_t *last_initial, uint32_t s, bool count_only) {
  const TccGraph *graph = &model->graph;
  size_t dropped = 0;
  for (uint32_t i = 0; i < step->operands; i++) {
    uint32_t root = graph->nodes[graph->slots[step->slots + i]].root;
    const TccNode *node = &graph->nodes[root];
    if (node->kind != TCC_PLAN_WEIGHT || model->owned[root].data || last_initial[root] != s || !is_in_file(model, node)) continue;
    size_t bytes = tcc_static_bytes(model, node);
    dropped += tcc_file_whole_pages(node->data, bytes);
    if (!count_only) tcc_file_drop_pages(node->data, bytes);
  }
  return dropped;
}

/* The tiles of a command from `first` on, as a command of its own. */
typedef struct {
  const TccCommand *whole;
  int64_t first;
} Part;

static void run_part(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const Part *part = arguments[0];
  (void)sizes;
  part->whole->function(part->whole->arguments, part->whole->sizes, scratch, part->first + begin, part->first + end);
}

/* Touches the block up to the end of what a step writes, and some more. *touched: what has been; nothing is touched twice, for
 * touching writes. Results lie in the order in which a run reads them, from which that of the initial steps differs little: the block grows as it
 * is filled. */
static void touch_results(TccModel *model, TccTeam *team, const TccStep *step, size_t *touched) {
  size_t end = 0;
  for (uint32_t i = step->operands; i < step->operands + step->results; i++) {
    uint32_t root = model->graph.nodes[model->graph.slots[step->slots + i]].root;
    const TccNode *node = &model->graph.nodes[root];
    if (!is_in_block(node)) continue;
    size_t behind = (size_t)((char *)node->data - (char *)model->block) + tcc_static_bytes(model, node);
    end = behind > end ? behind : end;
  }
  if (end <= *touched) return;
  const size_t ahead = (size_t)tcc_team_threads(team) * AHEAD_BYTES;
  end = model->block_bytes - end > ahead ? (end + ahead) & ~(size_t)(TOUCH_BYTES - 1) : model->block_bytes;
  void *const from = (char *)model->block + *touched;
  const int64_t bytes = (int64_t)(end - *touched);
  const TccCommand touch = {touch_pages, &from, &bytes, (bytes + TOUCH_BYTES - 1) / TOUCH_BYTES, false};
  tcc_team_run(team, &touch, 1, NULL);
  *touched = end;
}

static TccStatus *run_initial(TccModel *model, const TccLoadOptions *options) {
  TccInspect *inspect = options ? options->inspect : NULL;
  TccGraph *graph = &model->graph;
  const TccPlanHeader *plan = model->plan;
  if (graph->initial_count == 0) return NULL;
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  TccArena *scratch = tcc_arena_create();
  TccCommand *commands = TCC_NEW_ARRAY(scratch, TccCommand, graph->initial_count);
  void **arguments = TCC_NEW_ARRAY(scratch, void *, graph->slot_count);
  int64_t *sizes = TCC_NEW_ARRAY(scratch, int64_t, graph->size_count), *values = TCC_NEW_ARRAY(scratch, int64_t, plan->exprs.count);
  uint32_t *last_initial =
      TCC_NEW_ARRAY(scratch, uint32_t, graph->node_count); /* per root: the last of these steps that reads it */
  if (!commands || !arguments || !sizes || !values || !last_initial) {
    tcc_arena_destroy(scratch);
    return TCC_ERROR_NO_MEMORY();
  }
  for (size_t i = 0; i < plan->exprs.count; i++) values[i] = exprs[i].constant;
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
    commands[s] = (TccCommand){model->functions[call->kernel], arguments + step->slots, sizes + step->sizes,
                               exprs[call->tiles].constant, false};
    tcc_faults_empty(plan, call, values, &commands[s]);
  }
  TccTeam *team = NULL;
  TccStatus *status = tcc_team_create(&model->allocator, options ? options->threads : 0, &team);
  if (!status) status = tcc_team_prepare(team, scratch_bytes);
  size_t touched = 0; /* of the block */
  for (size_t s = 0; !status && s < graph->initial_count; s++) {
    const TccStep *step = &graph->initial[s];
    const TccStepPlace place = {model, step, arguments, values, NULL, true};
    if (inspect) status = tcc_inspect_step(&place, false, inspect, options->inspect_user);
    if (status) break;
    touch_results(model, team, step, &touched);
    int64_t tiles = commands[s].tiles, parts = (int64_t)(drop_pages(model, step, last_initial, (uint32_t)s, true) / PART_BYTES) + 1;
    int64_t each = tiles / parts + (tiles % parts != 0);
    for (int64_t first = 0; first < tiles; first += each) {
      Part part = {&commands[s], first};
      void *const argument = &part;
      const TccCommand command = {run_part, &argument, NULL, tiles - first < each ? tiles - first : each, false};
      tcc_team_run(team, &command, 1, NULL);
      drop_pages(model, step, last_initial, (uint32_t)s, false);
    }
    status = tcc_faults_take(plan, &calls[step->index], values, sizes + step->sizes);
    if (!status && inspect) status = tcc_inspect_step(&place, true, inspect, options->inspect_user);
  }
  tcc_team_destroy(team);
  tcc_arena_destroy(scratch);
  return status;
}

/* ---- what later steps read where it lies ---- */
typedef struct {
  char *data;
  size_t bytes;
} Piece;
typedef TCC_VEC(Piece) Pieces;

static void map_pieces(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const Piece *pieces = arguments[0];
  (void)sizes, (void)scratch;
  for (int64_t i = begin; i < end; i++) madvise(pieces[i].data, pieces[i].bytes, MADV_POPULATE_READ); /* advice: no error matters */
}

/* Others may look up a few rows of a table. */
static bool reads_whole(const TccModel *model, const TccStep *step) {
  if (step->kind != TCC_PLAN_KERNEL) return false;
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(model->plan, model->plan->calls) + step->index;
  return tcc_kernel_reads_whole(tcc_kernel_kind_named(tcc_str(tcc_plan_text(model->plan, call->kind))));
}

/* The large weights that every run reads from their file, by TOUCH_BYTES. */
static TccStatus *list_pieces(const TccModel *model, TccArena *scratch, Pieces *pieces) {
  const TccGraph *graph = &model->graph;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  bool *seen;
  TCC_TRY_ARRAY(scratch, seen, graph->node_count);
  for (size_t s = 0; s < graph->step_count; s++) {
    const TccStep *step = &graph->steps[s];
    for (uint32_t i = 0; i < step->operands; i++) {
      uint32_t root = graph->nodes[graph->slots[step->slots + i]].root;
      const TccNode *node = &graph->nodes[root];
      if (node->kind != TCC_PLAN_WEIGHT || seen[root] || model->owned[root].data || !reads_whole(model, step) ||
          !is_in_file(model, node))
        continue;
      seen[root] = true;
      uintptr_t at = (uintptr_t)node->data & ~(page - 1), end = (uintptr_t)node->data + tcc_static_bytes(model, node);
      if (end - at < TOUCH_BYTES) continue;
      for (; at < end; at = (at + TOUCH_BYTES) & ~(uintptr_t)(TOUCH_BYTES - 1)) {
        uintptr_t next = (at + TOUCH_BYTES) & ~(uintptr_t)(TOUCH_BYTES - 1);
        Piece piece = {(char *)at, (next < end ? next : end) - at};
        TCC_VEC_TRY_PUSH(scratch, pieces, piece);
      }
    }
  }
  return NULL;
}

/* Maps their pages on all threads: 2 MB a call. The first run would do it 64 KiB a fault, 40 ms a gigabyte more, and in the midst of
 * streams that the processor has just begun to fetch. */
static TccStatus *map_weights(TccModel *model, unsigned threads) {
  TccArena *scratch = tcc_arena_create();
  Pieces pieces = {0};
  TccTeam *team = NULL;
  TccStatus *status = list_pieces(model, scratch, &pieces);
  if (!status && pieces.count) status = tcc_team_create(&model->allocator, threads, &team);
  if (team) {
    void *const list = pieces.data;
    const TccCommand command = {map_pieces, &list, NULL, (int64_t)pieces.count, false};
    tcc_team_run(team, &command, 1, NULL);
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

TccStatus *tcc_weights_bind(TccModel *model, const TccLoadOptions *options) {
  if (model->gpu && options && options->inspect)
    return TCC_ERROR(TCC_UNSUPPORTED, "what kernels of a device make is not looked at");
  if (model->gpu) return tcc_gpu_weights_bind(model, options);
  const char *directory = options ? options->weights_dir : NULL;
  TCC_TRY_ARRAY(model->arena, model->sources, model->plan->sources.count);
  TCC_TRY(lay_out_block(model));
  const unsigned threads = options ? options->threads : 0;
  const TccVerify verify = options ? options->verify : TCC_VERIFY_SAMPLES;
  if (options && options->cache && !options->inspect)
    tcc_packed_open(model, directory, verify == TCC_VERIFY_SAMPLES || verify == TCC_VERIFY_FULL, threads);
  /* What was packed of files that have passed need not be compared again, unless all bytes are to be. */
  if (!model->packed.found || verify != TCC_VERIFY_SAMPLES) TCC_TRY(tcc_identity_check(model, directory, verify, threads));
  TCC_TRY(bind_nodes(model, directory));
  if (!model->packed.found) {
    TCC_TRY(run_initial(model, options));
    release_unread(model);
  }
  return map_weights(model, threads);
}

void tcc_weights_release(TccModel *model) {
  if (model->gpu) {
    tcc_gpu_weights_release(model);
    return;
  }
  if (model->owned)
    for (size_t n = 0; n < model->graph.node_count; n++) disown(model, n);
  const bool mapped = model->packed.map.data != NULL;
  tcc_packed_close(model); /* waits for who writes the block to a file */
  if (!mapped) tcc_release(&model->allocator, model->block, model->block_bytes);
  if (model->sources)
    for (size_t i = 0; i < model->plan->sources.count; i++) tcc_file_unmap(&model->sources[i]);
}
