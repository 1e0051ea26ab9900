/* block_layout_conv.c - convolutions and transposed ones on blocked channels, and their weights. See block_layout.c.
 *
 * A transposed convolution of stride s is one of stride 1 whose s * s images of output channels are interleaved (sub-pixel
 * convolution: Shi et al., Real-time single image and video super-resolution, CVPR 2016): row q * s + a sees taps
 * k = a + pad (mod s) of the window alone, at input rows q + (a + pad - k) / s. The interleaving is where results are stored. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

/* Sizes of an image: as they are, or where they are known at run time only as they are likely to be. False: there are none. */
static bool image_size(TccLayout *l, MlirType type, int axis, TccConvShape *s, int64_t *out) {
  const TccExpr *size = tcc_type_dim(l->ir, type, axis);
  if (!size) return false;
  if (tcc_expr_is_const(size, out)) return *out >= 1;
  s->dynamic = true, *out = tcc_ir_likely(l->ir, size);
  return true;
}

static MlirValue reshape(TccLayout *l, TccBuilder *b, MlirValue x, int rank, const int64_t *dims) {
  const TccExpr *e[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) e[i] = tcc_layout_number(l, dims[i]);
  return tcc_build_reshape(b, x, rank, e);
}

/* ---- convolutions ---- */

/* Weights that a call may change are packed in each call. Moving one takes as long as blocks save on so many positions of the result, more
 * where it has neighbours of other taps. */
enum { PIXEL_POSITIONS = 32, WINDOW_POSITIONS = 128 };

static bool pays_to_pack(TccLayout *l, MlirOperation op, const TccConvShape *s) {
  MlirValue bias = mlirOperationGetOperand(op, 2);
  if (tcc_init_is(l->init, mlirOperationGetOperand(op, 1)) && (tcc_value_is_none(l->ir, bias) || tcc_init_is(l->init, bias)))
    return true;
  const TccExpr *images = tcc_type_dim(l->ir, tcc_value_type(mlirOperationGetOperand(op, 0)), 0);
  int64_t count = images ? tcc_ir_likely(l->ir, images) : 1,
          least = s->kernel[0] * s->kernel[1] == 1 ? PIXEL_POSITIONS : WINDOW_POSITIONS;
  return s->depthwise || (double)count * (double)s->out[0] * (double)s->out[1] >= (double)least;
}

static bool read_conv(TccLayout *l, MlirOperation op, TccConvShape *s) {
  TccIr *ir = l->ir;
  *s = l->machine;
  s->lanes = (int)l->lanes;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  s->bytes = tcc_type_elem(xt) == TCC_ELEM_U8 && tcc_type_elem(wt) == TCC_ELEM_I8;
  if (tcc_type_rank(xt) != 4 || (tcc_type_elem(xt) != TCC_ELEM_F32 && !s->bytes) || !tcc_type_is_static(wt)) return false;
  if (s->bytes && !tcc_conv_takes_bytes(&l->run->target->machine)) return false;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return false;
  s->groups = tcc_i64(ir, op, "groups");
  if (!tcc_layout_static_dim(l, xt, 1, &s->channels) || !tcc_layout_static_dim(l, rt, 1, &s->out_channels)) return false;
  for (int i = 0; i < 2; i++) {
    if (!image_size(l, xt, i + 2, s, &s->in[i]) || !image_size(l, rt, i + 2, s, &s->out[i]) ||
        !tcc_layout_static_dim(l, wt, i + 2, &s->kernel[i]))
      return false;
    s->stride[i] = strides[i], s->pad[i] = pads[i], s->pad_end[i] = pads[i + 2], s->dilation[i] = dilations[i];
    if (pads[i] < 0 || pads[i + 2] < 0 || s->kernel[i] < 1) return false;
  }
  bool is_blocked = tcc_layout_blocked(l, x) != NULL;
  s->depthwise = s->groups > 1 && s->groups == s->channels && s->groups == s->out_channels;
  if (!pays_to_pack(l, op, s)) return false;
  if (s->bytes) return s->groups == 1 && s->lanes % 4 == 0;
  if (s->groups > 1) {
    if (s->depthwise) return s->kernel[1] <= 7;
    int64_t merged =
        tcc_layout_merged_groups(l->lanes, s->groups, s->channels, s->out_channels, !l->direct && tcc_init_is(l->init, w));
    if (merged) s->groups /= merged;
    return merged > 0;
  }
  s->plain = !is_blocked && s->channels < l->lanes;
  return is_blocked || s->out_channels * 2 >= l->lanes;
}

/* w [M, C, KH, KW] -> [panels, blocks, KH, KW, lanes of x, V * L], or [blocks, KH, KW, L], or of bytes [.., L / 4, V * L, 4]. */
static MlirValue pack_weights(TccLayout *l, TccBuilder *b, const TccConvShape *s, MlirValue w) {
  int64_t kh = s->kernel[0], kw = s->kernel[1], L = l->lanes;
  if (s->depthwise) {
    int64_t blocks = tcc_layout_blocks(l, s->channels);
    w = tcc_layout_pad_axis(l, b, w, 0, blocks * L);
    if (!mlirValueIsNull(w)) w = reshape(l, b, w, 4, (const int64_t[]){blocks, L, kh, kw});
    return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 3, 1});
  }
  TccConvPlan plan;
  tcc_conv_plan(s, 0, &plan);
  int64_t columns = plan.vectors * L, depth = s->channels / s->groups, x_lanes = s->plain ? 1 : L,
          blocks = s->plain ? depth : (depth + L - 1) / L;
  w = tcc_layout_pad_axis(l, b, w, 0, plan.panels * columns);
  if (!mlirValueIsNull(w)) w = tcc_layout_pad_axis(l, b, w, 1, blocks * x_lanes);
  if (s->bytes && !mlirValueIsNull(w)) {
    w = reshape(l, b, w, 7, (const int64_t[]){plan.panels, columns, blocks, L / 4, 4, kh, kw});
    return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 5, 6, 3, 1, 4});
  }
  if (!mlirValueIsNull(w)) w = reshape(l, b, w, 6, (const int64_t[]){plan.panels, columns, blocks, x_lanes, kh, kw});
  return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 4, 5, 3, 1});
}

static bool blocked_operand(TccLayout *l, TccBuilder *b, MlirValue x, int64_t channels, MlirValue *out) {
  TccBlocked *known = tcc_layout_blocked(l, x);
  MlirValue last = tcc_layout_last(l, x);
  if (known) *out = known->value;
  else if (!mlirValueIsNull(last) && channels % l->lanes == 0) *out = tcc_layout_last_to_blocks(l, b, last, channels);
  else *out = tcc_layout_to_blocks(l, b, x, channels);
  if (mlirValueIsNull(*out)) return false;
  if (!known) tcc_layout_set_blocked(l, x, *out, channels);
  return true;
}

static bool blocked_bias(TccLayout *l, TccBuilder *b, MlirValue bias, int64_t channels, MlirValue *out) {
  if (tcc_value_is_none(l->ir, bias)) return true;
  *out = tcc_layout_pad_axis(l, b, bias, 0, tcc_layout_blocks(l, channels) * l->lanes);
  return !mlirValueIsNull(*out);
}

/* A window of one pixel that leaves pixels out: those it reads, side by side, where each panel of weights meets the whole image: lines at a
 * stride lie in every other set of a cache. Rows that all panels meet one after the other stay where they are. */
enum { STRIDED_PANELS = 4 /* that pay for the copy */ };

static bool is_strided_pixel(const TccConvShape *s) {
  if (s->plain || s->groups != 1 || (s->stride[0] == 1 && s->stride[1] == 1)) return false;
  for (int i = 0; i < 2; i++)
    if (s->kernel[i] != 1 || s->pad[i] != 0 || s->pad_end[i] != 0) return false;
  TccConvPlan plan;
  tcc_conv_plan(s, 0, &plan);
  return plan.by_panel && plan.panels >= STRIDED_PANELS;
}

static MlirValue pixels_read(TccLayout *l, TccBuilder *b, MlirValue x, const TccConvShape *s, MlirType result) {
  const TccExpr *zero = tcc_layout_number(l, 0), *starts[] = {zero, zero, zero, zero, zero}, *sizes[5];
  for (int i = 0; i < 5; i++) sizes[i] = tcc_type_dim(l->ir, i == 2 || i == 3 ? result : tcc_value_type(x), i);
  return tcc_build_slice(b, x, starts, (const int64_t[]){1, 1, s->stride[0], s->stride[1], 1}, sizes);
}

/* Whether the window covers the whole image, and there is one place of it. */
static bool is_one_place(TccLayout *l, MlirOperation op, MlirType x, MlirType w) {
  const int64_t *pads;
  size_t n;
  if (tcc_type_rank(x) != 4 || tcc_type_elem(x) != tcc_type_elem(w) || tcc_i64(l->ir, op, "groups") != 1 ||
      !tcc_get_ints(l->ir, op, "pads", &pads, &n))
    return false;
  for (size_t i = 0; i < n; i++)
    if (pads[i]) return false;
  for (int axis = 1; axis < 4; axis++)
    if (!tcc_type_dim(l->ir, x, axis) || tcc_type_dim(l->ir, x, axis) != tcc_type_dim(l->ir, w, axis)) return false;
  for (int axis = 2; axis < 4; axis++)
    if (tcc_type_dim(l->ir, tcc_value_type(mlirOperationGetResult(op, 0)), axis) != tcc_layout_number(l, 1)) return false;
  return tcc_type_dim(l->ir, x, 0) && tcc_type_dim(l->ir, w, 0);
}

/* A convolution whose weights it does not pay to pack, if it is a product: [N, C KH KW] by [M, C KH KW]. */
static bool product_of_one_place(TccLayout *l, MlirOperation op) {
  TccExprPool *pool = l->ir->exprs;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), bias = mlirOperationGetOperand(op, 2);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w);
  if (!is_one_place(l, op, xt, wt)) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  const TccExpr *depth = tcc_type_dim(l->ir, xt, 1);
  for (int axis = 2; axis < 4; axis++) depth = tcc_expr_mul(pool, depth, tcc_type_dim(l->ir, xt, axis));
  const TccExpr *rows[] = {tcc_type_dim(l->ir, xt, 0), depth}, *columns[] = {tcc_type_dim(l->ir, wt, 0), depth},
                *result[] = {rows[0], columns[0], tcc_layout_number(l, 1), tcc_layout_number(l, 1)};
  const int64_t contract = 1;
  MlirValue left = tcc_build_reshape(&b, x, 2, rows), right = tcc_build_reshape(&b, w, 2, columns);
  MlirValue y = tcc_build_dot_general(&b, left, right, NULL, NULL, 0, &contract, &contract, 1);
  if (!mlirValueIsNull(y) && !tcc_value_is_none(l->ir, bias)) y = tcc_build2(&b, TCC_OP_ADD, y, bias);
  if (!mlirValueIsNull(y)) y = tcc_build_reshape(&b, y, 4, result);
  if (mlirValueIsNull(y)) return false;
  y = tcc_layout_with_type(&b, y, tcc_value_type(mlirOperationGetResult(op, 0)));
  if (mlirValueIsNull(y)) return false;
  tcc_replace_uses(mlirOperationGetResult(op, 0), y);
  return true;
}

bool tcc_layout_convolution(TccLayout *l, MlirOperation op) {
  TccConvShape s;
  if (!read_conv(l, op, &s)) return product_of_one_place(l, op);
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0), bias = mlirOperationGetOperand(op, 2), result = mlirOperationGetResult(op, 0);
  int64_t groups = tcc_i64(l->ir, op, "groups");
  MlirValue w = tcc_layout_merge_weights(l, &b, mlirOperationGetOperand(op, 1), groups, groups / s.groups);
  if (mlirValueIsNull(w)) return false;
  MlirValue operands[3] = {x, pack_weights(l, &b, &s, w), {NULL}};
  if (mlirValueIsNull(operands[1]) || !blocked_bias(l, &b, bias, s.out_channels, &operands[2])) return false;
  if (!s.plain && !blocked_operand(l, &b, x, s.channels, &operands[0])) return false;
  MlirAttribute strides = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("strides"));
  MlirAttribute pads = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("pads"));
  MlirAttribute dilations = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("dilations"));
  if (is_strided_pixel(&s)) {
    operands[0] = pixels_read(l, &b, operands[0], &s, tcc_value_type(result));
    if (mlirValueIsNull(operands[0])) return false;
    strides = tcc_attr_ints(l->ir, (const int64_t[]){1, 1}, 2);
  }
  TccNamedAttr attrs[] = {{"strides", strides},
                          {"pads", pads},
                          {"dilations", dilations},
                          {"channels", tcc_attr_i64(l->ir, s.channels)},
                          {"out_channels", tcc_attr_i64(l->ir, s.out_channels)},
                          {"groups", tcc_attr_i64(l->ir, s.groups)},
                          {"lanes", tcc_attr_i64(l->ir, l->lanes)}};
  MlirValue made = tcc_build_value(&b, TCC_OP_CONV_BLOCKED, operands, 3, attrs, 7, NULL);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, s.out_channels);
  return true;
}

/* ---- transposed convolutions ---- */

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
    if (!image_size(l, xt, i + 2, s, &s->in[i]) || !image_size(l, rt, i + 2, s, &out) ||
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
  if (!mlirValueIsNull(w)) w = reshape(l, b, w, 8, split);
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
  return mlirValueIsNull(w) ? w : reshape(l, b, w, 6, (const int64_t[]){plan.panels, blocks, p[0].taps, p[1].taps, L, columns});
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
  if (mlirValueIsNull(operands[1]) || !blocked_operand(l, &b, x, s.channels, &operands[0]) ||
      !blocked_bias(l, &b, bias, s.out_channels, &operands[2]))
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
