/* contract.c - matrix products: dot_general with any views of its operands and any epilogue.
 *
 * A kernel may have several of them, all with one left operand (tcc-group-products): they are entries of a batch whose right operand, result, and what
 * its epilogue reads, are buffers of their own (contract_kinds.c). A block finds out which ones when it knows its tile; in what is written before it stands
 * member 0. Matrices that an index picks (a gather along the batch) are memory like others once a block has read the index of its tile.
 *
 * A dual product (tcc-dual-products) is one whose right operand is two that take turns: which of them a column is of decides whose buffers are read. */
#include "lib/targets/nvptx/contract_internal.h"
#include "lib/targets/nvptx/product_ring.h"

typedef NvptxContract Contract;
_Static_assert((int)NVPTX_MAX_MAPS > (int)TCC_MOST_MEMBERS, "a map of the left operand, one of each right one");

static NvptxOperand *operand(Contract *c, int side) { return side ? &c->kind[0]->right : &c->left; }

/* The listed axes of an operand, by a position among them. */
static void put_axes(Contract *c, MlirType type, const int *axes, int n, TccVal position, TccVal *index) {
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  TccVal parts[TCC_MAX_RANK];
  for (int i = 0; i < n; i++) sizes[i] = tcc_type_dim(c->ir, type, axes[i]);
  nvptx_take_apart(&c->n.k, sizes, n, position, parts);
  for (int i = 0; i < n; i++) index[axes[i]] = parts[i];
}

static void put_indices(Contract *c, const NvptxKind *kind, int side, TccVal batch, TccVal at, TccVal k, TccVal *index) {
  const TccDotAxes *axes = &kind->read.axes;
  MlirType type = side ? kind->right.type : c->left.type;
  put_axes(c, type, axes->batch[side], axes->nbatch, batch, index);
  put_axes(c, type, axes->free[side], axes->nfree[side], at, index);
  put_axes(c, type, axes->contract[side], axes->ncontract, k, index);
}

static void place_right(Contract *c, NvptxKind *kind, TccVal batch, TccVal at, TccVal k) {
  TccVal index[TCC_MAX_RANK] = {0};
  put_indices(c, kind, 1, batch, at, k, index);
  nvptx_operand_place(&kind->right, index);
}

/* Of a dual product: buffers from here on are those of one right operand. */
static void choose_right(void *user, TccVal second) {
  Contract *c = user;
  TccEmit *t = &c->n.e;
  c->right_is_chosen = second != 0;
  c->n.k.chosen = NULL;
  if (!second) return;
  TccVal *chosen = c->kind[0]->chosen;
  for (int b = 0; b < c->members.buffers; b++) chosen[b] = 0;
  for (int b = 0; b < (int)mlirBlockGetNumArguments(tcc_func_body(c->kernel)); b++)
    if (c->second[b] >= 0 && c->second[b] != b)
      chosen[b] = tcc_emit_select1(t, TCC_PTR, second, c->n.k.first_argument + c->second[b], c->n.k.first_argument + b);
}

/* Before an operand is read; gives the column in the right operand that column `at` of the product is of. */
static TccVal begin_right(Contract *c, int side, TccVal at) {
  TccEmit *t = &c->n.e;
  if (side && c->panels) return tcc_emit_add(t, at, c->shift);
  if (!c->product.dual || side == 0) return at;
  if (!c->right_is_chosen) {
    TccVal second = nvptx_dual_column(&c->n, &c->product, at, &at);
    choose_right(c, tcc_emit_icmp(t, "ne", "i64", second, tcc_emit_i64(t, 0)));
    c->right_is_chosen = false;
  }
  c->n.k.chosen = c->kind[0]->chosen;
  return at;
}

/* And behind that: the left operand and what the epilogue reads have buffers of their own. */
static void end_right(Contract *c) {
  if (c->product.dual) c->n.k.chosen = NULL;
}

static TccStatus *read_element(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out) {
  Contract *c = user;
  TccEmit *t = &c->n.e;
  TccVal index[TCC_MAX_RANK] = {0};
  at = begin_right(c, side, at);
  if (side && c->nkinds > 1) {
    TccElem elem = c->kind[0]->right.root->elem;
    TccVal v = tcc_emit_load(t, tcc_scalar_memory_type(elem), nvptx_kinds_address(c, place_right, batch, at, k));
    *out = tcc_scalar_convert(t, elem, c->product.of[side], 1, v);
    return NULL;
  }
  put_indices(c, c->kind[0], side, batch, at, k, index);
  TccStatus *status = nvptx_operand_at(operand(c, side), index, c->product.of[side], out);
  end_right(c);
  return status;
}

/* The axes along which an operand's runs and pieces lie. */
static const int *moving_axes(const TccDotAxes *axes, bool along_depth, int side, int *n) {
  *n = along_depth ? axes->ncontract : axes->nfree[side];
  return along_depth ? axes->contract[side] : axes->free[side];
}

static TccStatus *read_run(void *user, int side, TccVal batch, TccVal at, TccVal k, const NvptxRun *run, TccVal *out,
                           TccVal *factor) {
  Contract *c = user;
  TccVal index[TCC_MAX_RANK] = {0};
  int n;
  const int *axes = moving_axes(&c->kind[0]->read.axes, c->product.along_depth[side], side, &n);
  at = begin_right(c, side, at);
  put_indices(c, c->kind[0], side, batch, at, k, index);
  TccStatus *status = nvptx_operand_run_at(operand(c, side), index, axes[n - 1], run, out, factor);
  end_right(c);
  return status;
}

static TccStatus *read_scale(void *user, TccVal batch, TccVal column, TccVal *out) {
  Contract *c = user;
  TccVal index[TCC_MAX_RANK] = {0};
  column = begin_right(c, 1, column);
  put_indices(c, c->kind[0], 1, batch, column, tcc_emit_i64(&c->n.e, 0), index);
  TccStatus *status = nvptx_operand_scale_at(&c->kind[0]->right, index, out);
  end_right(c);
  return status;
}

/* The address of an element of an operand that is plain memory (is_pieces). */
static TccVal element_address(void *user, int side, TccVal batch, TccVal at, TccVal k) {
  Contract *c = user;
  NvptxOperand *o = operand(c, side);
  TccVal index[TCC_MAX_RANK] = {0};
  at = begin_right(c, side, at);
  if (side && c->nkinds > 1) return nvptx_kinds_address(c, place_right, batch, at, k);
  put_indices(c, c->kind[0], side, batch, at, k, index);
  nvptx_operand_place(o, index);
  const char *type = tcc_scalar_memory_type(o->root->elem);
  TccVal address = tcc_emit_gep(&c->n.e, type, tcc_kernel_argument(&c->n.k, o->root->argument), nvptx_operand_element(o));
  end_right(c);
  return address;
}

static TccStatus *write_kind(Contract *c, NvptxKind *kind, TccVal batch, TccVal row, TccVal column, const TccVal *sums, int count) {
  const int nbatch = kind->read.axes.nbatch, *nfree = kind->read.axes.nfree;
  nvptx_result_set_axes(&kind->result, 0, nbatch, batch);
  nvptx_result_set_axes(&kind->result, nbatch, nfree[0], row);
  nvptx_result_set_axes(&kind->result, nbatch + nfree[0], nfree[1], column);
  return nvptx_result_store_run(&kind->result, c->product.acc, nbatch + nfree[0], nfree[1], sums, count);
}

/* All threads of a block take the same way: its tile is of one member. */
static TccStatus *write_results(Contract *c, TccVal batch, TccVal row, TccVal column, const TccVal *sums, int count) {
  TccEmit *t = &c->n.e;
  if (c->panels) column = tcc_emit_add(t, column, c->shift);
  if (c->nkinds == 1) return write_kind(c, c->kind[0], batch, row, column, sums, count);
  for (int k = 0; k < c->nkinds; k++) {
    TccIf own;
    tcc_emit_if(t, &own, tcc_emit_icmp(t, "eq", "i64", c->kind_of, tcc_emit_i64(t, k)), 0, NULL);
    c->n.k.chosen = c->kind[k]->chosen;
    TCC_TRY(write_kind(c, c->kind[k], batch, row, column, sums, count));
    tcc_emit_end_if(t, &own, NULL);
  }
  c->n.k.chosen = c->kind[0]->chosen;
  return NULL;
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

static void put_tensor(Contract *c, const TccDotAxes *axes, int side, const NvptxOperand *o, NvptxProduct *p) {
  bool along = p->along_depth[side];
  NvptxTensorAxes of = {axes->contract[side], axes->free[side],  axes->batch[side],
                        axes->ncontract,      axes->nfree[side], axes->nbatch};
  if (!along)
    of.inner = axes->free[side], of.ninner = axes->nfree[side], of.rows = axes->contract[side], of.nrows = axes->ncontract;
  if (p->pieces[side]) p->tensor[side] = nvptx_tensor_of(c->ir, o, p->of[side], &of);
}

/* ---- matrices that an index picks ---- */

static void choose_entry(void *user, TccVal batch) {
  Contract *c = user;
  const TccDotAxes *axes = &c->kind[0]->read.axes;
  for (int side = 0; side < 2 && !c->status; side++) {
    NvptxOperand *o = operand(c, side);
    TccVal index[TCC_MAX_RANK] = {0};
    if (!c->product.picked[side]) continue;
    put_axes(c, o->type, axes->batch[side], axes->nbatch, batch, index);
    for (int i = 0; i < axes->nbatch; i++) nvptx_set_axis(&o->emit, &o->dims, axes->batch[side][i], index[axes->batch[side][i]]);
    c->status = nvptx_operand_pick(o);
  }
}

/* ---- reading ---- */

static TccStatus *read_dual(Contract *c) {
  const TccIndexCheck *checks;
  NvptxProduct *p = &c->product;
  TccExprPool *exprs = c->ir->exprs;
  p->choose_right = choose_right;
  p->dual = true, p->columns = tcc_expr_mul(exprs, tcc_expr_const(exprs, 2), p->columns);
  c->kind[0]->chosen = TCC_NEW_ARRAY(c->ir->arena, TccVal, c->members.buffers);
  if (tcc_expr_multiple_of(p->columns) % (2 * NVPTX_DUAL_COLUMNS))
    return TCC_ERROR(TCC_UNSUPPORTED, "two products for one result whose columns are no multiple of %d", NVPTX_DUAL_COLUMNS);
  if (p->picked[1] || tcc_index_checks(c->ir, c->kernel, &checks) > 0)
    return TCC_ERROR(TCC_UNSUPPORTED, "two products for one result with indices");
  return NULL;
}

/* The maps behind those of the left operand and the first right one. */
static void add_maps(const Contract *c, TccTensorMap *maps, int *nmaps) {
  if (c->product.dual && *nmaps) {
    maps[2] = maps[1];
    maps[2].buffer = c->second[maps[1].buffer];
    *nmaps = 3;
  }
  nvptx_kinds_maps(c, maps, nmaps);
}

TccStatus *nvptx_kind_read(NvptxContract *c, NvptxKind *kind, NvptxProduct *p) {
  const TccDotAxes *axes = &kind->read.axes;
  TccIr *ir = c->ir;
  NvptxOperand left = {0}, *side[2] = {kind->first ? &left : &c->left, &kind->right};
  if (c->second) TCC_TRY(nvptx_result_read_dual(ir, c->kernel, kind->read.dot, c->second_dot, &kind->result));
  else TCC_TRY(nvptx_result_read_number(ir, c->kernel, kind->read.dot, kind->first, &kind->result));
  for (int i = 0; i < 2; i++) {
    TCC_TRY(nvptx_operand_read(ir, c->kernel, axes->operand[i], side[i]));
    nvptx_operand_set_picked(side[i], axes->batch[i], axes->nbatch);
    p->along_depth[i] = is_among(axes->contract[i], axes->ncontract, nvptx_operand_inner_axis(ir, side[i]));
  }
  TccElem elem = tcc_type_elem(kind->result.type);
  p->acc = tcc_elem_accumulator(elem);
  if (!tcc_elem_computes(p->acc) || p->acc == TCC_ELEM_BOOL)
    return TCC_ERROR(TCC_UNSUPPORTED, "a product of %s", tcc_elem_name(elem));
  MlirType a = side[0]->type, b = side[1]->type;
  p->batch = tcc_axes_count(ir, a, axes->batch[0], axes->nbatch);
  p->rows = tcc_axes_count(ir, a, axes->free[0], axes->nfree[0]);
  p->columns = kind->columns = tcc_axes_count(ir, b, axes->free[1], axes->nfree[1]);
  p->depth = tcc_axes_count(ir, a, axes->contract[0], axes->ncontract);
  nvptx_product_elem(p, c->kernel, tcc_type_elem(a), tcc_type_elem(b));
  for (int i = 0; i < 2; i++) {
    int n;
    const int *moving = moving_axes(axes, p->along_depth[i], i, &n);
    p->pieces[i] = nvptx_operand_is_pieces(side[i], p->of[i], moving, n);
    p->run[i] = nvptx_operand_run(side[i], moving, n);
    p->picked[i] = side[i]->picked && p->pieces[i];
    if (p->picked[i]) p->choose_entry = choose_entry;
    else put_tensor(c, axes, i, side[i], p);
  }
  kind->tensor = p->tensor[1], p->stored_bits = nvptx_operand_stored_bits(&kind->right);
  if (p->run[1] > 1) nvptx_operand_find_scale(&kind->right, axes->contract[1], axes->ncontract);
  p->scaled = kind->right.scale != NULL;
  p->runs = nvptx_result_has_runs(&kind->result, axes->nbatch + axes->nfree[0], axes->nfree[1], NVPTX_PRODUCT_RUN);
  return NULL;
}

static TccStatus *read_kernel(Contract *c, TccIr *ir, MlirOperation kernel) {
  NvptxKind *first = c->kind[0] = TCC_NEW(ir->arena, NvptxKind);
  NvptxProduct *p = &c->product;
  int results = (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel)));
  c->ir = ir, c->kernel = kernel, c->nkinds = 1;
  TCC_TRY(tcc_contraction_find(ir, kernel, &first->read));
  if (results == 1) TCC_TRY(tcc_dual_read(ir, kernel, first->read.dot, &c->second_dot, &c->second));
  TCC_TRY(nvptx_kind_read(c, first, p));
  p->address = element_address;
  p->read = read_element, p->read_run = read_run, p->read_scale = read_scale, p->write = write_result, p->write_run = write_run,
  p->user = c;
  TCC_TRY(tcc_members_read(ir, kernel, &c->members));
  TCC_TRY(nvptx_kinds_read(c));
  return c->second ? read_dual(c) : NULL;
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
  nvptx_operand_begin(&c->left, &c->n);
  for (int k = 0; k < c->nkinds; k++) {
    nvptx_operand_begin(&c->kind[k]->right, &c->n);
    nvptx_result_begin(&c->kind[k]->result, &c->n);
  }
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
  MlirOperation unknown;
  int axis;
  if (!tcc_sizes_known(ir, kernel, &unknown, &axis)) return NULL;
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

bool nvptx_contracts_are_beside(TccIr *ir, MlirOperation a, MlirOperation b) {
  const Contract *x = read_product(ir, a), *y = read_product(ir, b);
  return x && y && x->members.count == 1 && y->members.count == 1 && !x->second && !y->second &&
         tcc_numerics(a) == tcc_numerics(b) && nvptx_kinds_are_beside(x, y);
}

bool nvptx_contract_is_turned(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  enum { PIECE = 16 };
  const Contract *c = read_product(ir, kernel);
  if (!c || !nvptx_product_is_bytes(&c->product) || c->product.along_depth[1] || !c->product.pieces[0] ||
      tcc_expr_multiple_of(c->product.depth) % PIECE)
    return false;
  NvptxProduct turned = c->product;
  turned.along_depth[1] = true;
  return nvptx_product_way(&target->machine, &turned) == NVPTX_PRODUCT_WGMMA;
}

/* Rows that are known to be many are faster by tensor maps of what was dequantised once. */
bool nvptx_contract_reads_narrow(const TccTargetInfo *target, TccIr *ir, MlirOperation contraction) {
  const Contract *c = read_product(ir, contraction);
  int64_t rows;
  if (!c || c->product.run[1] < 2 || (tcc_expr_is_const(c->product.rows, &rows) && rows > NVPTX_RING_SMALL)) return false;
  NvptxProductWay way = nvptx_product_way(&target->machine, &c->product);
  return way == NVPTX_PRODUCT_FEW || way == NVPTX_PRODUCT_WGMMA || way == NVPTX_PRODUCT_MMA;
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
