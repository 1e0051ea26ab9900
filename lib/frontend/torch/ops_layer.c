/* ops_layer.c - layers that torch exports whole: embedding, norms over the last axes, softmax, attention. */
#include "lib/frontend/torch/ops.h"
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

/* ---- attention ---- */
/* As [batch, heads, rows, columns]: axes before the heads are one, a tensor without heads has one. */
static MlirValue four_axes(ImportCall *c, MlirValue x, const ImportShape *leading) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *dims[4] = {import_size(c, 1), import_size(c, 1)};
  int rank = shape.rank;
  (void)leading;
  if (!x.ptr || rank == 4) return x;
  if (rank < 2) {
    import_invalid(c, "rank %d", rank);
    return (MlirValue){NULL};
  }
  if (rank == 3) dims[0] = shape.dims[0];
  if (rank > 4) dims[0] = import_product(c, shape.dims, rank - 3), dims[1] = shape.dims[rank - 3];
  dims[2] = shape.dims[rank - 2];
  dims[3] = shape.dims[rank - 1];
  return tcc_build_reshape(&c->b, x, 4, dims);
}

/* A mask that broadcasts to [leading, rows, keys] of q as one of four axes. */
static MlirValue mask_of(ImportCall *c, MlirValue mask, const ImportShape *q, TccElem elem) {
  ImportShape shape = import_shape(c, mask);
  const TccExpr *dims[TCC_MAX_RANK];
  if (!mask.ptr) return mask;
  if (shape.elem != TCC_ELEM_BOOL) mask = tcc_build_convert(&c->b, mask, elem);
  if (shape.rank == 4 && q->rank == 4) return mask;
  if (shape.rank <= 2 || q->rank == 4) {
    for (int i = 0; i < 4; i++) dims[i] = i < 4 - shape.rank ? import_size(c, 1) : shape.dims[i - (4 - shape.rank)];
    return tcc_build_reshape(&c->b, mask, 4, dims);
  }
  for (int i = 0; i < q->rank - 2; i++) dims[i] = q->dims[i];
  dims[q->rank - 2] = shape.dims[shape.rank - 2];
  dims[q->rank - 1] = shape.dims[shape.rank - 1];
  return four_axes(c, tcc_build_broadcast(&c->b, mask, q->rank, dims), q);
}

bool torch_op_attention(ImportCall *c) {
  MlirValue q = torch_tensor(c, "query"), k = torch_tensor(c, "key"), v = torch_tensor(c, "value"),
            mask = torch_optional(c, "attn_mask");
  ImportShape shape = import_shape(c, q), values = import_shape(c, v);
  int64_t depth;
  if (c->reason || !q.ptr || !k.ptr || !v.ptr) return false;
  if (shape.rank < 2 || values.rank != shape.rank) return import_invalid(c, "ranks %d and %d", shape.rank, values.rank);
  if (torch_float(c, "dropout_p") != 0) return import_unsupported(c, "dropout of attention, whose result is random");
  if (!torch_given(c, "scale") && !import_fix_size(c, shape.dims[shape.rank - 1], &depth)) return false;
  double scale = torch_given(c, "scale") ? torch_float(c, "scale") : 1 / sqrt((double)depth);
  bool causal = torch_bool(c, "is_causal");
  const TccExpr *offset = import_size(c, 0);
  TccNamedAttr attrs[] = {{"scale", tcc_attr_f64(c->ir, scale)},
                          {"zero_masked", tcc_attr_bool(c->ir, mask.ptr != NULL)},
                          {"causal", tcc_attr_bool(c->ir, causal)},
                          {"offset", tcc_attr_exprs(c->ir, &offset, 1)}};
  MlirValue operands[] = {four_axes(c, q, &shape), four_axes(c, k, &shape), four_axes(c, v, &shape),
                          mask_of(c, mask, &shape, shape.elem)};
  if (c->reason || !operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return false;
  MlirValue y = import_op(c, TCC_OP_ATTENTION, operands, 4, attrs, causal ? 4 : 2);
  if (shape.rank == 4) return torch_output(c, 0, y);
  shape.dims[shape.rank - 1] = values.dims[values.rank - 1];
  return torch_output(c, 0, tcc_build_reshape(&c->b, y, shape.rank, shape.dims));
}
