/* ops_attn_lstm.c - onnxruntime's AttnLSTM: an LSTM that reads, beside its input, what an attention over a memory gave for its last state (Bahdanau,
 * Cho and Bengio, ICLR 2015; the wrapper is TensorFlow's AttentionWrapper).
 *
 * A step is tcc.lstm over a sequence of one, in a loop of the run-time; its weights, biases, peepholes and functions are that op's. A state stays as it is
 * once its sequence has ended. Backwards, each sequence is turned around in front of the loop, and its results behind it. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { X, W, R, B, LENGTHS, H0, C0, P, QUERY, MEMORY, SCORE, VALUES, MEMORY_LENGTHS, LAYER, INPUTS };

/* A direction; null values are absent. */
typedef struct {
  ImportCall *c;
  TccElem elem;
  int64_t hidden;
  size_t directions, which;
  bool backwards;
  const TccExpr *steps, *batch, *memory, *attention; /* attention: what the attention gives, for an element of the batch */
  MlirValue x, lengths;                              /* [S, B, I], turned around if backwards; i64 [B] */
  MlirValue w, r, b, p, query, score, layer; /* of this direction: [1, ...] of tcc.lstm; matrices and a vector of the attention */
  MlirValue keys, values, held;              /* [B, M, A], [B, M, D]; bool [B, M] */
} Attn;

static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }

static MlirValue matmul(ImportCall *c, MlirValue a, MlirValue b) {
  MlirValue operands[] = {a, b};
  return a.ptr && b.ptr ? import_op(c, TCC_OP_MATMUL, operands, 2, NULL, 0) : (MlirValue){NULL};
}

/* An input's part for the direction, with its axis of directions or without. */
static MlirValue part(const Attn *a, size_t input, bool with_axis) {
  ImportCall *c = a->c;
  if (!import_has_input(c, input)) return (MlirValue){NULL};
  MlirValue x = tcc_build_slice_axis(&c->b, import_input(c, input), 0, import_size(c, (int64_t)a->which), 1, import_size(c, 1));
  return with_axis ? x : tcc_build_squeeze(&c->b, x, 0);
}

/* x [S, B, n] with each sequence turned around. */
static MlirValue turned(const Attn *a, MlirValue x) {
  ImportCall *c = a->c;
  ImportShape shape = import_shape(c, x);
  MlirValue step = import_unsqueeze(c, import_iota(c, TCC_ELEM_I64, a->steps), 1);
  MlirValue back = tcc_build2_number(&c->b, TCC_OP_SUB, tcc_build2(&c->b, TCC_OP_SUB, a->lengths, step), 1);
  MlirValue at = tcc_build_select(&c->b, tcc_build_compare(&c->b, "lt", step, a->lengths), back, step);
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 0)};
  MlirValue operands[] = {x, tcc_build_broadcast(&c->b, import_unsqueeze(c, at, 2), 3, shape.dims)};
  return x.ptr && operands[1].ptr ? import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1) : (MlirValue){NULL};
}

/* What the attention gives for states h [B, H]. */
static MlirValue attend(const Attn *a, MlirValue h) {
  ImportCall *c = a->c;
  const int64_t last = 2;
  MlirValue asked = import_unsqueeze(c, matmul(c, h, a->query), 1);
  MlirValue x = tcc_build1(&c->b, TCC_OP_TANH, tcc_build2(&c->b, TCC_OP_ADD, a->keys, asked));
  x = tcc_build_reduce(&c->b, "sum", tcc_build2(&c->b, TCC_OP_MUL, x, a->score), &last, 1, false);
  if (a->held.ptr) x = tcc_build_select(&c->b, a->held, x, tcc_build_scalar(&c->b, a->elem, -INFINITY));
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  x = x.ptr ? import_op(c, TCC_OP_SOFTMAX, &x, 1, &axis, 1) : x;
  MlirValue context = tcc_build_squeeze(&c->b, matmul(c, import_unsqueeze(c, x, 1), a->values), 1), both[] = {h, context};
  return a->layer.ptr && context.ptr ? matmul(c, tcc_build_concat(&c->b, both, 2, 1), a->layer) : context;
}

/* tcc.lstm over x [1, B, n] from h and c [1, B, H] on: the same behind it. */
static bool cell(const Attn *a, MlirValue x, MlirValue *h, MlirValue *state) {
  ImportCall *c = a->c;
  TccText activations = {0};
  MlirValue operands[] = {x, a->w, a->r, a->b, {NULL}, *h, *state, a->p};
  if (!onnx_activations(c, a->directions, a->which, a->which + 1, &activations)) {
    tcc_text_destroy(&activations);
    return false;
  }
  TccNamedAttr attrs[] = {{"hidden", tcc_attr_i64(c->ir, a->hidden)},
                          {"direction", tcc_attr_str(c->ir, tcc_str("forward"))},
                          {"clip", tcc_attr_f64(c->ir, onnx_float(c, "clip", 0))},
                          {"activations", tcc_attr_str(c->ir, tcc_text_str(&activations))},
                          {"input_forget", tcc_attr_bool(c->ir, onnx_int(c, "input_forget", 0) != 0)}};
  tcc_text_destroy(&activations);
  MlirValue y = x.ptr && h->ptr && state->ptr ? import_op(c, TCC_OP_LSTM, operands, 8, attrs, 5) : (MlirValue){NULL};
  if (!y.ptr) return false;
  *h = mlirOperationGetResult(tcc_value_op(y), 1);
  *state = mlirOperationGetResult(tcc_value_op(y), 2);
  return true;
}

enum { STEP, STATE_H, STATE_C, GIVEN, ROWS, CARRIED };

static bool step(const Attn *a, const MlirValue *in, MlirValue *out) {
  ImportCall *c = a->c;
  MlirValue zero = tcc_build_scalar(&c->b, a->elem, 0), h = in[STATE_H], state = in[STATE_C];
  MlirValue read[] = {tcc_build_gather(&c->b, a->x, in[STEP], 0), in[GIVEN]};
  if (!read[0].ptr || !cell(a, import_unsqueeze(c, tcc_build_concat(&c->b, read, 2, 1), 0), &h, &state)) return false;
  MlirValue live = import_unsqueeze(c, tcc_build_compare(&c->b, "lt", in[STEP], a->lengths), 1),
            flat = tcc_build_squeeze(&c->b, h, 0);
  MlirValue row[] = {in[ROWS], in[STEP], tcc_build_select(&c->b, live, flat, zero)};
  out[STEP] = tcc_build2_number(&c->b, TCC_OP_ADD, in[STEP], 1);
  out[STATE_H] = tcc_build_select(&c->b, live, h, in[STATE_H]);
  out[STATE_C] = tcc_build_select(&c->b, live, state, in[STATE_C]);
  out[GIVEN] = attend(a, flat);
  out[ROWS] = row[2].ptr ? import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, row, 3, NULL, 0) : row[2];
  for (int i = 0; i < CARRIED; i++)
    if (!out[i].ptr) return false;
  return true;
}

/* out: the states behind the last step of each sequence, and all of them. */
static bool run(const Attn *a, MlirValue *out) {
  ImportCall *c = a->c;
  const TccExpr *h = import_size(c, a->hidden), *one = import_size(c, 1), *states[] = {one, a->batch, h};
  const TccExpr *given[] = {a->batch, a->attention}, *rows[] = {a->steps, a->batch, h};
  MlirValue zero = tcc_build_scalar(&c->b, a->elem, 0), in[CARRIED], results[CARRIED];
  MlirValue initial[] = {number(c, 0), part(a, H0, true), part(a, C0, true), tcc_build_broadcast(&c->b, zero, 2, given),
                         tcc_build_broadcast(&c->b, zero, 3, rows)};
  for (int i = STATE_H; i <= STATE_C; i++)
    if (!initial[i].ptr) initial[i] = tcc_build_broadcast(&c->b, zero, 3, states);
  ImportBody body;
  for (int i = 0; i < CARRIED; i++)
    if (!initial[i].ptr) return false;
  import_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) in[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  import_uncertain(c, 1);
  bool ok = step(a, in, results);
  import_uncertain(c, -1);
  ok = ok && import_body_close(c, &body, CARRIED, initial, results, a->steps, false, out);
  if (!ok) import_body_drop(c, &body, false);
  if (ok && a->backwards) out[ROWS] = turned(a, out[ROWS]);
  return ok && out[ROWS].ptr;
}

/* ---- inputs ---- */
/* Shapes of the inputs; sizes of the attention. */
static bool read_shapes(Attn *a) {
  ImportCall *c = a->c;
  ImportShape s[INPUTS];
  static const size_t needed[] = {X, W, R, QUERY, MEMORY, SCORE, VALUES};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
    if (!import_has_input(c, needed[i])) return import_invalid(c, "input %zu is missing", needed[i]);
  for (size_t i = 0; i < INPUTS; i++) s[i] = import_shape(c, import_input(c, i));
  const TccExpr *d = import_size(c, (int64_t)a->directions), *h = import_size(c, a->hidden), *three[] = {NULL, NULL, NULL};
  if (!import_require_shape(c, &s[X], 3, three, "X")) return false;
  a->elem = s[X].elem, a->steps = s[X].dims[0], a->batch = s[X].dims[1];
  const TccExpr *values[] = {a->batch, NULL, NULL};
  if (!import_require_shape(c, &s[VALUES], 3, values, "M")) return false;
  a->memory = s[VALUES].dims[1];
  const TccExpr *depth = s[VALUES].dims[2], *memory[] = {d, depth, NULL};
  if (!import_require_shape(c, &s[MEMORY], 3, memory, "MW")) return false;
  const TccExpr *size = s[MEMORY].dims[2], *query[] = {d, h, size}, *score[] = {d, size},
                *layer[] = {d, import_size_add(c, h, depth), NULL};
  if (!import_require_shape(c, &s[QUERY], 3, query, "QW") || !import_require_shape(c, &s[SCORE], 2, score, "V")) return false;
  if (import_has_input(c, LAYER) && !import_require_shape(c, &s[LAYER], 3, layer, "AW")) return false;
  a->attention = import_has_input(c, LAYER) ? s[LAYER].dims[2] : depth;
  const TccExpr *gates = import_size(c, 4 * a->hidden), *w[] = {d, gates, import_size_add(c, s[X].dims[2], a->attention)},
                *r[] = {d, gates, h};
  const TccExpr *b[] = {d, import_size(c, 8 * a->hidden)}, *p[] = {d, import_size(c, 3 * a->hidden)}, *state[] = {d, a->batch, h};
  const struct {
    size_t input;
    int rank;
    const TccExpr *const *dims;
    const char *name;
  } all[] = {{W, 3, w, "W"},
             {R, 3, r, "R"},
             {B, 2, b, "B"},
             {P, 2, p, "P"},
             {H0, 3, state, "initial_h"},
             {C0, 3, state, "initial_c"},
             {LENGTHS, 1, &a->batch, "sequence_lens"},
             {MEMORY_LENGTHS, 1, &a->batch, "memory_seq_lens"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (import_has_input(c, all[i].input) && !import_require_shape(c, &s[all[i].input], all[i].rank, all[i].dims, all[i].name))
      return false;
  return true;
}

/* Lengths of sequences, from 1 to `most`: i64 [batch]. */
static MlirValue lengths_of(const Attn *a, size_t input, const TccExpr *most, const char *message) {
  ImportCall *c = a->c;
  const int64_t axis = 0;
  if (!import_has_input(c, input)) return tcc_build_broadcast(&c->b, tcc_build_size(&c->b, most), 1, &a->batch);
  MlirValue x = tcc_build_convert(&c->b, import_input(c, input), TCC_ELEM_I64);
  MlirValue good = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "gt", x, number(c, 0)),
                              tcc_build_compare(&c->b, "le", x, tcc_build_size(&c->b, most)));
  return import_assert(c, x, tcc_build_reduce(&c->b, "and", good, &axis, 1, false), tcc_str(message));
}

static bool read_direction(Attn *a, size_t which) {
  ImportCall *c = a->c;
  a->which = which;
  a->w = part(a, W, true), a->r = part(a, R, true), a->b = part(a, B, true), a->p = part(a, P, true);
  a->query = part(a, QUERY, false), a->score = part(a, SCORE, false), a->layer = part(a, LAYER, false);
  a->keys = matmul(c, a->values, part(a, MEMORY, false));
  a->x = a->backwards ? turned(a, import_input(c, X)) : import_input(c, X);
  return a->x.ptr && a->keys.ptr && a->query.ptr && a->score.ptr;
}

bool onnx_op_attn_lstm(ImportCall *c) {
  TccStr direction = onnx_string(c, "direction", "forward");
  const bool both = tcc_str_is(direction, "bidirectional"), back = tcc_str_is(direction, "reverse");
  Attn a = {.c = c, .directions = both ? 2 : 1, .hidden = onnx_int(c, "hidden_size", 0)};
  if (!both && !back && !tcc_str_is(direction, "forward")) return import_invalid(c, "direction '%.*s'", TCC_STR_ARG(direction));
  if (a.hidden < 1 || a.hidden > INT32_MAX / 8) return import_invalid(c, "hidden_size is %lld", (long long)a.hidden);
  if (!read_shapes(&a)) return false;
  a.lengths = lengths_of(&a, LENGTHS, a.steps, "AttnLSTM: a length of a sequence is outside of it");
  a.values = import_input(c, VALUES);
  MlirValue lengths = lengths_of(&a, MEMORY_LENGTHS, a.memory, "AttnLSTM: a length of a memory is outside of it");
  if (import_has_input(c, MEMORY_LENGTHS))
    a.held = tcc_build_compare(&c->b, "lt", import_iota(c, TCC_ELEM_I64, a.memory), import_unsqueeze(c, lengths, 1));
  MlirValue y[2], h[2], state[2];
  for (size_t d = 0; d < a.directions; d++) {
    MlirValue out[CARRIED];
    a.backwards = back || d == 1;
    if (!a.lengths.ptr || !read_direction(&a, d) || !run(&a, out)) return false;
    y[d] = import_unsqueeze(c, out[ROWS], 1), h[d] = out[STATE_H], state[d] = out[STATE_C];
  }
  MlirValue all[] = {tcc_build_concat(&c->b, y, a.directions, 1), tcc_build_concat(&c->b, h, a.directions, 0),
                     tcc_build_concat(&c->b, state, a.directions, 0)};
  for (size_t i = 0; i < 3; i++)
    if (import_has_output(c, i) && !import_output(c, i, all[i])) return false;
  return true;
}
