/* update.c - the arithmetic of optimisers: what torch.optim computes, in its order.
 *
 * Kingma and Ba 2015 (Adam), Loshchilov and Hutter 2019 (AdamW), Duchi, Hazan and Singer 2011 (Adagrad), Sutskever et al. 2013
 * (Nesterov's momentum as SGD has it). Scalars that depend on the number of the step are f64: 1 - 0.999^1 has four digits in f32. */
#include "lib/ir/names.h"
#include "passes/optimizer/optimizer.h"
#include <string.h>

/* ---- scalars, f64 ---- */
/* A constant: one op for all that use it. */
static MlirValue number_of(Optimizer *o, TccElem elem, double value) {
  for (size_t i = 0; i < o->constants.count; i++)
    if (o->constants.data[i].elem == elem && !memcmp(&o->constants.data[i].number, &value, sizeof value))
      return o->constants.data[i].value;
  OptimizerConstant made = {elem, value, tcc_build_scalar(o->b, elem, value)};
  TCC_VEC_PUSH(o->run->scratch, &o->constants, made);
  return made.value;
}
static MlirValue constant(Optimizer *o, double value) { return number_of(o, TCC_ELEM_F64, value); }
static MlirValue op2(Optimizer *o, TccOpKind kind, MlirValue a, MlirValue b) { return tcc_build2(o->b, kind, a, b); }
static MlirValue with(Optimizer *o, TccOpKind kind, MlirValue a, double b) {
  return a.ptr ? op2(o, kind, a, number_of(o, tcc_value_elem(a), b)) : a;
}
static MlirValue plus(Optimizer *o, MlirValue a, MlirValue b) { return op2(o, TCC_OP_ADD, a, b); }
static MlirValue minus(Optimizer *o, MlirValue a, MlirValue b) { return op2(o, TCC_OP_SUB, a, b); }
static MlirValue times(Optimizer *o, MlirValue a, MlirValue b) { return op2(o, TCC_OP_MUL, a, b); }

/* 1 - beta^number */
static MlirValue bias_correction(Optimizer *o, double beta) {
  MlirValue power = op2(o, TCC_OP_POW, constant(o, beta), o->number);
  return minus(o, constant(o, 1), power);
}

/* The part of the way from the end of warm-up to the last step, in [0, 1]. */
static MlirValue progress(Optimizer *o) {
  MlirValue done = with(o, TCC_OP_SUB, o->number, 1.0 + o->warmup), part = with(o, TCC_OP_DIV, done, (double)o->steps - o->warmup);
  return with(o, TCC_OP_MIN, with(o, TCC_OP_MAX, part, 0), 1);
}

/* The rate of this update: it rises evenly to lr over `warmup` updates, then falls to floor * lr at update `steps`. */
static MlirValue rate(Optimizer *o) {
  MlirValue factor = constant(o, 1);
  if (o->schedule == OPTIMIZER_LINEAR) factor = minus(o, factor, with(o, TCC_OP_MUL, progress(o), 1 - o->floor));
  if (o->schedule == OPTIMIZER_COSINE) {
    MlirValue wave = with(o, TCC_OP_ADD, tcc_build1(o->b, TCC_OP_COS, with(o, TCC_OP_MUL, progress(o), 3.14159265358979323846)), 1);
    factor = with(o, TCC_OP_ADD, with(o, TCC_OP_MUL, wave, 0.5 * (1 - o->floor)), o->floor);
  }
  if (o->warmup) factor = times(o, factor, with(o, TCC_OP_MIN, with(o, TCC_OP_DIV, o->number, o->warmup), 1));
  return with(o, TCC_OP_MUL, factor, o->rate);
}

/* ---- one parameter ---- */
typedef struct {
  Optimizer *o; /* builds the update */
  OptimizerFunction *f;
  const OptimizerParameter *q;
  TccElem elem;
  MlirValue p, g;
} Update;

/* The argument of the function that stands for a value of @main. */
static MlirValue from_main(Update *u, MlirValue value) {
  OptimizerFunction *f = u->f;
  if (!f || !value.ptr) return value;
  for (size_t i = 0; i < f->operands.count; i++)
    if (f->operands.data[i].value.ptr == value.ptr) return mlirBlockGetArgument(f->block, (intptr_t)i);
  TCC_VEC_PUSH(u->o->run->scratch, &f->operands, ((OptimizerOperand){.value = value}));
  return mlirBlockAddArgument(f->block, tcc_value_type(value), u->o->b->location);
}

/* A scalar of the step in the parameter's type, computed once for all parameters of that type. */
static MlirValue scalar(Update *u, OptimizerScalar which, MlirValue (*compute)(Optimizer *o)) {
  Optimizer *main = u->f ? u->f->main : u->o;
  MlirValue *of = main->scalars[which], *narrow = &of[u->elem];
  if (!of[TCC_ELEM_F64].ptr) of[TCC_ELEM_F64] = compute(main);
  if (!narrow->ptr) *narrow = tcc_build_convert(main->b, of[TCC_ELEM_F64], u->elem);
  return from_main(u, *narrow);
}

static MlirValue current_rate(Optimizer *o) { return o->now; }
static MlirValue decay_factor(Optimizer *o) { return minus(o, constant(o, 1), with(o, TCC_OP_MUL, o->now, o->decay)); }
static MlirValue adam_rate(Optimizer *o) { return op2(o, TCC_OP_DIV, o->now, bias_correction(o, o->beta1)); }
static MlirValue adam_scale(Optimizer *o) { return tcc_build1(o->b, TCC_OP_RSQRT, bias_correction(o, o->beta2)); }
static MlirValue adagrad_rate(Optimizer *o) {
  MlirValue slow = with(o, TCC_OP_ADD, with(o, TCC_OP_MUL, with(o, TCC_OP_SUB, o->number, 1), o->rate_decay), 1);
  return op2(o, TCC_OP_DIV, o->now, slow);
}

static MlirValue state_of(Optimizer *o, const OptimizerParameter *q, const char *name, int64_t *out_argument) {
  const char *full = tcc_arena_printf(o->run->scratch, "%s:%s", q->name, name);
  return optimizer_state(o, full, tcc_value_type(q->value), out_argument);
}

/* A state of the parameter's shape; its number among the arguments goes to *out_argument. */
static MlirValue state(Update *u, const char *name, int64_t *out_argument) {
  OptimizerFunction *f = u->f;
  if (!f) return state_of(u->o, u->q, name, out_argument);
  *out_argument = (int64_t)f->operands.count;
  TCC_VEC_PUSH(u->o->run->scratch, &f->operands, ((OptimizerOperand){.state = name}));
  return mlirBlockAddArgument(f->block, f->type, u->o->b->location);
}

/* The new value of what stands at `argument`, if this call changes it. What is computed of a new value is computed of what is returned: nobody
 * asks for the other one then, and an update is one pass. */
static MlirValue set(Update *u, int64_t argument, MlirValue value) {
  OptimizerFunction *f = u->f;
  if (!f) return optimizer_result(u->o, argument, value, u->o->changes);
  MlirValue changes = from_main(u, f->main->changes);
  if (changes.ptr && value.ptr) value = tcc_build_select(u->o->b, changes, value, mlirBlockGetArgument(f->block, argument));
  if (!value.ptr) f->main->failed = true;
  TCC_VEC_PUSH(u->o->run->scratch, &f->results, argument);
  TCC_VEC_PUSH(u->o->run->scratch, &f->returned, value);
  return value;
}

/* Then what is made of the rate alone is a number in the update, so that updates in functions and in @main are equal kernels. */
static bool is_rate_constant(const Optimizer *o) { return o->schedule == OPTIMIZER_CONSTANT && o->warmup == 0; }

static double decay_of(const Update *u) { return u->q->decays ? u->o->decay : 0; }

/* g + decay * p: the gradient of a penalty on the square of p. */
static void penalise(Update *u) {
  if (decay_of(u) != 0) u->g = plus(u->o, u->g, with(u->o, TCC_OP_MUL, u->p, decay_of(u)));
}

static MlirValue sgd(Update *u) {
  Optimizer *o = u->o;
  penalise(u);
  MlirValue by = u->g;
  if (o->momentum != 0) {
    int64_t at;
    MlirValue buffer = plus(o, with(o, TCC_OP_MUL, state(u, "momentum_buffer", &at), o->momentum), u->g);
    buffer = set(u, at, buffer);
    by = o->nesterov ? plus(o, u->g, with(o, TCC_OP_MUL, buffer, o->momentum)) : buffer;
  }
  MlirValue change = is_rate_constant(o) ? with(o, TCC_OP_MUL, by, o->rate) : times(o, by, scalar(u, OPTIMIZER_RATE, current_rate));
  return minus(o, u->p, change);
}

/* (1 - rate * decay) * p: decay that is not a part of the gradient. */
static MlirValue decayed(Update *u) {
  Optimizer *o = u->o;
  if (decay_of(u) == 0) return u->p;
  if (is_rate_constant(o)) return with(o, TCC_OP_MUL, u->p, 1 - o->rate * o->decay);
  return times(o, u->p, scalar(u, OPTIMIZER_DECAY, decay_factor));
}

static MlirValue adam(Update *u) {
  Optimizer *o = u->o;
  int64_t at_m, at_v;
  if (o->kind == OPTIMIZER_ADAM) penalise(u);
  else u->p = decayed(u);
  MlirValue m = state(u, "exp_avg", &at_m), v = state(u, "exp_avg_sq", &at_v);
  m = plus(o, m, with(o, TCC_OP_MUL, minus(o, u->g, m), 1 - o->beta1));
  v = plus(o, with(o, TCC_OP_MUL, v, o->beta2), times(o, with(o, TCC_OP_MUL, u->g, 1 - o->beta2), u->g));
  m = set(u, at_m, m), v = set(u, at_v, v);
  MlirValue step = scalar(u, OPTIMIZER_RATE, adam_rate), scale = scalar(u, OPTIMIZER_SCALE, adam_scale);
  MlirValue size = with(o, TCC_OP_ADD, times(o, tcc_build1(o->b, TCC_OP_SQRT, v), scale), o->eps);
  return minus(o, u->p, times(o, op2(o, TCC_OP_DIV, m, size), step));
}

static MlirValue adagrad(Update *u) {
  Optimizer *o = u->o;
  int64_t at;
  penalise(u);
  MlirValue sum = set(u, at, plus(o, state(u, "sum", &at), times(o, u->g, u->g)));
  MlirValue size = with(o, TCC_OP_ADD, tcc_build1(o->b, TCC_OP_SQRT, sum), o->eps);
  return minus(o, u->p, times(o, op2(o, TCC_OP_DIV, u->g, size), scalar(u, OPTIMIZER_RATE, adagrad_rate)));
}

static void compute(Update *u, int64_t argument) {
  Optimizer *o = u->o;
  MlirValue p = o->kind == OPTIMIZER_SGD ? sgd(u) : o->kind == OPTIMIZER_ADAGRAD ? adagrad(u) : adam(u);
  p = set(u, argument, p);
  if (o->average == 0) return;
  int64_t at;
  MlirValue mean = state(u, "ema", &at);
  set(u, at, plus(o, mean, with(o, TCC_OP_MUL, minus(o, p, mean), 1 - o->average)));
}

static void update(Optimizer *o, const OptimizerParameter *q) {
  Update u = {.o = o, .q = q, .elem = tcc_value_elem(q->value), .p = q->value, .g = q->gradient};
  compute(&u, q->argument);
}

/* ---- one function for parameters of one type ---- */

/* Whether this update may be a call: what is fused with a gradient's last op stays beside it, and a gradient that a call returns is in memory.
 * Without states an update is two or three ops. */
static bool is_callable(const Optimizer *o, const OptimizerParameter *q) {
  bool states = o->kind != OPTIMIZER_SGD || o->momentum != 0 || o->average != 0;
  return o->functions && states && mlirValueIsAOpResult(q->gradient) &&
         tcc_op_is_named(mlirOpResultGetOwner(q->gradient), "func.call");
}

static OptimizerFunction *function_for(Optimizer *o, const OptimizerParameter *q) {
  MlirType type = tcc_value_type(q->value);
  bool decays = q->decays && o->decay != 0;
  for (size_t i = 0; i < o->updaters.count; i++) {
    OptimizerFunction *f = o->updaters.data[i];
    if (mlirTypeEqual(f->type, type) && f->decays == decays) return f;
  }
  OptimizerFunction *f = TCC_NEW(o->run->scratch, OptimizerFunction);
  *f = (OptimizerFunction){.main = o, .type = type, .decays = decays};
  TCC_VEC_PUSH(o->run->scratch, &o->updaters, f);
  return f;
}

static const char *free_name(Optimizer *o) {
  for (;;) {
    const char *name = tcc_arena_printf(o->run->scratch, "update%d", o->named++);
    if (mlirOperationIsNull(tcc_module_find(o->ir, o->module, tcc_str(name)))) return name;
  }
}

/* Arguments: the parameter, its gradient, then states and scalars as the update asks for them. Results: what is new. */
static void build_function(OptimizerFunction *f, const OptimizerParameter *q) {
  Optimizer *o = f->main, inner = *o;
  MlirLocation location = o->b->location;
  MlirRegion region = mlirRegionCreate();
  MlirType both[] = {f->type, f->type};
  MlirLocation locations[] = {location, location};
  f->block = mlirBlockCreate(2, both, locations);
  mlirRegionAppendOwnedBlock(region, f->block);
  f->operands.count = 0;
  TCC_VEC_PUSH(o->run->scratch, &f->operands, ((OptimizerOperand){.value = q->value}));
  TCC_VEC_PUSH(o->run->scratch, &f->operands, ((OptimizerOperand){.value = q->gradient}));
  inner.builder = (TccBuilder){o->ir, f->block, {NULL}, location};
  inner.b = &inner.builder;
  inner.constants.data = NULL, inner.constants.count = inner.constants.capacity = 0;
  Update u = {.o = &inner,
              .f = f,
              .q = q,
              .elem = tcc_value_elem(q->value),
              .p = mlirBlockGetArgument(f->block, 0),
              .g = mlirBlockGetArgument(f->block, 1)};
  compute(&u, 0);
  f->name = free_name(o);
  if (o->failed) return mlirRegionDestroy(region);
  mlirBlockAppendOwnedOperation(f->block, tcc_make_return(o->ir, location, f->returned.count, f->returned.data));
  mlirBlockAppendOwnedOperation(tcc_func_body(o->module), tcc_make_function(o->ir, f->name, TCC_KERNEL_NONE, location, region));
}

static void call(OptimizerFunction *f, const OptimizerParameter *q) {
  Optimizer *o = f->main;
  TccArena *arena = o->run->scratch;
  if (!f->name) build_function(f, q);
  if (o->failed) return;
  size_t noperands = f->operands.count, nresults = f->results.count;
  MlirValue *operands = TCC_NEW_ARRAY(arena, MlirValue, noperands);
  MlirType *types = TCC_NEW_ARRAY(arena, MlirType, nresults);
  int64_t *arguments = TCC_NEW_ARRAY(arena, int64_t, noperands); /* of @main */
  for (size_t i = 0; i < noperands; i++)
    operands[i] = f->operands.data[i].state ? state_of(o, q, f->operands.data[i].state, &arguments[i]) : f->operands.data[i].value;
  operands[0] = q->value, operands[1] = q->gradient, arguments[0] = q->argument;
  for (size_t i = 0; i < nresults; i++) types[i] = f->type;
  MlirOperation op = tcc_make_call(o->ir, f->name, o->b->location, noperands, operands, nresults, types);
  mlirBlockInsertOwnedOperationBefore(o->b->block, o->b->before, op);
  for (size_t i = 0; i < nresults; i++)
    optimizer_result(o, arguments[f->results.data[i]], mlirOperationGetResult(op, (intptr_t)i), (MlirValue){NULL});
}

static void update_all(Optimizer *o) {
  size_t count = o->parameters.count;
  OptimizerFunction **functions = TCC_NEW_ARRAY(o->run->scratch, OptimizerFunction *, count);
  for (size_t i = 0; i < count; i++) {
    if (!is_callable(o, &o->parameters.data[i])) continue;
    functions[i] = function_for(o, &o->parameters.data[i]);
    functions[i]->users++;
  }
  for (size_t i = 0; i < count && !o->failed; i++)
    if (functions[i] && functions[i]->users > 1) call(functions[i], &o->parameters.data[i]);
    else update(o, &o->parameters.data[i]);
}

/* ---- gradients before they are used ---- */

/* The mean of this gradient and of those kept from the calls before. */
static void accumulate(Optimizer *o, OptimizerParameter *q) {
  int64_t at;
  const char *name = tcc_arena_printf(o->run->scratch, "%s:gradient", q->name);
  MlirValue sum = plus(o, optimizer_state(o, name, tcc_value_type(q->value), &at), q->gradient);
  MlirValue zero = tcc_build_scalar(o->b, tcc_value_elem(q->value), 0);
  optimizer_result(o, at, tcc_build_select(o->b, o->updates, zero, sum), o->finite);
  q->gradient = with(o, TCC_OP_MUL, sum, 1.0 / o->accumulate);
}

static MlirValue square_sum(Optimizer *o, MlirValue g) {
  int64_t axes[TCC_MAX_RANK];
  int rank = tcc_type_rank(tcc_value_type(g));
  for (int i = 0; i < rank; i++) axes[i] = i;
  return tcc_build_convert(o->b, tcc_build_reduce(o->b, "sum", times(o, g, g), axes, (size_t)rank, false), TCC_ELEM_F64);
}

MlirValue optimizer_square_sum(Optimizer *o) {
  MlirValue sum = constant(o, 0);
  for (size_t i = 0; i < o->parameters.count; i++) sum = plus(o, sum, square_sum(o, o->parameters.data[i].gradient));
  return sum;
}

/* All gradients by one factor, so that the root of the sum of their squares is clip_norm at most (Pascanu, Mikolov and Bengio 2013). */
static void clip_norm(Optimizer *o) {
  MlirValue norm = tcc_build1(o->b, TCC_OP_SQRT, optimizer_square_sum(o));
  MlirValue factor = with(o, TCC_OP_MIN, op2(o, TCC_OP_DIV, constant(o, o->clip_norm), with(o, TCC_OP_ADD, norm, 1e-6)), 1);
  for (size_t i = 0; i < o->parameters.count; i++) {
    MlirValue *g = &o->parameters.data[i].gradient;
    *g = times(o, *g, tcc_build_convert(o->b, factor, tcc_value_elem(*g)));
  }
  if (norm.ptr) tcc_ports_add_result(&o->ports, tcc_str("grad_norm"), tcc_build_convert(o->b, norm, TCC_ELEM_F32), -1);
}

static void clip_value(Optimizer *o) {
  for (size_t i = 0; i < o->parameters.count; i++) {
    MlirValue *g = &o->parameters.data[i].gradient;
    *g = with(o, TCC_OP_MIN, with(o, TCC_OP_MAX, *g, -o->clip_value), o->clip_value);
  }
}

/* "step" counts calls; with accumulation an update is the last of `accumulate` of them. */
static void count(Optimizer *o) {
  int64_t at;
  MlirValue done = optimizer_state(o, "step", tcc_tensor_type(o->ir, TCC_ELEM_I64, 0, NULL), &at);
  MlirValue calls = plus(o, done, tcc_build_scalar_i64(o->b, TCC_ELEM_I64, 1)), number = calls;
  if (o->accumulate > 1) {
    MlirValue each = tcc_build_scalar_i64(o->b, TCC_ELEM_I64, o->accumulate);
    number = op2(o, TCC_OP_DIV, calls, each);
    o->updates = tcc_build_compare(o->b, "eq", op2(o, TCC_OP_MOD, calls, each), tcc_build_scalar_i64(o->b, TCC_ELEM_I64, 0));
  }
  o->changes = optimizer_both(o, o->updates, o->finite);
  optimizer_result(o, at, calls, o->finite);
  o->number = tcc_build_convert(o->b, number, TCC_ELEM_F64);
  o->now = rate(o);
}

void optimizer_update(Optimizer *o) {
  count(o);
  for (size_t i = 0; i < o->parameters.count && o->accumulate > 1; i++) accumulate(o, &o->parameters.data[i]);
  if (o->clip_norm > 0) clip_norm(o);
  if (o->clip_value > 0) clip_value(o);
  update_all(o);
}
