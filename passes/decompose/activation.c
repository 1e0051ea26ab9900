/* activation.c - expansions of elementwise composites. Branches are selects, so that the branch not taken may overflow.
 *
 * With tcc.numerics = "eager" the steps are those of PyTorch's CPU kernels (ATen/native/cpu/Activation.cpp), each of which rounds. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue add(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_ADD, a, b); }
static MlirValue mul(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_MUL, a, b); }
static MlirValue divide(TccExpand *x, MlirValue a, MlirValue b) { return tcc_build2(x->b, TCC_OP_DIV, a, b); }

/* v < 0 ? negative : v */
static MlirValue below_zero(TccExpand *x, MlirValue v, MlirValue negative) {
  return tcc_build_select(x->b, tcc_build_compare(x->b, "lt", v, tcc_ex_scalar(x, 0)), negative, v);
}

/* max(v, 0) + ln(1 + e^-|v|): neither overflows nor loses small results. PyTorch: ln(1 + e^v) up to 20, v above. */
static MlirValue softplus(TccExpand *x, MlirValue v) {
  if (x->eager) {
    MlirValue usual = tcc_build1(x->b, TCC_OP_LOG1P, tcc_build1(x->b, TCC_OP_EXP, v));
    return tcc_build_select(x->b, tcc_build_compare(x->b, "gt", v, tcc_ex_scalar(x, 20)), v, usual);
  }
  MlirValue tail =
      tcc_build1(x->b, TCC_OP_LOG1P, tcc_build1(x->b, TCC_OP_EXP, tcc_build1(x->b, TCC_OP_NEG, tcc_build1(x->b, TCC_OP_ABS, v))));
  return add(x, tcc_build2(x->b, TCC_OP_MAX, v, tcc_ex_scalar(x, 0)), tail);
}

/* max(0, min(1, alpha * v + beta)) */
static MlirValue hard_sigmoid(TccExpand *x, MlirValue v, double alpha, double beta) {
  MlirValue line = tcc_ex_plus(x, tcc_ex_times(x, v, alpha), beta);
  return tcc_build2(x->b, TCC_OP_MAX, tcc_build2(x->b, TCC_OP_MIN, line, tcc_ex_scalar(x, 1)), tcc_ex_scalar(x, 0));
}

/* min(max(v + 3, 0), 6), which PyTorch divides by 6 */
static MlirValue six_sigmoid(TccExpand *x, MlirValue v) {
  MlirValue above = tcc_build2(x->b, TCC_OP_MAX, tcc_ex_plus(x, v, 3), tcc_ex_scalar(x, 0));
  return tcc_build2(x->b, TCC_OP_MIN, above, tcc_ex_scalar(x, 6));
}

/* gamma (v < 0 ? alpha (e^v - 1) : v) */
static MlirValue selu(TccExpand *x, MlirValue v, double alpha, double gamma) {
  MlirValue power = tcc_build1(x->b, TCC_OP_EXPM1, v);
  if (!x->eager) return tcc_ex_times(x, below_zero(x, v, tcc_ex_times(x, power, alpha)), gamma);
  MlirValue below = tcc_ex_times(x, power, alpha * gamma), above = tcc_ex_times(x, v, gamma);
  return tcc_build_select(x->b, tcc_build_compare(x->b, "lt", v, tcc_ex_scalar(x, 0)), below, above);
}

/* 1 + e^(-alpha * v); e^ overflows to infinity for very negative v, and 1/inf is the right 0 */
static MlirValue sigmoid_divisor(TccExpand *x, MlirValue v, double alpha) {
  MlirValue exponent = alpha == 1 ? tcc_build1(x->b, TCC_OP_NEG, v) : tcc_ex_times(x, v, -alpha);
  return tcc_ex_plus(x, tcc_build1(x->b, TCC_OP_EXP, exponent), 1);
}

/* (1 + tanh u) / 2 = 1 / (1 + e^-2u): half the instructions, and small results keep their digits. */
static MlirValue gelu(TccExpand *x, MlirValue v) {
  bool by_tanh = tcc_str_is(tcc_string(x->ir, x->op, "approximate"), "tanh");
  if (by_tanh && x->eager) {
    MlirValue cube = mul(x, mul(x, v, v), v), inner = tcc_ex_times(x, add(x, v, tcc_ex_times(x, cube, 0.044715)), sqrt(2 / M_PI));
    return mul(x, tcc_ex_times(x, v, 0.5), tcc_ex_plus(x, tcc_build1(x->b, TCC_OP_TANH, inner), 1));
  }
  if (by_tanh) {
    double scale = -2 * sqrt(2 / M_PI);
    MlirValue rate = tcc_ex_plus(x, tcc_ex_times(x, mul(x, v, v), scale * 0.044715), scale);
    return divide(x, v, tcc_ex_plus(x, tcc_build1(x->b, TCC_OP_EXP, mul(x, v, rate)), 1));
  }
  MlirValue inner = tcc_build1(x->b, TCC_OP_ERF, tcc_ex_times(x, v, M_SQRT1_2));
  return mul(x, tcc_ex_times(x, v, 0.5), tcc_ex_plus(x, inner, 1));
}

/* tanh(ln(1 + t)) for t = e^v is t (t + 2) / (t (t + 2) + 2), which is 1 to doubles from 20 on: one exponential, and a division. */
static MlirValue tanh_softplus(TccExpand *x, MlirValue v) {
  MlirValue t = tcc_build1(x->b, TCC_OP_EXP, tcc_build2(x->b, TCC_OP_MIN, v, tcc_ex_scalar(x, 20)));
  MlirValue n = mul(x, t, tcc_ex_plus(x, t, 2));
  return divide(x, n, tcc_ex_plus(x, n, 2));
}

bool tcc_expand_activation(TccExpand *x, MlirValue *results) {
  if (x->eager && x->kind == TCC_OP_SOFTSIGN) x->compute = x->elem; /* three ops of PyTorch */
  MlirValue v = tcc_ex_in(x, 0), r = {NULL};
  double alpha = 0, beta = 0;
  if (x->kind != TCC_OP_RELU) tcc_get_f64(x->ir, x->op, "alpha", &alpha);
  switch (x->kind) {
  case TCC_OP_RELU: r = tcc_build2(x->b, TCC_OP_MAX, v, tcc_ex_scalar(x, 0)); break;
  case TCC_OP_LEAKY_RELU: r = below_zero(x, v, tcc_ex_times(x, v, alpha)); break;
  case TCC_OP_PRELU: {
    MlirValue slope = tcc_ex_in(x, 1);
    r = below_zero(x, v, mul(x, v, slope));
    break;
  }
  case TCC_OP_ELU: r = below_zero(x, v, tcc_ex_times(x, tcc_build1(x->b, TCC_OP_EXPM1, v), alpha)); break;
  case TCC_OP_SELU: r = selu(x, v, alpha, tcc_f64(x->ir, x->op, "gamma")); break;
  case TCC_OP_CELU:
    r = below_zero(x, v, tcc_ex_times(x, tcc_build1(x->b, TCC_OP_EXPM1, tcc_ex_times(x, v, 1 / alpha)), alpha));
    break;
  case TCC_OP_SIGMOID: r = tcc_build1(x->b, TCC_OP_RECIPROCAL, sigmoid_divisor(x, v, 1)); break;
  case TCC_OP_HARD_SIGMOID:
    beta = tcc_f64(x->ir, x->op, "beta");
    if (x->eager && (float)alpha == 1.0F / 6 && beta == 0.5) r = divide(x, six_sigmoid(x, v), tcc_ex_scalar(x, 6));
    else r = hard_sigmoid(x, v, alpha, beta);
    break;
  case TCC_OP_HARD_SWISH:
    if (x->eager) r = divide(x, mul(x, v, six_sigmoid(x, v)), tcc_ex_scalar(x, 6));
    else r = mul(x, v, hard_sigmoid(x, v, 1.0 / 6, 0.5));
    break;
  case TCC_OP_SWISH: r = divide(x, v, sigmoid_divisor(x, v, alpha)); break;
  case TCC_OP_SOFTPLUS: r = softplus(x, v); break;
  case TCC_OP_SOFTSIGN: r = divide(x, v, tcc_ex_plus(x, tcc_build1(x->b, TCC_OP_ABS, v), 1)); break;
  case TCC_OP_MISH: r = mul(x, v, x->eager ? tcc_build1(x->b, TCC_OP_TANH, softplus(x, v)) : tanh_softplus(x, v)); break;
  case TCC_OP_GELU: r = gelu(x, v); break;
  default: return tcc_ex_fail(x, "has no expansion");
  }
  results[0] = tcc_ex_out(x, r);
  return results[0].ptr != NULL;
}

bool tcc_expand_clamp(TccExpand *x, MlirValue *results) {
  MlirValue low = tcc_ex_operand(x, 1), high = tcc_ex_operand(x, 2);
  results[0] = tcc_ex_operand(x, 0);
  if (low.ptr) results[0] = tcc_build2(x->b, TCC_OP_MAX, results[0], low);
  if (high.ptr) results[0] = tcc_build2(x->b, TCC_OP_MIN, results[0], high);
  return results[0].ptr != NULL;
}
