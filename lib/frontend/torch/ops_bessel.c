/* ops_bessel.c - Bessel functions of orders 0 and 1, spherical ones, Airy's function: as formulas, in f64 (DLMF 9, 10).
 *
 * Near 0 they are power series, whose cancellation bounds how far "near" reaches; beyond, those that oscillate are Hankel's asymptotic
 * series, and those that decay an integral over cosh, of which the trapezoidal rule is exact to the last digits in a few steps. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue number(ImportCall *c, double x) { return torch_constant(c, TCC_ELEM_F64, x); }

#define EULER 0.57721566490153286061
enum { TERMS = 36 }; /* of power series, up to (x/2)^2 = 36 */

/* The series of an order in q = (x/2)^2: sum of sign^k q^k / (k! (k + order)!), and the same with psi(k + 1) + psi(k + 1 + order) as a
 * factor, which stands in second solutions (DLMF 10.8.1, 10.31.1). */
static void power_series(ImportCall *c, MlirValue q, int order, int sign, MlirValue *plain, MlirValue *with_psi) {
  double terms[TERMS], psi[TERMS], term = 1, harmonic = 0;
  for (int k = 0; k < TERMS; k++) {
    if (k) term *= sign / ((double)k * (k + order)), harmonic += 1.0 / k;
    terms[k] = term, psi[k] = term * (2 * harmonic + (order ? 1.0 / (k + 1) : 0) - 2 * EULER);
  }
  *plain = torch_polynomial(c, q, terms, TERMS);
  *with_psi = torch_polynomial(c, q, psi, TERMS);
}

/* ---- functions that oscillate ---- */
enum { FAR_TERMS = 12 }; /* of each of the two series */

/* amplitude (P cos angle - Q sin angle), P and Q being the even and odd terms of sum i^k u[k] / x^k */
static MlirValue far_wave(ImportCall *c, MlirValue x, MlirValue angle, MlirValue amplitude, const double *u) {
  double even[FAR_TERMS], odd[FAR_TERMS];
  for (int k = 0; k < FAR_TERMS; k++) {
    const int sign = k % 2 ? -1 : 1;
    even[k] = sign * u[2 * k], odd[k] = sign * u[2 * k + 1];
  }
  MlirValue inverse = one_op(c, TCC_OP_RECIPROCAL, x), square = torch_mul(c, inverse, inverse);
  MlirValue p = torch_mul(c, torch_polynomial(c, square, even, FAR_TERMS), one_op(c, TCC_OP_COS, angle));
  MlirValue q = torch_mul(c, torch_mul(c, torch_polynomial(c, square, odd, FAR_TERMS), inverse), one_op(c, TCC_OP_SIN, angle));
  return torch_mul(c, amplitude, torch_sub(c, p, q));
}

/* J and Y of an order, for x >= 12 (DLMF 10.17.3). Y is J a quarter of a turn back. */
static MlirValue far_bessel(ImportCall *c, MlirValue x, int order, bool second) {
  double u[2 * FAR_TERMS] = {1};
  for (int k = 1; k < 2 * FAR_TERMS; k++) u[k] = u[k - 1] * (4 * order * order - (2.0 * k - 1) * (2 * k - 1)) / (8.0 * k);
  MlirValue amplitude = one_op(c, TCC_OP_RSQRT, torch_times(c, x, M_PI_2));
  return far_wave(c, x, torch_plus(c, x, -M_PI_4 - M_PI_2 * (order + second)), amplitude, u);
}

/* kind: BESSEL_J0, J1, Y0 or Y1. */
bool torch_op_bessel_wave(ImportCall *c) {
  const bool second = c->kind >= BESSEL_Y0;
  const int order = c->kind == BESSEL_J1 || c->kind == BESSEL_Y1;
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_F64), plain, with_psi;
  if (!x.ptr) return false;
  MlirValue size = second ? x : one_op(c, TCC_OP_ABS, x), half = torch_times(c, size, 0.5);
  power_series(c, torch_mul(c, half, half), order, -1, &plain, &with_psi);
  MlirValue y = order ? torch_mul(c, plain, half) : plain;
  if (second) {
    MlirValue psi = order ? torch_mul(c, with_psi, half) : with_psi;
    y = torch_sub(c, torch_times(c, torch_mul(c, one_op(c, TCC_OP_LOG, half), y), 2), psi);
    if (order) y = torch_sub(c, y, one_op(c, TCC_OP_RECIPROCAL, half));
    y = torch_if(c, torch_is(c, "eq", x, 0), number(c, -INFINITY), torch_times(c, y, M_1_PI));
  }
  y = torch_if(c, torch_is(c, "gt", size, 12), far_bessel(c, size, order, second), y);
  return torch_answer(c, order && !second ? torch_if(c, torch_is(c, "lt", x, 0), torch_neg(c, y), y) : y);
}

/* sin(x) / x; at infinity 0. */
bool torch_op_spherical_bessel(ImportCall *c) {
  MlirValue x = torch_tensor_as(c, "x", TCC_ELEM_F64);
  if (!x.ptr) return false;
  MlirValue y = torch_if_number(c, torch_is(c, "ne", x, 0), torch_div(c, one_op(c, TCC_OP_SIN, x), x), 1);
  return torch_answer(c, torch_if(c, torch_is(c, "eq", one_op(c, TCC_OP_ABS, x), INFINITY), number(c, 0), y));
}

/* ---- functions that decay ---- */
/* e^x K(x) of an order, for x >= 1.8: integral of e^(-x (cosh t - 1)) cosh(order t) from 0 on (DLMF 10.32.9), with steps as wide as the
 * integrand asks. */
static MlirValue decaying(ImportCall *c, MlirValue x, double order) {
  enum { STEPS = 14 };
  MlirValue step = torch_times(c, one_op(c, TCC_OP_RSQRT, torch_plus(c, x, 4)), 0.7), sum = number(c, 0.5);
  for (int k = 1; k <= STEPS; k++) {
    MlirValue t = torch_times(c, step, k), s = one_op(c, TCC_OP_SINH, torch_times(c, t, 0.5));
    MlirValue y = one_op(c, TCC_OP_EXP, torch_times(c, torch_mul(c, x, torch_mul(c, s, s)), -2));
    sum = torch_add(c, sum, order == 0 ? y : torch_mul(c, y, one_op(c, TCC_OP_COSH, torch_times(c, t, order))));
  }
  return torch_if(c, torch_is(c, "eq", x, INFINITY), number(c, 0), torch_mul(c, sum, step));
}

/* kind: the order; BESSEL_SCALED more: times e^x. */
bool torch_op_bessel_second(ImportCall *c) {
  const int order = c->kind % BESSEL_SCALED;
  const bool scaled = c->kind >= BESSEL_SCALED;
  MlirValue x = torch_tensor_as(c, torch_has_parameter(c, "self") ? "self" : "x", TCC_ELEM_F64), plain, with_psi;
  if (!x.ptr) return false;
  MlirValue half = torch_times(c, x, 0.5), near;
  power_series(c, torch_mul(c, half, half), order, 1, &plain, &with_psi);
  with_psi = torch_times(c, with_psi, 0.5);
  if (order) plain = torch_mul(c, plain, half), with_psi = torch_mul(c, with_psi, half);
  near = torch_mul(c, one_op(c, TCC_OP_LOG, half), plain);
  near = order ? torch_add(c, torch_sub(c, near, with_psi), one_op(c, TCC_OP_RECIPROCAL, x)) : torch_sub(c, with_psi, near);
  near = torch_if(c, torch_is(c, "eq", x, 0), number(c, INFINITY), near);
  MlirValue far = decaying(c, x, order);
  if (scaled) near = torch_mul(c, near, one_op(c, TCC_OP_EXP, x));
  else far = torch_mul(c, far, one_op(c, TCC_OP_EXP, torch_neg(c, x)));
  return torch_answer(c, torch_if(c, torch_is(c, "gt", x, 2), far, near));
}

/* ---- Airy's function Ai (DLMF 9.4.1, 9.6.2, 9.7.9) ---- */
bool torch_op_airy(ImportCall *c) {
  enum { NEAR_TERMS = 36 };
  const double at_zero = 0.35502805388781723926, slope = 0.25881940379280679840;
  double f[NEAR_TERMS] = {at_zero}, g[NEAR_TERMS] = {-slope}, u[2 * FAR_TERMS] = {1};
  for (int k = 1; k < NEAR_TERMS; k++) f[k] = f[k - 1] / (3.0 * k * (3 * k - 1)), g[k] = g[k - 1] / (3.0 * k * (3 * k + 1));
  for (int k = 1; k < 2 * FAR_TERMS; k++)
    u[k] = -u[k - 1] * (6.0 * k - 5) * (6.0 * k - 3) * (6.0 * k - 1) / (216.0 * k * (2 * k - 1));
  MlirValue x = torch_tensor_as(c, "x", TCC_ELEM_F64);
  if (!x.ptr) return false;
  MlirValue size = one_op(c, TCC_OP_ABS, x), root = one_op(c, TCC_OP_SQRT, size), cube = torch_mul(c, x, torch_mul(c, x, x));
  MlirValue zeta = torch_times(c, torch_mul(c, size, root), 2.0 / 3);
  MlirValue near =
      torch_add(c, torch_polynomial(c, cube, f, NEAR_TERMS), torch_mul(c, x, torch_polynomial(c, cube, g, NEAR_TERMS)));
  MlirValue right = torch_mul(c, decaying(c, zeta, 1.0 / 3), one_op(c, TCC_OP_EXP, torch_neg(c, zeta)));
  right = torch_times(c, torch_mul(c, right, root), M_1_PI / sqrt(3));
  MlirValue left = far_wave(c, zeta, torch_plus(c, zeta, -M_PI_4), one_op(c, TCC_OP_RSQRT, torch_times(c, root, M_PI)), u);
  MlirValue y = torch_if(c, torch_is(c, "gt", x, 2), right, torch_if(c, torch_is(c, "lt", x, -7.5), left, near));
  return torch_answer(c, torch_if(c, torch_is(c, "eq", size, INFINITY), number(c, NAN), y));
}
