/* row_reduce.c - loops over the reduced dims, accumulators, and what they come to. */
#include "lib/codegen/row_internal.h"

/* Carried by a reduction: its accumulator, and the place of an arg-reduction. */
static int carried_by(const Reduction *r) { return r->is_arg ? 2 : 1; }

static const char *lanes_type(Row *row, TccElem elem) { return tcc_emit_vector(row->k->e, tcc_scalar_type(elem), row->lanes); }

/* better = v before best: strictly more extreme (or as extreme, for the last one); a NaN beats a number. */
static TccVal is_better(TccEmit *t, const Reduction *r, int lanes, TccVal v, TccVal best) {
  const char *type = tcc_emit_vector(t, tcc_scalar_type(r->wide), lanes), *flags = tcc_emit_vector(t, "i1", lanes);
  if (!tcc_elem_is_float(r->wide)) {
    bool u = tcc_elem_is_unsigned(r->wide);
    const char *predicate = r->max ? (r->last ? (u ? "uge" : "sge") : (u ? "ugt" : "sgt")) : (r->last ? (u ? "ule" : "sle") : (u ? "ult" : "slt"));
    return tcc_emit_icmp(t, predicate, type, v, best);
  }
  TccVal more = tcc_emit_fcmp(t, r->max ? (r->last ? "oge" : "ogt") : (r->last ? "ole" : "olt"), type, v, best);
  TccVal v_nan = tcc_emit_fcmp(t, "uno", type, v, v), best_number = tcc_emit_fcmp(t, "ord", type, best, best);
  if (r->last) return tcc_emit_bin(t, "or", flags, v_nan, tcc_emit_bin(t, "and", flags, more, best_number));
  return tcc_emit_bin(t, "and", flags, best_number, tcc_emit_bin(t, "or", flags, more, v_nan));
}

/* Adds the block of lanes at the dims' iv to the accumulators of this phase, in order of the reductions. */
static TccStatus *accumulate(Row *row, TccVal *acc) {
  TccEmit *t = row->k->e;
  int at = 0;
  tcc_pull_emit_reset(&row->emit);
  TCC_TRY(row_keep_values(row));
  for (int i = 0; i < row->nreductions; i++) {
    const Reduction *r = &row->reduction[i];
    if (r->level != row->phase) continue;
    TccVal v;
    TCC_TRY(tcc_pull_emit_node(&row->emit, r->operand, &v));
    v = tcc_scalar_convert(t, r->elem, r->wide, row->lanes, v);
    TccVal mask = row->folds ? row->emit.mask : 0; /* rows that are off are never stored */
    if (r->is_arg) {
      TccVal base, step;
      tcc_pull_emit_affine(&row->emit, &r->place, &base, &step);
      const char *index = tcc_emit_vector(t, "i64", row->lanes);
      TccVal here = tcc_emit_splat(t, index, base), zero = tcc_emit_int(t, index, 0);
      if (row->folds) here = tcc_emit_bin(t, "add", index, here, tcc_emit_bin(t, "mul", index, tcc_emit_iota(t, "i64", row->lanes), tcc_emit_splat(t, index, step)));
      TccVal first = tcc_emit_icmp(t, "slt", index, acc[at + 1], zero); /* nothing seen yet */
      TccVal take = tcc_emit_bin(t, "or", tcc_emit_vector(t, "i1", row->lanes), first, is_better(t, r, row->lanes, v, acc[at]));
      if (mask) take = tcc_emit_bin(t, "and", tcc_emit_vector(t, "i1", row->lanes), take, mask);
      acc[at] = tcc_emit_select(t, lanes_type(row, r->wide), take, v, acc[at]);
      acc[at + 1] = tcc_emit_select(t, index, take, here, acc[at + 1]);
    } else {
      if (mask) v = tcc_emit_select(t, lanes_type(row, r->wide), mask, v, tcc_scalar_neutral(t, r->kind, r->wide, row->lanes));
      acc[at] = tcc_scalar_combine(t, r->kind, r->wide, row->lanes, acc[at], v);
    }
    at += carried_by(r);
  }
  return NULL;
}

/* The innermost block: accumulate, or store where nothing is carried. */
static TccStatus *visit(Row *row, TccVal *acc) { return row->phase < row->nlevels ? accumulate(row, acc) : row_store_results(row, true); }

/* The last reduced dim: whole blocks with `unroll` sets of accumulators, then single ones, masked where lanes run along. */
static TccStatus *block_loop(Row *row, int dim, int unroll, int set, Carried *c) {
  TccEmit *t = row->k->e;
  int width = row->folds ? row->lanes : 1;
  TccVal size = tcc_kernel_size(row->k, row->pull.dim[dim]), step = tcc_emit_i64(t, (int64_t)width * unroll), outer_mask = row->emit.mask;
  TccVal whole = tcc_emit_mul(t, tcc_emit_div(t, size, step), step), zero = tcc_emit_i64(t, 0);
  TccLoop loop;
  if (unroll) {
    tcc_emit_for(t, &loop, zero, whole, (int64_t)width * unroll, c->n, c->value, c->type);
    TccVal next[MAX_CARRIED];
    memcpy(next, loop.in, sizeof *next * (size_t)c->n);
    if (row->folds) row->emit.mask = 0;
    for (int u = 0; u < unroll; u++) {
      row->emit.iv[dim] = tcc_emit_add(t, loop.iv, tcc_emit_i64(t, (int64_t)u * width));
      TCC_TRY(visit(row, next + (c->n ? u * set : 0)));
    }
    tcc_emit_end_for(t, &loop, next);
    memcpy(c->value, loop.out, sizeof *c->value * (size_t)c->n);
  }
  int64_t first, end;
  if (unroll && tcc_emit_known(t, whole, &first) && tcc_emit_known(t, size, &end) && first == end) return NULL; /* no rest */
  tcc_emit_for(t, &loop, unroll ? whole : zero, size, width, c->n, c->value, c->type);
  TccVal next[MAX_CARRIED];
  memcpy(next, loop.in, sizeof *next * (size_t)c->n);
  row->emit.iv[dim] = loop.iv;
  if (row->folds) row->emit.mask = tcc_emit_mask(t, tcc_emit_sub(t, size, loop.iv), row->lanes);
  TCC_TRY(visit(row, next));
  tcc_emit_end_for(t, &loop, next);
  memcpy(c->value, loop.out, sizeof *c->value * (size_t)c->n);
  row->emit.mask = outer_mask;
  return NULL;
}

TccStatus *row_loops(Row *row, int dim, int unroll, int set, Carried *c) {
  TccEmit *t = row->k->e;
  while (!row->dim_reduced[dim]) dim++;
  if (dim == row->innermost) return block_loop(row, dim, unroll, set, c);
  TccLoop loop;
  tcc_emit_for(t, &loop, tcc_emit_i64(t, 0), tcc_kernel_size(row->k, row->pull.dim[dim]), 1, c->n, c->value, c->type);
  Carried inner = *c;
  memcpy(inner.value, loop.in, sizeof *inner.value * (size_t)c->n);
  row->emit.iv[dim] = loop.iv;
  TCC_TRY(row_loops(row, dim + 1, unroll, set, &inner));
  tcc_emit_end_for(t, &loop, inner.value);
  memcpy(c->value, loop.out, sizeof *c->value * (size_t)c->n);
  return NULL;
}

/* One lane after the other: the first (last) of the most extreme ones. */
static void fold_arg(Row *row, const Reduction *r, TccVal *best, TccVal *place) {
  TccEmit *t = row->k->e;
  const char *type = lanes_type(row, r->wide), *index = tcc_emit_vector(t, "i64", row->lanes), *scalar = tcc_scalar_type(r->wide);
  TccVal value = tcc_emit_extract(t, type, *best, 0), where = tcc_emit_extract(t, index, *place, 0), zero = tcc_emit_i64(t, 0);
  Reduction strict = *r;
  strict.last = false;
  for (int l = 1; l < row->lanes; l++) {
    TccVal v = tcc_emit_extract(t, type, *best, l), at = tcc_emit_extract(t, index, *place, l);
    TccVal better = is_better(t, &strict, 1, v, value), worse = is_better(t, &strict, 1, value, v);
    TccVal tie = tcc_emit_bin(t, "xor", "i1", tcc_emit_bin(t, "or", "i1", better, worse), tcc_emit_int(t, "i1", 1));
    TccVal nearer = tcc_emit_icmp(t, r->last ? "sgt" : "slt", "i64", at, where);
    TccVal take = tcc_emit_bin(t, "or", "i1", better, tcc_emit_bin(t, "and", "i1", tie, nearer));
    TccVal seen = tcc_emit_icmp(t, "sge", "i64", at, zero), none = tcc_emit_icmp(t, "slt", "i64", where, zero);
    take = tcc_emit_bin(t, "and", "i1", seen, tcc_emit_bin(t, "or", "i1", take, none));
    value = tcc_emit_select1(t, scalar, take, v, value);
    where = tcc_emit_select1(t, "i64", take, at, where);
  }
  *place = tcc_emit_splat(t, index, where);
}

TccStatus *row_reduce(Row *row) {
  TccEmit *t = row->k->e;
  Carried c = {0};
  int set = 0, unroll = 0;
  bool has_arg = false;
  for (int i = 0; i < row->nreductions; i++) {
    if (row->reduction[i].level != row->phase) continue;
    set += carried_by(&row->reduction[i]);
    has_arg |= row->reduction[i].is_arg;
  }
  if (row->folds) unroll = row->pull.nodes.count > 3 * SMALL_BODY ? 1 : row->pull.nodes.count > SMALL_BODY ? 2 : 4;
  else unroll = row->lanes <= 16 && row->pull.nodes.count <= SMALL_BODY ? 4 : 0; /* wide lanes are several chains already */
  if (has_arg) unroll = 0;
  while (unroll > 1 && unroll * set > MAX_CARRIED) unroll /= 2;
  for (int u = 0; u < (unroll ? unroll : 1); u++)
    for (int i = 0; i < row->nreductions; i++) {
      const Reduction *r = &row->reduction[i];
      if (r->level != row->phase) continue;
      c.type[c.n] = lanes_type(row, r->wide);
      c.value[c.n] = r->is_arg ? tcc_emit_zero(t, c.type[c.n]) : tcc_scalar_neutral(t, r->kind, r->wide, row->lanes);
      c.n++;
      if (!r->is_arg) continue;
      c.type[c.n] = tcc_emit_vector(t, "i64", row->lanes);
      c.value[c.n] = tcc_emit_int(t, c.type[c.n], -1);
      c.n++;
    }
  TCC_TRY(row_loops(row, 0, unroll, set, &c));
  int at = 0;
  for (int i = 0; i < row->nreductions; i++) {
    const Reduction *r = &row->reduction[i];
    if (r->level != row->phase) continue;
    TccVal v = c.value[at];
    TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(r->op, 0)));
    if (r->is_arg) {
      TccVal place = c.value[at + 1];
      if (row->folds) fold_arg(row, r, &v, &place);
      v = tcc_scalar_convert(t, TCC_ELEM_I64, elem, row->lanes, place);
    } else {
      for (int u = 1; u < unroll; u++) v = tcc_scalar_combine(t, r->kind, r->wide, row->lanes, v, c.value[u * set + at]);
      if (row->folds) v = tcc_emit_splat(t, lanes_type(row, r->wide), tcc_scalar_fold(t, r->kind, r->wide, row->lanes, v));
      v = tcc_scalar_convert(t, r->wide, elem, row->lanes, v);
    }
    at += carried_by(r);
    for (size_t n = 0; n < row->pull.nodes.count; n++) {
      TccPullNode *node = row->pull.nodes.data[n];
      if (node->kind == TCC_PULL_REDUCED && mlirOperationEqual(node->op, r->op)) row->emit.reduced[n] = v;
    }
  }
  return NULL;
}
