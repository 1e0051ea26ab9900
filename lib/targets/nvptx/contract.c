/* contract.c - matrix products on shared-memory tiles: 64 x 64 results per block of 256 threads, 4 x 4 per thread.
 *
 * Batch, rows, columns and contracted axes are each one linear number, taken apart again where an element is read; so any
 * views, sizes and transpositions of the operands work, and edges are guarded element by element. Steps of 16 along the
 * contracted axes go through two tiles in shared memory. The plain tiled product of the CUDA programming guide; fast ones
 * (tensor cores, bulk copies) are other schedules of this emitter. */
#include "lib/codegen/read/contract.h"
#include "lib/targets/nvptx/nvptx.h"

enum { TILE = 64, DEPTH = 16, PER_THREAD = 4, THREADS = 256, SIDE = 16 };

/* One operand: pulled over its own axes. */
typedef struct {
  MlirType type;
  TccPull pull;
  TccPullDims dims;
  TccPullNode *root;
  TccPullEmit emit;
} Operand;

typedef struct {
  /* read */
  TccContraction read;
  Operand side[2];
  TccPulledEpilogue epilogue;
  const TccExpr *batch, *m, *n_size, *k;
  TccElem acc;
  /* being emitted */
  NvptxKernel n;
  TccPullEmit emit; /* of the epilogue */
  TccVal tile[2];   /* shared memory */
} Contract;

static TccStatus *read_operand(Contract *c, int which) {
  Operand *o = &c->side[which];
  TccPullIndex index[TCC_MAX_RANK];
  MlirValue value = c->read.axes.operand[which];
  o->type = tcc_value_type(value);
  tcc_pull_dims_of(c->read.ir, o->type, &o->dims);
  o->root = tcc_pull_over(&o->pull, c->read.ir, c->read.kernel, (MlirOperation){NULL}, value, &o->dims, index);
  return o->pull.status;
}

/* The listed axes of an operand, by a position among them. */
static void set_axes(Contract *c, Operand *o, const int *axes, int n, TccVal v) {
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  TccVal parts[TCC_MAX_RANK];
  for (int i = 0; i < n; i++) sizes[i] = tcc_type_dim(c->read.ir, o->type, axes[i]);
  nvptx_take_apart(&c->n.k, sizes, n, v, parts);
  for (int i = 0; i < n; i++) nvptx_set_axis(&o->emit, &o->dims, axes[i], parts[i]);
}

/* ---- shared memory ---- */

static TccVal shared_address(Contract *c, TccVal base, TccVal index) {
  return tcc_emit_shared_gep(&c->n.e, tcc_scalar_type(c->acc), base, index);
}

static void barrier(Contract *c) {
  TccVal zero = tcc_emit_int(&c->n.e, "i32", 0);
  tcc_emit_call_intrinsic(&c->n.e, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, 1, &zero, (const char *const[]){"i32"});
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
    const TccDotAxes *axes = &c->read.axes;
    set_axes(c, o, axes->batch[which], axes->nbatch, batch);
    set_axes(c, o, axes->free[which], axes->nfree[which], row);
    set_axes(c, o, axes->contract[which], axes->ncontract, k);
    TCC_TRY(tcc_pull_emit_node(&o->emit, o->root, &v));
    v = tcc_scalar_convert(t, o->root->elem, c->acc, 1, v);
    tcc_emit_else(t, &branch, &v);
    tcc_emit_end_if(t, &branch, &zero);
    tcc_emit_shared_store(t, type, branch.out[0], shared_address(c, c->tile[which], at));
  }
  return NULL;
}

/* ---- results ---- */

/* Axes [at, at + n) of the product, by a position among them. */
static void set_result_axes(Contract *c, int at, int n, TccVal v) {
  const TccPulledEpilogue *ep = &c->epilogue;
  int first = ep->first_step[at], steps = ep->first_step[at + n] - first;
  TccVal parts[TCC_PULL_DIMS];
  nvptx_take_apart(&c->n.k, ep->step + first, steps, v, parts);
  for (int s = 0; s < steps; s++) nvptx_set_axis(&c->emit, &ep->dims, first + s, parts[s]);
}

static TccStatus *store_result(Contract *c, TccVal batch, TccVal m, TccVal n, TccVal acc) {
  TccEmit *t = &c->n.e;
  const TccEpilogue *ep = &c->read.epilogue;
  const int nbatch = c->read.axes.nbatch, *nfree = c->read.axes.nfree;
  TccIf inside;
  TccVal v, ok = tcc_emit_bin(t, "and", "i1", tcc_emit_icmp(t, "slt", "i64", m, tcc_kernel_size(&c->n.k, c->m)),
                              tcc_emit_icmp(t, "slt", "i64", n, tcc_kernel_size(&c->n.k, c->n_size)));
  tcc_emit_if(t, &inside, ok, 0, NULL);
  tcc_pull_emit_reset(&c->emit);
  set_result_axes(c, 0, nbatch, batch);
  set_result_axes(c, nbatch, nfree[0], m);
  set_result_axes(c, nbatch + nfree[0], nfree[1], n);
  acc = tcc_scalar_convert(t, c->acc, tcc_type_elem(tcc_value_type(ep->anchor)), 1, acc);
  for (size_t k = 0; k < c->epilogue.pull.nodes.count; k++)
    if (c->epilogue.pull.nodes.data[k]->kind == TCC_PULL_REDUCED) c->emit.reduced[k] = acc;
  TCC_TRY(tcc_pull_emit_node(&c->emit, c->epilogue.root, &v));
  TCC_TRY(tcc_pull_emit_store(&c->emit, ep->result.argument, c->epilogue.root->elem, &c->epilogue.store, v));
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static TccStatus *emit_body(Contract *c, const TccExpr *row_tiles, const TccExpr *column_tiles) {
  TccEmit *t = &c->n.e;
  const char *type = tcc_scalar_type(c->acc), *types[PER_THREAD * PER_THREAD];
  bool f = tcc_elem_is_float(c->acc);
  c->tile[0] = tcc_emit_shared_address(&c->n.e, "rows"), c->tile[1] = tcc_emit_shared_address(&c->n.e, "columns");
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
      a[i] = tcc_emit_shared_load(t, type, shared_address(c, c->tile[0], row));
      b[i] = tcc_emit_shared_load(t, type, shared_address(c, c->tile[1], column));
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

static TccStatus *read_kernel(Contract *c, TccIr *ir, MlirOperation kernel) {
  TCC_TRY(tcc_contraction_find(ir, kernel, &c->read));
  TCC_TRY(tcc_epilogue_find(ir, kernel, mlirOperationGetResult(c->read.dot, 0), &c->read.epilogue));
  for (int i = 0; i < 2; i++) TCC_TRY(read_operand(c, i));
  TCC_TRY(tcc_epilogue_pull(ir, &c->read.epilogue, &c->epilogue));
  TccElem elem = tcc_type_elem(tcc_value_type(c->read.epilogue.anchor));
  c->acc = tcc_elem_accumulator(elem);
  if (!tcc_elem_computes(c->acc) || c->acc == TCC_ELEM_BOOL)
    return TCC_ERROR(TCC_UNSUPPORTED, "a product of %s", tcc_elem_name(elem));
  const TccDotAxes *axes = &c->read.axes;
  MlirType a = c->side[0].type, b = c->side[1].type;
  c->batch = tcc_axes_count(ir, a, axes->batch[0], axes->nbatch);
  c->m = tcc_axes_count(ir, a, axes->free[0], axes->nfree[0]);
  c->n_size = tcc_axes_count(ir, b, axes->free[1], axes->nfree[1]);
  c->k = tcc_axes_count(ir, a, axes->contract[0], axes->ncontract);
  return NULL;
}

TccStatus *nvptx_contract(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Contract *c = TCC_NEW(ir->arena, Contract);
  TCC_TRY(read_kernel(c, ir, kernel));
  const TccExpr *side = tcc_expr_const(ir->exprs, TILE);
  const TccExpr *row_tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, c->m, side),
                *column_tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, c->n_size, side);
  nvptx_open(&c->n, ir, target, kernel);
  for (int i = 0; i < 2; i++) {
    tcc_emit_shared(&c->n.e, i ? "columns" : "rows", TILE * DEPTH, tcc_scalar_type(c->acc));
    tcc_pull_emit_init(&c->side[i].emit, &c->n.k, &c->side[i].pull, 1);
  }
  tcc_pull_emit_init(&c->emit, &c->n.k, &c->epilogue.pull, 1);
  TccStatus *status = emit_body(c, row_tiles, column_tiles);
  if (status) {
    nvptx_abandon(&c->n);
    return status;
  }
  const uint32_t shared = 2 * TILE * DEPTH * tcc_elem_bits(c->acc) / 8;
  const TccExpr *blocks = tcc_expr_mul(ir->exprs, c->batch, tcc_expr_mul(ir->exprs, row_tiles, column_tiles));
  return nvptx_close(&c->n, "nvptx.contract", "tile = 64x64x16", blocks, THREADS, shared, out);
}
