/* row.c - reductions: one warp per row, its threads stride over the row and fold by shuffles.
 *
 * Reductions that depend on no other, then those that depend on these; what lies
 * before a reduction is computed again in each phase, which reads the first cache. */
#include "lib/codegen/read/row.h"
#include "lib/targets/nvptx/nvptx.h"

enum { ROWS_PER_BLOCK = 8 };

typedef struct {
  TccRow read;
  NvptxKernel n;
  TccPullEmit emit;
  int row_dims[TCC_PULL_DIMS], nrow_dims, dims[TCC_PULL_DIMS], ndims; /* those that stay; those that are reduced */
  const TccExpr *rows, *length;
  TccVal lane;
} Row;

/* v of the thread whose lane differs in `bit`, 32 bits at a time. */
static TccVal shuffle(TccEmit *t, TccElem elem, TccVal v, int bit) {
  const char *type = tcc_scalar_type(elem);
  unsigned bits = elem == TCC_ELEM_BOOL ? 1 : tcc_elem_bits(elem);
  TccVal all = tcc_emit_int(t, "i32", -1), distance = tcc_emit_int(t, "i32", bit), clamp = tcc_emit_int(t, "i32", 31);
  const char *word = bits <= 32 ? "i32" : "i64";
  TccVal x = v;
  if (tcc_elem_is_float(elem) && elem != TCC_ELEM_BF16) x = tcc_emit_cast(t, "bitcast", type, bits == 16 ? "i16" : word, x);
  if (bits < 32) x = tcc_emit_cast(t, "zext", tcc_elem_is_float(elem) ? "i16" : type, "i32", x);
  TccVal part[2];
  for (int half = 0; half < (bits > 32 ? 2 : 1); half++) {
    TccVal w = x;
    if (bits > 32) w = tcc_emit_cast(t, "trunc", "i64", "i32", half ? tcc_emit_bin(t, "lshr", "i64", x, tcc_emit_i64(t, 32)) : x);
    part[half] = tcc_emit_call_intrinsic(t, "llvm.nvvm.shfl.sync.bfly.i32", "i32", 4, (TccVal[]){all, w, distance, clamp},
                                         (const char *const[]){"i32", "i32", "i32", "i32"});
  }
  x = part[0];
  if (bits > 32) {
    TccVal low = tcc_emit_cast(t, "zext", "i32", "i64", part[0]), high = tcc_emit_cast(t, "zext", "i32", "i64", part[1]);
    x = tcc_emit_bin(t, "or", "i64", low, tcc_emit_bin(t, "shl", "i64", high, tcc_emit_i64(t, 32)));
  }
  if (bits < 32) x = tcc_emit_cast(t, "trunc", "i32", tcc_elem_is_float(elem) ? "i16" : type, x);
  return tcc_elem_is_float(elem) && elem != TCC_ELEM_BF16 ? tcc_emit_cast(t, "bitcast", bits == 16 ? "i16" : word, type, x) : x;
}

static TccStatus *emit_reduction(Row *row, const TccRowReduction *r) {
  TccEmit *t = &row->n.e;
  const char *type = tcc_scalar_type(r->wide);
  TccVal init = tcc_scalar_neutral(t, r->kind, r->wide, 1), v;
  TccLoop loop;
  tcc_emit_for(t, &loop, row->lane, tcc_kernel_size(&row->n.k, row->length), NVPTX_WARP, 1, &init, &type);
  tcc_pull_emit_reset(&row->emit);
  tcc_pull_emit_place(&row->emit, row->dims, row->ndims, loop.iv);
  TCC_TRY(tcc_pull_emit_node(&row->emit, r->operand, &v));
  v = tcc_scalar_combine(t, r->kind, r->wide, 1, loop.in[0], tcc_scalar_convert(t, r->elem, r->wide, 1, v));
  tcc_emit_end_for(t, &loop, &v);
  v = loop.out[0];
  for (int bit = 16; bit; bit /= 2) v = tcc_scalar_combine(t, r->kind, r->wide, 1, v, shuffle(t, r->wide, v, bit));
  v = tcc_scalar_convert(t, r->wide, tcc_type_elem(tcc_value_type(mlirOperationGetResult(r->op, 0))), 1, v);
  for (size_t k = 0; k < row->read.pull.nodes.count; k++) {
    TccPullNode *node = row->read.pull.nodes.data[k];
    if (node->kind == TCC_PULL_REDUCED && mlirOperationEqual(node->op, r->op)) row->emit.reduced[k] = v;
  }
  return NULL;
}

static TccStatus *emit_results(Row *row, bool full) {
  TccEmit *t = &row->n.e;
  bool any = false;
  for (int i = 0; i < row->read.nresults; i++) any |= row->read.result[i].full == full;
  if (!any) return NULL;
  TccLoop loop;
  TccVal limit = full ? tcc_kernel_size(&row->n.k, row->length) : tcc_emit_i64(t, 1); /* a reduced one is thread 0's */
  tcc_emit_for(t, &loop, row->lane, limit, NVPTX_WARP, 0, NULL, NULL);
  tcc_pull_emit_reset(&row->emit);
  tcc_pull_emit_place(&row->emit, row->dims, row->ndims, loop.iv);
  for (int i = 0; i < row->read.nresults; i++) {
    const TccRowResult *r = &row->read.result[i];
    TccVal v;
    if (r->full != full) continue;
    TCC_TRY(tcc_pull_emit_node(&row->emit, r->root, &v));
    TCC_TRY(tcc_pull_emit_store(&row->emit, r->argument, r->elem, &r->store, v));
  }
  tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

static TccStatus *emit_row(Row *row) {
  TccEmit *t = &row->n.e;
  TccVal warp = tcc_emit_div(t, row->n.thread, tcc_emit_i64(t, NVPTX_WARP));
  TccVal number = tcc_emit_add(t, tcc_emit_mul(t, row->n.block, tcc_emit_i64(t, ROWS_PER_BLOCK)), warp);
  TccIf inside;
  row->lane = tcc_emit_rem(t, row->n.thread, tcc_emit_i64(t, NVPTX_WARP));
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", number, tcc_kernel_size(&row->n.k, row->rows)), 0, NULL);
  tcc_pull_emit_place(&row->emit, row->row_dims, row->nrow_dims, number);
  for (int i = 0; i < row->read.nreductions; i++) TCC_TRY(emit_reduction(row, &row->read.reduction[i]));
  TCC_TRY(emit_results(row, true));
  TCC_TRY(emit_results(row, false));
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

TccStatus *nvptx_row(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Row *row = TCC_NEW(ir->arena, Row);
  TCC_TRY(tcc_row_read(ir, kernel, &row->read));
  for (int i = 0; i < row->read.nreductions; i++)
    if (row->read.reduction[i].is_arg) return TCC_ERROR(TCC_UNSUPPORTED, "arg_reduce on nvptx");
  row->nrow_dims = tcc_row_dims(&row->read, false, row->row_dims, &row->rows);
  row->ndims = tcc_row_dims(&row->read, true, row->dims, &row->length);
  nvptx_open(&row->n, ir, target, kernel);
  tcc_pull_emit_init(&row->emit, &row->n.k, &row->read.pull, 1);
  TccStatus *status = emit_row(row);
  if (status) {
    nvptx_abandon(&row->n);
    return status;
  }
  const TccExpr *blocks = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, row->rows, tcc_expr_const(ir->exprs, ROWS_PER_BLOCK));
  return nvptx_close(&row->n, "nvptx.row", "warp per row", blocks, ROWS_PER_BLOCK * NVPTX_WARP, 0, out);
}
