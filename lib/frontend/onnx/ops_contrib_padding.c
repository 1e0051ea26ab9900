/* ops_contrib_padding.c - RemovePadding and RestorePadding, between which onnxruntime's tool for packed sequences puts a model of
 * PackedAttention, and NhwcConv, which its optimiser writes for a U-Net: what its GPU kernels alone run.
 *
 * Meanings are those of onnxruntime's ContribOperators.md. How many tokens there are is data: the run counts them. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* i64, of a vector: the sum up to each element. */
static MlirValue counted(ImportCall *c, MlirValue numbers) {
  MlirValue x = tcc_build_convert(&c->b, numbers, TCC_ELEM_I64);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  return x.ptr ? import_op(c, TCC_OP_CUMULATIVE, &x, 1, attrs, 2) : x;
}

static MlirValue binary(ImportCall *c, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(&c->b, kind, x, y); }

/* x [B, S, H] and how many tokens each sequence has in front, [B]: the tokens [T, H]; the places of tokens, then those of padding [B, S]; sums of
 * lengths [B + 1]; the largest length [1]. */
bool onnx_op_remove_padding(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), lengths = tcc_build_convert(&c->b, import_input(c, 1), TCC_ELEM_I64);
  ImportShape s = import_shape(c, x), counts = import_shape(c, lengths);
  if (s.rank != 3 || !import_require_shape(c, &counts, 1, s.dims, "sequence_token_count"))
    return s.rank == 3 ? false : import_invalid(c, "an input of rank %d", s.rank);
  const TccExpr *places = import_product(c, s.dims, 2), *rows[] = {places, s.dims[2]}, *one = import_size(c, 1);
  MlirValue at = import_iota(c, TCC_ELEM_I64, s.dims[1]);
  MlirValue is_token = tcc_build_reshape(&c->b, tcc_build_compare(&c->b, "lt", at, import_unsqueeze(c, lengths, 1)), 1, &places),
            is_padding = tcc_build1(&c->b, TCC_OP_NOT, is_token), none = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0),
            first = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1);
  if (!is_padding.ptr || !import_output(c, 0, onnx_take_where(c, tcc_build_reshape(&c->b, x, 2, rows), 0, is_token))) return false;
  MlirValue all = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, is_token, TCC_ELEM_I64), (int64_t[]){0}, 1, false);
  MlirValue behind = binary(c, TCC_OP_ADD, all, counted(c, is_padding));
  MlirValue operands[] = {tcc_build_broadcast(&c->b, none, 1, &places),
                          binary(c, TCC_OP_SUB, tcc_build_select(&c->b, is_token, counted(c, is_token), behind), first),
                          import_iota(c, TCC_ELEM_I64, places)};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 0)};
  MlirValue offsets = operands[1].ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &axis, 1) : operands[1];
  if (!import_output(c, 1, tcc_build_convert(&c->b, tcc_build_reshape(&c->b, offsets, 2, s.dims), TCC_ELEM_I32))) return false;
  MlirValue sums[] = {tcc_build_broadcast(&c->b, none, 1, &one), counted(c, lengths)};
  if (!import_output(c, 2, tcc_build_convert(&c->b, tcc_build_concat(&c->b, sums, 2, 0), TCC_ELEM_I32))) return false;
  MlirValue most = tcc_build_reduce(&c->b, "max", lengths, (int64_t[]){0}, 1, true);
  return import_output(c, 3, tcc_build_convert(&c->b, most, TCC_ELEM_I32));
}

/* Tokens [T, H] at the places [B, S] that RemovePadding gave; zeros elsewhere. */
bool onnx_op_restore_padding(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), places = import_index(c, import_input(c, 1));
  ImportShape s = import_shape(c, x), to = import_shape(c, places);
  if (s.rank != 2 || to.rank != 2) return import_invalid(c, "ranks %d and %d, not 2", s.rank, to.rank);
  const TccExpr *all = import_product(c, to.dims, 2), *rows[] = {all, s.dims[1]}, *column[] = {s.dims[0], import_size(c, 1)};
  if (!import_require_at_most(c, s.dims[0], all, "token_offset")) return false;
  MlirValue used = tcc_build_slice_axis(&c->b, tcc_build_reshape(&c->b, places, 1, &all), 0, import_size(c, 0), 1, s.dims[0]);
  MlirValue operands[] = {tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, s.elem, 0), 2, rows),
                          tcc_build_reshape(&c->b, used, 2, column), x};
  TccNamedAttr attrs[2] = {{"reduction", tcc_attr_str(c->ir, tcc_str("none"))}};
  size_t n = 1;
  if (!operands[0].ptr || !operands[1].ptr || !import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 0, 1, attrs, &n))
    return false;
  to.dims[2] = s.dims[1];
  return import_output(c, 0, tcc_build_reshape(&c->b, import_op(c, TCC_OP_SCATTER_ND, operands, 3, attrs, n), 3, to.dims));
}

/* Conv of an image and of filters whose channels are the last axis. */
bool onnx_op_nhwc_conv(ImportCall *c) {
  static const int64_t front[] = {0, 3, 1, 2}, back[] = {0, 2, 3, 1};
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), w = import_input(c, 1);
  if (import_shape(c, x).rank != 4 || import_shape(c, w).rank != 4) return import_invalid(c, "input and filter must have rank 4");
  const ImportValue stored = c->inputs[1];
  MlirValue plain = tcc_build_transpose(&c->b, import_without_subnormals(c, w), front);
  if (!plain.ptr) return false;
  c->inputs[1].tensor = plain;
  MlirValue y = onnx_value_of(c, onnx_op_conv, 0, tcc_build_transpose(&c->b, x, front), 3);
  c->inputs[1] = stored;
  return import_output(c, 0, tcc_build_transpose(&c->b, y, back));
}
