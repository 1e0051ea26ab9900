/* recurrent.c - LSTM, GRU and RNN as ONNX defines them (opset 22), one direction and one batch row at a time.
 *
 * Gates: LSTM i o f c, GRU z r h. Weights w [directions, gates*H, I], r [directions, gates*H, H], b [directions,
 * 2*gates*H] (w's bias, then r's), peepholes [directions, 3*H] (i o f). A row shorter than the longest sequence ends
 * with its own length: later outputs are zero; the reverse direction starts at its last element. */
#include "lib/interp/internal.h"
#include "lib/ir/activation.h"
#include "tcc/op_kinds.h"
#include <inttypes.h>
#include <math.h>

typedef struct {
  TccOpKind kind;
  int gates, directions, nactivations;
  int64_t hidden, inputs, steps, batch;
  bool layout, input_forget, linear_before_reset;
  double clip;
  TccActivation activations[TCC_MOST_ACTIVATIONS];
  const TccArray *x, *w, *r, *b, *lengths, *h0, *c0, *p;
  TccArray *y, *h, *c;
} Net;

static double activate(const TccActivation *a, double x) {
  switch (a->kind) {
  case TCC_ACTIVATION_SIGMOID: return 1 / (1 + exp(-x));
  case TCC_ACTIVATION_TANH: return tanh(x);
  case TCC_ACTIVATION_RELU: return x < 0 ? 0 : x;
  case TCC_ACTIVATION_AFFINE: return a->alpha * x + a->beta;
  case TCC_ACTIVATION_LEAKY_RELU: return x < 0 ? a->alpha * x : x;
  case TCC_ACTIVATION_THRESHOLDED_RELU: return x > a->alpha ? x : 0;
  case TCC_ACTIVATION_SCALED_TANH: return a->alpha * tanh(a->beta * x);
  case TCC_ACTIVATION_HARD_SIGMOID: return fmax(0, fmin(1, a->alpha * x + a->beta));
  case TCC_ACTIVATION_ELU: return x < 0 ? a->alpha * expm1(x) : x;
  case TCC_ACTIVATION_SOFTSIGN: return x / (1 + fabs(x));
  case TCC_ACTIVATION_SOFTPLUS: return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
  case TCC_ACTIVATION_COUNT: break;
  }
  return x;
}

static double clipped(const Net *net, double x) { return net->clip > 0 ? fmax(-net->clip, fmin(net->clip, x)) : x; }

/* sum over a row of weights */
static double dot(const TccCell *weights, const double *x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += weights[i].f * x[i];
  return sum;
}

/* One step of direction d: h and c are read and overwritten; x is the input row. gate and next: scratch. */
static void step(const Net *net, int d, const double *x, double *h, double *c, double *gate, double *next) {
  int64_t H = net->hidden, rows = net->gates * H;
  const TccActivation *f = &net->activations[d * (net->nactivations / net->directions)];
  const TccCell *w = net->w->at + d * rows * net->inputs, *r = net->r->at + d * rows * H;
  const TccCell *b = net->b ? net->b->at + d * 2 * rows : NULL, *p = net->p ? net->p->at + d * 3 * H : NULL;
  double *recurrent = gate + rows; /* r h + rb, kept apart for the GRU's candidate */
  for (int64_t i = 0; i < rows; i++) {
    gate[i] = dot(w + i * net->inputs, x, net->inputs) + (b ? b[i].f : 0);
    recurrent[i] = dot(r + i * H, h, H) + (b ? b[rows + i].f : 0);
  }
  if (net->kind == TCC_OP_RNN) {
    for (int64_t i = 0; i < H; i++) next[i] = activate(&f[0], clipped(net, gate[i] + recurrent[i]));
    memcpy(h, next, (size_t)H * sizeof *h);
    return;
  }
  if (net->kind == TCC_OP_GRU) {
    for (int64_t i = 0; i < 2 * H; i++) gate[i] = activate(&f[0], clipped(net, gate[i] + recurrent[i]));
    const double *z = gate, *reset = gate + H;
    if (!net->linear_before_reset) { /* r_h (reset * h) */
      for (int64_t i = 0; i < H; i++) next[i] = reset[i] * h[i];
      for (int64_t i = 0; i < H; i++) recurrent[2 * H + i] = dot(r + (2 * H + i) * H, next, H) + (b ? b[rows + 2 * H + i].f : 0);
    }
    for (int64_t i = 0; i < H; i++) {
      double rest = recurrent[2 * H + i] * (net->linear_before_reset ? reset[i] : 1), candidate;
      candidate = activate(&f[1], clipped(net, gate[2 * H + i] + rest));
      next[i] = (1 - z[i]) * candidate + z[i] * h[i];
    }
    memcpy(h, next, (size_t)H * sizeof *h);
    return;
  }
  for (int64_t i = 0; i < H; i++) {
    double in = gate[i] + recurrent[i] + (p ? p[i].f * c[i] : 0),
           forget = gate[2 * H + i] + recurrent[2 * H + i] + (p ? p[2 * H + i].f * c[i] : 0);
    double out = gate[H + i] + recurrent[H + i], cell = gate[3 * H + i] + recurrent[3 * H + i], held;
    in = activate(&f[0], clipped(net, in));
    forget = activate(&f[0], clipped(net, forget));
    if (net->input_forget) forget = 1 - in;
    cell = activate(&f[1], clipped(net, cell));
    c[i] = forget * c[i] + in * cell;
    out += p ? p[H + i].f * c[i] : 0;
    out = activate(&f[0], clipped(net, out));
    held = activate(&f[2], c[i]);
    next[i] = out * held;
  }
  memcpy(h, next, (size_t)H * sizeof *h);
}

/* Row (direction d, batch b) of a state [directions, batch, H], or [batch, directions, H] under layout 1. */
static int64_t state_at(const Net *net, int d, int64_t b) {
  return (net->layout ? b * net->directions + d : d * net->batch + b) * net->hidden;
}

static TccStatus *run_row(const Net *net, int d, bool backwards, int64_t b, double *scratch) {
  int64_t H = net->hidden, length = net->lengths ? net->lengths->at[b].i : net->steps;
  double *h = scratch, *c = h + H, *next = c + H, *x = next + H, *gate = x + net->inputs;
  if (length < 0 || length > net->steps)
    return TCC_ERROR(TCC_INVALID, "sequence length %" PRId64 " of %" PRId64, length, net->steps);
  for (int64_t i = 0; i < H; i++) {
    h[i] = net->h0 ? net->h0->at[state_at(net, d, b) + i].f : 0;
    c[i] = net->c0 ? net->c0->at[state_at(net, d, b) + i].f : 0;
  }
  for (int64_t n = 0; n < length; n++) {
    int64_t t = backwards ? length - 1 - n : n;
    const TccCell *from = net->x->at + (net->layout ? b * net->steps + t : t * net->batch + b) * net->inputs;
    for (int64_t i = 0; i < net->inputs; i++) x[i] = from[i].f;
    step(net, d, x, h, c, gate, next);
    int64_t at = net->layout ? ((b * net->steps + t) * net->directions + d) * H : ((t * net->directions + d) * net->batch + b) * H;
    for (int64_t i = 0; i < H; i++) net->y->at[at + i].f = h[i];
  }
  for (int64_t i = 0; i < H; i++) {
    net->h->at[state_at(net, d, b) + i].f = h[i];
    if (net->c) net->c->at[state_at(net, d, b) + i].f = c[i];
  }
  return NULL;
}

static bool has_count(const TccArray *array, int64_t count) { return !array || array->count == count; }

TccStatus *tcc_eval_recurrent(TccEval *e) {
  Net net = {.kind = e->kind, .x = e->in[0], .w = e->in[1], .r = e->in[2], .b = e->in[3], .lengths = e->in[4], .h0 = e->in[5]};
  bool lstm = e->kind == TCC_OP_LSTM, gru = e->kind == TCC_OP_GRU;
  net.gates = lstm ? 4 : gru ? 3 : 1;
  net.directions = tcc_eval_str_is(e, "direction", "bidirectional") ? 2 : 1;
  net.hidden = tcc_i64(e->ir, e->op, "hidden");
  net.layout = tcc_i64(e->ir, e->op, "layout") != 0;
  net.clip = tcc_f64(e->ir, e->op, "clip");
  net.y = e->out[0], net.h = e->out[1];
  if (lstm) net.c0 = e->in[6], net.p = e->in[7], net.c = e->out[2], net.input_forget = tcc_bool(e->ir, e->op, "input_forget");
  if (gru) net.linear_before_reset = tcc_bool(e->ir, e->op, "linear_before_reset");
  net.steps = net.x->dims[net.layout ? 1 : 0], net.batch = net.x->dims[net.layout ? 0 : 1], net.inputs = net.x->dims[2];
  const char *why = tcc_activations_read(e->ir->arena, tcc_string(e->ir, e->op, "activations"), net.activations, &net.nactivations);
  if (why) return TCC_ERROR(TCC_INVALID, "%s", why);
  int64_t H = net.hidden, D = net.directions, rows = net.gates * H;
  if (net.nactivations != D * (lstm ? 3 : gru ? 2 : 1)) return TCC_ERROR(TCC_INVALID, "%d activations", net.nactivations);
  if (!has_count(net.w, D * rows * net.inputs) || !has_count(net.r, D * rows * H) || !has_count(net.b, D * 2 * rows) ||
      !has_count(net.lengths, net.batch) || !has_count(net.h0, D * net.batch * H) || !has_count(net.c0, D * net.batch * H) ||
      !has_count(net.p, D * 3 * H) || net.y->count != net.steps * D * net.batch * H)
    return TCC_ERROR(TCC_INVALID, "shapes do not fit");
  double *scratch = tcc_interp_scratch(e, (size_t)(3 * H + net.inputs + 2 * rows + 1) * sizeof *scratch);
  if (!scratch) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int d = 0; d < D; d++) {
    bool backwards = d == 1 || tcc_eval_str_is(e, "direction", "reverse");
    for (int64_t b = 0; b < net.batch; b++) TCC_TRY(run_row(&net, d, backwards, b, scratch));
  }
  return NULL;
}
