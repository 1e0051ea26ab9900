/* ops_special.c - special functions that the table of ops has not: as formulas, in f64. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue number(ImportCall *c, double x) { return torch_constant(c, TCC_ELEM_F64, x); }

MlirValue torch_polynomial(ImportCall *c, MlirValue x, const double *coefficients, int count) {
  MlirValue y = number(c, coefficients[count - 1]);
  for (int k = count - 2; k >= 0; k--) y = torch_plus(c, torch_mul(c, y, x), coefficients[k]);
  return y;
}

/* ---- the gamma function: Stirling's series, from 8 on, where recurrence and reflection lead (DLMF 5.5, 5.11) ---- */
enum { SHIFT = 8 };

/* sum of terms[k] / z^(2 k + 1) */
static MlirValue series(ImportCall *c, MlirValue z, const double *terms, int count) {
  MlirValue inverse = one_op(c, TCC_OP_RECIPROCAL, z), square = torch_mul(c, inverse, inverse), y = number(c, terms[count - 1]);
  for (int k = count - 2; k >= 0; k--) y = torch_plus(c, torch_mul(c, y, square), terms[k]);
  return torch_mul(c, y, inverse);
}

/* ln gamma(x) for x >= 0.5 */
static MlirValue log_gamma_right(ImportCall *c, MlirValue x) {
  static const double terms[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  MlirValue z = torch_plus(c, x, SHIFT), product = x;
  for (int k = 1; k < SHIFT; k++) product = torch_mul(c, product, torch_plus(c, x, k));
  MlirValue y = torch_sub(c, torch_mul(c, torch_plus(c, z, -0.5), one_op(c, TCC_OP_LOG, z)), z);
  y = torch_add(c, torch_plus(c, y, 0.5 * log(2 * M_PI)), series(c, z, terms, 7));
  y = torch_sub(c, y, one_op(c, TCC_OP_LOG, product));
  MlirValue large = torch_is(c, "gt", x, 1e30); /* where the product overflows, and the shift is nothing */
  return torch_if(c, large, torch_mul(c, x, torch_plus(c, one_op(c, TCC_OP_LOG, x), -1)), y);
}

/* x less the nearest even number, for functions of pi x: in [-1, 1]. */
static MlirValue turn(ImportCall *c, MlirValue x) {
  return torch_sub(c, x, torch_times(c, one_op(c, TCC_OP_ROUND, torch_times(c, x, 0.5)), 2));
}

MlirValue torch_log_gamma(ImportCall *c, MlirValue x) {
  MlirValue left = torch_is(c, "lt", x, 0.5), right = torch_if(c, left, torch_from(c, 1, x), x);
  MlirValue y = log_gamma_right(c, right), angle = torch_times(c, turn(c, x), M_PI);
  MlirValue sine = one_op(c, TCC_OP_ABS, one_op(c, TCC_OP_SIN, angle));
  MlirValue mirrored = torch_sub(c, torch_from(c, log(M_PI), one_op(c, TCC_OP_LOG, sine)), y);
  MlirValue pole =
      tcc_build2(&c->b, TCC_OP_AND, torch_is(c, "le", x, 0), tcc_build_compare(&c->b, "eq", x, one_op(c, TCC_OP_FLOOR, x)));
  y = torch_if(c, left, mirrored, y);
  return torch_if(c, pole, number(c, INFINITY), y); /* at -infinity, too */
}

bool torch_op_log_gamma(ImportCall *c) { return torch_answer(c, torch_log_gamma(c, torch_tensor_as(c, "self", TCC_ELEM_F64))); }

/* ln of the multivariate gamma function: p (p - 1) / 4 ln pi + sum of ln gamma(x - j / 2), j below p */
bool torch_op_log_gamma_of(ImportCall *c) {
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_F64), y = {NULL};
  int64_t p = torch_int(c, "p");
  if (!x.ptr || c->reason) return false;
  if (p < 1 || p > 64) return import_unsupported(c, "p %lld", (long long)p);
  for (int64_t j = 0; j < p; j++) {
    MlirValue term = torch_log_gamma(c, torch_plus(c, x, -0.5 * (double)j));
    y = j ? torch_add(c, y, term) : term;
  }
  return torch_answer(c, torch_plus(c, y, (double)(p * (p - 1)) / 4 * log(M_PI)));
}

/* d ln gamma(x) / dx; at negative whole numbers NaN, at zeros an infinity of the other sign. */
MlirValue torch_digamma(ImportCall *c, MlirValue x) {
  static const double terms[] = {0, -1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240, -1.0 / 132, 691.0 / 32760};
  MlirValue left = torch_is(c, "lt", x, 0.5), right = torch_if(c, left, torch_from(c, 1, x), x), z = torch_plus(c, right, SHIFT);
  MlirValue half = torch_times(c, one_op(c, TCC_OP_RECIPROCAL, z), -0.5);
  MlirValue tail = torch_mul(c, series(c, z, terms + 1, 6), one_op(c, TCC_OP_RECIPROCAL, z));
  MlirValue y = torch_add(c, torch_add(c, one_op(c, TCC_OP_LOG, z), half), tail);
  for (int k = 0; k < SHIFT; k++) y = torch_sub(c, y, one_op(c, TCC_OP_RECIPROCAL, torch_plus(c, right, k)));
  MlirValue angle = torch_times(c, turn(c, x), M_PI);
  y = torch_if(c, left, torch_sub(c, y, torch_div(c, number(c, M_PI), one_op(c, TCC_OP_TAN, angle))), y);
  MlirValue whole =
      tcc_build2(&c->b, TCC_OP_AND, torch_is(c, "lt", x, 0), tcc_build_compare(&c->b, "eq", x, one_op(c, TCC_OP_FLOOR, x)));
  y = torch_if(c, whole, number(c, NAN), y);
  return torch_if(c, torch_is(c, "eq", x, 0), torch_neg(c, one_op(c, TCC_OP_RECIPROCAL, x)), y);
}

/* The derivative of digamma for x >= 0.5 (DLMF 5.15.5, 5.15.8). */
static MlirValue trigamma_right(ImportCall *c, MlirValue x) {
  static const double terms[] = {1, 1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6};
  MlirValue z = torch_plus(c, x, SHIFT), inverse = one_op(c, TCC_OP_RECIPROCAL, z);
  MlirValue y = torch_add(c, series(c, z, terms, 8), torch_times(c, torch_mul(c, inverse, inverse), 0.5));
  for (int k = 0; k < SHIFT; k++) {
    MlirValue term = one_op(c, TCC_OP_RECIPROCAL, torch_plus(c, x, k));
    y = torch_add(c, y, torch_mul(c, term, term));
  }
  return y;
}

/* By reflection left of 1/2, as torch has it. */
MlirValue torch_trigamma(ImportCall *c, MlirValue x) {
  MlirValue left = torch_is(c, "lt", x, 0.5), y = trigamma_right(c, torch_if(c, left, torch_from(c, 1, x), x));
  MlirValue sine = torch_times(c, one_op(c, TCC_OP_SIN, torch_times(c, turn(c, x), M_PI)), M_1_PI);
  return torch_if(c, left, torch_sub(c, one_op(c, TCC_OP_RECIPROCAL, torch_mul(c, sine, sine)), y), y);
}

bool torch_op_digamma(ImportCall *c) { return torch_answer(c, torch_digamma(c, torch_tensor_as(c, "self", TCC_ELEM_F64))); }

/* The inverse of erf in f32 (Giles 2012): polynomials of w = -ln((1 - x) (1 + x)) around 2.5 and, from 5 on, of its root around
 * 3. */
static MlirValue erf_inverse_f32(ImportCall *c, MlirValue x) {
  static const double near[] = {1.50140941f,      0.246640727f,    -0.00417768164f, -0.00125372503f, 0.00021858087f,
                                -4.39150654e-06f, -3.5233877e-06f, 3.43273939e-07f, 2.81022636e-08f},
                      far[] = {2.83297682f,     1.00167406f,    0.00943887047f,  -0.0076224613f,  0.00573950773f,
                               -0.00367342844f, 0.00134934322f, 0.000100950558f, -0.000200214257f};
  MlirValue w = torch_neg(c, one_op(c, TCC_OP_LOG, torch_mul(c, torch_from(c, 1, x), torch_plus(c, x, 1)))),
            y[2] = {{NULL}, {NULL}};
  for (int i = 0; i < 2; i++) {
    const double *terms = i ? far : near;
    MlirValue v = i ? torch_plus(c, one_op(c, TCC_OP_SQRT, w), -3) : torch_plus(c, w, -2.5);
    y[i] = torch_constant(c, TCC_ELEM_F32, terms[8]);
    for (int k = 7; k >= 0; k--) y[i] = torch_plus(c, torch_mul(c, y[i], v), terms[k]);
  }
  return torch_mul(c, x, torch_if(c, torch_is(c, "lt", w, 5), y[0], y[1]));
}

static MlirValue infinite_ends(ImportCall *c, MlirValue x, MlirValue y) {
  return torch_if(c, torch_is(c, "eq", one_op(c, TCC_OP_ABS, x), 1), torch_times(c, x, INFINITY), y);
}

/* In f64 Winitzki's approximation, and Newton's steps. */
bool torch_op_erfinv(ImportCall *c) {
  const double a = 0.147;
  const bool narrow = torch_result(c, 0) != TCC_ELEM_F64;
  MlirValue x = torch_tensor_as(c, "self", narrow ? TCC_ELEM_F32 : TCC_ELEM_F64);
  if (!x.ptr) return false;
  if (narrow) return torch_answer(c, infinite_ends(c, x, erf_inverse_f32(c, x)));
  MlirValue log = one_op(c, TCC_OP_LOG1P, torch_neg(c, torch_mul(c, x, x)));
  MlirValue b = torch_plus(c, torch_times(c, log, 0.5), 2 / (M_PI * a));
  MlirValue root = one_op(c, TCC_OP_SQRT, torch_sub(c, torch_mul(c, b, b), torch_times(c, log, 1 / a)));
  MlirValue y = one_op(c, TCC_OP_SQRT, torch_sub(c, root, b));
  y = torch_if(c, torch_is(c, "lt", x, 0), torch_neg(c, y), y);
  for (int i = 0; i < 3; i++) {
    MlirValue slope = torch_times(c, one_op(c, TCC_OP_EXP, torch_neg(c, torch_mul(c, y, y))), M_2_SQRTPI);
    y = torch_sub(c, y, torch_div(c, torch_sub(c, one_op(c, TCC_OP_ERF, y), x), slope));
  }
  return torch_answer(c, infinite_ends(c, x, y));
}

/* ---- modified Bessel functions of the first kind, orders 0 and 1 (DLMF 10.25.2, 10.40.1) ---- */
enum { BESSEL_TERMS = 32, BESSEL_FAR = 15, BESSEL_FAR_TERMS = 20 }; /* relative errors up to 3e-13, on both sides of 15 */

/* For x >= 0: the power series times e^-x, whose terms have one sign; from 15 on the asymptotic one. */
static MlirValue bessel_scaled(ImportCall *c, int order, MlirValue x) {
  MlirValue square = torch_times(c, torch_mul(c, x, x), 0.25), near = number(c, 1), far = number(c, 1);
  for (int k = BESSEL_TERMS; k > 0; k--)
    near = torch_plus(c, torch_times(c, torch_mul(c, near, square), 1.0 / (k * (k + order))), 1);
  near = torch_mul(c, near, one_op(c, TCC_OP_EXP, torch_neg(c, x)));
  if (order) near = torch_mul(c, near, torch_times(c, x, 0.5));
  MlirValue inverse = one_op(c, TCC_OP_RECIPROCAL, x);
  for (int k = BESSEL_FAR_TERMS; k > 0; k--) {
    double odd = 2 * k - 1, ratio = (odd * odd - 4 * order * order) / (8.0 * k);
    far = torch_plus(c, torch_times(c, torch_mul(c, far, inverse), ratio), 1);
  }
  far = torch_div(c, far, one_op(c, TCC_OP_SQRT, torch_times(c, x, 2 * M_PI)));
  return torch_if(c, torch_is(c, "ge", x, BESSEL_FAR), far, near);
}

/* kind: the order; BESSEL_SCALED more: times e^-|x|. */
bool torch_op_bessel(ImportCall *c) {
  const int order = c->kind % BESSEL_SCALED;
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_F64);
  if (!x.ptr) return false;
  MlirValue size = one_op(c, TCC_OP_ABS, x), y = bessel_scaled(c, order, size);
  if (c->kind < BESSEL_SCALED) {
    y = torch_mul(c, y, one_op(c, TCC_OP_EXP, size));
    y = torch_if(c, torch_is(c, "eq", size, INFINITY), size, y);
  }
  return torch_answer(c, order ? torch_if(c, torch_is(c, "lt", x, 0), torch_neg(c, y), y) : y);
}

/* ---- Chebyshev's polynomials, of the cosine of an angle, and beyond 1 of a hyperbolic one (DLMF 18.5) ---- */
/* For x >= 0: T cos(n t); U sin((n + 1) t) / sin t; V cos((n + 1/2) t) / cos(t / 2); W sin((n + 1/2) t) / sin(t / 2). */
static MlirValue chebyshev_right(ImportCall *c, int kind, MlirValue x, MlirValue n) {
  MlirValue beyond = torch_is(c, "gt", x, 1), one = number(c, 1), y[2];
  const double more = kind == CHEBYSHEV_T ? 0 : kind == CHEBYSHEV_U ? 1 : 0.5;
  const bool odd = kind == CHEBYSHEV_U || kind == CHEBYSHEV_W;
  for (int i = 0; i < 2; i++) { /* within, beyond */
    MlirValue angle = one_op(c, i ? TCC_OP_ACOSH : TCC_OP_ACOS, i ? torch_if(c, beyond, x, one) : torch_if(c, beyond, one, x));
    TccOpKind wave = i ? odd ? TCC_OP_SINH : TCC_OP_COSH : odd ? TCC_OP_SIN : TCC_OP_COS;
    y[i] = one_op(c, wave, torch_mul(c, angle, torch_plus(c, n, more)));
    if (kind != CHEBYSHEV_T) y[i] = torch_div(c, y[i], one_op(c, wave, torch_times(c, angle, more)));
  }
  MlirValue r = torch_if(c, beyond, y[1], y[0]);
  if (!odd) return r;
  return torch_if(c, torch_is(c, "eq", x, 1), kind == CHEBYSHEV_U ? torch_plus(c, n, 1) : torch_plus(c, torch_times(c, n, 2), 1),
                  r);
}

/* kind: which of them; CHEBYSHEV_SHIFTED more: of 2 x - 1. Of a negative n it is 0. */
bool torch_op_chebyshev(ImportCall *c) {
  const int kind = c->kind % CHEBYSHEV_SHIFTED;
  MlirValue v[] = {torch_operand(c, "x", TCC_ELEM_F64), one_op(c, TCC_OP_TRUNC, torch_operand(c, "n", TCC_ELEM_F64))};
  ImportShape shape;
  if (!v[0].ptr || !v[1].ptr || !torch_broadcast_all(c, v, 2, &shape)) return false;
  MlirValue x = c->kind >= CHEBYSHEV_SHIFTED ? torch_plus(c, torch_times(c, v[0], 2), -1) : v[0], n = v[1];
  MlirValue left = torch_is(c, "lt", x, 0), size = one_op(c, TCC_OP_ABS, x);
  const int mirror = kind == CHEBYSHEV_V ? CHEBYSHEV_W : kind == CHEBYSHEV_W ? CHEBYSHEV_V : kind;
  MlirValue y = chebyshev_right(c, kind, size, n), other = mirror == kind ? y : chebyshev_right(c, mirror, size, n);
  MlirValue odd = torch_is(c, "eq", tcc_build2_number(&c->b, TCC_OP_MOD, n, 2), 1);
  y = torch_if(c, left, torch_if(c, odd, torch_neg(c, other), other), y);
  return torch_answer(c, torch_if(c, torch_is(c, "lt", n, 0), number(c, 0), y));
}
