/* recurrent.c - expansions of LSTM, GRU and RNN, unrolled over a static sequence.
 *
 * The inputs' part of all gates is one product for the whole sequence, [T, B, I] x [gates*H, I]; a step adds the
 * product of the state. With lengths, a step beyond a row's length keeps its state and gives zero; in the reverse
 * direction this makes a row start at its last element. */
#include "passes/expand/expand.h"
#include <stdio.h>
#include <strings.h>

typedef struct {
  char name[32];
  bool has_alpha, has_beta;
  double alpha, beta;
} Activation;

typedef struct {
  TccExpand *x;
  int gates, directions, nactivations;
  int64_t hidden, steps;
  bool layout;
  double clip;
  Activation activations[6];
  const TccExpr *batch;
  MlirValue lengths; /* [B, 1] i64, or null */
} Net;

static MlirValue add(TccExpand *x, MlirValue a, MlirValue b) {
  return tcc_ex2(x, TCC_OP_ADD, a, b);
}
static MlirValue sub(TccExpand *x, MlirValue a, MlirValue b) {
  return tcc_ex2(x, TCC_OP_SUB, a, b);
}
static MlirValue mul(TccExpand *x, MlirValue a, MlirValue b) {
  return tcc_ex2(x, TCC_OP_MUL, a, b);
}

/* "sigmoid,tanh(0.5),leaky_relu(0.01,0)": one list for all directions; case and underscores do not matter */
static bool parse_activations(Net *net, TccStr text) {
  const char *at = text.data, *end = text.data + text.length;
  while (at < end) {
    if (net->nactivations == 6) return tcc_ex_fail(net->x, "has more than 6 activations");
    Activation *a = &net->activations[net->nactivations++];
    size_t n = 0;
    for (; at < end && *at != ',' && *at != '('; at++)
      if (*at != ' ' && *at != '_' && n + 1 < sizeof a->name) a->name[n++] = *at;
    if (at < end && *at == '(') {
      char inside[80];
      size_t m = 0;
      for (at++; at < end && *at != ')'; at++)
        if (m + 1 < sizeof inside) inside[m++] = *at;
      inside[m] = 0;
      const char *comma = strchr(inside, ',');
      a->has_alpha = sscanf(inside, "%lf", &a->alpha) == 1;
      a->has_beta = comma && sscanf(comma + 1, "%lf", &a->beta) == 1;
      if (at < end) at++;
    }
    if (at < end && *at == ',') at++;
  }
  return true;
}

static MlirValue below(TccExpand *x, MlirValue v, double bound, MlirValue then) {
  return tcc_ex_select(x, tcc_ex_compare(x, "lt", v, tcc_ex_scalar(x, bound)), then, v);
}

static MlirValue line(TccExpand *x, MlirValue v, double alpha, double beta) {
  return tcc_ex_plus(x, tcc_ex_times(x, v, alpha), beta);
}

/* Activations and defaults of the ONNX operators of the same names. */
static MlirValue activate(Net *net, int which, MlirValue v) {
  TccExpand *x = net->x;
  const Activation *a = &net->activations[which];
  double alpha = a->alpha, beta = a->beta;
  if (net->clip > 0) {
    v = tcc_ex2(x, TCC_OP_MAX, v, tcc_ex_scalar(x, -net->clip));
    v = tcc_ex2(x, TCC_OP_MIN, v, tcc_ex_scalar(x, net->clip));
  }
  if (!strcasecmp(a->name, "sigmoid"))
    return tcc_ex1(x, TCC_OP_RECIPROCAL, tcc_ex_plus(x, tcc_ex1(x, TCC_OP_EXP, tcc_ex1(x, TCC_OP_NEG, v)), 1));
  if (!strcasecmp(a->name, "tanh")) return tcc_ex1(x, TCC_OP_TANH, v);
  if (!strcasecmp(a->name, "relu")) return tcc_ex2(x, TCC_OP_MAX, v, tcc_ex_scalar(x, 0));
  if (!strcasecmp(a->name, "affine")) return line(x, v, a->has_alpha ? alpha : 1, beta);
  if (!strcasecmp(a->name, "leakyrelu")) return below(x, v, 0, tcc_ex_times(x, v, a->has_alpha ? alpha : 0.01));
  if (!strcasecmp(a->name, "thresholdedrelu")) {
    MlirValue above = tcc_ex_compare(x, "gt", v, tcc_ex_scalar(x, a->has_alpha ? alpha : 1));
    return tcc_ex_select(x, above, v, tcc_ex_scalar(x, 0));
  }
  if (!strcasecmp(a->name, "scaledtanh"))
    return tcc_ex_times(x, tcc_ex1(x, TCC_OP_TANH, tcc_ex_times(x, v, a->has_beta ? beta : 1)),
                        a->has_alpha ? alpha : 1);
  if (!strcasecmp(a->name, "hardsigmoid")) {
    MlirValue l = line(x, v, a->has_alpha ? alpha : 0.2, a->has_beta ? beta : 0.5);
    return tcc_ex2(x, TCC_OP_MAX, tcc_ex2(x, TCC_OP_MIN, l, tcc_ex_scalar(x, 1)), tcc_ex_scalar(x, 0));
  }
  if (!strcasecmp(a->name, "elu"))
    return below(x, v, 0, tcc_ex_times(x, tcc_ex1(x, TCC_OP_EXPM1, v), a->has_alpha ? alpha : 1));
  if (!strcasecmp(a->name, "softsign")) return tcc_ex2(x, TCC_OP_DIV, v, tcc_ex_plus(x, tcc_ex1(x, TCC_OP_ABS, v), 1));
  if (!strcasecmp(a->name, "softplus")) {
    MlirValue tail =
        tcc_ex1(x, TCC_OP_LOG1P, tcc_ex1(x, TCC_OP_EXP, tcc_ex1(x, TCC_OP_NEG, tcc_ex1(x, TCC_OP_ABS, v))));
    return add(x, tcc_ex2(x, TCC_OP_MAX, v, tcc_ex_scalar(x, 0)), tail);
  }
  tcc_ex_fail(x, "activation '%s' is not known", a->name);
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

/* What does not change from step to step: null where absent. */
typedef struct {
  MlirValue r;           /* [gates*H, H]; of a GRU the first two gates when the third is apart */
  MlirValue r_candidate; /* [H, H] of a GRU whose reset comes before the product */
  MlirValue b_candidate; /* [H]: recurrent bias of a GRU's candidate */
  MlirValue peephole[3]; /* [H]: i, o, f */
  int first_activation;
} Direction;

static MlirValue lstm_step(Net *net, const Direction *d, MlirValue in, MlirValue h, MlirValue *c) {
  TccExpand *x = net->x;
  MlirValue all = add(x, in, tcc_ex_dot(x, h, d->r, 0, 1, 1)), old = *c;
  MlirValue i = gate(net, all, 1, 0, 1), o = gate(net, all, 1, 1, 1), f = gate(net, all, 1, 2, 1),
            g = gate(net, all, 1, 3, 1);
  if (d->peephole[0].ptr) i = add(x, i, mul(x, d->peephole[0], old)), f = add(x, f, mul(x, d->peephole[2], old));
  i = activate(net, d->first_activation, i);
  if (tcc_bool(x->ir, x->op, "input_forget"))
    f = sub(x, tcc_ex_scalar(x, 1), i);
  else
    f = activate(net, d->first_activation, f);
  *c = add(x, mul(x, f, old), mul(x, i, activate(net, d->first_activation + 1, g)));
  if (d->peephole[1].ptr) o = add(x, o, mul(x, d->peephole[1], *c));
  return mul(x, activate(net, d->first_activation, o), activate_unclipped(net, d->first_activation + 2, *c));
}

static MlirValue gru_step(Net *net, const Direction *d, MlirValue in, MlirValue h) {
  TccExpand *x = net->x;
  MlirValue product = tcc_ex_dot(x, h, d->r, 0, 1, 1);
  MlirValue zr = activate(net, d->first_activation, add(x, gate(net, in, 1, 0, 2), gate(net, product, 1, 0, 2)));
  MlirValue z = gate(net, zr, 1, 0, 1), reset = gate(net, zr, 1, 1, 1), rest;
  if (d->r_candidate.ptr) {
    rest = tcc_ex_dot(x, mul(x, reset, h), d->r_candidate, 0, 1, 1);
    if (d->b_candidate.ptr) rest = add(x, rest, d->b_candidate);
  } else {
    rest = gate(net, product, 1, 2, 1);
    if (d->b_candidate.ptr) rest = add(x, rest, d->b_candidate);
    rest = mul(x, reset, rest);
  }
  MlirValue candidate = activate(net, d->first_activation + 1, add(x, gate(net, in, 1, 2, 1), rest));
  return add(x, mul(x, sub(x, tcc_ex_scalar(x, 1), z), candidate), mul(x, z, h));
}

static MlirValue step(Net *net, const Direction *d, MlirValue in, MlirValue h, MlirValue *c) {
  TccExpand *x = net->x;
  if (x->kind == TCC_OP_LSTM) return lstm_step(net, d, in, h, c);
  if (x->kind == TCC_OP_GRU) return gru_step(net, d, in, h);
  return activate(net, d->first_activation, add(x, in, tcc_ex_dot(x, h, d->r, 0, 1, 1)));
}

/* [B, H]: the given state of direction d, or zeros */
static MlirValue initial_state(Net *net, int operand, int d) {
  TccExpand *x = net->x;
  MlirValue state = tcc_ex_in(x, operand);
  if (state.ptr) return tcc_ex_at(x, state, net->layout ? 1 : 0, d);
  const TccExpr *dims[2] = {net->batch, tcc_ex_const(x, net->hidden)};
  return tcc_ex_broadcast(x, tcc_ex_scalar(x, 0), 2, dims);
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
  return add(x, all, tcc_ex_concat(x, parts, 2, 0));
}

/* One direction: outputs of all steps [T, B, H] in order of time, and the last states [B, H]. */
static MlirValue run_direction(Net *net, MlirValue input, int direction, bool backwards, MlirValue *h, MlirValue *c) {
  TccExpand *x = net->x;
  Direction d = {.first_activation = direction * (net->nactivations / net->directions)};
  MlirValue w = tcc_ex_at(x, tcc_ex_in(x, 1), 0, direction), r = tcc_ex_at(x, tcc_ex_in(x, 2), 0, direction);
  MlirValue all = add_biases(net, &d, tcc_ex_dot(x, input, w, 0, 2, 1), direction);
  d.r = r;
  if (x->kind == TCC_OP_GRU && !tcc_bool(x->ir, x->op, "linear_before_reset")) {
    d.r = gate(net, r, 0, 0, 2);
    d.r_candidate = gate(net, r, 0, 2, 1);
  }
  *h = initial_state(net, 5, direction);
  if (x->kind == TCC_OP_LSTM) {
    *c = initial_state(net, 6, direction);
    MlirValue p = tcc_ex_in(x, 7);
    for (int i = 0; p.ptr && i < 3; i++) d.peephole[i] = gate(net, tcc_ex_at(x, p, 0, direction), 0, i, 1);
  }
  MlirValue *outputs = TCC_NEW_ARRAY(x->scratch, MlirValue, net->steps);
  const TccExpr *row[3] = {tcc_ex_const(x, 1), net->batch, tcc_ex_const(x, net->hidden)};
  for (int64_t n = 0; n < net->steps; n++) {
    int64_t t = backwards ? net->steps - 1 - n : n;
    MlirValue next_c = *c, next_h = step(net, &d, tcc_ex_at(x, all, 0, t), *h, &next_c), out = next_h;
    if (net->lengths.ptr) {
      MlirValue inside = tcc_ex_compare(x, "gt", net->lengths, tcc_build_scalar_i64(x->b, TCC_ELEM_I64, t));
      out = tcc_ex_select(x, inside, next_h, tcc_ex_scalar(x, 0));
      next_h = tcc_ex_select(x, inside, next_h, *h);
      if (next_c.ptr) next_c = tcc_ex_select(x, inside, next_c, *c);
    }
    *h = next_h, *c = next_c;
    outputs[t] = tcc_ex_reshape(x, out, 3, row);
    if (!outputs[t].ptr) return outputs[t];
  }
  return tcc_ex_concat(x, outputs, (size_t)net->steps, 0);
}

/* Parts of the directions as one axis of size `directions` at `axis`. */
static MlirValue join_directions(Net *net, MlirValue *parts, int axis) {
  TccExpand *x = net->x;
  for (int d = 0; d < net->directions; d++) {
    TccShape shape;
    if (!tcc_ex_shape(x, parts[d], &shape)) return (MlirValue){NULL};
    for (int i = shape.rank++; i > axis; i--) shape.dims[i] = shape.dims[i - 1];
    shape.dims[axis] = tcc_ex_const(x, 1);
    parts[d] = tcc_ex_reshape(x, parts[d], shape.rank, shape.dims);
  }
  return tcc_ex_concat(x, parts, (size_t)net->directions, axis);
}

bool tcc_expand_recurrent(TccExpand *x, MlirValue *results) {
  Net net = {.x = x, .gates = x->kind == TCC_OP_LSTM ? 4 : x->kind == TCC_OP_GRU ? 3 : 1};
  TccStr direction = tcc_string(x->ir, x->op, "direction");
  net.directions = tcc_str_is(direction, "bidirectional") ? 2 : 1;
  net.hidden = tcc_i64(x->ir, x->op, "hidden");
  net.layout = tcc_i64(x->ir, x->op, "layout") != 0;
  net.clip = tcc_f64(x->ir, x->op, "clip");
  if (!parse_activations(&net, tcc_string(x->ir, x->op, "activations"))) return false;
  int needed = net.directions * (x->kind == TCC_OP_LSTM ? 3 : x->kind == TCC_OP_GRU ? 2 : 1);
  if (net.nactivations != needed) return tcc_ex_fail(x, "has %d activations, not %d", net.nactivations, needed);
  TccShape shape;
  MlirValue input = tcc_ex_in(x, 0);
  if (net.layout) input = tcc_ex_transpose(x, input, (int64_t[]){1, 0, 2});
  if (!tcc_ex_shape(x, input, &shape) || !tcc_ex_static(x, shape.dims[0], "sequence length", &net.steps)) return false;
  if (net.steps == 0) return tcc_ex_fail(x, "has an empty sequence");
  net.batch = shape.dims[1];
  MlirValue lengths = tcc_ex_operand(x, 4);
  if (lengths.ptr) net.lengths = tcc_ex_column(x, tcc_ex_convert(x, lengths, TCC_ELEM_I64), 1);
  MlirValue y[2], h[2] = {{NULL}}, c[2] = {{NULL}};
  for (int d = 0; d < net.directions; d++) {
    y[d] = run_direction(&net, input, d, d == 1 || tcc_str_is(direction, "reverse"), &h[d], &c[d]);
    if (!y[d].ptr) return false;
  }
  results[0] = join_directions(&net, y, 1); /* [T, D, B, H] */
  if (net.layout) results[0] = tcc_ex_transpose(x, results[0], (int64_t[]){2, 0, 1, 3});
  results[1] = join_directions(&net, h, net.layout ? 1 : 0);
  if (x->kind == TCC_OP_LSTM) results[2] = join_directions(&net, c, net.layout ? 1 : 0);
  for (int i = 0; i < (x->kind == TCC_OP_LSTM ? 3 : 2); i++) {
    results[i] = tcc_ex_out(x, results[i]);
    if (!results[i].ptr) return false;
  }
  return true;
}
