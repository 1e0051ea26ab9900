/* block_layout_conv.c - convolutions on blocked channels, and their weights. See block_layout.c. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

bool tcc_layout_image_size(TccLayout *l, MlirType type, int axis, TccConvShape *s, int64_t *out) {
  const TccExpr *size = tcc_type_dim(l->ir, type, axis);
  if (!size) return false;
  if (tcc_expr_is_const(size, out)) return *out >= 1;
  s->dynamic = true, *out = tcc_ir_likely(l->ir, size);
  return true;
}

MlirValue tcc_layout_reshape(TccLayout *l, TccBuilder *b, MlirValue x, int rank, const int64_t *dims) {
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

bool tcc_pays_to_pack_phases(TccIr *ir, MlirType x) {
  double places = 1;
  for (int i = 0; i < tcc_type_rank(x); i++) {
    const TccExpr *size = i == 1 ? NULL : tcc_type_dim(ir, x, i);
    if (i != 1 && !size) return false;
    if (size) places *= (double)tcc_ir_likely(ir, size);
  }
  return places >= (double)WINDOW_POSITIONS;
}

bool tcc_layout_packs_phases(TccLayout *l, MlirValue x, MlirValue w, MlirValue bias) {
  if (tcc_init_is(l->init, w) && (tcc_value_is_none(l->ir, bias) || tcc_init_is(l->init, bias))) return true;
  return tcc_pays_to_pack_phases(l->ir, tcc_value_type(x));
}

static bool read_conv(TccLayout *l, MlirOperation op, TccConvShape *s) {
  TccIr *ir = l->ir;
  *s = l->machine;
  s->lanes = (int)l->lanes;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  s->bytes = tcc_type_elem(xt) == TCC_ELEM_U8 && tcc_type_elem(wt) == TCC_ELEM_I8;
  s->wide = s->bytes && tcc_conv_widens_bytes(&l->run->target->machine);
  s->pairs = tcc_type_elem(xt) == TCC_ELEM_BF16;
  if (tcc_type_rank(xt) != 4 || (tcc_type_elem(xt) != TCC_ELEM_F32 && !s->bytes && !s->pairs) || !tcc_type_is_static(wt))
    return false;
  if (s->bytes && !tcc_conv_takes_bytes(&l->run->target->machine)) return false;
  if (s->pairs && !tcc_conv_takes_pairs(&l->run->target->machine)) return false;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return false;
  s->groups = tcc_i64(ir, op, "groups");
  if (!tcc_layout_static_dim(l, xt, 1, &s->channels) || !tcc_layout_static_dim(l, rt, 1, &s->out_channels)) return false;
  for (int i = 0; i < 2; i++) {
    if (!tcc_layout_image_size(l, xt, i + 2, s, &s->in[i]) || !tcc_layout_image_size(l, rt, i + 2, s, &s->out[i]) ||
        !tcc_layout_static_dim(l, wt, i + 2, &s->kernel[i]))
      return false;
    s->stride[i] = strides[i], s->pad[i] = pads[i], s->pad_end[i] = pads[i + 2], s->dilation[i] = dilations[i];
    if (pads[i] < 0 || pads[i + 2] < 0 || s->kernel[i] < 1) return false;
  }
  bool is_blocked = tcc_layout_blocked(l, x) != NULL;
  s->depthwise = s->groups > 1 && s->groups == s->channels && s->groups == s->out_channels;
  if (!pays_to_pack(l, op, s)) return false;
  if (s->bytes && s->depthwise) return s->kernel[1] <= 7 && !s->wide;
  if (s->bytes || (s->pairs && s->groups == 1)) {
    s->plain = !is_blocked && s->channels <= 4 && s->out_channels * 2 >= l->lanes;
    if (s->plain && !tcc_conv_joined(&l->run->target->machine, s)) s->plain = false;
    s->joined = tcc_conv_joined(&l->run->target->machine, s);
    if (s->pairs && !s->joined && s->channels % tcc_conv_word(s))
      return false; /* what stands beside the last one may be no number */
    return s->groups == 1 && s->lanes % 4 == 0 && (s->bytes || is_blocked || s->out_channels * 2 >= l->lanes);
  }
  if (s->groups > 1) {
    if (s->depthwise) return s->kernel[1] <= 7;
    int64_t merged =
        tcc_layout_merged_groups(l->lanes, s->groups, s->channels, s->out_channels, !l->direct && tcc_init_is(l->init, w));
    if (merged) s->groups /= merged;
    s->joined = tcc_conv_joined(&l->run->target->machine, s);
    return merged > 0;
  }
  s->plain = !is_blocked && s->channels < l->lanes;
  /* Into few channels most lanes are padding, which still takes less time than patches of all channels do. */
  const bool patches = !s->plain && s->kernel[0] * s->kernel[1] > 1;
  return is_blocked || patches || s->out_channels * 2 >= l->lanes;
}

MlirValue tcc_layout_pack_weights(TccLayout *l, TccBuilder *b, const TccConvShape *s, MlirValue w) {
  int64_t kh = s->kernel[0], kw = s->kernel[1], L = l->lanes;
  if (s->depthwise) {
    int64_t blocks = tcc_layout_blocks(l, s->channels);
    if (s->pairs) w = tcc_build_convert(b, w, TCC_ELEM_F32);
    if (!mlirValueIsNull(w)) w = tcc_layout_pad_axis(l, b, w, 0, blocks * L);
    if (!mlirValueIsNull(w)) w = tcc_layout_reshape(l, b, w, 4, (const int64_t[]){blocks, L, kh, kw});
    return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 3, 1});
  }
  TccConvPlan plan;
  tcc_conv_plan(s, 0, &plan);
  int64_t columns = plan.vectors * L, depth = s->channels / s->groups, x_lanes = s->plain ? 1 : L, word = tcc_conv_word(s),
          blocks = s->plain    ? word > 1 ? tcc_conv_joined_pixel(s) * word : depth
                   : s->joined ? tcc_conv_depth(s) * s->joined
                               : (depth + L - 1) / L;
  w = tcc_layout_pad_axis(l, b, w, 0, plan.panels * columns);
  if (!mlirValueIsNull(w)) w = tcc_layout_pad_axis(l, b, w, 1, blocks * x_lanes);
  if (word > 1 && !mlirValueIsNull(w)) {
    int64_t words = tcc_conv_joined_pixel(s);
    w = tcc_layout_reshape(l, b, w, 7, (const int64_t[]){plan.panels, columns, tcc_conv_depth(s), words, word, kh, kw});
    return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 5, 6, 3, 1, 4});
  }
  if (!mlirValueIsNull(w)) w = tcc_layout_reshape(l, b, w, 6, (const int64_t[]){plan.panels, columns, blocks, x_lanes, kh, kw});
  return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 4, 5, 3, 1});
}

bool tcc_layout_blocked_operand(TccLayout *l, TccBuilder *b, MlirValue x, int64_t channels, MlirValue *out) {
  TccBlocked *known = tcc_layout_blocked(l, x);
  MlirValue last = tcc_layout_last(l, x);
  if (known) *out = tcc_layout_blocks_of(l, b, known);
  else if (!mlirValueIsNull(last) && channels % l->lanes == 0) *out = tcc_layout_last_to_blocks(l, b, last, channels);
  else *out = tcc_layout_to_blocks(l, b, x, channels);
  if (mlirValueIsNull(*out)) return false;
  if (!known) tcc_layout_set_blocked(l, x, *out, channels);
  return true;
}

bool tcc_layout_blocked_bias(TccLayout *l, TccBuilder *b, MlirValue bias, int64_t channels, MlirValue *out) {
  if (tcc_value_is_none(l->ir, bias)) return true;
  if (tcc_value_elem(bias) == TCC_ELEM_BF16) bias = tcc_build_convert(b, bias, TCC_ELEM_F32);
  if (mlirValueIsNull(bias)) return false;
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

/* Of f32, with sums so long that one chain of them would lose a digit: a product's sums begin anew (contract/micro.h). */
static bool is_deep_place(TccLayout *l, MlirOperation op) {
  enum { LONG_SUM = 8192 };
  MlirType x = tcc_value_type(mlirOperationGetOperand(op, 0)), w = tcc_value_type(mlirOperationGetOperand(op, 1));
  int64_t depth = 1, size;
  if (tcc_type_elem(w) != TCC_ELEM_F32 || !is_one_place(l, op, x, w)) return false;
  for (int axis = 1; axis < 4; axis++) {
    if (!tcc_layout_static_dim(l, w, axis, &size)) return false;
    depth *= size;
  }
  return depth >= LONG_SUM;
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

/* Bytes in 16 bits. Convolutions of the same image read it once widened. */
static MlirValue widened(TccBuilder *b, MlirValue x) {
  for (MlirOpOperand use = mlirValueGetFirstUse(x); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tcc_op_kind(b->ir, user) != TCC_OP_CONVERT || !mlirBlockEqual(mlirOperationGetBlock(user), b->block) ||
        !mlirOperationIsBeforeInBlock(user, b->before))
      continue;
    MlirValue known = mlirOperationGetResult(user, 0);
    if (tcc_value_elem(known) == TCC_ELEM_I16) return known;
  }
  return tcc_build_convert(b, x, TCC_ELEM_I16);
}

MlirValue tcc_layout_conv_blocked(TccLayout *l, TccBuilder *b, const TccConvShape *s, const MlirValue operands[3],
                                  const TccNamedAttr *more, size_t nmore) {
  const int64_t pads[] = {s->pad[0], s->pad[1], s->pad_end[0], s->pad_end[1]};
  TccNamedAttr attrs[11] = {{"strides", tcc_attr_ints(l->ir, s->stride, 2)},
                            {"pads", tcc_attr_ints(l->ir, pads, 4)},
                            {"dilations", tcc_attr_ints(l->ir, s->dilation, 2)},
                            {"channels", tcc_attr_i64(l->ir, s->channels)},
                            {"out_channels", tcc_attr_i64(l->ir, s->out_channels)},
                            {"groups", tcc_attr_i64(l->ir, s->groups)},
                            {"lanes", tcc_attr_i64(l->ir, l->lanes)}};
  for (size_t i = 0; i < nmore; i++) attrs[7 + i] = more[i];
  return tcc_build_value(b, TCC_OP_CONV_BLOCKED, operands, 3, attrs, 7 + nmore, NULL);
}

bool tcc_layout_convolution(TccLayout *l, MlirOperation op) {
  TccConvShape s;
  if (is_deep_place(l, op) || !read_conv(l, op, &s)) return product_of_one_place(l, op);
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0), bias = mlirOperationGetOperand(op, 2), result = mlirOperationGetResult(op, 0);
  int64_t groups = tcc_i64(l->ir, op, "groups");
  MlirValue w = tcc_layout_merge_weights(l, &b, mlirOperationGetOperand(op, 1), groups, groups / s.groups);
  if (mlirValueIsNull(w)) return false;
  MlirValue operands[3] = {x, tcc_layout_pack_weights(l, &b, &s, w), {NULL}};
  if (mlirValueIsNull(operands[1]) || !tcc_layout_blocked_bias(l, &b, bias, s.out_channels, &operands[2])) return false;
  if (!s.plain && !tcc_layout_blocked_operand(l, &b, x, s.channels, &operands[0])) return false;
  if (is_strided_pixel(&s)) {
    operands[0] = pixels_read(l, &b, operands[0], &s, tcc_value_type(result));
    if (mlirValueIsNull(operands[0])) return false;
    s.stride[0] = s.stride[1] = 1;
  }
  if (s.wide) operands[0] = widened(&b, operands[0]);
  if (mlirValueIsNull(operands[0])) return false;
  MlirValue made = tcc_layout_conv_blocked(l, &b, &s, operands, NULL, 0);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, s.out_channels);
  return true;
}
