/* operand.c - see operand.h. */
#include "lib/targets/nvptx/operand.h"
#include "tcc/op_kinds.h"

int nvptx_run_within(TccElem elem, int run) {
  enum { PIECE_BITS = 128 };
  int bits = (int)tcc_elem_bits(elem), most = bits < 8 ? 1 : PIECE_BITS / bits;
  return run < most ? run : most;
}

TccStatus *nvptx_operand_read(TccIr *ir, MlirOperation kernel, MlirValue value, NvptxOperand *o) {
  TccPullIndex index[TCC_MAX_RANK];
  o->type = tcc_value_type(value);
  tcc_pull_dims_of(ir, o->type, &o->dims);
  o->picked = false, o->scale = o->rest = NULL;
  o->root = tcc_pull_over(&o->pull, ir, kernel, (MlirOperation){NULL}, value, &o->dims, index);
  return o->pull.status;
}

void nvptx_operand_begin(NvptxOperand *o, NvptxKernel *n) { tcc_pull_emit_init(&o->emit, &n->k, &o->pull, 1); }

/* ---- operands that are computed ---- */

int nvptx_operand_stored_bits(const NvptxOperand *o) {
  const TccPullNode *widest = o->root;
  int64_t most = -1, count;
  for (size_t i = 0; i < o->pull.nodes.count && o->root->kind != TCC_PULL_LOAD; i++) {
    const TccPullNode *node = o->pull.nodes.data[i];
    if (node->kind != TCC_PULL_LOAD || node->argument < 0) continue;
    MlirType type = tcc_value_type(mlirBlockGetArgument(tcc_func_body(o->pull.kernel), node->argument));
    if (tcc_expr_is_const(tcc_type_count(o->pull.ir, type), &count) && count > most) most = count, widest = node;
  }
  return (int)tcc_elem_bits(widest->elem);
}

/* Elements along a dim that a thread may take: those of the largest tensor in one access of 16 bytes at most, wider ones beside them in two. */
static int run_along(const NvptxOperand *o, int dim) {
  enum { PIECE_BITS = 128 };
  int run = NVPTX_MOST_COMPUTED_RUN, stored = nvptx_operand_stored_bits(o);
  for (size_t i = 0; i < o->pull.nodes.count; i++) {
    const TccPullNode *node = o->pull.nodes.data[i];
    int bits = (int)tcc_elem_bits(node->elem);
    bool read = node->kind == TCC_PULL_LOAD && tcc_pull_index_moves(&node->index, dim);
    while (read && run > 1 && run * bits > (bits > stored ? 2 : 1) * PIECE_BITS) run /= 2;
  }
  while (run > 1 && !tcc_pull_has_runs(&o->pull, NULL, dim, run, true)) run /= 2;
  return run;
}

int nvptx_operand_inner_axis(TccIr *ir, const NvptxOperand *o) {
  int inner = tcc_type_rank(o->type) - 1;
  bool load = o->root->kind == TCC_PULL_LOAD;
  for (int d = 0; d < o->dims.count; d++)
    if (load ? o->root->index.coef[d] == tcc_expr_const(ir->exprs, 1) : run_along(o, d) > 1) inner = o->dims.axis[d];
  return inner;
}

/* The last dim of an axis. */
static int last_dim_of(const NvptxOperand *o, int axis) {
  int found = -1;
  for (int d = 0; d < o->dims.count; d++)
    if (o->dims.axis[d] == axis) found = d;
  return found;
}

int nvptx_operand_run(const NvptxOperand *o, const int *axes, int n) {
  int d = n ? last_dim_of(o, axes[n - 1]) : -1;
  return d < 0 || o->root->kind == TCC_PULL_LOAD ? 1 : run_along(o, d);
}

static bool is_product(const NvptxOperand *o, const TccPullNode *node) {
  return node->kind == TCC_PULL_OP && node->elem == TCC_ELEM_F32 && !mlirOperationIsNull(node->op) &&
         tcc_op_kind(o->pull.ir, node->op) == TCC_OP_MUL;
}

static bool moves_along(const NvptxOperand *o, const TccPullNode *node, const int *axes, int n) {
  bool any = false;
  for (int d = 0; d < o->dims.count; d++)
    for (int a = 0; a < n; a++) any = any || (o->dims.axis[d] == axes[a] && tcc_pull_moves(node, d));
  return any;
}

void nvptx_operand_find_scale(NvptxOperand *o, const int *axes, int n) {
  const TccPullNode *node = tcc_pull_before_rounding(o->pull.ir, o->root);
  for (int i = 0; is_product(o, node) && i < 2 && !o->scale; i++)
    if (!moves_along(o, node->child[i], axes, n)) o->scale = node->child[i], o->rest = node->child[1 - i];
}

TccStatus *nvptx_operand_scale_at(NvptxOperand *o, const TccVal *index, TccVal *out) {
  tcc_pull_emit_reset(&o->emit);
  nvptx_operand_place(o, index);
  return tcc_pull_emit_node(&o->emit, o->scale, out);
}

/* Of a product in f32 the factor that is the same along a dim, and the other one; NULL: it is no such product. */
static const TccPullNode *factor_along(const NvptxOperand *o, const TccPullNode *node, int dim, const TccPullNode **other) {
  for (int i = 0; is_product(o, node) && i < 2; i++) {
    *other = node->child[1 - i];
    if (!tcc_pull_moves(node->child[i], dim) && tcc_pull_moves(*other, dim)) return node->child[i];
  }
  return NULL;
}

TccStatus *nvptx_operand_run_at(NvptxOperand *o, const TccVal *index, int axis, const NvptxRun *run, TccVal *out, TccVal *factor) {
  TccPullEmit *e = &o->emit;
  int d = last_dim_of(o, axis);
  const TccPullNode *node = run->to == TCC_ELEM_F32 ? tcc_pull_before_rounding(o->pull.ir, o->root) : o->root;
  if (run->unscaled && o->scale) node = o->rest;
  const TccPullNode *other = node, *common = factor ? factor_along(o, node, d, &other) : NULL;
  nvptx_operand_place(o, index);
  tcc_pull_emit_reset(e);
  e->run_dim = d, e->runs = run->length;
  if (factor) *factor = 0;
  if (common) TCC_TRY(tcc_pull_emit_node(e, common, factor));
  if (common) node = other;
  for (int i = 0; i < run->count; i++) {
    e->moved[d] = run->begin + i, e->run = e->moved[d] ? 0 : run->length;
    if (i) tcc_pull_emit_reset(e);
    TCC_TRY(tcc_pull_emit_node(e, node, &out[i]));
    out[i] = tcc_scalar_convert(e->k->e, node->elem, run->to, 1, out[i]);
  }
  e->moved[d] = 0, e->run = e->runs = 0;
  return NULL;
}

/* ---- matrices that an index picks ---- */

static bool index_is_of(const NvptxOperand *o, const TccPullIndex *index, const bool *listed);

/* Whether a value depends on the listed dims alone. */
static bool is_of(const NvptxOperand *o, const TccPullNode *node, const bool *listed) {
  for (int i = 0; i < node->nchildren; i++)
    if (!is_of(o, node->child[i], listed)) return false;
  for (int i = 0; i < node->nbounds; i++)
    if (!index_is_of(o, &node->bound[i].index, listed)) return false;
  return (node->kind != TCC_PULL_LOAD && node->kind != TCC_PULL_INDEX) || index_is_of(o, &node->index, listed);
}

static bool index_is_of(const NvptxOperand *o, const TccPullIndex *index, const bool *listed) {
  for (int d = 0; d < o->dims.count; d++)
    if (!listed[d] && index->coef[d]) return false;
  for (int i = 0; i < index->nterms; i++)
    if (!is_of(o, index->term[i].node, listed)) return false;
  return true;
}

void nvptx_operand_set_picked(NvptxOperand *o, const int *axes, int n) {
  bool listed[TCC_PULL_DIMS] = {false};
  if (o->root->kind != TCC_PULL_LOAD || o->root->argument < 0 || !o->root->index.nterms) return;
  for (int d = 0; d < o->dims.count; d++)
    for (int a = 0; a < n; a++) listed[d] |= o->dims.axis[d] == axes[a];
  o->picked = true;
  for (int i = 0; i < o->root->index.nterms; i++) o->picked = o->picked && is_of(o, o->root->index.term[i].node, listed);
}

TccStatus *nvptx_operand_pick(NvptxOperand *o) {
  TccEmit *t = o->emit.k->e;
  tcc_pull_emit_reset(&o->emit);
  o->distance = tcc_emit_i64(t, 0);
  for (int i = 0; i < o->root->index.nterms; i++) {
    TccPullNode *node = o->root->index.term[i].node;
    TccVal v, scale = tcc_kernel_size(o->emit.k, o->root->index.term[i].scale);
    TCC_TRY(tcc_pull_emit_node(&o->emit, node, &v));
    o->distance = tcc_emit_add(t, o->distance, tcc_emit_mul(t, tcc_scalar_convert(t, node->elem, TCC_ELEM_I64, 1, v), scale));
  }
  return NULL;
}

TccVal nvptx_operand_element(NvptxOperand *o) {
  TccVal base, step;
  tcc_pull_emit_affine(&o->emit, &o->root->index, &base, &step);
  return o->picked ? tcc_emit_add(o->emit.k->e, o->distance, base) : base;
}

/* Whether every other dim than those listed, and the offset, moves by a multiple of `multiple` elements. */
static bool others_are_aligned(const NvptxOperand *o, const bool *listed, int64_t multiple) {
  const TccPullIndex *index = &o->root->index;
  if (tcc_expr_multiple_of(index->offset) % multiple) return false;
  for (int d = 0; d < o->dims.count; d++)
    if (!listed[d] && index->coef[d] && tcc_expr_multiple_of(index->coef[d]) % multiple) return false;
  for (int i = 0; i < index->nterms; i++)
    if (tcc_expr_multiple_of(index->term[i].scale) % multiple) return false;
  return true;
}

bool nvptx_operand_follows(const NvptxOperand *o, TccElem elem, const int *axes, int n, int64_t multiple) {
  const TccPullIndex *index = &o->root->index;
  bool listed[TCC_PULL_DIMS] = {false};
  TccExprPool *exprs = o->pull.ir->exprs;
  const TccExpr *next = tcc_expr_const(exprs, 1);
  if (o->root->kind != TCC_PULL_LOAD || o->root->argument < 0 || o->root->elem != elem || (index->nterms && !o->picked))
    return false;
  for (int a = n; a-- > 0;)
    for (int d = o->dims.count; d-- > 0;) {
      if (o->dims.axis[d] != axes[a]) continue;
      listed[d] = true;
      if (o->dims.size[d] == tcc_expr_const(exprs, 1)) continue;
      if (index->coef[d] != next) return false;
      next = tcc_expr_mul(exprs, next, o->dims.size[d]);
    }
  return others_are_aligned(o, listed, multiple);
}

bool nvptx_operand_is_pieces(const NvptxOperand *o, TccElem elem, const int *axes, int n) {
  return nvptx_operand_follows(o, elem, axes, n, 16 * 8 / tcc_elem_bits(elem));
}

bool nvptx_operand_has_stride(const NvptxOperand *o, const int *axes, int n, const TccExpr **out) {
  TccExprPool *exprs = o->pull.ir->exprs;
  const TccExpr *next = NULL;
  *out = NULL;
  for (int a = n; a-- > 0;)
    for (int d = o->dims.count; d-- > 0;) {
      if (o->dims.axis[d] != axes[a] || o->dims.size[d] == tcc_expr_const(exprs, 1)) continue;
      const TccExpr *coef = o->root->index.coef[d];
      if (!coef || (next && coef != next)) return false;
      if (!*out) *out = coef;
      next = tcc_expr_mul(exprs, coef, o->dims.size[d]);
    }
  return *out != NULL;
}

void nvptx_operand_place(NvptxOperand *o, const TccVal *index) {
  for (int axis = 0; axis < tcc_type_rank(o->type); axis++) nvptx_set_axis(&o->emit, &o->dims, axis, index[axis]);
}

TccStatus *nvptx_operand_at(NvptxOperand *o, const TccVal *index, TccElem to, TccVal *out) {
  tcc_pull_emit_reset(&o->emit);
  nvptx_operand_place(o, index);
  TCC_TRY(tcc_pull_emit_node(&o->emit, o->root, out));
  *out = tcc_scalar_convert(o->emit.k->e, o->root->elem, to, 1, *out);
  return NULL;
}

TccStatus *nvptx_operand_inside(NvptxOperand *o, TccVal inside, const TccVal *index, TccElem to, TccVal *out) {
  TccEmit *t = o->emit.k->e;
  const char *type = tcc_scalar_type(to);
  TccIf branch;
  TccVal zero = tcc_emit_zero(t, type), v;
  if (!inside) return nvptx_operand_at(o, index, to, out);
  tcc_emit_if(t, &branch, inside, 1, &type);
  TCC_TRY(nvptx_operand_at(o, index, to, &v));
  tcc_emit_else(t, &branch, &v);
  tcc_emit_end_if(t, &branch, &zero);
  *out = branch.out[0];
  return NULL;
}

TccStatus *nvptx_result_read(TccIr *ir, MlirOperation kernel, MlirOperation anchor, NvptxResult *r) {
  int results = (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel)));
  if (results != 1) return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results", results);
  return nvptx_result_read_number(ir, kernel, anchor, 0, r);
}

TccStatus *nvptx_result_read_number(TccIr *ir, MlirOperation kernel, MlirOperation anchor, int result, NvptxResult *r) {
  r->type = tcc_value_type(mlirOperationGetResult(anchor, 0));
  TCC_TRY(tcc_epilogue_find(ir, kernel, mlirOperationGetResult(anchor, 0), result, &r->epilogue));
  return tcc_epilogue_pull(ir, &r->epilogue, &r->pulled);
}

TccStatus *nvptx_result_read_dual(TccIr *ir, MlirOperation kernel, MlirOperation first, MlirOperation second, NvptxResult *r) {
  r->type = tcc_value_type(mlirOperationGetResult(first, 0));
  TCC_TRY(tcc_epilogue_find(ir, kernel, mlirOperationGetResult(first, 0), 0, &r->epilogue));
  r->epilogue.second = mlirOperationGetResult(second, 0);
  return tcc_epilogue_pull(ir, &r->epilogue, &r->pulled);
}

void nvptx_result_begin(NvptxResult *r, NvptxKernel *n) { tcc_pull_emit_init(&r->emit, &n->k, &r->pulled.pull, 1); }

void nvptx_result_set_axes(NvptxResult *r, int at, int n, TccVal position) {
  const TccPulledEpilogue *ep = &r->pulled;
  int first = ep->first_step[at], steps = ep->first_step[at + n] - first;
  TccVal parts[TCC_PULL_DIMS];
  nvptx_take_apart(r->emit.k, ep->step + first, steps, position, parts);
  for (int s = 0; s < steps; s++) nvptx_set_axis(&r->emit, &ep->dims, first + s, parts[s]);
}

/* The dim that moves fastest along these axes; -1: there is none. */
static int last_dim(const NvptxResult *r, int at, int n) {
  const TccPulledEpilogue *ep = &r->pulled;
  int found = -1, last = ep->first_step[at + n] - 1;
  for (int d = 0; d < ep->dims.count && last >= ep->first_step[at]; d++)
    if (ep->dims.axis[d] == last) found = d;
  return found;
}

bool nvptx_result_has_runs(const NvptxResult *r, int at, int n, int run) {
  int d = last_dim(r, at, n);
  return d >= 0 && tcc_expr_multiple_of(r->pulled.dims.size[d]) % run == 0;
}

bool nvptx_result_is_inner(const NvptxResult *r, int axis) {
  const TccEpilogue *ep = &r->epilogue;
  int extra = tcc_type_rank(tcc_value_type(ep->root)) - tcc_type_rank(r->type);
  const TccViewAxis *at = &ep->result.axis[extra + axis];
  return at->n && at->stride[at->n - 1] == tcc_expr_const(r->pulled.pull.ir->exprs, 1);
}

/* second: the place behind values[0] where the second anchor's value stands. */
static TccStatus *epilogue_at(NvptxResult *r, TccElem from, const TccVal *values, int second, TccVal *out) {
  const TccPull *pull = &r->pulled.pull;
  TccVal value[2] = {0};
  tcc_pull_emit_reset(&r->emit);
  for (int i = 0; i < (mlirOperationIsNull(pull->second_anchor) ? 1 : 2); i++)
    value[i] = tcc_scalar_convert(r->emit.k->e, from, tcc_type_elem(r->type), 1, values[i * second]);
  for (size_t k = 0; k < pull->nodes.count; k++) {
    const TccPullNode *node = pull->nodes.data[k];
    if (node->kind == TCC_PULL_REDUCED) r->emit.reduced[k] = value[!mlirOperationEqual(node->op, pull->anchor)];
  }
  return tcc_pull_emit_node(&r->emit, r->pulled.root, out);
}

static TccStatus *store_one(NvptxResult *r, TccElem from, const TccVal *values) {
  TccVal v;
  TCC_TRY(epilogue_at(r, from, values, 1, &v));
  return tcc_pull_emit_store(&r->emit, r->epilogue.result.argument, r->pulled.root->elem, &r->pulled.store, v);
}

TccStatus *nvptx_result_store(NvptxResult *r, TccElem from, TccVal value) { return store_one(r, from, &value); }

TccStatus *nvptx_result_store_run(NvptxResult *r, TccElem from, int at, int n, const TccVal *values, int count) {
  TccEmit *t = r->emit.k->e;
  TccVal v[NVPTX_MOST_RUN], first = 0;
  if (count == 1) return store_one(r, from, values);
  int d = r->emit.run_dim = last_dim(r, at, n);
  first = r->emit.iv[d];
  for (int i = 0; i < count; i++) {
    r->emit.iv[d] = tcc_emit_add(t, first, tcc_emit_i64(t, i)), r->emit.run = i ? 0 : count;
    TCC_TRY(epilogue_at(r, from, values + i, count, &v[i]));
  }
  for (int i = 0; i < count; i++) {
    r->emit.iv[d] = tcc_emit_add(t, first, tcc_emit_i64(t, i)), r->emit.run = i ? 0 : count;
    TCC_TRY(tcc_pull_emit_store(&r->emit, r->epilogue.result.argument, r->pulled.root->elem, &r->pulled.store, v[i]));
  }
  r->emit.iv[d] = first, r->emit.run = 0;
  return NULL;
}
