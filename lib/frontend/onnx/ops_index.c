/* ops_index.c - ONNX operators that move elements by indices that are data. */
#include "lib/frontend/onnx/ops.h"
#include <math.h>

bool import_gather(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  int64_t axis;
  if (!onnx_axis(c, onnx_int(c, "axis", 0), onnx_shape(c, onnx_input(c, 0)).rank, &axis)) return false;
  return onnx_output(c, 0, onnx_gather(c, onnx_input(c, 0), onnx_index(c, onnx_input(c, 1)), axis));
}

static bool with_axis(OnnxCall *c, TccOpKind kind, size_t noperands) {
  MlirValue operands[] = {onnx_input(c, 0), onnx_index(c, onnx_input(c, 1)), onnx_input(c, 2)};
  int64_t axis;
  if (!operands[1].ptr || !onnx_axis(c, onnx_int(c, "axis", 0), onnx_shape(c, operands[0]).rank, &axis)) return false;
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, axis)},
                          {"reduction", tcc_attr_str(c->ir, onnx_string(c, "reduction", "none"))}};
  return onnx_output(c, 0, onnx_op(c, kind, operands, noperands, attrs, noperands - 1));
}

bool import_gather_elements(OnnxCall *c) { return onnx_need(c, 2) && with_axis(c, TCC_OP_GATHER_ELEMENTS, 2); }
bool import_scatter_elements(OnnxCall *c) { return onnx_need(c, 3) && with_axis(c, TCC_OP_SCATTER_ELEMENTS, 3); }

bool import_gather_nd(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue operands[] = {onnx_input(c, 0), onnx_index(c, onnx_input(c, 1))};
  TccNamedAttr attr = {"batch_dims", tcc_attr_i64(c->ir, onnx_int(c, "batch_dims", 0))};
  return operands[1].ptr && onnx_output(c, 0, onnx_op(c, TCC_OP_GATHER_ND, operands, 2, &attr, 1));
}

bool import_scatter_nd(OnnxCall *c) {
  if (!onnx_need(c, 3)) return false;
  MlirValue operands[] = {onnx_input(c, 0), onnx_index(c, onnx_input(c, 1)), onnx_input(c, 2)};
  TccNamedAttr attr = {"reduction", tcc_attr_str(c->ir, onnx_string(c, "reduction", "none"))};
  return operands[1].ptr && onnx_output(c, 0, onnx_op(c, TCC_OP_SCATTER_ND, operands, 3, &attr, 1));
}

bool import_nonzero(OnnxCall *c) { return onnx_need(c, 1) && onnx_output(c, 0, onnx_nonzero(c, onnx_input(c, 0))); }

static MlirValue limit_of(OnnxCall *c, size_t input, TccElem elem, double otherwise) {
  return onnx_has_input(c, input) ? onnx_reshape(c, onnx_convert(c, onnx_input(c, input), elem), 0, NULL)
                                  : onnx_scalar(c, elem, otherwise);
}

/* Rows (image, class, box): what suppress took of each class, as it lies there. */
bool import_non_max_suppression(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue operands[] = {onnx_input(c, 0), onnx_input(c, 1), limit_of(c, 2, TCC_ELEM_I64, 0), limit_of(c, 3, TCC_ELEM_F32, 0),
                          limit_of(c, 4, TCC_ELEM_F32, NAN)};
  TccNamedAttr attr = {"center", tcc_attr_bool(c->ir, onnx_int(c, "center_point_box", 0) != 0)};
  if (!operands[2].ptr || !operands[3].ptr || !operands[4].ptr) return false;
  MlirValue taken = onnx_op(c, TCC_OP_SUPPRESS, operands, 5, &attr, 1);
  if (!taken.ptr) return false;
  MlirValue where = onnx_nonzero(c, onnx_compare(c, "ge", taken, onnx_scalar_i64(c, TCC_ELEM_I64, 0)));
  if (!where.ptr) return false;
  const TccExpr *column[] = {onnx_shape(c, where).dims[1], onnx_size(c, 1)};
  MlirValue place = onnx_transpose(c, where, (int64_t[]){1, 0}), found[] = {taken, place};
  TccNamedAttr batch = {"batch_dims", tcc_attr_i64(c->ir, 0)};
  MlirValue parts[] = {onnx_slice(c, place, 1, onnx_size(c, 0), onnx_size(c, 2)),
                       onnx_reshape(c, place.ptr ? onnx_op(c, TCC_OP_GATHER_ND, found, 2, &batch, 1) : place, 2, column)};
  return parts[0].ptr && parts[1].ptr && onnx_output(c, 0, onnx_concat(c, parts, 2, 1));
}

/* The slices along axis whose condition is true; without axis, of the flat input. */
bool import_compress(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0), where = onnx_nonzero(c, onnx_input(c, 1));
  OnnxShape shape = onnx_shape(c, x), found = onnx_shape(c, where);
  int64_t axis = 0;
  if (found.rank != 2) return onnx_invalid(c, "condition must have rank 1");
  if (onnx_has_attribute(c, "axis")) {
    if (!onnx_axis(c, onnx_int(c, "axis", 0), shape.rank, &axis)) return false;
  } else {
    const TccExpr *flat = onnx_product(c, shape.dims, shape.rank);
    x = onnx_reshape(c, x, 1, &flat);
  }
  return onnx_output(c, 0, onnx_gather(c, x, onnx_reshape(c, where, 1, &found.dims[1]), axis));
}

/* x with update written at write_indices[batch] along axis; circular mode wraps around. */
bool import_tensor_scatter(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0), update = onnx_input(c, 1);
  OnnxShape shape = onnx_shape(c, x), part = onnx_shape(c, update);
  int64_t axis;
  if (!onnx_axis(c, onnx_int(c, "axis", -2), shape.rank, &axis)) return false;
  if (part.rank != shape.rank || axis == 0)
    return onnx_invalid(c, "update must have the input's rank, and axis must not be the batch");
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = i == axis ? part.dims[axis] : onnx_size(c, 1);
  MlirValue index = onnx_reshape(c, onnx_iota(c, TCC_ELEM_I64, part.dims[axis]), shape.rank, dims);
  if (onnx_has_input(c, 2)) {
    for (int i = 0; i < shape.rank; i++) dims[i] = i == 0 ? shape.dims[0] : onnx_size(c, 1);
    index = onnx_binary(c, TCC_OP_ADD, index, onnx_reshape(c, onnx_convert(c, onnx_input(c, 2), TCC_ELEM_I64), shape.rank, dims));
  }
  if (tcc_str_is(onnx_string(c, "mode", "linear"), "circular"))
    index = onnx_binary(c, TCC_OP_MOD, index, onnx_size_scalar(c, shape.dims[axis]));
  MlirValue operands[] = {x, onnx_broadcast(c, index, part.rank, part.dims), update};
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  return operands[1].ptr && onnx_output(c, 0, onnx_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &attr, 1));
}
