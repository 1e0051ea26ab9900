/* contract_read.c - a kernel around one dot_general as its emitter sees it: batch, rows, columns and depth as spans of axes. */
#include "lib/codegen/contract/contract_internal.h"

enum { A = TCC_CONTRACT_A, B = TCC_CONTRACT_B, R = TCC_CONTRACT_R, TENSORS = TCC_CONTRACT_TENSORS };
typedef TccContract Contract;

static MlirOperation find_op(TccIr *ir, MlirOperation kernel, TccOpKind kind) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
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

TccStatus *tcc_contract_read(TccIr *ir, const TccMachine *machine, MlirOperation kernel, Contract *c) {
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
