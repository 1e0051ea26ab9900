/* simplify_views.c - chains of ops that move elements: identities go, two in a row become one. */
#include "passes/simplify/simplify.h"
#include "tcc/op_kinds.h"
#include <math.h>

static const MlirValue none = {NULL};

static bool same_type(const Simplify *s, MlirValue v) { return mlirTypeEqual(mlirValueGetType(v), simplify_type(s)); }

static const TccExpr *zero(const Simplify *s) { return tcc_expr_const(s->ir->exprs, 0); }

static MlirValue result_of(Simplify *s, MlirValue v) { return tcc_simplify_made(s, v); }

static MlirValue reshape(Simplify *s, MlirValue x) {
  if (same_type(s, x)) return x;
  const TccTypeInfo *type = tcc_type_info(s->ir, simplify_type(s));
  TccBuilder b = tcc_simplify_builder(s);
  if (tcc_value_kind(s->ir, x) != TCC_OP_RESHAPE) return tcc_simplify_reshape_of_product(s, x);
  return result_of(s, tcc_build_reshape(&b, mlirOperationGetOperand(tcc_value_op(x), 0), type->rank, type->dims));
}

static MlirValue broadcast(Simplify *s, MlirValue x) {
  if (same_type(s, x)) return x;
  if (tcc_value_kind(s->ir, x) != TCC_OP_BROADCAST) return none;
  const TccTypeInfo *type = tcc_type_info(s->ir, simplify_type(s));
  TccBuilder b = tcc_simplify_builder(s);
  return result_of(s, tcc_build_broadcast(&b, mlirOperationGetOperand(tcc_value_op(x), 0), type->rank, type->dims));
}

/* transpose(reshape(y)) where the reshape only joins neighbouring axes of y, which is a transpose: y's axes move instead and
 * are joined behind it, so that the two transposes become one. Blocked channels that go to a layout with channels last do. */
static MlirValue transpose_below_join(Simplify *s, MlirValue joined, const int64_t *perm) {
  TccIr *ir = s->ir;
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  MlirValue y = mlirOperationGetOperand(tcc_value_op(joined), 0);
  const TccTypeInfo *from = tcc_type_info(ir, mlirValueGetType(y)), *type = tcc_type_info(ir, mlirValueGetType(joined));
  const TccTypeInfo *to = tcc_type_info(ir, simplify_type(s));
  int start[TCC_MAX_RANK + 1], at = 0, n = 0;
  int64_t parts[TCC_MAX_RANK];
  if (tcc_value_kind(ir, y) != TCC_OP_TRANSPOSE) return none;
  for (int i = 0; i < type->rank; i++) {
    start[i] = at;
    if (!type->dims[i] || !to->dims[i]) return none;
    if (type->dims[i] == one && (at == from->rank || from->dims[at] != one)) continue; /* an axis that the reshape adds */
    const TccExpr *size = one;
    do {
      if (at == from->rank || !from->dims[at]) return none;
      size = tcc_expr_mul(ir->exprs, size, from->dims[at++]);
    } while (size != type->dims[i]);
  }
  if (at != from->rank) return none;
  start[type->rank] = at;
  for (int i = 0; i < type->rank; i++)
    for (int part = start[perm[i]]; part < start[perm[i] + 1]; part++) parts[n++] = part;
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue moved = result_of(s, tcc_build_transpose(&b, y, parts));
  return result_of(s, tcc_build_reshape(&b, moved, to->rank, to->dims));
}

static MlirValue transpose(Simplify *s, MlirValue x) {
  const int64_t *perm, *first;
  size_t rank;
  tcc_get_ints(s->ir, s->op, "perm", &perm, &rank);
  bool identity = true;
  for (size_t i = 0; i < rank; i++) identity = identity && perm[i] == (int64_t)i;
  if (identity) return x;
  if (tcc_value_kind(s->ir, x) == TCC_OP_TRANSPOSE) {
    int64_t both[TCC_MAX_RANK];
    tcc_get_ints(s->ir, tcc_value_op(x), "perm", &first, &rank);
    for (size_t i = 0; i < rank; i++) both[i] = first[perm[i]];
    TccBuilder b = tcc_simplify_builder(s);
    return result_of(s, tcc_build_transpose(&b, mlirOperationGetOperand(tcc_value_op(x), 0), both));
  }
  if (tcc_value_kind(s->ir, x) == TCC_OP_RESHAPE) {
    MlirValue r = transpose_below_join(s, x, perm);
    if (!mlirValueIsNull(r)) return r;
  }
  MlirValue scattered = tcc_simplify_scatter_between_transposes(s, x, perm);
  if (!mlirValueIsNull(scattered)) return scattered;
  /* Moving axes of size 1 only: the order of elements stays. */
  const TccTypeInfo *type = tcc_type_info(s->ir, mlirValueGetType(x));
  int64_t last = -1, size;
  for (size_t i = 0; i < rank; i++) {
    const TccExpr *dim = type->dims[perm[i]];
    if (dim && tcc_expr_is_const(dim, &size) && size == 1) continue;
    if (perm[i] < last) return none;
    last = perm[i];
  }
  const TccTypeInfo *to = tcc_type_info(s->ir, simplify_type(s));
  TccBuilder b = tcc_simplify_builder(s);
  for (int i = 0; i < to->rank; i++)
    if (!to->dims[i]) return none;
  return result_of(s, tcc_build_reshape(&b, x, to->rank, to->dims));
}

/* convert(view(y)) of elements narrower than a byte becomes view(convert(y)): they share bytes, so that no kernel could write
 * what the view makes if it had to lie in memory. */
static MlirValue convert_before_view(Simplify *s, MlirValue x) {
  TccElem elem = tcc_type_elem(simplify_type(s));
  const TccTypeInfo *type = tcc_type_info(s->ir, simplify_type(s));
  TccOpKind kind = tcc_value_kind(s->ir, x);
  if (tcc_elem_bits(tcc_type_elem(mlirValueGetType(x))) >= 8 || tcc_elem_bits(elem) < 8) return none;
  if (kind != TCC_OP_RESHAPE && kind != TCC_OP_BROADCAST && kind != TCC_OP_TRANSPOSE && kind != TCC_OP_SLICE) return none;
  for (int i = 0; i < type->rank; i++)
    if (!type->dims[i]) return none;
  TccBuilder b = tcc_simplify_builder(s);
  MlirOperation view = tcc_value_op(x);
  MlirValue y = result_of(s, tcc_build_convert(&b, mlirOperationGetOperand(view, 0), elem));
  const TccExpr *const *starts;
  const int64_t *numbers;
  size_t rank;
  switch (kind) {
  case TCC_OP_RESHAPE: return result_of(s, tcc_build_reshape(&b, y, type->rank, type->dims));
  case TCC_OP_BROADCAST: return result_of(s, tcc_build_broadcast(&b, y, type->rank, type->dims));
  case TCC_OP_TRANSPOSE:
    tcc_get_ints(s->ir, view, "perm", &numbers, &rank);
    return result_of(s, tcc_build_transpose(&b, y, numbers));
  default:
    tcc_get_exprs(s->ir, view, "starts", &starts, &rank);
    tcc_get_ints(s->ir, view, "steps", &numbers, &rank);
    return result_of(s, tcc_build_slice(&b, y, starts, numbers, type->dims));
  }
}

static MlirValue slice(Simplify *s, MlirValue x) {
  const TccExpr *const *starts, *const *inner_starts;
  const int64_t *steps, *inner_steps;
  size_t rank;
  tcc_get_exprs(s->ir, s->op, "starts", &starts, &rank);
  tcc_get_ints(s->ir, s->op, "steps", &steps, &rank);
  bool whole = same_type(s, x);
  for (size_t i = 0; i < rank; i++) whole = whole && starts[i] == zero(s) && steps[i] == 1;
  if (whole) return x;
  const TccTypeInfo *type = tcc_type_info(s->ir, simplify_type(s));
  for (int i = 0; i < type->rank; i++)
    if (!type->dims[i]) return none;
  TccBuilder b = tcc_simplify_builder(s);
  MlirOperation source = tcc_value_op(x);
  TccOpKind kind = tcc_value_kind(s->ir, x);
  const TccExpr *new_starts[TCC_MAX_RANK];
  int64_t new_steps[TCC_MAX_RANK];
  if (kind == TCC_OP_SLICE) {
    tcc_get_exprs(s->ir, source, "starts", &inner_starts, &rank);
    tcc_get_ints(s->ir, source, "steps", &inner_steps, &rank);
    for (size_t i = 0; i < rank; i++) {
      const TccExpr *offset = tcc_expr_mul(s->ir->exprs, starts[i], tcc_expr_const(s->ir->exprs, inner_steps[i]));
      new_starts[i] = tcc_expr_add(s->ir->exprs, inner_starts[i], offset);
      if (__builtin_mul_overflow(steps[i], inner_steps[i], &new_steps[i])) return none;
    }
    return result_of(s, tcc_build_slice(&b, mlirOperationGetOperand(source, 0), new_starts, new_steps, type->dims));
  }
  if (kind == TCC_OP_CONCAT) { /* one of the two parts, if the slice provably stays inside it */
    int axis = (int)tcc_i64(s->ir, source, "axis");
    const TccExpr *first = tcc_type_dim(s->ir, mlirValueGetType(mlirOperationGetOperand(source, 0)), axis);
    if (!first || steps[axis] != 1) return none;
    const TccExpr *end = tcc_expr_add(s->ir->exprs, starts[axis], type->dims[axis]);
    memcpy(new_starts, starts, rank * sizeof *starts);
    bool left = tcc_expr_known_nonnegative(tcc_expr_sub(s->ir->exprs, first, end));
    const TccExpr *shifted = tcc_expr_sub(s->ir->exprs, starts[axis], first);
    if (!left && !tcc_expr_known_nonnegative(shifted)) return none;
    if (!left) new_starts[axis] = shifted;
    return result_of(s, tcc_build_slice(&b, mlirOperationGetOperand(source, left ? 0 : 1), new_starts, steps, type->dims));
  }
  return none;
}

static MlirValue pad(Simplify *s, MlirValue x) {
  const TccExpr *const *low, *const *high;
  size_t rank;
  tcc_get_exprs(s->ir, s->op, "low", &low, &rank);
  tcc_get_exprs(s->ir, s->op, "high", &high, &rank);
  for (size_t i = 0; i < rank; i++)
    if (low[i] != zero(s) || high[i] != zero(s)) return tcc_simplify_pad_of_scatter(s);
  return same_type(s, x) ? x : none;
}

/* ---- concat ---- */
static bool is_concat(const Simplify *s, MlirValue v, int64_t axis) {
  return tcc_value_kind(s->ir, v) == TCC_OP_CONCAT && tcc_i64(s->ir, tcc_value_op(v), "axis") == axis;
}

/* The axis along which alone a pad with zeros, which nothing else reads, adds elements, and how many; -1: none. */
static int zeros_around(const Simplify *s, MlirValue v, const TccExpr **out_low, const TccExpr **out_high) {
  const TccExpr *const *low, *const *high;
  size_t rank;
  double fill;
  int axis = -1;
  if (tcc_value_kind(s->ir, v) != TCC_OP_PAD || !simplify_used_once(v)) return -1;
  MlirOperation op = tcc_value_op(v);
  MlirValue value = mlirOperationGetOperand(op, 1);
  if (!tcc_str_is(tcc_string(s->ir, op, "mode"), "constant") ||
      (!tcc_value_is_none(s->ir, value) && (!tcc_simplify_splat(s->ir, value, &fill) || fill != 0)) ||
      !tcc_get_exprs(s->ir, op, "low", &low, &rank) || !tcc_get_exprs(s->ir, op, "high", &high, &rank))
    return -1;
  for (size_t i = 0; i < rank; i++) {
    if (low[i] == zero(s) && high[i] == zero(s)) continue;
    if (axis >= 0 || !tcc_expr_known_nonnegative(low[i]) || !tcc_expr_known_nonnegative(high[i])) return -1;
    axis = (int)i, *out_low = low[i], *out_high = high[i];
  }
  return axis;
}

/* Gradients of parts that follow each other: x with zeros behind it and y with zeros in front are x and y put together. */
MlirValue tcc_simplify_add_of_pads(Simplify *s) {
  const TccExpr *low[2], *high[2], *sides[2][TCC_MAX_RANK];
  MlirValue v[2] = {simplify_operand(s, 0), simplify_operand(s, 1)};
  int axis = zeros_around(s, v[0], &low[0], &high[0]);
  if (s->eager || axis < 0 || zeros_around(s, v[1], &low[1], &high[1]) != axis || !same_type(s, v[0]) || !same_type(s, v[1]))
    return none;
  int rank = tcc_type_rank(simplify_type(s)), first;
  for (int i = 0; i < 2; i++) v[i] = mlirOperationGetOperand(tcc_value_op(v[i]), 0);
  for (first = 0; first < 2; first++) /* where the one ends the other begins */
    if (tcc_expr_add(s->ir->exprs, low[first], tcc_type_dim(s->ir, mlirValueGetType(v[first]), axis)) == low[1 - first]) break;
  if (first == 2) return none;
  for (int i = 0; i < rank; i++)
    sides[0][i] = i == axis ? low[first] : zero(s), sides[1][i] = i == axis ? high[1 - first] : zero(s);
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue parts[] = {v[first], v[1 - first]};
  MlirValue all = tcc_simplify_made(s, tcc_build_concat(&b, parts, 2, axis));
  return result_of(s, tcc_build_pad(&b, all, none, sides[0], sides[1], "constant"));
}

/* Is op's only use the left operand of a concat along axis? Then the chain is rebuilt there. */
static bool is_inner(const Simplify *s, int64_t axis) {
  MlirValue r = mlirOperationGetResult(s->op, 0);
  if (!simplify_used_once(r)) return false;
  MlirOpOperand use = mlirValueGetFirstUse(r);
  MlirOperation user = mlirOpOperandGetOwner(use);
  if (mlirOpOperandGetOperandNumber(use) != 0 || tcc_op_kind(s->ir, user) != TCC_OP_CONCAT || tcc_i64(s->ir, user, "axis") != axis)
    return false;
  return tcc_type_dim(s->ir, mlirValueGetType(mlirOperationGetOperand(user, 1)), (int)axis) != zero(s); /* else it goes itself */
}

/* Do only longer chains read r, as what stands behind their first part? */
static bool is_tail(const Simplify *s, int64_t axis, MlirValue r) {
  for (MlirOpOperand use = mlirValueGetFirstUse(r); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (mlirOpOperandGetOperandNumber(use) != 1 || tcc_op_kind(s->ir, user) != TCC_OP_CONCAT ||
        tcc_i64(s->ir, user, "axis") != axis)
      return false;
  }
  return true;
}

/* What is left of the chain x = a ++ (b ++ ...) behind the parts of the chain y; null if it does not begin with them, or nothing is left. */
static MlirValue behind(const Simplify *s, int64_t axis, MlirValue x, MlirValue y) {
  while (is_concat(s, x, axis)) {
    const bool more = is_concat(s, y, axis);
    MlirOperation op = tcc_value_op(x);
    if (!mlirValueEqual(mlirOperationGetOperand(op, 0), more ? mlirOperationGetOperand(tcc_value_op(y), 0) : y)) break;
    x = mlirOperationGetOperand(op, 1);
    if (!more) return x;
    y = mlirOperationGetOperand(tcc_value_op(y), 1);
  }
  return none;
}

/* A concatenation in front of this op that begins with `front`, and all of which front ++ *rest begins with: *rest is what is left. Null if there is none. */
static MlirValue longer_front(const Simplify *s, int64_t axis, MlirValue front, MlirValue *rest) {
  enum { MOST_USES = 1024 };
  int uses = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(front); !mlirOpOperandIsNull(use) && uses < MOST_USES;
       use = mlirOpOperandGetNextUse(use), uses++) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tcc_op_kind(s->ir, user) != TCC_OP_CONCAT || mlirOpOperandGetOperandNumber(use) != 0) continue;
    MlirValue other = mlirOperationGetResult(user, 0);
    if (!is_concat(s, other, axis) || mlirOpOperandIsNull(mlirValueGetFirstUse(other)) || is_tail(s, axis, other) ||
        !mlirBlockEqual(mlirOperationGetBlock(user), mlirOperationGetBlock(s->op)) || !mlirOperationIsBeforeInBlock(user, s->op))
      continue;
    MlirValue left = behind(s, axis, *rest, mlirOperationGetOperand(user, 1));
    if (!left.ptr) continue;
    *rest = left;
    return other;
  }
  return none;
}

/* a ++ (b ++ (c ++ d)) -> (a ++ b) ++ (c ++ d) where somebody reads a ++ b already: layers that read what all layers before them made. Only along the outermost axis,
 * where a concatenation lies at the front of a longer one and is no copy. */
static MlirValue concat_behind(Simplify *s, int64_t axis) {
  MlirValue result = mlirOperationGetResult(s->op, 0), front = simplify_operand(s, 0), rest = simplify_operand(s, 1), longer;
  for (int i = 0; i < axis; i++)
    if (tcc_type_dim(s->ir, mlirValueGetType(result), i) != tcc_expr_const(s->ir->exprs, 1)) return none;
  if (is_tail(s, axis, result)) return none;
  while ((longer = longer_front(s, axis, front, &rest)).ptr) front = longer;
  if (mlirValueEqual(front, simplify_operand(s, 0))) return none;
  TccBuilder b = tcc_simplify_builder(s);
  return tcc_build_concat(&b, (const MlirValue[]){front, rest}, 2, axis);
}

/* (a ++ b) ++ c -> a ++ (b ++ c) for a chain of any length, once, at its last op. */
static MlirValue concat(Simplify *s) {
  int64_t axis = tcc_i64(s->ir, s->op, "axis");
  for (int k = 0; k < 2; k++) { /* an empty part */
    const TccExpr *size = tcc_type_dim(s->ir, mlirValueGetType(simplify_operand(s, k)), (int)axis);
    if (size == zero(s) && same_type(s, simplify_operand(s, 1 - k))) return simplify_operand(s, 1 - k);
  }
  if (!is_concat(s, simplify_operand(s, 0), axis) || !simplify_used_once(simplify_operand(s, 0)) || is_inner(s, axis))
    return concat_behind(s, axis);
  TCC_VEC(MlirValue) parts = {0}; /* from last to first */
  MlirValue v = mlirOperationGetResult(s->op, 0);
  TCC_VEC_PUSH(s->arena, &parts, mlirOperationGetOperand(s->op, 1));
  for (v = simplify_operand(s, 0); is_concat(s, v, axis) && simplify_used_once(v); v = mlirOperationGetOperand(tcc_value_op(v), 0))
    TCC_VEC_PUSH(s->arena, &parts, mlirOperationGetOperand(tcc_value_op(v), 1));
  TCC_VEC_PUSH(s->arena, &parts, v);
  MlirValue *ordered = TCC_NEW_ARRAY(s->arena, MlirValue, parts.count);
  for (size_t i = 0; i < parts.count; i++) ordered[i] = parts.data[parts.count - 1 - i];
  TccBuilder b = tcc_simplify_builder(s);
  return tcc_build_concat(&b, ordered, parts.count, axis);
}

/* A reduction along nothing, or along axes of size 1 only. */
static MlirValue reduce(Simplify *s, MlirValue x) {
  const int64_t *axes;
  size_t count;
  tcc_get_ints(s->ir, s->op, "axes", &axes, &count);
  for (size_t i = 0; i < count; i++) {
    int64_t size;
    const TccExpr *dim = tcc_type_dim(s->ir, mlirValueGetType(x), (int)axes[i]);
    if (!dim || !tcc_expr_is_const(dim, &size) || size != 1) return none;
  }
  const TccTypeInfo *to = tcc_type_info(s->ir, simplify_type(s));
  if (same_type(s, x)) return x;
  for (int i = 0; i < to->rank; i++)
    if (!to->dims[i]) return none;
  TccBuilder b = tcc_simplify_builder(s);
  return result_of(s, tcc_build_reshape(&b, x, to->rank, to->dims));
}

/* Known starts that are provably in range. */
static MlirValue dynamic_slice(Simplify *s, MlirValue x) {
  size_t count;
  const TccExpr *const *starts = tcc_symbolic_value(s->ir, simplify_operand(s, 1), &count);
  const TccTypeInfo *from = tcc_type_info(s->ir, mlirValueGetType(x)), *to = tcc_type_info(s->ir, simplify_type(s));
  int64_t steps[TCC_MAX_RANK];
  if (!starts || count != (size_t)from->rank) return none;
  for (int i = 0; i < from->rank; i++) {
    if (!from->dims[i] || !to->dims[i] || !tcc_expr_known_nonnegative(starts[i])) return none;
    const TccExpr *end = tcc_expr_add(s->ir->exprs, starts[i], to->dims[i]);
    if (!tcc_expr_known_nonnegative(tcc_expr_sub(s->ir->exprs, from->dims[i], end))) return none;
    steps[i] = 1;
  }
  TccBuilder b = tcc_simplify_builder(s);
  return result_of(s, tcc_build_slice(&b, x, starts, steps, to->dims));
}

/* Sums of zeros. */
static MlirValue cumulative(Simplify *s, MlirValue x) {
  double splat;
  if (!tcc_str_is(tcc_string(s->ir, s->op, "kind"), "sum") || !tcc_simplify_splat(s->ir, x, &splat)) return none;
  return splat == 0 && !signbit(splat) && same_type(s, x) ? x : none;
}

/* A mask broadcasts by itself: it stays as small as it is. Changes the op. */
static void attention(Simplify *s) {
  MlirValue mask = simplify_operand(s, 3);
  if (tcc_value_kind(s->ir, mask) != TCC_OP_BROADCAST) return;
  MlirValue x = mlirOperationGetOperand(tcc_value_op(mask), 0);
  if (tcc_type_rank(mlirValueGetType(x)) == tcc_type_rank(mlirValueGetType(mask))) mlirOperationSetOperand(s->op, 3, x);
}

MlirValue tcc_simplify_view(Simplify *s) {
  MlirValue x = mlirOperationGetNumOperands(s->op) ? simplify_operand(s, 0) : none;
  switch (s->kind) {
  case TCC_OP_RESHAPE: return reshape(s, x);
  case TCC_OP_BROADCAST: return broadcast(s, x);
  case TCC_OP_TRANSPOSE: return transpose(s, x);
  case TCC_OP_SLICE: return slice(s, x);
  case TCC_OP_DYNAMIC_SLICE: return dynamic_slice(s, x);
  case TCC_OP_PAD: return pad(s, x);
  case TCC_OP_GATHER: return tcc_simplify_gather(s, x);
  case TCC_OP_GATHER_ELEMENTS: return tcc_simplify_gather_elements(s, x);
  case TCC_OP_GATHER_ND: return tcc_simplify_gather_nd(s, x);
  case TCC_OP_CONCAT: return concat(s);
  case TCC_OP_CONVERT: return convert_before_view(s, x);
  case TCC_OP_CUMULATIVE: return cumulative(s, x);
  case TCC_OP_ATTENTION: attention(s); return none;
  case TCC_OP_REDUCE:
  case TCC_OP_MEAN: return reduce(s, x);
  default: return none;
  }
}
