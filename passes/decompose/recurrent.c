/* recurrent.c - expansions of LSTM, GRU and RNN as loops over the sequence (tcc_call_loop).
 *
 *   %all = X W^T + b                                    one product for the whole sequence, [T, B, I] x [gates*H, I]
 *   %r:3 = call @steps_0(%t, %h0, %y0, %all, %R) {tcc.trips = ["T"]}
 *   @steps_0(%t, %h, %y, %all, %R): gates from %all[%t] and %h R^T; next h; y with row t = h; t + 1
 *
 * So the length may be anything, and compile time does not grow with it. One step alone is put in line. With lengths, a step
 * beyond a row's length keeps its state and gives zero; in the reverse direction this makes a row start at its last element. */
#include "lib/ir/activation.h"
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccExpand *x;
  int gates, directions, nactivations;
  int64_t hidden;
  const TccExpr *steps;
  bool layout;
  double clip;
  TccActivation activations[TCC_MOST_ACTIVATIONS];
  const TccExpr *batch;
  MlirValue lengths; /* [B, 1] i64, or null */
} Net;

static MlirValue add(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_ADD, a, b); }
static MlirValue sub(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_SUB, a, b); }
static MlirValue mul(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_MUL, a, b); }

static MlirValue below(TccExpand *x, MlirValue v, double bound, MlirValue then) {
  return tcc_build_select(x->b, tcc_build_compare(x->b, "lt", v, tcc_ex_scalar(x, bound)), then, v);
}

static MlirValue line(TccExpand *x, MlirValue v, double alpha, double beta) {
  return tcc_ex_plus(x, tcc_ex_times(x, v, alpha), beta);
}

/* Activations and defaults of the ONNX operators of the same names. */
static MlirValue activate(Net *net, int which, MlirValue v) {
  TccExpand *x = net->x;
  const TccActivation *a = &net->activations[which];
  if (net->clip > 0) {
    v = tcc_build2(x->b, TCC_OP_MAX, v, tcc_ex_scalar(x, -net->clip));
    v = tcc_build2(x->b, TCC_OP_MIN, v, tcc_ex_scalar(x, net->clip));
  }
  switch (a->kind) {
  case TCC_ACTIVATION_SIGMOID:
    return tcc_build1(x->b, TCC_OP_RECIPROCAL, tcc_ex_plus(x, tcc_build1(x->b, TCC_OP_EXP, tcc_build1(x->b, TCC_OP_NEG, v)), 1));
  case TCC_ACTIVATION_TANH: return tcc_build1(x->b, TCC_OP_TANH, v);
  case TCC_ACTIVATION_RELU: return tcc_build2(x->b, TCC_OP_MAX, v, tcc_ex_scalar(x, 0));
  case TCC_ACTIVATION_AFFINE: return line(x, v, a->alpha, a->beta);
  case TCC_ACTIVATION_LEAKY_RELU: return below(x, v, 0, tcc_ex_times(x, v, a->alpha));
  case TCC_ACTIVATION_THRESHOLDED_RELU: {
    MlirValue above = tcc_build_compare(x->b, "gt", v, tcc_ex_scalar(x, a->alpha));
    return tcc_build_select(x->b, above, v, tcc_ex_scalar(x, 0));
  }
  case TCC_ACTIVATION_SCALED_TANH: return tcc_ex_times(x, tcc_build1(x->b, TCC_OP_TANH, tcc_ex_times(x, v, a->beta)), a->alpha);
  case TCC_ACTIVATION_HARD_SIGMOID: {
    MlirValue l = line(x, v, a->alpha, a->beta);
    return tcc_build2(x->b, TCC_OP_MAX, tcc_build2(x->b, TCC_OP_MIN, l, tcc_ex_scalar(x, 1)), tcc_ex_scalar(x, 0));
  }
  case TCC_ACTIVATION_ELU: return below(x, v, 0, tcc_ex_times(x, tcc_build1(x->b, TCC_OP_EXPM1, v), a->alpha));
  case TCC_ACTIVATION_SOFTSIGN: return tcc_build2(x->b, TCC_OP_DIV, v, tcc_ex_plus(x, tcc_build1(x->b, TCC_OP_ABS, v), 1));
  case TCC_ACTIVATION_SOFTPLUS: {
    MlirValue tail =
        tcc_build1(x->b, TCC_OP_LOG1P, tcc_build1(x->b, TCC_OP_EXP, tcc_build1(x->b, TCC_OP_NEG, tcc_build1(x->b, TCC_OP_ABS, v))));
    return add(x, tcc_build2(x->b, TCC_OP_MAX, v, tcc_ex_scalar(x, 0)), tail);
  }
  case TCC_ACTIVATION_COUNT: break;
  }
  return (MlirValue){NULL};
}

/* Without the clip, for the output of an LSTM cell. */
static MlirValue activate_unclipped(Net *net, int which, MlirValue v) {
  double clip = net->clip;
  net->clip = 0;
  v = activate(net, which, v);
  net->clip = clip;
  return v;
}

/* Columns [index*H, index*H + count*H) of the last axis. */
static MlirValue gate(Net *net, MlirValue v, int axis, int index, int count) {
  return tcc_ex_slice(net->x, v, axis, index * net->hidden, 1, tcc_ex_const(net->x, count * net->hidden));
}

/* Weights [rows, H], or what makes them: (v - zero) * scale with v in bytes, then transposed. Null where absent. */
typedef struct {
  MlirValue v, zero, scale;
  bool transposed;
} Matrix;

/* What does not change from step to step: null where absent. */
typedef struct {
  Matrix r;              /* [gates*H, H]; of a GRU the first two gates when the third is apart */
  Matrix r_candidate;    /* [H, H] of a GRU whose reset comes before the product */
  MlirValue b_candidate; /* [H]: recurrent bias of a GRU's candidate */
  MlirValue peephole[3]; /* [H]: i, o, f */
  int first_activation;
} Direction;

/* The inputs' part of the gates, [T, B, gates*H], and a scalar: which step of them; null: the only one. */
typedef struct {
  MlirValue all, step;
} In;

/* Gates [index, index + count) of a step: the slice is a view, so a kernel that adds the rest to it reads it where it lies. */
static MlirValue of_input(Net *net, const In *in, int index, int count) {
  MlirValue gates = gate(net, in->all, 2, index, count);
  return in->step.ptr ? tcc_build_gather(net->x->b, gates, in->step, 0) : tcc_ex_at(net->x, gates, 0, 0);
}

/* h R^T. A step reads all of R for a few rows, so bytes become floats where they are read (tcc-fuse-weight-dequant). */
static MlirValue times_matrix(TccExpand *x, MlirValue h, const Matrix *r) {
  MlirValue w = r->v;
  if (r->scale.ptr) w = tcc_build_convert(x->b, w, TCC_ELEM_F32);
  if (r->zero.ptr) w = sub(x, w, r->zero);
  if (r->scale.ptr) w = mul(x, w, r->scale);
  return tcc_ex_dot(x, h, w, 0, 1, r->transposed ? 0 : 1);
}

static MlirValue lstm_step(Net *net, const Direction *d, const In *in, MlirValue h, MlirValue *c) {
  TccExpand *x = net->x;
  MlirValue product = times_matrix(x, h, &d->r), old = *c, sum[4];
  if (!in->step.ptr) product = add(x, product, tcc_ex_at(x, in->all, 0, 0)); /* all gates in the product's own kernel */
  for (int k = 0; k < 4; k++)
    sum[k] = in->step.ptr ? add(x, of_input(net, in, k, 1), gate(net, product, 1, k, 1)) : gate(net, product, 1, k, 1);
  MlirValue i = sum[0], o = sum[1], f = sum[2], g = sum[3];
  if (d->peephole[0].ptr) i = add(x, i, mul(x, d->peephole[0], old)), f = add(x, f, mul(x, d->peephole[2], old));
  i = activate(net, d->first_activation, i);
  if (tcc_bool(x->ir, x->op, "input_forget")) f = sub(x, tcc_ex_scalar(x, 1), i);
  else f = activate(net, d->first_activation, f);
  *c = add(x, mul(x, f, old), mul(x, i, activate(net, d->first_activation + 1, g)));
  if (d->peephole[1].ptr) o = add(x, o, mul(x, d->peephole[1], *c));
  return mul(x, activate(net, d->first_activation, o), activate_unclipped(net, d->first_activation + 2, *c));
}

static MlirValue gru_step(Net *net, const Direction *d, const In *in, MlirValue h) {
  TccExpand *x = net->x;
  MlirValue product = times_matrix(x, h, &d->r);
  MlirValue zr = activate(net, d->first_activation, add(x, of_input(net, in, 0, 2), gate(net, product, 1, 0, 2)));
  MlirValue z = gate(net, zr, 1, 0, 1), reset = gate(net, zr, 1, 1, 1), rest;
  if (d->r_candidate.v.ptr) {
    rest = times_matrix(x, mul(x, reset, h), &d->r_candidate);
    if (d->b_candidate.ptr) rest = add(x, rest, d->b_candidate);
  } else {
    rest = gate(net, product, 1, 2, 1);
    if (d->b_candidate.ptr) rest = add(x, rest, d->b_candidate);
    rest = mul(x, reset, rest);
  }
  MlirValue candidate = activate(net, d->first_activation + 1, add(x, of_input(net, in, 2, 1), rest));
  return add(x, mul(x, sub(x, tcc_ex_scalar(x, 1), z), candidate), mul(x, z, h));
}

static MlirValue step(Net *net, const Direction *d, const In *in, MlirValue h, MlirValue *c) {
  TccExpand *x = net->x;
  if (x->kind == TCC_OP_LSTM) return lstm_step(net, d, in, h, c);
  if (x->kind == TCC_OP_GRU) return gru_step(net, d, in, h);
  return activate(net, d->first_activation, add(x, of_input(net, in, 0, 1), times_matrix(x, h, &d->r)));
}

/* [B, H]: the given state of direction d, or zeros */
static MlirValue initial_state(Net *net, int operand, int d) {
  TccExpand *x = net->x;
  MlirValue state = tcc_ex_in(x, operand);
  if (state.ptr) return tcc_ex_at(x, state, net->layout ? 1 : 0, d);
  const TccExpr *dims[2] = {net->batch, tcc_ex_const(x, net->hidden)};
  return tcc_build_broadcast(x->b, tcc_ex_scalar(x, 0), 2, dims);
}

/* Adds what of the biases is the same at every step to the inputs' part; leaves the rest in d. */
static MlirValue add_biases(Net *net, Direction *d, MlirValue all, int direction) {
  TccExpand *x = net->x;
  MlirValue b = tcc_ex_in(x, 3);
  if (!b.ptr) return all;
  b = tcc_ex_at(x, b, 0, direction);
  MlirValue of_w = gate(net, b, 0, 0, net->gates), of_r = gate(net, b, 0, net->gates, net->gates);
  if (x->kind != TCC_OP_GRU) return add(x, all, add(x, of_w, of_r));
  d->b_candidate = gate(net, of_r, 0, 2, 1);
  MlirValue parts[2] = {add(x, gate(net, of_w, 0, 0, 2), gate(net, of_r, 0, 0, 2)), gate(net, of_w, 0, 2, 1)};
  return add(x, all, tcc_build_concat(x->b, parts, 2, 0));
}

enum { STEP, OUTPUT, HIDDEN, CELL, STATES }; /* what a loop carries */

/* One step: state is read and overwritten, its output becomes that row of state[OUTPUT]. */
static void advance(Net *net, const Direction *d, MlirValue all, bool backwards, MlirValue *state) {
  TccExpand *x = net->x;
  In in = {all, state[STEP]};
  MlirValue c = state[CELL], h = step(net, d, &in, state[HIDDEN], &c), out = h;
  if (net->lengths.ptr) {
    MlirValue inside =
        tcc_build_compare(x->b, "gt", net->lengths, in.step.ptr ? in.step : tcc_build_scalar_i64(x->b, TCC_ELEM_I64, 0));
    out = tcc_build_select(x->b, inside, h, tcc_ex_scalar(x, 0));
    h = tcc_build_select(x->b, inside, h, state[HIDDEN]);
    if (c.ptr) c = tcc_build_select(x->b, inside, c, state[CELL]);
  }
  state[HIDDEN] = h;
  state[CELL] = c;
  if (!in.step.ptr) {
    const TccExpr *rows[3] = {tcc_ex_const(x, 1), net->batch, tcc_ex_const(x, net->hidden)};
    state[OUTPUT] = tcc_build_reshape(x->b, out, 3, rows);
    return;
  }
  const MlirValue row[3] = {state[OUTPUT], in.step, out};
  MlirOperation put =
      h.ptr && out.ptr ? tcc_build(x->b, TCC_OP_DYNAMIC_UPDATE_SLICE, row, 3, NULL, 0, NULL) : (MlirOperation){NULL};
  state[OUTPUT] = mlirOperationIsNull(put) ? (MlirValue){NULL} : mlirOperationGetResult(put, 0);
  state[STEP] = add(x, in.step, tcc_build_scalar_i64(x->b, TCC_ELEM_I64, backwards ? -1 : 1));
}

/* A name that no function of the module has. */
static const char *loop_name(TccExpand *x, MlirOperation module) {
  for (int i = 0;; i++) {
    const char *name = tcc_arena_printf(x->ir->arena, "steps_%d", i);
    if (mlirOperationIsNull(tcc_module_find(x->ir, module, tcc_str(name)))) return name;
  }
}

/* All steps as a loop in front of the composite; state: what it begins with, then what it ends with. */
static void loop_steps(Net *net, const Direction *d, MlirValue all, bool backwards, MlirValue *state, size_t carried) {
  TccExpand *x = net->x;
  MlirOperation function, caller = mlirOperationGetParentOperation(x->op), module = mlirOperationGetParentOperation(caller);
  MlirLocation location = mlirOperationGetLocation(x->op);
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  TccBuilder *outside = x->b, inside = {x->ir, body, {NULL}, location};
  MlirValue now[STATES] = {{NULL}};
  bool ok = true;
  for (size_t i = 0; i < carried; i++) now[i] = mlirBlockAddArgument(body, tcc_value_type(state[i]), location);
  x->b = &inside;
  advance(net, d, all, backwards, now);
  for (size_t i = 0; i < carried; i++) {
    ok = ok && now[i].ptr;
    if (ok && !mlirTypeEqual(tcc_value_type(now[i]), tcc_value_type(state[i]))) { /* equal sizes, spelled differently */
      TccShape shape;
      ok = tcc_ex_shape(x, state[i], &shape);
      now[i] = tcc_build_reshape(x->b, now[i], shape.rank, shape.dims);
      ok = ok && now[i].ptr;
    }
  }
  x->b = outside;
  if (!ok) {
    mlirBlockDestroy(body);
    state[OUTPUT] = (MlirValue){NULL};
    return;
  }
  MlirOperation call =
      tcc_make_loop(x->ir, loop_name(x, module), location, body, carried, state, now, net->steps, false, &function);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(caller), caller, function);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(x->op), x->op, call);
  for (size_t i = 0; i < carried; i++) state[i] = mlirOperationGetResult(call, (intptr_t)i);
}

/* Outputs of all steps [T, B, H] in order of time; h and c: the first state, then the last. */
static MlirValue run_steps(Net *net, const Direction *d, MlirValue all, bool backwards, MlirValue *h, MlirValue *c) {
  TccExpand *x = net->x;
  const TccExpr *rows[3] = {net->steps, net->batch, tcc_ex_const(x, net->hidden)}, *one = tcc_ex_const(x, 1);
  MlirValue state[STATES] = {[HIDDEN] = *h, [CELL] = *c};
  if (!all.ptr || !h->ptr) return (MlirValue){NULL};
  if (net->steps == one) {
    advance(net, d, all, backwards, state);
  } else {
    state[STEP] = backwards ? tcc_ex_size(x, tcc_expr_sub(x->ir->exprs, net->steps, one), TCC_ELEM_I64)
                            : tcc_build_scalar_i64(x->b, TCC_ELEM_I64, 0);
    state[OUTPUT] = tcc_build_broadcast(x->b, tcc_ex_scalar(x, 0), 3, rows);
    if (!state[STEP].ptr || !state[OUTPUT].ptr) return (MlirValue){NULL};
    loop_steps(net, d, all, backwards, state, c->ptr ? STATES : CELL);
  }
  *h = state[HIDDEN];
  *c = state[CELL];
  return state[OUTPUT];
}

/* R of a direction: [gates*H, H], or its bytes where steps have few rows. */
static Matrix recurrent_weights(Net *net, int direction) {
  enum { FEW_ROWS = 4 };
  TccExpand *x = net->x;
  TccIr *ir = x->ir;
  MlirValue r = tcc_ex_in(x, 2), w = r, q;
  const Matrix whole = {.v = tcc_ex_at(x, r, 0, direction)};
  Matrix m = {{NULL}};
  int64_t rows;
  if (!tcc_expr_is_const(net->batch, &rows) || rows > FEW_ROWS) return whole;
  const int64_t *perm;
  size_t n;
  if (tcc_value_kind(ir, w) == TCC_OP_TRANSPOSE) {
    if (!tcc_get_ints(ir, tcc_value_op(w), "perm", &perm, &n) || n != 3 || perm[0] != 0 || perm[1] != 2) return whole;
    m.transposed = true, w = mlirOperationGetOperand(tcc_value_op(w), 0);
  }
  if (tcc_value_kind(ir, w) != TCC_OP_MUL) return whole;
  MlirValue difference = mlirOperationGetOperand(tcc_value_op(w), 0),
            side[2] = {{NULL}, mlirOperationGetOperand(tcc_value_op(w), 1)};
  if (tcc_value_kind(ir, difference) == TCC_OP_SUB) {
    side[0] = mlirOperationGetOperand(tcc_value_op(difference), 1);
    difference = mlirOperationGetOperand(tcc_value_op(difference), 0);
  }
  if (tcc_value_kind(ir, difference) != TCC_OP_CONVERT) return whole;
  q = mlirOperationGetOperand(tcc_value_op(difference), 0);
  if (tcc_elem_bits(tcc_type_elem(tcc_value_type(q))) != 8 || !tcc_type_same_shape(ir, tcc_value_type(q), tcc_value_type(w)))
    return whole;
  for (int i = 0; i < 2; i++) { /* of each direction, or of each of its rows */
    if (!side[i].ptr) continue;
    if (tcc_type_rank(tcc_value_type(side[i])) != 3) return whole;
    side[i] = tcc_ex_at(x, side[i], 0, tcc_type_dim(ir, tcc_value_type(side[i]), 0) == tcc_ex_const(x, 1) ? 0 : direction);
  }
  m.v = tcc_ex_at(x, q, 0, direction), m.zero = side[0], m.scale = side[1];
  return m;
}

/* Gates [index, index + count) of R. */
static Matrix gates_of(Net *net, const Matrix *r, int index, int count) {
  Matrix m = *r;
  MlirValue *parts[] = {&m.v, &m.zero, &m.scale};
  int axis = r->transposed ? 1 : 0;
  for (int i = 0; i < 3; i++)
    if (parts[i]->ptr && tcc_type_dim(net->x->ir, tcc_value_type(*parts[i]), axis) != tcc_ex_const(net->x, 1))
      *parts[i] = gate(net, *parts[i], axis, index, count);
  return m;
}

/* One direction: outputs of all steps [T, B, H] in order of time, and the last states [B, H]. */
static MlirValue run_direction(Net *net, MlirValue input, int direction, bool backwards, MlirValue *h, MlirValue *c) {
  TccExpand *x = net->x;
  Direction d = {.first_activation = direction * (net->nactivations / net->directions)};
  MlirValue w = tcc_ex_at(x, tcc_ex_in(x, 1), 0, direction);
  Matrix r = recurrent_weights(net, direction);
  MlirValue all = add_biases(net, &d, tcc_ex_dot(x, input, w, 0, 2, 1), direction);
  d.r = r;
  if (x->kind == TCC_OP_GRU && !tcc_bool(x->ir, x->op, "linear_before_reset")) {
    d.r = gates_of(net, &r, 0, 2);
    d.r_candidate = gates_of(net, &r, 2, 1);
  }
  *h = initial_state(net, 5, direction);
  if (x->kind == TCC_OP_LSTM) {
    *c = initial_state(net, 6, direction);
    MlirValue p = tcc_ex_in(x, 7);
    for (int i = 0; p.ptr && i < 3; i++) d.peephole[i] = gate(net, tcc_ex_at(x, p, 0, direction), 0, i, 1);
  }
  return run_steps(net, &d, all, backwards, h, c);
}

/* Parts of the directions as one axis of size `directions` at `axis`. */
static MlirValue join_directions(Net *net, MlirValue *parts, int axis) {
  TccExpand *x = net->x;
  for (int d = 0; d < net->directions; d++) {
    TccShape shape;
    if (!tcc_ex_shape(x, parts[d], &shape)) return (MlirValue){NULL};
    for (int i = shape.rank++; i > axis; i--) shape.dims[i] = shape.dims[i - 1];
    shape.dims[axis] = tcc_ex_const(x, 1);
    parts[d] = tcc_build_reshape(x->b, parts[d], shape.rank, shape.dims);
  }
  return tcc_build_concat(x->b, parts, (size_t)net->directions, axis);
}

bool tcc_expand_recurrent(TccExpand *x, MlirValue *results) {
  Net net = {.x = x, .gates = x->kind == TCC_OP_LSTM ? 4 : x->kind == TCC_OP_GRU ? 3 : 1};
  TccStr direction = tcc_string(x->ir, x->op, "direction");
  net.directions = tcc_str_is(direction, "bidirectional") ? 2 : 1;
  net.hidden = tcc_i64(x->ir, x->op, "hidden");
  net.layout = tcc_i64(x->ir, x->op, "layout") != 0;
  net.clip = tcc_f64(x->ir, x->op, "clip");
  const char *why = tcc_activations_read(x->scratch, tcc_string(x->ir, x->op, "activations"), net.activations, &net.nactivations);
  if (why) return tcc_ex_fail(x, "%s", why);
  int needed = net.directions * (x->kind == TCC_OP_LSTM ? 3 : x->kind == TCC_OP_GRU ? 2 : 1);
  if (net.nactivations != needed) return tcc_ex_fail(x, "has %d activations, not %d", net.nactivations, needed);
  TccShape shape;
  MlirValue input = tcc_ex_in(x, 0);
  if (net.layout) input = tcc_build_transpose(x->b, input, (int64_t[]){1, 0, 2});
  if (!tcc_ex_shape(x, input, &shape)) return false;
  net.steps = shape.dims[0];
  net.batch = shape.dims[1];
  MlirValue lengths = tcc_ex_operand(x, 4);
  if (lengths.ptr) net.lengths = tcc_ex_column(x, tcc_build_convert(x->b, lengths, TCC_ELEM_I64), 1);
  MlirValue y[2], h[2] = {{NULL}}, c[2] = {{NULL}};
  for (int d = 0; d < net.directions; d++) {
    y[d] = run_direction(&net, input, d, d == 1 || tcc_str_is(direction, "reverse"), &h[d], &c[d]);
    if (!y[d].ptr) return false;
  }
  results[0] = join_directions(&net, y, 1); /* [T, D, B, H] */
  if (net.layout) results[0] = tcc_build_transpose(x->b, results[0], (int64_t[]){2, 0, 1, 3});
  results[1] = join_directions(&net, h, net.layout ? 1 : 0);
  if (x->kind == TCC_OP_LSTM) results[2] = join_directions(&net, c, net.layout ? 1 : 0);
  for (int i = 0; i < (x->kind == TCC_OP_LSTM ? 3 : 2); i++) {
    results[i] = tcc_ex_out(x, results[i]);
    if (!results[i].ptr) return false;
  }
  return true;
}
