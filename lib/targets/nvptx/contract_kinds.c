/* contract_kinds.c - products of one left operand in one kernel (tcc-group-products): members, and kinds of them.
 *
 * Members of one kind are alike: a block selects the buffers of its own. Kinds differ in their widths or in their epilogues, as queries of 24 heads beside keys and
 * values of 8. What multiplies is the same for all: the result of each member is taken apart into panels as wide as the widths' greatest common divisor, and
 * panels are the outermost axis of the batch, so that each way of a product has them and tiles belong to one member. The columns before a panel are
 * added where the right operand is read and where results are written; the latter is code for each kind, of which a block jumps to its own. */
#include "lib/targets/nvptx/contract_internal.h"
#include "tcc/op_kinds.h"

enum { LEAST_PANEL = 64 /* columns: the narrowest tiles have as many */ };

/* ---- which may stand beside each other ---- */

static bool is_plain(const NvptxOperand *o) {
  TccElem elem = o->root->elem;
  bool taken = elem == TCC_ELEM_F32 || elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16 || elem == TCC_ELEM_I8 || elem == TCC_ELEM_U8;
  return taken && o->root->kind == TCC_PULL_LOAD && o->root->argument >= 0 && !o->root->index.nterms;
}

static bool have_tensors_alike(const NvptxTensor *a, const NvptxTensor *b) {
  bool alike = a->map.rank == b->map.rank && a->nbatch == b->nbatch;
  for (int i = 0; alike && i < a->nbatch; i++) alike = a->batch[i] == b->batch[i] && a->moves[i] == b->moves[i];
  return alike;
}

static bool are_axes(const int *a, int na, const int *b, int nb) { return na == nb && !memcmp(a, b, sizeof *a * (size_t)na); }

static bool are_in_panels(const TccExpr *a, const TccExpr *b) {
  int64_t width[2];
  return a == b || (tcc_expr_is_const(a, &width[0]) && tcc_expr_is_const(b, &width[1]) && width[0] % LEAST_PANEL == 0 &&
                    width[1] % LEAST_PANEL == 0);
}

static bool are_beside(TccIr *ir, const NvptxKind *x, const NvptxProduct *a, const NvptxKind *y, const NvptxProduct *b) {
  const TccDotAxes *p = &x->read.axes, *q = &y->read.axes;
  return tcc_values_are_alike(ir, p->operand[0], q->operand[0]) &&
         are_axes(p->contract[0], p->ncontract, q->contract[0], q->ncontract) &&
         are_axes(p->batch[0], p->nbatch, q->batch[0], q->nbatch) && a->batch == b->batch && a->rows == b->rows &&
         a->depth == b->depth && a->elem == b->elem && a->acc == b->acc && a->exact == b->exact && is_plain(&x->right) &&
         is_plain(&y->right) && x->right.root->elem == y->right.root->elem && a->along_depth[1] == b->along_depth[1] &&
         a->pieces[1] == b->pieces[1] && have_tensors_alike(&a->tensor[1], &b->tensor[1]) && are_in_panels(x->columns, y->columns);
}

bool nvptx_kinds_are_beside(const NvptxContract *a, const NvptxContract *b) {
  return are_beside(a->ir, a->kind[0], &a->product, b->kind[0], &b->product);
}

/* ---- reading ---- */

/* The product that a value is made of; null: there is none. */
static MlirOperation product_of(TccIr *ir, MlirValue v) {
  if (mlirValueIsABlockArgument(v)) return (MlirOperation){NULL};
  MlirOperation op = tcc_value_op(v), found = {NULL};
  if (tcc_op_kind(ir, op) == TCC_OP_DOT_GENERAL) return op;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && mlirOperationIsNull(found); i++)
    found = product_of(ir, mlirOperationGetOperand(op, i));
  return found;
}

/* Whether the axes of an element's index in the right operand, one of columns and one of the depth, have the same strides in both. */
static bool lie_alike(const NvptxKind *x, const NvptxKind *y) {
  const NvptxOperand *a = &x->right, *b = &y->right;
  bool alike = a->dims.count == 2 && b->dims.count == 2 && tcc_type_rank(a->type) == 2 && tcc_type_rank(b->type) == 2 &&
               a->root->index.offset == b->root->index.offset && x->read.axes.free[1][0] == y->read.axes.free[1][0];
  for (int d = 0; alike && d < 2; d++)
    alike = a->dims.axis[d] == b->dims.axis[d] && a->root->index.coef[d] == b->root->index.coef[d];
  return alike;
}

static TccStatus *read_kind(NvptxContract *c, int first) {
  NvptxKind *kind = TCC_NEW(c->ir->arena, NvptxKind);
  NvptxProduct product = {0};
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(c->kernel));
  kind->first = first, kind->read = c->kind[0]->read;
  kind->read.dot = product_of(c->ir, mlirOperationGetOperand(end, first));
  if (mlirOperationIsNull(kind->read.dot) || !tcc_dot_axes(c->ir, kind->read.dot, &kind->read.axes))
    return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results, of which number %d is no product", c->members.count, first);
  TCC_TRY(nvptx_kind_read(c, kind, &product));
  if (!are_beside(c->ir, c->kind[0], &c->product, kind, &product))
    return TCC_ERROR(TCC_UNSUPPORTED, "%d products in one kernel that differ in more than their columns and what follows",
                     c->members.count);
  c->product.runs = c->product.runs && product.runs;
  c->even = c->even && lie_alike(c->kind[0], kind);
  c->kind[c->nkinds++] = kind;
  return NULL;
}

static const NvptxKind *kind_of(const NvptxContract *c, int member) {
  int k = 0;
  while (c->kind[k]->first != c->members.like[member]) k++;
  return c->kind[k];
}

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

/* Gives how many panels there are, and their width. */
static int64_t place_panels(NvptxContract *c) {
  int64_t panel = 0, width, panels = 0;
  bool differ = false;
  for (int k = 1; k < c->nkinds; k++) differ = differ || c->kind[k]->columns != c->product.columns;
  if (!differ) return c->members.count;
  for (int k = 0; k < c->nkinds; k++)
    if (tcc_expr_is_const(c->kind[k]->columns, &width)) panel = common_divisor(panel, width);
  for (int m = 0; m < c->members.count; m++) {
    c->before[m] = panels;
    if (tcc_expr_is_const(kind_of(c, m)->columns, &width)) panels += width / panel;
  }
  c->panels = true, c->product.columns = tcc_expr_const(c->ir->exprs, panel);
  return panels;
}

static bool share_left(const NvptxContract *c) {
  const TccPullNode *root = c->left.root;
  if (root->kind != TCC_PULL_LOAD || root->argument < 0) return false;
  for (int m = 0; m < c->members.count; m++)
    if (c->members.peer[m][root->argument] != root->argument) return false;
  return true;
}

static void choose_member(void *user, TccVal panel);
static TccVal right_column(void *user, TccVal at);

TccStatus *nvptx_kinds_read(NvptxContract *c) {
  const TccIndexCheck *checks;
  TccIr *ir = c->ir;
  NvptxProduct *p = &c->product;
  c->even = true;
  p->members = c->members.count, p->in_member = p->batch;
  if (p->members == 1) return NULL;
  for (int m = 1; m < c->members.count; m++)
    if (c->members.like[m] == m) TCC_TRY(read_kind(c, m));
  if (!share_left(c))
    return TCC_ERROR(TCC_UNSUPPORTED, "%d products in one kernel whose left operand is not one and the same", p->members);
  if (tcc_index_checks(ir, c->kernel, &checks) > 0)
    return TCC_ERROR(TCC_UNSUPPORTED, "%d products in one kernel that checks indices", p->members);
  for (int k = 0; k < c->nkinds; k++) c->kind[k]->chosen = TCC_NEW_ARRAY(ir->arena, TccVal, c->members.buffers);
  p->members = (int)place_panels(c);
  p->choose_member = choose_member;
  if (c->panels) p->right_column = right_column;
  if (!c->even && p->elem == TCC_ELEM_F32) p->tensor[1].map.rank = 0; /* product_split.c has one stride for all */
  p->batch = tcc_expr_mul(ir->exprs, tcc_expr_const(ir->exprs, p->members), p->batch);
  return NULL;
}

void nvptx_kinds_maps(const NvptxContract *c, TccTensorMap *maps, int *nmaps) {
  for (int m = 1; m < c->members.count && *nmaps; m++) {
    const NvptxKind *kind = kind_of(c, m);
    TccTensorMap map = kind == c->kind[0] ? maps[1] : nvptx_tensor_boxes(&kind->tensor, (int)maps[1].box[1]);
    map.buffer = c->members.peer[m][map.buffer];
    maps[(*nmaps)++] = map;
  }
}

/* ---- choosing ---- */

/* values[member] without a jump, of the members that are like `first`; first < 0: of all. */
static TccVal value_of(NvptxContract *c, int first, TccVal member, const char *type, const TccVal *values) {
  TccEmit *t = &c->n.e;
  int begin = first < 0 ? 0 : first;
  TccVal v = values[begin];
  for (int m = begin + 1; m < c->members.count; m++)
    if (first < 0 || c->members.like[m] == first)
      v = tcc_emit_select1(t, type, tcc_emit_icmp(t, "eq", "i64", member, tcc_emit_i64(t, m)), values[m], v);
  return v;
}

static void choose_buffers(NvptxContract *c, const NvptxKind *kind, TccVal member) {
  const TccMembers *members = &c->members;
  TccVal own[TCC_MOST_MEMBERS] = {0};
  for (int b = 0; b < members->buffers; b++) {
    if (members->peer[kind->first][b] < 0 || tcc_members_share(members, kind->first, b)) continue;
    for (int m = 0; m < members->count; m++)
      if (members->like[m] == kind->first) own[m] = c->n.k.first_argument + members->peer[m][b];
    kind->chosen[b] = value_of(c, kind->first, member, TCC_PTR, own);
  }
}

/* The member that a panel is of; sets the columns before the panel. */
static TccVal member_of(NvptxContract *c, TccVal panel) {
  TccEmit *t = &c->n.e;
  int64_t width = 0;
  TccVal member = tcc_emit_i64(t, 0), before = member;
  if (!c->panels) return panel;
  tcc_expr_is_const(c->product.columns, &width);
  for (int m = 1; m < c->members.count; m++) {
    TccVal begin = tcc_emit_i64(t, c->before[m]), behind = tcc_emit_icmp(t, "sge", "i64", panel, begin);
    member = tcc_emit_select1(t, "i64", behind, tcc_emit_i64(t, m), member);
    before = tcc_emit_select1(t, "i64", behind, begin, before);
  }
  c->shift = tcc_emit_mul(t, tcc_emit_sub(t, panel, before), tcc_emit_i64(t, width));
  return member;
}

static void choose_kind(NvptxContract *c, TccVal member) {
  TccEmit *t = &c->n.e;
  TccVal right[TCC_MOST_MEMBERS], number[TCC_MOST_MEMBERS];
  for (int m = 0; m < c->members.count; m++) {
    const NvptxKind *kind = kind_of(c, m);
    int k = 0;
    while (c->kind[k] != kind) k++;
    right[m] = c->n.k.first_argument + c->members.peer[m][kind->right.root->argument];
    number[m] = tcc_emit_i64(t, k);
  }
  c->kind_of = value_of(c, -1, member, "i64", number), c->right_at = value_of(c, -1, member, TCC_PTR, right);
}

static void choose_member(void *user, TccVal panel) {
  NvptxContract *c = user;
  TccVal member = member_of(c, panel);
  for (int k = 0; k < c->nkinds; k++) choose_buffers(c, c->kind[k], member);
  if (c->nkinds > 1) choose_kind(c, member);
  c->n.k.chosen = c->kind[0]->chosen;
  if (c->n.nmaps) c->n.map[1] = value_of(c, -1, member, TCC_PTR, c->right);
}

static TccVal right_column(void *user, TccVal at) {
  NvptxContract *c = user;
  return tcc_emit_add(&c->n.e, at, c->shift);
}

TccVal nvptx_kinds_address(NvptxContract *c, void (*place)(NvptxContract *c, NvptxKind *kind, TccVal batch, TccVal at, TccVal k),
                           TccVal batch, TccVal at, TccVal k) {
  TccEmit *t = &c->n.e;
  TccVal element = 0;
  for (int i = 0; i < (c->even ? 1 : c->nkinds); i++) {
    place(c, c->kind[i], batch, at, k);
    TccVal own = nvptx_operand_element(&c->kind[i]->right);
    element = i ? tcc_emit_select1(t, "i64", tcc_emit_icmp(t, "eq", "i64", c->kind_of, tcc_emit_i64(t, i)), own, element) : own;
  }
  return tcc_emit_gep(t, tcc_scalar_memory_type(c->kind[0]->right.root->elem), c->right_at, element);
}
