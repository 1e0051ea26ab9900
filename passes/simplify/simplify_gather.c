/* simplify_gather.c - gathers that are views: one constant index is a slice, indices that count positions are a transpose and
 * a broadcast.
 *
 *   r[b, s] = x[b, s] by gather_nd of concat(iota along b, iota along s)    ->    x
 *
 * Attention masks of exported models are read so, by coordinates that arange made and broadcasting spread; tables of positions by the
 * first of them. */
#include "passes/simplify/simplify.h"
#include "tcc/op_kinds.h"

static const MlirValue none = {NULL};

/* Constant indices that count from *out_first on, all of them within an axis of n. */
static bool is_count(TccIr *ir, MlirValue indices, int64_t n, int64_t *out_first, int64_t *out_count) {
  size_t count;
  TccElem elem = tcc_type_elem(mlirValueGetType(indices));
  const void *data = tcc_value_kind(ir, indices) == TCC_OP_CONSTANT ? tcc_constant_data(ir, indices, &count) : NULL;
  if (!data || !count || !tcc_elem_is_integer(elem)) return false;
  *out_first = (int64_t)tcc_elem_load_f64(elem, data, 0);
  *out_count = (int64_t)count;
  if (*out_first < 0 || *out_first > n - *out_count) return false;
  for (size_t i = 1; i < count; i++)
    if (tcc_elem_load_f64(elem, data, i) != (double)*out_first + (double)i) return false;
  return true;
}

/* Positions that an exporter computed, 0, 1, 2, ...: a slice of the table, its axis split as indices have it. */
static MlirValue gather_of_count(Simplify *s, MlirValue x) {
  const TccTypeInfo *to = tcc_type_info(s->ir, simplify_type(s));
  int axis = (int)tcc_i64(s->ir, s->op, "axis");
  const TccExpr *size = tcc_type_dim(s->ir, mlirValueGetType(x), axis);
  int64_t n, first, count;
  if (!size || !tcc_expr_is_const(size, &n) || !is_count(s->ir, simplify_operand(s, 1), n, &first, &count)) return none;
  for (int i = 0; i < to->rank; i++)
    if (!to->dims[i]) return none;
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue part = tcc_build_slice_axis(&b, x, axis, tcc_expr_const(s->ir->exprs, first), 1, tcc_expr_const(s->ir->exprs, count));
  return tcc_simplify_made(s, tcc_build_reshape(&b, tcc_simplify_made(s, part), to->rank, to->dims));
}

/* Whether an axis has the place, counted from its end where it is negative: one that it may not have is clamped. Of an axis without elements there is nothing
 * to gather, so that it has a first and a last one. */
static bool has_place(Simplify *s, const TccExpr *size, int64_t place) {
  return place == 0 || place == -1 || tcc_expr_known_at_most(tcc_expr_const(s->ir->exprs, place < 0 ? -place : place + 1), size);
}

/* One constant index: a slice of size 1, its axis dropped or kept by the shape of indices. */
MlirValue tcc_simplify_gather(Simplify *s, MlirValue x) {
  MlirValue counted = gather_of_count(s, x);
  if (counted.ptr) return counted;
  size_t count;
  MlirValue indices = simplify_operand(s, 1);
  const TccTypeInfo *from = tcc_type_info(s->ir, mlirValueGetType(x)), *to = tcc_type_info(s->ir, simplify_type(s));
  const TccExpr *const *index = tcc_type_is_static(mlirValueGetType(indices)) ? tcc_symbolic_value(s->ir, indices, &count) : NULL;
  int64_t value;
  if (!index || count != 1 || !tcc_expr_is_const(index[0], &value)) return none;
  int axis = (int)tcc_i64(s->ir, s->op, "axis");
  const TccExpr *starts[TCC_MAX_RANK], *sizes[TCC_MAX_RANK];
  int64_t steps[TCC_MAX_RANK];
  for (int i = 0; i < from->rank; i++) {
    if (!from->dims[i]) return none;
    starts[i] = tcc_expr_const(s->ir->exprs, 0), sizes[i] = from->dims[i], steps[i] = 1;
  }
  if (tcc_valid(s->ir, s->op) != TCC_VALID_ANY || !has_place(s, from->dims[axis], value)) return none; /* the run decides */
  starts[axis] = tcc_expr_const(s->ir->exprs, value);
  if (value < 0) starts[axis] = tcc_expr_add(s->ir->exprs, from->dims[axis], starts[axis]);
  sizes[axis] = tcc_expr_const(s->ir->exprs, 1);
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue part = tcc_simplify_made(s, tcc_build_slice(&b, x, starts, steps, sizes));
  return tcc_simplify_made(s, tcc_build_reshape(&b, part, to->rank, to->dims));
}

/* ---- one element of each line ---- */
/* Whether v has a number for each line of x along axis, which may be one for all. */
static bool is_of_lines(TccIr *ir, MlirValue v, const TccTypeInfo *x, int axis) {
  const TccTypeInfo *type = tcc_type_info(ir, mlirValueGetType(v));
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  if (type->rank < 0 || type->rank > x->rank) return false;
  for (int i = 0; i < type->rank; i++) {
    int at = i + x->rank - type->rank;
    if (!type->dims[i] || (type->dims[i] != one && (at == axis || type->dims[i] != x->dims[at]))) return false;
  }
  return true;
}

/* Of a difference or a conversion one element of each line is read: it is made of these alone, as the logarithm of a softmax is for its labels. */
MlirValue tcc_simplify_gather_elements(Simplify *s, MlirValue x) {
  TccIr *ir = s->ir;
  MlirValue indices = simplify_operand(s, 1), operands[2] = {none, none};
  MlirOperation op = tcc_value_op(x);
  const TccOpKind kind = tcc_value_kind(ir, x);
  const TccTypeInfo *type = tcc_type_info(ir, mlirValueGetType(x));
  const int axis = (int)tcc_i64(ir, s->op, "axis"), n = kind == TCC_OP_SUB ? 2 : kind == TCC_OP_CONVERT ? 1 : 0;
  if (!n || !is_of_lines(ir, indices, type, axis) || tcc_type_rank(mlirValueGetType(indices)) != type->rank) return none;
  bool whole[2] = {false, false};
  for (int i = 0; i < n; i++) {
    operands[i] = mlirOperationGetOperand(op, i);
    whole[i] = tcc_type_same_shape(ir, mlirValueGetType(operands[i]), mlirValueGetType(x));
    if (!whole[i] && !is_of_lines(ir, operands[i], type, axis)) return none;
  }
  if (!whole[0] && !whole[1]) return none;
  TccBuilder b = tcc_simplify_builder(s);
  TccNamedAttr attrs[] = {{"axis", tcc_attribute(s->op, "axis")}, {"valid", tcc_attribute(s->op, "valid")}};
  for (int i = 0; i < n; i++) {
    MlirValue pair[] = {operands[i], indices};
    if (whole[i])
      operands[i] = tcc_simplify_made(
          s, tcc_build_value(&b, TCC_OP_GATHER_ELEMENTS, pair, 2, attrs, mlirAttributeIsNull(attrs[1].value) ? 1 : 2, NULL));
  }
  MlirValue made = n == 2 ? tcc_build2(&b, kind, operands[0], operands[1]) : tcc_build_convert(&b, operands[0], tcc_value_elem(x));
  return tcc_simplify_made(s, made);
}

/* ---- positions ---- */
/* The axis of the reshape's result that axis of its operand becomes, where nothing but axes of size 1 come and go; else -1. */
static int axis_behind_reshape(TccIr *ir, MlirOperation op, int axis) {
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  const TccTypeInfo *from = tcc_type_info(ir, mlirValueGetType(mlirOperationGetOperand(op, 0)));
  const TccTypeInfo *to = tcc_type_info(ir, mlirValueGetType(mlirOperationGetResult(op, 0)));
  int result = -1;
  for (int i = 0, k = 0; i < from->rank || k < to->rank; i++, k++) {
    while (i < from->rank && from->dims[i] == one) i++;
    while (k < to->rank && to->dims[k] == one) k++;
    if (i == from->rank && k == to->rank) break;
    if (i >= from->rank || k >= to->rank || from->dims[i] != to->dims[k]) return -1;
    if (i == axis) result = k;
  }
  return result;
}

/* Of constant indices: the axes of indices along which each number of a tuple counts, as bits. */
static bool constant_axes(TccIr *ir, MlirValue indices, int last, int n, unsigned *axes) {
  const TccTypeInfo *type = tcc_type_info(ir, mlirValueGetType(indices));
  size_t count;
  const void *data = tcc_value_kind(ir, indices) == TCC_OP_CONSTANT ? tcc_constant_data(ir, indices, &count) : NULL;
  int64_t size[TCC_MAX_RANK], at[TCC_MAX_RANK] = {0};
  if (!data || (type->elem != TCC_ELEM_I64 && type->elem != TCC_ELEM_I32)) return false;
  for (int i = 0; i < last; i++)
    if (!tcc_expr_is_const(type->dims[i], &size[i])) return false;
  for (int i = 0; i < n; i++) axes[i] = (1u << last) - 1;
  for (size_t e = 0; e < count; e++) {
    if (e % (size_t)n == 0 && e)
      for (int d = last - 1; d >= 0 && ++at[d] == size[d]; d--) at[d] = 0;
    const int64_t index = type->elem == TCC_ELEM_I64 ? ((const int64_t *)data)[e] : ((const int32_t *)data)[e];
    for (int d = 0; d < last; d++)
      if (index != at[d]) axes[e % (size_t)n] &= ~(1u << d);
  }
  return true;
}

/* The axes, as bits, along which each element of v is its own coordinate, 0, 1, 2, ...; numbers that are all 0 count along axes of size 1. */
static unsigned position_axes(TccIr *ir, MlirValue v) {
  TccOpKind kind = tcc_value_kind(ir, v);
  MlirOperation op = tcc_value_op(v);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  const TccTypeInfo *to = tcc_type_info(ir, mlirValueGetType(v));
  unsigned axes = 0, result = 0;
  if (kind == TCC_OP_IOTA) return 1u << tcc_i64(ir, op, "axis");
  if (kind == TCC_OP_CONSTANT) return constant_axes(ir, v, to->rank, 1, &axes) ? axes : 0;
  if (kind != TCC_OP_RESHAPE && kind != TCC_OP_BROADCAST) return 0;
  MlirValue x = mlirOperationGetOperand(op, 0);
  const TccTypeInfo *from = tcc_type_info(ir, mlirValueGetType(x));
  axes = position_axes(ir, x);
  for (int axis = 0; axis < from->rank; axis++) {
    if (!(axes >> axis & 1)) continue;
    int moved = kind == TCC_OP_RESHAPE ? axis_behind_reshape(ir, op, axis) : axis + to->rank - from->rank;
    if (moved >= 0 && from->dims[axis] == to->dims[moved]) result |= 1u << moved;
    for (int i = 0; kind == TCC_OP_RESHAPE && from->dims[axis] == one && i < to->rank; i++)
      if (to->dims[i] == one) result |= 1u << i;
  }
  return result;
}

/* The same of indices that are computed: a chain of concats along the last axis, each part one number of the tuple. */
static bool computed_axes(TccIr *ir, MlirValue indices, int last, int n, unsigned *axes) {
  for (int i = 0; i < n; i++) {
    MlirValue part = indices;
    if (i + 1 < n) {
      if (tcc_value_kind(ir, indices) != TCC_OP_CONCAT || tcc_i64(ir, tcc_value_op(indices), "axis") != last) return false;
      part = mlirOperationGetOperand(tcc_value_op(indices), 0);
      indices = mlirOperationGetOperand(tcc_value_op(indices), 1);
    }
    axes[i] = position_axes(ir, part) & ~(1u << last);
    if (!axes[i] || tcc_type_dim(ir, mlirValueGetType(part), last) != tcc_expr_const(ir->exprs, 1)) return false;
  }
  return true;
}

/* Chooses for each number of the tuple an axis of the result that has the size of the axis of x which it names. */
static bool choose_axes(const TccTypeInfo *from, const TccTypeInfo *to, const unsigned *candidates, int n, int *axes) {
  unsigned taken = 0;
  for (int i = 0; i < n; i++) {
    for (axes[i] = 0; candidates[i] >> axes[i]; axes[i]++)
      if ((candidates[i] & ~taken) >> axes[i] & 1 && from->dims[i] && from->dims[i] == to->dims[axes[i]]) break;
    if (!(candidates[i] >> axes[i])) return false; /* fewer positions than x has would be a slice */
    taken |= 1u << axes[i];
  }
  return true;
}

/* x[i, ...] with i counting along axes[0], axes[1], ... of the result: x transposed, with 1 for the other axes, repeated along them. */
MlirValue tcc_simplify_gather_nd(Simplify *s, MlirValue x) {
  TccIr *ir = s->ir;
  MlirValue indices = simplify_operand(s, 1);
  const TccTypeInfo *from = tcc_type_info(ir, mlirValueGetType(x)), *to = tcc_type_info(ir, simplify_type(s));
  const int last = tcc_type_rank(mlirValueGetType(indices)) - 1;
  int64_t n, perm[TCC_MAX_RANK];
  int axes[TCC_MAX_RANK], count = 0;
  unsigned candidates[TCC_MAX_RANK];
  const TccExpr *sizes[TCC_MAX_RANK];
  if (tcc_i64(ir, s->op, "batch_dims") != 0 || to->rank < 0 || from->rank < 0) return none;
  if (!tcc_expr_is_const(tcc_type_dim(ir, mlirValueGetType(indices), last), &n) || n < 1 || n > from->rank) return none;
  if (!constant_axes(ir, indices, last, (int)n, candidates) && !computed_axes(ir, indices, last, (int)n, candidates)) return none;
  if (!choose_axes(from, to, candidates, (int)n, axes)) return none;
  for (int i = 0; i < to->rank; i++) sizes[i] = i < last ? tcc_expr_const(ir->exprs, 1) : to->dims[i];
  for (int i = 0; i < n; i++) sizes[axes[i]] = to->dims[axes[i]];
  for (int axis = 0; axis < last; axis++)
    for (int i = 0; i < n; i++)
      if (axes[i] == axis) perm[count++] = i;
  for (; count < from->rank; count++) perm[count] = count;
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue moved = tcc_simplify_made(s, tcc_build_transpose(&b, x, perm));
  MlirValue shaped = tcc_simplify_made(s, tcc_build_reshape(&b, moved, to->rank, sizes));
  return tcc_simplify_made(s, tcc_build_broadcast(&b, shaped, to->rank, to->dims));
}
