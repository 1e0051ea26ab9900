/* block_layout_taps.c - convolutions of many channels into few as one product.
 *
 *   conv [N, C, H, W] by w [M, C, h, w]  =>  product of [h * w * M, C] and [N, C, H * W], one image for each tap of a channel of the result;
 *                                            the taps along a row added, where they belong; then those along a column
 *
 * In blocks, where channels of the result are lanes, most of these would be padding: each of 7x7 into 3 has 13 of 16. Here rows of the product are
 * taps, which are many, and each number of the taps' images is read once.
 *
 * requires, ensures, keeps: as tcc-block-layout. */
#include "lib/targets/x86/passes/block_layout/block_layout_lines.h"
#include "tcc/op_kinds.h"

enum {
  MOVE = 48,       /* multiply-adds that take as long as writing a number and adding it */
  MOST_IMAGES = 8, /* of taps for each of x */
};

bool tcc_lines_goes_by_taps(const TccLines *l, const TccLinesConv *c) {
  const int64_t taps = c->kernel[0] * c->kernel[1], lanes = (c->out_channels + l->lanes - 1) / l->lanes * l->lanes;
  if (c->groups != 1 || c->strides[0] != 1 || c->strides[1] != 1 || taps < 2 || c->out_channels < 1) return false;
  if (c->channels < l->lanes || taps * c->out_channels > MOST_IMAGES * c->channels) return false;
  return 5 * (c->channels + MOVE) * c->out_channels < 4 * c->channels * lanes;
}

static const TccExpr *number(TccLines *l, int64_t n) { return tcc_expr_const(l->ir->exprs, n); }

/* y [N, h, w, M, H, W], whose axis `image` has the images of what axis `along` counts taps of: [.., 1, ..], added, `out` elements long. */
static MlirValue add_taps(TccLines *l, TccBuilder *b, MlirValue y, int along, int image, const int64_t pads[2], int64_t dilation,
                          int64_t taps, const TccExpr *out) {
  const TccExpr *zero = number(l, 0), *low[6], *high[6], *sizes[6], *starts[6];
  MlirValue sum = {NULL};
  if (mlirValueIsNull(y)) return y;
  MlirType type = tcc_value_type(y);
  for (int i = 0; i < 6; i++) {
    low[i] = high[i] = starts[i] = zero;
    sizes[i] = i == along ? number(l, 1) : i == image ? out : tcc_type_dim(l->ir, type, i);
  }
  low[image] = number(l, pads[0]), high[image] = number(l, pads[1]);
  if (pads[0] || pads[1]) y = tcc_build_pad(b, y, (MlirValue){NULL}, low, high, "constant");
  for (int64_t k = 0; k < taps && !mlirValueIsNull(y); k++) {
    starts[along] = number(l, k), starts[image] = number(l, k * dilation);
    MlirValue one = tcc_build_slice(b, y, starts, (const int64_t[]){1, 1, 1, 1, 1, 1}, sizes);
    sum = k && !mlirValueIsNull(one) ? tcc_build2(b, TCC_OP_ADD, sum, one) : one;
    if (mlirValueIsNull(sum)) break;
  }
  return sum;
}

/* [N, h, w, M, H, W] */
static MlirValue images_of_taps(TccLines *l, TccBuilder *b, const TccLinesConv *c) {
  const TccExpr *n = tcc_type_dim(l->ir, tcc_value_type(c->x), 0), *in = number(l, c->channels), *m = number(l, c->out_channels),
                *h = number(l, c->kernel[0]), *w = number(l, c->kernel[1]);
  MlirValue weight = tcc_build_reshape(b, c->w, 4, (const TccExpr *[]){m, in, h, w});
  if (!mlirValueIsNull(weight)) weight = tcc_build_transpose(b, weight, (const int64_t[]){2, 3, 0, 1});
  if (!mlirValueIsNull(weight))
    weight = tcc_build_reshape(b, weight, 2, (const TccExpr *[]){number(l, c->kernel[0] * c->kernel[1] * c->out_channels), in});
  MlirValue x = tcc_build_reshape(b, c->x, 3, (const TccExpr *[]){n, in, tcc_expr_mul(l->ir->exprs, c->in[0], c->in[1])});
  if (mlirValueIsNull(weight) || mlirValueIsNull(x)) return (MlirValue){NULL};
  MlirValue y = tcc_build2(b, TCC_OP_MATMUL, weight, x);
  return mlirValueIsNull(y) ? y : tcc_build_reshape(b, y, 6, (const TccExpr *[]){n, h, w, m, c->in[0], c->in[1]});
}

bool tcc_lines_by_taps(TccLines *l, const TccLinesConv *c) {
  TccBuilder b = {l->ir, mlirOperationGetBlock(c->op), c->op, mlirOperationGetLocation(c->op)};
  const TccExpr *one = number(l, 1), *m = number(l, c->out_channels), *dims[4];
  MlirType type = tcc_value_type(mlirOperationGetResult(c->op, 0));
  MlirValue y = images_of_taps(l, &b, c), bias = c->bias;
  y = add_taps(l, &b, y, 2, 5, (const int64_t[]){c->pads[1], c->pads[3]}, c->dilations[1], c->kernel[1], c->out[1]);
  y = add_taps(l, &b, y, 1, 4, (const int64_t[]){c->pads[0], c->pads[2]}, c->dilations[0], c->kernel[0], c->out[0]);
  for (int i = 0; i < c->rank; i++) dims[i] = tcc_type_dim(l->ir, type, i);
  if (!mlirValueIsNull(y)) y = tcc_build_reshape(&b, y, c->rank, dims);
  if (!tcc_value_is_none(l->ir, bias)) {
    bias = tcc_build_reshape(&b, bias, c->rank - 1, (const TccExpr *[]){m, one, one});
    if (mlirValueIsNull(bias) || mlirValueIsNull(y)) return false;
    y = tcc_build2(&b, TCC_OP_ADD, y, bias);
  }
  return tcc_lines_replace(&b, c, y);
}
