/* attention_softmax.c - what attention does to a block of scores: weights, running maximum and sum, and the result.
 *
 * Scores lie transposed, block[key][query], so that a vector holds 16 queries: maxima, sums and the rescaling of the
 * accumulators are vertical, and nothing is folded across lanes. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/attention/attention_internal.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { WEIGH_SUMS = 11, WEIGH_FACTOR, WEIGH_ARGS };
static const char *const spread_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64"};
static const char *const epilogue_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64"};

/* Weights come from products as they are: e^(scale (s - max)). */
static bool is_plain(const Attention *a) { return !a->read.mask && a->read.softcap == 0 && a->read.scale > 0; }

static void weigh_types(const Attention *a, const char **types) {
  for (int i = 0; i < WEIGH_ARGS; i++) types[i] = i < 7 ? TCC_PTR : "i64";
  types[WEIGH_FACTOR] = a->plan.type.acc;
}

/* What differs between layers, the width of a head and the scale, are arguments: the function is the same. */
void attention_weigh_call(TccKernelEmit *k, const Attention *a, const WeighCall *c) {
  const char *types[WEIGH_ARGS];
  weigh_types(a, types);
  TccVal args[WEIGH_ARGS] = {k->arguments, k->size_pointer, c->s, c->max, c->sum, c->o, c->mask, c->kcount, c->q0, c->t0, c->head};
  args[WEIGH_SUMS] = tcc_emit_i64(k->e, a->read.e * a->plan.nr);
  args[WEIGH_FACTOR] = tcc_emit_float(k->e, types[WEIGH_FACTOR], a->read.scale * (is_plain(a) ? M_LOG2E : 1));
  tcc_emit_call(k->e, "weigh", WEIGH_ARGS, args, types, NULL);
}

static bool mask_is_even(const Attention *a) { return attention_is_even(&a->read.queries) && attention_is_even(&a->read.keys); }

void attention_spread_call(TccKernelEmit *k, const Attention *a, const SpreadCall *c) {
  TccVal args[] = {k->arguments, k->size_pointer, c->dst, c->square, c->head, c->q0, c->count, c->t0, c->kcount};
  if (mask_is_even(a)) { /* the first query's row, at the first key */
    AttentionRows rows = attention_rows(k, a, ATT_MASK, &a->read.heads, c->head, &a->read.queries, c->q0);
    TccVal key = tcc_span_offset(k, &a->read.keys, ATT_MASK, c->t0);
    args[0] = tcc_emit_gep(k->e, tcc_scalar_memory_type(a->read.view[ATT_MASK].elem), rows.first, key), args[4] = rows.apart;
  }
  tcc_emit_call(k->e, "spread_mask", 9, args, spread_types, NULL);
}

void attention_epilogue_call(TccKernelEmit *k, const Attention *a, const AttentionEpilogueCall *c) {
  TccVal args[] = {k->arguments, k->size_pointer, c->o, c->sum, c->scratch, c->head, c->q0, c->count};
  if (attention_is_even(&a->read.queries)) { /* the first query's row; how wide rows are */
    AttentionRows rows = attention_rows(k, a, ATT_R, &a->read.heads, c->head, &a->read.queries, c->q0);
    args[0] = rows.first, args[5] = rows.apart, args[6] = tcc_emit_i64(k->e, a->read.e);
  }
  tcc_emit_call(k->e, "epilogue", 8, args, epilogue_types, NULL);
}

static TccVal larger(TccEmit *e, const char *type, TccVal a, TccVal b) {
  return tcc_emit_select(e, type, tcc_emit_fcmp(e, "ogt", type, a, b), a, b);
}

TccVal attention_summand(TccEmit *e, TccElem from, TccElem acc, int lanes, TccVal v) {
  const char *type = tcc_emit_vector(e, tcc_scalar_type(acc), lanes);
  v = tcc_scalar_from_memory(e, from, lanes, v);
  if (from != TCC_ELEM_BOOL) return tcc_scalar_convert(e, from, acc, lanes, v);
  return tcc_emit_select(e, type, v, tcc_emit_zero(e, type), tcc_emit_float(e, type, -INFINITY));
}

TccStatus *attention_cap(TccEmit *e, const char *type, double cap, TccVal *x) {
  TccVal t;
  TccVal scaled = tcc_emit_bin(e, "fmul", type, *x, tcc_emit_float(e, type, 1 / cap));
  if (!tcc_math_function(e, TCC_OP_TANH, type, scaled, &t)) return TCC_ERROR(TCC_UNSUPPORTED, "softcap of %s scores", type);
  *x = tcc_emit_bin(e, "fmul", type, t, tcc_emit_float(e, type, cap));
  return NULL;
}

TccStatus *attention_power_of_two(TccEmit *e, const char *type, TccVal x, TccVal *out) {
  const TccScalarFunctions *own = tcc_scalar_functions(e, type);
  if (own) {
    *out = own->exp2(e, x, -100);
    return NULL;
  }
  if (!strcmp(tcc_emit_elem(e, type), "f32")) {
    *out = tcc_math_exp2_below(e, type, x, -100);
    return NULL;
  }
  if (tcc_math_function(e, TCC_OP_EXP, type, tcc_emit_bin(e, "fmul", type, x, tcc_emit_float(e, type, M_LN2)), out)) return NULL;
  return TCC_ERROR(TCC_UNSUPPORTED, "softmax of %s scores", type);
}

typedef struct {
  TccKernelEmit *k;
  const Attention *a;
  const char *type, *index;
  bool plain;
  TccVal factor, minus_factor; /* the scale; of what is plain times log2(e) */
  TccVal sums;                 /* elements of the accumulators */
  TccVal s, mask, mask_head, last_key, t0, kcount, whole;
} Weigh;

/* The score at p of key t, in the block's numbers: scaled, capped, masked, and stored where that changes it. */
static TccStatus *emit_score(const Weigh *w, TccVal row, TccVal t, TccVal *out) {
  TccKernelEmit *k = w->k;
  TccEmit *e = k->e;
  const Attention *a = w->a;
  const char *elem = a->plan.type.acc, *type = w->type;
  TccVal p = tcc_emit_gep(e, elem, w->s, row), x = tcc_emit_load(e, type, p);
  if (!w->plain) x = tcc_emit_bin(e, "fmul", type, x, w->factor);
  if (a->read.softcap != 0) TCC_TRY(attention_cap(e, type, a->read.softcap, &x));
  if (a->read.mask == TCC_ATTENTION_MASK_BLOCK)
    x = tcc_emit_bin(e, "fadd", type, x, tcc_emit_load(e, type, tcc_emit_gep(e, elem, w->mask, row)));
  if (a->read.mask == TCC_ATTENTION_MASK_KEYS) {
    const char *memory = tcc_scalar_memory_type(a->read.view[ATT_MASK].elem);
    TccVal at = tcc_span_offset(k, &a->read.keys, ATT_MASK, tcc_emit_add(e, w->t0, t));
    TccVal one = tcc_emit_load(e, memory, tcc_emit_gep(e, memory, w->mask_head, at));
    x = tcc_emit_bin(e, "fadd", type, x,
                     tcc_emit_splat(e, type, attention_summand(e, a->read.view[ATT_MASK].elem, a->plan.type.acc_elem, 1, one)));
  }
  if (a->read.causal)
    x = tcc_emit_select(
        e, type,
        tcc_emit_icmp(e, "sgt", w->index, tcc_emit_splat(e, w->index, tcc_emit_cast(e, "trunc", "i64", "i32", t)), w->last_key),
        tcc_emit_float(e, type, -INFINITY), x);
  if (a->read.causal || !w->plain) tcc_emit_store(e, type, x, p);
  *out = x;
  return NULL;
}

/* The maximum of the scores of one vector of queries. Four keys a step, where that is little code, so that maxima do not wait
 * for each other; of what is plain those that all queries see are only read. */
static TccStatus *emit_maximum(const Weigh *w, TccVal *out) {
  TccEmit *e = w->k->e;
  const Attention *a = w->a;
  const char *elem = a->plan.type.acc, *type = w->type;
  TccVal stride = tcc_emit_i64(e, a->plan.nr), lowest = tcc_emit_float(e, type, -INFINITY),
         four[4] = {lowest, lowest, lowest, lowest}, most = lowest;
  bool by_four = w->plain || (!a->read.causal && a->read.softcap == 0);
  TccLoop t;
  if (by_four) {
    int64_t each = w->plain ? a->plan.nr : 1; /* of what is plain only elements count */
    tcc_emit_for(e, &t, tcc_emit_i64(e, 0), tcc_emit_mul(e, w->whole, tcc_emit_i64(e, each)), 4 * each, 4, four,
                 (const char *const[]){type, type, type, type});
    TccVal row = w->plain ? t.iv : tcc_emit_mul(e, t.iv, stride);
    for (int i = 0; i < 4; i++) {
      TccVal x = 0;
      if (w->plain) x = tcc_emit_load(e, type, tcc_emit_at(e, elem, tcc_emit_gep(e, elem, w->s, row), i * a->plan.nr));
      else
        TCC_TRY(
            emit_score(w, tcc_emit_add(e, row, tcc_emit_i64(e, i * a->plan.nr)), tcc_emit_add(e, t.iv, tcc_emit_i64(e, i)), &x));
      four[i] = larger(e, type, x, t.in[i]);
    }
    tcc_emit_end_for(e, &t, four);
    most = larger(e, type, larger(e, type, t.out[0], t.out[1]), larger(e, type, t.out[2], t.out[3]));
  }
  tcc_emit_for(e, &t, by_four ? w->whole : tcc_emit_i64(e, 0), w->kcount, 1, 1, &most, &type);
  TccVal x;
  TCC_TRY(emit_score(w, tcc_emit_mul(e, t.iv, stride), t.iv, &x));
  TccVal next = larger(e, type, x, t.in[0]);
  tcc_emit_end_for(e, &t, &next);
  *out = t.out[0];
  return NULL;
}

/* 2^(x log2(e) - ...) of a score: `max` is what exponent() of the maximum subtracts. */
static TccVal exponent(const Weigh *w, TccVal x, TccVal max) {
  TccEmit *e = w->k->e;
  if (w->plain) return tcc_emit_fma(e, w->type, x, w->factor, max);
  return tcc_emit_bin(e, "fmul", w->type, tcc_emit_bin(e, "fsub", w->type, x, max), tcc_emit_float(e, w->type, M_LOG2E));
}

/* What exponent() subtracts: of `lowest`, which a row without a visible key has, nothing. It keeps sum 0: its result is 0 / 0. */
static TccVal subtrahend(const Weigh *w, TccVal max) {
  TccEmit *e = w->k->e;
  TccVal none = tcc_emit_fcmp(e, "oeq", w->type, max, tcc_emit_float(e, w->type, -INFINITY));
  max = tcc_emit_select(e, w->type, none, tcc_emit_zero(e, w->type), max);
  return w->plain ? tcc_emit_bin(e, "fmul", w->type, max, w->minus_factor) : max;
}

/* What weights are relative to: the greatest score so far, or one that it exceeds by no more than a factor of 2^8 of weights. Where it
 * does in some lane, sums and results follow the new one; after the first blocks that is rare, and they stay as they are. */
static TccStatus *emit_base(const Weigh *w, TccVal block_max, TccVal max, TccVal sum, TccVal o, TccVal *base) {
  enum { TIMES = 8 };
  TccEmit *e = w->k->e;
  const Attention *a = w->a;
  int lanes = a->plan.type.lanes;
  const char *elem = a->plan.type.acc, *type = w->type;
  TccVal old = tcc_emit_load(e, type, max), zero = tcc_emit_i64(e, 0), alpha;
  TccVal rise = tcc_emit_bin(e, "fmul", type, tcc_emit_bin(e, "fsub", type, block_max, old),
                             w->plain ? w->factor : tcc_emit_float(e, type, M_LOG2E));
  TccVal moved = tcc_emit_any_lane(e, lanes, tcc_emit_fcmp(e, "ogt", type, rise, tcc_emit_float(e, type, TIMES)));
  TccIf moves;
  tcc_emit_if(e, &moves, moved, 1, &type);
  TccVal new = larger(e, type, block_max, old), kept = subtrahend(w, new);
  tcc_emit_store(e, type, new, max);
  TCC_TRY(attention_power_of_two(e, type, exponent(w, old, kept), &alpha));
  tcc_emit_store(e, type, tcc_emit_bin(e, "fmul", type, tcc_emit_load(e, type, sum), alpha), sum);
  TccVal started = tcc_emit_icmp(e, "ne", "i64", w->t0, zero); /* nothing to rescale before the first block */
  TccLoop t;
  tcc_emit_for(e, &t, zero, tcc_emit_select1(e, "i64", started, w->sums, zero), a->plan.nr, 0, NULL, NULL);
  TccVal p = tcc_emit_gep(e, elem, o, t.iv);
  tcc_emit_store(e, type, tcc_emit_bin(e, "fmul", type, tcc_emit_load(e, type, p), alpha), p);
  tcc_emit_end_for(e, &t, NULL);
  tcc_emit_else(e, &moves, &kept);
  kept = subtrahend(w, old);
  tcc_emit_end_if(e, &moves, &kept);
  *base = moves.out[0];
  return NULL;
}

/* Scores -> weights e^(x - max), in place; max and sum follow, and o is rescaled to the new maximum. One vector of queries
 * at a time, so that the code holds each function once. */
TccStatus *attention_weigh_emit(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  int lanes = a->plan.type.lanes;
  const char *elem = a->plan.type.acc, *type = tcc_emit_vector(e, elem, lanes);
  TccVal arg[WEIGH_ARGS];
  const char *types[WEIGH_ARGS];
  weigh_types(a, types);
  tcc_emit_function(e, "weigh", true, WEIGH_ARGS, types, NULL, arg);
  k->arguments = arg[0], k->size_pointer = arg[1];
  Weigh w = {.k = k,
             .a = a,
             .type = type,
             .index = tcc_emit_vector(e, "i32", lanes),
             .plain = is_plain(a),
             .sums = arg[WEIGH_SUMS],
             .factor = tcc_emit_splat(e, type, arg[WEIGH_FACTOR]),
             .kcount = arg[7],
             .t0 = arg[9]};
  if (w.plain) w.minus_factor = tcc_emit_bin(e, "fsub", type, tcc_emit_float(e, type, -0.0), w.factor);
  TccVal zero = tcc_emit_i64(e, 0), stride = tcc_emit_i64(e, a->plan.nr), nothing = tcc_emit_zero(e, type);
  if (a->read.mask == TCC_ATTENTION_MASK_KEYS)
    w.mask_head = tcc_emit_gep(e, tcc_scalar_memory_type(a->read.view[ATT_MASK].elem), tcc_view_pointer(k, &a->read.view[ATT_MASK]),
                               tcc_span_offset(k, &a->read.heads, ATT_MASK, arg[10]));
  TccLoop group, t;
  tcc_emit_for(e, &group, zero, stride, lanes, 0, NULL, NULL);
  w.s = tcc_emit_gep(e, elem, arg[2], group.iv), w.mask = tcc_emit_gep(e, elem, arg[6], group.iv);
  TccVal max = tcc_emit_gep(e, elem, arg[3], group.iv), sum = tcc_emit_gep(e, elem, arg[4], group.iv),
         o = tcc_emit_gep(e, elem, arg[5], group.iv);
  TccVal whole = w.kcount;
  if (a->read.causal) { /* last visible key of each query, from the block's first */
    TccVal first = tcc_emit_sub(e, tcc_kernel_size(k, a->read.offset), w.t0);
    if (!a->read.stacked) first = tcc_emit_add(e, first, tcc_emit_add(e, arg[8], group.iv));
    whole = tcc_emit_max(e, zero, tcc_emit_min(e, whole, tcc_emit_add(e, first, tcc_emit_i64(e, 1))));
    first = tcc_emit_max(e, first, tcc_emit_i64(e, -1 - lanes)); /* in 32 bits */
    first = tcc_emit_min(e, first, w.kcount);
    w.last_key = tcc_emit_splat(e, w.index, tcc_emit_cast(e, "trunc", "i64", "i32", first));
    if (!a->read.stacked) w.last_key = tcc_emit_bin(e, "add", w.index, w.last_key, tcc_emit_iota(e, "i32", lanes));
  }
  w.whole = tcc_emit_mul(e, tcc_emit_div(e, whole, tcc_emit_i64(e, 4)), tcc_emit_i64(e, 4));
  TccVal block_max, weight;
  TCC_TRY(emit_maximum(&w, &block_max));

  TccVal base;
  TCC_TRY(emit_base(&w, block_max, max, sum, o, &base));
  tcc_emit_for(e, &t, zero, tcc_emit_mul(e, w.kcount, stride), a->plan.nr, 1, &nothing,
               &type); /* by elements: no shift in each iteration */
  TccVal p = tcc_emit_gep(e, elem, w.s, t.iv);
  TCC_TRY(attention_power_of_two(e, type, exponent(&w, tcc_emit_load(e, type, p), base), &weight));
  tcc_emit_store(e, type, weight, p);
  TccVal next = tcc_emit_bin(e, "fadd", type, t.in[0], weight);
  tcc_emit_end_for(e, &t, &next);
  tcc_emit_store(e, type, tcc_emit_bin(e, "fadd", type, tcc_emit_load(e, type, sum), t.out[0]), sum);
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

typedef struct {
  TccKernelEmit *k;
  const Attention *a;
  TccVal dst, square, apart, q0, count, t0; /* of SpreadCall */
  TccVal base;                              /* the first query's row where `apart` is told, else the head's */
  bool told;
  int lanes;
  TccVal query, key; /* the first ones of the square at work */
} Spread;

/* Mask of `lanes` keys from s->key on, for one query of the square: beyond the last one that one again. */
static TccVal load_queries_mask(void *user, TccVal row) {
  const Spread *s = user;
  TccEmit *e = s->k->e;
  const TccView *view = &s->a->read.view[ATT_MASK];
  const char *memory = tcc_scalar_memory_type(view->elem);
  TccVal last = tcc_emit_sub(e, s->count, tcc_emit_i64(e, 1)), query = tcc_emit_min(e, tcc_emit_add(e, s->query, row), last), p;
  if (s->told) p = tcc_emit_gep(e, "i8", s->base, tcc_emit_mul(e, query, s->apart));
  else p = tcc_emit_gep(e, memory, s->base, tcc_span_offset(s->k, &s->a->read.queries, ATT_MASK, tcc_emit_add(e, s->q0, query)));
  TccVal key = s->told ? s->key : tcc_emit_add(e, s->t0, s->key);
  p = tcc_emit_gep(e, memory, p, tcc_span_offset(s->k, &s->a->read.keys, ATT_MASK, key));
  TccVal v = tcc_emit_load(e, tcc_emit_vector(e, memory, s->lanes), p);
  return attention_summand(e, view->elem, s->a->plan.type.acc_elem, s->lanes, v);
}

static void store_keys_mask(void *user, TccVal row, TccVal value) {
  const Spread *s = user;
  TccEmit *e = s->k->e;
  const char *elem = s->a->plan.type.acc;
  TccVal key = tcc_emit_mul(e, tcc_emit_add(e, s->key, row), tcc_emit_i64(e, s->a->plan.nr));
  tcc_emit_store(e, tcc_emit_vector(e, elem, s->lanes), value, tcc_emit_gep(e, elem, s->dst, tcc_emit_add(e, key, s->query)));
}

/* Keys [begin, end) of the block in squares of `lanes`, of which the last ends with the keys. */
static void emit_squares(Spread *s, int lanes, TccVal begin, TccVal end) {
  TccEmit *e = s->k->e;
  const char *type = tcc_emit_vector(e, s->a->plan.type.acc, lanes);
  TccLoop q, t;
  s->lanes = lanes;
  tcc_emit_for(e, &q, tcc_emit_i64(e, 0), s->count, lanes, 0, NULL, NULL);
  tcc_emit_for(e, &t, begin, end, lanes, 0, NULL, NULL);
  s->query = q.iv, s->key = tcc_emit_min(e, t.iv, tcc_emit_sub(e, end, tcc_emit_i64(e, lanes)));
  tcc_emit_transpose_rows(e, type, s->square, &(TccTurnedRows){load_queries_mask, store_keys_mask, s});
  tcc_emit_end_for(e, &t, NULL);
  tcc_emit_end_for(e, &q, NULL);
}

/* Mask of queries [q0, q0 + count) and keys [t0, t0 + kcount) as dst[key][query] summands: squares are read along the keys and
 * transposed; fewer keys than a square has, and a mask whose keys are not neighbours, go element by element. */
void attention_spread_emit(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  TccVal arg[9];
  tcc_emit_function(e, "spread_mask", true, 9, spread_types, NULL, arg);
  k->arguments = arg[0], k->size_pointer = arg[1];
  Spread s = {.k = k, .a = a, .dst = arg[2], .square = arg[3], .apart = arg[4], .q0 = arg[5], .count = arg[6], .t0 = arg[7]};
  TccVal kcount = arg[8], zero = tcc_emit_i64(e, 0), squares = zero;
  s.told = mask_is_even(a);
  s.base = s.told ? arg[0] : attention_rows(k, a, ATT_MASK, &a->read.heads, arg[4], NULL, 0).first;
  int64_t stride;
  bool even =
      tcc_expr_is_const(tcc_span_inner_stride(k->ir, &a->read.keys, ATT_MASK), &stride) && stride == 1 && a->read.keys.n == 1;
  if (even) {
    TccVal fills = tcc_emit_icmp(e, "sge", "i64", kcount, tcc_emit_i64(e, a->plan.type.lanes));
    squares = tcc_emit_select1(e, "i64", fills, kcount, zero);
    emit_squares(&s, a->plan.type.lanes, zero, squares);
  }
  emit_squares(&s, 1, squares, kcount);
  tcc_emit_return(e, 0, NULL);
}

TccVal attention_divisor(TccKernelEmit *k, const Attention *a, const char *type, TccVal sum) {
  int64_t known;
  if (tcc_expr_is_const(a->read.keys.count, &known) && known > 0) return sum;
  TccVal none = tcc_emit_icmp(k->e, "eq", "i64", tcc_kernel_size(k, a->read.keys.count), tcc_emit_i64(k->e, 0));
  return tcc_emit_select1(k->e, type, none, tcc_emit_float(k->e, type, 1), sum);
}

TccStatus *attention_store_log_sums(TccKernelEmit *k, const Attention *a, TccVal to, TccVal base, TccVal sum, TccVal q0,
                                    TccVal count, TccVal scratch) {
  TccEmit *e = k->e;
  const int lanes = a->plan.type.lanes;
  const char *elem = a->plan.type.acc, *type = tcc_emit_vector(e, elem, lanes);
  const TccSpan *queries = &a->read.queries;
  int64_t stride;
  TccVal log;
  if (!tcc_math_function(e, TCC_OP_LOG, type, sum, &log)) return TCC_ERROR(TCC_UNSUPPORTED, "logarithms of %s sums", type);
  log = tcc_emit_bin(e, "fadd", type, base, log);
  if (attention_is_even(queries) && tcc_expr_is_const(tcc_span_inner_stride(k->ir, queries, ATT_L), &stride) && stride == 1) {
    TccVal on = tcc_emit_mask(e, count, lanes);
    tcc_emit_masked_store(e, type, log, tcc_emit_gep(e, elem, to, q0), on);
    return NULL;
  }
  TccLoop q;
  tcc_emit_store(e, type, log, scratch);
  tcc_emit_for(e, &q, tcc_emit_i64(e, 0), tcc_emit_min(e, count, tcc_emit_i64(e, lanes)), 1, 0, NULL, NULL);
  TccVal one = tcc_emit_load(e, elem, tcc_emit_gep(e, elem, scratch, q.iv));
  tcc_emit_store(e, elem, one, tcc_emit_gep(e, elem, to, tcc_span_offset(k, queries, ATT_L, tcc_emit_add(e, q0, q.iv))));
  tcc_emit_end_for(e, &q, NULL);
  return NULL;
}

static const char *const log_sums_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64"};

void attention_log_sums_call(TccKernelEmit *k, const LogSumsCall *c) {
  TccVal args[] = {k->arguments, k->size_pointer, c->max, c->sum, c->scratch, c->head, c->q0, c->count};
  tcc_emit_call(k->e, "log_sums", 8, args, log_sums_types, NULL);
}

TccStatus *attention_log_sums_emit(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  const int lanes = a->plan.type.lanes;
  const char *elem = a->plan.type.acc, *type = tcc_emit_vector(e, elem, lanes);
  TccVal arg[8];
  tcc_emit_function(e, "log_sums", true, 8, log_sums_types, NULL, arg);
  k->arguments = arg[0], k->size_pointer = arg[1];
  TccVal to = attention_rows(k, a, ATT_L, &a->read.heads, arg[5], NULL, 0).first, count = arg[7];
  TccLoop group;
  tcc_emit_for(e, &group, tcc_emit_i64(e, 0), count, lanes, 0, NULL, NULL);
  TccVal max = tcc_emit_load(e, type, tcc_emit_gep(e, elem, arg[2], group.iv)),
         sum = tcc_emit_load(e, type, tcc_emit_gep(e, elem, arg[3], group.iv));
  TccVal none = tcc_emit_fcmp(e, "oeq", type, max, tcc_emit_float(e, type, -INFINITY)); /* the logarithm of 0 is -inf */
  if (is_plain(a)) max = tcc_emit_bin(e, "fmul", type, max, tcc_emit_float(e, type, a->read.scale));
  max = tcc_emit_select(e, type, none, tcc_emit_zero(e, type), max);
  TCC_TRY(
      attention_store_log_sums(k, a, to, max, sum, tcc_emit_add(e, arg[6], group.iv), tcc_emit_sub(e, count, group.iv), arg[4]));
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* r = o / sum, from o[width][query] to the result's own layout: squares are transposed in scratch. */
void attention_epilogue_emit(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  TccVal arg[8];
  tcc_emit_function(e, "epilogue", true, 8, epilogue_types, NULL, arg);
  k->arguments = arg[0], k->size_pointer = arg[1];
  TccVal o = arg[2], sum = arg[3], scratch = arg[4], head = arg[5], q0 = arg[6], count = arg[7], zero = tcc_emit_i64(e, 0);
  const TccView *view = &a->read.view[ATT_R];
  int lanes = a->plan.type.lanes;
  const char *memory = tcc_scalar_memory_type(view->elem), *elem = a->plan.type.acc, *type = tcc_emit_vector(e, elem, lanes);
  int64_t stride;
  bool even = tcc_expr_is_const(tcc_span_inner_stride(k->ir, &a->read.width, ATT_R), &stride) && stride == 1 &&
              tcc_span_vectorizes(&a->read.width, lanes);
  int out_lanes = even ? lanes : 1;
  const char *out_type = tcc_emit_vector(e, elem, out_lanes), *result = tcc_emit_vector(e, memory, out_lanes);
  const bool told = attention_is_even(&a->read.queries);
  TccVal base = told ? arg[0] : attention_rows(k, a, ATT_R, &a->read.heads, head, NULL, 0).first,
         all = told ? arg[6] : tcc_emit_i64(e, a->read.e);
  TccLoop group, block, row, column;
  tcc_emit_for(e, &group, zero, count, lanes, 0, NULL, NULL);
  TccVal total = tcc_emit_load(e, type, tcc_emit_gep(e, elem, sum, group.iv));
  TccVal inverse = tcc_emit_bin(e, "fdiv", type, tcc_emit_float(e, type, 1.0), attention_divisor(k, a, type, total));
  TccVal valid = a->read.zero_masked ? tcc_emit_fcmp(e, "ogt", type, total, tcc_emit_zero(e, type)) : 0;
  TccVal rows = tcc_emit_min(e, tcc_emit_sub(e, count, group.iv), tcc_emit_i64(e, lanes));
  tcc_emit_for(e, &block, zero, all, lanes, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, elem, o, tcc_emit_add(e, tcc_emit_mul(e, block.iv, tcc_emit_i64(e, a->plan.nr)), group.iv));
  tcc_emit_for(e, &row, zero, tcc_emit_i64(e, lanes), 1, 0, NULL, NULL);
  TccVal v = tcc_emit_load(e, type, tcc_emit_gep(e, elem, from, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, a->plan.nr))));
  v = tcc_emit_bin(e, "fmul", type, v, inverse);
  if (valid) v = tcc_emit_select(e, type, valid, v, tcc_emit_zero(e, type));
  tcc_emit_store(e, type, v, tcc_emit_gep(e, type, scratch, row.iv));
  tcc_emit_end_for(e, &row, NULL);
  TccVal transposed = tcc_emit_transpose(e, type, scratch);
  TccVal width = tcc_emit_min(e, tcc_emit_sub(e, all, block.iv), tcc_emit_i64(e, lanes));
  TccVal on = even && a->read.e % lanes ? tcc_emit_mask(e, width, lanes) : 0;
  tcc_emit_for(e, &row, zero, rows, 1, 0, NULL, NULL);
  TccVal q = tcc_emit_add(e, group.iv, row.iv);
  TccVal to = told ? tcc_emit_gep(e, "i8", base, tcc_emit_mul(e, q, arg[5]))
                   : tcc_emit_gep(e, memory, base, tcc_span_offset(k, &a->read.queries, ATT_R, tcc_emit_add(e, q0, q)));
  TccVal piece = tcc_emit_gep(e, elem, transposed, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, lanes)));
  TccVal at = zero;
  if (!even) tcc_emit_for(e, &column, zero, width, 1, 0, NULL, NULL), at = column.iv;
  TccVal x = tcc_emit_load(e, out_type, tcc_emit_gep(e, elem, piece, at));
  x = tcc_scalar_convert(e, a->plan.type.acc_elem, view->elem, out_lanes, x);
  TccVal dst = tcc_emit_gep(e, memory, to, tcc_span_offset(k, &a->read.width, ATT_R, tcc_emit_add(e, block.iv, at)));
  tcc_emit_masked_store(e, result, x, dst, on);
  if (!even) tcc_emit_end_for(e, &column, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &block, NULL);
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_return(e, 0, NULL);
}
