/* context.c - one run: find or make the instance for the inputs' sizes, set addresses, walk the commands, deliver.
 *
 * For sizes seen before nothing is allocated or evaluated: the inputs' dimensions are compared with those of the remembered
 * instances, addresses that changed are patched into the argument lists, and the team walks the commands. */
#include "gpu.h"
#include "gpu_ports.h"
#include <stdio.h>

/* What a step took and did in one run, in all iterations of the loops around it. */
typedef struct {
  double nanoseconds;
  int64_t times, flops, bytes;
} StepWork;

struct TccContext {
  TccModel *model;
  TccTeam *team;
  TccContextOptions options;
  TccInstance **instances;
  size_t instance_count;
  int64_t *key;
  uint64_t *statics; /* room for the key of a set of static inputs */
  TccFrozen *frozen; /* the set of the last run; NULL: none */
  uint64_t clock;
  TccCommandTime *times; /* of each step, in the last run of its stage; NULL without a profile */
  StepWork *work;        /* of each step; NULL without a profile */
  TccStates states;
};

TccStatus *tcc_context_create(TccModel *model, const TccContextOptions *options, TccContext **out) {
  *out = NULL;
  TccContext *context = calloc(1, sizeof *context);
  if (!context) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  TccStatus *status = NULL;
  if (options) context->options = *options;
  if (context->options.instances == 0) context->options.instances = 8;
  context->model = model;
  atomic_fetch_add(&model->references, 1);
  context->instances = calloc(context->options.instances, sizeof *context->instances);
  context->key = calloc(tcc_graph_key_length(&model->graph) + 1, sizeof *context->key);
  if (context->options.profile) {
    context->times = calloc(model->graph.step_count + 1, sizeof *context->times);
    context->work = calloc(model->graph.step_count + 1, sizeof *context->work);
  }
  context->statics = calloc(model->graph.static_count + 1, TCC_FROZEN_WORDS * sizeof *context->statics);
  if (!context->instances || !context->key || !context->statics ||
      (context->options.profile && (!context->times || !context->work)))
    status = TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (!status && context->options.trace && model->gpu) status = TCC_ERROR(TCC_UNSUPPORTED, "what a device does when is not traced");
  if (!status)
    status = (context->options.trace ? tcc_team_create_traced : tcc_team_create)(&model->allocator, context->options.threads,
                                                                                 &context->team);
  if (!status) status = tcc_states_create(model, &context->states);
  if (status) tcc_context_destroy(context);
  else *out = context;
  return status;
}

/* The first of the faults that kernels have reported; all are forgotten. */
static TccStatus *take_faults(TccInstance *instance) {
  const TccGraph *graph = &instance->model->graph;
  const TccPlanCall *calls = tcc_plan_at(graph->plan, graph->plan->calls);
  TccStatus *first = NULL;
  for (size_t i = 0; i < graph->checked_count; i++) {
    const TccStep *step = &graph->steps[graph->checked[i]];
    TccStatus *status = tcc_faults_take(graph->plan, &calls[step->index], instance->exprs, instance->sizes + step->sizes);
    if (!first) first = status;
    else tcc_status_destroy(status);
  }
  return first;
}

static bool has_faults(const TccInstance *instance) {
  const TccGraph *graph = &instance->model->graph;
  int64_t seen = 0;
  for (size_t i = 0; i < graph->seen_count; i++) seen |= instance->sizes[graph->seen[i]];
  return seen != 0;
}

/* What an earlier run was not asked about, or did not know yet. */
static TccStatus *take_earlier(TccInstance *instance, bool wait) {
  TccGpu *gpu = instance->model->gpu;
  if (!gpu || !instance->model->graph.checked_count) return NULL;
  TCC_TRY(tcc_gpu_faults_asked(gpu, instance, wait));
  return has_faults(instance) ? tcc_status_context(take_faults(instance), "an earlier run") : NULL;
}

/* No run comes any more that could tell of it. */
static void tell_earlier(TccInstance *instance) {
  if (!instance->gpu_answer) return;
  tcc_gpu_settle(instance->model->gpu);
  TccStatus *status = tcc_gpu_faults(instance->model->gpu, instance);
  if (!status && has_faults(instance)) status = take_faults(instance);
  if (status) fprintf(stderr, "tcc: an earlier run: %s\n", tcc_status_message(status));
  tcc_status_destroy(status);
}

void tcc_context_destroy(TccContext *context) {
  if (!context) return;
  TccGpu *gpu = context->model->gpu;
  TccStatus *left = gpu ? tcc_gpu_enter(gpu) : NULL; /* what fails now has nobody to tell */
  for (size_t i = 0; i < context->instance_count; i++) {
    if (gpu && !left) tell_earlier(context->instances[i]);
    tcc_instance_destroy(context->instances[i]);
  }
  if (gpu && !left) tcc_gpu_leave(gpu);
  tcc_status_destroy(left);
  tcc_team_destroy(context->team);
  tcc_frozen_release(context->model, context->frozen);
  tcc_states_destroy(context->model, &context->states);
  free(context->instances);
  free(context->key);
  free(context->statics);
  free(context->times);
  free(context->work);
  tcc_model_destroy(context->model);
  free(context);
}

static const TccInstance *last_instance(const TccContext *context) {
  const TccInstance *last = NULL;
  for (size_t i = 0; i < context->instance_count; i++)
    if (!last || context->instances[i]->used > last->used) last = context->instances[i];
  return last;
}

void tcc_context_arena(const TccContext *context, size_t *out_bytes, size_t *out_live) {
  *out_bytes = *out_live = 0;
  const TccInstance *last = last_instance(context);
  if (!last) return;
  for (size_t stage = 0; stage < last->model->graph.stage_count; stage++) {
    *out_bytes += last->arenas[stage].bytes;
    *out_live += last->peaks[stage];
  }
}

size_t tcc_context_scratch(const TccContext *context) {
  const TccInstance *last = last_instance(context);
  return last && context->team ? last->scratch_bytes * tcc_team_threads(context->team) : 0;
}

size_t tcc_context_bytes(const TccContext *context) {
  size_t bytes = 0;
  for (size_t i = 0; i < context->instance_count; i++) bytes += context->instances[i]->total_bytes;
  return bytes;
}

const char *tcc_runtime_version(void) { return TCC_VERSION; }

static TccStatus *read_key(TccContext *context, const TccTensor *inputs) {
  int64_t *key = context->key;
  for (size_t i = 0; i < context->model->graph.input_count; i++) {
    const TccPortInfo *port = &context->model->inputs[i];
    TCC_TRY(tcc_port_check(context->model->gpu, &inputs[i], port, "input", i));
    bool empty = false;
    for (int32_t axis = 0; axis < inputs[i].rank; axis++) {
      int64_t size = *key++ = inputs[i].shape[axis];
      if (size < 0) return TCC_ERROR(TCC_INVALID, "input %zu '%s', axis %d: negative size", i, port->name, axis);
      empty |= size == 0;
    }
    if (!inputs[i].data && !empty) return TCC_ERROR(TCC_INVALID, "input %zu '%s' has no data", i, port->name);
  }
  return NULL;
}

/* The instance of the sizes in context->key; the least recently used one makes room. */
static TccStatus *find_instance(TccContext *context, TccInstance **out) {
  size_t bytes = tcc_graph_key_length(&context->model->graph) * sizeof *context->key, oldest = 0;
  for (size_t i = 0; i < context->instance_count; i++) {
    *out = context->instances[i];
    if (memcmp((*out)->key, context->key, bytes) == 0) return NULL;
    if ((*out)->used < context->instances[oldest]->used) oldest = i;
  }
  *out = NULL;
  TccInstance *made;
  TCC_TRY(tcc_instance_create(context->model, context->key, context->options.graphs, &made));
  if (context->instance_count == context->options.instances) {
    tell_earlier(context->instances[oldest]);
    tcc_instance_destroy(context->instances[oldest]);
    context->instances[oldest] = made;
  } else {
    context->instances[context->instance_count++] = made;
  }
  *out = made;
  return NULL;
}

/* 0: not known. */
static int64_t amount(const TccInstance *instance, const TccPlanExpr *expr) {
  const TccPlanHeader *plan = instance->model->plan;
  int64_t value = expr->constant;
  if (expr->stage >= 0 && !tcc_expr_run((const unsigned char *)tcc_plan_at(plan, plan->code) + expr->code, expr->length,
                                        instance->symbols, plan->symbols.count, &value))
    return 0;
  return value;
}

/* Of a stage that has run, with the sizes that it has now. */
static void add_work(TccContext *context, const TccInstance *instance, size_t stage) {
  const TccGraph *graph = &context->model->graph;
  const TccPlanWork *all = tcc_plan_at(graph->plan, graph->plan->work);
  for (size_t i = graph->stage_first[stage]; i < graph->stage_first[stage + 1]; i++) {
    if (graph->steps[i].kind != TCC_PLAN_KERNEL) continue;
    const TccPlanWork *work = &all[graph->steps[i].index];
    const TccCommandTime *time = &context->times[i];
    context->work[i].nanoseconds += time->nanoseconds;
    context->work[i].times += time->times;
    context->work[i].flops += time->times * amount(instance, &work->flops);
    context->work[i].bytes += time->times * amount(instance, &work->bytes);
  }
}

static void profile(const TccContext *context, const TccInstance *instance) {
  const TccModel *model = context->model;
  const TccPlanHeader *plan = model->plan;
  for (size_t i = 0; i < model->graph.step_count; i++) {
    const TccStep *step = &model->graph.steps[i];
    if (step->kind != TCC_PLAN_KERNEL) continue;
    const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(plan, plan->calls) + step->index;
    const TccPlanKernel *kernel = (const TccPlanKernel *)tcc_plan_at(plan, plan->kernels) + call->kernel;
    const StepWork *work = &context->work[i];
    TccProfileEvent event = {tcc_plan_text(plan, call->name),
                             tcc_plan_text(plan, call->kind),
                             tcc_plan_text(plan, kernel->emitter),
                             i,
                             instance->commands[i].tiles,
                             work->nanoseconds,
                             tcc_plan_text(plan, step->node),
                             work->flops,
                             work->bytes,
                             work->times};
    context->options.profile(&event, context->options.user);
  }
}

/* Tells what the threads did since the last time; first: the step that is the first command of the list. */
static void trace(const TccContext *context, size_t first) {
  const TccModel *model = context->model;
  const TccPlanHeader *plan = model->plan;
  for (unsigned thread = 0; thread < tcc_team_threads(context->team); thread++) {
    TccTraceRing *ring = tcc_team_trace(context->team, thread);
    for (TccTraceRecord record; tcc_trace_take(ring, &record);) {
      TccTraceEvent event = {.thread = thread, .begin = record.begin, .end = record.end, .lost = tcc_trace_lost(ring)};
      if (record.command != TCC_TRACE_WAIT) {
        const TccStep *step = &model->graph.steps[first + record.command];
        if (step->kind != TCC_PLAN_KERNEL) continue; /* what loops carry */
        const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(plan, plan->calls) + step->index;
        event.kernel = tcc_plan_text(plan, call->name);
        event.kind = tcc_plan_text(plan, call->kind);
        event.node = tcc_plan_text(plan, step->node);
        event.first = record.first;
        event.tiles = record.tiles;
      }
      context->options.trace(&event, context->options.trace_user);
    }
  }
}

/* The elements that are not zero of what a step of kind TCC_PLAN_COUNT reads. */
static TccStatus *count_elements(const TccInstance *instance, const TccStep *step, int64_t *out) {
  const TccGraph *graph = &instance->model->graph;
  const TccNode *node = &graph->nodes[graph->slots[step->slots]];
  int64_t dims[TCC_PLAN_MAX_RANK];
  size_t count, bytes;
  for (uint32_t axis = 0; axis < node->rank; axis++) dims[axis] = tcc_instance_dim(instance, node, axis);
  if (!tcc_elem_dense_bytes((TccElem)node->elem, dims, node->rank, &count, &bytes))
    return TCC_ERROR(TCC_NO_MEMORY, "a tensor is too large for the address space");
  char *data = (char *)instance->pointers[node->root] + instance->shifts[node->within], *copy = NULL;
  if (instance->model->gpu) {
    if (!(copy = malloc(bytes + 1))) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
    TccStatus *status = tcc_gpu_download(instance->model->gpu, copy, data, bytes);
    if (status) {
      free(copy);
      return status;
    }
  }
  *out = tcc_count_nonzero((TccElem)node->elem, copy ? copy : data, (int64_t)count);
  free(copy);
  return NULL;
}

/* The stage behind LOOP or AGAIN, step number s, of a loop that counts. left: iterations, by depth. */
static TccStatus *follow_loop(const TccInstance *instance, size_t s, int64_t *left, size_t *out_stage) {
  const TccGraph *graph = &instance->model->graph;
  const TccLoop *loop = &graph->loops[graph->steps[s].loop];
  const void *condition = instance->commands[s].arguments[loop->carried];
  char holds = 1;
  if (loop->conditional && !instance->model->gpu) holds = *(const char *)condition;
  else if (loop->conditional) TCC_TRY(tcc_gpu_download(instance->model->gpu, &holds, condition, 1));
  *out_stage = tcc_jump_goes_on(&instance->jumps[s], holds, left) ? loop->body : loop->next;
  return NULL;
}

/* Goes from a stage that has run to the next one: what its last step counts is the size that this depends on. */
static TccStatus *next_stage(TccInstance *instance, int64_t *left, size_t *stage) {
  const TccGraph *graph = &instance->model->graph;
  const size_t s = graph->stage_first[*stage + 1] - 1; /* only the last of all may have no step */
  int64_t found = 0;
  if (++*stage == graph->stage_count) return NULL;
  if (graph->steps[s].kind == TCC_PLAN_COUNT) TCC_TRY(count_elements(instance, &graph->steps[s], &found));
  else TCC_TRY(follow_loop(instance, s, left, stage));
  return tcc_instance_enter(instance, *stage, found);
}

/* The instance for these inputs. */
static TccStatus *take_instance(TccContext *context, const TccTensor *inputs, TccInstance **out) {
  TCC_TRY(read_key(context, inputs));
  TCC_TRY(find_instance(context, out));
  (*out)->used = ++context->clock;
  return NULL;
}

static TccStatus *take_on_device(TccContext *context, const TccTensor *inputs, TccInstance **out) {
  TccGpu *gpu = context->model->gpu;
  if (gpu) TCC_TRY(tcc_gpu_enter(gpu));
  TccStatus *status = take_instance(context, inputs, out);
  if (gpu) tcc_gpu_leave(gpu);
  return status;
}

static TccStatus *check_counts(const TccModel *model, size_t ninputs, size_t noutputs) {
  const size_t inputs = tcc_model_input_count(model), outputs = tcc_model_output_count(model);
  if (ninputs == inputs && noutputs == outputs) return NULL;
  return TCC_ERROR(TCC_INVALID, "%zu inputs and %zu outputs given, the model has %zu and %zu", ninputs, noutputs, inputs, outputs);
}

TccStatus *tcc_context_shapes(TccContext *context, const TccTensor *inputs, size_t ninputs, TccTensor *outputs, size_t noutputs) {
  const TccModel *model = context->model;
  TccInstance *instance = NULL;
  TCC_TRY(check_counts(model, ninputs, noutputs));
  TCC_TRY(take_on_device(context, tcc_states_inputs(model, &context->states, inputs), &instance));
  for (size_t i = 0; i < noutputs; i++) {
    const TccOutput *info = &model->graph.outputs[i];
    const TccNode *node = &model->graph.nodes[info->node];
    int64_t *shape = instance->shapes + i * TCC_PLAN_MAX_RANK;
    for (uint32_t axis = 0; axis < node->rank; axis++) shape[axis] = info->stage ? -1 : tcc_instance_dim(instance, node, axis);
    outputs[i] = (TccTensor){.device = {TCC_DEVICE_CPU, 0}, .rank = node->rank, .dtype = model->outputs[i].dtype, .shape = shape};
  }
  return NULL;
}

uint64_t tcc_context_static_set(const TccContext *context) { return context->frozen ? context->frozen->id : 0; }

/* late: nobody waits for what kernels say of indices. */
static TccStatus *run_stage(TccContext *context, TccInstance *instance, size_t stage, bool late) {
  const TccGraph *graph = &context->model->graph;
  TccGpu *gpu = context->model->gpu;
  size_t first = graph->stage_first[stage], last = graph->stage_first[stage + 1];
  TccCommandTime *times = context->times ? context->times + first : NULL;
  if (!gpu) {
    TCC_TRY(tcc_team_prepare(context->team, instance->scratch_bytes));
    if (context->options.unusual || context->options.inspect)
      return tcc_watched_run(instance, context->team, first, last, &context->options);
    tcc_team_run(context->team, instance->commands + first, last - first, times);
    if (context->options.trace) trace(context, first);
    return NULL;
  }
  if (context->options.inspect) return TCC_ERROR(TCC_UNSUPPORTED, "what kernels of a device make is not looked at");
  TCC_TRY(tcc_gpu_run_stage(gpu, instance, context->team, stage, context->options.unusual, times));
  if (!graph->checked_count) return NULL;
  return late ? tcc_gpu_faults_ask(gpu, instance) : tcc_gpu_faults(gpu, instance);
}

/* Whether checks may wait for a later run: the host waits for nothing else of this one. */
static bool checks_late(const TccGraph *graph, const TccTensor *outputs, const TccRunOptions *options) {
  bool late = options && options->stream && options->late_checks && graph->stage_count == 1;
  for (size_t i = 0; i < graph->output_count && late; i++) late = graph->outputs[i].tied >= 0 || tcc_tensor_on_device(&outputs[i]);
  return late;
}

static TccStatus *run(TccContext *context, const TccTensor *inputs, TccTensor *outputs, const TccRunOptions *options) {
  const TccGraph *graph = &context->model->graph;
  TccInstance *instance = NULL;
  int64_t left[TCC_LOOP_DEPTH];
  const bool late = checks_late(graph, outputs, options);
  TCC_TRY(take_instance(context, inputs, &instance));
  TCC_TRY(take_earlier(instance, !late));
  TCC_TRY(tcc_instance_set_inputs(instance, inputs));
  if (graph->frozen_count && context->model->gpu)
    return TCC_ERROR(TCC_UNSUPPORTED, "static inputs are packed on the host alone: compile for a device without freeze");
  if (graph->frozen_count)
    TCC_TRY(
        tcc_frozen_use(instance, context->team, inputs, options ? options->versions : NULL, context->statics, &context->frozen));
  if (context->work) memset(context->work, 0, graph->step_count * sizeof *context->work);
  for (size_t stage = 0; stage < graph->stage_count;) {
    TCC_TRY(tcc_instance_set_outputs(instance, (uint32_t)stage, inputs, outputs));
    TCC_TRY(run_stage(context, instance, stage, late));
    if (context->work) add_work(context, instance, stage);
    if (has_faults(instance)) TCC_TRY(take_faults(instance));
    TCC_TRY(next_stage(instance, left, &stage));
  }
  if (context->times) profile(context, instance);
  return tcc_instance_deliver(instance, inputs, outputs);
}

/* On the caller's stream, if there is one. */
static TccStatus *run_on_device(TccContext *context, const TccTensor *inputs, TccTensor *outputs, const TccRunOptions *options) {
  TccGpu *gpu = context->model->gpu;
  TCC_TRY(tcc_gpu_enter_run(gpu, options ? options->stream : NULL));
  return tcc_gpu_leave_run(gpu, run(context, inputs, outputs, options));
}

TccStatus *tcc_context_run_with(TccContext *context, const TccTensor *inputs, size_t ninputs, TccTensor *outputs, size_t noutputs,
                                const TccRunOptions *options) {
  const TccModel *model = context->model;
  TCC_TRY(check_counts(model, ninputs, noutputs));
  const TccTensor *all_inputs = tcc_states_inputs(model, &context->states, inputs);
  TccTensor *all_outputs = tcc_states_outputs(model, &context->states, outputs);
  TccStatus *status =
      model->gpu ? run_on_device(context, all_inputs, all_outputs, options) : run(context, all_inputs, all_outputs, options);
  if (all_outputs != outputs && noutputs) memcpy(outputs, all_outputs, noutputs * sizeof *outputs);
  return status;
}

TccStatus *tcc_context_run(TccContext *context, const TccTensor *inputs, size_t ninputs, TccTensor *outputs, size_t noutputs) {
  return tcc_context_run_with(context, inputs, ninputs, outputs, noutputs, NULL);
}

/* ---- states ---- */
TccStatus *tcc_context_state_get(const TccContext *context, const char *name, TccTensor *out) {
  return tcc_states_find(context->model, &context->states, name, out);
}

TccStatus *tcc_context_state_set(TccContext *context, const char *name, const TccTensor *value) {
  return tcc_states_set(context->model, &context->states, name, value);
}

TccStatus *tcc_context_state_copy(const TccContext *context, const char *name, const TccTensor *to) {
  return tcc_states_copy(context->model, &context->states, name, to);
}

TccStatus *tcc_context_state_reset(TccContext *context, const char *name) {
  return tcc_states_reset(context->model, &context->states, name);
}
