/* ops_gamma.c - the zeta function, polygamma, and incomplete gamma functions, in f64 (DLMF 25.11, 5.15, 8.7, 8.9). How long their sums are
 * depends on data: loops of the run-time. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue number(ImportCall *c, double x) { return torch_constant(c, TCC_ELEM_F64, x); }
static MlirValue is_whole(ImportCall *c, MlirValue x) { return tcc_build_compare(&c->b, "eq", x, one_op(c, TCC_OP_FLOOR, x)); }
static MlirValue is_nan(ImportCall *c, MlirValue x) { return one_op(c, TCC_OP_IS_NAN, x); }

/* ---- zeta(s, a) = sum of (a + k)^-s, k from 0 on ---- */
enum { ZETA_FAR = 10 };  /* from where on Euler and Maclaurin's series stands for the rest, */
enum { ZETA_LEAST = 9 }; /* behind so many terms */

/* a^-s; below 0, where s is whole, with its sign. */
static MlirValue zeta_term(ImportCall *c, MlirValue s, MlirValue a) {
  MlirValue y = tcc_build2(&c->b, TCC_OP_POW, one_op(c, TCC_OP_ABS, a), torch_neg(c, s));
  MlirValue odd = torch_is(c, "ne", tcc_build2_number(&c->b, TCC_OP_MOD, s, 2), 0);
  return torch_if(c, torch_both(c, torch_is(c, "lt", a, 0), odd), torch_neg(c, y), y);
}

/* values: a, the sum, how many terms it has. */
static MlirValue zeta_more(ImportCall *c, const MlirValue *values) {
  MlirValue few = torch_is(c, "lt", values[2], ZETA_LEAST);
  return torch_any(c, torch_either(c, torch_is(c, "lt", values[0], ZETA_FAR), few));
}
static MlirValue zeta_step(ImportCall *c, MlirValue *values, const void *user) {
  const MlirValue s = *(const MlirValue *)user;
  values[1] = torch_add(c, values[1], zeta_term(c, s, values[0]));
  values[0] = torch_plus(c, values[0], 1), values[2] = torch_plus(c, values[2], 1);
  return zeta_more(c, values);
}

/* s > 1 and a that is no whole number below 1, and above 0 unless s is whole; null where the loop cannot be. Both have one shape. */
static MlirValue zeta_regular(ImportCall *c, MlirValue s, MlirValue a) {
  static const double bernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};
  ImportShape shape = import_shape(c, a);
  MlirValue values[] = {a, torch_filled(c, number(c, 0), shape.rank, shape.dims),
                        torch_filled(c, number(c, 0), shape.rank, shape.dims)};
  if (!torch_iterate(c, zeta_more(c, values), values, 3, zeta_step, &s)) return (MlirValue){NULL};
  MlirValue end = values[0], term = zeta_term(c, s, end), inverse = one_op(c, TCC_OP_RECIPROCAL, end);
  MlirValue y = torch_add(c, torch_div(c, torch_mul(c, term, end), torch_plus(c, s, -1)), torch_times(c, term, 0.5));
  double factorial = 1;
  MlirValue factor = torch_mul(c, torch_mul(c, term, inverse), s); /* s (s + 1) ... (s + 2 j - 2) a^-(s + 2 j - 1) */
  for (int j = 1; j <= 8; j++) {
    factorial *= (2.0 * j - 1) * (2 * j);
    y = torch_add(c, y, torch_times(c, factor, bernoulli[j - 1] / factorial));
    MlirValue next = torch_mul(c, torch_plus(c, s, 2 * j - 1), torch_plus(c, s, 2 * j));
    factor = torch_mul(c, torch_mul(c, factor, next), torch_mul(c, inverse, inverse));
  }
  y = torch_add(c, values[1], y);
  return torch_if(c, torch_is(c, "eq", end, INFINITY), number(c, 0), y);
}

/* As torch: at s = 1 and at poles of a infinite; below 1, and where a power has no real value, NaN. */
static MlirValue zeta(ImportCall *c, MlirValue s, MlirValue a) {
  MlirValue left = torch_is(c, "le", a, 0), pole = torch_both(c, left, is_whole(c, a));
  MlirValue none = torch_either(c, torch_is(c, "lt", s, 1), torch_both(c, left, one_op(c, TCC_OP_NOT, is_whole(c, s))));
  none = torch_either(c, none, torch_either(c, is_nan(c, s), is_nan(c, a)));
  MlirValue one = torch_is(c, "eq", s, 1), skip = torch_either(c, torch_either(c, pole, none), one);
  MlirValue y = zeta_regular(c, torch_if(c, skip, number(c, 2), s), torch_if(c, skip, number(c, ZETA_FAR), a));
  MlirValue below = torch_either(c, torch_is(c, "lt", s, 1), torch_either(c, is_nan(c, s), is_nan(c, a)));
  y = torch_if(c, none, number(c, NAN), y);
  y = torch_if(c, torch_both(c, pole, one_op(c, TCC_OP_NOT, below)), number(c, INFINITY), y);
  return torch_if(c, one, number(c, INFINITY), y);
}

bool torch_op_zeta(ImportCall *c) {
  static const char *const names[] = {"self", "other"};
  MlirValue v[2];
  ImportShape shape;
  return torch_operands(c, names, 2, TCC_ELEM_F64, v, &shape) && torch_answer(c, zeta(c, v[0], v[1]));
}

/* The n-th derivative of digamma: (-1)^(n + 1) n! zeta(n + 1, x). */
bool torch_op_polygamma(ImportCall *c) {
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_F64);
  int64_t n = torch_int(c, "n");
  if (!x.ptr || c->reason) return false;
  if (n < 0) return import_invalid(c, "derivative %lld", (long long)n);
  if (n == 0) return torch_answer(c, torch_digamma(c, x));
  if (n == 1) return torch_answer(c, torch_trigamma(c, x));
  ImportShape shape = import_shape(c, x);
  MlirValue order = torch_filled(c, number(c, (double)n + 1), shape.rank, shape.dims);
  return torch_answer(c, torch_times(c, zeta(c, order, x), (n % 2 ? 1 : -1) * tgamma((double)n + 1)));
}

/* ---- incomplete gamma functions ---- */
#define PRECISION 0x1p-52

typedef struct {
  MlirValue a, x;
} Incomplete;

/* values: a + k, the term x^k / ((a + 1) ... (a + k)), the sum of terms. */
static MlirValue series_more(ImportCall *c, const MlirValue *values) {
  return torch_any(c, tcc_build_compare(&c->b, "gt", values[1], torch_times(c, values[2], PRECISION)));
}
static MlirValue series_step(ImportCall *c, MlirValue *values, const void *user) {
  const Incomplete *of = user;
  values[0] = torch_plus(c, values[0], 1);
  values[1] = torch_mul(c, values[1], torch_div(c, of->x, values[0]));
  values[2] = torch_add(c, values[2], values[1]);
  return series_more(c, values);
}

/* values: k; b = x + 2 k + 1 - a; C, D and the product of Lentz's method; the last factor. */
static MlirValue fraction_more(ImportCall *c, const MlirValue *values) {
  MlirValue far = one_op(c, TCC_OP_ABS, torch_plus(c, values[5], -1));
  return torch_any(c, torch_is(c, "gt", far, 2 * PRECISION));
}
static MlirValue fraction_step(ImportCall *c, MlirValue *values, const void *user) {
  const Incomplete *of = user;
  values[0] = torch_plus(c, values[0], 1), values[1] = torch_plus(c, values[1], 2);
  MlirValue an = torch_mul(c, values[0], torch_sub(c, of->a, values[0]));
  values[3] = one_op(c, TCC_OP_RECIPROCAL, torch_add(c, torch_mul(c, an, values[3]), values[1]));
  values[2] = torch_add(c, values[1], torch_div(c, an, values[2]));
  values[5] = torch_mul(c, values[2], values[3]);
  values[4] = torch_mul(c, values[4], values[5]);
  return fraction_more(c, values);
}

/* The lower one P of finite a, x > 0, or the upper one Q = 1 - P: for x < a + 1 the series of P, else the continued fraction of Q. */
static MlirValue incomplete(ImportCall *c, MlirValue a, MlirValue x, bool upper) {
  ImportShape shape = import_shape(c, a);
  MlirValue one = torch_filled(c, number(c, 1), shape.rank, shape.dims),
            low = tcc_build_compare(&c->b, "lt", x, torch_plus(c, a, 1));
  Incomplete near = {a, torch_if(c, low, x, number(c, 0))}, far = {torch_if(c, low, one, a), torch_if(c, low, one, x)};
  MlirValue s[] = {a, one, one};
  if (!torch_iterate(c, series_more(c, s), s, 3, series_step, &near)) return (MlirValue){NULL};
  MlirValue b = torch_plus(c, torch_sub(c, far.x, far.a), 1), d = one_op(c, TCC_OP_RECIPROCAL, b);
  MlirValue f[] = {torch_times(c, one, 0), b, torch_times(c, one, 0x1p1000), d, d, torch_times(c, one, 2)};
  if (!torch_iterate(c, fraction_more(c, f), f, 6, fraction_step, &far)) return (MlirValue){NULL};
  MlirValue log = torch_sub(c, torch_mul(c, a, one_op(c, TCC_OP_LOG, x)), torch_add(c, x, torch_log_gamma(c, a)));
  MlirValue scale = one_op(c, TCC_OP_EXP, log);
  MlirValue p = torch_mul(c, scale, torch_div(c, s[2], a)), q = torch_mul(c, scale, f[4]);
  return upper ? torch_if(c, low, torch_from(c, 1, p), q) : torch_if(c, low, p, torch_from(c, 1, q));
}

/* igamma, igammac (kind 1): of self = a and other = x. */
bool torch_op_incomplete_gamma(ImportCall *c) {
  static const char *const names[] = {"self", "other"};
  const bool upper = c->kind;
  MlirValue v[2];
  ImportShape shape;
  if (!torch_operands(c, names, 2, TCC_ELEM_F64, v, &shape)) return false;
  MlirValue a = v[0], x = v[1], zero_a = torch_is(c, "eq", a, 0), zero_x = torch_is(c, "eq", x, 0);
  MlirValue far_a = torch_is(c, "eq", a, INFINITY), far_x = torch_is(c, "eq", x, INFINITY);
  MlirValue none = torch_either(c, torch_either(c, torch_is(c, "lt", a, 0), torch_is(c, "lt", x, 0)),
                                torch_either(c, is_nan(c, a), is_nan(c, x)));
  none = torch_either(c, none, torch_either(c, torch_both(c, zero_a, zero_x), torch_both(c, far_a, far_x)));
  MlirValue all = torch_either(c, zero_a, far_x), nothing = torch_either(c, zero_x, far_a), skip;
  skip = torch_either(c, none, torch_either(c, all, nothing));
  MlirValue y = incomplete(c, torch_if(c, skip, number(c, 1), a), torch_if(c, skip, number(c, 1), x), upper);
  y = torch_if(c, all, number(c, !upper), torch_if(c, nothing, number(c, upper), y));
  return torch_answer(c, torch_if(c, none, number(c, NAN), y));
}
