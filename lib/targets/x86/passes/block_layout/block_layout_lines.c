/* block_layout_lines.c - convolutions along one axis, and convolutions of few channels into few, in a form that has lanes to fill.
 * Of many channels into few: block_layout_taps.c.
 *
 * One axis. [N, C, W], and [N, C, H, 1] with a window of one column, are images with one row: the tiles of a blocked convolution
 * are neighbours in a row.
 *
 *   conv [N, C, W]  =>  reshape [N, C, 1, W], conv, reshape                conv_transpose likewise
 *
 * Few channels. y[s 16 m + s i] for i < 16 are 16 channels at column m of a convolution with stride 16 s, whose weights for
 * channel i are those of y behind s i zeros; its result, in blocks of 16 channels, is y as it stands in memory. That multiplies
 * 15 s + K instead of K numbers, but 16 at a time, and no patches are gathered. The 16 rows of shifted weights are one row of
 * K + 16 s numbers, written 16 times and cut into rows that are s shorter: each begins s numbers earlier in its copy.
 *
 * requires, ensures, keeps: as tcc-block-layout. */
#include "lib/targets/x86/passes/block_layout/block_layout_lines.h"
#include "tcc/op_kinds.h"

enum { MOST_WORK = 8 /* multiply-adds for one that is needed */, FEW_BLOCKS = 4 };

static const TccExpr *number(TccLines *l, int64_t n) { return tcc_expr_const(l->ir->exprs, n); }

static bool read_conv(TccLines *l, MlirOperation op, TccLinesConv *c) {
  TccIr *ir = l->ir;
  *c = (TccLinesConv){
      .op = op, .x = mlirOperationGetOperand(op, 0), .w = mlirOperationGetOperand(op, 1), .bias = mlirOperationGetOperand(op, 2)};
  MlirType xt = tcc_value_type(c->x), wt = tcc_value_type(c->w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  c->rank = tcc_type_rank(xt), c->groups = tcc_i64(ir, op, "groups");
  const int64_t *strides, *pads, *dilations;
  size_t n;
  int spatial = c->rank - 2;
  if ((spatial != 1 && spatial != 2) || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt) || !tcc_init_is(l->init, c->w))
    return false;
  if (!tcc_value_is_none(ir, c->bias) && !tcc_init_is(l->init, c->bias)) return false;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return false;
  if (!tcc_type_dim(ir, xt, 1) || !tcc_expr_is_const(tcc_type_dim(ir, xt, 1), &c->channels) ||
      !tcc_expr_is_const(tcc_type_dim(ir, wt, 0), &c->out_channels))
    return false;
  c->kernel[0] = c->strides[0] = c->dilations[0] = 1, c->in[0] = c->out[0] = number(l, 1);
  for (int i = 0; i < spatial; i++) {
    int to = i + 2 - spatial;
    c->strides[to] = strides[i], c->dilations[to] = dilations[i], c->pads[to] = pads[i], c->pads[to + 2] = pads[i + spatial];
    c->in[to] = tcc_type_dim(ir, xt, i + 2), c->out[to] = tcc_type_dim(ir, rt, i + 2);
    if (!c->in[to] || !c->out[to] || !tcc_expr_is_const(tcc_type_dim(ir, wt, i + 2), &c->kernel[to])) return false;
    if (pads[i] < 0 || pads[i + spatial] < 0) return false;
  }
  return tcc_type_dim(ir, xt, 0) != NULL;
}

static MlirValue conv(TccLines *l, TccBuilder *b, const TccLinesConv *c, MlirValue x, MlirValue w, MlirValue bias) {
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(l->ir, c->strides, 2)},
                          {"pads", tcc_attr_ints(l->ir, c->pads, 4)},
                          {"dilations", tcc_attr_ints(l->ir, c->dilations, 2)},
                          {"groups", tcc_attr_i64(l->ir, c->groups)}};
  MlirValue operands[] = {x, w, bias};
  if (mlirValueIsNull(x) || mlirValueIsNull(w)) return (MlirValue){NULL};
  MlirOperation made = tcc_build(b, TCC_OP_CONV, operands, 3, attrs, 4, NULL);
  return mlirOperationIsNull(made) ? (MlirValue){NULL} : mlirOperationGetResult(made, 0);
}

bool tcc_lines_replace(TccBuilder *b, const TccLinesConv *c, MlirValue value) {
  MlirValue old = mlirOperationGetResult(c->op, 0);
  if (mlirValueIsNull(value)) return false;
  if (!mlirTypeEqual(tcc_value_type(value), tcc_value_type(old))) {
    MlirType type = tcc_value_type(old);
    MlirOperation made = tcc_build(b, TCC_OP_RESHAPE, &value, 1, NULL, 0, &type);
    if (mlirOperationIsNull(made)) return false;
    value = mlirOperationGetResult(made, 0);
  }
  tcc_replace_uses(old, value);
  tcc_erase(c->op);
  return true;
}

/* ---- one axis ---- */

static bool can_be_blocked(TccLines *l, const TccLinesConv *c) {
  if (c->groups == 1) return c->out_channels * 2 >= l->lanes || c->channels < l->lanes || c->kernel[1] > 1;
  if (c->groups == c->channels && c->groups == c->out_channels) return c->kernel[1] <= 7;
  bool may_merge = !l->direct && tcc_init_is(l->init, c->w);
  return tcc_layout_merged_groups(l->lanes, c->groups, c->channels, c->out_channels, may_merge) > 0;
}

/* An image whose rows are single pixels. */
static bool is_column(TccLines *l, const TccLinesConv *c) {
  const TccExpr *one = number(l, 1);
  return c->rank == 4 && c->in[1] == one && c->out[1] == one && c->kernel[1] == 1 && c->pads[1] == 0 && c->pads[3] == 0 &&
         c->in[0] != one;
}

static void transpose(TccLinesConv *c) {
  int64_t pads[] = {0, c->pads[0], 0, c->pads[2]};
  c->kernel[1] = c->kernel[0], c->strides[1] = c->strides[0], c->dilations[1] = c->dilations[0], c->in[1] = c->in[0],
  c->out[1] = c->out[0];
  c->kernel[0] = c->strides[0] = c->dilations[0] = 1;
  memcpy(c->pads, pads, sizeof pads);
}

/* c is then the convolution of the row. */
static bool one_row(TccLines *l, TccLinesConv *c) {
  TccBuilder b = {l->ir, mlirOperationGetBlock(c->op), c->op, mlirOperationGetLocation(c->op)};
  MlirType rt = tcc_value_type(mlirOperationGetResult(c->op, 0));
  const TccExpr *n = tcc_type_dim(l->ir, rt, 0), *one = number(l, 1), *dims[TCC_MAX_RANK];
  for (int i = 0; i < c->rank; i++) dims[i] = tcc_type_dim(l->ir, rt, i);
  MlirValue x = tcc_build_reshape(&b, c->x, 4, (const TccExpr *[]){n, number(l, c->channels), one, c->in[1]});
  MlirValue w = tcc_build_reshape(
      &b, c->w, 4,
      (const TccExpr *[]){number(l, c->out_channels), number(l, c->channels / c->groups), one, number(l, c->kernel[1])});
  MlirValue y = conv(l, &b, c, x, w, c->bias);
  if (mlirValueIsNull(y) || !tcc_lines_replace(&b, c, tcc_build_reshape(&b, y, c->rank, dims))) return false;
  c->op = tcc_value_op(y), c->x = x, c->w = w, c->rank = 4;
  return true;
}

/* The same of a transposed convolution, in a form that has phases (block_layout_conv.c). */
static bool transposed_row(TccLines *l, MlirOperation op, bool *changed) {
  TccIr *ir = l->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), y = mlirOperationGetResult(op, 0);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(y);
  const int64_t *strides, *pads, *dilations, *more;
  size_t n;
  if (tcc_type_rank(xt) != 3 || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt) || !tcc_init_is(l->init, w))
    return true;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n) || !tcc_get_ints(ir, op, "output_padding", &more, &n))
    return true;
  const TccExpr *one = number(l, 1), *in[4], *kernel[4], *out[3];
  for (int i = 0; i < 3; i++) out[i] = tcc_type_dim(ir, rt, i);
  for (int i = 0, to = 0; i < 3; i++, to++) {
    if (i == 2) in[to] = kernel[to] = one, to++;
    in[to] = tcc_type_dim(ir, xt, i), kernel[to] = tcc_type_dim(ir, wt, i);
    if (!in[to] || !out[i]) return true;
  }
  if (dilations[0] != 1 || pads[0] < 0 || pads[1] < 0) return true;
  TccBuilder b = {ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(ir, (const int64_t[]){1, strides[0]}, 2)},
                          {"pads", tcc_attr_ints(ir, (const int64_t[]){0, pads[0], 0, pads[1]}, 4)},
                          {"dilations", tcc_attr_ints(ir, (const int64_t[]){1, 1}, 2)},
                          {"output_padding", tcc_attr_ints(ir, (const int64_t[]){0, more[0]}, 2)},
                          {"groups", tcc_attribute(op, "groups")}};
  MlirValue operands[] = {tcc_build_reshape(&b, x, 4, in), tcc_build_reshape(&b, w, 4, kernel), mlirOperationGetOperand(op, 2)};
  if (mlirValueIsNull(operands[0]) || mlirValueIsNull(operands[1])) return false;
  MlirValue made = tcc_build_value(&b, TCC_OP_CONV_TRANSPOSE, operands, 3, attrs, 5, NULL);
  if (mlirValueIsNull(made)) return false;
  *changed = true;
  return tcc_lines_replace(&b, &(TccLinesConv){.op = op}, tcc_build_reshape(&b, made, 3, out));
}

/* ---- few channels ---- */

static bool is_narrow(TccLines *l, const TccLinesConv *c) {
  int64_t width, taps = c->kernel[1], steps = (l->lanes - 1) * c->strides[1];
  if (c->rank != 4 || c->groups != 1 || c->out_channels * 2 >= l->lanes || c->channels >= l->lanes || c->dilations[1] != 1 ||
      taps < 1)
    return false;
  return steps + taps <= MOST_WORK * taps && (!tcc_expr_is_const(c->out[1], &width) || width >= FEW_BLOCKS * l->lanes);
}

/* [M, C, KH, K] -> [M * lanes, C, KH, K + (lanes - 1) s] */
static MlirValue shifted_weights(TccLines *l, TccBuilder *b, const TccLinesConv *c) {
  int64_t s = c->strides[1], L = l->lanes, row = c->kernel[1] + L * s;
  const TccExpr *zero = number(l, 0), *low[] = {zero, zero, zero, zero}, *high[] = {zero, zero, zero, number(l, L * s)};
  const TccExpr *m = number(l, c->out_channels), *in = number(l, c->channels), *h = number(l, c->kernel[0]), *lanes = number(l, L),
                *short_row = number(l, row - s);
  MlirValue w = tcc_build_pad(b, c->w, (MlirValue){NULL}, low, high, "constant");
  w = tcc_build_reshape(b, w, 5, (const TccExpr *[]){m, in, h, number(l, 1), number(l, row)});
  if (!mlirValueIsNull(w)) w = tcc_build_broadcast(b, w, 5, (const TccExpr *[]){m, in, h, lanes, number(l, row)});
  if (!mlirValueIsNull(w)) w = tcc_build_reshape(b, w, 4, (const TccExpr *[]){m, in, h, number(l, L * row)});
  if (!mlirValueIsNull(w))
    w = tcc_build_slice(b, w, low, (const int64_t[]){1, 1, 1, 1}, (const TccExpr *[]){m, in, h, number(l, L * (row - s))});
  if (!mlirValueIsNull(w)) w = tcc_build_reshape(b, w, 5, (const TccExpr *[]){m, in, h, lanes, short_row});
  if (!mlirValueIsNull(w)) w = tcc_build_transpose(b, w, (const int64_t[]){0, 3, 1, 2, 4});
  return mlirValueIsNull(w) ? w : tcc_build_reshape(b, w, 4, (const TccExpr *[]){number(l, c->out_channels * L), in, h, short_row});
}

static bool widen(TccLines *l, TccLinesConv *c) {
  TccBuilder b = {l->ir, mlirOperationGetBlock(c->op), c->op, mlirOperationGetLocation(c->op)};
  int64_t L = l->lanes, s = c->strides[1], wide = c->out_channels * L;
  MlirValue w = shifted_weights(l, &b, c), bias = c->bias;
  const TccExpr *m = number(l, c->out_channels), *one = number(l, 1), *lanes = number(l, L), *zero = number(l, 0);
  if (!tcc_value_is_none(l->ir, bias)) {
    bias = tcc_build_reshape(&b, bias, 2, (const TccExpr *[]){m, one});
    if (!mlirValueIsNull(bias)) bias = tcc_build_broadcast(&b, bias, 2, (const TccExpr *[]){m, lanes});
    if (!mlirValueIsNull(bias)) bias = tcc_build_reshape(&b, bias, 1, (const TccExpr *[]){number(l, wide)});
    if (mlirValueIsNull(bias)) return false;
  }
  TccLinesConv made = *c;
  made.strides[1] = s * L,
  made.pads[3] += s * (L - 1); /* as many columns as there are groups of `lanes`, the last perhaps not full */
  MlirValue y = conv(l, &b, &made, c->x, w, bias);
  if (mlirValueIsNull(y)) return false;
  MlirType type = tcc_value_type(y);
  const TccExpr *n = tcc_type_dim(l->ir, type, 0), *h = tcc_type_dim(l->ir, type, 2), *columns = tcc_type_dim(l->ir, type, 3);
  y = tcc_build_reshape(&b, y, 5, (const TccExpr *[]){n, m, lanes, h, columns});
  if (!mlirValueIsNull(y)) y = tcc_build_transpose(&b, y, (const int64_t[]){0, 1, 3, 4, 2});
  if (!mlirValueIsNull(y))
    y = tcc_build_reshape(&b, y, 4, (const TccExpr *[]){n, m, h, tcc_expr_mul(l->ir->exprs, columns, lanes)});
  if (!mlirValueIsNull(y))
    y = tcc_build_slice(&b, y, (const TccExpr *[]){zero, zero, zero, zero}, (const int64_t[]){1, 1, 1, 1},
                        (const TccExpr *[]){n, m, h, c->out[1]});
  return tcc_lines_replace(&b, c, y);
}

bool tcc_block_layout_lines(TccPassRun *run, const TccInit *init, int64_t lanes, bool direct, MlirBlock block, bool *changed) {
  TccLines lines = {run->ir, init, lanes, direct}, *l = &lines;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op); op = next) {
    TccLinesConv c;
    next = mlirOperationGetNextInBlock(op);
    TccOpKind kind = tcc_op_kind(l->ir, op);
    if (kind == TCC_OP_CONV_TRANSPOSE && tcc_i64(l->ir, op, "groups") == 1 && !transposed_row(l, op, changed)) return false;
    if (kind != TCC_OP_CONV || !read_conv(l, op, &c)) continue;
    if (tcc_lines_goes_by_taps(l, &c)) {
      *changed = true;
      if (!tcc_lines_by_taps(l, &c)) return false;
      continue;
    }
    bool column = is_column(l, &c);
    if (column) transpose(&c);
    if ((column || c.rank == 3) && can_be_blocked(l, &c)) {
      *changed = true;
      if (!one_row(l, &c)) return false;
    }
    if (!is_narrow(l, &c)) continue;
    *changed = true;
    if (!widen(l, &c)) return false;
  }
  return true;
}

bool tcc_block_layout_grouped_lines(TccPassRun *run, const TccInit *init, int64_t lanes, MlirBlock block, bool *changed) {
  TccLines lines = {run->ir, init, lanes, false};
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tcc_op_kind(run->ir, op) == TCC_OP_CONV_TRANSPOSE && tcc_i64(run->ir, op, "groups") > 1 &&
        !transposed_row(&lines, op, changed))
      return false;
  }
  return true;
}
