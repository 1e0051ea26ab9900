/* graph.c - the plan with its regions expanded: one list of steps over one set of nodes, free of sizes.
 *
 * A region's function is in the plan once and is called many times; here each call becomes steps of its own, so that
 * lifetimes and in-place pairs are seen across calls, and so that a step which depends on weights alone is found wherever
 * it stands: it goes to the `initial` list and is run when the weights are bound. One that depends on static inputs besides goes to the
 * `frozen` list (frozen.c). Everything here is linear in the number
 * of expanded steps and done once per model.
 *
 * COUNT ends a stage: sizes of the next one depend on what it counts. So do LOOP and AGAIN of a loop in whose body something is counted,
 * or in a loop in it: each of its iterations is the same few stages again, with sizes of its own. */
#include "internal.h"

typedef struct {
  const TccPlanHeader *plan;
  TccArena *arena;
  const TccPlanExpr *exprs;
  const TccPlanFunction *functions;
  const TccPlanValue *values;
  const TccPlanCommand *commands;
  const TccPlanCall *calls;
  const TccPlanLaunch *launches;
  const TccPlanSymbol *symbols;
  const uint32_t *indices;
  TCC_VEC(TccNode) nodes;
  TCC_VEC(TccStep) steps;
  TCC_VEC(TccStep) initial;
  TCC_VEC(TccStep) frozen;
  TCC_VEC(TccLoop) loops;
  TCC_VEC(uint32_t) slots;
  TCC_VEC(uint32_t) stage_loops; /* per stage: 1 + the innermost loop around it that counts, or 0 */
  bool *counts;                  /* per function: it counts, or one that it calls does */
  uint64_t *region_calls;
  uint32_t loop;                      /* 1 + the innermost loop that counts around what is being expanded, or 0 */
  uint32_t sizes, maps, stage, depth; /* depth: loops around what is being expanded */
  uint32_t copy;                      /* of the region that is being expanded */
} Expansion;

static bool range_constant(const Expansion *e, TccPlanRange range) {
  for (uint32_t i = 0; i < range.count; i++)
    if (e->exprs[e->indices[range.first + i]].stage >= 0) return false;
  return true;
}

static TccStatus *add_node(Expansion *e, const TccPlanValue *value, TccPlace place, uint32_t *out) {
  TccNode node = {.place = (uint8_t)place,
                  .elem = value->elem,
                  .rank = value->rank,
                  .index = value->index,
                  .kind = value->kind,
                  .dims = value->dims,
                  .sizes = value->sizes,
                  .root = (uint32_t)e->nodes.count,
                  .parent = TCC_NEVER,
                  .first = TCC_NEVER,
                  .last = TCC_NEVER};
  TCC_VEC_TRY_PUSH(e->arena, &e->nodes, node);
  *out = node.root;
  return NULL;
}

/* How often what depends on a value is to be made. */
typedef enum { ONCE, PER_SET, PER_RUN } Often;

static Often how_often(const Expansion *e, uint32_t node) {
  const TccNode *root = &e->nodes.data[e->nodes.data[node].root];
  const TccPlanPort *ports = tcc_plan_at(e->plan, e->plan->inputs);
  switch ((TccPlace)root->place) {
  case TCC_PLACE_STATIC:
  case TCC_PLACE_NONE: return ONCE;
  case TCC_PLACE_FROZEN: return PER_SET;
  case TCC_PLACE_INPUT: return ports[root->index].kind == TCC_PORT_STATIC && range_constant(e, root->dims) ? PER_SET : PER_RUN;
  case TCC_PLACE_BUFFER:
  case TCC_PLACE_SIZES: break;
  }
  return PER_RUN;
}

/* ---- stages ---- */
static TccStatus *next_stage(Expansion *e) {
  TCC_VEC_TRY_PUSH(e->arena, &e->stage_loops, e->loop);
  e->stage++;
  return NULL;
}

/* Callees have larger numbers: checked. */
static TccStatus *find_counting(Expansion *e) {
  TCC_TRY_ARRAY(e->arena, e->counts, e->plan->functions.count);
  for (size_t f = e->plan->functions.count; f-- > 0;)
    for (uint32_t c = 0; c < e->functions[f].commands.count; c++) {
      const TccPlanCommand *command = &e->commands[e->functions[f].commands.first + c];
      const bool calls = command->kind == TCC_PLAN_REGION || command->kind == TCC_PLAN_LOOP;
      e->counts[f] |= command->kind == TCC_PLAN_COUNT || (calls && e->counts[command->index]);
    }
  return NULL;
}

/* Whether a size is known here: what it depends on has been counted, and in no loop that is over. */
static bool is_known(const Expansion *e, uint32_t expr) {
  const int32_t stage = e->exprs[expr].stage;
  if (stage > (int64_t)e->stage) return false;
  const uint32_t of = stage > 0 ? e->stage_loops.data[stage] : 0;
  uint32_t around = e->loop;
  while (around != of && around) around = e->loops.data[around - 1].outer;
  return around == of;
}

static TccStatus *check_known(const Expansion *e, TccPlanRange sizes, TccPlanText of) {
  for (uint32_t i = 0; i < sizes.count; i++)
    if (!is_known(e, e->indices[sizes.first + i]))
      return TCC_ERROR(TCC_INVALID, "plan: '%s' uses a size that is not known there", tcc_plan_text(e->plan, of));
  return NULL;
}

/* A node for each value of a function that no command makes; local[] maps the function's values to nodes. */
static TccStatus *add_values(Expansion *e, const TccPlanFunction *function, uint32_t *local) {
  for (uint32_t i = function->arguments; i < function->values.count; i++) {
    const TccPlanValue *value = &e->values[function->values.first + i];
    TccPlace place = TCC_PLACE_STATIC;
    switch ((TccPlanValueKind)value->kind) {
    case TCC_PLAN_WEIGHT:
    case TCC_PLAN_CONSTANT: break;
    case TCC_PLAN_SIZES:
      if (!range_constant(e, value->sizes)) place = TCC_PLACE_SIZES;
      break;
    case TCC_PLAN_NONE: place = TCC_PLACE_NONE; break;
    case TCC_PLAN_ARGUMENT:
    case TCC_PLAN_RESULT:
    case TCC_PLAN_ALIAS: local[i] = TCC_NEVER; continue; /* as the commands are walked */
    }
    TCC_TRY(add_node(e, value, place, &local[i]));
  }
  return NULL;
}

/* The node of a value; an alias becomes a node when first asked for, after what it refers to. */
static TccStatus *resolve(Expansion *e, const TccPlanFunction *function, uint32_t *local, uint32_t value, uint32_t *out) {
  uint32_t chain = 0, at = value;
  while (local[at] == TCC_NEVER) {
    const TccPlanValue *alias = &e->values[function->values.first + at];
    if (alias->kind != TCC_PLAN_ALIAS)
      return TCC_ERROR(TCC_INVALID, "plan: a value of '%s' is used before it is made", tcc_plan_text(e->plan, function->name));
    at = alias->index; /* smaller than the alias: checked */
    chain++;
  }
  *out = local[at];
  if (chain == 0) return NULL;
  uint32_t root = e->nodes.data[local[at]].root;
  TCC_TRY(add_node(e, &e->values[function->values.first + value], e->nodes.data[root].place, &local[value]));
  e->nodes.data[local[value]].root = root;
  *out = local[value];
  return NULL;
}

/* The next of an instance's tensor maps behind those of this call. */
static TccStatus *add_maps(Expansion *e, const TccPlanCall *call) {
  uint32_t count = call->launch ? e->launches[call->launch - 1].maps.count : 0;
  if (count > UINT32_MAX - e->maps) return TCC_ERROR(TCC_INVALID, "plan: more tensor maps than can be numbered");
  e->maps += count;
  return NULL;
}

/* The next entry of an instance's sizes behind `count` more. */
static TccStatus *add_sizes(Expansion *e, uint64_t count) {
  if (count > UINT32_MAX - e->sizes) return TCC_ERROR(TCC_INVALID, "plan: more sizes of kernels than can be numbered");
  e->sizes += (uint32_t)count;
  return NULL;
}

static bool checks_indices(const Expansion *e, const TccPlanCall *call) {
  const TccPlanCheck *checks = (const TccPlanCheck *)tcc_plan_at(e->plan, e->plan->checks) + call->checks.first;
  bool checked = false;
  for (uint32_t i = 0; i < call->checks.count; i++) checked |= checks[i].valid != TCC_PLAN_INDEX_ANY;
  return checked;
}

/* Whether what indices are compared with is known before sizes are bound. */
static bool checks_constants(const Expansion *e, const TccPlanCall *call) {
  const TccPlanCheck *checks = (const TccPlanCheck *)tcc_plan_at(e->plan, e->plan->checks) + call->checks.first;
  bool constant = true;
  for (uint32_t i = 0; i < call->checks.count; i++)
    constant &= e->exprs[checks[i].size].stage < 0 && e->exprs[checks[i].count].stage < 0;
  return constant;
}

static TccStatus *add_results(Expansion *e, const TccPlanFunction *function, const TccPlanCommand *command, uint32_t *local,
                              Often often) {
  static const TccPlace places[] = {[ONCE] = TCC_PLACE_STATIC, [PER_SET] = TCC_PLACE_FROZEN, [PER_RUN] = TCC_PLACE_BUFFER};
  for (uint32_t i = 0; i < command->results.count; i++) {
    uint32_t value = e->indices[command->results.first + i];
    TCC_TRY(add_node(e, &e->values[function->values.first + value], places[often], &local[value]));
    TCC_VEC_TRY_PUSH(e->arena, &e->slots, local[value]);
    e->nodes.data[local[value]].first = often == PER_RUN ? (uint32_t)e->steps.count : TCC_NEVER;
  }
  return NULL;
}

static TccStatus *add_step(Expansion *e, const TccPlanFunction *function, const TccPlanCommand *command, uint32_t *local) {
  TccStep step = {.kind = (TccPlanCommandKind)command->kind,
                  .index = command->index,
                  .slots = (uint32_t)e->slots.count,
                  .operands = command->operands.count,
                  .results = command->results.count,
                  .sizes = e->sizes,
                  .inplace = command->inplace,
                  .stage = e->stage};
  Often often = command->kind == TCC_PLAN_KERNEL ? ONCE : PER_RUN;
  bool fixed = true;
  for (uint32_t i = 0; i < command->operands.count; i++) {
    uint32_t node = 0;
    TCC_TRY(resolve(e, function, local, e->indices[command->operands.first + i], &node));
    if (how_often(e, node) > often) often = how_often(e, node);
    TCC_VEC_TRY_PUSH(e->arena, &e->slots, node);
  }
  if (command->kind == TCC_PLAN_KERNEL) {
    const TccPlanCall *call = &e->calls[command->index];
    TCC_TRY(check_known(e, call->sizes, call->name));
    if (!is_known(e, call->tiles) || !is_known(e, call->scratch))
      return TCC_ERROR(TCC_INVALID, "plan: '%s' uses a size that is not known there", tcc_plan_text(e->plan, call->name));
    fixed &= e->depth == 0 || !checks_indices(e, call); /* what a loop does not run reports nothing */
    fixed &= checks_constants(e, call) && range_constant(e, call->sizes) && e->exprs[call->tiles].stage < 0 &&
             e->exprs[call->scratch].stage < 0;
    TCC_TRY(add_sizes(e, (uint64_t)TCC_FAULT_WORDS * call->checks.count));
    step.sizes = e->sizes;
    TCC_TRY(add_sizes(e, call->sizes.count));
    step.maps = e->maps;
    TCC_TRY(add_maps(e, call));
    if (command->nodes.count) step.node = e->indices[command->nodes.first + (e->copy < command->nodes.count ? e->copy : 0)];
  }
  for (uint32_t i = 0; i < command->results.count; i++)
    fixed &= range_constant(e, e->values[function->values.first + e->indices[command->results.first + i]].dims);
  for (uint32_t i = 0; i < command->results.count; i++)
    TCC_TRY(check_known(e, e->values[function->values.first + e->indices[command->results.first + i]].dims, function->name));
  if (!fixed) often = PER_RUN;
  TCC_TRY(add_results(e, function, command, local, often));
  for (uint32_t i = 0; i < command->operands.count && often == PER_RUN; i++)
    e->nodes.data[e->nodes.data[e->slots.data[step.slots + i]].root].last = (uint32_t)e->steps.count;
  if (command->kind == TCC_PLAN_COUNT) TCC_TRY(next_stage(e));
  if (command->kind == TCC_PLAN_COUNT && e->symbols[command->index].stage != e->stage)
    return TCC_ERROR(TCC_INVALID, "plan: the size '%s' is counted out of order",
                     tcc_plan_text(e->plan, e->symbols[command->index].name));
  if (often == ONCE) TCC_VEC_TRY_PUSH(e->arena, &e->initial, step);
  else if (often == PER_SET) TCC_VEC_TRY_PUSH(e->arena, &e->frozen, step);
  else TCC_VEC_TRY_PUSH(e->arena, &e->steps, step);
  return NULL;
}

enum { STEP_LIMIT = 1 << 24, NUMBER_LIMIT = 1 << 30 /* a function adds less than as many more before it is asked again */ };

/* ---- loops ---- */
static TccStatus *expand(Expansion *e, uint32_t index, const uint32_t *arguments, uint32_t *out_results);

static uint32_t root_of(const Expansion *e, uint32_t node) { return e->nodes.data[node].root; }

/* Whether the step that makes the root `made` may write it where the root `read` lies, as its last reader: the compiler allowed it. */
static bool writes_over(const TccNode *nodes, const TccStep *step, const uint32_t *slots, const uint32_t *pairs, uint32_t read,
                        uint32_t made) {
  bool allowed = false;
  uint32_t reads = 0;
  slots += step->slots, pairs += step->inplace.first;
  for (uint32_t i = 0; i < step->operands; i++) reads += nodes[slots[i]].root == read;
  for (uint32_t p = 0; p + 1 < step->inplace.count; p += 2)
    allowed |= pairs[p] < step->operands && pairs[p + 1] < step->results && nodes[slots[pairs[p]]].root == read &&
               slots[step->operands + pairs[p + 1]] == made;
  return allowed && reads == 1;
}

/* What the body makes of a carried value lies where that lies, if the body has read it by then: nothing is copied at its end.
 * Not if another result is the old value, or what the body makes is no buffer of the body's own. */
static TccStatus *share_places(Expansion *e, const TccLoop *loop, uint32_t first_node, const uint32_t *carried,
                               const uint32_t *results) {
  uint32_t *place;
  TCC_TRY_ARRAY(e->arena, place, loop->carried);
  for (uint32_t i = 0; i < loop->carried; i++) {
    uint32_t made = root_of(e, results[i]);
    const TccNode *from = &e->nodes.data[made], *to = &e->nodes.data[carried[i]];
    place[i] = TCC_NEVER;
    bool own = made >= first_node && from->place == TCC_PLACE_BUFFER && from->first != TCC_NEVER && from->first > loop->begin;
    for (uint32_t k = 0; own && k < loop->carried; k++)
      own = made != carried[k] && root_of(e, results[k]) != carried[i] && !(k < i && place[k] == made);
    if (!own) continue;
    bool read_before = to->last == TCC_NEVER || to->last < from->first;
    if (read_before || (to->last == from->first &&
                        writes_over(e->nodes.data, &e->steps.data[from->first], e->slots.data, e->indices, carried[i], made)))
      place[i] = made;
  }
  for (size_t n = first_node; n < e->nodes.count; n++)
    for (uint32_t i = 0; i < loop->carried; i++)
      if (e->nodes.data[n].root == place[i]) {
        e->nodes.data[n].root = carried[i];
        break;
      }
  return NULL;
}

static TccStatus *add_loop_step(Expansion *e, uint32_t loop, bool again, const TccPlanCommand *command, const uint32_t *from,
                                const uint32_t *carried) {
  TccLoop *l = &e->loops.data[loop];
  TccStep step = {.kind = again ? TCC_PLAN_AGAIN : TCC_PLAN_LOOP,
                  .slots = (uint32_t)e->slots.count,
                  .operands = again ? 2 * l->carried : l->carried,
                  .results = again ? 0 : l->carried,
                  .sizes = e->sizes,
                  .stage = e->stage,
                  .loop = loop,
                  .index = command->index};
  if (!again) step.inplace = command->inplace;
  if (again) l->end = (uint32_t)e->steps.count;
  TCC_TRY(add_sizes(e, 1 + 2 * (uint64_t)l->carried));
  for (uint32_t i = 0; i < l->carried; i++) TCC_VEC_TRY_PUSH(e->arena, &e->slots, from[i]);
  for (uint32_t i = 0; i < l->carried; i++) TCC_VEC_TRY_PUSH(e->arena, &e->slots, carried[i]);
  for (uint32_t i = 0; i < l->carried; i++) {
    TccNode *source = &e->nodes.data[root_of(e, from[i])];
    if (source->place == TCC_PLACE_NONE) return TCC_ERROR(TCC_INVALID, "plan: a loop carries an absent value");
    source->last = (uint32_t)e->steps.count;
    if (!again) e->nodes.data[carried[i]].first = (uint32_t)e->steps.count;
  }
  TCC_VEC_TRY_PUSH(e->arena, &e->steps, step);
  return NULL;
}

/* passed: what the function is called with. */
static TccStatus *expand_loop(Expansion *e, const TccPlanFunction *caller, const TccPlanCommand *command, uint32_t *local,
                              uint32_t *passed) {
  uint32_t n = command->results.count, number = (uint32_t)e->loops.count;
  TccLoop loop = {.begin = (uint32_t)e->steps.count,
                  .trips = command->trips,
                  .carried = n,
                  .depth = e->depth,
                  .conditional = command->conditional != 0,
                  .counts = e->counts[command->index],
                  .outer = e->loop};
  if (!is_known(e, loop.trips)) return TCC_ERROR(TCC_INVALID, "plan: a loop runs as often as a size says that is not known there");
  if (e->depth == TCC_LOOP_DEPTH) return TCC_ERROR(TCC_INVALID, "plan: loops are nested deeper than %d", TCC_LOOP_DEPTH);
  uint32_t *carried, *results;
  TCC_VEC_TRY_PUSH(e->arena, &e->loops, loop);
  TCC_TRY_ARRAY(e->arena, carried, n);
  TCC_TRY_ARRAY(e->arena, results, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t value = e->indices[command->results.first + i];
    TCC_TRY(check_known(e, e->values[caller->values.first + value].dims, caller->name));
    TCC_TRY(add_node(e, &e->values[caller->values.first + value], TCC_PLACE_BUFFER, &carried[i]));
    local[value] = carried[i];
  }
  TCC_TRY(add_loop_step(e, number, false, command, passed, carried));
  if (loop.counts) {
    e->loop = number + 1;
    TCC_TRY(next_stage(e));
    e->loops.data[number].body = e->stage;
  }
  for (uint32_t i = 0; i < n; i++) passed[i] = carried[i];
  uint32_t first_node = (uint32_t)e->nodes.count;
  e->depth++;
  TCC_TRY(expand(e, command->index, passed, results));
  e->depth--;
  TCC_TRY(share_places(e, &e->loops.data[number], first_node, carried, results));
  TCC_TRY(add_loop_step(e, number, true, command, results, carried));
  if (!loop.counts) return NULL;
  e->loop = loop.outer;
  TCC_TRY(next_stage(e));
  e->loops.data[number].next = e->stage;
  return NULL;
}

static TccStatus *expand(Expansion *e, uint32_t index, const uint32_t *arguments, uint32_t *out_results) {
  const TccPlanFunction *function = &e->functions[index];
  uint32_t *local;
  TCC_TRY_ARRAY(e->arena, local, function->values.count);
  for (uint32_t i = 0; i < function->arguments; i++) local[i] = arguments[i];
  TCC_TRY(add_values(e, function, local));
  e->region_calls[index]++;
  for (uint32_t c = 0; c < function->commands.count; c++) {
    const TccPlanCommand *command = &e->commands[function->commands.first + c];
    if (e->steps.count + e->initial.count + e->frozen.count > STEP_LIMIT)
      return TCC_ERROR(TCC_INVALID, "plan: more than %d commands", STEP_LIMIT);
    if (e->nodes.count > NUMBER_LIMIT || e->slots.count > NUMBER_LIMIT)
      return TCC_ERROR(TCC_INVALID, "plan: more than %d values or operands", NUMBER_LIMIT);
    if (command->kind != TCC_PLAN_REGION && command->kind != TCC_PLAN_LOOP) {
      TCC_TRY(add_step(e, function, command, local));
      continue;
    }
    uint32_t *passed, *results;
    TCC_TRY_ARRAY(e->arena, passed, command->operands.count);
    TCC_TRY_ARRAY(e->arena, results, command->results.count);
    for (uint32_t i = 0; i < command->operands.count; i++)
      TCC_TRY(resolve(e, function, local, e->indices[command->operands.first + i], &passed[i]));
    if (command->kind == TCC_PLAN_LOOP) {
      TCC_TRY(expand_loop(e, function, command, local, passed));
      continue;
    }
    uint32_t copy = e->copy;
    e->copy = command->copy;
    TCC_TRY(expand(e, command->index, passed, results)); /* callees have larger numbers: checked */
    e->copy = copy;
    for (uint32_t i = 0; i < command->results.count; i++) local[e->indices[command->results.first + i]] = results[i];
  }
  for (uint32_t i = 0; i < function->results.count; i++)
    TCC_TRY(resolve(e, function, local, e->indices[function->results.first + i], &out_results[i]));
  return NULL;
}

/* Steps of stage n are [stage_first[n], stage_first[n + 1]). loops: of each, 1 + its number. */
static TccStatus *find_stages(TccGraph *graph, const uint32_t *loops) {
  TCC_TRY_ARRAY(graph->arena, graph->stage_first, graph->stage_count + 1);
  TCC_TRY_ARRAY(graph->arena, graph->stage_end, graph->stage_count);
  for (size_t n = 0; n < graph->stage_count; n++)
    graph->stage_end[n] = loops[n] ? graph->loops[loops[n] - 1].next : (uint32_t)graph->stage_count;
  for (size_t s = 0; s < graph->step_count; s++) graph->stage_first[graph->steps[s].stage + 1] = s + 1;
  for (size_t n = 1; n <= graph->stage_count; n++)
    if (graph->stage_first[n] < graph->stage_first[n - 1]) graph->stage_first[n] = graph->stage_first[n - 1];
  return NULL;
}

static void find_lifetimes(TccGraph *graph) {
  for (size_t n = 0; n < graph->node_count; n++)
    graph->nodes[n].first = graph->nodes[n].last = TCC_NEVER; /* steps have gone since */
  for (size_t s = 0; s < graph->step_count; s++) {
    const TccStep *step = &graph->steps[s];
    for (uint32_t i = 0; i < step->operands + step->results; i++) {
      TccNode *root = &graph->nodes[graph->nodes[graph->slots[step->slots + i]].root];
      if (i >= step->operands && root->first == TCC_NEVER)
        root->first = (uint32_t)s; /* operands of a concatenation, what a loop carries: several write it */
      root->last = (uint32_t)s;
    }
  }
  /* What a loop reads of outside it reads in each iteration. Inner loops end before outer ones do. */
  for (size_t s = 0; s < graph->step_count; s++) {
    if (graph->steps[s].kind != TCC_PLAN_AGAIN) continue;
    const TccLoop *loop = &graph->loops[graph->steps[s].loop];
    for (size_t i = loop->begin + 1; i < loop->end; i++)
      for (uint32_t k = 0; k < graph->steps[i].operands; k++) {
        TccNode *root = &graph->nodes[graph->nodes[graph->slots[graph->steps[i].slots + k]].root];
        if ((root->first == TCC_NEVER || root->first <= loop->begin) && root->last < loop->end) root->last = loop->end;
      }
  }
}

/* What frozen steps read and make. Initial results that they read stay, as if a step read them. */
static TccStatus *find_frozen(TccGraph *graph) {
  bool *seen;
  TCC_TRY_ARRAY(graph->arena, seen, graph->node_count);
  TCC_TRY_ARRAY(graph->arena, graph->static_inputs, graph->input_count);
  TCC_TRY_ARRAY(graph->arena, graph->frozen_nodes, graph->node_count);
  for (size_t s = 0; s < graph->frozen_count; s++) {
    const TccStep *step = &graph->frozen[s];
    for (uint32_t i = 0; i < step->operands + step->results; i++) {
      const uint32_t n = graph->nodes[graph->slots[step->slots + i]].root;
      TccNode *root = &graph->nodes[n];
      root->frozen_last = (uint32_t)s;
      if (root->place == TCC_PLACE_STATIC && root->last == TCC_NEVER) root->last = 0;
      if (!seen[n] && root->place == TCC_PLACE_INPUT) graph->static_inputs[graph->static_count++] = root->index;
      if (!seen[n] && root->place == TCC_PLACE_FROZEN && (root->last != TCC_NEVER || root->is_output))
        graph->frozen_nodes[graph->frozen_node_count++] = n;
      seen[n] = true;
    }
  }
  return NULL;
}

/* Whether an output that its kernel writes may be written where the input lies: who reads that has done so, or is that kernel. */
static bool may_replace(const TccGraph *graph, uint32_t input, uint32_t made) {
  const TccNode *old = &graph->nodes[input];
  const uint32_t *indices = tcc_plan_at(graph->plan, graph->plan->indices), first = graph->nodes[made].first;
  if (old->is_output) return false;
  if (old->last == TCC_NEVER || old->last < first) return true;
  return old->last == first && writes_over(graph->nodes, &graph->steps[first], graph->slots, indices, input, made);
}

/* Where each output is written: by its kernel into the place the caller wants, or by a copy after the run. */
static TccStatus *place_outputs(TccGraph *graph) {
  const TccPlanExpr *exprs = tcc_plan_at(graph->plan, graph->plan->exprs);
  const uint32_t *indices = tcc_plan_at(graph->plan, graph->plan->indices);
  bool *taken;
  TCC_TRY_ARRAY(graph->arena, taken, graph->input_count);
  for (size_t i = 0; i < graph->output_count; i++) {
    TccOutput *output = &graph->outputs[i];
    TccNode *root = &graph->nodes[graph->nodes[output->node].root];
    for (uint32_t axis = 0; axis < graph->nodes[output->node].rank; axis++) {
      int32_t stage = exprs[indices[graph->nodes[output->node].dims.first + axis]].stage;
      if (stage > (int32_t)output->stage) output->stage = (uint32_t)stage;
    }
    if (root->first != TCC_NEVER && graph->steps[root->first].stage > output->stage)
      output->stage = graph->steps[root->first].stage;
    output->direct = root->place == TCC_PLACE_BUFFER && !root->direct;
    if (output->direct) root->direct = true;
    const bool known = root->first != TCC_NEVER && output->stage == graph->steps[root->first].stage;
    root->known |= output->direct && known;
    if (output->tied < 0 || !output->direct || taken[output->tied]) continue;
    output->tied_direct = may_replace(graph, graph->input_nodes[output->tied], root->root);
    taken[output->tied] = output->tied_direct;
    root->over_input = output->tied_direct && known;
  }
  for (size_t i = 0; i < graph->output_count; i++) {
    const TccNode *root = &graph->nodes[graph->nodes[graph->outputs[i].node].root];
    for (size_t k = 0; root->place == TCC_PLACE_INPUT && k < graph->output_count; k++)
      graph->outputs[i].reads_tied |= k != i && graph->outputs[k].tied == (int32_t)root->index;
  }
  return NULL;
}

static TccStatus *collect_patches(TccGraph *graph) {
  uint32_t *next;
  TCC_TRY_ARRAY(graph->arena, graph->patch_first, graph->node_count + 1);
  TCC_TRY_ARRAY(graph->arena, graph->patches, graph->slot_count);
  TCC_TRY_ARRAY(graph->arena, next, graph->node_count);
  for (size_t i = 0; i < graph->slot_count; i++) graph->patch_first[graph->nodes[graph->slots[i]].root + 1]++;
  for (size_t i = 0; i < graph->node_count; i++) graph->patch_first[i + 1] += graph->patch_first[i];
  memcpy(next, graph->patch_first, graph->node_count * sizeof *next);
  for (size_t i = 0; i < graph->slot_count; i++) graph->patches[next[graph->nodes[graph->slots[i]].root]++] = (uint32_t)i;
  return NULL;
}

static TccStatus *find_checked(TccGraph *graph) {
  const TccPlanCall *calls = tcc_plan_at(graph->plan, graph->plan->calls);
  for (int pass = 0; pass < 2; pass++) { /* counts, then lists */
    graph->checked_count = graph->seen_count = 0;
    for (size_t s = 0; s < graph->step_count; s++) {
      const TccStep *step = &graph->steps[s];
      uint32_t checks = step->kind == TCC_PLAN_KERNEL ? calls[step->index].checks.count : 0;
      if (checks && pass) graph->checked[graph->checked_count] = (uint32_t)s;
      graph->checked_count += checks > 0;
      for (uint32_t i = 0; i < checks; i++, graph->seen_count++)
        if (pass) graph->seen[graph->seen_count] = (uint32_t)(step->sizes + tcc_fault_word(i, TCC_FAULT_SEEN));
    }
    if (pass) break;
    TCC_TRY_ARRAY(graph->arena, graph->checked, graph->checked_count);
    TCC_TRY_ARRAY(graph->arena, graph->seen, graph->seen_count);
  }
  return NULL;
}

/* A state has one size, and what it begins as is known once the model is loaded. */
static TccStatus *check_states(const Expansion *e, const TccGraph *graph) {
  for (size_t k = 0; k < graph->state_count; k++) {
    const TccNode *state = &e->nodes.data[graph->input_nodes[graph->input_count - graph->state_count + k]];
    const TccNode *initial = &e->nodes.data[graph->initial_nodes[k]],
                  *next = &e->nodes.data[graph->outputs[graph->output_count - graph->state_count + k].node];
    const TccNode *all[] = {state, initial, next};
    bool ok = e->nodes.data[initial->root].place == TCC_PLACE_STATIC;
    for (int i = 0; i < 3; i++) {
      ok = ok && range_constant(e, all[i]->dims) && all[i]->rank == state->rank && all[i]->elem == state->elem;
      for (uint32_t axis = 0; ok && axis < state->rank; axis++)
        ok = e->exprs[e->indices[all[i]->dims.first + axis]].constant == e->exprs[e->indices[state->dims.first + axis]].constant;
    }
    if (!ok)
      return TCC_ERROR(TCC_INVALID,
                       "plan: state %zu has no fixed size, or what it begins or goes on as is of another type or no weight's", k);
  }
  return NULL;
}

TccStatus *tcc_graph_build(const TccPlanHeader *plan, TccArena *arena, TccGraph *out) {
  *out = (TccGraph){.plan = plan, .arena = arena};
  Expansion e = {.plan = plan,
                 .arena = arena,
                 .exprs = tcc_plan_at(plan, plan->exprs),
                 .functions = tcc_plan_at(plan, plan->functions),
                 .values = tcc_plan_at(plan, plan->values),
                 .commands = tcc_plan_at(plan, plan->commands),
                 .calls = tcc_plan_at(plan, plan->calls),
                 .launches = tcc_plan_at(plan, plan->launches),
                 .symbols = tcc_plan_at(plan, plan->symbols),
                 .indices = tcc_plan_at(plan, plan->indices)};
  const TccPlanFunction *entry = &e.functions[0];
  uint32_t *arguments, *results;
  TCC_TRY(find_counting(&e));
  TCC_VEC_TRY_PUSH(arena, &e.stage_loops, 0);
  TCC_TRY_ARRAY(arena, e.region_calls, plan->functions.count);
  TCC_TRY_ARRAY(arena, arguments, entry->arguments);
  TCC_TRY_ARRAY(arena, results, entry->results.count);
  for (uint32_t i = 0; i < entry->arguments; i++) {
    TCC_TRY(add_node(&e, &e.values[entry->values.first + i], TCC_PLACE_INPUT, &arguments[i]));
    e.nodes.data[arguments[i]].index = i;
  }
  TCC_TRY(expand(&e, 0, arguments, results));
  for (uint32_t i = 0; i < entry->results.count; i++) TCC_TRY(check_known(&e, e.nodes.data[results[i]].dims, entry->name));
  out->nodes = e.nodes.data;
  out->steps = e.steps.data;
  out->loops = e.loops.data;
  out->initial = e.initial.data;
  out->slots = e.slots.data;
  out->node_count = e.nodes.count;
  out->step_count = e.steps.count;
  out->initial_count = e.initial.count;
  out->frozen = e.frozen.data;
  out->frozen_count = e.frozen.count;
  out->slot_count = e.slots.count;
  out->size_count = e.sizes;
  out->map_count = e.maps;
  out->stage_count = e.stage + 1u;
  out->region_calls = e.region_calls;
  out->input_nodes = arguments;
  out->input_count = entry->arguments;
  const TccPlanPort *ports = tcc_plan_at(plan, plan->outputs);
  while (out->state_count < entry->results.count && ports[entry->results.count - 1 - out->state_count].kind == TCC_PORT_INITIAL)
    out->state_count++;
  out->output_count = entry->results.count - out->state_count;
  out->initial_nodes = results + out->output_count;
  TCC_TRY_ARRAY(arena, out->outputs, out->output_count);
  for (size_t i = 0; i < out->output_count; i++) out->outputs[i] = (TccOutput){.node = results[i], .tied = ports[i].tied};
  for (size_t i = 0; i < entry->results.count; i++) out->nodes[out->nodes[results[i]].root].is_output = true;
  TCC_TRY(check_states(&e, out));
  TCC_TRY(tcc_graph_concat_in_place(out));
  TCC_TRY(find_stages(out, e.stage_loops.data));
  find_lifetimes(out);
  TCC_TRY(find_frozen(out));
  TCC_TRY(place_outputs(out));
  TCC_TRY(collect_patches(out));
  return find_checked(out);
}

size_t tcc_graph_key_length(const TccGraph *graph) {
  size_t length = 0;
  for (size_t i = 0; i < graph->input_count; i++) length += graph->nodes[graph->input_nodes[i]].rank;
  return length;
}
