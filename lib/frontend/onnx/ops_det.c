/* ops_det.c - Det: the determinants of the last two axes, by Gaussian elimination with partial pivoting.
 *
 * Each step takes the row with the largest first element out of [B, m, m], multiplies that element into the determinant, and leaves
 * [B, m - 1, m - 1]; the sign turns where the row was not the first. Steps are unrolled: the matrix's size is a constant. */
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
