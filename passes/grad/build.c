/* build.c - what rules ask of an op, and builders beside those of ir.h: null in, null out. */
#include "passes/grad/grad.h"

static const MlirValue null_value = {NULL};

bool grad_fail(GradOp *a, const char *format, ...) {
  TccText text = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&text, format, args);
  va_end(args);
  tcc_error(a->op, "'%s': %s", tcc_op_name(a->kind), text.data);
  tcc_text_destroy(&text);
  a->failed = a->grad->failed = true;
  return false;
}

MlirValue grad_operand(const GradOp *a, int i) {
  MlirValue value = mlirOperationGetOperand(a->op, i);
  return tcc_value_is_none(a->ir, value) ? null_value : value;
}

MlirValue grad_result(const GradOp *a) { return mlirOperationGetResult(a->op, 0); }

void grad_give(GradOp *a, int i, MlirValue cotangent) {
  a->given[i] = cotangent;
  if (!cotangent.ptr) a->failed = a->grad->failed = true;
}

TccElem grad_compute(TccElem elem) { return tcc_elem_is_float(elem) && tcc_elem_bits(elem) < 32 ? TCC_ELEM_F32 : elem; }

MlirValue grad_narrow(GradOp *a, MlirValue value, int operand) {
  return tcc_build_convert(a->b, value, tcc_value_elem(mlirOperationGetOperand(a->op, operand)));
}

/* ---- shapes ---- */
GradShape grad_shape(TccIr *ir, MlirValue value) {
  GradShape shape = {0};
  if (!value.ptr) return shape;
  MlirType type = tcc_value_type(value);
  shape.rank = tcc_type_rank(type);
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = tcc_type_dim(ir, type, i);
  return shape;
}

const TccExpr *grad_const(GradOp *a, int64_t value) { return tcc_expr_const(a->ir->exprs, value); }

static bool is_one(const TccExpr *size) {
  int64_t value;
  return size && tcc_expr_is_const(size, &value) && value == 1;
}

MlirValue grad_as_type(TccBuilder *b, MlirValue value, MlirType type) {
  if (!value.ptr || mlirTypeEqual(tcc_value_type(value), type)) return value;
  return tcc_build_value(b, TCC_OP_RESHAPE, &value, 1, NULL, 0, &type);
}

MlirValue grad_full(TccBuilder *b, TccElem elem, double value, const GradShape *shape) {
  return tcc_build_broadcast(b, tcc_build_scalar(b, elem, value), shape->rank, shape->dims);
}

MlirValue grad_zeros(TccBuilder *b, MlirType type) { return grad_spread(b, tcc_build_scalar(b, tcc_type_elem(type), 0), type); }

MlirValue grad_spread(TccBuilder *b, MlirValue value, MlirType type) {
  if (!value.ptr || mlirTypeEqual(tcc_value_type(value), type)) return value;
  if (tcc_type_rank(tcc_value_type(value)) == tcc_type_rank(type) && tcc_type_same_shape(b->ir, tcc_value_type(value), type))
    return value;
  MlirType to = tcc_type_with_elem(b->ir, type, tcc_value_elem(value));
  return tcc_build_value(b, TCC_OP_BROADCAST, &value, 1, NULL, 0, &to);
}

/* Sizes that are symbols and not the same are equal where the op is valid: only a 1 is repeated. */
MlirValue grad_sum_to(TccBuilder *b, MlirValue value, MlirType type) {
  if (!value.ptr) return value;
  GradShape from = grad_shape(b->ir, value);
  int rank = tcc_type_rank(type), lead = from.rank - rank;
  int64_t axes[TCC_MAX_RANK];
  size_t n = 0;
  for (int i = 0; i < from.rank; i++)
    if (i < lead || (is_one(tcc_type_dim(b->ir, type, i - lead)) && !is_one(from.dims[i]))) axes[n++] = i;
  if (n) value = tcc_build_reduce(b, "sum", value, axes, n, false);
  return grad_as_type(b, value, tcc_type_with_elem(b->ir, type, tcc_value_elem(value)));
}

MlirValue grad_keep(TccBuilder *b, MlirValue reduced, MlirType of, const int64_t *axes, size_t naxes) {
  if (!reduced.ptr) return reduced;
  GradShape shape = {.rank = tcc_type_rank(of)};
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = tcc_type_dim(b->ir, of, i);
  for (size_t i = 0; i < naxes; i++) shape.dims[axes[i]] = tcc_expr_const(b->ir->exprs, 1);
  return tcc_build_reshape(b, reduced, shape.rank, shape.dims);
}

MlirValue grad_size_as(TccBuilder *b, const TccExpr *size, TccElem elem) {
  int64_t value;
  if (!tcc_expr_is_const(size, &value)) return tcc_build_convert(b, tcc_build_size(b, size), elem);
  return tcc_elem_is_float(elem) ? tcc_build_scalar(b, elem, (double)value) : tcc_build_scalar_i64(b, elem, value);
}

MlirValue grad_flip(TccBuilder *b, MlirValue value, int axis) {
  if (!value.ptr) return value;
  const TccExpr *size = tcc_type_dim(b->ir, tcc_value_type(value), axis);
  const TccExpr *last = tcc_expr_sub(b->ir->exprs, size, tcc_expr_const(b->ir->exprs, 1));
  return tcc_build_slice_axis(b, value, axis, last, -1, size);
}

MlirValue grad_pad_axis(TccBuilder *b, MlirValue x, int axis, const TccExpr *low, const TccExpr *high) {
  if (!x.ptr) return x;
  const TccExpr *zero = tcc_expr_const(b->ir->exprs, 0), *lows[TCC_MAX_RANK], *highs[TCC_MAX_RANK];
  if (low == zero && high == zero) return x;
  size_t rank = (size_t)tcc_type_rank(tcc_value_type(x));
  for (size_t i = 0; i < rank; i++) lows[i] = highs[i] = zero;
  lows[axis] = low;
  highs[axis] = high;
  return tcc_build_pad(b, x, (MlirValue){NULL}, lows, highs, "constant");
}
