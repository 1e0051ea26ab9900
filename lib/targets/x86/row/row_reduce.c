/* row_reduce.c - loops over the reduced dims, accumulators, and what they come to. */
#include "lib/targets/x86/row/row_internal.h"

/* Carried by a reduction: its accumulator, and the place of an arg-reduction. */
static int carried_by(const Reduction *r) { return r->is_arg ? 2 : 1; }

static const char *lanes_type(Row *row, TccElem elem) { return tcc_emit_vector(row->k->e, tcc_scalar_type(elem), row->plan.lanes); }

/* better = v before best: strictly more extreme (or as extreme, for the last one); a NaN beats a number. */
static TccVal is_better(TccEmit *t, const Reduction *r, int lanes, TccVal v, TccVal best) {
  const char *type = tcc_emit_vector(t, tcc_scalar_type(r->wide), lanes), *flags = tcc_emit_vector(t, "i1", lanes);
  if (!tcc_elem_is_float(r->wide)) {
    bool u = tcc_elem_is_unsigned(r->wide);
    const char *predicate =
        r->max ? (r->last ? (u ? "uge" : "sge") : (u ? "ugt" : "sgt")) : (r->last ? (u ? "ule" : "sle") : (u ? "ult" : "slt"));
    return tcc_emit_icmp(t, predicate, type, v, best);
  }
  TccVal more = tcc_emit_fcmp(t, r->max ? (r->last ? "oge" : "ogt") : (r->last ? "ole" : "olt"), type, v, best);
  TccVal v_nan = tcc_emit_fcmp(t, "uno", type, v, v), best_number = tcc_emit_fcmp(t, "ord", type, best, best);
  if (r->last) return tcc_emit_bin(t, "or", flags, v_nan, tcc_emit_bin(t, "and", flags, more, best_number));
  return tcc_emit_bin(t, "and", flags, best_number, tcc_emit_bin(t, "or", flags, more, v_nan));
}

/* The place of the block at the dims' iv, that of lane 0, in all lanes. */
static TccVal place_of_block(Row *row, const Reduction *r) {
  TccEmit *t = row->k->e;
  TccVal base, step;
  tcc_pull_emit_affine(&row->emit, &r->place, &base, &step);
  return tcc_emit_splat(t, lanes_type(row, r->counter), tcc_scalar_convert(t, TCC_ELEM_I64, r->counter, 1, base));
}

/* Fetches this block of the next row, or the block after the next of a row that goes by blocks: into the first cache in the last loop that reduces. What is too long for it goes to the second
 * one, in the loop that stores, where the lines that this row has had there fall free; a softmax has its work in the other one. */
static void prefetch_operand(Row *row, const TccPullNode *node) {
  TccEmit *t = row->k->e;
  const TccExpr *next = row->plan.blocks ? tcc_expr_const(row->read.pull.ir->exprs, 2 * row->plan.choice.block)
                                         : node->index.coef[row->plan.next_dim];
  int64_t length, rows = row->plan.blocks ? 1 : row->plan.choice.fetch - 1;
  if (node->argument < 0 || node->index.nterms ||
      node->index.coef[row->plan.lane_dim] != tcc_expr_const(row->read.pull.ir->exprs, 1) || !next)
    return;
  bool near = tcc_expr_is_const(next, &length) && length * tcc_elem_bits(node->elem) / 8 <= ROW_IN_L1;
  next = tcc_expr_mul(row->read.pull.ir->exprs, next, tcc_expr_const(row->read.pull.ir->exprs, rows));
  if (row->phase != (row->plan.streams && !near && !row->read.exponential ? row->read.nlevels : row->plan.prefetch_phase)) return;
  const char *elem = tcc_scalar_memory_type(node->elem);
  TccVal base, step, p = tcc_emit_load_once(t, TCC_PTR, row->k->arguments, node->argument);
  tcc_pull_emit_affine(&row->emit, &node->index, &base, &step);
  p = tcc_emit_gep(t, elem, p, tcc_kernel_slot_value(row->k, next)); /* apart from what moves: in front of the loops */
  tcc_emit_prefetch(t, tcc_emit_gep(t, elem, p, base), false, near ? 3 : 2);
}

/* Prefetches a line of a result that will be written soon, so that no store waits for it. */
static void prefetch_result(Row *row, const Result *r) {
  TccEmit *t = row->k->e;
  if (r->store.coef[row->plan.lane_dim] != tcc_expr_const(row->read.pull.ir->exprs, 1)) return;
  TccVal base, step, p = tcc_emit_load_once(t, TCC_PTR, row->k->arguments, r->argument);
  tcc_pull_emit_affine(&row->emit, &r->store, &base, &step);
  const char *elem = tcc_scalar_memory_type(r->elem);
  tcc_emit_prefetch(t, tcc_emit_at(t, "i8", tcc_emit_gep(t, elem, p, base), row->plan.choice.prefetch), true, 3);
}

/* How many places further on: where they lie side by side, as those of an image in blocks, as many as take longer than memory does. */
static int64_t places_ahead(const TccExpr *down, TccElem elem) {
  int64_t apart;
  if (!tcc_expr_is_const(down, &apart) || apart <= 0) return DOWN_PREFETCH;
  const int64_t bytes = apart * tcc_elem_bits(elem) / 8, places = DOWN_PREFETCH_BYTES / (bytes ? bytes : 1);
  return places > DOWN_PREFETCH ? places : DOWN_PREFETCH;
}

/* Where rows are lanes, a block's next place lies in another page, and prefetchers see no run. */
static void prefetch_column(Row *row, const TccPullNode *node) {
  TccEmit *t = row->k->e;
  const TccExpr *down = node->index.coef[row->plan.innermost];
  if (node->argument < 0 || node->index.nterms ||
      node->index.coef[row->plan.lane_dim] != tcc_expr_const(row->read.pull.ir->exprs, 1) || !down)
    return;
  const char *elem = tcc_scalar_memory_type(node->elem);
  TccVal base, step, p = tcc_emit_load_once(t, TCC_PTR, row->k->arguments, node->argument);
  tcc_pull_emit_affine(&row->emit, &node->index, &base, &step);
  TccVal at =
      tcc_emit_add(t, base, tcc_emit_mul(t, tcc_kernel_size(row->k, down), tcc_emit_i64(t, places_ahead(down, node->elem))));
  for (int byte = 0; byte < row->plan.lanes * (int)tcc_elem_bits(node->elem) / 8; byte += 64)
    tcc_emit_prefetch(t, tcc_emit_at(t, "i8", tcc_emit_gep(t, elem, p, at), byte), false, 3);
}

/* Numbers of 4 bits, which a row takes from a matrix that an index picks: the rows follow each other in it. What is converted on the way leaves
 * the hardware's prefetchers little time. */
static TccStatus *prefetch_picked(Row *row, const TccPullNode *node) {
  TccEmit *t = row->k->e;
  if (!tcc_pull_is_dense(&row->emit, node) || !node->index.nterms || node->argument < 0) return NULL;
  TccVal base, step, p = tcc_kernel_argument(row->k, node->argument);
  TCC_TRY(tcc_pull_emit_shared_terms(&row->emit, &node->index, &base, &step));
  TccVal byte = tcc_emit_div(t, base, tcc_emit_i64(t, 2));
  tcc_emit_prefetch(t, tcc_emit_at(t, "i8", tcc_emit_gep(t, "i8", p, byte), PICKED_PREFETCH), false, 3);
  return NULL;
}

TccStatus *row_prefetch(Row *row) {
  for (size_t n = 0; n < row->read.pull.nodes.count && row->plan.columns; n++)
    if (row->read.pull.nodes.data[n]->kind == TCC_PULL_LOAD) prefetch_column(row, row->read.pull.nodes.data[n]);
  if (row->emit.mask) return NULL;
  for (size_t n = 0; n < row->read.pull.nodes.count && row->emit.dense; n++)
    if (row->read.pull.nodes.data[n]->kind == TCC_PULL_LOAD) TCC_TRY(prefetch_picked(row, row->read.pull.nodes.data[n]));
  for (size_t n = 0; n < row->read.pull.nodes.count && row->plan.choice.fetch > 1 && (row->plan.blocks || row->plan.next_dim >= 0);
       n++)
    if (row->read.pull.nodes.data[n]->kind == TCC_PULL_LOAD) prefetch_operand(row, row->read.pull.nodes.data[n]);
  for (int i = 0; i < row->read.nresults && row->plan.choice.prefetch > 1 &&
                  row->phase == (row->read.exponential ? row->plan.prefetch_phase : row->read.nlevels);
       i++)
    if (row->read.result[i].full) prefetch_result(row, &row->read.result[i]);
  return NULL;
}

/* The maximum behind exponentials may lose a NaN (lib/codegen/read/row.h): one instruction. */
static TccVal combine(Row *row, const Reduction *r, TccVal a, TccVal b) {
  TccEmit *t = row->k->e;
  const char *type = lanes_type(row, r->wide);
  if (row->read.exponential && r == &row->read.reduction[0])
    return tcc_emit_select(t, type, tcc_emit_fcmp(t, "ogt", type, b, a), b, a);
  return tcc_scalar_combine(t, r->kind, r->wide, row->plan.lanes, a, b);
}

/* All lanes of v together, in all lanes: halves onto each other, each round for both sides at once. */
static TccVal fold(Row *row, const Reduction *r, TccVal v) {
  TccEmit *t = row->k->e;
  const char *type = lanes_type(row, r->wide);
  int index[64];
  if (!row->plan.folds) return v;
  if (!tcc_elem_is_float(r->wide)) return tcc_emit_splat(t, type, tcc_scalar_fold(t, r->kind, r->wide, row->plan.lanes, v));
  for (int half = row->plan.lanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < row->plan.lanes; i++) index[i] = i ^ half;
    v = combine(row, r, v, tcc_emit_shuffle(t, type, v, v, index));
  }
  return v;
}

TccVal row_fold(Row *row, const Reduction *r, int sets, const TccVal *values) {
  TccVal v = values[0];
  for (int i = 1; i < sets; i++) v = combine(row, r, v, values[i]);
  return fold(row, r, v);
}

/* Adds the block of lanes at the dims' iv to the accumulators of this phase, in order of the reductions. */
static TccStatus *accumulate(Row *row, TccVal *acc) {
  TccEmit *t = row->k->e;
  int at = 0;
  tcc_pull_emit_reset(&row->emit);
  TCC_TRY(row_prefetch(row));
  TCC_TRY(row_keep_values(row));
  for (int i = 0; i < row->read.nreductions; i++) {
    const Reduction *r = &row->read.reduction[i];
    if (r->level != row->phase) continue;
    TccVal v;
    TCC_TRY(tcc_pull_emit_node(&row->emit, r->operand, &v));
    v = tcc_scalar_convert(t, r->elem, r->wide, row->plan.lanes, v);
    TccVal mask = row->plan.folds ? row->emit.mask : 0; /* rows that are off are never stored */
    if (r->is_arg) {
      const char *index = lanes_type(row, r->counter);
      TccVal take = is_better(t, r, row->plan.lanes, v, acc[at]);
      if (mask) take = tcc_emit_bin(t, "and", tcc_emit_vector(t, "i1", row->plan.lanes), take, mask);
      acc[at] = tcc_emit_select(t, lanes_type(row, r->wide), take, v, acc[at]);
      acc[at + 1] = tcc_emit_select(t, index, take, place_of_block(row, r), acc[at + 1]);
    } else {
      if (mask) v = tcc_emit_select(t, lanes_type(row, r->wide), mask, v, tcc_scalar_neutral(t, r->kind, r->wide, row->plan.lanes));
      acc[at] = combine(row, r, acc[at], v);
    }
    at += carried_by(r);
  }
  return NULL;
}

TccStatus *row_visit(Row *row, TccVal *acc) {
  return row->phase < row->read.nlevels ? accumulate(row, acc) : row_store_results(row, true);
}

/* The indices of gathers that a row shares, for what this phase computes. */
static TccStatus *share_indices(Row *row) {
  TccArena *arena = row->k->ir->arena;
  size_t most = (size_t)(row->read.nreductions + row->plan.nkept + row->read.nresults), nodes = row->read.pull.nodes.count;
  const TccPullNode **roots = TCC_NEW_ARRAY(arena, const TccPullNode *, most + 1);
  unsigned char *seen = TCC_NEW_ARRAY(arena, unsigned char, nodes + 1);
  int n = 0;
  for (int i = 0; i < row->read.nreductions; i++)
    if (row->read.reduction[i].level == row->phase) roots[n++] = row->read.reduction[i].operand;
  for (int i = 0; i < row->plan.nkept; i++)
    if (row->plan.kept[i].phase == row->phase) roots[n++] = row->plan.kept[i].node;
    else seen[row->plan.kept[i].node->id] = row->plan.kept[i].phase < row->phase;
  for (int i = 0; i < row->read.nresults && row->phase == row->read.nlevels; i++)
    if (row->read.result[i].full) roots[n++] = row->read.result[i].root;
  return tcc_pull_emit_shared(&row->emit, roots, n, seen);
}

/* ---- sums of sums ----
 * A sum of n terms one after the other has an error that grows with n. So a long loop is cut, each part sums from zero, and sums of parts
 * are added to the outer accumulators: the error grows with the length of a part and the number of parts (Higham, Accuracy and Stability
 * of Numerical Algorithms, 4.2, blocked summation). The outer additions are a sixteenth. */
static bool has_sums(const Carried *c) {
  bool any = false;
  for (int i = 0; i < c->n; i++) any |= c->sum[i];
  return any;
}

static Carried begin_part(Row *row, const Carried *outer) {
  Carried part = *outer;
  for (int i = 0; i < part.n; i++)
    if (part.sum[i]) part.value[i] = tcc_emit_zero(row->k->e, part.type[i]);
  return part;
}

/* A part that has ended, added to what was before it, in part. */
static void end_part(Row *row, const Carried *outer, Carried *part) {
  for (int i = 0; i < part->n; i++)
    if (part->sum[i]) part->value[i] = tcc_emit_bin(row->k->e, "fadd", part->type[i], outer->value[i], part->value[i]);
}

/* How many levels of parts a loop has that goes over [from, to) by `step`: parts have PART rounds, and where there are many of them, parts of PART parts. Of a
 * length that is not known, two. */
static int levels_of_loop(TccEmit *t, TccVal from, TccVal to, int64_t step, const Carried *c) {
  int64_t first, end, rounds;
  int levels = 0;
  if (!has_sums(c)) return 0;
  if (!tcc_emit_known(t, from, &first) || !tcc_emit_known(t, to, &end)) return 2;
  for (rounds = (end - first) / step; rounds >= 2 * PART; rounds /= PART) levels++;
  return levels;
}

/* [from, to), `unroll` blocks a round; masked: the last of lanes that run along may be off. */
static TccStatus *round_loop(Row *row, int dim, TccVal from, TccVal to, int unroll, int set, bool masked, Carried *c) {
  TccEmit *t = row->k->e;
  const int width = row->plan.folds ? row->plan.lanes : 1;
  TccLoop loop;
  tcc_emit_for(t, &loop, from, to, (int64_t)width * unroll, c->n, c->value, c->type);
  TccVal next[MAX_CARRIED];
  memcpy(next, loop.in, sizeof *next * (size_t)c->n);
  if (row->plan.folds) row->emit.mask = masked ? tcc_emit_mask(t, tcc_emit_sub(t, to, loop.iv), row->plan.lanes) : 0;
  for (int u = 0; u < unroll; u++) {
    row->emit.iv[dim] = u ? tcc_emit_add(t, loop.iv, tcc_emit_i64(t, (int64_t)u * width)) : loop.iv;
    TCC_TRY(row_visit(row, next + (c->n ? u * set : 0)));
  }
  tcc_emit_end_for(t, &loop, next);
  memcpy(c->value, loop.out, sizeof *c->value * (size_t)c->n);
  return NULL;
}

/* The same, in parts of so many levels. */
static TccStatus *part_loop(Row *row, int dim, TccVal from, TccVal to, int unroll, int set, int levels, Carried *c) {
  TccEmit *t = row->k->e;
  if (!levels) return round_loop(row, dim, from, to, unroll, set, false, c);
  int64_t step = (int64_t)unroll * (row->plan.folds ? row->plan.lanes : 1);
  for (int level = 0; level < levels; level++) step *= PART;
  TccLoop loop;
  tcc_emit_for(t, &loop, from, to, step, c->n, c->value, c->type);
  Carried before = *c;
  memcpy(before.value, loop.in, sizeof *before.value * (size_t)c->n);
  Carried part = begin_part(row, &before);
  TccVal end = tcc_emit_add(t, loop.iv, tcc_emit_i64(t, step)), is_last = tcc_emit_icmp(t, "slt", "i64", to, end);
  TCC_TRY(part_loop(row, dim, loop.iv, tcc_emit_select1(t, "i64", is_last, to, end), unroll, set, levels - 1, &part));
  end_part(row, &before, &part);
  tcc_emit_end_for(t, &loop, part.value);
  memcpy(c->value, loop.out, sizeof *c->value * (size_t)c->n);
  return NULL;
}

/* The same, in parts where that makes sums better. */
static TccStatus *sum_loop(Row *row, int dim, TccVal from, TccVal to, int unroll, int set, Carried *c) {
  const int64_t step = (int64_t)unroll * (row->plan.folds ? row->plan.lanes : 1);
  return part_loop(row, dim, from, to, unroll, set, levels_of_loop(row->k->e, from, to, step, c), c);
}

/* Whole blocks with `unroll` sets of accumulators, then single ones, masked where lanes run along; without a loop where rows are short. */
static TccStatus *block_loop(Row *row, int dim, TccVal from, TccVal to, int unroll, int set, Carried *c) {
  TccEmit *t = row->k->e;
  int width = row->plan.folds ? row->plan.lanes : 1;
  TccVal step = tcc_emit_i64(t, (int64_t)width * unroll), outer_mask = row->emit.mask;
  if (row->plan.holds) {
    int64_t length = 0;
    (void)tcc_emit_known(t, to, &length);
    for (row->block = 0; row->block * width < length; row->block++) {
      int64_t at = (int64_t)row->block * width;
      row->emit.iv[dim] = tcc_emit_i64(t, at);
      row->emit.mask = length - at < width ? tcc_emit_mask(t, tcc_emit_i64(t, length - at), row->plan.lanes) : 0;
      TCC_TRY(row_visit(row, c->value + (c->n ? row->block % unroll * set : 0)));
    }
    row->emit.mask = outer_mask;
    return NULL;
  }
  if (!unroll && !row->plan.folds) return sum_loop(row, dim, from, to, 1, set, c);
  TccVal whole = tcc_emit_add(t, from, tcc_emit_mul(t, tcc_emit_div(t, tcc_emit_sub(t, to, from), step), step));
  int64_t first, end;
  bool is_empty = tcc_emit_known(t, from, &first) && tcc_emit_known(t, whole, &end) && first == end;
  if (unroll && !is_empty) TCC_TRY(sum_loop(row, dim, from, whole, unroll, set, c));
  bool is_known = unroll && tcc_emit_known(t, whole, &first) && tcc_emit_known(t, to, &end);
  if (is_known && first == end) return NULL; /* no rest */
  if (is_known && row->plan.folds && end <= SHORT_ROW * width) {
    for (int u = 0; first < end; u++, first += width) {
      row->emit.iv[dim] = tcc_emit_i64(t, first);
      row->emit.mask = end - first < width ? tcc_emit_mask(t, tcc_emit_i64(t, end - first), row->plan.lanes) : 0;
      TCC_TRY(row_visit(row, c->value + (c->n ? u * set : 0)));
    }
    row->emit.mask = outer_mask;
    return NULL;
  }
  TCC_TRY(round_loop(row, dim, unroll ? whole : from, to, 1, set, true, c));
  row->emit.mask = outer_mask;
  return NULL;
}

TccStatus *row_block_loop(Row *row, int dim, TccVal from, TccVal to, int unroll, int set, Carried *c) {
  bool along = row->plan.folds && dim == row->plan.lane_dim;
  if (along) TCC_TRY(share_indices(row));
  TccStatus *status = block_loop(row, dim, from, to, unroll, set, c);
  if (along) tcc_pull_emit_forget(&row->emit);
  return status;
}

/* Whether all that is reduced is so few elements that they need no loop: taps of a sample. */
static bool is_few(const Row *row) {
  enum { MOST = 16 };
  int64_t all = 1, size;
  for (int d = 0; d < row->read.pull.ndims; d++) {
    if (!row->read.dim_reduced[d]) continue;
    if (!tcc_expr_is_const(row->read.pull.dim[d], &size) || size < 1 || size > MOST) return false;
    all *= size;
  }
  return !row->plan.folds && !row->plan.line_of && !row->read.exponential && all <= MOST;
}

static TccStatus *without_loop(Row *row, int dim, int unroll, int set, Carried *c) {
  int64_t size = 0;
  (void)tcc_expr_is_const(row->read.pull.dim[dim], &size);
  for (int64_t i = 0; i < size; i++) {
    row->emit.iv[dim] = tcc_emit_i64(row->k->e, i);
    if (dim == row->plan.innermost) TCC_TRY(row_visit(row, c->value + (c->n && unroll ? i % unroll * set : 0)));
    else TCC_TRY(row_loops(row, dim + 1, unroll, set, c));
  }
  return NULL;
}

TccStatus *row_loops(Row *row, int dim, int unroll, int set, Carried *c) {
  TccEmit *t = row->k->e;
  while (!row->read.dim_reduced[dim]) dim++;
  if (is_few(row)) return without_loop(row, dim, unroll, set, c);
  bool is_last = dim == row->plan.innermost;
  TccVal zero = tcc_emit_i64(t, 0), size = tcc_kernel_size(row->k, row->read.pull.dim[dim]), head = 0, first = 0;
  if (is_last && !(unroll && row->plan.line_of)) return row_block_loop(row, dim, zero, size, unroll, set, c);
  if (is_last) { /* what lies before the first line, then the rest */
    TccVal base, step;
    row->emit.iv[dim] = zero;
    tcc_pull_emit_affine(&row->emit, row->plan.line_of, &base, &step);
    head = tcc_emit_bin(t, "and", "i64", tcc_emit_sub(t, zero, base), tcc_emit_i64(t, row->plan.lanes - 1));
  }
  TccLoop loop;
  tcc_emit_for(t, &loop, zero, is_last ? tcc_emit_i64(t, 2) : size, 1, c->n, c->value, c->type);
  Carried before = *c, inner;
  memcpy(before.value, loop.in, sizeof *before.value * (size_t)c->n);
  inner = begin_part(row, &before);
  if (is_last) first = tcc_emit_icmp(t, "eq", "i64", loop.iv, zero);
  else row->emit.iv[dim] = loop.iv;
  if (is_last)
    TCC_TRY(row_block_loop(row, dim, tcc_emit_select1(t, "i64", first, zero, head), tcc_emit_select1(t, "i64", first, head, size),
                           unroll, set, &inner));
  else TCC_TRY(row_loops(row, dim + 1, unroll, set, &inner));
  end_part(row, &before, &inner);
  tcc_emit_end_for(t, &loop, inner.value);
  memcpy(c->value, loop.out, sizeof *c->value * (size_t)c->n);
  return NULL;
}

/* The place of the first (last) of the most extreme values of `sets` accumulators, and of their lanes where these are folded. */
static TccVal finish_arg(Row *row, const Reduction *r, int sets, const TccVal *best, const TccVal *place) {
  TccEmit *t = row->k->e;
  const char *type = lanes_type(row, r->wide), *index = lanes_type(row, r->counter),
             *flags = tcc_emit_vector(t, "i1", row->plan.lanes);
  TccStr nearest = tcc_str(r->last ? "max" : "min");
  bool f = tcc_elem_is_float(r->wide);
  TccVal most = best[0], found = 0, far = tcc_scalar_neutral(t, nearest, r->counter, row->plan.lanes);
  for (int s = 1; s < sets; s++) most = tcc_scalar_combine(t, r->kind, r->wide, row->plan.lanes, most, best[s]);
  if (row->plan.folds) most = tcc_emit_splat(t, type, tcc_scalar_fold(t, r->kind, r->wide, row->plan.lanes, most));
  for (int s = 0; s < sets; s++) {
    TccVal equal = f ? tcc_emit_fcmp(t, "oeq", type, best[s], most) : tcc_emit_icmp(t, "eq", type, best[s], most), at = place[s];
    if (f) equal = tcc_emit_bin(t, "or", flags, equal, tcc_emit_fcmp(t, "uno", type, best[s], best[s])); /* then most is NaN too */
    if (row->plan.folds) {
      const TccExpr *coef = r->place.coef[row->plan.lane_dim];
      TccVal step = coef ? tcc_kernel_size(row->k, coef) : tcc_emit_i64(t, 0);
      TccVal lane = tcc_emit_bin(t, "mul", index, tcc_emit_iota(t, tcc_scalar_type(r->counter), row->plan.lanes),
                                 tcc_emit_splat(t, index, tcc_scalar_convert(t, TCC_ELEM_I64, r->counter, 1, step)));
      TccVal seen = r->last ? tcc_emit_icmp(t, "sge", index, at, tcc_emit_zero(t, index)) : 0;
      at = tcc_emit_bin(t, "add", index, at, lane);
      if (seen) equal = tcc_emit_bin(t, "and", flags, equal, seen);
    }
    at = tcc_emit_select(t, index, equal, at, far);
    found = found ? tcc_scalar_combine(t, nearest, r->counter, row->plan.lanes, found, at) : at;
  }
  if (row->plan.folds) found = tcc_emit_splat(t, index, tcc_scalar_fold(t, nearest, r->counter, row->plan.lanes, found));
  return found;
}

/* Before anything is seen: the neutral value. A value that is no better stands at the accumulator's first block, so that the
 * first of many least ones is found too; the last one always takes, and what was never taken has no place. */
static TccVal first_place(Row *row, const Reduction *r, int set) {
  TccEmit *t = row->k->e;
  if (r->last) return tcc_emit_int(t, lanes_type(row, r->counter), -1);
  for (int d = 0; d < row->read.pull.ndims; d++)
    if (row->read.dim_reduced[d])
      row->emit.iv[d] = tcc_emit_i64(t, d == row->plan.innermost ? (int64_t)set * (row->plan.folds ? row->plan.lanes : 1) : 0);
  return place_of_block(row, r);
}

TccStatus *row_reduce(Row *row) {
  TccEmit *t = row->k->e;
  Carried c = {0};
  int set = 0, unroll = 0, most = (int)row->plan.choice.sets;
  for (int i = 0; i < row->read.nreductions; i++)
    if (row->read.reduction[i].level == row->phase) set += carried_by(&row->read.reduction[i]);
  if (row->plan.folds)
    unroll = row->plan.body[row->phase] > 3 * SMALL_BODY ? most / 4 : row->plan.body[row->phase] > SMALL_BODY ? most / 2 : most;
  else
    unroll =
        row->plan.lanes <= 16 && row->read.pull.nodes.count <= SMALL_BODY ? most : 0; /* wide lanes are several chains already */
  /* An exponential has as many constants as half of sixteen registers: of four side by side each has its values on the stack. */
  const bool sums = row->read.exponential && !row->read.weight && row->phase == row->read.reduction[1].level;
  if (row->plan.folds && sums && row->plan.lanes == NARROW_LANES && unroll > most / 2) unroll = most / 2;
  int64_t length;
  bool is_short = (row->plan.folds || is_few(row)) && tcc_expr_is_const(row->read.pull.dim[row->plan.innermost], &length);
  while (is_short && unroll > 1 && (unroll - 1) * (row->plan.folds ? row->plan.lanes : 1) >= length)
    unroll--; /* what no block would reach */
  if (row->plan.folds && unroll < 1) unroll = 1;
  while (unroll > 1 && unroll * set > MAX_CARRIED) unroll /= 2;
  for (int u = 0; u < (unroll ? unroll : 1); u++)
    for (int i = 0; i < row->read.nreductions; i++) {
      const Reduction *r = &row->read.reduction[i];
      if (r->level != row->phase) continue;
      c.type[c.n] = lanes_type(row, r->wide);
      c.value[c.n] = tcc_scalar_neutral(t, r->kind, r->wide, row->plan.lanes);
      c.sum[c.n] = !r->is_arg && tcc_elem_is_float(r->wide) && tcc_str_is(r->kind, "sum");
      c.n++;
      if (!r->is_arg) continue;
      c.type[c.n] = lanes_type(row, r->counter);
      c.value[c.n] = first_place(row, r, u);
      c.n++;
    }
  TCC_TRY(row_loops(row, 0, unroll, set, &c));
  int at = 0;
  for (int i = 0; i < row->read.nreductions; i++) {
    const Reduction *r = &row->read.reduction[i];
    if (r->level != row->phase) continue;
    TccVal v = c.value[at];
    TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(r->op, 0)));
    if (r->is_arg) {
      TccVal best[4], place[4];
      int sets = unroll ? unroll : 1;
      for (int u = 0; u < sets; u++) best[u] = c.value[u * set + at], place[u] = c.value[u * set + at + 1];
      v = tcc_scalar_convert(t, r->counter, elem, row->plan.lanes, finish_arg(row, r, sets, best, place));
    } else {
      for (int u = 1; u < unroll; u++) v = combine(row, r, v, c.value[u * set + at]);
      v = fold(row, r, v);
      v = tcc_scalar_convert(t, r->wide, elem, row->plan.lanes, v);
    }
    at += carried_by(r);
    for (size_t n = 0; n < row->read.pull.nodes.count; n++) {
      TccPullNode *node = row->read.pull.nodes.data[n];
      if (node->kind == TCC_PULL_REDUCED && mlirOperationEqual(node->op, r->op)) row->emit.reduced[n] = v;
    }
  }
  return NULL;
}
