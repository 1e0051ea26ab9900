/* fold.c - windows summed into an image: Col2Im, aten.col2im, which is the adjoint of im2col. */
#include "lib/frontend/import/fold.h"
#include "tcc/op_kinds.h"

/* number * k for the k-th of `size` entries along axis of rank axes, sizes 1 elsewhere. */
static MlirValue steps(ImportCall *c, const TccExpr *size, const TccExpr *number, int axis, int rank) {
  const TccExpr *dims[TCC_MAX_RANK];
  for (int d = 0; d < rank; d++) dims[d] = d == axis ? size : import_size(c, 1);
  MlirValue k = tcc_build2(&c->b, TCC_OP_MUL, import_iota(c, TCC_ELEM_I64, size), tcc_build_size(&c->b, number));
  return tcc_build_reshape(&c->b, k, rank, dims);
}

/* Where in the flat padded image an element of a window lies, [blocks ..., windows ...]. */
static MlirValue positions(ImportCall *c, const ImportFold *f, const TccExpr *const *padded, const TccExpr *const *windows) {
  MlirValue sum = {NULL};
  const TccExpr *pitch = import_size(c, 1);
  for (int d = f->axes - 1; d >= 0; d--) {
    const TccExpr *inside = import_size_mul(c, pitch, import_size(c, f->dilations[d])),
                  *apart = import_size_mul(c, pitch, import_size(c, f->strides[d]));
    MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, steps(c, f->block[d], inside, d, 2 * f->axes),
                              steps(c, windows[d], apart, f->axes + d, 2 * f->axes));
    sum = d == f->axes - 1 ? at : tcc_build2(&c->b, TCC_OP_ADD, sum, at);
    pitch = import_size_mul(c, pitch, padded[d]);
  }
  return sum;
}

MlirValue import_fold(ImportCall *c, MlirValue x, const ImportFold *f) {
  const MlirValue nothing = {NULL};
  ImportShape s = import_shape(c, x);
  const TccExpr *padded[IMPORT_MOST_FOLDED], *windows[IMPORT_MOST_FOLDED];
  if (!x.ptr) return nothing;
  for (int d = 0; d < f->axes; d++) {
    const int64_t numbers[] = {f->strides[d] - 1, f->dilations[d] - 1, f->low[d], f->high[d]};
    for (int i = 0; i < 4; i++)
      if (numbers[i] < 0 || numbers[i] >= INT32_MAX) {
        import_invalid(c, "strides, dilations or pads are out of range");
        return nothing;
      }
    padded[d] = import_size_add(c, f->image[d], import_size(c, f->low[d] + f->high[d]));
    const TccExpr *reach = import_size_mul(c, import_size_sub(c, f->block[d], import_size(c, 1)), import_size(c, f->dilations[d]));
    const TccExpr *rest = import_size_sub(c, import_size_sub(c, padded[d], reach), import_size(c, 1));
    if (!import_require_at_most(c, import_size(c, 0), rest, "a window fits into the image")) return nothing;
    windows[d] =
        import_size_add(c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, rest, import_size(c, f->strides[d])), import_size(c, 1));
  }
  const TccExpr *elements = import_product(c, f->block, f->axes), *count = import_product(c, windows, f->axes);
  if (s.rank != 3) {
    import_invalid(c, "an input of rank %d, not 3", s.rank);
    return nothing;
  }
  const TccExpr *channels = import_divide(c, s.dims[1], elements);
  if (!channels || !import_require_equal(c, s.dims[2], count, "windows")) return nothing;
  const TccExpr *flat[] = {import_size_mul(c, s.dims[0], channels), import_size_mul(c, elements, count)};
  const TccExpr *image[] = {flat[0], import_product(c, padded, f->axes)}, *one[] = {import_size(c, 1), flat[1]};
  MlirValue zero = tcc_elem_is_float(s.elem) ? tcc_build_scalar(&c->b, s.elem, 0) : tcc_build_scalar_i64(&c->b, s.elem, 0);
  MlirValue at = tcc_build_reshape(&c->b, positions(c, f, padded, windows), 2, one);
  MlirValue operands[] = {tcc_build_broadcast(&c->b, zero, 2, image), tcc_build_broadcast(&c->b, at, 2, flat),
                          tcc_build_reshape(&c->b, x, 2, flat)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 1)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return nothing;
  const TccExpr *to[TCC_MAX_RANK] = {s.dims[0], channels};
  for (int d = 0; d < f->axes; d++) to[d + 2] = padded[d];
  MlirValue r = tcc_build_reshape(&c->b, import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2), f->axes + 2, to);
  for (int d = 0; d < f->axes; d++)
    if (f->low[d] || f->high[d]) r = tcc_build_slice_axis(&c->b, r, d + 2, import_size(c, f->low[d]), 1, f->image[d]);
  return r;
}
