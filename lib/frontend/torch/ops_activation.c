/* ops_activation.c - activations with parameters, and the gradients of activations. f16 and bf16 are computed in f32, as torch does. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue sigmoid(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_SIGMOID, x); }
static MlirValue expm1_of(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_EXPM1, x); }
static MlirValue least(ImportCall *c, MlirValue x, double most) { return tcc_build2_number(&c->b, TCC_OP_MIN, x, most); }
static MlirValue most(ImportCall *c, MlirValue x, double least_value) {
  return tcc_build2_number(&c->b, TCC_OP_MAX, x, least_value);
}

/* x * beta > threshold ? x : log(1 + e^(x * beta)) / beta */
static MlirValue softplus(ImportCall *c, MlirValue x, double beta, double threshold) {
  MlirValue scaled = torch_times(c, x, beta), y = torch_times(c, tcc_build1(&c->b, TCC_OP_SOFTPLUS, scaled), 1 / beta);
  return torch_if(c, torch_is(c, "gt", scaled, threshold), x, y);
}

static bool activated(ImportCall *c, MlirValue y) {
  TccElem elem = torch_result(c, 0);
  return elem && torch_output(c, 0, torch_convert(c, y, elem));
}

bool torch_op_activation(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), y = {NULL};
  if (!x.ptr) return false;
  TccElem elem = tcc_value_elem(x);
  if (!tcc_elem_is_float(elem) && c->kind != ACT_THRESHOLD && c->kind != ACT_HARDTANH && c->kind != ACT_RELU6 &&
      c->kind != ACT_LOGIT)
    return import_unsupported(c, "an activation of %s", tcc_elem_name(elem));
  if (c->kind == ACT_LOGIT) elem = torch_result(c, 0);
  x = torch_convert(c, x, torch_wide(elem));
  double a, b, s;
  switch (c->kind) {
  case ACT_ELU:
    a = torch_float(c, "alpha"), s = torch_float(c, "scale"), b = torch_float(c, "input_scale");
    y = torch_if(c, torch_is(c, "gt", x, 0), torch_times(c, x, s),
                 torch_times(c, expm1_of(c, torch_times(c, least(c, x, 0), b)), a * s));
    break;
  case ACT_SELU:
    a = 1.6732632423543772848170429916717, s = 1.0507009873554804934193349852946;
    y = torch_if(c, torch_is(c, "gt", x, 0), torch_times(c, x, s), torch_times(c, expm1_of(c, least(c, x, 0)), a * s));
    break;
  case ACT_CELU:
    a = torch_float(c, "alpha");
    y = torch_if(c, torch_is(c, "gt", x, 0), x, torch_times(c, expm1_of(c, torch_times(c, least(c, x, 0), 1 / a)), a));
    break;
  case ACT_LEAKY_RELU: y = torch_if(c, torch_is(c, "gt", x, 0), x, torch_times(c, x, torch_float(c, "negative_slope"))); break;
  case ACT_HARDTANH: y = torch_bound(c, TCC_OP_MIN, torch_bound(c, TCC_OP_MAX, x, "min_val"), "max_val"); break;
  case ACT_RELU6: y = least(c, most(c, x, 0), 6); break;
  case ACT_SOFTPLUS: y = softplus(c, x, torch_float(c, "beta"), torch_float(c, "threshold")); break;
  case ACT_MISH: y = tcc_build1(&c->b, TCC_OP_MISH, x); break;
  case ACT_SOFTSHRINK:
    a = torch_float(c, "lambd");
    y = torch_if(c, torch_is(c, "gt", x, a), torch_plus(c, x, -a),
                 torch_if(c, torch_is(c, "lt", x, -a), torch_plus(c, x, a), torch_times(c, x, 0)));
    break;
  case ACT_HARDSHRINK:
    a = torch_float(c, "lambd");
    y = torch_if_number(c, torch_is(c, "le", tcc_build1(&c->b, TCC_OP_ABS, x), a), x, 0);
    y = torch_if(c, torch_is(c, "le", tcc_build1(&c->b, TCC_OP_ABS, x), a), torch_constant(c, tcc_value_elem(x), 0), x);
    break;
  case ACT_THRESHOLD:
    y = torch_if(c, torch_is(c, "le", x, torch_float(c, "threshold")), torch_scalar(c, "value", tcc_value_elem(x)), x);
    break;
  case ACT_LOG_SIGMOID: y = torch_neg(c, tcc_build1(&c->b, TCC_OP_SOFTPLUS, torch_neg(c, x))); break;
  case ACT_LOGIT: /* log(x / (1 - x)), x held in [eps, 1 - eps] */
    if (torch_given(c, "eps") && torch_float(c, "eps") >= 0) {
      a = torch_float(c, "eps"); /* the lower bound counts where they cross */
      MlirValue low = torch_constant(c, tcc_value_elem(x), a), high = torch_constant(c, tcc_value_elem(x), 1 - a);
      x = torch_if(c, torch_is(c, "lt", x, a), low, torch_if(c, torch_is(c, "gt", x, 1 - a), high, x));
    }
    y = tcc_build1(&c->b, TCC_OP_LOG, torch_div(c, x, torch_from(c, 1, x)));
    break;
  default: break;
  }
  if (c->reason || !activated(c, y)) return false;
  if (torch_call(c)->noutputs < 2) return true; /* log_sigmoid_forward also gives e^-|x| */
  MlirValue buffer = tcc_build1(&c->b, TCC_OP_EXP, torch_neg(c, tcc_build1(&c->b, TCC_OP_ABS, x)));
  return torch_output(c, 1, torch_convert(c, buffer, elem));
}

bool torch_op_glu(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!x.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  const TccExpr *half = import_divide(c, shape.dims[axis], import_size(c, 2));
  if (!half) return false;
  x = torch_convert(c, x, torch_wide(shape.elem));
  MlirValue a = tcc_build_slice_axis(&c->b, x, axis, import_size(c, 0), 1, half),
            b = tcc_build_slice_axis(&c->b, x, axis, half, 1, half);
  return activated(c, torch_mul(c, a, sigmoid(c, b)));
}

bool torch_op_glu_backward(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), grad = torch_tensor(c, "grad_output");
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!x.ptr || !grad.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  const TccExpr *half = import_divide(c, shape.dims[axis], import_size(c, 2));
  if (!half) return false;
  TccElem wide = torch_wide(shape.elem);
  x = torch_convert(c, x, wide), grad = torch_convert(c, grad, wide);
  MlirValue a = tcc_build_slice_axis(&c->b, x, axis, import_size(c, 0), 1, half),
            s = sigmoid(c, tcc_build_slice_axis(&c->b, x, axis, half, 1, half)), gs = torch_mul(c, grad, s);
  MlirValue parts[] = {gs, torch_mul(c, torch_mul(c, gs, torch_from(c, 1, s)), a)};
  return activated(c, tcc_build_concat(&c->b, parts, 2, axis));
}

/* A slope for all, or one for each channel (axis 1). */
static MlirValue slopes(ImportCall *c, const ImportShape *x) {
  MlirValue w = torch_tensor(c, "weight");
  ImportShape ws = import_shape(c, w);
  if (!w.ptr || ws.rank != 1) return w;
  return import_is_size(ws.dims[0], 1) || x->rank < 2 ? x->rank ? w : tcc_build_reshape(&c->b, w, 0, NULL)
                                                      : torch_channels(c, w, x->rank);
}

bool torch_op_prelu(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  MlirValue w = slopes(c, &shape);
  return x.ptr && w.ptr && torch_output(c, 0, torch_if(c, torch_is(c, "gt", x, 0), x, torch_mul(c, x, w)));
}

/* The gradients in self and, of the weight's shape broadcast to self's, in weight. */
bool torch_op_prelu_backward(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), grad = torch_tensor(c, "grad_output"), w = torch_tensor(c, "weight");
  if (!x.ptr || !grad.ptr || !w.ptr) return false;
  MlirValue up = torch_is(c, "gt", x, 0);
  return torch_output(c, 0, torch_if(c, up, grad, torch_mul(c, w, grad))) &&
         torch_output(c, 1, torch_if(c, up, torch_constant(c, tcc_value_elem(grad), 0), torch_mul(c, x, grad)));
}

/* ---- gradients: y = d result / d self, times grad ---- */
static MlirValue gelu_slope(ImportCall *c, MlirValue x) {
  if (tcc_str_is(torch_string(c, "approximate"), "tanh")) {
    double k = sqrt(2 / M_PI), cube = 0.044715;
    MlirValue square = torch_mul(c, x, x),
              inner = torch_times(c, torch_add(c, x, torch_times(c, torch_mul(c, square, x), cube)), k);
    MlirValue t = tcc_build1(&c->b, TCC_OP_TANH, inner), left = torch_times(c, torch_plus(c, t, 1), 0.5);
    MlirValue slope = torch_times(c, torch_plus(c, torch_times(c, square, 3 * cube), 1), k);
    return torch_add(c, left, torch_times(c, torch_mul(c, torch_mul(c, x, torch_from(c, 1, torch_mul(c, t, t))), slope), 0.5));
  }
  MlirValue cdf = torch_times(c, torch_plus(c, tcc_build1(&c->b, TCC_OP_ERF, torch_times(c, x, M_SQRT1_2)), 1), 0.5);
  MlirValue pdf = torch_times(c, tcc_build1(&c->b, TCC_OP_EXP, torch_times(c, torch_mul(c, x, x), -0.5)), 1 / sqrt(2 * M_PI));
  return torch_add(c, cdf, torch_mul(c, x, pdf));
}

bool torch_op_activation_backward(ImportCall *c) {
  bool of_output = c->kind == ACT_SIGMOID || c->kind == ACT_TANH;
  const char *gradient = torch_has_parameter(c, "grad_out") ? "grad_out" : "grad_output";
  MlirValue grad = torch_tensor(c, gradient),
            x = torch_tensor(c, c->kind == ACT_ELU ? "self_or_result"
                                : of_output        ? "output"
                                                   : "self"),
            y = {NULL};
  if (!grad.ptr || !x.ptr) return false;
  TccElem elem = tcc_value_elem(grad), wide = torch_wide(elem);
  grad = torch_convert(c, grad, wide), x = torch_convert(c, x, wide);
  MlirValue one = torch_constant(c, wide, 1), zero = torch_constant(c, wide, 0), s, t;
  double a, b;
  switch (c->kind) {
  case ACT_THRESHOLD: return activated(c, torch_if(c, torch_is(c, "le", x, torch_float(c, "threshold")), zero, grad));
  case ACT_SIGMOID: y = torch_mul(c, x, torch_from(c, 1, x)); break;
  case ACT_TANH: y = torch_from(c, 1, torch_mul(c, x, x)); break;
  case ACT_SILU:
    s = sigmoid(c, x);
    y = torch_mul(c, s, torch_plus(c, torch_mul(c, x, torch_from(c, 1, s)), 1));
    break;
  case ACT_GELU: y = gelu_slope(c, x); break;
  case ACT_MISH:
    s = sigmoid(c, x), t = tcc_build1(&c->b, TCC_OP_TANH, tcc_build1(&c->b, TCC_OP_SOFTPLUS, x));
    y = torch_add(c, t, torch_mul(c, torch_mul(c, x, s), torch_from(c, 1, torch_mul(c, t, t))));
    break;
  case ACT_HARDSWISH:
    y = torch_if(c, torch_is(c, "le", x, -3), zero,
                 torch_if(c, torch_is(c, "lt", x, 3), torch_plus(c, torch_times(c, x, 1.0 / 3), 0.5), one));
    break;
  case ACT_HARDSIGMOID:
    t = tcc_build2(&c->b, TCC_OP_AND, torch_is(c, "gt", x, -3), torch_is(c, "lt", x, 3));
    return activated(c, torch_if(c, t, torch_times(c, grad, 1.0 / 6), zero));
  case ACT_HARDTANH:
    t = tcc_build2(&c->b, TCC_OP_OR, torch_is(c, "le", x, torch_float(c, "min_val")),
                   torch_is(c, "ge", x, torch_float(c, "max_val")));
    return activated(c, torch_if(c, t, zero, grad));
  case ACT_HARDSHRINK:
  case ACT_SOFTSHRINK:
    a = torch_float(c, "lambd");
    return activated(c, torch_if(c, torch_is(c, "le", tcc_build1(&c->b, TCC_OP_ABS, x), a), zero, grad));
  case ACT_LEAKY_RELU:
    y = torch_if(c, torch_is(c, "gt", x, 0), one, torch_constant(c, wide, torch_float(c, "negative_slope")));
    break;
  case ACT_ELU: {
    double alpha = torch_float(c, "alpha"), scale = torch_float(c, "scale"), input_scale = torch_float(c, "input_scale");
    bool of_result = torch_bool(c, "is_result");
    t = of_result ? torch_times(c, torch_plus(c, x, alpha * scale), input_scale)
                  : torch_times(c, tcc_build1(&c->b, TCC_OP_EXP, torch_times(c, x, input_scale)), alpha * scale * input_scale);
    y = torch_if(c, torch_is(c, "le", x, 0), t, torch_constant(c, wide, scale));
    break;
  }
  case ACT_SOFTPLUS:
    a = torch_float(c, "beta"), b = torch_float(c, "threshold");
    s = torch_times(c, x, a);
    y = torch_if(c, torch_is(c, "gt", s, b), one, sigmoid(c, s));
    break;
  case ACT_LOG_SIGMOID: y = sigmoid(c, torch_neg(c, x)); break;
  case ACT_LOGIT: /* 1 / (x (1 - x)) within [eps, 1 - eps], else 0; without eps NaN outside of [0, 1] */
    a = torch_given(c, "eps") ? torch_float(c, "eps") : -1;
    b = a < 0 ? 0 : a;
    t = tcc_build2(&c->b, TCC_OP_OR, torch_is(c, "lt", x, b), torch_is(c, "gt", x, 1 - b));
    y = torch_if(c, t, torch_constant(c, wide, a < 0 ? NAN : 0), torch_div(c, one, torch_mul(c, x, torch_from(c, 1, x))));
    break;
  default: break;
  }
  return activated(c, torch_mul(c, y, grad));
}

/* output * (grad - sum(grad * output)); of log_softmax grad - e^output * sum(grad). */
bool torch_op_softmax_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), y = torch_tensor(c, "output");
  ImportShape shape = import_shape(c, y);
  int64_t axis;
  if (!grad.ptr || !y.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  TccElem wide = torch_wide(shape.elem);
  grad = torch_convert(c, grad, wide), y = torch_convert(c, y, wide);
  MlirValue sum = c->kind == TCC_OP_SOFTMAX ? torch_mul(c, grad, y) : grad;
  if (shape.rank) sum = torch_sum(c, sum, &axis, 1, true);
  if (c->kind == TCC_OP_SOFTMAX) return activated(c, torch_mul(c, y, torch_sub(c, grad, sum)));
  return activated(c, torch_sub(c, grad, torch_mul(c, tcc_build1(&c->b, TCC_OP_EXP, y), sum)));
}
