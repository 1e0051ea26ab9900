/* concat_in_place.c - concat and split without copies: results written where a concatenation lies, operands read where a slice lies.
 *
 *   %1 = call k0(...)   %2 = call k1(...)         k0 writes bytes 0.. of %3, k1 those behind them; the step is gone
 *   %3 = call concat(%1, %2)                   =>
 *   %4 = call slice(%3)                            who reads %4 reads %3 at an offset; the step is gone
 *
 * Decided once per model on the expanded list of steps, so it is seen across regions and for any sizes: offsets are expressions.
 * A result goes into the first concat that reads all of it, unless it is an output of the model, which has a place already, or
 * made in an earlier stage, whose memory is planned before the concatenation's size is known. A slice is read where it lies unless it is an
 * output. What a loop carries has its own rules (graph.c) and is copied. A concatenation some of whose operands are elsewhere (inputs, weights) stays a step and copies those only.
 *
 * Invariants: a node with a parent lies in it, `shift` bytes from its start; chains of parents end at the root, first over slices
 * (their operands are older), then over concatenations (their results are younger), so there are no circles. */
#include "internal.h"

typedef enum { STEP_OTHER, STEP_CONCAT, STEP_SLICE } StepKind;
typedef struct {
  TccGraph *graph;
  const TccPlanCall *calls;
  const uint32_t *indices;
  const TccPlanExpr *exprs;
  uint8_t *kinds;  /* per call of the plan: StepKind */
  uint32_t *stage; /* per node: that makes it */
  bool *carried;   /* per root: a loop reads or writes it as what it carries */
} Placing;

static bool is_constant(const Placing *p, const TccPlanCall *call, uint32_t size, int64_t value) {
  const TccPlanExpr *expr = &p->exprs[p->indices[call->sizes.first + size]];
  return expr->stage < 0 && expr->constant == value;
}

/* Of each call of the plan; sizes that are not a builtin's are an error. */
static TccStatus *find_kinds(Placing *p) {
  const TccPlanHeader *plan = p->graph->plan;
  const TccPlanKernel *kernels = tcc_plan_at(plan, plan->kernels);
  TCC_TRY_ARRAY(p->graph->arena, p->kinds, plan->calls.count);
  for (size_t i = 0; i < plan->calls.count; i++) {
    const TccPlanCall *call = &p->calls[i];
    const char *symbol = tcc_plan_text(plan, kernels[call->kernel].symbol);
    if (!kernels[call->kernel].builtin) continue;
    TccBuiltin builtin = tcc_builtin_named(symbol);
    bool concat = builtin == TCC_BUILTIN_CONCAT, slice = builtin == TCC_BUILTIN_SLICE;
    if (!concat && !slice) continue;
    p->kinds[i] = concat ? STEP_CONCAT : STEP_SLICE;
    if (slice ? call->sizes.count != TCC_SLICE_SIZES
              : call->sizes.count < TCC_CONCAT_HEAD ||
                    !is_constant(p, call, TCC_CONCAT_PLACES, (call->sizes.count - TCC_CONCAT_HEAD) / 2))
      return TCC_ERROR(TCC_INVALID, "plan: kernel '%s' has not the sizes of a %s", tcc_plan_text(plan, call->name), symbol);
  }
  return NULL;
}

static const uint32_t *sizes_of(const Placing *p, const TccStep *step) { return p->indices + p->calls[step->index].sizes.first; }

static void place(Placing *p, uint32_t node, uint32_t parent, uint32_t shift) {
  TccNode *at = &p->graph->nodes[node];
  at->parent = parent, at->shift = shift, at->stage = p->stage[node];
}

/* *out_done: nothing is left to copy; false at first. */
static TccStatus *place_concat(Placing *p, const TccStep *step, bool *out_done) {
  TccNode *nodes = p->graph->nodes;
  const uint32_t *slots = p->graph->slots + step->slots, *sizes = sizes_of(p, step), concat = slots[step->operands];
  if (p->carried[nodes[concat].root]) return NULL;
  uint32_t operands = (p->calls[step->index].sizes.count - TCC_CONCAT_HEAD) / 2;
  *out_done = true;
  for (uint32_t i = 0; i < operands; i++) {
    const TccPlanExpr *operand = &p->exprs[sizes[TCC_CONCAT_HEAD + 2 * i + 1]];
    if (operand->stage >= 0 || operand->constant < 0 || operand->constant >= step->operands)
      return TCC_ERROR(TCC_INVALID, "plan: a concatenation of an operand that it has not");
    uint32_t root = nodes[slots[operand->constant]].root;
    bool fits = nodes[root].place == TCC_PLACE_BUFFER && !p->carried[root] && nodes[root].parent == TCC_NEVER &&
                !nodes[root].is_output && p->stage[root] == step->stage;
    if (fits) place(p, root, concat, sizes[TCC_CONCAT_HEAD + 2 * i]);
    else *out_done = false;
  }
  return NULL;
}

static bool place_slice(Placing *p, const TccStep *step) {
  const TccNode *nodes = p->graph->nodes;
  const uint32_t *slots = p->graph->slots + step->slots, root = nodes[slots[0]].root, slice = slots[1];
  bool fits = !p->carried[root] && !p->carried[nodes[slice].root] && nodes[root].place != TCC_PLACE_SIZES &&
              nodes[root].place != TCC_PLACE_NONE && !nodes[slice].is_output && p->stage[root] == step->stage;
  if (fits) place(p, slice, root, sizes_of(p, step)[TCC_SLICE_OFFSET]);
  return fits;
}

/* From values without an alias to those that memory is planned for. */
static TccStatus *find_roots(TccGraph *graph) {
  TCC_VEC(uint32_t) order = {0}, path = {0};
  uint32_t *final; /* 1 + the root; 0: not known yet */
  TCC_TRY_ARRAY(graph->arena, final, graph->node_count);
  for (uint32_t n = 0; n < graph->node_count; n++) {
    uint32_t at = n;
    if (graph->nodes[n].root != n) continue;
    for (path.count = 0; !final[at] && graph->nodes[at].parent != TCC_NEVER; at = graph->nodes[at].parent)
      TCC_VEC_TRY_PUSH(graph->arena, &path, at);
    uint32_t root = final[at] ? final[at] : at + 1;
    final[at] = root;
    while (path.count) {
      at = path.data[--path.count];
      final[at] = root;
      TCC_VEC_TRY_PUSH(graph->arena, &order, at);
    }
  }
  for (uint32_t n = 0; n < graph->node_count; n++) graph->nodes[n].root = final[graph->nodes[n].within] - 1;
  graph->placed = order.data;
  graph->placed_count = order.count;
  return NULL;
}

TccStatus *tcc_graph_concat_in_place(TccGraph *graph) {
  const TccPlanHeader *plan = graph->plan;
  Placing p = {.graph = graph,
               .calls = tcc_plan_at(plan, plan->calls),
               .indices = tcc_plan_at(plan, plan->indices),
               .exprs = tcc_plan_at(plan, plan->exprs)};
  TCC_TRY(find_kinds(&p));
  TCC_TRY_ARRAY(graph->arena, p.stage, graph->node_count);
  TCC_TRY_ARRAY(graph->arena, p.carried, graph->node_count);
  for (size_t n = 0; n < graph->node_count; n++) graph->nodes[n].within = graph->nodes[n].root;
  for (size_t s = 0; s < graph->step_count; s++) {
    const TccStep *step = &graph->steps[s];
    bool loop = step->kind == TCC_PLAN_LOOP || step->kind == TCC_PLAN_AGAIN;
    for (uint32_t r = 0; r < step->results; r++) p.stage[graph->slots[step->slots + step->operands + r]] = step->stage;
    for (uint32_t i = 0; loop && i < step->operands + step->results; i++)
      p.carried[graph->nodes[graph->slots[step->slots + i]].root] = true;
  }
  size_t kept = 0;
  for (size_t s = 0; s < graph->step_count; s++) {
    const TccStep step = graph->steps[s];
    if (step.kind == TCC_PLAN_LOOP) graph->loops[step.loop].begin = (uint32_t)kept;
    if (step.kind == TCC_PLAN_AGAIN) graph->loops[step.loop].end = (uint32_t)kept;
    StepKind kind = step.kind == TCC_PLAN_KERNEL ? p.kinds[step.index] : STEP_OTHER;
    bool done = false;
    if (kind != STEP_OTHER && (step.results != 1 || (kind == STEP_SLICE && step.operands != 1)))
      return TCC_ERROR(TCC_INVALID, "plan: a concatenation or slice with other operands and results than it has");
    if (kind == STEP_CONCAT) TCC_TRY(place_concat(&p, &step, &done));
    if (kind == STEP_SLICE) done = place_slice(&p, &step);
    if (!done) graph->steps[kept++] = step;
  }
  graph->step_count = kept;
  return find_roots(graph);
}

/* ---- what was not placed is copied ---- */
static void copy(char *to, const char *from, int64_t bytes) {
  if (to != from && bytes > 0) memcpy(to, from, (size_t)bytes);
}

void tcc_slice(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  int64_t first = begin * TCC_IN_PLACE_TILE,
          last = end * TCC_IN_PLACE_TILE < sizes[TCC_IN_PLACE_BYTES] ? end * TCC_IN_PLACE_TILE : sizes[TCC_IN_PLACE_BYTES];
  copy((char *)arguments[1] + first, (const char *)arguments[0] + sizes[TCC_SLICE_OFFSET] + first, last - first);
}

void tcc_concat(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  int64_t all = sizes[TCC_IN_PLACE_BYTES], first = begin * TCC_IN_PLACE_TILE,
          last = end * TCC_IN_PLACE_TILE < all ? end * TCC_IN_PLACE_TILE : all;
  char *result = arguments[sizes[TCC_CONCAT_OPERANDS]];
  const int64_t *entry = sizes + TCC_CONCAT_HEAD;
  for (int64_t i = 0; i < sizes[TCC_CONCAT_PLACES]; i++, entry += 2) {
    int64_t at = entry[0], behind = i + 1 < sizes[TCC_CONCAT_PLACES] ? entry[2] : all;
    int64_t from = at > first ? at : first, to = behind < last ? behind : last;
    copy(result + from, (const char *)arguments[entry[1]] + (from - at), to - from);
  }
}
