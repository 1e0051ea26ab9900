/* update.c - the arithmetic of optimisers: what torch.optim computes, in its order.
 *
 * Kingma and Ba 2015 (Adam), Loshchilov and Hutter 2019 (AdamW), Duchi, Hazan and Singer 2011 (Adagrad), Sutskever et al. 2013
 * (Nesterov's momentum as SGD has it). Scalars that depend on the number of the step are f64: 1 - 0.999^1 has four digits in f32. */
#include "passes/optimizer/optimizer.h"

/* ---- scalars, f64 ---- */
static MlirValue constant(Optimizer *o, double value) { return tcc_build_scalar(o->b, TCC_ELEM_F64, value); }
static MlirValue op2(Optimizer *o, TccOpKind kind, MlirValue a, MlirValue b) { return tcc_build2(o->b, kind, a, b); }
static MlirValue with(Optimizer *o, TccOpKind kind, MlirValue a, double b) { return tcc_build2_number(o->b, kind, a, b); }
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
  Optimizer *o;
  const OptimizerParameter *q;
  TccElem elem;
  MlirValue p, g;
} Update;

static MlirValue narrow(Update *u, MlirValue scalar) { return tcc_build_convert(u->o->b, scalar, u->elem); }

/* A state of the parameter's shape. */
static MlirValue state(Update *u, const char *name, int64_t *out_argument) {
  const char *full = tcc_arena_printf(u->o->run->scratch, "%s:%s", u->q->name, name);
  return optimizer_state(u->o, full, tcc_value_type(u->q->value), out_argument);
}

/* The new value of what stands at `argument`, if this call changes it. What is computed of a new value is computed of what is returned: nobody
 * asks for the other one then, and an update is one pass. */
static MlirValue set(Update *u, int64_t argument, MlirValue value) {
  return optimizer_result(u->o, argument, value, u->o->changes);
}

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
  return minus(o, u->p, times(o, by, narrow(u, o->now)));
}

static MlirValue adam(Update *u) {
  Optimizer *o = u->o;
  int64_t at_m, at_v;
  if (o->kind == OPTIMIZER_ADAM) penalise(u);
  else if (decay_of(u) != 0) u->p = times(o, u->p, narrow(u, minus(o, constant(o, 1), with(o, TCC_OP_MUL, o->now, decay_of(u)))));
  MlirValue m = state(u, "exp_avg", &at_m), v = state(u, "exp_avg_sq", &at_v);
  m = plus(o, m, with(o, TCC_OP_MUL, minus(o, u->g, m), 1 - o->beta1));
  v = plus(o, with(o, TCC_OP_MUL, v, o->beta2), times(o, with(o, TCC_OP_MUL, u->g, 1 - o->beta2), u->g));
  m = set(u, at_m, m), v = set(u, at_v, v);
  MlirValue step = narrow(u, op2(o, TCC_OP_DIV, o->now, bias_correction(o, o->beta1)));
  MlirValue scale = narrow(u, tcc_build1(o->b, TCC_OP_RSQRT, bias_correction(o, o->beta2)));
  MlirValue size = with(o, TCC_OP_ADD, times(o, tcc_build1(o->b, TCC_OP_SQRT, v), scale), o->eps);
  return minus(o, u->p, times(o, op2(o, TCC_OP_DIV, m, size), step));
}

static MlirValue adagrad(Update *u) {
  Optimizer *o = u->o;
  int64_t at;
  penalise(u);
  MlirValue sum = set(u, at, plus(o, state(u, "sum", &at), times(o, u->g, u->g)));
  MlirValue slow = with(o, TCC_OP_ADD, with(o, TCC_OP_MUL, with(o, TCC_OP_SUB, o->number, 1), o->rate_decay), 1);
  MlirValue size = with(o, TCC_OP_ADD, tcc_build1(o->b, TCC_OP_SQRT, sum), o->eps);
  return minus(o, u->p, times(o, op2(o, TCC_OP_DIV, u->g, size), narrow(u, op2(o, TCC_OP_DIV, o->now, slow))));
}

static void update(Optimizer *o, const OptimizerParameter *q) {
  Update u = {o, q, tcc_value_elem(q->value), q->value, q->gradient};
  MlirValue p = o->kind == OPTIMIZER_SGD ? sgd(&u) : o->kind == OPTIMIZER_ADAGRAD ? adagrad(&u) : adam(&u);
  p = set(&u, q->argument, p);
  if (o->average == 0) return;
  int64_t at;
  MlirValue mean = state(&u, "ema", &at);
  set(&u, at, plus(o, mean, with(o, TCC_OP_MUL, minus(o, p, mean), 1 - o->average)));
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
  for (size_t i = 0; i < o->parameters.count && !o->failed; i++) update(o, &o->parameters.data[i]);
}
