/* expand.c - building blocks of the expansions; see expand.h. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"
#include <stdio.h>

static MlirValue null_value(void) { return (MlirValue){NULL}; }
static bool is_null(MlirValue value) { return value.ptr == NULL; }

bool tcc_ex_fail(TccExpand *x, const char *format, ...) {
  TccText text = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&text, format, args);
  va_end(args);
  tcc_error(x->op, "'%s': %s", tcc_op_name(x->kind), text.data);
  tcc_text_destroy(&text);
  return false;
}

MlirValue tcc_ex_operand(TccExpand *x, int i) {
  MlirValue value = mlirOperationGetOperand(x->op, i);
  return tcc_value_is_none(x->ir, value) ? null_value() : value;
}

MlirValue tcc_ex_in(TccExpand *x, int i) { return tcc_build_convert(x->b, tcc_ex_operand(x, i), x->compute); }
MlirValue tcc_ex_out(TccExpand *x, MlirValue value) { return tcc_build_convert(x->b, value, x->elem); }
MlirValue tcc_ex_scalar(TccExpand *x, double value) { return tcc_build_scalar(x->b, x->compute, value); }

MlirValue tcc_ex_times(TccExpand *x, MlirValue a, double factor) {
  return factor == 1 ? a : tcc_build2(x->b, TCC_OP_MUL, a, tcc_ex_scalar(x, factor));
}

MlirValue tcc_ex_plus(TccExpand *x, MlirValue a, double addend) {
  return addend == 0 ? a : tcc_build2(x->b, TCC_OP_ADD, a, tcc_ex_scalar(x, addend));
}

MlirValue tcc_ex_mean(TccExpand *x, MlirValue a, const int64_t *axes, size_t naxes, bool keepdims) {
  TccShape shape;
  if (!tcc_ex_shape(x, a, &shape)) return null_value();
  const TccExpr *count = tcc_ex_const(x, 1);
  for (size_t i = 0; i < naxes; i++) count = tcc_expr_mul(x->ir->exprs, count, shape.dims[axes[i]]);
  MlirValue sum = tcc_build_reduce(x->b, "sum", a, axes, naxes, keepdims);
  return tcc_build2(x->b, TCC_OP_DIV, sum, tcc_ex_size(x, count, tcc_type_elem(tcc_value_type(a))));
}

MlirValue tcc_ex_slice(TccExpand *x, MlirValue a, int axis, int64_t start, int64_t step, const TccExpr *size) {
  TccShape shape;
  if (!tcc_ex_shape(x, a, &shape)) return null_value();
  if (start == 0 && step == 1 && shape.dims[axis] == size) return a;
  return tcc_build_slice_axis(x->b, a, axis, tcc_ex_const(x, start), step, size);
}

MlirValue tcc_ex_at(TccExpand *x, MlirValue a, int axis, int64_t index) {
  return tcc_build_squeeze(x->b, tcc_ex_slice(x, a, axis, index, 1, tcc_ex_const(x, 1)), axis);
}

MlirValue tcc_ex_dot(TccExpand *x, MlirValue a, MlirValue b, size_t nbatch, int64_t lhs_contract, int64_t rhs_contract) {
  int64_t batch[TCC_MAX_RANK];
  for (size_t i = 0; i < nbatch; i++) batch[i] = (int64_t)i;
  return tcc_build_dot_general(x->b, a, b, batch, batch, nbatch, &lhs_contract, &rhs_contract, 1);
}

MlirValue tcc_ex_size(TccExpand *x, const TccExpr *size, TccElem elem) {
  int64_t value;
  if (tcc_expr_is_const(size, &value))
    return tcc_elem_is_float(elem) ? tcc_build_scalar(x->b, elem, (double)value) : tcc_build_scalar_i64(x->b, elem, value);
  return tcc_build_convert(x->b, tcc_build_size(x->b, size), elem);
}

MlirValue tcc_ex_softmax(TccExpand *x, MlirValue a, int64_t axis) {
  MlirValue e = tcc_build1(x->b, TCC_OP_EXP, tcc_build2(x->b, TCC_OP_SUB, a, tcc_build_reduce(x->b, "max", a, &axis, 1, true)));
  return tcc_build2(x->b, TCC_OP_DIV, e, tcc_build_reduce(x->b, "sum", e, &axis, 1, true));
}

/* ---- shapes ---- */
bool tcc_ex_shape(TccExpand *x, MlirValue value, TccShape *out) {
  if (is_null(value)) return false;
  MlirType type = tcc_value_type(value);
  out->rank = tcc_type_rank(type);
  for (int i = 0; i < out->rank; i++) {
    out->dims[i] = tcc_type_dim(x->ir, type, i);
    if (!out->dims[i]) return tcc_ex_fail(x, "cannot be expanded where the size of axis %d is unknown", i);
  }
  return true;
}

const TccExpr *tcc_ex_const(TccExpand *x, int64_t value) { return tcc_expr_const(x->ir->exprs, value); }

const TccExpr *tcc_ex_product(TccExpand *x, const TccExpr *const *dims, int n) {
  const TccExpr *product = tcc_ex_const(x, 1);
  for (int i = 0; i < n; i++) product = tcc_expr_mul(x->ir->exprs, product, dims[i]);
  return product;
}

MlirValue tcc_ex_column(TccExpand *x, MlirValue vector, int after) {
  TccShape shape;
  if (!tcc_ex_shape(x, vector, &shape)) return null_value();
  for (int i = 0; i < after; i++) shape.dims[shape.rank++] = tcc_ex_const(x, 1);
  return tcc_build_reshape(x->b, vector, shape.rank, shape.dims);
}
