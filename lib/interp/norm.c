/* norm.c - softmax and the normalisations, by their formulas, two passes for a variance. */
#include "lib/interp/internal.h"
#include "tcc/op_kinds.h"
#include <inttypes.h>
#include <math.h>

TccStatus *tcc_eval_softmax(TccEval *e) {
  const TccArray *x = e->in[0];
  int axis = (int)tcc_i64(e->ir, e->op, "axis");
  int64_t size = x->rank ? x->dims[axis] : 1;
  int64_t outer = x->rank ? tcc_product(x->dims, 0, axis) : 1, inner = x->rank ? tcc_product(x->dims, axis + 1, x->rank) : 1;
  for (int64_t o = 0; o < outer; o++) {
    for (int64_t i = 0; i < inner; i++) {
      const TccCell *row = x->at + o * size * inner + i;
      TccCell *to = e->out[0]->at + o * size * inner + i;
      double max = -INFINITY, sum = 0;
      for (int64_t k = 0; k < size; k++) max = isnan(row[k * inner].f) || row[k * inner].f > max ? row[k * inner].f : max;
      for (int64_t k = 0; k < size; k++) sum += to[k * inner].f = exp(row[k * inner].f - max);
      for (int64_t k = 0; k < size; k++) {
        if (e->kind == TCC_OP_SOFTMAX) to[k * inner].f /= sum;
        else to[k * inner].f = row[k * inner].f - max - log(sum);
      }
    }
  }
  return NULL;
}

/* Writes (x - mean) / sqrt(var + eps) of n cells; centred = false leaves the mean out (root mean square). */
static void normalise(const TccCell *x, TccCell *to, int64_t n, double eps, bool centred) {
  double mean = 0, square = 0;
  if (centred) {
    for (int64_t i = 0; i < n; i++) mean += x[i].f;
    mean /= (double)n;
  }
  for (int64_t i = 0; i < n; i++) square += (x[i].f - mean) * (x[i].f - mean);
  double factor = 1 / sqrt(square / (double)n + eps);
  for (int64_t i = 0; i < n; i++) to[i].f = (x[i].f - mean) * factor;
}

/* layer_norm and rms_norm: rows are axes [axis, rank); scale and bias broadcast to a row. */
TccStatus *tcc_eval_norm(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  int axis = (int)tcc_i64(e->ir, e->op, "axis"), row_rank = x->rank - axis;
  double eps = tcc_f64(e->ir, e->op, "eps");
  int64_t n = tcc_product(x->dims, axis, x->rank), rows = tcc_product(x->dims, 0, axis);
  const TccArray *affine[2] = {e->in[1], e->kind == TCC_OP_LAYER_NORM ? e->in[2] : NULL};
  TccCell *full[2] = {NULL, NULL}; /* scale and bias under the row's shape */
  for (int k = 0; k < 2; k++) {
    if (!affine[k]) continue;
    int64_t strides[TCC_MAX_RANK];
    if (!tcc_broadcast_strides(affine[k], row_rank, x->dims + axis, strides))
      return TCC_ERROR(TCC_INVALID, "operand %d does not broadcast to the normalised axes", k + 1);
    full[k] = tcc_interp_scratch(e, (size_t)n * sizeof *full[k]);
    if (!full[k]) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
    tcc_cells_copy(full[k], row_rank, x->dims + axis, affine[k]->at, 0, strides);
  }
  for (int64_t row = 0; row < rows; row++) {
    TccCell *to = r->at + row * n;
    normalise(x->at + row * n, to, n, eps, e->kind == TCC_OP_LAYER_NORM);
    for (int64_t i = 0; i < n; i++) {
      if (full[0]) to[i].f *= full[0][i].f;
      if (full[1]) to[i].f += full[1][i].f;
    }
  }
  return NULL;
}

/* group_norm, and instance_norm with a group per channel */
TccStatus *tcc_eval_group_norm(TccEval *e) {
  const TccArray *x = e->in[0], *scale = e->in[1], *bias = e->in[2];
  if (x->rank < 2) return TCC_ERROR(TCC_INVALID, "rank %d", x->rank);
  int64_t channels = x->dims[1], inner = tcc_product(x->dims, 2, x->rank);
  int64_t groups = e->kind == TCC_OP_INSTANCE_NORM ? channels : tcc_i64(e->ir, e->op, "groups");
  double eps = tcc_f64(e->ir, e->op, "eps");
  if (groups <= 0 || channels % groups)
    return TCC_ERROR(TCC_INVALID, "%" PRId64 " channels in %" PRId64 " groups", channels, groups);
  if ((scale && scale->count != channels) || (bias && bias->count != channels))
    return TCC_ERROR(TCC_INVALID, "scale or bias does not have %" PRId64 " elements", channels);
  int64_t n = channels / groups * inner;
  for (int64_t g = 0; g < x->dims[0] * groups; g++) normalise(x->at + g * n, e->out[0]->at + g * n, n, eps, true);
  TccCell *to = e->out[0]->at;
  for (int64_t b = 0; b < x->dims[0]; b++) {
    for (int64_t c = 0; c < channels; c++) {
      for (int64_t i = 0; i < inner; i++, to++) to->f = to->f * (scale ? scale->at[c].f : 1) + (bias ? bias->at[c].f : 0);
    }
  }
  return NULL;
}

TccStatus *tcc_eval_batch_norm(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  int64_t channels = x->rank > 1 ? x->dims[1] : 1, inner = x->rank > 1 ? tcc_product(x->dims, 2, x->rank) : 1;
  double eps = tcc_f64(e->ir, e->op, "eps");
  for (int k = 1; k <= 4; k++)
    if (e->in[k]->count != channels) return TCC_ERROR(TCC_INVALID, "operand %d does not have %" PRId64 " elements", k, channels);
  for (int64_t i = 0; i < r->count; i++) {
    int64_t c = i / inner % channels;
    r->at[i].f = (x->at[i].f - e->in[3]->at[c].f) / sqrt(e->in[4]->at[c].f + eps) * e->in[1]->at[c].f + e->in[2]->at[c].f;
  }
  return NULL;
}

TccStatus *tcc_eval_lrn(TccEval *e) {
  const TccArray *x = e->in[0];
  if (x->rank < 2) return TCC_ERROR(TCC_INVALID, "rank %d", x->rank);
  double alpha = tcc_f64(e->ir, e->op, "alpha"), beta = tcc_f64(e->ir, e->op, "beta"), bias = tcc_f64(e->ir, e->op, "bias");
  int64_t size = tcc_i64(e->ir, e->op, "size"), channels = x->dims[1], inner = tcc_product(x->dims, 2, x->rank);
  int64_t before = (size - 1) / 2, after = size - 1 - before;
  for (int64_t i = 0; i < x->count; i++) {
    int64_t c = i / inner % channels;
    double sum = 0;
    for (int64_t k = c - before < 0 ? 0 : c - before; k <= c + after && k < channels; k++) {
      double value = x->at[i + (k - c) * inner].f;
      sum += value * value;
    }
    e->out[0]->at[i].f = x->at[i].f / pow(bias + alpha / (double)size * sum, beta);
  }
  return NULL;
}
