/* import_build.c - the builders of ir.h for handlers: null values pass through, common steps have a name. */
#include "lib/frontend/onnx/import.h"

static MlirValue only(MlirOperation op) { return mlirOperationIsNull(op) ? (MlirValue){NULL} : mlirOperationGetResult(op, 0); }

MlirValue onnx_op(OnnxCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                  size_t nattrs) {
  return c->reason ? (MlirValue){NULL} : only(tcc_build(&c->b, kind, operands, noperands, attrs, nattrs, NULL));
}

MlirValue onnx_op_typed(OnnxCall *c, TccOpKind kind, const MlirValue *operands, size_t noperands, const TccNamedAttr *attrs,
                        size_t nattrs, const OnnxShape *result) {
  MlirType type = tcc_tensor_type(c->ir, result->elem, result->rank, result->dims);
  if (c->reason) return (MlirValue){NULL};
  if (mlirTypeIsNull(type)) {
    onnx_invalid(c, "a size of the result is negative");
    return (MlirValue){NULL};
  }
  return only(tcc_build(&c->b, kind, operands, noperands, attrs, nattrs, &type));
}

MlirValue onnx_unary(OnnxCall *c, TccOpKind kind, MlirValue x) { return x.ptr ? tcc_build1(&c->b, kind, x) : x; }

MlirValue onnx_binary(OnnxCall *c, TccOpKind kind, MlirValue x, MlirValue y) {
  return x.ptr && y.ptr ? tcc_build2(&c->b, kind, x, y) : (MlirValue){NULL};
}

MlirValue onnx_binary_number(OnnxCall *c, TccOpKind kind, MlirValue x, double y) {
  return x.ptr ? onnx_binary(c, kind, x, onnx_scalar(c, onnx_value_elem(x), y)) : x;
}

MlirValue onnx_compare(OnnxCall *c, const char *predicate, MlirValue x, MlirValue y) {
  return x.ptr && y.ptr ? tcc_build_compare(&c->b, predicate, x, y) : (MlirValue){NULL};
}

MlirValue onnx_select(OnnxCall *c, MlirValue condition, MlirValue x, MlirValue y) {
  return condition.ptr && x.ptr && y.ptr ? tcc_build_select(&c->b, condition, x, y) : (MlirValue){NULL};
}

MlirValue onnx_scalar(OnnxCall *c, TccElem elem, double value) {
  return elem ? tcc_build_scalar(&c->b, elem, value) : (MlirValue){NULL};
}
MlirValue onnx_scalar_i64(OnnxCall *c, TccElem elem, int64_t value) {
  return elem ? tcc_build_scalar_i64(&c->b, elem, value) : (MlirValue){NULL};
}
MlirValue onnx_sizes(OnnxCall *c, const TccExpr *const *values, size_t count) { return tcc_build_sizes(&c->b, values, count); }
MlirValue onnx_size_scalar(OnnxCall *c, const TccExpr *value) { return onnx_reshape(c, onnx_sizes(c, &value, 1), 0, NULL); }
MlirValue onnx_convert(OnnxCall *c, MlirValue x, TccElem elem) {
  return x.ptr && elem ? tcc_build_convert(&c->b, x, elem) : (MlirValue){NULL};
}
MlirValue onnx_reshape(OnnxCall *c, MlirValue x, int rank, const TccExpr *const *dims) {
  return x.ptr ? tcc_build_reshape(&c->b, x, rank, dims) : x;
}
MlirValue onnx_broadcast(OnnxCall *c, MlirValue x, int rank, const TccExpr *const *dims) {
  return x.ptr ? tcc_build_broadcast(&c->b, x, rank, dims) : x;
}
MlirValue onnx_transpose(OnnxCall *c, MlirValue x, const int64_t *perm) { return x.ptr ? tcc_build_transpose(&c->b, x, perm) : x; }

static MlirValue slice(OnnxCall *c, MlirValue x, int64_t axis, const TccExpr *start, int64_t step, const TccExpr *size) {
  OnnxShape shape = onnx_shape(c, x);
  const TccExpr *starts[TCC_MAX_RANK];
  int64_t steps[TCC_MAX_RANK];
  if (!x.ptr) return x;
  if (axis >= shape.rank) {
    onnx_invalid(c, "rank %d is too small", shape.rank);
    return (MlirValue){NULL};
  }
  for (int i = 0; i < shape.rank; i++) starts[i] = onnx_size(c, 0), steps[i] = 1;
  starts[axis] = start;
  steps[axis] = step;
  shape.dims[axis] = size;
  return tcc_build_slice(&c->b, x, starts, steps, shape.dims);
}

MlirValue onnx_slice(OnnxCall *c, MlirValue x, int64_t axis, const TccExpr *start, const TccExpr *size) {
  return slice(c, x, axis, start, 1, size);
}

MlirValue onnx_slice_step(OnnxCall *c, MlirValue x, int64_t axis, int64_t start, int64_t step, const TccExpr *size) {
  return slice(c, x, axis, onnx_size(c, start), step, size);
}

MlirValue onnx_concat(OnnxCall *c, const MlirValue *values, size_t count, int64_t axis) {
  for (size_t i = 0; i < count; i++)
    if (!values[i].ptr) return values[i];
  return tcc_build_concat(&c->b, values, count, axis);
}

MlirValue onnx_reduce(OnnxCall *c, const char *kind, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims) {
  return x.ptr ? tcc_build_reduce(&c->b, kind, x, axes, naxes, keepdims) : x;
}

MlirValue onnx_mean(OnnxCall *c, MlirValue x, const int64_t *axes, size_t naxes, bool keepdims) {
  TccNamedAttr attrs[] = {{"axes", tcc_attr_ints(c->ir, axes, naxes)}, {"keepdims", tcc_attr_bool(c->ir, keepdims)}};
  return x.ptr ? onnx_op(c, TCC_OP_MEAN, &x, 1, attrs, 2) : x;
}

MlirValue onnx_unsqueeze(OnnxCall *c, MlirValue x, int64_t axis) {
  OnnxShape shape = onnx_shape(c, x);
  if (!x.ptr) return x;
  if (shape.rank == TCC_MAX_RANK) {
    onnx_unsupported(c, "a result of rank %d", shape.rank + 1);
    return (MlirValue){NULL};
  }
  for (int i = shape.rank++; i > axis; i--) shape.dims[i] = shape.dims[i - 1];
  shape.dims[axis] = onnx_size(c, 1);
  return onnx_reshape(c, x, shape.rank, shape.dims);
}

MlirValue onnx_squeeze(OnnxCall *c, MlirValue x, int64_t axis) {
  OnnxShape shape = onnx_shape(c, x);
  if (!x.ptr) return x;
  for (int i = (int)axis; i + 1 < shape.rank; i++) shape.dims[i] = shape.dims[i + 1];
  return onnx_reshape(c, x, shape.rank - 1, shape.dims);
}

MlirValue onnx_iota(OnnxCall *c, TccElem elem, const TccExpr *size) {
  OnnxShape shape = {elem, 1, {size}};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 0)};
  return onnx_op_typed(c, TCC_OP_IOTA, NULL, 0, &axis, 1, &shape);
}

MlirValue onnx_gather(OnnxCall *c, MlirValue x, MlirValue indices, int64_t axis) {
  MlirValue operands[] = {x, indices};
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  return x.ptr && indices.ptr ? onnx_op(c, TCC_OP_GATHER, operands, 2, &attr, 1) : (MlirValue){NULL};
}

MlirValue onnx_index(OnnxCall *c, MlirValue indices) {
  TccElem elem = onnx_value_elem(indices);
  return elem == TCC_ELEM_I32 ? indices : onnx_convert(c, indices, TCC_ELEM_I64);
}

MlirValue onnx_nonzero(OnnxCall *c, MlirValue x) {
  TccStr name;
  if (!x.ptr || !tcc_expr_is_symbol(tcc_expr_fresh(c->ir->exprs, "nz"), &name)) return (MlirValue){NULL};
  TccNamedAttr attr = {"size", tcc_attr_str(c->ir, name)};
  return onnx_op(c, TCC_OP_NONZERO, &x, 1, &attr, 1);
}
