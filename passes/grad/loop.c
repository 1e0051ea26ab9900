/* loop.c - loops (tcc_call_loop) differentiated: the backward loop runs over what the forward loop stacked.
 *
 *   %h = call @step(%h0, %w) {tcc.trips = [T]}
 *   =>  %h, %n, %all = call @step_fwd(%h0, 0, zeros[T, ...], %w) {tcc.trips = [T]}      %all[%n] = what an iteration saves; %n + 1
 *       %dh0, %dw, %0 = call @step_bwd(%dh, 0, %n, %all, %w) {tcc.trips = [T]}          %n - 1; reads %all[%n]; %dw is summed
 *
 * A loop that may end before carries one number more backwards, whether iterations are left.
 *
 * The gradient of a weight is mostly a product, dw = sum over iterations of A^T B. Where A and B are much smaller than it, the backward stacks
 * them instead of summing, or finds one stacked already, and one product behind the loop contracts over iterations as well. */
#include "lib/ir/dot_axes.h"
#include "passes/grad/grad.h"

/* Operands of a product whose sum over iterations is one product behind the loop. */
typedef struct {
  MlirOperation dot;   /* of an iteration; null: the gradient is summed */
  intptr_t carried[2]; /* where its operands are stacked: carried value of the backward loop behind the counter, or */
  MlirValue stack[2];  /* what the forward loop has stacked */
} Product;

typedef struct {
  Grad *grad;
  MlirOperation call;
  const TccLoopCall *loop;
  intptr_t nin, carried;
  const bool *asked; /* operands whose cotangents are asked for */
  bool *wanted;      /* arguments of an iteration that need one; carried ones: and have one */
  intptr_t *place;   /* of an argument's gradient among what the backward loop carries */
  Product *product;  /* of each argument */
  GradSplit split;
} Loop;

/* Carried values that depend on what is asked for after some iteration, and that a cotangent comes to before some. */
static void find_wanted(Loop *l, const GradReach *once, const MlirValue *cotangents) {
  bool *varied = TCC_NEW_ARRAY(l->grad->scratch, bool, l->nin + 1), *useful = TCC_NEW_ARRAY(l->grad->scratch, bool, l->carried + 1);
  for (intptr_t i = 0; i < l->nin; i++) varied[i] = l->asked[i];
  for (intptr_t j = 0; j < l->carried; j++) useful[j] = cotangents[j].ptr != NULL;
  for (bool changed = true; changed;) {
    changed = false;
    for (intptr_t j = 0; j < l->carried; j++)
      for (intptr_t i = 0; i < l->nin; i++) {
        if (!grad_reaches(once, i, j)) continue;
        if (varied[i] && !varied[j]) varied[j] = changed = true;
        if (i < l->carried && useful[j] && !useful[i]) useful[i] = changed = true;
      }
  }
  for (intptr_t i = 0; i < l->nin; i++) l->wanted[i] = varied[i] && (i >= l->carried || useful[i]);
}

static bool is_stacked(const Loop *l, GradInput in) {
  return in.kind == GRAD_SAVED || (in.kind == GRAD_ARGUMENT && in.index < l->carried);
}

static MlirType counter_type(TccIr *ir) { return tcc_tensor_type(ir, TCC_ELEM_I64, 0, NULL); }

/* [T, ...] of what an iteration saves; null if it has TCC_MAX_RANK axes. */
static MlirType stack_type(Loop *l, MlirType saved) {
  TccIr *ir = l->grad->ir;
  const TccExpr *dims[TCC_MAX_RANK] = {l->loop->trips};
  int rank = tcc_type_rank(saved);
  for (int i = 0; i < rank && rank < TCC_MAX_RANK; i++) dims[i + 1] = tcc_type_dim(ir, saved, i);
  return rank < TCC_MAX_RANK ? tcc_tensor_type(ir, tcc_type_elem(saved), rank + 1, dims) : (MlirType){NULL};
}

static MlirValue one_more(TccBuilder *b, MlirValue counter, int by) {
  return tcc_build2(b, TCC_OP_ADD, counter, tcc_build_scalar_i64(b, TCC_ELEM_I64, by));
}

/* ---- forwards ---- */
/* Puts the counter and the stacks behind the carried arguments and results. The saved values are those that inputs names. */
static MlirOperation stack_forward(Loop *l, const char *name, MlirType *stacks, size_t *out_count) {
  Grad *g = l->grad;
  MlirOperation func = l->split.forward;
  MlirBlock block = tcc_func_body(func);
  MlirLocation location = mlirOperationGetLocation(func);
  TccBuilder b = {g->ir, block, mlirBlockGetTerminator(block), location};
  MlirValue counter = mlirBlockInsertArgument(block, l->carried, counter_type(g->ir), location);
  TCC_VEC(MlirValue) results = {0};
  for (intptr_t j = 0; j < l->carried; j++) TCC_VEC_PUSH(g->scratch, &results, l->split.results.data[j]);
  TCC_VEC_PUSH(g->scratch, &results, one_more(&b, counter, 1));
  *out_count = 0;
  for (size_t k = 0; k < l->split.inputs.count; k++) {
    GradInput in = l->split.inputs.data[k];
    if (!is_stacked(l, in)) continue;
    MlirValue saved = in.kind == GRAD_SAVED ? l->split.results.data[in.index] : mlirBlockGetArgument(block, in.index);
    MlirType type = stack_type(l, tcc_value_type(saved));
    if (!type.ptr) {
      tcc_error(l->call, "a loop whose backward needs a value of rank %d of each iteration", TCC_MAX_RANK);
      return (MlirOperation){NULL};
    }
    MlirValue stack = mlirBlockInsertArgument(block, l->carried + 1 + (intptr_t)*out_count, type, location);
    MlirValue operands[] = {stack, counter, saved};
    stacks[(*out_count)++] = type;
    MlirValue all = tcc_build_value(&b, TCC_OP_DYNAMIC_UPDATE_SLICE, operands, 3, NULL, 0, NULL);
    if (!all.ptr) return (MlirOperation){NULL};
    TCC_VEC_PUSH(g->scratch, &results, all);
  }
  grad_set_return(g, block, results.data, results.count);
  return grad_retype(g, func, name);
}

/* ---- backwards ---- */
typedef struct {
  TCC_VEC(MlirValue) initial; /* operands of the call: carried, then others */
  TCC_VEC(MlirValue) results;
} Carried;

static void carry(Grad *g, Carried *c, MlirValue initial, MlirValue result) {
  TCC_VEC_PUSH(g->scratch, &c->initial, initial);
  TCC_VEC_PUSH(g->scratch, &c->results, result);
}

static MlirValue add_argument(MlirBlock block, MlirType type, MlirLocation location) {
  return mlirBlockAddArgument(block, type, location);
}

/* What the forward loop has stacked of a value of the backward's body; null: nothing. */
static MlirValue forward_stack(const Loop *l, MlirOperation forward, MlirValue v) {
  const GradSplit *s = &l->split;
  intptr_t at = l->carried + 1;
  for (size_t k = 0; k < s->inputs.count; k++) {
    if (!is_stacked(l, s->inputs.data[k])) continue;
    if (mlirValueEqual(mlirBlockGetArgument(s->backward, (intptr_t)k), v)) return mlirOperationGetResult(forward, at);
    at++;
  }
  return (MlirValue){NULL};
}

/* Whether the gradient of argument i is a product whose operands, all that are not stacked yet, have at most half of its elements. */
static bool read_product(Loop *l, MlirOperation forward, intptr_t i, Product *out) {
  TccIr *ir = l->grad->ir;
  MlirValue gradient = l->split.gradients[i];
  int64_t most, all = 0, count;
  *out = (Product){.dot = {NULL}};
  if (i < l->carried || tcc_value_kind(ir, gradient) != TCC_OP_DOT_GENERAL) return false;
  MlirType type = tcc_value_type(gradient);
  if (!mlirTypeEqual(type, tcc_value_type(mlirOperationGetOperand(l->call, i))) ||
      !tcc_expr_is_const(tcc_type_count(ir, type), &most))
    return false;
  for (int side = 0; side < 2; side++) {
    MlirValue operand = mlirOperationGetOperand(tcc_value_op(gradient), side);
    if (!stack_type(l, tcc_value_type(operand)).ptr) return false;
    out->stack[side] = forward_stack(l, forward, operand);
    if (out->stack[side].ptr) continue;
    if (!tcc_expr_is_const(tcc_type_count(ir, tcc_value_type(operand)), &count)) return false;
    all += count;
  }
  if (2 * all > most) return false; /* a sum reads and writes the whole gradient in each iteration */
  out->dot = tcc_value_op(gradient);
  return true;
}

/* The place of a value that another product has stacked already; 0, which is a cotangent's: none has. */
static intptr_t stacked_before(const Loop *l, MlirValue operand) {
  for (intptr_t i = l->carried; i < l->nin; i++)
    for (int side = 0; side < 2 && l->product[i].dot.ptr; side++)
      if (l->product[i].carried[side] && mlirValueEqual(mlirOperationGetOperand(l->product[i].dot, side), operand))
        return l->product[i].carried[side];
  return 0;
}

/* Carries the operands of a product that are not stacked, as stacks. */
static void stack_product(Loop *l, TccBuilder *caller, TccBuilder *end, MlirBlock block, MlirValue before, Product *p, Carried *c) {
  for (int side = 0; side < 2; side++) {
    if (p->stack[side].ptr) continue;
    MlirValue operand = mlirOperationGetOperand(p->dot, side);
    p->carried[side] = stacked_before(l, operand);
    if (p->carried[side]) continue;
    MlirType type = stack_type(l, tcc_value_type(operand));
    MlirValue operands[] = {add_argument(block, type, end->location), before, operand};
    p->carried[side] = (intptr_t)c->results.count;
    carry(l->grad, c, grad_zeros(caller, type), tcc_build_value(end, TCC_OP_DYNAMIC_UPDATE_SLICE, operands, 3, NULL, 0, NULL));
  }
}

/* The product of the stacks: that of an iteration, contracted over the first axis as well. */
static MlirValue product_of_stacks(Loop *l, TccBuilder *b, const Product *p, MlirOperation backward) {
  TccDotAxes axes;
  int64_t batch[2][TCC_MAX_RANK], contract[2][TCC_MAX_RANK] = {{0}, {0}};
  MlirValue stack[2];
  tcc_dot_axes(l->grad->ir, p->dot, &axes);
  for (int side = 0; side < 2; side++) {
    stack[side] = p->stack[side].ptr ? p->stack[side] : mlirOperationGetResult(backward, p->carried[side]);
    for (int k = 0; k < axes.nbatch; k++) batch[side][k] = axes.batch[side][k] + 1;
    for (int k = 0; k < axes.ncontract; k++) contract[side][k + 1] = axes.contract[side][k] + 1;
  }
  return tcc_build_dot_general(b, stack[0], stack[1], batch[0], batch[1], (size_t)axes.nbatch, contract[0], contract[1],
                               (size_t)axes.ncontract + 1);
}

/* Cotangents of carried values, sums of those of others, and the counter become carried; what was saved is read from the stacks.
 * forward: the call in the caller, with nstacks stacks behind the counter. */
static void wrap_backward(Loop *l, TccBuilder *caller, MlirOperation forward, const MlirValue *cotangents, Carried *c) {
  Grad *g = l->grad;
  GradSplit *s = &l->split;
  MlirBlock block = s->backward;
  MlirLocation location = caller->location;
  intptr_t ninputs = (intptr_t)s->inputs.count;
  MlirOperation first = mlirBlockGetFirstOperation(block);
  TccBuilder b = {g->ir, block, first, location}, end = {g->ir, block, {NULL}, location};
  MlirValue *places = TCC_NEW_ARRAY(g->scratch, MlirValue, l->nin + 1), left = {NULL};
  if (l->loop->conditional) left = add_argument(block, tcc_tensor_type(g->ir, TCC_ELEM_BOOL, 0, NULL), location);
  for (intptr_t i = 0; i < l->nin; i++)
    if (l->wanted[i] && (i < l->carried || s->gradients[i].ptr) && !read_product(l, forward, i, &l->product[i]))
      places[i] = add_argument(block, tcc_value_type(mlirOperationGetOperand(l->call, i)), location);
  MlirValue counter = add_argument(block, counter_type(g->ir), location), before = one_more(&b, counter, -1);
  MlirValue count = mlirOperationGetResult(forward, l->carried), zero = tcc_build_scalar_i64(caller, TCC_ELEM_I64, 0);
  if (left.ptr)
    carry(g, c, tcc_build_compare(caller, "gt", count, zero),
          tcc_build_compare(&end, "gt", before, tcc_build_scalar_i64(&end, TCC_ELEM_I64, 0)));
  for (intptr_t i = 0; i < l->nin; i++) {
    if (!places[i].ptr) continue;
    MlirType type = tcc_value_type(places[i]);
    MlirValue result = s->gradients[i].ptr ? grad_as_type(&end, s->gradients[i], type) : grad_zeros(&end, type);
    if (i >= l->carried) result = tcc_build2(&end, TCC_OP_ADD, places[i], result);
    l->place[i] = (intptr_t)c->results.count;
    carry(g, c, i < l->carried && cotangents[i].ptr ? cotangents[i] : grad_zeros(caller, type), result);
  }
  carry(g, c, count, before);
  for (intptr_t i = 0; i < l->nin; i++)
    if (l->product[i].dot.ptr) stack_product(l, caller, &end, block, before, &l->product[i], c);
  for (intptr_t k = 0, nstacks = 0; k < ninputs; k++) {
    GradInput in = s->inputs.data[k];
    MlirValue old = mlirBlockGetArgument(block, k), now;
    if (in.kind == GRAD_COTANGENT) now = places[in.index];
    else {
      MlirValue from = is_stacked(l, in) ? mlirOperationGetResult(forward, l->carried + 1 + nstacks++)
                                         : mlirOperationGetOperand(l->call, in.index);
      TCC_VEC_PUSH(g->scratch, &c->initial, from);
      now = add_argument(block, tcc_value_type(from), location);
      if (is_stacked(l, in)) now = grad_as_type(&b, tcc_build_gather(&b, now, before, 0), tcc_value_type(old));
    }
    tcc_replace_uses(old, now);
    for (size_t r = 0; r < c->results.count; r++)
      if (mlirValueEqual(c->results.data[r], old)) c->results.data[r] = now;
  }
  for (intptr_t k = ninputs; k-- > 0;) mlirBlockEraseArgument(block, (unsigned)k);
}

static MlirOperation call_forward(Loop *l, const char *name, const MlirType *stacks, size_t nstacks) {
  Grad *g = l->grad;
  TccBuilder b = {g->ir, mlirOperationGetBlock(l->call), l->call, mlirOperationGetLocation(l->call)};
  TCC_VEC(MlirValue) operands = {0};
  for (intptr_t i = 0; i < l->carried; i++) TCC_VEC_PUSH(g->scratch, &operands, mlirOperationGetOperand(l->call, i));
  TCC_VEC_PUSH(g->scratch, &operands, tcc_build_scalar_i64(&b, TCC_ELEM_I64, 0));
  for (size_t k = 0; k < nstacks; k++) TCC_VEC_PUSH(g->scratch, &operands, grad_zeros(&b, stacks[k]));
  for (intptr_t i = l->carried; i < l->nin; i++) TCC_VEC_PUSH(g->scratch, &operands, mlirOperationGetOperand(l->call, i));
  MlirOperation call = grad_build_call(&b, name, operands.data, operands.count);
  tcc_call_set_loop(g->ir, call, l->loop->trips, l->loop->conditional);
  return call;
}

bool grad_loop(Grad *g, TccBuilder *b, MlirOperation call, const TccLoopCall *loop, const bool *wanted, const MlirValue *cotangents,
               MlirValue *out) {
  Loop l = {.grad = g, .call = call, .loop = loop, .asked = wanted, .carried = loop->carried};
  l.nin = mlirOperationGetNumOperands(call);
  l.wanted = TCC_NEW_ARRAY(g->scratch, bool, l.nin + 1);
  l.place = TCC_NEW_ARRAY(g->scratch, intptr_t, l.nin + 1);
  l.product = TCC_NEW_ARRAY(g->scratch, Product, l.nin + 1);
  TccStr base = tcc_callee_name(call);
  MlirOperation func = tcc_module_find(g->ir, g->module, base);
  find_wanted(&l, grad_reach(g, func), cotangents);
  const char *forward_name = grad_name(g, base, "_fwd");
  if (!grad_split(g, func, forward_name, l.wanted, l.wanted, grad_alive(g, call, l.carried), &l.split)) return false;
  size_t nstacks;
  MlirType *stacks = TCC_NEW_ARRAY(g->scratch, MlirType, l.split.inputs.count + 1);
  l.split.forward = stack_forward(&l, forward_name, stacks, &nstacks);
  if (mlirOperationIsNull(l.split.forward)) return false;
  MlirOperation forward = call_forward(&l, forward_name, stacks, nstacks);
  Carried c = {0};
  wrap_backward(&l, b, forward, cotangents, &c);
  grad_set_return(g, l.split.backward, c.results.data, c.results.count);
  const char *backward_name = grad_name(g, base, "_bwd");
  grad_add_function(g, backward_name, b->location, l.split.backward);
  MlirOperation backward = grad_build_call(b, backward_name, c.initial.data, c.initial.count);
  tcc_call_set_loop(g->ir, backward, loop->trips, loop->conditional);
  for (intptr_t i = 0; i < l.nin; i++) {
    if (!l.wanted[i] || (i >= l.carried && !l.split.gradients[i].ptr)) continue;
    out[i] =
        l.product[i].dot.ptr ? product_of_stacks(&l, b, &l.product[i], backward) : mlirOperationGetResult(backward, l.place[i]);
  }
  for (intptr_t j = 0; j < l.carried; j++) tcc_replace_uses(mlirOperationGetResult(call, j), mlirOperationGetResult(forward, j));
  tcc_erase(call);
  return true;
}
