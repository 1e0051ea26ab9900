/* pair.c - a function that is called many times is differentiated once for each pattern of what needs a gradient.
 *
 *   %y = call @r(%x, %w)     =>   %y, %s = call @r_fwd(%x, %w)   ...   %dx, %dw = call @r_bwd(%s, %w, %dy)
 *
 * A copy of @r gets the cotangents of its results as arguments and is differentiated in place; what reverse mode added then moves to
 * @r_bwd. What @r_bwd reads of @r_fwd is saved as a result of that, but arguments, which the caller has, and what is computed again
 * (recompute.c). */
#include "passes/grad/grad.h"

typedef struct {
  Grad *grad;
  GradSplit *split;
  MlirBlock forward;
  intptr_t narguments;
  const bool *given;
  TccPointerMap inside; /* value of forward -> value of backward */
  TccPointerMap listed; /* ops that are computed again by now */
  TccPointerMap again;  /* ops of forward that backward has, too */
} Mover;

/* The result of forward that value is, added if need be. */
static intptr_t saved_result(GradSplit *s, Grad *g, MlirValue value) {
  for (size_t i = 0; i < s->results.count; i++)
    if (mlirValueEqual(s->results.data[i], value)) return (intptr_t)i;
  TCC_VEC_PUSH(g->scratch, &s->results, value);
  return (intptr_t)s->results.count - 1;
}

/* Seeds stand behind the arguments of the function itself, one for each given result. */
static GradInput input_of(Mover *m, MlirValue value) {
  if (!mlirValueIsABlockArgument(value)) return (GradInput){GRAD_SAVED, saved_result(m->split, m->grad, value)};
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  if (number < m->narguments) return (GradInput){GRAD_ARGUMENT, number};
  intptr_t j = -1;
  for (number -= m->narguments; number >= 0; number--) do
      j++;
    while (!m->given[j]);
  return (GradInput){GRAD_COTANGENT, j};
}

/* What stands for a value in the backward, if that is no op that is yet to be computed again: a further argument if nothing does. */
static MlirValue stands_for(Mover *m, MlirValue value) {
  MlirOperation owner = tcc_value_op(value);
  if (!mlirOperationIsNull(owner) && mlirBlockEqual(mlirOperationGetBlock(owner), m->split->backward)) return value;
  void *known = tcc_pointer_map_get(&m->inside, value.ptr);
  if (known) return (MlirValue){known};
  GradInput input = input_of(m, value);
  TCC_VEC_PUSH(m->grad->scratch, &m->split->inputs, input);
  MlirValue copy = mlirBlockAddArgument(m->split->backward, tcc_value_type(value), mlirOperationGetLocation(m->split->forward));
  tcc_pointer_map_set(&m->inside, value.ptr, (void *)(uintptr_t)copy.ptr);
  return copy;
}

static void compute_again(Mover *m, MlirOperation op) {
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(clone); i++)
    mlirOperationSetOperand(clone, i, stands_for(m, mlirOperationGetOperand(op, i)));
  mlirBlockAppendOwnedOperation(m->split->backward, clone);
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++)
    tcc_pointer_map_set(&m->inside, mlirOperationGetResult(op, j).ptr, (void *)(uintptr_t)mlirOperationGetResult(clone, j).ptr);
}

/* What is computed again is so where it is first read, so that it lives no longer than it has to. */
static MlirValue inside(Mover *m, MlirValue value) {
  GradOps ops = {0};
  grad_order_again(m->grad, &m->again, &m->listed, value, &ops);
  for (size_t k = 0; k < ops.count; k++) compute_again(m, ops.data[k]);
  return stands_for(m, value);
}

/* Everything between the marker and the return. */
static void move_backward(Mover *m, MlirOperation marker) {
  for (MlirOperation op = mlirOperationGetNextInBlock(marker), next; !mlirOperationEqual(op, mlirBlockGetTerminator(m->forward));
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      mlirOperationSetOperand(op, i, inside(m, mlirOperationGetOperand(op, i)));
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(m->split->backward, op);
  }
  tcc_erase(marker);
}

static bool differentiate(Grad *g, MlirBlock block, MlirOperation marker, const bool *wanted, const bool *given,
                          intptr_t narguments, intptr_t nresults, MlirValue *gradients) {
  MlirValue *wrt = TCC_NEW_ARRAY(g->scratch, MlirValue, narguments + 1), *of = TCC_NEW_ARRAY(g->scratch, MlirValue, nresults + 1),
            *seeds = TCC_NEW_ARRAY(g->scratch, MlirValue, nresults + 1),
            *out = TCC_NEW_ARRAY(g->scratch, MlirValue, narguments + 1);
  intptr_t *results = TCC_NEW_ARRAY(g->scratch, intptr_t, nresults + 1);
  size_t nwrt = 0, nof = 0;
  for (intptr_t i = 0; i < narguments; i++)
    if (wanted[i]) wrt[nwrt++] = mlirBlockGetArgument(block, i);
  for (intptr_t j = 0; j < nresults; j++)
    if (given[j]) results[nof++] = j;
  grad_expand(g, block, wrt, nwrt, mlirBlockGetTerminator(block), results, nof);
  MlirOperation end = mlirBlockGetTerminator(block);
  for (size_t k = 0; k < nof; k++) {
    of[k] = mlirOperationGetOperand(end, results[k]);
    seeds[k] = mlirBlockAddArgument(block, tcc_value_type(of[k]), mlirOperationGetLocation(end));
  }
  GradActivity activity;
  grad_activity(g, mlirBlockGetFirstOperation(block), marker, wrt, nwrt, of, nof, &activity);
  if (!grad_reverse(g, block, (MlirOperation){NULL}, marker, end, &activity, wrt, nwrt, of, seeds, nof, out)) return false;
  for (size_t k = 0, i = 0; i < (size_t)narguments; i++)
    if (wanted[i]) gradients[i] = out[k++];
  return true;
}

bool *grad_alive(Grad *g, MlirOperation call, intptr_t from) {
  intptr_t n = mlirOperationGetNumOperands(call);
  bool *alive = TCC_NEW_ARRAY(g->scratch, bool, n + 1);
  for (intptr_t i = from; i < n; i++) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    MlirOperation owner = tcc_value_op(operand);
    TccOpKind kind = mlirOperationIsNull(owner) ? TCC_OP_UNKNOWN : tcc_op_kind(g->ir, owner);
    alive[i] = mlirValueIsABlockArgument(operand) || kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT;
  }
  return alive;
}

bool grad_split(Grad *g, MlirOperation func, const char *name, const bool *wanted, const bool *given, const bool *alive,
                GradSplit *out) {
  *out = (GradSplit){.forward = grad_copy(g, func, name)};
  MlirBlock block = tcc_func_body(out->forward);
  Mover m = {.grad = g, .split = out, .forward = block, .narguments = mlirBlockGetNumArguments(block), .given = given};
  m.inside.arena = m.listed.arena = g->scratch;
  MlirOperation end = mlirBlockGetTerminator(block);
  out->nresults = mlirOperationGetNumOperands(end);
  out->gradients = TCC_NEW_ARRAY(g->scratch, MlirValue, m.narguments + 1);
  TccBuilder b = {g->ir, block, end, mlirOperationGetLocation(end)};
  MlirOperation marker = tcc_build(&b, TCC_OP_NONE, NULL, 0, NULL, 0, NULL);
  if (!differentiate(g, block, marker, wanted, given, m.narguments, out->nresults, out->gradients)) return false;
  end = mlirBlockGetTerminator(block);
  for (intptr_t j = 0; j < out->nresults; j++) TCC_VEC_PUSH(g->scratch, &out->results, mlirOperationGetOperand(end, j));
  out->backward = mlirBlockCreate(0, NULL, NULL);
  GradCut cut = {name, block, marker, alive, m.narguments, out->gradients, (size_t)m.narguments};
  grad_recompute(g, &cut, &m.again);
  move_backward(&m, marker);
  for (intptr_t i = 0; i < m.narguments; i++)
    if (out->gradients[i].ptr) out->gradients[i] = inside(&m, out->gradients[i]);
  grad_set_return(g, block, out->results.data, out->results.count);
  for (intptr_t i = mlirBlockGetNumArguments(block); i-- > m.narguments;) mlirBlockEraseArgument(block, (unsigned)i);
  return true;
}

/* ---- calls ---- */
typedef struct {
  const char *forward, *backward; /* backward NULL: all gradients are 0 */
  GradSplit split;
} Pair;

static bool make_pair(Grad *g, MlirOperation func, const bool *wanted, const bool *given, const bool *alive, Pair *pair) {
  TccStr base = tcc_function_name(func);
  pair->forward = grad_name(g, base, "_fwd");
  GradSplit *s = &pair->split;
  if (!grad_split(g, func, pair->forward, wanted, given, alive, s)) return false;
  MlirLocation location = mlirOperationGetLocation(func);
  TCC_VEC(MlirValue) results = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(tcc_func_body(func)); i++)
    if (s->gradients[i].ptr) TCC_VEC_PUSH(g->scratch, &results, s->gradients[i]);
  s->forward = grad_retype(g, s->forward, pair->forward);
  grad_set_return(g, s->backward, results.data, results.count);
  if (!results.count) return true;
  pair->backward = grad_name(g, base, "_bwd");
  grad_add_function(g, pair->backward, location, s->backward);
  return true;
}

static Pair *pair_of(Grad *g, MlirOperation call, const bool *wanted, const bool *given) {
  TccText key = {0};
  TccStr callee = tcc_callee_name(call);
  tcc_text_printf(&key, "%.*s ", TCC_STR_ARG(callee));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) tcc_text_put(&key, wanted[i] ? "1" : "0", 1);
  for (intptr_t j = 0; j < mlirOperationGetNumResults(call); j++) tcc_text_put(&key, given[j] ? "g" : ".", 1);
  TccMapEntry *entry = tcc_map_find(g->pairs, tcc_text_str(&key));
  Pair *pair = entry ? entry->pointer : TCC_NEW(g->scratch, Pair);
  MlirOperation func = tcc_module_find(g->ir, g->module, callee);
  if (!entry && !make_pair(g, func, wanted, given, grad_alive(g, call, 0), pair)) pair = NULL;
  if (pair && !entry) tcc_map_put(g->pairs, tcc_text_str(&key), NULL)->pointer = pair;
  tcc_text_destroy(&key);
  return pair;
}

bool grad_call(Grad *g, TccBuilder *b, MlirOperation call, const bool *wanted, const MlirValue *cotangents, MlirValue *out) {
  intptr_t nin = mlirOperationGetNumOperands(call), nout = mlirOperationGetNumResults(call);
  TccLoopCall loop;
  if (tcc_call_loop(g->ir, call, &loop)) return grad_loop(g, b, call, &loop, wanted, cotangents, out);
  bool *given = TCC_NEW_ARRAY(g->scratch, bool, nout + 1);
  for (intptr_t j = 0; j < nout; j++) given[j] = cotangents[j].ptr != NULL;
  Pair *pair = pair_of(g, call, wanted, given);
  if (!pair) return false;
  MlirValue *operands = TCC_NEW_ARRAY(g->scratch, MlirValue, nin + 1),
            *inputs = TCC_NEW_ARRAY(g->scratch, MlirValue, pair->split.inputs.count + 1);
  for (intptr_t i = 0; i < nin; i++) operands[i] = mlirOperationGetOperand(call, i);
  TccBuilder in_place = {g->ir, mlirOperationGetBlock(call), call, mlirOperationGetLocation(call)};
  MlirOperation forward = grad_build_call(&in_place, pair->forward, operands, (size_t)nin);
  for (intptr_t j = 0; j < nout; j++) tcc_replace_uses(mlirOperationGetResult(call, j), mlirOperationGetResult(forward, j));
  tcc_erase(call);
  if (!pair->backward) return true;
  for (size_t k = 0; k < pair->split.inputs.count; k++) {
    GradInput in = pair->split.inputs.data[k];
    inputs[k] = in.kind == GRAD_SAVED      ? mlirOperationGetResult(forward, in.index)
                : in.kind == GRAD_ARGUMENT ? operands[in.index]
                                           : cotangents[in.index];
  }
  MlirOperation backward = grad_build_call(b, pair->backward, inputs, pair->split.inputs.count);
  for (intptr_t i = 0, k = 0; i < nin; i++)
    if (pair->split.gradients[i].ptr) out[i] = mlirOperationGetResult(backward, k++);
  return true;
}
