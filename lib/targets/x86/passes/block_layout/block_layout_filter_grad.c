/* block_layout_filter_grad.c - gradients of weights in bf16, of images in blocks.
 *
 *   r[m, c, y, x] = sum over n, i, j of g[n, m, i, j] * image[n, c, i * stride + y, j * stride + x]
 *
 * In blocks of channels the operands of this product are turned: at each place a vector of rows stands beside a vector of columns, whatever the
 * image's width, the stride and the window. A product in tile registers packs both by words of two places (contract/pack_turned.h), which
 * takes no more than the reorders of plain images, whose runs are as short as a row. The lanes are one more axis of the window, of one tap:
 *
 *   %u = unfold %xb : [N, C/L, KH, KW, 1, OH, OW, L],  %r = dot_general %gb, %u : [M/L, L, C/L, KH, KW, 1, L]  =>  [M, C, KH, KW]
 *
 * A first layer's image has too few channels for a block. Where its window goes by two pixels, the four phases of the image are its channels,
 * and a window of half the size goes by one: [N, 3, 2 H, 2 W] -> [N, 1, H, W, 16], of 12 lanes and zeros, KH and KW rounded up to even numbers.
 *
 * requires, ensures, keeps: as tcc-block-layout. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

typedef struct {
  MlirValue x, g;
  int64_t channels, out_channels;
  const int64_t *kernel, *strides, *pads, *dilations;
  bool wide; /* its readers convert it to f32 */
} FilterGrad;

/* Whether the phases of a few channels fill a block. */
static bool has_phases(const TccLayout *l, const FilterGrad *f) {
  bool halves = true;
  for (int i = 0; i < 2; i++) halves = halves && f->strides[i] == 2 && f->dilations[i] == 1;
  return halves && 4 * f->channels <= l->lanes && 8 * f->channels > l->lanes;
}

/* Whether blocks are whole, or phases make a block, and one of the images is in blocks already. */
static bool read(TccLayout *l, MlirOperation op, FilterGrad *f) {
  size_t n;
  f->x = mlirOperationGetOperand(op, 0), f->g = mlirOperationGetOperand(op, 1);
  MlirType x = tcc_value_type(f->x), g = tcc_value_type(f->g);
  if (tcc_type_rank(x) != 4 || tcc_type_elem(x) != TCC_ELEM_BF16 || tcc_type_elem(g) != TCC_ELEM_BF16 ||
      tcc_i64(l->ir, op, "groups") != 1 || !tcc_conv_takes_pairs(&l->run->target->machine))
    return false;
  if (!tcc_layout_static_dim(l, x, 1, &f->channels) || !tcc_layout_static_dim(l, g, 1, &f->out_channels) ||
      f->out_channels % l->lanes || (!tcc_layout_blocked(l, f->x) && !tcc_layout_blocked(l, f->g)))
    return false;
  if (!tcc_get_ints(l->ir, op, "kernel", &f->kernel, &n) || n != 2 || !tcc_get_ints(l->ir, op, "strides", &f->strides, &n) ||
      !tcc_get_ints(l->ir, op, "pads", &f->pads, &n) || !tcc_get_ints(l->ir, op, "dilations", &f->dilations, &n))
    return false;
  return f->channels % l->lanes == 0 || (!tcc_layout_blocked(l, f->x) && has_phases(l, f));
}

/* The image as the windows see it: with its padding, and without what none reaches. */
static MlirValue image(TccLayout *l, TccBuilder *b, const FilterGrad *f, MlirValue x) {
  TccExprPool *pool = l->ir->exprs;
  const TccExpr *low[5], *high[5], *zero = tcc_layout_number(l, 0);
  bool any = false;
  for (int i = 0; i < 5; i++) low[i] = high[i] = zero;
  for (int i = 0; i < 2; i++) {
    const TccExpr *windows = tcc_type_dim(l->ir, tcc_value_type(f->g), i + 2),
                  *in = tcc_type_dim(l->ir, tcc_value_type(f->x), i + 2);
    const TccExpr *last =
        tcc_expr_mul(pool, tcc_expr_sub(pool, windows, tcc_layout_number(l, 1)), tcc_layout_number(l, f->strides[i]));
    int64_t reach = (f->kernel[i] - 1) * f->dilations[i] + 1 - f->pads[i];
    low[i + 2] = tcc_layout_number(l, f->pads[i]);
    high[i + 2] = tcc_expr_sub(pool, tcc_expr_add(pool, last, tcc_layout_number(l, reach)), in);
    any = any || low[i + 2] != zero || high[i + 2] != zero;
  }
  return any ? tcc_build_pad(b, x, tcc_build_scalar(b, TCC_ELEM_BF16, 0), low, high, "constant") : x;
}

/* g times u, the image through its windows: [M, lanes of u's blocks, KH, KW]. */
static MlirValue product(TccLayout *l, TccBuilder *b, const FilterGrad *f, MlirValue g, MlirValue x, const int64_t taps[2],
                         const int64_t steps[2], const int64_t spread[2], int64_t channels) {
  const int64_t kernel[] = {taps[0], taps[1], 1}, strides[] = {steps[0], steps[1], 1}, dilations[] = {spread[0], spread[1], 1},
                places[] = {0, 2, 3}, windows[] = {0, 5, 6};
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(l->ir, kernel, 3)},
                          {"strides", tcc_attr_ints(l->ir, strides, 3)},
                          {"dilations", tcc_attr_ints(l->ir, dilations, 3)}};
  MlirValue u = mlirValueIsNull(x) ? x : tcc_build_value(b, TCC_OP_UNFOLD, &x, 1, attrs, 3, NULL);
  MlirValue sums = mlirValueIsNull(u) ? u : tcc_build_dot_general(b, g, u, NULL, NULL, 0, places, windows, 3);
  if (f->wide && !mlirValueIsNull(sums)) sums = tcc_build_convert(b, sums, TCC_ELEM_F32);
  MlirValue turned = mlirValueIsNull(sums) ? sums : tcc_build_transpose(b, sums, (const int64_t[]){0, 1, 2, 6, 3, 4, 5});
  return mlirValueIsNull(turned)
             ? turned
             : tcc_layout_reshape(l, b, turned, 4, (const int64_t[]){f->out_channels, channels, taps[0], taps[1]});
}

/* x [N, C, H, W] with its phases as channels of a block: [N, 1, rows, columns, L], as much of it as windows of taps pixels see. */
static MlirValue phases(TccLayout *l, TccBuilder *b, const FilterGrad *f, const int64_t taps[2]) {
  TccExprPool *pool = l->ir->exprs;
  const TccExpr *low[4], *high[4], *zero = tcc_layout_number(l, 0), *two = tcc_layout_number(l, 2), *n, *size[2];
  MlirType x = tcc_value_type(f->x), g = tcc_value_type(f->g);
  n = tcc_type_dim(l->ir, x, 0);
  low[0] = low[1] = high[0] = high[1] = zero;
  for (int i = 0; i < 2; i++) {
    size[i] = tcc_expr_add(pool, tcc_type_dim(l->ir, g, i + 2), tcc_layout_number(l, taps[i] - 1));
    low[i + 2] = tcc_layout_number(l, f->pads[i]);
    high[i + 2] =
        tcc_expr_sub(pool, tcc_expr_mul(pool, size[i], two), tcc_expr_add(pool, tcc_type_dim(l->ir, x, i + 2), low[i + 2]));
  }
  const TccExpr *c = tcc_layout_number(l, f->channels), *all = tcc_layout_number(l, 4 * f->channels);
  MlirValue v = tcc_build_pad(b, f->x, tcc_build_scalar(b, TCC_ELEM_BF16, 0), low, high, "constant");
  if (!mlirValueIsNull(v)) v = tcc_build_reshape(b, v, 6, (const TccExpr *[]){n, c, size[0], two, size[1], two});
  if (!mlirValueIsNull(v)) v = tcc_build_transpose(b, v, (const int64_t[]){0, 1, 3, 5, 2, 4});
  if (!mlirValueIsNull(v)) v = tcc_build_reshape(b, v, 4, (const TccExpr *[]){n, all, size[0], size[1]});
  return mlirValueIsNull(v) ? v : tcc_layout_to_blocks(l, b, v, 4 * f->channels);
}

/* [M, L, KH / 2, KW / 2] of phases -> [M, C, KH, KW]. */
static MlirValue from_phases(TccLayout *l, TccBuilder *b, const FilterGrad *f, MlirValue r, const int64_t taps[2]) {
  const TccExpr *zero = tcc_layout_number(l, 0), *starts[] = {zero, zero, zero, zero};
  const int64_t m = f->out_channels, c = f->channels, ones[] = {1, 1, 1, 1};
  const TccExpr *phases[] = {tcc_layout_number(l, m), tcc_layout_number(l, 4 * c), tcc_layout_number(l, taps[0]),
                             tcc_layout_number(l, taps[1])};
  const TccExpr *kernel[] = {phases[0], tcc_layout_number(l, c), tcc_layout_number(l, f->kernel[0]),
                             tcc_layout_number(l, f->kernel[1])};
  if (!mlirValueIsNull(r)) r = tcc_build_slice(b, r, starts, ones, phases);
  if (!mlirValueIsNull(r)) r = tcc_layout_reshape(l, b, r, 6, (const int64_t[]){m, c, 2, 2, taps[0], taps[1]});
  if (!mlirValueIsNull(r)) r = tcc_build_transpose(b, r, (const int64_t[]){0, 1, 4, 2, 5, 3});
  if (!mlirValueIsNull(r)) r = tcc_layout_reshape(l, b, r, 4, (const int64_t[]){m, c, 2 * taps[0], 2 * taps[1]});
  return mlirValueIsNull(r) ? r : tcc_build_slice(b, r, starts, ones, kernel);
}

static MlirValue of_blocks(TccLayout *l, TccBuilder *b, const FilterGrad *f, MlirValue g) {
  MlirValue x;
  if (!tcc_layout_blocked_operand(l, b, f->x, f->channels, &x)) return (MlirValue){NULL};
  return product(l, b, f, g, image(l, b, f, x), f->kernel, f->strides, f->dilations, f->channels);
}

static MlirValue of_phases(TccLayout *l, TccBuilder *b, const FilterGrad *f, MlirValue g) {
  static const int64_t ones[] = {1, 1};
  const int64_t taps[] = {(f->kernel[0] + 1) / 2, (f->kernel[1] + 1) / 2};
  MlirValue x = phases(l, b, f, taps);
  return from_phases(l, b, f, product(l, b, f, g, x, taps, ones, ones, l->lanes), taps);
}

static bool is_widened(TccLayout *l, MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (tcc_op_kind(l->ir, reader) != TCC_OP_CONVERT || tcc_value_elem(mlirOperationGetResult(reader, 0)) != TCC_ELEM_F32)
      return false;
  }
  return true;
}

/* What reads the conversions of `narrow` reads `wide`. */
static bool replace_widened(TccBuilder *b, MlirValue narrow, MlirValue wide) {
  for (MlirOpOperand use; !mlirOpOperandIsNull(use = mlirValueGetFirstUse(narrow));) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    MlirValue made = tcc_layout_with_type(b, wide, tcc_value_type(mlirOperationGetResult(reader, 0)));
    if (mlirValueIsNull(made)) return false;
    tcc_replace_uses(mlirOperationGetResult(reader, 0), made);
    tcc_erase(reader);
  }
  return true;
}

/* Conversions to f32, which gradients of parameters meet, go in front of the reorder: they are the product's epilogue then. */
bool tcc_layout_filter_grad(TccLayout *l, MlirOperation op) {
  FilterGrad f;
  if (!read(l, op, &f)) return true;
  f.wide = is_widened(l, mlirOperationGetResult(op, 0));
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue g, result = mlirOperationGetResult(op, 0);
  if (!tcc_layout_blocked_operand(l, &b, f.g, f.out_channels, &g)) return false;
  MlirValue plain = f.channels % l->lanes ? of_phases(l, &b, &f, g) : of_blocks(l, &b, &f, g);
  if (mlirValueIsNull(plain)) return false;
  if (f.wide) return replace_widened(&b, result, plain);
  plain = tcc_layout_with_type(&b, plain, tcc_value_type(result));
  if (mlirValueIsNull(plain)) return false;
  tcc_replace_uses(result, plain);
  return true;
}
