/* ops_random_counts.c - Poisson and binomial numbers.
 *
 * A uniform number is inverted from the mode outwards: from it the probability of the mode is taken away, then those of its neighbours above and below in
 * turn, until it is negative, and the number at hand is the result. Any order of the outcomes gives the distribution, this one the fewest
 * steps: some ten standard deviations. Each probability is the one before it times a ratio. In f64, a loop of the run-time. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

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

bool torch_op_poisson(ImportCall *c) {
  MlirValue rate = torch_tensor_as(c, "self", TCC_ELEM_F64);
  if (!rate.ptr) return false;
  const Counts d = {.mode = whole(c, rate), .factor = rate};
  MlirValue log = torch_sub(c, times_log(c, d.mode, rate), torch_add(c, rate, torch_log_gamma(c, torch_plus(c, d.mode, 1))));
  return torch_answer(c, counts(c, &d, log));
}

/* With the smaller one of both probabilities, and the result turned round. */
bool torch_op_binomial(ImportCall *c) {
  MlirValue t[] = {torch_tensor_as(c, "count", TCC_ELEM_F64), torch_tensor_as(c, "prob", TCC_ELEM_F64)};
  ImportShape shape;
  if (!t[0].ptr || !t[1].ptr || !torch_broadcast_all(c, t, 2, &shape)) return false;
  MlirValue n = t[0], turned = torch_is(c, "gt", t[1], 0.5), p = torch_if(c, turned, torch_from(c, 1, t[1]), t[1]);
  MlirValue q = torch_from(c, 1, p);
  const Counts d = {.mode = whole(c, torch_mul(c, torch_plus(c, n, 1), p)), .trials = n, .factor = torch_div(c, p, q)};
  MlirValue rest = torch_sub(c, n, d.mode), log = torch_add(c, times_log(c, d.mode, p), times_log(c, rest, q));
  log = torch_add(c, log, torch_log_gamma(c, torch_plus(c, n, 1)));
  log = torch_sub(c, log, torch_add(c, torch_log_gamma(c, torch_plus(c, d.mode, 1)), torch_log_gamma(c, torch_plus(c, rest, 1))));
  MlirValue r = counts(c, &d, log);
  return r.ptr && torch_answer(c, torch_if(c, turned, torch_sub(c, n, r), r));
}
