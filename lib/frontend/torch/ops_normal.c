/* ops_normal.c - the complementary error function, also scaled, and logarithm and inverse of the normal distribution, in f64. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue number(ImportCall *c, double x) { return torch_constant(c, TCC_ELEM_F64, x); }

/* e^(x^2) erfc(x) for x >= 0: from 1 on the trapezoidal rule for x / pi integral of e^(-t^2) / (x^2 + t^2), with what its pole adds
 * (Matta and Reichel 1971); h = 1/2 is exact to e^(-4 pi^2). */
static MlirValue scaled_right(ImportCall *c, MlirValue x) {
  enum { STEPS = 12 };
  const double h = 0.5;
  MlirValue square = torch_mul(c, x, x), grow = one_op(c, TCC_OP_EXP, square);
  MlirValue near = torch_mul(c, grow, torch_from(c, 1, one_op(c, TCC_OP_ERF, x)));
  MlirValue sum = torch_times(c, one_op(c, TCC_OP_RECIPROCAL, square), 0.5);
  for (int k = 1; k <= STEPS; k++) {
    MlirValue place = torch_plus(c, square, k * k * h * h);
    sum = torch_add(c, sum, torch_times(c, one_op(c, TCC_OP_RECIPROCAL, place), exp(-k * k * h * h)));
  }
  MlirValue far = torch_times(c, torch_mul(c, sum, x), 2 * h / M_PI);
  MlirValue pole = torch_div(c, torch_times(c, grow, 2), torch_from(c, 1, one_op(c, TCC_OP_EXP, torch_times(c, x, 2 * M_PI / h))));
  far = torch_if(c, torch_is(c, "lt", x, M_PI / h), torch_add(c, far, pole), far);
  far = torch_if(c, torch_is(c, "gt", x, 1e8), torch_times(c, one_op(c, TCC_OP_RECIPROCAL, x), 1 / sqrt(M_PI)), far);
  return torch_if(c, torch_is(c, "lt", x, 1), near, far);
}

static MlirValue scaled_erfc(ImportCall *c, MlirValue x) {
  MlirValue size = one_op(c, TCC_OP_ABS, x), y = scaled_right(c, size);
  MlirValue mirrored = torch_sub(c, torch_times(c, one_op(c, TCC_OP_EXP, torch_mul(c, x, x)), 2), y);
  return torch_if(c, torch_is(c, "lt", x, 0), mirrored, y);
}

bool torch_op_scaled_erfc(ImportCall *c) { return torch_answer(c, scaled_erfc(c, torch_tensor_as(c, "self", TCC_ELEM_F64))); }

/* 1 - erf(x), of which nothing would be left where x is large. */
bool torch_op_erfc(ImportCall *c) {
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_F64), size = one_op(c, TCC_OP_ABS, x);
  if (!x.ptr) return false;
  MlirValue far = torch_mul(c, scaled_right(c, size), one_op(c, TCC_OP_EXP, torch_neg(c, torch_mul(c, x, x))));
  far = torch_if(c, torch_is(c, "lt", x, 0), torch_from(c, 2, far), far);
  return torch_answer(c, torch_if(c, torch_is(c, "lt", size, 1), torch_from(c, 1, one_op(c, TCC_OP_ERF, x)), far));
}

/* ln of the part of the normal distribution below x, of which `scaled` is scaled_erfc(|x| / sqrt 2). */
static MlirValue log_below(ImportCall *c, MlirValue x, MlirValue scaled) {
  MlirValue square = torch_times(c, torch_mul(c, x, x), -0.5),
            tail = torch_times(c, scaled, 0.5); /* the part beyond |x|, times e^(x^2/2) */
  MlirValue left = torch_add(c, one_op(c, TCC_OP_LOG, tail), square);
  MlirValue right = one_op(c, TCC_OP_LOG1P, torch_neg(c, torch_mul(c, tail, one_op(c, TCC_OP_EXP, square))));
  return torch_if(c, torch_is(c, "lt", x, 0), left, right);
}

bool torch_op_log_normal_below(ImportCall *c) {
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_F64);
  if (!x.ptr) return false;
  return torch_answer(c, log_below(c, x, scaled_right(c, torch_times(c, one_op(c, TCC_OP_ABS, x), M_SQRT1_2))));
}

/* The x that the part p of the normal distribution lies below: of the smaller of p and 1 - p by Newton's steps on its logarithm, which is
 * concave, from -sqrt(-2 ln (2 p)) on. */
bool torch_op_normal_quantile(ImportCall *c) {
  enum { STEPS = 6 };
  MlirValue p = torch_tensor_as(c, "self", TCC_ELEM_F64);
  if (!p.ptr) return false;
  MlirValue upper = torch_is(c, "gt", p, 0.5), part = torch_if(c, upper, torch_from(c, 1, p), p);
  part = torch_if(c, torch_is(c, "gt", part, 0), part, number(c, 0.5));
  MlirValue goal = one_op(c, TCC_OP_LOG, part);
  MlirValue x =
      torch_neg(c, one_op(c, TCC_OP_SQRT, torch_times(c, tcc_build2_number(&c->b, TCC_OP_MIN, torch_plus(c, goal, M_LN2), 0), -2)));
  for (int i = 0; i < STEPS; i++) {
    MlirValue scaled = scaled_right(c, torch_times(c, x, -M_SQRT1_2));
    MlirValue step = torch_mul(c, torch_sub(c, log_below(c, x, scaled), goal), torch_times(c, scaled, 0.5 * sqrt(2 * M_PI)));
    x = torch_sub(c, x, step); /* the density over the part is sqrt(2 / pi) / scaled */
  }
  x = torch_if(c, upper, torch_neg(c, x), x);
  x = torch_if(c, torch_is(c, "eq", p, 0), number(c, -INFINITY), torch_if(c, torch_is(c, "eq", p, 1), number(c, INFINITY), x));
  MlirValue inside = torch_both(c, torch_is(c, "ge", p, 0), torch_is(c, "le", p, 1));
  return torch_answer(c, torch_if_number(c, inside, x, NAN));
}
