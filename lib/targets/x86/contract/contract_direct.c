/* contract_direct.c - one or two rows of an unknown number against a right operand that stays where it lies.
 *
 * A panel that is packed in the call pays where many rows meet it: with one it is read, written and read again for one multiply-add an
 * element. So the calls that have no more rows, as a step of a decoder has, read it in place. Where columns are contiguous, a panel's
 * vectors of several steps are summed up side by side; where the depth is, the dot products of several columns are, and a tree of
 * shuffles adds up their lanes together. Sums go to the scratch as those of a register tile do. */
#include "lib/targets/x86/contract/contract_internal.h"

enum { A = TCC_CONTRACT_A, B = TCC_CONTRACT_B, SUMS = 12 /* in registers */, COLUMNS = 8, PARAMETERS = 7 };

static const char *const call_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64"};

/* The stride of the right operand along a span of one axis, if it is 1. */
static bool is_contiguous(const TccSpan *span) {
  int64_t step;
  return tcc_expr_is_const(span->stride[0][B], &step) && step == 1;
}

bool tcc_contract_takes_direct(const TccContract *c) {
  const TccMicroType *t = &c->type;
  return c->plan.single && !c->read->packed_nr && !c->operand && !c->plan.together && t->engine == TCC_MICRO_FMA &&
         t->k_group == 1 && tcc_elem_is_float(t->acc_elem) && tcc_micro_packs_as_is(t, c->read->a.elem) &&
         tcc_micro_packs_as_is(t, c->read->b.elem) && c->read->k.n == 1 && c->read->n.n == 1 &&
         (is_contiguous(&c->read->n) || (is_contiguous(&c->read->k) && !c->plan.k_major));
}

typedef struct {
  TccEmit *e;
  const TccMicroType *t;
  const char *vector;
  int64_t a_step;                                /* of a, along the depth */
  TccVal a, b, sums, depth, width, stride, adds; /* adds: i1; 0: never */
} Direct;

static void put(const Direct *d, const char *type, TccVal v, TccVal to) {
  TccEmit *e = d->e;
  TccIf more;
  if (d->adds) {
    tcc_emit_if(e, &more, d->adds, 1, &type);
    TccVal sum = tcc_emit_bin(e, "fadd", type, tcc_emit_load(e, type, to), v);
    tcc_emit_else(e, &more, &sum);
    tcc_emit_end_if(e, &more, &v);
    v = more.out[0];
  }
  tcc_emit_store(e, type, v, to);
}

/* ---- columns side by side ---- */

static void add_step(const Direct *d, TccVal step, int vectors, TccVal column, TccVal mask, TccVal *sums) {
  TccEmit *e = d->e;
  TccVal at = tcc_emit_add(e, tcc_emit_mul(e, step, d->stride), column), p = tcc_emit_gep(e, d->t->packed, d->b, at);
  TccVal x = tcc_emit_splat(
      e, d->vector,
      tcc_emit_load(e, d->t->packed, tcc_emit_gep(e, d->t->packed, d->a, tcc_emit_mul(e, step, tcc_emit_i64(e, d->a_step)))));
  for (int v = 0; v < vectors; v++) {
    TccVal w = tcc_emit_masked_load(e, d->vector, tcc_emit_at(e, d->t->packed, p, (int64_t)v * d->t->lanes), mask);
    sums[v] = tcc_emit_fma(e, d->vector, x, w, sums[v]);
  }
}

/* So many vectors from a column on. */
static void emit_columns(const Direct *d, int vectors, TccVal column, TccVal mask) {
  TccEmit *e = d->e;
  const int steps = vectors == 1 ? COLUMNS : vectors <= SUMS ? SUMS / vectors : 1, count = steps * vectors;
  TccVal zero = tcc_emit_i64(e, 0), unit = tcc_emit_i64(e, steps), sums[SUMS];
  const char *types[SUMS];
  TccLoop whole, rest;
  for (int i = 0; i < count; i++) sums[i] = tcc_emit_zero(e, d->vector), types[i] = d->vector;
  TccVal end = tcc_emit_mul(e, tcc_emit_div(e, d->depth, unit), unit);
  tcc_emit_for(e, &whole, zero, end, steps, count, sums, types);
  memcpy(sums, whole.in, sizeof *sums * (size_t)count);
  for (int s = 0; s < steps; s++)
    add_step(d, tcc_emit_add(e, whole.iv, tcc_emit_i64(e, s)), vectors, column, mask, &sums[s * vectors]);
  tcc_emit_end_for(e, &whole, sums);
  memcpy(sums, whole.out, sizeof *sums * (size_t)count);
  tcc_emit_for(e, &rest, end, d->depth, 1, vectors, sums, types);
  memcpy(sums, rest.in, sizeof *sums * (size_t)vectors);
  add_step(d, rest.iv, vectors, column, mask, sums);
  tcc_emit_end_for(e, &rest, sums);
  memcpy(sums, rest.out, sizeof *sums * (size_t)vectors);
  for (int v = 0; v < vectors; v++) {
    TccVal sum = sums[v];
    for (int s = 1; s < steps; s++) sum = tcc_emit_bin(e, "fadd", d->vector, sum, sums[s * vectors + v]);
    put(d, d->vector, sum, tcc_emit_gep(e, d->t->acc, d->sums, tcc_emit_add(e, column, tcc_emit_i64(e, (int64_t)v * d->t->lanes))));
  }
}

/* A whole panel at once; of a narrower one a vector after the other, the last under a mask. */
static void emit_along_columns(const Direct *d, int vectors) {
  TccEmit *e = d->e;
  TccVal zero = tcc_emit_i64(e, 0), lanes = tcc_emit_i64(e, d->t->lanes);
  TccIf full;
  TccLoop whole, last;
  tcc_emit_if(e, &full, tcc_emit_icmp(e, "eq", "i64", d->width, tcc_emit_i64(e, (int64_t)vectors * d->t->lanes)), 0, NULL);
  emit_columns(d, vectors, zero, 0);
  tcc_emit_else(e, &full, NULL);
  TccVal end = tcc_emit_mul(e, tcc_emit_div(e, d->width, lanes), lanes);
  tcc_emit_for(e, &whole, zero, end, d->t->lanes, 0, NULL, NULL);
  emit_columns(d, 1, whole.iv, 0);
  tcc_emit_end_for(e, &whole, NULL);
  tcc_emit_for(e, &last, end, d->width, d->t->lanes, 0, NULL, NULL); /* at most once */
  emit_columns(d, 1, last.iv, tcc_emit_mask(e, tcc_emit_sub(e, d->width, last.iv), d->t->lanes));
  tcc_emit_end_for(e, &last, NULL);
  tcc_emit_end_if(e, &full, NULL);
}

/* ---- the depth side by side ---- */

/* Sums of neighbours, of a and then of b, in each `group` lanes of both; a neighbour is `unit` lanes. */
static TccVal add_neighbours(const Direct *d, TccVal a, TccVal b, int group, int unit) {
  int even[64], odd[64], lanes = d->t->lanes, half = group / 2;
  for (int i = 0; i < lanes; i++) {
    int in = i % group, of = in % half, from = i / group * group + of / unit * 2 * unit + of % unit + (in < half ? 0 : lanes);
    even[i] = from, odd[i] = from + unit;
  }
  return tcc_emit_bin(d->e, "fadd", d->vector, tcc_emit_shuffle(d->e, d->vector, a, b, even),
                      tcc_emit_shuffle(d->e, d->vector, a, b, odd));
}

/* A vector whose first `count` lanes (a power of two, no more than a vector has) are the sums of the lanes of as many vectors: within 16
 * bytes, which one shuffle does, then across. */
static TccVal add_lanes(const Direct *d, TccVal *v, int count) {
  const int lanes = d->t->lanes, inner = 16 / d->t->acc_bytes;
  for (int parts = lanes; parts > 1; parts /= 2) {
    bool within = parts > lanes / inner;
    for (int i = 0; i < count; i += count > 1 ? 2 : 1)
      v[i / 2] = add_neighbours(d, v[i], v[count > 1 ? i + 1 : i], within ? inner : lanes, within ? 1 : inner);
    count = count > 1 ? count / 2 : 1;
  }
  return v[0];
}

static void add_vectors(const Direct *d, TccVal at, TccVal mask, int count, const TccVal *column, TccVal *sums) {
  TccEmit *e = d->e;
  TccVal x = tcc_emit_masked_load(e, d->vector, tcc_emit_gep(e, d->t->packed, d->a, at), mask);
  for (int i = 0; i < count; i++) {
    TccVal w = tcc_emit_masked_load(e, d->vector, tcc_emit_gep(e, d->t->packed, column[i], at), mask);
    sums[i] = tcc_emit_fma(e, d->vector, x, w, sums[i]);
  }
}

static void emit_along_depth(const Direct *d) {
  TccEmit *e = d->e;
  const int count = d->t->lanes < COLUMNS ? d->t->lanes : COLUMNS;
  TccVal zero = tcc_emit_i64(e, 0), lanes = tcc_emit_i64(e, d->t->lanes), one = tcc_emit_i64(e, 1), column[COLUMNS], sums[COLUMNS];
  TccVal end = tcc_emit_mul(e, tcc_emit_div(e, d->depth, lanes), lanes), last = tcc_emit_sub(e, d->width, one);
  const char *types[COLUMNS];
  TccLoop columns, whole, rest;
  tcc_emit_for(e, &columns, zero, d->width, count, 0, NULL, NULL);
  for (int i = 0; i < count; i++) { /* columns that do not exist repeat the last: nobody reads their sums */
    TccVal number = tcc_emit_min(e, tcc_emit_add(e, columns.iv, tcc_emit_i64(e, i)), last);
    column[i] = tcc_emit_gep(e, d->t->packed, d->b, tcc_emit_mul(e, number, d->stride));
    sums[i] = tcc_emit_zero(e, d->vector), types[i] = d->vector;
  }
  tcc_emit_for(e, &whole, zero, end, d->t->lanes, count, sums, types);
  memcpy(sums, whole.in, sizeof *sums * (size_t)count);
  add_vectors(d, whole.iv, 0, count, column, sums);
  tcc_emit_end_for(e, &whole, sums);
  tcc_emit_for(e, &rest, end, d->depth, d->t->lanes, count, whole.out, types); /* at most once */
  memcpy(sums, rest.in, sizeof *sums * (size_t)count);
  add_vectors(d, rest.iv, tcc_emit_mask(e, tcc_emit_sub(e, d->depth, rest.iv), d->t->lanes), count, column, sums);
  tcc_emit_end_for(e, &rest, sums);
  memcpy(sums, rest.out, sizeof *sums * (size_t)count);
  TccVal totals = add_lanes(d, sums, count);
  if (count < d->t->lanes) totals = tcc_emit_slice(e, d->vector, totals, 0, count);
  put(d, tcc_emit_vector(e, d->t->acc, count), totals, tcc_emit_gep(e, d->t->acc, d->sums, columns.iv));
  tcc_emit_end_for(e, &columns, NULL);
}

void tcc_contract_direct_emit(TccKernelEmit *k, const char *name, const TccContract *c) {
  TccEmit *e = k->e;
  TccVal arg[PARAMETERS];
  int64_t depth;
  tcc_emit_function(e, name, true, PARAMETERS, call_types, NULL, arg);
  Direct d = {.e = e, .t = &c->type, .a = arg[0], .b = arg[1], .sums = arg[2], .depth = arg[3], .width = arg[4], .stride = arg[5]};
  d.vector = tcc_emit_vector(e, c->type.acc, c->type.lanes), d.a_step = c->plan.k_major ? c->plan.rows : 1;
  if (c->plan.one_block && tcc_expr_is_const(c->read->k.count, &depth)) d.depth = tcc_emit_i64(e, depth);
  if (!c->plan.one_block) d.adds = tcc_micro_adds(e, arg[6]);
  if (is_contiguous(&c->read->n)) emit_along_columns(&d, c->plan.vectors);
  else emit_along_depth(&d);
  tcc_emit_return(e, 0, NULL);
}

void tcc_contract_direct_call(TccKernelEmit *k, const char *name, const TccContract *c, const TccContractTile *t, TccVal a,
                              TccVal b, TccVal sums, TccVal width) {
  const TccSpan *apart = is_contiguous(&c->read->n) ? &c->read->k : &c->read->n;
  TccVal args[] = {a, b, sums, t->kcount, width, tcc_kernel_size(k, apart->stride[0][B]), t->how};
  tcc_emit_call(k->e, name, PARAMETERS, args, call_types, NULL);
}
