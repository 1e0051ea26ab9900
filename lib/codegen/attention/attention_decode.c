/* attention_decode.c - attention of one query, or of one for each head of a group: every key and value is read once.
 *
 * With few queries the panels of attention.c would leave most lanes empty and copy what is used once. Here lanes run along
 * the head: the scores of a key are products folded over lanes, the weights (in scratch, one row for each query) follow
 * with lanes along the keys, and values are summed with lanes along the head again. All queries of a group share the loads. */
#include "lib/codegen/attention/attention_internal.h"
#include "lib/codegen/emit/scalar.h"
#include <math.h>

enum { MOST_QUERIES = 8, MOST_SUMS = 24 };

static bool is_contiguous(TccIr *ir, const TccSpan *span, int tensor) {
  int64_t stride;
  return span->n <= 1 && tcc_expr_is_const(tcc_span_inner_stride(ir, span, tensor), &stride) && stride == 1;
}

bool attention_decodes(const Attention *a) {
  int64_t queries;
  if (!tcc_expr_is_const(a->queries.count, &queries) || queries < 1 || queries > MOST_QUERIES || (queries > 1 && !a->stacked))
    return false;
  if (a->mask == MASK_BLOCK || (a->mask && !is_contiguous(a->ir, &a->keys, ATT_MASK))) return false;
  return is_contiguous(a->ir, &a->depth, ATT_Q) && is_contiguous(a->ir, &a->depth, ATT_K) &&
         is_contiguous(a->ir, &a->width, ATT_V) && is_contiguous(a->ir, &a->width, ATT_R);
}

typedef struct {
  TccKernelEmit *k;
  TccEmit *e;
  const Attention *a;
  int lanes, queries;
  int64_t depth, inverse, scores; /* of a query in scratch; places in scratch, in elements */
  const TccExpr *padded;          /* elements of a row of scores */
  const char *elem, *type;
  TccVal scratch, head, kv_head, end; /* of the open function */
} Decode;

static const char *const params[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64"};

static void open(Decode *d, const char *name) {
  TccVal arg[6];
  tcc_emit_function(d->e, name, true, 6, params, NULL, arg);
  d->k->arguments = arg[0], d->k->size_pointer = arg[1];
  d->scratch = arg[2], d->head = arg[3], d->kv_head = arg[4], d->end = arg[5];
}

static TccVal base_of(Decode *d, int tensor) {
  const TccView *view = &d->a->view[tensor];
  bool kv = tensor == ATT_K || tensor == ATT_V;
  TccVal offset = tcc_span_offset(d->k, kv ? &d->a->kv_heads : &d->a->heads, tensor, kv ? d->kv_head : d->head);
  return tcc_emit_gep(d->e, tcc_scalar_memory_type(view->elem), tcc_view_pointer(d->k, view), offset);
}

/* Elements [at, at + lanes) of a row of `width` as accumulators; lanes beyond are zero. step: what `at` goes by. */
static TccVal load(Decode *d, int tensor, TccVal row, TccVal at, int64_t width, int64_t step) {
  TccElem elem = d->a->view[tensor].elem;
  const char *memory = tcc_scalar_memory_type(elem);
  TccVal on = width % step ? tcc_emit_mask(d->e, tcc_emit_sub(d->e, tcc_emit_i64(d->e, width), at), d->lanes) : 0;
  TccVal v = tcc_emit_masked_load(d->e, tcc_emit_vector(d->e, memory, d->lanes), tcc_emit_gep(d->e, memory, row, at), on);
  return tcc_scalar_convert(d->e, elem, d->a->type.acc_elem, d->lanes, v);
}

/* Row t of keys or values, and the fetch of one that follows: those of one head may lie a page apart. */
static TccVal row_at(Decode *d, int tensor, TccVal base, TccVal t, int64_t width) {
  TccEmit *e = d->e;
  TccElem elem = d->a->view[tensor].elem;
  const char *memory = tcc_scalar_memory_type(elem);
  int64_t line = 64 / (int64_t)(tcc_elem_bits(elem) / 8);
  TccVal ahead = tcc_emit_gep(e, memory, base, tcc_span_offset(d->k, &d->a->keys, tensor, tcc_emit_add(e, t, tcc_emit_i64(e, 12))));
  for (int64_t at = 0; at < width && at < 8 * line; at += line) tcc_emit_prefetch(e, tcc_emit_at(e, memory, ahead, at), false, 3);
  return tcc_emit_gep(e, memory, base, tcc_span_offset(d->k, &d->a->keys, tensor, t));
}

static TccVal score_row(Decode *d, TccVal query) {
  TccVal row = tcc_emit_mul(d->e, query, tcc_kernel_size(d->k, d->padded));
  return tcc_emit_gep(d->e, d->elem, tcc_emit_at(d->e, d->elem, d->scratch, d->scores), row);
}

/* scores[query][key] = q k */
static void emit_scores(Decode *d) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  open(d, "scores");
  TccVal zero = tcc_emit_i64(e, 0), q = base_of(d, ATT_Q), k = base_of(d, ATT_K), sums[MOST_QUERIES];
  const char *types[MOST_QUERIES];
  TccLoop query, c, t;
  tcc_emit_for(e, &query, zero, tcc_emit_i64(e, d->queries), 1, 0, NULL, NULL);
  TccVal row = tcc_emit_gep(e, tcc_scalar_memory_type(a->view[ATT_Q].elem), q, tcc_span_offset(d->k, &a->queries, ATT_Q, query.iv));
  TccVal to = tcc_emit_gep(e, d->elem, d->scratch, tcc_emit_mul(e, query.iv, tcc_emit_i64(e, d->depth)));
  tcc_emit_for(e, &c, zero, tcc_emit_i64(e, a->d), d->lanes, 0, NULL, NULL);
  tcc_emit_store(e, d->type, load(d, ATT_Q, row, c.iv, a->d, d->lanes), tcc_emit_gep(e, d->elem, to, c.iv));
  tcc_emit_end_for(e, &c, NULL);
  tcc_emit_end_for(e, &query, NULL);

  tcc_emit_for(e, &t, zero, d->end, 1, 0, NULL, NULL);
  row = row_at(d, ATT_K, k, t.iv, a->d);
  for (int i = 0; i < d->queries; i++) sums[i] = tcc_emit_zero(e, d->type), types[i] = d->type;
  tcc_emit_for(e, &c, zero, tcc_emit_i64(e, a->d), d->lanes, d->queries, sums, types);
  TccVal key = load(d, ATT_K, row, c.iv, a->d, d->lanes), at = tcc_emit_gep(e, d->elem, d->scratch, c.iv);
  for (int i = 0; i < d->queries; i++)
    sums[i] = tcc_emit_fma(e, d->type, key, tcc_emit_load(e, d->type, tcc_emit_at(e, d->elem, at, i * d->depth)), c.in[i]);
  tcc_emit_end_for(e, &c, sums);
  for (int i = 0; i < d->queries; i++) {
    TccVal sum = tcc_scalar_fold(e, tcc_str("sum"), a->type.acc_elem, d->lanes, c.out[i]);
    tcc_emit_store(e, d->elem, sum, tcc_emit_gep(e, d->elem, score_row(d, tcc_emit_i64(e, i)), t.iv));
  }
  tcc_emit_end_for(e, &t, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* Scores -> e^(x - max), and the inverse of their sum. */
static TccStatus *emit_weights(Decode *d) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  open(d, "weigh");
  TccVal zero = tcc_emit_i64(e, 0), lowest = tcc_emit_float(e, d->type, -INFINITY), nothing = tcc_emit_zero(e, d->type), w;
  TccVal mask = a->mask ? base_of(d, ATT_MASK) : 0;
  TccLoop query, t;
  tcc_emit_for(e, &query, zero, tcc_emit_i64(e, d->queries), 1, 0, NULL, NULL);
  TccVal row = score_row(d, query.iv);
  tcc_emit_for(e, &t, zero, d->end, d->lanes, 1, &lowest, &d->type);
  TccVal p = tcc_emit_gep(e, d->elem, row, t.iv), on = tcc_emit_mask(e, tcc_emit_sub(e, d->end, t.iv), d->lanes);
  TccVal x = tcc_emit_bin(e, "fmul", d->type, tcc_emit_load(e, d->type, p), tcc_emit_float(e, d->type, a->scale));
  if (a->softcap != 0) TCC_TRY(attention_cap(e, d->type, a->softcap, &x));
  if (mask) {
    TccElem elem = a->view[ATT_MASK].elem;
    const char *memory = tcc_scalar_memory_type(elem);
    TccVal one = tcc_emit_masked_load(e, tcc_emit_vector(e, memory, d->lanes), tcc_emit_gep(e, memory, mask, t.iv), on);
    x = tcc_emit_bin(e, "fadd", d->type, x, attention_summand(e, elem, a->type.acc_elem, d->lanes, one));
  }
  x = tcc_emit_select(e, d->type, on, x, lowest);
  tcc_emit_store(e, d->type, x, p);
  TccVal next = tcc_emit_select(e, d->type, tcc_emit_fcmp(e, "ogt", d->type, x, t.in[0]), x, t.in[0]);
  tcc_emit_end_for(e, &t, &next);
  TccVal max = tcc_emit_splat(e, d->type, tcc_scalar_fold(e, tcc_str("max"), a->type.acc_elem, d->lanes, t.out[0]));
  max = tcc_emit_select(e, d->type, tcc_emit_fcmp(e, "oeq", d->type, max, lowest), nothing, max); /* no key is visible: 0 / 0 */

  tcc_emit_for(e, &t, zero, d->end, d->lanes, 1, &nothing, &d->type);
  p = tcc_emit_gep(e, d->elem, row, t.iv);
  x = tcc_emit_bin(e, "fsub", d->type, tcc_emit_load(e, d->type, p), max);
  TCC_TRY(attention_power_of_two(e, d->type, tcc_emit_bin(e, "fmul", d->type, x, tcc_emit_float(e, d->type, M_LOG2E)), &w));
  tcc_emit_store(e, d->type, w, p);
  next = tcc_emit_bin(e, "fadd", d->type, t.in[0], w);
  tcc_emit_end_for(e, &t, &next);
  TccVal sum = tcc_scalar_fold(e, tcc_str("sum"), a->type.acc_elem, d->lanes, t.out[0]), none = tcc_emit_zero(e, d->elem);
  TccVal inverse = tcc_emit_bin(e, "fdiv", d->elem, tcc_emit_float(e, d->elem, 1), sum);
  if (a->zero_masked) inverse = tcc_emit_select(e, d->elem, tcc_emit_fcmp(e, "oeq", d->elem, sum, none), none, inverse);
  tcc_emit_store(e, d->elem, inverse, tcc_emit_gep(e, d->elem, tcc_emit_at(e, d->elem, d->scratch, d->inverse), query.iv));
  tcc_emit_end_for(e, &query, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* r = weights v / sum: as many columns at a time as there are registers for their sums */
static void emit_result(Decode *d) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  open(d, "result");
  int columns = (int)((a->e + d->lanes - 1) / d->lanes), most = MOST_SUMS / d->queries;
  if (columns > most) columns = (columns + (columns + most - 1) / most - 1) / ((columns + most - 1) / most);
  int n = columns * d->queries;
  int64_t group = (int64_t)columns * d->lanes;
  TccElem elem = a->view[ATT_R].elem;
  const char *memory = tcc_scalar_memory_type(elem), *types[MOST_SUMS];
  TccVal zero = tcc_emit_i64(e, 0), v = base_of(d, ATT_V), r = base_of(d, ATT_R), sums[MOST_SUMS];
  for (int i = 0; i < n; i++) sums[i] = tcc_emit_zero(e, d->type), types[i] = d->type;
  TccLoop c, t;
  tcc_emit_for(e, &c, zero, tcc_emit_i64(e, a->e), group, 0, NULL, NULL);
  tcc_emit_for(e, &t, zero, d->end, 1, n, sums, types);
  TccVal row = row_at(d, ATT_V, v, t.iv, a->e), one[MOST_QUERIES];
  for (int i = 0; i < d->queries; i++)
    one[i] =
        tcc_emit_splat(e, d->type, tcc_emit_load(e, d->elem, tcc_emit_gep(e, d->elem, score_row(d, tcc_emit_i64(e, i)), t.iv)));
  for (int j = 0; j < columns; j++) {
    TccVal value = load(d, ATT_V, row, tcc_emit_add(e, c.iv, tcc_emit_i64(e, (int64_t)j * d->lanes)), a->e, group);
    for (int i = 0; i < d->queries; i++) sums[i * columns + j] = tcc_emit_fma(e, d->type, value, one[i], t.in[i * columns + j]);
  }
  tcc_emit_end_for(e, &t, sums);
  for (int i = 0; i < d->queries; i++) {
    TccVal inverse = tcc_emit_splat(e, d->type, tcc_emit_load(e, d->elem, tcc_emit_at(e, d->elem, d->scratch, d->inverse + i)));
    TccVal to = tcc_emit_gep(e, memory, r, tcc_span_offset(d->k, &a->queries, ATT_R, tcc_emit_i64(e, i)));
    for (int j = 0; j < columns; j++) {
      TccVal at = tcc_emit_add(e, c.iv, tcc_emit_i64(e, (int64_t)j * d->lanes));
      TccVal on = a->e % group ? tcc_emit_mask(e, tcc_emit_sub(e, tcc_emit_i64(e, a->e), at), d->lanes) : 0;
      TccVal x = tcc_emit_bin(e, "fmul", d->type, t.out[i * columns + j], inverse);
      x = tcc_scalar_convert(e, a->type.acc_elem, elem, d->lanes, x);
      tcc_emit_masked_store(e, tcc_emit_vector(e, memory, d->lanes), x, tcc_emit_gep(e, memory, to, at), on);
    }
  }
  tcc_emit_end_for(e, &c, NULL);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *attention_decode_emit(TccKernelEmit *k, const Attention *a, const TccExpr **out_tiles, const TccExpr **out_scratch) {
  TccEmit *e = k->e;
  TccExprPool *pool = k->ir->exprs;
  int64_t queries = 1;
  (void)tcc_expr_is_const(a->queries.count, &queries);
  Decode d = {.k = k, .e = e, .a = a, .lanes = a->type.lanes, .queries = (int)queries, .elem = a->type.acc};
  d.type = tcc_emit_vector(e, d.elem, d.lanes);
  d.depth = tcc_round_up(a->d, d.lanes);
  d.inverse = queries * d.depth;
  d.scores = d.inverse + tcc_round_up(queries, d.lanes);
  const TccExpr *lanes = tcc_expr_const(pool, d.lanes);
  d.padded = tcc_expr_mul(pool, tcc_expr_call(pool, TCC_EXPR_CEILDIV, a->keys.count, lanes), lanes);
  emit_scores(&d);
  TCC_TRY(emit_weights(&d));
  emit_result(&d);

  TccKernelEntry entry;
  e->drives = true;
  tcc_kernel_entry(k, &entry);
  TccLoop head;
  TccVal end = tcc_kernel_size(k, a->keys.count);
  if (a->causal) end = tcc_emit_min(e, end, tcc_emit_add(e, tcc_emit_i64(e, 1), tcc_kernel_size(k, a->offset)));
  tcc_emit_for(e, &head, entry.begin, entry.end, 1, 0, NULL, NULL);
  TccVal kv_head = a->repeat != 1 && !a->stacked ? tcc_emit_div(e, head.iv, tcc_emit_i64(e, a->repeat)) : head.iv;
  TccVal args[] = {k->arguments, k->size_pointer, entry.scratch, head.iv, kv_head, end};
  static const char *const steps[] = {"scores", "weigh", "result"};
  for (int i = 0; i < 3; i++) tcc_emit_call(e, steps[i], 6, args, params, NULL);
  tcc_emit_end_for(e, &head, NULL);
  tcc_emit_return(e, 0, NULL);
  const TccExpr *elements =
      tcc_expr_add(pool, tcc_expr_const(pool, d.scores), tcc_expr_mul(pool, tcc_expr_const(pool, queries), d.padded));
  *out_scratch = tcc_kernel_slot(k, tcc_expr_mul(pool, elements, tcc_expr_const(pool, a->type.acc_bytes)));
  *out_tiles = tcc_kernel_slot(k, a->heads.count);
  return NULL;
}
