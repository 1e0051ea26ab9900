/* ops_linear_attention.c - attention as a recurrence, and the convolution over time that stands in front of it in such models
 * (Mamba, Gu and Dao 2023; gated delta networks, Yang, Kautz and Hatamizadeh 2024).
 *
 * A step of LinearAttention reads and writes a state [B, H, K, V] of each head: it decays, learns what the key should have
 * given and did not (delta) or the value itself, and is asked by the queries of its group. Over a length that is not 1 the
 * steps are a loop that the run-time runs, the outputs its rows; a single one, that of decoding, stands by itself. All is
 * reckoned in f32, as the standard's function does. */
#include "lib/frontend/onnx/ops.h"
#include <math.h>

/* Whether the input has this rank, a reason being given if not. */
static bool has_rank(OnnxCall *c, const OnnxShape *shape, int rank, const char *name) {
  return shape->rank == rank || onnx_invalid(c, "%s must have rank %d, not %d", name, rank, shape->rank);
}

/* ---- LinearAttention ---- */
typedef struct {
  const TccExpr *batch, *steps;
  int64_t heads, group, key, value; /* of keys and values; queries to one of them; sizes of a key and of a value */
  /* [B, T, ...] in f32: queries [H, G, K], keys and values [H, K], decay e^g [H, K or 1, 1], beta [H or 1, 1, 1] or null */
  MlirValue query, keys, values, decay, beta;
} Linear;

/* [B, T, n] of any float type to [B, T, a, b, d] in f32; d = 0: [B, T, a, b]. */
static MlirValue unpacked(OnnxCall *c, const Linear *l, MlirValue x, int64_t a, int64_t b, int64_t d) {
  const TccExpr *dims[] = {l->batch, l->steps, onnx_size(c, a), onnx_size(c, b), onnx_size(c, d)};
  return onnx_reshape(c, onnx_convert(c, x, TCC_ELEM_F32), d ? 5 : 4, dims);
}

/* The last size of an input of rank 3, a constant. */
static bool last_size(OnnxCall *c, size_t input, const char *name, int64_t *out) {
  OnnxShape shape = onnx_shape(c, onnx_input(c, input));
  if (!has_rank(c, &shape, 3, name)) return false;
  return tcc_expr_is_const(shape.dims[2], out) || onnx_unsupported(c, "a symbolic last size of %s", name);
}

static bool read_gates(OnnxCall *c, bool gated, bool delta, Linear *l) {
  int64_t n;
  if (onnx_has_input(c, 4) != gated) return onnx_invalid(c, "decay must be given just where update_rule has a gate");
  if (onnx_has_input(c, 5) != delta) return onnx_invalid(c, "beta must be given just where update_rule has a delta");
  if (gated) {
    if (!last_size(c, 4, "decay", &n)) return false;
    if (n != l->heads && n != l->heads * l->key)
      return onnx_invalid(c, "decay must have one number a head or one an element of a key");
    l->decay = onnx_unary(c, TCC_OP_EXP, unpacked(c, l, onnx_input(c, 4), l->heads, n / l->heads, 1));
  }
  if (delta) {
    if (!last_size(c, 5, "beta", &n)) return false;
    if (n != l->heads && n != 1) return onnx_invalid(c, "beta must have one number a head, or one");
    l->beta = unpacked(c, l, onnx_input(c, 5), n, 1, 1);
  }
  return true;
}

static bool read_linear(OnnxCall *c, Linear *l) {
  int64_t q, k, v, queries = onnx_int(c, "q_num_heads", 0);
  TccStr rule = onnx_string(c, "update_rule", "gated_delta");
  bool both = tcc_str_is(rule, "gated_delta"), gated = both || tcc_str_is(rule, "gated"), delta = both || tcc_str_is(rule, "delta");
  if (!gated && !delta && !tcc_str_is(rule, "linear")) return onnx_invalid(c, "update_rule is '%.*s'", TCC_STR_ARG(rule));
  if (onnx_int(c, "state_window", 0)) return onnx_unsupported(c, "state_window");
  *l = (Linear){.heads = onnx_int(c, "kv_num_heads", 0)};
  if (!last_size(c, 0, "query", &q) || !last_size(c, 1, "key", &k) || !last_size(c, 2, "value", &v)) return false;
  if (l->heads < 1 || queries < 1 || queries % l->heads || q % queries || k % l->heads || v % l->heads ||
      q / queries != k / l->heads || q == 0 || v == 0)
    return onnx_invalid(c, "q_num_heads and kv_num_heads do not divide queries, keys and values");
  OnnxShape x = onnx_shape(c, onnx_input(c, 0));
  l->batch = x.dims[0];
  l->steps = x.dims[1];
  l->group = queries / l->heads;
  l->key = k / l->heads;
  l->value = v / l->heads;
  double scale = onnx_float(c, "scale", 0);
  l->query = onnx_binary_number(c, TCC_OP_MUL, unpacked(c, l, onnx_input(c, 0), l->heads, l->group, l->key),
                                scale != 0 ? scale : 1 / sqrt((double)l->key));
  l->keys = unpacked(c, l, onnx_input(c, 1), l->heads, l->key, 0);
  l->values = unpacked(c, l, onnx_input(c, 2), l->heads, 1, l->value);
  return read_gates(c, gated, delta, l) && l->query.ptr && l->keys.ptr && l->values.ptr;
}

/* The state behind step `at`, and what the queries read of it: [B, H, G, V]. */
static MlirValue one_step(OnnxCall *c, const Linear *l, MlirValue at, MlirValue state, MlirValue *out_read) {
  MlirValue key = onnx_gather(c, l->keys, at, 1), value = onnx_gather(c, l->values, at, 1), row = onnx_unsqueeze(c, key, 2),
            column = onnx_unsqueeze(c, key, 3);
  if (l->decay.ptr) state = onnx_binary(c, TCC_OP_MUL, state, onnx_gather(c, l->decay, at, 1));
  if (l->beta.ptr) {
    value = onnx_binary(c, TCC_OP_SUB, value, onnx_binary(c, TCC_OP_MATMUL, row, state));
    value = onnx_binary(c, TCC_OP_MUL, value, onnx_gather(c, l->beta, at, 1));
  }
  state = onnx_binary(c, TCC_OP_ADD, state, onnx_binary(c, TCC_OP_MUL, column, value));
  *out_read = onnx_binary(c, TCC_OP_MATMUL, onnx_gather(c, l->query, at, 1), state);
  return state;
}

enum { STEP, STATE, ROWS, CARRIED };

static bool run_steps(OnnxCall *c, const Linear *l, MlirValue state, MlirValue *out) {
  const TccExpr *dims[] = {l->steps, l->batch, onnx_size(c, l->heads), onnx_size(c, l->group), onnx_size(c, l->value)};
  MlirValue initial[CARRIED] = {onnx_scalar_i64(c, TCC_ELEM_I64, 0), state,
                                onnx_broadcast(c, onnx_scalar(c, TCC_ELEM_F32, 0), 5, dims)};
  MlirValue argument[CARRIED], results[CARRIED], read;
  if (!initial[ROWS].ptr) return false;
  OnnxBody body;
  onnx_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) argument[i] = onnx_body_argument(c, &body, tcc_value_type(initial[i]));
  results[STATE] = one_step(c, l, argument[STEP], argument[STATE], &read);
  results[STEP] = onnx_binary(c, TCC_OP_ADD, argument[STEP], onnx_scalar_i64(c, TCC_ELEM_I64, 1));
  MlirValue put[] = {argument[ROWS], argument[STEP], read};
  results[ROWS] = read.ptr ? onnx_op(c, TCC_OP_PUT_ROW, put, 3, NULL, 0) : read;
  if (results[STATE].ptr && results[ROWS].ptr && onnx_body_close(c, &body, CARRIED, initial, results, l->steps, false, out))
    return true;
  onnx_body_drop(c, &body, false);
  return false;
}

bool import_linear_attention(OnnxCall *c) {
  Linear l;
  if (!onnx_need(c, 3) || !read_linear(c, &l)) return false;
  TccElem elem = onnx_value_elem(onnx_input(c, 0)), kept = onnx_has_input(c, 3) ? onnx_value_elem(onnx_input(c, 3)) : elem;
  const TccExpr *dims[] = {l.batch, onnx_size(c, l.heads), onnx_size(c, l.key), onnx_size(c, l.value)};
  MlirValue out[CARRIED], first = onnx_has_input(c, 3) ? onnx_convert(c, onnx_input(c, 3), TCC_ELEM_F32)
                                                       : onnx_broadcast(c, onnx_scalar(c, TCC_ELEM_F32, 0), 4, dims);
  OnnxShape past = onnx_shape(c, first);
  if (!has_rank(c, &past, 4, "past_state")) return false;
  if (onnx_has_input(c, 3)) first = onnx_reshape(c, first, 4, dims); /* its sizes are these, or it is refused */
  if (!first.ptr) return false;
  if (onnx_is_size(l.steps, 1)) {
    out[STATE] = one_step(c, &l, onnx_scalar_i64(c, TCC_ELEM_I64, 0), first, &out[ROWS]);
    out[ROWS] = onnx_unsqueeze(c, out[ROWS], 0);
  } else if (!run_steps(c, &l, first, out)) {
    return false;
  }
  const TccExpr *packed[] = {l.batch, l.steps, onnx_size(c, l.heads * l.group * l.value)};
  MlirValue rows = onnx_reshape(c, onnx_transpose(c, out[ROWS], (int64_t[]){1, 0, 2, 3, 4}), 3, packed);
  return onnx_output(c, 0, onnx_convert(c, rows, elem)) && onnx_output(c, 1, onnx_convert(c, out[STATE], kept));
}

/* ---- CausalConvWithState ---- */
/* A depthwise convolution over what came before and x, [B, C, past + L], and the end of that: the past of the next call. */
static bool causal_conv(OnnxCall *c, MlirValue x, MlirValue before, MlirValue out[2]) {
  MlirValue w = onnx_input(c, 1);
  OnnxShape shape = onnx_shape(c, x), kernel = onnx_shape(c, w), past = onnx_shape(c, before);
  int64_t channels, taps, dilation = onnx_int(c, "dilation", 1);
  if (!has_rank(c, &shape, 3, "input") || !has_rank(c, &kernel, 3, "weight")) return false;
  if (!tcc_expr_is_const(kernel.dims[0], &channels) || !tcc_expr_is_const(kernel.dims[2], &taps))
    return onnx_unsupported(c, "a weight of symbolic size");
  if (taps < 1 || channels < 1 || dilation < 1 || dilation > INT32_MAX / taps)
    return onnx_invalid(c, "the window is empty or too large");
  const TccExpr *dims[] = {shape.dims[0], onnx_size(c, channels), onnx_size(c, (taps - 1) * dilation)};
  if (before.ptr && (!has_rank(c, &past, 3, "past_state") || !(before = onnx_reshape(c, before, 3, dims)).ptr)) return false;
  if (!before.ptr) before = onnx_broadcast(c, onnx_scalar(c, shape.elem, 0), 3, dims);
  MlirValue whole[] = {before, x}, all = taps > 1 ? onnx_concat(c, whole, 2, 2) : x;
  MlirValue operands[] = {all, w, onnx_input(c, 2)};
  if (!all.ptr) return false;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(c->ir, (int64_t[]){1}, 1)},
                          {"pads", tcc_attr_ints(c->ir, (int64_t[]){0, 0}, 2)},
                          {"dilations", tcc_attr_ints(c->ir, &dilation, 1)},
                          {"groups", tcc_attr_i64(c->ir, channels)}};
  MlirValue y = onnx_op(c, TCC_OP_CONV, operands, 3, attrs, 4);
  TccStr name = onnx_string(c, "activation", "none");
  if (tcc_str_is(name, "silu") || tcc_str_is(name, "swish")) y = onnx_unary(c, TCC_OP_SWISH, y);
  else if (!tcc_str_is(name, "none")) return onnx_invalid(c, "activation is '%.*s'", TCC_STR_ARG(name));
  out[0] = y;
  out[1] = onnx_slice(c, all, 2, shape.dims[2], dims[2]);
  return y.ptr && out[1].ptr;
}

bool import_causal_conv(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  if (onnx_int(c, "ndim", 1) != 1) return onnx_unsupported(c, "more than one spatial dimension");
  if (onnx_int(c, "state_window", 0)) return onnx_unsupported(c, "state_window");
  bool last = onnx_int(c, "channels_last", 0) != 0;
  const int64_t swap[] = {0, 2, 1};
  MlirValue x = onnx_input(c, 0), past = onnx_has_input(c, 3) ? onnx_input(c, 3) : (MlirValue){NULL}, out[2];
  OnnxShape shape = onnx_shape(c, x), before = onnx_shape(c, past);
  if (last && (!has_rank(c, &shape, 3, "input") || (past.ptr && !has_rank(c, &before, 3, "past_state")))) return false;
  if (last) x = onnx_transpose(c, x, swap), past = past.ptr ? onnx_transpose(c, past, swap) : past;
  if (!causal_conv(c, x, past, out)) return false;
  for (size_t i = 0; i < 2; i++)
    if (!onnx_output(c, i, last ? onnx_transpose(c, out[i], swap) : out[i])) return false;
  return true;
}
