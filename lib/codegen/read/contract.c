/* contract.c - see contract.h. */
#include "lib/codegen/read/contract.h"
#include "lib/codegen/read/kernel.h"

enum { A = TCC_CONTRACT_A, B = TCC_CONTRACT_B, R = TCC_CONTRACT_R, TENSORS = TCC_CONTRACT_TENSORS };

const TccExpr *tcc_axes_count(TccIr *ir, MlirType type, const int *axes, int naxes) {
  const TccExpr *count = tcc_expr_const(ir->exprs, 1);
  for (int i = 0; i < naxes; i++) count = tcc_expr_mul(ir->exprs, count, tcc_type_dim(ir, type, axes[i]));
  return count;
}

TccStatus *tcc_contraction_find(TccIr *ir, MlirOperation kernel, TccContraction *c) {
  *c = (TccContraction){.ir = ir, .kernel = kernel, .dot = tcc_read_find(ir, kernel, TCC_OP_DOT_GENERAL)};
  if (mlirOperationIsNull(c->dot)) return TCC_ERROR(TCC_UNSUPPORTED, "no dot_general in a contract kernel");
  if (!tcc_dot_axes(ir, c->dot, &c->axes)) return TCC_ERROR(TCC_INVALID, "dot_general without its axes");
  const int64_t *packed;
  size_t n;
  if (!tcc_get_ints(ir, kernel, "tcc.packed", &packed, &n)) return NULL;
  if (n != 3) return TCC_ERROR(TCC_INVALID, "tcc.packed has %zu entries", n);
  c->packed_argument = (int)packed[0], c->packed_nr = packed[1], c->packed_batched = packed[2] != 0;
  return NULL;
}

/* Adds axis `result_axis` of the product (-1: contracted), which is axis `a` of the left and `b` of the right operand (-1: none). */
static bool append(TccContraction *c, TccSpan *span, int result_axis, int a, int b) {
  const TccViewAxis *axes[TENSORS + TCC_EPILOGUE_LEAVES] = {0};
  MlirType type = tcc_value_type(c->axes.operand[a >= 0 ? 0 : 1]);
  if (a >= 0) axes[A] = &c->a.axis[a];
  if (b >= 0 && c->has_b) axes[B] = &c->b.axis[b];
  if (result_axis >= 0) tcc_epilogue_axes(c->ir, &c->epilogue, result_axis, R, axes);
  return tcc_span_append(c->ir, span, tcc_type_dim(c->ir, type, a >= 0 ? a : b), axes);
}

TccStatus *tcc_contraction_spans(TccContraction *c, bool shared) {
  const TccDotAxes *d = &c->axes;
  TccSpan *spans[] = {&c->batch, &c->m, &c->n, &c->k};
  int at = 0;
  bool ok = true;
  for (int i = 0; i < 4; i++) tcc_span_init(c->ir, spans[i], TENSORS + c->epilogue.nleaves);
  for (int i = 0; i < d->nbatch; i++)
    ok = ok && append(c, shared ? &c->m : &c->batch, at++, d->batch[0][i], shared ? -1 : d->batch[1][i]);
  for (int i = 0; i < d->nfree[0]; i++) ok = ok && append(c, &c->m, at++, d->free[0][i], -1);
  for (int i = 0; i < d->nfree[1]; i++) ok = ok && append(c, &c->n, at++, -1, d->free[1][i]);
  for (int i = 0; i < d->ncontract; i++) ok = ok && append(c, &c->k, -1, d->contract[0][i], d->contract[1][i]);
  if (!ok) return TCC_ERROR(TCC_UNSUPPORTED, "views of the operands do not line up");
  for (int i = 0; i < 4; i++) tcc_span_finish(c->ir, spans[i]);
  return NULL;
}

TccStatus *tcc_contraction_read(TccContraction *c) {
  TccIr *ir = c->ir;
  if (!tcc_view_of(ir, c->axes.operand[0], &c->a)) return TCC_ERROR(TCC_UNSUPPORTED, "the left operand is not a strided view");
  c->has_b = !c->packed_nr;
  if (c->has_b && !tcc_view_of(ir, c->axes.operand[1], &c->b) &&
      (c->axes.nbatch != 1 || c->axes.batch[1][0] != 0 || !tcc_lookup_of(ir, c->axes.operand[1], &c->b, &c->lookup)))
    return TCC_ERROR(TCC_UNSUPPORTED, "the right operand is not a strided view");
  TCC_TRY(tcc_epilogue_read(ir, c->kernel, mlirOperationGetResult(c->dot, 0), &c->epilogue));
  bool shared = true; /* one right operand for all of the batch */
  for (int i = 0; i < c->axes.nbatch; i++)
    shared = shared && !c->lookup.present && (c->packed_nr ? !c->packed_batched : tcc_view_repeats(&c->b, c->axes.batch[1][i]));
  TCC_TRY(tcc_contraction_spans(c, shared));
  if (!c->lookup.present) return NULL;
  c->batch.lookup = &c->lookup, c->batch.lookup_tensor = B;
  return c->batch.n == 1 ? NULL : TCC_ERROR(TCC_UNSUPPORTED, "a batch of %d steps, whose right operand is looked up", c->batch.n);
}

void tcc_contraction_turn(TccContraction *c) {
  TccDotAxes axes = c->axes;
  TccView a = c->a;
  TccSpan m = c->m, *spans[] = {&c->batch, &c->m, &c->n, &c->k};
  c->turned = !c->turned;
  c->a = c->b, c->b = a;
  c->m = c->n, c->n = m;
  for (int i = 0; i < 4; i++)
    for (int step = 0; step < spans[i]->n; step++) {
      const TccExpr *const *old = spans[i]->stride[step]; /* which a copy of *c may have, too */
      const TccExpr **stride = TCC_NEW_ARRAY(c->ir->arena, const TccExpr *, spans[i]->ntensors);
      memcpy(stride, old, sizeof *stride * (size_t)spans[i]->ntensors);
      stride[A] = old[B], stride[B] = old[A], spans[i]->stride[step] = stride;
    }
  if (c->lookup.present) c->batch.lookup_tensor = A;
  for (int side = 0; side < 2; side++) {
    c->axes.operand[side] = axes.operand[1 - side];
    c->axes.nfree[side] = axes.nfree[1 - side];
    memcpy(c->axes.batch[side], axes.batch[1 - side], sizeof axes.batch[side]);
    memcpy(c->axes.free[side], axes.free[1 - side], sizeof axes.free[side]);
    memcpy(c->axes.contract[side], axes.contract[1 - side], sizeof axes.contract[side]);
  }
}
