/* spread_windows.c - the adjoint of a convolution by its image: convolutions of stride 1 (tcc_build_spread_windows), or a conv_transpose. */
#include "passes/grad/window.h"

/* By how much the axis that conv_transpose would make is too short; as it was where the sizes are not constants. */
static void missing(const TccWindow *w, int i, const TccExpr *windows, const TccExpr *kernel, const TccExpr *want, int64_t *out) {
  int64_t n, k, size;
  if (!tcc_expr_is_const(windows, &n) || !tcc_expr_is_const(kernel, &k) || !tcc_expr_is_const(want, &size)) return;
  *out = size - ((n - 1) * w->strides[i] - w->pads[i] - w->pads[w->spatial + i] + (k - 1) * w->dilations[i] + 1);
}

/* Where sizes are symbols it makes stride - 1 places more than no output padding gives, and what is too much is cut off. */
static MlirValue transposed(GradOp *a, const TccWindow *w, MlirValue g, MlirValue weights, MlirType type) {
  int64_t pads[2 * TCC_MAX_RANK], extra[TCC_MAX_RANK] = {0};
  for (int i = 0; i < 2 * w->spatial; i++) pads[i] = w->pads[i];
  for (int i = 0; i < w->spatial; i++) {
    int64_t more = w->strides[i] - 1;
    missing(w, i, tcc_type_dim(a->ir, tcc_value_type(g), i + 2), tcc_type_dim(a->ir, tcc_value_type(weights), i + 2),
            tcc_type_dim(a->ir, type, i + 2), &more);
    if (more > 0) extra[i] = more;
    else pads[w->spatial + i] -= more;
  }
  MlirValue r = tcc_build_window(a->b, TCC_OP_CONV_TRANSPOSE, g, weights, w, pads, extra, "output_padding");
  for (int i = 0; i < w->spatial && r.ptr; i++) {
    const TccExpr *have = tcc_type_dim(a->ir, tcc_value_type(r), i + 2), *want = tcc_type_dim(a->ir, type, i + 2);
    r = grad_pad_axis(a->b, r, i + 2, grad_const(a, 0), tcc_expr_sub(a->ir->exprs, want, have));
  }
  return grad_as_type(a->b, r, type);
}

MlirValue grad_spread_windows(GradOp *a, const TccWindow *w, MlirValue g, MlirValue weights, MlirType type) {
  MlirValue r;
  if (tcc_build_spread_windows(a->b, a->scratch, w, g, weights, type, &r)) return r;
  return transposed(a, w, g, weights, type);
}
