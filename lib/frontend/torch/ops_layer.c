/* ops_layer.c - layers that torch exports whole: embedding, norms over the last axes, softmax. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include "tcc/op_kinds.h"
#include <float.h>
#include <math.h>

bool torch_op_embedding(ImportCall *c) {
  MlirValue operands[] = {torch_tensor(c, "weight"), import_index(c, torch_tensor(c, "indices"))};
  TccNamedAttr attrs[1];
  size_t nattrs = 0;
  if (!operands[0].ptr || !operands[1].ptr) return false;
  return import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 0, 1, attrs, &nattrs) &&
         torch_output(c, 0, import_op(c, TCC_OP_EMBEDDING, operands, 2, attrs, nattrs));
}

/* input, normalized_shape, weight, bias, eps */
bool torch_op_layer_norm(ImportCall *c) {
  bool rms = c->kind == TCC_OP_RMS_NORM;
  MlirValue operands[] = {torch_tensor(c, "input"), torch_optional(c, "weight"),
                          rms ? (MlirValue){NULL} : torch_optional(c, "bias")};
  ImportShape shape = import_shape(c, operands[0]);
  const TccExpr *const *sizes;
  size_t count;
  if (c->reason || !torch_sizes(c, "normalized_shape", &sizes, &count)) return false;
  if (!count || (int)count > shape.rank) return import_invalid(c, "normalized_shape has %zu entries", count);
  double eps = torch_given(c, "eps")         ? torch_float(c, "eps")
               : shape.elem == TCC_ELEM_F64  ? DBL_EPSILON
               : shape.elem == TCC_ELEM_F16  ? 0x1p-10
               : shape.elem == TCC_ELEM_BF16 ? 0x1p-7
                                             : FLT_EPSILON;
  int64_t axis = shape.rank - (int64_t)count;
  for (size_t i = 0; i < count; i++)
    if (!import_require_equal(c, sizes[i], shape.dims[axis + (int64_t)i], "normalized_shape")) return false;
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, axis)}, {"eps", tcc_attr_f64(c->ir, eps)}};
  return torch_output(c, 0, import_op(c, (TccOpKind)c->kind, operands, rms ? 2 : 3, attrs, 2));
}

bool torch_op_softmax(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  TccElem elem = torch_result(c, 0);
  int64_t axis;
  if (!x.ptr || !elem || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  x = tcc_build_convert(&c->b, x, elem);
  const TccExpr *single = import_size(c, 1);
  if (!shape.rank) x = tcc_build_reshape(&c->b, x, 1, &single);
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  MlirValue y = x.ptr ? import_op(c, (TccOpKind)c->kind, &x, 1, &attr, 1) : x;
  return torch_output(c, 0, shape.rank ? y : tcc_build_reshape(&c->b, y, 0, NULL));
}

/* Softmax that is 0 in a row whose elements are all -inf. */
bool torch_op_safe_softmax(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  TccElem elem = torch_result(c, 0);
  int64_t axis;
  if (!x.ptr || !elem || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  if (!shape.rank) return import_unsupported(c, "a tensor without axes");
  x = torch_convert(c, x, elem);
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  MlirValue some = torch_is(c, "ne", tcc_build_reduce(&c->b, "max", x, &axis, 1, true), -INFINITY);
  return torch_output(c, 0, torch_if_number(c, some, import_op(c, TCC_OP_SOFTMAX, &x, 1, &attr, 1), 0));
}
