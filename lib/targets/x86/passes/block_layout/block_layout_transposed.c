/* block_layout_transposed.c - transposed convolutions on blocked channels. See block_layout.c.
 *
 * A transposed convolution of stride s is one of stride 1 whose s * s images of output channels are interleaved (sub-pixel
 * convolution: Shi et al., Real-time single image and video super-resolution, CVPR 2016): row q * s + a sees taps
 * k = a + pad (mod s) of the window alone, at input rows q + (a + pad - k) / s. The interleaving is where results are stored. Phases of
 * uneven numbers of taps, as of a kernel of 3 and a stride of 2, would share the largest window: they are convolutions of their own, whose
 * results a copy interleaves. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

bool tcc_layout_read_phases(TccLayout *l, const TccExpr *in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                            const TccExpr *out, TccPhases *p) {
  if (kernel < 1 || pad < 0 || stride > 16 || (dilation != 1 && kernel > 1)) return false;
  TccExprPool *pool = l->ir->exprs;
  int64_t more, size;
  if (tcc_expr_is_const(out, &size) && size < 1) return false; /* there is no convolution with an empty result */
  p->stride = stride, p->out = out, p->shift = 0;
  p->front = (stride - pad % stride) % stride;
  p->taps = (kernel + p->front + stride - 1) / stride;
  p->rows = tcc_expr_call(pool, TCC_EXPR_CEILDIV, out, tcc_layout_number(l, stride));
  if (!tcc_expr_is_const(tcc_expr_sub(pool, p->rows, in), &more)) return false;
  p->low = p->taps - 1 - (pad + p->front) / stride;
  p->high = more - p->low + p->taps - 1;
  return p->low >= 0 && p->high >= 0;
}

/* With a stride of 2, a kernel of 4 and a padding of 1, results between two pixels read these two, results on a pixel the one before
 * and itself: windows of three taps, of which each has one zero. They become windows of two, of phases that see x shifted. */
static void shift_windows(TccPhases *p, int64_t kernel) {
  int64_t taps = (kernel + p->stride - 1) / p->stride;
  if (taps == p->taps || p->high < 1) return;
  p->shift = p->front;
  p->taps = taps, p->high--;
}

static bool read_transposed(TccLayout *l, MlirOperation op, TccConvShape *s, TccPhases p[2]) {
  TccIr *ir = l->ir;
  *s = l->machine;
  s->lanes = (int)l->lanes;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), bias = mlirOperationGetOperand(op, 2);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  if (tcc_type_rank(xt) != 4 || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt) || tcc_i64(ir, op, "groups") != 1)
    return false;
  if (!tcc_init_is(l->init, w) || (!tcc_value_is_none(ir, bias) && !tcc_init_is(l->init, bias))) return false;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return false;
  if (!tcc_layout_static_dim(l, xt, 1, &s->channels) || !tcc_layout_static_dim(l, rt, 1, &s->out_channels)) return false;
  s->groups = 1;
  for (int i = 0; i < 2; i++) {
    int64_t out, kernel;
    if (!tcc_layout_image_size(l, xt, i + 2, s, &s->in[i]) || !tcc_layout_image_size(l, rt, i + 2, s, &out) ||
        !tcc_layout_static_dim(l, wt, i + 2, &kernel))
      return false;
    if (!tcc_layout_read_phases(l, tcc_type_dim(ir, xt, i + 2), kernel, strides[i], pads[i], dilations[i],
                                tcc_type_dim(ir, rt, i + 2), &p[i]))
      return false;
    shift_windows(&p[i], kernel);
    s->kernel[i] = p[i].taps, s->stride[i] = s->dilation[i] = 1, s->pad[i] = p[i].low, s->pad_end[i] = p[i].high + (p[i].shift > 0),
    s->out[i] = tcc_ir_likely(ir, p[i].rows);
  }
  s->phases = p[0].stride * p[1].stride;
  return tcc_layout_blocked(l, x) || s->out_channels * 2 >= l->lanes;
}

/* The axis of phases of w, which begins with phase `first`, from phase 0 on. */
static MlirValue turn_phases(TccLayout *l, TccBuilder *b, MlirValue w, int rank, const int64_t *dims, int axis, int64_t first) {
  const TccExpr *starts[8], *sizes[8];
  const int64_t steps[] = {1, 1, 1, 1, 1, 1, 1, 1};
  MlirValue part[2];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < rank; k++) starts[k] = tcc_layout_number(l, 0), sizes[k] = tcc_layout_number(l, dims[k]);
    starts[axis] = tcc_layout_number(l, i ? 0 : dims[axis] - first);
    sizes[axis] = tcc_layout_number(l, i ? dims[axis] - first : first);
    part[i] = tcc_build_slice(b, w, starts, steps, sizes);
    if (mlirValueIsNull(part[i])) return part[i];
  }
  return tcc_build_concat(b, part, 2, axis);
}

/* w [C, M, KH, KW] -> [phases * panels, blocks, taps, taps, lanes of x, V * L]: taps of a phase stand in reverse order. */
static MlirValue pack_transposed(TccLayout *l, TccBuilder *b, const TccConvShape *s, const TccPhases p[2], MlirValue w) {
  TccConvPlan plan;
  tcc_conv_plan(s, 0, &plan);
  int64_t L = l->lanes, columns = plan.vectors * L, blocks = tcc_layout_blocks(l, s->channels), panels = plan.panels / s->phases;
  MlirType type = tcc_value_type(w);
  int64_t size[4] = {0};
  for (int i = 0; i < 4; i++)
    if (!tcc_layout_static_dim(l, type, i, &size[i])) return (MlirValue){NULL};
  int64_t low[] = {0, 0, p[0].shift ? 0 : p[0].front, p[1].shift ? 0 : p[1].front};
  int64_t high[] = {blocks * L - size[0], panels * columns - size[1], p[0].taps * p[0].stride - low[2] - size[2],
                    p[1].taps * p[1].stride - low[3] - size[3]};
  w = tcc_layout_pad_axes(l, b, w, low, high);
  int64_t split[] = {blocks, L, panels, columns, p[0].taps, p[0].stride, p[1].taps, p[1].stride};
  if (!mlirValueIsNull(w)) w = tcc_layout_reshape(l, b, w, 8, split);
  for (int i = 0; i < 2 && !mlirValueIsNull(w); i++)
    if (p[i].shift) w = turn_phases(l, b, w, 8, split, 5 + 2 * i, p[i].shift);
  if (mlirValueIsNull(w)) return w;
  if (p[0].taps > 1 || p[1].taps > 1) {
    const TccExpr *starts[8], *sizes[8];
    int64_t steps[8];
    for (int i = 0; i < 8; i++) starts[i] = tcc_layout_number(l, 0), sizes[i] = tcc_layout_number(l, split[i]), steps[i] = 1;
    for (int i = 4; i < 8; i += 2) starts[i] = tcc_layout_number(l, split[i] - 1), steps[i] = -1;
    w = tcc_build_slice(b, w, starts, steps, sizes);
    if (mlirValueIsNull(w)) return w;
  }
  w = tcc_build_transpose(b, w, (const int64_t[]){5, 7, 2, 0, 4, 6, 1, 3});
  return mlirValueIsNull(w)
             ? w
             : tcc_layout_reshape(l, b, w, 6, (const int64_t[]){plan.panels, blocks, p[0].taps, p[1].taps, L, columns});
}

bool tcc_layout_phases_fill(TccLayout *l, const TccPhases *p) {
  return tcc_expr_known_equal(tcc_expr_mul(l->ir->exprs, p->rows, tcc_layout_number(l, p->stride)), p->out);
}

bool tcc_layout_transposed_convolution(TccLayout *l, MlirOperation op) {
  TccConvShape s;
  TccPhases p[2];
  if (!read_transposed(l, op, &s, p)) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0), bias = mlirOperationGetOperand(op, 2);
  MlirValue operands[3] = {{NULL}, pack_transposed(l, &b, &s, p, mlirOperationGetOperand(op, 1)), {NULL}};
  if (mlirValueIsNull(operands[1]) || !tcc_layout_blocked_operand(l, &b, x, s.channels, &operands[0]) ||
      !tcc_layout_blocked_bias(l, &b, bias, s.out_channels, &operands[2]))
    return false;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(l->ir, s.stride, 2)},
                          {"pads", tcc_attr_ints(l->ir, (const int64_t[]){p[0].low, p[1].low, p[0].high, p[1].high}, 4)},
                          {"dilations", tcc_attr_ints(l->ir, s.dilation, 2)},
                          {"channels", tcc_attr_i64(l->ir, s.channels)},
                          {"out_channels", tcc_attr_i64(l->ir, s.out_channels)},
                          {"groups", tcc_attr_i64(l->ir, 1)},
                          {"lanes", tcc_attr_i64(l->ir, l->lanes)},
                          {"phases_h", tcc_attr_i64(l->ir, p[0].stride)},
                          {"phases_w", tcc_attr_i64(l->ir, p[1].stride)},
                          {"shift_h", tcc_attr_i64(l->ir, p[0].shift)},
                          {"shift_w", tcc_attr_i64(l->ir, p[1].shift)}};
  MlirValue made = tcc_build_value(&b, TCC_OP_CONV_BLOCKED, operands, 3, attrs, sizeof attrs / sizeof *attrs, NULL);
  if (mlirValueIsNull(made)) return false;
  if (!tcc_layout_phases_fill(l, &p[0]) || !tcc_layout_phases_fill(l, &p[1])) { /* the last phases have fewer rows */
    const TccExpr *zero = tcc_layout_number(l, 0), *starts[] = {zero, zero, zero, zero, zero}, *sizes[5];
    for (int i = 0; i < 5; i++) sizes[i] = i == 2 || i == 3 ? p[i - 2].out : tcc_type_dim(l->ir, tcc_value_type(made), i);
    made = tcc_build_slice(&b, made, starts, (const int64_t[]){1, 1, 1, 1, 1}, sizes);
    if (mlirValueIsNull(made)) return false;
  }
  tcc_layout_set_blocked(l, mlirOperationGetResult(op, 0), made, s.out_channels);
  return true;
}
