/* attention.c - attention with grouped heads, row by row, and rotary embedding. */
#include "lib/interp/internal.h"
#include <inttypes.h>
#include <math.h>

/* Scores of one query row against all keys, then softmax in place. */
typedef struct {
  double scale, softcap;
  bool causal, zero_masked;
  int64_t offset, keys, depth;
} Scores;

static void score_row(const Scores *s, const TccCell *q, const TccCell *k, int64_t query, const TccArray *mask,
                      const TccCell *mask_row, int64_t mask_step, double *row) {
  double max = -INFINITY, sum = 0;
  for (int64_t j = 0; j < s->keys; j++) {
    double dot = 0;
    for (int64_t d = 0; d < s->depth; d++) dot += q[d].f * k[j * s->depth + d].f;
    dot *= s->scale;
    if (s->softcap > 0) dot = s->softcap * tanh(dot / s->softcap);
    if (mask && mask->is_float) dot += mask_row[j * mask_step].f;
    else if (mask && !mask_row[j * mask_step].i) dot = -INFINITY;
    if (s->causal && j > query + s->offset) dot = -INFINITY;
    row[j] = dot;
    if (isnan(dot) || dot > max) max = dot;
  }
  for (int64_t j = 0; j < s->keys; j++) sum += row[j] = exp(row[j] - max);
  for (int64_t j = 0; j < s->keys; j++) row[j] = s->zero_masked && isnan(row[j] / sum) ? 0 : row[j] / sum;
}

TccStatus *tcc_eval_attention(TccEval *e) {
  const TccArray *q = e->in[0], *k = e->in[1], *v = e->in[2], *mask = e->in[3];
  TccArray *r = e->out[0];
  int64_t batch = q->dims[0], heads = q->dims[1], queries = q->dims[2], groups = k->dims[1], width = v->dims[3];
  Scores s = {.keys = k->dims[2], .depth = q->dims[3]};
  if (groups <= 0 || heads % groups || k->dims[0] != batch || k->dims[3] != s.depth || v->dims[1] != groups || v->dims[2] != s.keys)
    return TCC_ERROR(TCC_INVALID, "shapes of q, k and v do not fit");
  s.scale = tcc_f64(e->ir, e->op, "scale");
  s.causal = tcc_bool(e->ir, e->op, "causal");
  s.zero_masked = tcc_bool(e->ir, e->op, "zero_masked");
  s.softcap = tcc_f64(e->ir, e->op, "softcap");
  size_t n;
  TCC_TRY(tcc_interp_exprs(e, "offset", &s.offset, 1, &n));
  int64_t dims[4] = {batch, heads, queries, s.keys}, mask_strides[4] = {0};
  if (mask && !tcc_broadcast_strides(mask, 4, dims, mask_strides)) return TCC_ERROR(TCC_INVALID, "the mask does not broadcast");
  double *row = tcc_interp_scratch(e, (size_t)(s.keys + 1) * sizeof *row);
  if (!row) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t b = 0; b < batch; b++) {
    for (int64_t h = 0; h < heads; h++) {
      int64_t group = b * groups + h * groups / heads;
      for (int64_t i = 0; i < queries; i++) {
        int64_t query = (b * heads + h) * queries + i;
        const TccCell *mask_row = mask ? mask->at + b * mask_strides[0] + h * mask_strides[1] + i * mask_strides[2] : NULL;
        score_row(&s, q->at + query * s.depth, k->at + group * s.keys * s.depth, i, mask, mask_row, mask_strides[3], row);
        tcc_matmul_double(1, width, s.keys, row, &v->at[group * s.keys * width].f, &r->at[query * width].f);
      }
    }
  }
  return NULL;
}

TccStatus *tcc_eval_rotary_embedding(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  int64_t depth = x->dims[3], rotary = tcc_i64(e->ir, e->op, "rotary_dim");
  if (rotary == 0) rotary = depth;
  int64_t half = rotary / 2, dims[4] = {x->dims[0], 1, x->dims[2], half}, strides[2][4];
  if (rotary > depth || rotary % 2) return TCC_ERROR(TCC_INVALID, "rotary_dim %" PRId64 " of %" PRId64, rotary, depth);
  for (int t = 0; t < 2; t++)
    if (!tcc_broadcast_strides(e->in[1 + t], 4, dims, strides[t])) return TCC_ERROR(TCC_INVALID, "cos or sin does not broadcast");
  bool interleaved = tcc_bool(e->ir, e->op, "interleaved");
  memcpy(r->at, x->at, (size_t)r->count * sizeof *r->at);
  for (int64_t row = 0; depth && row < x->count / depth; row++) {
    int64_t s = row % x->dims[2], b = row / x->dims[2] / x->dims[1];
    for (int64_t i = 0; i < half; i++) {
      double c = e->in[1]->at[b * strides[0][0] + s * strides[0][2] + i * strides[0][3]].f;
      double d = e->in[2]->at[b * strides[1][0] + s * strides[1][2] + i * strides[1][3]].f;
      int64_t first = row * depth + (interleaved ? 2 * i : i), second = interleaved ? first + 1 : first + half;
      double p = x->at[first].f, q = x->at[second].f;
      r->at[first].f = p * c - q * d;
      r->at[second].f = q * c + p * d;
    }
  }
  return NULL;
}
