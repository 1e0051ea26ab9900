/* contract.c - emits the tile function of a contraction. See contract.h for the structure of the loops. */
#include "lib/codegen/contract.h"
#include "lib/codegen/contract_internal.h"
#include "lib/codegen/gemv.h"

enum { A = TCC_CONTRACT_A, B = TCC_CONTRACT_B, R = TCC_CONTRACT_R, TENSORS = TCC_CONTRACT_TENSORS };
typedef TccContract Contract;

/* ---- reading ---- */

static MlirOperation find_op(TccIr *ir, MlirOperation kernel, TccOpKind kind) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == kind) return op;
  return (MlirOperation){NULL};
}

static bool contains(const int64_t *axes, size_t n, int64_t axis) {
  for (size_t i = 0; i < n; i++)
    if (axes[i] == axis) return true;
  return false;
}

/* Adds axis `result_axis` of the product (-1: contracted), which is axis `a` of the left and `b` of the right operand (-1: none). */
static bool append(Contract *c, TccSpan *span, int result_axis, int64_t a, int64_t b) {
  const TccViewAxis *axes[TENSORS + TCC_EPILOGUE_LEAVES] = {0};
  MlirValue x = mlirOperationGetOperand(c->dot, a >= 0 ? 0 : 1);
  const TccExpr *size = tcc_type_dim(c->ir, tcc_value_type(x), (int)(a >= 0 ? a : b));
  if (a >= 0) axes[A] = &c->a.axis[a];
  if (b >= 0 && !c->packed_nr) axes[B] = &c->b.axis[b];
  if (result_axis >= 0) tcc_epilogue_axes(c->ir, &c->epilogue, result_axis, R, axes);
  return tcc_span_append(c->ir, span, size, axes);
}

/* Whether the right operand is the same all along its axis. */
static bool is_repeated(const Contract *c, int64_t axis) {
  int64_t stride;
  if (c->packed_nr) return !c->packed_batched;
  for (int s = 0; s < c->b.axis[axis].n; s++)
    if (!tcc_expr_is_const(c->b.axis[axis].stride[s], &stride) || stride != 0) return false;
  return true;
}

static TccStatus *read_contract(TccIr *ir, const TccMachine *machine, MlirOperation kernel, Contract *c) {
  *c = (Contract){.ir = ir, .kernel = kernel, .dot = find_op(ir, kernel, TCC_OP_DOT_GENERAL)};
  if (mlirOperationIsNull(c->dot)) return TCC_ERROR(TCC_UNSUPPORTED, "no dot_general in a contract kernel");
  MlirValue x = mlirOperationGetOperand(c->dot, 0), y = mlirOperationGetOperand(c->dot, 1);
  TccElem ea = tcc_type_elem(tcc_value_type(x)), eb = tcc_type_elem(tcc_value_type(y));
  if (!tcc_micro_type(machine, ea, eb, &c->type))
    return TCC_ERROR(TCC_UNSUPPORTED, "dot_general of %s and %s", tcc_elem_name(ea), tcc_elem_name(eb));
  const int64_t *packed;
  size_t n;
  if (tcc_get_ints(ir, kernel, "tcc.packed", &packed, &n)) {
    if (n != 3) return TCC_ERROR(TCC_INVALID, "tcc.packed has %zu entries", n);
    c->packed_argument = (int)packed[0], c->packed_nr = packed[1], c->packed_batched = packed[2] != 0;
  }
  if (!tcc_view_of(ir, x, &c->a)) return TCC_ERROR(TCC_UNSUPPORTED, "the left operand is not a strided view");
  if (!c->packed_nr && !tcc_view_of(ir, y, &c->b)) return TCC_ERROR(TCC_UNSUPPORTED, "the right operand is not a strided view");
  TCC_TRY(tcc_epilogue_read(ir, kernel, mlirOperationGetResult(c->dot, 0), &c->epilogue));

  const int64_t *lb, *rb, *lc, *rc;
  size_t nb, nc;
  if (!tcc_get_ints(ir, c->dot, "lhs_batch", &lb, &nb) || !tcc_get_ints(ir, c->dot, "rhs_batch", &rb, &nb) ||
      !tcc_get_ints(ir, c->dot, "lhs_contract", &lc, &nc) || !tcc_get_ints(ir, c->dot, "rhs_contract", &rc, &nc))
    return TCC_ERROR(TCC_INVALID, "dot_general without its axes");
  int ntensors = TENSORS + c->epilogue.nleaves, at = 0;
  bool ok = true;
  tcc_span_init(ir, &c->batch, ntensors), tcc_span_init(ir, &c->m, ntensors);
  tcc_span_init(ir, &c->n, ntensors), tcc_span_init(ir, &c->k, ntensors);
  bool shared = true; /* one right operand for all of the batch: then its entries are but more rows */
  for (size_t i = 0; i < nb; i++) shared = shared && is_repeated(c, rb[i]);
  for (size_t i = 0; i < nb; i++) ok = ok && append(c, shared ? &c->m : &c->batch, at++, lb[i], shared ? -1 : rb[i]);
  for (int i = 0; i < tcc_type_rank(tcc_value_type(x)); i++)
    if (!contains(lb, nb, i) && !contains(lc, nc, i)) ok = ok && append(c, &c->m, at++, i, -1);
  for (int i = 0; i < tcc_type_rank(tcc_value_type(y)); i++)
    if (!contains(rb, nb, i) && !contains(rc, nc, i)) ok = ok && append(c, &c->n, at++, -1, i);
  for (size_t i = 0; i < nc; i++) ok = ok && append(c, &c->k, -1, lc[i], rc[i]);
  if (!ok) return TCC_ERROR(TCC_UNSUPPORTED, "views of the operands do not line up");
  tcc_span_finish(ir, &c->batch), tcc_span_finish(ir, &c->m), tcc_span_finish(ir, &c->n), tcc_span_finish(ir, &c->k);

  return NULL;
}

/* ---- emission ---- */

typedef struct {
  TccVal a, b, c;           /* scratch: packed rows, packed panel, accumulators */
  TccVal row0, rows, col0, columns, batch;
  TccVal k0, kcount, kpadded, words, last, accumulate;
} Tile;

static int64_t align64(int64_t bytes) { return (bytes + 63) & ~(int64_t)63; }

/* Bytes of the three parts of the scratch; rows have slack for the last vector of their packer. */
static void scratch_sizes(const Contract *c, int64_t *a, int64_t *b, int64_t *acc) {
  const TccContractPlan *p = &c->plan;
  int64_t nr = (int64_t)p->vectors * c->type.lanes;
  *a = align64((p->mb * p->lda + 64) * c->type.packed_bytes);
  *b = c->packed_nr ? 0 : align64(p->kc * nr * c->type.packed_bytes);
  *acc = align64((p->one_block ? p->rows : p->mb) * p->ldc * c->type.acc_bytes);
}

/* One panel of columns against all rows of the tile. */
static void emit_rows(TccKernelEmit *k, const Contract *c, const Tile *t, TccVal panel, TccVal next_panel, TccVal column) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  const TccMicroType *type = &c->type;
  int64_t nr = (int64_t)p->vectors * type->lanes;
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_emit_min(e, tcc_emit_i64(e, nr), tcc_emit_sub(e, t->columns, column)), full = t->rows;
  if (p->single) { /* one or two rows left over go one by one */
    TccVal rest = tcc_emit_rem(e, t->rows, tcc_emit_i64(e, p->rows));
    TccVal few = tcc_emit_icmp(e, "sle", "i64", rest, tcc_emit_i64(e, 2));
    full = tcc_emit_select1(e, "i64", few, tcc_emit_sub(e, t->rows, rest), t->rows);
  }
  for (int single = 0; single <= (p->single ? 1 : 0); single++) {
    int64_t rows = single ? 1 : p->rows;
    TccLoop row;
    tcc_emit_for(e, &row, single ? full : zero, single ? t->rows : full, rows, 0, NULL, NULL);
    TccVal a = tcc_emit_gep(e, type->packed, t->a, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, p->lda)));
    TccVal acc = t->c;
    if (!p->one_block) acc = tcc_emit_gep(e, type->acc, t->c, tcc_emit_add(e, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, p->ldc)), column));
    TccVal lines = tcc_emit_mul(e, tcc_emit_div(e, row.iv, tcc_emit_i64(e, rows)), t->words);
    TccVal ahead = tcc_emit_gep(e, "i8", next_panel, tcc_emit_mul(e, lines, tcc_emit_i64(e, 32)));
    tcc_micro_call(e, single ? "tile_row" : "tile", a, panel, acc, t->words, t->accumulate, ahead);
    TccIf done;
    if (!p->one_block) tcc_emit_if(e, &done, t->last, 0, NULL);
    TccVal height = single ? tcc_emit_i64(e, 1) : tcc_emit_min(e, tcc_emit_i64(e, rows), tcc_emit_sub(e, full, row.iv));
    TccEpilogueCall call = {acc, t->batch, tcc_emit_add(e, t->row0, row.iv), tcc_emit_add(e, t->col0, column), height, width};
    tcc_epilogue_call(k, "finish", &call);
    if (!p->one_block) tcc_emit_end_if(e, &done, NULL);
    tcc_emit_end_for(e, &row, NULL);
  }
}

static void emit_k_block(TccKernelEmit *k, const Contract *c, Tile *t) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  const TccMicroType *type = &c->type;
  int64_t nr = (int64_t)p->vectors * type->lanes, unit = TCC_MICRO_STEP * type->group;
  TccVal depth = tcc_kernel_size(k, c->k.count);
  t->kcount = tcc_emit_min(e, tcc_emit_i64(e, p->kc), tcc_emit_sub(e, depth, t->k0));
  t->kpadded = tcc_emit_round_up(e, t->kcount, unit);
  t->words = tcc_emit_div(e, t->kpadded, tcc_emit_i64(e, type->group));
  t->last = p->one_block ? 0 : tcc_emit_icmp(e, "sge", "i64", tcc_emit_add(e, t->k0, tcc_emit_i64(e, p->kc)), depth);
  t->accumulate = p->one_block ? tcc_emit_int(e, "i1", 0) : tcc_emit_icmp(e, "ne", "i64", t->k0, tcc_emit_i64(e, 0));
  TccPackCall rows = {t->a, t->batch, t->row0, t->rows, tcc_emit_round_up(e, t->rows, p->rows), t->k0, t->kcount, t->kpadded};
  tcc_pack_call(k, "pack_rows", &rows);

  TccLoop column;
  tcc_emit_for(e, &column, tcc_emit_i64(e, 0), t->columns, nr, 0, NULL, NULL);
  TccVal panel = t->b, next = t->a;
  if (c->packed_nr) { /* [batch][panel][k][nr] */
    TccVal whole = tcc_emit_mul(e, tcc_emit_round_up(e, depth, unit), tcc_emit_i64(e, nr)), first = tcc_emit_add(e, t->col0, column.iv);
    TccVal number = tcc_emit_div(e, first, tcc_emit_i64(e, nr));
    if (c->packed_batched)
      number = tcc_emit_add(e, number, tcc_emit_mul(e, t->batch, tcc_emit_ceil_div(e, tcc_kernel_size(k, c->n.count), nr)));
    TccVal base = tcc_emit_load_once(e, TCC_PTR, k->arguments, c->packed_argument);
    TccVal offset = tcc_emit_add(e, tcc_emit_mul(e, number, whole), tcc_emit_mul(e, t->k0, tcc_emit_i64(e, nr)));
    panel = tcc_emit_gep(e, type->packed, base, offset);
    next = tcc_emit_gep(e, type->packed, panel, whole);
  } else {
    TccVal width = tcc_emit_min(e, tcc_emit_i64(e, nr), tcc_emit_sub(e, t->columns, column.iv));
    TccPackCall call = {t->b, t->batch, tcc_emit_add(e, t->col0, column.iv), width, width, t->k0, t->kcount, t->kpadded};
    tcc_pack_call(k, "pack_panel", &call);
  }
  emit_rows(k, c, t, panel, next, column.iv);
  tcc_emit_end_for(e, &column, NULL);
}

static void emit_entry(TccKernelEmit *k, const Contract *c) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  TccKernelEntry entry;
  int64_t bytes_a, bytes_b, bytes_c;
  scratch_sizes(c, &bytes_a, &bytes_b, &bytes_c);
  tcc_kernel_entry(k, &entry);
  Tile t = {.a = entry.scratch};
  t.b = tcc_emit_at(e, "i8", entry.scratch, bytes_a);
  t.c = tcc_emit_at(e, "i8", entry.scratch, bytes_a + bytes_b);
  TccVal m = tcc_kernel_size(k, c->m.count), n = tcc_kernel_size(k, c->n.count);
  TccVal row_tiles = tcc_emit_ceil_div(e, m, p->mb), column_tiles = tcc_emit_ceil_div(e, n, p->nb);
  row_tiles = tcc_emit_max(e, row_tiles, tcc_emit_i64(e, 1)), column_tiles = tcc_emit_max(e, column_tiles, tcc_emit_i64(e, 1));
  /* Rows are shared out evenly among their tiles. */
  TccVal height = tcc_emit_div(e, tcc_emit_add(e, m, tcc_emit_sub(e, row_tiles, tcc_emit_i64(e, 1))), row_tiles);
  height = tcc_emit_round_up(e, height, p->rows);
  TccLoop tile;
  tcc_emit_for(e, &tile, entry.begin, entry.end, 1, 0, NULL, NULL);
  TccVal rest = tcc_emit_div(e, tile.iv, row_tiles);
  t.row0 = tcc_emit_mul(e, tcc_emit_rem(e, tile.iv, row_tiles), height);
  t.col0 = tcc_emit_mul(e, tcc_emit_rem(e, rest, column_tiles), tcc_emit_i64(e, p->nb));
  t.batch = tcc_emit_div(e, rest, column_tiles);
  t.rows = tcc_emit_max(e, tcc_emit_min(e, height, tcc_emit_sub(e, m, t.row0)), tcc_emit_i64(e, 0));
  t.columns = tcc_emit_min(e, tcc_emit_i64(e, p->nb), tcc_emit_sub(e, n, t.col0));
  t.k0 = tcc_emit_i64(e, 0);
  if (p->one_block) {
    emit_k_block(k, c, &t);
  } else { /* at least once: an empty sum is zero */
    TccLoop block;
    tcc_emit_for(e, &block, t.k0, tcc_emit_max(e, tcc_kernel_size(k, c->k.count), tcc_emit_i64(e, 1)), p->kc, 0, NULL, NULL);
    t.k0 = block.iv;
    emit_k_block(k, c, &t);
    tcc_emit_end_for(e, &block, NULL);
  }
  tcc_emit_end_for(e, &tile, NULL);
  tcc_emit_return(e, 0, NULL);
}

static const TccExpr *tile_count(TccKernelEmit *k, const Contract *c) {
  TccExprPool *pool = k->ir->exprs;
  const TccExpr *rows = tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_kernel_slot(k, c->m.count), tcc_expr_const(pool, c->plan.mb));
  const TccExpr *columns = tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_kernel_slot(k, c->n.count), tcc_expr_const(pool, c->plan.nb));
  return tcc_expr_mul(pool, tcc_kernel_slot(k, c->batch.count), tcc_expr_mul(pool, rows, columns));
}

TccStatus *tcc_contract_emit_kernel(const TccTargetInfo *target, const char *emitter, TccContract *c, TccContractPanel panel, void *user,
                                    TccKernelCode *out) {
  int64_t m = -1, n = -1, depth = -1, batch = 1;
  tcc_expr_is_const(c->m.count, &m), tcc_expr_is_const(c->n.count, &n), tcc_expr_is_const(c->k.count, &depth);
  tcc_expr_is_const(c->batch.count, &batch);
  tcc_contract_plan(&target->machine, &c->type, m, n, depth, batch, c->packed_nr, &c->plan);
  TccEmit emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, &emit, c->ir, &target->machine, c->kernel);
  const TccContractPlan *p = &c->plan;
  int64_t nr = (int64_t)p->vectors * c->type.lanes;
  TccMicro micro = {.type = c->type, .rows = p->rows, .vectors = p->vectors, .lda = p->lda, .ldc = p->ldc};
  tcc_micro_emit(&emit, "tile", &micro);
  if (p->single) {
    micro.rows = 1;
    tcc_micro_emit(&emit, "tile_row", &micro);
  }
  TccPackSource rows = {&c->a, &c->batch, &c->m, &c->k, A}, columns = {&c->b, &c->batch, &c->n, &c->k, B};
  tcc_pack_rows_emit(&k, "pack_rows", &c->type, &rows, p->lda);
  if (panel) panel(&k, "pack_panel", c, nr, user);
  else if (!c->packed_nr) tcc_pack_panel_emit(&k, "pack_panel", &c->type, &columns, nr);
  TccEpilogueBlock block = {&c->epilogue, &c->batch, &c->m, &c->n, R, c->type.acc_elem, p->ldc, c->type.lanes};
  TccStatus *status = tcc_epilogue_emit(&k, "finish", &block);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  emit_entry(&k, c);
  int64_t bytes_a, bytes_b, bytes_c;
  scratch_sizes(c, &bytes_a, &bytes_b, &bytes_c);
  const TccExpr *scratch = tcc_expr_const(c->ir->exprs, bytes_a + bytes_b + bytes_c);
  tcc_kernel_finish(&k, emitter, tcc_contract_schedule(c->ir->arena, p), tile_count(&k, c), scratch, out);
  return NULL;
}

TccStatus *tcc_contract_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  if (tcc_gemv_accepts(&target->machine, ir, kernel)) return tcc_gemv_emit(target, ir, kernel, out);
  TccContract *c = TCC_NEW(ir->arena, TccContract);
  TCC_TRY(read_contract(ir, &target->machine, kernel, c));
  return tcc_contract_emit_kernel(target, "x86.contract", c, NULL, NULL, out);
}
