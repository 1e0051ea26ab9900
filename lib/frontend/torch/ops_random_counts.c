/* ops_random_counts.c - Poisson and binomial numbers.
 *
 * Those of a small mean: a uniform number is inverted from the mode outwards: from it the probability of the mode is taken away, then those of its
 * neighbours above and below in turn, until it is negative, and the number at hand is the result. Any order of the outcomes gives the distribution, this
 * one the fewest steps: some ten standard deviations. Each probability is the one before it times a ratio. Those of a large mean: by transformed
 * rejection (Hoermann 1993, PTRS and BTRS), which takes four of five proposals at once, whatever the mean is. In f64, loops of the run-time. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue number(ImportCall *c, double x) { return torch_constant(c, TCC_ELEM_F64, x); }
static MlirValue whole(ImportCall *c, MlirValue x) { return one_op(c, TCC_OP_FLOOR, x); }

/* m * log(x), 0 for m = 0. */
static MlirValue times_log(ImportCall *c, MlirValue m, MlirValue x) {
  return torch_if(c, torch_is(c, "eq", m, 0), number(c, 0), torch_mul(c, m, one_op(c, TCC_OP_LOG, x)));
}

/* The probability of k is that of k - 1 times factor * (trials + 1 - k) / k; without trials times factor / k. */
typedef struct {
  MlirValue mode, trials, factor;
} Counts;

static MlirValue ratio(ImportCall *c, const Counts *d, MlirValue k) {
  if (!d->trials.ptr) return torch_div(c, d->factor, k);
  return torch_div(c, torch_mul(c, d->factor, torch_sub(c, torch_plus(c, d->trials, 1), k)), k);
}

enum { REST, ABOVE, BELOW, STEP, RESULT, VALUES }; /* STEP: how far from the mode */

/* Whether one is not decided whose neighbours' probabilities are not behind all digits. */
static MlirValue undecided(ImportCall *c, const MlirValue *v) {
  MlirValue some = torch_is(c, "gt", torch_add(c, v[ABOVE], v[BELOW]), 1e-20);
  return torch_any(c, torch_both(c, torch_is(c, "ge", v[REST], 0), some));
}

static void take(ImportCall *c, MlirValue *v, MlirValue probability, MlirValue k) {
  MlirValue open = torch_is(c, "ge", v[REST], 0);
  v[RESULT] = torch_if(c, open, k, v[RESULT]);
  v[REST] = torch_sub(c, v[REST], probability);
}

static MlirValue step(ImportCall *c, MlirValue *v, const void *user) {
  const Counts *d = user;
  v[STEP] = torch_plus(c, v[STEP], 1);
  MlirValue above = torch_add(c, d->mode, v[STEP]), below = torch_sub(c, d->mode, v[STEP]), none = torch_is(c, "lt", below, 0);
  MlirValue up = ratio(c, d, above);
  if (d->trials.ptr) up = torch_if(c, tcc_build_compare(&c->b, "gt", above, d->trials), number(c, 0), up);
  v[ABOVE] = torch_mul(c, v[ABOVE], up);
  v[BELOW] = torch_if(c, none, number(c, 0), torch_div(c, v[BELOW], ratio(c, d, torch_plus(c, below, 1))));
  /* what has no probability is no result, if rounding should leave a rest */
  take(c, v, v[ABOVE], torch_if(c, torch_is(c, "gt", v[ABOVE], 0), above, v[RESULT]));
  take(c, v, v[BELOW], torch_if(c, torch_is(c, "gt", v[BELOW], 0), below, v[RESULT]));
  return undecided(c, v);
}

/* Numbers of that distribution, of whose mode the probability has this logarithm. */
static MlirValue counts(ImportCall *c, const Counts *d, MlirValue log) {
  ImportShape s = import_shape(c, d->mode);
  ImportStream stream;
  if (!log.ptr || !import_stream(c, &stream)) return (MlirValue){NULL};
  MlirValue p = one_op(c, TCC_OP_EXP, log), u = import_random_uniform(c, &stream, TCC_ELEM_F64, s.rank, s.dims);
  MlirValue v[VALUES] = {torch_sub(c, u, p), p, p, torch_filled(c, number(c, 0), s.rank, s.dims), d->mode};
  if (!torch_iterate(c, undecided(c, v), v, VALUES, step, d)) return (MlirValue){NULL};
  return v[RESULT];
}

/* ---- large means ---- */
enum { LARGE_RATE = 200, LARGE_MEAN = 1000 }; /* from which a Poisson and a binomial number take less time so */

/* A proposal is k = floor((2 a / (1/2 - |u|) + b) u + centre) of u in [-1/2, 1/2), the logarithm of whose probability is
 * k * log_factor - log k! + constant, with trials less log (trials - k)!. */
typedef struct {
  MlirValue centre, a, b, quick, log_alpha, log_factor, constant, trials;
  ImportStream streams[4];
} Rejection;

enum { TURN, TAKEN, OPEN, CARRIED };

static MlirValue propose(ImportCall *c, MlirValue *v, const void *user) {
  const Rejection *d = user;
  ImportShape s = import_shape(c, d->centre);
  MlirValue u = torch_plus(c, import_random_uniform_again(c, d->streams, v[TURN], s.rank, s.dims), -0.5);
  MlirValue w = torch_from(c, 1, import_random_uniform_again(c, d->streams + 2, v[TURN], s.rank, s.dims));
  MlirValue rest = torch_from(c, 0.5, one_op(c, TCC_OP_ABS, u));
  MlirValue k = torch_add(c, torch_mul(c, torch_add(c, torch_div(c, torch_times(c, d->a, 2), rest), d->b), u), d->centre);
  k = whole(c, k);
  MlirValue is_count = torch_is(c, "ge", k, 0);
  if (d->trials.ptr) is_count = torch_both(c, is_count, tcc_build_compare(&c->b, "le", k, d->trials));
  k = torch_if_number(c, is_count, k, 0);
  MlirValue log = torch_add(c, torch_sub(c, torch_mul(c, k, d->log_factor), torch_log_gamma(c, torch_plus(c, k, 1))), d->constant);
  if (d->trials.ptr) log = torch_sub(c, log, torch_log_gamma(c, torch_plus(c, torch_sub(c, d->trials, k), 1)));
  MlirValue height = torch_add(c, torch_div(c, d->a, torch_mul(c, rest, rest)), d->b);
  MlirValue under = torch_sub(c, torch_add(c, one_op(c, TCC_OP_LOG, w), d->log_alpha), one_op(c, TCC_OP_LOG, height));
  MlirValue quick = torch_both(c, torch_is(c, "ge", rest, 0.07), tcc_build_compare(&c->b, "le", w, d->quick));
  MlirValue fits = torch_both(c, is_count, torch_either(c, quick, tcc_build_compare(&c->b, "le", under, log)));
  v[TAKEN] = torch_if(c, torch_both(c, v[OPEN], fits), k, v[TAKEN]);
  v[OPEN] = torch_both(c, v[OPEN], one_op(c, TCC_OP_NOT, fits));
  v[TURN] = torch_plus(c, v[TURN], 1);
  return torch_any(c, v[OPEN]);
}

/* `otherwise` where the mean is not large. */
static MlirValue rejected(ImportCall *c, Rejection *d, MlirValue large, MlirValue otherwise) {
  for (int i = 0; i < 4; i++)
    if (!import_stream(c, &d->streams[i])) return (MlirValue){NULL};
  MlirValue v[CARRIED] = {torch_constant(c, TCC_ELEM_I64, 0), otherwise, large};
  return otherwise.ptr && torch_iterate(c, torch_any(c, large), v, CARRIED, propose, d) ? v[TAKEN] : (MlirValue){NULL};
}

static MlirValue is_large(ImportCall *c, MlirValue mean, double least) {
  return torch_both(c, torch_is(c, "ge", mean, least), torch_is(c, "lt", mean, INFINITY));
}

bool torch_op_poisson(ImportCall *c) {
  MlirValue rate = torch_tensor_as(c, "self", TCC_ELEM_F64);
  if (!rate.ptr) return false;
  MlirValue large = is_large(c, rate, LARGE_RATE), small = torch_if(c, large, number(c, 0), rate);
  const Counts d = {.mode = whole(c, small), .factor = small};
  MlirValue log = torch_sub(c, times_log(c, d.mode, small), torch_add(c, small, torch_log_gamma(c, torch_plus(c, d.mode, 1))));
  MlirValue r = counts(c, &d, log), mean = torch_if_number(c, large, rate, LARGE_RATE);
  Rejection e = {.centre = torch_plus(c, mean, 0.43),
                 .b = torch_plus(c, torch_times(c, one_op(c, TCC_OP_SQRT, mean), 2.53), 0.931)};
  e.a = torch_plus(c, torch_times(c, e.b, 0.02483), -0.059);
  e.quick = torch_from(c, 0.9277, torch_div(c, number(c, 3.6224), torch_plus(c, e.b, -2)));
  e.log_alpha = one_op(c, TCC_OP_LOG, torch_plus(c, torch_div(c, number(c, 1.1328), torch_plus(c, e.b, -3.4)), 1.1239));
  e.log_factor = one_op(c, TCC_OP_LOG, mean), e.constant = torch_neg(c, mean);
  return torch_answer(c, rejected(c, &e, large, r));
}

/* With the smaller one of both probabilities, and the result turned round. */
bool torch_op_binomial(ImportCall *c) {
  MlirValue t[] = {torch_tensor_as(c, "count", TCC_ELEM_F64), torch_tensor_as(c, "prob", TCC_ELEM_F64)};
  ImportShape shape;
  if (!t[0].ptr || !t[1].ptr || !torch_broadcast_all(c, t, 2, &shape)) return false;
  MlirValue turned = torch_is(c, "gt", t[1], 0.5), p = torch_if(c, turned, torch_from(c, 1, t[1]), t[1]);
  MlirValue large = is_large(c, torch_mul(c, t[0], p), LARGE_MEAN), n = torch_if(c, large, number(c, 0), t[0]),
            q = torch_from(c, 1, p);
  const Counts d = {.mode = whole(c, torch_mul(c, torch_plus(c, n, 1), p)), .trials = n, .factor = torch_div(c, p, q)};
  MlirValue rest = torch_sub(c, n, d.mode), log = torch_add(c, times_log(c, d.mode, p), times_log(c, rest, q));
  log = torch_add(c, log, torch_log_gamma(c, torch_plus(c, n, 1)));
  log = torch_sub(c, log, torch_add(c, torch_log_gamma(c, torch_plus(c, d.mode, 1)), torch_log_gamma(c, torch_plus(c, rest, 1))));
  MlirValue r = counts(c, &d, log);
  /* of 2000 trials with 1/2 where it is not large */
  n = torch_if_number(c, large, t[0], 2 * LARGE_MEAN), p = torch_if_number(c, large, p, 0.5), q = torch_from(c, 1, p);
  MlirValue mean = torch_mul(c, n, p), deviation = one_op(c, TCC_OP_SQRT, torch_mul(c, mean, q));
  MlirValue mode = whole(c, torch_mul(c, torch_plus(c, n, 1), p));
  Rejection e = {.centre = torch_plus(c, mean, 0.5), .b = torch_plus(c, torch_times(c, deviation, 2.53), 1.15), .trials = n};
  e.a = torch_add(c, torch_plus(c, torch_times(c, e.b, 0.0248), -0.0873), torch_times(c, p, 0.01));
  e.quick = torch_from(c, 0.92, torch_div(c, number(c, 4.2), e.b));
  e.log_alpha = torch_mul(c, torch_plus(c, torch_div(c, number(c, 5.1), e.b), 2.83), deviation);
  e.log_alpha = one_op(c, TCC_OP_LOG, e.log_alpha), e.log_factor = one_op(c, TCC_OP_LOG, torch_div(c, p, q));
  e.constant =
      torch_add(c, torch_log_gamma(c, torch_plus(c, mode, 1)), torch_log_gamma(c, torch_plus(c, torch_sub(c, n, mode), 1)));
  e.constant = torch_sub(c, e.constant, torch_mul(c, mode, e.log_factor));
  r = rejected(c, &e, large, r);
  return r.ptr && torch_answer(c, torch_if(c, turned, torch_sub(c, t[0], r), r));
}
