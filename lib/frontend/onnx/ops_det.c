/* ops_det.c - Det and Inverse of the matrices of the last two axes, by their LU factors: P a = L U. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

typedef struct {
  ImportShape shape;
  const TccExpr *m;
  TccElem work;
  MlirValue lu, pivots;
} Factors;

static bool factor(ImportCall *c, Factors *f) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  f->shape = import_shape(c, x);
  if (f->shape.rank < 2) return import_invalid(c, "the input must have rank 2 or more");
  f->m = f->shape.dims[f->shape.rank - 1];
  if (!import_require_equal(c, f->shape.dims[f->shape.rank - 2], f->m, "the matrices' sizes")) return false;
  f->work = tcc_elem_accumulator(f->shape.elem);
  x = tcc_build_convert(&c->b, x, f->work);
  f->lu = x.ptr ? import_op(c, TCC_OP_LU, &x, 1, NULL, 0) : x;
  if (f->lu.ptr) f->pivots = mlirOperationGetResult(tcc_value_op(f->lu), 1);
  return f->lu.ptr != NULL;
}

/* 0 to m - 1 as a row [m], or a column [m, 1]. */
static MlirValue places(ImportCall *c, const TccExpr *m, bool column) {
  const TccExpr *dims[] = {m, import_size(c, 1)};
  MlirValue row = import_iota(c, TCC_ELEM_I64, m);
  return column ? tcc_build_reshape(&c->b, row, 2, dims) : row;
}

/* The product of U's diagonal, turned for each row that changed its place. */
bool onnx_op_det(ImportCall *c) {
  Factors f;
  if (!factor(c, &f)) return false;
  const int64_t columns = f.shape.rank - 1, rows = columns - 1;
  MlirValue is_diagonal = tcc_build_compare(&c->b, "eq", places(c, f.m, true), places(c, f.m, false)),
            zero = tcc_build_scalar(&c->b, f.work, 0);
  MlirValue diagonal = tcc_build_reduce(&c->b, "sum", tcc_build_select(&c->b, is_diagonal, f.lu, zero), &columns, 1, false);
  MlirValue step = tcc_build_convert(&c->b, tcc_build2_number(&c->b, TCC_OP_ADD, places(c, f.m, false), 1), TCC_ELEM_I32);
  MlirValue moved = tcc_build_compare(&c->b, "ne", f.pivots, step);
  MlirValue factors = tcc_build_select(&c->b, moved, tcc_build1(&c->b, TCC_OP_NEG, diagonal), diagonal);
  return import_output(c, 0, tcc_build_convert(&c->b, tcc_build_reduce(&c->b, "prod", factors, &rows, 1, false), f.shape.elem));
}

static MlirValue solve(ImportCall *c, MlirValue triangle, MlirValue b, bool upper, bool unit) {
  MlirValue operands[] = {triangle, b};
  TccNamedAttr attrs[] = {{"upper", tcc_attr_bool(c->ir, upper)}, {"unit", tcc_attr_bool(c->ir, unit)}};
  return b.ptr ? import_op(c, TCC_OP_TRIANGULAR_SOLVE, operands, 2, attrs, 2) : b;
}

/* U^-1 L^-1 P */
bool onnx_op_inverse(ImportCall *c) {
  Factors f;
  if (!factor(c, &f)) return false;
  TccNamedAttr size = {"size", tcc_attr_exprs(c->ir, &f.m, 1)};
  MlirValue order = import_op(c, TCC_OP_PIVOTS_TO_PERMUTATION, &f.pivots, 1, &size, 1);
  if (!order.ptr) return false;
  MlirValue p = tcc_build_compare(&c->b, "eq", import_unsqueeze(c, order, f.shape.rank - 1), places(c, f.m, false));
  p = tcc_build_convert(&c->b, p, f.work);
  return import_output(c, 0, tcc_build_convert(&c->b, solve(c, f.lu, solve(c, f.lu, p, false, true), true, false), f.shape.elem));
}
