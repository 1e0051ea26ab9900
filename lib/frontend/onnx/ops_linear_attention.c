/* ops_linear_attention.c - attention as a recurrence, LinearAttention and onnxruntime's GatedDeltaNet, and the convolution over time that stands in front of it in
 * such models (Mamba, Gu and Dao 2023; gated delta networks, Yang, Kautz and Hatamizadeh 2024).
 *
 * A step of LinearAttention reads and writes a state [B, H, K, V] of each head: it decays, learns what the key should have
 * given and did not (delta) or the value itself, and is asked by the queries of its group. Over a length that is not 1 the
 * steps are a loop that the run-time runs, the outputs its rows; a single one, that of decoding, stands by itself. All is
 * reckoned in f32, as the standard's function does. Sequences of different lengths, one behind the other, are one loop over all
 * tokens, each of which reads and writes the state of its own sequence. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/packed.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue none(void) { return (MlirValue){NULL}; }

/* Whether the input has this rank, a reason being given if not. */
static bool has_rank(ImportCall *c, const ImportShape *shape, int rank, const char *name) {
  return shape->rank == rank || import_invalid(c, "%s must have rank %d, not %d", name, rank, shape->rank);
}

/* ---- LinearAttention ---- */
typedef struct {
  const TccExpr *batch, *steps;
  int64_t heads, group, key, value; /* of keys and values; queries to one of them; sizes of a key and of a value */
  /* [B, T, ...] in f32: queries [H, G, K], keys and values [H, K], decay e^g [H, K or 1, 1], beta [H or 1, 1, 1] or null */
  MlirValue query, keys, values, decay, beta;
} Linear;

/* [B, T, n] of any float type to [B, T, a, b, d] in f32; d = 0: [B, T, a, b]. */
static MlirValue unpacked(ImportCall *c, const Linear *l, MlirValue x, int64_t a, int64_t b, int64_t d) {
  const TccExpr *dims[] = {l->batch, l->steps, import_size(c, a), import_size(c, b), import_size(c, d)};
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, x, TCC_ELEM_F32), d ? 5 : 4, dims);
}

/* The last size of an input of rank 3, a constant. */
static bool last_size(ImportCall *c, size_t input, const char *name, int64_t *out) {
  ImportShape shape = import_shape(c, import_input(c, input));
  if (!has_rank(c, &shape, 3, name)) return false;
  return import_fix_size(c, shape.dims[2], out);
}

static bool read_gates(ImportCall *c, bool gated, bool delta, Linear *l) {
  int64_t n;
  if (import_has_input(c, 4) != gated) return import_invalid(c, "decay must be given just where update_rule has a gate");
  if (import_has_input(c, 5) != delta) return import_invalid(c, "beta must be given just where update_rule has a delta");
  if (gated) {
    if (!last_size(c, 4, "decay", &n)) return false;
    if (n != l->heads && n != l->heads * l->key)
      return import_invalid(c, "decay must have one number a head or one an element of a key");
    l->decay = tcc_build1(&c->b, TCC_OP_EXP, unpacked(c, l, import_input(c, 4), l->heads, n / l->heads, 1));
  }
  if (delta) {
    if (!last_size(c, 5, "beta", &n)) return false;
    if (n != l->heads && n != 1) return import_invalid(c, "beta must have one number a head, or one");
    l->beta = unpacked(c, l, import_input(c, 5), n, 1, 1);
  }
  return true;
}

static bool read_linear(ImportCall *c, Linear *l) {
  int64_t q, k, v, queries = onnx_int(c, "q_num_heads", 0);
  TccStr rule = onnx_string(c, "update_rule", "gated_delta");
  bool both = tcc_str_is(rule, "gated_delta"), gated = both || tcc_str_is(rule, "gated"), delta = both || tcc_str_is(rule, "delta");
  if (!gated && !delta && !tcc_str_is(rule, "linear")) return import_invalid(c, "update_rule is '%.*s'", TCC_STR_ARG(rule));
  if (onnx_int(c, "state_window", 0)) return import_unsupported(c, "state_window");
  *l = (Linear){.heads = onnx_int(c, "kv_num_heads", 0)};
  if (!last_size(c, 0, "query", &q) || !last_size(c, 1, "key", &k) || !last_size(c, 2, "value", &v)) return false;
  if (l->heads < 1 || queries < 1 || queries % l->heads || q % queries || k % l->heads || v % l->heads ||
      q / queries != k / l->heads || q == 0 || v == 0)
    return import_invalid(c, "q_num_heads and kv_num_heads do not divide queries, keys and values");
  ImportShape x = import_shape(c, import_input(c, 0));
  l->batch = x.dims[0];
  l->steps = x.dims[1];
  l->group = queries / l->heads;
  l->key = k / l->heads;
  l->value = v / l->heads;
  double scale = onnx_float(c, "scale", 0);
  l->query = tcc_build2_number(&c->b, TCC_OP_MUL, unpacked(c, l, import_input(c, 0), l->heads, l->group, l->key),
                               scale != 0 ? scale : 1 / sqrt((double)l->key));
  l->keys = unpacked(c, l, import_input(c, 1), l->heads, l->key, 0);
  l->values = unpacked(c, l, import_input(c, 2), l->heads, 1, l->value);
  return read_gates(c, gated, delta, l) && l->query.ptr && l->keys.ptr && l->values.ptr;
}

/* The state behind step `at`, and what the queries read of it: [B, H, G, V]. */
static MlirValue one_step(ImportCall *c, const Linear *l, MlirValue at, MlirValue state, MlirValue *out_read) {
  MlirValue key = tcc_build_gather(&c->b, l->keys, at, 1), value = tcc_build_gather(&c->b, l->values, at, 1),
            row = import_unsqueeze(c, key, 2), column = import_unsqueeze(c, key, 3);
  if (l->decay.ptr) state = tcc_build2(&c->b, TCC_OP_MUL, state, tcc_build_gather(&c->b, l->decay, at, 1));
  if (l->beta.ptr) {
    value = tcc_build2(&c->b, TCC_OP_SUB, value, tcc_build2(&c->b, TCC_OP_MATMUL, row, state));
    value = tcc_build2(&c->b, TCC_OP_MUL, value, tcc_build_gather(&c->b, l->beta, at, 1));
  }
  state = tcc_build2(&c->b, TCC_OP_ADD, state, tcc_build2(&c->b, TCC_OP_MUL, column, value));
  *out_read = tcc_build2(&c->b, TCC_OP_MATMUL, tcc_build_gather(&c->b, l->query, at, 1), state);
  return state;
}

/* Of a token of sequence `owner`: the states of all of them, [sequences, H, K, V], behind it. */
static MlirValue owned_step(ImportCall *c, const Linear *l, MlirValue at, MlirValue owner, MlirValue states, MlirValue *out_read) {
  MlirValue own = import_gather_valid(c, states, owner, 0, TCC_VALID_UNSIGNED);
  own = one_step(c, l, at, import_unsqueeze(c, own, 0), out_read);
  MlirValue put[] = {states, owner, tcc_build_squeeze(&c->b, own, 0)};
  return own.ptr && put[2].ptr ? import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, put, 3, NULL, 0) : none();
}

enum { STEP, STATE, ROWS, CARRIED };

/* Gives the state behind all steps and the rows that were read, [steps, B, H, G, V]. owners: null, or of each step whose state it is. */
static bool run_steps(ImportCall *c, const Linear *l, MlirValue owners, MlirValue state, MlirValue *out) {
  MlirValue zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  if (import_is_size(l->steps, 1) && !owners.ptr) {
    out[STATE] = one_step(c, l, zero, state, &out[ROWS]);
    out[ROWS] = import_unsqueeze(c, out[ROWS], 0);
    return out[ROWS].ptr != NULL;
  }
  const TccExpr *dims[] = {l->steps, l->batch, import_size(c, l->heads), import_size(c, l->group), import_size(c, l->value)};
  MlirValue initial[CARRIED] = {zero, state, tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0), 5, dims)};
  MlirValue argument[CARRIED], results[CARRIED], read;
  if (!initial[ROWS].ptr) return false;
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) argument[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  results[STATE] =
      owners.ptr ? owned_step(c, l, argument[STEP], tcc_build_gather(&c->b, owners, argument[STEP], 0), argument[STATE], &read)
                 : one_step(c, l, argument[STEP], argument[STATE], &read);
  results[STEP] = tcc_build2(&c->b, TCC_OP_ADD, argument[STEP], tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1));
  MlirValue put[] = {argument[ROWS], argument[STEP], read};
  results[ROWS] = read.ptr ? import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, put, 3, NULL, 0) : read;
  if (results[STATE].ptr && results[ROWS].ptr && import_body_close(c, &body, CARRIED, initial, results, l->steps, false, out))
    return true;
  import_body_drop(c, &body, false);
  return false;
}

bool onnx_op_linear_attention(ImportCall *c) {
  Linear l;
  if (!import_need(c, 3) || !read_linear(c, &l)) return false;
  TccElem elem = tcc_value_elem(import_input(c, 0)), kept = import_has_input(c, 3) ? tcc_value_elem(import_input(c, 3)) : elem;
  const TccExpr *dims[] = {l.batch, import_size(c, l.heads), import_size(c, l.key), import_size(c, l.value)};
  MlirValue out[CARRIED], first = import_has_input(c, 3)
                                      ? tcc_build_convert(&c->b, import_input(c, 3), TCC_ELEM_F32)
                                      : tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0), 4, dims);
  ImportShape past = import_shape(c, first);
  if (!has_rank(c, &past, 4, "past_state")) return false;
  if (import_has_input(c, 3)) first = tcc_build_reshape(&c->b, first, 4, dims); /* its sizes are these, or it is refused */
  if (!first.ptr || !run_steps(c, &l, none(), first, out)) return false;
  const TccExpr *packed[] = {l.batch, l.steps, import_size(c, l.heads * l.group * l.value)};
  MlirValue rows = tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, out[ROWS], (int64_t[]){1, 0, 2, 3, 4}), 3, packed);
  return import_output(c, 0, tcc_build_convert(&c->b, rows, elem)) &&
         import_output(c, 1, tcc_build_convert(&c->b, out[STATE], kept));
}

/* ---- GatedDeltaNet ---- */
enum { QUERY, KEY, VALUE, ENDS, DECAY, BETA, INITIAL, A_LOG, DT_BIAS };

/* Queries, keys and values are [tokens, heads, D] or [B, S, heads, D], or side by side; heads of values share those of queries and keys, in order. */
typedef struct {
  Linear l;
  int64_t lead, shared; /* axes in front of the heads; heads of queries and keys */
  const TccExpr *sequences;
} DeltaNet;

/* Sizes of q, k and v that stand side by side: the state, [sequences, H, V, K], says how many heads there are. */
static bool read_joined_sizes(ImportCall *c, DeltaNet *d, const ImportShape *x, const ImportShape *state) {
  int64_t width;
  d->lead = x->rank - 1;
  if (!import_has_input(c, INITIAL)) return import_invalid(c, "query, key and value side by side without initial_state");
  if (!import_fix_size(c, state->dims[1], &d->l.heads) || !import_fix_size(c, state->dims[2], &d->l.value) ||
      !import_fix_size(c, state->dims[3], &d->l.key) || !import_fix_size(c, x->dims[x->rank - 1], &width))
    return false;
  const int64_t rest = width - d->l.heads * d->l.value;
  if (d->l.key < 1 || rest < 1 || rest % (2 * d->l.key))
    return import_invalid(c, "a query of %lld numbers a token does not fit initial_state", (long long)width);
  d->shared = rest / (2 * d->l.key);
  return true;
}

static bool read_apart_sizes(ImportCall *c, DeltaNet *d, const ImportShape *x) {
  ImportShape k = import_shape(c, import_input(c, KEY)), v = import_shape(c, import_input(c, VALUE));
  d->lead = x->rank - 2;
  if (!import_has_input(c, VALUE)) return import_invalid(c, "a key without a value");
  if (v.rank != x->rank || x->rank < 3) return import_invalid(c, "query, key and value must have one rank, 3 or 4");
  const TccExpr *like[] = {x->dims[0], x->dims[1], NULL, NULL};
  if (d->lead == 1) like[1] = NULL;
  return import_require_shape(c, &k, x->rank, x->dims, "key") && import_require_shape(c, &v, x->rank, like, "value") &&
         import_fix_size(c, x->dims[d->lead], &d->shared) && import_fix_size(c, x->dims[d->lead + 1], &d->l.key) &&
         import_fix_size(c, v.dims[d->lead], &d->l.heads) && import_fix_size(c, v.dims[d->lead + 1], &d->l.value);
}

/* Tokens as [B, S]; those of sequences of any lengths as one row. */
static bool read_lengths(ImportCall *c, DeltaNet *d, const ImportShape *x, const ImportShape *state) {
  ImportShape ends = import_shape(c, import_input(c, ENDS));
  const TccExpr *one = import_size(c, 1);
  d->l.batch = x->dims[0], d->l.steps = x->dims[1];
  d->sequences = d->l.batch;
  if (d->lead == 2) return !ends.rank || import_invalid(c, "cu_seqlens with a batch axis");
  if (import_has_input(c, ENDS)) {
    if (ends.rank != 1) return import_invalid(c, "cu_seqlens of rank %d", ends.rank);
    d->l.batch = one, d->l.steps = x->dims[0], d->sequences = import_size_sub(c, ends.dims[0], one);
    return true;
  }
  if (!import_has_input(c, INITIAL)) return import_invalid(c, "neither cu_seqlens nor initial_state nor a batch axis");
  d->l.batch = d->sequences = state->dims[0];
  d->l.steps = import_divide(c, x->dims[0], d->l.batch);
  return d->l.steps != NULL;
}

static bool read_delta_net(ImportCall *c, DeltaNet *d) {
  ImportShape x = import_shape(c, import_input(c, QUERY)), state = import_shape(c, import_input(c, INITIAL));
  *d = (DeltaNet){.l = {.group = 1}};
  if (import_has_input(c, INITIAL) && !has_rank(c, &state, 4, "initial_state")) return false;
  if (!(import_has_input(c, KEY) ? read_apart_sizes(c, d, &x) : read_joined_sizes(c, d, &x, &state))) return false;
  if (d->lead != 1 && d->lead != 2) return import_invalid(c, "query of rank %d", x.rank);
  if (d->shared < 1 || d->l.heads < 1 || d->l.heads % d->shared || d->l.key < 1 || d->l.value < 1)
    return import_invalid(c, "the heads of value must be a multiple of those of query and key");
  return read_lengths(c, d, &x, &state);
}

/* x of any float type as [B, S, n, a] in f32, or with a last axis of 1 behind it. */
static MlirValue of_tokens(ImportCall *c, const DeltaNet *d, MlirValue x, int64_t n, int64_t a, bool column) {
  const TccExpr *dims[] = {d->l.batch, d->l.steps, import_size(c, n), import_size(c, a), import_size(c, 1)};
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, x, TCC_ELEM_F32), column ? 5 : 4, dims);
}

/* Queries or keys, [B, S, shared, K], of length 1 if they are to be, once for each head of values. */
static MlirValue for_values(ImportCall *c, const DeltaNet *d, MlirValue x) {
  const int64_t along = 3, times = d->l.heads / d->shared;
  if (onnx_int(c, "qk_l2_norm", 0)) {
    MlirValue square = tcc_build_reduce(&c->b, "sum", tcc_build2(&c->b, TCC_OP_MUL, x, x), &along, 1, true);
    x = tcc_build2(&c->b, TCC_OP_MUL, x, tcc_build1(&c->b, TCC_OP_RSQRT, tcc_build2_number(&c->b, TCC_OP_ADD, square, 1e-12)));
  }
  if (times == 1) return x;
  const TccExpr *dims[] = {d->l.batch, d->l.steps, import_size(c, d->shared), import_size(c, times), import_size(c, d->l.key)},
                *flat[] = {dims[0], dims[1], import_size(c, d->l.heads), dims[4]};
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, import_unsqueeze(c, x, 3), 5, dims), 4, flat);
}

static bool read_delta_tokens(ImportCall *c, DeltaNet *d) {
  MlirValue parts[] = {import_input(c, QUERY), import_input(c, KEY), import_input(c, VALUE)};
  const int64_t heads[] = {d->shared, d->shared, d->l.heads}, sizes[] = {d->l.key, d->l.key, d->l.value};
  int64_t start = 0;
  for (int i = 0; i < 3; i++) {
    if (!import_has_input(c, KEY))
      parts[i] = tcc_build_slice_axis(&c->b, import_input(c, QUERY), d->lead, import_size(c, start), 1,
                                      import_size(c, heads[i] * sizes[i]));
    start += heads[i] * sizes[i];
    parts[i] = of_tokens(c, d, parts[i], heads[i], sizes[i], false);
  }
  const double scale = onnx_float(c, "scale", 0);
  d->l.query = tcc_build2_number(&c->b, TCC_OP_MUL, import_unsqueeze(c, for_values(c, d, parts[0]), 3),
                                 scale != 0 ? scale : 1 / sqrt((double)d->l.key));
  d->l.keys = for_values(c, d, parts[1]);
  d->l.values = import_unsqueeze(c, parts[2], 3);
  return d->l.query.ptr && d->l.keys.ptr && d->l.values.ptr;
}

/* What the logarithm of a decay is made of, g [B, S, H, 1 or K, 1]: itself, or with a_log [H] and dt_bias, a number a head or an element of its keys. */
static MlirValue activated_gate(ImportCall *c, const DeltaNet *d, MlirValue g) {
  TccStr name = onnx_string(c, "gate_activation", "none");
  const bool soft = tcc_str_is(name, "softplus") || tcc_str_is(name, "qwen"),
             bounded = tcc_str_is(name, "sigmoid") || tcc_str_is(name, "kda");
  if (tcc_str_is(name, "none")) return g;
  if (!soft && !bounded) import_invalid(c, "gate_activation is '%.*s'", TCC_STR_ARG(name));
  else if (!import_has_input(c, A_LOG) || !import_has_input(c, DT_BIAS))
    import_invalid(c, "gate_activation without a_log and dt_bias");
  if (c->reason) return none();
  ImportShape bias = import_shape(c, import_input(c, DT_BIAS));
  const TccExpr *heads = import_size(c, d->l.heads), *one = import_size(c, 1), *each[] = {heads, one, one},
                *wide[] = {heads, import_size(c, d->l.key), one};
  const TccExpr *all = import_product(c, bias.dims, bias.rank);
  MlirValue rate = tcc_build1(&c->b, TCC_OP_EXP, tcc_build_reshape(&c->b, import_input(c, A_LOG), 3, each));
  MlirValue shift = tcc_build_reshape(&c->b, import_input(c, DT_BIAS), 3, import_is_size(all, d->l.heads) ? each : wide);
  g = tcc_build2(&c->b, TCC_OP_ADD, g, shift);
  if (soft) return tcc_build1(&c->b, TCC_OP_NEG, tcc_build2(&c->b, TCC_OP_MUL, rate, tcc_build1(&c->b, TCC_OP_SOFTPLUS, g)));
  return tcc_build2_number(&c->b, TCC_OP_MUL, tcc_build1(&c->b, TCC_OP_SIGMOID, tcc_build2(&c->b, TCC_OP_MUL, rate, g)),
                           onnx_float(c, "gate_lower_bound", -5));
}

/* Whether an input has a row a head of values for each token, of `width` elements (0: of one, without an axis). */
static bool fits_tokens(ImportCall *c, const DeltaNet *d, size_t input, int64_t width, const char *name) {
  ImportShape shape = import_shape(c, import_input(c, input)), like = import_shape(c, import_input(c, QUERY));
  like.dims[d->lead] = import_size(c, d->l.heads);
  like.dims[d->lead + 1] = import_size(c, width);
  return import_require_shape(c, &shape, (int)d->lead + (width ? 2 : 1), like.dims, name);
}

static bool read_delta_gates(ImportCall *c, DeltaNet *d) {
  TccStr rule = onnx_string(c, "update_rule", "gated_delta"), name = onnx_string(c, "beta_activation", "none");
  bool both = tcc_str_is(rule, "gated_delta"), gated = both || tcc_str_is(rule, "gated"), delta = both || tcc_str_is(rule, "delta");
  if (!gated && !delta && !tcc_str_is(rule, "linear")) return import_invalid(c, "update_rule is '%.*s'", TCC_STR_ARG(rule));
  if (import_has_input(c, DECAY) != gated) return import_invalid(c, "decay must be given just where update_rule has a gate");
  if (import_has_input(c, BETA) != delta) return import_invalid(c, "beta must be given just where update_rule has a delta");
  if (gated) {
    const bool wide = import_shape(c, import_input(c, DECAY)).rank == d->lead + 2;
    if (!fits_tokens(c, d, DECAY, wide ? d->l.key : 0, "decay")) return false;
    MlirValue g = activated_gate(c, d, of_tokens(c, d, import_input(c, DECAY), d->l.heads, wide ? d->l.key : 1, true));
    if (!(d->l.decay = tcc_build1(&c->b, TCC_OP_EXP, g)).ptr) return false;
  }
  if (!delta) return true;
  if (!fits_tokens(c, d, BETA, 0, "beta")) return false;
  MlirValue beta = of_tokens(c, d, import_input(c, BETA), d->l.heads, 1, true);
  if (tcc_str_is(name, "sigmoid")) beta = tcc_build1(&c->b, TCC_OP_SIGMOID, beta);
  else if (!tcc_str_is(name, "none")) return import_invalid(c, "beta_activation is '%.*s'", TCC_STR_ARG(name));
  d->l.beta = beta;
  return beta.ptr != NULL;
}

/* query, key, value, cu_seqlens, decay, beta, initial_state, a_log, dt_bias. */
bool onnx_op_gated_delta_net(ImportCall *c) {
  static const int64_t turned[] = {0, 1, 3, 2}, in_order[] = {1, 0, 2, 3, 4};
  DeltaNet d;
  MlirValue out[CARRIED], first, owners = none();
  if (onnx_int(c, "state_update_capacity", 0) || import_has_output(c, 2)) return import_unsupported(c, "state_update_capacity");
  if (!import_need(c, 1) || !read_delta_net(c, &d) || !read_delta_tokens(c, &d) || !read_delta_gates(c, &d)) return false;
  const TccExpr *heads = import_size(c, d.l.heads), *key = import_size(c, d.l.key), *value = import_size(c, d.l.value);
  const TccExpr *stored[] = {d.sequences, heads, value, key}, *kept[] = {d.sequences, heads, key, value};
  ImportShape shape = import_shape(c, import_input(c, QUERY)), state = import_shape(c, import_input(c, INITIAL));
  if (import_has_input(c, INITIAL) && !import_require_shape(c, &state, 4, stored, "initial_state")) return false;
  if (import_has_input(c, INITIAL)) { /* as many states as there are sequences, also where only the run knows */
    first = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, import_input(c, INITIAL), TCC_ELEM_F32), 4, stored);
    first = tcc_build_transpose(&c->b, first, turned);
  } else {
    first = tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0), 4, kept);
  }
  static const char message[] = "cu_seqlens must begin with 0 and end with the number of tokens";
  if (import_has_input(c, ENDS) && !(owners = onnx_token_owners(c, import_input(c, ENDS), d.l.steps, false, tcc_str(message))).ptr)
    return false;
  if (!first.ptr || !run_steps(c, &d.l, owners, first, out)) return false;
  const TccExpr *dims[] = {shape.dims[0], d.lead == 2 ? shape.dims[1] : heads, d.lead == 2 ? heads : value, value};
  MlirValue rows = tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, out[ROWS], in_order), (int)d.lead + 2, dims);
  return import_output(c, 0, tcc_build_convert(&c->b, rows, shape.elem)) &&
         import_output(c, 1, tcc_build_transpose(&c->b, out[STATE], turned));
}

/* ---- CausalConvWithState ---- */
static bool activate(ImportCall *c, MlirValue *y) {
  TccStr name = onnx_string(c, "activation", "none");
  const bool is_swish = tcc_str_is(name, "silu") || tcc_str_is(name, "swish");
  if (is_swish) *y = tcc_build1(&c->b, TCC_OP_SWISH, *y);
  return is_swish || tcc_str_is(name, "none") || import_invalid(c, "activation is '%.*s'", TCC_STR_ARG(name));
}

/* A depthwise convolution over what came before and x, [B, C, past + L], and the end of that: the past of the next call. */
static bool causal_conv(ImportCall *c, MlirValue x, MlirValue before, MlirValue out[2]) {
  MlirValue w = import_input(c, 1);
  ImportShape shape = import_shape(c, x), kernel = import_shape(c, w), past = import_shape(c, before);
  int64_t channels, taps, dilation = onnx_int(c, "dilation", 1);
  if (!has_rank(c, &shape, 3, "input") || !has_rank(c, &kernel, 3, "weight")) return false;
  if (!import_fix_size(c, kernel.dims[0], &channels) || !import_fix_size(c, kernel.dims[2], &taps)) return false;
  if (taps < 1 || channels < 1 || dilation < 1 || dilation > INT32_MAX / taps)
    return import_invalid(c, "the window is empty or too large");
  const TccExpr *dims[] = {shape.dims[0], import_size(c, channels), import_size(c, (taps - 1) * dilation)};
  if (before.ptr && (!has_rank(c, &past, 3, "past_state") || !(before = tcc_build_reshape(&c->b, before, 3, dims)).ptr))
    return false;
  if (!before.ptr) before = tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, shape.elem, 0), 3, dims);
  MlirValue whole[] = {before, x}, all = taps > 1 ? tcc_build_concat(&c->b, whole, 2, 2) : x;
  MlirValue operands[] = {all, w, import_input(c, 2)};
  if (!all.ptr) return false;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(c->ir, (int64_t[]){1}, 1)},
                          {"pads", tcc_attr_ints(c->ir, (int64_t[]){0, 0}, 2)},
                          {"dilations", tcc_attr_ints(c->ir, &dilation, 1)},
                          {"groups", tcc_attr_i64(c->ir, channels)}};
  MlirValue y = import_op(c, TCC_OP_CONV, operands, 3, attrs, 4);
  if (!activate(c, &y)) return false;
  out[0] = y;
  out[1] = tcc_build_slice_axis(&c->b, all, 2, shape.dims[2], 1, dims[2]);
  return y.ptr && out[1].ptr;
}

bool onnx_op_causal_conv(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  if (onnx_int(c, "ndim", 1) != 1) return import_unsupported(c, "more than one spatial dimension");
  if (onnx_int(c, "state_window", 0)) return import_unsupported(c, "state_window");
  bool last = onnx_int(c, "channels_last", 0) != 0;
  const int64_t swap[] = {0, 2, 1};
  MlirValue x = import_input(c, 0), past = import_has_input(c, 3) ? import_input(c, 3) : (MlirValue){NULL}, out[2];
  ImportShape shape = import_shape(c, x), before = import_shape(c, past);
  if (last && (!has_rank(c, &shape, 3, "input") || (past.ptr && !has_rank(c, &before, 3, "past_state")))) return false;
  if (last) x = tcc_build_transpose(&c->b, x, swap), past = past.ptr ? tcc_build_transpose(&c->b, past, swap) : past;
  if (!causal_conv(c, x, past, out)) return false;
  for (size_t i = 0; i < 2; i++)
    if (!import_output(c, i, last ? tcc_build_transpose(&c->b, out[i], swap) : out[i])) return false;
  return true;
}

/* ---- VarlenCausalConvWithState ---- */
enum { CONV_WEIGHT = 1, CONV_ENDS, CONV_BIAS, CONV_STATE, CONV_COUNT, CONV_DELTA, CONV_MASK };

typedef struct {
  int64_t taps, dilation, capacity;
  const TccExpr *channels, *history;
  OnnxPacked packed;
} PackedConv;

static bool read_packed_conv(ImportCall *c, PackedConv *v) {
  enum { MOST_TAPS = 64 };
  static const char message[] = "cumulative_sequence_length must begin with 0 and end with the number of tokens";
  ImportShape x = import_shape(c, import_input(c, 0)), w = import_shape(c, import_input(c, CONV_WEIGHT)),
              bias = import_shape(c, import_input(c, CONV_BIAS)), state = import_shape(c, import_input(c, CONV_STATE));
  if (!has_rank(c, &x, 2, "input") || !has_rank(c, &w, 3, "weight")) return false;
  const TccExpr *kernel[] = {x.dims[1], import_size(c, 1), NULL};
  if (!import_require_shape(c, &w, 3, kernel, "weight") || !import_fix_size(c, w.dims[2], &v->taps)) return false;
  v->dilation = onnx_int(c, "dilation", 1);
  if (v->taps < 1 || v->dilation < 1 || v->dilation > INT32_MAX / v->taps)
    return import_invalid(c, "the window is empty or too large");
  if (v->taps > MOST_TAPS) return import_unsupported(c, "a window of %lld taps", (long long)v->taps);
  v->channels = x.dims[1], v->history = import_size(c, (v->taps - 1) * v->dilation);
  if (import_has_input(c, CONV_BIAS) && !import_require_shape(c, &bias, 1, &v->channels, "bias")) return false;
  if (!onnx_packed(c, import_input(c, CONV_ENDS), x.dims[0], v->history, false, tcc_str(message), &v->packed)) return false;
  const TccExpr *kept[] = {v->packed.sequences, v->channels, v->history};
  return import_require_shape(c, &state, 3, kept, "initial_state") &&
         onnx_capture_capacity(c, CONV_COUNT, v->packed.sequences, &v->capacity);
}

/* Of the table of all tokens with what came before each sequence, in f32: [tokens, channels]. */
static MlirValue packed_taps(ImportCall *c, const PackedConv *v, MlirValue table) {
  const TccExpr *one = import_size(c, 1);
  MlirValue y = none(), w = tcc_build_convert(&c->b, import_input(c, CONV_WEIGHT), TCC_ELEM_F32);
  if (import_has_input(c, CONV_BIAS)) y = tcc_build_convert(&c->b, import_input(c, CONV_BIAS), TCC_ELEM_F32);
  for (int64_t k = 0; k < v->taps; k++) {
    MlirValue x = tcc_build_gather(&c->b, table, onnx_packed_before(c, &v->packed, (v->taps - 1 - k) * v->dilation), 0);
    MlirValue by = tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, w, 2, import_size(c, k), 1, one), 1, &v->channels);
    x = tcc_build2(&c->b, TCC_OP_MUL, tcc_build_convert(&c->b, x, TCC_ELEM_F32), by);
    y = y.ptr ? tcc_build2(&c->b, TCC_OP_ADD, x, y) : x;
  }
  return y;
}

/* Tokens [T, C] of sequences one behind the other, weight [C, 1, K], cumulative_sequence_length, bias, initial_state [B, C, (K - 1) * dilation],
 * capture_count: the convolution within each, the state behind each, and the first tokens of each. */
bool onnx_op_varlen_causal_conv(ImportCall *c) {
  const int64_t turned[] = {0, 2, 1};
  PackedConv v;
  if (import_has_input(c, CONV_DELTA) || import_has_input(c, CONV_MASK)) return import_unsupported(c, "kernel_delta");
  if (!import_need(c, 3)) return false;
  if (!import_has_input(c, CONV_STATE)) return import_invalid(c, "initial_state is missing");
  if (!read_packed_conv(c, &v)) return false;
  MlirValue x = import_input(c, 0), before = tcc_build_transpose(&c->b, import_input(c, CONV_STATE), turned);
  const TccElem elem = tcc_value_elem(x);
  MlirValue table = onnx_packed_table(c, &v.packed, before, x), y = packed_taps(c, &v, table);
  if (!y.ptr || !activate(c, &y) || !import_output(c, 0, tcc_build_convert(&c->b, y, elem))) return false;
  MlirValue last = tcc_build_gather(&c->b, table, onnx_packed_places(c, &v.packed, onnx_packed_last(c, &v.packed)), 0);
  if (!import_output(c, 1, tcc_build_transpose(&c->b, last, turned)) || !import_has_output(c, 2)) return !c->reason;
  const TccExpr *slots = import_size(c, v.capacity), *full[] = {v.packed.sequences, slots, v.channels};
  MlirValue zero = tcc_build_scalar(&c->b, elem, 0);
  if (!v.capacity) return import_output(c, 2, tcc_build_broadcast(&c->b, zero, 3, full));
  MlirValue first = tcc_build_gather(&c->b, table, onnx_packed_places(c, &v.packed, import_iota(c, TCC_ELEM_I64, slots)), 0);
  MlirValue used = import_unsqueeze(c, onnx_packed_captured(c, &v.packed, import_input(c, CONV_COUNT), v.capacity), 2);
  return import_output(c, 2, tcc_build_select(&c->b, used, first, zero));
}
