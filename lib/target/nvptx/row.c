/* row.c - reductions: one warp per row, its threads stride over the row and fold by shuffles.
 *
 * Phases as on x86 (lib/codegen/row/row.c): reductions that depend on no other, then those that depend on these; what lies
 * before a reduction is computed again in each phase, which reads the first cache. */
#include "lib/target/nvptx/nvptx.h"

enum { ROWS_PER_BLOCK = 8, MAX_REDUCTIONS = 16 };

typedef struct {
  NvptxKernel n;
  TccPull pull;
  TccPullDims dims;
  TccPullEmit emit;
  MlirType domain;
  uint32_t reduced;
  int nreductions, rank;
  MlirOperation reduction[MAX_REDUCTIONS];
  TccPullNode *operand[MAX_REDUCTIONS];
  const TccExpr *rows, *length;
  TccVal lane;
} Row;

static TccStatus *find_reductions(Row *row, TccIr *ir, MlirOperation kernel) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (tcc_op_kind(ir, op) == TCC_OP_ARG_REDUCE) return TCC_ERROR(TCC_UNSUPPORTED, "arg_reduce on nvptx");
    if (tcc_op_kind(ir, op) != TCC_OP_REDUCE) continue;
    if (row->nreductions == MAX_REDUCTIONS)
      return TCC_ERROR(TCC_UNSUPPORTED, "more than %d reductions in one kernel", MAX_REDUCTIONS);
    const int64_t *axes;
    size_t naxes;
    uint32_t reduced = 0;
    MlirType domain = tcc_value_type(mlirOperationGetOperand(op, 0));
    if (!tcc_get_ints(ir, op, "axes", &axes, &naxes)) return TCC_ERROR(TCC_UNSUPPORTED, "a reduction without axes");
    for (size_t i = 0; i < naxes; i++) reduced |= 1u << axes[i];
    if (row->nreductions && (reduced != row->reduced || !tcc_type_same_shape(ir, domain, row->domain)))
      return TCC_ERROR(TCC_UNSUPPORTED, "reductions over different axes in one kernel");
    row->domain = domain, row->reduced = reduced;
    row->reduction[row->nreductions++] = op;
  }
  return row->nreductions ? NULL : TCC_ERROR(TCC_UNSUPPORTED, "a row kernel without a reduction");
}

/* The axes that are reduced, or those that stay, with index v taken apart into their dims. */
static void set_axes(Row *row, bool reduced, TccVal v) {
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  int axes[TCC_MAX_RANK], count = 0;
  TccVal parts[TCC_MAX_RANK];
  for (int a = 0; a < row->rank; a++)
    if ((row->reduced >> a & 1) == reduced) sizes[count] = tcc_type_dim(row->pull.ir, row->domain, a), axes[count++] = a;
  nvptx_take_apart(&row->n.k, sizes, count, v, parts);
  for (int i = 0; i < count; i++) nvptx_set_axis(&row->emit, &row->dims, axes[i], parts[i]);
}

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
    part[half] =
        tcc_emit_op(t, "llvm.call_intrinsic \"llvm.nvvm.shfl.sync.bfly.i32\"(%%%d, %%%d, %%%d, %%%d) : (i32, i32, i32, i32) -> i32",
                    all, w, distance, clamp);
  }
  x = part[0];
  if (bits > 32) {
    TccVal low = tcc_emit_cast(t, "zext", "i32", "i64", part[0]), high = tcc_emit_cast(t, "zext", "i32", "i64", part[1]);
    x = tcc_emit_bin(t, "or", "i64", low, tcc_emit_bin(t, "shl", "i64", high, tcc_emit_i64(t, 32)));
  }
  if (bits < 32) x = tcc_emit_cast(t, "trunc", "i32", tcc_elem_is_float(elem) ? "i16" : type, x);
  return tcc_elem_is_float(elem) && elem != TCC_ELEM_BF16 ? tcc_emit_cast(t, "bitcast", bits == 16 ? "i16" : word, type, x) : x;
}

static TccStatus *emit_reduction(Row *row, int i) {
  TccEmit *t = &row->n.e;
  MlirOperation op = row->reduction[i];
  TccElem elem = row->operand[i]->elem, wide = tcc_scalar_accumulator(elem);
  TccStr kind = tcc_string(row->pull.ir, op, "kind");
  const char *type = tcc_scalar_type(wide);
  TccVal init = tcc_scalar_neutral(t, kind, wide, 1), v;
  TccLoop loop;
  tcc_emit_for(t, &loop, row->lane, tcc_kernel_size(&row->n.k, row->length), NVPTX_WARP, 1, &init, &type);
  tcc_pull_emit_reset(&row->emit);
  set_axes(row, true, loop.iv);
  TCC_TRY(tcc_pull_emit_node(&row->emit, row->operand[i], &v));
  v = tcc_scalar_combine(t, kind, wide, 1, loop.in[0], tcc_scalar_convert(t, elem, wide, 1, v));
  tcc_emit_end_for(t, &loop, &v);
  v = loop.out[0];
  for (int bit = 16; bit; bit /= 2) v = tcc_scalar_combine(t, kind, wide, 1, v, shuffle(t, wide, v, bit));
  v = tcc_scalar_convert(t, wide, tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0))), 1, v);
  for (size_t k = 0; k < row->pull.nodes.count; k++) {
    TccPullNode *node = row->pull.nodes.data[k];
    if (node->kind == TCC_PULL_REDUCED && mlirOperationEqual(node->op, op)) row->emit.reduced[k] = v;
  }
  return NULL;
}

typedef struct {
  TccPullNode *root;
  TccPullIndex store;
  TccElem elem;
  int argument;
  bool full;
} Result;

static TccStatus *pull_row(Row *row, TccIr *ir, MlirOperation kernel, Result *results, int nresults) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  TccPullIndex *axis = TCC_NEW_ARRAY(ir->arena, TccPullIndex, TCC_MAX_RANK);
  tcc_pull_dims_of(ir, row->domain, &row->dims);
  for (;;) {
    TccPull *p = &row->pull;
    tcc_pull_init(p, ir, kernel);
    p->rows = true, p->reduced = row->reduced, p->axis = axis;
    tcc_pull_use_dims(p, &row->dims, row->rank, axis);
    for (int i = 0; i < row->nreductions; i++)
      row->operand[i] = tcc_pull_value(p, mlirOperationGetOperand(row->reduction[i], 0), axis);
    for (int i = 0; i < nresults; i++) {
      MlirValue value = mlirOperationGetOperand(end, i);
      MlirType type = tcc_value_type(value);
      TccPullIndex at[TCC_MAX_RANK];
      int r = tcc_type_rank(type), used = 0;
      results[i].full = tcc_type_same_shape(ir, type, row->domain);
      for (int a = 0; a < row->rank; a++) {
        bool gone = (row->reduced >> a & 1) && !results[i].full;
        if (gone && r != row->rank) continue;
        if (used == r) return TCC_ERROR(TCC_UNSUPPORTED, "a result that is neither a row nor a reduction");
        at[used++] = gone ? tcc_pull_constant(p, tcc_expr_const(ir->exprs, 0)) : axis[a];
      }
      results[i].elem = tcc_type_elem(type);
      results[i].argument = (int)mlirBlockGetNumArguments(tcc_func_body(kernel)) + i;
      results[i].root = tcc_pull_value(p, value, at);
      results[i].store = tcc_pull_flat(p, type, at);
    }
    if (p->status) return p->status;
    if (p->split < 0) return NULL;
    tcc_pull_dims_split(&row->dims, p);
  }
}

static TccStatus *emit_results(Row *row, const Result *results, int nresults, bool full) {
  TccEmit *t = &row->n.e;
  bool any = false;
  for (int i = 0; i < nresults; i++) any |= results[i].full == full;
  if (!any) return NULL;
  TccLoop loop;
  TccVal limit = full ? tcc_kernel_size(&row->n.k, row->length) : tcc_emit_i64(t, 1); /* a reduced one is thread 0's */
  tcc_emit_for(t, &loop, row->lane, limit, NVPTX_WARP, 0, NULL, NULL);
  tcc_pull_emit_reset(&row->emit);
  set_axes(row, true, loop.iv);
  for (int i = 0; i < nresults; i++) {
    TccVal v;
    if (results[i].full != full) continue;
    TCC_TRY(tcc_pull_emit_node(&row->emit, results[i].root, &v));
    TCC_TRY(tcc_pull_emit_store(&row->emit, results[i].argument, results[i].elem, &results[i].store, v));
  }
  tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

static TccStatus *emit_row(Row *row, const Result *results, int nresults) {
  TccEmit *t = &row->n.e;
  TccVal warp = tcc_emit_div(t, row->n.thread, tcc_emit_i64(t, NVPTX_WARP));
  TccVal number = tcc_emit_add(t, tcc_emit_mul(t, row->n.block, tcc_emit_i64(t, ROWS_PER_BLOCK)), warp);
  TccIf inside;
  row->lane = tcc_emit_rem(t, row->n.thread, tcc_emit_i64(t, NVPTX_WARP));
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", number, tcc_kernel_size(&row->n.k, row->rows)), 0, NULL);
  set_axes(row, false, number);
  for (int i = 0; i < row->nreductions; i++) TCC_TRY(emit_reduction(row, i));
  TCC_TRY(emit_results(row, results, nresults, true));
  TCC_TRY(emit_results(row, results, nresults, false));
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

TccStatus *nvptx_row(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Row *row = TCC_NEW(ir->arena, Row);
  int nresults = (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel)));
  Result *results = TCC_NEW_ARRAY(ir->arena, Result, nresults + 1);
  TCC_TRY(find_reductions(row, ir, kernel));
  row->rank = tcc_type_rank(row->domain);
  TCC_TRY(pull_row(row, ir, kernel, results, nresults));
  row->rows = row->length = tcc_expr_const(ir->exprs, 1);
  for (int a = 0; a < row->rank; a++) {
    const TccExpr *size = tcc_type_dim(ir, row->domain, a);
    if (row->reduced >> a & 1) row->length = tcc_expr_mul(ir->exprs, row->length, size);
    else row->rows = tcc_expr_mul(ir->exprs, row->rows, size);
  }
  nvptx_open(&row->n, ir, &target->machine, kernel);
  tcc_pull_emit_init(&row->emit, &row->n.k, &row->pull, 1);
  TccStatus *status = emit_row(row, results, nresults);
  if (status) {
    nvptx_abandon(&row->n);
    return status;
  }
  const TccExpr *blocks = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, row->rows, tcc_expr_const(ir->exprs, ROWS_PER_BLOCK));
  return nvptx_close(&row->n, "nvptx.row", "threads = 256, warp per row", blocks, out);
}
