/* ops_reduce.c - ONNX operators along axes: reductions, arg-reductions, cumulative sums, top-k. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* The axes to reduce: attribute, or the second input since opset 18 (ReduceSum: 13). All if none are given, unless
 * noop_with_empty_axes. */
static bool read_axes(ImportCall *c, int rank, int64_t *out, size_t *out_count) {
  const int64_t *given = NULL;
  size_t n = 0;
  int since = tcc_str_is(onnx_call(c)->node->op_type, "ReduceSum") ? 13 : 18;
  bool has = onnx_call(c)->opset < since ? onnx_ints(c, "axes", &given, &n) : import_has_input(c, 1);
  if (has && onnx_call(c)->opset >= since && !(given = import_constants(c, 1, &n))) return false;
  *out_count = 0;
  if (!has || n == 0) {
    bool noop = onnx_call(c)->opset >= since && onnx_int(c, "noop_with_empty_axes", 0);
    for (int i = 0; i < rank && !noop; i++) out[(*out_count)++] = i;
    return true;
  }
  bool seen[TCC_MAX_RANK] = {false};
  for (size_t i = 0; i < n; i++) {
    int64_t axis;
    if (!import_axis(c, given[i], rank, &axis)) return false;
    if (!seen[axis]) out[(*out_count)++] = axis;
    seen[axis] = true;
  }
  return true;
}

/* ln sum e^x = m + ln sum e^(x - m), with m the maximum, or 0 where that is infinite. */
static MlirValue log_sum_exp(ImportCall *c, MlirValue x, const int64_t *axes, size_t n, bool keepdims) {
  TccElem elem = tcc_value_elem(x);
  MlirValue most = tcc_build_reduce(&c->b, "max", x, axes, n, true);
  TccNamedAttr both[] = {{"negative", tcc_attr_bool(c->ir, true)}, {"positive", tcc_attr_bool(c->ir, true)}};
  MlirValue infinite = most.ptr ? import_op(c, TCC_OP_IS_INF, &most, 1, both, 2) : most;
  most = tcc_build_select(&c->b, infinite, tcc_build_scalar(&c->b, elem, 0), most);
  MlirValue sum =
      tcc_build_reduce(&c->b, "sum", tcc_build1(&c->b, TCC_OP_EXP, tcc_build2(&c->b, TCC_OP_SUB, x, most)), axes, n, keepdims);
  ImportShape to = import_shape(c, sum);
  return tcc_build2(&c->b, TCC_OP_ADD, tcc_build1(&c->b, TCC_OP_LOG, sum), tcc_build_reshape(&c->b, most, to.rank, to.dims));
}

bool onnx_op_reduce(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axes[TCC_MAX_RANK];
  size_t n;
  if (!read_axes(c, shape.rank, axes, &n)) return false;
  bool keep = onnx_int(c, "keepdims", 1) != 0, is_bool = shape.elem == TCC_ELEM_BOOL, is_float = tcc_elem_is_float(shape.elem);
  MlirValue y = {NULL};
  switch (c->kind) {
  case REDUCE_SUM: y = tcc_build_reduce(&c->b, "sum", x, axes, n, keep); break;
  case REDUCE_MEAN: y = tcc_build_mean(&c->b, x, axes, n, keep); break;
  case REDUCE_MAX: y = tcc_build_reduce(&c->b, is_bool ? "or" : "max", x, axes, n, keep); break;
  case REDUCE_MIN: y = tcc_build_reduce(&c->b, is_bool ? "and" : "min", x, axes, n, keep); break;
  case REDUCE_PROD: y = tcc_build_reduce(&c->b, "prod", x, axes, n, keep); break;
  case REDUCE_L1: y = tcc_build_reduce(&c->b, "sum", tcc_build1(&c->b, TCC_OP_ABS, x), axes, n, keep); break;
  case REDUCE_SUM_SQUARE: y = tcc_build_reduce(&c->b, "sum", tcc_build2(&c->b, TCC_OP_MUL, x, x), axes, n, keep); break;
  case REDUCE_L2:
  case REDUCE_LOG_SUM: { /* integers go through f64, and are truncated in the end; a sum may be no f16 where its root is */
    TccElem inner = !is_float ? TCC_ELEM_F64 : tcc_elem_bits(shape.elem) < 32 ? TCC_ELEM_F32 : shape.elem;
    MlirValue wide = tcc_build_convert(&c->b, x, inner);
    if (c->kind == REDUCE_L2)
      y = tcc_build1(&c->b, TCC_OP_SQRT, tcc_build_reduce(&c->b, "sum", tcc_build2(&c->b, TCC_OP_MUL, wide, wide), axes, n, keep));
    else y = tcc_build1(&c->b, TCC_OP_LOG, tcc_build_reduce(&c->b, "sum", wide, axes, n, keep));
    y = tcc_build_convert(&c->b, y, shape.elem);
    break;
  }
  case REDUCE_LOG_SUM_EXP:
    y = tcc_build_convert(&c->b, log_sum_exp(c, is_float ? x : tcc_build_convert(&c->b, x, TCC_ELEM_F64), axes, n, keep),
                          shape.elem);
    break;
  }
  return import_output(c, 0, y);
}

bool onnx_op_arg_reduce(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", 0), import_shape(c, x).rank, &axis)) return false;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str(c->kind == ARG_MAX ? "max" : "min"))},
                          {"axis", tcc_attr_i64(c->ir, axis)},
                          {"keepdims", tcc_attr_bool(c->ir, onnx_int(c, "keepdims", 1) != 0)},
                          {"last", tcc_attr_bool(c->ir, onnx_int(c, "select_last_index", 0) != 0)}};
  return import_output(c, 0, import_op(c, TCC_OP_ARG_REDUCE, &x, 1, attrs, 4));
}

bool onnx_op_cumulative(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0);
  size_t n;
  int64_t axis;
  const int64_t *given = import_constants(c, 1, &n);
  if (!given) return false;
  if (n != 1) return import_invalid(c, "axis has %zu elements", n);
  if (!import_axis(c, given[0], import_shape(c, x).rank, &axis)) return false;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str(c->kind == CUMULATIVE_SUM ? "sum" : "prod"))},
                          {"axis", tcc_attr_i64(c->ir, axis)},
                          {"exclusive", tcc_attr_bool(c->ir, onnx_int(c, "exclusive", 0) != 0)},
                          {"reverse", tcc_attr_bool(c->ir, onnx_int(c, "reverse", 0) != 0)}};
  return import_output(c, 0, import_op(c, TCC_OP_CUMULATIVE, &x, 1, attrs, 4));
}

/* k is an attribute before opset 10. */
bool onnx_op_topk(ImportCall *c) {
  if (!import_need(c, onnx_call(c)->opset < 10 ? 1 : 2)) return false;
  MlirValue x = import_input(c, 0);
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", -1), import_shape(c, x).rank, &axis)) return false;
  const TccExpr *k = import_size(c, onnx_int(c, "k", 0));
  if (onnx_call(c)->opset >= 10) {
    size_t n;
    const ImportEntry *given = import_entries(c, 1, &n);
    if (!given) return false;
    if (n != 1) return import_invalid(c, "k has %zu elements", n);
    k = given[0].size ? given[0].size : import_counted_size(c, given[0].value, import_shape(c, x).dims[axis]);
    if (!k) return false;
  }
  TccNamedAttr attrs[] = {{"k", tcc_attr_exprs(c->ir, &k, 1)},
                          {"axis", tcc_attr_i64(c->ir, axis)},
                          {"largest", tcc_attr_bool(c->ir, onnx_int(c, "largest", 1) != 0)},
                          {"sorted", tcc_attr_bool(c->ir, onnx_int(c, "sorted", 1) != 0)}};
  MlirValue values = import_op(c, TCC_OP_TOPK, &x, 1, attrs, 4);
  if (!values.ptr) return false;
  return import_output(c, 0, values) &&
         (!import_has_output(c, 1) || import_output(c, 1, mlirOperationGetResult(tcc_value_op(values), 1)));
}
