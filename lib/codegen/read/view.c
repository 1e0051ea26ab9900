/* view.c - see view.h. */
#include "lib/codegen/read/view.h"
#include "tcc/op_kinds.h"

static bool is_one(const TccExpr *e) {
  int64_t v;
  return tcc_expr_is_const(e, &v) && v == 1;
}

static bool push_step(TccViewAxis *axis, const TccExpr *size, const TccExpr *stride) {
  if (axis->n == TCC_VIEW_STEPS) return false;
  axis->size[axis->n] = size;
  axis->stride[axis->n++] = stride;
  return true;
}

/* The row-major layout of a whole buffer. */
static void view_dense(TccIr *ir, MlirType type, TccView *v) {
  v->elem = tcc_type_elem(type);
  v->rank = tcc_type_rank(type);
  v->offset = tcc_expr_const(ir->exprs, 0);
  const TccExpr *stride = tcc_expr_const(ir->exprs, 1);
  for (int i = v->rank; i-- > 0;) {
    const TccExpr *size = tcc_type_dim(ir, type, i);
    v->axis[i].n = 0;
    push_step(&v->axis[i], size, stride);
    stride = tcc_expr_mul(ir->exprs, stride, size);
  }
}

/* Regroups the steps of all axes (row-major) under the sizes of `type`, cutting and joining steps. */
static bool view_reshape(TccIr *ir, TccView *v, MlirType type) {
  const TccExpr *size[TCC_MAX_RANK * TCC_VIEW_STEPS], *stride[TCC_MAX_RANK * TCC_VIEW_STEPS];
  int n = 0;
  for (int i = 0; i < v->rank; i++)
    for (int s = 0; s < v->axis[i].n; s++) {
      if (is_one(v->axis[i].size[s])) continue;
      const TccExpr *sz = v->axis[i].size[s], *st = v->axis[i].stride[s];
      if (n > 0 && stride[n - 1] == tcc_expr_mul(ir->exprs, sz, st)) { /* even with the step outside it */
        size[n - 1] = tcc_expr_mul(ir->exprs, size[n - 1], sz);
        stride[n - 1] = st;
      } else {
        size[n] = sz;
        stride[n++] = st;
      }
    }
  int rank = tcc_type_rank(type);
  TccViewAxis axis[TCC_MAX_RANK];
  for (int i = rank; i-- > 0;) { /* innermost first; steps of an axis are collected reversed */
    TccViewAxis r = {0};
    const TccExpr *left = tcc_type_dim(ir, type, i);
    while (!is_one(left)) {
      if (n == 0) return false;
      const TccExpr *cut = size[n - 1], *q;
      if (cut == left) {
        if (!push_step(&r, left, stride[n - 1])) return false;
        left = tcc_expr_const(ir->exprs, 1);
        n--;
      } else if ((q = tcc_expr_divide_exactly(ir->exprs, cut, left))) {
        if (!push_step(&r, left, stride[n - 1])) return false;
        stride[n - 1] = tcc_expr_mul(ir->exprs, stride[n - 1], left);
        size[n - 1] = q;
        left = tcc_expr_const(ir->exprs, 1);
      } else if ((q = tcc_expr_divide_exactly(ir->exprs, left, cut))) {
        if (!push_step(&r, cut, stride[n - 1])) return false;
        left = q;
        n--;
      } else {
        return false;
      }
    }
    axis[i].n = 0;
    if (r.n == 0) push_step(&axis[i], tcc_expr_const(ir->exprs, 1), tcc_expr_const(ir->exprs, 0));
    for (int s = r.n; s-- > 0;) push_step(&axis[i], r.size[s], r.stride[s]);
  }
  if (n != 0) return false;
  memcpy(v->axis, axis, sizeof *axis * (size_t)rank);
  v->rank = rank;
  return true;
}

static bool view_transpose(TccIr *ir, TccView *v, MlirOperation op, bool inverse) {
  const int64_t *perm;
  size_t n;
  if (!tcc_get_ints(ir, op, "perm", &perm, &n)) return false;
  TccViewAxis axis[TCC_MAX_RANK];
  for (size_t i = 0; i < n; i++) {
    if (inverse) axis[perm[i]] = v->axis[i];
    else axis[i] = v->axis[perm[i]];
  }
  memcpy(v->axis, axis, sizeof *axis * n);
  return true;
}

static bool view_broadcast(TccIr *ir, TccView *v, MlirType type) {
  int rank = tcc_type_rank(type), more = rank - v->rank;
  TccViewAxis axis[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) {
    const TccExpr *size = tcc_type_dim(ir, type, i);
    bool repeats = i < more;
    if (!repeats) {
      axis[i] = v->axis[i - more];
      repeats = axis[i].n == 1 && is_one(axis[i].size[0]) && !is_one(size);
    }
    if (!repeats) continue;
    axis[i].n = 0;
    push_step(&axis[i], size, tcc_expr_const(ir->exprs, 0));
  }
  memcpy(v->axis, axis, sizeof *axis * (size_t)rank);
  v->rank = rank;
  return true;
}

static bool view_slice(TccIr *ir, TccView *v, MlirOperation op, MlirType type) {
  const TccExpr *const *starts;
  const int64_t *steps;
  size_t n, m;
  if (!tcc_get_exprs(ir, op, "starts", &starts, &n) || !tcc_get_ints(ir, op, "steps", &steps, &m)) return false;
  for (size_t i = 0; i < n; i++) {
    TccViewAxis *axis = &v->axis[i];
    const TccExpr *size = tcc_type_dim(ir, type, (int)i);
    int64_t start;
    if (axis->n != 1) { /* only a whole axis stays what it is */
      if (tcc_expr_is_const(starts[i], &start) && start == 0 && steps[i] == 1) {
        const TccExpr *whole = tcc_expr_const(ir->exprs, 1);
        for (int s = 0; s < axis->n; s++) whole = tcc_expr_mul(ir->exprs, whole, axis->size[s]);
        if (whole == size) continue;
      }
      return false;
    }
    v->offset = tcc_expr_add(ir->exprs, v->offset, tcc_expr_mul(ir->exprs, starts[i], axis->stride[0]));
    axis->stride[0] = tcc_expr_mul(ir->exprs, axis->stride[0], tcc_expr_const(ir->exprs, steps[i]));
    axis->size[0] = size;
  }
  return true;
}

/* Each spatial axis becomes one of the window, and later one of windows, which walk the same elements. */
static bool view_unfold(TccIr *ir, TccView *v, MlirOperation op, MlirType type) {
  const int64_t *strides, *dilations;
  size_t n, m;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "dilations", &dilations, &m)) return false;
  for (size_t i = 0; i < n; i++) {
    TccViewAxis *within = &v->axis[2 + i], *windows = &v->axis[2 + n + i];
    if (within->n != 1) return false;
    const TccExpr *stride = within->stride[0];
    windows->n = within->n = 0;
    push_step(within, tcc_type_dim(ir, type, (int)(2 + i)),
              tcc_expr_mul(ir->exprs, stride, tcc_expr_const(ir->exprs, dilations[i])));
    push_step(windows, tcc_type_dim(ir, type, (int)(2 + n + i)),
              tcc_expr_mul(ir->exprs, stride, tcc_expr_const(ir->exprs, strides[i])));
  }
  v->rank += (int)n;
  return true;
}

bool tcc_view_of(TccIr *ir, MlirValue value, TccView *v) {
  MlirType type = tcc_value_type(value);
  if (tcc_type_rank(type) < 0) return false;
  if (mlirValueIsABlockArgument(value)) {
    view_dense(ir, type, v);
    v->argument = (int)mlirBlockArgumentGetArgNumber(value);
    v->data = NULL;
    return true;
  }
  MlirOperation op = tcc_value_op(value);
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind == TCC_OP_CONSTANT) {
    size_t count;
    view_dense(ir, type, v);
    v->argument = -1;
    v->data = tcc_constant_data(ir, value, &count);
    v->data_bytes = v->data ? tcc_elem_bytes(v->elem, count) : 0;
    return v->data != NULL;
  }
  if (kind != TCC_OP_RESHAPE && kind != TCC_OP_TRANSPOSE && kind != TCC_OP_BROADCAST && kind != TCC_OP_SLICE &&
      kind != TCC_OP_UNFOLD)
    return false;
  if (!tcc_view_of(ir, mlirOperationGetOperand(op, 0), v)) return false;
  switch (kind) {
  case TCC_OP_RESHAPE: return view_reshape(ir, v, type);
  case TCC_OP_TRANSPOSE: return view_transpose(ir, v, op, false);
  case TCC_OP_BROADCAST: return view_broadcast(ir, v, type);
  case TCC_OP_UNFOLD: return view_unfold(ir, v, op, type);
  default: return view_slice(ir, v, op, type);
  }
}

bool tcc_lookup_of(TccIr *ir, MlirValue value, TccView *out, TccLookup *lookup) {
  MlirOperation op = tcc_value_op(value);
  if (mlirOperationIsNull(op) || tcc_op_kind(ir, op) != TCC_OP_GATHER || tcc_i64(ir, op, "axis") != 0 ||
      tcc_valid(ir, op) != TCC_VALID_ANY)
    return false;
  MlirValue table = mlirOperationGetOperand(op, 0), indices = mlirOperationGetOperand(op, 1);
  if (tcc_type_rank(tcc_value_type(indices)) != 1 || !tcc_view_of(ir, indices, &lookup->indices) || !tcc_view_of(ir, table, out) ||
      lookup->indices.axis[0].n != 1 || out->axis[0].n != 1)
    return false;
  lookup->present = true;
  lookup->size = tcc_type_dim(ir, tcc_value_type(table), 0);
  out->axis[0].size[0] = tcc_type_dim(ir, tcc_value_type(value), 0);
  return true;
}

bool tcc_view_repeats(const TccView *v, int64_t axis) {
  int64_t stride;
  for (int s = 0; s < v->axis[axis].n; s++)
    if (!tcc_expr_is_const(v->axis[axis].stride[s], &stride) || stride != 0) return false;
  return true;
}

/* v is the view of `value`; makes it the view of `root`, from which `value` is computed by reshapes and transposes. */
static bool view_back(TccIr *ir, MlirValue value, MlirValue root, TccView *v) {
  while (!mlirValueEqual(value, root)) {
    MlirOperation op = tcc_value_op(value);
    if (mlirOperationIsNull(op)) return false;
    TccOpKind kind = tcc_op_kind(ir, op);
    value = mlirOperationGetNumOperands(op) ? mlirOperationGetOperand(op, 0) : value;
    if (kind == TCC_OP_TRANSPOSE) {
      if (!view_transpose(ir, v, op, true)) return false;
    } else if (kind == TCC_OP_RESHAPE) {
      if (!view_reshape(ir, v, tcc_value_type(value))) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool tcc_view_of_result(TccIr *ir, MlirOperation kernel, intptr_t index, MlirValue root, TccView *v) {
  MlirBlock body = tcc_func_body(kernel);
  MlirValue result = mlirOperationGetOperand(mlirBlockGetTerminator(body), index);
  view_dense(ir, tcc_value_type(result), v);
  v->argument = (int)(mlirBlockGetNumArguments(body) + index);
  v->data = NULL;
  return view_back(ir, result, root, v);
}

/* ---- spans ---- */

void tcc_span_init(TccIr *ir, TccSpan *span, int ntensors) {
  memset(span, 0, sizeof *span);
  span->ntensors = ntensors;
  span->count = tcc_expr_const(ir->exprs, 1);
}

bool tcc_span_append(TccIr *ir, TccSpan *span, const TccExpr *size, const TccViewAxis *const *axes) {
  const TccExpr *zero = tcc_expr_const(ir->exprs, 0), *one = tcc_expr_const(ir->exprs, 1);
  span->count = tcc_expr_mul(ir->exprs, span->count, size);
  int nt = span->ntensors, first = span->n;
  int *at = TCC_NEW_ARRAY(ir->arena, int, nt);
  const TccExpr **left = TCC_NEW_ARRAY(ir->arena, const TccExpr *, nt), **scale = TCC_NEW_ARRAY(ir->arena, const TccExpr *, nt);
  for (int t = 0; t < nt; t++) {
    at[t] = axes[t] ? axes[t]->n - 1 : 0;
    left[t] = axes[t] ? axes[t]->size[at[t]] : size;
    scale[t] = one;
  }
  while (!is_one(size)) { /* innermost step first: the smallest remaining step, which must divide all others */
    const TccExpr *step = NULL;
    for (int c = 0; c < nt && !step; c++) {
      if (is_one(left[c])) continue;
      step = left[c];
      for (int t = 0; t < nt; t++)
        if (left[t] != step && axes[t] && !tcc_expr_divide_exactly(ir->exprs, left[t], step)) step = NULL, t = nt;
    }
    if (!step) step = size;
    const TccExpr *rest = step == size ? one : tcc_expr_divide_exactly(ir->exprs, size, step);
    if (!rest || span->n == TCC_SPAN_STEPS) return false;
    span->size[span->n] = step;
    const TccExpr **stride = span->stride[span->n++] = TCC_NEW_ARRAY(ir->arena, const TccExpr *, nt);
    for (int t = 0; t < nt; t++) {
      if (!axes[t]) {
        stride[t] = zero;
        continue;
      }
      if (at[t] < 0) return false;
      stride[t] = tcc_expr_mul(ir->exprs, axes[t]->stride[at[t]], scale[t]);
      left[t] = left[t] == step ? one : tcc_expr_divide_exactly(ir->exprs, left[t], step);
      if (!left[t]) return false;
      scale[t] = tcc_expr_mul(ir->exprs, scale[t], step);
      while (is_one(left[t]) && --at[t] >= 0) {
        left[t] = axes[t]->size[at[t]];
        scale[t] = one;
      }
    }
    size = rest;
  }
  for (int i = first, j = span->n - 1; i < j; i++, j--) { /* outermost first */
    const TccExpr *s = span->size[i], **st = span->stride[i];
    span->size[i] = span->size[j], span->stride[i] = span->stride[j];
    span->size[j] = s, span->stride[j] = st;
  }
  return true;
}

void tcc_span_finish(TccIr *ir, TccSpan *span) {
  int n = 0;
  for (int i = 0; i < span->n; i++) {
    bool even = n > 0;
    for (int t = 0; even && t < span->ntensors; t++)
      even = span->stride[n - 1][t] == tcc_expr_mul(ir->exprs, span->size[i], span->stride[i][t]);
    if (even) {
      span->size[n - 1] = tcc_expr_mul(ir->exprs, span->size[n - 1], span->size[i]);
      span->stride[n - 1] = span->stride[i];
    } else {
      span->size[n] = span->size[i];
      span->stride[n++] = span->stride[i];
    }
  }
  span->n = n;
}

bool tcc_span_vectorizes(const TccSpan *span, int lanes) {
  return span->n <= 1 || tcc_expr_multiple_of(span->size[span->n - 1]) % lanes == 0;
}

const TccExpr *tcc_span_inner_stride(TccIr *ir, const TccSpan *span, int tensor) {
  return span->n == 0 ? tcc_expr_const(ir->exprs, 0) : span->stride[span->n - 1][tensor];
}
