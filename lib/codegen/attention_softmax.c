/* attention_softmax.c - what attention does to a block of scores: weights, running maximum and sum, and the result.
 *
 * Scores lie transposed, block[key][query], so that a vector holds 16 queries: maxima, sums and the rescaling of the
 * accumulators are vertical, and nothing is folded across lanes. */
#include "lib/codegen/attention_internal.h"
#include "lib/codegen/scalar.h"
#include <math.h>

static const char *const weigh_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64"};
static const char *const spread_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64"};
static const char *const finish_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64"};

void attention_weigh_call(TccKernelEmit *k, const WeighCall *c) {
  TccVal args[] = {k->arguments, k->size_pointer, c->s, c->max, c->sum, c->o, c->mask, c->kcount, c->kpadded, c->q0, c->t0, c->head};
  tcc_emit_call(k->e, "weigh", 12, args, weigh_types, NULL);
}

void attention_spread_call(TccKernelEmit *k, const SpreadCall *c) {
  TccVal args[] = {k->arguments, k->size_pointer, c->dst, c->head, c->q0, c->count, c->t0, c->kcount};
  tcc_emit_call(k->e, "spread_mask", 8, args, spread_types, NULL);
}

void attention_finish_call(TccKernelEmit *k, const FinishCall *c) {
  TccVal args[] = {k->arguments, k->size_pointer, c->o, c->sum, c->scratch, c->head, c->q0, c->count};
  tcc_emit_call(k->e, "finish", 8, args, finish_types, NULL);
}

static TccVal larger(TccEmit *e, const char *type, TccVal a, TccVal b) {
  return tcc_emit_select(e, type, tcc_emit_fcmp(e, "ogt", type, a, b), a, b);
}

/* A mask element as a summand of the score: bool is 0 or -inf. */
static TccVal summand(TccEmit *e, TccElem from, TccElem acc, int lanes, TccVal v) {
  const char *type = tcc_emit_vector(e, tcc_scalar_type(acc), lanes);
  v = tcc_scalar_from_memory(e, from, lanes, v);
  if (from != TCC_ELEM_BOOL) return tcc_scalar_convert(e, from, acc, lanes, v);
  return tcc_emit_select(e, type, v, tcc_emit_zero(e, type), tcc_emit_float(e, type, -INFINITY));
}

static TccStatus *cap_score(TccEmit *e, const char *type, double cap, TccVal *x) {
  TccVal t;
  TccVal scaled = tcc_emit_bin(e, "fmul", type, *x, tcc_emit_float(e, type, 1 / cap));
  if (!tcc_math_function(e, TCC_OP_TANH, type, scaled, &t)) return TCC_ERROR(TCC_UNSUPPORTED, "softcap of %s scores", type);
  *x = tcc_emit_bin(e, "fmul", type, t, tcc_emit_float(e, type, cap));
  return NULL;
}

/* Scores -> weights e^(x - max), in place; max and sum follow, and o is rescaled to the new maximum. One vector of queries
 * at a time, so that the code holds each function once. */
TccStatus *attention_weigh_emit(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  int lanes = a->type.lanes;
  const char *elem = a->type.acc, *type = tcc_emit_vector(e, elem, lanes), *index = tcc_emit_vector(e, "i64", lanes);
  TccVal arg[12];
  tcc_emit_function(e, "weigh", true, 12, weigh_types, NULL, arg);
  k->arguments = arg[0], k->size_pointer = arg[1];
  TccVal kcount = arg[7], kpadded = arg[8], t0 = arg[10];
  TccVal zero = tcc_emit_i64(e, 0), stride = tcc_emit_i64(e, a->nr), nothing = tcc_emit_zero(e, type);
  TccVal lowest = tcc_emit_float(e, type, -INFINITY), mask_head = 0, last_key = 0;
  const char *mask_memory = a->mask ? tcc_scalar_memory_type(a->view[ATT_MASK].elem) : NULL;
  if (a->mask == MASK_KEYS)
    mask_head = tcc_emit_gep(e, mask_memory, tcc_view_pointer(k, &a->view[ATT_MASK]), tcc_span_offset(k, &a->heads, ATT_MASK, arg[11]));
  TccLoop group, t;
  tcc_emit_for(e, &group, zero, stride, lanes, 0, NULL, NULL);
  TccVal s = tcc_emit_gep(e, elem, arg[2], group.iv), max = tcc_emit_gep(e, elem, arg[3], group.iv);
  TccVal sum = tcc_emit_gep(e, elem, arg[4], group.iv), o = tcc_emit_gep(e, elem, arg[5], group.iv);
  TccVal mask = tcc_emit_gep(e, elem, arg[6], group.iv);
  if (a->causal) { /* last visible key of each query, from the block's first */
    TccVal first = tcc_emit_sub(e, tcc_kernel_size(k, a->offset), t0);
    if (a->stacked) last_key = tcc_emit_splat(e, index, first);
    else last_key = tcc_emit_bin(e, "add", index, tcc_emit_splat(e, index, tcc_emit_add(e, first, tcc_emit_add(e, arg[9], group.iv))),
                                 tcc_emit_iota(e, "i64", lanes));
  }

  tcc_emit_for(e, &t, zero, kcount, 1, 1, &lowest, &type);
  TccVal row = tcc_emit_mul(e, t.iv, stride), p = tcc_emit_gep(e, elem, s, row);
  TccVal x = tcc_emit_bin(e, "fmul", type, tcc_emit_load(e, type, p), tcc_emit_float(e, type, a->scale));
  if (a->softcap != 0) TCC_TRY(cap_score(e, type, a->softcap, &x));
  if (a->mask == MASK_BLOCK) x = tcc_emit_bin(e, "fadd", type, x, tcc_emit_load(e, type, tcc_emit_gep(e, elem, mask, row)));
  if (a->mask == MASK_KEYS) {
    TccVal at = tcc_span_offset(k, &a->keys, ATT_MASK, tcc_emit_add(e, t0, t.iv));
    TccVal one = tcc_emit_load(e, mask_memory, tcc_emit_gep(e, mask_memory, mask_head, at));
    x = tcc_emit_bin(e, "fadd", type, x, tcc_emit_splat(e, type, summand(e, a->view[ATT_MASK].elem, a->type.acc_elem, 1, one)));
  }
  if (a->causal) x = tcc_emit_select(e, type, tcc_emit_icmp(e, "sgt", index, tcc_emit_splat(e, index, t.iv), last_key), lowest, x);
  tcc_emit_store(e, type, x, p);
  TccVal next = larger(e, type, x, t.in[0]);
  tcc_emit_end_for(e, &t, &next);

  /* A row without a visible key keeps sum 0: its result is 0 / 0. */
  TccVal old = tcc_emit_load(e, type, max), new = larger(e, type, t.out[0], old), alpha, w;
  tcc_emit_store(e, type, new, max);
  TccVal safe = tcc_emit_select(e, type, tcc_emit_fcmp(e, "oeq", type, new, lowest), nothing, new);
  if (!tcc_math_function(e, TCC_OP_EXP, type, tcc_emit_bin(e, "fsub", type, old, safe), &alpha))
    return TCC_ERROR(TCC_UNSUPPORTED, "softmax of %s scores", elem);
  tcc_emit_for(e, &t, zero, kcount, 1, 1, &nothing, &type);
  p = tcc_emit_gep(e, elem, s, tcc_emit_mul(e, t.iv, stride));
  (void)tcc_math_function(e, TCC_OP_EXP, type, tcc_emit_bin(e, "fsub", type, tcc_emit_load(e, type, p), safe), &w);
  tcc_emit_store(e, type, w, p);
  next = tcc_emit_bin(e, "fadd", type, t.in[0], w);
  tcc_emit_end_for(e, &t, &next);
  tcc_emit_store(e, type, tcc_emit_fma(e, type, tcc_emit_load(e, type, sum), alpha, t.out[0]), sum);

  tcc_emit_for(e, &t, kcount, kpadded, 1, 0, NULL, NULL);
  tcc_emit_store(e, type, nothing, tcc_emit_gep(e, elem, s, tcc_emit_mul(e, t.iv, stride)));
  tcc_emit_end_for(e, &t, NULL);
  TccVal started = tcc_emit_icmp(e, "ne", "i64", t0, zero); /* nothing to rescale before the first block */
  tcc_emit_for(e, &t, zero, tcc_emit_select1(e, "i64", started, tcc_emit_i64(e, a->e), zero), 1, 0, NULL, NULL);
  p = tcc_emit_gep(e, elem, o, tcc_emit_mul(e, t.iv, stride));
  tcc_emit_store(e, type, tcc_emit_bin(e, "fmul", type, tcc_emit_load(e, type, p), alpha), p);
  tcc_emit_end_for(e, &t, NULL);
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* Mask of queries [q0, q0 + count) and keys [t0, t0 + kcount) as dst[key][query] summands. */
void attention_spread_emit(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  TccVal arg[8];
  tcc_emit_function(e, "spread_mask", true, 8, spread_types, NULL, arg);
  k->arguments = arg[0], k->size_pointer = arg[1];
  TccVal dst = arg[2], head = arg[3], q0 = arg[4], count = arg[5], t0 = arg[6], kcount = arg[7], zero = tcc_emit_i64(e, 0);
  const TccView *view = &a->view[ATT_MASK];
  const char *memory = tcc_scalar_memory_type(view->elem), *elem = a->type.acc;
  int64_t stride;
  bool even = tcc_expr_is_const(tcc_span_inner_stride(k->ir, &a->keys, ATT_MASK), &stride) && stride == 1 && a->keys.n == 1;
  int lanes = even && (k->machine->isa & TCC_ISA_AVX512) ? a->type.lanes : 1;
  const char *type = tcc_emit_vector(e, elem, lanes), *from = tcc_emit_vector(e, memory, lanes), *index = tcc_emit_vector(e, "i64", lanes);
  TccVal base = tcc_emit_gep(e, memory, tcc_view_pointer(k, view), tcc_span_offset(k, &a->heads, ATT_MASK, head));
  TccVal steps = tcc_emit_bin(e, "mul", index, tcc_emit_iota(e, "i64", lanes), tcc_emit_int(e, index, a->nr));
  TccLoop q, t;
  tcc_emit_for(e, &q, zero, count, 1, 0, NULL, NULL);
  TccVal row = tcc_emit_gep(e, memory, base, tcc_span_offset(k, &a->queries, ATT_MASK, tcc_emit_add(e, q0, q.iv)));
  tcc_emit_for(e, &t, zero, kcount, lanes, 0, NULL, NULL);
  TccVal lanes_on = lanes > 1 ? tcc_emit_mask(e, tcc_emit_sub(e, kcount, t.iv), lanes) : 0;
  TccVal p = tcc_emit_gep(e, memory, row, tcc_span_offset(k, &a->keys, ATT_MASK, tcc_emit_add(e, t0, t.iv)));
  TccVal v = summand(e, view->elem, a->type.acc_elem, lanes, tcc_emit_masked_load(e, from, p, lanes_on));
  TccVal to = tcc_emit_gep(e, elem, dst, tcc_emit_add(e, tcc_emit_mul(e, t.iv, tcc_emit_i64(e, a->nr)), q.iv));
  if (lanes > 1) tcc_emit_scatter(e, type, v, to, index, steps, lanes_on);
  else tcc_emit_store(e, type, v, to);
  tcc_emit_end_for(e, &t, NULL);
  tcc_emit_end_for(e, &q, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* r = o / sum, from o[width][query] to the result's own layout: blocks are transposed in registers. */
void attention_finish_emit(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  TccVal arg[8], v[64];
  tcc_emit_function(e, "finish", true, 8, finish_types, NULL, arg);
  k->arguments = arg[0], k->size_pointer = arg[1];
  TccVal o = arg[2], sum = arg[3], scratch = arg[4], head = arg[5], q0 = arg[6], count = arg[7], zero = tcc_emit_i64(e, 0);
  const TccView *view = &a->view[ATT_R];
  int lanes = a->type.lanes;
  const char *memory = tcc_scalar_memory_type(view->elem), *elem = a->type.acc, *type = tcc_emit_vector(e, elem, lanes);
  int64_t stride;
  bool even = tcc_expr_is_const(tcc_span_inner_stride(k->ir, &a->width, ATT_R), &stride) && stride == 1 && tcc_span_vectorizes(&a->width, lanes);
  int out_lanes = even ? lanes : 1;
  const char *out_type = tcc_emit_vector(e, elem, out_lanes), *result = tcc_emit_vector(e, memory, out_lanes);
  TccVal base = tcc_emit_gep(e, memory, tcc_view_pointer(k, view), tcc_span_offset(k, &a->heads, ATT_R, head));
  TccLoop group, block, row, column;
  tcc_emit_for(e, &group, zero, count, lanes, 0, NULL, NULL);
  TccVal total = tcc_emit_load(e, type, tcc_emit_gep(e, elem, sum, group.iv));
  TccVal inverse = tcc_emit_bin(e, "fdiv", type, tcc_emit_float(e, type, 1.0), total);
  TccVal valid = a->zero_masked ? tcc_emit_fcmp(e, "ogt", type, total, tcc_emit_zero(e, type)) : 0;
  TccVal rows = tcc_emit_min(e, tcc_emit_sub(e, count, group.iv), tcc_emit_i64(e, lanes));
  tcc_emit_for(e, &block, zero, tcc_emit_i64(e, a->e), lanes, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, elem, o, tcc_emit_add(e, tcc_emit_mul(e, block.iv, tcc_emit_i64(e, a->nr)), group.iv));
  for (int i = 0; i < lanes; i++) {
    v[i] = tcc_emit_bin(e, "fmul", type, tcc_emit_load(e, type, tcc_emit_at(e, elem, from, i * a->nr)), inverse);
    if (valid) v[i] = tcc_emit_select(e, type, valid, v[i], tcc_emit_zero(e, type));
  }
  tcc_emit_transpose(e, type, v);
  for (int i = 0; i < lanes; i++) tcc_emit_store(e, type, v[i], tcc_emit_at(e, elem, scratch, (int64_t)i * lanes));
  TccVal width = tcc_emit_min(e, tcc_emit_sub(e, tcc_emit_i64(e, a->e), block.iv), tcc_emit_i64(e, lanes));
  tcc_emit_for(e, &row, zero, rows, 1, 0, NULL, NULL);
  TccVal q = tcc_emit_add(e, tcc_emit_add(e, q0, group.iv), row.iv);
  TccVal to = tcc_emit_gep(e, memory, base, tcc_span_offset(k, &a->queries, ATT_R, q));
  TccVal piece = tcc_emit_gep(e, elem, scratch, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, lanes)));
  tcc_emit_for(e, &column, zero, width, out_lanes, 0, NULL, NULL);
  TccVal x = tcc_emit_load(e, out_type, tcc_emit_gep(e, elem, piece, column.iv));
  x = tcc_scalar_convert(e, a->type.acc_elem, view->elem, out_lanes, x);
  TccVal dst = tcc_emit_gep(e, memory, to, tcc_span_offset(k, &a->width, ATT_R, tcc_emit_add(e, block.iv, column.iv)));
  tcc_emit_masked_store(e, result, x, dst, out_lanes > 1 ? tcc_emit_mask(e, width, lanes) : 0);
  tcc_emit_end_for(e, &column, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &block, NULL);
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_return(e, 0, NULL);
}
