/* ops_random_gamma.c - numbers of gamma and Dirichlet distributions, and what they change by with their parameters.
 *
 * A gamma number is drawn by rejection (Marsaglia and Tsang 2000), which takes more than 0.95 of its proposals. A run draws TRIES of them ahead and
 * keeps the first that is taken; that none is has a probability below 1e-13, and the last one stands then. Derivatives at a number that was drawn,
 * -(dF / dparameter) / (dF / dx) (Figurnov et al. 2018), are torch's approximations, in f64 (ATen/native/Distributions.h). */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

enum { TRIES = 10 };

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue number(ImportCall *c, double x) { return torch_constant(c, TCC_ELEM_F64, x); }
static MlirValue power(ImportCall *c, MlirValue x, MlirValue y) { return tcc_build2(&c->b, TCC_OP_POW, x, y); }
static MlirValue over(ImportCall *c, double a, MlirValue b) { return torch_div(c, number(c, a), b); }
static MlirValue square(ImportCall *c, MlirValue x) { return torch_mul(c, x, x); }
static MlirValue less(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build_compare(&c->b, "lt", a, b); }

/* ---- drawing ---- */
static MlirValue uniform(ImportCall *c, const ImportShape *s) {
  ImportStream stream;
  return import_stream(c, &stream) ? import_random_uniform(c, &stream, TCC_ELEM_F64, s->rank, s->dims) : (MlirValue){NULL};
}

static MlirValue normal(ImportCall *c, const ImportShape *s) {
  ImportStream stream;
  return import_stream(c, &stream) ? import_random_normal(c, &stream, TCC_ELEM_F64, s->rank, s->dims) : (MlirValue){NULL};
}

/* The logarithms of numbers of the distribution with shape alpha (f64) and scale 1: numbers themselves are too small where alpha is. */
static MlirValue log_gamma_numbers(ImportCall *c, MlirValue alpha) {
  ImportShape s = import_shape(c, alpha);
  MlirValue small = torch_is(c, "lt", alpha, 1), shape = torch_if(c, small, torch_plus(c, alpha, 1), alpha);
  MlirValue d = torch_plus(c, shape, -1.0 / 3), scale = one_op(c, TCC_OP_RSQRT, torch_times(c, d, 9)), r = {NULL};
  for (int i = 0; i < TRIES; i++) { /* the last proposal first, so that the first that is taken stands */
    MlirValue x = normal(c, &s), u = torch_from(c, 1, uniform(c, &s)), y = torch_plus(c, torch_mul(c, x, scale), 1);
    MlirValue valid = torch_is(c, "gt", y, 0), root = torch_if_number(c, valid, y, 1);
    MlirValue log = torch_times(c, one_op(c, TCC_OP_LOG, root), 3), cube = torch_mul(c, square(c, root), root);
    MlirValue limit = torch_add(c, torch_times(c, square(c, x), 0.5), torch_mul(c, d, torch_add(c, torch_from(c, 1, cube), log)));
    MlirValue taken = torch_both(c, valid, less(c, one_op(c, TCC_OP_LOG, u), limit));
    r = i ? torch_if(c, taken, log, r) : log;
  }
  MlirValue boost = torch_div(c, one_op(c, TCC_OP_LOG, torch_from(c, 1, uniform(c, &s))), alpha);
  r = torch_add(c, r, one_op(c, TCC_OP_LOG, d));
  return torch_if(c, small, torch_add(c, r, boost), r);
}

/* In the type of the result, at least its smallest normal number, as torch has it. */
static bool put_positive(ImportCall *c, MlirValue y) {
  const TccElem elem = torch_result(c, 0);
  const double least = elem == TCC_ELEM_F64 ? 0x1p-1022 : elem == TCC_ELEM_F16 ? 0x1p-14 : 0x1p-126;
  y = torch_if(c, less(c, y, number(c, least)), number(c, least), y);
  return elem && torch_output(c, 0, torch_convert(c, y, elem));
}

bool torch_op_standard_gamma(ImportCall *c) {
  MlirValue alpha = torch_tensor_as(c, "self", TCC_ELEM_F64);
  return alpha.ptr && put_positive(c, one_op(c, TCC_OP_EXP, log_gamma_numbers(c, alpha)));
}

/* Gamma numbers as shares of their sum over the last axis. */
bool torch_op_sample_dirichlet(ImportCall *c) {
  MlirValue alpha = torch_tensor_as(c, "self", TCC_ELEM_F64);
  if (!alpha.ptr) return false;
  const int64_t last = import_shape(c, alpha).rank - 1;
  if (last < 0) return import_invalid(c, "a number, not a vector");
  MlirValue log = log_gamma_numbers(c, alpha);
  MlirValue y = one_op(c, TCC_OP_EXP, torch_sub(c, log, tcc_build_reduce(&c->b, "max", log, &last, 1, true)));
  return put_positive(c, torch_div(c, y, torch_sum(c, y, &last, 1, true)));
}

/* ---- d x / d alpha of a gamma number x ---- */
/* Its series, for x < 0.8. */
static MlirValue gamma_small(ImportCall *c, MlirValue x, MlirValue alpha) {
  MlirValue term = number(c, 1), at = alpha, sum = over(c, 1, alpha), squares = over(c, 1, square(c, alpha));
  for (int i = 1; i <= 5; i++) {
    term = torch_mul(c, term, torch_times(c, x, -1.0 / i));
    at = torch_plus(c, at, 1);
    sum = torch_add(c, sum, torch_div(c, term, at));
    squares = torch_add(c, squares, torch_div(c, term, square(c, at)));
  }
  MlirValue factor = torch_sub(c, one_op(c, TCC_OP_LOG, x), torch_digamma(c, alpha));
  MlirValue r = torch_sub(c, squares, torch_mul(c, factor, sum)); /* times x^alpha, by x^(alpha - 1) e^-x */
  r = torch_mul(c, torch_mul(c, r, x), one_op(c, TCC_OP_EXP, x));
  return torch_if(c, one_op(c, TCC_OP_IS_NAN, r), number(c, 0), r);
}

/* Rice's expansion, for alpha > 8; near the middle its limit. */
static MlirValue gamma_large(ImportCall *c, MlirValue x, MlirValue a) {
  MlirValue a2 = square(c, a),
            near = torch_plus(c, torch_times(c, torch_mul(c, a, torch_plus(c, torch_times(c, a, 12), 1)), 24), 1);
  MlirValue second =
      torch_add(c, torch_times(c, a2, 1440), torch_mul(c, torch_times(c, x, 6), torch_from(c, 53, torch_times(c, x, 120))));
  second = torch_sub(c, second, torch_div(c, torch_times(c, square(c, x), 65), a));
  second = torch_add(c, second, torch_mul(c, a, torch_plus(c, torch_times(c, x, 3600), 107)));
  near = torch_div(c, torch_mul(c, near, second), torch_times(c, square(c, a2), 1244160));
  MlirValue root = one_op(c, TCC_OP_SQRT, torch_times(c, a, 8)), apart = torch_sub(c, a, x),
            log = one_op(c, TCC_OP_LOG, torch_div(c, x, a));
  MlirValue third = power(c, torch_neg(c, torch_add(c, apart, torch_mul(c, a, log))), number(c, -1.5));
  MlirValue both = torch_add(c, torch_div(c, root, apart), torch_if(c, less(c, x, a), torch_neg(c, third), third));
  MlirValue first = torch_div(c, torch_mul(c, one_op(c, TCC_OP_SQRT, over(c, 2, a)), torch_add(c, a, x)), square(c, apart));
  MlirValue sum = torch_sub(c, torch_mul(c, log, both), first);
  MlirValue stirling = torch_plus(c, torch_mul(c, over(c, 1.0 / 12, a), torch_plus(c, over(c, 1.0 / 24, a), 1)), 1);
  MlirValue far = torch_neg(c, torch_div(c, torch_mul(c, stirling, torch_mul(c, x, sum)), root));
  MlirValue middle = torch_both(c, tcc_build_compare(&c->b, "le", torch_times(c, a, 0.9), x),
                                tcc_build_compare(&c->b, "le", x, torch_times(c, a, 1.1)));
  return torch_if(c, middle, near, far);
}

/* A rational function of two logarithms, for all else. */
static MlirValue gamma_between(ImportCall *c, MlirValue x, MlirValue alpha) {
  static const double terms[3][8] = {
      {0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089, 0.0014179084},
      {0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915, -0.00058392623},
      {0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07}};
  MlirValue u = one_op(c, TCC_OP_LOG, torch_div(c, x, alpha)), v = one_op(c, TCC_OP_LOG, alpha), parts[2];
  for (int half = 0; half < 2; half++) {
    MlirValue sum = {NULL};
    for (int i = 3; i >= 0; i--) {
      const double of_u[] = {terms[0][4 * half + i], terms[1][4 * half + i], terms[2][4 * half + i]};
      MlirValue term = torch_polynomial(c, u, of_u, 3);
      sum = i == 3 ? term : torch_add(c, term, torch_mul(c, v, sum));
    }
    parts[half] = sum;
  }
  return one_op(c, TCC_OP_EXP, torch_div(c, parts[0], parts[1]));
}

bool torch_op_standard_gamma_grad(ImportCall *c) {
  MlirValue alpha = torch_tensor_as(c, "self", TCC_ELEM_F64), x = torch_tensor_as(c, "output", TCC_ELEM_F64);
  if (!alpha.ptr || !x.ptr) return false;
  MlirValue r = torch_if(c, torch_is(c, "gt", alpha, 8), gamma_large(c, x, alpha), gamma_between(c, x, alpha));
  return torch_answer(c, torch_if(c, torch_is(c, "lt", x, 0.8), gamma_small(c, x, alpha), r));
}

/* ---- d x / d alpha of a beta number x of alpha and beta ---- */
static MlirValue beta_low(ImportCall *c, MlirValue x, MlirValue alpha, MlirValue beta) { /* x near 0 */
  MlirValue factor =
      torch_sub(c, torch_sub(c, torch_digamma(c, alpha), torch_digamma(c, torch_add(c, alpha, beta))), one_op(c, TCC_OP_LOG, x));
  MlirValue term = number(c, 1), inverse = over(c, 1, alpha), sum = torch_mul(c, inverse, torch_add(c, factor, inverse));
  for (int i = 1; i <= 10; i++) {
    term = torch_mul(c, term, torch_times(c, torch_mul(c, torch_from(c, i, beta), x), 1.0 / i));
    inverse = over(c, 1, torch_plus(c, alpha, i));
    sum = torch_add(c, sum, torch_mul(c, torch_mul(c, term, inverse), torch_add(c, factor, inverse)));
  }
  MlirValue r = torch_mul(c, torch_mul(c, x, power(c, torch_from(c, 1, x), torch_neg(c, beta))), sum);
  return torch_if(c, one_op(c, TCC_OP_IS_NAN, r), number(c, 0), r);
}

static MlirValue beta_high(ImportCall *c, MlirValue x, MlirValue alpha, MlirValue beta) { /* the same by beta */
  MlirValue factor = torch_sub(c, torch_digamma(c, torch_add(c, alpha, beta)), torch_digamma(c, beta));
  MlirValue term = number(c, 1), betas = term, slopes = number(c, 0), sum = torch_div(c, factor, alpha);
  for (int i = 1; i <= 8; i++) {
    MlirValue rest = torch_plus(c, beta, -i);
    term = torch_mul(c, term, torch_times(c, x, -1.0 / i));
    slopes = torch_add(c, torch_mul(c, slopes, rest), betas);
    betas = torch_mul(c, betas, rest);
    sum = torch_add(c, sum,
                    torch_mul(c, torch_div(c, term, torch_plus(c, alpha, i)), torch_add(c, slopes, torch_mul(c, factor, betas))));
  }
  MlirValue r = torch_neg(c, torch_mul(c, power(c, torch_from(c, 1, x), torch_from(c, 1, beta)), sum));
  return torch_if(c, one_op(c, TCC_OP_IS_NAN, r), number(c, 0), r);
}

/* 1 + 1 / (12 x) + 1 / (288 x^2) */
static MlirValue stirling(ImportCall *c, MlirValue x) {
  static const double terms[] = {1, 1.0 / 12, 1.0 / 288};
  return torch_polynomial(c, over(c, 1, x), terms, 3);
}

/* The middle, where alpha and beta are large. */
static MlirValue beta_near(ImportCall *c, MlirValue x, MlirValue a, MlirValue b, MlirValue total) {
  MlirValue rest = torch_from(c, 1, x), b2 = square(c, b), b3 = torch_mul(c, b2, b);
  MlirValue y = torch_mul(c, torch_times(c, rest, 8), torch_plus(c, torch_times(c, b, 135), -11));
  MlirValue t = torch_plus(c, torch_sub(c, torch_mul(c, torch_times(c, b, 1620), rest), torch_times(c, x, 455)), 453);
  y = torch_add(c, torch_mul(c, t, b), torch_mul(c, a, y));
  t = torch_plus(c, torch_sub(c, torch_times(c, b, 180), torch_times(c, x, 90)), 59);
  y = torch_add(c, torch_mul(c, torch_times(c, t, 3), b2), torch_mul(c, a, y));
  t = torch_plus(c, torch_mul(c, torch_times(c, torch_plus(c, torch_times(c, b, 27), 16), 20), x), 43);
  y = torch_add(c, torch_mul(c, t, b3), torch_mul(c, a, y));
  y = torch_add(c, torch_mul(c, torch_times(c, x, 47), square(c, b2)), torch_mul(c, a, y));
  MlirValue above = torch_div(c, torch_mul(c, torch_plus(c, torch_times(c, a, 12), 1), torch_plus(c, torch_times(c, b, 12), 1)),
                              square(c, total));
  MlirValue below = torch_mul(c, torch_times(c, torch_mul(c, torch_mul(c, square(c, a), a), b2), 12960),
                              torch_plus(c, torch_times(c, total, 12), 1));
  return torch_div(c, torch_mul(c, torch_div(c, above, rest), y), below);
}

/* Large alpha and beta. */
static MlirValue beta_middle(ImportCall *c, MlirValue x, MlirValue a, MlirValue b) {
  MlirValue total = torch_add(c, a, b), mean = torch_div(c, a, total), product = torch_mul(c, a, b), back = torch_plus(c, x, -1);
  MlirValue spread = torch_div(c, one_op(c, TCC_OP_SQRT, torch_div(c, product, torch_plus(c, total, 1))), total);
  MlirValue near = torch_is(c, "le", torch_div(c, one_op(c, TCC_OP_ABS, torch_sub(c, x, mean)), spread), 0.1);
  MlirValue factor = torch_neg(c, torch_div(c, x, one_op(c, TCC_OP_SQRT, torch_div(c, torch_times(c, product, 2), total))));
  factor = torch_mul(c, factor, torch_div(c, torch_mul(c, stirling(c, a), stirling(c, b)), stirling(c, total)));
  MlirValue cross = torch_add(c, torch_mul(c, a, back), torch_mul(c, b, x));
  MlirValue first =
      torch_sub(c, torch_mul(c, torch_add(c, torch_times(c, square(c, a), 2), product), back), torch_mul(c, x, square(c, b)));
  MlirValue below = torch_mul(c, one_op(c, TCC_OP_SQRT, torch_div(c, torch_times(c, a, 2), b)), power(c, total, number(c, 1.5)));
  first = torch_div(c, first, torch_mul(c, below, square(c, cross)));
  MlirValue ratio = one_op(c, TCC_OP_LOG, torch_div(c, a, torch_mul(c, total, x)));
  MlirValue third = torch_div(c, one_op(c, TCC_OP_SQRT, torch_div(c, torch_times(c, product, 8), total)), cross);
  MlirValue other = one_op(c, TCC_OP_LOG, torch_div(c, b, torch_mul(c, total, torch_from(c, 1, x))));
  MlirValue fourth = power(c, torch_add(c, torch_mul(c, b, other), torch_mul(c, a, ratio)), number(c, -1.5));
  fourth = torch_if(c, less(c, x, mean), fourth, torch_neg(c, fourth));
  MlirValue far = torch_mul(c, factor, torch_add(c, first, torch_mul(c, torch_times(c, ratio, 0.5), torch_add(c, third, fourth))));
  return torch_if(c, near, beta_near(c, x, a, b, total), far);
}

static MlirValue beta_between(ImportCall *c, MlirValue x, MlirValue alpha, MlirValue beta, MlirValue total) {
  static const double terms[2][3][3][4] = {{{{1.003668233, -0.01061107488, -0.0657888334, 0.01201642863},
                                             {0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033},
                                             {-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013}},
                                            {{0.221950385, -0.3187676331, 0.01799915743, 0.01074823814},
                                             {-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057},
                                             {0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05}},
                                            {{-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565},
                                             {0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181},
                                             {0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05}}},
                                           {{{1, -0.02924021934, -0.04438342661, 0.007285809825},
                                             {0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521},
                                             {-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149}},
                                            {{0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273},
                                             {0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956},
                                             {-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05}},
                                            {{0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05},
                                             {0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05},
                                             {-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06}}}};
  MlirValue u = one_op(c, TCC_OP_LOG, x), a = torch_sub(c, one_op(c, TCC_OP_LOG, alpha), u),
            b = torch_sub(c, one_op(c, TCC_OP_LOG, total), a), sums[2];
  for (int half = 0; half < 2; half++) {
    MlirValue sum = {NULL};
    for (int i = 2; i >= 0; i--) {
      MlirValue of_a = {NULL};
      for (int j = 2; j >= 0; j--) {
        MlirValue term = torch_polynomial(c, b, terms[half][i][j], 4);
        of_a = j == 2 ? term : torch_add(c, term, torch_mul(c, a, of_a));
      }
      sum = i == 2 ? of_a : torch_add(c, of_a, torch_mul(c, u, sum));
    }
    sums[half] = sum;
  }
  MlirValue near = torch_div(c, torch_mul(c, x, torch_sub(c, torch_digamma(c, total), torch_digamma(c, alpha))), beta);
  return torch_mul(c, torch_div(c, sums[0], sums[1]), near);
}

bool torch_op_dirichlet_grad(ImportCall *c) {
  MlirValue t[] = {torch_tensor_as(c, "x", TCC_ELEM_F64), torch_tensor_as(c, "alpha", TCC_ELEM_F64),
                   torch_tensor_as(c, "total", TCC_ELEM_F64)};
  ImportShape shape;
  if (!t[0].ptr || !t[1].ptr || !t[2].ptr || !torch_broadcast_all(c, t, 3, &shape)) return false;
  MlirValue x = t[0], alpha = t[1], total = t[2], beta = torch_sub(c, total, alpha), rest = torch_from(c, 1, x);
  MlirValue bound = torch_mul(c, total, torch_mul(c, x, rest));
  MlirValue large = torch_both(c, torch_is(c, "gt", alpha, 6), torch_is(c, "gt", beta, 6));
  MlirValue low = torch_both(c, torch_is(c, "le", x, 0.5), torch_is(c, "lt", bound, 2.5)),
            high = torch_both(c, torch_is(c, "ge", x, 0.5), torch_is(c, "lt", bound, 0.75));
  MlirValue r = torch_if(c, large, beta_middle(c, x, alpha, beta), beta_between(c, x, alpha, beta, total));
  r = torch_if(c, high, torch_neg(c, beta_high(c, rest, beta, alpha)), r);
  return torch_answer(c, torch_if(c, low, beta_low(c, x, alpha, beta), r));
}
