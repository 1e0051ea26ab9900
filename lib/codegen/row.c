/* row.c - kernels around reductions: softmax, norms, sums of any axes, arg-reductions.
 *
 * A row is one index of the axes that stay; the kernel goes through rows, and for each through phases: reductions that
 * depend on no other share one loop over the row, then those that depend on these, and so on; the last loop stores the
 * results. What lies before a reduction is computed again in each phase, but for functions that cost more than a load:
 * those are kept in scratch, which a row's length fits. If the innermost axis is reduced the lanes run along it and are
 * folded at the end of a loop; if it stays, the lanes are neighbouring rows and nothing is folded. */
#include "lib/codegen/emitters.h"
#include "lib/codegen/pull.h"

enum { TILE = 8192, MAX_REDUCTIONS = 16, MAX_RESULTS = 16, MAX_KEPT = 4, MAX_CARRIED = 48, SMALL_BODY = 14 };

typedef struct {
  MlirOperation op;
  bool is_arg, last, max;
  TccStr kind;
  TccElem elem, wide;        /* of the operand; of the accumulator */
  TccPullNode *operand;
  TccPullIndex place;        /* is_arg: along the axis */
  int level;
} Reduction;

typedef struct { TccPullNode *root; TccPullIndex store; TccElem elem; int argument; bool full; } Result;
typedef struct { TccPullNode *node; int phase; const TccExpr *offset; /* bytes into scratch */ } Kept;

typedef struct {
  TccKernelEmit *k;
  TccPull pull;
  TccPullEmit emit;
  int lanes, lane_dim;
  bool folds;                /* the lane dim is reduced */
  int innermost;             /* of the reduced dims */
  bool dim_reduced[TCC_PULL_DIMS];
  int nreductions, nresults, nlevels, nkept;
  Reduction reduction[MAX_REDUCTIONS];
  Result result[MAX_RESULTS];
  Kept kept[MAX_KEPT];
  int *level;                /* by node id */
  const TccExpr *row_elements, *rows;
  TccVal *of_row;            /* by node id: values that the whole row shares, emitted before the loop; 0: none */
  TccVal *inverse;           /* by node id: 1 / value of a divisor of exponentials, which the row shares; 0: none */
  TccVal scratch;
  int phase;                 /* being emitted */
} Row;

/* ---- reading ---- */

static bool is_reduction(TccOpKind kind) { return kind == TCC_OP_REDUCE || kind == TCC_OP_ARG_REDUCE; }

static TccStatus *find_reductions(Row *row, TccIr *ir, MlirOperation kernel, MlirType *out_domain, uint32_t *out_reduced) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    if (!is_reduction(kind)) continue;
    if (row->nreductions == MAX_REDUCTIONS) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d reductions in one kernel", MAX_REDUCTIONS);
    MlirType domain = tcc_value_type(mlirOperationGetOperand(op, 0));
    uint32_t reduced = 0;
    Reduction *r = &row->reduction[row->nreductions];
    *r = (Reduction){.op = op, .is_arg = kind == TCC_OP_ARG_REDUCE, .kind = tcc_string(ir, op, "kind"), .elem = tcc_type_elem(domain)};
    r->max = tcc_str_is(r->kind, "max");
    r->wide = r->is_arg && r->elem == TCC_ELEM_BOOL ? TCC_ELEM_I32 : tcc_scalar_accumulator(r->elem);
    if (r->is_arg) {
      r->last = tcc_bool(ir, op, "last");
      reduced = 1u << tcc_i64(ir, op, "axis");
    } else {
      const int64_t *axes;
      size_t n;
      if (!tcc_get_ints(ir, op, "axes", &axes, &n)) return TCC_ERROR(TCC_UNSUPPORTED, "a reduction without axes");
      for (size_t i = 0; i < n; i++) reduced |= 1u << axes[i];
    }
    if (row->nreductions && (reduced != *out_reduced || !tcc_type_same_shape(ir, domain, *out_domain)))
      return TCC_ERROR(TCC_UNSUPPORTED, "reductions over different axes in one kernel");
    *out_domain = domain, *out_reduced = reduced;
    row->nreductions++;
  }
  return row->nreductions ? NULL : TCC_ERROR(TCC_UNSUPPORTED, "a row kernel without a reduction");
}

/* The index of a result of the domain's or of the reduced shape. */
static TccStatus *result_index(Row *row, MlirType type, MlirType domain, const TccPullIndex *axis, TccPullIndex *out, bool *out_full) {
  TccPull *p = &row->pull;
  *out_full = tcc_type_same_shape(p->ir, type, domain);
  int rank = tcc_type_rank(domain), r = tcc_type_rank(type), at = 0;
  for (int a = 0; a < rank; a++) {
    bool gone = (p->reduced >> a & 1) && !*out_full;
    if (gone && r != rank) continue;
    if (at == r) return TCC_ERROR(TCC_UNSUPPORTED, "a result that is neither a row nor a reduction");
    out[at++] = gone ? tcc_pull_constant(p, tcc_expr_const(p->ir->exprs, 0)) : axis[a];
  }
  return at == r ? NULL : TCC_ERROR(TCC_UNSUPPORTED, "a result that is neither a row nor a reduction");
}

/* Joins neighbouring dims of which both are reduced or both stay: 7 x 7 pixels are one loop. The flat index over the reduced
 * dims is walked along as if a result were stored there, which keeps the two kinds apart. */
static void join_dims(Row *row, const TccPullDims *dims, uint32_t reduced) {
  TccPull *p = &row->pull;
  TccPullIndex flat = tcc_pull_constant(p, tcc_expr_const(p->ir->exprs, 0)), *stores[MAX_RESULTS + MAX_REDUCTIONS + 1] = {&flat};
  const TccExpr *stride = tcc_expr_const(p->ir->exprs, 1);
  int n = 1;
  for (int d = dims->count; d-- > 0;) {
    if (!(reduced >> dims->axis[d] & 1)) continue;
    flat.coef[d] = stride;
    stride = tcc_expr_mul(p->ir->exprs, stride, p->dim[d]);
  }
  for (int i = 0; i < row->nresults; i++) stores[n++] = &row->result[i].store;
  for (int i = 0; i < row->nreductions; i++)
    if (row->reduction[i].is_arg) row->reduction[i].place = p->axis[__builtin_ctz(reduced)], stores[n++] = &row->reduction[i].place;
  tcc_pull_join_dims(p, stores, n);
  for (int d = 0; d < p->ndims; d++) row->dim_reduced[d] = flat.coef[d] != NULL;
}

static TccStatus *pull_row(Row *row, TccIr *ir, MlirOperation kernel) {
  MlirType domain = {NULL};
  uint32_t reduced = 0;
  TCC_TRY(find_reductions(row, ir, kernel, &domain, &reduced));
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  int rank = tcc_type_rank(domain);
  row->nresults = (int)mlirOperationGetNumOperands(end);
  if (row->nresults > MAX_RESULTS) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d results", MAX_RESULTS);
  TccPullDims dims;
  tcc_pull_dims_of(ir, domain, &dims);
  TccPullIndex *axis = TCC_NEW_ARRAY(ir->arena, TccPullIndex, TCC_MAX_RANK);
  for (;;) {
    TccPull *p = &row->pull;
    tcc_pull_init(p, ir, kernel);
    p->rows = true, p->reduced = reduced, p->axis = axis;
    tcc_pull_use_dims(p, &dims, rank, axis);
    for (int i = 0; i < row->nreductions; i++)
      row->reduction[i].operand = tcc_pull_value(p, mlirOperationGetOperand(row->reduction[i].op, 0), axis);
    for (int i = 0; i < row->nresults; i++) {
      Result *r = &row->result[i];
      MlirValue value = mlirOperationGetOperand(end, i);
      TccPullIndex at[TCC_MAX_RANK];
      TCC_TRY(result_index(row, tcc_value_type(value), domain, axis, at, &r->full));
      r->elem = tcc_type_elem(tcc_value_type(value));
      r->argument = (int)mlirBlockGetNumArguments(tcc_func_body(kernel)) + i;
      r->root = tcc_pull_value(p, value, at);
      r->store = tcc_pull_flat(p, tcc_value_type(value), at);
    }
    if (p->status) return p->status;
    if (p->split < 0) break;
    tcc_pull_dims_split(&dims, p);
  }
  join_dims(row, &dims, reduced);
  return NULL;
}

/* ---- phases ---- */

static int level_of(Row *row, TccPullNode *node) {
  if (row->level[node->id] >= 0) return row->level[node->id];
  int level = 0;
  if (node->kind == TCC_PULL_REDUCED) {
    for (int i = 0; i < row->nreductions; i++)
      if (mlirOperationEqual(row->reduction[i].op, node->op)) level = level_of(row, row->reduction[i].operand) + 1;
  }
  for (int c = 0; c < node->nchildren; c++) {
    int below = node->child[c] ? level_of(row, node->child[c]) : 0;
    if (below > level) level = below;
  }
  for (int t = 0; t < node->index.nterms; t++) {
    int below = level_of(row, node->index.term[t].node);
    if (below > level) level = below;
  }
  return row->level[node->id] = level;
}

/* Functions that cost more than storing and loading their value. */
static bool is_costly(const Row *row, const TccPullNode *node) {
  if (node->kind != TCC_PULL_OP || mlirOperationIsNull(node->op)) return false;
  switch (tcc_op_kind(row->pull.ir, node->op)) {
  case TCC_OP_EXP: case TCC_OP_EXPM1: case TCC_OP_LOG: case TCC_OP_LOG1P: case TCC_OP_TANH: case TCC_OP_ERF: case TCC_OP_SIN:
  case TCC_OP_COS: case TCC_OP_POW: return true;
  default: return false;
  }
}

static void mark(const TccPullNode *node, unsigned char *seen) {
  if (seen[node->id]) return;
  seen[node->id] = 1;
  for (int c = 0; c < node->nchildren; c++)
    if (node->child[c]) mark(node->child[c], seen);
}

/* Phase i < nlevels holds the reductions of level i; phase nlevels stores the results. */
static void plan_phases(Row *row) {
  TccPull *p = &row->pull;
  size_t n = p->nodes.count;
  row->level = TCC_NEW_ARRAY(p->arena, int, n + 1);
  memset(row->level, 0xff, sizeof *row->level * n);
  for (size_t v = 0; v < n; v++) (void)level_of(row, p->nodes.data[v]);
  row->of_row = TCC_NEW_ARRAY(p->arena, TccVal, n + 1);
  row->inverse = TCC_NEW_ARRAY(p->arena, TccVal, n + 1);
  for (int i = 0; i < row->nreductions; i++) {
    row->reduction[i].level = level_of(row, row->reduction[i].operand);
    if (row->reduction[i].level >= row->nlevels) row->nlevels = row->reduction[i].level + 1;
  }
  unsigned char *first = TCC_NEW_ARRAY(p->arena, unsigned char, n + 1), *seen = TCC_NEW_ARRAY(p->arena, unsigned char, n + 1);
  for (int phase = 0; phase <= row->nlevels; phase++) {
    memset(seen, 0, n);
    for (int i = 0; i < row->nreductions; i++)
      if (phase == row->reduction[i].level) mark(row->reduction[i].operand, seen);
    for (int i = 0; i < row->nresults; i++)
      if (phase == row->nlevels && row->result[i].full) mark(row->result[i].root, seen);
    for (size_t v = 0; v < n; v++) {
      if (!seen[v]) continue;
      if (!first[v]) {
        first[v] = (unsigned char)(phase + 1);
        continue;
      }
      TccPullNode *node = p->nodes.data[v];
      bool known = false;
      for (int i = 0; i < row->nkept; i++) known |= row->kept[i].node == node;
      if (!known && is_costly(row, node) && row->nkept < MAX_KEPT) row->kept[row->nkept++] = (Kept){node, first[v] - 1, NULL};
    }
  }
}

/* ---- emission ---- */

static TccVal scratch_address(Row *row, const Kept *kept) {
  TccEmit *t = row->k->e;
  TccVal at = tcc_emit_i64(t, 0);
  for (int d = 0; d < row->pull.ndims; d++) {
    if (!row->dim_reduced[d]) continue;
    at = tcc_emit_add(t, tcc_emit_mul(t, at, tcc_kernel_size(row->k, row->pull.dim[d])), row->emit.iv[d]);
  }
  if (!row->folds) at = tcc_emit_mul(t, at, tcc_emit_i64(t, row->lanes));
  TccVal base = tcc_emit_gep(t, "i8", row->scratch, tcc_kernel_size(row->k, kept->offset));
  return tcc_emit_gep(t, tcc_scalar_memory_type(kept->node->elem), base, at);
}

static bool is_op(const Row *row, const TccPullNode *node, TccOpKind kind) {
  return node && node->kind == TCC_PULL_OP && !mlirOperationIsNull(node->op) && tcc_op_kind(row->pull.ir, node->op) == kind;
}
static bool is_reduced(const Row *row, const TccPullNode *node, const char *kind) {
  return node && node->kind == TCC_PULL_REDUCED && tcc_str_is(tcc_string(row->pull.ir, node->op, "kind"), kind);
}

/* e^(x - max) / sum in f32 or f64: softmax. One summand is 1, so the inverse of the sum neither overflows nor loses digits,
 * and a multiplication replaces a division of each element. */
static bool divides_exponential(const Row *row, const TccPullNode *node) {
  if (!is_op(row, node, TCC_OP_DIV) || (node->elem != TCC_ELEM_F32 && node->elem != TCC_ELEM_F64)) return false;
  if (!is_op(row, node->child[0], TCC_OP_EXP) || !is_reduced(row, node->child[1], "sum")) return false;
  const TccPullNode *exponent = node->child[0]->child[0];
  return is_op(row, exponent, TCC_OP_SUB) && is_reduced(row, exponent->child[1], "max");
}

/* Called for every node: gives a value of the row, or a kept one from scratch in the phases after the one that computed it. */
static bool computed_before(void *user, const TccPullNode *node, TccVal *out) {
  Row *row = user;
  if (row->of_row[node->id]) {
    *out = row->of_row[node->id];
    return true;
  }
  if (divides_exponential(row, node) && row->inverse[node->child[1]->id]) {
    TccVal x;
    TccStatus *status = tcc_pull_emit_node(&row->emit, node->child[0], &x);
    if (status) { /* the caller meets it again */
      tcc_status_destroy(status);
      return false;
    }
    TccEmit *t = row->k->e;
    *out = tcc_emit_bin(t, "fmul", tcc_emit_vector(t, tcc_scalar_type(node->elem), row->lanes), x, row->inverse[node->child[1]->id]);
    return true;
  }
  for (int i = 0; i < row->nkept; i++) {
    const Kept *kept = &row->kept[i];
    if (kept->node != node || row->phase <= kept->phase) continue;
    TccEmit *t = row->k->e;
    const char *type = tcc_emit_vector(t, tcc_scalar_memory_type(node->elem), row->lanes);
    TccVal v = tcc_emit_masked_load(t, type, scratch_address(row, kept), row->emit.mask);
    *out = tcc_scalar_from_memory(t, node->elem, row->lanes, v);
    return true;
  }
  return false;
}

static TccStatus *keep_values(Row *row) {
  TccEmit *t = row->k->e;
  for (int i = 0; i < row->nkept; i++) {
    TccVal v;
    if (row->kept[i].phase != row->phase) continue;
    TCC_TRY(tcc_pull_emit_node(&row->emit, row->kept[i].node, &v));
    TccElem elem = row->kept[i].node->elem;
    const char *type = tcc_emit_vector(t, tcc_scalar_memory_type(elem), row->lanes);
    tcc_emit_masked_store(t, type, tcc_scalar_to_memory(t, elem, row->lanes, v), scratch_address(row, &row->kept[i]), row->emit.mask);
  }
  return NULL;
}

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
  TCC_TRY(keep_values(row));
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

static TccStatus *store_results(Row *row, bool full) {
  tcc_pull_emit_reset(&row->emit);
  for (int i = 0; i < row->nresults; i++) {
    const Result *r = &row->result[i];
    TccVal v;
    if (r->full != full) continue;
    TCC_TRY(tcc_pull_emit_node(&row->emit, r->root, &v));
    TCC_TRY(tcc_pull_emit_store(&row->emit, r->argument, r->elem, &r->store, v));
  }
  return NULL;
}

typedef struct { int n; TccVal value[MAX_CARRIED]; const char *type[MAX_CARRIED]; } Carried;

/* The innermost block: accumulate, or store where nothing is carried. */
static TccStatus *visit(Row *row, TccVal *acc) { return row->phase < row->nlevels ? accumulate(row, acc) : store_results(row, true); }

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

static TccStatus *row_loops(Row *row, int dim, int unroll, int set, Carried *c) {
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

/* The loop of one level of reductions, and their values. */
static TccStatus *emit_reductions(Row *row) {
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

/* A load of a tensor's only element: a count, an epsilon. */
static bool is_single(const Row *row, const TccPullNode *node) {
  if (node->argument < 0) return node->count == 1;
  MlirType type = mlirValueGetType(mlirBlockGetArgument(tcc_func_body(row->pull.kernel), node->argument));
  for (int d = 0; d < tcc_type_rank(type); d++)
    if (mlirShapedTypeIsDynamicDim(type, d) || mlirShapedTypeGetDimSize(type, d) != 1) return false;
  return true;
}

/* Emits the ops on reductions of earlier phases and constants, 1 / sqrt(var + eps) say: no pass takes a square root out of
 * the loop over the row later. */
static TccStatus *emit_of_row(Row *row) {
  size_t n = row->pull.nodes.count;
  bool *shared = TCC_NEW_ARRAY(row->k->ir->arena, bool, n + 1);
  memset(row->of_row, 0, sizeof *row->of_row * n);
  memset(row->inverse, 0, sizeof *row->inverse * n);
  tcc_pull_emit_reset(&row->emit);
  for (size_t i = 0; i < n; i++) { /* children first */
    const TccPullNode *node = row->pull.nodes.data[i];
    const TccExpr *at;
    shared[i] = node->kind == TCC_PULL_REDUCED ? row->emit.reduced[i] && row->level[i] >= 0 && row->level[i] <= row->phase
                : node->kind == TCC_PULL_LOAD  ? is_single(row, node)
                                               : node->kind == TCC_PULL_INDEX && tcc_pull_is_constant(&row->pull, &node->index, &at);
    if (node->kind != TCC_PULL_OP) continue;
    if (divides_exponential(row, node) && shared[node->child[1]->id]) {
      TccEmit *t = row->k->e;
      const char *type = tcc_emit_vector(t, tcc_scalar_type(node->elem), row->lanes);
      row->inverse[node->child[1]->id] = tcc_emit_bin(t, "fdiv", type, tcc_emit_float(t, type, 1), row->emit.reduced[node->child[1]->id]);
    }
    shared[i] = node->nchildren > 0;
    for (int c = 0; c < node->nchildren; c++) shared[i] &= node->child[c] && shared[node->child[c]->id];
    if (!shared[i]) continue;
    TccVal v;
    TCC_TRY(tcc_pull_emit_node(&row->emit, node, &v));
    row->of_row[i] = v;
  }
  return NULL;
}

static TccStatus *emit_row(Row *row, TccVal row_mask) {
  TccEmit *t = row->k->e;
  for (row->phase = 0; row->phase < row->nlevels; row->phase++) {
    row->emit.mask = row_mask;
    TCC_TRY(emit_of_row(row));
    TCC_TRY(emit_reductions(row));
  }
  bool any_full = false, any_reduced = false;
  for (int i = 0; i < row->nresults; i++) any_full |= row->result[i].full, any_reduced |= !row->result[i].full;
  row->emit.mask = row_mask;
  TCC_TRY(emit_of_row(row));
  if (any_full) {
    Carried none = {0};
    TCC_TRY(row_loops(row, 0, row->folds && row->pull.nodes.count <= 3 * SMALL_BODY, 0, &none));
  }
  row->emit.mask = row_mask;
  if (any_reduced) {
    for (int d = 0; d < row->pull.ndims; d++)
      if (row->dim_reduced[d]) row->emit.iv[d] = tcc_emit_i64(t, 0);
    int lane = row->emit.lane_dim;
    if (row->folds) row->emit.lane_dim = -1; /* one value in all lanes */
    TCC_TRY(store_results(row, false));
    row->emit.lane_dim = lane;
  }
  return NULL;
}

/* Rows [begin, end) of tiles; where rows are lanes, a unit is one block of lanes of one index of the other dims. */
static TccStatus *emit_tiles(Row *row, TccVal begin, TccVal end, const TccExpr *units, const TccExpr *pieces, int64_t per_tile) {
  TccEmit *t = row->k->e;
  TccVal per = tcc_emit_i64(t, per_tile), limit = tcc_kernel_size(row->k, units);
  TccLoop loop;
  tcc_emit_for(t, &loop, tcc_emit_mul(t, begin, per), tcc_emit_min(t, tcc_emit_mul(t, end, per), limit), 1, 0, NULL, NULL);
  TccVal rest = loop.iv, mask = 0;
  if (!row->folds) {
    TccVal blocks = tcc_kernel_size(row->k, pieces);
    TccVal at = tcc_emit_mul(t, tcc_emit_rem(t, rest, blocks), tcc_emit_i64(t, row->lanes));
    rest = tcc_emit_div(t, rest, blocks);
    row->emit.iv[row->lane_dim] = at;
    bool whole = tcc_expr_multiple_of(row->pull.dim[row->lane_dim]) % row->lanes == 0;
    if (!whole) mask = tcc_emit_mask(t, tcc_emit_sub(t, tcc_kernel_size(row->k, row->pull.dim[row->lane_dim]), at), row->lanes);
  }
  int outermost = -1;
  for (int d = row->pull.ndims; d-- > 0;)
    if (!row->dim_reduced[d] && (row->folds || d != row->lane_dim)) outermost = d;
  for (int d = row->pull.ndims; d-- > 0;) {
    if (row->dim_reduced[d] || (!row->folds && d == row->lane_dim)) continue;
    TccVal size = tcc_kernel_size(row->k, row->pull.dim[d]);
    row->emit.iv[d] = d == outermost ? rest : tcc_emit_rem(t, rest, size);
    if (d != outermost) rest = tcc_emit_div(t, rest, size);
  }
  TCC_TRY(emit_row(row, mask));
  tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

/* Sums and the like without functions: their lanes may be four registers wide, so that a row of memory is walked by 256
 * bytes and four chains of additions go side by side. */
static bool is_plain(const Row *row) {
  if (row->nlevels > 1 || row->pull.nodes.count > SMALL_BODY) return false;
  for (int i = 0; i < row->nreductions; i++)
    if (row->reduction[i].is_arg || tcc_elem_bits(row->reduction[i].wide) != 32) return false;
  for (size_t n = 0; n < row->pull.nodes.count; n++) {
    const TccPullNode *node = row->pull.nodes.data[n];
    if (is_costly(row, node) || (node->kind != TCC_PULL_LOAD && node->kind != TCC_PULL_OP && node->kind != TCC_PULL_REDUCED)) return false;
  }
  return true;
}

/* Cost of lanes along dim d: an access to a line of memory, or one for each lane. */
static int cost_of_lanes(const Row *row, int d) {
  const TccExpr *one = tcc_expr_const(row->pull.ir->exprs, 1);
  int cost = 0;
  for (size_t n = 0; n < row->pull.nodes.count; n++) {
    const TccPullNode *node = row->pull.nodes.data[n];
    if (node->kind == TCC_PULL_LOAD && node->index.coef[d]) cost += node->index.coef[d] == one ? 1 : row->lanes;
  }
  for (int i = 0; i < row->nresults; i++)
    if (row->result[i].full) cost += row->result[i].store.coef[d] == one ? 1 : row->lanes;
  return cost;
}

/* The last dim, or one that stays if memory is contiguous there: channels of a plain image, normed for each pixel. */
static int choose_lane_dim(const Row *row, int last) {
  int64_t size;
  int best = last, least = cost_of_lanes(row, last);
  for (int d = 0; d < row->pull.ndims; d++) {
    if (row->dim_reduced[d] || (tcc_expr_is_const(row->pull.dim[d], &size) && size < row->lanes)) continue;
    int cost = cost_of_lanes(row, d);
    if (cost < least) best = d, least = cost;
  }
  return best;
}

TccStatus *tcc_row_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  *out = (TccKernelCode){0};
  Row *row = TCC_NEW(ir->arena, Row);
  TCC_TRY(pull_row(row, ir, kernel));
  plan_phases(row);
  row->lanes = target->machine.isa & TCC_ISA_AVX512 ? 16 : 8;
  int64_t length, per_tile = 4;
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *units = one, *elements = one, *pieces = one;
  row->lane_dim = row->pull.ndims - 1;
  while (row->lane_dim > 0 && row->pull.dim[row->lane_dim] == one) row->lane_dim--;
  if (row->lane_dim < 0) return TCC_ERROR(TCC_UNSUPPORTED, "a reduction of a scalar");
  row->lane_dim = choose_lane_dim(row, row->lane_dim);
  row->folds = row->dim_reduced[row->lane_dim];
  row->innermost = -1;
  for (int d = 0; d < row->pull.ndims; d++)
    if (row->dim_reduced[d] && (row->innermost < 0 || row->pull.dim[d] != one)) row->innermost = d;
  if (!row->folds && is_plain(row) && (!tcc_expr_is_const(row->pull.dim[row->lane_dim], &length) || length >= 4 * row->lanes)) row->lanes *= 4;
  for (int d = 0; d < row->pull.ndims; d++) {
    if (row->dim_reduced[d]) elements = tcc_expr_mul(ir->exprs, elements, row->pull.dim[d]);
    else if (row->folds || d != row->lane_dim) units = tcc_expr_mul(ir->exprs, units, row->pull.dim[d]);
  }
  if (!row->folds) {
    pieces = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, row->pull.dim[row->lane_dim], tcc_expr_const(ir->exprs, row->lanes));
    units = tcc_expr_mul(ir->exprs, units, pieces);
  }
  if (tcc_expr_is_const(elements, &length)) {
    int64_t work = row->folds ? length : length * row->lanes;
    per_tile = work > 0 && work < TILE ? (TILE + work - 1) / work : 1;
  }
  const TccExpr *scratch = tcc_expr_const(ir->exprs, 0);
  for (int i = 0; i < row->nkept; i++) {
    int64_t bytes = (int64_t)tcc_elem_bits(row->kept[i].node->elem) / 8 * (row->folds ? 1 : row->lanes);
    row->kept[i].offset = scratch;
    const TccExpr *size = tcc_expr_mul(ir->exprs, elements, tcc_expr_const(ir->exprs, bytes));
    size = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, size, tcc_expr_const(ir->exprs, 64)); /* each from a cache line on */
    scratch = tcc_expr_add(ir->exprs, scratch, tcc_expr_mul(ir->exprs, size, tcc_expr_const(ir->exprs, 64)));
  }
  TccEmit e;
  TccKernelEmit k;
  TccKernelEntry entry;
  tcc_kernel_init(&k, &e, ir, &target->machine, kernel);
  tcc_kernel_entry(&k, &entry);
  row->k = &k;
  row->scratch = entry.scratch;
  tcc_pull_emit_init(&row->emit, &k, &row->pull, row->lanes);
  row->emit.lane_dim = row->lane_dim;
  row->emit.kept = computed_before;
  row->emit.user = row;
  for (int d = row->innermost + 1; d < row->pull.ndims; d++) row->emit.iv[d] = tcc_emit_i64(&e, 0); /* of size 1, or set for each row */
  TccStatus *status = emit_tiles(row, entry.begin, entry.end, units, pieces, per_tile);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_return(&e, 0, NULL);
  const TccExpr *tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, units, tcc_expr_const(ir->exprs, per_tile));
  const TccExpr *tile_slots = tcc_kernel_slot(&k, tiles), *scratch_slot = tcc_kernel_slot(&k, scratch);
  const char *schedule = tcc_arena_printf(ir->arena, "lanes = %d, along = %s, phases = %d, kept = %d", row->lanes,
                                          row->folds ? "row" : "rows", row->nlevels + 1, row->nkept);
  tcc_kernel_finish(&k, "x86.row", schedule, tile_slots, scratch_slot, out);
  return NULL;
}
