/* attention_decode.c - attention of one query, or of one for each head of a group: every key and value is read once.
 *
 * With few queries the panels of attention.c would leave most lanes empty and copy what is used once. Here lanes run along
 * the head: the products of a key with all queries of its group are folded together, so that one vector has their sums, and
 * scores lie in scratch as [key][query], queries filled up to a power of two; values are summed with lanes along the head again.
 *
 * Keys and values may be joined from two parts, those of the steps before and this one's, which are then read where they
 * lie and written to the kernel's results on the way: a copy of them and a pass over it are saved. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/attention/attention_internal.h"
#include <math.h>

enum { MOST_SUMS = 24, PREFETCH = 12 /* rows */ };

/* One element has no stride that matters. */
static bool is_contiguous(TccIr *ir, const TccSpan *span, int tensor) {
  int64_t stride, size;
  if (tcc_expr_is_const(span->count, &size) && size == 1) return true;
  return span->n <= 1 && tcc_expr_is_const(tcc_span_inner_stride(ir, span, tensor), &stride) && stride == 1;
}

bool attention_decodes(const Attention *a) {
  int64_t queries;
  if (!tcc_expr_is_const(a->read.queries.count, &queries) || queries < 1 || queries > MOST_QUERIES ||
      (queries > 1 && !a->read.stacked))
    return false;
  if (a->read.mask == TCC_ATTENTION_MASK_BLOCK || attention_padded_queries(queries) > a->plan.type.lanes) return false;
  if (a->read.joins && !a->read.stacked && a->read.repeat != 1) return false; /* several tiles would write one head's keys */
  for (int p = 0; a->read.joins && p < 2; p++)
    if (!is_contiguous(a->read.ir, &a->read.depth, ATT_K_PARTS + p) || !is_contiguous(a->read.ir, &a->read.width, ATT_V_PARTS + p))
      return false;
  if (!is_contiguous(a->read.ir, &a->read.depth, ATT_Q) || !is_contiguous(a->read.ir, &a->read.depth, ATT_K)) return false;
  return !a->read.gives_result ||
         (is_contiguous(a->read.ir, &a->read.width, ATT_V) && is_contiguous(a->read.ir, &a->read.width, ATT_R));
}

typedef struct {
  TccKernelEmit *k;
  TccEmit *e;
  const Attention *a;
  int lanes, queries, padded;     /* padded: queries, as scores have room for */
  int64_t depth, inverse, scores; /* of a query in scratch; places in scratch, in elements */
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
  const TccView *view = &d->a->read.view[tensor];
  bool kv = tensor == ATT_K || tensor == ATT_V || tensor >= ATT_K_PARTS;
  TccVal offset = tcc_span_offset(d->k, kv ? &d->a->read.kv_heads : &d->a->read.heads, tensor, kv ? d->kv_head : d->head);
  return tcc_emit_gep(d->e, tcc_scalar_memory_type(view->elem), tcc_view_pointer(d->k, view), offset);
}

/* Rows of keys or values: where they are read, and written if they are joined. */
typedef struct {
  int tensor, parts;
  int64_t width;
  TccVal base[2], to, count[2]; /* of the parts, the first alone if nothing is joined; rows of each */
} Rows;

static Rows open_rows(Decode *d, int tensor) {
  const Attention *a = d->a;
  Rows rows = {
      .tensor = tensor, .parts = tensor == ATT_K ? ATT_K_PARTS : ATT_V_PARTS, .width = tensor == ATT_K ? a->read.d : a->read.e};
  rows.to = base_of(d, tensor);
  for (int p = 0; a->read.joins && p < 2; p++) {
    rows.base[p] = base_of(d, rows.parts + p);
    rows.count[p] = tcc_kernel_size(d->k, a->read.part_keys[p].count);
  }
  return rows;
}

static TccVal row_at(Decode *d, const Rows *rows, TccVal t) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  const char *memory = tcc_scalar_memory_type(a->read.view[rows->tensor].elem);
  if (!a->read.joins) return tcc_emit_gep(e, memory, rows->to, tcc_span_offset(d->k, &a->read.keys, rows->tensor, t));
  TccVal part[2], at[] = {t, tcc_emit_sub(e, t, rows->count[0])};
  for (int p = 0; p < 2; p++)
    part[p] = tcc_emit_gep(e, memory, rows->base[p], tcc_span_offset(d->k, &a->read.part_keys[p], rows->parts + p, at[p]));
  return tcc_emit_select1(e, TCC_PTR, tcc_emit_icmp(e, "slt", "i64", t, rows->count[0]), part[0], part[1]);
}

/* Row t, and the prefetch of one that follows: those of one head may lie a page apart. out_to: where it is written. */
static TccVal open_row(Decode *d, const Rows *rows, TccVal t, TccVal *out_to) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  TccElem elem = a->read.view[rows->tensor].elem;
  const char *memory = tcc_scalar_memory_type(elem);
  int64_t line = 64 / (int64_t)(tcc_elem_bits(elem) / 8);
  TccVal later = tcc_emit_add(e, t, tcc_emit_i64(e, PREFETCH)), prefetch = row_at(d, rows, later), there = 0;
  if (a->read.joins) {
    there = tcc_emit_gep(e, memory, rows->to, tcc_span_offset(d->k, &a->read.keys, rows->tensor, later));
    *out_to = tcc_emit_gep(e, memory, rows->to, tcc_span_offset(d->k, &a->read.keys, rows->tensor, t));
  }
  for (int64_t at = 0; at < rows->width && at < 8 * line; at += line) {
    tcc_emit_prefetch(e, tcc_emit_at(e, memory, prefetch, at), false, 3);
    if (a->read.joins) tcc_emit_prefetch(e, tcc_emit_at(e, memory, there, at), true, 3);
  }
  return row_at(d, rows, t);
}

/* Elements [at, at + lanes) of an open row as accumulators; lanes beyond its width are zero. step: what `at` goes by. */
static TccVal take(Decode *d, const Rows *rows, TccVal row, TccVal to, TccVal at, int64_t step) {
  TccEmit *e = d->e;
  TccElem elem = d->a->read.view[rows->tensor].elem;
  const char *memory = tcc_scalar_memory_type(elem), *type = tcc_emit_vector(e, memory, d->lanes);
  TccVal on = rows->width % step ? tcc_emit_mask(e, tcc_emit_sub(e, tcc_emit_i64(e, rows->width), at), d->lanes) : 0;
  TccVal v = tcc_emit_masked_load(e, type, tcc_emit_gep(e, memory, row, at), on);
  if (d->a->read.joins) tcc_emit_masked_store(e, type, v, tcc_emit_gep(e, memory, to, at), on);
  return tcc_scalar_convert(e, elem, d->a->plan.type.acc_elem, d->lanes, v);
}

/* Rows that no query sees are written as well. */
static void emit_unseen(Decode *d, const Rows *rows) {
  TccEmit *e = d->e;
  TccLoop t, c;
  if (!d->a->read.joins || !d->a->read.causal) return;
  tcc_emit_for(e, &t, d->end, tcc_kernel_size(d->k, d->a->read.keys.count), 1, 0, NULL, NULL);
  TccVal to, row = open_row(d, rows, t.iv, &to);
  tcc_emit_for(e, &c, tcc_emit_i64(e, 0), tcc_emit_i64(e, rows->width), d->lanes, 0, NULL, NULL);
  take(d, rows, row, to, c.iv, d->lanes);
  tcc_emit_end_for(e, &c, NULL);
  tcc_emit_end_for(e, &t, NULL);
}

static TccVal scores_at(Decode *d, TccVal key) {
  return tcc_emit_gep(d->e, d->elem, tcc_emit_at(d->e, d->elem, d->scratch, d->scores),
                      tcc_emit_mul(d->e, key, tcc_emit_i64(d->e, d->padded)));
}

/* Elements 0, 2, ... and 1, 3, ... of a, then of b, added. */
static TccVal add_pairs(Decode *d, TccVal a, TccVal b) {
  int odd[64];
  for (int i = 0; i < d->lanes; i++) odd[i] = 2 * i + 1;
  return tcc_emit_bin(d->e, "fadd", d->type, tcc_emit_even(d->e, d->type, a, b), tcc_emit_shuffle(d->e, d->type, a, b, odd));
}

/* The sums over the lanes of each of `padded` vectors, in as many lanes in turn. */
static TccVal fold_together(Decode *d, TccVal *v) {
  for (int count = d->padded; count > 1; count /= 2)
    for (int i = 0; i < count / 2; i++) v[i] = add_pairs(d, v[2 * i], v[2 * i + 1]);
  for (int left = d->lanes; left > d->padded; left /= 2) v[0] = add_pairs(d, v[0], v[0]);
  return v[0];
}

/* scores[key][query] = cap(q k scale) + mask */
static TccStatus *emit_scores(Decode *d) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  open(d, "scores");
  TccVal zero = tcc_emit_i64(e, 0), q = base_of(d, ATT_Q), sums[MOST_QUERIES], to = 0;
  TccVal mask = a->read.mask ? base_of(d, ATT_MASK) : 0;
  const char *types[MOST_QUERIES], *from = tcc_scalar_memory_type(a->read.view[ATT_Q].elem);
  Rows rows = open_rows(d, ATT_K);
  TccLoop query, c, t;
  tcc_emit_for(e, &query, zero, tcc_emit_i64(e, d->queries), 1, 0, NULL, NULL);
  TccVal row = tcc_emit_gep(e, from, q, tcc_span_offset(d->k, &a->read.queries, ATT_Q, query.iv));
  TccVal copy = tcc_emit_gep(e, d->elem, d->scratch, tcc_emit_mul(e, query.iv, tcc_emit_i64(e, d->depth)));
  tcc_emit_for(e, &c, zero, tcc_emit_i64(e, a->read.d), d->lanes, 0, NULL, NULL);
  TccVal on = a->read.d % d->lanes ? tcc_emit_mask(e, tcc_emit_sub(e, tcc_emit_i64(e, a->read.d), c.iv), d->lanes) : 0;
  TccVal part = tcc_emit_masked_load(e, tcc_emit_vector(e, from, d->lanes), tcc_emit_gep(e, from, row, c.iv), on);
  part = tcc_scalar_convert(e, a->read.view[ATT_Q].elem, a->plan.type.acc_elem, d->lanes, part);
  part = tcc_emit_bin(e, "fmul", d->type, part, tcc_emit_float(e, d->type, a->read.scale));
  tcc_emit_store(e, d->type, part, tcc_emit_gep(e, d->elem, copy, c.iv));
  tcc_emit_end_for(e, &c, NULL);
  tcc_emit_end_for(e, &query, NULL);

  tcc_emit_for(e, &t, zero, d->end, 1, 0, NULL, NULL);
  row = open_row(d, &rows, t.iv, &to);
  for (int i = 0; i < d->padded; i++) sums[i] = tcc_emit_zero(e, d->type), types[i] = d->type;
  tcc_emit_for(e, &c, zero, tcc_emit_i64(e, a->read.d), d->lanes, d->queries, sums, types);
  TccVal key = take(d, &rows, row, to, c.iv, d->lanes), at = tcc_emit_gep(e, d->elem, d->scratch, c.iv);
  for (int i = 0; i < d->queries; i++)
    sums[i] = tcc_emit_fma(e, d->type, key, tcc_emit_load(e, d->type, tcc_emit_at(e, d->elem, at, i * d->depth)), c.in[i]);
  tcc_emit_end_for(e, &c, sums);
  memcpy(sums, c.out, sizeof *sums * (size_t)d->queries);
  TccVal x = fold_together(d, sums);
  if (a->read.softcap != 0) TCC_TRY(attention_cap(e, d->type, a->read.softcap, &x));
  if (mask) {
    TccElem elem = a->read.view[ATT_MASK].elem;
    const char *memory = tcc_scalar_memory_type(elem);
    TccVal one = tcc_emit_load(e, memory, tcc_emit_gep(e, memory, mask, tcc_span_offset(d->k, &a->read.keys, ATT_MASK, t.iv)));
    one = tcc_emit_splat(e, tcc_emit_vector(e, memory, d->lanes), one);
    x = tcc_emit_bin(e, "fadd", d->type, x, attention_summand(e, elem, a->plan.type.acc_elem, d->lanes, one));
  }
  tcc_emit_store(e, d->type, x, scores_at(d, t.iv)); /* behind the queries: where the next key's go */
  tcc_emit_end_for(e, &t, NULL);
  emit_unseen(d, &rows);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* Lanes of queries -> what `kind` makes of all lanes of the same query, in each of them. */
static TccVal fold_queries(Decode *d, const char *kind, TccVal v) {
  int index[64];
  for (int apart = d->lanes / 2; apart >= d->padded; apart /= 2) {
    for (int i = 0; i < d->lanes; i++) index[i] = (i + apart) % d->lanes;
    v = tcc_scalar_combine(d->e, tcc_str(kind), d->a->plan.type.acc_elem, d->lanes, v,
                           tcc_emit_shuffle(d->e, d->type, v, v, index));
  }
  return v;
}

/* Scores -> e^(x - max), the inverse of their sum, and its logarithm. */
static TccStatus *emit_weights(Decode *d) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  open(d, "weigh");
  TccVal zero = tcc_emit_i64(e, 0), lowest = tcc_emit_float(e, d->type, -INFINITY), nothing = tcc_emit_zero(e, d->type), w;
  TccVal all = scores_at(d, zero), count = tcc_emit_mul(e, d->end, tcc_emit_i64(e, d->padded));
  TccLoop t;
  tcc_emit_for(e, &t, zero, count, d->lanes, 1, &lowest, &d->type);
  TccVal p = tcc_emit_gep(e, d->elem, all, t.iv), on = tcc_emit_mask(e, tcc_emit_sub(e, count, t.iv), d->lanes);
  TccVal x = tcc_emit_select(e, d->type, on, tcc_emit_load(e, d->type, p), lowest);
  tcc_emit_store(e, d->type, x, p);
  TccVal next = tcc_emit_select(e, d->type, tcc_emit_fcmp(e, "ogt", d->type, x, t.in[0]), x, t.in[0]);
  tcc_emit_end_for(e, &t, &next);
  TccVal max = fold_queries(d, "max", t.out[0]);
  max = tcc_emit_select(e, d->type, tcc_emit_fcmp(e, "oeq", d->type, max, lowest), nothing, max); /* no key is visible: 0 / 0 */

  tcc_emit_for(e, &t, zero, count, d->lanes, 1, &nothing, &d->type);
  p = tcc_emit_gep(e, d->elem, all, t.iv);
  x = tcc_emit_bin(e, "fsub", d->type, tcc_emit_load(e, d->type, p), max);
  TCC_TRY(attention_power_of_two(e, d->type, tcc_emit_bin(e, "fmul", d->type, x, tcc_emit_float(e, d->type, M_LOG2E)), &w));
  tcc_emit_store(e, d->type, w, p);
  next = tcc_emit_bin(e, "fadd", d->type, t.in[0], w);
  tcc_emit_end_for(e, &t, &next);
  TccVal sum = fold_queries(d, "sum", t.out[0]);
  TccVal inverse = tcc_emit_bin(e, "fdiv", d->type, tcc_emit_float(e, d->type, 1), attention_divisor(d->k, a, d->type, sum));
  if (a->read.zero_masked) inverse = tcc_emit_select(e, d->type, tcc_emit_fcmp(e, "oeq", d->type, sum, nothing), nothing, inverse);
  tcc_emit_store(e, d->type, inverse, tcc_emit_at(e, d->elem, d->scratch, d->inverse));
  if (a->read.gives_sums) /* behind the scores there is room for a vector */
    TCC_TRY(attention_store_log_sums(d->k, a, base_of(d, ATT_L), max, sum, zero, tcc_emit_i64(e, d->queries),
                                     tcc_emit_gep(e, d->elem, all, tcc_emit_max(e, zero, count))));
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* r = weights v / sum: as many columns at a time as there are registers for their sums */
static void emit_result(Decode *d) {
  TccEmit *e = d->e;
  const Attention *a = d->a;
  open(d, "result");
  int columns = (int)((a->read.e + d->lanes - 1) / d->lanes), most = MOST_SUMS / d->queries;
  if (columns > most) columns = (columns + (columns + most - 1) / most - 1) / ((columns + most - 1) / most);
  int n = columns * d->queries;
  int64_t group = (int64_t)columns * d->lanes;
  TccElem elem = a->read.view[ATT_R].elem;
  const char *memory = tcc_scalar_memory_type(elem), *types[MOST_SUMS];
  TccVal zero = tcc_emit_i64(e, 0), r = base_of(d, ATT_R), sums[MOST_SUMS], store = 0;
  Rows rows = open_rows(d, ATT_V);
  for (int i = 0; i < n; i++) sums[i] = tcc_emit_zero(e, d->type), types[i] = d->type;
  TccLoop c, t;
  tcc_emit_for(e, &c, zero, tcc_emit_i64(e, a->read.e), group, 0, NULL, NULL);
  tcc_emit_for(e, &t, zero, d->end, 1, n, sums, types);
  TccVal row = open_row(d, &rows, t.iv, &store), weights = scores_at(d, t.iv), one[MOST_QUERIES];
  for (int i = 0; i < d->queries; i++)
    one[i] = tcc_emit_splat(e, d->type, tcc_emit_load(e, d->elem, tcc_emit_at(e, d->elem, weights, i)));
  for (int j = 0; j < columns; j++) {
    TccVal value = take(d, &rows, row, store, tcc_emit_add(e, c.iv, tcc_emit_i64(e, (int64_t)j * d->lanes)), group);
    for (int i = 0; i < d->queries; i++) sums[i * columns + j] = tcc_emit_fma(e, d->type, value, one[i], t.in[i * columns + j]);
  }
  tcc_emit_end_for(e, &t, sums);
  for (int i = 0; i < d->queries; i++) {
    TccVal inverse = tcc_emit_splat(e, d->type, tcc_emit_load(e, d->elem, tcc_emit_at(e, d->elem, d->scratch, d->inverse + i)));
    TccVal to = tcc_emit_gep(e, memory, r, tcc_span_offset(d->k, &a->read.queries, ATT_R, tcc_emit_i64(e, i)));
    for (int j = 0; j < columns; j++) {
      TccVal at = tcc_emit_add(e, c.iv, tcc_emit_i64(e, (int64_t)j * d->lanes));
      TccVal on = a->read.e % group ? tcc_emit_mask(e, tcc_emit_sub(e, tcc_emit_i64(e, a->read.e), at), d->lanes) : 0;
      TccVal x = tcc_emit_bin(e, "fmul", d->type, t.out[i * columns + j], inverse);
      x = tcc_scalar_convert(e, a->plan.type.acc_elem, elem, d->lanes, x);
      tcc_emit_masked_store(e, tcc_emit_vector(e, memory, d->lanes), x, tcc_emit_gep(e, memory, to, at), on);
    }
  }
  tcc_emit_end_for(e, &c, NULL);
  emit_unseen(d, &rows);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *attention_decode_emit(TccKernelEmit *k, const Attention *a, const TccExpr **out_tiles, const TccExpr **out_scratch) {
  TccEmit *e = k->e;
  TccExprPool *pool = k->ir->exprs;
  int64_t queries = 1;
  (void)tcc_expr_is_const(a->read.queries.count, &queries);
  Decode d = {.k = k, .e = e, .a = a, .lanes = a->plan.type.lanes, .queries = (int)queries, .elem = a->plan.type.acc};
  d.padded = (int)attention_padded_queries(queries);
  d.type = tcc_emit_vector(e, d.elem, d.lanes);
  d.depth = tcc_round_up(a->read.d, d.lanes);
  d.inverse = queries * d.depth;
  d.scores = d.inverse + d.lanes;
  TCC_TRY(emit_scores(&d));
  TCC_TRY(emit_weights(&d));
  if (a->read.gives_result) emit_result(&d);

  TccKernelEntry entry;
  e->optnone = true;
  tcc_kernel_entry(k, &entry);
  TccLoop head;
  TccVal end = tcc_kernel_size(k, a->read.keys.count);
  if (a->read.causal) end = tcc_emit_min(e, end, tcc_emit_add(e, tcc_emit_i64(e, 1), tcc_kernel_size(k, a->read.offset)));
  tcc_emit_for(e, &head, entry.begin, entry.end, 1, 0, NULL, NULL);
  TccVal kv_head = a->read.repeat != 1 && !a->read.stacked ? tcc_emit_div(e, head.iv, tcc_emit_i64(e, a->read.repeat)) : head.iv;
  TccVal args[] = {k->arguments, k->size_pointer, entry.scratch, head.iv, kv_head, end};
  static const char *const steps[] = {"scores", "weigh", "result"};
  for (int i = 0; i < (a->read.gives_result ? 3 : 2); i++) tcc_emit_call(e, steps[i], 6, args, params, NULL);
  tcc_emit_end_for(e, &head, NULL);
  tcc_emit_return(e, 0, NULL);
  const TccExpr *elements =
      tcc_expr_mul(pool, tcc_expr_const(pool, d.padded), a->read.keys.count); /* and a vector that begins there */
  elements = tcc_expr_add(pool, tcc_expr_const(pool, d.scores + d.lanes), elements);
  *out_scratch = tcc_kernel_slot(k, tcc_expr_mul(pool, elements, tcc_expr_const(pool, a->plan.type.acc_bytes)));
  *out_tiles = tcc_kernel_slot(k, a->read.heads.count);
  return NULL;
}
