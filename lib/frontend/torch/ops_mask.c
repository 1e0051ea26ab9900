/* ops_mask.c - overloads that read or write what is true in a mask, or not 0. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static MlirValue mask_of(ImportCall *c) {
  MlirValue mask = torch_tensor(c, "mask");
  return mask.ptr ? torch_convert(c, mask, TCC_ELEM_BOOL) : mask;
}

bool torch_op_masked_fill(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), mask = mask_of(c);
  if (!x.ptr || !mask.ptr) return false;
  return torch_output(c, 0, torch_if(c, mask, torch_operand(c, "value", tcc_value_elem(x)), x));
}

/* The i-th true element of the mask gets the i-th element of source, which may have none where nothing is true. */
bool torch_op_masked_scatter(ImportCall *c) {
  MlirValue values[] = {torch_tensor(c, "self"), mask_of(c)}, source;
  ImportShape shape;
  if (!values[0].ptr || !values[1].ptr) return false;
  source = torch_tensor_as(c, "source", tcc_value_elem(values[0]));
  ImportShape ss = import_shape(c, source);
  if (!source.ptr || !torch_broadcast_all(c, values, 2, &shape)) return false;
  const TccExpr *count = import_product(c, shape.dims, shape.rank), *n = import_product(c, ss.dims, ss.rank);
  if (import_is_size(n, 0) || import_is_size(count, 0)) return torch_output(c, 0, values[0]);
  MlirValue mask = tcc_build_reshape(&c->b, values[1], 1, &count), wide = torch_convert(c, mask, TCC_ELEM_I64);
  TccNamedAttr attrs[] = {
      {"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}, {"exclusive", tcc_attr_bool(c->ir, true)}};
  MlirValue which = wide.ptr ? import_op(c, TCC_OP_CUMULATIVE, &wide, 1, attrs, 3) : wide;
  const TccExpr *one = import_size(c, 1);
  MlirValue parts[] = {tcc_build_reshape(&c->b, source, 1, &n), torch_filled(c, torch_constant(c, shape.elem, 0), 1, &one)};
  if (!tcc_expr_known_at_most(one, n)) parts[0] = tcc_build_concat(&c->b, parts, 2, 0); /* an element to read where there is none */
  MlirValue picked = tcc_build_gather(&c->b, parts[0], which, 0);
  return torch_output(c, 0, torch_if(c, values[1], tcc_build_reshape(&c->b, picked, shape.rank, shape.dims), values[0]));
}

/* What is true in the mask, one behind the other, and zeros behind it: [sizes]. Elements are numbered as they are found; those where the mask
 * is false go to a place that is cut off. */
bool torch_op_masked_scatter_backward(ImportCall *c) {
  MlirValue values[] = {torch_tensor(c, "grad_output"), mask_of(c)};
  ImportShape shape;
  const TccExpr *const *sizes;
  size_t rank;
  if (!torch_sizes(c, "sizes", &sizes, &rank) || !values[0].ptr || !values[1].ptr) return false;
  if (!torch_broadcast_all(c, values, 2, &shape)) return false;
  const TccExpr *count = import_product(c, shape.dims, shape.rank), *n = import_product(c, sizes, (int)rank);
  const TccExpr *places = import_size_add(c, n, import_size(c, 1));
  MlirValue zeros = torch_filled(c, torch_constant(c, shape.elem, 0), (int)rank, sizes);
  if (import_is_size(count, 0) || import_is_size(n, 0)) return torch_output(c, 0, zeros);
  MlirValue mask = tcc_build_reshape(&c->b, values[1], 1, &count), wide = torch_convert(c, mask, TCC_ELEM_I64);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}}, axis = attrs[1];
  MlirValue number = wide.ptr ? torch_plus(c, import_op(c, TCC_OP_CUMULATIVE, &wide, 1, attrs, 2), -1) : wide;
  MlirValue last = tcc_build_size(&c->b, n);
  MlirValue operands[] = {torch_filled(c, torch_constant(c, shape.elem, 0), 1, &places),
                          torch_if(c, mask, tcc_build2(&c->b, TCC_OP_MIN, number, last), last),
                          tcc_build_reshape(&c->b, values[0], 1, &count)};
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return false;
  MlirValue y = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &axis, 1);
  y = tcc_build_slice_axis(&c->b, y, 0, import_size(c, 0), 1, n);
  return torch_output(c, 0, tcc_build_reshape(&c->b, y, (int)rank, sizes));
}

bool torch_op_masked_select(ImportCall *c) {
  MlirValue values[] = {torch_tensor(c, "self"), mask_of(c)};
  ImportShape shape;
  if (!values[0].ptr || !values[1].ptr || !torch_broadcast_all(c, values, 2, &shape)) return false;
  const TccExpr *count = import_product(c, shape.dims, shape.rank);
  MlirValue where = import_nonzero(c, tcc_build_reshape(&c->b, values[1], 1, &count));
  MlirValue index = where.ptr ? tcc_build_squeeze(&c->b, where, 0) : where;
  return torch_output(c, 0, tcc_build_gather(&c->b, tcc_build_reshape(&c->b, values[0], 1, &count), index, 0));
}

/* Of a tensor without axes: [1 or 0, 0], of which there is nothing but its size. */
static bool nonzero_number(ImportCall *c, MlirValue x) {
  const TccExpr *one = import_size(c, 1);
  MlirValue where = import_nonzero(c, tcc_build_reshape(&c->b, x, 1, &one));
  if (!where.ptr) return false;
  const TccExpr *dims[] = {import_shape(c, where).dims[1], import_size(c, 0)};
  return torch_output(c, 0, torch_filled(c, torch_constant(c, TCC_ELEM_I64, 0), 2, dims));
}

bool torch_op_nonzero(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  if (!x.ptr) return false;
  if (!import_shape(c, x).rank) return nonzero_number(c, x);
  return torch_output(c, 0, tcc_build_transpose(&c->b, import_nonzero(c, x), (int64_t[]){1, 0}));
}
