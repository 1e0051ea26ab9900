/* frozen.c - what depends on static inputs: made once for each set of them, and again when one changes.
 *
 * A static input is a weight that the caller owns: the same memory with the same contents in most runs. Steps that depend on such inputs,
 * weights and constants alone (packing, folding) run when a set of static inputs is seen for the first time. A set is known by address,
 * strides and version of each input that these steps read; contents are not compared. Sets belong to the model, so that contexts share them, and several are
 * remembered, as one artifact may serve equal layers with weights of their own. Of the same memory with other versions the newest stays. A set
 * is made under the model's lock: a context that asks for the same one meanwhile waits for it. */
#include "internal.h"
#include <time.h>

enum { MOST_SETS = 256 };

void tcc_frozen_lay_out(TccGraph *graph) {
  const TccPlanExpr *exprs = tcc_plan_at(graph->plan, graph->plan->exprs);
  const uint32_t *indices = tcc_plan_at(graph->plan, graph->plan->indices);
  for (size_t i = 0; i < graph->frozen_node_count; i++) {
    TccNode *node = &graph->nodes[graph->frozen_nodes[i]];
    int64_t dims[TCC_PLAN_MAX_RANK];
    size_t bytes;
    for (uint32_t axis = 0; axis < node->rank; axis++) dims[axis] = exprs[indices[node->dims.first + axis]].constant;
    node->data = (void *)graph->frozen_bytes;
    if (!tcc_elem_dense_bytes((TccElem)node->elem, dims, node->rank, NULL, &bytes)) bytes = SIZE_MAX / 4;
    if (graph->frozen_bytes < SIZE_MAX / 4) graph->frozen_bytes += tcc_align(bytes); /* beyond: no memory when it is asked for */
  }
}

/* ---- keys ---- */
static uint64_t mix(uint64_t hash, uint64_t word) { return (hash ^ word) * 0x9e3779b97f4a7c15u + (hash >> 29); }

static uint64_t strides_word(const TccTensor *tensor) {
  uint64_t hash = 1;
  if (tcc_tensor_is_dense(tensor)) return 0;
  for (int32_t axis = 0; axis < tensor->rank; axis++) hash = mix(hash, (uint64_t)tensor->strides[axis]);
  return hash | 1;
}

static void read_key(const TccGraph *graph, const TccTensor *inputs, const uint64_t *versions, uint64_t *key) {
  for (size_t i = 0; i < graph->static_count; i++, key += TCC_FROZEN_WORDS) {
    const uint32_t n = graph->static_inputs[i];
    key[TCC_FROZEN_ADDRESS] = (uint64_t)(uintptr_t)inputs[n].data + inputs[n].byte_offset;
    key[TCC_FROZEN_STRIDES] = strides_word(&inputs[n]);
    key[TCC_FROZEN_VERSION] = versions ? versions[n] : 0;
  }
}

static size_t key_bytes(const TccGraph *graph) { return graph->static_count * TCC_FROZEN_WORDS * sizeof(uint64_t); }

/* The same memory, perhaps with other contents. */
static bool is_same_memory(const TccGraph *graph, const uint64_t *a, const uint64_t *b) {
  for (size_t i = 0; i < graph->static_count; i++, a += TCC_FROZEN_WORDS, b += TCC_FROZEN_WORDS)
    if (a[TCC_FROZEN_ADDRESS] != b[TCC_FROZEN_ADDRESS] || a[TCC_FROZEN_STRIDES] != b[TCC_FROZEN_STRIDES]) return false;
  return true;
}

/* ---- the lock ---- */
/* Held by a thread of the parent when it forked: the child takes it over, and begins with no sets, since the list may be half changed. */
static void lock(TccFrozenSets *sets) {
  const unsigned me = tcc_forks() + 1;
  const struct timespec pause = {0, 20000};
  for (unsigned holder = 0; !atomic_compare_exchange_weak(&sets->lock, &holder, me); holder = 0) {
    if (holder == me) nanosleep(&pause, NULL); /* a set is being made: milliseconds */
    else if (holder && atomic_compare_exchange_strong(&sets->lock, &holder, me)) {
      sets->first = NULL;
      sets->count = 0;
      return;
    }
  }
}

static void unlock(TccFrozenSets *sets) { atomic_store(&sets->lock, 0); }

/* ---- the list; under the lock ---- */
static void drop(TccModel *model, TccFrozen *set) {
  if (!set || --set->references) return;
  tcc_release(&model->allocator, set->block, model->graph.frozen_bytes);
  free(set);
}

static void unlink_set(TccModel *model, TccFrozen **at) {
  TccFrozen *set = *at;
  *at = set->next;
  model->sets.count--;
  drop(model, set);
}

static void link_first(TccModel *model, TccFrozen *set) {
  set->next = model->sets.first;
  model->sets.first = set;
  model->sets.count++;
}

/* The set with this key, first in the list from now on; NULL: there is none, and none of the same memory any more. */
static TccFrozen *find(TccModel *model, const uint64_t *key) {
  for (TccFrozen **at = &model->sets.first; *at;) {
    TccFrozen *set = *at;
    if (memcmp(set->key, key, key_bytes(&model->graph)) == 0) {
      *at = set->next;
      model->sets.count--;
      link_first(model, set);
      return set;
    }
    if (is_same_memory(&model->graph, set->key, key)) unlink_set(model, at);
    else at = &set->next;
  }
  return NULL;
}

static void make_room(TccModel *model) {
  const size_t most = model->sets.most ? model->sets.most : MOST_SETS;
  while (model->sets.count >= most) {
    TccFrozen **last = &model->sets.first;
    while ((*last)->next) last = &(*last)->next;
    unlink_set(model, last);
  }
}

/* ---- making a set ---- */
static TccStatus *no_room(void) { return TCC_ERROR(TCC_NO_MEMORY, "out of memory for what is made of static inputs"); }

/* Memory of roots that frozen steps alone read. */
typedef struct {
  TccModel *model;
  TccInstance *instance;
  bool *kept; /* per node: it is in the set's block */
} Making;

static TccStatus *take_results(Making *m, const TccStep *step) {
  const TccGraph *graph = &m->model->graph;
  for (uint32_t r = 0; r < step->results; r++) {
    const uint32_t root = graph->nodes[graph->slots[step->slots + step->operands + r]].root;
    if (m->kept[root] || m->instance->bytes[root]) continue;
    size_t bytes = 0;
    int64_t dims[TCC_PLAN_MAX_RANK];
    for (uint32_t axis = 0; axis < graph->nodes[root].rank; axis++)
      dims[axis] = tcc_instance_dim(m->instance, &graph->nodes[root], axis);
    bool fits = tcc_elem_dense_bytes((TccElem)graph->nodes[root].elem, dims, graph->nodes[root].rank, NULL, &bytes);
    void *memory = fits ? tcc_allocate(&m->model->allocator, tcc_align(bytes + 1)) : NULL;
    if (!memory) return no_room();
    m->instance->bytes[root] = tcc_align(bytes + 1); /* it has memory of its own as long as this is not 0 */
    tcc_instance_point(m->instance, root, memory);
  }
  return NULL;
}

static void give_back(Making *m, uint32_t root) {
  if (m->model->graph.nodes[root].place != TCC_PLACE_FROZEN || m->kept[root] || !m->instance->bytes[root]) return;
  tcc_release(&m->model->allocator, m->instance->pointers[root], m->instance->bytes[root]);
  m->instance->bytes[root] = 0;
  m->instance->pointers[root] = NULL;
}

static void give_back_read(Making *m, size_t s) {
  const TccGraph *graph = &m->model->graph;
  const TccStep *step = &graph->frozen[s];
  for (uint32_t i = 0; i < step->operands + step->results; i++) {
    const uint32_t root = graph->nodes[graph->slots[step->slots + i]].root;
    if (graph->nodes[root].frozen_last == s) give_back(m, root);
  }
}

static TccStatus *run_step(Making *m, TccTeam *team, size_t s) {
  const TccStep *step = &m->model->graph.frozen[s];
  const TccPlanHeader *plan = m->model->plan;
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(plan, plan->calls) + step->index;
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  TccInstance *instance = m->instance;
  TCC_TRY(take_results(m, step));
  for (uint32_t i = 0; i < call->sizes.count; i++)
    instance->sizes[step->sizes + i] = instance->exprs[indices[call->sizes.first + i]];
  TccCommand command = {.function = m->model->functions[call->kernel],
                        .arguments = instance->arguments + step->slots,
                        .sizes = instance->sizes + step->sizes,
                        .tiles = instance->exprs[call->tiles]};
  if (command.tiles < 0 || instance->exprs[call->scratch] < 0)
    return TCC_ERROR(TCC_INTERNAL, "kernel '%s' asks for less than nothing", tcc_plan_text(plan, call->name));
  TCC_TRY(tcc_team_prepare(team, (size_t)instance->exprs[call->scratch]));
  tcc_faults_empty(plan, call, instance->exprs, &command);
  tcc_team_run(team, &command, 1, NULL);
  give_back_read(m, s);
  return tcc_faults_take(plan, call, instance->exprs, instance->sizes + step->sizes);
}

static TccStatus *fill(TccInstance *instance, TccTeam *team, char *block) {
  const TccGraph *graph = &instance->model->graph;
  Making m = {instance->model, instance, calloc(graph->node_count + 1, sizeof(bool))};
  TccStatus *status = m.kept ? NULL : TCC_ERROR_NO_MEMORY();
  instance->frozen = 0;
  for (size_t i = 0; !status && i < graph->frozen_node_count; i++) {
    const uint32_t root = graph->frozen_nodes[i];
    m.kept[root] = true;
    tcc_instance_point(instance, root, block + (size_t)graph->nodes[root].data);
  }
  for (size_t s = 0; !status && s < graph->frozen_count; s++) status = run_step(&m, team, s);
  for (uint32_t n = 0; m.kept && n < graph->node_count; n++)
    if (graph->nodes[n].root == n) give_back(&m, n);
  free(m.kept);
  return status;
}

static TccStatus *make(TccInstance *instance, TccTeam *team, const uint64_t *key, TccFrozen **out) {
  TccModel *model = instance->model;
  const size_t bytes = key_bytes(&model->graph);
  make_room(model);
  TccFrozen *set = calloc(1, sizeof *set + bytes);
  if (!set) return TCC_ERROR_NO_MEMORY();
  set->references = 1;
  set->id = ++model->sets.made;
  memcpy(set->key, key, bytes);
  const bool fits = model->graph.frozen_bytes < SIZE_MAX / 4;
  set->block = fits ? tcc_allocate(&model->allocator, model->graph.frozen_bytes ? model->graph.frozen_bytes : 1) : NULL;
  TccStatus *status = set->block ? fill(instance, team, set->block) : no_room();
  if (status) {
    if (set->block) tcc_release(&model->allocator, set->block, model->graph.frozen_bytes);
    free(set);
    return status;
  }
  link_first(model, set);
  *out = set;
  return NULL;
}

/* ---- using one ---- */
static TccStatus *take(TccInstance *instance, TccTeam *team, const uint64_t *key, TccFrozen **set) {
  TccModel *model = instance->model;
  TccStatus *status = NULL;
  lock(&model->sets);
  drop(model, *set);
  *set = NULL;
  TccFrozen *found = find(model, key);
  if (!found) status = make(instance, team, key, &found);
  if (found) found->references++;
  *set = found;
  unlock(&model->sets);
  return status;
}

TccStatus *tcc_frozen_use(TccInstance *instance, TccTeam *team, const TccTensor *inputs, const uint64_t *versions, uint64_t *key,
                          TccFrozen **set) {
  const TccGraph *graph = &instance->model->graph;
  read_key(graph, inputs, versions, key);
  if (!*set || atomic_load_explicit(&(*set)->forgotten, memory_order_relaxed) || memcmp((*set)->key, key, key_bytes(graph)) != 0)
    TCC_TRY(take(instance, team, key, set));
  if (instance->frozen == (*set)->id) return NULL;
  for (size_t i = 0; i < graph->frozen_node_count; i++) {
    const uint32_t root = graph->frozen_nodes[i];
    tcc_instance_point(instance, root, (char *)(*set)->block + (size_t)graph->nodes[root].data);
  }
  instance->frozen = (*set)->id;
  return NULL;
}

void tcc_frozen_release(TccModel *model, TccFrozen *set) {
  lock(&model->sets);
  drop(model, set);
  unlock(&model->sets);
}

static bool reads(const TccGraph *graph, const TccFrozen *set, const void *data) {
  for (size_t i = 0; i < graph->static_count; i++)
    if (set->key[i * TCC_FROZEN_WORDS + TCC_FROZEN_ADDRESS] == (uint64_t)(uintptr_t)data) return true;
  return false;
}

void tcc_model_forget(TccModel *model, const void *data) {
  lock(&model->sets);
  for (TccFrozen **at = &model->sets.first; *at;) {
    const bool reader = !data || reads(&model->graph, *at, data);
    if (reader) atomic_store_explicit(&(*at)->forgotten, true, memory_order_relaxed);
    if (reader) unlink_set(model, at);
    else at = &(*at)->next;
  }
  unlock(&model->sets);
}

void tcc_frozen_destroy(TccModel *model) {
  while (model->sets.first) unlink_set(model, &model->sets.first);
}
