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

/* ---- windows that overlap few times ----
 * Along an axis with stride s pixel (w + q) * s + r has what window w has at its place q * s + r: the image is a sum over q of the windows, q rows
 * further on, with r as the pixel of a row. */
enum { MOST_SHIFTS = 64, MOST_SHIFTED = 4 /* axes */ };
typedef struct {
  int64_t shifts[MOST_SHIFTED], phases[MOST_SHIFTED]; /* how many q and r there are */
  int64_t all;                                        /* q of all axes */
} Shifts;

static bool few_shifts(const ImportFold *f, Shifts *out) {
  out->all = 1;
  for (int d = 0; d < f->axes; d++) {
    int64_t block;
    if (d == MOST_SHIFTED || !tcc_expr_is_const(f->block[d], &block) || block < 1) return false;
    if (block > MOST_SHIFTS * f->strides[d] || (f->strides[d] > 1 && (f->dilations[d] > 1 || f->strides[d] > 2 * block)))
      return false;
    out->phases[d] = f->strides[d], out->shifts[d] = tcc_ceil_div(block, f->strides[d]);
    if ((out->all *= out->shifts[d]) > MOST_SHIFTS) return false;
  }
  return true;
}

/* [N, C, block ..., windows ...] as [N, C, shifts, phases, ..., windows ...]. */
static MlirValue split_blocks(ImportCall *c, MlirValue x, const ImportFold *f, const Shifts *t) {
  ImportShape s = import_shape(c, x);
  const TccExpr *none = import_size(c, 0), *low[TCC_MAX_RANK], *high[TCC_MAX_RANK], *to[TCC_MAX_RANK] = {s.dims[0], s.dims[1]};
  for (int i = 0; i < s.rank; i++) low[i] = high[i] = none;
  for (int d = 0; d < f->axes; d++) {
    high[2 + d] = import_size_sub(c, import_size(c, t->shifts[d] * t->phases[d]), s.dims[2 + d]);
    to[2 + 2 * d] = import_size(c, t->shifts[d]), to[3 + 2 * d] = import_size(c, t->phases[d]);
    to[2 + 2 * f->axes + d] = s.dims[2 + f->axes + d];
  }
  bool whole = true;
  for (int d = 0; d < f->axes; d++) whole &= high[2 + d] == none;
  if (!whole) x = tcc_build_pad(&c->b, x, (MlirValue){NULL}, low, high, "constant");
  return tcc_build_reshape(&c->b, x, 2 + 3 * f->axes, to);
}

/* Of these the shift whose number is `which`: [N, C, phases ..., rows ...], where an axis without phases has the rows of the image. */
static MlirValue shifted(ImportCall *c, MlirValue x, const ImportFold *f, const Shifts *t, int64_t which) {
  ImportShape s = import_shape(c, x);
  const TccExpr *none = import_size(c, 0), *start[TCC_MAX_RANK], *low[TCC_MAX_RANK], *high[TCC_MAX_RANK],
                *to[TCC_MAX_RANK] = {s.dims[0], s.dims[1]};
  int64_t steps[TCC_MAX_RANK];
  for (int i = 0; i < s.rank; i++) start[i] = low[i] = high[i] = none, steps[i] = 1;
  for (int d = f->axes - 1; d >= 0; d--, which /= t->shifts[d + 1]) {
    const int64_t q = which % t->shifts[d];
    const TccExpr *windows = s.dims[2 + 2 * f->axes + d];
    const int row = 2 + f->axes + d;
    start[2 + 2 * d] = import_size(c, q), s.dims[2 + 2 * d] = import_size(c, 1);
    to[2 + d] = s.dims[3 + 2 * d], to[row] = windows;
    low[row] = import_size(c, t->phases[d] > 1 ? q : q * f->dilations[d] - f->low[d]);
    high[row] = t->phases[d] > 1 ? import_size(c, t->shifts[d] - 1 - q)
                                 : import_size_sub(c, import_size_sub(c, f->image[d], windows), low[row]);
  }
  x = tcc_build_reshape(&c->b, tcc_build_slice(&c->b, x, start, steps, s.dims), 2 + 2 * f->axes, to);
  return tcc_build_pad(&c->b, x, (MlirValue){NULL}, low, high, "constant");
}

/* [N, C, phases ..., rows ...] as the image. */
static MlirValue interleaved(ImportCall *c, MlirValue x, const ImportFold *f, const Shifts *t) {
  ImportShape s = import_shape(c, x);
  int64_t perm[TCC_MAX_RANK] = {0, 1};
  const TccExpr *none = import_size(c, 0), *to[TCC_MAX_RANK] = {s.dims[0], s.dims[1]}, *low[TCC_MAX_RANK] = {none, none},
                *high[TCC_MAX_RANK] = {none, none};
  for (int d = 0; d < f->axes; d++) {
    perm[2 + 2 * d] = 2 + f->axes + d, perm[3 + 2 * d] = 2 + d;
    to[2 + d] = import_size_mul(c, s.dims[2 + f->axes + d], s.dims[2 + d]);
    low[2 + d] = t->phases[d] > 1 ? import_size(c, -f->low[d]) : none;
    high[2 + d] =
        t->phases[d] > 1 ? import_size_sub(c, import_size_add(c, f->image[d], import_size(c, f->low[d])), to[2 + d]) : none;
  }
  x = tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, x, perm), 2 + f->axes, to);
  return tcc_build_pad(&c->b, x, (MlirValue){NULL}, low, high, "constant");
}

/* x: [N, C, block ..., windows ...]. */
static MlirValue sum_of_shifts(ImportCall *c, MlirValue x, const ImportFold *f, const Shifts *t) {
  const TccElem elem = tcc_value_elem(x), wide = tcc_elem_accumulator(elem);
  MlirValue sum = {NULL};
  x = split_blocks(c, x, f, t);
  for (int64_t i = 0; x.ptr && i < t->all; i++) {
    MlirValue part = shifted(c, x, f, t, i);
    if (!part.ptr) return part;
    if (wide != elem) part = tcc_build_convert(&c->b, part, wide);
    sum = i ? tcc_build2(&c->b, TCC_OP_ADD, sum, part) : part;
  }
  if (!sum.ptr) return sum;
  if (wide != elem) sum = tcc_build_convert(&c->b, sum, elem);
  return interleaved(c, sum, f, t);
}

/* ---- windows of any sizes ---- */
/* flat: [N * C, elements of all windows]. */
static MlirValue scattered(ImportCall *c, MlirValue x, const ImportFold *f, const TccExpr *const *padded,
                           const TccExpr *const *windows, const TccExpr *const flat[2]) {
  const TccElem elem = tcc_value_elem(x);
  const TccExpr *image[] = {flat[0], import_product(c, padded, f->axes)}, *one[] = {import_size(c, 1), flat[1]};
  MlirValue zero = tcc_elem_is_float(elem) ? tcc_build_scalar(&c->b, elem, 0) : tcc_build_scalar_i64(&c->b, elem, 0);
  MlirValue at = tcc_build_reshape(&c->b, positions(c, f, padded, windows), 2, one);
  MlirValue operands[] = {tcc_build_broadcast(&c->b, zero, 2, image), tcc_build_broadcast(&c->b, at, 2, flat),
                          tcc_build_reshape(&c->b, x, 2, flat)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 1)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return (MlirValue){NULL};
  return import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2);
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
  Shifts shifts;
  const TccExpr *to[TCC_MAX_RANK] = {s.dims[0], channels};
  if (few_shifts(f, &shifts)) {
    for (int d = 0; d < f->axes; d++) to[2 + d] = f->block[d], to[2 + f->axes + d] = windows[d];
    return sum_of_shifts(c, tcc_build_reshape(&c->b, x, 2 + 2 * f->axes, to), f, &shifts);
  }
  const TccExpr *flat[] = {import_size_mul(c, s.dims[0], channels), import_size_mul(c, elements, count)};
  for (int d = 0; d < f->axes; d++) to[d + 2] = padded[d];
  MlirValue r = tcc_build_reshape(&c->b, scattered(c, x, f, padded, windows, flat), f->axes + 2, to);
  for (int d = 0; d < f->axes; d++)
    if (f->low[d] || f->high[d]) r = tcc_build_slice_axis(&c->b, r, d + 2, import_size(c, f->low[d]), 1, f->image[d]);
  return r;
}
