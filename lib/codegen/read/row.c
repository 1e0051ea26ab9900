/* row.c - see row.h. Dims are joined where both are reduced or both stay. */
#include "lib/codegen/read/row.h"
#include "lib/ir/row_domain.h"
#include "tcc/op_kinds.h"

/* ---- reading ---- */

static bool is_reduction(TccOpKind kind) { return kind == TCC_OP_REDUCE || kind == TCC_OP_ARG_REDUCE; }

static TccStatus *find_reductions(TccRow *row, TccIr *ir, MlirOperation kernel, MlirType *out_domain, uint32_t *out_reduced) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    if (!is_reduction(kind)) continue;
    if (row->nreductions == TCC_ROW_REDUCTIONS)
      return TCC_ERROR(TCC_UNSUPPORTED, "more than %d reductions in one kernel", TCC_ROW_REDUCTIONS);
    MlirType domain = tcc_value_type(mlirOperationGetOperand(op, 0));
    uint32_t reduced = tcc_reduced_axes(ir, op);
    TccRowReduction *r = &row->reduction[row->nreductions];
    *r = (TccRowReduction){
        .op = op, .is_arg = kind == TCC_OP_ARG_REDUCE, .kind = tcc_string(ir, op, "kind"), .elem = tcc_type_elem(domain)};
    r->max = tcc_str_is(r->kind, "max");
    if (!tcc_elem_computes(r->elem)) return TCC_ERROR(TCC_UNSUPPORTED, "element type %s does not compute", tcc_elem_name(r->elem));
    r->wide = r->is_arg && r->elem == TCC_ELEM_BOOL ? TCC_ELEM_I32 : tcc_elem_accumulator(r->elem);
    if (r->is_arg) {
      r->last = tcc_bool(ir, op, "last");
      int64_t axis = tcc_i64(ir, op, "axis"), length;
      r->counter =
          tcc_expr_is_const(tcc_type_dim(ir, domain, (int)axis), &length) && length < 1 << 30 ? TCC_ELEM_I32 : TCC_ELEM_I64;
    }
    if (row->nreductions &&
        (((reduced ^ *out_reduced) & ~tcc_single_axes(ir, domain)) || !tcc_type_same_shape(ir, domain, *out_domain)))
      return TCC_ERROR(TCC_UNSUPPORTED, "reductions over different axes in one kernel");
    *out_domain = domain, *out_reduced |= reduced;
    row->nreductions++;
  }
  return row->nreductions ? NULL : TCC_ERROR(TCC_UNSUPPORTED, "a row kernel without a reduction");
}

/* The index of a result of the domain's or of the reduced shape; that may have axes of one place which other reductions drop. */
static TccStatus *result_index(TccRow *row, MlirType type, MlirType domain, const TccPullIndex *axis, TccPullIndex *out,
                               bool *out_full) {
  TccPull *p = &row->pull;
  *out_full = tcc_type_same_shape(p->ir, type, domain);
  int rank = tcc_type_rank(domain), r = tcc_type_rank(type), at = 0, more = r - rank + __builtin_popcount(p->reduced);
  for (int a = 0; a < rank; a++) {
    bool gone = (p->reduced >> a & 1) && !*out_full;
    if (gone && r != rank && !(more > 0 && (tcc_single_axes(p->ir, domain) >> a & 1))) continue;
    more -= gone;
    if (at == r) return TCC_ERROR(TCC_UNSUPPORTED, "a result that is neither a row nor a reduction");
    out[at++] = gone ? tcc_pull_constant(p, tcc_expr_const(p->ir->exprs, 0)) : axis[a];
  }
  return at == r ? NULL : TCC_ERROR(TCC_UNSUPPORTED, "a result that is neither a row nor a reduction");
}

/* Joins neighbouring dims of which both are reduced or both stay: 7 x 7 pixels are one loop. The flat index over the reduced
 * dims is walked along as if a result were stored there, which keeps the two kinds apart. */
static void join_dims(TccRow *row, const TccPullDims *dims, uint32_t reduced) {
  TccPull *p = &row->pull;
  TccPullIndex flat = tcc_pull_constant(p, tcc_expr_const(p->ir->exprs, 0)),
               *stores[TCC_ROW_RESULTS + TCC_ROW_REDUCTIONS + 1] = {&flat};
  const TccExpr *stride = tcc_expr_const(p->ir->exprs, 1);
  int n = 1;
  for (int d = dims->count; d-- > 0;) {
    if (!(reduced >> dims->axis[d] & 1)) continue;
    flat.coef[d] = stride;
    stride = tcc_expr_mul(p->ir->exprs, stride, p->dim[d]);
  }
  for (int i = 0; i < row->nresults; i++) stores[n++] = &row->result[i].store;
  for (int i = 0; i < row->nreductions; i++)
    if (row->reduction[i].is_arg)
      row->reduction[i].place = p->axis[tcc_i64(p->ir, row->reduction[i].op, "axis")], stores[n++] = &row->reduction[i].place;
  tcc_pull_join_dims(p, stores, n);
  for (int d = 0; d < p->ndims; d++) row->dim_reduced[d] = flat.coef[d] != NULL;
}

static TccStatus *pull_row(TccIr *ir, MlirOperation kernel, TccRow *row) {
  MlirType domain = {NULL};
  uint32_t reduced = 0;
  row->eager = tcc_numerics(kernel) == TCC_NUMERICS_EAGER;
  TCC_TRY(find_reductions(row, ir, kernel, &domain, &reduced));
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  int rank = tcc_type_rank(domain);
  row->nresults = (int)mlirOperationGetNumOperands(end);
  if (row->nresults > TCC_ROW_RESULTS) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d results", TCC_ROW_RESULTS);
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
      TccRowResult *r = &row->result[i];
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
    if (!tcc_pull_resplit(p, &dims)) return p->status;
  }
  join_dims(row, &dims, reduced);
  return NULL;
}

/* ---- patterns ---- */

bool tcc_row_is_costly(const TccRow *row, const TccPullNode *node) {
  if (node->kind != TCC_PULL_OP || mlirOperationIsNull(node->op)) return false;
  TccOpKind kind = tcc_op_kind(row->pull.ir, node->op);
  return kind != TCC_OP_UNKNOWN && tcc_op_has_trait(kind, 'T');
}

static bool is_op(const TccRow *row, const TccPullNode *node, TccOpKind kind) {
  return node && node->kind == TCC_PULL_OP && !mlirOperationIsNull(node->op) && tcc_op_kind(row->pull.ir, node->op) == kind;
}
static bool is_reduced(const TccRow *row, const TccPullNode *node, const char *kind) {
  return node && node->kind == TCC_PULL_REDUCED && tcc_str_is(tcc_string(row->pull.ir, node->op, "kind"), kind);
}

bool tcc_row_divides_exponential(const TccRow *row, const TccPullNode *node) {
  if (row->eager) return false;
  if (!is_op(row, node, TCC_OP_DIV) || (node->elem != TCC_ELEM_F32 && node->elem != TCC_ELEM_F64)) return false;
  if (!is_op(row, node->child[0], TCC_OP_EXP) || !is_reduced(row, node->child[1], "sum")) return false;
  const TccPullNode *exponent = node->child[0]->child[0];
  return is_op(row, exponent, TCC_OP_SUB) && is_reduced(row, exponent->child[1], "max");
}

/* ---- levels ---- */

static int level_of(TccRow *row, TccPullNode *node) {
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

/* Whether a NaN in the sum `op` gives makes this value NaN. */
static bool shows_nan(const TccRow *row, const TccPullNode *node, MlirOperation op) {
  if (!node || node->kind == TCC_PULL_REDUCED) return node && mlirOperationEqual(node->op, op);
  if (node->kind != TCC_PULL_OP || !tcc_elem_is_float(node->elem)) return false;
  switch (mlirOperationIsNull(node->op) ? TCC_OP_CONVERT : tcc_op_kind(row->pull.ir, node->op)) {
  case TCC_OP_ADD:
  case TCC_OP_SUB:
  case TCC_OP_MUL:
  case TCC_OP_DIV:
  case TCC_OP_NEG:
  case TCC_OP_LOG:
  case TCC_OP_CONVERT: break;
  default: return false;
  }
  for (int c = 0; c < node->nchildren; c++)
    if (shows_nan(row, node->child[c], op)) return true;
  return false;
}

/* Two reductions, the maximum of x and the sum of e^(x - max), and nothing is stored that a NaN in the sum does not reach. */
static const TccPullNode *exponential_below_one(const TccRow *row) {
  if (row->eager || row->nreductions != 2 || row->nresults == 0) return NULL;
  const TccRowReduction *max = &row->reduction[0], *sum = &row->reduction[1];
  const TccPullNode *power = sum->operand, *exponent;
  if (sum->level != 1 || max->level != 0 || !max->max || max->is_arg || !tcc_str_is(sum->kind, "sum")) return NULL;
  if (power->elem != TCC_ELEM_F32 || !is_op(row, power, TCC_OP_EXP)) return NULL;
  exponent = power->child[0];
  if (!is_op(row, exponent, TCC_OP_SUB) || exponent->child[0] != max->operand || !is_reduced(row, exponent->child[1], "max") ||
      !mlirOperationEqual(exponent->child[1]->op, max->op))
    return NULL;
  for (int i = 0; i < row->nresults; i++)
    if (!shows_nan(row, row->result[i].root, sum->op)) return NULL;
  return power;
}

/* The weights of a softmax: nothing but their quotients is stored. */
static const TccPullNode *softmax_weight(const TccRow *row) {
  if (!row->exponential) return NULL;
  for (int i = 0; i < row->nresults; i++) {
    const TccPullNode *node = row->result[i].root;
    while (is_op(row, node, TCC_OP_CONVERT)) node = node->child[0];
    if (!row->result[i].full || !tcc_row_divides_exponential(row, node) || node->child[0] != row->exponential) return NULL;
    if (!mlirOperationEqual(node->child[1]->op, row->reduction[1].op)) return NULL;
  }
  return row->exponential;
}

int tcc_row_dims(const TccRow *row, bool reduced, int *out_dims, const TccExpr **out_count) {
  TccExprPool *pool = row->pull.ir->exprs;
  int n = 0;
  *out_count = tcc_expr_const(pool, 1);
  for (int d = 0; d < row->pull.ndims; d++) {
    if (row->dim_reduced[d] != reduced) continue;
    out_dims[n++] = d;
    *out_count = tcc_expr_mul(pool, *out_count, row->pull.dim[d]);
  }
  return n;
}

TccStatus *tcc_row_read(TccIr *ir, MlirOperation kernel, TccRow *row) {
  *row = (TccRow){0};
  TCC_TRY(pull_row(ir, kernel, row));
  size_t n = row->pull.nodes.count;
  row->level = TCC_NEW_ARRAY(ir->arena, int, n + 1);
  memset(row->level, 0xff, sizeof *row->level * n);
  for (size_t v = 0; v < n; v++) (void)level_of(row, row->pull.nodes.data[v]);
  for (int i = 0; i < row->nreductions; i++) {
    row->reduction[i].level = level_of(row, row->reduction[i].operand);
    if (row->reduction[i].level >= row->nlevels) row->nlevels = row->reduction[i].level + 1;
  }
  row->exponential = exponential_below_one(row);
  row->weight = softmax_weight(row);
  return NULL;
}
