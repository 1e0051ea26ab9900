/* simplify_views.c - chains of ops that move elements: identities go, two in a row become one. */
#include "lib/ir/attention.h"
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

/* The parts that the axes of two shapes of the same elements consist of, in their order: axis i of shape k has those from start[k][i] on. */
typedef struct {
  const TccExpr *size[TCC_MAX_RANK];
  int count, start[2][TCC_MAX_RANK + 1];
} Parts;

/* a / b for sizes that are known. */
static const TccExpr *quotient(TccIr *ir, const TccExpr *a, const TccExpr *b) {
  int64_t x, y;
  return tcc_expr_is_const(a, &x) && tcc_expr_is_const(b, &y) && y && x % y == 0 ? tcc_expr_const(ir->exprs, x / y) : NULL;
}

/* How many axes from dims[0] on have `size` together; 0: none do. */
static int joined(TccIr *ir, const TccExpr *size, const TccExpr *const *dims, int rank) {
  const TccExpr *all = tcc_expr_const(ir->exprs, 1);
  for (int n = 0; n < rank && dims[n];) {
    all = tcc_expr_mul(ir->exprs, all, dims[n++]);
    if (all == size) return n;
  }
  return 0;
}

typedef struct {
  TccIr *ir;
  const TccTypeInfo *const *type;
  Parts *parts;
  int at[2];              /* axes that are begun */
  const TccExpr *left[2]; /* of the last of them; 1: nothing */
} Splitting;

static bool is_at_one(const Splitting *p, int k) {
  const TccExpr *one = tcc_expr_const(p->ir->exprs, 1);
  return p->left[k] == one && p->at[k] < p->type[k]->rank && p->type[k]->dims[p->at[k]] == one;
}

static void begin_axis(Splitting *p, int k) {
  p->parts->start[k][p->at[k]] = p->parts->count;
  p->left[k] = p->type[k]->dims[p->at[k]++];
}

static void put_part(Splitting *p, const TccExpr *size) { p->parts->size[p->parts->count++] = size; }

/* The next axis of each shape that has nothing left. A size of 1 of the first shape is a part, of the second one if it is there as well. */
static void begin_axes(Splitting *p) {
  for (bool ones[2]; (ones[0] = is_at_one(p, 0)) | (ones[1] = is_at_one(p, 1));) {
    for (int k = 0; k < 2; k++)
      if (ones[k]) begin_axis(p, k);
    if (ones[0]) put_part(p, p->left[0]);
  }
  for (int k = 0; k < 2; k++)
    if (p->left[k] == tcc_expr_const(p->ir->exprs, 1) && p->at[k] < p->type[k]->rank) begin_axis(p, k);
}

/* What is left of axis `few` is a part: whole axes of that shape are one of the other, or a number divides another. */
static bool divides(Splitting *p, int few, const TccExpr **rest) {
  const TccExpr *const *dims = p->type[few]->dims + p->at[few] - 1;
  *rest = quotient(p->ir, p->left[1 - few], p->left[few]);
  if (*rest || p->left[few] != dims[0]) return *rest != NULL;
  int n = joined(p->ir, p->left[1 - few], dims, p->type[few]->rank - p->at[few] + 1);
  *rest = tcc_expr_const(p->ir->exprs, 1);
  for (int i = 1; i < n; i++) *rest = tcc_expr_mul(p->ir->exprs, *rest, dims[i]);
  return n > 0;
}

/* False: no whole number of parts makes up both shapes, or that is not known. */
static bool find_parts(TccIr *ir, const TccTypeInfo *const type[2], Parts *parts) {
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  Splitting p = {.ir = ir, .type = type, .parts = parts, .left = {one, one}};
  parts->count = 0;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < type[k]->rank; i++)
      if (!type[k]->dims[i]) return false;
  for (begin_axes(&p); p.left[0] != one && p.left[1] != one; begin_axes(&p)) {
    const TccExpr *rest;
    if (parts->count + type[0]->rank >= TCC_MAX_RANK) return false;
    int few = divides(&p, 0, &rest) ? 0 : divides(&p, 1, &rest) ? 1 : 2;
    if (few == 2) return false;
    put_part(&p, p.left[few]);
    p.left[few] = one, p.left[1 - few] = rest;
  }
  for (int k = 0; k < 2; k++) parts->start[k][type[k]->rank] = parts->count;
  parts->start[1][0] = 0;
  return p.left[0] == one && p.left[1] == one;
}

/* `x` as a tensor of these sizes, its axes then permuted. */
typedef struct {
  MlirValue x;
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
  int64_t perm[TCC_MAX_RANK];
  bool cuts; /* an axis of x is several of these */
  bool once; /* what the move leaves out has no other reader */
} Move;

/* The walk leaves views that it has replaced to its end: nothing reads them, or others of them do. */
static bool is_left(TccIr *ir, MlirOperation op, int depth) {
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind != TCC_OP_RESHAPE && kind != TCC_OP_TRANSPOSE) return false;
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!depth || !is_left(ir, mlirOpOperandGetOwner(use), depth - 1)) return false;
  return true;
}

static bool is_read_once(TccIr *ir, MlirValue v) {
  enum { DEPTH = 4 };
  int readers = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use) && readers < 2; use = mlirOpOperandGetNextUse(use))
    readers += !is_left(ir, mlirOpOperandGetOwner(use), DEPTH);
  return readers == 1;
}

/* The move of a transpose's operand in place of one of a reshape of its result. */
static bool move_from_transpose(Simplify *s, Move *m) {
  TccIr *ir = s->ir;
  if (tcc_value_kind(ir, m->x) != TCC_OP_RESHAPE) return false;
  MlirValue y = mlirOperationGetOperand(tcc_value_op(m->x), 0);
  if (tcc_value_kind(ir, y) != TCC_OP_TRANSPOSE) return false;
  const TccTypeInfo *from = tcc_type_info(ir, mlirValueGetType(y)), to = {.rank = m->rank, .dims = m->dims};
  const int64_t *first;
  size_t rank;
  Parts p;
  if (!find_parts(ir, (const TccTypeInfo *const[]){from, &to}, &p) || !p.count) return false;
  tcc_get_ints(ir, tcc_value_op(y), "perm", &first, &rank);
  int axis[TCC_MAX_RANK], place[TCC_MAX_RANK], n = 0; /* of y that is axis i of its operand; where part i lies there */
  Move out = {.x = mlirOperationGetOperand(tcc_value_op(y), 0), .rank = p.count};
  out.once = m->once && is_read_once(ir, m->x) && is_read_once(ir, y);
  for (int i = 0; i < from->rank; i++) axis[first[i]] = i;
  for (int i = 0; i < from->rank; i++) {
    const int *start = &p.start[0][axis[i]];
    out.cuts |= start[1] - start[0] > 1;
    for (int part = start[0]; part < start[1]; part++) out.dims[n] = p.size[part], place[part] = n++;
  }
  n = 0;
  for (int i = 0; i < m->rank; i++)
    for (int part = p.start[1][m->perm[i]]; part < p.start[1][m->perm[i] + 1]; part++) out.perm[n++] = place[part];
  *m = out;
  return true;
}

/* Where axes are cut, the last part stays the last, and is enough for vectors: two transposes of blocks may be quicker than one of parts that lie anywhere. */
static bool is_quick(const Move *m) {
  enum { RUN = 8 };
  int64_t n;
  return !m->cuts || (m->once && m->perm[m->rank - 1] == m->rank - 1 && (!tcc_expr_is_const(m->dims[m->rank - 1], &n) || n >= RUN));
}

/* transpose(reshape(y)) where y is a transpose: the parts of axes that the reshape joins and cuts move at once, and are joined behind it, so that the two
 * transposes become one; so do three and more. Blocked channels that go to a layout with channels last do, and pixels that go to windows and patches. */
static MlirValue transposes_around_reshapes(Simplify *s, MlirValue x, const int64_t *perm) {
  const TccTypeInfo *type = tcc_type_info(s->ir, mlirValueGetType(x)), *to = tcc_type_info(s->ir, simplify_type(s));
  Move m = {.x = x, .rank = type->rank, .once = true}, best = {0};
  memcpy(m.dims, type->dims, sizeof *m.dims * (size_t)type->rank);
  memcpy(m.perm, perm, sizeof *m.perm * (size_t)type->rank);
  for (int i = 0; i < to->rank; i++)
    if (!to->dims[i]) return none;
  while (move_from_transpose(s, &m))
    if (is_quick(&m)) best = m;
  if (!best.rank) return none;
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue cut = result_of(s, tcc_build_reshape(&b, best.x, best.rank, best.dims));
  MlirValue moved = result_of(s, tcc_build_transpose(&b, cut, best.perm));
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
    MlirValue r = transposes_around_reshapes(s, x, perm);
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

/* A slice of both parts of x, which nothing else reads: joined again, so that nobody joins what is not read. Where it provably has some of each part; `first`: elements of
 * the first along the axis. */
static MlirValue slice_of_both(Simplify *s, MlirValue x, const TccExpr *const *starts, const int64_t *steps, const TccExpr *first) {
  TccExprPool *pool = s->ir->exprs;
  MlirOperation concat = tcc_value_op(x);
  const int axis = (int)tcc_i64(s->ir, concat, "axis");
  const TccTypeInfo *type = tcc_type_info(s->ir, simplify_type(s));
  const TccExpr *all = tcc_type_dim(s->ir, mlirValueGetType(x), axis), *new_starts[TCC_MAX_RANK], *dims[TCC_MAX_RANK];
  const TccExpr *of[] = {tcc_expr_sub(pool, first, starts[axis]), NULL};
  of[1] = tcc_expr_sub(pool, type->dims[axis], of[0]);
  if (all == type->dims[axis] || !simplify_used_once(x)) return none;
  if (!tcc_expr_known_nonnegative(of[0]) || !tcc_expr_known_nonnegative(of[1])) return none;
  TccBuilder b = tcc_simplify_builder(s);
  MlirValue parts[2];
  for (int i = 0; i < 2; i++) {
    memcpy(new_starts, starts, (size_t)type->rank * sizeof *starts), memcpy(dims, type->dims, (size_t)type->rank * sizeof *dims);
    dims[axis] = of[i];
    if (i) new_starts[axis] = zero(s);
    parts[i] = tcc_simplify_made(s, tcc_build_slice(&b, mlirOperationGetOperand(concat, i), new_starts, steps, dims));
  }
  return result_of(s, tcc_build_concat(&b, parts, 2, axis));
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
  if (kind == TCC_OP_CONCAT) { /* one of the two parts, if the slice provably stays inside it, or some of both */
    int axis = (int)tcc_i64(s->ir, source, "axis");
    const TccExpr *first = tcc_type_dim(s->ir, mlirValueGetType(mlirOperationGetOperand(source, 0)), axis);
    if (!first || steps[axis] != 1) return none;
    const TccExpr *end = tcc_expr_add(s->ir->exprs, starts[axis], type->dims[axis]);
    memcpy(new_starts, starts, rank * sizeof *starts);
    bool left = tcc_expr_known_nonnegative(tcc_expr_sub(s->ir->exprs, first, end));
    const TccExpr *shifted = tcc_expr_sub(s->ir->exprs, starts[axis], first);
    if (!left && !tcc_expr_known_nonnegative(shifted)) return slice_of_both(s, x, starts, steps, first);
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
  const intptr_t at = tcc_attention_mask_at(s->op);
  MlirValue mask = simplify_operand(s, at);
  if (tcc_value_kind(s->ir, mask) != TCC_OP_BROADCAST) return;
  MlirValue x = mlirOperationGetOperand(tcc_value_op(mask), 0);
  if (tcc_type_rank(mlirValueGetType(x)) == tcc_type_rank(mlirValueGetType(mask))) mlirOperationSetOperand(s->op, at, x);
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
  case TCC_OP_SCATTER_ELEMENTS: return tcc_simplify_scatter_of_slices(s);
  case TCC_OP_CONCAT: return concat(s);
  case TCC_OP_CONVERT: return convert_before_view(s, x);
  case TCC_OP_CUMULATIVE: return cumulative(s, x);
  case TCC_OP_ATTENTION:
  case TCC_OP_ATTENTION_LOGSUMEXP: attention(s); return none;
  case TCC_OP_REDUCE:
  case TCC_OP_MEAN: return reduce(s, x);
  default: return none;
  }
}
