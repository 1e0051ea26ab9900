/* contract.c - matrix products on shared-memory tiles: 64 x 64 results per block of 256 threads, 4 x 4 per thread.
 *
 * Batch, rows, columns and contracted axes are each one linear number, taken apart again where an element is read; so any
 * views, sizes and transpositions of the operands work, and edges are guarded element by element. Steps of 16 along the
 * contracted axes go through two tiles in shared memory. The plain tiled product of the CUDA programming guide; fast ones
 * (tensor cores, bulk copies) are other schedules of this emitter. */
#include "lib/target/nvptx/nvptx.h"

enum { TILE = 64, DEPTH = 16, PER_THREAD = 4, THREADS = 256, SIDE = 16 };

/* One operand: pulled over its own axes; which of batch, free and contracted numbers gives each axis. */
typedef struct {
  TccPull pull;
  TccPullDims dims;
  TccPullNode *root;
  TccPullEmit emit;
  int rank, nfree, ncontract, nbatch;
  int free_axis[TCC_MAX_RANK], contract_axis[TCC_MAX_RANK], batch_axis[TCC_MAX_RANK];
  MlirType type;
} Operand;

typedef struct {
  NvptxKernel n;
  TccIr *ir;
  MlirOperation dot;
  Operand side[2];
  TccPull pull; /* of the kernel's result */
  TccPullDims dims;
  TccPullNode *root;
  TccPullEmit emit;
  TccPullIndex store;
  MlirValue result;
  TccElem acc;
  const TccExpr *batch, *m, *n_size, *k;
  TccVal tile[2]; /* shared memory */
} Contract;

static bool contains(const int64_t *list, size_t n, int64_t x) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == x) return true;
  return false;
}

static const TccExpr *product(TccIr *ir, MlirType type, const int *axes, int n) {
  const TccExpr *p = tcc_expr_const(ir->exprs, 1);
  for (int i = 0; i < n; i++) p = tcc_expr_mul(ir->exprs, p, tcc_type_dim(ir, type, axes[i]));
  return p;
}

static TccStatus *pull_until_settled(TccIr *ir, MlirOperation kernel, MlirOperation anchor, MlirValue value, TccPull *p,
                                     TccPullDims *dims, TccPullNode **root, TccPullIndex *store) {
  MlirType type = tcc_value_type(value);
  TccPullIndex index[TCC_MAX_RANK];
  tcc_pull_dims_of(ir, type, dims);
  for (;;) {
    tcc_pull_init(p, ir, kernel);
    p->anchor = anchor;
    tcc_pull_use_dims(p, dims, tcc_type_rank(type), index);
    *root = tcc_pull_value(p, value, index);
    if (p->status) return p->status;
    if (*root) break;
    tcc_pull_dims_split(dims, p);
  }
  if (store) *store = tcc_pull_flat(p, type, index);
  return NULL;
}

static TccStatus *read_operand(Contract *c, MlirOperation kernel, int which) {
  static const char *const names[2][2] = {{"lhs_batch", "lhs_contract"}, {"rhs_batch", "rhs_contract"}};
  Operand *o = &c->side[which];
  const int64_t *batch, *contract;
  size_t nbatch, ncontract;
  MlirValue value = mlirOperationGetOperand(c->dot, which);
  o->type = tcc_value_type(value);
  o->rank = tcc_type_rank(o->type);
  if (!tcc_get_ints(c->ir, c->dot, names[which][0], &batch, &nbatch) ||
      !tcc_get_ints(c->ir, c->dot, names[which][1], &contract, &ncontract))
    return TCC_ERROR(TCC_UNSUPPORTED, "a dot_general without axes");
  for (size_t i = 0; i < nbatch; i++) o->batch_axis[o->nbatch++] = (int)batch[i];
  for (size_t i = 0; i < ncontract; i++) o->contract_axis[o->ncontract++] = (int)contract[i];
  for (int a = 0; a < o->rank; a++)
    if (!contains(batch, nbatch, a) && !contains(contract, ncontract, a)) o->free_axis[o->nfree++] = a;
  return pull_until_settled(c->ir, kernel, (MlirOperation){NULL}, value, &o->pull, &o->dims, &o->root, NULL);
}

static void set_axes(Contract *c, Operand *o, const int *axes, int n, TccVal v) {
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  TccVal parts[TCC_MAX_RANK];
  for (int i = 0; i < n; i++) sizes[i] = tcc_type_dim(c->ir, o->type, axes[i]);
  nvptx_take_apart(&c->n.k, sizes, n, v, parts);
  for (int i = 0; i < n; i++) nvptx_set_axis(&o->emit, &o->dims, axes[i], parts[i]);
}

/* ---- shared memory ---- */

static TccVal shared_tile(Contract *c, const char *name) {
  return tcc_emit_op(&c->n.e, "llvm.mlir.addressof @%s : !llvm.ptr<3>", name);
}

static TccVal shared_address(Contract *c, TccVal base, TccVal index) {
  return tcc_emit_op(&c->n.e, "llvm.getelementptr %%%d[%%%d] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, %s", base, index,
                     tcc_scalar_type(c->acc));
}

static void barrier(Contract *c) {
  TccVal zero = tcc_emit_int(&c->n.e, "i32", 0);
  tcc_emit_put(&c->n.e, "llvm.call_intrinsic \"llvm.nvvm.barrier.cta.sync.aligned.all\"(%%%d) : (i32) -> ()\n", zero);
}

/* Fills one operand's tile: element (row, depth) of this step, zero outside. */
static TccStatus *fill_tile(Contract *c, int which, TccVal batch, TccVal first, const TccExpr *limit, TccVal k0) {
  TccEmit *t = &c->n.e;
  Operand *o = &c->side[which];
  const char *type = tcc_scalar_type(c->acc);
  for (int i = 0; i < TILE * DEPTH / THREADS; i++) {
    TccVal at = tcc_emit_add(t, c->n.thread, tcc_emit_i64(t, i * THREADS)), side = tcc_emit_i64(t, TILE);
    TccVal row = tcc_emit_add(t, first, tcc_emit_rem(t, at, side)), k = tcc_emit_add(t, k0, tcc_emit_div(t, at, side));
    TccVal inside = tcc_emit_bin(t, "and", "i1", tcc_emit_icmp(t, "slt", "i64", row, tcc_kernel_size(&c->n.k, limit)),
                                 tcc_emit_icmp(t, "slt", "i64", k, tcc_kernel_size(&c->n.k, c->k)));
    TccVal zero = tcc_emit_zero(t, type), v;
    TccIf branch;
    tcc_emit_if(t, &branch, inside, 1, &type);
    tcc_pull_emit_reset(&o->emit);
    set_axes(c, o, o->batch_axis, o->nbatch, batch);
    set_axes(c, o, o->free_axis, o->nfree, row);
    set_axes(c, o, o->contract_axis, o->ncontract, k);
    TCC_TRY(tcc_pull_emit_node(&o->emit, o->root, &v));
    v = tcc_scalar_convert(t, o->root->elem, c->acc, 1, v);
    tcc_emit_else(t, &branch, &v);
    tcc_emit_end_if(t, &branch, &zero);
    tcc_emit_put(t, "llvm.store %%%d, %%%d : %s, !llvm.ptr<3>\n", branch.out[0], shared_address(c, c->tile[which], at), type);
  }
  return NULL;
}

/* ---- results ---- */

static bool reaches(Contract *c, MlirValue value) {
  if (mlirValueEqual(value, mlirOperationGetResult(c->dot, 0))) return true;
  MlirOperation op = tcc_value_op(value);
  if (mlirOperationIsNull(op)) return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (reaches(c, mlirOperationGetOperand(op, i))) return true;
  return false;
}

/* The index of `value` where the product has index `anchor`: forward through what follows the product. */
static TccStatus *forward_index(Contract *c, MlirValue value, const TccVal *anchor, TccVal *out) {
  TccEmit *t = &c->n.e;
  MlirType type = tcc_value_type(value);
  int rank = tcc_type_rank(type);
  if (mlirValueEqual(value, mlirOperationGetResult(c->dot, 0))) {
    memcpy(out, anchor, sizeof *out * (size_t)rank);
    return NULL;
  }
  MlirOperation op = tcc_value_op(value);
  TccOpKind kind = tcc_op_kind(c->ir, op);
  intptr_t which = 0;
  while (!reaches(c, mlirOperationGetOperand(op, which))) which++;
  MlirValue x = mlirOperationGetOperand(op, which);
  MlirType from = tcc_value_type(x);
  int from_rank = tcc_type_rank(from);
  TccVal index[TCC_MAX_RANK];
  TCC_TRY(forward_index(c, x, anchor, index));
  if (kind == TCC_OP_TRANSPOSE) {
    const int64_t *perm;
    size_t n;
    if (!tcc_get_ints(c->ir, op, "perm", &perm, &n)) return TCC_ERROR(TCC_UNSUPPORTED, "transpose without perm");
    for (size_t i = 0; i < n; i++) out[i] = index[perm[i]];
  } else if (kind == TCC_OP_RESHAPE) {
    TccVal flat = tcc_emit_i64(t, 0);
    const TccExpr *sizes[TCC_MAX_RANK] = {0};
    for (int a = 0; a < from_rank; a++)
      flat = tcc_emit_add(t, tcc_emit_mul(t, flat, tcc_kernel_size(&c->n.k, tcc_type_dim(c->ir, from, a))), index[a]);
    for (int a = 0; a < rank; a++) sizes[a] = tcc_type_dim(c->ir, type, a);
    nvptx_take_apart(&c->n.k, sizes, rank, flat, out);
  } else if (tcc_op_has_trait(kind, 'E')) {
    for (int a = 0; a < rank; a++) out[a] = a < rank - from_rank ? tcc_emit_i64(t, 0) : index[a - (rank - from_rank)];
  } else {
    return TCC_ERROR(TCC_UNSUPPORTED, "'%s' after a product", tcc_op_name(kind));
  }
  return NULL;
}

static TccStatus *store_result(Contract *c, TccVal batch, TccVal m, TccVal n, TccVal acc) {
  TccEmit *t = &c->n.e;
  MlirType type = tcc_value_type(mlirOperationGetResult(c->dot, 0));
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  TccVal anchor[TCC_MAX_RANK], index[TCC_MAX_RANK], v;
  int at = 0, counts[3] = {c->side[0].nbatch, c->side[0].nfree, c->side[1].nfree};
  TccVal numbers[3] = {batch, m, n};
  TccIf inside;
  TccVal ok = tcc_emit_bin(t, "and", "i1", tcc_emit_icmp(t, "slt", "i64", m, tcc_kernel_size(&c->n.k, c->m)),
                           tcc_emit_icmp(t, "slt", "i64", n, tcc_kernel_size(&c->n.k, c->n_size)));
  tcc_emit_if(t, &inside, ok, 0, NULL);
  for (int part = 0; part < 3; part++) { /* the product's axes: batch, rows, columns */
    for (int i = 0; i < counts[part]; i++) sizes[i] = tcc_type_dim(c->ir, type, at + i);
    nvptx_take_apart(&c->n.k, sizes, counts[part], numbers[part], anchor + at);
    at += counts[part];
  }
  TCC_TRY(forward_index(c, c->result, anchor, index));
  tcc_pull_emit_reset(&c->emit);
  for (int a = 0; a < tcc_type_rank(tcc_value_type(c->result)); a++) nvptx_set_axis(&c->emit, &c->dims, a, index[a]);
  acc = tcc_scalar_convert(t, c->acc, tcc_type_elem(type), 1, acc);
  for (size_t k = 0; k < c->pull.nodes.count; k++)
    if (c->pull.nodes.data[k]->kind == TCC_PULL_REDUCED) c->emit.reduced[k] = acc;
  TCC_TRY(tcc_pull_emit_node(&c->emit, c->root, &v));
  TCC_TRY(tcc_pull_emit_store(&c->emit, (int)mlirBlockGetNumArguments(tcc_func_body(c->n.k.kernel)), c->root->elem, &c->store, v));
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static TccStatus *emit_body(Contract *c, const TccExpr *row_tiles, const TccExpr *column_tiles) {
  TccEmit *t = &c->n.e;
  const char *type = tcc_scalar_type(c->acc), *types[PER_THREAD * PER_THREAD];
  bool f = tcc_elem_is_float(c->acc);
  c->tile[0] = shared_tile(c, "rows"), c->tile[1] = shared_tile(c, "columns");
  TccVal nt = tcc_kernel_size(&c->n.k, column_tiles), mt = tcc_kernel_size(&c->n.k, row_tiles), side = tcc_emit_i64(t, TILE);
  TccVal n0 = tcc_emit_mul(t, tcc_emit_rem(t, c->n.block, nt), side), rest = tcc_emit_div(t, c->n.block, nt);
  TccVal m0 = tcc_emit_mul(t, tcc_emit_rem(t, rest, mt), side), batch = tcc_emit_div(t, rest, mt);
  TccVal ty = tcc_emit_div(t, c->n.thread, tcc_emit_i64(t, SIDE)), tx = tcc_emit_rem(t, c->n.thread, tcc_emit_i64(t, SIDE));
  TccVal acc[PER_THREAD * PER_THREAD];
  for (int i = 0; i < PER_THREAD * PER_THREAD; i++) acc[i] = tcc_emit_zero(t, type), types[i] = type;
  TccLoop steps;
  tcc_emit_for(t, &steps, tcc_emit_i64(t, 0), tcc_kernel_size(&c->n.k, c->k), DEPTH, PER_THREAD * PER_THREAD, acc, types);
  TCC_TRY(fill_tile(c, 0, batch, m0, c->m, steps.iv));
  TCC_TRY(fill_tile(c, 1, batch, n0, c->n_size, steps.iv));
  barrier(c);
  memcpy(acc, steps.in, sizeof acc);
  for (int k = 0; k < DEPTH; k++) {
    TccVal a[PER_THREAD], b[PER_THREAD];
    for (int i = 0; i < PER_THREAD; i++) {
      TccVal row = tcc_emit_add(t, ty, tcc_emit_i64(t, k * TILE + i * SIDE)),
             column = tcc_emit_add(t, tx, tcc_emit_i64(t, k * TILE + i * SIDE));
      a[i] = tcc_emit_op(t, "llvm.load %%%d : !llvm.ptr<3> -> %s", shared_address(c, c->tile[0], row), type);
      b[i] = tcc_emit_op(t, "llvm.load %%%d : !llvm.ptr<3> -> %s", shared_address(c, c->tile[1], column), type);
    }
    for (int i = 0; i < PER_THREAD; i++)
      for (int j = 0; j < PER_THREAD; j++) {
        TccVal *sum = &acc[i * PER_THREAD + j];
        *sum = f ? tcc_emit_fma(t, type, a[i], b[j], *sum)
                 : tcc_emit_bin(t, "add", type, *sum, tcc_emit_bin(t, "mul", type, a[i], b[j]));
      }
  }
  barrier(c);
  tcc_emit_end_for(t, &steps, acc);
  for (int i = 0; i < PER_THREAD; i++)
    for (int j = 0; j < PER_THREAD; j++) {
      TccVal m = tcc_emit_add(t, m0, tcc_emit_add(t, ty, tcc_emit_i64(t, i * SIDE)));
      TccVal n = tcc_emit_add(t, n0, tcc_emit_add(t, tx, tcc_emit_i64(t, j * SIDE)));
      TCC_TRY(store_result(c, batch, m, n, steps.out[i * PER_THREAD + j]));
    }
  return NULL;
}

TccStatus *nvptx_contract(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Contract *c = TCC_NEW(ir->arena, Contract);
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  c->ir = ir;
  if (mlirOperationGetNumOperands(end) != 1) return TCC_ERROR(TCC_UNSUPPORTED, "a product with several results");
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == TCC_OP_DOT_GENERAL) c->dot = op;
  if (mlirOperationIsNull(c->dot)) return TCC_ERROR(TCC_UNSUPPORTED, "a contract kernel without dot_general");
  c->result = mlirOperationGetOperand(end, 0);
  TCC_TRY(read_operand(c, kernel, 0));
  TCC_TRY(read_operand(c, kernel, 1));
  TCC_TRY(pull_until_settled(ir, kernel, c->dot, c->result, &c->pull, &c->dims, &c->root, &c->store));
  TccElem product_elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(c->dot, 0)));
  c->acc = tcc_scalar_accumulator(product_elem);
  if (!tcc_scalar_type(c->acc) || c->acc == TCC_ELEM_BOOL)
    return TCC_ERROR(TCC_UNSUPPORTED, "a product of %s", tcc_elem_name(product_elem));
  const Operand *a = &c->side[0], *b = &c->side[1];
  c->batch = product(ir, a->type, a->batch_axis, a->nbatch);
  c->m = product(ir, a->type, a->free_axis, a->nfree);
  c->n_size = product(ir, b->type, b->free_axis, b->nfree);
  c->k = product(ir, a->type, a->contract_axis, a->ncontract);
  const TccExpr *side = tcc_expr_const(ir->exprs, TILE);
  const TccExpr *row_tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, c->m, side),
                *column_tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, c->n_size, side);
  nvptx_open(&c->n, ir, &target->machine, kernel);
  for (int i = 0; i < 2; i++) { /* before the function, which is being written elsewhere */
    TccText global = {0};
    tcc_text_printf(&global,
                    "llvm.mlir.global internal @%s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<%d x %s>\n",
                    i ? "columns" : "rows", TILE * DEPTH, tcc_scalar_type(c->acc));
    tcc_text_put(&c->n.e.globals, global.data, global.length);
    tcc_text_destroy(&global);
    tcc_pull_emit_init(&c->side[i].emit, &c->n.k, &c->side[i].pull, 1);
  }
  tcc_pull_emit_init(&c->emit, &c->n.k, &c->pull, 1);
  TccStatus *status = emit_body(c, row_tiles, column_tiles);
  if (status) {
    nvptx_abandon(&c->n);
    return status;
  }
  const TccExpr *blocks = tcc_expr_mul(ir->exprs, c->batch, tcc_expr_mul(ir->exprs, row_tiles, column_tiles));
  return nvptx_close(&c->n, "nvptx.contract", "threads = 256, tile = 64x64x16", blocks, out);
}
