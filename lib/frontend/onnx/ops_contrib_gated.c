/* ops_contrib_gated.c - gates and norms that onnxruntime's tools fuse for language models and diffusion.
 *
 * Meanings are those of onnxruntime's ContribOperators.md: arithmetic in f32, rounded to the tensors' type where it says so. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue wide(ImportCall *c, MlirValue x) { return tcc_build_convert(&c->b, x, TCC_ELEM_F32); }
static MlirValue times(ImportCall *c, MlirValue x, MlirValue y) { return tcc_build2(&c->b, TCC_OP_MUL, x, y); }
static MlirValue plus(ImportCall *c, MlirValue x, MlirValue y) { return y.ptr ? tcc_build2(&c->b, TCC_OP_ADD, x, y) : x; }

static MlirValue swish(ImportCall *c, MlirValue x, double alpha) {
  TccNamedAttr attr = {"alpha", tcc_attr_f64(c->ir, alpha)};
  return x.ptr ? import_op(c, TCC_OP_SWISH, &x, 1, &attr, 1) : x;
}

static MlirValue gelu(ImportCall *c, MlirValue x, const char *approximate) {
  TccNamedAttr attr = {"approximate", tcc_attr_str(c->ir, tcc_str(approximate))};
  return x.ptr ? import_op(c, TCC_OP_GELU, &x, 1, &attr, 1) : x;
}

static MlirValue clamped(ImportCall *c, MlirValue x, bool below, double limit) {
  MlirValue operands[] = {x, below ? tcc_build_scalar(&c->b, TCC_ELEM_F32, -limit) : (MlirValue){NULL},
                          tcc_build_scalar(&c->b, TCC_ELEM_F32, limit)};
  return x.ptr ? import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : x;
}

/* Half `index` of the last axis. */
static MlirValue half_of(ImportCall *c, MlirValue x, int64_t index) {
  ImportShape shape = import_shape(c, x);
  if (shape.rank < 1) {
    import_invalid(c, "a scalar has no halves");
    return (MlirValue){NULL};
  }
  const TccExpr *half = import_divide(c, shape.dims[shape.rank - 1], import_size(c, 2));
  return half ? tcc_build_slice_axis(&c->b, x, shape.rank - 1, import_size_mul(c, half, import_size(c, index)), 1, half)
              : (MlirValue){NULL};
}

/* Inputs `at` has the shape of x. */
static bool like(ImportCall *c, size_t at, const ImportShape *x, const char *what) {
  ImportShape shape = import_shape(c, import_input(c, at));
  return !import_has_input(c, at) || import_require_shape(c, &shape, x->rank, x->dims, what);
}

/* gate, maybe up (else the halves of gate): swish of one, by alpha, times the other plus beta; both clamped. */
bool onnx_op_contrib_swiglu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  const double limit = onnx_float(c, "limit", 0), beta = onnx_float(c, "activation_beta", 0);
  const bool is_split = !import_has_input(c, 1);
  ImportShape shape = import_shape(c, import_input(c, 0));
  if (!like(c, 1, &shape, "up")) return false;
  MlirValue gate = wide(c, is_split ? half_of(c, import_input(c, 0), 0) : import_input(c, 0)),
            up = wide(c, is_split ? half_of(c, import_input(c, 0), 1) : import_input(c, 1));
  if (limit > 0) gate = clamped(c, gate, false, limit), up = clamped(c, up, true, limit);
  gate = swish(c, gate, onnx_float(c, "activation_alpha", 1));
  if (onnx_int(c, "round_activation", 0)) gate = wide(c, tcc_build_convert(&c->b, gate, shape.elem));
  if (beta != 0) up = tcc_build2_number(&c->b, TCC_OP_ADD, up, beta);
  return import_output(c, 0, tcc_build_convert(&c->b, times(c, gate, up), shape.elem));
}

/* z sigmoid(z) of z = x times a scalar, an input or alpha; each step in x's type. */
bool onnx_op_scaled_silu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0), scale = wide(c, import_input(c, 1));
  const TccElem elem = tcc_value_elem(x);
  ImportShape given = import_shape(c, scale);
  if (scale.ptr && !tcc_expr_known_equal(import_product(c, given.dims, given.rank), import_size(c, 1)))
    return import_invalid(c, "scale must be a scalar");
  scale = scale.ptr ? tcc_build_reshape(&c->b, scale, 0, NULL) : tcc_build_scalar(&c->b, TCC_ELEM_F32, onnx_float(c, "alpha", 1));
  MlirValue z = tcc_build_convert(&c->b, times(c, wide(c, x), scale), elem);
  return import_output(c, 0, times(c, z, tcc_build1(&c->b, TCC_OP_SIGMOID, z)));
}

/* x, scale [C], gate: the norm of each C numbers, times scale and an activation of the gate. */
bool onnx_op_gated_rms_norm(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue x = wide(c, import_input(c, 0)), scale = wide(c, import_input(c, 1)), gate = wide(c, import_input(c, 2));
  ImportShape shape = import_shape(c, x), rows = shape, weight = import_shape(c, scale);
  const TccStr name = onnx_string(c, "activation", "silu");
  const bool is_silu = tcc_str_is(name, "silu") || tcc_str_is(name, "swish");
  if (!is_silu && !tcc_str_is(name, "sigmoid")) return import_invalid(c, "activation '%.*s'", TCC_STR_ARG(name));
  if (shape.rank < 1 || shape.rank == TCC_MAX_RANK || weight.rank != 1)
    return import_invalid(c, "X of rank %d, scale of rank %d", shape.rank, weight.rank);
  if (!like(c, 2, &shape, "gate")) return false;
  rows.dims[shape.rank - 1] = import_divide(c, shape.dims[shape.rank - 1], weight.dims[0]);
  rows.dims[rows.rank++] = weight.dims[0];
  if (!rows.dims[shape.rank - 1]) return false;
  MlirValue operands[] = {tcc_build_reshape(&c->b, x, rows.rank, rows.dims), scale};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, shape.rank)}, {"eps", tcc_attr_f64(c->ir, onnx_float(c, "epsilon", 1e-5))}};
  if (!operands[0].ptr || !scale.ptr) return false;
  MlirValue y = tcc_build_reshape(&c->b, import_op(c, TCC_OP_RMS_NORM, operands, 2, attrs, 2), shape.rank, shape.dims);
  y = times(c, y, is_silu ? swish(c, gate, 1) : tcc_build1(&c->b, TCC_OP_SIGMOID, gate));
  return import_output(c, 0, tcc_build_convert(&c->b, y, import_shape(c, import_input(c, 0)).elem));
}

/* x + y * gate, one number a row. */
bool onnx_op_gated_add(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  if (import_has_input(c, 3)) return import_unsupported(c, "gate_weight");
  ImportShape x = import_shape(c, import_input(c, 0)), row = x;
  if (x.rank < 1) return import_invalid(c, "X is a scalar");
  row.dims[x.rank - 1] = import_size(c, 1);
  if (!like(c, 1, &x, "Y") || !like(c, 2, &row, "gate")) return false;
  return import_output(c, 0, plus(c, import_input(c, 0), times(c, import_input(c, 1), import_input(c, 2))));
}

/* x + bias, whose second half is a gate of the first. */
bool onnx_op_bias_split_gelu(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = plus(c, import_input(c, 0), import_input(c, 1));
  return import_output(c, 0, times(c, half_of(c, x, 0), gelu(c, half_of(c, x, 1), "none")));
}

bool onnx_op_bias_add(ImportCall *c) {
  return import_need(c, 3) && import_output(c, 0, plus(c, plus(c, import_input(c, 0), import_input(c, 1)), import_input(c, 2)));
}

/* x w + bias, then gelu by tanh. */
bool onnx_op_gemm_fast_gelu(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue y = tcc_build2(&c->b, TCC_OP_MATMUL, import_input(c, 0), import_input(c, 1));
  return import_output(c, 0, gelu(c, plus(c, y, import_input(c, 2)), "tanh"));
}

/* ---- norms of groups of channels ---- */

/* Channels behind the places moved in front of them, or back. */
static MlirValue moved(ImportCall *c, MlirValue x, bool to_front) {
  static const int64_t front[] = {0, 3, 1, 2}, back[] = {0, 2, 3, 1};
  return tcc_build_transpose(&c->b, x, to_front ? front : back);
}

/* skip [N, C], or with axes of one place, for x of four axes. */
static MlirValue spread_skip(ImportCall *c, MlirValue skip, const ImportShape *x, bool channels_last) {
  ImportShape shape = import_shape(c, skip);
  const TccExpr *one = import_size(c, 1), *last[] = {x->dims[0], one, one, x->dims[3]},
                *first[] = {x->dims[0], x->dims[1], one, one};
  return shape.rank == 2 ? tcc_build_reshape(&c->b, skip, 4, channels_last ? last : first) : skip;
}

/* X, gamma, beta, maybe (kind) a skip and a bias that are added first; the sum is the second output. */
bool onnx_op_contrib_group_norm(ImportCall *c) {
  if (!import_need(c, c->kind ? 4 : 3)) return false;
  const int64_t groups = onnx_int(c, "groups", 0), activation = onnx_int(c, "activation", 0);
  const bool channels_last = onnx_int(c, "channels_last", 1) != 0;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (shape.rank != 4) return import_invalid(c, "X of rank %d", shape.rank);
  if (groups < 1) return import_invalid(c, "%lld groups", (long long)groups);
  if (activation != 0 && activation != 1) return import_invalid(c, "activation %lld", (long long)activation);
  if (c->kind) {
    x = tcc_build2(&c->b, TCC_OP_ADD, x, spread_skip(c, import_input(c, 3), &shape, channels_last));
    MlirValue bias = import_input(c, 4);
    const TccExpr *column[] = {import_shape(c, bias).dims[0], import_size(c, 1), import_size(c, 1)};
    x = plus(c, x, bias.ptr && !channels_last ? tcc_build_reshape(&c->b, bias, 3, column) : bias);
    if (!x.ptr || (import_has_output(c, 1) && !import_output(c, 1, x))) return false;
  }
  MlirValue operands[] = {wide(c, channels_last ? moved(c, x, true) : x), wide(c, import_input(c, 1)), wide(c, import_input(c, 2))};
  TccNamedAttr attrs[] = {{"groups", tcc_attr_i64(c->ir, groups)}, {"eps", tcc_attr_f64(c->ir, onnx_float(c, "epsilon", 1e-5))}};
  if (!operands[0].ptr) return false;
  MlirValue y = import_op(c, TCC_OP_GROUP_NORM, operands, 3, attrs, 2);
  if (activation) y = swish(c, y, 1);
  y = tcc_build_convert(&c->b, y, shape.elem);
  return import_output(c, 0, channels_last && y.ptr ? moved(c, y, false) : y);
}

/* decay = scale * softplus(a + bias), beta = sigmoid(b); a, b [B, T, H], bias and scale [H]. Computed in f32. */
bool onnx_op_linear_attention_gate(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue a = import_input(c, 0), b = import_input(c, 3);
  const TccElem elem = tcc_value_elem(a);
  MlirValue y = plus(c, wide(c, a), import_input(c, 1));
  y = times(c, import_input(c, 2), tcc_build1(&c->b, TCC_OP_SOFTPLUS, y));
  if (!import_output(c, 0, y.ptr ? tcc_build_convert(&c->b, y, elem) : y)) return false;
  if (!import_has_output(c, 1)) return true;
  if (!b.ptr) return import_invalid(c, "beta is asked for without b");
  y = tcc_build1(&c->b, TCC_OP_SIGMOID, wide(c, b));
  return import_output(c, 1, tcc_build_convert(&c->b, y, elem));
}
