/* contract.c - matrix products: dot_general with any views of its operands and any epilogue.
 *
 * A kernel may have several of them, all with one left operand (tcc-group-products): they are entries of a batch whose right operand, result, and what
 * its epilogue reads, are buffers of their own. A block finds out which ones when it knows its tile; in what is written before it stands member 0. Matrices
 * that an index picks (a gather along the batch) are memory like others once a block has read the index of its tile.
 *
 * A dual product (tcc-dual-products) is one whose right operand is two that take turns: which of them a column is of decides whose buffers are read. */
#include "lib/codegen/read/contract.h"
#include "lib/codegen/read/members.h"
#include "lib/targets/nvptx/operand.h"
#include "lib/targets/nvptx/product_schedule.h"

typedef struct {
  TccContraction read;
  NvptxOperand side[2];
  NvptxResult result;
  NvptxProduct product;
  NvptxKernel n;
  TccMembers members;
  TccVal *chosen; /* of the member, or the right operand of a dual product: TccKernelEmit.chosen */
  int *second;    /* of a dual product: tcc_dual_read */
  bool right_is_chosen;
  TccVal right[TCC_MOST_MEMBERS]; /* tensor maps */
  TccStatus *status;              /* of choose_entry */
} Contract;
_Static_assert((int)NVPTX_MAX_MAPS > (int)TCC_MOST_MEMBERS, "a map of the left operand, one of each right one");

/* The listed axes of an operand, by a position among them. */
static void put_axes(Contract *c, int side, const int *axes, int n, TccVal position, TccVal *index) {
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  TccVal parts[TCC_MAX_RANK];
  for (int i = 0; i < n; i++) sizes[i] = tcc_type_dim(c->read.ir, c->side[side].type, axes[i]);
  nvptx_take_apart(&c->n.k, sizes, n, position, parts);
  for (int i = 0; i < n; i++) index[axes[i]] = parts[i];
}

static void put_indices(Contract *c, int side, TccVal batch, TccVal at, TccVal k, TccVal *index) {
  const TccDotAxes *axes = &c->read.axes;
  put_axes(c, side, axes->batch[side], axes->nbatch, batch, index);
  put_axes(c, side, axes->free[side], axes->nfree[side], at, index);
  put_axes(c, side, axes->contract[side], axes->ncontract, k, index);
}

/* Of a dual product: buffers from here on are those of one right operand. */
static void choose_right(void *user, TccVal second) {
  Contract *c = user;
  TccEmit *t = &c->n.e;
  c->right_is_chosen = second != 0;
  c->n.k.chosen = NULL;
  if (!second) return;
  for (int b = 0; b < c->members.buffers; b++) c->chosen[b] = 0;
  for (int b = 0; b < (int)mlirBlockGetNumArguments(tcc_func_body(c->read.kernel)); b++)
    if (c->second[b] >= 0 && c->second[b] != b)
      c->chosen[b] = tcc_emit_select1(t, TCC_PTR, second, c->n.k.first_argument + c->second[b], c->n.k.first_argument + b);
}

/* Before an operand is read, of a dual product; gives the column in the right operand that column `at` is of. */
static TccVal begin_right(Contract *c, int side, TccVal at) {
  TccEmit *t = &c->n.e;
  if (!c->product.dual || side == 0) return at;
  if (!c->right_is_chosen) {
    TccVal second = nvptx_dual_column(&c->n, &c->product, at, &at);
    choose_right(c, tcc_emit_icmp(t, "ne", "i64", second, tcc_emit_i64(t, 0)));
    c->right_is_chosen = false;
  }
  c->n.k.chosen = c->chosen;
  return at;
}

/* And behind that: the left operand and what the epilogue reads have buffers of their own. */
static void end_right(Contract *c) {
  if (c->product.dual) c->n.k.chosen = NULL;
}

static TccStatus *read_element(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out) {
  Contract *c = user;
  TccVal index[TCC_MAX_RANK] = {0};
  at = begin_right(c, side, at);
  put_indices(c, side, batch, at, k, index);
  TccStatus *status = nvptx_operand_at(&c->side[side], index, c->product.elem, out);
  end_right(c);
  return status;
}

/* The address of an element of an operand that is plain memory (is_pieces). */
static TccVal element_address(void *user, int side, TccVal batch, TccVal at, TccVal k) {
  Contract *c = user;
  NvptxOperand *o = &c->side[side];
  TccVal index[TCC_MAX_RANK] = {0};
  at = begin_right(c, side, at);
  put_indices(c, side, batch, at, k, index);
  nvptx_operand_place(o, index);
  const char *type = tcc_scalar_memory_type(o->root->elem);
  TccVal address = tcc_emit_gep(&c->n.e, type, tcc_kernel_argument(&c->n.k, o->root->argument), nvptx_operand_element(o));
  end_right(c);
  return address;
}

static TccStatus *write_results(Contract *c, TccVal batch, TccVal row, TccVal column, const TccVal *sums, int count) {
  const int nbatch = c->read.axes.nbatch, *nfree = c->read.axes.nfree;
  nvptx_result_set_axes(&c->result, 0, nbatch, batch);
  nvptx_result_set_axes(&c->result, nbatch, nfree[0], row);
  nvptx_result_set_axes(&c->result, nbatch + nfree[0], nfree[1], column);
  return nvptx_result_store_run(&c->result, c->product.acc, nbatch + nfree[0], nfree[1], sums, count);
}

static TccStatus *write_result(void *user, TccVal batch, TccVal row, TccVal column, const TccVal *sum) {
  return write_results(user, batch, row, column, sum, 1);
}

static TccStatus *write_run(void *user, TccVal batch, TccVal row, TccVal column, const TccVal *sums) {
  return write_results(user, batch, row, column, sums, NVPTX_PRODUCT_RUN);
}

static bool is_among(const int *axes, int n, int axis) {
  for (int i = 0; i < n; i++)
    if (axes[i] == axis) return true;
  return false;
}

static void put_tensor(Contract *c, int side) {
  const TccDotAxes *axes = &c->read.axes;
  bool along = c->product.along_depth[side];
  NvptxTensorAxes of = {axes->contract[side], axes->free[side],  axes->batch[side],
                        axes->ncontract,      axes->nfree[side], axes->nbatch};
  if (!along)
    of.inner = axes->free[side], of.ninner = axes->nfree[side], of.rows = axes->contract[side], of.nrows = axes->ncontract;
  if (c->product.pieces[side]) c->product.tensor[side] = nvptx_tensor_of(c->read.ir, &c->side[side], c->product.elem, &of);
}

/* ---- matrices that an index picks ---- */

static void choose_entry(void *user, TccVal batch) {
  Contract *c = user;
  const TccDotAxes *axes = &c->read.axes;
  for (int side = 0; side < 2 && !c->status; side++) {
    TccVal index[TCC_MAX_RANK] = {0};
    if (!c->product.picked[side]) continue;
    put_axes(c, side, axes->batch[side], axes->nbatch, batch, index);
    for (int i = 0; i < axes->nbatch; i++)
      nvptx_set_axis(&c->side[side].emit, &c->side[side].dims, axes->batch[side][i], index[axes->batch[side][i]]);
    c->status = nvptx_operand_pick(&c->side[side]);
  }
}

/* ---- members ---- */

/* values[member] without a jump. */
static TccVal value_of(Contract *c, TccVal member, const TccVal *values) {
  TccEmit *t = &c->n.e;
  TccVal v = values[0];
  for (int m = 1; m < c->members.count; m++)
    v = tcc_emit_select1(t, TCC_PTR, tcc_emit_icmp(t, "eq", "i64", member, tcc_emit_i64(t, m)), values[m], v);
  return v;
}

static void choose_member(void *user, TccVal member) {
  Contract *c = user;
  const TccMembers *members = &c->members;
  TccVal own[TCC_MOST_MEMBERS];
  for (int b = 0; b < members->buffers; b++) {
    if (members->peer[0][b] < 0 || tcc_members_share(members, b)) continue;
    for (int m = 0; m < members->count; m++) own[m] = c->n.k.first_argument + members->peer[m][b];
    c->chosen[b] = value_of(c, member, own);
  }
  c->n.k.chosen = c->chosen;
  if (c->n.nmaps) c->n.map[1] = value_of(c, member, c->right);
}

static TccStatus *read_dual(Contract *c, TccIr *ir, MlirOperation kernel) {
  const TccIndexCheck *checks;
  NvptxProduct *p = &c->product;
  p->choose_right = choose_right;
  p->dual = true, p->columns = tcc_expr_mul(ir->exprs, tcc_expr_const(ir->exprs, 2), p->columns);
  c->chosen = TCC_NEW_ARRAY(ir->arena, TccVal, c->members.buffers);
  if (tcc_expr_multiple_of(p->columns) % (2 * NVPTX_DUAL_COLUMNS))
    return TCC_ERROR(TCC_UNSUPPORTED, "two products for one result whose columns are no multiple of %d", NVPTX_DUAL_COLUMNS);
  if (p->picked[1] || tcc_index_checks(ir, kernel, &checks) > 0)
    return TCC_ERROR(TCC_UNSUPPORTED, "two products for one result with indices");
  return NULL;
}

/* The first dot_general is member 0's: its ops stand in front. */
static TccStatus *read_members(Contract *c, TccIr *ir, MlirOperation kernel) {
  const TccIndexCheck *checks;
  NvptxProduct *p = &c->product;
  TCC_TRY(tcc_members_read(ir, kernel, &c->members));
  p->members = c->members.count, p->in_member = p->batch;
  if (c->second) return read_dual(c, ir, kernel);
  if (p->members == 1) return NULL;
  if (c->side[0].root->kind != TCC_PULL_LOAD || c->side[0].root->argument < 0 ||
      !tcc_members_share(&c->members, c->side[0].root->argument))
    return TCC_ERROR(TCC_UNSUPPORTED, "%d products in one kernel whose left operand is not one and the same", p->members);
  if (tcc_index_checks(ir, kernel, &checks) > 0)
    return TCC_ERROR(TCC_UNSUPPORTED, "%d products in one kernel that checks indices", p->members);
  c->chosen = TCC_NEW_ARRAY(ir->arena, TccVal, c->members.buffers);
  p->choose_member = choose_member;
  p->batch = tcc_expr_mul(ir->exprs, tcc_expr_const(ir->exprs, p->members), p->batch);
  return NULL;
}

/* The maps of members, or of the second right operand, behind those of the first one. */
static void add_maps(Contract *c, TccTensorMap *maps, int *nmaps) {
  if (c->product.dual && *nmaps) {
    maps[2] = maps[1];
    maps[2].buffer = c->second[maps[1].buffer];
    *nmaps = 3;
  }
  for (int m = 1; m < c->members.count && *nmaps; m++) {
    TccTensorMap map = maps[1];
    map.buffer = c->members.peer[m][map.buffer];
    maps[(*nmaps)++] = map;
  }
}

static TccStatus *read_kernel(Contract *c, TccIr *ir, MlirOperation kernel) {
  TCC_TRY(tcc_contraction_find(ir, kernel, &c->read));
  int results = (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel))), *second;
  MlirOperation also = {NULL};
  if (results == 1) TCC_TRY(tcc_dual_read(ir, kernel, c->read.dot, &also, &second));
  if (mlirOperationIsNull(also)) TCC_TRY(nvptx_result_read_number(ir, kernel, c->read.dot, 0, &c->result));
  else TCC_TRY(nvptx_result_read_dual(ir, kernel, c->read.dot, also, &c->result));
  c->second = mlirOperationIsNull(also) ? NULL : second;
  const TccDotAxes *axes = &c->read.axes;
  for (int i = 0; i < 2; i++) {
    TCC_TRY(nvptx_operand_read(ir, kernel, axes->operand[i], &c->side[i]));
    nvptx_operand_set_picked(&c->side[i], axes->batch[i], axes->nbatch);
    c->product.along_depth[i] = is_among(axes->contract[i], axes->ncontract, nvptx_operand_inner_axis(ir, &c->side[i]));
  }
  TccElem elem = tcc_type_elem(c->result.type);
  c->product.acc = tcc_elem_accumulator(elem);
  if (!tcc_elem_computes(c->product.acc) || c->product.acc == TCC_ELEM_BOOL)
    return TCC_ERROR(TCC_UNSUPPORTED, "a product of %s", tcc_elem_name(elem));
  MlirType a = c->side[0].type, b = c->side[1].type;
  c->product.batch = tcc_axes_count(ir, a, axes->batch[0], axes->nbatch);
  c->product.rows = tcc_axes_count(ir, a, axes->free[0], axes->nfree[0]);
  c->product.columns = tcc_axes_count(ir, b, axes->free[1], axes->nfree[1]);
  c->product.depth = tcc_axes_count(ir, a, axes->contract[0], axes->ncontract);
  nvptx_product_elem(&c->product, kernel, tcc_type_elem(a), tcc_type_elem(b));
  for (int i = 0; i < 2; i++) {
    bool k = c->product.along_depth[i];
    c->product.pieces[i] = nvptx_operand_is_pieces(&c->side[i], c->product.elem, k ? axes->contract[i] : axes->free[i],
                                                   k ? axes->ncontract : axes->nfree[i]);
    c->product.picked[i] = c->side[i].picked && c->product.pieces[i];
    if (c->product.picked[i]) c->product.choose_entry = choose_entry;
    else put_tensor(c, i);
  }
  c->product.address = element_address;
  c->product.runs = nvptx_result_has_runs(&c->result, axes->nbatch + axes->nfree[0], axes->nfree[1], NVPTX_PRODUCT_RUN);
  c->product.read = read_element, c->product.write = write_result, c->product.write_run = write_run, c->product.user = c;
  return read_members(c, ir, kernel);
}

TccStatus *nvptx_contract(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Contract *c = TCC_NEW(ir->arena, Contract);
  NvptxProductLaunch launch = {0};
  TCC_TRY(read_kernel(c, ir, kernel));
  TccTensorMap *maps = TCC_NEW_ARRAY(ir->arena, TccTensorMap, NVPTX_MAX_MAPS);
  int nmaps;
  TCC_TRY(nvptx_product_tma_maps(&target->machine, kernel, &c->product, maps, &nmaps));
  add_maps(c, maps, &nmaps);
  const TccExpr *scratch;
  TCC_TRY(nvptx_product_parts(&target->machine, ir, kernel, &c->product, nmaps > 0, &scratch));
  nvptx_open_with(&c->n, ir, target, kernel, maps, nmaps, scratch);
  for (int i = 1; i < nmaps; i++) c->right[i - 1] = c->n.map[i];
  for (int i = 0; i < 2; i++) nvptx_operand_begin(&c->side[i], &c->n);
  nvptx_result_begin(&c->result, &c->n);
  TccStatus *status = nvptx_product_emit(&c->n, &c->product, &launch);
  if (!status) status = c->status;
  else tcc_status_destroy(c->status);
  if (status) {
    nvptx_abandon(&c->n);
    return status;
  }
  return nvptx_close(&c->n, "nvptx.contract", launch.schedule, launch.blocks, launch.threads, launch.shared, out);
}

/* ---- schedules ---- */
/* NULL: it is no product that this target does. */
static Contract *read_product(TccIr *ir, MlirOperation kernel) {
  Contract *c = TCC_NEW(ir->arena, Contract);
  TccStatus *status = read_kernel(c, ir, kernel); /* said when the kernel is emitted */
  bool ok = !status;
  tcc_status_destroy(status);
  return ok ? c : NULL;
}

bool nvptx_contract_is_dual(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  const Contract *c = read_product(ir, kernel);
  if (!c || !c->product.dual) return false;
  NvptxProduct apart = c->product;
  apart.dual = false;
  return !nvptx_product_split_fits(&target->machine, &apart);
}

static NvptxTuned *tuned(TccIr *ir, const TccTargetInfo *target, const Contract *c) {
  NvptxTuned *out = TCC_NEW(ir->arena, NvptxTuned);
  *out = (NvptxTuned){&target->machine, ir, &c->product};
  return out;
}

static void *read_tma(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  const Contract *c = read_product(ir, kernel);
  return c && nvptx_product_tma_fits(&target->machine, &c->product) ? tuned(ir, target, c) : NULL;
}

void *nvptx_contract_read_split(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  Contract *c = read_product(ir, kernel);
  if (!c || !nvptx_product_split_fits(&target->machine, &c->product)) return NULL;
  TccStatus *status = nvptx_product_split_choose(&target->machine, kernel, &c->product);
  bool split = !status && c->product.split;
  tcc_status_destroy(status);
  return split ? tuned(ir, target, c) : NULL;
}

static void *read_ring(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  const Contract *c = read_product(ir, kernel);
  return c && nvptx_product_is_ring(&target->machine, &c->product) ? tuned(ir, target, c) : NULL;
}

static void *read_few(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  const Contract *c = read_product(ir, kernel);
  return c && nvptx_product_way(&target->machine, &c->product) == NVPTX_PRODUCT_FEW ? tuned(ir, target, c) : NULL;
}

const TccTunable nvptx_contract_few = {.kind = TCC_KERNEL_CONTRACT, .read = read_few, NVPTX_FEW_TUNABLE};
const TccTunable nvptx_contract_ring = {.kind = TCC_KERNEL_CONTRACT, .read = read_ring, NVPTX_RING_TUNABLE};
const TccTunable nvptx_contract_tma = {.kind = TCC_KERNEL_CONTRACT, .read = read_tma, NVPTX_TMA_TUNABLE};
