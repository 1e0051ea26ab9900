/* contract_prepack.c - the kernel kind "pack": a weight in panels, as the register tile reads it.
 *
 * The body of such a kernel says what it does in plain ops (lib/targets/x86/passes/pack_weights.c writes it):
 *
 *   %c = canonical [batch, k, n]; %p = pad to whole k-groups and panels; reshape [batch, k_groups, k_group, panels, nr];
 *   transpose to [batch, panels, k_groups, nr, k_group]; reshape [batch, panels, k_groups, nr * k_group]
 *
 * and tcc.pack = [nr, group] names the panel. One tile is a few panels; the packer is the one that contractions use in a call. */
#include "lib/targets/x86/contract/contract.h"
#include "lib/targets/x86/contract/contract_pack.h"
#include "tcc/op_kinds.h"

enum { PANELS = 4, ROWS = 16 }; /* packed together: 64 MB took 26 ms of 30, more panels gain nothing */

bool tcc_packs_narrow(const TccMicroType *type) {
  return type->k_group == 1 && (type->b == TCC_ELEM_BF16 || type->b == TCC_ELEM_F16);
}

void tcc_packed_layout(const TccMachine *machine, const TccMicroType *type, const TccContractSizes *sizes, int64_t vectors,
                       TccPackedLayout *out) {
  const int64_t n = sizes->n, k = sizes->k;
  const TccContractSizes one = {.batch = 1, .m = sizes->m, .n = n, .k = k};
  TccContractPlan plan;
  tcc_contract_plan(machine, type, &one, &plan);
  int64_t unit = tcc_micro_unit(type);
  out->nr = (vectors ? vectors : plan.vectors) * type->lanes;
  out->k_group = type->k_group;
  out->k_groups = (k + unit - 1) / unit * type->step;
  out->panels = (n + out->nr - 1) / out->nr;
  out->elem = tcc_packs_narrow(type) || tcc_micro_packs_as_is(type, type->b) ? type->b
              : type->k_group == 2                                           ? TCC_ELEM_I16
                                                                             : type->acc_elem;
}

bool tcc_packable_argument(TccIr *ir, MlirValue value, intptr_t *argument) {
  for (;;) {
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) return false;
    if (mlirValueIsABlockArgument(value)) {
      *argument = mlirBlockArgumentGetArgNumber(value);
      return true;
    }
    MlirOperation op = tcc_value_op(value);
    TccOpKind kind = tcc_op_kind(ir, op);
    if (kind != TCC_OP_RESHAPE && kind != TCC_OP_TRANSPOSE && kind != TCC_OP_BROADCAST && kind != TCC_OP_SLICE) return false;
    value = mlirOperationGetOperand(op, 0);
  }
}

static MlirOperation find_pad(TccIr *ir, MlirOperation kernel) {
  MlirOperation found = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == TCC_OP_PAD) found = op;
  return found;
}

/* Columns of a panel that do not exist, from `width` on, are zero: packers that read along k repeat the last one there. */
static void zero_columns(TccEmit *e, const TccMicroType *type, TccVal panel, TccVal width, int64_t nr, TccVal depth) {
  TccIf partial;
  TccLoop row, column;
  TccVal whole = tcc_emit_i64(e, nr), zero = tcc_emit_zero(e, type->k_group_type);
  tcc_emit_if(e, &partial, tcc_emit_icmp(e, "slt", "i64", width, whole), 0, NULL);
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), tcc_emit_div(e, depth, tcc_emit_i64(e, type->k_group)), 1, 0, NULL, NULL);
  TccVal to = tcc_emit_gep(e, type->k_group_type, panel, tcc_emit_mul(e, row.iv, whole));
  tcc_emit_for(e, &column, width, whole, 1, 0, NULL, NULL);
  tcc_emit_store(e, type->k_group_type, zero, tcc_emit_gep(e, type->k_group_type, to, column.iv));
  tcc_emit_end_for(e, &column, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_if(e, &partial, NULL);
}

/* What a pack kernel says. */
typedef struct {
  TccView view; /* of the weight, [batch, depth, columns] */
  TccMicroType type;
  TccSpan span[3];
  int64_t size[3], columns; /* of a panel */
} Pack;

static TccStatus *read_pack(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, Pack *p) {
  const int64_t *shape;
  size_t n;
  MlirOperation pad = find_pad(ir, kernel);
  if (mlirOperationIsNull(pad) || !tcc_get_ints(ir, kernel, "tcc.pack", &shape, &n) || n != 2)
    return TCC_ERROR(TCC_UNSUPPORTED, "a pack kernel without its pad or its tcc.pack");
  MlirValue canonical = mlirOperationGetOperand(pad, 0);
  if (tcc_value_kind(ir, canonical) == TCC_OP_CONVERT) canonical = mlirOperationGetOperand(tcc_value_op(canonical), 0);
  TccView *view = &p->view;
  if (tcc_type_rank(tcc_value_type(canonical)) != 3 || !tcc_view_of(ir, canonical, view))
    return TCC_ERROR(TCC_UNSUPPORTED, "the packed weight is not a strided view");
  TccMicroType *type = &p->type;
  if (!tcc_micro_type(&target->machine, shape[1] == 4 ? TCC_ELEM_U8 : view->elem, view->elem, type) || type->k_group != shape[1] ||
      shape[0] % type->lanes)
    return TCC_ERROR(TCC_UNSUPPORTED, "no packing of %s for this machine", tcc_elem_name(view->elem));
  if (tcc_packs_narrow(type)) { /* copied as they are */
    view->elem = TCC_ELEM_I16;
    type->packed = type->k_group_type = "i16", type->packed_bytes = 2;
  }
  for (int i = 0; i < 3; i++) {
    const TccViewAxis *axis = &view->axis[i];
    const TccExpr *dim = tcc_type_dim(ir, tcc_value_type(canonical), i);
    tcc_span_init(ir, &p->span[i], 1);
    if (!tcc_expr_is_const(dim, &p->size[i]) || !tcc_span_append(ir, &p->span[i], dim, &axis))
      return TCC_ERROR(TCC_UNSUPPORTED, "the packed weight has a dynamic size");
    tcc_span_finish(ir, &p->span[i]);
  }
  p->columns = shape[0];
  return NULL;
}

/* Panels [tile, + group) of a batch, `depth` rows of each at a time. */
static void emit_panels(TccKernelEmit *k, const Pack *p, int64_t group, int64_t depth, int64_t padded) {
  TccEmit *e = k->e;
  const int64_t nr = p->columns, panels = (p->size[2] + nr - 1) / nr, groups = (panels + group - 1) / group;
  TccKernelEntry entry;
  tcc_kernel_entry(k, &entry);
  TccVal result = tcc_emit_load_once(e, TCC_PTR, k->arguments, mlirBlockGetNumArguments(tcc_func_body(k->kernel)));
  TccLoop tile, row, panel;
  tcc_emit_for(e, &tile, entry.begin, entry.end, 1, 0, NULL, NULL);
  TccVal batch = tcc_emit_div(e, tile.iv, tcc_emit_i64(e, groups)), count = tcc_emit_i64(e, panels);
  TccVal first = tcc_emit_mul(e, tcc_emit_rem(e, tile.iv, tcc_emit_i64(e, groups)), tcc_emit_i64(e, group));
  TccVal last = tcc_emit_min(e, count, tcc_emit_add(e, first, tcc_emit_i64(e, group)));
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), tcc_emit_i64(e, padded), depth, 0, NULL, NULL);
  TccVal block = tcc_emit_i64(e, depth);
  TccVal kcount = tcc_emit_min(e, block, tcc_emit_sub(e, tcc_emit_i64(e, p->size[1]), row.iv));
  TccVal kpadded = tcc_emit_min(e, block, tcc_emit_sub(e, tcc_emit_i64(e, padded), row.iv));
  tcc_emit_for(e, &panel, first, last, 1, 0, NULL, NULL);
  TccVal column = tcc_emit_mul(e, panel.iv, tcc_emit_i64(e, nr));
  TccVal width = tcc_emit_min(e, tcc_emit_i64(e, nr), tcc_emit_sub(e, tcc_emit_i64(e, p->size[2]), column));
  TccVal at = tcc_emit_mul(e, tcc_emit_add(e, tcc_emit_mul(e, batch, count), panel.iv), tcc_emit_i64(e, padded));
  TccVal to = tcc_emit_gep(e, p->type.packed, result, tcc_emit_mul(e, tcc_emit_add(e, at, row.iv), tcc_emit_i64(e, nr)));
  TccPackCall call = {to, batch, column, width, width, row.iv, kcount, kpadded};
  tcc_pack_call(k, "pack_panel", &call);
  if (p->size[2] % nr) zero_columns(e, &p->type, to, width, nr, kpadded);
  tcc_emit_end_for(e, &panel, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &tile, NULL);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *tcc_pack_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Pack p;
  TCC_TRY(read_pack(target, ir, kernel, &p));
  TccEmit emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, &emit, ir, target, kernel);
  const int64_t nr = p.columns, unit = tcc_micro_unit(&p.type), padded = (p.size[1] + unit - 1) / unit * unit,
                panels = (p.size[2] + nr - 1) / nr;
  TccPackSource source = {&p.view, &p.span[0], &p.span[2], &p.span[1], 0, p.size[1]};
  tcc_pack_panel_emit(&k, "pack_panel", &p.type, &source, nr);
  /* Rows of the source are long: some rows of a few panels at a time read runs of them. Columns of a source are runs already. */
  const bool along = tcc_pack_is_transposing(&k, &p.type, &source);
  const int64_t group = along ? 1 : PANELS, groups = (panels + group - 1) / group;
  emit_panels(&k, &p, group, along ? padded : ROWS, padded);
  const char *schedule =
      tcc_arena_printf(ir->arena, "x86.pack/3 nr=%lld group=%d panels=%lld", (long long)nr, p.type.k_group, (long long)group);
  tcc_kernel_finish(&k, "x86.pack", schedule, tcc_expr_const(ir->exprs, p.size[0] * groups), tcc_expr_const(ir->exprs, 0), out);
  return NULL;
}
