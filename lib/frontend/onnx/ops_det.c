/* ops_det.c - Det and Inverse of the matrices of the last two axes, by Gaussian elimination with partial pivoting.
 *
 * Each step takes the row with the largest first element out of [B, m, m], multiplies that element into the determinant, and leaves
 * [B, m - 1, m - 1]; the sign turns where the row was not the first. Steps of Det are unrolled: the matrix's size is a constant. Those of Inverse are
 * a loop at run time over [B, m, 2 m], the matrices beside identities (Gauss and Jordan). */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

enum { LARGEST_MATRIX = 32 };

static MlirValue part(ImportCall *c, MlirValue x, int64_t axis, int64_t start, int64_t size) {
  return tcc_build_slice_axis(&c->b, x, axis, import_size(c, start), 1, import_size(c, size));
}

/* One step on a [B, m, m], m > 1; det is [B, 1, 1]. */
static void eliminate(ImportCall *c, MlirValue *a, MlirValue *det, int64_t m) {
  TccElem elem = tcc_value_elem(*a);
  MlirValue column = tcc_build1(&c->b, TCC_OP_ABS, part(c, *a, 2, 0, 1));
  TccNamedAttr attrs[] = {
      {"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 1)}, {"keepdims", tcc_attr_bool(c->ir, true)}};
  MlirValue at = column.ptr ? import_op(c, TCC_OP_ARG_REDUCE, &column, 1, attrs, 3) : column; /* [B, 1, 1] */
  const TccExpr *down[] = {import_size(c, m), import_size(c, 1)};
  MlirValue row = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, down[0]), 2, down);
  MlirValue is_pivot = tcc_build_compare(&c->b, "eq", row, at), zero = tcc_build_scalar(&c->b, elem, 0);
  const int64_t rows = 1;
  MlirValue pivot_row = tcc_build_reduce(&c->b, "sum", tcc_build_select(&c->b, is_pivot, *a, zero), &rows, 1, true);
  MlirValue pivot = part(c, pivot_row, 2, 0, 1), one = tcc_build_scalar(&c->b, elem, 1);
  MlirValue first = tcc_build_compare(&c->b, "eq", at, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  *det = tcc_build2(&c->b, TCC_OP_MUL, *det, tcc_build_select(&c->b, first, pivot, tcc_build1(&c->b, TCC_OP_NEG, pivot)));
  MlirValue swapped = tcc_build_select(&c->b, is_pivot, part(c, *a, 1, 0, 1), *a); /* the first row where the pivot's was */
  MlirValue below = part(c, swapped, 1, 1, m - 1);
  /* Where the largest is 0 the determinant is, whatever the rest becomes. */
  MlirValue divisor = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", pivot, zero), one, pivot);
  MlirValue factor = tcc_build2(&c->b, TCC_OP_DIV, part(c, below, 2, 0, 1), divisor);
  *a = tcc_build2(&c->b, TCC_OP_SUB, part(c, below, 2, 1, m - 1),
                  tcc_build2(&c->b, TCC_OP_MUL, factor, part(c, pivot_row, 2, 1, m - 1)));
}

bool onnx_op_det(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t m;
  if (shape.rank < 2) return import_invalid(c, "the input must have rank 2 or more");
  const TccExpr *const *size = &shape.dims[shape.rank - 2];
  if (!tcc_expr_is_const(size[0], &m) && !import_fix_size(c, size[1], &m)) return false;
  if (!import_require_equal(c, size[0], size[1], "the matrices' sizes")) return false;
  if (m > LARGEST_MATRIX) return import_unsupported(c, "matrices of %lld rows; at most %d", (long long)m, LARGEST_MATRIX);
  TccElem work = tcc_elem_accumulator(shape.elem);
  const TccExpr *one = import_size(c, 1), *count = import_product(c, shape.dims, shape.rank - 2),
                *batch[] = {count, import_size(c, m), import_size(c, m)}, *each[] = {count, one, one};
  MlirValue a = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, x, work), 3, batch);
  MlirValue det = tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, work, 1), 3, each);
  for (; m > 1 && a.ptr && det.ptr; m--) eliminate(c, &a, &det, m);
  if (m == 1) det = tcc_build2(&c->b, TCC_OP_MUL, det, a);
  return import_output(c, 0, tcc_build_convert(&c->b, tcc_build_reshape(&c->b, det, shape.rank - 2, shape.dims), shape.elem));
}

/* x's elements at `index`, which broadcasts to x but for the axis. */
static MlirValue at_index(ImportCall *c, MlirValue x, MlirValue index, int64_t axis, const TccExpr *const *dims) {
  MlirValue operands[] = {x, tcc_build_broadcast(&c->b, index, 3, dims)};
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  return operands[1].ptr ? import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &attr, 1) : operands[1];
}

/* The row of step k [1] with the largest element of column k among those from k on becomes row k, is divided by that element, and is taken from all other
 * rows so that their column k is 0. a is [B, m, 2 m]. */
static MlirValue jordan_step(ImportCall *c, MlirValue a, MlirValue k) {
  ImportShape s = import_shape(c, a);
  const TccExpr *one = import_size(c, 1), *down[] = {one, s.dims[1], one}, *row_dims[] = {s.dims[0], one, s.dims[2]};
  MlirValue row = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, s.dims[1]), 3, down);
  MlirValue size = tcc_build1(&c->b, TCC_OP_ABS, tcc_build_gather(&c->b, a, k, 2)); /* [B, m, 1] */
  size = tcc_build_select(&c->b, tcc_build_compare(&c->b, "ge", row, k), size, tcc_build_scalar(&c->b, s.elem, -1));
  TccNamedAttr attrs[] = {
      {"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 1)}, {"keepdims", tcc_attr_bool(c->ir, true)}};
  if (!size.ptr) return size;
  MlirValue at = import_op(c, TCC_OP_ARG_REDUCE, &size, 1, attrs, 3); /* [B, 1, 1] */
  MlirValue best = at_index(c, a, at, 1, row_dims), old = tcc_build_gather(&c->b, a, k, 1);
  MlirValue pivot_row = tcc_build2(&c->b, TCC_OP_DIV, best, tcc_build_gather(&c->b, best, k, 2));
  a = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", row, at), old, a);
  MlirValue rest = tcc_build2(&c->b, TCC_OP_SUB, a, tcc_build2(&c->b, TCC_OP_MUL, tcc_build_gather(&c->b, a, k, 2), pivot_row));
  return tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", row, k), pivot_row, rest);
}

bool onnx_op_inverse(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (shape.rank < 2) return import_invalid(c, "the input must have rank 2 or more");
  const TccExpr *m = shape.dims[shape.rank - 1], *count = import_product(c, shape.dims, shape.rank - 2), *batch[] = {count, m, m};
  if (!import_require_equal(c, shape.dims[shape.rank - 2], m, "the matrices' sizes")) return false;
  const TccElem work = tcc_elem_accumulator(shape.elem);
  const TccExpr *column[] = {m, import_size(c, 1)};
  MlirValue place = import_iota(c, TCC_ELEM_I64, m),
            is_unit = tcc_build_compare(&c->b, "eq", tcc_build_reshape(&c->b, place, 2, column), place);
  MlirValue sides[] = {tcc_build_reshape(&c->b, tcc_build_convert(&c->b, x, work), 3, batch),
                       tcc_build_broadcast(&c->b, tcc_build_convert(&c->b, is_unit, work), 3, batch)};
  const int64_t zero = 0, size = 1;
  MlirValue first[] = {tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &size, &zero), tcc_build_concat(&c->b, sides, 2, 2)}, in[2],
            out[2];
  if (!first[1].ptr) return false;
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < 2; i++) in[i] = import_body_argument(c, &body, tcc_value_type(first[i]));
  MlirValue next[] = {tcc_build2_number(&c->b, TCC_OP_ADD, in[0], 1), jordan_step(c, in[1], in[0])};
  if (!import_body_close(c, &body, 2, first, next, m, false, out)) {
    import_body_drop(c, &body, false);
    return false;
  }
  MlirValue y = tcc_build_slice_axis(&c->b, out[1], 2, m, 1, m);
  return import_output(c, 0, tcc_build_convert(&c->b, tcc_build_reshape(&c->b, y, shape.rank, shape.dims), shape.elem));
}
