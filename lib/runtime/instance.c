/* instance.c - the graph for one set of input sizes: expressions evaluated, buffers placed, commands resolved.
 *
 * All tables of an instance are one block, made once; what depends on sizes is filled in stage by stage. A stage ends where
 * the number of non-zero elements decides later sizes, and where a loop begins or ends in whose body there is such a number: a stage in a
 * loop is planned anew for each iteration that has other numbers. Each stage has an arena of its own, which grows: a buffer that a later stage
 * still reads lives to the end of the stage that made it, so no later plan can disturb it. Within a stage offsets follow
 * lifetimes (memory.c); a result takes its operand's place where the compiler allowed it and the operand dies there. */
#include "gpu.h"

static _Alignas(TCC_CACHE_LINE) char empty_buffer[TCC_CACHE_LINE]; /* what a tensor without elements points to */

bool tcc_instance_reserve(TccInstance *instance, TccBlock *block, size_t bytes) {
  if (block->bytes >= bytes && block->offset) return true;
  const TccAllocator *allocator = &instance->model->allocator;
  tcc_release(allocator, (void *)block->offset, block->bytes);
  instance->total_bytes -= block->bytes;
  void *memory = tcc_allocate(allocator, bytes);
  *block = (TccBlock){(size_t)memory, memory ? bytes : 0};
  instance->total_bytes += block->bytes;
  return memory != NULL;
}

TccStatus *tcc_instance_reserve_device(TccInstance *instance, TccBlock *block, size_t bytes, const char *what) {
  TccGpu *gpu = instance->model->gpu;
  if (!gpu) return tcc_instance_reserve(instance, block, bytes) ? NULL : TCC_ERROR(TCC_NO_MEMORY, "out of memory for %s", what);
  if (block->bytes >= bytes && block->offset) return NULL;
  if (block->offset) TCC_TRY(tcc_gpu_wait(gpu));
  tcc_gpu_release(gpu, (void *)block->offset);
  instance->total_bytes -= block->bytes;
  *block = (TccBlock){0};
  void *memory;
  TCC_TRY(tcc_gpu_allocate(gpu, bytes, what, &memory));
  *block = (TccBlock){(size_t)memory, bytes};
  instance->total_bytes += bytes;
  return NULL;
}

void tcc_instance_point(TccInstance *instance, uint32_t root, void *data) {
  const TccGraph *graph = &instance->model->graph;
  if (instance->pointers[root] == data) return;
  instance->pointers[root] = data;
  for (uint32_t i = graph->patch_first[root]; i < graph->patch_first[root + 1]; i++) {
    uint32_t slot = graph->patches[i];
    instance->arguments[slot] = (char *)data + instance->shifts[graph->nodes[graph->slots[slot]].within];
  }
}

/* ---- sizes ---- */
static TccStatus *evaluate(TccInstance *instance, int32_t stage) {
  const TccPlanHeader *plan = instance->model->plan;
  const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
  const unsigned char *code = tcc_plan_at(plan, plan->code);
  for (size_t i = 0; i < plan->exprs.count; i++) {
    const TccPlanExpr *expr = &exprs[i];
    if (expr->stage < 0) instance->exprs[i] = expr->constant;
    else if (expr->stage != stage) continue;
    else if (expr->symbol >= 0) instance->exprs[i] = instance->symbols[expr->symbol];
    else if (!tcc_expr_run(code + expr->code, expr->length, instance->symbols, plan->symbols.count, &instance->exprs[i]))
      return TCC_ERROR(TCC_INVALID, "a size cannot be computed for these inputs: overflow or division by zero");
  }
  const TccPlanConstraint *constraints = tcc_plan_at(plan, plan->constraints);
  for (size_t i = 0; i < plan->constraints.count; i++) {
    const TccPlanConstraint *constraint = &constraints[i];
    int32_t left = exprs[constraint->left].stage, right = exprs[constraint->right].stage;
    int64_t sizes[] = {instance->exprs[constraint->left], instance->exprs[constraint->right]};
    TccSizeRelation relation = (TccSizeRelation)constraint->relation;
    if ((left > right ? left : right) != stage || tcc_sizes_hold(relation, sizes[0], sizes[1])) continue;
    return tcc_sizes_error(relation, tcc_plan_text(plan, constraint->left_text), sizes[0],
                           tcc_plan_text(plan, constraint->right_text), sizes[1], tcc_plan_text(plan, constraint->origin));
  }
  return NULL;
}

int64_t tcc_instance_dim(const TccInstance *instance, const TccNode *node, uint32_t axis) {
  const TccPlanHeader *plan = instance->model->plan;
  return instance->exprs[((const uint32_t *)tcc_plan_at(plan, plan->indices))[node->dims.first + axis]];
}

static TccStatus *node_bytes(const TccInstance *instance, const TccNode *node, size_t *out) {
  int64_t dims[TCC_PLAN_MAX_RANK];
  for (uint32_t axis = 0; axis < node->rank; axis++) {
    dims[axis] = tcc_instance_dim(instance, node, axis);
    if (dims[axis] < 0)
      return TCC_ERROR(TCC_INVALID, "the size of a dimension becomes %lld for these inputs", (long long)dims[axis]);
  }
  if (!tcc_elem_dense_bytes((TccElem)node->elem, dims, node->rank, NULL, out))
    return TCC_ERROR(TCC_NO_MEMORY, "a tensor is too large for the address space");
  return NULL;
}

/* Symbols from the inputs' dimensions, then every dimension against its expression, and what the inputs take dense. */
static TccStatus *bind_inputs(TccInstance *instance) {
  const TccModel *model = instance->model;
  const TccPlanHeader *plan = model->plan;
  const TccPlanExpr *exprs = tcc_plan_at(plan, plan->exprs);
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  for (size_t i = 0; i < plan->symbols.count; i++) instance->symbols[i] = -1;
  const int64_t *key = instance->key;
  for (size_t i = 0; i < model->graph.input_count; i++) {
    const TccNode *node = &model->graph.nodes[model->graph.input_nodes[i]];
    for (uint32_t axis = 0; axis < node->rank; axis++, key++) {
      int32_t symbol = exprs[indices[node->dims.first + axis]].symbol;
      if (symbol >= 0 && instance->symbols[symbol] < 0) instance->symbols[symbol] = *key;
    }
  }
  TCC_TRY(evaluate(instance, 0));
  key = instance->key;
  for (size_t i = 0; i < model->graph.input_count; i++) {
    const uint32_t n = model->graph.input_nodes[i];
    const TccNode *node = &model->graph.nodes[n];
    for (uint32_t axis = 0; axis < node->rank; axis++, key++) {
      int64_t want = tcc_instance_dim(instance, node, axis);
      if (want != *key)
        return TCC_ERROR(TCC_INVALID, "input %zu '%s', axis %u: size %lld, expected %lld", i, model->inputs[i].name, axis,
                         (long long)*key, (long long)want);
    }
    TCC_TRY(tcc_status_context(node_bytes(instance, node, &instance->bytes[n]), "input %zu '%s'", i, model->inputs[i].name));
  }
  return NULL;
}

/* Where the nodes of a stage lie that lie in others. */
static TccStatus *shift_operands(TccInstance *instance, size_t stage) {
  const TccGraph *graph = &instance->model->graph;
  for (size_t i = 0; i < graph->placed_count; i++) {
    uint32_t n = graph->placed[i];
    const TccNode *node = &graph->nodes[n];
    if (node->stage != stage) continue;
    size_t own, all;
    int64_t shift = instance->exprs[node->shift];
    TCC_TRY(node_bytes(instance, node, &own));
    TCC_TRY(node_bytes(instance, &graph->nodes[node->parent], &all));
    if (shift < 0 || own > all || (size_t)shift > all - own)
      return TCC_ERROR(TCC_INVALID, "plan: an operand of %zu bytes at %lld of a tensor of %zu", own, (long long)shift, all);
    size_t from = instance->shifts[node->parent] + (size_t)shift;
    if (from == instance->shifts[n]) continue;
    instance->shifts[n] = from;
    instance->pointers[node->root] = NULL; /* what tcc_instance_point said of it no longer holds */
  }
  for (size_t i = 0; i < graph->placed_count; i++) {
    uint32_t root = graph->nodes[graph->placed[i]].root;
    if (graph->nodes[root].place == TCC_PLACE_STATIC) tcc_instance_point(instance, root, graph->nodes[root].data);
  }
  return NULL;
}

/* ---- memory of a stage ---- */
enum { MOST_PACKED = 4096 }; /* blocks: placing them all at once takes time quadratic in them */
typedef struct {
  TccOffsets offsets;
  uint32_t *block;     /* per node: index into blocks */
  bool *held;          /* per node: has a block */
  TccLifetime *blocks; /* one per result at most */
  uint32_t *dying;     /* blocks by their last step; those before `given` are given back */
  size_t count, ndying, given, late /* steps for which a block stays behind the last that needs it */;
  size_t first; /* of the stage */
} Planner;

static bool in_arena(const TccNode *root) { return root->place == TCC_PLACE_BUFFER && !root->is_output; }

/* Whether a stage that begins with this step has to give a result a place: it has none of its own, and none of an earlier stage, as what an
 * iteration makes of a value that a loop carries. */
static bool is_placed_here(const TccInstance *instance, uint32_t root, size_t first) {
  const TccNode *node = &instance->model->graph.nodes[root];
  return node->first >= first && !tcc_node_is_apart(instance->model, node);
}

static size_t shift_of(const TccInstance *instance, uint32_t slot) {
  const TccGraph *graph = &instance->model->graph;
  return instance->shifts[graph->nodes[graph->slots[slot]].within];
}

/* Gives result the block of an operand that dies in this step, if the compiler allowed the pair and both begin at the same byte of it: a
 * result that lies in a joined tensor does not. */
static bool take_over(TccInstance *instance, Planner *planner, size_t s, uint32_t position, uint32_t result) {
  const TccGraph *graph = &instance->model->graph;
  const TccStep *step = &graph->steps[s];
  const uint32_t *pairs = (const uint32_t *)tcc_plan_at(graph->plan, graph->plan->indices) + step->inplace.first;
  for (uint32_t p = 0; p + 1 < step->inplace.count; p += 2) {
    if (pairs[p + 1] != position || pairs[p] >= step->operands) continue;
    uint32_t operand = graph->nodes[graph->slots[step->slots + pairs[p]]].root;
    bool dies = in_arena(&graph->nodes[operand]) && graph->nodes[operand].last == s && planner->held[operand];
    bool alone = true; /* no other operand lies in the same memory, perhaps elsewhere in it */
    for (uint32_t i = 0; i < step->operands; i++)
      alone &= i == pairs[p] || graph->nodes[graph->slots[step->slots + i]].root != operand;
    if (shift_of(instance, step->slots + pairs[p]) != shift_of(instance, step->slots + step->operands + position)) continue;
    if (!dies || !alone || tcc_align(instance->bytes[operand]) != tcc_align(instance->bytes[result])) continue;
    planner->block[result] = planner->block[operand];
    planner->held[operand] = false;
    return true;
  }
  return false;
}

static bool plan_step(TccInstance *instance, Planner *planner, size_t s) {
  const TccGraph *graph = &instance->model->graph;
  const TccStep *step = &graph->steps[s];
  const uint32_t *slots = graph->slots + step->slots;
  for (uint32_t r = 0; r < step->results; r++) {
    uint32_t result = graph->nodes[slots[step->operands + r]].root;
    size_t bytes = tcc_align(instance->bytes[result]);
    if (bytes == 0 || planner->held[result] || !is_placed_here(instance, result, planner->first))
      continue; /* held: another operand of a concatenation came first, or a loop carries it */
    if (!take_over(instance, planner, s, r, result)) {
      TccLifetime *block = &planner->blocks[planner->count];
      *block = (TccLifetime){.bytes = bytes, .first = s, .last = SIZE_MAX};
      if (!tcc_offsets_take(&planner->offsets, bytes, &block->offset)) return false;
      planner->block[result] = (uint32_t)planner->count++;
    }
    planner->held[result] = true;
  }
  for (uint32_t i = 0; i < step->operands + step->results; i++) {
    uint32_t root = graph->nodes[slots[i]].root;
    if (!in_arena(&graph->nodes[root]) || graph->nodes[root].last != s || !planner->held[root]) continue;
    planner->held[root] = false;
    planner->blocks[planner->block[root]].last = s + planner->late;
    planner->dying[planner->ndying++] = planner->block[root];
  }
  for (; planner->given < planner->ndying; planner->given++) {
    const TccLifetime *block = &planner->blocks[planner->dying[planner->given]];
    if (block->last > s) break;
    if (!tcc_offsets_give(&planner->offsets, block->offset, block->bytes)) return false;
  }
  return true;
}

/* Places all blocks anew where the plan made step by step left holes. False: out of memory. */
static bool fill_holes(Planner *planner) {
  if (planner->offsets.end <= planner->offsets.peak + planner->offsets.peak / 16 || planner->count > MOST_PACKED) return true;
  TccLifetime *packed = malloc(planner->count * (sizeof *packed + 2 * sizeof(uint32_t)));
  if (!packed) return false;
  memcpy(packed, planner->blocks, planner->count * sizeof *packed);
  uint32_t *order = (uint32_t *)(packed + planner->count);
  size_t end = tcc_lifetimes_pack(packed, planner->count, order, order + planner->count);
  if (end < planner->offsets.end) {
    memcpy(planner->blocks, packed, planner->count * sizeof *packed);
    planner->offsets.end = end;
  }
  free(packed);
  return true;
}

/* Says who makes the largest result of the steps. */
static TccStatus *no_room(const TccInstance *instance, size_t first, size_t last) {
  const TccGraph *graph = &instance->model->graph;
  const char *maker = "";
  size_t most = 0;
  for (size_t s = first; s < last; s++)
    for (uint32_t r = 0; r < graph->steps[s].results; r++) {
      size_t bytes = instance->bytes[graph->nodes[graph->slots[graph->steps[s].slots + graph->steps[s].operands + r]].root];
      if (bytes > most) most = bytes, maker = tcc_step_name(instance->model, &graph->steps[s]);
    }
  return TCC_ERROR(TCC_NO_MEMORY, "out of memory for intermediate results, the largest of which has %zu MB, of '%s'", most >> 20,
                   maker);
}

static void drop(Planner *planner) {
  free(planner->block);
  free(planner->blocks);
  free(planner->held);
  free(planner->dying);
  free(planner->offsets.free);
}

static bool plan(TccInstance *instance, size_t first, size_t last, size_t late, Planner *out) {
  const TccGraph *graph = &instance->model->graph;
  size_t results = 0;
  for (size_t s = first; s < last; s++) results += graph->steps[s].results;
  *out = (Planner){.block = malloc(graph->node_count * sizeof *out->block + 1),
                   .held = calloc(graph->node_count + 1, sizeof *out->held),
                   .blocks = malloc((results + 1) * sizeof *out->blocks),
                   .dying = malloc((results + 1) * sizeof *out->dying),
                   .late = late,
                   .first = first};
  bool ok = out->block && out->held && out->blocks && out->dying;
  for (size_t s = first; ok && s < last; s++) ok = plan_step(instance, out, s);
  return ok && fill_holes(out);
}

/* Steps of a graph that have no bytes in common may overlap (gpu_order.c): its blocks wait before others get them, where that costs little. */
static void plan_apart(TccInstance *instance, size_t first, size_t last, Planner *planner) {
  enum { STEPS = 16, SPARE = 32 << 20 };
  Planner apart;
  bool ok = plan(instance, first, last, STEPS, &apart);
  if (ok && apart.offsets.end <= planner->offsets.peak + planner->offsets.peak / 16 + SPARE) {
    apart.offsets.peak = planner->offsets.peak;
    Planner kept = apart;
    apart = *planner, *planner = kept;
  }
  drop(&apart);
}

static TccStatus *place_buffers(TccInstance *instance, size_t stage, size_t first, size_t last) {
  const TccGraph *graph = &instance->model->graph;
  Planner planner;
  bool ok = plan(instance, first, last, 0, &planner);
  if (ok && instance->captures) plan_apart(instance, first, last, &planner);
  TccStatus *status = NULL;
  if (ok)
    status = tcc_instance_reserve_device(instance, &instance->arenas[stage], planner.offsets.end ? planner.offsets.end : 1,
                                         "intermediate results");
  if (status && !instance->model->gpu) { /* says who needs it */
    tcc_status_destroy(status);
    status = NULL, ok = false;
  }
  ok = ok && !status;
  instance->peaks[stage] = planner.offsets.peak;
  char *base = (char *)instance->arenas[stage].offset;
  for (size_t s = first; ok && s < last; s++) {
    const TccStep *step = &graph->steps[s];
    for (uint32_t r = 0; r < step->results; r++) {
      uint32_t root = graph->nodes[graph->slots[step->slots + step->operands + r]].root;
      if (!is_placed_here(instance, root, first)) continue;
      tcc_instance_point(instance, root, instance->bytes[root] ? base + planner.blocks[planner.block[root]].offset : empty_buffer);
    }
  }
  drop(&planner);
  return ok || status ? status : no_room(instance, first, last);
}

/* ---- commands of a stage ---- */
enum { NARROW_BYTES = 16 << 10 }; /* operands and results together; a barrier costs what touching this much does */
/* LOOP or AGAIN. A place that is read as well, as another value is made of it, is read before it is written. */
static TccStatus *resolve_loop(TccInstance *instance, size_t s) {
  const TccGraph *graph = &instance->model->graph;
  const TccStep *step = &graph->steps[s];
  const TccLoop *loop = &graph->loops[step->loop];
  const uint32_t *from = graph->slots + step->slots, *to = from + loop->carried;
  bool again = step->kind == TCC_PLAN_AGAIN;
  int64_t *sizes = instance->sizes + step->sizes;
  size_t scratch = 0;
  sizes[0] = loop->carried;
  for (uint32_t i = 0; i < loop->carried; i++) {
    size_t bytes, given;
    TCC_TRY(node_bytes(instance, &graph->nodes[to[i]], &bytes));
    TCC_TRY(node_bytes(instance, &graph->nodes[from[i]], &given));
    if (bytes != given || (i == 0 && loop->conditional && bytes < 1))
      return TCC_ERROR(TCC_INVALID, "a value that a loop carries has %zu bytes, what it %s has %zu", bytes,
                       again ? "becomes" : "begins with", given);
    bool waits = false;
    for (uint32_t k = 0; k < loop->carried; k++) waits |= again && k != i && graph->nodes[from[i]].root == to[k];
    sizes[1 + i] = (int64_t)bytes;
    sizes[1 + loop->carried + i] = waits ? (int64_t)scratch : -1;
    if (waits && !tcc_add_size(scratch, tcc_align(bytes), &scratch)) return TCC_ERROR(TCC_NO_MEMORY, "out of memory for a loop");
  }
  if (scratch > instance->scratch_bytes) instance->scratch_bytes = scratch;
  int64_t trips = instance->exprs[loop->trips];
  instance->jumps[s] = (TccJump){.trips = trips,
                                 .jump = again ? (int64_t)loop->begin + 1 - (int64_t)s : (int64_t)loop->end + 1 - (int64_t)s,
                                 .depth = loop->depth,
                                 .carried = loop->carried,
                                 .conditional = loop->conditional,
                                 .again = again};
  instance->commands[s] = (TccCommand){.function = tcc_loop_copy,
                                       .arguments = instance->arguments + step->slots,
                                       .sizes = sizes,
                                       .tiles = 1,
                                       .serial = true,
                                       .jump = loop->counts ? NULL : &instance->jumps[s]}; /* it ends a stage: context.c goes on */
  return NULL;
}

static TccStatus *resolve_steps(TccInstance *instance, size_t first, size_t last) {
  const TccModel *model = instance->model;
  const TccGraph *graph = &model->graph;
  const TccPlanHeader *plan = model->plan;
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  for (size_t s = first; s < last; s++) {
    const TccStep *step = &graph->steps[s];
    if (step->kind == TCC_PLAN_LOOP || step->kind == TCC_PLAN_AGAIN) TCC_TRY(resolve_loop(instance, s));
    if (step->kind != TCC_PLAN_KERNEL) continue;
    const TccPlanCall *call = &calls[step->index];
    size_t touched = 0, made = 0;
    for (uint32_t i = 0; i < step->operands + step->results; i++) {
      const TccNode *node = &graph->nodes[graph->slots[step->slots + i]];
      size_t bytes = 0;
      if (node->place != TCC_PLACE_NONE) TCC_TRY(node_bytes(instance, node, &bytes));
      touched = bytes > SIZE_MAX - touched ? SIZE_MAX : touched + bytes;
      if (i >= step->operands && bytes > made) made = bytes;
    }
    for (uint32_t i = 0; i < call->sizes.count; i++)
      instance->sizes[step->sizes + i] = instance->exprs[indices[call->sizes.first + i]];
    int64_t tiles = instance->exprs[call->tiles], scratch = instance->exprs[call->scratch];
    if (tiles < 0 || scratch < 0)
      return TCC_ERROR(TCC_INTERNAL, "kernel '%s' asks for %lld tiles and %lld bytes of scratch", tcc_plan_text(plan, call->name),
                       (long long)tiles, (long long)scratch);
    if (!call->launch && (size_t)scratch > instance->scratch_bytes)
      instance->scratch_bytes = (size_t)scratch; /* a device has its own */
    uint32_t fetched = call->prefetch.streams && call->prefetch.operand < step->operands
                           ? graph->slots[step->slots + call->prefetch.operand]
                           : TCC_NEVER;
    const uint8_t place = fetched == TCC_NEVER ? TCC_PLACE_NONE : graph->nodes[graph->nodes[fetched].root].place;
    bool stays = place == TCC_PLACE_STATIC || place == TCC_PLACE_FROZEN; /* nobody is still writing it */
    instance->commands[s] = (TccCommand){model->functions[call->kernel],
                                         instance->arguments + step->slots,
                                         instance->sizes + step->sizes,
                                         made ? tiles : 0, /* sizes of nothing may be huge: 2^62 rows of no columns */
                                         touched <= NARROW_BYTES,
                                         stays ? &call->prefetch : NULL,
                                         NULL};
    tcc_faults_empty(plan, call, instance->exprs, &instance->commands[s]);
  }
  return NULL;
}

static TccStatus *plan_stage(TccInstance *instance, size_t stage) {
  const TccGraph *graph = &instance->model->graph;
  if (instance->model->gpu) tcc_gpu_graphs_drop(instance->model->gpu, &instance->graphs[stage]);
  size_t first = graph->stage_first[stage], last = graph->stage_first[stage + 1];
  for (size_t s = first; s < last; s++) {
    const TccStep *step = &graph->steps[s];
    for (uint32_t r = 0; r < step->results; r++) {
      uint32_t root = graph->nodes[graph->slots[step->slots + step->operands + r]].root;
      TCC_TRY(node_bytes(instance, &graph->nodes[root], &instance->bytes[root]));
    }
  }
  TCC_TRY(shift_operands(instance, stage));
  /* Small tensors of sizes that this stage is the first to know. */
  const TccPlanHeader *plan = graph->plan;
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  for (size_t n = 0; n < graph->node_count; n++) {
    const TccNode *node = &graph->nodes[n];
    if (node->place != TCC_PLACE_SIZES || node->root != n) continue;
    for (uint32_t i = 0; i < node->sizes.count; i++)
      ((int64_t *)instance->host_sizes[n])[i] = instance->exprs[indices[node->sizes.first + i]];
  }
  if (instance->model->gpu) TCC_TRY(tcc_gpu_upload_sizes(instance->model->gpu, instance, instance->host_sizes));
  TCC_TRY(place_buffers(instance, stage, first, last));
  for (size_t i = 0; i < graph->output_count; i++) {
    uint32_t root = graph->nodes[graph->outputs[i].node].root;
    if (graph->nodes[root].first >= first && graph->nodes[root].first < last) instance->homes[i] = instance->pointers[root];
  }
  return resolve_steps(instance, first, last);
}

TccStatus *tcc_instance_enter(TccInstance *instance, size_t stage, int64_t count) {
  const TccPlanHeader *plan = instance->model->plan;
  if (instance->counts[stage] == count) return NULL;
  for (size_t s = stage; s < instance->model->graph.stage_end[stage]; s++) instance->counts[s] = -1; /* planned for another size */
  const TccPlanSymbol *symbols = tcc_plan_at(plan, plan->symbols);
  for (size_t i = 0; i < plan->symbols.count; i++)
    if (symbols[i].stage == stage) instance->symbols[i] = count;
  TCC_TRY(evaluate(instance, (int32_t)stage));
  TCC_TRY(plan_stage(instance, stage));
  instance->counts[stage] = count;
  return NULL;
}

/* ---- life ---- */
/* Lays the tables out in one block: called once with base NULL for the size, once to set the pointers. */
static size_t lay_out(TccInstance *instance, char *base) {
  const TccGraph *graph = &instance->model->graph;
  const TccPlanHeader *plan = instance->model->plan;
  size_t at = 0;
#define TABLE(field, count)                                                                                                        \
  do {                                                                                                                             \
    if (base) instance->field = (void *)(base + at);                                                                               \
    at += ((size_t)(count) * sizeof *instance->field + 15) & ~(size_t)15;                                                          \
  } while (0)
  TABLE(key, tcc_graph_key_length(graph));
  TABLE(symbols, plan->symbols.count);
  TABLE(exprs, plan->exprs.count);
  TABLE(sizes, graph->size_count);
  TABLE(counts, graph->stage_count);
  TABLE(shapes, graph->output_count * TCC_PLAN_MAX_RANK);
  TABLE(bytes, graph->node_count);
  TABLE(shifts, graph->node_count);
  TABLE(pointers, graph->node_count);
  TABLE(host_sizes, graph->node_count);
  TABLE(arguments, graph->slot_count);
  TABLE(commands, graph->step_count);
  TABLE(jumps, graph->step_count);
  TABLE(arenas, graph->stage_count);
  TABLE(peaks, graph->stage_count);
  TABLE(homes, graph->output_count);
  TABLE(copies, graph->output_count);
  TABLE(staged, graph->input_count);
  TABLE(packed, graph->input_count);
  TABLE(gpu_found, instance->model->gpu && graph->checked_count ? graph->size_count : 0);
  TABLE(gpu_copies, instance->model->gpu ? graph->output_count : 0);
  TABLE(gpu_maps, instance->model->gpu ? graph->map_count : 0);
  TABLE(graphs, instance->model->gpu ? graph->stage_count : 0);
  TABLE(gpu_keys, instance->captures ? graph->stage_count * (TCC_GPU_GRAPHS + 1) * (graph->input_count + graph->output_count) : 0);
  TABLE(copied, instance->model->gpu ? graph->input_count + graph->output_count : 0);
#undef TABLE
  for (size_t n = 0; n < graph->node_count; n++) { /* the small tensors of sizes */
    const TccNode *node = &graph->nodes[n];
    if (node->place != TCC_PLACE_SIZES || node->root != n) continue;
    if (base) instance->pointers[n] = instance->host_sizes[n] = base + at;
    at += (node->sizes.count * sizeof(int64_t) + 15) & ~(size_t)15;
  }
  return at;
}

TccStatus *tcc_instance_create(TccModel *model, const int64_t *key, bool captures, TccInstance **out) {
  *out = NULL;
  const TccGraph *graph = &model->graph;
  TccInstance *instance = calloc(1, sizeof *instance);
  if (!instance) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  instance->model = model;
  instance->captures = captures && model->gpu;
  instance->block_bytes = lay_out(instance, NULL);
  instance->block = tcc_allocate(&model->allocator, instance->block_bytes);
  if (!instance->block) {
    free(instance);
    return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  }
  memset(instance->block, 0, instance->block_bytes);
  lay_out(instance, instance->block);
  instance->total_bytes = instance->block_bytes;
  memcpy(instance->key, key, tcc_graph_key_length(graph) * sizeof *key);
  for (size_t i = 0; i < graph->stage_count; i++) instance->counts[i] = -1;
  for (size_t n = 0; n < graph->node_count; n++)
    if (graph->nodes[n].root == n && graph->nodes[n].place == TCC_PLACE_STATIC) instance->pointers[n] = graph->nodes[n].data;
  for (size_t i = 0; i < graph->slot_count; i++) instance->arguments[i] = instance->pointers[graph->nodes[graph->slots[i]].root];
  TccStatus *status = model->gpu ? tcc_gpu_instance_open(model->gpu, instance) : NULL;
  if (!status) status = bind_inputs(instance);
  if (!status) status = plan_stage(instance, 0);
  if (status) tcc_instance_destroy(instance);
  else *out = instance;
  return status;
}

static void release_where_it_runs(TccInstance *instance, TccBlock *block) {
  if (instance->model->gpu) tcc_gpu_release(instance->model->gpu, (void *)block->offset);
  else tcc_release(&instance->model->allocator, (void *)block->offset, block->bytes);
}

void tcc_instance_destroy(TccInstance *instance) {
  if (!instance) return;
  const TccGraph *graph = &instance->model->graph;
  const TccAllocator *allocator = &instance->model->allocator;
  TccGpu *gpu = instance->model->gpu;
  if (gpu) {
    tcc_gpu_settle(gpu);
    for (size_t i = 0; i < graph->stage_count; i++) tcc_gpu_graphs_drop(gpu, &instance->graphs[i]);
    for (size_t i = 0; i < graph->output_count; i++) release_where_it_runs(instance, &instance->gpu_copies[i]);
    tcc_gpu_unpin(gpu, instance->gpu_answer);
    tcc_gpu_mark_destroy(gpu, instance->gpu_answered);
    tcc_gpu_release(gpu, instance->gpu_faults);
    tcc_gpu_release(gpu, instance->gpu_sizes);
    tcc_gpu_release(gpu, instance->gpu_carried);
  }
  for (size_t i = 0; i < graph->stage_count; i++) release_where_it_runs(instance, &instance->arenas[i]);
  for (size_t i = 0; i < graph->output_count; i++)
    tcc_release(allocator, (void *)instance->copies[i].offset, instance->copies[i].bytes);
  for (size_t i = 0; i < graph->input_count; i++)
    tcc_release(allocator, (void *)instance->packed[i].offset, instance->packed[i].bytes);
  for (size_t i = 0; i < graph->input_count; i++) release_where_it_runs(instance, &instance->staged[i]);
  tcc_release(allocator, instance->block, instance->block_bytes);
  free(instance);
}
