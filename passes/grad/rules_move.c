/* rules_move.c - adjoints of ops that move elements by position: views, pad, slices, concat; and of convert. */
#include "passes/grad/grad.h"

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }

bool tcc_grad_convert(GradOp *a) {
  grad_give(a, 0, tcc_build_convert(a->b, a->g[0], tcc_type_elem(type_of(a, 0))));
  return true;
}

bool tcc_grad_barrier(GradOp *a) {
  grad_give(a, 0, a->g[0]);
  return true;
}

bool tcc_grad_reshape(GradOp *a) {
  grad_give(a, 0, grad_as_type(a->b, a->g[0], type_of(a, 0)));
  return true;
}

bool tcc_grad_transpose(GradOp *a) {
  const int64_t *perm;
  int64_t inverse[TCC_MAX_RANK];
  size_t n;
  if (!tcc_get_ints(a->ir, a->op, "perm", &perm, &n)) return grad_fail(a, "has no perm");
  for (size_t i = 0; i < n; i++) inverse[perm[i]] = (int64_t)i;
  grad_give(a, 0, tcc_build_transpose(a->b, a->g[0], inverse));
  return true;
}

bool tcc_grad_broadcast(GradOp *a) {
  grad_give(a, 0, grad_sum_to(a->b, a->g[0], type_of(a, 0)));
  return true;
}

/* g with step - 1 zeros behind each element of axis. */
static MlirValue dilate(GradOp *a, MlirValue g, int axis, int64_t step) {
  GradShape shape = grad_shape(a->ir, g);
  if (!g.ptr || step == 1) return g;
  if (shape.rank == TCC_MAX_RANK) {
    grad_fail(a, "of rank %d with a step has no derivative", TCC_MAX_RANK);
    return (MlirValue){NULL};
  }
  MlirValue apart = tcc_build_unsqueeze(a->b, g, axis + 1);
  apart = grad_pad_axis(a->b, apart, axis + 1, grad_const(a, 0), grad_const(a, step - 1));
  shape.dims[axis] = tcc_expr_mul(a->ir->exprs, shape.dims[axis], grad_const(a, step));
  return tcc_build_reshape(a->b, apart, shape.rank, shape.dims);
}

/* Each axis by itself: turned round where the step is negative, spread out by the step, then zeros around, or less of the zeros behind. */
bool tcc_grad_slice(GradOp *a) {
  const TccExpr *const *starts;
  const int64_t *steps;
  size_t n;
  MlirValue g = a->g[0];
  if (!tcc_get_exprs(a->ir, a->op, "starts", &starts, &n) || !tcc_get_ints(a->ir, a->op, "steps", &steps, &n))
    return grad_fail(a, "has no starts");
  TccExprPool *pool = a->ir->exprs;
  for (int i = 0; i < (int)n && g.ptr; i++) {
    const TccExpr *start = starts[i], *size = tcc_type_dim(a->ir, type_of(a, 0), i),
                  *count = tcc_type_dim(a->ir, tcc_value_type(g), i);
    int64_t step = steps[i];
    if (step < 0) {
      const TccExpr *last = tcc_expr_sub(pool, count, grad_const(a, 1));
      start = tcc_expr_add(pool, start, tcc_expr_mul(pool, last, grad_const(a, step)));
      g = grad_flip(a->b, g, i);
      step = -step;
    }
    g = dilate(a, g, i, step);
    const TccExpr *end = tcc_expr_add(pool, start, tcc_expr_mul(pool, count, grad_const(a, step)));
    g = grad_pad_axis(a->b, g, i, start, tcc_expr_sub(pool, size, end));
  }
  grad_give(a, 0, g);
  return true;
}

/* x[starts + i] = g[i]: g with size - count zeros on both sides, read where that lands. */
bool tcc_grad_dynamic_slice(GradOp *a) {
  GradShape x = grad_shape(a->ir, grad_operand(a, 0)), r = grad_shape(a->ir, a->g[0]);
  const TccExpr *room[TCC_MAX_RANK];
  MlirValue g = a->g[0];
  for (int i = 0; i < x.rank; i++) {
    room[i] = tcc_expr_sub(a->ir->exprs, x.dims[i], r.dims[i]);
    g = grad_pad_axis(a->b, g, i, room[i], room[i]);
  }
  if (!x.rank) {
    grad_give(a, 0, g);
    return true;
  }
  MlirValue most = tcc_build_sizes(a->b, room, (size_t)x.rank);
  MlirValue starts = tcc_build2(a->b, TCC_OP_MAX, tcc_build2(a->b, TCC_OP_MIN, grad_operand(a, 1), most),
                                tcc_build_scalar_i64(a->b, TCC_ELEM_I64, 0));
  MlirValue operands[] = {g, tcc_build2(a->b, TCC_OP_SUB, most, starts)};
  MlirType type = type_of(a, 0);
  grad_give(a, 0,
            g.ptr && operands[1].ptr ? tcc_build_value(a->b, TCC_OP_DYNAMIC_SLICE, operands, 2, NULL, 0, &type)
                                     : (MlirValue){NULL});
  return true;
}

bool tcc_grad_dynamic_update_slice(GradOp *a) {
  MlirValue index = grad_operand(a, 1);
  if (a->wanted[2]) grad_give(a, 2, tcc_build_gather(a->b, a->g[0], index, 0)); /* first: then g may be written in place */
  if (a->wanted[0]) {
    MlirValue operands[] = {a->g[0], index, grad_zeros(a->b, type_of(a, 2))};
    grad_give(a, 0, tcc_build_value(a->b, TCC_OP_DYNAMIC_UPDATE_SLICE, operands, 3, NULL, 0, NULL));
  }
  return true;
}

bool tcc_grad_concat(GradOp *a) {
  int axis = (int)tcc_i64(a->ir, a->op, "axis");
  const TccExpr *first = tcc_type_dim(a->ir, type_of(a, 0), axis), *second = tcc_type_dim(a->ir, type_of(a, 1), axis);
  if (a->wanted[0]) grad_give(a, 0, tcc_build_slice_axis(a->b, a->g[0], axis, grad_const(a, 0), 1, first));
  if (a->wanted[1]) grad_give(a, 1, tcc_build_slice_axis(a->b, a->g[0], axis, first, 1, second));
  return true;
}

/* ---- pad ---- */
static const TccExpr *negated(GradOp *a, const TccExpr *e) { return tcc_expr_sub(a->ir->exprs, grad_const(a, 0), e); }

/* The border's part of g: all of it but what a crop of it leaves. */
static MlirValue border_sum(GradOp *a, const TccExpr *const *low, const TccExpr *const *high, size_t rank) {
  GradShape x = grad_shape(a->ir, grad_operand(a, 0));
  TccElem elem = tcc_value_elem(a->g[0]);
  int64_t axes[TCC_MAX_RANK];
  for (size_t i = 0; i < rank; i++) axes[i] = (int64_t)i;
  MlirValue border = tcc_build_pad(a->b, grad_full(a->b, elem, 0, &x), tcc_build_scalar(a->b, elem, 1), low, high, "constant");
  MlirValue sum = tcc_build_reduce(a->b, "sum", tcc_build2(a->b, TCC_OP_MUL, a->g[0], border), axes, rank, false);
  return grad_as_type(a->b, sum, type_of(a, 1));
}

/* Which element of an axis of size n is read at place i - low: clamped, mirrored or wrapped. */
static MlirValue source_index(GradOp *a, TccStr mode, const TccExpr *n, const TccExpr *low, const TccExpr *count) {
  TccBuilder *b = a->b;
  MlirValue zero = tcc_build_scalar_i64(b, TCC_ELEM_I64, 0), size = grad_size_as(b, n, TCC_ELEM_I64);
  MlirValue i = tcc_build2(b, TCC_OP_SUB, tcc_build_iota(b, TCC_ELEM_I64, 0, 1, &count), grad_size_as(b, low, TCC_ELEM_I64));
  MlirValue last = tcc_build2(b, TCC_OP_SUB, size, tcc_build_scalar_i64(b, TCC_ELEM_I64, 1));
  if (tcc_str_is(mode, "edge")) return tcc_build2(b, TCC_OP_MAX, tcc_build2(b, TCC_OP_MIN, i, last), zero);
  if (tcc_str_is(mode, "wrap")) return tcc_build2(b, TCC_OP_MOD, i, size);
  MlirValue period = tcc_build2(b, TCC_OP_MAX, tcc_build2(b, TCC_OP_ADD, last, last), tcc_build_scalar_i64(b, TCC_ELEM_I64, 1));
  MlirValue folded = tcc_build2(b, TCC_OP_MOD, i, period);
  return tcc_build2(b, TCC_OP_MIN, folded, tcc_build2(b, TCC_OP_SUB, period, folded));
}

bool tcc_grad_pad(GradOp *a) {
  const TccExpr *const *low, *const *high, *back_low[TCC_MAX_RANK], *back_high[TCC_MAX_RANK];
  size_t rank;
  if (!tcc_get_exprs(a->ir, a->op, "low", &low, &rank) || !tcc_get_exprs(a->ir, a->op, "high", &high, &rank))
    return grad_fail(a, "has no low");
  TccStr mode = tcc_string(a->ir, a->op, "mode");
  MlirValue g = a->g[0];
  bool constant = tcc_str_is(mode, "constant");
  for (size_t i = 0; i < rank; i++) {
    back_low[i] = negated(a, low[i]);
    back_high[i] = negated(a, high[i]);
    if (!a->wanted[0]) continue;
    if (constant) g = grad_pad_axis(a->b, g, (int)i, back_low[i], back_high[i]);
    else if (low[i] != grad_const(a, 0) || high[i] != grad_const(a, 0)) {
      const TccExpr *n = tcc_type_dim(a->ir, type_of(a, 0), (int)i), *count = tcc_type_dim(a->ir, tcc_value_type(g), (int)i);
      g = grad_add_at(a, g, source_index(a, mode, n, low[i], count), (int)i, n);
    }
  }
  if (a->wanted[0]) grad_give(a, 0, g);
  if (constant && a->wanted[1]) grad_give(a, 1, border_sum(a, low, high, rank));
  return true;
}
