/* scalar.c - a target outside of the tree: kernels of elementwise ops and of reductions, an element at a time; the reference target makes the
 * rest. Written by docs/adding-a-target.md. */
#include "scalar.h"
#include "lib/codegen/emit/pull_emit.h"
#include "lib/codegen/read/row.h"
#include "lib/targets/targets.h"

enum { TILE = 1024 /* elements of a map */, ROW_TILE = 16 /* rows */ };

/* ---- elementwise ---- */

typedef struct {
  TccPull pull;
  TccPullNode *root;
  TccPullIndex store;
  const TccExpr *count;
} MapResult;

/* Elements [first, behind) of a result. */
static TccStatus *emit_elements(TccKernelEmit *k, const MapResult *r, int argument, TccElem elem, TccVal first, TccVal behind) {
  TccEmit *t = k->e;
  TccPullEmit e;
  TccLoop loop;
  TccVal value;
  int dims[TCC_PULL_DIMS];
  for (int d = 0; d < r->pull.ndims; d++) dims[d] = d;
  tcc_pull_emit_init(&e, k, &r->pull, 1);
  tcc_emit_for(t, &loop, first, tcc_emit_min(t, behind, tcc_kernel_size(k, r->count)), 1, 0, NULL, NULL);
  tcc_pull_emit_place(&e, dims, r->pull.ndims, loop.iv);
  TCC_TRY(tcc_pull_emit_node(&e, r->root, &value));
  TCC_TRY(tcc_pull_emit_store(&e, argument, elem, &r->store, value));
  tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

static TccStatus *emit_map(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  MlirBlock body = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(body);
  intptr_t nresults = mlirOperationGetNumOperands(end);
  MapResult *results = TCC_NEW_ARRAY(ir->arena, MapResult, nresults + 1);
  const TccExpr *most = tcc_expr_const(ir->exprs, 0);
  for (intptr_t i = 0; i < nresults; i++) {
    MapResult *r = &results[i];
    r->root = tcc_pull_result(&r->pull, ir, kernel, mlirOperationGetOperand(end, i), &r->store);
    if (!r->root) return r->pull.status;
    r->count = tcc_type_count(ir, tcc_value_type(mlirOperationGetOperand(end, i)));
    most = i ? tcc_expr_call(ir->exprs, TCC_EXPR_MAX, most, r->count) : r->count;
  }
  TccEmit emit;
  TccKernelEmit k;
  TccKernelEntry entry;
  TccStatus *status = NULL;
  tcc_kernel_init(&k, &emit, ir, target, kernel);
  tcc_kernel_entry(&k, &entry);
  TccVal tile = tcc_emit_i64(&emit, TILE), first = tcc_emit_mul(&emit, entry.begin, tile),
         behind = tcc_emit_mul(&emit, entry.end, tile);
  for (intptr_t i = 0; i < nresults && !status; i++)
    status = emit_elements(&k, &results[i], (int)(mlirBlockGetNumArguments(body) + i),
                           tcc_type_elem(tcc_value_type(mlirOperationGetOperand(end, i))), first, behind);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_return(&emit, 0, NULL);
  const TccExpr *tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, most, tcc_expr_const(ir->exprs, TILE));
  tcc_kernel_finish(&k, "scalar.map", "", tcc_kernel_slot(&k, tiles), tcc_expr_const(ir->exprs, 0), out);
  return NULL;
}

/* ---- reductions ---- */

typedef struct {
  TccRow read;
  int staying[TCC_PULL_DIMS], nstaying, reduced[TCC_PULL_DIMS], nreduced; /* dims */
  const TccExpr *rows, *length;
  TccKernelEmit *k;
  TccPullEmit emit;
} Row;

/* One reduction, in a loop of its own: those before it in the kernel have their values. */
static TccStatus *emit_reduction(Row *row, const TccRowReduction *r) {
  TccEmit *t = row->k->e;
  const char *type = tcc_scalar_type(r->wide);
  TccVal init = tcc_scalar_neutral(t, r->kind, r->wide, 1), value;
  TccLoop loop;
  tcc_emit_for(t, &loop, tcc_emit_i64(t, 0), tcc_kernel_size(row->k, row->length), 1, 1, &init, &type);
  tcc_pull_emit_reset(&row->emit);
  tcc_pull_emit_place(&row->emit, row->reduced, row->nreduced, loop.iv);
  TCC_TRY(tcc_pull_emit_node(&row->emit, r->operand, &value));
  value = tcc_scalar_combine(t, r->kind, r->wide, 1, loop.in[0], tcc_scalar_convert(t, r->elem, r->wide, 1, value));
  tcc_emit_end_for(t, &loop, &value);
  value = tcc_scalar_convert(t, r->wide, tcc_type_elem(tcc_value_type(mlirOperationGetResult(r->op, 0))), 1, loop.out[0]);
  for (size_t i = 0; i < row->read.pull.nodes.count; i++) {
    const TccPullNode *node = row->read.pull.nodes.data[i];
    if (node->kind == TCC_PULL_REDUCED && mlirOperationEqual(node->op, r->op)) row->emit.reduced[i] = value;
  }
  return NULL;
}

/* A result of the whole row, element by element, or of its reduction. */
static TccStatus *emit_result(Row *row, const TccRowResult *r) {
  TccEmit *t = row->k->e;
  TccLoop loop;
  TccVal value, zero = tcc_emit_i64(t, 0), one = tcc_emit_i64(t, 1);
  tcc_emit_for(t, &loop, zero, r->full ? tcc_kernel_size(row->k, row->length) : one, 1, 0, NULL, NULL);
  tcc_pull_emit_reset(&row->emit);
  tcc_pull_emit_place(&row->emit, row->reduced, row->nreduced, loop.iv);
  TCC_TRY(tcc_pull_emit_node(&row->emit, r->root, &value));
  TCC_TRY(tcc_pull_emit_store(&row->emit, r->argument, r->elem, &r->store, value));
  tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

static TccStatus *emit_rows(Row *row, const TccKernelEntry *entry) {
  TccEmit *t = row->k->e;
  TccVal tile = tcc_emit_i64(t, ROW_TILE);
  TccLoop rows;
  tcc_emit_for(t, &rows, tcc_emit_mul(t, entry->begin, tile),
               tcc_emit_min(t, tcc_emit_mul(t, entry->end, tile), tcc_kernel_size(row->k, row->rows)), 1, 0, NULL, NULL);
  tcc_pull_emit_place(&row->emit, row->staying, row->nstaying, rows.iv);
  for (int level = 0; level < row->read.nlevels; level++)
    for (int i = 0; i < row->read.nreductions; i++)
      if (row->read.reduction[i].level == level) TCC_TRY(emit_reduction(row, &row->read.reduction[i]));
  for (int i = 0; i < row->read.nresults; i++) TCC_TRY(emit_result(row, &row->read.result[i]));
  tcc_emit_end_for(t, &rows, NULL);
  return NULL;
}

static TccStatus *emit_row(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Row *row = TCC_NEW(ir->arena, Row);
  TCC_TRY(tcc_row_read(ir, kernel, &row->read));
  for (int i = 0; i < row->read.nreductions; i++)
    if (row->read.reduction[i].is_arg) return TCC_ERROR(TCC_UNSUPPORTED, "a scalar arg_reduce");
  row->nstaying = tcc_row_dims(&row->read, false, row->staying, &row->rows);
  row->nreduced = tcc_row_dims(&row->read, true, row->reduced, &row->length);
  TccEmit emit;
  TccKernelEmit k;
  TccKernelEntry entry;
  row->k = &k;
  tcc_kernel_init(&k, &emit, ir, target, kernel);
  tcc_kernel_entry(&k, &entry);
  tcc_pull_emit_init(&row->emit, &k, &row->read.pull, 1);
  TccStatus *status = emit_rows(row, &entry);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_return(&emit, 0, NULL);
  const TccExpr *tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, row->rows, tcc_expr_const(ir->exprs, ROW_TILE));
  tcc_kernel_finish(&k, "scalar.row", "", tcc_kernel_slot(&k, tiles), tcc_expr_const(ir->exprs, 0), out);
  return NULL;
}

/* ---- the target ---- */

/* Its code runs where that of the reference target does. */
static TccStatus *machine(TccStr text, TccMachine *out) { return tcc_target_reference.machine(text, out); }

static const TccEmitter emitters[] = {{TCC_KERNEL_MAP, emit_map}, {TCC_KERNEL_ROW, emit_row}};

const TccTarget tcc_target_scalar = {
    .name = "scalar",
    .machine = machine,
    .layout = "tcc-decompose{only=batch_norm}",
    .kernels = "",
    .emitters = emitters,
    .nemitters = sizeof emitters / sizeof *emitters,
    .fallback = &tcc_target_reference,
};
