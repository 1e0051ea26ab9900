/* attention.c - attention with grouped heads, row by row, and rotary embedding. */
#include "lib/interp/internal.h"
#include <inttypes.h>
#include <math.h>

/* Scores of one query row against all keys, then e^(score - max) in place. */
typedef struct {
  double scale, softcap;
  bool causal;
  int64_t offset, keys, depth;
  int64_t batch, heads, queries, groups;
  const TccArray *q, *k, *mask;
  int64_t mask_strides[4];
  double *row;
} Scores;
typedef struct {
  double max, sum;
} Row;

static TccStatus *open_scores(TccEval *e, const TccArray *mask, Scores *s) {
  const TccArray *q = e->in[0], *k = e->in[1];
  *s = (Scores){.keys = k->dims[2],
                .depth = q->dims[3],
                .batch = q->dims[0],
                .heads = q->dims[1],
                .queries = q->dims[2],
                .groups = k->dims[1],
                .q = q,
                .k = k,
                .mask = mask};
  if (s->groups <= 0 || s->heads % s->groups || k->dims[0] != s->batch || k->dims[3] != s->depth)
    return TCC_ERROR(TCC_INVALID, "shapes of q and k do not fit");
  s->scale = tcc_f64(e->ir, e->op, "scale");
  s->causal = tcc_bool(e->ir, e->op, "causal");
  s->softcap = tcc_f64(e->ir, e->op, "softcap");
  size_t n;
  TCC_TRY(tcc_interp_exprs(e, "offset", &s->offset, 1, &n));
  int64_t dims[4] = {s->batch, s->heads, s->queries, s->keys};
  if (mask && !tcc_broadcast_strides(mask, 4, dims, s->mask_strides)) return TCC_ERROR(TCC_INVALID, "the mask does not broadcast");
  s->row = tcc_interp_scratch(e, (size_t)(s->keys + 1) * sizeof *s->row);
  return s->row ? NULL : TCC_ERROR(TCC_NO_MEMORY, "out of memory");
}

static int64_t group_of(const Scores *s, int64_t b, int64_t h) { return b * s->groups + h * s->groups / s->heads; }

/* `lowest`: what is subtracted where the greatest is -inf. */
static Row score_row(const Scores *s, int64_t b, int64_t h, int64_t query, double lowest) {
  const TccCell *q = s->q->at + ((b * s->heads + h) * s->queries + query) * s->depth,
                *k = s->k->at + group_of(s, b, h) * s->keys * s->depth, *mask = NULL;
  if (s->mask) mask = s->mask->at + b * s->mask_strides[0] + h * s->mask_strides[1] + query * s->mask_strides[2];
  Row r = {-INFINITY, 0};
  for (int64_t j = 0; j < s->keys; j++) {
    double dot = 0;
    for (int64_t d = 0; d < s->depth; d++) dot += q[d].f * k[j * s->depth + d].f;
    dot *= s->scale;
    if (s->softcap > 0) dot = s->softcap * tanh(dot / s->softcap);
    if (mask && s->mask->is_float) dot += mask[j * s->mask_strides[3]].f;
    else if (mask && !mask[j * s->mask_strides[3]].i) dot = -INFINITY;
    if (s->causal && j > query + s->offset) dot = -INFINITY;
    s->row[j] = dot;
    if (isnan(dot) || dot > r.max) r.max = dot;
  }
  if (r.max == -INFINITY) r.max = lowest;
  for (int64_t j = 0; j < s->keys; j++) r.sum += s->row[j] = exp(s->row[j] - r.max);
  return r;
}

TccStatus *tcc_eval_attention(TccEval *e) {
  const TccArray *v = e->in[2];
  TccArray *r = e->out[0];
  int64_t width = v->dims[3];
  bool zero_masked = tcc_bool(e->ir, e->op, "zero_masked");
  Scores s;
  TCC_TRY(open_scores(e, e->in[3], &s));
  if (v->dims[1] != s.groups || v->dims[2] != s.keys) return TCC_ERROR(TCC_INVALID, "shapes of k and v do not fit");
  for (int64_t b = 0; b < s.batch; b++)
    for (int64_t h = 0; h < s.heads; h++)
      for (int64_t i = 0; i < s.queries; i++) {
        double sum = score_row(&s, b, h, i, -INFINITY).sum;
        for (int64_t j = 0; j < s.keys; j++) s.row[j] = zero_masked && isnan(s.row[j] / sum) ? 0 : s.row[j] / sum;
        tcc_matmul_double(1, width, s.keys, s.row, &v->at[group_of(&s, b, h) * s.keys * width].f,
                          &r->at[((b * s.heads + h) * s.queries + i) * width].f);
      }
  return NULL;
}

TccStatus *tcc_eval_attention_logsumexp(TccEval *e) {
  TccArray *r = e->out[0];
  Scores s;
  TCC_TRY(open_scores(e, e->in[2], &s));
  for (int64_t b = 0; b < s.batch; b++)
    for (int64_t h = 0; h < s.heads; h++)
      for (int64_t i = 0; i < s.queries; i++) {
        Row row = score_row(&s, b, h, i, 0);
        r->at[(b * s.heads + h) * s.queries + i].f = row.max + log(row.sum);
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
