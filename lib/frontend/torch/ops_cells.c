/* ops_cells.c - one step of an lstm or gru behind its products, with its gradients: what torch calls on a device.
 *
 * Gates lie side by side in the last axis: of an lstm input, forget, cell, output; of a gru reset, input, new. All is computed in f32 where
 * tensors have 16 bits, as in aten/src/ATen/native/cuda/RNN.cu. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static const MlirValue none = {NULL};
enum { FEATURES = 1 };

/* Parts of equal size of the last axis of [batch, n * hidden]. */
static bool parts(ImportCall *c, MlirValue x, int n, MlirValue *out) {
  ImportShape shape = import_shape(c, x);
  if (!x.ptr) return false;
  if (shape.rank != 2) return import_unsupported(c, "gates of rank %d", shape.rank);
  const TccExpr *size = import_divide(c, shape.dims[FEATURES], import_size(c, n));
  for (int i = 0; size && i < n; i++)
    out[i] = tcc_build_slice_axis(&c->b, x, FEATURES, import_size_mul(c, size, import_size(c, i)), 1, size);
  return size && out[n - 1].ptr;
}

static MlirValue wide(ImportCall *c, MlirValue x) { return x.ptr ? torch_convert(c, x, torch_wide(tcc_value_elem(x))) : x; }
static MlirValue given(ImportCall *c, const char *name) { return wide(c, torch_optional(c, name)); }
static MlirValue add_given(ImportCall *c, MlirValue a, MlirValue b) { return b.ptr ? torch_add(c, a, b) : a; }
static MlirValue sigmoid(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_SIGMOID, x); }
static MlirValue hyperbolic(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_TANH, x); }
static MlirValue sigmoid_slope(ImportCall *c, MlirValue y) { return torch_mul(c, torch_from(c, 1, y), y); }
static MlirValue tanh_slope(ImportCall *c, MlirValue y) { return torch_from(c, 1, torch_mul(c, y, y)); }

/* In the type of what is kept for the gradient. */
static bool give(ImportCall *c, size_t index, MlirValue x) {
  const char *typed = torch_argument(c, "cx") ? "cx" : torch_argument(c, "hx") ? "hx" : "workspace";
  return index >= torch_call(c)->noutputs || torch_output(c, index, torch_convert(c, x, tcc_value_elem(torch_tensor(c, typed))));
}

static bool give_joined(ImportCall *c, size_t index, const MlirValue *gates, size_t n) {
  return give(c, index, tcc_build_concat(&c->b, gates, n, FEATURES));
}

/* Of a bias: the sum over the batch. */
static bool give_bias(ImportCall *c, size_t index, const MlirValue *gates, size_t n) {
  static const int64_t batch[] = {0};
  if (index >= torch_call(c)->noutputs) return true;
  if (!torch_bool(c, "has_bias")) return torch_output_lacks(c, index, "there is no bias");
  return give(c, index, torch_sum(c, tcc_build_concat(&c->b, gates, n, FEATURES), batch, 1, false));
}

/* input_gates, hidden_gates, cx, biases -> hy, cy, workspace: the gates */
bool torch_op_lstm_cell(ImportCall *c) {
  MlirValue sum = torch_add(c, wide(c, torch_tensor(c, "input_gates")), wide(c, torch_tensor(c, "hidden_gates"))), g[4];
  MlirValue cx = wide(c, torch_tensor(c, "cx"));
  sum = add_given(c, add_given(c, sum, given(c, "input_bias")), given(c, "hidden_bias"));
  if (c->reason || !parts(c, sum, 4, g)) return false;
  for (int i = 0; i < 4; i++) g[i] = i == 2 ? hyperbolic(c, g[i]) : sigmoid(c, g[i]);
  MlirValue cy = torch_add(c, torch_mul(c, g[1], cx), torch_mul(c, g[0], g[2]));
  return give(c, 0, torch_mul(c, g[3], hyperbolic(c, cy))) && give(c, 1, cy) && give_joined(c, 2, g, 4);
}

/* -> gradients of gates (twice, if kind says so), cx, and biases */
bool torch_op_lstm_cell_backward(ImportCall *c) {
  MlirValue hy = given(c, "grad_hy"), into = given(c, "grad_cy"), g[4], d[4];
  MlirValue cx = wide(c, torch_tensor(c, "cx")), cy = wide(c, torch_tensor(c, "cy"));
  if (c->reason || !parts(c, wide(c, torch_tensor(c, "workspace")), 4, g)) return false;
  if (!hy.ptr && !into.ptr) return import_unsupported(c, "gradients of nothing");
  MlirValue t = hyperbolic(c, cy);
  MlirValue through = hy.ptr ? torch_mul(c, torch_mul(c, hy, g[3]), tanh_slope(c, t)) : none;
  MlirValue dc = through.ptr ? add_given(c, through, into) : into;
  d[0] = torch_mul(c, torch_mul(c, dc, g[2]), sigmoid_slope(c, g[0]));
  d[1] = torch_mul(c, torch_mul(c, dc, cx), sigmoid_slope(c, g[1]));
  d[2] = torch_mul(c, torch_mul(c, dc, g[0]), tanh_slope(c, g[2]));
  d[3] = hy.ptr ? torch_mul(c, torch_mul(c, hy, t), sigmoid_slope(c, g[3])) : torch_times(c, g[3], 0);
  size_t twice = (size_t)c->kind;
  return give_joined(c, 0, d, 4) && (!twice || give_joined(c, 1, d, 4)) && give(c, 1 + twice, torch_mul(c, dc, g[1])) &&
         give_bias(c, 2 + twice, d, 4) && give_bias(c, 3 + twice, d, 4);
}

/* input_gates, hidden_gates, hx, biases -> hy, workspace: reset, input, new, hx, the new gate's hidden part */
bool torch_op_gru_cell(ImportCall *c) {
  MlirValue hx = wide(c, torch_tensor(c, "hx")), i[3], h[3];
  MlirValue input = add_given(c, wide(c, torch_tensor(c, "input_gates")), given(c, "input_bias"));
  MlirValue hidden = add_given(c, wide(c, torch_tensor(c, "hidden_gates")), given(c, "hidden_bias"));
  if (c->reason || !parts(c, input, 3, i) || !parts(c, hidden, 3, h)) return false;
  MlirValue reset = sigmoid(c, torch_add(c, i[0], h[0])), keep = sigmoid(c, torch_add(c, i[1], h[1]));
  MlirValue fresh = hyperbolic(c, torch_add(c, i[2], torch_mul(c, reset, h[2])));
  MlirValue kept[] = {reset, keep, fresh, hx, h[2]};
  return give(c, 0, torch_add(c, fresh, torch_mul(c, keep, torch_sub(c, hx, fresh)))) && give_joined(c, 1, kept, 5);
}

/* -> gradients of input_gates, hidden_gates, hx, and biases */
bool torch_op_gru_cell_backward(ImportCall *c) {
  MlirValue hy = wide(c, torch_tensor(c, "grad_hy")), w[5];
  if (c->reason || !parts(c, wide(c, torch_tensor(c, "workspace")), 5, w)) return false;
  MlirValue keep = torch_mul(c, torch_mul(c, hy, torch_sub(c, w[3], w[2])), sigmoid_slope(c, w[1]));
  MlirValue fresh = torch_mul(c, torch_mul(c, hy, torch_from(c, 1, w[1])), tanh_slope(c, w[2]));
  MlirValue reset = torch_mul(c, torch_mul(c, fresh, w[4]), sigmoid_slope(c, w[0]));
  MlirValue input[] = {reset, keep, fresh}, hidden[] = {reset, keep, torch_mul(c, fresh, w[0])};
  return give_joined(c, 0, input, 3) && give_joined(c, 1, hidden, 3) && give(c, 2, torch_mul(c, hy, w[1])) &&
         give_bias(c, 3, input, 3) && give_bias(c, 4, hidden, 3);
}
