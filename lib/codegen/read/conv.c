/* conv.c - see conv.h. */
#include "lib/codegen/read/conv.h"
#include "lib/codegen/read/kernel.h"

/* An axis of `outer * inner` elements as its two parts. */
static bool split_axis(TccIr *ir, const TccViewAxis *axis, int64_t outer, int64_t inner, TccViewAxis *out_outer,
                       TccViewAxis *out_inner) {
  if (axis->n != 1) return false;
  const TccExpr *size = tcc_expr_const(ir->exprs, inner);
  *out_inner = (TccViewAxis){.n = 1, .size = {size}, .stride = {axis->stride[0]}};
  *out_outer =
      (TccViewAxis){.n = 1, .size = {tcc_expr_const(ir->exprs, outer)}, .stride = {tcc_expr_mul(ir->exprs, axis->stride[0], size)}};
  return true;
}

static TccStatus *read_window(TccIr *ir, MlirOperation op, TccConv *v) {
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), wt = tcc_value_type(mlirOperationGetOperand(op, 1));
  MlirType rt = tcc_value_type(mlirOperationGetResult(op, 0));
  v->transposed = tcc_op_kind(ir, op) == TCC_OP_CONV_TRANSPOSE;
  v->rank = tcc_type_rank(xt) - 2;
  v->groups = tcc_i64(ir, op, "groups");
  if (v->rank < 1 || !tcc_type_is_static(wt)) return TCC_ERROR(TCC_UNSUPPORTED, "convolution weights of dynamic shape");
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return TCC_ERROR(TCC_INVALID, "a convolution without its window");
  int64_t w0, w1;
  tcc_expr_is_const(tcc_type_dim(ir, wt, 0), &w0), tcc_expr_is_const(tcc_type_dim(ir, wt, 1), &w1);
  v->in_channels = v->transposed ? w0 / v->groups : w1;
  v->out_channels = v->transposed ? w1 : w0 / v->groups;
  if (!tcc_view_of(ir, mlirOperationGetOperand(op, 0), &v->x))
    return TCC_ERROR(TCC_UNSUPPORTED, "the convolution's input is not a strided view");
  for (int i = 0; i < v->rank + 2; i++)
    if (v->x.axis[i].n != 1) return TCC_ERROR(TCC_UNSUPPORTED, "the convolution's input is a joined view");
  v->image_stride = v->x.axis[0].stride[0];
  v->channel_stride = v->x.axis[1].stride[0];
  for (int i = 0; i < v->rank; i++) {
    tcc_expr_is_const(tcc_type_dim(ir, wt, i + 2), &v->kernel[i]);
    v->stride[i] = strides[i], v->pad[i] = pads[i], v->pad_end[i] = pads[v->rank + i], v->dilation[i] = dilations[i];
    v->in[i] = tcc_type_dim(ir, xt, i + 2);
    v->out[i] = tcc_type_dim(ir, rt, i + 2);
    v->step[i] = v->x.axis[i + 2].stride[0];
  }
  return NULL;
}

void tcc_conv_flatten(TccIr *ir, TccConv *v) {
  const TccExpr *in = v->in[v->rank - 1], *out = v->out[v->rank - 1];
  for (int i = 0; i < v->rank; i++)
    if (v->kernel[i] != 1 || v->stride[i] != 1 || v->pad[i] != 0 || v->in[i] != v->out[i]) return;
  for (int i = v->rank - 1; i-- > 0;) {
    if (v->step[i] != tcc_expr_mul(ir->exprs, v->in[i + 1], v->step[i + 1])) return;
    in = tcc_expr_mul(ir->exprs, in, v->in[i]);
    out = tcc_expr_mul(ir->exprs, out, v->out[i]);
  }
  v->step[0] = v->step[v->rank - 1];
  v->in[0] = in, v->out[0] = out;
  v->kernel[0] = v->stride[0] = v->dilation[0] = 1, v->pad[0] = 0;
  v->rank = 1;
}

static TccStatus *read_spans(TccIr *ir, TccConv *v, TccContraction *c) {
  enum { MAX = TCC_CONTRACT_TENSORS + TCC_EPILOGUE_LEAVES };
  int ntensors = TCC_CONTRACT_TENSORS + c->epilogue.nleaves;
  const TccViewAxis *image[MAX] = {0}, *channel[MAX] = {0}, *group[MAX] = {0}, *rows[MAX] = {0};
  TccViewAxis parts[MAX][2];
  TccExprPool *pool = ir->exprs;
  tcc_span_init(ir, &c->batch, ntensors), tcc_span_init(ir, &c->m, ntensors), tcc_span_init(ir, &c->n, ntensors),
      tcc_span_init(ir, &c->k, ntensors);
  MlirType rt = tcc_value_type(c->epilogue.anchor);
  tcc_epilogue_axes(ir, &c->epilogue, 0, TCC_CONTRACT_R, image);
  tcc_epilogue_axes(ir, &c->epilogue, 1, TCC_CONTRACT_R, channel);
  channel[TCC_CONTRACT_A] = &c->a.axis[v->transposed ? 1 : 0];
  for (int t = 0; t < ntensors; t++) {
    if (!channel[t]) continue;
    if (v->groups == 1) {
      rows[t] = channel[t];
      continue;
    }
    if (t == TCC_CONTRACT_A && v->transposed) { /* w [groups * in, out]: groups are along the other axis */
      if (!split_axis(ir, &c->a.axis[0], v->groups, v->in_channels, &parts[t][0], &parts[t][1]))
        return TCC_ERROR(TCC_UNSUPPORTED, "joined weights");
      group[t] = &parts[t][0], rows[t] = channel[t];
      continue;
    }
    if (!split_axis(ir, channel[t], v->groups, v->out_channels, &parts[t][0], &parts[t][1]))
      return TCC_ERROR(TCC_UNSUPPORTED, "channels of a grouped convolution in a joined view");
    group[t] = &parts[t][0], rows[t] = &parts[t][1];
  }
  bool ok = tcc_span_append(ir, &c->batch, tcc_type_dim(ir, rt, 0), image);
  if (v->groups != 1) ok = ok && tcc_span_append(ir, &c->batch, tcc_expr_const(pool, v->groups), group);
  ok = ok && tcc_span_append(ir, &c->m, tcc_expr_const(pool, v->out_channels), rows);
  for (int i = 2; ok && i < tcc_type_rank(rt); i++) {
    const TccViewAxis *axes[MAX] = {0};
    tcc_epilogue_axes(ir, &c->epilogue, i, TCC_CONTRACT_R, axes);
    ok = tcc_span_append(ir, &c->n, tcc_type_dim(ir, rt, i), axes);
  }
  const TccViewAxis *depth[MAX] = {0};
  TccViewAxis channels = c->a.axis[v->transposed ? 0 : 1];
  if (v->transposed && v->groups != 1) channels = parts[TCC_CONTRACT_A][1];
  depth[TCC_CONTRACT_A] = &channels;
  ok = ok && tcc_span_append(ir, &c->k, tcc_expr_const(pool, v->in_channels), depth);
  for (int i = 2; ok && i < tcc_type_rank(rt); i++) {
    depth[TCC_CONTRACT_A] = &c->a.axis[i];
    ok = tcc_span_append(ir, &c->k, tcc_type_dim(ir, tcc_value_type(mlirOperationGetOperand(c->dot, 1)), i), depth);
  }
  if (!ok) return TCC_ERROR(TCC_UNSUPPORTED, "views around the convolution do not line up");
  tcc_span_finish(ir, &c->batch), tcc_span_finish(ir, &c->m), tcc_span_finish(ir, &c->n), tcc_span_finish(ir, &c->k);
  return NULL;
}

TccStatus *tcc_conv_read(TccIr *ir, MlirOperation kernel, TccConv *v, TccContraction *c) {
  *v = (TccConv){0};
  *c = (TccContraction){.ir = ir, .kernel = kernel, .dot = tcc_read_find(ir, kernel, TCC_OP_CONV)};
  if (mlirOperationIsNull(c->dot)) c->dot = tcc_read_find(ir, kernel, TCC_OP_CONV_TRANSPOSE);
  if (mlirOperationIsNull(c->dot)) return TCC_ERROR(TCC_UNSUPPORTED, "no convolution in a conv kernel");
  TCC_TRY(read_window(ir, c->dot, v));
  if (!tcc_view_of(ir, mlirOperationGetOperand(c->dot, 1), &c->a))
    return TCC_ERROR(TCC_UNSUPPORTED, "the convolution's weights are not a strided view");
  TCC_TRY(tcc_epilogue_read(ir, kernel, mlirOperationGetResult(c->dot, 0), &c->epilogue));
  TCC_TRY(tcc_epilogue_add_bias(ir, &c->epilogue, mlirOperationGetOperand(c->dot, 2), 1));
  return read_spans(ir, v, c);
}
