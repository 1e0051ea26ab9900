/* ops_linear_attention.c - attention as a recurrence, and the convolution over time that stands in front of it in such models
 * (Mamba, Gu and Dao 2023; gated delta networks, Yang, Kautz and Hatamizadeh 2024).
 *
 * A step of LinearAttention reads and writes a state [B, H, K, V] of each head: it decays, learns what the key should have
 * given and did not (delta) or the value itself, and is asked by the queries of its group. Over a length that is not 1 the
 * steps are a loop that the run-time runs, the outputs its rows; a single one, that of decoding, stands by itself. All is
 * reckoned in f32, as the standard's function does. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

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

enum { STEP, STATE, ROWS, CARRIED };

static bool run_steps(ImportCall *c, const Linear *l, MlirValue state, MlirValue *out) {
  const TccExpr *dims[] = {l->steps, l->batch, import_size(c, l->heads), import_size(c, l->group), import_size(c, l->value)};
  MlirValue initial[CARRIED] = {tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), state,
                                tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0), 5, dims)};
  MlirValue argument[CARRIED], results[CARRIED], read;
  if (!initial[ROWS].ptr) return false;
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) argument[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  results[STATE] = one_step(c, l, argument[STEP], argument[STATE], &read);
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
  if (!first.ptr) return false;
  if (import_is_size(l.steps, 1)) {
    out[STATE] = one_step(c, &l, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), first, &out[ROWS]);
    out[ROWS] = import_unsqueeze(c, out[ROWS], 0);
  } else if (!run_steps(c, &l, first, out)) {
    return false;
  }
  const TccExpr *packed[] = {l.batch, l.steps, import_size(c, l.heads * l.group * l.value)};
  MlirValue rows = tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, out[ROWS], (int64_t[]){1, 0, 2, 3, 4}), 3, packed);
  return import_output(c, 0, tcc_build_convert(&c->b, rows, elem)) &&
         import_output(c, 1, tcc_build_convert(&c->b, out[STATE], kept));
}

/* ---- CausalConvWithState ---- */
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
  TccStr name = onnx_string(c, "activation", "none");
  if (tcc_str_is(name, "silu") || tcc_str_is(name, "swish")) y = tcc_build1(&c->b, TCC_OP_SWISH, y);
  else if (!tcc_str_is(name, "none")) return import_invalid(c, "activation is '%.*s'", TCC_STR_ARG(name));
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
