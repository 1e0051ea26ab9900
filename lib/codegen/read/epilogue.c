/* epilogue.c - see epilogue.h. */
#include "lib/codegen/read/epilogue.h"
#include "lib/codegen/read/kernel.h"

static bool is_leaf_known(const TccEpilogue *ep, MlirValue v) {
  for (int i = 0; i < ep->nleaves; i++)
    if (i != ep->bias && mlirValueEqual(ep->leaf[i], v)) return true;
  return false;
}

static bool is_elementwise(TccIr *ir, MlirValue v) {
  TccOpKind kind = tcc_value_kind(ir, v);
  return kind != TCC_OP_UNKNOWN && tcc_op_has_trait(kind, 'E');
}

static TccStatus *read_value(TccIr *ir, TccEpilogue *ep, MlirValue v, int *ops) {
  if (mlirValueEqual(v, ep->anchor) || is_leaf_known(ep, v) || tcc_read_number(ir, v, NULL)) return NULL;
  if (is_elementwise(ir, v)) {
    if (++*ops > TCC_EPILOGUE_OPS)
      return TCC_ERROR(TCC_UNSUPPORTED, "more than %d elementwise ops after the anchor", TCC_EPILOGUE_OPS);
    MlirOperation op = tcc_value_op(v);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      if (!tcc_value_is_none(ir, mlirOperationGetOperand(op, i))) TCC_TRY(read_value(ir, ep, mlirOperationGetOperand(op, i), ops));
    return NULL;
  }
  if (ep->nleaves == TCC_EPILOGUE_LEAVES)
    return TCC_ERROR(TCC_UNSUPPORTED, "more than %d operands of the epilogue", TCC_EPILOGUE_LEAVES);
  if (!tcc_view_of(ir, v, &ep->view[ep->nleaves]))
    return TCC_ERROR(TCC_UNSUPPORTED, "an operand of the epilogue is not a strided view");
  int rank = tcc_type_rank(tcc_value_type(ep->root));
  if (ep->view[ep->nleaves].rank > rank)
    return TCC_ERROR(TCC_UNSUPPORTED, "an operand of the epilogue has more axes than its result");
  ep->leaf[ep->nleaves++] = v;
  return NULL;
}

static TccStatus *check_shape(TccIr *ir, const TccEpilogue *ep) {
  MlirType at = tcc_value_type(ep->anchor), rt = tcc_value_type(ep->root);
  int extra = tcc_type_rank(rt) - tcc_type_rank(at);
  if (extra < 0) return TCC_ERROR(TCC_UNSUPPORTED, "the epilogue drops axes");
  for (int i = 0; i < tcc_type_rank(rt); i++) {
    const TccExpr *want = i < extra ? tcc_expr_const(ir->exprs, 1) : tcc_type_dim(ir, at, i - extra);
    if (tcc_type_dim(ir, rt, i) != want) return TCC_ERROR(TCC_UNSUPPORTED, "the epilogue broadcasts the anchor's result");
  }
  return NULL;
}

TccStatus *tcc_epilogue_find(TccIr *ir, MlirOperation kernel, MlirValue anchor, int result, TccEpilogue *ep) {
  *ep = (TccEpilogue){.kernel = kernel, .anchor = anchor, .bias = -1};
  const MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  if (result >= mlirOperationGetNumOperands(end)) return TCC_ERROR(TCC_UNSUPPORTED, "a kernel without a result %d", result);
  MlirValue root = mlirOperationGetOperand(end, result);
  while (!mlirValueEqual(root, anchor) && !is_elementwise(ir, root)) {
    TccOpKind kind = tcc_value_kind(ir, root);
    if (kind != TCC_OP_RESHAPE && kind != TCC_OP_TRANSPOSE)
      return TCC_ERROR(TCC_UNSUPPORTED, "'%s' after the anchor", tcc_op_name(kind));
    root = mlirOperationGetOperand(tcc_value_op(root), 0);
  }
  ep->root = root;
  if (!tcc_view_of_result(ir, kernel, result, root, &ep->result))
    return TCC_ERROR(TCC_UNSUPPORTED, "the result's layout is not strided");
  return check_shape(ir, ep);
}

TccStatus *tcc_epilogue_read(TccIr *ir, MlirOperation kernel, MlirValue anchor, TccEpilogue *ep) {
  int ops = 0, results = (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel)));
  if (results != 1) return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results", results);
  TCC_TRY(tcc_epilogue_find(ir, kernel, anchor, 0, ep));
  return read_value(ir, ep, ep->root, &ops);
}

TccStatus *tcc_epilogue_read_to(TccIr *ir, MlirOperation kernel, MlirValue anchor, MlirValue root, const TccView *result,
                                TccEpilogue *ep) {
  *ep = (TccEpilogue){.kernel = kernel, .anchor = anchor, .root = root, .result = *result, .bias = -1};
  int ops = 0;
  TCC_TRY(check_shape(ir, ep));
  return read_value(ir, ep, ep->root, &ops);
}

TccStatus *tcc_epilogue_add_bias(TccIr *ir, TccEpilogue *ep, MlirValue bias, int axis) {
  if (mlirValueIsNull(bias) || tcc_value_is_none(ir, bias)) return NULL;
  if (ep->nleaves == TCC_EPILOGUE_LEAVES)
    return TCC_ERROR(TCC_UNSUPPORTED, "more than %d operands of the epilogue", TCC_EPILOGUE_LEAVES);
  if (!tcc_view_of(ir, bias, &ep->view[ep->nleaves])) return TCC_ERROR(TCC_UNSUPPORTED, "the bias is not a strided view");
  ep->leaf[ep->nleaves] = (MlirValue){NULL}; /* a use of the same value by another op is another leaf */
  ep->bias = ep->nleaves++;
  ep->bias_axis = axis;
  return NULL;
}

/* Axis of a view that meets `axis` of the root, NULL where it is broadcast or absent. */
static const TccViewAxis *meeting_axis(TccIr *ir, const TccView *view, int axis, int rank, const TccExpr *size) {
  int at = axis - (rank - view->rank);
  int64_t one;
  if (at < 0) return NULL;
  const TccViewAxis *a = &view->axis[at];
  bool single = a->n == 1 && tcc_expr_is_const(a->size[0], &one) && one == 1;
  return single && size != tcc_expr_const(ir->exprs, 1) ? NULL : a;
}

void tcc_epilogue_axes(TccIr *ir, const TccEpilogue *ep, int axis, int first, const TccViewAxis **axes) {
  MlirType type = tcc_value_type(ep->root);
  int rank = tcc_type_rank(type), at = axis + rank - tcc_type_rank(tcc_value_type(ep->anchor));
  const TccExpr *size = tcc_type_dim(ir, type, at);
  axes[first] = &ep->result.axis[at];
  for (int i = 0; i < ep->nleaves; i++) {
    if (i == ep->bias) axes[first + 1 + i] = axis == ep->bias_axis ? &ep->view[i].axis[0] : NULL;
    else axes[first + 1 + i] = meeting_axis(ir, &ep->view[i], at, rank, size);
  }
}

TccStatus *tcc_epilogue_pull(TccIr *ir, const TccEpilogue *ep, TccPulledEpilogue *out) {
  MlirType type = tcc_value_type(ep->root);
  int rank = tcc_type_rank(type), extra = rank - tcc_type_rank(tcc_value_type(ep->anchor)), nsteps = 0;
  const TccExpr *stride[TCC_PULL_DIMS];
  int axis_of[TCC_PULL_DIMS];
  TccPull *p = &out->pull;
  out->dims.count = 0;
  for (int a = extra; a < rank; a++) {
    const TccViewAxis *axis = &ep->result.axis[a];
    out->first_step[a - extra] = nsteps;
    for (int s = 0; s < axis->n; s++) {
      if (nsteps == TCC_PULL_DIMS) return TCC_ERROR(TCC_UNSUPPORTED, "a result with too many steps in memory");
      out->dims.size[nsteps] = out->step[nsteps] = axis->size[s], out->dims.axis[nsteps] = nsteps;
      axis_of[nsteps] = a, stride[nsteps++] = axis->stride[s];
    }
  }
  out->dims.count = nsteps, out->first_step[rank - extra] = nsteps;
  for (;;) {
    TccPullIndex step[TCC_PULL_DIMS], index[TCC_MAX_RANK];
    tcc_pull_init(p, ir, ep->kernel);
    p->anchor = mlirOpResultGetOwner(ep->anchor);
    if (!mlirValueIsNull(ep->second)) p->second_anchor = mlirOpResultGetOwner(ep->second);
    tcc_pull_use_dims(p, &out->dims, nsteps, step);
    out->store = tcc_pull_constant(p, ep->result.offset);
    for (int a = 0; a < rank; a++) index[a] = tcc_pull_constant(p, tcc_expr_const(ir->exprs, 0));
    for (int s = 0; s < nsteps; s++) {
      TccPullIndex *at = &index[axis_of[s]], moved = tcc_pull_scale(p, &step[s], stride[s]);
      *at = tcc_pull_scale(p, at, out->step[s]);
      *at = tcc_pull_add(p, at, &step[s]);
      out->store = tcc_pull_add(p, &out->store, &moved);
    }
    out->root = tcc_pull_value(p, ep->root, index);
    if (p->status) return p->status;
    if (out->root) return NULL;
    if (!tcc_pull_resplit(p, &out->dims)) return p->status;
  }
}
