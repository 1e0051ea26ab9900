/* rules_window.c - adjoints of convolutions and pools: conv, conv_transpose and conv_filter_grad are the three sides of one trilinear form. */
#include "passes/grad/window.h"

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }

static bool read_window(GradOp *a, TccWindow *w) {
  static const int64_t none[2 * TCC_MAX_RANK] = {0};
  size_t n;
  w->groups = 1, w->pads = none;
  tcc_get_i64(a->ir, a->op, "groups", &w->groups);
  tcc_get_ints(a->ir, a->op, "pads", &w->pads, &n);
  w->spatial = tcc_type_rank(type_of(a, 0)) - 2;
  return (tcc_get_ints(a->ir, a->op, "strides", &w->strides, &n) && tcc_get_ints(a->ir, a->op, "dilations", &w->dilations, &n)) ||
         grad_fail(a, "has no window");
}

static MlirValue convolve(GradOp *a, const TccWindow *w, MlirValue x, MlirValue weights, const int64_t *pads) {
  return tcc_build_window(a->b, TCC_OP_CONV, x, weights, w, pads, NULL, "");
}

/* Of weights of this type, whose kernel is known. */
static MlirValue filter_grad(GradOp *a, const TccWindow *w, MlirValue x, MlirValue g, MlirType type) {
  int64_t kernel[TCC_MAX_RANK];
  for (int i = 0; i < w->spatial; i++)
    if (!tcc_expr_is_const(tcc_type_dim(a->ir, type, i + 2), &kernel[i])) {
      grad_fail(a, "has a derivative for a kernel of constant size only");
      return (MlirValue){NULL};
    }
  return grad_as_type(a->b, tcc_build_window(a->b, TCC_OP_CONV_FILTER_GRAD, x, g, w, w->pads, kernel, "kernel"), type);
}

static MlirValue channel_sum(GradOp *a, MlirValue g) {
  int64_t axes[TCC_MAX_RANK] = {0};
  int rank = tcc_type_rank(tcc_value_type(g));
  for (int i = 2; i < rank; i++) axes[i - 1] = i;
  return tcc_build_reduce(a->b, "sum", g, axes, (size_t)rank - 1, false);
}

bool tcc_grad_conv(GradOp *a) {
  TccWindow w;
  if (!read_window(a, &w)) return false;
  if (a->wanted[0]) grad_give(a, 0, grad_spread_windows(a, &w, a->g[0], grad_operand(a, 1), type_of(a, 0)));
  if (a->wanted[1]) grad_give(a, 1, filter_grad(a, &w, grad_operand(a, 0), a->g[0], type_of(a, 1)));
  if (a->wanted[2]) grad_give(a, 2, channel_sum(a, a->g[0]));
  return true;
}

/* As many windows of g as x has places: the output padding is behind the last. */
bool tcc_grad_conv_transpose(GradOp *a) {
  TccWindow w, inner;
  const int64_t *extra;
  size_t n;
  int64_t pads[2 * TCC_MAX_RANK];
  if (!read_window(a, &w)) return false;
  if (!tcc_get_ints(a->ir, a->op, "output_padding", &extra, &n)) return grad_fail(a, "has no output_padding");
  for (int i = 0; i < w.spatial; i++) pads[i] = w.pads[i], pads[w.spatial + i] = w.pads[w.spatial + i] - extra[i];
  inner = w;
  inner.pads = pads;
  if (a->wanted[0]) grad_give(a, 0, convolve(a, &inner, a->g[0], grad_operand(a, 1), pads));
  if (a->wanted[1]) grad_give(a, 1, filter_grad(a, &inner, a->g[0], grad_operand(a, 0), type_of(a, 1)));
  if (a->wanted[2]) grad_give(a, 2, channel_sum(a, a->g[0]));
  return true;
}

bool tcc_grad_conv_filter_grad(GradOp *a) {
  TccWindow w;
  if (!read_window(a, &w)) return false;
  if (a->wanted[0]) grad_give(a, 0, grad_spread_windows(a, &w, grad_operand(a, 1), a->g[0], type_of(a, 0)));
  if (a->wanted[1]) grad_give(a, 1, grad_as_type(a->b, convolve(a, &w, grad_operand(a, 0), a->g[0], w.pads), type_of(a, 1)));
  return true;
}

/* ---- unfold ---- */
/* A channel for each channel and tap, with a kernel that is 1 at the tap: [C * taps, 1, kernel]. */
static MlirValue tap_kernels(GradOp *a, const TccExpr *channels, const int64_t *kernel, int spatial) {
  int64_t taps = 1;
  for (int i = 0; i < spatial; i++) taps *= kernel[i];
  const TccExpr *square[2] = {grad_const(a, taps), grad_const(a, taps)};
  const TccExpr *each[TCC_MAX_RANK] = {grad_const(a, 1), square[0], grad_const(a, 1)},
                *all[TCC_MAX_RANK] = {channels, square[0], each[2]};
  for (int i = 0; i < spatial; i++) each[i + 3] = all[i + 3] = grad_const(a, kernel[i]);
  MlirValue is = tcc_build_compare(a->b, "eq", tcc_build_iota(a->b, TCC_ELEM_I64, 0, 2, square),
                                   tcc_build_iota(a->b, TCC_ELEM_I64, 1, 2, square));
  MlirValue one = tcc_build_reshape(a->b, tcc_build_convert(a->b, is, tcc_value_elem(a->g[0])), spatial + 3, each);
  MlirValue repeated = tcc_build_broadcast(a->b, one, spatial + 3, all);
  all[1] = tcc_expr_mul(a->ir->exprs, channels, square[0]);
  return tcc_build_reshape(a->b, repeated, spatial + 2, all + 1);
}

bool tcc_grad_unfold(GradOp *a) {
  TccWindow w;
  const int64_t *kernel;
  size_t n;
  if (!read_window(a, &w) || !tcc_get_ints(a->ir, a->op, "kernel", &kernel, &n)) return grad_fail(a, "has no kernel");
  GradShape g = grad_shape(a->ir, a->g[0]), rows = {w.spatial + 2, {g.dims[0], g.dims[1]}};
  int64_t channels;
  if (!tcc_expr_is_const(g.dims[1], &channels)) return grad_fail(a, "has a derivative for a constant number of channels only");
  for (int i = 0; i < w.spatial; i++) {
    rows.dims[1] = tcc_expr_mul(a->ir->exprs, rows.dims[1], grad_const(a, kernel[i]));
    rows.dims[i + 2] = g.dims[2 + w.spatial + i];
  }
  w.groups = channels;
  MlirValue flat = tcc_build_reshape(a->b, a->g[0], rows.rank, rows.dims);
  grad_give(a, 0, grad_spread_windows(a, &w, flat, tap_kernels(a, g.dims[1], kernel, w.spatial), type_of(a, 0)));
  return true;
}

/* ---- pools ---- */
static const char *const pool_attributes[] = {"kernel", "strides", "pads", "dilations", "ceil_mode", "kind", "count_include_pad"};

/* An op with the first n attributes of this one. */
static MlirValue like_pool(GradOp *a, TccOpKind kind, const MlirValue *operands, size_t noperands, size_t n) {
  TccNamedAttr attrs[7];
  for (size_t i = 0; i < n; i++) attrs[i] = (TccNamedAttr){pool_attributes[i], tcc_attribute(a->op, pool_attributes[i])};
  return tcc_build_value(a->b, kind, operands, noperands, attrs, n, NULL);
}

bool tcc_grad_pool(GradOp *a) {
  MlirValue operands[] = {grad_operand(a, 0), a->g[0]};
  grad_give(a, 0, like_pool(a, TCC_OP_POOL_GRAD, operands, 2, 7));
  return true;
}

bool tcc_grad_pool_grad(GradOp *a) {
  if (!a->wanted[1]) return true;
  MlirValue x = grad_operand(a, 0);
  if (!tcc_str_is(tcc_string(a->ir, a->op, "kind"), "max")) {
    grad_give(a, 1, like_pool(a, TCC_OP_POOL, &a->g[0], 1, 7));
    return true;
  }
  const TccExpr *count = tcc_type_count(a->ir, tcc_value_type(x));
  MlirValue places = like_pool(a, TCC_OP_POOL_INDEX, &x, 1, 5), flat = tcc_build_reshape(a->b, a->g[0], 1, &count);
  grad_give(a, 1, tcc_build_gather(a->b, flat, places, 0));
  return true;
}
