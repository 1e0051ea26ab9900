/* build.c - builders that ask something of the node at hand, beside those of ir.h: null in, null out. */
#include "lib/frontend/import/import.h"
#include "tcc/op_kinds.h"

static const MlirValue null_value = {NULL};

MlirValue import_op(ImportCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                    size_t nattrs) {
  return c->reason ? null_value : tcc_build_value(&c->b, kind, operands, noperands, attrs, nattrs, NULL);
}

MlirValue import_op_typed(ImportCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                          size_t nattrs, const ImportShape *result) {
  MlirType type = tcc_tensor_type(c->ir, result->elem, result->rank, result->dims);
  if (c->reason) return null_value;
  if (mlirTypeIsNull(type)) {
    import_invalid(c, "a size of the result is negative");
    return null_value;
  }
  return tcc_build_value(&c->b, kind, operands, noperands, attrs, nattrs, &type);
}

MlirValue import_fit(ImportCall *c, MlirValue x, int64_t axis, const TccExpr *size) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  if (!x.ptr || axis < 0 || shape.dims[axis] == size) return x;
  for (int i = 0; i < shape.rank; i++) low[i] = high[i] = import_size(c, 0);
  high[axis] = import_size_sub(c, size, shape.dims[axis]);
  return tcc_build_pad(&c->b, x, null_value, low, high, "constant");
}

MlirValue import_fit_last(ImportCall *c, MlirValue x, const TccExpr *size) {
  return import_fit(c, x, import_shape(c, x).rank - 1, size);
}

static bool complex_operands(ImportCall *c, MlirValue re, MlirValue im, MlirValue *operands) {
  operands[0] = re, operands[1] = im;
  if (re.ptr && !im.ptr) operands[1] = import_op(c, TCC_OP_NONE, NULL, 0, NULL, 0);
  return re.ptr && operands[1].ptr;
}

const TccExpr *import_half_spectrum(ImportCall *c, const TccExpr *n) {
  return import_size_add(c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, n, import_size(c, 2)), import_size(c, 1));
}

void import_fft(ImportCall *c, MlirValue re, MlirValue im, int64_t axis, bool inverse, bool half, MlirValue *out) {
  MlirValue operands[2];
  const bool halves = half && !im.ptr;
  TccNamedAttr attrs[] = {
      {"axis", tcc_attr_i64(c->ir, axis)}, {"inverse", tcc_attr_bool(c->ir, inverse)}, {"half", tcc_attr_bool(c->ir, halves)}};
  out[0] = out[1] = null_value;
  if (!complex_operands(c, re, im, operands)) return;
  MlirOperation op = tcc_build(&c->b, TCC_OP_FFT, operands, 2, attrs, 3, NULL);
  for (int i = 0; i < 2 && !mlirOperationIsNull(op); i++) out[i] = mlirOperationGetResult(op, i);
}

MlirValue import_irfft(ImportCall *c, MlirValue re, MlirValue im, int64_t axis, const TccExpr *n) {
  MlirValue operands[2];
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, axis)}, {"size", tcc_attr_exprs(c->ir, &n, 1)}};
  return complex_operands(c, re, im, operands) ? import_op(c, TCC_OP_IRFFT, operands, 2, attrs, 2) : null_value;
}

MlirValue import_unsqueeze(ImportCall *c, MlirValue x, int64_t axis) {
  int rank = x.ptr ? tcc_type_rank(tcc_value_type(x)) : 0;
  if (rank < TCC_MAX_RANK) return tcc_build_unsqueeze(&c->b, x, axis);
  import_unsupported(c, "a result of rank %d", rank + 1);
  return null_value;
}

MlirValue import_iota(ImportCall *c, TccElem elem, const TccExpr *size) {
  ImportShape shape = {elem, 1, {size}};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 0)};
  return import_op_typed(c, TCC_OP_IOTA, NULL, 0, &axis, 1, &shape);
}

MlirValue import_index(ImportCall *c, MlirValue indices) {
  return tcc_value_elem(indices) == TCC_ELEM_I32 ? indices : tcc_build_convert(&c->b, indices, TCC_ELEM_I64);
}

MlirValue import_nonzero(ImportCall *c, MlirValue x) {
  TccStr name;
  if (!x.ptr || !tcc_expr_is_symbol(tcc_expr_fresh(c->ir->exprs, "nz"), &name)) return null_value;
  TccNamedAttr attr = {"size", tcc_attr_str(c->ir, name)};
  return import_op(c, TCC_OP_NONZERO, &x, 1, &attr, 1);
}
