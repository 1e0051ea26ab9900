/* ops_index.c - ONNX operators that move elements by indices that are data. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

bool onnx_op_gather(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", 0), import_shape(c, import_input(c, 0)).rank, &axis)) return false;
  return import_output(c, 0,
                       import_gather_valid(c, import_input(c, 0), import_index(c, import_input(c, 1)), axis, TCC_VALID_SIGNED));
}

static bool with_axis(ImportCall *c, TccOpKind kind, size_t noperands) {
  MlirValue operands[] = {import_input(c, 0), import_index(c, import_input(c, 1)), import_input(c, 2)};
  int64_t axis;
  if (!operands[1].ptr || !import_axis(c, onnx_int(c, "axis", 0), import_shape(c, operands[0]).rank, &axis)) return false;
  TccNamedAttr attrs[3] = {{"axis", tcc_attr_i64(c->ir, axis)},
                           {"reduction", tcc_attr_str(c->ir, onnx_string(c, "reduction", "none"))}};
  size_t nattrs = noperands - 1;
  return import_valid(c, TCC_VALID_SIGNED, operands[0], operands[1], (int)axis, 1, attrs, &nattrs) &&
         import_output(c, 0, import_op(c, kind, operands, noperands, attrs, nattrs));
}

bool onnx_op_gather_elements(ImportCall *c) { return import_need(c, 2) && with_axis(c, TCC_OP_GATHER_ELEMENTS, 2); }
bool onnx_op_scatter_elements(ImportCall *c) { return import_need(c, 3) && with_axis(c, TCC_OP_SCATTER_ELEMENTS, 3); }

/* import_valid of index tuples along the last axis of `indices`. What does not fit is left to the op's rule. */
static bool tuples_valid(ImportCall *c, MlirValue x, MlirValue indices, int64_t axis, TccNamedAttr *attrs, size_t *nattrs) {
  ImportShape shape = import_shape(c, indices);
  int64_t depth;
  if (shape.rank < 1) return true;
  if (!import_fix_size(c, shape.dims[shape.rank - 1], &depth)) return false;
  if (depth < 1 || axis < 0 || axis + depth > import_shape(c, x).rank) return true;
  return import_valid(c, TCC_VALID_SIGNED, x, indices, (int)axis, (int)depth, attrs, nattrs);
}

bool onnx_op_gather_nd(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue operands[] = {import_input(c, 0), import_index(c, import_input(c, 1))};
  int64_t batch = onnx_int(c, "batch_dims", 0);
  TccNamedAttr attrs[2] = {{"batch_dims", tcc_attr_i64(c->ir, batch)}};
  size_t n = 1;
  return operands[1].ptr && tuples_valid(c, operands[0], operands[1], batch, attrs, &n) &&
         import_output(c, 0, import_op(c, TCC_OP_GATHER_ND, operands, 2, attrs, n));
}

bool onnx_op_scatter_nd(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  MlirValue operands[] = {import_input(c, 0), import_index(c, import_input(c, 1)), import_input(c, 2)};
  TccNamedAttr attrs[2] = {{"reduction", tcc_attr_str(c->ir, onnx_string(c, "reduction", "none"))}};
  size_t n = 1;
  return operands[1].ptr && tuples_valid(c, operands[0], operands[1], 0, attrs, &n) &&
         import_output(c, 0, import_op(c, TCC_OP_SCATTER_ND, operands, 3, attrs, n));
}

bool onnx_op_nonzero(ImportCall *c) { return import_need(c, 1) && import_output(c, 0, import_nonzero(c, import_input(c, 0))); }

static MlirValue limit_of(ImportCall *c, size_t input, TccElem elem, double otherwise) {
  return import_has_input(c, input) ? tcc_build_reshape(&c->b, tcc_build_convert(&c->b, import_input(c, input), elem), 0, NULL)
                                    : tcc_build_scalar(&c->b, elem, otherwise);
}

/* Rows (image, class, box): what non_max_suppression took of each class, as it lies there. */
bool onnx_op_non_max_suppression(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue operands[] = {import_input(c, 0), import_input(c, 1), limit_of(c, 2, TCC_ELEM_I64, 0), limit_of(c, 3, TCC_ELEM_F32, 0),
                          limit_of(c, 4, TCC_ELEM_F32, NAN)};
  TccNamedAttr attr = {"center", tcc_attr_bool(c->ir, onnx_int(c, "center_point_box", 0) != 0)};
  if (!operands[2].ptr || !operands[3].ptr || !operands[4].ptr) return false;
  MlirValue taken = import_op(c, TCC_OP_NON_MAX_SUPPRESSION, operands, 5, &attr, 1);
  if (!taken.ptr) return false;
  MlirValue where = import_nonzero(c, tcc_build_compare(&c->b, "ge", taken, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0)));
  if (!where.ptr) return false;
  const TccExpr *column[] = {import_shape(c, where).dims[1], import_size(c, 1)};
  MlirValue place = tcc_build_transpose(&c->b, where, (int64_t[]){1, 0}), found[] = {taken, place};
  TccNamedAttr batch = {"batch_dims", tcc_attr_i64(c->ir, 0)};
  MlirValue parts[] = {
      tcc_build_slice_axis(&c->b, place, 1, import_size(c, 0), 1, import_size(c, 2)),
      tcc_build_reshape(&c->b, place.ptr ? import_op(c, TCC_OP_GATHER_ND, found, 2, &batch, 1) : place, 2, column)};
  return parts[0].ptr && parts[1].ptr && import_output(c, 0, tcc_build_concat(&c->b, parts, 2, 1));
}

/* The slices along axis whose condition is true; without axis, of the flat input. */
bool onnx_op_compress(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), where = import_nonzero(c, import_input(c, 1));
  ImportShape shape = import_shape(c, x), found = import_shape(c, where);
  int64_t axis = 0;
  if (found.rank != 2) return import_invalid(c, "condition must have rank 1");
  if (onnx_has_attribute(c, "axis")) {
    if (!import_axis(c, onnx_int(c, "axis", 0), shape.rank, &axis)) return false;
  } else {
    const TccExpr *flat = import_product(c, shape.dims, shape.rank);
    x = tcc_build_reshape(&c->b, x, 1, &flat);
    shape = import_shape(c, x);
  }
  if (shape.rank <= axis || !import_require_at_most(c, import_shape(c, import_input(c, 1)).dims[0], shape.dims[axis], "condition"))
    return false;
  return import_output(c, 0, tcc_build_gather(&c->b, x, tcc_build_reshape(&c->b, where, 1, &found.dims[1]), axis));
}

/* x with update written at write_indices[batch] along axis; circular mode wraps around. */
bool onnx_op_tensor_scatter(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), update = import_input(c, 1);
  ImportShape shape = import_shape(c, x), part = import_shape(c, update);
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", -2), shape.rank, &axis)) return false;
  if (part.rank != shape.rank || axis == 0)
    return import_invalid(c, "update must have the input's rank, and axis must not be the batch");
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = i == axis ? NULL : shape.dims[i];
  if (!import_require_shape(c, &part, shape.rank, dims, "update") ||
      !import_require_at_most(c, part.dims[axis], shape.dims[axis], "update"))
    return false;
  for (int i = 0; i < shape.rank; i++) dims[i] = i == axis ? part.dims[axis] : import_size(c, 1);
  MlirValue index = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, part.dims[axis]), shape.rank, dims);
  if (import_has_input(c, 2)) {
    for (int i = 0; i < shape.rank; i++) dims[i] = i == 0 ? shape.dims[0] : import_size(c, 1);
    index = tcc_build2(&c->b, TCC_OP_ADD, index,
                       tcc_build_reshape(&c->b, tcc_build_convert(&c->b, import_input(c, 2), TCC_ELEM_I64), shape.rank, dims));
  }
  if (tcc_str_is(onnx_string(c, "mode", "linear"), "circular"))
    index = tcc_build2(&c->b, TCC_OP_MOD, index, tcc_build_size(&c->b, shape.dims[axis]));
  MlirValue operands[] = {x, tcc_build_broadcast(&c->b, index, part.rank, part.dims), update};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, axis)}};
  size_t n = 1;
  return operands[1].ptr && import_valid(c, TCC_VALID_UNSIGNED, x, operands[1], (int)axis, 1, attrs, &n) &&
         import_output(c, 0, import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, n));
}
